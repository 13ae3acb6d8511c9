//! The channels of a machine, and between which vertices they lead.
//!
//! Engines number channels in their own ways; what they are is in their names, which are the same for all.

use super::places::{Places, without_number};
use crate::machine::Machine;
use crate::units::ChannelId;
use rustc_hash::FxHashMap;
use serde::Serialize;

/// What a channel is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum ChannelKind {
    Injection,
    Ejection,
    Link,
}

/// A channel of a page.
#[derive(Clone, Debug, Serialize)]
pub(super) struct Channel {
    pub(super) name: String,
    pub(super) kind: ChannelKind,
    /// The vertex that it leaves and the one that it leads to.
    pub(super) from: u32,
    pub(super) to: u32,
}

/// All channels, and which number of the engine is which of them.
pub(super) struct ChannelList {
    pub(super) channels: Vec<Channel>,
    numbers: FxHashMap<ChannelId, usize>,
}

impl ChannelList {
    /// The channels of `machine`, whose vertices stand at `places`.
    pub(super) fn new(machine: &Machine, places: &Places) -> Self {
        let mut list = Self { channels: Vec::new(), numbers: FxHashMap::default() };
        for number in (0..machine.channels()).map(ChannelId::new) {
            // some numbers are no channel's
            if let Some(channel) = channel(machine.channel_name(number), places) {
                list.numbers.insert(number, list.channels.len());
                list.channels.push(channel);
            }
        }
        list
    }

    /// The place of channel `number` of the engine.
    pub(super) fn number(&self, number: ChannelId) -> usize {
        self.numbers[&number]
    }
}

fn channel(name: String, places: &Places) -> Option<Channel> {
    let physical = without_number(&name, " vc ");
    if let Some(node) = physical.strip_prefix("injection ") {
        let ends = places.node(without_number(node, " port "))?;
        return Some(Channel { kind: ChannelKind::Injection, from: ends.vertex, to: ends.router, name });
    }
    if let Some(node) = physical.strip_prefix("ejection ") {
        let ends = places.node(without_number(node, " port "))?;
        return Some(Channel { kind: ChannelKind::Ejection, from: ends.router, to: ends.vertex, name });
    }
    let ends = places.link(physical)?;
    Some(Channel { kind: ChannelKind::Link, from: ends.from, to: ends.to, name })
}
