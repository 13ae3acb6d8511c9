//! What is proved to be free of deadlock never deadlocks: certificates and dependency graphs against runs under dense traffic, and
//! against a plain search for cycles.

use super::apart::KINDS;
use super::case::{Case, Messages};
use super::features::{FeatureSet, Swarm};
use super::laws::{AS_WRITTEN, Broken, ENDS, FREE_IS_FREE, NO_PANIC, SAME_CYCLES};
use super::report::Shown;
use super::routers::{OWN, Setting};
use super::subject::{About, Effort, Subject};
use super::worm_flit::PROGRAMS;
use crate::engine::program::TraceProgram;
use crate::engine::router::run_program;
use crate::engine::{Engine, Stop};
use crate::routing::certificate::Verdict;
use crate::routing::{DependencyGraph, Network};
use crate::units::{ChannelId, NodeId};
use std::collections::{BTreeMap, BTreeSet};

static ABOUT: About = About {
    name: "deadlock",
    summary: "certificates and dependency graphs compared with runs of dense traffic and with a simple search for cycles",
    laws: &[&FREE_IS_FREE, &SAME_CYCLES, &AS_WRITTEN, &NO_PANIC, &ENDS],
    features: FeatureSet::of(KINDS).and(FeatureSet::of(PROGRAMS)).and(FeatureSet::of(OWN)),
};

/// The area.
pub(super) struct Deadlock;

impl Subject for Deadlock {
    type Case = Case;

    fn about(&self) -> &'static About {
        &ABOUT
    }

    /// Mostly so many messages at once that a cycle which can close mostly does.
    fn draw(&self, swarm: &mut Swarm) -> Case {
        let mut case = Case::draw_with_routers(swarm);
        if swarm.toss(0.8)
            && let Some(network) = case.machine.network()
        {
            case.messages = Messages::draw_dense(swarm, network.channels().nodes());
        }
        case
    }

    fn judge(&self, case: &Case) -> Result<Effort, Broken> {
        let Some(setting) = Setting::from_machine(&case.machine) else { return Ok(Effort::default()) };
        let cycle = has_cycle(&*setting.network)?;
        let verdict = verdict(case, &setting);
        let messages = case.messages.trace();
        let program = TraceProgram::new(&messages);
        let wormhole = Engine::Auto.run(&*setting.network, case.machine.channel, program, &mut ());
        if let (Err(Stop::Deadlock(deadlock)), false) = (&wormhole, cycle) {
            return Err(FREE_IS_FREE
                .broken(format!("the dependency graph is acyclic, but the wormhole engine reports: {deadlock}")));
        }
        let routers = setting.with(|setup| run_program(setup, program, &mut ()));
        if let (Err(Stop::Deadlock(deadlock)), Verdict::Free) = (&routers, verdict) {
            return Err(FREE_IS_FREE.broken(format!(
                "the certificate declares the routers deadlock-free, but the router engine reports: {deadlock}"
            )));
        }
        let is_own = u64::from(setting.routes.virtual_channels()) == case.machine.topology.virtual_channels();
        if case.machine.fixes_paths() && is_own {
            SAME_CYCLES.equal(
                "deadlock-free by the certificate and by the dependency graph",
                &(verdict == Verdict::Free),
                &!cycle,
            )?;
        }
        let deadlocked = wormhole.is_err() || routers.is_err();
        let arrived = routers.map_or(0, |outcome| outcome.messages.len());
        Ok(Effort { messages: arrived as u64, blocked: true, deadlocked })
    }

    fn runs(&self, _: &Case, _: &Broken) -> Vec<Shown> {
        vec![
            Shown { name: "router", arguments: "-s engine.kind=router" },
            Shown { name: "auto", arguments: "-s engine.kind=auto" },
        ]
    }
}

/// What is proved of the routers of `case`.
fn verdict(case: &Case, setting: &Setting) -> Verdict {
    let Some(links) = case.machine.topology.links() else { return Verdict::Undecided };
    setting.routes.certificate(links.as_ref(), setting.costs.atomic).verdict()
}

/// Which channels follow which on the paths of `network`.
fn followers(network: &dyn Network) -> BTreeMap<ChannelId, BTreeSet<ChannelId>> {
    let nodes = || (0..network.channels().nodes()).map(NodeId::new);
    let mut followers: BTreeMap<ChannelId, BTreeSet<ChannelId>> = BTreeMap::new();
    let mut path = Vec::new();
    for (src, dst) in nodes().flat_map(|src| nodes().map(move |dst| (src, dst))) {
        path.clear();
        network.route(src, dst, &mut path);
        for pair in path.windows(2) {
            followers.entry(pair[0]).or_default().insert(pair[1]);
        }
    }
    followers
}

/// Whether channels of `network` depend on each other in a cycle: by taking away, as long as there is one, a channel on which
/// none depends that is left. The dependency graph must say the same, and show a cycle that is one.
fn has_cycle(network: &dyn Network) -> Result<bool, Broken> {
    let followers = followers(network);
    let pairs = || followers.iter().flat_map(|(held, next)| next.iter().map(move |next| (*held, *next)));
    let mut left: BTreeSet<(ChannelId, ChannelId)> = pairs().collect();
    loop {
        let held: BTreeSet<ChannelId> = left.iter().map(|(held, _)| *held).collect();
        let before = left.len();
        left.retain(|(_, requested)| held.contains(requested));
        if left.len() == before {
            break;
        }
    }
    let cycle = DependencyGraph::from_iter(pairs()).shortest_cycle();
    SAME_CYCLES.equal(
        "existence of a cycle, by the dependency graph and by repeated removal",
        &cycle.is_some(),
        &!left.is_empty(),
    )?;
    let channels = cycle.unwrap_or_default();
    let nexts = channels.iter().cycle().skip(1);
    for (held, requested) in channels.iter().zip(nexts) {
        if !followers.get(held).is_some_and(|next| next.contains(requested)) {
            return Err(SAME_CYCLES
                .broken(format!("cycle {channels:?} of the graph: no path leads from {held} to {requested}")));
        }
    }
    Ok(!left.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random;

    #[test]
    fn nothing_is_found_and_deadlocks_come_about() {
        let drawn = |number| Deadlock.draw(&mut Swarm::new(random::stream(number, ABOUT.name, 0), ABOUT.features));
        let efforts: Result<Vec<Effort>, Broken> = (0..600).map(|number| Deadlock.judge(&drawn(number))).collect();
        let deadlocks = efforts.map(|all| all.iter().filter(|effort| effort.deadlocked).count());
        assert!(deadlocks.as_ref().is_ok_and(|&deadlocks| (5..300).contains(&deadlocks)), "{deadlocks:?}");
    }
}
