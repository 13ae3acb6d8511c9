//! Ejection channels apart from injection channels: with no limit nobody waits for one, and the engines agree.

use crate::random::{channel_costs, traffic};
use crate::support::record;
use flitwise::costs::ChannelCosts;
use flitwise::engine::Engine;
use flitwise::engine::program::{TraceMessage, TraceProgram};
use flitwise::routing::{DimensionOrder, ECube, Network, Rings, Turnaround, UpPort};
use flitwise::topology::{Bmin, Channels, Ejection, Hypercube, Mesh, Ports, TopologyError, Torus};
use flitwise::units::{ChannelId, Flits, NodeId, Ticks};
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64;

fn unlimited(injection: usize) -> Ports {
    Ports { injection, ejection: Ejection::Unlimited }
}

fn networks(ports: Ports) -> Vec<Box<dyn Network>> {
    vec![
        Box::new(DimensionOrder::first_coordinate_first(Mesh::new(&[5, 4], ports).unwrap())),
        Box::new(Rings::first_coordinate_first(Torus::new(&[4, 5], ports, 2).unwrap())),
        Box::new(ECube::new(Hypercube::new(4, ports).unwrap())),
        Box::new(Turnaround::new(Bmin::new(2, 4, ports).unwrap(), UpPort::Source)),
    ]
}

/// All to one node, from everywhere, itself included.
#[test]
fn without_a_limit_nobody_waits_to_be_ejected() {
    let (mut waited, mut together) = (0, 0);
    for seed in 0..300 {
        let mut random = Pcg64::seed_from_u64(seed);
        let ports = random.random_range(1..3);
        let costs = channel_costs(&mut random);
        for network in networks(unlimited(ports)) {
            let nodes = network.channels().nodes();
            let mut messages = traffic(&mut random, nodes);
            let hot = NodeId::new(random.random_range(0..nodes));
            messages.iter_mut().step_by(2).for_each(|message| message.dst = hot);
            let run = |engine| record(engine, network.as_ref(), costs, TraceProgram::new(&messages)).unwrap();
            let (flit, recording) = run(Engine::Flit);
            let (auto, _) = run(Engine::Auto);
            assert_eq!(flit.messages, auto.messages, "seed {seed}");
            for &(message, hop, channel, asked, start) in &recording.granted {
                if hop == 1 + flit.messages[message.index()].hops as usize {
                    assert_eq!(asked, start, "seed {seed}: {message:?} waits for {}", network.channels().name(channel));
                    together += usize::from(channel > network.channels().ejection(flit.messages[message.index()].dst));
                } else {
                    waited += usize::from(asked < start);
                }
            }
        }
    }
    assert!(waited > 1000 && together > 1000, "{waited} waits elsewhere, {together} on other channels than the first");
}

/// Two messages from either side of a line meet at the middle: one after the other, or both at once.
#[test]
fn as_many_arrive_at_once_as_there_are_channels() {
    let message = |src| TraceMessage { src: NodeId(src), dst: NodeId(1), flits: Flits(10), start: Ticks::ZERO };
    let messages = [message(0), message(2)];
    for (ejection, last) in [(Ejection::Channels(1), 22), (Ejection::Channels(2), 12), (Ejection::Unlimited, 12)] {
        let line = Mesh::new(&[3], Ports { injection: 1, ejection }).unwrap();
        let line = DimensionOrder::first_coordinate_first(line);
        for engine in [Engine::Flit, Engine::Worm] {
            let (outcome, _) = record(engine, &line, ChannelCosts::default(), TraceProgram::new(&messages)).unwrap();
            assert_eq!(outcome.completion, Ticks(last), "{ejection:?} {engine:?}");
        }
    }
}

#[test]
fn every_channel_has_its_own_number_and_name() {
    for ports in [unlimited(1), unlimited(3), Ports { injection: 3, ejection: Ejection::Channels(1) }] {
        for network in networks(ports) {
            let channels = network.channels();
            let mut seen = vec![false; channels.count()];
            let mut mark = |first: ChannelId, count: usize, kind: &str| {
                for channel in (first.index()..first.index() + count).map(ChannelId::new) {
                    assert!(!std::mem::replace(&mut seen[channel.index()], true), "{channel} twice");
                    assert!(channels.name(channel).starts_with(kind), "{}", channels.name(channel));
                }
            };
            for node in (0..channels.nodes()).map(NodeId::new) {
                mark(channels.injection(node), channels.ports(), "injection ");
                mark(channels.ejection(node), channels.ejection_ports(), "ejection ");
            }
            let mut path = Vec::new();
            for node in (1..channels.nodes()).map(NodeId::new) {
                network.route(NodeId(0), node, &mut path);
            }
            let ends = |channel: ChannelId| channels.name(channel).contains("jection");
            assert!(path.into_iter().all(|channel| ends(channel) == seen[channel.index()]));
        }
    }
}

#[test]
fn ports_that_cannot_be_are_refused() {
    let none = Ports { injection: 1, ejection: Ejection::Channels(0) };
    assert_eq!(Hypercube::new(3, none).err(), Some(TopologyError::NoPorts));
    assert_eq!(Hypercube::new(3, unlimited(0)).err(), Some(TopologyError::NoPorts));
    let count = 65535 + 3;
    assert_eq!(Hypercube::new(3, unlimited(65535)).err(), Some(TopologyError::TooManyPorts { count }));
    assert_eq!(Mesh::new(&[3], 65536).err(), Some(TopologyError::TooManyPorts { count: 65536 }));
    assert_eq!(Mesh::new(&[3, 3], unlimited(2)).unwrap().ejection_ports(), 6);
    assert_eq!(Torus::new(&[3, 3], unlimited(1), 2).unwrap().ejection_ports(), 9);
    assert_eq!(Bmin::new(2, 3, unlimited(1)).unwrap().ejection_ports(), 4);
    assert_eq!(Bmin::new(3, 1, unlimited(2)).unwrap().ejection_ports(), 6);
}
