//! Configuration as it is written: TOML that remembers where it stands, keys that are asked for, sweeps, files.
//!
//! Knows TOML, places and types; refuses to know what any key means. Everything that is wrong is collected, not
//! returned, so that one reading finds it all.

mod arrays;
mod assignment;
mod condition;
mod csv_rows;
mod diagnostic;
mod document;
mod encoding;
mod fault;
#[cfg(feature = "plots")]
mod field;
mod files;
mod foreign;
mod include;
mod key_values;
mod lookalike;
mod numeral;
mod parsing;
mod preset;
mod proportion;
mod quantity;
mod range;
mod reader;
mod regular;
mod renamed;
mod square;
mod sweep;
mod syntax;
mod tabular;
mod unread;
mod value;
mod values;
mod visible;
mod whole;

#[doc(hidden)]
pub use crate::expression::Operand;
pub(crate) use crate::fault::Fault;
#[doc(hidden)]
pub use crate::spelling::closest;
pub(crate) use crate::spelling::listed;
pub(crate) use assignment::SET;
#[doc(hidden)]
pub use condition::Condition;
pub(crate) use csv_rows::{Columns, Numbers, Row, each_row, line_at};
pub use diagnostic::{Diagnostic, Place, Related, Source, render};
#[doc(hidden)]
pub use document::Document;
pub(crate) use document::parse as parse_table;
#[doc(hidden)]
pub use encoding::{Misencoded, decode, utf16, without_mark};
#[cfg(feature = "plots")]
pub(crate) use field::put_field;
#[doc(hidden)]
pub use files::Files;
pub(crate) use include::{Changes, Included};
#[cfg(test)]
pub(crate) use key_values::KeyValue;
pub use key_values::KeyValues;
pub(crate) use numeral::integer;
pub(crate) use parsing::no_room;
pub use preset::Preset;
pub(crate) use quantity::{Prefixes, Quantity, Scale, Unreadable, largest_power, power_of_ten};
pub(crate) use range::is_range;
#[doc(hidden)]
pub use reader::Reader;
pub(crate) use reader::{Errors, Measured};
pub(crate) use regular::read as read_regular;
#[doc(hidden)]
pub use regular::{LARGEST, read_all, read_given, unpacked};
#[doc(hidden)]
pub(crate) use renamed::updated_path;
pub(crate) use square::{Square, square};
pub use sweep::Axis;
pub(crate) use sweep::Sweep;
pub(crate) use tabular::{HOW_TO_FIT, unfit_for_tables};
#[doc(hidden)]
pub(crate) use value::joined;
pub use value::{Key, Node, Table, Value};
pub(crate) use values::EVERY;
pub use values::{Names, Step};
pub use visible::visible;
