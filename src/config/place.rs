//! Places in texts: what a diagnostic points at.

use std::ops::Range;

/// A text that diagnostics can point into: a file or a command-line argument.
#[derive(Clone, Debug)]
pub struct Source {
    /// The path as the user wrote it, or the name of the argument.
    pub name: String,
    /// The whole text.
    pub text: String,
}

/// A stretch of a source.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Place {
    /// Index into the document's sources.
    pub source: usize,
    /// Bytes of the source's text.
    pub span: Range<usize>,
}
