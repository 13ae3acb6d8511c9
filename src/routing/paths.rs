//! Routings of networks of links: a rule that gives the links of a path, run as a [`Network`].

use super::{Network, Order};
use crate::topology::{Channels, Linked, Links, Ports, TopologyError};
use crate::units::{ChannelId, LinkId, NodeId};
use std::fmt;
use std::sync::Arc;

/// A link of a path, and the class of virtual channels that a message takes there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Step {
    /// The link.
    pub link: LinkId,
    /// The class, from 0: a share of the virtual channels.
    pub class: u8,
}

/// A rule that gives one path between any two nodes.
pub trait Paths: fmt::Debug + Send + Sync {
    /// How many classes of virtual channels keep it free of deadlock.
    fn classes(&self) -> u8 {
        1
    }

    /// Appends the steps from the router of `src` to that of `dst` to `path`; none if both hang on one router.
    fn path(&self, src: NodeId, dst: NodeId, path: &mut Vec<Step>);

    /// The first class of virtual channels of messages that routers copy, if they do.
    fn tree_class(&self) -> Option<u8> {
        None
    }

    /// How many links the path has.
    fn hops(&self, src: NodeId, dst: NodeId) -> usize {
        let mut path = Vec::new();
        self.path(src, dst, &mut path);
        path.len()
    }

    /// Which order of the nodes contention-free multicast trees can rest on.
    fn order(&self) -> Order {
        Order::None
    }

    /// The place of `node` in an order in which nodes that are near each other stand together.
    fn chain_rank(&self, node: NodeId) -> u64 {
        u64::from(node.0)
    }
}

impl<P: Paths + ?Sized> Paths for Arc<P> {
    fn classes(&self) -> u8 {
        (**self).classes()
    }

    fn path(&self, src: NodeId, dst: NodeId, path: &mut Vec<Step>) {
        (**self).path(src, dst, path);
    }

    fn tree_class(&self) -> Option<u8> {
        (**self).tree_class()
    }

    fn hops(&self, src: NodeId, dst: NodeId) -> usize {
        (**self).hops(src, dst)
    }

    fn order(&self) -> Order {
        (**self).order()
    }

    fn chain_rank(&self, node: NodeId) -> u64 {
        (**self).chain_rank(node)
    }
}

/// Links with a rule: what the engines run on.
#[derive(Debug)]
pub struct LinkNetwork<P> {
    channels: Linked,
    paths: Arc<P>,
}

impl<P: Paths> LinkNetwork<P> {
    /// Messages take the paths of `paths` over `channels`, in each class its first virtual channel.
    pub fn new(channels: Linked, paths: P) -> Self {
        Self { channels, paths: Arc::new(paths) }
    }

    /// The same over `links` of so many virtual channels each, with an injection and an ejection channel for every node.
    ///
    /// # Errors
    /// If there are no virtual channels, or channels cannot be numbered with 32 bits.
    pub fn over(links: impl Links + 'static, virtual_channels: usize, paths: P) -> Result<Self, TopologyError> {
        let what = format!("a network of {} links", links.count());
        let channels = Linked::new(Arc::new(links), virtual_channels, Ports::from(1), || what.clone())?;
        Ok(Self::new(channels, paths))
    }

    /// The virtual channel that stands for `class`: with fewer virtual channels than classes, all classes have all.
    fn virtual_channel(&self, class: u8) -> usize {
        let vcs = self.channels.virtual_channels();
        let classes = usize::from(self.paths.classes());
        if vcs < classes { 0 } else { usize::from(class) * vcs / classes }
    }
}

impl<P: Paths + 'static> Network for LinkNetwork<P> {
    fn channels(&self) -> &dyn Channels {
        &self.channels
    }

    fn route(&self, src: NodeId, dst: NodeId, path: &mut Vec<ChannelId>) {
        path.push(self.channels.injection(src));
        let mut steps = Vec::new();
        self.paths.path(src, dst, &mut steps);
        path.extend(
            steps.iter().map(|step| self.channels.virtual_channel(step.link, self.virtual_channel(step.class))),
        );
        path.push(self.channels.ejection(dst));
    }

    fn paths(&self) -> Option<Arc<dyn Paths>> {
        Some(Arc::clone(&self.paths) as Arc<dyn Paths>)
    }

    fn classes(&self) -> u8 {
        self.paths.classes()
    }

    fn tree_class(&self) -> Option<u8> {
        self.paths.tree_class()
    }

    fn hops(&self, src: NodeId, dst: NodeId) -> usize {
        self.paths.hops(src, dst)
    }

    fn order(&self) -> Order {
        self.paths.order()
    }

    fn chain_rank(&self, node: NodeId) -> u64 {
        self.paths.chain_rank(node)
    }
}
