//! What head flits wish for that have several ways to go: sets of virtual channels, as words.
//!
//! The sets are made when a head flit comes to stand in front of its buffer, so that a request, which is made again in every
//! cycle in which something has come free, is a matter of a few words. Only of routers with all vcs in one word, where flits
//! leave one by one. Refuses to know which routing a wish comes from.

use super::Traffic;
use super::machine::Machine;
use super::sets::BitSet;
use super::state::NONE;
use super::turns::{Bid, SPECULATIVE, first_of};
use crate::routing::Routes;

/// The output vcs that a head flit may be granted, as words.
#[derive(Clone, Copy, Default)]
pub(super) struct Wish {
    /// Those that it takes first.
    any: u64,
    /// Those that it takes if none of the others is free.
    escape: u64,
    /// Which of both it takes only while nothing lies in their buffers.
    empty: u64,
}

impl Wish {
    /// The same of the router whose first vc is number `first` of its word.
    #[inline]
    fn shifted(self, first: u32) -> Self {
        Self { any: self.any << first, escape: self.escape << first, empty: self.empty << first }
    }
}

impl<T: Traffic> Machine<'_, T> {
    /// Notes what the head flit of a packet to `dst` that has come to stand in front of `vc` wishes for.
    pub(super) fn wish(&mut self, vc: u32, dst: u32) {
        let wish = match self.routes {
            Routes::Lattice(relation) if !self.known_wishes.is_empty() => {
                self.wish_towards(vc, relation.bearing(self.fabric.router(vc), dst))
            }
            _ => self.wish_among_choices(vc),
        };
        self.wishes[vc as usize] = wish.shifted(self.fabric.first_of_router(vc) % 64);
    }

    /// What the head flit in front of `vc` wishes for, as of the first router of a word, if that follows from the `bearing`.
    #[inline]
    fn wish_towards(&mut self, vc: u32, bearing: usize) -> Wish {
        if let Some(wish) = self.known_wishes[bearing] {
            return wish;
        }
        let wish = self.wish_among_choices(vc);
        self.known_wishes[bearing] = Some(wish);
        wish
    }

    /// What the head flit in front of `vc` wishes for, as of the first router of a word.
    #[inline(never)]
    fn wish_among_choices(&mut self, vc: u32) -> Wish {
        let mut choices = std::mem::take(&mut self.scratch.choices);
        self.choices(vc, &mut choices);
        let mut wish = Wish::default();
        for choice in &choices {
            let port = u32::from(choice.port) << self.fabric.vc_bits;
            let vcs = u64::MAX >> (63 - (choice.last - choice.first)) << (port + u32::from(choice.first));
            *if choice.escape { &mut wish.escape } else { &mut wish.any } |= vcs;
            if choice.empty || self.costs.atomic {
                wish.empty |= vcs;
            }
        }
        self.scratch.choices = choices;
        wish
    }

    /// The head flit in front of `vc` requests an output vc that it wishes for, and the switch where it may.
    pub(super) fn request_wished(&mut self, vc: u32, best: Option<Bid>) -> Option<Bid> {
        let free = self.free_as_wished(vc);
        if free == 0 {
            return best;
        }
        self.scratch.requests.push((vc, self.requested(vc, free)));
        let output = if self.costs.speculative { self.soonest_with_credit(vc, free) } else { NONE };
        if output == NONE {
            return best;
        }
        // a head flit without a vc bids for the switch all the same
        let rank = self.rank(output, vc) + SPECULATIVE;
        if best.is_none_or(|best| rank < best.rank) { Some(Bid { rank, vc, output }) } else { best }
    }

    /// The head flit in front of `vc`, which clashes with none of its router, is granted an output vc that it wishes for. Its
    /// bid for the switch, if it `may_bid`.
    pub(super) fn grant_wished(&mut self, vc: u32, may_bid: bool) -> Option<Bid> {
        let free = self.free_as_wished(vc);
        if free == 0 {
            return None;
        }
        // what it may bid for is seen before anything is granted
        let output = if may_bid { self.soonest_with_credit(vc, free) } else { NONE };
        self.grant_in_turn(vc, self.requested(vc, free));
        // no other bid of its port is compared with it
        (output != NONE).then_some(Bid { rank: SPECULATIVE, vc, output })
    }

    /// The output vcs that the head flit in front of `vc` wishes for and can be granted, as a word; it waits for one if there
    /// is none.
    #[inline]
    fn free_as_wished(&mut self, vc: u32) -> u64 {
        let Wish { any, escape, empty } = self.wishes[vc as usize];
        let word = vc as usize / 64;
        let free = (any | escape) & self.unowned.words[word] & (self.unused.words[word] | !empty);
        if free == 0 {
            self.park_for(vc, any | escape);
        }
        free
    }

    /// Which of the output vcs `free`, which it wishes for, the head flit in front of `vc` requests.
    #[inline]
    fn requested(&self, vc: u32, free: u64) -> u32 {
        let Wish { any, empty, .. } = self.wishes[vc as usize];
        let wanted = if any & free == 0 { free } else { any & free };
        vc / 64 * 64 + self.first_with_most_room(vc, wanted, empty)
    }

    /// The head flit in front of `vc` waits for a vc of each port that has one of `vcs`.
    fn park_for(&mut self, vc: u32, vcs: u64) {
        let mut left = vcs;
        while left != 0 {
            let at = left.trailing_zeros();
            left &= !self.fabric.same_port(at);
            #[expect(clippy::cast_possible_truncation, reason = "a router has at most 64 ports")]
            self.park(vc, self.fabric.port(at) as u8);
        }
    }

    /// The one of the output vcs `wanted` of the word of `vc` that has most room, on a link that fewest packets share, by round robin
    /// of `vc`. Those of `empty` have all the room that there is.
    #[inline]
    fn first_with_most_room(&self, vc: u32, wanted: u64, empty: u64) -> u32 {
        let turn = self.fabric.first_of_router(vc) % 64 + u32::from(self.inputs[vc as usize].turn);
        let in_turn = |vcs: u64| {
            let vcs = self.of_least_shared(vcs, vc / 64);
            first_of(vcs, vcs & u64::MAX << turn)
        };
        if wanted & !empty == 0 {
            return in_turn(wanted);
        }
        let mut most = 0;
        let mut roomy = 0;
        for output in BitSet::of(vc / 64, wanted) {
            let credits = self.outputs[output as usize].credits;
            if credits >= most {
                roomy = if credits > most { 0 } else { roomy } | 1 << (output % 64);
                most = credits;
            }
        }
        in_turn(roomy)
    }

    /// The output vcs `vcs` of word `word` on links that fewest packets share. On a lattice that is not compared.
    #[inline]
    fn of_least_shared(&self, vcs: u64, word: u32) -> u64 {
        if matches!(self.routes, Routes::Lattice(_)) {
            return vcs;
        }
        let sharing = |vc: &u32| self.sharing(*vc);
        let least = BitSet::of(word, vcs).map(|vc| sharing(&vc)).min();
        BitSet::of(word, vcs).filter(|vc| Some(sharing(vc)) == least).fold(0, |vcs, vc| vcs | 1 << (vc % 64))
    }

    /// Of the ports that have vcs in `free`, one of them with a credit, the one whose turn it is at the input port of `vc`;
    /// [`NONE`] if there is none.
    #[inline]
    fn soonest_with_credit(&self, vc: u32, free: u64) -> u32 {
        let mut least = NONE;
        let mut soonest = NONE;
        let mut left = free;
        while left != 0 {
            let at = left.trailing_zeros();
            let of_port = left & self.fabric.same_port(at);
            left &= !of_port;
            if BitSet::of(vc / 64, of_port).any(|output| self.outputs[output as usize].credits > 0) {
                let port = self.fabric.port(at);
                let turns = self.turns_until(port, vc);
                if turns < least {
                    least = turns;
                    soonest = port;
                }
            }
        }
        soonest
    }
}
