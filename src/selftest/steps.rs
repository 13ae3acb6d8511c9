//! Runs in the caller's hands, tick by tick and in strides, against the same to their end at once.

use super::apart::KINDS;
use super::case::Case;
use super::features::{FeatureSet, Swarm};
use super::laws::{AS_WRITTEN, Broken, ENDS, NO_PANIC, STEPPED};
use super::report::Shown;
use super::routers::{OWN, Setting};
use super::subject::{About, Effort, Subject};
use super::worm_flit::PROGRAMS;
use crate::costs::ChannelCosts;
use crate::engine::program::{GoalProgram, TraceProgram};
use crate::engine::router::{Setup, run_program, start_program};
use crate::engine::{Engine, Event, Interest, Observer, Outcome, Program, Running, Simulation, Stop, Stopping};
use crate::routing::Network;
use crate::units::{ChannelId, MessageId, NodeId, Ticks};

static ABOUT: About = About {
    name: "steps",
    summary: "runs that advance tick by tick, by several ticks, or until an observer stops them, compared with runs without interruption",
    laws: &[&STEPPED, &AS_WRITTEN, &NO_PANIC, &ENDS],
    features: FeatureSet::of(KINDS).and(FeatureSet::of(PROGRAMS)).and(FeatureSet::of(OWN)),
};

/// The area.
pub(super) struct Steps;

impl Subject for Steps {
    type Case = Case;

    fn about(&self) -> &'static About {
        &ABOUT
    }

    fn draw(&self, swarm: &mut Swarm) -> Case {
        if swarm.toss(0.3) { Case::draw_with_routers(swarm) } else { Case::draw(swarm) }
    }

    fn judge(&self, case: &Case) -> Result<Effort, Broken> {
        let Some(network) = case.machine.network() else { return Ok(Effort::default()) };
        let setting = Setting::from_machine(&case.machine).filter(|_| case.machine.routers.is_some());
        let held = Held { network: &*network, costs: case.machine.channel, setting: setting.as_ref() };
        if !case.messages.operations {
            return held.judge(&TraceProgram::new(&case.messages.trace()));
        }
        let ranks = network.channels().nodes();
        let nodes: Vec<NodeId> = (0..ranks).map(NodeId::new).collect();
        held.judge(&GoalProgram::new(&case.messages.goal(ranks), &nodes, &case.machine.node, 1))
    }

    fn runs(&self, _: &Case, _: &Broken) -> Vec<Shown> {
        vec![Shown { name: "auto", arguments: "-s engine.kind=auto" }]
    }
}

/// What an observer is told.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Call {
    Restarted,
    Granted(MessageId, usize, ChannelId, Ticks, Ticks),
    Started(MessageId, usize, ChannelId, Ticks),
    Released(MessageId, usize, ChannelId, Ticks),
}

/// All that it is told, in order, of an observer that follows flits or not, or does not watch at all.
#[derive(Clone, Debug, Default)]
struct Calls {
    watches: bool,
    follows: bool,
    /// How many calls end the run, if so many may.
    most: Option<usize>,
    told: Vec<Call>,
}

impl Observer for Calls {
    fn interest(&self) -> Interest {
        let stopping = match self.most {
            Some(most) if self.told.len() >= most => Stopping::Now,
            Some(_) => Stopping::NotYet,
            None => Stopping::Never,
        };
        Interest { hops: self.watches, flits: self.follows, stopping, ..Interest::NOTHING }
    }

    fn event(&mut self, event: Event<'_>) {
        let call = match event {
            Event::Restarted => Call::Restarted,
            Event::Granted { message, hop, channel, requested, start } => {
                Call::Granted(message, hop, channel, requested, start)
            }
            Event::Started { message, hop, channel, at } => Call::Started(message, hop, channel, at),
            Event::Released { message, hop, channel, at } => Call::Released(message, hop, channel, at),
            Event::Left { .. } | Event::Ended(_) => return,
        };
        self.told.push(call);
    }
}

/// A run that can be done at once and step by step.
trait Runs {
    fn run(&self, calls: &mut Calls) -> Result<Outcome, Stop>;

    fn start<'a>(&'a self, calls: &'a mut Calls) -> Result<Running<'a>, Stop>;
}

/// On a wormhole engine.
struct OnEngine<'a, P> {
    network: &'a dyn Network,
    costs: ChannelCosts,
    engine: Engine,
    program: &'a P,
}

impl<P: Program + Clone> Runs for OnEngine<'_, P> {
    fn run(&self, calls: &mut Calls) -> Result<Outcome, Stop> {
        self.engine.run(self.network, self.costs, self.program.clone(), calls)
    }

    fn start<'a>(&'a self, calls: &'a mut Calls) -> Result<Running<'a>, Stop> {
        let simulation = Simulation::new(self.network, self.program.clone()).costs(self.costs);
        simulation.engine(self.engine).observer(calls).start()
    }
}

/// On routers.
struct OnRouters<'a, P> {
    setup: &'a Setup<'a>,
    program: &'a P,
}

impl<P: Program + Clone> Runs for OnRouters<'_, P> {
    fn run(&self, calls: &mut Calls) -> Result<Outcome, Stop> {
        run_program(self.setup, self.program.clone(), calls)
    }

    fn start<'a>(&'a self, calls: &'a mut Calls) -> Result<Running<'a>, Stop> {
        start_program(self.setup, self.program.clone(), Some(calls))
    }
}

/// What programs run on.
struct Held<'a> {
    network: &'a dyn Network,
    costs: ChannelCosts,
    setting: Option<&'a Setting>,
}

impl Held<'_> {
    fn judge<P: Program + Clone>(&self, program: &P) -> Result<Effort, Broken> {
        if let Some(setting) = self.setting {
            return setting.with(|setup| stepped("router", &OnRouters { setup, program }));
        }
        let mut effort = Effort::default();
        for engine in [Engine::Flit, Engine::Sleep, Engine::Worm, Engine::Auto] {
            let Self { network, costs, .. } = *self;
            effort = stepped(engine.name(), &OnEngine { network, costs, engine, program })?;
        }
        Ok(effort)
    }
}

/// A run to its end at once.
struct AtOnce {
    ended: Result<Outcome, Stop>,
    calls: Calls,
}

/// Holds `runs` of the engine called `name` against the law, for each kind of observer.
fn stepped(name: &str, runs: &impl Runs) -> Result<Effort, Broken> {
    let mut effort = Effort::default();
    for (watches, follows) in [(false, false), (true, false), (true, true)] {
        let observer = Calls { watches, follows, ..Calls::default() };
        let mut calls = observer.clone();
        let ended = runs.run(&mut calls);
        let at_once = AtOnce { ended, calls };
        by_strides(name, runs, &observer, &at_once)?;
        if watches {
            ended_by_observer(name, runs, &observer, &at_once)?;
        }
        let ended = at_once.ended;
        effort = Effort {
            messages: ended.as_ref().map_or(0, |outcome| outcome.messages.len() as u64),
            blocked: ended.as_ref().map_or(true, |outcome| outcome.blocked_messages > 0),
            deadlocked: matches!(ended, Err(Stop::Deadlock(_))),
        };
    }
    Ok(effort)
}

/// Tick by tick, and in strides of a seventh of the run with single ticks between them.
fn by_strides(name: &str, runs: &impl Runs, observer: &Calls, at_once: &AtOnce) -> Result<(), Broken> {
    let AtOnce { ended, calls: whole } = at_once;
    let length = ended.as_ref().map_or(100, |outcome| outcome.completion.0);
    for stride in [None, Some(length / 7 + 1)] {
        let mut calls = observer.clone();
        let same = match runs.start(&mut calls) {
            Err(stop) => Err(stop),
            Ok(mut run) => {
                while !run.is_finished() {
                    go_on(name, &mut run, stride, ended)?;
                }
                run.finish()
            }
        };
        STEPPED.equal(format_args!("{name}, without interruption and in strides of {stride:?}"), ended, &same)?;
        STEPPED.all_equal(
            format_args!("calls, {name}, without interruption and in strides of {stride:?}"),
            &whole.told,
            &calls.told,
        )?;
    }
    Ok(())
}

/// A step, or a stride and a step after it; what is delivered then.
fn go_on(name: &str, run: &mut Running<'_>, stride: Option<u64>, ended: &Result<Outcome, Stop>) -> Result<(), Broken> {
    let before = run.now();
    let next = run.next_tick();
    if let Some(stride) = stride {
        run.run_until(before + Ticks(stride));
        delivered(name, run, ended)?;
    } else {
        STEPPED.equal(format_args!("{name}: the announced tick and the tick of the step"), &next, &run.step())?;
    }
    run.step();
    if run.now() < before {
        return Err(STEPPED.broken(format!("{name}: time went back from tick {before} to {}", run.now())));
    }
    Ok(())
}

/// What is told of messages at a tick is what the outcome says of those that are delivered by then.
fn delivered(name: &str, run: &Running<'_>, ended: &Result<Outcome, Stop>) -> Result<(), Broken> {
    // before `auto` begins again on another engine, what is told is what the worm engine took to be so
    let Some(outcome) =
        ended.as_ref().ok().filter(|outcome| name != Engine::Auto.name() || outcome.engine == Engine::Worm)
    else {
        return Ok(());
    };
    let mut count = 0;
    for (id, message) in outcome.messages.iter().enumerate() {
        let expected = Some(*message).filter(|message| message.delivered <= run.now());
        count += usize::from(expected.is_some());
        let told = run.message(MessageId::new(id));
        STEPPED.equal(format_args!("{name}: message {id} at tick {}", run.now()), &told, &expected)?;
    }
    STEPPED.equal(format_args!("{name}: delivered at tick {}", run.now()), &run.delivered(), &count)
}

/// An observer that ends the run halfway is told what is told up to there.
fn ended_by_observer(name: &str, runs: &impl Runs, observer: &Calls, at_once: &AtOnce) -> Result<(), Broken> {
    let whole = &at_once.calls;
    if whole.told.is_empty() {
        return Ok(());
    }
    let half = whole.told.len() / 2 + 1;
    let mut calls = Calls { most: Some(half), ..observer.clone() };
    let ended = runs.run(&mut calls);
    let Err(Stop::Stopped { .. }) = ended else {
        return Err(STEPPED.broken(format!("{name} was stopped by its observer, but ended with {ended:?}")));
    };
    let told = &whole.told[..calls.told.len().min(whole.told.len())];
    STEPPED.all_equal(format_args!("calls, {name}, until its observer stops it"), told, &calls.told)
}
