//! What a row plans, line by line: who sends what to whom, or what nodes hold after each step.

use super::broadcast::trees_csv;
use super::exchange::{HOLDINGS, exchange_csv, holdings_csv};
use super::schedule::{SCHEDULE, schedule_csv};
use crate::run::{RowError, RowFailure, RowId, broadcast_plan, exchange_model, exchange_plan, schedule};
use crate::scenario::{Experiment, Workload};
use std::io::Write;
use thiserror::Error;

/// What is listed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Listing {
    /// The messages of a schedule, or the sends of a broadcast's trees.
    Schedule,
    /// The blocks that each node of an exchange holds after each step.
    Holdings,
}

/// Why a row cannot be listed.
#[derive(Debug, Error)]
pub enum ListingError {
    /// It cannot be planned.
    #[error(transparent)]
    Row(Box<RowError>),
    /// A line cannot be written.
    #[error(transparent)]
    Csv(#[from] csv::Error),
}

impl Listing {
    /// The names of the columns.
    #[must_use]
    pub fn header(self) -> &'static [&'static str] {
        match self {
            Self::Schedule => &SCHEDULE,
            Self::Holdings => &HOLDINGS,
        }
    }

    /// Whether a `workload` has such lines.
    #[must_use]
    pub fn exists_for(self, workload: &Workload) -> bool {
        match workload {
            Workload::Exchange(_) => true,
            Workload::Multicast(_) | Workload::Broadcast(_) => self == Self::Schedule,
            _ => false,
        }
    }

    /// Writes the lines of the row `id` of `experiment`, without the header; false if its workload has no such lines.
    ///
    /// # Errors
    /// If the row cannot be planned or a line cannot be written.
    pub fn write<W: Write>(
        self,
        csv: &mut csv::Writer<W>,
        experiment: &Experiment,
        id: RowId,
    ) -> Result<bool, ListingError> {
        let name = (experiment.workload.algorithm(id.algorithm), id.repetition);
        let failed = |cause: RowFailure| ListingError::Row(Box::new(RowError::of(experiment, id, cause)));
        match (&experiment.workload, self) {
            (Workload::Multicast(multicast), Self::Schedule) => {
                let Some((planned, _)) = schedule(experiment, id).map_err(failed)? else { return Ok(false) };
                let prices = multicast.model(experiment.times(multicast.flits)).price(&planned, experiment.node.ports);
                schedule_csv(csv, name, &planned, &prices, experiment.network())?;
            }
            (Workload::Exchange(workload), Self::Schedule) => {
                let planned = exchange_plan(workload, id).map_err(failed)?;
                let prices = exchange_model(experiment, workload).price(&planned);
                exchange_csv(csv, name, &planned, &prices, workload.block_flits.0)?;
            }
            (Workload::Exchange(workload), Self::Holdings) => {
                holdings_csv(csv, name, &exchange_plan(workload, id).map_err(failed)?)?;
            }
            (Workload::Broadcast(workload), Self::Schedule) => {
                let (costs, trees) = broadcast_plan(experiment.seed, workload, id).map_err(failed)?;
                trees_csv(csv, name, &costs.predicted, workload.root, &trees)?;
            }
            _ => return Ok(false),
        }
        Ok(true)
    }
}
