//! One run on several threads, each of which simulates a strip of routers with their nodes.
//!
//! A strip is an engine with a part of the blocks. As nothing passes a channel in less than a cycle, strips need each other only
//! at the beginning of a cycle:
//!
//! ```text
//!   every strip                                                    between strips
//!     begin_cycle     all that is due arrives         ─────▶       flits, credits and packets for other strips
//!     meet            barrier
//!     receive         all that arrives from others    ◀─────
//!     end_cycle       sources send, routers serve
//! ```
//!
//! A VC has one sender and its buffer counts flits, so that the order in which strips deliver has no effect: a run has the same results
//! for any number of strips. At the barrier every strip reads the state of all and comes to the same decision: to continue, to leave out
//! cycles in which nothing happens, or to end.

mod barrier;
mod cut;
mod exchange;
mod program;
mod run;

pub(crate) use exchange::{Entering, Mail, Outgoing};
pub(super) use program::run as run_program;
pub use run::{Divisible, Ending, needs_one_thread, run_any_in_strips, run_in_strips};
