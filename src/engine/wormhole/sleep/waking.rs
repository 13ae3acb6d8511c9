//! Wires that wake: their counters, the flit that is crossing, and what neighbours asleep tell and expect.

use super::agenda::What;
use super::key::{Key, Place};
use super::moving::Flits;
use super::rest::{start_of, starts_up_to};
use super::state::Remembered;

impl Flits {
    /// `wire`, which sleeps, wakes with all that is to happen up to now done.
    pub(super) fn wake(&mut self, wire: u32) {
        let mut last: Option<(Key, u32)> = None;
        let mut skipped = 0;
        for vc in self.state.vcs_of(wire) {
            if !self.rests.rest(vc).has_more {
                continue;
            }
            if let Some(key) = self.catch_up(vc) {
                last = last.max(Some((key, vc)));
            }
            skipped += self.state.vc(vc).started - self.rests.rest(vc).own.from;
        }
        let this = self.state.wire_mut(wire);
        this.is_asleep = false;
        this.decisions.forget(self.now);
        this.patience.wake(skipped);
        if let Some((key, served)) = last {
            self.wake_after(wire, key, served);
        }
        for vc in self.state.vcs_of(wire) {
            if self.rests.rest(vc).has_more {
                self.meet_neighbours(vc);
            }
        }
    }

    /// Counts what has started on `vc`, whose wire is about to wake; the key of the last start, if it has any.
    fn catch_up(&mut self, vc: u32) -> Option<Key> {
        let started = starts_up_to(&self.state, &self.rests, vc, self.now);
        let from = self.rests.rest(vc).own.from;
        if self.follows_all() {
            for start in from..started {
                let at = start_of(&self.state, &self.rests, vc, start);
                if let Some(key) = at {
                    self.tell_of(vc, start, key.tick);
                }
            }
        }
        self.refill(vc, started);
        let this = self.state.vc_mut(vc);
        this.started = started;
        this.crossed = started;
        started.checked_sub(1).map(|last| self.state.kept_start(vc, last))
    }

    /// Keeps the keys of the latest starts of `vc`, of which there are so many.
    fn refill(&mut self, vc: u32, started: u64) {
        let own = self.rests.rest(vc).own;
        let first = own.from.max(started.saturating_sub(self.state.kept()));
        let mut keys = [Key::default(); Remembered::MOST_STARTS];
        let mut count = 0;
        for start in first..started {
            if let Some(key) = start_of(&self.state, &self.rests, vc, start) {
                keys[count] = key;
                count += 1;
            }
        }
        for (start, &key) in (first..started).zip(&keys[..count]) {
            self.state.keep_start(vc, start, key);
        }
    }

    /// `wire` wakes, on which the last flit started on `served` at `key`.
    fn wake_after(&mut self, wire: u32, key: Key, served: u32) {
        let idle_at = key.tick + self.flit_time;
        let crossed = Key { tick: idle_at, place: Place::arrival(served) };
        let looks = Key { tick: idle_at, place: Place::look(served) };
        let this = self.state.wire_mut(wire);
        this.served = served;
        this.idle_at = idle_at;
        this.is_busy = crossed > self.now;
        if this.is_busy {
            self.state.vc_mut(served).crossed -= 1;
            self.agenda.push(crossed, What::Cross, served, 0);
        } else if looks > self.now {
            self.look_next(served);
        }
    }

    /// `vc`, whose wire has woken, hears of its neighbours that sleep, and they of it.
    fn meet_neighbours(&mut self, vc: u32) {
        let this = *self.state.vc(vc);
        if self.state.is_asleep(this.before) && self.rests.rest(this.before).has_more {
            self.catch_up_crossed(this.before);
            self.tell_arrivals(this.before);
            self.watch_after(this.before);
        }
        if !self.state.is_channel(this.after) {
            return;
        }
        if self.state.is_asleep(this.after) {
            self.state.vc_mut(this.after).started = starts_up_to(&self.state, &self.rests, this.after, self.now);
            self.tell_starts(this.after);
            self.watch_before(this.after);
        }
        self.notice_room(vc, this.after);
    }

    /// Counts what has crossed `vc`, whose wire sleeps.
    fn catch_up_crossed(&mut self, vc: u32) {
        let started = starts_up_to(&self.state, &self.rests, vc, self.now);
        let is_crossing = started > 0
            && start_of(&self.state, &self.rests, vc, started - 1)
                .is_some_and(|last| Key { tick: last.tick + self.flit_time, place: Place::arrival(vc) } > self.now);
        self.state.vc_mut(vc).crossed = started - u64::from(is_crossing);
    }

    /// If a flit that started on `after` in this tick has made room for `vc` that this has not noticed, it is yet to.
    fn notice_room(&mut self, vc: u32, after: u32) {
        let started = self.state.vc(after).started;
        let Some(last) = started.checked_sub(1) else { return };
        let Some(key) = start_of(&self.state, &self.rests, after, last) else { return };
        if key.tick == self.now.tick && key.place.is_of_crossing() && key.credit() > self.now {
            self.give_room(vc, key.place.credit());
        }
    }
}
