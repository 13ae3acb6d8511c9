//! Configuration as it is written: TOML that remembers where it stands, keys that are asked for, sweeps, files.
//!
//! Knows TOML, places and types; refuses to know what any key means. Everything that is wrong is collected, not
//! returned, so that one reading finds it all.

mod assignment;
mod condition;
mod diagnostic;
mod document;
mod files;
mod include;
mod range;
mod reader;
mod square;
mod sweep;
mod unread;
mod value;
mod values;

pub use crate::expression::Operand;
pub use crate::spelling::closest;
pub(crate) use crate::spelling::listed;
pub use condition::Condition;
pub use diagnostic::{Diagnostic, Place, Source, render};
pub use document::Document;
pub use files::Files;
pub(crate) use include::Changes;
pub use include::Included;
pub(crate) use reader::Errors;
pub use reader::Reader;
pub(crate) use square::{Fault, Square, square};
pub use sweep::Axis;
pub(crate) use sweep::Sweep;
pub use value::{Key, Node, Table, Value};
