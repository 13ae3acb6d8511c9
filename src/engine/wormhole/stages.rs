//! A run cut where the network is empty, so that each part has the engine that it needs.
//!
//! Where all messages of a *stage* are received before any of the next one is requested ([`Program::stage_end`]), no channel
//! is held and no buffer used between the two. All that the channels remember is which virtual channel was served last, so
//! a run of each stage with that is a run of the whole, to the tick. A few stages in which virtual channels share physical
//! ones then do not make an engine move the flits of all the others.
//!
//! Each stage runs on the worm engine, and again from its beginning on an engine that moves flits where that one would be wrong.

use super::{flit, shared, sleep, worm};
use crate::cancel;
use crate::costs::ChannelCosts;
use crate::engine::stepping::{AnyObserver, AnyProgram, Stepping};
use crate::engine::window::Zero;
use crate::engine::{
    Engine, Event, Interest, MessageOutcome, MessageSet, Observer, Outcome, Program, Requests, Signal, Stop,
};
use crate::events::{Kind, RingQueue};
use crate::routing::Network;
use crate::topology::Channels;
use crate::units::{ChannelId, Flits, MessageId, NodeId, Ticks};
use std::ops::Range;

/// The number of channels for which a part of a run has a message at least: a run prepares every channel.
const CHANNELS_A_MESSAGE: usize = 16;

/// The messages of as many stages, from message `first` on, as have enough of them together for a run on `network`.
fn stages(network: &dyn Network, program: &impl Program, first: usize) -> Range<usize> {
    let fewest = network.channels().count().div_ceil(CHANNELS_A_MESSAGE);
    let all = program.messages();
    let mut end = first;
    while end < all && end - first < fewest {
        end = program.stage_end(MessageId::new(end)).index();
    }
    first..end
}

type AnyStage<'a> = Stage<AnyProgram<'a>>;

/// The end of a run of a stage, which is over or has to restart.
struct Ended<'a> {
    outcome: Result<Outcome, Stop>,
    stage: AnyStage<'a>,
    turns: Turns,
}

/// An engine that runs a stage.
trait StageEngine<'a>: Stepping<Turns> {
    /// The stage.
    fn stage(&self) -> &AnyStage<'a>;

    /// Ends the run, when nothing happens any more.
    fn end(self: Box<Self>) -> Ended<'a>;
}

impl<'a> StageEngine<'a> for worm::Worm<'a, RingQueue, AnyStage<'a>, Turns, Zero, false> {
    fn stage(&self) -> &AnyStage<'a> {
        &self.program
    }

    fn end(mut self: Box<Self>) -> Ended<'a> {
        let outcome = Stepping::<Turns>::finish(&mut *self);
        let worm::Worm { program, observer, .. } = *self;
        Ended { outcome, stage: program, turns: observer }
    }
}

/// A machine that moves flits, which notes by itself which virtual channel was served last.
macro_rules! stage_engine {
    ($machine:ty) => {
        impl<'a> StageEngine<'a> for $machine {
            fn stage(&self) -> &AnyStage<'a> {
                &self.messages.program
            }

            fn end(mut self: Box<Self>) -> Ended<'a> {
                let outcome = self.finish();
                let served = self.turns().collect();
                let messages = self.messages;
                Ended { outcome, stage: messages.program, turns: Turns { served, ..messages.observer } }
            }
        }
    };
}

stage_engine!(flit::Machine<'a, AnyStage<'a>, Turns, flit::Uniform>);
stage_engine!(sleep::Machine<'a, AnyStage<'a>, Turns>);

/// The state of a run of stages.
enum State<'a> {
    /// Within a stage.
    Within(Box<dyn StageEngine<'a> + 'a>),
    /// After the last one.
    After(AnyProgram<'a>),
    /// In a stage that does not come to its end.
    Failed(AnyProgram<'a>, Stop),
}

/// The state in which a stage began.
struct StageStart<'a> {
    program: AnyProgram<'a>,
    served: Vec<u32>,
}

/// A run, stage by stage, of which no hop is watched.
pub(in crate::engine) struct Staged<'a> {
    network: &'a dyn Network,
    costs: ChannelCosts,
    observer: AnyObserver<'a>,
    /// `None` while one state replaces another.
    state: Option<State<'a>>,
    before: StageStart<'a>,
    /// The messages of the stages that run.
    messages: Range<usize>,
    done: Option<Outcome>,
}

impl<'a> Staged<'a> {
    /// True if `program` has several stages that are worth a run each on `network`.
    pub(in crate::engine) fn has_several(network: &dyn Network, program: &impl Program) -> bool {
        stages(network, program, 0).end < program.messages()
    }

    /// A run of `program`, which has several stages, of which all is to come.
    pub(in crate::engine) fn started(
        network: &'a dyn Network,
        costs: ChannelCosts,
        mut program: AnyProgram<'a>,
        observer: AnyObserver<'a>,
    ) -> Self {
        let mut requests = Requests::default();
        program.signal(Signal::Start, &mut requests);
        let messages = stages(network, &program, 0);
        let turns = Turns::new(network.channels());
        let before = StageStart { program: program.clone(), served: turns.served.clone() };
        let mut run = Self { network, costs, observer, state: None, before, messages, done: None };
        run.begin(program, requests, turns);
        run
    }

    /// Begins the stages at hand, on the worm engine.
    fn begin(&mut self, program: AnyProgram<'a>, requests: Requests, turns: Turns) {
        self.before = StageStart { program: program.clone(), served: turns.served.clone() };
        let stage = Stage::new(program, self.messages.clone(), requests);
        let worm = worm::Worm::new(self.network, self.costs, stage, turns).started();
        self.state = Some(State::Within(Box::new(worm)));
    }

    /// Restarts them on an engine that moves flits.
    fn begin_again(&mut self, Ended { stage, turns, .. }: Ended<'a>) {
        let Self { network, costs, before, .. } = self;
        let stage = stage.again(before.program.clone());
        let turns = Turns { served: before.served.clone(), ..turns };
        let machine: Box<dyn StageEngine<'a> + 'a> = match shared::engine(*network, costs, &stage) {
            Engine::Sleep => {
                let mut machine = sleep::Machine::new(*network, *costs, stage, turns);
                machine.set_turns(&before.served);
                Box::new(machine.started())
            }
            _ => {
                let mut machine = flit::Machine::new(*network, *costs, stage, turns);
                machine.set_turns(&before.served);
                Box::new(machine.started())
            }
        };
        self.state = Some(State::Within(machine));
    }

    /// Continues with the next stages after those that have ended, or restarts these.
    fn go_on(&mut self, ended: Ended<'a>) {
        let outcome = match ended.outcome {
            Ok(outcome) => outcome,
            Err(Stop::Shared { .. }) => return self.begin_again(ended),
            Err(stop) => {
                self.state = Some(State::Failed(ended.stage.program, stop));
                return;
            }
        };
        match &mut self.done {
            Some(done) => done.append(outcome),
            None => self.done = Some(outcome),
        }
        let Ended { stage, turns, .. } = ended;
        self.messages = stages(self.network, &stage.program, self.messages.end);
        if self.messages.is_empty() {
            self.state = Some(State::After(stage.program));
        } else {
            self.begin(stage.program, stage.later, turns);
        }
    }
}

impl<'a> Stepping<AnyObserver<'a>> for Staged<'a> {
    fn next(&mut self) -> Option<Ticks> {
        loop {
            match self.state.take()? {
                State::Within(mut machine) => {
                    let next = machine.next();
                    if next.is_some() {
                        self.state = Some(State::Within(machine));
                        return next;
                    }
                    self.go_on(machine.end());
                }
                over => {
                    self.state = Some(over);
                    return None;
                }
            }
        }
    }

    fn run_through(&mut self, until: Ticks) {
        while self.next().is_some_and(|at| at <= until) {
            let all = self.program().messages();
            #[expect(clippy::cast_precision_loss, reason = "for people to read")]
            let part = self.messages.start as f64 / all as f64..self.messages.end as f64 / all as f64;
            if let Some(State::Within(machine)) = &mut self.state {
                cancel::within(part, || machine.run_through(until));
            }
        }
    }

    fn is_refused(&self) -> bool {
        matches!(self.state, Some(State::Failed(..)))
    }

    fn delivered(&self) -> usize {
        let before = self.done.as_ref().map_or(0, |done| done.messages.len());
        match &self.state {
            Some(State::Within(machine)) => before + machine.delivered(),
            _ => before,
        }
    }

    fn message(&self, id: MessageId, now: Ticks) -> Option<MessageOutcome> {
        let done = self.done.as_ref().map_or(&[][..], |done| &done.messages);
        match (done.get(id.index()), &self.state) {
            (Some(&message), _) => Some(message),
            (None, Some(State::Within(machine))) => machine.message(MessageId::new(id.index() - done.len()), now),
            _ => None,
        }
    }

    fn program(&self) -> &dyn Program {
        match &self.state {
            Some(State::Within(machine)) => &machine.stage().program,
            Some(State::After(program) | State::Failed(program, _)) => program,
            None => &self.before.program,
        }
    }

    fn observer(&mut self) -> &mut AnyObserver<'a> {
        &mut self.observer
    }

    fn finish(&mut self) -> Result<Outcome, Stop> {
        match &self.state {
            Some(State::Failed(_, stop)) => Err(stop.clone()),
            _ => {
                let completion = self.done.as_ref().map_or(Ticks::ZERO, |done| done.completion);
                let completion = self.program().completion(completion);
                #[expect(clippy::expect_used, reason = "a program with several stages has messages")]
                let done = self.done.take().expect("stages have been run");
                Ok(Outcome { completion, ..done })
            }
        }
    }
}

/// Which virtual channel of each physical channel was served last.
struct Turns {
    /// Per channel the first that shares its physical channel.
    physical: Vec<ChannelId>,
    /// Per physical channel, by its first virtual channel, the place of the one served last.
    served: Vec<u32>,
}

impl Turns {
    fn new(channels: &dyn Channels) -> Self {
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
struct Stage<P> {
    program: P,
    messages: Range<usize>,
    /// What it begins with.
    first: Requests,
    /// What the program requests, before it is known of which stage that is.
    requests: Requests,
    /// What is requested for the next stage.
    later: Requests,
}

impl<P: Program> Stage<P> {
    /// The stages of `program` that have these `messages` and begin with the requests `first`.
    fn new(program: P, messages: Range<usize>, first: Requests) -> Self {
        Self { program, messages, first, requests: Requests::default(), later: Requests::default() }
    }

    /// The same, from its beginning, where `program` stood.
    fn again(self, program: P) -> Self {
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
