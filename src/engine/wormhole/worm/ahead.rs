//! Headers that run ahead of the clock.
//!
//! A header that is granted a channel requests the next one a fixed time later, and so on to the end of its path. As long as
//! those channels are free, nothing has to happen at each of these ticks: the header *reserves* them there and then, up to
//! the first that is not free or to its ejection channel, and the queue has one event for the whole stretch.
//!
//! A reservation is a promise that may be taken back. A message that requests a reserved channel before the header is there (at
//! the same tick: if its number is smaller) gets it, and the header gives way: it is put back to that channel, which it will
//! request at its tick as if it had never reserved anything. Afterwards the reservation is a grant, and other
//! messages wait. So who gets what, and when, is the same as with an event for every hop.
//!
//! Only messages run ahead that are at least as long as the buffers of their path (short ones let channels go on the way,
//! which has to be known at its tick), and only where no observer wants to be told of every hop.

use super::Worm;
use super::flight::RESERVED;
use super::weights::Certainty;
use crate::engine::window::FirstNumber;
use crate::engine::{Observer, Program};
use crate::events::{EventQueue, Kind, QueuedEvent};
use crate::units::{ChannelId, MessageId, Ticks};

/// A channel that the header of `id` has reserved, as its state.
fn reserved(id: MessageId) -> u64 {
    RESERVED | u64::from(id.0)
}

/// Who has reserved a channel in this state, unless it is held without.
#[expect(clippy::cast_possible_truncation, reason = "the number of a message is the low half of the state")]
fn owner(state: u64) -> Option<MessageId> {
    let id = MessageId(state as u32);
    (state == reserved(id)).then_some(id)
}

impl<Q: EventQueue, P: Program, O: Observer, F: FirstNumber, const UNEVEN: bool> Worm<'_, Q, P, O, F, UNEVEN> {
    /// The header of `id`, a message as long as its path's buffers, has started on a channel before the last at `now`: notes its
    /// weight, if it has been blocked, and reserves what it can of the path before it.
    #[inline]
    pub(super) fn go_on(&mut self, id: MessageId, now: Ticks) {
        let flight = &mut self.flights[id];
        let certainty = Certainty::of(&self.costs, flight.wire_flits);
        if let Some(slot) = flight.weights {
            self.weights.set(slot, flight.granted, certainty.weight(flight.granted, now));
        }
        if !self.runs_ahead {
            return;
        }
        let before_last = flight.channels - 1 - flight.granted;
        let free_from = &mut self.free_from;
        let count = self.paths.pass(&mut flight.next, before_last, |channel| {
            let state = &mut free_from[channel.index()];
            // one that has become free at this very tick may have others in line
            let is_free = *state < now.0;
            if is_free {
                *state = reserved(id);
            }
            is_free
        });
        if let Some(slot) = flight.weights {
            for ahead in 0..count {
                let start = flight.mark + self.costs.step() * u64::from(ahead);
                let nth = flight.granted + ahead + 1;
                self.weights.set(slot, nth, certainty.weight(nth, start));
            }
        }
        flight.granted += count;
        flight.mark += self.costs.step() * u64::from(count);
    }

    /// Whether `channel`, which the header of `id` requests at `now`, is reserved for a header that comes later. If so, it is
    /// free from here on, and that header will request it at its tick.
    pub(super) fn gives_way(&mut self, channel: ChannelId, id: MessageId, now: Ticks) -> bool {
        let Some(reserver) = owner(self.free_from[channel.index()]) else {
            return false;
        };
        let slot = self.tallies[reserver].slot;
        let (hop, place) = self.paths.find(slot, channel);
        let flight = &mut self.flights[reserver];
        let passed = flight.granted - hop;
        let start = flight.mark - self.costs.step() * u64::from(passed);
        if (start, reserver) < (now, id) {
            return false;
        }
        flight.granted = hop;
        flight.next = place;
        flight.mark = start;
        self.queue.push(QueuedEvent { time: start, kind: Kind::Request, number: reserver.0 });
        let mut place = place;
        let free_from = &mut self.free_from;
        self.paths.pass(&mut place, passed, |channel| {
            free_from[channel.index()] = 0;
            true
        });
        true
    }
}
