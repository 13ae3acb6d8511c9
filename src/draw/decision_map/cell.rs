//! A cell of a decision map: its colours, and the words on it.

use super::legend::Tally;
use super::{Decision, Look, Map, margin, tied_name};
use crate::draw::canvas::{Lettering, Surface};
use crate::draw::ink::Rgb;
use crate::draw::sheet::{At, NORMAL, SMALL, Shape};
use crate::draw::text::{Side, number, significant};

/// Light colours that are told apart in normal and in colour-blind vision, for cells with dark words on them: the `light`
/// scheme of Paul Tol (*Colour schemes*, SRON/EPS/TN/09-002, 2021), and two more.
const COLOURS: [Rgb; 10] = [
    Rgb(119, 170, 221),
    Rgb(238, 136, 102),
    Rgb(238, 221, 136),
    Rgb(68, 187, 153),
    Rgb(255, 170, 187),
    Rgb(153, 221, 255),
    Rgb(187, 204, 51),
    Rgb(170, 170, 0),
    Rgb(195, 165, 216),
    Rgb(210, 180, 140),
];

/// Margins from which colours are stronger, with how many hundredths of a colour are left.
pub(super) const STRENGTHS: [(f64, u16); 4] = [(0.0, 35), (0.02, 58), (0.1, 79), (0.3, 100)];
/// Hundredths of the colours of those that are tied.
const TIED: u16 = 50;
/// As many colours make stripes; cells of more that are tied have the other colour.
pub(super) const MOST_STRIPES: usize = 3;
pub(super) const MANY: Rgb = Rgb::PALE;
/// Pixels along a side from one stripe to the next.
const STRIPE: i32 = 8;
/// Of the margin below the name.
const FAINT: Rgb = Rgb(60, 60, 60);
/// Of cells in which there is nothing to compare.
pub(super) const NOTHING: Surface = Surface { fill: Rgb::WHITE, border: Some(Rgb::PALE) };

/// The colour of each candidate that is best somewhere; those that win alone come first.
pub(super) fn colours(tallies: &[Tally]) -> Vec<Option<Rgb>> {
    let of_kind = |wins: bool| {
        let is = move |at: &usize| tallies[*at].is_best_somewhere() && (tallies[*at].alone > 0) == wins;
        (0..tallies.len()).filter(is)
    };
    let mut colours = vec![None; tallies.len()];
    for (at, candidate) in of_kind(true).chain(of_kind(false)).enumerate() {
        colours[candidate] = Some(COLOURS[at % COLOURS.len()]);
    }
    colours
}

/// So many `hundredths` of `colour` on white.
pub(super) fn tinted(colour: Rgb, hundredths: u16) -> Rgb {
    #[expect(clippy::cast_possible_truncation, reason = "hundredths are at most 100, so it is at most 255")]
    let tint = |part: u8| 255 - (u16::from(255 - part) * hundredths / 100) as u8;
    Rgb(tint(colour.0), tint(colour.1), tint(colour.2))
}

/// How strong a colour is at a margin.
fn strength(margin: f64) -> u16 {
    STRENGTHS.iter().rev().find(|(from, _)| margin >= *from).map_or(100, |(_, strength)| *strength)
}

/// The cell of `decision` with its upper left corner at `corner`.
pub(super) fn shape(decision: Option<&Decision>, look: &Look, corner: At) -> Shape {
    let end = (corner.0 + look.cell.0, corner.1 + look.cell.1);
    let Some(decision) = decision else {
        return Shape::Block { from: corner, to: end, surface: NOTHING };
    };
    let mut shapes = filling(decision, look, [corner, end]);
    let [first, second] = words(decision, look);
    let middle = (corner.0 + end.0) / 2;
    let name = Lettering { size: NORMAL, side: Side::Middle, colour: Rgb::BLACK };
    let below = if decision.tied > 1 { name } else { Lettering { size: SMALL, colour: FAINT, ..name } };
    shapes.push(Shape::Text { at: (middle, corner.1 + 12), lettering: name, text: first });
    shapes.push(Shape::Text { at: (middle, corner.1 + 27), lettering: below, text: second });
    Shape::Group(shapes)
}

/// The colour of the winner, or stripes of the colours of all that are tied.
fn filling(decision: &Decision, look: &Look, [from, to]: [At; 2]) -> Vec<Shape> {
    let colours: Vec<Rgb> = decision.first_place().into_iter().filter_map(|at| look.colours[at]).collect();
    match colours[..] {
        [colour] => {
            let surface = Surface::plain(tinted(colour, decision.margin().map_or(100, strength)));
            vec![Shape::Block { from, to, surface }]
        }
        ref several if several.len() <= MOST_STRIPES => stripes([from, to], several),
        _ => vec![Shape::Block { from, to, surface: Surface::plain(MANY) }],
    }
}

/// Pale stripes in turn of `colours` over all between two corners, which go up from left to right. White is between them:
/// in print without colour, some colours are alike.
///
/// A stripe is what is between two diagonals: places that are `along` pixels from the upper left corner, to the right and
/// down together.
/// ```text
///   +---/---/--+     a stripe has up to six corners: two where each diagonal enters and leaves the rectangle,
///   |  /   /   |     and the upper right and the lower left corner, if they are between the diagonals
///   +-/---/----+
/// ```
pub(super) fn stripes([from, to]: [At; 2], colours: &[Rgb]) -> Vec<Shape> {
    let wide = to.0 - from.0;
    let high = to.1 - from.1;
    let upper = |along: i32| (from.0 + along.min(wide), from.1 + (along - wide).max(0));
    let lower = |along: i32| (from.0 + (along - high).max(0), from.1 + along.min(high));
    let in_turn = colours.iter().flat_map(|colour| [tinted(*colour, TIED), Rgb::WHITE]);
    let starts = (0..wide + high).step_by(usize::try_from(STRIPE).unwrap_or(1));
    let stripe = |(start, colour): (i32, Rgb)| {
        let end = (start + STRIPE).min(wide + high);
        let mut corners = vec![upper(start)];
        corners.extend((start < wide && wide < end).then_some((to.0, from.1)));
        corners.extend([upper(end), lower(end)]);
        corners.extend((start < high && high < end).then_some((from.0, to.1)));
        corners.push(lower(start));
        Shape::Polygon { corners, surface: Surface::plain(colour) }
    };
    starts.zip(in_turn.cycle()).map(stripe).collect()
}

/// The two lines on a cell: who is best, and by how much, or who is tied with it.
pub(super) fn words(decision: &Decision, look: &Look) -> [String; 2] {
    let first = decision.first_place();
    let name = |at: &usize| look.short[*at].clone();
    let second = match first[..] {
        [_, ref other] => tied_name(&name(other)),
        [_, _, _, ..] => format!("= {} more", first.len() - 1),
        _ => decision.margin().map_or_else(|| "alone".to_owned(), percent),
    };
    [first.first().map(name).unwrap_or_default(), second]
}

/// A margin in a few letters: `+3.4 %`, `+34 %`, or how many times as much, from ten times on: `×12`.
pub(super) fn percent(margin: f64) -> String {
    if margin.is_infinite() {
        return "×∞".to_owned();
    }
    match margin * 100.0 {
        small if small < 9.95 => format!("+{small:.1} %"),
        percent if percent < 900.0 => format!("+{percent:.0} %"),
        _ => format!("×{}", number(1.0 + margin, 0)),
    }
}

/// What a cell says to who points at it: where it is, and what every candidate comes to there.
pub(super) fn tip(map: &Map, decision: Option<&Decision>, [column, row]: [&str; 2]) -> String {
    let [x, y] = &map.labels;
    let place = format!("{x}: {column}; {y}: {row}");
    let Some(decision) = decision else { return format!("{place}; nothing to compare") };
    let least = decision.ranking.first().map_or(0.0, |best| best.value);
    let all = decision.ranking.iter().enumerate().map(|(at, ranked)| {
        let above = if at == 0 { String::new() } else { format!(" ({})", percent(margin(least, ranked.value))) };
        format!("{} {}{above}", map.candidates[ranked.candidate], significant(ranked.value))
    });
    format!("{place}; {}: {}", map.value, all.collect::<Vec<_>>().join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn margins_are_short() {
        for (margin, expected) in [
            (0.0, "+0.0 %"),
            (0.0342, "+3.4 %"),
            (0.0996, "+10 %"),
            (0.344, "+34 %"),
            (8.99, "+899 %"),
            (9.0, "×10"),
            (1234.0, "×1,235"),
            (f64::INFINITY, "×∞"),
        ] {
            assert_eq!(percent(margin), expected);
        }
    }

    /// Stripes cover the rectangle, and nothing twice: their areas are those of the rectangle together.
    #[test]
    fn stripes_cover_a_rectangle() {
        let doubled_area = |corners: &[At]| -> i32 {
            let next = corners.iter().cycle().skip(1);
            corners.iter().zip(next).map(|(a, b)| a.0 * b.1 - b.0 * a.1).sum::<i32>().abs()
        };
        for (wide, high) in [(60, 38), (38, 60), (40, 40), (9, 9), (5, 30)] {
            let stripes = stripes([(7, 3), (7 + wide, 3 + high)], &[Rgb::BLACK, Rgb::GREY]);
            let areas = stripes.iter().map(|shape| match shape {
                Shape::Polygon { corners, .. } => doubled_area(corners),
                _ => 0,
            });
            assert_eq!(areas.sum::<i32>(), 2 * wide * high, "{wide} by {high}");
        }
    }

    #[test]
    fn colours_are_the_stronger_the_larger_the_margin_is() {
        let tints = [0.0, 0.05, 0.2, 2.0].map(|margin| tinted(COLOURS[0], strength(margin)));
        assert!(tints.windows(2).all(|pair| pair[0].0 > pair[1].0), "{tints:?}");
        assert_eq!(tints[3], COLOURS[0]);
    }
}
