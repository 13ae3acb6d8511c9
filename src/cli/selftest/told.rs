//! Summary of a finished search.

use super::super::progress::in_short;
use anyhow::{Context, Result};
use flitwise::kind::words::grouped;
use flitwise::selftest::{Area, Feature, Hunted};
use std::fs::File;
use std::path::{Path, PathBuf};
use std::time::Duration;

#[expect(clippy::cast_precision_loss, reason = "for people to read")]
pub(super) fn rate(cases: u64, seconds: f64) -> String {
    format!("{} cases/s", in_short(cases as f64 / seconds.max(1e-3)))
}

/// A number of cases, such as `1,000 cases`.
fn cases_text(cases: u64) -> String {
    format!("{} {}", grouped(cases), if cases == 1 { "case" } else { "cases" })
}

/// Describes the result of the search in an area.
pub(super) fn told(area: Area, hunted: &Hunted, elapsed: Duration) -> String {
    let Hunted { cases, messages, blocked, deadlocks, finding, .. } = hunted;
    let verdict = if finding.is_none() { "all invariants hold" } else { "an invariant is violated" };
    let mut shown = vec![cases_text(*cases)];
    // not of areas whose cases send none
    if *messages > 0 {
        shown.push(format!("{} {}", grouped(*messages), if *messages == 1 { "message" } else { "messages" }));
        shown.push(format!("contention in {}", cases_text(*blocked)));
        shown.push(format!("deadlock in {}", cases_text(*deadlocks)));
    }
    shown.push(rate(*cases, elapsed.as_secs_f64()));
    format!("{}: {verdict}; {}\n  {}\n", area.name(), shown.join(", "), pairs(area, hunted))
}

/// Describes the pair of features that occurred together least often. Two kinds of networks never occur together.
fn pairs(area: Area, hunted: &Hunted) -> String {
    let features: Vec<Feature> = area.features().iter().collect();
    let mut rarest: Option<(u64, Feature, Feature)> = None;
    let mut unmet = 0;
    let mut all = 0;
    for (at, &one) in features.iter().enumerate() {
        for &other in features[..at].iter().filter(|&&other| one.goes_with(other)) {
            let cases = hunted.met.cases(one, other);
            all += 1;
            unmet += u64::from(cases == 0);
            if rarest.is_none_or(|(fewest, ..)| cases < fewest) {
                rarest = Some((cases, one, other));
            }
        }
    }
    let count = features.len();
    match rarest {
        Some((0, one, other)) => format!(
            "{count} features, {} of {all} pairs covered; {unmet} not, for example `{}` with `{}`",
            all - unmet,
            other.name(),
            one.name()
        ),
        Some((cases, one, other)) => {
            let rare = cases_text(cases);
            format!(
                "{count} features, all {all} pairs covered; rarest pair, in {rare}: `{}` with `{}`",
                other.name(),
                one.name()
            )
        }
        None => format!("{count} features"),
    }
}

/// A CSV file of how many cases of each area had each two features.
pub(super) struct PairsFile {
    path: PathBuf,
    csv: csv::Writer<File>,
}

impl PairsFile {
    /// With the header alone.
    pub(super) fn create(path: &Path) -> Result<Self> {
        let file = File::create(path).with_context(|| format!("cannot write {}", path.display()))?;
        let mut pairs = Self { path: path.to_owned(), csv: csv::Writer::from_writer(file) };
        pairs.line(&["area", "feature", "with", "cases"])?;
        Ok(pairs)
    }

    /// The pairs of `area`; a feature with itself is how many cases had it.
    pub(super) fn add(&mut self, area: Area, hunted: &Hunted) -> Result<()> {
        let features: Vec<Feature> = area.features().iter().collect();
        for (at, &one) in features.iter().enumerate() {
            for &other in features[at..].iter().filter(|&&other| other == one || one.goes_with(other)) {
                let cases = hunted.met.cases(one, other).to_string();
                self.line(&[area.name(), one.name(), other.name(), &cases])?;
            }
        }
        self.csv.flush().with_context(|| self.not_written())
    }

    fn line(&mut self, fields: &[&str]) -> Result<()> {
        self.csv.write_record(fields).with_context(|| self.not_written())
    }

    fn not_written(&self) -> String {
        format!("cannot write {}", self.path.display())
    }
}
