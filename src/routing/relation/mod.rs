//! Which ports and virtual channels the header of a packet may request at a router: routing as a relation.
//!
//! A [`Relation`] knows a [`Lattice`], an [`Algorithm`] and how many virtual channels a link has. It refuses to
//! know which of them are free: a router chooses among the [`Choice`]s it offers. What a packet has to remember on
//! its way is its [`Header`].
//!
//! # The virtual channels of a link
//!
//! Virtual channels are shared out evenly among the *classes* that an algorithm needs to be free of deadlock: two for
//! the dateline of a ring, times two where a packet goes in two phases. Of `V` virtual channels and `C` classes, class
//! `c` has virtual channels `c V / C` to `(c + 1) V / C - 1`. With fewer virtual channels than classes all classes
//! share all virtual channels, which can deadlock; scenarios refuse that unless they are told to allow it.
//!
//! - `dimension-order`: one dimension after the other. On a ring the class is chosen on entry: the second for packets
//!   that will cross the dateline, between the largest coordinate and 0; half-way round a coin decides which way.
//! - `west-first`, `north-last`, `negative-first`: minimal, adaptive but for two of the eight turns of a plane (Glass
//!   and Ni 1992); west is towards smaller coordinates of the first dimension, north towards larger ones of the second.
//! - `valiant`: by dimension order to a node drawn at random, and from there to the destination (Valiant and Brebner
//!   1981).
//! - `o1turn`: one of the two dimension orders of a plane, by a coin (Seo, Ali, Lim, Rafique and Thottethodi 2005).
//! - `adaptive`: any link that leads closer, on any virtual channel but the first (two on a torus); those are the
//!   *escape*, where packets go by dimension order (Duato 1993). Virtual channels other than the escape are taken only
//!   while their buffers are empty: a header behind another packet could not turn to the escape.

mod dependency;

pub use dependency::{Dependence, dependence};

use super::lattice::{Lattice, port};
use crate::topology::Direction;
use serde::Serialize;

/// How packets find their way over a lattice.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Algorithm {
    /// One dimension after the other.
    #[default]
    DimensionOrder,
    /// Towards smaller coordinates of the first dimension first, then adaptive.
    WestFirst,
    /// Towards larger coordinates of the second dimension last, before that adaptive.
    NorthLast,
    /// All that leads towards smaller coordinates first.
    NegativeFirst,
    /// By way of a random node.
    Valiant,
    /// One of both dimension orders, at random.
    O1turn,
    /// Any way that leads closer, with an escape.
    Adaptive,
}

/// A routing algorithm of the registry.
#[derive(Clone, Copy, Debug)]
pub struct Entry {
    /// The algorithm.
    pub algorithm: Algorithm,
    /// The name that scenarios use.
    pub name: &'static str,
    /// What it is.
    pub what: &'static str,
}

/// Every routing algorithm of virtual-channel routers.
pub const ALGORITHMS: [Entry; 7] = [
    entry(Algorithm::DimensionOrder, "dimension-order", "one dimension after the other (default)"),
    entry(Algorithm::WestFirst, "west-first", "2-D mesh, adaptive once nothing leads west"),
    entry(Algorithm::NorthLast, "north-last", "2-D mesh, adaptive until only north is left"),
    entry(Algorithm::NegativeFirst, "negative-first", "mesh, adaptive, smaller coordinates before larger ones"),
    entry(Algorithm::Valiant, "valiant", "by way of a random node; two classes of virtual channels"),
    entry(Algorithm::O1turn, "o1turn", "two dimensions, either order at random; two classes of virtual channels"),
    entry(Algorithm::Adaptive, "adaptive", "any shortest way, with an escape by dimension order"),
];

const fn entry(algorithm: Algorithm, name: &'static str, what: &'static str) -> Entry {
    Entry { algorithm, name, what }
}

/// What a packet remembers on its way.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Header {
    /// Where it goes.
    pub dst: u32,
    /// The node by way of which it goes, until it has been there.
    pub via: Option<u32>,
    /// Which way round the ring of dimension `d` if both are as long (bit `d`), and whether the dimensions are resolved
    /// last first (bit 31).
    pub coins: u32,
    /// Of a ring, the class that was chosen on entry.
    pub ring: u8,
}

const REVERSED: u32 = 1 << 31;

/// A way on: virtual channels of a port.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Choice {
    /// The port.
    pub port: u8,
    /// The first virtual channel.
    pub first: u8,
    /// The last virtual channel.
    pub last: u8,
    /// Taken only if no other is free.
    pub escape: bool,
    /// Taken only while nothing lies in its buffer, so that the header comes to stand in front.
    pub empty: bool,
}

/// A routing algorithm on a lattice with so many virtual channels a link.
#[derive(Clone, Debug)]
pub struct Relation {
    lattice: Lattice,
    algorithm: Algorithm,
    vcs: u8,
    /// Whether it is dimension order without rings, which has one class of virtual channels and remembers nothing.
    plain: bool,
}

impl Relation {
    /// `algorithm` on `lattice` with `vcs` virtual channels a link, at least one.
    pub fn new(lattice: Lattice, algorithm: Algorithm, vcs: u8) -> Self {
        let plain = algorithm == Algorithm::DimensionOrder && !lattice.wraps();
        Self { lattice, algorithm, vcs: vcs.max(1), plain }
    }

    /// The lattice.
    pub fn lattice(&self) -> &Lattice {
        &self.lattice
    }

    /// The algorithm.
    pub fn algorithm(&self) -> Algorithm {
        self.algorithm
    }

    /// Virtual channels of a link.
    pub fn virtual_channels(&self) -> u8 {
        self.vcs
    }

    /// Why the algorithm cannot run on the lattice at all, if so.
    pub fn unfit(&self) -> Option<&'static str> {
        let plane = self.lattice.dimensions() == 2;
        let wraps = self.lattice.wraps();
        match self.algorithm {
            Algorithm::WestFirst | Algorithm::NorthLast if !plane || wraps => Some("is for meshes of two dimensions"),
            Algorithm::NegativeFirst if wraps => Some("is for meshes"),
            Algorithm::O1turn if !plane => Some("is for two dimensions"),
            _ => None,
        }
    }

    /// The virtual channels that freedom from deadlock needs.
    pub fn needed_virtual_channels(&self) -> u8 {
        let ring = if self.lattice.wraps() { 2 } else { 1 };
        match self.algorithm {
            Algorithm::DimensionOrder => ring,
            Algorithm::Valiant | Algorithm::O1turn => 2 * ring,
            Algorithm::Adaptive => ring + 1,
            Algorithm::WestFirst | Algorithm::NorthLast | Algorithm::NegativeFirst => 1,
        }
    }

    /// Whether a header may have several ports to choose from.
    pub fn is_adaptive(&self) -> bool {
        !matches!(self.algorithm, Algorithm::DimensionOrder | Algorithm::Valiant | Algorithm::O1turn)
    }

    /// Whether packets differ by their random bits.
    pub fn draws(&self) -> bool {
        self.lattice.wraps() || matches!(self.algorithm, Algorithm::Valiant | Algorithm::O1turn)
    }

    /// Virtual channel `vc` of the channel that leaves the router of `node` by `port`, as people write it.
    pub fn channel_name(&self, node: u32, port: usize, vc: u32) -> String {
        let channel = self.lattice.channel_name(node, port);
        if self.vcs == 1 { channel } else { format!("{channel} vc {vc}") }
    }

    /// The header of a packet to `dst`; `coins` are random bits.
    pub fn header(&self, dst: u32, coins: u64) -> Header {
        let nodes = self.lattice.nodes() as u64;
        // the high half, scaled to the number of nodes
        let drawn = ((coins >> 32) * nodes) >> 32;
        debug_assert!(drawn < nodes, "a share of all nodes below 1");
        let via = (self.algorithm == Algorithm::Valiant).then_some(drawn as u32);
        #[expect(clippy::cast_possible_truncation, reason = "the low half is wanted")]
        let ways = coins as u32;
        let coins = if self.algorithm == Algorithm::O1turn { ways } else { ways & !REVERSED };
        Header { dst, via, coins, ring: 0 }
    }

    /// The way on of a header at the router of node `at`, which it entered by port `entered`, where there is only one:
    /// under relations that are not adaptive.
    #[inline]
    pub fn way(&self, at: u32, entered: usize, header: &mut Header) -> Choice {
        if self.plain {
            return self.all_vcs(self.lattice.towards(at, header.dst));
        }
        let mut entered = entered;
        if header.via == Some(at) {
            header.via = None;
            entered = self.lattice.local(); // begins anew
        }
        let target = header.via.unwrap_or(header.dst);
        if at == target {
            return self.all_vcs(self.lattice.local());
        }
        let (class, classes) = match self.algorithm {
            Algorithm::Valiant => (u8::from(header.via.is_none()), 2),
            Algorithm::O1turn => (u8::from(header.coins & REVERSED != 0), 2),
            _ => (0, 1),
        };
        self.by_dimension(at, entered, target, header, (class, classes))
    }

    /// Puts the ways on of a header at the router of node `at`, which it entered by port `entered`, into `choices`.
    pub fn choices(&self, at: u32, entered: usize, header: &mut Header, choices: &mut Vec<Choice>) {
        choices.clear();
        if !self.is_adaptive() {
            choices.push(self.way(at, entered, header));
        } else if at == header.dst {
            choices.push(self.all_vcs(self.lattice.local()));
        } else if self.algorithm == Algorithm::Adaptive {
            self.any_shortest(at, header.dst, header, choices);
        } else {
            self.allowed_turns(at, header.dst, choices);
        }
    }

    #[inline]
    fn all_vcs(&self, port: usize) -> Choice {
        #[expect(clippy::cast_possible_truncation, reason = "a router has at most 64 ports")]
        let port = port as u8;
        Choice { port, first: 0, last: self.vcs - 1, escape: false, empty: false }
    }

    /// The virtual channels of class `class` of `classes` at `port`.
    #[inline]
    pub fn choice(&self, port: usize, class: u8, classes: u8) -> Choice {
        let any = self.all_vcs(port);
        if self.vcs < classes {
            return any;
        }
        let [first, end] = [class, class + 1].map(|class| u16::from(class) * u16::from(self.vcs) / u16::from(classes));
        #[expect(clippy::cast_possible_truncation, reason = "not more than there are virtual channels")]
        Choice { first: first as u8, last: end as u8 - 1, ..any }
    }

    /// The next hop by dimension order; the virtual channels are those of the ring's class within class `phase` of
    /// `phases`.
    #[inline]
    fn by_dimension(
        &self,
        at: u32,
        entered: usize,
        target: u32,
        header: &mut Header,
        (phase, phases): (u8, u8),
    ) -> Choice {
        let dimension = self.next_dimension(at, target, header.coins & REVERSED != 0);
        if !self.lattice.wraps() {
            return self.choice(port(dimension, self.towards(at, target, dimension)), phase, phases);
        }
        let out = if entered / 2 == dimension && entered != self.lattice.local() {
            entered // further round the ring
        } else {
            let out = port(dimension, self.round(at, target, dimension, header.coins));
            header.ring = u8::from(self.crosses(at, target, out));
            out
        };
        self.choice(out, phase * 2 + header.ring, phases * 2)
    }

    /// The first dimension, in order or in reverse, along which `at` and `target` differ.
    #[inline]
    fn next_dimension(&self, at: u32, target: u32, reversed: bool) -> usize {
        let order = self.lattice.order();
        debug_assert!(at != target, "a header at its target has no dimension left to resolve");
        let from = self.lattice.coordinates(at);
        let to = self.lattice.coordinates(target);
        let differs = |d: &usize| from[*d] != to[*d];
        let found =
            if reversed { order.iter().rev().copied().find(differs) } else { order.iter().copied().find(differs) };
        found.unwrap_or(0) // the nodes differ, as asserted above; a branch that panics would cost the router time
    }

    #[inline]
    fn towards(&self, at: u32, target: u32, dimension: usize) -> Direction {
        let ahead = self.lattice.coordinate(at, dimension) < self.lattice.coordinate(target, dimension);
        if ahead { Direction::Plus } else { Direction::Minus }
    }

    /// The shortest way round; half-way round as the coins say.
    fn round(&self, at: u32, target: u32, dimension: usize, coins: u32) -> Direction {
        let n = self.lattice.side(dimension);
        let ahead = (self.lattice.coordinate(target, dimension) + n - self.lattice.coordinate(at, dimension)) % n;
        let plus = 2 * ahead < n || 2 * ahead == n && coins >> dimension & 1 == 0;
        if plus { Direction::Plus } else { Direction::Minus }
    }

    /// Whether the way to `target` by port `out` crosses the dateline of its ring.
    fn crosses(&self, at: u32, target: u32, out: usize) -> bool {
        let dimension = out / 2;
        let from = self.lattice.coordinate(at, dimension);
        let to = self.lattice.coordinate(target, dimension);
        if out.is_multiple_of(2) { from > to } else { from < to }
    }

    /// Every link that leads closer on the virtual channels behind the escape's, and the escape.
    fn any_shortest(&self, at: u32, target: u32, header: &Header, choices: &mut Vec<Choice>) {
        let escapes = if self.lattice.wraps() { 2 } else { 1 };
        let separate = self.vcs > escapes;
        for dimension in 0..self.lattice.dimensions() {
            if self.lattice.coordinate(at, dimension) == self.lattice.coordinate(target, dimension) {
                continue;
            }
            let way = self.shortest(at, target, dimension, header.coins);
            let any = self.all_vcs(port(dimension, way));
            choices.push(if separate { Choice { first: escapes, empty: true, ..any } } else { any });
        }
        if !separate {
            return;
        }
        let dimension = self.next_dimension(at, target, false);
        let out = port(dimension, self.shortest(at, target, dimension, header.coins));
        // the second virtual channel until the dateline is crossed
        let vc = u8::from(self.lattice.wraps() && self.crosses(at, target, out));
        choices.push(Choice { first: vc, last: vc, escape: true, ..self.all_vcs(out) });
    }

    fn shortest(&self, at: u32, target: u32, dimension: usize, coins: u32) -> Direction {
        if self.lattice.wraps() {
            self.round(at, target, dimension, coins)
        } else {
            self.towards(at, target, dimension)
        }
    }

    /// The shortest ways that the turn model allows.
    fn allowed_turns(&self, at: u32, target: u32, choices: &mut Vec<Choice>) {
        let wanted = (0..self.lattice.dimensions())
            .filter(|&d| self.lattice.coordinate(at, d) != self.lattice.coordinate(target, d));
        let ports: Vec<usize> = wanted.map(|d| port(d, self.towards(at, target, d))).collect();
        let west = port(0, Direction::Minus);
        let north = port(1, Direction::Plus);
        let keep: Box<dyn Fn(&usize) -> bool> = match self.algorithm {
            Algorithm::WestFirst if ports.contains(&west) => Box::new(|&out| out == west),
            Algorithm::NorthLast if ports.len() > 1 => Box::new(|&out| out != north),
            Algorithm::NegativeFirst if ports.iter().any(|out| out % 2 == 1) => Box::new(|&out| out % 2 == 1),
            _ => Box::new(|_| true),
        };
        choices.extend(ports.iter().filter(|out| keep(out)).map(|&out| self.all_vcs(out)));
    }
}

impl Algorithm {
    /// The name that scenarios use.
    pub fn name(self) -> &'static str {
        ALGORITHMS.iter().find(|entry| entry.algorithm == self).map_or("", |entry| entry.name)
    }
}
