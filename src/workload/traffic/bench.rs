//! Runs of traffic: steady streams, bursts, batches, and the search for the rate at which a network saturates.

use super::capacity::Capacity;
use super::counted::Counted;
use super::{
    ACCEPTED, HOPS, LATENCY, MAKESPAN, MAX, MIN_LATENCY, Mode, NETWORK_LATENCY, OFFERED, P50, P99, Plan, SATURATION,
    UNDELIVERED, UNLOADED,
};
use crate::algorithm::traffic::{BatchPlan, Batches, Burst, Collected, Phases, Reach, Sources, Steady};
use crate::cancel;
use crate::engine::program::{Began, TraceMessage, TraceProgram};
use crate::engine::router::{self, Delivery, Divisible, Ended, Ending, RouterEvent, Traffic};
use crate::engine::{Both, MessageOutcome, Outcome, Stop};
use crate::kind::{Column, Detail, LinkLine, LinkLoad, LinkWatch, Row, RowFailure, TraversalWatch, Traversals};
use crate::machine::{Faults, Machine, Routers};
use crate::routing::PortAt;
use crate::units::{Flits, MessageId, Millionths, NodeId, RouterId, Ticks, saturated};
use std::ops::Range;
use std::sync::Arc;

/// What a run of traffic gave.
pub(super) struct Measurement {
    pub(super) collected: Collected,
    /// Per source, what an empty network would have taken for its packets that arrived.
    pub(super) unloaded: Vec<u64>,
    /// How busy links between routers were.
    pub(super) links: Vec<LinkLine>,
    pub(super) makespan: u64,
    /// The flits that crossed channels while they were measured, if these were counted.
    pub(super) crossed: Option<Traversals>,
    pub(super) engine: &'static str,
}

fn millionths(value: f64) -> Millionths {
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a rate from 0 to 1")]
    Millionths((value * 1e6).round() as u64)
}

/// Traffic without a network; scenarios refuse it.
#[derive(Debug, thiserror::Error)]
#[error("traffic needs a network")]
struct NoNetwork;

/// An error of batches without virtual-channel routers, which scenarios refuse.
#[derive(Debug, thiserror::Error)]
#[error("batches need virtual-channel routers")]
struct NoRouters;

/// The largest mean latencies while a rate is carried, as multiples of that in an empty network, for all packets together
/// and for the packets of a single source. A source that starves does not show in the mean of all, and in time exceeds any
/// number. At 95 % of its own capacity a source takes about ten times as long, and by chance more.
const MOST_LATENCY: u64 = 3;
const MOST_LATENCY_OF_SOURCE: u64 = 20;

impl Measurement {
    /// The measurement with the number of packets that were left out.
    fn leaving_out(mut self, packets: u64) -> Self {
        self.collected.left_out = packets;
        self
    }

    /// Returns true if the network carries the offered rate.
    fn is_carried(&self) -> bool {
        let Collected { arrived, sources, .. } = &self.collected;
        let sources = sources.iter().zip(&self.unloaded);
        self.collected.undelivered() == 0
            && arrived.latency <= MOST_LATENCY * self.unloaded.iter().sum::<u64>()
            && sources.into_iter().all(|(source, unloaded)| source.latency <= MOST_LATENCY_OF_SOURCE * unloaded)
    }
}

/// The pairs of nodes that the failures of a machine leave a path.
#[derive(Debug)]
struct SurvivingPairs(Arc<Faults>);

impl Reach for SurvivingPairs {
    fn reaches(&self, src: u32, dst: u32) -> bool {
        self.0.reaches(NodeId(src), NodeId(dst))
    }
}

/// Messages, not numbered yet, where they are asked for.
type Details = Option<Vec<Detail>>;

/// `messages` numbered in the order in which they were made, and of their sources.
fn numbered(mut messages: Vec<Detail>) -> Vec<Detail> {
    messages.sort_by_key(|message| {
        let MessageOutcome { requested, src, delivered, dst, .. } = message.outcome;
        (requested, src, delivered, dst)
    });
    (0..).zip(&mut messages).for_each(|(id, message)| message.id = id);
    messages
}

impl Plan<'_> {
    /// Runs the traffic and puts what was measured into `row`, with every packet if `messages`.
    ///
    /// # Errors
    /// If the run ends in a deadlock.
    pub(super) fn measure(&self, row: &mut Row, messages: bool) -> Result<(), RowFailure> {
        let workload = &self.workload;
        self.check_flow()?;
        let mut packets = messages.then(Vec::new);
        let (measured, phases) = match workload.mode {
            Mode::Burst => (self.burst(&mut packets)?, None),
            Mode::Batch(plan) => (self.batches(plan, row, &mut packets)?, None),
            Mode::Steady(phases) => (self.steady(phases, workload.rate, &mut packets)?, Some(phases)),
            Mode::Saturation(phases) => {
                let (rate, measured) = self.saturate(phases)?;
                row.set(&SATURATION, millionths(rate).0);
                (measured, Some(phases))
            }
        };
        row.nodes = self.nodes() as usize;
        row.messages = saturated(measured.collected.packets);
        row.engine = Some(measured.engine);
        row.leave_out(measured.collected.left_out);
        put_columns(&measured, phases, self.nodes(), row);
        if let Some(crossed) = &measured.crossed {
            let ticks = match (phases, &workload.routers) {
                (Some(phases), _) => phases.measure * self.job.machine.channel.flit_time,
                (None, Some(_)) => measured.makespan * self.job.machine.channel.flit_time,
                (None, None) => measured.makespan,
            };
            row.set_traffic_energy(self.job.machine, crossed, Ticks(ticks));
        }
        if workload.details {
            row.add_links(measured.links);
        }
        row.details = numbered(packets.unwrap_or_default());
        Ok(())
    }

    fn nodes(&self) -> u32 {
        NodeId::new(self.job.machine.network_nodes()).0
    }

    /// The sources of packets, of which those made in the cycles `counted` count. Packets without a path are left out, if the scenario
    /// says so.
    fn sources(&self, rate: f64, counted: Range<u64>) -> Sources {
        let sources = self.workload.sources(self.nodes(), rate, self.job.seed, self.job.repetition);
        match self.job.machine.faults.as_ref().filter(|faults| faults.is_cut()) {
            Some(faults) => sources.within_reach(Arc::new(SurvivingPairs(Arc::clone(faults))), counted),
            None => sources,
        }
    }

    /// Checks that a path leads from every node to every destination of its packets, unless these are left out.
    pub(super) fn check_flow(&self) -> Result<(), Stop> {
        let pattern = self.workload.pattern.pattern(self.nodes(), self.job.seed, self.job.repetition);
        let flow = pattern.flow(self.nodes());
        Ok(self.job.machine.check_flow(|src, dst| flow(src, dst) > 0.0)?)
    }

    fn burst(&self, messages: &mut Details) -> Result<Measurement, RowFailure> {
        let burst = Burst::new(self.sources(1.0, 0..u64::MAX));
        match &self.workload.routers {
            Some(routers) => {
                let (parts, ended) = divided(self.job.machine, routers, burst, messages)?;
                let (collected, ends): (Vec<_>, Vec<_>) = parts.into_iter().map(Burst::finish).unzip();
                let last = ends.into_iter().max().unwrap_or(0);
                Ok(measured(routers, Collected::merged(collected), ended, last + 1))
            }
            None => {
                let mut burst = burst;
                let packets = (0..self.nodes()).filter_map(|node| Some((node, burst.next(node, 0)?)));
                let packets: Vec<TraceMessage> = packets.map(|(node, offer)| self.message(node, offer)).collect();
                let (Collected { left_out, .. }, _) = burst.finish();
                Ok(self.wormhole(&packets, 0..u64::MAX, messages)?.leaving_out(left_out))
            }
        }
    }

    /// Runs batches, and sets the accepted throughput of `row` over all of them.
    fn batches(&self, plan: BatchPlan, row: &mut Row, messages: &mut Details) -> Result<Measurement, RowFailure> {
        let Some(routers) = &self.workload.routers else { return Err(RowFailure::plan(NoRouters)) };
        let (batches, ended) =
            ran(self.job.machine, routers, Batches::new(self.sources(1.0, 0..u64::MAX), plan), messages)?;
        let (collected, times) = batches.finish();
        let node_cycles = u64::from(self.nodes()) * times.cycles;
        row.set(&ACCEPTED, Millionths::ratio(collected.accepted, node_cycles).0);
        Ok(Measurement { makespan: times.mean(), ..measured(routers, collected, ended, times.cycles) })
    }

    fn steady(&self, phases: Phases, rate: f64, messages: &mut Details) -> Result<Measurement, RowFailure> {
        let Some(routers) = &self.workload.routers else {
            let (packets, left_out) = self.packets(phases, rate);
            return Ok(self.wormhole(&packets, phases.window(), messages)?.leaving_out(left_out));
        };
        let machine = self.job.machine;
        let steady = Steady::new(self.sources(rate, phases.window()), phases);
        if machine.energy.is_some() || messages.is_some() {
            let (parts, ended) = divided(machine, routers, steady, messages)?;
            let collected = Collected::merged(parts.into_iter().map(Steady::finish));
            return Ok(measured(routers, collected, ended, phases.measure));
        }
        let (collected, ended) = streamed(machine, routers, steady)?;
        Ok(measured(routers, collected, ended, phases.measure))
    }

    /// The highest rate, to one part in two hundred, that the network carries, and the measurement there. Rates above the
    /// capacity of the busiest channel saturate it, however little a short measurement shows of that.
    fn saturate(&self, phases: Phases) -> Result<(f64, Measurement), RowFailure> {
        let pattern = self.workload.pattern.pattern(self.nodes(), self.job.seed, self.job.repetition);
        let capacity = Capacity::new(&self.workload, self.job.machine.executing(), &pattern);
        let saturates = |rate| capacity.as_ref().is_some_and(|capacity| capacity.is_below(rate));
        let (mut low, mut high) = (0.0, 1.0);
        let mut best = None;
        for done in 0..30_u32 {
            let rate = f64::midpoint(low, high);
            let part = part_of_search(done, high - low, high);
            let run = || cancel::within(part, || self.steady(phases, rate, &mut None));
            let measured = if saturates(rate) { None } else { Some(run()?) };
            match measured.filter(Measurement::is_carried) {
                Some(carried) => {
                    low = rate;
                    best = Some(carried);
                }
                None => high = rate,
            }
            if high - low <= high / STEPS {
                break;
            }
        }
        match best {
            Some(best) => Ok((low, best)),
            None => Ok((low, self.steady(phases, high, &mut None)?)),
        }
    }

    fn message(&self, node: u32, offer: router::Offer) -> TraceMessage {
        let start = Ticks(offer.created * self.job.machine.channel.flit_time);
        TraceMessage { src: NodeId(node), dst: NodeId(offer.dst), flits: Flits(offer.flits.into()), start }
    }

    /// All packets that sources make until the drain is over, by time and node, and the number of those that are left out.
    fn packets(&self, phases: Phases, rate: f64) -> (Vec<TraceMessage>, u64) {
        let mut sources = self.sources(rate, phases.window());
        let mut packets = Vec::new();
        for node in cancel::steps(0..sources.nodes()) {
            let made = std::iter::from_fn(|| sources.next(node)).take_while(|offer| offer.created < phases.end());
            packets.extend(made.map(|offer| self.message(node, offer)));
        }
        packets.sort_by_key(|packet| (packet.start, packet.src));
        (packets, sources.left_out())
    }

    /// Runs `packets` on an engine for worms; those made within `window`, in flit times, count.
    fn wormhole(
        &self,
        packets: &[TraceMessage],
        window: Range<u64>,
        messages: &mut Details,
    ) -> Result<Measurement, RowFailure> {
        let machine = self.job.machine.executing();
        let channel = machine.channel;
        let no_network = || RowFailure::plan(NoNetwork);
        let tick = |at: u64| Ticks(at.saturating_mul(channel.flit_time));
        let flits = |packet: MessageId| packets[packet.index()].flits;
        let measured = tick(window.start)..tick(window.end);
        let crossings = TraversalWatch::of_traffic(machine, &flits, measured.clone());
        let mut watch = Both(LinkWatch::new(&flits).within(measured), crossings);
        let program = TraceProgram::new(packets);
        let outcome = machine.run(program, self.job.draw(), &mut watch).ok_or_else(no_network)??;
        let Both(watch, crossings) = watch;
        let mut collected = Collected::default();
        let mut unloaded = vec![0; self.nodes() as usize];
        let counts = |at: Ticks| window.contains(&(at.0 / channel.flit_time));
        for (packet, message) in packets.iter().zip(&outcome.messages) {
            if counts(message.delivered) {
                collected.accepted += packet.flits.0;
            }
            if counts(packet.start) {
                collected.packets += 1;
                collected.offered += packet.flits.0;
                collected.take(&delivery(packet, message));
                unloaded[packet.src.index()] += match machine.passage(packet.src, packet.dst, packet.flits) {
                    Some(passage) => passage.delivered.0,
                    None => channel.unloaded(packet.flits, message.hops as usize + 2).0,
                };
            }
        }
        let makespan = outcome.completion.0 + channel.flit_time;
        // a burst is measured from its beginning to its end
        let time = if window.end == u64::MAX { Ticks(makespan) } else { tick(window.end - window.start) };
        let links = watch.lines(machine, time);
        let Outcome { engine, messages: outcomes, .. } = outcome;
        if let Some(messages) = messages {
            let detail = |(packet, outcome): (&TraceMessage, _)| Detail {
                id: 0,
                flits: packet.flits,
                outcome,
                began: Began::at_start(packet.start),
            };
            messages.extend(packets.iter().zip(outcomes).map(detail));
        }
        let crossed = crossings.map(TraversalWatch::finish);
        Ok(Measurement { collected, unloaded, links, makespan, crossed, engine: engine.name() })
    }
}

/// Puts what was measured on `nodes` nodes into the columns of `row`.
pub(super) fn put_columns(measured: &Measurement, phases: Option<Phases>, nodes: u32, row: &mut Row) {
    let collected = &measured.collected;
    let arrived = &collected.arrived;
    let mut put = |column: &Column, value: Millionths| row.set(column, value.0);
    if let Some(phases) = phases {
        let time = u64::from(nodes) * phases.measure;
        put(&OFFERED, Millionths::ratio(collected.offered, time));
        put(&ACCEPTED, Millionths::ratio(collected.accepted, time));
    }
    if arrived.packets > 0 {
        put(&LATENCY, Millionths::ratio(arrived.latency, arrived.packets));
        put(&NETWORK_LATENCY, Millionths::ratio(arrived.network_latency, arrived.packets));
        put(&UNLOADED, Millionths::ratio(measured.unloaded.iter().sum(), arrived.packets));
        put(&HOPS, Millionths::ratio(arrived.hops, arrived.packets));
        for (column, thousandths) in [(&MIN_LATENCY, 0), (&P50, 500), (&P99, 990), (&MAX, 1000)] {
            row.set(column, collected.latencies.quantile(thousandths));
        }
    }
    row.set(&UNDELIVERED, collected.undelivered());
    if phases.is_none() {
        row.set(&MAKESPAN, measured.makespan);
    }
}

/// To one part in how many the search for saturation goes.
const STEPS: f64 = 200.0;

/// Which part of the search the next run is, after so many that are `done`, between rates that differ by `open`, up to
/// `high`: each run halves what is open.
fn part_of_search(done: u32, open: f64, high: f64) -> Range<f64> {
    let left = libm::ceil(libm::log2((STEPS * open / high).max(2.0)));
    let done = f64::from(done);
    done / (done + left)..(done + 1.0) / (done + left)
}

fn delivery(packet: &TraceMessage, message: &MessageOutcome) -> Delivery {
    Delivery {
        number: packet.src.0,
        src: packet.src.0,
        dst: packet.dst.0,
        flits: u32::try_from(packet.flits.0).unwrap_or(u32::MAX),
        created: packet.start.0,
        injected: message.injected.0,
        delivered: message.delivered.0,
        hops: message.hops,
        longer: 0,
    }
}

/// Runs `traffic` through `routers`; its packets are added to `messages` as they arrive.
fn ran<T: Traffic>(
    machine: &Machine,
    routers: &Routers,
    traffic: T,
    messages: &mut Details,
) -> Result<(T, RouterRun), RowFailure> {
    let mut watched = watched(machine, traffic, messages);
    let ended = router::run_any(routers.routes.as_ref(), routers.costs, &mut watched);
    let (logged, crossed) = watched.finish();
    Ok((logged.finish(messages), RouterRun::new(ended, crossed)?))
}

/// Does the same as [`ran`], on several threads if that is faster. Returns the parts of the traffic.
fn divided<T: Divisible>(
    machine: &Machine,
    routers: &Routers,
    traffic: T,
    messages: &mut Details,
) -> Result<(Vec<T>, RouterRun), RowFailure> {
    let Routers { routes, costs, .. } = routers;
    let mut watched = watched(machine, traffic, messages);
    let threads = machine.threads_of(routers);
    let in_strips = || router::run_any_in_strips(routes.as_ref(), *costs, &watched, threads);
    let (parts, ended) = match if threads > 1 { in_strips() } else { None } {
        Some(divided) => divided,
        None => {
            let ended = router::run_any(routes.as_ref(), *costs, &mut watched);
            (vec![watched], ended)
        }
    };
    let (logged, crossed) = Counted::finish_all(parts);
    Ok((logged.into_iter().map(|part| part.finish(messages)).collect(), RouterRun::new(ended, crossed)?))
}

/// `traffic` with recorders of its packets if there are `messages`, and its flits if their energy is counted.
fn watched<T: Traffic>(machine: &Machine, traffic: T, messages: &Details) -> Counted<Logged<T>> {
    Counted::new(Logged { traffic, packets: messages.is_some().then(Vec::new) }, machine, 1)
}

/// Runs `steady` through `routers`, by several threads if that is faster. The engine is compiled for it, as most runs of routers are of this
/// kind.
fn streamed(machine: &Machine, routers: &Routers, mut steady: Steady) -> Result<(Collected, RouterRun), RowFailure> {
    let Routers { routes, costs, .. } = routers;
    let threads = machine.threads_of(routers);
    if threads > 1
        && let Some((parts, ended)) = router::run_in_strips(routes.as_ref(), *costs, &steady, threads)
    {
        let collected = Collected::merged(parts.into_iter().map(Steady::finish));
        return Ok((collected, RouterRun::new(ended, None)?));
    }
    let ended = router::run(routes.as_ref(), *costs, &mut steady);
    Ok((steady.finish(), RouterRun::new(ended, None)?))
}

/// A run through routers.
struct RouterRun {
    ended: Ended,
    /// The flits that crossed channels, if these were counted.
    crossed: Option<Traversals>,
}

impl RouterRun {
    /// The run with this end, and with the flits that `crossed` channels.
    ///
    /// # Errors
    /// If it has ended in a deadlock.
    fn new(mut ended: Ended, crossed: Option<Traversals>) -> Result<Self, Stop> {
        match ended.deadlock.take() {
            Some(deadlock) => Err(Stop::Deadlock(deadlock)),
            None => Ok(Self { ended, crossed }),
        }
    }
}

/// Traffic whose packets are recorded, if they are to be.
struct Logged<T> {
    traffic: T,
    packets: Details,
}

impl<T> Logged<T> {
    /// Adds the packets to `messages`, and returns the traffic.
    fn finish(self, messages: &mut Details) -> T {
        if let Some(messages) = messages {
            messages.append(&mut self.packets.unwrap_or_default());
        }
        self.traffic
    }
}

impl<T: Divisible> Divisible for Logged<T> {
    fn part(&self, has_node: &dyn Fn(u32) -> bool) -> Self {
        Self { traffic: self.traffic.part(has_node), packets: self.packets.as_ref().map(|_| Vec::new()) }
    }
}

impl<T: Traffic> Traffic for Logged<T> {
    fn is_closed(&self) -> bool {
        self.traffic.is_closed()
    }

    fn front(&self, node: u32, channel: u32) -> Option<router::Offer> {
        self.traffic.front(node, channel)
    }

    fn waits(&self, node: u32, channel: u32) -> bool {
        self.traffic.waits(node, channel)
    }

    fn advance(&mut self, now: u64, woken: &mut Vec<u32>) {
        self.traffic.advance(now, woken);
    }

    fn next_event(&self) -> Option<u64> {
        self.traffic.next_event()
    }

    fn next(&mut self, node: u32, channel: u32) -> Option<router::Offer> {
        self.traffic.next(node, channel)
    }

    fn event(&mut self, event: RouterEvent) {
        self.traffic.event(event);
        let RouterEvent::Delivered(delivery) = event else { return };
        let Delivery { src, dst, flits, created, injected, delivered, hops, .. } = delivery;
        let Some(packets) = &mut self.packets else { return };
        let outcome = MessageOutcome {
            src: NodeId(src),
            dst: NodeId(dst),
            hops,
            requested: Ticks(created),
            injected: Ticks(injected),
            delivered: Ticks(delivered),
            received: Ticks(delivered),
            blocked_headers: 0,
            blocked_time: Ticks::ZERO,
        };
        packets.push(Detail { id: 0, flits: Flits(flits.into()), outcome, began: Began::at_start(outcome.requested) });
    }

    fn goes_on(&self, now: u64) -> bool {
        self.traffic.goes_on(now)
    }

    fn ending(&self) -> Option<Ending> {
        self.traffic.ending()
    }

    fn progress(&self, now: u64) -> (u64, u64) {
        self.traffic.progress(now)
    }

    fn counted(&self) -> Range<u64> {
        self.traffic.counted()
    }
}

/// What was measured of routers for so many flit times.
fn measured(routers: &Routers, collected: Collected, run: RouterRun, time: u64) -> Measurement {
    let timing = &routers.costs.timing;
    let unloaded = collected.sources.iter().map(|source| source.unloaded(timing)).collect();
    let links = link_lines(routers, &run.ended, time);
    Measurement { collected, unloaded, links, makespan: time, crossed: run.crossed, engine: "router" }
}

/// The lines of links.csv of routers that ran for `time` flit times.
pub(super) fn link_lines(routers: &Routers, ended: &Ended, time: u64) -> Vec<LinkLine> {
    let wiring = routers.routes.wiring();
    // behind the ports of links come those of the nodes, as one
    let ports = wiring.link_ports() + 1;
    let link = |(at, &flits): (usize, &u64)| {
        let out = PortAt { router: RouterId::new(at / ports).0, port: RouterId::new(at % ports).0 };
        let exists = at % ports < wiring.link_ports() && wiring.leads_to(out).is_some();
        let channel = || wiring.link_name(out);
        exists.then(|| {
            LinkLine { channel: channel(), used: LinkLoad { flits, ..LinkLoad::default() } }.within(Ticks(time), 1)
        })
    };
    ended.carried.iter().enumerate().filter_map(link).collect()
}
