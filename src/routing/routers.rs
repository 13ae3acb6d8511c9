//! Routing on virtual-channel routers: the ports of routers, and the candidates of a head flit.
//!
//! A [`Routing`] is a relation: it offers candidates, and routers select among those that are free. A fixed path is a relation
//! with one choice. It does not know buffers, credits and other packets; a routing that compares loads reads them from a
//! function. A [`Relation`](super::Relation) numbers ports by dimension, a [`LinkRelation`](super::LinkRelation) routes over
//! any links.

use super::certificate::{Certificate, Endpoints};
use super::loaded_channel::{Flow, LoadedChannel};
use super::relation::{Choice, Dependence, Header};
use super::{Lattice, LinkRouting, Wiring};
use crate::topology::{Hop, Links, SlowLinks};
use std::fmt;
use std::sync::Arc;

/// A head flit at the front of a buffer.
pub struct Head<'a> {
    /// The source node of its packet.
    pub src: u32,
    /// The router.
    pub router: u32,
    /// The port by which it entered the router.
    pub entered: usize,
    /// The number of links that it has crossed.
    pub hops: usize,
    /// The header of its packet.
    pub header: &'a mut Header,
    /// Hops from the source on, as far as they are decided. Only routings over links append to them.
    pub path: &'a mut Vec<Hop>,
    /// The number of flits that wait for the link of a port.
    pub load: &'a dyn Fn(u16) -> u32,
}

/// A form of a routing that engines evaluate without calling it, on a lattice.
#[derive(Clone, Copy, Debug)]
pub enum Shortcut<'a> {
    /// Dimension order without rings: all virtual channels of one port.
    DimensionOrder(&'a Lattice),
    /// Choices that depend on nothing but the direction of the destination ([`Lattice::direction`]).
    Direction(&'a Lattice),
}

/// A routing on the routers of a network.
pub trait Routing: fmt::Debug + Send + Sync {
    /// The ports of the routers, and how links connect them.
    fn wiring(&self) -> &dyn Wiring;

    /// Bytes of the tables of these ports.
    fn memory(&self) -> u64 {
        0
    }

    /// Virtual channels of a link.
    fn virtual_channels(&self) -> u16;

    /// Returns the routing with `vcs` virtual channels a link, at least one.
    fn restricted_to(&self, vcs: u16) -> Arc<dyn Routing>;

    /// Returns the routing with the fixed `paths` over the same links, or `None` if it does not route over links.
    fn with_paths(&self, paths: Arc<dyn LinkRouting>) -> Option<Arc<dyn Routing>> {
        let _ = paths;
        None
    }

    /// Returns the routing with the costs of `links`, on routers whose cycle is `flit_time` ticks.
    fn with_slow_links(&self, links: &Arc<SlowLinks>, flit_time: u64) -> Arc<dyn Routing>;

    /// Virtual channels of a link that deadlock freedom needs.
    fn needed_virtual_channels(&self) -> u16;

    /// The reason why the routing cannot run on these routers at all, as in "requires a mesh".
    fn unfit(&self) -> Option<&'static str> {
        None
    }

    /// True if a head flit may have several ports to choose from.
    fn is_adaptive(&self) -> bool;

    /// True if head flits read loads, for which they are routed when they first request an output.
    fn reads_load(&self) -> bool {
        false
    }

    /// The header of a packet to `dst` at its source. `random_bits` decide all that is drawn.
    fn header(&self, dst: u32, random_bits: u64) -> Header;

    /// The choice of a head flit that has one. At its destination that is the port behind those of the links.
    ///
    /// # Panics
    /// If the routing is adaptive.
    fn choice(&self, head: &mut Head<'_>) -> Choice;

    /// Replaces `choices` by those of a head flit, one if the routing is not adaptive.
    fn choices(&self, head: &mut Head<'_>, choices: &mut Vec<Choice>);

    /// The lattice of the routers, if they form one.
    fn lattice(&self) -> Option<&Lattice> {
        None
    }

    /// A form that engines evaluate without a call, if there is one.
    fn shortcut(&self) -> Option<Shortcut<'_>> {
        None
    }

    /// The first virtual channel of a link that is granted only while its buffer is empty, if there are any.
    fn exclusive_from(&self) -> Option<u16> {
        None
    }

    /// The busiest link between routers where nodes send `flow`. Returns `None` if it is not known, or nothing crosses links.
    fn busiest_link(&self, flow: &Flow<'_>) -> Option<LoadedChannel>;

    /// The channel dependency graph of all packets, or `None` if their paths have more than `most` steps together.
    fn dependence(&self, most: u64) -> Option<Dependence>;

    /// The certificate of deadlock freedom on `links`, the links of these routers, with `atomic` buffers or others.
    fn certificate(&self, links: &dyn Links, atomic: bool) -> Certificate;

    /// The certificate of packets of classes between nodes. The routings of the classes are restrictions of this one.
    fn endpoint_certificate(&self, endpoints: Endpoints<'_>, atomic: bool) -> Certificate;
}
