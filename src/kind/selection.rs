//! The algorithms that a workload compares: those that its table names, or all that fit.

use super::{Copying, LeftOut, Unfit};
use crate::config::{Diagnostic, Names, Reader};
use crate::units::Key;

/// Algorithms that a table names, and the policy for those that do not fit.
pub(crate) struct Selection<'a> {
    table: &'a Reader<'a>,
    names: Names,
    unfit: Unfit,
}

/// Algorithms that a point runs, and those that it skips.
pub(crate) struct Admitted<A: 'static> {
    pub(crate) algorithms: Vec<&'static A>,
    pub(crate) left_out: Vec<LeftOut>,
}

impl<'a> Selection<'a> {
    /// Reads `names`, the key of algorithms, and the policy `unfit`.
    pub(crate) fn read(table: &'a Reader<'a>, names: &Key, unfit: &Key) -> Self {
        let names = table.names(names);
        let unfit = table.choice(unfit, &Unfit::ALL);
        Self { table, names, unfit }
    }

    /// Returns true if `"all"` is given in place of names.
    pub(crate) fn is_every(&self) -> bool {
        self.names.every
    }

    /// Returns true if algorithms that do not fit are left out.
    pub(crate) fn skips(&self) -> bool {
        self.is_every() || self.unfit == Unfit::Skip
    }

    /// The algorithms of `registry` that are named, or all.
    pub(crate) fn names<A>(&self, registry: &'static [A]) -> impl Iterator<Item = &'static A> {
        self.names.chosen.iter().map(|&(_, index)| &registry[index])
    }

    /// Returns the need of routers that copy and combine packets, which the algorithms need that `needs` them.
    pub(crate) fn copying<A>(&self, registry: &'static [A], needs: impl Fn(&A) -> bool) -> Copying {
        match (self.names(registry).any(needs), self.skips()) {
            (false, _) => Copying::Never,
            (true, true) => Copying::IfPossible,
            (true, false) => Copying::Required,
        }
    }

    /// Splits the selected algorithms of `registry` by `admits`, which returns the reason why one does not fit. An algorithm that
    /// is named and does not fit is an error, or skipped, as the policy has it. Of `"all"` those that do not fit are left
    /// out without a word. `none` is the error if none fits, and `note` lists those that do.
    pub(crate) fn admit<A>(
        &self,
        registry: &'static [A],
        name: impl Fn(&A) -> &'static str,
        admits: impl Fn(&A) -> Result<(), String>,
        note: impl Fn(Diagnostic) -> Diagnostic,
        none: &str,
    ) -> Admitted<A> {
        let mut admitted = Admitted { algorithms: Vec::new(), left_out: Vec::new() };
        let named = self.names.chosen.len();
        for &(position, index) in &self.names.chosen {
            let algorithm = &registry[index];
            match admits(algorithm) {
                Ok(()) => admitted.algorithms.push(algorithm),
                Err(_) if self.names.every => {}
                Err(why) if self.unfit == Unfit::Skip => {
                    admitted.left_out.push(LeftOut { algorithm: name(algorithm), why });
                }
                Err(why) => {
                    let place = self.table.place_within_array(&["algorithms"], position);
                    let wrong = Diagnostic::at(place, format!("`{}` {why}", name(algorithm)));
                    let kind = self.table.path();
                    self.table.error(Unfit::rejected(note(wrong), &kind, named));
                }
            }
        }
        if self.skips() && admitted.algorithms.is_empty() && named > 0 {
            self.table.error(note(Diagnostic::at(self.table.place_of("algorithms"), none)));
        }
        admitted
    }
}
