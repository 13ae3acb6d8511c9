//! Sweeps of any size: cut into units, computed on all cores, journalled, resumed, sharded and put together again.
//!
//! ```text
//!   Scenario -> Plan: points and units -> WorkerPool computes what the journals lack -> Journal, a line per unit
//!                                                                 all units there -> assemble -> CSV files
//! ```
//!
//! A [`Unit`](crate::run::Unit) is a few repetitions of one algorithm at one point. What it leaves is a line of a
//! journal: the very text that it adds to each CSV file, and the numbers that are summarised. The files are put together
//! from what the journals say and nothing else, in the order of units, whether one run wrote them or many; so neither
//! threads nor shards nor interruptions can change a byte. This floor knows rows only as text: a workload with other columns or files needs nothing here.

mod assemble;
mod hops;
mod identity;
mod journal;
mod lock;
mod plan;
mod previous;
mod record;
mod shard;
mod store;
#[cfg(test)]
mod tests;

#[doc(hidden)]
pub use crate::kind::DetailFiles;
pub use assemble::{assemble, gather};
#[doc(hidden)]
pub use hops::HopParts;
#[doc(hidden)]
pub use identity::Identity;
#[doc(hidden)]
pub use journal::{Contents, Damage, journals};
#[doc(hidden)]
pub use lock::network_mount;
pub use lock::{LockError, is_being_written};
pub use plan::{PLAN, Plan, PlanError, Planned};
#[doc(hidden)]
pub use previous::{backup_of, has_outputs, is_backup, set_aside};
#[doc(hidden)]
pub use record::{Beginning, Ending, Entry, HopFile, Line, Record, UnitError, decode, encode, record};
pub use shard::{Shard, ShardError, shares};
pub use store::{Mode, Store, StoreError};
