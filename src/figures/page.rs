//! The page of verdicts: a row for each claim of each figure.

use super::verdict::{Judgement, Verdict};
use crate::config::visible;
use crate::references::Reference;
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

/// What a page says above its tables, and where the files of its figures are.
#[derive(Clone, Debug)]
pub struct Cover {
    introduction: String,
    /// What figures are grouped by.
    groups: &'static str,
    /// The folder of the files, as links begin.
    folder: &'static str,
}

const PAPERS: &str = "# Results

Claims of papers and the simulated values. `flitwise figures` runs the scenarios in `scenarios/paper/` and writes this page
and the tables, plots and diagrams in `paper/`. `flitwise figures ID` updates one figure. Every verdict is computed from a
table and a claim in the scenario. If the value of the paper is a mean over samples, the simulated value may differ from it
by twice the half-width of its 95 % confidence interval, which follows the `±`. Otherwise it may differ by the tolerance of
the claim.

`flitwise run` writes to directories next to this page, which have the names of the scenarios. Git ignores them.
";

impl Cover {
    /// Of the papers that this project is about; files are in `paper/`.
    pub fn papers() -> Self {
        Self { introduction: PAPERS.to_owned(), groups: "paper", folder: "paper/" }
    }

    /// Of the scenarios in a folder that is called `name` and found at `path`; files are beside the page.
    pub fn scenarios(name: &str, path: &str) -> Self {
        let name = cell(name);
        let path = path.replace(['`', '\n'], " ");
        let introduction = format!(
            "# Figures of {name}\n\n\
             Claims of the scenarios in `{path}` and the simulated values. `flitwise figures --scenarios {path}` runs the\n\
             scenarios and writes this page and their tables, plots and diagrams. With an `ID` it updates one figure. Every\n\
             verdict is computed from a table and a claim in the scenario. The comments at the top of the scenarios state\n\
             the questions. `±` is the half-width of a 95 % confidence interval.\n"
        );
        Self { introduction, groups: "figures", folder: "" }
    }
}

const VERDICTS: [Verdict; 3] = [Verdict::Holds, Verdict::Fails, Verdict::Irreproducible];

/// The page, in Markdown, under `cover`: how many claims come out how, in all and for each paper, then a table for each
/// paper, `entries` in their order.
pub fn page(cover: &Cover, entries: &[Entry]) -> String {
    let mut text = cover.introduction.clone();
    let all: Vec<&Entry> = entries.iter().collect();
    text += "\n| verdict | claims |\n|---|---|\n";
    for (verdict, count) in VERDICTS.into_iter().zip(counts(&all)) {
        let _ = writeln!(text, "| {} | {count} |", verdict.in_words()); // a string takes everything
    }
    let mut papers: Vec<String> = entries.iter().map(paper).collect();
    papers.sort_unstable();
    papers.dedup();
    let of = |name: &str| all.iter().copied().filter(|entry| paper(entry) == name).collect::<Vec<_>>();
    let verdicts = VERDICTS.map(Verdict::in_words).join(" | ");
    let _ = writeln!(text, "\n| {} | {verdicts} |\n|---|---|---|---|", cover.groups);
    for name in &papers {
        let anchor = name.to_lowercase().replace(' ', "-").replace(['(', ')', '[', ']', '<', '>', '\\', '|'], "");
        let _ = writeln!(
            text,
            "| [{name}](#{anchor}) | {} |",
            counts(&of(name)).map(|count| count.to_string()).join(" | ")
        );
    }
    for name in &papers {
        let _ = writeln!(text, "\n## {name}");
        cited(&of(name)).for_each(|reference| {
            let _ = writeln!(text, "\n**{}**: {}", reference.short(), cell(&reference.to_string()));
        });
        text += "\n| id | source | claim | measured | verdict | note |\n|---|---|---|---|---|---|\n";
        of(name).into_iter().for_each(|entry| text += &rows(cover, entry));
    }
    text
}

/// The publications that `entries` cite, each once.
fn cited<'a>(entries: &[&'a Entry]) -> impl Iterator<Item = &'a Reference> {
    let mut cited: Vec<&Reference> = entries.iter().flat_map(|entry| &entry.figure.cites).collect();
    cited.sort_by_key(|reference| (reference.year, reference.key));
    cited.dedup();
    cited.into_iter()
}

/// What figures of no paper are grouped by.
const OWN: &str = "Figures";

/// The name of the paper: what stands before the number of a figure.
fn paper(entry: &Entry) -> String {
    match entry.figure.source.split([',', ':']).next() {
        None | Some("") => OWN.to_owned(),
        Some(name) => cell(name),
    }
}

/// `text` of a scenario in one line of Markdown, as a cell of a table or a heading: it begins no HTML, no link and no other cell.
fn cell(text: &str) -> String {
    let mut cell = String::with_capacity(text.len());
    let mut letters = text.chars().peekable();
    while let Some(letter) = letters.next() {
        let next = letters.peek().copied();
        let begins = match letter {
            '|' => true,
            '<' => next.is_some_and(|next| next.is_ascii_alphabetic() || matches!(next, '/' | '!' | '?')),
            ']' => matches!(next, Some('(' | '[')),
            _ => false,
        };
        if begins {
            cell.push('\\');
        }
        cell.push(if letter == '\n' { ' ' } else { letter });
    }
    visible(&cell).into_owned()
}

fn counts(entries: &[&Entry]) -> [usize; 3] {
    let judged = |verdict| {
        let judgements = entries.iter().flat_map(|entry| &entry.judgements);
        judgements.filter(|judgement| judgement.verdict == verdict).count()
    };
    VERDICTS.map(judged)
}

/// A line for each claim, and one without any where there is none; files are linked in the first.
fn rows(cover: &Cover, entry: &Entry) -> String {
    let mut text = String::new();
    let links: Vec<String> = entry.files.iter().map(|file| link(cover, entry, file)).collect();
    let mut id = format!("`{}` {}", entry.id, links.join(" "));
    for (claim, judgement) in entry.figure.claims.iter().zip(&entry.judgements) {
        let note = claim.note.as_deref().unwrap_or_default();
        let verdict = match judgement.verdict {
            Verdict::Holds => "holds".to_owned(),
            other => format!("**{}**", other.in_words()),
        };
        let [source, says, measured, note] = [&entry.figure.source, &claim.says, &judgement.measured, note].map(cell);
        let _ = writeln!(text, "| {id} | {source} | {says} | {measured} | {verdict} | {note} |");
        id = format!("`{}`", entry.id);
    }
    if entry.figure.claims.is_empty() {
        let _ = writeln!(text, "| {id} | {} | | | | |", cell(&entry.figure.source));
    }
    text
}

/// A link to a file of a figure, called by what it is.
fn link(cover: &Cover, entry: &Entry, file: &str) -> String {
    let rest = file.strip_prefix(&entry.id).unwrap_or(file);
    let name = match rest {
        ".csv" => "csv",
        ".svg" if entry.figure.plot.is_some() => "plot",
        ".svg" if entry.figure.map.is_some() => "map",
        ".svg" => "diagrams",
        "-map.csv" => "winners",
        _ => rest.trim_start_matches('-').trim_end_matches(".csv"),
    };
    format!("[{name}]({}{file})", cover.folder)
}
