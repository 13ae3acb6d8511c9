//! What is asked of a plot, and whether the table has it; a wrong name is answered with the one that may be meant.

use super::axes::{Axes, Choice};
use super::data::{Data, number};
use crate::config::{Condition, Diagnostic, Place, Source, listed};
use crate::kind::headline;
use crate::scenario::Rejected;
use crate::spelling::closest;
use crate::statistics::STATISTICS;

/// What a plot is to show; where nothing is said, the table decides.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Wanted {
    /// A swept key, or the end of its name, or `algorithm`.
    pub x: Option<String>,
    /// A column, or the start of one whose mean it is.
    pub y: Option<String>,
    /// Conditions that rows must meet, as those of a sweep.
    pub conditions: Vec<String>,
}

impl Wanted {
    /// What is along which axis in the plots of `data`.
    pub(super) fn axes(&self, data: &Data) -> Result<Axes, Rejected> {
        let rows = self.rows(data)?;
        let x = self.x.as_deref().map(|name| named_key(data, name)).transpose()?;
        let y = match &self.y {
            Some(name) => named_measure(data, name)?,
            None => first_measure(data, &rows)?,
        };
        let choice = Choice { data, rows, x, y };
        let axes = choice.axes();
        if axes.is_empty() {
            return Err(nothing(&format!("`{y}` has no value in any row that is asked for")));
        }
        Ok(axes)
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
                let wrong = Diagnostic::at(whole(text), "no row meets this condition and those before it");
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

fn named_key<'a>(data: &'a Data, name: &str) -> Result<&'a str, Rejected> {
    ending(data, name).ok_or_else(|| {
        let wrong = Diagnostic::at(whole(name), format!("no swept key is called `{name}`")).note(accepted_keys(data));
        rejected("--x", name, Diagnostic { hint: meant_key(data, name), ..wrong })
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

/// The column called `name`, or the mean of what is called so.
fn named_measure<'a>(data: &'a Data, name: &str) -> Result<&'a str, Rejected> {
    let mean = format!("{name}_mean");
    let is_number = |measure: &&str| *measure == name && !data.is_text(measure);
    let found = data.measures().find(is_number);
    found.or_else(|| data.measures().find(|measure| *measure == mean)).ok_or_else(|| {
        let wrong = Diagnostic::at(whole(name), format!("summary.csv has no column of numbers called `{name}`"));
        let means = data.measures().filter_map(|measure| measure.strip_suffix("_mean"));
        let guess = closest(name, means.chain(data.measures())).map(|near| format!("did you mean `{near}`?"));
        let wrong = wrong.note(accepted_measures(data));
        rejected("--y", name, Diagnostic { hint: guess, ..wrong })
    })
}

fn accepted_measures(data: &Data) -> String {
    let statistics = STATISTICS.map(|statistic| format!("`_{statistic}`")).join(", ");
    let bases: Vec<&str> = data.measures().filter_map(|measure| measure.strip_suffix("_mean")).collect();
    format!("accepted: {}, each followed by one of {statistics}", listed(bases))
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
