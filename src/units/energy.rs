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
        let (whole, decimals) = text.split_once('.').unwrap_or((text, ""));
        let whole: u128 = whole.parse().ok()?;
        let part: u128 = format!("{decimals:0<6}").parse().ok()?;
        let whole = whole.checked_mul(PICOJOULE)?;
        (decimals.len() <= 6).then_some(Self(whole.checked_add(part)?))
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
        let whole = self.0 / PICOJOULE;
        let part = self.0 % PICOJOULE;
        if part == 0 {
            return whole.fmt(f);
        }
        let part = format!("{part:06}");
        write!(f, "{whole}.{}", part.trim_end_matches('0'))
    }
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
    fn other_texts_are_no_energies() {
        for text in ["", "-1", "1.2.3", "1.0000001", "1e3", "pJ"] {
            assert_eq!(Attojoules::from_picojoules(text), None, "{text}");
        }
    }
}
