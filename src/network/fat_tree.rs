//! `[network.fat-tree]`: a k-ary n-tree, or any extended generalised fat tree, with the ports up read off the destination or
//! the source, which needs one virtual channel.

use super::costs::{self, CostKeys};
use super::layout::Arrangement;
use super::{Asked, ClosedForm, LinkClasses, NetworkError, NetworkKind, NetworkSpec, Parameter, narrow, with_article};
use crate::config::{Diagnostic, Reader};
use crate::routing::tree::TreePaths;
use crate::routing::{FatTreePaths, LinkNetwork, LinkRouting, ModK, NearestCommonAncestor, Network, UpBy};
use crate::topology::{FatTree, LinkCost, Linked, Links, Ports, Stage, TopologyError, gap_class, links_below, product};
use crate::units::{Key, saturated};
use std::sync::Arc;

/// A key of k-ary n-trees.
const fn regular(key: Key) -> Key {
    key.unless("children").because("a fat-tree has either `arity` and `levels` or `children` and `parents`")
}

const ARITY: Key = regular(Key::integer("arity", 2..=u64::MAX)).says(
    "nodes of a switch of the lowest level, and down and up ports of the other switches; or `children` and `parents`",
);
const LEVELS: Key = regular(Key::integer("levels", 1..=u64::MAX))
    .says("number of levels of switches; the network has arity^levels nodes");
const CHILDREN: Key = Key::integers("children", 1..=u64::MAX)
    .or_else("none; see `arity`")
    .says("down ports of a switch for each level, lowest level first; at the lowest level these are its nodes");
const PARENTS: Key = Key::integers("parents", 1..=u64::MAX)
    .beside(&["children"])
    .because("without `children`, a switch has as many parents as children")
    .says("number of parents of each child, for each level; the first is 1, because a node has one switch");

/// What the links of fat trees take.
const COSTS: CostKeys = CostKeys::new(
    "time for a flit to cross a link, up or down, for each gap between two levels, lowest gap first",
    "additional delay of a flit on a link and of the returning credit, for each gap",
    "the number of gaps between levels is",
);

/// Every routing of fat trees, the default first.
const ROUTINGS: [(&str, &str); 4] = [
    ("d-mod-k", "up ports by the digits of the destination; one path down to each node (default)"),
    ("s-mod-k", "up ports by the digits of the source; one path up from each node"),
    ("nca-random", "random up ports to a nearest common ancestor"),
    ("nca-adaptive", "the less loaded of two random up ports, to a nearest common ancestor"),
];

/// How messages climb, in the order of [`ROUTINGS`].
const CLIMBS: [Climb; 4] = [
    Climb::Digits(ModK::Destination),
    Climb::Digits(ModK::Source),
    Climb::Choosing(UpBy::Drawing),
    Climb::Choosing(UpBy::Load),
];

/// The fat tree in the registry.
pub(super) static KIND: NetworkKind = NetworkKind {
    name: "fat-tree",
    summary: "fat tree: k-ary n-tree or extended generalised fat tree; routed up and down by the digits of node numbers",
    keys: &[ARITY, LEVELS, CHILDREN, PARENTS, COSTS.flit_time, COSTS.delay],
    routings: &ROUTINGS,
    read: Some(|table, asked| Some(Arc::new(FatTreeSpec::read(table, asked)?))),
    ..NetworkKind::DEFAULT
};

/// A fat tree.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FatTreeSpec {
    /// Its switches.
    pub shape: TreeShape,
    /// What says the ports up.
    pub climb: Climb,
    /// Per gap between two levels, the lowest first, what its links take; empty if that is what every channel does.
    pub costs: Vec<LinkCost>,
    /// The classes of links of the scenario.
    pub link_classes: Arc<LinkClasses>,
}

/// What says which ports up messages take.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Climb {
    /// The digits of a node.
    Digits(ModK),
    /// Draws, and perhaps how full links are.
    Choosing(UpBy),
}

/// The switches of a fat tree.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TreeShape {
    /// A k-ary n-tree.
    Regular {
        /// Ports down, and ports up, of a switch.
        arity: u64,
        /// Levels of switches.
        levels: u64,
    },
    /// An extended generalised fat tree, the lowest level first.
    Extended {
        /// Ports down of a switch of each level.
        children: Vec<u64>,
        /// Switches of each level above each child.
        parents: Vec<u64>,
    },
}

impl TreeShape {
    fn read(table: &Reader<'_>) -> Option<Self> {
        if !table.gives(&CHILDREN) {
            let arity = table.required_integer(&ARITY);
            let levels = table.required_integer(&LEVELS);
            return Some(Self::Regular { arity: arity?, levels: levels? });
        }
        let before = table.error_count();
        table.demand(&PARENTS);
        let children = table.integers(&CHILDREN);
        let parents = table.integers(&PARENTS);
        let children: Vec<u64> = children?.into_iter().map(|(number, _)| number).collect();
        let parents: Vec<u64> = parents?.into_iter().map(|(number, _)| number).collect();
        if table.error_count() > before {
            return None;
        }
        match no_levels(table, &children, &parents) {
            Some(wrong) => {
                table.error(wrong);
                None
            }
            None => Some(Self::Extended { children, parents }),
        }
    }

    /// The stages, as topologies take them.
    fn stages(&self) -> Vec<Stage> {
        match self {
            // with two children each, 64 levels are already too many to be numbered
            Self::Regular { arity, levels } => k_ary(*arity, (*levels).min(64)),
            Self::Extended { children, parents } => {
                let pairs = children.iter().copied().zip(parents.iter().copied());
                pairs.map(|(children, parents)| stage(children, parents)).collect()
            }
        }
    }
}

fn stage(children: u64, parents: u64) -> Stage {
    Stage { children: saturated(children), parents: saturated(parents) }
}

/// What is wrong with numbers of children and parents that are no levels of a tree.
fn no_levels(table: &Reader<'_>, children: &[u64], parents: &[u64]) -> Option<Diagnostic> {
    if children.is_empty() {
        let wrong = Diagnostic::at(table.place_of(CHILDREN.name), "`children` has no entries");
        return Some(wrong.note("accepted: one entry for each level, such as [4, 3, 2]"));
    }
    if children.len() != parents.len() {
        let levels = if children.len() == 1 { "1 entry".to_owned() } else { format!("{} entries", children.len()) };
        let message = format!("`children` has {levels}, but `parents` has {}", parents.len());
        let wrong = Diagnostic::at(table.place_of(PARENTS.name), message);
        return Some(wrong.note(format!("accepted: {levels}, one for each level")));
    }
    (parents[0] > 1).then(|| {
        let wrong =
            Diagnostic::at(table.place_within_array(&[PARENTS.name], 0), "the first entry of `parents` must be 1");
        wrong.note("accepted: for example [1, 2, 2]; a node is attached to one switch")
    })
}

/// The stages of a k-ary n-tree.
fn k_ary(arity: u64, levels: u64) -> Vec<Stage> {
    (0..levels).map(|level| stage(arity, if level == 0 { 1 } else { arity })).collect()
}

/// The k-ary n-tree that is known as `title`.
pub(super) fn k_ary_tree(arity: u64, levels: u64, title: &str) -> Result<FatTree, TopologyError> {
    FatTree::new(&k_ary(arity, levels.min(64)), || with_article(title))
}

/// The group of links in each gap between `levels` levels: the name of its class, and its cost if the network sets `costs`.
pub(super) fn gap_groups(costs: &[LinkCost], levels: u64) -> impl Iterator<Item = (String, Option<LinkCost>)> {
    let gaps = saturated(levels.min(64)).saturating_sub(1);
    (0..gaps).map(|gap| (gap_class(gap), costs.get(gap).copied()))
}

/// The closed form of a k-ary n-tree.
pub(super) fn closed_form_of_k_ary(arity: u64, levels: u64) -> Option<ClosedForm> {
    closed_form(&k_ary(arity, levels.min(64)))
}

/// Two nodes that have the level `i` as the lowest in common are `2 (i - 1)` links apart. The halves of the nodes are those
/// below the lower and the upper children of the top, and as much flows between them as the thinnest level lets through.
fn closed_form(stages: &[Stage]) -> Option<ClosedForm> {
    let mut below = 1_u128;
    let mut from_one = 0_u128;
    let mut diameter = 0;
    for (level, stage) in (0_u64..).zip(stages) {
        let met_here = below.checked_mul(stage.children as u128)? - below;
        if met_here > 0 {
            diameter = 2 * level;
        }
        from_one = from_one.checked_add(met_here.checked_mul(u128::from(2 * level))?)?;
        below += met_here;
    }
    let thinnest = (1..stages.len()).map(|level| links_below(stages, level)).min();
    let halves = stages.last().is_some_and(|top| top.children.is_multiple_of(2));
    let bisection = thinnest.filter(|_| halves).and_then(|links| u64::try_from(links / 2).ok());
    Some(ClosedForm { diameter, distance_sum: Some(below.checked_mul(from_one)?), bisection })
}

impl FatTreeSpec {
    fn read(table: &Reader<'_>, asked: &Asked<'_, '_>) -> Option<Self> {
        let named = ROUTINGS.iter().zip(CLIMBS).find(|((name, _), _)| *name == asked.routing);
        let (_, climb) = named?;
        let shape = TreeShape::read(table)?;
        let errors = table.error_count();
        let gaps = shape.stages().len().saturating_sub(1);
        let costs = COSTS.read(table, gaps, asked.flit_time);
        let link_classes = Arc::clone(asked.link_classes);
        (table.error_count() == errors).then_some(Self { shape, climb, costs, link_classes })
    }

    /// Whose digits say the ports up of the paths that models count. Drawn ones are as long, and like those of the source free
    /// of an order of nodes in which messages do not meet.
    fn digits(&self) -> ModK {
        match self.climb {
            Climb::Digits(by) => by,
            Climb::Choosing(_) => ModK::Source,
        }
    }

    fn topology(&self) -> Result<Arc<FatTree>, TopologyError> {
        let stages = self.shape.stages();
        let tree = FatTree::new(&stages, || with_article(&self.title()))?;
        let groups = gap_groups(&self.costs, stages.len() as u64);
        Ok(Arc::new(tree.with_costs(self.link_classes.group_costs(groups))))
    }

    fn nodes(&self) -> u64 {
        u64::try_from(product(&self.shape.stages(), |stage| stage.children)).unwrap_or(u64::MAX)
    }
}

impl NetworkSpec for FatTreeSpec {
    fn parameters(&self) -> Vec<(&'static str, Parameter)> {
        let mut parameters = match &self.shape {
            TreeShape::Regular { arity, levels } => {
                vec![("arity", Parameter::Integer(*arity)), ("levels", Parameter::Integer(*levels))]
            }
            TreeShape::Extended { children, parents } => vec![
                ("children", Parameter::Integers(children.clone())),
                ("parents", Parameter::Integers(parents.clone())),
            ],
        };
        parameters.push(("routing", Parameter::Word(self.routing())));
        parameters.extend(costs::parameters(&self.costs));
        parameters
    }

    fn build(&self, ports: Ports) -> Result<Arc<dyn Network>, NetworkError> {
        let tree = self.topology()?;
        let channels = Linked::new(tree.clone(), 1, ports, || with_article(&self.title()))?;
        Ok(Arc::new(LinkNetwork::new(channels, Arc::new(FatTreePaths::new(tree, self.digits())))))
    }

    fn choosing(&self) -> Result<Option<Arc<dyn LinkRouting>>, NetworkError> {
        let Climb::Choosing(by) = self.climb else { return Ok(None) };
        Ok(Some(Arc::new(NearestCommonAncestor::new(self.topology()?, by))))
    }

    /// Up by the digits of the source: paths by those of destinations make no tree.
    fn multicast_paths(&self) -> Result<TreePaths, NetworkError> {
        Ok(TreePaths::Any(Arc::new(FatTreePaths::new(self.topology()?, ModK::Source))))
    }

    fn reduction_paths(&self) -> Result<TreePaths, NetworkError> {
        Ok(TreePaths::Network)
    }

    fn links(&self) -> Result<Arc<dyn Links>, NetworkError> {
        Ok(self.topology()?)
    }

    fn title(&self) -> String {
        match &self.shape {
            TreeShape::Regular { arity, levels } => format!("{arity}-ary {levels}-level fat-tree"),
            TreeShape::Extended { children, parents } => {
                format!("fat-tree of children {children:?}, parents {parents:?}")
            }
        }
    }

    fn routing(&self) -> &'static str {
        let named = ROUTINGS.iter().zip(CLIMBS).find(|(_, climb)| *climb == self.climb);
        named.map_or(ROUTINGS[0].0, |((name, _), _)| name)
    }

    fn arrangement(&self) -> Arrangement {
        Arrangement::Levels
    }

    fn shape(&self) -> Vec<u32> {
        vec![narrow(self.nodes())]
    }

    fn longest_path(&self) -> u64 {
        self.closed_form().map_or(u64::MAX, |form| 2 + form.diameter)
    }

    /// Nodes of a switch of the lowest level are beside each other; with one each, those of the next level that has several.
    fn shortest_distance(&self) -> u64 {
        let stages = self.shape.stages();
        let level = stages.iter().take_while(|stage| stage.children == 1).count();
        if level < stages.len() { 2 * level as u64 } else { 0 }
    }

    fn mean_path(&self) -> u64 {
        let pairs = u128::from(self.nodes()) * u128::from(self.nodes().saturating_sub(1));
        let sum = self.closed_form().and_then(|form| form.distance_sum).unwrap_or_default();
        2 + u64::try_from((sum + pairs / 2) / pairs.max(1)).unwrap_or(u64::MAX - 2)
    }

    fn closed_form(&self) -> Option<ClosedForm> {
        closed_form(&self.shape.stages())
    }
}
