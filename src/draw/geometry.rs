//! Whether things on paper meet: rectangles and lines. It refuses to know what they stand for.

use super::sheet::At;

/// A rectangle: its upper left and its lower right corner.
pub(super) type Bounds = (At, At);

/// The rectangle of so many pixels around `at`.
pub(super) fn around((x, y): At, (wide, high): At) -> Bounds {
    let corner = (x - wide / 2, y - high / 2);
    (corner, (corner.0 + wide, corner.1 + high))
}

pub(super) fn overlap(one: Bounds, other: Bounds) -> bool {
    let beside = one.1.0 < other.0.0 || other.1.0 < one.0.0;
    let above = one.1.1 < other.0.1 || other.1.1 < one.0.1;
    !beside && !above
}

/// Whether the line from `a` to `b` touches `bounds`.
pub(super) fn touches((least, most): Bounds, [a, b]: [At; 2]) -> bool {
    // the part of the line, from 0 to 1, that is within the bounds in either direction (Liang and Barsky)
    let mut from = 0.0_f64;
    let mut to = 1.0_f64;
    for (start, end, low, high) in [(a.0, b.0, least.0, most.0), (a.1, b.1, least.1, most.1)] {
        let along = f64::from(end - start);
        if start == end {
            if start < low || start > high {
                return false;
            }
            continue;
        }
        let ends = [low, high].map(|edge| f64::from(edge - start) / along);
        from = from.max(ends[0].min(ends[1]));
        to = to.min(ends[0].max(ends[1]));
    }
    from <= to
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_touch_rectangles() {
        let bounds = ((10, 10), (20, 20));
        for (line, expected) in [
            ([(0, 0), (30, 30)], true),
            ([(0, 15), (9, 15)], false),
            ([(0, 15), (12, 15)], true),
            ([(0, 12), (12, 0)], false),
            ([(15, 0), (15, 30)], true),
            ([(21, 0), (21, 30)], false),
            ([(12, 12), (14, 18)], true),
        ] {
            assert_eq!(touches(bounds, line), expected, "{line:?}");
        }
        assert!(overlap(bounds, around((22, 15), (4, 4))));
        assert!(!overlap(bounds, around((23, 15), (4, 4))));
    }
}
