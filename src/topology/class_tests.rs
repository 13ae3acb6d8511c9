//! Classes of links of every topology.

use super::*;
use crate::units::{LinkId, RouterId};

type Outcome = Result<(), TopologyError>;

/// The links that leave `router`, each with its end and the name of its class.
fn leaving(links: &dyn Links, router: u32) -> Vec<(u32, String)> {
    let classes = links.classes();
    links.leaving(RouterId(router)).map(|link| (links.ends(link).1.0, classes[links.class(link)].clone())).collect()
}

fn named(ends: &[(u32, &str)]) -> Vec<(u32, String)> {
    ends.iter().map(|&(end, class)| (end, class.to_owned())).collect()
}

#[test]
fn lattices_have_a_class_for_each_dimension_and_one_for_express_links() {
    let mesh = LatticeLinks::new(Coordinates::mesh(&[5, 2])).with_express(2);
    assert_eq!(mesh.classes(), ["dim0", "dim1", "express"]);
    assert_eq!(leaving(&mesh, 0), named(&[(2, "dim0"), (4, "express"), (1, "dim1")]));
    let torus = LatticeLinks::new(Coordinates::torus(&[3, 3]));
    assert_eq!(leaving(&torus, 4), named(&[(7, "dim0"), (1, "dim0"), (5, "dim1"), (3, "dim1")]));
    let two = SideBySide::new(torus.with_directions(vec![Some(Direction::Plus); 2]), true);
    assert_eq!(leaving(&two, 9 + 4), named(&[(9 + 1, "dim0"), (9 + 3, "dim1")]));
}

#[test]
fn other_networks_have_classes_by_gap_group_and_dimension() -> Outcome {
    let stage = |children, parents| Stage { children, parents };
    let tree = FatTree::new(&[stage(2, 1), stage(2, 2), stage(2, 2)], || "a tree".to_owned())?;
    assert_eq!(tree.classes(), ["gap0", "gap1"]);
    assert_eq!(leaving(&tree, 4), named(&[(0, "gap0"), (1, "gap0"), (8, "gap1"), (10, "gap1")]));
    let size = DragonflySize { nodes: 1, routers: 3, global: 1, groups: 4 };
    let dragonfly = Dragonfly::new(size, || "a dragonfly".to_owned())?;
    assert_eq!(leaving(&dragonfly, 1), named(&[(0, "local"), (2, "local"), (6, "global")]));
    let hyperx = HyperXLinks::new(&[3, 2], &[1, 1], 1)?;
    assert_eq!(leaving(&hyperx, 0), named(&[(2, "dim0"), (4, "dim0"), (1, "dim1")]));
    let cost = LinkCost::without_delay(1);
    let joint = |from, to| Joint { from: RouterId(from), to: RouterId(to), cost };
    let graph = Graph::new(2, Vec::new(), vec![joint(0, 1), joint(1, 0)]);
    assert_eq!(leaving(&graph, 1), named(&[(0, "link")]));
    let graph = graph.with_classes(vec!["link".to_owned(), "d2d".to_owned()], vec![1, 0]);
    assert_eq!(leaving(&graph, 0), named(&[(1, "d2d")]));
    Ok(())
}

/// Per router, the classes of the channels that leave it, sorted.
fn channel_classes(channels: &dyn Channels, routers: usize) -> Vec<Vec<usize>> {
    let mut classes = vec![Vec::new(); routers];
    for channel in (0..channels.count()).map(ChannelId::new) {
        match (channels.origin(channel), channels.class(channel)) {
            (Origin::Link(router), Some(class)) => classes[router.index()].push(class),
            (origin, class) => assert!(class.is_none() && !matches!(origin, Origin::Link(_)), "{origin:?}"),
        }
    }
    classes.iter_mut().for_each(|classes| classes.sort_unstable());
    classes
}

#[test]
fn channels_have_the_classes_of_their_links() -> Outcome {
    let of_links = |links: &dyn Links| {
        let of_router = |router| {
            let mut classes: Vec<usize> = links.leaving(router).map(|link| links.class(link)).collect();
            classes.sort_unstable();
            classes
        };
        (0..links.routers()).map(RouterId::new).map(of_router).collect::<Vec<_>>()
    };
    let torus = Torus::new(&[3, 4], 2, 1)?;
    assert_eq!(channel_classes(&torus, 12), of_links(&LatticeLinks::new(Coordinates::torus(&[3, 4]))));
    let cube = Hypercube::new(3, 1)?;
    assert_eq!(channel_classes(&cube, 8), of_links(&LatticeLinks::new(Coordinates::mesh(&[2; 3]))));
    // a flip of the least significant bit is a step along the last dimension
    assert_eq!(cube.class(cube.link(NodeId(0), 0)), Some(2));
    let stages = [1, 3, 3].map(|parents| Stage { children: 3, parents });
    let tree = FatTree::new(&stages, || "a tree".to_owned())?;
    assert_eq!(channel_classes(&Bmin::new(3, 3, 1)?, tree.routers()), of_links(&tree));
    let linked = Linked::new(std::sync::Arc::new(tree.clone()), 2, Ports::from(1), || "a tree".to_owned())?;
    let link = LinkId(7);
    assert_eq!(linked.class(linked.virtual_channel(link, 1)), Some(tree.class(link)));
    Ok(())
}

/// Mesh channels beyond its edges have numbers that nothing uses.
#[test]
fn mesh_channels_have_the_class_of_their_dimension() -> Outcome {
    let mesh = Mesh::new(&[3, 4], 1)?;
    let class = |dimension| mesh.class(mesh.link(NodeId(5), dimension, Direction::Minus));
    assert_eq!([class(0), class(1), mesh.class(mesh.injection(NodeId(5)))], [Some(0), Some(1), None]);
    Ok(())
}
