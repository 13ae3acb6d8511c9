//! Dragonflies: the routers of a group in a circle, the groups in a large one.

use super::{Place, Shape, around, radius};

/// Steps between two routers of a group that are next to each other, and between two groups.
const ROUTERS_APART: f64 = 1.0;
const GROUPS_APART: f64 = 0.6;
/// Steps beyond the routers of a group that its nodes take.
const NODES: f64 = 1.1;
/// So many ways to turn the circle of a group are tried.
const TURNS: usize = 12;

/// Groups are turned one after the other so that the fewest links lead over others' routers and nodes.
pub(super) fn places(shape: &Shape, size: usize) -> Vec<Place> {
    let groups = shape.neighbours.len() / size;
    let mut turns = vec![0; groups];
    for group in (0..groups).chain(0..groups) {
        let crossings = |turn: &usize| {
            let mut turned = turns.clone();
            turned[group] = *turn;
            shape.crossings(&shape.with_nodes(routers(shape, size, &turned)))
        };
        // the first of those that are as good
        #[expect(clippy::expect_used, reason = "several turns are tried")]
        let best = (0..TURNS).min_by_key(crossings).expect("there are several turns");
        turns[group] = best;
    }
    shape.with_nodes(routers(shape, size, &turns))
}

/// Each group is turned as it stands in the large circle, and besides by so many of the ways that there are.
fn routers(shape: &Shape, size: usize, turns: &[usize]) -> Vec<Place> {
    let small = radius(size, ROUTERS_APART);
    let large = radius(turns.len(), 2.0 * (small + NODES) + GROUPS_APART);
    let place = |router: usize| {
        let group = router / size;
        let of_group = group as f64 / turns.len() as f64;
        let middle = around(Place { x: 0.0, y: 0.0 }, large, of_group);
        let turn = turns[group] as f64 / (TURNS * size) as f64;
        around(middle, small, of_group + turn + (router % size) as f64 / size as f64)
    };
    (0..shape.neighbours.len()).map(place).collect()
}
