//! How much memory it takes to parse TOML: the parser keeps tokens, events and a tree of the whole text at once.

use super::diagnostic::Diagnostic;
use crate::memory::Limit;

/// Bytes that a byte of the text takes at most, whatever it is.
const BYTE: u64 = 10;
/// Bytes that a blank takes at most, with the word before it.
const BLANK: u64 = 110;
/// Bytes that a quote takes at most.
const QUOTE: u64 = 60;
/// Bytes that a bracket, comma, equals sign or end of a line takes at most, with the value before it.
const MARK: u64 = 350;
/// Bytes that a table takes at most, which begins at a brace, or at a dot of a key.
const TABLE: u64 = 2_200;

/// That there is no room to parse `text`, which is called `name`, beside `held` bytes; nothing if there is.
pub(crate) fn no_room(name: &str, text: &str, held: u64, limit: Option<Limit>) -> Option<Diagnostic> {
    let needed = needed(text).saturating_add(held);
    let limit = limit.filter(|limit| needed > limit.bytes)?;
    let wrong = Diagnostic::unplaced(format!("parsing `{name}` {}", limit.refusal(needed)));
    Some(wrong.hint(
        "allow more with --memory, or move long lists and tables to a file, such as CSV, that the scenario names",
    ))
}

/// Bytes that parsing `text` takes at most, as measured of texts of nothing but the most expensive marks.
pub(crate) fn needed(text: &str) -> u64 {
    let of_byte = |byte: u8| match byte {
        b'{' | b'.' => TABLE,
        b'[' | b']' | b'}' | b',' | b'=' | b'#' | b'\n' => MARK,
        b'"' | b'\'' => QUOTE,
        b' ' | b'\t' | b'\r' => BLANK,
        _ => BYTE,
    };
    text.bytes().map(of_byte).sum()
}
