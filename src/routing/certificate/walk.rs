//! The states of packets, found by walking from all sources.

use super::states::{Demand, Request, States};
use crate::cancel;
use crate::units::{LinkId, narrow};
use rustc_hash::FxHashMap;
use std::hash::Hash;

/// What the headers of packets may request on a network of links.
///
/// Headers fall into groups, such as those of a destination, which are walked one after the other, so that what has been seen
/// of one is forgotten before the next.
pub trait Packets {
    /// All that decides what a header requests: where it is, and what it says.
    type Position: Copy + Eq + Hash;

    /// Virtual channels of a link.
    fn virtual_channels(&self) -> u16;

    /// How many groups there are.
    fn groups(&self) -> usize;

    /// The group of headers at `place`.
    fn group(&self, place: Self::Position) -> usize;

    /// Puts the places where headers of `group` set out into `sources`, and those that headers of other groups lead to.
    fn sources(&self, group: usize, sources: &mut Vec<Self::Position>);

    /// Puts what a header requests at `place` into `onward`, each request with a place to which it leads; one that leads to
    /// several stands there as often, one after the other. Nothing where it leaves the network.
    fn onward(&mut self, place: Self::Position, onward: &mut Vec<(Request, Self::Position)>);
}

/// Which headers have one demand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Merging {
    /// Those that request the same.
    SameRequests,
    /// None: each has its own.
    Nothing,
}

impl States {
    /// The states of `packets`; headers that request the same are merged. Begins with a [`checkpoint`](cancel::checkpoint) for
    /// every group.
    pub fn walk<P: Packets>(packets: &mut P) -> Self {
        let mut walk = Walk::new(packets, Merging::SameRequests);
        for group in 0..walk.packets.groups() {
            cancel::checkpoint();
            walk.group(group);
        }
        walk.states
    }

    /// The same without merging any headers; none if there are more than `most`.
    pub fn walk_apart<P: Packets>(packets: &mut P, most: usize) -> Option<Self> {
        let mut walk = Walk::new(packets, Merging::Nothing);
        for group in 0..walk.packets.groups() {
            cancel::checkpoint();
            walk.group(group);
            if walk.asked.len() > most {
                return None;
            }
        }
        Some(walk.states)
    }
}

struct Walk<'a, P: Packets> {
    packets: &'a mut P,
    merging: Merging,
    states: States,
    /// Demands by what they request, where headers are merged.
    known: FxHashMap<Box<[Request]>, Demand>,
    /// Per link the demand found last whose first request is of that link: most headers request what the one before them did.
    found_last: FxHashMap<LinkId, Demand>,
    seen: Seen<P::Position>,
    /// Demands of the places that were seen first.
    asked: Vec<Demand>,
}

/// Places, numbered as they are found.
struct Seen<P> {
    numbers: FxHashMap<P, u32>,
    places: Vec<P>,
}

impl<P> Default for Seen<P> {
    fn default() -> Self {
        Self { numbers: FxHashMap::default(), places: Vec::new() }
    }
}

impl<P: Copy + Eq + Hash> Seen<P> {
    fn number(&mut self, place: P) -> u32 {
        *self.numbers.entry(place).or_insert_with(|| {
            self.places.push(place);
            narrow(self.places.len() - 1, "memory ends before 2^32 places")
        })
    }

    fn clear(&mut self) {
        self.numbers.clear();
        self.places.clear();
    }
}

/// A request of the header at a place leads to a place, both by their numbers.
struct Move {
    from: u32,
    request: u32,
    to: u32,
}

impl<'a, P: Packets> Walk<'a, P> {
    fn new(packets: &'a mut P, merging: Merging) -> Self {
        let states = States::new(packets.virtual_channels());
        Self {
            packets,
            merging,
            states,
            known: FxHashMap::default(),
            found_last: FxHashMap::default(),
            seen: Seen::default(),
            asked: Vec::new(),
        }
    }

    fn group(&mut self, group: usize) {
        if self.merging == Merging::SameRequests {
            self.seen.clear();
            self.asked.clear();
        }
        let mut sources = Vec::new();
        self.packets.sources(group, &mut sources);
        for source in sources {
            self.seen.number(source);
        }
        for Move { from, request, to } in self.follow(group) {
            self.states.lead(self.asked[from as usize], request, self.asked[to as usize]);
        }
    }

    /// Asks for the demand of every place that is reached, and returns the moves between them.
    fn follow(&mut self, group: usize) -> Vec<Move> {
        let mut moves = Vec::new();
        let mut onward = Vec::new();
        let mut requests: Vec<Request> = Vec::new();
        while let Some(&place) = self.seen.places.get(self.asked.len()) {
            onward.clear();
            requests.clear();
            self.packets.onward(place, &mut onward);
            let from = narrow(self.asked.len(), "places are numbered with 32 bits");
            let follows = self.follows(place, group);
            for &(request, next) in &onward {
                if requests.last() != Some(&request) {
                    requests.push(request);
                }
                if follows {
                    let request = narrow(requests.len() - 1, "a head flit has fewer than 2^32 requests");
                    moves.push(Move { from, request, to: self.seen.number(next) });
                }
            }
            let demand = self.demand(&requests);
            self.asked.push(demand);
        }
        moves
    }

    /// Whether what is requested at `place` is followed now, not when it is the turn of its own group. What has its own demand
    /// is followed when it is found.
    fn follows(&self, place: P::Position, group: usize) -> bool {
        self.merging == Merging::Nothing || self.packets.group(place) == group
    }

    fn demand(&mut self, requests: &[Request]) -> Demand {
        if self.merging == Merging::Nothing {
            return self.states.add(requests);
        }
        let Some(first) = requests.first() else { return self.known_demand(requests) };
        match self.found_last.get(&first.link) {
            Some(&last) if self.states.requests(last) == requests => last,
            _ => {
                let demand = self.known_demand(requests);
                self.found_last.insert(first.link, demand);
                demand
            }
        }
    }

    fn known_demand(&mut self, requests: &[Request]) -> Demand {
        if let Some(&known) = self.known.get(requests) {
            return known;
        }
        let new = self.states.add(requests);
        self.known.insert(requests.into(), new);
        new
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::routing::certificate::{Certificate, Verdict};
    use crate::units::LinkId;

    /// A header at a place requests links, some only while their buffers are empty (`*`), and each leads to a place.
    struct Table {
        onward: Vec<Vec<(&'static str, usize)>>,
        sources: Vec<usize>,
    }

    impl Packets for Table {
        type Position = usize;

        fn virtual_channels(&self) -> u16 {
            1
        }

        fn groups(&self) -> usize {
            1
        }

        fn group(&self, _: usize) -> usize {
            0
        }

        fn sources(&self, _: usize, sources: &mut Vec<usize>) {
            sources.extend(&self.sources);
        }

        fn onward(&mut self, place: usize, onward: &mut Vec<(Request, usize)>) {
            let request = |name: &str| {
                let link = LinkId(u32::from(name.as_bytes()[0] - b'a'));
                Request { link, first: 0, last: 0, empty: name.ends_with('*') }
            };
            onward.extend(self.onward[place].iter().map(|&(name, to)| (request(name), to)));
        }
    }

    /// Place 0 is where packets leave.
    fn table(sources: &[usize], onward: &[&[(&'static str, usize)]]) -> Table {
        let rows = std::iter::once(Vec::new()).chain(onward.iter().map(|row| row.to_vec()));
        Table { onward: rows.collect(), sources: sources.to_vec() }
    }

    #[test]
    fn headers_that_request_the_same_are_told_apart_where_that_decides() {
        // from a over b or out (x) to c, where it leaves; from e over f to g alike
        let mut alone = table(
            &[1, 4, 6, 9],
            &[
                &[("a", 2)],
                &[("b*", 3), ("x", 0)],
                &[("c*", 0), ("x", 0)],
                // sets out on b and requests the same there, but waits for e behind c
                &[("b", 5)],
                &[("c*", 11), ("x", 0)],
                &[("e", 7)],
                &[("f*", 8), ("x", 0)],
                &[("g*", 0), ("x", 0)],
                // sets out on f, waits for a behind g
                &[("f", 10)],
                &[("g*", 12), ("x", 0)],
                &[("e", 0)],
                &[("a", 0)],
            ],
        );
        assert_eq!(States::walk(&mut alone).certificate().verdict(), Verdict::Undecided);
        let certificate = Certificate::for_packets(&mut alone);
        assert_eq!((certificate.verdict(), certificate.rounds()), (Verdict::Free, Some(3)));
        assert!(States::walk_apart(&mut alone, 5).is_none());
    }

    #[test]
    fn packets_that_hold_two_virtual_channels_each_are_left_undecided() {
        // from a over b to c, from c over d to a: one holds a and b, the other c and d
        let mut both = table(
            &[1, 4],
            &[&[("a", 2)], &[("b*", 3), ("x", 0)], &[("c", 0)], &[("c", 5)], &[("d*", 6), ("x", 0)], &[("a", 0)]],
        );
        assert_eq!(Certificate::for_packets(&mut both).verdict(), Verdict::Undecided);
    }

    #[test]
    fn a_cycle_is_of_virtual_channels_that_must_be_waited_for() {
        // round the ring a, b, c; from b there is a way out as well
        let mut ring =
            table(&[1, 3, 4], &[&[("a", 2)], &[("b", 0)], &[("b", 5)], &[("c", 6)], &[("c", 0)], &[("a", 0)]]);
        let certificate = Certificate::for_packets(&mut ring);
        assert_eq!((certificate.verdict(), certificate.held().len()), (Verdict::Cycle, 3));
        ring.onward[5] = vec![("c*", 0), ("x", 0)];
        let certificate = Certificate::for_packets(&mut ring);
        assert_eq!((certificate.verdict(), certificate.rounds()), (Verdict::Free, Some(4)));
    }
}
