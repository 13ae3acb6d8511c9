//! The paths of messages over a small network: vertices at their places, each message a line along the links it takes.
//!
//! Every message has a lane of its own on a link, to the right of the direction it goes, so that two messages over the
//! same channel lie beside each other. A red ring is where a head flit waited. Messages that are too many for each to
//! have a line of its own share the lines of those they have something in common with.

use super::canvas::{Lettering, Stroke};
use super::clock::Clock;
use super::geometry::{Bounds, overlap, touches};
use super::ink::{Rgb, colour};
use super::map::{Map, Room};
use super::sheet::{At, NORMAL, SMALL, Shape, Sheet};
use super::text::{Side, width};
use crate::kind::diagram::{Member, Paths, Route, Wait};
use std::collections::BTreeMap;

/// As many messages are told apart by their lines.
const MOST_LISTED: usize = 24;

/// Pixels between lanes, of which at most so many are on a link; and where there are more.
const LANE: i32 = 4;
const MOST_WIDE: i32 = 10;
const NARROW_LANE: i32 = 3;
/// Of the disc of a node that takes part.
pub(super) const RADIUS: i32 = 8;
/// A head flit that waited.
const RING: i32 = 6;
const WAITED: Stroke = Stroke { width: 2, ..Stroke::thin(colour(2)) };
/// Pixels between rows of the list.
const LINE: i32 = 20;

struct Plan<'a> {
    map: Map<'a>,
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
            paths.routes.iter().for_each(|route| drop(lanes.hops(&route.vertices)));
            size.lanes = size.lanes.max(lanes.most());
            let names = paths.members.iter().map(|member| width(&member.name, SMALL));
            size.names = names.fold(size.names, i32::max);
        }
        size
    }
}

/// The sheet of `paths`, times written by `clock`.
pub(super) fn sheet(paths: &Paths, clock: &Clock, size: Size) -> Sheet {
    let Paths { title, ground, routes, members, waits } = paths;
    let (mut sheet, top) = Sheet::titled(title);
    let mut lanes = Lanes::default();
    let lines: Vec<Vec<Hop>> = routes.iter().map(|route| lanes.hops(&route.vertices)).collect();
    let (lane, line_width) = if size.lanes <= MOST_WIDE { (LANE, 2) } else { (NARROW_LANE, 1) };
    let room = Room { names: size.names, lanes: lane * size.lanes };
    let plan = Plan { map: Map::new(ground, room, top), lane };
    let looks = Looks::new(routes);
    plan.links(&mut sheet);
    plan.map.numbers(&mut sheet);
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
            format!("message, from the start of its send to its receipt, predicted ({unit})"),
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
        sheet.text((left + 50, y), Side::Left, NORMAL, "a head flit waited here (measured)");
    }
}

/// A step of a message from a vertex to a neighbour, and on which lane of the link it is drawn: 0 is its middle.
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
    fn hops(&mut self, vertices: &[u32]) -> Vec<Hop> {
        let hop = |pair: &[u32]| {
            let lane = self.0.entry((pair[0], pair[1])).or_insert(0);
            *lane += 1;
            Hop { from: pair[0], to: pair[1], lane: *lane }
        };
        vertices.windows(2).map(hop).collect()
    }

    /// The most messages that take a channel.
    fn most(&self) -> i32 {
        self.0.values().copied().max().unwrap_or(0)
    }
}

impl Plan<'_> {
    fn at(&self, vertex: u32) -> At {
        self.map.at(vertex)
    }

    /// The places of a hop: two, or those of a stub at either edge.
    fn ends(&self, hop: Hop) -> Vec<[At; 2]> {
        let off = self.lane * hop.lane;
        let pieces = self.map.pieces(hop.from, hop.to);
        pieces.into_iter().map(|[a, b]| beside(a, b, off)).collect()
    }

    fn links(&self, sheet: &mut Sheet) {
        for [from, to] in self.map.joints() {
            for ends in self.map.pieces(from, to) {
                sheet.line(&ends, Stroke::thin(Rgb::PALE));
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
        let link = wait.hop.checked_sub(self.map.channels_before_first()).and_then(|hop| line.get(hop));
        let (at, radius) = match (link, route.vertices.last()) {
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

    /// All vertices: members large and with their names, the others small.
    fn nodes(&self, sheet: &mut Sheet, members: &[Member]) {
        let mut taken = Taken::new(sheet);
        let member = |vertex: u32| members.iter().find(|member| member.vertex == vertex);
        let all = || 0..self.map.vertices();
        for vertex in all() {
            let at = self.at(vertex);
            let (radius, fill) = match member(vertex) {
                Some(Member { is_source: true, .. }) => (RADIUS, Rgb::BLACK),
                Some(_) => (RADIUS, Rgb::WHITE),
                None => (3, Rgb::GREY),
            };
            taken.places.push(((at.0 - radius, at.1 - radius), (at.0 + radius, at.1 + radius)));
            sheet.disc(at, radius, fill).tip = self.map.name(vertex);
        }
        if !self.map.wants_names() {
            return;
        }
        for (vertex, member) in all().filter_map(|vertex| Some((vertex, member(vertex)?))) {
            let (at, side) = taken.beside(self.at(vertex), &member.name);
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
        let is_clear = |place: &(At, Side)| {
            let bounds = bounds(*place);
            bounds.0.0 >= 0 && bounds.0.1 >= 0 && !self.places.iter().any(|other| overlap(*other, bounds))
        };
        let is_free = |place: &(At, Side)| {
            let bounds = bounds(*place);
            is_clear(place) && !self.lines.iter().any(|line| touches(bounds, *line))
        };
        // among many lines a name lies on some
        let free = (0..16).flat_map(away).find(is_free);
        let chosen = free.or_else(|| (0..40).flat_map(away).find(is_clear));
        let chosen = chosen.unwrap_or(((node.0 + RADIUS, node.1 - RADIUS), Side::Left));
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

/// One line of several, each prolonged or cut to where it meets the next; lines in the same direction meet nowhere, others
/// far away, and a step leads from one to the other.
fn joined(lines: &[[At; 2]]) -> Vec<At> {
    let mut points = vec![lines[0][0]];
    for pair in lines.windows(2) {
        let [a, b] = pair[0];
        let [c, d] = pair[1];
        // where a line turns back sharply, the two meet farther from their ends than these from each other
        match crossing((a, b), (c, d)).filter(|&corner| length(b, corner) <= length(b, c) + 1.0) {
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
    let length = length(a, b).max(1.0);
    (f64::from(b.0 - a.0) / length, f64::from(b.1 - a.1) / length)
}

fn length(a: At, b: At) -> f64 {
    libm::hypot(f64::from(b.0 - a.0), f64::from(b.1 - a.1))
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
