//! The operations of a trace.
//!
//! Processors of a rank: 0 computes for the CPU, 1 for the GPU, 2 communicates, and 3 joins the operations of a collective.

use super::collectives::{Exchange, Teams};
use super::groups::{Groups, Seat};
use super::links::{Links, Requirements};
use super::read::{Communication, Listed, MOST, Roofline, Settings, Traces};
use crate::cancel;
use crate::kind::words::counted;
use crate::schedule::chakra::{Collective, Message, Node, RankTrace, Work};
use crate::schedule::goal::{GoalBuilder, Names, Operation};
use crate::workload::application::Program;
use crate::workload::application::groups::Member;
use std::sync::Arc;

const CPU: u8 = 0;
const GPU: u8 = 1;
const NETWORK: u8 = 2;
const JOIN: u8 = 3;

/// The operations of a trace, and the number of its collectives.
#[derive(Clone, Debug)]
pub(super) struct Operations {
    pub(super) program: Arc<Program>,
    pub(super) collectives: usize,
}

/// A trace that has been checked, and its way to operations.
pub(super) struct Lowering<'a> {
    settings: &'a Settings,
    traces: &'a Traces,
    /// Per rank the dependencies of its nodes.
    links: Vec<Links>,
    groups: Groups,
    teams: Teams,
}

impl<'a> Lowering<'a> {
    /// Checks `traces`, whose groups `listed` and metadata nodes define.
    ///
    /// # Errors
    /// Returns the problems of dependencies, ranks, groups and collectives, or the first of them.
    pub(super) fn new(
        settings: &'a Settings,
        traces: &'a Traces,
        listed: Option<&Listed>,
    ) -> Result<Self, Vec<String>> {
        let mut errors = Vec::new();
        let files = traces.ranks.iter().zip(&traces.files);
        let links = files.map(|(trace, file)| Links::new(trace, settings.dependencies, file, &mut errors)).collect();
        let mut groups = Groups::default();
        let mut teams = Teams::new(&Traces::default(), &groups);
        if settings.communication == Communication::Simulated {
            check_peers(traces, &mut errors);
            groups = Groups::new(traces, listed, &mut errors);
            if errors.is_empty() {
                teams = Teams::new(traces, &groups);
                teams.compare(&groups, &mut errors);
            }
        }
        errors.truncate(MOST);
        if errors.is_empty() { Ok(Self { settings, traces, links, groups, teams }) } else { Err(errors) }
    }

    /// The most operations that [`Self::program`] makes.
    pub(super) fn most_operations(&self) -> u128 {
        2 * self.traces.nodes() as u128 + self.teams.most_operations(self.settings)
    }

    /// Makes the operations, and adds the names of their nodes to `names`.
    pub(super) fn program(&self, mut names: Option<&mut Names>) -> Operations {
        let exchanges = self.teams.exchanges(self.settings);
        let mut goal = GoalBuilder::default();
        for (rank, trace) in self.traces.ranks.iter().enumerate() {
            cancel::checkpoint();
            goal.next_rank();
            let seats = self.groups.seats.get(rank).map_or(&[][..], Vec::as_slice);
            let called = vec![(0, None); exchanges.len()];
            let mut work = RankWork { lowering: self, trace, seats, exchanges: &exchanges, goal: &mut goal, called };
            work.all(&self.links[rank], names.as_deref_mut());
        }
        Operations { program: Arc::new(Program::new(goal.finish())), collectives: self.teams.collectives() }
    }
}

/// Adds to `errors` the messages from or to ranks that do not exist.
fn check_peers(traces: &Traces, errors: &mut Vec<String>) {
    let ranks = traces.ranks.len() as u64;
    for (trace, file) in traces.ranks.iter().zip(&traces.files) {
        for node in &trace.nodes {
            let (message, verb, attribute) = match node.work {
                Work::Send(message) => (message, "sends to", "comm_dst"),
                Work::Receive(message) => (message, "receives from", "comm_src"),
                _ => continue,
            };
            let problem = match message.peer {
                Some(peer) if u64::from(peer) < ranks => continue,
                Some(peer) => format!("{verb} rank {peer}, but the trace has {}", counted(ranks, "rank")),
                None => format!("has no `{attribute}`"),
            };
            if errors.len() < MOST {
                errors.push(format!("`{file}`: node {} {problem}", node.id));
            }
        }
    }
}

/// The work of a rank while it becomes operations.
struct RankWork<'a> {
    lowering: &'a Lowering<'a>,
    trace: &'a RankTrace,
    seats: &'a [Seat],
    exchanges: &'a [Vec<Exchange>],
    goal: &'a mut GoalBuilder,
    /// Per team, the number of its collectives so far, and the last operation of the last one.
    called: Vec<(usize, Option<u32>)>,
}

impl RankWork<'_> {
    /// Adds the operations of all nodes of a rank with the dependencies `links`.
    fn all(&mut self, links: &Links, mut names: Option<&mut Names>) {
        let mut spans = Vec::with_capacity(self.trace.nodes.len());
        for node in &self.trace.nodes {
            let first = self.goal.next();
            self.node(node);
            let last = self.goal.next().saturating_sub(1);
            spans.push((first, last));
            if let Some(names) = names.as_deref_mut() {
                (first..self.goal.next()).for_each(|id| names.set(id, self.trace.name(node)));
            }
        }
        // after all operations, as a node can depend on one with a higher id, and as the next collective of a team comes before nodes
        // that depend on the last one
        let mut requirements = Requirements::new(self.trace, links);
        for (index, node) in self.trace.nodes.iter().enumerate() {
            if node.work != Work::Nothing {
                let (first, _) = spans[index];
                requirements.find(index).iter().for_each(|&on| self.goal.requires(first, spans[on as usize].1));
            }
        }
    }

    /// Adds the operations of `node`.
    fn node(&mut self, node: &Node) {
        let Settings { ticks_per_us, roofline, communication, .. } = self.lowering.settings;
        let recorded = node.duration.saturating_mul(*ticks_per_us);
        let compute = |ticks, cpu| Operation { cpu, ..Operation::compute(ticks) };
        let is_recorded = *communication == Communication::Recorded;
        let operation = match node.work {
            Work::Nothing => return,
            Work::Cpu | Work::Storage => compute(recorded, CPU),
            Work::Gpu => compute(recorded, GPU),
            Work::Kernel { operations, bytes } => {
                compute(roofline.map_or(recorded, |roofline| roofline.time(operations, bytes)), GPU)
            }
            Work::Send(_) | Work::Receive(_) | Work::Collective(_) | Work::UnknownCollective if is_recorded => {
                compute(recorded, NETWORK)
            }
            Work::UnknownCollective => compute(recorded, CPU),
            Work::Send(message) => send_or_receive(message, Operation::send),
            Work::Receive(message) => send_or_receive(message, Operation::receive),
            Work::Collective(collective) => return self.collective(collective),
        };
        self.goal.push(operation);
    }

    /// Adds `collective`: a join, the operations of the rank, and a join that requires them.
    fn collective(&mut self, collective: Collective) {
        let Seat { group, index } = self.seats[collective.group as usize];
        let team = self.lowering.teams.of_group(group);
        let (called, before) = self.called[team];
        let join = Operation { cpu: JOIN, ..Operation::compute(0) };
        let first = self.goal.push(join);
        before.iter().for_each(|&before| self.goal.requires(first, before));
        let member = Member { group: &self.lowering.groups.ranks[group], index, cpu: NETWORK, after: &[first] };
        let done = match &self.exchanges[team][called] {
            Exchange::Nothing => vec![first],
            Exchange::Collective(instance) => member.add(self.goal, instance),
            Exchange::AllToAll { algorithm, tag, block } => {
                member.all_to_all(self.goal, *algorithm, *tag, |_, _| *block)
            }
        };
        let last = self.goal.push(join);
        done.iter().for_each(|&done| self.goal.requires(last, done));
        self.called[team] = (called + 1, Some(last));
    }
}

/// The `operation` of a message, whose other end exists.
fn send_or_receive(message: Message, operation: fn(u64, u32, u64) -> Operation) -> Operation {
    Operation { cpu: NETWORK, ..operation(message.bytes, message.peer.unwrap_or(0), message.tag.into()) }
}

impl Roofline {
    /// The ticks of a computation, which is limited by its operations or by its bytes.
    fn time(self, operations: u64, bytes: u64) -> u64 {
        (operations / self.ops_per_tick).max(bytes / self.bytes_per_tick)
    }
}
