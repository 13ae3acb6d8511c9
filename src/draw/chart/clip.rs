//! Lines within a rectangle.

use crate::draw::canvas::Spot;

/// A rectangle, in pixels.
#[derive(Clone, Copy, Debug)]
pub(super) struct Window {
    pub(super) left: f64,
    pub(super) right: f64,
    pub(super) top: f64,
    pub(super) bottom: f64,
}

/// Rounding of places may put a point on the border just outside.
const SLACK: f64 = 0.01;

impl Window {
    /// True if `spot` is in it, borders included.
    pub(super) fn contains(&self, spot: Spot) -> bool {
        (self.left - SLACK..=self.right + SLACK).contains(&spot.x)
            && (self.top - SLACK..=self.bottom + SLACK).contains(&spot.y)
    }

    /// The part of the line between two places that is in it, by the algorithm of Liang and Barsky (*A new concept and method
    /// for line clipping*, ACM TOG 3(1), 1984).
    pub(super) fn clip(&self, from: Spot, to: Spot) -> Option<[Spot; 2]> {
        let right = to.x - from.x;
        let down = to.y - from.y;
        let sides = [
            (-right, from.x - self.left),
            (right, self.right - from.x),
            (-down, from.y - self.top),
            (down, self.bottom - from.y),
        ];
        let mut start = 0.0_f64;
        let mut end = 1.0_f64;
        for (towards, distance) in sides {
            if towards < 0.0 {
                start = start.max(distance / towards);
            } else if towards > 0.0 {
                end = end.min(distance / towards);
            } else if distance < -SLACK {
                return None;
            }
        }
        (start <= end).then(|| [start, end].map(|part| from.moved(part * right, part * down)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_end_at_the_border() {
        let window = Window { left: 0.0, right: 10.0, top: 0.0, bottom: 10.0 };
        let spot = |x, y| Spot { x, y };
        assert_eq!(window.clip(spot(5.0, 5.0), spot(5.0, -5.0)), Some([spot(5.0, 5.0), spot(5.0, 0.0)]));
        assert_eq!(window.clip(spot(-5.0, 5.0), spot(15.0, 5.0)), Some([spot(0.0, 5.0), spot(10.0, 5.0)]));
        assert_eq!(window.clip(spot(-5.0, 5.0), spot(-1.0, 9.0)), None);
        assert_eq!(window.clip(spot(2.0, 20.0), spot(8.0, 20.0)), None);
    }
}
