//! What happens when messages meet on a network, to the tick.
//!
//! ```text
//!   program    what nodes want: a schedule under node overheads, an exchange, operations of ranks, messages at fixed times
//!   wormhole   three engines for one set of rules: a message owns a channel until its tail has left it
//!     worm       O(hops) events per message, whatever its length
//!     flit       every flit moves: the reference
//!     sleep      as flit, but what channels repeat is skipped
//!   router     virtual-channel routers with credits and pipelines, cycle by cycle; open-loop traffic, too
//!   simulation what runs, in the caller's hands: `running`, tick by tick or to its end, on any engine (`stepping`, `dispatch`)
//!   live       a run that accepts messages between its ticks
//!   window     records of messages by number, of which a live run forgets the first ones
//!   unloaded   an engine without channels, for models: every message takes the time that it is told
//!   grid       an engine of its own: links that have costs and no flits
//! ```
//!
//! Every [`Program`] runs on the wormhole engines and on routers. Ideal routers with atomic buffers follow the rules of
//! [`wormhole`], and agree to the tick. Engines refuse to know how a schedule was made, what a node does with its processor
//! and what a model predicted.

mod choice;
pub mod deadlock;
mod dispatch;
pub mod grid;
mod live;
mod observer;
pub mod outcome;
pub mod program;
pub mod router;
mod running;
mod simulation;
mod stepping;
mod stop;
pub mod unloaded;
mod window;
pub mod wormhole;

pub use choice::Engine;
pub use deadlock::Deadlock;
pub use live::{Arrivals, HeldMessage, LengthLimit, Live, LiveError, LiveEvent, LiveSimulation};
pub use observer::{Both, Event, Interest, Observer, Stopping};
pub use outcome::{MessageOutcome, Outcome};
pub use program::{MessageSet, Program, Requests, Signal};
pub use running::Running;
pub use simulation::Simulation;
pub use stop::{ClockedLink, NoPath, ShortBuffer, Stop};
pub(crate) use window::Window;
