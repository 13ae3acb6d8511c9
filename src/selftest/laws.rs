//! What must hold, each with its reason: the only list of it. Areas say which of these they look at.

use std::fmt;

/// Something that holds of every case.
#[derive(Debug, PartialEq, Eq)]
pub struct Law {
    /// What it is called.
    pub name: &'static str,
    /// What holds.
    pub holds: &'static str,
    /// Why it must.
    pub because: &'static str,
}

impl Law {
    /// That it does not hold, and how.
    pub(crate) fn broken(&'static self, how: impl fmt::Display) -> Broken {
        Broken { law: self, how: how.to_string() }
    }

    /// That two values which it says are equal differ.
    pub(crate) fn equal<T: PartialEq + fmt::Debug>(
        &'static self,
        what: impl fmt::Display,
        one: &T,
        other: &T,
    ) -> Result<(), Broken> {
        if one == other { Ok(()) } else { Err(self.broken(format!("{what}: {one:?} differs from {other:?}"))) }
    }

    /// The same of two lists, of which the first values that differ are told.
    pub(crate) fn all_equal<T: PartialEq + fmt::Debug>(
        &'static self,
        what: impl fmt::Display,
        one: &[T],
        other: &[T],
    ) -> Result<(), Broken> {
        match one.iter().zip(other).find(|(one, other)| one != other) {
            Some((one, other)) => self.equal(what, one, other),
            None => self.equal(format_args!("number of {what}"), &one.len(), &other.len()),
        }
    }
}

/// A law that does not hold of a case.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Broken {
    /// Which.
    pub law: &'static Law,
    /// What was found in place of what must hold.
    pub how: String,
}

/// Of every area.
pub(crate) static NO_PANIC: Law =
    Law { name: "no-panic", holds: "no engine panics", because: "a run ends with a result or with an error" };

/// Of every area, of some cases.
pub(crate) static AS_WRITTEN: Law = Law {
    name: "as-written",
    holds: "flitwise can read and run the scenario files that are written for a case. No row takes longer than the \
            upper bound of its time",
    because: "violations are reported as such files, and scenarios are rejected if this bound exceeds the clock",
};

/// Of every area, seen by who watches the hunt.
pub(crate) static ENDS: Law = Law {
    name: "ends",
    holds: "every case ends",
    because: "a run ends with a result, with a deadlock or with unfinished operations",
};

pub(crate) static WORM_IS_FLIT: Law = Law {
    name: "worm-is-flit",
    holds: "the worm engine and the flit engine report the same times and waits for every message, and the same grant \
            and release times for every channel. If one of them deadlocks, the other deadlocks with the same cycle",
    because: "both follow the rules of engine::wormhole, the flit engine flit by flit and the worm engine for whole \
              messages",
};

pub(crate) static WATCHED_OR_NOT: Law = Law {
    name: "watched-or-not",
    holds: "an observer does not change the times that the worm engine reports",
    because: "the worm engine processes head flits ahead of the clock only if this is not visible to an observer",
};

pub(crate) static SLEEP_IS_FLIT: Law = Law {
    name: "sleep-is-flit",
    holds: "if all channels have the same flit time and delay, the sleep engine and the flit engine report the same \
            results",
    because: "the sleep engine skips only steps in which the flits of a channel repeat the same pattern",
};

pub(crate) static AUTO_IS_FLIT: Law = Law {
    name: "auto-is-flit",
    holds: "if the worm engine rejects a run, `auto` selects another engine, which reports the same times as the flit \
            engine",
    because: "the choice of the engine affects the run time of the simulator, not its results",
};

pub(crate) static REFUSALS: Law = Law {
    name: "refusals",
    holds: "the worm engine rejects a run only if virtual channels share a physical channel, or if a buffer is smaller \
            than the credit round trip of its channel. The sleep engine rejects a run only if channels have different \
            costs. The flit engine rejects no run",
    because: "these are the documented limits of the engines",
};

pub(crate) static FLITS_OBEY: Law = Law {
    name: "flits-obey",
    holds: "a flit starts on a channel as soon as it has arrived, the flit before it has crossed the channel, and the \
            next buffer has a free slot. It can start later only if other virtual channels share the physical channel",
    because: "these are the rules of engine::wormhole, which are checked in the recorded run without another \
              simulation",
};

pub(crate) static FIRST_COME: Law = Law {
    name: "first-come",
    holds: "head flits that wait for the same node or link are granted channels in the order of request time and \
            message number. Each is granted the lowest free channel as soon as there is one. A channel that is \
            released in the same tick may be skipped",
    because: "these are the rules of arbitration, which are checked in the recorded run",
};

pub(crate) static CONSERVED: Law = Law {
    name: "conserved",
    holds: "every flit of a message crosses every channel of its path once and in order. No channel has two holders",
    because: "flits are neither lost nor created",
};

pub(crate) static ALONE: Law = Law {
    name: "alone",
    holds: "if all channels have the same costs, a message whose head flit never waits takes exactly its zero-load \
            latency. No message takes less",
    because: "waits are the only delays that the closed form of the zero-load latency omits",
};

pub(crate) static CYCLE: Law = Law {
    name: "cycle",
    holds: "each message in the cycle of a deadlock waits for a channel that the next message holds",
    because: "a deadlock is a cycle of such waits",
};

pub(crate) static STEPPED: Law = Law {
    name: "stepped",
    holds: "a run that advances tick by tick, or by several ticks at once, has the same outcome and the same events as \
            a run without interruption. An observer that stops a run has received all events up to that tick. The \
            messages that are reported as delivered during a run agree with the outcome, unless `auto` has changed the \
            engine",
    because: "the step size is not an input of the simulation",
};

pub(crate) static LIVE: Law = Law {
    name: "live",
    holds: "messages that a host sends while the simulation runs have the same times as the messages of a trace that lists them \
            with the ticks of their requests, however the host sends them, advances, and takes them at the tick of their arrival",
    because: "a message of tick t that is sent at tick t has a larger number than all before it, and nothing that follows from it \
              happens before t",
};

pub(crate) static ROUTER_IS_REFERENCE: Law = Law {
    name: "router-is-reference",
    holds: "the router engine and the reference implementation grant every virtual channel in the same cycle, and \
            report the same times for every message. If one of them deadlocks, the other deadlocks, too",
    because: "the two share no code except for the routes and the durations of operations",
};

pub(crate) static IDEAL_IS_WORMHOLE: Law = Law {
    name: "ideal-is-wormhole",
    holds: "ideal routers with atomic buffers and no additional virtual channels have the same times as the flit \
            engine",
    because: "they follow the rules of engine::wormhole if virtual channels do not share physical channels",
};

pub(crate) static PATHS_ARE_TREES: Law = Law {
    name: "paths-are-trees",
    holds: "messages whose paths routers treat as trees with one branch have the same times and waits, and the same grants, as \
            messages on these paths",
    because: "a tree with one source and one destination is a path",
};

pub(crate) static TREES_ARE_REFERENCE: Law = Law {
    name: "trees-are-reference",
    holds: "packets that ideal routers copy and combine are injected and delivered at the same times as in the reference \
            implementation. If some of them never arrive in one of the two, some never arrive in the other",
    because: "the two share only the trees, and the reference implementation follows the recurrence of the start times of flits",
};

pub(crate) static TREE_ALONE: Law = Law {
    name: "tree-alone",
    holds: "a packet that is alone in the network takes its closed form to every destination, if buffers cover the latency of \
            combinations and the routing delay",
    because: "its branches do not wait for each other, and at a join it waits for the last operand",
};

pub(crate) static TREE_LINKS: Law = Law {
    name: "tree-links",
    holds: "every link of a tree carries the flits of its packet once, however many destinations and sources are behind it, \
            and whether or not the vector is cut into segments",
    because: "routers copy flits where paths part, and combine them where paths meet",
};

pub(crate) static BROADCAST_IS_MULTICAST: Law = Law {
    name: "broadcast-is-multicast",
    holds: "a broadcast in routers has the same times as a multicast of each of its segments to all other ranks",
    because: "both are packets on the same trees, requested at the same time",
};

pub(crate) static REDUCTION_MIRRORS: Law = Law {
    name: "reduction-mirrors-multicast",
    holds: "if combining takes no time, a reduction that is alone takes as long as the multicast from its root over the same links \
            in the other direction",
    because: "the longest way from a source to the root has as many links as the one back",
};

pub(crate) static FREE_TREES: Law = Law {
    name: "free-trees",
    holds: "packets that a certificate declares free of deadlock all arrive, whenever they start",
    because: "a certificate proves that no cycle of waits leads from one tree to another",
};

pub(crate) static FREE_IS_FREE: Law = Law {
    name: "free-is-free",
    holds: "no run deadlocks if the channel dependency graph is acyclic, or if a certificate declares the routers \
            deadlock-free",
    because: "an acyclic graph implies that some head flit can always advance (Dally and Seitz 1987), and a \
              certificate is a proof of the same",
};

pub(crate) static SAME_CYCLES: Law = Law {
    name: "same-cycles",
    holds: "the dependency graph reports a cycle if and only if the reference implementation finds one. The reported \
            cycle exists in the graph. For routings with a single path, the certificate agrees",
    because: "the fast method finds strongly connected components, and the reference implementation removes channels \
              without successors as long as there are any",
};

pub(crate) static EXECUTED_BY_THE_WORD: Law = Law {
    name: "loggops-is-reference",
    holds: "under LogGOPS every rank finishes at the same time as in the reference implementation. Operations remain \
            unfinished if and only if they do there",
    because: "both follow the rules of model::execute, and the reference implementation has a single event queue \
              without shortcuts",
};

pub(crate) static SLOWED_DOWN: Law = Law {
    name: "slowed-down",
    holds: "if all durations are three times as long, all times are three times as late",
    because: "the simulation only adds and compares times, so the unit of time does not matter",
};

pub(crate) static UP_TO_THE_CLOCK: Law = Law {
    name: "largest-times",
    holds: "if all durations are multiplied, or all messages are delayed, until the run ends at the end of the clock \
            (2^62 ticks), all times are multiplied or delayed by the same amount",
    because: "times below the end of the clock neither overflow nor are rounded",
};

pub(crate) static SAME_PROGRAM: Law = Law {
    name: "same-program",
    holds: "operations do not change if they are written as GOAL, as text or in the binary form, and read again",
    because: "both forms describe operations completely",
};

pub(crate) static BEGUN_LATER: Law = Law {
    name: "time-shift",
    holds: "if all messages are requested a million flit times later, all events happen later by this time",
    because: "the rules depend only on differences of times",
};

pub(crate) static STRANGERS: Law = Law {
    name: "independent-groups",
    holds: "a group of messages that shares no physical channel with other messages has the same times without them. A \
            run completes if and only if each such group completes alone",
    because: "messages affect each other only at channels",
};

pub(crate) static SAME_BYTES: Law = Law {
    name: "same-bytes",
    holds: "the files of a sweep have the same bytes for any number of threads and shards. They also have the same \
            bytes if the sweep was killed at any time and resumed",
    because: "a row depends only on its experiment, and files are assembled from journals in the order of rows",
};

pub(crate) static DAMAGE: Law = Law {
    name: "damage",
    holds: "a sweep that resumes from a journal with a flipped bit either reports an error or writes the same bytes",
    because: "every line of a journal has a checksum, and rows with an incorrect checksum are computed again",
};

pub(crate) static PROOF_IS_CHECK: Law = Law {
    name: "proof-is-check",
    holds: "the verification of a schedule reports an error if and only if the reference check reports one. Both \
            report the same counts. This also holds for schedules into which an error was inserted",
    because: "both decide the same question, and the reference check tracks the data of every rank from step to step",
};

pub(crate) static PLANS_DELIVER: Law = Law {
    name: "plans-deliver",
    holds: "every schedule delivers the required data to each rank. Algorithms that are marked as incorrect are \
            excepted",
    because: "this is the definition of the operations",
};

pub(crate) static NEEDS: Law = Law {
    name: "needs",
    holds: "in a collective without barriers, a message waits for exactly those messages of earlier steps that bring \
            part of its data to its sender",
    because: "this is the documented behaviour of schedule::collective",
};

pub(crate) static EXTENT: Law = Law {
    name: "extent",
    holds: "the schedule of a collective has at most the numbers of steps and messages that are estimated before \
            planning",
    because: "the estimate decides whether a run is accepted",
};

pub(crate) static DATA_FIRST: Law = Law {
    name: "data-first",
    holds: "a node begins a send only after it has received all of the data to be sent",
    because: "a node can send only data that it has",
};

pub(crate) static UNBLOCKED_IS_PRICED: Law = Law {
    name: "uncontended-is-predicted",
    holds: "if there is no contention and all channels have the same costs, every message is received at the time that \
            the model predicts",
    because: "contention is the only effect that the models omit",
};

pub(crate) static LEAST_TIMES: Law = Law {
    name: "least-times",
    holds: "the table of optimal trees contains the minimum times over all trees. Every predicted time follows the \
            definition of the model. No tree is faster than the minimum, and optimal trees reach it",
    because: "the planner computes the table with a fast recurrence, and the reference implementation tries all splits",
};

pub(crate) static TREES_AS_DEFINED: Law = Law {
    name: "trees-as-defined",
    holds: "multicast trees have the same sends as their definitions",
    because: "planners calculate with positions in the group, and the reference implementation divides lists of nodes",
};

pub(crate) static BROADCASTS_AS_DEFINED: Law = Law {
    name: "broadcasts-as-defined",
    holds: "a broadcast has the same sends as a planner that compares all possible sends at each decision. Nodes \
            receive the message at the times that follow from these sends",
    because: "the queues and sorted rows of the planners only avoid comparisons",
};

pub(crate) static LEAST_COMPLETION: Law = Law {
    name: "least-completion",
    holds: "no broadcast is faster than the longest of the shortest paths, or than the best broadcast that branch and \
            bound finds",
    because: "the first is a lower bound, and the second is the optimum",
};

pub(crate) static COUNTED: Law = Law {
    name: "counted",
    holds: "the steps of an exchange, and the blocks on its critical path, are as many as its closed form states",
    because: "the closed forms are sums over the schedule",
};

pub(crate) static MAPPING_COSTS: Law = Law {
    name: "mapping-costs",
    holds: "a mapping assigns the same number of tasks to every node, and does not change if it is repeated with the \
            same random numbers. Its cost is the sum of weight times hops over all edges",
    because: "these are the definitions of a mapping and of its cost",
};

pub(crate) static BEST_MAPPING: Law = Law {
    name: "best-mapping",
    holds: "no mapping has a lower cost than the optimum or the spectral bound. The exhaustive search finds the \
            optimum. After a search by exchanges, no exchange of two tasks lowers the cost",
    because: "these are the definitions of the optimum, the bound and the search",
};

pub(crate) static CUTS_AS_DEFINED: Law = Law {
    name: "cuts-as-defined",
    holds: "recursive bipartition finds the same cuts in the task graph as in a matrix of the modified graph that its \
            definition uses",
    because: "the planner uses the modified graph without building it",
};

pub(crate) static OFFERS: Law = Law {
    name: "offers",
    holds: "sources generate packets of the specified lengths for existing nodes, at most one per cycle. The order in \
            which nodes are processed does not change the packets",
    because: "every node has a random stream of its own",
};

pub(crate) static PACKETS_CONSERVED: Law = Law {
    name: "packets-conserved",
    holds: "no packet arrives twice or at another node than its destination. Unless the routers deadlock, every packet \
            arrives. The flits that are counted on links, at nodes and in switches are those of the packets and their \
            paths",
    because: "flits are neither lost nor created",
};

pub(crate) static NO_SOONER: Law = Law {
    name: "no-sooner",
    holds: "no packet takes less than its zero-load latency",
    because: "other packets can only delay it",
};

pub(crate) static CHIP_IS_REFERENCE: Law = Law {
    name: "chip-is-reference",
    holds: "reads of a chip are issued, requested, answered and completed at the same times as in the reference \
            implementation, and over the same number of links. Barriers end at the same times",
    because: "both follow the known behaviour of the chip, but share no code, not even that of the torus",
};

pub(crate) static SAME_AGAIN: Law = Law {
    name: "same-again",
    holds: "traffic that is stopped early has delivered the same packets as traffic that continues, up to that time",
    because: "the seed determines a run, and later events do not change earlier ones",
};

pub(crate) static ANY_THREADS: Law = Law {
    name: "any-threads",
    holds: "routers in several strips, each simulated by a thread, do the same as routers that one thread simulates",
    because: "nothing passes a channel in less than a cycle, so that strips depend on each other only from one cycle to the next",
};

pub(crate) static MEASURED: Law = Law {
    name: "measured",
    holds: "the statistics of a steady run are those of its measured packets, counted one by one",
    because: "this is the definition of the statistics",
};

pub(crate) static SURVIVING_ROUTES: Law = Law {
    name: "surviving-routes",
    holds: "on a network with lost links, every path leads from source to destination over remaining links. Shortest \
            paths are as short as those that a search finds",
    because: "a lost link cannot be used",
};

pub(crate) static FAULTS: Law = Law {
    name: "faults",
    holds: "in a broadcast with failures, a node receives the message from a node that already has it, over a working \
            link between working nodes, and no sooner than the cost of the link allows. The run is reproducible. \
            Without failures it is an ordinary broadcast",
    because: "nothing is sent over a failed link or to a failed node",
};

pub(crate) static REPEATED: Law = Law {
    name: "repeated",
    holds: "a run that is repeated has the same times for every message and every grant",
    because: "the scenario and its seed determine a run",
};

pub(crate) static ONE_ENGINE: Law = Law {
    name: "plain-is-general",
    holds: "an output queue that is never full, a rule for speculative requests that is not read, and physical networks \
            that are not used change no time of a message",
    because: "routers without options have an engine of their own, which follows the same rules as the engine for all \
              options",
};

pub(crate) static OUTPUT_FIRST: Law = Law {
    name: "output-first-is-islip",
    holds: "without speculation and priorities, the allocators `separable-output-first`, `islip` and `select` have the \
            same times",
    because: "each of them grants from the outputs, with round-robin pointers that only accepted grants advance",
};

pub(crate) static CUT_THROUGH: Law = Law {
    name: "cut-through-is-atomic",
    holds: "if every packet has exactly as many flits as a buffer, virtual cut-through has the same times as atomic \
            buffers",
    because: "a buffer has room for such a packet only if it is empty",
};

pub(crate) static NO_SPECULATION: Law = Law {
    name: "no-speculation",
    holds: "rules of speculative requests do not change routers that do not speculate",
    because: "there are no such requests",
};

pub(crate) static FORMULA: Law = Law {
    name: "zero-load-formula",
    holds: "a message that is alone in the network takes the sum of its stages, links and flits",
    because: "no stage waits for anything",
};

pub(crate) static APART: Law = Law {
    name: "networks-apart",
    holds: "classes with a physical network and a source queue of their own have the same times as without the other \
            classes",
    because: "they have nothing in common",
};
