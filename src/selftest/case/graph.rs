//! Random graphs: a ring of routers with chords, nodes anywhere, links that may each take times of their own.

use super::topology::link_cost;
use crate::network::ParallelBy;
use crate::routing::graph::{Shortest, Spread, UpDown, Weight};
use crate::routing::{LinkNetwork, LinkRouting, Network};
use crate::selftest::features::{Feature, Swarm};
use crate::topology::{Attachment, Graph, Joint, LinkCost, Linked, Links, Ports};
use crate::units::{LinkId, RouterId};
use std::fmt::Write as _;
use std::sync::Arc;

/// A graph of a case.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct GraphCase {
    /// Per router what its two links to the next one on the ring take, there and back. One router has none.
    pub(super) ring: Vec<[LinkCost; 2]>,
    /// Further links, one way each.
    pub(super) chords: Vec<Joint>,
    pub(super) nodes: Vec<Attachment>,
    pub(super) routing: GraphRouting,
    pub(super) parallel: ParallelBy,
}

/// How messages find their way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum GraphRouting {
    UpDown {
        root: u64,
    },
    Shortest(Weight),
    /// Shortest with a class of virtual channels for each link of a path.
    ByHops,
}

impl GraphCase {
    pub(super) fn draw(swarm: &mut Swarm, flit_time: u64) -> Self {
        let most = if swarm.has(Feature::Larger, 0.2) { 12 } else { 5 };
        let routers = swarm.draw(2..=most);
        let alike = swarm.toss(0.5);
        let cost = |swarm: &mut Swarm| match alike {
            true => LinkCost::without_delay(flit_time),
            false => link_cost(swarm, flit_time),
        };
        let ring = (0..routers).map(|_| [cost(swarm), cost(swarm)]).collect();
        let root = u64::from(swarm.draw(0..routers));
        // the shortest paths of one class of virtual channels can deadlock
        let free = [GraphRouting::UpDown { root }, GraphRouting::ByHops];
        let prone = [GraphRouting::Shortest(Weight::Links), GraphRouting::Shortest(Weight::Latency)];
        let can_deadlock = swarm.has(Feature::FewerVirtualChannels, 0.6);
        let routing = swarm.one_of(if can_deadlock { &prone } else { &free });
        let mut chords = Vec::new();
        for _ in 0..swarm.draw(0..=routers) {
            let from = RouterId(swarm.draw(0..routers));
            let to = RouterId(swarm.draw(0..routers));
            if from == to {
                continue;
            }
            chords.push(Joint { from, to, cost: cost(swarm) });
            // up-down routing wants every link to have one back
            if matches!(routing, GraphRouting::UpDown { .. }) || swarm.toss(0.5) {
                chords.push(Joint { from: to, to: from, cost: cost(swarm) });
            }
        }
        let nodes = (0..swarm.draw(2..=routers + 2))
            .map(|_| Attachment { router: RouterId(swarm.draw(0..routers)), cost: cost(swarm) })
            .collect();
        let parallel = swarm.one_of(&[ParallelBy::First, ParallelBy::Source]);
        Self { ring, chords, nodes, routing, parallel }
    }

    fn graph(&self) -> Arc<Graph> {
        let routers = self.ring.len();
        let mut links = Vec::new();
        let joined = if routers > 1 { routers } else { 0 };
        for (at, [there, back]) in self.ring.iter().take(joined).enumerate() {
            let [one, other] = [at, (at + 1) % routers].map(RouterId::new);
            links.push(Joint { from: one, to: other, cost: *there });
            links.push(Joint { from: other, to: one, cost: *back });
        }
        links.extend(&self.chords);
        Arc::new(Graph::new(routers, self.nodes.clone(), links))
    }

    fn paths(&self, graph: &Arc<Graph>) -> Option<Arc<dyn LinkRouting>> {
        let shortest = |weight| Shortest::new(Arc::clone(graph), weight).ok();
        let (paths, weight): (Arc<dyn LinkRouting>, _) = match self.routing {
            GraphRouting::UpDown { root } => (Arc::new(UpDown::new(Arc::clone(graph), root).ok()?), Weight::Links),
            GraphRouting::Shortest(weight) => (Arc::new(shortest(weight)?), weight),
            GraphRouting::ByHops => (Arc::new(shortest(Weight::Links)?.by_hops().ok()?), Weight::Links),
        };
        Some(match self.parallel {
            ParallelBy::First => paths,
            ParallelBy::Source => Arc::new(Spread::new(paths, graph, weight)),
        })
    }

    pub(super) fn build(&self, ports: Ports) -> Option<Arc<dyn Network>> {
        let graph = self.graph();
        let paths = self.paths(&graph)?;
        let links: Arc<dyn Links> = graph;
        let channels = Linked::new(links, paths.classes().into(), ports, || "a graph".to_owned()).ok()?;
        Some(Arc::new(LinkNetwork::new(channels, paths)))
    }

    pub(super) fn links(&self) -> Arc<dyn Links> {
        self.graph()
    }

    pub(super) fn virtual_channels(&self) -> u64 {
        self.paths(&self.graph()).map_or(1, |paths| paths.classes().into())
    }

    /// The root is a router that there is.
    pub(super) fn lower_root(&mut self) {
        if let GraphRouting::UpDown { root } = &mut self.routing {
            *root = (*root).min(self.ring.len() as u64 - 1);
        }
    }

    /// What `[router]` says of its routing.
    pub(super) fn router_keys(&self) -> Vec<(&'static str, String)> {
        let routing = |name: &str| ("routing", format!("\"{name}\""));
        let mut keys = match self.routing {
            GraphRouting::UpDown { root } => vec![routing("up-down"), ("root", root.to_string())],
            GraphRouting::Shortest(weight) => vec![routing("shortest"), ("weight", format!("\"{}\"", weight.name()))],
            GraphRouting::ByHops => {
                vec![routing("shortest"), ("weight", "\"links\"".to_owned()), ("classes", "\"hops\"".to_owned())]
            }
        };
        keys.push(("parallel", format!("\"{}\"", self.parallel.name())));
        keys
    }

    /// It as CSV.
    pub(super) fn csv(&self) -> String {
        let graph = self.graph();
        let mut text = "kind,a,b,flit_time,delay\n".to_owned();
        let mut row = |kind, a: u32, b: u32, LinkCost { flit_time, delay, .. }: LinkCost| {
            let _ = writeln!(text, "{kind},{a},{b},{flit_time},{delay}"); // a string takes everything
        };
        for (number, node) in (0..).zip(&self.nodes) {
            row("node", number, node.router.0, node.cost);
        }
        for link in (0..graph.count()).map(LinkId::new) {
            let Joint { from, to, cost } = graph.link(link);
            row("arc", from.0, to.0, cost);
        }
        text
    }
}
