//! Programs behind references and boxes are programs.
//!
//! An engine that takes `&mut dyn Program` is compiled once and not once for each program, which costs a few instructions
//! per message.

use super::{Causes, LiveMessages, MessageSet, Program, Requests, Signal, Worm};
use crate::engine::MessageOutcome;
use crate::routing::{Network, Stretch};
use crate::schedule::goal::GoalViolation;
use crate::units::{ChannelId, Flits, MessageId, NodeId, Ticks};

/// A program that forwards everything to the one that it points to.
macro_rules! forward {
    ($pointer:ty) => {
        impl<P: MessageSet + ?Sized> MessageSet for $pointer {
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

            fn injection(&self, id: MessageId) -> usize {
                (**self).injection(id)
            }

            fn class(&self, id: MessageId) -> u8 {
                (**self).class(id)
            }

            fn has_worms(&self) -> bool {
                (**self).has_worms()
            }

            fn worm(&self, id: MessageId) -> Option<Worm<'_>> {
                (**self).worm(id)
            }

            fn name(&self, id: MessageId) -> MessageId {
                (**self).name(id)
            }

            fn receive_time(&self, id: MessageId) -> Ticks {
                (**self).receive_time(id)
            }
        }

        impl<P: Program + ?Sized> Program for $pointer {
            fn signal(&mut self, signal: Signal, requests: &mut Requests) {
                (**self).signal(signal, requests);
            }

            fn stage_end(&self, first: MessageId) -> MessageId {
                (**self).stage_end(first)
            }

            fn worm_end(&self, id: MessageId) -> MessageId {
                (**self).worm_end(id)
            }

            fn admits(&mut self, id: MessageId) -> bool {
                (**self).admits(id)
            }

            fn completion(&self, received: Ticks) -> Ticks {
                (**self).completion(received)
            }

            fn ends(&self) -> Vec<Ticks> {
                (**self).ends()
            }

            fn unfinished(&self) -> Option<GoalViolation> {
                (**self).unfinished()
            }

            fn live(&mut self) -> Option<&mut LiveMessages> {
                (**self).live()
            }

            fn causes(&self, messages: &[MessageOutcome]) -> Causes {
                (**self).causes(messages)
            }
        }
    };
}

forward!(&mut P);
forward!(Box<P>);
