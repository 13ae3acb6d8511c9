//! The machine of a point: channels and nodes, a chip, a grid, or a model alone.

use super::keys;
use crate::config::{Diagnostic, Files, KeyValues, Reader};
use crate::costs::{Buffer, ChannelCosts, NodeCosts};
use crate::engine::Engine;
use crate::machine::energy::EnergyParts;
use crate::machine::faults::{self, FaultBase};
use crate::machine::{self, Asked, ChannelTable, Draw, EngineTable, Machine, NodeTable};
use crate::network::{self, BuiltNetwork, LinkClasses, Paths, SlowPairs, Wanted};
use crate::topology::Failures;
use crate::workload::KINDS;
use std::sync::Arc;

/// The tables that describe the machine.
pub(super) const MACHINE: [&str; 10] =
    ["network", "node", "channel", "links", "router", "engine", "model", "device", "energy", "faults"];

/// The tables that a grid reads, too.
const OF_GRIDS: [&str; 2] = ["network", "faults"];

/// A machine as it was read.
#[derive(Clone)]
pub(super) struct ReadMachine {
    pub(super) machine: Arc<Machine>,
    /// The number of processors of its model, if the model states it.
    pub(super) processors: Option<u64>,
}

impl ReadMachine {
    /// Reads the machine of the point `root`.
    pub(super) fn read(root: &Reader<'_>, on_grid: bool, files: &mut Files<'_>) -> Self {
        match device_of(root) {
            _ if on_grid => grid(root),
            Some(on_device) => chip(root, on_device, files),
            None => machine(root, files, None),
        }
    }

    /// Reads the machine of the point `root` with virtual-channel routers, whatever engine the scenario selects.
    pub(super) fn on_routers(root: &Reader<'_>, files: &mut Files<'_>) -> Self {
        machine(root, files, Some(Engine::Router))
    }
}

/// A machine with channels and nodes, or with a model alone. It runs on the engine that the scenario selects unless one is `prescribed`.
/// Its faults, if it has any, are those of the first repetition.
fn machine(root: &Reader<'_>, files: &mut Files<'_>, prescribed: Option<Engine>) -> ReadMachine {
    let draw = Draw { seed: root.integer(&keys::SEED), repetition: 0 };
    let nodes = machine::read_node(root);
    let has_network = root.has("network");
    let ChannelTable { costs: channel, virtual_channels, flit_bits } = machine::read_channel(root, has_network);
    let links = Arc::new(LinkClasses::read(root, flit_bits, channel.flit_time));
    let ports = nodes.ports();
    let NodeTable { costs: node, ejection } = nodes;
    let table = machine::read_router(root, has_network);
    let (engine, threads) = match prescribed {
        Some(engine) => (engine, None),
        None => {
            let EngineTable { kind, threads } = machine::read_engine(root, has_network);
            (kind, threads)
        }
    };
    let routing = table.routing;
    let deadlock = table.policy;
    let paths = faults::paths(root);
    let flit_time = channel.flit_time;
    let request =
        Wanted { ports, virtual_channels, flit_time, routing, keys: &table.keys, paths, link_classes: &links };
    let own_network = network::read(root, request, files);
    let base = own_network.as_ref().and_then(|network| FaultBase::read(root, request, network, files));
    // with [faults], the network without failures but with the same routing
    let network = match &base {
        Some(base) => base.read_network(root, &Failures::default(), &SlowPairs::default()),
        None => own_network.filter(|_| !root.has("faults")),
    };
    let open_loop = KINDS.iter().any(|kind| kind.open_loop && root.has_table(&["workload", kind.name]));
    let channel = network.as_ref().map_or(channel, |network| settled(channel, network));
    let by_workload = KINDS.iter().find_map(|kind| (kind.needs_routers)(root));
    let has_classes = KINDS.iter().any(|kind| root.length_within(&["workload", kind.name, "class"]).is_some());
    let router_table = Asked { table, channel, virtual_channels, engine, open_loop, by_workload, has_classes };
    let routers = network.as_ref().and_then(|network| router_table.routers(root, network));
    let parts =
        network.as_ref().map(|network| EnergyParts { network, routers: routers.as_ref(), channel, links: &links });
    let energy = machine::energy::read(root, parts);
    let read = machine::read_model(root, flit_bytes(root));
    let processors = read.as_ref().and_then(|read| read.processors);
    let dependency_rule = read.as_ref().and_then(|read| read.dependency_rule);
    let model = read.map(|read| read.model);
    let machine = Machine {
        network,
        channel,
        links,
        node,
        ejection,
        model,
        dependency_rule,
        engine,
        threads,
        routers,
        deadlock,
        device: None,
        energy,
        faults: None,
    };
    let machine = Arc::new(machine);
    let faulty =
        base.filter(|_| machine.network.is_some()).and_then(|base| faulty(root, &base, &machine, &router_table, draw));
    ReadMachine { machine: faulty.map_or(machine, Arc::new), processors }
}

/// The machine with the faults that `draw` selects, of which `intact` has none. Returns `None` after an error, which has been reported.
fn faulty(
    root: &Reader<'_>,
    base: &Arc<FaultBase>,
    intact: &Arc<Machine>,
    asked: &Asked,
    draw: Draw,
) -> Option<Machine> {
    let network = base.read_network(root, &base.draw(draw).failures, &SlowPairs::default())?;
    let routers = asked.routers(root, &network);
    if routers.is_some() {
        base.refuse_cycles(root);
    }
    // the network has been built already, with the same failures
    base.machine(intact, (network, routers), draw).ok()
}

/// The bytes of a flit, if the scenario states them and the workload counts lengths in flits.
fn flit_bytes(root: &Reader<'_>) -> Option<u64> {
    let flit_bytes = root.scale()?.flit_bytes?;
    let in_bytes = KINDS.iter().any(|kind| kind.counts_bytes && root.has_table(&["workload", kind.name]));
    (!in_bytes).then_some(flit_bytes)
}

/// Replaces a default buffer by its size on a network without delays.
fn settled(channel: ChannelCosts, network: &BuiltNetwork) -> ChannelCosts {
    let costs = network.network.channels().own_costs();
    let buffer = match channel.buffer {
        Buffer::RoundTrip if costs.is_none_or(|costs| !costs.has_round_trip()) => Buffer::Flits(1),
        buffer => buffer,
    };
    ChannelCosts { buffer, ..channel }
}

/// Returns true if the machine is a chip whose processors the workload describes, and false if it is a chip with other work. Other
/// machines return `None`.
fn device_of(root: &Reader<'_>) -> Option<bool> {
    let on_device = KINDS.iter().any(|kind| kind.on_device && root.has_table(&["workload", kind.name]));
    (on_device || root.has_table(&["device"])).then_some(on_device)
}

/// Reads a chip, with both of its networks if the workload describes its processors.
fn chip(root: &Reader<'_>, on_device: bool, files: &mut Files<'_>) -> ReadMachine {
    let refused: &[&str] = if on_device {
        &["channel", "links", "router", "engine", "energy", "faults", "node", "model"]
    } else {
        &["channel", "links", "router", "engine", "energy", "faults"]
    };
    for key in refused.iter().filter(|key| root.has(key)) {
        let message = format!("`{key}` has no effect with [device], which defines all costs of a chip and its engine");
        let hint = format!("remove the table, or add --unset {key}");
        root.error(Diagnostic::at(root.place_within(&[key]), message).hint(hint));
    }
    let node = if on_device { NodeCosts::default() } else { one_port(root) };
    let keys = KeyValues::default();
    let ports = NodeCosts::default().ports.into();
    let paths = Paths::Own;
    let links = Arc::default();
    let request =
        Wanted { ports, virtual_channels: None, flit_time: 1, routing: None, keys: &keys, paths, link_classes: &links };
    let network = network::read(root, request, files);
    let named = KINDS
        .iter()
        .filter(|kind| kind.on_device)
        .find_map(|kind| root.text_within(&["workload", kind.name, "device"]));
    let read = if on_device { None } else { machine::read_model(root, flit_bytes(root)) };
    let processors = read.as_ref().and_then(|read| read.processors);
    let model = read.map(|read| read.model);
    let chip = network.and_then(|network| machine::device::machine(root, &network, named, on_device));
    let chip = chip.map_or_else(Machine::default, |chip| Machine { node, model, ..chip });
    ReadMachine { machine: Arc::new(chip), processors }
}

/// Reads the costs of nodes that have one port.
fn one_port(root: &Reader<'_>) -> NodeCosts {
    let NodeTable { costs, ejection } = machine::read_node(root);
    for (key, is_given) in [("ports", costs.ports != 1), ("ejection_ports", ejection.is_some())] {
        if is_given {
            let message = format!("`node.{key}` has no effect with [device], which defines the network interfaces");
            root.error(Diagnostic::at(root.place_within(&["node", key]), message));
        }
    }
    costs
}

/// Returns true if the network is a grid.
pub(super) fn is_on_grid(root: &Reader<'_>) -> bool {
    root.is_given(&["network", "grid"]) || root.has_table(&["network", "grid"])
}

/// Reads a grid, which has no channels, no flits and no engines.
fn grid(root: &Reader<'_>) -> ReadMachine {
    for key in MACHINE {
        if !OF_GRIDS.contains(&key) && root.has(key) {
            let message = format!("`{key}` has no effect with [network.grid], which defines the cost of every link");
            root.error(Diagnostic::at(root.place_within(&[key]), message));
        }
    }
    ReadMachine { machine: Arc::default(), processors: None }
}
