//! Paints a sheet as SVG with a plotting library. The same sheet gives the same bytes.

use super::ink;
use super::sheet::{At, Colour, Pen, Shape, Sheet, Side};
use plotters::coord::Shift;
use plotters::drawing::DrawingAreaErrorKind;
use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};

/// White around the drawing, in pixels.
const MARGIN: i32 = 16;

type Area<'a> = DrawingArea<SVGBackend<'a>, Shift>;
type Painted = Result<(), DrawingAreaErrorKind<std::io::Error>>;

/// The SVG of `sheet`.
///
/// # Errors
/// What the library says.
pub(super) fn paint(sheet: Sheet) -> Result<String, DrawingAreaErrorKind<std::io::Error>> {
    let mut whole = Sheet::default();
    whole.put((MARGIN, MARGIN), sheet);
    let pixels = |length: i32| u32::try_from(length + MARGIN).unwrap_or(1);
    let mut svg = String::new();
    {
        let area = SVGBackend::with_string(&mut svg, (pixels(whole.size.0), pixels(whole.size.1))).into_drawing_area();
        area.fill(&WHITE)?;
        whole.shapes.iter().try_for_each(|shape| shape_on(&area, shape))?;
        area.present()?;
    }
    Ok(ink::dashed(svg))
}

fn shape_on(area: &Area<'_>, shape: &Shape) -> Painted {
    match shape {
        Shape::Line { points, pen, arrow } => line(area, points, *pen, *arrow),
        Shape::Block { from, to, fill } => {
            area.draw(&Rectangle::new([*from, *to], colour(*fill).filled()))?;
            area.draw(&Rectangle::new([*from, *to], BLACK.stroke_width(1)))
        }
        Shape::Blank { from, to } => area.draw(&Rectangle::new([*from, *to], WHITE.filled())),
        Shape::Disc { at, radius, fill } => {
            area.draw(&Circle::new(*at, *radius, colour(*fill).filled()))?;
            area.draw(&Circle::new(*at, *radius, BLACK.stroke_width(1)))
        }
        Shape::Text { at, side, size, colour: ink, text } => {
            let side = match side {
                Side::Left => HPos::Left,
                Side::Middle => HPos::Center,
                Side::Right => HPos::Right,
            };
            let ink = colour(*ink);
            let style = TextStyle::from(("sans-serif", *size)).color(&ink).pos(Pos::new(side, VPos::Center));
            area.draw(&Text::new(text.as_str(), *at, style))
        }
    }
}

fn line(area: &Area<'_>, points: &[At], pen: Pen, arrow: bool) -> Painted {
    area.draw(&PathElement::new(points.to_vec(), ink::line(&colour(pen.colour), pen.dash, pen.width)))?;
    match points {
        [.., from, to] if arrow => area.draw(&Polygon::new(head(*from, *to, pen.width), colour(pen.colour).filled())),
        _ => Ok(()),
    }
}

/// The corners of the head of an arrow.
fn head(from: At, to: At, width: u32) -> Vec<At> {
    let (dx, dy) = (f64::from(to.0 - from.0), f64::from(to.1 - from.1));
    let length = libm::hypot(dx, dy).max(1.0);
    let (ux, uy) = (dx / length, dy / length);
    let (long, wide) = if width > 1 { (9.0, 4.0) } else { (7.0, 3.0) };
    let corner = |side: f64| {
        let (x, y) = (f64::from(to.0) - long * ux - side * uy, f64::from(to.1) - long * uy + side * ux);
        #[expect(clippy::cast_possible_truncation, reason = "pixels of a picture")]
        (libm::round(x) as i32, libm::round(y) as i32)
    };
    vec![to, corner(wide), corner(-wide)]
}

fn colour(colour: Colour) -> RGBColor {
    match colour {
        Colour::White => WHITE,
        Colour::Pale => RGBColor(222, 222, 222),
        Colour::Grey => RGBColor(170, 170, 170),
        Colour::Ink(at) => ink::colour(at),
    }
}
