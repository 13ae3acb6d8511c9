//! Collectives of groups in order.
//!
//! Groups with the same members are a *team*, whatever their names: its collectives follow each other. All members of a team call the same
//! collectives in the same order.

use super::groups::{Groups, Seat};
use super::read::{MOST, Settings, Traces};
use crate::kind::words::{counted, first_of};
use crate::schedule::chakra::{COLLECTIVES, Collective, Work};
use crate::schedule::collective::Operation as Task;
use crate::units::Key;
use crate::workload::application::groups::{
    ALLGATHER, ALLREDUCE, AllToAll, BARRIER, BROADCAST, Call, Collectives, FIRST_TAG, GATHER, Instance, REDUCE,
    REDUCE_SCATTER, SCATTER,
};
use rustc_hash::FxHashMap;

/// A collective of a rank.
#[derive(Clone, Copy)]
struct Step {
    group: usize,
    collective: Collective,
    /// The id of the node.
    id: u64,
}

/// Ranks whose collectives follow each other.
struct Team {
    /// The ranks, in ascending order.
    members: Vec<u32>,
    /// Per member its collectives.
    steps: Vec<Vec<Step>>,
}

/// The teams of a trace.
pub(super) struct Teams {
    /// Per group its team.
    of_groups: Vec<usize>,
    teams: Vec<Team>,
}

impl Teams {
    /// Returns the teams of `groups` with their collectives in `traces`.
    pub(super) fn new(traces: &Traces, groups: &Groups) -> Self {
        let mut teams = Self { of_groups: Vec::new(), teams: Vec::new() };
        let mut by_members = FxHashMap::default();
        for ranks in &groups.ranks {
            let mut members = ranks.clone();
            members.sort_unstable();
            let team = *by_members.entry(members).or_insert_with_key(|members: &Vec<u32>| {
                teams.teams.push(Team { members: members.clone(), steps: vec![Vec::new(); members.len()] });
                teams.teams.len() - 1
            });
            teams.of_groups.push(team);
        }
        for (trace, seats) in traces.ranks.iter().zip(&groups.seats) {
            for node in &trace.nodes {
                if let Work::Collective(collective) = node.work {
                    let Seat { group, index } = seats[collective.group as usize];
                    let team = &mut teams.teams[teams.of_groups[group]];
                    let rank = groups.ranks[group][index];
                    let member = team.members.partition_point(|&member| member < rank);
                    team.steps[member].push(Step { group, collective, id: node.id });
                }
            }
        }
        teams
    }

    /// The team of group number `group`.
    pub(super) fn of_group(&self, group: usize) -> usize {
        self.of_groups[group]
    }

    /// Adds to `errors` that members of a team call different collectives.
    pub(super) fn compare(&self, groups: &Groups, errors: &mut Vec<String>) {
        for team in &self.teams {
            for (&rank, steps) in team.members.iter().zip(&team.steps).skip(1) {
                let first = (team.members[0], &team.steps[0][..]);
                if let Some(difference) = difference(groups, first, (rank, steps)).filter(|_| errors.len() < MOST) {
                    errors.push(difference);
                }
            }
        }
    }

    /// The collectives of each team in order, with the number of its ranks.
    fn calls(&self) -> impl Iterator<Item = impl Iterator<Item = (Collective, usize)>> {
        self.teams.iter().map(|team| team.steps[0].iter().map(|step| (step.collective, team.members.len())))
    }

    /// The number of collectives of all teams.
    pub(super) fn collectives(&self) -> usize {
        self.calls().map(Iterator::count).sum()
    }

    /// The most operations of all collectives by the algorithms of `settings`.
    pub(super) fn most_operations(&self, settings: &Settings) -> u128 {
        let collectives = Collectives::new(&settings.algorithms, &settings.node, settings.flit_bytes);
        let operations = |(collective, ranks): (Collective, usize)| match call(collective, ranks) {
            _ if ranks == 1 => 0,
            Some(call) => collectives.most_operations(call),
            None => 2 * (ranks as u128) * (ranks as u128 - 1),
        };
        self.calls().flatten().map(operations).fold(0, u128::saturating_add)
    }

    /// The operations of the collectives of each team in order, by the algorithms of `settings`.
    pub(super) fn exchanges(&self, settings: &Settings) -> Vec<Vec<Exchange>> {
        let mut collectives = Collectives::new(&settings.algorithms, &settings.node, settings.flit_bytes);
        let mut tag = FIRST_TAG;
        let mut exchange = |(collective, ranks): (Collective, usize)| match call(collective, ranks) {
            _ if ranks == 1 => Exchange::Nothing,
            Some(call) => Exchange::Collective(collectives.instance(call, &mut tag)),
            None => {
                tag += 1;
                let algorithm = settings.algorithms.all_to_all(collective.bytes);
                Exchange::AllToAll { algorithm, tag: tag - 1, block: collective.bytes.div_ceil(ranks as u64) }
            }
        };
        self.calls().map(|calls| calls.map(&mut exchange).collect()).collect()
    }
}

/// The operations of a collective.
pub(super) enum Exchange {
    /// A group of one rank has no operations.
    Nothing,
    Collective(Instance),
    AllToAll {
        algorithm: AllToAll,
        tag: u64,
        block: u64,
    },
}

/// The call of `collective` among `ranks` ranks, or `None` for an all-to-all.
fn call(collective: Collective, ranks: usize) -> Option<Call<'static>> {
    let Collective { kind, bytes: size, .. } = collective;
    let (task, key): (Task, &'static Key) = match COLLECTIVES[usize::from(kind)] {
        "all-reduce" => (Task::Allreduce, &ALLREDUCE),
        "reduce" => (Task::Reduce, &REDUCE),
        "all-gather" => (Task::Allgather, &ALLGATHER),
        "gather" => (Task::Gather, &GATHER),
        "scatter" => (Task::Scatter, &SCATTER),
        "broadcast" => (Task::Broadcast, &BROADCAST),
        "reduce-scatter" => (Task::ReduceScatter, &REDUCE_SCATTER),
        "barrier" => (Task::Barrier, &BARRIER),
        _ => return None,
    };
    // gathers state the part of a rank, all others the vector
    let is_gather = matches!(task, Task::Allgather | Task::Gather);
    let bytes = if is_gather { size.saturating_mul(ranks as u64) } else { size };
    Some(Call { task, key, ranks, root: 0, bytes, size })
}

/// Describes the first difference between the collectives of two ranks.
fn difference(groups: &Groups, one: (u32, &[Step]), two: (u32, &[Step])) -> Option<String> {
    let describe = |step: &Step| {
        let Collective { kind, bytes, .. } = step.collective;
        let ranks: Vec<String> = groups.ranks[step.group].iter().map(ToString::to_string).collect();
        let (name, size) = (COLLECTIVES[usize::from(kind)], counted(bytes, "byte"));
        format!("node {}, {name} of {size} among ranks {}", step.id, first_of(&ranks))
    };
    // barriers have no size
    let size = |Collective { kind, bytes, .. }| if COLLECTIVES[usize::from(kind)] == "barrier" { 0 } else { bytes };
    let features = |step: &Step| (step.group, step.collective.kind, size(step.collective));
    let text = match one.1.iter().zip(two.1).find(|(a, b)| features(a) != features(b)) {
        Some((a, b)) => format!("rank {} calls {}, but rank {} calls {}", one.0, describe(a), two.0, describe(b)),
        None => {
            let [long, short] = if one.1.len() > two.1.len() { [one, two] } else { [two, one] };
            let step = long.1.get(short.1.len())?;
            let count = counted(short.1.len() as u64, "collective");
            format!("rank {} calls {}, but rank {} has only {count} in this group", long.0, describe(step), short.0)
        }
    };
    Some(format!("collectives of a group differ: {text}"))
}
