//! By way of a node drawn at random: by dimension order there, and from there to the destination (Valiant and Brebner
//! 1981). Each of the two phases has a class of virtual channels.

use super::{Class, Header, Hop, LatticeRouting, RoutingRule, dimension_order, low_half, ties};
use crate::units::narrow;

/// Valiant's routing.
pub static VALIANT: LatticeRouting = LatticeRouting {
    name: "valiant",
    summary: "via a random intermediate node; two VC classes",
    virtual_channels: |lattice| 2 * lattice.ring_classes(),
    header: |lattice, dst, random_bits| {
        // the high half, scaled to the number of nodes
        let drawn = ((random_bits >> 32) * lattice.nodes() as u64) >> 32;
        Header { via: Some(narrow(drawn, "a share of all nodes below 1")), ..Header::new(dst, low_half(random_bits)) }
    },
    headers: |lattice, dst| {
        let by_way_of = |via| ties(lattice).map(move |bits| Header { via: Some(via), ..Header::new(dst, bits) });
        (0..narrow(lattice.nodes(), "nodes are numbered with 32 bits")).flat_map(by_way_of).collect()
    },
    rule: RoutingRule::Path(|relation, hop, header| {
        let mut hop = hop;
        if header.via == Some(hop.at) {
            header.via = None;
            hop = Hop { entered: relation.lattice.local(), ..hop }; // begins anew
        }
        let class = Class { number: u16::from(header.via.is_none()), of: 2 };
        dimension_order::towards(relation, hop, header.via.unwrap_or(header.dst), header, class)
    }),
    ..LatticeRouting::DEFAULT
};
