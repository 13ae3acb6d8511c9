//! The options of a plot, and the columns that they name. An error about a name suggests a similar one.

use super::choice::Choice;
use super::data::{Data, number};
use crate::config::{Condition, Diagnostic, Place, Source, listed};
use crate::draw::chart::{Chart, View};
use crate::kind::headline;
use crate::scenario::Rejected;
use crate::spelling::closest;
use crate::statistics::STATISTICS;

/// The options of a plot. Where there are none, the table decides.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Wanted {
    /// The column along the x axis: a swept key, or the end of its name, or `algorithm`; or a measure, as in `y`.
    pub x: Option<String>,
    /// The column along the y axis, or the start of one whose mean it is.
    pub y: Option<String>,
    /// Conditions that rows must meet, as those of a sweep.
    pub conditions: Vec<String>,
    /// Keys that distinguish curves; the others make panels.
    pub curve_keys: Vec<String>,
    /// Ends of the axes, in their units.
    pub view: View,
    /// The logarithmic axes: x, y.
    pub log: Option<[bool; 2]>,
    /// Text above everything.
    pub title: Option<String>,
}

impl Wanted {
    /// The chart of `data`, before ticks are converted and limits are set.
    pub(super) fn chart(&self, data: &Data) -> Result<Chart, Rejected> {
        self.refuse_void_limits()?;
        let rows = self.rows(data)?;
        let x = self.x.as_deref().map(|name| named_column(data, name)).transpose()?;
        let y = match &self.y {
            Some(name) => named_measure(data, name).map_err(|wrong| rejected("--y", name, wrong))?,
            None => first_measure(data, &rows)?,
        };
        let curve_keys = self.curve_keys.iter().map(|name| named_key(data, name)).collect::<Result<_, _>>()?;
        let mut chart = Choice { data, rows, x, y, curve_keys, log: self.log }.chart();
        if chart.is_empty() {
            return Err(nothing(&format!("`{y}` has no value in the selected rows")));
        }
        if let Some(title) = &self.title {
            chart.title.clone_from(title);
        }
        chart.notes.splice(0..0, data.name.clone());
        Ok(chart)
    }

    /// Refuses limits between which nothing can be.
    fn refuse_void_limits(&self) -> Result<(), Rejected> {
        let log = self.log.unwrap_or_default();
        for ((axis, range), log) in [("x", self.view.x), ("y", self.view.y)].into_iter().zip(log) {
            if range.is_void(log) {
                let above = if log { " and above zero" } else { "" };
                return Err(nothing(&format!(
                    "the limits of the {axis} axis exclude all values\naccepted: --{axis}-min below --{axis}-max{above}"
                )));
            }
        }
        Ok(())
    }

    /// The rows that meet all conditions.
    fn rows(&self, data: &Data) -> Result<Vec<usize>, Rejected> {
        let mut rows: Vec<usize> = (0..data.rows()).collect();
        for text in &self.conditions {
            let condition = condition(data, text).map_err(|wrong| rejected("--where", text, wrong))?;
            let mut kept = Vec::new();
            for row in rows {
                if condition.holds(&data.row(row)).map_err(|wrong| rejected("--where", text, wrong))? {
                    kept.push(row);
                }
            }
            if kept.is_empty() {
                let wrong = Diagnostic::at(whole(text), "no point meets this condition and the conditions before it");
                return Err(rejected("--where", text, wrong));
            }
            rows = kept;
        }
        if rows.is_empty() { Err(nothing("summary.csv has no rows")) } else { Ok(rows) }
    }
}

/// The condition that `text` spells, over the keys of `data`.
fn condition(data: &Data, text: &str) -> Result<Condition, Diagnostic> {
    let mut condition = Condition::parse(text, &whole(text))?;
    let is_known = |name: &str| {
        data.keys().any(|key| name.strip_prefix(key).is_some_and(|rest| rest.is_empty() || is_index(rest)))
    };
    condition.rename(&|name| ending(data, name).map(str::to_owned));
    match condition.keys().into_iter().find(|name| !is_known(name)) {
        None => Ok(condition),
        Some(name) => {
            let wrong = Diagnostic::at(whole(text), format!("no swept key is called `{name}`"));
            Err(Diagnostic { hint: meant_key(data, name), ..wrong.note(accepted_keys(data)) })
        }
    }
}

/// Whether `rest`, which stands behind a key, names an element of its array.
fn is_index(rest: &str) -> bool {
    rest.strip_prefix('.').is_some_and(|index| index.bytes().all(|byte| byte.is_ascii_digit()))
}

/// The only key of `data` whose name ends with `name`, its last parts.
fn ending<'a>(data: &'a Data, name: &str) -> Option<&'a str> {
    if let Some(key) = data.keys().find(|key| *key == name) {
        return Some(key);
    }
    let ends = |key: &&str| key.strip_suffix(name).is_some_and(|before| before.ends_with('.'));
    let mut matching = data.keys().filter(ends);
    matching.next().filter(|_| matching.next().is_none())
}

/// The key called `name`, for `--by`.
fn named_key<'a>(data: &'a Data, name: &str) -> Result<&'a str, Rejected> {
    ending(data, name).ok_or_else(|| {
        let wrong = Diagnostic::at(whole(name), format!("no swept key is called `{name}`")).note(accepted_keys(data));
        rejected("--by", name, Diagnostic { hint: meant_key(data, name), ..wrong })
    })
}

/// The key or the measure called `name`, for `--x`.
fn named_column<'a>(data: &'a Data, name: &str) -> Result<&'a str, Rejected> {
    if let Some(key) = ending(data, name) {
        return Ok(key);
    }
    named_measure(data, name).map_err(|measure| {
        let message = format!("there is no swept key and no column of numbers called `{name}`");
        let hint = meant_key(data, name).or(measure.hint);
        let wrong = Diagnostic::at(whole(name), message).note(format!("{}, or a column", accepted_keys(data)));
        rejected("--x", name, Diagnostic { hint, ..wrong })
    })
}

/// Which key of `data` may be meant by `name`, a whole key or the end of one, as a hint.
fn meant_key(data: &Data, name: &str) -> Option<String> {
    let ends = data.keys().filter_map(|key| key.rsplit('.').next());
    let near = closest(name, data.keys().chain(ends))?;
    Some(format!("did you mean `{}`?", ending(data, near).unwrap_or(near)))
}

fn accepted_keys(data: &Data) -> String {
    format!("accepted: {}", listed(data.keys()))
}

/// The column called `name`, or the mean of the measure called so.
fn named_measure<'a>(data: &'a Data, name: &str) -> Result<&'a str, Diagnostic> {
    let mean = format!("{name}_mean");
    let is_number = |measure: &&str| *measure == name && !data.is_text(measure);
    let found = data.measures().find(is_number);
    found.or_else(|| data.measures().find(|measure| *measure == mean)).ok_or_else(|| {
        let wrong = Diagnostic::at(whole(name), format!("summary.csv has no column of numbers called `{name}`"));
        // the name without a statistic is last, and so preferred among equally similar ones
        let guess = closest(name, data.measures().chain(bases(data)));
        let hint = guess.map(|near| format!("did you mean `{near}`?"));
        Diagnostic { hint, ..wrong.note(accepted_measures(data)) }
    })
}

/// The measures whose means the table has.
fn bases(data: &Data) -> impl Iterator<Item = &str> {
    data.measures().filter_map(|measure| measure.strip_suffix("_mean"))
}

fn accepted_measures(data: &Data) -> String {
    let statistics = STATISTICS.map(|statistic| format!("`_{statistic}`")).join(", ");
    format!("accepted: {}, each followed by one of {statistics}", listed(bases(data)))
}

/// What is up the y axis where nothing is said: what a run is for, or else the first mean that has values.
fn first_measure<'a>(data: &'a Data, rows: &[usize]) -> Result<&'a str, Rejected> {
    let has_values =
        |name: &str| data.column(name).is_some_and(|fields| rows.iter().any(|&row| number(&fields[row]).is_some()));
    let headline = headline(|name| has_values(&format!("{name}_mean"))).map(|name| format!("{name}_mean"));
    let mut means = data.measures().filter(|name| name.ends_with("_mean"));
    let found = match headline {
        Some(headline) => means.find(|name| *name == headline),
        None => means.find(|name| has_values(name)),
    };
    found.ok_or_else(|| nothing("summary.csv has no mean with a value"))
}

fn whole(text: &str) -> Place {
    Place { source: 0, span: 0..text.len() }
}

fn rejected(option: &str, text: &str, wrong: Diagnostic) -> Rejected {
    Rejected::new(vec![wrong], vec![Source::new(option, text)])
}

fn nothing(message: &str) -> Rejected {
    Rejected::new(vec![Diagnostic::unplaced(message)], Vec::new())
}
