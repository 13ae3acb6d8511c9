//! Routers with many ports and many virtual channels: the engine agrees with the slow one, scenarios run, and packets that meet no
//! other take as long as on small routers.

use crate::cli::{Bench, csv_rows};
use crate::router_differential::{agree, costs, lists};
use flitwise::engine::router::RouterCosts;
use flitwise::routing::relation::{ADAPTIVE, DIMENSION_ORDER};
use flitwise::routing::{
    CopyBy, DragonflyMinimal, FatTreePaths, HyperXPaths, Lattice, LinkPorts, LinkRelation, LinkRouting, ModK, Relation,
    Routing,
};
use flitwise::topology::{Dragonfly, DragonflySize, FatTree, HyperXLinks, Links, Stage};
use rand::SeedableRng;
use rand_pcg::Pcg64;
use std::fs;
use std::sync::Arc;

/// The ports of a router, and a routing over its links.
struct Wide {
    ports: usize,
    links: Arc<dyn Links>,
    routing: Arc<dyn LinkRouting>,
}

/// A group of 42 routers with 2 nodes each, and a link from each to the other group.
fn dragonfly() -> Wide {
    let size = DragonflySize { nodes: 2, routers: 42, global: 1, groups: 2 };
    let links = Arc::new(Dragonfly::new(size, || "a dragonfly".to_owned()).unwrap());
    Wide { ports: 44, routing: Arc::new(DragonflyMinimal::new(Arc::clone(&links), CopyBy::Destination)), links }
}

fn fat_tree() -> Wide {
    let stages = [(2, 1), (66, 66)].map(|(children, parents)| Stage { children, parents });
    let links = Arc::new(FatTree::new(&stages, || "a tree".to_owned()).unwrap());
    Wide { ports: 68, routing: Arc::new(FatTreePaths::new(Arc::clone(&links), ModK::Destination)), links }
}

fn one_router() -> Wide {
    let links = Arc::new(HyperXLinks::new(&[1], &[1], 70).unwrap());
    Wide { ports: 70, routing: Arc::new(HyperXPaths::new(Arc::clone(&links))), links }
}

/// Checks that both engines agree on packets of all nodes over `routes`, with one port a node.
fn compare(routes: &dyn Routing, seed: u64, what: &str) {
    let mut random = Pcg64::seed_from_u64(seed);
    let costs = RouterCosts { injection_ports: 1, ejection_ports: 1, ..costs(&mut random) };
    let lists = lists(&mut random, u32::try_from(routes.wiring().nodes()).unwrap());
    agree(routes, costs, &lists, &format!("{what}, seed {seed}: {costs:?}"));
}

#[test]
fn routers_of_many_ports_agree_with_slow_ones() {
    for Wide { ports, links, routing } in [dragonfly(), fat_tree(), one_router()] {
        let joined = LinkPorts::new(links, 1).unwrap();
        let joined = Arc::new(joined);
        for (seed, vcs) in [(1, 1), (2, 2), (3, 3), (4, 24)] {
            let routes = LinkRelation::new(Arc::clone(&joined), Arc::clone(&routing), vcs);
            let wiring = routes.wiring();
            assert_eq!(wiring.link_ports() + wiring.most_nodes(), ports);
            compare(&routes, seed, &format!("{ports} ports, {vcs} virtual channels"));
        }
    }
}

#[test]
fn more_than_64_virtual_channels_agree_with_slow_ones() {
    for (seed, vcs) in [(1, 65), (2, 72), (3, 128), (4, 300)] {
        for routing in [&DIMENSION_ORDER, &ADAPTIVE] {
            let relation = Relation::new(Lattice::new(&[4, 4], false, &[0, 1]), routing, vcs);
            compare(&relation, seed, &format!("{}, {vcs} virtual channels", routing.name));
        }
    }
}

/// Checks that light traffic on `machine` takes little longer than in an empty network.
fn assert_runs(machine: &str) {
    let bench = Bench::new(&format!(
        "name = \"t\"\n{machine}\n[router]\nmodel = \"pipelined\"\n\
         [workload.traffic]\npattern = \"uniform\"\nrate = 0.01\npacket_flits = 1\nwarmup = 200\nmeasure = 1000\n"
    ));
    bench.ok(&["run", "s.toml", "--quiet"]);
    let rows = csv_rows(&fs::read_to_string(bench.path("results/t/rows.csv")).unwrap());
    let number = |column: &str| rows[0][column].parse::<f64>().unwrap();
    let [accepted, latency, unloaded] = ["accepted", "latency", "unloaded"].map(number);
    assert!((accepted / 0.01 - 1.0).abs() < 0.15, "{machine}: {accepted} flits arrive");
    assert!((latency / unloaded - 1.0).abs() < 0.05, "{machine}: {latency} cycles for {unloaded}");
}

#[test]
fn scenarios_of_routers_with_many_ports_run() {
    assert_runs("[network.dragonfly]\np = 4\na = 40\nh = 1\ngroups = 3");
    assert_runs("[network.fat-tree]\narity = 32\nlevels = 2");
    assert_runs("[network.full-mesh]\nrouters = 1\nconcentration = 70");
    assert_runs("[network.full-mesh]\nrouters = 80\nconcentration = 2");
}

#[test]
fn scenarios_of_routers_with_72_virtual_channels_run() {
    assert_runs("[network.mesh]\nshape = [4, 4]\n[channel]\nvirtual_channels = 72");
}
