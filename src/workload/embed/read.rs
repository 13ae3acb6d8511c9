//! The keys of `[workload.embed]`, and their reader.

use crate::config::{Diagnostic, Files, Reader};
use crate::engine::router::MessageClass;
use crate::engine::{Engine, Stop};
use crate::kind::{Setting, Workload};
use crate::machine::{Machine, Routers};
use crate::routing::Routing;
use crate::units::Key;
use crate::workload::packet_class::{NAME, PRIORITY, VCS, network, refuse_names, vcs};
use serde::Serialize;
use std::sync::Arc;

/// A network inside another simulator.
#[derive(Clone, Debug, Serialize)]
pub struct Embed {
    /// Bytes of a flit.
    pub flit_bytes: u64,
    /// Flits that the injection queue of a node and class holds, if they are limited.
    pub queue: Option<u32>,
    /// Flits that a node holds for each virtual channel and physical network, if messages are held until they are taken.
    pub held: Option<u32>,
    /// The classes of messages.
    pub classes: Vec<EmbedClass>,
    /// Physical networks.
    pub networks: u32,
}

/// A class of messages.
#[derive(Clone, Debug, Serialize)]
pub struct EmbedClass {
    /// The name.
    pub name: String,
    /// The physical network.
    pub network: u32,
    /// Its virtual channels and priority on routers, and the routing that shares the virtual channels out. `None` for a class that is
    /// alone and takes any.
    #[serde(skip)]
    pub routers: Option<(MessageClass, Arc<dyn Routing>)>,
}

/// The largest number of flits of a queue or a buffer.
const MOST_FLITS: u64 = u32::MAX as u64;

const FLIT_BYTES: Key = Key::integer("flit_bytes", 1..=1 << 40)
    .or_else("`channel.flit_bytes`, or 1")
    .unit("bytes")
    .says("payload of a flit; the bytes of a message become flits, rounded up");
const QUEUE: Key = Key::integer_or("queue", 1..=MOST_FLITS, UNLIMITED)
    .or_word(UNLIMITED)
    .unit("flits")
    .says("capacity of the injection queue of a node and class; needs the router engine unless it is unlimited");
const EJECTION: Key = Key::word("ejection", |at| EJECTIONS.get(at).map(|(name, _)| *name))
    .or_word("sink")
    .says("arrival of messages: as events (sink), or at their nodes until the host takes them (held, needs the router engine)");
const EJECTION_BUFFER: Key = Key::integer("ejection_buffer", 1..=MOST_FLITS)
    .or_else("`channel.buffer` if the scenario sets it, or 1")
    .unit("flits")
    .says("flits that a node holds for each virtual channel and physical network, with `ejection = \"held\"`");
const NETWORK: Key =
    Key::integer("network", 0..=15).or(0).says("physical network that messages of the class use, from 0");
const CLASS: Key = Key::tables("class", &[NAME, VCS, PRIORITY, NETWORK])
    .says("class of messages, with its own injection queues, virtual channels and physical network");

pub(super) const KEYS: &[Key] = &[FLIT_BYTES, QUEUE, EJECTION, EJECTION_BUFFER, CLASS];

const UNLIMITED: &str = "unlimited";

/// Words for the arrival of messages, with whether they are held.
const EJECTIONS: [(&str, bool); 2] = [("sink", false), ("held", true)];

/// The name of the class of a scenario without classes.
const DEFAULT_CLASS: &str = "default";

/// Describes the setting of the table that only virtual-channel routers support, if there is one.
pub(super) fn needs_routers(root: &Reader<'_>) -> Option<String> {
    let table = ["workload", "embed"];
    let path = |key: &Key| [table[0], table[1], key.name];
    let text = |key: &Key| root.text_within(&path(key));
    if root.is_given(&path(&QUEUE)) && text(&QUEUE) != Some(UNLIMITED) {
        return Some(format!("a limited `workload.embed.{}`", QUEUE.name));
    }
    if text(&EJECTION) == Some("held") {
        return Some(format!("`workload.embed.{} = \"held\"`", EJECTION.name));
    }
    (root.length_within(&path(&CLASS))? > 1).then(|| "more than one `workload.embed.class`".to_owned())
}

pub(super) fn read(table: &Reader<'_>, setting: &Setting<'_>, _: &mut Files<'_>) -> Option<Arc<dyn Workload>> {
    let before = table.error_count();
    let machine = setting.machine;
    setting.demand_network(table, machine.nodes().is_some(), "an embedded network needs a table [network.*]");
    machine.nodes()?;
    setting.reject_node_costs("the host program decides when messages are sent");
    refuse_several(table, setting);
    if machine.faults.as_ref().is_some_and(|faults| faults.is_cut()) {
        let message = "the failures leave nodes of the embedded network without a path to each other";
        table.error(Diagnostic::at(setting.root.place_within(&["faults"]), message).note("accepted: other failures"));
    }
    refuse_shared(setting);
    let scale = setting.root.scale().and_then(|scale| scale.flit_bytes);
    let flit_bytes = table.optional_integer(&FLIT_BYTES).or(scale).unwrap_or(1);
    let queue = table.integer_or(&QUEUE).flatten().map(flits);
    let is_held = table.choice(&EJECTION, &EJECTIONS);
    let buffer = ejection_buffer(table, setting, is_held);
    let (classes, networks) = classes(table, machine)?;
    let held = is_held.then_some(buffer);
    (table.error_count() == before)
        .then(|| Arc::new(Embed { flit_bytes, queue, held, classes, networks }) as Arc<dyn Workload>)
}

fn flits(count: u64) -> u32 {
    u32::try_from(count).unwrap_or(u32::MAX)
}

/// Reports a scenario with several points, or several repetitions of one: a host opens one network.
fn refuse_several(table: &Reader<'_>, setting: &Setting<'_>) {
    let root = setting.root;
    if root.has("sweep") {
        let message = "`sweep` has no effect: a host program opens one network";
        table
            .error(Diagnostic::at(root.place_within(&["sweep"]), message).note("accepted: a scenario without [sweep]"));
    }
    if setting.repetitions > 1 {
        let message = "`repetitions` has no effect: a host program opens one network";
        table.error(Diagnostic::at(root.place_within(&["repetitions"]), message).note("accepted: 1"));
    }
    if root.has("device") {
        let message = "`device` has no effect: processors of a chip cannot be embedded";
        table.error(
            Diagnostic::at(root.place_within(&["device"]), message).note("accepted: a scenario without [device]"),
        );
    }
}

/// Reports the worm engine where virtual channels share links: it would have to restart, which a host would notice.
fn refuse_shared(setting: &Setting<'_>) {
    let Setting { root, machine, .. } = setting;
    if machine.routers.is_none() && machine.engine == Engine::Worm && machine.shares_channels() {
        let message = format!("`engine.kind` = \"worm\" cannot be embedded here: {}", Stop::MayShare);
        root.error(Diagnostic::at(root.place_within(&["engine", "kind"]), message));
    }
}

/// The flits that a node holds for each virtual channel.
fn ejection_buffer(table: &Reader<'_>, setting: &Setting<'_>, is_held: bool) -> u32 {
    let stated = table.optional_integer(&EJECTION_BUFFER);
    if stated.is_some() && !is_held {
        let message = "`ejection_buffer` has no effect with `ejection = \"sink\"`: nodes take in all messages";
        let error = Diagnostic::at(table.place_of(EJECTION_BUFFER.name), message);
        table.error(error.note("accepted: with `ejection = \"held\"`"));
    }
    let of_channels = setting.root.is_given(&["channel", "buffer"]);
    let default = if of_channels { setting.machine.channel.buffer.without_delay() } else { 1 };
    flits(stated.unwrap_or(default))
}

/// The classes of messages, and the number of physical networks.
fn classes(table: &Reader<'_>, machine: &Machine) -> Option<(Vec<EmbedClass>, u32)> {
    let tables = table.tables(CLASS.name);
    let only_class = |name: String| EmbedClass { name, network: 0, routers: None };
    let name = |class: &Reader<'_>| {
        class.demand(&NAME);
        class.string(&NAME).map(|(name, _)| name.to_owned()).unwrap_or_default()
    };
    if tables.is_empty() {
        return Some((vec![only_class(DEFAULT_CLASS.to_owned())], 1));
    }
    let names: Vec<String> = tables.iter().map(name).collect();
    refuse_names(tables.iter().zip(names.iter().map(String::as_str)));
    let pipelined = machine.routers.as_ref().filter(|routers| routers.model == "pipelined");
    let Some(routers) = pipelined else {
        tables.iter().for_each(Reader::finish);
        if tables.len() == 1 && !tables[0].gives(&VCS) && !tables[0].gives(&NETWORK) {
            return Some((names.into_iter().map(only_class).collect(), 1));
        }
        let message = "classes of messages need virtual-channel routers of `router.model = \"pipelined\"`";
        let error = Diagnostic::at(table.place_of(CLASS.name), message);
        table.error(error.note("accepted: [router] with `model = \"pipelined\"`"));
        return None;
    };
    let read = |(class, name): (&Reader<'_>, String)| read_class(class, name, routers);
    let mut classes = tables.iter().zip(names).map(read).collect::<Option<Vec<EmbedClass>>>()?;
    take_all_channels(&mut classes, routers);
    Some((classes, routers.networks))
}

fn read_class(class: &Reader<'_>, name: String, routers: &Routers) -> Option<EmbedClass> {
    let [first, last] = vcs(class, routers)?;
    let priority = u16::try_from(class.integer(&PRIORITY)).unwrap_or(u16::MAX);
    let network = network(class, &NETWORK, routers).unwrap_or(0);
    class.finish();
    let routes = routers.routes.restricted_to(last - first + 1);
    Some(EmbedClass { name, network, routers: Some((MessageClass { first, last, priority }, routes)) })
}

/// Lets classes that are alone on their network and take all virtual channels do without classes there.
fn take_all_channels(classes: &mut [EmbedClass], routers: &Routers) {
    let last = routers.routes.virtual_channels() - 1;
    let networks: Vec<u32> = classes.iter().map(|class| class.network).collect();
    for class in classes {
        let is_alone = networks.iter().filter(|&&network| network == class.network).count() == 1;
        class.routers.take_if(|(vcs, _)| is_alone && vcs.first == 0 && vcs.last == last);
    }
}
