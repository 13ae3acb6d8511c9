//! Any link that leads closer, on any virtual channel but the first (two on a torus); those are the *escape*, where
//! packets go by dimension order (Duato 1993).
//!
//! Virtual channels other than the escape are taken only while their buffers are empty: a header behind another packet
//! could not turn to the escape. With too few virtual channels there is no escape, and all are for all.

use super::{Choice, Header, LatticeRouting, Relation, RoutingRule};
use crate::routing::lattice::port;

/// Minimal adaptive routing with an escape.
pub static ADAPTIVE: LatticeRouting = LatticeRouting {
    name: "adaptive",
    summary: "minimal adaptive, with an escape channel in dimension order",
    virtual_channels: |lattice| lattice.ring_classes() + 1,
    rule: RoutingRule::Choices(any_shortest),
    ..LatticeRouting::DEFAULT
};

fn any_shortest(relation: &Relation, at: u32, header: &Header, choices: &mut Vec<Choice>) {
    let lattice = &relation.lattice;
    let target = header.dst;
    let escapes = lattice.ring_classes();
    let has_escape = relation.vcs > escapes;
    let among = |out| match relation.all_vcs(out) {
        any if has_escape => Choice { first: escapes, empty: true, ..any },
        any => any,
    };
    if !lattice.wraps() {
        choices.extend(lattice.closer(at, target).map(among));
        if has_escape {
            choices.push(Choice { last: 0, escape: true, ..relation.all_vcs(lattice.towards(at, target)) });
        }
        return;
    }
    let out = |d| port(d, lattice.round(at, target, d, header.prefers_minus(d)));
    choices.extend(lattice.differing(at, target).map(|d| among(out(d))));
    if has_escape {
        let out = out(lattice.next_dimension(at, target, false));
        // the second virtual channel until the dateline is crossed
        let vc = u16::from(relation.ring_class(at, target, out));
        choices.push(Choice { first: vc, last: vc, escape: true, ..relation.all_vcs(out) });
    }
}
