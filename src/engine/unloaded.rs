//! An engine without channels: every message takes the time that it is told, and nothing is in its way.
//!
//! A model that wants to know when the messages of a [`Program`] are sent and received runs it here: what nodes do is said
//! once, by the program, and only what the network adds is left out. Nothing is shared, so nothing waits; what ports of
//! nodes cost is for the program to say.

use super::program::{Program, Requests, Signal};
use crate::cancel::Pace;
use crate::events::{EventQueue, HeapQueue, Kind, QueuedEvent};
use crate::units::{MessageId, Ticks};

/// What the network takes for a message, in ticks from the request of its injection channel.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Passage {
    /// Until its tail has left its source.
    pub left: Ticks,
    /// Until it is delivered.
    pub delivered: Ticks,
}

/// When the messages of a program are requested and received if nothing is in their way.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Timeline {
    /// Per message when it requests its injection channel.
    pub requested: Vec<Ticks>,
    /// Per message when it is received.
    pub received: Vec<Ticks>,
    /// When the last one is.
    pub completion: Ticks,
}

/// Runs `program`; `passage` says what the network takes for each message. O(messages log messages) time.
pub fn run<P: Program>(mut program: P, passage: impl Fn(MessageId) -> Passage) -> Timeline {
    let mut timeline = Timeline {
        requested: vec![Ticks::ZERO; program.messages()],
        received: vec![Ticks::ZERO; program.messages()],
        completion: Ticks::ZERO,
    };
    let mut queue = HeapQueue::default();
    let mut requests = Requests::default();
    let mut pace = Pace::default();
    program.signal(Signal::Start, &mut requests);
    requests.take_to(&mut queue);
    while let Some(QueuedEvent { time, kind, number }) = queue.pop() {
        pace.step();
        let id = MessageId(number);
        match kind {
            Kind::Request => {
                let Passage { left, delivered } = passage(id);
                timeline.requested[id.index()] = time;
                program.signal(Signal::Requested { id, now: time }, &mut requests);
                program.signal(Signal::Left { id, at: time + left }, &mut requests);
                queue.push(QueuedEvent { time: time + delivered, kind: Kind::Deliver, number });
            }
            Kind::Deliver => {
                let received = time + program.receive_time(id);
                timeline.received[id.index()] = received;
                timeline.completion = timeline.completion.max(received);
                program.signal(Signal::Delivered { id, now: time }, &mut requests);
            }
            Kind::Timer => program.signal(Signal::Timer { token: number, now: time }, &mut requests),
            Kind::Wake => {} // there are no channels
        }
        requests.take_to(&mut queue);
    }
    timeline.completion = program.completion(timeline.completion);
    timeline
}
