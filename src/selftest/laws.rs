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
        if one == other { Ok(()) } else { Err(self.broken(format!("{what}: {one:?}, and {other:?}"))) }
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
            None => self.equal(format_args!("how many of {what}"), &one.len(), &other.len()),
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
    Law { name: "no-panic", holds: "no engine panics", because: "a run ends with an outcome or says why it cannot" };

/// Of every area, of some cases.
pub(crate) static AS_WRITTEN: Law = Law {
    name: "as-written",
    holds: "the files in which a case is shown are read, and what they say is run; no row takes longer than the bound by which scenarios \
            are refused",
    because: "others see a finding by these files; and the clock holds what is not refused",
};

/// Of every area, seen by who watches the hunt.
pub(crate) static ENDS: Law = Law {
    name: "ends",
    holds: "every case ends",
    because: "a run ends with an outcome, a deadlock, or what is left undone",
};

pub(crate) static WORM_IS_FLIT: Law = Law {
    name: "worm-is-flit",
    holds: "the worm engine gives every message the times and waits that the flit engine gives it, every channel of its path is \
            granted and released in the same tick, and one deadlocks where the other does, with the same cycle",
    because: "both follow the rules of engine::wormhole; the worm engine solves them for whole worms, the flit engine moves flits",
};

pub(crate) static WATCHED_OR_NOT: Law = Law {
    name: "watched-or-not",
    holds: "the worm engine gives the same times whether its run is watched or not",
    because: "headers run ahead of the clock only where nothing can tell",
};

pub(crate) static SLEEP_IS_FLIT: Law = Law {
    name: "sleep-is-flit",
    holds: "the sleep engine gives what the flit engine gives, wherever all channels take the same",
    because: "what it skips is what channels repeat",
};

pub(crate) static AUTO_IS_FLIT: Law = Law {
    name: "auto-is-flit",
    holds: "where the worm engine refuses, the engine that `auto` takes in its place gives the times of the flit engine",
    because: "auto chooses who computes, never what comes out",
};

pub(crate) static REFUSALS: Law = Law {
    name: "refusals",
    holds: "the worm engine refuses only where virtual channels share a physical one or a buffer does not cover its channel's delay, \
            the sleep engine only where channels differ, and the flit engine never",
    because: "the documentation says so",
};

pub(crate) static FLITS_OBEY: Law = Law {
    name: "flits-obey",
    holds: "every flit starts on every channel in the first tick that the rules allow: behind the flit before it, when it has \
            arrived, and when there is room behind the channel; no earlier where it shares the channel",
    because: "these are the rules, taken word by word from engine::wormhole, of what has happened and without simulating anything",
};

pub(crate) static FIRST_COME: Law = Law {
    name: "first-come",
    holds: "every head flit requests a channel when it has arrived and been routed, and of those that wait for a node's or a link's \
            channels the first by (request, message) is granted the lowest that is free, as soon as one is; a channel that is given \
            back in that very tick may be passed over",
    because: "these are the rules, of what has happened",
};

pub(crate) static CONSERVED: Law = Law {
    name: "conserved",
    holds: "every flit of every message crosses every channel of its path once, in order, and no channel has two owners",
    because: "flits are neither lost nor made",
};

pub(crate) static ALONE: Law = Law {
    name: "alone",
    holds: "a message of which no head flit waits takes its closed form, and one of which a head flit waits no less",
    because: "(d_r + c_d) (H - 1) + m c_d is what is left of the rules where nothing is in the way",
};

pub(crate) static CYCLE: Law = Law {
    name: "cycle",
    holds: "of a deadlock's cycle each message waits for a channel that the next one holds",
    because: "a deadlock is a cycle of such waits; who holds what is told by grants and releases",
};

pub(crate) static STEPPED: Law = Law {
    name: "stepped",
    holds: "a run that goes on tick by tick or in strides ends as it does at once, its observer is told the same in the same order, \
            what is told of messages on the way is what its outcome says unless `auto` begins again, and an observer that ends it has \
            been told what is told up to there",
    because: "who says how far a run goes has no part in it",
};

pub(crate) static ROUTER_IS_REFERENCE: Law = Law {
    name: "router-is-reference",
    holds: "the router engine grants every virtual channel in the cycle in which a plain simulation of the same routers does, and \
            messages have the same times; one deadlocks where the other does",
    because: "the plain simulation shares with the engine only what routes there are and how long things take",
};

pub(crate) static IDEAL_IS_WORMHOLE: Law = Law {
    name: "ideal-is-wormhole",
    holds: "ideal routers with atomic buffers and no more virtual channels than the network has give the times of the flit engine",
    because: "they follow the rules of engine::wormhole where virtual channels do not share physical ones",
};

pub(crate) static FREE_IS_FREE: Law = Law {
    name: "free-is-free",
    holds: "nothing deadlocks on a network whose channels do not depend on each other in a cycle, nor on routers that a certificate \
            calls free",
    because: "without a cycle of dependencies some head flit can always go on (Dally and Seitz 1987), and a certificate ranks virtual \
              channels so that those of lower ranks always come free",
};

pub(crate) static SAME_CYCLES: Law = Law {
    name: "same-cycles",
    holds: "the dependency graph has a cycle where channels are left when those on which none depends are taken away one after the \
            other, its cycle is one, and where messages keep to one path the certificate says the same",
    because: "both decide the same question, one by strongly connected components, one by its definition",
};

pub(crate) static EXECUTED_BY_THE_WORD: Law = Law {
    name: "executed-by-the-word",
    holds: "the executor of operations under LogGOPS has every rank finish when a plain queue of events has it, and leaves operations \
            where that leaves some",
    because: "both follow the rules of model::execute; the plain queue puts back what cannot start and searches every list from its \
              beginning",
};

pub(crate) static SLOWED_DOWN: Law = Law {
    name: "slowed-down",
    holds: "where everything takes three times as long, everything ends at three times the time",
    because: "rules compare and add times, and know no unit of time",
};

pub(crate) static UP_TO_THE_CLOCK: Law = Law {
    name: "up-to-the-clock",
    holds: "where everything takes so many times as long, or begins so much later, that the last time is the last which the clock \
            holds, just under 2^62 ticks, all times are those that were so many times less, or so much sooner",
    because: "a scenario is refused only where a time could be more; nothing on the way there overflows, or is rounded",
};

pub(crate) static SAME_PROGRAM: Law = Law {
    name: "same-program",
    holds: "operations that are written as GOAL text or in its binary form and read again are the same",
    because: "both forms say all there is of an operation",
};

pub(crate) static BEGUN_LATER: Law = Law {
    name: "begun-later",
    holds: "where all messages at fixed times are requested a million flit times later, all that happens does so later by as much",
    because: "rules compare times with each other and with no calendar",
};

pub(crate) static STRANGERS: Law = Law {
    name: "strangers",
    holds: "messages that share no physical channel with others, directly or over a chain of such, take what they take without \
            the others, and not all arrive where in some such group not all do",
    because: "messages meet at channels and nowhere else",
};

pub(crate) static SAME_BYTES: Law = Law {
    name: "same-bytes",
    holds: "the files of a sweep have the same bytes on any number of threads, in any number of shards, and where it was killed \
            after any byte that it had written and gone on with",
    because: "a row is computed from its experiment alone, and files are put together from journals in the order of rows",
};

pub(crate) static DAMAGE: Law = Law {
    name: "damage",
    holds: "a sweep that goes on with a journal of which a bit was changed refuses it or has the same bytes",
    because: "every line of a journal stands under a check, and rows whose lines do not pass are computed again",
};

pub(crate) static PROOF_IS_CHECK: Law = Law {
    name: "proof-is-check",
    holds: "the proof of a schedule finds something wrong where a plain check does, of schedules as they were planned and of such \
            as were damaged, and what it counts is what is counted by the plain check",
    because: "both decide the same question; the check carries all that ranks hold from step to step, each contribution counted",
};

pub(crate) static PLANS_DELIVER: Law = Law {
    name: "plans-deliver",
    holds: "every schedule of every algorithm brings each rank what it is promised, but for those that are known to be wrong",
    because: "this is what algorithms are for; one that is known to be wrong says so",
};

pub(crate) static NEEDS: Law = Law {
    name: "needs",
    holds: "without barriers a message of a collective waits for every message of an earlier step that brings its sender something \
            of what it carries, and for no other",
    because: "the documentation of schedule::collective says so",
};

pub(crate) static EXTENT: Law = Law {
    name: "extent",
    holds: "the schedule of a collective has no more steps and messages than its closed form says",
    because: "what a run takes is judged by the closed form before the schedule is made",
};

pub(crate) static DATA_FIRST: Law = Law {
    name: "data-first",
    holds: "no send begins before all messages of earlier steps that bring its sender something of what it carries are received",
    because: "nodes send what they have",
};

pub(crate) static UNBLOCKED_IS_PRICED: Law = Law {
    name: "unblocked-is-priced",
    holds: "where channels are alike, no head flit waits and no two worms share a physical channel, every message of a schedule is \
            received when its model says",
    because: "the models leave out of a run only that messages are in each other's way",
};

pub(crate) static LEAST_TIMES: Law = Law {
    name: "least-times",
    holds: "the table of optimal trees has the least time of all splits, which is also that of the earliest receipts; trees cost what \
            the model's definition says, none less than the least, and optimal ones no more",
    because: "the table is a shortcut through the minimum over all splits; every holder that sends all the time reaches most",
};

pub(crate) static TREES_AS_DEFINED: Law = Law {
    name: "trees-as-defined",
    holds: "planned multicast trees are, send by send, those of their definitions on stretches that are lists",
    because: "planners only say the same in positions",
};

pub(crate) static BROADCASTS_AS_DEFINED: Law = Law {
    name: "broadcasts-as-defined",
    holds: "planned broadcasts are, send by send and ties included, those of a scan of all sends for every choice, and nodes have the \
            message when their sends amount to it",
    because: "queues and sorted rows save looks at sends, and change no choice",
};

pub(crate) static LEAST_COMPLETION: Law = Law {
    name: "least-completion",
    holds: "no broadcast completes before the longest of the shortest paths or the least completion of all orders of sends, which \
            branch and bound finds",
    because: "one is a bound, the other the definition of the optimum",
};

pub(crate) static COUNTED: Law = Law {
    name: "counted",
    holds: "an exchange has the steps and the blocks on its critical path that its closed form says",
    because: "closed forms are sums over the schedule",
};

pub(crate) static MAPPING_COSTS: Law = Law {
    name: "mapping-costs",
    holds: "a mapping gives every node its share of tasks and is the same again from the same draws; its cost, and what exchanges \
            add to it, are sums over edges of weight times hops",
    because: "this is what a mapping and its cost are",
};

pub(crate) static BEST_MAPPING: Law = Law {
    name: "best-mapping",
    holds: "no mapping costs less than the best of all or than the spectral bound, the exhaustive search finds the best, and no \
            exchange of two tasks betters what exchanges end with",
    because: "these are their definitions",
};

pub(crate) static CUTS_AS_DEFINED: Law = Law {
    name: "cuts-as-defined",
    holds: "recursive bipartition is that of maximum cuts of the modified graph as a matrix, from the same sides",
    because: "the modified graph is only never built",
};

pub(crate) static OFFERS: Law = Law {
    name: "offers",
    holds: "sources make packets of the lengths and to the nodes there are, at most one a cycle, the same in whatever order nodes are \
            asked",
    because: "every node draws from a stream of its own",
};

pub(crate) static PACKETS_CONSERVED: Law = Law {
    name: "packets-conserved",
    holds: "every packet that is offered to routers arrives once where it should, and flits on links, to nodes and through switches \
            are what packets and their paths amount to; where routers deadlock none arrives twice or elsewhere",
    because: "flits are neither lost nor made",
};

pub(crate) static NO_SOONER: Law = Law {
    name: "no-sooner",
    holds: "no packet takes less than the closed form of its path in an empty network",
    because: "others can only be in its way",
};

pub(crate) static CHIP_IS_REFERENCE: Law = Law {
    name: "chip-is-reference",
    holds: "every read of a processor of a chip is issued, requested, answered and done when a plain simulation of the chip has it, \
            over as many links, and every barrier ends when it does there",
    because: "both follow what is known of the chip; the plain simulation shares nothing with the engine, not even what a torus is",
};

pub(crate) static SAME_AGAIN: Law = Law {
    name: "same-again",
    holds: "traffic that is cut off has delivered until then what it delivers when it goes on",
    because: "runs are determined by the seed, and what is to come changes nothing before",
};

pub(crate) static MEASURED: Law = Law {
    name: "measured",
    holds: "what a steady run collects of packets that count is what is counted of all packets",
    because: "it is the definition of what is measured",
};

pub(crate) static SURVIVING_ROUTES: Law = Law {
    name: "surviving-routes",
    holds: "paths on a network that has lost links lead from source to destination over links that are left, and shortest ones over \
            no more than a search needs",
    because: "nothing goes over what is not there",
};

pub(crate) static FAULTS: Law = Law {
    name: "faults",
    holds: "of a broadcast while links and nodes fail every node has the message from one that had it before, no sooner than their \
            link takes, over a link that was not dead and while both lived; it is the same again, and without faults nothing changes",
    because: "nothing comes through what is dead",
};
