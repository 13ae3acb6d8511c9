//! Runs of traffic of several classes.

use super::CLASSES;
use super::bench::{Measurement, link_lines, put_columns};
use super::classes::{Class, ClassLoop, ClassPlanned, NewPackets};
use super::counted::Counted;
use crate::algorithm::traffic::{Arrivals, ClassLoad, ClassPlan, Classes, Collected, PacketClass};
use crate::engine::Stop;
use crate::engine::router::{ClassTraffic, Ended, run_classes};
use crate::kind::{Row, RowFailure};
use crate::machine::Routers;
use crate::routing::Routing;
use crate::units::{Millionths, NodeId, Ticks, saturated};
use serde::Serialize;
use std::sync::Arc;

/// A line of classes.csv: what was measured of the packets of a class.
#[derive(Serialize)]
struct ClassLine<'a> {
    class: &'a str,
    messages: u64,
    offered: String,
    accepted: String,
    latency: Option<String>,
    network_latency: Option<String>,
    min_latency: Option<u64>,
    hops: Option<String>,
    undelivered: u64,
}

/// Runs the traffic and puts what was measured into `row`.
///
/// # Errors
/// If the run ends in a deadlock.
pub(super) fn measure(planned: &ClassPlanned<'_>, row: &mut Row) -> Result<(), RowFailure> {
    let ClassPlanned { workload, job } = planned;
    let nodes = NodeId::new(job.machine.network_nodes()).0;
    check_flow(planned)?;
    let routers = &workload.routers;
    let packets = workload.packets(nodes, job.seed, job.repetition);
    let mut traffic = Counted::new(packets, job.machine, routers.networks);
    let ended = workload.carry(&mut traffic);
    let (traffic, crossed) = traffic.finish();
    if let Some(deadlock) = ended.iter().find_map(|network| network.deadlock.clone()) {
        return Err(Stop::Deadlock(deadlock).into());
    }
    let by_class = traffic.finish();
    let measured = merged(&by_class, routers);
    row.nodes = nodes as usize;
    row.messages = saturated(measured.collected.packets);
    row.engine = Some(measured.engine);
    put_columns(&measured, Some(workload.phases), nodes, row);
    if let Some(crossed) = crossed {
        let ticks = workload.phases.measure * job.machine.channel.flit_time;
        row.set_traffic_energy(job.machine, &crossed, Ticks(ticks));
    }
    if workload.details {
        let lines = ended.iter().enumerate().flat_map(|(network, ended)| {
            link_lines(routers, ended, workload.phases.measure).into_iter().map(move |line| line.on_network(network))
        });
        row.add_links(lines.collect::<Vec<_>>());
    }
    if workload.has_classes() {
        let node_cycles = u64::from(nodes) * workload.phases.measure;
        let lines =
            workload.classes.iter().zip(&by_class).map(|(class, collected)| line(class, collected, node_cycles));
        row.add_lines(&CLASSES, lines);
    }
    Ok(())
}

/// Checks that paths lead between all nodes that exchange packets of a class, there and back if the class has replies.
pub(super) fn check_flow(planned: &ClassPlanned<'_>) -> Result<(), Stop> {
    let ClassPlanned { workload, job } = planned;
    let nodes = NodeId::new(job.machine.network_nodes()).0;
    for class in &workload.classes {
        let Some(load) = &class.load else { continue };
        let pattern = load.pattern.pattern(nodes, job.seed, job.repetition);
        let flow = pattern.flow(nodes);
        let has_replies = class.reply.is_some();
        job.machine.check_all_flow(|src, dst| flow(src, dst) > 0.0 || (has_replies && flow(dst, src) > 0.0))?;
    }
    Ok(())
}

impl ClassLoop {
    /// The packets of repetition `repetition` on `nodes` nodes.
    pub(crate) fn packets(&self, nodes: u32, seed: u64, repetition: u64) -> Classes {
        Classes::new(plan(self, nodes, seed, repetition), nodes, seed, repetition)
    }

    /// Runs `traffic`, which has its classes, through its routers.
    pub(crate) fn carry(&self, traffic: &mut dyn ClassTraffic) -> Vec<Ended> {
        let routes: Vec<Arc<dyn Routing>> = self.classes.iter().map(|class| Arc::clone(&class.routes)).collect();
        run_classes(self.routers.routes.as_ref(), &routes, self.routers.costs, traffic)
    }
}

/// The classes as the generator of packets knows them.
fn plan(workload: &ClassLoop, nodes: u32, seed: u64, repetition: u64) -> ClassPlan {
    let load = |load: &NewPackets| ClassLoad {
        pattern: load.pattern.pattern(nodes, seed, repetition),
        injection: load.injection,
        rate: load.rate,
    };
    let class = |class: &Class| PacketClass {
        message: class.message(),
        queue: class.queue,
        lengths: class.lengths.clone(),
        load: class.load.as_ref().map(load),
        reply: class.reply,
        network: class.network,
    };
    ClassPlan {
        classes: workload.classes.iter().map(class).collect(),
        networks: workload.routers.networks,
        reply_queue: workload.reply_queue,
        phases: workload.phases,
    }
}

/// The measurements of all classes together.
fn merged(by_class: &[Collected], routers: &Routers) -> Measurement {
    let mut collected = Collected::default();
    by_class.iter().for_each(|class| collected.merge(class));
    let timing = &routers.costs.timing;
    let unloaded = collected.sources.iter().map(|source| source.unloaded(timing)).collect();
    Measurement { collected, unloaded, links: Vec::new(), makespan: 0, crossed: None, engine: "router" }
}

fn line<'a>(class: &'a Class, collected: &Collected, node_cycles: u64) -> ClassLine<'a> {
    let Arrivals { packets, latency, network_latency, hops, .. } = collected.arrived;
    let mean = |sum: u64| (packets > 0).then(|| Millionths::ratio(sum, packets).to_string());
    ClassLine {
        class: &class.name,
        messages: collected.packets,
        offered: Millionths::ratio(collected.offered, node_cycles).to_string(),
        accepted: Millionths::ratio(collected.accepted, node_cycles).to_string(),
        latency: mean(latency),
        network_latency: mean(network_latency),
        min_latency: (packets > 0).then(|| collected.latencies.quantile(0)),
        hops: mean(hops),
        undelivered: collected.undelivered(),
    }
}
