//! Plots that need no options: charts of `summary.csv` of finished runs, with axes that are chosen from the table.
//!
//! ```text
//!   text of summary.csv -> Data -> choice: columns along the axes, curves, panels, scales -> Chart
//! ```
//!
//! There is a curve for each algorithm and each value of swept keys that are text, such as routings; and a panel for each
//! combination of the other swept keys that are not along the x axis. The fields of the CSV are attributes of each point
//! (`data-px`, `data-py`, `data-spread`). Independent of the computation of the rows.

mod choice;
mod data;
mod join;
mod wanted;

pub use super::chart::{Plots, Range, View};
use crate::config::Diagnostic;
use crate::scenario::Rejected;
pub use data::{Data, TextColumn};
pub use join::{JoinError, join};
pub use wanted::Wanted;

/// The largest number of panels that are drawn.
pub const MOST_PANELS: usize = 12;

/// The plots of `data` with the options `wanted`.
///
/// ```
/// use flitwise::draw::auto::{Data, Wanted, plots};
///
/// let summary = "\
/// scenario,workload.multicast.flits,algorithm,repetitions,measured_mean,measured_ci95
/// lengths,16,opt-tree,2,81.500,3.250
/// lengths,64,opt-tree,2,131,0
/// ";
/// let plots = plots(&Data::from_csv(summary.as_bytes())?, &Wanted::default())?;
/// let svg = plots.document();
/// assert!(svg.contains("data-px=\"16\" data-py=\"81.500\" data-spread=\"3.250\""));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// Returns an error if the table has no such column, or if there is nothing to draw.
pub fn plots(data: &Data, wanted: &Wanted) -> Result<Plots, Rejected> {
    let mut chart = wanted.chart(data)?;
    chart.convert_ticks(&data.ticks);
    chart.convert_energies();
    chart.look_at(wanted.view);
    chart.plots().map_err(|error| Rejected::new(vec![Diagnostic::unplaced(error.to_string())], Vec::new()))
}
