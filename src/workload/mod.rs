//! Workloads: a room for each kind, which reads its table, plans, runs, names its columns and fills its diagrams.
//!
//! A new kind is a folder here and a line in [`KINDS`].

pub mod alltoallv;
pub mod application;
pub mod broadcast;
pub mod chakra;
pub mod collective;
pub mod embed;
pub mod exchange;
pub(crate) mod group;
pub mod halo;
pub mod jobs;
pub mod mapping;
pub mod mpi;
pub mod multicast;
pub mod netrace;
pub mod noc_trace;
pub mod operations;
pub(crate) mod packet_class;
pub mod trace;
pub mod traffic;
pub mod training;
pub mod transpose;
pub mod wavefront;

use crate::kind::{Kind, Read, ReadSource};

/// The longest message, in flits.
pub(crate) const LONGEST: u64 = 1 << 40;

/// Every kind, by the order of `flitwise list workloads`.
pub static KINDS: &[&Kind] = &[
    &multicast::KIND,
    &exchange::KIND,
    &collective::KIND,
    &broadcast::KIND,
    &mapping::KIND,
    &traffic::KIND,
    &operations::GOAL,
    &operations::MSCCL,
    &halo::KIND,
    &wavefront::KIND,
    &transpose::KIND,
    &alltoallv::KIND,
    &training::KIND,
    &jobs::KIND,
    &mpi::KIND,
    &chakra::KIND,
    &netrace::KIND,
    &trace::KIND,
    &noc_trace::KIND,
    &embed::KIND,
];

/// The kinds of applications, each with the reader of its source.
pub(crate) fn applications() -> impl Iterator<Item = (&'static Kind, ReadSource)> {
    KINDS.iter().filter_map(|&kind| match kind.read {
        Read::Source(read) => Some((kind, read)),
        Read::Workload(_) => None,
    })
}
