//! Whether a claim is true of a table: what was measured, and the verdict.
//!
//! A verdict follows from the table and the claim alone. A claim about no rows at all is an error, not a truth.

use super::data::{Data, FigureFile, Scope};
use crate::config::{Condition, Diagnostic, Operand};
use crate::kind::words::counted;
use crate::scenario::{COURSES, Claim, Course, Figure, Printed, Test};
use std::collections::BTreeMap;

/// What became of a claim.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Verdict {
    /// It is true.
    Holds,
    /// It is not.
    Fails,
    /// It cannot be told.
    Irreproducible,
}

impl Verdict {
    /// The verdict in words.
    pub fn in_words(self) -> &'static str {
        match self {
            Self::Holds => "holds",
            Self::Fails => "fails",
            Self::Irreproducible => "cannot be reproduced",
        }
    }
}

/// A verdict and what it rests on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Judgement {
    /// The verdict.
    pub verdict: Verdict,
    /// What was measured, in words.
    pub measured: String,
}

/// Judges every claim of `figure` by its `files`; `axes` are the swept keys of the scenario.
///
/// # Errors
/// If a claim reads a column that is not there, is about no rows, or prints another number of values than there are
/// rows; with the place in the scenario.
pub fn judge(figure: &Figure, files: &[FigureFile], axes: &[&str]) -> Result<Vec<Judgement>, Diagnostic> {
    figure.claims.iter().map(|claim| judge_one(claim, files, axes)).collect()
}

fn judge_one(claim: &Claim, files: &[FigureFile], axes: &[&str]) -> Result<Judgement, Diagnostic> {
    let wrong = |message: String| Diagnostic::at(claim.place.clone(), message);
    if let Test::Irreproducible(why) = &claim.test {
        return Ok(Judgement { verdict: Verdict::Irreproducible, measured: why.clone() });
    }
    let file = files.iter().find(|(table, _)| *table == claim.table);
    let text = file.map(|(_, text)| text.as_str()).unwrap_or_default();
    let data =
        Data::parse(text, axes).map_err(|error| wrong(format!("the table of this claim is not CSV: {error}")))?;
    let scopes = about(claim, &data)?;
    let mut judgement = match &claim.test {
        Test::Holds(condition) => everywhere(condition, &scopes)?,
        Test::Values { value, printed, tolerance, spread } => {
            let values = Values { value, spread: spread.as_ref(), printed, tolerance: *tolerance };
            values.judge(&scopes)?
        }
        Test::Course { value, along, course, tolerance } => {
            let alien = || wrong(format!("`{}` is not a swept key", along.name));
            course_along(value, &along.name, &scopes, alien)?.judge(*course, *tolerance)
        }
        Test::Irreproducible(_) => Judgement { verdict: Verdict::Irreproducible, measured: String::new() },
    };
    if let Some(show) = &claim.show {
        let numbers: Vec<f64> = scopes.iter().map(|scope| show.number(&scope.columns)).collect::<Result<_, _>>()?;
        let (least, most) = extent(&numbers);
        let range =
            if short(least) == short(most) { short(least) } else { format!("{} to {}", short(least), short(most)) };
        judgement.measured = format!("{range}; {}", judgement.measured);
    }
    Ok(judgement)
}

/// The rows, or points, that `claim` is about, if there are any, and as many as values are printed.
pub(super) fn about(claim: &Claim, data: &Data) -> Result<Vec<Scope>, Diagnostic> {
    let wrong = |message: String| Diagnostic::at(claim.place.clone(), message);
    let scopes = data.chosen(&claim.formulas(), claim.only.as_ref())?;
    if scopes.is_empty() {
        return Err(wrong("the claim selects no row of its table".to_owned()));
    }
    match &claim.test {
        Test::Values { printed, .. } if printed.len() != 1 && printed.len() != scopes.len() => {
            let message = format!(
                "the claim prints {}, but selects {}",
                counted(printed.len() as u64, "value"),
                counted(scopes.len() as u64, "row")
            );
            Err(wrong(message).hint("`filter` selects the rows"))
        }
        _ => Ok(scopes),
    }
}

/// The verdict of whether something holds at each of `of` places, of which `wrong` are those where it does not.
fn verdict(wrong: usize) -> Verdict {
    if wrong == 0 { Verdict::Holds } else { Verdict::Fails }
}

fn everywhere(condition: &Condition, scopes: &[Scope]) -> Result<Judgement, Diagnostic> {
    let mut failing = Vec::new();
    for scope in scopes {
        if !condition.holds(&scope.columns)? {
            failing.push(scope.place());
        }
    }
    let (n, right) = (scopes.len(), scopes.len() - failing.len());
    let measured = match failing.first() {
        None if n == 1 => "holds".to_owned(),
        None => format!("holds at all {n} points"),
        Some(_) if n == 1 => "fails".to_owned(),
        Some(first) => format!("holds at {right} of {n} points; fails at {first}{}", more(failing.len())),
    };
    Ok(Judgement { verdict: verdict(failing.len()), measured })
}

fn more(found: usize) -> String {
    if found > 1 { format!(" and {} more", found - 1) } else { String::new() }
}

/// Values beside those that are printed.
struct Values<'a> {
    value: &'a Condition,
    spread: Option<&'a Condition>,
    printed: &'a [Printed],
    tolerance: f64,
}

/// As many values are told one by one.
const TOLD: usize = 9;
/// Bytes that they may take together.
const LONGEST: usize = 200;

impl Values<'_> {
    fn judge(&self, scopes: &[Scope]) -> Result<Judgement, Diagnostic> {
        let (mut told, mut wrong, mut farthest) = (Vec::new(), 0, (0.0, String::new()));
        for (at, scope) in scopes.iter().enumerate() {
            let printed = &self.printed[if self.printed.len() == 1 { 0 } else { at }];
            let found = self.value.value(&scope.columns)?;
            let spread = self.spread.map(|spread| spread.number(&scope.columns)).transpose()?;
            let (text, off) = compared(&found, printed, spread);
            let Off { relative, absolute } = off;
            let allowed = spread.unwrap_or(0.0) * 2.0;
            // values in tables have three decimals, and what is computed of them no more
            let agrees = relative <= self.tolerance + 1e-12 || absolute <= allowed;
            wrong += usize::from(!agrees);
            if relative > farthest.0 {
                let name = scope.place();
                let place = if name.is_empty() { String::new() } else { format!(" at {name}") };
                // texts are long, and none is farther off than another
                let pair =
                    if relative.is_finite() { format!("{text} for {}", printed.in_words()) } else { String::new() };
                farthest = (relative, format!("{pair}{place}"));
            }
            told.push(text);
        }
        let n = scopes.len();
        if told.iter().all(|text| *text == told[0]) {
            told.truncate(1);
        }
        let told = if told.len() <= TOLD { told.join(", ") } else { String::new() };
        let list = if told.len() <= LONGEST { told } else { String::new() };
        let count = if n > 1 { format!("{} of {n} agree", n - wrong) } else { String::new() };
        let farthest = match farthest {
            (off, _) if off == 0.0 || n == 1 => String::new(),
            (off, place) if off.is_infinite() => format!("differs{place}"),
            (_, pair) => format!("largest deviation: {pair}"),
        };
        let parts: Vec<String> = [list, count, farthest].into_iter().filter(|part| !part.is_empty()).collect();
        Ok(Judgement { verdict: verdict(wrong), measured: parts.join("; ") })
    }
}

/// How far a value is from the printed one.
struct Off {
    relative: f64,
    absolute: f64,
}

/// What was found, in words, and how far off it is.
fn compared(found: &Operand, printed: &Printed, spread: Option<f64>) -> (String, Off) {
    let infinite = Off { relative: f64::INFINITY, absolute: f64::INFINITY };
    match (found, printed) {
        (Operand::Number(found), Printed::Number(printed)) => {
            let absolute = (found - printed).abs();
            let relative = if absolute == 0.0 { 0.0 } else { absolute / printed.abs() };
            let spread = spread.map_or_else(String::new, |spread| format!(" ± {}", short(spread)));
            (format!("{}{spread}", short(*found)), Off { relative, absolute })
        }
        (Operand::Text(found), Printed::Text(printed)) if found == printed => {
            (found.clone(), Off { relative: 0.0, absolute: 0.0 })
        }
        (Operand::Text(found), _) => (found.clone(), infinite),
        (Operand::Number(found), _) => (short(*found), infinite),
        (Operand::Boolean(found), _) => (found.to_string(), infinite),
        (Operand::List(_), _) => ("an array".to_owned(), infinite),
    }
}

impl Printed {
    fn in_words(&self) -> String {
        match self {
            Self::Number(value) => short(*value),
            Self::Text(text) => text.clone(),
        }
    }
}

/// The numbers of the column that curves run along, and the values there; by what else the curves are of.
struct Curves(BTreeMap<String, Vec<(f64, f64)>>);

/// The curves of `value` along the swept key `along`; `alien` is what is wrong if it is none.
fn course_along(
    value: &Condition,
    along: &str,
    scopes: &[Scope],
    alien: impl Fn() -> Diagnostic,
) -> Result<Curves, Diagnostic> {
    let mut curves: BTreeMap<String, Vec<(f64, f64)>> = BTreeMap::new();
    for scope in scopes {
        let (mut others, mut x) = (scope.clone(), None);
        others.settings.retain(|(key, text)| {
            if key == along {
                x = text.parse::<f64>().ok();
            }
            key != along
        });
        let x = x.ok_or_else(&alien)?;
        curves.entry(others.place()).or_default().push((x, value.number(&scope.columns)?));
    }
    curves.values_mut().for_each(|curve| curve.sort_by(|a, b| a.0.total_cmp(&b.0)));
    Ok(Curves(curves))
}

impl Curves {
    fn judge(&self, course: Course, tolerance: f64) -> Judgement {
        let mut failing = Vec::new();
        let mut worst = 0.0_f64;
        for (name, curve) in &self.0 {
            let largest = curve.iter().map(|(_, y)| y.abs()).fold(0.0, f64::max);
            let off = off_course(curve, course) / largest.max(f64::MIN_POSITIVE);
            worst = worst.max(off);
            if off > tolerance + 1e-12 {
                failing.push(name);
            }
        }
        let ends: Vec<f64> = self.0.values().flat_map(|curve| [curve[0].1, curve[curve.len() - 1].1]).collect();
        let n = self.0.len();
        let course = COURSES.iter().find(|(_, known)| *known == course).map_or("", |(name, _)| name);
        let path = if n == 1 { format!("{} to {}; ", short(ends[0]), short(ends[1])) } else { String::new() };
        let off = if worst > 0.0 { format!(", deviation at most {:.2} %", 100.0 * worst) } else { String::new() };
        let first = failing.first().filter(|_| n > 1).map_or_else(String::new, |first| format!("; fails at {first}"));
        let curves = counted(n as u64, "curve");
        let measured = format!("{path}{course} in {} of {curves}{off}{first}", n - failing.len());
        Judgement { verdict: verdict(failing.len()), measured }
    }
}

/// How far `curve` goes against `course` from where it has been, or is from the line through it.
fn off_course(curve: &[(f64, f64)], course: Course) -> f64 {
    let falls = |sign: f64| {
        let mut highest = f64::NEG_INFINITY;
        let falls = curve.iter().map(|(_, y)| {
            highest = highest.max(sign * y);
            highest - sign * y
        });
        falls.fold(0.0, f64::max)
    };
    match course {
        Course::Rises => falls(1.0),
        Course::Falls => falls(-1.0),
        Course::Linear => off_line(curve),
    }
}

/// The largest distance from the line of least squares.
#[expect(clippy::cast_precision_loss, reason = "curves have few points")]
fn off_line(curve: &[(f64, f64)]) -> f64 {
    let n = curve.len() as f64;
    let (mean_x, mean_y) = (curve.iter().map(|p| p.0).sum::<f64>() / n, curve.iter().map(|p| p.1).sum::<f64>() / n);
    let slope = curve.iter().map(|(x, y)| (x - mean_x) * (y - mean_y)).sum::<f64>()
        / curve.iter().map(|(x, _)| (x - mean_x) * (x - mean_x)).sum::<f64>().max(f64::MIN_POSITIVE);
    curve.iter().map(|(x, y)| (y - mean_y - slope * (x - mean_x)).abs()).fold(0.0, f64::max)
}

fn extent(numbers: &[f64]) -> (f64, f64) {
    let least = numbers.iter().copied().fold(f64::INFINITY, f64::min);
    (least, numbers.iter().copied().fold(f64::NEG_INFINITY, f64::max))
}

/// A number for people: whole from 1000 on, else with three digits that say something.
fn short(value: f64) -> String {
    let size = value.abs();
    let decimals = if size >= 1000.0 || size.fract() == 0.0 {
        0
    } else if size >= 100.0 {
        1
    } else if size >= 1.0 {
        2
    } else {
        3
    };
    let text = format!("{value:.decimals$}");
    if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.').to_owned() } else { text }
}
