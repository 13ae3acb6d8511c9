//! Paths of the messages under way, compressed to runs.
//!
//! A path is kept as a few runs ([`Stretch`]). Runs live in slots that are used again.

use crate::engine::Program;
use crate::routing::{Network, Stretch};
use crate::units::{ChannelId, MessageId};

/// A place on a path: the channel there, and how the path goes on.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Cursor {
    channel: u32,
    stride: i32,
    /// Channels left in this run, this one included.
    left: u32,
    /// Where in the runs it is.
    run: u32,
}

impl Cursor {
    pub(super) fn channel(&self) -> ChannelId {
        ChannelId(self.channel)
    }
}

/// A slot of runs.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Slot {
    start: u32,
    runs: u32,
}

#[derive(Debug)]
pub(super) struct Paths {
    runs: Vec<Stretch>,
    spare: SlotSizes,
    route: Vec<ChannelId>,
    stretches: Vec<Stretch>,
}

impl Default for Paths {
    /// With room for a few short paths, so that a short run need not make any.
    fn default() -> Self {
        Self {
            runs: Vec::with_capacity(32),
            spare: SlotSizes::default(),
            route: Vec::new(), // paths of most networks are known as stretches
            stretches: Vec::with_capacity(8),
        }
    }
}

impl Paths {
    /// Lays out the path of message `id` of `program`: its slot and its number of channels.
    pub(super) fn lay(&mut self, program: &impl Program, id: MessageId, network: &dyn Network) -> (Slot, u32) {
        self.stretches.clear();
        if !program.stretches(id, network, &mut self.stretches) {
            self.route.clear();
            program.path(id, network, &mut self.route);
            self.compress();
        }
        let channels = self.stretches.iter().map(|stretch| stretch.length).sum();
        self.fuse_first();
        let runs = self.stretches.len();
        let start = self.spare.take(runs).unwrap_or_else(|| {
            let start = self.runs.len();
            self.runs.resize(start + runs.next_power_of_two(), Stretch::of(ChannelId(0)));
            start
        });
        self.runs[start..start + runs].copy_from_slice(&self.stretches);
        let slot = Slot { start: ChannelId::new(start).0, runs: ChannelId::new(runs).0 };
        (slot, channels)
    }

    /// Makes one of the first two stretches if each is one channel, as of a message to a neighbour: most paths of a large
    /// multicast then take half the room.
    fn fuse_first(&mut self) {
        if let [first, second, ..] = &mut self.stretches[..]
            && let Some(both) = first.fused(*second)
        {
            *second = both;
            self.stretches.remove(0);
        }
    }

    fn compress(&mut self) {
        let mut rest = self.route.as_slice();
        while !rest.is_empty() {
            let stretch = Stretch::at_head(rest);
            self.stretches.push(stretch);
            rest = &rest[stretch.length as usize..];
        }
    }

    pub(super) fn free(&mut self, slot: Slot) {
        self.spare.give(slot.start as usize, slot.runs as usize);
    }

    /// The first channel of the path in `slot`.
    pub(super) fn first(&self, slot: Slot) -> Cursor {
        self.enter(slot.start)
    }

    /// Moves to the next channel of the path; the caller knows that there is one.
    #[inline]
    pub(super) fn step(&self, cursor: &mut Cursor) {
        if cursor.left > 1 {
            cursor.left -= 1;
            cursor.channel = cursor.channel.wrapping_add_signed(cursor.stride);
        } else {
            *cursor = self.enter(cursor.run + 1);
        }
    }

    /// Moves on over the next channels, as long as each `passes` and no more than `most`; the caller knows that there is one
    /// behind these. How many have been passed.
    #[inline]
    pub(super) fn pass(&self, cursor: &mut Cursor, most: u32, mut passes: impl FnMut(ChannelId) -> bool) -> u32 {
        let mut passed = 0;
        while passed < most {
            let stretch = cursor.left.min(most - passed);
            let mut channel = cursor.channel;
            let mut here = 0;
            while here < stretch && passes(ChannelId(channel)) {
                channel = channel.wrapping_add_signed(cursor.stride);
                here += 1;
            }
            passed += here;
            if here < cursor.left {
                cursor.left -= here;
                cursor.channel = channel;
                break; // one does not pass, or they are as many as may
            }
            *cursor = self.enter(cursor.run + 1);
        }
        passed
    }

    /// The place of `channel`, which lies on the path in `slot`, and how many channels come before it.
    pub(super) fn find(&self, slot: Slot, channel: ChannelId) -> (u32, Cursor) {
        let mut hop = 0;
        for at in slot.start..slot.start + slot.runs {
            let run = self.runs[at as usize];
            if let Some(place) = run.place(channel) {
                let left = run.length - place;
                return (hop + place, Cursor { channel: channel.0, stride: run.stride, left, run: at });
            }
            hop += run.length;
        }
        unreachable!("a message reserves channels of its own path")
    }

    #[inline]
    fn enter(&self, at: u32) -> Cursor {
        let run = self.runs[at as usize];
        Cursor { channel: run.first.0, stride: run.stride, left: run.length, run: at }
    }
}

/// Free slots by the power of two that is their size.
#[derive(Debug, Default)]
pub(super) struct SlotSizes {
    free: Vec<Vec<usize>>,
}

impl SlotSizes {
    pub(super) fn take(&mut self, size: usize) -> Option<usize> {
        self.of(size).pop()
    }

    pub(super) fn give(&mut self, start: usize, size: usize) {
        self.of(size).push(start);
    }

    fn of(&mut self, size: usize) -> &mut Vec<usize> {
        let class = size.next_power_of_two().trailing_zeros() as usize;
        if self.free.len() <= class {
            self.free.resize_with(class + 1, Vec::new);
        }
        &mut self.free[class]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::costs::NodeCosts;
    use crate::engine::program::{ScheduleProgram, TraceMessage, TraceProgram};
    use crate::routing::{DimensionOrder, ECube};
    use crate::schedule::Schedule;
    use crate::topology::{Hypercube, Mesh, TopologyError};
    use crate::units::{Flits, NodeId, Ticks};

    fn assert_walks(program: &impl Program, network: &dyn Network, route: &[ChannelId]) {
        let mut paths = Paths::default();
        for _ in 0..2 {
            let (slot, channels) = paths.lay(program, MessageId(0), network);
            assert_eq!(channels as usize, route.len());
            let mut cursor = paths.first(slot);
            for (hop, &channel) in route.iter().enumerate() {
                if hop > 0 {
                    paths.step(&mut cursor);
                }
                assert_eq!(cursor.channel(), channel);
                let (place, found) = paths.find(slot, channel);
                assert_eq!((place as usize, found.left, found.run), (hop, cursor.left, cursor.run));
            }
            paths.free(slot);
        }
    }

    #[test]
    fn walks_the_path_that_the_network_routes() -> Result<(), TopologyError> {
        let mesh = DimensionOrder::first_coordinate_first(Mesh::new(&[5, 4, 3], 1)?);
        let cube = ECube::new(Hypercube::new(6, 1)?);
        let networks: [&dyn Network; 2] = [&mesh, &cube];
        for network in networks {
            for (src, dst) in [(0, 59), (59, 0), (7, 7), (20, 33), (3, 4)] {
                let src = NodeId(src);
                let dst = NodeId(dst);
                let mut route = Vec::new();
                network.route(src, dst, &mut route);
                // one that knows stretches, and one that does not
                let schedule = Schedule::new(64, src, Flits(1), &[(src, dst)]);
                assert_walks(&ScheduleProgram::new(&schedule, &NodeCosts::default()), network, &route);
                let trace = [TraceMessage { src, dst, flits: Flits(1), start: Ticks::ZERO }];
                assert_walks(&TraceProgram::new(&trace), network, &route);
            }
        }
        Ok(())
    }

    #[test]
    fn passes_what_may_be_passed() -> Result<(), TopologyError> {
        let mesh = DimensionOrder::first_coordinate_first(Mesh::new(&[6, 6], 1)?);
        let trace = [TraceMessage { src: NodeId(0), dst: NodeId(35), flits: Flits(1), start: Ticks::ZERO }];
        let mut paths = Paths::default();
        let (slot, channels) = paths.lay(&TraceProgram::new(&trace), MessageId(0), &mesh);
        for stop in 0..channels {
            let mut seen = Vec::new();
            let mut cursor = paths.first(slot);
            let passed = paths.pass(&mut cursor, channels - 1, |channel| {
                seen.push(channel);
                seen.len() <= stop as usize
            });
            assert_eq!(passed, stop.min(channels - 1));
            let (place, here) = paths.find(slot, cursor.channel());
            assert_eq!((place, here.left, here.run), (passed, cursor.left, cursor.run));
        }
        Ok(())
    }
}
