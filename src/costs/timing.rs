//! How many cycles virtual-channel routers take.

use serde::Serialize;

/// How many cycles things take, from the cycle of allocation on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Timing {
    /// Until a flit stands in the next router's buffer.
    pub hop: u64,
    /// From a source until a flit stands in the buffer of its router.
    pub inject: u64,
    /// Until a flit has arrived at its node.
    pub eject: u64,
    /// Until the sender of a flit knows that its slot is free again.
    pub credit: u64,
    /// The same where a node takes the flit.
    pub sink_credit: u64,
    /// From a header's arrival in front of its buffer until it requests a virtual channel.
    pub routing: u64,
    /// From the cycle of this request until a head flit leaves that nothing delays.
    #[serde(skip_serializing_if = "is_zero")]
    pub allocation: u64,
    /// The flits of a packet that have to be in a buffer before its head flit is routed.
    #[serde(skip_serializing_if = "Gathering::is_none")]
    pub gathering: Gathering,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "as serde requires")]
fn is_zero(cycles: &u64) -> bool {
    *cycles == 0
}

/// The flits of a packet that have to be in a buffer before its head flit is routed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Gathering {
    /// The head flit.
    #[default]
    None,
    /// All flits.
    Packet,
}

impl Gathering {
    #[expect(clippy::trivially_copy_pass_by_ref, reason = "as serde requires")]
    fn is_none(&self) -> bool {
        *self == Self::None
    }
}

/// The cycles of the stages of a pipelined router.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PipelineStages {
    /// Route computation, 0 if it takes no stage.
    pub routing: u64,
    /// The stages of allocation: of virtual channels and of the switch, or of both together.
    pub allocation: [u64; 2],
    /// The way through the crossbar.
    pub traversal: u64,
    /// The time from the arrival of a credit to its use.
    pub credit: u64,
    /// The steps of a router in a cycle, in units of 1 / [`STEP`], at least [`STEP`]. A stage of one cycle takes a step.
    pub speedup: u64,
}

/// The unit of [`PipelineStages::speedup`].
pub const STEP: u64 = 1_000_000;

/// The number of steps that a router with `speedup` steps in a cycle, in units of 1 / [`STEP`], has made before cycle `cycle`.
pub fn steps_before(speedup: u64, cycle: u64) -> u64 {
    let steps = u128::from(cycle) * u128::from(speedup) / u128::from(STEP);
    u64::try_from(steps).unwrap_or(u64::MAX)
}

/// The way of a head flit through the stages of an empty router, which begins in cycle 0.
struct Passage {
    speedup: u64,
    /// The next step, and the cycle in which it is made.
    step: u64,
    cycle: u64,
}

impl Passage {
    /// Passes a stage of `cycles` cycles, which begins in the next step. Returns the cycle in which it ends.
    fn pass(&mut self, cycles: u64) -> u64 {
        let Some(more) = cycles.checked_sub(1) else { return self.cycle };
        let end = self.cycle + more;
        // a stage of several cycles ends in the first step of a cycle
        let last = if more == 0 { self.step } else { steps_before(self.speedup, end) };
        self.step = last + 1;
        self.cycle = if self.step < steps_before(self.speedup, end + 1) { end } else { end + 1 };
        end
    }
}

impl Timing {
    /// A cycle for allocation, one for the switch, `link` for the link.
    pub fn pipelined(link: u64, routing: u64) -> Self {
        let hop = 2 + link;
        let sink_credit = hop + 1 + link;
        Self { hop, inject: 1 + link, eject: hop, credit: 1 + link, sink_credit, routing, ..Self::NONE }
    }

    const NONE: Self = Self {
        hop: 0,
        inject: 0,
        eject: 0,
        credit: 0,
        sink_credit: 0,
        routing: 0,
        allocation: 0,
        gathering: Gathering::None,
    };

    /// Routers with these `stages` and links of `link` cycles.
    pub fn staged(link: u64, stages: PipelineStages) -> Self {
        let wire = 1 + link;
        let mut pipeline = Passage { speedup: stages.speedup, step: 0, cycle: 0 };
        pipeline.pass(stages.routing);
        let routing = pipeline.cycle;
        for cycles in stages.allocation {
            pipeline.pass(cycles);
        }
        // a flit is sent in the cycle in which it has passed the crossbar
        let left = pipeline.pass(stages.traversal);
        // a flit that is granted the switch in a step that is not the last of a cycle enters the crossbar in the same cycle
        let crossed = if stages.speedup > STEP { stages.traversal - 1 } else { stages.traversal };
        let hop = crossed + wire;
        let credit = wire + stages.credit;
        let allocation = left + wire - hop - routing;
        Self { hop, inject: wire, eject: hop, credit, sink_credit: hop + credit, routing, allocation, ..Self::NONE }
    }

    /// A cycle a hop.
    pub fn ideal(routing: u64) -> Self {
        Self { hop: 1, inject: 1, eject: 1, credit: 1, sink_credit: 1, routing, ..Self::NONE }
    }

    /// The same with slots that can be used again in the very cycle in which their flit leaves: see
    /// [`crate::engine::router::RouterCosts::first_come`].
    pub fn wormhole(routing: u64) -> Self {
        Self { credit: 0, ..Self::ideal(routing) }
    }

    /// The fewest flits of a buffer behind a link with which one virtual channel fills it: they cover the way of a flit and of its
    /// credit over a link that takes `flit` cycles for a flit with such a `delay`.
    pub fn covering_buffer(&self, flit: u64, delay: u64) -> u64 {
        (self.hop + self.credit + flit - 1 + 2 * delay).div_ceil(flit)
    }

    /// The fewest flits of a buffer behind an injection channel with which one virtual channel fills it.
    pub fn covering_entry(&self, flit: u64, delay: u64) -> u64 {
        (self.inject + self.credit + flit - 1 + 2 * delay).div_ceil(flit)
    }

    /// Until the sender of a flit to a node knows that its slot is free again, over a channel that takes `flit` cycles for a
    /// flit with such a `delay`: of pipelined routers after the way there and back; ideal ones know when the next flit may
    /// follow.
    pub fn sink_credit_after(&self, flit: u64, delay: u64) -> u64 {
        let way = if self.is_pipelined() { 2 * delay } else { 0 };
        self.sink_credit + flit - 1 + way
    }

    /// Whether allocation, the switch and a link take a cycle each.
    pub fn is_pipelined(&self) -> bool {
        self.hop > 1
    }

    /// The most cycles from when a flit requests the switch until its slot can be used again: the time of allocation, of the way to where
    /// it goes, and of the credit back.
    pub fn longest_credit_loop(&self) -> u64 {
        let there = self.hop.max(self.inject).max(self.eject);
        self.allocation + there + self.credit.max(self.sink_credit)
    }

    /// What a packet of `flits` flits takes over `distance` links when nothing is in its way.
    pub fn unloaded(&self, distance: u64, flits: u64) -> u64 {
        let gathered = if self.gathering == Gathering::Packet { (flits - 1) * (distance + 1) } else { 0 };
        let head = self.inject + distance * self.per_link() + self.routing + self.allocation + self.eject;
        head + gathered + flits - 1
    }

    /// The time that a link and the router before it add to the way of a head flit that nothing delays.
    pub fn per_link(&self) -> u64 {
        self.hop + self.routing + self.allocation
    }

    /// The cycles that a link takes.
    pub fn wires(&self) -> u64 {
        self.inject.saturating_sub(1)
    }

    /// The cycles from the grant of the switch until a flit leaves it for a link.
    pub fn until_link(&self) -> u64 {
        self.hop - self.wires()
    }

    /// The most cycles that anything takes.
    pub fn longest(&self) -> u64 {
        let delays = [self.hop, self.inject, self.eject, self.credit, self.sink_credit, self.routing + 1];
        delays.into_iter().fold(0, u64::max)
    }
}
