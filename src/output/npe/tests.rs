//! A small timeline, written and read back.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use super::{Names, write_npe};
use crate::kind::timeline::{Direction, LinkUse, Tile, Timeline, Transfer};
use proptest::prelude::*;
use serde_json::Value;
use std::collections::BTreeMap;

fn written(timeline: &Timeline, names: Names) -> String {
    let mut bytes = Vec::new();
    write_npe(&mut bytes, timeline, names).unwrap();
    String::from_utf8(bytes).unwrap()
}

fn json(timeline: &Timeline) -> Value {
    serde_json::from_str(&written(timeline, Names::Schema)).unwrap()
}

fn tile(x: u16, y: u16) -> Tile {
    Tile { x, y }
}

fn crossed(at: Tile, direction: Direction, flits: u64, from: u64, until: u64) -> LinkUse {
    LinkUse { x: at.x, y: at.y, direction, flits, from, until }
}

fn chip(shape: [u16; 2], cycles_per_step: u64, transfers: Vec<Transfer>) -> Timeline {
    Timeline { arch: "wormhole_b0".to_owned(), shape, cycles_per_step, transfers }
}

fn read(bytes: u64, [src, dst]: [Tile; 2], [start, end]: [u64; 2], network: u8, links: Vec<LinkUse>) -> Transfer {
    let kind = "READ".to_owned();
    Transfer {
        kind,
        bytes,
        src,
        dst: vec![dst],
        start,
        end,
        network,
        injection_rate: 29.44,
        links,
        overhead: Vec::new(),
    }
}

/// Two turns on network 0, asked for over a link that the data do not cross; two packets around both edges on network 1, which share a link with no other; and data that stays.
fn three() -> Timeline {
    let there = [
        crossed(tile(8, 1), Direction::East, 7, 15, 22),
        crossed(tile(9, 1), Direction::East, 7, 24, 40),
        crossed(tile(0, 1), Direction::South, 7, 33, 46),
    ];
    let packet = |from: u64| {
        let places = [(tile(0, 0), Direction::North), (tile(0, 11), Direction::West), (tile(9, 11), Direction::West)];
        let hop = move |(at, (place, direction)): (u64, (Tile, Direction))| {
            crossed(place, direction, 257, from + 9 * at, from + 9 * at + 280)
        };
        (0_u64..).zip(places).map(hop)
    };
    let asked = vec![crossed(tile(0, 2), Direction::South, 1, 8, 9)];
    chip(
        [10, 12],
        32,
        vec![
            Transfer { overhead: asked, ..read(192, [tile(8, 1), tile(0, 2)], [5, 60], 0, there.to_vec()) },
            read(16_384, [tile(0, 0), tile(8, 11)], [64, 700], 1, packet(100).chain(packet(385)).collect()),
            read(4096, [tile(3, 3), tile(3, 3)], [96, 96], 0, Vec::new()),
        ],
    )
}

/// The flits of each link, from the percents of all steps.
fn told(json: &Value) -> BTreeMap<String, f64> {
    let mut flits = BTreeMap::new();
    for step in json["timestep_data"].as_array().unwrap() {
        let cycles = step["end_cycle"].as_f64().unwrap() - step["start_cycle"].as_f64().unwrap();
        for link in step["link_demand"].as_array().unwrap() {
            let name = format!("{} {} {} {}", link[0], link[1], link[2], link[3].as_str().unwrap());
            *flits.entry(name).or_insert(0.0) += link[4].as_f64().unwrap() * cycles / 100.0;
        }
    }
    flits
}

/// The same, from what was given.
fn given(timeline: &Timeline) -> BTreeMap<String, f64> {
    let mut flits = BTreeMap::new();
    for crossed in timeline.transfers.iter().flat_map(Transfer::uses).filter(|crossed| crossed.flits > 0) {
        let link = Names::Schema.link(crossed.direction);
        let name = format!("0 {} {} {link}", crossed.y, crossed.x);
        *flits.entry(name).or_insert(0.0) += f64::from(u32::try_from(crossed.flits).unwrap());
    }
    flits
}

fn agree(timeline: &Timeline, json: &Value) {
    let told = told(json);
    let given = given(timeline);
    assert_eq!(told.keys().collect::<Vec<_>>(), given.keys().collect::<Vec<_>>());
    for (link, flits) in given {
        assert!((told[&link] - flits).abs() < 1e-6, "{link}: {} for {flits}", told[&link]);
    }
}

#[test]
fn percents_of_all_steps_come_to_the_flits_of_each_link() {
    let timeline = three();
    let json = json(&timeline);
    agree(&timeline, &json);
    let steps = json["timestep_data"].as_array().unwrap();
    assert_eq!(steps.len(), 22);
    for (at, step) in (0_u64..).zip(steps) {
        assert_eq!((&step["start_cycle"], &step["end_cycle"]), (&(32 * at).into(), &(32 * at + 32).into()));
    }
    // all flits of the first link, half of those of the second, none of the third; and that which asked
    assert_eq!(
        steps[0]["link_demand"],
        serde_json::json!([
            [0, 1, 8, "NOC_0_EAST", 21.875],
            [0, 1, 9, "NOC_0_EAST", 10.9375],
            [0, 2, 0, "NOC_0_SOUTH", 3.125]
        ])
    );
}

#[test]
fn transfers_are_those_that_were_given() {
    let json = json(&three());
    let transfers = json["noc_transfers"].as_array().unwrap();
    assert_eq!(transfers.iter().map(|transfer| transfer["total_bytes"].as_u64().unwrap()).sum::<u64>(), 20_672);
    let ways: Vec<&Value> = transfers.iter().map(|transfer| &transfer["route"][0]["links"]).collect();
    assert_eq!(
        *ways[0],
        serde_json::json!([[0, 1, 8, "NOC_0_EAST"], [0, 1, 9, "NOC_0_EAST"], [0, 1, 0, "NOC_0_SOUTH"]])
    );
    assert_eq!(
        *ways[1],
        serde_json::json!([[0, 0, 0, "NOC_1_NORTH"], [0, 11, 0, "NOC_1_WEST"], [0, 11, 9, "NOC_1_WEST"]])
    );
    assert_eq!(*ways[2], serde_json::json!([]));
    assert_eq!(
        (&transfers[1]["src"], &transfers[1]["dst"]),
        (&serde_json::json!([0, 0, 0]), &serde_json::json!([[0, 11, 8]]))
    );
    let active = |id: usize| {
        let is_active = |step: &&Value| step["active_transfers"].as_array().unwrap().contains(&id.into());
        json["timestep_data"]
            .as_array()
            .unwrap()
            .iter()
            .filter(is_active)
            .map(|step| step["start_cycle"].as_u64().unwrap() / 32)
            .collect::<Vec<_>>()
    };
    assert_eq!([active(0), active(1), active(2)], [vec![0, 1], (2..22).collect(), vec![3]]);
}

/// Of the four links of a chip of one tile, one is busy for half of all time, in one of two steps.
#[test]
fn a_small_timeline_is_written_so() {
    let there = vec![crossed(tile(0, 0), Direction::East, 8, 8, 16)];
    let timeline = chip([1, 1], 8, vec![read(256, [tile(0, 0), tile(0, 0)], [1, 16], 0, there)]);
    let busy = |demand: &str, most: &str| {
        let idle = "{\"avg_link_demand\":0.0,\"avg_link_util\":0.0,\"max_link_demand\":0.0}";
        format!(
            "\"noc\":{{\"NOC_0\":{{\"avg_link_demand\":{demand},\"avg_link_util\":{demand},\"max_link_demand\":{most}}},\
             \"NOC_1\":{idle}}}"
        )
    };
    let expected = [
        "{\"common_info\":{\"version\":\"1.0.0\",\"mesh_device\":\"wormhole_b0\",\"device_name\":\"wormhole_b0\",",
        "\"arch\":\"wormhole_b0\",\"cycles_per_timestep\":8,\"congestion_model_name\":\"flitwise\",\"num_rows\":1,",
        "\"num_cols\":1,\"link_util\":12.5,\"link_demand\":12.5,\"max_link_demand\":100.0,",
        &busy("25.0", "100.0"),
        "},\"chips\":{\"0\":[0,0,0,0]},\"noc_transfers\":[{\"transfer_id\":0,\"id\":0,\"noc_event_type\":\"READ\",",
        "\"total_bytes\":256,\"src\":[0,0,0],\"dst\":[[0,0,0]],\"start_cycle\":1,\"end_cycle\":16,\"route\":[{",
        "\"device_id\":0,\"src\":[0,0,0],\"dst\":[[0,0,0]],\"noc_type\":\"NOC_0\",\"injection_rate\":29.44,",
        "\"start_cycle\":1,\"end_cycle\":16,\"links\":[[0,0,0,\"NOC_0_EAST\"]]}]}],\"timestep_data\":[",
        "{\"start_cycle\":0,\"end_cycle\":8,\"active_transfers\":[0],\"avg_demand\":0.0,\"avg_util\":0.0,",
        "\"avg_link_demand\":0.0,\"avg_link_util\":0.0,",
        &busy("0.0", "0.0"),
        ",\"link_demand\":[]},{\"start_cycle\":8,\"end_cycle\":16,\"active_transfers\":[0],\"avg_demand\":25.0,",
        "\"avg_util\":25.0,\"avg_link_demand\":25.0,\"avg_link_util\":25.0,",
        &busy("50.0", "100.0"),
        ",\"link_demand\":[[0,0,0,\"NOC_0_EAST\",100.0]]}]}\n",
    ];
    assert_eq!(written(&timeline, Names::Schema), expected.concat());
    let visualised = expected.concat().replace("NOC_", "NOC");
    assert_eq!(written(&timeline, Names::Visualiser), visualised);
}

#[test]
fn where_nothing_moved_there_is_no_step() {
    let json = json(&chip([10, 12], 128, Vec::new()));
    assert_eq!((&json["noc_transfers"], &json["timestep_data"]), (&serde_json::json!([]), &serde_json::json!([])));
    assert_eq!(json["common_info"]["link_demand"], 0.0);
}

prop_compose! {
    fn any_use()(x in 0_u16..3, y in 0_u16..2, way in 0_usize..4, flits in 0_u64..400, from in 0_u64..500, cycles in 0_u64..300) -> LinkUse {
        crossed(tile(x, y), Direction::ALL[way], flits, from, from + cycles)
    }
}

proptest! {
    #[test]
    fn no_flit_is_lost(links in prop::collection::vec(any_use(), 0..40), cycles_per_step in 1_u64..200) {
        let timeline = chip([3, 2], cycles_per_step, vec![read(1, [tile(0, 0), tile(1, 1)], [3, 9], 0, links)]);
        agree(&timeline, &json(&timeline));
    }
}
