//! Rules in which runs differ: those of the classic simulator, and those with dependencies in time and noise.

use crate::costs::Noise;
use crate::schedule::goal::Goal;
use crate::timeline::{Activity, Log, Span};
use crate::units::Ticks;

/// The conditions under which ranks execute operations.
#[derive(Clone, Copy, Debug, Default)]
pub struct Conditions<'a> {
    /// True if an operation begins after the ends of all operations that it requires, on whatever processor these run. In the classic
    /// simulator it begins when its own processor is free.
    pub in_time: bool,
    /// The noise of the ranks, if there is any. As in LogGOPSim, it lengthens computations by the events during them, and sends and
    /// receives by those during the overhead of a message without bytes.
    pub noise: Option<&'a Noise>,
}

impl Conditions<'_> {
    /// Returns true if these are the conditions of the classic simulator without noise.
    pub(super) fn are_classic(&self) -> bool {
        !self.in_time && self.noise.is_none()
    }
}

/// Decides what the classic rules leave open. The defaults are the classic rules.
pub(super) trait Rules {
    /// The tick from which operation `id` may begin, by the operations that it requires.
    #[inline(always)]
    fn ready(&self, _id: u32) -> u64 {
        0
    }

    /// Notes that operation `id` requires an operation that ends at `end`.
    #[inline(always)]
    fn require(&mut self, _id: u32, _end: u64) {}

    /// Notes that operation `id` of `rank` ends at `end`.
    #[inline(always)]
    fn ended(&mut self, _rank: u32, _id: u32, _end: u64) {}

    /// The noise that lengthens an operation of `rank` that begins at `now` and takes `length` ticks.
    #[inline(always)]
    fn noise(&mut self, _rank: u32, _now: u64, _length: u64) -> u64 {
        0
    }

    /// Notes that processor `cpu` of `rank` begins at `now` an activity of operation `id` of `length` ticks, and `noise` ticks of noise.
    /// A receive is noted with the operation of its send.
    #[inline(always)]
    fn occupied(&mut self, _activity: Activity, _place: (u32, u8), _id: u32, _now: u64, _lengths: [u64; 2]) {}

    /// Notes that `receive` takes the message of `send`.
    #[inline(always)]
    fn matched(&mut self, _receive: u32, _send: u32) {}

    /// Notes that the message of `send` leaves the processor of its receiver at `end`.
    #[inline(always)]
    fn leaves(&mut self, _send: u32, _end: u64) {}

    /// The tick at which the message of `send`, which has arrived, leaves the processor of its receiver.
    #[inline(always)]
    fn left(&self, _send: u32) -> u64 {
        0
    }

    /// Per rank the end of its last operation, where dependencies are in time, and its noise, if there is any.
    fn end(self) -> (Vec<Ticks>, Vec<Ticks>);
}

/// The rules of the classic simulator.
pub(super) struct Classic;

impl Rules for Classic {
    fn end(self) -> (Vec<Ticks>, Vec<Ticks>) {
        (Vec::new(), Vec::new())
    }
}

/// Rules with dependencies in time, noise, or a log.
pub(super) struct Extended<'a, 'l> {
    goal: &'a Goal,
    conditions: Conditions<'a>,
    /// For each operation the tick from which it may begin. Later, for a send whose message has arrived, the tick at which the message
    /// leaves the processor of its receiver.
    times: Vec<u64>,
    /// Per rank: the end of its last operation.
    ends: Vec<Ticks>,
    /// Per rank: its noise.
    noise: Vec<Ticks>,
    log: Option<&'l mut Log>,
}

impl<'a, 'l> Extended<'a, 'l> {
    pub(super) fn new(goal: &'a Goal, conditions: &Conditions<'a>, log: Option<&'l mut Log>) -> Self {
        Self {
            goal,
            conditions: *conditions,
            times: if conditions.in_time { vec![0; goal.operations().len()] } else { Vec::new() },
            ends: vec![Ticks::ZERO; goal.ranks()],
            noise: vec![Ticks::ZERO; if conditions.noise.is_some() { goal.ranks() } else { 0 }],
            log,
        }
    }
}

impl Rules for Extended<'_, '_> {
    fn ready(&self, id: u32) -> u64 {
        self.times.get(id as usize).copied().unwrap_or(0)
    }

    fn require(&mut self, id: u32, end: u64) {
        if let Some(time) = self.times.get_mut(id as usize) {
            *time = end.max(*time);
        }
    }

    fn ended(&mut self, rank: u32, id: u32, end: u64) {
        let last = &mut self.ends[rank as usize];
        *last = Ticks(end).max(*last);
        if let Some(log) = &mut self.log {
            log.end(rank, self.goal.operations()[id as usize].cpu, Ticks(end));
        }
    }

    fn occupied(
        &mut self,
        activity: Activity,
        (rank, cpu): (u32, u8),
        operation: u32,
        now: u64,
        [length, noise]: [u64; 2],
    ) {
        if let Some(log) = &mut self.log {
            let [start, end] = [now, now + length].map(Ticks);
            log.add_with_noise(Span { activity, rank, cpu, operation, start, end }, Ticks(noise));
        }
    }

    fn matched(&mut self, receive: u32, send: u32) {
        if let Some(log) = &mut self.log {
            log.take(receive, send);
        }
    }

    fn noise(&mut self, rank: u32, now: u64, length: u64) -> u64 {
        let Some(noise) = self.conditions.noise else { return 0 };
        let added = noise.added(rank, now, length);
        self.noise[rank as usize].0 += added;
        added
    }

    fn leaves(&mut self, send: u32, end: u64) {
        if let Some(time) = self.times.get_mut(send as usize) {
            *time = end;
        }
    }

    fn left(&self, send: u32) -> u64 {
        self.ready(send)
    }

    fn end(self) -> (Vec<Ticks>, Vec<Ticks>) {
        (if self.conditions.in_time { self.ends } else { Vec::new() }, self.noise)
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]
mod tests {
    use super::super::execute_under;
    use super::*;
    use crate::model::LogGops;
    use crate::schedule::goal::GoalViolation;

    const MODEL: LogGops =
        LogGops { latency: 5, overhead: 10, gap: 0, gap_per_byte: 0, overhead_per_byte: 0, eager: u64::MAX };

    /// A computation on processor 1, and one on processor 0 that requires it.
    const ACROSS: &[u8] = b"num_ranks 1\nrank 0 {\na: calc 100 cpu 1\nb: calc 50\nb requires a\n}\n";

    fn completion(text: &[u8], conditions: &Conditions<'_>) -> Result<Ticks, GoalViolation> {
        let goal = Goal::read(text).unwrap();
        Ok(execute_under(&goal, |bytes| MODEL.parts(bytes), MODEL.eager, conditions, None)?.completion)
    }

    #[test]
    fn dependencies_across_processors_are_classic_or_in_time() -> Result<(), GoalViolation> {
        assert_eq!(completion(ACROSS, &Conditions::default())?, Ticks(100));
        assert_eq!(completion(ACROSS, &Conditions { in_time: true, noise: None })?, Ticks(150));
        Ok(())
    }
}
