//! What a collective asks of the links of a network: counted along the paths that its own routing fixes.

use crate::cancel::Pace;
use crate::routing::Network;
use crate::schedule::collective::{Collective, CollectiveMessage};
use crate::units::{ChannelId, MessageId, NodeId, narrow};

/// What messages ask of links.
#[derive(Clone, Debug, Default)]
pub(super) struct Load {
    /// Links of the path of each message.
    links: Vec<u32>,
    /// The sum over the steps of the most links of a message.
    pub(super) critical_hops: u64,
    /// The sum over the steps of the flits on the busiest directed link.
    pub(super) critical_link_flits: u64,
    /// The most messages of a step on one link, and where that is first so.
    pub(super) busiest: Option<Shared>,
    /// Each physical link that carries something: its first virtual channel, the messages and the flits.
    pub(super) carried: Vec<Carried>,
}

/// A link that messages of a step share.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Shared {
    /// The step.
    pub(super) step: usize,
    /// The link.
    pub(super) link: ChannelId,
    /// How many messages of the step take it.
    pub(super) messages: u32,
    /// Two of them.
    pub(super) first: MessageId,
    /// The other.
    pub(super) second: MessageId,
}

/// What a link carries.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Carried {
    /// The link.
    pub(super) link: ChannelId,
    /// Messages, in all steps.
    pub(super) messages: u64,
    /// Flits, in all steps.
    pub(super) flits: u64,
}

/// What the messages of the step in hand ask of a link.
#[derive(Clone, Copy, Debug, Default)]
struct OfStep {
    messages: u32,
    flits: u64,
    first: Option<MessageId>,
}

impl Load {
    /// Counts what `collective` asks of `network`, rank `i` on `nodes[i]`. O(links of all messages) time.
    pub(super) fn new(collective: &Collective, network: &dyn Network, nodes: &[NodeId]) -> Self {
        let channels = network.channels();
        let mut load = Self { links: Vec::with_capacity(collective.len()), ..Self::default() };
        let mut of_step = vec![OfStep::default(); channels.count()];
        let mut of_all = vec![OfAll::default(); channels.count()];
        let mut touched: Vec<ChannelId> = Vec::new();
        let mut path = Vec::new();
        let mut pace = Pace::default();
        for step in 0..collective.steps() {
            let mut longest = 0;
            let mut busiest = 0;
            for message in collective.messages(step) {
                pace.step();
                path.clear();
                network.route(nodes[message.src], nodes[message.dst], &mut path);
                let between = &path[1..path.len() - 1];
                longest = longest.max(between.len());
                load.links.push(narrow(between.len(), "a path is laid out in memory"));
                for &channel in between {
                    let link = channels.physical(channel);
                    let now = &mut of_step[link.index()];
                    if now.messages == 0 {
                        touched.push(link);
                    }
                    now.add(&message);
                    busiest = busiest.max(now.flits);
                    load.note_shared(step, link, *now, &message);
                }
            }
            load.critical_hops += longest as u64;
            load.critical_link_flits += busiest;
            for link in touched.drain(..) {
                let OfStep { messages, flits, .. } = std::mem::take(&mut of_step[link.index()]);
                let all = &mut of_all[link.index()];
                all.messages += u64::from(messages);
                all.flits += flits;
            }
        }
        let carried = of_all.into_iter().enumerate().filter(|(_, all)| all.messages > 0);
        load.carried = carried
            .map(|(link, all)| Carried { link: ChannelId::new(link), messages: all.messages, flits: all.flits })
            .collect();
        load
    }

    /// Notes that so many messages share a link, if they are more than anywhere before.
    fn note_shared(&mut self, step: usize, link: ChannelId, now: OfStep, message: &CollectiveMessage) {
        let OfStep { messages, first, .. } = now;
        if messages > 1
            && self.busiest.is_none_or(|before| messages > before.messages)
            && let Some(first) = first
        {
            self.busiest = Some(Shared { step, link, messages, first, second: message.id });
        }
    }

    /// The links on the path of message `id`.
    pub(super) fn links(&self, id: MessageId) -> usize {
        self.links[id.index()] as usize
    }
}

impl OfStep {
    fn add(&mut self, message: &CollectiveMessage) {
        self.first = self.first.or(Some(message.id));
        self.messages += 1;
        self.flits += message.listed_flits();
    }
}

#[derive(Clone, Copy, Debug, Default)]
struct OfAll {
    messages: u64,
    flits: u64,
}
