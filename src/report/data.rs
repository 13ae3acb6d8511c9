//! What a page is made of, as JSON.

use super::blobs::{BINS, Blob, Stride, binned, hop_blobs};
use super::channels::ChannelList;
use super::places::Places;
use super::ranks::add_ranks;
use crate::machine::Machine;
use crate::network::layout::Place;
use crate::output::Explained;
use crate::recording::Interval;
use crate::scenario::Scenario;
use serde::Serialize;
use serde_json::{Value as Json, json};

/// A run that can be replayed: what its page says of it, and its hops.
pub(super) struct Replay {
    /// How the page calls it.
    pub(super) id: usize,
    pub(super) json: Json,
    pub(super) blobs: Vec<Blob>,
}

/// Where vertices stand, as the page reads it.
#[derive(Serialize)]
pub(super) struct LayoutData<'a> {
    kind: &'a str,
    shape: &'a [u32],
    x: Vec<Json>,
    y: Vec<Json>,
    names: &'a [String],
    #[serde(skip_serializing_if = "Option::is_none")]
    slices: Option<&'a [u32]>,
    #[serde(skip_serializing_if = "Option::is_none")]
    routers: Option<RoutersData<'a>>,
}

/// The vertices that are no nodes.
#[derive(Serialize)]
struct RoutersData<'a> {
    x: Vec<Json>,
    y: Vec<Json>,
    names: &'a [String],
}

impl<'a> LayoutData<'a> {
    pub(super) fn new(places: &'a Places) -> Self {
        let of_nodes = &places.places[..places.nodes];
        let of_routers = &places.places[places.nodes..];
        let routers = RoutersData { x: xs(of_routers), y: ys(of_routers), names: &places.names[places.nodes..] };
        Self {
            kind: places.kind,
            shape: &places.shape,
            x: xs(of_nodes),
            y: ys(of_nodes),
            names: &places.names[..places.nodes],
            slices: places.slices.as_deref(),
            routers: (!of_routers.is_empty()).then_some(routers),
        }
    }
}

fn xs(places: &[Place]) -> Vec<Json> {
    places.iter().map(|place| rounded(place.x)).collect()
}

fn ys(places: &[Place]) -> Vec<Json> {
    places.iter().map(|place| rounded(place.y)).collect()
}

/// To a thousandth, whole numbers without decimals.
fn rounded(value: f64) -> Json {
    let thousandths = (value * 1000.0).round();
    if thousandths % 1000.0 == 0.0 {
        #[expect(clippy::cast_possible_truncation, reason = "places are near the origin")]
        return json!((thousandths / 1000.0) as i64);
    }
    json!(thousandths / 1000.0)
}

impl Replay {
    /// Returns the replay of a recorded row of `scenario`. A run with too many hops has sums per interval instead.
    ///
    /// # Panics
    /// If the row ran on no network.
    pub(super) fn new(scenario: &Scenario, id: usize, explained: &Explained<'_>, whole: bool) -> Self {
        let recording = &explained.recording;
        let machine = &*recording.machine;
        #[expect(clippy::expect_used, reason = "what was recorded ran on a network")]
        let places = Places::new(machine).expect("what was recorded ran on a network");
        let channels = ChannelList::new(machine, &places);
        let stride = stride(machine);
        let interval = |interval: &Interval| {
            let Interval { kind, from, to, message, channel, .. } = *interval;
            json!([kind.name(), from.0, to.0, message, channel.map(|channel| channels.number(channel))])
        };
        let mut json = json!({
            "id": id,
            "point": explained.id.point,
            "algorithm": explained.algorithm,
            "repetition": explained.id.repetition,
            "completion": recording.completion.0,
            "messages": recording.messages.len(),
            "hops": recording.hops.len(),
            "nodes": places.nodes,
            "flit_time": stride.flit_time,
            "routing_delay": stride.routing_delay,
            "settings": settings(scenario, explained.id.point),
            "channels": channels.channels,
            "layout": LayoutData::new(&places),
            "critical": explained.explanation.path.iter().map(interval).collect::<Vec<_>>(),
            "words": explained.explanation.words,
        });
        if recording.numbers().any(|message| recording.id(message) != u64::from(message.0)) {
            json["ids"] = recording.messages.iter().map(|message| message.id).collect();
        }
        if let Some(timeline) = &recording.timeline {
            add_ranks(&mut json, timeline, &timeline.measured, recording.completion);
        }
        let blobs = if whole {
            hop_blobs(recording, &channels, stride)
        } else {
            json["bins"] = BINS.into();
            json["note"] = TOO_MANY.into();
            binned(recording, &channels)
        };
        Self { id, json, blobs }
    }
}

/// The note of a run of which only parts of the time are known.
const TOO_MANY: &str = "This run has too many hops for a page. The page shows the load and blocking of each link in 256 \
                        intervals, but no individual messages.";

/// The swept keys with their values at `point`.
pub(super) fn settings(scenario: &Scenario, point: usize) -> Json {
    let settings = scenario.axes.iter().zip(scenario.points[point].settings.iter());
    settings.map(|(axis, value)| json!([axis.key, value])).collect()
}

/// How long a head flit takes at least from a channel to the next on `machine`.
fn stride(machine: &Machine) -> Stride {
    let flit_time = machine.channel.flit_time;
    let routing_delay = match &machine.routers {
        Some(routers) => (routers.costs.timing.hop + routers.costs.timing.routing - 1) * flit_time,
        None => machine.channel.routing_delay,
    };
    Stride { flit_time, routing_delay }
}
