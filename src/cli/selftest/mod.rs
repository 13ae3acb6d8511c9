//! `flitwise selftest`.

mod told;
mod watch;

use super::progress::now;
use super::ui::Ui;
use super::{Failed, Interrupted, at_least_one, threads};
use anyhow::{Context, Result};
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use clap::{Args, ValueHint};
use flitwise::cancel::Cancelled;
use flitwise::random;
use flitwise::selftest::{Area, Finding, Hunt, Hunted, Progress, is_within_case};
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant, SystemTime};
use told::{PairsFile, told};
use watch::Watch;

#[derive(Args)]
pub(super) struct Selftest {
    /// Seed of the first case, increased by 1 for each further case [default: random, printed at the start]
    #[arg(long, value_name = "S")]
    seed: Option<u64>,
    /// Number of cases per area, instead of --minutes
    #[arg(long, value_name = "N", value_parser = at_least_one, conflicts_with = "minutes")]
    cases: Option<NonZeroUsize>,
    /// Total time for all areas, in minutes
    #[arg(long, value_name = "M", value_parser = minutes, default_value = "1")]
    minutes: f64,
    /// Test only this area
    #[arg(long, value_name = "AREA", value_parser = area())]
    only: Option<Area>,
    /// Stop after the first area with a violation
    #[arg(long)]
    first: bool,
    /// Write a CSV file with the number of cases per pair of features
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pairs: Option<PathBuf>,
    /// Output directory, with a subdirectory for each failing case
    #[arg(short, long, value_name = "DIR", default_value = "selftest")]
    out: PathBuf,
    /// Number of threads [default: all cores]
    #[arg(short, long, value_name = "N", value_parser = at_least_one)]
    jobs: Option<NonZeroUsize>,
    /// Do not show progress
    #[arg(short, long)]
    quiet: bool,
}

/// The areas by their names.
fn area() -> impl TypedValueParser<Value = Area> {
    let names = Area::all().map(|area| PossibleValue::new(area.name()).help(area.summary()));
    PossibleValuesParser::new(names).try_map(|name| Area::named(&name).ok_or("unknown area"))
}

/// A time in minutes, of at most a year.
fn minutes(text: &str) -> Result<f64, String> {
    let minutes = text.parse().ok().filter(|minutes| *minutes > 0.0 && *minutes <= 525_600.0);
    minutes.ok_or_else(|| "must be a number of minutes above 0, at most 525600".to_owned())
}

/// When an area is over.
#[derive(Clone, Copy)]
enum Limit {
    Cases(u64),
    Time(Duration),
}

impl Selftest {
    pub(super) fn execute(&self, ui: &Ui) -> Result<()> {
        let seed = self.seed.unwrap_or_else(fresh_seed);
        let areas: Vec<Area> =
            Area::all().filter(|area| self.only.is_none_or(|only| only.name() == area.name())).collect();
        let limit = match self.cases {
            Some(cases) => Limit::Cases(cases.get() as u64),
            None => Limit::Time(Duration::from_secs_f64(self.minutes * 60.0).div_f64(areas.len() as f64)),
        };
        ui.print(&format!("seed {seed}\n"))?;
        silence_cases();
        let mut pairs = self.pairs.as_deref().map(PairsFile::create).transpose()?;
        let mut broken = Vec::new();
        for area in areas {
            let hunt = Hunt { area, seed, cases: limit.cases(), threads: threads(self.jobs) };
            let hunted = self.hunt(ui, hunt, limit)?;
            if let Some(pairs) = &mut pairs {
                pairs.add(area, &hunted)?;
            }
            if let Some(finding) = &hunted.finding {
                self.keep(ui, finding)?;
                broken.push(finding.broken.law.name);
                if self.first {
                    break;
                }
            }
        }
        Ok(verdict(&broken)?)
    }

    /// Hunts in an area, and says what came of it.
    fn hunt(&self, ui: &Ui, hunt: Hunt, limit: Limit) -> Result<Hunted> {
        let progress = Progress::new(hunt.threads);
        let started = now();
        let token = ui.interrupts().token();
        let again = format!("flitwise selftest --only {} --seed {}", hunt.area.name(), hunt.seed);
        let _kept = ui.interrupts().end_in_order("stopping", format!("repeat with: {again}"));
        let watch = Watch { ui, hunt, limit, progress: &progress, started, quiet: self.quiet };
        let never_ends = |finding: &Finding| self.keep(ui, finding);
        let hunted = watch.over(never_ends, || token.run(|| hunt.run(&progress, &|| !limit.is_over(started))));
        let elapsed = started.elapsed();
        if let Ok(hunted) = &hunted {
            ui.print(&told(hunt.area, hunted, elapsed))?;
        }
        match hunted {
            Ok(hunted) if !token.is_cancelled() => Ok(hunted),
            Ok(_) | Err(Cancelled) => Err(Interrupted(format!("interrupted; repeat with: {again}")).into()),
        }
    }

    /// Writes the files of `finding`, and prints it.
    fn keep(&self, ui: &Ui, finding: &Finding) -> Result<()> {
        let folder = self.out.join(finding.folder());
        write_files(&folder, finding).with_context(|| format!("cannot write {}", folder.display()))?;
        ui.print(&format!("\n{}", finding.in_words(&folder.display().to_string())))
    }
}

/// Fails if laws are `broken`, which are told by their names.
fn verdict(broken: &[&str]) -> Result<(), Failed> {
    match broken {
        [] => Ok(()),
        [law] => Err(Failed(format!("violated invariant: {law}"))),
        laws => Err(Failed(format!("{} violated invariants: {}", laws.len(), laws.join(", ")))),
    }
}

fn write_files(folder: &Path, finding: &Finding) -> std::io::Result<()> {
    std::fs::create_dir_all(folder)?;
    finding.files.iter().try_for_each(|file| std::fs::write(folder.join(file.name), &file.text))
}

/// A seed that no run before had: short enough to be typed again.
#[expect(clippy::disallowed_methods, reason = "every run is to try other cases; the seed is printed")]
fn fresh_seed() -> u64 {
    let since = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    random::mixed(since.as_secs(), u64::from(since.subsec_nanos()) << 32 | u64::from(std::process::id())) >> 24
}

/// Panics within cases are findings, of which the report tells.
fn silence_cases() {
    let others = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |info| {
        if !is_within_case() {
            others(info);
        }
    }));
}

impl Limit {
    fn cases(self) -> u64 {
        match self {
            Self::Cases(cases) => cases,
            Self::Time(_) => u64::MAX,
        }
    }

    fn is_over(self, started: Instant) -> bool {
        matches!(self, Self::Time(time) if started.elapsed() >= time)
    }

    /// How much of it is over, from 0 to 1.
    #[expect(clippy::cast_precision_loss, reason = "for people to read")]
    fn share(self, cases: u64, elapsed: Duration) -> f64 {
        match self {
            Self::Cases(all) => cases as f64 / all as f64,
            Self::Time(time) => elapsed.as_secs_f64() / time.as_secs_f64(),
        }
        .min(1.0)
    }
}
