//! How the lines of a picture are told apart: by colours that are dark enough to be read in black and white, and by
//! dashes.

use std::fmt;

/// A colour: red, green and blue, from 0 to 255 each.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Rgb(pub(super) u8, pub(super) u8, pub(super) u8);

impl Rgb {
    pub(super) const BLACK: Self = Self(0, 0, 0);
    pub(super) const WHITE: Self = Self(255, 255, 255);
    /// Just darker than paper.
    pub(super) const PALE: Self = Self(222, 222, 222);
    pub(super) const GREY: Self = Self(170, 170, 170);

    /// So many hundredths of it on white paper.
    pub(super) fn thinned(self, hundredths: usize) -> Self {
        let thin = |part: u8| {
            let light = (255 - usize::from(part)) * hundredths.min(100) / 100;
            255 - u8::try_from(light).unwrap_or(u8::MAX) // no more than 255
        };
        Self(thin(self.0), thin(self.1), thin(self.2))
    }
}

impl fmt::Display for Rgb {
    /// As SVG spells it: `#005aa0`.
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "#{:02x}{:02x}{:02x}", self.0, self.1, self.2)
    }
}

const COLOURS: [Rgb; 7] = [
    Rgb::BLACK,
    Rgb(0, 90, 160),
    Rgb(190, 60, 0),
    Rgb(0, 110, 80),
    Rgb(130, 50, 120),
    Rgb(90, 90, 90),
    Rgb(125, 95, 0),
];

/// Pixels of dashes and gaps in turn; none for a whole line. Their number and that of the colours have no common
/// factor, so that all of 28 lines look different.
const DASHES: [&str; 4] = ["", "9 5", "3 4", "14 4"];

/// The colour of the `at`-th of several lines; black of the first.
pub(super) const fn colour(at: usize) -> Rgb {
    COLOURS[at % COLOURS.len()]
}

/// The dashes of the `at`-th of several lines, as `stroke-dasharray` takes them; empty for a whole line.
pub(super) const fn dashes(at: usize) -> &'static str {
    DASHES[at % DASHES.len()]
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn lines_look_different() {
        let looks: BTreeSet<_> = (0..28).map(|at| (colour(at), dashes(at))).collect();
        assert_eq!(looks.len(), 28);
        assert_eq!((colour(1).to_string().as_str(), dashes(0)), ("#005aa0", ""));
    }
}
