//! Flits that routers send, one by one, while they are counted.

use super::traversals::{Crossing, Traversals};
use crate::engine::router::RouterEvent;
use crate::machine::Machine;
use crate::units::ChannelId;
use rustc_hash::{FxHashMap, FxHashSet};
use std::ops::Range;

/// Counts the flits that leave routers and sources within a window of cycles.
#[derive(Clone, Debug)]
pub(crate) struct FlitCounter {
    window: Range<u64>,
    /// The VCs that have been granted to a packet whose head flit has not left.
    granted: FxHashSet<u32>,
    /// By VC, the VC by which the packet comes to the router to which it was granted last. `None` where the ports of a crossbar do
    /// not count.
    sources: Option<FxHashMap<u32, u32>>,
    /// The flits that have crossed so far.
    seen: Traversals,
}

impl FlitCounter {
    /// Creates a counter of the flits that leave within `window` on `machine`. Returns `None` if their energy is not counted.
    pub(crate) fn for_energy(machine: &Machine, window: Range<u64>) -> Option<Self> {
        let model = machine.energy.as_deref()?;
        let sources = model.ports.is_some().then(FxHashMap::default);
        Some(Self { window, granted: FxHashSet::default(), sources, seen: Traversals::default() })
    }

    /// Counts the flits of an event.
    pub(crate) fn event(&mut self, event: RouterEvent) {
        match event {
            RouterEvent::Connected { from, vc } => {
                self.granted.insert(vc);
                if let Some(sources) = &mut self.sources {
                    sources.insert(vc, from);
                }
            }
            RouterEvent::Sent { vc, at, flits, .. } => self.sent(vc, at..at + u64::from(flits)),
            _ => {}
        }
    }

    /// Counts flits that leave by `vc`, one in each of `cycles`.
    fn sent(&mut self, vc: u32, cycles: Range<u64>) {
        let is_head = self.granted.remove(&vc);
        let heads = u64::from(is_head && self.window.contains(&cycles.start));
        let first = cycles.start.max(self.window.start);
        let flits = cycles.end.min(self.window.end).saturating_sub(first);
        if flits == 0 {
            return;
        }
        self.seen.add(ChannelId(vc), flits, heads);
        if let Some(&from) = self.sources.as_ref().and_then(|sources| sources.get(&vc)) {
            self.seen.cross(Crossing { from: ChannelId(from), to: ChannelId(vc) }, flits);
        }
    }

    /// Returns what has crossed.
    pub(crate) fn finish(self) -> Traversals {
        self.seen
    }
}
