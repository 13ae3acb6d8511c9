//! Rows of operations: checked, executed under the model, and run on the network.

use super::RowId;
use super::row::{Row, RowFailure, measure};
use crate::engine::goal::GoalProgram;
use crate::engine::{Observer, Outcome, Stop};
use crate::model::{Execution, Model, execute};
use crate::scenario::{Experiment, Operations};
use crate::schedule::goal::GoalViolation;
use crate::units::{Flits, MessageId};

/// Proves that the operations can be executed, and executes them under the model.
///
/// # Errors
/// If they cannot, with what is in the way.
pub(super) fn predict(experiment: &Experiment, operations: &Operations) -> Result<Execution, GoalViolation> {
    operations.goal.check()?;
    let eager = experiment.model.as_ref().map_or(u64::MAX, Model::eager);
    execute(&operations.goal, |bytes| experiment.parts(bytes, operations.flit_bytes), eager)
}

fn program<'a>(experiment: &Experiment, operations: &'a Operations) -> GoalProgram<'a> {
    GoalProgram::new(&operations.goal, &operations.nodes, &experiment.node, operations.flit_bytes)
}

pub(super) fn row(
    experiment: &Experiment,
    operations: &Operations,
    id: RowId,
    details: bool,
) -> Result<Row, RowFailure> {
    let goal = &operations.goal;
    let Execution { finish, completion } = predict(experiment, operations)?;
    let row = Row {
        nodes: goal.ranks(),
        messages: goal.messages(),
        predicted: Some(completion),
        hosts: finish,
        ..Row::new(id, operations.format, experiment.seed)
    };
    if experiment.machine.is_none() {
        return Ok(row);
    }
    let program = program(experiment, operations);
    let flits: Vec<Flits> = match details {
        true => (0..row.messages).map(|message| program.flits(MessageId::new(message))).collect(),
        false => Vec::new(),
    };
    let name = |message: usize| (message as u64, flits[message]);
    measure(experiment, row, program, details.then_some(&name))
}

/// Runs the operations where there is a network.
pub(super) fn run_watched<O: Observer>(
    experiment: &Experiment,
    operations: &Operations,
    watch: &mut O,
) -> Option<Result<Outcome, Stop>> {
    let network = experiment.network()?;
    Some(experiment.engine.run(network, experiment.channel, program(experiment, operations), watch))
}
