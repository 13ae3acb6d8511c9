//! `flitwise run -v`: the engines that ran and the reasons for them, time and threads.

use anyhow::{Context, Result};
use flitwise::engine::Engine;
use flitwise::kind::words::counted;
use flitwise::output::RunInfo;
use flitwise::scenario::{Experiment, Scenario};
use std::path::Path;

/// Describes the run whose rows are in `directory`, one fact per line.
///
/// # Errors
/// Returns an error if `rows.csv` cannot be read.
pub(super) fn details(scenario: &Scenario, directory: &Path, ran: Option<RunInfo>) -> Result<String> {
    let mut text = String::new();
    for (sentence, rows) in engines(scenario, directory)? {
        text += &format!("{}: {sentence}\n", counted(rows, "row"));
    }
    if let Some(ran) = ran {
        let threads = counted(ran.jobs as u64, "thread");
        let resumed = match ran.resumed_rows {
            0 => String::new(),
            rows => format!(", {} from an earlier run", counted(rows, "row")),
        };
        text += &format!("{:.2} s on {threads}{resumed}\n", ran.wall_time_seconds);
    }
    Ok(text)
}

/// Describes the threads of a row of `experiment` on `engine`, if it could have several.
fn threads(experiment: &Experiment, engine: Engine) -> String {
    match (engine, experiment.workload.one_thread(&experiment.machine), experiment.machine.threads) {
        (Engine::Router, Some(reason), _) => format!("; one thread: {reason}"),
        (Engine::Router, None, Some(threads)) => format!("; {}", counted(threads.get() as u64, "thread")),
        (Engine::Router, None, None) => "; idle threads help with large networks".to_owned(),
        _ => String::new(),
    }
}

/// Returns each distinct description of an engine with the number of rows that it holds for.
fn engines(scenario: &Scenario, directory: &Path) -> Result<Vec<(String, u64)>> {
    let path = directory.join("rows.csv");
    let unreadable = || format!("cannot read {}", path.display());
    let mut csv = csv::Reader::from_path(&path).with_context(unreadable)?;
    let column = csv.headers().with_context(unreadable)?.iter().position(|name| name == "engine");
    // rows are in the order of points, and each point has as many as it has algorithms and repetitions
    let points = scenario.points.iter().flat_map(|point| {
        let repetitions = usize::try_from(point.experiment.repetitions).unwrap_or(usize::MAX);
        let rows = point.experiment.workload.variants().len().saturating_mul(repetitions);
        std::iter::repeat_n(point, rows)
    });
    let mut found: Vec<(String, u64)> = Vec::new();
    for (record, point) in csv.records().zip(points) {
        let record = record.with_context(unreadable)?;
        let name = column.and_then(|column| record.get(column)).unwrap_or_default();
        let sentence = match Engine::ALL.iter().find(|(_, known, _)| *known == name) {
            None => "no engine ran; the result is the prediction of the model".to_owned(),
            Some(&(engine, ..)) => {
                let experiment = &point.experiment;
                format!("{name} engine, {}{}", experiment.machine.engine_reason(engine), threads(experiment, engine))
            }
        };
        match found.iter_mut().find(|(known, _)| *known == sentence) {
            Some((_, rows)) => *rows += 1,
            None => found.push((sentence, 1)),
        }
    }
    Ok(found)
}
