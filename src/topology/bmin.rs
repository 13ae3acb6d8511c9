//! The bidirectional multistage network as a k-ary n-tree.
//!
//! `k^n` leaves hang below `n` levels of `k^(n-1)` switches. A leaf address has `n` digits `u_{n-1} .. u_0`; a switch
//! of level `l` has `n-1` digits `w_0 .. w_{n-2}`, and leaf `u` hangs below the level-0 switch `w_i = u_{i+1}`. Switch
//! `w` of level `l` and switch `w'` of level `l+1` are joined, both ways, when they agree in every digit but digit `l`.
//!
//! ```text
//!  level 2      (00)     (01)     (10)     (11)        k = 2, n = 3
//!                | \     / |       | \     / |          digit 1 differs between
//!  level 1      (00)..  ..(01)    (10)..  ..(11)        levels 1 and 2, digit 0
//!                |  \  /   |       |  \  /   |          between levels 0 and 1
//!  level 0      (00)     (10)     (01)     (11)
//!               /  \     /  \     /  \     /  \
//!  leaf        0    1   2    3   4    5   6    7
//! ```
//!
//! Between levels `l` and `l+1` a lower switch `w` has one channel each way to every digit `a` of its upper switches.
//! Inserting `a` into `w` at position `l` gives an `n`-digit word, the channel's *label*: there are as many labels as
//! leaves. Channels are numbered: injection (`p` per leaf), ejection (`q` per leaf), then for each pair of levels the
//! up channels and the down channels by label.
//!
//! Source of the wiring: Petrini and Vanneschi's k-ary n-tree; the multicast use is `U-min` (Xu, Gui and Ni 1994).

use super::layout::{Bank, Layout, by_layout, numbered};
use super::{Channels, GroupCosts, Hop, LinkCost, Origin, OwnCosts, Ports, TopologyError};
use crate::units::{ChannelId, NodeId, RouterId, narrow};

/// A k-ary n-tree of `radix^levels` leaves.
#[derive(Clone, Debug)]
pub struct Bmin {
    radix: usize,
    levels: usize,
    layout: Layout,
    /// Costs by gap between two levels, lowest gap first.
    costs: GroupCosts,
}

impl Bmin {
    /// The tree of `levels` levels of switches with `radix` channels down and `radix` channels up.
    ///
    /// # Errors
    /// If the radix is below 2, there are no levels or no ports, or channels cannot be numbered with 32 bits.
    pub fn new(radix: usize, levels: usize, ports: impl Into<Ports>) -> Result<Self, TopologyError> {
        if radix < 2 || levels == 0 {
            return Err(TopologyError::Radix);
        }
        let ports: Ports = ports.into();
        // to a switch of level 0 lead channels down, if there is a level above, and those of the leaves beside
        let down = if levels > 1 { radix as u128 } else { 0 };
        let beside = (radix as u128 - 1).saturating_mul(ports.injection as u128);
        let (ports, ejection) = ports.numbers(down.saturating_add(beside))?;
        let what = || format!("a bmin of radix {radix} and {levels} levels");
        let power = |n: usize| (0..n).try_fold(1_u128, |product, _| product.checked_mul(radix as u128));
        let leaves = power(levels.min(128)).unwrap_or(u128::MAX);
        let per_leaf = (ports + ejection) as u128 + 2 * (levels as u128 - 1);
        let count = numbered(what, leaves.saturating_mul(per_leaf))?;
        let nodes = numbered(what, leaves)?;
        let injection = Bank { start: 0, stride: ports, ports };
        let ejection = Bank { start: nodes * ports, stride: ejection, ports: ejection };
        let layout = Layout { nodes, count, injection, ejection };
        Ok(Self { radix, levels, layout, costs: GroupCosts::default() })
    }

    /// Sets the costs of links by gap between two levels, lowest gap first, and of the channels of nodes.
    #[must_use]
    pub fn with_costs(self, costs: GroupCosts) -> Self {
        Self { costs, ..self }
    }

    /// Channels down, and channels up, of a switch.
    pub fn radix(&self) -> usize {
        self.radix
    }

    /// The number of levels of switches, and of digits in a leaf address.
    pub fn levels(&self) -> usize {
        self.levels
    }

    /// The channel up from level `level` to the next, by its label (see the module's text).
    pub fn up(&self, level: usize, label: usize) -> ChannelId {
        ChannelId::new((self.layout.ports() + 2 * level) * self.layout.nodes + label)
    }

    /// The channel down to level `level` from the next, by its label.
    pub fn down(&self, level: usize, label: usize) -> ChannelId {
        ChannelId::new(self.up(level, label).index() + self.layout.nodes)
    }
}

impl Channels for Bmin {
    by_layout!();

    /// Switches have their ports down first, but those of the lowest level, whose children are leaves. The label of a channel
    /// has the digit of its port up at its level, and that of its port down one above.
    fn hop(&self, channel: ChannelId) -> Option<Hop> {
        let bank = (channel.index() / self.layout.nodes).checked_sub(self.layout.ports())?;
        let level = bank / 2;
        let digit = |place: usize| {
            let power = self.radix.pow(narrow(place, "levels of a tree whose leaves can be numbered"));
            channel.index() % self.layout.nodes / power % self.radix
        };
        let port = match (bank.is_multiple_of(2), level) {
            (true, 0) => digit(0),
            (true, _) => self.radix + digit(level),
            (false, _) => digit(level + 1),
        };
        Some(Hop { port: u16::try_from(port).ok()?, vc: 0 })
    }

    /// The label of the channel up or down is the switch with the digit of the port.
    fn leaving(&self, router: RouterId, port: usize) -> Option<ChannelId> {
        let switches = self.layout.nodes / self.radix;
        let level = router.index() / switches;
        let power = self.radix.pow(narrow(level, "levels of a tree whose leaves can be numbered"));
        let switch = router.index() % switches;
        let label = |digit: usize| (switch / power * self.radix + digit) * power + switch % power;
        match level.checked_sub(1) {
            Some(below) if port < self.radix => Some(self.down(below, label(port))),
            Some(_) => Some(self.up(level, label(port - self.radix))),
            None => Some(self.up(level, label(port))),
        }
    }

    /// A class for each gap between two levels, lowest gap first.
    fn class(&self, channel: ChannelId) -> Option<usize> {
        let bank = (channel.index() / self.layout.nodes).checked_sub(self.layout.ports())?;
        Some(bank / 2)
    }

    fn cost(&self, channel: ChannelId) -> Option<LinkCost> {
        self.class(channel).map_or(self.costs.node, |gap| self.costs.link(gap))
    }

    fn own_costs(&self) -> Option<OwnCosts<ChannelId>> {
        let links = (0..self.levels - 1).map(|gap| (self.up(gap, 0), gap));
        self.costs.summary(links, self.injection(NodeId(0)))
    }

    /// A label without the digit that says which of its channels the switch takes is the switch. The first digit of a switch is
    /// the least significant, as that of the k-ary n-tree's place ([`FatTree`](super::FatTree)).
    fn origin(&self, channel: ChannelId) -> Origin {
        let Some(bank) = (channel.index() / self.layout.nodes).checked_sub(self.layout.ports()) else {
            return self.layout.port_origin(channel);
        };
        let is_up = bank.is_multiple_of(2);
        let level = if is_up { bank / 2 } else { bank / 2 + 1 };
        let label = channel.index() % self.layout.nodes;
        let power = self.radix.pow(narrow(level, "levels of a tree whose leaves can be numbered"));
        let switch = label / (power * self.radix) * power + label % power;
        Origin::Link(RouterId::new(level * (self.layout.nodes / self.radix) + switch))
    }

    fn name(&self, channel: ChannelId) -> String {
        let label = channel.index() % self.layout.nodes;
        let Some(bank) = (channel.index() / self.layout.nodes).checked_sub(self.layout.ports()) else {
            return self.layout.port_name(channel, |node| node.to_string());
        };
        let level = bank / 2;
        if bank.is_multiple_of(2) {
            format!("up {level}->{} label {label}", level + 1)
        } else {
            format!("down {}->{level} label {label}", level + 1)
        }
    }
}
