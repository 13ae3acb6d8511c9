//! Expected loads of links: the flit times that each is busy per flit that a node offers, on average over all that routing draws.
//!
//! The capacity of a network under a pattern of traffic is one over the load of its busiest channel: no rate above it can be
//! carried, whatever buffers and allocators do. Under adaptive routing the load of a single link is not known. Adaptive
//! routings of lattices take shortest paths, so the sum over the links in parallel is known, and their mean is a lower bound of
//! the largest load.
//!
//! Source: W. J. Dally and B. Towles, Principles and Practices of Interconnection Networks, 2004, section 3.3.1.

use super::loaded_channel::{Flow, LoadedChannel};
use super::relation::{DIMENSION_ORDER, Header, MOST_TIES};
use super::{LinkRelation, Network, PortAt, Relation, Step, Wiring};
use crate::units::{ChannelId, LinkId, NodeId, narrow};
use std::ops::ControlFlow;

/// The most steps of paths that are followed: less than a second. Of larger networks no loads are known.
const MOST_STEPS: u64 = 1 << 26;

fn number(node: usize) -> u32 {
    narrow(node, "nodes are numbered with 32 bits")
}

impl Relation {
    /// The busiest link between routers where nodes send `flow`. Returns `None` if it is not known, or nothing crosses links.
    pub(super) fn most_loaded_link(&self, flow: &Flow<'_>) -> Option<LoadedChannel> {
        if self.routing().is_adaptive() {
            return self.busiest_slice(flow);
        }
        let ports = self.lattice().local();
        let loads = self.busy_times(self.link_loads(flow)?);
        LoadedChannel::busiest(loads, |at| self.lattice().channel_name(number(at / ports), at % ports))
    }

    /// Flits that leave by each port of each router, by router. Returns `None` if the lattice is too large.
    ///
    /// For each destination, flits are moved on from the farthest routers first. Time: nodes squared, times the number of
    /// directions that are equally short round rings.
    fn link_loads(&self, flow: &Flow<'_>) -> Option<Vec<f64>> {
        let lattice = self.lattice();
        let nodes = number(lattice.nodes());
        let (headers, by_way_of_any) = self.direct_headers();
        let steps = u64::from(nodes).pow(2).checked_mul(headers.len() as u64)?;
        // with more dimensions, ties on the last rings are not enumerated
        let is_biased = lattice.wraps() && lattice.dimensions() > MOST_TIES;
        if steps > MOST_STEPS || is_biased {
            return None;
        }
        let legs = by_way_of_any.then(|| Legs::new(nodes, flow));
        let leg = |src, dst| legs.as_ref().map_or_else(|| flow(src, dst), |legs| legs.flow(src, dst));
        let mut loads = vec![0.0; lattice.nodes() * lattice.local()];
        let mut by_distance: Vec<Vec<u32>> = vec![Vec::new(); lattice.shape().iter().sum()];
        for dst in 0..nodes {
            by_distance.iter_mut().for_each(Vec::clear);
            (0..nodes).for_each(|node| by_distance[lattice.distance(node, dst) as usize].push(node));
            for header in &headers {
                let share = |src| leg(src, dst) / headers.len() as f64;
                let mut waiting: Vec<f64> = (0..nodes).map(share).collect();
                for &at in by_distance.iter().rev().flatten() {
                    self.move_on(at, Header { dst, ..*header }, &mut waiting, &mut loads);
                }
            }
        }
        Some(loads)
    }

    /// Moves the flits `waiting` at the router of `at` to the next one.
    fn move_on(&self, at: u32, mut header: Header, waiting: &mut [f64], loads: &mut [f64]) {
        let lattice = self.lattice();
        let flits = std::mem::take(&mut waiting[at as usize]);
        if at == header.dst || flits == 0.0 {
            return;
        }
        let port = usize::from(self.choice(at, lattice.local(), &mut header).port);
        if let Some(next) = lattice.neighbour(at, port) {
            loads[at as usize * lattice.local() + port] += flits;
            waiting[next as usize] += flits;
        }
    }

    /// The equally likely head flits that go straight to a node, and true if packets first go to a node drawn of all.
    fn direct_headers(&self) -> (Vec<Header>, bool) {
        let mut headers = (self.routing().headers)(self.lattice(), 0);
        let by_way_of_any = headers.iter().any(|header| header.via.is_some());
        headers.iter_mut().for_each(|header| header.via = None);
        headers.sort_by_key(|header| header.random_bits);
        headers.dedup();
        (headers, by_way_of_any)
    }

    /// The flit times of `loads`, as long as a flit takes along each dimension.
    fn busy_times(&self, loads: Vec<f64>) -> impl Iterator<Item = f64> + '_ {
        let ports = self.lattice().local();
        let pace = move |at: usize| self.pace(PortAt { router: number(at / ports), port: number(at % ports) }).flit;
        loads.into_iter().enumerate().map(move |(at, load)| load * f64::from(pace(at)))
    }

    /// The busiest of the sets of links that leave by the same port from routers with the same coordinate along its dimension.
    /// Shortest paths differ in which of these they take, not in how many.
    fn busiest_slice(&self, flow: &Flow<'_>) -> Option<LoadedChannel> {
        let in_order = Self::new(self.lattice().clone(), &DIMENSION_ORDER, self.virtual_channels());
        let in_order = in_order.with_paces(self.paces().to_vec());
        let lattice = self.lattice();
        let ports = lattice.local();
        let longest = lattice.shape().iter().copied().max()?;
        let mut slices = vec![0.0; ports * longest];
        for (at, load) in in_order.busy_times(in_order.link_loads(flow)?).enumerate() {
            let (node, port) = (number(at / ports), at % ports);
            let links = lattice.nodes() / lattice.shape()[port / 2];
            slices[port * longest + lattice.coordinate(node, port / 2) as usize] += load / links as f64;
        }
        LoadedChannel::busiest(slices, |at| self.slice_name(at / longest, number(at % longest)))
    }

    /// The name of the links that leave by `port` from routers with this `coordinate`, such as `(3,*)->(4,*)`.
    fn slice_name(&self, port: usize, coordinate: u32) -> String {
        let lattice = self.lattice();
        let is_in_slice = |&node: &u32| lattice.coordinate(node, port / 2) == coordinate;
        let first = (0..number(lattice.nodes())).find(is_in_slice).unwrap_or(0);
        let Some(next) = lattice.neighbour(first, port) else { return String::new() };
        if lattice.shape().iter().filter(|&&side| side > 1).count() < 2 {
            return lattice.channel_name(first, port);
        }
        let end = |node| {
            let coordinate_name =
                |d: usize| if d == port / 2 { lattice.coordinate(node, d).to_string() } else { "*".to_owned() };
            (0..lattice.dimensions()).map(coordinate_name).collect::<Vec<_>>().join(",")
        };
        format!("({})->({})", end(first), end(next))
    }
}

/// Traffic of packets via a node drawn of all: each source sends the same to all of these, and each destination receives the
/// same from all.
struct Legs {
    sent: Vec<f64>,
    received: Vec<f64>,
}

impl Legs {
    fn new(nodes: u32, flow: &Flow<'_>) -> Self {
        let mean = |sum: f64| sum / f64::from(nodes);
        let sent = |src| mean((0..nodes).map(|dst| flow(src, dst)).sum());
        let received = |dst| mean((0..nodes).map(|src| flow(src, dst)).sum());
        Self { sent: (0..nodes).map(sent).collect(), received: (0..nodes).map(received).collect() }
    }

    fn flow(&self, src: u32, dst: u32) -> f64 {
        self.sent[src as usize] + self.received[dst as usize]
    }
}

impl LinkRelation {
    /// The busiest link. Returns `None` if routing is adaptive or there are too many paths.
    pub(super) fn most_loaded_link(&self, flow: &Flow<'_>) -> Option<LoadedChannel> {
        let routing = self.routing();
        if routing.reads_load() || routing.is_adaptive() {
            return None;
        }
        let links = self.links();
        let mut sum = Sum::new(links.count());
        sum.pairs(links.nodes(), flow, &mut |src, dst, paths| {
            let each = &mut |path: &[Step]| {
                paths.push(path.iter().map(|step| step.link.index()));
                if paths.steps > MOST_STEPS { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
            };
            routing.each_path(src, dst, each)
        })?;
        let busy =
            sum.loads.iter().enumerate().map(|(link, load)| load * f64::from(self.flit_cycles(LinkId::new(link))));
        LoadedChannel::busiest(busy, |link| links.link_name(LinkId::new(link)))
    }
}

/// The busiest physical channel between routers on the paths of `network`, whose channels take `flit_time` ticks a flit unless
/// they have costs of their own. Returns `None` if there are too many paths, or nothing crosses links.
pub fn busiest_link(network: &dyn Network, flit_time: u64, flow: &Flow<'_>) -> Option<LoadedChannel> {
    let channels = network.channels();
    let mut sum = Sum::new(channels.count());
    let mut path = Vec::new();
    sum.pairs(channels.nodes(), flow, &mut |src, dst, paths| {
        path.clear();
        network.route(src, dst, &mut path);
        let links = path.get(1..path.len() - 1).unwrap_or_default();
        paths.push(links.iter().map(|&channel| channels.physical(channel).index()));
        ControlFlow::Continue(())
    })?;
    let pace = |channel| channels.cost(channel).map_or(1.0, |cost| cost.flit_time.0 as f64 / flit_time as f64);
    let busy = sum.loads.iter().enumerate().map(|(at, load)| load * pace(ChannelId::new(at)));
    LoadedChannel::busiest(busy, |at| channels.physical_name(ChannelId::new(at)))
}

/// The paths of a pair of nodes, each as likely as the others.
#[derive(Default)]
struct PairPaths {
    /// The links of all of them, one path behind the other.
    links: Vec<usize>,
    count: usize,
    /// Steps of these and all others before.
    steps: u64,
}

impl PairPaths {
    fn push(&mut self, path: impl Iterator<Item = usize>) {
        let before = self.links.len();
        self.links.extend(path);
        self.count += 1;
        self.steps += (self.links.len() - before) as u64 + 1;
    }
}

/// Flits that each link carries.
struct Sum {
    loads: Vec<f64>,
}

/// Lists the paths between two nodes.
type ListPaths<'a> = dyn FnMut(NodeId, NodeId, &mut PairPaths) -> ControlFlow<()> + 'a;

impl Sum {
    fn new(links: usize) -> Self {
        Self { loads: vec![0.0; links] }
    }

    /// Adds the flits of all pairs of nodes over the paths that `list` lists. Returns `None` if there are too many.
    fn pairs(&mut self, nodes: usize, flow: &Flow<'_>, list: &mut ListPaths<'_>) -> Option<()> {
        let mut paths = PairPaths::default();
        for src in 0..number(nodes) {
            for dst in (0..number(nodes)).filter(|&dst| dst != src) {
                let flits = flow(src, dst);
                paths.steps += 1;
                paths.links.clear();
                paths.count = 0;
                if flits > 0.0 {
                    // a list that is cut off is one of too many steps
                    let _ = list(NodeId(src), NodeId(dst), &mut paths);
                }
                if paths.steps > MOST_STEPS {
                    return None;
                }
                for &link in &paths.links {
                    self.loads[link] += flits / paths.count as f64;
                }
            }
        }
        Some(())
    }
}
