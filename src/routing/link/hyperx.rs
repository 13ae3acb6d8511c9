//! Routings of hyperx networks: dimension order, any dimension that still differs, either order of two, or by a router that is
//! drawn.
//!
//! Of parallel links a path that is decided at the source takes number (source node) mod (their count); adaptive packets may
//! take any of them.

use super::ugal::{Detours, Ugal};
use super::{LinkRouting, Load, PacketState, PathVisitor};
use crate::routing::Step;
use crate::topology::{HyperXLinks, Links};
use crate::units::{NodeId, RouterId, narrow};
use std::ops::ControlFlow;
use std::sync::Arc;

/// Steps on a hyperx.
#[derive(Clone, Debug)]
struct Walk {
    links: Arc<HyperXLinks>,
}

impl Walk {
    fn dimensions(&self) -> usize {
        self.links.coordinates().dimensions()
    }

    /// Dimensions of several routers.
    fn wide(&self) -> u8 {
        let wide = self.links.coordinates().shape().iter().filter(|&&n| n > 1).count();
        narrow(wide, "routers of more dimensions could not be numbered")
    }

    fn differing(&self, from: RouterId, to: RouterId) -> impl DoubleEndedIterator<Item = usize> + Clone + '_ {
        let differ = move |&d: &usize| self.links.coordinate(from, d) != self.links.coordinate(to, d);
        (0..self.dimensions()).filter(differ)
    }

    /// The step from `at` along `dimension` to the coordinate of `towards` by parallel link `parallel`, and where it leads.
    fn step(&self, at: RouterId, dimension: usize, towards: RouterId, parallel: usize, class: u8) -> (Step, RouterId) {
        let coordinate = self.links.coordinate(towards, dimension);
        let link = self.links.link(at, dimension, coordinate, parallel);
        (Step { link, class }, self.links.across(at, dimension, coordinate))
    }

    /// The minimal steps from `at` to `dst`: every parallel link of every dimension that differs.
    fn minimal_steps(&self, at: RouterId, dst: RouterId, class: u8) -> impl Iterator<Item = (Step, RouterId)> + '_ {
        let all = move |dimension| (0..self.links.parallel(dimension)).map(move |parallel| (dimension, parallel));
        let step = move |(dimension, parallel)| self.step(at, dimension, dst, parallel, class);
        self.differing(at, dst).flat_map(all).map(step)
    }

    /// Appends the path of a packet from `src` by dimension order to `via` in class 0, and on to `dst` in class 1.
    fn by_way_of(&self, via: RouterId, src: NodeId, dst: RouterId, path: &mut Vec<Step>) {
        let mut packet = Packet::new(self, src, dst, path);
        packet.go(self.differing(packet.at, via), via, 0);
        packet.go(self.differing(packet.at, dst), dst, 1);
    }

    fn routers(&self, src: NodeId, dst: NodeId) -> [RouterId; 2] {
        [src, dst].map(|node| self.links.router_of(node))
    }
}

/// A packet from `src` for the router `dst` at a router that it has come to by `path`.
struct Packet<'a> {
    walk: &'a Walk,
    src: NodeId,
    at: RouterId,
    dst: RouterId,
    path: &'a mut Vec<Step>,
}

impl<'a> Packet<'a> {
    /// A packet at its source.
    fn new(walk: &'a Walk, src: NodeId, dst: RouterId, path: &'a mut Vec<Step>) -> Self {
        Self { walk, src, at: walk.links.router_of(src), dst, path }
    }

    /// Goes to the coordinates of `towards` along `dimensions`, one after the other, but no further than its destination.
    fn go(&mut self, dimensions: impl Iterator<Item = usize>, towards: RouterId, class: u8) {
        for dimension in dimensions {
            if self.at == self.dst {
                break;
            }
            let parallel = self.walk.links.parallel_of(self.src, dimension);
            let (step, next) = self.walk.step(self.at, dimension, towards, parallel, class);
            self.path.push(step);
            self.at = next;
        }
    }
}

/// One coordinate after the other, the first first. Of parallel links messages take number (source node) mod (their count), so that
/// the nodes of a router share them evenly. Since no message goes back to a dimension, one class is enough.
#[derive(Clone, Debug)]
pub struct HyperXPaths(Walk);

impl HyperXPaths {
    /// On `links`.
    pub fn new(links: Arc<HyperXLinks>) -> Self {
        Self(Walk { links })
    }
}

impl LinkRouting for HyperXPaths {
    fn path(&self, src: NodeId, dst: NodeId, path: &mut Vec<Step>) {
        let [from, to] = self.0.routers(src, dst);
        Packet::new(&self.0, src, to, path).go(self.0.differing(from, to), to, 0);
    }

    fn hops(&self, src: NodeId, dst: NodeId) -> usize {
        let [from, to] = self.0.routers(src, dst);
        self.0.differing(from, to).count()
    }
}

/// Any link of any dimension that still differs, in any order. The class is the number of links taken before, so that with as many classes
/// as dimensions nothing waits in a cycle.
#[derive(Clone, Debug)]
pub struct HyperXAdaptive(Walk);

impl HyperXAdaptive {
    /// On `links`.
    pub fn new(links: Arc<HyperXLinks>) -> Self {
        Self(Walk { links })
    }

    /// Calls `each` with every path that begins with `path`, which ends at `at`.
    fn each_rest(
        &self,
        at: RouterId,
        dst: RouterId,
        path: &mut Vec<Step>,
        each: &mut PathVisitor<'_>,
    ) -> ControlFlow<()> {
        if at == dst {
            return each(path);
        }
        let class = narrow(path.len(), "a path has a link a dimension at most");
        for (step, next) in self.0.minimal_steps(at, dst, class) {
            path.push(step);
            self.each_rest(next, dst, path, each)?;
            path.pop();
        }
        ControlFlow::Continue(())
    }
}

impl LinkRouting for HyperXAdaptive {
    fn classes(&self) -> u8 {
        self.0.wide().max(1)
    }

    fn is_adaptive(&self) -> bool {
        true
    }

    fn choices(&self, leg: &PacketState, choices: &mut Vec<Step>) {
        let dst = self.0.links.router_of(leg.dst);
        let class = narrow(leg.taken, "a path has a link a dimension at most");
        choices.extend(self.0.minimal_steps(leg.at, dst, class).map(|(step, _)| step));
    }

    fn each_path(&self, src: NodeId, dst: NodeId, each: &mut PathVisitor<'_>) -> ControlFlow<()> {
        let [from, to] = self.0.routers(src, dst);
        self.each_rest(from, to, &mut Vec::new(), each)
    }
}

/// One of the two orders of two dimensions, drawn. Each has a class.
#[derive(Clone, Debug)]
pub struct HyperXO1turn(Walk);

impl HyperXO1turn {
    /// On `links`, which have two dimensions.
    pub fn new(links: Arc<HyperXLinks>) -> Self {
        Self(Walk { links })
    }

    fn in_order(&self, reversed: bool, src: NodeId, dst: NodeId, path: &mut Vec<Step>) {
        let [from, to] = self.0.routers(src, dst);
        let dimensions = self.0.differing(from, to);
        let mut packet = Packet::new(&self.0, src, to, path);
        if reversed {
            packet.go(dimensions.rev(), to, 1);
        } else {
            packet.go(dimensions, to, 0);
        }
    }
}

impl LinkRouting for HyperXO1turn {
    fn classes(&self) -> u8 {
        2
    }

    fn extend(&self, leg: &PacketState, _: &Load<'_>, path: &mut Vec<Step>) {
        self.in_order(leg.draw(0, 2) == 1, leg.src, leg.dst, path);
    }

    fn each_path(&self, src: NodeId, dst: NodeId, each: &mut PathVisitor<'_>) -> ControlFlow<()> {
        for reversed in [false, true] {
            let mut path = Vec::new();
            self.in_order(reversed, src, dst, &mut path);
            each(&path)?;
        }
        ControlFlow::Continue(())
    }
}

/// By way of a router drawn of all: by dimension order to it and on, each in a class of its own.
#[derive(Clone, Debug)]
pub struct HyperXValiant(Walk);

impl HyperXValiant {
    /// On `links`.
    pub fn new(links: Arc<HyperXLinks>) -> Self {
        Self(Walk { links })
    }
}

impl LinkRouting for HyperXValiant {
    fn classes(&self) -> u8 {
        2
    }

    fn extend(&self, leg: &PacketState, _: &Load<'_>, path: &mut Vec<Step>) {
        let via = RouterId::new(leg.draw(0, self.0.links.routers()));
        self.0.by_way_of(via, leg.src, self.0.links.router_of(leg.dst), path);
    }

    fn each_path(&self, src: NodeId, dst: NodeId, each: &mut PathVisitor<'_>) -> ControlFlow<()> {
        let to = self.0.links.router_of(dst);
        let mut path = Vec::new();
        for via in (0..self.0.links.routers()).map(RouterId::new) {
            path.clear();
            self.0.by_way_of(via, src, to, &mut path);
            each(&path)?;
        }
        ControlFlow::Continue(())
    }
}

/// Detours by a router that has a drawn coordinate in every dimension in which source and destination differ.
#[derive(Clone, Debug)]
pub struct HyperXDetours(Walk);

/// The minimal path, or one by a router that is drawn, depending on the queues at the source.
pub type HyperXUgal = Ugal<HyperXDetours>;

impl HyperXDetours {
    /// On `links`.
    pub fn new(links: Arc<HyperXLinks>) -> Self {
        Self(Walk { links })
    }

    /// Calls `each` with every router that can be drawn, `at` among them, that has the coordinates of `at` but for `dimensions`.
    fn each_via(
        &self,
        at: RouterId,
        dimensions: &[usize],
        each: &mut dyn FnMut(RouterId) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        let Some((&dimension, others)) = dimensions.split_first() else { return each(at) };
        for coordinate in 0..self.0.links.coordinates().shape()[dimension] {
            self.each_via(self.0.links.across(at, dimension, coordinate), others, each)?;
        }
        ControlFlow::Continue(())
    }
}

impl Detours for HyperXDetours {
    fn classes(&self) -> u8 {
        2
    }

    /// In the class of those who have been where they were sent.
    fn minimal(&self, src: NodeId, dst: NodeId, path: &mut Vec<Step>) {
        let [from, to] = self.0.routers(src, dst);
        Packet::new(&self.0, src, to, path).go(self.0.differing(from, to), to, 1);
    }

    fn detour(&self, leg: &PacketState, path: &mut Vec<Step>) {
        let [from, to] = self.0.routers(leg.src, leg.dst);
        let shape = self.0.links.coordinates().shape();
        let drawn = |via, dimension| self.0.links.across(via, dimension, leg.draw(dimension as u64, shape[dimension]));
        let via = self.0.differing(from, to).fold(from, drawn);
        if via != from {
            self.0.by_way_of(via, leg.src, to, path);
        }
    }

    fn each_detour(&self, src: NodeId, dst: NodeId, each: &mut PathVisitor<'_>) -> ControlFlow<()> {
        let [from, to] = self.0.routers(src, dst);
        let dimensions: Vec<usize> = self.0.differing(from, to).collect();
        let mut path = Vec::new();
        self.each_via(from, &dimensions, &mut |via| {
            if via == from {
                return ControlFlow::Continue(());
            }
            path.clear();
            self.0.by_way_of(via, src, to, &mut path);
            each(&path)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::topology::TopologyError;

    #[test]
    fn the_source_selects_one_of_parallel_links() -> Result<(), TopologyError> {
        let links = Arc::new(HyperXLinks::new(&[3, 4], &[2, 3], 2)?);
        let paths = HyperXPaths::new(Arc::clone(&links));
        let names = |src, dst| {
            let mut path = Vec::new();
            paths.path(NodeId(src), NodeId(dst), &mut path);
            assert_eq!(path.len(), paths.hops(NodeId(src), NodeId(dst)));
            path.iter().map(|step| links.link_name(step.link)).collect::<Vec<_>>()
        };
        assert_eq!(names(0, 23), ["(0,0)->(2,0)", "(2,0)->(2,3)"]);
        assert_eq!(names(1, 23), ["(0,0)->(2,0) #1", "(2,0)->(2,3) #1"]);
        assert_eq!(names(23, 12), ["(2,3)->(1,3) #1", "(1,3)->(1,2) #2"]);
        assert!(names(6, 7).is_empty());
        Ok(())
    }
}
