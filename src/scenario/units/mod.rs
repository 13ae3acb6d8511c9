//! Values with units of a scenario: which it has, how long its ticks and flits are, and its points in ticks, flits and bytes.
//!
//! Everything behind this module counts in integers of ticks, flits and bytes. A point whose values have units is rewritten
//! before it is read: each value as the integer that its key counts, and next to keys in another unit, such as `bytes`, the key
//! that they stand for, such as `flits`. A scenario without units is left as it is, and costs nothing.
//!
//! It depends on `tick`, on `[channel]` and on declarations of keys. It is independent of networks.

mod convert;
mod diagnostics;
mod point;
mod visit;

use super::{Tick, keys};
use crate::config::{Diagnostic, Errors, Key, Node, Place, Prefixes, Quantity, Scale, Table, Unreadable, Value};
use crate::units::key::{Measure, Takes};
use crate::workload::KINDS;
use rust_decimal::Decimal;
use rust_decimal::prelude::FromPrimitive;
use std::cell::RefCell;
use visit::{Declared, each_value, elements, texts};

/// The length of a tick that a scenario with times in other units has where it does not say so.
const ASSUMED: &str = "1ps";

/// The units of a scenario.
#[derive(Debug, Default)]
pub(super) struct Units {
    /// Picoseconds of a tick, if it has a length that can be read.
    tick: Option<Decimal>,
    /// True if the scenario does not state the length of a tick.
    is_assumed: bool,
    /// True if a value has a unit, so that times and sizes are shown with units.
    pub(super) are_shown: bool,
    /// Warnings about times that are rounded, each once.
    warnings: RefCell<Vec<String>>,
}

impl Units {
    /// Returns the units of the scenario in `root`, or `None` if it has no value with a unit and no key for one. A scenario with a
    /// time or a bandwidth and without `tick` gets `tick = "1ps"`.
    pub(super) fn find(root: &mut Table, errors: &Errors) -> Option<Self> {
        let mut found = Found::default();
        each_value(root, &mut |declared, nodes| found.look_at(declared, nodes));
        if !found.any {
            return None;
        }
        let is_assumed = found.timed && root.get("tick").is_none();
        if is_assumed {
            each_value(root, &mut |declared, nodes| refuse_bare_times(declared, nodes, errors));
            let start = Place { source: 0, span: 0..0 };
            let key = Key { name: "tick".to_owned(), place: start.clone() };
            let tick = cycle(root).unwrap_or_else(|| ASSUMED.to_owned());
            root.entries.push((key, Node { value: Value::String(tick), place: start }));
        }
        let tick = root.text(&["tick"]).and_then(|text| match Quantity::parse(text) {
            Ok(Quantity::Time(picoseconds)) if !picoseconds.is_zero() => Some(picoseconds),
            // with an exponent
            _ => Tick::parse(text).and_then(|tick| Decimal::from_f64(tick.nanoseconds * 1000.0)),
        });
        Some(Self { tick, is_assumed, are_shown: found.with_unit, warnings: RefCell::default() })
    }

    /// The warnings of all points that have been lowered.
    pub(super) fn into_warnings(self) -> Vec<String> {
        self.warnings.into_inner()
    }

    fn warn(&self, warning: String) {
        let mut warnings = self.warnings.borrow_mut();
        if !warnings.contains(&warning) {
            warnings.push(warning);
        }
    }
}

/// The values with units that a scenario has.
#[derive(Default)]
struct Found {
    /// True if there is one, or a key in another unit, or the size of a flit, or a file that may have units.
    any: bool,
    /// True if a value has a unit.
    with_unit: bool,
    /// True if a time or a bandwidth has one.
    timed: bool,
}

impl Found {
    fn look_at(&mut self, declared: &Declared<'_>, nodes: &[Node]) {
        let key = declared.key;
        if !key.fills.is_empty() || ["channel.flit_bytes", "network.graph.file"].contains(&declared.path) {
            self.any = true;
        }
        if key.measure().is_none() {
            return;
        }
        for text in nodes.iter().flat_map(texts) {
            match Quantity::parse(text) {
                Ok(quantity) => {
                    self.any = true;
                    self.with_unit = true;
                    self.timed |= matches!(quantity, Quantity::Time(_) | Quantity::Bandwidth(_));
                }
                Err(Unreadable::NoNumber | Unreadable::NoUnit) if !matches!(key.takes, Takes::Quantity) => {}
                Err(_) => {
                    self.any = true;
                    self.timed |= matches!(key.measure(), Some(Measure::Ticks | Measure::TicksPerByte));
                }
            }
        }
    }
}

/// The time for a flit to cross a channel of virtual-channel routers of traffic, which count in cycles, if it is a whole number
/// of picoseconds.
fn cycle(root: &Table) -> Option<String> {
    root.get("router")?;
    KINDS.iter().find(|kind| kind.open_loop && root.node(&["workload", kind.name]).is_some())?;
    let flit_bytes = Scale::bytes_of(root.node(&["channel", "flit_bytes"])?)?;
    let Ok(Quantity::Bandwidth(bandwidth)) = Quantity::parse(root.text(&["channel", "bandwidth"])?) else {
        return None;
    };
    let scale = Scale { tick: Some(Decimal::ONE), flit_bytes: Some(flit_bytes), flit_time: 1 };
    let picoseconds = scale.flit_ticks(bandwidth).filter(|time| time.is_integer() && !time.is_zero())?;
    Some(Quantity::Time(picoseconds).text(Prefixes::Decimal))
}

/// Reports a time in ticks in a scenario that leaves the length of a tick to its units.
fn refuse_bare_times(declared: &Declared<'_>, nodes: &[Node], errors: &Errors) {
    if !matches!(declared.key.measure(), Some(Measure::Ticks | Measure::TicksPerByte)) {
        return;
    }
    for node in nodes.iter().flat_map(elements) {
        let Value::Integer(Some(ticks @ 1..)) = node.value else { continue };
        let message =
            format!("`{}` = {ticks} has no unit, and the scenario does not set the length of a tick", declared.path);
        let diagnostic = Diagnostic::at(node.place.clone(), message);
        let diagnostic = diagnostic.note("other times of this scenario have units, so a tick of 1ps would be assumed");
        let hint = format!(
            "write a unit, such as \"{ticks}ns\", or set the length of a tick at the top, such as tick = \"1ns\""
        );
        errors.borrow_mut().push(diagnostic.hint(hint));
    }
}

/// The declaration of the key at the dotted `path`.
fn declaration(path: &str) -> Option<&'static crate::units::Key> {
    let mut keys = keys::root();
    let mut found = None;
    for name in path.split('.') {
        let key = crate::units::Key::find(keys, name)?;
        keys = key.inner();
        found = Some(key);
    }
    found
}
