//! An order of the states of trees in which nothing deadlocks, or states of two trees that lead to each other.
//!
//! Source of the search for strongly connected components: H. N. Gabow, Path-based depth-first search for strong and biconnected
//! components, Information Processing Letters 74, 2000. It knows states that lead to each other as soon as a path comes back to one of
//! them, so that it ends with the first two trees among them.

use super::set::TreeSet;
use super::states::{StateGraph, Vertex};
use crate::cancel;
use crate::units::ChannelId;
use rustc_hash::FxHashMap;

/// The rank of every state. Ranks fall from the states of a tree to those of another, and do not rise within a tree.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct StateRanks {
    /// By tree, the number of its first place. Empty if all ranks are equal.
    first_places: Vec<usize>,
    ranks: Vec<u32>,
}

impl StateRanks {
    /// Creates the ranks of trees with these `channels`, of which each has a rank. One without a rank depends on no other, and none on it.
    pub(super) fn by_channel<'c>(
        channels: impl Iterator<Item = &'c [ChannelId]>,
        of_channels: &FxHashMap<ChannelId, u32>,
    ) -> Self {
        let mut ranks = Self::default();
        for channels in channels {
            ranks.first_places.push(ranks.ranks.len());
            let rank = |channel: &ChannelId| of_channels.get(channel).copied().unwrap_or(0);
            ranks.ranks.extend(channels.iter().map(rank));
        }
        ranks
    }

    /// The rank of the state of the channel at `place` of a tree.
    pub(super) fn rank(&self, tree: usize, place: usize) -> u32 {
        self.first_places.get(tree).map_or(0, |first| self.ranks[first + place])
    }
}

/// Returns the ranks of the states of `graph`, or vertices that lead to each other and have states of two trees.
///
/// O(channels of trees that are held while another is not granted, for all channels together) time. Begins each search with a
/// [`checkpoint`](cancel::checkpoint).
pub(super) fn ranks(graph: &mut StateGraph<'_>) -> Result<StateRanks, Vec<Vertex>> {
    let mut search = Search::new(graph);
    for state in (0..).take(search.graph.states.len()) {
        cancel::checkpoint();
        search.visit_all(Vertex::Held(state))?;
    }
    let components = search.components;
    let numbers = search.component;
    Ok(all_ranks(graph, &numbers, components))
}

/// The ranks of all places, where components are numbered so that no edge leads to a lower number. States that are not in the graph are
/// waited for by none, so that they come first.
fn all_ranks(graph: &StateGraph<'_>, numbers: &[u32], components: u32) -> StateRanks {
    let set: &TreeSet<'_> = graph.set;
    let mut ranks = StateRanks::default();
    for (tree, used) in set.trees().iter().enumerate() {
        ranks.first_places.push(ranks.ranks.len());
        let rank = |place: usize| {
            graph.number(tree, place).map_or(components, |state| components - 1 - numbers[state as usize])
        };
        ranks.ranks.extend((0..used.tree.len()).map(rank));
    }
    ranks
}

/// The trees of a part of the path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum PartTrees {
    None,
    One(u32),
    Several,
}

impl PartTrees {
    fn and(self, other: Self) -> Self {
        match (self, other) {
            (Self::None, trees) | (trees, Self::None) => trees,
            (Self::One(one), Self::One(another)) if one == another => self,
            _ => Self::Several,
        }
    }
}

/// Vertices of the path that lead to each other: from `start` up to the next part.
#[derive(Clone, Copy, Debug)]
struct Part {
    start: usize,
    trees: PartTrees,
}

/// The state of a vertex in the search.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Mark {
    Unvisited,
    /// At this index of the path.
    OnPath(u32),
    Done,
}

/// A vertex of which successors may be left.
#[derive(Clone, Copy, Debug)]
struct Frame {
    vertex: Vertex,
    /// The number of pending vertices without its successors.
    pending: usize,
}

struct Search<'g, 's> {
    graph: &'g mut StateGraph<'s>,
    marks: Vec<Mark>,
    /// Vertices whose components are not complete.
    path: Vec<Vertex>,
    parts: Vec<Part>,
    frames: Vec<Frame>,
    /// The successors of all frames that are left.
    pending: Vec<Vertex>,
    /// By state, the number of its component.
    component: Vec<u32>,
    /// The number of complete components with states.
    components: u32,
}

impl<'g, 's> Search<'g, 's> {
    fn new(graph: &'g mut StateGraph<'s>) -> Self {
        let marks = vec![Mark::Unvisited; graph.vertices()];
        let component = vec![0; graph.states.len()];
        Self {
            graph,
            marks,
            path: Vec::new(),
            parts: Vec::new(),
            frames: Vec::new(),
            pending: Vec::new(),
            component,
            components: 0,
        }
    }

    /// Visits all that `root` leads to. Ends with vertices that lead to each other and have states of two trees.
    fn visit_all(&mut self, root: Vertex) -> Result<(), Vec<Vertex>> {
        self.visit(root)?;
        while let Some(&Frame { vertex, pending }) = self.frames.last() {
            if self.pending.len() > pending {
                if let Some(next) = self.pending.pop() {
                    self.visit(next)?;
                }
            } else {
                self.frames.pop();
                self.complete(vertex);
            }
        }
        Ok(())
    }

    fn visit(&mut self, vertex: Vertex) -> Result<(), Vec<Vertex>> {
        match self.marks[vertex.index()] {
            Mark::Unvisited => self.enter(vertex),
            Mark::OnPath(index) => self.merge(index),
            Mark::Done => Ok(()),
        }
    }

    fn enter(&mut self, vertex: Vertex) -> Result<(), Vec<Vertex>> {
        let index = self.path.len();
        self.marks[vertex.index()] = Mark::OnPath(narrowed(index));
        self.path.push(vertex);
        let trees = match vertex {
            Vertex::Held(state) => PartTrees::One(self.graph.states[state as usize].tree),
            Vertex::Before(_) | Vertex::After(_) | Vertex::Waits(_) => PartTrees::None,
        };
        self.parts.push(Part { start: index, trees });
        self.frames.push(Frame { vertex, pending: self.pending.len() });
        let mut earliest = narrowed(index);
        let Self { graph, marks, pending, .. } = self;
        graph.successors(vertex, |next| match marks[next.index()] {
            Mark::Unvisited => pending.push(next),
            Mark::OnPath(index) => earliest = earliest.min(index),
            Mark::Done => {}
        });
        self.merge(earliest)
    }

    /// Makes one part of those from the vertex at `index` of the path on, as the last one leads back to it.
    fn merge(&mut self, index: u32) -> Result<(), Vec<Vertex>> {
        while let [.., before, last] = &mut self.parts[..]
            && last.start > index as usize
        {
            before.trees = before.trees.and(last.trees);
            if before.trees == PartTrees::Several {
                let part = self.parts.partition_point(|part| part.start <= index as usize) - 1;
                return Err(self.path[self.parts[part].start..].to_vec());
            }
            self.parts.pop();
        }
        Ok(())
    }

    /// Completes the component of `vertex`, if that is the first of it on the path.
    fn complete(&mut self, vertex: Vertex) {
        let Some(&Part { start, trees }) = self.parts.last() else { return };
        if self.path[start] != vertex {
            return;
        }
        for vertex in self.path.drain(start..) {
            self.marks[vertex.index()] = Mark::Done;
            if let Vertex::Held(state) = vertex {
                self.component[state as usize] = self.components;
            }
        }
        self.components += u32::from(trees != PartTrees::None);
        self.parts.pop();
    }
}

/// An index of the path.
#[expect(clippy::cast_possible_truncation, reason = "there are fewer vertices than 2^32")]
fn narrowed(index: usize) -> u32 {
    index as u32
}
