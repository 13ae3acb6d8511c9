//! The tables that figures can have besides the summary, and that claims can be about.

use crate::workload::KINDS;

/// A table that a figure can have besides the summary, by its name: every message of a schedule, which node holds which
/// blocks after each step, or a file that the rows of a kind add lines to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FigureTable(&'static str);

impl FigureTable {
    /// Every message of a schedule, or every edge of the trees of a broadcast.
    pub const SCHEDULE: Self = Self("schedule");
    /// Which node holds which blocks after each step.
    pub const HOLDINGS: Self = Self("holdings");

    /// All that any kind of workload gives, by name.
    pub fn all() -> Vec<(&'static str, Self)> {
        let files = KINDS.iter().flat_map(|kind| kind.files).map(|file| Self(file.table()));
        let mut all: Vec<Self> = [Self::SCHEDULE, Self::HOLDINGS].into_iter().chain(files).collect();
        let mut seen = Vec::new();
        all.retain(|table| {
            let is_new = !seen.contains(table);
            seen.push(*table);
            is_new
        });
        all.into_iter().map(|table| (table.0, table)).collect()
    }

    /// Its name.
    pub fn name(self) -> &'static str {
        self.0
    }
}
