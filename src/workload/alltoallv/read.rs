//! `[workload.alltoallv]`: a matrix of bytes, or tokens and experts.

use super::Matrix;
use crate::config::{Diagnostic, Files, Place, Reader, Square, square};
use crate::units::{Key, saturated};
use crate::workload::application::groups::{ALL_TO_ALL, Choices};
use crate::workload::application::{DETAILS, FLIT_BYTES, NODES, Scene, Source, has_room, product};
use serde::Serialize;
use std::sync::Arc;

const MATRIX: Key = Key::file("matrix")
    .or_else("drawn, from `ranks`, `tokens`, `top_k`, `experts` and `bytes_per_token`")
    .says("CSV file without a header: bytes from each rank (row) to each rank (column)");
const GIVEN: &str = "the matrix of bytes is given";
const RANKS: Key = Key::integer("ranks", 1..=1 << 16).unless("matrix").because(GIVEN).says("number of ranks");
const TOKENS: Key = Key::integer("tokens", 1..=1 << 40).unless("matrix").because(GIVEN).says("tokens of each rank");
const TOP_K: Key =
    Key::integer("top_k", 1..=1 << 20).unless("matrix").because(GIVEN).says("experts to which a token is sent");
const EXPERTS: Key = Key::integer("experts", 1..=1 << 20)
    .unless("matrix")
    .because(GIVEN)
    .says("number of experts, the same number on each rank");
const BYTES_PER_TOKEN: Key =
    Key::integer("bytes_per_token", 1..=1 << 40).unit("bytes").unless("matrix").because(GIVEN).says("size of a token");
const SKEWS: [&str; 3] = ["uniform", "zipf", "lognormal"];
const SKEW: Key = Key::word("skew", |at| SKEWS.get(at).copied())
    .or_word("uniform")
    .unless("matrix")
    .because(GIVEN)
    .says("distribution of the popularity of experts");
const EXPONENT: Key = Key::number("exponent", 0.0..=16.0)
    .read_if("skew", &["zipf"])
    .says("exponent of the Zipf distribution: the weight of the i-th expert is 1 / i^exponent");
const SIGMA: Key = Key::number("sigma", 0.0..=16.0)
    .read_if("skew", &["lognormal"])
    .says("standard deviation of the logarithm of the weights");
const COMBINE: Key = Key::boolean("combine")
    .or_boolean(true)
    .says("computation after the all-to-all, and a second all-to-all that returns the blocks");
const COMPUTE: Key = Key::integer("compute", 0..=1 << 50)
    .or(0)
    .unit("ticks")
    .read_if("combine", &["true"])
    .says("computation time between the two all-to-alls");
const ALGORITHMS: &[Key] = &[ALL_TO_ALL];

pub(super) const KEYS: &[Key] = &[
    MATRIX,
    RANKS,
    TOKENS,
    TOP_K,
    EXPERTS,
    BYTES_PER_TOKEN,
    SKEW,
    EXPONENT,
    SIGMA,
    COMBINE,
    COMPUTE,
    Key::table("algorithms", ALGORITHMS).says("algorithms of the collectives"),
    FLIT_BYTES,
    NODES,
    DETAILS,
];

/// All-to-alls with blocks of different sizes.
#[derive(Clone, Debug, Serialize)]
pub struct AllToAllV {
    /// The blocks.
    #[serde(flatten)]
    pub blocks: Blocks,
    /// True if a computation and a second all-to-all follow.
    pub combine: bool,
    /// The ticks of the computation.
    pub compute: u64,
    #[serde(rename = "algorithms")]
    pub(super) choices: Choices,
}

/// The sizes of the blocks.
#[derive(Clone, Debug, Serialize)]
#[serde(untagged)]
pub enum Blocks {
    /// Those of a file.
    Matrix {
        /// The file, as the scenario names it.
        file: String,
        /// The bytes.
        #[serde(skip)]
        matrix: Arc<Matrix>,
    },
    /// Those of tokens that are drawn in each repetition.
    Drawn {
        /// The number of ranks.
        ranks: usize,
        /// The tokens of each rank.
        tokens: u64,
        /// The experts of a token.
        top_k: usize,
        /// The number of experts.
        experts: usize,
        /// The bytes of a token.
        bytes_per_token: u64,
        /// The popularity of experts.
        skew: Skew,
    },
}

/// The distribution of the weights by which experts are drawn.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Skew {
    /// All are equal.
    Uniform,
    /// The weight of the `i`-th expert is `1 / i^exponent`.
    Zipf {
        /// The exponent.
        exponent: f64,
    },
    /// The logarithms of weights are normal with mean 0.
    Lognormal {
        /// The standard deviation.
        sigma: f64,
    },
}

pub(super) fn read(table: &Reader<'_>, _: &Scene<'_>, files: &mut Files<'_>) -> Option<Arc<dyn Source>> {
    let combine = table.boolean(&COMBINE);
    let compute = table.integer(&COMPUTE);
    let choices = Choices::read(table, ALGORITHMS);
    let blocks = match table.string(&MATRIX) {
        Some((name, place)) => {
            let matrix = files.shared(name, |files| read_matrix(table, files, name, place).map(Arc::new))?;
            Blocks::Matrix { file: name.to_owned(), matrix }
        }
        None => drawn(table)?,
    };
    let ranks = match &blocks {
        Blocks::Matrix { matrix, .. } => matrix.ranks,
        Blocks::Drawn { ranks, .. } => *ranks,
    };
    let operations = product([ranks as u64, 4 * ranks as u64 + 1]);
    let all = AllToAllV { blocks, combine, compute, choices };
    has_room(table, files, all.longest_key(), operations).then(|| Arc::new(all) as Arc<dyn Source>)
}

/// The matrix of the file `name`.
fn read_matrix(table: &Reader<'_>, files: &mut Files<'_>, name: &str, place: &Place) -> Option<Matrix> {
    let source = files.open(table, name, place)?;
    let bytes = |_, _, written: &str| {
        let read = written.parse::<u64>().ok().filter(|&bytes| bytes <= 1 << 50);
        read.ok_or_else(|| "is not a number of bytes (accepted: 0 to 2^50)".to_owned())
    };
    match square(&files.source(source).text, None, "size", bytes) {
        Ok(Square { size, values }) => Some(Matrix { ranks: size, bytes: values }),
        Err(fault) => {
            let error = fault.of_file(name, source);
            table.error(if error.note.is_none() {
                error.note("accepted: a square matrix, with a row and a column for each rank")
            } else {
                error
            });
            None
        }
    }
}

fn drawn(table: &Reader<'_>) -> Option<Blocks> {
    let [ranks, tokens, top_k, experts, bytes_per_token] =
        [RANKS, TOKENS, TOP_K, EXPERTS, BYTES_PER_TOKEN].map(|key| table.required_integer(&key));
    let skew = match table.word(&SKEW).or(SKEW.default.word())? {
        "zipf" => {
            table.demand(&EXPONENT);
            Skew::Zipf { exponent: table.optional_number(&EXPONENT)? }
        }
        "lognormal" => {
            table.demand(&SIGMA);
            Skew::Lognormal { sigma: table.optional_number(&SIGMA)? }
        }
        _ => Skew::Uniform,
    };
    let (ranks, tokens, top_k, experts, bytes_per_token) = (ranks?, tokens?, top_k?, experts?, bytes_per_token?);
    let refuse = |key: &str, message: String, accepted: String| {
        table.error(Diagnostic::at(table.place_of(key), message).note(format!("accepted: {accepted}")));
        None
    };
    if top_k > experts {
        let message = format!("`top_k` is {top_k}, but `experts` is {experts}");
        return refuse("top_k", message, format!("1 to {experts}"));
    }
    if experts % ranks != 0 {
        let message = format!("{experts} `experts` cannot be shared equally by {ranks} `ranks`");
        return refuse("experts", message, format!("a multiple of {ranks}"));
    }
    if product([ranks, tokens, top_k, bytes_per_token]) >= 1 << 62 {
        return refuse("tokens", "the tokens have too many bytes".to_owned(), "fewer than 2^62 bytes".to_owned());
    }
    let [ranks, top_k, experts] = [ranks, top_k, experts].map(saturated);
    Some(Blocks::Drawn { ranks, tokens, top_k, experts, bytes_per_token, skew })
}
