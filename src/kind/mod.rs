//! What a workload is, in one contract: it registers its name, keys, columns, files and diagrams; it reads its table,
//! plans, and what it planned verifies, predicts, runs and lists its messages.
//!
//! ```text
//!   Kind      data, one static each, registered in workload::KINDS: all that is known before a scenario is read
//!   Workload  what a table says, validated: variants, demand, plan(job)
//!   Planned   one row: verify, run into a Row, messages, holdings, graph, goal, timeline, diagrams
//!   Row       data: values in the order of the kind's columns, lines of the kind's files
//! ```
//!
//! This floor knows no kind by name. A kind knows nothing of how rows are scheduled, printed or drawn.

mod column;
mod columns;
mod contention;
mod copies;
mod deadlock;
mod demand;
pub mod diagram;
mod energy;
mod evidence;
mod faults;
mod file;
mod ground;
mod links;
mod measure;
mod once;
mod remark;
mod row;
mod selection;
mod source;
pub mod timeline;
mod tree_deadlock;
mod trees;
mod view;
pub mod words;

pub(crate) use column::{
    ACCEPTED_BANDWIDTH, ALGBW, BLOCKED_HEADERS, BLOCKED_MESSAGES, BLOCKED_TIME, BUSBW, BYTES, CONFIDENCE, DURATION,
    MARGIN, MARGIN_TITLE, QUEUED_MESSAGES, QUEUED_TIME, TIMED, VS_BEST, VS_MODEL, headline, then_timed, with_sizes,
};
pub use column::{Cell, Column, MEASURED, Means, PREDICTED, Payload, Shown, Unit};
pub use columns::Columns;
pub use contention::{Contention, FirstWait};
pub(crate) use copies::{PacketCounts, with_copies};
pub use deadlock::{DeadlockFreedom, PossibleDeadlock};
pub use demand::{Demand, Estimate};
pub use diagram::Diagram;
pub(crate) use diagram::{DiagramError, Picture};
pub(crate) use energy::{ACTIVITY, ENERGY, ENERGY_COLUMNS, FlitCounter, TraversalWatch, Traversals};
pub use evidence::{Evidence, Fact};
#[cfg(feature = "plots")]
pub(crate) use faults::all_fault_columns;
pub(crate) use faults::{FAULTS, fault_columns};
pub use file::{Lines, RowFile, text};
pub use links::{LINKS, LinkLine, LinkLoad};
pub(crate) use links::{LINKS_KEY, LinkWatch, read_links};
pub use measure::{Beside, DetailFiles, Keep, measure};
pub(crate) use measure::{measure_in_place, measure_with_causes};
pub(crate) use once::OncePerWorm;
pub use remark::{LeftOut, Remark, ResultLine};
pub(crate) use remark::{ModelledTimes, SAME_MACHINE, Unfit, odd_models};
pub use row::{Detail, Row, RowError, RowFailure, RowId};
pub(crate) use selection::{Admitted, Selection};
pub use source::{Program, ReadSource, Report, Scene, Source};
pub use tree_deadlock::{
    TreeDeadlock, TreeFindings, TreeRefusal, tree_certificate, tree_findings, tree_set, trees_sentence,
};
pub(crate) use trees::{TREES_HEADER, tell_tree};
pub use trees::{TreeEnds, TreeLine};
pub use view::{Block, BlockHoldings, Carried, Format, Graph, Held, PlannedMessage, listed};
pub(crate) use view::{COMBINED_HEADER, HOLDINGS_HEADER, SCHEDULE_HEADER};

use crate::config::{Diagnostic, Files, Reader};
use crate::costs::NodeCosts;
use crate::engine::program::TraceMessage;
use crate::engine::{MessageSet, Outcome, Stop};
use crate::machine::{Draw, Machine};
use crate::schedule::goal::Goal;
use crate::units::Key;
use diagram::Transfer;
use serde::Serialize;
use std::any::Any;
use std::borrow::Cow;
use std::fmt;
use std::sync::Arc;
use timeline::Timeline;
use words::{Times, counted};

/// The reader of a kind's table. Errors have been reported if it returns none.
#[derive(Clone, Copy, Debug)]
pub enum Read {
    /// Reads the whole table.
    Workload(fn(&Reader<'_>, &Setting<'_>, &mut Files<'_>) -> Option<Arc<dyn Workload>>),
    /// Reads the keys of a kind of application that are its own. All applications have the others.
    Source(ReadSource),
}

/// A kind of workload: what is known of it before any scenario is read.
#[derive(Clone, Copy, Debug)]
pub struct Kind {
    /// The name of its table, `[workload.NAME]`.
    pub name: &'static str,
    /// What it is, in a few words.
    pub summary: &'static str,
    /// What it is called in messages, such as `an exchange`.
    pub in_words: &'static str,
    /// The keys of its table.
    pub keys: &'static [Key],
    /// Tables at the top of a scenario that it reads, and kinds without them do not.
    pub tables: &'static [Key],
    /// What it counts, in the order of its table.
    pub columns: &'static [Column],
    /// The columns of a scenario that states the size of a flit. Empty if they are `columns`.
    pub columns_with_sizes: &'static [Column],
    /// The files that its rows may add lines to.
    pub files: &'static [RowFile],
    /// The file of the parts of a row, for kinds whose table has a line for each part below the row.
    pub parts: Option<Parts>,
    /// Whether `--messages` keeps what happened to every message.
    pub keeps_messages: bool,
    /// Whether it runs on a `[network.grid]`, and on nothing else.
    pub needs_grid: bool,
    /// Whether it is open-loop traffic: packets that are made whatever happens, and nodes without costs.
    pub open_loop: bool,
    /// Whether it is what processors of a chip do: it runs on both networks of a `[device]`, which says all that there is to say
    /// of a machine.
    pub on_device: bool,
    /// True if lengths of messages are in bytes, rather than in flits.
    pub counts_bytes: bool,
    /// The scenarios in which receivers combine messages with data of their own.
    pub combining: Combining,
    /// What `flitwise schedule` prints of it beside diagrams.
    pub exports: &'static [Format],
    /// The columns of lists of its messages.
    pub schedule_header: &'static [&'static str],
    /// The diagrams that there are of its rows.
    pub diagrams: &'static [Diagram],
    /// The algorithms that it compares, for `flitwise list algorithms`. `None` without algorithms to select from.
    pub algorithms: Option<Algorithms>,
    /// The columns by which variants are compared, of which the first with values counts. Empty for kinds that do not compare variants.
    pub compares: &'static [&'static str],
    /// What stands below the table, besides the verdict, where times are in the unit that is named.
    pub note: fn(&str, &Footing<'_>) -> String,
    /// What is to be said of all lines of results, in their order.
    pub remarks: fn(&[ResultLine<'_>]) -> Vec<Remark>,
    /// The headline of all lines, for kinds whose result is not a completion time or a comparison of variants.
    pub headline: fn(&[ResultLine<'_>], Times) -> Option<String>,
    /// A description of the settings of its table that only virtual-channel routers support, if there are any.
    pub needs_routers: fn(&Reader<'_>) -> Option<String>,
    /// The need of routers that copy or combine packets in a scenario, as far as it is known of its machine and files. `None` if no row
    /// ever needs them.
    pub copying: Option<CopyingNeed>,
    /// The reason why `flitwise run` does not run it, for kinds without messages of their own. Empty for all others.
    pub not_run: &'static str,
    /// A scenario to begin with.
    pub template: Template,
    /// The reader of its table.
    pub read: Read,
}

impl Kind {
    /// A kind without a name that predicts and measures when messages are received: what most kinds have in common.
    pub const DEFAULT: Self = Self {
        name: "",
        summary: "",
        in_words: "",
        keys: &[],
        tables: &[],
        columns: &TIMED,
        columns_with_sizes: &[],
        files: &[],
        parts: None,
        keeps_messages: true,
        needs_grid: false,
        open_loop: false,
        on_device: false,
        counts_bytes: false,
        combining: Combining::Never,
        exports: &[],
        schedule_header: &SCHEDULE_HEADER,
        diagrams: &[],
        algorithms: None,
        compares: &["measured", "predicted"],
        note: |unit, columns| format!("{}\n{}", columns.times(unit), columns.blocked()),
        remarks: |lines| odd_models(lines).into_iter().chain(remark::uneven_links(lines)).collect(),
        headline: |_, _| None,
        needs_routers: |_| None,
        copying: None,
        not_run: "",
        template: Template { scenario: "", files: &[] },
        read: Read::Workload(|_, _, _| None),
    };

    /// Its columns in a scenario that states the size of a flit, if `with_sizes`.
    pub fn columns(&self, with_sizes: bool) -> &'static [Column] {
        if with_sizes && !self.columns_with_sizes.is_empty() { self.columns_with_sizes } else { self.columns }
    }

    /// All columns that it can have, in files.
    pub(crate) fn all_columns(&self) -> impl Iterator<Item = &'static Column> {
        Columns::of_kind(self.columns(true)).with(ENERGY_COLUMNS).stored()
    }

    /// What `flitwise schedule` prints of it, in the order of the formats.
    pub fn formats(&self) -> Vec<Format> {
        let svg = (!self.diagrams.is_empty()).then_some(Format::Svg);
        let mut formats: Vec<Format> = self.exports.iter().copied().chain(svg).collect();
        formats.sort_unstable();
        formats
    }
}

/// A scenario with comments to begin with, which runs as it is.
#[derive(Clone, Copy, Debug)]
pub struct Template {
    /// The text of the scenario.
    pub scenario: &'static str,
    /// The files that it names, each with its bytes.
    pub files: &'static [(&'static str, &'static [u8])],
}

/// The scenarios of a kind in which receivers combine messages with data of their own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Combining {
    /// None.
    Never,
    /// All.
    Always,
    /// Those in which this key of its table has this word.
    With {
        /// The key.
        key: &'static str,
        /// The word.
        word: &'static str,
    },
}

impl Combining {
    /// Returns true if receivers combine messages in a scenario in which a key has a word if `has_word(key, word)`.
    pub(crate) fn applies(self, has_word: impl Fn(&str, &str) -> bool) -> bool {
        match self {
            Self::Never => false,
            Self::Always => true,
            Self::With { key, word } => has_word(key, word),
        }
    }
}

/// Finds the need of routers that copy or combine packets in a scenario.
pub type CopyingNeed = fn(&Reader<'_>, &Machine, &mut Files<'_>) -> Copying;

/// The need of routers that copy or combine packets, for rows that do not run on the wormhole engines.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Copying {
    /// No row needs them.
    Never,
    /// Rows that need them are left out if the network has no such routers.
    IfPossible,
    /// Some rows need them.
    Required,
}

/// A file with a line for each part of a row. Its columns that are called as columns of the kind have the values of the part.
#[derive(Clone, Copy, Debug)]
pub struct Parts {
    /// The file.
    pub file: RowFile,
    /// The column of the names of the parts.
    pub label: &'static str,
}

/// The algorithms of a kind.
#[derive(Clone, Copy, Debug)]
pub struct Algorithms {
    /// What they are, and what stands between the names and the summaries, if anything does.
    pub title: &'static str,
    /// The name of the one with this index, what it takes where that differs, and its summary.
    pub line: fn(usize) -> Option<Vec<&'static str>>,
}

/// What the line below a table can say of the columns above it.
pub struct Footing<'a> {
    /// The largest mean of a column, if it has values.
    pub largest: &'a dyn Fn(&str) -> Option<f64>,
    /// Whether the table shows a column with this title.
    pub shows: &'a dyn Fn(&str) -> bool,
}

impl Footing<'_> {
    /// That times are means, and what the signs `±` say.
    pub fn times(&self, unit: &str) -> String {
        format!("Times are means in {unit}.{}", self.margin())
    }

    /// The explanation of the column `±` after `vs best`, if it is shown.
    pub fn margin(&self) -> &'static str {
        if (self.shows)(MARGIN_TITLE) {
            " ± after vs best: half-width of its 95 % confidence interval, from paired repetitions."
        } else {
            ""
        }
    }

    /// A line that says what `blocked` and `queued` count, if they are shown.
    pub fn blocked(&self) -> &'static str {
        match ((self.shows)("blocked"), (self.shows)("queued")) {
            (false, false) => "",
            (false, true) => "queued: waits of head flits for injection channels.\n",
            (true, false) => "blocked: waits of head flits for links or ejection channels.\n",
            (true, true) => {
                "blocked: waits of head flits for links or ejection channels. queued: waits for injection channels.\n"
            }
        }
    }
}

/// What a workload finds when it is read.
pub struct Setting<'a> {
    /// The whole point.
    pub root: &'a Reader<'a>,
    /// The machine.
    pub machine: &'a Machine,
    /// The machine whose routers copy and combine packets, if there is one: `machine` itself if it has routers.
    pub copying: Option<&'a Machine>,
    /// The seed of every random stream.
    pub seed: u64,
    /// How often the point is run.
    pub repetitions: u64,
    /// Messages that stand for a file of them, if any do.
    pub messages: Option<&'a Arc<[TraceMessage]>>,
}

impl Setting<'_> {
    /// Reports `message` about `table` unless the network `fits`; one that is wrong itself has been reported.
    pub fn demand_network(&self, table: &Reader<'_>, fits: bool, message: &str) {
        if !fits && (self.machine.network.is_some() || !self.root.has("network")) {
            table.error(Diagnostic::at(table.place(), message));
        }
    }

    /// Refuses what nodes cost, where messages are requested at the injection channel, for the reason `why`.
    pub fn reject_node_costs(&self, why: &str) {
        let Some(table) = self.root.table("node") else { return };
        for key in table.keys().filter(|&key| !["ports", "ejection_ports"].contains(&key)) {
            let message = format!("`{}` has no effect: {why}", table.path_of(key));
            table.error(Diagnostic::at(table.place_of(key), message).note("accepted here: `ports`, `ejection_ports`"));
        }
    }
}

/// Which row is planned, and on what.
#[derive(Clone, Copy, Debug)]
pub struct Job<'a> {
    /// The machine.
    pub machine: &'a Machine,
    /// The seed of every random stream.
    pub seed: u64,
    /// Index of the variant.
    pub variant: usize,
    /// From 0.
    pub repetition: u64,
    /// True if a timeline is kept.
    pub timeline: bool,
}

impl Job<'_> {
    /// Whose random draws its routing takes.
    pub fn draw(&self) -> Draw {
        Draw { seed: self.seed, repetition: self.repetition }
    }
}

/// The most time that a row can take, whatever happens.
#[derive(Clone, Copy, Debug)]
pub struct WorstCase {
    /// All that it does, one after the other, in ticks.
    pub ticks: u128,
    /// The key of the workload that makes it long.
    pub key: &'static str,
    /// What takes so long, such as `this exchange`.
    pub what: &'static str,
}

/// A table or a key that a workload leaves unread.
#[derive(Clone, Copy, Debug)]
pub struct Unread {
    /// Its dotted path in pieces.
    pub path: &'static [&'static str],
    /// Why, as the beginning of a sentence that ends in `so ... would be ignored`.
    pub why: &'static str,
}

/// What is told of a workload as JSON; for everything that can be serialised.
pub trait AsJson {
    /// Appends it to `text`.
    ///
    /// # Errors
    /// If it is no JSON.
    fn write_json(&self, text: &mut Vec<u8>) -> serde_json::Result<()>;

    /// It as a value.
    ///
    /// # Errors
    /// If it is no JSON.
    fn to_json(&self) -> serde_json::Result<serde_json::Value>;
}

impl<T: Serialize> AsJson for T {
    fn write_json(&self, text: &mut Vec<u8>) -> serde_json::Result<()> {
        serde_json::to_writer(text, self)
    }

    fn to_json(&self) -> serde_json::Result<serde_json::Value> {
        serde_json::to_value(self)
    }
}

/// What a table says, validated: everything that is needed to plan its rows.
pub trait Workload: AsJson + Any + fmt::Debug + Send + Sync {
    /// Which kind it is.
    fn kind(&self) -> &'static Kind;

    /// The names of its variants, each a row of a repetition: its algorithms, or what stands for one.
    fn variants(&self) -> Vec<&'static str> {
        vec![self.kind().name]
    }

    /// How many nodes take part, as far as a model with a limited number of processors cares.
    fn participants(&self) -> usize {
        0
    }

    /// True if routers copy or combine packets in rows of a variant.
    fn copies(&self, _variant: usize) -> bool {
        false
    }

    /// What a row of a variant needs.
    fn demand(&self, machine: &Machine, variant: usize) -> Demand;

    /// The largest row in words, and the table of the scenario that makes it large, for rows that need too much memory.
    fn size_in_words(&self, machine: &Machine, demand: &Demand) -> (String, &'static str) {
        let messages = counted(demand.messages as u64, "message");
        match (machine.title(), machine.network()) {
            (Some(title), Some(network)) => {
                let channels = network.channels().count();
                (format!("a {title} of {channels} channels with {messages}"), "network")
            }
            _ => (format!("a group of {} with {messages}", counted(demand.nodes as u64, "node")), "workload"),
        }
    }

    /// What the point says in a column of text of its kind; none where it says nothing.
    fn text(&self, _column: &str) -> Option<String> {
        None
    }

    /// The data from which the bandwidths of its rows on `machine` are computed, if it has any.
    fn payload(&self, _machine: &Machine) -> Option<Payload> {
        None
    }

    /// The ids by which files name its messages on `machine`. `None` if these are their numbers.
    fn message_ids(&self, _machine: &Machine) -> Option<Cow<'_, [u64]>> {
        None
    }

    /// The maximum time of a row. Returns `None` if the clock cannot overflow.
    fn worst_case(&self, machine: &Machine) -> Option<WorstCase>;

    /// Reports what can only be said when everything is known, such as algorithms that do not fit the network.
    fn check(&self, _root: &Reader<'_>, _machine: &Machine) {}

    /// The algorithms that the scenario names and that it does without, as `unfit = "skip"` says.
    fn left_out(&self) -> &[LeftOut] {
        &[]
    }

    /// Warnings about its values, which are valid.
    fn warnings(&self) -> Vec<String> {
        Vec::new()
    }

    /// What it leaves unread on `machine`.
    fn unread(&self, _machine: &Machine) -> Vec<Unread> {
        Vec::new()
    }

    /// What is sent, in a few words each, as far as `swept` does not say that a key differs from point to point. A key
    /// may be the end of a dotted key, or its beginning with a dot at the end.
    fn title(&self, swept: &dyn Fn(&str) -> bool) -> Vec<String>;

    /// Whether messages are run by an engine that a scenario can choose.
    fn runs_on_engine(&self) -> bool {
        true
    }

    /// Returns true if its rows run operations of ranks, of which there are timelines.
    fn runs_operations(&self) -> bool {
        false
    }

    /// The files of its kind that its rows add lines to, with what happened to every message if `messages`.
    fn writes(&self, _messages: bool) -> &'static [RowFile] {
        self.kind().files
    }

    /// The reason why one thread simulates a row on routers of `machine`, if it does.
    fn one_thread(&self, machine: &Machine) -> Option<&'static str> {
        machine.routers.as_ref().and_then(|routers| machine.one_thread(routers))
    }

    /// What rows of a variant that take long have in common with those of other points: the same number, the same work,
    /// which is done once.
    fn shared_work(&self, _machine: &Machine, _variant: usize) -> Option<u64> {
        None
    }

    /// True if its schedules prescribe the path of every message, whose dependencies they prove themselves.
    fn prescribes_paths(&self) -> bool {
        false
    }

    /// What was shown of all repetitions of a variant, in sentences: those of the first, where all show the same.
    fn findings(&self, evidence: &Evidence) -> Vec<String> {
        evidence.notes.clone()
    }

    /// Plans a row.
    ///
    /// # Errors
    /// If the variant does not take the request, or what it makes is wrong.
    ///
    /// # Panics
    /// If there is no such variant.
    fn plan<'a>(&'a self, job: Job<'a>) -> Result<Box<dyn Planned + 'a>, RowFailure>;
}

impl dyn Workload {
    /// The name of the `at`-th variant.
    ///
    /// # Panics
    /// If there is no such variant.
    pub fn variant(&self, at: usize) -> &'static str {
        self.variants()[at]
    }

    /// The diagrams that there are of its rows on `machine`: paths lead over a network.
    pub fn diagrams(&self, machine: &Machine) -> Vec<Diagram> {
        let all = self.kind().diagrams.iter().copied();
        all.filter(|&diagram| diagram != Diagram::Paths || machine.network.is_some()).collect()
    }

    /// The workload as the type that it is, if it is a `T`.
    pub fn downcast_ref<T: Workload>(&self) -> Option<&T> {
        let any: &dyn Any = self;
        any.downcast_ref()
    }
}

/// What was planned for one row.
pub trait Planned {
    /// Proves it, and says what that shows.
    ///
    /// # Errors
    /// If it is wrong.
    fn verify(&self) -> Result<Evidence, RowFailure>;

    /// Proves it, predicts it, and runs it where there is something to run on, with what is to be kept of its messages.
    ///
    /// # Errors
    /// If it is wrong, or the run ends in a deadlock.
    fn run(&self, row: &mut Row, keep: Keep<'_>) -> Result<(), RowFailure>;

    /// Runs it for `watch` to see which head flits wait; none where nothing moves over channels.
    fn watch(&self, _watch: &mut FirstWait) -> Option<Result<Outcome, Stop>> {
        None
    }

    /// Whether contention is a question that can be asked of it, even where there is no network.
    fn could_contend(&self) -> bool {
        true
    }

    /// Its messages in sending order, told one by one.
    fn messages(&self, _tell: &mut dyn FnMut(&PlannedMessage)) {}

    /// Calls `see` with its messages, if routers copy or combine packets of some.
    fn copied(&self, _see: &mut dyn FnMut(&dyn MessageSet)) {}

    /// Calls `tell` with the channels of the trees that its packets take, one by one. There are none without packets that routers copy or combine.
    fn trees(&self, _tell: &mut dyn FnMut(&TreeLine)) {}

    /// The blocks that message `id` carries; nothing where a message is a whole.
    fn blocks(&self, _id: usize) -> Vec<Block> {
        Vec::new()
    }

    /// What nodes hold before the first step and after each, told one by one; nothing where that is not looked at.
    ///
    /// # Errors
    /// If it is too large to be followed.
    fn holdings(&self, _tell: &mut dyn FnMut(&Held)) -> Result<(), RowFailure> {
        Ok(())
    }

    /// It as a graph.
    fn graph(&self) -> Option<Graph> {
        None
    }

    /// It as operations of ranks with flits of so many bytes; an error says why GOAL cannot say it, or why `flit_bytes`
    /// cannot be read.
    fn goal(&self, _flit_bytes: Option<u64>) -> Option<Result<Cow<'_, Goal>, String>> {
        None
    }

    /// What moves over the links of a chip when it is run; none of what runs on no chip.
    ///
    /// # Errors
    /// If the run ends in a deadlock, or timelines have no words for the chip.
    fn timeline(&self) -> Option<Result<Timeline, RowFailure>> {
        None
    }

    /// A diagram of it.
    ///
    /// # Errors
    /// If it could not be read, or cannot be run.
    fn diagram(&self, _diagram: Diagram) -> Result<Vec<Picture>, DiagramError> {
        Ok(Vec::new())
    }
}

/// What is measured of the messages that are `predicted`, if they are run between nodes that cost `node`; nothing where
/// there is nothing to run on, or if the run fails.
pub fn measured_transfers(
    planned: &dyn Planned,
    columns: &'static [Column],
    node: NodeCosts,
    predicted: &[Transfer],
) -> Vec<Transfer> {
    let mut row = Row::new(RowId { point: 0, algorithm: 0, repetition: 0 }, "", 0, Columns::of_kind(columns));
    if planned.run(&mut row, Keep::messages(true)).is_err() {
        return Vec::new();
    }
    let both = predicted.iter().zip(&row.details);
    both.map(|(transfer, detail)| transfer.measured(&detail.outcome, node.send(detail.flits).0)).collect()
}
