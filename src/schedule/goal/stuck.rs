//! Why operations are left when nothing happens any more.
//!
//! Three things can be wrong: operations wait for each other in a cycle, over messages that are not sent because their
//! senders receive first; a receive waits for a message that is in no program; a message is received by no program. All
//! else that is left follows from these. Operations that have not started are those that wait, over dependencies, for
//! what is left: a receive that took no message, or a long send whose message was not taken. Each of these is matched
//! with one that has not started, by source and tag, first come first served; what finds none is the second or third
//! kind, and what finds one waits for it, which closes the cycles. O(operations left) time, where few have wildcards.

use super::fault::{Concerned, GoalFault, LISTED};
use super::matching::fits;
use super::{ANY, ANY_TAG, Action, Goal};
use crate::routing::DependencyGraph;
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::VecDeque;

/// What found no match: receives that took no message, and sends whose messages were not taken, by number; and up to
/// which size a send does not wait for its receive.
pub(super) struct Left {
    pub(super) receives: Vec<u32>,
    pub(super) sends: Vec<u32>,
    pub(super) eager: u64,
}

/// What is wrong where `left` is left: cycles first.
pub(super) fn faults(goal: &Goal, left: &Left) -> Vec<GoalFault> {
    let mut waits = Waits::new(goal, left);
    let (mut unsent, mut unreceived) = (Vec::new(), Vec::new());
    let mut sends = Candidates::new(goal, Action::Send, &waits.unstarted);
    for &receive in &left.receives {
        match sends.take(receive) {
            Some(send) => waits.edges.push((receive, send)),
            None => unsent.push(receive),
        }
    }
    let mut receives = Candidates::new(goal, Action::Receive, &waits.unstarted);
    for &send in &left.sends {
        match receives.take(send) {
            Some(receive) => waits.edges.push((send, receive)),
            None => unreceived.push(send),
        }
    }
    let mut faults: Vec<GoalFault> =
        cycles(goal, &waits.edges).iter().map(|cycle| wait_in_cycle(goal, cycle)).collect();
    let mut alone: Vec<u32> = unsent.iter().chain(&unreceived).copied().collect();
    alone.sort_unstable();
    faults.extend(alone.into_iter().map(|id| without_match(goal, id, &unreceived)));
    faults
}

/// What waits for what.
struct Waits {
    /// Operations that have not started.
    unstarted: Vec<u32>,
    /// Of each that waits, what it waits for.
    edges: Vec<(u32, u32)>,
}

impl Waits {
    /// What dependencies make wait for what is left.
    fn new(goal: &Goal, left: &Left) -> Self {
        let is_long = |id: &&u32| goal.operations()[**id as usize].size > left.eager;
        let unfinished = left.receives.iter().chain(left.sends.iter().filter(is_long));
        let mut seen = FxHashSet::default();
        let mut waits = Self { unstarted: Vec::new(), edges: Vec::new() };
        for &on in unfinished {
            waits.add(goal.after_finish(on), on, &mut seen);
        }
        let mut at = 0;
        while let Some(&on) = waits.unstarted.get(at) {
            waits.add(goal.after_finish(on), on, &mut seen);
            waits.add(goal.after_start(on), on, &mut seen);
            at += 1;
        }
        waits.unstarted.sort_unstable();
        waits
    }

    /// Adds `waiting`, which wait for `on`.
    fn add(&mut self, waiting: &[u32], on: u32, seen: &mut FxHashSet<u32>) {
        self.edges.extend(waiting.iter().map(|&id| (id, on)));
        self.unstarted.extend(waiting.iter().copied().filter(|&id| seen.insert(id)));
    }
}

/// By what sends and receives find each other: where the message is received, from where, and its tag.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
struct Name {
    rank: u32,
    source: u32,
    tag: u64,
}

impl Name {
    /// Of the send or receive `id`.
    fn new(goal: &Goal, id: u32) -> Self {
        let operation = &goal.operations()[id as usize];
        let own = goal.rank_of(id);
        let (rank, source) =
            if operation.action == Action::Send { (operation.peer, own) } else { (own, operation.peer) };
        Self { rank, source, tag: operation.tag }
    }

    fn is_wild(self) -> bool {
        self.source == ANY || self.tag == ANY_TAG
    }

    fn fits(self, other: Self) -> bool {
        self.rank == other.rank && fits(self.source, other.source, ANY) && fits(self.tag, other.tag, ANY_TAG)
    }
}

/// Operations that may match others, in order, each once.
struct Candidates<'a> {
    goal: &'a Goal,
    by_name: FxHashMap<Name, VecDeque<u32>>,
    /// By rank of the receiver: all, and those with wildcards.
    all: FxHashMap<u32, VecDeque<u32>>,
    wild: FxHashMap<u32, VecDeque<u32>>,
    taken: FxHashSet<u32>,
}

impl<'a> Candidates<'a> {
    /// Those of `ids` that are an `action`.
    fn new(goal: &'a Goal, action: Action, ids: &[u32]) -> Self {
        let mut candidates = Self {
            goal,
            by_name: FxHashMap::default(),
            all: FxHashMap::default(),
            wild: FxHashMap::default(),
            taken: FxHashSet::default(),
        };
        for &id in ids.iter().filter(|&&id| goal.operations()[id as usize].action == action) {
            let name = Name::new(goal, id);
            candidates.by_name.entry(name).or_default().push_back(id);
            candidates.all.entry(name.rank).or_default().push_back(id);
            if name.is_wild() {
                candidates.wild.entry(name.rank).or_default().push_back(id);
            }
        }
        candidates
    }

    /// The first that fits `id`, which no other takes any more.
    fn take(&mut self, id: u32) -> Option<u32> {
        let name = Name::new(self.goal, id);
        let Self { goal, by_name, all, wild, taken } = self;
        if let Some(same) = by_name.get_mut(&name).filter(|_| !name.is_wild()) {
            while let Some(first) = same.pop_front() {
                if taken.insert(first) {
                    return Some(first);
                }
            }
        }
        let list = if name.is_wild() { all } else { wild }.get_mut(&name.rank)?;
        // mostly the first fits: those before it are gone for good
        while list.front().is_some_and(|first| taken.contains(first)) {
            list.pop_front();
        }
        let fits = |other: u32| !taken.contains(&other) && Name::new(goal, other).fits(name);
        let found = list.iter().copied().find(|&other| fits(other))?;
        taken.insert(found);
        Some(found)
    }
}

/// A cycle for each group of operations that wait for each other: each waits for the next.
pub(super) fn cycles(goal: &Goal, edges: &[(u32, u32)]) -> Vec<Vec<u32>> {
    let groups = DependencyGraph::from_iter(edges.iter().copied()).groups();
    let numbered = groups.iter().enumerate().flat_map(|(number, group)| group.iter().map(move |&id| (id, number)));
    let group_of: FxHashMap<u32, usize> = numbered.collect();
    let mut inner: Vec<Vec<(u32, u32)>> = vec![Vec::new(); groups.len()];
    for &(id, on) in edges {
        if let (Some(group), true) = (group_of.get(&id), group_of.get(&id) == group_of.get(&on)) {
            inner[*group].push((id, on));
        }
    }
    // a cycle is told from a receive on, if it has one, of the lowest rank
    let told_from = |&(id, on): &(u32, u32)| (goal.operations()[id as usize].action != Action::Receive, id, on);
    let cycle = |mut edges: Vec<(u32, u32)>| {
        edges.sort_unstable_by_key(told_from);
        DependencyGraph::from_iter(edges).shortest_cycle()
    };
    inner.into_iter().filter_map(cycle).collect()
}

/// That the operations of `cycle` wait for each other, each for the next.
pub(super) fn wait_in_cycle(goal: &Goal, cycle: &[u32]) -> GoalFault {
    if let [alone] = *cycle {
        return GoalFault::of_one(goal, alone, "waits for itself");
    }
    let mut seen = FxHashSet::default();
    let ranks: Vec<u32> = cycle.iter().map(|&id| goal.rank_of(id)).filter(|&rank| seen.insert(rank)).collect();
    let noun = goal.noun();
    let who = match ranks.as_slice() {
        [rank] => format!("{} operations of {noun} {rank} wait", cycle.len()),
        [one, other] => format!("{noun}s {one} and {other} wait"),
        ranks if ranks.len() <= LISTED => {
            let (last, others) = ranks.split_last().unwrap_or((&0, &[]));
            let others: Vec<String> = others.iter().map(ToString::to_string).collect();
            format!("{noun}s {} and {last} wait", others.join(", "))
        }
        ranks => format!("{} {noun}s wait", ranks.len()),
    };
    let next = cycle.iter().cycle().skip(1);
    let concerned = |(&id, &on): (&u32, &u32)| Concerned::new(goal, id, role(goal, id, on));
    let operations: Vec<Concerned> = cycle.iter().zip(next).take(LISTED).map(concerned).collect();
    let more = if cycle.len() > LISTED { format!(", of which the first {LISTED} are listed") } else { String::new() };
    let message = format!("{who} for each other in a cycle of {} operations{more}", cycle.len());
    GoalFault { message, operations, hint: Some(advice(goal, cycle)) }
}

/// True if `id` and `on`, which it waits for, are a message and its receive, and no dependency joins them.
fn is_match(goal: &Goal, id: u32, on: u32) -> bool {
    if goal.after_finish(on).contains(&id) || goal.after_start(on).contains(&id) {
        return false;
    }
    let [own, other] = [id, on].map(|id| goal.operations()[id as usize].action);
    own != other && own != Action::Compute && other != Action::Compute && Name::new(goal, id).fits(Name::new(goal, on))
}

/// For what `id` waits, which is `on`.
fn role(goal: &Goal, id: u32, on: u32) -> String {
    let noun = goal.noun();
    let (own, other) = (goal.rank_of(id), goal.rank_of(on));
    let position = goal.position(on);
    let verb = if goal.operations()[id as usize].action == Action::Receive { "send" } else { "receive" };
    match () {
        () if own != other => format!("{noun} {own} waits here for {noun} {other} to {verb} ({position})"),
        () if is_match(goal, id, on) => format!("{noun} {own} waits here for itself to {verb} ({position})"),
        () => format!("waits for {position}"),
    }
}

/// The stay of a cycle at one rank: other ranks wait for `entry`, which waits for `exit`, in which the rank waits for others.
struct Stay {
    entry: u32,
    exit: u32,
}

/// The stays of `cycle` at its ranks.
fn stays(goal: &Goal, cycle: &[u32]) -> Vec<Stay> {
    let is_crossing = |at: usize| is_match(goal, cycle[at], cycle[(at + 1) % cycle.len()]);
    let Some(start) = (0..cycle.len()).rev().find(|&at| is_crossing(at)) else { return Vec::new() };
    let mut stays = Vec::new();
    let mut entry = start + 1;
    for at in start + 1..=start + cycle.len() {
        if is_crossing(at % cycle.len()) {
            stays.push(Stay { entry: cycle[entry % cycle.len()], exit: cycle[at % cycle.len()] });
            entry = at + 1;
        }
    }
    stays
}

/// The change that ends the wait of `cycle`: at one of its ranks, the operation that others wait for comes first.
fn advice(goal: &Goal, cycle: &[u32]) -> String {
    let stays = stays(goal, cycle);
    // a change of order between a send and a receive is more often possible than one among receives
    let differs = |stay: &&Stay| action(goal, stay.entry) != action(goal, stay.exit);
    let Some(&Stay { entry, exit }) = stays.iter().find(differs).or(stays.first()) else {
        return "remove one of these dependencies".to_owned();
    };
    let (order, reason) = match (action(goal, entry), action(goal, exit)) {
        (Action::Send, Action::Receive) => ("send before it receives", ""),
        (Action::Receive, Action::Send) => {
            ("receive before it sends", " (a message longer than `S` of the model waits for its receive)")
        }
        (Action::Receive, _) => ("receive in another order", ""),
        (_, _) => ("send in another order", ""),
    };
    let (noun, rank) = (goal.noun(), goal.rank_of(entry));
    let [first, then] = [entry, exit].map(|id| goal.position(id));
    let which = match stays.len() {
        1 => format!("let {noun} {rank} {order}"),
        _ => format!("let one of these {noun}s {order}, such as {noun} {rank}"),
    };
    format!("{which}: move {first} before {then}{reason}")
}

/// The action of operation `id`.
fn action(goal: &Goal, id: u32) -> Action {
    goal.operations()[id as usize].action
}

/// That the receive or send `id` finds no match; `unreceived` are all sends that find none.
fn without_match(goal: &Goal, id: u32, unreceived: &[u32]) -> GoalFault {
    let operation = &goal.operations()[id as usize];
    if operation.action == Action::Send {
        return GoalFault::of_one(
            goal,
            id,
            format!("{} {} has no receive that matches this message", goal.noun(), operation.peer),
        );
    }
    let from = match operation.peer {
        ANY => "no message is left for this receive".to_owned(),
        peer => format!("{} {peer} has no send that matches this receive", goal.noun()),
    };
    let name = Name::new(goal, id);
    let beside = |other: &&u32| Name { tag: name.tag, ..Name::new(goal, **other) }.fits(name);
    let near = unreceived.iter().take(LISTED).find(beside);
    let near = near.map(|&other| match goal.line(other) {
        Some(line) => {
            format!("; a message with tag {} in line {line} is not received", goal.operations()[other as usize].tag)
        }
        None => format!("; a message with tag {} is not received", goal.operations()[other as usize].tag),
    });
    GoalFault::of_one(goal, id, from + &near.unwrap_or_default())
}

/// The number of bytes with its noun.
fn in_bytes(bytes: u64) -> String {
    if bytes == 1 { "1 byte".to_owned() } else { format!("{bytes} bytes") }
}

/// That the message of `send` is longer than `receive`, which takes it.
pub(crate) fn truncated(goal: &Goal, receive: u32, send: u32) -> GoalFault {
    let [room, bytes] = [receive, send].map(|id| goal.operations()[id as usize].size);
    let operations = vec![
        Concerned::new(goal, receive, format!("accepts {}", in_bytes(room))),
        Concerned::new(goal, send, format!("sends {}", in_bytes(bytes))),
    ];
    let message = format!("a message of {} matches a receive of {}", in_bytes(bytes), in_bytes(room));
    GoalFault { message, operations, hint: Some("make the receive at least as long as the message".to_owned()) }
}
