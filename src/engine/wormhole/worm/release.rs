//! From when on the channels of a message are free again, as soon as that is certain (see the text of [`super`]).
//!
//! What is certain is told to the queue if a header waits, and to the observer. This file decides nothing about who gets a
//! channel.

use super::Worm;
use super::course::End;
use super::flight::{AWAITED, Flight};
use super::weights::{Certainty, Weights};
use crate::engine::window::FirstNumber;
use crate::engine::{Event, Observer, Program, Signal};
use crate::events::{EventQueue, Kind, QueuedEvent};
use crate::units::{ChannelId, MessageId, Ticks};

/// The largest `w` behind the channel with number `hop`, counted from 0, of a message whose header has arrived.
#[inline]
fn largest_to_end(weights: &Weights, flight: &Flight, certainty: Certainty, hop: u32) -> i64 {
    match flight.weights {
        Some(slot) => weights.from(slot, hop + 2),
        None => {
            let end = flight.channels.min(hop + 1 + flight.window);
            certainty.smooth_max_between(flight.injected, hop + 2, end)
        }
    }
}

impl<Q: EventQueue, P: Program, O: Observer, F: FirstNumber, const UNEVEN: bool> Worm<'_, Q, P, O, F, UNEVEN> {
    /// The header of a message that may be shorter than its path has started on a channel before the last: releases the
    /// channel that this makes certain.
    pub(super) fn advance(&mut self, id: MessageId, now: Ticks) {
        let flight = &self.flights[id];
        let certainty = Certainty::of(&self.costs, flight.wire_flits);
        let largest = match flight.weights {
            Some(slot) => {
                let weight = certainty.weight(flight.granted, now);
                self.weights.note(slot, flight.granted, flight.window, weight)
            }
            None => certainty.smooth_max(flight.injected, flight.granted, flight.window),
        };
        if flight.granted > flight.window {
            let hop = flight.granted - flight.window - 1;
            self.release_next(id, certainty.release(hop, largest));
        }
    }

    /// The header has started on the ejection channel: the rest of its path becomes certain.
    pub(super) fn arrive(&mut self, id: MessageId, now: Ticks) {
        let flight = &mut self.flights[id];
        let certainty = Certainty::of(&self.costs, flight.wire_flits);
        let delivered = now + Ticks(flight.wire_flits * self.costs.flit_time);
        flight.mark = delivered;
        self.queue.push(QueuedEvent { time: delivered, kind: Kind::Deliver, number: id.0 });
        let flight = *flight;
        let last = flight.channels - 1;
        if let Some(slot) = flight.weights {
            let weight = certainty.weight(flight.channels, now);
            self.weights.close(slot, flight.channels, flight.window, weight);
        }
        let released = self.tallies[id].released;
        let one_by_one = if self.runs_ahead && released == 0 { 1 } else { last };
        for hop in released..one_by_one {
            let largest = largest_to_end(&self.weights, &flight, certainty, hop);
            self.release_next(id, certainty.release(hop, largest));
        }
        if one_by_one < last {
            self.release_links(id, &flight, certainty);
        }
        self.release_next(id, delivered);
        self.paths.free(self.tallies[id].slot);
        if let Some(slot) = flight.weights {
            self.weights.free(slot, flight.channels);
        }
    }

    /// As [`Self::release_next`] for all channels between the injection and the ejection channel, where no observer watches, of a
    /// message that is at least as long as the buffers of its path.
    fn release_links(&mut self, id: MessageId, flight: &Flight, certainty: Certainty) {
        let last = flight.channels - 1;
        let smooth = certainty.smooth_releases(flight.injected, flight.channels);
        let mut place = self.tallies[id].tail;
        let mut hop = 0;
        self.paths.pass(&mut place, last - 1, |channel| {
            hop += 1;
            let at = match flight.weights {
                Some(slot) => certainty.release(hop, self.weights.from(slot, hop + 2)),
                None => smooth.of(hop),
            };
            let state = std::mem::replace(&mut self.free_from[channel.index()], at.0);
            if state == AWAITED {
                self.queue.push(QueuedEvent { time: at, kind: Kind::Wake, number: channel.0 });
            }
            true
        });
        let tally = &mut self.tallies[id];
        tally.tail = place;
        tally.released = last;
    }

    /// It is certain that the first channel of `id`'s path that has not been released yet is free from `at`.
    #[inline]
    fn release_next(&mut self, id: MessageId, at: Ticks) {
        let flight = &self.flights[id];
        let tally = &mut self.tallies[id];
        let hop = tally.released;
        let first = tally.tail.channel();
        let channel = ChannelId(first.0 + flight.port(hop));
        if let Some(siblings) = &mut self.siblings {
            siblings.released(channel, at);
        }
        let awaited = std::mem::replace(&mut self.free_from[channel.index()], at.0) == AWAITED;
        if awaited {
            self.queue.push(QueuedEvent { time: at, kind: Kind::Wake, number: first.0 });
        }
        tally.released += 1;
        if tally.released < flight.channels {
            self.paths.step(&mut tally.tail);
        }
        self.observer.event(Event::Released { message: id, hop: hop as usize, channel, at });
        if hop == 0 {
            self.program.signal(Signal::Left { id, at }, &mut self.requests);
            self.take_requests();
        }
    }

    /// The header of `id` has started on `channel`, of channels that differ: what becomes certain is released.
    pub(super) fn start_uneven(&mut self, id: MessageId, channel: ChannelId, now: Ticks) {
        let next = self.courses.start(id, channel, self.network.channels(), now);
        let flight = &mut self.flights[id];
        flight.mark = next;
        if flight.granted == flight.channels {
            return self.arrive_uneven(id);
        }
        self.paths.step(&mut flight.next);
        self.queue.push(QueuedEvent { time: next, kind: Kind::Request, number: id.0 });
        while self.courses.of(id).is_certain(self.tallies[id].released as usize) {
            self.release_uneven(id);
        }
    }

    /// It is certain when the next channel of `id`'s path, not the last, is released, of channels that differ.
    fn release_uneven(&mut self, id: MessageId) {
        let hop = self.tallies[id].released as usize;
        let at = self.courses.of(id).release(hop);
        self.release_next(id, at);
    }

    /// The header of `id` has started on its ejection channel, of channels that differ.
    fn arrive_uneven(&mut self, id: MessageId) {
        let last = self.flights[id].channels - 1;
        for _ in self.tallies[id].released..last {
            self.release_uneven(id);
        }
        let End { released, delivered } = self.courses.of(id).end();
        self.courses.arrived(id);
        self.flights[id].mark = delivered;
        self.queue.push(QueuedEvent { time: delivered, kind: Kind::Deliver, number: id.0 });
        self.release_next(id, released);
        self.paths.free(self.tallies[id].slot);
    }
}
