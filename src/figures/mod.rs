//! Figures: the tables and plots of papers, and users' own; and whether what is claimed of them is true.
//!
//! A scenario with a `[figure]` gives CSV tables ([`compute()`]). Its claims are judged by those tables alone
//! ([`judge()`]), so that a verdict can be checked by each reader of the files and is never typed; [`page()`] lists the
//! verdicts, [`plot()`] draws the curves, [`decision_map()`] what is best where, and [`diagrams()`] what is planned. This floor refuses to know how rows are
//! computed, and which claims are true.

mod compute;
mod data;
mod decision;
mod grid;
mod naming;
mod page;
mod plot;
mod verdict;

pub use compute::{FigureError, Tables, compute, diagrams};
pub use data::{Data, FigureFile, file_name, map_name};
pub use decision::{DecisionPicture, MapError, decision_map, rehearse_map};
pub use page::{Cover, Entry, page};
pub use plot::{PlotError, plot, rehearse};
pub use verdict::{Judgement, Verdict, judge};
