//! Pages: the diagrams of a row under its title, and how pages are put beside each other.
//!
//! Pages of a point stay together and are laid out alike, for they are compared. Of several arrangements the most compact
//! is taken. This file knows how much room sheets take; it refuses to know what is drawn on them.

use super::sheet::{At, Flow, GAP, LARGE, Sheet};
use super::text::{self, Side};
use crate::kind::words::counted;

/// Pixels of a drawing, unless a single diagram is wider: the one that makes it compact.
pub(super) const WIDTHS: [i32; 7] = [1100, 1300, 1500, 1700, 1900, 2100, 2300];
/// As many rows stand beside each other at most.
const MOST_COLUMNS: i32 = 4;

/// The diagrams of a row under its title.
pub(super) struct Page {
    /// Index of the point.
    pub(super) point: usize,
    /// What the row is called.
    pub(super) title: String,
    /// The sheets of each diagram.
    pub(super) panels: Vec<Vec<Sheet>>,
}

/// Pixels from the title of a page to its diagrams.
const BELOW_TITLE: i32 = LARGE + 18;

impl Page {
    /// The room that it takes when its diagrams stay within `width` pixels where they can.
    fn size(&self, width: i32) -> At {
        let panels: Vec<At> = self.panels.iter().map(|sheets| flow(sheets, width).size).collect();
        let (wide, high) = Flow::new(&panels, width).size;
        (wide.max(text::width(&self.title, LARGE)), high + BELOW_TITLE)
    }

    /// The page as a sheet, whose diagrams stay within `width` pixels where they can.
    pub(super) fn sheet(self, width: i32) -> Sheet {
        let panels = self.panels.into_iter().map(|sheets| Sheet::beside(sheets, width)).collect();
        let mut page = Sheet::default();
        page.text((0, LARGE / 2), Side::Left, LARGE, self.title);
        page.put((0, BELOW_TITLE), Sheet::beside(panels, width));
        page
    }
}

/// The largest number of shapes in a picture of diagrams that were not chosen by name: some 1.5 MB of SVG.
const MOST_SHAPES: usize = 15_000;

/// Removes the last diagrams of `pages` until they have at most [`MOST_SHAPES`] shapes or one diagram is left. A sentence for
/// each page that lost some.
pub(super) fn shorten(pages: &mut Vec<Page>) -> Vec<String> {
    let mut shapes = 0;
    let mut left_out = Vec::new();
    for page in pages.iter_mut() {
        let before = page.panels.len();
        page.panels.retain(|sheets| {
            let is_first = shapes == 0;
            let more: usize = sheets.iter().map(|sheet| sheet.shapes.len()).sum();
            let fits = is_first || shapes + more <= MOST_SHAPES;
            shapes += if fits { more } else { 0 };
            fits
        });
        let lost = counted((before - page.panels.len()) as u64, "diagram");
        if page.panels.len() < before {
            left_out.push(format!(
                "{}: {lost}, because the picture would be too large; use --diagram and --algorithm to select diagrams",
                page.title
            ));
        }
    }
    pages.retain(|page| !page.panels.is_empty());
    left_out
}

/// Makes what shows the same on each of `pages` equally wide, so that these are laid out alike.
fn align(pages: &mut [Page]) {
    let panels = pages.iter().map(|page| page.panels.len()).max().unwrap_or(0);
    if pages.iter().any(|page| page.panels.len() != panels) {
        return;
    }
    for panel in 0..panels {
        let sheets = |page: &Page| page.panels[panel].len();
        if pages.windows(2).all(|pair| sheets(&pair[0]) == sheets(&pair[1])) {
            align_sheets(pages, panel);
        } else {
            align_panels(pages, panel);
        }
    }
}

/// Makes the sheets of the diagram number `panel` equally wide, of which all of `pages` have as many.
fn align_sheets(pages: &mut [Page], panel: usize) {
    let count = pages.first().map_or(0, |page| page.panels[panel].len());
    for at in 0..count {
        let widest = pages.iter().map(|page| page.panels[panel][at].size.0).max().unwrap_or(0);
        pages.iter_mut().for_each(|page| page.panels[panel][at].reach((widest, 0)));
    }
}

/// Makes the diagram number `panel` equally wide on all of `pages`, if each fits in a row.
fn align_panels(pages: &mut [Page], panel: usize) {
    let width = |page: &Page| flow(&page.panels[panel], i32::MAX).size.0;
    let widest = pages.iter().map(width).max().unwrap_or(0);
    if widest > WIDTHS[0] {
        return;
    }
    for page in pages {
        let lacking = widest - width(page);
        if let Some(last) = page.panels[panel].last_mut() {
            last.reach((last.size.0 + lacking, 0));
        }
    }
}

/// Where `sheets` lie within `width` pixels.
fn flow(sheets: &[Sheet], width: i32) -> Flow {
    Flow::new(&sheets.iter().map(|sheet| sheet.size).collect::<Vec<_>>(), width)
}

/// How pages are put beside each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Arrangement {
    /// Pixels of all.
    width: i32,
    /// Pixels of a page.
    page: i32,
}

impl Arrangement {
    /// The one whose drawing is most compact, of several that are the narrowest.
    fn new(points: &[Vec<Page>]) -> Self {
        let columns = |width: i32| (1..=MOST_COLUMNS).map(move |n| Self { width, page: (width - (n - 1) * GAP) / n });
        let all = WIDTHS.into_iter().flat_map(columns);
        let longer_side = |arrangement: &Self| {
            let (wide, high) = arrangement.size(points);
            (high * 5 / 4).max(wide).max(WIDTHS[0])
        };
        all.min_by_key(longer_side).unwrap_or(Self { width: WIDTHS[0], page: WIDTHS[0] })
    }

    fn size(self, points: &[Vec<Page>]) -> At {
        let of_point = |pages: &Vec<Page>| {
            let pages: Vec<At> = pages.iter().map(|page| page.size(self.page)).collect();
            Flow::new(&pages, self.width).size
        };
        Flow::new(&points.iter().map(of_point).collect::<Vec<_>>(), self.width).size
    }
}

/// All pages on one sheet; those of a point stay beside each other where they fit, for they are compared.
pub(super) fn arranged(pages: Vec<Page>) -> Sheet {
    let mut points: Vec<Vec<Page>> = Vec::new();
    for page in pages {
        match points.last_mut() {
            Some(pages) if pages[0].point == page.point => pages.push(page),
            _ => points.push(vec![page]),
        }
    }
    points.iter_mut().for_each(|pages| align(pages));
    let Arrangement { width, page } = Arrangement::new(&points);
    let of_point = |pages: Vec<Page>| Sheet::beside(pages.into_iter().map(|one| one.sheet(page)).collect(), width);
    Sheet::beside(points.into_iter().map(of_point).collect(), width)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::draw::canvas::Surface;
    use crate::draw::ink::Rgb;
    use crate::draw::sheet::{Drawn, Shape};

    /// What is compared stays together: the pages of a point are in one row of the sheet.
    #[test]
    fn pages_of_a_point_are_beside_each_other() {
        let page = |point: usize| {
            let mut sheet = Sheet::default();
            sheet.block((0, 0), (400, 340), Surface::bordered(Rgb::WHITE));
            Page { point, title: String::new(), panels: vec![vec![sheet]] }
        };
        let whole = arranged([0, 0, 1, 1, 2].map(page).into());
        let corner = |drawn: &Drawn| match &drawn.shape {
            Shape::Block { from, .. } => Some(*from),
            _ => None,
        };
        let corners: Vec<At> = whole.shapes.iter().filter_map(corner).collect();
        // three would fit in a row
        assert_eq!(corners, [(0, 32), (429, 32), (0, 433), (429, 433), (858, 433)]);
    }

    /// Pages that show the same are laid out alike, though one is narrower.
    #[test]
    fn pages_that_show_the_same_are_laid_out_alike() {
        let page = |wide: i32| {
            let mut sheets = vec![Sheet::default(), Sheet::default()];
            sheets[0].block((0, 0), (wide, 300), Surface::bordered(Rgb::WHITE));
            sheets[1].block((0, 0), (700, 300), Surface::bordered(Rgb::WHITE));
            Page { point: 0, title: String::new(), panels: sheets.into_iter().map(|sheet| vec![sheet]).collect() }
        };
        let mut pages = [page(600), page(90)];
        align(&mut pages);
        let sizes = pages.map(|page| page.size(900));
        assert_eq!(sizes[0], sizes[1]);
    }

    /// What is too tall for its width is laid out side by side.
    #[test]
    fn tall_pages_stand_beside_each_other() {
        let page = || {
            let mut sheet = Sheet::default();
            sheet.block((0, 0), (600, 300), Surface::bordered(Rgb::WHITE));
            Page { point: 0, title: String::new(), panels: vec![vec![sheet]; 4] }
        };
        let (wide, high) = arranged(vec![page(), page()]).size;
        assert!(wide < 1300 && high < 1500, "{wide} by {high}");
    }
}
