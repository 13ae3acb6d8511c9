//! Rows that are run once more, hop by hop: what `explain`, `report` and the flags of `run` have in common.

use super::progress::patient;
use super::ui::Ui;
use super::{Usage, told};
use anyhow::{Error, Result};
use clap::Args;
use flitwise::kind::{RowError, RowId};
use flitwise::memory::{Limit, in_words};
use flitwise::output::Explained;
use flitwise::recording::Recording;
use flitwise::run::{Selector, predicted_timeline, recorded, recording_memory, why_not_recorded};
use flitwise::scenario::Scenario;
use flitwise::timeline::Timeline;
use flitwise::units::Ticks;

/// The selected rows.
#[derive(Args, Clone)]
pub(super) struct RowChoice {
    /// Rows: `all`, or any parts of `point=P,algorithm=A,repetition=R`; repeatable [default: at the point where the algorithms differ most, the repetition with the median time of each]
    #[arg(long = "rows", value_name = "SEL")]
    selectors: Vec<String>,
}

impl RowChoice {
    /// Whether rows are asked for.
    pub(super) fn is_given(&self) -> bool {
        !self.selectors.is_empty()
    }

    /// What is asked for of the rows of `scenario`.
    pub(super) fn selectors(&self, scenario: &Scenario) -> Result<Vec<Selector>, Usage> {
        let parse = |text: &String| Selector::parse(text, scenario).map_err(|wrong| Usage(wrong.to_string()));
        self.selectors.iter().map(parse).collect()
    }
}

/// Rows of a scenario that are run once more, hop by hop.
pub(super) struct Rerun<'a> {
    pub(super) ui: &'a Ui,
    pub(super) scenario: &'a Scenario,
    /// What a recording may take.
    pub(super) limit: Limit,
    /// Whether nothing is said meanwhile.
    pub(super) quiet: bool,
}

impl<'a> Rerun<'a> {
    /// The row `id`; none where nothing moves over channels.
    pub(super) fn recording(&self, id: RowId) -> Result<Option<Recording<'a>>> {
        let Self { ui, scenario, quiet, .. } = *self;
        self.refuse_large(id)?;
        let run = || ui.interrupts().token().run(|| recorded(scenario, id));
        let ended = patient(ui, "simulating a row again with all hops", quiet, run)?;
        ended.map_err(|error: Box<RowError>| told(scenario, Error::new(*error)))
    }

    /// Returns the timeline of the row `id` under the model, and its completion, or `None` if it runs on a network or runs no operations.
    pub(super) fn predicted(&self, id: RowId) -> Result<Option<(Box<Timeline>, Ticks)>> {
        let Self { ui, scenario, quiet, .. } = *self;
        let run = || ui.interrupts().token().run(|| predicted_timeline(scenario, id));
        let ended = patient(ui, "executing a row again", quiet, run)?;
        ended.map_err(|error: Box<RowError>| told(scenario, Error::new(*error)))
    }

    /// Refuses a row whose hops do not fit into memory.
    fn refuse_large(&self, id: RowId) -> Result<(), Usage> {
        let needed = recording_memory(&self.scenario.points[id.point].experiment, id.algorithm);
        if needed <= self.limit.bytes {
            return Ok(());
        }
        let Limit { bytes, why } = self.limit;
        let needed = in_words(needed);
        let there = in_words(bytes);
        let row = format!("all hops of a row at point {} need about {needed} of memory; {there} are {why}", id.point);
        Err(Usage(format!("{row}\n--hops writes them to a file instead; --rows selects other rows")))
    }

    /// Why the row `id` took as long as it did; none where nothing moves over channels.
    pub(super) fn explained(&self, id: RowId) -> Result<Option<Explained<'a>>> {
        let Some(recording) = self.recording(id)? else { return Ok(None) };
        let explain = || Explained::new(self.scenario, id, recording);
        Ok(Some(patient(self.ui, "analysing which messages blocked which", self.quiet, explain)))
    }
}

/// Refuses scenarios of which no row moves over channels.
pub(super) fn refuse_unexplained(scenario: &Scenario) -> Result<(), Usage> {
    let reasons: Vec<Option<&str>> = scenario.points.iter().map(|point| why_not_recorded(&point.experiment)).collect();
    match reasons.first() {
        Some(Some(why)) if reasons.iter().all(Option::is_some) => {
            Err(Usage(format!("there are no channels to observe: {why}")))
        }
        _ => Ok(()),
    }
}
