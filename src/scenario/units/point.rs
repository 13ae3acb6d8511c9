//! A point whose values have units, rewritten in ticks, flits and bytes.

use super::convert::Converter;
use super::{ASSUMED, Units, keys};
use crate::config::joined;
use crate::config::{Errors, Measured, Node, Scale, Table, Value};
use crate::machine::device;
use crate::units::Key;

/// Tables from which no point is read. A sweep may be long.
const NOT_OF_POINTS: [&str; 3] = ["sweep", "figure", "claim"];

/// A point in ticks, flits and bytes.
pub(in super::super) struct Lowered<'a> {
    /// The values: those of a point without units, and next to them those that stand for them in other units.
    pub(in super::super) root: Table,
    /// The lengths of ticks and flits, and the values that had units.
    pub(in super::super) measured: Measured<'a>,
}

impl Units {
    /// Rewrites the point that `root` spells. Values that are wrong have been reported and are replaced, so that the reading
    /// continues.
    pub(in super::super) fn lower<'a>(&self, root: &'a Table, errors: &Errors) -> Lowered<'a> {
        self.warn_of_default(root);
        let entries = root.entries.iter().filter(|(key, _)| !NOT_OF_POINTS.contains(&key.name.as_str()));
        let mut lowered = Table { entries: entries.cloned().collect() };
        let mut converter = Converter::new(self, root, flit_bytes(root), errors);
        converter.rewrite(&mut lowered, keys::root(), "");
        let Converter { scale, measured: quantities, .. } = converter;
        Lowered { root: lowered, measured: Measured { scale, raw: root, quantities } }
    }

    /// Warns of channels that nothing gives a time: a tick of 1ps for each flit is hardly meant.
    fn warn_of_default(&self, root: &Table) {
        let is_given = |key: &str| root.node(&["channel", key]).is_some();
        let has_channels = root.get("network").is_some() && root.get("device").is_none();
        if self.is_assumed && has_channels && !is_given("flit_time") && !is_given("bandwidth") {
            self.warn(format!(
                "a flit crosses a channel in {ASSUMED}, the default of 1 tick: set `channel.bandwidth` or `channel.flit_time`"
            ));
        }
    }
}

impl Converter<'_> {
    /// Rewrites the values of `table`, and adds the keys that others fill.
    fn rewrite(&mut self, table: &mut Table, declared: &'static [Key], around: &str) {
        for (written, node) in &mut table.entries {
            let Some(key) = Key::find(declared, &written.name) else { continue };
            match &mut node.value {
                Value::Table(inner) => self.rewrite(inner, key.inner(), &joined(around, &written.name)),
                _ if key.measure().is_some() && key.fills.is_empty() => {
                    self.convert(key, &joined(around, &written.name), node);
                }
                _ => {}
            }
        }
        for key in declared.iter().filter(|key| !key.fills.is_empty()) {
            self.fill(table, declared, key, around);
        }
    }

    /// Gives the key that `key` fills its value, and `key` a number, if it is given.
    fn fill(&mut self, table: &mut Table, declared: &'static [Key], key: &'static Key, around: &str) {
        let Some(filled) = declared.iter().find(|other| other.name == key.fills) else { return };
        let Some(at) = table.entries.iter().position(|(written, _)| written.name == key.name) else { return };
        if let Some((other, _)) = table.get(filled.name) {
            self.refuse_both(&joined(around, key.name), &joined(around, filled.name), &table.entries[at].0, other);
            return;
        }
        let (written, node) = &table.entries[at];
        let values = self.filled(key, filled, &joined(around, key.name), node);
        let mut written = written.clone();
        filled.name.clone_into(&mut written.name);
        let filled = Node { value: values.filled, place: node.place.clone() };
        table.entries[at].1.value = values.value;
        table.entries.push((written, filled));
    }
}

/// The bytes of a flit that the scenario states, or the chip that it names.
fn flit_bytes(root: &Table) -> Option<u64> {
    match root.node(&["channel", "flit_bytes"]).or_else(|| root.node(&["device", "flit_bytes"])) {
        Some(stated) => Scale::bytes_of(stated),
        None => {
            root.get("device")?;
            device::flit_bytes(root.text(&["device", "preset"]))
        }
    }
}
