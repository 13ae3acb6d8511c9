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
    let view = view.with_paths(spec.multicast_paths()?).with_paths_to_root(spec.reduction_paths()?);
    Ok(view.with_labels(spec.labels()))
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

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]
mod tests {
    use super::*;
    use crate::network::{Axes, BminSpec, HypercubeSpec, MeshSpec, TorusSpec};
    use crate::routing::UpPort;
    use crate::units::{ChannelId, LinkId, NodeId};

    fn axes(shape: &[u64]) -> Axes {
        Axes { shape: shape.to_vec(), order: (0..shape.len() as u64).collect() }
    }

    fn specs() -> Vec<Box<dyn NetworkSpec>> {
        vec![
            Box::new(MeshSpec::new(axes(&[3, 4]))),
            Box::new(MeshSpec { concentration: 2, ..MeshSpec::new(axes(&[3, 3])) }),
            Box::new(MeshSpec { express: Some(2), ..MeshSpec::new(axes(&[5, 4])) }),
            Box::new(TorusSpec::new(axes(&[4, 3]), 2)),
            Box::new(TorusSpec::new(axes(&[2, 1, 5]), 1)),
            Box::new(TorusSpec { concentration: 3, ..TorusSpec::new(axes(&[3, 3]), 2) }),
            Box::new(HypercubeSpec::new(4)),
            Box::new(BminSpec { radix: 3, levels: 3, up: UpPort::Source, link_classes: Arc::default() }),
            Box::new(BminSpec { radix: 2, levels: 4, up: UpPort::Destination, link_classes: Arc::default() }),
        ]
    }

    #[test]
    fn links_and_their_virtual_channels_have_channels_of_their_own() {
        for spec in specs() {
            let view = tree_network(spec.as_ref(), spec.build(2.into()).unwrap()).unwrap();
            let mut channels = Vec::new();
            for link in (0..view.links().count()).map(LinkId::new) {
                for vc in 0..u16::try_from(view.channels().virtual_channels()).unwrap() {
                    let channel = view.channel(link, vc);
                    assert_eq!(view.link(channel), Some((link, vc)), "{}", spec.title());
                    channels.push(channel);
                }
            }
            channels.sort_unstable();
            channels.dedup();
            assert_eq!(channels.len(), view.links().count() * view.channels().virtual_channels(), "{}", spec.title());
            assert_eq!(view.link(view.channels().injection(NodeId(1))), None);
        }
    }

    /// On a network whose paths make trees these are the paths of unicasts, as far as links go.
    #[test]
    fn multicasts_take_the_links_of_unicasts() {
        for spec in specs() {
            let network = spec.build(1.into()).unwrap();
            let view = tree_network(spec.as_ref(), Arc::clone(&network)).unwrap();
            let links = |path: &[ChannelId]| -> Vec<LinkId> {
                path.iter().filter_map(|&channel| view.link(channel)).map(|(link, _)| link).collect()
            };
            let nodes = u32::try_from(network.channels().nodes()).unwrap();
            for (src, dst) in (0..nodes).flat_map(|src| (0..nodes).map(move |dst| (src, dst))) {
                let [mut own, mut paths] = [Vec::new(), Vec::new()];
                network.route(NodeId(src), NodeId(dst), &mut own);
                view.route(NodeId(src), NodeId(dst), &mut paths);
                assert_eq!(links(&own), links(&paths), "{}", spec.title());
                assert_eq!((own[0], own.last()), (paths[0], paths.last()));
            }
        }
    }
}
