//! The largest part of a critical path in a sentence.

use crate::recording::Explanation;

/// Returns a sentence such as `Computation is 94.8 % of the critical path.`, or `None` without a path. The path is that of `run`.
pub(super) fn largest_part(explanation: &Explanation, run: &str) -> Option<String> {
    let all: u64 = explanation.shares.iter().map(|(_, ticks)| ticks.0).sum();
    let (kind, ticks) = explanation.shares.iter().max_by_key(|(_, ticks)| ticks.0)?;
    #[expect(clippy::cast_precision_loss, reason = "a share for people to read")]
    let share = 100.0 * ticks.0 as f64 / all.max(1) as f64;
    Some(format!("{} is {share:.1} % of the critical path{run}.", noun(kind.name())))
}

/// The noun for a part of the path that is called `name`.
fn noun(name: &str) -> String {
    let noun = match name {
        "start" => "The time before the first message",
        "send" => "Send overhead",
        "hold" => "The gap between sends of a port",
        "wait" => "Waiting for channels",
        "hop" => "The latency of head flits",
        "transmit" => "Serialisation",
        "shared" => "Sharing links with other virtual channels",
        "credit" => "Waiting for credits",
        "receive" => "Receive overhead",
        "compute" => "Computation",
        other => return format!("The part `{other}`"),
    };
    noun.to_owned()
}
