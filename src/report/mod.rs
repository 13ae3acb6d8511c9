//! What a run leaves behind: CSV files, a manifest, a table to read.
//!
//! Files are written whole or not at all ([`Folder`]). This floor knows rows and formats; it refuses to know how rows are
//! computed, and it never prints.

mod broadcast;
mod dot;
mod exchange;
mod fit;
mod folder;
mod forecast;
mod listing;
mod manifest;
mod rows;
mod schedule;
mod summary;
mod table;

pub use dot::{DotError, dot};
pub use fit::{TooLong, fit_toml};
pub use folder::{Folder, Output};
pub use forecast::{FORECAST, forecast_csv, forecast_table};
pub use listing::{Listing, ListingError};
pub use manifest::{Manifest, Run, write_manifest};
pub use rows::{Lines, ROW_FILES, RowFile};
pub use summary::{Labels, METRICS, Metric, STATISTICS, Sample, Statistics, Summaries, Summary, SummaryCsv, sample};
pub use table::{grid, table};

/// The names of all files that a run can leave, journals aside.
pub fn outputs() -> impl Iterator<Item = &'static str> {
    ROW_FILES.iter().map(|file| file.name).chain([SummaryCsv::NAME, Manifest::NAME])
}
