//! Traces as `npe` has them, the tools of Tenstorrent that estimate the time of transfers: a JSON array of events.
//!
//! Fields and types of events follow `tt_npe/doc/noc_trace_format.md` and `npeWorkloadIngest.cpp` of
//! `github.com/tenstorrent/tt-npe`, and what `tt_metal/tools/profiler/event_metadata.hpp` of
//! `github.com/tenstorrent/tt-metal` lets a chip record. By the latter a size is recorded in units of 32 bytes, rounded
//! up, and what is longer than 8,160 bytes as 8,160.
//!
//! A trace is read in one pass. Where values stand is only looked for if something is wrong, in a second one. Knows how
//! many columns and rows there are; refuses to know what stands there, and what time anything takes.

mod assembly;
mod fault;
mod fields;
mod form;
mod record;
#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test that cannot go on fails")]
mod tests;
mod track;

use crate::config::{Diagnostic, Files, Place, Reader, decode};
use crate::workload::noc_trace::event::Trace;
use assembly::Assembly;
use record::Element;
use serde::de::{DeserializeSeed, SeqAccess, Visitor};
use serde_json::Deserializer;
use serde_json::error::Category;
use std::fmt;
use std::ops::Range;
use std::sync::Arc;

/// The trace in the file that the scenario names, which may be a gzip file, once for all points that name it; what is
/// wrong is reported. `shape` is the number of columns and of rows of the chip.
pub(crate) fn read(
    table: &Reader<'_>,
    (name, place): (&str, &Place),
    shape: [u16; 2],
    files: &mut Files<'_>,
) -> Option<Arc<Trace>> {
    files.shared(&format!("{name} {shape:?}"), |files| {
        let text = match decode(files.bytes(table, name, place)?) {
            Ok(text) => text,
            Err(wrong) => {
                files.refuse_encoding(table, name, &wrong);
                return None;
            }
        };
        let mut found = Vec::new();
        let trace = parse(&text, shape, &mut |wrong| found.push(wrong));
        if !found.is_empty() {
            // a text is only kept to show what is wrong in it
            let source = files.add_source(name, text);
            found.into_iter().for_each(|wrong| table.error(in_source(wrong, source)));
        }
        trace.map(Arc::new)
    })
}

/// What is wrong in the text number 0, as something wrong in the text number `source`.
fn in_source(mut wrong: Diagnostic, source: usize) -> Diagnostic {
    let related = wrong.related.iter_mut().map(|related| &mut related.place);
    wrong.place.iter_mut().chain(related).for_each(|place| place.source = source);
    wrong
}

/// The trace that `text` spells, of a chip of `shape[0]` columns and `shape[1]` rows. What is wrong is reported, in
/// places of the source number 0; there is a trace if nothing is.
pub(crate) fn parse(text: &str, shape: [u16; 2], report: &mut dyn FnMut(Diagnostic)) -> Option<Trace> {
    if let Some(wrong) = no_array(text) {
        report(wrong);
        return None;
    }
    let mut assembly = Assembly::new(shape);
    let mut json = Deserializer::from_str(text);
    let read = Events(&mut assembly).deserialize(&mut json).and_then(|()| json.end());
    let elements = assembly.elements();
    let broken = read.err().map(|error| no_json(text, &error, elements));
    let (trace, faults) = assembly.finish(broken.is_none());
    let mut wrong = faults.diagnostics(text);
    wrong.extend(broken);
    if trace.is_none() && wrong.is_empty() {
        wrong.push(no_events(text, elements));
    }
    let trace = trace.filter(|_| wrong.is_empty());
    wrong.into_iter().for_each(report);
    trace
}

/// That `text` is not an array, by what it begins with.
fn no_array(text: &str) -> Option<Diagnostic> {
    let start = text.len() - text.trim_start().len();
    let message = match text[start..].chars().next() {
        Some('[') => return None,
        Some('{') => "this is a JSON object, but a trace is an array of events",
        Some(_) => "this is not a JSON array of events",
        None => "the file is empty",
    };
    let end = start + text[start..].chars().next().map_or(0, char::len_utf8);
    let wrong = Diagnostic::at(Place { source: 0, span: start..end }, message);
    Some(wrong.note("needed: `[{\"proc\": .., \"sx\": .., \"sy\": .., \"timestamp\": .., \"type\": ..}, ..]`"))
}

/// That none of so many elements of the array in `text` is an event that is read.
fn no_events(text: &str, elements: usize) -> Diagnostic {
    let start = text.len() - text.trim_start().len();
    let message = match elements {
        0 => "the trace has no events",
        _ => "the trace has no events: no element is an action of a `proc`",
    };
    Diagnostic::at(Place { source: 0, span: start..start + 1 }, message)
}

/// That `text` is no JSON, or is cut off, behind so many events.
fn no_json(text: &str, error: &serde_json::Error, events: usize) -> Diagnostic {
    let behind = match events {
        0 => "before the end of the first event".to_owned(),
        _ => format!("after event {events}"),
    };
    if error.classify() == Category::Eof {
        let end = last_character(text.trim_end());
        let message = format!("the array of events is not closed: the file ends {behind}");
        return Diagnostic::at(Place { source: 0, span: end }, message).hint("the file may be truncated");
    }
    let at = position(text, error.line(), error.column());
    let told = error.to_string();
    let what = told.split(" at line ").next().unwrap_or_default();
    Diagnostic::at(Place { source: 0, span: at }, format!("invalid JSON {behind}: {what}"))
}

fn last_character(text: &str) -> Range<usize> {
    text.len() - text.chars().next_back().map_or(0, char::len_utf8)..text.len()
}

/// The character in this line and at this byte of it, both counted from 1.
fn position(text: &str, line: usize, column: usize) -> Range<usize> {
    let before: usize = text.split_inclusive('\n').take(line.saturating_sub(1)).map(str::len).sum();
    let mut start = (before + column.saturating_sub(1)).min(text.len());
    while !text.is_char_boundary(start) {
        start -= 1;
    }
    start..start + text[start..].chars().next().map_or(0, char::len_utf8)
}

/// Hands the elements of an array to an assembly, one after the other.
struct Events<'a>(&'a mut Assembly);

impl<'de> DeserializeSeed<'de> for Events<'_> {
    type Value = ();

    fn deserialize<D: serde::Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_seq(self)
    }
}

impl<'de> Visitor<'de> for Events<'_> {
    type Value = ();

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("an array of events")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut elements: A) -> Result<(), A::Error> {
        while let Some(Element(element)) = elements.next_element()? {
            self.0.add(element.as_ref());
        }
        Ok(())
    }
}
