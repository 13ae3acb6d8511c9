//! Minimal and adaptive, but for the turns from larger to smaller coordinates (Glass and Ni 1992): packets go all that
//! leads towards smaller coordinates first.

use super::{LatticeRouting, RoutingRule};
use crate::topology::Direction;

/// Negative first.
pub static NEGATIVE_FIRST: LatticeRouting = LatticeRouting {
    name: "negative-first",
    summary: "meshes; adaptive, with hops to smaller coordinates before hops to larger ones",
    unfit: |lattice| lattice.wraps().then_some("requires a mesh"),
    rule: RoutingRule::Choices(|relation, at, header, choices| {
        let is_negative = |out: usize| Direction::from_number(out) == Direction::Minus;
        let closer = relation.lattice.closer(at, header.dst);
        let goes_negative = closer.clone().any(is_negative);
        let allowed = closer.filter(|&out| is_negative(out) || !goes_negative);
        choices.extend(allowed.map(|out| relation.all_vcs(out)));
    }),
    ..LatticeRouting::DEFAULT
};
