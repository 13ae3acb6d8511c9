//! The waits of a tree: channels that it can hold forever while it is never granted another.
//!
//! Let `n` be the number of flits that have left on each channel when nothing moves any more, because a channel `w` is never granted and
//! all others are. It is 0 for `w` and whatever else is never requested. A flit leaves on no channel before it has on the channels that
//! feed it, and on none more than a buffer of `B` flits after the last of those that it feeds. So `n` is `min(m, d B)` for packets of `m`
//! flits, where `d` is the least number of steps against the flow on a walk from `w` that goes any number of steps with the flow: a
//! search in breadth from `w` finds it. A channel is held if flits have left on it, and not all on a channel behind it.

use super::set::{TreeSet, UsedTree};
use crate::routing::tree::Tree;

/// A search for the channels that a tree holds. One value serves all trees.
#[derive(Debug, Default)]
pub(super) struct HeldSearch {
    /// By place, the number of the search that has found it last.
    found: Vec<u64>,
    search: u64,
    /// The places that have been found, in order.
    places: Vec<u32>,
}

impl HeldSearch {
    /// The places of the channels that a tree holds forever while the channel at `awaited` is never granted to it. `reach` is the largest
    /// number of buffers that hold less than a packet.
    pub(super) fn held(&mut self, used: &UsedTree<'_>, reach: u64, awaited: usize) -> &[u32] {
        let tree = &*used.tree;
        self.begin(tree.len());
        self.find_ungranted(tree, awaited);
        // steps against the flow lead to other channels only at the inputs of joins
        self.follow_flow(tree, 0, |place| used.leads_to_join(place));
        let ungranted = self.places.len();
        let mut last_level = 0;
        for level in 1..=reach + 1 {
            let end = self.places.len();
            if last_level == end {
                break;
            }
            for index in last_level..end {
                tree.feeds(self.places[index] as usize).iter().for_each(|&feed| self.find(feed));
            }
            // a buffer farther, whole packets fit: only those are held that feed a channel with a part of the packet
            if level <= reach {
                self.follow_flow(tree, end, |_| true);
            }
            last_level = end;
        }
        &self.places[ungranted..]
    }

    fn begin(&mut self, places: usize) {
        self.search += 1;
        self.places.clear();
        if self.found.len() < places {
            self.found.resize(places, 0);
        }
    }

    fn find(&mut self, place: u32) {
        let found = &mut self.found[place as usize];
        if *found != self.search {
            *found = self.search;
            self.places.push(place);
        }
    }

    /// Finds the channel at `awaited` and those that a head flit requests only after it: behind an ejection channel the ejection channels
    /// of later nodes, and the links.
    fn find_ungranted(&mut self, tree: &Tree, awaited: usize) {
        self.find(narrowed(awaited));
        if tree.leads_to(awaited).is_some() {
            return;
        }
        let Some(&feed) = tree.feeds(awaited).first() else { return };
        for &output in tree.outputs(feed as usize) {
            if is_requested_after(tree, output as usize, awaited) {
                self.find(output);
            }
        }
    }

    /// Finds all channels that those found at `from` and after it feed, directly or not, over those that `leads_on` accepts.
    fn follow_flow(&mut self, tree: &Tree, from: usize, leads_on: impl Fn(usize) -> bool) {
        let mut index = from;
        while let Some(&place) = self.places.get(index) {
            if leads_on(place as usize) {
                tree.outputs(place as usize).iter().for_each(|&output| self.find(output));
            }
            index += 1;
        }
    }
}

/// By place, true if a channel feeds a join, directly or not. Empty without joins.
pub(super) fn leading_to_joins(tree: &Tree) -> Vec<bool> {
    if tree.combinations() == 0 {
        return Vec::new();
    }
    let mut leads = vec![false; tree.len()];
    for place in (0..tree.len()).rev() {
        let is_join = |&&output: &&u32| tree.feeds(output as usize).len() > 1;
        let outputs = tree.outputs(place);
        leads[place] =
            outputs.first().filter(is_join).is_some() || outputs.iter().any(|&output| leads[output as usize]);
    }
    leads
}

/// Returns true if a head flit requests the output at `place` after the ejection channel at `ejection` of the same junction.
fn is_requested_after(tree: &Tree, place: usize, ejection: usize) -> bool {
    // ejection channels are numbered in the order of nodes
    tree.leads_to(place).is_some() || tree.channels()[place] > tree.channels()[ejection]
}

/// A place as trees number them.
#[expect(clippy::cast_possible_truncation, reason = "the places of a tree are numbered with 32 bits")]
fn narrowed(place: usize) -> u32 {
    place as u32
}

/// By place, true if the tree may hold its channel forever while it is never granted some other.
///
/// A channel that feeds another is held while that is not granted. One that feeds none is held only if a whole packet does not fit into
/// the buffer before it, while a branch next to it or next to a channel before it is not granted; not an ejection channel that is
/// requested earlier, before which the packet would not have come here.
pub(super) fn may_hold(set: &TreeSet<'_>, used: &UsedTree<'_>) -> Vec<bool> {
    let tree = &used.tree;
    let is_part = |place: usize| set.shared_channel(used, place).is_some();
    let is_link = |&&output: &&u32| tree.leads_to(output as usize).is_some();
    let mut behind_fork = vec![false; tree.len()];
    let mut may_hold = vec![false; tree.len()];
    for place in 0..tree.len() {
        let feeds = tree.feeds(place);
        let siblings = feeds.first().map_or(&[][..], |&feed| tree.outputs(feed as usize));
        let is_behind = feeds.iter().any(|&feed| behind_fork[feed as usize]);
        behind_fork[place] = is_behind || siblings.iter().filter(is_link).nth(1).is_some();
        let is_starved = || {
            let is_later = |&output: &u32| is_part(output as usize) && is_requested_after(tree, output as usize, place);
            let ejects = tree.leads_to(place).is_none();
            is_behind || if ejects { siblings.iter().any(is_later) } else { behind_fork[place] }
        };
        let feeds_part = tree.outputs(place).iter().any(|&output| is_part(output as usize));
        may_hold[place] = is_part(place) && (feeds_part || (set.reach(used) > 0 && is_starved()));
    }
    may_hold
}
