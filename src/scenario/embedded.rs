//! Scenarios of networks inside other simulators.

use super::keys;
use crate::config::{Diagnostic, Document, Value};

/// Adds `[workload.embed]` to `document` if it has no workload.
///
/// # Errors
/// If it has another workload.
pub(super) fn complete(document: &mut Document) -> Result<(), Vec<Diagnostic>> {
    let Some((_, workload)) = document.root.get("workload") else {
        return document.set("workload.embed={}", keys::root()).map_err(|wrong| vec![wrong]);
    };
    let Value::Table(workload) = &workload.value else { return Ok(()) };
    let others = workload.entries.iter().filter(|(key, _)| key.name != "embed");
    let refused: Vec<Diagnostic> = others
        .map(|(key, _)| {
            let message = format!("[workload.{}] has no effect: the host program sends the messages", key.name);
            Diagnostic::at(key.place.clone(), message).note("accepted: [workload.embed], or no workload")
        })
        .collect();
    if refused.is_empty() { Ok(()) } else { Err(refused) }
}
