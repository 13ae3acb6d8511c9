//! The paths of messages over a small network: nodes at their places, each message a line along the links it takes.
//!
//! Every message has a lane of its own on a link, to the right of the direction it goes, so that two messages over the
//! same channel lie beside each other. A red ring is where a head flit waited. Messages that are too many for each to
//! have a line of its own share the lines of those they have something in common with.

use super::canvas::{Lettering, Stroke};
use super::clock::Clock;
use super::geometry::{Bounds, overlap, touches};
use super::ink::{Rgb, colour};
use super::sheet::{At, NORMAL, SMALL, Shape, Sheet, nth};
use super::text::{Side, width};
use crate::kind::diagram::{Member, Paths, Route, Wait};
use crate::routing::Lattice;
use std::collections::BTreeMap;

/// As many messages are told apart by their lines.
const MOST_LISTED: usize = 24;

/// Pixels between the middles of neighbours: at least, at most, and in hypercubes, whose squares are shifted.
const LEAST_PITCH: i32 = 56;
const MOST_PITCH: i32 = 110;
const CUBE_PITCH: i32 = 84;
/// Pixels between lanes, of which at most so many are on a link; and where there are more.
const LANE: i32 = 4;
const MOST_WIDE: i32 = 10;
const NARROW_LANE: i32 = 3;
/// Of the distance of neighbours, how long a link is that leads out of one edge and in at the other.
const STUB: (i32, i32) = (1, 2);
const RADIUS: i32 = 8;
/// A head flit that waited.
const RING: i32 = 6;
const WAITED: Stroke = Stroke { width: 2, ..Stroke::thin(colour(2)) };
/// Pixels between rows of the list.
const LINE: i32 = 20;

struct Plan<'a> {
    lattice: &'a Lattice,
    /// The upper left node.
    corner: At,
    /// Pixels between neighbours.
    pitch: i32,
    /// Pixels between lanes.
    lane: i32,
}

/// The room that the links of all paths of a picture take, so that these are equally large.
#[derive(Clone, Copy, Debug)]
pub(super) struct Size {
    /// The most messages on a link, one way.
    lanes: i32,
    /// Pixels of the longest name of a node that takes part.
    names: i32,
}

impl Size {
    /// What does for `all`.
    pub(super) fn new<'a>(all: impl Iterator<Item = &'a Paths>) -> Self {
        let mut size = Self { lanes: 0, names: 0 };
        for paths in all {
            let mut lanes = Lanes::default();
            paths.routes.iter().for_each(|route| drop(lanes.hops(&route.nodes)));
            size.lanes = size.lanes.max(lanes.most());
            let names = paths.members.iter().map(|member| width(&member.name, SMALL));
            size.names = names.fold(size.names, i32::max);
        }
        size
    }
}

/// The sheet of `paths`, times written by `clock`.
pub(super) fn sheet(paths: &Paths, clock: &Clock, size: Size) -> Sheet {
    let Paths { title, lattice, routes, members, waits } = paths;
    let (mut sheet, top) = Sheet::titled(title);
    let mut lanes = Lanes::default();
    let lines: Vec<Vec<Hop>> = routes.iter().map(|route| lanes.hops(&route.nodes)).collect();
    let (lane, line_width) = if size.lanes <= MOST_WIDE { (LANE, 2) } else { (NARROW_LANE, 1) };
    let most = lane * size.lanes;
    let pitch = (size.names + 16).max(most + 40).clamp(LEAST_PITCH, MOST_PITCH);
    let pitch = if is_cube(lattice) { CUBE_PITCH } else { pitch };
    let numbers = width(&lattice.nodes().to_string(), SMALL);
    let stub = if lattice.wraps() { pitch * STUB.0 / STUB.1 } else { 0 };
    // numbers of rows and columns stand outside of all lines
    let corner = (stub.max(most) + numbers + 20, top + 24 + stub.max(most));
    let plan = Plan { lattice, corner, pitch, lane };
    let looks = Looks::new(routes);
    plan.links(&mut sheet);
    let is_line = lattice.dimensions() == 1;
    plan.numbers(&mut sheet, if is_line { most.max(RADIUS) + 12 } else { stub.max(most) + 14 });
    for ((line, look), route) in lines.iter().zip(&looks.of_route).zip(routes) {
        plan.route(&mut sheet, line, Stroke::numbered(*look, line_width), &said(route, clock));
    }
    for wait in waits {
        plan.wait(&mut sheet, wait, &lines, paths, clock);
    }
    plan.nodes(&mut sheet, members);
    list(&mut sheet, top, &looks, paths, clock);
    sheet
}

/// Which way coordinates go.
pub(super) fn legend(lattice: &Lattice) -> String {
    if is_cube(lattice) {
        let ways = ["to the right", "down", "to the shifted square", "to the other cube"];
        let bits = ways.iter().take(lattice.dimensions()).enumerate();
        let ways: Vec<String> = bits.map(|(bit, way)| format!("bit {bit} {way}")).collect();
        return format!("Paths: of a node's address, {}.", ways.join(", "));
    }
    match lattice.dimensions() {
        1 => "Paths: nodes from left to right.".to_owned(),
        _ => "Paths: of node (a,b), a goes down and b to the right.".to_owned(),
    }
}

fn is_cube(lattice: &Lattice) -> bool {
    lattice.shape().iter().all(|&n| n == 2)
}

/// What is said of a message.
fn said(route: &Route, clock: &Clock) -> String {
    match route.during {
        Some([from, to]) => format!("{}, {} to {}", route.label, clock.number(from.0), clock.number(to.0)),
        None => route.label.clone(),
    }
}

/// Which messages have the same line, and what is said of it.
struct Looks<'a> {
    of_route: Vec<usize>,
    /// What those of a line have in common, and how many there are; none if every message has its own.
    groups: Option<Vec<(&'a str, usize)>>,
}

impl<'a> Looks<'a> {
    fn new(routes: &'a [Route]) -> Self {
        if routes.len() <= MOST_LISTED {
            return Self { of_route: (0..routes.len()).collect(), groups: None };
        }
        let mut groups: Vec<(&str, usize)> = Vec::new();
        let mut look = |route: &'a Route| {
            let known = groups.iter().position(|(name, _)| *name == route.group);
            let at = known.unwrap_or(groups.len());
            if known.is_none() {
                groups.push((&route.group, 0));
            }
            groups[at].1 += 1;
            at
        };
        let of_route = routes.iter().map(&mut look).collect();
        if groups.len() > MOST_LISTED {
            // as many groups as messages tell nothing: after two dozen, lines look like others, but are listed
            return Self { of_route: (0..routes.len()).collect(), groups: None };
        }
        Self { of_route, groups: Some(groups) }
    }
}

/// What messages have in common, and how many they are.
fn in_words(&(name, count): &(&str, usize)) -> String {
    format!("{name}: {count} {}", if count == 1 { "message" } else { "messages" })
}

/// What lines mean, to the right of all.
fn list(sheet: &mut Sheet, top: i32, looks: &Looks<'_>, paths: &Paths, clock: &Clock) {
    let left = sheet.size.0 + 24;
    let mut y = top + 14;
    if paths.routes.iter().any(|route| route.during.is_some()) && looks.groups.is_none() {
        let unit = clock.unit;
        sheet.text(
            (left, y),
            Side::Left,
            SMALL,
            format!("message, start of its send to its receipt, predicted ({unit})"),
        );
        y += LINE;
    }
    let words: Vec<String> = match &looks.groups {
        None => paths.routes.iter().map(|route| said(route, clock)).collect(),
        Some(groups) => groups.iter().map(in_words).collect(),
    };
    for (at, words) in words.into_iter().enumerate() {
        sheet.arrow(&[(left, y), (left + 42, y)], Stroke::numbered(at, 2));
        sheet.text((left + 50, y), Side::Left, NORMAL, words);
        y += LINE;
    }
    if !paths.waits.is_empty() {
        sheet.ring((left + 21, y), RING, WAITED);
        sheet.text((left + 50, y), Side::Left, NORMAL, "a head flit waited here, measured");
    }
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

    /// The most messages that take a channel.
    fn most(&self) -> i32 {
        self.0.values().copied().max().unwrap_or(0)
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
        let x = self.corner.0 + self.pitch * along(0);
        let y = self.corner.1 + self.pitch * along(1);
        let shift = |dimension: usize, part: (i32, i32)| along(dimension) * self.pitch * part.0 / part.1;
        (x + shift(2, (1, 2)) + shift(3, (3, 1)), y + shift(2, (2, 5)) + shift(3, (1, 5)))
    }

    /// The places of a hop: two if neighbours are beside each other; else a stub at either edge.
    fn ends(&self, hop: Hop) -> Vec<[At; 2]> {
        let a = self.at(hop.from);
        let b = self.at(hop.to);
        let flat = self.lattice.dimensions() <= 2; // more are all of two nodes, which are neighbours whichever way
        let wraps = flat && self.lattice.wraps() && (a.0 - b.0).abs().max((a.1 - b.1).abs()) > self.pitch;
        if !wraps {
            return vec![beside(a, b, self.lane * hop.lane)];
        }
        let out = |edge: At, other: At| {
            let away = |one: i32, two: i32| (one - two).signum() * self.pitch * STUB.0 / STUB.1;
            (edge.0 + away(edge.0, other.0), edge.1 + away(edge.1, other.1))
        };
        let off = self.lane * hop.lane;
        vec![beside(a, out(a, b), off), beside(out(b, a), b, off)]
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
    fn route(&self, sheet: &mut Sheet, hops: &[Hop], stroke: Stroke, said: &str) {
        let mut piece: Vec<[At; 2]> = Vec::new();
        for &hop in hops {
            let parts = self.ends(hop);
            let last = parts.len() - 1;
            for (at, part) in parts.into_iter().enumerate() {
                piece.push(part);
                if at < last {
                    said.clone_into(&mut sheet.arrow(&joined(&piece), stroke).tip);
                    piece.clear();
                }
            }
        }
        if let (Some([start, end]), Some(last)) = (piece.last_mut(), hops.last()) {
            *end = shortened(*start, *end, reach(self.lane * last.lane));
            said.clone_into(&mut sheet.arrow(&joined(&piece), stroke).tip);
        }
    }

    /// Where a head flit waited: on the link that it waited for, or around its destination.
    fn wait(&self, sheet: &mut Sheet, wait: &Wait, lines: &[Vec<Hop>], paths: &Paths, clock: &Clock) {
        let Some(line) = lines.get(wait.message) else { return };
        let route = &paths.routes[wait.message];
        let link = wait.hop.checked_sub(1).and_then(|hop| line.get(hop));
        let (at, radius) = match (link, route.nodes.last()) {
            (Some(hop), _) => {
                let [from, to] = self.ends(*hop)[0];
                (((2 * from.0 + to.0) / 3, (2 * from.1 + to.1) / 3), RING)
            }
            (None, Some(node)) => (self.at(*node), RADIUS + 4),
            (None, None) => return,
        };
        let holder = wait.holder.map_or_else(String::new, |holder| format!(", for {}", paths.routes[holder].label));
        let words = format!("{} waited {} here{holder}", route.label, clock.exact(wait.ticks.0));
        sheet.ring(at, radius, WAITED).tip = words;
    }

    /// The coordinates of columns above them, and of rows on their left, so far from the nodes.
    fn numbers(&self, sheet: &mut Sheet, away: i32) {
        if is_cube(self.lattice) {
            return;
        }
        let shape = self.lattice.shape();
        let columns = shape.last().copied().unwrap_or(0);
        for column in 0..columns {
            let at = (nth(self.corner.0, self.pitch, column), self.corner.1 - away);
            sheet.text(at, Side::Middle, SMALL, column.to_string());
        }
        let rows = if let [rows, _] = shape[..] { rows } else { 0 };
        for row in 0..rows {
            let at = (self.corner.0 - away, nth(self.corner.1, self.pitch, row));
            sheet.text(at, Side::Right, SMALL, row.to_string());
        }
    }

    /// All nodes: members large and with their names, the others small.
    fn nodes(&self, sheet: &mut Sheet, members: &[Member]) {
        let mut taken = Taken::new(sheet);
        let member = |node: u32| members.iter().find(|member| member.node == node);
        let all = || (0..self.lattice.nodes()).map(|at| u32::try_from(at).unwrap_or(u32::MAX));
        for node in all() {
            let at = self.at(node);
            let (radius, fill) = match member(node) {
                Some(Member { is_source: true, .. }) => (RADIUS, Rgb::BLACK),
                Some(_) => (RADIUS, Rgb::WHITE),
                None => (3, Rgb::GREY),
            };
            taken.places.push(((at.0 - radius, at.1 - radius), (at.0 + radius, at.1 + radius)));
            sheet.disc(at, radius, fill).tip = format!("node {}", self.lattice.node_name(node));
        }
        if self.lattice.dimensions() == 1 {
            return; // the numbers above are the names
        }
        for (node, member) in all().filter_map(|node| Some((node, member(node)?))) {
            let (at, side) = taken.beside(self.at(node), &member.name);
            sheet.text(at, side, SMALL, member.name.as_str());
        }
    }
}

/// What names stay clear of.
struct Taken {
    places: Vec<Bounds>,
    lines: Vec<[At; 2]>,
}

impl Taken {
    /// By what is drawn on `sheet`, faint links aside.
    fn new(sheet: &Sheet) -> Self {
        let mut taken = Self { places: Vec::new(), lines: Vec::new() };
        for drawn in &sheet.shapes {
            match &drawn.shape {
                Shape::Line { points, stroke, .. } if stroke.colour != Rgb::PALE => {
                    taken.lines.extend(points.windows(2).map(|pair| [pair[0], pair[1]]));
                }
                Shape::Line { .. } => {}
                shape => taken.places.push(shape.bounds()),
            }
        }
        taken
    }

    /// A free place for `name` near `node`, and which of its sides is there: the nearest, best at the upper right.
    fn beside(&mut self, node: At, name: &str) -> (At, Side) {
        let bounds = |(at, side): (At, Side)| {
            let lettering = Lettering { size: SMALL, side, colour: Rgb::BLACK };
            let (from, to) = Shape::Text { at, lettering, text: name.to_owned() }.bounds();
            ((from.0 - 2, from.1 - 1), (to.0 + 2, to.1 + 1))
        };
        let away = |step: i32| {
            let off = RADIUS - 2 + 3 * step;
            let corners = [(1, -1), (1, 1), (-1, -1), (-1, 1)].map(|(right, down)| {
                let side = if right > 0 { Side::Left } else { Side::Right };
                ((node.0 + right * off, node.1 + down * (off + 4)), side)
            });
            let out = off + 6;
            let straight = [
                ((node.0 + out, node.1), Side::Left),
                ((node.0 - out, node.1), Side::Right),
                ((node.0, node.1 - out - 2), Side::Middle),
                ((node.0, node.1 + out + 2), Side::Middle),
            ];
            corners.into_iter().chain(straight)
        };
        let is_free = |place: &(At, Side)| {
            let bounds = bounds(*place);
            let free = bounds.0.0 >= 0 && bounds.0.1 >= 0;
            free && !self.places.iter().any(|other| overlap(*other, bounds))
                && !self.lines.iter().any(|line| touches(bounds, *line))
        };
        let chosen = (0..16).flat_map(away).find(is_free).unwrap_or(((node.0 + RADIUS, node.1 - RADIUS), Side::Left));
        self.places.push(bounds(chosen));
        chosen
    }
}

/// How far before the middle of a node a line meets its border that is `off` pixels beside the middle.
fn reach(off: i32) -> f64 {
    let radius = f64::from(RADIUS);
    let off = f64::from(off);
    libm::sqrt((radius * radius - off * off).max(0.0)) + 1.0
}

/// The line from `a` to `b`, so many pixels to the right of it.
fn beside(a: At, b: At, off: i32) -> [At; 2] {
    let (ux, uy) = unit(a, b);
    let off = f64::from(off);
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
            &MeshSpec::new(Axes { shape: shape.clone(), order: vec![1, 0] }),
            &TorusSpec::new(Axes { shape, order: vec![0, 1] }, 2),
            &HypercubeSpec::new(4),
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
