//! A [`Timeline`] as JSON for the visualiser of the chip's makers: transfers with their ways, and how busy links were, step
//! by step.
//!
//! ```json
//! { "common_info": { "version": "1.0.0", "cycles_per_timestep": 128, "arch": "wormhole_b0", .. },
//!   "chips": { "0": [0, 0, 0, 0] },
//!   "noc_transfers": [{ "transfer_id": 0, "noc_event_type": "READ", "total_bytes": 2048, "src": [0, row, column], .. }],
//!   "timestep_data": [{ "start_cycle": 0, "end_cycle": 128, "active_transfers": [0], "avg_demand": 0.1, "avg_util": 0.1,
//!                       "link_demand": [[0, row, column, "NOC_0_EAST", percent], ..], .. }] }
//! ```
//!
//! The format is version 1.0.0 of `timeline_schema_v1.json` in github.com/tenstorrent/tt-npe @1021603. What reads it,
//! github.com/tenstorrent/ttnn-visualizer @d15518f, has other names for some of it. Where both fit beside each other, both are
//! written: `id` beside `transfer_id`, `avg_link_demand` beside `avg_demand`, `avg_link_util` beside `avg_util`. What networks
//! and links are called can be only one of them ([`Names`]).
//!
//! All steps are of the same length, the last too, and nothing is rounded or left out but what is zero: over all steps, the
//! percents of a link come to its flits, those of requests and acknowledgements too, which no route shows. In a step they may
//! come to more than 100, as in the makers' estimates: where several messages have a link at once, each counts as evenly spread. It is written step by step, and takes memory for a number for each link and each of
//! its uses.

mod steps;
#[cfg(test)]
mod tests;

use crate::cancel::Pace;
use crate::kind::timeline::{Direction, LinkUse, Tile, Timeline, Transfer};
use serde::ser::SerializeMap;
use serde::{Serialize, Serializer};
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::io::Write;
use steps::{Busy, Load, Step, Steps};

/// What networks and links are called.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Names {
    /// As in the published schema: `NOC_0`, `NOC_0_EAST`.
    Schema,
    /// As in the visualiser and in what the makers' own estimates write: `NOC0`, `NOC0_EAST`.
    Visualiser,
}

impl Names {
    fn network(self, network: u8) -> &'static str {
        match (self, network) {
            (Self::Schema, 0) => "NOC_0",
            (Self::Schema, _) => "NOC_1",
            (Self::Visualiser, 0) => "NOC0",
            (Self::Visualiser, _) => "NOC1",
        }
    }

    fn link(self, direction: Direction) -> &'static str {
        match (self, direction) {
            (Self::Schema, Direction::East) => "NOC_0_EAST",
            (Self::Schema, Direction::South) => "NOC_0_SOUTH",
            (Self::Schema, Direction::North) => "NOC_1_NORTH",
            (Self::Schema, Direction::West) => "NOC_1_WEST",
            (Self::Visualiser, Direction::East) => "NOC0_EAST",
            (Self::Visualiser, Direction::South) => "NOC0_SOUTH",
            (Self::Visualiser, Direction::North) => "NOC1_NORTH",
            (Self::Visualiser, Direction::West) => "NOC1_WEST",
        }
    }
}

/// The version of the schema.
const VERSION: &str = "1.0.0";

/// The number of the only chip.
const CHIP: u16 = 0;

/// Writes `timeline` as one line of JSON.
///
/// # Errors
/// If it cannot be written.
///
/// # Panics
/// If steps have no length, or a link begins at a tile that the chip does not have.
pub fn write_npe(mut out: impl Write, timeline: &Timeline, names: Names) -> serde_json::Result<()> {
    let npe = Npe { timeline, names };
    let mut json = serde_json::Serializer::new(&mut out);
    let mut map = json.serialize_map(None)?;
    map.serialize_entry("common_info", &npe.info())?;
    map.serialize_entry("chips", &BTreeMap::from([(CHIP.to_string(), [0; 4])]))?;
    map.serialize_entry("noc_transfers", &InTurn::new(npe.transfers()))?;
    map.serialize_entry("timestep_data", &InTurn::new(Steps::new(timeline).map(|step| npe.step(&step))))?;
    map.end()?;
    out.write_all(b"\n").map_err(serde_json::Error::io)
}

/// What an iterator gives, written while it gives it.
struct InTurn<I>(RefCell<I>);

impl<I> InTurn<I> {
    fn new(all: I) -> Self {
        Self(RefCell::new(all))
    }
}

impl<I: Iterator<Item: Serialize>> Serialize for InTurn<I> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(&mut *self.0.borrow_mut())
    }
}

/// Rows stand before columns.
type Place = [u16; 3];

/// The chip, a row, a column, which link.
type Link = (u16, u16, u16, &'static str);

/// The same, and which per cent of the time a flit crossed it.
type Demand = (u16, u16, u16, &'static str, f64);

#[derive(Serialize)]
struct CommonInfo<'a> {
    version: &'static str,
    mesh_device: &'a str,
    device_name: &'a str,
    arch: &'a str,
    cycles_per_timestep: u64,
    congestion_model_name: &'static str,
    num_rows: u16,
    num_cols: u16,
    link_util: f64,
    link_demand: f64,
    max_link_demand: f64,
    noc: BTreeMap<&'static str, OfNetwork>,
}

/// How busy the links of a network were, in per cent.
#[derive(Serialize)]
struct OfNetwork {
    avg_link_demand: f64,
    avg_link_util: f64,
    max_link_demand: f64,
}

#[derive(Serialize)]
struct TransferJson<'a> {
    transfer_id: usize,
    id: usize,
    noc_event_type: &'a str,
    total_bytes: u64,
    src: Place,
    dst: Vec<Place>,
    start_cycle: u64,
    end_cycle: u64,
    route: [Route; 1],
}

/// The part of a way that lies on one chip.
#[derive(Serialize)]
struct Route {
    device_id: u16,
    src: Place,
    dst: Vec<Place>,
    noc_type: &'static str,
    injection_rate: f64,
    start_cycle: u64,
    end_cycle: u64,
    links: Vec<Link>,
}

#[derive(Serialize)]
struct StepJson {
    start_cycle: u64,
    end_cycle: u64,
    active_transfers: Vec<usize>,
    avg_demand: f64,
    avg_util: f64,
    avg_link_demand: f64,
    avg_link_util: f64,
    noc: BTreeMap<&'static str, OfNetwork>,
    link_demand: Vec<Demand>,
}

/// A timeline in the terms of the format.
#[derive(Clone, Copy)]
struct Npe<'a> {
    timeline: &'a Timeline,
    names: Names,
}

impl<'a> Npe<'a> {
    fn info(self) -> CommonInfo<'a> {
        let Timeline { arch, shape: [columns, rows], cycles_per_step, .. } = self.timeline;
        let mut all = Busy::default();
        let mut networks = [Busy::default(); 2];
        for step in Steps::new(self.timeline) {
            let of_networks = step.networks(self.timeline);
            all.add(Busy::both(of_networks));
            networks.iter_mut().zip(of_networks).for_each(|(sum, busy)| sum.add(busy));
        }
        let all = all.mean();
        CommonInfo {
            version: VERSION,
            mesh_device: arch,
            device_name: arch,
            arch,
            cycles_per_timestep: *cycles_per_step,
            congestion_model_name: "flitwise",
            num_rows: *rows,
            num_cols: *columns,
            link_util: all.util,
            link_demand: all.demand,
            max_link_demand: all.most,
            noc: self.noc(networks.map(Busy::mean)),
        }
    }

    fn noc(self, networks: [Busy; 2]) -> BTreeMap<&'static str, OfNetwork> {
        let of_network = |busy: Busy| OfNetwork {
            avg_link_demand: busy.demand,
            avg_link_util: busy.util,
            max_link_demand: busy.most,
        };
        [0, 1].into_iter().map(|network| self.names.network(network)).zip(networks.map(of_network)).collect()
    }

    fn transfers(self) -> impl Iterator<Item = TransferJson<'a>> {
        let mut pace = Pace::default();
        self.timeline.transfers.iter().enumerate().map(move |(id, transfer)| {
            pace.step();
            self.transfer(id, transfer)
        })
    }

    fn transfer(self, id: usize, transfer: &'a Transfer) -> TransferJson<'a> {
        let dst: Vec<Place> = transfer.dst.iter().copied().map(place).collect();
        let route = Route {
            device_id: CHIP,
            src: place(transfer.src),
            dst: dst.clone(),
            noc_type: self.names.network(transfer.network),
            injection_rate: transfer.injection_rate,
            start_cycle: transfer.start,
            end_cycle: transfer.end,
            links: self.way(&transfer.links),
        };
        TransferJson {
            transfer_id: id,
            id,
            noc_event_type: &transfer.kind,
            total_bytes: transfer.bytes,
            src: place(transfer.src),
            dst,
            start_cycle: transfer.start,
            end_cycle: transfer.end,
            route: [route],
        }
    }

    /// The links of a way, each once.
    fn way(self, uses: &[LinkUse]) -> Vec<Link> {
        let mut way = Vec::new();
        for &LinkUse { x, y, direction, .. } in uses {
            let link = (CHIP, y, x, self.names.link(direction));
            // a way has few links, and the packets of a transfer take the same
            if !way.contains(&link) {
                way.push(link);
            }
        }
        way
    }

    fn step(self, step: &Step) -> StepJson {
        let networks = step.networks(self.timeline);
        let Busy { demand, util, .. } = Busy::both(networks);
        let demands = step
            .links
            .iter()
            .map(|&Load { tile: Tile { x, y }, direction, percent }| (CHIP, y, x, self.names.link(direction), percent));
        StepJson {
            start_cycle: step.start,
            end_cycle: step.end,
            active_transfers: step.active.clone(),
            avg_demand: demand,
            avg_util: util,
            avg_link_demand: demand,
            avg_link_util: util,
            noc: self.noc(networks),
            link_demand: demands.collect(),
        }
    }
}

fn place(Tile { x, y }: Tile) -> Place {
    [CHIP, y, x]
}
