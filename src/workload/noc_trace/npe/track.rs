//! One processor from event to event: its times rise, its barriers end, what it keeps is recalled.
//!
//! Knows the fields of events as checked; refuses to know other processors.

use super::fault::{Fault, Faults};
use super::fields::{Asked, Content, Told};
use super::form::Direction;
use crate::workload::noc_trace::event::What;

/// What is known of a processor behind its events so far.
#[derive(Default)]
pub(super) struct Track {
    latest: Option<Moment>,
    barrier: Option<Barrier>,
    /// What reads recall.
    read: Option<Kept>,
    /// What writes recall.
    write: Option<Kept>,
    /// Whether an event was wrong: what is missing may have been in it.
    pub(super) is_broken: bool,
}

/// An event and when it was.
#[derive(Clone, Copy)]
pub(super) struct Moment {
    /// Its number, from 1.
    pub(super) event: usize,
    /// In the cycles that the chip counts.
    pub(super) time: u64,
}

/// A barrier that the processor waits at.
#[derive(Clone, Copy)]
struct Barrier {
    direction: Direction,
    network: u8,
    /// The event with which it started.
    event: usize,
}

/// A place and a size, and the event that keeps them.
#[derive(Clone, Copy)]
struct Kept {
    told: Told,
    event: usize,
}

impl Track {
    /// The beginning of a kernel; none if it is repeated behind later events, as the profiler does where it has to make
    /// room.
    pub(super) fn begin(&mut self, at: Moment, faults: &mut Faults) -> Option<What> {
        if self.latest.is_some_and(|latest| at.time < latest.time) {
            return None;
        }
        self.latest = Some(at);
        if let Some(barrier) = self.barrier.filter(|_| !self.is_broken) {
            faults.add(in_barrier(at.event, "a kernel begins", barrier));
            return None;
        }
        Some(What::Begin)
    }

    /// What the processor did at this moment, where it `asked` a network; none if that is nothing, or wrong.
    pub(super) fn ask(&mut self, at: Moment, asked: Asked<'_>, faults: &mut Faults) -> Option<What> {
        let before = self.latest.replace(at);
        if let Some(latest) = before.filter(|latest| at.time < latest.time) {
            let what = format!("decreases from {} to {}", latest.time, at.time);
            let fault = Fault::of_field(at.event, "timestamp", what).other(latest.event, "previous event");
            let accepted = "accepted: events of a processor in the order of their times";
            faults.add_with(fault, |fault| fault.note(accepted));
            self.is_broken = true;
            return None;
        }
        let what = match asked.content {
            Content::Told(what) => Some(what),
            Content::Nothing => None,
            Content::Kept(direction, told) => {
                *self.kept(direction) = Some(Kept { told, event: at.event });
                None
            }
            Content::Recalled(direction, told) => self.recall(at, asked.kind, direction, told, faults),
        };
        self.wait(at, asked, what, faults);
        what
    }

    fn kept(&mut self, direction: Direction) -> &mut Option<Kept> {
        match direction {
            Direction::Read => &mut self.read,
            Direction::Write => &mut self.write,
        }
    }

    /// A transfer that says what is `told`, and is for the rest as was kept.
    fn recall(
        &mut self,
        at: Moment,
        kind: &str,
        direction: Direction,
        told: Told,
        faults: &mut Faults,
    ) -> Option<What> {
        let kept = *self.kept(direction);
        let place = told.place.or(kept.and_then(|kept| kept.told.place));
        let bytes = told.bytes.or(kept.and_then(|kept| kept.told.bytes));
        if let Some((place, bytes)) = place.zip(bytes) {
            return Some(direction.transfer(place, bytes));
        }
        if !self.is_broken {
            let keeper = direction.keeper();
            faults.add(match kept {
                None => Fault::of_event(at.event, format!("{kind} without an earlier {keeper} of the same processor")),
                Some(kept) => {
                    let what = format!("{kind} without a size: neither it nor the state that it uses has `num_bytes`");
                    Fault::of_event(at.event, what).other(kept.event, "the state that it uses")
                }
            });
        }
        None
    }

    /// Starts and ends barriers; nothing else happens in one.
    fn wait(&mut self, at: Moment, asked: Asked<'_>, what: Option<What>, faults: &mut Faults) {
        let Asked { kind, network, .. } = asked;
        let open = self.barrier;
        let ended = what.and_then(ended_by);
        let fault = match (open, ended) {
            (None, None) => None,
            (None, Some(_)) => Some(Fault::of_event(at.event, format!("{kind} without an earlier start"))),
            (Some(barrier), Some(direction)) => {
                self.barrier = None;
                mismatch(at.event, asked, direction, barrier)
            }
            (Some(barrier), None) => Some(in_barrier(at.event, kind, barrier)),
        };
        fault.into_iter().filter(|_| !self.is_broken).for_each(|fault| faults.add(fault));
        if let Some(direction) = what.and_then(started_by) {
            self.barrier = Some(Barrier { direction, network, event: at.event });
        }
    }

    /// That the trace ends in a barrier.
    pub(super) fn finish(&self, faults: &mut Faults) {
        if let Some(barrier) = self.barrier.filter(|_| !self.is_broken) {
            let fault = Fault::of_event(barrier.event, "this barrier does not end");
            faults.add(fault.hint("the trace may be truncated"));
        }
    }
}

/// That the processor did something while it waited at `barrier`.
fn in_barrier(event: usize, what: &str, barrier: Barrier) -> Fault {
    let fault = Fault::of_event(event, format!("{what} while its processor waits at a barrier"));
    fault.other(barrier.event, "the barrier starts here")
}

/// That the end of a barrier of this direction does not belong to `barrier`.
fn mismatch(event: usize, asked: Asked<'_>, direction: Direction, barrier: Barrier) -> Option<Fault> {
    let Asked { kind, network, .. } = asked;
    let fault = if direction != barrier.direction {
        Fault::of_event(event, format!("{kind} does not match the barrier that started"))
    } else if network != barrier.network {
        let what = format!("is NOC_{network}, but the barrier started on NOC_{}", barrier.network);
        Fault::of_field(event, "noc", what)
    } else {
        return None;
    };
    Some(fault.other(barrier.event, "the barrier starts here"))
}

fn started_by(what: What) -> Option<Direction> {
    match what {
        What::ReadBarrierStart => Some(Direction::Read),
        What::WriteBarrierStart => Some(Direction::Write),
        _ => None,
    }
}

fn ended_by(what: What) -> Option<Direction> {
    match what {
        What::ReadBarrierEnd => Some(Direction::Read),
        What::WriteBarrierEnd => Some(Direction::Write),
        _ => None,
    }
}
