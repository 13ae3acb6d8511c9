//! Priorities of requests.

use super::super::vcset::VcSet;
use super::Pairs;
use rustc_hash::FxHashMap;

/// The priority of a request. Larger goes first.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Level {
    /// The priority among the requests for an output. Wavefronts compare it first.
    pub(crate) output: i64,
    /// The priority among the requests of an input.
    pub(crate) input: i64,
}

/// Priorities of single requests.
#[derive(Default)]
pub(crate) struct EachLevel(FxHashMap<(usize, usize), Level>);

impl EachLevel {
    /// Removes all priorities.
    pub(crate) fn clear(&mut self) {
        self.0.clear();
    }

    /// Sets the priority of the request of `input` for `output`.
    pub(crate) fn set(&mut self, input: usize, output: usize, level: Level) {
        self.0.insert((input, output), level);
    }

    /// Raises the priority of the request of `input` for `output` to `level`.
    pub(crate) fn raise(&mut self, input: usize, output: usize, level: Level) {
        let known = self.0.entry((input, output)).or_insert(level);
        *known = level.max(*known);
    }

    /// The priority of the request of `input` for `output`.
    fn level(&self, input: usize, output: usize) -> Level {
        self.0.get(&(input, output)).copied().unwrap_or_default()
    }
}

/// The priorities of all requests of an allocation.
#[derive(Clone, Copy)]
pub(crate) enum Levels<'a, const W: usize> {
    /// All requests have the same priority.
    Equal,
    /// The requests among these pairs come before all others.
    Before(&'a Pairs<W>),
    /// Every request has a priority of its own.
    Each(&'a EachLevel),
}

impl<const W: usize> Levels<'_, W> {
    /// The inputs `among` with the highest priority at `output`, which all of them request.
    #[inline(always)]
    pub(crate) fn best_inputs(&self, output: usize, among: VcSet<W>) -> VcSet<W> {
        match self {
            Self::Equal => among,
            Self::Before(first) => preferred(first.inputs_of(output), among),
            Self::Each(each) => highest(among, |input| each.level(input, output).output),
        }
    }

    /// The outputs `among` with the highest priority at `input`, which requests all of them.
    #[inline(always)]
    pub(crate) fn best_outputs(&self, input: usize, among: VcSet<W>) -> VcSet<W> {
        match self {
            Self::Equal => among,
            Self::Before(first) => preferred(first.outputs_of(input), among),
            Self::Each(each) => highest(among, |output| each.level(input, output).input),
        }
    }

    /// The outputs `among` whose requests by `input` come first, by their priority at the output and then at the input.
    #[inline(always)]
    pub(crate) fn first_outputs(&self, input: usize, among: VcSet<W>) -> VcSet<W> {
        match self {
            Self::Equal => among,
            Self::Before(first) => preferred(first.outputs_of(input), among),
            Self::Each(each) => highest(among, |output| each.level(input, output)),
        }
    }
}

/// The members of `among` that are in `first`, or all of them if none is.
#[inline(always)]
fn preferred<const W: usize>(first: VcSet<W>, among: VcSet<W>) -> VcSet<W> {
    let preferred = first & among;
    if preferred.is_empty() { among } else { preferred }
}

/// The members of `among` for which `level` is highest.
fn highest<const W: usize, L: Ord>(among: VcSet<W>, level: impl Fn(usize) -> L) -> VcSet<W> {
    let mut best = VcSet::EMPTY;
    let mut most = None;
    for member in among {
        let level = Some(level(member));
        if level > most {
            most = level;
            best = VcSet::EMPTY;
            best.insert(member);
        } else if level == most {
            best.insert(member);
        }
    }
    best
}

impl EachLevel {
    /// The priorities that occur, the highest first.
    pub(crate) fn descending(&self) -> Vec<Level> {
        let mut levels: Vec<Level> = self.0.values().copied().collect();
        levels.sort_unstable_by(|a, b| b.cmp(a));
        levels.dedup();
        levels
    }

    /// Puts the requests among `pairs` that have the priority `level` into `requests`.
    pub(crate) fn select<const W: usize>(&self, pairs: &Pairs<W>, level: Level, requests: &mut Pairs<W>) {
        for input in pairs.inputs {
            for output in pairs.outputs_of(input) {
                if self.level(input, output) == level {
                    requests.insert(input, output);
                }
            }
        }
    }
}
