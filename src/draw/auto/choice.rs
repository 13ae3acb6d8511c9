//! The choice of axes, curves and panels from the columns of a table. Independent of places in pixels.

use super::MOST_PANELS;
use super::data::{Data, number};
use crate::draw::chart::{
    Bound, Chart, Curve, Fields, Panel, Point, Series, XAxis, are_powers_of_two, is_log_across, is_log_up,
};
use crate::kind::all_fault_columns;
use crate::scenario::{Label, dimensions, key_name, setting_name, title_of};
use crate::workload::KINDS;
use rustc_hash::{FxHashMap, FxHashSet};
use std::cmp::Reverse;

/// The largest number of curves that text keys make in a panel; beyond it, they make panels.
const MOST_CURVES: usize = 12;

/// The rows that are plotted, and the columns that options name.
pub(super) struct Choice<'a> {
    pub(super) data: &'a Data,
    /// Indices of rows, ascending.
    pub(super) rows: Vec<usize>,
    /// The column along the x axis, a key or a measure; `None` to choose a key.
    pub(super) x: Option<&'a str>,
    pub(super) y: &'a str,
    /// The keys that distinguish curves; empty to choose them.
    pub(super) curve_keys: Vec<&'a str>,
    /// The logarithmic axes; `None` to choose them.
    pub(super) log: Option<[bool; 2]>,
}

/// The role of each key.
struct Roles<'a> {
    /// The column along the x axis.
    x: &'a str,
    /// The key whose values follow each other along a curve: `x`, unless that is a measure.
    key: &'a str,
    /// The keys that distinguish curves.
    curves: Vec<&'a str>,
    /// The keys that distinguish panels, those with one value included.
    panels: Vec<&'a str>,
}

impl<'a> Choice<'a> {
    /// The chart, without a cut.
    pub(super) fn chart(&self) -> Chart {
        let roles = self.roles();
        let x_axis = self.x_axis(&roles);
        let labels = [self.label(roles.x), self.label(self.y)];
        let (series, panels) = self.curves(&roles, &x_axis);
        let mut chart = Chart {
            title: title_of(&labels),
            labels,
            columns: [roles.x, self.y].map(str::to_owned),
            joined: matches!(x_axis, XAxis::Numbers { .. }),
            x_axis,
            series,
            panels,
            ..Chart::default()
        };
        let panels = chart.panels.len();
        if panels > MOST_PANELS {
            let shown = format!("the first {MOST_PANELS} of {panels} plots; use --where to select others");
            chart.notes.push(shown);
            chart.panels.truncate(MOST_PANELS);
        }
        if self.log.is_none_or(|[_, up]| !up) && chart.joined {
            chart.cut_latency(self.zero_loads().into_iter());
        }
        let heights: Vec<f64> =
            chart.points().filter_map(|point| point.y.filter(|y| chart.view.contains(point.x, *y))).collect();
        chart.log_up = self.log.map_or_else(|| is_log_up(heights.into_iter()), |[_, up]| up);
        chart
    }

    fn roles(&self) -> Roles<'a> {
        let along = match self.x {
            Some(x) if self.data.is_key(x) => x,
            _ => self.chosen_x(),
        };
        let x = self.x.unwrap_or(along);
        let mut curves =
            if self.curve_keys.is_empty() { self.chosen_curve_keys(along) } else { self.curve_keys.clone() };
        if curves.is_empty() {
            let category = self.numbers(along).is_none();
            curves.push(if category && self.distinct("algorithm").len() > 1 { along } else { "algorithm" });
        }
        let mut known = vec![along];
        known.extend(&curves);
        let mut panels = Vec::new();
        for key in self.data.keys().filter(|key| !known.contains(key)).collect::<Vec<_>>() {
            let is_constant = self.distinct(key).len() < 2;
            // a key that follows from others, as one of keys that vary together does, would leave a point in each panel
            if (is_constant && key != "algorithm") || !(is_constant || self.follows(key, &known)) {
                panels.push(key);
            }
        }
        Roles { x, key: along, curves, panels }
    }

    /// The algorithm and the keys that are text and vary, as long as curves are few; without those that follow from others.
    fn chosen_curve_keys(&self, along: &str) -> Vec<&'a str> {
        let mut chosen: Vec<&str> = Vec::new();
        let texts = self.data.swept.iter().map(String::as_str).filter(|key| self.numbers(key).is_none());
        for key in std::iter::once("algorithm").chain(texts).filter(|key| *key != along) {
            let known: Vec<&str> = chosen.iter().copied().chain([along]).collect();
            if self.distinct(key).len() < 2 || self.follows(key, &known) {
                continue;
            }
            chosen.push(key);
            if chosen.len() > 1 && self.combinations(&chosen) > MOST_CURVES {
                chosen.pop();
            }
        }
        chosen
    }

    /// The numeric key with most distinct values, of equals the first; without any the key with most names; where nothing is
    /// swept, the algorithm.
    fn chosen_x(&self) -> &'a str {
        let keys = || self.data.swept.iter().map(String::as_str);
        let most = |keys: &mut dyn Iterator<Item = &'_ str>| {
            let counted = keys.enumerate().map(|(at, key)| (self.distinct(key).len(), Reverse(at)));
            counted.max().map(|(_, Reverse(at))| at)
        };
        let numeric: Vec<&str> = keys().filter(|key| self.numbers(key).is_some()).collect();
        match most(&mut numeric.iter().copied()) {
            Some(at) => numeric[at],
            None => most(&mut keys()).map_or("algorithm", |at| &self.data.swept[at]),
        }
    }

    /// The fields of the column called `name`, of all rows; empty if there is no such column.
    fn fields(&self, name: &str) -> &'a [String] {
        self.data.column(name).unwrap_or_default()
    }

    fn field(&self, name: &str, row: usize) -> &'a str {
        self.fields(name).get(row).map_or("", String::as_str)
    }

    /// The distinct fields of the rows in the column called `name`, in their order.
    fn distinct(&self, name: &str) -> Vec<String> {
        let mut seen = FxHashSet::default();
        let fields = self.rows.iter().map(|&row| self.field(name, row));
        fields.filter(|field| seen.insert(*field)).map(str::to_owned).collect()
    }

    /// The distinct numbers in the column called `name`, ascending; `None` unless every field is one.
    fn numbers(&self, name: &str) -> Option<Vec<f64>> {
        let fields = self.distinct(name);
        let given = fields.iter().filter(|field| !field.is_empty() || self.data.is_key(name));
        let mut numbers: Vec<f64> = given.map(|field| number(field)).collect::<Option<_>>()?;
        numbers.sort_by(f64::total_cmp);
        numbers.dedup();
        Some(numbers)
    }

    /// The values of `keys` in a row.
    fn values(&self, keys: &[&str], row: usize) -> Vec<&'a str> {
        keys.iter().map(|key| self.field(key, row)).collect()
    }

    /// Number of distinct combinations of the values of `keys`.
    fn combinations(&self, keys: &[&str]) -> usize {
        self.rows.iter().map(|&row| self.values(keys, row)).collect::<FxHashSet<_>>().len()
    }

    /// True if `key` has one value wherever `others` have the same values.
    fn follows(&self, key: &str, others: &[&str]) -> bool {
        let mut known = FxHashMap::default();
        let mut agrees = |&row: &usize| {
            *known.entry(self.values(others, row)).or_insert(self.field(key, row)) == self.field(key, row)
        };
        self.rows.iter().all(&mut agrees)
    }

    fn x_axis(&self, roles: &Roles<'_>) -> XAxis {
        match self.numbers(roles.x).filter(|_| roles.x != "algorithm") {
            Some(numbers) => {
                let is_log = match self.label(roles.x).is_in_bytes() {
                    true => is_log_across(&numbers) || are_powers_of_two(&numbers),
                    false => roles.x == roles.key && is_log_across(&numbers),
                };
                XAxis::Numbers { log: self.log.map_or(is_log, |[across, _]| across) }
            }
            None => XAxis::Names(self.distinct(roles.x).iter().map(|name| dimensions(name)).collect()),
        }
    }

    fn label(&self, column: &str) -> Label {
        let columns = KINDS.iter().flat_map(|kind| kind.all_columns()).chain(all_fault_columns());
        Label::of_column(column, columns).unwrap_or_else(|| Label::new(key_name(column), ""))
    }

    /// All series, and the panels with their curves.
    fn curves(&self, roles: &Roles<'_>, x_axis: &XAxis) -> (Vec<Series>, Vec<Panel>) {
        let mut series = Combinations::default();
        let mut known = Combinations::default();
        let mut panels: Vec<Panel> = Vec::new();
        for &row in &self.rows {
            let at = known.index(self.values(&roles.panels, row));
            if at == panels.len() {
                panels.push(self.panel(&roles.panels, row));
            }
            let curve = series.index(self.values(&roles.curves, row));
            if let Some(point) = self.point(roles.x, x_axis, row) {
                panels[at].insert(curve, point);
            }
        }
        // a measure may fall while the key rises: points are joined in the order of the key
        if roles.x == roles.key {
            let curves = panels.iter_mut().flat_map(|panel| &mut panel.curves);
            curves.for_each(|curve| curve.points.sort_by(|a, b| a.x.total_cmp(&b.x)));
        }
        let name = |values: &Vec<&str>| {
            let parts = roles.curves.iter().zip(values);
            parts.map(|(key, value)| setting_name(key, value)).collect::<Vec<_>>().join(", ")
        };
        (series.all.iter().map(|values| Series::measured(name(values))).collect(), panels)
    }

    /// The panel of a row, without curves.
    fn panel(&self, keys: &[&str], row: usize) -> Panel {
        let settings = keys.iter().map(|key| (*key, self.field(key, row)));
        let words = settings.clone().map(|(key, value)| {
            let label = Label::of_key(key);
            format!("{} = {}", label.name, label.value_text(value))
        });
        let whole = settings.map(|(key, value)| format!("{key}={value}"));
        Panel { settings: words.collect(), name: whole.collect::<Vec<_>>().join(", "), curves: Vec::new() }
    }

    /// The point of `row`, unless it has no place.
    fn point(&self, x: &str, x_axis: &XAxis, row: usize) -> Option<Point> {
        let name = self.y.strip_suffix("_mean");
        let spread = name.map_or("", |name| self.field(&format!("{name}_ci95"), row));
        let [x, y] = [x, self.y].map(|column| self.field(column, row));
        #[expect(clippy::cast_precision_loss, reason = "categories are few")]
        let place = match x_axis {
            XAxis::Numbers { .. } => number(x)?,
            XAxis::Names(names) => names.iter().position(|name| *name == dimensions(x))? as f64,
        };
        let fields = Fields { x: x.to_owned(), y: y.to_owned(), spread: spread.to_owned() };
        Some(Point { x: place, y: number(y), spread: number(spread), bound: self.bound(row), fields })
    }

    /// True if the value of a row is a lower bound: the column that makes it one has a number above zero.
    fn bound(&self, row: usize) -> Bound {
        let [name, _] = self.split_y();
        let column = KINDS.iter().flat_map(|kind| kind.all_columns()).find(|column| column.name == name);
        let other = column.map(|column| column.least_while).filter(|other| !other.is_empty());
        let above = other.and_then(|other| number(self.field(&format!("{other}_mean"), row)));
        if above.is_some_and(|above| above > 0.0) { Bound::Lower } else { Bound::Exact }
    }

    /// The y column: a name and its statistic.
    fn split_y(&self) -> [&str; 2] {
        self.y.rsplit_once('_').map_or([self.y, ""], |(name, statistic)| [name, statistic])
    }

    /// The zero-load latencies of the rows, if the y axis is a latency that diverges at saturation.
    fn zero_loads(&self) -> Vec<f64> {
        let [name, statistic] = self.split_y();
        if !["latency", "network_latency"].contains(&name) || statistic != "mean" {
            return Vec::new();
        }
        self.rows.iter().filter_map(|&row| number(self.field("unloaded_mean", row))).collect()
    }
}

/// Distinct combinations of values, in the order in which they come.
#[derive(Default)]
struct Combinations<'a> {
    all: Vec<Vec<&'a str>>,
    known: FxHashMap<Vec<&'a str>, usize>,
}

impl<'a> Combinations<'a> {
    /// The index of `values` among all.
    fn index(&mut self, values: Vec<&'a str>) -> usize {
        let next = self.all.len();
        let at = *self.known.entry(values.clone()).or_insert(next);
        if at == next {
            self.all.push(values);
        }
        at
    }
}

impl Panel {
    fn insert(&mut self, series: usize, point: Point) {
        match self.curves.iter_mut().find(|curve| curve.series == series) {
            Some(curve) => curve.points.push(point),
            None => self.curves.push(Curve { series, points: vec![point] }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chart(csv: &str, x: Option<&str>) -> Option<Chart> {
        let data = Data::from_csv(csv.as_bytes()).ok()?;
        let rows = (0..data.rows()).collect();
        Some(Choice { rows, data: &data, x, y: "measured_mean", curve_keys: Vec::new(), log: None }.chart())
    }

    /// The x column, the names of panels, and those of series.
    fn shown(csv: &str, x: Option<&str>) -> Option<(String, Vec<String>, Vec<String>)> {
        let chart = chart(csv, x)?;
        let panels = chart.panels.iter().map(|panel| panel.name.clone()).collect();
        let series = chart.series.iter().map(|series| series.name.clone()).collect();
        Some((chart.columns[0].clone(), panels, series))
    }

    fn owned(names: &[&str]) -> Vec<String> {
        names.iter().map(|&name| name.to_owned()).collect()
    }

    #[test]
    fn the_key_with_most_numbers_is_along_x_and_text_makes_curves() {
        let csv = "scenario,a.shape,a.b,a.c,algorithm,repetitions,measured_mean\n\
                   s,\"[2, 2]\",1,5,x,1,3\ns,\"[2, 3]\",1,6,x,1,3\ns,\"[2, 4]\",1,6,x,1,3\n";
        let shapes = owned(&["shape 2×2", "shape 2×3", "shape 2×4"]);
        assert_eq!(shown(csv, None), Some(("a.c".to_owned(), owned(&["a.b=1"]), shapes)));
        // a.c follows from the shape: panels of it would have a point each
        let names = owned(&["x"]);
        assert_eq!(shown(csv, Some("a.shape")), Some(("a.shape".to_owned(), owned(&["a.b=1"]), names)));
        let nothing_swept = "scenario,algorithm,repetitions,measured_mean\ns,x,1,3\ns,y,1,4\n";
        let names = owned(&["x", "y"]);
        assert_eq!(shown(nothing_swept, None), Some(("algorithm".to_owned(), owned(&[""]), names)));
    }

    /// The routing of traffic is its algorithm, too: curves are named once.
    #[test]
    fn keys_that_follow_from_the_algorithm_are_left_out() {
        let csv = "scenario,router.routing,a.pattern,a.rate,algorithm,repetitions,measured_mean\n\
                   s,xy,u,1,xy,1,3\ns,yx,u,1,yx,1,3\ns,xy,t,2,xy,1,3\ns,yx,t,2,yx,1,3\ns,xy,t,1,xy,1,3\n";
        let names = owned(&["xy, u", "yx, u", "xy, t", "yx, t"]);
        assert_eq!(shown(csv, None), Some(("a.rate".to_owned(), owned(&[""]), names)));
    }

    #[test]
    fn points_go_from_left_to_right_and_empty_fields_stay() {
        let csv =
            "scenario,k,algorithm,repetitions,measured_mean,measured_ci95\ns,9,x,1,3,\ns,1,x,1,,\ns,2,x,1,4,0.5\n";
        let points = chart(csv, None).map(|chart| chart.panels[0].curves[0].points.clone()).unwrap_or_default();
        let values: Vec<_> = points.iter().map(|point| (point.x, point.y, point.spread)).collect();
        assert_eq!(values, [(1.0, None, None), (2.0, Some(4.0), Some(0.5)), (9.0, Some(3.0), None)]);
    }
}
