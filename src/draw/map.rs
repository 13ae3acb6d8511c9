//! Where the vertices of a small network stand on a sheet: lattices by coordinates, others as their layout says.
//!
//! It refuses to know what leads over them.

use super::paths::RADIUS;
use super::sheet::{At, SMALL, Sheet, nth};
use super::text::{Side, width};
use crate::kind::diagram::Ground;
use crate::network::layout::{Arrangement, Layout, Place};
use crate::routing::Lattice;

/// Pixels between the middles of neighbours: at least, at most, and in hypercubes, whose squares are shifted.
const LEAST_PITCH: i32 = 56;
const MOST_PITCH: i32 = 110;
const CUBE_PITCH: i32 = 84;
/// Of the distance of neighbours, how long a link is that leads out of one edge and in at the other.
const STUB: (i32, i32) = (1, 2);
/// Pixels of a step of a layout, at least; and in trees, whose nodes stand in a row.
const LEAST_STEP: i32 = 70;
const LEAST_STEP_OF_TREES: i32 = 30;

/// The room that names and lines take.
#[derive(Clone, Copy, Debug)]
pub(super) struct Room {
    /// Pixels of the longest name.
    pub(super) names: i32,
    /// Pixels of the lines on one side of a link.
    pub(super) lanes: i32,
}

/// A network on a sheet.
pub(super) enum Map<'a> {
    Lattice(LatticeMap<'a>),
    Layout(LayoutMap<'a>),
}

impl<'a> Map<'a> {
    /// The map of `ground` below `top`.
    pub(super) fn new(ground: &'a Ground, room: Room, top: i32) -> Self {
        match ground {
            Ground::Lattice(lattice) => Self::Lattice(LatticeMap::new(lattice, room, top)),
            Ground::Layout(layout) => Self::Layout(LayoutMap::new(layout, room, top)),
        }
    }

    /// How many vertices there are.
    pub(super) fn vertices(&self) -> u32 {
        let count = match self {
            Self::Lattice(map) => map.lattice.nodes(),
            Self::Layout(map) => map.layout.places.len(),
        };
        u32::try_from(count).unwrap_or(u32::MAX)
    }

    pub(super) fn at(&self, vertex: u32) -> At {
        match self {
            Self::Lattice(map) => map.at(vertex),
            Self::Layout(map) => map.at(vertex),
        }
    }

    /// The vertices that links join.
    pub(super) fn joints(&self) -> Vec<[u32; 2]> {
        match self {
            Self::Lattice(map) => map.joints(),
            Self::Layout(map) => map.layout.joints.clone(),
        }
    }

    /// The lines of a link: one, or a stub at either edge.
    pub(super) fn pieces(&self, from: u32, to: u32) -> Vec<[At; 2]> {
        match self {
            Self::Lattice(map) => map.pieces(from, to),
            Self::Layout(map) => vec![[map.at(from), map.at(to)]],
        }
    }

    /// What is said of a vertex.
    pub(super) fn name(&self, vertex: u32) -> String {
        match self {
            Self::Lattice(map) => format!("node {}", map.lattice.node_name(vertex)),
            Self::Layout(map) => map.layout.names[vertex as usize].clone(),
        }
    }

    /// Whether names stand beside those that take part: in a row numbers above are the names.
    pub(super) fn wants_names(&self) -> bool {
        !matches!(self, Self::Lattice(map) if map.lattice.dimensions() == 1)
    }

    /// How many channels of a path come before the first that is drawn: injection, unless nodes are vertices of their own.
    pub(super) fn channels_before_first(&self) -> usize {
        match self {
            Self::Layout(map) if map.layout.has_nodes => 0,
            _ => 1,
        }
    }

    /// Numbers beside the network.
    pub(super) fn numbers(&self, sheet: &mut Sheet) {
        if let Self::Lattice(map) = self {
            map.numbers(sheet);
        }
    }
}

/// What stands where.
pub(super) fn legend(ground: &Ground) -> String {
    let words = match ground {
        Ground::Lattice(lattice) => return legend_of_lattice(lattice),
        Ground::Layout(layout) => match (layout.arrangement, layout.has_nodes) {
            (Arrangement::Levels, _) => "switches are arranged by level, with the nodes below",
            (Arrangement::Groups(_), _) => "the routers of a group form a circle, with their nodes outside",
            (Arrangement::Chiplets(_), _) => {
                "routers are at their coordinates, with gaps between chiplets; interposer routers are next to those above them"
            }
            (Arrangement::Free, true) => {
                "the distance of two routers is roughly their number of hops; nodes are next to their routers"
            }
            (Arrangement::Free, false) => "the distance of two routers is roughly their number of hops",
        },
    };
    format!("Paths: {words}.")
}

/// Which way coordinates go.
fn legend_of_lattice(lattice: &Lattice) -> String {
    if is_cube(lattice) {
        let ways = ["to the right", "down", "to the shifted square", "to the other cube"];
        let bits = ways.iter().take(lattice.dimensions()).enumerate();
        let ways: Vec<String> = bits.map(|(bit, way)| format!("bit {bit} {way}")).collect();
        return format!("Paths: directions of the bits of a node's address: {}.", ways.join(", "));
    }
    match lattice.dimensions() {
        1 => "Paths: nodes are numbered from left to right.".to_owned(),
        _ => "Paths: in node (a,b), a increases downwards and b to the right.".to_owned(),
    }
}

fn is_cube(lattice: &Lattice) -> bool {
    lattice.shape().iter().all(|&n| n == 2)
}

pub(super) struct LatticeMap<'a> {
    lattice: &'a Lattice,
    /// The upper left node.
    corner: At,
    /// Pixels between neighbours.
    pitch: i32,
    /// Pixels from nodes to the numbers of their rows and columns.
    away: i32,
}

impl<'a> LatticeMap<'a> {
    fn new(lattice: &'a Lattice, room: Room, top: i32) -> Self {
        let most = room.lanes;
        let pitch = (room.names + 16).max(most + 40).clamp(LEAST_PITCH, MOST_PITCH);
        let pitch = if is_cube(lattice) { CUBE_PITCH } else { pitch };
        let numbers = width(&lattice.nodes().to_string(), SMALL);
        let stub = if lattice.wraps() { pitch * STUB.0 / STUB.1 } else { 0 };
        // numbers of rows and columns stand outside of all lines
        let corner = (stub.max(most) + numbers + 20, top + 24 + stub.max(most));
        let is_line = lattice.dimensions() == 1;
        let away = if is_line { most.max(RADIUS) + 12 } else { stub.max(most) + 14 };
        Self { lattice, corner, pitch, away }
    }

    /// Where a node is: the last coordinate to the right, the one before it down; further bits of a hypercube shift it.
    fn at(&self, node: u32) -> At {
        let coordinates = self.lattice.coordinates(node);
        let along = |from_last: usize| {
            let at = coordinates.len().checked_sub(from_last + 1).map_or(0, |at| coordinates[at]);
            i32::from(at)
        };
        let x = self.corner.0 + self.pitch * along(0);
        let y = self.corner.1 + self.pitch * along(1);
        let shift = |dimension: usize, part: (i32, i32)| along(dimension) * self.pitch * part.0 / part.1;
        (x + shift(2, (1, 2)) + shift(3, (3, 1)), y + shift(2, (2, 5)) + shift(3, (1, 5)))
    }

    fn joints(&self) -> Vec<[u32; 2]> {
        let nodes = (0..self.lattice.nodes()).map(|node| u32::try_from(node).unwrap_or(u32::MAX));
        let ports = |node| (0..self.lattice.local()).filter_map(move |port| self.lattice.neighbour(node, port));
        nodes.flat_map(|node| ports(node).map(move |to| [node, to])).collect()
    }

    /// Two places if neighbours are beside each other; else a stub at either edge.
    fn pieces(&self, from: u32, to: u32) -> Vec<[At; 2]> {
        let a = self.at(from);
        let b = self.at(to);
        let flat = self.lattice.dimensions() <= 2; // more are all of two nodes, which are neighbours whichever way
        let wraps = flat && self.lattice.wraps() && (a.0 - b.0).abs().max((a.1 - b.1).abs()) > self.pitch;
        if !wraps {
            return vec![[a, b]];
        }
        let out = |edge: At, other: At| {
            let away = |one: i32, two: i32| (one - two).signum() * self.pitch * STUB.0 / STUB.1;
            (edge.0 + away(edge.0, other.0), edge.1 + away(edge.1, other.1))
        };
        vec![[a, out(a, b)], [out(b, a), b]]
    }

    /// The coordinates of columns above them, and of rows on their left.
    fn numbers(&self, sheet: &mut Sheet) {
        if is_cube(self.lattice) {
            return;
        }
        let shape = self.lattice.shape();
        let columns = shape.last().copied().unwrap_or(0);
        for column in 0..columns {
            let at = (nth(self.corner.0, self.pitch, column), self.corner.1 - self.away);
            sheet.text(at, Side::Middle, SMALL, column.to_string());
        }
        let rows = if let [rows, _] = shape[..] { rows } else { 0 };
        for row in 0..rows {
            let at = (self.corner.0 - self.away, nth(self.corner.1, self.pitch, row));
            sheet.text(at, Side::Right, SMALL, row.to_string());
        }
    }
}

pub(super) struct LayoutMap<'a> {
    layout: &'a Layout,
    /// Where the place (0, 0) is.
    origin: At,
    /// Pixels of a step.
    step: i32,
}

impl<'a> LayoutMap<'a> {
    fn new(layout: &'a Layout, room: Room, top: i32) -> Self {
        let least = |of: fn(&Place) -> f64| layout.places.iter().map(of).fold(f64::INFINITY, f64::min);
        let step = match layout.arrangement {
            Arrangement::Levels => (room.names + 14).max(LEAST_STEP_OF_TREES),
            Arrangement::Groups(_) | Arrangement::Chiplets(_) | Arrangement::Free => {
                (room.lanes + 40).max(room.names + 30).clamp(LEAST_STEP, MOST_PITCH)
            }
        };
        let margin = room.lanes + RADIUS + 10;
        let left = margin + room.names - pixels(least(|place| place.x), step);
        let down = top + margin - pixels(least(|place| place.y), step);
        Self { layout, origin: (left, down), step }
    }

    fn at(&self, vertex: u32) -> At {
        let Place { x, y } = self.layout.places[vertex as usize];
        (self.origin.0 + pixels(x, self.step), self.origin.1 + pixels(y, self.step))
    }
}

#[expect(clippy::cast_possible_truncation, reason = "pixels of a picture")]
fn pixels(steps: f64, step: i32) -> i32 {
    libm::round(steps * f64::from(step)) as i32
}
