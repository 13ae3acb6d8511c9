//! The keys of `[faults]`, and their reader.

use super::draw::Selection;
use super::{FaultSpec, Unreachable};
use crate::config::{Diagnostic, Place, Reader, listed};
use crate::costs::Factor;
use crate::network::Paths;
use crate::topology::{Links, RouterPair};
use crate::units::{Key, NodeId, RouterId, saturated};
use std::collections::BTreeSet;

const LARGEST: u64 = u32::MAX as u64;

const LINKS: Key = Key::rows("links", 2)
    .or_else("none")
    .says("failed pairs of routers: all links between the two, in both directions");
const ROUTERS: Key =
    Key::integers("routers", 0..=LARGEST).or_else("none").says("failed routers, each with its links and nodes");
const RANDOM_LINKS: Key =
    Key::integer("random_links", 0..=LARGEST).or(0).says("number of failed pairs that each repetition draws");
const RANDOM_ROUTERS: Key =
    Key::integer("random_routers", 0..=LARGEST).or(0).says("number of failed routers that each repetition draws");
const DEAD_LINKS: Key = Key::number("dead_links", 0.0..=1.0)
    .or_else("none")
    .says("probability that a pair of routers fails; on a grid, that a link fails at some time");
const DEAD_ROUTERS: Key =
    Key::number("dead_routers", 0.0..=1.0).or_else("none").says("probability that a router fails");
const SLOW: Key =
    Key::rows("slow", 2).or_else("none").says("slow pairs of routers: all links between the two, in both directions");
const RANDOM_SLOW: Key =
    Key::integer("random_slow", 0..=LARGEST).or(0).says("number of slow pairs that each repetition draws");
const SLOW_LINKS: Key = Key::number("slow_links", 0.0..=1.0)
    .or_else("none")
    .says("probability that a pair of routers is slow; on a grid, that a link becomes slow at some time");
const SLOWDOWN: Key = Key::number("slowdown", 1.0..=1e6)
    .beside(&["slow", "random_slow", "slow_links"])
    .because("no link is slow without `slow`, `random_slow` or `slow_links`")
    .says("factor of the flit time of a slow link; on a grid, of the rest of its transfer");
const STRAGGLERS: Key = Key::integers("stragglers", 0..=LARGEST)
    .or_else("none")
    .says("slow nodes, whose costs and computations take longer");
const RANDOM_STRAGGLERS: Key =
    Key::integer("random_stragglers", 0..=LARGEST).or(0).says("number of slow nodes that each repetition draws");
const STRAGGLE: Key = Key::number("straggle", 1.0..=1e6)
    .beside(&["stragglers", "random_stragglers"])
    .because("no node is slow without `stragglers` or `random_stragglers`")
    .says("factor of the costs and computations of a slow node");
const UNREACHABLES: [(&str, Unreachable); 2] = [("reject", Unreachable::Reject), ("skip", Unreachable::Skip)];
const UNREACHABLE: Key = Key::word("unreachable", |at| UNREACHABLES.get(at).map(|(name, _)| *name))
    .or_word("reject")
    .says("treatment of messages without a path: an error (reject), or left out of traces and traffic (skip)");
const BASELINE: Key = Key::boolean("baseline")
    .or_else("false for traffic, otherwise true")
    .says("true to run each row without faults, too, for `fault_free` and `slowdown`");
pub(crate) const DEAD_NODES: Key = Key::number("dead_nodes", 0.0..=1.0)
    .or_else("none")
    .says("on a grid, probability that a node other than the root fails");
pub(crate) const GIVE_UP: Key = Key::number("give_up", 0.0..=1e6)
    .or_else("2 if links or nodes can fail, else no timeout")
    .says("on a grid, timeout of a sender, as a multiple of the forecast time");

pub(crate) const KEYS: &[Key] = &[
    LINKS,
    ROUTERS,
    RANDOM_LINKS,
    RANDOM_ROUTERS,
    DEAD_LINKS,
    DEAD_ROUTERS,
    SLOW,
    RANDOM_SLOW,
    SLOW_LINKS,
    SLOWDOWN,
    STRAGGLERS,
    RANDOM_STRAGGLERS,
    STRAGGLE,
    UNREACHABLE,
    BASELINE,
    DEAD_NODES,
    GIVE_UP,
];

/// The keys with which links and routers fail, so that paths lead round them.
const OF_FAILURES: [Key; 6] = [LINKS, ROUTERS, RANDOM_LINKS, RANDOM_ROUTERS, DEAD_LINKS, DEAD_ROUTERS];

/// The keys that a grid reads.
const OF_GRIDS: [Key; 5] = [SLOW_LINKS, SLOWDOWN, DEAD_LINKS, DEAD_NODES, GIVE_UP];

/// The routing that networks are read for: round failures if links or routers can fail.
pub(crate) fn paths(root: &Reader<'_>) -> Paths {
    let is_given = |key: &Key| root.is_given(&["faults", key.name]);
    if OF_FAILURES.iter().any(is_given) { Paths::RoundFailures } else { Paths::Own }
}

/// Values that `[faults]` has for a grid.
pub(crate) struct GridFaults {
    pub(crate) slow_links: Option<f64>,
    pub(crate) slowdown: Option<f64>,
    pub(crate) dead_links: Option<f64>,
    pub(crate) dead_nodes: Option<f64>,
    pub(crate) give_up: Option<f64>,
}

/// Reads the keys of a grid. Others are reported.
pub(crate) fn read_on_grid(table: &Reader<'_>) -> GridFaults {
    let others = KEYS.iter().filter(|key| OF_GRIDS.iter().all(|own| own.name != key.name));
    for key in others.filter(|key| table.gives(key)) {
        let message = format!("`{}` has no effect on [network.grid], which has no routers", table.path_of(key.name));
        let diagnostic = Diagnostic::at(table.place_of(key.name), message);
        table.error(diagnostic.note(format!("accepted on a grid: {}", listed(OF_GRIDS.iter().map(|key| key.name)))));
    }
    let faults = GridFaults {
        slow_links: table.optional_number(&SLOW_LINKS),
        slowdown: table.optional_number(&SLOWDOWN),
        dead_links: table.optional_number(&DEAD_LINKS),
        dead_nodes: table.optional_number(&DEAD_NODES),
        give_up: table.optional_number(&GIVE_UP),
    };
    if faults.slow_links.is_some() {
        table.demand(&SLOWDOWN);
    }
    faults
}

/// Reads `[faults]` of a network with these `links`. Errors have been reported.
pub(super) fn read(table: &Reader<'_>, links: &dyn Links) -> FaultSpec {
    let pairs = RouterPair::all(links);
    for key in [DEAD_NODES, GIVE_UP].iter().filter(|key| table.gives(key)) {
        let message = format!("`{}` has an effect only on [network.grid]", table.path_of(key.name));
        table.error(Diagnostic::at(table.place_of(key.name), message).hint(format!("remove `{}`", key.name)));
    }
    let of_links = Elements { name: "pair of linked routers", plural: "pairs of linked routers", count: pairs.len() };
    let of_routers = Elements { name: "router", plural: "routers", count: links.routers() };
    let of_nodes = Elements { name: "node", plural: "nodes", count: links.nodes() };
    let pairs_of = |key: &Key| listed_pairs(table, key, &pairs, links.routers());
    let failed = Keys { random: &RANDOM_LINKS, probability: Some(&DEAD_LINKS) };
    let failed_routers = Keys { random: &RANDOM_ROUTERS, probability: Some(&DEAD_ROUTERS) };
    let slow = Keys { random: &RANDOM_SLOW, probability: Some(&SLOW_LINKS) };
    let stragglers = Keys { random: &RANDOM_STRAGGLERS, probability: None };
    let routers = listed_elements(table, &ROUTERS, &of_routers, RouterId::new);
    let nodes = listed_elements(table, &STRAGGLERS, &of_nodes, NodeId::new);
    let spec = FaultSpec {
        links: failed.selection(table, pairs_of(&LINKS), &of_links),
        routers: failed_routers.selection(table, routers, &of_routers),
        slow: slow.selection(table, pairs_of(&SLOW), &of_links),
        stragglers: stragglers.selection(table, nodes, &of_nodes),
        slowdown: table.optional_number(&SLOWDOWN).map_or(Factor::default(), Factor::new),
        straggle: table.optional_number(&STRAGGLE).map_or(Factor::default(), Factor::new),
        unreachable: table.choice(&UNREACHABLE, &UNREACHABLES),
        baseline: table.optional_boolean(&BASELINE),
    };
    if [SLOW, RANDOM_SLOW, SLOW_LINKS].iter().any(|key| table.gives(key)) {
        table.demand(&SLOWDOWN);
    }
    if [STRAGGLERS, RANDOM_STRAGGLERS].iter().any(|key| table.gives(key)) {
        table.demand(&STRAGGLE);
    }
    table.finish();
    spec
}

/// The location of `faults.slowdown`.
pub(super) fn place_of_slowdown(root: &Reader<'_>) -> Place {
    root.place_within(&["faults", SLOWDOWN.name])
}

/// Elements of a network that a key counts or numbers.
struct Elements {
    name: &'static str,
    plural: &'static str,
    count: usize,
}

/// The keys of the drawn elements of a selection.
struct Keys<'a> {
    random: &'a Key,
    probability: Option<&'a Key>,
}

impl Keys<'_> {
    fn selection<T: Ord>(&self, table: &Reader<'_>, listed: BTreeSet<T>, elements: &Elements) -> Selection<T> {
        let random = table.count(self.random);
        let Elements { plural, count, .. } = elements;
        let most = count - listed.len().min(*count);
        if random > most {
            let message = format!("`{}` = {random}, but the network has {count} {plural}", self.random.name);
            let diagnostic = Diagnostic::at(table.place_of(self.random.name), message);
            let listed = if listed.is_empty() { "" } else { ", in addition to those that are listed" };
            table.error(diagnostic.note(format!("accepted: 0 to {most}{listed}")));
        }
        let probability = self.probability.and_then(|key| table.optional_number(key)).unwrap_or(0.0);
        Selection { listed, random, probability }
    }
}

/// The pairs of routers that `key` lists, of `pairs`.
fn listed_pairs(table: &Reader<'_>, key: &Key, pairs: &[RouterPair], routers: usize) -> BTreeSet<RouterPair> {
    let mut listed = BTreeSet::new();
    for (row, place) in table.rows(key).unwrap_or_default() {
        let [Some(low), Some(high)] = [0, 1].map(|end| row.get(end).copied()) else { continue };
        let last = (routers as u64).saturating_sub(1);
        if let Some(router) = [low, high].into_iter().find(|&router| router > last) {
            refuse_number(table, place, "router", router, last);
            continue;
        }
        let pair = RouterPair::new(RouterId::new(saturated(low)), RouterId::new(saturated(high)));
        if pairs.binary_search(&pair).is_err() {
            let message = format!("no link joins routers {low} and {high}");
            table.error(Diagnostic::at(place.clone(), message).note(neighbours(pairs, pair.low)));
        } else {
            listed.insert(pair);
        }
    }
    listed
}

/// The routers that links join with `router`, for messages.
fn neighbours(pairs: &[RouterPair], router: RouterId) -> String {
    const MOST: usize = 8;
    let other = |pair: &RouterPair| match (pair.low == router, pair.high == router) {
        (true, _) => Some(pair.high),
        (_, true) => Some(pair.low),
        _ => None,
    };
    let others: Vec<String> = pairs.iter().filter_map(other).map(|router| router.to_string()).collect();
    let remaining = if others.len() > MOST { ", .." } else { "" };
    let shown = others.iter().take(MOST).map(String::as_str).collect::<Vec<_>>().join(", ");
    format!("links join router {router} with {shown}{remaining}")
}

/// The elements that `key` lists.
fn listed_elements<T: Ord>(table: &Reader<'_>, key: &Key, elements: &Elements, number: fn(usize) -> T) -> BTreeSet<T> {
    let mut listed = BTreeSet::new();
    let last = (elements.count as u64).saturating_sub(1);
    for (element, place) in table.integers(key).unwrap_or_default() {
        if element > last {
            refuse_number(table, place, elements.name, element, last);
        } else {
            listed.insert(number(saturated(element)));
        }
    }
    listed
}

fn refuse_number(table: &Reader<'_>, place: &Place, name: &str, number: u64, last: u64) {
    let diagnostic = Diagnostic::at(place.clone(), format!("there is no {name} {number}; the last is {last}"));
    table.error(diagnostic.note(format!("accepted: 0 to {last}")));
}
