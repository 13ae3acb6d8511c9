//! Warnings about the machines of a scenario, which hold before any row runs.

use super::{Experiment, Scenario};
use crate::routing::Network;
use std::sync::Arc;

impl Scenario {
    /// The warnings about its machines, each once. Begins with a [`checkpoint`](crate::cancel::checkpoint) for every node of a
    /// network that has parallel links.
    pub fn warnings(&self) -> Vec<String> {
        let mut seen: Vec<Arc<dyn Network>> = Vec::new();
        let mut warnings = Vec::new();
        for experiment in self.points.iter().map(|point| &point.experiment) {
            let Some(built) = &experiment.machine.network else { continue };
            if seen.iter().any(|network| Arc::ptr_eq(network, &built.network)) || experiment.draws_ways_round() {
                continue;
            }
            seen.push(Arc::clone(&built.network));
            let remark = built.idle_links().map(|remark| format!("{}: {remark}", built.spec.title()));
            warnings.extend(remark.filter(|remark| !warnings.contains(remark)));
        }
        warnings
    }
}

impl Experiment {
    /// True if packets on a lattice draw or choose the direction in which they take a ring.
    fn draws_ways_round(&self) -> bool {
        let routers = self.machine.routers.as_ref();
        let fixes_paths = routers.is_none_or(|routers| routers.fixes_paths && !self.workload.kind().open_loop);
        self.machine.lattice().is_some() && !fixes_paths
    }
}
