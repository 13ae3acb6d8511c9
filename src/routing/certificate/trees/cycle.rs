//! A short cycle of states of two trees or more.

use super::TreeState;
use super::states::{StateGraph, StateNumber, Vertex};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::VecDeque;

/// Edges that are followed to find a shorter cycle.
const MOST_FOLLOWED: u64 = 20_000_000;

/// Returns states of two trees or more, each of which leads to the next and the last to the first: the fewest that a short search
/// finds. The vertices in `connected` have states of two trees, and each leads to all others.
pub(super) fn shortest(graph: &mut StateGraph<'_>, connected: &[Vertex]) -> Vec<TreeState> {
    let among: FxHashSet<Vertex> = connected.iter().copied().collect();
    let competes = |state: StateNumber, graph: &StateGraph<'_>| {
        graph.competitors(state).iter().flatten().any(|vertex| among.contains(vertex))
    };
    let mut states = connected.iter().filter_map(|vertex| match vertex {
        Vertex::Held(state) => Some(*state),
        Vertex::Before(_) | Vertex::After(_) | Vertex::Waits(_) => None,
    });
    let first = states.find(|&state| competes(state, graph));
    let mut walk = Walk { graph, followed: 0, most_followed: u64::MAX };
    let found = first.and_then(|first| walk.cycle(first, usize::MAX, |vertex| among.contains(&vertex)));
    #[expect(clippy::expect_used, reason = "states of two trees lead to each other")]
    let mut best = found.expect("a state of one tree leads to one of another and is led to by it");
    walk.most_followed = walk.followed.saturating_add(MOST_FOLLOWED);
    for state in best.clone() {
        if best.len() == 2 {
            break;
        }
        if let Some(shorter) = walk.cycle(state, best.len() - 1, |_| true) {
            best = shorter;
        }
    }
    best.into_iter().map(|state| walk.graph.states[state as usize]).collect()
}

/// Searches for cycles.
struct Walk<'g, 's> {
    graph: &'g mut StateGraph<'s>,
    /// Edges that have been followed.
    followed: u64,
    /// The number of edges after which searches end.
    most_followed: u64,
}

impl Walk<'_, '_> {
    /// Returns the shortest cycle of at most `most` states through `state` in which the next tree is another, each state before the one
    /// that it leads to. Only vertices that `is_part` accepts are visited.
    fn cycle(&mut self, state: StateNumber, most: usize, is_part: impl Fn(Vertex) -> bool) -> Option<Vec<StateNumber>> {
        let goal = Vertex::Held(state);
        let mut origins: FxHashMap<Vertex, Vertex> = FxHashMap::default();
        // vertices with the number of states before them; those without states come first, as they add none
        let mut queue: VecDeque<(Vertex, usize)> = VecDeque::new();
        for vertex in self.graph.competitors(state).into_iter().flatten().filter(|&vertex| is_part(vertex)) {
            origins.insert(vertex, goal);
            queue.push_back((vertex, 0));
        }
        while let Some((vertex, states)) = queue.pop_front() {
            if vertex == goal {
                return Some(states_of_path(&origins, goal));
            }
            if self.followed > self.most_followed {
                return None;
            }
            let followed = &mut self.followed;
            self.graph.successors(vertex, |next| {
                *followed += 1;
                let is_state = matches!(next, Vertex::Held(_));
                let states = states + usize::from(is_state);
                if states > most || !is_part(next) || origins.contains_key(&next) {
                    return;
                }
                origins.insert(next, vertex);
                if is_state { queue.push_back((next, states)) } else { queue.push_front((next, states)) }
            });
        }
        None
    }
}

/// The states of the path back from `goal` to itself. Edges lead against the direction of waits, so that the path back has their direction.
fn states_of_path(origins: &FxHashMap<Vertex, Vertex>, goal: Vertex) -> Vec<StateNumber> {
    let mut states = Vec::new();
    let mut vertex = goal;
    loop {
        if let Vertex::Held(state) = vertex {
            states.push(state);
        }
        vertex = origins[&vertex];
        if vertex == goal {
            return states;
        }
    }
}
