//! When multicast trees contend: never on a chain that matches the routing as long as the hold covers a worm's
//! occupancy, only at the sender's own injection channel when it does not, and readily when chain and routing differ.

use crate::random::{bmin, channel_costs, dimension_ordered, group, mesh, permutation};
use crate::support::{model, plan, request};
use flitwise::algorithm::multicast::Request;
use flitwise::costs::{ChannelCosts, NodeCosts};
use flitwise::engine::program::ScheduleProgram;
use flitwise::engine::{Engine, Event, Interest, Observer, Outcome};
use flitwise::model::{Parameterised, uncontended};
use flitwise::routing::{DimensionOrder, Network, UpPort};
use flitwise::schedule::Schedule;
use flitwise::units::{Flits, NodeId, Ticks};
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64;

/// Counts blocked headers at the injection channel and beyond.
#[derive(Default)]
struct Blocked {
    injecting: u64,
    beyond: u64,
    /// How long they waited at the injection channel.
    time_injecting: Ticks,
}

impl Observer for Blocked {
    fn interest(&self) -> Interest {
        Interest::HOPS
    }

    fn event(&mut self, event: Event<'_>) {
        let Event::Granted { hop, requested, start, .. } = event else { return };
        let blocked = u64::from(start > requested);
        if hop == 0 {
            self.injecting += blocked;
            self.time_injecting += start - requested;
        } else {
            self.beyond += blocked;
        }
    }
}

/// A multicast with everything but the network that a run of it needs.
struct Case {
    schedule: Schedule,
    channel: ChannelCosts,
    node: NodeCosts,
}

impl Case {
    fn run(&self, network: &dyn Network) -> (Outcome, Blocked) {
        let mut blocked = Blocked::default();
        let program = ScheduleProgram::new(&self.schedule, &self.node);
        let outcome = Engine::Worm.run(network, self.channel, program, &mut blocked).unwrap();
        assert_eq!(outcome.queued_messages, blocked.injecting);
        assert_eq!(outcome.queued_time, blocked.time_injecting);
        assert_eq!(outcome.blocked_headers, blocked.injecting + blocked.beyond);
        (outcome, blocked)
    }

    /// The longest time that a worm of the schedule can occupy a channel of `network`.
    fn occupancy(&self, network: &dyn Network) -> u64 {
        let channels = self.schedule.messages().map(|m| network.hops(m.src, m.dst) + 2).max().unwrap_or(2);
        self.channel.occupancy(self.schedule.flits(), channels).0
    }

    fn hold(mut self, ticks: u64) -> Self {
        (self.node.hold_setup, self.node.hold_per_flit) = (ticks, 0);
        self
    }
}

fn random_group(random: &mut Pcg64, network: &dyn Network) -> Vec<NodeId> {
    group(random, network.channels().nodes(), 100)
}

/// One of `algorithms` for `group` at random costs; the tree may be optimal for quite another model.
fn case(random: &mut Pcg64, network: &dyn Network, group: &[NodeId], algorithms: &[&str]) -> Case {
    let longest = [1, 10, 300][random.random_range(0..3)];
    let flits = Flits(random.random_range(0..=longest));
    let channel = ChannelCosts { routing_delay: random.random_range(0..9), ..channel_costs(random) };
    let node = NodeCosts::default()
        .sending(random.random_range(0..200), random.random_range(0..3))
        .receiving(random.random_range(0..200), random.random_range(0..3));
    let mut guess = Parameterised::derived(&node, channel, flits);
    if random.random_bool(0.5) {
        let end = random.random_range(0..1000);
        guess = model(random.random_range(0..=end), end);
    }
    let asked = Request { network: Some(network), flits, ..request(group, network.channels().nodes(), guess) };
    let schedule = plan(algorithms[random.random_range(0..algorithms.len())], &asked);
    Case { schedule, channel, node }
}

/// A contention-free multicast on a mesh, a hypercube or a bmin.
fn contention_free(random: &mut Pcg64) -> (Case, Box<dyn Network>) {
    let (network, algorithms): (Box<dyn Network>, _) = match random.random_bool(0.3) {
        true => (Box::new(bmin(random, UpPort::Source)), ["u-min", "opt-min", "bisection", "fibonacci-boundary"]),
        false => (dimension_ordered(random), ["u-mesh", "opt-mesh", "bisection", "fibonacci-boundary"]),
    };
    let group = random_group(random, network.as_ref());
    (case(random, network.as_ref(), &group, &algorithms), network)
}

#[test]
fn no_header_is_blocked_when_the_hold_covers_the_occupancy() {
    let mut messages = 0;
    for seed in 0..3000 {
        let mut random = Pcg64::seed_from_u64(seed);
        let (case, network) = contention_free(&mut random);
        let spare = [0, random.random_range(0..100)][random.random_range(0..2)];
        let hold = case.occupancy(network.as_ref()) + spare;
        let case = case.hold(hold);
        let (outcome, blocked) = case.run(network.as_ref());
        assert_eq!((outcome.blocked_headers, blocked.injecting, blocked.beyond), (0, 0, 0), "seed {seed}");
        let prices = uncontended(&case.schedule, network.as_ref(), &case.node, case.channel);
        let received: Vec<Ticks> = outcome.messages.iter().map(|m| m.received).collect();
        assert_eq!((received, outcome.completion), (prices.received, prices.completion), "seed {seed}");
        messages += outcome.messages.len();
    }
    assert!(messages > 50_000, "only {messages} messages: the cases prove little");
}

#[test]
fn a_shorter_hold_blocks_only_at_the_senders_own_injection_channel() {
    let mut injecting = 0;
    for seed in 0..3000 {
        let mut random = Pcg64::seed_from_u64(seed);
        let (case, network) = contention_free(&mut random);
        let hold = random.random_range(0..case.occupancy(network.as_ref()));
        let case = case.hold(hold);
        let (outcome, blocked) = case.run(network.as_ref());
        assert_eq!(blocked.beyond, 0, "seed {seed}: blocked beyond the injection channel");
        assert_eq!(outcome.blocked_headers, blocked.injecting, "seed {seed}");
        injecting += blocked.injecting;
    }
    assert!(injecting > 10_000, "only {injecting} headers were blocked: the cases prove little");
}

/// How many of `cases` multicasts have blocked headers although the hold covers the occupancy; each comes with the
/// network that it runs on.
fn contended(cases: u64, make: impl Fn(&mut Pcg64) -> (Case, Box<dyn Network>)) -> usize {
    let contends = |seed: &u64| {
        let (case, network) = make(&mut Pcg64::seed_from_u64(*seed));
        let hold = case.occupancy(network.as_ref());
        case.hold(hold).run(network.as_ref()).0.blocked_headers > 0
    };
    (0..cases).filter(contends).count()
}

#[test]
fn a_chain_for_the_opposite_order_contends() {
    let contended = contended(1000, |random| {
        let mesh = mesh(random);
        let order = permutation(random, mesh.shape().len());
        let opposite = order.iter().rev().copied().collect();
        let network = DimensionOrder::new(mesh.clone(), order).unwrap();
        let group = random_group(random, &network);
        let case = case(random, &network, &group, &["u-mesh", "opt-mesh"]);
        (case, Box::new(DimensionOrder::new(mesh, opposite).unwrap()))
    });
    assert!((30..900).contains(&contended), "{contended} of 1000 runs contended");
}

#[test]
fn the_destinations_way_up_contends() {
    let contended = contended(1000, |random| {
        let tree = bmin(random, UpPort::Destination);
        let group = random_group(random, &tree);
        (case(random, &tree, &group, &["u-min", "opt-min"]), Box::new(tree))
    });
    assert!((10..900).contains(&contended), "{contended} of 1000 runs contended");
}

#[test]
fn the_optimal_tree_in_random_order_contends() {
    let contended = contended(1000, |random| {
        let network = DimensionOrder::first_coordinate_first(mesh(random));
        let group = random_group(random, &network);
        (case(random, &network, &group, &["opt-tree"]), Box::new(network))
    });
    assert!((100..900).contains(&contended), "{contended} of 1000 runs contended");
}

/// Algorithm 1 of the Fibonacci paper lets the first node of a low part receive, which is not at the boundary.
#[test]
fn the_printed_fibonacci_tree_contends() {
    let contended = contended(1000, |random| {
        let network = DimensionOrder::first_coordinate_first(mesh(random));
        let group = random_group(random, &network);
        (case(random, &network, &group, &["fibonacci"]), Box::new(network))
    });
    assert!((10..900).contains(&contended), "{contended} of 1000 runs contended");
}

/// `group` in the order of `network`'s chain, rotated so that its source comes first.
fn rotated_chain(network: &dyn Network, mut group: Vec<NodeId>) -> Vec<NodeId> {
    let source = group[0];
    group.sort_unstable_by_key(|&node| network.chain_rank(node));
    let first = group.iter().position(|&node| node == source).unwrap();
    group.rotate_left(first);
    group
}

#[test]
fn a_rotated_chain_never_contends() {
    let contended = contended(1000, |random| {
        let network: Box<dyn Network> = match random.random_range(0..3) {
            0 => Box::new(DimensionOrder::first_coordinate_first(mesh(random))),
            1 => Box::new(bmin(random, UpPort::Source)),
            _ => Box::new(bmin(random, UpPort::Destination)),
        };
        let group = rotated_chain(network.as_ref(), random_group(random, network.as_ref()));
        (case(random, network.as_ref(), &group, &["opt-tree"]), network)
    });
    assert_eq!(contended, 0);
}
