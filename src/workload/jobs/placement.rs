//! Placements of jobs: the nodes of their ranks.

use crate::random;
use crate::units::NodeId;
use serde::Serialize;
use std::sync::Arc;

/// The rule by which jobs receive their nodes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Placement {
    /// Nodes from 0 on, job after job.
    Packed,
    /// Nodes from 0 on, one after the other for each job in turn. Jobs with a node for each rank are skipped.
    RoundRobin,
    /// A random permutation of the nodes in each repetition, job after job.
    Random,
    /// These nodes, job after job.
    List(Arc<[NodeId]>),
}

impl Placement {
    /// Returns the nodes of all ranks, job after job. `ranks` has the number of ranks of each job, and the machine has `nodes` nodes.
    ///
    /// # Panics
    /// If there are fewer nodes than ranks.
    pub(super) fn nodes(&self, ranks: &[usize], nodes: usize, seed: u64, repetition: u64) -> Vec<NodeId> {
        let all: usize = ranks.iter().sum();
        assert!(nodes >= all, "{nodes} nodes for {all} ranks");
        match self {
            Self::Packed => (0..all).map(NodeId::new).collect(),
            Self::RoundRobin => deal(ranks),
            Self::Random => {
                let mut permutation = random::placement(seed, repetition, nodes, nodes);
                permutation.truncate(all);
                permutation
            }
            Self::List(listed) => listed.to_vec(),
        }
    }
}

/// Deals nodes from 0 on to the jobs in turn.
fn deal(ranks: &[usize]) -> Vec<NodeId> {
    let mut hands: Vec<Vec<NodeId>> = ranks.iter().map(|&ranks| Vec::with_capacity(ranks)).collect();
    let mut next = 0;
    for turn in 0..ranks.iter().copied().max().unwrap_or(0) {
        for (hand, _) in hands.iter_mut().zip(ranks).filter(|(_, ranks)| turn < **ranks) {
            hand.push(NodeId::new(next));
            next += 1;
        }
    }
    hands.concat()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn numbers(placement: &Placement, ranks: &[usize], nodes: usize, repetition: u64) -> Vec<usize> {
        placement.nodes(ranks, nodes, 7, repetition).into_iter().map(NodeId::index).collect()
    }

    #[test]
    fn full_jobs_are_skipped() {
        assert_eq!(numbers(&Placement::Packed, &[2, 1, 4], 9, 0), [0, 1, 2, 3, 4, 5, 6]);
        assert_eq!(numbers(&Placement::RoundRobin, &[2, 1, 4], 9, 0), [0, 3, 1, 2, 4, 5, 6]);
    }

    #[test]
    fn jobs_keep_their_random_nodes_if_another_job_is_added() {
        let two = numbers(&Placement::Random, &[3, 4], 40, 0);
        assert_eq!(numbers(&Placement::Random, &[3, 4, 5], 40, 0)[..7], two);
        assert_ne!(numbers(&Placement::Random, &[3, 4], 40, 1), two);
    }

    proptest! {
        /// No node has two ranks.
        #[test]
        fn nodes_are_distinct(ranks in prop::collection::vec(1..6_usize, 1..5), more in 0..9_usize, repetition in 0..3_u64) {
            let all = ranks.iter().sum::<usize>();
            for placement in [Placement::Packed, Placement::RoundRobin, Placement::Random] {
                let mut nodes = numbers(&placement, &ranks, all + more, repetition);
                prop_assert_eq!(nodes.len(), all);
                nodes.sort_unstable();
                nodes.dedup();
                prop_assert!(nodes.len() == all && nodes.iter().all(|&node| node < all + more));
            }
        }
    }
}
