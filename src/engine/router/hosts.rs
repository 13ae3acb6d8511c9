//! The nodes of a live run: classes of messages, finite injection queues, and messages that are held until the caller takes them.

use super::MessageClass;
use crate::routing::Routing;
use crate::units::{Flits, MessageId, NodeId};
use rustc_hash::FxHashMap;
use std::collections::VecDeque;
use std::sync::Arc;

/// The classes of messages on a physical network of a live run.
#[derive(Clone, Default)]
pub struct LiveNetwork {
    /// The classes. Empty if all messages are alike and take any virtual channel.
    pub classes: Vec<MessageClass>,
    /// By class, its routing, which shares out the virtual channels of the class.
    pub routes: Vec<Arc<dyn Routing>>,
}

/// The nodes of a live run.
pub(crate) struct Hosts {
    /// The classes of packets on this network. Empty if there is one that takes any virtual channel.
    pub(super) classes: Vec<MessageClass>,
    /// Slots of a node for each VC of its ejection channels, if messages are held.
    pub(super) slots: Option<u32>,
    /// By node and class, its injection queue, if queues are limited.
    queues: Option<Vec<InjectionQueue>>,
    /// The slots of messages that have arrived and have not been returned.
    arrived: FxHashMap<MessageId, Slots>,
}

/// Slots of a node that a message takes.
#[derive(Clone, Copy)]
pub(super) struct Slots {
    /// The output VC by which the message has left, as observers know it.
    pub(super) vc: u32,
    pub(super) flits: u32,
}

/// The injection queue of a node and class.
#[derive(Clone, Default)]
struct InjectionQueue {
    /// Flits that have not begun to leave.
    waiting: u32,
    /// Runs of flits that leave, one a cycle, which may end in later cycles: the cycle of the first flit, and their number.
    leaving: VecDeque<(u64, u32)>,
}

impl Hosts {
    /// The given number of `nodes` with messages of these `classes`. Queues are limited if `has_queues`.
    pub(super) fn new(nodes: usize, classes: Vec<MessageClass>, slots: Option<u32>, has_queues: bool) -> Self {
        let lines = nodes * classes.len().max(1);
        let queues = has_queues.then(|| vec![InjectionQueue::default(); lines]);
        Self { classes, slots, queues, arrived: FxHashMap::default() }
    }

    /// The number of queues of an injection channel.
    pub(super) fn queues(&self) -> u32 {
        u32::try_from(self.classes.len().max(1)).unwrap_or(u32::MAX)
    }

    /// Returns true if queues are limited.
    pub(super) fn counts_queues(&self) -> bool {
        self.queues.is_some()
    }

    fn line(&self, node: NodeId, class: u8) -> usize {
        node.index() * self.classes.len().max(1) + usize::from(class)
    }

    /// Adds the flits of a new message to the queue of `src` and `class`.
    pub(super) fn accept(&mut self, src: NodeId, class: u8, flits: Flits) {
        let line = self.line(src, class);
        if let Some(queues) = &mut self.queues {
            queues[line].waiting += u32::try_from(flits.on_wire()).unwrap_or(u32::MAX);
        }
    }

    /// Notes that `flits` flits leave the queue of `src` and `class`, one a cycle from cycle `at` on.
    pub(super) fn start(&mut self, src: NodeId, class: u8, at: u64, flits: u32) {
        let line = self.line(src, class);
        let Some(InjectionQueue { waiting, leaving }) = self.queues.as_mut().map(|queues| &mut queues[line]) else {
            return;
        };
        *waiting -= flits;
        while leaving.front().is_some_and(|&(first, flits)| first + u64::from(flits) <= at) {
            leaving.pop_front();
        }
        leaving.push_back((at, flits));
    }

    /// Flits in the queue of `node` and `class` that have not started before `cycle`.
    pub(super) fn queued(&self, node: NodeId, class: u8, cycle: u64) -> u32 {
        let Some(queue) = self.queues.as_ref().map(|queues| &queues[self.line(node, class)]) else { return 0 };
        let left = |&(first, flits): &(u64, u32)| {
            let started = cycle.saturating_sub(first).min(flits.into());
            flits - u32::try_from(started).unwrap_or(flits)
        };
        queue.waiting + queue.leaving.iter().map(left).sum::<u32>()
    }

    /// Adds the slots that a message holds from its arrival on.
    pub(super) fn add_slots(&mut self, message: MessageId, slots: Slots) {
        self.arrived.insert(message, slots);
    }

    /// Removes and returns the slots of `message`, which has arrived.
    pub(super) fn release(&mut self, message: MessageId) -> Option<Slots> {
        self.arrived.remove(&message)
    }
}
