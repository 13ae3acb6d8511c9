//! State of the routers of a block: sets of VCs, and a record per VC.
//!
//! The work of a cycle follows from the sets by set algebra:
//!
//! ```text
//!   occupied - granted - waiting      head flits to be routed
//!   waiting.routed                    head flits whose routes are computed
//!   waiting.requesting                head flits that request an output VC in this cycle
//!   waiting.blocked                   head flits that wait until an output VC of their router comes free
//!   occupied & credited               flits that request the switch
//! ```

use super::active::ActiveSet;
use super::candidates::Candidates;
use super::config::Speculation;
use super::layout::{Layout, Place};
use super::relation::Relation;
use super::vcset::{VcArray, VcSet, short};

/// Buffer of an input VC, and the packet at its front.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Input<const W: usize> {
    /// Input VCs of its port.
    pub(crate) port: VcSet<W>,
    /// Flits in the buffer. A run is added when its first flit arrives, and subtracted when its first flit leaves.
    pub(crate) flits: u32,
    /// Flits of the front packet that have not left.
    pub(crate) left: u32,
    /// Front packet, once it has been routed.
    pub(crate) packet: u32,
    /// Output VC of the front packet, once it has been granted.
    pub(crate) output: u16,
    /// Output VC that was granted last.
    pub(crate) last_output: u16,
    /// Output VC, or VC of a source, that fills the buffer.
    pub(crate) filled_by: Place,
}

/// An output VC.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Output {
    /// Free slots in the buffer it leads to.
    pub(crate) credits: u32,
    /// Slots of that buffer.
    pub(crate) buffer: u16,
    /// Input VC that it was granted to last: while it is not free, the one that holds it.
    pub(crate) owner: u16,
    /// Input VC that it leads to, or a node.
    pub(crate) leads_to: Place,
    /// Flits that it has sent while they were counted.
    pub(crate) carried: u64,
}

/// Head flits at the front of their buffers that hold no output VC, as three sets of input VCs without common members.
#[derive(Clone, Copy)]
pub(crate) struct Waiting<const W: usize> {
    /// Those whose routes are computed, which takes some cycles.
    pub(crate) routed: VcSet<W>,
    /// Those that request an output VC.
    pub(crate) requesting: VcSet<W>,
    /// Those that wait for an output VC to come free.
    pub(crate) blocked: VcSet<W>,
}

impl<const W: usize> Waiting<W> {
    /// All of them.
    #[inline(always)]
    pub(crate) fn all(&self) -> VcSet<W> {
        self.routed | self.requesting | self.blocked
    }
}

/// Input VCs and output VCs that may use the switch.
#[derive(Clone, Copy)]
pub(crate) struct Usable<const W: usize> {
    /// Input VCs with a flit that can leave.
    pub(crate) ready: VcSet<W>,
    /// Output VCs that head flits may bid for: those with a credit at ports that are not in use. Empty if no head flit bids.
    pub(crate) outputs: VcSet<W>,
}

/// The routers of a block.
pub(crate) struct Block<const W: usize, A> {
    /// Input VCs with a flit.
    pub(crate) occupied: VcSet<W>,
    /// Input VCs whose front packet holds an output VC, and the port of that VC.
    pub(crate) holds: Relation<W>,
    /// Input VCs of `holds` whose output VC has a credit.
    pub(crate) credited: VcSet<W>,
    /// Input VCs of `holds` whose head flit has not left.
    pub(crate) heads: VcSet<W>,
    /// Input VCs from which a run of flits leaves ([`super::flow`]).
    pub(crate) running: VcSet<W>,
    /// Input VCs whose head flit holds no output VC.
    pub(crate) waiting: Waiting<W>,
    /// Output VCs that no packet holds.
    pub(crate) free: VcSet<W>,
    /// Output VCs with a credit.
    pub(crate) with_credit: VcSet<W>,
    /// Output VCs whose buffer is empty, with no flit or credit in flight, and all that need not be ([`Layout::exclusive`]).
    pub(crate) empty: VcSet<W>,
    /// Per input VC.
    pub(crate) inputs: VcArray<Input<W>, W>,
    /// Per output VC.
    pub(crate) outputs: VcArray<Output, W>,
    /// Per input VC, the output VCs that its head flit may request.
    pub(crate) candidates: VcArray<Candidates<W>, W>,
    /// Arbiters of the switch, and of VCs but for those of input-first allocation, which are in the records of VCs.
    pub(crate) allocator: A,
    /// The number of the block.
    pub(crate) number: usize,
    /// True for a member of the active set.
    pub(crate) listed: bool,
}

impl<const W: usize, A> Block<W, A> {
    /// Creates block `number` without buffers, whose output VCs lead nowhere, with arbiters of the switch.
    pub(crate) fn new(layout: &Layout<W>, number: usize, allocator: A) -> Self {
        let none = VcSet::EMPTY;
        let nowhere = Place::NOWHERE;
        let input = Input { port: none, flits: 0, left: 0, packet: 0, output: 0, last_output: 0, filled_by: nowhere };
        let output = Output { credits: 0, buffer: 0, owner: 0, leads_to: nowhere, carried: 0 };
        let mut block = Self {
            occupied: none,
            holds: Relation::new(),
            credited: none,
            heads: none,
            running: none,
            waiting: Waiting { routed: none, requesting: none, blocked: none },
            free: none,
            with_credit: none,
            empty: none,
            inputs: VcArray::filled(input),
            outputs: VcArray::filled(output),
            candidates: VcArray::filled(Candidates { preferred: none, escape: none }),
            allocator,
            number,
            listed: false,
        };
        for vc in 0..Layout::<W>::BLOCK {
            let last = short(layout.last_of_router(vc));
            block.inputs[vc].port = layout.port_set(vc);
            block.inputs[vc].last_output = last;
            block.outputs[vc].owner = last;
        }
        block
    }

    /// Input VCs whose front packet has been granted an output VC.
    #[inline(always)]
    pub(crate) fn granted(&self) -> VcSet<W> {
        self.holds.inputs
    }

    /// Flits that can leave: their packet holds an output VC with a credit.
    #[inline(always)]
    pub(crate) fn ready(&self) -> VcSet<W> {
        (self.occupied & self.credited) - self.running
    }

    /// Flits that can leave, and with `speculation` output VCs that head flits may bid for, while the output ports `in_use` are.
    #[inline(always)]
    pub(crate) fn usable(&self, layout: &Layout<W>, in_use: VcSet<W>, speculation: Speculation) -> Usable<W> {
        let outputs = if speculation == Speculation::On { self.with_credit } else { VcSet::EMPTY };
        let mut usable = Usable { ready: self.ready(), outputs };
        for port in in_use {
            usable.ready -= self.holds.inputs_of(port);
            usable.outputs -= layout.port_set(port);
        }
        usable
    }

    /// Head flits at the front of their buffers that have not been routed.
    #[inline(always)]
    pub(crate) fn unrouted(&self) -> VcSet<W> {
        self.occupied - (self.granted() | self.waiting.all())
    }

    /// Returns true if a flit can leave or a head flit has something to request in the next cycle.
    #[inline(always)]
    pub(crate) fn is_active(&self) -> bool {
        let stalled = self.waiting.routed | self.waiting.blocked | self.running | (self.granted() - self.credited);
        !(self.occupied - stalled).is_empty()
    }

    /// Returns true if sets and records agree: the invariants of the state between two cycles.
    pub(crate) fn is_consistent(&self, layout: &Layout<W>) -> bool {
        let Waiting { routed, requesting, blocked } = self.waiting;
        let waiting = self.waiting.all();
        let both = routed & requesting | (routed | requesting) & blocked;
        let disjoint = (self.granted() & waiting | both).is_empty();
        let parts = self.credited | self.heads | self.running;
        let nested = ((waiting - self.occupied) | (parts - self.granted())).is_empty();
        let is_consistent = |vc| self.input_is_consistent(layout, vc) && self.output_is_consistent(layout, vc);
        disjoint && nested && (0..Layout::<W>::BLOCK).all(is_consistent)
    }

    fn input_is_consistent(&self, layout: &Layout<W>, vc: usize) -> bool {
        let output = usize::from(self.inputs[vc].output);
        let holds = self.granted().contains(vc);
        let owned = usize::from(self.outputs[output].owner) == vc && !self.free.contains(output);
        let listed = self.holds.inputs_of(layout.port_of(output)).contains(vc);
        self.occupied.contains(vc) == (self.inputs[vc].flits > 0)
            && self.credited.contains(vc) == (holds && self.with_credit.contains(output))
            && (!holds || owned && listed)
    }

    fn output_is_consistent(&self, layout: &Layout<W>, vc: usize) -> bool {
        let port_of_input = |input: usize| layout.port_of(self.inputs[input].output.into());
        self.with_credit.contains(vc) == (self.outputs[vc].credits > 0)
            && self
                .holds
                .inputs_of(vc)
                .into_iter()
                .all(|input| self.granted().contains(input) && port_of_input(input) == vc)
    }

    /// Grants output VC `output` to the packet at the front of input VC `input`.
    #[inline(always)]
    pub(crate) fn grant(&mut self, layout: &Layout<W>, input: usize, output: usize) {
        self.inputs[input].output = short(output);
        self.inputs[input].last_output = short(output);
        self.outputs[output].owner = short(input);
        self.waiting.requesting.remove(input);
        self.heads.insert(input);
        self.free.remove(output);
        self.holds.insert(input, layout.port_of(output));
        if self.with_credit.contains(output) {
            self.credited.insert(input);
        }
    }

    /// Frees the output VC of the packet whose tail has left input VC `input`, and returns it. Head flits that are blocked
    /// request again.
    #[inline(always)]
    pub(crate) fn release(&mut self, layout: &Layout<W>, input: usize) -> usize {
        let output = self.inputs[input].output.into();
        self.credited.remove(input);
        self.free.insert(output);
        self.holds.remove(input, layout.port_of(output));
        self.unblock(layout, output);
        output
    }

    /// The output VCs among `outputs` with the most credits.
    #[inline(always)]
    pub(crate) fn most_credits(&self, outputs: VcSet<W>) -> VcSet<W> {
        let mut most = 0;
        let mut best = VcSet::EMPTY;
        for output in outputs {
            let credits = self.outputs[output].credits;
            if credits > most {
                most = credits;
                best = VcSet::EMPTY;
            }
            if credits == most {
                best.insert(output);
            }
        }
        best
    }

    /// The output VCs among `outputs` at the ports that fewest packets hold VCs of.
    #[inline(never)]
    pub(crate) fn least_shared(&self, layout: &Layout<W>, outputs: VcSet<W>) -> VcSet<W> {
        let mut least = u32::MAX;
        let mut best = VcSet::EMPTY;
        let mut left = outputs;
        while let Some(output) = left.first() {
            let port = layout.port_set(output);
            let sharing = (port - self.free).len();
            if sharing < least {
                least = sharing;
                best = VcSet::EMPTY;
            }
            if sharing == least {
                best |= left & port;
            }
            left -= port;
        }
        best
    }

    /// Adds flits to the buffer of input VC `vc`, the first of which arrives in this cycle.
    #[inline(always)]
    pub(crate) fn arrive(&mut self, vc: usize, flits: u32, active: &mut ActiveSet) {
        self.inputs[vc].flits += flits;
        self.occupied.insert(vc);
        self.wake(active);
    }

    /// Adds credits to output VC `output`, the first of which arrives in this cycle.
    #[inline(always)]
    pub(crate) fn credit(&mut self, output: usize, credits: u32, active: &mut ActiveSet) {
        let vc = &mut self.outputs[output];
        vc.credits += credits;
        if vc.credits == credits {
            let owner = vc.owner.into();
            self.with_credit.insert(output);
            if !self.free.contains(output) {
                self.credited.insert(owner);
                self.wake(active);
            }
        }
    }

    /// Returns true if the buffer behind output VC `output` is known to be empty, as all its credits are there. Head flits that wait
    /// for an empty buffer request it then.
    #[inline(always)]
    pub(crate) fn finds_empty(&mut self, layout: &Layout<W>, output: usize, active: &mut ActiveSet) -> bool {
        let is_empty = self.outputs[output].credits == u32::from(self.outputs[output].buffer);
        if is_empty {
            self.empty.insert(output);
            self.unblock(layout, output);
            self.wake(active);
        }
        is_empty
    }

    /// Marks the block as active.
    #[inline(always)]
    pub(crate) fn wake(&mut self, active: &mut ActiveSet) {
        if !self.listed {
            self.listed = true;
            active.insert(self.number);
        }
    }

    /// Makes the head flits that are blocked at the router of `output` request again.
    #[inline(always)]
    pub(crate) fn unblock(&mut self, layout: &Layout<W>, output: usize) {
        if self.waiting.blocked.is_empty() {
            return;
        }
        let woken = self.waiting.blocked & layout.router_set(output);
        self.waiting.blocked -= woken;
        self.waiting.requesting |= woken;
    }
}
