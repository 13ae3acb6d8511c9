//! Charts: curves between two axes, in one panel or several, as a tree of SVG elements.
//!
//! Colours are names of classes (`c0` to `c4`, `ink`, `muted`, `grid`, `axis`), which the picture or the page around it gives a
//! meaning. Independent of the source of the points.

pub(in crate::draw) mod axis;
mod curve;
mod document;
mod frame;
mod label;
mod look;
mod names;
mod words;

use crate::draw::markup::Element;
use frame::Frame;

/// Plots beside each other.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Plots {
    /// An `svg` for each, of one size; attributes and classes are those that the [module](self) names.
    pub panels: Vec<Element>,
    /// Pixels of each, from left to right.
    pub width: i32,
    /// Pixels of each, from top to bottom.
    pub height: i32,
    /// A sentence on panels that are not drawn, if there are any.
    pub left_out: Option<String>,
}

impl Plots {
    /// All of them under `title` as one SVG file, with colours for light and for dark surroundings.
    pub fn document(&self, title: &str) -> String {
        document::document(self, title).svg()
    }
}

/// What is plotted, before it has places.
#[derive(Clone, Debug, PartialEq)]
pub(in crate::draw) struct Axes {
    /// The columns along the axes.
    pub(in crate::draw) x: String,
    pub(in crate::draw) y: String,
    /// What is written along them, with units.
    pub(in crate::draw) labels: [String; 2],
    pub(in crate::draw) across: Across,
    /// Whether the y axis is logarithmic.
    pub(in crate::draw) log_up: bool,
    /// The algorithms, in the order of rows.
    pub(in crate::draw) algorithms: Vec<String>,
    pub(in crate::draw) panels: Vec<Panel>,
    /// How many panels are not drawn.
    pub(in crate::draw) left_out: usize,
}

/// What is along the x axis.
#[derive(Clone, Debug, PartialEq)]
pub(in crate::draw) enum Across {
    Numbers {
        log: bool,
    },
    /// Names, in the order of rows; x is the index of one.
    Names(Vec<String>),
}

/// A combination of the swept keys that are not along the x axis.
#[derive(Clone, Debug, PartialEq)]
pub(in crate::draw) struct Panel {
    /// These keys with their values.
    pub(in crate::draw) settings: Vec<Setting>,
    /// Those of the algorithms that have rows here.
    pub(in crate::draw) curves: Vec<Curve>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::draw) struct Setting {
    pub(in crate::draw) key: String,
    pub(in crate::draw) value: String,
}

#[derive(Clone, Debug, PartialEq)]
pub(in crate::draw) struct Curve {
    /// An index into the algorithms.
    pub(in crate::draw) algorithm: usize,
    /// From left to right.
    pub(in crate::draw) points: Vec<Point>,
}

#[derive(Clone, Debug, PartialEq)]
pub(in crate::draw) struct Point {
    pub(in crate::draw) x: f64,
    /// None where the field is empty, which leaves a gap.
    pub(in crate::draw) y: Option<f64>,
    /// Half the length of the error bar.
    pub(in crate::draw) spread: Option<f64>,
    pub(in crate::draw) fields: Fields,
}

/// What the CSV says of a point.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::draw) struct Fields {
    pub(in crate::draw) x: String,
    pub(in crate::draw) y: String,
    /// Empty where there is no error bar.
    pub(in crate::draw) spread: String,
}

impl Axes {
    /// The panels, drawn; `left_out` is the note on those that are not.
    pub(in crate::draw) fn plots(&self, left_out: Option<String>) -> Plots {
        let frame = Frame::new(self);
        let panels = self.panels.iter().map(|panel| frame.draw(panel)).collect();
        Plots { panels, width: frame.width(), height: frame.height(), left_out }
    }

    /// The points of all panels.
    pub(in crate::draw) fn points(&self) -> impl Iterator<Item = &Point> {
        self.panels.iter().flat_map(|panel| &panel.curves).flat_map(|curve| &curve.points)
    }

    /// Whether no point has a value.
    pub(in crate::draw) fn is_empty(&self) -> bool {
        self.points().all(|point| point.y.is_none())
    }

    /// The name of `panel`: `key=value, ..`.
    pub(in crate::draw) fn name(panel: &Panel) -> String {
        let settings = panel.settings.iter().map(|Setting { key, value }| format!("{key}={value}"));
        settings.collect::<Vec<_>>().join(", ")
    }
}

impl Panel {
    pub(in crate::draw) fn new(keys: &[&str], values: &[&str]) -> Self {
        let settings =
            keys.iter().zip(values).map(|(key, value)| Setting { key: (*key).to_owned(), value: (*value).to_owned() });
        Self { settings: settings.collect(), curves: Vec::new() }
    }

    pub(in crate::draw) fn put(&mut self, algorithm: usize, point: Point) {
        match self.curves.iter_mut().find(|curve| curve.algorithm == algorithm) {
            Some(curve) => curve.points.push(point),
            None => self.curves.push(Curve { algorithm, points: vec![point] }),
        }
    }
}
