//! One of the two dimension orders of a plane, at random (Seo, Ali, Lim, Rafique and Thottethodi 2005). Each of them has
//! a class of virtual channels.

use super::{Class, Header, LatticeRouting, REVERSED, RoutingRule, dimension_order, ties};

/// O1TURN.
pub static O1TURN: LatticeRouting = LatticeRouting {
    name: "o1turn",
    summary: "two dimensions, in a random order for each packet; two VC classes",
    unfit: |lattice| (lattice.dimensions() != 2).then_some("requires a two-dimensional lattice"),
    virtual_channels: |lattice| 2 * lattice.ring_classes(),
    header: |_, dst, random_bits| Header::drawing(dst, random_bits),
    headers: |lattice, dst| {
        let both = |bits| [0, REVERSED].map(|order| Header { random_bits: order | bits, ..Header::new(dst, 0) });
        ties(lattice).flat_map(both).collect()
    },
    rule: RoutingRule::Path(|relation, hop, header| {
        let class = Class { number: u16::from(header.is_reversed()), of: 2 };
        dimension_order::towards(relation, hop, header.dst, header, class)
    }),
};
