//! What meshes and tori say alike: nodes along each dimension, and the order in which messages cross them.

use super::{Parameter, indices, narrow};
use crate::config::Reader;
use crate::routing::Lattice;
use crate::topology::{Coordinates, LatticeLinks, Links};
use crate::units::Key;
use std::sync::Arc;

const SHAPE: Key = Key::integers("shape", 1..=u64::MAX)
    .says("nodes along each dimension, such as [16, 16]; ids are row-major, the first coordinate most significant");
const ORDER: Key = Key::integers("order", 0..=u64::MAX)
    .or_else("[0, 1, ..]")
    .says("the dimensions in the order in which messages cross them; an exchange prescribes its own");

pub(super) const KEYS: &[Key] = &[SHAPE, ORDER];

/// The dimensions of a mesh or a torus.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Axes {
    /// Nodes along each dimension.
    pub shape: Vec<u64>,
    /// The order in which coordinates are resolved.
    pub order: Vec<u64>,
}

impl Axes {
    pub(super) fn read(table: &Reader<'_>) -> Option<Self> {
        let errors = table.error_count();
        table.demand(&SHAPE);
        let shape = table.integers(&SHAPE);
        let order = table.integers(&ORDER);
        if table.error_count() > errors {
            return None;
        }
        let shape: Vec<u64> = shape?.into_iter().map(|(n, _)| n).collect();
        let in_order = 0..shape.len() as u64;
        let order = order.map_or_else(|| in_order.collect(), |order| order.into_iter().map(|(d, _)| d).collect());
        Some(Self { shape, order })
    }

    pub(super) fn parameters(&self) -> Vec<(&'static str, Parameter)> {
        let Self { shape, order } = self;
        vec![("shape", Parameter::Integers(shape.clone())), ("order", Parameter::Integers(order.clone()))]
    }

    /// Nodes along each dimension, as topologies take them.
    pub(super) fn sides(&self) -> Vec<usize> {
        indices(&self.shape)
    }

    /// The order, as routings take it.
    pub(super) fn order(&self) -> Vec<usize> {
        indices(&self.order)
    }

    pub(super) fn shape(&self) -> Vec<u32> {
        self.shape.iter().copied().map(narrow).collect()
    }

    /// In words: what is called `name`, and `in_one` dimension.
    pub(super) fn title(&self, name: &str, in_one: &str) -> String {
        if let [nodes] = self.shape[..] {
            return format!("{in_one} of {nodes}");
        }
        let sizes: Vec<String> = self.shape.iter().map(ToString::to_string).collect();
        format!("{} {name}", sizes.join("x"))
    }

    /// Channels of the longest path, which goes from end to end of every dimension.
    pub(super) fn longest_path(&self) -> u64 {
        2 + self.shape.iter().map(|n| n - 1).sum::<u64>()
    }

    pub(super) fn links(&self, wraps: bool) -> Arc<dyn Links> {
        Arc::new(LatticeLinks::new(Coordinates::new(&self.sides(), wraps)))
    }

    pub(super) fn lattice(&self, wraps: bool) -> Option<Lattice> {
        Lattice::checked(&self.sides(), wraps, &self.order())
    }
}
