//! `[model.*]`: which model says what `predicted` is, and what trees are optimal for.

use super::costs::ticks;
use crate::config::{Diagnostic, Reader};
use crate::model::{Line, Linear, LogGops, LogP, Model};
use crate::units::Key;
use serde::Serialize;

const LATENCY: Key = ticks("L").says("latency of the network for the first byte");
const OVERHEAD: Key = ticks("o").says("overhead of a send or a receive");
const GAP: Key = ticks("g").says("gap between two messages at a network interface");
const PROCESSORS: Key = Key::integer("P", 1..=u32::MAX as u64)
    .or_else("no limit")
    .says("number of processors, the upper limit of participating nodes");

/// The keys of `[model.logp]`, in which lengths are not looked at.
pub(crate) const LOGP: &[Key] = &[LATENCY, OVERHEAD, GAP, PROCESSORS];

const GAP_PER_BYTE: Key =
    ticks("G").says("gap per byte after the first; per flit if lengths are in flits and the value has no unit");
const OVERHEAD_PER_BYTE: Key = ticks("O").or(0).says("overhead per byte after the first");
const EAGER: Key = Key::integer("S", 0..=u64::MAX >> 1)
    .or(65_535)
    .unit("bytes")
    .says("length of the longest eager message; senders of longer messages wait for the receiver");

const ACROSS: Key = Key::word("across_processors", |at| DependencyRule::ALL.get(at).map(|(name, _)| *name))
    .or_else("classic for `goal` and `msccl`, else in-time")
    .says(
        "start of an operation that requires one on another processor of its rank: as in LogGOPSim, or after its end",
    );

/// The keys of `[model.loggops]`.
pub(crate) const LOGGOPS: &[Key] =
    &[LATENCY, OVERHEAD, GAP, GAP_PER_BYTE, OVERHEAD_PER_BYTE, EAGER, ACROSS, PROCESSORS];

/// The rule for an operation that requires an operation on another processor of its rank.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum DependencyRule {
    /// The operation starts when its own processor is free, as in LogGOPSim.
    Classic,
    /// The operation starts after the end of each operation that it requires.
    InTime,
}

impl DependencyRule {
    const ALL: [(&'static str, Self); 2] = [("classic", Self::Classic), ("in-time", Self::InTime)];
}

/// A model as it is read.
pub(crate) struct ReadModel {
    pub(crate) model: Model,
    /// The number of processors, if it is stated.
    pub(crate) processors: Option<u64>,
    /// The rule for dependencies across processors, if it is stated.
    pub(crate) dependency_rule: Option<DependencyRule>,
}

/// A time that is linear in the length of a message: the key of what every message takes, and that of a flit.
struct LineKeys {
    setup: Key,
    per_flit: Key,
}

/// Ticks for every message.
const fn setup(name: &'static str) -> Key {
    ticks(name).or_else("0")
}

/// Ticks for every flit.
const fn per_flit(name: &'static str) -> Key {
    setup(name).says("additional time per flit, or per byte of operations")
}

const HOLD: LineKeys = LineKeys {
    setup: setup("t_hold").or_else("t_send").says("time between the starts of two sends"),
    per_flit: per_flit("t_hold_per_flit").or_else("t_send_per_flit"),
};
const END: LineKeys = LineKeys {
    setup: setup("t_end")
        .or_else("sum of its parts")
        .says("time from the start of a send to its receipt, or its parts t_send, t_net and t_recv"),
    per_flit: per_flit("t_end_per_flit").or_else("sum of its parts"),
};
const PARTS: [LineKeys; 3] = [
    LineKeys { setup: setup("t_send").says("part of t_end at the sender"), per_flit: per_flit("t_send_per_flit") },
    LineKeys { setup: setup("t_net").says("part of t_end on the network"), per_flit: per_flit("t_net_per_flit") },
    LineKeys { setup: setup("t_recv").says("part of t_end at the receiver"), per_flit: per_flit("t_recv_per_flit") },
];

/// The keys of `[model.parameterised]`.
pub(crate) const PARAMETERISED: &[Key] = &[
    HOLD.setup,
    HOLD.per_flit,
    END.setup,
    END.per_flit,
    PARTS[0].setup,
    PARTS[0].per_flit,
    PARTS[1].setup,
    PARTS[1].per_flit,
    PARTS[2].setup,
    PARTS[2].per_flit,
];

/// Every model, by the name of its table.
pub(crate) const MODELS: &[Key] = &[
    Key::table("parameterised", PARAMETERISED)
        .says("parameterised model: t_hold and t_end (or the parts of t_end), linear in the message length"),
    Key::table("logp", LOGP)
        .says("LogP: latency, overhead and gap, independent of the message length: t_hold = max(g, o), t_end = L + 2o"),
    Key::table("loggops", LOGGOPS)
        .says("LogGOPS: LogP with a gap and an overhead per byte, and rendezvous for long messages"),
];

/// Reads the model, if one is chosen. Where lengths are counted in flits of
/// `flit_bytes` bytes, times per byte that have units become times per flit.
pub(crate) fn read(root: &Reader<'_>, flit_bytes: Option<u64>) -> Option<ReadModel> {
    let table = root.table("model")?;
    let model = table.only_table().and_then(|(name, inner)| {
        let processors = match name {
            "parameterised" => None,
            _ => inner.optional_integer(&PROCESSORS),
        };
        let model = match name {
            "logp" => logp(&inner).map(Model::LogP),
            "loggops" => loggops(&inner, flit_bytes).map(Model::LogGops),
            _ => parameterised(&inner).map(Model::Parameterised),
        };
        let dependency_rule =
            if name == "loggops" { inner.optional_choice(&ACROSS, &DependencyRule::ALL) } else { None };
        inner.finish();
        Some(ReadModel { model: model?, processors, dependency_rule })
    });
    table.finish();
    model
}

fn logp(table: &Reader<'_>) -> Option<LogP> {
    let [latency, overhead, gap] = [LATENCY, OVERHEAD, GAP].map(|key| table.required_integer(&key));
    Some(LogP { latency: latency?, overhead: overhead?, gap: gap? })
}

fn loggops(table: &Reader<'_>, flit_bytes: Option<u64>) -> Option<LogGops> {
    let logp = logp(table);
    let gap_per_byte = table.required_integer(&GAP_PER_BYTE);
    let overhead_per_byte = table.integer(&OVERHEAD_PER_BYTE);
    let eager = table.integer(&EAGER);
    let LogP { latency, overhead, gap } = logp?;
    let gap_per_byte = gap_per_byte?;
    let has_unit = table.quantity("model.loggops.G").is_some();
    let of_flit = |per_byte: u64| per_byte.saturating_mul(flit_bytes.filter(|_| has_unit).unwrap_or(1));
    Some(LogGops {
        latency,
        overhead,
        gap,
        gap_per_byte: of_flit(gap_per_byte),
        overhead_per_byte: of_flit(overhead_per_byte),
        eager: flit_bytes.filter(|_| has_unit).map_or(eager, |flit| eager / flit),
    })
}

/// Either `t_end` as a whole or its parts.
fn parameterised(table: &Reader<'_>) -> Option<Linear> {
    let t_hold = line(table, &HOLD);
    let t_end = line(table, &END);
    let parts = PARTS.map(|keys| line(table, &keys));
    let given = |keys: &&LineKeys| table.gives(&keys.setup) || table.gives(&keys.per_flit);
    if let Some(LineKeys { setup, .. }) = PARTS.iter().find(given).filter(|_| t_end.is_some()) {
        let message = format!("`{}` is a part of `t_end`, which is also given", setup.name);
        table.error(Diagnostic::at(table.place_of(setup.name), message));
    }
    match (t_end, parts) {
        (None, [None, None, None]) => {
            table.missing(
                "t_end",
                "ticks from the start of a send to its receipt, or its parts t_send, t_net and t_recv",
            );
            None
        }
        (Some(whole), _) => {
            let Some(t_hold) = t_hold else {
                table.missing("t_hold", "ticks between the starts of two sends");
                return None;
            };
            Some(Linear { t_hold, t_send: Line::default(), t_net: whole, t_recv: Line::default() })
        }
        (None, parts) => {
            let [t_send, t_net, t_recv] = parts.map(Option::unwrap_or_default);
            Some(Linear { t_hold: t_hold.unwrap_or(t_send), t_send, t_net, t_recv })
        }
    }
}

/// What `keys` say, if one of them is given.
fn line(table: &Reader<'_>, keys: &LineKeys) -> Option<Line> {
    let setup = table.optional_integer(&keys.setup);
    let per_flit = table.optional_integer(&keys.per_flit);
    let given = setup.is_some() || per_flit.is_some();
    given.then(|| Line { setup: setup.unwrap_or(0), per_flit: per_flit.unwrap_or(0) })
}
