//! Locations of channels: the routers at their ends, the link that they are part of, and their ports.

use crate::machine::Machine;
use crate::machine::energy::PortNumbers;
use crate::routing::{ChannelPlace, Lattice, PortAt};
use crate::topology::Links;
use crate::units::{ChannelId, LinkId, RouterId};
use std::sync::Arc;

/// The locations of the channels of a machine.
pub(super) struct Locations<'a> {
    machine: &'a Machine,
    links: Arc<dyn Links>,
    lattice: Option<Lattice>,
}

/// The location of a channel.
#[derive(Clone, Copy, Debug)]
pub(super) struct Location {
    /// The router that it leaves. `None` of injection channels.
    pub(super) from: Option<RouterId>,
    /// The router that it leads to. `None` of ejection channels.
    pub(super) to: Option<RouterId>,
    /// The link that it is, or is a virtual channel of.
    pub(super) link: Option<LinkId>,
    /// The place as engines number it.
    pub(super) channel: ChannelPlace,
}

impl<'a> Locations<'a> {
    /// Returns the locations of the channels of `machine`, or `None` if it has no network.
    pub(super) fn new(machine: &'a Machine) -> Option<Self> {
        let links = machine.spec()?.links().ok()?;
        Some(Self { machine, links, lattice: machine.lattice() })
    }

    /// The links of the network.
    pub(super) fn links(&self) -> &dyn Links {
        self.links.as_ref()
    }

    /// The location of `channel`. Returns `None` of a number that no channel has.
    pub(super) fn location(&self, channel: ChannelId) -> Option<Location> {
        let channel = self.machine.channel_place(channel)?;
        let (from, to, link) = match channel {
            ChannelPlace::Link(out) => {
                let link = self.link(out)?;
                let (from, to) = self.links.ends(link);
                (Some(from), Some(to), Some(link))
            }
            ChannelPlace::Injection(node, _) => (None, Some(self.links.router_of(node)), None),
            ChannelPlace::Ejection(node, _) => (Some(self.links.router_of(node)), None, None),
        };
        Some(Location { from, to, link, channel })
    }

    /// The link that leaves by a port: on a lattice there is a port each way along each dimension, whether a link leaves there or
    /// not; elsewhere links leave by ports in the order of their numbers.
    fn link(&self, PortAt { router, port }: PortAt) -> Option<LinkId> {
        let port = port as usize;
        let before = match &self.lattice {
            Some(lattice) => (0..port).filter(|&port| lattice.neighbour(router, port).is_some()).count(),
            None => port,
        };
        self.links.leaving(RouterId(router)).nth(before)
    }

    /// Returns the router to which the first of two channels leads and which the second leaves, with the ports by which flits come
    /// to it and leave it.
    pub(super) fn ports(&self, channels: [ChannelId; 2], numbers: &PortNumbers) -> Option<(RouterId, [usize; 2])> {
        let [from, to] = channels.map(|channel| self.location(channel));
        let router = to?.from?;
        let input = match from?.channel {
            ChannelPlace::Link(_) => numbers.input(from?.link?),
            ChannelPlace::Injection(node, _) | ChannelPlace::Ejection(node, _) => numbers.of_node(router, node).inputs,
        };
        let output = match to?.channel {
            ChannelPlace::Link(_) => numbers.output(to?.link?),
            ChannelPlace::Injection(node, _) | ChannelPlace::Ejection(node, _) => numbers.of_node(router, node).outputs,
        };
        Some((router, [input, output]))
    }
}
