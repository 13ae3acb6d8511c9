//! Chiplets: meshes of routers side by side on a mesh of chips, joined over their borders or by an interposer below.
//!
//! Routers of chiplets are those of one mesh of `chips x shape` routers, numbered row-major, and nodes are numbered router by
//! router. With an interposer one more router lies below each chiplet; these have the numbers behind all others, row-major
//! over the chips, and no nodes. Links are numbered by the router they leave and, within it, per dimension towards larger and
//! towards smaller coordinates, then up or down.
//!
//! ```text
//!   2x1 chips of 3x3 routers, 2 d2d links a side        the same on an interposer
//!   o-o-o | o-o-o      positions of 3 facing routers    o-o-o   o-o-o
//!   | | |-+-| | |      j = 0: 1 * 3 / 4 = 0             | | |   | | |
//!   o-o-o | o-o-o      j = 1: 3 * 3 / 4 = 2             o-x-o   o-x-o     x at 3 / 2 = 1 of each dimension
//!   ..                 (drawn turned by a right angle)    |       |
//!                                                         i ----- i
//! ```

use super::{Coordinates, Direction, GroupCosts, LinkCost, Links, OwnCosts, Part, RouterNodes, TopologyError, layout};
use crate::units::{LinkId, NodeId, RouterId, narrow};

/// The joints between chiplets.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ChipletJoints {
    /// A die-to-die link between each two routers that face each other.
    AllFacing,
    /// A number of die-to-die links per facing side, at least 1 and at most the number of facing routers.
    Spread(usize),
    /// A mesh of interposer routers.
    Interposer,
}

/// The links of chiplets.
///
/// ```
/// use flitwise::topology::{ChipletJoints, Chiplets, Links};
/// use flitwise::units::{LinkId, RouterId};
/// let chiplets = Chiplets::new(&[2, 2], &[3, 3], ChipletJoints::Interposer, 1, || "chiplets".to_owned())?;
/// assert_eq!((chiplets.nodes(), chiplets.routers(), chiplets.count()), (36, 40, 112));
/// assert_eq!(chiplets.link_name(LinkId(104)), "i(0,1)->i(0,0)");
/// # Ok::<(), flitwise::topology::TopologyError>(())
/// ```
#[derive(Clone, Debug)]
pub struct Chiplets {
    /// The mesh of chips.
    chips: Coordinates,
    /// The mesh of the routers of all chiplets.
    mesh: Coordinates,
    /// Routers of a chiplet along each dimension.
    shape: Vec<usize>,
    nodes: RouterNodes,
    /// Per dimension, true for each of the facing routers of a side, row-major, that has a die-to-die link.
    joined: Vec<Vec<bool>>,
    interposer: bool,
    /// Per router its first link, and behind the last router the number of links.
    first: Vec<u32>,
    /// Costs by class of links.
    costs: GroupCosts,
    /// Each class that has links, with one of these. Empty without costs.
    of_classes: Vec<(LinkId, usize)>,
}

/// The classes of links.
pub(crate) const CHIPLET_CLASSES: [&str; 4] = ["chip", "d2d", "interposer", "vertical"];

/// A port of a router by which a link can leave it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ChipletPort {
    /// To the next router along a dimension.
    Along(usize, Direction),
    /// Between a chiplet and the interposer.
    Vertical,
}

impl Chiplets {
    /// Chiplets of `shape[d]` routers along dimension `d`, with `concentration` nodes each, on `chips[d]` chips along it; `what`
    /// is the network in a few words.
    ///
    /// # Errors
    /// If there are no dimensions, a dimension has no chips or no routers, or nodes or links cannot be numbered with 32 bits.
    ///
    /// # Panics
    /// If there are not as many numbers of chips as of routers.
    pub fn new(
        chips: &[usize],
        shape: &[usize],
        joints: ChipletJoints,
        concentration: usize,
        what: impl Fn() -> String,
    ) -> Result<Self, TopologyError> {
        assert_eq!(chips.len(), shape.len(), "chips and routers have the same dimensions");
        if chips.is_empty() || chips.contains(&0) || shape.contains(&0) {
            return Err(TopologyError::Empty("network of chiplets"));
        }
        let product = |numbers: &[usize]| numbers.iter().fold(1_u128, |product, &n| product.saturating_mul(n as u128));
        let chip_count = product(chips);
        let routers = chip_count.saturating_mul(product(shape));
        // a router has two links along a dimension; an interposer router also has one up, which has one back
        let along = 2 * shape.len() as u128;
        let below = if joints == ChipletJoints::Interposer { chip_count.saturating_mul(along + 2) } else { 0 };
        let nodes = routers.saturating_mul(concentration as u128);
        layout::numbered(what, routers.saturating_mul(along).saturating_add(below).max(nodes))?;
        let sides: Vec<usize> = chips.iter().zip(shape).map(|(chips, side)| chips * side).collect();
        let interposer = joints == ChipletJoints::Interposer;
        let mut chiplets = Self {
            chips: Coordinates::mesh(chips),
            mesh: Coordinates::mesh(&sides),
            shape: shape.to_vec(),
            nodes: RouterNodes::router_by_router(concentration),
            joined: (0..shape.len()).map(|dimension| joined(facing(shape, dimension), joints)).collect(),
            interposer,
            first: Vec::new(),
            costs: GroupCosts::default(),
            of_classes: Vec::new(),
        };
        chiplets.number_links();
        Ok(chiplets)
    }

    /// Sets the costs of links by class, and of the channels of nodes.
    #[must_use]
    pub fn with_costs(self, costs: impl Into<GroupCosts>) -> Self {
        let costs = costs.into();
        let class = |class: usize| {
            let link = (0..self.count()).map(LinkId::new).find(|&link| self.class(link) == class);
            link.map(|link| (link, class))
        };
        let of_classes = (0..costs.links.len()).filter_map(class).collect();
        Self { costs, of_classes, ..self }
    }

    /// Counts the links of the routers before each.
    fn number_links(&mut self) {
        let mut next = 0;
        let mut first = Vec::with_capacity(self.routers() + 1);
        for router in (0..self.routers()).map(RouterId::new) {
            first.push(next);
            let links: u32 = narrow(self.ports(router).count(), "a router has few links");
            next += links;
        }
        first.push(next);
        self.first = first;
    }

    /// Dimensions of the chips and of the routers of a chiplet.
    pub fn dimensions(&self) -> usize {
        self.shape.len()
    }

    /// True if chiplets are joined by an interposer.
    pub fn has_interposer(&self) -> bool {
        self.interposer
    }

    /// True if each router is joined to those that it faces, so that the routers are a mesh.
    pub fn is_mesh(&self) -> bool {
        let is_whole = |d: &usize| self.chips.shape()[*d] == 1 || self.joined[*d].iter().all(|&joined| joined);
        !self.interposer && (0..self.shape.len()).all(|d| is_whole(&d))
    }

    /// The coordinate of `router` along `dimension`: among all routers of chiplets, or among those of the interposer.
    pub(crate) fn coordinate(&self, router: RouterId, dimension: usize) -> usize {
        let (lattice, at) = self.lattice_of(router);
        lattice.coordinate(at, dimension)
    }

    /// The mesh that `router` belongs to, and its number there.
    fn lattice_of(&self, router: RouterId) -> (&Coordinates, NodeId) {
        match router.index().checked_sub(self.mesh.nodes()) {
            None => (&self.mesh, NodeId(router.0)),
            Some(chip) => (&self.chips, NodeId::new(chip)),
        }
    }

    /// True if `router` belongs to the interposer.
    fn is_below(&self, router: RouterId) -> bool {
        router.index() >= self.mesh.nodes()
    }

    /// The chip of a router of a chiplet.
    pub fn chip_of(&self, router: RouterId) -> usize {
        let coordinate = |d: usize| self.mesh.coordinate(NodeId(router.0), d) / self.shape[d];
        (0..self.shape.len()).map(|d| coordinate(d) * self.chips.stride(d)).sum()
    }

    /// The interposer router below `chip`.
    pub fn below(&self, chip: usize) -> RouterId {
        RouterId::new(self.mesh.nodes() + chip)
    }

    /// The router of `chip` that is joined to the interposer, in the middle of each dimension.
    pub fn above(&self, chip: usize) -> RouterId {
        let coordinate = |d: usize| self.chips.coordinate(NodeId::new(chip), d) * self.shape[d] + self.shape[d] / 2;
        RouterId::new((0..self.shape.len()).map(|d| coordinate(d) * self.mesh.stride(d)).sum())
    }

    /// The link from `router` along `dimension` in `direction`, and the router that it leads to.
    pub fn hop(&self, router: RouterId, dimension: usize, direction: Direction) -> Option<(LinkId, RouterId)> {
        self.link_by(router, ChipletPort::Along(dimension, direction))
    }

    /// The link from `router` to the other end of its vertical link, and that router.
    pub fn vertical_hop(&self, router: RouterId) -> Option<(LinkId, RouterId)> {
        self.link_by(router, ChipletPort::Vertical)
    }

    fn link_by(&self, router: RouterId, port: ChipletPort) -> Option<(LinkId, RouterId)> {
        let to = self.end(router, port)?;
        let before = self.ports(router).take_while(|&(other, _)| other != port).count();
        Some((LinkId::new(self.first[router.index()] as usize + before), to))
    }

    /// The ports of `router` that have a link, in the order of their numbers, with the routers that these lead to.
    fn ports(&self, router: RouterId) -> impl Iterator<Item = (ChipletPort, RouterId)> + '_ {
        let along = (0..2 * self.shape.len()).map(|n| ChipletPort::Along(n / 2, Direction::from_number(n)));
        let all = along.chain([ChipletPort::Vertical]);
        all.filter_map(move |port| Some((port, self.end(router, port)?)))
    }

    /// The router at the other end of the link by `port`, if there is one.
    fn end(&self, router: RouterId, port: ChipletPort) -> Option<RouterId> {
        match port {
            ChipletPort::Vertical => self.vertical_end(router),
            ChipletPort::Along(dimension, direction) => {
                let (lattice, at) = self.lattice_of(router);
                let to = lattice.neighbour(at, dimension, direction)?;
                if self.is_below(router) {
                    return Some(self.below(to.index()));
                }
                let to = RouterId(to.0);
                (!self.is_border(router, to, dimension) || self.is_joined(router, dimension)).then_some(to)
            }
        }
    }

    /// The other end of the vertical link of `router`, if it has one.
    fn vertical_end(&self, router: RouterId) -> Option<RouterId> {
        if !self.interposer {
            return None;
        }
        if self.is_below(router) {
            return Some(self.above(router.index() - self.mesh.nodes()));
        }
        let chip = self.chip_of(router);
        (self.above(chip) == router).then(|| self.below(chip))
    }

    /// True if two neighbours along `dimension` belong to different chiplets.
    fn is_border(&self, router: RouterId, other: RouterId, dimension: usize) -> bool {
        let chip = |router: RouterId| self.mesh.coordinate(NodeId(router.0), dimension) / self.shape[dimension];
        chip(router) != chip(other)
    }

    /// True if the facing routers at the place of `router` on a side across `dimension` are joined.
    fn is_joined(&self, router: RouterId, dimension: usize) -> bool {
        let others = (0..self.shape.len()).filter(|&d| d != dimension);
        let place = others.fold(0, |place, d| {
            let side = self.shape[d];
            place * side + self.mesh.coordinate(NodeId(router.0), d) % side
        });
        self.joined[dimension][place]
    }

    /// The router that `link` leaves, its port, and the router that it leads to.
    #[expect(clippy::expect_used, reason = "links are counted by the ports of their routers")]
    fn origin(&self, link: LinkId) -> (RouterId, ChipletPort, RouterId) {
        let from = self.first.partition_point(|&first| first <= link.0) - 1;
        let place = link.index() - self.first[from] as usize;
        let from = RouterId::new(from);
        let (port, to) = self.ports(from).nth(place).expect("the link leaves this router");
        (from, port, to)
    }
}

/// The number of routers on a side of a chiplet of such a `shape` across `dimension`.
pub(crate) fn facing(shape: &[usize], dimension: usize) -> usize {
    let others = shape.iter().enumerate().filter(|&(d, _)| d != dimension);
    others.fold(1, |product: usize, (_, &side)| product.saturating_mul(side))
}

/// For each of the `facing` routers, true if it has a die-to-die link.
fn joined(facing: usize, joints: ChipletJoints) -> Vec<bool> {
    match joints {
        ChipletJoints::AllFacing => vec![true; facing],
        ChipletJoints::Interposer => vec![false; facing],
        ChipletJoints::Spread(links) => {
            let mut joined = vec![false; facing];
            (0..links).for_each(|j| joined[(2 * j + 1) * facing / (2 * links)] = true);
            joined
        }
    }
}

impl Links for Chiplets {
    fn nodes(&self) -> usize {
        self.mesh.nodes() * self.nodes.concentration()
    }

    fn routers(&self) -> usize {
        self.mesh.nodes() + if self.interposer { self.chips.nodes() } else { 0 }
    }

    fn count(&self) -> usize {
        self.first.last().map_or(0, |&count| count as usize)
    }

    fn router_of(&self, node: NodeId) -> RouterId {
        self.nodes.router_of(node)
    }

    fn ends(&self, link: LinkId) -> (RouterId, RouterId) {
        let (from, _, to) = self.origin(link);
        (from, to)
    }

    fn leaving(&self, router: RouterId) -> Box<dyn Iterator<Item = LinkId> + '_> {
        Box::new((self.first[router.index()]..self.first[router.index() + 1]).map(LinkId))
    }

    fn most_arriving(&self) -> usize {
        2 * self.shape.len() + usize::from(self.interposer)
    }

    fn most_nodes(&self) -> usize {
        self.nodes.concentration()
    }

    fn classes(&self) -> Vec<String> {
        CHIPLET_CLASSES.map(str::to_owned).to_vec()
    }

    fn class(&self, link: LinkId) -> usize {
        match self.origin(link) {
            (_, ChipletPort::Vertical, _) => 3,
            (from, _, _) if self.is_below(from) => 2,
            (from, ChipletPort::Along(dimension, _), to) => usize::from(self.is_border(from, to, dimension)),
        }
    }

    fn cost(&self, link: LinkId) -> Option<LinkCost> {
        if self.costs.links.is_empty() {
            return None; // the class of the link need not be looked up
        }
        self.costs.link(self.class(link))
    }

    fn node_cost(&self, _node: NodeId) -> Option<LinkCost> {
        self.costs.node
    }

    fn own_costs(&self) -> Option<OwnCosts<Part>> {
        let links = self.of_classes.iter().map(|&(link, class)| (Part::Link(link), class));
        self.costs.summary(links, Part::Node(NodeId(0)))
    }

    fn router_name(&self, router: RouterId) -> String {
        let (lattice, at) = self.lattice_of(router);
        let coordinates = lattice.node_name(at);
        if self.is_below(router) { format!("i{coordinates}") } else { coordinates }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]
mod tests {
    use super::*;
    use crate::topology::LatticeLinks;

    fn chiplets(chips: &[usize], shape: &[usize], joints: ChipletJoints) -> Chiplets {
        Chiplets::new(chips, shape, joints, 1, || "chiplets".to_owned()).unwrap()
    }

    fn all_ends(links: &dyn Links) -> Vec<(RouterId, RouterId)> {
        (0..links.count()).map(|link| links.ends(LinkId::new(link))).collect()
    }

    #[test]
    fn with_all_facing_routers_joined_links_are_those_of_a_mesh() {
        for (chips, shape, sides) in [
            (&[3][..], &[4][..], &[12][..]),
            (&[2, 2], &[3, 2], &[6, 4]),
            (&[1, 3, 2], &[2, 2, 1], &[2, 6, 2]),
            (&[1, 1], &[1, 1], &[1, 1]),
        ] {
            let links = chiplets(chips, shape, ChipletJoints::AllFacing);
            let mesh = LatticeLinks::new(Coordinates::mesh(sides));
            assert_eq!(all_ends(&links), all_ends(&mesh), "{chips:?} {shape:?}");
        }
    }

    #[test]
    fn links_are_numbered_by_the_router_that_they_leave() {
        let joints = [ChipletJoints::AllFacing, ChipletJoints::Spread(1), ChipletJoints::Interposer];
        for joints in joints {
            let links = chiplets(&[2, 3], &[3, 2], joints);
            let mut next = 0;
            for router in (0..links.routers()).map(RouterId::new) {
                for (link, (port, to)) in links.leaving(router).zip(links.ports(router)) {
                    assert_eq!(link, LinkId(next));
                    assert_eq!(links.ends(link), (router, to));
                    assert_eq!(links.link_by(router, port), Some((link, to)));
                    // each link has one back
                    assert!(links.leaving(to).any(|back| links.ends(back).1 == router));
                    next += 1;
                }
            }
            assert_eq!(links.count(), next as usize, "{joints:?}");
        }
    }

    #[test]
    fn die_to_die_links_are_spread_over_the_facing_routers() {
        // positions by the formula of the documentation, worked out by hand
        for (facing, links, places) in [
            (4, 1, &[2][..]),
            (4, 2, &[1, 3]),
            (4, 3, &[0, 2, 3]),
            (3, 2, &[0, 2]),
            (5, 2, &[1, 3]),
            (6, 6, &[0, 1, 2, 3, 4, 5]),
        ] {
            let joined = joined(facing, ChipletJoints::Spread(links));
            let found: Vec<usize> = (0..facing).filter(|&place| joined[place]).collect();
            assert_eq!(found, places, "{links} of {facing}");
        }
        // in three dimensions the facing routers are numbered row-major: (0,1) of 2x2 across the second dimension is the second
        let links = chiplets(&[1, 2, 1], &[2, 2, 2], ChipletJoints::Spread(1));
        let crossing = all_ends(&links).into_iter().filter(|(from, to)| links.chip_of(*from) != links.chip_of(*to));
        let names: Vec<String> = crossing.map(|(from, _)| links.router_name(from)).collect();
        assert_eq!(names, ["(1,1,0)", "(1,2,0)"]);
    }

    #[test]
    fn the_interposer_is_below_the_middle_of_each_chiplet() {
        let links = chiplets(&[2, 2], &[3, 4], ChipletJoints::Interposer);
        assert_eq!(links.routers(), 48 + 4);
        let names = |router| links.router_name(router);
        let pairs: Vec<(String, String)> =
            (0..4).map(|chip| (names(links.above(chip)), names(links.below(chip)))).collect();
        let expected = [("(1,2)", "i(0,0)"), ("(1,6)", "i(0,1)"), ("(4,2)", "i(1,0)"), ("(4,6)", "i(1,1)")];
        assert_eq!(pairs, expected.map(|(above, below)| (above.to_owned(), below.to_owned())));
        let down = links.vertical_hop(links.above(2)).unwrap();
        assert_eq!((links.link_name(down.0).as_str(), down.1), ("(4,2)->i(1,0)", links.below(2)));
        assert_eq!(links.vertical_hop(RouterId(0)), None);
        assert!((0..48).all(|router| !links.is_below(RouterId(router))));
    }

    #[test]
    fn links_have_the_classes_of_their_routers() {
        for (joints, counts) in [
            // 4 chips with 12 pairs within, and 4 sides of 3 facing routers
            (ChipletJoints::AllFacing, [96, 24, 0, 0]),
            (ChipletJoints::Spread(1), [96, 8, 0, 0]),
            (ChipletJoints::Interposer, [96, 0, 8, 8]),
        ] {
            let links = chiplets(&[2, 2], &[3, 3], joints);
            let mut found = [0; 4];
            for link in (0..links.count()).map(LinkId::new) {
                let [from, to] = <[RouterId; 2]>::from(links.ends(link));
                let class = links.class(link);
                found[class] += 1;
                let below = [from, to].iter().filter(|router| links.is_below(**router)).count();
                let expected = match below {
                    0 => usize::from(links.chip_of(from) != links.chip_of(to)),
                    1 => 3,
                    _ => 2,
                };
                assert_eq!(class, expected);
            }
            assert_eq!(found, counts, "{joints:?}");
        }
    }

    #[test]
    fn own_costs_are_those_of_all_links() {
        for joints in [ChipletJoints::AllFacing, ChipletJoints::Spread(1), ChipletJoints::Interposer] {
            let costs = [(2, 0), (3, 7), (1, 4), (5, 1)].map(|(flit_time, delay)| LinkCost::new(flit_time, delay));
            let links = chiplets(&[2, 3], &[1, 3], joints).with_costs(costs.to_vec());
            let all = (0..links.count()).map(LinkId::new).map(|link| (Part::Link(link), links.cost(link).unwrap()));
            assert_eq!(links.own_costs(), OwnCosts::new(all), "{joints:?}");
        }
    }

    #[test]
    fn impossible_ones_are_refused() {
        let new = |chips: &[usize], shape: &[usize], concentration| {
            Chiplets::new(chips, shape, ChipletJoints::AllFacing, concentration, String::new)
        };
        assert!(new(&[], &[], 1).is_err());
        assert!(new(&[2, 0], &[2, 2], 1).is_err());
        assert!(new(&[2, 2], &[0, 2], 1).is_err());
        assert!(new(&[1 << 20, 1 << 20], &[1 << 62, 1], 1).is_err());
        assert!(new(&[2], &[2], usize::MAX).is_err());
    }
}
