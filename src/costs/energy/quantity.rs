//! Energies, powers and lengths as scenarios state them: `1.2pJ`, `40.4fJ/bit/mm`, `8.8mW`, `2.5` mm.
//!
//! An [`Energy`] or a [`Power`] holds the exact decimal number of its text. It becomes an integer number of attojoules, or the
//! power of one element, when the bits of a flit and the length of a link are known. The bounds of texts, flits and lengths
//! keep every product within 128 bits, so that this cannot fail.

use super::{Attojoules, ExactDecimal, StaticPower};
use std::fmt;

/// Units of energy, each with its power of ten of attojoules.
const ENERGIES: [(&str, i32); 7] = [("aJ", 0), ("fJ", 3), ("pJ", 6), ("nJ", 9), ("uJ", 12), ("µJ", 12), ("μJ", 12)];

/// Units of power, each with its power of ten of attowatts.
const POWERS: [(&str, i32); 7] = [("pW", 6), ("nW", 9), ("uW", 12), ("µW", 12), ("μW", 12), ("mW", 15), ("W", 18)];

/// The largest number of significant digits of a text. Bits of a flit, the length of a link and the eighth of a byte multiply
/// them to less than 2^128.
const DIGITS: usize = 17;

/// The largest energy: 1 mJ.
const LARGEST_ENERGY: Attojoules = 1_000_000_000_000_000;

/// The largest power: 1 kW, in attowatts.
const LARGEST_POWER: u128 = 1_000_000_000_000_000_000_000;

/// A physical quantity of the table `[energy]`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum QuantityKind {
    /// The energy of an event.
    Energy,
    /// The static power of an element.
    Power,
}

impl QuantityKind {
    /// The accepted units, for messages.
    pub const fn accepted_units(self) -> &'static str {
        match self {
            Self::Energy => {
                "a unit such as pJ (aJ, fJ, pJ, nJ or uJ), with /bit or /B if it grows with the bits of a flit"
            }
            Self::Power => {
                "a unit such as mW (pW, nW, uW, mW or W), with /bit or /B if it grows with the bits of a flit"
            }
        }
    }

    const fn name(self) -> &'static str {
        match self {
            Self::Energy => "energy",
            Self::Power => "power",
        }
    }

    const fn units(self) -> [(&'static str, i32); 7] {
        match self {
            Self::Energy => ENERGIES,
            Self::Power => POWERS,
        }
    }

    const fn opposite(self) -> Self {
        match self {
            Self::Energy => Self::Power,
            Self::Power => Self::Energy,
        }
    }

    /// The largest value, in attojoules or attowatts, and its text.
    const fn largest(self) -> (u128, &'static str) {
        match self {
            Self::Energy => (LARGEST_ENERGY, "1 mJ"),
            Self::Power => (LARGEST_POWER, "1 kW"),
        }
    }
}

/// The element that a quantity belongs to, as far as it has a length.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ElementLength {
    /// A link or another channel, whose length multiplies a quantity with `/mm`.
    Channel,
    /// A router, which has no length. `/mm` is an error.
    Absent,
}

/// The reason why a text is not an energy, a power or a length.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum QuantityError {
    /// The text does not start with a decimal number.
    #[error("does not start with a decimal number")]
    NoNumber,
    /// The text is a number without a unit, and not 0.
    #[error("has no unit of {}", .0.name())]
    NoUnit(QuantityKind),
    /// The unit is unknown.
    #[error("has the unknown unit `{0}`")]
    UnknownUnit(String),
    /// The unit is that of the other quantity.
    #[error("has the unit `{unit}` of {}, not one of {}", .expected.opposite().name(), .expected.name())]
    OtherQuantity {
        /// The unit of the text.
        unit: String,
        /// The expected quantity.
        expected: QuantityKind,
    },
    /// The text has `/mm`, but the element has no length.
    #[error("has `/mm`, but a router has no length")]
    PerLength,
    /// The number has too many significant digits.
    #[error("has more than {DIGITS} significant digits")]
    TooManyDigits,
    /// The value exceeds the largest one, which is named.
    #[error("is larger than {0}")]
    TooLarge(&'static str),
    /// A length has more than three decimals.
    #[error("has more than three decimals of a millimetre")]
    TooManyDecimals,
}

/// Factor of a quantity that depends on the width of a flit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum DataUnit {
    Flit,
    Bit,
    Byte,
}

/// Factor of a quantity that depends on the length of a channel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum LengthUnit {
    Channel,
    Millimetre,
}

/// A number, and the units that it is multiplied with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Quantity {
    /// The number, in attojoules or attowatts.
    value: ExactDecimal,
    data: DataUnit,
    length: LengthUnit,
}

impl Quantity {
    const ZERO: Self = Self::per_flit(ExactDecimal::ZERO);

    const fn per_flit(value: ExactDecimal) -> Self {
        Self { value, data: DataUnit::Flit, length: LengthUnit::Channel }
    }

    fn parse(text: &str, kind: QuantityKind, element: ElementLength) -> Result<Self, QuantityError> {
        let (value, unit) = number_and_rest(text)?;
        if unit.is_empty() {
            return if value.is_zero() { Ok(Self::ZERO) } else { Err(QuantityError::NoUnit(kind)) };
        }
        let (unit, length) = split_length(unit, element)?;
        let (unit, data) = split_data(unit);
        let value = ExactDecimal::with_exponent(value.digits(), value.exponent() + unit_power(unit, kind)?);
        let (largest, name) = kind.largest();
        let is_within = value.rounded().is_some_and(|rounded| rounded <= largest);
        is_within.then_some(Self { value, data, length }).ok_or(QuantityError::TooLarge(name))
    }

    /// The exact product for one element, in attojoules or attowatts.
    const fn product(self, flit_bits: u32, length: Micrometres) -> ExactDecimal {
        let (data, data_power) = match self.data {
            DataUnit::Flit => (1, 0),
            DataUnit::Bit => (flit_bits as u128, 0),
            // an eighth is 125 thousandths
            DataUnit::Byte => (flit_bits as u128 * 125, -3),
        };
        let (length, length_power) = match self.length {
            LengthUnit::Channel => (1, 0),
            LengthUnit::Millimetre => (length.0 as u128, -3),
        };
        let digits = self.value.digits() * data * length;
        ExactDecimal::with_exponent(digits, self.value.exponent() + data_power + length_power)
    }
}

/// Splits `/mm` off a unit.
fn split_length(unit: &str, element: ElementLength) -> Result<(&str, LengthUnit), QuantityError> {
    match (unit.strip_suffix("/mm"), element) {
        (None, _) => Ok((unit, LengthUnit::Channel)),
        (Some(_), ElementLength::Absent) => Err(QuantityError::PerLength),
        (Some(unit), ElementLength::Channel) => Ok((unit, LengthUnit::Millimetre)),
    }
}

/// Splits `/bit` or `/B` off a unit.
fn split_data(unit: &str) -> (&str, DataUnit) {
    let units = [("/bit", DataUnit::Bit), ("/B", DataUnit::Byte)];
    let split = units.into_iter().find_map(|(suffix, data)| Some((unit.strip_suffix(suffix)?, data)));
    split.unwrap_or((unit, DataUnit::Flit))
}

/// Returns the power of ten of a unit of `kind`.
fn unit_power(unit: &str, kind: QuantityKind) -> Result<i32, QuantityError> {
    let power = |kind: QuantityKind| kind.units().into_iter().find(|(name, _)| *name == unit).map(|(_, power)| power);
    match power(kind) {
        Some(power) => Ok(power),
        None if power(kind.opposite()).is_some() => {
            Err(QuantityError::OtherQuantity { unit: unit.to_owned(), expected: kind })
        }
        None => Err(QuantityError::UnknownUnit(unit.to_owned())),
    }
}

/// Returns the decimal number that a text starts with, and the text behind it. Digits may be grouped with `_`.
fn number_and_rest(text: &str) -> Result<(ExactDecimal, &str), QuantityError> {
    let text = text.trim();
    let end = text.find(|c: char| !c.is_ascii_digit() && !"._".contains(c)).unwrap_or(text.len());
    let (number, rest) = (text[..end].replace('_', ""), text[end..].trim_start());
    let (integer, fraction) = number.split_once('.').unwrap_or((&number, ""));
    let is_number = !integer.is_empty() && !fraction.contains('.') && !number.ends_with('.');
    if !is_number {
        return Err(QuantityError::NoNumber);
    }
    let digits = format!("{integer}{fraction}");
    let significant = digits.trim_start_matches('0').trim_end_matches('0');
    if significant.len() > DIGITS || digits.len() > 1000 {
        return Err(QuantityError::TooManyDigits);
    }
    // the zeros at the end are in the exponent, and the number 0 has no digits
    let zeros = digits.len() - digits.trim_end_matches('0').len();
    let exponent = i32::try_from(zeros).unwrap_or(0) - i32::try_from(fraction.len()).unwrap_or(0);
    Ok((ExactDecimal::with_exponent(significant.parse().unwrap_or(0), exponent), rest))
}

/// An energy of an event, per flit or per bit of it, for a channel or for each millimetre of it.
///
/// ```
/// use flitwise::costs::energy::{ElementLength, Energy, Micrometres};
///
/// let energy = Energy::parse("40.4fJ/bit/mm", ElementLength::Channel)?;
/// // 64 bits over 1.5 mm
/// assert_eq!(energy.attojoules(64, Micrometres::new(1500)), 3_878_400);
/// # Ok::<(), flitwise::costs::energy::QuantityError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Energy(Quantity);

impl Energy {
    /// No energy.
    pub const ZERO: Self = Self(Quantity::ZERO);

    /// Reads an energy with its unit. Only 0 needs no unit.
    ///
    /// # Errors
    /// Returns an error if the text is not an energy of at most 1 mJ, or has `/mm` where the element has no length.
    pub fn parse(text: &str, element: ElementLength) -> Result<Self, QuantityError> {
        Quantity::parse(text, QuantityKind::Energy, element).map(Self)
    }

    /// Returns the energy of a flit of `flit_bits` bits at an element of this length, rounded to attojoules, halves up.
    #[expect(clippy::expect_used, reason = "an energy is at most 1 mJ, a flit has 2^32 bits, a channel 1 km")]
    pub fn attojoules(self, flit_bits: u32, length: Micrometres) -> Attojoules {
        self.0.product(flit_bits, length).rounded().expect("a bounded energy of bounded factors fits")
    }
}

/// A static power of an element, for its bits and for each millimetre of it if the unit has `/bit` and `/mm`.
///
/// ```
/// use flitwise::costs::energy::{ElementLength, ExactDecimal, Micrometres, Power};
/// use flitwise::units::Ticks;
///
/// let power = Power::parse("0.2nW/bit/mm", ElementLength::Channel)?.element(64, Micrometres::new(1000));
/// // 1000 ticks of 2.5 ns, in picoseconds
/// assert_eq!(power.energy(Ticks(1000), ExactDecimal::new(2500, 0)), Some(32_000));
/// # Ok::<(), flitwise::costs::energy::QuantityError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Power(Quantity);

impl Power {
    /// No power.
    pub const ZERO: Self = Self(Quantity::ZERO);

    /// Reads a power with its unit. Only 0 needs no unit.
    ///
    /// # Errors
    /// Returns an error if the text is not a power of at most 1 kW, or has `/mm` where the element has no length.
    pub fn parse(text: &str, element: ElementLength) -> Result<Self, QuantityError> {
        Quantity::parse(text, QuantityKind::Power, element).map(Self)
    }

    /// Returns the power of an element for flits of `flit_bits` bits and of this length, without rounding.
    pub const fn element(self, flit_bits: u32, length: Micrometres) -> StaticPower {
        StaticPower::from_attowatts(self.0.product(flit_bits, length))
    }

    /// True if it is 0.
    pub const fn is_zero(self) -> bool {
        self.0.value.is_zero()
    }
}

/// The length of a channel: thousandths of a millimetre, at most 1 km.
///
/// ```
/// use flitwise::costs::energy::Micrometres;
///
/// assert_eq!(Micrometres::from_millimetres("2.5")?, Micrometres::new(2500));
/// assert!(Micrometres::from_millimetres("0.0001").is_err());
/// assert_eq!(Micrometres::new(500).to_string(), "0.5 mm");
/// # Ok::<(), flitwise::costs::energy::QuantityError>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Micrometres(u32);

impl Micrometres {
    /// No length.
    pub const ZERO: Self = Self(0);

    /// The largest length: 1 km.
    pub const MAX: Self = Self(1_000_000_000);

    /// Creates a length.
    ///
    /// # Panics
    /// Panics if the length exceeds [`MAX`](Self::MAX).
    pub const fn new(micrometres: u32) -> Self {
        assert!(micrometres <= Self::MAX.0, "a length is at most 1 km");
        Self(micrometres)
    }

    /// Reads a decimal number of millimetres without a unit.
    ///
    /// # Errors
    /// Returns an error if the text is not a number of at most 1,000,000 with at most three decimals.
    pub fn from_millimetres(text: &str) -> Result<Self, QuantityError> {
        let (number, rest) = number_and_rest(text)?;
        if !rest.is_empty() {
            return Err(QuantityError::UnknownUnit(rest.to_owned()));
        }
        if number.exponent() < -3 {
            return Err(QuantityError::TooManyDecimals);
        }
        let length = number.rounded_product(&[], 3).and_then(|length| u32::try_from(length).ok()).map(Self);
        length.filter(|length| *length <= Self::MAX).ok_or(QuantityError::TooLarge("1000000 mm"))
    }

    /// The number of micrometres.
    pub const fn get(self) -> u32 {
        self.0
    }

    /// The length in millimetres as a floating-point number.
    pub(super) fn millimetres(self) -> f64 {
        f64::from(self.0) / 1000.0
    }
}

impl fmt::Display for Micrometres {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} mm", decimal_text(self.0.into(), 3))
    }
}

/// Returns an energy as the text of a key: exact, in the largest unit of which it is at least one, such as `1.676848pJ`.
pub fn energy_text(energy: Attojoules) -> String {
    scaled_text(ExactDecimal::new(energy, 0), &ENERGIES)
}

/// Returns the number of attowatts `power` as the text of a key, as [`energy_text`].
pub(super) fn power_text(power: ExactDecimal) -> String {
    scaled_text(power, &POWERS)
}

/// Writes a number in the largest of `units` of which it is at least one, or in the first.
fn scaled_text(number: ExactDecimal, units: &[(&str, i32)]) -> String {
    if number.is_zero() {
        return "0".to_owned();
    }
    let magnitude = number.exponent().saturating_add_unsigned(number.digits().ilog10());
    let fits = |unit: &&(&str, i32)| unit.0.is_ascii() && unit.1 <= magnitude;
    let (name, power) = units.iter().rev().find(fits).or(units.first()).copied().unwrap_or(("", 0));
    let scale = number.exponent() - power;
    let zeros = "0".repeat(usize::try_from(scale).unwrap_or(0));
    let decimals = usize::try_from(-scale).unwrap_or(0);
    format!("{}{zeros}{name}", decimal_text(number.digits(), decimals))
}

/// Returns `number` / 10^`decimals`, without zeros at the end of the decimals.
pub(super) fn decimal_text(number: u128, decimals: usize) -> String {
    let digits = format!("{number:0>width$}", width = decimals + 1);
    let (integer, fraction) = digits.split_at(digits.len() - decimals);
    let fraction = fraction.trim_end_matches('0');
    if fraction.is_empty() { integer.to_owned() } else { format!("{integer}.{fraction}") }
}

#[cfg(test)]
mod tests;
