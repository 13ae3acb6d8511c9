//! The topologies and routing functions of BookSim 2, with their counterparts.

use super::configuration::Configuration;
use super::network::{self, Network};

/// A topology.
pub(super) struct Topology {
    /// The name in BookSim 2.
    pub(super) name: &'static str,
    /// The routing functions with a counterpart.
    pub(super) routings: &'static [Routing],
    /// The other routing functions, each with the nearest one that has a counterpart.
    pub(super) refused: &'static [RefusedRouting],
    /// Reads the keys of the topology.
    pub(super) build: fn(&Configuration) -> Option<Network>,
}

/// A routing function.
pub(super) struct Routing {
    /// The name in BookSim 2.
    pub(super) name: &'static str,
    /// The value of `router.routing`, or `None` for the default of the network.
    pub(super) flitwise: Option<&'static str>,
    /// The smallest number of virtual channels of a packet.
    pub(super) virtual_channels: i64,
    /// The virtual channels that links use, if they are fewer than all.
    pub(super) most_channels: Option<i64>,
    /// The value of `router.ugal_threshold`, if it is not the default.
    pub(super) ugal_threshold: Option<i64>,
}

/// A routing function without a counterpart.
pub(super) struct RefusedRouting {
    pub(super) name: &'static str,
    pub(super) nearest: &'static str,
    pub(super) reason: &'static str,
}

impl Routing {
    const fn new(name: &'static str, flitwise: Option<&'static str>, virtual_channels: i64) -> Self {
        Self { name, flitwise, virtual_channels, most_channels: None, ugal_threshold: None }
    }
}

const fn refused(name: &'static str, nearest: &'static str, reason: &'static str) -> RefusedRouting {
    RefusedRouting { name, nearest, reason }
}

const EXPRESS: &str = "express links of a cmesh are not supported";
const NO_INTERFERENCE: &str = "virtual channels that depend on the destination are not supported";
const PARTITION: &str = "virtual channels that depend on the router are not supported";
const BALANCED: &str = "balanced use of the dateline classes is not supported";
const ROMM: &str = "detours within the rectangle of source and destination are not supported";
const CHAOS: &str = "chaotic routing is not supported";
const BY_LOAD: &str = "the choice of a dimension order by load is not supported";

/// All topologies that have a counterpart.
pub(super) const TOPOLOGIES: &[Topology] = &[
    Topology {
        name: "mesh",
        routings: &[
            Routing::new("dor", None, 1),
            Routing::new("dim_order", None, 1),
            Routing::new("xy_yx", Some("o1turn"), 2),
            Routing::new("valiant", Some("valiant"), 2),
            Routing::new("min_adapt", Some("adaptive"), 2),
        ],
        refused: &[
            refused("adaptive_xy_yx", "xy_yx", BY_LOAD),
            refused("dim_order_ni", "dim_order", NO_INTERFERENCE),
            refused("dim_order_pni", "dim_order", PARTITION),
            refused("romm", "valiant", ROMM),
            refused("romm_ni", "valiant", ROMM),
            refused("planar_adapt", "min_adapt", "planar-adaptive routing is not supported"),
            refused("chaos", "min_adapt", CHAOS),
        ],
        build: network::mesh,
    },
    Topology {
        name: "torus",
        routings: &[Routing::new("dim_order", None, 2), Routing::new("valiant", Some("valiant"), 4)],
        refused: &[
            refused("dim_order_ni", "dim_order", NO_INTERFERENCE),
            refused("dim_order_bal", "dim_order", BALANCED),
            refused("min_adapt", "dim_order", "it uses one adaptive virtual channel only, which is not supported"),
            refused("valiant_ni", "valiant", NO_INTERFERENCE),
            refused("chaos", "dim_order", CHAOS),
        ],
        build: network::torus,
    },
    Topology {
        name: "cmesh",
        routings: &[Routing::new("dor_no_express", None, 1)],
        refused: &[
            refused("dor", "dor_no_express", EXPRESS),
            refused("xy_yx", "dor_no_express", EXPRESS),
            refused("xy_yx_no_express", "dor_no_express", "`o1turn` is not supported with several nodes per router"),
        ],
        build: network::cmesh,
    },
    Topology {
        name: "flatfly",
        routings: &[
            Routing::new("ran_min", None, 1),
            Routing::new("xyyx", Some("o1turn"), 2),
            Routing::new("valiant", Some("valiant"), 2),
            Routing::new("ugal", Some("ugal"), 2),
        ],
        refused: &[
            refused("adaptive_xyyx", "xyyx", BY_LOAD),
            refused("ugal_pni", "ugal", PARTITION),
            refused("ugal_xyyx", "ugal", "detours in two dimension orders are not supported"),
        ],
        build: network::flatfly,
    },
    Topology {
        name: "fattree",
        routings: &[Routing::new("nca", Some("nca-random"), 1), Routing::new("anca", Some("nca-adaptive"), 1)],
        refused: &[],
        build: network::fattree,
    },
    Topology {
        name: "dragonflynew",
        routings: &[
            Routing { most_channels: Some(2), ..Routing::new("min", None, 2) },
            // BookSim 2 asserts that there are three virtual channels
            Routing { most_channels: Some(3), ugal_threshold: Some(30), ..Routing::new("ugal", Some("ugal"), 3) },
        ],
        refused: &[],
        build: network::dragonfly,
    },
    Topology { name: "fly", routings: &[Routing::new("dest_tag", None, 1)], refused: &[], build: network::fly },
    Topology {
        name: "anynet",
        routings: &[Routing::new("min", Some("shortest"), 1)],
        refused: &[],
        build: network::anynet,
    },
];

impl Topology {
    /// Returns the topology of a configuration. An unknown one is reported.
    pub(super) fn read(configuration: &Configuration) -> Option<&'static Self> {
        let name = configuration.text("topology");
        let found = TOPOLOGIES.iter().find(|topology| topology.name == name);
        if found.is_none() {
            let names: Vec<&str> = TOPOLOGIES.iter().map(|topology| topology.name).collect();
            let reason = match name {
                "qtree" | "tree4" => "this topology is not supported",
                _ => "BookSim 2 has no such topology",
            };
            configuration.refuse("topology", reason, &names.join(", "));
        }
        found
    }

    /// Returns the routing function of a configuration. One without a counterpart is reported.
    pub(super) fn routing(&self, configuration: &Configuration) -> Option<&'static Routing> {
        let name = configuration.text("routing_function");
        let found = self.routings.iter().find(|routing| routing.name == name);
        if found.is_none() {
            let reason = self.refusal(configuration, name);
            let names: Vec<&str> = self.routings.iter().map(|routing| routing.name).collect();
            let accepted = format!("{} on topology = {}", names.join(", "), self.name);
            configuration.refuse("routing_function", &reason, &accepted);
        }
        found
    }

    /// The reason why the routing function `name` is refused.
    fn refusal(&self, configuration: &Configuration, name: &str) -> String {
        if !configuration.is_set("routing_function") {
            return "routing_function must be set".to_owned();
        }
        match self.refused.iter().find(|routing| routing.name == name) {
            Some(routing) => format!("{}; the nearest one is `{}`", routing.reason, routing.nearest),
            None => format!("BookSim 2 has no such routing function on topology = {}", self.name),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_routing_functions_have_counterparts() {
        for topology in TOPOLOGIES {
            for refused in topology.refused {
                let is_known = topology.routings.iter().any(|routing| routing.name == refused.nearest);
                assert!(is_known, "{} {}", topology.name, refused.name);
            }
        }
    }
}
