//! Warnings about the machines of a scenario, which hold before any row runs.

use super::{Experiment, Scenario};
use crate::network::{BuiltNetwork, Idle};
use rustc_hash::FxHashSet;
use std::sync::Arc;

/// The most networks of a sweep that are examined.
const MOST_NETWORKS: usize = 16;

/// The most warnings of one kind.
const MOST_WARNINGS: usize = 3;

impl Scenario {
    /// The warnings about its machines. Begins with a [`checkpoint`](crate::cancel::checkpoint) for every node of a network that has
    /// parallel links.
    pub fn warnings(&self) -> Vec<String> {
        let mut seen = FxHashSet::default();
        let experiments = self.points.iter().map(|point| &point.experiment);
        let networks = experiments.filter(|experiment| !experiment.draws_directions());
        let networks = networks.filter_map(|experiment| experiment.machine.network.as_ref());
        let networks = networks.filter(|built| seen.insert(Arc::as_ptr(&built.network).cast::<()>()));
        let networks = networks.filter(|built| built.spec.parallel_advice(Idle::Some).is_some());
        let remark = |built: &BuiltNetwork| Some(format!("{}: {}", built.spec.title(), built.idle_links()?));
        let mut warnings: Vec<String> = networks.take(MOST_NETWORKS).filter_map(remark).collect();
        warnings.dedup();
        if let Some(others @ 1..) = warnings.len().checked_sub(MOST_WARNINGS) {
            warnings.truncate(MOST_WARNINGS);
            let networks = if others == 1 { "network has" } else { "networks have" };
            warnings.push(format!("{others} more {networks} parallel links that carry nothing"));
        }
        warnings.extend(self.rounded.iter().cloned());
        warnings
    }

    /// The warnings about the workloads of all points, each once.
    pub fn workload_warnings(&self) -> Vec<String> {
        let mut seen = FxHashSet::default();
        let warnings = self.points.iter().flat_map(|point| point.experiment.workload.warnings());
        warnings.filter(|warning| seen.insert(warning.clone())).collect()
    }
}

impl Experiment {
    /// True if packets on a lattice draw or choose the direction in which they take a ring.
    fn draws_directions(&self) -> bool {
        let routers = self.machine.routers.as_ref();
        let fixes_paths = routers.is_none_or(|routers| routers.fixes_paths && !self.workload.kind().open_loop);
        self.machine.lattice().is_some() && !fixes_paths
    }
}
