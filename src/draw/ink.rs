//! The palette: colours and dashes that distinguish the lines of a picture, in print without colour as well.

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

/// A colour of the palette, on light and on dark paper.
struct Shade {
    light: Rgb,
    dark: Rgb,
}

const fn shade(light: (u8, u8, u8), dark: (u8, u8, u8)) -> Shade {
    Shade { light: Rgb(light.0, light.1, light.2), dark: Rgb(dark.0, dark.1, dark.2) }
}

/// The one palette of curves and diagrams. The first four are those of Okabe and Ito (*Color Universal Design*, 2008) that are
/// dark enough for lines; all have a contrast of 3 : 1 or more to their paper.
const PALETTE: [Shade; COLOURS] = [
    shade((0, 114, 178), (86, 180, 233)),
    shade((213, 94, 0), (240, 136, 62)),
    shade((0, 158, 115), (47, 199, 155)),
    shade((204, 121, 167), (227, 159, 198)),
    shade((125, 95, 0), (217, 180, 74)),
    shade((136, 34, 85), (214, 92, 138)),
    shade((90, 90, 90), (150, 156, 163)),
    shade((21, 23, 26), (232, 234, 237)),
];

/// Number of colours of the palette.
pub(super) const COLOURS: usize = 8;

/// Pixels of dashes and gaps in turn; none for a solid line. Their number and that of the colours have no common
/// factor, so that all of 40 lines look different.
const DASHES: [&str; 5] = ["", "9 4", "3 3", "14 4 3 4", "5 2"];

/// The colour of the `at`-th of several lines of a diagram: black first, then the palette.
pub(super) const fn colour(at: usize) -> Rgb {
    match at % COLOURS {
        0 => Rgb::BLACK,
        at => PALETTE[at - 1].light,
    }
}

/// The dashes of the `at`-th of several lines, as `stroke-dasharray` takes them; empty for a solid line.
pub(super) const fn dashes(at: usize) -> &'static str {
    DASHES[at % DASHES.len()]
}

/// Style rules for the classes `c0` to `c7` of curves, below elements that `scope` selects: first on light paper, then on
/// dark paper where the surroundings are dark.
pub(crate) fn curve_rules(scope: &str) -> [String; 2] {
    let rules = |colour: fn(&Shade) -> Rgb| {
        PALETTE.iter().enumerate().map(|(at, shade)| rule(scope, at, colour(shade))).collect::<String>()
    };
    [rules(|shade| shade.light), rules(|shade| shade.dark)]
}

fn rule(scope: &str, at: usize, colour: Rgb) -> String {
    format!("{scope}.c{at}.line,{scope}.c{at}.bar{{stroke:{colour}}}{scope}.c{at}.mark{{fill:{colour}}}\n")
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn lines_look_different() {
        let looks: BTreeSet<_> = (0..40).map(|at| (colour(at), dashes(at))).collect();
        assert_eq!(looks.len(), 40);
        assert_eq!((colour(1).to_string().as_str(), dashes(0)), ("#0072b2", ""));
    }
}
