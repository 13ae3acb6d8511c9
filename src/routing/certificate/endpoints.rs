//! Packets of several classes between nodes, some of which answer others.
//!
//! A node that admits a limited number of unanswered requests makes its ejection channel depend on its injection channel: a
//! request waits there until a reply has left, and the reply waits for all packets that leave by the same source queue. Head flits
//! of each class have the choices of its routing, on its virtual channels of its physical networks.

use super::channels::{Channel, NetworkChannel};
use super::{Certificate, Packets, Request};
use crate::routing::Routing;
use crate::topology::Links;
use crate::units::NodeId;
use std::sync::Arc;

/// Packets that begin and end at nodes.
pub trait NodePackets: Packets {
    /// The node that injects packets whose head flits begin at `place`, a source, or `None` if packets come there from other groups.
    fn origin(&self, place: Self::Position) -> Option<NodeId>;

    /// Appends the nodes at which packets end whose head flits are at `place`.
    fn ends(&mut self, place: Self::Position, nodes: &mut Vec<NodeId>);
}

/// A class of packets.
#[derive(Clone, Debug)]
pub struct EndpointClass {
    /// The first of its virtual channels, which number as many as its routing has.
    pub first: u16,
    /// The routing of its packets.
    pub routing: Arc<dyn Routing>,
    /// The physical network, or `None` if packets use all.
    pub network: Option<u32>,
    /// The number of its source queue.
    pub queue: usize,
    /// The class of the replies to its packets.
    pub reply: Option<usize>,
}

/// Classes of packets on physical networks, each of which has the links `links`.
#[derive(Clone, Copy, Debug)]
pub struct Endpoints<'a> {
    /// The classes.
    pub classes: &'a [EndpointClass],
    /// The number of physical networks.
    pub networks: u32,
    /// The virtual channels of a link.
    pub virtual_channels: u16,
    /// The links of a network.
    pub links: &'a dyn Links,
}

impl EndpointClass {
    /// True if packets of both classes use a virtual channel of one network.
    pub fn shares_channels(&self, other: &Self) -> bool {
        let shares_network = self.network.zip(other.network).is_none_or(|(one, another)| one == another);
        shares_network && self.first <= other.last() && other.first <= self.last()
    }

    /// The last of its virtual channels.
    pub fn last(&self) -> u16 {
        self.first + self.routing.virtual_channels() - 1
    }
}

impl<'a> Endpoints<'a> {
    /// The certificate of packets whose head flits of class `c` have the choices of `packets[c]`.
    pub fn certificate<P: NodePackets>(self, packets: Vec<P>) -> Certificate {
        Certificate::for_packets(&mut EndpointPackets::new(self, packets))
    }

    /// Each class with each of its networks.
    fn flows(self) -> Vec<Flow> {
        let networks = |class: &EndpointClass| class.network.map_or(0..self.networks, |network| network..network + 1);
        let of_class = |(class, of): (usize, &EndpointClass)| networks(of).map(move |network| Flow { class, network });
        self.classes.iter().enumerate().flat_map(of_class).collect()
    }

    /// True if requests of class `request` wait for packets of class `other` to leave the same node.
    fn awaits(self, request: usize, other: usize) -> bool {
        let reply = self.classes[request].reply;
        reply.is_some_and(|reply| self.classes[other].queue == self.classes[reply].queue)
    }
}

/// Packets of a class on one of its networks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Flow {
    class: usize,
    network: u32,
}

/// The position of a head flit of a flow.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Position<P> {
    flow: usize,
    stage: Stage<P>,
}

/// The stage of a packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Stage<P> {
    /// At its source, before it enters the injection channel.
    Generated(NodeId),
    /// At the front of the injection channel, or of the buffer of a link.
    Under(P),
    /// At the end of its path, in the ejection channel.
    Ended(NodeId),
}

/// The head flits of all flows.
struct EndpointPackets<'a, P: NodePackets> {
    endpoints: Endpoints<'a>,
    flows: Vec<Flow>,
    /// By class.
    packets: Vec<P>,
    /// By class and node, the places at which packets of the node begin.
    begins: Vec<Vec<Vec<P::Position>>>,
    onward: Vec<(Request, P::Position)>,
    ends: Vec<NodeId>,
}

impl<'a, P: NodePackets> EndpointPackets<'a, P> {
    fn new(endpoints: Endpoints<'a>, mut packets: Vec<P>) -> Self {
        let nodes = endpoints.links.nodes();
        let begins = packets.iter_mut().map(|packets| begins(packets, nodes)).collect();
        Self { endpoints, flows: endpoints.flows(), packets, begins, onward: Vec::new(), ends: Vec::new() }
    }

    /// The groups of head flits of a flow. Those of one more group are at nodes.
    fn groups_of_flow(&self) -> usize {
        self.packets.first().map_or(0, Packets::groups)
    }

    fn class(&self, flow: usize) -> &EndpointClass {
        &self.endpoints.classes[self.flows[flow].class]
    }

    /// A request of packets of a flow for their virtual channels of a channel of a node.
    fn request(&self, flow: usize, channel: Channel) -> Request {
        let class = self.class(flow);
        let network = self.flows[flow].network as usize;
        let link = NetworkChannel { network, channel }.number(self.endpoints.links);
        Request { link, first: class.first, last: class.last(), empty: false }
    }

    /// Appends the requests of packets of `flow` that leave `node`.
    fn inject(&self, flow: usize, node: NodeId, onward: &mut Vec<(Request, Position<P::Position>)>) {
        let request = self.request(flow, Channel::Injection(node));
        let begins = &self.begins[self.flows[flow].class][node.index()];
        onward.extend(begins.iter().map(|&at| (request, Position { flow, stage: Stage::Under(at) })));
    }

    /// Appends the requests of a head flit in the network: those of its routing, and the ejection channel of its destination if a reply
    /// follows.
    fn cross(&mut self, flow: usize, at: P::Position, onward: &mut Vec<(Request, Position<P::Position>)>) {
        let Flow { class, network } = self.flows[flow];
        let mut requests = std::mem::take(&mut self.onward);
        requests.clear();
        self.packets[class].onward(at, &mut requests);
        let first = self.class(flow).first;
        for &(request, next) in &requests {
            let channel = NetworkChannel { network: network as usize, channel: Channel::Link(request.link) };
            let link = channel.number(self.endpoints.links);
            let request = Request { link, first: first + request.first, last: first + request.last, ..request };
            onward.push((request, Position { flow, stage: Stage::Under(next) }));
        }
        self.onward = requests;
        if self.class(flow).reply.is_some() {
            self.end(flow, at, onward);
        }
    }

    fn end(&mut self, flow: usize, at: P::Position, onward: &mut Vec<(Request, Position<P::Position>)>) {
        let mut ends = std::mem::take(&mut self.ends);
        ends.clear();
        self.packets[self.flows[flow].class].ends(at, &mut ends);
        for &node in &ends {
            onward.push((self.request(flow, Channel::Ejection(node)), Position { flow, stage: Stage::Ended(node) }));
        }
        self.ends = ends;
    }
}

/// By node, the places at which its packets to other nodes begin.
fn begins<P: NodePackets>(packets: &mut P, nodes: usize) -> Vec<Vec<P::Position>> {
    let mut begins = vec![Vec::new(); nodes];
    let mut sources = Vec::new();
    let mut ends = Vec::new();
    for group in 0..packets.groups() {
        sources.clear();
        packets.sources(group, &mut sources);
        for &place in &sources {
            let Some(node) = packets.origin(place) else { continue };
            ends.clear();
            packets.ends(place, &mut ends);
            if !ends.contains(&node) {
                begins[node.index()].push(place);
            }
        }
    }
    begins
}

impl<P: NodePackets> Packets for EndpointPackets<'_, P> {
    type Position = Position<P::Position>;

    fn virtual_channels(&self) -> u16 {
        self.endpoints.virtual_channels
    }

    fn groups(&self) -> usize {
        self.flows.len() * self.groups_of_flow() + 1
    }

    fn group(&self, Position { flow, stage }: Self::Position) -> usize {
        match stage {
            Stage::Under(at) => flow * self.groups_of_flow() + self.packets[self.flows[flow].class].group(at),
            Stage::Generated(_) | Stage::Ended(_) => self.groups() - 1,
        }
    }

    fn sources(&self, group: usize, sources: &mut Vec<Self::Position>) {
        let nodes = || (0..self.endpoints.links.nodes()).map(NodeId::new);
        if group == self.groups() - 1 {
            for flow in 0..self.flows.len() {
                let ended = nodes().filter(|_| self.class(flow).reply.is_some()).map(Stage::Ended);
                let stages = nodes().map(Stage::Generated).chain(ended);
                sources.extend(stages.map(|stage| Position { flow, stage }));
            }
            return;
        }
        let flow = group / self.groups_of_flow();
        let mut begins = Vec::new();
        self.packets[self.flows[flow].class].sources(group % self.groups_of_flow(), &mut begins);
        sources.extend(begins.into_iter().map(|at| Position { flow, stage: Stage::Under(at) }));
    }

    fn onward(&mut self, Position { flow, stage }: Self::Position, onward: &mut Vec<(Request, Self::Position)>) {
        match stage {
            Stage::Generated(node) => self.inject(flow, node, onward),
            Stage::Under(at) => self.cross(flow, at, onward),
            Stage::Ended(node) => {
                let request = self.flows[flow].class;
                let is_before_reply = |&other: &usize| self.endpoints.awaits(request, self.flows[other].class);
                for other in (0..self.flows.len()).filter(is_before_reply) {
                    self.inject(other, node, onward);
                }
            }
        }
    }
}

/// A class of requests, the class of its replies, and a class that closes the cycle: packets of it keep replies in their nodes
/// until requests are admitted.
pub type ReplyCycle = [usize; 3];

/// Finds classes of requests that wait for their own replies, with the replies or over other classes, if nodes admit a limited
/// number of unanswered requests. Returns `None` if no cycle leads through nodes: then packets are free of deadlock if they are
/// with any number of unanswered requests.
///
/// A request waits for the packets of the queue of its reply, and each packet for those on the same virtual channels. In a network in
/// which packets go from all nodes to all others, such a cycle of classes is one of channels.
pub fn reply_cycle(classes: &[EndpointClass]) -> Option<ReplyCycle> {
    let requests = (0..classes.len()).filter_map(|request| Some((request, classes[request].reply?)));
    for (request, reply) in requests {
        let mut reached: Vec<usize> =
            (0..classes.len()).filter(|&c| classes[c].queue == classes[reply].queue).collect();
        let mut next = 0;
        while let Some(&class) = reached.get(next) {
            if classes[class].shares_channels(&classes[request]) {
                return Some([request, reply, class]);
            }
            let queue = classes[class].reply.map(|reply| classes[reply].queue);
            let follows =
                |&other: &usize| queue == Some(classes[other].queue) || classes[other].shares_channels(&classes[class]);
            let new: Vec<usize> = (0..classes.len()).filter(follows).filter(|other| !reached.contains(other)).collect();
            reached.extend(new);
            next += 1;
        }
    }
    None
}

#[cfg(test)]
#[expect(clippy::unwrap_used, reason = "a test fails where it cannot continue")]
mod tests {
    use super::*;
    use crate::routing::certificate::Verdict;
    use crate::routing::relation::{ADAPTIVE, DIMENSION_ORDER, LatticeRouting, VALIANT};
    use crate::routing::{Lattice, LinkPorts, LinkRelation, LinkRouting, Relation, Step};
    use crate::topology::{Coordinates, LatticeLinks};
    use rand::{RngExt, SeedableRng};

    const VCS: u16 = 6;

    /// A path over one link between any two of three nodes.
    #[derive(Debug)]
    struct Direct;

    impl LinkRouting for Direct {
        fn classes(&self) -> u8 {
            1
        }

        fn path(&self, src: NodeId, dst: NodeId, path: &mut Vec<Step>) {
            let links = triangle();
            let link = (0..links.count()).map(crate::units::LinkId::new).find(|&link| {
                let (from, to) = links.ends(link);
                from == links.router_of(src) && to == links.router_of(dst)
            });
            path.extend(link.map(|link| Step { link, class: 0 }));
        }
    }

    fn triangle() -> LatticeLinks {
        LatticeLinks::new(Coordinates::torus(&[3]))
    }

    fn on_lattice(shape: &[usize], routing: &'static LatticeRouting) -> (Arc<dyn Routing>, Arc<dyn Links>) {
        let order: Vec<usize> = (0..shape.len()).collect();
        let relation = Relation::new(Lattice::new(shape, false, &order), routing, VCS);
        (Arc::new(relation), Arc::new(LatticeLinks::new(Coordinates::new(shape, false))))
    }

    fn over_links() -> (Arc<dyn Routing>, Arc<dyn Links>) {
        let links: Arc<dyn Links> = Arc::new(triangle());
        let ports = LinkPorts::new(Arc::clone(&links), 1).unwrap();
        (Arc::new(LinkRelation::new(Arc::new(ports), Arc::new(Direct), VCS)), links)
    }

    fn draw(random: &mut rand_pcg::Pcg32, routing: &Arc<dyn Routing>) -> Vec<EndpointClass> {
        let count = random.random_range(2..5);
        let class = |number: usize| {
            let vcs = random.random_range(2..4);
            EndpointClass {
                first: random.random_range(0..=VCS - vcs),
                routing: routing.restricted_to(vcs),
                network: random.random_bool(0.8).then(|| random.random_range(0..2)),
                queue: random.random_range(0..4),
                reply: (number > 0 && random.random_bool(0.7)).then(|| random.random_range(0..number)),
            }
        };
        (0..count).map(class).collect()
    }

    /// The rule for classes finds a cycle exactly where there is one of channels that leads through nodes. The others do not depend on
    /// replies.
    #[test]
    fn classes_deadlock_where_channels_do() {
        let mut random = rand_pcg::Pcg32::seed_from_u64(7);
        let mut cycles = [0; 2];
        for (routing, links) in [
            on_lattice(&[3, 2], &DIMENSION_ORDER),
            on_lattice(&[2, 2], &ADAPTIVE),
            on_lattice(&[2, 2], &VALIANT),
            over_links(),
        ] {
            for _ in 0..60 {
                let classes = draw(&mut random, &routing);
                let verdict = |classes: &[EndpointClass]| {
                    let endpoints = Endpoints { classes, networks: 2, virtual_channels: VCS, links: links.as_ref() };
                    routing.endpoint_certificate(endpoints, false).verdict()
                };
                let cycle = reply_cycle(&classes);
                let without_replies: Vec<_> =
                    classes.iter().map(|class| EndpointClass { reply: None, ..class.clone() }).collect();
                let expected = if cycle.is_some() { Verdict::Cycle } else { verdict(&without_replies) };
                assert_eq!(verdict(&classes), expected, "{cycle:?} {classes:?}");
                cycles[usize::from(cycle.is_some())] += 1;
            }
        }
        assert!(cycles.iter().all(|&count| count > 20), "{cycles:?}");
    }
}
