//! Parameters of routers, and memory for the requests of a cycle.

use super::allocator::Matching;
use super::relation::{Groups, Relation};
use crate::costs::Timing;
use crate::engine::router::RouterCosts;
use crate::routing::Routing;

/// The time at which head flits request the switch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Speculation {
    /// In the cycle in which they request an output VC.
    On,
    /// In a cycle after that in which they have been granted one.
    Off,
}

/// Parameters of routers that hold for a whole run.
pub(crate) struct Config<'a> {
    /// Ports and routing.
    pub(crate) routes: &'a dyn Routing,
    /// Properties of routers.
    pub(crate) costs: RouterCosts,
    /// Delays.
    pub(crate) timing: Timing,
    /// The time at which head flits request the switch.
    pub(crate) speculation: Speculation,
}

/// Requests of a block in a cycle. They are a member of the engine so that the memory is reused.
pub(crate) struct Scratch<const W: usize> {
    /// Head flits and the output VCs that they request.
    pub(crate) requests: Groups<W>,
    /// Head flits and the output ports that they bid for.
    pub(crate) bids: Relation<W>,
    pub(crate) matching: Matching<W>,
}

impl<const W: usize> Scratch<W> {
    /// Creates no requests.
    pub(crate) fn new() -> Self {
        Self { requests: Groups::new(), bids: Relation::new(), matching: Matching::new() }
    }
}
