//! A program on several threads.
//!
//! A node acts on events at other nodes, and an observer sees the whole run, so that the program, its nodes and the observer stay
//! with the thread that began the run. The routers of each strip have a [`Terminal`] in place of their nodes, which holds the
//! messages that wait for injection channels and collects events. A cycle in which there is something for the nodes has two
//! meetings:
//!
//! ```text
//!   every strip                                          the thread with the nodes
//!     begin_cycle     all that is due arrives   ───▶     events since the last cycle
//!     meet
//!     receive         all that arrives from others       the nodes act
//!     meet                                      ◀───     messages for injection channels
//!     end_cycle       sources send, routers serve
//! ```
//!
//! Routers report events of a cycle in no particular order, and nodes act before the next one, so that it makes no difference that
//! events arrive late.

use super::super::build::{Network, start};
use super::super::engine::AnyEngine;
use super::super::forward::AnyTraffic;
use super::super::nodes::{ProgramNodes, WaitingMessage};
use super::super::waiting::Lines;
use super::super::watchdog::Schedule;
use super::barrier::Broken;
use super::cut::Cut;
use super::exchange::{Outgoing, State};
use super::run::{Run, cut};
use crate::engine::router::{Ending, Offer, RouterEvent, Setup, Traffic};
use crate::engine::{Event, Observer, Outcome, Program, Stop};
use crate::topology::Hop;
use rustc_hash::FxHashMap;
use std::cmp::Reverse;
use std::ops::Range;
use std::panic::resume_unwind;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread;

/// Runs `nodes` on the routers of `setup` to the end, on up to `threads` threads.
///
/// # Errors
/// If messages are left that have not been delivered.
pub(in super::super) fn run<'a>(
    setup: &Setup<'a>,
    mut nodes: ProgramNodes<'a>,
    threads: usize,
) -> Result<Outcome, Stop> {
    let network = Network::of_program(setup);
    let cut = cut(&network, threads);
    let mail: Vec<TerminalMail> = (0..cut.strips()).map(|_| TerminalMail::default()).collect();
    let is_over = AtomicBool::new(false);
    let reports = Reports { tails: nodes.observes_tails(), every_flit: nodes.is_watched() };
    let node_count = setup.routes.wiring().nodes();
    let run = &Run::new(network, cut);
    let (mail, is_over) = (mail.as_slice(), &is_over);
    let strip = |strip: usize, nodes: Option<&mut ProgramNodes<'a>>| {
        let _guard = run.barrier.guard();
        let mut terminal = Terminal::new(&mail[strip], node_count, reports);
        let mut engine = start(run.network_of(strip), AnyTraffic::Other(&mut terminal));
        let hub = nodes.map(|nodes| Hub { nodes, cut: &run.cut, mail, woken: Vec::new() });
        Strip { run, number: strip, is_over, hub }.cycles(&mut *engine).ok();
        engine.moved()
    };
    let moved = thread::scope(|scope| {
        let strip = &strip;
        let others: Vec<_> = (1..run.cut.strips()).map(|number| scope.spawn(move || strip(number, None))).collect();
        // this thread reports the progress, and may be cancelled
        let first = strip(0, Some(&mut nodes));
        let others = others.into_iter().map(|thread| thread.join().unwrap_or_else(|panic| resume_unwind(panic)));
        first + others.sum::<u64>()
    });
    let outcome = nodes.finish(None, moved)?;
    if nodes.observer.interest().causes {
        let causes = nodes.program.causes(&outcome.messages);
        nodes.observer.event(Event::Ended(&causes));
    }
    Ok(outcome)
}

/// A strip of routers on its thread.
struct Strip<'s, 'n> {
    run: &'s Run<'s>,
    number: usize,
    /// True when the run has ended.
    is_over: &'s AtomicBool,
    /// The nodes of all strips, if this thread has them.
    hub: Option<Hub<'s, 'n>>,
}

impl Strip<'_, '_> {
    /// Simulates cycles of `engine` until the run ends.
    fn cycles(&mut self, engine: &mut (dyn AnyEngine<AnyTraffic<'_>> + '_)) -> Result<(), Broken> {
        let Self { run, number: strip, .. } = *self;
        let mut outgoing = Outgoing::new(&run.cut);
        let mut schedule = Schedule::new(run.network.routes.wiring().nodes(), false);
        for turn in 0.. {
            let now = engine.now();
            let reported = engine.traffic().ending().is_some_and(|ending| ending.outstanding > 0);
            let is_due = reported || self.hub.as_ref().is_some_and(|hub| hub.is_due(now));
            let next = if is_due { Some(now) } else { self.next_cycle(engine) };
            engine.begin_cycle(&mut outgoing);
            run.exchange.post(
                turn,
                strip,
                &mut outgoing,
                State { next, outstanding: is_due.into(), moved: engine.moved() },
            );
            run.barrier.meet()?;
            let State { next, outstanding, moved } = run.exchange.state(turn);
            let Some(next) = next else { return Ok(()) };
            if next > now {
                engine.continue_at(next);
                continue;
            }
            run.exchange.receive(turn, strip, |mail| engine.receive(mail));
            if outstanding > 0 {
                if let Some(hub) = &mut self.hub {
                    self.is_over.store(!hub.act(now), Ordering::Relaxed);
                }
                run.barrier.meet()?;
                if self.is_over.load(Ordering::Relaxed) {
                    return Ok(());
                }
            }
            engine.end_cycle();
            if let Some(hub) = &self.hub
                && schedule.reports(moved)
            {
                schedule.report(moved, hub.nodes.progress(now));
            }
        }
        Ok(())
    }

    /// The next cycle in which anything happens at the routers of `engine`, or at nodes that are here.
    fn next_cycle(&self, engine: &(dyn AnyEngine<AnyTraffic<'_>> + '_)) -> Option<u64> {
        let of_nodes = self.hub.as_ref().and_then(|hub| hub.nodes.next_event()).map(|at| at.max(engine.now()));
        engine.next_cycle().into_iter().chain(of_nodes).min()
    }
}

/// The nodes of all strips.
struct Hub<'s, 'n> {
    nodes: &'s mut ProgramNodes<'n>,
    cut: &'s Cut,
    /// By strip.
    mail: &'s [TerminalMail],
    /// Nodes with messages that wait since this cycle.
    woken: Vec<u32>,
}

impl Hub<'_, '_> {
    /// Returns true if nodes act in cycle `now`, or the run ends before it.
    fn is_due(&self, now: u64) -> bool {
        !self.nodes.goes_on(now) || self.nodes.next_event().is_some_and(|at| at <= now)
    }

    /// Reports the events of all strips to the nodes, which then act in cycle `now`. Returns false if the run ends before.
    fn act(&mut self, now: u64) -> bool {
        let Self { nodes, cut, mail, woken } = self;
        for mail in *mail {
            locked(&mail.events).drain(..).for_each(|event| nodes.event(event));
        }
        if !nodes.goes_on(now) {
            return false;
        }
        nodes.advance(now, woken);
        for node in woken.drain(..) {
            let mail = &mail[cut.of_node(node)];
            while let Some(message) = nodes.take_waiting(node) {
                locked(&mail.messages).push(message);
            }
        }
        true
    }
}

/// The mail between the nodes and a terminal.
#[derive(Default)]
struct TerminalMail {
    /// Messages for injection channels.
    messages: Mutex<Vec<WaitingMessage>>,
    /// Events that routers have reported.
    events: Mutex<Vec<RouterEvent>>,
}

/// Locks `mail`, which is whole even if another thread has panicked: the run ends then.
fn locked<T>(mail: &Mutex<Vec<T>>) -> MutexGuard<'_, Vec<T>> {
    mail.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The events that routers report for the whole run.
#[derive(Clone, Copy)]
struct Reports {
    /// Tails that have left their sources.
    tails: bool,
    every_flit: bool,
}

/// The nodes of a strip as its routers see them.
struct Terminal<'s> {
    mail: &'s TerminalMail,
    reports: Reports,
    /// Messages that wait for injection channels, by node.
    waiting: Lines,
    /// By number, messages that have not set out.
    offers: FxHashMap<u32, Offer>,
    /// By number, the paths of messages that have not set out, if they are fixed.
    paths: FxHashMap<u32, Vec<Hop>>,
    /// Events since the beginning of the cycle `reported`.
    events: Vec<RouterEvent>,
    /// The last cycle at whose beginning events were posted.
    reported: Option<u64>,
}

impl<'s> Terminal<'s> {
    /// Creates the terminal of one of several strips with `nodes` nodes in all.
    fn new(mail: &'s TerminalMail, nodes: usize, reports: Reports) -> Self {
        Self {
            mail,
            reports,
            waiting: Lines::new(nodes, 1),
            offers: FxHashMap::default(),
            paths: FxHashMap::default(),
            events: Vec::new(),
            reported: None,
        }
    }
}

impl Traffic for Terminal<'_> {
    fn is_closed(&self) -> bool {
        true
    }

    fn next(&mut self, node: u32, _: u32) -> Option<Offer> {
        let Reverse((_, number)) = self.waiting.line(node as usize, 0).pop()?;
        self.offers.remove(&number)
    }

    fn front(&self, node: u32, _: u32) -> Option<Offer> {
        let (_, number) = self.waiting.first(node as usize, 0)?;
        self.offers.get(&number).copied()
    }

    fn waits(&self, node: u32, _: u32) -> bool {
        self.waiting.first(node as usize, 0).is_some()
    }

    fn observes_tails(&self) -> bool {
        self.reports.tails
    }

    fn is_watched(&self) -> bool {
        self.reports.every_flit
    }

    /// Posts the events of the last cycle at the beginning of this one, and takes messages.
    fn advance(&mut self, now: u64, woken: &mut Vec<u32>) {
        if self.reported != Some(now) {
            self.reported = Some(now);
            if !self.events.is_empty() {
                locked(&self.mail.events).append(&mut self.events);
            }
        }
        for WaitingMessage { node, requested, offer, path } in locked(&self.mail.messages).drain(..) {
            self.waiting.line(node as usize, 0).push(Reverse((requested, offer.number)));
            self.offers.insert(offer.number, offer);
            if !path.is_empty() {
                self.paths.insert(offer.number, path);
            }
            woken.push(node);
        }
    }

    fn path(&mut self, number: u32, path: &mut Vec<Hop>) {
        path.append(&mut self.paths.remove(&number).unwrap_or_default());
    }

    fn event(&mut self, event: RouterEvent) {
        self.events.push(event);
    }

    fn goes_on(&self, _: u64) -> bool {
        true
    }

    /// The number of events that have not been posted is outstanding.
    fn ending(&self) -> Option<Ending> {
        let outstanding = i64::try_from(self.events.len()).unwrap_or(i64::MAX);
        Some(Ending { earliest: u64::MAX, latest: u64::MAX, outstanding })
    }

    fn counted(&self) -> Range<u64> {
        0..0
    }
}
