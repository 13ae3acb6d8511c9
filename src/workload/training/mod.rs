//! A step of training a transformer, with tensor, pipeline, data and expert parallelism.
//!
//! Operations and sizes follow Narayanan et al. (2021), Efficient large-scale language model training on GPU clusters using
//! Megatron-LM, sections 2 and 3.2. With free messages and `tensor = 1`, a step takes `(m + pipeline - 1) 3 (layers / pipeline) (A + M)`,
//! where `A` and `M` are the times of the attention and the perceptron of a layer and `m` is the number of microbatches.

mod program;
mod read;

pub use read::{Order, Reduction, Training, Transformer};

use crate::kind::{Combining, Kind, Read, Template};
use crate::workload::application::{self, Program, Source};
use std::sync::Arc;

/// Training steps in the registry.
pub static KIND: Kind = Kind {
    name: "training",
    summary: "step of training a transformer with tensor, pipeline, data and expert parallelism",
    in_words: "a training step",
    combining: Combining::Always,
    keys: read::KEYS,
    template: Template { scenario: include_str!("template.toml"), files: &[] },
    read: Read::Source(read::read),
    ..application::KIND
};

impl Source for Training {
    fn kind(&self) -> &'static Kind {
        &KIND
    }

    fn program(&self) -> Arc<Program> {
        Arc::new(Program::new(self.goal()))
    }

    fn longest_key(&self) -> &'static str {
        "microbatches"
    }

    fn cuts_vectors(&self) -> bool {
        true
    }
}
