//! Both engines against runs of an independent flit state machine: every path, header start, release and delivery.

use crate::support::{data, record};
use flitwise::costs::{Buffer, ChannelCosts};
use flitwise::engine::Engine;
use flitwise::engine::program::{TraceMessage, TraceProgram};
use flitwise::routing::DimensionOrder;
use flitwise::topology::Mesh;
use flitwise::units::{Flits, NodeId, Ticks};
use serde::Deserialize;

#[derive(Deserialize)]
struct Oracle {
    cases: Vec<Case>,
}

#[derive(Deserialize)]
struct Case {
    #[serde(rename = "A")]
    rows: usize,
    #[serde(rename = "Bn")]
    columns: usize,
    cd: u64,
    #[serde(rename = "B")]
    buffer: u64,
    header_delay: u64,
    msgs: Vec<Message>,
}

#[derive(Deserialize)]
struct Message {
    src: u32,
    dst: u32,
    flits: u64,
    t0: u64,
    path: Vec<u32>,
    req: Vec<u64>,
    start: Vec<u64>,
    release: Vec<u64>,
    delivered: u64,
}

#[test]
fn both_engines_reproduce_every_start_release_and_delivery() {
    let oracle: Oracle = data("multicast/worm_random.json");
    assert_eq!(oracle.cases.len(), 60);
    for (number, case) in oracle.cases.iter().enumerate() {
        let mesh = Mesh::new(&[case.rows, case.columns], 1).unwrap();
        let network = DimensionOrder::first_coordinate_first(mesh);
        let costs =
            ChannelCosts { flit_time: case.cd, buffer: Buffer::Flits(case.buffer), routing_delay: case.header_delay };
        let messages: Vec<TraceMessage> = case.msgs.iter().map(trace_message).collect();
        for engine in [Engine::Flit, Engine::Worm] {
            let (outcome, recording) = record(engine, &network, costs, TraceProgram::new(&messages)).unwrap();
            let starts = case.msgs.iter().flat_map(|m| m.path.iter().zip(&m.req).zip(&m.start));
            for (got, ((path, requested), start)) in recording.granted.iter().zip(starts) {
                assert_eq!(
                    (got.2.0, got.3.0, got.4.0),
                    (*path, *requested, *start),
                    "case {number} {engine:?} {got:?}"
                );
            }
            let releases = case.msgs.iter().flat_map(|m| &m.release);
            for (got, release) in recording.released.iter().zip(releases) {
                assert_eq!(got.3.0, *release, "case {number} {engine:?} {got:?}");
            }
            let hops: usize = case.msgs.iter().map(|m| m.path.len()).sum();
            assert_eq!((recording.granted.len(), recording.released.len()), (hops, hops));
            for (got, message) in outcome.messages.iter().zip(&case.msgs) {
                assert_eq!(got.delivered.0, message.delivered, "case {number} {engine:?}");
            }
        }
    }
}

fn trace_message(message: &Message) -> TraceMessage {
    TraceMessage {
        src: NodeId(message.src),
        dst: NodeId(message.dst),
        flits: Flits(message.flits),
        start: Ticks(message.t0),
    }
}
