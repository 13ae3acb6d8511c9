//! The machine that a chip is: its networks, their routers and its ends.

use super::{KINDS, read};
use crate::config::{Diagnostic, Reader};
use crate::machine::{DeadlockPolicy, Machine, Routers};
use crate::network::{BuiltNetwork, ChipSpec, NetworkSpec, with_article};
use crate::routing::{LinkPorts, LinkRelation};
use crate::topology::Ports;
use std::sync::Arc;

/// The chip on `network`, like the one that is `named` unless `[device]` says another; with both of its networks if it `is_pair`.
/// What is wrong has been reported, and gives none.
pub(crate) fn machine(
    root: &Reader<'_>,
    network: &BuiltNetwork,
    named: Option<&str>,
    is_pair: bool,
) -> Option<Machine> {
    let refuse = |message: String| {
        let wrong = Diagnostic::at(root.place_within(&["network", network.kind.name]), message);
        root.error(
            wrong.note("accepted: [network.torus] with directions = \"one-way\", or plus or minus for each dimension"),
        );
    };
    let Some(torus) = network.spec.one_way() else {
        refuse(format!(
            "[device] requires a one-way torus, but the network is {}",
            with_article(&network.spec.title())
        ));
        return None;
    };
    let device = read(root, &torus.axes, named)?;
    let spec = ChipSpec { is_pair, kinds: KINDS, ..torus };
    let built = spec.build(Ports::from(1)).and_then(|network| Ok((network, spec.links()?, spec.one_way()?)));
    let (built, links, routing) = built.map_err(|error| refuse(error.to_string())).ok()?;
    #[expect(clippy::expect_used, reason = "a torus has a link and a node for each dimension and router")]
    let ports = LinkPorts::new(links, 1).expect("routers of tori have few ports");
    let vcs = device.virtual_channels();
    let routes = Arc::new(LinkRelation::new(Arc::new(ports), Arc::new(routing), vcs));
    let routers = Routers {
        networks: 1,
        policy: DeadlockPolicy::Refuse,
        model: "device",
        routing: spec.routing(),
        virtual_channels: vcs,
        costs: device.routers(),
        routes,
        fixes_paths: true,
        interfaces: Some(Arc::new(device.interfaces(if is_pair { 2 } else { 1 }))),
    };
    let network = BuiltNetwork { kind: network.kind, spec: Arc::new(spec), network: built };
    Some(Machine {
        network: Some(network),
        routers: Some(routers),
        device: Some(Arc::new(device)),
        ..Machine::default()
    })
}
