//! Round robin: whose turn it is.
//!
//! Of all requests the first at or after the one whose turn it is; refuses to know what is requested. What is kept is who had the
//! last turn: of a port, in the record of its first vc.

use super::Traffic;
use super::machine::Machine;
use super::state::Input;

/// What an input port requests of the switch.
#[derive(Clone, Copy)]
pub(super) struct Bid {
    /// The less, the sooner it is its turn.
    pub(super) rank: u32,
    /// The input vc.
    pub(super) vc: u32,
    /// The output port of the router.
    pub(super) output: u32,
}

/// How long until it is the turn of `at` among `size`, when it is the turn of `turn`.
#[inline]
pub(super) fn wait(at: u32, turn: u32, size: u32) -> u32 {
    if at >= turn { at - turn } else { at + size - turn }
}

/// The one after `at` among `size`.
#[inline]
pub(super) fn after(at: u32, size: u32) -> u32 {
    if at + 1 == size { 0 } else { at + 1 }
}

/// The first of `later`, members of the word `all` whose turn comes before that of the others; the first of all if there is none.
#[inline]
pub(super) fn first_of(all: u64, later: u64) -> u32 {
    if later == 0 { all } else { later }.trailing_zeros()
}

impl<T: Traffic> Machine<'_, T> {
    /// How soon it is the turn of the output, and then of the vc, at an input port; speculation comes last.
    #[inline]
    pub(super) fn rank(&self, output: u32, vc: u32) -> u32 {
        let vcs = self.fabric.vcs;
        let Input { turn_of, .. } = self.inputs[self.fabric.first_of_port(vc)];
        let turn = after(self.fabric.within(turn_of.into()), vcs);
        self.turns_until(output, vc) * vcs + wait(self.fabric.within(vc), turn, vcs)
    }

    /// How soon it is the turn of the output at the input port of `vc`.
    #[inline]
    pub(super) fn turns_until(&self, output: u32, vc: u32) -> u32 {
        let Input { turn_by, .. } = self.inputs[self.fabric.first_of_port(vc)];
        let turn = after(self.fabric.port(turn_by.into()), self.fabric.ports);
        wait(output, turn, self.fabric.ports)
    }

    /// The input port that the port of output vc `output` takes first.
    #[inline]
    pub(super) fn turn_of_output(&self, output: u32) -> u32 {
        let turn_of = self.outputs[self.fabric.first_of_port(output)].turn_of;
        after(self.fabric.port(turn_of.into()), self.fabric.ports)
    }

    /// Input vc `vc` has had its turn to send by the port of output vc `output`.
    #[inline]
    pub(super) fn pass_turns(&mut self, vc: u32, output: u32) {
        self.pass_turn_of_output(vc, output);
        self.pass_turn_of_input(vc, output);
    }

    /// The same of the output port.
    #[inline]
    pub(super) fn pass_turn_of_output(&mut self, vc: u32, output: u32) {
        // the low bits are all that counts
        let [of, more, ..] = vc.to_le_bytes();
        self.outputs[self.fabric.first_of_port(output)].turn_of = u16::from_le_bytes([of, more]);
    }

    /// The same of the input port.
    #[inline]
    pub(super) fn pass_turn_of_input(&mut self, vc: u32, output: u32) {
        let port = &mut self.inputs[self.fabric.first_of_port(vc)];
        let [of, ..] = vc.to_le_bytes();
        let [by, more, ..] = output.to_le_bytes();
        port.turn_of = of;
        port.turn_by = u16::from_le_bytes([by, more]);
    }
}
