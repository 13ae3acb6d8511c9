//! An element of the array as it is written: its fields, whatever stands in them.
//!
//! Refuses nothing that is JSON, so that the one pass goes on and finds all that is wrong; refuses to know what fields
//! mean. Text is borrowed where it has no escapes.

use serde::de::value::MapAccessDeserializer;
use serde::de::{IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer};
use std::borrow::Cow;
use std::fmt;

/// What stands in a field.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) enum Value<'a> {
    /// The field is not there.
    #[default]
    Absent,
    Whole(u64),
    Negative(i64),
    Text(Cow<'a, str>),
    /// Something else, in words.
    Other(&'static str),
}

/// The fields of an event that are read. Others are skipped.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Record<'a> {
    #[serde(borrow)]
    pub(super) proc: Value<'a>,
    #[serde(borrow)]
    pub(super) sx: Value<'a>,
    #[serde(borrow)]
    pub(super) sy: Value<'a>,
    #[serde(borrow)]
    pub(super) timestamp: Value<'a>,
    #[serde(borrow, rename = "type")]
    pub(super) kind: Value<'a>,
    #[serde(borrow)]
    pub(super) noc: Value<'a>,
    #[serde(borrow)]
    pub(super) dx: Value<'a>,
    #[serde(borrow)]
    pub(super) dy: Value<'a>,
    #[serde(borrow)]
    pub(super) num_bytes: Value<'a>,
    #[serde(borrow)]
    pub(super) mcast_start_x: Value<'a>,
    #[serde(borrow)]
    pub(super) mcast_start_y: Value<'a>,
    #[serde(borrow)]
    pub(super) mcast_end_x: Value<'a>,
    #[serde(borrow)]
    pub(super) mcast_end_y: Value<'a>,
    #[serde(borrow)]
    pub(super) zone: Value<'a>,
    #[serde(borrow)]
    pub(super) zone_phase: Value<'a>,
    #[serde(borrow)]
    pub(super) src_device_id: Value<'a>,
    #[serde(borrow)]
    pub(super) dst_device_id: Value<'a>,
}

/// An element of the array: an object's fields, or in words what it is instead.
pub(super) struct Element<'a>(pub(super) Result<Record<'a>, &'static str>);

/// So many characters of a text are shown.
const SHOWN: usize = 40;

impl fmt::Display for Value<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Absent => formatter.write_str("nothing"),
            Self::Whole(number) => write!(formatter, "{number}"),
            Self::Negative(number) => write!(formatter, "{number}"),
            Self::Text(text) if text.chars().count() <= SHOWN => write!(formatter, "{text:?}"),
            Self::Text(text) => write!(formatter, "{:?}..", text.chars().take(SHOWN).collect::<String>()),
            Self::Other(what) => formatter.write_str(what),
        }
    }
}

impl<'de: 'a, 'a> Deserialize<'de> for Value<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(AnyValue)
    }
}

impl<'de: 'a, 'a> Deserialize<'de> for Element<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(AnyElement)
    }
}

struct AnyValue;

impl<'de> Visitor<'de> for AnyValue {
    type Value = Value<'de>;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("a value")
    }

    fn visit_u64<E>(self, number: u64) -> Result<Value<'de>, E> {
        Ok(Value::Whole(number))
    }

    fn visit_i64<E>(self, number: i64) -> Result<Value<'de>, E> {
        Ok(u64::try_from(number).map_or(Value::Negative(number), Value::Whole))
    }

    fn visit_f64<E>(self, _: f64) -> Result<Value<'de>, E> {
        Ok(Value::Other("a number that is not whole, or has more than 64 bits"))
    }

    fn visit_borrowed_str<E>(self, text: &'de str) -> Result<Value<'de>, E> {
        Ok(Value::Text(Cow::Borrowed(text)))
    }

    fn visit_str<E>(self, text: &str) -> Result<Value<'de>, E> {
        Ok(Value::Text(Cow::Owned(text.to_owned())))
    }

    fn visit_bool<E>(self, _: bool) -> Result<Value<'de>, E> {
        Ok(Value::Other("true or false"))
    }

    fn visit_unit<E>(self) -> Result<Value<'de>, E> {
        Ok(Value::Other("null"))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, elements: A) -> Result<Value<'de>, A::Error> {
        IgnoredAny.visit_seq(elements)?;
        Ok(Value::Other("an array"))
    }

    fn visit_map<A: MapAccess<'de>>(self, fields: A) -> Result<Value<'de>, A::Error> {
        IgnoredAny.visit_map(fields)?;
        Ok(Value::Other("an object"))
    }
}

struct AnyElement;

impl<'de> Visitor<'de> for AnyElement {
    type Value = Element<'de>;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("an event")
    }

    fn visit_map<A: MapAccess<'de>>(self, fields: A) -> Result<Element<'de>, A::Error> {
        Record::deserialize(MapAccessDeserializer::new(fields)).map(|record| Element(Ok(record)))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, elements: A) -> Result<Element<'de>, A::Error> {
        IgnoredAny.visit_seq(elements)?;
        Ok(Element(Err("an array")))
    }

    fn visit_u64<E>(self, _: u64) -> Result<Element<'de>, E> {
        Ok(Element(Err("a number")))
    }

    fn visit_i64<E>(self, _: i64) -> Result<Element<'de>, E> {
        Ok(Element(Err("a number")))
    }

    fn visit_f64<E>(self, _: f64) -> Result<Element<'de>, E> {
        Ok(Element(Err("a number")))
    }

    fn visit_str<E>(self, _: &str) -> Result<Element<'de>, E> {
        Ok(Element(Err("a text")))
    }

    fn visit_bool<E>(self, _: bool) -> Result<Element<'de>, E> {
        Ok(Element(Err("true or false")))
    }

    fn visit_unit<E>(self) -> Result<Element<'de>, E> {
        Ok(Element(Err("null")))
    }
}
