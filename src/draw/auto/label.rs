//! What axes are called: the last part of a swept key, or a column of a table, each with its unit.

use crate::kind::stored;
use crate::scenario::key_named;
use crate::workload::KINDS;

/// What is along the axes of these columns.
pub(super) fn labels([x, y]: [&str; 2], tick: Option<&str>) -> [String; 2] {
    [across(x, tick), up(y, tick)]
}

/// What is along the x axis.
fn across(x: &str, tick: Option<&str>) -> String {
    let unit = key_named(x).map_or("", |key| key.unit);
    with_unit(words(last_part(x)), unit, tick)
}

/// What is up the y axis: `measured, ticks`, or `latency (p95), ticks of 10ns`.
fn up(y: &str, tick: Option<&str>) -> String {
    let split = y.rsplit_once('_');
    let columns = || KINDS.iter().flat_map(|kind| stored(kind.columns));
    let known = split.and_then(|(name, statistic)| Some((columns().find(|column| column.name == name)?, statistic)));
    match known {
        Some((column, "mean")) => with_unit(words(column.name), column.unit_name, tick),
        Some((column, statistic)) => {
            with_unit(format!("{} ({statistic})", words(column.name)), column.unit_name, tick)
        }
        None => words(y),
    }
}

fn with_unit(what: String, unit: &str, tick: Option<&str>) -> String {
    match (unit, tick) {
        ("", _) => what,
        (unit, _) if unit == what => what,
        ("ticks", Some(tick)) => format!("{what}, ticks of {tick}"),
        (unit, _) => format!("{what}, {unit}"),
    }
}

fn last_part(key: &str) -> &str {
    key.rsplit('.').next().unwrap_or(key)
}

fn words(name: &str) -> String {
    name.replace('_', " ")
}
