//! Allocators by name.

use super::super::matrix::Matrix;
use super::arbiter::ArbiterChoice;
use super::kind::{AllocatorKind, Build, BuildAnyWidth, Parameters, Settings};
use super::{Allocator, islip, lonely, max_size, pim, separable, wavefront};
use serde::{Serialize, Serializer, ser::SerializeMap};

/// All allocators of the switch and of VCs, the default first.
pub const ALLOCATORS: [AllocatorKind; 9] = [
    separable::INPUT_FIRST,
    separable::OUTPUT_FIRST,
    islip::KIND,
    pim::KIND,
    wavefront::KIND,
    wavefront::ROUND_ROBIN,
    lonely::KIND,
    separable::SELECT,
    max_size::KIND,
];

/// The names of allocators that repeat their rule.
pub const REPEATING: &[&str] = &names::<{ count(Parameters::Iterations) }>(Parameters::Iterations);

/// The names of allocators with a choice of arbiters.
pub const SEPARABLE: &[&str] = &names::<{ count(Parameters::Arbiters) }>(Parameters::Arbiters);

/// The number of allocators that read `parameters`.
const fn count(parameters: Parameters) -> usize {
    let mut count = 0;
    let mut index = 0;
    while index < ALLOCATORS.len() {
        if ALLOCATORS[index].reads as u8 == parameters as u8 {
            count += 1;
        }
        index += 1;
    }
    count
}

/// The names of the `COUNT` allocators that read `parameters`.
const fn names<const COUNT: usize>(parameters: Parameters) -> [&'static str; COUNT] {
    let mut names = [""; COUNT];
    let mut count = 0;
    let mut index = 0;
    while index < ALLOCATORS.len() {
        if ALLOCATORS[index].reads as u8 == parameters as u8 {
            names[count] = ALLOCATORS[index].name;
            count += 1;
        }
        index += 1;
    }
    names
}

/// The choice of an allocator: one of [`ALLOCATORS`], with the parameters that it reads.
///
/// ```
/// use flitwise::engine::router::AllocatorChoice;
/// let islip = AllocatorChoice::named("islip").map(|islip| islip.repeated(2));
/// assert_eq!(islip.map(|islip| (islip.name(), islip.iterations())), Some(("islip", 2)));
/// assert_eq!(AllocatorChoice::default().name(), "separable-input-first");
/// ```
#[derive(Clone, Copy)]
pub struct AllocatorChoice {
    kind: AllocatorKind,
    settings: Settings,
}

impl AllocatorChoice {
    /// The allocator of this `name`, with one iteration and round-robin arbiters. `None` if there is none.
    pub fn named(name: &str) -> Option<Self> {
        let kind = ALLOCATORS.into_iter().find(|kind| kind.name == name)?;
        Some(Self { kind, settings: Settings::default() })
    }

    /// Returns the choice with up to `iterations` iterations, at least 1, if the allocator reads their number.
    #[must_use]
    pub fn repeated(self, iterations: u32) -> Self {
        match self.kind.reads {
            Parameters::Iterations => Self { settings: Settings { iterations, ..self.settings }, ..self },
            _ => self,
        }
    }

    /// Returns the choice with arbiters `arbiter`, if there is a choice of arbiters.
    #[must_use]
    pub fn with_arbiters(self, arbiter: ArbiterChoice) -> Self {
        match self.kind.reads {
            Parameters::Arbiters => Self { settings: Settings { arbiter, ..self.settings }, ..self },
            _ => self,
        }
    }

    /// Its name.
    pub fn name(self) -> &'static str {
        self.kind.name
    }

    /// Its iterations.
    pub fn iterations(self) -> u32 {
        self.settings.iterations
    }

    /// Its arbiters.
    pub fn arbiter(self) -> ArbiterChoice {
        self.settings.arbiter
    }

    /// Returns true for the default.
    pub fn is_default(&self) -> bool {
        *self == Self::default()
    }

    /// Creates the allocator of block number `block` before the first cycle.
    pub(crate) fn build<const W: usize>(self, matrix: &Matrix<W>, block: usize) -> Box<dyn Allocator<W>>
    where
        dyn BuildAnyWidth: Build<W>,
    {
        self.kind.build.build(matrix, self.settings, block)
    }
}

/// The separable input-first allocator.
impl Default for AllocatorChoice {
    fn default() -> Self {
        Self { kind: separable::INPUT_FIRST, settings: Settings::default() }
    }
}

impl PartialEq for AllocatorChoice {
    fn eq(&self, other: &Self) -> bool {
        (self.name(), self.settings) == (other.name(), other.settings)
    }
}

impl Eq for AllocatorChoice {}

impl std::fmt::Debug for AllocatorChoice {
    fn fmt(&self, to: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(to, "{}({:?})", self.name(), self.settings)
    }
}

/// As its name, and with its parameters if it reads iterations, or has arbiters that are not the default.
impl Serialize for AllocatorChoice {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Settings { iterations, arbiter } = self.settings;
        match self.kind.reads {
            Parameters::Iterations => one_entry(serializer, self.name(), &iterations),
            Parameters::Arbiters if arbiter != ArbiterChoice::default() => {
                one_entry(serializer, self.name(), &(arbiter.rule, arbiter.groups))
            }
            _ => serializer.serialize_str(self.name()),
        }
    }
}

/// A map from `name` to `value`.
fn one_entry<S: Serializer>(serializer: S, name: &str, value: &impl Serialize) -> Result<S::Ok, S::Error> {
    let mut map = serializer.serialize_map(Some(1))?;
    map.serialize_entry(name, value)?;
    map.end()
}
