//! Traffic: the table `[workload.traffic]` with its classes.

use super::classes::{self, Rates};
use super::configuration::Configuration;
use super::control::Control;
use super::network::Network;
use super::pattern;
use super::read_write;
use super::toml::TomlTable;
use super::topology::Routing;

/// Most classes of a configuration.
const MOST_CLASSES: i64 = 64;

/// The tables of traffic.
pub(super) struct Traffic {
    /// The table of the workload, followed by its classes.
    pub(super) tables: Vec<TomlTable>,
    /// The number of classes that BookSim 2 reports.
    pub(super) classes: usize,
}

/// Reads the keys of traffic on `network` with `routing`.
pub(super) fn read(configuration: &Configuration, network: &Network, routing: &Routing, control: &Control) -> Traffic {
    let classes = usize::try_from(configuration.integer_in("classes", 1..=MOST_CLASSES)).unwrap_or(1);
    let mut workload = TomlTable::new("[workload.traffic]");
    let rates = if control.is_batch() { Rates::Batch } else { Rates::Configured };
    let uses_replies = configuration.integers("use_read_write", classes).iter().any(|value| *value != 0);
    check_combinations(configuration, classes, uses_replies, rates);
    let parts = if uses_replies {
        workload.entries.append(&pattern::read(configuration, configuration.words("traffic", 1)[0], network));
        read_write::write(configuration, routing.virtual_channels, &mut workload.entries)
    } else {
        let read = classes::read(configuration, classes, network, rates);
        match &read[..] {
            [class] => {
                classes::write_single(class, rates, &mut workload.entries);
                Vec::new()
            }
            read => classes::write_several(configuration, read, &mut workload.entries),
        }
    };
    control.write(&mut workload.entries);
    Traffic { tables: std::iter::once(workload).chain(parts).collect(), classes }
}

/// Reports combinations of keys that have no counterpart.
fn check_combinations(configuration: &Configuration, classes: usize, uses_replies: bool, rates: Rates) {
    if uses_replies && classes > 1 {
        let reason = format!("requests and replies cannot be combined with classes = {classes}");
        configuration.refuse("use_read_write", &reason, "0, or classes = 1");
    }
    if uses_replies && rates == Rates::Batch {
        let reason = "with sim_type = batch, BookSim 2 counts replies as packets of the batch";
        configuration.refuse("use_read_write", reason, "0, or sim_type = latency or throughput");
    }
    if classes > 1 && rates == Rates::Batch {
        let reason = "batches of several classes are not supported";
        configuration.refuse("classes", reason, "1, or sim_type = latency or throughput");
    }
}
