//! What is to be said of results: that a number rests on too little, or what the numbers of several points show together.
//!
//! Remarks are made of summaries, after all rows are there; files know nothing of them.

use super::{Means, Workload};
use crate::config::Diagnostic;
use crate::machine::Machine;
use crate::units::Key;

/// What one variant gave at one point, to be judged by its kind.
pub struct ResultLine<'a> {
    /// What was run.
    pub workload: &'a dyn Workload,
    /// On what.
    pub machine: &'a Machine,
    /// How often.
    pub repetitions: usize,
    /// The swept keys with their values here.
    pub settings: Vec<(&'a str, &'a str)>,
    /// What was counted.
    pub means: Means<'a>,
}

impl ResultLine<'_> {
    /// The settings in a few words, such as `rate 0.1, flits 8`, but for that of the key `without`.
    pub fn place(&self, without: &str) -> String {
        let last = |key: &str| key.rsplit('.').next().unwrap_or_default().to_owned();
        let others = self.settings.iter().filter(|(key, _)| *key != without);
        others.map(|(key, value)| format!("{} {value}", last(key))).collect::<Vec<_>>().join(", ")
    }
}

/// What is to be said of lines of results.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Remark {
    /// A sentence.
    pub text: String,
    /// The lines that it is about, by their indices.
    pub lines: Vec<usize>,
    /// Titles of the columns whose cells are not to be relied on there; none of a remark that warns of nothing.
    pub doubted: &'static [&'static str],
}

impl Remark {
    /// Whether it says that a number is not to be relied on.
    pub fn is_warning(&self) -> bool {
        !self.doubted.is_empty()
    }
}

/// A model of the scenario that is off by more than this factor is remarked upon.
const ODD: f64 = 2.0;

/// Where a model that the scenario gives and the network that it runs on differ so much that they hardly speak of the same
/// machine: mostly one counts bytes where the other counts flits.
pub(crate) fn odd_models(lines: &[ResultLine<'_>]) -> Option<Remark> {
    let odd: Vec<usize> = (0..lines.len()).filter(|&at| is_odd(&lines[at])).collect();
    if odd.is_empty() {
        return None;
    }
    let often =
        if odd.len() < lines.len() { format!(" in {} of {} lines", odd.len(), lines.len()) } else { String::new() };
    let text = format!("Predicted and measured times differ by more than a factor of two{often}: {SAME_MACHINE}");
    Some(Remark { text, lines: odd, doubted: &[] })
}

/// The question that a model raises which is far from the network.
pub(crate) const SAME_MACHINE: &str = "check that [model.*], [node] and [channel] describe the same machine in the same \
     units. Without [model], predictions follow from [node] and [channel].";

fn is_odd(line: &ResultLine<'_>) -> bool {
    let mean = |column| line.means.mean(column);
    let times = mean("measured").zip(mean("predicted"));
    line.machine.model.is_some()
        && times.is_some_and(|(measured, predicted)| {
            let blocked = mean("blocked_time").unwrap_or_default();
            ModelledTimes { measured, blocked, predicted }.differ()
        })
}

/// Times of a row, in ticks.
pub(crate) struct ModelledTimes {
    pub(crate) measured: f64,
    /// The time that head flits waited, in all.
    pub(crate) blocked: f64,
    pub(crate) predicted: f64,
}

impl ModelledTimes {
    /// True if the model is off by more than a factor of two, and contention, which it leaves out, is not the reason:
    /// contention makes nothing faster, and nothing slower than by all the time that head flits waited.
    pub(crate) fn differ(&self) -> bool {
        let Self { measured, blocked, predicted } = *self;
        predicted > 0.0 && (measured < predicted / ODD || measured - blocked > predicted * ODD)
    }
}

/// Where links differ and what is predicted rests on the costs of all channels, whatever path a message takes.
pub(super) fn uneven_links(lines: &[ResultLine<'_>]) -> Option<Remark> {
    let is_uneven = |line: &ResultLine<'_>| line.machine.model.is_none() && line.machine.is_uneven();
    let lines: Vec<usize> = (0..lines.len()).filter(|&at| is_uneven(&lines[at])).collect();
    if lines.is_empty() {
        return None;
    }
    let text =
        "Predictions assume `channel.flit_time` for all links and ignore the different times of the links.".to_owned();
    Some(Remark { text, lines, doubted: &["predicted"] })
}

/// An algorithm that a scenario names and that a point does without.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LeftOut {
    /// Its name.
    pub algorithm: &'static str,
    /// Why, as what follows its name.
    pub why: String,
}

/// What becomes of an algorithm that does not fit a point.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Unfit {
    /// The scenario is rejected.
    Reject,
    /// The point does without it, and the table says so.
    Skip,
}

impl Unfit {
    /// All, as scenarios name them.
    pub(crate) const ALL: [(&'static str, Self); 2] = [("reject", Self::Reject), ("skip", Self::Skip)];
    /// The key that says which.
    pub(crate) const KEY: Key = Key::word("unfit", |at| Self::ALL.get(at).map(|(name, _)| *name)).or_word("reject");

    /// The error that an algorithm of `named` in `table` does not fit, with the option that leaves it out if others are left.
    pub(crate) fn rejected(wrong: Diagnostic, table: &str, named: usize) -> Diagnostic {
        let leave_out = || format!("`-s {table}.unfit=skip` skips algorithms that do not fit");
        if named > 1 { wrong.hint(leave_out()) } else { wrong }
    }
}
