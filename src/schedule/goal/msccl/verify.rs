//! The data: every step is taken once, with the names of chunks instead of numbers, and the outputs are compared with the
//! postcondition of the collective. O(chunks moved + chunks of all outputs) time; a sum takes a bit a GPU.

use super::collective::{Call, Collective, Layout, Required};
use super::memory::{NoSum, Value};
use super::order::Order;
use super::races::{Race, Races};
use super::{Algorithm, Buffer, Placement, Slice, StepKind};
use crate::cancel::Pace;
use crate::schedule::goal::{Concerned, GoalFault, GoalViolation};
use rustc_hash::FxHashMap;

/// Chunks in the buffers of all GPUs that are followed at most, and how often chunks are moved.
const MOST_CHUNKS: u64 = 1 << 23;
const MOST_MOVED: u64 = 1 << 26;

/// The most mistakes that are shown.
const SHOWN: usize = 3;

/// The judgement of the data of an algorithm.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DataCheck {
    /// The postcondition of the collective holds: the proof in a sentence.
    Proved(String),
    /// They were not followed, for this reason.
    Unchecked(String),
    /// The postcondition does not hold.
    Violated(GoalViolation),
}

impl Algorithm {
    /// Follows the data and compares the outputs with the postcondition of the collective.
    pub fn verify(&self) -> DataCheck {
        if let Some(reason) = self.obstacle() {
            return DataCheck::Unchecked(reason);
        }
        let order = self.order();
        if order.steps.len() < self.steps.len() {
            return DataCheck::Unchecked("steps wait for each other".to_owned());
        }
        match self.collective {
            Some(collective) => self.check_postcondition(collective, &order),
            None => match self.races(&order, |gpu| Layout::contiguous(self.gpus[gpu].sizes)) {
                Races::Found(race) => DataCheck::Violated(self.race_fault(race)),
                Races::None | Races::Unknown => DataCheck::Unchecked(self.unknown()),
            },
        }
    }

    /// Compares the outputs with the postcondition of `collective`, for each placement with which it may be called.
    fn check_postcondition(&self, collective: Collective, order: &Order) -> DataCheck {
        let (gpus, chunks) = (self.gpus.len() as u64, self.chunks);
        let mut root = 0;
        let mut timing = "";
        for &placement in &self.placements {
            let call = Call { collective, placement, gpus, chunks };
            let mut data = Data::new(self, order, call);
            data.take_all();
            root = data.likely_root();
            if let Some(violation) = data.violation(root) {
                return DataCheck::Violated(violation);
            }
            match self.races(order, |gpu| data.layouts[gpu]) {
                Races::None => {}
                Races::Found(race) => return DataCheck::Violated(self.race_fault(race)),
                Races::Unknown => timing = "; there are too many steps to check for races",
            }
        }
        DataCheck::Proved(format!(
            "{collective}: {} ({gpus} gpus, {chunks} chunks){timing}",
            collective.postcondition(root)
        ))
    }

    /// Two steps access a chunk without an order.
    fn race_fault(&self, Race { first, second }: Race) -> GoalViolation {
        let concerned = |at: usize| self.step_concerned(at, "accesses the chunk here");
        let message = format!(
            "the result depends on timing: {} and {} of gpu {} access the same chunk, and neither waits for the other",
            self.block_step(first),
            self.block_step(second),
            self.gpu_of(first)
        );
        let hint = Some("let one of them wait for the other: `depid` and `deps`".to_owned());
        GoalViolation::new(GoalFault { message, operations: vec![concerned(first), concerned(second)], hint })
    }

    /// Step number `at` as part of a fault.
    fn step_concerned(&self, at: usize, role: &str) -> Concerned {
        let owner = self.owner(at);
        let line = self.steps[at].line;
        Concerned { role: format!("{owner} {role}"), line: Some(line), operation: format!("line {line}"), owner }
    }

    /// A GPU as part of a fault.
    fn gpu_concerned(&self, gpu: u32) -> Concerned {
        let owner = format!("gpu {gpu}");
        let line = self.gpus[gpu as usize].line;
        Concerned { role: owner.clone(), line: Some(line), operation: format!("line {line}"), owner }
    }

    /// The reason why a collective of this name has no postcondition.
    fn unknown(&self) -> String {
        match self.name.as_str() {
            "" => "the file has no `coll`".to_owned(),
            "custom" => "the `coll` \"custom\" has no postcondition".to_owned(),
            name => format!("the postcondition of the `coll` \"{name}\" is not known"),
        }
    }

    /// The reason why the data cannot be followed, if there is one.
    fn obstacle(&self) -> Option<String> {
        let lacks = |at: &usize| {
            let step = &self.steps[*at];
            step.kind.reads() && step.source.is_none() || step.kind.writes() && step.target.is_none()
        };
        if let Some(at) = (0..self.steps.len()).find(lacks) {
            return Some(format!("{} does not name the chunks that it reads and writes", self.owner(at)));
        }
        let sum = |sizes: &[u64; 3]| sizes.iter().fold(2 * self.chunks, |sum, size| sum.saturating_add(*size));
        let held = self.gpus.iter().fold(0_u64, |all, gpu| all.saturating_add(sum(&gpu.sizes)));
        let moved = self.steps.iter().fold(0_u64, |all, step| all.saturating_add(step.count));
        (held > MOST_CHUNKS || moved > MOST_MOVED)
            .then(|| format!("there are too many: {held} chunks, moved {moved} times"))
    }
}

/// A chunk of the memory of a GPU.
#[derive(Clone)]
struct Cell {
    value: Value,
    /// The step that wrote it, if one has.
    writer: Option<usize>,
}

/// The first step at which data went wrong, and how.
struct Mistake {
    step: usize,
    role: String,
}

/// The cause of a violation of the postcondition.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Cause {
    /// Data that went wrong at this step.
    Mistake(usize),
    /// This step wrote other data.
    Writer(usize),
    /// No step of this GPU wrote it.
    Unwritten(u32),
}

struct Data<'a> {
    algorithm: &'a Algorithm,
    order: &'a Order,
    call: Call,
    layouts: Vec<Layout>,
    memory: Vec<Vec<Cell>>,
    /// Messages that are not received yet, by the step that sends them.
    sent: FxHashMap<usize, Vec<Value>>,
    mistakes: Vec<Mistake>,
}

impl<'a> Data<'a> {
    /// The data at the beginning: each GPU has the chunks of its input, and nothing else.
    fn new(algorithm: &'a Algorithm, order: &'a Order, call: Call) -> Self {
        let mut layouts = Vec::with_capacity(algorithm.gpus.len());
        let mut memory = Vec::with_capacity(algorithm.gpus.len());
        for (number, gpu) in (0_u32..).zip(&algorithm.gpus) {
            let layout = call.layout(number, gpu.sizes);
            let size = usize::try_from(layout.size).unwrap_or(usize::MAX);
            let mut cells = vec![Cell { value: Value::Nothing, writer: None }; size];
            for index in 0..call.input() {
                cells[memory_index(&layout, Buffer::Input, index)].value = Value::One { index, gpu: number };
            }
            layouts.push(layout);
            memory.push(cells);
        }
        Self { algorithm, order, call, layouts, memory, sent: FxHashMap::default(), mistakes: Vec::new() }
    }

    fn take_all(&mut self) {
        let mut pace = Pace::default();
        for &at in &self.order.steps {
            pace.step();
            self.take(at);
        }
    }

    fn take(&mut self, at: usize) {
        let kind = self.algorithm.steps[at].kind;
        let received = self.order.sender[at].and_then(|send| self.sent.remove(&send));
        let values = match kind {
            StepKind::Nop => return,
            StepKind::Send | StepKind::Copy => self.read(at, self.algorithm.steps[at].source),
            StepKind::Receive | StepKind::ReceiveCopySend => received.unwrap_or_default(),
            StepKind::Reduce => {
                let read = self.read(at, self.algorithm.steps[at].target);
                self.reduce(at, read)
            }
            StepKind::ReceiveReduceCopy | StepKind::ReceiveReduceSend | StepKind::ReceiveReduceCopySend => {
                self.reduce(at, received.unwrap_or_default())
            }
        };
        if kind.writes() {
            self.write(at, &values);
        }
        if kind.sends() {
            self.sent.insert(at, values);
        }
    }

    /// The chunks of a step from `slice` on: their numbers in the buffer, and their indices in the memory.
    fn indices(&self, at: usize, slice: Option<Slice>) -> impl Iterator<Item = (u64, usize)> + use<> {
        let layout = self.layouts[self.algorithm.gpu_of(at)];
        let count = self.algorithm.steps[at].count;
        slice.into_iter().flat_map(move |Slice { buffer, offset }| {
            (offset..offset + count).map(move |chunk| (chunk, memory_index(&layout, buffer, chunk)))
        })
    }

    /// The values that a step reads. Nothing in a chunk that it reads is a mistake of the step.
    fn read(&mut self, at: usize, slice: Option<Slice>) -> Vec<Value> {
        let gpu = self.algorithm.gpu_of(at);
        let buffer = slice.map_or(Buffer::Input, |slice| slice.buffer);
        let mut values = Vec::new();
        for (chunk, place) in self.indices(at, slice) {
            let value = self.memory[gpu][place].value.clone();
            values.push(match value {
                Value::Nothing => {
                    self.mistake(at, format!("reads chunk {chunk} of its {buffer} buffer, which holds no data"))
                }
                value => value,
            });
        }
        values
    }

    /// The sums of `values` and of the chunks that a step reads.
    fn reduce(&mut self, at: usize, values: Vec<Value>) -> Vec<Value> {
        let read = self.read(at, self.algorithm.steps[at].source);
        let mut sums = Vec::with_capacity(read.len());
        for (one, other) in read.into_iter().zip(values) {
            sums.push(match one.plus(other) {
                Ok(sum) => sum,
                Err(NoSum::Mixed(one, other)) => self.mistake(at, format!("adds up chunk {one} and chunk {other}")),
                Err(NoSum::Twice { index, gpu }) => {
                    self.mistake(at, format!("adds chunk {index} of gpu {gpu} a second time"))
                }
            });
        }
        sums
    }

    fn write(&mut self, at: usize, values: &[Value]) {
        let gpu = self.algorithm.gpu_of(at);
        for ((_, place), value) in self.indices(at, self.algorithm.steps[at].target).zip(values) {
            self.memory[gpu][place] = Cell { value: value.clone(), writer: Some(at) };
        }
    }

    fn mistake(&mut self, step: usize, role: String) -> Value {
        self.mistakes.push(Mistake { step, role });
        Value::Broken(self.mistakes.len() - 1)
    }
}

/// The outputs.
impl Data<'_> {
    fn cell(&self, gpu: u32, at: u64) -> &Cell {
        &self.memory[gpu as usize][memory_index(&self.layouts[gpu as usize], Buffer::Output, at)]
    }

    /// The chunks of outputs that violate the postcondition if `root` is the root, by GPU and index.
    fn violations(&self, root: u32) -> impl Iterator<Item = (u32, u64)> {
        let gpus = (0_u32..).take(self.algorithm.gpus.len());
        let receivers = gpus.filter(move |&gpu| self.call.is_receiver(gpu, root));
        let chunks = receivers.flat_map(|gpu| (0..self.call.output()).map(move |at| (gpu, at)));
        chunks.filter(move |&(gpu, at)| !self.satisfies(gpu, at, root))
    }

    fn satisfies(&self, gpu: u32, at: u64, root: u32) -> bool {
        let Required { index, gpu: owner } = self.call.required(gpu, at, root);
        let value = &self.cell(gpu, at).value;
        match owner {
            Some(owner) => *value == Value::One { index, gpu: owner },
            None => value.is_whole(index, self.call.gpus),
        }
    }

    /// The root, which no file names: the GPU whose first chunk the others have after a broadcast, or the GPU with the sum
    /// after a reduction.
    fn likely_root(&self) -> u32 {
        let mut candidates: Vec<u32> = match self.call.collective {
            Collective::Reduce => (0_u32..).take(self.algorithm.gpus.len()).collect(),
            Collective::Broadcast => {
                let gpus = (0_u32..).take(self.algorithm.gpus.len());
                let first = gpus.filter_map(|gpu| match self.cell(gpu, 0).value {
                    Value::One { gpu, .. } => Some(gpu),
                    _ => None,
                });
                first.collect()
            }
            _ => return 0,
        };
        candidates.sort_unstable();
        candidates.dedup();
        candidates.into_iter().min_by_key(|&root| self.violations(root).count()).unwrap_or(0)
    }

    /// The violations of the postcondition, one for each cause, or `None` if it holds.
    fn violation(&self, root: u32) -> Option<GoalViolation> {
        let mut faults = Vec::new();
        let mut seen = Vec::new();
        let mut unlisted = 0;
        for (gpu, at) in self.violations(root) {
            let cause = self.cause(gpu, at);
            if seen.contains(&cause) {
                continue;
            }
            if seen.len() >= SHOWN {
                unlisted += 1;
                continue;
            }
            seen.push(cause);
            faults.push(self.fault(gpu, at, root));
        }
        GoalViolation::with_more(faults, unlisted)
    }

    fn cause(&self, gpu: u32, at: u64) -> Cause {
        match self.cell(gpu, at) {
            Cell { value: Value::Broken(mistake), .. } => Cause::Mistake(self.mistakes[*mistake].step),
            Cell { writer: Some(writer), .. } => Cause::Writer(*writer),
            Cell { writer: None, .. } => Cause::Unwritten(gpu),
        }
    }

    /// The violation by chunk `at` of the output of `gpu`, with the steps that made it what it is.
    fn fault(&self, gpu: u32, at: u64, root: u32) -> GoalFault {
        let Required { index, gpu: owner } = self.call.required(gpu, at, root);
        let required = match owner {
            Some(owner) => format!("chunk {index} of gpu {owner}"),
            None => format!("the sum of chunk {index} over all gpus"),
        };
        let cell = self.cell(gpu, at);
        let collective = self.call.collective.with_article();
        let chunk = format!("chunk {at} of its output buffer");
        let placement = if self.call.placement == Placement::InPlace { " in place" } else { "" };
        let message = match (cell.writer, &cell.value) {
            (None, _) => {
                format!("not {collective}{placement}: gpu {gpu} ends without {required}: no step writes {chunk}")
            }
            (_, Value::Broken(_)) => {
                format!("not {collective}{placement}: gpu {gpu} ends without {required} in {chunk}")
            }
            (_, value) => {
                format!("not {collective}{placement}: gpu {gpu} ends with {value} in {chunk}, not {required}")
            }
        };
        GoalFault { message, operations: self.concerned(gpu, at, cell), hint: None }
    }

    /// The steps that made `cell`, chunk `at` of the output of `gpu`, what it is: where a mistake was made, then the way to
    /// the output.
    fn concerned(&self, gpu: u32, at: u64, cell: &Cell) -> Vec<Concerned> {
        let mut steps: Vec<(usize, String)> = Vec::new();
        if let Value::Broken(mistake) = cell.value {
            let Mistake { step, role } = &self.mistakes[mistake];
            steps.push((*step, role.clone()));
        }
        if let Some(writer) = cell.writer {
            steps.extend(self.order.sender[writer].map(|send| (send, format!("sends it to gpu {gpu}"))));
            steps.push((writer, format!("writes chunk {at} of the output buffer of gpu {gpu}")));
        }
        let mut concerned: Vec<Concerned> = Vec::new();
        for (step, role) in steps {
            let step = self.algorithm.step_concerned(step, &role);
            if concerned.iter().all(|other| other.owner != step.owner) {
                concerned.push(step);
            }
        }
        if concerned.is_empty() { vec![self.algorithm.gpu_concerned(gpu)] } else { concerned }
    }
}

/// The index of a chunk in a memory that is small enough to be followed.
fn memory_index(layout: &Layout, buffer: Buffer, at: u64) -> usize {
    usize::try_from(layout.index(buffer, at)).unwrap_or(usize::MAX)
}
