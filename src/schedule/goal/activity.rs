//! The times at which processors of ranks do something, and the tracks of a timeline that follow from them.

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
    /// The activity.
    pub doing: Doing,
    /// The operation of the activity. For a receive, the send of the message.
    pub operation: u32,
    /// The first tick.
    pub start: Ticks,
    /// The tick after the last one.
    pub end: Ticks,
}

/// A part of a track.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Slice {
    /// The activity.
    pub doing: Doing,
    /// The first tick.
    pub start: Ticks,
    /// The tick after the last one.
    pub end: Ticks,
    /// The operation of the activity, if it has one.
    pub operation: Option<u32>,
    /// The send of the message that is sent or received, if one is.
    pub message: Option<u32>,
}

/// Activities of all processors, in any order.
#[derive(Clone, Debug, Default)]
pub struct Activities {
    list: Vec<Activity>,
    /// For each send, by its number, the receive that takes its message.
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
        if activity.start < activity.end {
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

    /// Returns, for each rank, a track for each processor, which covers the time from 0 to `completion` without gaps. Processors that no
    /// operation of a rank uses have no track, except the first.
    pub fn tracks(mut self, goal: &Goal, completion: Ticks) -> Vec<Vec<Track>> {
        self.list.sort_by_key(|activity| (activity.rank, activity.cpu, activity.start, activity.end));
        let mut rest = self.list.as_slice();
        let mut ranks = Vec::with_capacity(goal.ranks());
        for rank in 0..goal.ranks() {
            let of_rank = goal.of_rank(rank).map(|id| goal.operations()[id as usize]);
            let used =
                of_rank.filter(|operation| operation.action != Action::Receive).map(|operation| operation.cpu).max();
            let mut tracks = Vec::new();
            for cpu in 0..self.cpus {
                let count = rest.iter().take_while(|of| of.rank as usize == rank && usize::from(of.cpu) == cpu).count();
                let (activities, others) = rest.split_at(count);
                rest = others;
                let last = self.ends[rank * self.cpus + cpu];
                if cpu == 0
                    || !activities.is_empty()
                    || last > Ticks::ZERO
                    || used.is_some_and(|used| usize::from(used) >= cpu)
                {
                    tracks.push(Track { name: format!("cpu{cpu}"), slices: self.slices(activities, last, completion) });
                }
            }
            ranks.push(tracks);
        }
        ranks
    }

    /// The slices of a track with the `activities`, whose last operation ends at `last`.
    fn slices(&self, activities: &[Activity], last: Ticks, completion: Ticks) -> Vec<Slice> {
        let mut slices = Vec::with_capacity(2 * activities.len() + 2);
        let mut time = Ticks::ZERO;
        let fill = |doing, start: Ticks, end: Ticks, slices: &mut Vec<Slice>| {
            if start < end {
                slices.push(Slice { doing, start, end, operation: None, message: None });
            }
        };
        for activity in activities {
            let Activity { doing, operation, end, .. } = *activity;
            fill(Doing::Wait, time, activity.start, &mut slices);
            let start = activity.start.max(time);
            if start < end {
                let operation_taken =
                    if doing == Doing::Receive { self.taken_by[operation as usize] } else { operation };
                let message = matches!(doing, Doing::Send | Doing::Receive).then_some(operation);
                slices.push(Slice { doing, start, end, operation: Some(operation_taken), message });
                time = end;
            }
        }
        let done = last.max(time);
        fill(Doing::Wait, time, done, &mut slices);
        fill(Doing::Idle, done, completion, &mut slices);
        slices
    }
}

/// A track of a timeline.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Track {
    /// The name, such as `cpu0`.
    pub name: String,
    /// The slices, in order and without gaps.
    pub slices: Vec<Slice>,
}
