//! Where channels come from: that of every channel of every path is the router that the path has come to.

use flitwise::machine::Machine;
use flitwise::routing::Network;
use flitwise::scenario::Scenario;
use flitwise::topology::{Links, Origin};
use flitwise::units::{ChannelId, NodeId, RouterId};

/// The tables of the networks that differ in how they number channels.
const NETWORKS: [&str; 9] = [
    "[network.mesh]\nshape = [3, 4]",
    "[network.mesh]\nshape = [3, 3]\nconcentration = 2",
    "[network.torus]\nshape = [2, 5]",
    "[network.hypercube]\ndimension = 4",
    "[network.hyperx]\nshape = [3, 3]",
    "[network.bmin]\nradix = 2\nlevels = 4",
    "[network.bmin]\nradix = 3\nlevels = 3\nup = \"destination\"",
    "[network.fat-tree]\narity = 2\nlevels = 3",
    "[network.dragonfly]\np = 2\na = 3\nh = 1",
];

fn scenario(network: &str, ports: usize) -> Scenario {
    let workload = "[workload.multicast]\nalgorithms = [\"binomial\"]\nflits = 4\ngroup = 4";
    let text = format!("name = \"origins\"\n{network}\n[node]\nports = {ports}\n{workload}");
    text.parse().unwrap_or_else(|wrong| panic!("{network}: {wrong:?}"))
}

/// The router that the link `channel` leads to, which leaves `from`.
fn next(network: &dyn Network, links: &dyn Links, from: RouterId, channel: ChannelId) -> RouterId {
    let channels = network.channels();
    let name = channels.physical_name(channel);
    let by_name = links.leaving(from).find(|&link| {
        let to = links.router_name(links.ends(link).1);
        name.split("->").nth(1).and_then(|end| end.split(' ').next()) == Some(to.as_str())
    });
    // ports of a tree are numbered as its links are
    let by_port = || channels.hop(channel).and_then(|hop| links.leaving(from).nth(hop.port.into()));
    let link = if name.starts_with('(') { by_name.or_else(by_port) } else { by_port() };
    links.ends(link.unwrap()).1
}

fn follow(machine: &Machine, links: &dyn Links, src: NodeId, dst: NodeId) {
    let network = machine.network().unwrap();
    let mut path = Vec::new();
    network.route(src, dst, &mut path);
    let origins: Vec<Origin> = path.iter().map(|&channel| machine.channel_origin(channel).unwrap()).collect();
    assert_eq!(origins.first(), Some(&Origin::Injection(src)));
    assert_eq!(origins.last(), Some(&Origin::Ejection(dst)));
    let mut at = links.router_of(src);
    for (&channel, &origin) in path.iter().zip(&origins).skip(1).take(path.len() - 2) {
        assert_eq!(origin, Origin::Link(at), "{}", machine.channel_name(channel));
        if !machine.spec().unwrap().is_hypercube() {
            at = next(network, links, at, channel);
        } else {
            at = machine.channel_name(channel).split("->").nth(1).map(|to| RouterId(to.parse().unwrap())).unwrap();
        }
    }
    assert_eq!(at, links.router_of(dst));
}

#[test]
fn channels_come_from_where_paths_have_come_to() {
    for (table, ports) in NETWORKS.iter().flat_map(|table| [(table, 1), (table, 2)]) {
        let scenario = scenario(table, ports);
        let machine = &scenario.points[0].experiment.machine;
        let links = machine.spec().unwrap().links().unwrap();
        for src in (0..links.nodes()).map(NodeId::new) {
            for dst in (0..links.nodes()).map(NodeId::new) {
                follow(machine, links.as_ref(), src, dst);
            }
        }
    }
}
