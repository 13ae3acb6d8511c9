//! The states of a set of trees as a graph.
//!
//! The graph has the edges against their direction, from a state to those that wait for its channel, as these are found together: the
//! channels that a tree holds while it waits for one. Between them are vertices without states of their own, so that there are not as
//! many edges as pairs of trees that compete for a channel:
//!
//! ```text
//!   Held(s) ---> Before(s - 1), After(s + 1)     the other trees with the channel of s; a tree of several messages, too: Waits(s)
//!   Before(s) -> Waits(s), Before(s - 1)         s - 1 and s + 1: the trees before and after in the list of those with this channel
//!   After(s) --> Waits(s), After(s + 1)
//!   Waits(s) --> Held(..)                        all that the tree of s holds while it waits for the channel of s
//! ```
//!
//! Only states that can be in a cycle of two trees are vertices: those with a channel that several trees have, and those of trees with
//! several messages.

use super::TreeState;
use super::set::{SharedChannel, TreeSet, UsedTree};
use super::waits::HeldSearch;
use crate::units::narrow;
use rustc_hash::FxHashMap;

/// The number of a state in the graph.
pub(super) type StateNumber = u32;

/// No state.
const NONE: StateNumber = StateNumber::MAX;

/// A vertex.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Vertex {
    /// The tree of the state holds its channel.
    Held(StateNumber),
    /// The tree of the state, or one before it in the list, waits for the channel.
    Before(StateNumber),
    /// The tree of the state, or one after it in the list, waits for the channel.
    After(StateNumber),
    /// The tree of the state waits for its channel.
    Waits(StateNumber),
}

impl Vertex {
    /// Vertices of a state.
    const KINDS: usize = 4;

    /// Its number among all vertices.
    pub(super) fn index(self) -> usize {
        let (kind, state) = match self {
            Self::Held(state) => (0, state),
            Self::Before(state) => (1, state),
            Self::After(state) => (2, state),
            Self::Waits(state) => (3, state),
        };
        state as usize * Self::KINDS + kind
    }
}

/// The graph.
pub(super) struct StateGraph<'s> {
    pub(super) set: &'s TreeSet<'s>,
    pub(super) states: Vec<TreeState>,
    /// By tree, the number of its first place among those of all trees. The last entry is the number of all places.
    first_places: Vec<usize>,
    /// By place of all trees, its state, or [`NONE`].
    numbers: Vec<StateNumber>,
    /// By state, those before and after it in the list of trees with its channel, or [`NONE`].
    neighbours: Vec<[StateNumber; 2]>,
    search: HeldSearch,
}

impl<'s> StateGraph<'s> {
    /// Creates the graph of `set`.
    pub(super) fn new(set: &'s TreeSet<'s>) -> Self {
        let mut first_places = vec![0];
        for used in set.trees() {
            first_places.push(first_places[first_places.len() - 1] + used.tree.len());
        }
        let numbers = vec![NONE; first_places[first_places.len() - 1]];
        let search = HeldSearch::default();
        let mut graph = Self { set, states: Vec::new(), first_places, numbers, neighbours: Vec::new(), search };
        graph.add_states();
        graph
    }

    fn add_states(&mut self) {
        let users = count_users(self.set);
        let mut last: FxHashMap<SharedChannel, StateNumber> = FxHashMap::default();
        for (tree, used) in (0..).zip(self.set.trees()) {
            let competes = |shared: &SharedChannel| users[shared] > 1;
            let mut channels = shared_channels(self.set, used);
            let is_alone = !channels.any(|(_, shared)| competes(&shared));
            if is_alone {
                continue;
            }
            for (place, shared) in shared_channels(self.set, used) {
                if used.messages > 1 || competes(&shared) {
                    let number = self.add_state(TreeState { tree, place });
                    let before = last.insert(shared, number);
                    self.neighbours.push([before.unwrap_or(NONE), NONE]);
                    if let Some(before) = before {
                        self.neighbours[before as usize][1] = number;
                    }
                }
            }
        }
    }

    fn add_state(&mut self, state: TreeState) -> StateNumber {
        let number = narrow(self.states.len(), "the states of a set are limited");
        self.numbers[self.first_places[state.tree as usize] + state.place as usize] = number;
        self.states.push(state);
        number
    }

    /// The number of vertices.
    pub(super) fn vertices(&self) -> usize {
        self.states.len() * Vertex::KINDS
    }

    /// The tree of a state.
    pub(super) fn used(&self, state: StateNumber) -> &'s UsedTree<'s> {
        &self.set.trees()[self.states[state as usize].tree as usize]
    }

    /// The state of the channel at `place` of a tree, if it can be in a cycle.
    pub(super) fn number(&self, tree: usize, place: usize) -> Option<StateNumber> {
        let number = self.numbers[self.first_places[tree] + place];
        (number != NONE).then_some(number)
    }

    /// Calls `visit` with the vertices to which edges lead from `vertex`.
    pub(super) fn successors(&mut self, vertex: Vertex, mut visit: impl FnMut(Vertex)) {
        let neighbour = |state: StateNumber, side: usize| {
            let neighbour = self.neighbours[state as usize][side];
            (neighbour != NONE).then_some(neighbour)
        };
        match vertex {
            Vertex::Held(state) => {
                if self.used(state).messages > 1 {
                    visit(Vertex::Waits(state));
                }
                self.competitors(state).into_iter().flatten().for_each(visit);
            }
            Vertex::Before(state) => {
                visit(Vertex::Waits(state));
                neighbour(state, 0).map(Vertex::Before).into_iter().for_each(visit);
            }
            Vertex::After(state) => {
                visit(Vertex::Waits(state));
                neighbour(state, 1).map(Vertex::After).into_iter().for_each(visit);
            }
            Vertex::Waits(state) => self.holders(state, visit),
        }
    }

    /// The vertices of the other trees that have the channel of `state`.
    pub(super) fn competitors(&self, state: StateNumber) -> [Option<Vertex>; 2] {
        let [before, after] = self.neighbours[state as usize];
        [(before != NONE).then_some(Vertex::Before(before)), (after != NONE).then_some(Vertex::After(after))]
    }

    /// The states of the channels that the tree of `state` holds while it waits for that of `state`.
    fn holders(&mut self, state: StateNumber, mut visit: impl FnMut(Vertex)) {
        let TreeState { tree, place } = self.states[state as usize];
        let used = &self.set.trees()[tree as usize];
        let first = self.first_places[tree as usize];
        for &held in self.search.held(used, self.set.reach(used), place as usize) {
            let number = self.numbers[first + held as usize];
            if number != NONE {
                visit(Vertex::Held(number));
            }
        }
    }
}

/// The number of trees with each channel.
fn count_users(set: &TreeSet<'_>) -> FxHashMap<SharedChannel, u32> {
    let mut users = FxHashMap::default();
    for used in set.trees() {
        for (_, shared) in shared_channels(set, used) {
            *users.entry(shared).or_insert(0) += 1;
        }
    }
    users
}

/// The channels of a tree for which packets wait, each with its place.
fn shared_channels<'t>(
    set: &'t TreeSet<'_>,
    used: &'t UsedTree<'_>,
) -> impl Iterator<Item = (u32, SharedChannel)> + 't {
    (0..used.tree.len()).zip(0..).filter_map(move |(at, place)| Some((place, set.shared_channel(used, at)?)))
}
