//! Bytes to text: UTF-8, with or without a byte order mark. What else they are is named, and shown where it begins.

use super::diagnostic::{Diagnostic, Place, Source};
use std::ops::Range;

/// What spreadsheets and editors put before UTF-8 text.
const MARK: &[u8] = b"\xef\xbb\xbf";

/// The beginning of ZIP archives.
const ZIP: &[u8] = b"PK\x03\x04";

/// So many bytes tell UTF-16 that has no byte order mark.
const LOOKED_AT: usize = 64;

/// Why bytes are not UTF-8 text.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {line}, column {column}: {message}")]
#[non_exhaustive]
pub struct Misencoded {
    /// Counted from 1.
    pub line: usize,
    /// In characters, counted from 1.
    pub column: usize,
    /// What they are instead.
    pub message: String,
    /// How to convert them.
    pub hint: &'static str,
    /// As much as can be read of the text.
    shown: String,
    /// Where it is wrong in what is shown.
    span: Range<usize>,
}

impl Misencoded {
    /// It as a diagnostic in the text number `source`, which [`Self::source`] is.
    pub fn diagnostic(&self, source: usize) -> Diagnostic {
        Diagnostic::at(Place { source, span: self.span.clone() }, &self.message).hint(self.hint)
    }

    /// The text called `name`, as far as it can be read.
    pub fn source(&self, name: &str) -> Source {
        Source::new(name, &self.shown)
    }
}

/// `bytes` without the byte order mark of UTF-8.
pub fn without_mark(bytes: &[u8]) -> &[u8] {
    bytes.strip_prefix(MARK).unwrap_or(bytes)
}

/// The text that `bytes` are, without a byte order mark.
///
/// # Errors
/// If they are UTF-16, or not UTF-8 all through.
pub fn decode(bytes: Vec<u8>) -> Result<String, Box<Misencoded>> {
    if let Some(other) = utf16(&bytes) {
        return Err(other);
    }
    let bytes = if bytes.starts_with(MARK) { bytes[MARK.len()..].to_vec() } else { bytes };
    String::from_utf8(bytes).map_err(|error| foreign(error.as_bytes(), error.utf8_error().valid_up_to()))
}

/// That `bytes` are UTF-16, as some programs on Windows write text.
pub fn utf16(bytes: &[u8]) -> Option<Box<Misencoded>> {
    let start = &bytes[..bytes.len().min(LOOKED_AT)];
    let zeros = |odd: usize| start.iter().skip(odd).step_by(2).filter(|&&byte| byte == 0).count();
    let mostly = |zeros: usize| start.len() >= 8 && 4 * zeros > start.len();
    let little = match start {
        [0xff, 0xfe, ..] => true,
        [0xfe, 0xff, ..] => false,
        _ if mostly(zeros(1)) && zeros(0) == 0 => true,
        _ if mostly(zeros(0)) && zeros(1) == 0 => false,
        _ => return None,
    };
    let unit = |pair: &[u8]| match *pair {
        [first, second] if little => u16::from_le_bytes([first, second]),
        [first, second] => u16::from_be_bytes([first, second]),
        _ => 0xfffd,
    };
    let units: Vec<u16> = bytes.chunks(2).map(unit).collect();
    let text = String::from_utf16_lossy(&units);
    let shown = text.strip_prefix('\u{feff}').unwrap_or(&text).to_owned();
    let span = 0..shown.lines().next().map_or(0, str::len);
    let message = "this is UTF-16 text, but UTF-8 is needed".to_owned();
    let hint = "save it as UTF-8, or convert it: iconv -f UTF-16 -t UTF-8 OLD > NEW";
    Some(Box::new(Misencoded { line: 1, column: 1, message, hint, shown, span }))
}

/// That the byte at `at` is the first that is not UTF-8; what is before it is.
fn foreign(bytes: &[u8], at: usize) -> Box<Misencoded> {
    let shown = String::from_utf8_lossy(bytes).into_owned();
    let before = &shown[..at];
    let line = 1 + before.matches('\n').count();
    let column = 1 + before.chars().rev().take_while(|&c| c != '\n').count();
    let byte = bytes[at];
    let meant = if byte >= 0xa0 { format!("; in Latin-1 it is `{}`", char::from(byte)) } else { String::new() };
    let (message, hint) = if bytes.starts_with(ZIP) {
        let message = "this is a ZIP archive, such as a spreadsheet (.xlsx, .ods), but text is needed".to_owned();
        (message, "save it as \"CSV (comma delimited)\"")
    } else {
        let message = format!("the byte 0x{byte:02x} is not UTF-8 text{meant}");
        (message, "save it as UTF-8, or convert it: iconv -f WINDOWS-1252 -t UTF-8 OLD > NEW")
    };
    Box::new(Misencoded { line, column, message, hint, shown, span: at..at + '\u{fffd}'.len_utf8() })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn wrong(bytes: &[u8]) -> String {
        decode(bytes.to_vec()).map_or_else(|wrong| wrong.to_string(), |text| format!("text: {text}"))
    }

    #[test]
    fn utf8_is_text_and_its_mark_does_not_count() {
        assert_eq!(wrong(b"0,1\n"), "text: 0,1\n");
        assert_eq!(wrong(b"\xef\xbb\xbf0,1\n"), "text: 0,1\n");
        assert_eq!(wrong("é\n".as_bytes()), "text: é\n");
        assert_eq!(wrong(b""), "text: ");
    }

    #[test]
    fn other_encodings_are_named_with_their_place() {
        let latin = "line 2, column 3: the byte 0xe9 is not UTF-8 text; in Latin-1 it is `é`";
        assert_eq!(wrong(b"0,1\n1,\xe9\n"), latin);
        let zip = "this is a ZIP archive, such as a spreadsheet (.xlsx, .ods), but text is needed";
        assert!(wrong(b"PK\x03\x04\x14\xff\xfe").ends_with(zip));
        let utf16 = "line 1, column 1: this is UTF-16 text, but UTF-8 is needed";
        for bytes in [&b"\xff\xfe0\0,\x001\0"[..], b"\xfe\xff\x000\0,\x001", b"0\0,\x001\0\n\0", b"\x000\0,\x001\0\n"] {
            assert_eq!(wrong(bytes), utf16, "{bytes:?}");
        }
    }
}
