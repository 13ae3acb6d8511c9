//! The picture of the scenario's own `[figure]`.

use crate::figures::{decision_map, diagrams, plot};
use crate::output::{Labels, Summary, SummaryCsv};
use crate::scenario::Scenario;

/// Bytes of the largest picture that a page carries.
const LARGEST: usize = 1 << 20;

/// A picture of a page.
pub(super) struct FigurePicture {
    /// SVG.
    pub(super) svg: String,
    /// True if it shows results, so that automatic plots are not needed.
    pub(super) shows_results: bool,
}

impl FigurePicture {
    /// Returns the picture of the `[figure]` of `scenario`, or `None` if the scenario has no figure, the figure cannot be drawn
    /// from `summaries`, or the picture is too large for a page.
    pub(super) fn new(scenario: &Scenario, summaries: &[Summary]) -> Option<Self> {
        let figure = scenario.figure.as_ref().filter(|figure| figure.is_drawn())?;
        let axes: Vec<&str> = scenario.axes.iter().map(|axis| axis.column.as_str()).collect();
        let summary = || String::from_utf8(SummaryCsv::write(&Labels::new(scenario), summaries, Vec::new()).ok()?).ok();
        let svg = if let Some(drawn) = &figure.plot {
            plot(drawn, figure, &summary()?, &axes).ok()
        } else if let Some(map) = &figure.map {
            decision_map(map, figure, &summary()?, &axes).ok().map(|picture| picture.svg)
        } else {
            diagrams(scenario).ok().flatten()
        };
        let svg = svg.filter(|svg| svg.len() <= LARGEST)?;
        Some(Self { svg, shows_results: figure.diagrams.is_empty() })
    }
}
