//! The trees of a collective.
//!
//! Where messages go along a tree from the root or to it, that tree, for each part of the vector; where they do not, the
//! tree along which what one rank contributes comes to all others: who first brings it to whom. An edge that several
//! messages take is one edge, and its time that of the first.

use super::Plan;
use crate::engine::unloaded::Timeline;
use crate::kind::diagram::{Course, Tree, most};
use crate::kind::{Diagram, DiagramError, Picture, RowFailure};
use crate::schedule::collective::{Action, CollectiveMessage, History, Operation};
use crate::units::{MessageId, Ticks};
use std::collections::BTreeMap;

/// An edge of a tree, by what first goes along it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Edge {
    /// When the first message is received.
    received: Ticks,
    /// The first message.
    id: MessageId,
    /// The rank at its end towards the root.
    upper: usize,
    /// The other.
    lower: usize,
}

impl Plan<'_> {
    pub(super) fn trees(&self) -> Result<Vec<Picture>, DiagramError> {
        Diagram::Tree.within(self.collective.ranks(), "nodes", most::TREE_NODES)?;
        let timeline = self.predict();
        let trees = match self.trees_of_parts(&timeline) {
            Some(trees) => trees,
            None => vec![self.spread(&timeline)?],
        };
        Ok(trees.into_iter().map(Picture::Tree).collect())
    }

    /// Whether messages go along trees segment by segment.
    fn is_pipelined(&self) -> bool {
        self.workload.algorithms[self.job.variant].pipelined
    }

    /// The tree of each part, if messages go along trees.
    fn trees_of_parts(&self, timeline: &Timeline) -> Option<Vec<Tree>> {
        let course = match self.workload.operation {
            Operation::Broadcast | Operation::Scatter => Course::Down,
            Operation::Reduce | Operation::Gather => Course::Up,
            Operation::Allreduce if self.is_pipelined() => Course::UpAndDown,
            _ => return None,
        };
        (0..self.collective.parts()).map(|part| self.tree_of_part(part, course, timeline)).collect()
    }

    /// The tree of a part; none if its messages do not go along one.
    fn tree_of_part(&self, part: usize, course: Course, timeline: &Timeline) -> Option<Tree> {
        let mut edges = self.edges(part, course, timeline);
        edges.sort_unstable();
        let mut above: Vec<Option<Edge>> = vec![None; self.collective.ranks()];
        let mut further = Vec::new();
        for edge in edges {
            match above[edge.lower] {
                None => above[edge.lower] = Some(edge),
                // segments that take different trees in turn
                Some(_) if self.is_pipelined() => further.push([edge.upper, edge.lower]),
                Some(_) => return None,
            }
        }
        let root = match course {
            Course::UpAndDown => (0..above.len()).find(|&rank| above[rank].is_none() && is_above(rank, &above)),
            _ => Some(self.collective.root()),
        };
        let root = root.unwrap_or_default();
        if above[root].is_some() {
            return None;
        }
        let several = self.collective.parts() > 1;
        let mut title = if several { format!("part {part}") } else { "tree".to_owned() };
        title += match course {
            Course::Up => " to the root, predicted",
            Course::UpAndDown => ", reduced and broadcast, predicted",
            _ => ", predicted",
        };
        let mut tree = self.tree(title, root, &above);
        tree.end = self.end_of_part(part, timeline);
        tree.informed[root] = match course {
            Course::Up => Some(tree.end),
            Course::UpAndDown => self.first_result(part, root, timeline),
            _ => Some(Ticks::ZERO),
        };
        Some(Tree { course, further, ..tree })
    }

    /// The edges that the messages of a part take; of those that go both ways, the way down.
    fn edges(&self, part: usize, course: Course, timeline: &Timeline) -> Vec<Edge> {
        let mut edges: BTreeMap<(usize, usize), Edge> = BTreeMap::new();
        for message in self.messages_of_part(part) {
            let CollectiveMessage { id, src, dst, action, .. } = message;
            if course == Course::UpAndDown && action == Action::Reduce {
                continue;
            }
            let (upper, lower) = if course == Course::Up { (dst, src) } else { (src, dst) };
            let edge = Edge { received: timeline.received[id.index()], id, upper, lower };
            let first = edges.entry((upper, lower)).or_insert(edge);
            *first = edge.min(*first);
        }
        edges.into_values().collect()
    }

    fn messages_of_part(&self, part: usize) -> impl Iterator<Item = CollectiveMessage> + '_ {
        self.all_messages().map(|(_, message)| message).filter(move |message| message.part == part)
    }

    /// When all messages of a part are received.
    fn end_of_part(&self, part: usize, timeline: &Timeline) -> Ticks {
        let received = self.messages_of_part(part).map(|message| timeline.received[message.id.index()]);
        received.max().unwrap_or_default()
    }

    /// When `root` has combined all that it needs of the first segment of a part.
    fn first_result(&self, part: usize, root: usize, timeline: &Timeline) -> Option<Ticks> {
        let mut complete: BTreeMap<u64, Ticks> = BTreeMap::new();
        let combined = self.messages_of_part(part).filter(|message| message.dst == root);
        for message in combined.filter(|message| message.action == Action::Reduce) {
            for range in self.collective.positions(message.id) {
                let last = complete.entry(range.start).or_default();
                *last = timeline.received[message.id.index()].max(*last);
            }
        }
        complete.into_values().min()
    }

    /// Who first brings the contribution of the root, or of rank 0, to whom.
    fn spread(&self, timeline: &Timeline) -> Result<Tree, RowFailure> {
        let origin = self.collective.root();
        let mut history = History::new(&self.collective).map_err(RowFailure::plan)?;
        let mut above: Vec<Option<Edge>> = vec![None; self.collective.ranks()];
        for step in 0..self.collective.steps() {
            let mut news: Vec<Edge> = Vec::new();
            for CollectiveMessage { id, src, dst, .. } in self.collective.messages(step) {
                if dst != origin && above[dst].is_none() && history.carries(id, origin) {
                    news.push(Edge { received: timeline.received[id.index()], id, upper: src, lower: dst });
                }
            }
            news.sort_unstable();
            for edge in news {
                above[edge.lower].get_or_insert(edge);
            }
            history.advance();
        }
        let name = self.name(origin);
        let title = match self.workload.operation {
            Operation::Barrier => format!("propagation of the signal of {name}, predicted"),
            _ => format!("propagation of the contribution of {name}, predicted"),
        };
        let mut tree = self.tree(title, origin, &above);
        tree.informed[origin] = Some(Ticks::ZERO);
        tree.end = tree.informed.iter().flatten().max().copied().unwrap_or_default();
        Ok(Tree { course: Course::Contribution, ..tree })
    }

    /// The tree in which `above[v]` leads from `v` towards the root.
    fn tree(&self, title: String, root: usize, above: &[Option<Edge>]) -> Tree {
        let mut edges: Vec<Edge> = above.iter().flatten().copied().collect();
        edges.sort_unstable_by_key(|edge| edge.id);
        let mut receivers = vec![Vec::new(); above.len()];
        for edge in edges {
            receivers[edge.upper].push(edge.lower);
        }
        let informed = above.iter().map(|edge| edge.map(|edge| edge.received)).collect();
        Tree { title, root, receivers, names: self.names(), informed, ..Tree::default() }
    }
}

/// Whether an edge leads from `rank` away from the root.
fn is_above(rank: usize, above: &[Option<Edge>]) -> bool {
    above.iter().flatten().any(|edge| edge.upper == rank)
}
