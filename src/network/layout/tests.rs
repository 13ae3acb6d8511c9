use super::*;
use crate::topology::{Attachment, Dragonfly, DragonflySize, Graph, Joint, LinkCost};

/// A graph of nodes on their own routers, joined both ways.
fn graph(routers: u32, pairs: &[(u32, u32)]) -> Graph {
    let cost = LinkCost::without_delay(1);
    let nodes = (0..routers).map(|router| Attachment { router: RouterId(router), cost }).collect();
    let both = pairs.iter().flat_map(|&(from, to)| [(from, to), (to, from)]);
    let links = both.map(|(from, to)| Joint { from: RouterId(from), to: RouterId(to), cost }).collect();
    Graph::new(routers as usize, nodes, links)
}

fn apart(layout: &Layout, one: usize, other: usize) -> f64 {
    let [one, other] = [one, other].map(|vertex| layout.places[vertex]);
    libm::hypot(one.x - other.x, one.y - other.y)
}

/// The least distance of two vertices.
fn nearest(layout: &Layout) -> f64 {
    let pairs = (0..layout.places.len()).flat_map(|one| (0..one).map(move |other| (one, other)));
    pairs.map(|(one, other)| apart(layout, one, other)).fold(f64::INFINITY, f64::min)
}

/// Neighbours of a ring are all equally far apart, and so are opposites.
#[test]
fn a_ring_is_a_circle() {
    let pairs: Vec<(u32, u32)> = (0..12).map(|router| (router, (router + 5) % 12)).collect();
    let layout = Layout::of_links(&graph(12, &pairs), Arrangement::Free);
    assert!(!layout.has_nodes);
    let lengths: Vec<f64> = pairs.iter().map(|&(one, other)| apart(&layout, one as usize, other as usize)).collect();
    assert!(lengths.iter().all(|length| (length - lengths[0]).abs() < 0.05), "{lengths:?}");
    let across: Vec<f64> = (0..6).map(|router| apart(&layout, router, router + 6)).collect();
    assert!(across.iter().all(|length| *length > 3.0 * lengths[0]), "{across:?}");
}

/// No link of a grid leads over a router, and the corners are the farthest from each other.
#[test]
fn a_grid_is_unfolded() {
    let right = (0..16_u32).filter(|node| node % 4 < 3).map(|node| (node, node + 1));
    let down = (0..12).map(|node| (node, node + 4));
    let layout = Layout::of_links(&graph(16, &right.chain(down).collect::<Vec<_>>()), Arrangement::Free);
    let diagonal = apart(&layout, 0, 15);
    assert!(diagonal > 1.2 * apart(&layout, 0, 3) && nearest(&layout) > 0.6, "{layout:?}");
}

/// Routers that are all joined to each other stand in a circle.
#[test]
fn a_full_mesh_is_a_circle() {
    let pairs: Vec<(u32, u32)> = (0..9).flat_map(|one| (0..one).map(move |other| (one, other))).collect();
    let layout = Layout::of_links(&graph(9, &pairs), Arrangement::Free);
    let middle = layout.places.iter().map(|place| libm::hypot(place.x, place.y));
    assert!(middle.clone().all(|radius| (radius - layout.places[0].y.abs()).abs() < 1e-9));
    assert!(nearest(&layout) > 0.9);
}

/// A group's routers are nearer to each other than to those of other groups, and nodes next to their routers.
#[test]
fn groups_stand_together() {
    let size = DragonflySize { nodes: 2, routers: 4, global: 2, groups: 9 };
    let links = Dragonfly::new(size, || "a dragonfly".to_owned()).unwrap();
    let layout = Layout::of_links(&links, Arrangement::Groups(4));
    assert_eq!(layout.places.len(), 36 + 72);
    for one in 0..36 {
        let within = (0..36).filter(|&other| other / 4 == one / 4).map(|other| apart(&layout, one, other));
        let beyond = (0..36).filter(|&other| other / 4 != one / 4).map(|other| apart(&layout, one, other));
        assert!(within.fold(0.0, f64::max) < beyond.fold(f64::INFINITY, f64::min));
    }
    assert!(nearest(&layout) > 0.3);
    assert!((0..72).all(|node| apart(&layout, node / 2, 36 + node) < 1.0));
}

/// Switches stand above those that they lead down to, and nodes in a row below their own.
#[test]
fn trees_stand_in_levels() {
    // two leaf switches of two nodes each, and two above
    let cost = LinkCost::without_delay(1);
    let nodes = [0, 0, 1, 1].map(|router| Attachment { router: RouterId(router), cost }).to_vec();
    let links = [(0, 2), (0, 3), (1, 2), (1, 3), (2, 0), (3, 0), (2, 1), (3, 1)];
    let links = links.map(|(from, to)| Joint { from: RouterId(from), to: RouterId(to), cost }).to_vec();
    let layout = Layout::of_links(&Graph::new(4, nodes, links), Arrangement::Levels);
    let heights: Vec<f64> = layout.places.iter().map(|place| place.y).collect();
    assert_eq!(heights, [0.0, 0.0, -3.0, -3.0, 2.0, 2.0, 2.0, 2.0]);
    let across: Vec<f64> = layout.places.iter().map(|place| place.x).collect();
    assert_eq!(across, [0.5, 2.5, 0.5, 2.5, 0.0, 1.0, 2.0, 3.0]);
    assert_eq!((layout.vertex(NodeId(3)), layout.joints.len()), (7, 8));
}
