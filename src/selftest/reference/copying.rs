//! Packets that ideal routers copy and combine, tick by tick.
//!
//! A worm has a place for each channel of its tree. It requests the channels, holds them, and starts its flits on them. A flit starts on a
//! channel when the one before it and its operands have come, as long as every channel behind has taken all flits but those that the
//! buffer holds. Ejection channels of a tick are granted before all others, in the order of nodes, because the times of their releases
//! are known before. Everything else repeats within the tick until nothing changes, because a flit that leaves a buffer lets another in
//! at once.

use std::collections::{BTreeMap, BTreeSet};

/// The costs of routers, in ticks and flits.
#[derive(Clone, Copy, Debug)]
pub struct Rules {
    /// The time of a flit on a channel.
    pub flit_time: u64,
    /// The time that a router takes to route a head flit.
    pub routing_delay: u64,
    /// The time from the arrival of the last operand to the start of the combined flit.
    pub latency: u64,
    /// The time between the starts of two combined flits.
    pub interval: u64,
    /// The flits that a buffer holds.
    pub buffer: usize,
}

/// A resource that worms share: a channel, or the channels between a node and its router. Those of ejection come in the order of nodes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Resource {
    /// The injection channels of a node.
    Injection(u32),
    /// A virtual channel of a link.
    Link(u32),
    /// The ejection channels of a node.
    Ejection(u32),
}

/// A channel of a worm.
#[derive(Clone, Debug)]
pub struct WormChannel {
    /// The channels of which it takes one.
    pub resource: Resource,
    /// The numbers of those that it may take. The lowest that is free is taken.
    pub units: Vec<usize>,
    /// The places from which its flits come.
    pub feeds: Vec<usize>,
}

/// A packet, or packets that routers combine. Worms are in the order in which requests of the same tick are granted.
#[derive(Clone, Debug)]
pub struct Worm {
    /// The channels, each after those that feed it.
    pub places: Vec<WormChannel>,
    /// The flits.
    pub flits: usize,
    /// The tick at which it requests its injection channels.
    pub start: u64,
}

/// The run of a worm at one of its places.
#[derive(Clone, Debug, Default)]
pub struct Progress {
    /// The tick of the request.
    pub requested: Option<u64>,
    /// The unit that has been granted.
    pub unit: Option<usize>,
    /// The ticks at which flits have started.
    pub starts: Vec<u64>,
}

/// Returns the progress of each worm at each of its places. In a deadlock some flits never start.
pub fn run(rules: &Rules, worms: &[Worm]) -> Vec<Vec<Progress>> {
    let nothing = |worm: &Worm| vec![Progress::default(); worm.places.len()];
    let mut state = State { rules, worms, places: worms.iter().map(nothing).collect(), now: 0, changed: false };
    let longest_wait = rules.flit_time + rules.routing_delay + rules.latency + rules.interval;
    let last_start = worms.iter().map(|worm| worm.start).max().unwrap_or(0);
    let mut last_change = last_start;
    while state.now <= last_change + longest_wait {
        state.tick();
        last_change = if state.changed { last_change.max(state.now) } else { last_change };
        state.now += 1;
    }
    state.places
}

struct State<'a> {
    rules: &'a Rules,
    worms: &'a [Worm],
    /// By worm and place.
    places: Vec<Vec<Progress>>,
    now: u64,
    /// True if something has changed in this tick.
    changed: bool,
}

impl State<'_> {
    fn tick(&mut self) {
        self.changed = false;
        let resources: BTreeSet<Resource> =
            self.worms.iter().flat_map(|worm| worm.places.iter().map(|place| place.resource)).collect();
        let (ejection, others): (Vec<Resource>, Vec<Resource>) =
            resources.into_iter().partition(|resource| matches!(resource, Resource::Ejection(_)));
        for resource in ejection {
            self.request();
            self.grant(resource);
        }
        self.request();
        loop {
            let before = std::mem::replace(&mut self.changed, false);
            others.iter().for_each(|&resource| self.grant(resource));
            self.start_flits();
            let has_changed = self.changed;
            self.changed |= before;
            if !has_changed {
                return;
            }
        }
    }

    /// Notes the requests of this tick.
    fn request(&mut self) {
        for worm in 0..self.worms.len() {
            for place in 0..self.places[worm].len() {
                if self.places[worm][place].requested.is_none() && self.is_due(worm, place) {
                    self.places[worm][place].requested = Some(self.now);
                    self.changed = true;
                }
            }
        }
    }

    /// Returns true if the head flits have come to the router and it has routed them, and if the ejection channels there that come
    /// before have been granted.
    fn is_due(&self, worm: usize, place: usize) -> bool {
        let WormChannel { resource, feeds, .. } = &self.worms[worm].places[place];
        if matches!(resource, Resource::Injection(_)) {
            return self.now >= self.worms[worm].start;
        }
        let has_come = self.operands(worm, place, 0).is_some_and(|come| self.now >= come + self.rules.routing_delay);
        let comes_before = |other: &WormChannel| match (other.resource, *resource) {
            (Resource::Ejection(node), Resource::Ejection(own)) => node < own,
            (Resource::Ejection(_), _) => true,
            _ => false,
        };
        let mut candidates =
            self.worms[worm].places.iter().zip(&self.places[worm]).filter(|(other, _)| other.feeds == *feeds);
        has_come && candidates.all(|(other, progress)| !comes_before(other) || progress.unit.is_some())
    }

    /// The tick at which flit `flit` can start at `place` after it has come from all places that feed it, or `None` if it has not been
    /// sent by all of them.
    fn operands(&self, worm: usize, place: usize, flit: usize) -> Option<u64> {
        let feeds = &self.worms[worm].places[place].feeds;
        let latency = if feeds.len() > 1 { self.rules.latency } else { 0 };
        let mut come = 0;
        for &feed in feeds {
            come = come.max(self.places[worm][feed].starts.get(flit)? + self.rules.flit_time + latency);
        }
        Some(come)
    }

    /// Grants the units of `resource` that are free to those that wait longest.
    fn grant(&mut self, resource: Resource) {
        let mut granted: BTreeSet<usize> = BTreeSet::new();
        let mut queue: BTreeMap<(u64, usize, usize), Vec<usize>> = BTreeMap::new();
        for (number, worm) in self.worms.iter().enumerate() {
            for (at, place) in worm.places.iter().enumerate().filter(|(_, place)| place.resource == resource) {
                let progress = &self.places[number][at];
                match (progress.unit, progress.requested) {
                    (Some(unit), _) if !self.is_over(number, at) => _ = granted.insert(unit),
                    (None, Some(requested)) => _ = queue.insert((requested, number, at), place.units.clone()),
                    _ => {}
                }
            }
        }
        for ((_, worm, place), units) in queue {
            let Some(unit) = units.into_iter().find(|unit| !granted.contains(unit)) else { continue };
            granted.insert(unit);
            self.places[worm][place].unit = Some(unit);
            self.changed = true;
        }
    }

    /// Returns true if all flits have left the buffer behind `place`, or have arrived at the node.
    fn is_over(&self, worm: usize, place: usize) -> bool {
        let flits = self.worms[worm].flits;
        let mut outputs = self.outputs(worm, place).peekable();
        if outputs.peek().is_some() {
            return outputs.all(|progress| progress.starts.len() == flits);
        }
        let last = self.places[worm][place].starts.get(flits - 1);
        last.is_some_and(|last| last + self.rules.flit_time <= self.now)
    }

    /// The places that `place` feeds.
    fn outputs(&self, worm: usize, place: usize) -> impl Iterator<Item = &Progress> {
        let channels = self.worms[worm].places.iter().zip(&self.places[worm]);
        channels.filter(move |(other, _)| other.feeds.contains(&place)).map(|(_, progress)| progress)
    }

    /// Starts the flits that can start in this tick.
    fn start_flits(&mut self) {
        for worm in 0..self.worms.len() {
            for place in 0..self.places[worm].len() {
                if self.can_start(worm, place) {
                    self.places[worm][place].starts.push(self.now);
                    self.changed = true;
                }
            }
        }
    }

    fn can_start(&self, worm: usize, place: usize) -> bool {
        let Progress { unit, starts, .. } = &self.places[worm][place];
        let flit = starts.len();
        let is_join = self.worms[worm].places[place].feeds.len() > 1;
        let interval = if is_join { self.rules.interval } else { self.rules.flit_time };
        let has_come = self.operands(worm, place, flit).is_some_and(|come| come <= self.now);
        let has_slot = self.outputs(worm, place).all(|behind| flit < behind.starts.len() + self.rules.buffer);
        let may_follow = starts.last().is_none_or(|last| last + interval <= self.now);
        unit.is_some() && flit < self.worms[worm].flits && has_come && has_slot && may_follow
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn channel(resource: Resource, feeds: &[usize]) -> WormChannel {
        WormChannel { resource, units: vec![0], feeds: feeds.to_vec() }
    }

    /// The example by hand of two messages on a mesh of four nodes: 0 to 1 and 3, and 1 to 2, with buffers of two flits.
    #[test]
    fn a_branch_stops_the_other_when_its_buffer_is_full() {
        let fork = [
            channel(Resource::Injection(0), &[]),
            channel(Resource::Link(0), &[0]),
            channel(Resource::Ejection(1), &[1]),
            channel(Resource::Link(1), &[1]),
            channel(Resource::Link(2), &[3]),
            channel(Resource::Ejection(3), &[4]),
        ];
        let path = [
            channel(Resource::Injection(1), &[]),
            channel(Resource::Link(1), &[0]),
            channel(Resource::Ejection(2), &[1]),
        ];
        let worms = [fork.to_vec(), path.to_vec()].map(|places| Worm { places, flits: 4, start: 0 });
        let rules = Rules { flit_time: 1, routing_delay: 0, latency: 1, interval: 1, buffer: 2 };
        let runs = run(&rules, &worms);
        let starts = |worm: usize, place: usize| runs[worm][place].starts.clone();
        assert_eq!(starts(0, 2), [2, 3, 6, 7]);
        assert_eq!(starts(0, 3), [5, 6, 7, 8]);
        assert_eq!([starts(0, 5)[3], starts(1, 2)[3]], [10, 5]);
    }
}
