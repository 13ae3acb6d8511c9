//! Programs on routers, in the hands of a caller that steps them.

use super::build::{Network, start};
use super::closed_loop::ClosedLoop;
use super::engine::{AnyEngine, Progress};
use crate::cancel::Token;
use crate::engine::router::{Nodes, Setup, Traffic};
use crate::engine::stepping::{AnyObserver, Stepping};
use crate::engine::{Deadlock, MessageOutcome, Outcome, Program, Running, Stop};
use crate::units::{MessageId, Ticks};

/// Nodes that run a program, as the traffic of routers.
type ProgramNodes<'a> = ClosedLoop<Nodes<'a, Box<dyn Program + 'a>, AnyObserver<'a>>>;

/// Starts a run of `nodes` on the routers of `setup`.
pub(crate) fn start_program<'a>(
    setup: &'a Setup<'a>,
    nodes: Nodes<'a, Box<dyn Program + 'a>, AnyObserver<'a>>,
) -> Running<'a> {
    let network = Network::of_program(setup);
    let traffic = ClosedLoop::new(nodes, setup.costs.timing);
    let routers = Box::new(Routers { engine: start(network, traffic), ended: None });
    Running::new(routers, None, Token::new())
}

/// A run between two cycles.
struct Routers<'a> {
    engine: Box<dyn AnyEngine<ProgramNodes<'a>> + 'a>,
    /// The end of the run, once it has come: the packets that will never arrive, if there are any.
    ended: Option<Option<Box<Deadlock>>>,
}

impl<'a> Stepping<AnyObserver<'a>> for Routers<'a> {
    fn next(&mut self) -> Option<Ticks> {
        let now = self.engine.now();
        let nodes = &self.engine.traffic().nodes;
        let continues = self.ended.is_none() && nodes.goes_on(now);
        continues.then(|| nodes.tick(now))
    }

    fn run_through(&mut self, until: Ticks) {
        while self.next().is_some_and(|next| next <= until) {
            if let Progress::End(deadlock) = self.engine.step() {
                self.ended = Some(deadlock);
            }
        }
    }

    fn delivered(&self) -> usize {
        self.engine.traffic().nodes.delivered_count()
    }

    fn message(&self, id: MessageId, now: Ticks) -> Option<MessageOutcome> {
        self.engine.traffic().nodes.message(id, now)
    }

    fn program(&self) -> &dyn Program {
        &self.engine.traffic().nodes.program
    }

    fn observer(&mut self) -> &mut AnyObserver<'a> {
        &mut self.engine.traffic_mut().nodes.observer
    }

    fn finish(&mut self) -> Result<Outcome, Stop> {
        let deadlock = self.ended.take().flatten();
        let moved = self.engine.moved();
        self.engine.traffic_mut().nodes.finish(deadlock, moved)
    }
}
