//! Traffic patterns.

use super::configuration::Configuration;
use super::network::Network;
use super::toml::Entries;
use super::value::{Call, entries};
use std::collections::BTreeMap;

/// The key of patterns.
const KEY: &str = "traffic";

/// Demand of a pattern on the nodes of a network.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Demand {
    /// Any nodes.
    Any,
    /// A power of two.
    PowerOfTwo,
    /// A power of two with an even exponent.
    PowerOfFour,
    /// 64 nodes.
    SixtyFour,
    /// A lattice of nodes, with sides of `k` times `xr` nodes.
    Lattice,
    /// A square of nodes, with sides of `k` times `xr` nodes.
    Square,
    /// The groups of a dragonfly.
    Groups,
}

impl Demand {
    /// True if the network fits, as far as its nodes are known.
    fn is_met(self, configuration: &Configuration, network: &Network) -> bool {
        let side = configuration.integer("k").saturating_mul(configuration.integer("xr"));
        let is_power = |nodes: i64| nodes.count_ones() == 1;
        match self {
            Self::Any => true,
            Self::PowerOfTwo => network.nodes.is_none_or(is_power),
            Self::PowerOfFour => {
                network.nodes.is_none_or(|nodes| is_power(nodes) && nodes.trailing_zeros().is_multiple_of(2))
            }
            Self::SixtyFour => network.nodes.is_none_or(|nodes| nodes == 64),
            Self::Lattice => network.sides == Some(side),
            Self::Square => network.nodes.is_none_or(|nodes| side.saturating_mul(side) == nodes),
            Self::Groups => configuration.text("topology") == "dragonflynew",
        }
    }

    /// The accepted networks.
    fn description(self) -> &'static str {
        match self {
            Self::Any => "any network",
            Self::PowerOfTwo => "a power of two nodes",
            Self::PowerOfFour => "an even power of two nodes",
            Self::SixtyFour => "64 nodes",
            Self::Lattice => "mesh, torus, cmesh, flatfly or fly with sides of k times xr nodes",
            Self::Square => "a square of nodes with sides of k times xr nodes",
            Self::Groups => "topology = dragonflynew",
        }
    }
}

/// Arguments of a pattern.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Arguments {
    /// BookSim 2 reads none.
    None,
    /// The keys that replace arguments which are left out.
    Keys(&'static [&'static str]),
    /// Nodes and their weights.
    Hotspots,
    /// Nodes that are left out.
    Excluded,
    /// The seed of a permutation.
    Seed,
}

/// A pattern of BookSim 2 with the name of its counterpart.
struct Pattern {
    name: &'static str,
    flitwise: &'static str,
    demand: Demand,
    arguments: Arguments,
}

const fn pattern(name: &'static str, flitwise: &'static str, demand: Demand, arguments: Arguments) -> Pattern {
    Pattern { name, flitwise, demand, arguments }
}

const LATTICE: Arguments = Arguments::Keys(&["k", "n", "xr"]);

const PATTERNS: [Pattern; 15] = [
    pattern("uniform", "uniform", Demand::Any, Arguments::None),
    pattern("bitcomp", "bit-complement", Demand::PowerOfTwo, Arguments::None),
    pattern("bitrev", "bit-reverse", Demand::PowerOfTwo, Arguments::None),
    pattern("shuffle", "shuffle", Demand::PowerOfTwo, Arguments::None),
    pattern("transpose", "transpose", Demand::PowerOfFour, Arguments::None),
    pattern("tornado", "tornado", Demand::Lattice, LATTICE),
    pattern("neighbor", "neighbor", Demand::Lattice, LATTICE),
    pattern("diagonal", "diagonal", Demand::Any, Arguments::None),
    pattern("asymmetric", "asymmetric", Demand::Any, Arguments::None),
    pattern("taper64", "taper64", Demand::SixtyFour, Arguments::None),
    pattern("bad_dragon", "bad-dragonfly", Demand::Groups, Arguments::Keys(&["k", "n"])),
    pattern("badperm_yarc", "bad-yarc", Demand::Square, LATTICE),
    pattern("hotspot", "hotspot", Demand::Any, Arguments::Hotspots),
    pattern("background", "background", Demand::Any, Arguments::Excluded),
    pattern("randperm", "permutation", Demand::Any, Arguments::Seed),
];

/// The keys of the pattern `text` on `network`. Errors are reported.
pub(super) fn read(configuration: &Configuration, text: &str, network: &Network) -> Entries {
    let mut keys = Entries::default();
    let call = Call::parse(text);
    let Some(pattern) = PATTERNS.iter().find(|pattern| pattern.name == call.name) else {
        let names = PATTERNS.map(|pattern| pattern.name).join(", ");
        configuration.refuse(KEY, &format!("BookSim 2 has no pattern `{}`", call.name), &names);
        return keys;
    };
    keys.insert("pattern", pattern.flitwise);
    pattern.check_nodes(configuration, network);
    pattern.write_arguments(configuration, &call, network, &mut keys);
    keys
}

impl Pattern {
    /// Reports a network that the pattern does not fit.
    fn check_nodes(&self, configuration: &Configuration, network: &Network) {
        if self.demand.is_met(configuration, network) {
            return;
        }
        let topology = configuration.text("topology");
        let nodes = network.nodes.map_or(String::new(), |nodes| format!(" with {nodes} nodes"));
        let reason = format!("`{}` does not fit topology = {topology}{nodes}", self.name);
        configuration.refuse(KEY, &reason, self.demand.description());
    }

    fn write_arguments(&self, configuration: &Configuration, call: &Call<'_>, network: &Network, keys: &mut Entries) {
        match self.arguments {
            Arguments::None => {
                if !call.inside.is_empty() {
                    configuration.note(KEY, &format!("has arguments without effect: `{}` has none", self.name));
                }
            }
            Arguments::Keys(names) => check_keys(configuration, call, names),
            Arguments::Hotspots => write_hotspots(configuration, call, network, keys),
            Arguments::Excluded => write_excluded(configuration, call, network, keys),
            Arguments::Seed => {
                configuration.note(KEY, "is another permutation than that of BookSim 2, drawn for each repetition");
            }
        }
    }
}

/// Reports arguments that differ from the keys that they replace.
fn check_keys(configuration: &Configuration, call: &Call<'_>, names: &[&'static str]) {
    let differs = |(argument, name): (&&str, &&str)| argument.parse().ok() != Some(configuration.integer(name));
    if call.arguments.iter().zip(names).any(differs) {
        let values: Vec<String> = names.iter().map(|name| configuration.integer(name).to_string()).collect();
        let reason = format!("the arguments must be {} of the network", names.join(", "));
        configuration.refuse(KEY, &reason, &format!("{}({{{}}})", call.name, values.join(",")));
    }
}

/// Adds a note on arguments that BookSim 2 reads in another way than they look.
fn note_arguments(configuration: &Configuration, call: &Call<'_>, read: &str) {
    let is_flat = call.arguments.len() > 1 && !call.arguments[0].starts_with('{');
    if call.is_misread() || is_flat {
        configuration.note(KEY, &format!("is read as {read}; all arguments are one vector: {}", call.in_one_vector()));
    }
}

/// The nodes that `text` lists. Numbers that are not nodes of `network` are reported.
fn nodes(configuration: &Configuration, text: &str, network: &Network) -> Option<Vec<i64>> {
    let last = network.nodes.unwrap_or(i64::MAX) - 1;
    let is_node = |node: &i64| (0..=last).contains(node);
    let nodes: Option<Vec<i64>> = entries(text).iter().map(|node| node.parse().ok().filter(is_node)).collect();
    let nodes = nodes.filter(|nodes| !nodes.is_empty());
    if nodes.is_none() {
        let accepted = if last < i64::MAX - 1 { format!("nodes from 0 to {last}") } else { "nodes from 0".to_owned() };
        configuration.refuse(KEY, "its first argument lists nodes", &accepted);
    }
    nodes
}

fn write_hotspots(configuration: &Configuration, call: &Call<'_>, network: &Network, keys: &mut Entries) {
    let Some(nodes) = nodes(configuration, call.arguments.first().unwrap_or(&""), network) else { return };
    let Some(weights) = weights(configuration, call.arguments.get(1), nodes.len()) else { return };
    let read = format!("nodes {nodes:?} with weights {weights:?}");
    note_arguments(configuration, call, &read);
    // a node that is listed twice has the sum of its weights
    let mut sums: BTreeMap<i64, i64> = BTreeMap::new();
    for (node, weight) in nodes.iter().zip(&weights) {
        *sums.entry(*node).or_default() += weight;
    }
    let is_merged = sums.len() < nodes.len();
    let nodes = if is_merged { sums.keys().copied().collect() } else { nodes };
    let weights = if is_merged { sums.into_values().collect() } else { weights };
    let has_weights = nodes.len() > 1 && (is_merged || call.arguments.len() > 1);
    keys.insert("hotspots", nodes);
    keys.insert("hotspot_fraction", 1.0);
    if has_weights {
        keys.insert("hotspot_weights", weights);
    }
}

/// The weights of `count` nodes, which are 1 without an argument. Weights that are not positive are reported.
fn weights(configuration: &Configuration, argument: Option<&&str>, count: usize) -> Option<Vec<i64>> {
    let Some(text) = argument else { return Some(vec![1; count]) };
    let is_weight = |weight: &i64| *weight >= 1;
    let weights: Option<Vec<i64>> = entries(text).iter().map(|weight| weight.parse().ok().filter(is_weight)).collect();
    let Some(weights) = weights.filter(|weights| !weights.is_empty()) else {
        configuration.refuse(KEY, "its second argument lists weights", "integers from 1");
        return None;
    };
    let last = weights[weights.len() - 1];
    Some(weights.into_iter().chain(std::iter::repeat(last)).take(count).collect())
}

fn write_excluded(configuration: &Configuration, call: &Call<'_>, network: &Network, keys: &mut Entries) {
    let Some(mut nodes) = nodes(configuration, call.arguments.first().unwrap_or(&""), network) else { return };
    note_arguments(configuration, call, &format!("all nodes but {nodes:?}"));
    nodes.sort_unstable();
    nodes.dedup();
    if network.nodes == i64::try_from(nodes.len()).ok() {
        configuration.refuse(KEY, "no node is left", "fewer nodes");
    }
    keys.insert("excluded", nodes);
}
