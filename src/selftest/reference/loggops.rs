//! The rules of [`crate::model::execute`] word by word: events in a plain queue, looked at again whenever a resource is not free
//! yet, and lists of messages and receives that are searched from their beginning.

use crate::model::{LogGops, MessageTimes};
use crate::schedule::goal::{ANY, ANY_TAG, Action, Goal, Operation};
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// That operations are left when nothing happens any more: messages without receives, or receives without messages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stuck;

/// When the processors of each rank of `goal` are free for good, in ticks. The goal must have passed [`Goal::check`].
///
/// # Errors
/// If a message finds no receive, or a receive no message.
pub fn finish_times(goal: &Goal, model: LogGops) -> Result<Vec<u64>, Stuck> {
    let mut run = Run {
        goal,
        model,
        queue: BinaryHeap::new(),
        events: Vec::new(),
        free: vec![Free::of(goal); goal.ranks()],
        waits: goal.waits(),
        ready: Vec::new(),
        posted: vec![Vec::new(); goal.ranks()],
        arrived: vec![Vec::new(); goal.ranks()],
    };
    for rank in 0..goal.ranks() {
        let mut roots: Vec<u32> = goal.of_rank(rank).filter(|&id| run.waits[id as usize] == 0).collect();
        roots.sort_by_key(|&id| run.operation(id).action);
        roots.into_iter().for_each(|id| run.create(Happening::Operation(id), 0));
    }
    while let Some(Reverse(Due { time, number })) = run.queue.pop() {
        run.handle(number, time);
    }
    let is_left = run.posted.iter().chain(&run.arrived).any(|list| !list.is_empty());
    if is_left { Err(Stuck) } else { Ok(run.free.iter().map(Free::for_good).collect()) }
}

/// When the processors and interfaces of a rank are free, by number.
#[derive(Clone, Debug)]
struct Free {
    processors: Vec<u64>,
    senders: Vec<u64>,
    receivers: Vec<u64>,
}

impl Free {
    /// As many as operations of `goal` name.
    fn of(goal: &Goal) -> Self {
        let processors = vec![0; usize::from(goal.highest_cpu()) + 1];
        let interfaces = vec![0; usize::from(goal.highest_nic()) + 1];
        Self { processors, senders: interfaces.clone(), receivers: interfaces }
    }

    fn for_good(&self) -> u64 {
        self.processors.iter().copied().fold(0, u64::max)
    }
}

/// Something that happens, an operation by its number and a message by that of its send.
#[derive(Clone, Copy)]
enum Happening {
    Operation(u32),
    Arrival(u32),
}

/// An event by time, and at the same time by creation.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Due {
    time: u64,
    number: usize,
}

struct Run<'a> {
    goal: &'a Goal,
    model: LogGops,
    queue: BinaryHeap<Reverse<Due>>,
    events: Vec<Happening>,
    free: Vec<Free>,
    /// Per operation: how many others it waits for.
    waits: Vec<u32>,
    /// Operations that wait for nothing any more since the event at hand.
    ready: Vec<u32>,
    /// Per rank its receives without messages, the first posted first.
    posted: Vec<Vec<u32>>,
    /// Per rank the sends whose messages have arrived without receives, the first first.
    arrived: Vec<Vec<u32>>,
}

impl Run<'_> {
    fn operation(&self, id: u32) -> Operation {
        self.goal.operations()[id as usize]
    }

    fn rank(&self, id: u32) -> usize {
        self.goal.rank_of(id) as usize
    }

    fn create(&mut self, event: Happening, time: u64) {
        self.queue.push(Reverse(Due { time, number: self.events.len() }));
        self.events.push(event);
    }

    /// Handles an event at `now`, or puts it back until what it needs is free.
    fn handle(&mut self, number: usize, now: u64) {
        let event = self.events[number];
        let from = self.earliest(event, now);
        if from > now {
            return self.queue.push(Reverse(Due { time: from, number }));
        }
        match event {
            Happening::Arrival(send) => self.arrive(send, now),
            Happening::Operation(id) => match self.operation(id).action {
                Action::Send => self.send(id, now),
                Action::Receive => self.receive(id, now),
                Action::Compute => self.compute(id, now),
            },
        }
        let mut ready = std::mem::take(&mut self.ready);
        ready.sort_by_key(|&id| (self.rank(id), self.operation(id).action));
        for id in ready {
            let operation = self.operation(id);
            let free = &self.free[self.rank(id)];
            let processor = free.processors[usize::from(operation.cpu)];
            let is_send = operation.action == Action::Send;
            let interface = if is_send { free.senders[usize::from(operation.nic)] } else { 0 };
            self.create(Happening::Operation(id), processor.max(interface).max(now));
        }
    }

    /// When what `event` needs is free.
    fn earliest(&self, event: Happening, now: u64) -> u64 {
        let (Happening::Operation(id) | Happening::Arrival(id)) = event;
        let operation = self.operation(id);
        let cpu = usize::from(operation.cpu);
        let nic = usize::from(operation.nic);
        match event {
            Happening::Arrival(_) => {
                let free = &self.free[operation.peer as usize];
                free.processors[cpu].max(free.receivers[nic])
            }
            Happening::Operation(_) => {
                let free = &self.free[self.rank(id)];
                match operation.action {
                    Action::Send => free.processors[cpu].max(free.senders[nic]),
                    Action::Receive => now,
                    Action::Compute => free.processors[cpu],
                }
            }
        }
    }

    fn arrive(&mut self, send: u32, now: u64) {
        let operation = self.operation(send);
        let MessageTimes { receive, receive_hold, .. } = self.model.parts(operation.size);
        let rank = operation.peer as usize;
        self.free[rank].processors[usize::from(operation.cpu)] = now + receive;
        self.free[rank].receivers[usize::from(operation.nic)] = now + receive_hold;
        match self.posted[rank].iter().position(|&posted| self.fits(posted, send)) {
            Some(at) => {
                let receive = self.posted[rank].remove(at);
                self.matched(receive, send, now);
            }
            None => self.arrived[rank].push(send),
        }
    }

    fn send(&mut self, id: u32, now: u64) {
        let operation = self.operation(id);
        let rank = self.rank(id);
        let MessageTimes { send, hold, arrival, .. } = self.model.parts(operation.size);
        self.free[rank].processors[usize::from(operation.cpu)] = now + send;
        self.free[rank].senders[usize::from(operation.nic)] = now + hold;
        self.create(Happening::Arrival(id), now + arrival);
        self.go_on(self.goal.after_start(id));
        if operation.size <= self.model.eager {
            self.go_on(self.goal.after_finish(id));
        }
    }

    fn receive(&mut self, id: u32, now: u64) {
        let rank = self.rank(id);
        self.go_on(self.goal.after_start(id));
        match self.arrived[rank].iter().position(|&send| self.fits(id, send)) {
            Some(at) => {
                let send = self.arrived[rank].remove(at);
                self.matched(id, send, now);
            }
            None => self.posted[rank].push(id),
        }
    }

    fn compute(&mut self, id: u32, now: u64) {
        let operation = self.operation(id);
        let rank = self.rank(id);
        self.free[rank].processors[usize::from(operation.cpu)] = now + operation.size;
        self.go_on(self.goal.after_start(id));
        self.go_on(self.goal.after_finish(id));
    }

    /// Whether `receive` takes the message of `send`.
    fn fits(&self, receive: u32, send: u32) -> bool {
        let wanted = self.operation(receive);
        let tag = self.operation(send).tag;
        let is_source = wanted.peer == ANY || wanted.peer == self.goal.rank_of(send);
        is_source && (wanted.tag == ANY_TAG || tag == ANY_TAG || wanted.tag == tag)
    }

    /// `receive` takes the message of `send`; a sender of a long one has waited for that.
    fn matched(&mut self, receive: u32, send: u32, now: u64) {
        self.go_on(self.goal.after_finish(receive));
        let operation = self.operation(send);
        if operation.size > self.model.eager {
            let rank = self.rank(send);
            let free = &mut self.free[rank];
            let processor = &mut free.processors[usize::from(operation.cpu)];
            *processor = now.max(*processor);
            let interface = &mut free.senders[usize::from(operation.nic)];
            *interface = now.max(*interface);
            self.go_on(self.goal.after_finish(send));
        }
    }

    fn go_on(&mut self, waiting: &[u32]) {
        for &id in waiting {
            self.waits[id as usize] -= 1;
            if self.waits[id as usize] == 0 {
                self.ready.push(id);
            }
        }
    }
}
