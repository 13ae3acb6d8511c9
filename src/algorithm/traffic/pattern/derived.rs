//! Patterns that follow from the numbering of nodes and send all packets of a node to the same destination.

use super::{Numbering, Pattern, PatternError};

/// The pattern that sends packets of each of `nodes` nodes to the node that `destination` returns.
fn fixed(nodes: u32, destination: impl Fn(u32) -> u32) -> Pattern {
    Pattern::Fixed((0..nodes).map(destination).collect())
}

/// The nodes of `numbering` and the number of bits of their ids, of which `name` makes use.
fn binary(name: &'static str, numbering: &Numbering) -> Result<(u32, u32), PatternError> {
    let nodes = numbering.nodes();
    if !nodes.is_power_of_two() {
        return Err(PatternError::NotBinary { name, nodes: nodes as usize });
    }
    Ok((nodes, nodes.trailing_zeros()))
}

/// Swaps the coordinates of a square of nodes, or else the halves of node ids.
pub(super) fn transpose(numbering: &Numbering) -> Result<Pattern, PatternError> {
    if let [side, other] = numbering.shape[..]
        && side == other
    {
        return Ok(fixed(side * side, |node| node % side * side + node / side));
    }
    let (nodes, bits) = binary("transpose", numbering)?;
    if bits % 2 == 1 {
        return Err(PatternError::NotSquare);
    }
    let half = bits / 2;
    Ok(fixed(nodes, |node| node >> half | (node << half & (nodes - 1))))
}

/// Inverts the bits of node ids.
pub(super) fn bit_complement(numbering: &Numbering) -> Result<Pattern, PatternError> {
    let (nodes, _) = binary("bit-complement", numbering)?;
    Ok(fixed(nodes, |node| !node & (nodes - 1)))
}

/// Reverses the bits of node ids.
pub(super) fn bit_reverse(numbering: &Numbering) -> Result<Pattern, PatternError> {
    let (nodes, bits) = binary("bit-reverse", numbering)?;
    Ok(fixed(nodes, |node| if bits == 0 { node } else { node.reverse_bits() >> (32 - bits) }))
}

/// Rotates the bits of node ids.
pub(super) fn shuffle(numbering: &Numbering) -> Result<Pattern, PatternError> {
    let (nodes, bits) = binary("shuffle", numbering)?;
    Ok(fixed(nodes, |node| (node << 1 | node >> (bits.max(1) - 1)) & (nodes - 1)))
}

/// Moves nearly half-way along every dimension.
pub(super) fn tornado(numbering: &Numbering) -> Result<Pattern, PatternError> {
    shifted("tornado", numbering, |k| k.div_ceil(2) - 1)
}

/// Moves a step along every dimension.
pub(super) fn neighbor(numbering: &Numbering) -> Result<Pattern, PatternError> {
    shifted("neighbor", numbering, |_| 1)
}

/// The pattern called `name` that moves by `steps` of its length along every dimension of the lattice. A node sends to the node
/// with the same index at the point there.
fn shifted(name: &'static str, numbering: &Numbering, steps: impl Fn(u32) -> u32) -> Result<Pattern, PatternError> {
    let lattice = numbering.lattice.as_deref().ok_or(PatternError::NoCoordinates(name))?;
    let nodes = numbering.nodes();
    let each_point = nodes / lattice.iter().product::<u32>();
    Ok(fixed(nodes, |node| moved(node / each_point, lattice, &steps) * each_point + node % each_point))
}

/// The point that is `steps` of its length away from `point` along every dimension of `shape`, across the edge if need be.
fn moved(point: u32, shape: &[u32], steps: impl Fn(u32) -> u32) -> u32 {
    let mut to = 0;
    let mut stride = 1;
    let mut rest = point;
    for &k in shape.iter().rev() {
        to += (rest % k + steps(k)) % k * stride;
        rest /= k;
        stride *= k;
    }
    to
}

#[cfg(test)]
mod tests {
    use super::*;

    fn destinations(name: &'static str, shape: &[u32]) -> Vec<u32> {
        match Pattern::derived(name, &Numbering { shape: shape.to_vec(), lattice: Some(shape.to_vec()), group: None }) {
            Ok(Pattern::Fixed(to)) => to.to_vec(),
            other => unreachable!("{other:?}"),
        }
    }

    #[test]
    fn fixed_patterns_of_sixteen_nodes() {
        let shape = [4, 4];
        assert_eq!(destinations("transpose", &shape)[..6], [0, 4, 8, 12, 1, 5]);
        assert_eq!(destinations("bit-complement", &shape)[..3], [15, 14, 13]);
        assert_eq!(destinations("bit-reverse", &shape)[..5], [0, 8, 4, 12, 2]);
        assert_eq!(destinations("shuffle", &shape)[6..10], [12, 14, 1, 3]);
        assert_eq!(destinations("tornado", &shape)[..5], [5, 6, 7, 4, 9]);
        assert_eq!(destinations("neighbor", &shape)[..5], [5, 6, 7, 4, 9]);
        assert_eq!(destinations("tornado", &[5, 8])[0], 2 * 8 + 3);
        assert_eq!(destinations("transpose", &[3, 3])[1], 3);
        assert_eq!(destinations("transpose", &[2, 8])[..3], [0, 4, 8]);
    }

    /// Three nodes a router on a ring of five, and a mesh of two by three.
    #[test]
    fn nodes_keep_their_place_on_the_router() -> Result<(), PatternError> {
        let derived = |nodes: &[u32], routers: &[u32], name| {
            Pattern::derived(name, &Numbering { shape: nodes.to_vec(), lattice: Some(routers.to_vec()), group: None })
        };
        let to = |name, nodes, routers: &[u32]| match derived(&[nodes], routers, name)? {
            Pattern::Fixed(to) => Ok(to.to_vec()),
            other => unreachable!("{other:?}"),
        };
        assert_eq!(to("neighbor", 15, &[5])?[..4], [3, 4, 5, 6]);
        assert_eq!(to("tornado", 15, &[5])?[12..], [3, 4, 5]);
        assert_eq!(to("neighbor", 12, &[2, 3])?[..6], [8, 9, 10, 11, 6, 7]);
        assert_eq!(to("tornado", 12, &[2, 3])?[..6], [2, 3, 4, 5, 0, 1]);
        Ok(())
    }

    #[test]
    fn shapes_that_do_not_suit_are_refused() {
        let refusal = |name, shape: &[u32]| {
            Pattern::derived(name, &Numbering { shape: shape.to_vec(), lattice: None, group: None }).err()
        };
        assert_eq!(refusal("shuffle", &[3, 4]), Some(PatternError::NotBinary { name: "shuffle", nodes: 12 }));
        assert_eq!(refusal("transpose", &[2, 4]), Some(PatternError::NotSquare));
        assert_eq!(refusal("tornado", &[16]), Some(PatternError::NoCoordinates("tornado")));
        assert_eq!(refusal("neighbor", &[16]), Some(PatternError::NoCoordinates("neighbor")));
    }

    #[test]
    fn every_fixed_pattern_is_a_permutation() {
        for name in ["transpose", "bit-complement", "bit-reverse", "shuffle", "tornado", "neighbor"] {
            let mut to = destinations(name, &[8, 8]);
            to.sort_unstable();
            assert!(to.into_iter().eq(0..64), "{name}");
        }
    }
}
