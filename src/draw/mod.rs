//! Pictures: diagrams of small plans (trees, timing, paths over the network, tables of blocks, cuts), and [`plot`]s of
//! curves.
//!
//! What a row plans comes as data ([`crate::kind::diagram`]), is laid out on sheets, a file for each sort of picture,
//! and is painted as SVG. Lines are told apart by dashes and fillings, not by colour alone, and the same plan gives the
//! same bytes. This floor refuses to know how anything is planned or run.

mod blocks;
mod canvas;
mod cuts;
mod ink;
mod paint;
mod paths;
pub mod plot;
mod sheet;
mod text;
mod timing;
mod tree;

use crate::kind::{Diagram, DiagramError, Picture, RowError, RowId};
use crate::scenario::Scenario;
use canvas::Caption;
use sheet::{LARGE, Sheet};
use text::Side;
use thiserror::Error;

/// Pixels of a drawing, unless a single diagram is wider.
const WIDTH: i32 = 1100;

/// A drawing, and what it does not show.
#[derive(Debug)]
pub struct Drawing {
    /// The picture.
    pub svg: String,
    /// Diagrams that were not asked for by name and are too large, a sentence for each.
    pub left_out: Vec<String>,
}

/// Why there is no drawing.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum DrawError {
    /// A row cannot be planned.
    #[error(transparent)]
    Row(#[from] Box<RowError>),
    /// There is nothing to draw.
    #[error("{workload} has no {}; it has {}", .diagram.map_or("diagram", Diagram::name), has(.drawn))]
    None {
        /// The workload.
        workload: &'static str,
        /// What was asked for; none if nothing was.
        diagram: Option<Diagram>,
        /// What there is instead.
        drawn: Vec<Diagram>,
    },
    /// It could not be read.
    #[error(transparent)]
    Diagram(DiagramError),
}

fn has(drawn: &[Diagram]) -> String {
    let names: Vec<&str> = drawn.iter().map(|diagram| diagram.name()).collect();
    if names.is_empty() { "none".to_owned() } else { names.join(", ") }
}

/// Draws the rows `ids` of `scenario` from left to right, then below each other: the diagrams `wanted`, or all there
/// are that can be read.
///
/// # Errors
/// If a row cannot be planned, has no such diagram, or is too large for one that is wanted, or for all.
///
/// # Panics
/// If there is no such row.
pub fn draw(scenario: &Scenario, ids: &[RowId], wanted: &[Diagram]) -> Result<Drawing, DrawError> {
    let mut pages: Vec<Page> = Vec::new();
    let mut left_out = Vec::new();
    let mut first = None;
    for &id in ids {
        let title = title(scenario, id);
        let mut panels = Vec::new();
        for laid_out in panels_of_row(scenario, id, wanted)? {
            match laid_out {
                Ok(sheets) => panels.push(Sheet::beside(sheets, WIDTH)),
                Err(error) if wanted.is_empty() => {
                    left_out.push(format!("{title}: {error}"));
                    first.get_or_insert(error);
                }
                Err(error) => return Err(DrawError::Diagram(error)),
            }
        }
        if !panels.is_empty() {
            pages.push(Page { point: id.point, sheet: page(&title, panels), title });
        }
    }
    match first {
        Some(error) if pages.is_empty() => return Err(DrawError::Diagram(error)),
        _ => {}
    }
    let caption = caption(scenario, &pages);
    Ok(Drawing { svg: paint::paint(arranged(pages), &caption), left_out })
}

struct Page {
    point: usize,
    title: String,
    sheet: Sheet,
}

/// All pages on one sheet; those of a point stay beside each other where they fit, for they are compared.
fn arranged(pages: Vec<Page>) -> Sheet {
    let mut points: Vec<Vec<Sheet>> = Vec::new();
    let mut last = None;
    for page in pages {
        match points.last_mut() {
            Some(sheets) if last == Some(page.point) => sheets.push(page.sheet),
            _ => points.push(vec![page.sheet]),
        }
        last = Some(page.point);
    }
    Sheet::beside(points.into_iter().map(|sheets| Sheet::beside(sheets, WIDTH)).collect(), WIDTH)
}

fn caption(scenario: &Scenario, pages: &[Page]) -> Caption {
    let title = scenario.figure.as_ref().map_or(&scenario.name, |figure| &figure.source);
    let titles: Vec<&str> = pages.iter().map(|page| page.title.as_str()).collect();
    Caption { title: title.clone(), description: format!("Diagrams of {}.", titles.join("; ")) }
}

/// The diagrams of a row, each laid out, or the reason why it is not.
type Panels = Vec<Result<Vec<Sheet>, DiagramError>>;

/// The diagrams `wanted` of the row `id`, or all there are.
fn panels_of_row(scenario: &Scenario, id: RowId, wanted: &[Diagram]) -> Result<Panels, DrawError> {
    let experiment = &scenario.points[id.point].experiment;
    let workload = experiment.workload.kind().in_words;
    let drawn = experiment.workload.diagrams(&experiment.machine);
    let absent = wanted.iter().find(|diagram| !drawn.contains(diagram)).copied();
    if drawn.is_empty() || absent.is_some() {
        let diagram = absent.filter(|_| !drawn.is_empty());
        return Err(DrawError::None { workload, diagram, drawn });
    }
    let planned = experiment.plan(id)?;
    let chosen = drawn.iter().copied().filter(|one| wanted.is_empty() || wanted.contains(one));
    let mut panels = Vec::new();
    for diagram in chosen {
        panels.push(match planned.diagram(diagram) {
            Err(DiagramError::Row(cause)) => return Err(experiment.failed(id, cause).into()),
            pictures => pictures.map(|pictures| pictures.into_iter().flat_map(lay_out).collect()),
        });
    }
    Ok(panels)
}

fn lay_out(picture: Picture) -> Vec<Sheet> {
    match picture {
        Picture::Tree { title, sends } => vec![tree::sheet(&title, &sends)],
        Picture::Timing(timing) => timing::sheets(&timing),
        Picture::Paths { title, lattice, routes, members } => vec![paths::sheet(&title, &lattice, &routes, &members)],
        Picture::Blocks { holdings, names } => blocks::sheets(&holdings, &names),
        Picture::Cuts(placed) => cuts::sheets(&placed),
    }
}

fn page(title: &str, panels: Vec<Sheet>) -> Sheet {
    let mut page = Sheet::default();
    page.text((0, LARGE / 2), Side::Left, LARGE, title);
    page.put((0, LARGE + 18), Sheet::beside(panels, WIDTH));
    page
}

/// The algorithm, and which of several points and repetitions.
fn title(scenario: &Scenario, id: RowId) -> String {
    let point = &scenario.points[id.point];
    let mut title = point.experiment.workload.variant(id.algorithm).to_owned();
    for (axis, value) in scenario.axes.iter().zip(point.settings.iter()) {
        let key = axis.key.rsplit('.').next().unwrap_or(&axis.key);
        title += &format!(", {key} {value}");
    }
    if point.experiment.repetitions > 1 {
        title += &format!(", repetition {}", id.repetition);
    }
    title
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]
mod tests {
    use super::sheet::Shape;
    use super::*;
    use crate::run::Rows;
    use crate::scenario::Options;
    use std::path::Path;

    /// The pages of every row of a scenario.
    fn pages(text: &str) -> Vec<Sheet> {
        let scenario = Scenario::parse("s.toml", text, Path::new(""), &Options::default()).unwrap();
        let rows = Rows::new(&scenario);
        let panels = |index| panels_of_row(&scenario, rows.get(index), &[]).unwrap();
        let drawn = |index| panels(index).into_iter().filter_map(Result::ok).map(|sheets| Sheet::beside(sheets, WIDTH));
        (0..rows.count()).map(|index| page("title", drawn(index).collect())).collect()
    }

    fn bounds(sheet: &Sheet) -> Vec<(String, (sheet::At, sheet::At))> {
        let text = |shape: &Shape| match shape {
            Shape::Text { text, .. } => Some((text.clone(), shape.bounds())),
            _ => None,
        };
        sheet.shapes.iter().filter_map(text).collect()
    }

    /// What is compared stays together: the pages of a point are in one row of the sheet.
    #[test]
    fn pages_of_a_point_are_beside_each_other() {
        let page = |point: usize| {
            let mut sheet = Sheet::default();
            sheet.block((0, 0), (300, 40), canvas::Surface::bordered(ink::Rgb::WHITE));
            Page { point, title: String::new(), sheet }
        };
        let whole = arranged([0, 0, 1, 1, 2].map(page).into());
        let corners: Vec<sheet::At> = whole.shapes.iter().map(|shape| shape.bounds().0).collect();
        // three would fit in a row
        assert_eq!(corners, [(0, 0), (329, 0), (0, 69), (329, 69), (658, 69)]);
    }

    const MULTICASTS: &str =
        "algorithms = [\"sequential\", \"binomial\", \"chain\", \"opt-tree\", \"bisection\"]\nflits = 9\n";

    /// No two texts overlap, and nothing is cut off: on multicasts with and without networks, exchanges, broadcasts and
    /// mappings of all sizes that are drawn.
    #[test]
    fn everything_can_be_read() {
        let mut cases = vec![
            format!(
                "[network.mesh]\nshape = [16, 16]\n[node]\nsend_setup = 900\nports = 4\n[workload.multicast]\n{MULTICASTS}group = 64\n"
            ),
            format!("[network.hypercube]\ndimension = 4\n[workload.multicast]\n{MULTICASTS}group = 16\n"),
            format!(
                "[network.torus]\nshape = [9]\n[workload.multicast]\n{MULTICASTS}group = 6\nt_hold = 3\nt_end = 99999999\n"
            ),
            format!("[workload.multicast]\n{MULTICASTS}group = 128\n[model.logp]\nL = 6\no = 2\ng = 4\n"),
            "[network.grid]\nnodes = 12\nbytes = 100000\nlatency = [1, 90]\nbandwidth = [1, 9]\n[workload.broadcast]\n\
             algorithms = [\"ecef\", \"ttcc\"]\ntrees = 3\n"
                .to_owned(),
        ];
        for (shape, algorithms) in [
            ("6", "\"double-hop\", \"naive\""),
            ("7", "\"modified-double-hop\""),
            ("5, 5", "\"split-and-merge\", \"bruck\""),
            ("4, 4", "\"suh-shin\", \"pairwise\""),
            ("8, 8", "\"suh-shin\""),
            ("3, 4, 2", "\"direct\""),
        ] {
            cases.push(format!("[network.torus]\nshape = [{shape}]\n[channel]\nbuffer = 2\n[workload.exchange]\nalgorithms = [{algorithms}]\n"));
        }
        for (dimension, density) in [(3, 0.5), (4, 0.3), (6, 0.05), (6, 0.5)] {
            cases.push(format!(
                "[network.hypercube]\ndimension = {dimension}\n[workload.mapping]\nalgorithms = [\"random\", \"mrb\"]\n\
                 generator = \"gnp\"\ndensity = {density}\nweights = 1000\n"
            ));
        }
        for case in cases {
            for sheet in pages(&format!("name = \"s\"\n{case}")) {
                let texts = bounds(&sheet);
                assert!(texts.len() > 3, "an empty drawing: {case}");
                for (at, (text, (from, to))) in texts.iter().enumerate() {
                    assert!(
                        from.0 >= 0 && from.1 >= 0 && to.0 < sheet.size.0 && to.1 < sheet.size.1,
                        "{text} is cut off: {case}"
                    );
                    for (other, (start, end)) in &texts[at + 1..] {
                        let apart = to.0 < start.0 || end.0 < from.0 || to.1 < start.1 || end.1 < from.1;
                        assert!(apart, "{text} at {from:?} and {other} at {start:?} overlap: {case}");
                    }
                }
            }
        }
    }
}
