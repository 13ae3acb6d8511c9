//! Plans collectives: gathers messages step by step and brings them into the order of their numbers.

use super::segments::into_segments;
use super::{Action, Collective, Layout, Operation, Sent, Sets, cut};
use crate::units::{MessageId, narrow};
use std::ops::Range;

/// A set of positions, numbered by the planner that made it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SetId(pub(super) u32);

impl SetId {
    /// The number as an index.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// One transfer of a phase: what happens at the receiver is said when the phase is added to a schedule.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Move {
    /// Which part of the vector.
    pub part: usize,
    /// The rank that sends.
    pub src: usize,
    /// The rank that receives.
    pub dst: usize,
    /// What it sends.
    pub set: SetId,
}

/// Steps of moves.
///
/// A phase of copies without redundancy, steps reversed, sources and destinations swapped, does the opposite: an allgather
/// becomes a reduce-scatter, a broadcast a reduce, a scatter a gather.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Phase {
    /// The moves of each step; what happens at their receivers is not said yet.
    steps: Vec<Vec<Sent>>,
}

impl Phase {
    /// Adds a move to step `step`.
    pub fn send(&mut self, step: usize, transfer: Move) {
        if self.steps.len() <= step {
            self.steps.resize_with(step + 1, Vec::new);
        }
        self.steps[step].push(Sent::new(transfer, Action::Copy));
    }

    /// The number of steps.
    pub fn len(&self) -> usize {
        self.steps.len()
    }

    /// Whether there are no steps.
    pub fn is_empty(&self) -> bool {
        self.steps.is_empty()
    }

    /// The phase backwards.
    #[must_use]
    pub fn reversed(&self) -> Self {
        let back = |sent: &Sent| Sent { src: sent.dst, dst: sent.src, ..*sent };
        Self { steps: self.steps.iter().rev().map(|step| step.iter().map(back).collect()).collect() }
    }
}

impl Sent {
    fn new(transfer: Move, action: Action) -> Self {
        let Move { part, src, dst, set } = transfer;
        Self {
            src: narrow(src, "ranks are numbered with 32 bits"),
            dst: narrow(dst, "ranks are numbered with 32 bits"),
            part: narrow(part, "parts are numbered with 16 bits"),
            action,
            set,
        }
    }
}

/// A collective in the making.
#[derive(Clone, Debug)]
pub struct Planner {
    operation: Operation,
    ranks: usize,
    root: usize,
    layout: Layout,
    /// Per part and block the pieces that it has.
    blocks: Vec<Vec<Range<u32>>>,
    bounds: Vec<u64>,
    sets: Sets,
    steps: Vec<Vec<Sent>>,
}

impl Planner {
    /// Nothing sent yet, of an operation among `ranks` ranks on a vector that is cut as `layout` says.
    ///
    /// # Panics
    /// If there are no ranks.
    pub fn new(operation: Operation, ranks: usize, root: usize, layout: Layout) -> Self {
        assert!(ranks > 0, "a collective among no ranks");
        let blocks = layout.parts.iter().flatten();
        let mut bounds: Vec<u64> = blocks.flat_map(|block| [block.start, block.end]).collect();
        if operation.has_shares() {
            bounds.extend((0..ranks).map(|rank| cut(layout.flits, ranks, rank).start));
        }
        bounds.extend([0, layout.flits]);
        bounds.sort_unstable();
        bounds.dedup();
        if operation == Operation::Barrier {
            bounds = vec![0, 1]; // what signals tell of is one piece without flits
        }
        let pieces = |block: &Range<u64>| piece_at(&bounds, block.start)..piece_at(&bounds, block.end);
        let blocks = layout.parts.iter().map(|part| part.iter().map(pieces).collect()).collect();
        Self { operation, ranks, root, layout, blocks, bounds, sets: Sets::default(), steps: Vec::new() }
    }

    /// The ranks that take part.
    pub fn ranks(&self) -> usize {
        self.ranks
    }

    /// How the vector is cut.
    pub fn layout(&self) -> &Layout {
        &self.layout
    }

    /// The set of the blocks `runs` of `part`: ascending runs of block numbers.
    ///
    /// # Panics
    /// If the part has no such block.
    pub fn set(&mut self, part: usize, runs: impl IntoIterator<Item = Range<usize>>) -> SetId {
        let first = self.sets.runs.len();
        let blocks = std::mem::take(&mut self.blocks[part]);
        for block in runs.into_iter().flatten() {
            let pieces = blocks[block].clone();
            if !pieces.is_empty() {
                self.extend(first, pieces);
            }
        }
        self.blocks[part] = blocks;
        self.close(first)
    }

    /// A run of blocks of a part.
    ///
    /// # Panics
    /// If there is no such block.
    pub fn run(&mut self, part: usize, blocks: Range<usize>) -> SetId {
        self.set(part, std::iter::once(blocks))
    }

    /// One block of a part.
    ///
    /// # Panics
    /// If there is no such block.
    pub fn block(&mut self, part: usize, block: usize) -> SetId {
        self.run(part, block..block + 1)
    }

    /// All of a part.
    ///
    /// # Panics
    /// If there is no such part.
    pub fn whole(&mut self, part: usize) -> SetId {
        let blocks = self.layout.blocks(part);
        self.run(part, 0..blocks)
    }

    /// What a signal tells of.
    pub fn signal(&mut self) -> SetId {
        let first = self.sets.runs.len();
        self.extend(first, 0..1);
        self.close(first)
    }

    /// Adds `run` to the set whose runs begin with number `first`.
    fn extend(&mut self, first: usize, run: Range<u32>) {
        match self.sets.runs[first..].last_mut() {
            Some(last) if last.end == run.start => last.end = run.end,
            _ => self.sets.runs.push(run),
        }
    }

    fn close(&mut self, first: usize) -> SetId {
        let bounds = &self.bounds;
        let length = |run: &Range<u32>| bounds[run.end as usize] - bounds[run.start as usize];
        let flits = self.sets.runs[first..].iter().map(length).sum();
        self.sets.flits.push(flits);
        self.sets.ends.push(narrow(self.sets.runs.len(), "runs of pieces are numbered with 32 bits"));
        SetId(narrow(self.sets.ends.len() - 1, "sets are numbered with 32 bits"))
    }

    /// Adds a message to step `step`. What makes no sense is for [`Collective::check`] to find; what carries no flits is
    /// left out.
    pub fn send(&mut self, step: usize, transfer: Move, action: Action) {
        self.push(step, Sent::new(transfer, action));
    }

    fn push(&mut self, step: usize, sent: Sent) {
        if self.sets.runs(sent.set).is_empty() {
            return;
        }
        if self.steps.len() <= step {
            self.steps.resize_with(step + 1, Vec::new);
        }
        self.steps[step].push(sent);
    }

    /// Adds the steps of `phase` from step `first` on.
    pub fn add(&mut self, first: usize, phase: &Phase, action: Action) {
        for (step, moves) in phase.steps.iter().enumerate() {
            for &sent in moves {
                self.push(first + step, Sent { action, ..sent });
            }
        }
    }

    /// The schedule; messages of more than `segment` flits are cut into several, unless that is 0.
    pub fn finish(mut self, segment: u64) -> Collective {
        let mut steps = std::mem::take(&mut self.steps);
        for step in &mut steps {
            let key = |sent: &Sent| (sent.part, sent.src, sent.dst, sent.action);
            if !step.is_sorted_by_key(key) {
                step.sort_by_key(key);
            }
            self.join_equals(step);
        }
        steps.retain(|step| !step.is_empty());
        if segment > 0 && self.operation != Operation::Barrier {
            into_segments(&mut steps, &mut self.bounds, &mut self.sets, segment);
        }
        let mut starts = vec![0];
        let mut messages = Vec::with_capacity(steps.iter().map(Vec::len).sum());
        for step in steps {
            messages.extend(step);
            starts.push(MessageId::new(messages.len()).0);
        }
        let Self { operation, ranks, root, bounds, sets, .. } = self;
        Collective { operation, ranks, root, bounds, sets, steps: starts, messages }
    }

    /// Makes one message of neighbours in a sorted step that go the same way by the same action.
    fn join_equals(&mut self, step: &mut Vec<Sent>) {
        let alike = |a: &Sent, b: &Sent| (a.part, a.src, a.dst, a.action) == (b.part, b.src, b.dst, b.action);
        if !step.windows(2).any(|pair| alike(&pair[0], &pair[1])) {
            return;
        }
        let sets = &mut *step;
        let mut joined: Vec<Sent> = Vec::with_capacity(sets.len());
        for group in sets.chunk_by(alike) {
            let set = if group.len() == 1 { group[0].set } else { self.union(group) };
            joined.push(Sent { set, ..group[0] });
        }
        *step = joined;
    }

    /// All that the messages of `group` carry.
    fn union(&mut self, group: &[Sent]) -> SetId {
        let mut runs: Vec<Range<u32>> = group.iter().flat_map(|sent| self.sets.runs(sent.set).to_vec()).collect();
        runs.sort_unstable_by_key(|run| run.start);
        let first = self.sets.runs.len();
        for run in runs {
            match self.sets.runs[first..].last_mut() {
                Some(last) if run.start <= last.end => last.end = last.end.max(run.end),
                _ => self.sets.runs.push(run),
            }
        }
        self.close(first)
    }
}

/// The number of the piece that begins at `position`.
pub(super) fn piece_at(bounds: &[u64], position: u64) -> u32 {
    narrow(bounds.partition_point(|&bound| bound < position), "pieces are numbered with 32 bits")
}
