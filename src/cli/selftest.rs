//! `flitwise selftest`.

use super::progress::{FIRST_LOGGED, MOST_LOGGED, SHOWN, duration, in_short, now};
use super::ui::Ui;
use super::{Failed, Interrupted, at_least_one, threads};
use anyhow::{Context, Result};
use clap::Args;
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use flitwise::cancel::Cancelled;
use flitwise::kind::words::grouped;
use flitwise::random;
use flitwise::selftest::{Area, Feature, Finding, Hunt, Hunted, Progress, is_within_case};
use indicatif::ProgressBar;
use std::fmt::Write as _;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::time::{Duration, Instant, SystemTime};

#[derive(Args)]
pub(super) struct Selftest {
    /// The number of the first case: those after it have the numbers after it [default: a fresh one, which is printed]
    #[arg(long, value_name = "S")]
    seed: Option<u64>,
    /// Cases of each area
    #[arg(long, value_name = "N", value_parser = at_least_one, conflicts_with = "minutes")]
    cases: Option<NonZeroUsize>,
    /// Minutes for all areas together
    #[arg(long, value_name = "M", value_parser = minutes, default_value = "1")]
    minutes: f64,
    /// This area alone
    #[arg(long, value_name = "AREA", value_parser = area())]
    only: Option<Area>,
    /// Where a folder for each case goes that breaks a law
    #[arg(short, long, value_name = "DIR", default_value = "selftest")]
    out: PathBuf,
    /// Threads that run cases [default: all cores]
    #[arg(short, long, value_name = "N", value_parser = at_least_one)]
    jobs: Option<NonZeroUsize>,
    /// Do not show how far it is
    #[arg(short, long)]
    quiet: bool,
}

/// The areas by their names.
fn area() -> impl TypedValueParser<Value = Area> {
    let names = Area::all().map(|area| PossibleValue::new(area.name()).help(area.summary()));
    PossibleValuesParser::new(names).try_map(|name| Area::named(&name).ok_or("no such area"))
}

/// A time in minutes, of at most a year.
fn minutes(text: &str) -> Result<f64, String> {
    let minutes = text.parse().ok().filter(|minutes| *minutes > 0.0 && *minutes <= 525_600.0);
    minutes.ok_or_else(|| "a number of minutes above 0, at most 525600".to_owned())
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
        let mut broken = Vec::new();
        for area in areas {
            let hunt = Hunt { area, seed, cases: limit.cases(), threads: threads(self.jobs) };
            let hunted = self.hunt(ui, hunt, limit)?;
            if let Some(finding) = &hunted.finding {
                self.keep(ui, finding)?;
                broken.push(finding.broken.law.name);
            }
        }
        match broken.as_slice() {
            [] => Ok(()),
            [law] => Err(Failed(format!("a law is broken: {law}")).into()),
            laws => Err(Failed(format!("{} laws are broken: {}", laws.len(), laws.join(", "))).into()),
        }
    }

    /// Hunts in an area, and says what came of it.
    fn hunt(&self, ui: &Ui, hunt: Hunt, limit: Limit) -> Result<Hunted> {
        let progress = Progress::default();
        let started = now();
        let token = ui.interrupts().token();
        let again = format!("flitwise selftest --only {} --seed {}", hunt.area.name(), hunt.seed);
        let _kept = ui.interrupts().end_in_order("ending the cases at work", format!("again: {again}"));
        let watch = Watch { ui, hunt, limit, progress: &progress, started };
        let work = || token.run(|| hunt.run(&progress, &|| !limit.is_over(started)));
        let hunted = if self.quiet { work() } else { watch.show(work) };
        let elapsed = started.elapsed();
        if let Ok(hunted) = &hunted {
            ui.print(&told(hunt.area, hunted, elapsed))?;
        }
        match hunted {
            Ok(hunted) if !token.is_cancelled() => Ok(hunted),
            Ok(_) | Err(Cancelled) => Err(Interrupted(format!("interrupted; again: {again}")).into()),
        }
    }

    /// Writes the files of `finding`, and prints it.
    fn keep(&self, ui: &Ui, finding: &Finding) -> Result<()> {
        let folder = self.out.join(finding.folder());
        write_files(&folder, finding).with_context(|| format!("cannot write {}", folder.display()))?;
        ui.print(&format!("\n{}", finding.in_words(&folder.display().to_string())))
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

/// Shows how far a hunt is.
struct Watch<'a> {
    ui: &'a Ui,
    hunt: Hunt,
    limit: Limit,
    progress: &'a Progress,
    started: Instant,
}

impl Watch<'_> {
    /// Does `work`, and shows how far it is: on a terminal as a bar, elsewhere now and then as a line.
    fn show<T>(&self, work: impl FnOnce() -> T) -> T {
        let (ended, wait) = mpsc::channel::<()>();
        std::thread::scope(|scope| {
            scope.spawn(move || self.paint(&wait));
            let worked = work();
            drop(ended);
            worked
        })
    }

    fn paint(&self, wait: &mpsc::Receiver<()>) {
        let bar = self.ui.bar();
        let mut next_line = FIRST_LOGGED;
        let mut gap = FIRST_LOGGED;
        while wait.recv_timeout(SHOWN) == Err(RecvTimeoutError::Timeout) {
            let elapsed = self.started.elapsed();
            if !bar.is_hidden() {
                self.show_on(&bar, elapsed);
            } else if elapsed >= next_line {
                self.ui.note(&self.in_words(elapsed));
                next_line = elapsed + gap;
                gap = (gap * 2).min(MOST_LOGGED);
            }
        }
        bar.finish_and_clear();
    }

    fn show_on(&self, bar: &ProgressBar, elapsed: Duration) {
        let share = self.limit.share(self.progress.cases(), elapsed);
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a share of a thousand")]
        bar.set_position((share * 1000.0) as u64);
        bar.set_message(self.in_words(elapsed));
    }

    fn in_words(&self, elapsed: Duration) -> String {
        let cases = self.progress.cases();
        let share = self.limit.share(cases, elapsed);
        let seconds = elapsed.as_secs_f64();
        let mut words = format!("{}: {} cases, {}", self.hunt.area.name(), grouped(cases), rate(cases, seconds));
        if share >= 1.0 {
            words += ", a case that breaks a law is made small";
        } else if share > 0.0 {
            let _ = write!(words, ", about {} left", duration(seconds * (1.0 - share) / share)); // a string takes everything
        }
        words
    }
}

#[expect(clippy::cast_precision_loss, reason = "for people to read")]
fn rate(cases: u64, seconds: f64) -> String {
    format!("{} cases/s", in_short(cases as f64 / seconds.max(1e-3)))
}

/// What came of the hunt in an area.
fn told(area: Area, hunted: &Hunted, elapsed: Duration) -> String {
    let Hunted { cases, messages, blocked, deadlocks, finding, .. } = hunted;
    let verdict = if finding.is_none() { "all laws hold" } else { "a law is broken" };
    let shown = [
        format!("{} cases", grouped(*cases)),
        format!("{} messages", grouped(*messages)),
        format!("waits in {}", grouped(*blocked)),
        format!("deadlocks in {}", grouped(*deadlocks)),
        rate(*cases, elapsed.as_secs_f64()),
    ];
    format!("{}: {verdict}; {}\n  {}\n", area.name(), shown.join(", "), pairs(area, hunted))
}

/// Which features were met together least often. Two kinds of networks never are.
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
            "{count} features, {} of {all} pairs met, not for one `{}` with `{}`",
            all - unmet,
            other.name(),
            one.name()
        ),
        Some((cases, one, other)) => {
            let rare = if cases == 1 { "1 case".to_owned() } else { format!("{} cases", grouped(cases)) };
            format!(
                "{count} features, all {all} pairs met, the rarest in {rare}: `{}` with `{}`",
                other.name(),
                one.name()
            )
        }
        None => format!("{count} features"),
    }
}
