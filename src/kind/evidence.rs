//! What was shown of a plan: numbers that are merged over repetitions, and sentences that are the same in all of them.

/// How a number of several repetitions is told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Merge {
    /// The largest.
    Most,
    /// The smallest.
    Least,
}

/// A number that was shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Fact {
    name: &'static str,
    merge: Merge,
    value: u64,
}

/// What was shown of a variant, over some repetitions.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Evidence {
    /// Over how many.
    pub repetitions: usize,
    facts: Vec<Fact>,
    /// Sentences of the first repetition.
    pub notes: Vec<String>,
}

impl Evidence {
    /// Nothing yet, of one repetition.
    #[must_use]
    pub fn new() -> Self {
        Self { repetitions: 1, ..Self::default() }
    }

    /// With a number, of which the largest of all repetitions is told.
    #[must_use]
    pub fn most(self, name: &'static str, value: u64) -> Self {
        self.fact(name, Merge::Most, value)
    }

    /// With a number, of which the smallest of all repetitions is told.
    #[must_use]
    pub fn least(self, name: &'static str, value: u64) -> Self {
        self.fact(name, Merge::Least, value)
    }

    fn fact(mut self, name: &'static str, merge: Merge, value: u64) -> Self {
        self.facts.push(Fact { name, merge, value });
        self
    }

    /// With a sentence.
    #[must_use]
    pub fn note(mut self, sentence: impl Into<String>) -> Self {
        self.notes.push(sentence.into());
        self
    }

    /// The number called `name`, if it was shown in every repetition.
    #[must_use]
    pub fn number(&self, name: &str) -> Option<u64> {
        self.facts.iter().find(|fact| fact.name == name).map(|fact| fact.value)
    }

    /// The number called `name`.
    ///
    /// # Panics
    /// If it was not shown in every repetition: a kind asks for what its own `verify` shows.
    #[must_use]
    #[expect(clippy::expect_used, reason = "a kind asks for what its own `verify` shows")]
    pub fn shown(&self, name: &str) -> u64 {
        self.number(name).expect("a kind asks for what its own `verify` shows")
    }

    /// Both together. A number that one of them lacks is told no more.
    #[must_use]
    pub fn and(mut self, other: &Self) -> Self {
        self.repetitions += other.repetitions;
        self.facts.retain_mut(|fact| {
            let Some(value) = other.number(fact.name) else { return false };
            fact.value = match fact.merge {
                Merge::Most => fact.value.max(value),
                Merge::Least => fact.value.min(value),
            };
            true
        });
        self
    }
}
