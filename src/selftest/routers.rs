//! The router engine against a plain simulation of the same routers, and where it follows their rules against the flit engine.

use super::apart::KINDS;
use super::case::{Case, Machine};
use super::features::{Feature, FeatureSet, Swarm};
use super::laws::{
    ANY_THREADS, AS_WRITTEN, Broken, ENDS, IDEAL_IS_WORMHOLE, Law, NO_PANIC, PATHS_ARE_TREES, ROUTER_IS_REFERENCE,
};
use super::reference::router as reference;
use super::report::Shown;
use super::strips;
use super::subject::{About, Effort, Subject};
use super::worm_flit::PROGRAMS;
use crate::costs::ChannelCosts;
use crate::engine::program::{GoalProgram, TraceProgram};
use crate::engine::router::{Nodes, RouterCosts, Setup, run_program};
use crate::engine::{Engine, Event, Interest, Observer, Outcome, Program, Stop};
use crate::machine::Draw;
use crate::random;
use crate::routing::{Network, Routing};
use crate::units::{ChannelId, MessageId, NodeId, Ticks, narrow};
use std::fmt;
use std::sync::Arc;

static ABOUT: About = About {
    name: "routers",
    summary: "the router engine compared with a reference implementation, cycle by cycle, and with the flit engine",
    laws: &[&ROUTER_IS_REFERENCE, &IDEAL_IS_WORMHOLE, &PATHS_ARE_TREES, &ANY_THREADS, &AS_WRITTEN, &NO_PANIC, &ENDS],
    features: FeatureSet::of(KINDS).and(FeatureSet::of(PROGRAMS)).and(FeatureSet::of(OWN)),
};

/// What routers may have beyond that.
pub(super) const OWN: &[Feature] = &[
    Feature::FewerVirtualChannels,
    Feature::Pipelined,
    Feature::Shared,
    Feature::NotSpeculative,
    Feature::Allocators,
    Feature::LinkLatency,
    Feature::MoreVirtualChannels,
    Feature::Choosing,
];

/// What runs programs on routers: the engine, or in tests one that is broken on purpose.
pub(super) trait RouterEngine: Sync {
    fn run<P: Program, O: Observer>(&self, setup: &Setup<'_>, program: P, observer: &mut O) -> Result<Outcome, Stop>;
}

/// The engine of this crate.
struct Ours;

impl RouterEngine for Ours {
    fn run<P: Program, O: Observer>(&self, setup: &Setup<'_>, program: P, observer: &mut O) -> Result<Outcome, Stop> {
        run_program(setup, program, observer)
    }
}

/// The area with the engine of this crate.
pub(super) struct Routers;

impl Subject for Routers {
    type Case = Case;

    fn about(&self) -> &'static About {
        &ABOUT
    }

    fn draw(&self, swarm: &mut Swarm) -> Case {
        Case::draw_with_routers(swarm)
    }

    fn judge(&self, case: &Case) -> Result<Effort, Broken> {
        judge(&Ours, case)
    }

    /// The simulation is no engine that a scenario can name: what there is to see is what routers do, and beside it, where rules
    /// are the same, what the flit engine does.
    fn runs(&self, _: &Case, broken: &Broken) -> Vec<Shown> {
        let router = Shown { name: "router", arguments: "-s engine.kind=router" };
        let flit = Shown { name: "flit", arguments: "-s engine.kind=flit" };
        if broken.law == &IDEAL_IS_WORMHOLE { vec![router, flit] } else { vec![router] }
    }
}

/// What programs of a case run on.
pub(super) struct Setting {
    pub(super) network: Arc<dyn Network>,
    pub(super) routes: Arc<dyn Routing>,
    pub(super) costs: RouterCosts,
    channel: ChannelCosts,
    /// Whether messages keep to the paths of the network.
    fixes_paths: bool,
    /// Whether the rules are those of the wormhole engines.
    is_wormhole: bool,
    /// What random bits of messages are made from: those of a scenario without a seed.
    key: u64,
}

impl Setting {
    /// The routers of `machine`, if it has such routers.
    pub(super) fn from_machine(machine: &Machine) -> Option<Self> {
        let network = machine.network()?;
        let routes = machine.routes()?;
        let costs = machine.router_costs(&*network)?;
        let fixes_paths = machine.fixes_paths();
        let channel = machine.channel;
        let has_own_rules = machine.routers.as_ref().is_some_and(|routers| routers.pipelined || !routers.atomic);
        let is_plain = network.channels().is_even(channel.flit_time) && routes.virtual_channels() == 1;
        // what nodes do within a cycle routers begin with the next
        let is_wormhole = !has_own_rules && is_plain && fixes_paths && channel.flit_time == 1;
        let key = Draw { seed: 1, repetition: 0 }.key();
        Some(Self { network, routes, costs, channel, fixes_paths, is_wormhole, key })
    }

    /// Returns true if routers can treat the paths of messages as trees: they allocate as trees require, and no path is drawn, or
    /// chosen by routers.
    fn has_trees(&self) -> bool {
        self.fixes_paths && self.costs.is_plain()
    }

    /// Does `work` with it as engines take it.
    pub(super) fn with<T>(&self, work: impl FnOnce(&Setup<'_>) -> T) -> T {
        let random_bits = |message: MessageId| random::mixed(self.key, u64::from(message.0));
        work(&Setup {
            routes: self.routes.as_ref(),
            fixed: self.fixes_paths.then_some(&*self.network),
            costs: self.costs,
            interfaces: None,
            trees: None,
            flit_time: self.channel.flit_time,
            random_bits: &random_bits,
        })
    }
}

/// Holds `case` against all laws on `engine`. What are no routers breaks none.
pub(super) fn judge<E: RouterEngine>(engine: &E, case: &Case) -> Result<Effort, Broken> {
    let Some(setting) = Setting::from_machine(&case.machine) else { return Ok(Effort::default()) };
    let setting = &setting;
    if !case.messages.operations {
        let messages = case.messages.trace();
        return Held { engine, setting, program: TraceProgram::new(&messages) }.judge();
    }
    let ranks = setting.network.channels().nodes();
    let goal = case.messages.goal(ranks);
    let nodes: Vec<NodeId> = (0..ranks).map(NodeId::new).collect();
    Held { engine, setting, program: GoalProgram::new(&goal, &nodes, &case.machine.node, 1) }.judge()
}

/// A program that is held against the laws.
struct Held<'a, E, P> {
    engine: &'a E,
    setting: &'a Setting,
    program: P,
}

impl<E: RouterEngine, P: Program + Clone> Held<'_, E, P> {
    fn judge(&self) -> Result<Effort, Broken> {
        let mut record = Grants::default();
        let fast = self.setting.with(|setup| {
            let fast = self.engine.run(setup, self.program.clone(), &mut record);
            record.sort();
            self.reference(setup, &fast, &record)?;
            strips::judge_program(setup, &self.program, &fast, &record)?;
            if self.setting.has_trees() {
                self.trees(setup, &fast, &record)?;
            }
            Ok(fast)
        })?;
        if self.setting.is_wormhole {
            self.wormhole(&fast)?;
        }
        match fast {
            Ok(outcome) => {
                let messages = outcome.messages.len() as u64;
                Ok(Effort { messages, blocked: outcome.blocked_messages > 0, deadlocked: false })
            }
            Err(Stop::Deadlock(_)) => Ok(Effort { messages: 0, blocked: true, deadlocked: true }),
            Err(_) => Ok(Effort::default()),
        }
    }

    /// Against the plain simulation, up to the last grant; of a deadlock that flits are left where the engine says so.
    fn reference(&self, setup: &Setup<'_>, fast: &Result<Outcome, Stop>, record: &Grants) -> Result<(), Broken> {
        let law = &ROUTER_IS_REFERENCE;
        let mut plain = Grants::default();
        let mut nodes = Nodes::new(setup, self.program.clone(), &mut plain);
        let classes = |network: &dyn Network| narrow(network.channels().virtual_channels(), "there are few classes");
        let done = reference::run(setup.routes, setup.costs, setup.fixed.map(classes), &mut nodes);
        let slow = nodes.finish(None, done.moved);
        plain.sort();
        let what = "grants (message, hop, channel, requested, granted), engine and reference";
        record.equal(&plain, law, what)?;
        let deadlocks = matches!(fast, Err(Stop::Deadlock(_)));
        law.equal("remaining flits, engine and reference", &deadlocks, &(done.stuck > 0))?;
        match (fast, &slow) {
            (Err(Stop::Deadlock(_)), Err(_)) => Ok(()),
            (Ok(fast), Ok(slow)) => {
                for (id, (fast, slow)) in fast.messages.iter().zip(&slow.messages).enumerate() {
                    law.equal(format_args!("message {id}, engine and reference"), fast, slow)?;
                }
                law.equal("outcome, engine and reference", fast, slow)
            }
            (Err(Stop::Unfinished(_)), Err(Stop::Unfinished(_))) => Ok(()),
            (fast, slow) => {
                law.equal("end of the run, engine and reference", &fast.as_ref().err(), &slow.as_ref().err())
            }
        }
    }
}

impl<E: RouterEngine, P: Program + Clone> Held<'_, E, P> {
    /// Against the same routers, which treat paths as trees.
    fn trees(&self, setup: &Setup<'_>, fast: &Result<Outcome, Stop>, record: &Grants) -> Result<(), Broken> {
        let rule = &PATHS_ARE_TREES;
        let setup = Setup { trees: setup.fixed, ..*setup };
        let mut grants = Grants::default();
        let trees = self.engine.run(&setup, self.program.clone(), &mut grants);
        grants.sort();
        match (fast, &trees) {
            (Ok(fast), Ok(trees)) => {
                record.equal(&grants, rule, "grants (message, hop, channel, requested, granted) of paths and trees")?;
                for (id, (path, tree)) in fast.messages.iter().zip(&trees.messages).enumerate() {
                    rule.equal(format_args!("message {id}, path and tree"), path, tree)?;
                }
                rule.equal("completion of paths and trees", &fast.completion, &trees.completion)
            }
            (Err(Stop::Deadlock(_)), Err(Stop::Deadlock(_))) | (Err(Stop::Unfinished(_)), Err(Stop::Unfinished(_))) => {
                Ok(())
            }
            (fast, trees) => rule.equal("end of the run, paths and trees", &fast.as_ref().err(), &trees.as_ref().err()),
        }
    }
}

impl<E: RouterEngine, P: Program + Clone> Held<'_, E, P> {
    /// Against the flit engine: every message's times and waits.
    fn wormhole(&self, fast: &Result<Outcome, Stop>) -> Result<(), Broken> {
        let law = &IDEAL_IS_WORMHOLE;
        let flit = Engine::Flit.run(&*self.setting.network, self.setting.channel, self.program.clone(), &mut ());
        match (fast, &flit) {
            (Ok(router), Ok(flit)) => {
                for (id, (router, flit)) in router.messages.iter().zip(&flit.messages).enumerate() {
                    law.equal(format_args!("message {id}, routers and flit"), router, flit)?;
                }
                law.equal("completion, routers and flit", &router.completion, &flit.completion)
            }
            (Err(Stop::Deadlock(_)), Err(Stop::Deadlock(_))) | (Err(Stop::Unfinished(_)), Err(Stop::Unfinished(_))) => {
                Ok(())
            }
            (router, flit) => {
                law.equal("end of the run, routers and flit", &router.as_ref().err(), &flit.as_ref().err())
            }
        }
    }
}

/// Every grant: message, hop, channel, request, grant.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Grants(Vec<(MessageId, usize, ChannelId, Ticks, Ticks)>);

impl Grants {
    /// Puts them in the order of their messages.
    pub(super) fn sort(&mut self) {
        self.0.sort_unstable();
    }

    /// They are the same as `other`, as `law` says.
    pub(super) fn equal(&self, other: &Self, law: &'static Law, what: impl fmt::Display) -> Result<(), Broken> {
        law.all_equal(what, &self.0, &other.0)
    }
}

impl Observer for Grants {
    fn interest(&self) -> Interest {
        Interest::HOPS
    }

    fn event(&mut self, event: Event<'_>) {
        if let Event::Granted { message, hop, channel, requested, start } = event {
            self.0.push((message, hop, channel, requested, start));
        }
    }
}

#[cfg(test)]
#[allow(clippy::panic, reason = "a test that cannot go on fails")]
mod tests {
    use super::super::features::Swarm;
    use super::super::minimise::minimise;
    use super::*;

    /// An engine whose messages of many flits arrive a tick early where they were blocked.
    struct Early;

    impl RouterEngine for Early {
        fn run<P: Program, O: Observer>(
            &self,
            setup: &Setup<'_>,
            program: P,
            observer: &mut O,
        ) -> Result<Outcome, Stop> {
            let mut outcome = Ours.run(setup, program, observer)?;
            let blocked = outcome.messages.iter_mut().filter(|message| message.blocked_headers > 1);
            blocked.for_each(|message| message.delivered.0 -= 1);
            Ok(outcome)
        }
    }

    fn drawn(number: u64) -> Case {
        Case::draw_with_routers(&mut Swarm::new(random::stream(number, ABOUT.name, 0), ABOUT.features))
    }

    #[test]
    fn nothing_is_found_where_nothing_is_planted() {
        let broken = (0..300).find_map(|number| Some((number, judge(&Ours, &drawn(number)).err()?)));
        assert_eq!(broken, None);
    }

    #[test]
    fn a_planted_difference_is_found_and_little_is_left() {
        let first = (0..1000).find_map(|number| Some((drawn(number), judge(&Early, &drawn(number)).err()?)));
        let Some((case, broken)) = first else { panic!("nothing is found") };
        let small = minimise(case, broken, |case| judge(&Early, case).err());
        assert_eq!(small.broken.law.name, "router-is-reference");
        let messages = &small.case.messages;
        assert!(messages.list.len() <= 4 && !messages.operations, "{messages:?}");
    }
}
