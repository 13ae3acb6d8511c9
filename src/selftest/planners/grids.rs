//! Broadcasts over grids against scans of all sends, and the least completion against all orders of sends.

use super::Planners;
use super::case::Grid;
use crate::algorithm::broadcast::{ALGORITHMS, FlatOrder, LookAhead, NodeCost, Options, Removal, Tree, lower_bound};
use crate::engine::grid::TreeBroadcast;
use crate::selftest::laws::{BROADCASTS_AS_DEFINED, Broken, LEAST_COMPLETION};
use crate::selftest::reference::broadcasts::{self as defined, Sends};
use crate::units::{Flits, NodeId};

/// Up to so many nodes all orders of sends are tried.
const FEW: usize = 5;

/// Holds all planners against the laws.
pub(super) fn judge(planners: &impl Planners, grid: &Grid) -> Result<u64, Broken> {
    let Grid { costs, root } = grid;
    let source = NodeId::new(*root);
    let bound = defined::longest_shortest_path(costs, *root);
    let law = &LEAST_COMPLETION;
    law.equal("lower bound, fast and by the definition", &lower_bound(costs, source), &bound)?;
    let least = if costs.nodes() <= FEW { defined::least_completion(costs, *root) } else { bound };
    let mut sends = 0;
    for algorithm in ALGORITHMS.iter().filter(|algorithm| costs.nodes() <= algorithm.most_nodes.min(MOST)) {
        for options in variants() {
            let name = algorithm.name;
            if name == "optimal" && costs.nodes() > FEW + 1 {
                continue; // exponential
            }
            let trees = planners.broadcast(algorithm, costs, source, &options);
            sends += trees.iter().map(|tree| tree.edges().len() as u64).sum::<u64>();
            let planned: Vec<Sends> = trees.iter().map(edges).collect();
            if let Some(expected) = by_definition(grid, name, &options) {
                let what = format!("trees of {name} with {options:?}, planned and by the definition");
                BROADCASTS_AS_DEFINED.all_equal(what, &planned, &expected)?;
            }
            times(grid, name, &trees[0])?;
            let completion = trees[0].completion(costs, source).0;
            let is_least = name == "optimal" && costs.nodes() <= FEW;
            if completion < least || (is_least && completion > least) {
                return Err(law.broken(format!("{name} completes at {completion}, but the minimum is {least}")));
            }
        }
    }
    Ok(sends)
}

/// More nodes are not drawn.
const MOST: usize = 1000;

fn edges(tree: &Tree) -> Sends {
    tree.edges().iter().map(|&(src, dst)| (src.0, dst.0)).collect()
}

/// The variants of planners that are tried.
fn variants() -> [Options; 2] {
    let default = Options::default();
    let other = Options {
        trees: 3,
        removal: Removal::Directed,
        flat_order: FlatOrder::Cost,
        look_ahead: LookAhead::Average,
        node_cost: NodeCost::Min,
        classes: 3,
    };
    [default, other]
}

/// The trees of a planner by its definition, of those that have one here.
fn by_definition(Grid { costs, root }: &Grid, name: &str, options: &Options) -> Option<Vec<Sends>> {
    let root = *root;
    let one = |sends| Some(vec![sends]);
    match name {
        "fef" => one(defined::fef(costs, root)),
        "ecef" => one(defined::ecef(costs, root)),
        "ecef-lookahead" if options.look_ahead == LookAhead::Min => one(defined::ecef_ahead_least(costs, root)),
        "ecef-lookahead" => one(defined::ecef_ahead_mean(costs, root)),
        "flat" => one(defined::flat(costs, root, options.flat_order == FlatOrder::Cost)),
        "binomial" => one(defined::binomial(root, costs.nodes())),
        "fnf" => {
            let others =
                |node: usize| (0..costs.nodes()).filter(move |&to| to != node).map(move |to| costs.row(node)[to]);
            let speed = |node: usize| match options.node_cost {
                NodeCost::Mean => others(node).sum::<u64>(),
                NodeCost::Min => others(node).min().unwrap_or_default(),
            };
            one(defined::fnf(root, &(0..costs.nodes()).map(speed).collect::<Vec<u64>>()))
        }
        "ttcc" => Some(defined::ttcc(costs, root, options.trees, options.removal == Removal::Directed)),
        _ => None,
    }
}

/// When nodes have the message: what the tree says, what its sends amount to, and what the grid engine does.
fn times(Grid { costs, root }: &Grid, name: &str, tree: &Tree) -> Result<(), Broken> {
    let source = NodeId::new(*root);
    let plain = defined::times(costs, *root, &edges(tree));
    let law = &BROADCASTS_AS_DEFINED;
    let told: Vec<Option<u64>> = tree.informed(costs, source).into_iter().map(|at| at.map(|at| at.0)).collect();
    law.equal(format_args!("times of receipt by {name}, reported and computed"), &told, &plain)?;
    let schedule = tree.schedule(costs.nodes(), source, Flits(1));
    let ran = TreeBroadcast::new(costs, &[schedule]).run(&mut ());
    let ran: Vec<Option<u64>> = ran.informed.into_iter().map(|at| at.map(|at| at.0)).collect();
    law.equal(format_args!("times of receipt by {name}, run and computed"), &ran, &plain)
}
