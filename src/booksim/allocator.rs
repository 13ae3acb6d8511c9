//! Allocators with their iterations and arbiters, such as `islip(2)` and `separable_input_first(tree(4,matrix))`.

use super::configuration::Configuration;
use super::toml::Entries;
use super::value::Call;

/// Use of the argument of an allocator.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Argument {
    /// A number of iterations.
    Iterations,
    /// An arbiter.
    Arbiter,
    /// One iteration. More are refused.
    OneIteration,
    /// BookSim 2 does not read an argument.
    Unread,
}

/// Allocators of BookSim 2 with the names of their counterparts.
const ALLOCATORS: [(&str, &str, Argument); 9] = [
    ("separable_input_first", SEPARABLE, Argument::Arbiter),
    ("separable_output_first", "separable-output-first", Argument::Arbiter),
    ("islip", "islip", Argument::Iterations),
    ("pim", "pim", Argument::Iterations),
    ("wavefront", "wavefront", Argument::Unread),
    ("rr_wavefront", "rr-wavefront", Argument::Unread),
    ("loa", "loa", Argument::Unread),
    ("select", "select", Argument::OneIteration),
    ("max_size", "max-size", Argument::Unread),
];

/// The default of `router.vc_allocator` and `router.switch_allocator`.
const SEPARABLE: &str = "separable-input-first";
const PIGGYBACK: &str = "piggyback";
const SHARED: &str = "prio";
const MOST_ITERATIONS: i64 = 64;

/// Keys of a scenario for an allocator.
struct Keys {
    allocator: &'static str,
    iterations: &'static str,
    arbiter: &'static str,
    groups: &'static str,
}

const VC_KEYS: Keys =
    Keys { allocator: "vc_allocator", iterations: "vc_iterations", arbiter: "vc_arbiter", groups: "vc_arbiter_groups" };

const SWITCH_KEYS: Keys = Keys {
    allocator: "switch_allocator",
    iterations: "switch_iterations",
    arbiter: "switch_arbiter",
    groups: "switch_arbiter_groups",
};

/// An allocator.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Allocator {
    name: &'static str,
    argument: Argument,
    iterations: i64,
    arbiter: Arbiter,
}

/// An arbiter, or a tree of arbiters.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Arbiter {
    name: &'static str,
    groups: i64,
}

const ROUND_ROBIN: Arbiter = Arbiter { name: "round-robin", groups: 1 };

impl Arbiter {
    /// Reads `round_robin`, `matrix` or `tree(groups,arbiter)`.
    fn parse(text: &str) -> Option<Self> {
        match text {
            "round_robin" => return Some(ROUND_ROBIN),
            "matrix" => return Some(Self { name: "matrix", groups: 1 }),
            _ => {}
        }
        let inside = text.strip_prefix("tree(")?.strip_suffix(')')?;
        let (groups, arbiter) = inside.split_once(',')?;
        let groups = groups.parse().ok().filter(|groups| *groups >= 1)?;
        let arbiter = Self::parse(arbiter).filter(|arbiter| arbiter.groups == 1)?;
        Some(Self { groups, ..arbiter })
    }
}

impl Allocator {
    /// The allocator of the key `key`. An unknown one is reported.
    fn read(configuration: &Configuration, key: &'static str) -> Option<Self> {
        let call = Call::parse(configuration.text(key));
        let Some((_, name, argument)) = ALLOCATORS.into_iter().find(|(name, ..)| *name == call.name) else {
            configuration.refuse(key, &format!("BookSim 2 has no allocator `{}` here", call.name), &names(key));
            return None;
        };
        let mut allocator = Self { name, argument, iterations: 1, arbiter: ROUND_ROBIN };
        if call.inside.is_empty() {
            return Some(allocator);
        }
        match argument {
            Argument::Iterations => allocator.iterations = iterations(configuration, key, &call, MOST_ITERATIONS)?,
            Argument::OneIteration => allocator.iterations = iterations(configuration, key, &call, 1)?,
            Argument::Arbiter => allocator.arbiter = arbiter(configuration, key, &call)?,
            Argument::Unread => {
                configuration.note(key, &format!("has an argument without effect: `{}` has none", call.name));
            }
        }
        Some(allocator)
    }

    /// True if the argument that this allocator reads has the value that it has for `other`.
    fn reads_same(&self, other: &Self) -> bool {
        match self.argument {
            Argument::Iterations => self.iterations == other.iterations,
            Argument::Arbiter => self.arbiter == other.arbiter,
            Argument::OneIteration | Argument::Unread => true,
        }
    }

    /// Writes the keys that differ from their defaults.
    fn write(&self, keys: &Keys, router: &mut Entries) {
        router.insert_unless(keys.allocator, self.name, &SEPARABLE);
        router.insert_unless(keys.iterations, self.iterations, &1);
        router.insert_unless(keys.arbiter, self.arbiter.name, &ROUND_ROBIN.name);
        router.insert_unless(keys.groups, self.arbiter.groups, &1);
    }
}

/// The names of the allocators that the key `key` accepts.
fn names(key: &str) -> String {
    let mut names: Vec<&str> = ALLOCATORS.iter().map(|(name, ..)| *name).collect();
    match key {
        "vc_allocator" => names.push(PIGGYBACK),
        "spec_sw_allocator" => names.push(SHARED),
        _ => {}
    }
    names.join(", ")
}

fn iterations(configuration: &Configuration, key: &str, call: &Call<'_>, most: i64) -> Option<i64> {
    let iterations = call.inside.parse().ok().filter(|iterations| (1..=most).contains(iterations));
    if iterations.is_none() {
        let reason = match most {
            1 => "BookSim 2 reads stale grants in a second iteration of `select`",
            _ => "the argument is the number of iterations",
        };
        let accepted =
            if most == 1 { "select(1)".to_owned() } else { format!("{}(1) to {}({most})", call.name, call.name) };
        configuration.refuse(key, reason, &accepted);
    }
    iterations
}

fn arbiter(configuration: &Configuration, key: &str, call: &Call<'_>) -> Option<Arbiter> {
    let arbiter = Arbiter::parse(call.inside);
    if arbiter.is_none() {
        let reason = format!("BookSim 2 has no arbiter `{}`", call.inside);
        configuration.refuse(key, &reason, "round_robin, matrix, tree(groups,round_robin), tree(groups,matrix)");
    }
    arbiter
}

/// Writes the allocators. Speculation has an allocator of its own only if `speculative` is true.
pub(super) fn write(configuration: &Configuration, speculative: bool, router: &mut Entries) {
    if configuration.text("vc_allocator") == PIGGYBACK {
        demand_speculation(configuration, speculative);
        router.insert(VC_KEYS.allocator, PIGGYBACK);
    } else if let Some(allocator) = Allocator::read(configuration, "vc_allocator") {
        allocator.write(&VC_KEYS, router);
    }
    let switch = Allocator::read(configuration, "sw_allocator");
    if let Some(allocator) = &switch {
        allocator.write(&SWITCH_KEYS, router);
    }
    if speculative && configuration.text("spec_sw_allocator") != SHARED {
        write_speculation(configuration, switch.as_ref(), router);
    }
}

fn demand_speculation(configuration: &Configuration, speculative: bool) {
    if !speculative {
        let reason = "it requires speculative requests for the switch";
        configuration.refuse("vc_allocator", reason, "speculative = 1 with spec_check_elig = 1, or another allocator");
    }
}

/// Writes the allocator of speculative requests, which has the iterations and arbiters of the switch allocator.
fn write_speculation(configuration: &Configuration, switch: Option<&Allocator>, router: &mut Entries) {
    const KEY: &str = "spec_sw_allocator";
    let Some(allocator) = Allocator::read(configuration, KEY) else { return };
    if switch.is_some_and(|switch| !allocator.reads_same(switch)) {
        let reason = "its iterations and arbiter must be those of sw_allocator";
        configuration.refuse(KEY, reason, configuration.text("sw_allocator"));
    }
    router.insert("speculation_allocator", allocator.name);
    if configuration.is_on("spec_mask_by_reqs") {
        router.insert("speculation_mask", "requests");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arbiters_may_be_trees() {
        assert_eq!(Arbiter::parse("tree(4,matrix)"), Some(Arbiter { name: "matrix", groups: 4 }));
        assert_eq!(Arbiter::parse("matrix"), Some(Arbiter { name: "matrix", groups: 1 }));
        for text in ["lru", "tree(0,matrix)", "tree(4)", "tree(2,tree(2,matrix))", ""] {
            assert_eq!(Arbiter::parse(text), None, "{text}");
        }
    }
}
