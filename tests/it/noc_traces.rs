//! Traces of reads on a chip for `noc_reference` and for flitwise: drawn at random, written as the chip's makers write them,
//! and read from their files.

use crate::noc_device::Tile;
use crate::noc_reference::{Action, Event, Processor};
use rand::RngExt;
use rand::seq::SliceRandom;
use rand_pcg::Pcg64;
use serde_json::{Value, json};

/// The two processors of a core that move data; number 0 uses network 1 unless it is told otherwise.
const NAMES: [&str; 2] = ["BRISC", "NCRISC"];

/// Time 0 of traces that are written: more than 32 bits.
const BEGIN: u64 = 4_349_885_131_335;

/// What a random trace is like.
struct Taste {
    /// Where cores are, and what they like to read.
    cores: Vec<Tile>,
    hot: Vec<Tile>,
    /// How often they do, of ten times.
    hot_of_ten: u32,
    /// Cycles between two reads, at most.
    gap: u64,
    /// Barriers per ten reads.
    barriers_of_ten: u32,
    /// Whether processors use both networks.
    mixed: bool,
    most_reads: u64,
}

/// A random trace of 2 to 13 processors, with a barrier at the end of each.
pub(crate) fn random(random: &mut Pcg64) -> Vec<Processor> {
    let mut taste = Taste::new(random);
    taste.cores.shuffle(random);
    let mut processors = Vec::new();
    let wanted = random.random_range(2..=12);
    for &tile in &taste.cores {
        // in a file the processors of a core come together
        let mut numbers = [0, 1];
        numbers.shuffle(random);
        for number in &numbers[..random.random_range(1..=2)] {
            let events = taste.events(1 - number, random);
            processors.push(Processor { tile, name: NAMES[*number], events });
        }
        if processors.len() >= wanted {
            break;
        }
    }
    starting_at_zero(processors)
}

/// The same, with time 0 at the first event.
fn starting_at_zero(mut processors: Vec<Processor>) -> Vec<Processor> {
    let first = processors.iter().flat_map(|processor| &processor.events).map(|event| event.at).min().unwrap();
    for event in processors.iter_mut().flat_map(|processor| &mut processor.events) {
        event.at -= first;
        if let Action::Barrier { end } = &mut event.action {
            *end -= first;
        }
    }
    processors
}

impl Taste {
    fn new(random: &mut Pcg64) -> Self {
        let mut sources = Tile::workers();
        sources.extend(Tile::drams().repeat(3));
        let hot = random.random_range(1..=3);
        let line = random.random_range(1..10);
        let cores = Tile::workers().into_iter();
        // ways of cores in a line meet on few links
        let cores: Vec<Tile> = match random.random_range(0..4) {
            0 => cores.filter(|core| core.x == line).collect(),
            1 => cores.filter(|core| core.y == line).collect(),
            _ => cores.collect(),
        };
        Self {
            cores: if cores.is_empty() { Tile::workers() } else { cores },
            hot: (0..hot).map(|_| one_of(random, &sources)).collect(),
            hot_of_ten: one_of(random, &[0, 5, 9, 10]),
            gap: one_of(random, &[0, 3, 40, 200]),
            barriers_of_ten: one_of(random, &[0, 1, 1, 4]),
            mixed: random.random_range(0..4) == 0,
            most_reads: one_of(random, &[1, 4, 12, 30]),
        }
    }

    fn events(&self, network: usize, random: &mut Pcg64) -> Vec<Event> {
        let mut events = Vec::new();
        let mut at = random.random_range(0..=self.gap);
        for _ in 0..random.random_range(1..=self.most_reads) {
            let network = if self.mixed { random.random_range(0..2) } else { network };
            while random.random_range(0..10) < self.barriers_of_ten {
                at = barrier(at, network, random, &mut events);
            }
            let from = self.source(random);
            events.push(Event { at, network, action: Action::Read { from, bytes: bytes(random) } });
            at += random.random_range(0..=self.gap);
        }
        barrier(at, network, random, &mut events);
        events
    }

    fn source(&self, random: &mut Pcg64) -> Tile {
        if random.random_range(0..10) < self.hot_of_ten {
            return one_of(random, &self.hot);
        }
        let sources = if random.random_range(0..3) == 0 { Tile::drams() } else { Tile::workers() };
        one_of(random, &sources)
    }
}

fn one_of<T: Clone>(random: &mut Pcg64, values: &[T]) -> T {
    values[random.random_range(0..values.len())].clone()
}

/// Mostly what the chip's own programs read.
fn bytes(random: &mut Pcg64) -> u64 {
    match random.random_range(0..10) {
        0..4 => 2048,
        4..7 => 4096,
        7 => one_of(random, &[32, 33, 64, 8191, 8192, 8193, 16_384]),
        _ => random.random_range(32..=16_384),
    }
}

/// Adds a barrier; when the next event may be.
fn barrier(at: u64, network: usize, random: &mut Pcg64, events: &mut Vec<Event>) -> u64 {
    let end = at + random.random_range(77..2000);
    events.push(Event { at, network, action: Action::Barrier { end } });
    end + random.random_range(0..3) * 50
}

/// The text of a trace as the chip's makers write it: absolute times, and events that say nothing of reads.
pub(crate) fn write(processors: &[Processor]) -> String {
    let mut events = vec![json!({
        "proc": "", "zone": "PROFILER-NOC-QUICK-SEND", "zone_phase": "begin", "sx": 1, "sy": 1, "timestamp": BEGIN - 500,
    })];
    for processor in processors {
        let kernel = json!({
            "proc": processor.name, "zone": format!("{}-KERNEL", processor.name), "zone_phase": "begin",
            "sx": processor.tile.x, "sy": processor.tile.y, "timestamp": BEGIN,
        });
        events.push(kernel.clone());
        for (number, event) in processor.events.iter().enumerate() {
            if number == 3 {
                // some of the chip's own traces have it again in the middle, with its old time
                events.push(kernel.clone());
            }
            events.extend(written(processor, event));
        }
    }
    Value::Array(events).to_string()
}

fn written(processor: &Processor, event: &Event) -> Vec<Value> {
    let value = |kind: &str, at: u64, dx: i64, dy: i64, bytes: u64| {
        json!({
            "proc": processor.name, "noc": noc(event.network), "vc": -1,
            "sx": processor.tile.x, "sy": processor.tile.y, "dx": dx, "dy": dy,
            "num_bytes": bytes, "type": kind, "timestamp": BEGIN + at, "kernel_start_delta": at,
        })
    };
    let place = |coordinate: usize| i64::try_from(coordinate).unwrap();
    match event.action {
        Action::Read { from, bytes } => vec![value("READ", event.at, place(from.x), place(from.y), bytes)],
        Action::Barrier { end } => {
            let start = value("READ_BARRIER_START", event.at, -1, -1, 0);
            vec![start, value("READ_BARRIER_END", end, -1, -1, 0)]
        }
    }
}

/// What traces and tables call a network.
pub(crate) fn noc(network: usize) -> &'static str {
    ["NOC_0", "NOC_1"][network]
}

/// Reads a trace of reads and barriers.
pub(crate) fn read(text: &str) -> Vec<Processor> {
    let events: Vec<Value> = serde_json::from_str(text).unwrap();
    let events: Vec<&Value> = events.iter().filter(|event| event["proc"] != "").collect();
    let begin = events.iter().map(|event| number(event, "timestamp")).min().unwrap();
    let mut processors: Vec<Processor> = Vec::new();
    for event in events.into_iter().filter(|event| !event["type"].is_null()) {
        let tile = Tile::new(place(event, "sx"), place(event, "sy"));
        let name = NAMES[usize::from(event["proc"] == NAMES[1])];
        if !processors.last().is_some_and(|last| last.tile == tile && last.name == name) {
            processors.push(Processor { tile, name, events: Vec::new() });
        }
        read_event(event, number(event, "timestamp") - begin, &mut processors.last_mut().unwrap().events);
    }
    processors
}

fn read_event(event: &Value, at: u64, events: &mut Vec<Event>) {
    let network = usize::from(event["noc"] == noc(1));
    match event["type"].as_str().unwrap() {
        "READ" => {
            let from = Tile::new(place(event, "dx"), place(event, "dy"));
            events.push(Event { at, network, action: Action::Read { from, bytes: number(event, "num_bytes") } });
        }
        "READ_BARRIER_START" => events.push(Event { at, network, action: Action::Barrier { end: at } }),
        "READ_BARRIER_END" => events.last_mut().unwrap().action = Action::Barrier { end: at },
        other => panic!("{other} is neither a read nor a barrier"),
    }
}

fn number(event: &Value, key: &str) -> u64 {
    event[key].as_u64().unwrap()
}

fn place(event: &Value, key: &str) -> usize {
    usize::try_from(number(event, key)).unwrap()
}

/// What is written is read again.
#[test]
fn traces_are_read_as_they_were_written() {
    for seed in 0..50 {
        let trace = random(&mut rand::SeedableRng::seed_from_u64(seed));
        assert_eq!(format!("{:?}", read(&write(&trace))), format!("{trace:?}"), "seed {seed}");
    }
}
