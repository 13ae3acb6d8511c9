//! Programs on routers cycle by cycle.

use super::machine::{After, Looks, Machine};
use super::nodes::{Nodes, Setup, fits};
use super::{Traffic, blocks};
use crate::cancel::Token;
use crate::engine::stepping::{AnyObserver, Stepping};
use crate::engine::{Deadlock, MessageOutcome, Observer, Outcome, Program, Requests, Running, Signal, Stop};
use crate::units::{MessageId, Ticks};

/// A run as [`super::run_program`] does it, before its first cycle, in the caller's hands.
///
/// # Errors
/// If a message has 2^32 flits or more.
///
/// # Panics
/// If a fixed path leads over channels that do not leave by a port.
pub fn start_program<'a, P: Program + 'a>(
    setup: &'a Setup<'a>,
    mut program: P,
    observer: AnyObserver<'a>,
) -> Result<Running<'a>, Stop> {
    fits(&program)?;
    if observer.interest().causes {
        program.signal(Signal::KeepCauses, &mut Requests::default());
    }
    let program: Box<dyn Program + 'a> = Box::new(program);
    let nodes = Nodes::new(setup, program, observer);
    if setup.interfaces.is_none() && blocks::is_supported(&setup.costs) {
        return Ok(blocks::start_program(setup, nodes));
    }
    let mut machine = Machine::new(setup.routes, setup.costs, setup.told(), nodes);
    let looks = machine.start();
    let routers = Box::new(Routers { machine, looks, ended: None });
    Ok(Running::new(routers, None, Token::new()))
}

/// A run between two cycles.
struct Routers<'a> {
    machine: Machine<'a, Nodes<'a, Box<dyn Program + 'a>, AnyObserver<'a>>>,
    looks: Looks,
    /// That nothing is to come, with packets that will never arrive if there are any.
    ended: Option<Option<Box<Deadlock>>>,
}

impl<'a> Stepping<AnyObserver<'a>> for Routers<'a> {
    fn next(&mut self) -> Option<Ticks> {
        let Machine { now, traffic, .. } = &self.machine;
        let goes_on = self.ended.is_none() && traffic.goes_on(*now);
        goes_on.then(|| traffic.tick(*now))
    }

    fn run_through(&mut self, until: Ticks) {
        while self.next().is_some_and(|next| next <= until) {
            if let After::End(deadlock) = self.machine.go_on(&mut self.looks) {
                self.ended = Some(deadlock);
            }
        }
    }

    fn delivered(&self) -> usize {
        self.machine.traffic.delivered_count()
    }

    fn message(&self, id: MessageId, now: Ticks) -> Option<MessageOutcome> {
        self.machine.traffic.message(id, now)
    }

    fn program(&self) -> &dyn Program {
        &self.machine.traffic.program
    }

    fn observer(&mut self) -> &mut AnyObserver<'a> {
        &mut self.machine.traffic.observer
    }

    fn finish(&mut self) -> Result<Outcome, Stop> {
        let deadlock = self.ended.take().flatten();
        let moved = self.machine.moved;
        self.machine.traffic.finish(deadlock, moved)
    }
}
