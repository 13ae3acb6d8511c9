//! Configuration as it is written: TOML that remembers where it stands, keys that are asked for, sweeps, files.
//!
//! Knows TOML, places and types; refuses to know what any key means. Everything that is wrong is collected, not returned,
//! so that one reading finds it all.

mod condition;
mod diagnostic;
mod document;
mod files;
mod range;
mod reader;
mod square;
mod sweep;

pub use condition::{Condition, Operand};
pub use diagnostic::{Diagnostic, closest, render};
pub use document::{Document, Key, Node, Place, Source, Table, Value};
pub use files::Files;
pub use reader::Reader;
pub(crate) use reader::{Errors, listed};
pub(crate) use square::{Fault, Square, square};
pub use sweep::Axis;
pub(crate) use sweep::Sweep;
