//! `[workload.trace]` whose messages are given by the caller: checked as those of a file are.

use super::read::{COLUMNS, FILE, Trace, ranges};
use crate::config::{Diagnostic, Files, Reader};
use crate::digest::{Digest, Digester};
use crate::engine::program::TraceMessage;
use std::sync::Arc;

/// What stands for the name of a file where digests are listed.
const NAME: &str = "messages";

/// The most messages that are wrong of which each is reported.
const REPORTED: usize = 100;

/// The trace of `messages` on a network of so many nodes; what is wrong with them is reported.
pub(super) fn trace(
    table: &Reader<'_>,
    messages: &Arc<[TraceMessage]>,
    nodes: usize,
    files: &mut Files<'_>,
) -> Option<Trace> {
    if table.gives(&FILE) {
        let message = format!("`{}` has no effect: messages are passed directly", table.path_of(FILE.name));
        table.error(Diagnostic::at(table.place_of(FILE.name), message));
        return None;
    }
    let shared = files.shared(&format!("{NAME} {nodes}"), |files| {
        let wrong: Vec<String> = wrong(messages, nodes).take(REPORTED).collect();
        for message in &wrong {
            table.error(Diagnostic::unplaced(message)); // it is in no text
        }
        files.given(NAME, digest(messages), size_of_val(&**messages) as u64);
        let ids = (0..messages.len() as u64).collect();
        let messages = Arc::clone(messages);
        let groups = Arc::default();
        let trace = Trace { file: String::new(), messages, ids, groups, multicast: None, details: false };
        wrong.is_empty().then_some(trace)
    })?;
    Some(shared)
}

/// What is wrong with `messages`, of each its first number that no message can have.
fn wrong(messages: &[TraceMessage], nodes: usize) -> impl Iterator<Item = String> {
    let ranges = ranges(nodes);
    messages.iter().enumerate().filter_map(move |(id, message)| {
        let TraceMessage { src, dst, flits, start } = *message;
        let numbers = [id as u64, src.0.into(), dst.0.into(), flits.0, start.0];
        let at = (0..numbers.len()).find(|&at| !ranges[at].contains(&numbers[at]))?;
        let column = COLUMNS[at];
        let range = &ranges[at];
        let accepted = format!("an integer from {} to {}", range.start(), range.end());
        Some(format!("message {id}: `{column}` cannot be {}; accepted: {accepted}", numbers[at]))
    })
}

fn digest(messages: &[TraceMessage]) -> Digest {
    let mut digester = Digester::default();
    for TraceMessage { src, dst, flits, start } in messages {
        let ends = u64::from(src.0) << u32::BITS | u64::from(dst.0);
        digester.update([ends, flits.0, start.0].map(u64::to_le_bytes).as_flattened());
    }
    digester.finish()
}

#[cfg(test)]
mod tests {
    use crate::engine::program::TraceMessage;
    use crate::kind::Keep;
    use crate::run::rows_of_point;
    use crate::scenario::{Options, Rejected, Scenario};
    use crate::units::{Flits, NodeId, Ticks};
    use std::error::Error;
    use std::path::Path;

    const MESH: &str = "network.mesh.shape = [4, 4]\nworkload.trace = {}\n";

    fn message(src: u32, dst: u32, flits: u64) -> TraceMessage {
        TraceMessage { src: NodeId(src), dst: NodeId(dst), flits: Flits(flits), start: Ticks(5) }
    }

    fn scenario(text: &str, messages: &[TraceMessage]) -> Result<Scenario, Rejected> {
        let name = Some("given".to_owned());
        let options = Options { messages: Some(messages.into()), name, ..Options::default() };
        Scenario::parse("given", text, Path::new(""), &options)
    }

    fn complaints(text: &str, messages: &[TraceMessage]) -> Vec<String> {
        let rejected = scenario(text, messages).map_err(|rejected| rejected.diagnostics);
        rejected.err().into_iter().flatten().map(|wrong| wrong.message).collect()
    }

    #[test]
    fn messages_without_a_file_are_run() -> Result<(), Box<dyn Error>> {
        let scenario = scenario(MESH, &[message(0, 15, 8), message(3, 0, 1)]).map_err(|_| "rejected")?;
        let row = scenario.points[0].experiment.run(rows_of_point(&scenario, 0)[0], Keep::messages(true))?;
        let delivered: Vec<u64> = row.details.iter().map(|detail| detail.outcome.delivered.0).collect();
        assert_eq!(delivered, [5 + 8 + 7, 5 + 5]);
        assert_eq!(scenario.files().len(), 1, "their digest is known");
        Ok(())
    }

    #[test]
    fn what_a_message_cannot_be_is_told_with_its_number() {
        let told = complaints(MESH, &[message(0, 15, 8), message(0, 16, 8), message(1, 2, 1 << 41)]);
        let expected = [
            "message 1: `dst` cannot be 16; accepted: an integer from 0 to 15",
            "message 2: `flits` cannot be 2199023255552; accepted: an integer from 0 to 1099511627776",
        ];
        assert_eq!(told, expected);
        let both = "network.mesh.shape = [4, 4]\nworkload.trace.file = \"messages.csv\"\n";
        assert_eq!(complaints(both, &[]), ["`workload.trace.file` has no effect: messages are passed directly"]);
    }
}
