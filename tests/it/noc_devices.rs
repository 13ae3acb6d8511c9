//! Chips other than the one that is known: their constants drawn at random, and the tables of a scenario that say so.

use crate::noc_device::{Device, Memory, Tile};
use crate::noc_reference::{Action, Processor};
use rand::RngExt;
use rand_pcg::Pcg64;
use std::collections::BTreeSet;

/// A chip with other constants, one in three of another shape.
pub(crate) fn random(random: &mut Pcg64) -> Device {
    let injection = random.random_range(1..=8);
    let mut device = Device {
        flit_bytes: one_of(random, &[16, 32, 32, 64]),
        longest: one_of(random, &[3, 16, 64, 256]),
        hop: random.random_range(1..=12),
        injection,
        ejection: random.random_range(1..=8),
        // flits of a message follow each other without a pause
        end_places: usize::try_from(injection).unwrap() + 1,
        request_places: one_of(random, &[1, 2, 5, 12, 30]),
        reply_places: one_of(random, &[1, 3, 10, 20, 64]),
        request_buddies: random.random_range(1..=2),
        reply_buddies: random.random_range(1..=2),
        issue: random.random_range(0..20),
        worker: memory(random, None),
        barrier: random.random_range(0..100),
        after_last: random.random_range(0..60),
        ..Device::default()
    };
    let bytes = one_of(random, &[4, 12, 24, 100]);
    device.dram = memory(random, Some(bytes));
    if random.random_range(0..3) == 0 {
        device.columns = random.random_range(1..=5);
        device.rows = random.random_range(1..=5);
        device.drams = device.tiles().filter(|_| random.random_range(0..4) == 0).collect();
    }
    device
}

fn memory(random: &mut Pcg64, bytes_a_cycle: Option<u64>) -> Memory {
    Memory {
        latency: one_of(random, &[0, 1, 60, 160, 400]),
        rate: one_of(random, &[1000, 999, 920, 850, 501, 500, 333, 130]),
        requests: one_of(random, &[1, 1, 2, 4, 9]),
        bytes_a_cycle,
    }
}

fn one_of<T: Clone>(random: &mut Pcg64, values: &[T]) -> T {
    values[random.random_range(0..values.len())].clone()
}

/// What a scenario says of the network and of the chip.
pub(crate) fn written(device: &Device) -> String {
    let Device { columns, rows, worker, dram, drams, .. } = device;
    let drams: Vec<[usize; 2]> = drams.iter().map(|tile| [tile.x, tile.y]).collect();
    let keys = [
        ("flit_bytes", device.flit_bytes),
        ("packet_flits", device.longest),
        ("hop", device.hop),
        ("inject", device.injection),
        ("eject", device.ejection),
        ("request_buffer", device.request_places as u64),
        ("reply_buffer", device.reply_places as u64),
        ("request_buddies", device.request_buddies as u64),
        ("reply_buddies", device.reply_buddies as u64),
        ("issue", device.issue),
        ("wake", device.after_last),
        ("barrier", device.barrier),
        ("worker_memory", worker.latency),
        ("worker_requests", worker.requests as u64),
        ("dram_memory", dram.latency),
        ("dram_requests", dram.requests as u64),
        ("dram_bytes_per_cycle", dram.bytes_a_cycle.unwrap()),
    ];
    let keys: String = keys.iter().map(|(key, value)| format!("{key} = {value}\n")).collect();
    let rates = format!("worker_rate = 0.{:03}\ndram_rate = 0.{:03}\n", worker.rate, dram.rate);
    // where only memories are told, all the others are cores
    let places = if is_known(device) { String::new() } else { format!("dram = {drams:?}\n") };
    let rates = rates.replace("0.1000", "1.0");
    format!("{}[device]\n{keys}{rates}{places}", network([*columns, *rows]))
}

/// Whether it has the shape of the chip that is known.
fn is_known(device: &Device) -> bool {
    [device.columns, device.rows] == [10, 12]
}

/// What a scenario says of a network of this shape.
pub(crate) fn network(shape: [usize; 2]) -> String {
    format!("[network.torus]\nshape = {shape:?}\ndirections = \"one-way\"\n")
}

/// A trace of the chip that is known, done on `device`: what lies outside comes in on the other side.
pub(crate) fn folded(device: &Device, trace: Vec<Processor>) -> Vec<Processor> {
    let fold = |tile: Tile| Tile::new(tile.x % device.columns, tile.y % device.rows);
    let mut folded = trace;
    let mut known = BTreeSet::new();
    for processor in &mut folded {
        processor.tile = fold(processor.tile);
        for event in &mut processor.events {
            if let Action::Read { from, .. } = &mut event.action {
                *from = fold(*from);
            }
        }
    }
    folded.retain(|processor| known.insert((processor.tile, processor.name)));
    // in a file the processors of a core come together
    folded.sort_by_key(|processor| processor.tile);
    folded
}
