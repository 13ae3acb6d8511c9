//! Quantities as the integers that keys count: ticks, cycles, flits and bytes.

use super::Units;
use super::diagnostics::{Counted, is_near, written};
use crate::config::{Errors, Node, Prefixes, Quantity, Scale, Table, Unreadable, Value};
use crate::kind::words::counted;
use crate::units::Key;
use crate::units::key::{Measure, Takes};
use rust_decimal::Decimal;
use rust_decimal::prelude::ToPrimitive;

/// Converts the values of a point.
pub(super) struct Converter<'a> {
    units: &'a Units,
    /// The point as it is written.
    pub(super) raw: &'a Table,
    pub(super) scale: Scale,
    pub(super) errors: &'a Errors,
    pub(super) measured: Vec<(String, Quantity)>,
}

/// The value of a key that fills another, and the value of that.
pub(super) struct Filled {
    pub(super) value: Value,
    pub(super) filled: Value,
}

impl<'a> Converter<'a> {
    pub(super) fn new(units: &'a Units, raw: &'a Table, flit_bytes: Option<u64>, errors: &'a Errors) -> Self {
        let scale = Scale { tick: units.tick, flit_bytes, flit_time: 1 };
        let mut converter = Self { units, raw, scale, errors, measured: Vec::new() };
        converter.scale.flit_time = converter.flit_time().unwrap_or(1);
        converter
    }

    /// Ticks in which a flit crosses a channel, if the point says so and it can be computed.
    fn flit_time(&self) -> Option<u64> {
        let given = |key: &str| self.raw.node(&["channel", key]).map(|node| &node.value);
        let ticks = match (given("bandwidth"), given("flit_time")) {
            (None, Some(Value::Integer(ticks))) => Decimal::from((*ticks)?),
            (Some(Value::String(text)), None) | (None, Some(Value::String(text))) => match Quantity::parse(text) {
                Ok(Quantity::Bandwidth(bandwidth)) => self.scale.flit_ticks(bandwidth)?.round(),
                Ok(Quantity::Time(time)) => time.checked_div(self.scale.tick?)?,
                Ok(Quantity::Ticks(ticks)) => ticks,
                _ => return None,
            },
            _ => return None,
        };
        u64::try_from(ticks).ok().filter(|&ticks| ticks > 0)
    }

    pub(super) fn tick_text(&self) -> String {
        self.scale.tick.map_or_else(String::new, |tick| Quantity::Time(tick).text(Prefixes::Decimal))
    }

    /// Makes a value with a unit, or each of an array, the number that `key` counts. Others are left for the reader.
    pub(super) fn convert(&mut self, key: &Key, path: &str, node: &mut Node) {
        let nodes = match &mut node.value {
            Value::Array(nodes) => nodes.as_mut_slice(),
            _ => std::slice::from_mut(node),
        };
        for node in nodes {
            let Value::String(text) = &node.value else { continue };
            let Some(measure) = key.measure() else { continue };
            let text = text.clone();
            match Quantity::parse(&text) {
                // the reader reports them as it does where no key has a unit
                Err(Unreadable::NoNumber | Unreadable::NoUnit) => continue,
                Err(why) => {
                    self.refuse_text(key, path, &text, &why, &node.place);
                    node.value = fallback(key);
                }
                Ok(quantity) => {
                    let number = self.number(key, measure, path, node, quantity);
                    self.measured.push((path.to_owned(), quantity));
                    node.value = number.unwrap_or_else(|| fallback(key));
                }
            }
        }
    }

    /// Returns the value of `key` for `quantity`, or `None` if it is wrong, which has been reported.
    fn number(&self, key: &Key, measure: Measure, path: &str, node: &Node, quantity: Quantity) -> Option<Value> {
        if measure == Measure::Load {
            return self.load(path, node, quantity);
        }
        let number = self.counted(measure, path, node, quantity)?;
        self.in_range(key, path, node, number)
    }

    /// The number of ticks, cycles, flits or bytes.
    fn counted(&self, measure: Measure, path: &str, node: &Node, quantity: Quantity) -> Option<Decimal> {
        let scale = self.scale;
        let flit_time = Decimal::from(scale.flit_time);
        let per_flit = scale.flit_bytes.map(Decimal::from);
        let needs_flits = || {
            self.refuse_flits(path, &node.place);
            None
        };
        let number = match (measure, quantity) {
            (Measure::Ticks, Quantity::Time(time)) => time.checked_div(scale.tick?)?,
            (Measure::Ticks, Quantity::Ticks(ticks)) => ticks,
            (Measure::Ticks, Quantity::Cycles(cycles)) => cycles.checked_mul(flit_time)?,
            (Measure::Cycles, Quantity::Time(time)) => time.checked_div(scale.tick?)?.checked_div(flit_time)?,
            (Measure::Cycles, Quantity::Ticks(ticks)) => ticks.checked_div(flit_time)?,
            (Measure::Cycles, Quantity::Cycles(cycles)) => cycles,
            (Measure::Flits, Quantity::Bytes(bytes)) => match per_flit {
                Some(per_flit) => bytes.checked_div(per_flit)?.ceil(),
                None => return needs_flits(),
            },
            (Measure::Flits, Quantity::Flits(flits)) => flits,
            (Measure::Bytes, Quantity::Bytes(bytes)) => bytes,
            (Measure::Bytes, Quantity::Flits(flits)) => match per_flit {
                Some(per_flit) => flits.checked_mul(per_flit)?,
                None => return needs_flits(),
            },
            _ => {
                self.refuse_kind(measure, path, quantity, &node.place);
                return None;
            }
        };
        if number.is_integer() {
            return Some(number);
        }
        match measure {
            Measure::Ticks => self.refuse_fraction(path, &written(node), number, "", &node.place),
            _ => self.refuse_part(path, &written(node), number, measure, &node.place),
        }
        None
    }

    /// The integer `number`, if `key` takes it.
    fn in_range(&self, key: &Key, path: &str, node: &Node, number: Decimal) -> Option<Value> {
        let (least, most) = match key.takes {
            Takes::Integer(least, most) | Takes::Integers(least, most) | Takes::IntegerOrArray(least, most) => {
                (least, most)
            }
            _ => (0, u64::MAX),
        };
        let integer = u64::try_from(number).ok().filter(|number| (least..=most).contains(number));
        match integer.and_then(|integer| i64::try_from(integer).ok()) {
            Some(integer) => Some(Value::Integer(Some(integer))),
            None => {
                self.refuse_range(path, &written(node), &Counted { key, number, least, most }, &node.place);
                None
            }
        }
    }

    /// The load that a bandwidth of a node is, in flits per cycle.
    fn load(&self, path: &str, node: &Node, quantity: Quantity) -> Option<Value> {
        let load = self.scale.load(self.bytes_per_second(Measure::Load, path, node, quantity)?)?;
        Some(Value::Float(decimal_text(load.round_sf(15).unwrap_or(load))))
    }

    /// Returns the bandwidth that `quantity` is, or `None` if it is none or no flit has a size, which has been reported.
    fn bytes_per_second(&self, measure: Measure, path: &str, node: &Node, quantity: Quantity) -> Option<Decimal> {
        let Quantity::Bandwidth(bandwidth) = quantity else {
            self.refuse_kind(measure, path, quantity, &node.place);
            return None;
        };
        if self.scale.flit_bytes.is_none() {
            self.refuse_bandwidth(path, &node.place);
            return None;
        }
        Some(bandwidth)
    }

    /// The values of `key` and of the key `filled` that it fills.
    pub(super) fn filled(&mut self, key: &Key, filled: &Key, path: &str, node: &Node) -> Filled {
        let replaced = Filled { value: node.value.clone(), filled: fallback(filled) };
        let Some(measure) = key.measure() else { return replaced };
        let quantity = match &node.value {
            Value::String(text) => match Quantity::parse(text) {
                Ok(quantity) => quantity,
                Err(why) => {
                    self.refuse_text(key, path, text, &why, &node.place);
                    return replaced;
                }
            },
            Value::Integer(Some(number @ 0..)) if measure == Measure::Bytes => Quantity::Bytes(Decimal::from(*number)),
            Value::Integer(Some(number @ 0..)) if measure == Measure::TicksPerByte => {
                Quantity::Ticks(Decimal::from(*number))
            }
            _ => {
                self.refuse_value(key, path, node);
                return replaced;
            }
        };
        let value = match measure {
            Measure::Bytes => self.bytes(key, filled, path, node, quantity),
            Measure::TicksPerByte => self.per_flit(filled, path, node, quantity),
            _ => self.bandwidth(key, filled, path, node, quantity),
        };
        self.measured.push((path.to_owned(), quantity));
        value.unwrap_or(replaced)
    }

    /// A size in bytes, and the flits that it fills.
    fn bytes(&self, key: &Key, filled: &Key, path: &str, node: &Node, quantity: Quantity) -> Option<Filled> {
        let bytes = self.counted(Measure::Bytes, path, node, quantity)?;
        let value = self.in_range(key, path, node, bytes)?;
        let Some(flit_bytes) = self.scale.flit_bytes else {
            self.refuse_flits(path, &node.place);
            return None;
        };
        let flits = bytes.checked_div(Decimal::from(flit_bytes))?.ceil();
        Some(Filled { value, filled: self.in_range(filled, path, node, flits)? })
    }

    /// A time for each byte, and the time for each flit.
    fn per_flit(&self, filled: &Key, path: &str, node: &Node, quantity: Quantity) -> Option<Filled> {
        let ticks = match quantity {
            Quantity::Time(time) => time.checked_div(self.scale.tick?)?,
            Quantity::Ticks(ticks) => ticks,
            Quantity::Cycles(cycles) => cycles.checked_mul(Decimal::from(self.scale.flit_time))?,
            _ => {
                self.refuse_kind(Measure::TicksPerByte, path, quantity, &node.place);
                return None;
            }
        };
        let Some(flit_bytes) = self.scale.flit_bytes else {
            self.refuse_flits(path, &node.place);
            return None;
        };
        let of_flit = ticks.checked_mul(Decimal::from(flit_bytes))?;
        if !of_flit.is_integer() {
            let cause = format!(" for a flit of {flit_bytes} bytes");
            self.refuse_fraction(path, &written(node), of_flit, &cause, &node.place);
            return None;
        }
        Some(Filled { value: Value::Float(decimal_text(ticks)), filled: self.in_range(filled, path, node, of_flit)? })
    }

    /// A bandwidth in GB/s, and the time for a flit to cross a channel of it, rounded to ticks.
    fn bandwidth(&self, key: &Key, filled: &Key, path: &str, node: &Node, quantity: Quantity) -> Option<Filled> {
        let bandwidth = self.bytes_per_second(Measure::Bandwidth, path, node, quantity)?;
        if bandwidth.is_zero() {
            self.refuse_text(key, path, &written(node), &Unreadable::NoNumber, &node.place);
            return None;
        }
        let exact = self.scale.flit_ticks(bandwidth)?;
        if exact < Decimal::ONE {
            self.refuse_short(path, &written(node), exact, &node.place);
            return None;
        }
        let ticks = exact.round();
        if !is_near(exact, ticks) {
            let percent = ((ticks - exact) / exact * Decimal::from(100)).round_dp(1);
            self.units.warn(format!(
                "`{path}` = {}: a flit takes {} of {}, rounded by {percent} %; tick = \"{}\" is more accurate",
                written(node),
                counted(ticks.to_u64().unwrap_or(u64::MAX), "tick"),
                self.tick_text(),
                self.shorter_tick(exact),
            ));
        }
        let gigabytes = bandwidth / Decimal::from(1_000_000_000);
        Some(Filled { value: Value::Float(decimal_text(gigabytes)), filled: self.in_range(filled, path, node, ticks)? })
    }
}

/// A valid value in place of one that is wrong, with which the reading continues.
fn fallback(key: &Key) -> Value {
    match key.takes {
        Takes::Integer(least, _) | Takes::Integers(least, _) | Takes::IntegerOrArray(least, _) => {
            Value::Integer(i64::try_from(least).ok())
        }
        _ => Value::Integer(Some(1)),
    }
}

/// `number` as TOML writes a number with a fraction, or an integer without one.
fn decimal_text(number: Decimal) -> String {
    let text = number.normalize().to_string();
    if text.contains('.') { text } else { format!("{text}.0") }
}
