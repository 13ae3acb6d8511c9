//! What a schedule should cost, without a network.
//!
//! A model prices any [`Schedule`](crate::schedule::Schedule) or [`Exchange`](crate::schedule::Exchange): when each
//! message is sent and received, and when the last one is. It knows no channels and no contention; that measured times
//! differ is what the engines are for.
//!
//! | model | `t_hold` | `t_end` | what that assumes |
//! |---|---|---|---|
//! | [`Parameterised::derived`] | `max(hold, m c_d)` | `send + m c_d + receive` | a path of one channel |
//! | [`Linear`] | a line | a line, or the sum of three | nothing: it is given |
//! | [`LogP`] | `max(g, o)` | `L + 2o` | every node receives once |
//! | [`LogGops`] | `max(o + e O, g + e G)` | `2o + L + max(e O, e G)` | that, and no message beyond `S`; `e = m - 1` |
//!
//! For operations, which may receive many times, [`execute()`] keeps the processors and interfaces of the parts apart
//! ([`MessageTimes`]); on trees it gives the same times.

mod collective;
mod exchange;
mod loggops;
mod message;
mod parameterised;
mod tree;

pub use collective::CollectiveModel;
pub use exchange::ExchangeModel;
pub use loggops::{Conditions, Execution, LogGops, execute, execute_under};
pub use message::{Line, Linear, LogP, MessageTimes, Model};
pub use parameterised::{Parameterised, Prices, price, uncontended};
pub use tree::TreeTime;
