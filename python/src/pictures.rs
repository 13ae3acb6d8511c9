//! Pictures in other formats than SVG.

use crate::errors::Failure;
use crate::patience::patiently;
use flitwise::draw::raster::{Format, render};
use pyo3::prelude::*;
use std::path::Path;

/// The picture `svg` as the bytes of a file called `path`: SVG, PNG or PDF by its extension.
#[pyfunction]
pub(crate) fn picture(py: Python<'_>, svg: &str, path: &str) -> PyResult<Vec<u8>> {
    let drawn = || -> Result<Vec<u8>, Failure> {
        let format = Format::of_file(Path::new(path)).map_err(Failure::usage)?;
        render(svg, format).map_err(Failure::usage)
    };
    patiently(py, None, drawn)?.map_err(|failure| failure.raise(py))
}
