//! Keys of `[[workload.traffic.class]]`, and their reader.

use super::classes::{Class, NewPackets};
use super::lengths::{self, PACKET_FLITS, PACKET_WEIGHTS};
use super::pattern::{self, EXCLUDED, HOTSPOT_FRACTION, HOTSPOT_WEIGHTS, HOTSPOTS, INCLUDE_SELF, MATRIX, PATTERN};
use super::read::{self, ALPHA, BETA, INJECTIONS, RATE};
use crate::algorithm::traffic::{Injection, Lengths};
use crate::config::{Diagnostic, Files, Reader};
use crate::kind::Setting;
use crate::machine::Routers;
use crate::units::Key;
use crate::workload::packet_class::{NAME, PRIORITY, VCS, network, refuse_names, vcs};
use std::sync::Arc;

/// The default of keys that `[workload.traffic]` has, too.
const DEFAULT: &str = "that of [workload.traffic]";

const CLASS_RATE: Key = Key::number("rate", f64::MIN_POSITIVE..=lengths::LONGEST as f64)
    .or_else("none: all packets of the class are replies")
    .unit("flits per node and flit time")
    .says("offered load of new packets of the class");
const CLASS_PATTERN: Key = PATTERN.or_else(DEFAULT);
const CLASS_PACKET_FLITS: Key = PACKET_FLITS.or_else(DEFAULT);
const CLASS_INJECTION: Key = Key::word("injection", |at| INJECTIONS.get(at).map(|(name, _)| *name))
    .or_else(DEFAULT)
    .says("process of packet generation: constant probability (bernoulli), or bursts of a node (on-off)");
const NETWORK: Key = Key::integer("network", 0..=15)
    .or_else("drawn for each packet")
    .says("physical network that packets of the class use, from 0");
const QUEUE: Key = Key::text("queue")
    .or_else("a queue of its own")
    .says("name of the source queue, which classes with the same name share");
const REPLY: Key = Key::text("reply").or_else("none").says("class of the packets with which receivers answer");

pub(super) const CLASS: Key = Key::tables(
    "class",
    &[
        NAME,
        CLASS_RATE,
        CLASS_PATTERN,
        INCLUDE_SELF,
        HOTSPOTS,
        HOTSPOT_FRACTION,
        HOTSPOT_WEIGHTS,
        EXCLUDED,
        MATRIX,
        CLASS_PACKET_FLITS,
        PACKET_WEIGHTS,
        CLASS_INJECTION,
        ALPHA,
        BETA,
        VCS,
        PRIORITY,
        NETWORK,
        QUEUE,
        REPLY,
    ],
)
.says("class of packets, with its own load, virtual channels and priority");

pub(super) const REPLY_QUEUE: Key = Key::integer("reply_queue", 1..=1 << 20)
    .or_else("no limit")
    .beside(&["class"])
    .says("maximum number of requests that a node has taken in and not answered");

/// The names in a class: its own, and those of other classes and queues, which are looked up when all are known.
struct Named {
    name: String,
    queue: String,
    reply: Option<String>,
}

/// Reads the classes of `table`, or one class without a name if there are none.
pub(super) fn read_classes(
    table: &Reader<'_>,
    setting: &Setting<'_>,
    routers: &Routers,
    files: &mut Files<'_>,
) -> Option<Vec<Class>> {
    let before = table.error_count();
    let tables = table.tables(CLASS.name);
    let named: Vec<Named> = tables.iter().map(named).collect();
    let mut classes = Vec::new();
    for (index, class) in tables.iter().enumerate() {
        classes.extend(read_class(table, class, (&named, index), setting, routers, files));
        class.finish();
    }
    if tables.is_empty() {
        classes.extend(unnamed(table, setting, routers, files));
    }
    refuse_names(tables.iter().zip(named.iter().map(|class| class.name.as_str())));
    refuse_circles(&tables, &classes);
    (table.error_count() == before && !classes.is_empty()).then_some(classes)
}

fn named(class: &Reader<'_>) -> Named {
    let text = |key: &Key| class.string(key).map(|(text, _)| text.to_owned());
    class.demand(&NAME);
    let name = text(&NAME).unwrap_or_default();
    // a name that no scenario can write is a queue of its own
    let queue = text(&QUEUE).unwrap_or_else(|| format!("\0{name}"));
    Named { name, queue, reply: text(&REPLY) }
}

/// The number of the source queue of class `index`: queues are numbered in the order in which they are named first.
fn queue(named: &[Named], index: usize) -> usize {
    let mut queues: Vec<&str> = Vec::new();
    for class in named {
        if !queues.contains(&class.queue.as_str()) {
            queues.push(&class.queue);
        }
    }
    queues.iter().position(|queue| *queue == named[index].queue).unwrap_or(0)
}

fn read_class(
    table: &Reader<'_>,
    class: &Reader<'_>,
    (named, index): (&[Named], usize),
    setting: &Setting<'_>,
    routers: &Routers,
    files: &mut Files<'_>,
) -> Option<Class> {
    let reply = reply(class, named, index);
    let is_reply = named.iter().any(|other| other.reply.as_ref() == Some(&named[index].name));
    let source = if class.gives(&PACKET_FLITS) { class } else { table };
    let lengths = if class.gives(&PACKET_FLITS) { lengths::mix(class) } else { lengths::lengths(table) };
    lengths::refuse_too_long(source, &lengths, Some(routers));
    let rate = rate(table, class, is_reply);
    let load = match rate {
        Some(rate) => Some(new_packets(table, class, setting, rate, &lengths, files)?),
        None => None,
    };
    let vcs = vcs(class, routers)?;
    let priority = u16::try_from(class.integer(&PRIORITY)).unwrap_or(u16::MAX);
    Some(Class {
        name: named[index].name.clone(),
        vcs,
        priority,
        queue: queue(named, index),
        lengths,
        load,
        reply,
        network: network(class, &NETWORK, routers),
        routes: routers.routes.restricted_to(vcs[1] - vcs[0] + 1),
    })
}

/// The class of all packets, where there are no classes.
fn unnamed(table: &Reader<'_>, setting: &Setting<'_>, routers: &Routers, files: &mut Files<'_>) -> Option<Class> {
    table.demand(&RATE);
    let rate = table.optional_number(&RATE)?;
    let lengths = lengths::lengths(table);
    lengths::refuse_too_long(table, &lengths, Some(routers));
    let load = new_packets(table, table, setting, rate, &lengths, files)?;
    let last = routers.routes.virtual_channels() - 1;
    Some(Class {
        name: String::new(),
        vcs: [0, last],
        priority: 0,
        queue: 0,
        lengths,
        load: Some(load),
        reply: None,
        network: None,
        routes: Arc::clone(&routers.routes),
    })
}

/// The rate of new packets of a class: its own, or of a class that answers no other the default.
fn rate(table: &Reader<'_>, class: &Reader<'_>, is_reply: bool) -> Option<f64> {
    let given = class.optional_number(&CLASS_RATE);
    let default = table.optional_number(&RATE).filter(|_| !is_reply);
    let rate = given.or(default);
    if rate.is_none() && !is_reply {
        let message = "the class has no packets: it has no `rate`, and no class names it as its `reply`";
        class.error(
            Diagnostic::at(class.place(), message).note("accepted: a `rate`, or a class with `reply` = its name"),
        );
    }
    rate
}

fn new_packets(
    table: &Reader<'_>,
    class: &Reader<'_>,
    setting: &Setting<'_>,
    rate: f64,
    lengths: &Lengths,
    files: &mut Files<'_>,
) -> Option<NewPackets> {
    let machine = setting.machine;
    let source = if class.gives(&PATTERN) { class } else { table };
    let pattern = pattern::pattern(source, machine.spec(), machine.nodes(), files)?;
    let injection = injection(table, class);
    read::refuse_crowded(class, &pattern, injection, rate / lengths.mean());
    Some(NewPackets { pattern, injection, rate })
}

fn injection(table: &Reader<'_>, class: &Reader<'_>) -> Injection {
    if !class.has(CLASS_INJECTION.name) {
        return read::injection(table);
    }
    match class.optional_choice(&CLASS_INJECTION, &INJECTIONS) {
        Some(true) => read::on_off(class),
        Some(false) | None => Injection::Bernoulli,
    }
}

/// The number of the class that answers class `index`.
fn reply(class: &Reader<'_>, named: &[Named], index: usize) -> Option<usize> {
    let reply = named[index].reply.as_ref()?;
    let found = named.iter().position(|other| other.name == *reply);
    if found.is_none() {
        let names: Vec<&str> = named.iter().map(|other| other.name.as_str()).collect();
        let message = format!("there is no class `{reply}`");
        let error = Diagnostic::at(class.place_of(REPLY.name), message);
        class.error(error.note(format!("accepted: {}", names.join(", "))).did_you_mean(reply, names.iter().copied()));
    }
    found
}

/// Reports classes that answer themselves, directly or via others.
fn refuse_circles(tables: &[Reader<'_>], classes: &[Class]) {
    if classes.len() < tables.len() {
        return; // some class has not been read
    }
    for (index, table) in tables.iter().enumerate() {
        let replies = std::iter::successors(classes[index].reply, |&class| classes[class].reply);
        if replies.take(classes.len()).any(|class| class == index) {
            let message = format!("every packet of class `{}` would be answered without end", classes[index].name);
            let error = Diagnostic::at(table.place_of(REPLY.name), message);
            table.error(error.note("accepted: a `reply` that leads to a class without one"));
        }
    }
}
