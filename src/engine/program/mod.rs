//! What the nodes want from the network: which messages, and when.
//!
//! A program reacts: the engine tells it what has been requested and delivered, it answers with requests for the
//! future. A static schedule under node overheads is one program ([`ScheduleProgram`]), a list of messages
//! with fixed times another ([`TraceProgram`]). A program knows nothing of what channels cost or who owns them; it may
//! prescribe which of them a message takes.

mod cause;
mod collective;
mod exchange;
mod forward;
mod live;
mod netrace;
pub mod noc;
mod operations;
mod schedule;
mod trace;
mod tree_collective;
mod worm;

pub use cause::{Began, Cause, Causes, Computation};
pub use collective::{CollectiveProgram, Overheads};
pub use exchange::ExchangeProgram;
pub(super) use live::LiveMessage;
pub use live::LiveMessages;
pub use netrace::{NetraceProgram, NetraceRules};
pub use noc::NocProgram;
pub use operations::GoalProgram;
pub use schedule::ScheduleProgram;
pub use trace::{TraceMessage, TraceProgram, TraceWorm};
pub use tree_collective::TreeCollectiveProgram;
pub use worm::Worm;

use super::MessageOutcome;
use crate::events::{EventQueue, Kind, QueuedEvent};
use crate::routing::{Network, Stretch};
use crate::schedule::goal::GoalViolation;
use crate::units::{ChannelId, Flits, MessageId, NodeId, Ticks};

/// The messages of a program.
pub trait MessageSet {
    /// How many messages there are; they are numbered from 0.
    fn messages(&self) -> usize;

    /// Who sends message `id` to whom, and its length, which may be no flits at all (see [`Flits`]).
    fn message(&self, id: MessageId) -> (NodeId, NodeId, Flits);

    /// Appends the path of message `id` on `network` to `path`; as the network routes it, unless the program prescribes
    /// another. What [`Network::route`] says of paths holds for every path.
    fn path(&self, id: MessageId, network: &dyn Network, path: &mut Vec<ChannelId>) {
        let (src, dst, _) = self.message(id);
        network.route(src, dst, path);
    }

    /// Appends the path that [`Self::path`] appends to `stretches`, if it is known as such; false if not.
    fn stretches(&self, id: MessageId, network: &dyn Network, stretches: &mut Vec<Stretch>) -> bool {
        let _ = (id, network, stretches);
        false
    }

    /// By which injection channel of its node message `id` leaves, where these differ.
    fn injection(&self, id: MessageId) -> usize {
        let _ = id;
        0
    }

    /// The class of packets of message `id`, from 0, on routers with classes.
    fn class(&self, id: MessageId) -> u8 {
        let _ = id;
        0
    }

    /// Returns true if routers copy or combine packets of messages.
    fn has_worms(&self) -> bool {
        false
    }

    /// The worm of message `id`, if routers copy or combine its packets.
    fn worm(&self, id: MessageId) -> Option<Worm<'_>> {
        let _ = id;
        None
    }

    /// The number by which reports name message `id`.
    fn name(&self, id: MessageId) -> MessageId {
        id
    }

    /// How long after its delivery message `id` counts as received.
    fn receive_time(&self, id: MessageId) -> Ticks;
}

/// Something that an engine reports to a program, which answers with requests.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Signal {
    /// The run is about to start. The program has to remember the causes of its sends, as far as they do not follow from the messages.
    KeepCauses,
    /// The run starts.
    Start,
    /// A message requests its injection channel.
    Requested {
        /// The message.
        id: MessageId,
        /// The tick of the request.
        now: Ticks,
    },
    /// The head flit of a message leaves the interface of its node for a link, or for the node itself. Only engines with injection
    /// channels that differ report it.
    Departed {
        /// The message.
        id: MessageId,
        /// The tick at which it leaves.
        now: Ticks,
    },
    /// The tail of a message leaves its injection channel, and with it its source. An engine reports it as soon as it is certain, which
    /// may be before `at`.
    Left {
        /// The message.
        id: MessageId,
        /// The tick at which it leaves.
        at: Ticks,
    },
    /// The last flit of a message has crossed its ejection channel.
    Delivered {
        /// The message.
        id: MessageId,
        /// The tick at which it has.
        now: Ticks,
    },
    /// A tick has come for which the program has set a [timer](Requests::timer).
    Timer {
        /// The name of the timer.
        token: u32,
        /// The tick.
        now: Ticks,
    },
}

impl Signal {
    /// Returns the same signal with another number for its message.
    #[must_use]
    pub fn renumbered(self, number: impl FnOnce(MessageId) -> MessageId) -> Self {
        match self {
            Self::Requested { id, now } => Self::Requested { id: number(id), now },
            Self::Departed { id, now } => Self::Departed { id: number(id), now },
            Self::Left { id, at } => Self::Left { id: number(id), at },
            Self::Delivered { id, now } => Self::Delivered { id: number(id), now },
            Self::KeepCauses | Self::Start | Self::Timer { .. } => self,
        }
    }
}

/// The messages of a run and when they are requested.
pub trait Program: MessageSet {
    /// Takes note of `signal` and adds the requests that follow from it.
    fn signal(&mut self, signal: Signal, requests: &mut Requests);

    /// One past the last message of the stage that begins with message `first`. All messages of a stage are received
    /// before any of a later one is requested, and no timer is set for later than that. Everything is one stage unless
    /// the program has barriers.
    fn stage_end(&self, first: MessageId) -> MessageId {
        let _ = first;
        MessageId::new(self.messages())
    }

    /// One past the last message of the worm that sets out as message `id`: all go the same way as far as their paths are the same,
    /// a copy of every flit to each, and only the first is requested. Only engines with tree worms ask.
    fn worm_end(&self, id: MessageId) -> MessageId {
        MessageId(self.worm(id).map_or(id.0 + 1, |worm| worm.messages.end))
    }

    /// Returns true if its node takes message `id` in, which nothing else keeps from being granted an ejection channel, and which is
    /// granted it if so. Called until it does, by routers whose outputs decide by themselves.
    fn admits(&mut self, id: MessageId) -> bool {
        let _ = id;
        true
    }

    /// When the nodes have done all they had to do, if the last message was received at `received`.
    fn completion(&self, received: Ticks) -> Ticks {
        received
    }

    /// The ends of the last operations of processors, rank by rank, after a run of operations. Empty for other programs.
    fn ends(&self) -> Vec<Ticks> {
        Vec::new()
    }

    /// What the nodes wait for for ever, when nothing happens any more and no message waits for a channel.
    fn unfinished(&self) -> Option<GoalViolation> {
        None
    }

    /// The messages of a run that accepts them between its ticks. Other programs have all their messages from the beginning.
    fn live(&mut self) -> Option<&mut LiveMessages> {
        None
    }

    /// The causes of all sends, in a run of which the messages went as `messages` say, after [`Signal::KeepCauses`].
    fn causes(&self, messages: &[MessageOutcome]) -> Causes {
        let sends = messages.iter().map(|message| Began::at_start(message.requested)).collect();
        Causes { sends, ..Causes::default() }
    }
}

/// Requests that a program hands to the engine.
#[derive(Clone, Debug, Default)]
pub struct Requests {
    pending: Vec<QueuedEvent>,
}

impl Requests {
    /// Message `id` requests its injection channel at `at`, which must not lie in the past. Each message is requested
    /// once.
    pub fn request(&mut self, id: MessageId, at: Ticks) {
        self.pending.push(QueuedEvent { time: at, kind: Kind::Request, number: id.0 });
    }

    /// The program wants to be told, under the name `token`, when the tick `at` comes, which must not lie in the past.
    /// At one tick it is told after the deliveries of that tick, by `token`.
    pub fn timer(&mut self, token: u32, at: Ticks) {
        self.pending.push(QueuedEvent { time: at, kind: Kind::Timer, number: token });
    }

    /// Takes out what is requested.
    pub(super) fn drain(&mut self) -> impl Iterator<Item = QueuedEvent> + '_ {
        self.pending.drain(..)
    }

    /// Moves what is requested to `queue`.
    #[inline]
    pub(crate) fn take_to(&mut self, queue: &mut impl EventQueue) {
        if self.pending.is_empty() {
            return; // mostly, which costs less than to drain nothing
        }
        for event in self.pending.drain(..) {
            queue.push(event);
        }
    }
}
