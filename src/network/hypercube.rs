//! `[network.hypercube]`: a binary hypercube with e-cube routing, which needs one virtual channel.

use super::{ClosedForm, NetworkError, NetworkKind, NetworkSpec, Parameter, closed_forms};
use crate::routing::{ECube, Lattice, Network};
use crate::topology::{Coordinates, Hypercube, LatticeLinks, Links, Ports};
use crate::units::{Key, saturated};
use std::sync::Arc;

const DIMENSION: Key = Key::integer("dimension", 0..=u64::MAX).says("bits of a node id: there are 2^dimension nodes");

/// The hypercube in the registry.
pub(super) static KIND: NetworkKind = NetworkKind {
    name: "hypercube",
    summary: "binary hypercube, e-cube routing (least significant bit first)",
    keys: &[DIMENSION],
    read: Some(|table, _| Some(Arc::new(HypercubeSpec { dimension: table.required_integer(&DIMENSION)? }))),
    ..NetworkKind::DEFAULT
};

/// A hypercube.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HypercubeSpec {
    /// Bits of a node id.
    pub dimension: u64,
}

impl NetworkSpec for HypercubeSpec {
    fn parameters(&self) -> Vec<(&'static str, Parameter)> {
        vec![("dimension", Parameter::Integer(self.dimension))]
    }

    fn build(&self, ports: Ports) -> Result<Arc<dyn Network>, NetworkError> {
        Ok(Arc::new(ECube::new(Hypercube::new(saturated(self.dimension), ports)?)))
    }

    fn links(&self) -> Result<Arc<dyn Links>, NetworkError> {
        Ok(Arc::new(LatticeLinks::new(Coordinates::new(&vec![2; saturated(self.dimension)], false))))
    }

    fn title(&self) -> String {
        format!("hypercube of dimension {}", self.dimension)
    }

    fn routing(&self) -> &'static str {
        "e-cube"
    }

    fn shape(&self) -> Vec<u32> {
        vec![2; saturated(self.dimension)]
    }

    fn longest_path(&self) -> u64 {
        2 + self.dimension
    }

    fn closed_form(&self) -> Option<ClosedForm> {
        closed_forms::lattice(&vec![2; saturated(self.dimension)], false)
    }

    /// The last coordinate is the least significant bit, which is corrected first.
    fn lattice(&self) -> Option<Lattice> {
        let dimension = saturated(self.dimension);
        Lattice::checked(&vec![2; dimension], false, &(0..dimension).rev().collect::<Vec<_>>())
    }

    fn is_hypercube(&self) -> bool {
        true
    }
}
