//! What is known of a network without a search: its diameter, the sum of its distances, its bisection.
//!
//! Distances are links of shortest paths between the routers of nodes, whatever the routing. The formulas of meshes and tori
//! are those of textbooks (Dally and Towles, *Principles and Practices of Interconnection Networks*, 2004, sections 3.2 and 5.2);
//! those of other networks stand where these are described. Tests compare all of them with a search.

/// A network's closed forms.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ClosedForm {
    /// Links between the two nodes that are farthest from each other.
    pub diameter: u64,
    /// The sum of distances over all ordered pairs of different nodes, if there is a form for it.
    pub distance_sum: Option<u128>,
    /// Links that flow from the lower half of the nodes to the upper half can use at once, one way; none where there are no
    /// halves or no form. Along a shape the halves are those of the first dimension.
    pub bisection: Option<u64>,
}

impl ClosedForm {
    /// The same network with so many nodes a router.
    pub(super) fn with_concentration(self, concentration: u64) -> Option<Self> {
        let pairs = u128::from(concentration).checked_pow(2)?;
        let distance_sum = self.distance_sum.map(|sum| sum.checked_mul(pairs));
        match distance_sum {
            Some(None) => None,
            sum => Some(Self { distance_sum: sum.flatten(), ..self }),
        }
    }
}

/// Of a torus of such a `shape` with one node a router, whose links lead one way along the dimensions that `one_way` names, in
/// which a missing one does not.
pub(super) fn torus(shape: &[u64], one_way: &[bool]) -> Option<ClosedForm> {
    let both = lattice(shape, true)?;
    let routers = shape.iter().try_fold(1_u128, |product, &side| product.checked_mul(side.into()))?;
    let mut diameter = both.diameter;
    let mut distance_sum = both.distance_sum?;
    for (&side, _) in shape.iter().zip(one_way).filter(|(_, one_way)| **one_way) {
        // all the way round instead of half of it
        diameter = diameter.checked_add(side - 1 - side / 2)?;
        let side = u128::from(side);
        let more = side * (side * (side - 1) / 2) - side * (side * side / 4);
        distance_sum = distance_sum.checked_add((routers / side).checked_pow(2)?.checked_mul(more)?)?;
    }
    let halved = one_way.first() == Some(&true);
    let bisection = both.bisection.map(|links| if halved { links / 2 } else { links });
    Some(ClosedForm { diameter, distance_sum: Some(distance_sum), bisection })
}

/// Of a lattice of such a `shape` with one node a router, a mesh or, if it `wraps`, a torus with links both ways.
pub(super) fn lattice(shape: &[u64], wraps: bool) -> Option<ClosedForm> {
    let routers = shape.iter().try_fold(1_u128, |product, &side| product.checked_mul(side.into()))?;
    let mut diameter = 0_u64;
    let mut distance_sum = 0_u128;
    for &side in shape {
        diameter = diameter.checked_add(if wraps { side / 2 } else { side - 1 })?;
        let side = u128::from(side);
        let others = routers / side;
        // ordered pairs of two coordinates: each distance round a ring of `side`, or along a line
        let along = if wraps { side * (side * side / 4) } else { (side.pow(3) - side) / 3 };
        distance_sum = distance_sum.checked_add(others.checked_pow(2)?.checked_mul(along)?)?;
    }
    let first = shape.first().copied().filter(|first| first.is_multiple_of(2));
    let bisection = first.and_then(|first| {
        let cut = routers / u128::from(first);
        u64::try_from(if wraps { 2 * cut } else { cut }).ok()
    });
    Some(ClosedForm { diameter, distance_sum: Some(distance_sum), bisection })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lattices_have_the_diameters_sums_and_bisections_of_a_search() {
        for (shape, wraps, diameter, distance_sum, bisection) in [
            (&[8, 8][..], false, 14, 21504, Some(8)),
            (&[4, 4], true, 4, 512, Some(8)),
            (&[4, 4, 8], true, 8, 65536, Some(64)),
            (&[2, 2, 2], false, 3, 96, Some(4)),
            (&[3, 1], true, 1, 6, None),
        ] {
            let expected = ClosedForm { diameter, distance_sum: Some(distance_sum), bisection };
            assert_eq!(lattice(shape, wraps), Some(expected), "{shape:?}");
        }
    }

    #[test]
    fn what_is_too_large_to_count_has_no_form() {
        assert_eq!(lattice(&[u64::MAX; 3], false), None);
    }
}
