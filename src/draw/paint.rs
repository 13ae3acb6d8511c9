//! Paints a sheet as SVG. The same sheet gives the same bytes.

use super::canvas::{Canvas, Caption, Lettering, Size, Spot, Stroke, Surface};
use super::ink::{self, Rgb};
use super::sheet::{At, Colour, Pen, Shape, Sheet};

/// White around the drawing, in pixels.
const MARGIN: i32 = 16;

/// The SVG of `sheet`.
pub(super) fn paint(sheet: Sheet, caption: &Caption) -> String {
    let mut whole = Sheet::default();
    whole.put((MARGIN, MARGIN), sheet);
    let size = Size { width: whole.size.0 + MARGIN, height: whole.size.1 + MARGIN };
    let mut canvas = Canvas::new(size, caption);
    whole.shapes.iter().for_each(|shape| shape_on(&mut canvas, shape));
    canvas.into_svg()
}

fn shape_on(canvas: &mut Canvas, shape: &Shape) {
    match shape {
        Shape::Line { points, pen, arrow } => line(canvas, points, *pen, *arrow),
        Shape::Block { from, to, fill } => canvas.rectangle(spot(*from), spot(*to), bordered(*fill)),
        Shape::Blank { from, to } => canvas.rectangle(spot(*from), spot(*to), Surface::plain(Rgb::WHITE)),
        Shape::Disc { at, radius, fill } => canvas.circle(spot(*at), *radius, bordered(*fill)),
        Shape::Text { at, side, size, colour: ink, text } => {
            canvas.text(spot(*at), Lettering { size: *size, side: *side, colour: colour(*ink) }, text);
        }
    }
}

fn line(canvas: &mut Canvas, points: &[At], pen: Pen, arrow: bool) {
    let points: Vec<Spot> = points.iter().copied().map(spot).collect();
    let colour = colour(pen.colour);
    canvas.line(&points, Stroke { colour, width: pen.width, dashes: ink::dashes(pen.dash) });
    if let [.., from, to] = points[..]
        && arrow
    {
        canvas.polygon(&head(from, to, pen.width), Surface::plain(colour));
    }
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

fn bordered(fill: Colour) -> Surface {
    Surface { fill: colour(fill), border: Some(Rgb::BLACK) }
}

fn spot((x, y): At) -> Spot {
    Spot { x: f64::from(x), y: f64::from(y) }
}

fn colour(colour: Colour) -> Rgb {
    match colour {
        Colour::White => Rgb::WHITE,
        Colour::Pale => Rgb(222, 222, 222),
        Colour::Grey => Rgb(170, 170, 170),
        Colour::Ink(at) => ink::colour(at),
    }
}
