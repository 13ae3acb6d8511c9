//! Traffic behind a reference is traffic.

use super::interfaces::Member;
use super::{Delivery, Granted, HeadStart, Offer, Traffic};
use crate::topology::Hop;
use std::ops::Range;

impl<T: Traffic> Traffic for &mut T {
    const CLOSED: bool = T::CLOSED;

    fn next(&mut self, node: u32) -> Option<Offer> {
        (**self).next(node)
    }

    fn waits(&self, node: u32) -> bool {
        (**self).waits(node)
    }

    fn next_by(&mut self, node: u32, channel: u32) -> Option<Offer> {
        (**self).next_by(node, channel)
    }

    fn waits_by(&self, node: u32, channel: u32) -> bool {
        (**self).waits_by(node, channel)
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

    fn worm(&mut self, number: u32, others: &mut Vec<Member>) {
        (**self).worm(number, others);
    }

    fn granted(&mut self, granted: Granted) {
        (**self).granted(granted);
    }

    fn is_watched(&self) -> bool {
        (**self).is_watched()
    }

    fn flits_left(&mut self, number: u32, vc: u32, at: u64, flits: u32) {
        (**self).flits_left(number, vc, at, flits);
    }

    fn head_started(&mut self, start: HeadStart) {
        (**self).head_started(start);
    }

    fn freed(&mut self, vc: u32, at: u64) {
        (**self).freed(vc, at);
    }

    fn departed(&mut self, number: u32, now: u64) {
        (**self).departed(number, now);
    }

    fn left(&mut self, number: u32, at: u64) {
        (**self).left(number, at);
    }

    fn delivered(&mut self, delivery: &Delivery) {
        (**self).delivered(delivery);
    }

    fn accepted_at_once(&mut self, at: u64, flits: u32) {
        (**self).accepted_at_once(at, flits);
    }

    fn accepted(&mut self, at: u64, flits: u32) {
        (**self).accepted(at, flits);
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
