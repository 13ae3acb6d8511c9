//! `[network.*]`: which machine a scenario runs on.

use crate::config::Diagnostic;
use crate::config::{Files, Reader};
use crate::routing::lattice::MOST_DIMENSIONS;
use crate::routing::{DimensionOrder, ECube, Lattice, Network, OrderError, Rings, Turnaround, UpPort};
use crate::topology::{Bmin, Hypercube, Mesh, Ports, TopologyError, Torus};
use crate::units::Key;
use rustc_hash::FxHashMap;
use serde::Serialize;
use std::cell::RefCell;
use std::rc::Rc;
use std::sync::Arc;
use thiserror::Error;

/// Every network that scenarios can name: its name, its keys, what it is.
pub const NETWORKS: &[(&str, &str, &str)] = &[
    ("mesh", "shape, order", "mesh of any dimensions, dimension-ordered routing (first coordinate first, or `order`)"),
    ("torus", "shape, order", "torus of any dimensions, the same the shortest way round, 1 or 2 virtual channels"),
    ("hypercube", "dimension", "binary hypercube, e-cube routing (least significant bit first)"),
    ("bmin", "radix, levels, up", "bidirectional multistage network (k-ary n-tree), turnaround routing"),
    ("grid", "actual, .. or nodes, ..", "a cost for every ordered pair of nodes, one-port, for broadcasts"),
];

/// A network as a scenario describes it.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum NetworkSpec {
    /// A mesh.
    Mesh {
        /// Nodes along each dimension.
        shape: Vec<u64>,
        /// The order in which coordinates are resolved.
        order: Vec<u64>,
    },
    /// A torus.
    Torus {
        /// Nodes along each dimension.
        shape: Vec<u64>,
        /// The order in which coordinates are resolved.
        order: Vec<u64>,
        /// Virtual channels a link.
        virtual_channels: u64,
    },
    /// A hypercube.
    Hypercube {
        /// Bits of a node id.
        dimension: u64,
    },
    /// A bidirectional multistage network.
    Bmin {
        /// Ways down, and ways up, of a switch.
        radix: u64,
        /// Levels of switches.
        levels: u64,
        /// Which way up messages take.
        up: UpPort,
    },
}

/// Why a network cannot be built.
#[derive(Clone, Debug, Error)]
#[non_exhaustive]
pub enum NetworkError {
    /// The topology is impossible.
    #[error(transparent)]
    Topology(#[from] TopologyError),
    /// The routing order is no order.
    #[error(transparent)]
    Order(#[from] OrderError),
}

impl NetworkSpec {
    /// The network, with such `ports` a node.
    ///
    /// # Errors
    /// If the topology is empty or cannot be numbered, or the routing order is no permutation.
    pub fn build(&self, ports: Ports) -> Result<Arc<dyn Network>, NetworkError> {
        Ok(match self {
            Self::Mesh { shape, order } => {
                let mesh = Mesh::new(&indices(shape), ports)?;
                Arc::new(DimensionOrder::new(mesh, indices(order))?)
            }
            Self::Torus { shape, order, virtual_channels } => {
                Arc::new(Rings::new(Torus::new(&indices(shape), ports, index(*virtual_channels))?, indices(order))?)
            }
            Self::Hypercube { dimension } => Arc::new(ECube::new(Hypercube::new(index(*dimension), ports)?)),
            Self::Bmin { radix, levels, up } => {
                Arc::new(Turnaround::new(Bmin::new(index(*radix), index(*levels), ports)?, *up))
            }
        })
    }

    /// Virtual channels of a link.
    pub fn virtual_channels(&self) -> u64 {
        if let Self::Torus { virtual_channels, .. } = self { *virtual_channels } else { 1 }
    }

    /// How many nodes there are along each dimension; two along those of a hypercube, all leaves along that of a bmin.
    pub fn shape(&self) -> Vec<u32> {
        let narrow = |n: u64| u32::try_from(n).unwrap_or(u32::MAX);
        match self {
            Self::Mesh { shape, .. } | Self::Torus { shape, .. } => shape.iter().copied().map(narrow).collect(),
            Self::Hypercube { dimension } => vec![2; index(*dimension)],
            Self::Bmin { radix, levels, .. } => vec![narrow(radix.saturating_pow(narrow(*levels)))],
        }
    }

    /// The network as a lattice of routers, if it is one and not too long along a dimension.
    pub fn lattice(&self) -> Option<Lattice> {
        let shape: Vec<usize> = self.shape().iter().map(|&n| n as usize).collect();
        let order = match self {
            Self::Mesh { order, .. } | Self::Torus { order, .. } => indices(order),
            Self::Hypercube { .. } => (0..shape.len()).rev().collect(),
            Self::Bmin { .. } => return None,
        };
        let fits = shape.len() <= MOST_DIMENSIONS && shape.iter().all(|&n| n <= 1 << 16);
        fits.then(|| Lattice::new(&shape, matches!(self, Self::Torus { .. }), &order))
    }

    /// The torus, with such `ports` a node, if it is one that can be built.
    pub fn torus(&self, ports: Ports) -> Option<Torus> {
        match self {
            Self::Torus { shape, virtual_channels, .. } => {
                Torus::new(&indices(shape), ports, index(*virtual_channels)).ok()
            }
            _ => None,
        }
    }

    /// The network in a few words, such as `16x16 mesh`.
    pub fn title(&self) -> String {
        match self {
            Self::Mesh { shape, .. } => by(shape, "mesh", "line"),
            Self::Torus { shape, .. } => by(shape, "torus", "ring"),
            Self::Hypercube { dimension } => format!("hypercube of dimension {dimension}"),
            Self::Bmin { radix, levels, .. } => format!("{radix}-ary {levels}-level bmin"),
        }
    }

    /// A bound on the number of channels of any path, both ends included.
    pub fn longest_path(&self) -> u64 {
        2 + match self {
            // a message on a torus may be told to go the long way round
            Self::Mesh { shape, .. } | Self::Torus { shape, .. } => shape.iter().map(|n| n - 1).sum(),
            Self::Hypercube { dimension } => *dimension,
            Self::Bmin { levels, .. } => 2 * (levels - 1),
        }
    }
}

/// A mesh or a torus in words, which has another name in one dimension.
fn by(shape: &[u64], name: &str, in_one: &str) -> String {
    if let [nodes] = shape {
        return format!("{in_one} of {nodes}");
    }
    let sizes: Vec<String> = shape.iter().map(ToString::to_string).collect();
    format!("{} {name}", sizes.join("x"))
}

fn index(value: u64) -> usize {
    usize::try_from(value).unwrap_or(usize::MAX)
}

fn indices(values: &[u64]) -> Vec<usize> {
    values.iter().copied().map(index).collect()
}

const SHAPE: Key = Key::integers("shape", 1..=u64::MAX)
    .says("nodes along each dimension, such as [16, 16]; ids are row-major, the first coordinate most significant");
const ORDER: Key = Key::integers("order", 0..=u64::MAX)
    .or_else("[0, 1, ..]")
    .says("the dimensions in the order in which messages cross them; an exchange prescribes its own");

/// The keys of `[network.mesh]` and `[network.torus]`.
pub(crate) const LATTICE: &[Key] = &[SHAPE, ORDER];

const DIMENSION: Key = Key::integer("dimension", 0..=u64::MAX).says("bits of a node id: there are 2^dimension nodes");

/// The keys of `[network.hypercube]`.
pub(crate) const HYPERCUBE: &[Key] = &[DIMENSION];

const RADIX: Key = Key::integer("radix", 2..=u64::MAX).says("channels down, and channels up, of a switch");
const LEVELS: Key = Key::integer("levels", 1..=u64::MAX).says("levels of switches: there are radix^levels nodes");
const UP_PORTS: [(&str, UpPort); 2] = [("source", UpPort::Source), ("destination", UpPort::Destination)];
const UP: Key = Key::word("up", |at| UP_PORTS.get(at).map(|(name, _)| *name))
    .or_word("source")
    .says("whose digits choose among the channels up");

/// The keys of `[network.bmin]`.
pub(crate) const BMIN: &[Key] = &[RADIX, LEVELS, UP];

/// Reads `[network]` and builds it with such `ports` a node; what is wrong has been reported. Of more virtual channels than
/// its own routing takes, it has those: routers have the others.
pub(crate) fn read(
    root: &Reader<'_>,
    ports: Ports,
    asked: Option<u64>,
    files: &mut Files<'_>,
) -> Option<(NetworkSpec, Arc<dyn Network>)> {
    let network = root.table("network")?;
    let chosen = network.only_table();
    let built = chosen.and_then(|(name, table)| {
        let vcs = virtual_channels(name, asked);
        let spec = match name {
            "mesh" => lattice(&table).map(|(shape, order)| NetworkSpec::Mesh { shape, order }),
            "torus" => lattice(&table).map(|(shape, order)| NetworkSpec::Torus { shape, order, virtual_channels: vcs }),
            "hypercube" => table.required_integer(&DIMENSION).map(|dimension| NetworkSpec::Hypercube { dimension }),
            _ => bmin(&table),
        };
        let built = spec.and_then(|spec| build(root, &table, spec, ports, files));
        table.finish();
        built
    });
    network.finish();
    built
}

/// The virtual channels of the network called `name`: a torus has one, or two with a dateline; dimension-ordered, e-cube
/// and turnaround routing need one.
fn virtual_channels(name: &str, asked: Option<u64>) -> u64 {
    let most = if name == "torus" { 2 } else { 1 };
    asked.unwrap_or(most).min(most)
}

/// The networks of a scenario, by what they are made from.
type Built = Rc<RefCell<FxHashMap<(NetworkSpec, Ports), Arc<dyn Network>>>>;

/// The network that `spec` describes, which all points that describe the same share.
fn built(spec: NetworkSpec, ports: Ports, files: &mut Files<'_>) -> Result<Arc<dyn Network>, NetworkError> {
    let all: Built = files.shared("", |_| Built::default());
    if let Some(known) = all.borrow().get(&(spec.clone(), ports)) {
        return Ok(Arc::clone(known));
    }
    let network = spec.build(ports)?;
    all.borrow_mut().insert((spec, ports), Arc::clone(&network));
    Ok(network)
}

fn build(
    root: &Reader<'_>,
    table: &Reader<'_>,
    spec: NetworkSpec,
    ports: Ports,
    files: &mut Files<'_>,
) -> Option<(NetworkSpec, Arc<dyn Network>)> {
    match built(spec.clone(), ports, files) {
        Ok(network) => Some((spec, network)),
        Err(error) => {
            let place = match &error {
                // of the numbers that can be written, only one without limit is too large
                NetworkError::Topology(TopologyError::TooManyPorts { .. }) => {
                    root.place_within(&["node", "ejection_ports"])
                }
                _ => place_of(table, &error),
            };
            let wrong = Diagnostic::at(place, error.to_string());
            table.error(match error {
                NetworkError::Topology(TopologyError::Empty(_)) => wrong.note("accepted: such as [16, 16]"),
                _ => wrong,
            });
            None
        }
    }
}

fn place_of(table: &Reader<'_>, error: &NetworkError) -> crate::config::Place {
    let key = match error {
        NetworkError::Order(_) => "order",
        NetworkError::Topology(_) if table.has("shape") => "shape",
        NetworkError::Topology(_) if table.has("dimension") => "dimension",
        NetworkError::Topology(_) => "radix",
    };
    table.place_of(key)
}

/// The shape of a mesh or torus, and the order in which its coordinates are resolved.
fn lattice(table: &Reader<'_>) -> Option<(Vec<u64>, Vec<u64>)> {
    let errors = table.error_count();
    table.demand(&SHAPE);
    let shape = table.integers(&SHAPE);
    let order = table.integers(&ORDER);
    if table.error_count() > errors {
        return None;
    }
    let shape: Vec<u64> = shape?.into_iter().map(|(n, _)| n).collect();
    let order =
        order.map_or_else(|| (0..shape.len() as u64).collect(), |order| order.into_iter().map(|(d, _)| d).collect());
    Some((shape, order))
}

fn bmin(table: &Reader<'_>) -> Option<NetworkSpec> {
    let radix = table.required_integer(&RADIX);
    let levels = table.required_integer(&LEVELS);
    let up = table.choice(&UP, &UP_PORTS);
    Some(NetworkSpec::Bmin { radix: radix?, levels: levels?, up })
}
