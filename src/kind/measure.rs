//! A run, and what it puts into a row and beside it.

use super::links::LinkWatch;
use super::row::{Detail, Row, RowFailure};
use crate::engine::{Observer, Program};
use crate::machine::{Draw, Machine};
use crate::units::{Flits, MessageId};

/// What is written of a run beside its row.
#[derive(Clone, Copy)]
pub struct Beside<'a> {
    /// Whether every message is.
    pub messages: bool,
    /// Whether every link is.
    pub links: bool,
    /// The id and the length of a message.
    pub name: &'a dyn Fn(usize) -> (u64, Flits),
}

/// Runs `program` on `machine` and puts what was measured into `row`, with what is written `beside` it; nothing without a
/// network.
///
/// # Errors
/// If the run ends in a deadlock.
pub fn measure<P: Program + Clone>(
    machine: &Machine,
    program: P,
    row: &mut Row,
    beside: Beside<'_>,
) -> Result<(), RowFailure> {
    if !beside.links {
        return watched(machine, program, row, beside, &mut ());
    }
    let flits = |message: MessageId| (beside.name)(message.index()).1;
    let mut watch = LinkWatch::new(&flits);
    watched(machine, program, row, beside, &mut watch)?;
    row.add_links(watch.lines(machine, row.measured()));
    Ok(())
}

fn watched<P: Program + Clone, O: Observer>(
    machine: &Machine,
    program: P,
    row: &mut Row,
    beside: Beside<'_>,
    observer: &mut O,
) -> Result<(), RowFailure> {
    let draw = Draw { seed: row.seed, repetition: row.id.repetition };
    let Some(outcome) = machine.run(program, draw, observer) else { return Ok(()) };
    let outcome = outcome?;
    row.measure(&outcome);
    if beside.messages {
        let detail = |(number, outcome)| {
            let (id, flits) = (beside.name)(number);
            Detail { id, flits, outcome }
        };
        row.details = outcome.messages.into_iter().enumerate().map(detail).collect();
    }
    Ok(())
}
