//! Open-loop traffic through virtual-channel routers: what is offered arrives, once, and is counted rightly.

use super::OpenLoop;
use super::case::Load;
use crate::algorithm::traffic::{Arrivals, Collected, Phases, Sources, Steady};
use crate::engine::router::{
    Delivery, Divisible, Ended, Ending, Offer, RouterCosts, RouterEvent, Traffic, needs_one_thread, run_any_in_strips,
};
use crate::routing::Routing;
use crate::selftest::laws::{ANY_THREADS, Broken, MEASURED, NO_SOONER, OFFERS, PACKETS_CONSERVED, SAME_AGAIN};
use crate::selftest::subject::Effort;
use std::ops::Range;

/// Packets of all nodes up to some cycle, and what becomes of them.
#[derive(Clone, Debug)]
struct Tape {
    sources: Sources,
    /// Packets are made before this cycle.
    until: u64,
    /// The run is cut off there.
    end: u64,
    /// Per node its packets, and whether there are no more.
    offered: Vec<Vec<Offer>>,
    past: Vec<bool>,
    delivered: Vec<Delivery>,
    accepted: u64,
}

/// Cycles in which everything arrives that ever does.
const ENOUGH: u64 = 1_000_000;

impl Tape {
    fn new(sources: Sources, until: u64, end: u64) -> Self {
        let nodes = sources.nodes() as usize;
        let offered = vec![Vec::new(); nodes];
        Self { sources, until, end, offered, past: vec![false; nodes], delivered: Vec::new(), accepted: 0 }
    }

    fn packets(&self) -> impl Iterator<Item = &Offer> {
        self.offered.iter().flatten()
    }

    fn sort(&mut self) {
        self.delivered.sort_by_key(|delivery| (delivery.created, delivery.src));
    }
}

impl Traffic for Tape {
    fn next(&mut self, node: u32, _: u32) -> Option<Offer> {
        let at = node as usize;
        let offer = if self.past[at] { None } else { self.sources.next(node) };
        let offer = offer.filter(|offer| offer.created < self.until);
        match offer {
            Some(offer) => self.offered[at].push(offer),
            None => self.past[at] = true,
        }
        offer
    }

    fn event(&mut self, event: RouterEvent) {
        match event {
            RouterEvent::Delivered(delivery) => self.delivered.push(delivery),
            RouterEvent::Accepted { flits, cycles, .. } => self.accepted += u64::from(flits) * u64::from(cycles),
            _ => {} // of closed loops
        }
    }

    fn goes_on(&self, now: u64) -> bool {
        self.ending().is_some_and(|ending| ending.goes_on(now))
    }

    fn ending(&self) -> Option<Ending> {
        let open = self.past.iter().filter(|&&past| !past).count();
        let [sent, arrived] = [open + self.packets().count(), self.delivered.len()].map(|count| count as i64);
        Some(Ending { earliest: 0, latest: self.end, outstanding: sent - arrived })
    }

    fn counted(&self) -> Range<u64> {
        0..u64::MAX
    }
}

impl Divisible for Tape {
    fn part(&self, has_node: &dyn Fn(u32) -> bool) -> Self {
        Self { past: (0..self.sources.nodes()).map(|node| !has_node(node)).collect(), ..self.clone() }
    }
}

/// What traffic runs through.
struct On<'a, R> {
    open_loop: &'a R,
    routes: &'a dyn Routing,
    costs: RouterCosts,
}

/// Holds a load on routers against the laws.
pub(super) fn judge<R: OpenLoop>(open_loop: &R, load: &Load) -> Result<Effort, Broken> {
    let machine = &load.machine;
    let Some(network) = machine.network() else { return Ok(Effort::default()) };
    let Some(routes) = machine.routes() else { return Ok(Effort::default()) };
    let Some(costs) = machine.router_costs(&*network) else { return Ok(Effort::default()) };
    let Some(sources) = load.sources(network.channels().nodes()) else { return Ok(Effort::default()) };
    let on = On { open_loop, routes: routes.as_ref(), costs };
    let mut whole = Tape::new(sources.clone(), load.until, load.until + ENOUGH);
    let ended = on.run(&mut whole);
    offers(load, &sources, &whole)?;
    once(&whole)?;
    if ended.deadlock.is_some() {
        return Ok(Effort { messages: whole.delivered.len() as u64, blocked: true, deadlocked: true });
    }
    on.conserved(&whole, &ended)?;
    let waits = on.no_sooner(&whole)?;
    on.again(load, &sources, &whole)?;
    on.in_strips(load, &sources, &whole, &ended)?;
    on.measured(load.phases(), sources, &whole)?;
    Ok(Effort { messages: whole.delivered.len() as u64, blocked: waits, deadlocked: false })
}

/// Packets are such as sources say, and the same in whatever order nodes are asked.
fn offers(load: &Load, sources: &Sources, whole: &Tape) -> Result<(), Broken> {
    let nodes = sources.nodes();
    let mut again = sources.clone();
    for node in (0..nodes).rev() {
        let made = &whole.offered[node as usize];
        for (at, offer) in made.iter().enumerate() {
            OFFERS.equal(format_args!("packet {at} of node {node}"), &Some(*offer), &again.next(node))?;
            let follows = at == 0 || made[at - 1].created < offer.created;
            let has_length = load.lengths.values().contains(&offer.flits);
            if offer.dst >= nodes || !follows || !has_length {
                return Err(OFFERS.broken(format!("packet {at} of node {node}: {offer:?}")));
            }
        }
    }
    Ok(())
}

/// No packet arrives that was not offered, none twice, none elsewhere.
fn once(tape: &Tape) -> Result<(), Broken> {
    let mut left: Vec<Vec<Offer>> = tape.offered.clone();
    for delivery in &tape.delivered {
        let of_source = &mut left[delivery.src as usize];
        let is_it = |offer: &Offer| {
            let same = (offer.created, offer.dst, offer.flits) == (delivery.created, delivery.dst, delivery.flits);
            same && offer.number == delivery.number
        };
        match of_source.iter().position(is_it) {
            Some(at) => drop(of_source.remove(at)),
            None => {
                return Err(PACKETS_CONSERVED.broken(format!("a packet arrives that was not in flight: {delivery:?}")));
            }
        }
    }
    Ok(())
}

impl<R: OpenLoop> On<'_, R> {
    fn run(&self, tape: &mut Tape) -> Ended {
        let ended = self.open_loop.run(self.routes, self.costs, tape);
        tape.sort();
        ended
    }

    /// All arrives, and links and nodes have carried what packets amount to.
    fn conserved(&self, whole: &Tape, ended: &Ended) -> Result<(), Broken> {
        let law = &PACKETS_CONSERVED;
        law.equal("packets, offered and arrived", &whole.packets().count(), &whole.delivered.len())?;
        let ports = self.routes.wiring().link_ports() + 1;
        let is_node = |at: usize| at % ports == ports - 1;
        let carried = |to_nodes: bool| -> u64 {
            let of_kind = ended.carried.iter().enumerate().filter(|(at, _)| is_node(*at) == to_nodes);
            of_kind.map(|(_, flits)| flits).sum()
        };
        let sum = |of: &dyn Fn(&Delivery) -> u64| -> u64 { whole.delivered.iter().map(of).sum() };
        let flits = sum(&|delivery| delivery.flits.into());
        let crossed = sum(&|delivery| u64::from(delivery.flits) * u64::from(delivery.hops));
        law.equal("flits on links, carried and expected from paths", &carried(false), &crossed)?;
        law.equal("flits to nodes, carried and expected from packets", &carried(true), &flits)?;
        law.equal("flits accepted, and expected from packets", &whole.accepted, &flits)?;
        law.equal("flits through switches, and expected from paths", &ended.moved, &(crossed + flits))
    }

    /// No packet takes less than it does alone; whether one takes more.
    fn no_sooner(&self, whole: &Tape) -> Result<bool, Broken> {
        let mut waits = false;
        for delivery in &whole.delivered {
            let Delivery { flits, created, injected, delivered, hops, longer, .. } = *delivery;
            let alone = self.costs.timing.unloaded(hops.into(), flits.into()) + longer;
            if injected < created || delivered < created + alone {
                return Err(NO_SOONER
                    .broken(format!("a packet takes less than its {alone} cycles without contention: {delivery:?}")));
            }
            waits |= delivered > created + alone;
        }
        Ok(waits)
    }

    /// The same again, and as far as it goes where the run is cut off.
    fn again(&self, load: &Load, sources: &Sources, whole: &Tape) -> Result<(), Broken> {
        let end = load.until / 2;
        let mut cut = Tape::new(sources.clone(), load.until, end);
        self.run(&mut cut);
        let before = |delivery: &&Delivery| delivery.delivered < end;
        // packets may be told of before they arrive
        let seen: Vec<Delivery> = cut.delivered.iter().filter(before).copied().collect();
        let expected: Vec<Delivery> = whole.delivered.iter().filter(before).copied().collect();
        SAME_AGAIN.all_equal(
            format_args!("packets that arrive before {end}, in a run that stops there and in one that continues"),
            &seen,
            &expected,
        )
    }

    /// Checks that routers in several strips do the same.
    fn in_strips(&self, load: &Load, sources: &Sources, whole: &Tape, ended: &Ended) -> Result<(), Broken> {
        if needs_one_thread(&self.costs).is_some() {
            return Ok(());
        }
        let tape = Tape::new(sources.clone(), load.until, load.until + ENOUGH);
        for threads in [2, 5] {
            let Some((parts, strips_ended)) = run_any_in_strips(self.routes, self.costs, &tape, threads) else {
                return Err(ANY_THREADS.broken(format!("packets are left that never arrive with {threads} threads")));
            };
            let mut delivered: Vec<Delivery> = parts.into_iter().flat_map(|part| part.delivered).collect();
            delivered.sort_by_key(|delivery| (delivery.created, delivery.src));
            let packets = format_args!("packets with {threads} threads, and with one");
            ANY_THREADS.all_equal(packets, &delivered, &whole.delivered)?;
            ANY_THREADS.equal(format_args!("the end with {threads} threads, and with one"), &strips_ended, ended)?;
        }
        Ok(())
    }

    /// What a steady run collects is what is counted here.
    fn measured(&self, phases: Phases, sources: Sources, whole: &Tape) -> Result<(), Broken> {
        let mut steady = Steady::new(sources, phases);
        let ended = self.open_loop.run(self.routes, self.costs, &mut steady);
        if ended.deadlock.is_some() {
            return Ok(()); // sources have gone on
        }
        let collected = steady.finish();
        let window = phases.window();
        let made: Vec<&Offer> = whole.packets().filter(|offer| window.contains(&offer.created)).collect();
        let counts = |delivery: &&Delivery| window.contains(&delivery.created) && delivery.delivered < phases.end();
        let arrived: Vec<&Delivery> = whole.delivered.iter().filter(counts).collect();
        let sum = |of: &dyn Fn(&Delivery) -> u64| -> u64 { arrived.iter().map(|delivery| of(delivery)).sum() };
        let Collected { offered, packets, arrived: fast, .. } = collected;
        let Arrivals { network_latency, hops, flits, longer, latency, .. } = fast;
        let fast = [offered, packets, network_latency, hops, flits, longer, latency];
        let counted = [
            made.iter().map(|offer| u64::from(offer.flits)).sum(),
            made.len() as u64,
            sum(&|delivery| delivery.delivered - delivery.injected),
            sum(&|delivery| delivery.hops.into()),
            sum(&|delivery| delivery.flits.into()),
            sum(&|delivery| delivery.longer),
            sum(&|delivery| delivery.delivered - delivery.created),
        ];
        let what = "flits offered, packets, network latency, hops, flits, additional link time, latency: collected and counted";
        MEASURED.equal(what, &fast, &counted)?;
        MEASURED.equal(
            "packets that arrive, collected and counted",
            &collected.latencies.count(),
            &(arrived.len() as u64),
        )
    }
}
