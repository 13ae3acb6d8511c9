//! Names of quantities with units, as axes, titles and legends show them.

use super::key_named;
use crate::kind::Column;
use crate::kind::words::size_text;
use std::fmt;

/// The unit of sizes.
const BYTES: &str = "bytes";
/// The unit of bandwidths.
const BANDWIDTH: &str = "GB/s";

/// The name of a quantity, and its unit.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Label {
    /// The name, such as `completion time`.
    pub name: String,
    /// The unit; empty for none.
    pub unit: String,
}

impl Label {
    /// The quantity `name` in `unit`.
    pub fn new(name: impl Into<String>, unit: impl Into<String>) -> Self {
        Self { name: name.into(), unit: unit.into() }
    }

    /// The label that `text` of a scenario spells: `completion time, ticks` is in ticks, other units stay in the name.
    pub(super) fn written(text: &str) -> Self {
        match text.strip_suffix("ticks").map(str::trim_end) {
            Some("") => Self::new("time", "ticks"),
            Some(name) if name.ends_with(',') => Self::new(name.trim_end_matches(','), "ticks"),
            _ => Self::new(text, ""),
        }
    }

    /// The label of a column of `summary.csv`: a swept key, or a statistic of one of `columns`.
    pub(crate) fn of_column(name: &str, columns: impl Iterator<Item = &'static Column>) -> Option<Self> {
        if let Some(key) = key_named(name) {
            return Some(Self::new(key.shown_name(), short(key.unit)));
        }
        let Summarised { algorithm: of, column, statistic } = Summarised::of_column(name, columns)?;
        let of = if of.is_empty() { String::new() } else { format!("{} ", of.replace('_', "-")) };
        let statistic = if statistic == "mean" { String::new() } else { format!(", {statistic}") };
        Some(Self::new(format!("{of}{}{statistic}", column.shown_name()), short(column.unit_name)))
    }

    /// The label of the key called `key`.
    pub fn of_key(key: &str) -> Self {
        Self::new(key_name(key), key_named(key).map_or("", |key| short(key.unit)))
    }

    /// The text of a value of this quantity, which tables have as `value`: sizes as `64 KiB`, bandwidths as `25 GB/s`, arrays as
    /// `16×4`, others as they are.
    pub fn value_text(&self, value: &str) -> String {
        match value.parse() {
            Ok(bytes) if self.is_in_bytes() => size_text(bytes),
            _ if self.unit == BANDWIDTH && value.parse::<f64>().is_ok() => format!("{value} {BANDWIDTH}"),
            _ => dimensions(value),
        }
    }

    /// The text along an axis: without the unit of sizes, which the ticks have.
    pub fn axis_title(&self) -> String {
        if self.is_in_bytes() { self.name.clone() } else { self.to_string() }
    }

    /// True if its numbers are ticks.
    pub fn is_in_ticks(&self) -> bool {
        self.unit == "ticks"
    }

    /// True if its numbers are sizes in bytes, which are shown with units of their own, such as `64 KiB`.
    pub fn is_in_bytes(&self) -> bool {
        self.unit == BYTES
    }
}

impl fmt::Display for Label {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { name, unit } = self;
        match unit.as_str() {
            "" => formatter.write_str(name),
            unit if unit == name => formatter.write_str(name),
            unit => write!(formatter, "{name} ({unit})"),
        }
    }
}

/// The unit as axes write it.
fn short(unit: &str) -> &str {
    match unit {
        "flits per node and flit time" => "flits/node/cycle",
        "flits per cycle" => "flits/cycle",
        other => other,
    }
}

/// The title of a plot of `y` against `x`.
pub fn title_of([x, y]: &[Label; 2]) -> String {
    let without_unit = |label: &Label| label.name.split([',', ':']).next().unwrap_or_default().to_owned();
    let mut title = format!("{} against {}", without_unit(y), without_unit(x));
    if let Some(first) = title.get_mut(..1) {
        first.make_ascii_uppercase();
    }
    title
}

/// The name of a key as axes and legends show it: `virtual channels`.
pub fn key_name(key: &str) -> String {
    match key_named(key) {
        Some(key) => key.shown_name(),
        None => key.rsplit('.').next().unwrap_or(key).replace('_', " "),
    }
}

/// A value of the key called `key`, as a legend shows it: `buffer size 4`, or the value alone if it is text.
pub fn setting_name(key: &str, value: &str) -> String {
    let words = key_name(key);
    match value {
        "" => format!("no {words}"),
        "true" => words,
        "false" => format!("not {words}"),
        value if value.parse::<f64>().is_ok() => format!("{words} {}", Label::of_key(key).value_text(value)),
        value if value.starts_with('[') => format!("{words} {}", dimensions(value)),
        value if value.starts_with('{') => table_name(value),
        value => value.to_owned(),
    }
}

/// A table of a key as a legend shows it: `torus shape 4×4` for `{ torus = { shape = [4, 4] } }`.
fn table_name(table: &str) -> String {
    let text = table.replace(['{', '}', '=', '"'], " ");
    let mut name = String::new();
    for (index, part) in text.split(['[', ']']).enumerate() {
        // every second part is in brackets
        name += &if index % 2 == 1 { dimensions(&format!("[{part}]")) } else { part.to_owned() };
    }
    name.split_whitespace().collect::<Vec<_>>().join(" ").replace(" ,", ",")
}

/// An array of a key as people write it: `16×4`, without its brackets.
pub fn dimensions(array: &str) -> String {
    let inner = array.trim_start_matches('[').trim_end_matches(']');
    let is_number = |part: &str| part.trim().parse::<u64>().is_ok();
    if array.starts_with('[') && inner.split(',').all(is_number) {
        inner.split(',').map(str::trim).collect::<Vec<_>>().join("×")
    } else {
        array.to_owned()
    }
}

/// A statistic of a column, such as `opt_mesh.measured_mean`.
pub(super) struct Summarised<'a> {
    /// The algorithm; empty for that of the row.
    pub(super) algorithm: &'a str,
    pub(super) column: &'static Column,
    pub(super) statistic: &'a str,
}

impl<'a> Summarised<'a> {
    /// The statistic that the column `name` of `summary.csv` has of one of `columns`.
    pub(super) fn of_column(name: &'a str, mut columns: impl Iterator<Item = &'static Column>) -> Option<Self> {
        let (algorithm, column) = name.split_once('.').unwrap_or(("", name));
        let (column, statistic) = column.rsplit_once('_')?;
        let column = columns.find(|known| known.name == column)?;
        Some(Self { algorithm, column, statistic })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kind::MEASURED;

    #[test]
    fn columns_have_readable_names() {
        let label = |name: &str| Label::of_column(name, std::iter::once(&MEASURED)).map(|label| label.to_string());
        assert_eq!(label("measured_mean").as_deref(), Some("completion time (ticks)"));
        assert_eq!(label("opt_mesh.measured_p95").as_deref(), Some("opt-mesh completion time, p95 (ticks)"));
        assert_eq!(label("workload.traffic.rate").as_deref(), Some("injection rate (flits/node/cycle)"));
        assert_eq!(label("nothing_mean"), None);
    }

    #[test]
    fn written_labels_may_end_with_ticks() {
        let shown = |text: &str| Label::written(text).to_string();
        assert_eq!(
            [shown("time, ticks"), shown("ticks"), shown("load, %")],
            ["time (ticks)", "time (ticks)", "load, %"]
        );
    }

    #[test]
    fn a_legend_shows_text_without_its_key() {
        let shown = |value| setting_name("channel.virtual_channels", value);
        assert_eq!(
            [shown("2"), shown("adaptive"), shown("[16, 4]")],
            ["virtual channels 2", "adaptive", "virtual channels 16×4"]
        );
        assert_eq!(setting_name("router.atomic", "false"), "not atomic");
        assert_eq!(setting_name("model.loggops.S", "65536"), "S 64 KiB");
        assert_eq!(setting_name("network", "{ torus = { shape = [4, 4] } }"), "torus shape 4×4");
    }
}
