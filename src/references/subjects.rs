//! References of what has a name and is no algorithm: networks, routings, models, formats, forecasters and simulators.

use super::Reference;
use super::entries::{
    ADAPTIVE, BOOKSIM, CERTIFICATES, D_MOD_K, DRAGONFLY, FAT_TREES, FLATTENED_BUTTERFLY, FORECASTING,
    GENERALIZED_FAT_TREES, GOAL, HOP_CLASSES, HYPERX, INTERCONNECTION, LOGGOPSIM, LOGGP, LOGP, MODULAR_ROUTING, MSCCL,
    NWS, O1TURN, OPT_TREE, PARTITION_BOUND, SHORTEST_PATHS, TURN_MODEL, TWISTED_TORI, U_MIN, UP_DOWN, VALIANT,
    VIRTUAL_CHANNELS, WORMHOLE,
};

/// The names of a subject, all of which cite the same publications.
#[derive(Clone, Copy, Debug)]
pub struct Subject {
    /// The kind of the subject, as a heading has it.
    pub kind: &'static str,
    /// The names that scenarios, tables and options use.
    pub names: &'static [&'static str],
    /// The publications, the first one first.
    pub references: &'static [Reference],
}

const fn subject(kind: &'static str, names: &'static [&'static str], references: &'static [Reference]) -> Subject {
    Subject { kind, names, references }
}

/// All subjects.
pub const SUBJECTS: &[Subject] = &[
    subject("network", &["mesh", "torus", "hypercube"], &[INTERCONNECTION, TWISTED_TORI]),
    subject("network", &["bmin"], &[FAT_TREES, U_MIN]),
    subject("network", &["fat-tree"], &[FAT_TREES, GENERALIZED_FAT_TREES]),
    subject("network", &["dragonfly"], &[DRAGONFLY]),
    subject("network", &["hyperx", "full-mesh"], &[HYPERX, FLATTENED_BUTTERFLY]),
    subject("network", &["chiplets"], &[MODULAR_ROUTING]),
    subject("network", &["graph"], &[SHORTEST_PATHS]),
    subject("routing", &["dimension-order", "wormhole"], &[WORMHOLE]),
    subject("routing", &["west-first", "north-last", "negative-first"], &[TURN_MODEL]),
    subject("routing", &["adaptive"], &[ADAPTIVE]),
    subject("routing", &["valiant"], &[VALIANT]),
    subject("routing", &["o1turn"], &[O1TURN]),
    subject("routing", &["ugal"], &[DRAGONFLY, INTERCONNECTION]),
    subject("routing", &["d-mod-k"], &[D_MOD_K]),
    subject("routing", &["hierarchical"], &[MODULAR_ROUTING]),
    subject("routing", &["shortest"], &[SHORTEST_PATHS, HOP_CLASSES]),
    subject("routing", &["up-down"], &[UP_DOWN]),
    subject("router", &["pipelined", "booksim"], &[VIRTUAL_CHANNELS, BOOKSIM]),
    subject("model", &["parameterised"], &[OPT_TREE]),
    subject("model", &["logp"], &[LOGP]),
    subject("model", &["loggops"], &[LOGGP, LOGGOPSIM]),
    subject("format", &["goal"], &[GOAL, LOGGOPSIM]),
    subject("format", &["msccl"], &[MSCCL]),
    subject("forecaster", &["forecast", "nws"], &[NWS, FORECASTING]),
    subject("deadlock analysis", &["certificate"], &[WORMHOLE, ADAPTIVE, CERTIFICATES]),
    subject("bound", &["mapping-bound"], &[PARTITION_BOUND]),
    subject("traffic", &["traffic"], &[INTERCONNECTION]),
];
