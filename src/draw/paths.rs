//! The paths of messages over a small network: nodes at their places, each message a line along the links it takes.
//!
//! Every message has a lane of its own on a link, to the right of the direction it goes, so that two messages over the
//! same channel lie beside each other.

use super::canvas::Stroke;
use super::ink::Rgb;
use super::sheet::{At, NORMAL, SMALL, Sheet, nth};
use super::text::Side;
use crate::kind::diagram::{Member, Route};
use crate::routing::Lattice;
use std::collections::BTreeMap;

/// As many messages are told apart by their lines, and listed.
const MOST_LISTED: usize = 24;

/// Pixels between the middles of neighbours.
const PITCH: i32 = 84;
/// Pixels between lanes.
const LANE: i32 = 4;
/// Pixels of a link that leads out of one edge and in at the other.
const STUB: i32 = 44;
const RADIUS: i32 = 8;

struct Plan<'a> {
    lattice: &'a Lattice,
    /// The upper left node.
    corner: At,
}

/// The sheet of `routes` over `lattice` under `title`; `members` take part.
pub(super) fn sheet(title: &str, lattice: &Lattice, routes: &[Route], members: &[Member]) -> Sheet {
    let (mut sheet, top) = Sheet::titled(title);
    let mut lanes = Lanes::default();
    let lines: Vec<Vec<Hop>> = routes.iter().map(|route| lanes.hops(&route.nodes)).collect();
    let stub = if lattice.wraps() { STUB } else { 0 };
    let most = (0..lattice.nodes()).map(|node| lanes.beside(node)).max().unwrap_or(0);
    let corner = (stub + 10, top + SMALL + most.max(if lattice.dimensions() > 1 { stub } else { 0 }));
    let plan = Plan { lattice, corner };
    plan.links(&mut sheet);
    for (at, line) in lines.iter().enumerate() {
        let look = if routes.len() > MOST_LISTED { 0 } else { at };
        plan.route(&mut sheet, line, Stroke::numbered(look, 2));
    }
    plan.nodes(&mut sheet, members, &lanes);
    if routes.len() <= MOST_LISTED {
        let left = sheet.size.0 + 24;
        for (at, route) in routes.iter().enumerate() {
            let y = nth(top + 14, 20, at);
            sheet.arrow(&[(left, y), (left + 42, y)], Stroke::numbered(at, 2));
            sheet.text((left + 50, y), Side::Left, NORMAL, route.label.as_str());
        }
    }
    sheet
}

/// A step of a message from a node to a neighbour, and on which lane of the link it is drawn: 0 is its middle.
#[derive(Clone, Copy)]
struct Hop {
    from: u32,
    to: u32,
    lane: i32,
}

/// How many messages take each channel.
#[derive(Default)]
struct Lanes(BTreeMap<(u32, u32), i32>);

impl Lanes {
    /// The hops of a message, each with a lane, from 1.
    fn hops(&mut self, nodes: &[u32]) -> Vec<Hop> {
        let hop = |pair: &[u32]| {
            let lane = self.0.entry((pair[0], pair[1])).or_insert(0);
            *lane += 1;
            Hop { from: pair[0], to: pair[1], lane: *lane }
        };
        nodes.windows(2).map(hop).collect()
    }

    /// How far from the middle of `node` no lane of its links is.
    fn beside(&self, node: usize) -> i32 {
        let touches = |(from, to): &(u32, u32)| *from as usize == node || *to as usize == node;
        let most = self.0.iter().filter(|(channel, _)| touches(channel)).map(|(_, lanes)| *lanes).max();
        // a name beside a node that no message passes stays clear of its circle
        most.map_or(RADIUS, |lanes| LANE * lanes + 4)
    }
}

impl Plan<'_> {
    /// Where a node is: the last coordinate to the right, the one before it down; further bits of a hypercube shift it.
    fn at(&self, node: u32) -> At {
        let coordinates = self.lattice.coordinates(node);
        let along = |from_last: usize| {
            let at = coordinates.len().checked_sub(from_last + 1).map_or(0, |at| coordinates[at]);
            i32::from(at)
        };
        let x = self.corner.0 + PITCH * along(0);
        let y = self.corner.1 + PITCH * along(1);
        (x + along(2) * PITCH / 2 + along(3) * PITCH * 3, y + along(2) * PITCH * 2 / 5 + along(3) * PITCH / 5)
    }

    /// The places of a hop: two if neighbours are beside each other; else a stub at either edge.
    fn ends(&self, hop: Hop) -> Vec<[At; 2]> {
        let a = self.at(hop.from);
        let b = self.at(hop.to);
        let flat = self.lattice.dimensions() <= 2; // more are all of two nodes, which are neighbours whichever way
        let wraps = flat && self.lattice.wraps() && (a.0 - b.0).abs().max((a.1 - b.1).abs()) > PITCH;
        if !wraps {
            return vec![beside(a, b, hop.lane)];
        }
        let out = |edge: At, other: At| {
            let away = |one: i32, two: i32| (one - two).signum() * STUB;
            (edge.0 + away(edge.0, other.0), edge.1 + away(edge.1, other.1))
        };
        vec![beside(a, out(a, b), hop.lane), beside(out(b, a), b, hop.lane)]
    }

    fn links(&self, sheet: &mut Sheet) {
        for node in 0..self.lattice.nodes() {
            let node = u32::try_from(node).unwrap_or(u32::MAX);
            for to in (0..self.lattice.local()).filter_map(|port| self.lattice.neighbour(node, port)) {
                for ends in self.ends(Hop { from: node, to, lane: 0 }) {
                    sheet.line(&ends, Stroke::thin(Rgb::PALE));
                }
            }
        }
    }

    /// The line of a message, in pieces where it leaves the sheet at an edge; its head ends at the border of its
    /// destination.
    fn route(&self, sheet: &mut Sheet, hops: &[Hop], stroke: Stroke) {
        let mut piece: Vec<[At; 2]> = Vec::new();
        for &hop in hops {
            let parts = self.ends(hop);
            let last = parts.len() - 1;
            for (at, part) in parts.into_iter().enumerate() {
                piece.push(part);
                if at < last {
                    sheet.arrow(&joined(&piece), stroke);
                    piece.clear();
                }
            }
        }
        if let (Some([start, end]), Some(last)) = (piece.last_mut(), hops.last()) {
            *end = shortened(*start, *end, Self::reach(last.lane));
            sheet.arrow(&joined(&piece), stroke);
        }
    }

    /// How far before the middle of a node a line in `lane` meets its border.
    fn reach(lane: i32) -> f64 {
        let radius = f64::from(RADIUS);
        let off = f64::from(LANE * lane);
        libm::sqrt((radius * radius - off * off).max(0.0)) + 1.0
    }

    /// All nodes: members large and with their names, the others small.
    fn nodes(&self, sheet: &mut Sheet, members: &[Member], lanes: &Lanes) {
        for at in 0..self.lattice.nodes() {
            let node = u32::try_from(at).unwrap_or(u32::MAX);
            let (x, y) = self.at(node);
            let aside = lanes.beside(at);
            match members.iter().find(|member| member.node == node) {
                Some(member) => {
                    sheet.disc((x, y), RADIUS, if member.is_source { Rgb::BLACK } else { Rgb::WHITE });
                    sheet.text((x + aside, y - aside - 5), Side::Left, SMALL, member.name.as_str());
                }
                None => sheet.disc((x, y), 3, Rgb::GREY),
            }
        }
    }
}

/// The line from `a` to `b`, so many lanes to the right of it.
fn beside(a: At, b: At, lane: i32) -> [At; 2] {
    let (ux, uy) = unit(a, b);
    let off = f64::from(LANE * lane);
    let dx = pixels(-uy * off);
    let dy = pixels(ux * off);
    [(a.0 + dx, a.1 + dy), (b.0 + dx, b.1 + dy)]
}

/// One line of several, each prolonged or cut to where it meets the next; lines in the same direction meet nowhere, and
/// a step leads from one to the other.
fn joined(lines: &[[At; 2]]) -> Vec<At> {
    let mut points = vec![lines[0][0]];
    for pair in lines.windows(2) {
        let [a, b] = pair[0];
        let [c, d] = pair[1];
        match crossing((a, b), (c, d)) {
            Some(corner) => points.push(corner),
            None => points.extend([b, c]),
        }
    }
    points.push(lines[lines.len() - 1][1]);
    points.dedup();
    points
}

fn crossing((a, b): (At, At), (c, d): (At, At)) -> Option<At> {
    let (ux, uy) = unit(a, b);
    let (vx, vy) = unit(c, d);
    let sine = ux * vy - uy * vx;
    if sine.abs() < 0.1 {
        return None;
    }
    let along = (f64::from(c.0 - a.0) * vy - f64::from(c.1 - a.1) * vx) / sine;
    Some((a.0 + pixels(ux * along), a.1 + pixels(uy * along)))
}

/// The end of the line from `a` to `b`, so many pixels before `b`.
fn shortened(a: At, b: At, by: f64) -> At {
    let (ux, uy) = unit(a, b);
    (b.0 - pixels(ux * by), b.1 - pixels(uy * by))
}

fn unit(a: At, b: At) -> (f64, f64) {
    let dx = f64::from(b.0 - a.0);
    let dy = f64::from(b.1 - a.1);
    let length = libm::hypot(dx, dy).max(1.0);
    (dx / length, dy / length)
}

#[expect(clippy::cast_possible_truncation, reason = "pixels of a picture")]
fn pixels(length: f64) -> i32 {
    libm::round(length) as i32
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]
mod tests {
    use crate::network::{Axes, HypercubeSpec, MeshSpec, NetworkSpec, TorusSpec};
    use crate::routing::path_nodes;
    use crate::topology::Ports;
    use crate::units::NodeId;

    /// The paths that are drawn lead from neighbour to neighbour, as many hops as the network says.
    #[test]
    fn paths_are_routes() {
        let shape = vec![5, 4];
        let specs: [&dyn NetworkSpec; 3] = [
            &MeshSpec(Axes { shape: shape.clone(), order: vec![1, 0] }),
            &TorusSpec { axes: Axes { shape, order: vec![0, 1] }, virtual_channels: 2 },
            &HypercubeSpec { dimension: 4 },
        ];
        for spec in specs {
            let network = spec.build(Ports::from(1)).unwrap();
            let lattice = spec.lattice().unwrap();
            let nodes = network.channels().nodes();
            for (from, to) in (0..nodes).flat_map(|from| (0..nodes).map(move |to| (from, to))) {
                let from = NodeId::new(from);
                let to = NodeId::new(to);
                let path = path_nodes(network.as_ref(), from, to);
                assert_eq!(
                    (path[0], path[path.len() - 1], path.len()),
                    (from.0, to.0, network.hops(from, to) + 1),
                    "{spec:?}"
                );
                assert!(path.windows(2).all(|pair| lattice.distance(pair[0], pair[1]) == 1), "{spec:?}: {path:?}");
            }
        }
    }
}
