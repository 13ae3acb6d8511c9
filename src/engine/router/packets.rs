//! Packets in the network, and in which buffers they are.

use crate::routing::Pace;
use crate::routing::relation::Header;
use std::ops::{Index, IndexMut};

/// A packet in the network.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Packet {
    /// The information for routing.
    pub(crate) header: Header,
    /// The source node.
    pub(crate) src: u32,
    /// The length.
    pub(crate) flits: u32,
    /// Links taken.
    pub(crate) hops: u32,
    /// The cycle in which it was made.
    pub(crate) created: u64,
    /// The cycle in which its head flit left the source.
    pub(crate) injected: u64,
    /// The cycle in which its head flit requested an output VC first at the router where it is.
    pub(crate) requested: u64,
    /// The number under which it was offered.
    pub(crate) number: u32,
    /// The additional time of the channels that it has taken.
    pub(crate) extra_time: ExtraTime,
    /// Its class, and the priority of the class.
    pub(crate) class: u8,
    pub(crate) priority: u16,
    /// The number of packets that its source had generated before it.
    pub(crate) sequence: u32,
}

/// Additional time of a packet that nothing delays, compared with channels that take a cycle for a flit.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct ExtraTime {
    /// The additional time of its head flit.
    head: u64,
    /// The additional time of its tail after the head flit.
    tail: u64,
}

impl ExtraTime {
    /// The additional time over one more channel, if routing takes `routing` cycles, in which flits that a slow channel has held
    /// come closer to the head flit.
    #[inline(always)]
    pub(crate) fn plus_channel(self, pace: Pace, flits: u32, routing: u64) -> Self {
        let behind = u64::from(flits - 1) * u64::from(pace.flit - 1);
        Self { head: self.head + pace.longer(), tail: behind.max(self.tail.saturating_sub(routing)) }
    }

    /// The additional time until the tail has arrived.
    pub(crate) fn total(self) -> u64 {
        self.head + self.tail
    }
}

/// Packets in the network, by numbers that are reused, and for each input VC a queue of the packets whose head flits were sent
/// there and have not been routed.
pub(crate) struct Packets {
    packets: Vec<Packet>,
    unused: Vec<u32>,
    /// Input VCs of other strips and the packets whose head flits were sent there, in this cycle or the last one.
    leaving: Vec<(u32, u32)>,
    queues: Vec<u32>,
    /// Per input VC, the first and the end of its queue, both counted on beyond its length.
    ends: Vec<[u16; 2]>,
    queue_bits: u32,
}

impl Packets {
    /// Creates no packets, and `vcs` queues of at most `longest`.
    pub(crate) fn new(vcs: usize, longest: u32) -> Self {
        let queue_bits = longest.next_power_of_two().ilog2();
        Self {
            packets: Vec::new(),
            unused: Vec::new(),
            leaving: Vec::new(),
            queues: vec![0; vcs << queue_bits],
            ends: vec![[0; 2]; vcs],
            queue_bits,
        }
    }

    /// Adds `packet` and returns its number.
    #[expect(clippy::cast_possible_truncation, reason = "not more than flits in buffers, which virtual channels bound")]
    pub(crate) fn add(&mut self, packet: Packet) -> u32 {
        if let Some(number) = self.unused.pop() {
            self[number] = packet;
            return number;
        }
        self.packets.push(packet);
        self.packets.len() as u32 - 1
    }

    /// Removes packet `number`.
    pub(crate) fn remove(&mut self, number: u32) {
        self.unused.push(number);
    }

    /// Sends the head flit of packet `number` to input VC `vc`.
    #[inline(always)]
    pub(crate) fn send(&mut self, vc: u32, number: u32) {
        let Some([_, end]) = self.ends.get_mut(vc as usize) else { return self.depart(vc, number) };
        let at = *end;
        *end = at.wrapping_add(1);
        *self.entry(vc, at) = number;
    }

    /// Sends the head flit of packet `number` to input VC `vc` of another strip.
    #[cold]
    #[inline(never)]
    fn depart(&mut self, vc: u32, number: u32) {
        self.leaving.push((vc, number));
    }

    /// Removes packet `number`, whose tail was sent to another strip.
    #[cold]
    #[inline(never)]
    pub(crate) fn leave(&mut self, number: u32) {
        self.remove(number);
    }

    /// Calls `leave` with each input VC of another strip and the packet whose head flit was sent there since the last call.
    pub(crate) fn take_leaving(&mut self, mut leave: impl FnMut(u32, u32, &Packet)) {
        for (vc, number) in self.leaving.drain(..) {
            leave(vc, number, &self.packets[number as usize]);
        }
    }

    /// Removes and returns the packet whose head flit is at the front of input VC `vc`.
    #[inline(always)]
    pub(crate) fn next(&mut self, vc: u32) -> u32 {
        let [first, _] = &mut self.ends[vc as usize];
        let at = *first;
        *first = at.wrapping_add(1);
        *self.entry(vc, at)
    }

    /// The packet whose head flit is at the front of input VC `vc`, or is the next to arrive there, if any has not been routed.
    pub(crate) fn front(&self, vc: u32) -> Option<u32> {
        let [first, end] = self.ends[vc as usize];
        let mask = (1 << self.queue_bits) - 1;
        (first != end).then(|| self.queues[(vc as usize) << self.queue_bits | usize::from(first) & mask])
    }

    /// The packets whose head flits were sent to input VC `vc` and have not been routed, in their order.
    pub(crate) fn waiting(&self, vc: u32) -> impl Iterator<Item = u32> {
        let [first, end] = self.ends[vc as usize];
        let mask = (1 << self.queue_bits) - 1;
        let queue = &self.queues[(vc as usize) << self.queue_bits..];
        (0..end.wrapping_sub(first)).map(move |ahead| queue[usize::from(first.wrapping_add(ahead)) & mask])
    }

    #[inline(always)]
    fn entry(&mut self, vc: u32, at: u16) -> &mut u32 {
        let mask = (1 << self.queue_bits) - 1;
        &mut self.queues[(vc as usize) << self.queue_bits | usize::from(at) & mask]
    }
}

impl Index<u32> for Packets {
    type Output = Packet;
    #[inline(always)]
    fn index(&self, number: u32) -> &Packet {
        &self.packets[number as usize]
    }
}

impl IndexMut<u32> for Packets {
    #[inline(always)]
    fn index_mut(&mut self, number: u32) -> &mut Packet {
        &mut self.packets[number as usize]
    }
}
