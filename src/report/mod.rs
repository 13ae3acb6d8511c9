//! `report.html`: one file with the result, the table and the plots of a run, and a replay of its messages.
//!
//! The page is the skeleton, the style and the script in `src/page`, and data as JSON and packed columns. Nothing in it comes
//! from outside: its content security policy names the hashes of its one style and its one script, and allows images from the
//! page itself, for the picture of a `[figure]`. Text that a user wrote is in the JSON only. The same run gives the same bytes.

mod blobs;
mod channels;
mod critical;
mod data;
mod figure;
mod front;
mod places;
mod ranks;
mod still;
mod table;

use crate::draw::auto::{Data, Wanted, plots};
use crate::draw::chart::style_rules;
use crate::draw::markup::{Child, Element};
use crate::kind::RowId;
use crate::output::Explained;
use crate::run::Rows;
use crate::scenario::Scenario;
use crate::timeline::Timeline;
use crate::units::Ticks;
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
    /// Runs under the model alone, with timelines of their ranks.
    predicted: Vec<Json>,
    /// The largest part of the critical path of the last replay, as a sentence.
    critical: Option<String>,
    hops: usize,
}

impl<'a> Report<'a> {
    /// The page of a run of `scenario`, with nothing to replay yet.
    pub fn new(scenario: &'a Scenario, front: Front) -> Self {
        Self { scenario, front, replays: Vec::new(), predicted: Vec::new(), critical: None, hops: 0 }
    }

    /// Adds a row that was recorded: all of its hops, as long as a page has room for them.
    pub fn add(&mut self, explained: &Explained<'_>) {
        self.hops += explained.recording.hops.len();
        let whole = self.hops <= MOST_HOPS;
        let id = self.replays.len();
        self.replays.push(Replay::new(self.scenario, id, explained, whole));
        let run = if Rows::new(self.scenario).count() > 1 { " of the replayed run" } else { "" };
        self.critical = critical::largest_part(&explained.explanation, run);
    }

    /// Adds the timeline of the row `id`, which ran under the model alone until `completion`.
    pub fn add_predicted(&mut self, id: RowId, timeline: &Timeline, completion: Ticks) {
        let mut json = json!({
            "point": id.point,
            "algorithm": self.scenario.points[id.point].experiment.workload.variant(id.algorithm),
            "repetition": id.repetition,
            "completion": completion.0,
            "settings": data::settings(self.scenario, id.point),
        });
        ranks::add_ranks(&mut json, timeline, &timeline.predicted, completion);
        self.predicted.push(json);
    }

    /// The headline. A single replay adds the largest part of its critical path.
    fn headline(&self) -> String {
        let critical = self.critical.as_ref().filter(|_| self.replays.len() == 1);
        let sentences = [Some(&self.front.verdict), critical].into_iter().flatten();
        sentences.filter(|sentence| !sentence.is_empty()).map(String::as_str).collect::<Vec<_>>().join(" ")
    }

    /// The whole page.
    pub fn html(&self) -> String {
        let title = format!("{} - flitwise report", self.scenario.name);
        let style = STYLE.to_owned() + &style_rules(".plot ");
        let policy = format!(
            "default-src 'none'; script-src {}; style-src {}; img-src data:; base-uri 'none'; form-action 'none'",
            hash(SCRIPT),
            hash(&style)
        );
        let mut html = String::new();
        let mut rest = SKELETON;
        let parts = [
            ("{{POLICY}}", policy.as_str()),
            ("{{TITLE}}", title.as_str()),
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
        let Front { summary, why, still, figure, .. } = &self.front;
        let plots = self.plots();
        json!({
            "version": 1,
            "scenario": self.scenario.name,
            "tick": self.scenario.tick.as_ref().map(|tick| json!({ "text": tick.text, "nanoseconds": tick.nanoseconds })),
            "verdict": self.headline(),
            "summary": summary,
            "figure": figure.as_ref().map(|figure| &figure.svg),
            "plots": plots.panels,
            "plots_note": plots.note,
            "replays": self.replays.iter().map(|replay| &replay.json).collect::<Vec<_>>(),
            "predicted": self.predicted,
            "why": why,
            "still": still.as_ref().map(Still::json),
        })
    }

    /// The automatic plots. A scenario with a figure of its results has no others.
    fn plots(&self) -> ShownPlots {
        let mut shown = ShownPlots::default();
        if self.front.figure.as_ref().is_some_and(|figure| figure.shows_results) {
            return shown;
        }
        shown.add(&self.front.table, &Wanted::default());
        if self.scenario.kind().open_loop {
            shown.add(&self.front.table, &Wanted { y: Some("accepted".to_owned()), ..Wanted::default() });
        }
        shown
    }
}

/// The plots of a page.
#[derive(Default)]
struct ShownPlots {
    panels: Vec<Element>,
    /// A sentence on panels that are left out.
    note: Option<String>,
}

impl ShownPlots {
    /// Adds the panels that are `wanted`, if `data` has values for them. A panel with a single point would add nothing to the
    /// table.
    fn add(&mut self, data: &Data, wanted: &Wanted) {
        let Ok(drawn) = plots(data, wanted) else { return };
        self.panels.extend(drawn.panels.into_iter().filter(|panel| points(panel) > 1));
        self.note = self.note.take().or_else(|| Some(drawn.notes.join("; ")).filter(|note| !note.is_empty()));
    }
}

/// The number of points that are drawn in `element`.
fn points(element: &Element) -> usize {
    let children = element.children.iter().map(|child| match child {
        Child::Element(element) => points(element),
        Child::Text(_) => 0,
    });
    usize::from(element.attribute("data-px").is_some()) + children.sum::<usize>()
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
