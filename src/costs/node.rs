//! What nodes cost.

use crate::units::{Flits, Ticks};
use serde::Serialize;

/// What sending and receiving cost a node.
///
/// ```
/// use flitwise::costs::NodeCosts;
/// use flitwise::units::{Flits, Ticks};
///
/// // 2000 + 2 m ticks to send m flits, 3500 + 3 m to receive them
/// let node = NodeCosts::default().sending(2000, 2).receiving(3500, 3);
/// assert_eq!(node.send(Flits(100)), Ticks(2200));
/// assert_eq!(node.hold(Flits(100)), Ticks(2200), "the processor is busy as long");
/// assert_eq!(node.holding(500, 0).hold(Flits(100)), Ticks(500), "but for what a coprocessor does");
/// ```
///
/// Costs per flit are for the payload ([`Flits`]): a message without one pays the set-ups only, as the points at 0 KB of
/// Figs. 11 and 12 of the OPT-mesh paper do.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
pub struct NodeCosts {
    /// Ticks to set up a send (`s_s`).
    pub send_setup: u64,
    /// Ticks per flit sent (`s_d`).
    pub send_per_flit: u64,
    /// Ticks to set up a receive (`r_s`).
    pub receive_setup: u64,
    /// Ticks per flit received (`r_d`).
    pub receive_per_flit: u64,
    /// Ticks between the starts of two sends on one port, the part that does not depend on the length.
    pub hold_setup: u64,
    /// The same, per flit.
    pub hold_per_flit: u64,
    /// Ticks to combine a message with what its receiver holds, the part that does not depend on the length.
    #[serde(skip_serializing_if = "is_none")]
    pub reduce_setup: u64,
    /// The same, per flit.
    #[serde(skip_serializing_if = "is_none")]
    pub reduce_per_flit: u64,
    /// Sends, and receives, that can be under way at once.
    pub ports: usize,
}

/// What combining costs where it costs nothing, as before it was known: such nodes are told as they always were.
#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes fields by reference")]
fn is_none(ticks: &u64) -> bool {
    *ticks == 0
}

impl Default for NodeCosts {
    /// No overheads, one port.
    fn default() -> Self {
        Self {
            send_setup: 0,
            send_per_flit: 0,
            receive_setup: 0,
            receive_per_flit: 0,
            hold_setup: 0,
            hold_per_flit: 0,
            reduce_setup: 0,
            reduce_per_flit: 0,
            ports: 1,
        }
    }
}

impl NodeCosts {
    /// With sends that take `setup` and `per_flit` ticks, and the usual `t_hold = t_send`.
    #[must_use]
    pub fn sending(self, setup: u64, per_flit: u64) -> Self {
        Self { send_setup: setup, send_per_flit: per_flit, ..self }.holding(setup, per_flit)
    }

    /// With receives that take `setup` and `per_flit` ticks.
    #[must_use]
    pub fn receiving(self, setup: u64, per_flit: u64) -> Self {
        Self { receive_setup: setup, receive_per_flit: per_flit, ..self }
    }

    /// With sends on one port `setup` and `per_flit` ticks apart, where that is not what a send takes.
    #[must_use]
    pub fn holding(self, setup: u64, per_flit: u64) -> Self {
        Self { hold_setup: setup, hold_per_flit: per_flit, ..self }
    }

    /// With so many sends, and receives, that can be under way at once.
    #[must_use]
    pub fn ports(self, ports: usize) -> Self {
        Self { ports, ..self }
    }

    /// From the start of a send to its request of an injection channel (`t_send`).
    pub fn send(&self, flits: Flits) -> Ticks {
        Ticks(self.send_setup + flits.0 * self.send_per_flit)
    }

    /// From the start of a send to the next start on the same port (`t_hold`).
    pub fn hold(&self, flits: Flits) -> Ticks {
        Ticks(self.hold_setup + flits.0 * self.hold_per_flit)
    }

    /// From delivery to receipt (`t_recv`).
    pub fn receive(&self, flits: Flits) -> Ticks {
        Ticks(self.receive_setup + flits.0 * self.receive_per_flit)
    }

    /// From receipt until it is combined with what the receiver holds (`t_reduce`).
    pub fn reduce(&self, flits: Flits) -> Ticks {
        Ticks(self.reduce_setup + flits.0 * self.reduce_per_flit)
    }
}
