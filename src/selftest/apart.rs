//! Features that are one of several of a kind, and those that no case has together.

use super::features::Feature;

/// The kinds of networks, of which a case has one.
pub(super) const KINDS: &[Feature] = &[
    Feature::Mesh,
    Feature::Torus,
    Feature::Hypercube,
    Feature::HyperX,
    Feature::Bmin,
    Feature::FatTree,
    Feature::Dragonfly,
    Feature::Chiplets,
    Feature::Graph,
];

/// What schedules are for, of which a case has one.
pub(super) const TASKS: &[Feature] =
    &[Feature::Multicasts, Feature::Broadcasts, Feature::Exchanges, Feature::Collectives];

/// What planners are held against their definitions for, of which a case has one.
pub(super) const PROBLEMS: &[Feature] =
    &[Feature::MulticastTrees, Feature::GridBroadcasts, Feature::TorusExchanges, Feature::Mappings];

/// What only virtual-channel routers have.
pub(super) const ROUTERS: &[Feature] = &[
    Feature::Pipelined,
    Feature::Shared,
    Feature::NotSpeculative,
    Feature::Allocators,
    Feature::LinkLatency,
    Feature::MoreVirtualChannels,
    Feature::Choosing,
];

impl Feature {
    /// Whether a case may have both: it has one kind of network and one of workload, and some features are of one kind.
    pub fn goes_with(self, other: Self) -> bool {
        let never = |(ones, others): &(&[Self], &[Self])| {
            (ones.contains(&self) && others.contains(&other)) || (ones.contains(&other) && others.contains(&self))
        };
        let is_lacking = |&kind: &Self| (self == kind && other.lacks(kind)) || (other == kind && self.lacks(kind));
        self == other || !APART.iter().any(never) && !KINDS.iter().any(is_lacking)
    }

    /// Whether networks of this `kind` never have it.
    fn lacks(self, kind: Self) -> bool {
        match self {
            Self::Order | Self::OddLinks => !matches!(kind, Self::Mesh | Self::Torus),
            Self::Concentration => {
                !matches!(kind, Self::Mesh | Self::Torus | Self::Hypercube | Self::HyperX | Self::Chiplets)
            }
            Self::UnevenLinks | Self::LinkDelays => matches!(kind, Self::Hypercube | Self::Bmin | Self::Chiplets),
            Self::FewerVirtualChannels => !matches!(kind, Self::Torus | Self::Dragonfly | Self::Graph),
            Self::Choosing => matches!(kind, Self::Bmin | Self::Chiplets | Self::Graph),
            _ => false,
        }
    }
}

/// Features of which no case has one of the first and one of the second.
const APART: &[(&[Feature], &[Feature])] = &[
    (KINDS, KINDS),
    (TASKS, TASKS),
    (&[Feature::Segments, Feature::Parts], &[Feature::Multicasts, Feature::Broadcasts, Feature::Exchanges]),
    (&[Feature::LongMessages], &[Feature::Exchanges]),
    (&[Feature::Reductions, Feature::PathWorms], &[Feature::Collectives]),
    (PROBLEMS, PROBLEMS),
    (&[Feature::Ports, Feature::LongHolds], &[Feature::GridBroadcasts, Feature::TorusExchanges, Feature::Mappings]),
    (&[Feature::Ports, Feature::LongHolds], &[Feature::Ties, Feature::SeveralTasks, Feature::OffCubes]),
    (&[Feature::Ties], &[Feature::MulticastTrees, Feature::TorusExchanges]),
    (&[Feature::SeveralTasks, Feature::OffCubes], &[Feature::MulticastTrees, Feature::GridBroadcasts]),
    (&[Feature::SeveralTasks, Feature::OffCubes], &[Feature::TorusExchanges]),
    (&[Feature::FailingGrids], Feature::ALL),
    (&[Feature::LostLinks], &[Feature::OpenLoop]),
    (&[Feature::LostLinks], ROUTERS),
    (&[Feature::Loads], TASKS),
    (&[Feature::Loads], &[Feature::SeveralAlgorithms]),
    (&[Feature::Exchanges, Feature::Collectives], &[Feature::Repetitions]),
    (&[Feature::Broadcasts], &[Feature::KeptMessages]),
];
