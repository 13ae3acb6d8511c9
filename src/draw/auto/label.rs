//! What axes are called: the last part of a swept key, or a column of a table, each with its unit.

use super::axes::{Axes, Setting};
use crate::kind::stored;
use crate::scenario::key_named;
use crate::workload::KINDS;

/// What is along the x axis.
pub(super) fn across(axes: &Axes) -> String {
    let unit = key_named(&axes.x).map_or("", |key| key.unit);
    with_unit(words(last_part(&axes.x)), unit, axes.tick.as_deref())
}

/// What is up the y axis: `measured, ticks`, or `latency (p95), ticks of 10ns`.
pub(super) fn up(axes: &Axes) -> String {
    let split = axes.y.rsplit_once('_');
    let columns = || KINDS.iter().flat_map(|kind| stored(kind.columns));
    let known = split.and_then(|(name, statistic)| Some((columns().find(|column| column.name == name)?, statistic)));
    match known {
        Some((column, "mean")) => with_unit(words(column.name), column.unit_name, axes.tick.as_deref()),
        Some((column, statistic)) => {
            with_unit(format!("{} ({statistic})", words(column.name)), column.unit_name, axes.tick.as_deref())
        }
        None => words(&axes.y),
    }
}

/// What is above a panel: `flits = 64`.
pub(super) fn setting(setting: &Setting) -> String {
    format!("{} = {}", words(last_part(&setting.key)), setting.value)
}

fn last_part(key: &str) -> &str {
    key.rsplit('.').next().unwrap_or(key)
}

fn words(name: &str) -> String {
    name.replace('_', " ")
}

fn with_unit(what: String, unit: &str, tick: Option<&str>) -> String {
    match (unit, tick) {
        ("", _) => what,
        (unit, _) if unit == what => what,
        ("ticks", Some(tick)) => format!("{what}, ticks of {tick}"),
        (unit, _) => format!("{what}, {unit}"),
    }
}
