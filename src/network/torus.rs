//! `[network.torus]`: a torus of any dimensions with dimension-ordered routing the shortest way round. Two virtual
//! channels a link, with a dateline on every ring, keep it free of deadlock; with one it can deadlock.

use super::{Axes, ClosedForm, NetworkError, NetworkKind, NetworkSpec, Parameter, axes, closed_forms};
use crate::routing::{Lattice, Network, Rings};
use crate::topology::{Links, Ports, TopologyError, Torus};
use crate::units::saturated;
use std::sync::Arc;

/// The torus in the registry.
pub(super) static KIND: NetworkKind = NetworkKind {
    name: "torus",
    summary: "torus of any dimensions, dimension-ordered routing the shortest way round, 1 or 2 virtual channels",
    keys: axes::KEYS,
    virtual_channels: 2,
    read: Some(|table, asked| {
        Some(Arc::new(TorusSpec { axes: Axes::read(table)?, virtual_channels: asked.virtual_channels }))
    }),
    ..NetworkKind::DEFAULT
};

/// A torus.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TorusSpec {
    /// Its dimensions.
    pub axes: Axes,
    /// Virtual channels a link.
    pub virtual_channels: u64,
}

impl TorusSpec {
    fn topology(&self, ports: Ports) -> Result<Torus, TopologyError> {
        Torus::new(&self.axes.sides(), ports, saturated(self.virtual_channels))
    }
}

impl NetworkSpec for TorusSpec {
    fn parameters(&self) -> Vec<(&'static str, Parameter)> {
        let mut parameters = self.axes.parameters();
        parameters.push(("virtual_channels", Parameter::Integer(self.virtual_channels)));
        parameters
    }

    fn build(&self, ports: Ports) -> Result<Arc<dyn Network>, NetworkError> {
        Ok(Arc::new(Rings::new(self.topology(ports)?, self.axes.order())?))
    }

    fn links(&self) -> Result<Arc<dyn Links>, NetworkError> {
        Ok(self.axes.links(true))
    }

    fn title(&self) -> String {
        self.axes.title("torus", "ring")
    }

    fn routing(&self) -> &'static str {
        "dimension-order"
    }

    fn shape(&self) -> Vec<u32> {
        self.axes.shape()
    }

    /// A message may be told to go the long way round.
    fn longest_path(&self) -> u64 {
        self.axes.longest_path()
    }

    /// A quarter of the way round every dimension.
    fn mean_path(&self) -> u64 {
        2 + (self.longest_path() - 2) / 4
    }

    fn virtual_channels(&self) -> u64 {
        self.virtual_channels
    }

    fn closed_form(&self) -> Option<ClosedForm> {
        closed_forms::lattice(&self.axes.shape, true)
    }

    fn lattice(&self) -> Option<Lattice> {
        self.axes.lattice(true)
    }

    fn torus(&self, ports: Ports) -> Option<Torus> {
        self.topology(ports).ok()
    }
}
