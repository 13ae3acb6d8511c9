//! The virtual channels of the routers of a word: whose turn it is to send.
//!
//! Numbers are counted from the first vc of the word, sets are words. Refuses to know other words, flits that leave, and
//! how head flits come by their virtual channels.

use super::fabric::Fabric;
use super::machine::WORD;
use super::state::{Input, Output};
use super::turns::first_of;

/// The input vcs of a word, and the output vcs.
pub(super) type Inputs = [Input; WORD];
pub(super) type Outputs = [Output; WORD];

/// What takes the number of a vc within its word apart.
#[derive(Clone, Copy)]
pub(super) struct Numbers {
    /// The bits that say which vc of its port it is, and which of its router.
    within: usize,
    of_router: usize,
    /// The others: which port of the word it belongs to.
    of_port: usize,
    /// The bits of its number within its port, and the vcs of the first port.
    vc_bits: u32,
    port_mask: u64,
}

impl Numbers {
    pub(super) fn of(fabric: &Fabric) -> Self {
        let Fabric { vc_bits, port_mask, .. } = *fabric;
        let within = fabric.mask_within as usize;
        let of_router = fabric.mask_of_router as usize;
        Self { within, of_router, of_port: !within % WORD, vc_bits, port_mask }
    }

    /// The vcs of the port of `vc`.
    #[inline(always)]
    fn same_port(&self, vc: u32) -> u64 {
        self.port_mask << (vc >> self.vc_bits << self.vc_bits)
    }
}

/// The vcs of the routers of a word, each of which has all its vcs there.
pub(super) struct Word<'a> {
    pub(super) numbers: &'a Numbers,
    pub(super) inputs: &'a mut Inputs,
    pub(super) outputs: &'a mut Outputs,
}

/// Of the input vcs that try to send.
#[derive(Clone, Copy)]
struct Settled {
    /// Those whose turn it is.
    sends: u64,
    /// Those of which that is not known yet.
    contended: u64,
}

/// Of `bits` of a word, the first behind bit `last`; the first of all if there is none.
#[inline(always)]
fn first_behind(bits: u64, last: usize) -> usize {
    first_of(bits, bits & !(2_u64 << last).wrapping_sub(1)) as usize % WORD
}

/// Of the two input vcs of `pair`, which share a port, the one whose turn it is.
#[inline(never)]
fn first_of_pair(numbers: &Numbers, inputs: &Inputs, outputs: &Outputs, pair: u64) -> usize {
    let within = numbers.within;
    let of_router = numbers.of_router;
    let at = pair.trailing_zeros() as usize % WORD;
    let other = (pair & (pair - 1)).trailing_zeros() as usize % WORD;
    let by = inputs[at].out as usize;
    let by_other = inputs[other].out as usize;
    let share_input = (at ^ other) & !within == 0;
    if !share_input {
        let last = outputs[by & numbers.of_port].turn_of;
        return first_behind(pair, at & !of_router | usize::from(last) & of_router | within);
    }
    let Input { turn_of, turn_by, .. } = inputs[at & !within];
    let share_output = (by ^ by_other) & !within == 0;
    if share_output {
        return first_behind(pair, at & !within | usize::from(turn_of) & within);
    }
    let last = usize::from(turn_by) & of_router | within;
    let passed = by & of_router <= last;
    let other_passed = by_other & of_router <= last;
    let is_first = if passed == other_passed { by < by_other } else { other_passed };
    if is_first { at } else { other }
}

impl Word<'_> {
    /// Of the input vcs `tries` those whose turn it is.
    #[inline(always)]
    pub(super) fn settle(&self, tries: u64) -> u64 {
        let Settled { sends, contended } = self.settle_pairs(tries);
        if contended == 0 { sends } else { sends | self.settle_contended(contended) }
    }

    /// Of the input vcs `tries` those whose turn it is as they share ports with none, or with a single other that comes after
    /// them.
    #[inline(always)]
    fn settle_pairs(&self, tries: u64) -> Settled {
        let mut left = tries;
        let mut waits = 0;
        let mut contended = 0;
        while left != 0 {
            let bit = left & left.wrapping_neg();
            let sharing = tries & self.inputs[bit.trailing_zeros() as usize % WORD].rivals;
            left &= !sharing;
            if sharing == bit {
                continue;
            }
            let other = sharing ^ bit;
            let rivals_of_other = self.inputs[other.trailing_zeros() as usize % WORD].rivals;
            if other.is_power_of_two() && tries & rivals_of_other == sharing {
                waits |= sharing ^ 1 << first_of_pair(self.numbers, self.inputs, self.outputs, sharing);
            } else {
                contended |= sharing;
            }
        }
        Settled { sends: tries & !(waits | contended), contended }
    }

    /// Of the input vcs `contended`, which share ports with several others, all whose turn it is.
    fn settle_contended(&self, contended: u64) -> u64 {
        self.winners(self.bids_of_ports(contended))
    }

    /// Every input port of which some of `vcs` try to send bids for one of them: those.
    fn bids_of_ports(&self, vcs: u64) -> u64 {
        let mut left = vcs;
        let mut bids = 0;
        while left != 0 {
            let of_port = vcs & self.numbers.same_port(left.trailing_zeros());
            left &= !of_port;
            bids |= if of_port.is_power_of_two() { of_port } else { self.bid_of_port(of_port) };
        }
        bids
    }

    /// Of several input vcs of a port the one whose turn it is, as a bit: of those by the output whose turn it is.
    fn bid_of_port(&self, of_port: u64) -> u64 {
        let within = self.numbers.within;
        let of_router = self.numbers.of_router;
        let mut by = 0;
        let mut left = of_port;
        while left != 0 {
            by |= 1 << (self.inputs[left.trailing_zeros() as usize % WORD].out % 64);
            left &= left - 1;
        }
        let first = of_port.trailing_zeros() as usize & !within;
        let Input { turn_of, turn_by, .. } = self.inputs[first % WORD];
        let next = first_behind(by, first & !of_router | usize::from(turn_by) & of_router | within);
        let same = of_port & self.outputs[next & !within].owners;
        1 << first_behind(same, first | usize::from(turn_of) & within)
    }

    /// Of the input vcs `bids`, one of each port, those whose turn it is at the outputs that they bid for.
    fn winners(&self, bids: u64) -> u64 {
        let mut left = bids;
        let mut winners = 0;
        while left != 0 {
            let vc = left.trailing_zeros() as usize % WORD;
            let first_of_port = self.inputs[vc].out as usize & self.numbers.of_port;
            let for_same = bids & self.outputs[first_of_port].owners;
            left &= !for_same;
            winners |= if for_same.is_power_of_two() { for_same } else { self.first_in_turn(first_of_port, for_same) };
        }
        winners
    }

    /// Of `bids` for the port whose first output vc is `first_of_port`, one of each input port of its router, the one whose turn
    /// it is.
    pub(super) fn first_in_turn(&self, first_of_port: usize, bids: u64) -> u64 {
        let within = self.numbers.within;
        let of_router = self.numbers.of_router;
        let last = usize::from(self.outputs[first_of_port % WORD].turn_of) & of_router;
        1 << first_behind(bids, first_of_port & !of_router | last | within)
    }
}
