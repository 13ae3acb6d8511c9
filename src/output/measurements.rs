//! Measurements that cannot be used, shown where it stands in their files.

use super::fit::TooLong;
use crate::config::{Diagnostic, Place, Source, utf16};
use crate::fit::{self, FitError, FitPlace, Format, Measurements};
use crate::forecast::SampleError;
use crate::scenario::Rejected;
use std::io;
use std::ops::RangeInclusive;

/// The measurements in `bytes` of the file `name`, of messages of so many bytes; of a `format` that is recognised where it is
/// not given.
///
/// # Errors
/// What is wrong with them, and where.
pub fn read_measurements(
    name: &str,
    bytes: &[u8],
    format: Option<Format>,
    sizes: &RangeInclusive<u64>,
) -> Result<Measurements, Rejected> {
    if let Some(other) = utf16(bytes) {
        return Err(Rejected::new(vec![other.diagnostic(0)], vec![other.source(name)]));
    }
    let text = String::from_utf8_lossy(bytes); // logs are in any encoding, numbers are not
    Ok(fit::read(name, &text, format, sizes)?)
}

impl From<FitError> for Rejected {
    fn from(error: FitError) -> Self {
        let FitError { place, problem, accepted, hint } = error;
        let wrong = match &place {
            Some(FitPlace { text, .. }) => Diagnostic::at(whole(text), problem),
            None => Diagnostic::unplaced(problem),
        };
        let source = place.map(|FitPlace { file, line, text }| Source::excerpt(file, text, line));
        let wrong = wrong.note(format!("accepted: {accepted}")).hint(hint);
        Self::new(vec![wrong], source.into_iter().collect())
    }
}

impl From<TooLong> for Rejected {
    fn from(error: TooLong) -> Self {
        let TooLong { key, time, tick, most } = error;
        let wrong = Diagnostic::unplaced(format!("`{key}` is {time}, too many ticks of {tick}"));
        let wrong = wrong.note(format!("accepted: at most {most} ticks"));
        Self::new(vec![wrong.hint("use a longer tick, such as --tick 1us")], Vec::new())
    }
}

/// What is wrong with the series called `name`.
///
/// # Errors
/// The error of reading it, if that is what is wrong.
pub fn rejected_series(name: &str, error: SampleError) -> io::Result<Rejected> {
    match error {
        SampleError::Io(error) => Err(error),
        SampleError::Line { line, text, what, accepted } => {
            let wrong = Diagnostic::at(whole(&text), what).note(format!("accepted: {accepted}"));
            let line = usize::try_from(line).unwrap_or(usize::MAX);
            Ok(Rejected::new(vec![wrong], vec![Source::excerpt(name, text, line)]))
        }
        error => {
            let said = format!("{name}: {error}");
            let (message, accepted) = said.split_once("; ").unwrap_or((&said, "accepted: values"));
            Ok(Rejected::new(vec![Diagnostic::unplaced(message).note(accepted)], Vec::new()))
        }
    }
}

/// The whole of a line.
fn whole(line: &str) -> Place {
    Place { source: 0, span: 0..line.len() }
}
