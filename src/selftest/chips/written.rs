//! Traces on chips that are smaller by a step, in words, and as scenarios.

use super::case::{Traced, is_known};
use crate::kind::words::counted;
use crate::selftest::minimise::lower;
use crate::selftest::reference::chip::{Action, Device, Issue, Processor, Tile, npe};
use crate::selftest::report::CaseFile;
use crate::selftest::subject::Specimen;
use std::collections::BTreeSet;

/// What the trace is called in scenarios.
const TRACE: &str = "trace.json";

impl Specimen for Traced {
    fn smaller(&self) -> Vec<Self> {
        let mut all = Vec::new();
        if self.processors.len() > 1 {
            let without = |gone: usize| {
                let mut processors = self.processors.clone();
                processors.remove(gone);
                Self { processors, ..self.clone() }
            };
            all.extend((0..self.processors.len()).map(without));
        }
        all.extend(self.plainer());
        for number in 0..self.processors.len() {
            let smaller = smaller(&self.processors[number]);
            all.extend(smaller.into_iter().map(|processor| {
                let mut processors = self.processors.clone();
                processors[number] = processor;
                Self { processors, ..self.clone() }
            }));
        }
        all
    }

    fn in_words(&self) -> String {
        let Device { columns, rows, .. } = self.device;
        let reads = self.processors.iter().flat_map(Processor::reads).count();
        let [reads, processors] =
            [(reads, "read"), (self.processors.len(), "processor")].map(|(count, what)| counted(count as u64, what));
        format!("{reads} by {processors} on a chip of {columns}x{rows} tiles")
    }

    fn written(&self, name: &str, about: &str) -> Vec<CaseFile> {
        let about: String = about.lines().map(|line| format!("# {line}\n")).collect();
        let scenario = CaseFile { name: "case.toml", text: format!("{about}\n{}", self.scenario(name)) };
        vec![scenario, CaseFile { name: TRACE, text: npe(&self.processors) }]
    }
}

impl Traced {
    /// The same on chips that are plainer or smaller.
    fn plainer(&self) -> Vec<Self> {
        let Device { columns, rows, ref drams, .. } = self.device;
        let plain = Device { columns, rows, drams: drams.clone(), ..Device::default() };
        let mut all = Vec::new();
        if plain != self.device {
            all.push(Self { device: plain, ..self.clone() });
        }
        if self.issue == Issue::Replay {
            all.push(Self { issue: Issue::React, ..self.clone() });
        }
        let shapes = if is_known(&self.device) {
            vec![[5, 5]]
        } else {
            let narrower = [columns.saturating_sub(1), rows];
            vec![narrower, [columns, rows.saturating_sub(1)]]
        };
        all.extend(shapes.into_iter().filter(|[x, y]| x * y > 0).map(|shape| self.folded(shape)));
        all
    }

    /// The same on a chip of another shape: what lies outside comes in on the other side.
    fn folded(&self, [columns, rows]: [usize; 2]) -> Self {
        let fold = |tile: Tile| Tile::new(tile.x % columns, tile.y % rows);
        let mut drams: Vec<Tile> = self.device.drams.iter().copied().map(fold).collect();
        drams.sort_unstable();
        drams.dedup();
        let mut processors = self.processors.clone();
        for processor in &mut processors {
            processor.tile = fold(processor.tile);
            for event in &mut processor.events {
                if let Action::Read { from, .. } = &mut event.action {
                    *from = fold(*from);
                }
            }
        }
        let mut known = BTreeSet::new();
        processors.retain(|processor| known.insert((processor.tile, processor.name)));
        // in a file the processors of a tile come together
        processors.sort_by_key(|processor| processor.tile);
        Self { device: Device { columns, rows, drams, ..self.device.clone() }, issue: self.issue, processors }
    }

    /// The scenario, called `name`, of the trace in the file [`TRACE`].
    fn scenario(&self, name: &str) -> String {
        let issue = match self.issue {
            Issue::React => "react",
            Issue::Replay => "replay",
        };
        format!(
            "name = \"{name}\"\ntick = \"1ns\"\n\n{}\n[workload.noc-trace]\nfile = \"{TRACE}\"\nformat = \"npe\"\n\
             device = \"wormhole-b0\"\nissue = \"{issue}\"\ncompare = true\ndetails = true\n",
            chip(&self.device)
        )
    }
}

/// What a scenario says of the network and of `device`.
fn chip(device: &Device) -> String {
    let Device { columns, rows, worker, dram, drams, .. } = device;
    let network = format!("[network.torus]\nshape = [{columns}, {rows}]\ndirections = \"one-way\"\n");
    if *device == Device::default() {
        return network;
    }
    let counts = [
        ("request_buffer", device.request_places),
        ("reply_buffer", device.reply_places),
        ("request_buddies", device.request_buddies),
        ("reply_buddies", device.reply_buddies),
        ("worker_requests", worker.requests),
        ("dram_requests", dram.requests),
    ];
    let times = [
        ("flit_bytes", device.flit_bytes),
        ("packet_flits", device.longest),
        ("hop", device.hop),
        ("inject", device.injection),
        ("eject", device.ejection),
        ("issue", device.issue),
        ("wake", device.after_last),
        ("barrier", device.barrier),
        ("worker_memory", worker.latency),
        ("dram_memory", dram.latency),
    ];
    let apart = dram.bytes_a_cycle.map(|bytes| ("dram_bytes_per_cycle", bytes));
    let keys = times.into_iter().chain(apart).map(|(key, value)| format!("{key} = {value}\n"));
    let counts = counts.into_iter().map(|(key, value)| format!("{key} = {value}\n"));
    let keys: String = keys.chain(counts).collect();
    let [workers, memories] = [worker, dram].map(|memory| format!("{}.{:03}", memory.rate / 1000, memory.rate % 1000));
    // where only memories are told, all other tiles are workers
    let places: Vec<[usize; 2]> = drams.iter().map(|tile| [tile.x, tile.y]).collect();
    let places = if is_known(device) { String::new() } else { format!("dram = {places:?}\n") };
    format!("{network}\n[device]\n{keys}worker_rate = {workers}\ndram_rate = {memories}\n{places}")
}

/// Processors that do less: without an event, sooner, with a shorter read. The barrier at the end stays.
fn smaller(processor: &Processor) -> Vec<Processor> {
    let with = |events| Processor { events, ..processor.clone() };
    let mut all = Vec::new();
    for at in 0..processor.events.len() {
        if at + 1 < processor.events.len() {
            let mut events = processor.events.clone();
            events.remove(at);
            all.push(with(events));
        }
        all.extend(sooner(processor, at));
        let Action::Read { from, bytes } = processor.events[at].action else { continue };
        all.extend(lower(bytes, 32).map(|bytes| {
            let mut events = processor.events.clone();
            events[at].action = Action::Read { from, bytes };
            with(events)
        }));
    }
    all
}

/// What `processor` does from event number `at` on, right after what is before it.
fn sooner(processor: &Processor, at: usize) -> Option<Processor> {
    let before = at.checked_sub(1).map_or(0, |before| {
        let event = &processor.events[before];
        if let Action::Barrier { end } = event.action { end } else { event.at }
    });
    let pause = processor.events[at].at - before;
    let mut events = processor.events.clone();
    for event in &mut events[at..] {
        event.at -= pause;
        if let Action::Barrier { end } = &mut event.action {
            *end -= pause;
        }
    }
    (pause > 0).then(|| Processor { events, ..processor.clone() })
}
