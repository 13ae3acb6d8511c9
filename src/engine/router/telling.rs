//! What routers tell of head flits and channels, in closed loops.

use super::machine::Machine;
use super::state::Packet;
use super::tree::Member;
use super::{Granted, HeadStart, Traffic};
use crate::costs::Timing;

impl<T: Traffic> Machine<'_, T> {
    /// The head flit in front of input vc `vc` has been granted output vc `output`.
    #[inline]
    pub(super) fn tell_grant(&mut self, vc: u32, output: u32) {
        if T::CLOSED {
            let Packet { number, hops, requested, .. } = self.packets[self.front(vc) as usize];
            if self.is_watched {
                self.tell_start(vc);
            }
            let granted = Granted { number, hop: hops + 1, vc: output, requested, granted: self.now };
            self.traffic.granted(granted);
            // those that go with it
            for at in 1..self.trees.members(self.front(vc)).len() {
                let Member { number, .. } = self.trees.members(self.front(vc))[at];
                self.traffic.granted(Granted { number, ..granted });
            }
        }
    }

    /// The head flit in front of input vc `vc`, which has requested its next channel, has started on the one that it came by:
    /// at the latest so long before its request as an empty router takes.
    fn tell_start(&mut self, vc: u32) {
        let Packet { number, hops, requested, .. } = self.packets[self.front(vc) as usize];
        let up = self.inputs[vc as usize].up;
        let Timing { inject, hop, routing, .. } = self.costs.timing;
        let takes = if hops == 0 { inject } else { hop };
        let at = requested - routing - takes - self.fabric.pace(up).longer();
        self.traffic.head_started(HeadStart { number, hop: hops, vc: up, at });
    }

    /// The head flit in front of input vc `vc` leaves for its node by output vc `output`.
    #[inline]
    pub(super) fn tell_ejection(&mut self, vc: u32, output: u32) {
        if T::CLOSED && self.is_watched {
            let Packet { number, hops, .. } = self.packets[self.front(vc) as usize];
            self.traffic.head_started(HeadStart { number, hop: hops + 1, vc: output, at: self.now });
        }
    }

    /// Reports that `flits` flits of the packet in front of input vc `vc` leave by output vc `output`, one a cycle from now on.
    #[inline(always)]
    pub(super) fn tell_left_flits(&mut self, vc: u32, output: u32, flits: u32) {
        if T::CLOSED && self.is_watched {
            let number = self.packets[self.front(vc) as usize].number;
            self.traffic.flits_left(number, output, self.now, flits);
        }
    }

    /// Output vc `vc`, which no packet has, can be granted from cycle `at` on, if it is empty where it has to be.
    #[inline]
    pub(super) fn tell_freed(&mut self, vc: u32, at: u64) {
        if T::CLOSED
            && self.is_watched
            && (!self.costs.atomic || self.outputs[vc as usize].credits == self.fabric.buffer(vc))
        {
            self.traffic.freed(vc, at);
        }
    }
}
