//! States: a virtual channel, and what the header of a packet at its front requests.
//!
//! What a header requests is a [`Demand`]. Headers with the same demand may stand for one, though they go to other places:
//! a merged state may go to every state that one of its headers may go to. That proves no more than is true. Whatever
//! packets do, the merged states do as well, and each of them requests the virtual channels that its headers request.
//! Dependencies, and cycles of packets that hold a virtual channel each, are those of the headers themselves.
//!
//! This file refuses to know where demands come from, and what they prove.

use super::VirtualChannel;
use crate::units::{LinkId, narrow};
use rustc_hash::FxHashSet;
use std::ops::Range;

/// Virtual channels of a link, one of which a header requests.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Request {
    /// The link.
    pub link: LinkId,
    /// The first virtual channel.
    pub first: u16,
    /// The last virtual channel.
    pub last: u16,
    /// Whether they are taken only while their buffers are empty, so that the header comes to stand in front.
    pub empty: bool,
}

impl Request {
    /// The virtual channels.
    pub fn channels(self) -> impl Iterator<Item = VirtualChannel> + Clone {
        (self.first..=self.last).map(move |vc| VirtualChannel { link: self.link, vc })
    }
}

/// The number of a demand among [`States`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Demand(pub(super) u32);

impl Demand {
    pub(super) fn index(self) -> usize {
        self.0 as usize
    }
}

/// A request of a demand leads to a demand.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
struct Lead {
    from: Demand,
    request: u32,
    to: Demand,
}

/// The states of packets on the virtual channels of links.
///
/// ```
/// use flitwise::routing::certificate::{Request, States, Verdict};
/// use flitwise::units::LinkId;
/// let request = |link| Request { link: LinkId(link), first: 0, last: 0, empty: false };
/// // packets go from link 0 to link 1 and leave there
/// let mut states = States::new(1);
/// let leaves = states.add(&[]);
/// let goes_on = states.add(&[request(1)]);
/// states.hold(goes_on, request(0));
/// states.lead(goes_on, 0, leaves);
/// assert_eq!(states.certificate().verdict(), Verdict::Free);
/// ```
#[derive(Clone, Debug)]
pub struct States {
    pub(super) virtual_channels: u16,
    demands: Vec<Box<[Request]>>,
    /// Demands of headers at the front of the virtual channels that are requested so.
    held: FxHashSet<(Demand, Request)>,
    leads: FxHashSet<Lead>,
    /// Per demand the place of its first request among those of all.
    first_requests: Vec<usize>,
    /// Per request of all demands where it led last: most headers go where the one before them went.
    led_last: Vec<Option<Demand>>,
}

impl States {
    /// None yet, of links with so many virtual channels.
    pub fn new(virtual_channels: u16) -> Self {
        Self {
            virtual_channels,
            demands: Vec::new(),
            held: FxHashSet::default(),
            leads: FxHashSet::default(),
            first_requests: Vec::new(),
            led_last: Vec::new(),
        }
    }

    /// Adds a demand; one without requests is that of a header that leaves the network.
    pub fn add(&mut self, requests: &[Request]) -> Demand {
        let number = narrow(self.demands.len(), "memory ends before 2^32 demands");
        self.demands.push(requests.into());
        self.first_requests.push(self.led_last.len());
        self.led_last.resize(self.led_last.len() + requests.len(), None);
        Demand(number)
    }

    /// A header with `demand` may stand at the front of the virtual channels of `request`.
    pub fn hold(&mut self, demand: Demand, request: Request) {
        self.held.insert((demand, request));
    }

    /// A header with the demand `from` that gets a virtual channel of its request number `request` may have the demand `to`
    /// there.
    ///
    /// # Panics
    /// If there is no such request.
    pub fn lead(&mut self, from: Demand, request: u32, to: Demand) {
        let channels = self.demands[from.index()][request as usize];
        let last = &mut self.led_last[self.first_requests[from.index()] + request as usize];
        if last.replace(to) == Some(to) {
            return;
        }
        if self.leads.insert(Lead { from, request, to }) {
            self.hold(to, channels);
        }
    }

    /// All demands.
    pub(super) fn numbers(&self) -> impl ExactSizeIterator<Item = Demand> + use<> {
        let count: u32 = narrow(self.demands.len(), "demands are numbered with 32 bits");
        (0..count).map(Demand)
    }

    /// The requests of `demand`.
    pub(super) fn requests(&self, demand: Demand) -> &[Request] {
        &self.demands[demand.index()]
    }

    /// Demands, and requests of virtual channels at whose front they may stand.
    pub(super) fn held(&self) -> impl Iterator<Item = (Demand, Request)> + '_ {
        self.held.iter().copied()
    }

    /// Every demand with the number of a request, and a demand to which that leads.
    pub(super) fn leads(&self) -> impl Iterator<Item = (Demand, u32, Demand)> + '_ {
        self.leads.iter().map(|lead| (lead.from, lead.request, lead.to))
    }
}

/// Sorted lists, one for each number from 0, end to end.
#[derive(Clone, Debug)]
pub(super) struct Lists<T> {
    starts: Vec<usize>,
    items: Vec<T>,
}

impl<T: Copy + Ord> Lists<T> {
    /// `count` lists of what the `pairs` say, each item once.
    pub(super) fn from_pairs(count: usize, mut pairs: Vec<(u32, T)>) -> Self {
        pairs.sort_unstable();
        pairs.dedup();
        let mut starts = vec![0; count + 1];
        for &(list, _) in &pairs {
            starts[list as usize + 1] += 1;
        }
        for list in 0..count {
            starts[list + 1] += starts[list];
        }
        Self { starts, items: pairs.into_iter().map(|(_, item)| item).collect() }
    }

    /// The list of `number`.
    pub(super) fn at(&self, number: u32) -> &[T] {
        &self.items[self.places(number)]
    }

    /// The places of its items among those of all lists.
    pub(super) fn places(&self, number: u32) -> Range<usize> {
        let number = number as usize;
        self.starts[number]..self.starts[number + 1]
    }

    /// The place of `item` of the list of `number` among those of all lists.
    pub(super) fn place(&self, number: u32, item: T) -> Option<usize> {
        let found = self.at(number).binary_search(&item).ok()?;
        Some(self.starts[number as usize] + found)
    }

    /// Items of all lists.
    pub(super) fn len(&self) -> usize {
        self.items.len()
    }
}
