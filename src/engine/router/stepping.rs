//! Programs on routers, in the hands of a caller that steps them.

use super::Traffic;
use super::build::{Network, start};
use super::engine::{AnyEngine, Progress};
use super::nodes::{Nodes, Setup, fits};
use crate::cancel::Token;
use crate::engine::live::Live;
use crate::engine::program::LiveProgram;
use crate::engine::stepping::{AnyObserver, Growing, Stepping};
use crate::engine::{Deadlock, MessageOutcome, Observer, Outcome, Program, Requests, Running, Signal, Stop};
use crate::units::{MessageId, Ticks};

/// Nodes that run a program, as the traffic of routers.
type ProgramNodes<'a> = Nodes<'a, Box<dyn Program + 'a>, AnyObserver<'a>>;

/// Runs `program` on virtual-channel routers to its end. Channels are reported to `observer` as the engine numbers virtual
/// channels.
///
/// # Errors
/// If messages are left that wait for each other's channels, or nodes that wait for messages; if a message has 2^32 flits
/// or more, or does not fit into a buffer that it has to fit into; if the observer [ends the run](crate::engine::Interest::stopping).
///
/// # Panics
/// If a fixed path leads over channels that do not leave by a port.
pub fn run_program<P: Program, O: Observer>(setup: &Setup<'_>, program: P, observer: &mut O) -> Result<Outcome, Stop> {
    start_program(setup, program, Some(observer))?.finish()
}

/// A run of `program` on virtual-channel routers before its first cycle, in the caller's hands.
///
/// # Errors
/// If a message has 2^32 flits or more, or does not fit into a buffer that it has to fit into.
///
/// # Panics
/// If a fixed path leads over channels that do not leave by a port.
pub fn start_program<'a, P: Program + 'a>(
    setup: &'a Setup<'a>,
    mut program: P,
    observer: AnyObserver<'a>,
) -> Result<Running<'a>, Stop> {
    fits(setup, &program)?;
    if observer.interest().causes {
        program.signal(Signal::KeepCauses, &mut Requests::default());
    }
    let program: Box<dyn Program + 'a> = Box::new(program);
    let nodes = Nodes::new(setup, program, observer);
    let routers = Box::new(Routers { engine: start(Network::of_program(setup), nodes), ended: None });
    Ok(Running::new(routers, None, Token::new()))
}

/// A run between two cycles.
struct Routers<'a> {
    engine: Box<dyn AnyEngine<ProgramNodes<'a>> + 'a>,
    /// The end of the run, once it has come: the packets that will never arrive, if there are any.
    ended: Option<Option<Box<Deadlock>>>,
}

impl Routers<'_> {
    /// Simulates a cycle.
    fn step(&mut self) {
        if let Progress::End(deadlock) = self.engine.step() {
            self.ended = Some(deadlock);
        }
    }
}

impl<'a> Stepping<AnyObserver<'a>> for Routers<'a> {
    fn next(&mut self) -> Option<Ticks> {
        let now = self.engine.now();
        let nodes = &self.engine.traffic();
        let continues = self.ended.is_none() && nodes.goes_on(now);
        continues.then(|| nodes.tick(now))
    }

    fn run_through(&mut self, until: Ticks) {
        while self.next().is_some_and(|next| next <= until) {
            self.step();
        }
    }

    fn delivered(&self) -> usize {
        self.engine.traffic().delivered_count()
    }

    fn message(&self, id: MessageId, now: Ticks) -> Option<MessageOutcome> {
        self.engine.traffic().message(id, now)
    }

    fn program(&self) -> &dyn Program {
        &self.engine.traffic().program
    }

    fn observer(&mut self) -> &mut AnyObserver<'a> {
        &mut self.engine.traffic_mut().observer
    }

    fn finish(&mut self) -> Result<Outcome, Stop> {
        let deadlock = self.ended.clone().flatten();
        let moved = self.engine.moved();
        self.engine.traffic_mut().finish(deadlock, moved)
    }
}

impl<'a> Growing<AnyObserver<'a>> for Routers<'a> {
    fn add(&mut self, id: MessageId, at: Ticks) {
        self.ended = None;
        self.engine.traffic_mut().add(id, at);
    }

    /// A cycle is simulated when its tick is over, because messages that are added at the tick belong to it.
    fn arrive(&mut self, at: Ticks, horizon: Ticks) {
        self.engine.traffic_mut().set_horizon(horizon);
        while self.next().is_some_and(|next| next < at) {
            self.step();
        }
        self.engine.traffic_mut().arrive(at);
    }
}

/// A run on virtual-channel routers that accepts messages between its ticks, at tick 0.
pub fn start_live<'a>(setup: &'a Setup<'a>) -> Live<'a> {
    let program = LiveProgram::default();
    let boxed: Box<dyn Program + 'a> = Box::new(program.clone());
    let nodes = Nodes::new(setup, boxed, None);
    let routers = Routers { engine: start(Network::of_program(setup), nodes), ended: None };
    Live::new(Box::new(routers), program, setup.routes.wiring().nodes())
}
