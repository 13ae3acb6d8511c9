//! The keys of `[device]`, and how a chip is read.

use super::preset::{PRESETS, Preset, Rectangle, placed};
use super::{Constants, Device, EndCosts, Tile, VcCosts};
use crate::config::{Diagnostic, Reader};
use crate::engine::router::MOST_CROSSED;
use crate::network::Axes;
use crate::units::{Key, narrow};

const LONGEST: u64 = 1 << 16;

/// A time of a chip.
const fn cycles(name: &'static str) -> Key {
    Key::integer(name, 0..=LONGEST).unit("cycles")
}

/// A time in which a flit is under way.
const fn way(name: &'static str) -> Key {
    Key::integer(name, 1..=LONGEST).unit("cycles")
}

const LIKE: Key = Key::word("preset", |at| PRESETS.get(at).map(|preset| preset.name))
    .aliases(&["like"])
    .or_else("the device of the workload, or wormhole-b0")
    .says("chip with the default values of all other keys");
const WORKERS: Key = Key::rows("workers", 4)
    .or_else("as on the chip; all routers if the network has another shape")
    .says("rectangles of cores, each as two corners [x, y, x, y]");
const DRAM: Key = Key::rows("dram", 2).or_else("as on the chip").says("ports of large memories, each as [x, y]");
const FLIT_BYTES: Key =
    Key::integer("flit_bytes", 1..=1 << 20).or_else("32 (wormhole-b0)").unit("bytes").says("payload of a flit");
const PACKET_FLITS: Key = Key::integer("packet_flits", 1..=1 << 20)
    .or_else("256 (wormhole-b0)")
    .says("length of the longest packet without its head flit; longer transfers are split into several packets");
const HOP: Key = way("hop")
    .or_else("9 (wormhole-b0)")
    .says("time from the start of a flit on a link until it can start on the next link");
const INJECT: Key = way("inject").or_else("5 (wormhole-b0)").says("time from a network interface to its router");
const EJECT: Key = way("eject").or_else("5 (wormhole-b0)").says("time from a router to its network interface");
const REQUEST: VcKeys = VcKeys {
    buddies: buddies("request_buddies")
        .or_else("1 (wormhole-b0)")
        .says("number of virtual channels of a link for requests, in each of the two dateline classes"),
    buffer: places("request_buffer")
        .or_else("12 (wormhole-b0)")
        .says("buffer size of a virtual channel for requests, including flits in flight"),
};
const REPLY: VcKeys = VcKeys {
    buddies: buddies("reply_buddies")
        .or_else("2 (wormhole-b0)")
        .says("number of virtual channels of a link for replies, in each of the two dateline classes"),
    buffer: places("reply_buffer")
        .or_else("20 (wormhole-b0)")
        .says("buffer size of a virtual channel for replies, including flits in flight"),
};
const MULTICAST: VcKeys = VcKeys {
    buddies: buddies("multicast_buddies")
        .or_else("1 (wormhole-b0)")
        .says("number of virtual channels of a link for multicasts, in each of the two dateline classes"),
    buffer: places("multicast_buffer")
        .or_else("20 (wormhole-b0)")
        .says("buffer size of a virtual channel for multicasts, including flits in flight"),
};
const WORKER: EndKeys = EndKeys {
    memory: cycles("worker_memory")
        .or_else("60 (wormhole-b0)")
        .says("at a core: time from the arrival of a request until its reply can leave"),
    rate: rate("worker_rate")
        .or_else("0.92 (wormhole-b0)")
        .says("at a core: injection rate of replies, rounded to thousandths"),
    requests: requests("worker_requests")
        .or_else("1 (wormhole-b0)")
        .says("maximum number of requests without a started reply at the network interface of a core"),
};
const OF_DRAM: EndKeys = EndKeys {
    memory: cycles("dram_memory")
        .or_else("160 (wormhole-b0)")
        .says("at a port of a large memory: time from the arrival of a request until its reply can leave"),
    rate: rate("dram_rate")
        .or_else("0.85 (wormhole-b0)")
        .says("at a port of a large memory: injection rate of replies, rounded to thousandths"),
    requests: requests("dram_requests").or_else("4 (wormhole-b0)").says(
        "maximum number of requests without a started reply at the network interface of a port of a large memory",
    ),
};
const DRAM_BYTES: Key = Key::integer("dram_bytes_per_cycle", 1..=1 << 20)
    .or_else("24 (wormhole-b0)")
    .says("bandwidth of a port of a large memory, which limits the rate at which replies start");
const ISSUE: Key =
    cycles("issue").or_else("10 (wormhole-b0)").says("time from the issue of a read until its request can leave");
const WAKE: Key = cycles("wake")
    .or_else("40 (wormhole-b0)")
    .says("time from the last flit that a barrier waits for until the barrier ends");
const BARRIER: Key = cycles("barrier").or_else("79 (wormhole-b0)").says("minimum duration of a barrier");

const fn buddies(name: &'static str) -> Key {
    Key::integer(name, 1..=16)
}

const fn places(name: &'static str) -> Key {
    Key::integer(name, 1..=1 << 15).unit("flits")
}

const fn rate(name: &'static str) -> Key {
    Key::number(name, 0.001..=1.0).unit("flits per cycle")
}

const fn requests(name: &'static str) -> Key {
    Key::integer(name, 1..=1 << 16)
}

struct VcKeys {
    buddies: Key,
    buffer: Key,
}

struct EndKeys {
    memory: Key,
    rate: Key,
    requests: Key,
}

/// The keys of `[device]`.
pub(crate) const KEYS: &[Key] = &[
    LIKE,
    WORKERS,
    DRAM,
    FLIT_BYTES,
    PACKET_FLITS,
    HOP,
    INJECT,
    EJECT,
    REQUEST.buddies,
    REQUEST.buffer,
    REPLY.buddies,
    REPLY.buffer,
    MULTICAST.buddies,
    MULTICAST.buffer,
    WORKER.memory,
    WORKER.rate,
    WORKER.requests,
    OF_DRAM.memory,
    OF_DRAM.rate,
    OF_DRAM.requests,
    DRAM_BYTES,
    ISSUE,
    WAKE,
    BARRIER,
];

/// The chip of a scenario whose routers stand along `axes`; that which is `named` elsewhere, unless `[device]` says another. What
/// is wrong has been reported, and gives none.
pub(crate) fn read(root: &Reader<'_>, axes: &Axes, named: Option<&str>) -> Option<Device> {
    let preset_of = |name: &str| PRESETS.iter().find(|preset| preset.name == name);
    let named = named.and_then(preset_of).unwrap_or(&PRESETS[0]);
    let Some(table) = root.table("device") else {
        let device =
            Device { like: named.name, rows: rows(axes), tiles: named.tiles(&axes.shape), constants: named.constants };
        return device.checked(root, axes);
    };
    let errors = table.error_count();
    let preset = table.word(&LIKE).and_then(preset_of).unwrap_or(named);
    let constants = constants(&table, &preset.constants);
    let tiles = tiles(&table, preset, &axes.shape);
    table.finish();
    let device = Device { like: preset.name, rows: rows(axes), tiles, constants };
    if table.error_count() > errors { None } else { device.checked(root, axes) }
}

/// Routers along the last dimension.
fn rows(axes: &Axes) -> u32 {
    axes.shape.last().map_or(1, |&rows| narrow(rows, "routers are numbered with 32 bits"))
}

fn constants(table: &Reader<'_>, own: &Constants) -> Constants {
    let integer = |key: &Key, own: u64| table.optional_integer(key).unwrap_or(own);
    let small = |key: &Key, own: u32| narrow(integer(key, own.into()), "the ranges of keys end below 2^32");
    let vcs = |keys: &VcKeys, own: VcCosts| VcCosts {
        buddies: narrow(integer(&keys.buddies, own.buddies.into()), "there are few buddies"),
        buffer: small(&keys.buffer, own.buffer),
    };
    let end = |keys: &EndKeys, own: EndCosts| EndCosts {
        memory: integer(&keys.memory, own.memory),
        rate: table.optional_number(&keys.rate).map_or(own.rate, thousandths),
        requests: small(&keys.requests, own.requests),
    };
    Constants {
        flit_bytes: integer(&FLIT_BYTES, own.flit_bytes),
        packet_flits: integer(&PACKET_FLITS, own.packet_flits),
        hop: integer(&HOP, own.hop),
        inject: integer(&INJECT, own.inject),
        eject: integer(&EJECT, own.eject),
        request: vcs(&REQUEST, own.request),
        reply: vcs(&REPLY, own.reply),
        multicast: vcs(&MULTICAST, own.multicast),
        worker: end(&WORKER, own.worker),
        dram: end(&OF_DRAM, own.dram),
        dram_bytes_per_cycle: integer(&DRAM_BYTES, own.dram_bytes_per_cycle),
        issue: integer(&ISSUE, own.issue),
        wake: integer(&WAKE, own.wake),
        barrier: integer(&BARRIER, own.barrier),
    }
}

#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a rate is from 0.001 to 1")]
fn thousandths(rate: f64) -> u32 {
    (rate * 1000.0).round() as u32
}

/// What stands where: what the table says, or else the chip.
fn tiles(table: &Reader<'_>, preset: &Preset, shape: &[u64]) -> Vec<Tile> {
    if !table.gives(&WORKERS) && !table.gives(&DRAM) {
        return preset.tiles(shape);
    }
    let Ok([width, height]) = <[u64; 2]>::try_from(shape) else {
        let message = "`workers` and `dram` need a chip with two dimensions";
        table.error(Diagnostic::at(table.place(), message));
        return Vec::new();
    };
    let inside = |row: &[u64], place| {
        let is_inside = row.chunks(2).all(|at| at[0] < width && at[1] < height);
        if !is_inside {
            let message = format!("{row:?} is not on a chip of {width}x{height} routers");
            let note = format!("accepted: x from 0 to {}, y from 0 to {}", width - 1, height - 1);
            table.error(Diagnostic::at(place, message).note(note));
        }
        is_inside
    };
    let rows = |key: &Key| {
        let rows = table.rows(key).unwrap_or_default();
        rows.into_iter().filter(|(row, place)| inside(row, (*place).clone())).map(|(row, _)| row).collect::<Vec<_>>()
    };
    let everywhere = vec![0, 0, width - 1, height - 1];
    let workers = if table.gives(&WORKERS) { rows(&WORKERS) } else { vec![everywhere] };
    let workers: Vec<Rectangle> = workers.iter().map(|row| std::array::from_fn(|at| row[at])).collect();
    let dram: Vec<[u64; 2]> = rows(&DRAM).iter().map(|row| std::array::from_fn(|at| row[at])).collect();
    placed([width, height], &workers, &dram)
}

impl Device {
    /// The same, if its routers have few enough virtual channels; else that has been reported.
    fn checked(self, root: &Reader<'_>, axes: &Axes) -> Option<Self> {
        let ports = axes.shape.len() as u64 + 2;
        let vcs = u64::from(self.virtual_channels());
        if (ports * vcs.next_power_of_two()).next_power_of_two() <= MOST_CROSSED.into() {
            return Some(self);
        }
        let message = format!("routers with {ports} ports of {vcs} virtual channels are too large for a device");
        let note = format!(
            "accepted: at most {MOST_CROSSED} virtual channels per router, with both numbers rounded up to powers of two"
        );
        root.error(Diagnostic::at(root.place_within(&["device"]), message).note(note));
        None
    }
}
