//! Processors of a chip that read and write through the ends of its network: what they issue when, and how ends answer.
//!
//! A transfer is a message from the end of a processor's core to another end, and one back: of a read, the request and what was
//! read; of a write, what is written and that it has arrived. A multicast goes to several ends as one worm, each of which
//! answers. A processor works its steps off in order; between them passes what passed when they were recorded
//! ([`Issue::React`]), or they come when they were recorded ([`Issue::Replay`]). At a barrier it waits until its transfers are
//! done, which no recording decides.
//!
//! An end takes a message in only while it holds fewer than its limit of messages that it has not begun to answer. It answers
//! each `memory` ticks after its arrival, in order, and where its memory is slow not sooner after the last answer than that
//! memory gives bytes. This program refuses to know where the network leads, and what a flit is.

mod work;

pub use work::{Act, Awaited, End, Issue, Overheads, Step, Transfer, Work};

use super::{Began, Cause, Causes, Computation, MessageSet, Program, Requests, Signal};
use crate::engine::MessageOutcome;
use crate::routing::Network;
use crate::units::{ChannelId, Flits, MessageId, NodeId, Ticks};
use std::collections::VecDeque;
use std::ops::Range;

/// The injection channel of messages that processors send, and that of answers.
const ASKS: usize = 0;
const ANSWERS: usize = 1;

/// How many things a processor may wait for.
const AWAITED: usize = 3;

/// A message: of which transfer, to or from which of its ends.
#[derive(Clone, Copy, Debug)]
struct Leg {
    transfer: u32,
    end: NodeId,
    is_back: bool,
}

/// A barrier of a run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Passed {
    /// When it began.
    pub start: Ticks,
    /// When it ended.
    pub end: Ticks,
}

/// That what a barrier waits for was there.
#[derive(Clone, Copy, Debug)]
struct Arrival {
    at: u64,
    /// The last message for it.
    message: MessageId,
}

#[derive(Clone, Debug, Default)]
struct Processor {
    /// The next step.
    next: usize,
    /// How much later than recorded the last step was, or if negative sooner.
    late: i64,
    /// When its last barrier ended.
    free: u64,
    /// Per thing to wait for, how many transfers it still waits for, and when the last of the others was there.
    open: [u32; AWAITED],
    last: [Option<Arrival>; AWAITED],
    /// What its last barrier ended for, if it was an arrival.
    after: Option<Arrival>,
    /// When the barrier began that it is in.
    waits_since: Option<u64>,
    passed: Vec<Passed>,
}

#[derive(Clone, Debug, Default)]
struct EndState {
    held: u32,
    /// Answers that wait for the memory, and from when on they could begin; whether one before them has not begun.
    line: VecDeque<(MessageId, u64)>,
    is_busy: bool,
    /// When the memory gives the next answer.
    gives: u64,
}

/// The program.
#[derive(Clone, Debug)]
pub struct NocProgram<'a> {
    work: Work<'a>,
    /// Per message.
    legs: Vec<Leg>,
    /// Per transfer: its first message, its processor, and the messages that are still to come back.
    first: Vec<u32>,
    owner: Vec<u32>,
    missing: Vec<u32>,
    processors: Vec<Processor>,
    ends: Vec<EndState>,
    issued: Vec<Ticks>,
    /// Per transfer, the arrival that its processor had waited for last.
    after: Vec<Option<Arrival>>,
    completion: Ticks,
}

impl<'a> NocProgram<'a> {
    /// A program of all that `work` says.
    pub fn new(work: Work<'a>) -> Self {
        let mut legs = Vec::new();
        let mut first = Vec::new();
        for (transfer, number) in work.transfers.iter().zip(0..) {
            first.push(MessageId::new(legs.len()).0);
            for is_back in [false, true] {
                let ends = &work.ends[transfer.ends.start as usize..transfer.ends.end as usize];
                legs.extend(ends.iter().map(|&end| Leg { transfer: number, end, is_back }));
            }
        }
        let mut owner = vec![0; work.transfers.len()];
        for (steps, processor) in work.processors.iter().zip(0..) {
            for step in steps {
                if let Act::Issue(transfers) = &step.act {
                    owner[transfers.start as usize..transfers.end as usize].fill(processor);
                }
            }
        }
        let missing = work.transfers.iter().map(|transfer| transfer.ends.end - transfer.ends.start).collect();
        Self {
            legs,
            first,
            owner,
            missing,
            processors: vec![Processor::default(); work.processors.len()],
            ends: vec![EndState::default(); work.nodes.len()],
            issued: vec![Ticks::ZERO; work.transfers.len()],
            after: vec![None; work.transfers.len()],
            completion: Ticks::ZERO,
            work,
        }
    }

    /// The first message of transfer `transfer`; those to its other ends follow, and then those back in the same order.
    pub fn first_message(&self, transfer: u32) -> MessageId {
        MessageId(self.first[transfer as usize])
    }

    /// The transfer of message `message`, and whether that comes back.
    pub fn transfer_of(&self, message: MessageId) -> (u32, bool) {
        let leg = self.legs[message.index()];
        (leg.transfer, leg.is_back)
    }

    /// The first answer of transfer `transfer`: the only one, unless it goes to several ends.
    pub fn answer_of(&self, transfer: u32) -> MessageId {
        let ends = &self.work.transfers[transfer as usize].ends;
        MessageId(self.first[transfer as usize] + ends.end - ends.start)
    }

    /// Per processor, the barriers that it has passed.
    pub fn passed(&self, processor: usize) -> &[Passed] {
        &self.processors[processor].passed
    }

    /// When transfer `transfer` was issued.
    pub fn issued(&self, transfer: u32) -> Ticks {
        self.issued[transfer as usize]
    }

    fn transfer(&self, leg: Leg) -> &Transfer {
        &self.work.transfers[leg.transfer as usize]
    }

    /// When a step comes that was recorded at `at`.
    fn time(&self, processor: usize, at: u64) -> u64 {
        let Processor { late, free, .. } = self.processors[processor];
        match self.work.issue {
            Issue::React => at.saturating_add_signed(late),
            Issue::Replay => at.max(free),
        }
    }

    /// Goes on with the steps of `processor` until it has to wait.
    fn advance(&mut self, processor: usize, requests: &mut Requests) {
        let steps: &'a [Step] = &self.work.processors[processor];
        while let Some(step) = steps.get(self.processors[processor].next) {
            let at = self.time(processor, step.at);
            self.completion = self.completion.max(Ticks(at));
            match &step.act {
                Act::Pass => {}
                Act::Issue(transfers) => self.issue(processor, transfers.clone(), at, requests),
                Act::Barrier { awaited, until } => {
                    let since = *self.processors[processor].waits_since.get_or_insert(at);
                    if self.processors[processor].open[*awaited as usize] > 0 {
                        return;
                    }
                    self.pass(processor, *awaited, since, *until);
                }
            }
            self.processors[processor].next += 1;
        }
    }

    fn issue(&mut self, processor: usize, transfers: Range<u32>, at: u64, requests: &mut Requests) {
        for number in transfers {
            let reads = self.work.transfers[number as usize].reads;
            let open = &mut self.processors[processor].open;
            if reads {
                open[Awaited::Reads as usize] += 1;
            } else {
                open[Awaited::Writes as usize] += 1;
                open[Awaited::Sent as usize] += 1;
            }
            self.issued[number as usize] = Ticks(at);
            self.after[number as usize] = self.processors[processor].after;
            requests.request(MessageId(self.first[number as usize]), Ticks(at + self.work.overheads.issue));
        }
    }

    /// `processor` passes the barrier that it has been in `since`, which ended at `until` when it was recorded.
    fn pass(&mut self, processor: usize, awaited: Awaited, since: u64, until: u64) {
        let Overheads { wake, barrier, .. } = match awaited {
            Awaited::Reads | Awaited::Writes => self.work.overheads,
            // what has left has left
            Awaited::Sent => Overheads { issue: 0, wake: 0, barrier: 0 },
        };
        let state = &mut self.processors[processor];
        let waited = state.last[awaited as usize];
        let woken = waited.map(|waited| waited.at + wake).filter(|&woken| woken > since + barrier);
        let end = woken.unwrap_or(since + barrier);
        if woken.is_some() {
            state.after = waited;
        }
        state.waits_since = None;
        state.free = end;
        state.late = end.cast_signed() - until.cast_signed();
        state.passed.push(Passed { start: Ticks(since), end: Ticks(end) });
        self.completion = self.completion.max(Ticks(end));
    }

    /// With `message` what `awaited` says of its transfer is there at `now`.
    fn is_there(&mut self, message: MessageId, awaited: Awaited, now: Ticks, requests: &mut Requests) {
        let number = self.legs[message.index()].transfer;
        let processor = self.owner[number as usize] as usize;
        let state = &mut self.processors[processor];
        state.open[awaited as usize] -= 1;
        let last = &mut state.last[awaited as usize];
        if last.is_none_or(|last| last.at <= now.0) {
            *last = Some(Arrival { at: now.0, message });
        }
        if state.waits_since.is_some() {
            self.advance(processor, requests);
        }
    }

    /// A message has arrived at its end, which answers.
    fn arrive(&mut self, id: MessageId, now: Ticks, requests: &mut Requests) {
        let leg = self.legs[id.index()];
        let ends = &self.transfer(leg).ends;
        let answer = MessageId(id.0 + ends.end - ends.start);
        let End { memory, bytes_per_tick, .. } = self.work.nodes[leg.end.index()];
        let ready = now.0 + memory;
        let state = &mut self.ends[leg.end.index()];
        if bytes_per_tick == 0 {
            requests.request(answer, Ticks(ready));
        } else if state.is_busy {
            state.line.push_back((answer, ready));
        } else {
            state.is_busy = true;
            requests.request(answer, Ticks(ready.max(state.gives)));
        }
    }

    /// The answer `id` begins.
    fn answer(&mut self, id: MessageId, now: Ticks, requests: &mut Requests) {
        let leg = self.legs[id.index()];
        let bytes = self.transfer(leg).bytes;
        let End { bytes_per_tick, interface, .. } = self.work.nodes[leg.end.index()];
        let state = &mut self.ends[leg.end.index()];
        state.held -= 1;
        let Some(takes) = bytes.checked_div(bytes_per_tick) else { return };
        // answers leave the interface so far apart, and take their time through it
        state.gives = now.0 + takes.saturating_sub(interface);
        match state.line.pop_front() {
            Some((next, ready)) => requests.request(next, Ticks(ready.max(state.gives))),
            None => state.is_busy = false,
        }
    }
}

impl MessageSet for NocProgram<'_> {
    fn messages(&self) -> usize {
        self.legs.len()
    }

    fn message(&self, id: MessageId) -> (NodeId, NodeId, Flits) {
        let leg = self.legs[id.index()];
        let Transfer { core, there, back, .. } = *self.transfer(leg);
        if leg.is_back { (leg.end, core, Flits(back)) } else { (core, leg.end, Flits(there)) }
    }

    /// Answers take the classes behind those of messages that processors send, and multicasts those behind these: a link's
    /// virtual channels follow each other. On either network a multicast goes along the source's row first and then along columns.
    fn path(&self, id: MessageId, network: &dyn Network, path: &mut Vec<ChannelId>) {
        let (src, dst, _) = self.message(id);
        let leg = self.legs[id.index()];
        if leg.is_back || !self.transfer(leg).is_multicast {
            network.route(src, dst, path);
            let links = path.len() - 1;
            let more = if leg.is_back { self.work.classes } else { 0 };
            path[1..links].iter_mut().for_each(|channel| channel.0 += more);
            return;
        }
        let rows = self.work.rows;
        let turn = NodeId(dst.0 / rows * rows + src.0 % rows);
        network.route(src, turn, path);
        path.pop();
        let first = path.len();
        network.route(turn, dst, path);
        path.remove(first);
        let links = path.len() - 1;
        path[1..links].iter_mut().for_each(|channel| channel.0 += 2 * self.work.classes);
    }

    fn injection(&self, id: MessageId) -> usize {
        if self.legs[id.index()].is_back { ANSWERS } else { ASKS }
    }

    fn receive_time(&self, _: MessageId) -> Ticks {
        Ticks::ZERO
    }
}

impl Program for NocProgram<'_> {
    fn signal(&mut self, signal: Signal, requests: &mut Requests) {
        match signal {
            Signal::Start => self.start(requests),
            Signal::Departed { id, now } => self.depart(id, now, requests),
            Signal::Left { id, at } => self.leave(id, at, requests),
            Signal::Delivered { id, now } => self.deliver(id, now, requests),
            Signal::Requested { .. } | Signal::Timer { .. } | Signal::KeepCauses => {}
        }
    }

    fn worm_end(&self, id: MessageId) -> MessageId {
        let leg = self.legs[id.index()];
        let transfer = self.transfer(leg);
        let is_worm = transfer.is_multicast && !leg.is_back;
        if is_worm { self.answer_of(leg.transfer) } else { MessageId(id.0 + 1) }
    }

    fn admits(&mut self, id: MessageId) -> bool {
        let leg = self.legs[id.index()];
        let state = &mut self.ends[leg.end.index()];
        if leg.is_back {
            return true;
        }
        let has_room = state.held < self.work.nodes[leg.end.index()].limit;
        state.held += u32::from(has_room);
        has_room
    }

    fn completion(&self, received: Ticks) -> Ticks {
        received.max(self.completion)
    }

    /// An answer begins when its message has arrived. What a processor does between the arrival that it waited for last and
    /// the issue of a transfer is a computation, which has the number of the transfer; and the last one leads to the end.
    fn causes(&self, messages: &[MessageOutcome]) -> Causes {
        let after = |arrival: Option<Arrival>| match arrival {
            Some(Arrival { at, message }) => (Ticks(at), Cause::Received(message)),
            None => (Ticks::ZERO, Cause::Start),
        };
        let computed = |(number, &to): (usize, &Ticks)| {
            let (from, cause) = after(self.after[number]);
            Computation { operation: None, from, to, cause }
        };
        let mut computations: Vec<Computation> = self.issued.iter().enumerate().map(computed).collect();
        let began = |(number, leg): (usize, &Leg)| {
            if !leg.is_back {
                return Began { at: self.issued[leg.transfer as usize], cause: Cause::Computed(leg.transfer) };
            }
            let ends = &self.transfer(*leg).ends;
            let there = MessageId::new(number - (ends.end - ends.start) as usize);
            Began { at: messages[there.index()].received, cause: Cause::Received(there) }
        };
        let sends = self.legs.iter().enumerate().map(began).collect();
        let last = (0..messages.len()).max_by_key(|&message| messages[message].received);
        let received = last.map_or(Ticks::ZERO, |last| messages[last].received);
        let cause = last.map_or(Cause::Start, |last| Cause::Received(MessageId::new(last)));
        let end = (self.completion > received).then(|| {
            let number = MessageId::new(computations.len()).0;
            computations.push(Computation { operation: None, from: received, to: self.completion, cause });
            Cause::Computed(number)
        });
        Causes { sends, computations, end, ..Causes::default() }
    }
}

impl NocProgram<'_> {
    fn start(&mut self, requests: &mut Requests) {
        (0..self.processors.len()).for_each(|processor| self.advance(processor, requests));
    }

    fn depart(&mut self, id: MessageId, now: Ticks, requests: &mut Requests) {
        if self.legs[id.index()].is_back {
            self.answer(id, now, requests);
        }
    }

    fn leave(&mut self, id: MessageId, at: Ticks, requests: &mut Requests) {
        let leg = self.legs[id.index()];
        if !leg.is_back && !self.transfer(leg).reads {
            self.is_there(id, Awaited::Sent, at, requests);
        }
    }

    fn deliver(&mut self, id: MessageId, now: Ticks, requests: &mut Requests) {
        let leg = self.legs[id.index()];
        if !leg.is_back {
            return self.arrive(id, now, requests);
        }
        let missing = &mut self.missing[leg.transfer as usize];
        *missing -= 1;
        if *missing == 0 {
            let awaited = if self.transfer(leg).reads { Awaited::Reads } else { Awaited::Writes };
            self.is_there(id, awaited, now, requests);
        }
    }
}
