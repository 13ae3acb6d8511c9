//! Verdicts compared with the definition, written down as it is.

use super::order::StateRanks;
use super::set::{SharedChannel, UsedTree};
use super::waits::{HeldSearch, may_hold};
use super::*;
use crate::random::stream;
use crate::routing::tree::{
    EjectionClass, HamiltonianLabels, MulticastRoute, Tree, TreeChannel, TreeNetwork, join, multicast_trees, turn,
};
use crate::routing::{DimensionOrder, Lattice, Network, Rings};
use crate::topology::{Coordinates, LatticeLinks, Mesh, Torus};
use crate::units::{Flits, NodeId, narrow};
use rand::seq::IteratorRandom;
use rand::{Rng, RngExt};
use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// The number of flits that have left on each channel forever, when that at `ungranted` is never granted.
fn flits_sent(tree: &Tree, flits: u64, buffer: u64, ungranted: usize) -> Vec<u64> {
    let mut never: BTreeSet<usize> = BTreeSet::from([ungranted]);
    if tree.leads_to(ungranted).is_none() {
        let siblings = (0..tree.len()).filter(|&place| tree.feeds(place) == tree.feeds(ungranted));
        let later =
            |&place: &usize| tree.leads_to(place).is_some() || tree.channels()[place] > tree.channels()[ungranted];
        never.extend(siblings.filter(later));
    }
    for place in 0..tree.len() {
        if tree.feeds(place).iter().any(|&feed| never.contains(&(feed as usize))) {
            never.insert(place);
        }
    }
    let mut sent: Vec<u64> = (0..tree.len()).map(|place| if never.contains(&place) { 0 } else { flits }).collect();
    loop {
        let mut least = sent.clone();
        for place in 0..tree.len() {
            for &feed in tree.feeds(place) {
                let feed = feed as usize;
                least[place] = least[place].min(sent[feed]);
                least[feed] = least[feed].min(sent[place] + buffer);
            }
        }
        if least == sent {
            return sent;
        }
        sent = least;
    }
}

/// The places of channels that are held forever while that at `ungranted` is never granted.
fn held(tree: &Tree, flits: u64, buffer: u64, ungranted: usize) -> BTreeSet<u32> {
    let sent = flits_sent(tree, flits, buffer, ungranted);
    let is_held = |&place: &u32| {
        let of_place = sent[place as usize];
        let outputs = tree.outputs(place as usize);
        of_place > 0
            && if outputs.is_empty() {
                of_place < flits
            } else {
                outputs.iter().any(|&output| sent[output as usize] < flits)
            }
    };
    (0..).take(tree.len()).filter(is_held).collect()
}

/// All states of a set with those to which each leads.
fn edges(set: &TreeSet<'_>) -> BTreeMap<TreeState, BTreeSet<TreeState>> {
    let states = (0..).zip(set.trees()).flat_map(|(tree, used)| {
        let shared = (0..used.tree.len()).filter(|&place| set.shared_channel(used, place).is_some());
        let held = shared.flat_map(|place| held(&used.tree, used.flits, set.buffer(), place));
        let held: BTreeSet<u32> = held.collect();
        held.into_iter().map(move |place| TreeState { tree, place })
    });
    let shared = |state: TreeState| shared_channel(set, state);
    let mut edges: BTreeMap<TreeState, BTreeSet<TreeState>> =
        states.filter(|&state| shared(state).is_some()).map(|state| (state, BTreeSet::new())).collect();
    let all: Vec<TreeState> = edges.keys().copied().collect();
    for (tree, used) in (0..).zip(set.trees()) {
        for ungranted in (0..).take(used.tree.len()) {
            let ungranted = TreeState { tree, place: ungranted };
            let Some(channel) = shared(ungranted) else { continue };
            let next = all.iter().copied().filter(|&next| shared(next) == Some(channel));
            let next: Vec<TreeState> = next.filter(|next| next.tree != tree || used.messages > 1).collect();
            for place in held(&used.tree, used.flits, set.buffer(), ungranted.place as usize) {
                if let Some(edges) = edges.get_mut(&TreeState { tree, place }) {
                    edges.extend(next.iter().copied());
                }
            }
        }
    }
    edges
}

fn shared_channel(set: &TreeSet<'_>, state: TreeState) -> Option<SharedChannel> {
    set.shared_channel(&set.trees()[state.tree as usize], state.place as usize)
}

/// The states to which `from` leads, directly or not.
fn reached(edges: &BTreeMap<TreeState, BTreeSet<TreeState>>, from: TreeState) -> BTreeSet<TreeState> {
    let mut reached = BTreeSet::new();
    let mut open = vec![from];
    while let Some(state) = open.pop() {
        for &next in &edges[&state] {
            if reached.insert(next) {
                open.push(next);
            }
        }
    }
    reached
}

/// True if states of two trees lead to each other.
fn can_deadlock(edges: &BTreeMap<TreeState, BTreeSet<TreeState>>) -> bool {
    let all: BTreeMap<TreeState, BTreeSet<TreeState>> =
        edges.keys().map(|&state| (state, reached(edges, state))).collect();
    let mut pairs = all.iter().flat_map(|(&from, to)| to.iter().map(move |&to| (from, to)));
    pairs.any(|(from, to)| from.tree != to.tree && all[&to].contains(&from))
}

/// Compares the verdict on a set, its proof and its states with the definition. Returns the verdict.
fn judge(set: TreeSet<'_>) -> Verdict {
    let edges = edges(&set);
    let mut search = HeldSearch::default();
    let states: BTreeSet<TreeState> = edges.keys().copied().collect();
    for (tree, used) in (0..).zip(set.trees()) {
        compare_waits(&mut search, &set, used);
        let may_hold = may_hold(&set, used).into_iter().zip(0..).filter(|(may_hold, _)| *may_hold);
        let found: BTreeSet<TreeState> = may_hold.map(|(_, place)| TreeState { tree, place }).collect();
        let expected: BTreeSet<TreeState> = states.iter().copied().filter(|state| state.tree == tree).collect();
        assert_eq!(found, expected, "states of {:?} in buffers of {}", used.tree, set.buffer());
    }
    assert_eq!(set.states(), states.len() as u64);
    let certificate = set.certificate().unwrap();
    match &certificate.proof {
        SetProof::Ranks(ranks) => check_ranks(ranks, &edges),
        SetProof::Cycle(cycle) => check_cycle(cycle, &edges),
    }
    let expected = if can_deadlock(&edges) { Verdict::Cycle } else { Verdict::Free };
    assert_eq!(certificate.verdict(), expected, "{:?}", certificate.set());
    expected
}

fn compare_waits(search: &mut HeldSearch, set: &TreeSet<'_>, used: &UsedTree<'_>) {
    for ungranted in 0..used.tree.len() {
        let found = search.held(used, set.reach(used), ungranted).iter().copied().collect();
        let expected = held(&used.tree, used.flits, set.buffer(), ungranted);
        assert_eq!(expected, found, "{:?} without {ungranted} in buffers of {}", used.tree, set.buffer());
    }
}

fn check_ranks(ranks: &StateRanks, edges: &BTreeMap<TreeState, BTreeSet<TreeState>>) {
    let rank = |state: TreeState| ranks.rank(state.tree as usize, state.place as usize);
    for (&from, to) in edges {
        for &to in to {
            let falls = rank(from) > rank(to) || (from.tree == to.tree && rank(from) == rank(to));
            assert!(falls, "{from:?} has rank {}, {to:?} {}", rank(from), rank(to));
        }
    }
}

fn check_cycle(cycle: &[TreeState], edges: &BTreeMap<TreeState, BTreeSet<TreeState>>) {
    let next = cycle.iter().cycle().skip(1);
    for (from, to) in cycle.iter().zip(next) {
        assert!(edges[from].contains(to), "{from:?} does not lead to {to:?} in {cycle:?}");
    }
    let states: BTreeSet<TreeState> = cycle.iter().copied().collect();
    let trees: BTreeSet<u32> = cycle.iter().map(|state| state.tree).collect();
    assert!(states.len() == cycle.len() && trees.len() > 1, "{cycle:?}");
}

/// A mesh with Hamiltonian labels.
fn mesh(shape: &[usize], ports: usize) -> (Arc<dyn Network>, TreeNetwork) {
    let network = Arc::new(DimensionOrder::first_coordinate_first(Mesh::new(shape, ports).unwrap()));
    on_lattice(network, LatticeLinks::new(Coordinates::new(shape, false)), shape, false)
}

/// A torus of two virtual channels, with Hamiltonian labels.
fn torus(shape: &[usize]) -> (Arc<dyn Network>, TreeNetwork) {
    let network = Arc::new(Rings::first_coordinate_first(Torus::new(shape, 1, 2).unwrap()));
    on_lattice(network, LatticeLinks::new(Coordinates::torus(shape)), shape, true)
}

fn on_lattice(
    network: Arc<dyn Network>,
    links: LatticeLinks,
    shape: &[usize],
    wraps: bool,
) -> (Arc<dyn Network>, TreeNetwork) {
    let order: Vec<usize> = (0..shape.len()).collect();
    let lattice = Lattice::new(shape, wraps, &order);
    let sides: Vec<u32> = shape.iter().map(|&side| narrow(side, "small")).collect();
    let view = TreeNetwork::new(Arc::clone(&network), Arc::new(links), Some(lattice));
    (network, view.with_labels(Some(HamiltonianLabels::new(&sides))))
}

/// A message of up to five nodes.
fn draw_nodes(random: &mut impl Rng, nodes: usize, least: usize) -> Vec<NodeId> {
    let size = random.random_range(least..=5.min(nodes));
    (0..nodes).map(NodeId::new).sample(random, size)
}

/// The trees of a random message.
fn draw_trees(random: &mut impl Rng, network: &TreeNetwork) -> Vec<Tree> {
    let nodes = draw_nodes(random, network.channels().nodes(), 2);
    let (first, rest) = nodes.split_first().unwrap();
    let route = match random.random_range(0..6) {
        0 => return vec![join(network, rest, *first)],
        1 => {
            let down = multicast_trees(MulticastRoute::RouterTree, network, *first, rest).unwrap().remove(0).tree;
            return vec![turn(&join(network, &nodes, *first), &down).unwrap()];
        }
        2 | 3 => MulticastRoute::DualPath,
        _ => MulticastRoute::RouterTree,
    };
    multicast_trees(route, network, *first, rest).unwrap().into_iter().map(|worm| worm.tree).collect()
}

#[test]
fn verdicts_agree_with_the_definition() {
    let mut random = stream(7, "verdicts of trees", 0);
    let networks = [mesh(&[3, 3], 1), mesh(&[6], 1), mesh(&[2, 4], 1), mesh(&[2, 2, 2], 1), torus(&[4, 3])];
    let mut verdicts = [0, 0];
    for case in 0..2000 {
        let (_, network) = &networks[case % networks.len()];
        let rules = [EjectionChannels::One, EjectionChannels::Several, EjectionChannels::Unlimited];
        let mut set = TreeSet::new(random.random_range(1..6), rules[case % rules.len()]);
        for message in 0..random.random_range(2..5) {
            let flits = Flits(random.random_range(0..12));
            let repeated = random.random_range(1..=2);
            for tree in draw_trees(&mut random, network) {
                set.add_messages(Cow::Owned(tree), flits, message, repeated);
            }
        }
        verdicts[usize::from(judge(set) == Verdict::Free)] += 1;
    }
    assert!(verdicts.into_iter().all(|count| count > 400), "{verdicts:?} are a cycle and free");
}

/// The set of one tree for each message, a source with its destinations.
fn multicasts(
    network: &TreeNetwork,
    route: MulticastRoute,
    messages: &[(u32, &[u32])],
    flits: u64,
    buffer: u64,
    ejection: EjectionChannels,
) -> TreeCertificate<'static> {
    let mut set = TreeSet::new(buffer, ejection);
    for (number, (src, dsts)) in (0..).zip(messages) {
        let dsts: Vec<NodeId> = dsts.iter().copied().map(NodeId).collect();
        for worm in multicast_trees(route, network, NodeId(*src), &dsts).unwrap() {
            set.add_messages(Cow::Owned(worm.tree), Flits(flits), number, 1);
        }
    }
    set.certificate().unwrap()
}

/// Messages 2 -> 3, 10 and 6 -> 3, 8 of six flits on a mesh of 4 x 4.
#[test]
fn crossing_trees_can_deadlock_until_buffers_hold_a_packet() {
    let (_, network) = mesh(&[4, 4], 1);
    let verdict = |buffer| {
        let messages: [(u32, &[u32]); 2] = [(2, &[3, 10]), (6, &[3, 8])];
        multicasts(&network, MulticastRoute::RouterTree, &messages, 6, buffer, EjectionChannels::One)
    };
    for buffer in 1..6 {
        assert_eq!(verdict(buffer).verdict(), Verdict::Cycle, "buffers of {buffer}");
    }
    assert_eq!(verdict(6).verdict(), Verdict::Free);
    let cycle = verdict(2);
    let names: Vec<String> = cycle.held().iter().map(|held| network.channels().name(held.held)).collect();
    assert_eq!(names.len(), 2);
    assert_eq!(cycle.held().iter().map(|held| held.message).collect::<BTreeSet<u64>>(), BTreeSet::from([0, 1]));
    assert!(cycle.held().iter().any(|held| network.channels().name(held.requested).contains("->")), "{names:?}");
}

/// On a mesh of 3 x 3 the worm from 6 goes down and ejects at 3, then at 4. The worm from 1 goes up, and ejects at 4 first.
#[test]
fn path_worms_need_two_ejection_channels() {
    let messages: [(u32, &[u32]); 2] = [(6, &[3, 4]), (1, &[3, 4])];
    let route = MulticastRoute::DualPath;
    let (_, one) = mesh(&[3, 3], 1);
    let shared = multicasts(&one, route, &messages, 8, 1, EjectionChannels::One);
    assert_eq!(shared.verdict(), Verdict::Cycle);
    let names: BTreeSet<String> = shared.held().iter().map(|held| one.channels().name(held.held)).collect();
    assert_eq!(names, ["ejection (1,0)", "ejection (1,1)"].map(str::to_owned).into());
    let (_, two) = mesh(&[3, 3], 2);
    let separate = multicasts(&two, route, &messages, 8, 1, EjectionChannels::Several);
    assert_eq!(separate.verdict(), Verdict::Free);
    let unlimited = multicasts(&two, route, &messages, 8, 1, EjectionChannels::Unlimited);
    assert_eq!(unlimited.verdict(), Verdict::Free);
}

/// A packet that takes any ejection channel of a node, and holds it while another worm waits there.
#[test]
fn copies_at_any_ejection_channel_compete_with_both_kinds() {
    let channel = |number, feeds: &[u32]| TreeChannel { channel: ChannelId(number), feeds: feeds.to_vec() };
    // both eject at nodes 10 and 11, one of them behind a link
    let any = Tree::new([channel(0, &[]), channel(10, &[0]), channel(5, &[0]), channel(11, &[2])]);
    let down = Tree::new([channel(1, &[]), channel(11, &[0]), channel(6, &[0]), channel(10, &[2])]);
    let down = down.ejecting(EjectionClass::Down);
    let mut set = TreeSet::new(1, EjectionChannels::Several);
    set.add(&any, Flits(9), 0);
    set.add(&down, Flits(9), 1);
    assert_eq!(judge(set), Verdict::Cycle);
}

#[test]
fn equal_trees_are_one() {
    let channel = |number, feeds: &[u32]| TreeChannel { channel: ChannelId(number), feeds: feeds.to_vec() };
    let tree = Tree::new([channel(0, &[]), channel(1, &[0]), channel(2, &[0]), channel(3, &[1]), channel(4, &[2])]);
    let other = Tree::new([channel(0, &[]), channel(2, &[0]), channel(1, &[0]), channel(4, &[1]), channel(3, &[2])]);
    let mut set = TreeSet::new(1, EjectionChannels::One);
    set.add(&tree, Flits(2), 7);
    set.add(&other, Flits(5), 8);
    assert_eq!((set.len(), set.longest(), set.trees()[0].messages), (1, Flits(5), 2));
    let up = tree.clone().ejecting(EjectionClass::Up);
    set.add(&up, Flits(1), 9);
    assert_eq!(set.len(), 2, "worms that go up eject by other channels");
}

#[test]
fn large_sets_are_refused_unless_buffers_hold_packets() {
    let path = |source: u32| {
        let links = (source % 7..100).map(|link| ChannelId(1000 + link));
        Tree::path(std::iter::once(ChannelId(source)).chain(links).chain([ChannelId(2000 + source)]))
    };
    let trees: Vec<Tree> = (0..9).map(path).collect();
    let verdict = |buffer, most| {
        let mut set = TreeSet::new(buffer, EjectionChannels::One);
        trees.iter().zip(0..).for_each(|(tree, message)| set.add(tree, Flits(4), message));
        set.certificate_within(most).map(|certificate| certificate.verdict())
    };
    let states = trees.iter().map(|tree| tree.len() as u64 - 1).sum();
    assert_eq!(verdict(3, states), Ok(Verdict::Free));
    assert_eq!(verdict(3, states - 1), Err(TooManyStates { states }));
    assert_eq!(verdict(4, states - 1), Ok(Verdict::Free), "links do not depend on each other in a cycle");
}

#[test]
fn certificates_list_trees_and_ranks() {
    let (_, network) = mesh(&[3], 2);
    let messages: [(u32, &[u32]); 2] = [(1, &[0, 2]), (0, &[1, 2])];
    let free = multicasts(&network, MulticastRoute::DualPath, &messages, 3, 2, EjectionChannels::Several);
    let mut text = Vec::new();
    TreeCertificateText::new(&free, &network, "a line", 1).unwrap().write(&mut text).unwrap();
    let expected = "flitwise certificate 2\nnetwork a line\nvirtual_channels 1\nbuffer 2\nverdict free\n\
                    tree 0 3 1\nchannel 0 0 i 1\nchannel 0 1 l 1 0 0\nchannel 0 2 e 2 0 1\n\
                    rank 0 0 5\nrank 0 1 4\n\
                    tree 1 3 1\nchannel 1 0 i 1\nchannel 1 1 l 2 0 0\nchannel 1 2 e 0 1 1\n\
                    rank 1 0 1\nrank 1 1 6\n\
                    tree 2 3 1\nchannel 2 0 i 0\nchannel 2 1 l 0 0 0\nchannel 2 2 e 1 0 1\nchannel 2 3 l 1 0 1\nchannel 2 4 e 2 0 3\n\
                    rank 2 0 6\nrank 2 1 6\nrank 2 2 6\nrank 2 3 3\n";
    assert_eq!(String::from_utf8(text).unwrap(), expected);
}
