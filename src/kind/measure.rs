//! A run, and what it puts into a row and beside it.

use super::links::LinkWatch;
use super::once::OncePerWorm;
use super::row::{Detail, Row, RowFailure};
use crate::engine::program::Causes;
use crate::engine::{Event, Interest, Observer, Outcome, Program};
use crate::machine::{Draw, Machine};
use crate::units::{Flits, MessageId};

/// What is kept of a run besides its row.
#[derive(Default)]
pub struct Keep<'a> {
    /// Whether what happened to every message is.
    pub messages: bool,
    /// Whether every link is, where something moves over links, even if the scenario does not ask for it.
    pub links: bool,
    /// Who watches every hop, if anything does.
    pub watch: Option<&'a mut dyn Observer>,
}

impl Keep<'_> {
    /// What happened to every message if `messages`.
    pub fn messages(messages: bool) -> Self {
        Self { messages, ..Self::default() }
    }

    /// Whether the messages have to be run, and not only their sums computed.
    pub fn wants_messages(&self) -> bool {
        self.messages || self.links || self.watch.is_some()
    }
}

/// What is written of a run beside its row.
pub struct Beside<'a, 'k> {
    /// What is kept of its messages.
    pub keep: Keep<'k>,
    /// Whether every link is written.
    pub links: bool,
    /// The id and the length of a message.
    pub name: &'a dyn Fn(usize) -> (u64, Flits),
}

/// Runs `program` on `machine`, puts the results into `row`, and writes the files `beside` it. Returns `None` without a network.
///
/// # Errors
/// If the run ends in a deadlock.
pub fn measure<P: Program + Clone>(
    machine: &Machine,
    program: P,
    row: &mut Row,
    beside: Beside<'_, '_>,
) -> Result<Option<Outcome>, RowFailure> {
    let Beside { keep, links, name } = beside;
    let links = links || keep.links;
    let draw = Draw { seed: row.seed, repetition: row.id.repetition };
    if !links && !keep.wants_messages() {
        let Some(outcome) = machine.run(program, draw, &mut ()) else { return Ok(None) };
        let outcome = outcome?;
        row.measure(&outcome);
        return Ok(Some(outcome));
    }
    let flits = |message: MessageId| name(message.index()).1;
    let links = links.then(|| OncePerWorm::new(LinkWatch::new(&flits), &program));
    let mut watches = Watches::new(links, keep);
    let Some(outcome) = machine.run(program, draw, &mut watches) else { return Ok(None) };
    let outcome = outcome?;
    watches.record(&outcome, machine, row, name);
    Ok(Some(outcome))
}

/// The same for a program that is asked afterwards what became of it, on routers; nothing without any.
///
/// # Errors
/// If the run ends in a deadlock.
pub(crate) fn measure_in_place(
    machine: &Machine,
    program: &mut dyn Program,
    row: &mut Row,
    beside: Beside<'_, '_>,
) -> Result<Option<Outcome>, RowFailure> {
    let Beside { keep, links, name } = beside;
    let links = links || keep.links;
    let draw = Draw { seed: row.seed, repetition: row.id.repetition };
    let flits = |message: MessageId| name(message.index()).1;
    let links = links.then(|| OncePerWorm::new(LinkWatch::new(&flits), &*program));
    let mut watches = Watches::new(links, keep);
    let Some(outcome) = machine.run_in_place(program, draw, &mut watches) else { return Ok(None) };
    let outcome = outcome?;
    watches.record(&outcome, machine, row, name);
    Ok(Some(outcome))
}

/// All that watch a run.
struct Watches<'a, 'k> {
    links: Option<OncePerWorm<LinkWatch<'a>>>,
    messages: bool,
    causes: Causes,
    other: Option<&'k mut dyn Observer>,
}

impl<'a, 'k> Watches<'a, 'k> {
    fn new(links: Option<OncePerWorm<LinkWatch<'a>>>, keep: Keep<'k>) -> Self {
        Self { links, messages: keep.messages, causes: Causes::default(), other: keep.watch }
    }

    /// Puts what was seen of a run with this `outcome` into `row`.
    fn record(self, outcome: &Outcome, machine: &Machine, row: &mut Row, name: &dyn Fn(usize) -> (u64, Flits)) {
        row.measure(outcome);
        if let Some(links) = self.links {
            row.add_links(links.observer.lines(machine, row.measured()));
        }
        if self.messages {
            let messages = outcome.messages.iter().zip(self.causes.sends).enumerate();
            let detail = |(number, (&outcome, began))| {
                let (id, flits) = name(number);
                Detail { id, flits, outcome, began }
            };
            row.details = messages.map(detail).collect();
        }
    }
}

impl Observer for Watches<'_, '_> {
    /// Messages alone are not watched: what happened to them is known at the end.
    fn interest(&self) -> Interest {
        let interest = Interest { causes: self.messages, ..Interest::NOTHING };
        interest.and(self.links.interest()).and(self.other.interest())
    }

    fn event(&mut self, event: Event<'_>) {
        self.links.event(event);
        self.other.event(event);
        if let Event::Ended(causes) = event {
            self.causes.clone_from(causes);
        }
    }
}
