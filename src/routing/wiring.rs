//! The ports of routers: by which of them links leave and arrive, and where nodes hang.
//!
//! Every router has a port for each link that leaves it and, in a numbering of its own, one for each link that arrives; and
//! behind them, in both numberings, those of its nodes. All routers are given as many ports as the one with most links needs:
//! what is joined to nothing is never asked for. A wiring refuses to know which way packets go.

use super::Pace;
use crate::topology::{LinkCost, Links};
use crate::units::{LinkId, NodeId, RouterId, narrow};
use std::fmt;
use std::sync::Arc;

/// A port of a router: of those by which links leave, or of those by which they arrive.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct PortAt {
    /// The router.
    pub router: u32,
    /// Which of its ports, from 0; of a node, which of the nodes of its router.
    pub port: u32,
}

/// The place of a channel.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum ChannelPlace {
    /// A link that leaves its router by this port, or a virtual channel of one.
    Link(PortAt),
    /// An injection channel of a node, by its number there.
    Injection(NodeId, u32),
    /// An ejection channel of a node, by its number there.
    Ejection(NodeId, u32),
}

/// How the ports of routers are joined.
pub trait Wiring: fmt::Debug + Send + Sync {
    /// The number of routers.
    fn routers(&self) -> usize;

    /// The number of nodes.
    fn nodes(&self) -> usize;

    /// The ports that a router has for links, whether all of them have one or not.
    fn link_ports(&self) -> usize;

    /// The most nodes of a router.
    fn most_nodes(&self) -> usize {
        1
    }

    /// Where `node` hangs.
    fn place(&self, node: u32) -> PortAt;

    /// The node that hangs at `place`, if there is one.
    fn node_at(&self, place: PortAt) -> Option<u32>;

    /// The numbers that a router gives to link port `port` as an output and as an input, if it counts the sides where neighbours are:
    /// the link from a neighbour has the number of the link to it.
    fn sides(&self, port: usize) -> [usize; 2] {
        [port, port]
    }

    /// Where the link arrives that leaves by `out`, if there is one.
    fn leads_to(&self, out: PortAt) -> Option<PortAt>;

    /// Where the link leaves that arrives at `input`, if there is one.
    fn comes_from(&self, input: PortAt) -> Option<PortAt>;

    /// Whether every channel takes a cycle for a flit, without delay.
    fn is_even(&self) -> bool {
        true
    }

    /// What the link takes that leaves by `out`.
    fn pace(&self, _out: PortAt) -> Pace {
        Pace::EVEN
    }

    /// What injection and ejection of `node` take.
    fn node_pace(&self, _node: u32) -> Pace {
        Pace::EVEN
    }

    /// What people call the link that leaves by `out`.
    fn link_name(&self, out: PortAt) -> String;

    /// What people call `node`.
    fn node_name(&self, node: u32) -> String;
}

/// The ports of any network of links. Links leave by ports in the order of their numbers; they arrive by ports in the order of
/// [`Links::arrival`].
#[derive(Clone, Debug)]
pub struct LinkPorts {
    links: Arc<dyn Links>,
    /// Ticks of a cycle.
    flit_time: u64,
    link_ports: usize,
    /// Per router and port, the link that leaves and the one that arrives there; [`UNUSED`] where there is none.
    leaving: Vec<LinkId>,
    arriving: Vec<LinkId>,
    /// Per link, the ports by which it leaves and arrives.
    leaves_by: Vec<u16>,
    arrives_by: Vec<u16>,
    most_nodes: usize,
    /// Per node, which it is of its router, and per router and place the node.
    places: Vec<u16>,
    nodes_at: Vec<Option<NodeId>>,
}

/// Most ports of a router. A virtual-channel router numbers as many with one virtual channel each.
pub const MOST_PORTS: usize = 4096;

/// No link.
const UNUSED: LinkId = LinkId(u32::MAX);

/// Why routers cannot have a port for each link and node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TooManyPorts {
    /// The most links that leave or reach a router.
    pub links: usize,
    /// The most nodes of a router.
    pub nodes: usize,
}

impl LinkPorts {
    /// The ports of `links`, on routers whose cycle is `flit_time` ticks.
    ///
    /// # Errors
    /// If a router has more than [`MOST_PORTS`] ports for links and nodes.
    pub fn new(links: Arc<dyn Links>, flit_time: u64) -> Result<Self, TooManyPorts> {
        let arriving = arriving(links.as_ref());
        let places = places(links.as_ref());
        let leaving = |router: usize| links.leaving(RouterId::new(router)).count();
        let most_leaving = (0..links.routers()).map(leaving).max().unwrap_or_default();
        let most_arriving = arriving.iter().map(Vec::len).max().unwrap_or_default();
        let link_ports = most_leaving.max(most_arriving);
        let most_nodes = places.iter().map(|place| place + 1).max().unwrap_or_default();
        if link_ports + most_nodes > MOST_PORTS {
            return Err(TooManyPorts { links: link_ports, nodes: most_nodes });
        }
        let ports = Self {
            flit_time,
            link_ports,
            leaving: vec![UNUSED; links.routers() * link_ports],
            arriving: vec![UNUSED; links.routers() * link_ports],
            leaves_by: vec![0; links.count()],
            arrives_by: vec![0; links.count()],
            most_nodes,
            places: places.into_iter().map(port).collect(),
            nodes_at: vec![None; links.routers() * most_nodes],
            links,
        };
        Ok(ports.joined(&arriving))
    }

    /// The same with every link at its ports, those that arrive at each router in the order of `arriving`, and every node at its
    /// place.
    fn joined(mut self, arriving: &[Vec<LinkId>]) -> Self {
        for (router, arriving) in arriving.iter().enumerate() {
            let first = router * self.link_ports;
            for (at, link) in self.links.leaving(RouterId::new(router)).enumerate() {
                self.leaving[first + at] = link;
                self.leaves_by[link.index()] = port(at);
            }
            for (at, &link) in arriving.iter().enumerate() {
                self.arriving[first + at] = link;
                self.arrives_by[link.index()] = port(at);
            }
        }
        for (node, &place) in self.places.iter().enumerate() {
            let node = NodeId::new(node);
            let first = self.links.router_of(node).index() * self.most_nodes;
            self.nodes_at[first + usize::from(place)] = Some(node);
        }
        self
    }

    /// Returns these ports with the costs of `links`, which are the same links otherwise.
    pub(super) fn with_links(&self, links: Arc<dyn Links>) -> Self {
        Self { links, ..self.clone() }
    }

    fn in_cycles(&self, cost: Option<LinkCost>) -> Pace {
        cost.map_or(Pace::EVEN, |cost| Pace::of(cost, self.flit_time))
    }

    /// Bytes that the tables take.
    pub fn memory(&self) -> u64 {
        let links = size_of_val(&*self.leaving) + size_of_val(&*self.arriving);
        let ports = size_of_val(&*self.leaves_by) + size_of_val(&*self.arrives_by);
        let nodes = size_of_val(&*self.places) + size_of_val(&*self.nodes_at);
        (links + ports + nodes) as u64
    }

    /// The links.
    pub fn links(&self) -> &dyn Links {
        self.links.as_ref()
    }

    /// The port by which `link` leaves its router.
    #[inline]
    pub fn leaves_by(&self, link: LinkId) -> u16 {
        self.leaves_by[link.index()]
    }

    /// The link that leaves by `out`, if there is one.
    pub fn leaving(&self, out: PortAt) -> Option<LinkId> {
        self.at(&self.leaving, out)
    }

    fn at(&self, links: &[LinkId], PortAt { router, port }: PortAt) -> Option<LinkId> {
        let link = links[router as usize * self.link_ports + port as usize];
        (link != UNUSED).then_some(link)
    }
}

fn port(port: usize) -> u16 {
    narrow(port, "a router has at most 4096 ports, as was looked at")
}

/// Per router the links that lead there, in the order of their ports.
fn arriving(links: &dyn Links) -> Vec<Vec<LinkId>> {
    let mut arriving: Vec<Vec<LinkId>> = vec![Vec::new(); links.routers()];
    for link in (0..links.count()).map(LinkId::new) {
        arriving[links.ends(link).1.index()].push(link);
    }
    arriving.iter_mut().for_each(|arriving| arriving.sort_by_key(|&link| links.arrival(link)));
    arriving
}

/// Per node, which it is of its router.
fn places(links: &dyn Links) -> Vec<usize> {
    let mut nodes = vec![0; links.routers()];
    let place = |node| {
        let beside: &mut usize = &mut nodes[links.router_of(NodeId::new(node)).index()];
        *beside += 1;
        *beside - 1
    };
    (0..links.nodes()).map(place).collect()
}

impl Wiring for LinkPorts {
    fn routers(&self) -> usize {
        self.links.routers()
    }

    fn nodes(&self) -> usize {
        self.links.nodes()
    }

    fn link_ports(&self) -> usize {
        self.link_ports
    }

    fn most_nodes(&self) -> usize {
        self.most_nodes
    }

    fn place(&self, node: u32) -> PortAt {
        let router = self.links.router_of(NodeId(node)).0;
        PortAt { router, port: self.places[node as usize].into() }
    }

    fn node_at(&self, place: PortAt) -> Option<u32> {
        let at = place.router as usize * self.most_nodes + place.port as usize;
        self.nodes_at[at].map(|node| node.0)
    }

    fn leads_to(&self, out: PortAt) -> Option<PortAt> {
        let link = self.leaving(out)?;
        Some(PortAt { router: self.links.ends(link).1.0, port: self.arrives_by[link.index()].into() })
    }

    fn comes_from(&self, input: PortAt) -> Option<PortAt> {
        let link = self.at(&self.arriving, input)?;
        Some(PortAt { router: self.links.ends(link).0.0, port: self.leaves_by[link.index()].into() })
    }

    fn is_even(&self) -> bool {
        let links = (0..self.links.count()).map(|link| self.links.cost(LinkId::new(link)));
        let nodes = (0..self.links.nodes()).map(|node| self.links.node_cost(NodeId::new(node)));
        links.chain(nodes).all(|cost| self.in_cycles(cost) == Pace::EVEN)
    }

    fn pace(&self, out: PortAt) -> Pace {
        self.in_cycles(self.leaving(out).and_then(|link| self.links.cost(link)))
    }

    fn node_pace(&self, node: u32) -> Pace {
        self.in_cycles(self.links.node_cost(NodeId(node)))
    }

    fn link_name(&self, out: PortAt) -> String {
        self.leaving(out).map_or_else(String::new, |link| self.links.link_name(link))
    }

    fn node_name(&self, node: u32) -> String {
        self.links.node_name(NodeId(node))
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]
mod tests {
    use super::*;
    use crate::topology::{Coordinates, Dragonfly, DragonflySize, LatticeLinks, TopologyError};

    #[test]
    fn what_a_port_leads_to_comes_from_it() -> Result<(), TopologyError> {
        let size = DragonflySize { nodes: 2, routers: 3, global: 2, groups: 4 };
        let dragonfly: Arc<dyn Links> = Arc::new(Dragonfly::new(size, || "a dragonfly".to_owned())?);
        let mesh = LatticeLinks::new(Coordinates::new(&[3, 4], false)).with_concentration(2);
        for links in [dragonfly, Arc::new(mesh)] {
            let ports = LinkPorts::new(Arc::clone(&links), 1).map_err(|_| TopologyError::NoPorts)?;
            let mut joined = 0;
            for router in 0..narrow(links.routers(), "a small network") {
                for port in 0..narrow(ports.link_ports(), "a small network") {
                    let out = PortAt { router, port };
                    let Some(to) = ports.leads_to(out) else { continue };
                    assert_eq!(ports.comes_from(to), Some(out));
                    joined += 1;
                }
            }
            assert_eq!(joined, links.count());
            assert_eq!(ports.place(5), PortAt { router: 2, port: 1 });
        }
        Ok(())
    }

    /// Routers at the edge of a mesh have no link there, and those that they have arrive in the order of all others.
    #[test]
    fn links_of_lattices_arrive_by_the_way_they_lead() {
        let mesh = LatticeLinks::new(Coordinates::new(&[3, 3], false));
        let ports = LinkPorts::new(Arc::new(mesh), 1).unwrap();
        let names = |router| {
            let inputs = (0..4).filter_map(|port| ports.comes_from(PortAt { router, port }));
            inputs.map(|from| ports.link_name(from)).collect::<Vec<_>>()
        };
        assert_eq!(names(4), ["(0,1)->(1,1)", "(2,1)->(1,1)", "(1,0)->(1,1)", "(1,2)->(1,1)"]);
        assert_eq!(names(0), ["(1,0)->(0,0)", "(0,1)->(0,0)"]);
    }
}
