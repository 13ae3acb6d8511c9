//! Conversion of pictures into other formats.

use crate::errors::Failure;
use crate::patience::patiently;
use flitwise::draw::raster::{Format, render};
use pyo3::prelude::*;
use std::path::Path;

/// Converts the picture `svg` into the bytes of the file `path`. Its extension selects SVG, PNG or PDF.
#[pyfunction]
pub(crate) fn picture(py: Python<'_>, svg: &str, path: &str) -> PyResult<Vec<u8>> {
    let drawn = || -> Result<Vec<u8>, Failure> {
        let format = Format::of_file(Path::new(path)).map_err(Failure::usage)?;
        render(svg, format).map_err(Failure::usage)
    };
    patiently(py, None, drawn)?.map_err(|failure| failure.raise(py))
}
