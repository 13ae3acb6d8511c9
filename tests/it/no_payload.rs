//! Messages without payload, `flits = 0`: a head flit alone on the wire, and no per-flit overheads. In every workload, on
//! both engines, beside messages of one flit, which takes as long on the wire, and of two.

use crate::random::{channel_costs, network, torus, traffic};
use crate::support::{first_nodes, model, plan, record, request};
use flitwise::algorithm::multicast::Request;
use flitwise::costs::{Buffer, ChannelCosts, NodeCosts};
use flitwise::engine::Engine;
use flitwise::engine::program::{TraceMessage, TraceProgram};
use flitwise::kind::Row;
use flitwise::model::{MessageTimes, Parameterised};
use flitwise::run::run;
use flitwise::scenario::{Options, Scenario};
use flitwise::schedule::goal::Goal;
use flitwise::units::{Flits, Ticks};
use rand::SeedableRng;
use rand_pcg::Pcg64;
use std::fs;
use std::num::NonZeroUsize;

const CHANNEL: ChannelCosts = ChannelCosts { flit_time: 2, buffer: Buffer::Flits(1), routing_delay: 1 };

/// A workload that sends between two neighbours; `FLITS` in it stands for the length, if its file does not say it.
struct Neighbours {
    network: &'static str,
    workload: &'static str,
    /// The file that the workload reads.
    file: fn(flits: u64) -> String,
    /// Whether its nodes have overheads.
    overheads: bool,
}

const LINE: &str = "[network.mesh]\nshape = [2]\n";

const NEIGHBOURS: [Neighbours; 5] = [
    Neighbours {
        network: LINE,
        workload: "[workload.multicast]\nalgorithms = [\"chain\"]\nflits = FLITS\nnodes = [0, 1]\n",
        file: |_| String::new(),
        overheads: true,
    },
    Neighbours {
        network: "[network.torus]\nshape = [2]\n",
        workload: "[workload.exchange]\nalgorithms = [\"direct\"]\nblock_flits = FLITS\n",
        file: |_| String::new(),
        overheads: true,
    },
    Neighbours {
        network: "[network.hypercube]\ndimension = 1\n",
        workload: "[workload.mapping]\nalgorithms = [\"random\"]\ngraph = \"file\"\nsimulate = true\npacket_flits = FLITS\n",
        file: |_| "a,b,weight\n0,1,1\n".to_owned(),
        overheads: false,
    },
    Neighbours {
        network: LINE,
        workload: "[workload.trace]\nfile = \"file\"\n",
        file: |flits| format!("id,src,dst,flits,start\n0,0,1,{flits},0\n"),
        overheads: false,
    },
    Neighbours {
        network: LINE,
        workload: "[workload.goal]\nfile = \"file\"\nflit_bytes = 8\n",
        // the last flit is not full
        file: |flits| {
            let bytes = (8 * flits).saturating_sub(5);
            format!("num_ranks 2\nrank 0 {{\nsend {bytes}b to 1\n}}\nrank 1 {{\nrecv {bytes}b from 0\n}}\n")
        },
        overheads: true,
    },
];

impl Neighbours {
    fn scenario(&self, flits: u64, engine: &str) -> Scenario {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("file"), (self.file)(flits)).unwrap();
        let node = "[node]\nsend_setup = 100\nsend_per_flit = 7\nreceive_setup = 50\nreceive_per_flit = 3\n";
        let text = format!(
            "name = \"s\"\n{}[channel]\nflit_time = 2\nrouting_delay = 1\n{}[engine]\nkind = \"{engine}\"\n{}",
            self.network,
            if self.overheads { node } else { "" },
            self.workload.replace("FLITS", &flits.to_string()),
        );
        Scenario::parse("s.toml", &text, folder.path(), &Options::default()).unwrap()
    }

    /// Two channels that the head flit crosses and is routed behind, the last channel, and overheads if there are any.
    fn time(&self, flits: u64) -> u64 {
        let on_wire = [1, 1, 2][usize::try_from(flits).unwrap()];
        let overheads = if self.overheads { 100 + 7 * flits + 50 + 3 * flits } else { 0 };
        2 * (2 + 1) + 2 * on_wire + overheads
    }
}

fn rows(scenario: &Scenario) -> Vec<Row> {
    let mut rows = Vec::new();
    run(scenario, NonZeroUsize::MIN, true, |row| {
        rows.push(row);
        Ok::<(), std::convert::Infallible>(())
    })
    .unwrap();
    rows
}

#[test]
fn every_workload_takes_none_one_and_two_flits_on_both_engines() {
    for workload in &NEIGHBOURS {
        for (engine, flits) in ["worm", "flit"].into_iter().flat_map(|engine| [0, 1, 2].map(|flits| (engine, flits))) {
            let what = format!("{} {engine}, {flits} flits", workload.workload);
            for row in rows(&workload.scenario(flits, engine)) {
                assert_eq!(row.value("measured"), Some(workload.time(flits)), "{what}");
                assert!(!row.details.is_empty(), "{what}");
                assert!(row.details.iter().all(|message| message.flits == Flits(flits)), "{what}: {:?}", row.details);
            }
        }
    }
}

#[test]
fn a_row_without_payload_needs_what_one_of_one_flit_does() {
    for workload in &NEIGHBOURS {
        let estimate = |flits| workload.scenario(flits, "flit").points[0].experiment.estimate(0);
        assert_eq!(estimate(0), estimate(1), "{}", workload.workload);
    }
}

/// What is on the wire does not tell messages of one flit from those without payload.
#[test]
fn channels_cannot_tell_no_payload_from_one_flit() {
    let mut changed = 0;
    for seed in 0..500 {
        let mut random = Pcg64::seed_from_u64(seed);
        let network = if seed % 2 == 0 { network(&mut random) } else { Box::new(torus(&mut random, 2)) };
        let costs = channel_costs(&mut random);
        let empty = traffic(&mut random, network.channels().nodes());
        let padded = empty.iter().map(|message| TraceMessage { flits: Flits(message.flits.0.max(1)), ..*message });
        let padded: Vec<TraceMessage> = padded.collect();
        changed += empty.iter().zip(&padded).filter(|(one, other)| one != other).count();
        for engine in [Engine::Auto, Engine::Flit] {
            let run = |messages| record(engine, network.as_ref(), costs, TraceProgram::new(messages)).unwrap();
            let (of_empty, of_padded) = (run(&empty), run(&padded));
            assert_eq!(of_empty.0.messages, of_padded.0.messages, "seed {seed} {engine:?}");
            assert_eq!(of_empty.1, of_padded.1, "seed {seed} {engine:?}");
        }
    }
    assert!(changed > 1000, "only {changed} messages without payload: the cases prove little");
}

#[test]
fn nodes_pay_for_payload_alone() {
    let node = NodeCosts::default().sending(100, 7).holding(80, 5).receiving(50, 3);
    let costs =
        |flits| [node.send(Flits(flits)), node.hold(Flits(flits)), node.receive(Flits(flits))].map(|time| time.0);
    assert_eq!([0, 1, 2].map(costs), [[100, 80, 50], [107, 85, 53], [114, 90, 56]]);
}

#[test]
fn a_multicast_without_payload_is_operations_without_bytes() {
    let nodes = first_nodes(3);
    let schedule = plan("chain", &Request { flits: Flits(0), ..request(&nodes, 3, model(1, 2)) });
    let goal = Goal::of_multicast(&schedule, 16);
    assert!(goal.operations().iter().all(|operation| operation.size == 0), "{goal:?}");
}

/// A sender without overheads is held up by the head flit all the same, so the model never promises what wires refuse.
#[test]
fn a_derived_hold_is_not_shorter_than_the_head_flit_takes() {
    let node = NodeCosts::default();
    for flits in [0, 1] {
        let times = Parameterised::derived(&node, CHANNEL, Flits(flits));
        assert_eq!(times, Parameterised { t_hold: Ticks(2), t_end: Ticks(2) });
        let parts = MessageTimes::derived(&node, CHANNEL, Flits(flits));
        assert_eq!(parts, MessageTimes { send: 0, hold: 2, arrival: 2, receive: 0, receive_hold: 2 });
        // injection, one link, ejection: the channel is released when the head flit is on the next one
        assert_eq!(CHANNEL.occupancy(Flits(flits), 3), Ticks(2 + 1));
        assert_eq!(CHANNEL.unloaded(Flits(flits), 3), Ticks(2 * 3 + 2));
    }
}
