//! Topologies as tables of networks.
//!
//! BookSim 2 counts dimensions from the lowest digit of a node, which is the last coordinate of a scenario. Therefore
//! `order` is reversed on meshes and tori.

use super::configuration::Configuration;
use super::toml::TomlTable;

/// The network of a scenario.
pub(super) struct Network {
    /// The table `[network.*]`.
    pub(super) table: TomlTable,
    /// The number of nodes, or `None` if a file states it.
    pub(super) nodes: Option<i64>,
    /// The nodes along a side of a lattice of nodes, or `None` on other networks.
    pub(super) sides: Option<i64>,
    /// The file that the network needs, as the configuration names it.
    pub(super) file: Option<String>,
}

impl Network {
    fn new(kind: &str, nodes: i64) -> Self {
        Self { table: TomlTable::new(&format!("[network.{kind}]")), nodes: Some(nodes), sides: None, file: None }
    }
}

/// Most nodes of a network.
const MOST_NODES: i64 = 1 << 31;

/// The value of `k` and `n`, and `k` to the power of `n` times `factor` nodes. Sizes out of range are reported.
fn size(configuration: &Configuration, factor: i64) -> Option<(i64, i64, i64)> {
    let radix = configuration.integer_in("k", 1..=i64::from(i32::MAX));
    let dimensions = configuration.integer_in("n", 1..=31);
    let exponent = u32::try_from(dimensions).ok()?;
    let nodes = radix.checked_pow(exponent).and_then(|nodes| nodes.checked_mul(factor));
    let Some(nodes) = nodes.filter(|nodes| *nodes < MOST_NODES) else {
        configuration.refuse("k", &format!("n = {dimensions} dimensions have 2^31 nodes or more"), "fewer nodes");
        return None;
    };
    Some((radix, dimensions, nodes))
}

/// True if links have the lengths of a chip.
fn has_chip_lengths(configuration: &Configuration) -> bool {
    configuration.integer("use_noc_latency") == 1
}

/// A vector of `dimensions` times the same `value`.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "there are at most 31 dimensions")]
fn repeated(dimensions: i64, value: i64) -> Vec<i64> {
    vec![value; dimensions as usize]
}

fn write_lattice(network: &mut Network, radix: i64, dimensions: i64) {
    network.table.insert("shape", repeated(dimensions, radix));
    if dimensions > 1 {
        network.table.insert("order", (0..dimensions).rev().collect::<Vec<i64>>());
    }
}

pub(super) fn mesh(configuration: &Configuration) -> Option<Network> {
    let (radix, dimensions, nodes) = size(configuration, 1)?;
    if configuration.text("routing_function") == "xy_yx" && dimensions != 2 {
        configuration.refuse("routing_function", &format!("it requires two dimensions, not n = {dimensions}"), "n = 2");
    }
    let mut network = Network { sides: Some(radix), ..Network::new("mesh", nodes) };
    write_lattice(&mut network, radix, dimensions);
    Some(network)
}

pub(super) fn torus(configuration: &Configuration) -> Option<Network> {
    let (radix, dimensions, nodes) = size(configuration, 1)?;
    if configuration.text("routing_function") == "valiant" {
        configuration.note("routing_function", "stops BookSim 2 with a failed assertion on a torus; flitwise runs it");
    }
    let mut network = Network { sides: Some(radix), ..Network::new("torus", nodes) };
    write_lattice(&mut network, radix, dimensions);
    if has_chip_lengths(configuration) {
        network.table.insert("delay", repeated(dimensions, 1));
    }
    Some(network)
}

/// Nodes of a router along each side. BookSim 2 asserts that there are equally many along both.
fn concentration(configuration: &Configuration, most: i64) -> Option<i64> {
    let side = configuration.integer_in("xr", 1..=most);
    if configuration.integer("yr") != side {
        configuration.refuse("yr", "xr and yr must be equal", &side.to_string());
        return None;
    }
    let nodes = side * side;
    if configuration.integer("c") != nodes {
        configuration.refuse("c", "it must be xr times yr", &nodes.to_string());
        return None;
    }
    Some(side)
}

/// Reports a value of `n` other than 2.
fn demand_two_dimensions(configuration: &Configuration) {
    if configuration.integer("n") != 2 {
        let topology = configuration.text("topology");
        configuration.refuse("n", &format!("topology = {topology} is supported in two dimensions only"), "2");
    }
}

pub(super) fn cmesh(configuration: &Configuration) -> Option<Network> {
    demand_two_dimensions(configuration);
    if configuration.integer("x") != configuration.integer("y") {
        configuration.refuse("y", "x and y must be equal", configuration.text("x"));
    }
    if configuration.integer("c") != 4 {
        configuration.refuse("c", "a cmesh of BookSim 2 has four nodes at each router", "4");
        return None;
    }
    let side = concentration(configuration, 2)?;
    let (radix, dimensions, nodes) = size(configuration, 4)?;
    let mut network = Network { sides: Some(radix * side), ..Network::new("mesh", nodes) };
    write_lattice(&mut network, radix, dimensions);
    network.table.insert("concentration", 4);
    network.table.insert("node_grid", vec![side, side]);
    if has_chip_lengths(configuration) {
        network.table.insert("delay", repeated(dimensions, 1));
    }
    Some(network)
}

pub(super) fn flatfly(configuration: &Configuration) -> Option<Network> {
    // wider routers have longer channels of nodes
    const MOST_SIDE: i64 = 3;
    demand_two_dimensions(configuration);
    let side = concentration(configuration, MOST_SIDE)?;
    let (radix, dimensions, nodes) = size(configuration, side * side)?;
    for key in ["x", "y"] {
        if configuration.integer(key) != radix {
            configuration.refuse(key, "x, y and k must be equal", &radix.to_string());
        }
    }
    let mut network = Network { sides: Some(radix * side), ..Network::new("hyperx", nodes) };
    network.table.insert("shape", repeated(dimensions, radix));
    network.table.insert("concentration", side * side);
    network.table.insert("node_grid", vec![side, side]);
    if has_chip_lengths(configuration) {
        network.table.insert("delay_per_step", repeated(dimensions, side));
    }
    Some(network)
}

pub(super) fn fattree(configuration: &Configuration) -> Option<Network> {
    configuration.integer_in("k", 2..=i64::from(i32::MAX));
    let (arity, levels, nodes) = size(configuration, 1)?;
    let mut network = Network::new("fat-tree", nodes);
    network.table.insert("arity", arity);
    network.table.insert("levels", levels);
    Some(network)
}

pub(super) fn dragonfly(configuration: &Configuration) -> Option<Network> {
    if configuration.integer("n") != 1 {
        configuration.refuse("n", "a dragonflynew of BookSim 2 has one dimension", "1");
    }
    let ports = configuration.integer_in("k", 1..=1000);
    let routers = 2 * ports;
    let groups = routers * ports + 1;
    let mut network = Network::new("dragonfly", ports * routers * groups);
    network.table.insert("p", ports);
    network.table.insert("a", routers);
    network.table.insert("h", ports);
    network.table.insert("local_delay", 9);
    network.table.insert("global_delay", 99);
    Some(network)
}

pub(super) fn fly(configuration: &Configuration) -> Option<Network> {
    if configuration.integer("n") != 1 {
        configuration.refuse("n", "a fly of several stages is not supported; topology = fly must have one stage", "1");
    }
    let radix = configuration.integer_in("k", 1..=4096);
    let mut network = Network { sides: Some(radix), ..Network::new("full-mesh", radix) };
    network.table.insert("routers", 1);
    network.table.insert("concentration", radix);
    Some(network)
}

pub(super) fn anynet(configuration: &Configuration) -> Option<Network> {
    let file = configuration.text("network_file");
    if file.is_empty() {
        configuration.refuse("network_file", "topology = anynet requires a file of routers and nodes", "a file name");
        return None;
    }
    let mut network = Network { nodes: None, file: Some(file.to_owned()), ..Network::new("graph", 0) };
    network.table.insert("file", file);
    network.table.insert("format", "anynet");
    Some(network)
}
