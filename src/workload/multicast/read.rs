//! `[workload.multicast]`: a group, a message and the algorithms to compare.

use crate::algorithm::multicast::{ALGORITHMS, Algorithm, Inside};
use crate::config::{Diagnostic, Files, Reader};
use crate::kind::{LINKS_KEY, LeftOut, Selection, Setting, Unfit, Workload, read_links};
use crate::machine::Machine;
use crate::units::{Flits, Key, Ticks};
use crate::workload::LONGEST;
use crate::workload::group::{GROUP, Group, NODES, PLACEMENTS};
use serde::Serialize;
use std::sync::Arc;

/// A multicast workload.
#[derive(Clone, Debug, Serialize)]
pub struct Multicast {
    /// The algorithms to compare, in the order in which they are given.
    pub algorithms: Vec<&'static Algorithm>,
    /// What is named and left out, as it does not fit the machine.
    #[serde(skip)]
    pub left_out: Vec<LeftOut>,
    /// The length of the message.
    pub flits: Flits,
    /// Who takes part.
    pub group: Group,
    /// Overrides of what the model derives from the node costs.
    pub t_hold: Option<Ticks>,
    /// See `t_hold`.
    pub t_end: Option<Ticks>,
    /// The block size of `block-binomial`.
    pub block: usize,
    /// What `block-binomial` does inside a block.
    pub inside: Inside,
    /// Whether links are written.
    pub details: bool,
}

const ALGORITHMS_KEY: Key = Key::names("algorithms", "multicast algorithm", Algorithm::name_at)
    .says("algorithms to compare; see `flitwise list algorithms`");
const FLITS: Key =
    Key::integer("flits", 0..=LONGEST).called("message length").unit("flits").says("length of the message");
const BYTES: Key = Key::integer("bytes", 0..=1 << 62)
    .called("message size")
    .or_else("none")
    .unit("bytes")
    .fills("flits")
    .says("size of the message; alternative to `flits`");
const T_HOLD: Key = Key::integer("t_hold", 0..=u64::MAX >> 4)
    .or_else("value of the model")
    .unit("ticks")
    .says("time between the starts of two sends that the algorithms assume");
const T_END: Key = Key::integer("t_end", 0..=u64::MAX >> 4)
    .or_else("value of the model")
    .unit("ticks")
    .says("time from the start of a send to its receipt that the algorithms assume");
const BLOCK: Key =
    Key::integer("block", 1..=u32::MAX as u64).or(4).unit("nodes").read_by(&["block-binomial"]).says("size of a block");
const INSIDES: [(&str, Inside); 2] = [("flat", Inside::Flat), ("binomial", Inside::Binomial)];
const INSIDE: Key = Key::word("inside", |at| INSIDES.get(at).map(|(name, _)| *name))
    .or_word("flat")
    .read_by(&["block-binomial"])
    .says("distribution of the message within a block, from its first node");

const UNFIT: Key =
    Unfit::KEY.says("treatment of algorithms that do not support the machine: reject (an error) or skip");

pub(crate) const KEYS: &[Key] =
    &[ALGORITHMS_KEY, FLITS, BYTES, GROUP, NODES, PLACEMENTS, T_HOLD, T_END, BLOCK, INSIDE, LINKS_KEY, UNFIT];

pub(super) fn read(table: &Reader<'_>, setting: &Setting<'_>, files: &mut Files<'_>) -> Option<Arc<dyn Workload>> {
    let selection = Selection::read(table, &ALGORITHMS_KEY, &UNFIT);
    let flits = table.required_integer(&FLITS);
    let group = Group::read(table, setting, files);
    let t_hold = table.optional_integer(&T_HOLD).map(Ticks);
    let t_end = table.optional_integer(&T_END).map(Ticks);
    let block = table.count(&BLOCK);
    let inside = table.choice(&INSIDE, &INSIDES);
    let details = read_links(table, setting.machine, true);
    let flits = Flits(flits?);
    let group = group?;
    let (algorithms, left_out) = (Vec::new(), Vec::new());
    let mut multicast = Multicast { algorithms, left_out, flits, group, t_hold, t_end, block, inside, details };
    multicast.choose(&selection, setting.machine);
    Some(Arc::new(multicast))
}

impl Multicast {
    /// Sets the algorithms to those of `selection` that `machine` admits. Named ones that it does not admit are kept for
    /// [`check`](Workload::check), which knows the whole machine, unless they are skipped.
    fn choose(&mut self, selection: &Selection<'_>, machine: &Machine) {
        let admits = |algorithm: &Algorithm| match self.admits(algorithm, machine) {
            Err(error) if selection.skips() => Err(error.to_string()),
            _ => Ok(()),
        };
        let note = |wrong: Diagnostic| wrong.note(self.fitting(machine));
        let none = "none of `algorithms` supports this machine";
        let admitted = selection.admit(ALGORITHMS, |one| one.name, admits, note, none);
        self.algorithms = admitted.algorithms;
        self.left_out = admitted.left_out;
    }
}
