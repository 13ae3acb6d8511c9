//! The links of paths, by number, whichever engine the network is made for.

use super::BuiltNetwork;
use crate::cancel;
use crate::routing::Step;
use crate::routing::certificate::{Dependencies, Shares};
use crate::topology::Links;
use crate::units::{ChannelId, LinkId, NodeId, RouterId};

impl BuiltNetwork {
    /// The links of the path from `src` to `dst`, each with the class of its virtual channel; none if the network does not
    /// number its links.
    ///
    /// # Panics
    /// If `links` are those of another network.
    pub fn steps(&self, links: &dyn Links, src: NodeId, dst: NodeId) -> Option<Vec<Step>> {
        self.network.steps(src, dst).or_else(|| self.steps_on_lattice(links, src, dst))
    }

    /// How many classes of virtual channels [`Self::steps`] tells apart.
    pub fn classes(&self) -> u8 {
        let of_lattice = || u8::try_from(self.network.channels().virtual_channels()).unwrap_or(u8::MAX);
        if self.spec.lattice().is_some() { of_lattice() } else { self.network.classes() }
    }

    /// The dependencies of all paths between all nodes, where links have so many virtual channels; none if the network does
    /// not number its links. Begins with a [`checkpoint`](cancel::checkpoint) for every node.
    pub fn dependencies(&self, links: &dyn Links, virtual_channels: u8) -> Option<Dependencies> {
        let mut dependencies = Dependencies::new(Shares { virtual_channels, classes: self.classes() });
        let nodes = || (0..links.nodes()).map(NodeId::new);
        for src in nodes() {
            cancel::checkpoint();
            for dst in nodes() {
                dependencies.add(&self.steps(links, src, dst)?);
            }
        }
        Some(dependencies)
    }

    /// The channels of a lattice know the ports by which they leave their routers, and links are numbered in that order.
    fn steps_on_lattice(&self, links: &dyn Links, src: NodeId, dst: NodeId) -> Option<Vec<Step>> {
        let lattice = self.spec.lattice()?;
        let channels = self.network.channels();
        let mut path: Vec<ChannelId> = Vec::new();
        self.network.route(src, dst, &mut path);
        let mut at = links.router_of(src);
        let mut steps = Vec::new();
        for &channel in path.get(1..path.len() - 1)? {
            let hop = channels.hop(channel)?;
            let link = by_port(links, at, |port| lattice.neighbour(at.0, port).is_some(), hop.port.into())?;
            steps.push(Step { link, class: hop.vc });
            at = links.ends(link).1;
        }
        Some(steps)
    }
}

/// The link that leaves `router` by `port`, if links leave by those ports of which `has_link` says so, in their order.
fn by_port(links: &dyn Links, router: RouterId, has_link: impl Fn(usize) -> bool, port: usize) -> Option<LinkId> {
    let place = (0..port).filter(|&port| has_link(port)).count();
    links.leaving(router).nth(place)
}
