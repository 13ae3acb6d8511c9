//! When exactly a flit starts: the tick, and the place within the tick.
//!
//! Within a tick the flit engine does one thing after the other, and that order decides who wins a wire. A place says where in
//! that order something happens:
//!
//! ```text
//!   63      61 60                29 28    27 26            1   0
//!    |  phase |      trigger       |  kind |     depth      | late |
//!
//!   phase 0     flits that have crossed; the trigger is the number of the channel
//!         2, 3  wakes of those in line, by channel; requests, by message
//!   kind  0     the flit arrives, and the channel that it goes to tries to start it; or a header is granted a channel
//!         1     the wire of the channel has fallen idle and looks at its channels in turn
//!         2, 3  what follows upstream, channel by channel, from the place that a start of kind 1, of kind 0 makes
//!   depth       how many channels upstream
//!   late        after all that happens at the same place without it
//! ```

/// The order within a tick.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Place(u64);

const DEPTH_SHIFT: u32 = 1;
const KIND_SHIFT: u32 = 27;
const TRIGGER_SHIFT: u32 = 29;
const PHASE_SHIFT: u32 = 61;
const ABOVE_KIND: u64 = u64::MAX << TRIGGER_SHIFT;

/// What led to a start.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub(super) enum Phase {
    /// A flit that has crossed a channel.
    Crossing = 0,
    /// A channel that has become free for those in line.
    Wake = 2,
    /// The request of a header.
    Request = 3,
}

impl Place {
    /// The end of the phase of crossings.
    pub(super) const END: Self = Self((1 << PHASE_SHIFT) - 1);

    /// Where `trigger` takes effect at once: a flit arrives, or a header is granted a channel.
    #[inline]
    pub(super) fn direct(phase: Phase, trigger: u32) -> Self {
        Self((phase as u64) << PHASE_SHIFT | u64::from(trigger) << TRIGGER_SHIFT)
    }

    /// Where a flit that has crossed `channel` arrives.
    #[inline]
    pub(super) fn arrival(channel: u32) -> Self {
        Self::direct(Phase::Crossing, channel)
    }

    /// Where the wire of `channel`, which a flit has crossed, looks at its channels in turn.
    #[inline]
    pub(super) fn look(channel: u32) -> Self {
        Self(u64::from(channel) << TRIGGER_SHIFT | 1 << KIND_SHIFT)
    }

    /// Where the place that a start here makes in a buffer is noticed upstream.
    #[inline]
    pub(super) fn credit(self) -> Self {
        let kind = match self.0 >> KIND_SHIFT & 3 {
            0 | 3 => 3,
            _ => 2,
        };
        let depth = (self.0 >> DEPTH_SHIFT & ((1 << (KIND_SHIFT - DEPTH_SHIFT)) - 1)) + 1;
        Self(self.0 & ABOVE_KIND | kind << KIND_SHIFT | depth << DEPTH_SHIFT)
    }

    /// Whether this is noticed upstream of a start of kind 1.
    #[inline]
    pub(super) fn follows_look(self) -> bool {
        self.0 >> KIND_SHIFT & 3 == 2
    }

    /// After all that happens here.
    #[inline]
    pub(super) fn late(self) -> Self {
        Self(self.0 | 1)
    }

    /// Whether a crossing led here.
    #[inline]
    pub(super) fn is_of_crossing(self) -> bool {
        self.0 >> PHASE_SHIFT == 0
    }
}

/// A tick and a place in it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Key {
    pub(super) tick: u64,
    pub(super) place: Place,
}

impl Key {
    /// So many ticks later, at the same place.
    #[inline]
    pub(super) fn after(self, ticks: u64) -> Self {
        Self { tick: self.tick + ticks, ..self }
    }

    /// In the same tick, where the place that a start here makes in a buffer is noticed upstream.
    #[inline]
    pub(super) fn credit(self) -> Self {
        Self { place: self.place.credit(), ..self }
    }

    /// After all that happens here.
    #[inline]
    pub(super) fn late(self) -> Self {
        Self { place: self.place.late(), ..self }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_come_in_the_order_of_the_flit_engine() {
        let arrival = Place::arrival(7);
        let look = Place::look(7);
        let from_look = look.credit();
        let from_arrival = arrival.credit();
        let in_order = [
            arrival,
            arrival.late(),
            look,
            look.late(),
            from_look,
            from_look.credit(),
            from_arrival,
            from_arrival.late(),
            from_arrival.credit(),
            Place::arrival(8),
            Place::END,
            Place::direct(Phase::Wake, 3),
            Place::direct(Phase::Request, 2),
            Place::direct(Phase::Request, 2).credit(),
            Place::direct(Phase::Request, u32::MAX),
        ];
        assert!(in_order.is_sorted_by(|one, other| one < other), "{in_order:?}");
        assert!(from_look.credit().follows_look() && !from_arrival.credit().follows_look());
        assert!(Place::END.is_of_crossing() && !Place::direct(Phase::Wake, 0).is_of_crossing());
        assert!(Place::arrival(u32::MAX - 1).credit() < Place::END);
    }
}
