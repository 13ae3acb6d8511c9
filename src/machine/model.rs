//! `[model.*]`: which model says what `predicted` is, and what trees are optimal for.

use crate::config::Diagnostic;
use crate::config::Reader;
use crate::model::{Line, Linear, LogGops, LogP, Model};

/// The largest of a model's parameters.
const LARGEST: u64 = 1 << 40;

/// The keys of the parameterised model, each with one for the part per flit.
const PARTS: [(&str, &str); 3] =
    [("t_send", "t_send_per_flit"), ("t_net", "t_net_per_flit"), ("t_recv", "t_recv_per_flit")];

/// Reads the model, if one is chosen, and how many processors it has, if it says so.
pub(crate) fn read(root: &Reader<'_>) -> Option<(Model, Option<u64>)> {
    let table = root.table("model")?;
    let model = table.only_table(&["parameterised", "logp", "loggops"]).and_then(|(name, inner)| {
        let processors = match name {
            "parameterised" => None,
            _ => inner.optional_integer("P", 1..=u64::from(u32::MAX)),
        };
        let model = match name {
            "logp" => logp(&inner).map(Model::LogP),
            "loggops" => loggops(&inner).map(Model::LogGops),
            _ => parameterised(&inner).map(Model::Parameterised),
        };
        inner.finish();
        Some((model?, processors))
    });
    table.finish();
    model
}

fn logp(table: &Reader<'_>) -> Option<LogP> {
    let [latency, overhead, gap] = ["L", "o", "g"].map(|key| table.required_integer(key, 0..=LARGEST));
    Some(LogP { latency: latency?, overhead: overhead?, gap: gap? })
}

fn loggops(table: &Reader<'_>) -> Option<LogGops> {
    let logp = logp(table);
    let gap_per_byte = table.required_integer("G", 0..=LARGEST);
    let overhead_per_byte = table.integer("O", 0, 0..=LARGEST);
    let eager = table.integer("S", 65_535, 0..=u64::MAX >> 1);
    let LogP { latency, overhead, gap } = logp?;
    Some(LogGops { latency, overhead, gap, gap_per_byte: gap_per_byte?, overhead_per_byte, eager })
}

/// Either `t_end` as a whole or its parts.
fn parameterised(table: &Reader<'_>) -> Option<Linear> {
    let line = |(setup, per_flit)| {
        let [setup, per_flit] = [setup, per_flit].map(|key| table.optional_integer(key, 0..=LARGEST));
        let given = setup.is_some() || per_flit.is_some();
        given.then(|| Line { setup: setup.unwrap_or(0), per_flit: per_flit.unwrap_or(0) })
    };
    let (t_hold, t_end) = (line(("t_hold", "t_hold_per_flit")), line(("t_end", "t_end_per_flit")));
    let parts = PARTS.map(line);
    if let Some((key, _)) = PARTS.iter().find(|(a, b)| t_end.is_some() && (table.has(a) || table.has(b))) {
        let message = format!("`{key}` is a part of `t_end`: give the parts or the whole");
        table.error(Diagnostic::at(table.place_of(key), message));
    }
    match (t_end, parts) {
        (None, [None, None, None]) => {
            table.missing("t_end", "ticks from the start of a send to its receipt, or its parts t_send, t_net, t_recv");
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
