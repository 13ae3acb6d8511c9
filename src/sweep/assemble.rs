//! The files of a sweep, put together from its journals.

use super::hops::HopParts;
use super::plan::Plan;
use super::store::Store;
use crate::cancel;
use crate::output::{Folder, HOPS, Output, Summaries, Summary, SummaryCsv};
use std::io::{self, Write};

/// Writes every file that rows add lines to, and `summary.csv`, to `folder`: the same bytes whichever runs wrote the journals
/// of `store`, and when. Returns the summaries.
///
/// # Errors
/// If a unit is missing, or a file cannot be written.
pub fn assemble(plan: &Plan, store: &mut Store, folder: &Folder) -> csv::Result<Vec<Summary>> {
    let mut outputs: Vec<(&str, Output)> = Vec::new();
    for (name, header) in &plan.files {
        let mut output = folder.output(name)?;
        output.write_all(header.as_bytes())?;
        outputs.push((name, output));
    }
    let summaries = gather(plan, store, |file, lines| match outputs.iter_mut().find(|(output, _)| *output == file) {
        Some((_, output)) => output.write_all(lines.as_bytes()),
        None => Ok(()),
    })?;
    if let Some((_, output)) = outputs.iter_mut().find(|(name, _)| *name == HOPS) {
        HopParts::new(store.folder()).write_lines(plan, output)?;
    }
    outputs.into_iter().try_for_each(|(_, output)| Folder::close(output))?;
    Folder::close(SummaryCsv::write(&plan.labels, &summaries, folder.output(SummaryCsv::NAME)?)?)?;
    Ok(summaries)
}

/// Tells `take` the lines that each unit adds to each file, in the order of rows, and returns the summaries.
///
/// # Errors
/// If a unit is missing, or `take` fails.
pub fn gather(
    plan: &Plan,
    store: &mut Store,
    mut take: impl FnMut(&str, &str) -> io::Result<()>,
) -> io::Result<Vec<Summary>> {
    let summaries = Summaries::of_metrics(&plan.labels.metrics, &plan.labels.compares);
    let mut summaries = summaries.with_parts(plan.labels.parts.clone());
    for (at, unit) in plan.units.iter().enumerate() {
        cancel::checkpoint();
        let record = store.take(at)?;
        for (name, lines) in &record.files {
            take(name, lines)?;
        }
        let algorithm = &plan.points[unit.point].algorithms[unit.algorithm];
        for values in &record.values {
            summaries.add_values(unit.point, algorithm, values);
        }
        record.files.iter().for_each(|(name, lines)| summaries.add_lines(name, lines));
    }
    Ok(summaries.finish())
}
