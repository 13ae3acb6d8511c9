//! Operations of ranks under LogGOPS as values: drawn, made smaller, written as a scenario.

use super::features::{Feature, Swarm};
use super::report::CaseFile;
use super::subject::Specimen;
use crate::kind::words::counted;
use crate::model::LogGops;
use crate::schedule::goal::{ANY, ANY_TAG, Action, Goal, GoalBuilder, Operation};
use crate::units::narrow;
use std::fmt::Write as _;

/// What ranks do, and what that costs.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Operations {
    pub(super) model: LogGops,
    pub(super) ranks: Vec<Vec<Step>>,
}

/// An operation of a rank, and what it waits for.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Step {
    /// The message that it belongs to, by its place in the order in which they were drawn.
    message: usize,
    operation: Operation,
    after: Vec<After>,
}

/// An earlier operation of the same rank.
#[derive(Clone, Copy, Debug, PartialEq)]
struct After {
    /// Its place in the rank.
    step: usize,
    /// Whether it is enough that it has started.
    started: bool,
}

/// What programs may have.
pub(super) const FEATURES: &[Feature] = &[
    Feature::ManyMessages,
    Feature::LongMessages,
    Feature::EmptyMessages,
    Feature::HotSpot,
    Feature::Computations,
    Feature::StartDependencies,
    Feature::Wildcards,
    Feature::AnyTag,
    Feature::FewTags,
    Feature::Rendezvous,
    Feature::Resources,
    Feature::Unmatched,
    Feature::GapPerByte,
    Feature::OverheadPerByte,
];

/// How operations of a case are drawn.
struct Drawing {
    ranks: u32,
    hot: Option<u32>,
    sizes: Vec<u64>,
    tags: u32,
    /// By how much one tag is higher than the one before: tags that are equal in 32 bits are not the same.
    tag_step: u64,
    resources: u8,
    wild: bool,
    any_tag: bool,
    computes: bool,
    unmatched: bool,
}

impl Drawing {
    fn new(swarm: &mut Swarm) -> Self {
        let ranks = swarm.draw(1..=8);
        let mut sizes = vec![1, 7];
        if swarm.has(Feature::LongMessages, 0.6) {
            sizes.extend([64, 1000, 4096]);
        }
        if swarm.has(Feature::EmptyMessages, 0.6) {
            sizes.push(0);
        }
        Self {
            ranks,
            hot: swarm.has(Feature::HotSpot, 0.4).then(|| swarm.draw(0..ranks)),
            sizes,
            tags: if swarm.has(Feature::FewTags, 0.6) { swarm.draw(1..=3) } else { 1000 },
            resources: if swarm.has(Feature::Resources, 0.5) { 3 } else { 1 },
            wild: swarm.has(Feature::Wildcards, 0.5),
            any_tag: swarm.has(Feature::AnyTag, 0.4),
            computes: swarm.has(Feature::Computations, 0.6),
            unmatched: swarm.has(Feature::Unmatched, 0.3),
            tag_step: if swarm.toss(0.2) { 1 << 32 } else { 1 },
        }
    }

    fn resource(&self, swarm: &mut Swarm, operation: Operation) -> Operation {
        let nics = if operation.action == Action::Compute { 1 } else { self.resources };
        Operation { cpu: swarm.draw(0..self.resources), nic: swarm.draw(0..nics), ..operation }
    }

    /// A message, its receive, and now and then a computation, at the ends of their ranks.
    fn message(&self, swarm: &mut Swarm, message: usize, ranks: &mut [Vec<Step>]) {
        let src = swarm.draw(0..self.ranks);
        let dst = self.hot.unwrap_or_else(|| swarm.draw(0..self.ranks));
        let tag = u64::from(swarm.draw(0..self.tags)) * self.tag_step;
        let size = swarm.one_of(&self.sizes);
        let mut is_any = |is_on: bool| is_on && swarm.toss(0.3);
        let send = Operation::send(size, dst, if is_any(self.any_tag) { ANY_TAG } else { tag });
        let source = if is_any(self.wild) { ANY } else { src };
        let receive = Operation::receive(size, source, if is_any(self.any_tag) { ANY_TAG } else { tag });
        if !(self.unmatched && swarm.toss(0.05)) {
            ranks[src as usize].push(self.step(swarm, message, send));
        }
        if !(self.unmatched && swarm.toss(0.05)) {
            ranks[dst as usize].push(self.step(swarm, message, receive));
        }
        if self.computes && swarm.toss(0.3) {
            let computation = Operation::compute(swarm.draw(0..5000));
            ranks[src as usize].push(self.step(swarm, message, computation));
        }
    }

    fn step(&self, swarm: &mut Swarm, message: usize, operation: Operation) -> Step {
        Step { message, operation: self.resource(swarm, operation), after: Vec::new() }
    }
}

/// Lets operations of `rank` wait for earlier ones.
fn wait(swarm: &mut Swarm, rank: &mut [Step], loose: bool) {
    for (at, step) in rank.iter_mut().enumerate().skip(1) {
        for _ in 0..swarm.draw(0..3) {
            let started = loose && swarm.toss(0.4);
            step.after.push(After { step: swarm.draw(0..at), started });
        }
    }
}

impl Operations {
    pub(super) fn draw(swarm: &mut Swarm) -> Self {
        swarm.begin();
        let drawing = Drawing::new(swarm);
        let most = if swarm.has(Feature::ManyMessages, 0.4) { 60 } else { 12 };
        let mut ranks = vec![Vec::new(); drawing.ranks as usize];
        for message in 0..swarm.draw(1..=most) {
            drawing.message(swarm, message, &mut ranks);
        }
        let loose = swarm.has(Feature::StartDependencies, 0.5);
        ranks.iter_mut().for_each(|rank| wait(swarm, rank, loose));
        Self { model: draw_model(swarm), ranks }
    }

    /// As the executors take it.
    pub(super) fn goal(&self) -> Goal {
        let mut builder = GoalBuilder::default();
        for rank in &self.ranks {
            builder.next_rank();
            let first = builder.next();
            let id = |step: usize| {
                let place: u32 = narrow(step, "cases are small");
                first + place
            };
            for (at, step) in rank.iter().enumerate() {
                builder.push(step.operation);
                for after in &step.after {
                    match after.started {
                        true => builder.irequires(id(at), id(after.step)),
                        false => builder.requires(id(at), id(after.step)),
                    }
                }
            }
        }
        builder.finish()
    }

    /// The same where everything takes `factor` times as long.
    pub(super) fn slower(&self, factor: u64) -> Self {
        let mut slower = self.clone();
        let LogGops { latency, overhead, gap, gap_per_byte, overhead_per_byte, eager } = self.model;
        slower.model = LogGops {
            latency: latency * factor,
            overhead: overhead * factor,
            gap: gap * factor,
            gap_per_byte: gap_per_byte * factor,
            overhead_per_byte: overhead_per_byte * factor,
            eager,
        };
        let computations = slower.ranks.iter_mut().flatten().map(|step| &mut step.operation);
        computations.filter(|operation| operation.action == Action::Compute).for_each(|it| it.size *= factor);
        slower
    }

    /// The operations for which `keeps` says so; what waited for others waits no more.
    fn kept(&self, mut keeps: impl FnMut(&Step) -> bool) -> Self {
        let ranks = self.ranks.iter().map(|rank| {
            let kept: Vec<bool> = rank.iter().map(&mut keeps).collect();
            // where each that is kept now stands
            let places: Vec<usize> =
                (0..rank.len()).map(|at| kept[..at].iter().filter(|kept| **kept).count()).collect();
            let moved = |after: &After| kept[after.step].then(|| After { step: places[after.step], ..*after });
            let steps = rank.iter().zip(&kept).filter(|(_, kept)| **kept).map(|(step, _)| step);
            steps.map(|step| Step { after: step.after.iter().filter_map(moved).collect(), ..step.clone() }).collect()
        });
        Self { model: self.model, ranks: ranks.collect() }
    }

    /// Without half of the messages, a quarter, and so on to each one, and without each operation.
    fn fewer(&self) -> Vec<Self> {
        let mut messages: Vec<usize> = self.ranks.iter().flatten().map(|step| step.message).collect();
        messages.sort_unstable();
        messages.dedup();
        let mut all = Vec::new();
        let mut size = messages.len() / 2;
        while size > 0 {
            all.extend(messages.chunks(size).map(|gone| self.kept(|step| !gone.contains(&step.message))));
            size /= 2;
        }
        let count = self.ranks.iter().flatten().count();
        all.extend((0..count).map(|gone| {
            let mut place = 0..;
            self.kept(|_| place.next() != Some(gone))
        }));
        all
    }

    /// Without the last rank, whose operations go and whose number others name no more.
    fn without_last_rank(&self) -> Option<Self> {
        let last: u32 = narrow(self.ranks.len().checked_sub(2)?, "cases have few ranks");
        let mut fewer = self.clone();
        fewer.ranks.pop();
        let operations = fewer.ranks.iter_mut().flatten().map(|step| &mut step.operation);
        let named = operations.filter(|operation| operation.action != Action::Compute && operation.peer != ANY);
        named.for_each(|operation| operation.peer = operation.peer.min(last));
        Some(fewer)
    }

    /// Those in which one operation is plainer, or waits for one less.
    fn plainer_operations(&self) -> Vec<Self> {
        let mut all = Vec::new();
        for (rank, steps) in self.ranks.iter().enumerate() {
            for (at, step) in steps.iter().enumerate() {
                for gone in 0..step.after.len() {
                    let mut other = self.clone();
                    other.ranks[rank][at].after.remove(gone);
                    all.push(other);
                }
                for operation in plainer(step.operation) {
                    let mut other = self.clone();
                    other.ranks[rank][at].operation = operation;
                    all.push(other);
                }
            }
        }
        all
    }
}

/// `operation` with less of something.
fn plainer(operation: Operation) -> Vec<Operation> {
    let all = [
        Operation { size: 0, ..operation },
        Operation { size: operation.size / 2, ..operation },
        Operation { cpu: 0, nic: 0, ..operation },
        Operation { tag: 0, ..operation },
    ];
    all.into_iter().filter(|other| *other != operation).collect()
}

/// Models in which something costs less.
fn cheaper(model: LogGops) -> Vec<LogGops> {
    let less = |value: u64| [0, value / 2];
    let mut all: Vec<LogGops> = Vec::new();
    all.extend(less(model.latency).map(|latency| LogGops { latency, ..model }));
    all.extend(less(model.overhead).map(|overhead| LogGops { overhead, ..model }));
    all.extend(less(model.gap).map(|gap| LogGops { gap, ..model }));
    all.extend(less(model.gap_per_byte).map(|gap_per_byte| LogGops { gap_per_byte, ..model }));
    all.extend(less(model.overhead_per_byte).map(|overhead_per_byte| LogGops { overhead_per_byte, ..model }));
    all.push(LogGops { eager: EAGER, ..model });
    all.retain(|other| *other != model);
    all
}

/// Longer than any message of a case.
const EAGER: u64 = 1 << 40;

fn draw_model(swarm: &mut Swarm) -> LogGops {
    let eager = if swarm.has(Feature::Rendezvous, 0.7) { swarm.one_of(&[0, 1, 7, 63, 64, 1000]) } else { EAGER };
    let per_byte = swarm.has(Feature::GapPerByte, 0.7);
    let overhead_per_byte = swarm.has(Feature::OverheadPerByte, 0.7);
    let mut draw = |most: u64| if swarm.toss(0.2) { 0 } else { swarm.draw(1..=most) };
    LogGops {
        latency: draw(3000),
        overhead: draw(1500),
        gap: draw(1500),
        gap_per_byte: if per_byte { draw(6) } else { 0 },
        overhead_per_byte: if overhead_per_byte { draw(4) } else { 0 },
        eager,
    }
}

impl Specimen for Operations {
    fn smaller(&self) -> Vec<Self> {
        let mut all = self.fewer();
        all.extend(self.without_last_rank());
        all.extend(self.plainer_operations());
        all.extend(cheaper(self.model).into_iter().map(|model| Self { model, ..self.clone() }));
        all
    }

    fn in_words(&self) -> String {
        let operations = counted(self.ranks.iter().flatten().count() as u64, "operation");
        format!("{operations} of {}", counted(self.ranks.len() as u64, "rank"))
    }

    fn written(&self, name: &str, about: &str) -> Vec<CaseFile> {
        let LogGops { latency, overhead, gap, gap_per_byte, overhead_per_byte, eager } = self.model;
        let mut scenario: String = about.lines().map(|line| format!("# {line}\n")).collect();
        let _ = write!(
            scenario,
            "\nname = \"{name}\"\n\n[model.loggops]\nL = {latency}\no = {overhead}\ng = {gap}\nG = {gap_per_byte}\n\
             O = {overhead_per_byte}\nS = {eager}\n\n[workload.goal]\nfile = \"{GOAL}\"\n"
        ); // a string takes everything
        let mut text = Vec::new();
        // a vector takes everything
        let _ = self.goal().write_text(&mut text);
        let text = String::from_utf8_lossy(&text).into_owned();
        vec![CaseFile { name: SCENARIO, text: scenario }, CaseFile { name: GOAL, text }]
    }
}

/// What the files of a case are called.
const SCENARIO: &str = "case.toml";
const GOAL: &str = "operations.goal";
