//! The exchange schedules against those of an independent implementation (`tests/data/exchange`): every step's messages
//! and loads, channel dependencies, digests of all blocks, small schedules message by message.

use crate::support::data;
use flitwise::algorithm::exchange::Algorithm;
use flitwise::routing::Move;
use flitwise::schedule::dependency::{dependencies, loads};
use flitwise::schedule::{Exchange, StepSummary};
use flitwise::topology::Torus;
use flitwise::units::{MessageId, NodeId};
use serde::Deserialize;
use std::collections::BTreeMap;

/// The oracle's names of algorithms, and ours.
pub(crate) const NAMES: [(&str, &str); 17] = [
    ("double_hop", "double-hop"),
    ("naive", "naive"),
    ("modified_double_hop", "modified-double-hop"),
    ("split_merge_paper", "split-and-merge"),
    ("split_merge_noextra", "split-and-merge-lean"),
    ("suh_shin", "suh-shin"),
    ("auto_dimwise", "modified-double-hop"),
    ("double_hop_bi", "double-hop-bidirectional"),
    ("modified_double_hop_bi", "modified-double-hop-bidirectional"),
    ("naive_bi", "naive-bidirectional"),
    ("suh_shin_bi", "suh-shin-bidirectional"),
    ("direct_rotation", "direct"),
    ("direct_shift2d", "direct-shift"),
    ("bruck", "bruck"),
    ("pairwise_xor", "pairwise"),
    ("hypercube_mesh", "hypercube-mesh"),
    ("hypercube_shortest", "hypercube"),
];

/// One of the oracle's exchanges.
#[derive(Deserialize)]
pub(crate) struct Case {
    pub(crate) alg: String,
    pub(crate) dims: Vec<usize>,
    pub(crate) startups: usize,
    critical_blocks: u64,
    critical_hops: u64,
    pub(crate) contention_free: bool,
    max_blocks: Vec<u64>,
    min_blocks: Vec<u64>,
    max_hops: Vec<u64>,
    messages: Vec<usize>,
    max_channel_messages: Vec<u32>,
    max_channel_blocks: Vec<u64>,
    total_block_sends: u64,
    cdg_1vc_cyclic_in_some_step: bool,
    cdg_1vc_cyclic_all_steps: bool,
    cdg_dateline_cyclic_all_steps: bool,
    fnv64: String,
    pub(crate) sim: Vec<Simulated>,
}

/// What the oracle measured with a start-up and a block length: a time, or "deadlock".
#[derive(Deserialize)]
pub(crate) struct Simulated {
    pub(crate) ts: u64,
    #[serde(rename = "F")]
    pub(crate) block_flits: u64,
    pub(crate) closed_sync: Option<u64>,
    pub(crate) sync_vc1: serde_json::Value,
    pub(crate) async_vc1: serde_json::Value,
    pub(crate) async_vc2: serde_json::Value,
}

/// The oracle's exchanges with the algorithms that make them here.
pub(crate) fn cases() -> Vec<(&'static Algorithm, Case)> {
    let cases: Vec<Case> = data("exchange/algorithms.json");
    let ours: BTreeMap<&str, &str> = NAMES.into_iter().collect();
    cases.into_iter().map(|case| (Algorithm::named(ours[case.alg.as_str()]).unwrap(), case)).collect()
}

/// FNV-1a, 64 bits, over little-endian 32-bit words: for each step its messages by ascending sender: step, sender,
/// receiver, hops, number of blocks, then the blocks ascending as source * P + destination.
fn digest(exchange: &Exchange) -> String {
    let mut hash = 0xcbf2_9ce4_8422_2325_u64;
    let mut add = |word: u64| {
        for byte in u32::try_from(word).unwrap().to_le_bytes() {
            hash = (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3);
        }
    };
    for step in 0..exchange.steps() {
        for message in exchange.messages(step) {
            let head = [step as u64, message.src.0.into(), message.dst.0.into(), message.hops(), message.blocks];
            head.into_iter().for_each(&mut add);
            let number = |(s, d): (NodeId, NodeId)| s.index() * exchange.nodes() + d.index();
            exchange.blocks(message.id).into_iter().for_each(|block| add(number(block) as u64));
        }
    }
    format!("{hash:016x}")
}

#[test]
fn every_schedule_of_the_oracle_is_reproduced() {
    for (algorithm, case) in cases() {
        let what = format!("{} {:?}", case.alg, case.dims);
        let exchange = algorithm.plan(&case.dims).unwrap();
        let proof = exchange.check().unwrap_or_else(|violation| panic!("{what}: {violation}"));
        assert_eq!(proof.startups, case.startups, "{what}");
        assert_eq!((proof.critical_blocks, proof.critical_hops), (case.critical_blocks, case.critical_hops), "{what}");
        let steps: Vec<StepSummary> = (0..exchange.steps()).map(|step| exchange.summary(step)).collect();
        assert_eq!(steps.iter().map(|s| s.messages).collect::<Vec<_>>(), case.messages, "{what}");
        assert_eq!(steps.iter().map(|s| s.max_blocks).collect::<Vec<_>>(), case.max_blocks, "{what}");
        assert_eq!(steps.iter().map(|s| s.min_blocks).collect::<Vec<_>>(), case.min_blocks, "{what}");
        assert_eq!(steps.iter().map(|s| s.max_hops).collect::<Vec<_>>(), case.max_hops, "{what}");
        assert_eq!(steps.iter().map(|s| s.blocks).sum::<u64>(), case.total_block_sends, "{what}");
        assert_eq!(digest(&exchange), case.fnv64, "{what}");
    }
}

#[test]
fn every_load_and_dependency_of_the_oracle_is_reproduced() {
    for (algorithm, case) in cases() {
        let what = format!("{} {:?}", case.alg, case.dims);
        let exchange = algorithm.plan(&case.dims).unwrap();
        for virtual_channels in [1, 2] {
            let loads = loads(&exchange, &Torus::new(&case.dims, 1, virtual_channels).unwrap());
            assert_eq!(loads.iter().map(|l| l.messages).collect::<Vec<_>>(), case.max_channel_messages, "{what}");
            assert_eq!(loads.iter().map(|l| l.blocks).collect::<Vec<_>>(), case.max_channel_blocks, "{what}");
            assert_eq!(loads.iter().all(|l| l.shared.is_none()), case.contention_free, "{what}");
        }
        let [one, dateline] = [1, 2].map(|v| dependencies(&exchange, v).unwrap());
        assert_eq!(one.within_a_step.is_some(), case.cdg_1vc_cyclic_in_some_step, "{what}");
        assert_eq!(one.over_all_steps.is_some(), case.cdg_1vc_cyclic_all_steps, "{what}");
        assert_eq!(dateline.over_all_steps.is_some(), case.cdg_dateline_cyclic_all_steps, "{what}");
    }
}

#[derive(Deserialize)]
struct Sent {
    src: u32,
    dst: u32,
    segs: Vec<(u32, i32)>,
    blocks: Vec<(u32, u32)>,
}

#[test]
fn small_schedules_message_by_message() {
    let schedules: BTreeMap<String, Vec<Vec<Sent>>> = data("exchange/schedules_small.json");
    let ours: BTreeMap<&str, &str> = NAMES.into_iter().collect();
    for (name, steps) in schedules {
        let (algorithm, shape) = name.rsplit_once('_').unwrap();
        let shape: Vec<usize> = shape.split('x').map(|n| n.parse().unwrap()).collect();
        let exchange = Algorithm::named(ours[algorithm]).unwrap().plan(&shape).unwrap();
        assert_eq!(exchange.steps(), steps.len(), "{name}");
        for (step, sent) in steps.into_iter().enumerate() {
            assert_eq!(exchange.messages(step).len(), sent.len(), "{name} step {step}");
            for (message, sent) in exchange.messages(step).zip(sent) {
                assert_eq!((message.src.0, message.dst.0), (sent.src, sent.dst), "{name} step {step}");
                let moves: Vec<Move> =
                    sent.segs.into_iter().map(|(dimension, hops)| Move { dimension, hops }).collect();
                assert_eq!(message.moves, moves, "{name} step {step}");
                let blocks: Vec<_> = sent.blocks.into_iter().map(|(s, d)| (NodeId(s), NodeId(d))).collect();
                assert_eq!(exchange.blocks(message.id), blocks, "{name} step {step}");
            }
        }
    }
}

#[derive(Deserialize)]
struct RingPrograms {
    /// By name, the signed hops of each step, by source and destination.
    programs: BTreeMap<String, Vec<Vec<Vec<i32>>>>,
}

/// On a ring, what every block does in every step.
#[test]
fn ring_programs_block_by_block() {
    let oracle: RingPrograms = data("exchange/ring_programs.json");
    for (name, program) in oracle.programs {
        let (algorithm, size) = name.rsplit_once('_').unwrap();
        let n: usize = size.parse().unwrap();
        let ours = match algorithm {
            "dh" => "double-hop",
            "mdh" => "modified-double-hop",
            "dh_bi" => "double-hop-bidirectional",
            "mdh_bi" => "modified-double-hop-bidirectional",
            "naive" => "naive",
            other => panic!("the oracle has a ring program {other}"),
        };
        let exchange = Algorithm::named(ours).unwrap().plan(&[n]).unwrap();
        let mut hops = vec![vec![vec![0; exchange.steps()]; n]; n];
        let sends = (0..exchange.steps()).flat_map(|step| exchange.step(step).map(move |id| (step, MessageId(id))));
        for (step, id) in sends {
            for (source, destination) in exchange.blocks(id) {
                hops[source.index()][destination.index()][step] = exchange.message(id).moves[0].hops;
            }
        }
        assert_eq!(hops, program, "{name}");
    }
}

#[derive(Deserialize)]
struct RingMessage {
    src: u32,
    dst: u32,
    hops: i32,
    blocks: Vec<(u32, u32)>,
}

/// Figures 1 and 11 of the paper: rings of six and seven.
#[test]
fn figures_1_and_11() {
    let figures: BTreeMap<String, Vec<Vec<RingMessage>>> = data("exchange/fig1_fig11_rings.json");
    for (name, n, algorithm) in [("ring_6", 6, "double-hop"), ("ring_7", 7, "modified-double-hop")] {
        let exchange = Algorithm::named(algorithm).unwrap().plan(&[n]).unwrap();
        assert_eq!(exchange.steps(), figures[name].len());
        for (step, messages) in figures[name].iter().enumerate() {
            assert_eq!(exchange.messages(step).len(), messages.len());
            for (ours, theirs) in exchange.messages(step).zip(messages) {
                assert_eq!((ours.src.0, ours.dst.0, ours.moves[0].hops), (theirs.src, theirs.dst, theirs.hops));
                let blocks: Vec<(u32, u32)> = exchange.blocks(ours.id).iter().map(|(s, d)| (s.0, d.0)).collect();
                assert_eq!(blocks, theirs.blocks);
            }
        }
    }
}

#[derive(Deserialize)]
struct Table1 {
    #[serde(rename = "N")]
    n: usize,
    printed: BTreeMap<String, u64>,
    sm_no_extra: u64,
}

/// Table 1 of the paper: start-ups counted from the schedules as far as they are small, and in closed form for all.
#[test]
fn table_1_counted_from_the_schedules() {
    for row in data::<Vec<Table1>>("exchange/table1.json") {
        let columns = [
            ("naive", row.printed["naive"]),
            ("split-and-merge", row.printed["split_merge"]),
            ("modified-double-hop", row.printed["mdh"]),
            ("split-and-merge-lean", row.sm_no_extra),
        ];
        for (name, startups) in columns {
            let (algorithm, shape) = (Algorithm::named(name).unwrap(), [row.n; 2]);
            assert_eq!(algorithm.critical_path(&shape).unwrap().startups, startups, "{name} {}", row.n);
            if row.n <= 33 {
                assert_eq!(algorithm.plan(&shape).unwrap().steps() as u64, startups, "{name} {}", row.n);
            }
        }
        let tseng = (row.n as u64).next_power_of_two() + 4;
        assert_eq!(tseng, row.printed["tseng"]);
    }
}
