//! A run, and what it puts into a row and beside it.

use super::energy::TraversalWatch;
use super::faults;
use super::links::LinkWatch;
use super::once::OncePerWorm;
use super::row::{Detail, Row, RowFailure};
use super::tree_deadlock::check_trees;
use crate::engine::program::Causes;
use crate::engine::{Event, Interest, MessageSet, Observer, Outcome, Program};
use crate::machine::{DeadlockPolicy, Draw, Machine};
use crate::units::{Flits, MessageId};

/// The files with details that a run writes in addition to its rows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct DetailFiles {
    /// True if messages.csv is written, with the times of every message.
    pub messages: bool,
    /// True if hops.csv is written, with every hop of every message.
    pub hops: bool,
    /// True if timeline.csv is written, with the activities of the processors of every rank.
    pub timeline: bool,
}

/// What is kept of a run besides its row.
#[derive(Default)]
pub struct Keep<'a> {
    /// True if the times of every message are kept.
    pub messages: bool,
    /// True if the timeline is kept, in runs of operations.
    pub timeline: bool,
    /// Whether every link is, where something moves over links, even if the scenario does not ask for it.
    pub links: bool,
    /// Who watches every hop, if anything does.
    pub watch: Option<&'a mut dyn Observer>,
}

impl Keep<'_> {
    /// The details that `kept` names, other than hops.
    pub fn from_files(kept: DetailFiles) -> Self {
        Self { messages: kept.messages, timeline: kept.timeline, ..Self::default() }
    }

    /// What happened to every message if `messages`.
    pub fn messages(messages: bool) -> Self {
        Self { messages, ..Self::default() }
    }

    /// Whether the messages have to be run, and not only their sums computed.
    pub fn wants_messages(&self) -> bool {
        self.messages || self.timeline || self.links || self.watch.is_some()
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
    Ok(measure_with_causes(machine, program, row, beside)?.map(|(outcome, _)| outcome))
}

/// Does the same as [`measure`], and returns the causes of the sends too if messages or a timeline are kept.
///
/// # Errors
/// If the run ends in a deadlock.
pub(crate) fn measure_with_causes<P: Program + Clone>(
    machine: &Machine,
    program: P,
    row: &mut Row,
    beside: Beside<'_, '_>,
) -> Result<Option<(Outcome, Causes)>, RowFailure> {
    let Beside { keep, links, name } = beside;
    let links = links || keep.links;
    let draw = Draw { seed: row.seed, repetition: row.id.repetition };
    if !faults::count_messages(machine, &program, row) {
        return Ok(None);
    }
    refuse_deadlocks(machine, &program, name)?;
    let flits = |message: MessageId| name(message.index()).1;
    let traversals = TraversalWatch::for_energy(machine, &program, &flits);
    if !links && !keep.wants_messages() && traversals.is_none() {
        let Some(outcome) = machine.run(program, draw, &mut ()) else { return Ok(None) };
        let outcome = outcome?;
        row.measure(&outcome);
        row.measure_energy(machine, &outcome, &|message| name(message).1, None);
        return Ok(Some((outcome, Causes::default())));
    }
    let links = links.then(|| OncePerWorm::new(LinkWatch::new(&flits), &program));
    let mut watches = Watches::new(links, traversals, keep);
    let Some(outcome) = machine.run(program, draw, &mut watches) else { return Ok(None) };
    let outcome = outcome?;
    let causes = watches.record(&outcome, machine, row, name);
    Ok(Some((outcome, causes)))
}

/// Refuses packets that routers copy or combine and that can deadlock, unless the scenario accepts that.
fn refuse_deadlocks(
    machine: &Machine,
    program: &dyn MessageSet,
    name: &dyn Fn(usize) -> (u64, Flits),
) -> Result<(), RowFailure> {
    if program.has_worms() && machine.deadlock == DeadlockPolicy::Refuse {
        check_trees(machine, program, &|message| name(message).0)?;
    }
    Ok(())
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
    if !faults::count_messages(machine, program, row) {
        return Ok(None);
    }
    let flits = |message: MessageId| name(message.index()).1;
    let links = links.then(|| OncePerWorm::new(LinkWatch::new(&flits), &*program));
    let mut watches = Watches::new(links, TraversalWatch::for_energy(machine, &*program, &flits), keep);
    let Some(outcome) = machine.run_in_place(program, draw, &mut watches) else { return Ok(None) };
    let outcome = outcome?;
    watches.record(&outcome, machine, row, name);
    Ok(Some(outcome))
}

/// All that watch a run.
struct Watches<'a, 'k> {
    links: Option<OncePerWorm<LinkWatch<'a>>>,
    traversals: Option<TraversalWatch<'a>>,
    messages: bool,
    timeline: bool,
    causes: Causes,
    other: Option<&'k mut dyn Observer>,
}

impl<'a, 'k> Watches<'a, 'k> {
    fn new(links: Option<OncePerWorm<LinkWatch<'a>>>, traversals: Option<TraversalWatch<'a>>, keep: Keep<'k>) -> Self {
        let Keep { messages, timeline, watch: other, .. } = keep;
        Self { links, traversals, messages, timeline, causes: Causes::default(), other }
    }

    /// Adds what was seen of a run with this `outcome` to `row`. Returns the causes.
    fn record(
        self,
        outcome: &Outcome,
        machine: &Machine,
        row: &mut Row,
        name: &dyn Fn(usize) -> (u64, Flits),
    ) -> Causes {
        row.measure(outcome);
        let traversals = self.traversals.map(TraversalWatch::finish);
        row.measure_energy(machine, outcome, &|message| name(message).1, traversals.as_ref());
        if let Some(links) = self.links {
            row.add_links(links.observer.lines(machine, row.measured()));
        }
        if self.messages {
            let messages = outcome.messages.iter().zip(&self.causes.sends).enumerate();
            let detail = |(number, (&outcome, &began))| {
                let (id, flits) = name(number);
                Detail { id, flits, outcome, began }
            };
            row.details = messages.map(detail).collect();
        }
        self.causes
    }
}

impl Observer for Watches<'_, '_> {
    /// Messages alone are not watched: what happened to them is known at the end.
    fn interest(&self) -> Interest {
        let interest = Interest { causes: self.messages || self.timeline, ..Interest::NOTHING };
        interest.and(self.links.interest()).and(self.traversals.interest()).and(self.other.interest())
    }

    fn event(&mut self, event: Event<'_>) {
        self.links.event(event);
        self.traversals.event(event);
        self.other.event(event);
        if let Event::Ended(causes) = event {
            self.causes.clone_from(causes);
        }
    }
}
