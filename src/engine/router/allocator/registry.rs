//! Allocators by name.

use super::super::ports::Ports;
use super::kind::{AllocatorKind, Build, BuildAnyWidth};
use super::{Allocator, input_first, islip, output_first, wavefront};
use serde::{Serialize, Serializer, ser::SerializeMap};

/// All allocators, the default first.
pub const ALLOCATORS: [AllocatorKind; 4] = [input_first::KIND, output_first::KIND, islip::KIND, wavefront::KIND];

/// The names of allocators that repeat their rule.
pub const REPEATING: &[&str] = &repeating::<{ repeating_count() }>();

const fn repeating_count() -> usize {
    let mut count = 0;
    let mut index = 0;
    while index < ALLOCATORS.len() {
        if ALLOCATORS[index].reads_iterations {
            count += 1;
        }
        index += 1;
    }
    count
}

const fn repeating<const COUNT: usize>() -> [&'static str; COUNT] {
    let mut names = [""; COUNT];
    let mut count = 0;
    let mut index = 0;
    while index < ALLOCATORS.len() {
        if ALLOCATORS[index].reads_iterations {
            names[count] = ALLOCATORS[index].name;
            count += 1;
        }
        index += 1;
    }
    names
}

/// The choice of an allocator: one of [`ALLOCATORS`], and how often it repeats its rule.
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
    iterations: u32,
}

impl AllocatorChoice {
    /// The allocator of this `name`, with one iteration. `None` if there is none.
    pub fn named(name: &str) -> Option<Self> {
        let kind = ALLOCATORS.into_iter().find(|kind| kind.name == name)?;
        Some(Self { kind, iterations: 1 })
    }

    /// Returns the choice with up to `iterations` iterations, at least 1, if the allocator reads their number.
    #[must_use]
    pub fn repeated(self, iterations: u32) -> Self {
        if self.kind.reads_iterations { Self { iterations, ..self } } else { self }
    }

    /// Its name.
    pub fn name(self) -> &'static str {
        self.kind.name
    }

    /// Its iterations.
    pub fn iterations(self) -> u32 {
        self.iterations
    }

    /// Returns true for the default.
    pub fn is_default(&self) -> bool {
        *self == Self::default()
    }

    /// Creates it before the first cycle.
    pub(crate) fn build<const W: usize>(self, ports: &Ports<W>) -> Box<dyn Allocator<W>>
    where
        dyn BuildAnyWidth: Build<W>,
    {
        self.kind.build.build(ports, self.iterations)
    }
}

/// The separable input-first allocator.
impl Default for AllocatorChoice {
    fn default() -> Self {
        Self { kind: input_first::KIND, iterations: 1 }
    }
}

impl PartialEq for AllocatorChoice {
    fn eq(&self, other: &Self) -> bool {
        (self.name(), self.iterations) == (other.name(), other.iterations)
    }
}

impl Eq for AllocatorChoice {}

impl std::fmt::Debug for AllocatorChoice {
    fn fmt(&self, to: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(to, "{}({})", self.name(), self.iterations)
    }
}

/// As its name, and with the number of iterations if it reads it.
impl Serialize for AllocatorChoice {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if !self.kind.reads_iterations {
            return serializer.serialize_str(self.name());
        }
        let mut map = serializer.serialize_map(Some(1))?;
        map.serialize_entry(self.name(), &self.iterations)?;
        map.end()
    }
}
