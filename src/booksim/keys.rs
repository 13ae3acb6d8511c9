//! The keys of BookSim 2 configurations, in the order of its documentation.
//!
//! The table drives type checks, default values, notes, refusals and `flitwise list booksim-keys`.

/// Type of a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KeyType {
    /// An integer.
    Integer,
    /// A decimal number or an integer.
    Decimal,
    /// A word or a function.
    Word,
    /// An integer, or a vector with one for each class.
    Integers,
    /// A number, or a vector with one for each class.
    Decimals,
    /// A word, or a vector with one for each class.
    Words,
    /// An integer, a vector of integers, or a vector of vectors with one for each class.
    IntegerLists,
    /// An integer or `time`.
    Seed,
    /// Any value.
    Any,
}

impl KeyType {
    /// The type as text.
    pub fn name(self) -> &'static str {
        match self {
            Self::Integer => "integer",
            Self::Decimal => "decimal",
            Self::Word => "word",
            Self::Integers => "integer or vector of integers",
            Self::Decimals => "decimal or vector of decimals",
            Self::Words => "word or vector of words",
            Self::IntegerLists => "integer, vector of integers, or vector of vectors",
            Self::Seed => "integer or `time`",
            Self::Any => "any value",
        }
    }
}

/// Treatment of a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fate {
    /// The value becomes a part of the scenario or of the report.
    Mapped,
    /// The value is accepted with a note.
    WithoutEffect,
    /// Only the default value is accepted.
    Refused,
    /// Only configurations of embedded networks have the key. `flitwise booksim` refuses every value.
    EmbeddedOnly,
}

impl Fate {
    /// The treatment as text.
    pub fn name(self) -> &'static str {
        match self {
            Self::Mapped => "mapped",
            Self::WithoutEffect => "without effect",
            Self::Refused => "refused",
            Self::EmbeddedOnly => "embedded only",
        }
    }
}

/// A key of BookSim 2, or of the variants of it that other simulators embed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BooksimKey {
    /// The name.
    pub name: &'static str,
    /// The type.
    pub value: KeyType,
    /// The default value, as a configuration writes it, or an empty text for an empty word.
    pub default: &'static str,
    /// The treatment by `flitwise booksim`.
    pub fate: Fate,
    /// The treatment in an embedded network ([`crate::embed::Network::open_booksim`]).
    pub embedded: Fate,
    /// The keys of a scenario that it sets, or an empty text.
    pub flitwise: &'static str,
    /// Accepted values, or the reason of a refusal or of a key without effect.
    pub remark: &'static str,
}

impl BooksimKey {
    /// Returns the key called `name`, if there is one.
    pub fn find(name: &str) -> Option<&'static Self> {
        KEYS.iter().find(|key| key.name == name)
    }

    const fn new(name: &'static str, value: KeyType, default: &'static str, fate: Fate) -> Self {
        Self { name, value, default, fate, embedded: fate, flitwise: "", remark: "" }
    }

    const fn embedded(mut self, fate: Fate) -> Self {
        self.embedded = fate;
        self
    }

    const fn sets(mut self, flitwise: &'static str) -> Self {
        self.flitwise = flitwise;
        self
    }

    const fn remarked(mut self, remark: &'static str) -> Self {
        self.remark = remark;
        self
    }
}

/// A mapped integer.
const fn integer(name: &'static str, default: &'static str, flitwise: &'static str) -> BooksimKey {
    mapped(name, KeyType::Integer, default, flitwise)
}

/// A mapped key.
const fn mapped(name: &'static str, value: KeyType, default: &'static str, flitwise: &'static str) -> BooksimKey {
    BooksimKey::new(name, value, default, Fate::Mapped).sets(flitwise)
}

/// A mapped key of the packets, which the host program sends in an embedded network.
const fn traffic(name: &'static str, value: KeyType, default: &'static str, flitwise: &'static str) -> BooksimKey {
    mapped(name, value, default, flitwise).embedded(Fate::WithoutEffect)
}

/// A mapped integer that only configurations of embedded networks have.
const fn interface(name: &'static str, default: &'static str, flitwise: &'static str) -> BooksimKey {
    BooksimKey::new(name, KeyType::Integer, default, Fate::EmbeddedOnly).embedded(Fate::Mapped).sets(flitwise)
}

/// A key without effect that only configurations of embedded networks have.
const fn unused_interface(
    name: &'static str,
    value: KeyType,
    default: &'static str,
    reason: &'static str,
) -> BooksimKey {
    BooksimKey::new(name, value, default, Fate::EmbeddedOnly).embedded(Fate::WithoutEffect).remarked(reason)
}

/// A key without effect.
const fn unused(name: &'static str, value: KeyType, default: &'static str, reason: &'static str) -> BooksimKey {
    BooksimKey::new(name, value, default, Fate::WithoutEffect).remarked(reason)
}

/// A key of which only the default value is accepted.
const fn refused(name: &'static str, value: KeyType, default: &'static str, reason: &'static str) -> BooksimKey {
    BooksimKey::new(name, value, default, Fate::Refused).remarked(reason)
}

/// A file that BookSim 2 writes or reads for debugging.
const fn debug_file(name: &'static str) -> BooksimKey {
    unused(name, KeyType::Any, "", "flitwise does not write the debugging files of BookSim 2")
}

/// A parameter of the power model.
const fn power(name: &'static str) -> BooksimKey {
    unused(name, KeyType::Any, "0", POWER)
}

/// A threshold of the stopping rule.
const fn threshold(name: &'static str) -> BooksimKey {
    unused(name, KeyType::Decimals, "0.05", "flitwise measures all periods and does not stop early")
}

const POWER: &str =
    "energies are keys of a scenario: add [energy] with `preset = \"booksim-32\"` to the one that --scenario prints";
const DELAY: &str =
    "BookSim 2 stops with an error at 0 and with a failed assertion above 1; write `vc_cycles` in a scenario";
const SWITCH_DELAY: &str =
    "BookSim 2 stops with an error at 0 and with a failed assertion above 1; write `switch_cycles` in a scenario";
const GROUPS: &str = "groups of virtual channels with a common private buffer are not supported";
const FEEDBACK: &str = "the buffer policies `feedback` and `simplefeedback` are not supported";
const EVENT: &str = "the input-queued router does not read it";
const CLASS: &str = "[[workload.traffic.class]] vcs, [[workload.embed.class]] vcs";
const READ_WRITE: &str =
    "read if use_read_write = 1; -1 means half of the virtual channels; embedded: equal for all types";
const OBSOLETE: &str = "intersim2 does not read it";

/// The reason why keys of traffic have no effect in an embedded network.
pub(super) const HOST_TRAFFIC: &str = "the host program sends the packets";

/// All keys of BookSim 2, and those of embedded networks after them.
pub const KEYS: &[BooksimKey] = {
    use Fate::WithoutEffect;
    use KeyType::{Any, Decimal, Decimals, Integer, IntegerLists, Integers, Seed, Word, Words};
    &[
        refused("channel_file", Word, "", "a file of channel lengths is not supported; use `anynet` with latencies"),
        integer("subnets", "1", "router.networks, [[workload.embed.class]]").remarked("1 to 16"),
        mapped("topology", Word, "torus", "[network.*]")
            .remarked("mesh, torus, cmesh, flatfly, fattree, dragonflynew, fly (n = 1), anynet"),
        integer("k", "8", "shape, arity, p, a, h, concentration"),
        integer("n", "2", "shape, levels"),
        integer("c", "1", "concentration").remarked("read by cmesh and flatfly"),
        mapped("routing_function", Word, "none", "router.routing").remarked("the default is refused: it must be set"),
        integer("use_noc_latency", "1", "delay, delay_per_step").remarked("read by torus, cmesh and flatfly"),
        integer("x", "8", "shape").remarked("read by cmesh and flatfly"),
        integer("y", "8", "shape").remarked("read by cmesh and flatfly"),
        integer("xr", "1", "node_grid").remarked("read by cmesh, flatfly, tornado, neighbor and badperm_yarc"),
        integer("yr", "1", "node_grid").remarked("read by cmesh and flatfly"),
        refused("link_failures", Integer, "0", "random faults are not supported; a scenario has the table [faults]"),
        unused("fail_seed", Seed, "0", "there are no random faults"),
        unused("in_ports", Integer, "5", "the topology gives the number of ports"),
        unused("out_ports", Integer, "5", "the topology gives the number of ports"),
        refused("router", Word, "iq", "flitwise has the input-queued router only"),
        unused("output_delay", Integer, "0", EVENT),
        integer("credit_delay", "0", "router.credit_cycles"),
        mapped("internal_speedup", Decimal, "1.0", "router.internal_speedup").remarked("1 to 16"),
        integer("output_buffer_size", "-1", "router.output_queue").remarked("-1 is unbounded"),
        refused("noq", Integer, "0", "queues for the next output are not supported"),
        integer("speculative", "0", "router.speculative"),
        integer("spec_check_elig", "1", "router.speculation_checks").remarked("read if speculative = 1"),
        integer("spec_check_cred", "1", "router.speculation_checks").remarked("read if speculative = 1"),
        integer("spec_mask_by_reqs", "0", "router.speculation_mask")
            .remarked("read if spec_sw_allocator is an allocator of its own"),
        mapped("spec_sw_allocator", Word, "prio", "router.speculation_allocator").remarked("read if speculative = 1"),
        integer("num_vcs", "16", "channel.virtual_channels"),
        integer("vc_buf_size", "8", "channel.buffer"),
        integer("buf_size", "-1", "channel.buffer, router.shared_buffer"),
        mapped("buffer_policy", Word, "private", "router.buffer_policy").remarked("private, shared, limited, dynamic"),
        refused("private_bufs", Integer, "-1", GROUPS),
        mapped("private_buf_size", Integers, "1", "router.reserved").remarked("read by all policies but private"),
        refused("private_buf_start_vc", Integers, "-1", GROUPS),
        refused("private_buf_end_vc", Integers, "-1", GROUPS),
        integer("max_held_slots", "-1", "router.held_limit").remarked("read by limited"),
        unused("feedback_aging_scale", Integer, "1", FEEDBACK),
        unused("feedback_offset", Integer, "0", FEEDBACK),
        integer("wait_for_tail_credit", "0", "router.atomic"),
        integer("vc_busy_when_full", "0", "router.busy_when_full"),
        integer("vc_prioritize_empty", "0", "router.prefer_empty"),
        integer("vc_priority_donation", "0", "router.priority_donation"),
        integer("vc_shuffle_requests", "0", "router.shuffle_vcs"),
        integer("hold_switch_for_packet", "0", "router.hold_switch"),
        integer("input_speedup", "1", "router.input_speedup").remarked("1 to 64"),
        integer("output_speedup", "1", "router.output_speedup").remarked("1 to 64"),
        integer("routing_delay", "1", "channel.routing_delay"),
        refused("vc_alloc_delay", Integer, "1", DELAY).sets("router.vc_cycles"),
        refused("sw_alloc_delay", Integer, "1", SWITCH_DELAY).sets("router.switch_cycles"),
        integer("st_prepare_delay", "0", "router.traversal_cycles"),
        integer("st_final_delay", "1", "router.traversal_cycles"),
        unused("vct", Integer, "0", EVENT),
        mapped("vc_allocator", Word, "islip", "router.vc_allocator, router.vc_iterations, router.vc_arbiter"),
        mapped(
            "sw_allocator",
            Word,
            "islip",
            "router.switch_allocator, router.switch_iterations, router.switch_arbiter",
        ),
        unused(
            "arb_type",
            Word,
            "round_robin",
            "the routers of BookSim 2 do not read it: the arbiter is an argument of \
             the allocator, as in separable_input_first(matrix)",
        ),
        unused(
            "alloc_iters",
            Integer,
            "1",
            "the routers of BookSim 2 do not read it: the number of iterations is an \
             argument of the allocator, as in islip(2)",
        ),
        traffic("classes", Integer, "1", "[[workload.traffic.class]]"),
        traffic("traffic", Words, "uniform", "workload.traffic.pattern"),
        traffic("class_priority", Integers, "0", "[[workload.traffic.class]] priority")
            .remarked("read if priority = class"),
        unused("perm_seed", Seed, "0", "flitwise draws another permutation than BookSim 2 for every seed"),
        traffic("injection_rate", Decimals, "0.1", "workload.traffic.rate")
            .remarked("in packets per node and cycle unless injection_rate_uses_flits = 1"),
        traffic("injection_rate_uses_flits", Integer, "0", "workload.traffic.rate"),
        traffic("packet_size", IntegerLists, "1", "workload.traffic.packet_flits"),
        traffic("packet_size_rate", IntegerLists, "1", "workload.traffic.packet_weights"),
        traffic("injection_process", Words, "bernoulli", "workload.traffic.injection").remarked("bernoulli, on_off"),
        traffic("burst_alpha", Decimal, "0.5", "workload.traffic.alpha"),
        traffic("burst_beta", Decimal, "0.5", "workload.traffic.beta"),
        traffic("burst_r1", Decimal, "-1.0", "workload.traffic.alpha, workload.traffic.beta"),
        mapped("priority", Word, "none", "router.priority"),
        traffic("batch_size", Integer, "1000", "workload.traffic.batch_packets"),
        traffic("batch_count", Integer, "1", "workload.traffic.batches"),
        traffic("max_outstanding_requests", Integer, "0", "workload.traffic.outstanding").remarked("0 is any number"),
        traffic("use_read_write", Integers, "0", "[[workload.traffic.class]] reply")
            .remarked("1 is refused with classes above 1 and in batches"),
        traffic("write_fraction", Decimals, "0.5", "[[workload.traffic.class]] rate")
            .remarked("read if use_read_write = 1"),
        integer("read_request_begin_vc", "0", CLASS).remarked(READ_WRITE),
        integer("read_request_end_vc", "5", CLASS).remarked(READ_WRITE),
        integer("write_request_begin_vc", "2", CLASS).remarked(READ_WRITE),
        integer("write_request_end_vc", "7", CLASS).remarked(READ_WRITE),
        integer("read_reply_begin_vc", "8", CLASS).remarked(READ_WRITE),
        integer("read_reply_end_vc", "13", CLASS).remarked(READ_WRITE),
        integer("write_reply_begin_vc", "10", CLASS).remarked(READ_WRITE),
        integer("write_reply_end_vc", "15", CLASS).remarked(READ_WRITE),
        traffic("read_request_subnet", Integer, "0", "[[workload.traffic.class]] network")
            .remarked("read if use_read_write = 1"),
        traffic("read_reply_subnet", Integer, "0", "[[workload.traffic.class]] network")
            .remarked("read if use_read_write = 1"),
        traffic("write_request_subnet", Integer, "0", "[[workload.traffic.class]] network")
            .remarked("read if use_read_write = 1"),
        traffic("write_reply_subnet", Integer, "0", "[[workload.traffic.class]] network")
            .remarked("read if use_read_write = 1"),
        traffic("read_request_size", Integers, "1", "[[workload.traffic.class]] packet_flits")
            .remarked("read if use_read_write = 1"),
        traffic("write_request_size", Integers, "1", "[[workload.traffic.class]] packet_flits")
            .remarked("read if use_read_write = 1"),
        traffic("read_reply_size", Integers, "1", "[[workload.traffic.class]] packet_flits")
            .remarked("read if use_read_write = 1"),
        traffic("write_reply_size", Integers, "1", "[[workload.traffic.class]] packet_flits")
            .remarked("read if use_read_write = 1"),
        traffic("sim_type", Word, "latency", "workload.traffic.mode, workload.traffic.drain")
            .remarked("latency, throughput, batch"),
        traffic("warmup_periods", Integer, "3", "workload.traffic.warmup").remarked("0 is 3 periods"),
        traffic("sample_period", Integer, "1000", "workload.traffic.warmup, workload.traffic.measure"),
        traffic("max_samples", Integer, "10", "workload.traffic.measure"),
        refused("measure_stats", Integers, "1", "every class is measured").embedded(WithoutEffect),
        unused("pair_stats", Integer, "0", "flitwise does not print statistics of pairs of nodes"),
        traffic("latency_thres", Decimals, "500.0", "").remarked("limit of a stable mean latency; negative for none"),
        threshold("warmup_thres"),
        threshold("acc_warmup_thres"),
        threshold("stopping_thres"),
        threshold("acc_stopping_thres"),
        traffic("sim_count", Integer, "1", "repetitions"),
        traffic("include_queuing", Integer, "1", "").remarked("0 reports latency without the time in the source queue"),
        mapped("seed", Seed, "0", "seed"),
        unused("print_activity", Integer, "0", "flitwise does not print the activity of routers"),
        unused("print_csv_results", Integer, "0", "--json and --out give the results as data"),
        unused("deadlock_warn_timeout", Integer, "256", "flitwise detects deadlocks"),
        unused("viewer_trace", Integer, "0", "`flitwise report` replays a run"),
        debug_file("watch_file"),
        debug_file("watch_flits"),
        debug_file("watch_packets"),
        debug_file("watch_transactions"),
        debug_file("watch_out"),
        debug_file("stats_out"),
        debug_file("injected_flits_out"),
        debug_file("received_flits_out"),
        debug_file("stored_flits_out"),
        debug_file("sent_flits_out"),
        debug_file("outstanding_credits_out"),
        debug_file("ejected_flits_out"),
        debug_file("active_packets_out"),
        debug_file("used_credits_out"),
        debug_file("free_credits_out"),
        debug_file("max_credits_out"),
        debug_file("sent_packets_out"),
        refused("sim_power", Integer, "0", POWER),
        unused("power_output_file", Any, "pwr_tmp", POWER),
        unused("tech_file", Any, "", POWER),
        unused("channel_width", Integer, "128", POWER),
        unused("channel_sweep", Integer, "0", POWER),
        mapped("network_file", Word, "", "network.graph.file")
            .remarked("read by anynet; relative to the configuration"),
        power("H_INVD2"),
        power("W_INVD2"),
        power("H_DFQD1"),
        power("W_DFQD1"),
        power("H_ND2D1"),
        power("W_ND2D1"),
        power("H_SRAM"),
        power("W_SRAM"),
        power("Vdd"),
        power("R"),
        power("IoffSRAM"),
        power("IoffP"),
        power("IoffN"),
        power("Cg_pwr"),
        power("Cd_pwr"),
        power("Cgdl"),
        power("Cg"),
        power("Cd"),
        power("LAMBDA"),
        power("MetalPitch"),
        power("Rw"),
        power("Cw_gnd"),
        power("Cw_cpl"),
        power("wire_length"),
        interface("flit_size", "32", "workload.embed.flit_bytes").remarked("bytes of a flit"),
        interface("input_buffer_size", "0", "workload.embed.queue").remarked("flits; 0 is 9"),
        interface("boundary_buffer_size", "", "workload.embed.ejection_buffer")
            .remarked("flits, to which those of a buffer are added; must be set"),
        interface("ejection_buffer_size", "0", "").remarked("at least the flits of a buffer, to which 0 sets it"),
        unused_interface("use_map", Integer, "1", "the host program uses the numbers of nodes"),
        unused_interface("memory_node_map", Any, "", "the host program uses the numbers of nodes"),
        unused_interface("network_count", Integer, "2", "`subnets` is the number of networks"),
        unused_interface("header_size", Integer, "16", "the library of PSAL does not add a header"),
        unused_interface("perfect_icnt", Integer, "0", OBSOLETE),
        unused_interface("fixed_lat_per_hop", Integer, "0", OBSOLETE),
        unused_interface("output_extra_latency", Integer, "0", OBSOLETE),
        unused_interface("enable_link_stats", Integer, "0", OBSOLETE),
        unused_interface("MATLAB_OUTPUT", Integer, "0", OBSOLETE),
        unused_interface("DISPLAY_LAT_DIST", Integer, "0", OBSOLETE),
        unused_interface("DISPLAY_HOP_DIST", Integer, "0", OBSOLETE),
        unused_interface("DISPLAY_PAIR_LATENCY", Integer, "0", OBSOLETE),
    ]
};

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn every_key_has_one_row() {
        let names: BTreeSet<&str> = KEYS.iter().map(|key| key.name).collect();
        assert_eq!(names.len(), KEYS.len());
    }

    #[test]
    fn refused_keys_and_keys_without_effect_state_a_reason() {
        for key in KEYS.iter().filter(|key| key.fate != Fate::Mapped) {
            assert!(!key.remark.is_empty(), "{}", key.name);
        }
    }

    #[test]
    fn embedded_networks_know_all_keys() {
        assert!(KEYS.iter().all(|key| key.embedded != Fate::EmbeddedOnly));
    }

    #[test]
    fn mapped_keys_have_a_key_of_a_scenario_or_a_remark() {
        for key in KEYS.iter().filter(|key| key.fate == Fate::Mapped) {
            assert!(!key.flitwise.is_empty() || !key.remark.is_empty(), "{}", key.name);
        }
    }
}
