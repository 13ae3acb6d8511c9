//! What is wrong with a trace, by event and field, and where that stands in its text.
//!
//! Reading only counts events. When something is wrong, the text is read again for the places of those few values.

use crate::config::{Diagnostic, Place};
use serde::de::{DeserializeSeed, Deserializer, SeqAccess, Visitor};
use serde_json::value::RawValue;
use std::collections::BTreeMap;
use std::fmt;
use std::ops::Range;

/// So many different faults are shown.
const SHOWN: usize = 20;

/// Something wrong with an event.
pub(super) struct Fault {
    /// The event's number, from 1.
    event: usize,
    /// The field, where the fault is in one.
    field: Option<&'static str>,
    /// What is wrong, without the event and the place, but with what is accepted and what may have been meant.
    wrong: Diagnostic,
    /// Another event that has to do with it, and what it has to do with it.
    other: Option<(usize, &'static str)>,
    /// In how many more events the same is wrong.
    more: usize,
}

impl Fault {
    /// Event number `event` as a whole is wrong.
    pub(super) fn of_event(event: usize, what: impl Into<String>) -> Self {
        Self { event, field: None, wrong: Diagnostic::unplaced(what), other: None, more: 0 }
    }

    /// What stands in `field` of event number `event` is wrong.
    pub(super) fn of_field(event: usize, field: &'static str, what: impl fmt::Display) -> Self {
        Self { field: Some(field), ..Self::of_event(event, format!("`{field}` {what}")) }
    }

    /// With what is accepted.
    pub(super) fn note(self, note: impl Into<String>) -> Self {
        Self { wrong: self.wrong.note(note), ..self }
    }

    /// With what the user may have meant.
    pub(super) fn hint(self, hint: impl Into<String>) -> Self {
        Self { wrong: self.wrong.hint(hint), ..self }
    }

    /// With the name among `names` that is spelt like `written`, if there is one.
    pub(super) fn did_you_mean<'n>(self, written: &str, names: impl IntoIterator<Item = &'n str>) -> Self {
        Self { wrong: self.wrong.did_you_mean(written, names), ..self }
    }

    /// With an event that has to do with it.
    pub(super) fn other(self, event: usize, label: &'static str) -> Self {
        Self { other: Some((event, label)), ..self }
    }

    /// It at its place in `text`, where its events stand as `events` says.
    fn placed(self, text: &str, events: &BTreeMap<usize, Range<usize>>) -> Diagnostic {
        let Self { event, field, mut wrong, other, more } = self;
        let more = match more {
            0 => String::new(),
            1 => " and 1 other event".to_owned(),
            _ => format!(" and {more} other events"),
        };
        wrong.message = format!("event {event}{more}: {}", wrong.message);
        let Some(span) = events.get(&event) else { return wrong };
        let place = |span| Place { source: 0, span };
        let value = field.and_then(|field| value_of(text, span, field));
        wrong.place = Some(place(value.unwrap_or_else(|| first_line(text, span))));
        match other.and_then(|(other, label)| Some((events.get(&other)?, label))) {
            Some((other, label)) => wrong.related(place(first_line(text, other)), label),
            None => wrong,
        }
    }
}

/// What has been found to be wrong. What is wrong in the same way in many events is one fault.
#[derive(Default)]
pub(super) struct Faults {
    shown: Vec<Fault>,
    /// How many there are, with those that are the same, and those that are not shown.
    count: usize,
    /// How many are not shown.
    hidden: usize,
}

impl Faults {
    pub(super) fn add(&mut self, fault: Fault) {
        self.add_with(fault, |fault| fault);
    }

    /// Adds a fault, and if it is shown what `explain` makes of it.
    pub(super) fn add_with(&mut self, fault: Fault, explain: impl FnOnce(Fault) -> Fault) {
        self.count += 1;
        let is_same = |known: &Fault| known.field == fault.field && known.wrong.message == fault.wrong.message;
        match self.shown.iter().position(is_same) {
            Some(known) => self.shown[known].more += 1,
            None if self.shown.len() < SHOWN => self.shown.push(explain(fault)),
            None => self.hidden += 1,
        }
    }

    pub(super) fn count(&self) -> usize {
        self.count
    }

    /// Each at its place in `text`, and how many more there are.
    pub(super) fn diagnostics(self, text: &str) -> Vec<Diagnostic> {
        if self.count == 0 {
            return Vec::new();
        }
        let wanted = self.shown.iter().flat_map(|fault| [Some(fault.event), fault.other.map(|(event, _)| event)]);
        let events = events(text, wanted.flatten());
        let mut found: Vec<Diagnostic> = self.shown.into_iter().map(|fault| fault.placed(text, &events)).collect();
        if let Some(first) = found.first_mut() {
            let counted = "events are counted from 1";
            first.note = Some(first.note.take().map_or(counted.to_owned(), |note| format!("{note}; {counted}")));
        }
        if self.hidden > 0 {
            let s = if self.hidden == 1 { "" } else { "s" };
            let place = found.last().and_then(|last| last.place.clone());
            let message = format!("{} more error{s} in the events after this one", self.hidden);
            found.push(Diagnostic { place, ..Diagnostic::unplaced(message) });
        }
        found
    }
}

/// Where the events with these numbers stand in `text`, as far as it is JSON.
fn events(text: &str, numbers: impl Iterator<Item = usize>) -> BTreeMap<usize, Range<usize>> {
    let mut events: BTreeMap<usize, Range<usize>> = numbers.map(|number| (number, 0..0)).collect();
    let json = &mut serde_json::Deserializer::from_str(text);
    // that the text ends in the middle has been told
    let _ = Elements { text, events: &mut events }.deserialize(json);
    events.retain(|_, span| span.start < span.end);
    events
}

/// Where the value of `field` stands, of an event that stands at `event`.
fn value_of(text: &str, event: &Range<usize>, field: &str) -> Option<Range<usize>> {
    let fields: BTreeMap<String, &RawValue> = serde_json::from_str(text.get(event.clone())?).ok()?;
    fields.get(field).map(|value| span(text, value))
}

/// The event's text up to the end of the first line.
fn first_line(text: &str, event: &Range<usize>) -> Range<usize> {
    let line = text[event.clone()].lines().next().unwrap_or_default();
    event.start..event.start + line.len()
}

/// Where `value`, a part of `text`, stands in it.
fn span(text: &str, value: &RawValue) -> Range<usize> {
    let start = value.get().as_ptr().addr() - text.as_ptr().addr();
    start..start + value.get().len()
}

/// Notes where the elements of an array stand that have the numbers of `events`.
struct Elements<'a> {
    text: &'a str,
    events: &'a mut BTreeMap<usize, Range<usize>>,
}

impl<'de> DeserializeSeed<'de> for Elements<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_seq(self)
    }
}

impl<'de> Visitor<'de> for Elements<'_> {
    type Value = ();

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("an array")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut elements: A) -> Result<(), A::Error> {
        let mut number = 0;
        while let Some(element) = elements.next_element::<&RawValue>()? {
            number += 1;
            if let Some(place) = self.events.get_mut(&number) {
                *place = span(self.text, element);
            }
        }
        Ok(())
    }
}
