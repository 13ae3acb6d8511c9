//! Broadcasts over grids while links and nodes fail: what came came over what lived.

use super::case::{Death, Failure, Grid};
use crate::algorithm::broadcast::{Removal, Tree, ttcc};
use crate::engine::grid::faults::{Faults, LinkFault};
use crate::engine::grid::{Patience, Rules, Spread, TreeBroadcast};
use crate::schedule::Schedule;
use crate::selftest::laws::{Broken, FAULTS};
use crate::selftest::subject::Effort;
use crate::units::{Flits, NodeId, Ticks};

/// Holds a broadcast against the laws.
pub(super) fn judge(grid: &Grid) -> Result<Effort, Broken> {
    let costs = &grid.costs;
    let root = NodeId(0);
    let trees: Vec<Schedule> = ttcc(costs, root, grid.trees, Removal::Undirected)
        .iter()
        .map(|tree: &Tree| tree.schedule(costs.nodes(), root, Flits(1)))
        .collect();
    let rules = Rules { alpha: Ticks(grid.alpha), contest: grid.contest, refuse: true };
    let patience = (grid.patience > 0).then(|| Patience { forecast: costs, factor: f64::from(grid.patience) });
    let plain = || TreeBroadcast::new(costs, &trees).rules(rules);
    let faults = faults(grid);
    let run = || plain().faults(&faults).patience(patience).run(&mut ());
    let spread = run();
    FAULTS.equal("repeated run", &run(), &spread)?;
    lived(grid, &spread)?;
    if grid.links.is_empty() && grid.deaths.is_empty() {
        let without = plain().run(&mut ());
        if grid.patience == 0 {
            FAULTS.equal("run without faults, and run that cannot have faults", &spread, &without)?;
        }
        let missed = without.informed.iter().position(Option::is_none);
        FAULTS.equal("node that never receives the message without faults", &missed, &None)?;
    }
    let informed = spread.informed.iter().flatten().count() as u64;
    Ok(Effort { messages: informed, blocked: false, deadlocked: false })
}

fn faults(grid: &Grid) -> Faults {
    let mut faults = Faults::default();
    for &Failure { from, to, at, slower } in &grid.links {
        let fault = if slower == 0 { LinkFault::Dead } else { LinkFault::Slow(slower.into()) };
        faults.fail(NodeId(from), NodeId(to), Ticks(at), fault);
    }
    for &Death { node, at } in &grid.deaths {
        faults.kill(NodeId(node), Ticks(at));
    }
    faults
}

/// Who has the message has it from one that had it before, no sooner than the link between them takes, over a link that was not
/// dead and from and to nodes that lived.
fn lived(grid: &Grid, spread: &Spread) -> Result<(), Broken> {
    // the last fault of a link or a node counts
    let dead = |src: u32, dst: u32| {
        let last = grid.links.iter().rev().find(|link| link.from == src && link.to == dst);
        last.filter(|link| link.slower == 0).map(|link| link.at)
    };
    let died = |node: u32| grid.deaths.iter().rev().find(|death| death.node == node).map(|death| death.at);
    for (node, informed) in (0..).zip(&spread.informed) {
        let Some(at) = *informed else { continue };
        let Some(parent) = spread.parent[node as usize] else {
            FAULTS.equal(
                "nodes that have the message without a sender, and their times",
                &(node, at),
                &(0, Ticks::ZERO),
            )?;
            continue;
        };
        let before = spread.informed[parent.index()];
        let least = grid.costs.cost(parent, NodeId(node));
        let is_soon = before.is_none_or(|before| before + least > at);
        let ends = [dead(parent.0, node), died(parent.0), died(node)];
        if is_soon || ends.into_iter().flatten().any(|end| end < at.0) {
            return Err(FAULTS.broken(format!(
                "node {node} has it at {at} from {parent}, which had it at {before:?}, over a link that takes {least}; ends of \
                 the link and of both: {ends:?}"
            )));
        }
    }
    let last = spread.informed.iter().flatten().max().copied();
    FAULTS.equal("completion, and time of the last receipt", &Some(spread.completion), &last)
}
