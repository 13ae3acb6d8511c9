//! What programs that use the library mostly need, to be imported at once: `use flitwise::prelude::*`.
//!
//! Networks and their routing, schedules and the algorithms that make them, models, the engines and what they tell; with
//! the feature `config`, scenarios too. Everything is named here as in its module, where its documentation is.

pub use crate::algorithm::multicast::{Binomial, OptMesh, OptTable, OptTree, Sequential, UMesh};
pub use crate::cancel::Token;
pub use crate::costs::{ChannelCosts, NodeCosts};
pub use crate::engine::program::{ExchangeProgram, GoalProgram, ScheduleProgram, TraceMessage, TraceProgram};
pub use crate::engine::{
    Engine, Event, Interest, Live, LiveError, LiveEvent, MessageOutcome, Observer, Outcome, Program, Requests, Running,
    Simulation, Stop, Stopping,
};
pub use crate::model::Parameterised;
#[cfg(feature = "config")]
pub use crate::output::{summarise, table};
pub use crate::routing::{
    DependencyGraph, DimensionOrder, ECube, LinkNetwork, LinkRouting, Network, Order, Rings, Step, Turnaround,
};
#[cfg(feature = "config")]
pub use crate::run::rows;
#[cfg(feature = "config")]
pub use crate::scenario::Scenario;
pub use crate::schedule::{Message, Schedule, Split};
pub use crate::topology::{Bmin, Channels, Direction, Hypercube, Links, Mesh, Torus};
pub use crate::units::{ChannelId, Flits, LinkId, MessageId, NodeId, RouterId, Ticks};
