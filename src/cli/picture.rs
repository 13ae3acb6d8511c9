//! Files of pictures: SVG, or PNG and PDF where this build has a renderer, by the extension of the file.

use super::Usage;
use super::target::write_whole;
use super::ui::Ui;
use anyhow::Result;
use flitwise::draw::raster::{Format, RasterError, render};
use std::path::{Path, PathBuf};

/// The place of a picture, which this build can write.
pub(super) struct PictureFile {
    /// A file; standard output if there is none.
    path: Option<PathBuf>,
    format: Format,
}

impl PictureFile {
    /// The file at `path`, or standard output.
    ///
    /// # Errors
    /// If no picture is written to files with this extension, or not by this build.
    pub(super) fn chosen(path: Option<&Path>) -> Result<Self> {
        let format = path.map_or(Ok(Format::Svg), Format::of_file).and_then(Format::supported);
        let format = format.map_err(|error| Usage(error.to_string()))?;
        Ok(Self { path: path.map(Path::to_owned), format })
    }

    /// Writes the picture `svg` atomically.
    pub(super) fn write(&self, ui: &Ui, svg: &str) -> Result<()> {
        let Some(path) = &self.path else { return ui.print(svg) };
        write_whole(path, &self.bytes(svg)?)
    }

    /// The picture `svg` in the format of the file.
    pub(super) fn bytes(&self, svg: &str) -> Result<Vec<u8>> {
        Ok(render(svg, self.format).map_err(|error| match error {
            RasterError::NoFont => Usage(error.to_string()).into(),
            other => anyhow::Error::new(other),
        })?)
    }
}
