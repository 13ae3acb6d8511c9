//! What several modules of tests need: reference data, recorded runs, random machines.

use flitwise::algorithm::multicast::{Algorithm, Inside, Request};
use flitwise::costs::ChannelCosts;
use flitwise::engine::{Engine, Event, Interest, Observer, Outcome, Program, Stop};
use flitwise::model::Parameterised;
use flitwise::routing::Network;
use flitwise::schedule::Schedule;
use flitwise::units::{ChannelId, Flits, MessageId, NodeId, Ticks};
use serde::de::DeserializeOwned;
use std::path::{Path, PathBuf};

/// The path of a file under `tests/data`.
pub(crate) fn data_path(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data").join(name)
}

/// The JSON file `name` under `tests/data`.
pub(crate) fn data<T: DeserializeOwned>(name: &str) -> T {
    let text = std::fs::read_to_string(data_path(name)).unwrap();
    serde_json::from_str(&text).unwrap()
}

/// Every header start and release of a run: (message, hop) -> (channel, start, release).
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Recording {
    pub(crate) granted: Vec<(MessageId, usize, ChannelId, Ticks, Ticks)>,
    pub(crate) released: Vec<(MessageId, usize, ChannelId, Ticks)>,
}

impl Observer for Recording {
    fn interest(&self) -> Interest {
        Interest::HOPS
    }

    fn event(&mut self, event: Event<'_>) {
        match event {
            Event::Restarted => *self = Self::default(),
            Event::Granted { message, hop, channel, requested, start } => {
                self.granted.push((message, hop, channel, requested, start));
            }
            Event::Released { message, hop, channel, at } => self.released.push((message, hop, channel, at)),
            _ => {}
        }
    }
}

/// Runs `program` and returns what happened with every start and release in the order of (message, hop).
pub(crate) fn record<P: Program + Clone>(
    engine: Engine,
    network: &dyn Network,
    costs: ChannelCosts,
    program: P,
) -> Result<(Outcome, Recording), Stop> {
    let mut recording = Recording::default();
    let outcome = engine.run(network, costs, program, &mut recording)?;
    recording.granted.sort_unstable();
    recording.released.sort_unstable();
    Ok((outcome, recording))
}

/// The model with these two times.
pub(crate) fn model(t_hold: u64, t_end: u64) -> Parameterised {
    Parameterised { t_hold: Ticks(t_hold), t_end: Ticks(t_end) }
}

/// A multicast of one flit to `group`, priced without a network, on one-port nodes.
pub(crate) fn request(group: &[NodeId], nodes: usize, model: Parameterised) -> Request<'_> {
    Request {
        group,
        nodes,
        network: None,
        copying: None,
        flits: Flits(1),
        model,
        ports: 1,
        block: 4,
        inside: Inside::Flat,
    }
}

/// What the algorithm called `name` makes of `request`.
pub(crate) fn plan(name: &str, request: &Request<'_>) -> Schedule {
    Algorithm::named(name).unwrap().plan(request).unwrap()
}

/// The nodes `0..count`.
pub(crate) fn first_nodes(count: usize) -> Vec<NodeId> {
    (0..count).map(NodeId::new).collect()
}

/// To whom `node` sends, in order.
pub(crate) fn receivers(schedule: &Schedule, node: NodeId) -> Vec<NodeId> {
    schedule.sends(node).map(|id| schedule.message(MessageId(id)).dst).collect()
}
