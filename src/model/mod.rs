//! What a schedule should cost, without a network.
//!
//! A model prices any [`Schedule`](crate::schedule::Schedule) or [`Exchange`](crate::schedule::Exchange): when each
//! message is sent and received, and when the last one is. It knows no channels and no contention; that measured times
//! differ is what the engines are for.

mod exchange;
mod loggops;
mod logp;
mod message;
mod parameterised;

pub use exchange::ExchangeModel;
pub use loggops::{Execution, LogGops, execute};
pub use logp::LogP;
pub use message::{Line, Linear, MessageTimes, Model};
pub use parameterised::{Parameterised, Prices, price, uncontended};
