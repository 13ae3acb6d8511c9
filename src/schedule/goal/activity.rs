//! The times at which processors of ranks do something, and the lanes of a timeline that follow from them.

use super::{Action, Goal};
use crate::units::Ticks;

/// The activity of a processor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Doing {
    /// It computes.
    Compute,
    /// The operating system has it.
    Noise,
    /// It sends.
    Send,
    /// It receives.
    Receive,
    /// It does nothing, but an operation of it is still to end.
    Wait,
    /// All its operations have ended.
    Idle,
}

impl Doing {
    /// The name in files.
    pub fn name(self) -> &'static str {
        match self {
            Self::Compute => "compute",
            Self::Noise => "noise",
            Self::Send => "send",
            Self::Receive => "receive",
            Self::Wait => "wait",
            Self::Idle => "idle",
        }
    }
}

/// An activity of a processor for some time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Activity {
    /// The rank.
    pub rank: u32,
    /// The processor, as a number within the rank.
    pub cpu: u8,
    /// What it does.
    pub doing: Doing,
    /// The operation for which it does that; of a receive that of the message, which is its send.
    pub operation: u32,
    /// The first tick.
    pub begin: Ticks,
    /// The tick after the last one.
    pub end: Ticks,
}

/// A part of a lane.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Slice {
    /// What the processor does.
    pub doing: Doing,
    /// The first tick.
    pub begin: Ticks,
    /// The tick after the last one.
    pub end: Ticks,
    /// The operation for which it does that, if it is for one.
    pub operation: Option<u32>,
    /// The send of the message that is sent or received, if one is.
    pub message: Option<u32>,
}

/// Activities of all processors, in any order.
#[derive(Clone, Debug, Default)]
pub struct Activities {
    list: Vec<Activity>,
    /// Per operation: of a send the receive that takes its message, of others nothing that counts.
    taken_by: Vec<u32>,
    /// Per rank and processor: the end of the last operation.
    ends: Vec<Ticks>,
    /// The processors of a rank.
    cpus: usize,
}

impl Activities {
    /// Creates a log of no activities for the operations of `goal`.
    pub fn new(goal: &Goal) -> Self {
        let cpus = usize::from(goal.highest_cpu()) + 1;
        let ends = vec![Ticks::ZERO; goal.ranks() * cpus];
        Self { list: Vec::new(), taken_by: vec![0; goal.operations().len()], ends, cpus }
    }

    /// Adds an activity, unless it takes no time.
    pub fn add(&mut self, activity: Activity) {
        if activity.begin < activity.end {
            self.list.push(activity);
        }
    }

    /// Notes that an operation of processor `cpu` of `rank` ends at `end`.
    pub fn end(&mut self, rank: u32, cpu: u8, end: Ticks) {
        let last = &mut self.ends[rank as usize * self.cpus + usize::from(cpu)];
        *last = end.max(*last);
    }

    /// Notes that `receive` takes the message of `send`.
    pub fn take(&mut self, receive: u32, send: u32) {
        self.taken_by[send as usize] = receive;
    }

    /// Per rank and processor a lane, which covers the time from 0 to `completion` with slices one after the other. Processors that no
    /// operation of a rank uses have no lane, except the first.
    pub fn lanes(mut self, goal: &Goal, completion: Ticks) -> Vec<Vec<Lane>> {
        self.list.sort_by_key(|activity| (activity.rank, activity.cpu, activity.begin, activity.end));
        let mut rest = self.list.as_slice();
        let mut ranks = Vec::with_capacity(goal.ranks());
        for rank in 0..goal.ranks() {
            let of_rank = goal.of_rank(rank).map(|id| goal.operations()[id as usize]);
            let used =
                of_rank.filter(|operation| operation.action != Action::Receive).map(|operation| operation.cpu).max();
            let mut lanes = Vec::new();
            for cpu in 0..self.cpus {
                let own = rest.iter().take_while(|of| of.rank as usize == rank && usize::from(of.cpu) == cpu).count();
                let (own, others) = rest.split_at(own);
                rest = others;
                let last = self.ends[rank * self.cpus + cpu];
                if cpu == 0
                    || !own.is_empty()
                    || last > Ticks::ZERO
                    || used.is_some_and(|used| usize::from(used) >= cpu)
                {
                    lanes.push(Lane { name: format!("cpu{cpu}"), slices: self.slices(own, last, completion) });
                }
            }
            ranks.push(lanes);
        }
        ranks
    }

    /// The slices of a lane with the activities `own`, whose last operation ends at `last`.
    fn slices(&self, own: &[Activity], last: Ticks, completion: Ticks) -> Vec<Slice> {
        let mut slices = Vec::with_capacity(2 * own.len() + 2);
        let mut at = Ticks::ZERO;
        let fill = |doing, at: Ticks, end: Ticks, slices: &mut Vec<Slice>| {
            if at < end {
                slices.push(Slice { doing, begin: at, end, operation: None, message: None });
            }
        };
        for activity in own {
            let Activity { doing, operation, end, .. } = *activity;
            fill(Doing::Wait, at, activity.begin, &mut slices);
            let begin = activity.begin.max(at);
            if begin < end {
                let of = if doing == Doing::Receive { self.taken_by[operation as usize] } else { operation };
                let message = matches!(doing, Doing::Send | Doing::Receive).then_some(operation);
                slices.push(Slice { doing, begin, end, operation: Some(of), message });
                at = end;
            }
        }
        let done = last.max(at);
        fill(Doing::Wait, at, done, &mut slices);
        fill(Doing::Idle, done, completion, &mut slices);
        slices
    }
}

/// A lane of a timeline.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lane {
    /// The name, such as `cpu0`.
    pub name: String,
    /// The slices, in order and without gaps.
    pub slices: Vec<Slice>,
}
