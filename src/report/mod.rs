//! What a run leaves behind: CSV files, a manifest, a table to read.
//!
//! Files are written whole or not at all ([`Folder`]). This floor knows rows and formats; it refuses to know how rows are
//! computed, and it never prints.

mod broadcast;
mod exchange;
mod fit;
mod folder;
mod forecast;
mod manifest;
mod rows;
mod schedule;
mod summary;
mod table;

pub use broadcast::{BroadcastCsv, trees_csv};
pub use exchange::{HOLDINGS, exchange_csv, exchange_dot, holdings_csv};
pub use fit::{TooLong, fit_toml};
pub use folder::{Folder, Output};
pub use forecast::{FORECAST, forecast_csv, forecast_table};
pub use manifest::{Manifest, Run};
pub use rows::{CutsCsv, HostsCsv, MappingCsv, MessagesCsv, RowSink, RowsCsv};
pub use schedule::{schedule_csv, schedule_dot};
pub use summary::{METRICS, Metric, Statistics, Summaries, Summary, SummaryCsv};
pub use table::table;
