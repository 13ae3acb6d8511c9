//! Messages that wait for each other for ever: on a ring without virtual channels both engines stop at the same state
//! and name the same messages and the same cycle of channels.

use crate::cli::Bench;
use crate::support::Recording;
use flitwise::costs::{Buffer, ChannelCosts};
use flitwise::engine::program::{TraceMessage, TraceProgram};
use flitwise::engine::{Deadlock, Engine, Outcome, Stop};
use flitwise::routing::{Network, Order};
use flitwise::topology::{Channels, Origin};
use flitwise::units::{ChannelId, Flits, MessageId, NodeId, RouterId, Ticks};
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64;

/// A ring on which all messages go up. Node `v` owns `p` injection and `p` ejection channels and its link to `v + 1`.
struct Ring {
    nodes: usize,
    ports: usize,
}

impl Ring {
    fn slots(&self) -> usize {
        2 * self.ports + 1
    }

    fn link(&self, node: usize) -> ChannelId {
        ChannelId::new((node % self.nodes) * self.slots() + 2 * self.ports)
    }
}

impl Channels for Ring {
    fn nodes(&self) -> usize {
        self.nodes
    }

    fn count(&self) -> usize {
        self.nodes * self.slots()
    }

    fn ports(&self) -> usize {
        self.ports
    }

    fn injection(&self, node: NodeId) -> ChannelId {
        ChannelId::new(node.index() * self.slots())
    }

    fn ejection(&self, node: NodeId) -> ChannelId {
        ChannelId::new(node.index() * self.slots() + self.ports)
    }

    fn class(&self, channel: ChannelId) -> Option<usize> {
        matches!(self.origin(channel), Origin::Link(_)).then_some(0)
    }

    fn origin(&self, channel: ChannelId) -> Origin {
        let node = NodeId::new(channel.index() / self.slots());
        match channel.index() % self.slots() {
            slot if slot < self.ports => Origin::Injection(node),
            slot if slot < 2 * self.ports => Origin::Ejection(node),
            _ => Origin::Link(RouterId(node.0)),
        }
    }

    fn name(&self, channel: ChannelId) -> String {
        let (node, slot) = (channel.index() / self.slots(), channel.index() % self.slots());
        if slot < 2 * self.ports { format!("{node}.{slot}") } else { format!("{node}->{}", (node + 1) % self.nodes) }
    }
}

impl Network for Ring {
    fn channels(&self) -> &dyn Channels {
        self
    }

    fn route(&self, src: NodeId, dst: NodeId, path: &mut Vec<ChannelId>) {
        path.push(self.injection(src));
        path.extend((0..self.hops(src, dst)).map(|hop| self.link(src.index() + hop)));
        path.push(self.ejection(dst));
    }

    fn hops(&self, src: NodeId, dst: NodeId) -> usize {
        (dst.index() + self.nodes - src.index()) % self.nodes
    }

    fn order(&self) -> Order {
        Order::Leaf
    }

    fn chain_rank(&self, node: NodeId) -> u64 {
        u64::from(node.0)
    }
}

/// What a run ends with, and every start and release in the order of (message, hop).
fn run(engine: Engine, ring: &Ring, costs: ChannelCosts, trace: &[TraceMessage]) -> (Ended, Recording) {
    let mut recording = Recording::default();
    let ended = engine.run(ring, costs, TraceProgram::new(trace), &mut recording).map_err(|stop| match stop {
        Stop::Deadlock(deadlock) => deadlock,
        other => panic!("{other}"),
    });
    recording.granted.sort_unstable();
    recording.released.sort_unstable();
    (ended, recording)
}

type Ended = Result<Outcome, Box<Deadlock>>;

/// That each message of the cycle holds, by what was observed, a channel that the one before waits for.
fn assert_cycle(ring: &Ring, deadlock: &Deadlock, recording: &Recording) {
    assert!(deadlock.cycle.len() > 1, "{deadlock}");
    let released: Vec<_> = recording.released.iter().map(|&(message, hop, ..)| (message, hop)).collect();
    let held = recording.granted.iter().filter(|(message, hop, ..)| released.binary_search(&(*message, *hop)).is_err());
    let held: Vec<(MessageId, ChannelId)> = held.map(|&(message, _, channel, ..)| (message, channel)).collect();
    let holders = deadlock.cycle.iter().cycle().skip(1);
    for (waiting, holder) in deadlock.cycle.iter().zip(holders) {
        assert!(deadlock.waiting.contains(waiting), "{deadlock}");
        let is_link = waiting.channel.index() % ring.slots() == 2 * ring.ports;
        let width = if is_link { 1 } else { ring.ports };
        let wanted = waiting.channel..ChannelId::new(waiting.channel.index() + width);
        let holds = held.iter().any(|(message, channel)| *message == holder.message && wanted.contains(channel));
        assert!(holds, "message {} does not hold {}: {deadlock}", holder.message, waiting.channel);
    }
}

/// Every node of a ring sends `flits` flits `distance` nodes on at time 0.
fn all_at_once(nodes: usize, distance: usize, flits: u64) -> Vec<TraceMessage> {
    let dst = |src| NodeId::new((src + distance) % nodes);
    let message = |src| TraceMessage { src: NodeId::new(src), dst: dst(src), flits: Flits(flits), start: Ticks::ZERO };
    (0..nodes).map(message).collect()
}

#[test]
fn a_full_ring_deadlocks_and_says_who_waits_for_what() {
    let ring = Ring { nodes: 3, ports: 1 };
    for engine in [Engine::Flit, Engine::Worm, Engine::Sleep, Engine::Auto] {
        let (ended, recording) = run(engine, &ring, ChannelCosts::default(), &all_at_once(3, 2, 5));
        let deadlock = ended.unwrap_err();
        assert_cycle(&ring, &deadlock, &recording);
        assert_eq!(
            deadlock.to_string(),
            "deadlock: 3 messages wait forever: 0, 1, 2\
             \n  message 0 waits for channel 1->2, held by message 1\
             \n  message 1 waits for channel 2->0, held by message 2\
             \n  message 2 waits for channel 0->1, held by message 0"
        );
    }
}

#[test]
fn a_long_report_is_cut_short() {
    let ring = Ring { nodes: 20, ports: 1 };
    for engine in [Engine::Flit, Engine::Worm, Engine::Sleep] {
        let (ended, recording) = run(engine, &ring, ChannelCosts::default(), &all_at_once(20, 3, 9));
        let deadlock = ended.unwrap_err();
        assert_cycle(&ring, &deadlock, &recording);
        let report = deadlock.to_string();
        assert!(
            report.starts_with("deadlock: 20 messages wait forever: 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11 and 8 more\n")
        );
        assert!(report.ends_with("\n  ... 20 messages in the cycle"), "{report}");
    }
}

#[test]
fn only_a_closed_cycle_deadlocks() {
    let ring = Ring { nodes: 4, ports: 1 };
    let full = all_at_once(4, 2, 5);
    let cases = [
        ("neighbours", all_at_once(4, 1, 5), 1, true),
        ("no gap", full.clone(), 1, false),
        ("one message fewer", full[1..].to_vec(), 1, true),
        ("single flits", all_at_once(4, 2, 1), 1, false),
        ("buffers that take a whole worm, but belong to their channels' owners", full, 5, false),
    ];
    for (what, trace, buffer, completes) in cases {
        for engine in [Engine::Flit, Engine::Worm, Engine::Sleep] {
            let costs = ChannelCosts { buffer: Buffer::Flits(buffer), ..ChannelCosts::default() };
            let (ended, _) = run(engine, &ring, costs, &trace);
            assert_eq!(ended.is_ok(), completes, "{what} {engine:?}: {ended:?}");
        }
    }
}

fn random_trace(random: &mut Pcg64, nodes: usize) -> Vec<TraceMessage> {
    let latest = [0, 5, 60][random.random_range(0..3)];
    let message = |random: &mut Pcg64| TraceMessage {
        src: NodeId::new(random.random_range(0..nodes)),
        dst: NodeId::new(random.random_range(0..nodes)),
        flits: Flits(random.random_range(0..30)),
        start: Ticks(random.random_range(0..=latest)),
    };
    (0..random.random_range(1..20)).map(|_| message(random)).collect()
}

#[test]
fn the_engines_agree_on_completion_and_on_deadlock() {
    let mut deadlocks = 0;
    for seed in 0..2000 {
        let mut random = Pcg64::seed_from_u64(seed);
        let ring = Ring { nodes: random.random_range(2..9), ports: [1, 1, 1, 2, 3][random.random_range(0..5)] };
        let costs = ChannelCosts {
            flit_time: random.random_range(1..=3),
            buffer: Buffer::Flits(random.random_range(1..=4)),
            routing_delay: random.random_range(0..=3),
        };
        let trace = random_trace(&mut random, ring.nodes);
        let (flit, flit_recording) = run(Engine::Flit, &ring, costs, &trace);
        let (worm, worm_recording) = run(Engine::Worm, &ring, costs, &trace);
        assert_eq!(flit_recording, worm_recording, "seed {seed}");
        let (sleep, sleep_recording) = run(Engine::Sleep, &ring, costs, &trace);
        assert_eq!(flit_recording, sleep_recording, "seed {seed}");
        let messages = |ended: &Ended| ended.as_ref().map(|outcome| outcome.messages.clone()).map_err(Clone::clone);
        assert_eq!(messages(&flit), messages(&sleep), "seed {seed}");
        match (flit, worm) {
            (Ok(flit), Ok(worm)) => assert_eq!(flit.messages, worm.messages, "seed {seed}"),
            (Err(flit), Err(worm)) => {
                deadlocks += 1;
                assert_eq!(flit, worm, "seed {seed}");
                assert_cycle(&ring, &worm, &worm_recording);
                let undelivered =
                    trace.len() - worm_recording.granted.iter().filter(|g| arrived(&ring, &trace, g)).count();
                assert_eq!(worm.waiting.len(), undelivered, "seed {seed}");
            }
            (flit, worm) => panic!("seed {seed}: {flit:?} but {worm:?}"),
        }
    }
    assert!((200..1800).contains(&deadlocks), "{deadlocks} of 2000 sets deadlocked");
}

/// Whether a grant is that of a message's ejection channel.
fn arrived(ring: &Ring, trace: &[TraceMessage], grant: &(MessageId, usize, ChannelId, Ticks, Ticks)) -> bool {
    let message = &trace[grant.0.index()];
    grant.1 == ring.hops(message.src, message.dst) + 1
}

/// A dragonfly without the virtual channels it needs, whose nodes have three ports.
const TWO_CYCLES: &str = "name = \"two-cycles\"\n[network.dragonfly]\np = 1\na = 2\nh = 1\ngroups = 3\n\
    [channel]\nrouting_delay = 1\nvirtual_channels = 1\n[node]\nports = 3\n[router]\nrouting = \"minimal\"\n\
    [workload.trace]\nfile = \"messages.csv\"\n";

/// Message 0 waits for the ports of its node, which messages of two cycles hold: the engines named one each.
#[test]
fn of_two_cycles_every_engine_names_the_same() {
    let bench = Bench::new(TWO_CYCLES);
    let messages = "id,src,dst,flits,start\n0,0,5,0,2\n1,0,4,2,0\n2,1,3,0,0\n3,4,3,0,0\n4,3,1,2,0\n5,0,3,2,1\n6,2,5,0,1\n\
                    7,1,5,0,0\n8,0,5,0,0\n9,5,2,0,0\n10,2,4,0,0\n11,5,1,0,0\n12,4,0,0,0\n";
    std::fs::write(bench.path("messages.csv"), messages).unwrap();
    let said = |engine| bench.fails(1, &["run", "s.toml", "--force", "--set", &format!("engine.kind={engine}")]);
    let flit = said("flit");
    assert!(flit.contains("message 1 waits for channel") && flit.contains("held by message 7"), "{flit}");
    assert_eq!([said("worm"), said("sleep")], [flit.clone(), flit]);
}
