//! Deadlock freedom of the routing of a machine.
//!
//! Decided from all paths between all nodes, whatever messages there are: the channel dependency graph has no cycle (Dally and
//! Seitz 1987), or with an escape that of the escape has none (Duato 1993). Networks whose paths are too many to be followed
//! within about a second are left to `flitwise check --certificate`.

use super::words::{counted, first_of, grouped};
use crate::machine::{Machine, Routers};
use crate::network::{BuiltNetwork, NetworkSpec, Remedy};
use crate::routing::certificate::steps_of_all;
use crate::routing::relation::{Dependence, DependenceScope};
use crate::routing::{DependencyGraph, Network, Routing};
use crate::topology::Links;
use crate::units::{LinkId, NodeId};

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
        format!("a cycle of channels, each of which can be held by a message that waits for the next: {names}")
    }
}

impl DeadlockFreedom {
    /// Decides it for `machine`.
    pub fn decide(machine: &Machine) -> Self {
        let Some(network) = &machine.network else {
            return Self::Unchecked(
                "deadlock freedom not checked: a scenario without a network of routers has no routing".to_owned(),
            );
        };
        // the ends of a chip add classes of virtual channels, of which messages on the network's paths take the first
        let routers = machine.routers.as_ref().filter(|_| machine.device.is_none());
        let subject = Subject { name: describe(network, routers), machine };
        match routers {
            None => subject.on_paths(network.network.as_ref()),
            Some(routers) => subject.on_routers(routers.routes.as_ref()),
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
        let steps = steps_of_all(channels.nodes(), MOST_STEPS, |dst| {
            path.clear();
            network.route(NodeId(0), dst, &mut path);
            path.len() as u64
        });
        if steps > MOST_STEPS {
            return self.unchecked();
        }
        let graph = DependencyGraph::for_network(network);
        if graph.channels() == 0 {
            let name = &self.name;
            return DeadlockFreedom::Proved(format!(
                "{name}: proved deadlock-free, because no path has more than one link"
            ));
        }
        let cycle = graph.shortest_cycle().unwrap_or_default();
        let names = cycle.into_iter().map(|channel| channels.name(channel)).collect();
        let members = counted(graph.channels() as u64, "channel");
        self.answer("", &format!("the channel dependency graph of {members} in use"), names)
    }

    /// Packets on virtual-channel routers, those of a smaller lattice with the same turns if theirs is large.
    fn on_routers(&self, routing: &dyn Routing) -> DeadlockFreedom {
        let Some(Dependence { shape, scope, virtual_channels, cycle }) = routing.dependence(MOST_STEPS) else {
            return self.unchecked();
        };
        let smaller = if routing.lattice().is_some_and(|lattice| lattice.shape() != shape) {
            let shape: Vec<String> = shape.iter().map(ToString::to_string).collect();
            format!(" on a lattice of {} nodes, which has the same turns", shape.join("x"))
        } else {
            String::new()
        };
        let members = counted(virtual_channels as u64, "virtual channel");
        let graph = match scope {
            DependenceScope::Fixed => format!("the channel dependency graph of {members}"),
            DependenceScope::Escape => format!("the channel dependency graph of the escape channels ({members})"),
            DependenceScope::Paths => format!("the channel dependency graph of all possible paths ({members})"),
        };
        self.answer(&smaller, &graph, cycle.unwrap_or_default())
    }

    fn answer(&self, smaller: &str, graph: &str, cycle: Vec<String>) -> DeadlockFreedom {
        if cycle.is_empty() {
            let name = &self.name;
            return DeadlockFreedom::Proved(format!(
                "{name}: proved deadlock-free{smaller}, because {graph} is acyclic"
            ));
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
            "{}: deadlock freedom not checked ({} channels, up to {} dependencies); `--certificate FILE` checks it",
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
