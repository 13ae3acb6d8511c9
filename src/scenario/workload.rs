//! `[workload]`: which of them there is, and on what networks it runs.

use super::exchange::{self, Exchange};
use super::experiment::{Machine, Workload};
use super::files::Files;
use super::mapping::{self, Mapping};
use super::trace::{self, Trace};
use super::traffic::{self, OpenLoop};
use super::{broadcast, goal, multicast};
use crate::config::Diagnostic;
use crate::config::Reader;
use crate::engine::ChannelCosts;
use crate::machine::NetworkSpec;
use crate::machine::RouterTable;
use crate::topology::Ports;

/// What a workload finds when it is read.
pub(super) struct Setting<'a> {
    pub(super) root: &'a Reader<'a>,
    pub(super) machine: Option<&'a Machine>,
    pub(super) ports: Ports,
    pub(super) repetitions: u64,
    pub(super) channel: ChannelCosts,
    pub(super) virtual_channels: Option<u64>,
    pub(super) router: RouterTable,
}

impl Setting<'_> {
    fn nodes(&self) -> Option<usize> {
        self.machine.map(Machine::nodes)
    }

    /// Reads `[workload]`; what is wrong has been reported.
    pub(super) fn workload(&self, files: &mut Files<'_>) -> Option<Workload> {
        let root = self.root;
        let Some(table) = root.table("workload") else {
            if !root.has("workload") {
                let needed = "a [workload.*]: multicast, exchange, broadcast, mapping, traffic, goal, msccl or trace";
                root.missing("workload", needed);
            }
            return None;
        };
        let workload = table.only_table().and_then(|(name, inner)| {
            let workload = self.named(name, &inner, files);
            inner.finish();
            workload
        });
        table.finish();
        workload
    }

    fn named(&self, name: &str, table: &Reader<'_>, files: &mut Files<'_>) -> Option<Workload> {
        match name {
            "multicast" => multicast::read(table, self.nodes(), self.repetitions, files).map(Workload::Multicast),
            "exchange" => exchange_on(self, table).map(Workload::Exchange),
            "broadcast" => {
                self.root.error(Diagnostic::at(table.place(), "a broadcast needs a [network.grid] to run on"));
                broadcast::read(table, None, None).map(Workload::Broadcast)
            }
            "mapping" => mapping_on(self, table, files).map(Workload::Mapping),
            "traffic" => traffic_on(self, table, files).map(Workload::Traffic),
            "goal" => goal::read_goal(table, self.nodes(), files).map(Workload::Operations),
            "msccl" => goal::read_msccl(table, self.nodes(), files).map(Workload::Operations),
            _ => trace_on(self, table, files).map(Workload::Trace),
        }
    }
}

/// An exchange needs a torus, and prescribes its routes.
fn exchange_on(setting: &Setting<'_>, table: &Reader<'_>) -> Option<Exchange> {
    let (root, machine, ports) = (setting.root, setting.machine, setting.ports);
    let torus = machine.and_then(|machine| machine.spec.torus(ports));
    if torus.is_none() && (machine.is_some() || !root.has("network")) {
        table.error(Diagnostic::at(table.place(), "an exchange needs a [network.torus] to run on"));
    }
    let order = &["network", "torus", "order"];
    if root.is_given(order) {
        let message = "an exchange prescribes which way its messages go, so `network.torus.order` would be ignored";
        root.error(Diagnostic::at(root.place_within(order), message));
    }
    exchange::read(table, torus)
}

/// A mapping needs a hypercube; its packets are requested at the injection channel.
fn mapping_on(setting: &Setting<'_>, table: &Reader<'_>, files: &mut Files<'_>) -> Option<Mapping> {
    let (root, machine) = (setting.root, setting.machine);
    let cube = machine.filter(|machine| matches!(machine.spec, NetworkSpec::Hypercube { .. }));
    if cube.is_none() && (machine.is_some() || !root.has("network")) {
        table.error(Diagnostic::at(table.place(), "a mapping needs a [network.hypercube]"));
    }
    reject_node_costs(root, "packets have no node overheads");
    mapping::read(table, cube.map(Machine::nodes), files)
}

/// A trace needs a network, and has no node overheads.
fn trace_on(setting: &Setting<'_>, table: &Reader<'_>, files: &mut Files<'_>) -> Option<Trace> {
    let root = setting.root;
    let Some(nodes) = setting.nodes() else {
        if !root.has("network") {
            table.error(Diagnostic::at(table.place(), "a trace needs a [network.*] to run on"));
        }
        return None;
    };
    reject_node_costs(root, "a trace has no node overheads");
    trace::read(table, nodes, files)
}

/// Traffic needs a network, and has no node overheads.
fn traffic_on(setting: &Setting<'_>, table: &Reader<'_>, files: &mut Files<'_>) -> Option<OpenLoop> {
    let Setting { root, machine, ports, channel, virtual_channels, router, .. } = *setting;
    if machine.is_none() && !root.has("network") {
        table.error(Diagnostic::at(table.place(), "traffic needs a [network.*] to run on"));
    }
    reject_node_costs(root, "traffic has no node overheads");
    let spec = machine.map(|machine| &machine.spec);
    let routers = spec.and_then(|spec| router.routers(root, (spec, ports.injection), channel, virtual_channels));
    traffic::read(table, spec, setting.nodes(), routers, files)
}

/// Messages that are requested at the injection channel: node overheads would be ignored.
fn reject_node_costs(root: &Reader<'_>, why: &str) {
    let Some(table) = root.table("node") else {
        return;
    };
    for key in table.keys().filter(|&key| !["ports", "ejection_ports"].contains(&key)) {
        let message = format!("{why}, so `node.{key}` would be ignored");
        table.error(Diagnostic::at(table.place_of(key), message).note("accepted here: `ports`, `ejection_ports`"));
    }
}
