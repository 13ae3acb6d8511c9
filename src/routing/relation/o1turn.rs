//! One of the two dimension orders of a plane, at random (Seo, Ali, Lim, Rafique and Thottethodi 2005). Each of them has
//! a class of virtual channels.

use super::{Class, Header, LatticeRouting, REVERSED, Rule, dimension_order, ties};
use crate::routing::Lattice;

/// O1TURN.
#[derive(Clone, Copy, Debug)]
pub struct O1turn;

impl LatticeRouting for O1turn {
    fn name(&self) -> &'static str {
        "o1turn"
    }

    fn summary(&self) -> &'static str {
        "two dimensions, either order at random; two classes of virtual channels"
    }

    fn unfit(&self, lattice: &Lattice) -> Option<&'static str> {
        (lattice.dimensions() != 2).then_some("is for two dimensions")
    }

    fn needed_virtual_channels(&self, lattice: &Lattice) -> u8 {
        2 * lattice.ring_classes()
    }

    fn header(&self, _: &Lattice, dst: u32, random_bits: u64) -> Header {
        Header::drawing(dst, random_bits)
    }

    fn headers(&self, lattice: &Lattice, dst: u32) -> Vec<Header> {
        let both = |bits| [0, REVERSED].map(|order| Header { random_bits: order | bits, ..Header::new(dst, 0) });
        ties(lattice).flat_map(both).collect()
    }

    fn rule(&self) -> Rule {
        Rule::Path(|relation, hop, header| {
            let class = Class { number: u8::from(header.is_reversed()), of: 2 };
            dimension_order::towards(relation, hop, header.dst, header, class)
        })
    }
}
