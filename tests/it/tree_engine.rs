//! Packets on trees in routers: deliveries to the tick against two independent programs, and events that agree with the trees.

use flitwise::engine::program::{MessageSet, Program, Requests, Signal, Worm};
use flitwise::engine::{Event, Interest, Observer, Outcome, Stop};
use flitwise::machine::{Draw, Machine};
use flitwise::network::tree_network;
use flitwise::routing::tree::{MulticastRoute, Tree, join, multicast_trees};
use flitwise::scenario::{Options, Scenario};
use flitwise::units::{Flits, MessageId, NodeId, Ticks};
use serde::Deserialize;
use serde_json::Value;
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::ops::Range;
use std::path::Path;
use std::sync::Arc;

const DATA: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/in-network");

/// Multicasts and reductions, and the times of their deliveries.
#[derive(Deserialize)]
struct Case {
    network: BTreeMap<String, BTreeMap<String, Value>>,
    #[serde(default)]
    router: BTreeMap<String, Value>,
    channel: BTreeMap<String, Value>,
    multicast: Option<String>,
    ejection_ports: Option<u32>,
    messages: Vec<Message>,
    /// Per source and destination: id, source, destination, injected, delivered.
    #[serde(default)]
    expect: Vec<[u64; 5]>,
}

#[derive(Deserialize)]
struct Message {
    id: u64,
    src: Vec<u32>,
    dst: Vec<u32>,
    flits: u64,
    start: u64,
}

/// A message of a worm, or of none.
#[derive(Clone, Copy)]
struct Part {
    id: u64,
    src: NodeId,
    dst: NodeId,
    flits: Flits,
    start: Ticks,
    worm: Option<usize>,
}

/// Messages at fixed times, some of which go as worms.
#[derive(Clone, Default)]
struct Worms {
    parts: Vec<Part>,
    worms: Vec<(Arc<Tree>, Range<u32>)>,
}

impl Worms {
    fn add(&mut self, message: &Message, ends: &[(NodeId, NodeId)], tree: Option<Tree>) {
        let first = u32::try_from(self.parts.len()).unwrap();
        let worm = tree.is_some().then_some(self.worms.len());
        for &(src, dst) in ends {
            let (id, flits, start) = (message.id, Flits(message.flits), Ticks(message.start));
            self.parts.push(Part { id, src, dst, flits, start, worm });
        }
        let last = u32::try_from(self.parts.len()).unwrap();
        self.worms.extend(tree.map(|tree| (Arc::new(tree), first..last)));
    }

    /// Returns true if part number `at` is the first of its worm from its source.
    fn is_sent(&self, at: usize) -> bool {
        let src = self.parts[at].src;
        let first = self.parts[at].worm.map_or(at, |worm| self.worms[worm].1.start as usize);
        self.parts[first..at].iter().all(|other| other.src != src)
    }
}

impl MessageSet for Worms {
    fn messages(&self) -> usize {
        self.parts.len()
    }

    fn message(&self, id: MessageId) -> (NodeId, NodeId, Flits) {
        let Part { src, dst, flits, .. } = self.parts[id.index()];
        (src, dst, flits)
    }

    fn has_worms(&self) -> bool {
        true
    }

    fn worm(&self, id: MessageId) -> Option<Worm<'_>> {
        let (tree, messages) = &self.worms[self.parts[id.index()].worm?];
        Some(Worm { tree, messages: messages.clone() })
    }

    fn receive_time(&self, _: MessageId) -> Ticks {
        Ticks::ZERO
    }
}

impl Program for Worms {
    fn signal(&mut self, signal: Signal, requests: &mut Requests) {
        if let Signal::Start = signal {
            let sent = (0..self.parts.len()).filter(|&at| self.is_sent(at));
            sent.for_each(|at| requests.request(MessageId::new(at), self.parts[at].start));
        }
    }
}

impl Case {
    fn all(file: &str) -> Vec<Self> {
        serde_json::from_str(&fs::read_to_string(Path::new(DATA).join(file)).unwrap()).unwrap()
    }

    /// The machine, and its messages.
    fn read(&self, model: &str) -> (Machine, Worms) {
        let mut text = "name = \"s\"\n".to_owned();
        for (name, keys) in &self.network {
            writeln!(text, "[{name}]").unwrap();
            keys.iter().for_each(|(key, value)| writeln!(text, "{key} = {value}").unwrap());
        }
        text += "[channel]\n";
        self.channel.iter().for_each(|(key, value)| writeln!(text, "{key} = {value}").unwrap());
        writeln!(text, "[router]\nmodel = \"{model}\"").unwrap();
        for (key, value) in self.router.iter().filter(|(key, _)| key.as_str() == "routing") {
            writeln!(text, "{key} = {value}").unwrap();
        }
        writeln!(text, "[node]\nejection_ports = {}", self.ejection_ports.unwrap_or(1)).unwrap();
        text += "[engine]\nkind = \"router\"\n[workload.collective]\noperation = \"barrier\"\nalgorithms = [\"dissemination\"]\n";
        let scenario = Scenario::parse("s.toml", &text, Path::new(DATA), &Options::default());
        let scenario = scenario.unwrap_or_else(|error| panic!("{error}\n{text}"));
        let mut machine = (*scenario.points[0].experiment.machine).clone();
        let combining = &mut machine.routers.as_mut().unwrap().costs.combining;
        let cycles = |key: &str| self.router.get(key).and_then(Value::as_u64);
        combining.latency = cycles("combine_latency").unwrap_or(combining.latency);
        combining.interval = cycles("combine_interval").unwrap_or(combining.interval);
        let worms = self.worms(&machine);
        (machine, worms)
    }

    fn worms(&self, machine: &Machine) -> Worms {
        let network = &machine.network.as_ref().unwrap().network;
        let view = tree_network(machine.spec().unwrap(), Arc::clone(network)).unwrap();
        let name = self.multicast.as_deref().unwrap_or("router-tree");
        let (_, route) = MulticastRoute::ALL.into_iter().find(|(of, _)| *of == name).unwrap();
        let mut worms = Worms::default();
        for message in &self.messages {
            let nodes = |numbers: &[u32]| numbers.iter().map(|&number| NodeId(number)).collect::<Vec<_>>();
            let (src, dst) = (nodes(&message.src), nodes(&message.dst));
            if let [dst] = dst[..] {
                let ends: Vec<(NodeId, NodeId)> = src.iter().map(|&src| (src, dst)).collect();
                let tree = (src.len() > 1).then(|| join(&view, &src, dst));
                worms.add(message, &ends, tree);
                continue;
            }
            for worm in multicast_trees(route, &view, src[0], &dst).unwrap() {
                let ends: Vec<(NodeId, NodeId)> = worm.destinations.iter().map(|&dst| (src[0], dst)).collect();
                worms.add(message, &ends, Some(worm.tree));
            }
        }
        worms
    }
}

fn run(machine: &Machine, worms: &Worms, observer: &mut impl Observer) -> Result<Outcome, Stop> {
    machine.run(worms.clone(), Draw { seed: 0, repetition: 0 }, observer).unwrap()
}

/// The grants and releases of each message, in the order of their hops.
#[derive(Default)]
struct HopRecord {
    granted: BTreeMap<MessageId, Vec<Ticks>>,
    started: BTreeMap<(MessageId, usize), Ticks>,
    released: BTreeMap<MessageId, usize>,
}

impl Observer for HopRecord {
    fn interest(&self) -> Interest {
        Interest::HOPS
    }

    fn event(&mut self, event: Event<'_>) {
        match event {
            Event::Granted { message, hop, start, requested, .. } => {
                let grants = self.granted.entry(message).or_default();
                assert_eq!(grants.len(), hop, "message {message}");
                assert!(requested <= start);
                grants.push(start);
            }
            Event::Started { message, hop, at, .. } => {
                self.started.entry((message, hop)).or_insert(at);
            }
            Event::Released { message, .. } => *self.released.entry(message).or_default() += 1,
            Event::Left { message, .. } => panic!("message {message} shares its flits with others"),
            Event::Restarted | Event::Ended(_) => {}
        }
    }
}

#[test]
fn deliveries_are_those_of_independent_programs() {
    for model in ["ideal", "pipelined"] {
        for (number, case) in Case::all(&format!("{model}.json")).into_iter().enumerate() {
            let (machine, worms) = case.read(model);
            let outcome = run(&machine, &worms, &mut ()).unwrap_or_else(|stop| panic!("{model} {number}: {stop}"));
            let mut rows: Vec<[u64; 5]> = Vec::new();
            for (part, message) in worms.parts.iter().zip(&outcome.messages) {
                rows.push([part.id, part.src.0.into(), part.dst.0.into(), message.injected.0, message.delivered.0]);
            }
            let mut expected = case.expect.clone();
            rows.sort_unstable();
            expected.sort_unstable();
            assert_eq!(rows, expected, "{model} {number}: {:?}", case.network);
        }
    }
}

/// Each message has the channels of its way through the tree, in order, and leaves all of them.
#[test]
fn observers_follow_the_way_of_each_message() {
    for model in ["ideal", "pipelined"] {
        for (number, case) in Case::all(&format!("{model}.json")).into_iter().enumerate() {
            let (machine, worms) = case.read(model);
            let mut record = HopRecord::default();
            let outcome = run(&machine, &worms, &mut record).unwrap();
            for (at, message) in outcome.messages.iter().enumerate() {
                let id = MessageId::new(at);
                let channels = message.hops as usize + 2;
                let label = format!("{model} {number}: message {at} of {:?}", case.network);
                assert_eq!(record.granted[&id].len(), channels, "{label}");
                assert_eq!(record.released[&id], channels, "{label}");
                assert!(record.granted[&id].is_sorted(), "{label}");
                let starts: Vec<Ticks> = (0..channels).map(|hop| record.started[&(id, hop)]).collect();
                assert!(starts.is_sorted(), "{label}: {starts:?}");
            }
        }
    }
}

/// The machine with two multicasts on a 4x4 mesh that meet in crossing order, with buffers of `buffer` flits.
fn crossing(buffer: u32) -> (Machine, Worms) {
    let message = |id, src, dst: [u32; 2]| Message { id, src: vec![src], dst: dst.to_vec(), flits: 6, start: 0 };
    let case = Case {
        network: BTreeMap::from([("network.mesh".to_owned(), BTreeMap::from([("shape".to_owned(), [4, 4].into())]))]),
        router: BTreeMap::new(),
        channel: BTreeMap::from([("buffer".to_owned(), buffer.into())]),
        multicast: None,
        ejection_ports: None,
        messages: vec![message(0, 2, [3, 10]), message(1, 6, [3, 8])],
        expect: Vec::new(),
    };
    case.read("ideal")
}

#[test]
fn crossing_trees_deadlock_unless_buffers_hold_a_packet() {
    let (machine, worms) = crossing(2);
    let stop = run(&machine, &worms, &mut ()).unwrap_err().to_string();
    assert!(stop.contains("message 0 waits for channel (1,2)->(2,2), held by message 2"), "{stop}");
    assert!(stop.contains("message 2 waits for channel (0,2)->(0,3), held by message 0"), "{stop}");
    let (machine, worms) = crossing(6);
    let delivered: Vec<u64> =
        run(&machine, &worms, &mut ()).unwrap().messages.iter().map(|row| row.delivered.0).collect();
    assert_eq!(delivered, [8, 14, 14, 10]);
}
