//! Traces of the networks of a chip: what its processors read and wrote is done again on a simulated chip, and held against the
//! times that were recorded.
//!
//! ```text
//!   event     what a trace says, whatever its format
//!   npe       how one format says it
//!   map       what stands elsewhere
//!   prepare   what that makes: steps of processors and transfers between ends
//!   judge     a run beside what was recorded
//!   reads     what became of each read; findings: who kept whom waiting; remarks: what several runs show together
//!   links     where links are, and how busy they were; timeline: what moved when over which
//!   worms     which multicasts can wait for each other
//! ```

pub mod event;
mod findings;
mod judge;
mod links;
mod map;
pub(crate) mod npe;
pub mod prepare;
mod read;
mod reads;
mod remarks;
mod timeline;
mod worms;

pub(crate) use read::NocTrace;

use crate::engine::program::NocProgram;
use crate::engine::program::noc::{End, Transfer, Work};
use crate::engine::{Both, MessageSet, Outcome, Stop};
use crate::kind::timeline::Timeline;
use crate::kind::words::grouped;
use crate::kind::{
    Beside, Cell, Column, Columns, DURATION, Demand, Evidence, FirstWait, Footing, Format, Job, Keep, Kind, LinkWatch,
    MEASURED, Means, OncePerWorm, Planned, Read, Row, RowFailure, RowFile, RowId, Template, Workload, WorstCase,
    measure_in_place,
};
use crate::machine::{Device, Machine};
use crate::recording::{HopTable, Recorder, Recording};
use crate::routing::one_way::BITS;
use crate::units::{Flits, MessageId, SignedMillionths};
use judge::BARRIERS;
use read::{count, issue_name};
use reads::{Blockers, Seen};
use std::borrow::Cow;

/// The file of the trace.
const TRACE: Column = Column::text("trace").shown("trace", 0);
/// When processors do what was recorded.
const ISSUE: Column = Column::text("issue").shown("issue", 8);
/// Cores whose processors do something.
const CORES: Column = Column::count("cores").shown("cores", 9);
/// Reads.
const READS: Column = Column::count("reads").shown("reads", 7);
/// Bytes that are read.
const BYTES: Column = Column::count("bytes");
/// The length of the trace.
const CHIP: Column = Column::ticks("chip").shown("chip", 0);
/// How far the length that was simulated is off from it.
const ERROR: Column = Column::signed("error").shown("error", 0);
/// How far waits at barriers are off, half of them at most so much; and nine of ten.
const WAIT_ERROR_MEDIAN: Column = Column::millionths("wait_error_median").shown_as(
    "wait error",
    2,
    Cell::Computed(|means| percent(means, "wait_error_median")),
);
const WAIT_ERROR_P90: Column = Column::millionths("wait_error_p90").shown_as(
    "wait p90",
    3,
    Cell::Computed(|means| percent(means, "wait_error_p90")),
);
/// For how many ticks head flits waited for channels.
const BLOCKED: Column = Column::ticks("blocked").shown("blocked", 5);

const COLUMNS: [Column; 12] =
    [TRACE, ISSUE, CORES, READS, BYTES, CHIP, MEASURED, ERROR, WAIT_ERROR_MEDIAN, WAIT_ERROR_P90, BLOCKED, DURATION];

/// A mean as a per cent, without a sign: it is so much off whichever way.
fn percent(means: &Means<'_>, column: &str) -> Option<String> {
    Some(format!("{:.1} %", 100.0 * means.mean(column)?))
}

/// Traces of chips in the registry.
pub static KIND: Kind = Kind {
    name: "noc-trace",
    summary: "reads and writes of the processors of a chip, from a trace, compared with the recorded times",
    in_words: "a trace of a chip",
    keys: read::KEYS,
    columns: &COLUMNS,
    files: &[BARRIERS, reads::READS, links::LINKS],
    exports: &[Format::Npe, Format::NpeVisualiser],
    on_device: true,
    compares: &[],
    note,
    remarks: remarks::remarks,
    read: Read::Workload(read::read),
    template: Template {
        scenario: include_str!("template.toml"),
        files: &[("four-cores.json", include_bytes!("four-cores.json"))],
    },
    ..Kind::DEFAULT
};

fn note(unit: &str, columns: &Footing<'_>) -> String {
    let chip = if (columns.shows)("chip") { " chip: recorded time of the trace." } else { "" };
    let waits = match ((columns.shows)("wait error"), (columns.shows)("wait p90")) {
        (false, _) => "",
        (true, false) => {
            " wait error: median error of the waits. A wait is the time from the last read before a barrier to the end of \
             the barrier."
        }
        (true, true) => {
            " wait error, wait p90: median and 90th percentile of the errors of the waits. A wait is the time from the last \
             read before a barrier to the end of the barrier."
        }
    };
    format!("Times are in {unit}.{chip}{waits}\n")
}

impl Workload for NocTrace {
    fn kind(&self) -> &'static Kind {
        &KIND
    }

    fn text(&self, column: &str) -> Option<String> {
        match column {
            "trace" => Some(self.file.clone()),
            "issue" => Some(issue_name(self.issue).to_owned()),
            _ => None,
        }
    }

    fn participants(&self) -> usize {
        self.prepared.processors.len()
    }

    fn demand(&self, machine: &Machine, _: usize) -> Demand {
        let messages = self.prepared.messages();
        let of_transfer = |t: &Transfer| t.ends.len() as u64 * (t.there + t.back);
        let flits: u64 = self.prepared.transfers.iter().map(of_transfer).sum();
        let demand = Demand {
            nodes: machine.network_nodes(),
            messages,
            planning: 64 * count(messages),
            planning_time: 50 * count(messages),
            ..Demand::default()
        };
        demand.run_on(machine, flits / count(messages).max(1)).with_links(machine, self.details)
    }

    /// All that is sent, one message after the other, and all barriers, behind the last event.
    fn worst_case(&self, machine: &Machine) -> Option<WorstCase> {
        let path = machine.path_time();
        let flit_time = u128::from(machine.channel.flit_time);
        let busy = |flits| machine.device.as_ref().map_or(0, |device| device.busy(flits)) * flit_time;
        let each = |t: &Transfer| busy(t.there.saturating_add(t.back)) + 4 * path;
        let transfers: u128 = self.prepared.transfers.iter().map(|t| t.ends.len() as u128 * each(t)).sum();
        let barriers = self.prepared.barriers.len() as u128 * busy(0);
        let ticks = u128::from(self.prepared.length) + transfers + barriers;
        Some(WorstCase { ticks, key: "file", what: "this trace" })
    }

    fn title(&self, swept: &dyn Fn(&str) -> bool) -> Vec<String> {
        let reads = match self.prepared.reads().count() {
            1 => "1 read".to_owned(),
            reads => format!("{} reads", grouped(count(reads))),
        };
        let trace = if swept("file") { reads } else { format!("{reads} of {}", self.file) };
        let issue = (!swept("issue")).then(|| format!("issue = {}", issue_name(self.issue)));
        std::iter::once(trace).chain(issue).collect()
    }

    fn writes(&self, _: bool) -> &'static [RowFile] {
        if self.details { KIND.files } else { &KIND.files[..1] }
    }

    fn plan<'a>(&'a self, job: Job<'a>) -> Result<Box<dyn Planned + 'a>, RowFailure> {
        Ok(Box::new(Plan { workload: self, job, ends: ends(job.machine) }))
    }
}

/// The ends of a chip by node; none of a machine that is no chip, which is refused where it is read.
fn ends(machine: &Machine) -> Vec<End> {
    machine.device.as_ref().map(|device| device.ends(2)).unwrap_or_default()
}

struct Plan<'a> {
    workload: &'a NocTrace,
    job: Job<'a>,
    ends: Vec<End>,
}

impl Plan<'_> {
    #[expect(clippy::expect_used, reason = "a trace is read only with a chip")]
    fn device(&self) -> &Device {
        self.job.machine.device.as_ref().expect("a trace of a chip is not read without one")
    }

    fn program(&self) -> NocProgram<'_> {
        let device = self.device();
        let prepared = &*self.workload.prepared;
        NocProgram::new(Work {
            processors: &prepared.steps,
            transfers: &prepared.transfers,
            ends: &prepared.ends,
            nodes: &self.ends,
            overheads: device.overheads(),
            issue: self.workload.issue,
            classes: BITS.into(),
            rows: device.rows,
        })
    }

    fn count(&self, row: &mut Row, outcome: &Outcome) {
        let prepared = &self.workload.prepared;
        let mut cores: Vec<_> = prepared.processors.iter().map(|who| who.core).collect();
        cores.sort_unstable();
        cores.dedup();
        row.nodes = cores.len();
        row.messages = outcome.messages.len();
        row.set(&CORES, count(cores.len()));
        row.set(&READS, count(prepared.reads().count()));
        row.set(&BYTES, prepared.reads().map(|(_, read)| read.bytes).sum());
        row.set(&BLOCKED, outcome.blocked_time.0);
    }

    fn compare(&self, row: &mut Row, waited: &[judge::Waited<'_>]) {
        let trace = self.workload;
        if !trace.compare {
            return;
        }
        row.set(&CHIP, trace.prepared.length);
        if let Some(error) = judge::error(row.measured().0, trace.prepared.length) {
            let SignedMillionths(error) = judge::millionths(error);
            row.set_signed(&ERROR, error);
        }
        if let Some(errors) = judge::wait_errors(waited) {
            for (column, error) in [&WAIT_ERROR_MEDIAN, &WAIT_ERROR_P90].into_iter().zip(errors) {
                let SignedMillionths(error) = judge::millionths(error);
                row.set(column, error.unsigned_abs());
            }
        }
    }

    /// Runs it and puts what was measured into `row`, with what `keep` asks for.
    fn measure(&self, row: &mut Row, keep: Keep<'_>) -> Result<(), RowFailure> {
        let machine = self.job.machine;
        let mut program = self.program();
        let lengths = lengths(&program);
        let name = |message: usize| (count(message), lengths[message]);
        let Some(spec) = machine.spec().filter(|_| self.workload.details) else {
            let outcome = measure_in_place(machine, &mut program, row, Beside { keep, links: false, name: &name })?;
            outcome.iter().for_each(|outcome| self.tell(row, &program, outcome));
            return Ok(());
        };
        let flits = |message: MessageId| lengths[message.index()];
        let mut watch = LinkWatch::new(&flits);
        let mut blockers = Blockers::new(lengths.len());
        let mut both = Both(&mut blockers, keep.watch);
        let mut once = OncePerWorm::new(&mut watch, &program);
        let mut all = Both(&mut once, &mut both);
        let keep = Keep { watch: Some(&mut all), ..Keep::messages(keep.messages) };
        let outcome = measure_in_place(machine, &mut program, row, Beside { keep, links: false, name: &name })?;
        let Some(outcome) = outcome else { return Ok(()) };
        self.tell(row, &program, &outcome);
        let seen = Seen { trace: self.workload, program: &program, messages: &outcome.messages, blockers: &blockers };
        row.add_lines(&reads::READS, self.workload.prepared.reads().map(|(_, read)| seen.line(read)));
        row.add_lines(&links::LINKS, links::rows(spec, watch.lines(machine, row.measured())));
        Ok(())
    }

    /// Runs it, and what that shows in sentences.
    fn findings(&self) -> Result<Evidence, RowFailure> {
        let machine = self.job.machine;
        let mut program = self.program();
        let lengths = lengths(&program);
        let mut recorder = Recorder::new(machine, HopTable::default());
        let mut row = Row::new(
            RowId { point: 0, algorithm: 0, repetition: 0 },
            KIND.name,
            self.job.seed,
            Columns::of_kind(&COLUMNS),
        );
        let name = |message: usize| (count(message), lengths[message]);
        let keep = Keep { watch: Some(&mut recorder), ..Keep::messages(true) };
        let beside = Beside { keep, links: false, name: &name };
        let Some(outcome) = measure_in_place(machine, &mut program, &mut row, beside)? else {
            return Ok(Evidence::new());
        };
        let hops = recorder.finish().0;
        let completion = outcome.completion;
        let recording = Recording {
            machine: Cow::Borrowed(machine),
            completion,
            messages: row.details,
            hops,
            computations: Vec::new(),
            timeline: None,
            end: None,
        };
        let run =
            judge::Run { trace: self.workload, device: self.device(), program: &program, messages: &outcome.messages };
        let seen = findings::Seen { prepared: &self.workload.prepared, program: &program, recording: &recording };
        let spent = findings::of_waits(&judge::waited(&run));
        let waits = seen.waits();
        let found = [spent, waits.channels(), waits.pairs(), waits.longest()];
        Ok(found.into_iter().flatten().fold(Evidence::new(), Evidence::note))
    }

    /// Puts what became of `program` into `row`.
    fn tell(&self, row: &mut Row, program: &NocProgram<'_>, outcome: &Outcome) {
        self.count(row, outcome);
        let run = judge::Run { trace: self.workload, device: self.device(), program, messages: &outcome.messages };
        let waited = judge::waited(&run);
        self.compare(row, &waited);
        row.add_lines(&BARRIERS, waited.iter().map(|waited| judge::line(self.workload, waited)));
    }
}

/// The lengths of all messages.
fn lengths(program: &NocProgram<'_>) -> Vec<Flits> {
    (0..program.messages()).map(|message| program.message(MessageId::new(message)).2).collect()
}

impl Planned for Plan<'_> {
    /// What is shown is who kept whom waiting: of reads that are given there is nothing to prove. What stops the run is a finding
    /// of the run that looks for contention.
    fn verify(&self) -> Result<Evidence, RowFailure> {
        let network = self.job.machine.network();
        let worms =
            network.and_then(|network| worms::that_can_block(&self.workload.prepared, &self.program(), network));
        let found = match self.findings() {
            Err(RowFailure::Stopped(_)) => Evidence::new(),
            found => found?,
        };
        Ok(worms.into_iter().fold(found, Evidence::note))
    }

    fn run(&self, row: &mut Row, keep: Keep<'_>) -> Result<(), RowFailure> {
        self.measure(row, keep)
    }

    fn watch(&self, watch: &mut FirstWait) -> Option<Result<Outcome, Stop>> {
        self.job.machine.run(self.program(), self.job.draw(), watch)
    }

    fn timeline(&self) -> Option<Result<Timeline, RowFailure>> {
        self.traced()
    }
}
