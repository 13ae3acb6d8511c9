//! `[workload.exchange]`: all-to-all exchange on a torus by several algorithms.

use super::cache::ExchangeCache;
use crate::algorithm::exchange::{ALGORITHMS, Algorithm};
use crate::config::{Diagnostic, Files, Reader, listed};
use crate::kind::{LeftOut, Setting, Unfit, Workload};
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
    /// The torus.
    #[serde(skip)]
    pub torus: Torus,
    /// What is named and left out, as it cannot do the torus.
    #[serde(skip)]
    pub left_out: Vec<LeftOut>,
    /// What exchanges of this scenario that differ in set-ups alone have in common.
    #[serde(skip)]
    pub(super) cache: Arc<ExchangeCache>,
}

const ALGORITHMS_KEY: Key = Key::names("algorithms", "exchange algorithm", Algorithm::name_at)
    .says("the algorithms to compare; see `flitwise list algorithms`");
const BLOCK_FLITS: Key = Key::integer("block_flits", 0..=LONGEST).or(1).unit("flits").says("the length of a block");
const SYNCHRONOUS: Key = Key::boolean("synchronous")
    .or_boolean(true)
    .says("a barrier between steps; without it nodes go on when they have received");
const SIMULATE: Key = Key::boolean("simulate")
    .or_boolean(true)
    .says("prove and run schedules; without it they are only counted and predicted");
const UNFIT: Key = Unfit::KEY.says("what becomes of algorithms that cannot do a torus of this shape");

pub(crate) const KEYS: &[Key] = &[ALGORITHMS_KEY, BLOCK_FLITS, SYNCHRONOUS, SIMULATE, UNFIT];

/// An exchange needs a torus, and prescribes its routes.
pub(super) fn read(table: &Reader<'_>, setting: &Setting<'_>, files: &mut Files<'_>) -> Option<Arc<dyn Workload>> {
    let Setting { root, machine, .. } = *setting;
    let torus = machine.spec().and_then(|spec| spec.torus(machine.ports()));
    let needed = match root.has_table(&["network", "torus"]) {
        false => "an exchange needs a [network.torus] to run on",
        true => "an exchange needs a [network.torus] without `concentration`, `twist` and `directions` to run on",
    };
    setting.demand_network(table, torus.is_some(), needed);
    let order = &["network", "torus", "order"];
    if root.is_given(order) {
        let message = "an exchange prescribes which way its messages go, so `network.torus.order` would be ignored";
        root.error(Diagnostic::at(root.place_within(order), message));
    }
    let written = table.names(&ALGORITHMS_KEY);
    let block_flits = table.integer(&BLOCK_FLITS);
    let synchronous = table.boolean(&SYNCHRONOUS);
    let simulate = table.boolean(&SIMULATE);
    let unfit = table.choice(&UNFIT, &Unfit::ALL);
    let torus = torus?;
    let mut algorithms = Vec::new();
    let mut left_out = Vec::new();
    for (position, at) in written {
        let algorithm = &ALGORITHMS[at];
        match algorithm.admits(torus.shape()) {
            Ok(()) => algorithms.push(algorithm),
            Err(error) if unfit == Unfit::Skip => {
                left_out.push(LeftOut { algorithm: algorithm.name, why: error.to_string() });
            }
            Err(error) => {
                let place = table.place_within_array(&["algorithms"], position);
                let message = format!("`{}` {error}", algorithm.name);
                table.error(Diagnostic::at(place, message).note(fitting(torus.shape())));
            }
        }
    }
    if unfit == Unfit::Skip && algorithms.is_empty() && table.has("algorithms") {
        let message = format!("none of `algorithms` can do a torus of {:?}", torus.shape());
        table.error(Diagnostic::at(table.place_of("algorithms"), message).note(fitting(torus.shape())));
    }
    let pace = if synchronous { Pace::Synchronous } else { Pace::Asynchronous };
    let cache = files.shared("", |_| Arc::default());
    Some(Arc::new(Exchange { algorithms, block_flits: Flits(block_flits), pace, simulate, torus, left_out, cache }))
}

fn fitting(shape: &[usize]) -> String {
    let fitting: Vec<&str> = ALGORITHMS.iter().filter(|a| a.admits(shape).is_ok()).map(|a| a.name).collect();
    if fitting.is_empty() { "no algorithm can".to_owned() } else { format!("accepted here: {}", listed(fitting)) }
}
