//! The threads of a run, and the loop of each.

use super::super::build::{Network, on_small_blocks, start};
use super::super::engine::AnyEngine;
use super::super::forward::AnyTraffic;
use super::super::watchdog::Schedule;
use super::barrier::{Barrier, Broken};
use super::cut::Cut;
use super::exchange::{Exchange, Outgoing, State};
use crate::engine::router::{Ended, Microarchitecture, Priority, RouterCosts, Traffic};
use crate::routing::Routing;
use std::panic::resume_unwind;
use std::thread;

/// Open-loop traffic whose nodes can be divided among threads.
pub trait Divisible: Traffic + Send + Sync + Sized {
    /// The traffic of the nodes for which `has_node` returns true, before the first cycle.
    #[must_use]
    fn part(&self, has_node: &dyn Fn(u32) -> bool) -> Self;
}

/// The end of a run of open-loop traffic, as a part of the nodes or all of them determine it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ending {
    /// The cycle before which it does not end.
    pub earliest: u64,
    /// The cycle in which it ends at the latest.
    pub latest: u64,
    /// The number of reasons to continue: sources that may still generate packets that count, and packets that these nodes have sent, less those
    /// that have arrived at them. Over all nodes it is 0 when there is nothing to wait for.
    pub outstanding: i64,
}

impl Ending {
    /// Returns true if cycle `now` is to be simulated.
    #[inline]
    pub fn goes_on(&self, now: u64) -> bool {
        now < self.latest && (now < self.earliest || self.outstanding != 0)
    }
}

/// The reason why routers of `costs` are simulated by one thread, if they are.
pub fn needs_one_thread(costs: &RouterCosts) -> Option<&'static str> {
    let Microarchitecture { priority, buffers, .. } = costs.microarchitecture;
    if costs.first_come() {
        Some("ideal routers depend on each other within a cycle")
    } else if costs.full_crossbar {
        Some("routers with full crossbars keep multicast worms in one place")
    } else if priority.priority == Priority::NetworkAge {
        Some("`router.priority` is \"network-age\", which depends on the first router of a packet")
    } else if !buffers.has_own_slots() {
        // no certificate covers them
        Some("virtual channels without slots of their own can deadlock, which only one thread detects")
    } else {
        None
    }
}

/// Does the same as [`run`](super::super::run) for `traffic`, on up to `threads` threads, each of which simulates the nodes and routers of
/// a strip. Returns the traffic of each strip, and the end of the run, which is the same for any number of threads.
///
/// The routing has to be free of deadlock, and the routers must not [need one thread](needs_one_thread). Returns `None` if packets may
/// be left that will never arrive. A run by one thread finds them.
pub fn run_in_strips<T: Divisible>(
    routes: &dyn Routing,
    costs: RouterCosts,
    traffic: &T,
    threads: usize,
) -> Option<(Vec<T>, Ended)> {
    in_strips(routes, costs, traffic, threads, |run, strip, part| {
        if run.network.words() == 1 {
            run.simulate(strip, &mut *on_small_blocks(run.network_of(strip), part))
        } else {
            run.simulate_any(strip, part)
        }
    })
}

/// Does the same as [`run_in_strips`], compiled once for all traffic.
pub fn run_any_in_strips<T: Divisible>(
    routes: &dyn Routing,
    costs: RouterCosts,
    traffic: &T,
    threads: usize,
) -> Option<(Vec<T>, Ended)> {
    in_strips(routes, costs, traffic, threads, |run, strip, part| run.simulate_any(strip, part))
}

/// Runs `traffic` on up to `threads` threads, each of which calls `simulate` with its strip and the traffic of its nodes.
fn in_strips<T: Divisible>(
    routes: &dyn Routing,
    costs: RouterCosts,
    traffic: &T,
    threads: usize,
    simulate: impl Fn(&Run<'_>, usize, &mut T) -> Option<Ended> + Sync,
) -> Option<(Vec<T>, Ended)> {
    let network = Network::open_loop(routes, costs);
    let cut = cut(&network, threads);
    let run = Run::new(network, cut);
    let strip = |strip: usize| {
        let _guard = run.barrier.guard();
        let mut part = traffic.part(&|node| run.cut.of_node(node) == strip);
        simulate(&run, strip, &mut part).map(|ended| (part, ended))
    };
    thread::scope(|scope| {
        let strip = &strip;
        let others: Vec<_> = (1..run.cut.strips()).map(|number| scope.spawn(move || strip(number))).collect();
        // this thread reports the progress, and may be cancelled
        let first = strip(0);
        let others = others.into_iter().map(|thread| thread.join().unwrap_or_else(|panic| resume_unwind(panic)));
        let strips: Vec<Option<(T, Ended)>> = std::iter::once(first).chain(others).collect();
        let (parts, ended): (Vec<T>, Vec<Ended>) = strips.into_iter().collect::<Option<Vec<_>>>()?.into_iter().unzip();
        Some((parts, ended.into_iter().reduce(Ended::and)?))
    })
}

/// Cuts the routers of `network` into at most `strips` strips.
pub(super) fn cut(network: &Network<'_>, strips: usize) -> Cut {
    let Network { routes, costs, .. } = *network;
    match network.words() {
        ..=1 => Cut::new::<1>(routes, costs, strips),
        2..=4 => Cut::new::<4>(routes, costs, strips),
        5..=16 => Cut::new::<16>(routes, costs, strips),
        _ => Cut::new::<64>(routes, costs, strips),
    }
}

/// The data that the threads of a run share.
pub(super) struct Run<'a> {
    pub(super) network: Network<'a>,
    pub(super) cut: Cut,
    pub(super) barrier: Barrier,
    pub(super) exchange: Exchange,
}

/// The reason for which a strip has left its loop.
enum Outcome {
    /// The run has ended.
    Ended,
    /// Packets are left, and no flit has moved for a long time or will move.
    Stuck,
}

impl<'a> Run<'a> {
    /// Creates the data of a run on `network`, which is `cut` into strips.
    pub(super) fn new(network: Network<'a>, cut: Cut) -> Self {
        let strips = cut.strips();
        Self { network, cut, barrier: Barrier::new(strips), exchange: Exchange::new(strips) }
    }

    /// The routers of strip `strip`.
    pub(super) fn network_of(&self, strip: usize) -> Network<'_> {
        self.network.strip(self.cut.blocks(strip))
    }

    /// Simulates strip `strip` with any `traffic` to the end. Returns `None` if there is none.
    fn simulate_any(&self, strip: usize, traffic: &mut dyn Traffic) -> Option<Ended> {
        self.simulate(strip, &mut *start(self.network_of(strip), AnyTraffic::Other(traffic)))
    }

    /// Simulates `engine`, which is strip `strip`, to the end of the run. Returns `None` if there is none.
    fn simulate<T: Traffic>(&self, strip: usize, engine: &mut (dyn AnyEngine<T> + '_)) -> Option<Ended> {
        match self.cycles(strip, engine) {
            Ok(Outcome::Ended) => Some(engine.ended(None)),
            Ok(Outcome::Stuck) | Err(Broken) => None,
        }
    }

    /// Simulates cycles of `engine`, which is strip `strip`, until the run ends.
    fn cycles<T: Traffic>(&self, strip: usize, engine: &mut (dyn AnyEngine<T> + '_)) -> Result<Outcome, Broken> {
        let mut outgoing = Outgoing::new(&self.cut);
        let mut schedule = Schedule::new(self.network.routes.wiring().nodes(), false);
        for turn in 0.. {
            let Some(ending) = engine.traffic().ending() else { break };
            let state = State { next: engine.next_cycle(), outstanding: ending.outstanding, moved: engine.moved() };
            engine.begin_cycle(&mut outgoing);
            self.exchange.post(turn, strip, &mut outgoing, state);
            self.barrier.meet()?;
            let State { next, outstanding, moved } = self.exchange.state(turn);
            let now = engine.now();
            let Some(next) = next else {
                return Ok(if outstanding == 0 { Outcome::Ended } else { Outcome::Stuck });
            };
            engine.continue_at(next);
            if !(Ending { outstanding, ..ending }).goes_on(next) {
                return Ok(Outcome::Ended);
            }
            if schedule.watches(next) && schedule.has_stalled(Some(moved)) {
                return Ok(Outcome::Stuck);
            }
            if next == now {
                self.exchange.receive(turn, strip, |mail| engine.receive(mail));
                engine.end_cycle();
            }
            if strip == 0 && schedule.reports(moved) {
                schedule.report(moved, engine.traffic().progress(next));
            }
        }
        Ok(Outcome::Stuck) // the traffic cannot be divided
    }
}
