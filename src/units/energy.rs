//! Energies as whole numbers of attojoules, so that sums are exact.

use std::fmt;

/// Attojoules in a picojoule.
const PICOJOULE: u128 = 1_000_000;

/// An energy in attojoules.
///
/// ```
/// use flitwise::units::Attojoules;
/// // people read it in picojoules
/// assert_eq!(Attojoules(92_663_028).to_string(), "92.663028");
/// assert_eq!(Attojoules::from_picojoules("92.663028"), Some(Attojoules(92_663_028)));
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Attojoules(pub u128);

impl Attojoules {
    /// Parses a number of picojoules with at most six decimals. Returns `None` of anything else.
    pub fn from_picojoules(text: &str) -> Option<Self> {
        let (integer, decimals) = text.split_once('.').unwrap_or((text, ""));
        let picojoules: u128 = integer.parse().ok()?;
        let attojoules: u128 = format!("{decimals:0<6}").parse().ok()?;
        let sum = picojoules.checked_mul(PICOJOULE)?.checked_add(attojoules)?;
        (decimals.len() <= 6).then_some(Self(sum))
    }

    /// The energy in picojoules, as statistics have it.
    #[expect(clippy::cast_precision_loss, reason = "statistics are rounded")]
    pub fn picojoules(self) -> f64 {
        self.0 as f64 / 1e6
    }
}

impl fmt::Display for Attojoules {
    /// In picojoules, with as many decimals as there are, at most six.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let picojoules = self.0 / PICOJOULE;
        let attojoules = self.0 % PICOJOULE;
        if attojoules == 0 {
            return picojoules.fmt(f);
        }
        let decimals = format!("{attojoules:06}");
        write!(f, "{picojoules}.{}", decimals.trim_end_matches('0'))
    }
}

/// Units of energy, each with its picojoules, the largest first.
const UNITS: [(&str, f64); 7] =
    [("J", 1e12), ("mJ", 1e9), ("µJ", 1e6), ("nJ", 1e3), ("pJ", 1.0), ("fJ", 1e-3), ("aJ", 1e-6)];

/// Returns the largest unit of which `picojoules` are at least one, and its picojoules.
pub(crate) fn fitting_unit(picojoules: f64) -> (&'static str, f64) {
    // an energy that is rounded up to a thousand of a unit is one of the next
    let fits = |&(_, length): &(&str, f64)| picojoules >= 0.9995 * length;
    UNITS.into_iter().find(fits).unwrap_or(UNITS[UNITS.len() - 1])
}

/// An energy with three significant digits and a unit: `1.25 µJ`.
pub(crate) fn energy_text(picojoules: f64) -> String {
    if picojoules <= 0.0 {
        return "0".to_owned();
    }
    let (unit, length) = fitting_unit(picojoules);
    let value = picojoules / length;
    let decimals = [9.995, 99.95].into_iter().filter(|power| value < *power).count();
    format!("{value:.decimals$} {unit}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn energies_are_read_as_they_are_written(attojoules in prop_oneof![0..10_000_000_u128, 0..u128::MAX / 2]) {
            let energy = Attojoules(attojoules);
            prop_assert_eq!(Attojoules::from_picojoules(&energy.to_string()), Some(energy));
        }
    }

    #[test]
    fn energies_have_a_unit_that_fits() {
        let energies = [0.0, 0.000_5, 1.25, 999.4, 999.7, 1_250_000.0, 92_663.028].map(energy_text);
        assert_eq!(energies, ["0", "500 aJ", "1.25 pJ", "999 pJ", "1.00 nJ", "1.25 µJ", "92.7 nJ"]);
    }

    #[test]
    fn other_texts_are_no_energies() {
        for text in ["", "-1", "1.2.3", "1.0000001", "1e3", "pJ"] {
            assert_eq!(Attojoules::from_picojoules(text), None, "{text}");
        }
    }
}
