//! The columns of the rows of a scenario: those of its kind of workload, and those that tables of the scenario add.

use super::Column;

/// The columns of rows, in the order of the table that `run` prints.
///
/// ```
/// use flitwise::kind::{Column, Columns, MEASURED};
/// const OWN: &[Column] = &[Column::count("steps"), MEASURED];
/// const ADDED: &[Column] = &[Column::count("failed_links")];
/// let names: Vec<&str> = Columns::of_kind(OWN).with(ADDED).stored().map(|column| column.name).collect();
/// assert_eq!(names, ["measured", "steps", "failed_links"]);
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Columns {
    parts: [&'static [Column]; PARTS],
}

/// The columns of the kind, and those of as many tables as add some.
const PARTS: usize = 3;

impl Columns {
    /// The columns of a kind alone.
    pub const fn of_kind(columns: &'static [Column]) -> Self {
        let mut parts: [&[Column]; PARTS] = [&[]; PARTS];
        parts[0] = columns;
        Self { parts }
    }

    /// Appends the columns that a table of the scenario adds.
    ///
    /// # Panics
    /// If more tables add columns than there are.
    #[must_use]
    pub fn with(mut self, added: &'static [Column]) -> Self {
        #[expect(clippy::expect_used, reason = "as many tables add columns as there are places")]
        let part = self.parts.iter_mut().find(|part| part.is_empty()).expect("a place for the columns of each table");
        *part = added;
        self
    }

    /// All columns, those that only the table shows included.
    pub fn iter(self) -> impl Iterator<Item = &'static Column> + Clone {
        self.parts.into_iter().flatten()
    }

    /// The columns that files have, in their order: the common ones first.
    pub fn stored(self) -> impl Iterator<Item = &'static Column> + Clone {
        let common = self.iter().filter(|column| column.is_stored() && column.common);
        common.chain(self.iter().filter(|column| column.is_stored() && !column.common))
    }
}
