//! Rows of open-loop traffic: what was offered, what arrived, and how long it took.

use super::RowId;
use super::row::{Row, RowFailure};
use crate::algorithm::traffic::{Burst, Collected, Phases, Sources, Steady};
use crate::engine::program::{TraceMessage, TraceProgram};
use crate::engine::router::{self, Delivery, Ended, Traffic};
use crate::engine::{MessageOutcome, Outcome};
use crate::machine::Routers;
use crate::scenario::{Experiment, OpenLoop, TrafficMode};
use crate::units::{Flits, Millionths, NodeId, Ticks};

/// What is counted of open-loop traffic. Latencies are of packets made while it was measured, in ticks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TrafficCounts {
    /// Flits made per node and flit time; none of a burst.
    pub offered: Option<Millionths>,
    /// Flits that arrived per node and flit time; none of a burst.
    pub accepted: Option<Millionths>,
    /// From a packet's making to the arrival of its tail, on average.
    pub latency: Option<Millionths>,
    /// From the start of its header at the source.
    pub network_latency: Option<Millionths>,
    /// What the latency would have been had no packet been in another's way.
    pub unloaded: Option<Millionths>,
    /// Channels between routers that a packet took.
    pub hops: Option<Millionths>,
    /// The latency that half of the packets did not exceed, that 99 % did not, and the largest.
    pub percentiles: Option<[u64; 3]>,
    /// Packets that had not arrived when patience was at its end.
    pub undelivered: u64,
    /// Ticks that a burst takes: the last flit arrives at the beginning of the last flit time of them.
    pub makespan: Option<u64>,
    /// The highest rate at which the network carried what was offered.
    pub saturation: Option<Millionths>,
}

/// How busy a channel between routers was while it was measured.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LinkLoad {
    /// The channel, as people write it.
    pub channel: String,
    /// Flits that it carried.
    pub flits: u64,
    /// The fraction of the time that it was busy.
    pub utilisation: Millionths,
}

/// What a run of traffic gave.
struct Measurement {
    collected: Collected,
    /// Of all latencies, what an empty network would have taken.
    unloaded: u64,
    /// Flits per channel between routers, and in how many flit times.
    links: Vec<(String, u64)>,
    makespan: u64,
    engine: &'static str,
}

pub(super) fn row(experiment: &Experiment, traffic: &OpenLoop, id: RowId, details: bool) -> Result<Row, RowFailure> {
    let bench = Bench { experiment, traffic, repetition: id.repetition };
    let mut messages = details.then(Vec::new);
    let (measured, phases, saturation) = match traffic.mode {
        TrafficMode::Burst => (bench.burst(&mut messages)?, None, None),
        TrafficMode::Steady(phases) => (bench.steady(phases, traffic.rate, &mut messages)?, Some(phases), None),
        TrafficMode::Saturation(phases) => {
            let (rate, measured) = bench.saturate(phases)?;
            (measured, Some(phases), Some(millionths(rate)))
        }
    };
    let counts = TrafficCounts { saturation, ..bench.counts(&measured, phases) };
    let mut row = Row::new(id, traffic.algorithm(), experiment.seed);
    row.nodes = bench.nodes() as usize;
    row.messages = usize::try_from(measured.collected.packets).unwrap_or(usize::MAX);
    row.engine = Some(measured.engine);
    row.traffic = Some(counts);
    if traffic.details {
        let time = phases.map_or(measured.makespan, |phases| phases.measure);
        row.links = measured.links.into_iter().map(|(channel, flits)| load(channel, flits, time)).collect();
    }
    row.details = numbered(messages.unwrap_or_default());
    Ok(row)
}

fn load(channel: String, flits: u64, time: u64) -> LinkLoad {
    LinkLoad { channel, flits, utilisation: ratio(flits, time.max(1)) }
}

fn ratio(sum: u64, count: u64) -> Millionths {
    let scaled = (u128::from(sum) * 1_000_000 + u128::from(count) / 2) / u128::from(count);
    Millionths(u64::try_from(scaled).unwrap_or(u64::MAX))
}

fn millionths(value: f64) -> Millionths {
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a rate from 0 to 1")]
    Millionths((value * 1e6).round() as u64)
}

/// The value that so many of a thousand of the sorted `values` do not exceed.
fn percentile(values: &[u64], thousandths: usize) -> u64 {
    let rank = (thousandths * values.len()).div_ceil(1000).max(1);
    values.get(rank - 1).copied().unwrap_or(0)
}

/// Messages with their lengths, where they are asked for.
type Details = Option<Vec<(Flits, MessageOutcome)>>;

/// `messages` in the order in which they were made, and of their sources.
fn numbered(mut messages: Vec<(Flits, MessageOutcome)>) -> Vec<(u64, Flits, MessageOutcome)> {
    messages.sort_by_key(|(_, message)| (message.requested, message.src));
    messages.into_iter().enumerate().map(|(id, (flits, message))| (id as u64, flits, message)).collect()
}

/// What traffic is run on.
struct Bench<'a> {
    experiment: &'a Experiment,
    traffic: &'a OpenLoop,
    repetition: u64,
}

impl Bench<'_> {
    fn nodes(&self) -> u32 {
        let nodes = self.experiment.machine.as_ref().map_or(0, crate::scenario::Machine::nodes);
        NodeId::new(nodes).0
    }

    fn sources(&self, rate: f64) -> Sources {
        self.traffic.sources(self.nodes(), rate, self.experiment.seed, self.repetition)
    }

    fn counts(&self, measured: &Measurement, phases: Option<Phases>) -> TrafficCounts {
        let collected = &measured.collected;
        let arrived = collected.latencies.len() as u64;
        let mean = |sum| (arrived > 0).then(|| ratio(sum, arrived));
        let mut sorted = collected.latencies.clone();
        sorted.sort_unstable();
        let rate = |flits| phases.map(|phases| ratio(flits, u64::from(self.nodes()) * phases.measure));
        TrafficCounts {
            offered: rate(collected.offered),
            accepted: rate(collected.accepted),
            latency: mean(sorted.iter().sum()),
            network_latency: mean(collected.network_latency),
            unloaded: mean(measured.unloaded),
            hops: mean(collected.hops),
            percentiles: (arrived > 0).then(|| [500, 990, 1000].map(|rank| percentile(&sorted, rank))),
            undelivered: collected.undelivered(),
            makespan: phases.is_none().then_some(measured.makespan),
            saturation: None,
        }
    }

    fn burst(&self, messages: &mut Details) -> Result<Measurement, RowFailure> {
        let burst = Burst::new(self.sources(1.0));
        match &self.traffic.routers {
            Some(routers) => {
                let (burst, ended) = ran(routers, burst, messages)?;
                let (collected, last) = burst.finish();
                Ok(measured(routers, collected, &ended, last + 1))
            }
            None => {
                let mut burst = burst;
                let packets = (0..self.nodes()).filter_map(|node| Some((node, burst.next(node)?)));
                let packets: Vec<TraceMessage> = packets.map(|(node, offer)| self.message(node, offer)).collect();
                self.wormhole(&packets, 0..u64::MAX, messages)
            }
        }
    }

    fn steady(&self, phases: Phases, rate: f64, messages: &mut Details) -> Result<Measurement, RowFailure> {
        let Some(routers) = &self.traffic.routers else {
            return self.wormhole(&self.packets(phases, rate), phases.window(), messages);
        };
        let (steady, ended) = ran(routers, Steady::new(self.sources(rate), phases), messages)?;
        Ok(measured(routers, steady.finish(), &ended, 0))
    }

    /// The highest rate, to one part in two hundred, at which all that counts arrives and takes at most three times as long
    /// as in an empty network; with what was measured there.
    fn saturate(&self, phases: Phases) -> Result<(f64, Measurement), RowFailure> {
        let (mut low, mut high) = (0.0, 1.0);
        let mut best = None;
        for _ in 0..30 {
            let rate = f64::midpoint(low, high);
            let measured = self.steady(phases, rate, &mut None)?;
            let arrived = measured.collected.latencies.iter().sum::<u64>();
            if measured.collected.undelivered() == 0 && arrived <= 3 * measured.unloaded {
                low = rate;
                best = Some(measured);
            } else {
                high = rate;
            }
            if high - low <= high / 200.0 {
                break;
            }
        }
        match best {
            Some(best) => Ok((low, best)),
            None => Ok((low, self.steady(phases, high, &mut None)?)),
        }
    }

    fn message(&self, node: u32, offer: router::Offer) -> TraceMessage {
        let start = Ticks(offer.created * self.experiment.channel.flit_time);
        TraceMessage { src: NodeId(node), dst: NodeId(offer.dst), flits: Flits(offer.flits.into()), start }
    }

    /// All packets that sources make until the drain is over, by time and node.
    fn packets(&self, phases: Phases, rate: f64) -> Vec<TraceMessage> {
        let mut sources = self.sources(rate);
        let mut packets = Vec::new();
        for node in 0..sources.nodes() {
            let made = std::iter::from_fn(|| sources.next(node)).take_while(|offer| offer.created < phases.end());
            packets.extend(made.map(|offer| self.message(node, offer)));
        }
        packets.sort_by_key(|packet| (packet.start, packet.src));
        packets
    }

    /// Runs `packets` on an engine for worms; those made within `window`, in flit times, count.
    fn wormhole(
        &self,
        packets: &[TraceMessage],
        window: std::ops::Range<u64>,
        messages: &mut Details,
    ) -> Result<Measurement, RowFailure> {
        let Experiment { engine, channel, .. } = *self.experiment;
        let Some(network) = self.experiment.network() else {
            return Err(RowFailure::NoNetwork);
        };
        let outcome = engine.run(network, channel, TraceProgram::new(packets), &mut ())?;
        let (mut collected, mut unloaded) = (Collected::default(), 0);
        let mut flits = vec![0; network.channels().count()];
        let mut path = Vec::new();
        let counts = |at: Ticks| window.contains(&(at.0 / channel.flit_time));
        for (packet, message) in packets.iter().zip(&outcome.messages) {
            if counts(message.delivered) {
                collected.accepted += packet.flits.0;
                path.clear();
                network.route(packet.src, packet.dst, &mut path);
                path[1..path.len() - 1].iter().for_each(|link| flits[link.index()] += packet.flits.on_wire());
            }
            if counts(packet.start) {
                collected.packets += 1;
                collected.offered += packet.flits.0;
                collected.take(&delivery(packet, message));
                unloaded += channel.unloaded(packet.flits, message.hops as usize + 2).0;
            }
        }
        let name = |(at, flits): (usize, u64)| (network.channels().name(crate::units::ChannelId::new(at)), flits);
        let links = flits.into_iter().enumerate().filter(|&(_, flits)| flits > 0).map(name).collect();
        let Outcome { completion, engine, messages: outcomes, .. } = outcome;
        if let Some(messages) = messages {
            messages.extend(packets.iter().map(|packet| packet.flits).zip(outcomes));
        }
        Ok(Measurement {
            collected,
            unloaded,
            links,
            makespan: completion.0 + channel.flit_time,
            engine: engine.name(),
        })
    }
}

fn delivery(packet: &TraceMessage, message: &MessageOutcome) -> Delivery {
    Delivery {
        src: packet.src.0,
        dst: packet.dst.0,
        flits: u32::try_from(packet.flits.0).unwrap_or(u32::MAX),
        created: packet.start.0,
        injected: message.injected.0,
        delivered: message.delivered.0,
        hops: message.hops,
    }
}

/// Runs `traffic` through `routers`; its packets are added to `messages` as they arrive.
fn ran<T: Traffic>(routers: &Routers, traffic: T, messages: &mut Details) -> Result<(T, Ended), RowFailure> {
    let mut logged = Logged { traffic, messages };
    let ended = router::run(&routers.relation, routers.costs, &mut logged);
    match ended.jam {
        Some(jam) => Err(RowFailure::Jam(Box::new(jam))),
        None => Ok((logged.traffic, ended)),
    }
}

/// Traffic of which every packet is written down.
struct Logged<'a, T> {
    traffic: T,
    messages: &'a mut Details,
}

impl<T: Traffic> Traffic for Logged<'_, T> {
    fn next(&mut self, node: u32) -> Option<router::Offer> {
        self.traffic.next(node)
    }

    fn delivered(&mut self, delivery: &Delivery) {
        self.traffic.delivered(delivery);
        let Delivery { src, dst, flits, created, injected, delivered, hops } = *delivery;
        let message = MessageOutcome {
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
        if let Some(messages) = self.messages {
            messages.push((Flits(flits.into()), message));
        }
    }

    fn accepted(&mut self, at: u64, flits: u32) {
        self.traffic.accepted(at, flits);
    }

    fn goes_on(&self, now: u64) -> bool {
        self.traffic.goes_on(now)
    }

    fn counted(&self) -> std::ops::Range<u64> {
        self.traffic.counted()
    }
}

fn measured(routers: &Routers, collected: Collected, ended: &Ended, makespan: u64) -> Measurement {
    let lattice = routers.relation.lattice();
    let ports = lattice.ports();
    let link = |(at, &flits): (usize, &u64)| {
        let (router, port) = (NodeId::new(at / ports).0, at % ports);
        let exists = port != lattice.local() && lattice.neighbour(router, port).is_some();
        exists.then(|| (lattice.channel_name(router, port), flits))
    };
    let links = ended.carried.iter().enumerate().filter_map(link).collect();
    let timing = &routers.costs.timing;
    let arrived = collected.latencies.len() as u64;
    let fixed = timing.unloaded(0, 1) * arrived + collected.hops * (timing.hop + timing.routing);
    let unloaded = fixed + collected.flits - arrived;
    Measurement { collected, unloaded, links, makespan, engine: "router" }
}
