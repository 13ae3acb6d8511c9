//! `[router]`: what open-loop traffic meets on its way.

use crate::config::{Diagnostic, Reader, listed};
use crate::engine::ChannelCosts;
use crate::engine::router::{RouterCosts, Timing};
use crate::network::NetworkSpec;
use crate::routing::Relation;
use crate::routing::lattice::MOST_DIMENSIONS;
use crate::routing::relation::{DimensionOrder, ROUTINGS, Routing};
use crate::units::Key;
use serde::Serialize;

/// Most virtual channels of a link between routers.
pub(crate) const MOST_VIRTUAL_CHANNELS: u64 = 64;

/// Most flits of the buffer of a virtual channel.
const MOST_BUFFER: u64 = 1 << 15;

/// Router models, by the name that scenarios use, with what they are.
pub const ROUTERS: [(&str, &str); 2] = [
    ("ideal", "one cycle a hop; with atomic buffers and dimension order the rules of the wormhole engines (default)"),
    ("pipelined", "allocation, switch and link take a cycle each, credits two: input-queued virtual-channel routers"),
];

const MODELS: [(&str, bool); 2] = [("ideal", false), ("pipelined", true)];
const MODEL: Key = Key::word("model", |at| ROUTERS.get(at).map(|(name, _)| *name))
    .or_word("ideal")
    .says("what traffic meets; see `flitwise list routers`");
const ATOMIC: Key = Key::boolean("atomic")
    .or_else("true of ideal, false of pipelined")
    .says("a buffer takes a packet only when the last one has left it");
const ROUTING: Key = Key::word("routing", |at| ROUTINGS.get(at).map(|routing| routing.name()))
    .or_word("dimension-order")
    .says("which channels packets may take; see `flitwise list routers`");
const SPECULATIVE: Key = Key::boolean("speculative")
    .or_boolean(true)
    .read_if("model", &["pipelined"])
    .because("an ideal router takes a cycle for everything")
    .says("head flits request the switch while they request a virtual channel");
const CHANNEL_LATENCY: Key = Key::integer("channel_latency", 1..=1 << 16)
    .or(1)
    .unit("cycles")
    .read_if("model", &["pipelined"])
    .because("an ideal router takes a cycle for everything")
    .says("the time for a flit to cross a link");
const ALLOW_DEADLOCK: Key = Key::boolean("allow_deadlock")
    .or_boolean(false)
    .says("run with fewer virtual channels than freedom from deadlock needs");

/// The keys of `[router]`.
pub(crate) const KEYS: &[Key] = &[MODEL, ATOMIC, ROUTING, SPECULATIVE, CHANNEL_LATENCY, ALLOW_DEADLOCK];

/// `[router]` as it is written, before it is known what runs on it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RouterTable {
    pipelined: bool,
    atomic: bool,
    speculative: bool,
    channel_latency: u64,
    pub(crate) routing: &'static dyn Routing,
    allow_deadlock: bool,
}

impl Default for RouterTable {
    fn default() -> Self {
        let routing = &DimensionOrder;
        Self { pipelined: false, atomic: true, speculative: true, channel_latency: 1, routing, allow_deadlock: false }
    }
}

/// Virtual-channel routers on a lattice.
#[derive(Clone, Debug, Serialize)]
pub struct Routers {
    /// The model's name.
    pub model: &'static str,
    /// The routing algorithm's name.
    pub routing: &'static str,
    /// Virtual channels a link.
    pub virtual_channels: u8,
    /// What they are like.
    pub costs: RouterCosts,
    /// Which channels packets may request.
    #[serde(skip)]
    pub relation: Relation,
}

/// Reads `[router]`; `uses_routers` says whether what runs passes them.
pub(crate) fn read(root: &Reader<'_>, uses_routers: bool) -> RouterTable {
    let Some(table) = root.table("router") else {
        return RouterTable::default();
    };
    let pipelined = table.choice(&MODEL, &MODELS);
    let read = RouterTable {
        pipelined,
        atomic: table.optional_boolean(&ATOMIC).unwrap_or(!pipelined),
        speculative: table.boolean(&SPECULATIVE),
        channel_latency: table.integer(&CHANNEL_LATENCY),
        routing: table.choice(&ROUTING, &ROUTINGS.iter().map(|&routing| (routing.name(), routing)).collect::<Vec<_>>()),
        allow_deadlock: table.boolean(&ALLOW_DEADLOCK),
    };
    // an ideal router is what the other workloads run on too
    let alien = KEYS.iter().find(|key| table.gives(key) && (key.name != MODEL.name || pipelined));
    if let Some(key) = alien.filter(|_| !uses_routers) {
        let message =
            format!("only a [workload.traffic] runs on such routers, so `router.{}` would be ignored", key.name);
        table.error(Diagnostic::at(table.place_of(key.name), message).note("accepted here: `model = \"ideal\"`"));
    }
    table.finish();
    read
}

impl RouterTable {
    /// The routers of `spec`; none where the wormhole engines do what is asked for.
    pub(crate) fn routers(
        &self,
        root: &Reader<'_>,
        (spec, ports): (&dyn NetworkSpec, usize),
        channel: ChannelCosts,
        virtual_channels: Option<u64>,
    ) -> Option<Routers> {
        let native = spec.virtual_channels();
        let plain = !self.pipelined && self.atomic && self.routing.name() == DimensionOrder.name();
        if plain && virtual_channels.is_none_or(|asked| asked <= native) {
            return None;
        }
        let before = root.error_count();
        self.refuse_costs(root, channel, ports);
        let Some(lattice) = spec.lattice() else {
            let message = format!("a {} has no virtual-channel routers", spec.title());
            let note = format!(
                "accepted: a mesh or torus of at most {MOST_DIMENSIONS} dimensions and 65536 nodes along each, or a hypercube; \
                 or an ideal router with atomic buffers and one virtual channel"
            );
            root.error(Diagnostic::at(root.place_within(&["network"]), message).note(note));
            return None;
        };
        let needed = self.routing.needed_virtual_channels(&lattice);
        let vcs = virtual_channels.unwrap_or(native.max(u64::from(needed)));
        let vcs = u8::try_from(vcs).unwrap_or(u8::MAX);
        let relation = Relation::new(lattice, self.routing, vcs);
        self.refuse_routing(root, &relation, spec);
        if root.error_count() > before {
            return None;
        }
        let timing = match self.pipelined {
            true => Timing::pipelined(self.channel_latency, channel.routing_delay),
            false => Timing::ideal(channel.routing_delay),
        };
        let buffer = u32::try_from(channel.buffer).unwrap_or(u32::MAX);
        let costs = RouterCosts { timing, buffer, atomic: self.atomic, speculative: self.speculative };
        let model = if self.pipelined { "pipelined" } else { "ideal" };
        Some(Routers { model, routing: self.routing.name(), virtual_channels: vcs, costs, relation })
    }

    fn refuse_costs(&self, root: &Reader<'_>, channel: ChannelCosts, ports: usize) {
        let refuse = |path: &[&str], message: String, accepted: &str| {
            root.error(Diagnostic::at(root.place_within(path), message).note(format!("accepted: {accepted}")));
        };
        let routers = "virtual-channel routers";
        if channel.flit_time != 1 {
            let message = format!("{routers} move a flit in a tick, so `channel.flit_time` would be ignored");
            refuse(&["channel", "flit_time"], message, "1");
        }
        if channel.buffer > MOST_BUFFER {
            let message = format!("the buffers of {routers} hold at most {MOST_BUFFER} flits");
            refuse(&["channel", "buffer"], message, &format!("1 to {MOST_BUFFER}"));
        }
        if channel.routing_delay > 1 << 16 {
            refuse(
                &["channel", "routing_delay"],
                format!("{routers} take at most 65536 cycles to route"),
                "0 to 65536",
            );
        }
        let alien = [("ports", ports != 1), ("ejection_ports", root.is_given(&["node", "ejection_ports"]))];
        for (key, _) in alien.into_iter().filter(|(_, alien)| *alien) {
            let message = format!("{routers} have one port for their node, so `node.{key}` would be ignored");
            refuse(&["node", key], message, "`ports` = 1, without `ejection_ports`");
        }
        if root.is_given(&["engine", "kind"]) {
            let message = format!("{routers} have an engine of their own, so `engine.kind` would be ignored");
            let note = "read where an ideal router with atomic buffers routes by dimension order";
            root.error(Diagnostic::at(root.place_within(&["engine", "kind"]), message).note(note));
        }
    }

    fn refuse_routing(&self, root: &Reader<'_>, relation: &Relation, spec: &dyn NetworkSpec) {
        let name = self.routing.name();
        if let Some(why) = relation.unfit() {
            let fitting = ROUTINGS.iter().filter(|routing| routing.unfit(relation.lattice()).is_none());
            let accepted = format!("accepted here: {}", listed(fitting.map(|routing| routing.name())));
            let message = format!("`{name}` {why}, which a {} is not", spec.title());
            root.error(Diagnostic::at(root.place_within(&["router", "routing"]), message).note(accepted));
        }
        let vcs = relation.virtual_channels();
        let needed = relation.needed_virtual_channels();
        let place = root.place_within(&["channel", "virtual_channels"]);
        if u64::from(vcs) > MOST_VIRTUAL_CHANNELS {
            let message = "more virtual channels than a link of such routers can have";
            root.error(Diagnostic::at(place, message).note(format!("accepted: 1 to {MOST_VIRTUAL_CHANNELS}")));
        } else if vcs < needed && !self.allow_deadlock {
            let message = format!(
                "`{name}` on a {} can deadlock with fewer than {needed} virtual channels, and this has {vcs}",
                spec.title()
            );
            let note = format!("accepted: {needed} or more; or `router.allow_deadlock = true`, to see what happens");
            root.error(Diagnostic::at(place, message).note(note));
        }
    }
}
