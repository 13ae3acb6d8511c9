//! Fields of CSV files as values, so that conditions can read them.
//!
//! Knows that tables write values as TOML does, but strings without quotes; refuses to know what columns mean.

use super::diagnostic::Place;
use super::document::Document;
use super::value::{Key, Node, Table, Value};

/// Puts what the field `text` spells at the dotted `name` of `table`; nothing if it is empty.
pub(crate) fn put_field(table: &mut Table, name: &str, text: &str) {
    let place = Place { source: 0, span: 0..0 };
    let value = match text {
        "" => return,
        _ if text.parse::<i64>().is_ok() => Value::Integer(text.parse().ok()),
        _ if text.parse::<f64>().is_ok_and(f64::is_finite) => Value::Float(text.to_owned()),
        _ if text.starts_with('[') => array(text).unwrap_or_else(|| Value::String(text.to_owned())),
        _ => Value::String(text.to_owned()),
    };
    let key = |name: &str| Key { name: name.to_owned(), place: place.clone() };
    let path: Vec<Key> = name.split('.').map(key).collect();
    table.put(&path, Node { value, place });
}

fn array(text: &str) -> Option<Value> {
    let document = Document::parse("", &format!("a = {text}")).ok()?;
    document.root.get("a").map(|(_, node)| node.value.clone())
}
