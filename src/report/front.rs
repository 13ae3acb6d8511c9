//! What a page shows beside replays.

use super::figure::FigurePicture;
use super::still::Still;
use super::table::columns;
use crate::draw::auto::Data;
use crate::kind::RowId;
use crate::output::{Summary, table_parts, verdict};
use crate::run::{Rows, why_not_recorded};
use crate::scenario::Scenario;
use rustc_hash::FxHashMap;
use serde::Deserialize;
use serde_json::{Value as Json, json};
use std::io::Read;

/// What a page shows beside replays.
pub struct Front {
    /// The main result, in sentences.
    pub verdict: String,
    /// The columns of `summary.csv`.
    pub table: Data,
    /// The table as the page shows it.
    pub(super) summary: Json,
    /// The scenario's own picture.
    pub(super) figure: Option<FigurePicture>,
    /// Why there is no replay, if there is none.
    pub why: Option<String>,
    /// A network without a replay.
    pub still: Option<Still>,
}

impl Front {
    /// Of a finished run of `scenario` with these `summaries`, whose `summary.csv` is `table` and whose `links.csv`, if it has
    /// one, is `links`.
    ///
    /// # Errors
    /// If `links` are not those of a run.
    pub fn new(scenario: &Scenario, summaries: &[Summary], table: Data, links: Option<impl Read>) -> csv::Result<Self> {
        let reasons: Vec<Option<&str>> =
            scenario.points.iter().map(|point| why_not_recorded(&point.experiment)).collect();
        let why = if reasons.iter().all(Option::is_some) { reasons.into_iter().flatten().next() } else { None };
        let still = match links.filter(|_| scenario.kind().open_loop) {
            Some(links) => busiest(scenario, links)?,
            None => None,
        };
        let parts = table_parts(scenario, summaries);
        let columns = columns(&table, &parts.columns);
        Ok(Self {
            verdict: verdict(scenario, summaries),
            table,
            summary: json!({ "title": parts.title, "columns": columns, "notes": parts.notes }),
            figure: FigurePicture::new(scenario, summaries),
            why: why.map(|why| format!("There is no replay: {why}.")),
            still,
        })
    }
}

/// A line of `links.csv`.
#[derive(Deserialize)]
struct LinkRow {
    point: usize,
    algorithm: String,
    repetition: u64,
    channel: String,
    utilisation: Option<f64>,
}

/// The network of open-loop traffic with the links of the row that loads one of them most.
fn busiest(scenario: &Scenario, links: impl Read) -> csv::Result<Option<Still>> {
    let mut rows: FxHashMap<(usize, String, u64), FxHashMap<String, f64>> = FxHashMap::default();
    for line in csv::Reader::from_reader(links).deserialize() {
        let line: LinkRow = line?;
        let row = rows.entry((line.point, line.algorithm, line.repetition)).or_default();
        row.insert(line.channel, line.utilisation.unwrap_or(0.0));
    }
    let variant = |id: RowId| scenario.points[id.point].experiment.workload.variant(id.algorithm).to_owned();
    let largest = |id: &RowId| {
        let row = rows.get(&(id.point, variant(*id), id.repetition));
        row.map_or(0.0, |row| row.values().copied().fold(0.0, f64::max))
    };
    let all = Rows::new(scenario);
    let ids: Vec<RowId> = (0..all.count()).map(|at| all.get(at)).collect();
    let Some(&id) = ids.iter().rev().max_by(|a, b| largest(a).total_cmp(&largest(b))) else { return Ok(None) };
    let row = rows.remove(&(id.point, variant(id), id.repetition)).unwrap_or_default();
    Ok(Still::new(scenario, id, &row))
}
