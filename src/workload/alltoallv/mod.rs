//! All-to-alls with blocks of different sizes: a matrix of bytes, or tokens that ranks send to experts, as in a mixture of experts.

mod draw;
mod read;

pub use read::{AllToAllV, Blocks, Skew};

use crate::kind::{Column, Job, Kind, LINKS, Read, Row, RowFile, Template};
use crate::schedule::goal::{Goal, GoalBuilder, Operation};
use crate::workload::application::groups::{Member, rank};
use crate::workload::application::{self, COLUMNS, HOSTS, Program, Report, Source};
use std::sync::Arc;

/// The bytes that each rank sends to each, drawn in a repetition.
const MATRIX: RowFile =
    RowFile { name: "matrix.csv", header: &["point", "algorithm", "repetition", "src", "dst", "bytes"] };

/// The bytes of the rank that receives most, over the mean.
const IMBALANCE: Column = Column::decimal("imbalance").shown("imbalance", 2);
/// The Gini coefficient of the bytes that ranks receive.
const GINI: Column = Column::decimal("gini").shown("gini", 4);
/// The most bytes that a rank sends or receives in an all-to-all, its own block aside: no run is shorter than these take on a channel.
const BOUND: Column = Column::count("bound_bytes").in_unit("bytes");

const ALL_COLUMNS: [Column; COLUMNS.len() + 3] = application::and([IMBALANCE, GINI, BOUND]);

/// All-to-alls in the registry.
pub static KIND: Kind = Kind {
    name: "alltoallv",
    summary: "all-to-all with blocks of different sizes, given or drawn as tokens for experts",
    in_words: "an all-to-all",
    columns: &ALL_COLUMNS,
    files: &[HOSTS, MATRIX, LINKS],
    keys: read::KEYS,
    template: Template { scenario: include_str!("template.toml"), files: &[] },
    read: Read::Source(read::read),
    ..application::KIND
};

/// Bytes from each rank to each, row by row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Matrix {
    ranks: usize,
    bytes: Vec<u64>,
}

impl Matrix {
    fn get(&self, from: usize, to: usize) -> u64 {
        self.bytes[from * self.ranks + to]
    }

    fn row(&self, from: usize) -> u64 {
        (0..self.ranks).map(|to| self.get(from, to)).sum()
    }

    fn column(&self, to: usize) -> u64 {
        (0..self.ranks).map(|from| self.get(from, to)).sum()
    }

    /// The most bytes that a rank sends or receives, its own block aside.
    fn bound(&self) -> u64 {
        let of_rank = |rank| self.row(rank).max(self.column(rank)) - self.get(rank, rank);
        (0..self.ranks).map(of_rank).max().unwrap_or(0)
    }

    /// Sets the columns of `row`, and adds the lines of a matrix that is drawn.
    #[expect(clippy::cast_precision_loss, reason = "ratios with six digits")]
    fn report(&self, row: &mut Row, is_drawn: bool) {
        let mut columns: Vec<u64> = (0..self.ranks).map(|to| self.column(to)).collect();
        columns.sort_unstable();
        let count = self.ranks as f64;
        let sum = columns.iter().sum::<u64>() as f64;
        if sum > 0.0 {
            let weighted =
                (1..).zip(&columns).map(|(place, &bytes)| (2.0 * f64::from(place) - count - 1.0) * bytes as f64);
            row.set_decimal(&IMBALANCE, columns[self.ranks - 1] as f64 * count / sum);
            row.set_decimal(&GINI, weighted.sum::<f64>() / (count * sum));
        }
        row.set(&BOUND, self.bound());
        if is_drawn {
            let blocks = (0..self.ranks).flat_map(|from| (0..self.ranks).map(move |to| (from, to)));
            row.add_lines(&MATRIX, blocks.map(|(from, to)| (from, to, self.get(from, to))));
        }
    }
}

impl AllToAllV {
    /// The operations that exchange the blocks of `matrix`.
    fn goal(&self, matrix: &Matrix) -> Goal {
        let group: Vec<u32> = (0..matrix.ranks as u64).map(rank).collect();
        let largest = (0..matrix.ranks).map(|from| matrix.row(from)).max().unwrap_or(0);
        let algorithm = self.choices.all_to_all(largest);
        let mut goal = GoalBuilder::default();
        for at in 0..matrix.ranks {
            goal.next_rank();
            let dispatch = Member { group: &group, index: at, cpu: 0, after: &[] };
            let arrived = dispatch.all_to_all(&mut goal, algorithm, 0, |from, to| matrix.get(from, to));
            if self.combine {
                let compute = goal.push(Operation::compute(self.compute));
                arrived.iter().for_each(|&on| goal.requires(compute, on));
                let combine = Member { group: &group, index: at, cpu: 0, after: &[compute] };
                combine.all_to_all(&mut goal, algorithm, 1, |from, to| matrix.get(to, from));
            }
        }
        goal.finish()
    }
}

impl Source for AllToAllV {
    fn kind(&self) -> &'static Kind {
        &KIND
    }

    fn program(&self) -> Arc<Program> {
        Arc::new(Program::new(self.goal(&self.matrix(None))))
    }

    fn draw(&self, job: Job<'_>) -> (Arc<Program>, Report) {
        let matrix = self.matrix(Some(job));
        let program = Arc::new(Program::new(self.goal(&matrix)));
        let is_drawn = matches!(self.blocks, Blocks::Drawn { .. });
        (program, Box::new(move |row| matrix.report(row, is_drawn)))
    }

    fn longest_key(&self) -> &'static str {
        if matches!(self.blocks, Blocks::Matrix { .. }) { "matrix" } else { "tokens" }
    }

    fn files(&self) -> &'static [RowFile] {
        if matches!(self.blocks, Blocks::Matrix { .. }) { &[HOSTS, LINKS] } else { KIND.files }
    }
}
