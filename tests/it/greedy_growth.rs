//! Greedy growth of mappings against a second implementation: a queue whose priorities change in place of the tournament
//! (which takes half its instructions on 1024 and 4096 tasks), and costs by definition, node after node.

use flitwise::algorithm::mapping::{Growth, Mapping, TaskGraph, generate, greedy};
use priority_queue::PriorityQueue;
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64;
use rustc_hash::FxBuildHasher;
use std::cmp::Reverse;

/// Tasks in the order in which they are mapped: most weight to the mapped ones first, then by weighted degree, then by number.
fn order(graph: &TaskGraph) -> Vec<u32> {
    let ids = 0..u32::try_from(graph.size()).unwrap();
    let alone = |task: u32| (0_u64, graph.weighted_degree(task), Reverse(task));
    let mut waiting: PriorityQueue<u32, _, FxBuildHasher> = ids.map(|task| (task, alone(task))).collect();
    let mut order = Vec::new();
    while let Some((task, _)) = waiting.pop() {
        order.push(task);
        for (neighbour, weight) in graph.neighbours(task) {
            waiting.change_priority_by(neighbour, |priority| priority.0 += u64::from(*weight));
        }
    }
    order
}

/// Each task in [`order`] to the free node where it adds least to the cost, the lowest of equals.
fn grown(graph: &TaskGraph) -> Mapping {
    let mut processors = vec![None; graph.size()];
    let mut room = vec![graph.size() / graph.nodes(); graph.nodes()];
    for task in order(graph) {
        let added = |node: usize| -> u64 {
            let hops = |to: u32| u64::from((to ^ u32::try_from(node).unwrap()).count_ones());
            let mapped =
                graph.neighbours(task).iter().filter_map(|&(end, weight)| Some((processors[end as usize]?, weight)));
            mapped.map(|(to, weight)| hops(to) * u64::from(weight)).sum()
        };
        let node = (0..graph.nodes()).filter(|&node| room[node] > 0).min_by_key(|&node| added(node)).unwrap();
        room[node] -= 1;
        processors[task as usize] = u32::try_from(node).ok();
    }
    Mapping::clustered(processors.into_iter().map(Option::unwrap).collect(), graph.dimensions()).unwrap()
}

#[test]
fn greedy_growth_is_that_of_a_queue_with_all_ties() {
    for seed in 0..60 {
        let random = &mut Pcg64::seed_from_u64(seed);
        let tasks = random.random_range(1..=150);
        let heaviest = [1, 3, 1000][random.random_range(0..3)];
        let edges = tasks * random.random_range(0..6);
        let graph = generate::gnm(tasks, edges, heaviest, random).unwrap();
        let dimensions = random.random_range(0..=graph.dimensions() + 1);
        let graph = graph.onto(dimensions).unwrap();
        assert_eq!(greedy(&graph, Growth::Tasks).unwrap(), grown(&graph), "seed {seed}");
    }
}
