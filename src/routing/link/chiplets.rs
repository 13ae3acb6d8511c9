//! Routings of chiplets: dimension order over all routers, or hierarchical via the interposer.
//!
//! If each router is joined to those that it faces, the routers are a mesh, on which dimension order is free of deadlock with one
//! class of virtual channels (Dally and Seitz 1987). With an interposer a message between chiplets takes, each part in dimension
//! order,
//!
//! ```text
//!   links towards the vertical link -> down -> interposer -> up -> links away from the vertical link
//! ```
//!
//! One class is enough for these too. A chain of dependencies within a chiplet is itself a path in dimension order. If it begins
//! with a link away from the router of the vertical link, it leaves the coordinate of that router along a dimension and does not
//! return to it, so it never comes to a link on a path towards that router. Chains therefore pass the five parts in this order only.

use super::LinkRouting;
use crate::routing::{Order, Step};
use crate::topology::{Chiplets, Direction, Links};
use crate::units::{LinkId, NodeId, RouterId};
use std::sync::Arc;

/// Fixed paths on chiplets: in dimension order if their routers are a mesh, hierarchical if they have an interposer.
///
/// ```
/// use flitwise::routing::{ChipletPaths, LinkRouting};
/// use flitwise::topology::{ChipletJoints, Chiplets, Links};
/// use flitwise::units::NodeId;
/// use std::sync::Arc;
/// let chiplets = Arc::new(Chiplets::new(&[2, 2], &[3, 3], ChipletJoints::Interposer, 1, String::new)?);
/// let mut path = Vec::new();
/// ChipletPaths::new(Arc::clone(&chiplets)).path(NodeId(4), NodeId(16), &mut path);
/// let names: Vec<String> = path.iter().map(|step| chiplets.link_name(step.link)).collect();
/// assert_eq!(names, ["(0,4)->(1,4)", "(1,4)->(2,4)"]);
/// # Ok::<(), flitwise::topology::TopologyError>(())
/// ```
#[derive(Clone, Debug)]
pub struct ChipletPaths {
    chiplets: Arc<Chiplets>,
}

impl ChipletPaths {
    /// Paths on `chiplets`.
    ///
    /// # Panics
    /// Panics if chiplets are joined by some of their facing routers only.
    pub fn new(chiplets: Arc<Chiplets>) -> Self {
        assert!(chiplets.has_interposer() || chiplets.is_mesh(), "the routers are a mesh or have an interposer");
        Self { chiplets }
    }

    /// The chips of two routers if they are different and joined by the interposer.
    fn chips_below(&self, from: RouterId, to: RouterId) -> Option<[usize; 2]> {
        if !self.chiplets.has_interposer() {
            return None;
        }
        let chips = [from, to].map(|router| self.chiplets.chip_of(router));
        (chips[0] != chips[1]).then_some(chips)
    }

    /// The routers of `src` and `dst`.
    fn ends(&self, src: NodeId, dst: NodeId) -> [RouterId; 2] {
        [src, dst].map(|node| self.chiplets.router_of(node))
    }

    /// Hops in dimension order between two routers of the same mesh.
    fn distance(&self, from: RouterId, to: RouterId) -> usize {
        let steps = |d| self.chiplets.coordinate(from, d).abs_diff(self.chiplets.coordinate(to, d));
        (0..self.chiplets.dimensions()).map(steps).sum()
    }
}

/// A path so far, and the router at its end.
struct Walk<'a> {
    chiplets: &'a Chiplets,
    at: RouterId,
    path: &'a mut Vec<Step>,
}

impl Walk<'_> {
    /// Goes to the router `to` of the same mesh in dimension order.
    fn move_to(&mut self, to: RouterId) {
        for dimension in 0..self.chiplets.dimensions() {
            let end = self.chiplets.coordinate(to, dimension);
            let start = self.chiplets.coordinate(self.at, dimension);
            let direction = if start < end { Direction::Plus } else { Direction::Minus };
            for _ in 0..start.abs_diff(end) {
                self.take(self.chiplets.hop(self.at, dimension, direction));
            }
        }
    }

    /// Goes down to the interposer, or up from it.
    fn change_level(&mut self) {
        self.take(self.chiplets.vertical_hop(self.at));
    }

    #[expect(clippy::expect_used, reason = "the routers are a mesh, or each chiplet has a vertical link in its middle")]
    fn take(&mut self, hop: Option<(LinkId, RouterId)>) {
        let (link, next) = hop.expect("paths keep to the links that there are");
        self.path.push(Step { link, class: 0 });
        self.at = next;
    }
}

impl LinkRouting for ChipletPaths {
    fn path(&self, src: NodeId, dst: NodeId, path: &mut Vec<Step>) {
        let [from, to] = self.ends(src, dst);
        let mut walk = Walk { chiplets: &self.chiplets, at: from, path };
        if let Some([here, there]) = self.chips_below(from, to) {
            walk.move_to(self.chiplets.above(here));
            walk.change_level();
            walk.move_to(self.chiplets.below(there));
            walk.change_level();
        }
        walk.move_to(to);
    }

    fn hops(&self, src: NodeId, dst: NodeId) -> usize {
        let [from, to] = self.ends(src, dst);
        let Some(chips) = self.chips_below(from, to) else { return self.distance(from, to) };
        let [up, down] = chips.map(|chip| self.chiplets.above(chip));
        let [start, end] = chips.map(|chip| self.chiplets.below(chip));
        self.distance(from, up) + 1 + self.distance(start, end) + 1 + self.distance(down, to)
    }

    /// That of a mesh, if each router has a node.
    fn order(&self) -> Order {
        let is_plain = self.chiplets.most_nodes() == 1 && !self.chiplets.has_interposer();
        if is_plain { Order::Dimension } else { Order::None }
    }
}
