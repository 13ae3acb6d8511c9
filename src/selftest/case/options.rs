//! Keys of `[router]` that describe the microarchitecture of pipelined routers: one table with a row per key.

use super::Machine;
use crate::engine::router::{ALLOCATORS, ARBITERS, REPEATING, SEPARABLE};
use crate::selftest::features::{Feature, Swarm};

/// Keys with their values as a scenario writes them, in the order of [`OPTIONS`].
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct RouterOptions(Vec<(&'static str, String)>);

/// A key, and a generator of its values.
pub(crate) struct RouterOption {
    pub(crate) key: &'static str,
    /// The feature of cases that have it.
    feature: Feature,
    /// Draws a value. `None` if the key is not read, or has no value but its default.
    draw: fn(&mut Swarm, &Fitting<'_>) -> Option<String>,
}

/// The router for which keys are drawn, as far as their values depend on it.
pub(crate) struct Fitting<'a> {
    pub(crate) machine: &'a Machine,
    /// The flits of the longest packet.
    pub(crate) longest: u64,
    /// True if packets have classes.
    pub(crate) has_classes: bool,
    /// The keys that are drawn so far.
    pub(crate) options: RouterOptions,
}

const fn option(
    key: &'static str,
    feature: Feature,
    draw: fn(&mut Swarm, &Fitting<'_>) -> Option<String>,
) -> RouterOption {
    RouterOption { key, feature, draw }
}

/// Every key, each after the keys on which its values depend.
pub(crate) const OPTIONS: &[RouterOption] = &[
    option("vc_allocator", Feature::Allocators, |swarm, on| {
        let others = on.is_speculative().then_some("piggyback");
        let names: Vec<&str> = allocators().chain(others).collect();
        Some(word(swarm, &names))
    }),
    option("vc_iterations", Feature::Allocators, |swarm, on| on.iterations(swarm, "vc_allocator")),
    option("vc_arbiter", Feature::Allocators, |swarm, on| on.arbiter(swarm, "vc_allocator")),
    option("switch_allocator", Feature::Allocators, |swarm, _| Some(word(swarm, &allocators().collect::<Vec<_>>()))),
    option("switch_iterations", Feature::Allocators, |swarm, on| on.iterations(swarm, "switch_allocator")),
    option("switch_arbiter", Feature::Allocators, |swarm, on| on.arbiter(swarm, "switch_allocator")),
    option("speculation_checks", Feature::SpeculationRules, |swarm, _| Some(word(swarm, &["credit", "free", "none"]))),
    option("speculation_allocator", Feature::SpeculationRules, |swarm, _| {
        let names: Vec<&str> = allocators().chain(["shared"]).collect();
        Some(word(swarm, &names))
    }),
    option("speculation_mask", Feature::SpeculationRules, |swarm, _| Some(word(swarm, &["grants", "requests"]))),
    option("input_speedup", Feature::Speedups, |swarm, _| number(swarm, &[1, 2, 3, 5])),
    option("output_speedup", Feature::Speedups, |swarm, _| number(swarm, &[1, 2, 3])),
    option("internal_speedup", Feature::Speedups, |swarm, _| Some(swarm.one_of(&["1.25", "1.5", "2.0", "3.0"]).into())),
    option("output_queue", Feature::Speedups, |swarm, _| number(swarm, &[1, 2, 5])),
    option("vc_arbiter_groups", Feature::Allocators, |swarm, on| {
        let [ports, vcs] = on.size()?;
        on.groups(swarm, "vc_allocator", [ports * vcs; 2])
    }),
    option("switch_arbiter_groups", Feature::Allocators, |swarm, on| {
        let [ports, vcs] = on.size()?;
        let inputs = ports * on.options.integer("input_speedup", 1).min(vcs);
        let outputs = ports * on.options.integer("output_speedup", 1).min(ports);
        on.groups(swarm, "switch_allocator", [inputs, outputs])
    }),
    option("switch_cycles", Feature::StageCycles, |swarm, _| number(swarm, &[1, 2, 3])),
    option("vc_cycles", Feature::StageCycles, |swarm, on| {
        let most = if on.is_speculative() { on.options.integer("switch_cycles", 1) } else { 3 };
        Some(swarm.draw(1..=most).to_string())
    }),
    option("traversal_cycles", Feature::StageCycles, |swarm, _| number(swarm, &[1, 2, 3])),
    option("credit_cycles", Feature::StageCycles, |swarm, _| number(swarm, &[0, 1, 4])),
    option("batched_stages", Feature::StageCycles, |swarm, _| flag(swarm)),
    option("hold_switch", Feature::WholePackets, |swarm, _| flag(swarm)),
    option("switching", Feature::WholePackets, |swarm, on| {
        let fits = on.longest <= on.buffer();
        fits.then(|| word(swarm, &["wormhole", "virtual-cut-through", "store-and-forward"]))
    }),
    option("busy_when_full", Feature::VcRequests, |swarm, _| flag(swarm)),
    option("prefer_empty", Feature::VcRequests, |swarm, _| flag(swarm)),
    option("shuffle_vcs", Feature::VcRequests, |swarm, _| flag(swarm)),
    option("adaptive_choice", Feature::VcRequests, |swarm, on| {
        let routing = on.machine.routers.as_ref()?.routing?;
        (routing.name == "adaptive").then(|| word(swarm, &["credits", "round-robin"]))
    }),
    option("buffer_policy", Feature::SharedBuffers, |swarm, on| {
        // a packet need not fit into its part of a shared buffer
        let is_spread = matches!(on.options.word("switching"), None | Some("wormhole"));
        is_spread.then(|| word(swarm, &["private", "shared", "limited", "dynamic"]))
    }),
    option("reserved", Feature::SharedBuffers, |swarm, on| {
        on.shares_buffers().then(|| swarm.draw(0..=on.buffer().min(2)).to_string())
    }),
    option("shared_buffer", Feature::SharedBuffers, |swarm, on| {
        let [_, vcs] = on.size()?;
        let least = vcs * on.options.integer("reserved", 1).max(1);
        on.shares_buffers().then(|| (least + swarm.draw(0..=6)).to_string())
    }),
    option("held_limit", Feature::SharedBuffers, |swarm, on| {
        (on.options.word("buffer_policy") == Some("limited")).then(|| swarm.draw(1..=6).to_string())
    }),
    option("priority", Feature::Priorities, |swarm, on| {
        let names = ["class", "none", "age", "network-age", "local-age", "queue-length", "hops", "sequence"];
        Some(word(swarm, if on.has_classes { &names } else { &names[1..] }))
    }),
    option("priority_donation", Feature::Priorities, |swarm, on| {
        (on.options.word("priority") != Some("local-age")).then(|| swarm.toss(0.5).to_string())
    }),
    option("networks", Feature::Networks, |swarm, _| number(swarm, &[1, 2, 3])),
];

fn allocators() -> impl Iterator<Item = &'static str> {
    ALLOCATORS.iter().map(|kind| kind.name)
}

/// One of `words`, in quotes.
fn word(swarm: &mut Swarm, words: &[&str]) -> String {
    format!("\"{}\"", swarm.one_of(words))
}

#[expect(clippy::unnecessary_wraps, reason = "as rows require")]
fn number(swarm: &mut Swarm, numbers: &[u64]) -> Option<String> {
    Some(swarm.one_of(numbers).to_string())
}

#[expect(clippy::unnecessary_wraps, reason = "as rows require")]
fn flag(swarm: &mut Swarm) -> Option<String> {
    Some(swarm.toss(0.7).to_string())
}

impl Fitting<'_> {
    /// Keys of pipelined routers, each with probability one third where its feature is switched on.
    pub(crate) fn draw(mut self, swarm: &mut Swarm) -> RouterOptions {
        for RouterOption { key, feature, draw } in OPTIONS {
            if swarm.is_on(*feature)
                && swarm.toss(1.0 / 3.0)
                && let Some(value) = draw(swarm, &self)
            {
                swarm.meet(*feature);
                self.options.0.push((key, value));
            }
        }
        self.options
    }

    fn is_speculative(&self) -> bool {
        self.machine.routers.as_ref().is_some_and(|routers| routers.speculative)
    }

    fn buffer(&self) -> u64 {
        self.machine.channel.buffer.without_delay()
    }

    fn shares_buffers(&self) -> bool {
        self.options.word("buffer_policy").is_some_and(|policy| policy != "private")
    }

    /// The ports of a router, and the virtual channels of a port.
    fn size(&self) -> Option<[u64; 2]> {
        let routes = self.machine.routes()?;
        let network = self.machine.network()?;
        let of_node = network.channels().ports().max(network.channels().ejection_ports());
        let wiring = routes.wiring();
        let ports = wiring.link_ports() + of_node * wiring.most_nodes();
        Some([ports as u64, routes.virtual_channels().into()])
    }

    /// True if the allocator of `key` is one of `names`.
    fn is_one_of(&self, key: &str, names: &[&str]) -> bool {
        names.contains(&self.options.word(key).unwrap_or("separable-input-first"))
    }

    fn iterations(&self, swarm: &mut Swarm, allocator: &str) -> Option<String> {
        self.is_one_of(allocator, REPEATING).then(|| swarm.draw(1..=3).to_string())
    }

    fn arbiter(&self, swarm: &mut Swarm, allocator: &str) -> Option<String> {
        let names: Vec<&str> = ARBITERS.iter().map(|(name, ..)| *name).collect();
        self.is_one_of(allocator, SEPARABLE).then(|| word(swarm, &names))
    }

    /// A number of groups into which arbiters that choose among `counts` requests can be divided.
    fn groups(&self, swarm: &mut Swarm, allocator: &str, counts: [u64; 2]) -> Option<String> {
        let divides = |groups: &u64| counts.iter().all(|count| count.is_multiple_of(*groups));
        let divisors: Vec<u64> = (1..=16).filter(divides).collect();
        self.is_one_of(allocator, SEPARABLE).then(|| swarm.one_of(&divisors).to_string())
    }
}

impl RouterOptions {
    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = &(&'static str, String)> {
        self.0.iter()
    }

    /// The value of `key`, if it is given.
    pub(crate) fn get(&self, key: &str) -> Option<&str> {
        self.0.iter().find(|(name, _)| *name == key).map(|(_, value)| value.as_str())
    }

    /// The word that is the value of `key`.
    pub(crate) fn word(&self, key: &str) -> Option<&str> {
        self.get(key).map(|value| value.trim_matches('"'))
    }

    /// True if `key` is given as true.
    pub(crate) fn is_true(&self, key: &str) -> bool {
        self.get(key) == Some("true")
    }

    /// The integer that is the value of `key`.
    pub(crate) fn integer(&self, key: &str, default: u64) -> u64 {
        self.get(key).and_then(|value| value.parse().ok()).unwrap_or(default)
    }

    /// Returns the options with `key` set to `value`, and without the keys that are read only with some of its values.
    pub(crate) fn with(&self, key: &'static str, value: &str) -> Self {
        let mut options = self.excluding(key);
        options.0.push((key, value.to_owned()));
        options
    }

    /// Returns, for each key, the options without it.
    pub(super) fn fewer(&self) -> impl Iterator<Item = Self> {
        self.0.iter().map(|(key, _)| self.excluding(key))
    }

    fn excluding(&self, key: &str) -> Self {
        let dependent = DEPENDENT.iter().filter(|(of, _)| *of == key).flat_map(|(_, keys)| *keys);
        let gone: Vec<&str> = dependent.copied().chain([key]).collect();
        Self(self.0.iter().filter(|(name, _)| !gone.contains(name)).cloned().collect())
    }
}

/// Keys of which some values are read only with some values of another key.
const DEPENDENT: [(&str, &[&str]); 4] = [
    ("vc_allocator", &["vc_iterations", "vc_arbiter", "vc_arbiter_groups"]),
    ("switch_allocator", &["switch_iterations", "switch_arbiter", "switch_arbiter_groups"]),
    ("buffer_policy", &["reserved", "shared_buffer", "held_limit"]),
    ("switch_cycles", &["vc_cycles"]),
];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::machine::router;

    /// Keys that cases have without this table: machines draw them.
    const OF_MACHINES: [&str; 6] = ["model", "atomic", "routing", "speculative", "channel_latency", "allow_deadlock"];

    /// Keys that only packets read which routers combine: cases of the area `in-network` have them.
    const OF_JOINS: [&str; 2] = ["combine_latency", "combine_interval"];

    #[test]
    fn every_key_of_routers_is_drawn() {
        let of_routings = crate::network::ROUTING_KEYS.iter().map(|key| key.name);
        let elsewhere: Vec<&str> = OF_MACHINES.into_iter().chain(OF_JOINS).chain(of_routings).collect();
        let declared = router::KEYS.iter().map(|key| key.name).filter(|name| !elsewhere.contains(name));
        let missing: Vec<&str> = declared.clone().filter(|name| OPTIONS.iter().all(|row| row.key != *name)).collect();
        assert_eq!(missing, [""; 0], "keys of [router] without a row in OPTIONS");
        assert_eq!(declared.count(), OPTIONS.len(), "rows in OPTIONS of keys that there are not");
    }
}
