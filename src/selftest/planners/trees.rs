//! Multicast trees against recurrences over all splits and stretches as lists.

use super::Planners;
use super::case::Group;
use crate::algorithm::multicast::{ALGORITHMS, Algorithm, Inside, LogpOptimal, OptTable, Request};
use crate::model::Parameterised;
use crate::schedule::Schedule;
use crate::selftest::laws::{Broken, LEAST_TIMES, TREES_AS_DEFINED};
use crate::selftest::reference::trees::{
    Given, Stretch, best_splits, binomial, earliest_receipts, fibonacci, least_times, opt_mesh, split, u_mesh,
};
use crate::units::{Flits, NodeId, narrow};

/// Holds all that plan for `group` against the laws.
pub(super) fn judge(planners: &impl Planners, group: &Group) -> Result<u64, Broken> {
    let Group { size, model, ports, .. } = *group;
    table(group)?;
    let mut messages = 0;
    for algorithm in ALGORITHMS {
        let Some(schedule) = planned(planners, group, algorithm) else { continue };
        messages += schedule.len() as u64;
        priced(group, algorithm, &schedule)?;
        if let Some(defined) = defined(group, algorithm.name) {
            let sends: Vec<(u32, u32)> = schedule.messages().map(|message| (message.src.0, message.dst.0)).collect();
            let what = format!("sends of {}, planned and by its definition", algorithm.name);
            TREES_AS_DEFINED.all_equal(what, &sends, &defined)?;
        }
    }
    // nodes that are reached at once have no order
    if model.t_end.0 > 0 && ports == 1 {
        let labels = LogpOptimal::new(size, model.t_hold.0, model.t_end.0).labels().to_vec();
        LEAST_TIMES.equal(
            "labels of logp-optimal and the earliest receipts",
            &labels,
            &earliest_receipts(size, model, 1),
        )?;
    }
    Ok(messages)
}

fn planned(planners: &impl Planners, group: &Group, algorithm: &Algorithm) -> Option<Schedule> {
    let mut nodes: Vec<NodeId> = (0..group.size).map(NodeId::new).collect();
    nodes.swap(0, group.source);
    let request = Request {
        group: &nodes,
        nodes: group.size,
        network: None,
        copying: None,
        flits: Flits(1),
        model: group.model,
        ports: group.ports,
        block: 4,
        inside: Inside::Flat,
    };
    planners.multicast(algorithm, &request)
}

/// The table of optimal splits.
fn table(&Group { size, model, ports, .. }: &Group) -> Result<(), Broken> {
    let law = &LEAST_TIMES;
    let table = OptTable::new(size, model, ports);
    let least = least_times(size, model, ports);
    let times: Vec<u64> = (1..=size).map(|block| table.time(block)).collect();
    law.all_equal("times of the table, and the minimum over all splits", &times, &least[1..=size])?;
    if model.t_end.0 > 0 {
        let earliest = earliest_receipts(size, model, ports);
        let last: Vec<u64> = (1..=size).map(|block| earliest[block - 1]).collect();
        law.all_equal("times of the table, and the earliest receipts", &times, &last)?;
    }
    for block in 2..=size {
        let best = best_splits(&least, block, model, ports);
        let kept = table.kept(block);
        // with one port and no longer hold Algorithm 1 decides which
        let decides = ports == 1 && model.t_hold <= model.t_end;
        if !best.contains(&kept) || (!decides && best.last() != Some(&kept)) {
            return Err(
                law.broken(format!("the source keeps {kept} of {block} nodes, but the optimal numbers are {best:?}"))
            );
        }
    }
    Ok(())
}

/// A schedule's price is what its definition says, and no less than the least; that of optimal trees is the least.
fn priced(group: &Group, algorithm: &Algorithm, schedule: &Schedule) -> Result<(), Broken> {
    let Group { size, model, ports, .. } = *group;
    if schedule.has_worms() {
        return Ok(());
    }
    let Parameterised { t_hold, t_end } = model;
    let mut received = vec![0; size];
    let mut sent = vec![0; size];
    let mut prices = Vec::new();
    for message in schedule.messages() {
        let round = sent[message.src.index()] / ports as u64;
        sent[message.src.index()] += 1;
        received[message.dst.index()] = received[message.src.index()] + round * t_hold.0 + t_end.0;
        prices.push(received[message.dst.index()]);
    }
    let name = algorithm.name;
    let fast: Vec<u64> = model.price(schedule, ports).received.into_iter().map(|at| at.0).collect();
    LEAST_TIMES.all_equal(
        format_args!("times of receipt by {name}, predicted and by the definition"),
        &fast,
        &prices,
    )?;
    let completion = prices.into_iter().max().unwrap_or_default();
    let least = least_times(size, model, ports)[size];
    let is_optimal = name.starts_with("opt-") || (name == "logp-optimal" && t_end.0 > 0);
    if completion < least || (is_optimal && completion > least) {
        return Err(LEAST_TIMES.broken(format!("{name} takes {completion}, but the minimum is {least}")));
    }
    Ok(())
}

/// The tree of an algorithm by its definition, of those that have one here.
fn defined(group: &Group, name: &str) -> Option<Vec<(u32, u32)>> {
    let number = |node: usize| narrow(node, "groups of cases are small");
    let chain = Stretch { nodes: (0..number(group.size)).collect(), holder: number(group.source) };
    let mut given = chain.clone();
    given.nodes.swap(0, group.source);
    let table = OptTable::new(group.size, group.model, group.ports);
    let low_to_first = |size: usize, place: usize| match fibonacci(size, place) {
        Given::Low(count) => Given::LowToFirst(count),
        other => other,
    };
    Some(match name {
        "opt-mesh" | "opt-chain" | "opt-min" => split(&chain, &opt_mesh(|size| table.kept(size))),
        "u-mesh" | "u-min" | "bisection" => split(&chain, &u_mesh),
        "fibonacci" => split(&chain, &low_to_first),
        "fibonacci-boundary" => split(&chain, &fibonacci),
        "binomial" => split(&given, &binomial),
        "sequential" => given.nodes[1..].iter().map(|&node| (given.holder, node)).collect(),
        "chain" => given.nodes.windows(2).map(|pair| (pair[0], pair[1])).collect(),
        _ => return None,
    })
}
