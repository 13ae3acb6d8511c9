//! The energy of a run: events are counted, and each has an energy in attojoules, so that sums are exact.
//!
//! ```text
//!   Traversals   flits and head flits that crossed each channel, from an observer or from the routers of open-loop traffic
//!   Counts       events of each router and channel, from these
//!   Events       numbers of events of the whole run: from Counts, or from lengths and hops of messages alone
//!   Energies     what these events and the time take, by column
//! ```
//!
//! A message of `m` flits over `H` links passes `H + 1` routers. At each of them `m` flits are written to a buffer, read, allocated
//! the switch, and cross it; a route is computed at the first `H`.

mod activity;
mod columns;
mod counts;
mod events;
mod flits;
mod locations;
mod traversals;
mod worm_junctions;

pub(crate) use activity::ACTIVITY;
pub(crate) use columns::{ENERGY, ENERGY_COLUMNS};
pub(crate) use flits::FlitCounter;
pub(crate) use traversals::{TraversalWatch, Traversals};

use super::Row;
use crate::engine::Outcome;
use crate::machine::Machine;
use crate::units::{Flits, Ticks};
use counts::Counts;
use events::{Energies, Events};

impl Row {
    /// Sets the energy of a run with this `outcome`, in which the messages have the lengths that `flits` returns and `watched` is
    /// what was seen of their channels, if they were watched. Does nothing on a machine without energies.
    pub(crate) fn measure_energy(
        &mut self,
        machine: &Machine,
        outcome: &Outcome,
        flits: &dyn Fn(usize) -> Flits,
        watched: Option<&Traversals>,
    ) {
        let Some(model) = machine.energy.as_deref() else { return };
        let payload = || (0..outcome.messages.len()).map(|message| u128::from(flits(message).0)).sum();
        match watched {
            Some(traversals) => self.set_watched_energy(machine, traversals, Some(payload()), outcome.completion),
            None => self
                .set_energies(model, &Energies::new(model, &Events::of_messages(outcome, flits), outcome.completion)),
        }
    }

    /// Sets the energy of open-loop traffic in a time of a number of `ticks` in which flits crossed channels as `traversals` says. Its
    /// payload is what is ejected.
    pub(crate) fn set_traffic_energy(&mut self, machine: &Machine, traversals: &Traversals, ticks: Ticks) {
        self.set_watched_energy(machine, traversals, None, ticks);
    }

    /// Sets the energy of a run of a number of `ticks` in which flits crossed channels as `traversals` says, with a number of flits of
    /// `payload`, or that of all flits that are ejected. Does nothing on a machine without energies.
    fn set_watched_energy(&mut self, machine: &Machine, traversals: &Traversals, payload: Option<u128>, ticks: Ticks) {
        let Some(model) = machine.energy.as_deref() else { return };
        let Some(counts) = Counts::new(machine, model, traversals) else { return };
        let payload = payload.unwrap_or_else(|| counts.ejected());
        let events = Events::of_counts(&counts, model, payload);
        self.set_energies(model, &Energies::new(model, &events, ticks));
        if model.activity {
            self.add_activity(machine, model, &counts, ticks);
        }
    }
}
