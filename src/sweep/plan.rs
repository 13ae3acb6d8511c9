//! A sweep as its journals need it: what is known of it without the scenario.

use super::hops::HEADER;
use super::identity::Identity;
use super::record::{decode, sealed};
use crate::kind::{DetailFiles, text};
use crate::output::{HOPS, Labels, Manifest, RowFiles, Text, temporary_file};
use crate::run::{Unit, units_keeping};
use crate::scenario::{PointId, Scenario};
use serde::{Deserialize, Serialize};
use std::io::{self, Write};
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
    /// It cannot be written as JSON.
    #[error(transparent)]
    Json(#[from] serde_json::Error),
    /// Its file is not as it was written.
    #[error("its checksum does not match")]
    Damaged,
}

impl Plan {
    /// The plan of `scenario`, with what is `kept` besides.
    ///
    /// # Errors
    /// If a header is not text.
    pub fn new(scenario: &Scenario, kept: DetailFiles) -> Result<Self, PlanError> {
        let headers = RowFiles::new(scenario, kept).headers()?.into_iter();
        let mut files: Vec<_> = headers.map(|Text { file, text }| (file.to_owned(), text)).collect();
        if kept.hops {
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
            units: units_keeping(scenario, kept),
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

    /// Leaves it in `folder`, whole or not at all: a line with a check, as those of journals are.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn write(&self, folder: &Path) -> Result<(), PlanError> {
        let mut file = temporary_file(folder)?;
        file.write_all(&sealed(self)?)?;
        file.as_file().sync_all()?;
        file.persist(folder.join(PLAN)).map_err(|error| error.error)?;
        Ok(())
    }

    /// The plan in `folder`.
    ///
    /// # Errors
    /// If there is none, or it cannot be read, or any byte of it has changed.
    pub fn read(folder: &Path) -> Result<Self, PlanError> {
        let bytes = std::fs::read(folder.join(PLAN))?;
        let line = bytes.strip_suffix(b"\n").ok_or(PlanError::Damaged)?;
        let plan = decode(line).map(|(plan, _)| plan).filter(|plan: &Self| plan.is_whole());
        plan.ok_or(PlanError::Damaged)
    }

    /// Whether its parts belong together, as they do in every plan that was written.
    fn is_whole(&self) -> bool {
        let Self { labels, points, units, .. } = self;
        let of_points = labels.texts.iter().map(|texts| texts.of_points.len()).chain([labels.settings.len()]);
        let is_known = |unit: &Unit| points.get(unit.point).is_some_and(|p| unit.algorithm < p.algorithms.len());
        let rows = units.iter().try_fold(0_u64, |rows, unit| {
            unit.from.checked_add(unit.rows)?;
            rows.checked_add(unit.rows).filter(|_| unit.rows > 0)
        });
        of_points.into_iter().all(|count| count == points.len())
            && labels.settings.iter().all(|settings| settings.len() == labels.axes.len())
            && units.iter().all(is_known)
            // journals are looked up in the order of units
            && units.is_sorted_by(|a, b| (a.point, a.algorithm, a.from) < (b.point, b.algorithm, b.from))
            && rows.is_some()
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
