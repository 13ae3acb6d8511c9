//! Paths of the messages under way, compressed to runs.
//!
//! Channels that a message takes one after the other mostly lie a constant distance apart (a straight stretch of a
//! mesh), so a path is kept as a few runs of (first channel, stride, length). Runs live in slots that are used again.

use crate::units::ChannelId;

/// `length` channels from `first`, `stride` apart.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Run {
    first: u32,
    stride: i32,
    length: u32,
}

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
    runs: Vec<Run>,
    spare: SlotSizes,
    route: Vec<ChannelId>,
    compressed: Vec<Run>,
}

impl Default for Paths {
    /// With room for a few short paths, so that a short run need not make any.
    fn default() -> Self {
        Self {
            runs: Vec::with_capacity(32),
            spare: SlotSizes::default(),
            route: Vec::with_capacity(32),
            compressed: Vec::with_capacity(8),
        }
    }
}

impl Paths {
    /// Lays out the path that `route` appends: its slot and its number of channels.
    pub(super) fn lay(&mut self, route: impl FnOnce(&mut Vec<ChannelId>)) -> (Slot, u32) {
        self.route.clear();
        route(&mut self.route);
        self.compress();
        let runs = self.compressed.len();
        let start = self.spare.take(runs).unwrap_or_else(|| {
            let start = self.runs.len();
            self.runs.resize(start + runs.next_power_of_two(), Run::default());
            start
        });
        self.runs[start..start + runs].copy_from_slice(&self.compressed);
        let slot = Slot { start: ChannelId::new(start).0, runs: ChannelId::new(runs).0 };
        (slot, ChannelId::new(self.route.len()).0)
    }

    fn compress(&mut self) {
        self.compressed.clear();
        let mut last = ChannelId(0);
        for &channel in &self.route {
            let step = channel.0.wrapping_sub(last.0).cast_signed();
            match self.compressed.last_mut() {
                Some(run) if run.length == 1 || run.stride == step => {
                    run.stride = step;
                    run.length += 1;
                }
                _ => self.compressed.push(Run { first: channel.0, stride: 0, length: 1 }),
            }
            last = channel;
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

    fn enter(&self, at: u32) -> Cursor {
        let run = self.runs[at as usize];
        Cursor { channel: run.first, stride: run.stride, left: run.length, run: at }
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
    use crate::routing::{DimensionOrder, ECube, Network};
    use crate::topology::{Hypercube, Mesh, TopologyError};
    use crate::units::NodeId;

    #[test]
    fn walks_the_path_that_the_network_routes() -> Result<(), TopologyError> {
        let mesh = DimensionOrder::first_coordinate_first(Mesh::new(&[5, 4, 3], 1)?);
        let cube = ECube::new(Hypercube::new(6, 1)?);
        let networks: [&dyn Network; 2] = [&mesh, &cube];
        let mut paths = Paths::default();
        for network in networks {
            for (src, dst) in [(0, 59), (59, 0), (7, 7), (20, 33), (3, 4)] {
                let mut route = Vec::new();
                network.route(NodeId(src), NodeId(dst), &mut route);
                let (slot, channels) = paths.lay(|path| network.route(NodeId(src), NodeId(dst), path));
                assert_eq!(channels as usize, route.len());
                let mut cursor = paths.first(slot);
                for (hop, &channel) in route.iter().enumerate() {
                    if hop > 0 {
                        paths.step(&mut cursor);
                    }
                    assert_eq!(cursor.channel(), channel);
                }
                paths.free(slot);
            }
        }
        Ok(())
    }
}
