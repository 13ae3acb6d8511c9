//! The keys of `[router]` that describe the microarchitecture of pipelined routers.
//!
//! Independent of networks and workloads: limits that depend on them are checked where routers are built ([`super::router`]).

use crate::config::{Diagnostic, Reader};
use crate::costs::{PipelineStages, STEP};
use crate::engine::router::{
    ALLOCATORS, ARBITERS, AdaptiveChoice, AllocatorChoice, ArbiterChoice, ArbiterRule, BidChecks, BidMask, Bids,
    BufferPolicy, Connection, Crossbar, MOST_BUFFER, Microarchitecture, Priority, PriorityRule, REPEATING, SEPARABLE,
    SharedBuffer, StageCycles, StageEntry, Switching, VcGrant, VcRequests,
};
use crate::routing::relation::RingClasses;
use crate::units::Key;

/// Most iterations of an allocator, most inputs and outputs of a port of the crossbar, and most cycles of a stage.
const MOST: u64 = 64;

/// Most cycles until a credit is counted.
const MOST_CREDIT_CYCLES: u64 = 1024;

/// Most physical networks.
const MOST_NETWORKS: u64 = 16;

/// The word by which a scenario says that no allocator grants virtual channels.
const PIGGYBACK: &str = "piggyback";

/// The word by which a scenario says that speculative requests share the allocator of the others.
const SHARED: &str = "shared";

/// Words of a key, with their meanings.
type Words<T, const COUNT: usize> = [(&'static str, T); COUNT];

const CHECKS: Words<BidChecks, 3> =
    [("credit", BidChecks::Credit), ("free", BidChecks::Free), ("none", BidChecks::None)];
const MASKS: Words<BidMask, 2> = [("grants", BidMask::Grants), ("requests", BidMask::Requests)];
const SWITCHINGS: Words<Switching, 3> = [
    ("wormhole", Switching::Wormhole),
    ("virtual-cut-through", Switching::VirtualCutThrough),
    ("store-and-forward", Switching::StoreAndForward),
];
const PRIORITIES: Words<Priority, 8> = [
    ("none", Priority::None),
    ("class", Priority::Class),
    ("age", Priority::Age),
    ("network-age", Priority::NetworkAge),
    ("local-age", Priority::LocalAge),
    ("queue-length", Priority::QueueLength),
    ("hops", Priority::Hops),
    ("sequence", Priority::Sequence),
];
const ADAPTIVE_CHOICES: Words<AdaptiveChoice, 2> =
    [("credits", AdaptiveChoice::Credits), ("round-robin", AdaptiveChoice::RoundRobin)];

/// The division of the buffer of an input port.
#[derive(Clone, Copy)]
enum Division {
    Private,
    Shared,
    Limited,
    Dynamic,
}

const POLICIES: Words<Division, 4> = [
    ("private", Division::Private),
    ("shared", Division::Shared),
    ("limited", Division::Limited),
    ("dynamic", Division::Dynamic),
];

/// A key of pipelined routers.
const fn pipelined(key: Key) -> Key {
    key.read_if("model", &["pipelined"]).because("an ideal router takes one cycle per hop")
}

/// A key for the number of iterations of an allocator.
const fn iterations(name: &'static str) -> Key {
    Key::integer(name, 1..=MOST).or(1)
}

/// A key for the arbiters of an allocator.
const fn arbiter(name: &'static str) -> Key {
    Key::word(name, |at| ARBITERS.get(at).map(|(name, ..)| *name)).or_word(ARBITERS[0].0)
}

/// A key for the groups of the arbiters of an allocator.
const fn groups(name: &'static str) -> Key {
    Key::integer(name, 1..=4096).or(1)
}

/// A key for the cycles of a stage.
const fn cycles(name: &'static str) -> Key {
    pipelined(Key::integer(name, 1..=MOST).or(1).unit("cycles"))
}

/// A key for something that is off by default.
const fn switch(name: &'static str) -> Key {
    pipelined(Key::boolean(name).or_boolean(false))
}

/// The names of VC allocators.
fn vc_allocator(at: usize) -> Option<&'static str> {
    if at == ALLOCATORS.len() { Some(PIGGYBACK) } else { switch_allocator(at) }
}

/// The names of switch allocators.
fn switch_allocator(at: usize) -> Option<&'static str> {
    ALLOCATORS.get(at).map(|kind| kind.name)
}

/// The words for the allocator of speculative requests.
fn speculation_allocator(at: usize) -> Option<&'static str> {
    at.checked_sub(1).map_or(Some(SHARED), switch_allocator)
}

const WITH_ALLOCATORS: &str = "an ideal router has its own allocators";
const VC_ALLOCATOR: Key = Key::word("vc_allocator", vc_allocator)
    .or_word("separable-input-first")
    .read_if("model", &["pipelined"])
    .because(WITH_ALLOCATORS)
    .says(
        "allocator that grants virtual channels to head flits, or none: the grant of the switch includes a virtual channel \
         (piggyback); see `flitwise list routers`",
    );
const VC_ITERATIONS: Key = iterations("vc_iterations")
    .read_if("vc_allocator", REPEATING)
    .because("only `islip` and `pim` repeat their matching")
    .says("number of matchings per cycle, each among the virtual channels that are still free");
const VC_ARBITER: Key = arbiter("vc_arbiter")
    .read_if("vc_allocator", SEPARABLE)
    .because("only separable allocators have a choice of arbiters")
    .says("arbiters of the allocator of virtual channels; see `flitwise list routers`");
const VC_ARBITER_GROUPS: Key = groups("vc_arbiter_groups")
    .read_if("vc_allocator", SEPARABLE)
    .because("only separable allocators have a choice of arbiters")
    .says("groups of a tree of arbiters, in each of which neighbours arbitrate first; 1: no tree");
const SWITCH_ALLOCATOR: Key = Key::word("switch_allocator", switch_allocator)
    .or_word("separable-input-first")
    .read_if("model", &["pipelined"])
    .because(WITH_ALLOCATORS)
    .says("allocator that grants output ports to input ports; see `flitwise list routers`");
const SWITCH_ITERATIONS: Key = iterations("switch_iterations")
    .read_if("switch_allocator", REPEATING)
    .because("only `islip` and `pim` repeat their matching")
    .says("number of matchings per cycle, each among the ports that are still free");
const SWITCH_ARBITER: Key = arbiter("switch_arbiter")
    .read_if("switch_allocator", SEPARABLE)
    .because("only separable allocators have a choice of arbiters")
    .says("arbiters of the allocator of the switch; see `flitwise list routers`");
const SWITCH_ARBITER_GROUPS: Key = groups("switch_arbiter_groups")
    .read_if("switch_allocator", SEPARABLE)
    .because("only separable allocators have a choice of arbiters")
    .says("groups of a tree of arbiters, in each of which neighbours arbitrate first; 1: no tree");
const SPECULATIVE: Key = pipelined(Key::boolean("speculative").or_boolean(true))
    .says("true if head flits request the switch speculatively, together with a virtual channel");
const SPECULATION_CHECKS: Key = pipelined(Key::word("speculation_checks", |at| word(&CHECKS, at)).or_word("credit"))
    .says(
        "condition for a speculative request of an output: a virtual channel is free and has a credit (credit), or is free \
         (free), or none (none)",
    );
const SPECULATION_ALLOCATOR: Key = pipelined(Key::word("speculation_allocator", speculation_allocator).or_word(SHARED))
    .says("allocator of speculative requests: that of all other requests (shared), or a switch allocator of their own");
const SPECULATION_MASK: Key = pipelined(Key::word("speculation_mask", |at| word(&MASKS, at)).or_word("grants")).says(
    "speculative grants that do not count, where speculative requests have their own allocator: those of outputs with \
     another grant (grants) or with another request (requests)",
);
const INPUT_SPEEDUP: Key = pipelined(Key::integer("input_speedup", 1..=MOST).or(1))
    .says("inputs of the crossbar for each input port; virtual channel v uses input v modulo `input_speedup`");
const OUTPUT_SPEEDUP: Key = pipelined(Key::integer("output_speedup", 1..=MOST).or(1))
    .says("outputs of the crossbar for each output port; input port p uses output p modulo `output_speedup`");
const INTERNAL_SPEEDUP: Key = pipelined(Key::number("internal_speedup", 1.0..=16.0).or_number(1.0))
    .says("steps that a router makes in a cycle, in each of which every stage acts once");
const OUTPUT_QUEUE: Key = pipelined(Key::integer("output_queue", 1..=1 << 20).or_else("unlimited").unit("flits"))
    .says("flits in the queue of an output port from which on the switch sends it no more");
const VC_CYCLES: Key = cycles("vc_cycles").says("time for the allocation of a virtual channel");
const SWITCH_CYCLES: Key = cycles("switch_cycles").says("time for the allocation of the switch");
const TRAVERSAL_CYCLES: Key = cycles("traversal_cycles").says("time for a flit to cross the switch");
const CREDIT_CYCLES: Key = pipelined(Key::integer("credit_cycles", 0..=MOST_CREDIT_CYCLES).or(0).unit("cycles"))
    .says("time from the arrival of a credit at a router to its use");
const BATCHED_STAGES: Key = switch("batched_stages").says(
    "true if flits enter the stages of routing and of the switch only when these are empty, all that wait at once",
);
const HOLD_SWITCH: Key =
    switch("hold_switch").says("true if a packet keeps its path through the switch while its flits follow each other");
const SWITCHING: Key = pipelined(Key::word("switching", |at| word(&SWITCHINGS, at)).or_word("wormhole")).says(
    "packets in buffers: a packet may be spread over several (wormhole), moves on only if it fits into the next one as a \
     whole (virtual-cut-through), or only after it has arrived as a whole (store-and-forward)",
);
const BUSY_WHEN_FULL: Key =
    switch("busy_when_full").says("true if head flits do not request virtual channels without a credit");
const PREFER_EMPTY: Key = switch("prefer_empty").says("true if head flits prefer virtual channels with empty buffers");
const SHUFFLE_VCS: Key = switch("shuffle_vcs")
    .says("true if the allocator of virtual channels counts its inputs by virtual channel first, and by port second");
const BUFFER_POLICY: Key = pipelined(Key::word("buffer_policy", |at| word(&POLICIES, at)).or_word("private")).says(
    "buffer of an input port: a part for each virtual channel (private), one that all share (shared), with a limit for \
     each (limited), or with a limit that depends on the number of virtual channels in use (dynamic)",
);
/// A key of shared buffers.
const fn of_shared(key: Key) -> Key {
    key.read_if("buffer_policy", &["shared", "limited", "dynamic"])
        .because("a private buffer has `channel.buffer` flits for each virtual channel")
}
const SHARED_BUFFER: Key = of_shared(Key::integer("shared_buffer", 1..=MOST_BUFFER as u64))
    .or_else("`channel.buffer` for each virtual channel")
    .unit("flits")
    .says("buffer of an input port");
const RESERVED: Key = of_shared(Key::integer("reserved", 0..=MOST_BUFFER as u64).or(1))
    .unit("flits")
    .says("part of the buffer that each virtual channel has for itself");
const HELD_LIMIT: Key = Key::integer("held_limit", 1..=MOST_BUFFER as u64)
    .or_else("`shared_buffer`")
    .unit("flits")
    .read_if("buffer_policy", &["limited"])
    .because("only `buffer_policy = \"limited\"` has a fixed limit")
    .says("largest part of the buffer that a virtual channel uses");
const PRIORITY: Key = pipelined(Key::word("priority", |at| word(&PRIORITIES, at)).or_word("none")).says(
    "packets that allocators serve first: those of a class with a higher priority (class), generated earlier (age), injected \
     earlier (network-age), arrived earlier at this router (local-age), with more flits in their buffer (queue-length), \
     with more links behind them (hops), with fewer packets of their source before them (sequence)",
);
const PRIORITY_DONATION: Key = switch("priority_donation")
    .says("true if a virtual channel has the highest priority of the flits in its buffer, not that of the first one");
const ADAPTIVE_CHOICE: Key = Key::word("adaptive_choice", |at| word(&ADAPTIVE_CHOICES, at))
    .or_word("credits")
    .read_if("routing", &["adaptive"])
    .because("only `routing = \"adaptive\"` chooses among directions")
    .says("virtual channels that a head flit requests: those with the most credits in all directions (credits), or all of the first \
         direction in dimension order, as `min_adapt` of BookSim 2 does (round-robin)");
const NETWORKS: Key = pipelined(Key::integer("networks", 1..=MOST_NETWORKS).or(1))
    .says("number of physical networks, each with its own routers and links; only traffic uses more than the first");

/// The word at index `at` of `words`.
fn word<T>(words: &[(&'static str, T)], at: usize) -> Option<&'static str> {
    words.get(at).map(|(word, _)| *word)
}

/// All keys, in the order of their documentation.
pub(super) const KEYS: [Key; 35] = [
    SPECULATIVE,
    VC_ALLOCATOR,
    VC_ITERATIONS,
    VC_ARBITER,
    VC_ARBITER_GROUPS,
    SWITCH_ALLOCATOR,
    SWITCH_ITERATIONS,
    SWITCH_ARBITER,
    SWITCH_ARBITER_GROUPS,
    SPECULATION_CHECKS,
    SPECULATION_ALLOCATOR,
    SPECULATION_MASK,
    INPUT_SPEEDUP,
    OUTPUT_SPEEDUP,
    INTERNAL_SPEEDUP,
    OUTPUT_QUEUE,
    VC_CYCLES,
    SWITCH_CYCLES,
    TRAVERSAL_CYCLES,
    CREDIT_CYCLES,
    BATCHED_STAGES,
    HOLD_SWITCH,
    SWITCHING,
    BUSY_WHEN_FULL,
    PREFER_EMPTY,
    SHUFFLE_VCS,
    BUFFER_POLICY,
    SHARED_BUFFER,
    RESERVED,
    HELD_LIMIT,
    PRIORITY,
    PRIORITY_DONATION,
    ADAPTIVE_CHOICE,
    NETWORKS,
    super::router::CHANNEL_LATENCY,
];

/// The keys as they are written, before it is known which network and which virtual channels there are.
#[derive(Clone, Debug)]
pub(crate) struct MicroarchitectureTable {
    /// True if head flits bid for the switch.
    pub(crate) speculative: bool,
    pub(crate) vc_allocator: AllocatorChoice,
    pub(crate) switch_allocator: AllocatorChoice,
    /// All that follows from the keys alone. Shared buffers have their size only where it is given.
    known: Microarchitecture,
    buffer: BufferKeys,
    /// The number of physical networks.
    pub(crate) networks: u32,
}

/// The keys of shared buffers.
#[derive(Clone, Copy, Debug)]
struct BufferKeys {
    division: Division,
    slots: Option<u32>,
    reserved: u32,
    limit: Option<u32>,
}

impl std::fmt::Debug for Division {
    fn fmt(&self, to: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let word = match self {
            Self::Private => "private",
            Self::Shared => "shared",
            Self::Limited => "limited",
            Self::Dynamic => "dynamic",
        };
        to.write_str(word)
    }
}

impl Default for MicroarchitectureTable {
    fn default() -> Self {
        Self {
            speculative: true,
            vc_allocator: AllocatorChoice::default(),
            switch_allocator: AllocatorChoice::default(),
            known: Microarchitecture::default(),
            buffer: BufferKeys { division: Division::Private, slots: None, reserved: 1, limit: None },
            networks: 1,
        }
    }
}

/// An integer that the range of its key keeps below 2^32.
fn narrow(value: u64) -> u32 {
    u32::try_from(value).unwrap_or(u32::MAX)
}

/// The integer `key` of `table`.
fn integer(table: &Reader<'_>, key: &Key) -> u32 {
    narrow(table.integer(key))
}

/// Reads the keys from `[router]`. Contradictions are reported.
pub(super) fn read(table: &Reader<'_>) -> MicroarchitectureTable {
    let vc_word = table.word(&VC_ALLOCATOR);
    let grant = if vc_word == Some(PIGGYBACK) { VcGrant::Piggyback } else { VcGrant::Allocator };
    let vc_allocator = allocator(table, vc_word, &VC_ITERATIONS, [&VC_ARBITER, &VC_ARBITER_GROUPS]);
    let switch_word = table.word(&SWITCH_ALLOCATOR);
    let switch_arbiters = [&SWITCH_ARBITER, &SWITCH_ARBITER_GROUPS];
    let read = MicroarchitectureTable {
        speculative: table.boolean(&SPECULATIVE),
        vc_allocator,
        switch_allocator: allocator(table, switch_word, &SWITCH_ITERATIONS, switch_arbiters),
        known: Microarchitecture {
            bids: bids(table),
            crossbar: crossbar(table),
            stages: stages(table),
            connection: if table.boolean(&HOLD_SWITCH) { Connection::Packet } else { Connection::Flit },
            switching: table.choice(&SWITCHING, &SWITCHINGS),
            vc_requests: VcRequests {
                grant,
                busy_when_full: table.boolean(&BUSY_WHEN_FULL),
                prefer_empty: table.boolean(&PREFER_EMPTY),
                shuffle: table.boolean(&SHUFFLE_VCS),
                adaptive: table.choice(&ADAPTIVE_CHOICE, &ADAPTIVE_CHOICES),
            },
            buffers: BufferPolicy::Private,
            priority: PriorityRule {
                priority: table.choice(&PRIORITY, &PRIORITIES),
                donation: table.boolean(&PRIORITY_DONATION),
            },
        },
        buffer: BufferKeys {
            division: table.choice(&BUFFER_POLICY, &POLICIES),
            slots: table.optional_integer(&SHARED_BUFFER).map(narrow),
            reserved: integer(table, &RESERVED),
            limit: table.optional_integer(&HELD_LIMIT).map(narrow),
        },
        networks: integer(table, &NETWORKS),
    };
    refuse_contradictions(table, &read);
    read
}

/// The allocator of the name `word` with its parameters.
fn allocator(table: &Reader<'_>, word: Option<&str>, iterations: &Key, arbiters: [&Key; 2]) -> AllocatorChoice {
    let [arbiter, groups] = arbiters;
    let rules: Vec<(&'static str, ArbiterRule)> = ARBITERS.iter().map(|&(name, rule, _)| (name, rule)).collect();
    let arbiter = ArbiterChoice { rule: table.choice(arbiter, &rules), groups: integer(table, groups) };
    let named = word.and_then(AllocatorChoice::named).unwrap_or_default();
    named.repeated(integer(table, iterations)).with_arbiters(arbiter)
}

fn bids(table: &Reader<'_>) -> Bids {
    let word = table.word(&SPECULATION_ALLOCATOR).filter(|word| *word != SHARED);
    Bids {
        checks: table.choice(&SPECULATION_CHECKS, &CHECKS),
        allocator: word.and_then(AllocatorChoice::named),
        mask: table.choice(&SPECULATION_MASK, &MASKS),
    }
}

fn crossbar(table: &Reader<'_>) -> Crossbar {
    let speedup = libm::round(table.number(&INTERNAL_SPEEDUP).max(1.0) * STEP as f64);
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "from 1 to 16 millions")]
    let internal_speedup = speedup as u64;
    Crossbar {
        input_speedup: integer(table, &INPUT_SPEEDUP),
        output_speedup: integer(table, &OUTPUT_SPEEDUP),
        internal_speedup,
        output_queue: table.optional_integer(&OUTPUT_QUEUE).map(narrow),
    }
}

fn stages(table: &Reader<'_>) -> StageCycles {
    StageCycles {
        routing: 0,
        vc: integer(table, &VC_CYCLES),
        switch: integer(table, &SWITCH_CYCLES),
        traversal: integer(table, &TRAVERSAL_CYCLES),
        credit: integer(table, &CREDIT_CYCLES),
        entry: if table.boolean(&BATCHED_STAGES) { StageEntry::Batched } else { StageEntry::Continuous },
    }
}

/// Reports keys that do not fit together.
fn refuse_contradictions(table: &Reader<'_>, read: &MicroarchitectureTable) {
    let refuse = |key: &Key, message: String, accepted: &str| {
        table.error(Diagnostic::at(table.place_of(key.name), message).note(format!("accepted here: {accepted}")));
    };
    let StageCycles { vc, switch, .. } = read.known.stages;
    if read.known.vc_requests.grant == VcGrant::Piggyback && !read.speculative {
        let message = "`vc_allocator = \"piggyback\"` grants virtual channels with the switch, which requires speculative \
                       requests, but `speculative` is false";
        refuse(&VC_ALLOCATOR, message.to_owned(), "`speculative = true`, or another `vc_allocator`");
    }
    if read.speculative && vc > switch {
        let message = format!(
            "a speculative request of the switch would be over before the virtual channel is allocated: `vc_cycles` = {vc} is \
             larger than `switch_cycles` = {switch}"
        );
        refuse(&VC_CYCLES, message, "`vc_cycles` up to `switch_cycles`, or `speculative = false`");
    }
    if read.known.priority.donation && read.known.priority.priority == Priority::LocalAge {
        let message = "`priority_donation` has no effect with `priority = \"local-age\"`: the first flit is the oldest";
        refuse(&PRIORITY_DONATION, message.to_owned(), "false, or another `priority`");
    }
}

/// The network for which a router is built, as far as its options depend on it.
#[derive(Clone, Copy)]
pub(super) struct Fitting {
    /// The ports of a router, and the virtual channels of a port.
    pub(super) ports: u64,
    pub(super) vcs: u64,
    /// The flits of the buffer of a virtual channel.
    pub(super) buffer: u64,
    /// The cycles of route computation.
    pub(super) routing: u64,
}

impl MicroarchitectureTable {
    /// The microarchitecture of routers on a network. What does not fit is reported.
    pub(super) fn fitted(&self, root: &Reader<'_>, fitting: Fitting) -> Microarchitecture {
        self.refuse_groups(root, fitting);
        let has_steps = self.known.crossbar.internal_speedup > STEP;
        let routing = if has_steps { narrow(fitting.routing) } else { 0 };
        let stages = StageCycles { routing, ..self.known.stages };
        Microarchitecture { stages, buffers: self.buffers(root, fitting), ..self.known }
    }

    /// The stages of the pipeline.
    pub(super) fn pipeline(&self, routing: u64) -> PipelineStages {
        let StageCycles { vc, switch, traversal, credit, .. } = self.known.stages;
        let [vc, switch] = [vc, switch].map(u64::from);
        // speculation makes one stage of both allocations; a piggybacked virtual channel takes none of its own
        let allocation = if self.speculative { [0, vc.max(switch)] } else { [vc, switch] };
        let speedup = self.known.crossbar.internal_speedup;
        PipelineStages { routing, allocation, traversal: traversal.into(), credit: credit.into(), speedup }
    }

    /// The outputs of the crossbar of an output port.
    pub(super) fn output_speedup(&self) -> u64 {
        self.known.crossbar.output_speedup.into()
    }

    /// The numbers of the classes of rings: those of BookSim 2 with allocators other than the default.
    pub(super) fn ring_classes(&self) -> RingClasses {
        let are_default = self.vc_allocator.is_default() && self.switch_allocator.is_default();
        if are_default { RingClasses::Alike } else { RingClasses::Mirrored }
    }

    /// Returns true if routers serve packets by their class.
    pub(super) fn serves_by_class(&self) -> bool {
        self.known.priority.priority == Priority::Class
    }

    /// Returns true if all flits of a packet have to arrive before its head flit is routed.
    pub(super) fn gathers_packets(&self) -> bool {
        self.known.switching == Switching::StoreAndForward
    }

    /// The flits of the buffer that virtual channels share, if they do.
    pub(super) fn shared_slots(&self, vcs: u64, buffer: u64) -> Option<u64> {
        match self.buffer.division {
            Division::Private => None,
            _ => Some(self.buffer.slots.map_or_else(|| vcs.saturating_mul(buffer), u64::from)),
        }
    }

    fn buffers(&self, root: &Reader<'_>, fitting: Fitting) -> BufferPolicy {
        let Some(slots) = self.shared_slots(fitting.vcs, fitting.buffer) else { return BufferPolicy::Private };
        let BufferKeys { reserved, limit, division, .. } = self.buffer;
        let least = fitting.vcs * u64::from(reserved);
        let refuse = |key: &str, message: String, accepted: String| {
            let error = Diagnostic::at(root.place_within(&["router", key]), message);
            root.error(error.note(format!("accepted here: {accepted}")));
        };
        if slots < least {
            let message = format!(
                "`shared_buffer` = {slots} flits are less than `reserved` = {reserved} for each of {} virtual channels",
                fitting.vcs
            );
            refuse("shared_buffer", message, format!("at least {least}"));
        }
        if matches!(division, Division::Dynamic) && slots < fitting.vcs {
            let message =
                format!("`shared_buffer` = {slots} is less than a flit for each of {} virtual channels", fitting.vcs);
            refuse("shared_buffer", message, format!("at least {}", fitting.vcs));
        }
        let buffer = SharedBuffer { slots: narrow(slots), reserved };
        match division {
            Division::Private => BufferPolicy::Private,
            Division::Shared => BufferPolicy::Shared(buffer),
            Division::Limited => BufferPolicy::Limited(buffer, limit.unwrap_or(buffer.slots)),
            Division::Dynamic => BufferPolicy::Dynamic(buffer),
        }
    }

    /// Reports groups of arbiters that are not of equal size.
    fn refuse_groups(&self, root: &Reader<'_>, fitting: Fitting) {
        let Crossbar { input_speedup, output_speedup, .. } = self.known.crossbar;
        let Fitting { ports, vcs, .. } = fitting;
        let inputs = ports * u64::from(input_speedup).min(vcs);
        let outputs = ports * u64::from(output_speedup).min(ports);
        let sides = [
            (VC_ARBITER_GROUPS.name, self.vc_allocator, [ports * vcs; 2]),
            (SWITCH_ARBITER_GROUPS.name, self.switch_allocator, [inputs, outputs]),
        ];
        for (key, allocator, counts) in sides {
            let groups = u64::from(allocator.arbiter().groups);
            if let Some(count) = counts.into_iter().find(|count| !count.is_multiple_of(groups)) {
                let message =
                    format!("`{key}` = {groups} does not divide the {count} requests that an arbiter chooses among");
                let error = Diagnostic::at(root.place_within(&["router", key]), message);
                root.error(error.note(format!("accepted here: divisors of {count}")));
            }
        }
    }
}
