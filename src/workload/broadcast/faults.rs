//! `[faults]`: links and nodes of a grid that fail at random.

use crate::config::Diagnostic;
use crate::config::Reader;
use crate::engine::faults::{Faults, LinkFault};
use crate::kind::Job;
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
    /// The faults of the repetition of `job` among `nodes` nodes, of which `root` does not die, each at a time drawn from
    /// what a broadcast planned from what links cost `takes`.
    #[must_use]
    pub fn draw(&self, job: Job<'_>, takes: Ticks, nodes: usize, root: NodeId) -> Faults {
        let mut random = random::stream(job.seed, "faults", job.repetition);
        let mut faults = Faults::default();
        let pairs = (0..nodes).flat_map(|src| (0..nodes).map(move |dst| (src, dst)));
        for (src, dst) in pairs.filter(|(src, dst)| src != dst) {
            // as many draws for every link, so that one probability does not move what another decides
            let (slow, dead, at) = (random.random::<f64>(), random.random::<f64>(), at(takes, &mut random));
            let (src, dst) = (NodeId::new(src), NodeId::new(dst));
            if dead < self.dead_links {
                faults.fail(src, dst, at, LinkFault::Dead);
            } else if slow < self.slow_links {
                faults.fail(src, dst, at, LinkFault::Slow(self.slowdown));
            }
        }
        for node in (0..nodes).map(NodeId::new) {
            let (dies, at) = (random.random::<f64>(), at(takes, &mut random));
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

/// Reads `[faults]`, if it is given.
pub(super) fn read(root: &Reader<'_>) -> Option<FaultSpec> {
    let table = root.table("faults")?;
    let probability = |key| table.optional_number(key, 0.0..=1.0);
    let (slow, dead, dying) = (probability("slow_links"), probability("dead_links"), probability("dead_nodes"));
    let slowdown = table.optional_number("slowdown", 1.0..=1e6);
    let give_up = table.optional_number("give_up", 0.0..=1e6);
    if slow.is_none() && dead.is_none() && dying.is_none() {
        let message = "nothing fails";
        let note = "accepted: `slow_links`, `dead_links`, `dead_nodes`, each a probability";
        table.error(Diagnostic::at(table.place(), message).note(note));
    }
    if slow.is_some() && slowdown.is_none() {
        table.missing("slowdown", "how many times longer a slow link takes");
    }
    if slow.is_none() && slowdown.is_some() {
        let message = "without `slow_links` nobody reads `slowdown`";
        table.error(Diagnostic::at(table.place_of("slowdown"), message));
    }
    table.finish();
    let (slow_links, dead_links, dead_nodes) = (slow.unwrap_or(0.0), dead.unwrap_or(0.0), dying.unwrap_or(0.0));
    // where something may be dead for good, waiting for ever is no plan
    let give_up = give_up.or((dead.is_some() || dying.is_some()).then_some(2.0));
    Some(FaultSpec { slow_links, slowdown: slowdown.unwrap_or(1.0), dead_links, dead_nodes, give_up })
}
