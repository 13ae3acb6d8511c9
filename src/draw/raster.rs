//! Pictures as PNG and PDF: SVG rendered with the fonts of the system.
//!
//! Both formats need the feature `raster`. Without it, or without a font, they are refused; nothing else is written under
//! their names. Independent of the contents of a picture.

use std::path::Path;
use thiserror::Error;

/// A format of pictures.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// Scalable Vector Graphics.
    Svg,
    /// Portable Network Graphics, two pixels for each of the SVG.
    Png,
    /// Portable Document Format, one page with text that can be selected.
    Pdf,
}

/// An error that prevents a picture from being written in a format.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum RasterError {
    /// No format has this extension.
    #[error("`{0}` is not the name of a picture\naccepted: a file name that ends with .svg, .png or .pdf")]
    Extension(String),
    /// This build has no renderer.
    #[error("this build cannot write {0}, which requires the feature `raster`; a name that ends with .svg is accepted")]
    NoRenderer(&'static str),
    /// Text cannot be drawn.
    #[error(
        "PNG and PDF require a font, but none is installed\naccepted: any TrueType font, such as DejaVu Sans; SVG requires none"
    )]
    NoFont,
    /// The picture cannot be rendered.
    #[error("the picture cannot be rendered: {0}")]
    Rendering(String),
}

/// The formats by the extension of their files.
const FORMATS: [(&str, Format); 3] = [("svg", Format::Svg), ("png", Format::Png), ("pdf", Format::Pdf)];

impl Format {
    /// The format of a file by its extension.
    ///
    /// # Errors
    /// Returns an error if it has none of `svg`, `png` and `pdf`.
    pub fn of_file(path: &Path) -> Result<Self, RasterError> {
        let extension =
            path.extension().map(|extension| extension.to_string_lossy().to_lowercase()).unwrap_or_default();
        let known = FORMATS.into_iter().find(|(name, _)| *name == extension);
        known.map(|(_, format)| format).ok_or_else(|| RasterError::Extension(path.display().to_string()))
    }

    /// This format, if this build can write it.
    ///
    /// # Errors
    /// Returns an error if it needs a renderer that this build does not have.
    pub fn supported(self) -> Result<Self, RasterError> {
        match self {
            Self::Png if !cfg!(feature = "raster") => Err(RasterError::NoRenderer("PNG")),
            Self::Pdf if !cfg!(feature = "raster") => Err(RasterError::NoRenderer("PDF")),
            supported => Ok(supported),
        }
    }
}

/// The picture `svg` in `format`.
///
/// # Errors
/// Returns an error if this build cannot render it, or no font is installed.
pub fn render(svg: &str, format: Format) -> Result<Vec<u8>, RasterError> {
    match format.supported()? {
        Format::Svg => Ok(svg.as_bytes().to_vec()),
        Format::Png => png(svg),
        Format::Pdf => pdf(svg),
    }
}

#[cfg(not(feature = "raster"))]
fn png(_: &str) -> Result<Vec<u8>, RasterError> {
    Err(RasterError::NoRenderer("PNG"))
}

#[cfg(not(feature = "raster"))]
fn pdf(_: &str) -> Result<Vec<u8>, RasterError> {
    Err(RasterError::NoRenderer("PDF"))
}

#[cfg(feature = "raster")]
use renderer::{pdf, png};

#[cfg(feature = "raster")]
mod renderer {
    //! The renderers: resvg for PNG, svg2pdf for PDF.

    use super::RasterError;
    use resvg::tiny_skia::{Pixmap, Transform};
    use std::sync::Arc;
    use svg2pdf::usvg::fontdb::{Database, Family, Query};
    use svg2pdf::usvg::{Options, Tree};
    use svg2pdf::{ConversionOptions, PageOptions};

    /// Pixels of a PNG for each of the SVG, which prints well at the width of a column.
    const SCALE: f32 = 2.0;
    /// Pixels per inch of SVG.
    const DPI: f32 = 96.0;

    /// Sans-serif fonts, the ones first for which widths of text were estimated.
    const FAMILIES: [&str; 7] =
        ["DejaVu Sans", "Verdana", "Liberation Sans", "Arial", "Helvetica", "Noto Sans", "Segoe UI"];

    pub(super) fn png(svg: &str) -> Result<Vec<u8>, RasterError> {
        let tree = tree(svg)?;
        let size = tree.size().to_int_size();
        let scaled = size.scale_by(SCALE).ok_or_else(|| RasterError::Rendering("its size is invalid".to_owned()))?;
        let pixmap = Pixmap::new(scaled.width(), scaled.height());
        let mut pixmap = pixmap.ok_or_else(|| RasterError::Rendering("it is too large for a PNG".to_owned()))?;
        resvg::render(&tree, Transform::from_scale(SCALE, SCALE), &mut pixmap.as_mut());
        pixmap.encode_png().map_err(|error| RasterError::Rendering(error.to_string()))
    }

    pub(super) fn pdf(svg: &str) -> Result<Vec<u8>, RasterError> {
        let page = PageOptions { dpi: DPI };
        svg2pdf::to_pdf(&tree(svg)?, ConversionOptions::default(), page)
            .map_err(|error| RasterError::Rendering(error.to_string()))
    }

    /// The picture with its text as glyphs of a font of the system.
    fn tree(svg: &str) -> Result<Tree, RasterError> {
        let mut fonts = Database::new();
        fonts.load_system_fonts();
        let family = family(&fonts).ok_or(RasterError::NoFont)?;
        fonts.set_sans_serif_family(&family);
        let options = Options { fontdb: Arc::new(fonts), font_family: family, ..Options::default() };
        Tree::from_str(svg, &options).map_err(|error| RasterError::Rendering(error.to_string()))
    }

    /// A sans-serif family among `fonts`, or any other.
    fn family(fonts: &Database) -> Option<String> {
        let has = |name: &&str| fonts.query(&Query { families: &[Family::Name(name)], ..Query::default() }).is_some();
        let known = FAMILIES.iter().copied().find(has).map(str::to_owned);
        known.or_else(|| Some(fonts.faces().next()?.families.first()?.0.clone()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_extension_chooses_the_format() {
        let format = |name: &str| Format::of_file(Path::new(name)).ok();
        assert_eq!(
            [format("a.svg"), format("a.PNG"), format("b/a.pdf")],
            [Some(Format::Svg), Some(Format::Png), Some(Format::Pdf)]
        );
        assert_eq!([format("a"), format("a.jpg"), format("png")], [None; 3]);
    }

    #[cfg(not(feature = "raster"))]
    #[test]
    fn a_build_without_a_renderer_refuses_what_it_cannot_write() {
        assert_eq!(render("<svg/>", Format::Png), Err(RasterError::NoRenderer("PNG")));
        assert_eq!(render("<svg/>", Format::Pdf), Err(RasterError::NoRenderer("PDF")));
        assert_eq!(render("<svg/>", Format::Svg), Ok(b"<svg/>".to_vec()));
    }

    #[cfg(feature = "raster")]
    #[test]
    fn pictures_are_rendered() {
        let svg = "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"40\" height=\"20\"><text x=\"2\" y=\"15\">ab</text></svg>";
        let starts = |format, magic: &[u8]| match render(svg, format) {
            Ok(bytes) => bytes.starts_with(magic),
            Err(error) => error == RasterError::NoFont,
        };
        assert!(starts(Format::Png, b"\x89PNG") && starts(Format::Pdf, b"%PDF-"));
    }
}
