//! A run of a trace as a timeline: what each read and each write moved, over which links, and when.
//!
//! A transfer is an access of the trace, in however many packets. It begins when its processor issues it and ends when the last
//! of its data is there. Its links are those that its data cross: of a read the replies' way; requests and acknowledgements
//! are kept beside it. A message counts as evenly spread over the time from when its head flit starts on a link until its tail
//! has. Where tiles were put elsewhere, it tells where they were put. Refuses to know which format shows it.

use super::links::{Chip, LinkPlace, places};
use super::prepare::{Access, Purpose};
use super::{Plan, lengths};
use crate::engine::program::NocProgram;
use crate::engine::{Event, Interest, MessageOutcome, Observer};
use crate::kind::timeline::{LinkUse, Tile, Timeline, Transfer};
use crate::kind::{OncePerWorm, RowFailure};
use crate::machine::Machine;
use crate::units::{ChannelId, Flits, MessageId, NodeId};
use rustc_hash::FxHashMap;
use std::ops::Range;
use thiserror::Error;

/// Cycles of a step in the estimates of the chip's makers.
const USUAL_STEP: u64 = 128;
/// The fewest cycles of a step.
const SHORTEST_STEP: u64 = 32;
/// The fewest steps of a run, unless it is shorter than so many of the shortest; and the most.
const FEW_STEPS: u64 = 32;
const MANY_STEPS: u64 = 1000;

/// Why a chip has no timeline.
#[derive(Debug, Error)]
#[error(
    "a timeline needs a chip whose first network leads east and south and whose second network leads north and west"
)]
struct OtherWays;

impl Plan<'_> {
    /// Runs it, and tells what moved when; none without a network.
    pub(super) fn traced(&self) -> Option<Result<Timeline, RowFailure>> {
        let machine = self.job.machine;
        let spec = machine.spec()?;
        let chip = Chip::new(spec)?;
        let places = places(spec);
        if places.values().any(|place| place.direction.network() != place.network) {
            return Some(Err(RowFailure::plan(OtherWays)));
        }
        let mut program = self.program();
        let mut seen = Crossings::new(machine, places, lengths(&program));
        let mut watch = OncePerWorm::new(&mut seen, &program);
        let outcome = match machine.run_in_place(&mut program, self.job.draw(), &mut watch)? {
            Ok(outcome) => outcome,
            Err(stop) => return Some(Err(stop.into())),
        };
        let mut run = Run { plan: self, chip, program: &program, messages: &outcome.messages, crossed: seen.messages };
        Some(Ok(Timeline {
            arch: self.device().like.replace('-', "_"),
            shape: chip.shape,
            cycles_per_step: cycles_per_step(outcome.completion.0),
            transfers: self.workload.prepared.accesses.iter().map(|access| run.transfer(access)).collect(),
        }))
    }
}

/// Cycles of a step of a run of so many cycles: as many as usual where that makes neither few steps nor many.
fn cycles_per_step(length: u64) -> u64 {
    let mut cycles = USUAL_STEP;
    while length.div_ceil(cycles) < FEW_STEPS && cycles > SHORTEST_STEP {
        cycles /= 2;
    }
    while length.div_ceil(cycles) > MANY_STEPS {
        cycles *= 2;
    }
    cycles
}

/// Watches which links each message crosses, and when; each worm as its first message.
struct Crossings<'a> {
    machine: &'a Machine,
    places: FxHashMap<String, LinkPlace>,
    /// Of channels that have been asked for, where their link is; none of injection and ejection.
    channels: FxHashMap<ChannelId, Option<LinkPlace>>,
    lengths: Vec<Flits>,
    /// Per message, in the order of its way.
    messages: Vec<Vec<LinkUse>>,
}

impl<'a> Crossings<'a> {
    fn new(machine: &'a Machine, places: FxHashMap<String, LinkPlace>, lengths: Vec<Flits>) -> Self {
        let messages = vec![Vec::new(); lengths.len()];
        Self { machine, places, channels: FxHashMap::default(), lengths, messages }
    }

    fn place(&mut self, channel: ChannelId) -> Option<LinkPlace> {
        let Self { machine, places, channels, .. } = self;
        let find = || places.get(&machine.link_name(channel)?).copied();
        *channels.entry(channel).or_insert_with(find)
    }

    /// The use that `message` makes of the link of `channel`, which it has been granted; it crosses no link twice.
    fn used(&mut self, message: MessageId, channel: ChannelId) -> Option<&mut LinkUse> {
        let LinkPlace { x, y, direction, .. } = self.place(channel)?;
        let mut uses = self.messages[message.index()].iter_mut();
        uses.find(|used| (used.x, used.y, used.direction) == (x, y, direction))
    }
}

impl Observer for Crossings<'_> {
    fn interest(&self) -> Interest {
        Interest::HOPS
    }

    fn event(&mut self, event: Event<'_>) {
        match event {
            Event::Restarted => self.messages.iter_mut().for_each(Vec::clear),
            Event::Granted { message, channel, start, .. } => {
                let Some(LinkPlace { x, y, direction, .. }) = self.place(channel) else { return };
                let flits = self.lengths[message.index()].on_wire();
                self.messages[message.index()].push(LinkUse { x, y, direction, flits, from: start.0, until: start.0 });
            }
            // A head flit may start later than its channel is granted. Routers report the latest time that fits what follows,
            // which may be too late for the other flits.
            Event::Started { message, channel, at, .. } => {
                if let Some(used) = self.used(message, channel) {
                    used.from = at.0;
                }
            }
            Event::Released { message, channel, at, .. } => {
                if let Some(used) = self.used(message, channel) {
                    used.until = used.until.max(at.0);
                }
            }
            Event::Left { .. } | Event::Ended(_) => {}
        }
    }
}

/// A run that is over.
struct Run<'a> {
    plan: &'a Plan<'a>,
    chip: Chip,
    program: &'a NocProgram<'a>,
    messages: &'a [MessageOutcome],
    /// The links of each message that no transfer has taken yet.
    crossed: Vec<Vec<LinkUse>>,
}

impl Run<'_> {
    fn tile(&self, node: NodeId) -> Tile {
        let (_, [x, y]) = self.chip.place(node.index());
        Tile { x, y }
    }

    fn transfer(&mut self, access: &Access) -> Transfer {
        let prepared = &self.plan.workload.prepared;
        let first = &prepared.transfers[access.transfers.start as usize];
        let others = &prepared.ends[first.ends.start as usize..first.ends.end as usize];
        let is_read = access.purpose == Purpose::Read;
        let source = if is_read { others[0] } else { first.core };
        let goals = if is_read { std::slice::from_ref(&first.core) } else { others };
        let device = self.plan.device();
        let start = self.program.issued(access.transfers.start).0;
        let (data, overhead) = self.messages_of(access);
        Transfer {
            kind: in_words(access.purpose).to_owned(),
            bytes: access.bytes,
            src: self.tile(source),
            dst: goals.iter().map(|&node| self.tile(node)).collect(),
            start,
            end: data.iter().map(|&message| self.messages[message].delivered.0).fold(start, u64::max),
            network: access.network,
            injection_rate: if is_read { device.reply_rate(source) } else { device.link_rate() },
            links: self.take_links(&data),
            overhead: self.take_links(&overhead),
        }
    }

    /// The messages of an access with its data, by number, and the others.
    fn messages_of(&self, access: &Access) -> (Vec<usize>, Vec<usize>) {
        let there =
            |transfer: u32| self.program.first_message(transfer).index()..self.program.answer_of(transfer).index();
        let back = |transfer: u32| {
            let Range { start, end } = there(transfer);
            end..end + (end - start)
        };
        let there = access.transfers.clone().flat_map(there).collect();
        let back = access.transfers.clone().flat_map(back).collect();
        if access.purpose == Purpose::Read { (back, there) } else { (there, back) }
    }

    fn take_links(&mut self, messages: &[usize]) -> Vec<LinkUse> {
        let taken = messages.iter().flat_map(|&message| std::mem::take(&mut self.crossed[message]));
        // the last flit starts in the cycle before the link is given back, and no two in one cycle
        let latest = |used: &LinkUse| used.until.saturating_sub(used.flits);
        taken.map(|used| LinkUse { from: used.from.min(latest(&used)), ..used }).collect()
    }
}

/// What traces call an access.
fn in_words(purpose: Purpose) -> &'static str {
    match purpose {
        Purpose::Read => "READ",
        Purpose::Write => "WRITE",
        Purpose::Multicast => "WRITE_MULTICAST",
        Purpose::Increment => "SEMAPHORE_INC",
    }
}

#[cfg(test)]
mod tests {
    use super::cycles_per_step;

    #[test]
    fn steps_are_as_long_as_usual_where_that_is_neither_few_nor_many() {
        let lengths = [0, 1000, 2000, 3969, 4000, 128_000, 128_001, 1_000_000];
        assert_eq!(lengths.map(cycles_per_step), [32, 32, 64, 128, 128, 128, 256, 1024]);
    }
}
