//! Control of a simulation: its phases, its repetitions, its seed, and the settings of its report.

use super::configuration::Configuration;
use super::toml::{Entries, TomlTable};

/// Type of a simulation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SimulationType {
    /// Measured packets are waited for.
    Latency,
    /// The simulation ends with the measurement.
    Throughput,
    /// Every node sends a fixed number of packets.
    Batch,
}

/// Simulation types by their names in BookSim 2.
const TYPES: [(&str, SimulationType); 3] = [
    ("latency", SimulationType::Latency),
    ("throughput", SimulationType::Throughput),
    ("batch", SimulationType::Batch),
];

/// Start of the latency of a packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LatencyStart {
    /// The packet is generated.
    Generation,
    /// The packet has left its source queue.
    Network,
}

/// Settings of a report in the words of BookSim 2.
#[derive(Clone, Debug, PartialEq)]
pub struct ReportSettings {
    /// The type of the simulation.
    pub simulation: SimulationType,
    /// The largest mean latency of a stable simulation for each class. Negative values are not compared.
    pub latency_limits: Vec<f64>,
    /// Start of the packet latency.
    pub latency_start: LatencyStart,
    /// Cycles of the warm-up and of the measurement, or `None` for batches.
    pub cycles: Option<i64>,
    /// Cycles for which measured packets are waited for.
    pub drain: i64,
    /// Batches that follow each other.
    pub batches: i64,
}

/// Phases of a simulation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Phases {
    Steady { warmup: i64, measure: i64, simulation: SimulationType },
    Batch { packets: i64, count: i64, outstanding: i64 },
}

/// The phases with the values that a report needs.
pub(super) struct Control {
    phases: Phases,
    latency_start: LatencyStart,
}

/// Periods of the warm-up if a configuration leaves it to BookSim 2.
const DEFAULT_WARMUP: i64 = 3;

/// Cycles for which measured packets are waited for at least.
const LEAST_DRAIN: i64 = 10_000;

impl Control {
    pub(super) fn read(configuration: &Configuration) -> Self {
        let word = configuration.text("sim_type");
        let found = TYPES.into_iter().find(|(name, _)| *name == word);
        if found.is_none() {
            configuration.refuse("sim_type", "BookSim 2 has no such type", &TYPES.map(|(name, _)| name).join(", "));
        }
        let phases = match found {
            Some((_, SimulationType::Batch)) => Phases::Batch {
                packets: configuration.integer_in("batch_size", 1..=1 << 30),
                count: configuration.integer_in("batch_count", 1..=1 << 30),
                outstanding: configuration.integer("max_outstanding_requests"),
            },
            found => steady(configuration, found.map_or(SimulationType::Latency, |(_, simulation)| simulation)),
        };
        Self { phases, latency_start: latency_start(configuration) }
    }

    pub(super) fn is_batch(&self) -> bool {
        matches!(self.phases, Phases::Batch { .. })
    }

    /// Writes the phases into the table of the workload.
    pub(super) fn write(&self, workload: &mut Entries) {
        match self.phases {
            Phases::Batch { packets, count, outstanding } => {
                workload.insert("mode", "batch");
                workload.insert("batch_packets", packets);
                workload.insert_unless("batches", count, &1);
                if outstanding > 0 {
                    workload.insert("outstanding", outstanding);
                }
            }
            Phases::Steady { warmup, measure, simulation } => {
                workload.insert("warmup", warmup);
                workload.insert("measure", measure);
                // a scenario waits as long as it measures, unless it states another time
                workload.insert_unless("drain", drain(measure, simulation), &measure);
            }
        }
    }

    /// The settings of the report of `classes` classes.
    pub(super) fn report(&self, configuration: &Configuration, classes: usize) -> ReportSettings {
        let latency_limits = configuration.decimals("latency_thres", classes);
        let latency_start = self.latency_start;
        match self.phases {
            Phases::Steady { warmup, measure, simulation } => ReportSettings {
                simulation,
                latency_limits,
                latency_start,
                cycles: Some(warmup + measure),
                drain: drain(measure, simulation),
                batches: 0,
            },
            Phases::Batch { count, .. } => ReportSettings {
                simulation: SimulationType::Batch,
                latency_limits,
                latency_start,
                cycles: None,
                drain: 0,
                batches: count,
            },
        }
    }
}

/// Cycles for which packets of `measure` cycles are waited for.
fn drain(measure: i64, simulation: SimulationType) -> i64 {
    if simulation == SimulationType::Latency { measure.max(LEAST_DRAIN) } else { 0 }
}

fn steady(configuration: &Configuration, simulation: SimulationType) -> Phases {
    let period = configuration.integer_in("sample_period", 1..=1 << 30);
    let periods = Some(configuration.integer("warmup_periods")).filter(|periods| *periods > 0);
    let periods = periods.unwrap_or(DEFAULT_WARMUP);
    let measured = configuration.integer("max_samples") - periods;
    if measured < 1 {
        let reason = format!("{periods} periods of warm-up leave none for the measurement");
        configuration.refuse("max_samples", &reason, &format!("an integer from {}", periods + 1));
    }
    Phases::Steady { warmup: periods * period, measure: measured.max(1) * period, simulation }
}

fn latency_start(configuration: &Configuration) -> LatencyStart {
    if configuration.integer("include_queuing") == 1 {
        return LatencyStart::Generation;
    }
    configuration.note(
        "include_queuing",
        "counts the packet latency from the start of the head flit at the source; BookSim 2 counts from the front of the \
         source queue",
    );
    LatencyStart::Network
}

/// Writes the seed and the repetitions. The value `time` replaces the word `time`.
pub(super) fn write_repetitions(configuration: &Configuration, time: u64, top: &mut TomlTable) {
    let seed = match configuration.text("seed") {
        "time" => i64::try_from(time).unwrap_or_default(),
        // a negative seed is as good as any other
        _ => configuration.integer("seed").rem_euclid(1 << 32),
    };
    top.insert("seed", seed);
    top.entries.insert_unless("repetitions", configuration.integer_in("sim_count", 1..=1 << 30), &1);
}
