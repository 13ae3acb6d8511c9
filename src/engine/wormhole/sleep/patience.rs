//! When a wire tries to fall asleep: not at each start, where it has not paid.
//!
//! It decides how long a run takes, never what comes out.

/// How many starts a sleep has to skip to have paid.
const WORTH: u64 = 6;

/// The longest pauses, in starts, after sleeps that did not pay and after attempts that failed.
const LONGEST_PAUSE: u32 = 62;
const LONGEST_BACK_OFF: u32 = 64;

/// Failed attempts in a row that are nothing unusual.
const USUAL: u32 = 16;

/// How long a wire waits before it tries to fall asleep.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Patience {
    /// Starts before the next attempt.
    pause: u32,
    /// The pause after the next sleep.
    penalty: u32,
    /// Attempts that have failed since the last sleep.
    failed: u32,
}

impl Patience {
    /// Whether it pauses, and need not remember what it decides.
    #[inline]
    pub(super) fn pauses(&self) -> bool {
        self.pause > 0
    }

    /// A flit starts in a pause; whether this is its end.
    #[inline]
    pub(super) fn start(&mut self) -> bool {
        self.pause -= 1;
        self.pause == 0
    }

    /// It has not fallen asleep.
    #[inline]
    pub(super) fn fail(&mut self) {
        self.failed += 1;
        if self.failed > USUAL {
            self.pause = (self.failed - USUAL).min(LONGEST_BACK_OFF);
        }
    }

    /// It has slept and skipped so many starts.
    #[inline]
    pub(super) fn wake(&mut self, skipped: u64) {
        self.failed = 0;
        self.penalty = if skipped < WORTH { (2 * self.penalty + 2).min(LONGEST_PAUSE) } else { self.penalty / 8 };
        self.pause = self.penalty;
    }

    /// One of its channels has been granted: things may go another way now.
    #[inline]
    pub(super) fn grant(&mut self) {
        self.failed = 0;
        self.penalty /= 2;
        self.pause = self.pause.min(self.penalty);
    }
}
