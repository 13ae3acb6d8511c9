//! Sweeps against themselves: on one thread and on several, in shards, killed at any byte of what they had written, and damaged.

use super::apart::TASKS;
use super::features::{Feature, FeatureSet, Swarm};
use super::laws::{AS_WRITTEN, Broken, DAMAGE, ENDS, Law, NO_PANIC, SAME_BYTES};
use super::report::Shown;
use super::subject::{About, Effort, Subject};
use super::swept::{Place, Swept};
use crate::output::SummaryCsv;
use crate::run::{Unit, WorkerPool, tasks};
use crate::scenario::Scenario;
use crate::sweep::{DetailFiles, Line, Mode, Plan, Record, Shard, Store, StoreError, gather, record};
use std::collections::BTreeMap;
use std::fmt::Display;
use std::num::NonZeroUsize;
use std::path::Path;
use std::sync::atomic::AtomicBool;

static ABOUT: About = About {
    name: "sweeps",
    summary: "sweeps on several threads, in shards, or resumed after a kill or damage, compared with the same sweep on one thread",
    laws: &[&SAME_BYTES, &DAMAGE, &AS_WRITTEN, &NO_PANIC, &ENDS],
    features: FeatureSet::of(TASKS).and(FeatureSet::of(&[
        Feature::Loads,
        Feature::SeveralAlgorithms,
        Feature::SweptKeys,
        Feature::Repetitions,
        Feature::KeptMessages,
        Feature::Threads,
        Feature::Shards,
        Feature::Killed,
        Feature::DamagedJournals,
    ])),
};

/// The area.
pub(super) struct Sweeps;

impl Subject for Sweeps {
    type Case = Swept;

    fn about(&self) -> &'static About {
        &ABOUT
    }

    fn draw(&self, swarm: &mut Swarm) -> Swept {
        Swept::draw(swarm)
    }

    fn judge(&self, case: &Swept) -> Result<Effort, Broken> {
        judge(case, ours)
    }

    fn runs(&self, _: &Swept, _: &Broken) -> Vec<Shown> {
        vec![Shown { name: "one", arguments: "--jobs 1" }, Shown { name: "several", arguments: "--jobs 3" }]
    }
}

/// What computes a unit: the rows of this crate, or in tests rows that are broken on purpose.
type Compute = fn(&Scenario, &Unit, bool) -> Option<Record>;

fn ours(scenario: &Scenario, unit: &Unit, messages: bool) -> Option<Record> {
    record(scenario, unit, DetailFiles { messages, ..DetailFiles::default() }, None).ok()
}

/// The files of a sweep by name.
type Files = BTreeMap<String, Vec<u8>>;

/// Says of an error that `law` does not hold.
fn breaks<E: Display>(law: &'static Law, doing: &'static str) -> impl Fn(E) -> Broken {
    move |error| law.broken(format!("{doing}: {error}"))
}

/// Holds `case`, whose units `compute` computes, against all laws.
fn judge(case: &Swept, compute: Compute) -> Result<Effort, Broken> {
    let law = &SAME_BYTES;
    let scenario: Scenario = case.scenario("case").parse().map_err(breaks(law, "reading the scenario"))?;
    let plan = Plan::new(&scenario, DetailFiles { messages: case.messages, ..DetailFiles::default() })
        .map_err(breaks(law, "planning"))?;
    let folder = tempfile::tempdir().map_err(breaks(law, "creating a directory"))?;
    let sweep = Sweep { scenario: &scenario, plan: &plan, messages: case.messages, compute };
    let one = folder.path().join("one");
    let expected = sweep.run(&one, Mode::Fresh, 1).map_err(breaks(law, "running on one thread"))?;
    let held = Held { case, sweep, folder: folder.path(), expected: &expected };
    held.several()?;
    held.sharded()?;
    let journal = std::fs::read(one.join(Shard::WHOLE.journal())).map_err(breaks(law, "reading the journal"))?;
    case.kills.iter().try_for_each(|kill| held.killed(&journal, kill.place(journal.len() + 1)))?;
    case.damages.iter().try_for_each(|damage| held.damaged(&journal, *damage))?;
    Ok(Effort::default())
}

/// A sweep that has been run on one thread.
#[derive(Clone, Copy)]
struct Held<'a> {
    case: &'a Swept,
    sweep: Sweep<'a>,
    /// Where it is run again.
    folder: &'a Path,
    /// What came out.
    expected: &'a Files,
}

impl Held<'_> {
    fn several(self) -> Result<(), Broken> {
        let several = self.sweep.run(&self.folder.join("several"), Mode::Fresh, self.case.threads);
        let several = several.map_err(breaks(&SAME_BYTES, "running on several threads"))?;
        same(&SAME_BYTES, "one thread and several threads", self.expected, &several)
    }

    fn sharded(self) -> Result<(), Broken> {
        let Some(of) = NonZeroUsize::new(self.case.shards).filter(|of| of.get() > 1) else { return Ok(()) };
        let sharded = self.sweep.sharded(&self.folder.join("shards"), of, self.case.threads);
        let sharded = sharded.map_err(breaks(&SAME_BYTES, "running shards"))?;
        same(&SAME_BYTES, "one run and shards", self.expected, &sharded)
    }

    /// Gone on with when so many bytes of `journal` had been written.
    fn killed(self, journal: &[u8], until: usize) -> Result<(), Broken> {
        let resumed = self.sweep.resumed(&self.folder.join("killed"), &journal[..until], self.case.threads);
        let resumed = resumed.map_err(breaks(&SAME_BYTES, "resuming the killed sweep"))?;
        let what = format!("uninterrupted and killed after byte {until} of {}", journal.len());
        same(&SAME_BYTES, &what, self.expected, &resumed)
    }

    /// Gone on with when a bit of `journal` was another.
    fn damaged(self, journal: &[u8], damage: Place) -> Result<(), Broken> {
        let at = damage.place(journal.len());
        let mut damaged = journal.to_vec();
        damaged[at] ^= damage.bit();
        match self.sweep.resumed(&self.folder.join("damaged"), &damaged, self.case.threads) {
            Ok(resumed) => same(&DAMAGE, &format!("unchanged and with byte {at} changed"), self.expected, &resumed),
            Err(StoreError::NoJournal(_) | StoreError::Changed { .. } | StoreError::Disagree { .. }) => Ok(()),
            Err(other) => Err(DAMAGE.broken(format!("resuming after a change of byte {at}: {other}"))),
        }
    }
}

/// That all files have the same bytes.
fn same(law: &'static Law, what: &str, one: &Files, other: &Files) -> Result<(), Broken> {
    for (name, bytes) in one {
        let lines = |bytes: &[u8]| String::from_utf8_lossy(bytes).lines().map(str::to_owned).collect::<Vec<String>>();
        let there = other.get(name).map_or(&[][..], Vec::as_slice);
        law.all_equal(format_args!("{name}, {what}"), &lines(bytes), &lines(there))?;
        law.equal(format_args!("ends of lines of {name}, {what}"), &(bytes == there), &true)?;
    }
    law.equal(format_args!("number of files, {what}"), &one.len(), &other.len())
}

/// A sweep that is run again and again.
#[derive(Clone, Copy)]
struct Sweep<'a> {
    scenario: &'a Scenario,
    plan: &'a Plan,
    messages: bool,
    compute: Compute,
}

impl Sweep<'_> {
    /// All of it in `folder`: its files.
    fn run(self, folder: &Path, mode: Mode, threads: usize) -> Result<Files, StoreError> {
        let mut store = Store::open(folder, self.plan, Shard::WHOLE, mode)?;
        self.compute(&mut store, Shard::WHOLE, threads);
        self.files(folder, &mut store)
    }

    /// Shard by shard, and put together.
    fn sharded(self, folder: &Path, of: NonZeroUsize, threads: usize) -> Result<Files, StoreError> {
        for number in 1..=of.get() {
            let Ok(shard) = Shard::new(number, of) else { continue };
            let mut store = Store::open(folder, self.plan, shard, Mode::Fresh)?;
            self.compute(&mut store, shard, threads);
        }
        let mut store = Store::to_merge(folder, self.plan)?;
        self.files(folder, &mut store)
    }

    /// Gone on with in `folder`, where nothing is but `journal`.
    fn resumed(self, folder: &Path, journal: &[u8], threads: usize) -> Result<Files, StoreError> {
        let io = |error| StoreError::Io(folder.to_owned(), error);
        std::fs::create_dir_all(folder).map_err(io)?;
        std::fs::write(folder.join(Shard::WHOLE.journal()), journal).map_err(io)?;
        let files = self.run(folder, Mode::Resume, threads)?;
        std::fs::remove_dir_all(folder).map_err(io)?;
        Ok(files)
    }

    /// What the journals lack of `shard`.
    fn compute(self, store: &mut Store, shard: Shard, threads: usize) {
        let units = &self.plan.units;
        let chosen: Vec<usize> = shard.share(units).into_iter().filter(|&unit| !store.has(unit)).collect();
        let threads = NonZeroUsize::new(threads).unwrap_or(NonZeroUsize::MIN);
        let pool = WorkerPool { threads, memory: u64::MAX };
        let compute = |unit: usize| (self.compute)(self.scenario, &units[unit], self.messages).map(Line::new);
        // a row that fails is missing when the files are put together
        let _ = pool.work(tasks(self.scenario, units, &chosen), &AtomicBool::new(false), compute, |made| {
            let lines = made.into_iter().filter_map(|(unit, line)| Some((unit, line?.ok()?)));
            store.append(lines.collect())
        });
    }

    /// The files, put together from the journals of `store`.
    fn files(self, folder: &Path, store: &mut Store) -> Result<Files, StoreError> {
        let io = |error| StoreError::Io(folder.to_owned(), error);
        let mut files: Files =
            self.plan.files.iter().map(|(name, header)| (name.clone(), header.clone().into())).collect();
        let summaries = gather(self.plan, store, |name, lines| {
            files.entry(name.to_owned()).or_default().extend_from_slice(lines.as_bytes());
            Ok(())
        });
        let summary = SummaryCsv::write(&self.plan.labels, &summaries.map_err(io)?, Vec::new());
        files.insert(SummaryCsv::NAME.to_owned(), summary.map_err(|error| io(error.into()))?);
        Ok(files)
    }
}

#[cfg(test)]
#[allow(clippy::panic, reason = "a test that cannot go on fails")]
mod tests {
    use super::super::minimise::minimise;
    use super::*;
    use crate::random;
    use std::sync::atomic::{AtomicU64, Ordering};

    fn drawn(number: u64) -> Swept {
        Swept::draw(&mut Swarm::new(random::stream(number, ABOUT.name, 0), ABOUT.features))
    }

    #[test]
    fn nothing_is_found_where_nothing_is_planted() {
        let broken = (0..60).find_map(|number| Some((number, judge(&drawn(number), ours).err()?)));
        assert_eq!(broken, None);
    }

    /// Rows that depend on how many were computed before them.
    fn counted(scenario: &Scenario, unit: &Unit, messages: bool) -> Option<Record> {
        static BEFORE: AtomicU64 = AtomicU64::new(0);
        let mut record = ours(scenario, unit, messages)?;
        let before = BEFORE.fetch_add(1, Ordering::Relaxed);
        record.values.iter_mut().flatten().flatten().for_each(|value| *value += u128::from(before));
        Some(record)
    }

    #[test]
    fn rows_that_are_not_computed_from_their_experiments_alone_are_found() {
        let Err(broken) = judge(&drawn(0), counted) else { panic!("nothing is found") };
        assert_eq!(broken.law.name, "same-bytes");
        let small = minimise(drawn(0), broken, |case| judge(case, counted).err()).case;
        assert_eq!((small.values.len(), small.threads, small.shards), (1, 1, 1));
        assert!(small.algorithms.len() <= 1, "a load has none");
    }

    #[test]
    fn what_is_left_of_a_case_is_small() {
        let has_two = |case: &Swept| (case.values.len() > 1).then(|| SAME_BYTES.broken("two values"));
        let Some(case) = (0..100).map(drawn).find(|case| case.values.len() > 3) else {
            panic!("no long sweep is drawn")
        };
        let small = minimise(case, SAME_BYTES.broken("two values"), has_two).case;
        assert_eq!((small.values.len(), small.threads, small.shards), (2, 1, 1));
        assert!(small.algorithms.len() <= 1, "a load has none");
        assert!(small.kills.is_empty() && small.damages.is_empty() && !small.messages);
    }
}
