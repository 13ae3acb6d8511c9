//! Texts that are read, rounded, refused and written.

#![allow(clippy::unwrap_used, reason = "a test fails by a panic")]

use super::*;

const MILLIMETRE: Micrometres = Micrometres::new(1000);

fn attojoules(text: &str, flit_bits: u32, length: Micrometres) -> Attojoules {
    Energy::parse(text, ElementLength::Channel).unwrap().attojoules(flit_bits, length)
}

#[test]
fn energies_become_integers_by_one_rounding() {
    for (text, flit_bits, length, expected) in [
        ("1pJ", 64, 1000, 1_000_000),
        ("1.2 pJ", 64, 1000, 1_200_000),
        ("7aJ", 64, 1000, 7),
        ("12fJ", 64, 1000, 12_000),
        ("3nJ", 1, 1, 3_000_000_000),
        ("1uJ", 1, 1, 1_000_000_000_000),
        ("1µJ", 1, 1, 1_000_000_000_000),
        ("1μJ", 1, 1, 1_000_000_000_000),
        ("1_000aJ", 1, 1, 1000),
        ("9fJ/bit", 64, 1000, 576_000),
        ("0.15pJ/B", 64, 1000, 1_200_000),
        ("0.15pJ/B", 4, 1000, 75_000),
        ("40.4fJ/bit/mm", 96, 1500, 5_817_600),
        ("2pJ/mm", 96, 2500, 5_000_000),
        ("2pJ/mm", 96, 0, 0),
        ("0", 64, 1000, 0),
        ("0.0", 64, 1000, 0),
        ("0pJ/bit", 64, 1000, 0),
        // halves up, once: 0.5 aJ of each bit is not 1 aJ of each bit
        ("0.5aJ", 1, 1000, 1),
        ("0.4999aJ", 1, 1000, 0),
        ("0.5aJ/bit", 3, 1000, 2),
        ("0.5aJ/bit", 4, 1000, 2),
        ("1aJ/B", 3, 1000, 0),
        ("1aJ/B", 4, 1000, 1),
        ("1aJ/B/mm", 1, 3999, 0),
        ("1aJ/B/mm", 1, 4000, 1),
        ("1.5aJ", 1, 1000, 2),
        ("2.5aJ", 1, 1000, 3),
        ("0.33333333fJ/bit", 96, 1000, 32_000),
        ("1.7fJ/B", 96, 1000, 20_400),
    ] {
        assert_eq!(attojoules(text, flit_bits, Micrometres::new(length)), expected, "{text} {flit_bits} {length}");
    }
}

#[test]
fn the_largest_factors_fit() {
    let largest = attojoules("999999999999999.99aJ/bit/mm", u32::MAX, Micrometres::MAX);
    assert_eq!(largest, 4_294_967_294_999_999_957_050_327_050_000);
    assert_eq!(attojoules("1000uJ/B", u32::MAX, MILLIMETRE), 536_870_911_875_000_000_000_000);
}

#[test]
fn errors_name_the_reason() {
    let kind = QuantityKind::Energy;
    for (text, expected, message) in [
        ("", QuantityError::NoNumber, "does not start with a decimal number"),
        ("pJ", QuantityError::NoNumber, "does not start with a decimal number"),
        ("-1pJ", QuantityError::NoNumber, "does not start with a decimal number"),
        ("1.pJ", QuantityError::NoNumber, "does not start with a decimal number"),
        (".5pJ", QuantityError::NoNumber, "does not start with a decimal number"),
        ("1.2.3pJ", QuantityError::NoNumber, "does not start with a decimal number"),
        ("5", QuantityError::NoUnit(kind), "has no unit of energy"),
        ("5/bit", QuantityError::UnknownUnit(String::new()), "has the unknown unit ``"),
        ("5mJ", QuantityError::UnknownUnit("mJ".to_owned()), "has the unknown unit `mJ`"),
        ("5e3pJ", QuantityError::UnknownUnit("e3pJ".to_owned()), "has the unknown unit `e3pJ`"),
        ("5pJ/flit", QuantityError::UnknownUnit("pJ/flit".to_owned()), "has the unknown unit `pJ/flit`"),
        ("5pJ/mm/bit", QuantityError::UnknownUnit("pJ/mm".to_owned()), "has the unknown unit `pJ/mm`"),
        (
            "1pW/bit",
            QuantityError::OtherQuantity { unit: "pW".to_owned(), expected: kind },
            "has the unit `pW` of power, not one of energy",
        ),
        ("1fJ/mm", QuantityError::PerLength, "has `/mm`, but a router has no length"),
        ("1.23456789012345678pJ", QuantityError::TooManyDigits, "has more than 17 significant digits"),
        ("1001uJ", QuantityError::TooLarge("1 mJ"), "is larger than 1 mJ"),
    ] {
        let error = Energy::parse(text, ElementLength::Absent).unwrap_err();
        assert_eq!((&error, error.to_string().as_str()), (&expected, message), "{text}");
    }
    let huge = format!("1{}pJ", "0".repeat(500));
    assert_eq!(Energy::parse(&huge, ElementLength::Absent), Err(QuantityError::TooLarge("1 mJ")));
    let long = format!("0.{}1pJ", "0".repeat(1000));
    assert_eq!(Energy::parse(&long, ElementLength::Absent), Err(QuantityError::TooManyDigits));
    assert_eq!(
        Power::parse("1pJ", ElementLength::Channel).unwrap_err().to_string(),
        "has the unit `pJ` of energy, not one of power"
    );
    assert!(kind.accepted_units().contains("a unit such as pJ"));
    assert!(QuantityKind::Power.accepted_units().contains("a unit such as mW"));
}

#[test]
fn powers_give_exact_energies() {
    let nanosecond = ExactDecimal::new(1000, 0);
    for (text, flit_bits, length, ticks, tick, expected) in [
        ("1mW", 64, 1000, 7, nanosecond, 7_000_000),
        ("3uW", 64, 1000, 7, nanosecond, 21_000),
        ("1W", 64, 1000, 1, nanosecond, 1_000_000_000),
        ("1.23456789mW", 96, 1000, 51, ExactDecimal::new(25, 1), 157_407),
        ("0.7nW/bit/mm", 96, 1500, 51, ExactDecimal::new(2500, 0), 12_852),
        ("17nW", 96, 1500, 51, ExactDecimal::new(2500, 0), 2168),
        ("1pW/B", 4, 1000, 1, nanosecond, 0),
        ("1pW", 4, 1000, 500, nanosecond, 1),
        ("1pW", 4, 1000, 499, nanosecond, 0),
        ("0", 4, 1000, 499, nanosecond, 0),
    ] {
        let power = Power::parse(text, ElementLength::Channel).unwrap().element(flit_bits, Micrometres::new(length));
        assert_eq!(power.energy(crate::units::Ticks(ticks), tick), Some(expected), "{text} {ticks}");
    }
    assert!(Power::parse("0nW", ElementLength::Absent).unwrap().is_zero());
    assert_eq!(Power::parse("1001W", ElementLength::Absent), Err(QuantityError::TooLarge("1 kW")));
}

#[test]
fn lengths_have_three_decimals() {
    for (text, expected) in [
        ("1", Ok(1000)),
        ("1.0", Ok(1000)),
        ("2.500000", Ok(2500)),
        ("0.001", Ok(1)),
        ("0", Ok(0)),
        ("1000000", Ok(1_000_000_000)),
        ("1000000.001", Err(QuantityError::TooLarge("1000000 mm"))),
        ("9e9", Err(QuantityError::UnknownUnit("e9".to_owned()))),
        ("0.0005", Err(QuantityError::TooManyDecimals)),
        ("-1", Err(QuantityError::NoNumber)),
    ] {
        assert_eq!(Micrometres::from_millimetres(text).map(Micrometres::get), expected, "{text}");
    }
    assert_eq!(
        [0, 1, 500, 2000, 12_340].map(|n| Micrometres::new(n).to_string()),
        ["0 mm", "0.001 mm", "0.5 mm", "2 mm", "12.34 mm"]
    );
}

#[test]
fn texts_of_energies_are_exact_and_can_be_read() {
    for (energy, expected) in [
        (0, "0"),
        (7, "7aJ"),
        (999, "999aJ"),
        (1000, "1fJ"),
        (147_168, "147.168fJ"),
        (1_676_848, "1.676848pJ"),
        (114_291_472, "114.291472pJ"),
        (5_000_000_000_000_000, "5000uJ"),
    ] {
        assert_eq!(energy_text(energy), expected);
    }
    assert_eq!(attojoules(&energy_text(1_676_848), 1, MILLIMETRE), 1_676_848);
    assert_eq!(power_text(ExactDecimal::new(4334, 1 + 6)), "0.0000000004334pW");
    assert_eq!(power_text(ExactDecimal::with_exponent(8_882_619, 9)), "8.882619mW");
}
