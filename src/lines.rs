//! Lines of texts.

use std::ops::Range;

/// The bytes of a line of `text`, counted from 0.
pub(crate) fn line_span(text: &str, line: usize) -> Range<usize> {
    let start: usize = text.split_inclusive('\n').take(line).map(str::len).sum();
    start..start + text[start..].lines().next().map_or(0, str::len)
}
