//! The folder of a sweep: who may write it, and which units are done.

use super::hops::{HopParts, Part};
use super::identity::Identity;
use super::journal::{Contents, Damage, Journal, Mark, Span, journals};
use super::lock::{Hold, LockError, lock};
use super::plan::{Plan, PlanError};
use super::record::{Beginning, Ending, Entry, Line, Record, decode};
use super::shard::Shard;
use crate::kind::words::counted;
use crate::output::{clear, outputs};
use crate::run::Unit;
use rustc_hash::FxHashMap;
use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};
use thiserror::Error;

/// The file whose lock says which run writes the folder: shards share it, any other run has it alone.
pub(super) const LOCK: &str = ".lock";

/// The most bytes of records of this run that are kept in memory, so that most need not be read back from the journal.
const MOST_KEPT: usize = 64 << 20;

/// What becomes of an output that exists.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// It is refused.
    Fresh,
    /// It is continued; if there is none, one is begun.
    Resume,
    /// It is begun again.
    Force,
}

/// Why a folder was not opened.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum StoreError {
    /// Another run writes it.
    #[error("{} is being written by another run; wait until it has finished", .0.display())]
    Busy(PathBuf),
    /// There is an output.
    #[error("{} already exists; --resume continues it, --force overwrites it, --out writes elsewhere", .0.display())]
    Exists(PathBuf),
    /// There is an output and no record of its rows.
    #[error("{} cannot be resumed: its journal is missing; --force overwrites it", .0.display())]
    NoJournal(PathBuf),
    /// The results in a directory belong to another scenario.
    #[error("{} holds results of another scenario: {}; {}", .directory.display(), .differences.join("; "), advice(*.own))]
    Changed {
        /// The output directory.
        directory: PathBuf,
        /// True if they are results of the same shard, which this run would write.
        own: bool,
        /// Descriptions of the differences.
        differences: Vec<String>,
    },
    /// The results of another scenario in a directory are incomplete, so that they can still be resumed.
    #[error(
        "{} holds an interrupted run of another scenario, {done} of {}: {}; resume that run, discard it with \
         --force, or choose another --out", .directory.display(), counted(*.rows, "row"), .differences.join("; ")
    )]
    Incomplete {
        /// The output directory.
        directory: PathBuf,
        /// The number of rows that are done.
        done: u64,
        /// The number of rows of the run.
        rows: u64,
        /// Descriptions of the differences.
        differences: Vec<String>,
    },
    /// A run that took long would be lost.
    #[error(
        "{} holds an earlier run, which took {minutes} minutes and would be replaced; rename or remove it, or choose \
         another --out", .backup.display()
    )]
    PreciousBackup {
        /// The directory of the earlier run.
        backup: PathBuf,
        /// Its computing time in minutes.
        minutes: f64,
    },
    /// The name of the backup is taken.
    #[error("earlier results cannot be moved to {}, which is not an output of flitwise; rename it, or choose another --out", .0.display())]
    NotABackup(PathBuf),
    /// Two journals say different things of the same rows, which one program never does.
    #[error("{} and {} contain different results for {unit}; remove the invalid one", .one.display(), .other.display())]
    Disagree {
        /// What about.
        unit: String,
        /// One journal.
        one: PathBuf,
        /// Another one, or the same.
        other: PathBuf,
    },
    /// The folder cannot be locked.
    #[error("cannot lock {}: {}", .0.display(), .1)]
    Lock(PathBuf, LockError),
    /// The folder, or a file in it, cannot be read or written.
    #[error("cannot write to {}: {}", .0.display(), .1)]
    Io(PathBuf, io::Error),
    /// The plan of the shards cannot be written to the folder.
    #[error("cannot write the plan of the shards to {}: {}", .0.display(), .1)]
    Plan(PathBuf, PlanError),
}

impl StoreError {
    /// Returns true if the directory is in order and the options of the run do not allow its contents to be replaced.
    pub fn is_refusal(&self) -> bool {
        use StoreError::{Changed, Exists, Incomplete, NoJournal, NotABackup, PreciousBackup};
        matches!(
            self,
            Exists(_) | NoJournal(_) | Changed { .. } | Incomplete { .. } | PreciousBackup { .. } | NotABackup(_)
        )
    }
}

fn advice(own: bool) -> &'static str {
    match own {
        true => "--force overwrites them, --out writes elsewhere",
        false => "remove the directory to start again, or choose another --out",
    }
}

pub(super) fn at(path: &Path) -> impl FnOnce(io::Error) -> StoreError + '_ {
    |error| StoreError::Io(path.to_owned(), error)
}

/// A folder that is held, and what its journals say.
#[derive(Debug)]
pub struct Store {
    folder: PathBuf,
    _lock: File,
    journals: Vec<(PathBuf, Option<File>)>,
    /// Where each unit of the plan is: in which journal, and where there.
    places: Vec<Option<(usize, Span)>>,
    damage: Vec<Damage>,
    endings: Vec<Ending>,
    /// The journal that is written, and which it is.
    own: Option<(Journal, usize)>,
    /// Records of this run by unit, as many as fit.
    kept: FxHashMap<usize, Record>,
    kept_memory: usize,
}

impl Store {
    /// Opens `folder` to write the journal of `shard`, and makes it if there is none.
    ///
    /// # Errors
    /// If another run writes it, if `mode` does not allow what is there, or if it was made from something else.
    pub fn open(folder: &Path, plan: &Plan, shard: Shard, mode: Mode) -> Result<Self, StoreError> {
        std::fs::create_dir_all(folder).map_err(at(folder))?;
        let hold = if shard.is_whole() { Hold::Alone } else { Hold::Shared };
        let mut store = Self::held(folder, hold, plan)?;
        let path = folder.join(shard.journal());
        match mode {
            Mode::Fresh => refuse_existing(folder, shard)?,
            Mode::Resume => refuse_without_journal(folder)?,
            Mode::Force => {}
        }
        if mode != Mode::Resume && shard.is_whole() {
            begin_again(folder).map_err(at(folder))?;
        }
        let file = lock(&path, Hold::Alone).map_err(|error| locked(&path, error))?;
        // without --resume there is nothing in it to go on with
        if mode != Mode::Resume {
            file.set_len(0).map_err(at(&path))?;
        }
        let length = store.gather(plan, Some((&path, shard)))?;
        let mut journal = Journal::behind(file, length).map_err(at(&path))?;
        if length == 0 {
            let share = shard.share(&plan.units);
            let rows = share.iter().map(|&unit| plan.units[unit].rows).sum();
            let beginning = Beginning { shard, units: share.len(), rows, identity: plan.identity.clone() };
            journal.say(&Entry::Began(beginning)).map_err(at(&path))?;
        }
        let own = store.journals.iter().position(|(other, _)| *other == path);
        store.own = own.map(|own| (journal, own));
        if shard.is_whole() {
            clear(folder).map_err(at(folder))?;
        } else {
            write_plan(folder, plan)?;
        }
        Ok(store)
    }

    /// Opens `folder` to put its journals together.
    ///
    /// # Errors
    /// If a run writes it, or a journal belongs to another plan.
    pub fn to_merge(folder: &Path, plan: &Plan) -> Result<Self, StoreError> {
        let mut store = Self::held(folder, Hold::Alone, plan)?;
        store.gather(plan, None)?;
        clear(folder).map_err(at(folder))?;
        Ok(store)
    }

    /// Opens `folder`, and makes it if there is none, to see what its journals have, while others may write theirs; leaves
    /// `plan` in it.
    ///
    /// # Errors
    /// As [`to_merge`](Self::to_merge).
    pub fn to_look(folder: &Path, plan: &Plan) -> Result<Self, StoreError> {
        std::fs::create_dir_all(folder).map_err(at(folder))?;
        let mut store = Self::held(folder, Hold::Shared, plan)?;
        // what is being written has an end that is not there yet
        store.gather(plan, None)?;
        store.damage.retain(|damage| !damage.torn);
        write_plan(folder, plan)?;
        Ok(store)
    }

    /// Opens `folder`, which is there, to see what its journals have, and changes nothing.
    ///
    /// # Errors
    /// If another run has it alone, or a journal belongs to another plan.
    pub fn to_read(folder: &Path, plan: &Plan) -> Result<Self, StoreError> {
        let mut store = Self::held(folder, Hold::Shared, plan)?;
        store.gather(plan, None)?;
        Ok(store)
    }

    fn held(folder: &Path, hold: Hold, plan: &Plan) -> Result<Self, StoreError> {
        let path = folder.join(LOCK);
        let held = lock(&path, hold).map_err(|error| locked(&path, error))?;
        let places = vec![None; plan.units.len()];
        Ok(Self {
            folder: folder.to_owned(),
            _lock: held,
            journals: Vec::new(),
            places,
            damage: Vec::new(),
            endings: Vec::new(),
            own: None,
            kept: FxHashMap::default(),
            kept_memory: 0,
        })
    }

    /// Reads all journals; `own` is the one that will be written. Returns how much of that stays.
    fn gather(&mut self, plan: &Plan, own: Option<(&Path, Shard)>) -> Result<u64, StoreError> {
        let mut kept = 0;
        for path in journals(&self.folder).map_err(at(&self.folder))? {
            let mut contents = Contents::read(&path).map_err(at(&path))?;
            let is_own = own.is_some_and(|(own, _)| own == path);
            // another run may be writing the last line of any other journal
            contents.damage.retain(|damage| is_own || own.is_none() || !damage.torn);
            self.damage.append(&mut contents.damage);
            self.journals.push((path.clone(), None));
            let Some(began) = &contents.began else { continue };
            let differences = differences(plan, began, own.filter(|_| is_own).map(|(_, shard)| shard));
            if !differences.is_empty() {
                return Err(StoreError::Changed { directory: self.folder.clone(), own: is_own, differences });
            }
            self.endings.append(&mut contents.ended);
            self.index(plan, &contents.done)?;
            if is_own {
                kept = contents.length;
            }
        }
        if plan.keeps_hops() {
            self.look_at_hops();
        }
        Ok(kept)
    }

    /// A unit whose hops are not there, or damaged, is not done.
    fn look_at_hops(&mut self) {
        let parts = HopParts::new(&self.folder);
        for (unit, place) in self.places.iter_mut().enumerate().filter(|(_, place)| place.is_some()) {
            match parts.part(unit) {
                Part::Whole => continue,
                Part::Missing => {}
                Part::Damaged(file) => self.damage.push(Damage { file, line: None, torn: false }),
            }
            *place = None;
        }
    }

    /// Notes what the last journal has done.
    fn index(&mut self, plan: &Plan, done: &[(Mark, Span)]) -> Result<(), StoreError> {
        let journal = self.journals.len() - 1;
        for (mark, span) in done {
            let Some(unit) = find(plan, mark) else { continue };
            match self.places[unit] {
                None => self.places[unit] = Some((journal, *span)),
                Some((_, before)) if before.check == span.check => {}
                Some((before, _)) => {
                    return Err(StoreError::Disagree {
                        unit: plan.in_words(&plan.units[unit]),
                        one: self.journals[before].0.clone(),
                        other: self.journals[journal].0.clone(),
                    });
                }
            }
        }
        Ok(())
    }

    /// The folder.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Lines that do not pass; what they were about is not done.
    pub fn damage(&self) -> &[Damage] {
        &self.damage
    }

    /// How many journals there are.
    pub fn journals(&self) -> usize {
        self.journals.len()
    }

    /// How the runs before ended that left nothing to do.
    pub fn endings(&self) -> &[Ending] {
        &self.endings
    }

    /// Whether `unit` is done.
    pub fn has(&self, unit: usize) -> bool {
        self.places.get(unit).is_some_and(Option::is_some)
    }

    /// The units that no journal has, in order.
    pub fn missing(&self) -> Vec<usize> {
        (0..self.places.len()).filter(|&unit| !self.has(unit)).collect()
    }

    /// Appends the lines of units that are done, all at once.
    ///
    /// # Errors
    /// If they cannot be written; none of them is then done.
    pub fn append(&mut self, lines: Vec<(usize, Line)>) -> io::Result<()> {
        let (journal, own) = self.own.as_mut().ok_or(io::ErrorKind::ReadOnlyFilesystem)?;
        let mut offset = journal.length();
        journal.append(lines.iter().flat_map(|(_, line)| line.pieces()))?;
        for (unit, line) in lines {
            self.places[unit] = Some((*own, Span { offset, length: line.length(), check: 0 }));
            offset += line.pieces().map(|piece| piece.len() as u64).sum::<u64>();
            let record = line.into_record();
            let memory = self.kept_memory + record.memory();
            if memory <= MOST_KEPT {
                self.kept.insert(unit, record);
                self.kept_memory = memory;
            }
        }
        Ok(())
    }

    /// Appends a line that says `entry`.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn say(&mut self, entry: &Entry<'_>) -> io::Result<()> {
        self.own.as_mut().map_or(Ok(()), |(journal, _)| journal.say(entry))
    }

    /// Makes sure that what was appended survives a loss of power.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn sync(&self) -> io::Result<()> {
        self.own.as_ref().map_or(Ok(()), |(journal, _)| journal.sync())
    }

    /// Takes what `unit` left.
    ///
    /// # Errors
    /// If it is not done, or its line cannot be read any more.
    pub fn take(&mut self, unit: usize) -> io::Result<Record> {
        if let Some(record) = self.kept.remove(&unit) {
            return Ok(record);
        }
        let (journal, span) = self.places.get(unit).copied().flatten().ok_or(io::ErrorKind::NotFound)?;
        let (path, file) = &mut self.journals[journal];
        let file = match file {
            Some(file) => file,
            None => file.insert(File::open(&*path)?),
        };
        let mut line = vec![0; span.length + 1];
        file.seek(SeekFrom::Start(span.offset))?;
        file.read_exact(&mut line)?;
        let changed =
            || io::Error::new(io::ErrorKind::InvalidData, format!("{} changed while it was read", path.display()));
        let Some((Entry::Done(record), _)) = decode(&line[..span.length]) else { return Err(changed()) };
        let mut record = record.into_owned();
        for described in std::mem::take(&mut record.behind) {
            let text = described.read(file)?.ok_or_else(changed)?;
            record.files.push((described.file, text));
        }
        Ok(record)
    }
}

/// Leaves `plan` in `folder`, unless it is there.
fn write_plan(folder: &Path, plan: &Plan) -> Result<(), StoreError> {
    if Plan::read(folder).is_ok_and(|found| found.identity == plan.identity) {
        return Ok(());
    }
    plan.write(folder).map_err(|error| StoreError::Plan(folder.to_owned(), error))
}

pub(super) fn locked(path: &Path, error: LockError) -> StoreError {
    match error {
        LockError::Busy if path.ends_with(LOCK) => StoreError::Busy(path.parent().unwrap_or(path).to_owned()),
        LockError::Busy => StoreError::Busy(path.to_owned()),
        LockError::Io(error) => StoreError::Io(path.to_owned(), error),
        error @ LockError::Unsupported(_) => StoreError::Lock(path.to_owned(), error),
    }
}

/// How a journal that `began` so differs from what `plan`, and `shard` if it is given, would write.
fn differences(plan: &Plan, began: &Beginning, shard: Option<Shard>) -> Vec<String> {
    let differences = Identity::differences(&plan.identity, &began.identity);
    match shard.filter(|shard| differences.is_empty() && *shard != began.shard) {
        Some(shard) => vec![format!("it is the journal of shard {}, not {shard}", began.shard)],
        None => differences,
    }
}

/// The unit that `mark` is of.
fn find(plan: &Plan, mark: &Mark) -> Option<usize> {
    let key = |unit: &Unit| (unit.point, unit.algorithm, unit.from);
    let at = plan.units.binary_search_by_key(&(mark.point, mark.algorithm, mark.from), key).ok()?;
    (plan.units[at].rows == mark.rows && plan.points[mark.point].id == mark.id).then_some(at)
}

/// Refuses what is there, but for the journals of other shards of as many, and those in which nothing is done.
fn refuse_existing(folder: &Path, shard: Shard) -> Result<(), StoreError> {
    let files = outputs().into_iter().map(|name| folder.join(name));
    let of_others = |path: &PathBuf| {
        let others = format!("-of-{}.jsonl", shard.of());
        let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        name.ends_with(&others) && name != shard.journal()
    };
    let begun = |path: &PathBuf| Contents::read(path).map_or(true, |contents| !contents.done.is_empty());
    let journals = journals(folder).map_err(at(folder))?.into_iter().filter(|path| !of_others(path) && begun(path));
    match files.chain(journals).find(|path| path.is_file()) {
        Some(found) => Err(StoreError::Exists(found)),
        None => Ok(()),
    }
}

fn refuse_without_journal(folder: &Path) -> Result<(), StoreError> {
    let found = outputs().into_iter().map(|name| folder.join(name)).find(|path| path.is_file());
    match found.filter(|_| journals(folder).is_ok_and(|journals| journals.is_empty())) {
        Some(found) => Err(StoreError::NoJournal(found)),
        None => Ok(()),
    }
}

/// Removes what a run before has left to go on with.
fn begin_again(folder: &Path) -> io::Result<()> {
    for journal in journals(folder)? {
        std::fs::remove_file(journal)?;
    }
    HopParts::new(folder).clear()?;
    match std::fs::remove_file(folder.join(super::plan::PLAN)) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}
