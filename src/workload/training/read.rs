//! `[workload.training]`: the size of the model, the degrees of parallelism, and the order of the work.

use crate::config::{Diagnostic, Files, Reader};
use crate::costs::NodeCosts;
use crate::units::Key;
use crate::workload::application::groups::{ALL_TO_ALL, ALLGATHER, ALLREDUCE, Choices, REDUCE_SCATTER};
use crate::workload::application::{DETAILS, FLIT_BYTES, NODES, Scene, Source, has_room, product};
use serde::Serialize;
use std::sync::Arc;

const MOST: u64 = 1 << 24;
const LAYERS: Key = Key::integer("layers", 1..=MOST).says("layers of the model");
const HIDDEN: Key = Key::integer("hidden", 1..=MOST).says("hidden size of the model");
const SEQUENCE: Key = Key::integer("sequence", 1..=MOST).says("length of a sequence, in tokens");
const MICROBATCH: Key = Key::integer("microbatch", 1..=MOST).or(1).says("sequences of a microbatch");
const MICROBATCHES: Key = Key::integer("microbatches", 1..=MOST).or(1).says("microbatches of each pipeline");
const TENSOR: Key = Key::integer("tensor", 1..=MOST).or(1).says("degree of tensor parallelism");
const PIPELINE: Key = Key::integer("pipeline", 1..=MOST).or(1).says("stages of the pipeline; must divide `layers`");
const DATA: Key = Key::integer("data", 1..=MOST).or(1).says("degree of data parallelism");
const EXPERT: Key = Key::integer("expert", 1..=MOST).or(1).says("degree of expert parallelism; must divide `data`");
const DIMENSIONS: [&str; 3] = ["tensor", "data", "pipeline"];
const ORDER: Key = Key::names("order", "dimension", |at| DIMENSIONS.get(at).copied())
    .or_else("[\"tensor\", \"data\", \"pipeline\"]")
    .says("dimensions of parallelism, from that of neighbouring ranks outwards");
const ELEMENT_BYTES: Key = Key::integer("element_bytes", 1..=64).or(2).unit("bytes").says("size of an activation");
const GRADIENT_BYTES: Key = Key::integer("gradient_bytes", 1..=64).or(4).unit("bytes").says("size of a gradient");
const FLOPS: Key =
    Key::integer("flops_per_tick", 1..=1 << 50).or(1000).says("floating-point operations of a rank in a tick");
const SCHEDULES: [(&str, Order); 2] = [("1f1b", Order::Alternating), ("gpipe", Order::ForwardFirst)];
const SCHEDULE: Key = Key::word("schedule", |at| SCHEDULES.get(at).map(|(name, _)| *name))
    .or_word("1f1b")
    .says("order of microbatches: forward and backward in turn, or all forward first");
const OVERLAP: Key = Key::boolean("overlap")
    .or_boolean(false)
    .says("reduction of gradients during the last backward pass, on processor 1");
const SHARDED: Key = Key::boolean("sharded")
    .or_boolean(false)
    .says("gradients by a reduce-scatter and an all-gather instead of an all-reduce");
const EXPERTS: Key = Key::integer("experts", 0..=MOST).or(0).says("experts of a layer, or 0 for a dense model");
const TOP_K: Key = Key::integer("top_k", 1..=MOST).or(1).says("experts of a token");
const ALGORITHMS: &[Key] = &[ALLREDUCE, ALLGATHER, REDUCE_SCATTER, ALL_TO_ALL];

pub(super) const KEYS: &[Key] = &[
    LAYERS,
    HIDDEN,
    SEQUENCE,
    MICROBATCH,
    MICROBATCHES,
    TENSOR,
    PIPELINE,
    DATA,
    EXPERT,
    ORDER,
    ELEMENT_BYTES,
    GRADIENT_BYTES,
    FLOPS,
    SCHEDULE,
    OVERLAP,
    SHARDED,
    EXPERTS,
    TOP_K,
    Key::table("algorithms", ALGORITHMS).says("algorithms of the collectives"),
    FLIT_BYTES,
    NODES,
    DETAILS,
];

/// The order of the microbatches of a stage.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub enum Order {
    /// Forward and backward in turn, after a warm-up.
    #[serde(rename = "1f1b")]
    Alternating,
    /// All forward, then all backward.
    #[serde(rename = "gpipe")]
    ForwardFirst,
}

/// A transformer.
#[derive(Clone, Debug, Serialize)]
pub struct Transformer {
    /// The layers.
    pub layers: u64,
    /// The hidden size.
    pub hidden: u64,
    /// The tokens of a sequence.
    pub sequence: u64,
    /// The experts of a layer, 0 of a dense model.
    pub experts: u64,
    /// The experts of a token.
    pub top_k: u64,
    /// The bytes of an activation.
    pub element_bytes: u64,
    /// The bytes of a gradient.
    pub gradient_bytes: u64,
}

/// The collectives that reduce gradients.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Reduction {
    /// An all-reduce.
    Allreduce,
    /// A reduce-scatter, and an all-gather.
    Sharded,
}

/// A training step.
#[derive(Clone, Debug, Serialize)]
pub struct Training {
    /// The model.
    pub model: Transformer,
    /// The sequences of a microbatch.
    pub microbatch: u64,
    /// The microbatches of each pipeline.
    pub microbatches: u64,
    /// The degrees of tensor, data and pipeline parallelism.
    pub degrees: [u64; 3],
    /// The degree of expert parallelism.
    pub expert: u64,
    /// The dimensions of `degrees`, from that of neighbouring ranks outwards.
    pub order: [usize; 3],
    /// The floating-point operations of a rank in a tick.
    pub flops_per_tick: u64,
    /// The order of the microbatches.
    pub schedule: Order,
    /// The collectives that reduce gradients.
    pub reduction: Reduction,
    /// True if gradients are reduced during the last backward pass.
    pub overlap: bool,
    pub(super) algorithms: Choices,
    #[serde(skip)]
    pub(super) node: NodeCosts,
    #[serde(skip)]
    pub(super) flit_bytes: u64,
}

pub(super) fn read(table: &Reader<'_>, scene: &Scene<'_>, files: &mut Files<'_>) -> Option<Arc<dyn Source>> {
    let [layers, hidden, sequence] = [LAYERS, HIDDEN, SEQUENCE].map(|key| table.required_integer(&key));
    let [microbatch, microbatches, tensor, pipeline, data, expert] =
        [MICROBATCH, MICROBATCHES, TENSOR, PIPELINE, DATA, EXPERT].map(|key| table.integer(&key));
    let [element_bytes, gradient_bytes, flops_per_tick, experts, top_k] =
        [ELEMENT_BYTES, GRADIENT_BYTES, FLOPS, EXPERTS, TOP_K].map(|key| table.integer(&key));
    let [overlap, sharded] = [OVERLAP, SHARDED].map(|key| table.boolean(&key));
    let (layers, hidden, sequence) = (layers?, hidden?, sequence?);
    let training = Training {
        model: Transformer { layers, hidden, sequence, experts, top_k, element_bytes, gradient_bytes },
        microbatch,
        microbatches,
        degrees: [tensor, data, pipeline],
        expert,
        order: order(table)?,
        flops_per_tick,
        schedule: table.choice(&SCHEDULE, &SCHEDULES),
        reduction: if sharded { Reduction::Sharded } else { Reduction::Allreduce },
        overlap,
        algorithms: Choices::read(table, ALGORITHMS),
        node: scene.setting.machine.node,
        flit_bytes: scene.flit_bytes,
    };
    let ranks = product(training.degrees);
    let each = product([2 * microbatches, layers / pipeline + 1, 16 * tensor + 8 * expert + 8]);
    let is_right = training.is_consistent(table) && has_room(table, files, "data", ranks);
    let operations = ranks.saturating_mul(each.saturating_add(product([16 * data, layers / pipeline + 1])));
    (is_right && has_room(table, files, "microbatches", operations)).then(|| Arc::new(training) as Arc<dyn Source>)
}

/// The order of the dimensions.
fn order(table: &Reader<'_>) -> Option<[usize; 3]> {
    if !table.gives(&ORDER) {
        return Some([0, 1, 2]);
    }
    let names = table.strings(&ORDER)?;
    let index = |(name, _): &(&str, _)| DIMENSIONS.iter().position(|dimension| dimension == name);
    let order: Vec<usize> = names.iter().filter_map(index).collect();
    let is_whole = (0..3).all(|dimension| order.contains(&dimension));
    let order = <[usize; 3]>::try_from(order).ok().filter(|_| is_whole && names.len() == 3);
    if order.is_none() {
        let message = format!("`{}` does not list each dimension once", table.path_of("order"));
        let note = format!("accepted: {} in any order", DIMENSIONS.join(", "));
        table.error(Diagnostic::at(table.place_of("order"), message).note(note));
    }
    order
}

impl Training {
    /// Reports degrees that do not divide what they share.
    fn is_consistent(&self, table: &Reader<'_>) -> bool {
        let [_, data, pipeline] = self.degrees;
        let Transformer { layers, experts, top_k, .. } = self.model;
        let refuse = |key: &str, message: String, accepted: String| {
            table.error(Diagnostic::at(table.place_of(key), message).note(format!("accepted: {accepted}")));
            false
        };
        if !layers.is_multiple_of(pipeline) {
            let message = format!("{layers} `layers` cannot be shared equally by {pipeline} stages of `pipeline`");
            return refuse("pipeline", message, format!("a divisor of {layers}"));
        }
        if !data.is_multiple_of(self.expert) {
            let message = format!("`expert` is {}, which does not divide `data` = {data}", self.expert);
            return refuse("expert", message, format!("a divisor of {data}"));
        }
        if !experts.is_multiple_of(self.expert) {
            let message = format!("{} `experts` cannot be shared equally by `expert` = {} ranks", experts, self.expert);
            return refuse("experts", message, format!("a multiple of {}", self.expert));
        }
        if experts == 0 && (self.expert > 1 || top_k > 1) {
            let key = if self.expert > 1 { "expert" } else { "top_k" };
            return refuse(key, format!("`{key}` has no effect without `experts`"), "1 for a dense model".to_owned());
        }
        if experts > 0 && top_k > experts {
            let message = format!("`top_k` is {top_k}, but `experts` is {experts}");
            return refuse("top_k", message, format!("1 to {experts}"));
        }
        if self.largest() >= 1 << 60 {
            let message = "a layer has too many bytes or operations".to_owned();
            return refuse("hidden", message, "fewer than 2^60 bytes and ticks".to_owned());
        }
        true
    }
}
