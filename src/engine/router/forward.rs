//! Traffic behind a reference is traffic.

use super::interfaces::Member;
use super::{Ending, MessageClass, Offer, RouterEvent, Traffic, TreePacket};
use crate::topology::Hop;
use std::ops::Range;

impl<T: Traffic + ?Sized> Traffic for &mut T {
    fn is_closed(&self) -> bool {
        (**self).is_closed()
    }

    fn next(&mut self, node: u32, channel: u32) -> Option<Offer> {
        (**self).next(node, channel)
    }

    fn queues(&self) -> u32 {
        (**self).queues()
    }

    fn classes(&self) -> Vec<MessageClass> {
        (**self).classes()
    }

    fn ending(&self) -> Option<Ending> {
        (**self).ending()
    }

    fn is_limited(&self) -> bool {
        (**self).is_limited()
    }

    fn observes_sources(&self) -> bool {
        (**self).observes_sources()
    }

    fn counts_flits(&self) -> bool {
        (**self).counts_flits()
    }

    fn observes_tails(&self) -> bool {
        (**self).observes_tails()
    }

    fn observes_departures(&self) -> bool {
        (**self).observes_departures()
    }

    fn horizon(&self) -> Option<u64> {
        (**self).horizon()
    }

    fn name(&self, number: u32) -> u32 {
        (**self).name(number)
    }

    fn held_slots(&self) -> Option<u32> {
        (**self).held_slots()
    }

    fn counts_queues(&self) -> bool {
        (**self).counts_queues()
    }

    fn has_room(&self, number: u32) -> bool {
        (**self).has_room(number)
    }

    fn front(&self, node: u32, channel: u32) -> Option<Offer> {
        (**self).front(node, channel)
    }

    fn waits(&self, node: u32, channel: u32) -> bool {
        (**self).waits(node, channel)
    }

    fn admits(&mut self, number: u32) -> bool {
        (**self).admits(number)
    }

    fn advance(&mut self, now: u64, woken: &mut Vec<u32>) {
        (**self).advance(now, woken);
    }

    fn next_event(&self) -> Option<u64> {
        (**self).next_event()
    }

    fn path(&mut self, number: u32, path: &mut Vec<Hop>) {
        (**self).path(number, path);
    }

    fn tree(&mut self, number: u32) -> Option<TreePacket> {
        (**self).tree(number)
    }

    fn worm(&mut self, number: u32, others: &mut Vec<Member>) {
        (**self).worm(number, others);
    }

    fn is_watched(&self) -> bool {
        (**self).is_watched()
    }

    fn event(&mut self, event: RouterEvent) {
        (**self).event(event);
    }

    fn goes_on(&self, now: u64) -> bool {
        (**self).goes_on(now)
    }

    fn progress(&self, now: u64) -> (u64, u64) {
        (**self).progress(now)
    }

    fn counted(&self) -> Range<u64> {
        (**self).counted()
    }
}
