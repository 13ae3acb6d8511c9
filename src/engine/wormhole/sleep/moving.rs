//! Flits that move, one by one: tries, looks in turn, starts, and what follows from them within the tick.

use super::agenda::{Agenda, Entry, What};
use super::decisions::Decision;
use super::key::{Key, Phase, Place};
use super::rest::{Rest, Rests, Windows};
use super::state::{Remembered, State};
use crate::engine::wormhole::messages::Grant;
use crate::topology::Channels;
use crate::units::{ChannelId, MessageId};

/// What messages are told of.
#[derive(Clone, Copy)]
pub(super) enum News {
    /// A flit has started on a channel at a tick: of every message's head flit, and of others if they are followed.
    Started { owner: MessageId, hop: u32, channel: ChannelId, at: u64, calls: bool },
    /// The tail has left the buffer behind a channel.
    Released { owner: MessageId, hop: u32, channel: ChannelId },
    /// The tail has arrived at its node.
    Arrived(MessageId),
}

/// A channel that has got room, and how many channels downstream of it that began.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Credit {
    vc: u32,
    place: Place,
}

/// All flits of a run.
pub(super) struct Flits {
    pub(super) state: State,
    pub(super) rests: Rests,
    pub(super) agenda: Agenda,
    pub(super) flit_time: u64,
    /// What is being done.
    pub(super) now: Key,
    /// The channel that a flit has just crossed, whose wire is about to look at its channels.
    look: Option<u32>,
    /// What has got room from a start of a look, and from other starts.
    from_look: Option<Credit>,
    credits: Vec<Credit>,
    /// Whether all flits are followed, and not only head flits.
    follows_all: bool,
    pub(super) news: Vec<News>,
    /// Room for what wires that might fall asleep have seen.
    pub(super) windows: Vec<Windows>,
    /// Flits that were moved one by one, and things that happened besides.
    pub(super) events: u64,
}

impl Flits {
    pub(super) fn new(channels: &dyn Channels, buffer: u64, flit_time: u64, follows_all: bool) -> Self {
        let state = State::new(channels, buffer);
        Self {
            rests: Rests::new(&state),
            state,
            agenda: Agenda::new(),
            flit_time,
            now: Key::default(),
            look: None,
            from_look: None,
            credits: Vec::new(),
            follows_all,
            news: Vec::new(),
            windows: Vec::new(),
            events: 0,
        }
    }

    /// The bytes that a channel needs where so many share a wire.
    pub(super) fn bytes_of_channel(virtual_channels: usize) -> usize {
        Remembered::for_sharing(virtual_channels).bytes_of_channel() + size_of::<Rest>()
    }

    /// All that flits that have crossed lead to at `tick`.
    pub(super) fn cross_all(&mut self, tick: u64) {
        self.agenda.open(tick);
        self.now.tick = tick;
        loop {
            let pending = self.pending();
            let next = self.agenda.next_place();
            match (pending, next) {
                (Some(pending), None) => self.follow(pending),
                (Some(pending), Some(next)) if pending <= next => self.follow(pending),
                (_, Some(_)) => {
                    if let Some(entry) = self.agenda.pop() {
                        self.happen(entry);
                    }
                }
                (None, None) => return,
            }
        }
    }

    /// Where in the tick something follows from what has been done.
    #[inline]
    fn pending(&self) -> Option<Place> {
        if let Some(channel) = self.look {
            return Some(Place::look(channel));
        }
        match self.from_look {
            Some(credit) => Some(credit.place),
            None => self.credits.last().map(|credit| credit.place),
        }
    }

    /// Does what follows at `place`.
    #[inline]
    fn follow(&mut self, place: Place) {
        self.now.place = place;
        if let Some(channel) = self.look.take() {
            return self.look_in_turn(channel);
        }
        if let Some(credit) = self.from_look.take().or_else(|| self.credits.pop()) {
            self.use_room(credit.vc);
        }
    }

    #[inline]
    fn happen(&mut self, entry: Entry) {
        self.events += 1;
        self.now.place = entry.place;
        match entry.what {
            What::Cross => self.cross(entry.vc),
            _ => self.happen_asleep(entry),
        }
    }

    /// A header is granted a channel, `after` what phase.
    pub(super) fn grant(&mut self, grant: &Grant, phase: Phase, trigger: u32, tick: u64) {
        self.now = Key { tick, place: Place::direct(phase, trigger) };
        let channel = grant.channel.0;
        for vc in grant.before.map(|before| before.0).into_iter().chain([channel]) {
            if self.state.is_asleep(vc) {
                self.wake(self.state.vc(vc).wire);
            }
        }
        self.state.grant(grant);
        let wire = self.state.vc(channel).wire;
        let wire = self.state.wire_mut(wire);
        wire.decisions.forget(self.now);
        wire.patience.grant();
        self.attempt(channel);
    }

    /// Passes on, within the tick, the room that flits of granted headers have made behind them.
    pub(super) fn settle(&mut self) {
        while let Some(credit) = self.credits.pop() {
            self.now.place = credit.place;
            self.use_room(credit.vc);
        }
    }

    /// A flit has crossed `channel` and lies in the buffer behind it, or has left the network.
    fn cross(&mut self, channel: u32) {
        let vc = *self.state.vc(channel);
        let wire = self.state.wire_mut(vc.wire);
        // a wire that has slept meanwhile has done this, or has been told anew
        if wire.is_asleep || !wire.is_busy || wire.served != channel || wire.idle_at != self.now.tick {
            return;
        }
        wire.is_busy = false;
        self.arrive(channel);
        let has_arrived = self.state.is_sink(vc.after) && vc.crossed + 1 == vc.flits;
        if !has_arrived {
            self.look = Some(channel); // otherwise there is nothing to look at: an ejection channel shares nothing
        }
    }

    /// A flit has arrived behind `channel`.
    #[inline]
    pub(super) fn arrive(&mut self, channel: u32) {
        let vc = self.state.vc_mut(channel);
        vc.crossed += 1;
        let after = vc.after;
        if self.state.is_channel(after) {
            return self.attempt(after);
        }
        let vc = *self.state.vc(channel);
        if self.state.is_sink(after) && vc.crossed == vc.flits {
            self.release(channel);
            self.news.push(News::Arrived(vc.owner));
        }
    }

    /// The wire of `channel` has fallen idle: the first of its channels in turn that can starts a flit.
    fn look_in_turn(&mut self, channel: u32) {
        let first = self.state.vc(channel).wire;
        let wire = self.state.wire(first);
        if wire.is_asleep || wire.is_busy {
            return;
        }
        let vcs = wire.vcs;
        let mut vc = wire.served;
        for _ in 0..vcs {
            vc = if vc + 1 == first + vcs { first } else { vc + 1 };
            if self.state.vc(vc).has_more() && self.decide(vc) {
                return self.start(vc);
            }
        }
    }

    /// Starts the next flit of `vc` if its wire is awake and idle and it can.
    #[inline]
    pub(super) fn attempt(&mut self, vc: u32) {
        let this = self.state.vc(vc);
        let wire = self.state.wire(this.wire);
        if !wire.is_busy && !wire.is_asleep && this.has_more() && self.decide(vc) {
            self.start(vc);
        }
    }

    /// Whether the next flit of `vc` can start, which is remembered.
    #[inline]
    fn decide(&mut self, vc: u32) -> bool {
        let decision: Decision = self.state.decision(vc, self.now);
        let wire = self.state.vc(vc).wire;
        let wire = self.state.wire_mut(wire);
        if !wire.patience.pauses() {
            wire.decisions.add(decision);
        }
        decision.flits > 0 && decision.room > 0
    }

    /// `vc` has got room, or has been left by the tail of its owner.
    #[inline]
    fn use_room(&mut self, vc: u32) {
        let this = self.state.vc(vc);
        if this.flits > 0 && self.state.vc(this.after).started == this.flits {
            return self.release(vc);
        }
        self.attempt(vc);
    }

    /// Starts a flit on `vc`, which makes room in the buffer that it leaves.
    fn start(&mut self, vc: u32) {
        self.tell_sleepers(vc);
        let key = self.now;
        let this = self.state.vc_mut(vc);
        let start = this.started;
        this.started += 1;
        let this = *this;
        let wire = self.state.wire_mut(this.wire);
        wire.served = vc;
        wire.is_busy = true;
        wire.idle_at = key.tick + self.flit_time;
        if this.started == this.flits {
            wire.decisions.forget(key);
        }
        self.state.keep_start(vc, start, key);
        self.agenda.push(Key { tick: key.tick + self.flit_time, place: Place::arrival(vc) }, What::Cross, vc, 0);
        if start == 0 || self.follows_all {
            self.tell_of(vc, start, key.tick);
        }
        if self.state.is_channel(this.before) {
            self.give_room(this.before, key.place.credit());
        }
        self.fall_asleep(vc);
    }

    /// `vc` gets room, which it notices at `place`.
    #[inline]
    pub(super) fn give_room(&mut self, vc: u32, place: Place) {
        let credit = Credit { vc, place };
        if place.follows_look() {
            self.from_look = Some(credit);
        } else if self.credits.last() != Some(&credit) {
            self.credits.push(credit);
        }
    }

    /// The wire of `channel`, which a flit has just crossed, looks at its channels next.
    #[inline]
    pub(super) fn look_next(&mut self, channel: u32) {
        self.look = Some(channel);
    }

    /// Whether all flits are followed.
    #[inline]
    pub(super) fn follows_all(&self) -> bool {
        self.follows_all
    }

    /// Tells of start number `start` on `vc`.
    pub(super) fn tell_of(&mut self, vc: u32, start: u64, at: u64) {
        let this = self.state.vc(vc);
        let calls = start == 0 && !self.state.is_sink(this.after);
        self.news.push(News::Started { owner: this.owner, hop: this.hop, channel: ChannelId(vc), at, calls });
    }

    /// The tail has left the buffer behind `vc`.
    fn release(&mut self, vc: u32) {
        let this = self.state.vc_mut(vc);
        this.flits = 0;
        self.news.push(News::Released { owner: this.owner, hop: this.hop, channel: ChannelId(vc) });
    }
}
