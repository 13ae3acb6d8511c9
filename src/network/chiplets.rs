//! `[network.chiplets]`: chiplets with a mesh of routers each, joined by die-to-die links or by an interposer.

use super::axes::{CONCENTRATION, concentrated, concentration, node_shape, with_nodes};
use super::layout::{Arrangement, ChipletGrid};
use super::routed::{self, PlainGraph, Reach, RoutedGraph};
use super::{
    Asked, ClosedForm, Cycle, NetworkError, NetworkKind, NetworkSpec, Parameter, Remedy, closed_forms, indices,
    with_article,
};
use crate::config::{Diagnostic, Reader, listed};
use crate::routing::graph::Weight;
use crate::routing::{ChipletPaths, LinkNetwork, LinkRouting, Network};
use crate::topology::{CHIPLET_CLASSES, ChipletJoints, Chiplets, Graph, GroupCosts, LinkCost, Linked, Links, Ports};
use crate::units::{Key, saturated};
use std::sync::Arc;

/// The most dimensions.
const MOST_DIMENSIONS: usize = 3;

const CHIPS: Key =
    Key::integers("chips", 1..=u64::MAX).says("chiplets along each of one to three dimensions, such as [2, 2]");
const SHAPE: Key = Key::integers("shape", 1..=u64::MAX).says(
    "routers of a chiplet along each dimension, such as [4, 4]; router numbers are row-major over the routers of all chiplets",
);
const D2D_LINKS: Key = Key::integer("d2d_links", 1..=u64::MAX)
    .or_else("one for each two facing routers")
    .read_if("interposer", &["false"])
    .because("chiplets on an interposer have no die-to-die links")
    .says("number of die-to-die links per facing side, spread evenly, at most the number of routers on a side");
const INTERPOSER: Key = Key::boolean("interposer").or_boolean(false).says(
    "true if chiplets are joined by a mesh of interposer routers, one below each chiplet, in place of die-to-die links",
);

const DIMENSION_ORDER: &str = "dimension-order";
const HIERARCHICAL: &str = "hierarchical";

/// The network in the registry.
pub(super) static KIND: NetworkKind = NetworkKind {
    name: "chiplets",
    summary: "chiplets: meshes of routers, joined by die-to-die links or by an interposer below",
    keys: &[CHIPS, SHAPE, CONCENTRATION, D2D_LINKS, INTERPOSER],
    routings: &[
        (
            DIMENSION_ORDER,
            "first coordinate first over the routers of all chiplets (default); not with `interposer`, or if `d2d_links` joins some of them only",
        ),
        (
            HIERARCHICAL,
            "dimension order within a chiplet to its vertical link, on the interposer, and within the other chiplet (default with `interposer`)",
        ),
        (
            routed::UP_DOWN.0,
            "towards a root, then away from it (default if `d2d_links` joins some facing routers only)",
        ),
        routed::SHORTEST,
        routed::TABLE,
    ],
    default_routing: Some(|table| {
        // wrong keys are reported when the network is read
        ChipletLayout::read(table).map_or(DIMENSION_ORDER, |layout| layout.default_routing())
    }),
    read: Some(|table, asked| Some(Arc::new(ChipletsSpec::read(table, asked)?))),
    ..NetworkKind::DEFAULT
};

/// Numbers of chiplets and their routers, and the joints between them.
#[derive(Clone, Debug, PartialEq, Eq)]
struct ChipletLayout {
    /// Chiplets along each dimension.
    chips: Vec<u64>,
    /// Routers of a chiplet along each dimension.
    shape: Vec<u64>,
    joints: ChipletJoints,
    concentration: u64,
}

impl ChipletLayout {
    fn read(table: &Reader<'_>) -> Option<Self> {
        let errors = table.error_count();
        table.demand(&CHIPS);
        table.demand(&SHAPE);
        let numbers = |key| Some(table.integers(key)?.into_iter().map(|(number, _)| number).collect::<Vec<u64>>());
        let chips = numbers(&CHIPS);
        let shape = numbers(&SHAPE);
        let concentration = concentration(table);
        let interposer = table.boolean(&INTERPOSER);
        let d2d_links = table.optional_at_least(&D2D_LINKS).filter(|_| !interposer);
        let chips = chips?;
        let shape = shape?;
        if table.error_count() > errors {
            return None;
        }
        let joints = if interposer { ChipletJoints::Interposer } else { ChipletJoints::AllFacing };
        let layout = Self { chips, shape, joints, concentration };
        layout.check_dimensions(table)?;
        match d2d_links {
            Some(links) => layout.with_d2d_links(table, links),
            None => Some(layout),
        }
    }

    /// Reports an error and returns `None` if `chips` and `shape` have different dimensions, or too many.
    fn check_dimensions(&self, table: &Reader<'_>) -> Option<()> {
        let [chips, shape] = [&self.chips, &self.shape].map(Vec::len);
        let entries = |count| if count == 1 { "1 entry".to_owned() } else { format!("{count} entries") };
        let (key, message) = if chips != shape {
            (SHAPE, format!("`shape` has {}, but `chips` has {}", entries(shape), entries(chips)))
        } else if chips == 0 || chips > MOST_DIMENSIONS {
            (CHIPS, format!("`chips` has {}", entries(chips)))
        } else {
            return Some(());
        };
        let error = Diagnostic::at(table.place_of(key.name), message);
        table.error(error.note(format!(
            "accepted: 1 to {MOST_DIMENSIONS} dimensions, as many in `chips` as in `shape`, such as chips = [2, 2] with shape = [4, 4]"
        )));
        None
    }

    /// Sets the number of die-to-die `links` per facing side. Reports an error and returns `None` if a side has fewer routers.
    fn with_d2d_links(self, table: &Reader<'_>, links: u64) -> Option<Self> {
        let facing = |dimension| self.facing(dimension);
        let sides = || (0..self.shape.len()).filter(|&dimension| self.chips[dimension] > 1);
        // a single chiplet has no facing sides
        let most = sides().map(facing).min().unwrap_or_else(|| (0..self.shape.len()).map(facing).min().unwrap_or(1));
        if links > most {
            let message = format!("`d2d_links` must be at most {most}");
            let error = Diagnostic::at(table.place_of(D2D_LINKS.name), message);
            table.error(error.note(format!("accepted: 1 to {most}, the number of routers on a facing side")));
            return None;
        }
        let is_whole = sides().map(facing).all(|routers| routers == links);
        let joints = if is_whole { ChipletJoints::AllFacing } else { ChipletJoints::Spread(saturated(links)) };
        Some(Self { joints, ..self })
    }

    /// Routers on a side of a chiplet across `dimension`.
    fn facing(&self, dimension: usize) -> u64 {
        let others = self.shape.iter().enumerate().filter(|&(d, _)| d != dimension);
        others.fold(1, |product: u64, (_, &side)| product.saturating_mul(side))
    }

    fn default_routing(&self) -> &'static str {
        match self.joints {
            ChipletJoints::AllFacing => DIMENSION_ORDER,
            ChipletJoints::Spread(_) => routed::UP_DOWN.0,
            ChipletJoints::Interposer => HIERARCHICAL,
        }
    }

    /// The reason why there is no such `routing`, if so.
    fn misfit(&self, routing: &str) -> Option<&'static str> {
        let needs_other = match (routing, self.joints) {
            (DIMENSION_ORDER, ChipletJoints::Spread(_)) => {
                "needs a link between all facing routers, but `d2d_links` joins some"
            }
            (DIMENSION_ORDER, ChipletJoints::Interposer) => "needs die-to-die links, but chiplets are on an interposer",
            (HIERARCHICAL, ChipletJoints::AllFacing | ChipletJoints::Spread(_)) => "needs `interposer = true`",
            _ => return None,
        };
        Some(needs_other)
    }

    /// Routers of all chiplets along each dimension.
    fn sides(&self) -> Vec<u64> {
        self.chips.iter().zip(&self.shape).map(|(&chips, &side)| chips.saturating_mul(side)).collect()
    }

    /// Nodes of one chiplet are as far apart as on its mesh. The path between two others leads by both routers with vertical
    /// links; those of `n` routers have a sum `s` of distances from their chiplet's. So the `n^2` pairs of two chiplets that are
    /// `d` apart have `n^2 (2 + d) + 2 n s` links in all.
    fn closed_form_on_interposer(&self) -> Option<ClosedForm> {
        let product = |numbers: &[u64]| numbers.iter().try_fold(1_u128, |product, &n| product.checked_mul(n.into()));
        let inner = closed_forms::lattice(&self.shape, false)?;
        let between = closed_forms::lattice(&self.chips, false)?;
        let chips = product(&self.chips)?;
        let routers = product(&self.shape)?;
        let mut from_middle = 0_u128;
        for &side in &self.shape {
            // 1 + .. + side / 2 on one hand, 1 + .. + (side - 1) / 2 on the other
            let [more, less] = [side / 2, (side - 1) / 2].map(u128::from);
            let steps = more * (more + 1) / 2 + less * (less + 1) / 2;
            from_middle = from_middle.checked_add((routers / u128::from(side)).checked_mul(steps)?)?;
        }
        let pairs = routers.checked_mul(routers)?;
        let vertical = pairs.checked_add(routers.checked_mul(from_middle)?)?.checked_mul(2)?;
        let below = chips.checked_mul(chips - 1)?.checked_mul(vertical)?;
        let along_chips = pairs.checked_mul(between.distance_sum?)?;
        let inside = chips.checked_mul(inner.distance_sum?)?;
        let distance_sum = Some(below.checked_add(along_chips)?.checked_add(inside)?);
        let to_middle: u64 = self.shape.iter().map(|side| side / 2).sum();
        let diameter = if chips == 1 { inner.diameter } else { between.diameter + 2 * to_middle + 2 };
        Some(ClosedForm { diameter, distance_sum, bisection: self.bisection_on_interposer() })
    }

    /// Halves of the first dimension are joined by one link for each row of chips, or by the links within the chiplets in the
    /// middle and one link from those before them.
    fn bisection_on_interposer(&self) -> Option<u64> {
        let (&chips, others) = self.chips.split_first()?;
        let rows = others.iter().try_fold(1_u64, |product, &n| product.checked_mul(n))?;
        match (chips.is_multiple_of(2), self.shape.first()?.is_multiple_of(2)) {
            (true, _) => Some(rows),
            (false, true) => rows.checked_mul(self.facing(0).checked_add(u64::from(chips > 1))?),
            (false, false) => None,
        }
    }

    fn title(&self) -> String {
        let sizes = |shape: &[u64]| shape.iter().map(ToString::to_string).collect::<Vec<_>>().join("x");
        let noun = if self.chips.iter().all(|&chips| chips == 1) { "chiplet" } else { "chiplets" };
        let title = format!("{} {noun} of {} routers", sizes(&self.chips), sizes(&self.shape));
        let title = match self.joints {
            ChipletJoints::AllFacing => title,
            ChipletJoints::Spread(1) => format!("{title}, 1 link a side"),
            ChipletJoints::Spread(links) => format!("{title}, {links} links a side"),
            ChipletJoints::Interposer => format!("{title} on an interposer"),
        };
        with_nodes(title, self.concentration)
    }

    fn parameters(&self) -> Vec<(&'static str, Parameter)> {
        let mut parameters = vec![
            ("chips", Parameter::Integers(self.chips.clone())),
            ("shape", Parameter::Integers(self.shape.clone())),
        ];
        match self.joints {
            ChipletJoints::AllFacing => {}
            ChipletJoints::Spread(links) => parameters.push((D2D_LINKS.name, Parameter::Integer(links as u64))),
            ChipletJoints::Interposer => parameters.push((INTERPOSER.name, Parameter::Boolean(true))),
        }
        concentrated(parameters, self.concentration)
    }

    /// Numbers the links, which have `costs` by class. Reports an error and returns `None` if there are too many.
    fn links(&self, table: &Reader<'_>, costs: GroupCosts) -> Option<Arc<Chiplets>> {
        let title = || with_article(&self.title());
        let links = Chiplets::new(
            &indices(&self.chips),
            &indices(&self.shape),
            self.joints,
            saturated(self.concentration),
            title,
        );
        let refuse = |error| table.error(Diagnostic::at(table.place_of(CHIPS.name), format!("{error}")));
        links.map(|links| Arc::new(links.with_costs(costs))).map_err(refuse).ok()
    }
}

/// A network of chiplets.
#[derive(Clone, Debug)]
pub(crate) struct ChipletsSpec {
    layout: ChipletLayout,
    links: Arc<Chiplets>,
    routing: ChipletRouting,
}

/// The routing of chiplets.
#[derive(Clone, Debug)]
enum ChipletRouting {
    /// Dimension order or hierarchical, by the joints between chiplets.
    Own(&'static str),
    /// A routing of graphs.
    OnGraph(RoutedGraph),
}

impl ChipletsSpec {
    fn read(table: &Reader<'_>, asked: &mut Asked<'_, '_>) -> Option<Self> {
        let layout = ChipletLayout::read(table)?;
        if let Some(reason) = layout.misfit(asked.routing) {
            let location = asked.scenario.place_within(&["router", "routing"]);
            let fitting = KIND.routings.iter().map(|(name, _)| *name).filter(|name| layout.misfit(name).is_none());
            let error = Diagnostic::at(location, format!("`{}` {reason}", asked.routing));
            table.error(error.note(format!("accepted here: {}", listed(fitting))));
            return None;
        }
        let key = format!("{} {:?} {} {:?}", KIND.name, layout.parameters(), asked.flit_time, asked.link_classes);
        let costs = asked.link_classes.group_costs(CHIPLET_CLASSES.iter().map(|class| ((*class).to_owned(), None)));
        let links = asked.files.shared(&key, |_| layout.links(table, costs))?;
        let routing = match asked.routing {
            own @ (DIMENSION_ORDER | HIERARCHICAL) => ChipletRouting::Own(own),
            _ => ChipletRouting::OnGraph(on_graph(&links, &key, table, asked)?),
        };
        Some(Self { layout, links, routing })
    }
}

/// Reads the selected routing of graphs for `links`. The text `key` identifies the links.
fn on_graph(links: &Arc<Chiplets>, key: &str, table: &Reader<'_>, asked: &mut Asked<'_, '_>) -> Option<RoutedGraph> {
    let cost = LinkCost::without_delay(asked.flit_time);
    let key = format!("{key} {cost:?}");
    let graph = asked.files.shared(&key, |_| Arc::new(Graph::from_links(links.as_ref(), cost)));
    // all chiplets are joined
    let reach = Reach::new(&graph).ok()?;
    let plain = PlainGraph {
        graph,
        links: Arc::clone(links) as Arc<dyn Links>,
        key: &key,
        weight: Weight::Links,
        reach,
        file: None,
        place: table.place_of(SHAPE.name),
    };
    plain.routed(asked)
}

impl NetworkSpec for ChipletsSpec {
    fn parameters(&self) -> Vec<(&'static str, Parameter)> {
        let mut parameters = self.layout.parameters();
        parameters.push(("routing", Parameter::Word(self.routing())));
        if let ChipletRouting::OnGraph(graph) = &self.routing {
            parameters.extend(graph.parameters.iter().cloned());
            parameters.push(("virtual_channels", Parameter::Integer(self.virtual_channels())));
        }
        parameters
    }

    fn build(&self, ports: Ports) -> Result<Arc<dyn Network>, NetworkError> {
        let paths: Arc<dyn LinkRouting> = match &self.routing {
            ChipletRouting::Own(_) => Arc::new(ChipletPaths::new(Arc::clone(&self.links))),
            ChipletRouting::OnGraph(graph) => Arc::clone(&graph.paths),
        };
        let virtual_channels = saturated(self.virtual_channels());
        let channels = Linked::new(self.links()?, virtual_channels, ports, || with_article(&self.title()))?;
        Ok(Arc::new(LinkNetwork::new(channels, paths)))
    }

    fn links(&self) -> Result<Arc<dyn Links>, NetworkError> {
        Ok(Arc::clone(&self.links) as Arc<dyn Links>)
    }

    fn title(&self) -> String {
        self.layout.title()
    }

    fn routing(&self) -> &'static str {
        match &self.routing {
            ChipletRouting::Own(name) => name,
            ChipletRouting::OnGraph(graph) => graph.routing,
        }
    }

    fn arrangement(&self) -> Arrangement {
        Arrangement::Chiplets(ChipletGrid::new(&self.layout.chips, &self.layout.shape))
    }

    fn shape(&self) -> Vec<u32> {
        node_shape(&self.layout.sides(), self.layout.concentration)
    }

    fn router_shape(&self) -> Option<Vec<u32>> {
        Some(node_shape(&self.layout.sides(), 1))
    }

    /// From end to end of all chiplets, or by the interposer: from a corner to the middle, from end to end of the chips, and from
    /// the middle to a corner.
    fn longest_path(&self) -> u64 {
        let ends = |shape: &[u64]| shape.iter().map(|n| n - 1).fold(0, u64::saturating_add);
        let links = match (&self.routing, self.layout.joints) {
            (ChipletRouting::OnGraph(graph), _) => graph.reach.longest,
            // a single chiplet has no use for the interposer
            (ChipletRouting::Own(_), ChipletJoints::Interposer)
                if self.layout.chips.iter().all(|&chips| chips == 1) =>
            {
                ends(&self.layout.shape)
            }
            (ChipletRouting::Own(_), ChipletJoints::Interposer) => {
                let to_middle = self.layout.shape.iter().map(|side| side / 2).fold(0, u64::saturating_add);
                to_middle.saturating_mul(2).saturating_add(ends(&self.layout.chips)).saturating_add(2)
            }
            (ChipletRouting::Own(_), _) => ends(&self.layout.sides()),
        };
        links.saturating_add(2)
    }

    /// Two numbers drawn from as many are a third of them apart.
    fn mean_path(&self) -> u64 {
        let longest = self.longest_path() - 2;
        match (&self.routing, self.layout.joints) {
            (ChipletRouting::OnGraph(graph), _) => 2 + graph.reach.mean.min(longest),
            (ChipletRouting::Own(_), ChipletJoints::Interposer) => 2 + longest / 2,
            (ChipletRouting::Own(_), _) => 2 + longest / 3,
        }
    }

    fn shortest_distance(&self) -> u64 {
        u64::from(self.layout.concentration == 1)
    }

    fn virtual_channels(&self) -> u64 {
        match &self.routing {
            ChipletRouting::Own(_) => 1,
            ChipletRouting::OnGraph(graph) => graph.virtual_channels(),
        }
    }

    fn cycle(&self) -> Option<Cycle> {
        match &self.routing {
            ChipletRouting::Own(_) => None,
            ChipletRouting::OnGraph(graph) => graph.cycle(),
        }
    }

    fn remedies(&self) -> Vec<Remedy> {
        match &self.routing {
            ChipletRouting::Own(_) => Vec::new(),
            ChipletRouting::OnGraph(graph) => graph.remedies(),
        }
    }

    fn closed_form(&self) -> Option<ClosedForm> {
        let form = match self.layout.joints {
            ChipletJoints::AllFacing => closed_forms::lattice(&self.layout.sides(), false),
            ChipletJoints::Spread(_) => None,
            ChipletJoints::Interposer => self.layout.closed_form_on_interposer(),
        };
        form?.with_concentration(self.layout.concentration)
    }
}
