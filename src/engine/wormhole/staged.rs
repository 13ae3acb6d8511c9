//! A run of stages ([`super::stages`]) tick by tick.
//!
//! It does what a run to the end at once does: each stage on the worm engine, and again from its beginning on an engine that
//! moves flits where that one would be wrong.

use super::stages::{CHANNELS_A_MESSAGE, Stage, Turns, stages};
use super::{flit, shared, sleep, worm};
use crate::cancel;
use crate::costs::ChannelCosts;
use crate::engine::stepping::{AnyObserver, AnyProgram, Stepping};
use crate::engine::{Engine, MessageOutcome, Outcome, Program, Requests, Signal, Stop};
use crate::events::RingQueue;
use crate::routing::Network;
use crate::units::{MessageId, Ticks};
use std::ops::Range;

type AnyStage<'a> = Stage<AnyProgram<'a>>;

/// An engine that runs a stage.
enum Machine<'a> {
    Worm(Box<worm::Worm<'a, RingQueue, AnyStage<'a>, Turns, false>>),
    Flit(Box<flit::Machine<'a, AnyStage<'a>, Turns, false>>),
    Sleep(Box<sleep::Machine<'a, AnyStage<'a>, Turns>>),
}

/// A stage that is over, or has to begin again.
struct Over<'a> {
    ended: Result<Outcome, Stop>,
    stage: AnyStage<'a>,
    turns: Turns,
}

impl<'a> Machine<'a> {
    fn stepping(&mut self) -> &mut dyn Stepping<Turns> {
        match self {
            Self::Worm(machine) => &mut **machine,
            Self::Flit(machine) => &mut **machine,
            Self::Sleep(machine) => &mut **machine,
        }
    }

    fn as_stepping(&self) -> &dyn Stepping<Turns> {
        match self {
            Self::Worm(machine) => &**machine,
            Self::Flit(machine) => &**machine,
            Self::Sleep(machine) => &**machine,
        }
    }

    fn stage(&self) -> &AnyStage<'a> {
        match self {
            Self::Worm(machine) => &machine.program,
            Self::Flit(machine) => &machine.messages.program,
            Self::Sleep(machine) => &machine.messages.program,
        }
    }

    /// What it has come to; engines that move flits know by themselves whose turn is next.
    fn over(self) -> Over<'a> {
        match self {
            Self::Worm(machine) => {
                let ended = machine.finish();
                let worm::Worm { program, observer, .. } = *machine;
                Over { ended, stage: program, turns: observer }
            }
            Self::Flit(machine) => {
                let ended = machine.finish();
                let served = machine.turns().collect();
                let messages = machine.messages;
                let mut turns = messages.observer;
                turns.served = served;
                Over { ended, stage: messages.program, turns }
            }
            Self::Sleep(machine) => {
                let ended = machine.finish();
                let served = machine.turns().collect();
                let messages = machine.messages;
                let mut turns = messages.observer;
                turns.served = served;
                Over { ended, stage: messages.program, turns }
            }
        }
    }
}

/// Where a run stands.
enum State<'a> {
    /// Within a stage.
    Within(Machine<'a>),
    /// Behind the last one.
    Behind(AnyProgram<'a>),
    /// In a stage that does not come to its end.
    Failed(AnyProgram<'a>, Stop),
}

/// What a stage began with.
struct Before<'a> {
    program: AnyProgram<'a>,
    served: Vec<u32>,
}

/// A run, stage by stage, of which no hop is watched.
pub(in crate::engine) struct Staged<'a> {
    network: &'a dyn Network,
    costs: ChannelCosts,
    observer: AnyObserver<'a>,
    /// None only while one gives way to the next.
    state: Option<State<'a>>,
    before: Before<'a>,
    /// The messages of the stages that run.
    messages: Range<usize>,
    done: Option<Outcome>,
}

impl<'a> Staged<'a> {
    /// Whether `program` has stages that are worth a run each on `network`.
    pub(in crate::engine) fn has_several(network: &dyn Network, program: &impl Program) -> bool {
        stages(program, 0, fewest(network)).end < program.messages()
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
        let messages = stages(&program, 0, fewest(network));
        let turns = Turns::new(network.channels());
        let before = Before { program: program.clone(), served: turns.served.clone() };
        let mut run = Self { network, costs, observer, state: None, before, messages, done: None };
        run.begin(program, requests, turns);
        run
    }

    /// Begins the stages at hand, on the worm engine.
    fn begin(&mut self, program: AnyProgram<'a>, requests: Requests, turns: Turns) {
        self.before = Before { program: program.clone(), served: turns.served.clone() };
        let stage = Stage::new(program, self.messages.clone(), requests);
        let worm = worm::Worm::started(self.network, self.costs, stage, turns);
        self.state = Some(State::Within(Machine::Worm(Box::new(worm))));
    }

    /// Begins them again, on an engine that moves flits.
    fn begin_again(&mut self, Over { stage, mut turns, .. }: Over<'a>) {
        let stage = stage.again(self.before.program.clone());
        turns.served.clone_from(&self.before.served);
        let served = turns.served.clone();
        let machine = match shared::engine(self.network, &self.costs, &stage) {
            Engine::Sleep => {
                let mut machine = sleep::Machine::new(self.network, self.costs, stage, turns);
                machine.set_turns(&served);
                machine.messages.start();
                Machine::Sleep(Box::new(machine))
            }
            _ => {
                let mut machine = flit::Machine::new(self.network, self.costs, stage, turns);
                machine.set_turns(&served);
                machine.messages.start();
                Machine::Flit(Box::new(machine))
            }
        };
        self.state = Some(State::Within(machine));
    }

    /// Goes on to the next stages, from those that have ended, or has these begin again.
    fn go_on(&mut self, machine: Machine<'a>) {
        let over = machine.over();
        let Over { ended, stage, turns } = match over.ended {
            Err(Stop::Shared { .. }) => return self.begin_again(over),
            _ => over,
        };
        let outcome = match ended {
            Ok(outcome) => outcome,
            Err(stop) => {
                self.state = Some(State::Failed(stage.program, stop));
                return;
            }
        };
        match &mut self.done {
            Some(done) => done.append(outcome),
            None => self.done = Some(outcome),
        }
        self.messages = stages(&stage.program, self.messages.end, fewest(self.network));
        if self.messages.is_empty() {
            self.state = Some(State::Behind(stage.program));
        } else {
            self.begin(stage.program, stage.later, turns);
        }
    }
}

/// How many messages are worth a run by themselves.
fn fewest(network: &dyn Network) -> usize {
    network.channels().count().div_ceil(CHANNELS_A_MESSAGE)
}

impl<'a> Stepping<AnyObserver<'a>> for Staged<'a> {
    fn next(&mut self) -> Option<Ticks> {
        loop {
            match self.state.take()? {
                State::Within(mut machine) => {
                    let next = machine.stepping().next();
                    if next.is_some() {
                        self.state = Some(State::Within(machine));
                        return next;
                    }
                    self.go_on(machine);
                }
                over => {
                    self.state = Some(over);
                    return None;
                }
            }
        }
    }

    fn run_through(&mut self, until: Ticks) {
        while let Some(at) = self.next()
            && at <= until
        {
            let all = self.program().messages();
            #[expect(clippy::cast_precision_loss, reason = "for people to read")]
            let part = self.messages.start as f64 / all as f64..self.messages.end as f64 / all as f64;
            if let Some(State::Within(machine)) = &mut self.state {
                cancel::within(part, || machine.stepping().run_through(at));
            }
        }
    }

    fn is_refused(&self) -> bool {
        matches!(self.state, Some(State::Failed(..)))
    }

    fn delivered(&self) -> usize {
        let before = self.done.as_ref().map_or(0, |done| done.messages.len());
        match &self.state {
            Some(State::Within(machine)) => before + machine.as_stepping().delivered(),
            _ => before,
        }
    }

    fn message(&self, id: MessageId, now: Ticks) -> Option<MessageOutcome> {
        let done = self.done.as_ref().map_or(&[][..], |done| &done.messages);
        match (done.get(id.index()), &self.state) {
            (Some(&message), _) => Some(message),
            (None, Some(State::Within(machine))) => {
                machine.as_stepping().message(MessageId::new(id.index() - done.len()), now)
            }
            _ => None,
        }
    }

    fn program(&self) -> &dyn Program {
        match &self.state {
            Some(State::Within(machine)) => &machine.stage().program,
            Some(State::Behind(program) | State::Failed(program, _)) => program,
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
