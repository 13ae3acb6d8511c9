//! Traffic that passes all calls on.

use super::interfaces::Member;
use super::nodes::ProgramNodes;
use super::{Ending, MessageClass, Offer, RouterEvent, Traffic, TreePacket};
use crate::topology::Hop;
use std::ops::Range;

/// The methods of [`Traffic`], each of which passes the call on by the macro `$to`.
macro_rules! forward_traffic {
    ($to:ident) => {
        fn is_closed(&self) -> bool {
            $to!(self, is_closed())
        }

        fn next(&mut self, node: u32, channel: u32) -> Option<Offer> {
            $to!(self, next(node, channel))
        }

        fn queues(&self) -> u32 {
            $to!(self, queues())
        }

        fn classes(&self) -> Vec<MessageClass> {
            $to!(self, classes())
        }

        fn ending(&self) -> Option<Ending> {
            $to!(self, ending())
        }

        fn is_limited(&self) -> bool {
            $to!(self, is_limited())
        }

        fn observes_sources(&self) -> bool {
            $to!(self, observes_sources())
        }

        fn counts_flits(&self) -> bool {
            $to!(self, counts_flits())
        }

        fn observes_tails(&self) -> bool {
            $to!(self, observes_tails())
        }

        fn observes_departures(&self) -> bool {
            $to!(self, observes_departures())
        }

        fn horizon(&self) -> Option<u64> {
            $to!(self, horizon())
        }

        fn name(&self, number: u32) -> u32 {
            $to!(self, name(number))
        }

        fn held_slots(&self) -> Option<u32> {
            $to!(self, held_slots())
        }

        fn counts_queues(&self) -> bool {
            $to!(self, counts_queues())
        }

        fn has_room(&self, number: u32) -> bool {
            $to!(self, has_room(number))
        }

        fn front(&self, node: u32, channel: u32) -> Option<Offer> {
            $to!(self, front(node, channel))
        }

        fn waits(&self, node: u32, channel: u32) -> bool {
            $to!(self, waits(node, channel))
        }

        fn admits(&mut self, number: u32) -> bool {
            $to!(self, admits(number))
        }

        fn advance(&mut self, now: u64, woken: &mut Vec<u32>) {
            $to!(self, advance(now, woken))
        }

        fn next_event(&self) -> Option<u64> {
            $to!(self, next_event())
        }

        fn path(&mut self, number: u32, path: &mut Vec<Hop>) {
            $to!(self, path(number, path))
        }

        fn tree(&mut self, number: u32) -> Option<TreePacket> {
            $to!(self, tree(number))
        }

        fn worm(&mut self, number: u32, others: &mut Vec<Member>) {
            $to!(self, worm(number, others))
        }

        fn is_watched(&self) -> bool {
            $to!(self, is_watched())
        }

        fn event(&mut self, event: RouterEvent) {
            $to!(self, event(event))
        }

        fn goes_on(&self, now: u64) -> bool {
            $to!(self, goes_on(now))
        }

        fn progress(&self, now: u64) -> (u64, u64) {
            $to!(self, progress(now))
        }

        fn counted(&self) -> Range<u64> {
            $to!(self, counted())
        }
    };
}
pub(super) use forward_traffic;

macro_rules! to_target {
    ($traffic:ident, $($call:tt)*) => { (**$traffic).$($call)* };
}

impl<T: Traffic + ?Sized> Traffic for &mut T {
    forward_traffic!(to_target);
}

/// Traffic of any kind, for engines that are compiled once.
pub(crate) enum AnyTraffic<'a> {
    /// The nodes of a program.
    Program(Box<ProgramNodes<'a>>),
    /// Other traffic.
    Other(&'a mut dyn Traffic),
}

impl<'a> AnyTraffic<'a> {
    /// The nodes of a program.
    ///
    /// # Panics
    /// If it is other traffic.
    pub(crate) fn nodes(&self) -> &ProgramNodes<'a> {
        match self {
            Self::Program(nodes) => nodes,
            Self::Other(_) => unreachable!("the traffic is not a program"),
        }
    }

    /// Does the same as [`AnyTraffic::nodes`], for changes.
    pub(crate) fn nodes_mut(&mut self) -> &mut ProgramNodes<'a> {
        match self {
            Self::Program(nodes) => nodes,
            Self::Other(_) => unreachable!("the traffic is not a program"),
        }
    }
}

macro_rules! to_variant {
    ($traffic:ident, $($call:tt)*) => {
        match $traffic {
            Self::Program(nodes) => nodes.$($call)*,
            Self::Other(traffic) => traffic.$($call)*,
        }
    };
}

impl Traffic for AnyTraffic<'_> {
    forward_traffic!(to_variant);
}
