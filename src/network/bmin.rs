//! `[network.bmin]`: a bidirectional multistage network with turnaround routing, which needs one virtual channel.

use super::fat_tree::gap_groups;
use super::layout::Arrangement;
use super::{Asked, ClosedForm, LinkClasses, NetworkError, NetworkKind, NetworkSpec, Parameter, fat_tree, narrow};
use crate::config::Reader;
use crate::routing::{Network, Turnaround, UpPort};
use crate::topology::{Bmin, GroupCosts, Links, Ports};
use crate::units::{Key, saturated};
use std::sync::Arc;

const RADIX: Key = Key::integer("radix", 2..=u64::MAX).says("number of down channels, and of up channels, of a switch");
const LEVELS: Key =
    Key::integer("levels", 1..=u64::MAX).says("number of levels of switches; the network has radix^levels nodes");
const UP_PORTS: [(&str, UpPort); 2] = [("source", UpPort::Source), ("destination", UpPort::Destination)];
const UP: Key = Key::word("up", |at| UP_PORTS.get(at).map(|(name, _)| *name))
    .or_word("source")
    .says("node whose digits select the up channels");

/// The bmin in the registry.
pub(super) static KIND: NetworkKind = NetworkKind {
    name: "bmin",
    summary: "bidirectional multistage network (k-ary n-tree); turnaround routing",
    keys: &[RADIX, LEVELS, UP],
    read: Some(|table, asked| Some(Arc::new(BminSpec::read(table, asked)?))),
    ..NetworkKind::DEFAULT
};

/// A bidirectional multistage network.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BminSpec {
    /// Channels down, and channels up, of a switch.
    pub radix: u64,
    /// Levels of switches.
    pub levels: u64,
    /// Whose digits choose among the channels up.
    pub up: UpPort,
    /// The classes of links of the scenario.
    pub link_classes: Arc<LinkClasses>,
}

impl BminSpec {
    fn read(table: &Reader<'_>, asked: &Asked<'_, '_>) -> Option<Self> {
        let radix = table.required_integer(&RADIX);
        let levels = table.required_integer(&LEVELS);
        let up = table.choice(&UP, &UP_PORTS);
        let link_classes = Arc::clone(asked.link_classes);
        Some(Self { radix: radix?, levels: levels?, up, link_classes })
    }

    /// Costs by gap between two levels.
    fn group_costs(&self) -> GroupCosts {
        self.link_classes.group_costs(gap_groups(&[], self.levels))
    }
}

impl NetworkSpec for BminSpec {
    fn parameters(&self) -> Vec<(&'static str, Parameter)> {
        let up = match self.up {
            UpPort::Source => "source",
            UpPort::Destination => "destination",
        };
        vec![
            ("radix", Parameter::Integer(self.radix)),
            ("levels", Parameter::Integer(self.levels)),
            ("up", Parameter::Word(up)),
        ]
    }

    fn build(&self, ports: Ports) -> Result<Arc<dyn Network>, NetworkError> {
        let tree = Bmin::new(saturated(self.radix), saturated(self.levels), ports)?;
        Ok(Arc::new(Turnaround::new(tree.with_costs(self.group_costs()), self.up)))
    }

    /// Those of the k-ary n-tree, level by level; channels are numbered by labels instead.
    fn links(&self) -> Result<Arc<dyn Links>, NetworkError> {
        let tree = fat_tree::k_ary_tree(self.radix, self.levels, &self.title())?;
        Ok(Arc::new(tree.with_costs(self.group_costs())))
    }

    fn title(&self) -> String {
        format!("{}-ary {}-level bmin", self.radix, self.levels)
    }

    fn routing(&self) -> &'static str {
        "turnaround"
    }

    fn arrangement(&self) -> Arrangement {
        Arrangement::Levels
    }

    fn shape(&self) -> Vec<u32> {
        vec![narrow(self.radix.saturating_pow(narrow(self.levels)))]
    }

    fn closed_form(&self) -> Option<ClosedForm> {
        fat_tree::closed_form_of_k_ary(self.radix, self.levels)
    }

    fn longest_path(&self) -> u64 {
        2 + 2 * (self.levels - 1)
    }

    /// Neighbours share a switch.
    fn shortest_distance(&self) -> u64 {
        0
    }

    /// Most pairs of leaves have only the top in common.
    fn mean_path(&self) -> u64 {
        self.longest_path()
    }
}
