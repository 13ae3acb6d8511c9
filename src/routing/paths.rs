//! A routing over links with fixed paths, run as a [`Network`].

use super::{LinkRouting, Network, Order};
use crate::topology::{Channels, Linked, Links, Ports, TopologyError};
use crate::units::{ChannelId, LinkId, NodeId};
use std::sync::Arc;

/// A link of a path, and the class of virtual channels that a message takes there.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Step {
    /// The link.
    pub link: LinkId,
    /// The class, from 0: a share of the virtual channels.
    pub class: u8,
}

/// Links with fixed paths, as the engines run them.
#[derive(Debug)]
pub struct LinkNetwork {
    channels: Linked,
    paths: Arc<dyn LinkRouting>,
}

impl LinkNetwork {
    /// Messages take the paths of `paths` over `channels`, in each class its first virtual channel.
    pub fn new(channels: Linked, paths: Arc<dyn LinkRouting>) -> Self {
        Self { channels, paths }
    }

    /// The same over `links` of so many virtual channels each, with an injection and an ejection channel for every node.
    ///
    /// # Errors
    /// If there are no virtual channels, or channels cannot be numbered with 32 bits.
    pub fn over(
        links: impl Links + 'static,
        virtual_channels: usize,
        paths: impl LinkRouting + 'static,
    ) -> Result<Self, TopologyError> {
        let what = format!("a network of {} links", links.count());
        let channels = Linked::new(Arc::new(links), virtual_channels, Ports::from(1), || what.clone())?;
        Ok(Self::new(channels, Arc::new(paths)))
    }

    /// The virtual channel that stands for `class`: with fewer virtual channels than classes, all classes have all.
    fn virtual_channel(&self, class: u8) -> usize {
        let vcs = self.channels.virtual_channels();
        let classes = usize::from(self.paths.classes());
        if vcs < classes { 0 } else { usize::from(class) * vcs / classes }
    }
}

impl Network for LinkNetwork {
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

    fn reaches(&self, src: NodeId, dst: NodeId) -> bool {
        self.paths.reaches(src, dst)
    }

    fn paths(&self) -> Option<Arc<dyn LinkRouting>> {
        Some(Arc::clone(&self.paths))
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
