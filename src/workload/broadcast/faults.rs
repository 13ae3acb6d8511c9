//! `[faults]`: links and nodes of a grid that fail at random.

use crate::config::{Diagnostic, Reader};
use crate::engine::grid::faults::{Faults, LinkFault};
use crate::kind::Job;
use crate::machine::faults::{GridFaults, read_on_grid};
use crate::random;
use crate::units::{NodeId, Ticks};
use rand::{Rng, RngExt};
use serde::Serialize;

/// How many links and nodes fail, and what their senders make of it.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct FaultSpec {
    /// The probability of a link to become slow.
    pub slow_links: f64,
    /// How many times longer what is left on a slow link takes.
    pub slowdown: f64,
    /// The probability of a link to die.
    pub dead_links: f64,
    /// The probability of a node to die, the root aside.
    pub dead_nodes: f64,
    /// Senders give up after so many times what was forecast; none if they never do.
    pub give_up: Option<f64>,
}

impl FaultSpec {
    /// The faults of the repetition of `job` among `nodes` nodes, of which `root` does not die, each at a time drawn
    /// from what a broadcast planned from what links cost `takes`.
    pub fn draw(&self, job: Job<'_>, takes: Ticks, nodes: usize, root: NodeId) -> Faults {
        let mut random = random::stream(job.seed, "faults", job.repetition);
        let mut faults = Faults::default();
        let pairs = (0..nodes).flat_map(|src| (0..nodes).map(move |dst| (src, dst)));
        for (src, dst) in pairs.filter(|(src, dst)| src != dst) {
            // as many draws for every link, so that one probability does not move what another decides
            let [slow, dead]: [f64; 2] = random.random();
            let at = at(takes, &mut random);
            let [src, dst] = [src, dst].map(NodeId::new);
            if dead < self.dead_links {
                faults.fail(src, dst, at, LinkFault::Dead);
            } else if slow < self.slow_links {
                faults.fail(src, dst, at, LinkFault::Slow(self.slowdown));
            }
        }
        for node in (0..nodes).map(NodeId::new) {
            let dies: f64 = random.random();
            let at = at(takes, &mut random);
            if node != root && dies < self.dead_nodes {
                faults.kill(node, at);
            }
        }
        faults
    }
}

fn at(takes: Ticks, random: &mut impl Rng) -> Ticks {
    Ticks(random.random_range(0..=takes.0))
}

pub(super) fn read(root: &Reader<'_>) -> Option<FaultSpec> {
    let table = root.table("faults")?;
    let GridFaults { slow_links, slowdown, dead_links, dead_nodes, give_up } = read_on_grid(&table);
    let kills = dead_links.is_some() || dead_nodes.is_some();
    if slow_links.is_none() && !kills {
        let message = "[faults] specifies no failures";
        let note = "accepted: `slow_links`, `dead_links`, `dead_nodes`, each a probability";
        table.error(Diagnostic::at(table.place(), message).note(note));
    }
    table.finish();
    // where something may be dead for good, waiting for ever is no plan
    let give_up = give_up.or(kills.then_some(2.0));
    Some(FaultSpec {
        slow_links: slow_links.unwrap_or(0.0),
        slowdown: slowdown.unwrap_or(1.0),
        dead_links: dead_links.unwrap_or(0.0),
        dead_nodes: dead_nodes.unwrap_or(0.0),
        give_up,
    })
}
