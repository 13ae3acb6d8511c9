//! Routing as a relation: the ports and virtual channels that the header of a packet may request at a router.
//!
//! A [`Relation`] joins a [`Lattice`], a [`LatticeRouting`] and the number of virtual channels of a link. It does not know which
//! of them are free: a router chooses among the [`Choice`]s it offers. What a packet has to remember on its way is its
//! [`Header`]. A new routing is a file here and a line in [`ROUTINGS`].
//!
//! # The virtual channels of a link
//!
//! Virtual channels are shared out evenly among the *classes* that a routing needs to be free of deadlock: two for the
//! dateline of a ring, times two where a packet goes in two phases. Of `V` virtual channels and `C` classes, class `c`
//! has virtual channels `c V / C` to `(c + 1) V / C - 1`. With fewer virtual channels than classes all classes share all
//! virtual channels, which can deadlock; scenarios refuse that unless they allow it.

mod adaptive;
mod dependency;
mod dimension_order;
mod negative_first;
mod north_last;
mod o1turn;
mod routers;
mod valiant;
mod west_first;

pub use adaptive::ADAPTIVE;
pub use dependency::{Dependence, DependenceScope, dependence};
pub use dimension_order::DIMENSION_ORDER;
pub use negative_first::NEGATIVE_FIRST;
pub use north_last::NORTH_LAST;
pub use o1turn::O1TURN;
pub use valiant::VALIANT;
pub use west_first::WEST_FIRST;

use super::Pace;
use super::lattice::Lattice;
use rustc_hash::FxHashMap;
use std::sync::Arc;

/// Every routing of virtual-channel routers, the default first.
pub static ROUTINGS: &[&LatticeRouting] =
    &[&DIMENSION_ORDER, &WEST_FIRST, &NORTH_LAST, &NEGATIVE_FIRST, &VALIANT, &O1TURN, &ADAPTIVE];

/// A routing on lattices.
#[derive(Clone, Copy, Debug)]
pub struct LatticeRouting {
    /// The name that scenarios use.
    pub name: &'static str,
    /// Its principle, in a few words.
    pub summary: &'static str,
    /// The reason why it cannot run on a lattice at all, as in "requires a mesh".
    pub unfit: fn(&Lattice) -> Option<&'static str>,
    /// The virtual channels of a link that deadlock freedom needs.
    pub virtual_channels: fn(&Lattice) -> u16,
    /// The header of a packet to a node at its source. Random bits decide all that is drawn.
    pub header: fn(&Lattice, u32, u64) -> Header,
    /// Every header to a node that can be routed in another way than the others, for whatever random bits, each as likely: those
    /// that a search for cycles of dependencies follows.
    pub headers: fn(&Lattice, u32) -> Vec<Header>,
    /// The channels that a header may request.
    pub rule: RoutingRule,
}

impl LatticeRouting {
    /// A routing without a name that fits any lattice, needs one virtual channel and draws nothing but directions round rings.
    const DEFAULT: Self = Self {
        name: "",
        summary: "",
        unfit: |_| None,
        virtual_channels: |_| 1,
        header: |_, dst, random_bits| Header::new(dst, low_half(random_bits)),
        headers: |lattice, dst| ties(lattice).map(|bits| Header::new(dst, bits)).collect(),
        rule: RoutingRule::Choices(|_, _, _, _| ()),
    };

    /// True if it can run on `lattice`.
    pub fn fits(&self, lattice: &Lattice) -> bool {
        (self.unfit)(lattice).is_none()
    }

    /// True if a header may have several ports to choose from.
    pub fn is_adaptive(&self) -> bool {
        matches!(self.rule, RoutingRule::Choices(_))
    }
}

/// The channels that a header may request.
#[derive(Clone, Copy, Debug)]
pub enum RoutingRule {
    /// A path: one choice at every router, that of its node among them.
    Path(fn(&Relation, Hop, &mut Header) -> Choice),
    /// A relation: any choices at the router of a node, which is not the destination of the packet. All lead closer.
    /// Where both directions round a ring are equally short, the random bits decide.
    Choices(fn(&Relation, u32, &Header, &mut Vec<Choice>)),
}

/// A head flit at the router of a node, which it entered by a port.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Hop {
    /// The node.
    pub at: u32,
    /// The port.
    pub entered: usize,
}

/// The routing information that the head flit of a packet carries.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Header {
    /// The destination.
    pub dst: u32,
    /// The node that it visits first, until it has been there.
    pub via: Option<u32>,
    /// Bit `d` selects the direction round the ring of dimension `d` if both are equally short. Bit 31 reverses the order of the
    /// dimensions.
    pub random_bits: u32,
    /// The class in its ring, which was selected on entry.
    pub ring: u8,
}

/// The bit of a header that has the dimensions resolved last first.
const REVERSED: u32 = 1 << 31;

impl Header {
    /// The header of a packet to `dst`. Where both directions round a ring are equally short, `random_bits` decide.
    pub fn new(dst: u32, random_bits: u32) -> Self {
        Self { dst, via: None, random_bits: random_bits & !REVERSED, ring: 0 }
    }

    /// The header of a packet to `dst` that keeps bits to draw from.
    pub fn drawing(dst: u32, random_bits: u64) -> Self {
        Self { dst, via: None, random_bits: low_half(random_bits), ring: 0 }
    }

    /// True if the dimensions are resolved last first.
    #[inline]
    fn is_reversed(&self) -> bool {
        self.random_bits & REVERSED != 0
    }

    /// True for smaller coordinates where both directions round the ring of `dimension` are equally short.
    #[inline]
    fn prefers_minus(&self, dimension: usize) -> bool {
        self.random_bits >> dimension & 1 != 0
    }
}

#[expect(clippy::cast_possible_truncation, reason = "the low half is wanted")]
fn low_half(random_bits: u64) -> u32 {
    random_bits as u32
}

/// The largest number of dimensions of a torus whose random bits are all enumerated.
pub(super) const MOST_TIES: usize = 6;

/// The random bits that decide differently on the directions round the rings of `lattice`.
fn ties(lattice: &Lattice) -> std::ops::Range<u32> {
    0..if lattice.wraps() { 1 << lattice.dimensions().min(MOST_TIES) } else { 1 }
}

/// Virtual channels of a port that a head flit may request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Choice {
    /// The port.
    pub port: u16,
    /// The first virtual channel.
    pub first: u16,
    /// The last virtual channel.
    pub last: u16,
    /// True if they are granted only if no other is free.
    pub escape: bool,
    /// True if they are granted only while their buffers are empty, so that the head flit is at the front.
    pub empty: bool,
}

/// One of several equal shares of the virtual channels of a link.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Class {
    /// The number of the share, from 0.
    pub number: u16,
    /// The number of shares.
    pub of: u16,
}

impl Class {
    /// The only class.
    pub const ONLY: Self = Self { number: 0, of: 1 };

    /// The part of it that is class `ring` of the two classes of a ring.
    #[inline]
    fn of_ring(self, ring: u8) -> Self {
        Self { number: 2 * self.number + u16::from(ring), of: 2 * self.of }
    }
}

/// A routing on a lattice with a number of virtual channels a link.
#[derive(Clone, Debug)]
pub struct Relation {
    lattice: Lattice,
    routing: &'static LatticeRouting,
    vcs: u16,
    /// The timing of links per dimension. Empty if all take a cycle without delay.
    paces: Vec<Pace>,
    /// The timing of slow links by router and port, if there are any.
    slow: Option<Arc<SlowPorts>>,
    /// The timing of injection and ejection channels.
    node_pace: Pace,
    rings: RingClasses,
}

/// The timing of links by the router and the port by which they leave.
pub(crate) type SlowPorts = FxHashMap<(u32, u32), Pace>;

/// The number of the class of virtual channels that packets take which cross the dateline of a ring. The others take the other one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum RingClasses {
    /// 1 in both directions.
    #[default]
    Alike,
    /// 1 in the plus direction and 0 in the minus direction, as in BookSim 2. This differs only for allocators that visit requests in
    /// the order of virtual channels.
    Mirrored,
}

impl Relation {
    /// `routing` on `lattice` with `vcs` virtual channels a link, at least one.
    pub fn new(lattice: Lattice, routing: &'static LatticeRouting, vcs: u16) -> Self {
        let vcs = vcs.max(1);
        let node_pace = Pace::EVEN;
        Self { lattice, routing, vcs, paces: Vec::new(), slow: None, node_pace, rings: RingClasses::default() }
    }

    /// Replaces the numbers of the classes of rings.
    #[must_use]
    pub fn with_rings(self, rings: RingClasses) -> Self {
        Self { rings, ..self }
    }

    /// The class of a ring that a packet takes from `at` to `target`, which goes round it by port `out`.
    fn ring_class(&self, at: u32, target: u32, out: usize) -> u8 {
        let is_minus = out % 2 == 1;
        let is_other = self.rings == RingClasses::Mirrored && is_minus;
        u8::from(self.lattice.crosses_dateline(at, target, out) != is_other)
    }

    /// Replaces the timing of links per dimension.
    #[must_use]
    pub fn with_paces(self, paces: Vec<Pace>) -> Self {
        Self { paces, ..self }
    }

    /// Replaces the timing of injection and ejection channels.
    #[must_use]
    pub fn with_node_pace(self, node_pace: Pace) -> Self {
        Self { node_pace, ..self }
    }

    /// The timing of links per dimension. Empty if all take a cycle without delay.
    pub fn paces(&self) -> &[Pace] {
        &self.paces
    }

    /// Replaces the timing of single links.
    #[must_use]
    pub(crate) fn with_slow(self, slow: SlowPorts) -> Self {
        Self { slow: (!slow.is_empty()).then(|| Arc::new(slow)), ..self }
    }

    /// The timing of slow links, if there are any.
    pub(crate) fn slow_links(&self) -> Option<&SlowPorts> {
        self.slow.as_deref()
    }

    /// The lattice.
    pub fn lattice(&self) -> &Lattice {
        &self.lattice
    }

    /// The routing.
    pub fn routing(&self) -> &'static LatticeRouting {
        self.routing
    }

    /// Virtual channels of a link.
    pub fn virtual_channels(&self) -> u16 {
        self.vcs
    }

    /// Virtual channel `vc` of the channel that leaves the router of `node` by `port`, as people write it.
    pub fn channel_name(&self, node: u32, port: usize, vc: u32) -> String {
        let channel = self.lattice.channel_name(node, port);
        if self.vcs == 1 { channel } else { format!("{channel} vc {vc}") }
    }

    /// The header of a packet to `dst`.
    pub fn header(&self, dst: u32, random_bits: u64) -> Header {
        (self.routing.header)(&self.lattice, dst, random_bits)
    }

    /// The choice of a header at the router of node `at`, which it entered by port `entered`, where there is only one.
    ///
    /// # Panics
    /// Under a routing that is adaptive.
    #[inline]
    #[expect(clippy::panic, reason = "called under routings that are not adaptive, as documented")]
    pub fn choice(&self, at: u32, entered: usize, header: &mut Header) -> Choice {
        match self.routing.rule {
            RoutingRule::Path(next) => next(self, Hop { at, entered }, header),
            RoutingRule::Choices(_) => {
                panic!("`{}` is adaptive: a head flit has several candidates", self.routing.name)
            }
        }
    }

    /// Puts the choices of a header at the router of node `at`, which it entered by port `entered`, into `choices`.
    pub fn choices(&self, at: u32, entered: usize, header: &mut Header, choices: &mut Vec<Choice>) {
        choices.clear();
        match self.routing.rule {
            RoutingRule::Path(_) => choices.push(self.choice(at, entered, header)),
            RoutingRule::Choices(_) if at == header.dst => choices.push(self.all_vcs(self.lattice.local())),
            RoutingRule::Choices(fill) => fill(self, at, header, choices),
        }
    }

    /// All virtual channels of `port`.
    #[inline]
    fn all_vcs(&self, port: usize) -> Choice {
        self.vcs_of(port, Class::ONLY)
    }

    /// The virtual channels of `class`, as the module's text shares them out.
    #[inline]
    pub fn vcs_of(&self, port: usize, class: Class) -> Choice {
        #[expect(clippy::cast_possible_truncation, reason = "a lattice has few dimensions, with two ports each")]
        share(self.vcs, port as u16, class)
    }
}

/// The share of `class` in `vcs` virtual channels of `port`, as the module's text says.
#[inline]
pub fn share(vcs: u16, port: u16, class: Class) -> Choice {
    let any = Choice { port, first: 0, last: vcs - 1, escape: false, empty: false };
    if vcs < class.of || class.of == 1 {
        return any;
    }
    let first = |number: u16| u32::from(number) * u32::from(vcs) / u32::from(class.of);
    #[expect(clippy::cast_possible_truncation, reason = "not more than there are virtual channels")]
    Choice { first: first(class.number) as u16, last: first(class.number + 1) as u16 - 1, ..any }
}
