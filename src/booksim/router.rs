//! Routers: the tables `[channel]` and `[router]`.

use super::allocator;
use super::configuration::Configuration;
use super::toml::{Entries, TomlTable};
use super::topology::Routing;

/// The tables of routers and channels.
pub(super) struct Routers {
    pub(super) channel: TomlTable,
    pub(super) router: TomlTable,
    /// The virtual channels of a link.
    pub(super) virtual_channels: i64,
    /// The flits of the buffer of a virtual channel.
    pub(super) buffer: i64,
}

/// Most physical networks.
pub(super) const MOST_NETWORKS: i64 = 16;

/// Flags of BookSim 2 with their keys of `[router]`.
const FLAGS: [(&str, &str); 6] = [
    ("hold_switch_for_packet", "hold_switch"),
    ("vc_busy_when_full", "busy_when_full"),
    ("vc_prioritize_empty", "prefer_empty"),
    ("vc_shuffle_requests", "shuffle_vcs"),
    ("vc_priority_donation", "priority_donation"),
    ("wait_for_tail_credit", "atomic"),
];

/// Priorities of BookSim 2 with the values of `router.priority`.
const PRIORITIES: [(&str, &str); 8] = [
    ("none", "none"),
    ("class", "class"),
    ("age", "age"),
    ("network_age", "network-age"),
    ("local_age", "local-age"),
    ("queue_length", "queue-length"),
    ("hop_count", "hops"),
    ("sequence", "sequence"),
];

const POLICIES: [&str; 4] = ["private", "shared", "limited", "dynamic"];

/// Reads the keys of routers that use `routing`.
pub(super) fn read(configuration: &Configuration, routing: &Routing) -> Routers {
    let mut router = TomlTable::new("[router]");
    router.insert("model", "pipelined");
    write_routing(configuration, routing, &mut router.entries);
    let speculative = speculates(configuration);
    if !speculative {
        router.insert("speculative", false);
    }
    write_checks(configuration, speculative, &mut router.entries);
    allocator::write(configuration, speculative, &mut router.entries);
    write_speedups(configuration, &mut router.entries);
    let routing_delay = configuration.integer_in("routing_delay", 0..=1 << 16);
    write_delays(configuration, routing_delay, &mut router.entries);
    for (flag, key) in FLAGS {
        router.entries.insert_if(key, configuration.is_on(flag));
    }
    let virtual_channels = virtual_channels(configuration, routing);
    let buffer = write_buffers(configuration, virtual_channels, &mut router.entries);
    write_priority(configuration, &mut router.entries);
    router.entries.insert_unless("networks", configuration.integer_in("subnets", 1..=MOST_NETWORKS), &1);
    let mut channel = TomlTable::new("[channel]");
    channel.insert("virtual_channels", virtual_channels);
    channel.insert("buffer", buffer);
    channel.entries.insert_unless("routing_delay", routing_delay, &0);
    Routers { channel, router, virtual_channels, buffer }
}

fn write_routing(configuration: &Configuration, routing: &Routing, router: &mut Entries) {
    let Some(name) = routing.flitwise else { return };
    router.insert("routing", name);
    if name == "adaptive" {
        router.insert("adaptive_choice", "round-robin");
    }
    if let Some(threshold) = routing.ugal_threshold {
        router.insert("ugal_threshold", threshold);
        let difference =
            "compares queues by the numbers of links, and uses other virtual channels than BookSim 2: results differ";
        configuration.note("routing_function", difference);
    }
    if configuration.text("topology") == "anynet" {
        // BookSim 2 runs shortest paths whether or not they can deadlock
        router.insert("allow_deadlock", true);
    }
}

/// The number of virtual channels. BookSim 2 stops with a failed assertion if a routing function has too few.
fn virtual_channels(configuration: &Configuration, routing: &Routing) -> i64 {
    let number = configuration.integer_in("num_vcs", 1..=4096);
    if number < routing.virtual_channels {
        let reason = format!("routing_function = {} needs {} or more", routing.name, routing.virtual_channels);
        configuration.refuse("num_vcs", &reason, &format!("{} or more", routing.virtual_channels));
    }
    let Some(most) = routing.most_channels.filter(|most| number > *most) else { return number };
    if routing.virtual_channels == most && routing.name == "ugal" {
        let reason = format!("BookSim 2 stops with a failed assertion for any number but {most}");
        configuration.refuse("num_vcs", &reason, &most.to_string());
    } else {
        configuration.note("num_vcs", &format!("is read as {most}: links use no other virtual channels"));
    }
    most
}

/// True if heads request the switch before they have a virtual channel.
fn speculates(configuration: &Configuration) -> bool {
    let is_eligible = configuration.is_on("spec_check_elig") || !configuration.is_on("spec_check_cred");
    if configuration.is_on("speculative") && !is_eligible {
        let never = "with spec_check_cred = 1 allows no speculative request; the routers are not speculative";
        configuration.note("spec_check_elig", never);
    }
    configuration.is_on("speculative") && is_eligible
}

/// Writes the checks of speculative requests.
fn write_checks(configuration: &Configuration, speculative: bool, router: &mut Entries) {
    const KEYS: [&str; 4] = ["spec_check_elig", "spec_check_cred", "spec_mask_by_reqs", "spec_sw_allocator"];
    if !configuration.is_on("speculative") {
        for key in KEYS.into_iter().filter(|key| configuration.is_set(key)) {
            configuration.note(key, "has no effect without speculative = 1");
        }
    }
    if !speculative || configuration.is_on("spec_check_cred") {
        return;
    }
    let check = if configuration.is_on("spec_check_elig") { "free" } else { "none" };
    router.insert("speculation_checks", check);
}

fn write_speedups(configuration: &Configuration, router: &mut Entries) {
    for key in ["input_speedup", "output_speedup"] {
        router.insert_unless(key, configuration.integer_in(key, 1..=64), &1);
    }
    let speedup = configuration.decimal("internal_speedup");
    if speedup < 1.0 {
        configuration.refuse("internal_speedup", "below 1, BookSim 2 loses flits", "a number from 1 to 16");
    } else if speedup > 16.0 {
        configuration.refuse("internal_speedup", "out of range", "a number from 1 to 16");
    }
    if speedup > 1.0 {
        router.insert("internal_speedup", speedup);
    }
    match configuration.integer("output_buffer_size") {
        -1 => {}
        flits if flits >= 1 => router.insert("output_queue", flits),
        _ => configuration.refuse("output_buffer_size", "no flit could leave a router", "-1, or an integer from 1"),
    }
}

fn write_delays(configuration: &Configuration, routing_delay: i64, router: &mut Entries) {
    let traversal = ["st_prepare_delay", "st_final_delay"].map(|key| configuration.integer_in(key, 0..=64));
    let cycles = traversal.iter().sum::<i64>();
    if !(1..=64).contains(&cycles) {
        let reason = "st_prepare_delay and st_final_delay add up to the cycles of a traversal";
        configuration.refuse("st_final_delay", reason, "1 to 64 cycles in all");
    }
    router.insert_unless("traversal_cycles", cycles, &1);
    router.insert_unless("credit_cycles", configuration.integer_in("credit_delay", 0..=1024), &0);
    router.insert_if("batched_stages", cycles > 1 || routing_delay > 1);
}

/// Writes the policy of buffers and returns the flits of the buffer of a virtual channel.
fn write_buffers(configuration: &Configuration, virtual_channels: i64, router: &mut Entries) -> i64 {
    let policy = configuration.text("buffer_policy");
    if !POLICIES.contains(&policy) {
        configuration.refuse("buffer_policy", "this policy is not supported", &POLICIES.join(", "));
    }
    let size = configuration.integer("buf_size");
    if policy != "private" {
        let buffer = configuration.integer_in("vc_buf_size", 1..=1 << 30);
        write_shared_buffer(configuration, SharedBuffer { policy, virtual_channels, buffer }, router);
        return buffer;
    }
    if size <= 0 {
        return configuration.integer_in("vc_buf_size", 1..=1 << 30);
    }
    // links may use fewer virtual channels than share the buffer
    let sharing = configuration.integer("num_vcs").max(1);
    if size < sharing {
        let reason = format!("{sharing} virtual channels share it, and each needs a flit");
        configuration.refuse("buf_size", &reason, &format!("-1, or an integer from {sharing}"));
    }
    (size / sharing).max(1)
}

/// A buffer that the virtual channels of a port share.
#[derive(Clone, Copy)]
struct SharedBuffer<'c> {
    policy: &'c str,
    virtual_channels: i64,
    /// Flits of a virtual channel, from which the size follows unless it is set.
    buffer: i64,
}

/// Writes the keys of a buffer that the virtual channels of a port share.
fn write_shared_buffer(configuration: &Configuration, buffer: SharedBuffer<'_>, router: &mut Entries) {
    let SharedBuffer { policy, virtual_channels, buffer } = buffer;
    router.insert("buffer_policy", policy);
    let size = configuration.integer("buf_size");
    let shared = if size < 0 { virtual_channels * buffer } else { size };
    router.insert("shared_buffer", shared);
    let reserved = match configuration.integers("private_buf_size", 2)[..] {
        [first, second] if first == second => first,
        _ => {
            configuration.refuse("private_buf_size", "all virtual channels must have the same size", "an integer");
            1
        }
    };
    // BookSim 2 divides the buffer among the virtual channels if the size is negative
    let reserved = if reserved < 0 { shared / virtual_channels } else { reserved };
    if shared < virtual_channels.saturating_mul(reserved) {
        let reason =
            format!("{shared} flits are too few for {virtual_channels} virtual channels with {reserved} flits each");
        configuration.refuse("buf_size", &reason, "num_vcs times private_buf_size or more");
    }
    router.insert_unless("reserved", reserved, &1);
    let limit = configuration.integer("max_held_slots");
    if policy == "limited" && limit == 0 {
        configuration.refuse("max_held_slots", "no virtual channel could hold a flit", "-1, or an integer from 1");
    } else if policy == "limited" && limit > 0 {
        router.insert("held_limit", limit);
    }
}

fn write_priority(configuration: &Configuration, router: &mut Entries) {
    let word = configuration.text("priority");
    if word == "class" && configuration.integer("classes") <= 1 {
        configuration.note("priority", "has no effect: there is a single class");
        return;
    }
    match PRIORITIES.into_iter().find(|(name, _)| *name == word) {
        Some((_, priority)) => router.insert_unless("priority", priority, &"none"),
        None => {
            let names = PRIORITIES.map(|(name, _)| name).join(", ");
            configuration.refuse("priority", "BookSim 2 has no such priority", &names);
        }
    }
}
