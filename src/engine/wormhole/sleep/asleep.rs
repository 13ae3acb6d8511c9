//! Wires that fall asleep: which period they guess, and what must hold of it.
//!
//! After a start the wire looks back at the period that ends with it, W1, and at the one before that, W0. It sleeps if both had the
//! same starts, of its own channels and of those before and after them on their owners' paths; if all that it decided in W1 will
//! be decided again for two periods at least, as buffers fill and drain; if no tail starts in them; and if neighbours that
//! sleep expect what it promises, and promise what it expects, for ever.

use super::agenda::What;
use super::decisions::Drift;
use super::key::Key;
use super::moving::Flits;
use super::rest::{Repeating, Rest, Windows, start_of, starts_up_to};

/// W1 = (`from`, `to`].
#[derive(Clone, Copy)]
struct Window {
    from: Key,
    to: Key,
    period: u64,
}

/// Fewest periods that a wire sleeps.
const FEWEST: u64 = 2;

impl Flits {
    /// The wire of `vc` falls asleep now that a flit has started on it, if it repeats itself.
    pub(super) fn fall_asleep(&mut self, vc: u32) {
        let key = self.now;
        if !key.place.is_of_crossing() {
            return;
        }
        let this = self.state.vc(vc);
        let number = this.wire;
        let started = this.started;
        let wire = self.state.wire_mut(number);
        if wire.patience.pauses() {
            if wire.patience.start() {
                wire.decisions.forget(key);
            }
            return;
        }
        let from = wire.decisions.from();
        let mut has_tried = false;
        for back in 1..=(self.state.remembered.of_period as u64).min(started - 1) {
            let earlier = self.state.kept_start(vc, started - 1 - back);
            if earlier < from {
                break;
            }
            if earlier.place == key.place {
                has_tried = true;
                if self.sleep_in(number, Window { from: earlier, to: key, period: key.tick - earlier.tick }) {
                    return;
                }
            }
        }
        if has_tried {
            self.state.wire_mut(number).patience.fail();
        }
    }

    /// Whether `wire` falls asleep with the period of `window`.
    fn sleep_in(&mut self, wire: u32, window: Window) -> bool {
        let mut windows = std::mem::take(&mut self.windows);
        windows.clear();
        let periods = self.periods(wire, window, &mut windows).filter(|&periods| periods >= FEWEST);
        let slept = periods.filter(|_| self.lie_down(wire, window, &windows));
        self.windows = windows;
        if let Some(periods) = slept {
            self.begin_sleep(wire, window.to.after(window.period.saturating_mul(periods)));
        }
        slept.is_some()
    }

    /// For how many periods everything would come again, if it did so in `window`; of each channel with flits left, the starts
    /// of a period are added to `windows`.
    fn periods(&self, wire: u32, window: Window, windows: &mut Vec<Windows>) -> Option<u64> {
        let mut periods = u64::MAX;
        for vc in self.state.vcs_of(wire) {
            let this = self.state.vc(vc);
            if this.flits == 0 {
                continue;
            }
            let own = self.repeated(vc, window, false)?;
            if !this.has_more() {
                continue;
            }
            windows.push(self.window_of(vc, own, window)?);
            if own.count > 0 {
                periods = periods.min((this.flits - this.started - 1) / u64::from(own.count));
            }
        }
        let turn = self.first_turn(wire, window, windows);
        Some(periods.min(turn))
    }

    /// The starts of a period of `vc`, `own`, and of the channels before and after it, if they come again.
    fn window_of(&self, vc: u32, own: Repeating, window: Window) -> Option<Windows> {
        let this = self.state.vc(vc);
        let mut windows = Windows { vc, own, ..Windows::default() };
        if self.state.is_channel(this.before) {
            windows.before = self.repeated(this.before, window, true)?;
        }
        if self.state.is_channel(this.after) {
            windows.after = self.repeated(this.after, window, false)?;
        }
        let Repeating { from, count } = windows.before;
        let is_over = count > 0 && from == this.flits;
        (!is_over).then_some(windows)
    }

    /// How many periods pass before the first in which a decision of `window` would be another.
    fn first_turn(&self, wire: u32, window: Window, windows: &[Windows]) -> u64 {
        let mut periods = u64::MAX;
        for decision in self.state.wire(wire).decisions.after(window.from) {
            let Some(of) = windows.iter().find(|windows| windows.vc == decision.vc) else { continue };
            let this = self.state.vc(decision.vc);
            let own = i64::from(of.own.count);
            let drift = Drift {
                flits: if self.state.is_channel(this.before) { i64::from(of.before.count) - own } else { 0 },
                room: if self.state.is_sink(this.after) { 0 } else { i64::from(of.after.count) - own },
            };
            if let Some(turn) = decision.turns_after(drift) {
                periods = periods.min(turn - 1);
            }
        }
        periods
    }

    /// The starts of `vc` in `window`, if they are those of the period before, as far as that counts.
    fn repeated(&self, vc: u32, window: Window, only_ticks: bool) -> Option<Repeating> {
        let all = starts_up_to(&self.state, &self.rests, vc, window.to);
        let wire = self.state.wire(self.state.vc(vc).wire);
        if !wire.is_asleep {
            let start = |back: u64| self.state.kept_start(vc, all - 1 - back);
            return self.repeated_starts(all, start, window, only_ticks);
        }
        let rest = self.rests.rest(vc);
        if rest.has_more && wire.period == window.period {
            // it has compared the two periods before it fell asleep, and has repeated itself since
            return Some(Repeating { from: all, count: rest.own.count });
        }
        #[expect(clippy::expect_used, reason = "none is to come, they have started")]
        let start =
            |back: u64| start_of(&self.state, &self.rests, vc, all - 1 - back).expect("what has started has a key");
        self.repeated_starts(all, start, window, only_ticks)
    }

    /// The same of `all` starts so far, of which `start` tells the key of each from the last one back.
    #[inline]
    fn repeated_starts(
        &self,
        all: u64,
        start: impl Fn(u64) -> Key,
        window: Window,
        only_ticks: bool,
    ) -> Option<Repeating> {
        let mut count = 0;
        while count < all {
            let key = start(count);
            if key <= window.from {
                break;
            }
            if count == self.state.remembered.of_period as u64 || !key.place.is_of_crossing() {
                return None;
            }
            count += 1;
        }
        if all < 2 * count {
            return None;
        }
        for back in 0..count {
            let later = start(back);
            let earlier = start(back + count);
            let is_same = later.tick == earlier.tick + window.period && (only_ticks || later.place == earlier.place);
            if !is_same {
                return None;
            }
        }
        let earlier = Key { tick: window.from.tick.checked_sub(window.period)?, ..window.from };
        if all > 2 * count && start(2 * count) > earlier {
            return None;
        }
        #[expect(clippy::cast_possible_truncation, reason = "a period has a few starts")]
        Some(Repeating { from: all, count: count as u32 })
    }

    /// Lets `wire` promise and expect the starts of `window`, unless a neighbour that sleeps does not agree.
    fn lie_down(&mut self, wire: u32, window: Window, windows: &[Windows]) -> bool {
        for vc in self.state.vcs_of(wire) {
            self.rests.rest_mut(vc).has_more = false;
        }
        for &Windows { vc, own, before, after } in windows {
            let this = *self.state.vc(vc);
            for number in 0..before.count {
                let start = before.from - u64::from(before.count) + u64::from(number);
                if let Some(key) = start_of(&self.state, &self.rests, this.before, start) {
                    self.rests.before_keys(vc)[number as usize] = key;
                }
            }
            for number in 0..after.count {
                let start = after.from - u64::from(after.count) + u64::from(number);
                if let Some(key) = start_of(&self.state, &self.rests, this.after, start) {
                    self.rests.after_keys(vc)[number as usize] = key;
                }
            }
            *self.rests.rest_mut(vc) = Rest { has_more: true, own, before, after, ..Rest::default() };
        }
        let this = self.state.wire_mut(wire);
        this.is_asleep = true;
        this.period = window.period;
        this.asleep_from = window.to;
        let agreed = windows.iter().all(|windows| self.neighbours_agree(windows.vc));
        self.state.wire_mut(wire).is_asleep = agreed;
        agreed
    }

    /// `wire` sleeps from now until `key` at most.
    fn begin_sleep(&mut self, wire: u32, key: Key) {
        let serial = self.rests.next_serial();
        self.state.wire_mut(wire).alarm = serial;
        self.agenda.push(key.late(), What::Alarm, wire, serial);
        for vc in self.state.vcs_of(wire) {
            if self.rests.rest(vc).has_more {
                self.speak_for(vc);
                self.watch_neighbours(vc);
            }
        }
    }
}
