//! A sweep as its journals need it: what is known of it without the scenario.

use super::hops::HEADER;
use super::identity::Identity;
use crate::kind::text;
use crate::output::{HOPS, Labels, Manifest, RowFiles, Text};
use crate::run::{Unit, units_keeping};
use crate::scenario::{PointId, Scenario};
use serde::{Deserialize, Serialize};
use std::io::{self, BufReader, BufWriter, Write};
use std::path::Path;
use std::sync::Arc;
use thiserror::Error;

/// The file that shards leave a plan in.
pub const PLAN: &str = "plan.json";

/// Everything that is needed to put the files of a sweep together from its journals.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Plan {
    /// What its results depend on.
    pub identity: Identity,
    /// What `summary.csv` says besides numbers.
    pub labels: Labels,
    /// Its points.
    pub points: Vec<Planned>,
    /// Its units, in the order of rows.
    pub units: Vec<Unit>,
    /// The files that rows add lines to, each with its header.
    pub files: Vec<(String, String)>,
    /// `manifest.json`, but for how it was run.
    pub manifest: serde_json::Value,
}

/// What a run keeps beside its rows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Kept {
    /// What happened to every message.
    pub messages: bool,
    /// Every hop of every message.
    pub hops: bool,
}

/// A point.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Planned {
    /// What it is known by.
    pub id: PointId,
    /// The names of its algorithms.
    pub algorithms: Arc<[String]>,
}

/// Why there is no plan.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum PlanError {
    /// A header is not text.
    #[error(transparent)]
    Header(#[from] csv::Error),
    /// It cannot be written or read.
    #[error(transparent)]
    Io(#[from] io::Error),
    /// It is not JSON, or not that of a plan.
    #[error(transparent)]
    Json(#[from] serde_json::Error),
}

impl Plan {
    /// The plan of `scenario`, with what is `kept` besides.
    ///
    /// # Errors
    /// If a header is not text.
    pub fn new(scenario: &Scenario, kept: Kept) -> Result<Self, PlanError> {
        let Kept { messages, hops } = kept;
        let headers = RowFiles::new(scenario, messages).headers()?.into_iter();
        let mut files: Vec<_> = headers.map(|Text { file, text }| (file.to_owned(), text)).collect();
        if hops {
            files.push((HOPS.to_owned(), text(|csv| csv.write_record(HEADER))?));
        }
        let mut last: Arc<[String]> = Arc::default();
        let points = scenario.points.iter().map(|point| {
            let names = point.experiment.workload.variants();
            // mostly those of the point before
            if !names.iter().eq(last.iter()) {
                last = names.into_iter().map(str::to_owned).collect();
            }
            Planned { id: point.id, algorithms: Arc::clone(&last) }
        });
        Ok(Self {
            identity: Identity::new(scenario, &files, kept),
            labels: Labels::new(scenario),
            points: points.collect(),
            units: units_keeping(scenario, messages),
            files,
            manifest: serde_json::to_value(Manifest::new(scenario)?)?,
        })
    }

    /// Whether every hop is kept.
    pub fn keeps_hops(&self) -> bool {
        self.files.iter().any(|(name, _)| name == HOPS)
    }

    /// How many rows there are.
    pub fn rows(&self) -> u64 {
        self.units.iter().map(|unit| unit.rows).sum()
    }

    /// Leaves it in `folder`, whole or not at all.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn write(&self, folder: &Path) -> Result<(), PlanError> {
        let mut file = tempfile::Builder::new().prefix(".plan-").tempfile_in(folder)?;
        let mut output = BufWriter::new(file.as_file_mut());
        serde_json::to_writer(&mut output, self)?;
        output.flush()?;
        drop(output);
        file.as_file().sync_all()?;
        readable(file.as_file())?;
        file.persist(folder.join(PLAN)).map_err(|error| error.error)?;
        Ok(())
    }

    /// The plan in `folder`.
    ///
    /// # Errors
    /// If there is none, or it cannot be read.
    pub fn read(folder: &Path) -> Result<Self, PlanError> {
        let file = std::fs::File::open(folder.join(PLAN))?;
        let plan: Self = serde_json::from_reader(BufReader::new(file))?;
        match plan.flaw() {
            None => Ok(plan),
            Some(flaw) => Err(PlanError::Json(serde::de::Error::custom(flaw))),
        }
    }

    /// What is in no plan that was written: parts of it that do not belong together.
    fn flaw(&self) -> Option<&'static str> {
        let Self { labels, points, units, .. } = self;
        let of_points = labels.texts.iter().map(|texts| texts.of_points.len()).chain([labels.settings.len()]);
        if of_points.into_iter().any(|count| count != points.len()) {
            return Some("it has labels of other points than it has");
        }
        if labels.settings.iter().any(|settings| settings.len() != labels.axes.len()) {
            return Some("a point has other settings than the axes");
        }
        let is_known = |unit: &Unit| points.get(unit.point).is_some_and(|p| unit.algorithm < p.algorithms.len());
        if !units.iter().all(is_known) {
            return Some("a unit is of a point or an algorithm that is not there");
        }
        // journals are looked up in the order of units
        if !units.is_sorted_by(|a, b| (a.point, a.algorithm, a.from) < (b.point, b.algorithm, b.from)) {
            return Some("its units are not in order");
        }
        let ends = units.iter().try_fold(0_u64, |rows, unit| {
            unit.from.checked_add(unit.rows)?;
            rows.checked_add(unit.rows).filter(|_| unit.rows > 0)
        });
        if ends.is_none() { Some("its units have no rows, or more than can be counted") } else { None }
    }

    /// `unit` in words: its point with what is swept there, its algorithm, its repetitions.
    ///
    /// # Panics
    /// If it is not a unit of this plan.
    pub fn in_words(&self, unit: &Unit) -> String {
        let Unit { point, algorithm, from, rows, .. } = *unit;
        let settings = self.labels.axes.iter().zip(self.labels.settings[point].iter());
        let settings: String = settings.map(|(key, value)| format!(" {key} = {value},")).collect();
        let algorithm = &self.points[point].algorithms[algorithm];
        let repetitions = if rows == 1 { format!("{from}") } else { format!("{from}..{}", from + rows - 1) };
        format!("point {point}:{settings} {algorithm}, repetition {repetitions}")
    }
}

/// Temporary files are private; outputs are as other files are.
#[cfg(unix)]
fn readable(file: &std::fs::File) -> io::Result<()> {
    use std::os::unix::fs::PermissionsExt;
    file.set_permissions(std::fs::Permissions::from_mode(0o644))
}

#[cfg(not(unix))]
fn readable(_: &std::fs::File) -> io::Result<()> {
    Ok(())
}
