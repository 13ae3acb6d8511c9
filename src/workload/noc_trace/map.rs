//! Where what stands on a chip is put instead: a CSV file with the columns x,y,to_x,to_y.
//!
//! Knows how many columns and rows of routers there are; refuses to know what stands there.

use super::event::Tile;
use super::prepare::Map;
use crate::config::{Diagnostic, Files, Place, Reader, other_delimiter};
use crate::units::saturated;
use std::ops::Range;

const COLUMNS: [&str; 4] = ["x", "y", "to_x", "to_y"];

/// Where what is put, as the file says; what is wrong has been reported, and gives none.
pub(super) fn read(
    table: &Reader<'_>,
    (name, place): (&str, &Place),
    shape: [u16; 2],
    files: &mut Files<'_>,
) -> Option<Map> {
    let source = files.open(table, name, place)?;
    let before = table.error_count();
    let report = |span, message| table.error(Diagnostic::at(Place { source, span }, message));
    let map = parse(&files.source(source).text, shape, &report);
    map.filter(|_| table.error_count() == before)
}

type Report<'a> = dyn Fn(Range<usize>, String) + 'a;

/// What the lines of `text` say; errors with the bytes that they are about. None if it is no such table.
fn parse(text: &str, shape: [u16; 2], report: &Report<'_>) -> Option<Map> {
    let mut csv = csv::ReaderBuilder::new();
    let mut reader = csv.has_headers(false).flexible(true).trim(csv::Trim::All).from_reader(text.as_bytes());
    let mut lines = Lines { shape, report, map: Map::new(), taken: Map::new() };
    let mut is_first = true;
    for record in reader.records() {
        let record = record.map_err(|error| report(0..0, format!("not CSV: {error}"))).ok()?;
        let line = Line::at(text, record.position().map_or(0, |position| saturated(position.byte())));
        if !is_first {
            lines.add(&record, &line);
        } else if record.iter().ne(COLUMNS) {
            report(line.span(), header(line.text));
            return None;
        }
        is_first = false;
    }
    if is_first {
        report(0..0, header(""));
    }
    Some(lines.map)
}

/// That `line`, which is the first, is another one than is needed.
fn header(line: &str) -> String {
    let other = other_delimiter(line);
    let why = other.map_or_else(String::new, |other| format!("; here {other} stands where a comma separates"));
    format!("the first line must be `{}`{why}", COLUMNS.join(","))
}

/// What the lines so far say.
struct Lines<'a> {
    shape: [u16; 2],
    report: &'a Report<'a>,
    map: Map,
    /// What is put where.
    taken: Map,
}

impl Lines<'_> {
    fn add(&mut self, record: &csv::StringRecord, line: &Line<'_>) {
        let Some([from, to]) = self.places(record) else {
            let [width, height] = self.shape;
            let accepted = format!("x from 0 to {}, y from 0 to {}", width - 1, height - 1);
            return self.refuse(line, &format!("`{}` is no two places; accepted: {accepted}", line.text.trim()));
        };
        if self.map.insert(from, to).is_some() {
            self.refuse(line, &format!("({}, {}) is put to two places", from.x, from.y));
        }
        if let Some(other) = self.taken.insert(to, from) {
            self.refuse(line, &format!("({}, {}) is where ({}, {}) is put, too", to.x, to.y, other.x, other.y));
        }
    }

    fn refuse(&self, line: &Line<'_>, what: &str) {
        (self.report)(line.span(), format!("line {}: {what}", line.number()));
    }

    /// The two places that a line says, if both are on the chip.
    fn places(&self, record: &csv::StringRecord) -> Option<[Tile; 2]> {
        let numbers: Vec<u16> = record.iter().map(str::parse).collect::<Result<_, _>>().ok()?;
        let [x, y, to_x, to_y] = numbers[..] else { return None };
        let both = [Tile { x, y }, Tile { x: to_x, y: to_y }];
        let is_inside = |place: &Tile| place.x < self.shape[0] && place.y < self.shape[1];
        both.iter().all(is_inside).then_some(both)
    }
}

/// A line of the file.
struct Line<'a> {
    file: &'a str,
    /// Where it begins.
    start: usize,
    text: &'a str,
}

impl<'a> Line<'a> {
    /// The first line at or after byte `start` that is not blank: where the CSV reader found its record.
    fn at(file: &'a str, start: usize) -> Self {
        let blank = file[start..].len() - file[start..].trim_start_matches(['\n', '\r']).len();
        let start = start + blank;
        Self { file, start, text: file[start..].lines().next().unwrap_or_default() }
    }

    /// Its number, from 1.
    fn number(&self) -> usize {
        1 + self.file[..self.start].matches('\n').count()
    }

    fn span(&self) -> Range<usize> {
        self.start..self.start + self.text.len()
    }
}
