//! Programs behind references and boxes are programs.
//!
//! An engine that takes `&mut dyn Program` is compiled once and not once for each program, which costs a few instructions
//! per message.

use super::{Causes, Program, Requests};
use crate::engine::MessageOutcome;
use crate::routing::{Network, Stretch};
use crate::schedule::goal::GoalViolation;
use crate::units::{ChannelId, Flits, MessageId, NodeId, Ticks};

/// A program that hands everything on to the one that it points to.
macro_rules! forward {
    ($pointer:ty) => {
        impl<P: Program + ?Sized> Program for $pointer {
            fn messages(&self) -> usize {
                (**self).messages()
            }

            fn message(&self, id: MessageId) -> (NodeId, NodeId, Flits) {
                (**self).message(id)
            }

            fn path(&self, id: MessageId, network: &dyn Network, path: &mut Vec<ChannelId>) {
                (**self).path(id, network, path);
            }

            fn stretches(&self, id: MessageId, network: &dyn Network, stretches: &mut Vec<Stretch>) -> bool {
                (**self).stretches(id, network, stretches)
            }

            fn stage_end(&self, first: MessageId) -> MessageId {
                (**self).stage_end(first)
            }

            fn start(&mut self, requests: &mut Requests) {
                (**self).start(requests);
            }

            fn requested(&mut self, id: MessageId, now: Ticks, requests: &mut Requests) {
                (**self).requested(id, now, requests);
            }

            fn worm_end(&self, id: MessageId) -> MessageId {
                (**self).worm_end(id)
            }

            fn injection(&self, id: MessageId) -> usize {
                (**self).injection(id)
            }

            fn departed(&mut self, id: MessageId, now: Ticks, requests: &mut Requests) {
                (**self).departed(id, now, requests);
            }

            fn admits(&mut self, id: MessageId) -> bool {
                (**self).admits(id)
            }

            fn left(&mut self, id: MessageId, at: Ticks, requests: &mut Requests) {
                (**self).left(id, at, requests);
            }

            fn delivered(&mut self, id: MessageId, now: Ticks, requests: &mut Requests) {
                (**self).delivered(id, now, requests);
            }

            fn timer(&mut self, token: u32, now: Ticks, requests: &mut Requests) {
                (**self).timer(token, now, requests);
            }

            fn receive_time(&self, id: MessageId) -> Ticks {
                (**self).receive_time(id)
            }

            fn completion(&self, received: Ticks) -> Ticks {
                (**self).completion(received)
            }

            fn unfinished(&self) -> Option<GoalViolation> {
                (**self).unfinished()
            }

            fn keep_causes(&mut self) {
                (**self).keep_causes();
            }

            fn causes(&self, messages: &[MessageOutcome]) -> Causes {
                (**self).causes(messages)
            }
        }
    };
}

forward!(&mut P);
forward!(Box<P>);
