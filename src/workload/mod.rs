//! Workloads: a room for each kind, which reads its table, plans, runs, names its columns and fills its diagrams.
//!
//! A new kind is a folder here and a line in [`KINDS`].

pub mod broadcast;
pub mod exchange;
pub mod mapping;
pub mod multicast;
pub mod operations;
pub mod trace;
pub mod traffic;

use crate::kind::Kind;

/// Every kind, by the order of `flitwise list workloads`.
pub static KINDS: &[&Kind] = &[
    &multicast::KIND,
    &exchange::KIND,
    &broadcast::KIND,
    &mapping::KIND,
    &traffic::KIND,
    &operations::GOAL,
    &operations::MSCCL,
    &trace::KIND,
];
