//! Transposes of a distributed array, the communication of a three-dimensional FFT, by slabs or pencils.

use crate::config::{Diagnostic, Files, Reader};
use crate::kind::{Kind, Read, Template};
use crate::schedule::goal::{Goal, GoalBuilder, Operation};
use crate::units::{Key, saturated};
use crate::workload::application::groups::{ALL_TO_ALL, Choices, Member, rank};
use crate::workload::application::{self, DETAILS, FLIT_BYTES, NODES, Program, Scene, Source, has_room, product};
use serde::Serialize;
use std::sync::Arc;

/// Transposes in the registry.
pub static KIND: Kind = Kind {
    name: "transpose",
    summary: "transposes of a distributed array by all-to-alls, as in a parallel FFT",
    in_words: "a transpose",
    keys: KEYS,
    template: Template { scenario: include_str!("template.toml"), files: &[] },
    read: Read::Source(read),
    ..application::KIND
};

const SHAPE: Key = Key::integers("shape", 1..=1 << 31).says("ranks: [P] for slabs, [R, C] for pencils");
const POINTS: Key = Key::integers("points", 1..=1 << 40).says("points of the array in its three dimensions");
const ELEMENT_BYTES: Key = Key::integer("element_bytes", 1..=1 << 20).or(16).unit("bytes").says("size of a point");
const COMPUTE: Key = Key::integer("compute_per_point", 0..=1 << 40)
    .or(0)
    .unit("ticks")
    .says("computation time of a point for each of the three dimensions");
const ITERATIONS: Key = Key::integer("iterations", 1..=1 << 40).or(1).says("number of iterations");
const ALGORITHMS: &[Key] = &[ALL_TO_ALL];
const KEYS: &[Key] = &[
    SHAPE,
    POINTS,
    ELEMENT_BYTES,
    COMPUTE,
    ITERATIONS,
    Key::table("algorithms", ALGORITHMS).says("algorithms of the collectives"),
    FLIT_BYTES,
    NODES,
    DETAILS,
];

/// Transposes.
#[derive(Clone, Debug, Serialize)]
pub struct Transpose {
    /// The ranks: one number for slabs, two for pencils.
    pub shape: Vec<u64>,
    /// The points of a rank.
    pub local: u64,
    /// The bytes of a point.
    pub element_bytes: u64,
    /// The ticks of a point for each dimension.
    pub compute_per_point: u64,
    /// The number of iterations.
    pub iterations: u64,
    #[serde(rename = "algorithms")]
    choices: Choices,
}

fn read(table: &Reader<'_>, _: &Scene<'_>, files: &mut Files<'_>) -> Option<Arc<dyn Source>> {
    [SHAPE, POINTS].iter().for_each(|key| table.demand(key));
    let [shape, points] = [SHAPE, POINTS].map(|key| table.integers(&key));
    let [element_bytes, compute_per_point, iterations] =
        [ELEMENT_BYTES, COMPUTE, ITERATIONS].map(|key| table.integer(&key));
    let choices = Choices::read(table, ALGORITHMS);
    let [shape, points] = [shape?, points?].map(|list| list.into_iter().map(|(value, _)| value).collect::<Vec<u64>>());
    let refuse = |key: &str, what: String, accepted: &str| {
        let message = format!("`{}` {what}", table.path_of(key));
        table.error(Diagnostic::at(table.place_of(key), message).note(format!("accepted: {accepted}")));
        None
    };
    if !(1..=2).contains(&shape.len()) {
        return refuse("shape", format!("has {} dimensions", shape.len()), "[P] or [R, C]");
    }
    if points.len() != 3 {
        return refuse("points", format!("has {} values", points.len()), "three values, one for each dimension");
    }
    let ranks = product(shape.iter().copied());
    let all = product(points);
    if u128::from(element_bytes.max(3 * compute_per_point)).saturating_mul(all) >= 1 << 62 {
        return refuse("points", "has too many points".to_owned(), "fewer than 2^62 bytes and ticks");
    }
    let local = all / ranks;
    let parts: Vec<u64> = shape.clone();
    if !all.is_multiple_of(ranks) || parts.iter().any(|&part| !local.is_multiple_of(part.into())) {
        let sides: Vec<String> = shape.iter().map(u64::to_string).collect();
        let problem = format!("has {all} points, which {} ranks cannot share equally", sides.join(" x "));
        return refuse("points", problem, "whole numbers of points for each rank, and for each of its partners");
    }
    let each = 3 + parts.iter().map(|&part| 2 * u128::from(part)).sum::<u128>();
    let operations = ranks.saturating_mul(each).saturating_mul(iterations.into());
    let local = u64::try_from(local).unwrap_or(u64::MAX);
    let transpose = Transpose { shape, local, element_bytes, compute_per_point, iterations, choices };
    has_room(table, files, "iterations", operations).then(|| Arc::new(transpose) as Arc<dyn Source>)
}

/// A computation, and the all-to-all that follows it.
struct Stage {
    /// The dimensions that are computed.
    dimensions: u64,
    /// The ranks that exchange blocks, and the place of the rank among them. Empty without an all-to-all.
    group: Vec<u32>,
    index: u64,
}

impl Transpose {
    /// The stages of rank `number` in an iteration.
    fn stages(&self, number: u64) -> Vec<Stage> {
        let last = Stage { dimensions: 1, group: Vec::new(), index: 0 };
        match self.shape[..] {
            [rows, columns] => {
                let (row, column) = (number / columns, number % columns);
                let of_row = (0..columns).map(|column| rank(row * columns + column)).collect();
                let of_column = (0..rows).map(|row| rank(row * columns + column)).collect();
                vec![
                    Stage { dimensions: 1, group: of_row, index: column },
                    Stage { dimensions: 1, group: of_column, index: row },
                    last,
                ]
            }
            _ => vec![Stage { dimensions: 2, group: (0..self.shape[0]).map(rank).collect(), index: number }, last],
        }
    }

    /// The operations.
    fn goal(&self) -> Goal {
        let mut goal = GoalBuilder::default();
        for number in 0..self.shape.iter().product() {
            goal.next_rank();
            let stages = self.stages(number);
            let mut after: Vec<u32> = Vec::new();
            for (tag, Stage { dimensions, group, index }) in (0..self.iterations).flat_map(|_| (0..).zip(&stages)) {
                let compute = goal.push(Operation::compute(dimensions * self.local * self.compute_per_point));
                after.iter().for_each(|&on| goal.requires(compute, on));
                after = vec![compute];
                if !group.is_empty() {
                    let bytes = self.local / group.len() as u64 * self.element_bytes;
                    let member = Member { group, index: saturated(*index), cpu: 0, after: &after };
                    after = member.all_to_all(&mut goal, self.choices.all_to_all(bytes), tag, |_, _| bytes);
                }
            }
        }
        goal.finish()
    }
}

impl Source for Transpose {
    fn kind(&self) -> &'static Kind {
        &KIND
    }

    fn program(&self) -> Arc<Program> {
        Arc::new(Program::new(self.goal()))
    }

    fn longest_key(&self) -> &'static str {
        "iterations"
    }
}
