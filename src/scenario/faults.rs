//! Rows of scenarios with `[faults]`: the machine of a repetition, the columns, and the comparison with a run without faults.

use super::{Experiment, Scenario};
use crate::kind::{Column, FAULTS, Keep, Kind, Row, RowError, RowFailure, RowFile, RowId, fault_columns};
use crate::machine::{Draw, Faults};
use std::borrow::Cow;
use std::sync::Arc;

/// The column of the result that a run without faults is compared in.
fn result_column(kind: &Kind, row: &Row) -> &'static str {
    match kind.open_loop {
        false => "measured",
        true if row.value("makespan").is_some() => "makespan",
        true => "latency",
    }
}

impl Experiment {
    /// The columns that `[faults]` adds.
    pub(super) fn fault_columns(&self) -> &'static [Column] {
        let kind = self.workload.kind();
        fault_columns(kind.columns(self.sizes.is_some()), kind.open_loop)
    }

    /// The faults of its machine, if it can have any.
    fn faults(&self) -> Option<&Arc<Faults>> {
        self.machine.faults.as_ref()
    }

    /// Returns this experiment on the machine of row `id`: with routers if they copy its packets, and with the faults that its repetition
    /// has drawn.
    ///
    /// # Errors
    /// If the routing does not suit what survives the failures of that repetition.
    ///
    /// # Panics
    /// If there is no such variant.
    pub fn in_repetition(&self, id: RowId) -> Result<Cow<'_, Self>, Box<RowError>> {
        let draw = Draw { seed: self.seed, repetition: id.repetition };
        let failed = |error| self.failed(id, RowFailure::plan(error));
        let machine = self.machine_of(id.algorithm);
        Ok(match machine.in_repetition(draw).map_err(failed)? {
            Some(machine) => Cow::Owned(Self { machine: Arc::new(machine), copying: None, ..self.clone() }),
            None if Arc::ptr_eq(machine, &self.machine) => Cow::Borrowed(self),
            None => Cow::Owned(Self { machine: Arc::clone(machine), copying: None, ..self.clone() }),
        })
    }

    /// Sets the columns of `[faults]` of `row`, which has been measured on this machine.
    ///
    /// # Errors
    /// If the run without faults fails.
    pub(super) fn add_faults(&self, row: &mut Row) -> Result<(), Box<RowError>> {
        let Some(faults) = self.faults() else { return Ok(()) };
        row.add_faults(faults, self.machine.network_nodes());
        let kind = self.workload.kind();
        let result = result_column(kind, row);
        let is_compared = faults.spec().baseline.unwrap_or(!kind.open_loop);
        if !is_compared || row.value(result).is_none() {
            return Ok(());
        }
        let baseline = Self { machine: Arc::new(self.machine.baseline()), ..self.clone() };
        let mut without = self.empty_row(row.id);
        let planned = baseline.plan(row.id)?;
        planned.run(&mut without, Keep::default()).map_err(|cause| self.failed(row.id, cause))?;
        row.compare_with_baseline(&without, result, self.fault_columns());
        Ok(())
    }
}

impl Scenario {
    /// The file of faults, if points have any.
    pub(super) fn fault_file(&self) -> Option<&'static RowFile> {
        const FILE: &RowFile = &FAULTS;
        self.points.iter().any(|point| point.experiment.faults().is_some()).then_some(FILE)
    }
}
