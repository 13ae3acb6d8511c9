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
pub(crate) static NO_PANIC: Law = Law {
    name: "no-panic",
    holds: "no engine panics",
    because: "a run ends with an outcome, or reports why it cannot continue",
};

/// Of every area, of some cases.
pub(crate) static AS_WRITTEN: Law = Law {
    name: "as-written",
    holds: "the scenario files of a case can be read and run, and no row takes longer than the bound by which \
            scenarios are refused",
    because: "findings are reported as these files, and every time below the bound must fit the clock",
};

/// Of every area, seen by who watches the hunt.
pub(crate) static ENDS: Law = Law {
    name: "ends",
    holds: "every case ends",
    because: "a run ends with an outcome, with a deadlock or with unfinished operations",
};

pub(crate) static WORM_IS_FLIT: Law = Law {
    name: "worm-is-flit",
    holds: "the worm engine reports the same times and waits of every message as the flit engine, and grants and \
            releases every channel of a path in the same tick; either both engines deadlock, with the same cycle, or \
            neither does",
    because: "both follow the rules of engine::wormhole: the worm engine solves them for whole worms, and the flit \
              engine moves flits",
};

pub(crate) static WATCHED_OR_NOT: Law = Law {
    name: "watched-or-not",
    holds: "the worm engine reports the same times with and without an observer",
    because: "head flits run ahead of the clock only if no observer can notice it",
};

pub(crate) static SLEEP_IS_FLIT: Law = Law {
    name: "sleep-is-flit",
    holds: "the sleep engine reports the same results as the flit engine if all channels have the same flit time \
            and delay",
    because: "it skips only steps that channels repeat",
};

pub(crate) static AUTO_IS_FLIT: Law = Law {
    name: "auto-is-flit",
    holds: "if the worm engine refuses a run, the engine that `auto` selects instead reports the times of the flit \
            engine",
    because: "the choice of the engine affects the run time of the simulator, not its results",
};

pub(crate) static REFUSALS: Law = Law {
    name: "refusals",
    holds: "the worm engine refuses a run only if virtual channels share a physical channel or a buffer does not \
            cover the delay of its channel, the sleep engine only if channels have different costs, and the flit \
            engine never",
    because: "these are the documented limits of the engines",
};

pub(crate) static FLITS_OBEY: Law = Law {
    name: "flits-obey",
    holds: "every flit starts on every channel in the first tick that the rules allow: after the previous flit, \
            after its own arrival, and with a free buffer slot behind the channel; if it shares the channel, it does \
            not start earlier",
    because: "the check applies the rules of engine::wormhole to the recorded run, without a simulation",
};

pub(crate) static FIRST_COME: Law = Law {
    name: "first-come",
    holds: "every head flit requests a channel when it has arrived and been routed; among the head flits that wait for \
            the channels of a node or a link, the first by (request, message) is granted the lowest free channel as \
            soon as there is one; a channel that is released in the same tick may be passed over",
    because: "the check applies the rules to the recorded run",
};

pub(crate) static CONSERVED: Law = Law {
    name: "conserved",
    holds: "every flit of every message crosses every channel of its path once and in order, and no channel has two \
            holders",
    because: "flits are neither lost nor created",
};

pub(crate) static ALONE: Law = Law {
    name: "alone",
    holds: "a message whose head flits never wait takes the time of the closed form, and every other message takes \
            at least that time",
    because: "without waits the rules reduce to (d_r + c_d) (H - 1) + m c_d",
};

pub(crate) static CYCLE: Law = Law {
    name: "cycle",
    holds: "in the cycle of a deadlock each message waits for a channel that the next message holds",
    because: "a deadlock is a cycle of such waits, and grants and releases determine the holders",
};

pub(crate) static STEPPED: Law = Law {
    name: "stepped",
    holds: "a run that advances tick by tick or in strides has the outcome and the events of a run without \
            interruption, in the same order; unless `auto` restarts, the reported state of messages in flight agrees \
            with the outcome; an observer that stops a run has received all events up to that tick",
    because: "the size of steps is not an input of the simulation",
};

pub(crate) static ROUTER_IS_REFERENCE: Law = Law {
    name: "router-is-reference",
    holds: "the router engine grants every virtual channel in the same cycle as the reference implementation, and \
            messages have the same times; either both deadlock or neither does",
    because: "the reference implementation shares only the routes and the durations with the engine",
};

pub(crate) static IDEAL_IS_WORMHOLE: Law = Law {
    name: "ideal-is-wormhole",
    holds: "ideal routers with atomic buffers and no additional virtual channels have the times of the flit engine",
    because: "they follow the rules of engine::wormhole if virtual channels do not share physical channels",
};

pub(crate) static FREE_IS_FREE: Law = Law {
    name: "free-is-free",
    holds: "no run deadlocks on a network with an acyclic channel dependency graph, or on routers that a \
            certificate declares deadlock-free",
    because: "if the graph is acyclic, some head flit can always advance (Dally and Seitz 1987), and a certificate \
              ranks virtual channels such that those of lower ranks always become free",
};

pub(crate) static SAME_CYCLES: Law = Law {
    name: "same-cycles",
    holds: "the dependency graph reports a cycle exactly if channels remain after repeated removal of channels on \
            which no other depends; the reported cycle is a cycle of the graph; for routings with a single path the \
            certificate agrees",
    because: "both decide the same question, one by strongly connected components and one by its definition",
};

pub(crate) static EXECUTED_BY_THE_WORD: Law = Law {
    name: "loggops-is-reference",
    holds: "the executor of operations under LogGOPS finishes every rank at the same time as a simple event queue, \
            and leaves operations unfinished exactly if the queue does",
    because: "both follow the rules of model::execute; the queue puts back operations that cannot start and \
              searches every list from its beginning",
};

pub(crate) static SLOWED_DOWN: Law = Law {
    name: "slowed-down",
    holds: "if all durations are three times as long, all times are three times as late",
    because: "the rules compare and add times, and do not depend on the unit of time",
};

pub(crate) static UP_TO_THE_CLOCK: Law = Law {
    name: "largest-times",
    holds: "if durations are multiplied, or all times are delayed, such that the last time is the largest value of \
            the clock, just under 2^62 ticks, all other times are multiplied or delayed alike",
    because: "scenarios are refused only if a time can exceed the clock; smaller times neither overflow nor are \
              rounded",
};

pub(crate) static SAME_PROGRAM: Law = Law {
    name: "same-program",
    holds: "operations that are written as GOAL text or in its binary form and read again are the same",
    because: "both forms describe operations completely",
};

pub(crate) static BEGUN_LATER: Law = Law {
    name: "time-shift",
    holds: "if all messages at fixed times are requested a million flit times later, all events happen later by the \
            same time",
    because: "the rules depend only on differences of times",
};

pub(crate) static STRANGERS: Law = Law {
    name: "independent-groups",
    holds: "messages that share no physical channel with other messages, directly or via others, have the same \
            times without these; all messages of a run arrive exactly if all arrive in every such group alone",
    because: "messages interact only at channels",
};

pub(crate) static SAME_BYTES: Law = Law {
    name: "same-bytes",
    holds: "the files of a sweep have the same bytes for any number of threads and shards, and after the sweep was \
            killed at any byte that it had written and was resumed",
    because: "a row depends only on its experiment, and files are assembled from journals in the order of rows",
};

pub(crate) static DAMAGE: Law = Law {
    name: "damage",
    holds: "a sweep that resumes from a journal with a changed bit either refuses it or writes the same bytes",
    because: "every line of a journal has a checksum, and rows whose lines do not match are computed again",
};

pub(crate) static PROOF_IS_CHECK: Law = Law {
    name: "proof-is-check",
    holds: "the verification of a schedule, planned or damaged, reports an error exactly if the reference check \
            does, and both count the same quantities",
    because: "both decide the same question; the reference check tracks all contributions that ranks hold from step \
              to step",
};

pub(crate) static PLANS_DELIVER: Law = Law {
    name: "plans-deliver",
    holds: "every schedule of every algorithm delivers the required data to each rank, except for algorithms that \
            are known to be incorrect",
    because: "this is the purpose of the algorithms, and incorrect ones are marked",
};

pub(crate) static NEEDS: Law = Law {
    name: "needs",
    holds: "without barriers a message of a collective waits for every message of an earlier step that brings its \
            sender part of the data that it carries, and for no other message",
    because: "this is the documented behaviour of schedule::collective",
};

pub(crate) static EXTENT: Law = Law {
    name: "extent",
    holds: "the schedule of a collective has no more steps and messages than its closed form",
    because: "the closed form is used to judge a run before its schedule is planned",
};

pub(crate) static DATA_FIRST: Law = Law {
    name: "data-first",
    holds: "no send begins before its sender has received all messages of earlier steps that bring part of the data \
            to be sent",
    because: "a node can send only data that it has",
};

pub(crate) static UNBLOCKED_IS_PRICED: Law = Law {
    name: "uncontended-is-predicted",
    holds: "if all channels have the same costs, no head flit waits and no two worms share a physical channel, \
            every message of a schedule is received when its model predicts",
    because: "the models omit only the contention between messages",
};

pub(crate) static LEAST_TIMES: Law = Law {
    name: "least-times",
    holds: "the table of optimal trees contains the minimum time over all splits, which is also the time of the \
            earliest receipts; the times of trees follow the definition of the model, are never below this minimum, \
            and equal it for optimal trees",
    because: "the table is a shortcut to the minimum over all splits, and holders that send all the time reach the \
              most nodes",
};

pub(crate) static TREES_AS_DEFINED: Law = Law {
    name: "trees-as-defined",
    holds: "planned multicast trees have the sends of their definitions, which are evaluated on lists of nodes",
    because: "planners express the same definitions in positions",
};

pub(crate) static BROADCASTS_AS_DEFINED: Law = Law {
    name: "broadcasts-as-defined",
    holds: "planned broadcasts have the sends, ties included, of a scan of all sends for every choice, and nodes \
            have the message at the times that result from these sends",
    because: "queues and sorted rows save comparisons and change no choice",
};

pub(crate) static LEAST_COMPLETION: Law = Law {
    name: "least-completion",
    holds: "no broadcast completes before the longest of the shortest paths, or before the minimum over all orders \
            of sends, which branch and bound finds",
    because: "the first is a lower bound, and the second is the definition of the optimum",
};

pub(crate) static COUNTED: Law = Law {
    name: "counted",
    holds: "an exchange has the number of steps, and of blocks on its critical path, of its closed form",
    because: "closed forms are sums over the schedule",
};

pub(crate) static MAPPING_COSTS: Law = Law {
    name: "mapping-costs",
    holds: "a mapping gives every node its share of tasks and is the same for the same random numbers; its cost, \
            and the change of the cost by exchanges, are sums over edges of weight times hops",
    because: "these are the definitions of a mapping and of its cost",
};

pub(crate) static BEST_MAPPING: Law = Law {
    name: "best-mapping",
    holds: "no mapping has a lower cost than the optimum or the spectral bound, the exhaustive search finds the \
            optimum, and no exchange of two tasks improves a mapping that is the result of exchanges",
    because: "these are the definitions of the optimum, the bound and the exchanges",
};

pub(crate) static CUTS_AS_DEFINED: Law = Law {
    name: "cuts-as-defined",
    holds: "recursive bipartition finds the maximum cuts of the modified graph, given as a matrix, from the same \
            initial sides",
    because: "the planner uses the modified graph without building it",
};

pub(crate) static OFFERS: Law = Law {
    name: "offers",
    holds: "sources generate packets of the specified lengths to existing nodes, at most one per cycle, and the \
            same packets in any order of the nodes",
    because: "every node has a random stream of its own",
};

pub(crate) static PACKETS_CONSERVED: Law = Law {
    name: "packets-conserved",
    holds: "every packet that is offered to routers arrives once and at its destination, and the numbers of flits \
            on links, to nodes and through switches are those of the packets and their paths; if routers deadlock, \
            no packet arrives twice or elsewhere",
    because: "flits are neither lost nor created",
};

pub(crate) static NO_SOONER: Law = Law {
    name: "no-sooner",
    holds: "no packet takes less time than the closed form of its path in an empty network",
    because: "other packets can only delay it",
};

pub(crate) static CHIP_IS_REFERENCE: Law = Law {
    name: "chip-is-reference",
    holds: "every read of a processor of a chip is issued, requested, answered and completed at the same time as in \
            the reference implementation, over the same number of links, and every barrier ends at the same time",
    because: "both follow the known behaviour of the chip; the reference implementation shares no code with the \
              engine, not even the torus",
};

pub(crate) static SAME_AGAIN: Law = Law {
    name: "same-again",
    holds: "traffic that is stopped early has delivered the same packets up to then as traffic that continues",
    because: "runs are determined by the seed, and later events do not change earlier ones",
};

pub(crate) static MEASURED: Law = Law {
    name: "measured",
    holds: "a steady run collects the values of measured packets that a count over all packets gives",
    because: "this is the definition of the measurement",
};

pub(crate) static SURVIVING_ROUTES: Law = Law {
    name: "surviving-routes",
    holds: "paths on a network with lost links lead from source to destination over remaining links, and shortest \
            paths are no longer than those of a search",
    because: "a path cannot use a lost link",
};

pub(crate) static FAULTS: Law = Law {
    name: "faults",
    holds: "in a broadcast with failing links and nodes every node receives the message from a node that had it \
            before, no sooner than the link allows, and over a working link between working nodes; the run is \
            reproducible, and without faults nothing changes",
    because: "nothing is sent through a failed link or node",
};
