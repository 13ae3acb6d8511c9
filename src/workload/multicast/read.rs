//! `[workload.multicast]`: a group, a message and the algorithms to compare.

use super::tree_file::{TREE, TreeFile};
use super::trees::Unplanned;
use crate::algorithm::multicast::{ALGORITHMS, Algorithm, Inside};
use crate::config::{Diagnostic, Errors, Files, Reader};
use crate::kind::{Copying, LINKS_KEY, LeftOut, Selection, Setting, Unfit, Workload, read_links};
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
    /// The tree of `tree-file`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tree: Option<TreeFile>,
    /// The rows of the point.
    #[serde(skip)]
    pub(super) rows: Repeated,
}

/// The repetitions of a point.
#[derive(Clone, Copy, Debug)]
pub(super) struct Repeated {
    /// The seed from which groups are drawn.
    pub(super) seed: u64,
    pub(super) repetitions: u64,
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
    &[ALGORITHMS_KEY, FLITS, BYTES, GROUP, NODES, PLACEMENTS, T_HOLD, T_END, BLOCK, INSIDE, TREE, LINKS_KEY, UNFIT];

pub(super) fn read(table: &Reader<'_>, setting: &Setting<'_>, files: &mut Files<'_>) -> Option<Arc<dyn Workload>> {
    let selection = Selection::read(table, &ALGORITHMS_KEY, &UNFIT);
    let flits = table.required_integer(&FLITS);
    let group = Group::read(table, setting, files);
    let t_hold = table.optional_integer(&T_HOLD).map(Ticks);
    let t_end = table.optional_integer(&T_END).map(Ticks);
    let block = table.count(&BLOCK);
    let inside = table.choice(&INSIDE, &INSIDES);
    let details = read_links(table, setting.machine, true);
    let before = table.error_count();
    let tree = setting.machine.spec().and_then(|spec| TreeFile::read(table, spec, files));
    if table.error_count() > before {
        return None;
    }
    let flits = Flits(flits?);
    let group = group?;
    let (algorithms, left_out) = (Vec::new(), Vec::new());
    let rows = Repeated { seed: setting.seed, repetitions: setting.repetitions };
    let mut multicast =
        Multicast { algorithms, left_out, flits, group, t_hold, t_end, block, inside, details, tree, rows };
    multicast.choose(&selection, setting);
    Some(Arc::new(multicast))
}

/// Returns the need of routers that copy packets, by the algorithms of the scenario `root`.
pub(super) fn copying(root: &Reader<'_>, _: &Machine, _: &mut Files<'_>) -> Copying {
    let errors = Errors::default();
    let quiet = root.with_errors(&errors);
    let Some(workload) = quiet.table("workload") else { return Copying::Never };
    let Some(table) = workload.table("multicast") else { return Copying::Never };
    let selection = Selection::read(&table, &ALGORITHMS_KEY, &UNFIT);
    selection.copying(ALGORITHMS, Algorithm::needs_routers)
}

impl Multicast {
    /// Sets the algorithms to those of `selection` that `machine` admits. Named ones that it does not admit are kept for
    /// [`check`](Workload::check), which knows the whole machine, unless they are skipped.
    fn choose(&mut self, selection: &Selection<'_>, setting: &Setting<'_>) {
        let machine = setting.machine;
        let admits = |algorithm: &Algorithm| {
            if !selection.skips() {
                return Ok(());
            }
            let error = self.admits(algorithm, machine).err().map(|error| error.to_string());
            error.or_else(|| self.missing_trees(algorithm, setting)).map_or(Ok(()), Err)
        };
        let note = |wrong: Diagnostic| wrong.note(self.fitting(machine));
        let none = "none of `algorithms` supports this machine";
        let admitted = selection.admit(ALGORITHMS, |one| one.name, admits, note, none);
        self.algorithms = admitted.algorithms;
        self.left_out = admitted.left_out;
    }

    /// The reason why `algorithm`, which the machine admits, has no trees for the routers of the machine, if there is one.
    fn missing_trees(&self, algorithm: &Algorithm, setting: &Setting<'_>) -> Option<String> {
        if algorithm.needs_routers() && setting.copying.is_none() {
            return Some("requires virtual-channel routers, which do not support this machine".to_owned());
        }
        self.unplanned(algorithm, setting.machine).map(|Unplanned { error, .. }| error.to_string())
    }
}
