//! `[workload.exchange]`: all-to-all exchange by several algorithms, on a torus or, by some, on any network.

use super::cache::ExchangeCache;
use crate::algorithm::exchange::{ALGORITHMS, Algorithm};
use crate::config::{Diagnostic, Files, Reader, listed};
use crate::kind::words::counted;
use crate::kind::{Admitted, LINKS_KEY, LeftOut, Selection, Setting, Unfit, Workload, read_links};
use crate::schedule::Pace;
use crate::topology::Torus;
use crate::units::{Flits, Key};
use crate::workload::LONGEST;
use serde::Serialize;
use std::sync::Arc;

/// An exchange workload.
#[derive(Clone, Debug, Serialize)]
pub struct Exchange {
    /// The algorithms to compare, in the order in which they are given.
    pub algorithms: Vec<&'static Algorithm>,
    /// The length of a block.
    pub block_flits: Flits,
    /// When nodes go on to the next step.
    pub pace: Pace,
    /// Whether schedules are proved and run, rather than counted and priced.
    pub simulate: bool,
    /// Whether links are written.
    pub details: bool,
    /// The nodes along each dimension of the torus, or all nodes in a row.
    #[serde(skip)]
    pub shape: Vec<usize>,
    /// The torus, if it is one.
    #[serde(skip)]
    pub torus: Option<Torus>,
    /// What is named and left out, as it cannot do the torus.
    #[serde(skip)]
    pub left_out: Vec<LeftOut>,
    /// What exchanges of this scenario that differ in set-ups alone have in common.
    #[serde(skip)]
    pub(super) cache: Arc<ExchangeCache>,
}

const ALGORITHMS_KEY: Key = Key::names("algorithms", "exchange algorithm", Algorithm::name_at)
    .says("algorithms to compare; see `flitwise list algorithms`");
const BLOCK_FLITS: Key =
    Key::integer("block_flits", 0..=LONGEST).called("block length").or(1).unit("flits").says("length of a block");
const BLOCK_BYTES: Key = Key::integer("block_bytes", 0..=1 << 62)
    .called("block size")
    .or_else("none")
    .unit("bytes")
    .fills("block_flits")
    .says("size of a block; alternative to `block_flits`");
const SYNCHRONOUS: Key = Key::boolean("synchronous")
    .or_boolean(true)
    .says("barrier between steps; otherwise a node continues when it has received its messages");
const SIMULATE: Key = Key::boolean("simulate")
    .or_boolean(true)
    .says("verification and simulation of schedules; otherwise they are only counted and predicted");
const UNFIT: Key =
    Unfit::KEY.says("treatment of algorithms that do not support a torus of this shape: reject (an error) or skip");

pub(crate) const KEYS: &[Key] = &[ALGORITHMS_KEY, BLOCK_FLITS, BLOCK_BYTES, SYNCHRONOUS, SIMULATE, LINKS_KEY, UNFIT];

/// An exchange prescribes its routes on a torus; on other networks algorithms that know nodes by number run.
pub(super) fn read(table: &Reader<'_>, setting: &Setting<'_>, files: &mut Files<'_>) -> Option<Arc<dyn Workload>> {
    let Setting { root, machine, .. } = *setting;
    let torus = machine.spec().and_then(|spec| spec.torus(machine.ports()));
    setting.demand_network(table, machine.network.is_some(), "an exchange needs a [network.*] to run on");
    let order = &["network", "torus", "order"];
    if torus.is_some() && root.is_given(order) {
        let message = "`network.torus.order` has no effect: an exchange prescribes the paths of its messages";
        root.error(Diagnostic::at(root.place_within(order), message));
    }
    let selection = Selection::read(table, &ALGORITHMS_KEY, &UNFIT);
    let block_flits = table.integer(&BLOCK_FLITS);
    let synchronous = table.boolean(&SYNCHRONOUS);
    let simulate = table.boolean(&SIMULATE);
    let details = read_links(table, machine, simulate);
    let nodes = machine.nodes()?;
    let shape = torus.as_ref().map_or_else(|| vec![nodes], |torus| torus.shape().to_vec());
    let on_torus = torus.is_some();
    let made_for = match root.has_table(&["network", "torus"]) {
        true => "requires a torus without `concentration`, `twist` and `directions`",
        false => "requires a torus",
    };
    let admit = |algorithm: &Algorithm| match algorithm.admits(&shape) {
        _ if !on_torus && !algorithm.is_by_number => Err(made_for.to_owned()),
        admitted => admitted.map_err(|error| error.to_string()),
    };
    let what = if on_torus {
        format!("a torus of {shape:?}")
    } else {
        format!("a network of {}", counted(nodes as u64, "node"))
    };
    let none = format!("none of `algorithms` supports {what}");
    let note = |wrong: Diagnostic| wrong.note(fitting(admit));
    let Admitted { algorithms, left_out } = selection.admit(ALGORITHMS, |one| one.name, admit, note, &none);
    let pace = if synchronous { Pace::Synchronous } else { Pace::Asynchronous };
    let cache = files.shared("", |_| Arc::default());
    Some(Arc::new(Exchange {
        algorithms,
        block_flits: Flits(block_flits),
        pace,
        simulate,
        details,
        shape,
        torus,
        left_out,
        cache,
    }))
}

fn fitting(admit: impl Fn(&Algorithm) -> Result<(), String>) -> String {
    let fitting: Vec<&str> = ALGORITHMS.iter().filter(|one| admit(one).is_ok()).map(|one| one.name).collect();
    if fitting.is_empty() {
        "no algorithm supports it".to_owned()
    } else {
        format!("accepted here: {}", listed(fitting))
    }
}
