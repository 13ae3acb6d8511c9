//! The packets of a row as a trace, which runs at other times, on other machines and in part, and for the reference.

use super::case::InNetworkCase;
use crate::engine::program::{TraceMessage, TraceProgram, TraceWorm};
use crate::engine::{MessageOutcome, MessageSet, Outcome, Stop};
use crate::kind::{Planned, tree_certificate};
use crate::machine::{Draw, Machine};
use crate::routing::Network;
use crate::routing::certificate::Verdict;
use crate::routing::tree::{EjectionClass, Tree};
use crate::selftest::reference::copying::{self, Progress, Resource, Rules, Worm, WormChannel};
use crate::topology::{Ejection, Origin, Ports};
use crate::units::{ChannelId, MessageId, NodeId, Ticks};
use std::ops::Range;
use std::sync::Arc;

/// A function that runs packets on a machine: the engine, or in tests one that is broken on purpose.
pub(super) type Runner = fn(&Machine, TraceProgram<'_>) -> Option<Result<Outcome, Stop>>;

/// The engine of this crate.
pub(super) fn ours(machine: &Machine, program: TraceProgram<'_>) -> Option<Result<Outcome, Stop>> {
    machine.run(program, Draw { seed: 1, repetition: 0 }, &mut ())
}

/// The source and the destination of a message, and when it was injected and delivered.
pub(super) type Times = (NodeId, NodeId, u64, u64);

pub(super) fn times(message: &MessageOutcome) -> Times {
    (message.src, message.dst, message.injected.0, message.delivered.0)
}

/// Messages that go by one tree, or by one path.
#[derive(Clone, Debug)]
pub(super) struct Packet {
    pub(super) tree: Arc<Tree>,
    pub(super) messages: Range<u32>,
    pub(super) flits: u64,
    /// True if it is a worm that routers copy or combine.
    is_worm: bool,
}

/// Packets in the order of their messages.
#[derive(Clone, Debug, Default)]
pub(super) struct Packets {
    pub(super) messages: Vec<TraceMessage>,
    /// By message, its id.
    ids: Vec<u64>,
    pub(super) all: Vec<Packet>,
}

impl Packets {
    /// The packets that are `planned` on `machine` for `case`. Empty if routers copy and combine nothing.
    pub(super) fn from_plan(case: &InNetworkCase, machine: &Machine, planned: &dyn Planned) -> Self {
        let mut packets = Self::default();
        planned.copied(&mut |set| packets.add_all(case, machine, set));
        packets
    }

    fn add_all(&mut self, case: &InNetworkCase, machine: &Machine, set: &dyn MessageSet) {
        for id in (0..set.messages()).map(MessageId::new) {
            let (src, dst, flits) = set.message(id);
            let name = set.name(id).0.into();
            self.messages.push(TraceMessage { src, dst, flits, start: Ticks(case.start(name)) });
            self.ids.push(name);
            let flits = flits.on_wire();
            match (set.worm(id), machine.network()) {
                (Some(worm), _) if worm.messages.start == id.0 => {
                    let tree = Arc::new(worm.tree.clone());
                    self.all.push(Packet { tree, messages: worm.messages, flits, is_worm: true });
                }
                (None, Some(network)) => {
                    let mut path = Vec::new();
                    set.path(id, network, &mut path);
                    let tree = Arc::new(Tree::path(path));
                    self.all.push(Packet { tree, messages: id.0..id.0 + 1, flits, is_worm: false });
                }
                _ => {}
            }
        }
    }

    /// `packet` alone, by `tree`, with messages between `ends`.
    pub(super) fn isolate(&self, packet: &Packet, tree: Tree, ends: &[(NodeId, NodeId)]) -> Self {
        let first = self.messages[packet.messages.start as usize];
        let message = |&(src, dst): &(NodeId, NodeId)| TraceMessage { src, dst, start: Ticks::ZERO, ..first };
        let messages: Vec<TraceMessage> = ends.iter().map(message).collect();
        let range = 0..MessageId::new(messages.len()).0;
        let packet = Packet { tree: Arc::new(tree), messages: range, ..packet.clone() };
        Self { ids: vec![0; messages.len()], messages, all: vec![packet] }
    }

    /// The sources and destinations of the messages of `packet`.
    pub(super) fn ends(&self, packet: &Packet) -> Vec<(NodeId, NodeId)> {
        let messages = &self.messages[packet.messages.start as usize..packet.messages.end as usize];
        messages.iter().map(|message| (message.src, message.dst)).collect()
    }

    /// The packets with the starts that `start` returns for their numbers.
    pub(super) fn started(&self, start: impl Fn(usize) -> u64) -> Self {
        let mut moved = self.clone();
        for (number, packet) in self.all.iter().enumerate() {
            for message in packet.messages.clone() {
                moved.messages[message as usize].start = Ticks(start(number));
            }
        }
        moved
    }

    /// Returns true if several packets have one tree that combines flits.
    pub(super) fn share_joins(&self) -> bool {
        let joins: Vec<&Tree> =
            self.all.iter().map(|packet| &*packet.tree).filter(|tree| tree.combinations() > 0).collect();
        joins.iter().enumerate().any(|(at, tree)| joins[..at].contains(tree))
    }

    fn worms(&self) -> Vec<TraceWorm> {
        let worms = self.all.iter().filter(|packet| packet.is_worm);
        worms.map(|packet| TraceWorm { tree: Arc::clone(&packet.tree), messages: packet.messages.clone() }).collect()
    }

    pub(super) fn run(&self, runner: Runner, machine: &Machine) -> Option<Result<Outcome, Stop>> {
        runner(machine, TraceProgram::new(&self.messages).with_worms(&self.worms(), &self.ids))
    }

    /// The verdict on them, if there is one.
    pub(super) fn verdict(&self, machine: &Machine) -> Option<Verdict> {
        let worms = self.worms();
        let program = TraceProgram::new(&self.messages).with_worms(&worms, &self.ids);
        let certificate = tree_certificate(machine, &program, &|message| self.ids[message]);
        Some(certificate.ok()??.verdict())
    }

    /// The times of the messages on `network` by the reference, or `None` for those that are never delivered.
    pub(super) fn expected(&self, network: &dyn Network, ports: Ports, rules: &Rules) -> Vec<Option<Times>> {
        let worms: Vec<Worm> = (0..self.all.len()).map(|number| self.worm(network, ports, number)).collect();
        let runs = copying::run(rules, &worms);
        let mut expected = Vec::new();
        for (packet, (worm, run)) in self.all.iter().zip(worms.iter().zip(&runs)) {
            let progress = |resource: Resource| -> Option<&Progress> {
                let index = worm.places.iter().position(|channel| channel.resource == resource)?;
                Some(&run[index])
            };
            for (src, dst) in self.ends(packet) {
                let injected = progress(Resource::Injection(src.0)).and_then(|progress| progress.starts.first());
                let last = progress(Resource::Ejection(dst.0)).and_then(|progress| progress.starts.get(worm.flits - 1));
                let times = injected.zip(last);
                expected.push(times.map(|(&injected, &last)| (src, dst, injected, last + rules.flit_time)));
            }
        }
        expected
    }

    /// Packet `number` as the reference takes it.
    fn worm(&self, network: &dyn Network, ports: Ports, number: usize) -> Worm {
        let Packet { tree, messages, flits, .. } = &self.all[number];
        let worm_channel = |(at, &channel): (usize, &ChannelId)| {
            let feeds = tree.feeds(at).iter().map(|&feed| feed as usize).collect();
            let (resource, units) = match network.channels().origin(channel) {
                Origin::Injection(node) => (Resource::Injection(node.0), (0..ports.injection).collect()),
                Origin::Ejection(node) => (Resource::Ejection(node.0), units(ports.ejection, tree.ejection, number)),
                Origin::Link(_) => (Resource::Link(channel.0), vec![0]),
            };
            WormChannel { resource, units, feeds }
        };
        let channels = tree.channels().iter().enumerate().map(worm_channel).collect();
        let start = self.messages[messages.start as usize].start.0;
        Worm { places: channels, flits: usize::try_from(*flits).unwrap_or(usize::MAX), start }
    }
}

/// The ejection channels of a node that packet `number` may take.
fn units(ejection: Ejection, class: EjectionClass, number: usize) -> Vec<usize> {
    match (ejection, class) {
        (Ejection::Unlimited, _) => vec![number],
        (Ejection::Channels(1), _) => vec![0],
        (Ejection::Channels(channels), EjectionClass::Any) => (0..channels).collect(),
        (Ejection::Channels(channels), EjectionClass::Up) => (0..channels).step_by(2).collect(),
        (Ejection::Channels(channels), EjectionClass::Down) => (1..channels).step_by(2).collect(),
    }
}
