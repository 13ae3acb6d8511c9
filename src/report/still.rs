//! A network without a replay: coloured by how busy its links were.

use super::channels::ChannelList;
use super::data::{LayoutData, settings};
use super::places::{Places, without_number};
use crate::kind::RowId;
use crate::scenario::Scenario;
use rustc_hash::FxHashMap;
use serde_json::{Value as Json, json};

/// A network whose links were as busy as `links.csv` says.
pub struct Still {
    json: Json,
}

impl Still {
    /// Of the row `id` of `scenario`, of which `utilisation` says which part of the time each link carried flits; none if it has no
    /// network.
    ///
    /// # Panics
    /// If the scenario has no such row.
    pub fn new(scenario: &Scenario, id: RowId, utilisation: &FxHashMap<String, f64>) -> Option<Self> {
        let experiment = &scenario.points[id.point].experiment;
        let places = Places::new(&experiment.machine)?;
        let channels = ChannelList::new(&experiment.machine, &places);
        let load = channels.channels.iter().map(|channel| {
            let link = without_number(&channel.name, " vc ");
            utilisation.get(link)
        });
        let json = json!({
            "point": id.point,
            "algorithm": experiment.workload.variant(id.algorithm),
            "repetition": id.repetition,
            "settings": settings(scenario, id.point),
            "nodes": places.nodes,
            "layout": LayoutData::new(&places),
            "load": load.collect::<Vec<_>>(),
            "channels": channels.channels,
        });
        Some(Self { json })
    }

    pub(super) fn json(&self) -> &Json {
        &self.json
    }
}
