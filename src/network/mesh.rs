//! `[network.mesh]`: a mesh of any dimensions with dimension-ordered routing, which needs one virtual channel.

use super::{Axes, ClosedForm, NetworkError, NetworkKind, NetworkSpec, Parameter, axes, closed_forms};
use crate::routing::{DimensionOrder, Lattice, Network};
use crate::topology::{Links, Mesh, Ports};
use std::sync::Arc;

/// The mesh in the registry.
pub(super) static KIND: NetworkKind = NetworkKind {
    name: "mesh",
    summary: "mesh of any dimensions, dimension-ordered routing (first coordinate first, or `order`)",
    keys: axes::KEYS,
    read: Some(|table, _| Some(Arc::new(MeshSpec(Axes::read(table)?)))),
    ..NetworkKind::DEFAULT
};

/// A mesh.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MeshSpec(pub Axes);

impl NetworkSpec for MeshSpec {
    fn parameters(&self) -> Vec<(&'static str, Parameter)> {
        self.0.parameters()
    }

    fn build(&self, ports: Ports) -> Result<Arc<dyn Network>, NetworkError> {
        let mesh = Mesh::new(&self.0.sides(), ports)?;
        Ok(Arc::new(DimensionOrder::new(mesh, self.0.order())?))
    }

    fn links(&self) -> Result<Arc<dyn Links>, NetworkError> {
        Ok(self.0.links(false))
    }

    fn title(&self) -> String {
        self.0.title("mesh", "line")
    }

    fn routing(&self) -> &'static str {
        "dimension-order"
    }

    fn shape(&self) -> Vec<u32> {
        self.0.shape()
    }

    fn longest_path(&self) -> u64 {
        self.0.longest_path()
    }

    /// Two numbers drawn from as many lie a third of them apart.
    fn mean_path(&self) -> u64 {
        2 + (self.longest_path() - 2) / 3
    }

    fn closed_form(&self) -> Option<ClosedForm> {
        closed_forms::lattice(&self.0.shape, false)
    }

    fn lattice(&self) -> Option<Lattice> {
        self.0.lattice(false)
    }
}
