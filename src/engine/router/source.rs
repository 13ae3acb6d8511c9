//! Sources: each injection channel sends its packets one after the other, a flit a cycle, as credits allow.

use super::active::ActiveSet;
use super::delay::Calendar;
use super::traffic::NextPacket;

/// An injection channel of a node.
#[derive(Clone, Debug)]
pub(crate) struct Source {
    /// The next packet, while none is being sent.
    pub(crate) next: NextPacket,
    /// The number in the network of the packet that is being sent.
    pub(crate) packet: u32,
    /// Flits of the packet that have not left, or 0 if it has not begun.
    pub(crate) left: u32,
    /// The first cycle in which it can send again.
    pub(crate) free_at: u64,
    /// The VC that it takes, or before that the VC of the last packet.
    pub(crate) vc: usize,
    /// Free slots behind each VC.
    pub(crate) credits: Vec<u32>,
    /// Free slots that a packet needs to begin.
    pub(crate) needed: u32,
}

impl Source {
    /// Creates a source without packets, with `vcs` VCs and buffers of `buffer` flits behind them. A packet begins when `needed` slots
    /// are free.
    pub(crate) fn new(vcs: usize, buffer: u32, needed: u32) -> Self {
        let credits = vec![buffer; vcs];
        Self { next: NextPacket::None, packet: 0, left: 0, free_at: 0, vc: 0, credits, needed }
    }

    /// The VC with a slot for the next flit: that of the packet, and for a new packet the next one in turn with room for it.
    #[inline]
    pub(crate) fn vc_with_room(&self) -> Option<usize> {
        if self.left > 0 {
            return (self.credits[self.vc] > 0).then_some(self.vc);
        }
        let vcs = self.credits.len();
        (1..=vcs).map(|step| (self.vc + step) % vcs).find(|&vc| self.credits[vc] >= self.needed)
    }

    /// Begins to send packet `packet` of `flits` flits by VC `vc`.
    #[inline]
    pub(crate) fn begin(&mut self, vc: usize, flits: u32, packet: u32) {
        self.vc = vc;
        self.left = flits;
        self.packet = packet;
    }

    /// The first cycle in which it can send a flit if it has a credit, or `None` if it has no packet.
    #[inline]
    fn begins_at(&self) -> Option<u64> {
        match self.next {
            _ if self.left > 0 => Some(self.free_at),
            NextPacket::None => None,
            NextPacket::Made(offer) => Some(self.free_at.max(offer.created)),
            NextPacket::Waiting => Some(self.free_at),
        }
    }

    /// Sends a run of flits, `longest` at most, and returns its length.
    #[inline]
    pub(crate) fn send(&mut self, longest: u32) -> u32 {
        let flits = self.left.min(self.credits[self.vc]).min(longest);
        self.credits[self.vc] -= flits;
        self.left -= flits;
        flits
    }
}

/// All sources, and the cycles in which they send.
pub(crate) struct Sources {
    /// By number.
    pub(crate) sources: Vec<Source>,
    /// Flits of the longest run: those of a run are taken from the credits when it begins.
    pub(crate) longest_run: u32,
    /// Sources that send in this cycle if they have a credit.
    pub(crate) sending: ActiveSet,
    /// Nodes that have a new packet, while their sources are activated.
    pub(crate) woken: Vec<u32>,
    /// Cycles in which the packets of other sources are due.
    later: Calendar,
}

impl Sources {
    /// Creates sources without packets, which send runs of up to `longest_run` flits.
    pub(crate) fn new(sources: Vec<Source>, longest_run: u32) -> Self {
        Self { sending: ActiveSet::new(sources.len()), sources, longest_run, woken: Vec::new(), later: Calendar::new() }
    }

    /// Deactivates source `number` until it can send again, unless that is in the next cycle.
    #[inline]
    pub(crate) fn deactivate(&mut self, now: u64, number: usize) {
        match self.sources[number].begins_at() {
            Some(next) if next > now + 1 || !self.sending.contains(number) => {
                self.sending.remove(number);
                self.wait(now, number, next);
            }
            Some(_) => {}
            None => self.sending.remove(number),
        }
    }

    /// Activates source `number` in the cycle `at`.
    #[expect(clippy::cast_possible_truncation, reason = "sources are numbered with 32 bits")]
    fn wait(&mut self, now: u64, number: usize, at: u64) {
        self.later.add(now, at, number as u32);
    }

    /// Activates the sources of the nodes in `woken`, each of which has `channels`.
    #[inline(always)]
    pub(crate) fn wake_all(&mut self, now: u64, channels: usize) {
        while let Some(node) = self.woken.pop() {
            let first = node as usize * channels;
            (first..first + channels).for_each(|source| self.wake(now, source));
        }
    }

    /// Notes that a packet waits for source `number`.
    fn wake(&mut self, now: u64, number: usize) {
        let source = &mut self.sources[number];
        if source.left > 0 {
            return; // it looks for the next packet when it has sent this one
        }
        source.next = NextPacket::Waiting;
        let free_at = source.free_at;
        if free_at <= now {
            self.sending.insert(number);
        } else {
            self.wait(now, number, free_at);
        }
    }

    /// Activates the sources whose next packet is due by cycle `now`.
    #[inline]
    pub(crate) fn advance(&mut self, now: u64) {
        let Self { later, sending, .. } = self;
        later.take(now, |number| sending.insert(number as usize));
    }

    /// Adds credits for VC `vc` of source `number`, the first of which arrives in this cycle.
    #[inline(never)]
    pub(crate) fn credit(&mut self, now: u64, number: usize, vc: usize, credits: u32) {
        let source = &mut self.sources[number];
        source.credits[vc] += credits;
        if source.begins_at().is_some_and(|at| at <= now) {
            self.sending.insert(number);
        }
    }

    /// The next cycle from `now` on in which a source that is not active sends.
    pub(crate) fn next(&self, now: u64) -> Option<u64> {
        self.later.next(now)
    }
}
