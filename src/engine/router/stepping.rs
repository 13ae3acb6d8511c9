//! Programs on routers, in the hands of a caller that steps them.

use super::Traffic;
use super::build::{Network, start};
use super::engine::{AnyEngine, Progress};
use super::forward::AnyTraffic;
use super::hosts::{Hosts, LiveNetwork, Slots};
use super::nodes::{Nodes, ProgramNodes};
use super::setup::{Setup, fits};
use super::side_by_side::{ClassPlace, SideBySide};
use super::strips;
use crate::cancel::Token;
use crate::engine::live::{Live, LiveNodes};
use crate::engine::program::LiveMessages;
use crate::engine::stepping::{AnyObserver, Growing, GrowingMachine, Stepping};
use crate::engine::{Deadlock, MessageOutcome, Observer, Outcome, Program, Requests, Running, Signal, Stop};
use crate::units::{MessageId, NodeId, Ticks};

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
    setup: &Setup<'a>,
    program: P,
    observer: AnyObserver<'a>,
) -> Result<Running<'a>, Stop> {
    let nodes = program_nodes(setup, program, observer)?;
    let routers = Box::new(Routers::new(Network::of_program(setup), nodes));
    Ok(Running::new(routers, None, Token::new()))
}

/// The nodes of `program` before the first cycle.
///
/// # Errors
/// If a message does not fit.
fn program_nodes<'a, P: Program + 'a>(
    setup: &Setup<'a>,
    mut program: P,
    observer: AnyObserver<'a>,
) -> Result<ProgramNodes<'a>, Stop> {
    fits(setup, &program)?;
    if observer.interest().causes {
        program.signal(Signal::KeepCauses, &mut Requests::default());
    }
    let program: Box<dyn Program + 'a> = Box::new(program);
    Ok(Nodes::new(setup, program, observer))
}

/// Does the same as [`run_program`], on up to `threads` threads, each of which simulates the routers of a strip.
///
/// The program must not be able to deadlock, and the routers must not [need one thread](super::needs_one_thread). Messages on trees,
/// interfaces of chips and observers that [end the run](crate::engine::Interest::stopping) have one thread.
///
/// # Errors
/// As [`run_program`].
///
/// # Panics
/// As [`run_program`].
pub fn run_program_in_strips<P: Program, O: Observer>(
    setup: &Setup<'_>,
    program: P,
    observer: &mut O,
    threads: usize,
) -> Result<Outcome, Stop> {
    let needs_one = setup.trees.is_some() || setup.interfaces.is_some() || observer.interest().may_stop();
    if threads <= 1 || needs_one {
        return run_program(setup, program, observer);
    }
    strips::run_program(setup, program_nodes(setup, program, Some(observer))?, threads)
}

/// A run between two cycles.
pub(super) struct Routers<'a> {
    engine: Box<dyn AnyEngine<AnyTraffic<'a>> + 'a>,
    /// The end of the run, once it has come: the packets that will never arrive, if there are any.
    ended: Option<Option<Box<Deadlock>>>,
}

impl<'a> Routers<'a> {
    /// A run of `nodes` on `network` before its first cycle.
    fn new(network: Network<'a>, nodes: ProgramNodes<'a>) -> Self {
        Self { engine: start(network, AnyTraffic::Program(Box::new(nodes))), ended: None }
    }

    fn nodes(&self) -> &ProgramNodes<'a> {
        self.engine.traffic().nodes()
    }

    fn nodes_mut(&mut self) -> &mut ProgramNodes<'a> {
        self.engine.traffic_mut().nodes_mut()
    }
}

impl<'a> Stepping<AnyObserver<'a>> for Routers<'a> {
    fn next(&mut self) -> Option<Ticks> {
        let now = self.engine.now();
        let nodes = self.nodes();
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
        self.nodes().delivered_count()
    }

    fn message(&self, id: MessageId, now: Ticks) -> Option<MessageOutcome> {
        self.nodes().message(id, now)
    }

    fn program(&self) -> &dyn Program {
        &self.nodes().program
    }

    fn observer(&mut self) -> &mut AnyObserver<'a> {
        &mut self.nodes_mut().observer
    }

    fn finish(&mut self) -> Result<Outcome, Stop> {
        let deadlock = self.ended.clone().flatten();
        let moved = self.engine.moved();
        self.nodes_mut().finish(deadlock, moved)
    }
}

impl<'a> Growing<AnyObserver<'a>> for Routers<'a> {
    fn live(&mut self) -> Option<&mut LiveMessages> {
        self.nodes_mut().program.live()
    }

    fn add(&mut self, at: Ticks) {
        self.ended = None;
        self.nodes_mut().add(at);
    }

    fn next_event(&mut self) -> Option<Ticks> {
        self.next()?;
        self.engine.next_cycle().map(|cycle| self.nodes().tick(cycle))
    }

    /// A cycle is simulated when its tick is over, because messages that are added at the tick belong to it. Packets that will never
    /// arrive do not end the run while others move.
    fn arrive(&mut self, limit: Ticks) -> Ticks {
        self.nodes_mut().set_horizon(limit);
        // cycles in which nothing happens are left out
        if let Some(cycle) = self.engine.next_cycle().filter(|&cycle| cycle > self.engine.now()) {
            self.engine.continue_at(cycle);
        }
        let reached = loop {
            let tick = self.nodes().tick(self.engine.now());
            if tick > limit {
                break limit;
            }
            let has_delivered = self.nodes_mut().arrive(tick);
            if has_delivered || tick == limit || self.ended.is_some() {
                break tick;
            }
            if let Progress::End(deadlock) = self.engine.step()
                && self.engine.next_cycle().is_none()
            {
                self.ended = Some(deadlock);
            }
        };
        self.nodes_mut().set_horizon(Ticks::MAX);
        reached
    }

    fn forget(&mut self, before: MessageId) -> MessageId {
        self.nodes_mut().forget(before);
        before
    }

    fn queued(&self, node: NodeId, class: u8, now: Ticks) -> u32 {
        self.nodes().queued(node, class, now)
    }

    fn release(&mut self, message: MessageId, now: Ticks) {
        let nodes = self.nodes_mut();
        let cycle = nodes.cycle(now);
        let slots = nodes.hosts().and_then(|hosts| hosts.release(message));
        if let Some(Slots { vc, flits }) = slots {
            self.ended = None;
            self.engine.return_slots(vc, flits, cycle);
        }
    }
}

/// A run on virtual-channel routers that accepts messages between its ticks, at tick 0: messages of one class, from queues without a
/// limit, to nodes that take in all of them.
pub fn start_live<'a>(setup: &Setup<'a>) -> Live<'a> {
    start_hosts(setup, &LiveRouters { queue: None, ejection: None, networks: &[], classes: &[] })
}

/// The nodes of a live run on routers.
#[derive(Clone, Copy)]
pub struct LiveRouters<'a> {
    /// Flits that the injection queue of a node and class holds, if they are limited.
    pub queue: Option<u32>,
    /// Slots of a node for each virtual channel of its ejection channels, if messages are held at their nodes until they are taken.
    pub ejection: Option<u32>,
    /// The classes of messages on each physical network. Empty if there are one network and one class, which takes any virtual
    /// channel.
    pub networks: &'a [LiveNetwork],
    /// By class, its physical network. The classes of a network are in the order of their numbers.
    pub classes: &'a [u32],
}

/// A run on virtual-channel routers that accepts messages between its ticks, at tick 0, with the nodes that `hosts` describe.
///
/// # Panics
/// If a class is on a network that does not exist.
pub fn start_hosts<'a>(setup: &Setup<'a>, hosts: &LiveRouters<'a>) -> Live<'a> {
    let LiveRouters { queue, ejection, networks, classes } = *hosts;
    let nodes = setup.routes.wiring().nodes();
    let has_queues = queue.is_some();
    let routers = |of: &'a LiveNetwork| {
        let program: Box<dyn Program + 'a> = Box::new(LiveMessages::default());
        let hosts = Hosts::new(nodes, of.classes.clone(), ejection, has_queues);
        let nodes = Nodes::new(setup, program, None).with_hosts(hosts);
        Routers::new(Network::of_program(setup).with_classes(&of.routes), nodes)
    };
    let live_nodes = LiveNodes {
        nodes,
        classes: u8::try_from(classes.len().max(1)).unwrap_or(u8::MAX),
        queue,
        held: ejection,
        longest: setup.costs.longest_packet(setup.routes.virtual_channels()),
    };
    let machine: GrowingMachine<'a> = match networks {
        [] => Box::new(routers(ALIKE)),
        [one] => Box::new(routers(one)),
        several => Box::new(SideBySide::new(several.iter().map(routers).collect(), class_places(classes))),
    };
    Live::new(machine, live_nodes)
}

/// Messages that are all alike.
const ALIKE: &LiveNetwork = &LiveNetwork { classes: Vec::new(), routes: Vec::new() };

/// By class, its network and its number there.
fn class_places(networks: &[u32]) -> Vec<ClassPlace> {
    let class_place = |(at, &network): (usize, &u32)| {
        let class = networks[..at].iter().filter(|&&other| other == network).count();
        ClassPlace { network: network as usize, class: u8::try_from(class).unwrap_or(u8::MAX) }
    };
    networks.iter().enumerate().map(class_place).collect()
}
