//! Packets on the paths of a routing over links, from node to node.

use super::endpoints::NodePackets;
use super::paths::Dependencies;
use super::{Packets, Request, Shares};
use crate::cancel;
use crate::routing::{LinkRouting, Step};
use crate::topology::Links;
use crate::units::{LinkId, NodeId};
use std::ops::ControlFlow;

/// The head flits of packets on all paths between nodes. Injection and ejection channels are steps of a path, numbered after the
/// links.
#[derive(Clone, Debug)]
pub struct PathPackets {
    dependencies: Dependencies,
    shares: Shares,
    links: usize,
    nodes: usize,
}

impl PathPackets {
    /// Packets on the paths of `routing` over `links` with a number of virtual channels. Begins with a
    /// [`checkpoint`](cancel::checkpoint) for every node.
    pub fn new(links: &dyn Links, routing: &dyn LinkRouting, virtual_channels: u16) -> Self {
        let shares = Shares { virtual_channels, classes: routing.classes() };
        let [links, nodes] = [links.count(), links.nodes()];
        let dependencies = Dependencies::new(shares, links + 2 * nodes);
        let mut packets = Self { dependencies, shares, links, nodes };
        for src in (0..nodes).map(NodeId::new) {
            cancel::checkpoint();
            for dst in (0..nodes).map(NodeId::new).filter(|&dst| dst != src) {
                let _ = routing.each_path(src, dst, &mut |path| {
                    packets.add(src, path, dst);
                    ControlFlow::Continue(())
                });
            }
        }
        packets
    }

    fn add(&mut self, src: NodeId, path: &[Step], dst: NodeId) {
        let injection = port(self.links + src.index());
        let ejection = port(self.links + self.nodes + dst.index());
        let path: Vec<Step> = [&[injection], path, &[ejection]].concat();
        self.dependencies.add(&path);
    }
}

/// The step over a channel of a node, which has one class.
fn port(number: usize) -> Step {
    Step { link: LinkId::new(number), class: 0 }
}

impl Packets for PathPackets {
    type Position = Step;

    fn virtual_channels(&self) -> u16 {
        self.shares.virtual_channels
    }

    fn groups(&self) -> usize {
        1
    }

    fn group(&self, _: Step) -> usize {
        0
    }

    fn sources(&self, _: usize, sources: &mut Vec<Step>) {
        sources.extend((0..self.nodes).map(|node| port(self.links + node)));
    }

    fn onward(&mut self, place: Step, onward: &mut Vec<(Request, Step)>) {
        let next = self.dependencies.next(place).iter().filter(|step| step.link.index() < self.links);
        onward.extend(next.map(|&step| (self.shares.request(step), step)));
    }
}

impl NodePackets for PathPackets {
    fn origin(&self, place: Step) -> Option<NodeId> {
        place.link.index().checked_sub(self.links).map(NodeId::new)
    }

    fn ends(&mut self, place: Step, nodes: &mut Vec<NodeId>) {
        let ports = self.dependencies.next(place).iter();
        nodes.extend(ports.filter_map(|step| step.link.index().checked_sub(self.links + self.nodes)).map(NodeId::new));
    }
}
