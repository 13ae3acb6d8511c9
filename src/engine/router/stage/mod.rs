//! The stages of a cycle. A stage changes only what its function takes by `&mut`.

mod allocate_switch;
mod allocate_vcs;
mod arrive;
mod first_come;
mod full_crossbar;
mod inject;
mod route;
mod traverse;

pub(crate) use allocate_switch::{allocate_switch, grant_all};
pub(crate) use allocate_vcs::allocate_vcs;
pub(crate) use arrive::{credit_arrives, credits_arrive, flits_arrive, node_credits_arrive};
pub(crate) use first_come::{FirstCome, grant_in_order};
pub use full_crossbar::MOST_CROSSED;
pub(crate) use full_crossbar::{FullCrossbar, OutputGrants, send_by_outputs};
pub(crate) use inject::inject;
pub(crate) use route::{Routed, end_routes, route, route_heads};
pub(crate) use traverse::{Traversal, runs_end};

use super::config::Config;
use super::flow::Flow;
use super::layout::Layout;
use super::state::{Block, Input};
use super::traffic::Event;

/// The parts of the engine that every stage may read.
#[derive(Clone, Copy)]
pub(crate) struct Cycle<'a, const W: usize> {
    pub(crate) now: u64,
    pub(crate) config: &'a Config<'a>,
    pub(crate) layout: &'a Layout<W>,
}

/// The event that output VC `output` of `block` is granted to the head flit in front of input VC `input`.
#[inline(always)]
pub(crate) fn grant_event<const W: usize, A, F: Flow<W>>(
    cycle: Cycle<'_, W>,
    flow: &F,
    block: &Block<W, A>,
    input: usize,
    output: usize,
) -> Event {
    let Cycle { now, layout, .. } = cycle;
    let Input { packet, filled_by, .. } = block.inputs[input];
    let from = layout.number(filled_by);
    let pace = flow.pace(layout, filled_by);
    Event::Granted { packet, from, pace, vc: layout.join(block.number, output), at: now }
}
