//! Deadlock freedom of the routing of a machine.
//!
//! Decided from all paths between all nodes, whatever messages there are: the channel dependency graph has no cycle (Dally and
//! Seitz 1987), or with an escape that of the escape has none (Duato 1993). Networks whose paths are too many to be followed
//! within about a second are left to `flitwise check --certificate`.

use super::words::{counted, first_of, grouped};
use crate::machine::{Machine, Routers};
use crate::network::{BuiltNetwork, NetworkSpec, Remedy};
use crate::routing::certificate::Dependencies;
use crate::routing::relation::dependence;
use crate::routing::{DependencyGraph, LinkRelation, Network, Relation, Routes};
use crate::topology::Links;
use crate::units::{LinkId, NodeId};
use std::ops::ControlFlow;

/// Most channels of all paths together that are followed: less than a second.
const MOST_STEPS: u64 = 1 << 26;

/// Answer to the question if messages of a machine can deadlock.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DeadlockFreedom {
    /// They cannot: the proof, in a sentence.
    Proved(String),
    /// They can.
    Possible(PossibleDeadlock),
    /// It is not decided: the reason, in a sentence.
    Unchecked(String),
}

/// A routing that can deadlock.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PossibleDeadlock {
    /// The network, its routing and its virtual channels.
    pub routing: String,
    /// Names of channels each of which can be held by a message that waits for the next, and the last by one for the first.
    pub cycle: Vec<String>,
    /// Changes under which that cannot happen.
    pub remedies: Vec<Remedy>,
}

impl PossibleDeadlock {
    /// The cycle in a sentence, its first channels by name.
    pub fn cycle_sentence(&self) -> String {
        let names = first_of(&self.cycle);
        format!(
            "each of these channels can be held by a message that waits for the next, the last by one for the first: {names}"
        )
    }
}

impl DeadlockFreedom {
    /// Decides it for `machine`.
    pub fn decide(machine: &Machine) -> Self {
        let Some(network) = &machine.network else {
            return Self::Unchecked(
                "deadlock freedom not checked: no channels are simulated, so there is no routing".to_owned(),
            );
        };
        // the ends of a chip add classes of virtual channels, of which messages on the network's paths take the first
        let routers = machine.routers.as_ref().filter(|_| machine.device.is_none());
        let subject = Subject { name: describe(network, routers), machine };
        match routers {
            None => subject.on_paths(network.network.as_ref()),
            Some(Routers { routes: Routes::Lattice(relation), .. }) => subject.on_lattice(relation),
            Some(Routers { routes: Routes::Links(relation), .. }) => subject.over_links(relation),
        }
    }

    /// A text for `machine`. Machines with the same text have the same answer.
    pub fn key(machine: &Machine) -> String {
        let network = machine.network.as_ref().map(|network| (network.kind.name, network.spec.parameters()));
        let routers = machine.routers.as_ref().map(|routers| (routers.routing, routers.virtual_channels));
        format!("{network:?} {routers:?} {}", machine.device.is_some())
    }

    /// The deadlock, if there can be one.
    pub fn deadlock(&self) -> Option<&PossibleDeadlock> {
        if let Self::Possible(deadlock) = self { Some(deadlock) } else { None }
    }

    /// True if messages cannot deadlock, false if they can, and `None` if that is not decided.
    pub fn is_free(&self) -> Option<bool> {
        match self {
            Self::Proved(_) => Some(true),
            Self::Possible(_) => Some(false),
            Self::Unchecked(_) => None,
        }
    }

    /// The answer in a sentence.
    pub fn sentence(&self) -> String {
        match self {
            Self::Proved(sentence) | Self::Unchecked(sentence) => sentence.clone(),
            Self::Possible(deadlock) => format!("{} can deadlock: {}", deadlock.routing, deadlock.cycle_sentence()),
        }
    }
}

/// Names the network, its routing and its virtual channels.
fn describe(network: &BuiltNetwork, routers: Option<&Routers>) -> String {
    let spec = &network.spec;
    let (routing, vcs) = match routers {
        Some(routers) => (routers.routing, routers.virtual_channels.into()),
        None => (spec.routing(), spec.virtual_channels()),
    };
    format!("{}, {routing} routing with {}", spec.title(), counted(vcs, "virtual channel"))
}

/// A machine whose routing is judged.
struct Subject<'a> {
    /// The network, its routing and its virtual channels.
    name: String,
    machine: &'a Machine,
}

impl Subject<'_> {
    /// Messages that take the one path of `network`, each virtual channel a channel of its own.
    fn on_paths(&self, network: &dyn Network) -> DeadlockFreedom {
        let channels = network.channels();
        let mut path = Vec::new();
        let steps = steps_of_all(channels.nodes(), |dst| {
            path.clear();
            network.route(NodeId(0), dst, &mut path);
            path.len() as u64
        });
        if steps > MOST_STEPS {
            return self.unchecked();
        }
        let graph = DependencyGraph::for_network(network);
        let cycle = graph.shortest_cycle().unwrap_or_default();
        let names = cycle.into_iter().map(|channel| channels.name(channel)).collect();
        let members = counted(graph.channels() as u64, "channel");
        self.answer("", &format!("the channel dependency graph of {members}"), names)
    }

    /// Packets on the virtual-channel routers of a lattice, a smaller one with the same turns if it is large.
    fn on_lattice(&self, relation: &Relation) -> DeadlockFreedom {
        let shown = dependence(relation);
        let shape: Vec<String> = shown.shape.iter().map(ToString::to_string).collect();
        let smaller = shown.shape != relation.lattice().shape();
        let smaller =
            if smaller { format!(" on {} nodes, which have the same turns", shape.join("x")) } else { String::new() };
        let members = counted(shown.virtual_channels as u64, "virtual channel");
        let graph = match relation.is_adaptive() {
            true => format!(
                "whatever packets choose, the channel dependency graph of the {members} they can always fall back on"
            ),
            false => format!("the channel dependency graph of {members}"),
        };
        self.answer(&smaller, &graph, shown.cycle.unwrap_or_default())
    }

    /// Packets on the virtual-channel routers of other networks.
    fn over_links(&self, relation: &LinkRelation) -> DeadlockFreedom {
        let links = relation.links();
        let routing = relation.routing();
        let vcs = self.machine.routers.as_ref().map_or(1, |routers| routers.virtual_channels);
        let steps = steps_of_all(links.nodes(), |dst| {
            let mut steps = 0;
            let _ = routing.each_path(NodeId(0), dst, &mut |path| {
                steps += 1 + path.len() as u64;
                if steps > MOST_STEPS { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
            });
            steps
        });
        if steps > MOST_STEPS {
            return self.unchecked();
        }
        let shown = Dependencies::of(links, routing, vcs).certificate();
        let names = shown.held().iter().map(|channel| channel.name(links, vcs)).collect();
        let members = counted(shown.used() as u64, "virtual channel");
        self.answer("", &format!("whatever paths packets take, the channel dependency graph of {members}"), names)
    }

    fn answer(&self, smaller: &str, graph: &str, cycle: Vec<String>) -> DeadlockFreedom {
        if cycle.is_empty() {
            let name = &self.name;
            return DeadlockFreedom::Proved(format!("{name}: proved deadlock-free{smaller}: {graph} is acyclic"));
        }
        let routing = format!("{}{smaller}", self.name);
        DeadlockFreedom::Possible(PossibleDeadlock { routing, cycle, remedies: self.machine.remedies() })
    }

    /// Virtual channels of links, and how many pairs of them can follow each other at a router.
    fn unchecked(&self) -> DeadlockFreedom {
        let vcs = match (&self.machine.routers, self.machine.spec()) {
            (Some(routers), _) => routers.virtual_channels.into(),
            (None, spec) => spec.map_or(1, NetworkSpec::virtual_channels),
        };
        let links = self.machine.spec().and_then(|spec| spec.links().ok());
        let (count, pairs) = links.map_or((0, 0), |links| (links.count() as u64, followers(links.as_ref())));
        DeadlockFreedom::Unchecked(format!(
            "{}: deadlock freedom not checked: {} channels, up to {} dependencies; `--certificate FILE` decides",
            self.name,
            grouped(count * vcs),
            grouped(pairs.saturating_mul(vcs).saturating_mul(vcs)),
        ))
    }
}

/// Pairs of links of which the first leads to the router that the second leaves.
fn followers(links: &dyn Links) -> u64 {
    let mut arriving = vec![0_u64; links.routers()];
    let mut leaving = vec![0_u64; links.routers()];
    for link in (0..links.count()).map(LinkId::new) {
        let (from, to) = links.ends(link);
        leaving[from.index()] += 1;
        arriving[to.index()] += 1;
    }
    arriving.iter().zip(leaving).map(|(arriving, leaving)| arriving * leaving).sum()
}

/// Estimates the channels of all paths between `nodes` nodes together from those of the first node's. Counting ends beyond
/// [`MOST_STEPS`].
fn steps_of_all(nodes: usize, mut from_first: impl FnMut(NodeId) -> u64) -> u64 {
    let mut steps = 0_u64;
    for dst in (0..nodes).map(NodeId::new) {
        steps = steps.saturating_add(from_first(dst).saturating_mul(nodes as u64));
        if steps > MOST_STEPS {
            break;
        }
    }
    steps
}
