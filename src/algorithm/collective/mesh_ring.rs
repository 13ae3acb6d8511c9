//! Rings on meshes of two dimensions, also where no Hamiltonian cycle exists.
//!
//! **Problem.** As for a ring, on a mesh, whose rows do not close.
//!
//! **Idea.** With an even side a cycle visits all nodes: along the first row, then through the other rows to and fro over all
//! columns but the first, and back along the first column. A mesh of two odd sides has no such cycle. There the corner
//! `h = (R-1, 0)` is left out of the ring of `n = P - 1` ranks and hangs on a neighbour `w`, at place `x` of the ring: in step
//! `t = 0..n-1` `h` gives `w` the block of `q[x-1-t]`; the ring combines in steps `1..n-1` and gathers in steps `n..2n-2`; in step
//! `n+t` `w` gives `h` the block of `q[x-t]`. Blocks are numbered by their place in
//! the ring.
//!
//! **Cost.** That of a ring; with the corner `2 n` steps and `2 V` flits. No two messages of a step share a link.
//!
//! **Source.** Kumar, Jouppi, "Highly Available Data Parallel ML training on Mesh Networks", 2020, for the corner; the ring
//! that TTO (HPCA 2024) and SuperMesh (MICRO 2025) compare with.
//!
//! ```
//! use flitwise::algorithm::collective::{Algorithm, Request};
//! use flitwise::schedule::collective::Operation;
//! let ring = Algorithm::named("mesh-ring").ok_or("no such algorithm")?;
//! let mesh = Request { shape: vec![3, 5], ..Request::new(Operation::Allreduce, 15, 140) };
//! let allreduce = ring.plan(&mesh)?;
//! assert_eq!(allreduce.steps(), 2 * 14);
//! assert!(allreduce.check().is_ok());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

use super::ring::{OF_SHARES, Ring, along};
use super::{Algorithm, Extent, Parts, Request};
use crate::references;
use crate::schedule::collective::{Action, Collective, Move, Operation, Phase, Planner};

pub(super) const MESH_RING: Algorithm = Algorithm {
    name: "mesh-ring",
    references: &[references::MESH_RING],
    summary: "a ring through a two-dimensional mesh; if both sides are odd, one corner is attached to the ring",
    operations: OF_SHARES,
    takes: "two-dimensional shapes with sides of at least 2, one of them even; for an all-reduce both can be odd",
    admits,
    plan: |request| plan(request, 1),
    extent: |request| extent(request, 1),
    ..Algorithm::DEFAULT
};

pub(super) const MESH_RING_BIDIRECTIONAL: Algorithm = Algorithm {
    name: "mesh-ring-bidirectional",
    references: &[references::MESH_RING],
    summary: "as mesh-ring, with half of the vector in each direction",
    parts: Parts::Fixed(2),
    plan: |request| plan(request, 2),
    extent: |request| extent(request, 2),
    ..MESH_RING
};

fn admits(request: &Request<'_>) -> bool {
    let [rows, columns] = request.shape[..] else { return false };
    let closes = rows % 2 == 0 || columns % 2 == 0;
    rows >= 2 && columns >= 2 && (closes || request.operation == Operation::Allreduce)
}

fn extent(request: &Request<'_>, parts: u64) -> Extent {
    let all = request.extent_of_halves(request.ranks as u64, parts);
    Extent { vectors: all.vectors + 2, ..all }
}

fn plan(request: &Request<'_>, parts: usize) -> Collective {
    let [rows, columns] = request.shape[..] else { return request.planner(parts, 1).finish(0) };
    if rows % 2 == 1 && columns % 2 == 1 {
        return with_corner(request, parts, rows, columns);
    }
    let there = if rows % 2 == 0 { cycle(rows, columns) } else { transposed(&cycle(columns, rows), rows, columns) };
    let back = there.iter().rev().copied().collect();
    let mut orders = vec![there, back];
    orders.truncate(parts);
    along(request, orders)
}

/// The cycle of a mesh with an even number of rows.
fn cycle(rows: usize, columns: usize) -> Vec<usize> {
    let mut order: Vec<usize> = (0..columns).collect();
    to_and_fro(&mut order, 1..rows, columns);
    order.extend((1..rows).rev().map(|row| row * columns));
    order
}

/// Appends `rows` in turn over all columns but the first: odd rows falling, even ones rising.
fn to_and_fro(order: &mut Vec<usize>, rows: std::ops::Range<usize>, columns: usize) {
    for row in rows {
        let cells = (1..columns).map(|column| row * columns + column);
        if row % 2 == 1 {
            order.extend(cells.rev());
        } else {
            order.extend(cells);
        }
    }
}

/// A cycle of the transposed mesh, in ranks of a mesh of `rows` and `columns`.
fn transposed(order: &[usize], rows: usize, columns: usize) -> Vec<usize> {
    order.iter().map(|rank| rank % rows * columns + rank / rows).collect()
}

/// The cycle of a mesh of two odd sides that leaves out the corner `(rows-1, 0)`.
fn cycle_without_corner(rows: usize, columns: usize) -> Vec<usize> {
    let mut order: Vec<usize> = (0..columns).collect();
    to_and_fro(&mut order, 1..rows - 2, columns);
    for (turn, column) in (1..columns).rev().enumerate() {
        let upper = (rows - 2) * columns + column;
        let lower = (rows - 1) * columns + column;
        order.extend(if turn % 2 == 0 { [upper, lower] } else { [lower, upper] });
    }
    order.extend((1..rows - 1).rev().map(|row| row * columns));
    order
}

/// The all-reduce of a ring of all ranks but a corner, which hangs on a neighbour.
fn with_corner(request: &Request<'_>, parts: usize, rows: usize, columns: usize) -> Collective {
    let corner = (rows - 1) * columns;
    let ranks = request.ranks - 1;
    let mut planner = request.planner(parts, ranks);
    let mut combined = Phase::default();
    let mut copied = Phase::default();
    let there = cycle_without_corner(rows, columns);
    let back: Vec<usize> = there.iter().rev().copied().collect();
    let hangs_on = [(rows - 2) * columns, corner + 1];
    for (part, order) in [there, back].into_iter().take(parts).enumerate() {
        let at = order.iter().position(|&rank| rank == hangs_on[part]);
        #[expect(clippy::expect_used, reason = "the ring has all ranks but the corner")]
        let at = at.expect("the neighbour of the corner is on the ring");
        let ring = ring_in_order(&mut planner, part, order);
        for step in 0..ranks {
            let gives = ring.block_behind(at, step + 1);
            combined.send(step, Move { part, src: corner, dst: hangs_on[part], set: gives });
            let takes = ring.block_behind(at, step);
            copied.send(step, Move { part, src: hangs_on[part], dst: corner, set: takes });
        }
        ring.reduce_scatter(1, &mut combined);
        ring.allgather(0, &mut copied);
    }
    planner.add(0, &combined, Action::Reduce);
    planner.add(ranks, &copied, Action::Copy);
    planner.finish(request.segment_flits)
}

/// The ring of the ranks in `order`; blocks are numbered by their place in it.
fn ring_in_order(planner: &mut Planner, part: usize, order: Vec<usize>) -> Ring {
    let blocks = (0..order.len()).map(|place| planner.block(part, place)).collect();
    Ring::with_blocks(part, order, blocks)
}
