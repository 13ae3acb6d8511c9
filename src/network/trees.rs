//! Networks as trees use them.

use super::{BuiltNetwork, NetworkError, NetworkSpec};
use crate::routing::Network;
use crate::routing::tree::TreeNetwork;
use std::sync::Arc;

/// The view that trees have of `network`, which `spec` describes.
///
/// # Errors
/// Returns an error if links cannot be numbered.
pub fn tree_network(spec: &dyn NetworkSpec, network: Arc<dyn Network>) -> Result<TreeNetwork, NetworkError> {
    let view = TreeNetwork::new(network, spec.links()?, spec.lattice());
    Ok(view.with_paths(spec.multicast_paths()?).with_labels(spec.labels()))
}

impl BuiltNetwork {
    /// The view that trees have of it.
    ///
    /// # Errors
    /// Returns an error if links cannot be numbered.
    pub fn tree_network(&self) -> Result<TreeNetwork, NetworkError> {
        tree_network(self.spec.as_ref(), Arc::clone(&self.network))
    }
}
