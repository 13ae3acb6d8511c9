//! `report.html`: one file that shows the table and the plots of a run, replays what moved, and says who blocked whom.
//!
//! The page is the skeleton, the style and the script in `src/page`, and data as JSON and packed columns. Nothing in it comes
//! from outside: its content security policy names the hashes of its one style and its one script. What a user wrote stands
//! in the JSON alone. The same run gives the same bytes.

mod blobs;
mod channels;
mod data;
mod front;
mod places;
mod still;

use crate::draw::auto::{Data, Plots, TextColumn, Wanted, plots};
use crate::draw::chart::style_rules;
use crate::output::Explained;
use crate::scenario::Scenario;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use data::Replay;
pub use front::Front;
use serde_json::{Value as Json, json};
use sha2::{Digest, Sha256};
pub use still::Still;

/// The name of the file.
pub const REPORT: &str = "report.html";

/// The most hops of all replays of a page.
pub const MOST_HOPS: usize = 4_000_000;

const SKELETON: &str = include_str!("../page/report.html");
const STYLE: &str = include_str!("../page/report.css");
const SCRIPT: &str = include_str!("../page/report.js");

/// A page that is being made.
pub struct Report<'a> {
    scenario: &'a Scenario,
    front: Front,
    replays: Vec<Replay>,
    hops: usize,
}

impl<'a> Report<'a> {
    /// The page of a run of `scenario`, with nothing to replay yet.
    pub fn new(scenario: &'a Scenario, front: Front) -> Self {
        Self { scenario, front, replays: Vec::new(), hops: 0 }
    }

    /// Adds a row that was recorded: all of its hops, as long as a page has room for them.
    pub fn add(&mut self, explained: &Explained<'_>) {
        self.hops += explained.recording.hops.len();
        let whole = self.hops <= MOST_HOPS;
        let id = self.replays.len();
        self.replays.push(Replay::new(self.scenario, id, explained, whole));
    }

    /// The whole page.
    pub fn html(&self) -> String {
        let style = STYLE.to_owned() + &style_rules(".plot ");
        let policy = format!(
            "default-src 'none'; script-src {}; style-src {}; base-uri 'none'; form-action 'none'",
            hash(SCRIPT),
            hash(&style)
        );
        let mut html = String::new();
        let mut rest = SKELETON;
        let parts = [
            ("{{POLICY}}", policy.as_str()),
            ("{{TITLE}}", &self.scenario.name),
            ("{{STYLE}}", &style),
            ("{{DATA}}", &self.data()),
            ("{{SCRIPT}}", SCRIPT),
        ];
        for (mark, part) in parts {
            #[expect(clippy::expect_used, reason = "a test makes a page")]
            let (before, behind) = rest.split_once(mark).expect("the skeleton has every mark once, in this order");
            html += before;
            html += part;
            rest = behind;
        }
        html + rest
    }

    /// The scripts that are data.
    fn data(&self) -> String {
        let data = format!("<script id=\"flitwise-data\" type=\"application/json\">{}</script>\n", safe(&self.json()));
        let blobs = self.replays.iter().flat_map(|replay| {
            replay.blobs.iter().map(move |blob| {
                let id = format!("blob-r{}-{}", replay.id, blob.name);
                format!("<script id=\"{id}\" type=\"text/plain\">{}</script>\n", blob.text)
            })
        });
        std::iter::once(data).chain(blobs).collect()
    }

    fn json(&self) -> Json {
        let Front { verdict, table, why, still } = &self.front;
        let drawn = plots(table, &Wanted::default()).ok();
        let panels = drawn.as_ref().map_or(&[][..], |plots: &Plots| &plots.panels);
        json!({
            "version": 1,
            "scenario": self.scenario.name,
            "verdict": verdict,
            "summary": { "columns": self.columns() },
            "plots": panels,
            "plots_note": drawn.as_ref().map(|plots| plots.notes.join("; ")).filter(|note| !note.is_empty()),
            "replays": self.replays.iter().map(|replay| &replay.json).collect::<Vec<_>>(),
            "why": why,
            "still": still.as_ref().map(Still::json),
        })
    }

    /// The columns of the table: swept keys, the algorithm, and what the terminal shows of every mean.
    fn columns(&self) -> Vec<Json> {
        let Data { columns, swept, .. } = &self.front.table;
        let is_label = |name: &String| swept.contains(name) || name == "algorithm";
        let has_values = |column: &&TextColumn| column.values.iter().any(|value| !value.is_empty());
        let shown = columns.iter().filter(|column| is_label(&column.name) || is_shown(&column.name));
        shown.filter(has_values).map(column_json).collect()
    }
}

/// A column of the table, as the page reads it.
fn column_json(column: &TextColumn) -> Json {
    let TextColumn { name, values } = column;
    let is_number = |value: &String| value.is_empty() || value.parse::<f64>().is_ok();
    json!({ "name": name, "number": values.iter().all(is_number), "values": values })
}

/// Whether a column of `summary.csv` stands in the table: the mean of anything, and how certain it is of what is measured.
fn is_shown(name: &str) -> bool {
    name.ends_with("_mean") || name == "measured_ci95"
}

/// How a content security policy names `text`.
fn hash(text: &str) -> String {
    format!("'sha256-{}'", STANDARD.encode(Sha256::digest(text.as_bytes())))
}

/// `json` as text in which nothing can end a script.
fn safe(json: &Json) -> String {
    let mut text = json.to_string();
    for (character, escape) in
        [('<', "\\u003c"), ('>', "\\u003e"), ('&', "\\u0026"), ('\u{2028}', "\\u2028"), ('\u{2029}', "\\u2029")]
    {
        if text.contains(character) {
            text = text.replace(character, escape);
        }
    }
    text
}
