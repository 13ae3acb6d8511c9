//! Pictures: diagrams of small plans (trees, timing, paths over the network, tables of blocks, cuts), [charts](chart) of curves,
//! their axes chosen from a table ([`auto`]), and [decision maps](decision_map).
//!
//! What a row plans comes as data ([`crate::kind::diagram`]), is laid out on sheets, a file for each sort of picture,
//! and is painted as SVG. Lines are told apart by dashes and fillings, not by colour alone, and the same plan gives the
//! same bytes. This floor refuses to know how anything is planned or run.

pub mod auto;
mod blocks;
mod canvas;
pub mod chart;
pub(crate) mod clock;
mod cuts;
pub mod decision_map;
mod geometry;
mod ink;
mod map;
pub mod markup;
mod page;
mod paint;
mod paths;
mod ranks;
pub mod raster;
mod sheet;
pub(crate) mod text;
mod timing;
mod tree;
mod vectors;

use crate::kind::{Diagram, DiagramError, Picture, RowError, RowId};
use crate::scenario::{Figure, Scenario};
use canvas::Caption;
use clock::Clock;
use page::{Page, arranged};
pub use ranks::draw_timeline;
use sheet::{HUGE, LARGE, Sheet};
use text::Side;
use thiserror::Error;

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
    #[error("{workload} has no {}; accepted: {}", diagram_name(*.diagram), has(.drawn))]
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

/// The requested diagram, for a message.
fn diagram_name(diagram: Option<Diagram>) -> String {
    diagram.map_or("diagram".to_owned(), |diagram| format!("diagram `{}`", diagram.name()))
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
    let mut rows: Vec<Row> = Vec::new();
    let mut left_out = Vec::new();
    let mut first = None;
    for &id in ids {
        let title = title(scenario, id);
        let mut diagrams = Vec::new();
        for pictures in diagrams_of_row(scenario, id, wanted)? {
            match pictures {
                Ok(pictures) => diagrams.push(pictures),
                Err(error) if wanted.is_empty() => {
                    left_out.push(format!("{title}: {error}"));
                    first.get_or_insert(error);
                }
                Err(error) => return Err(DrawError::Diagram(error)),
            }
        }
        if !diagrams.is_empty() {
            rows.push(Row { point: id.point, title, diagrams });
        }
    }
    match first {
        Some(error) if rows.is_empty() => return Err(DrawError::Diagram(error)),
        _ => {}
    }
    let caption = caption(scenario, &rows);
    let frame = Frame::new(scenario, &rows);
    let mut pages: Vec<Page> = rows.into_iter().map(|row| frame.page(row)).collect();
    if wanted.is_empty() {
        left_out.extend(page::shorten(&mut pages));
    }
    Ok(Drawing { svg: paint::paint(headed(&caption, &frame.notes, arranged(pages)), &caption), left_out })
}

/// What is to be seen of a row.
struct Row {
    point: usize,
    title: String,
    /// The pictures of each diagram.
    diagrams: Vec<Vec<Picture>>,
}

/// What all diagrams of a drawing have in common.
struct Frame {
    clock: Clock,
    scale: timing::Scale,
    paths: paths::Size,
    cuts: cuts::Size,
    /// What diagrams of a sort mean.
    notes: Vec<String>,
}

impl Frame {
    /// Of all `rows` of `scenario`.
    fn new(scenario: &Scenario, rows: &[Row]) -> Self {
        let pictures = || rows.iter().flat_map(|row| row.diagrams.iter().flatten());
        #[expect(clippy::cast_precision_loss, reason = "a unit is chosen by the longest time")]
        let longest = pictures().map(latest).max().unwrap_or(0) as f64;
        let clock = Clock::new(scenario.tick.as_ref(), longest);
        let timings = pictures().filter_map(|picture| match picture {
            Picture::Timing(timing) => Some(timing),
            _ => None,
        });
        let paths = pictures().filter_map(|picture| match picture {
            Picture::Paths(paths) => Some(paths),
            _ => None,
        });
        let placed = pictures().filter_map(|picture| match picture {
            Picture::Cuts(placed) => Some(placed),
            _ => None,
        });
        let mut notes: Vec<String> = Vec::new();
        for note in pictures().flat_map(|picture| notes_on(picture, &clock)) {
            if !notes.contains(&note) {
                notes.push(note);
            }
        }
        let scale = timing::Scale::new(timings, clock);
        Self { clock, scale, paths: paths::Size::new(paths), cuts: cuts::Size::new(placed), notes }
    }

    fn page(&self, row: Row) -> Page {
        let panel = |pictures: Vec<Picture>| pictures.iter().flat_map(|picture| self.lay_out(picture)).collect();
        Page { point: row.point, title: row.title, panels: row.diagrams.into_iter().map(panel).collect() }
    }

    fn lay_out(&self, picture: &Picture) -> Vec<Sheet> {
        match picture {
            Picture::Tree(tree) => vec![tree::sheet(tree, &self.clock)],
            Picture::Timing(timing) => timing::sheets(timing, self.scale),
            Picture::Paths(paths) => vec![paths::sheet(paths, &self.clock, self.paths)],
            Picture::Blocks { holdings, names } => blocks::sheets(holdings, names),
            Picture::Vectors(vectors) => vectors::sheets(vectors),
            Picture::Cuts(placed) => cuts::sheets(placed, self.cuts),
        }
    }
}

/// What a picture means, where that is the same for all of its sort.
fn notes_on(picture: &Picture, clock: &Clock) -> Vec<String> {
    match picture {
        Picture::Tree(tree) => {
            std::iter::once(tree::legend(tree, clock)).chain(tree::legend_of_further(tree)).collect()
        }
        Picture::Paths(paths) => vec![map::legend(&paths.ground)],
        Picture::Cuts(_) => vec![cuts::LEGEND.to_owned()],
        Picture::Timing(_) | Picture::Blocks { .. } | Picture::Vectors(_) => Vec::new(),
    }
}

/// The last tick that a picture shows.
fn latest(picture: &Picture) -> u64 {
    match picture {
        Picture::Tree(tree) => tree.end.0,
        Picture::Timing(timing) => timing::latest(timing),
        Picture::Paths(paths) => {
            paths.routes.iter().filter_map(|route| route.during).map(|[_, to]| to.0).max().unwrap_or(0)
        }
        Picture::Blocks { .. } | Picture::Vectors(_) | Picture::Cuts(_) => 0,
    }
}

/// `sheet` under what is to be seen on it, and `notes`.
fn headed(caption: &Caption, notes: &[String], sheet: Sheet) -> Sheet {
    let mut whole = Sheet::default();
    whole.text((0, LARGE / 2), Side::Left, HUGE, caption.title.as_str());
    let mut y = LARGE / 2 + 2;
    let below = std::iter::once(&caption.subtitle).chain(notes).filter(|line| !line.is_empty());
    for line in below {
        y += 18;
        whole.note(y, line.as_str());
    }
    whole.put((0, y + 24), sheet);
    whole
}

fn caption(scenario: &Scenario, rows: &[Row]) -> Caption {
    let titles: Vec<&str> = rows.iter().map(|row| row.title.as_str()).collect();
    let description = format!("Diagrams of {}.", titles.join("; "));
    let named = || {
        let kind = scenario.points.first().map_or("", |point| point.experiment.workload.kind().in_words);
        format!("{}: {kind}", scenario.name)
    };
    match &scenario.figure {
        None => Caption { title: named(), subtitle: String::new(), description },
        Some(Figure { title, source, .. }) => {
            Caption { title: title.clone().unwrap_or_else(named), subtitle: source.clone(), description }
        }
    }
}

/// The pictures of each diagram of a row, or the reason why there are none.
type Diagrams = Vec<Result<Vec<Picture>, DiagramError>>;

/// The diagrams `wanted` of the row `id`, or all there are.
fn diagrams_of_row(scenario: &Scenario, id: RowId, wanted: &[Diagram]) -> Result<Diagrams, DrawError> {
    let experiment = &scenario.points[id.point].experiment;
    let workload = experiment.workload.kind().in_words;
    let drawn = experiment.workload.diagrams(&experiment.machine);
    let absent = wanted.iter().find(|diagram| !drawn.contains(diagram)).copied();
    if drawn.is_empty() || absent.is_some() {
        let diagram = absent.filter(|_| !drawn.is_empty());
        return Err(DrawError::None { workload, diagram, drawn });
    }
    let experiment = experiment.in_repetition(id)?;
    let planned = experiment.plan(id)?;
    let chosen = drawn.iter().copied().filter(|one| wanted.is_empty() || wanted.contains(one));
    let mut diagrams = Vec::new();
    for diagram in chosen {
        diagrams.push(match planned.diagram(diagram) {
            Err(DiagramError::Row(cause)) => return Err(experiment.failed(id, cause).into()),
            pictures => pictures,
        });
    }
    Ok(diagrams)
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
    use super::page::WIDTHS;
    use super::sheet::{At, Shape};
    use super::*;
    use crate::run::Rows;
    use crate::scenario::Options;
    use std::path::Path;

    /// The pages of every row of a scenario, each on a sheet.
    fn pages(text: &str) -> Vec<Sheet> {
        let scenario = Scenario::parse("s.toml", text, Path::new(""), &Options::default()).unwrap();
        let all = Rows::new(&scenario);
        let row = |index| {
            let diagrams = diagrams_of_row(&scenario, all.get(index), &[]).unwrap();
            Row { point: 0, title: "title".to_owned(), diagrams: diagrams.into_iter().filter_map(Result::ok).collect() }
        };
        let rows: Vec<Row> = (0..all.count()).map(row).collect();
        let frame = Frame::new(&scenario, &rows);
        let pages: Vec<Page> = rows.into_iter().map(|row| frame.page(row)).collect();
        for page in &pages {
            assert!(page.panels.iter().flatten().all(|sheet| sheet.size.0 > 0));
        }
        pages.into_iter().map(|page| headed(&Caption::default(), &frame.notes, page.sheet(WIDTHS[0]))).collect()
    }

    fn bounds(sheet: &Sheet) -> Vec<(String, (At, At))> {
        let text = |drawn: &sheet::Drawn| match &drawn.shape {
            Shape::Text { text, .. } if !text.is_empty() => Some((text.clone(), drawn.shape.bounds())),
            _ => None,
        };
        sheet.shapes.iter().filter_map(text).collect()
    }

    const MULTICASTS: &str =
        "algorithms = [\"sequential\", \"binomial\", \"chain\", \"opt-tree\", \"bisection\"]\nflits = 9\n";

    /// No two texts overlap, and nothing is cut off: on multicasts with and without networks, exchanges, collectives,
    /// broadcasts and mappings of all sizes that are drawn.
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
        for (shape, operation, algorithms, more) in [
            ("4", "reduce-scatter", "\"ring\"", "flits = 10"),
            ("4, 4", "allreduce", "\"swing-bandwidth\", \"ring\", \"tto\"", "flits = 64\nsegment_flits = 8"),
            ("5, 3", "allgather", "\"bruck\"", "flits = 99999"),
            ("8", "reduce", "\"binomial\", \"chain\"", "flits = 9\nroot = 3\nsegment_flits = 3"),
            ("3, 3", "barrier", "\"dissemination\", \"binomial\"", ""),
        ] {
            cases.push(format!(
                "[network.torus]\nshape = [{shape}]\n[node]\nports = 2\nreceive_setup = 9\nreduce_setup = 5\n\
                 [workload.collective]\noperation = \"{operation}\"\nalgorithms = [{algorithms}]\n{more}\n"
            ));
        }
        for (dimension, density) in [(3, 0.5), (4, 0.3), (6, 0.05), (6, 0.5)] {
            cases.push(format!(
                "[network.hypercube]\ndimension = {dimension}\n[workload.mapping]\nalgorithms = [\"random\", \"mrb\"]\n\
                 generator = \"gnp\"\ndensity = {density}\nweights = 1000\n"
            ));
        }
        for (network, group) in [
            ("network.fat-tree = { arity = 4, levels = 3 }", 40),
            ("network.dragonfly = { p = 2, a = 4, h = 2 }", 30),
            ("network.hyperx = { shape = [3, 4], concentration = 2 }", 24),
            ("network.mesh.shape = [3, 3, 3]", 27),
            ("network.full-mesh.routers = 20", 20),
        ] {
            cases.push(format!(
                "{network}\n[workload.multicast]\nalgorithms = [\"sequential\", \"binomial\", \"chain\"]\nflits = 9\ngroup = {group}\n"
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
