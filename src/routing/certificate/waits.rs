//! States as a graph of numbers: which virtual channels are used, which demands stand at the front of each, and which
//! virtual channels each demand requests.

use super::VirtualChannel;
use super::states::{Demand, Lists, Request, States};
use crate::units::narrow;

/// A virtual channel that a demand requests, or a demand that requests it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Edge {
    /// The number of the virtual channel, or of the demand.
    pub(super) to: u32,
    /// Whether it is taken only while its buffer is empty.
    pub(super) empty: bool,
}

/// Which packets wait for what.
#[derive(Clone, Debug)]
pub(super) struct Waits {
    pub(super) states: States,
    pub(super) channels: Numbering,
    /// Per virtual channel the demands at its front: its states.
    pub(super) fronts: Lists<u32>,
    /// Per demand the virtual channels at whose front it stands.
    pub(super) holders: Lists<u32>,
    /// Per demand the virtual channels that it requests.
    pub(super) requested: Lists<Edge>,
    /// Per virtual channel the demands that request it.
    pub(super) requesters: Lists<Edge>,
}

impl Waits {
    pub(super) fn new(states: States) -> Self {
        let channels = Numbering::new(&states);
        let holding = |(demand, request): (Demand, Request)| channels.of(request).map(move |to| (demand.0, to));
        let holders: Vec<(u32, u32)> = states.held().flat_map(holding).collect();
        let edges = |request: &Request| {
            let empty = request.empty;
            channels.of(*request).map(move |to| Edge { to, empty })
        };
        let requesting =
            |demand: Demand| states.requests(demand).iter().flat_map(edges).map(move |edge| (demand.0, edge));
        let requested: Vec<(u32, Edge)> = states.numbers().flat_map(requesting).collect();
        let fronts = holders.iter().map(|&(demand, channel)| (channel, demand)).collect();
        let requester = |&(demand, Edge { to, empty }): &(u32, Edge)| (to, Edge { to: demand, empty });
        let requesters = requested.iter().map(requester).collect();
        let demands = states.numbers().len();
        Self {
            fronts: Lists::from_pairs(channels.used.len(), fronts),
            holders: Lists::from_pairs(demands, holders),
            requested: Lists::from_pairs(demands, requested),
            requesters: Lists::from_pairs(channels.used.len(), requesters),
            channels,
            states,
        }
    }

    /// The numbers of all virtual channels that are used.
    pub(super) fn all_channels(&self) -> std::ops::Range<u32> {
        0..narrow(self.channels.used.len(), "virtual channels are numbered with 32 bits")
    }

    /// The virtual channels that what stands at the front of `channel` may request, sorted, each once.
    pub(super) fn turns(&self, channel: u32) -> Vec<u32> {
        let requested = |&demand: &u32| self.requested.at(demand).iter().map(|edge| edge.to);
        let mut turns: Vec<u32> = self.fronts.at(channel).iter().flat_map(requested).collect();
        turns.sort_unstable();
        turns.dedup();
        turns
    }
}

/// Numbers of the virtual channels at whose front a header may stand.
#[derive(Clone, Debug)]
pub(super) struct Numbering {
    virtual_channels: usize,
    /// Sorted: the place of each is its number.
    pub(super) used: Vec<VirtualChannel>,
    /// Per virtual channel of all links its number, which is of no account where it is not used.
    numbers: Vec<u32>,
}

impl Numbering {
    fn new(states: &States) -> Self {
        let virtual_channels = usize::from(states.virtual_channels);
        let mut requests: Vec<Request> = states.held().map(|(_, request)| request).collect();
        requests.sort_unstable();
        requests.dedup();
        let mut used: Vec<VirtualChannel> = requests.into_iter().flat_map(Request::channels).collect();
        used.sort_unstable();
        used.dedup();
        let links = used.last().map_or(0, |last| last.link.index() + 1);
        let mut numbers = vec![0; links * virtual_channels];
        for (number, channel) in used.iter().enumerate() {
            numbers[channel.link.index() * virtual_channels + usize::from(channel.vc)] =
                narrow(number, "virtual channels are numbered with 32 bits");
        }
        Self { virtual_channels, used, numbers }
    }

    /// The numbers of the virtual channels of `request`.
    pub(super) fn of(&self, request: Request) -> std::ops::RangeInclusive<u32> {
        let first = request.link.index() * self.virtual_channels + usize::from(request.first);
        let more = u32::from(request.last - request.first);
        // the virtual channels of a request are used together, so that their numbers follow each other
        let first = self.numbers[first];
        first..=first + more
    }
}
