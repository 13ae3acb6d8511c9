//! The page of verdicts: a row for each claim of each figure.

use super::verdict::{Judgement, Verdict};
use crate::scenario::Figure;
use std::fmt::Write;

/// A figure and what became of its claims.
#[derive(Clone, Debug)]
pub struct Entry {
    /// Its id.
    pub id: String,
    /// What is claimed.
    pub figure: Figure,
    /// A judgement of each claim.
    pub judgements: Vec<Judgement>,
    /// The names of its files, pictures included.
    pub files: Vec<String>,
}

const INTRODUCTION: &str = "# Results

What the five papers say, and what is measured. `flitwise figures` runs the scenarios in `scenarios/paper/`, writes the
tables, plots and diagrams in `paper/` and this page; every verdict is computed from a table and a claim in the scenario, none is
typed. `flitwise figures ID` does so for one. Where a paper's value is a mean over samples, ours may be off by twice half
the width of its 95 % confidence interval, which stands behind the `±`; elsewhere by the tolerance in the claim.

`flitwise run` writes to folders here that are named like the scenario; git ignores those.
";

/// The page, in Markdown; `entries` in their order.
#[must_use]
pub fn page(entries: &[Entry]) -> String {
    let mut text = INTRODUCTION.to_owned();
    text += "\n| verdict | claims |\n|---|---|\n";
    for verdict in [Verdict::Holds, Verdict::Fails, Verdict::Irreproducible] {
        let judged = entries.iter().flat_map(|entry| &entry.judgements);
        let count = judged.filter(|judgement| judgement.verdict == verdict).count();
        let _ = writeln!(text, "| {} | {count} |", verdict.in_words()); // a string takes everything
    }
    text += "\n| id | source | claim | measured | verdict | note |\n|---|---|---|---|---|---|\n";
    for entry in entries {
        let links: Vec<String> = entry.files.iter().map(|file| link(entry, file)).collect();
        let id = format!("`{}` {}", entry.id, links.join(" "));
        for (claim, judgement) in entry.figure.claims.iter().zip(&entry.judgements) {
            let note = claim.note.as_deref().unwrap_or_default();
            let verdict = match judgement.verdict {
                Verdict::Holds => "holds".to_owned(),
                other => format!("**{}**", other.in_words()),
            };
            let cells = [&id, &entry.figure.source, &claim.says, &judgement.measured, &verdict, note];
            let cells = cells.map(|cell| cell.replace('|', "\\|").replace('\n', " "));
            let _ = writeln!(text, "| {} |", cells.join(" | "));
        }
    }
    text
}

/// A link to a file of a figure, called by what it is.
fn link(entry: &Entry, file: &str) -> String {
    let rest = file.strip_prefix(&entry.id).unwrap_or(file);
    let name = match rest {
        ".csv" => "csv",
        ".svg" if entry.figure.plot.is_none() => "diagrams",
        ".svg" => "plot",
        _ => rest.trim_start_matches('-').trim_end_matches(".csv"),
    };
    format!("[{name}](paper/{file})")
}
