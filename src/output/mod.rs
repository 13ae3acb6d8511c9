//! What a run leaves behind: CSV files, a manifest, a table to read; and what is planned, as CSV and as graphs.
//!
//! Files are written whole or not at all ([`Folder`]). This floor knows rows as data and formats; it refuses to know
//! how rows are computed and what any kind of workload is, and it never prints.

mod buffers;
mod dot;
mod energy;
mod explanation;
mod findings;
mod fit;
mod folder;
mod forecast;
mod headline;
mod json;
mod line;
mod listing;
mod manifest;
mod measurements;
mod npe;
mod pareto;
mod perfetto;
mod remarks;
mod rows;
mod staging;
mod summary;
mod table;
mod text;
mod timeline;
mod verdict;

pub use buffers::short_buffers;
pub use dot::write_dot;
pub use explanation::Explained;
pub use findings::{FindingsText, findings_json};
pub use fit::{ModelTable, TooLong, fit_toml};
pub use folder::{Folder, Output};
pub use forecast::{FORECAST, forecast_csv, forecast_table};
pub use headline::verdict;
pub use json::{settings_json, summary_json};
pub use listing::{Listing, ListingError};
pub use manifest::{Manifest, RunInfo, write_manifest};
pub use measurements::{read_measurements, rejected_series};
pub use npe::{Names, write_npe};
#[cfg(feature = "plots")]
pub(crate) use pareto::dominates;
pub use perfetto::write_perfetto;
pub use remarks::remarks;
pub use rows::{ReadError, RowFiles, Text, read_parts, read_rows};
pub(crate) use staging::TemporaryFolder;
pub use staging::{clear, temporary_file};
pub use summary::{Labels, Metric, PartColumns, Summaries, Summary, SummaryCsv, Texts, summarise};
pub use table::{ResultColumn, TableParts, grid, table, table_parts, whole_table};
pub use text::{hidden_columns, ranges, wrapped};

use crate::workload::KINDS;

/// The file of every message and every channel of its path.
pub const HOPS: &str = "hops.csv";

/// How the names of files end that another program shows.
pub const TRACE: &str = ".pftrace";

/// The names of all files that a run can leave, journals aside, in the order in which people read them.
pub fn outputs() -> Vec<&'static str> {
    let of_kinds = KINDS.iter().flat_map(|kind| kind.files).map(|file| file.name);
    let all = [rows::ROWS, SummaryCsv::NAME, rows::MESSAGES, HOPS].into_iter().chain(of_kinds).chain([Manifest::NAME]);
    let mut names = Vec::new();
    for name in all {
        if !names.contains(&name) {
            names.push(name);
        }
    }
    names
}
