//! Netrace traces: packets of a chip with dependencies, by the reference program and on a network.

mod read;

pub use read::NetraceWorkload;

use crate::engine::program::{NetraceProgram, NetraceRules};
use crate::engine::{Outcome, Stop};
use crate::kind::words::grouped;
use crate::kind::{
    Beside, Column, Demand, Evidence, FirstWait, Job, Keep, Kind, LINKS, Planned, Read, Row, RowFailure, RowFile,
    TIMED, Template, Unread, Workload, WorstCase, measure, then_timed,
};
use crate::machine::Machine;
use crate::schedule::netrace::{Packet, Predicted, predict};
use crate::units::{Flits, Ticks};

/// The cycles and ticks of each packet.
const PACKETS: RowFile = RowFile {
    name: "packets.csv",
    header: &[
        "point",
        "algorithm",
        "repetition",
        "id",
        "src",
        "dst",
        "type",
        "bytes",
        "cycle",
        "predicted_injected",
        "predicted_ejected",
        "requested",
        "delivered",
    ],
};

/// The number of packets.
const COUNT: Column = Column::count("packets");
/// The number of dependencies between packets.
const DEPENDENCIES: Column = Column::count("dependencies");
/// The mean time from the request of a packet to its delivery.
const LATENCY: Column = Column::decimal("latency").in_unit("ticks").shown("latency", 2);
/// The mean time from the cycle of the trace to the request.
const SLIP: Column = Column::decimal("slip").in_unit("ticks").shown("slip", 3);

const COLUMNS: [Column; TIMED.len() + 4] = then_timed([COUNT, DEPENDENCIES, LATENCY, SLIP]);

/// Netrace traces in the registry.
pub static KIND: Kind = Kind {
    name: "netrace",
    summary: "packets of a chip with dependencies, from a netrace file",
    in_words: "a netrace trace",
    counts_bytes: true,
    columns: &COLUMNS,
    keys: read::KEYS,
    files: &[PACKETS, LINKS],
    template: Template {
        scenario: include_str!("template.toml"),
        files: &[("pairs.tra", include_bytes!("pairs.tra"))],
    },
    read: Read::Workload(read::read),
    ..Kind::DEFAULT
};

impl NetraceWorkload {
    fn rules(&self) -> NetraceRules {
        NetraceRules { pacing: self.pacing, turnaround: self.turnaround, hop: self.hop_cycles }
    }

    fn program(&self) -> NetraceProgram<'_> {
        NetraceProgram::new(&self.trace, self.rules(), &self.nodes, self.flit_bytes)
    }

    fn flits(&self, packet: &Packet) -> Flits {
        Flits::from_bytes(packet.bytes(), self.flit_bytes)
    }

    /// Per packet the ticks of its request and its delivery in a run with this `outcome`.
    fn times(&self, outcome: &Outcome) -> Vec<(Ticks, Ticks)> {
        let rules = self.rules();
        let mut last: Vec<Option<Ticks>> = vec![None; self.trace.packets().len()];
        let mut messages = outcome.messages.iter();
        let mut times = Vec::with_capacity(last.len());
        for (number, packet) in self.trace.packets().iter().enumerate() {
            let requested = rules.requested(packet.cycle, last[number]);
            let delivered = match packet.src == packet.dst {
                true => requested + Ticks(self.hop_cycles),
                false => messages.next().map_or(requested, |message| message.delivered),
            };
            for &dependant in self.trace.dependants(number) {
                let last = &mut last[dependant as usize];
                *last = Some(last.map_or(delivered, |last| last.max(delivered)));
            }
            times.push((requested, delivered));
        }
        times
    }
}

impl Workload for NetraceWorkload {
    fn kind(&self) -> &'static Kind {
        &KIND
    }

    fn participants(&self) -> usize {
        self.trace.nodes()
    }

    fn demand(&self, machine: &Machine, _: usize) -> Demand {
        let packets = self.trace.packets();
        let flits: u64 = packets.iter().map(|packet| self.flits(packet).on_wire()).sum();
        let demand = Demand {
            nodes: self.trace.nodes(),
            messages: packets.len(),
            planning: 100 * packets.len() as u64,
            planning_time: 500 * packets.len() as u64,
            ..Demand::default()
        };
        demand.run_on(machine, flits / (packets.len() as u64).max(1)).with_links(machine, self.details)
    }

    /// All packets one after the other, from the last cycle on.
    fn worst_case(&self, machine: &Machine) -> Option<WorstCase> {
        let latest = self.trace.packets().last().map_or(0, |packet| u128::from(packet.cycle));
        let wires = |packet: &Packet| u128::from(self.flits(packet).on_wire()) * machine.flit_interval();
        let each = machine.path_time() + u128::from(self.turnaround) + u128::from(self.hop_cycles) * 64;
        let all = self.trace.packets().iter().map(|packet| wires(packet) + each).sum::<u128>();
        Some(WorstCase { ticks: latest + all, key: "file", what: "this trace" })
    }

    fn unread(&self, _: &Machine) -> Vec<Unread> {
        vec![Unread { path: &["model"], why: "netrace traces are predicted by the reference program of netrace" }]
    }

    fn title(&self, _: &dyn Fn(&str) -> bool) -> Vec<String> {
        vec![format!(
            "{} packets of {} nodes in {}",
            grouped(self.trace.packets().len() as u64),
            self.trace.nodes(),
            self.file
        )]
    }

    fn writes(&self, _: bool) -> &'static [RowFile] {
        match (self.details, self.nodes.is_empty()) {
            (true, false) => KIND.files,
            (true, true) => &[PACKETS],
            (false, _) => &[],
        }
    }

    fn plan<'a>(&'a self, job: Job<'a>) -> Result<Box<dyn Planned + 'a>, RowFailure> {
        let predicted = predict(&self.trace, self.pacing, self.hop_cycles, self.turnaround);
        Ok(Box::new(Plan { workload: self, job, predicted }))
    }
}

struct Plan<'a> {
    workload: &'a NetraceWorkload,
    job: Job<'a>,
    predicted: Predicted,
}

impl Plan<'_> {
    fn add_packets(&self, row: &mut Row, times: Option<&[(Ticks, Ticks)]>) {
        let Predicted { injected, ejected } = &self.predicted;
        let packets = self.workload.trace.packets().iter().enumerate();
        let lines = packets.map(|(number, packet)| {
            let names = (packet.id, packet.src, packet.dst, packet.kind, packet.bytes(), packet.cycle);
            let times = times.map(|times| times[number]);
            let measured = (times.map(|(requested, _)| requested.0), times.map(|(_, delivered)| delivered.0));
            (names, injected[number], ejected[number], measured)
        });
        row.add_lines(&PACKETS, lines);
    }
}

impl Planned for Plan<'_> {
    fn verify(&self) -> Result<Evidence, RowFailure> {
        Ok(Evidence::new().note("proved: every packet depends on packets before it".to_owned()))
    }

    #[expect(clippy::cast_precision_loss, reason = "means with six digits")]
    fn run(&self, row: &mut Row, keep: Keep<'_>) -> Result<(), RowFailure> {
        let NetraceWorkload { trace, details, nodes, .. } = self.workload;
        row.nodes = trace.nodes();
        row.messages = trace.packets().len();
        row.predict(self.predicted.ejected.iter().copied().max().map_or(Ticks::ZERO, Ticks));
        row.set(&COUNT, trace.packets().len() as u64);
        row.set(&DEPENDENCIES, trace.dependencies() as u64);
        let mut times = None;
        if !nodes.is_empty() {
            let program = self.workload.program();
            let packets = program.packets().to_vec();
            let packet = |message: usize| &trace.packets()[packets[message] as usize];
            let name = |message: usize| (packet(message).id.into(), self.workload.flits(packet(message)));
            let outcome = measure(self.job.machine, program, row, Beside { keep, links: *details, name: &name })?;
            times = outcome.map(|outcome| self.workload.times(&outcome));
        }
        if let Some(times) = times.as_ref().filter(|times| !times.is_empty()) {
            let latency: u64 = times.iter().map(|(requested, delivered)| (*delivered - *requested).0).sum();
            let slip: u64 =
                times.iter().zip(trace.packets()).map(|((requested, _), packet)| requested.0 - packet.cycle).sum();
            row.set_decimal(&LATENCY, latency as f64 / times.len() as f64);
            row.set_decimal(&SLIP, slip as f64 / times.len() as f64);
        }
        if *details {
            self.add_packets(row, times.as_deref());
        }
        Ok(())
    }

    fn watch(&self, watch: &mut FirstWait) -> Option<Result<Outcome, Stop>> {
        if self.workload.nodes.is_empty() {
            return None;
        }
        self.job.machine.run(self.workload.program(), self.job.draw(), watch)
    }

    fn could_contend(&self) -> bool {
        !self.workload.nodes.is_empty()
    }
}
