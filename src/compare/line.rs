//! Lines of a comparison: groups of both runs that match, and those that only one of them has.

use super::rows::{Group, Place};
use super::test::{Tested, holm};
use rustc_hash::FxHashMap;

/// A column of an algorithm at a point that is in both runs.
#[derive(Clone, Debug, PartialEq)]
pub struct Line {
    /// Where it stands.
    pub place: Place,
    /// The column.
    pub column: String,
    /// What comes of comparing both.
    pub tested: Tested,
}

/// An algorithm at a point that only one of the runs has.
#[derive(Clone, Debug, PartialEq)]
pub struct Only {
    /// Where it stands.
    pub place: Place,
    /// Whether it is A that has it.
    pub of_a: bool,
    /// Of each column that is compared, its mean on that side.
    pub tested: Vec<Tested>,
}

/// The lines of groups that match, in the order of `a`, with p corrected over all of them.
pub(super) fn lines(a: &[Group<'_>], b: &[Group<'_>], columns: &[String]) -> Vec<Line> {
    let others: FxHashMap<Vec<String>, &Group<'_>> = b.iter().map(|group| (group.identity(), group)).collect();
    let mut lines = Vec::new();
    for group in a {
        let Some(other) = others.get(&group.identity()) else { continue };
        for column in columns {
            let tested = Tested::new(&group.values(column), &other.values(column));
            lines.push(Line { place: group.place.clone(), column: column.clone(), tested });
        }
    }
    correct(&mut lines);
    lines
}

fn correct(lines: &mut [Line]) {
    let with_p = lines.iter_mut().filter(|line| line.tested.p.is_some());
    let tested: Vec<&mut Tested> = with_p.map(|line| &mut line.tested).collect();
    let ps: Vec<f64> = tested.iter().filter_map(|tested| tested.p).collect();
    for (tested, p) in tested.into_iter().zip(holm(&ps)) {
        tested.p_holm = Some(p);
    }
}

/// The groups that only one of the runs has, with the means of `columns`.
pub(super) fn only(a: &[Group<'_>], b: &[Group<'_>], columns: &[String]) -> Vec<Only> {
    let mut only = lacking(a, b, columns, true);
    only.extend(lacking(b, a, columns, false));
    only
}

/// The groups of `have` that are not among `others`.
fn lacking(have: &[Group<'_>], others: &[Group<'_>], columns: &[String], of_a: bool) -> Vec<Only> {
    let known: rustc_hash::FxHashSet<Vec<String>> = others.iter().map(Group::identity).collect();
    let tested = |group: &Group<'_>, column: &String| match of_a {
        true => Tested::new(&group.values(column), &[]),
        false => Tested::new(&[], &group.values(column)),
    };
    let only = |group: &Group<'_>| Only {
        place: group.place.clone(),
        of_a,
        tested: columns.iter().map(|column| tested(group, column)).collect(),
    };
    have.iter().filter(|group| !known.contains(&group.identity())).map(only).collect()
}
