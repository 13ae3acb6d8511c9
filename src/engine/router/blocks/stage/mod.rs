//! The stages of a cycle, in the order in which they run. A stage changes only what its function takes by `&mut`.

mod allocate_switch;
mod allocate_vcs;
mod arrive;
mod first_come;
mod inject;
mod route;
mod traverse;

pub(crate) use allocate_switch::allocate_switch;
pub(crate) use allocate_vcs::{Usable, allocate_vcs};
pub(crate) use arrive::{credits_arrive, flits_arrive};
pub(crate) use first_come::{FirstCome, grant_in_order};
pub(crate) use inject::inject;
pub(crate) use route::{Routed, end_routes, route_heads};
pub(crate) use traverse::{Traversal, runs_end};

use super::engine::Config;
use super::layout::Layout;

/// The parts of the engine that every stage may read.
#[derive(Clone, Copy)]
pub(crate) struct Cycle<'a, const W: usize> {
    pub(crate) now: u64,
    pub(crate) config: &'a Config<'a>,
    pub(crate) layout: &'a Layout<W>,
}
