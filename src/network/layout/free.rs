//! Any network: routers about as far from each other on paper as links apart.
//!
//! Stress majorisation (E. R. Gansner, Y. Koren, S. North, Graph drawing by stress majorization, GD 2004): a router is moved to
//! the mean of where each other one would have it, the near ones counting most, until it settles. It begins with the routers in
//! circles around a centre by their distance from it, in a circle in the order of their numbers, and at random; the picture
//! in which the fewest links lead over routers is taken, and of these the one that is truest.

use super::{Place, Shape, apart, around, radius};
use crate::random;

/// How often each router is moved.
const ROUNDS: usize = 150;
/// How many beginnings are random.
const DRAWN: u64 = 6;
/// Steps between two routers, at least.
const LEAST_APART: f64 = 0.7;

/// Where all are next to each other, in a circle.
pub(super) fn places(shape: &Shape) -> Vec<Place> {
    let count = shape.neighbours.len();
    let in_order = circle(count);
    if shape.neighbours.iter().all(|others| others.len() + 1 == count) {
        return shape.with_nodes(in_order);
    }
    let distances: Vec<Vec<usize>> = (0..count).map(|router| shape.distances(std::iter::once(router))).collect();
    let drawn = (0..DRAWN).map(|at| scattered(count, at));
    let beginnings = [by_distance(&distances), in_order].into_iter().chain(drawn);
    let settled = beginnings.map(|places| spaced(settled(places, &distances)));
    let judged = settled.map(|routers| {
        let stress = stress(&routers, &distances);
        let places = shape.with_nodes(routers);
        (shape.crossings(&places), stress, places)
    });
    let best = judged.min_by(|one, other| one.0.cmp(&other.0).then(one.1.total_cmp(&other.1)));
    #[expect(clippy::expect_used, reason = "there are two beginnings at least")]
    best.expect("there is a beginning").2
}

/// All in a circle from the top on, a step from each to the next.
fn circle(count: usize) -> Vec<Place> {
    let middle = Place { x: 0.0, y: 0.0 };
    (0..count).map(|router| around(middle, radius(count, 1.0), router as f64 / count as f64)).collect()
}

/// In circles around the router from which the farthest is the nearest.
fn by_distance(distances: &[Vec<usize>]) -> Vec<Place> {
    let middle = Place { x: 0.0, y: 0.0 };
    let farthest = |router: &usize| distances[*router].iter().max();
    let Some(centre) = (0..distances.len()).min_by_key(farthest) else { return Vec::new() };
    let mut places = vec![middle; distances.len()];
    for ring in 1..=distances.len() {
        let on_ring: Vec<usize> = (0..distances.len()).filter(|&router| distances[centre][router] == ring).collect();
        for (at, &router) in on_ring.iter().enumerate() {
            // turned a little from ring to ring, so that no two stand in line with the centre
            let turn = at as f64 / on_ring.len() as f64 + 0.37 * ring as f64;
            places[router] = around(middle, ring as f64, turn);
        }
    }
    places
}

/// Anywhere in a square, the same each time.
fn scattered(count: usize, number: u64) -> Vec<Place> {
    let mut random = random::stream(0, "layout", number);
    let side = (count as f64).sqrt();
    (0..count)
        .map(|_| Place { x: side * random::uniform(&mut random), y: side * random::uniform(&mut random) })
        .collect()
}

fn settled(mut places: Vec<Place>, distances: &[Vec<usize>]) -> Vec<Place> {
    for _ in 0..ROUNDS {
        for (router, wanted) in distances.iter().enumerate() {
            places[router] = moved(router, &places, wanted);
        }
    }
    places
}

/// The mean of where the others would have `router`.
fn moved(router: usize, places: &[Place], wanted: &[usize]) -> Place {
    let here = places[router];
    let mut sum = Place { x: 0.0, y: 0.0 };
    let mut weights = 0.0;
    for (other, &there) in places.iter().enumerate().filter(|&(other, _)| other != router) {
        let links = wanted[other] as f64;
        let weight = 1.0 / (links * links);
        let part = links / libm::hypot(here.x - there.x, here.y - there.y).max(1e-9);
        sum.x += weight * (there.x + part * (here.x - there.x));
        sum.y += weight * (there.y + part * (here.y - there.y));
        weights += weight;
    }
    if weights == 0.0 { here } else { Place { x: sum.x / weights, y: sum.y / weights } }
}

/// How untrue distances on paper are.
fn stress(places: &[Place], distances: &[Vec<usize>]) -> f64 {
    let pairs = (0..places.len()).flat_map(|one| (0..one).map(move |other| (one, other)));
    let untrue = |(one, other): (usize, usize)| {
        let links = distances[one][other] as f64;
        let off = apart(places[one], places[other]) / links - 1.0;
        off * off
    };
    pairs.map(untrue).sum()
}

/// The same picture, larger where two routers would be on top of each other.
fn spaced(places: Vec<Place>) -> Vec<Place> {
    let pairs = (0..places.len()).flat_map(|one| (0..one).map(move |other| (one, other)));
    let nearest = pairs.map(|(one, other)| apart(places[one], places[other])).fold(f64::INFINITY, f64::min);
    let scale = (LEAST_APART / nearest).clamp(1.0, 3.0);
    places.into_iter().map(|Place { x, y }| Place { x: scale * x, y: scale * y }).collect()
}
