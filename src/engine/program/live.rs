//! Messages that are sent between the ticks of a run.
//!
//! The program shares them with the run that its caller drives ([`crate::engine::Live`]), which adds messages and takes deliveries. It
//! requests nothing by itself.

use super::{MessageSet, Program, Requests, Signal};
use crate::units::{Flits, MessageId, NodeId, Ticks};
use std::cell::RefCell;
use std::rc::Rc;

/// The messages sent so far, and those delivered since they were last taken.
#[derive(Debug, Default)]
struct Messages {
    sent: Vec<(NodeId, NodeId, Flits)>,
    delivered: Vec<MessageId>,
}

/// A program that grows. Clones share their messages.
#[derive(Clone, Debug, Default)]
pub(in crate::engine) struct LiveProgram(Rc<RefCell<Messages>>);

impl LiveProgram {
    /// Adds a message of `flits` flits from `src` to `dst`, and returns its number.
    pub(in crate::engine) fn send(&self, src: NodeId, dst: NodeId, flits: Flits) -> MessageId {
        let sent = &mut self.0.borrow_mut().sent;
        sent.push((src, dst, flits));
        MessageId::new(sent.len() - 1)
    }

    /// Removes and returns the messages that have been delivered, in the order in which the engine reported them.
    pub(in crate::engine) fn take_delivered(&self) -> Vec<MessageId> {
        std::mem::take(&mut self.0.borrow_mut().delivered)
    }
}

impl MessageSet for LiveProgram {
    fn messages(&self) -> usize {
        self.0.borrow().sent.len()
    }

    fn message(&self, id: MessageId) -> (NodeId, NodeId, Flits) {
        self.0.borrow().sent[id.index()]
    }

    fn receive_time(&self, _: MessageId) -> Ticks {
        Ticks::ZERO
    }
}

impl Program for LiveProgram {
    fn signal(&mut self, signal: Signal, _: &mut Requests) {
        match signal {
            Signal::Delivered { id, .. } => self.0.borrow_mut().delivered.push(id),
            Signal::Start
            | Signal::Requested { .. }
            | Signal::Departed { .. }
            | Signal::Left { .. }
            | Signal::Timer { .. }
            | Signal::KeepCauses => {}
        }
    }
}
