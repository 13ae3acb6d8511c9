//! `[network.torus]`: a torus of any dimensions with dimension-ordered routing the shortest way round. Two virtual
//! channels a link, with a dateline on every ring, keep it free of deadlock; with one it can deadlock.
//!
//! Its edges may be twisted, so that who crosses one comes out at another place (Camara et al. 2010; the pods of some machines
//! are such tori), or its links lead one way.

use super::axes::{
    CONCENTRATION, COSTS, Crossing, ORDER, SHAPE, concentrated, concentration, dimension_groups, node_shape, with_nodes,
};
use super::costs;
use super::{
    Asked, Axes, ChipSpec, ClosedForm, Idle, LinkClasses, NetworkError, NetworkKind, NetworkSpec, Parameter,
    closed_forms, with_article,
};
use crate::config::{Diagnostic, Reader};
use crate::routing::tree::{HamiltonianLabels, TreePaths};
use crate::routing::{Dateline, Lattice, LatticePaths, Network, Rings};
use crate::topology::{Direction, GroupCosts, LatticeLinks, LinkCost, Links, Ports, TopologyError, Torus, Twist};
use crate::units::{Key, saturated};
use std::sync::Arc;

const TWIST: Key = Key::rows("twist", 3)
    .or_else("none")
    .unless("directions")
    .says("twists [w, s, t]: links across the edge of dimension w add t to coordinate s in the upward direction");
const DIRECTIONS: Key = Key::words("directions", |at| DIRECTION_WORDS.get(at).copied())
    .or_else("both")
    .says("direction of the links of each dimension, or one word for all; `one-way` is plus in all dimensions");
const DIRECTION_WORDS: [&str; 4] = ["both", "plus", "minus", "one-way"];

/// The torus in the registry.
pub(super) static KIND: NetworkKind = NetworkKind {
    name: "torus",
    summary: "torus of any number of dimensions; shortest paths in dimension order, 1 or 2 virtual channels",
    keys: &[SHAPE, ORDER, CONCENTRATION, TWIST, DIRECTIONS, COSTS.flit_time, COSTS.delay],
    virtual_channels: 2,
    read: Some(|table, asked| Some(Arc::new(TorusSpec::read(table, asked)?))),
    ..NetworkKind::DEFAULT
};

/// A torus.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TorusSpec {
    /// Its dimensions.
    pub axes: Axes,
    /// Virtual channels a link.
    pub virtual_channels: u64,
    /// Nodes of a router.
    pub concentration: u64,
    /// The twists of its edges.
    pub twists: Vec<Twist>,
    /// Per dimension the only direction of its links, none where they lead both ways; empty if all do.
    pub directions: Vec<Option<Direction>>,
    /// Per dimension what its links take; empty if that is what every channel does.
    pub costs: Vec<LinkCost>,
    /// The classes of links of the scenario.
    pub link_classes: Arc<LinkClasses>,
}

impl TorusSpec {
    /// A torus with a node a router and links to all neighbours.
    pub fn new(axes: Axes, virtual_channels: u64) -> Self {
        Self {
            axes,
            virtual_channels,
            concentration: 1,
            twists: Vec::new(),
            directions: Vec::new(),
            costs: Vec::new(),
            link_classes: Arc::default(),
        }
    }

    fn read(table: &Reader<'_>, asked: &Asked<'_, '_>) -> Option<Self> {
        let axes = Axes::read(table);
        let errors = table.error_count();
        let concentration = concentration(table);
        // without a shape it is not known what dimensions there are
        let axes = axes?;
        let dimensions = axes.shape.len();
        let twists = twists(table, dimensions);
        let directions = directions(table, dimensions);
        let costs = COSTS.read(table, dimensions, asked.flit_time);
        let virtual_channels = asked.virtual_channels;
        let link_classes = Arc::clone(asked.link_classes);
        let spec = Self { axes, virtual_channels, concentration, twists, directions, costs, link_classes };
        (table.error_count() == errors).then_some(spec)
    }

    fn topology(&self, ports: Ports) -> Result<Torus, TopologyError> {
        let torus = Torus::new(&self.axes.sides(), ports, saturated(self.virtual_channels))?;
        Ok(torus.with_costs(self.group_costs()))
    }

    /// Costs by dimension.
    fn group_costs(&self) -> GroupCosts {
        self.link_classes.group_costs(dimension_groups(&self.costs, self.axes.shape.len()))
    }

    /// Whether rings are as they are without twists and directions.
    fn is_regular(&self) -> bool {
        self.twists.is_empty() && self.directions.is_empty()
    }

    fn is_plain(&self) -> bool {
        self.is_regular() && self.concentration == 1
    }

    fn lattice_links(&self) -> Result<LatticeLinks, TopologyError> {
        let links = self.axes.links("torus", true)?.with_concentration(saturated(self.concentration));
        let links = links.with_twists(self.twists.clone()).with_costs(self.group_costs());
        let links = if self.directions.is_empty() { links } else { links.with_directions(self.directions.clone()) };
        links.numbered(|| with_article(&self.title()))
    }

    /// The most hops along each dimension, the shortest way round.
    fn farthest(&self) -> impl Iterator<Item = u64> + '_ {
        let one_way = |d: usize| self.directions.get(d).is_some_and(Option::is_some);
        self.axes.shape.iter().enumerate().map(move |(d, n)| if one_way(d) { n - 1 } else { n / 2 })
    }
}

/// The twists that `table` says, of so many dimensions; what is wrong has been reported.
fn twists(table: &Reader<'_>, dimensions: usize) -> Vec<Twist> {
    let rows = table.rows(&TWIST).unwrap_or_default();
    let twisted: Vec<u64> = rows.iter().map(|(row, _)| row[0]).collect();
    let mut twists: Vec<Twist> = Vec::new();
    for (row, place) in rows {
        let twist = Twist { across: saturated(row[0]), shifts: saturated(row[1]), by: saturated(row[2]) };
        let wrong = if twist.across.max(twist.shifts) >= dimensions {
            Some(format!(
                "there is no dimension {}; dimensions are 0 to {}",
                row[0].max(row[1]),
                dimensions.saturating_sub(1)
            ))
        } else if twist.across == twist.shifts {
            Some("a dimension cannot shift itself".to_owned())
        } else if twisted.contains(&row[1]) {
            Some(format!("dimension {} is itself twisted", row[1]))
        } else if twists.iter().any(|other| (other.across, other.shifts) == (twist.across, twist.shifts)) {
            Some(format!("dimension {} already shifts dimension {}", row[0], row[1]))
        } else {
            None
        };
        match wrong {
            Some(wrong) => {
                let wrong = Diagnostic::at(place.clone(), format!("`{}`: {wrong}", table.path_of("twist")));
                table.error(
                    wrong.note("accepted: [w, s, t] with dimensions w and s, where s is not the w of any twist"),
                );
            }
            None => twists.push(twist),
        }
    }
    twists
}

/// The directions that `table` says, of so many dimensions: none if all links lead both ways. What is wrong has been reported.
fn directions(table: &Reader<'_>, dimensions: usize) -> Vec<Option<Direction>> {
    let Some(words) = table.words(&DIRECTIONS) else { return Vec::new() };
    let refuse =
        |place, message: String| {
            let wrong = Diagnostic::at(place, message);
            table.error(wrong.note(
                "accepted: both, plus or minus for each dimension, or one of both, plus, minus and one-way for all",
            ));
        };
    let is_array = table.is_array(&DIRECTIONS);
    let direction = |word| match word {
        "both" => None,
        "minus" => Some(Direction::Minus),
        _ => Some(Direction::Plus),
    };
    let mut directions: Vec<Option<Direction>> = words.iter().map(|&(word, _)| direction(word)).collect();
    if !is_array {
        directions = vec![directions.first().copied().flatten(); dimensions];
    } else if let Some((_, place)) = words.iter().find(|(word, _)| *word == "one-way") {
        refuse(
            (*place).clone(),
            format!("`{}`: `one-way` applies to all dimensions and cannot be in an array", table.path_of("directions")),
        );
    } else if directions.len() != dimensions {
        let entries = if directions.len() == 1 { "entry" } else { "entries" };
        let message = format!("`directions` has {} {entries}, but the shape has {dimensions}", directions.len());
        refuse(table.place_of("directions"), message);
    }
    if directions.iter().all(Option::is_none) { Vec::new() } else { directions }
}

impl NetworkSpec for TorusSpec {
    fn parameters(&self) -> Vec<(&'static str, Parameter)> {
        let mut parameters = self.axes.parameters();
        parameters.push(("virtual_channels", Parameter::Integer(self.virtual_channels)));
        let mut parameters = concentrated(parameters, self.concentration);
        if !self.twists.is_empty() {
            let row = |twist: &Twist| [twist.across, twist.shifts, twist.by].map(|n| n as u64).to_vec();
            parameters.push(("twist", Parameter::Rows(self.twists.iter().map(row).collect())));
        }
        if !self.directions.is_empty() {
            let word = |direction: &Option<Direction>| match direction {
                None => "both",
                Some(Direction::Plus) => "plus",
                Some(Direction::Minus) => "minus",
            };
            parameters.push(("directions", Parameter::Words(self.directions.iter().map(word).collect())));
        }
        parameters.extend(costs::parameters(&self.costs));
        parameters
    }

    fn build(&self, ports: Ports) -> Result<Arc<dyn Network>, NetworkError> {
        let order = self.axes.order();
        if self.is_plain() {
            return Ok(Arc::new(Rings::new(self.topology(ports)?, order)?));
        }
        let dateline = if self.is_regular() { Dateline::OnTheEdge } else { Dateline::BehindTheEdge };
        let virtual_channels = self.virtual_channels;
        let crossing = Crossing { order: &order, dateline, virtual_channels, ports, what: &self.title() };
        crossing.network(self.lattice_links()?)
    }

    /// A ring of two routers has two links each way, and an edge with a twist may join routers that are neighbours.
    fn parallel_advice(&self, idle: Idle) -> Option<&'static str> {
        let has_some = self.axes.shape.contains(&2) || !self.twists.is_empty();
        (has_some && idle == Idle::Some)
            .then_some("a ring of two routers has two links in each direction, and messages use only one of them")
    }

    fn links(&self) -> Result<Arc<dyn Links>, NetworkError> {
        Ok(Arc::new(self.lattice_links()?))
    }

    fn title(&self) -> String {
        let one_way = self.directions.iter().filter(|direction| direction.is_some()).count();
        let (name, in_one) = match one_way {
            _ if !self.twists.is_empty() => ("twisted torus", "twisted ring"),
            0 => ("torus", "ring"),
            _ if one_way == self.directions.len() => ("one-way torus", "one-way ring"),
            _ => ("partly one-way torus", "one-way ring"),
        };
        with_nodes(self.axes.title(name, in_one), self.concentration)
    }

    fn routing(&self) -> &'static str {
        "dimension-order"
    }

    fn shape(&self) -> Vec<u32> {
        node_shape(&self.axes.shape, self.concentration)
    }

    fn router_shape(&self) -> Option<Vec<u32>> {
        Some(node_shape(&self.axes.shape, 1))
    }

    /// On a plain torus a message may be told to go the long way round.
    fn longest_path(&self) -> u64 {
        if self.is_plain() { self.axes.longest_path() } else { 2 + self.farthest().sum::<u64>() }
    }

    /// A quarter of the way round every dimension; half of it where links lead one way.
    fn mean_path(&self) -> u64 {
        if self.is_plain() {
            return 2 + (self.longest_path() - 2) / 4;
        }
        2 + self.farthest().sum::<u64>() / 2
    }

    fn shortest_distance(&self) -> u64 {
        u64::from(self.concentration == 1)
    }

    fn virtual_channels(&self) -> u64 {
        self.virtual_channels
    }

    /// On any torus a multicast changes its class behind the edge.
    fn multicast_paths(&self) -> Result<TreePaths, NetworkError> {
        let links = Arc::new(self.lattice_links()?);
        Ok(TreePaths::Fixed(Arc::new(LatticePaths::new(links, &self.axes.order(), Dateline::BehindTheEdge)?)))
    }

    /// Packets that come over an edge change to the class of the others behind it, to be combined with them. The edge is crossed in the
    /// class in which messages cross it.
    fn reduction_paths(&self) -> Result<TreePaths, NetworkError> {
        if !self.twists.is_empty() {
            return Ok(TreePaths::Undefined);
        }
        let dateline = Dateline::Merging(u8::from(self.directions.is_empty()));
        let links = Arc::new(self.lattice_links()?);
        Ok(TreePaths::Fixed(Arc::new(LatticePaths::new(links, &self.axes.order(), dateline)?)))
    }

    fn labels(&self) -> Option<HamiltonianLabels> {
        self.router_shape().map(|shape| HamiltonianLabels::new(&shape).on_rings())
    }

    fn closed_form(&self) -> Option<ClosedForm> {
        if !self.twists.is_empty() {
            return None;
        }
        let one_way: Vec<bool> = self.directions.iter().map(Option::is_some).collect();
        closed_forms::torus(&self.axes.shape, &one_way)?.with_concentration(self.concentration)
    }

    fn lattice(&self) -> Option<Lattice> {
        if self.is_plain() { self.axes.lattice(true) } else { None }
    }

    fn one_way(&self) -> Option<ChipSpec> {
        let all = !self.directions.is_empty() && self.directions.iter().all(Option::is_some);
        let is_regular =
            self.twists.is_empty() && self.concentration == 1 && self.group_costs() == GroupCosts::default();
        let torus = self.lattice_links().ok().filter(|_| all && is_regular)?;
        let parameters = self.parameters().into_iter().filter(|(name, _)| *name != "virtual_channels").collect();
        Some(ChipSpec { axes: self.axes.clone(), torus, is_pair: false, kinds: 1, parameters })
    }

    fn torus(&self, ports: Ports) -> Option<Torus> {
        if self.is_plain() { self.topology(ports).ok() } else { None }
    }
}
