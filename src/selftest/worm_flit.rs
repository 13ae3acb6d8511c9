//! The worm engine and the sleep engine against the flit engine, and the flit engine against the rules.

use super::apart::KINDS;
use super::case::Case;
use super::features::{Feature, FeatureSet, Swarm};
use super::laws::{
    ALONE, AS_WRITTEN, AUTO_IS_FLIT, Broken, CONSERVED, CYCLE, ENDS, FIRST_COME, FLITS_OBEY, Law, NO_PANIC, REFUSALS,
    SLEEP_IS_FLIT, WATCHED_OR_NOT, WORM_IS_FLIT,
};
use super::report::Shown;
use super::rules::{Flown, Planned, Record, closes};
use super::subject::{About, Effort, Subject};
use crate::costs::ChannelCosts;
use crate::engine::program::{GoalProgram, TraceProgram};
use crate::engine::{Engine, Observer, Outcome, Program, Stop};
use crate::routing::Network;
use crate::units::{Flits, MessageId, NodeId, Ticks};

static ABOUT: About = About {
    name: "worm-flit",
    summary: "the worm and sleep engines compared with the flit engine, and recorded runs of the flit engine with its rules",
    laws: &[
        &WORM_IS_FLIT,
        &WATCHED_OR_NOT,
        &SLEEP_IS_FLIT,
        &AUTO_IS_FLIT,
        &REFUSALS,
        &FLITS_OBEY,
        &FIRST_COME,
        &CONSERVED,
        &ALONE,
        &CYCLE,
        &AS_WRITTEN,
        &NO_PANIC,
        &ENDS,
    ],
    features: FeatureSet::of(KINDS).and(FeatureSet::of(PROGRAMS)).and(FeatureSet::of(&[Feature::FewerVirtualChannels])),
};

/// What machines and programs of every area may have.
pub(super) const PROGRAMS: &[Feature] = &[
    Feature::Larger,
    Feature::Order,
    Feature::Concentration,
    Feature::OddLinks,
    Feature::UnevenLinks,
    Feature::LinkDelays,
    Feature::Ports,
    Feature::Ejection,
    Feature::FlitTime,
    Feature::Buffers,
    Feature::RoutingDelay,
    Feature::LongMessages,
    Feature::EmptyMessages,
    Feature::ManyMessages,
    Feature::HotSpot,
    Feature::AtOnce,
    Feature::Operations,
    Feature::Computations,
    Feature::StartDependencies,
    Feature::Wildcards,
    Feature::NodeCosts,
];

/// What runs programs: the engines, or in tests such as are broken on purpose.
pub(super) trait Engines: Sync {
    fn run<P: Program + Clone, O: Observer>(
        &self,
        engine: Engine,
        machine: On<'_>,
        program: P,
        observer: &mut O,
    ) -> Result<Outcome, Stop>;
}

/// The engines of this crate.
pub(super) struct Ours;

impl Engines for Ours {
    fn run<P: Program + Clone, O: Observer>(
        &self,
        engine: Engine,
        On { network, costs }: On<'_>,
        program: P,
        observer: &mut O,
    ) -> Result<Outcome, Stop> {
        engine.run(network, costs, program, observer)
    }
}

/// What a program runs on.
#[derive(Clone, Copy)]
pub(super) struct On<'a> {
    pub(super) network: &'a dyn Network,
    pub(super) costs: ChannelCosts,
}

/// The area with the engines of this crate.
pub(super) struct WormFlit;

impl Subject for WormFlit {
    type Case = Case;

    fn about(&self) -> &'static About {
        &ABOUT
    }

    fn draw(&self, swarm: &mut Swarm) -> Case {
        Case::draw(swarm)
    }

    fn judge(&self, case: &Case) -> Result<Effort, Broken> {
        judge(&Ours, case)
    }

    fn runs(&self, case: &Case, broken: &Broken) -> Vec<Shown> {
        runs(case, broken.law)
    }
}

/// The engines that differ, and where the flit engine itself breaks a rule that and `auto`.
pub(super) fn runs(_: &Case, law: &Law) -> Vec<Shown> {
    let flit = Shown { name: "flit", arguments: "-s engine.kind=flit" };
    let other = match law.name {
        name if name == SLEEP_IS_FLIT.name => Shown { name: "sleep", arguments: "-s engine.kind=sleep" },
        name if name == WORM_IS_FLIT.name || name == WATCHED_OR_NOT.name || name == ALONE.name => {
            Shown { name: "worm", arguments: "-s engine.kind=worm" }
        }
        _ => Shown { name: "auto", arguments: "-s engine.kind=auto" },
    };
    vec![flit, other]
}

/// Holds `case` against all laws on `engines`.
pub(super) fn judge<E: Engines>(engines: &E, case: &Case) -> Result<Effort, Broken> {
    let Some(network) = case.machine.network() else { return Ok(Effort::default()) };
    let on = On { network: network.as_ref(), costs: case.machine.channel };
    if !case.messages.operations {
        let messages = case.messages.trace();
        return Held { engines, on, program: TraceProgram::new(&messages) }.judge();
    }
    let ranks = network.channels().nodes();
    let goal = case.messages.goal(ranks);
    let nodes: Vec<NodeId> = (0..ranks).map(NodeId::new).collect();
    Held { engines, on, program: GoalProgram::new(&goal, &nodes, &case.machine.node, 1) }.judge()
}

/// A program that is held against the laws.
struct Held<'a, E, P> {
    engines: &'a E,
    on: On<'a>,
    program: P,
}

/// How a run ended, and what was told of it.
struct Ran {
    ended: Result<Outcome, Stop>,
    record: Record,
}

impl<E: Engines, P: Program + Clone> Held<'_, E, P> {
    fn run(&self, engine: Engine, mut record: Record) -> Ran {
        let ended = self.engines.run(engine, self.on, self.program.clone(), &mut record);
        record.sort();
        Ran { ended, record }
    }

    fn unwatched(&self, engine: Engine) -> Result<Outcome, Stop> {
        self.engines.run(engine, self.on, self.program.clone(), &mut ())
    }

    fn judge(&self) -> Result<Effort, Broken> {
        let flit = self.run(Engine::Flit, Record::of_flits());
        self.worm(&flit)?;
        self.sleep(&flit)?;
        match &flit.ended {
            Ok(outcome) => {
                self.obeys(&flit.record, outcome)?;
                let messages = outcome.messages.len() as u64;
                Ok(Effort { messages, blocked: outcome.blocked_messages > 0, deadlocked: false })
            }
            Err(Stop::Deadlock(deadlock)) => {
                closes(deadlock, &flit.record, self.on.network)?;
                Ok(Effort { messages: 0, blocked: true, deadlocked: true })
            }
            // receives that took what others were to have
            Err(Stop::Unfinished(_)) => Ok(Effort::default()),
            Err(other) => Err(REFUSALS.broken(format!("the flit engine reports: {other}"))),
        }
    }

    /// The worm engine watched and not; where it refuses, the one that `auto` takes in its place.
    fn worm(&self, flit: &Ran) -> Result<(), Broken> {
        let worm = self.run(Engine::Worm, Record::default());
        let channels = self.on.network.channels();
        match &worm.ended {
            Err(Stop::Shared { .. }) if channels.virtual_channels() > 1 => {
                same(&AUTO_IS_FLIT, "auto", &flit.ended, &self.unwatched(Engine::Auto))
            }
            Err(Stop::ShortBuffer(short)) if short.cost.covering_buffer() > short.cost.buffer(self.on.costs.buffer) => {
                same(&AUTO_IS_FLIT, "auto", &flit.ended, &self.unwatched(Engine::Auto))
            }
            Err(Stop::Shared { .. } | Stop::ShortBuffer(_)) => {
                Err(REFUSALS.broken(format!("the worm engine reports {:?}", worm.ended)))
            }
            _ => {
                same(&WORM_IS_FLIT, "worm", &flit.ended, &worm.ended)?;
                told(&WORM_IS_FLIT, "worm", &flit.record, &worm.record)?;
                same(&WATCHED_OR_NOT, "unwatched", &worm.ended, &self.unwatched(Engine::Worm))?;
                self.alone(&worm.ended)
            }
        }
    }

    fn sleep(&self, flit: &Ran) -> Result<(), Broken> {
        let sleep = self.run(Engine::Sleep, Record::of_flits());
        if sleep.ended == Err(Stop::Uneven) {
            let is_even = self.on.network.channels().is_even(self.on.costs.flit_time);
            return if is_even {
                Err(REFUSALS.broken("the sleep engine refuses a run whose channels have equal costs"))
            } else {
                Ok(())
            };
        }
        same(&SLEEP_IS_FLIT, "sleep", &flit.ended, &sleep.ended)?;
        told(&SLEEP_IS_FLIT, "sleep", &flit.record, &sleep.record)
    }

    fn obeys(&self, record: &Record, outcome: &Outcome) -> Result<(), Broken> {
        let planned = |id: usize| {
            let id = MessageId::new(id);
            let mut path = Vec::new();
            self.program.path(id, self.on.network, &mut path);
            Planned { flits: self.program.message(id).2.on_wire(), path }
        };
        let messages: Vec<Planned> = (0..self.program.messages()).map(planned).collect();
        Flown { network: self.on.network, costs: self.on.costs, record, outcome, messages: &messages }.obeys()
    }

    /// Closed forms, where all channels are alike.
    fn alone(&self, ended: &Result<Outcome, Stop>) -> Result<(), Broken> {
        let Ok(outcome) = ended else { return Ok(()) };
        if !self.on.network.channels().is_even(self.on.costs.flit_time) {
            return Ok(());
        }
        for (id, message) in outcome.messages.iter().enumerate() {
            let flits: Flits = self.program.message(MessageId::new(id)).2;
            let alone = self.on.costs.unloaded(flits, message.hops as usize + 2);
            let took = message.delivered - message.requested;
            let is_alone = message.blocked_time == Ticks::ZERO;
            if took < alone || (is_alone && took > alone) {
                return Err(ALONE
                    .broken(format!("message {id} takes {took} ticks, but {alone} without contention: {message:?}")));
            }
        }
        Ok(())
    }
}

/// That two runs ended alike.
fn same(
    law: &'static Law,
    name: &str,
    flit: &Result<Outcome, Stop>,
    other: &Result<Outcome, Stop>,
) -> Result<(), Broken> {
    match (flit, other) {
        (Ok(one), Ok(other)) => {
            for (id, (one, other)) in one.messages.iter().zip(&other.messages).enumerate() {
                law.equal(format_args!("message {id}, flit and {name}"), one, other)?;
            }
            law.equal(format_args!("messages, flit and {name}"), &one.messages.len(), &other.messages.len())?;
            law.equal(format_args!("completion, flit and {name}"), &one.completion, &other.completion)
        }
        (Err(one), Err(other)) => law.equal(format_args!("flit and {name}"), one, other),
        (one, other) => {
            let how = |ended: &Result<Outcome, Stop>| match ended {
                Ok(outcome) => format!("ends at {}", outcome.completion),
                Err(stop) => stop.to_string(),
            };
            Err(law.broken(format!("flit: {}; {name}: {}", how(one), how(other))))
        }
    }
}

/// That two engines told the same; of flits only where both did.
fn told(law: &'static Law, name: &str, flit: &Record, other: &Record) -> Result<(), Broken> {
    law.all_equal(format_args!("grants, flit and {name}"), &flit.grants, &other.grants)?;
    law.all_equal(format_args!("releases, flit and {name}"), &flit.releases, &other.releases)?;
    if !other.follows {
        return Ok(());
    }
    law.all_equal(format_args!("starts of flits, flit and {name}"), &flit.starts, &other.starts)
}

#[cfg(test)]
#[allow(clippy::panic, reason = "a test that cannot go on fails")]
mod tests {
    use super::super::features::Swarm;
    use super::super::minimise::{Smallest, minimise};
    use super::*;
    use crate::random;

    /// Engines of which one is wrong on purpose.
    struct Planted<F>(F);

    impl<F: Fn(Engine, &mut Outcome) + Sync> Engines for Planted<F> {
        fn run<P: Program + Clone, O: Observer>(
            &self,
            engine: Engine,
            on: On<'_>,
            program: P,
            observer: &mut O,
        ) -> Result<Outcome, Stop> {
            let mut outcome = Ours.run(engine, on, program, observer)?;
            (self.0)(engine, &mut outcome);
            Ok(outcome)
        }
    }

    fn drawn(number: u64) -> Case {
        Case::draw(&mut Swarm::new(random::stream(number, ABOUT.name, 0), ABOUT.features))
    }

    /// The first of a thousand cases that breaks a law on `engines`, made small.
    fn smallest(engines: &impl Engines) -> Option<Smallest<Case>> {
        let first = (0..1000).find_map(|number| Some((drawn(number), judge(engines, &drawn(number)).err()?)));
        first.map(|(case, broken)| minimise(case, broken, |case| judge(engines, case).err()))
    }

    #[test]
    fn nothing_is_found_where_nothing_is_planted() {
        assert!(smallest(&Ours).is_none_or(|found| panic!("{:?}", found.broken)));
    }

    /// A worm engine that delivers messages late which were blocked by others: two messages show it, of a flit each.
    #[test]
    fn a_planted_difference_is_found_and_two_messages_are_left() {
        let late = Planted(|engine, outcome: &mut Outcome| {
            let blocked = outcome.messages.iter_mut().filter(|message| message.blocked_headers > 0);
            blocked.filter(|_| engine == Engine::Worm).for_each(|message| message.delivered += Ticks(1));
        });
        let found = smallest(&late).map(|found| (found.broken.law.name, found.case));
        let Some((law, Case { machine, messages })) = found else { panic!("nothing is found") };
        assert_eq!(law, "worm-is-flit");
        assert_eq!(messages.list.len(), 2, "{messages:?}");
        assert!(messages.list.iter().all(|message| message.flits <= 1 && message.start <= 1), "{messages:?}");
        assert!(!messages.operations && machine.ejection.is_none() && machine.node.ports == 1, "{machine:?}");
        assert_eq!(machine.channel, ChannelCosts::default());
        let nodes = machine.network().map(|network| network.channels().nodes());
        assert!(nodes.is_some_and(|nodes| nodes <= 2), "{machine:?}");
    }

    /// A flit engine that tells too little of the times that its messages waited.
    #[test]
    fn the_flit_engine_is_held_against_the_rules() {
        let hasty = Planted(|_, outcome: &mut Outcome| {
            outcome.messages.iter_mut().for_each(|message| message.delivered = message.delivered.max(Ticks(40)));
        });
        let found = smallest(&hasty).map(|found| (found.broken.law.name, found.case.messages.list.len()));
        assert_eq!(found, Some(("alone", 1)));
    }
}
