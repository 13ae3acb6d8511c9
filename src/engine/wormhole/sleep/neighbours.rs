//! Wires that sleep and their neighbours: what sleepers tell those awake, and what they are told.

use super::agenda::{Entry, What};
use super::key::{Key, Place};
use super::moving::Flits;
use super::rest::{start_of, starts_up_to};

impl Flits {
    fn period(&self, vc: u32) -> u64 {
        self.state.wire(self.state.vc(vc).wire).period
    }

    /// Whether the channels before and after `vc`, whose wire sleeps, agree with it as far as they sleep.
    pub(super) fn neighbours_agree(&self, vc: u32) -> bool {
        let this = self.state.vc(vc);
        let sleeps = |other: u32| self.state.is_channel(other) && self.state.is_asleep(other);
        (!sleeps(this.before) || self.agree(this.before, vc)) && (!sleeps(this.after) || self.agree(vc, this.after))
    }

    /// Whether `up` and `down`, which follow each other on a path and sleep, promise for ever what the other expects.
    fn agree(&self, up: u32, down: u32) -> bool {
        let promised = self.rests.rest(up);
        let expected = self.rests.rest(down).before;
        let from = starts_up_to(&self.state, &self.rests, up, self.now);
        // sequences that repeat themselves after so many starts each are the same if so many together are
        for start in from..from + u64::from(promised.own.count + expected.count) {
            let promise = start_of(&self.state, &self.rests, up, start);
            let expected = self.rests.expected_before(down, start, self.period(down));
            if promise.map(|key| key.tick) != expected.map(|key| key.tick) {
                return false;
            }
        }
        let expected = promised.after;
        let promised = self.rests.rest(down);
        let from = starts_up_to(&self.state, &self.rests, down, self.now);
        (from..from + u64::from(promised.own.count + expected.count)).all(|start| {
            let promise = start_of(&self.state, &self.rests, down, start);
            promise == self.rests.expected_after(up, start, self.period(up))
        })
    }

    /// Wakes the neighbours of `vc`, which is about to start a flit, that sleep and do not expect it now.
    #[inline]
    pub(super) fn tell_sleepers(&mut self, vc: u32) {
        let this = *self.state.vc(vc);
        if self.state.is_asleep(this.after) {
            let expected = self.rests.expected_before(this.after, this.started, self.period(this.after));
            if expected.is_none_or(|key| key.tick != self.now.tick) {
                self.wake(self.state.vc(this.after).wire);
            }
        }
        if self.state.is_asleep(this.before) && self.rests.rest(this.before).has_more {
            let expected = self.rests.expected_after(this.before, this.started, self.period(this.before));
            if expected != Some(self.now) {
                self.wake(self.state.vc(this.before).wire);
            }
        }
    }

    /// What is to happen to a channel whose wire sleeps happens, if it still does.
    pub(super) fn happen_asleep(&mut self, entry: Entry) {
        let Entry { what, vc, serial, .. } = entry;
        if what == What::Alarm {
            let wire = self.state.wire(vc);
            if wire.is_asleep && wire.alarm == serial {
                self.wake(vc);
            }
            return;
        }
        if !self.state.is_asleep(vc) {
            return;
        }
        let serials = self.rests.rest(vc).serials;
        match what {
            What::Arrive if serials.arrive == serial => self.arrive_asleep(vc, serial),
            What::Start if serials.start == serial => self.start_asleep(vc),
            What::BeforeDue if serials.before_due == serial => self.before_due(vc),
            What::AfterDue if serials.after_due == serial => self.after_due(vc),
            _ => {}
        }
    }

    /// A flit arrives behind `vc`, whose wire sleeps.
    fn arrive_asleep(&mut self, vc: u32, serial: u32) {
        let after = self.state.vc(vc).after;
        if self.state.is_asleep(after) {
            return;
        }
        self.arrive(vc);
        // that may have woken it
        if self.state.is_asleep(vc) && self.rests.rest(vc).serials.arrive == serial {
            self.tell_arrivals(vc);
        }
    }

    /// A flit starts on `vc`, whose wire sleeps.
    fn start_asleep(&mut self, vc: u32) {
        let before = self.state.vc(vc).before;
        if self.state.is_asleep(before) || !self.state.vc(before).has_more() {
            return;
        }
        self.state.vc_mut(vc).started += 1;
        self.give_room(before, self.now.place.credit());
        self.tell_starts(vc);
    }

    /// A flit should have started before `vc`, whose wire sleeps.
    fn before_due(&mut self, vc: u32) {
        let before = self.state.vc(vc).before;
        if self.state.is_asleep(before) {
            return;
        }
        let expected = self.rests.expected_before(vc, self.state.vc(before).started, self.period(vc));
        if expected.is_some_and(|key| key.tick <= self.now.tick) {
            return self.wake(self.state.vc(vc).wire);
        }
        self.watch_before(vc);
    }

    /// A flit should have started after `vc`, whose wire sleeps.
    fn after_due(&mut self, vc: u32) {
        let after = self.state.vc(vc).after;
        if self.state.is_asleep(after) {
            return;
        }
        let expected = self.rests.expected_after(vc, self.state.vc(after).started, self.period(vc));
        if expected.is_some_and(|key| key <= self.now) {
            return self.wake(self.state.vc(vc).wire);
        }
        self.watch_after(vc);
    }

    /// Tells the neighbours of `vc`, whose wire falls asleep, of its starts, if they are awake.
    pub(super) fn speak_for(&mut self, vc: u32) {
        let this = *self.state.vc(vc);
        if self.state.is_channel(this.before) && !self.state.is_asleep(this.before) {
            self.tell_starts(vc);
        }
        if self.state.is_channel(this.after) && !self.state.is_asleep(this.after) {
            self.tell_arrivals(vc);
        }
    }

    /// Sees to it that `vc`, whose wire falls asleep, wakes if neighbours awake do not do what it expects.
    pub(super) fn watch_neighbours(&mut self, vc: u32) {
        let this = *self.state.vc(vc);
        if self.state.is_channel(this.before) && !self.state.is_asleep(this.before) {
            self.watch_before(vc);
        }
        if self.state.is_channel(this.after) && !self.state.is_asleep(this.after) {
            self.watch_after(vc);
        }
    }

    /// Tells the wire of the channel before `vc` of the next start on it.
    pub(super) fn tell_starts(&mut self, vc: u32) {
        let started = self.state.vc(vc).started;
        if let Some(key) = start_of(&self.state, &self.rests, vc, started)
            && self.rests.rest(vc).own.count > 0
        {
            let serial = self.rests.next_serial();
            self.rests.rest_mut(vc).serials.start = serial;
            self.agenda.push(key, What::Start, vc, serial);
        }
    }

    /// Tells the wire of the channel after `vc` of the next flit that arrives there.
    pub(super) fn tell_arrivals(&mut self, vc: u32) {
        let crossed = self.state.vc(vc).crossed;
        if let Some(start) = start_of(&self.state, &self.rests, vc, crossed) {
            let serial = self.rests.next_serial();
            self.rests.rest_mut(vc).serials.arrive = serial;
            let key = Key { tick: start.tick + self.flit_time, place: Place::arrival(vc) };
            self.agenda.push(key, What::Arrive, vc, serial);
        }
    }

    /// Wakes the wire of `vc` if the channel before it, which is awake, does not start its next flit when that is expected.
    pub(super) fn watch_before(&mut self, vc: u32) {
        let before = self.state.vc(vc).before;
        if let Some(key) = self.rests.expected_before(vc, self.state.vc(before).started, self.period(vc)) {
            let serial = self.rests.next_serial();
            self.rests.rest_mut(vc).serials.before_due = serial;
            self.agenda.push(Key { place: Place::END, ..key }, What::BeforeDue, vc, serial);
        }
    }

    /// Wakes the wire of `vc` if the channel after it, which is awake, does not start its next flit when that is expected.
    pub(super) fn watch_after(&mut self, vc: u32) {
        let after = self.state.vc(vc).after;
        if let Some(key) = self.rests.expected_after(vc, self.state.vc(after).started, self.period(vc)) {
            let serial = self.rests.next_serial();
            self.rests.rest_mut(vc).serials.after_due = serial;
            self.agenda.push(key.late(), What::AfterDue, vc, serial);
        }
    }
}
