//! The timeline of a row: the tracks of its ranks under the model and on the network.

use crate::costs::Noise;
use crate::engine::Outcome;
use crate::engine::program::Causes;
use crate::schedule::goal::{Action, Goal};
use crate::timeline::{Activity, Log, Span, Track};
use crate::units::Ticks;

/// Returns the tracks of each rank of `goal` in a run on a network with this `outcome` and these `causes`, in which `noise` lengthened
/// operations.
pub(super) fn on_network(goal: &Goal, outcome: &Outcome, causes: &Causes, noise: Option<&Noise>) -> Vec<Vec<Track>> {
    let mut log = Log::new(goal);
    let cpus = outcome.ends.len() / goal.ranks().max(1);
    for (at, &end) in outcome.ends.iter().enumerate() {
        let (rank, cpu) = (at / cpus, at % cpus);
        #[expect(clippy::cast_possible_truncation, reason = "ranks are numbered with 32 bits and processors with 8")]
        log.end(rank as u32, cpu as u8, end);
    }
    let span = |activity: Activity, id: u32, start: Ticks, end: Ticks| {
        let cpu = goal.operations()[id as usize].cpu;
        Span { rank: goal.rank_of(id), cpu, activity, operation: id, start, end }
    };
    for computation in &causes.computations {
        let Some(id) = computation.operation else { continue };
        let end = computation.from + Ticks(goal.operations()[id as usize].size);
        log.add_with_noise(span(Activity::Compute, id, computation.from, end), computation.to - end);
    }
    let sends = (0..).zip(goal.operations()).filter(|(_, operation)| operation.action == Action::Send);
    let messages = outcome.messages.iter().zip(&causes.sends).zip(&causes.receives);
    for ((send, operation), ((message, began), &receive)) in sends.zip(messages) {
        let sent = span(Activity::Send, send, began.at, message.requested);
        let length = message.requested - began.at;
        log.add_with_noise(sent, Ticks(noise.map_or(0, |noise| noise.added(sent.rank, began.at.0, length.0))));
        let [start, end] = [message.delivered, message.received];
        log.add(Span { rank: operation.peer, cpu: 0, activity: Activity::Receive, operation: send, start, end });
        log.take(receive, send);
    }
    log.tracks(goal, outcome.completion, false)
}
