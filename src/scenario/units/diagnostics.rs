//! Messages about values with units that are wrong.

use super::convert::Converter;
use super::visit::{each_value, texts};
use crate::config::{
    Diagnostic, Key as Written, Node, Place, Prefixes, Quantity, Unreadable, Value, largest_power, power_of_ten,
};
use crate::units::Key;
use crate::units::key::{Measure, Takes};
use rust_decimal::{Decimal, RoundingStrategy};

impl Converter<'_> {
    pub(super) fn report(&self, diagnostic: Diagnostic) {
        self.errors.borrow_mut().push(diagnostic);
    }

    /// Reports that a text is not a value of `key`.
    pub(super) fn refuse_text(&self, key: &Key, path: &str, text: &str, why: &Unreadable, place: &Place) {
        let Some(measure) = key.measure() else { return };
        let reason = match why {
            Unreadable::UnknownUnit(unit) => format!(": the unit `{unit}` is unknown"),
            _ => String::new(),
        };
        let message = format!("`{path}` cannot be \"{text}\"{reason}");
        let accepted = format!("accepted units: {}", measure.accepted());
        let diagnostic = Diagnostic::at(place.clone(), message);
        self.report(match why {
            Unreadable::NoNumber => {
                diagnostic.note(format!("accepted: {} such as {}", measure.noun(), measure.example()))
            }
            Unreadable::NoUnit => diagnostic.note(accepted).hint(match measure {
                Measure::Bandwidth | Measure::Load => {
                    format!("write the unit, such as \"{text}GB/s\" or \"{text}Gb/s\"")
                }
                _ => format!("write the unit, as in {}", measure.example()),
            }),
            Unreadable::Ambiguous(number, prefix) => {
                let number = number.normalize();
                let [binary, decimal] = [prefix.to_uppercase(), prefix.replace('K', "k")];
                diagnostic.note(accepted).hint(format!(
                    "write \"{number}{binary}iB\" (powers of 1024) or \"{number}{decimal}B\" (powers of 1000)"
                ))
            }
            Unreadable::UnknownUnit(unit) => {
                let limit = self.limit(key, most_of(key));
                let limit = limit.map_or_else(String::new, |limit| format!("; at most {limit}"));
                diagnostic.note(format!("{accepted}{limit}")).did_you_mean(unit, accepted_units(measure))
            }
            Unreadable::TooManyDigits => diagnostic.note("accepted: a decimal number of at most 28 digits, and a unit"),
        });
    }

    /// Reports a value without a unit, and without a meaning for `key`.
    pub(super) fn refuse_value(&self, key: &Key, path: &str, node: &Node) {
        let Some(measure) = key.measure() else { return };
        let (words, example) = (measure.noun(), measure.example());
        let message = match &node.value {
            Value::Integer(Some(..0)) => format!("`{path}` is out of range"),
            value => format!("`{path}` must be {words} such as {example}, not {}", value.kind()),
        };
        let diagnostic = Diagnostic::at(node.place.clone(), message);
        self.report(match &node.value {
            Value::Integer(Some(..0)) => diagnostic.note(format!("accepted: {}", key.values_text())),
            Value::Integer(Some(number)) => {
                let unit = if measure == Measure::Bandwidth { "GB/s" } else { "ns" };
                diagnostic.hint(format!("write the unit, such as \"{number}{unit}\""))
            }
            _ => diagnostic.note(format!("accepted units: {}", measure.accepted())),
        });
    }

    /// Reports a quantity of another kind than `key` takes.
    pub(super) fn refuse_kind(&self, measure: Measure, path: &str, quantity: Quantity, place: &Place) {
        let message = format!("`{path}` is {}, not {}", measure.noun(), quantity.kind());
        self.report(Diagnostic::at(place.clone(), message).note(format!("accepted units: {}", measure.accepted())));
    }

    /// Reports that a size needs the size of a flit.
    pub(super) fn refuse_flits(&self, path: &str, place: &Place) {
        let message = format!("`{path}` needs `channel.flit_bytes`, which converts sizes to flits");
        let diagnostic = Diagnostic::at(place.clone(), message);
        self.report(diagnostic.hint("add the payload of a flit to [channel], such as flit_bytes = 32"));
    }

    /// Reports that a bandwidth needs the size of a flit.
    pub(super) fn refuse_bandwidth(&self, path: &str, place: &Place) {
        let message =
            format!("`{path}` needs `channel.flit_bytes`: the flit time is `flit_bytes` divided by the bandwidth");
        let diagnostic = Diagnostic::at(place.clone(), message);
        self.report(diagnostic.hint("add the payload of a flit to [channel], such as flit_bytes = 32"));
    }

    /// Reports two keys of which one fills the other.
    pub(super) fn refuse_both(&self, path: &str, filled: &str, own: &Written, other: &Written) {
        let message = format!("`{path}` and `{filled}` are both given");
        let diagnostic = Diagnostic::at(own.place.clone(), message).note("accepted: one of the two");
        self.report(if own.place.source == other.place.source {
            diagnostic.related(other.place.clone(), "also given here")
        } else {
            let earlier = if own.place.source < other.place.source { path } else { filled };
            diagnostic.hint(format!("--unset {earlier} removes the other one"))
        });
    }

    /// Reports a time that is not a whole number of ticks.
    pub(super) fn refuse_fraction(&self, path: &str, text: &str, ticks: Decimal, what: &str, place: &Place) {
        let ticks = ticks.round_sf(6).unwrap_or(ticks).normalize();
        let tick = self.tick_text();
        let message =
            format!("`{path}` = {text} is {ticks} ticks of {tick}{what}, but times are whole numbers of ticks");
        let diagnostic = Diagnostic::at(place.clone(), message);
        self.report(match self.whole_tick() {
            Some(power) => diagnostic
                .hint(format!("set tick = \"{}\": every time is then a whole number of ticks", power_of_ten(power))),
            None => diagnostic,
        });
    }

    /// Reports a number of cycles, flits or bytes that is not whole.
    pub(super) fn refuse_part(&self, path: &str, text: &str, number: Decimal, measure: Measure, place: &Place) {
        let number = number.round_sf(6).unwrap_or(number).normalize();
        let (unit, of) = match measure {
            Measure::Cycles => ("cycles", format!(" of {} ticks of {}", self.scale.flit_time, self.tick_text())),
            Measure::Bytes => ("bytes", String::new()),
            _ => ("flits", String::new()),
        };
        let message = format!("`{path}` = {text} is {number} {unit}{of}, which is not a whole number");
        self.report(Diagnostic::at(place.clone(), message).note(format!("accepted: whole {unit}")));
    }

    /// The exponent of the longest power of ten of picoseconds of which every time of the scenario is a multiple.
    fn whole_tick(&self) -> Option<i32> {
        let mut least: Option<i32> = None;
        each_value(self.raw, &mut |declared, nodes| {
            let times = match declared.key.measure() {
                Some(Measure::Ticks) => Decimal::ONE,
                Some(Measure::TicksPerByte) => Decimal::from(self.scale.flit_bytes.unwrap_or(1)),
                _ => return,
            };
            for text in nodes.iter().flat_map(texts) {
                if let Ok(Quantity::Time(time)) = Quantity::parse(text)
                    && let Some(power) = time.checked_mul(times).and_then(largest_power)
                {
                    least = Some(least.map_or(power, |least| least.min(power)));
                }
            }
        });
        least
    }

    /// Reports a number of ticks, flits or bytes outside of the range of `key`.
    pub(super) fn refuse_range(&self, path: &str, text: &str, counted: &Counted<'_>, place: &Place) {
        let Counted { key, number, least, most } = counted;
        let unit = key.unit;
        let message = format!("`{path}` = {text} is out of range: {} {unit}", number.normalize());
        let diagnostic = Diagnostic::at(place.clone(), message);
        let limit = self.limit(key, *most);
        let up_to = if *most == u64::MAX { format!("from {least}") } else { format!("from {least} to {most}") };
        self.report(match limit {
            Some(limit) => {
                let hint = match key.measure() {
                    Some(Measure::Ticks) => "a longer `tick` allows longer times",
                    _ => "larger flits allow larger messages",
                };
                diagnostic
                    .note(format!("accepted: at most {limit}, which is {most} {unit}{}", self.of_tick(key)))
                    .hint(hint)
            }
            None => diagnostic.note(format!("accepted: {up_to} {unit}")),
        });
    }

    /// The largest value of `key` as a time or a size.
    fn limit(&self, key: &Key, most: u64) -> Option<String> {
        if most == u64::MAX {
            return None;
        }
        let most = Decimal::from(most);
        Some(match key.measure()? {
            Measure::Ticks => {
                let time = most.checked_mul(self.scale.tick?)?;
                short_time(time)
            }
            Measure::Flits => {
                Quantity::Bytes(most.checked_mul(Decimal::from(self.scale.flit_bytes?))?).text(Prefixes::Binary)
            }
            _ => return None,
        })
    }

    fn of_tick(&self, key: &Key) -> String {
        match key.measure() {
            Some(Measure::Ticks) => format!(" of {}", self.tick_text()),
            _ => String::new(),
        }
    }

    /// Reports a bandwidth at which a flit takes less than a tick.
    pub(super) fn refuse_short(&self, path: &str, text: &str, ticks: Decimal, place: &Place) {
        let flit = self.scale.flit_bytes.unwrap_or(1);
        let bytes = if flit == 1 { "1 byte".to_owned() } else { format!("{flit} bytes") };
        let tick = self.tick_text();
        let message = format!("`{path}` = {text}: a flit of {bytes} takes less than a tick of {tick}");
        let diagnostic = Diagnostic::at(place.clone(), message);
        let shorter = self.shorter_tick(ticks);
        self.report(diagnostic.hint(format!("write tick = \"{shorter}\" at the top, or make flits larger")));
    }

    /// The longest tick, a power of ten, at which `ticks` of the tick of the scenario are rounded by at most 0.1 %.
    pub(super) fn shorter_tick(&self, ticks: Decimal) -> String {
        let Some(time) = self.scale.tick.and_then(|tick| ticks.checked_mul(tick)) else { return "1ps".to_owned() };
        let fits = |power: &i32| {
            let of_power = match power {
                0.. => time.checked_div(ten_to(*power)),
                _ => time.checked_mul(ten_to(-*power)),
            };
            of_power.is_some_and(|ticks| is_near(ticks, ticks.round()))
        };
        power_of_ten((-12..=12).rev().find(fits).unwrap_or(0))
    }
}

/// True if `rounded` is at least 1 and within 0.1 % of `exact`.
pub(super) fn is_near(exact: Decimal, rounded: Decimal) -> bool {
    rounded >= Decimal::ONE && (exact - rounded).abs() * Decimal::from(1000) <= exact
}

fn ten_to(power: i32) -> Decimal {
    Decimal::from(10_u64.pow(power.unsigned_abs()))
}

/// A time with four significant digits, as messages show limits.
fn short_time(picoseconds: Decimal) -> String {
    let units = [("s", 12), ("ms", 9), ("us", 6), ("ns", 3), ("ps", 0)];
    let fitting = units.into_iter().find(|(_, power)| picoseconds >= ten_to(*power));
    let (unit, power) = fitting.unwrap_or(("ps", 0));
    let value = picoseconds / ten_to(power);
    format!("{}{unit}", value.round_sf_with_strategy(4, RoundingStrategy::ToZero).unwrap_or(value).normalize())
}

/// A number in the unit of a key, and the range that the key accepts.
pub(super) struct Counted<'k> {
    pub(super) key: &'k Key,
    pub(super) number: Decimal,
    pub(super) least: u64,
    pub(super) most: u64,
}

/// The largest number that `key` accepts.
pub(super) fn most_of(key: &Key) -> u64 {
    match key.takes {
        Takes::Integer(_, most) | Takes::Integers(_, most) | Takes::IntegerOrArray(_, most) => most,
        _ => u64::MAX,
    }
}

fn accepted_units(measure: Measure) -> impl Iterator<Item = &'static str> {
    measure.accepted().split([',', ' ']).filter(|unit| !unit.is_empty() && *unit != "or")
}

/// The value as it is written.
pub(super) fn written(node: &Node) -> String {
    node.value.text()
}
