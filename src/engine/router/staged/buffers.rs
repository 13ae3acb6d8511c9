//! Buffers of input ports that virtual channels share, as the routers count them that fill them.
//!
//! Every VC has some slots for itself; the others are for all VCs of the port. The sender knows how many slots a VC occupies: those of
//! flits in the buffer and in flight, and of credits in flight. A slot that comes back when it was the last one of a packet
//! that still holds the VC is *set aside* for its next flit.
//!
//! A block has the occupied slots in the credits of its output VCs, which count the whole buffer for each of them. Here it is decided
//! which VCs have a credit, at the beginning of a step.

use super::super::layout::Layout;
use super::super::state::Block;
use super::super::vcset::{VcArray, VcSet};
use super::Stages;
use crate::engine::router::{BufferPolicy, SharedBuffer};

/// The division of the buffers behind the output ports of a block.
pub(super) struct SharedBuffers<const W: usize> {
    policy: BufferPolicy,
    /// Output VCs with a slot that is set aside.
    set_aside: VcSet<W>,
    /// Per output VC, the slots that it occupied at the beginning of the last step.
    occupied: VcArray<u32, W>,
}

/// The slots of the buffer behind a port.
pub(crate) struct PortSlots {
    buffer: SharedBuffer,
    /// Slots that are not reserved for a VC, and those of them that are in use.
    common: u32,
    used: u32,
    /// The most slots of a VC.
    limit: u32,
}

/// The slots of a VC.
#[derive(Clone, Copy)]
pub(crate) struct VcSlots {
    /// Slots that it occupies.
    pub(crate) occupied: u32,
    /// Slots that are set aside for it.
    pub(crate) set_aside: u32,
    /// True if a packet holds it.
    pub(crate) is_held: bool,
}

impl PortSlots {
    /// The slots of a port with these `vcs` under `policy`. `None` if VCs share nothing.
    pub(crate) fn new(policy: BufferPolicy, vcs: impl Iterator<Item = VcSlots> + Clone) -> Option<Self> {
        let buffer = policy.shared()?;
        let count = |vcs: usize| u32::try_from(vcs).unwrap_or(u32::MAX);
        let all = count(vcs.clone().count());
        let limit = match policy {
            BufferPolicy::Limited(_, limit) => limit,
            BufferPolicy::Dynamic(_) => buffer.slots / count(vcs.clone().filter(|vc| vc.is_held).count()).max(1),
            BufferPolicy::Private | BufferPolicy::Shared(_) => u32::MAX,
        };
        let used = vcs.map(|vc| (vc.occupied + vc.set_aside).saturating_sub(buffer.reserved)).sum();
        Some(Self { buffer, common: buffer.slots.saturating_sub(all.saturating_mul(buffer.reserved)), used, limit })
    }

    /// The number of flits that can be sent to the VC with these slots.
    pub(crate) fn room(&self, vc: VcSlots) -> u32 {
        let VcSlots { occupied, set_aside, .. } = vc;
        let reserved = self.buffer.reserved.saturating_sub(occupied + set_aside);
        let free = set_aside + reserved + self.common.saturating_sub(self.used);
        free.min(self.limit.saturating_sub(occupied))
    }
}

impl<const W: usize> SharedBuffers<W> {
    /// Creates empty buffers under `policy`.
    pub(super) fn new(policy: BufferPolicy) -> Self {
        Self { policy, set_aside: VcSet::EMPTY, occupied: VcArray::filled(0) }
    }

    /// Returns true if VCs share buffers.
    #[inline(always)]
    pub(super) fn are_shared(&self) -> bool {
        self.policy != BufferPolicy::Private
    }
}

/// The slots of output VC `vc`.
fn slots<const W: usize>(block: &Block<W, Stages<W>>, vc: usize) -> VcSlots {
    let output = &block.outputs[vc];
    let set_aside = block.allocator.buffers.set_aside.contains(vc).into();
    VcSlots { occupied: u32::from(output.buffer) - output.credits, set_aside, is_held: !block.free.contains(vc) }
}

/// The slots of the buffer behind the port of output VC `vc`, if VCs share it.
fn port_slots<const W: usize>(layout: &Layout<W>, block: &Block<W, Stages<W>>, vc: usize) -> Option<PortSlots> {
    let vcs = layout.port_set(vc).into_iter();
    PortSlots::new(block.allocator.buffers.policy, vcs.map(|vc| slots(block, vc)))
}

/// The number of flits that can be sent by output VC `vc`.
pub(super) fn room<const W: usize>(layout: &Layout<W>, block: &Block<W, Stages<W>>, vc: usize) -> u32 {
    port_slots(layout, block, vc).map_or(block.outputs[vc].credits, |port| port.room(slots(block, vc)))
}

/// Decides which output VCs have a credit, when credits may have arrived.
#[inline(always)]
pub(super) fn begin_step<const W: usize>(layout: &Layout<W>, block: &mut Block<W, Stages<W>>) {
    if block.allocator.buffers.are_shared() {
        for port in layout.ports_of_block() {
            begin_port(layout, block, port);
        }
    }
}

fn begin_port<const W: usize>(layout: &Layout<W>, block: &mut Block<W, Stages<W>>, port: usize) {
    if block.outputs[port].buffer == 0 {
        return; // no link
    }
    let vcs = layout.port_set(port);
    for vc in vcs {
        let VcSlots { occupied, is_held, .. } = slots(block, vc);
        let buffers = &mut block.allocator.buffers;
        if occupied == 0 && buffers.occupied[vc] > 0 && is_held {
            buffers.set_aside.insert(vc);
        }
        buffers.occupied[vc] = occupied;
    }
    let Some(slots_of_port) = port_slots(layout, block, port) else { return };
    for vc in vcs {
        let has_credit = slots_of_port.room(slots(block, vc)) > 0;
        set_credit(block, vc, has_credit);
    }
}

/// Notes if output VC `vc` has a credit.
fn set_credit<const W: usize>(block: &mut Block<W, Stages<W>>, vc: usize, has_credit: bool) {
    let owner = block.outputs[vc].owner.into();
    let is_held = !block.free.contains(vc);
    if has_credit {
        block.with_credit.insert(vc);
    } else {
        block.with_credit.remove(vc);
    }
    if is_held && has_credit {
        block.credited.insert(owner);
    } else if is_held {
        block.credited.remove(owner);
    }
}

/// Notes that flits have left the input VCs `sent`.
#[inline(always)]
pub(super) fn end_step<const W: usize>(block: &mut Block<W, Stages<W>>, sent: VcSet<W>) {
    if block.allocator.buffers.are_shared() {
        for vc in sent {
            let output = block.inputs[vc].output.into();
            block.allocator.buffers.set_aside.remove(output); // the next flit takes it, and the tail returns it
            block.allocator.buffers.occupied[output] += 1;
        }
    }
}

/// Returns true if a packet of `block` may get a credit when another one leaves a slot of the same buffer.
pub(super) fn is_watched<const W: usize>(block: &Block<W, Stages<W>>) -> bool {
    block.allocator.buffers.are_shared() && !(block.granted() - block.credited).is_empty()
}
