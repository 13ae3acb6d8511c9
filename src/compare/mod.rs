//! What differs between two finished runs: the keys of their scenarios, and what came out, row by row, with a test of whether
//! chance can explain it.
//!
//! ```text
//!   manifest.json -> Keys \                     / scenario keys that differ
//!                          Run, Run -> Comparison
//!   rows.csv     -> Rows /                      \ a line per swept values, algorithm and column
//! ```
//!
//! Rows match by the values of swept keys, wherever they are swept, and by algorithm. This floor knows files as text and
//! refuses to know how rows were computed.
//!
//! ```
//! use flitwise::compare::{Comparison, Keys, Rows, Run, Test};
//!
//! let run = |rows: &str| -> Result<Run, Box<dyn std::error::Error>> {
//!     let header = "scenario,algorithm,repetition,seed,measured\n";
//!     let rows = Rows::from_csv(format!("{header}{rows}").as_bytes())?;
//!     Ok(Run { keys: Keys::default(), rows })
//! };
//! let a = run("s,opt-tree,0,1,100\ns,opt-tree,1,1,120\n")?;
//! let b = run("s,opt-tree,0,1,110\ns,opt-tree,1,1,131\n")?;
//! let comparison = Comparison::new(&a, &b, &[])?;
//! let tested = &comparison.lines[0].tested;
//! assert_eq!((tested.test, tested.difference), (Test::Paired, Some(10.5)));
//! assert!(tested.p.is_some_and(|p| (p - 0.030292).abs() < 1e-6));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod keys;
mod line;
mod numbers;
mod rows;
mod sentence;
mod slower;
mod table;
mod test;

use crate::config::{Diagnostic, Place as Stretch, Source, listed};
use crate::kind::headline;
use crate::scenario::Rejected;
pub use keys::{Differing, Keys};
pub use line::{Line, Only};
use rows::LABELS;
pub use rows::{Place, Rows, RowsError};
pub use slower::Slower;
pub use test::{Test, Tested};

/// Columns at which sentences are folded, however wide the table is.
const WIDEST_TEXT: usize = 120;

/// What a folder says of a run.
#[derive(Clone, Debug)]
pub struct Run {
    /// The keys of its scenario.
    pub keys: Keys,
    /// What came out.
    pub rows: Rows,
}

/// What differs between two runs, A and B.
#[derive(Clone, Debug)]
pub struct Comparison {
    /// The keys that differ, in alphabetical order.
    pub keys: Vec<Differing>,
    /// What else is to be said of the scenarios, a sentence each.
    pub notes: Vec<String>,
    /// The keys that are swept in either run: those of A first.
    pub swept: Vec<String>,
    /// The columns that are compared.
    pub columns: Vec<String>,
    /// In the order of A's rows, and of the columns.
    pub lines: Vec<Line>,
    /// What only one of them has: A's first.
    pub only: Vec<Only>,
}

impl Comparison {
    /// Compares `columns` of `a` and `b`; of none what the runs are for.
    ///
    /// # Errors
    /// If there is no such column, or the runs have no row in common.
    pub fn new(a: &Run, b: &Run, columns: &[String]) -> Result<Self, Rejected> {
        let columns = chosen(a, b, columns)?;
        let swept = union(&a.rows.swept, &b.rows.swept);
        let [of_a, of_b] = [a, b].map(|run| run.rows.groups(|key| run.keys.value(key), &swept));
        let lines = line::lines(&of_a, &of_b, &columns);
        if lines.is_empty() {
            return Err(nothing_in_common(a, b));
        }
        let only = line::only(&of_a, &of_b, &columns);
        Ok(Self { keys: keys::differing(a, b), notes: keys::notes(a, b), swept, columns, lines, only })
    }

    /// Returns the lines in which B is slower than A by more than `limit` per cent, the largest slowdown first. A difference
    /// that chance may have made does not count. One between single repetitions does, as both runs are deterministic.
    ///
    /// # Errors
    /// Returns an error if a compared column is neither a time, a cost nor a throughput.
    pub fn slower(&self, limit: f64) -> Result<Vec<Slower<'_>>, Rejected> {
        slower::slower(self, limit)
    }

    /// The comparison as CSV: swept keys, `algorithm,column,a_mean,b_mean,difference,ratio,ci95,test,p,p_holm`. What only one
    /// run has is there, too, with the mean of that one.
    ///
    /// # Errors
    /// If it is not text.
    pub fn csv(&self) -> csv::Result<String> {
        table::csv(self)
    }

    /// The comparison as a table for people, at most `width` columns wide if that can be; keys that differ stand before an
    /// empty line, and what it all comes to is the last sentence.
    pub fn text(&self, width: usize) -> String {
        let text_width = width.min(WIDEST_TEXT);
        let scenarios = table::scenarios(self, text_width);
        format!("{scenarios}\n{}{}", table::table(self, width), sentence::below(self, text_width))
    }
}

/// The keys of both, those of `a` first.
fn union(a: &[String], b: &[String]) -> Vec<String> {
    let others = b.iter().filter(|key| !a.contains(key));
    a.iter().chain(others).cloned().collect()
}

/// The columns that are asked for, or what both runs are for.
fn chosen(a: &Run, b: &Run, asked: &[String]) -> Result<Vec<String>, Rejected> {
    let both: Vec<&str> =
        a.rows.columns.iter().filter(|column| b.rows.columns.contains(column)).map(String::as_str).collect();
    if asked.is_empty() {
        let has_values = |name: &str| [a, b].iter().all(|run| run.rows.has_values(name));
        let found = headline(has_values).or_else(|| both.iter().copied().find(|name| has_values(name)));
        return match found {
            Some(name) => Ok(vec![name.to_owned()]),
            None => {
                Err(refused("no column has values in both directories", &format!("columns in both: {}", listed(both))))
            }
        };
    }
    let mut columns: Vec<String> = Vec::new();
    for name in asked {
        if !both.contains(&name.as_str()) {
            return Err(unknown(a, b, name, &both));
        }
        if !columns.contains(name) {
            columns.push(name.clone());
        }
    }
    Ok(columns)
}

/// That `name` is not among the columns of `both`.
fn unknown(a: &Run, b: &Run, name: &str, both: &[&str]) -> Rejected {
    let place = Stretch { source: 0, span: 0..name.len() };
    let source = || vec![Source::new("--column", name)];
    if [a, b].iter().any(|run| run.rows.texts.iter().any(|text| text == name)) {
        let wrong = Diagnostic::at(place, format!("`{name}` is a column of text, which cannot be compared"));
        return Rejected::new(vec![wrong.note(format!("accepted: {}", listed(both.iter().copied())))], source());
    }
    if LABELS.contains(&name) || [a, b].iter().any(|run| run.rows.swept.iter().any(|key| key == name)) {
        let wrong = Diagnostic::at(place, format!("`{name}` is not a column of results"));
        return Rejected::new(vec![wrong.note(format!("accepted: {}", listed(both.iter().copied())))], source());
    }
    let has = |run: &Run| run.rows.columns.iter().any(|column| column == name);
    let where_ = match [has(a), has(b)] {
        [true, _] => "only A has",
        [_, true] => "only B has",
        _ => "neither directory has",
    };
    let wrong = Diagnostic::at(place, format!("{where_} a column `{name}` in rows.csv"));
    let wrong = wrong.note(format!("accepted: {}", listed(both.iter().copied())));
    let wrong = wrong.did_you_mean(name, both.iter().copied());
    Rejected::new(vec![wrong], source())
}

fn nothing_in_common(a: &Run, b: &Run) -> Rejected {
    let [of_a, of_b] = [a, b].map(|run| run.rows.in_words());
    refused(
        "A and B have no point in common: no combination of swept values and algorithm is in both",
        &format!("A has {of_a}; B has {of_b}; compare runs that sweep the same keys"),
    )
}

fn refused(message: &str, note: &str) -> Rejected {
    Rejected::new(vec![Diagnostic::unplaced(message).note(note)], Vec::new())
}
