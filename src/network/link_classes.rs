//! `[links.*]`: width, clock, latency, buffer, length and energy of classes of links.
//!
//! A class without a crossing of clocks is another flit time and delay. Independent of the networks whose links have classes.

use super::NetworkSpec;
use super::costs::{LONGEST_DELAY, LONGEST_FLIT_TIME};
use crate::config::{Diagnostic, Place, Reader, listed};
use crate::topology::{GroupCosts, LinkClock, LinkCost};
use crate::units::{Key, Ticks};
use serde::ser::SerializeMap;
use serde::{Serialize, Serializer};
use std::collections::BTreeMap;
use std::num::NonZeroU32;

/// The largest period of a clock, in ticks.
const LONGEST_PERIOD: u64 = u32::MAX as u64;

/// Most cycles of an end of a link.
const MOST_CYCLES: u64 = 1 << 16;

/// The longest link, in mm.
const LONGEST_LINK_MM: f64 = 1e6;

const WIDTH: Key = Key::integer("width", 1..=1 << 16).or_else("`channel.flit_bits`").unit("bits").says(
    "number of bits that the link takes in a cycle of its clock; sets its flit time to a cycle for each part of a flit",
);
const PERIOD: Key = Key::integer("period", 1..=u64::MAX)
    .or_else("`channel.flit_time`")
    .unit("ticks")
    .says("cycle of the clock of the link; one that differs from `channel.flit_time` makes flits cross clocks");
const LATENCY: Key = Key::integer("latency", 0..=LONGEST_DELAY)
    .or_else("0")
    .unit("link cycles")
    .says("cycles of the link after the first one, added to the delay of the network");
const SERDES: Key = Key::integer("serdes", 0..=MOST_CYCLES)
    .or_else("1 if `width` is less than `channel.flit_bits`, else 0")
    .unit("cycles of each clock")
    .says("time for serialisation at each end of the link");
const CDC: Key = Key::integer("cdc", 0..=MOST_CYCLES)
    .or_else("1 if `period` differs from `channel.flit_time`, else no crossing")
    .unit("cycles of each clock")
    .says("time to cross clocks at each end of the link; makes flits cross clocks even if the periods are equal");
const BUFFER: Key = Key::integer("buffer", 1..=u32::MAX as u64)
    .or_else("`channel.buffer`")
    .unit("flits")
    .says("capacity of the buffer at the end of the link, for each virtual channel");
const LENGTH: Key = Key::number("length", 0.0..=LONGEST_LINK_MM)
    .or_else("`energy.link_mm`")
    .unit("mm")
    .says("length of the link, with up to three decimals");
const ENERGY: Key = Key::text("energy")
    .or_else("`energy.link`")
    .says("energy of a flit on the link, such as \"0.25pJ/bit\", or a name from `flitwise list energy`");
const NODE_BUFFER: Key = Key::integer("buffer", 1..=u32::MAX as u64)
    .or_else("`channel.buffer`")
    .unit("flits")
    .says("capacity of the buffer at the end of an injection channel");

/// The keys of a class.
const CLASS: &[Key] = &[WIDTH, PERIOD, LATENCY, SERDES, CDC, BUFFER, LENGTH, ENERGY];

fn class_keys() -> &'static [Key] {
    CLASS
}

/// The table of all links between routers.
const ALL: &str = "all";

/// The table of injection channels.
const NODE: &str = "node";

/// The tables of `[links]`.
pub(crate) const KEYS: &[Key] = &[
    Key::table(ALL, CLASS).says("all links between routers; the table of their class takes precedence"),
    Key::table(NODE, &[NODE_BUFFER]).says("injection channels"),
    Key::named(class_keys).says("class of links, such as `dim0`, `gap1`, `global` or a class of a graph file"),
];

/// The values of `[links.NAME]` as they are written.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct LinkClass {
    /// Bits in a cycle of the link.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub width: Option<u64>,
    /// Ticks of a cycle of the link.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub period: Option<u64>,
    /// Cycles of the link after the first.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub latency: Option<u64>,
    /// Cycles of serialisation at each end.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub serdes: Option<u64>,
    /// Cycles of crossing at each end.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cdc: Option<u64>,
    /// Flits of the buffer behind the link.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub buffer: Option<NonZeroU32>,
    /// Length in micrometres.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub length_um: Option<u64>,
    /// The energy of a flit, as it is written.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub energy: Option<String>,
}

impl LinkClass {
    /// Reads the table of a class. Errors have been reported.
    fn read(table: &Reader<'_>) -> Self {
        let class = Self {
            width: table.optional_integer(&WIDTH),
            period: period(table),
            latency: table.optional_integer(&LATENCY),
            serdes: table.optional_integer(&SERDES),
            cdc: table.optional_integer(&CDC),
            buffer: buffer(table, &BUFFER),
            length_um: length(table),
            energy: table.string(&ENERGY).map(|(text, _)| text.to_owned()),
        };
        table.finish();
        class
    }

    /// The values of this class, and those of `other` where it has none.
    fn or(self, other: &Self) -> Self {
        Self {
            width: self.width.or(other.width),
            period: self.period.or(other.period),
            latency: self.latency.or(other.latency),
            serdes: self.serdes.or(other.serdes),
            cdc: self.cdc.or(other.cdc),
            buffer: self.buffer.or(other.buffer),
            length_um: self.length_um.or(other.length_um),
            energy: self.energy.or_else(|| other.energy.clone()),
        }
    }
}

/// Reads the period of a clock. Larger ones than clocks can have are reported.
fn period(table: &Reader<'_>) -> Option<u64> {
    let period = table.optional_integer(&PERIOD)?;
    if period > LONGEST_PERIOD {
        let message = format!("`{}` is {period} ticks, which is out of range", table.path_of(PERIOD.name));
        let diagnostic = Diagnostic::at(table.place_of(PERIOD.name), message);
        table.error(diagnostic.note(format!("accepted: an integer from 1 to {LONGEST_PERIOD}")));
    }
    Some(period.min(LONGEST_PERIOD))
}

/// Reads a number of flits.
fn buffer(table: &Reader<'_>, key: &Key) -> Option<NonZeroU32> {
    table.optional_integer(key).and_then(|flits| u32::try_from(flits).ok()).and_then(NonZeroU32::new)
}

/// Reads a length, in micrometres. More than three decimals are an error.
fn length(table: &Reader<'_>) -> Option<u64> {
    // the shortest text of a number has the decimals that are written
    let written = table.optional_number(&LENGTH)?.to_string();
    let (whole, decimals) = written.split_once('.').unwrap_or((&written, ""));
    if decimals.len() > 3 {
        let message = format!("`{}` has more than three decimals", table.path_of(LENGTH.name));
        table.error(
            Diagnostic::at(table.place_of(LENGTH.name), message).note("accepted: whole micrometres, such as 2.125"),
        );
        return None;
    }
    format!("{whole}{decimals:0<3}").parse().ok()
}

/// All tables `[links.*]` of a scenario.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LinkClasses {
    /// Bits of a flit, if they are known.
    pub flit_bits: Option<u64>,
    /// Ticks of a cycle of the routers.
    cycle: u64,
    /// The tables by name.
    tables: BTreeMap<String, LinkClass>,
    /// Flits of the buffers behind injection channels.
    node_buffer: Option<NonZeroU32>,
}

/// The tables by name.
impl Serialize for LinkClasses {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        for (name, class) in &self.tables {
            map.serialize_entry(name, class)?;
        }
        if let Some(buffer) = self.node_buffer {
            map.serialize_entry(NODE, &BTreeMap::from([("buffer", buffer)]))?;
        }
        map.end()
    }
}

impl LinkClasses {
    /// Reads `[links]` of a scenario with flits of `flit_bits` bits and a cycle of `cycle` ticks. Errors have been reported.
    pub(crate) fn read(root: &Reader<'_>, flit_bits: Option<u64>, cycle: u64) -> Self {
        let mut classes = Self { flit_bits, cycle, ..Self::default() };
        let Some(links) = root.table("links") else { return classes };
        if !root.has("network") {
            let message = "`links` has no effect without a table [network.*]";
            links.error(Diagnostic::at(links.place(), message));
        }
        for name in links.keys() {
            let Some(table) = links.table(name) else { continue };
            if name == NODE {
                classes.node_buffer = buffer(&table, &NODE_BUFFER);
                table.finish();
                continue;
            }
            classes.tables.insert(name.to_owned(), LinkClass::read(&table));
        }
        links.finish();
        for name in classes.tables.keys() {
            classes.check(root, name);
        }
        classes
    }

    /// Reports values of the class `name` that do not fit each other or the channels.
    fn check(&self, root: &Reader<'_>, name: &str) {
        let location = |key: &str| {
            let table = if root.is_given(&["links", name, key]) { name } else { ALL };
            root.place_within(&["links", table, key])
        };
        let refuse =
            |place: Place, message: String, note: String| root.error(Diagnostic::at(place, message).note(note));
        let class = self.class(name);
        if self.tables[name].width.is_some() && self.flit_bits.is_none() {
            let message = format!("`links.{name}.width` requires `channel.flit_bits`");
            refuse(
                location("width"),
                message,
                "needed: the number of bits of a flit, such as `channel.flit_bits` = 128".to_owned(),
            );
        }
        let period = class.period.unwrap_or(self.cycle);
        let flit_time = self.flit_bits.unwrap_or(1).div_ceil(class.width.unwrap_or(u64::MAX)).saturating_mul(period);
        if flit_time > LONGEST_FLIT_TIME {
            let message = format!("a flit would take {flit_time} ticks on links of the class `{name}`");
            refuse(location("period"), message, format!("accepted: at most {LONGEST_FLIT_TIME} ticks"));
        }
        let delay = class.latency.unwrap_or(0).saturating_mul(period);
        if delay > LONGEST_DELAY {
            let message = format!("the latency of links of the class `{name}` would be {delay} ticks");
            refuse(location("latency"), message, format!("accepted: at most {LONGEST_DELAY} ticks"));
        }
        if self.crosses_clocks(&class) && self.cycle > LONGEST_PERIOD {
            let message =
                format!("links of the class `{name}` cross clocks, but `channel.flit_time` is {} ticks", self.cycle);
            refuse(
                root.place_within(&["channel", "flit_time"]),
                message,
                format!("accepted: at most {LONGEST_PERIOD} ticks"),
            );
        }
    }

    /// Reports tables for which `network` has no links.
    pub(super) fn refuse_unknown(&self, root: &Reader<'_>, network: &dyn NetworkSpec) {
        let Some(links) = network.links().ok().filter(|_| !self.tables.is_empty()) else { return };
        let known = links.classes();
        for name in self.tables.keys().filter(|name| *name != ALL && !known.contains(name)) {
            let message = format!("there is no class of links `{name}` on this network");
            let accepted = || [ALL, NODE].into_iter().chain(known.iter().map(String::as_str));
            let diagnostic = Diagnostic::at(root.place_within(&["links", name]), message);
            root.error(diagnostic.note(format!("accepted: {}", listed(accepted()))).did_you_mean(name, accepted()));
        }
    }

    /// Returns true if the scenario has no such tables.
    pub fn is_empty(&self) -> bool {
        self.tables.is_empty() && self.node_buffer.is_none()
    }

    /// The values for links of the class `name`: those of its own table, and of `[links.all]` where that has none.
    pub fn class(&self, name: &str) -> LinkClass {
        let own_values = self.tables.get(name).cloned().unwrap_or_default();
        self.tables.get(ALL).map_or_else(|| own_values.clone(), |all| own_values.clone().or(all))
    }

    /// The path of the key with the energy of links of the class `name`: in its own table, or that of all links.
    pub(crate) fn path_of_energy<'n>(&self, root: &Reader<'_>, name: &'n str) -> [&'n str; 3] {
        let table = if root.is_given(&["links", name, ENERGY.name]) { name } else { ALL };
        ["links", table, ENERGY.name]
    }

    fn crosses_clocks(&self, class: &LinkClass) -> bool {
        class.cdc.is_some() || class.period.is_some_and(|period| period != self.cycle)
    }

    /// The cost of a link of the class `name` whose cost is `network` by the keys of the network.
    pub fn cost(&self, name: &str, network: LinkCost) -> LinkCost {
        let class = self.class(name);
        let period = class.period.unwrap_or(self.cycle);
        let bits = self.flit_bits.unwrap_or(1);
        let width = class.width.unwrap_or(bits);
        let own_clock = class.width.is_some() || class.period.is_some();
        // longer times have been reported
        let cycles_time = |cycles: u64, most: u64| Ticks(cycles.saturating_mul(period).min(most));
        let flit_time =
            if own_clock { cycles_time(bits.div_ceil(width), LONGEST_FLIT_TIME) } else { network.flit_time };
        let delay = network.delay + cycles_time(class.latency.unwrap_or(0), LONGEST_DELAY);
        let serdes = class.serdes.unwrap_or_else(|| u64::from(width < bits));
        let own_buffer = class.buffer.or(network.own_buffer);
        if !self.crosses_clocks(&class) {
            let delay = delay + Ticks(serdes * (period + self.cycle));
            return LinkCost { flit_time, delay, own_buffer, ..network };
        }
        LinkCost { flit_time, delay, own_buffer, clock: self.clock(period, class.cdc.unwrap_or(1) + serdes) }
    }

    /// The clock of a link whose ends take `stages` cycles.
    fn clock(&self, period: u64, stages: u64) -> Option<LinkClock> {
        // larger periods and cycles have been reported
        let in_32_bits = |number: u64| u32::try_from(number).unwrap_or(u32::MAX);
        let period = NonZeroU32::new(in_32_bits(period))?;
        Some(LinkClock { period, cycle: in_32_bits(self.cycle), stages: in_32_bits(stages) })
    }

    /// The cost of injection and ejection channels of nodes whose cost is `network`.
    pub(super) fn node_cost(&self, network: LinkCost) -> LinkCost {
        LinkCost { own_buffer: self.node_buffer.or(network.own_buffer), ..network }
    }

    /// The costs of `groups` of links, each with the name of its class and its cost by the keys of the network, if these have one.
    pub(super) fn group_costs(&self, groups: impl Iterator<Item = (String, Option<LinkCost>)>) -> GroupCosts {
        let mut has_costs = false;
        let even = LinkCost::without_delay(self.cycle);
        let mut links: Vec<LinkCost> = Vec::new();
        for (class, network) in groups {
            let cost =
                if self.is_empty() { network.unwrap_or(even) } else { self.cost(&class, network.unwrap_or(even)) };
            has_costs |= network.is_some() || cost != even;
            links.push(cost);
        }
        if !has_costs {
            links.clear();
        }
        let node = self.node_buffer.map(|_| self.node_cost(even));
        GroupCosts { links, node }
    }
}
