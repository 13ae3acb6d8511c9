//! Routers with virtual channels, simulated cycle by cycle, assembled from parts.
//!
//! - [`engine`]: the parts and the loop; [`stage`]: one file for each stage of a cycle; [`build`]: the choice of parts.
//! - [`discipline`]: the order in which requests are served.
//! - [`state`]: the state of routers; [`vcset`], [`relation`], [`layout`]: the vocabulary in which stages are written.
//! - [`routing`], [`allocator`], [`flow`], [`traffic`]: traits with an implementation per file.
//! - [`packets`], [`source`], [`delay`], [`active`]: packets, injection channels, and events of later cycles.
//! - [`watchdog`]: packets that will never arrive.
//! - [`open_loop`], [`closed_loop`], [`stepping`]: traffic and programs as the engine sees them.

mod active;
mod allocator;
mod build;
mod channels;
mod closed_loop;
mod delay;
mod discipline;
mod engine;
mod flow;
mod layout;
mod open_loop;
mod packets;
mod relation;
mod routing;
mod source;
mod stage;
mod state;
mod stepping;
mod traffic;
mod vcset;
mod watchdog;

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::panic, reason = "a test fails where it cannot continue")]
mod tests;

pub(super) use build::run;
pub(super) use stepping::start_program;
