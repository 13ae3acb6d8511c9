//! What may stand in tables as it is: text that neither terminals obey nor spreadsheets compute.
//!
//! Tables are read by programs, so nothing in them is changed or added: RFC 4180 alone says how a field is written. A spreadsheet,
//! though, takes a field that begins with `=`, `+`, `-` or `@` for a formula, which may start programs and call servers. So text
//! that would be read so does not get into tables in the first place. Numbers may, whatever their sign.

use super::visible::first_obeyed;

/// Why `text` cannot stand in a table, if it cannot, as the end of a sentence about it.
pub(crate) fn unfit_for_tables(text: &str) -> Option<String> {
    if let Some(letter) = first_obeyed(text) {
        return Some(format!("has the control character {letter}"));
    }
    let first = text.chars().next().filter(|first| matches!(first, '=' | '+' | '-' | '@'))?;
    let is_number = text.parse::<f64>().is_ok_and(f64::is_finite);
    (!is_number).then(|| format!("begins with `{first}`, which spreadsheets read as a formula"))
}

/// What to do about it.
pub(crate) const HOW_TO_FIT: &str = "start a file name with `./`";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formulas_and_control_characters_are_refused_and_numbers_are_not() {
        for fit in ["", "-1", "+0.5", "-1e-9", "a=b", "x-y", "./=x", " =x", "[4, 9]", "tr\u{e4}ger"] {
            assert_eq!(unfit_for_tables(fit), None, "{fit}");
        }
        for unfit in ["=1+1", "@SUM(A1)", "+a", "-x.csv", "--", "-inf", "a\tb", "\r=x", "a\u{1b}[m", "\u{202e}x"] {
            assert!(unfit_for_tables(unfit).is_some(), "{unfit}");
        }
    }
}
