//! Columns and the file of the rows of scenarios with `[faults]`.

use super::column::{Cell, Column};
use super::file::RowFile;
use super::row::Row;
use crate::engine::program::MessageSet;
use crate::machine::faults::Unreachable;
use crate::machine::{Faults, Machine};
use crate::network::connected;
use crate::topology::RouterPair;
use crate::units::Millionths;

/// Failed pairs of routers.
const FAILED_LINKS: Column = Column::count("failed_links").shown("failed links", 7);
/// Failed routers.
const FAILED_ROUTERS: Column = Column::count("failed_routers");
/// Ordered pairs of different nodes with a path, as a part of those of the network without failures.
const CONNECTED: Column = Column::millionths("connected").called("connected pairs");
/// Messages without a path, which are left out.
const UNREACHABLE: Column = Column::count("unreachable").called("unreachable messages");
/// Messages whose links differ from those of the same routing without failures.
const REROUTED: Column = Column::count("rerouted").called("rerouted messages");
/// Links that messages cross more than without failures.
const EXTRA_HOPS: Column = Column::signed("extra_hops");
/// The result of the same row without faults.
const FAULT_FREE: Column = Column::ticks("fault_free").called("time without faults");
/// The latency or makespan of the same traffic without faults.
const FAULT_FREE_LATENCY: Column = Column::millionths("fault_free").called("latency without faults").in_unit("ticks");
/// The result with faults over that without.
const SLOWDOWN: Column = Column::millionths("slowdown").shown_as("slowdown", 1, Cell::Fraction);
/// The ratio of jobs, which have a slowdown of their own.
const FAULT_SLOWDOWN: Column = Column::millionths("fault_slowdown").shown_as("fault slowdown", 1, Cell::Fraction);

const fn with(fault_free: Column, slowdown: Column) -> [Column; 8] {
    [FAILED_LINKS, FAILED_ROUTERS, CONNECTED, UNREACHABLE, REROUTED, EXTRA_HOPS, fault_free, slowdown]
}

/// The columns of rows of programs.
pub(crate) const FAULT_COLUMNS: &[Column] = &with(FAULT_FREE, SLOWDOWN);
/// The columns of rows of jobs.
pub(crate) const FAULT_COLUMNS_OF_JOBS: &[Column] = &with(FAULT_FREE, FAULT_SLOWDOWN);
/// The columns of rows of traffic.
pub(crate) const FAULT_COLUMNS_OF_TRAFFIC: &[Column] = &with(FAULT_FREE_LATENCY, SLOWDOWN);

/// All columns that rows with `[faults]` can have.
#[cfg(feature = "plots")]
pub(crate) fn all_fault_columns() -> impl Iterator<Item = &'static Column> + Clone {
    FAULT_COLUMNS.iter().chain(FAULT_COLUMNS_OF_JOBS)
}

/// faults.csv: what has failed or is slow in each repetition of each point.
pub(crate) const FAULTS: RowFile = RowFile { name: "faults.csv", header: &["point", "repetition", "kind", "a", "b"] };

/// The columns that rows with `[faults]` have after `columns`.
pub(crate) fn fault_columns(columns: &[Column], open_loop: bool) -> &'static [Column] {
    match columns.iter().any(|column| column.name == SLOWDOWN.name) {
        _ if open_loop => FAULT_COLUMNS_OF_TRAFFIC,
        true => FAULT_COLUMNS_OF_JOBS,
        false => FAULT_COLUMNS,
    }
}

/// Counts the messages of `program` that have no path, or another one than without failures, in `row`. Returns false if the program
/// is not run, because a message has no path and is not to be an error.
pub(super) fn count_messages(machine: &Machine, program: &(impl MessageSet + ?Sized), row: &mut Row) -> bool {
    let Some(faults) = machine.faults.as_ref().filter(|_| row.has(REROUTED.name)) else { return true };
    let messages = machine.rerouted_messages(program);
    let unreachable = row.value(UNREACHABLE.name).unwrap_or(0) + messages.unreachable;
    row.set(&UNREACHABLE, unreachable);
    row.set(&REROUTED, messages.rerouted);
    row.set_signed(&EXTRA_HOPS, messages.extra_hops.saturating_mul(1_000_000));
    messages.unreachable == 0 || faults.spec().unreachable == Unreachable::Reject
}

impl Row {
    /// Sets the number of messages that are left out because they have no path, if rows have it.
    pub(crate) fn leave_out(&mut self, messages: u64) {
        if self.has(UNREACHABLE.name) {
            self.set(&UNREACHABLE, messages);
        }
    }

    /// Sets the columns of `faults`, of a row of this repetition on a network of `nodes` nodes.
    pub(crate) fn add_faults(&mut self, faults: &Faults, nodes: usize) {
        let failures = &faults.present.failures;
        self.set(&FAILED_LINKS, failures.pairs.len() as u64);
        self.set(&FAILED_ROUTERS, failures.routers.len() as u64);
        let all = (nodes as u128) * (nodes as u128).saturating_sub(1);
        self.set(&CONNECTED, connected(faults.connected_pairs.unwrap_or(all), all).0);
        if self.value(UNREACHABLE.name).is_none() {
            self.set(&UNREACHABLE, 0);
        }
        if self.id.algorithm == 0 {
            self.list_faults(faults);
        }
    }

    /// Adds the faults of the repetition to faults.csv.
    fn list_faults(&mut self, faults: &Faults) {
        let present = &faults.present;
        let pair = |kind| move |pair: &RouterPair| (kind, pair.low.0, Some(pair.high.0));
        let links = present.failures.pairs.iter().map(pair("link"));
        let routers = present.failures.routers.iter().map(|router| ("router", router.0, None));
        let slow = present.slow.pairs.iter().map(pair("slow-link"));
        let stragglers = present.stragglers.nodes().iter().map(|node| ("straggler", node.0, None));
        let (point, repetition) = (self.id.point, self.id.repetition);
        let lines: Vec<_> = links.chain(routers).chain(slow).chain(stragglers).collect();
        self.add_plain_lines(&FAULTS, lines.into_iter().map(|line| (point, repetition, line)));
    }

    /// Compares the row with `baseline`, the same row without faults, of which `result` is the column of the result.
    pub(crate) fn compare_with_baseline(&mut self, baseline: &Row, result: &str, fault_columns: &[Column]) {
        let (Some(with), Some(without)) = (self.value(result), baseline.value(result)) else { return };
        let [.., fault_free, slowdown] = fault_columns else { return };
        // a makespan is in ticks, a latency in millionths of one
        let scale = if fault_free.unit == FAULT_FREE_LATENCY.unit && result == "makespan" { 1_000_000 } else { 1 };
        self.set(fault_free, without.saturating_mul(scale));
        if without > 0 {
            self.set(slowdown, Millionths::ratio(with, without).0);
        }
    }
}
