//! Loads: a pattern, a rate and lengths on a random machine, which may have lost links; and grids that fail.

use super::lost::Lost;
use crate::algorithm::traffic::{
    Injection, IntegerWeights, Lengths, Load as Offered, Numbering, PATTERNS, Pattern, Phases, Sources,
};
use crate::engine::grid::Contest;
use crate::routing::Network;
use crate::selftest::case::{Machine, matrix};
use crate::selftest::features::{Feature, Swarm};
use crate::topology::CostMatrix;
use crate::units::narrow;
use crate::workload::traffic::numbering;
use std::sync::Arc;

/// Traffic, or a broadcast while things fail.
#[derive(Clone, Debug)]
pub(in crate::selftest) enum Traffics {
    Load(Box<Load>),
    Grid(Grid),
}

/// What nodes offer to a machine.
#[derive(Clone, Debug)]
pub(in crate::selftest) struct Load {
    pub(super) machine: Machine,
    /// Links that the network has lost.
    pub(super) lost: Option<Lost>,
    /// The place of the pattern in the list of all.
    pub(super) pattern: usize,
    /// Of each node and cycle, in thousandths of a flit.
    pub(super) rate: u32,
    pub(super) on_off: bool,
    pub(super) lengths: Lengths,
    /// Packets are made before this cycle.
    pub(super) until: u64,
    pub(super) seed: u64,
}

/// A broadcast along trees over links and nodes that fail.
#[derive(Clone, Debug)]
pub(in crate::selftest) struct Grid {
    pub(super) costs: CostMatrix,
    pub(super) trees: usize,
    pub(super) contest: Contest,
    pub(super) alpha: u64,
    pub(super) links: Vec<Failure>,
    pub(super) deaths: Vec<Death>,
    /// After how many times the forecast a sender gives up; 0 if never.
    pub(super) patience: u32,
}

/// A link that fails.
#[derive(Clone, Copy, Debug)]
pub(in crate::selftest) struct Failure {
    pub(super) from: u32,
    pub(super) to: u32,
    pub(super) at: u64,
    /// How many times slower it is from then on; 0 if nothing comes through any more.
    pub(super) slower: u32,
}

/// A node, not the first, that dies.
#[derive(Clone, Copy, Debug)]
pub(in crate::selftest) struct Death {
    pub(super) node: u32,
    pub(super) at: u64,
}

impl Traffics {
    pub(super) fn draw(swarm: &mut Swarm) -> Self {
        loop {
            swarm.begin();
            if swarm.has(Feature::FailingGrids, 0.25) {
                return Self::Grid(Grid::draw(swarm));
            }
            if let Some(load) = Load::draw(swarm) {
                return Self::Load(load.into());
            }
        }
    }
}

impl Load {
    fn draw(swarm: &mut Swarm) -> Option<Self> {
        let on_routers = swarm.has(Feature::OpenLoop, 0.7);
        let machine = if on_routers { Machine::draw_with_routers(swarm)? } else { Machine::draw(swarm, false) };
        let has_lost = !on_routers && swarm.has(Feature::LostLinks, 0.6);
        let heavy = swarm.has(Feature::HeavyLoad, 0.5);
        let lengths = lengths(swarm);
        let load = Self {
            lost: has_lost.then(|| Lost::draw(swarm)),
            machine,
            pattern: swarm.draw(0..PATTERNS.len()),
            rate: if heavy { swarm.draw(300..=1000) } else { swarm.draw(10..=200) },
            on_off: swarm.has(Feature::OnOff, 0.4),
            lengths,
            until: swarm.draw(1..=if heavy { 25 } else { 80 }),
            seed: swarm.draw(0..1_000_000),
        };
        let nodes = load.network()?.channels().nodes();
        load.sources(nodes).map(|_| load)
    }

    /// The network, without what it has lost.
    pub(super) fn network(&self) -> Option<Arc<dyn Network>> {
        match &self.lost {
            Some(lost) => lost.left(&self.machine)?.network(self.machine.ports()),
            None => self.machine.network(),
        }
    }

    pub(super) fn name(&self) -> &'static str {
        PATTERNS[self.pattern].name
    }

    pub(super) fn phases(&self) -> Phases {
        let warmup = self.until / 4;
        let measure = (self.until / 2).max(1);
        Phases { warmup, measure, drain: self.until.saturating_sub(warmup + measure) }
    }

    /// What `nodes` nodes offer; none if the pattern does not suit them.
    pub(super) fn sources(&self, nodes: usize) -> Option<Sources> {
        let nodes: u32 = narrow(nodes, "networks of cases are small");
        Some(Sources::new(self.offered(nodes)?, nodes, self.seed, 0))
    }

    /// The most packets that a node makes in a cycle while it is on, on average; none if the pattern does not suit the nodes.
    pub(super) fn most_packets(&self, nodes: u32) -> Option<f64> {
        let Offered { pattern, injection, lengths, rate } = self.offered(nodes)?;
        let share = pattern.busiest().map_or(1.0, |(_, share)| share);
        Some(rate * injection.peak() * share / lengths.mean())
    }

    fn offered(&self, nodes: u32) -> Option<Offered> {
        let pattern = self.pattern_of(nodes)?;
        let injection = if self.on_off { Injection::OnOff { alpha: 0.2, beta: 0.3 } } else { Injection::Bernoulli };
        let rate = f64::from(self.rate) / 1000.0;
        Some(Offered { pattern, injection, lengths: self.lengths.clone(), rate })
    }

    /// Whether nodes send to themselves, too: where there is one, it does.
    pub(super) fn includes_self(&self, nodes: u32) -> bool {
        nodes == 1 || self.seed.is_multiple_of(2)
    }

    /// True if hotspots have weights.
    pub(super) fn has_weights(&self) -> bool {
        self.seed.is_multiple_of(3)
    }

    fn pattern_of(&self, nodes: u32) -> Option<Pattern> {
        Some(match self.name() {
            "uniform" => Pattern::Uniform { include_self: self.includes_self(nodes) },
            "hotspot" => hotspot(nodes, self.has_weights()),
            "background" => Pattern::background(nodes, &excluded(nodes))?,
            "permutation" => Pattern::permutation(nodes, self.seed, 0),
            "matrix" if nodes == 1 => return None, // of nodes with a larger number there are none
            "matrix" => Pattern::matrix(&weights(nodes)),
            name => {
                let spec = self.machine.topology.spec().filter(|_| self.lost.is_none());
                let of_graph = || Numbering { shape: vec![nodes], lattice: None, group: None };
                Pattern::derived(name, &spec.map_or_else(of_graph, numbering)).ok()?
            }
        })
    }
}

/// Short packets, some long ones, or lengths by weight.
fn lengths(swarm: &mut Swarm) -> Lengths {
    let flits = swarm.draw(1..=4);
    if !swarm.has(Feature::LongMessages, 0.5) {
        return Lengths::Fixed(flits);
    }
    let long = swarm.draw(5..=20);
    if swarm.toss(0.5) { Lengths::Long { flits, long, fraction: 0.3 } } else { mixed(flits, long) }
}

/// Three lengths by weight, one of which does not occur.
fn mixed(flits: u32, long: u32) -> Lengths {
    Lengths::mixed(&[(flits, 2), (long, 1), (long + 1, 0)])
}

/// The weights of [`hotspots`].
pub(super) fn hotspot_weights(nodes: u32) -> Vec<u32> {
    if nodes == 1 { vec![2] } else { vec![3, 1] }
}

fn hotspot(nodes: u32, is_weighted: bool) -> Pattern {
    if is_weighted {
        let weights = IntegerWeights::new(&hotspot_weights(nodes));
        return Pattern::Hotspot { nodes: hotspots(nodes), weights, fraction: 0.4 };
    }
    Pattern::hotspot(hotspots(nodes), 0.4)
}

/// The last node, if there are others.
pub(super) fn excluded(nodes: u32) -> Vec<u32> {
    if nodes == 1 { Vec::new() } else { vec![nodes - 1] }
}

/// The first and the last node.
pub(super) fn hotspots(nodes: u32) -> Vec<u32> {
    if nodes == 1 { vec![0] } else { vec![0, nodes - 1] }
}

/// A matrix of which some rows are empty: each node sends to those of larger numbers.
pub(super) fn weights(nodes: u32) -> Vec<Vec<f64>> {
    let row = |from: u32| (0..nodes).map(|to| if to > from { f64::from(to - from) } else { 0.0 }).collect();
    (0..nodes).map(row).collect()
}

impl Grid {
    fn draw(swarm: &mut Swarm) -> Self {
        let nodes: u32 = swarm.draw(2..=8);
        let largest: u64 = swarm.one_of(&[3, 20, 200]);
        let contests = [Contest::Remain, Contest::Rate, Contest::KeepFree, Contest::Parallel];
        let faults = swarm.draw(0..=4);
        let latest = largest * 3;
        let mut link = |_| Failure {
            from: swarm.draw(0..nodes),
            to: swarm.draw(0..nodes),
            at: swarm.draw(0..=latest),
            slower: swarm.draw(0..=4),
        };
        let links = (0..faults).map(&mut link).collect();
        let mut deaths = Vec::new();
        for _ in 0..swarm.draw(0..=2) {
            deaths.push(Death { node: swarm.draw(1..nodes), at: swarm.draw(0..=latest) });
        }
        Self {
            costs: matrix(nodes as usize, |_, _| swarm.draw(1..=largest)),
            trees: swarm.draw(1..=3),
            contest: swarm.one_of(&contests),
            alpha: swarm.draw(0..=3),
            links,
            deaths,
            patience: swarm.one_of(&[0, 1, 2, 5]),
        }
    }
}
