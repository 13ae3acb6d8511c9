//! Where the routers and nodes of a small network stand on paper, by what is known of it: trees in levels with the nodes
//! below, dragonflies in groups, others so that routers are about as far from each other as links apart.
//!
//! Places are in steps; how long a step is on paper, and what is drawn there, is not known here.

mod chiplets;
mod free;
mod groups;
mod levels;

pub use chiplets::ChipletGrid;

use super::{LinkPaths, NetworkSpec};
use crate::topology::Links;
use crate::units::{LinkId, NodeId, RouterId, narrow};
use std::collections::BTreeSet;

/// What a network is like, as far as places on paper care.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Arrangement {
    /// Routers that are about as far from each other as links apart.
    Free,
    /// Switches in levels, by how many links they are away from the nearest node.
    Levels,
    /// Groups of so many routers with consecutive numbers.
    Groups(usize),
    /// Routers at coordinates, in chiplets.
    Chiplets(ChipletGrid),
}

/// A place: steps to the right, steps down.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Place {
    /// Steps to the right.
    pub x: f64,
    /// Steps down.
    pub y: f64,
}

/// The most routers and nodes together of a network that is drawn.
pub const MOST_VERTICES: usize = 256;

/// The places of all routers and, where some have several or are switches alone, of all nodes: of *vertices*, routers first.
#[derive(Clone, Debug)]
pub struct Layout {
    /// What the places show.
    pub arrangement: Arrangement,
    /// By vertex.
    pub places: Vec<Place>,
    /// By vertex: what people call it.
    pub names: Vec<String>,
    /// The vertices that are joined, each pair once.
    pub joints: Vec<[u32; 2]>,
    /// The router of each node.
    routers_of: Vec<u32>,
    routers: u32,
    /// Whether nodes are vertices of their own.
    pub has_nodes: bool,
}

impl Layout {
    /// The layout of `spec`; none of what is too large, or has no links that are known.
    pub fn new(spec: &dyn NetworkSpec) -> Option<Self> {
        // a network that cannot be numbered has not been built
        let links = spec.links().ok()?;
        if links.routers() + links.nodes() > MOST_VERTICES {
            return None;
        }
        Some(Self::of_links(links.as_ref(), spec.arrangement()))
    }

    fn of_links(links: &dyn Links, arrangement: Arrangement) -> Self {
        let by_router = matches!(arrangement, Arrangement::Free | Arrangement::Chiplets(_));
        let shape = Shape::new(links, !by_router || links.most_nodes() > 1);
        let places = match arrangement {
            Arrangement::Free => free::places(&shape),
            Arrangement::Levels => levels::places(&shape),
            Arrangement::Groups(size) => groups::places(&shape, size),
            Arrangement::Chiplets(grid) => chiplets::places(&shape, grid),
        };
        let routers = shape.neighbours.len();
        let vertex = |at: usize| narrow(at, "vertices are few");
        let router_name = |router| format!("router {}", links.router_name(RouterId::new(router)));
        let nodes = if shape.has_nodes { shape.routers_of.len() } else { 0 };
        let node_name = |node| format!("node {node}");
        Self {
            arrangement,
            places,
            names: (0..routers).map(router_name).chain((0..nodes).map(node_name)).collect(),
            joints: shape.joints().into_iter().map(|ends| ends.map(vertex)).collect(),
            routers_of: shape.routers_of.iter().copied().map(vertex).collect(),
            routers: vertex(routers),
            has_nodes: shape.has_nodes,
        }
    }

    /// The vertex that stands for `node`: its own, or its router's.
    pub fn vertex(&self, node: NodeId) -> u32 {
        if self.has_nodes { self.routers + node.0 } else { self.routers_of[node.index()] }
    }

    /// The vertices that a message from `src` to `dst` passes, both ends included; none if it is not known over which links
    /// its path leads.
    pub fn path(&self, paths: &LinkPaths, src: NodeId, dst: NodeId) -> Option<Vec<u32>> {
        let mut vertices = vec![self.vertex(src), self.routers_of[src.index()]];
        vertices.extend(paths.first_path(src, dst)?.iter().map(|step| paths.links().ends(step.link).1.0));
        vertices.push(self.vertex(dst));
        vertices.dedup();
        Some(vertices)
    }
}

/// Who is joined to whom.
struct Shape {
    /// By router: those that a link joins it to, either way, ascending.
    neighbours: Vec<Vec<usize>>,
    /// The router of each node.
    routers_of: Vec<usize>,
    /// The nodes of each router.
    nodes_on: Vec<Vec<usize>>,
    /// Whether nodes have places of their own.
    has_nodes: bool,
}

impl Shape {
    fn new(links: &dyn Links, has_nodes: bool) -> Self {
        let mut neighbours = vec![BTreeSet::new(); links.routers()];
        for link in (0..links.count()).map(LinkId::new) {
            let (from, to) = links.ends(link);
            neighbours[from.index()].insert(to.index());
            neighbours[to.index()].insert(from.index());
        }
        let routers_of: Vec<usize> =
            (0..links.nodes()).map(|node| links.router_of(NodeId::new(node)).index()).collect();
        let mut nodes_on = vec![Vec::new(); links.routers()];
        for (node, &router) in routers_of.iter().enumerate() {
            nodes_on[router].push(node);
        }
        let neighbours = neighbours.into_iter().map(|all| all.into_iter().collect()).collect();
        Self { neighbours, routers_of, nodes_on, has_nodes }
    }

    /// The vertices that are joined, each pair once: routers, then nodes and their routers.
    fn joints(&self) -> Vec<[usize; 2]> {
        let others = |(one, others): (usize, &Vec<usize>)| {
            others.iter().filter(move |&&other| one < other).map(move |&other| [one, other]).collect::<Vec<_>>()
        };
        let mut joints: Vec<[usize; 2]> = self.neighbours.iter().enumerate().flat_map(others).collect();
        if self.has_nodes {
            let hung = self.routers_of.iter().enumerate();
            joints.extend(hung.map(|(node, &router)| [router, self.neighbours.len() + node]));
        }
        joints
    }

    /// With the places of the nodes behind those of the routers, if they have any: beside their router, where the widest gap
    /// is between its links.
    fn with_nodes(&self, mut places: Vec<Place>) -> Vec<Place> {
        if !self.has_nodes {
            return places;
        }
        let routers = self.neighbours.len();
        places.resize(routers + self.routers_of.len(), Place { x: 0.0, y: 0.0 });
        for (router, nodes) in self.nodes_on.iter().enumerate() {
            let beside = self.neighbours[router].iter().map(|&other| places[other]).collect();
            let fan = fan(places[router], widest_gap(places[router], beside), nodes.len());
            nodes.iter().zip(fan).for_each(|(&node, place)| places[routers + node] = place);
        }
        places
    }

    /// How many links lead over vertices that they do not join, and how many vertices are on top of others.
    fn crossings(&self, places: &[Place]) -> usize {
        let lines = self.joints().into_iter().map(|ends| {
            let over = |&at: &usize| !ends.contains(&at) && is_near(places[at], ends.map(|end| places[end]));
            (0..places.len()).filter(over).count()
        });
        let above = |at: usize| (0..at).filter(|&below| apart(places[at], places[below]) < 2.0 * CLEAR).count();
        lines.sum::<usize>() + (0..places.len()).map(above).sum::<usize>()
    }

    /// The links from the nearest of `sources` to each router, whichever way they lead; as many as routers where none does.
    fn distances(&self, sources: impl Iterator<Item = usize>) -> Vec<usize> {
        let far = self.neighbours.len();
        let mut distances = vec![far; far];
        let mut queue: Vec<usize> = sources.collect();
        queue.iter().for_each(|&source| distances[source] = 0);
        let mut settled = 0;
        while let Some(&at) = queue.get(settled) {
            settled += 1;
            for &next in &self.neighbours[at] {
                if distances[next] == far {
                    distances[next] = distances[at] + 1;
                    queue.push(next);
                }
            }
        }
        distances
    }
}

/// The place so many steps from `middle`, in the direction of `turn`, a part of a full turn clockwise from the top.
fn around(middle: Place, radius: f64, turn: f64) -> Place {
    let angle = turn * std::f64::consts::TAU;
    Place { x: middle.x + radius * libm::sin(angle), y: middle.y - radius * libm::cos(angle) }
}

/// The radius of a circle on which so many places are `apart` from the next.
fn radius(count: usize, apart: f64) -> f64 {
    match count {
        0 | 1 => 0.0,
        count => apart / (2.0 * libm::sin(std::f64::consts::PI / count as f64)),
    }
}

/// Steps that links stay away from vertices that they do not join.
const CLEAR: f64 = 0.2;

fn apart(one: Place, other: Place) -> f64 {
    libm::hypot(one.x - other.x, one.y - other.y)
}

/// Whether `place` is on the line between two others, or nearly.
fn is_near(place: Place, [from, to]: [Place; 2]) -> bool {
    let long = Place { x: to.x - from.x, y: to.y - from.y };
    let aside = Place { x: place.x - from.x, y: place.y - from.y };
    let square = long.x * long.x + long.y * long.y;
    let part = ((aside.x * long.x + aside.y * long.y) / square).clamp(0.0, 1.0);
    libm::hypot(aside.x - part * long.x, aside.y - part * long.y) < CLEAR
}

/// The middle of the widest gap between the directions from `place` to `others`, in radians from the right clockwise; down
/// if there are none.
fn widest_gap(place: Place, others: Vec<Place>) -> f64 {
    let turn = |other: Place| libm::atan2(other.y - place.y, other.x - place.x);
    let mut turns: Vec<f64> = others.into_iter().map(turn).collect();
    turns.sort_by(f64::total_cmp);
    let Some(&first) = turns.first() else { return std::f64::consts::FRAC_PI_2 };
    turns.push(first + std::f64::consts::TAU);
    let mut widest = 0.0;
    let mut middle = 0.0;
    for pair in turns.windows(2) {
        // the first of those that are as wide but for rounding
        if pair[1] - pair[0] > widest + 1e-6 {
            widest = pair[1] - pair[0];
            middle = f64::midpoint(pair[0], pair[1]);
        }
    }
    middle
}

/// The places of so many nodes beside each other that hang on `router` in a direction in radians.
fn fan(router: Place, direction: f64, count: usize) -> impl Iterator<Item = Place> {
    const LENGTH: f64 = 0.75;
    const APART: f64 = 0.5;
    let right = libm::cos(direction);
    let down = libm::sin(direction);
    (0..count).map(move |at| {
        let aside = APART * (at as f64 - (count as f64 - 1.0) / 2.0);
        Place { x: router.x + LENGTH * right - aside * down, y: router.y + LENGTH * down + aside * right }
    })
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]
mod tests;
