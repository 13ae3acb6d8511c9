//! Points of several curves in one category, side by side so that they do not hide each other.

use super::Curve;

/// The part of the width between two categories that all curves take.
const TAKEN: f64 = 0.6;

/// Moves the points of `curves`, whose x are indices of names, to the left and right of them.
#[expect(clippy::cast_precision_loss, reason = "curves are few")]
pub(super) fn dodge(curves: &mut [Curve]) {
    let apart = TAKEN / curves.len() as f64;
    let names: Vec<Vec<f64>> = curves.iter().map(|curve| curve.points.iter().map(|point| point.x).collect()).collect();
    for (number, curve) in curves.iter_mut().enumerate() {
        for point in &mut curve.points {
            let is_here = |names: &&Vec<f64>| names.iter().any(|name| name.total_cmp(&point.x).is_eq());
            let before = names[..number].iter().filter(is_here).count();
            let middle = (names.iter().filter(is_here).count() as f64 - 1.0) / 2.0;
            point.x += (before as f64 - middle) * apart;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::draw::chart::Point;

    #[test]
    fn only_curves_that_share_a_name_make_room() {
        let curve = |xs: &[f64]| Curve { series: 0, points: xs.iter().map(|&x| Point::new(x, 1.0)).collect() };
        let mut curves = [curve(&[0.0, 1.0]), curve(&[1.0])];
        dodge(&mut curves);
        let xs = curves.map(|curve| curve.points.iter().map(|point| point.x).collect::<Vec<_>>());
        assert_eq!(xs, [vec![0.0, 0.85], vec![1.15]]);
    }
}
