//! Plots that need no options: what a finished run has in `summary.csv`, with axes that are chosen from it.
//!
//! ```text
//!   text of summary.csv -> Data -> axes: what is along x and up y, which panels, which scales -> a tree of elements
//! ```
//!
//! There is a curve for each algorithm and a panel for each combination of the swept keys that are not along the x axis; all
//! panels have the same scales. Colours are names of classes (`c0` to `c4`, `ink`, `muted`, `grid`, `axis`), which the picture
//! or the page around it gives a meaning; what the CSV says of a point stands beside it (`data-px`, `data-py`,
//! `data-spread`). A plot refuses to know how rows were computed; the same text gives the same elements.

mod axes;
mod data;
mod label;
mod wanted;

pub use super::chart::Plots;
use crate::scenario::Rejected;
pub use data::{Data, TextColumn};
pub use wanted::Wanted;

/// So many panels are drawn.
pub const MOST_PANELS: usize = 12;

/// The plots of `data` that are `wanted`.
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
/// let svg = plots.document("lengths");
/// assert!(svg.contains("data-px=\"16\" data-py=\"81.500\" data-spread=\"3.250\""));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// What is wrong with what is wanted, or that there is nothing to draw.
pub fn plots(data: &Data, wanted: &Wanted) -> Result<Plots, Rejected> {
    let axes = wanted.axes(data)?;
    let left_out = (axes.left_out > 0).then(|| {
        let all = axes.panels.len() + axes.left_out;
        format!("These are the first {MOST_PANELS} of {all} plots; a condition on swept keys chooses others.")
    });
    Ok(axes.plots(left_out))
}
