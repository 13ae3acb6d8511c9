//! The files of a sweep, put together from its journals.

use super::plan::Plan;
use super::record::Record;
use super::store::Store;
use crate::report::{Folder, METRICS, Output, Sample, Summaries, Summary, SummaryCsv};
use std::io::{self, Write};

/// Writes every file that rows add lines to, and `summary.csv`, to `folder`: the same bytes whoever wrote the journals of
/// `store`, and when. Returns the summaries.
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
    let mut summaries = Summaries::default();
    for (at, unit) in plan.units.iter().enumerate() {
        let record = store.read(at)?;
        for (name, lines) in &record.files {
            if let Some((_, output)) = outputs.iter_mut().find(|(output, _)| output == name) {
                output.write_all(lines.as_bytes())?;
            }
        }
        let algorithm = &plan.points[unit.point].algorithms[unit.algorithm];
        for sample in samples(&record)? {
            summaries.add_sample(unit.point, algorithm, sample);
        }
    }
    outputs.into_iter().try_for_each(|(_, output)| Folder::close(output))?;
    let summaries = summaries.finish();
    Folder::close(SummaryCsv::write(&plan.labels, &summaries, folder.output(SummaryCsv::NAME)?)?)?;
    Ok(summaries)
}

/// What is summarised of each row of `record`.
fn samples(record: &Record) -> io::Result<Vec<Sample>> {
    let rows = usize::try_from(record.rows).map_err(|_| io::ErrorKind::InvalidData)?;
    let mut samples = vec![[None; METRICS.len()]; rows];
    for (name, values) in &record.metrics {
        let metric = METRICS.iter().position(|(metric, _)| metric == name).ok_or(io::ErrorKind::InvalidData)?;
        for (sample, value) in samples.iter_mut().zip(values) {
            sample[metric] = *value;
        }
    }
    Ok(samples)
}
