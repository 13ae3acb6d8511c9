//! Broadcast over a grid by trees planned from forecasts, executed under what links really cost.
//!
//! A node that has the message sends to its children, those of the first tree first, one at a time. It may find that a
//! child
//!
//! - has the message: the child refuses at once, at no cost (unless told to take it all the same);
//! - receives nothing: it receives;
//! - receives from another: a contest, decided by a [`Contest`]. By default the child compares what is left of the one
//!   with all of the other, which takes `alpha` and interrupts both: the one that would end later is cut and what it sent is
//!   lost.
//!
//! Links and nodes may fail ([`Faults`]). No node is told: a sender that has patience gives up after a multiple of what
//! was forecast and turns to its next child, and a receiver to which nothing comes through any more takes the first
//! sender that turns to it, at once.
//!
//! Events happen in the order of time; at the same time receipts before attempts to send, and by node. With `alpha = 0` and
//! the default contest no node has the message later than it would with the first tree alone.
//!
//! *Source.* Two-tree paper, section 4, which leaves the rules open. This module knows costs and trees, and refuses to
//! know forecasts.

pub mod faults;

use crate::cancel::Pace;
use crate::events::{EventQueue, Kind, QueuedEvent, RingQueue};
use crate::schedule::Schedule;
use crate::topology::CostMatrix;
use crate::units::{MessageId, NodeId, Ticks};
use faults::{Faults, NO_FAULTS, times};
use serde::Serialize;
use std::ops::Range;

/// What happens when two nodes send to one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Contest {
    /// What is left of the first transfer is compared with all of the second; who is kept pauses for `alpha`.
    #[default]
    Remain,
    /// The links are compared, whatever has been sent.
    Rate,
    /// As `Remain`, but who is kept does not pause.
    KeepFree,
    /// None is cut: both send to their ends.
    Parallel,
}

/// How trees are executed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Rules {
    /// What a contest costs.
    pub alpha: Ticks,
    /// How it is decided.
    pub contest: Contest,
    /// Whether a node that has the message refuses it, at no cost.
    pub refuse: bool,
}

impl Default for Rules {
    fn default() -> Self {
        Self { alpha: Ticks::ZERO, contest: Contest::default(), refuse: true }
    }
}

/// Something that happened, for those who watch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Happening {
    /// A transfer starts.
    Start,
    /// The receiver has the message.
    Done,
    /// The receiver has it already.
    Refused,
    /// The receiver takes the sender instead of this node.
    Switch(NodeId),
    /// The receiver keeps this node instead of the sender.
    Keep(NodeId),
    /// The sender gives up.
    GaveUp,
}

impl Happening {
    /// A word for it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Start => "start",
            Self::Done => "done",
            Self::Refused => "refused",
            Self::Switch(_) => "switch",
            Self::Keep(_) => "keep",
            Self::GaveUp => "gave-up",
        }
    }
}

/// Watches a broadcast: told when, what, and between which sender and receiver.
pub trait Watch {
    /// Something happens.
    fn happens(&mut self, at: Ticks, what: Happening, src: NodeId, dst: NodeId);
}

impl Watch for () {
    fn happens(&mut self, _: Ticks, _: Happening, _: NodeId, _: NodeId) {}
}

impl Watch for Vec<(Ticks, Happening, NodeId, NodeId)> {
    fn happens(&mut self, at: Ticks, what: Happening, src: NodeId, dst: NodeId) {
        self.push((at, what, src, dst));
    }
}

/// Who had the message when, and from whom.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Spread {
    /// Per node: when it had the message; none if never.
    pub informed: Vec<Option<Ticks>>,
    /// Per node: who sent it; none for the root.
    pub parent: Vec<Option<NodeId>>,
    /// When the last of those who ever had it did.
    pub completion: Ticks,
}

/// How long a sender waits for the end of a transfer.
#[derive(Clone, Copy, Debug)]
pub struct Patience<'a> {
    /// What the sender was told that it takes.
    pub forecast: &'a CostMatrix,
    /// It gives up after so many times that.
    pub factor: f64,
}

/// A broadcast along trees, to be executed: the trees, what links really cost, and what goes wrong.
///
/// ```
/// use flitwise::engine::grid::TreeBroadcast;
/// use flitwise::schedule::Schedule;
/// use flitwise::topology::CostMatrix;
/// use flitwise::units::{Flits, NodeId, Ticks};
///
/// // node 0 sends to node 1, which sends to node 2, and then to node 2 itself
/// let costs = CostMatrix::new(3, vec![0, 10, 40, 10, 0, 20, 40, 20, 0])?;
/// let tree = |sends: &[(NodeId, NodeId)]| Schedule::new(3, NodeId(0), Flits(1), sends);
/// let chain = tree(&[(NodeId(0), NodeId(1)), (NodeId(1), NodeId(2))]);
/// let star = tree(&[(NodeId(0), NodeId(2))]);
/// let spread = TreeBroadcast::new(&costs, &[chain, star]).run(&mut ());
/// assert_eq!(spread.completion, Ticks(30), "node 2 keeps the sender that is done first");
/// # Ok::<(), flitwise::topology::CostError>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct TreeBroadcast<'a> {
    costs: &'a CostMatrix,
    trees: &'a [Schedule],
    rules: Rules,
    faults: &'a Faults,
    patience: Option<Patience<'a>>,
}

impl<'a> TreeBroadcast<'a> {
    /// `trees`, all from the source of the first, under `costs`, by the default rules: nothing fails, and senders never
    /// give up. How long messages are is in the costs; the flits of the trees are not read.
    pub fn new(costs: &'a CostMatrix, trees: &'a [Schedule]) -> Self {
        Self { costs, trees, rules: Rules::default(), faults: &NO_FAULTS, patience: None }
    }

    /// By other rules.
    #[must_use]
    pub fn rules(self, rules: Rules) -> Self {
        Self { rules, ..self }
    }

    /// With links and nodes that fail.
    #[must_use]
    pub fn faults(self, faults: &'a Faults) -> Self {
        Self { faults, ..self }
    }

    /// With senders that give up.
    #[must_use]
    pub fn patience(self, patience: impl Into<Option<Patience<'a>>>) -> Self {
        Self { patience: patience.into(), ..self }
    }

    /// Executes it. O(sends log sends) time.
    ///
    /// # Panics
    /// If there is no tree, or one is for another number of nodes than the grid has.
    pub fn run<W: Watch>(self, watch: &mut W) -> Spread {
        let root = self.trees[0].source();
        let mut run = Run::new(self, watch);
        run.informed[root.index()] = Some(Ticks::ZERO);
        run.attempt(root, Ticks::ZERO);
        let mut pace = Pace::default();
        while let Some(event) = run.queue.pop() {
            pace.step();
            let node = NodeId(event.number);
            match event.kind {
                Kind::Deliver => run.complete(node, event.time),
                Kind::Timer => run.give_up(node, event.time),
                _ => run.attempt(node, event.time),
            }
        }
        // the root is informed from the start
        let completion = run.informed.iter().copied().flatten().fold(Ticks::ZERO, Ticks::max);
        Spread { informed: run.informed, parent: run.parent, completion }
    }
}

/// A transfer that a node receives.
#[derive(Clone, Copy)]
struct Transfer {
    src: NodeId,
    /// None if it never ends.
    end: Option<Ticks>,
}

/// Of every node the children that it has not tried, those in the first tree first.
struct Children {
    /// Node by node.
    in_turn: Vec<NodeId>,
    /// Per node: where its next child is, and where its children end.
    left: Vec<Range<usize>>,
}

impl Children {
    fn new(nodes: usize, trees: &[Schedule]) -> Self {
        let mut in_turn = Vec::with_capacity(trees.iter().map(Schedule::len).sum());
        let mut left = Vec::with_capacity(nodes);
        for node in (0..nodes).map(NodeId::new) {
            let first = in_turn.len();
            for tree in trees {
                in_turn.extend(tree.sends(node).map(|id| tree.message(MessageId(id)).dst));
            }
            left.push(first..in_turn.len());
        }
        Self { in_turn, left }
    }

    fn next(&mut self, node: NodeId) -> Option<NodeId> {
        self.left[node.index()].next().map(|at| self.in_turn[at])
    }
}

struct Run<'a, W> {
    plan: TreeBroadcast<'a>,
    watch: &'a mut W,
    queue: RingQueue,
    children: Children,
    informed: Vec<Option<Ticks>>,
    parent: Vec<Option<NodeId>>,
    /// Per node: the transfer under way that ends first.
    receiving: Vec<Option<Transfer>>,
    /// Per node with patience: to whom it sends, and when it gives up.
    sending: Vec<Option<(NodeId, Ticks)>>,
}

impl<'a, W: Watch> Run<'a, W> {
    fn new(plan: TreeBroadcast<'a>, watch: &'a mut W) -> Self {
        let nodes = plan.costs.nodes();
        Self {
            plan,
            watch,
            queue: RingQueue::default(),
            children: Children::new(nodes, plan.trees),
            informed: vec![None; nodes],
            parent: vec![None; nodes],
            receiving: vec![None; nodes],
            sending: vec![None; nodes],
        }
    }

    fn at(&mut self, time: Ticks, kind: Kind, node: NodeId) {
        self.queue.push(QueuedEvent { time, kind, number: node.0 });
    }

    /// Node `src` turns to its next child.
    fn attempt(&mut self, src: NodeId, now: Ticks) {
        self.sending[src.index()] = None;
        if self.plan.faults.died(src, now) {
            return;
        }
        while let Some(dst) = self.children.next(src) {
            match (self.informed[dst.index()], self.receiving[dst.index()]) {
                (Some(_), _) if self.plan.rules.refuse => self.watch.happens(now, Happening::Refused, src, dst),
                (Some(_), _) => return self.at(now + self.plan.costs.cost(src, dst), Kind::Request, src),
                (None, None) => {
                    self.watch.happens(now, Happening::Start, src, dst);
                    return self.transfer(src, dst, now);
                }
                // nothing has come through from the other, so there is nothing to compare
                (None, Some(other)) if self.plan.faults.dead(other.src, dst, now) => {
                    self.watch.happens(now, Happening::Switch(other.src), src, dst);
                    return self.transfer(src, dst, now);
                }
                (None, Some(other)) => return self.contend(src, dst, other, now),
            }
        }
    }

    /// A transfer from `src` to `dst` starts at `start` and is the one that `dst` waits for.
    fn transfer(&mut self, src: NodeId, dst: NodeId, start: Ticks) {
        let end = self.plan.faults.end(self.plan.costs, src, dst, start);
        self.receiving[dst.index()] = Some(Transfer { src, end });
        self.occupy(src, dst, start, end);
        if let Some(end) = end {
            self.at(end, Kind::Deliver, dst);
        }
    }

    /// Node `src` sends to `dst` from `start` on; the transfer ends at `end` unless it is put off or cut.
    fn occupy(&mut self, src: NodeId, dst: NodeId, start: Ticks, end: Option<Ticks>) {
        if let Some(Patience { forecast, factor }) = self.plan.patience {
            let limit = start + times(forecast.cost(src, dst), factor);
            self.sending[src.index()] = Some((dst, limit));
            self.at(limit, Kind::Timer, src);
        }
        if let Some(end) = end.filter(|_| self.plan.rules.contest == Contest::Parallel) {
            self.at(end, Kind::Request, src);
        }
    }

    /// Node `src` has waited as long as it will, unless what it waited for has ended, has been cut, or is another.
    fn give_up(&mut self, src: NodeId, now: Ticks) {
        let Some((dst, _)) = self.sending[src.index()].take_if(|(_, limit)| *limit == now) else {
            return;
        };
        self.watch.happens(now, Happening::GaveUp, src, dst);
        self.receiving[dst.index()].take_if(|transfer| transfer.src == src);
        self.attempt(src, now);
    }

    /// Node `src` turns to node `dst`, which receives `other`.
    fn contend(&mut self, src: NodeId, dst: NodeId, other: Transfer, now: Ticks) {
        let later = now + self.plan.rules.alpha;
        let cost = self.plan.faults.end(self.plan.costs, src, dst, now).map(|end| end - now);
        let less = |a: Option<Ticks>, b: Option<Ticks>| a.is_some_and(|a| b.is_none_or(|b| a < b));
        let better = match self.plan.rules.contest {
            Contest::Remain | Contest::KeepFree => less(cost, other.end.map(|end| end - now)),
            Contest::Rate => less(cost, Some(self.plan.costs.cost(other.src, dst))),
            Contest::Parallel => return self.join(src, dst, other, now),
        };
        if better {
            self.watch.happens(now, Happening::Switch(other.src), src, dst);
            self.sending[other.src.index()] = None;
            self.transfer(src, dst, later);
            return self.at(later, Kind::Request, other.src);
        }
        self.watch.happens(now, Happening::Keep(other.src), src, dst);
        if let Some(end) = other.end.filter(|_| self.plan.rules.contest != Contest::KeepFree) {
            let end = self.plan.faults.end_after(other.src, dst, now..later, end);
            self.receiving[dst.index()] = Some(Transfer { end, ..other });
            if let Some(end) = end {
                self.at(end, Kind::Deliver, dst);
            }
        }
        self.at(later, Kind::Request, src);
    }

    /// Node `src` sends to `dst` beside `other`, from `now` on; the message is there when the first of the two ends.
    fn join(&mut self, src: NodeId, dst: NodeId, other: Transfer, now: Ticks) {
        let end = self.plan.faults.end(self.plan.costs, src, dst, now);
        if let Some(end) = end.filter(|end| other.end.is_none_or(|other| *end < other)) {
            self.receiving[dst.index()] = Some(Transfer { src, end: Some(end) });
            self.at(end, Kind::Deliver, dst);
        }
        self.occupy(src, dst, now, end);
    }

    /// The transfer that `dst` waits for ends, unless it has been put off or cut since.
    fn complete(&mut self, dst: NodeId, now: Ticks) {
        let Some(Transfer { src, .. }) = self.receiving[dst.index()].take_if(|transfer| transfer.end == Some(now))
        else {
            return;
        };
        self.sending[src.index()] = None;
        self.watch.happens(now, Happening::Done, src, dst);
        (self.informed[dst.index()], self.parent[dst.index()]) = (Some(now), Some(src));
        if self.plan.rules.contest != Contest::Parallel {
            self.at(now, Kind::Request, src);
        }
        self.at(now, Kind::Request, dst);
    }
}
