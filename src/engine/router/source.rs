//! The injection channels of nodes: each sends packets of a [`Traffic`] one after the other, a flit a cycle.

use super::machine::Machine;
use super::state::{Beyond, NONE, Packet, Source};
use super::tree::Member;
use super::{Granted, Offer, Traffic};
use crate::units::narrow;

impl<T: Traffic> Machine<'_, T> {
    /// Takes the next packet of `source`, which cannot send it before the cycle `free`. In a closed loop it is taken only
    /// when it can be sent, as until then another source of the node may come free.
    pub(super) fn draw(&mut self, source: u32, free: u64) {
        let node = self.fabric.node(source);
        let offer = if T::CLOSED { None } else { self.traffic.next(node) };
        let waits = T::CLOSED && self.traffic.waits_by(node, self.fabric.channel(source));
        let drawn = &mut self.sources[source as usize];
        drawn.offer = offer;
        drawn.packet = NONE;
        let begins = if waits { Some(free) } else { offer.map(|offer| offer.created.max(free)) };
        match begins {
            // before the first cycle, when `free` is 0, that would be a cycle too soon
            Some(begins) if free > 0 && begins == self.now + 1 => {
                self.sending.insert(source);
            }
            Some(begins) => self.rest_source(source, begins),
            None => self.sending.remove(source),
        }
    }

    /// The source numbered `number` sends a flit, or a run of them, if it has a credit.
    // a call costs the cycle of most routers an instruction in a hundred
    #[inline(always)]
    pub(super) fn send(&mut self, number: u32) {
        let source = self.sources[number as usize];
        if !T::CLOSED && source.offer.is_none() || self.now < source.sends_until {
            return;
        }
        let base = self.fabric.source(number);
        let begins = source.packet == NONE;
        let vc = if begins { self.free_vc(base, source.vc) } else { source.vc };
        let credits = self.outputs[(base + vc) as usize].credits;
        if credits == 0 || begins && self.costs.atomic && credits < self.fabric.buffer(base + vc) {
            self.sending.remove(number); // until a credit comes
            return;
        }
        let offer = if T::CLOSED && begins { self.next_of(number) } else { source.offer };
        let Some(offer) = offer else {
            self.sending.remove(number); // another source of the node has taken it
            return;
        };
        let left = if begins { offer.flits } else { source.left };
        let run = if self.sources_run { left.min(credits) } else { 1 };
        self.outputs[(base + vc) as usize].credits -= run;
        let entry = self.fabric.entry(number) | vc;
        self.inject(base + vc, entry, run);
        let packet = if begins { self.admit(number, offer) } else { source.packet };
        if begins {
            self.enqueue(entry, packet);
            self.tell_injection(offer, base, packet);
        }
        if T::CLOSED && self.is_watched {
            let number = self.packets[packet as usize].number;
            self.traffic.flits_left(number, base + vc, self.now, run);
        }
        let mut sends_until = self.now + u64::from(run) * u64::from(self.fabric.pace(base).flit);
        if let Some(Some(allowance)) = self.allowances.get_mut(number as usize) {
            sends_until = sends_until.max(allowance.spend(self.now));
        }
        self.sources[number as usize] = Source { offer: Some(offer), packet, left: left - run, vc, sends_until };
        if left == run {
            self.draw(number, sends_until);
        } else if sends_until > self.now + 1 {
            self.rest_source(number, sends_until);
        }
    }

    /// The packet that source `number` of a closed loop sends next.
    fn next_of(&mut self, number: u32) -> Option<Offer> {
        self.traffic.next_by(self.fabric.node(number), self.fabric.channel(number))
    }

    /// The head flit of `offer` leaves on an injection channel, which is told by its first vc `vc`.
    fn tell_injection(&mut self, offer: Offer, vc: u32, packet: u32) {
        if T::CLOSED {
            let Offer { number, created: requested, .. } = offer;
            let granted = Granted { number, hop: 0, vc, requested, granted: self.now };
            self.traffic.granted(granted);
            for at in 1..self.trees.members(packet).len() {
                let Member { number, .. } = self.trees.members(packet)[at];
                self.traffic.granted(Granted { number, ..granted });
            }
        }
    }

    /// There is something new to send for `source`; it looks at it as soon as it has sent what it has begun to send.
    pub(super) fn wake_source(&mut self, source: u32) {
        let Source { packet, sends_until, .. } = self.sources[source as usize];
        if sends_until <= self.now {
            self.sending.insert(source);
        } else if packet == NONE {
            self.alarms.set(self.now, sends_until, source);
        }
    }

    /// A source has nothing to do until the cycle `until`.
    fn rest_source(&mut self, source: u32, until: u64) {
        self.sending.remove(source);
        self.alarms.set(self.now, until, source);
    }

    /// The next vc of a source after `last` that has room to begin a packet in; `last`, which has none, if none has.
    fn free_vc(&self, base: u32, last: u32) -> u32 {
        let vcs = if self.costs.first_come() || self.costs.full_crossbar { 1 } else { self.fabric.vcs };
        let needed = if self.costs.atomic { self.fabric.buffer(base) } else { 1 };
        let has_room = |&vc: &u32| self.outputs[(base + vc) as usize].credits >= needed;
        let mut in_turn = (1..=vcs).map(|i| (last + i) % vcs);
        in_turn.find(has_room).unwrap_or(last)
    }

    /// The number of the packet that `source` begins to send.
    fn admit(&mut self, source: u32, offer: Offer) -> u32 {
        let header = self.routes.header(offer.dst, offer.random_bits);
        let Offer { number, flits, created, .. } = offer;
        let src = self.fabric.node(source);
        let now = self.now;
        let beyond = Beyond::default().over(self.fabric.pace(self.fabric.source(source)), flits, 0);
        let packet = Packet { header, src, flits, hops: 0, created, injected: now, beyond, requested: now, number };
        let place = self.place_of(packet);
        if self.interfaces.is_some() {
            self.admit_tree(place, Member { number, dst: offer.dst });
        }
        if self.keeps_paths {
            let path = &mut self.paths[place as usize];
            path.clear();
            if self.told.is_some() {
                self.traffic.path(number, path);
            }
        }
        place
    }

    /// A place for `packet`, which is there then.
    pub(super) fn place_of(&mut self, packet: Packet) -> u32 {
        let place = self.spare.pop().unwrap_or_else(|| {
            self.packets.push(packet);
            if self.keeps_paths {
                self.paths.push(Vec::new());
            }
            narrow(self.packets.len() - 1, "not more than flits in buffers, which virtual channels bound")
        });
        self.packets[place as usize] = packet;
        place
    }

    /// A slot of the buffer behind source vc `vc` has come free, for which its source may have waited.
    pub(super) fn credit_source(&mut self, vc: u32) {
        let number = (vc - self.fabric.source(0)) >> self.fabric.vc_bits;
        let source = &self.sources[number as usize];
        let has_one = match source.offer {
            Some(offer) => offer.created <= self.now,
            None => T::CLOSED && self.traffic.waits_by(self.fabric.node(number), self.fabric.channel(number)),
        };
        if has_one && source.sends_until <= self.now {
            self.sending.insert(number);
        }
    }
}
