//! Options of the microarchitecture of pipelined routers, beyond allocators and speculation.
//!
//! Every default is the router that [the engine](super) describes.

use super::allocator::AllocatorChoice;
use crate::costs::{STEP, steps_before};
use serde::Serialize;

/// The microarchitecture of pipelined routers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Microarchitecture {
    /// Speculative requests for the switch.
    pub bids: Bids,
    /// The crossbar and the queues behind it.
    pub crossbar: Crossbar,
    /// The cycles of the stages of the pipeline.
    pub stages: StageCycles,
    /// The time for which a packet holds a connection of the crossbar.
    pub connection: Connection,
    /// The flits of a packet that have to be in a buffer, or to fit into the next one.
    pub switching: Switching,
    /// Requests for output virtual channels.
    pub vc_requests: VcRequests,
    /// The division of the buffer of an input port among virtual channels.
    pub buffers: BufferPolicy,
    /// The priority of packets.
    pub priority: PriorityRule,
}

impl Microarchitecture {
    /// Returns true if every option has its default.
    pub fn is_default(&self) -> bool {
        *self == Self::default()
    }

    /// The names of the parts whose options are not the defaults.
    pub(super) fn changed_parts(&self) -> impl Iterator<Item = &'static str> {
        let default = Self::default();
        let parts = [
            (self.bids != default.bids, "speculative requests"),
            (self.crossbar != default.crossbar, "the crossbar and its queues"),
            (self.stages != default.stages, "the cycles of stages"),
            (self.connection != default.connection, "the connections of the crossbar"),
            (self.switching != default.switching, "the switching"),
            (self.vc_requests != default.vc_requests, "the requests for virtual channels"),
            (self.buffers != default.buffers, "the buffer policy"),
            (self.priority != default.priority, "the priority"),
        ];
        parts.into_iter().filter_map(|(differs, part)| differs.then_some(part))
    }

    /// Returns true if something depends on the slots of nodes that are in use, even if a node always has a free one.
    pub(crate) fn reads_credits_of_nodes(&self) -> bool {
        let has_private_slots = self.buffers == BufferPolicy::Private && self.switching == Switching::Wormhole;
        !has_private_slots || self.vc_requests.prefer_empty
    }

    /// Returns true if flits or credits may wait for their turn behind the crossbar.
    pub(super) fn has_queues(&self) -> bool {
        let Self { crossbar, stages, .. } = self;
        let is_fast = crossbar.output_speedup > 1 || crossbar.internal_speedup > STEP;
        let has_batches = stages.entry == StageEntry::Batched && stages.traversal > 1;
        is_fast || has_batches || crossbar.output_queue.is_some() || stages.credit > 0
    }
}

/// Options of speculative requests for the switch.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Bids {
    /// The condition under which a head flit requests the switch.
    pub checks: BidChecks,
    /// The allocator of speculative requests, if it is not that of the switch.
    pub allocator: Option<AllocatorChoice>,
    /// The speculative grants that do not count, where speculative requests have an allocator of their own.
    pub mask: BidMask,
}

/// The condition under which a head flit without a virtual channel requests an output of the switch.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum BidChecks {
    /// One of its virtual channels there is free and has a credit.
    #[default]
    Credit,
    /// One of its virtual channels there is free.
    Free,
    /// Always.
    None,
}

/// Speculative grants that do not count.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum BidMask {
    /// Those for outputs with another grant.
    #[default]
    Grants,
    /// Those for outputs with another request.
    Requests,
}

/// The crossbar of a router and the queues behind it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Crossbar {
    /// The inputs of an input port, among which its virtual channels are dealt out.
    pub input_speedup: u32,
    /// The outputs of an output port, among which input ports are dealt out.
    pub output_speedup: u32,
    /// The steps of a router in a cycle, in units of 1 / [`STEP`], at least [`STEP`].
    pub internal_speedup: u64,
    /// The most flits of an output queue with which flits may be sent to it, if it is limited.
    pub output_queue: Option<u32>,
}

impl Default for Crossbar {
    fn default() -> Self {
        Self { input_speedup: 1, output_speedup: 1, internal_speedup: STEP, output_queue: None }
    }
}

impl Crossbar {
    /// The number of steps that a router has made before cycle `cycle`.
    pub(super) fn steps_before(&self, cycle: u64) -> u64 {
        steps_before(self.internal_speedup, cycle)
    }

    /// The number of steps in cycle `cycle`.
    pub(super) fn steps(&self, cycle: u64) -> u64 {
        if self.internal_speedup == STEP { 1 } else { self.steps_before(cycle + 1) - self.steps_before(cycle) }
    }
}

/// The cycles of the stages of a router. A stage of one cycle takes a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct StageCycles {
    /// Route computation where a cycle has several steps. Elsewhere it takes [`Timing::routing`](crate::costs::Timing::routing).
    pub routing: u32,
    /// VC allocation.
    pub vc: u32,
    /// Switch allocation.
    pub switch: u32,
    /// The way through the crossbar.
    pub traversal: u32,
    /// The time from the arrival of a credit to its use.
    pub credit: u32,
    /// The entry into the stages of routing and traversal.
    pub entry: StageEntry,
}

impl Default for StageCycles {
    fn default() -> Self {
        Self { routing: 0, vc: 1, switch: 1, traversal: 1, credit: 0, entry: StageEntry::Continuous }
    }
}

/// The entry of flits into a stage.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum StageEntry {
    /// In every step.
    #[default]
    Continuous,
    /// All that wait at once, when the stage is empty.
    Batched,
}

/// The time for which a packet holds a connection of the crossbar.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Connection {
    /// For each flit.
    #[default]
    Flit,
    /// While it has flits that can leave.
    Packet,
}

/// The flits of a packet that have to be in a buffer, or to fit into the next one, when its head flit moves on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Switching {
    /// One flit.
    #[default]
    Wormhole,
    /// All fit into the next buffer.
    VirtualCutThrough,
    /// All are in the buffer, and all fit into the next one.
    StoreAndForward,
}

/// Requests for output virtual channels.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct VcRequests {
    /// The grant of virtual channels.
    pub grant: VcGrant,
    /// True if virtual channels without a credit are not requested.
    pub busy_when_full: bool,
    /// True if virtual channels with empty buffers come before others.
    pub prefer_empty: bool,
    /// True if the allocator counts input virtual channels first and ports second.
    pub shuffle: bool,
    /// The choice among directions where routing is adaptive.
    pub adaptive: AdaptiveChoice,
}

/// The grant of output virtual channels to head flits.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum VcGrant {
    /// By an allocator of their own.
    #[default]
    Allocator,
    /// A grant of the switch grants one: no allocator is read.
    Piggyback,
}

/// The choice among the virtual channels of several directions where routing is adaptive.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum AdaptiveChoice {
    /// Those with the most credits.
    #[default]
    Credits,
    /// Those of one direction, the first one in dimension order, all of them.
    ///
    /// This is the `min_adapt` of BookSim 2 (commit 28f4329). It lists the virtual channels of all directions in a set that is
    /// ordered by priority alone, so that those of the first direction are the only ones that are left.
    RoundRobin,
}

/// The division of the buffer of an input port among its virtual channels.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum BufferPolicy {
    /// Every virtual channel has a buffer of its own.
    #[default]
    Private,
    /// Every virtual channel has some slots, and all share the others.
    Shared(SharedBuffer),
    /// Every virtual channel has some slots and a limit for the slots that it holds, and all share the others.
    Limited(SharedBuffer, u32),
    /// Every virtual channel has some slots, and all share the others. The limit is the buffer divided by the number of virtual
    /// channels that packets hold.
    Dynamic(SharedBuffer),
}

impl BufferPolicy {
    /// The buffer, if virtual channels share one.
    pub fn shared(&self) -> Option<SharedBuffer> {
        match *self {
            Self::Private => None,
            Self::Shared(buffer) | Self::Limited(buffer, _) | Self::Dynamic(buffer) => Some(buffer),
        }
    }

    /// Returns true if every virtual channel has a slot of its own, as certificates of freedom from deadlock presume: otherwise it can
    /// wait forever for slots that others hold.
    pub fn has_own_slots(&self) -> bool {
        self.shared().is_none_or(|buffer| buffer.reserved > 0)
    }
}

/// The buffer of an input port that virtual channels share.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct SharedBuffer {
    /// All its flits.
    pub slots: u32,
    /// The flits that every virtual channel has for itself.
    pub reserved: u32,
}

/// The priority of packets at the allocators, and its donation.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct PriorityRule {
    /// The source of the priority of a flit.
    pub priority: Priority,
    /// True if a virtual channel has the highest priority of the flits in its buffer, instead of that of its front flit.
    pub donation: bool,
}

/// The source of the priority of a flit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Priority {
    /// All flits are equal.
    #[default]
    None,
    /// The class of its packet.
    Class,
    /// The generation of its packet: older first.
    Age,
    /// The injection of the flit: earlier first.
    NetworkAge,
    /// The arrival of the flit at the router: earlier first.
    LocalAge,
    /// The number of flits in its buffer: more first.
    QueueLength,
    /// The links that it has taken: more first.
    Hops,
    /// The packets that its source has generated before: fewer first.
    Sequence,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_follow_the_internal_speedup() {
        let steps = |internal_speedup| {
            let crossbar = Crossbar { internal_speedup, ..Crossbar::default() };
            (0..6).map(|cycle| crossbar.steps(cycle)).collect::<Vec<_>>()
        };
        assert_eq!(steps(STEP), [1; 6]);
        assert_eq!(steps(STEP * 3 / 2), [1, 2, 1, 2, 1, 2]);
        assert_eq!(steps(2 * STEP), [2; 6]);
    }
}
