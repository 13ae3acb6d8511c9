//! What came out of a run as JSON: numbers as numbers, a line of the table an element.
//!
//! ```json
//! { "name": "..", "version": "..", "hash": "..", "tick": "10ns",
//!   "axes": ["workload.multicast.flits"],
//!   "summary": [
//!     { "point": 0, "workload.multicast.flits": 64, "algorithm": "opt-mesh", "repetitions": 16,
//!       "measured": { "mean": 119347.0, "sd": 19.1, "ci95": 10.2, "min": .., "median": .., "max": .., "p05": .., "p95": .. },
//!       "predicted": { .. }, "behind": { "mean": 0.0, "ci95": 0.0 } } ],
//!   "remarks": [{ "text": "..", "lines": [0] }] }
//! ```
//!
//! A column of text is a string. `tick` is null where the scenario gives none; `sd` and `ci95` are null for a single repetition; a column that no
//! repetition has a value in is left out. `behind` is by how much the line is more than the best of its point, repetition
//! by repetition; it is left out where nothing is compared. With `[energy]`, `pareto` is true for algorithms on the front of time and
//! energy of their point. `remarks` list the lines that are not to be relied on, and the reasons for surprising ones. Times are in ticks.

use super::pareto::fronts;
use super::remarks::remarks;
use super::summary::Summary;
use crate::config::Value;
use crate::scenario::{PARETO, Scenario};
use crate::statistics::STATISTICS;
use serde_json::{Map, Value as Json, json};

/// `summaries` of `scenario`, all lines of its table.
pub fn summary_json(scenario: &Scenario, summaries: &[Summary]) -> Json {
    let remarks = remarks(scenario, summaries);
    let mut lines: Vec<Map<String, Json>> = summaries.iter().map(|summary| line(scenario, summary)).collect();
    for (line, front) in lines.iter_mut().zip(fronts(summaries)) {
        line.extend(front.map(|is_on_front| (PARETO.to_owned(), is_on_front.into())));
    }
    json!({
        "name": scenario.name,
        "version": env!("CARGO_PKG_VERSION"),
        "hash": scenario.hash(),
        "tick": scenario.tick.as_ref().map(|tick| tick.text.as_str()),
        "axes": scenario.axes.iter().map(|axis| axis.column.as_str()).collect::<Vec<_>>(),
        "summary": lines,
        "remarks": remarks.iter().map(|remark| json!({ "text": remark.text, "lines": remark.lines })).collect::<Vec<_>>(),
    })
}

fn line(scenario: &Scenario, summary: &Summary) -> Map<String, Json> {
    let mut line = Map::new();
    line.insert("point".to_owned(), summary.point.into());
    line.extend(settings_json(scenario, summary.point));
    line.insert("algorithm".to_owned(), summary.algorithm.as_str().into());
    line.insert("repetitions".to_owned(), summary.repetitions.into());
    for column in scenario.result_columns().stored() {
        if column.is_text() {
            line.insert(column.name.to_owned(), scenario.text(summary.point, column.name).into());
            continue;
        }
        let Some(statistics) = summary.of(column.name) else { continue };
        let values = STATISTICS.into_iter().zip(statistics.in_order());
        let values: Map<String, Json> = values.map(|(name, value)| (name.to_owned(), value.into())).collect();
        line.insert(column.name.to_owned(), values.into());
    }
    if let Some(behind) = summary.behind {
        line.insert("behind".to_owned(), json!({ "mean": behind.mean, "ci95": behind.confidence }));
    }
    line
}

/// The value of each swept key at `point`.
///
/// # Panics
/// If there is no such point.
pub fn settings_json(scenario: &Scenario, point: usize) -> Map<String, Json> {
    let settings = &scenario.points[point].settings;
    let setting = |(axis, text): (&crate::config::Axis, &std::sync::Arc<str>)| {
        let value = axis.values.iter().find(|node| node.value.text() == **text);
        (axis.column.clone(), value.map_or_else(|| (&**text).into(), |node| typed(&node.value)))
    };
    scenario.axes.iter().zip(settings.iter()).map(setting).collect()
}

/// `value` with numbers as numbers.
fn typed(value: &Value) -> Json {
    match value {
        Value::Float(text) => text.replace('_', "").parse::<f64>().map_or_else(|_| text.as_str().into(), Json::from),
        Value::Array(values) => values.iter().map(|node| typed(&node.value)).collect(),
        other => other.json(),
    }
}
