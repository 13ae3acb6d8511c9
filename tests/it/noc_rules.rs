//! What the plain simulation of a chip says where it can be worked out by hand: one read alone, two that share an end, packets of long reads, barriers, lateness, ways, and a ring of readers that deadlocks without a dateline.

use flitwise::selftest::reference::chip::{
    Action, Device, Event, Issue, Outcome, Processor, ReadTimes, Tile, simulate,
};

fn tile(x: usize, y: usize) -> Tile {
    Tile::new(x, y)
}

fn read(at: u64, network: usize, from: Tile, bytes: u64) -> Event {
    Event { at, network, action: Action::Read { from, bytes } }
}

fn barrier(at: u64, end: u64) -> Event {
    Event { at, network: 0, action: Action::Barrier { end } }
}

fn processor(tile: Tile, events: Vec<Event>) -> Processor {
    Processor { tile, name: "NCRISC", events }
}

fn react(processors: &[Processor]) -> Outcome {
    simulate(&Device::default(), Issue::React, processors).unwrap()
}

/// One read at time 0 of each reader.
fn readers(network: usize, bytes: u64, pairs: impl IntoIterator<Item = (Tile, Tile)>) -> Vec<Processor> {
    let reader = |(to, from)| processor(to, vec![read(0, network, from, bytes), barrier(0, 1)]);
    pairs.into_iter().map(reader).collect()
}

/// From READ to the end of the barrier: nothing in it waits for anything else.
#[test]
fn one_read_alone_takes_its_closed_form() {
    let cases = [
        (tile(1, 1), tile(1, 1), 0, 4096, 269),
        (tile(1, 1), tile(4, 1), 0, 4096, 359),
        (tile(1, 1), tile(4, 1), 1, 4096, 359),
        (tile(1, 1), tile(1, 4), 0, 4096, 377),
        (tile(1, 1), tile(3, 4), 1, 4096, 467),
        (tile(1, 1), tile(5, 9), 0, 2048, 503),
        (tile(7, 3), tile(5, 9), 1, 2048, 503),
    ];
    for (to, from, network, bytes, expected) in cases {
        let length = react(&readers(network, bytes, [(to, from)])).length();
        assert!(length.abs_diff(expected) <= 1, "{to:?} reads {from:?} on {network}: {length} for {expected}");
    }
}

#[test]
fn the_times_of_a_read_add_up() {
    let outcome = react(&[processor(tile(1, 1), vec![read(7, 0, tile(4, 1), 4096), barrier(20, 500)])]);
    let requested = 7 + 10 + 5 + 3 * 9 + 5;
    let answered = requested + 60;
    // 129 flits: the last has its token after 139 cycles
    let done = answered + 139 + 5 + 7 * 9 + 5;
    assert_eq!(outcome.reads, [ReadTimes { issued: 7, requested, answered, done, hops: 10 }]);
    assert_eq!(outcome.length(), done + 40);
}

#[test]
fn ways_wrap_in_the_direction_of_their_network() {
    let device = Device::default();
    let bits = |network, from, to| {
        let way = device.way(network, from, to);
        way.iter().map(|step| (step.router.x, step.router.y, step.output, step.bit)).collect::<Vec<_>>()
    };
    let from = tile(8, 10);
    let to = tile(1, 0);
    let right_and_down = [(8, 10, 0, 0), (9, 10, 0, 1), (0, 10, 0, 1), (1, 10, 1, 0), (1, 11, 1, 1), (1, 0, 2, 0)];
    assert_eq!(bits(0, from, to), right_and_down);
    let up_and_left = [(1, 0, 1, 1), (1, 11, 0, 0), (0, 11, 0, 1), (9, 11, 0, 1), (8, 11, 2, 0)];
    assert_eq!(bits(1, to, tile(8, 11)), up_and_left);
    assert_eq!(bits(0, from, from), [(8, 10, 2, 0)]);
}

#[test]
fn replies_of_a_dram_port_start_as_far_apart_as_its_memory_says() {
    let from = tile(5, 9);
    let events = vec![read(0, 0, from, 2048), read(0, 0, from, 4096), read(0, 0, from, 32), barrier(0, 1)];
    let starts: Vec<u64> = react(&[processor(tile(1, 1), events)]).reads.iter().map(|read| read.answered).collect();
    // requests arrive one after the other, and the memory is done with all of them by then
    let first = 10 + 5 + 12 * 9 + 5 + 160;
    assert_eq!(starts, [first, first + 85, first + 85 + 170]);
}

/// A worker takes the next request when the reply to the last is under way, and its memory is done when that has left.
#[test]
fn two_readers_share_what_one_source_sends() {
    let source = tile(3, 3);
    let reader = |reader| {
        let mut events: Vec<Event> = (0..8).map(|number| read(10 * number, 0, source, 4096)).collect();
        events.push(barrier(100, 200));
        processor(reader, events)
    };
    let outcome = react(&[reader(tile(4, 3)), reader(tile(3, 4))]);
    let first = outcome.reads.iter().map(|read| read.answered).min().unwrap();
    let last = outcome.reads.iter().map(|read| read.done).max().unwrap();
    // both are a link away
    let sending = last - first - 5 - 9 - 5;
    assert!(sending.abs_diff(16 * 129 * 1000 / 920) <= 2, "{sending}");
}

#[test]
fn long_reads_are_cut_into_packets() {
    assert_eq!(Device::default().packets(8192), [8192]);
    assert_eq!(Device::default().packets(16_400), [8192, 8192, 16]);
    let alone = react(&readers(0, 8192, [(tile(1, 1), tile(4, 1))])).reads[0];
    let cut = react(&readers(0, 8224, [(tile(1, 1), tile(4, 1))])).reads[0];
    assert_eq!(cut.answered, alone.answered);
    // the second request is let in in the cycle after that in which the head of the first reply leaves the router's input,
    // and its reply, a header and a flit, is sent right after the first
    assert_eq!(cut.requested, alone.answered + 5 + 1 + 5);
    assert!((1..=4).contains(&(cut.done - alone.done)), "{cut:?} {alone:?}");
}

#[test]
fn a_barrier_without_reads_takes_its_least() {
    let outcome = react(&[processor(tile(1, 1), vec![barrier(5, 90), barrier(100, 180)])]);
    let ends: Vec<u64> = outcome.barriers[0].iter().map(|barrier| barrier.end).collect();
    // the second begins as long after the end of the first as in the trace
    assert_eq!(ends, [84, 84 + 10 + 79]);
}

#[test]
fn lateness_carries_over_only_where_processors_react() {
    let late = |issue| {
        let events =
            vec![read(0, 0, tile(4, 1), 4096), barrier(10, 100), read(150, 0, tile(4, 1), 32), barrier(700, 800)];
        let outcome = simulate(&Device::default(), issue, &[processor(tile(1, 1), events)]).unwrap();
        (outcome.reads[1].issued, outcome.barriers[0][1].start)
    };
    assert_eq!(late(Issue::React), (359 + 50, 359 + 600));
    assert_eq!(late(Issue::Replay), (359, 700));
}

/// Twelve tiles of a column, each of which reads the next: every reply goes round almost the whole ring.
#[test]
fn a_ring_of_readers_needs_the_dateline() {
    let pairs = |network: usize| {
        let step = if network == 0 { 1 } else { 11 };
        (0..12).map(move |y| (tile(1, y), tile(1, (y + step) % 12)))
    };
    for network in [0, 1] {
        let ring = readers(network, 4096, pairs(network));
        assert_eq!(react(&ring).reads.len(), 12);
        let without = Device { dateline: false, ..Device::default() };
        let stuck = simulate(&without, Issue::React, &ring).unwrap_err();
        assert_eq!(stuck.packets, 12, "{stuck:?}");
    }
}

/// The same along a row, where two tiles are ports of DRAM.
#[test]
fn a_row_of_readers_needs_the_dateline() {
    let reader = |x: usize| {
        let events = (0..4).map(|_| read(0, 0, tile((x + 1) % 10, 1), 4096)).chain([barrier(0, 1)]).collect();
        processor(tile(x, 1), events)
    };
    let row: Vec<Processor> = (0..10).map(reader).collect();
    assert_eq!(react(&row).reads.len(), 40);
    let without = Device { dateline: false, ..Device::default() };
    assert!(simulate(&without, Issue::React, &row).is_err());
}
