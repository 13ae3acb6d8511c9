//! What was shown of a plan: numbers that are merged over repetitions, and sentences that are the same in all of them.

/// A number that was shown, over some repetitions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fact {
    name: &'static str,
    /// The smallest of all repetitions.
    pub least: u64,
    /// The largest.
    pub most: u64,
}

/// What was shown of a variant, over some repetitions.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Evidence {
    /// Over how many.
    pub repetitions: usize,
    facts: Vec<Fact>,
    /// Sentences of the first repetition.
    pub notes: Vec<String>,
}

impl Evidence {
    /// Nothing yet, of one repetition.
    pub fn new() -> Self {
        Self { repetitions: 1, ..Self::default() }
    }

    /// With a number.
    #[must_use]
    pub fn fact(mut self, name: &'static str, value: u64) -> Self {
        self.facts.push(Fact { name, least: value, most: value });
        self
    }

    /// With a sentence.
    #[must_use]
    pub fn note(mut self, sentence: impl Into<String>) -> Self {
        self.notes.push(sentence.into());
        self
    }

    /// The number called `name`, if it was shown in every repetition.
    pub fn number(&self, name: &str) -> Option<&Fact> {
        self.facts.iter().find(|fact| fact.name == name)
    }

    /// The number called `name`.
    ///
    /// # Panics
    /// If it was not shown in every repetition: a kind asks for what its own `verify` shows.
    #[expect(clippy::expect_used, reason = "a kind asks for what its own `verify` shows")]
    pub fn shown(&self, name: &str) -> &Fact {
        self.number(name).expect("a kind asks for what its own `verify` shows")
    }

    /// Both together. A number that one of them lacks is told no more.
    #[must_use]
    pub fn and(mut self, other: &Self) -> Self {
        self.repetitions += other.repetitions;
        self.facts.retain_mut(|fact| {
            let Some(also) = other.number(fact.name) else { return false };
            fact.least = fact.least.min(also.least);
            fact.most = fact.most.max(also.most);
            true
        });
        self
    }
}
