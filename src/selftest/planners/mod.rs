//! Fast planners against their definitions: multicast trees, broadcasts over grids, exchanges and mappings.
//!
//! ```text
//!   case        what is planned: small groups, costs, tori, graphs of tasks
//!   trees       multicast trees
//!   grids       broadcasts over grids
//!   mappings    mappings of tasks
//!   written     cases that are smaller, and as scenarios
//! ```

mod case;
mod grids;
mod mappings;
mod trees;
mod written;

use super::apart::PROBLEMS;
use super::features::{Feature, FeatureSet, Swarm};
use super::laws::{
    AS_WRITTEN, BEST_MAPPING, BROADCASTS_AS_DEFINED, Broken, COUNTED, CUTS_AS_DEFINED, ENDS, LEAST_COMPLETION,
    LEAST_TIMES, MAPPING_COSTS, NO_PANIC, TREES_AS_DEFINED,
};
use super::report::Shown;
use super::subject::{About, Effort, Subject};
use crate::algorithm::{broadcast, mapping, multicast};
use crate::schedule::Schedule;
use crate::topology::CostMatrix;
use crate::units::NodeId;
use case::{Planning, Ring};

static ABOUT: About = About {
    name: "planners",
    summary: "fast planners compared with slow ones that follow the definition: multicast trees, broadcasts over grids, exchanges, mappings",
    laws: &[
        &LEAST_TIMES,
        &TREES_AS_DEFINED,
        &BROADCASTS_AS_DEFINED,
        &LEAST_COMPLETION,
        &COUNTED,
        &MAPPING_COSTS,
        &BEST_MAPPING,
        &CUTS_AS_DEFINED,
        &AS_WRITTEN,
        &NO_PANIC,
        &ENDS,
    ],
    features: FeatureSet::of(PROBLEMS).and(FeatureSet::of(OWN)),
};

/// What problems may have.
const OWN: &[Feature] =
    &[Feature::Larger, Feature::Ports, Feature::LongHolds, Feature::Ties, Feature::SeveralTasks, Feature::OffCubes];

/// What plans: this crate, or in tests what is wrong on purpose.
pub(super) trait Planners: Sync {
    fn multicast(&self, algorithm: &multicast::Algorithm, request: &multicast::Request<'_>) -> Option<Schedule> {
        algorithm.plan(request).ok()
    }

    fn broadcast(
        &self,
        algorithm: &broadcast::Algorithm,
        costs: &CostMatrix,
        root: NodeId,
        options: &broadcast::Options,
    ) -> Vec<broadcast::Tree> {
        algorithm.plan(costs, root, options)
    }

    fn cost(&self, graph: &mapping::TaskGraph, mapping: &mapping::Mapping) -> u64 {
        graph.cost(mapping)
    }
}

/// The planners of this crate.
struct Ours;

impl Planners for Ours {}

/// The area with the planners of this crate.
pub(super) struct Plans;

impl Subject for Plans {
    type Case = Planning;

    fn about(&self) -> &'static About {
        &ABOUT
    }

    fn draw(&self, swarm: &mut Swarm) -> Planning {
        Planning::draw(swarm)
    }

    fn judge(&self, case: &Planning) -> Result<Effort, Broken> {
        judge(&Ours, case)
    }

    fn runs(&self, _: &Planning, _: &Broken) -> Vec<Shown> {
        vec![Shown { name: "planned", arguments: "" }]
    }
}

/// Holds `case` against all laws on `planners`.
fn judge(planners: &impl Planners, case: &Planning) -> Result<Effort, Broken> {
    let messages = match case {
        Planning::Trees(group) => trees::judge(planners, group)?,
        Planning::Grid(grid) => grids::judge(planners, grid)?,
        Planning::Exchange(ring) => exchange(ring)?,
        Planning::Mapping(tasks) => mappings::judge(planners, tasks)?,
    };
    Ok(Effort { messages, blocked: false, deadlocked: false })
}

/// The steps and the blocks of an exchange are those of its closed form.
fn exchange(Ring { algorithm, shape }: &Ring) -> Result<u64, Broken> {
    let Ok(exchange) = algorithm.plan(shape) else { return Ok(0) };
    let Ok(expected) = algorithm.critical_path(shape) else { return Ok(0) };
    let largest = |step: usize| {
        let messages = exchange.messages(step);
        messages.map(|message| exchange.blocks(message.id).len() as u64).max().unwrap_or_default()
    };
    let steps = 0..exchange.steps();
    let counted = [exchange.steps() as u64, steps.map(largest).sum()];
    let name = algorithm.name;
    COUNTED.equal(
        format_args!("steps and critical blocks of {name} on {shape:?}, counted and in closed form"),
        &counted,
        &[expected.startups, expected.blocks],
    )?;
    Ok(exchange.len() as u64)
}

#[cfg(test)]
#[allow(clippy::panic, reason = "a test that cannot go on fails")]
mod tests {
    use super::super::minimise::{Smallest, minimise};
    use super::*;
    use crate::algorithm::broadcast::Tree;
    use crate::random;

    /// An ECEF that takes of equal sends the one to the largest number: it plans for nodes numbered the other way round.
    struct Backwards;

    impl Planners for Backwards {
        fn broadcast(
            &self,
            algorithm: &broadcast::Algorithm,
            costs: &CostMatrix,
            root: NodeId,
            options: &broadcast::Options,
        ) -> Vec<Tree> {
            if algorithm.name != "ecef" {
                return algorithm.plan(costs, root, options);
            }
            let nodes = costs.nodes();
            let mirrored = |node: NodeId| NodeId::new(nodes - 1 - node.index());
            let backwards = super::super::case::matrix(nodes, |from, to| costs.row(nodes - 1 - from)[nodes - 1 - to]);
            let trees = algorithm.plan(&backwards, mirrored(root), options);
            let back = |tree: &Tree| Tree::new(tree.edges().iter().map(|&(s, d)| (mirrored(s), mirrored(d))).collect());
            trees.iter().map(back).collect()
        }
    }

    /// Costs of mappings without their last edge.
    struct Forgetful;

    impl Planners for Forgetful {
        fn cost(&self, graph: &mapping::TaskGraph, mapping: &mapping::Mapping) -> u64 {
            let last = graph.edges().last().map_or(0, |(one, other, weight)| {
                u64::from(weight) * u64::from(mapping.processor(one) != mapping.processor(other))
            });
            graph.cost(mapping) - last.min(graph.cost(mapping))
        }
    }

    fn drawn(number: u64) -> Planning {
        Planning::draw(&mut Swarm::new(random::stream(number, ABOUT.name, 0), ABOUT.features))
    }

    fn smallest(planners: &impl Planners) -> Smallest<Planning> {
        let first = (0..2000).find_map(|number| Some((drawn(number), judge(planners, &drawn(number)).err()?)));
        let Some((case, broken)) = first else { panic!("nothing is found") };
        minimise(case, broken, |case| judge(planners, case).err())
    }

    #[test]
    fn nothing_is_found_where_nothing_is_planted() {
        let broken = (0..400).find_map(|number| Some((number, judge(&Ours, &drawn(number)).err()?)));
        assert_eq!(broken, None);
    }

    /// Three nodes whose sends cost the same show it.
    #[test]
    fn a_planner_with_another_rule_for_ties_is_found() {
        let small = smallest(&Backwards);
        assert_eq!(small.broken.law.name, "broadcasts-as-defined");
        let Planning::Grid(grid) = &small.case else { panic!("{:?}", small.case) };
        assert!(grid.costs.nodes() == 3 && grid.costs.costs().iter().all(|&cost| cost <= 1), "{grid:?}");
    }

    /// Two tasks and their edge show it.
    #[test]
    fn a_cost_that_forgets_an_edge_is_found() {
        let small = smallest(&Forgetful);
        assert_eq!(small.broken.law.name, "mapping-costs");
        let Planning::Mapping(tasks) = &small.case else { panic!("{:?}", small.case) };
        assert!(tasks.edges.len() == 1 && tasks.tasks <= 3, "{tasks:?}");
    }
}
