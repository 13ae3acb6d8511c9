//! Classes of packets with their lengths, rates, patterns and priorities.

use super::configuration::Configuration;
use super::injection;
use super::network::Network;
use super::pattern;
use super::toml::{Entries, TomlTable};

/// Most flits of a packet.
const LONGEST: i64 = 1 << 24;

/// Keys with a value for each class.
const VECTORS: [&str; 8] = [
    "traffic",
    "class_priority",
    "injection_rate",
    "packet_size",
    "packet_size_rate",
    "injection_process",
    "write_fraction",
    "latency_thres",
];

/// A class.
pub(super) struct Class {
    /// The keys of its pattern.
    pub(super) pattern: Entries,
    /// The keys of its injection process.
    pub(super) injection: Entries,
    /// The keys of its lengths.
    pub(super) lengths: Entries,
    /// Flits per node and cycle.
    pub(super) rate: f64,
    /// The value of `class_priority`.
    priority: i64,
}

/// Origin of the rates of classes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Rates {
    /// The configuration states them.
    Configured,
    /// Batches send as fast as they can.
    Batch,
}

/// The lengths of the packets of a class with their weights.
struct Lengths {
    flits: Vec<i64>,
    weights: Vec<i64>,
}

impl Lengths {
    /// The mean length in flits.
    #[expect(clippy::cast_precision_loss, reason = "lengths and weights have 32 bits")]
    fn mean(&self) -> f64 {
        let weighted = self.flits.iter().zip(&self.weights).map(|(flits, weight)| flits * weight).sum::<i64>();
        weighted as f64 / self.weights.iter().sum::<i64>() as f64
    }

    fn keys(&self) -> Entries {
        let mut keys = Entries::default();
        match self.flits[..] {
            [flits] => keys.insert("packet_flits", flits),
            _ => {
                keys.insert("packet_flits", self.flits.clone());
                if self.weights.iter().any(|weight| *weight != self.weights[0]) {
                    keys.insert("packet_weights", self.weights.clone());
                }
            }
        }
        keys
    }
}

/// Reads all classes.
pub(super) fn read(configuration: &Configuration, count: usize, network: &Network, rates: Rates) -> Vec<Class> {
    note_long_vectors(configuration, count);
    let lengths = lengths(configuration, count);
    let packets: Vec<f64> = match rates {
        Rates::Configured => packet_rates(configuration, &lengths.iter().map(Lengths::mean).collect::<Vec<f64>>()),
        Rates::Batch => vec![0.0; count],
    };
    let patterns = configuration.words("traffic", count);
    let processes = configuration.words("injection_process", count);
    let priorities = priorities(configuration, count);
    let class = |index: usize| Class {
        pattern: pattern::read(configuration, patterns[index], network),
        injection: match rates {
            Rates::Configured => injection::read(configuration, processes[index], packets[index]),
            Rates::Batch => Entries::default(),
        },
        lengths: lengths[index].keys(),
        rate: packets[index] * lengths[index].mean(),
        priority: priorities[index],
    };
    (0..count).map(class).collect()
}

/// Adds a note on each vector that has more entries than there are classes.
fn note_long_vectors(configuration: &Configuration, classes: usize) {
    for key in VECTORS {
        let count = super::value::entries(configuration.text(key)).len();
        if count > classes {
            configuration
                .note(key, &format!("has {count} entries for {classes} of `classes`; the others are not read"));
        }
    }
}

fn lengths(configuration: &Configuration, classes: usize) -> Vec<Lengths> {
    let sizes = configuration.lists("packet_size", classes);
    let weights = configuration.lists("packet_size_rate", classes);
    if sizes.iter().flatten().any(|size| !(1..=LONGEST).contains(size)) {
        configuration.refuse("packet_size", "out of range", "integers from 1");
    }
    if weights.iter().any(|weights| weights.iter().any(|weight| *weight < 0) || weights.iter().sum::<i64>() == 0) {
        configuration.refuse("packet_size_rate", "weights are 0 or more, and not all 0", "integers from 0");
    }
    sizes.into_iter().zip(weights).map(|(flits, weights)| used_lengths(flits, &weights)).collect()
}

/// The lengths that have a weight. Weights that are too few repeat their last entry.
fn used_lengths(flits: Vec<i64>, weights: &[i64]) -> Lengths {
    let last = weights.last().copied().unwrap_or(1);
    let weights = weights.iter().copied().chain(std::iter::repeat(last));
    let (flits, weights) = flits.into_iter().zip(weights).filter(|(_, weight)| *weight > 0).unzip();
    Lengths { flits, weights }
}

/// The packets per node and cycle of classes with such `mean_lengths`. Rates above a packet a cycle are reported.
pub(super) fn packet_rates(configuration: &Configuration, mean_lengths: &[f64]) -> Vec<f64> {
    let in_flits = configuration.is_on("injection_rate_uses_flits");
    let rates = configuration.decimals("injection_rate", mean_lengths.len());
    let packets = |(rate, mean): (f64, f64)| if in_flits { rate / mean } else { rate };
    let packets: Vec<f64> = rates.into_iter().zip(mean_lengths.iter().copied()).map(packets).collect();
    if packets.iter().any(|packets| !(*packets > 0.0 && *packets <= 1.0)) {
        let accepted = match in_flits {
            true => "above 0 flits, and at most a packet per node and cycle",
            false => "above 0, and at most 1 packet per node and cycle",
        };
        configuration.refuse("injection_rate", "out of range", accepted);
    }
    packets
}

fn priorities(configuration: &Configuration, classes: usize) -> Vec<i64> {
    let priorities = configuration.integers("class_priority", classes);
    let reads = configuration.text("priority") == "class";
    if reads && priorities.iter().any(|priority| !(0..=65_535).contains(priority)) {
        configuration.refuse("class_priority", "out of range", "integers from 0 to 65535");
    }
    priorities
}

/// Writes the only class into the table of the workload.
pub(super) fn write_single(class: &Class, rates: Rates, workload: &mut Entries) {
    workload.append(&class.pattern);
    if rates == Rates::Configured {
        workload.insert("rate", class.rate);
    }
    workload.append(&class.lengths);
    workload.append(&class.injection);
}

/// Writes what all classes have in common into `workload`, and returns their tables.
pub(super) fn write_several(
    configuration: &Configuration,
    classes: &[Class],
    workload: &mut Entries,
) -> Vec<TomlTable> {
    let Some(first) = classes.first() else { return Vec::new() };
    let has_priorities = configuration.text("priority") == "class";
    // the pattern of the first class is the default of the others
    workload.append(&first.pattern);
    let same_pattern = classes.iter().all(|class| class.pattern == first.pattern);
    let same_injection = classes.iter().all(|class| class.injection == first.injection);
    if same_injection {
        workload.append(&first.injection);
    }
    let table = |(index, class): (usize, &Class)| {
        let mut table = TomlTable::new("[[workload.traffic.class]]");
        table.insert("name", format!("c{index}").as_str());
        table.insert("rate", class.rate);
        if !same_pattern {
            table.entries.append(&class.pattern);
        }
        table.entries.append(&class.lengths);
        if !same_injection {
            table.entries.append(&class.injection);
        }
        if has_priorities {
            table.insert("priority", class.priority);
        }
        table
    };
    classes.iter().enumerate().map(table).collect()
}
