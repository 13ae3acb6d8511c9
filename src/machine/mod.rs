//! The machine of a scenario: its network, what nodes and channels cost, its routers, and the model that predicts.

pub(crate) mod costs;
pub(crate) mod model;
pub(crate) mod network;
pub(crate) mod router;

pub(crate) use costs::{ChannelTable, NodeTable, read_channel, read_engine, read_node};
pub(crate) use model::read as read_model;
pub(crate) use network::read as read_network;
pub use network::{NETWORKS, NetworkError, NetworkSpec};
pub use router::{ROUTERS, Routers};
pub(crate) use router::{RouterTable, read as read_router};
