//! What cases may have, and which of it a case draws.
//!
//! Every case switches a random half of all features off before anything is drawn (swarm testing: A. Groce et al., Swarm
//! testing, ISSTA 2012). A mix of everything everywhere hides what only shows where something else is absent.

use rand::distr::uniform::{SampleRange, SampleUniform};
use rand::{Rng, RngExt};
use rand_pcg::Pcg64;

/// Names the features, and lists them.
macro_rules! features {
    ($($feature:ident $name:literal)+) => {
        /// Something that a case may have.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        #[repr(u8)]
        pub enum Feature {
            $(
                #[doc = $name]
                $feature
            ),+
        }

        impl Feature {
            /// Every feature, in the order of their numbers.
            pub const ALL: &[Self] = &[$(Self::$feature),+];

            /// What it is called.
            pub fn name(self) -> &'static str {
                match self {
                    $(Self::$feature => $name),+
                }
            }
        }
    };
}

features! {
    Mesh "mesh"
    Torus "torus"
    Hypercube "hypercube"
    HyperX "hyperx"
    Bmin "bmin"
    FatTree "fat-tree"
    Dragonfly "dragonfly"
    Chiplets "chiplets"
    Graph "graph"
    Larger "larger networks"
    Order "order of dimensions"
    Concentration "several nodes a router"
    OddLinks "express links, twists, one-way rings"
    UnevenLinks "links with flit times of their own"
    LinkDelays "links with delays"
    FewerVirtualChannels "fewer virtual channels than freedom from deadlock needs"
    Ports "several ports a node"
    Ejection "other numbers of ejection channels"
    FlitTime "flits that take several ticks"
    Buffers "buffers of several flits"
    RoutingDelay "routing delays"
    LongMessages "long messages"
    EmptyMessages "messages without payload"
    ManyMessages "many messages"
    HotSpot "messages to one node"
    AtOnce "messages at one time"
    Operations "operations that wait for each other"
    Computations "computations"
    StartDependencies "operations that wait for a start"
    Wildcards "receives from any rank"
    NodeCosts "overheads of nodes"
    Pipelined "pipelined routers"
    Shared "buffers with several packets"
    NotSpeculative "routers that do not speculate"
    LinkLatency "links of several cycles"
    MoreVirtualChannels "more virtual channels"
    Choosing "routings that draw or choose"
    Multicasts "multicasts"
    Broadcasts "broadcasts over grids"
    Exchanges "exchanges"
    Collectives "collectives"
    Groups "groups of some nodes"
    Combining "messages that take long to combine"
    Segments "messages cut into segments"
    Parts "vectors cut into parts"
    NoBarriers "no barriers between steps"
    Damaged "damaged schedules"
    MulticastTrees "multicast trees"
    GridBroadcasts "planned broadcasts"
    TorusExchanges "exchanges on tori"
    Mappings "mappings of tasks"
    LongHolds "holds of any length"
    Ties "many equal costs"
    SeveralTasks "several tasks a node"
    OffCubes "networks other than hypercubes"
    OpenLoop "open-loop traffic on routers"
    HeavyLoad "more load than is carried"
    OnOff "sources that turn on and off"
    LostLinks "networks with lost links"
    FailingGrids "grids that fail"
    AnyTag "tags that fit any"
    FewTags "messages with the same tags"
    Rendezvous "senders that wait for receivers"
    Resources "several processors and interfaces a rank"
    Unmatched "sends or receives without the other"
    GapPerByte "gaps per byte"
    OverheadPerByte "overheads per byte"
    Loads "loads"
    SeveralAlgorithms "several algorithms"
    SweptKeys "several points"
    Repetitions "several repetitions"
    KeptMessages "messages that are kept"
    Threads "several threads"
    Shards "shards"
    Killed "kills"
    DamagedJournals "damaged journals"
    OtherChips "chips with other constants"
    OtherShapes "chips of other shapes"
    Replayed "times as they were recorded"
    BothNetworks "processors that use both networks"
    ReadBarriers "barriers between reads"
    Allocators "allocators that are not the default"
    SpeculationRules "rules of speculative requests"
    Speedups "speedups and output queues"
    StageCycles "stages of several cycles"
    WholePackets "switching of whole packets"
    VcRequests "other requests for virtual channels"
    SharedBuffers "buffers that virtual channels share"
    Priorities "priorities"
    Networks "several physical networks"
    Classes "classes of packets"
    Replies "replies"
    SharedQueues "classes that share a queue"
    OwnChannels "classes with virtual channels of their own"
    Batches "batches and bursts"
    Reductions "reductions"
    PathWorms "worms along Hamiltonian paths"
}

/// A set of features.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FeatureSet(u128);

impl FeatureSet {
    /// Those that are listed.
    pub const fn of(features: &[Feature]) -> Self {
        let mut bits = 0;
        let mut at = 0;
        while at < features.len() {
            bits |= 1 << features[at] as u8;
            at += 1;
        }
        Self(bits)
    }

    /// Those of either.
    #[must_use]
    pub const fn and(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// Whether `feature` is one of them.
    pub fn has(self, feature: Feature) -> bool {
        self.0 >> feature as u8 & 1 == 1
    }

    /// One more.
    pub fn add(&mut self, feature: Feature) {
        self.0 |= 1 << feature as u8;
    }

    /// In order.
    pub fn iter(self) -> impl Iterator<Item = Feature> {
        Feature::ALL.iter().copied().filter(move |&feature| self.has(feature))
    }
}

/// What a case is drawn from: a random stream, and the features that are switched on.
#[derive(Debug)]
pub(crate) struct Swarm {
    random: Pcg64,
    on: FeatureSet,
    met: FeatureSet,
}

impl Swarm {
    /// Of `random`, which first switches each of `features` off with probability one half.
    pub(crate) fn new(mut random: Pcg64, features: FeatureSet) -> Self {
        let switched_on = u128::from(random.next_u64()) << 64 | u128::from(random.next_u64());
        let on = FeatureSet(features.0 & switched_on);
        Self { random, on, met: FeatureSet::default() }
    }

    /// A case is begun, or begun again: it has no features yet.
    pub(crate) fn begin(&mut self) {
        self.met = FeatureSet::default();
    }

    /// The features that the case has.
    pub(crate) fn met(&self) -> FeatureSet {
        self.met
    }

    /// Whether `feature` is switched on.
    pub(crate) fn is_on(&self, feature: Feature) -> bool {
        self.on.has(feature)
    }

    /// The case has `feature`.
    pub(crate) fn meet(&mut self, feature: Feature) {
        self.met.add(feature);
    }

    /// The case has one of `kinds` that are switched on; one of all if none is.
    pub(crate) fn kind(&mut self, kinds: &[Feature]) -> Feature {
        let on: Vec<Feature> = kinds.iter().copied().filter(|&kind| self.is_on(kind)).collect();
        let kind = self.one_of(if on.is_empty() { kinds } else { &on });
        self.meet(kind);
        kind
    }

    /// Whether the case has `feature`, which is with this probability where it is switched on.
    pub(crate) fn has(&mut self, feature: Feature, probability: f64) -> bool {
        let has = self.is_on(feature) && self.random.random_bool(probability);
        if has {
            self.meet(feature);
        }
        has
    }

    /// A number of `range`.
    pub(crate) fn draw<T: SampleUniform>(&mut self, range: impl SampleRange<T>) -> T {
        self.random.random_range(range)
    }

    /// Whether what has this probability happens.
    pub(crate) fn toss(&mut self, probability: f64) -> bool {
        self.random.random_bool(probability)
    }

    /// One of `values`, of which there is at least one.
    pub(crate) fn one_of<T: Clone>(&mut self, values: &[T]) -> T {
        values[self.random.random_range(0..values.len())].clone()
    }

    /// The numbers below `count` in any order.
    pub(crate) fn permutation(&mut self, count: u64) -> Vec<u64> {
        let mut order: Vec<u64> = (0..count).collect();
        for at in (1..order.len()).rev() {
            order.swap(at, self.random.random_range(0..=at));
        }
        order
    }
}

/// In how many cases two features were met together.
#[derive(Clone, Debug)]
pub struct Pairs {
    /// Per feature and feature, the smaller number first.
    cases: Vec<u64>,
}

/// How many features there are: a bit each.
const COUNT: usize = Feature::ALL.len();
const _: () = assert!(COUNT <= 128);

impl Default for Pairs {
    fn default() -> Self {
        Self { cases: vec![0; COUNT * COUNT] }
    }
}

impl Pairs {
    /// A case had the features `met`.
    pub(super) fn add(&mut self, met: FeatureSet) {
        for one in met.iter() {
            for other in met.iter().filter(|&other| other as u8 >= one as u8) {
                self.cases[one as usize * COUNT + other as usize] += 1;
            }
        }
    }

    /// Those of `other`, too.
    pub(super) fn join(&mut self, other: &Self) {
        self.cases.iter_mut().zip(&other.cases).for_each(|(sum, more)| *sum += more);
    }

    /// In how many cases both were met; of a feature with itself, in how many it was.
    pub fn cases(&self, one: Feature, other: Feature) -> u64 {
        let first = (one as usize).min(other as usize);
        self.cases[first * COUNT + (one as usize).max(other as usize)]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random;

    #[test]
    fn half_of_all_features_are_off_in_a_case() {
        let all = FeatureSet::of(Feature::ALL);
        let on = |case| all.iter().filter(|&one| Swarm::new(random::stream(case, "test", 0), all).is_on(one)).count();
        let mean = (0..1000).map(on).sum::<usize>() / 1000;
        assert!((COUNT / 2 - 2..COUNT / 2 + 2).contains(&mean), "{mean}");
    }

    #[test]
    fn pairs_are_counted_once() {
        let mut pairs = Pairs::default();
        pairs.add(FeatureSet::of(&[Feature::Mesh, Feature::Ports]));
        pairs.add(FeatureSet::of(&[Feature::Mesh]));
        let [mesh, ports, both] =
            [(Feature::Mesh, Feature::Mesh), (Feature::Ports, Feature::Ports), (Feature::Ports, Feature::Mesh)]
                .map(|(one, other)| pairs.cases(one, other));
        assert_eq!([mesh, ports, both], [2, 1, 1]);
    }
}
