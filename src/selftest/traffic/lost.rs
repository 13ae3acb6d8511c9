//! Networks without some of their links: what is left is a graph, whose paths must make do with it.

use crate::routing::graph::{Shortest, UpDown, Weight};
use crate::routing::{LinkNetwork, LinkRouting, Network};
use crate::selftest::case::Machine;
use crate::selftest::features::Swarm;
use crate::selftest::laws::{Broken, SURVIVING_ROUTES};
use crate::topology::{Attachment, Graph, Joint, LinkCost, Linked, Links, Origin, Ports};
use crate::units::{LinkId, NodeId, RouterId};
use std::fmt::Write as _;
use std::sync::Arc;

/// Which links are lost, and how messages go then.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Lost {
    /// Links, counted round and round; with each all those between the same two routers.
    pub(super) links: Vec<usize>,
    /// Whether messages go up and down a tree, or else the shortest way with a class of virtual channels a link.
    pub(super) up_down: bool,
}

/// What is left of a network.
pub(super) struct Left {
    pub(super) graph: Arc<Graph>,
    pub(super) up_down: bool,
}

impl Lost {
    pub(super) fn draw(swarm: &mut Swarm) -> Self {
        let count = swarm.draw(0..=3);
        Self { links: (0..count).map(|_| swarm.draw(0..100)).collect(), up_down: swarm.toss(0.5) }
    }

    /// What is left of the machine's network, if its links can be listed.
    pub(super) fn left(&self, machine: &Machine) -> Option<Left> {
        let links = machine.topology.links()?;
        if links.count() == 0 {
            return None;
        }
        let flit_time = machine.channel.flit_time;
        let usual = || LinkCost::without_delay(flit_time);
        let gone: Vec<(RouterId, RouterId)> =
            self.links.iter().map(|link| links.ends(LinkId::new(link % links.count()))).collect();
        let is_left =
            |joint: &Joint| !gone.contains(&(joint.from, joint.to)) && !gone.contains(&(joint.to, joint.from));
        let joint = |link: LinkId| {
            let (from, to) = links.ends(link);
            Joint { from, to, cost: links.cost(link).unwrap_or_else(usual) }
        };
        let joints = (0..links.count()).map(LinkId::new).map(joint).filter(is_left).collect();
        let node = |node: NodeId| Attachment {
            router: links.router_of(node),
            cost: links.node_cost(node).unwrap_or_else(usual),
        };
        let nodes = (0..links.nodes()).map(NodeId::new).map(node).collect();
        Some(Left { graph: Arc::new(Graph::new(links.routers(), nodes, joints)), up_down: self.up_down })
    }
}

impl Left {
    fn paths(&self) -> Option<Arc<dyn LinkRouting>> {
        let graph = Arc::clone(&self.graph);
        Some(if self.up_down {
            Arc::new(UpDown::new(graph, 0).ok()?)
        } else {
            Arc::new(Shortest::new(graph, Weight::Links).ok()?.by_hops().ok()?)
        })
    }

    /// It as a network; none if some nodes cannot reach others any more.
    pub(super) fn network(&self, ports: Ports) -> Option<Arc<dyn Network>> {
        if !self.is_connected() {
            return None;
        }
        let paths = self.paths()?;
        let links: Arc<dyn Links> = Arc::<Graph>::clone(&self.graph);
        let channels = Linked::new(links, paths.classes().into(), ports, || "remaining links".to_owned()).ok()?;
        Some(Arc::new(LinkNetwork::new(channels, paths)))
    }

    /// Every path leads from its source to its destination over links that are left, and where it is to be shortest over no
    /// more than it must.
    pub(super) fn holds(&self, network: &dyn Network) -> Result<(), Broken> {
        let nodes = || (0..self.graph.nodes()).map(NodeId::new);
        let joined = self.joined();
        let mut path = Vec::new();
        for src in nodes() {
            let distances = self.distances(&joined, self.graph.router_of(src));
            for dst in nodes() {
                path.clear();
                network.route(src, dst, &mut path);
                let origins: Vec<Origin> = path.iter().map(|&channel| network.channels().origin(channel)).collect();
                let routers = walked(&origins, self.graph.router_of(dst));
                let ends = [origins.first(), origins.last()];
                let is_whole = ends == [Some(&Origin::Injection(src)), Some(&Origin::Ejection(dst))];
                let over_links = routers.windows(2).all(|pair| joined.contains(&(pair[0], pair[1])));
                let starts = routers.first() == Some(&self.graph.router_of(src));
                let links = routers.len() - 1;
                let least = distances[self.graph.router_of(dst).index()];
                let is_short = if self.up_down { Some(links) >= least } else { Some(links) == least };
                if !(is_whole && over_links && starts && is_short) {
                    return Err(SURVIVING_ROUTES.broken(format!(
                        "from {src} to {dst} over {routers:?}, {least:?} links apart, on {joined:?}"
                    )));
                }
            }
        }
        Ok(())
    }

    /// Whether every node reaches every other.
    fn is_connected(&self) -> bool {
        let joined = self.joined();
        let routers = || (0..self.graph.nodes()).map(|node| self.graph.router_of(NodeId::new(node)));
        routers().all(|from| {
            let distances = self.distances(&joined, from);
            routers().all(|to| distances[to.index()].is_some())
        })
    }

    /// Whether every router has a link or a node.
    pub(super) fn reaches_all(&self) -> bool {
        let joined = self.joined();
        let has_node = |router| (0..self.graph.nodes()).any(|node| self.graph.router_of(NodeId::new(node)) == router);
        let has_link = |router| joined.iter().any(|&(one, other)| one == router || other == router);
        (0..self.graph.routers()).map(RouterId::new).all(|router| has_node(router) || has_link(router))
    }

    /// The two ends of each link.
    fn joined(&self) -> Vec<(RouterId, RouterId)> {
        (0..self.graph.count()).map(|link| self.graph.ends(LinkId::new(link))).collect()
    }

    /// How many links each router is from `from`, by steps from all that are so far.
    fn distances(&self, joined: &[(RouterId, RouterId)], from: RouterId) -> Vec<Option<usize>> {
        let mut distances = vec![None; self.graph.routers()];
        distances[from.index()] = Some(0);
        for step in 0..self.graph.routers() {
            for (one, other) in joined {
                if distances[one.index()] == Some(step) && distances[other.index()].is_none() {
                    distances[other.index()] = Some(step + 1);
                }
            }
        }
        distances
    }

    /// It as CSV.
    pub(super) fn csv(&self) -> String {
        let mut text = "kind,a,b,flit_time,delay\n".to_owned();
        for node in (0..self.graph.nodes()).map(NodeId::new) {
            let Attachment { router, cost } = self.graph.node(node);
            let _ = writeln!(text, "node,{node},{router},{},{}", cost.flit_time, cost.delay); // a string takes everything
        }
        for link in (0..self.graph.count()).map(LinkId::new) {
            let Joint { from, to, cost } = self.graph.link(link);
            let _ = writeln!(text, "arc,{from},{to},{},{}", cost.flit_time, cost.delay);
        }
        text
    }
}

/// The routers that links of a path leave, and the last one that they lead to.
fn walked(origins: &[Origin], last: RouterId) -> Vec<RouterId> {
    let leaves = |origin: &Origin| match origin {
        Origin::Link(router) => Some(*router),
        _ => None,
    };
    origins.iter().filter_map(leaves).chain([last]).collect()
}
