//! `[network.dragonfly]`: a dragonfly with minimal routing, which is free of deadlock with two virtual channels: one before
//! the global link and on it, one behind it.

use super::costs;
use super::layout::Arrangement;
use super::{
    Asked, ClosedForm, Idle, LinkClasses, NetworkError, NetworkKind, NetworkSpec, ParallelBy, Parameter, narrow,
    with_article,
};
use crate::config::{Diagnostic, Reader};
use crate::routing::tree::TreePaths;
use crate::routing::{
    CopyBy, DragonflyMinimal, DragonflyUgal, DragonflyValiant, LinkNetwork, LinkRouting, Network, UGAL_THRESHOLD,
};
use crate::topology::{
    DRAGONFLY_CLASSES, Dragonfly, DragonflyCosts, DragonflySize, LinkCost, Linked, Links, Ports, TopologyError,
};
use crate::units::{Key, saturated};
use std::sync::Arc;

/// The largest `p`, `a` and `h`, so that products of two of them are counted exactly.
const LARGEST: u64 = u32::MAX as u64;

const P: Key = Key::integer("p", 1..=LARGEST).says("number of nodes of a router");
const A: Key = Key::integer("a", 1..=LARGEST).says("number of routers of a group, which are fully connected");
const H: Key = Key::integer("h", 1..=LARGEST).says("number of links of a router to other groups");
const GROUPS: Key = Key::integer("groups", 2..=u64::MAX)
    .or_else("a * h + 1")
    .says("number of groups, at most a * h + 1; groups - 1 divides a * h, so that all pairs of groups have equally many links");

const LOCAL: [Key; 2] = [
    costs::flit_time("local_flit_time").says("time for a flit to cross a link within a group"),
    costs::delay("local_delay").says("additional delay of a flit on a link within a group and of the returning credit"),
];
const GLOBAL: [Key; 2] = [
    costs::flit_time("global_flit_time").says("time for a flit to cross a link between groups"),
    costs::delay("global_delay")
        .says("additional delay of a flit on a link between groups and of the returning credit"),
];

/// The dragonfly in the registry.
pub(super) static KIND: NetworkKind = NetworkKind {
    name: "dragonfly",
    summary: "dragonfly: fully connected groups of routers, with links between all groups",
    keys: &[P, A, H, GROUPS, LOCAL[0], LOCAL[1], GLOBAL[0], GLOBAL[1]],
    virtual_channels: 2,
    routings: &[
        (
            Detour::MINIMAL,
            "default; at most one global link per path; the router of the destination selects among several links between two groups, or the source node if `parallel = \"source\"`",
        ),
        (Detour::VALIANT, "via a random group; three classes of virtual channels"),
        (Detour::UGAL, "minimal or via a random group, depending on queues at the source"),
    ],
    parallel: &[ParallelBy::Source],
    read: Some(|table, asked| Some(Arc::new(DragonflySpec::read(table, asked)?))),
    ..NetworkKind::DEFAULT
};

/// A dragonfly.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DragonflySpec {
    /// Nodes of a router.
    pub p: u64,
    /// Routers of a group.
    pub a: u64,
    /// Global links of a router.
    pub h: u64,
    /// Groups.
    pub groups: u64,
    /// Virtual channels a link.
    pub virtual_channels: u64,
    /// Which way packets go.
    pub detour: Detour,
    /// The number that selects one of several global links between two groups.
    pub copy: CopyBy,
    /// What its links take; none if that is what every channel does.
    pub costs: Option<DragonflyCosts>,
    /// The classes of links of the scenario.
    pub link_classes: Arc<LinkClasses>,
}

/// Whether packets go by way of another group.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Detour {
    /// Never.
    Never,
    /// Always.
    Always,
    /// Where the minimal path has more than so many flits times links more at the source.
    Beyond(u64),
}

impl Detour {
    const MINIMAL: &'static str = "minimal";
    const VALIANT: &'static str = "valiant";
    const UGAL: &'static str = "ugal";

    fn read(asked: &Asked<'_, '_>) -> Self {
        match asked.routing {
            Self::VALIANT => Self::Always,
            Self::UGAL => Self::Beyond(asked.keys.integer(&UGAL_THRESHOLD)),
            _ => Self::Never,
        }
    }

    /// The name of the routing.
    fn name(self) -> &'static str {
        match self {
            Self::Never => Self::MINIMAL,
            Self::Always => Self::VALIANT,
            Self::Beyond(_) => Self::UGAL,
        }
    }
}

impl DragonflySpec {
    fn read(table: &Reader<'_>, asked: &Asked<'_, '_>) -> Option<Self> {
        let detour = Detour::read(asked);
        let copy = if ParallelBy::read(asked.keys).is_some() { CopyBy::Source } else { CopyBy::Destination };
        let before = table.error_count();
        let p = table.required_integer(&P);
        let a = table.required_integer(&A);
        let h = table.required_integer(&H);
        let groups = table.optional_integer(&GROUPS);
        let costs = read_costs(table, asked.flit_time);
        let virtual_channels = asked.virtual_channels;
        let p = p?;
        let a = a?;
        let h = h?;
        if table.error_count() > before {
            return None;
        }
        let ports = a * h;
        let groups = groups.unwrap_or(ports + 1);
        let wrong = if groups > ports + 1 {
            format!("`groups` must be at most {}", ports + 1)
        } else if !ports.is_multiple_of(groups - 1) {
            format!("`groups` - 1 must divide `a` * `h` = {ports}")
        } else {
            let link_classes = Arc::clone(asked.link_classes);
            return Some(Self { p, a, h, groups, virtual_channels, detour, copy, costs, link_classes });
        };
        let wrong = Diagnostic::at(table.place_of(GROUPS.name), wrong);
        table.error(wrong.note(format!("accepted: {}", accepted_groups(ports))));
        None
    }

    fn topology(&self) -> Result<Arc<Dragonfly>, TopologyError> {
        let size = DragonflySize {
            nodes: saturated(self.p),
            routers: saturated(self.a),
            global: saturated(self.h),
            groups: saturated(self.groups),
        };
        let dragonfly = Dragonfly::new(size, || with_article(&self.title()))?;
        let costs = self.costs.map(|DragonflyCosts { local, global }| [local, global]);
        let groups = DRAGONFLY_CLASSES.iter().enumerate();
        let groups = groups.map(|(group, class)| ((*class).to_owned(), costs.map(|costs| costs[group])));
        Ok(Arc::new(dragonfly.with_costs(self.link_classes.group_costs(groups))))
    }

    /// Whether each two groups have one link.
    fn is_full(&self) -> bool {
        self.groups - 1 == self.a * self.h
    }
}

/// What `table` says of links; none if that is `flit_time` ticks a flit without delay, which every channel takes.
fn read_costs(table: &Reader<'_>, flit_time: u64) -> Option<DragonflyCosts> {
    let [local, global] = [LOCAL, GLOBAL].map(|[flit_times, delays]| {
        let flit_time = table.optional_integer(&flit_times).unwrap_or(flit_time);
        LinkCost::new(flit_time, table.integer(&delays))
    });
    let even = LinkCost::without_delay(flit_time);
    ([local, global] != [even; 2]).then_some(DragonflyCosts { local, global })
}

/// How many groups there can be, where a group has so many global `ports`.
fn accepted_groups(ports: u64) -> String {
    if ports > 1 << 16 {
        return format!("one more than a divisor of {ports}");
    }
    let groups: Vec<String> =
        (1..=ports).filter(|&others| ports.is_multiple_of(others)).map(|others| (others + 1).to_string()).collect();
    groups.join(", ")
}

impl NetworkSpec for DragonflySpec {
    fn parameters(&self) -> Vec<(&'static str, Parameter)> {
        let mut parameters = vec![
            ("p", Parameter::Integer(self.p)),
            ("a", Parameter::Integer(self.a)),
            ("h", Parameter::Integer(self.h)),
            ("groups", Parameter::Integer(self.groups)),
            ("virtual_channels", Parameter::Integer(self.virtual_channels)),
            ("routing", Parameter::Word(self.routing())),
        ];
        if let Detour::Beyond(threshold) = self.detour {
            parameters.push(("ugal_threshold", Parameter::Integer(threshold)));
        }
        if self.copy == CopyBy::Source {
            parameters.push(ParallelBy::Source.parameter());
        }
        if let Some(DragonflyCosts { local, global }) = self.costs {
            let of_links = [("local_flit_time", "local_delay", local), ("global_flit_time", "global_delay", global)];
            for (flit_time, delay, cost) in of_links {
                parameters.push((flit_time, Parameter::Integer(cost.flit_time.0)));
                parameters.push((delay, Parameter::Integer(cost.delay.0)));
            }
        }
        parameters
    }

    fn build(&self, ports: Ports) -> Result<Arc<dyn Network>, NetworkError> {
        let network = self.topology()?;
        let vcs = saturated(self.virtual_channels);
        let channels = Linked::new(network.clone(), vcs, ports, || with_article(&self.title()))?;
        Ok(Arc::new(LinkNetwork::new(channels, Arc::new(DragonflyMinimal::new(network, self.copy)))))
    }

    fn choosing(&self) -> Result<Option<Arc<dyn LinkRouting>>, NetworkError> {
        let valiant = DragonflyValiant::new(self.topology()?, self.copy);
        Ok(match self.detour {
            Detour::Never => None,
            Detour::Always => Some(Arc::new(valiant)),
            Detour::Beyond(threshold) => Some(Arc::new(DragonflyUgal::new(valiant, threshold))),
        })
    }

    /// Copies that destinations select make no tree.
    fn multicast_paths(&self) -> Result<TreePaths, NetworkError> {
        let copy = match self.copy {
            CopyBy::Destination => CopyBy::SourceRouter,
            copy => copy,
        };
        Ok(TreePaths::Fixed(Arc::new(DragonflyMinimal::new(self.topology()?, copy))))
    }

    /// Routers of two groups with several links may be joined by more than one, of which a few destinations use none.
    fn parallel_advice(&self, _: Idle) -> Option<&'static str> {
        let advice = match self.copy {
            CopyBy::Destination => ParallelBy::SPREADS,
            CopyBy::Source | CopyBy::SourceRouter => ParallelBy::SPREAD,
        };
        (!self.is_full()).then_some(advice)
    }

    fn links(&self) -> Result<Arc<dyn Links>, NetworkError> {
        Ok(self.topology()?)
    }

    fn title(&self) -> String {
        let Self { p, a, h, groups, .. } = self;
        format!("dragonfly of p = {p}, a = {a}, h = {h} and {groups} groups")
    }

    fn routing(&self) -> &'static str {
        self.detour.name()
    }

    fn arrangement(&self) -> Arrangement {
        Arrangement::Groups(saturated(self.a))
    }

    fn shape(&self) -> Vec<u32> {
        vec![narrow(self.p.saturating_mul(self.a).saturating_mul(self.groups))]
    }

    fn group_nodes(&self) -> Option<u32> {
        Some(narrow(self.p.saturating_mul(self.a)))
    }

    /// Injection, a local link, a global one, a local one, ejection; a detour has two more.
    fn longest_path(&self) -> u64 {
        let minimal = if self.a == 1 { 3 } else { 5 };
        if self.detour == Detour::Never { minimal } else { minimal + 2 }
    }

    fn shortest_distance(&self) -> u64 {
        u64::from(self.p == 1)
    }

    /// Most nodes are in different groups, and of `a` routers one has the global link.
    fn mean_path(&self) -> u64 {
        3 + (2 * (self.a - 1) + self.a / 2) / self.a
    }

    fn virtual_channels(&self) -> u64 {
        self.virtual_channels
    }

    /// Of the full dragonfly. Minimal paths have `p^2 g (a (a-1) + (g-1) (1 + 4 (a-1) + 3 (a-1)^2))` links in all. Shortest
    /// ones save a link wherever two global links in a row lead from a router to another: those of a router lead to `h` groups
    /// that follow each other, and reach the same router of each, so that there are `a` times `h (h-1)` ordered pairs of groups
    /// and in each `a - 1` such routers, apart from the one with the link between them.
    fn closed_form(&self) -> Option<ClosedForm> {
        if !self.is_full() {
            return None;
        }
        let [p, a, h, groups] = [self.p, self.a, self.h, self.groups].map(u128::from);
        let local = a * (a - 1);
        let of_pair = 1 + 4 * (a - 1) + 3 * (a - 1).checked_mul(a - 1)?;
        let minimal = groups.checked_mul(of_pair.checked_mul(groups - 1)?.checked_add(local)?)?;
        let saved = local.checked_mul(h * (h - 1))?;
        let distance_sum = Some(p.checked_pow(2)?.checked_mul(minimal - saved)?);
        Some(ClosedForm { diameter: if self.a == 1 { 1 } else { 3 }, distance_sum, bisection: None })
    }
}
