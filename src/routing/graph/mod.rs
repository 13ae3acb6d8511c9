//! Routings of graphs: shortest paths, up-down, and a table that is given.
//!
//! Each gives a link for a router and a destination router, so that a path does not depend on how it came about. What is
//! searched is kept per destination router, and searched when it is first asked for.

mod rows;
mod shortest;
mod spread;
mod surviving;
mod table;
mod up_down;

pub use rows::{MOST_BYTES, TableError};
pub(crate) use shortest::{CLASSES, WEIGHT, WEIGHTS};
pub use shortest::{Shortest, Weight};
pub use spread::Spread;
pub use surviving::{SurvivingPaths, Survivor, largest_level_and_sum};
pub(crate) use table::TABLE;
pub use table::{Entry, Table, Unled};
pub(crate) use up_down::ROOT;
pub use up_down::{UpDown, UpDownError};
use up_down::{levels_of_components, one_way};
