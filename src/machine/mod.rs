//! The machine of a scenario: its network, what nodes and channels cost, its routers, and the model that predicts.

mod model;
mod network;
mod router;

pub(crate) use model::read as read_model;
pub(crate) use network::{NAMES, read as read_network};
pub use network::{NETWORKS, NetworkError, NetworkSpec};
pub use router::{ROUTERS, Routers};
pub(crate) use router::{RouterTable, read as read_router};
