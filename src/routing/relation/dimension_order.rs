//! One dimension after the other.
//!
//! On a ring the class of virtual channels is chosen on entry: the second for packets that will cross the dateline,
//! between the largest coordinate and 0 (Dally and Seitz 1987). Where both ways round are as long, a random bit decides.

use super::{Choice, Class, Header, Hop, LatticeRouting, Relation, RoutingRule};
use crate::routing::lattice::port;

/// Dimension order.
pub static DIMENSION_ORDER: LatticeRouting = LatticeRouting {
    name: "dimension-order",
    summary: "one dimension after the other (default)",
    virtual_channels: |lattice| lattice.ring_classes(),
    rule: RoutingRule::Path(|relation, hop, header| match relation.lattice.wraps() {
        true => towards(relation, hop, header.dst, header, Class::ONLY),
        false => relation.all_vcs(relation.lattice.towards(hop.at, header.dst)),
    }),
    ..LatticeRouting::DEFAULT
};

/// The next hop towards `target`; the virtual channels are those of the ring's class within `class`.
// each rule that rests on it is called by a pointer, which is one call and should stay one
#[inline(always)]
pub(super) fn towards(relation: &Relation, hop: Hop, target: u32, header: &mut Header, class: Class) -> Choice {
    let lattice = &relation.lattice;
    let Hop { at, entered } = hop;
    if at == target {
        return relation.all_vcs(lattice.local());
    }
    let dimension = lattice.next_dimension(at, target, header.is_reversed());
    if !lattice.wraps() {
        return relation.vcs_of(port(dimension, lattice.straight(at, target, dimension)), class);
    }
    let out = if entered / 2 == dimension && entered != lattice.local() {
        entered // further round the ring
    } else {
        let out = port(dimension, lattice.round(at, target, dimension, header.prefers_minus(dimension)));
        header.ring = relation.ring_class(at, target, out);
        out
    };
    relation.vcs_of(out, class.of_ring(header.ring))
}
