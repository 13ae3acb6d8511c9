//! Traffic of random packets: offered load, accepted load, and latencies.

mod batch;
mod bench;
mod capacity;
mod class_keys;
mod class_run;
mod classes;
mod counted;
mod demand;
mod headline;
mod lengths;
mod limits;
mod pattern;
mod read;
mod remarks;
mod replies;

pub use classes::{Class, ClassLoop, NewPackets};
pub use pattern::PatternSource;
#[cfg(feature = "selftest")]
pub(crate) use pattern::numbering;
pub use read::{Mode, OpenLoop};

use crate::algorithm::traffic::Lengths;
use crate::kind::words::flits;
use crate::kind::{
    ACCEPTED_BANDWIDTH, Cell, Column, Demand, Evidence, Footing, Job, Keep, Kind, LINKS, Planned, Read, Row,
    RowFailure, RowFile, Template, Unread, Workload, WorstCase,
};
use crate::machine::Machine;
use crate::units::Flits;
use std::borrow::Cow;

/// The unit of rates.
const RATE: &str = "flits per node and flit time";
/// Flits made per node and flit time; none of a burst.
const OFFERED: Column =
    Column::millionths("offered").called("offered load").shown_as("offered", 1, Cell::Fraction).in_unit(RATE);
/// Flits that arrived per node and flit time; none of a burst.
const ACCEPTED: Column =
    Column::millionths("accepted").called("accepted throughput").shown_as("accepted", 0, Cell::Fraction).in_unit(RATE);
/// From a packet's making to the arrival of its tail, on average over packets made while it was measured, in ticks.
const LATENCY: Column = Column::millionths("latency")
    .in_unit("ticks")
    .shown_as("latency", 0, Cell::AtLeast)
    .at_least_while(UNDELIVERED.name);
/// From the start of its head flit at the source.
const NETWORK_LATENCY: Column =
    Column::millionths("network_latency").in_unit("ticks").shown("in network", 4).at_least_while(UNDELIVERED.name);
/// The least latency.
const MIN_LATENCY: Column = Column::ticks("min_latency").called("minimum latency");
/// Channels between routers that a packet took.
const HOPS: Column = Column::millionths("hops");
/// The latency that half of the packets did not exceed.
const P50: Column = Column::ticks("p50").called("median latency");
/// That 99 % did not exceed.
const P99: Column =
    Column::ticks("p99").called("99th percentile of latency").shown("p99", 2).at_least_while(UNDELIVERED.name);
/// The largest.
const MAX: Column = Column::ticks("max").called("maximum latency").at_least_while(UNDELIVERED.name);
/// What the latency would have been had no packet been in another's way.
const UNLOADED: Column =
    Column::millionths("unloaded").called("zero-load latency").in_unit("ticks").shown("zero-load", 3);
/// Packets that had not arrived when the run ended.
const UNDELIVERED: Column = Column::count("undelivered");
/// Ticks of a burst, until the end of the flit time in which the last flit arrives, or mean ticks of a batch.
const MAKESPAN: Column = Column::ticks("makespan").called("completion time").shown("makespan", 0);
/// The highest rate at which the network carried what was offered.
const SATURATION: Column =
    Column::millionths("saturation").called("saturation rate").shown_as("saturation", 0, Cell::Fraction).in_unit(RATE);

const COLUMNS_WITH_SIZES: [Column; 15] = with_bandwidth(COLUMNS);

/// `columns` with [`ACCEPTED_BANDWIDTH`] after [`ACCEPTED`].
const fn with_bandwidth(columns: [Column; 14]) -> [Column; 15] {
    let mut all = [ACCEPTED_BANDWIDTH; 15];
    let mut index = 0;
    while index < columns.len() {
        all[if index < 2 { index } else { index + 1 }] = columns[index];
        index += 1;
    }
    all
}

const COLUMNS: [Column; 14] = [
    OFFERED,
    ACCEPTED,
    LATENCY,
    Column::derived("± 95 %", 5, Cell::Confidence("latency")),
    NETWORK_LATENCY,
    MIN_LATENCY,
    HOPS,
    P50,
    P99,
    MAX,
    UNLOADED,
    UNDELIVERED,
    MAKESPAN,
    SATURATION,
];

/// Measurements of each class of packets.
const CLASSES: RowFile = RowFile {
    name: "classes.csv",
    header: &[
        "point",
        "algorithm",
        "repetition",
        "class",
        "messages",
        "offered",
        "accepted",
        "latency",
        "network_latency",
        "min_latency",
        "hops",
        "undelivered",
    ],
};

/// Open-loop traffic in the registry.
pub static KIND: Kind = Kind {
    name: "traffic",
    summary: "traffic of random packets: latency against load, saturation, bursts, batches",
    in_words: "traffic",
    keys: read::KEYS,
    columns: &COLUMNS,
    columns_with_sizes: &COLUMNS_WITH_SIZES,
    files: &[LINKS, CLASSES],
    open_loop: true,
    compares: &[],
    note,
    remarks: remarks::remarks,
    headline: headline::headline,
    read: Read::Workload(read::read),
    template: Template { scenario: include_str!("template.toml"), files: &[] },
    ..Kind::DEFAULT
};

fn note(unit: &str, columns: &Footing<'_>) -> String {
    let shows = columns.shows;
    let mut sentences = Vec::new();
    if shows("latency") {
        let late = (columns.largest)("undelivered").is_some_and(|late| late > 0.0);
        sentences.push(format!("latency: mean time from packet generation to arrival of the tail flit, in {unit}."));
        if late {
            sentences.push(">: lower bound, as packets were still in flight at the end of the run.".to_owned());
        }
        if shows("zero-load") {
            sentences.push("zero-load: latency of the same packets in an empty network.".to_owned());
        }
    }
    if shows("saturation") {
        sentences.push(
            "saturation: highest injection rate, with an accuracy of 0.5 %, at which (1) all measured packets arrive, (2) \
             their mean latency is at most 3 times the zero-load latency, and (3) the mean latency of each source is at \
             most 20 times the zero-load latency. All other columns show the results at this rate."
                .to_owned(),
        );
    }
    if shows("accepted") {
        sentences.push("Rates are in flits per node and flit time.".to_owned());
    }
    sentences.join(" ") + "\n"
}

/// Packets of such lengths in a few words, such as `packets of 1, 2 or 5 flits`.
fn packets_of(lengths: &Lengths) -> String {
    let values = lengths.values();
    let Some((longest, others)) = values.split_last() else { return "packets".to_owned() };
    let longest = flits(Flits(u64::from(*longest)));
    if others.is_empty() {
        return format!("packets of {longest}");
    }
    let others: Vec<String> = others.iter().map(u32::to_string).collect();
    format!("packets of {} or {longest}", others.join(", "))
}

impl Workload for OpenLoop {
    fn kind(&self) -> &'static Kind {
        &KIND
    }

    fn variants(&self) -> Vec<&'static str> {
        vec![self.algorithm()]
    }

    fn demand(&self, machine: &Machine, _: usize) -> Demand {
        demand::demand(self, machine)
    }

    fn worst_case(&self, machine: &Machine) -> Option<WorstCase> {
        let nodes = machine.network_nodes() as u128;
        let flit_time = u128::from(machine.channel.flit_time);
        let each = u128::from(self.lengths.longest()) * machine.flit_interval() + machine.path_time();
        let wires = nodes * u128::from(self.packets_per_node()) * each;
        let ticks = u128::from(self.longest()) * flit_time + wires;
        let key = if matches!(self.mode, Mode::Batch(_)) { "batch_packets" } else { "measure" };
        Some(WorstCase { ticks, key, what: "this traffic" })
    }

    fn unread(&self, _: &Machine) -> Vec<Unread> {
        vec![Unread { path: &["model"], why: "traffic uses the costs of channels instead of a model" }]
    }

    fn title(&self, swept: &dyn Fn(&str) -> bool) -> Vec<String> {
        let mut parts = Vec::new();
        if !swept(".pattern") {
            parts.push(format!("{} traffic", self.pattern.name));
        }
        if !swept("packet_flits") {
            parts.push(packets_of(&self.lengths));
        }
        match &self.routers {
            Some(routers) if !swept("router.model") => parts.push(format!("{} routers", routers.model)),
            _ => {}
        }
        parts
    }

    fn runs_on_engine(&self) -> bool {
        self.routers.is_none()
    }

    fn one_thread(&self, machine: &Machine) -> Option<&'static str> {
        match (&self.mode, &self.routers) {
            (Mode::Batch(_), _) => Some("the next batch depends on all nodes"),
            (Mode::Steady(_) | Mode::Saturation(_) | Mode::Burst, Some(routers)) => machine.one_thread(routers),
            (Mode::Steady(_) | Mode::Saturation(_) | Mode::Burst, None) => None,
        }
    }

    fn writes(&self, _: bool) -> &'static [RowFile] {
        if self.details { &[LINKS] } else { &[] }
    }

    fn plan<'a>(&'a self, job: Job<'a>) -> Result<Box<dyn Planned + 'a>, RowFailure> {
        let workload = match &job.machine.faults {
            // the routers of this repetition
            Some(_) => Cow::Owned(Self { routers: job.machine.executing().routers.clone(), ..self.clone() }),
            None => Cow::Borrowed(self),
        };
        Ok(Box::new(Plan { workload, job }))
    }
}

/// Traffic, which is drawn as it runs.
struct Plan<'a> {
    workload: Cow<'a, OpenLoop>,
    job: Job<'a>,
}

impl Planned for Plan<'_> {
    fn verify(&self) -> Result<Evidence, RowFailure> {
        self.check_flow()?;
        Ok(Evidence::new())
    }

    fn run(&self, row: &mut Row, keep: Keep<'_>) -> Result<(), RowFailure> {
        self.measure(row, keep.messages)
    }

    fn could_contend(&self) -> bool {
        self.workload.routers.is_none()
    }
}
