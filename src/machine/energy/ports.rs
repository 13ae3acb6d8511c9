//! The numbers of the ports of routers, on which the energy of a crossbar can depend.

use crate::costs::energy::Ports;
use crate::network::NetworkSpec;
use crate::topology::{Direction, Links};
use crate::units::{LinkId, NodeId, RouterId};

/// The numbers of ports. Lattices without express links have a port each way along each dimension, whether a link is there or not:
/// outputs towards larger and towards smaller coordinates, inputs for flits that travel towards smaller and towards larger ones.
/// Elsewhere ports have the order of the numbers of links. The ports of nodes follow.
#[derive(Clone, Debug)]
pub struct PortNumbers {
    /// By link, its port at the router that it leaves.
    outputs: Vec<u32>,
    /// By link, its port at the router that it leads to.
    inputs: Vec<u32>,
    /// By router, its ports for links.
    links: Vec<Ports>,
    /// By node, its place among those of its router.
    nodes: Vec<u32>,
    /// By router, all its ports.
    all: Vec<Ports>,
}

impl PortNumbers {
    /// The ports of the routers of `links`, a network that `spec` describes.
    pub(super) fn new(spec: &dyn NetworkSpec, links: &dyn Links) -> Self {
        let is_lattice = spec.router_shape().is_some() && links.classes().iter().all(|class| class.starts_with("dim"));
        let mut ports = Self {
            outputs: vec![0; links.count()],
            inputs: vec![0; links.count()],
            links: vec![Ports { inputs: 0, outputs: 0 }; links.routers()],
            nodes: Vec::with_capacity(links.nodes()),
            all: Vec::new(),
        };
        if is_lattice {
            ports.number_by_direction(links);
        } else {
            ports.number_in_order(links);
        }
        ports.all.clone_from(&ports.links);
        for router in (0..links.nodes()).map(|node| links.router_of(NodeId::new(node)).index()) {
            let Ports { inputs, outputs } = &mut ports.all[router];
            ports.nodes.push(small(*outputs - ports.links[router].outputs));
            *inputs += 1;
            *outputs += 1;
        }
        ports
    }

    fn number_by_direction(&mut self, links: &dyn Links) {
        let both_ways = 2 * links.classes().len();
        self.links.fill(Ports { inputs: both_ways, outputs: both_ways });
        for router in (0..links.routers()).map(RouterId::new) {
            let leaving: Vec<LinkId> = links.leaving(router).collect();
            for (place, &link) in leaving.iter().enumerate() {
                let dimension = links.class(link);
                let is_second = place > 0 && links.class(leaving[place - 1]) == dimension;
                let is_first_of_two = leaving.get(place + 1).is_some_and(|&next| links.class(next) == dimension);
                let rises = links.ends(link).1 > router;
                // where links lead both ways, the first leads towards larger coordinates
                let direction = if is_first_of_two || !is_second && rises { Direction::Plus } else { Direction::Minus };
                self.outputs[link.index()] = small(2 * dimension + direction.place());
                self.inputs[link.index()] = small(2 * dimension + 1 - direction.place());
            }
        }
    }

    fn number_in_order(&mut self, links: &dyn Links) {
        for link in (0..links.count()).map(LinkId::new) {
            let (from, to) = links.ends(link);
            let output = &mut self.links[from.index()].outputs;
            self.outputs[link.index()] = small(*output);
            *output += 1;
            let input = &mut self.links[to.index()].inputs;
            self.inputs[link.index()] = small(*input);
            *input += 1;
        }
    }

    /// The numbers of ports of `router`.
    pub fn of_router(&self, router: RouterId) -> Ports {
        self.all[router.index()]
    }

    /// The port by which flits of `link` leave a router.
    pub fn output(&self, link: LinkId) -> usize {
        self.outputs[link.index()] as usize
    }

    /// The port by which flits of `link` come to a router.
    pub fn input(&self, link: LinkId) -> usize {
        self.inputs[link.index()] as usize
    }

    /// The ports by which flits of `node`, a node of `router`, come to it and leave it for the node.
    pub fn of_node(&self, router: RouterId, node: NodeId) -> Ports {
        let Ports { inputs, outputs } = self.links[router.index()];
        let index = self.nodes[node.index()] as usize;
        Ports { inputs: inputs + index, outputs: outputs + index }
    }
}

fn small(port: usize) -> u32 {
    crate::units::narrow(port, "links and nodes are numbered with 32 bits")
}
