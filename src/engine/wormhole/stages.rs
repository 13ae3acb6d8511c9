//! A run cut where the network is empty, so that each part has the engine that it needs.
//!
//! Where all messages of a *stage* are received before any of the next one is requested ([`Program::stage_end`]), no channel
//! is held and no buffer used between the two. All that the channels remember is which virtual channel was served last, so
//! a run of each stage with that is a run of the whole, to the tick. A few stages in which virtual channels share physical
//! ones then do not make an engine move the flits of all the others.

use super::{shared, worm};
use crate::cancel;
use crate::costs::ChannelCosts;
use crate::engine::{Event, Interest, MessageSet, Observer, Outcome, Program, Requests, Signal, Stop};
use crate::events::Kind;
use crate::routing::Network;
use crate::topology::Channels;
use crate::units::{ChannelId, Flits, MessageId, NodeId, Ticks};
use std::ops::Range;

/// Fewest messages for so many channels that are run by themselves: a run prepares every channel.
pub(super) const CHANNELS_A_MESSAGE: usize = 16;

/// Runs `program`, each of its stages on the worm engine or, where that would be wrong, on one that moves flits. None if the
/// program has one stage, or does not come to its end: then a run of the whole says why.
pub(in crate::engine) fn run<P: Program + Clone>(
    network: &dyn Network,
    costs: ChannelCosts,
    program: &mut P,
) -> Option<Outcome> {
    let channels = network.channels();
    let all = program.messages();
    let fewest = channels.count().div_ceil(CHANNELS_A_MESSAGE);
    let mut messages = stages(program, 0, fewest);
    if messages.end == all {
        return None;
    }
    let mut requests = Requests::default();
    program.signal(Signal::Start, &mut requests);
    let mut turns = Turns::new(channels);
    let mut done: Option<Outcome> = None;
    while !messages.is_empty() {
        let next = stages(program, messages.end, fewest);
        #[expect(clippy::cast_precision_loss, reason = "for people to read")]
        let part = messages.start as f64 / all as f64..messages.end as f64 / all as f64;
        let run = || run_one(network, costs, program, messages, &mut requests, &mut turns);
        let ended = cancel::within(part, run)?;
        match &mut done {
            Some(outcome) => outcome.append(ended),
            None => done = Some(ended),
        }
        messages = next;
    }
    let mut outcome = done?;
    outcome.completion = program.completion(outcome.completion);
    Some(outcome)
}

/// The messages of as many stages, from message `first` on, as have `fewest` messages together.
pub(super) fn stages(program: &impl Program, first: usize, fewest: usize) -> Range<usize> {
    let all = program.messages();
    let mut end = first;
    while end < all && end - first < fewest {
        end = program.stage_end(MessageId::new(end)).index();
    }
    first..end
}

/// Runs the stages that have these `messages` and begin with `requests`; these are then what the next one begins with.
fn run_one<P: Program + Clone>(
    network: &dyn Network,
    costs: ChannelCosts,
    program: &mut P,
    messages: Range<usize>,
    requests: &mut Requests,
    turns: &mut Turns,
) -> Option<Outcome> {
    let before = program.clone();
    let served = turns.served.clone();
    let mut stage = Stage::new(program, messages, std::mem::take(requests));
    let ended = match worm::run(network, costs, &mut stage as &mut dyn Program, turns) {
        Err(Stop::Shared { .. }) => {
            *stage.program = before;
            stage.later = Requests::default();
            turns.served = served;
            shared::run_in_turn(network, costs, &mut stage as &mut dyn Program, &mut turns.served)
        }
        ended => ended,
    };
    *requests = stage.later;
    ended.ok()
}

/// Which virtual channel of each physical channel was served last.
pub(super) struct Turns {
    /// Per channel the first that shares its physical channel.
    physical: Vec<ChannelId>,
    /// Per physical channel, by its first virtual channel, the place of the one served last.
    pub(super) served: Vec<u32>,
}

impl Turns {
    pub(super) fn new(channels: &dyn Channels) -> Self {
        let physical = (0..channels.count()).map(|channel| channels.physical(ChannelId::new(channel))).collect();
        Self { physical, served: vec![0; channels.count()] }
    }
}

/// On the worm engine, which stops where two are served at the same time, the one granted last.
impl Observer for Turns {
    fn interest(&self) -> Interest {
        Interest::HOPS
    }

    fn event(&mut self, event: Event<'_>) {
        if let Event::Granted { channel, .. } = event {
            let first = self.physical[channel.index()];
            self.served[first.index()] = channel.0 - first.0;
        }
    }
}

/// Stages of a program as a program, whose messages are numbered from 0.
pub(super) struct Stage<P> {
    pub(super) program: P,
    messages: Range<usize>,
    /// What it begins with.
    first: Requests,
    /// What the program requests, before it is known of which stage that is.
    requests: Requests,
    /// What is requested for the next stage.
    pub(super) later: Requests,
}

impl<P: Program> Stage<P> {
    /// The stages of `program` that have these `messages` and begin with the requests `first`.
    pub(super) fn new(program: P, messages: Range<usize>, first: Requests) -> Self {
        Self { program, messages, first, requests: Requests::default(), later: Requests::default() }
    }

    /// The same, from its beginning, where `program` stood.
    pub(super) fn again(self, program: P) -> Self {
        Self::new(program, self.messages, self.first)
    }

    /// The number of message `id` among those of all stages.
    fn whole(&self, id: MessageId) -> MessageId {
        MessageId::new(self.messages.start + id.index())
    }

    /// Hands on what is requested of this stage.
    fn hand_on(&mut self, requests: &mut Requests) {
        for event in self.requests.drain() {
            let id = event.number as usize;
            match event.kind {
                Kind::Request if !self.messages.contains(&id) => {
                    self.later.request(MessageId(event.number), event.time);
                }
                Kind::Request => requests.request(MessageId::new(id - self.messages.start), event.time),
                _ => requests.timer(event.number, event.time),
            }
        }
    }
}

impl<P: Program> MessageSet for Stage<P> {
    fn messages(&self) -> usize {
        self.messages.len()
    }

    fn message(&self, id: MessageId) -> (NodeId, NodeId, Flits) {
        self.program.message(self.whole(id))
    }

    fn path(&self, id: MessageId, network: &dyn Network, path: &mut Vec<ChannelId>) {
        self.program.path(self.whole(id), network, path);
    }

    fn receive_time(&self, id: MessageId) -> Ticks {
        self.program.receive_time(self.whole(id))
    }
}

impl<P: Program> Program for Stage<P> {
    fn signal(&mut self, signal: Signal, requests: &mut Requests) {
        match signal {
            Signal::Start => self.requests = self.first.clone(),
            signal => self.program.signal(signal.renumbered(|id| self.whole(id)), &mut self.requests),
        }
        self.hand_on(requests);
    }
}
