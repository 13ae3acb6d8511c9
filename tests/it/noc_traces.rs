//! Traces of reads on a chip for the plain simulation of `flitwise::selftest::reference::chip`, from their files.

use flitwise::selftest::reference::chip::{Action, Event, Processor, Tile, npe};
use serde_json::Value;

/// The two processors of a tile that move data.
const NAMES: [&str; 2] = ["BRISC", "NCRISC"];

/// What traces and tables call a network.
pub(crate) fn noc(network: usize) -> &'static str {
    ["NOC_0", "NOC_1"][network]
}

/// Twelve processors that read from three tiles, others for every seed.
pub(crate) fn crowded(seed: usize) -> Vec<Processor> {
    let tiles = Tile::workers();
    let hot = [Tile::drams()[seed % 18], tiles[7 * seed % tiles.len()], tiles[11]];
    let processor = |number: usize| {
        let tile = tiles[(13 * number + seed) % tiles.len()];
        let mut events = Vec::new();
        let mut at = 0;
        for read in 0..4 + number % 5 {
            let action =
                Action::Read { from: hot[(read + number) % 3], bytes: [2048, 4096, 8193, 33][(read + seed) % 4] };
            events.push(Event { at, network: (number + read * seed) % 2, action });
            at += [0, 3, 40][number % 3];
        }
        events.push(Event { at, network: number % 2, action: Action::Barrier { end: at + 500 } });
        Processor { tile, name: NAMES[number % 2], events }
    };
    (0..12).map(processor).collect()
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
        let trace = crowded(seed);
        assert_eq!(read(&npe(&trace)), trace, "seed {seed}");
    }
}
