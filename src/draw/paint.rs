//! Paints a sheet as SVG. The same sheet gives the same bytes.

use super::canvas::{Canvas, Caption, Spot, Stroke, Surface};
use super::sheet::{At, Shape, Sheet};

/// White around the drawing, in pixels.
const MARGIN: i32 = 16;

pub(super) fn paint(sheet: Sheet, caption: &Caption) -> String {
    let mut whole = Sheet::default();
    whole.put((MARGIN, MARGIN), sheet);
    let (width, height) = whole.size;
    let mut canvas = Canvas::new(width + MARGIN, height + MARGIN, caption);
    for drawn in &whole.shapes {
        canvas.tipped(&drawn.tip, |canvas| shape_on(canvas, &drawn.shape));
    }
    canvas.into_svg()
}

fn shape_on(canvas: &mut Canvas, shape: &Shape) {
    match shape {
        Shape::Line { points, stroke, arrow } => line(canvas, points, *stroke, *arrow),
        Shape::Arc { from, to, bulge, stroke } => arc(canvas, [spot(*from), spot(*to)], *bulge, *stroke),
        Shape::Block { from, to, surface } => canvas.rectangle(spot(*from), spot(*to), *surface),
        Shape::Disc { at, radius, fill } => canvas.circle(spot(*at), *radius, Surface::bordered(*fill)),
        Shape::Ring { at, radius, stroke } => canvas.ring(spot(*at), *radius, *stroke),
        Shape::Polygon { corners, surface } => {
            let corners: Vec<Spot> = corners.iter().copied().map(spot).collect();
            canvas.polygon(&corners, *surface);
        }
        Shape::Group(shapes) => shapes.iter().for_each(|shape| shape_on(canvas, shape)),
        Shape::Text { at, lettering, text } => canvas.text(spot(*at), *lettering, text),
    }
}

fn line(canvas: &mut Canvas, points: &[At], stroke: Stroke, arrow: bool) {
    let points: Vec<Spot> = points.iter().copied().map(spot).collect();
    canvas.line(&points, stroke);
    if let [.., from, to] = points[..]
        && arrow
    {
        canvas.polygon(&head(from, to, stroke.width), Surface::plain(stroke.colour));
    }
}

fn arc(canvas: &mut Canvas, [from, to]: [Spot; 2], bulge: i32, stroke: Stroke) {
    // in its middle a cubic curve is three quarters of the way to its control points
    let beside = f64::from(bulge) * 4.0 / 3.0;
    canvas.curve(from, [from.moved(beside, 0.0), to.moved(beside, 0.0)], to, stroke);
}

/// The corners of the head of an arrow whose line is `width` pixels wide.
fn head(from: Spot, to: Spot, width: u32) -> [Spot; 3] {
    let right = to.x - from.x;
    let down = to.y - from.y;
    let length = libm::hypot(right, down).max(1.0);
    let along = Spot { x: right / length, y: down / length };
    let (long, wide) = if width > 1 { (9.0, 4.0) } else { (7.0, 3.0) };
    // back along the line, then to a side of it
    let corner = |side: f64| to.moved(-long * along.x - side * along.y, -long * along.y + side * along.x);
    [to, corner(wide), corner(-wide)]
}

fn spot((x, y): At) -> Spot {
    Spot { x: f64::from(x), y: f64::from(y) }
}
