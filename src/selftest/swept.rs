//! Small sweeps as values: drawn, made smaller, written as a scenario.

use super::features::{Feature, Swarm};
use super::report::CaseFile;
use super::subject::Specimen;
use crate::kind::words::counted;
use crate::units::saturated;
use std::fmt::Write as _;

/// A sweep, and what is done to it.
#[derive(Clone, Debug)]
pub(super) struct Swept {
    template: &'static Template,
    pub(super) algorithms: Vec<&'static str>,
    /// Of the key that is swept.
    pub(super) values: Vec<u64>,
    repetitions: u64,
    seed: u64,
    /// Whether what happened to every message is kept.
    pub(super) messages: bool,
    pub(super) threads: usize,
    pub(super) shards: usize,
    /// Where it is killed.
    pub(super) kills: Vec<Place>,
    /// Where what it has written is changed.
    pub(super) damages: Vec<Place>,
}

/// A place in a journal, however long that is.
#[derive(Clone, Copy, Debug)]
pub(super) struct Place(u64);

impl Place {
    /// Below `length`, which is not 0.
    pub(super) fn place(self, length: usize) -> usize {
        saturated(self.0 % length as u64)
    }

    /// A bit of the byte there.
    pub(super) fn bit(self) -> u8 {
        1 << (self.0.rotate_left(8) % 8)
    }
}

/// A scenario without what is drawn.
#[derive(Debug)]
struct Template {
    feature: Feature,
    /// The tables before that of the workload.
    machine: &'static str,
    workload: &'static str,
    /// Its keys, but for `algorithms`.
    keys: &'static str,
    algorithms: &'static [&'static str],
    /// The key that is swept, and what it can be.
    swept: &'static str,
    values: &'static [u64],
    /// Whether its rows are drawn, so that there can be several.
    is_drawn: bool,
}

static ALL: &[Template] = &[
    Template {
        feature: Feature::Multicasts,
        machine: "[network.mesh]\nshape = [3, 4]\n\n[node]\nsend_setup = 20\nsend_per_flit = 2\nreceive_setup = 35\n",
        workload: "multicast",
        keys: "flits = 4\ngroup = 5\n",
        algorithms: &["opt-mesh", "u-mesh", "binomial", "chain", "sequential"],
        swept: "flits",
        values: &[0, 1, 2, 3, 5, 8, 13, 21, 34, 55],
        is_drawn: true,
    },
    Template {
        feature: Feature::Exchanges,
        machine: "[network.torus]\nshape = [4, 2]\n\n[channel]\nvirtual_channels = 2\n",
        workload: "exchange",
        keys: "block_flits = 2\n",
        algorithms: &["naive", "naive-bidirectional", "direct", "bruck", "pairwise"],
        swept: "block_flits",
        values: &[0, 1, 2, 3, 5, 8, 13, 21],
        is_drawn: false,
    },
    Template {
        feature: Feature::Collectives,
        machine: "[network.torus]\nshape = [3, 3]\n\n[channel]\nvirtual_channels = 2\n",
        workload: "collective",
        keys: "operation = \"allreduce\"\nflits = 9\nsynchronous = false\n",
        algorithms: &["ring", "bucket", "recursive-doubling", "rabenseifner", "multitree"],
        swept: "flits",
        values: &[9, 10, 17, 18, 27, 40],
        is_drawn: false,
    },
    Template {
        feature: Feature::Broadcasts,
        machine: "[network.grid]\nnodes = 6\nbytes = 1000\nlatency = [100, 10000]\nbandwidth = [20, 2000]\n",
        workload: "broadcast",
        keys: "",
        algorithms: &["ecef", "ttcc", "fef", "binomial", "flat"],
        swept: "network.grid.nodes",
        values: &[2, 3, 4, 5, 6, 7, 8],
        is_drawn: true,
    },
    Template {
        feature: Feature::Loads,
        machine: "[network.mesh]\nshape = [3, 3]\n\n[channel]\nbuffer = 2\n\n[router]\nmodel = \"ideal\"\natomic = false\n",
        workload: "traffic",
        keys: "pattern = \"uniform\"\nrate = 0.1\npacket_flits = 2\nwarmup = 50\nmeasure = 200\n",
        algorithms: &[],
        swept: "packet_flits",
        values: &[1, 2, 3, 4, 5, 6],
        is_drawn: true,
    },
];

impl Swept {
    pub(super) fn draw(swarm: &mut Swarm) -> Self {
        swarm.begin();
        let kinds: Vec<Feature> = ALL.iter().map(|template| template.feature).collect();
        let kind = swarm.kind(&kinds);
        let template = ALL.iter().find(|template| template.feature == kind).unwrap_or(&ALL[0]);
        let several = !template.algorithms.is_empty() && swarm.has(Feature::SeveralAlgorithms, 0.7);
        let values = if swarm.has(Feature::SweptKeys, 0.8) { swarm.draw(2..=5) } else { 1 };
        let repetitions = if template.is_drawn && swarm.has(Feature::Repetitions, 0.7) { swarm.draw(2..=5) } else { 1 };
        let threads = if swarm.has(Feature::Threads, 0.7) { swarm.draw(2..=4) } else { 1 };
        let shards = if swarm.has(Feature::Shards, 0.6) { swarm.draw(2..=4) } else { 1 };
        let kills = if swarm.has(Feature::Killed, 0.8) { swarm.draw(1..=4) } else { 0 };
        let damages = if swarm.has(Feature::DamagedJournals, 0.6) { swarm.draw(1..=4) } else { 0 };
        Self {
            template,
            algorithms: some(swarm, template.algorithms, if several { 3 } else { 1 }),
            values: some(swarm, template.values, values),
            repetitions,
            seed: swarm.draw(1..=1000),
            messages: template.feature != Feature::Broadcasts && swarm.has(Feature::KeptMessages, 0.5),
            threads,
            shards,
            kills: (0..kills).map(|_| Place(swarm.draw(0..=u64::MAX))).collect(),
            damages: (0..damages).map(|_| Place(swarm.draw(0..=u64::MAX))).collect(),
        }
    }

    /// The scenario, called `name`.
    pub(super) fn scenario(&self, name: &str) -> String {
        let Self { template, algorithms, values, repetitions, seed, .. } = self;
        let Template { machine, workload, keys, swept, .. } = template;
        let repeated = if template.is_drawn { format!("repetitions = {repetitions}\n") } else { String::new() };
        let mut text = format!("name = \"{name}\"\nseed = {seed}\n{repeated}\n{machine}\n[workload.{workload}]\n");
        if !algorithms.is_empty() {
            let _ = writeln!(text, "algorithms = {algorithms:?}"); // a string takes everything
        }
        let key = if swept.contains('.') { (*swept).to_owned() } else { format!("workload.{workload}.{swept}") };
        text + keys + &format!("\n[sweep]\n\"{key}\" = {values:?}\n")
    }
}

/// `count` of `values` in their order, or all if there are no more.
fn some<T: Copy>(swarm: &mut Swarm, values: &[T], count: usize) -> Vec<T> {
    let mut places: Vec<u64> = swarm.permutation(values.len() as u64).into_iter().take(count).collect();
    places.sort_unstable();
    places.into_iter().map(|at| values[saturated(at)]).collect()
}

/// `list` without each of its members, as long as as many as `least` stay.
fn without_one<T: Clone>(list: &[T], least: usize) -> Vec<Vec<T>> {
    let without = |gone: usize| {
        let kept = list.iter().enumerate().filter(|(at, _)| *at != gone);
        kept.map(|(_, value)| value.clone()).collect()
    };
    if list.len() > least { (0..list.len()).map(without).collect() } else { Vec::new() }
}

impl Specimen for Swept {
    fn smaller(&self) -> Vec<Self> {
        let own = || self.clone();
        let mut all = Vec::new();
        all.extend(without_one(&self.kills, 0).into_iter().map(|kills| Self { kills, ..own() }));
        all.extend(without_one(&self.damages, 0).into_iter().map(|damages| Self { damages, ..own() }));
        all.extend(without_one(&self.values, 1).into_iter().map(|values| Self { values, ..own() }));
        all.extend(without_one(&self.algorithms, 1).into_iter().map(|algorithms| Self { algorithms, ..own() }));
        all.extend((self.repetitions > 1).then(|| Self { repetitions: self.repetitions - 1, ..own() }));
        all.extend((self.shards > 1).then(|| Self { shards: self.shards - 1, ..own() }));
        all.extend((self.threads > 1).then(|| Self { threads: self.threads - 1, ..own() }));
        all.extend(self.messages.then(|| Self { messages: false, ..own() }));
        all
    }

    fn in_words(&self) -> String {
        let counts = [
            (self.values.len() as u64, "point"),
            (self.algorithms.len().max(1) as u64, "algorithm"),
            (self.repetitions, "repetition"),
            (self.threads as u64, "thread"),
            (self.shards as u64, "shard"),
            (self.kills.len() as u64, "kill"),
        ];
        let counts: Vec<String> = counts.into_iter().map(|(count, what)| counted(count, what)).collect();
        let damages = self.damages.len();
        format!("{}, {damages} changed bit{}", counts.join(", "), if damages == 1 { "" } else { "s" })
    }

    fn written(&self, name: &str, about: &str) -> Vec<CaseFile> {
        let about: String = about.lines().map(|line| format!("# {line}\n")).collect();
        vec![CaseFile { name: "case.toml", text: format!("{about}\n{}", self.scenario(name)) }]
    }
}
