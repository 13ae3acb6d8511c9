//! The operations of a trace.
//!
//! A call has its operations, and a computation that lasts from the end of the last call to its start. The computation requires that
//! call, and the operations require the computation:
//!
//! ```text
//!   MPI_Send         MPI_Irecv        MPI_Allreduce              MPI_Finalize
//!   calc <-- send <-- calc <-- recv <-. calc <-- messages <-- calc 0 <-- calc       <-- requires    <-. requires its start
//! ```

use super::expand::{Edges, Participant};
use crate::schedule::collective::Operation as Task;
use crate::schedule::goal::{ANY, GoalBuilder, Names, Operation};
use crate::schedule::mpi::{
    CallAction, CallName, CollectiveCall, CommunicatorGroup, Message, MpiCollective, MpiTrace, RankTrace, Return,
    SkippedCalls,
};
use crate::units::{narrow, saturated};
use crate::workload::application::Program;
use crate::workload::application::groups::{
    ALLGATHER, ALLREDUCE, BARRIER, BROADCAST, Call, Choices, Collectives, FIRST_TAG, Instance, Member, REDUCE,
};
use std::sync::Arc;

/// The program of a trace.
#[derive(Debug)]
pub(super) struct Loaded {
    pub(super) program: Arc<Program>,
    pub(super) skipped: SkippedCalls,
    /// Per operation its call, except for computations between calls.
    calls: Vec<Option<CallName>>,
}

impl Loaded {
    /// The names of the operations.
    pub(super) fn names(&self) -> Names {
        let mut names = Names::default();
        for (id, call) in (0..).zip(&self.calls) {
            call.iter().for_each(|call| names.set(id, call.as_str()));
        }
        names
    }
}

/// The algorithms of collectives that replace those of Schedgen.
pub(super) struct Selected<'a> {
    pub(super) choices: &'a Choices,
    pub(super) collectives: Collectives<'a>,
}

/// The most operations of `trace` with `copies` copies of its ranks.
pub(super) fn most_operations(trace: &MpiTrace, copies: u64) -> u128 {
    let of_call = |rank: &RankTrace, action: &CallAction| match action {
        CallAction::Collective(call, _) => {
            let group = &trace.groups[rank.members[usize::from(call.communicator)].group as usize];
            let copies = if group.ranks.len() == trace.ranks.len() { copies } else { 1 };
            6 * group.ranks.len() as u128 * u128::from(copies) + 2
        }
        _ => 3,
    };
    let all = trace.ranks.iter().flat_map(|rank| rank.calls.iter().map(move |call| of_call(rank, &call.action)));
    all.sum::<u128>().saturating_mul(copies.into())
}

/// Creates the program of `trace` with `copies` copies of its ranks.
pub(super) fn load(trace: &MpiTrace, copies: u64, selected: Option<Selected<'_>>) -> Loaded {
    let count = trace.ranks.len();
    let shifted = |ranks: &[u32], copy: u64| {
        let shift = |&rank| narrow::<u32, u64>(u64::from(rank) + copy * count as u64, "ranks have 32 bits");
        ranks.iter().map(shift).collect::<Vec<u32>>()
    };
    // messages stay within a copy, but collectives of all ranks extend over all copies
    let extended = |group: &CommunicatorGroup| -> Option<Arc<[u32]>> {
        (group.ranks.len() == count).then(|| (0..copies).flat_map(|copy| shifted(&group.ranks, copy)).collect())
    };
    let extended: Vec<_> = trace.groups.iter().map(extended).collect();
    let scheduled = vec![Vec::new(); trace.groups.len()];
    let (goal, calls) = (GoalBuilder::default(), Vec::new());
    let mut program = ProgramBuilder { goal, calls, selected, scheduled, tag: FIRST_TAG };
    for copy in 0..copies {
        let group = |(group, extended): (_, &Option<Arc<[u32]>>)| match extended {
            Some(ranks) => Group { traced: group, ranks: Arc::clone(ranks), first: saturated(copy) * count },
            None => Group { traced: group, ranks: shifted(&group.ranks, copy).into(), first: 0 },
        };
        let groups: Vec<Group<'_>> = trace.groups.iter().zip(&extended).map(group).collect();
        for rank in &trace.ranks {
            program.goal.next_rank();
            let (requests, collectives, edges) = (Vec::new(), vec![0; rank.members.len()], Edges::default());
            RankWork { rank, groups: &groups, program: &mut program, requests, collectives, edges }.add_all();
        }
    }
    let ProgramBuilder { goal, calls, .. } = program;
    let mut skipped = trace.skipped.clone();
    skipped.counts.values_mut().for_each(|count| *count *= copies);
    skipped.ticks = skipped.ticks.saturating_mul(copies);
    Loaded { program: Arc::new(Program::new(goal.finish())), skipped, calls }
}

/// The ranks of a communicator in the program.
struct Group<'a> {
    /// The group in the trace.
    traced: &'a CommunicatorGroup,
    ranks: Arc<[u32]>,
    /// The index of the first rank of this copy.
    first: usize,
}

/// A collective by a selected algorithm, the same for all members of a group.
#[derive(Clone)]
enum Scheduled {
    Instance(Instance),
    /// An all-to-all, with its tag.
    Exchange(u64),
}

/// A program to which ranks are added.
struct ProgramBuilder<'a> {
    goal: GoalBuilder,
    calls: Vec<Option<CallName>>,
    selected: Option<Selected<'a>>,
    /// The collectives of each group by selected algorithms.
    scheduled: Vec<Vec<Scheduled>>,
    /// The next tag of these.
    tag: u64,
}

/// The calls of a rank.
struct RankWork<'a, 'p> {
    rank: &'a RankTrace,
    groups: &'a [Group<'a>],
    program: &'a mut ProgramBuilder<'p>,
    /// The operations of requests.
    requests: Vec<u32>,
    /// The number of collectives in each communicator so far.
    collectives: Vec<u64>,
    /// The operations of the current call that wait for its computation, and those for which the next computation waits.
    edges: Edges,
}

impl<'a> RankWork<'a, '_> {
    fn add_all(&mut self) {
        let mut previous = Vec::new();
        let mut returned = Return::AtEnd;
        for call in &self.rank.calls {
            let returns = self.add(&call.action);
            let ProgramBuilder { goal, calls, .. } = &mut *self.program;
            calls.resize(goal.next() as usize, Some(call.name));
            let computation = goal.push(Operation::compute(call.compute));
            calls.push(None);
            self.edges.first.drain(..).for_each(|operation| goal.requires(operation, computation));
            for operation in previous.drain(..) {
                match returned {
                    Return::AtEnd => goal.requires(computation, operation),
                    Return::AtOnce => goal.irequires(computation, operation),
                }
            }
            std::mem::swap(&mut previous, &mut self.edges.last);
            returned = returns;
        }
    }

    /// Adds the operations of a call. Returns the moment at which the next computation begins.
    fn add(&mut self, action: &CallAction) -> Return {
        match action {
            CallAction::Messages(sent, received, returns) => {
                sent.iter().for_each(|message| self.add_message(message, *returns, Operation::send));
                received.iter().for_each(|message| self.add_message(message, *returns, Operation::receive));
                return *returns;
            }
            CallAction::Wait(waits) => {
                let waits = &self.rank.waits[waits.start as usize..waits.end as usize];
                self.edges.last = waits.iter().map(|&request| self.requests[request as usize]).collect();
                let join = self.add_join();
                self.edges.first.push(join);
            }
            CallAction::Collective(call, returns) => {
                match self.program.selected {
                    Some(_) => self.add_selected(call),
                    None => self.add_expanded(call),
                }
                self.collectives[usize::from(call.communicator)] += 1;
                let is_empty = self.edges.last.is_empty();
                let join = self.add_join();
                if is_empty {
                    self.edges.first.push(join);
                }
                if *returns == Return::AtOnce {
                    self.requests.push(join);
                }
            }
            CallAction::Finalize => {}
        }
        Return::AtEnd
    }

    fn add_message(&mut self, message: &Message, returns: Return, create: fn(u64, u32, u64) -> Operation) {
        let (_, group, _) = self.group(message.communicator);
        let peer = if message.peer == ANY { ANY } else { group.ranks[group.first + message.peer as usize] };
        let operation = self.program.goal.push(create(message.bytes, peer, message.tag));
        if returns == Return::AtOnce {
            self.requests.push(operation);
        }
        self.edges.first.push(operation);
        self.edges.last.push(operation);
    }

    /// Adds a computation of no ticks that requires the last operations, and takes their place.
    fn add_join(&mut self) -> u32 {
        let goal = &mut self.program.goal;
        let join = goal.push(Operation::compute(0));
        self.edges.last.drain(..).for_each(|operation| goal.requires(join, operation));
        self.edges.last.push(join);
        join
    }

    /// The number of the group of a communicator, the group, and the own index in it.
    fn group(&self, communicator: u8) -> (usize, &'a Group<'a>, usize) {
        let member = self.rank.members[usize::from(communicator)];
        let group = &self.groups[member.group as usize];
        (member.group as usize, group, group.first + member.rank as usize)
    }

    /// Adds the operations of Schedgen for a collective.
    fn add_expanded(&mut self, call: &CollectiveCall) {
        let (_, group, index) = self.group(call.communicator);
        let CollectiveCall { operation, root, .. } = *call;
        let tag = group.traced.collective_tag(self.collectives[usize::from(call.communicator)]);
        let participant = Participant { group: &group.ranks, index, operation, root: root as usize, tag };
        let bytes = |partner, is_sent| {
            let bytes = bytes(self.rank, call, group, (partner, is_sent));
            (bytes > 0 || operation != MpiCollective::Alltoallv).then_some(bytes)
        };
        participant.add(&mut self.program.goal, bytes, &mut self.edges);
    }

    /// Adds the operations of a selected algorithm for a collective.
    fn add_selected(&mut self, call: &CollectiveCall) {
        let (number, group, index) = self.group(call.communicator);
        let ranks = group.ranks.len();
        let Some(scheduled) = self.scheduled(call, number, ranks) else { return };
        let block = |from: usize, to: usize| {
            let is_sent = from == index;
            bytes(self.rank, call, group, (if is_sent { to } else { from }, is_sent))
        };
        let blocks =
            (0..ranks).filter(|&other| other != index).flat_map(|other| [block(index, other), block(other, index)]);
        let operations = match &scheduled {
            Scheduled::Instance(instance) => instance.operations(index),
            Scheduled::Exchange(_) => blocks.filter(|&bytes| bytes > 0).count(),
        };
        let ProgramBuilder { goal, selected, .. } = &mut *self.program;
        // the computation that the collective waits for follows its operations and the join
        let computation = goal.next() + narrow::<u32, usize>(operations, "operations have 32 bits") + 1;
        let member = Member { group: &group.ranks, index, cpu: 0, after: &[computation] };
        self.edges.last = match (scheduled, selected) {
            (Scheduled::Instance(instance), _) => member.add(goal, &instance),
            (Scheduled::Exchange(tag), Some(selected)) => {
                let size = (0..ranks).map(|to| block(index, to)).fold(0, u64::saturating_add);
                member.all_to_all(goal, selected.choices.all_to_all(size), tag, block)
            }
            (Scheduled::Exchange(_), None) => Vec::new(),
        };
    }

    /// The collective `call` in group number `number` of `ranks` ranks, which its first member schedules. `None` without selected
    /// algorithms.
    fn scheduled(&mut self, call: &CollectiveCall, number: usize, ranks: usize) -> Option<Scheduled> {
        let ProgramBuilder { selected, scheduled, tag, .. } = &mut *self.program;
        let known = &mut scheduled[number];
        let index = saturated(self.collectives[usize::from(call.communicator)]);
        if let Some(scheduled) = known.get(index) {
            return Some(scheduled.clone());
        }
        let size = call.bytes;
        let task = match call.operation {
            MpiCollective::Barrier => Some((Task::Barrier, &BARRIER, size)),
            MpiCollective::Broadcast => Some((Task::Broadcast, &BROADCAST, size)),
            MpiCollective::Reduce => Some((Task::Reduce, &REDUCE, size)),
            MpiCollective::Allreduce => Some((Task::Allreduce, &ALLREDUCE, size)),
            MpiCollective::Allgather => Some((Task::Allgather, &ALLGATHER, size.saturating_mul(ranks as u64))),
            MpiCollective::Alltoall | MpiCollective::Alltoallv => None,
        };
        let new = match task {
            Some((task, key, bytes)) => {
                let call = Call { task, key, ranks, root: call.root as usize, bytes, size };
                Scheduled::Instance(selected.as_mut()?.collectives.instance(call, tag))
            }
            None => {
                *tag += 1;
                Scheduled::Exchange(*tag - 1)
            }
        };
        known.push(new.clone());
        Some(new)
    }
}

/// The bytes of a collective to a partner, or from it if they are not sent. Copies have the blocks of the first.
fn bytes(rank: &RankTrace, call: &CollectiveCall, group: &Group<'_>, (partner, is_sent): (usize, bool)) -> u64 {
    if call.operation != MpiCollective::Alltoallv {
        return call.bytes;
    }
    let ranks = group.traced.ranks.len();
    rank.blocks[call.blocks as usize + if is_sent { 0 } else { ranks } + partner % ranks]
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]
mod tests {
    use super::*;
    use crate::schedule::goal::Action;
    use crate::schedule::mpi::{ListedGroups, ReadRules, SimulatedCalls};

    const FILES: [&str; 2] = [
        "MPI_Init:-:1:2:100\nMPI_Irecv:101:1:10:1,4,4:1:5:0,0,2:8:102\nMPI_Wait:104:8:0:105\nMPI_Allreduce:106:1:2:3:1,4,4:3:0,0,2:\
         109\nMPI_Finalize:110:-\n",
        "MPI_Init:-:1:2:100\nMPI_Send:102:1:10:1,4,4:0:5:0,1,2:103\nMPI_Allreduce:106:1:2:3:1,4,4:3:0,1,2:109\nMPI_Finalize:110:-\n",
    ];

    fn loaded(copies: u64) -> Loaded {
        let groups = ListedGroups::new();
        let rules = ReadRules { calls: SimulatedCalls::All, ticks_per_us: 1, copies, groups: &groups };
        let trace = MpiTrace::read(&FILES, &rules).unwrap();
        let loaded = load(&trace, copies, None);
        assert!(loaded.program.goal.operations().len() as u128 <= most_operations(&trace, copies));
        loaded
    }

    #[test]
    fn operations_require_computations_and_these_the_last_call() {
        let loaded = loaded(1);
        let (goal, names) = (&loaded.program.goal, loaded.names());
        // recv, calc 1; join, calc 2; send, recv, join, calc 1; calc 1
        let sizes: Vec<u64> = goal.of_rank(0).map(|id| goal.operations()[id as usize].size).collect();
        assert_eq!(sizes, [40, 1, 0, 2, 12, 12, 0, 1, 1]);
        assert_eq!((goal.after_finish(1), goal.after_start(0), goal.after_finish(0)), (&[0][..], &[3][..], &[2][..]));
        assert_eq!((goal.after_finish(7), goal.after_finish(6)), (&[4, 5][..], &[8][..]));
        let named: Vec<&str> = goal.of_rank(0).map(|id| names.get(id)).collect();
        let all = ["MPI_Allreduce"; 3];
        assert_eq!(named, ["MPI_Irecv", "", "MPI_Wait", "", all[0], all[1], all[2], "", ""]);
    }

    #[test]
    fn messages_stay_within_a_copy_and_collectives_extend_over_all() {
        let loaded = loaded(2);
        let goal = &loaded.program.goal;
        let peers = |rank| {
            let operations = goal.of_rank(rank).map(|id| goal.operations()[id as usize]);
            operations.filter(|one| one.action != Action::Compute).map(|one| one.peer).collect::<Vec<u32>>()
        };
        assert_eq!(peers(2), [3, 3, 1, 0, 0]);
        assert_eq!(peers(3), [2, 0, 2, 1, 1]);
    }
}
