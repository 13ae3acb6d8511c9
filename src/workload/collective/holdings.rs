//! What ranks hold of the vector before the first step of a collective and after each: as tables that are drawn, and as
//! lines.

use super::Plan;
use crate::kind::diagram::{HeldPiece, Vectors, most};
use crate::kind::{Diagram, DiagramError, Held, Picture, RowFailure};
use crate::schedule::collective::{History, Operation};
use std::fmt::Write as _;
use std::ops::Range;

/// As many pieces are followed to see which of them can stand in one column.
const MOST_FOLLOWED: usize = 1 << 12;

impl Plan<'_> {
    fn history(&self) -> Result<History<'_>, RowFailure> {
        History::new(&self.collective).map_err(RowFailure::plan)
    }

    /// A table before the first step and after each, pieces that all ranks hold alike all the time in one column.
    pub(super) fn vector_tables(&self) -> Result<Vec<Picture>, DiagramError> {
        let ranks = self.collective.ranks();
        let steps = self.collective.steps();
        Diagram::Blocks.within(ranks, "nodes", most::BLOCK_NODES)?;
        Diagram::Blocks.within(steps, "steps", most::STEPS)?;
        let columns = self.columns()?;
        Diagram::Blocks.within(columns.len(), "pieces of the vector", most::PIECES)?;
        Diagram::Blocks.within((steps + 1) * ranks * columns.len(), "cells", most::CELLS)?;
        let mut history = self.history()?;
        let mut after = vec![table(&history, ranks, &columns)];
        while history.advance() {
            after.push(table(&history, ranks, &columns));
        }
        let operation = self.workload.operation;
        let is_heard = operation == Operation::Barrier;
        let pieces = match is_heard {
            true => vec!["heard of".to_owned()],
            false => columns.iter().map(|column| in_words(&positions(&history, column))).collect(),
        };
        let most = if operation.combines() || is_heard { ranks } else { 1 };
        Ok(vec![Picture::Vectors(Vectors { names: self.row_names(), pieces, most, is_heard, after })])
    }

    /// Ranks, each with its node where that is called otherwise.
    fn row_names(&self) -> Vec<String> {
        let named = |(rank, name): (usize, String)| {
            if name == rank.to_string() { name } else { format!("{rank} on {name}") }
        };
        self.names().into_iter().enumerate().map(named).collect()
    }

    /// The pieces in runs that all ranks hold alike before the first step and after each.
    fn columns(&self) -> Result<Vec<Range<usize>>, DiagramError> {
        let mut history = self.history()?;
        let pieces = history.pieces();
        Diagram::Blocks.within(pieces, "pieces of the vector", MOST_FOLLOWED)?;
        let ranks = self.collective.ranks();
        // the last piece has no next one, and ends the last run
        let inner = pieces.saturating_sub(1);
        let mut ends = vec![false; inner];
        ends.resize(pieces, true);
        loop {
            for (piece, end) in ends.iter_mut().enumerate().take(inner) {
                *end |= (0..ranks).any(|rank| !history.is_same_as_next(rank, piece));
            }
            if !history.advance() {
                break;
            }
        }
        let mut columns = Vec::new();
        let mut first = 0;
        for end in (0..pieces).filter(|&piece| ends[piece]) {
            columns.push(first..end + 1);
            first = end + 1;
        }
        Ok(columns)
    }

    /// A line for every rank before the first step and after each.
    pub(super) fn tell_holdings(&self, tell: &mut dyn FnMut(&Held)) -> Result<(), RowFailure> {
        let mut history = self.history()?;
        let barrier = self.workload.operation == Operation::Barrier;
        loop {
            for (rank, &node) in self.nodes.iter().enumerate().take(self.collective.ranks()) {
                let blocks = if barrier { numbers(&history.contributors(rank, 0)) } else { held(&history, rank) };
                tell(&Held { after: history.steps(), node, blocks });
            }
            if !history.advance() {
                return Ok(());
            }
        }
    }
}

/// What each rank holds in each column.
fn table(history: &History<'_>, ranks: usize, columns: &[Range<usize>]) -> Vec<Vec<HeldPiece>> {
    let cell = |rank: usize, column: &Range<usize>| HeldPiece {
        contributors: history.contributors(rank, column.start),
        is_changed: history.is_changed(rank, column.start),
    };
    (0..ranks).map(|rank| columns.iter().map(|column| cell(rank, column)).collect()).collect()
}

/// What `rank` holds, as `0-3:0,1,2;4-7:5`; it is silent on positions where that is nothing.
fn held(history: &History<'_>, rank: usize) -> String {
    let mut text = String::new();
    let mut first = 0;
    for piece in 0..history.pieces() {
        if piece + 1 < history.pieces() && history.is_same_as_next(rank, piece) {
            continue;
        }
        let run = first..piece + 1;
        first = piece + 1;
        let contributors = history.contributors(rank, piece);
        if contributors.is_empty() {
            continue;
        }
        let separator = if text.is_empty() { "" } else { ";" };
        // a string takes everything
        let _ = write!(text, "{separator}{}:{}", in_words(&positions(history, &run)), numbers(&contributors));
    }
    text
}

/// The positions of a run of pieces.
fn positions(history: &History<'_>, run: &Range<usize>) -> Range<u64> {
    history.positions(run.start).start..history.positions(run.end - 1).end
}

/// Positions as `4-7`, or `4` if it is one.
pub(super) fn in_words(positions: &Range<u64>) -> String {
    let last = positions.end - 1;
    if positions.start == last { last.to_string() } else { format!("{}-{last}", positions.start) }
}

/// Ranks as `0,1,2`.
fn numbers(ranks: &[usize]) -> String {
    let numbers: Vec<String> = ranks.iter().map(ToString::to_string).collect();
    numbers.join(",")
}
