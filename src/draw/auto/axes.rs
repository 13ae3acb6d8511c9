//! Which column is along which axis, which rows make which panel and curve, and how axes are scaled; refuses to know pixels.

use super::data::{Data, number};
use super::{MOST_PANELS, label};
use crate::draw::chart::{Across, Axes, Fields, Panel, Point};
use rustc_hash::{FxHashMap, FxHashSet};
use std::cmp::Reverse;

/// The rows that are plotted, and what was asked to be along the axes.
pub(super) struct Choice<'a> {
    pub(super) data: &'a Data,
    /// Indices of rows, ascending.
    pub(super) rows: Vec<usize>,
    /// What is along the x axis; none to choose it.
    pub(super) x: Option<&'a str>,
    pub(super) y: &'a str,
}

impl Choice<'_> {
    /// What is plotted.
    pub(super) fn axes(&self) -> Axes {
        let x = self.x.unwrap_or_else(|| self.chosen_x());
        let across = self.across(x);
        let algorithms = self.distinct("algorithm");
        let panels = self.panels(x, &across, &algorithms);
        let mut axes = Axes {
            x: x.to_owned(),
            y: self.y.to_owned(),
            labels: label::labels([x, self.y], self.data.tick.as_deref()),
            across,
            log_up: false,
            algorithms,
            left_out: panels.len().saturating_sub(MOST_PANELS),
            panels,
        };
        axes.panels.truncate(MOST_PANELS);
        axes.log_up = is_log_up(axes.points().filter_map(|point| point.y));
        axes
    }

    /// The numeric key with most different values, of equals the first; without any the key with most names; where nothing is
    /// swept, algorithms.
    fn chosen_x(&self) -> &str {
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

    /// The fields of the column called `name`, of all rows; none if there is no such column.
    fn fields(&self, name: &str) -> &[String] {
        self.data.column(name).unwrap_or_default()
    }

    /// The different fields of the rows in the column called `name`, in their order.
    fn distinct(&self, name: &str) -> Vec<String> {
        let all = self.fields(name);
        let mut seen = FxHashSet::default();
        let fields = self.rows.iter().map(|&row| &all[row]);
        fields.filter(|field| seen.insert(*field)).cloned().collect()
    }

    /// The different numbers in the column called `name`, ascending; none unless every field is one.
    fn numbers(&self, name: &str) -> Option<Vec<f64>> {
        let mut numbers: Vec<f64> = self.distinct(name).iter().map(|field| number(field)).collect::<Option<_>>()?;
        numbers.sort_by(f64::total_cmp);
        numbers.dedup();
        Some(numbers)
    }

    fn across(&self, x: &str) -> Across {
        let numbers = if x == "algorithm" { None } else { self.numbers(x) };
        match numbers {
            Some(numbers) => Across::Numbers { log: is_log_across(&numbers) },
            None => Across::Names(self.distinct(x)),
        }
    }

    /// The keys whose values tell panels apart. A key that follows from `x`, as one of keys that vary together does, would
    /// leave a point in each.
    fn panel_keys(&self, x: &str) -> Vec<&str> {
        let others = self.data.swept.iter().map(String::as_str).filter(|key| *key != x);
        others.filter(|key| self.distinct(key).len() < 2 || !self.follows(key, x)).collect()
    }

    /// Whether `key` has one value wherever `x` has one.
    fn follows(&self, key: &str, x: &str) -> bool {
        let values = self.fields(key);
        let places = self.fields(x);
        let mut known = FxHashMap::default();
        self.rows.iter().all(|&row| *known.entry(&places[row]).or_insert(&values[row]) == &values[row])
    }

    fn panels(&self, x: &str, across: &Across, algorithms: &[String]) -> Vec<Panel> {
        let keys = self.panel_keys(x);
        let columns: Vec<&[String]> = keys.iter().map(|key| self.fields(key)).collect();
        let fields = PointColumns::new(self, x);
        let mut panels: Vec<Panel> = Vec::new();
        let mut places = FxHashMap::default();
        for &row in &self.rows {
            let values: Vec<&str> = columns.iter().map(|column| column[row].as_str()).collect();
            let at = *places.entry(values).or_insert_with_key(|values| {
                panels.push(Panel::new(&keys, values));
                panels.len() - 1
            });
            let algorithm = algorithms.iter().position(|name| *name == fields.algorithm[row]);
            if let (Some(algorithm), Some(point)) = (algorithm, fields.point(across, row)) {
                panels[at].put(algorithm, point);
            }
        }
        for curve in panels.iter_mut().flat_map(|panel| &mut panel.curves) {
            curve.points.sort_by(|a, b| a.x.total_cmp(&b.x));
        }
        panels
    }
}

/// The columns that points are made from.
struct PointColumns<'a> {
    x: &'a [String],
    y: &'a [String],
    /// Empty where there are no error bars.
    spread: &'a [String],
    algorithm: &'a [String],
}

impl<'a> PointColumns<'a> {
    fn new(choice: &'a Choice<'_>, x: &str) -> Self {
        let spread = choice.y.strip_suffix("_mean").map(|name| format!("{name}_ci95"));
        Self {
            x: choice.fields(x),
            y: choice.fields(choice.y),
            spread: spread.map_or(&[], |name| choice.fields(&name)),
            algorithm: choice.fields("algorithm"),
        }
    }

    /// The point of `row`, unless it has no place.
    fn point(&self, across: &Across, row: usize) -> Option<Point> {
        let x = &self.x[row];
        let y = &self.y[row];
        let spread = self.spread.get(row).map_or("", String::as_str);
        #[expect(clippy::cast_precision_loss, reason = "names are few")]
        let place = match across {
            Across::Numbers { .. } => number(x)?,
            Across::Names(names) => names.iter().position(|name| name == x)? as f64,
        };
        let fields = Fields { x: x.clone(), y: y.clone(), spread: spread.to_owned() };
        Some(Point { x: place, y: number(y), spread: number(spread), fields })
    }
}

/// Whether an axis of `numbers`, ascending and different, is logarithmic: of three values or more, all positive, the largest
/// gap between neighbours is at least 8 times the smallest.
fn is_log_across(numbers: &[f64]) -> bool {
    let gaps = || numbers.windows(2).map(|pair| pair[1] - pair[0]);
    let least = gaps().fold(f64::INFINITY, f64::min);
    numbers.len() >= 3 && numbers[0] > 0.0 && gaps().fold(0.0, f64::max) >= 8.0 * least
}

/// Whether the axis of `values` is logarithmic: all are positive, and the largest is at least 100 times the smallest.
fn is_log_up(values: impl Iterator<Item = f64>) -> bool {
    let values: Vec<f64> = values.collect();
    let least = values.iter().copied().fold(f64::INFINITY, f64::min);
    least > 0.0 && values.iter().copied().fold(0.0, f64::max) >= 100.0 * least
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gaps_decide_about_logarithms_across() {
        let cases: [(&[f64], bool); 6] = [
            (&[1.0, 2.0, 10.0], true),
            (&[1.0, 2.0, 9.9], false),
            (&[0.0, 1.0, 10.0], false),
            (&[1.0, 1000.0], false),
            (&[-1.0, 1.0, 100.0], false),
            (&[16.0, 64.0, 256.0, 1024.0, 4096.0], true),
        ];
        for (numbers, expected) in cases {
            assert_eq!(is_log_across(numbers), expected, "{numbers:?}");
        }
    }

    #[test]
    fn a_ratio_of_a_hundred_decides_about_logarithms_up() {
        for (values, expected) in
            [([1.0, 100.0], true), ([1.0, 99.9], false), ([0.0, 100.0], false), ([-1.0, 500.0], false)]
        {
            assert_eq!(is_log_up(values.into_iter()), expected, "{values:?}");
        }
    }

    fn axes(csv: &str, x: Option<&str>) -> Option<Axes> {
        let data = Data::from_csv(csv.as_bytes()).ok()?;
        let choice = Choice { rows: (0..data.rows()).collect(), data: &data, x, y: "measured_mean" };
        Some(choice.axes())
    }

    fn shown(csv: &str, x: Option<&str>) -> Option<(String, Vec<String>)> {
        axes(csv, x).map(|axes| (axes.x.clone(), axes.panels.iter().map(Axes::name).collect()))
    }

    #[test]
    fn the_key_with_most_numbers_is_along_x() {
        let csv = "scenario,a.shape,a.b,a.c,algorithm,repetitions,measured_mean\n\
                   s,\"[2, 2]\",1,5,x,1,3\ns,\"[2, 3]\",1,6,x,1,3\ns,\"[2, 4]\",1,6,x,1,3\n";
        let panels = |names: &[&str]| names.iter().map(|&name| name.to_owned()).collect::<Vec<_>>();
        let by_shape = panels(&["a.shape=[2, 2], a.b=1", "a.shape=[2, 3], a.b=1", "a.shape=[2, 4], a.b=1"]);
        assert_eq!(shown(csv, None), Some(("a.c".to_owned(), by_shape)));
        // a.c follows from the shape: panels of it would have a point each
        assert_eq!(shown(csv, Some("a.shape")), Some(("a.shape".to_owned(), panels(&["a.b=1"]))));
        let nothing_swept = "scenario,algorithm,repetitions,measured_mean\ns,x,1,3\ns,y,1,4\n";
        assert_eq!(shown(nothing_swept, None), Some(("algorithm".to_owned(), panels(&[""]))));
    }

    #[test]
    fn points_go_from_left_to_right_and_empty_fields_stay() {
        let csv =
            "scenario,k,algorithm,repetitions,measured_mean,measured_ci95\ns,9,x,1,3,\ns,1,x,1,,\ns,2,x,1,4,0.5\n";
        let points = axes(csv, None).map(|axes| axes.panels[0].curves[0].points.clone()).unwrap_or_default();
        let told: Vec<_> = points.iter().map(|point| (point.x, point.y, point.spread)).collect();
        assert_eq!(told, [(1.0, None, None), (2.0, Some(4.0), Some(0.5)), (9.0, Some(3.0), None)]);
    }
}
