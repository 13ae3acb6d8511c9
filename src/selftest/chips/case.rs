//! Chips, known and others, and traces of what their processors read: drawn.

use crate::selftest::features::{Feature, Swarm};
use crate::selftest::reference::chip::{Action, Device, Event, Issue, Memory, Processor, Tile};

/// The two processors of a tile that move data. The first uses network 1 unless it is told otherwise.
const NAMES: [&str; 2] = ["BRISC", "NCRISC"];

/// A trace on a chip.
#[derive(Clone, Debug)]
pub(in crate::selftest) struct Traced {
    pub(super) device: Device,
    pub(super) issue: Issue,
    pub(super) processors: Vec<Processor>,
}

impl Traced {
    pub(super) fn draw(swarm: &mut Swarm) -> Self {
        swarm.begin();
        let device = device(swarm);
        let replays = swarm.has(Feature::Replayed, 0.7);
        let processors = Taste::draw(swarm, &device).processors(swarm);
        Self { device, issue: if replays { Issue::Replay } else { Issue::React }, processors }
    }

    /// How many messages its reads make: a request and a reply for each packet.
    pub(super) fn messages(&self) -> u64 {
        let packets = |event: &Event| match event.action {
            Action::Read { bytes, .. } => self.device.packets(bytes).len() as u64,
            Action::Barrier { .. } => 0,
        };
        2 * self.processors.iter().flat_map(|processor| &processor.events).map(packets).sum::<u64>()
    }
}

/// Whether `device` has the shape of the chip that is known, of whose tiles some are no ends.
pub(super) fn is_known(device: &Device) -> bool {
    let known = Device::default();
    (device.columns, device.rows) == (known.columns, known.rows)
}

fn device(swarm: &mut Swarm) -> Device {
    let mut device = if swarm.has(Feature::OtherChips, 0.8) { other(swarm) } else { Device::default() };
    if swarm.has(Feature::OtherShapes, 0.9) {
        device.columns = swarm.draw(1..=5);
        device.rows = swarm.draw(1..=5);
        device.drams = device.tiles().filter(|_| swarm.toss(0.25)).collect();
    }
    device
}

/// A chip with other constants.
fn other(swarm: &mut Swarm) -> Device {
    let injection: usize = swarm.draw(1..=8);
    Device {
        flit_bytes: swarm.one_of(&[16, 32, 32, 64]),
        longest: swarm.one_of(&[3, 16, 64, 256]),
        hop: swarm.draw(1..=12),
        injection: injection as u64,
        ejection: swarm.draw(1..=8),
        // flits of a message follow each other without a pause
        end_places: injection + 1,
        request_places: swarm.one_of(&[1, 2, 5, 12, 30]),
        reply_places: swarm.one_of(&[1, 3, 10, 20, 64]),
        request_buddies: swarm.draw(1..=2),
        reply_buddies: swarm.draw(1..=2),
        issue: swarm.draw(0..20),
        worker: memory(swarm, None),
        dram: memory(swarm, Some(&[4, 12, 24, 100])),
        barrier: swarm.draw(0..100),
        after_last: swarm.draw(0..60),
        ..Device::default()
    }
}

fn memory(swarm: &mut Swarm, bytes_a_cycle: Option<&[u64]>) -> Memory {
    Memory {
        latency: swarm.one_of(&[0, 1, 60, 160, 400]),
        rate: swarm.one_of(&[1000, 999, 920, 850, 501, 500, 333, 130]),
        requests: swarm.one_of(&[1, 1, 2, 4, 9]),
        bytes_a_cycle: bytes_a_cycle.map(|rates| swarm.one_of(rates)),
    }
}

/// The most packets of a read.
const MOST_PACKETS: u64 = 8;

/// What a trace is like.
struct Taste {
    /// Where processors may be, and what they may read.
    cores: Vec<Tile>,
    sources: Vec<Tile>,
    /// What they like to read, if there is something.
    hot: Vec<Tile>,
    /// Cycles between two reads, at most.
    gap: u64,
    /// How often a barrier stands before a read.
    barriers: f64,
    /// Whether processors use both networks.
    mixed: bool,
    /// Whether reads are longer than some packets are.
    long: bool,
    /// The most bytes of a read. The plain simulation steps through every cycle, and ends soon even where packets are short.
    most_bytes: u64,
    most_processors: usize,
    most_reads: u64,
}

impl Taste {
    fn draw(swarm: &mut Swarm, device: &Device) -> Self {
        let workers = if is_known(device) { Tile::workers() } else { device.tiles().collect() };
        let line: usize = swarm.draw(0..device.columns);
        // ways of cores in a line meet on few links
        let in_line: Vec<Tile> = workers.iter().copied().filter(|core| core.x == line).collect();
        let cores = if in_line.is_empty() || swarm.toss(0.5) { workers.clone() } else { in_line };
        let sources: Vec<Tile> = workers.into_iter().chain(device.drams.iter().copied()).collect();
        let hot = if swarm.has(Feature::HotSpot, 0.7) { swarm.draw(1..=3) } else { 0 };
        let many = swarm.has(Feature::ManyMessages, 0.5);
        Self {
            cores,
            hot: (0..hot).map(|_| swarm.one_of(&sources)).collect(),
            sources,
            gap: if swarm.has(Feature::AtOnce, 0.5) { swarm.one_of(&[0, 3]) } else { swarm.one_of(&[40, 200]) },
            barriers: if swarm.has(Feature::ReadBarriers, 0.7) { swarm.one_of(&[0.1, 0.4]) } else { 0.0 },
            mixed: swarm.has(Feature::BothNetworks, 0.5),
            long: swarm.has(Feature::LongMessages, 0.5),
            most_bytes: MOST_PACKETS * device.longest * device.flit_bytes,
            most_processors: if many { 12 } else { 4 },
            most_reads: if many { 20 } else { 4 },
        }
    }

    /// Processors, those of a tile one after the other; the first event of all is at time 0 or later.
    fn processors(&self, swarm: &mut Swarm) -> Vec<Processor> {
        let mut tiles = self.cores.clone();
        let wanted = swarm.draw(1..=self.most_processors);
        let mut processors = Vec::new();
        while processors.len() < wanted && !tiles.is_empty() {
            let tile = tiles.swap_remove(swarm.draw(0..tiles.len()));
            let first: usize = swarm.draw(0..2);
            let numbers = if swarm.toss(0.5) { vec![first, 1 - first] } else { vec![first] };
            for number in numbers {
                let events = self.events(1 - number, swarm);
                processors.push(Processor { tile, name: NAMES[number], events });
            }
        }
        processors
    }

    fn events(&self, network: usize, swarm: &mut Swarm) -> Vec<Event> {
        let mut events = Vec::new();
        let mut at = swarm.draw(0..=self.gap);
        for _ in 0..swarm.draw(1..=self.most_reads) {
            let network = if self.mixed { swarm.draw(0..2) } else { network };
            if swarm.toss(self.barriers) {
                at = barrier(at, network, swarm, &mut events);
            }
            let action = Action::Read { from: self.source(swarm), bytes: self.bytes(swarm) };
            events.push(Event { at, network, action });
            at += swarm.draw(0..=self.gap);
        }
        barrier(at, network, swarm, &mut events);
        events
    }

    fn source(&self, swarm: &mut Swarm) -> Tile {
        if self.hot.is_empty() || swarm.toss(0.2) { swarm.one_of(&self.sources) } else { swarm.one_of(&self.hot) }
    }

    fn bytes(&self, swarm: &mut Swarm) -> u64 {
        let bytes = match swarm.draw(0..10) {
            _ if !self.long => swarm.draw(32..=512),
            0..4 => 2048,
            4..7 => 4096,
            7 => swarm.one_of(&[32, 33, 64, 8191, 8192, 8193, 16_384]),
            _ => swarm.draw(32..=16_384),
        };
        bytes.min(self.most_bytes)
    }
}

/// Adds a barrier; when the next event may be.
fn barrier(at: u64, network: usize, swarm: &mut Swarm, events: &mut Vec<Event>) -> u64 {
    let end = at + swarm.draw(77..2000);
    events.push(Event { at, network, action: Action::Barrier { end } });
    end + swarm.draw(0..3) * 50
}
