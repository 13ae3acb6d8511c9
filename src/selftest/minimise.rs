//! The smallest case that still breaks the law: as long as one that is smaller by a step does, that one is taken.
//!
//! The result is smallest in the sense that no single step leads further, as in delta debugging (A. Zeller and R. Hildebrandt,
//! Simplifying and isolating failure-inducing input, IEEE TSE 2002). It depends on nothing but the case.

use super::laws::Broken;
use super::subject::Specimen;

/// How many cases are tried at most: some seconds of small ones.
const MOST_TRIED: u32 = 20_000;

/// What is left of a case.
pub(super) struct Smallest<C> {
    pub(super) case: C,
    pub(super) broken: Broken,
    /// How often it got smaller.
    pub(super) steps: u32,
}

/// Makes `case`, which is `broken`, smaller as long as `judge` finds the same law broken.
pub(super) fn minimise<C: Specimen>(case: C, broken: Broken, judge: impl Fn(&C) -> Option<Broken>) -> Smallest<C> {
    let mut smallest = Smallest { case, broken, steps: 0 };
    let mut tried = 0;
    // a step that has just led on is tried again first: of many messages most go one after the other
    let mut next = 0;
    loop {
        let candidates = smallest.case.smaller();
        let count = candidates.len();
        let mut found = None;
        let mut candidates: Vec<Option<C>> = candidates.into_iter().map(Some).collect();
        for step in 0..count {
            let at = (next + step) % count;
            tried += 1;
            if tried > MOST_TRIED {
                return smallest;
            }
            let Some(candidate) = candidates[at].take() else { continue };
            if let Some(broken) = judge(&candidate).filter(|broken| broken.law == smallest.broken.law) {
                found = Some((at, candidate, broken));
                break;
            }
        }
        let Some((at, case, broken)) = found else { return smallest };
        next = at;
        smallest = Smallest { case, broken, steps: smallest.steps + 1 };
    }
}

/// Numbers that are smaller than `number`: `least`, half of it, and one less.
pub(super) fn lower(number: u64, least: u64) -> impl Iterator<Item = u64> {
    [least, number / 2, number.saturating_sub(1)].into_iter().filter(move |lower| (least..number).contains(lower))
}

/// The same of what is counted.
pub(super) fn fewer(number: usize, least: usize) -> impl Iterator<Item = usize> {
    [least, number / 2, number.saturating_sub(1)].into_iter().filter(move |fewer| (least..number).contains(fewer))
}

#[cfg(test)]
mod tests {
    use super::super::laws::{ALONE, CONSERVED};
    use super::super::report::CaseFile;
    use super::*;

    #[derive(Clone, Debug, PartialEq)]
    struct Numbers(Vec<u64>);

    impl Specimen for Numbers {
        fn smaller(&self) -> Vec<Self> {
            let without = |gone| self.0.iter().enumerate().filter(|(at, _)| *at != gone).map(|(_, n)| *n).collect();
            let mut all: Vec<Self> = (0..self.0.len()).map(|gone| Self(without(gone))).collect();
            for at in (0..self.0.len()).filter(|&at| self.0[at] > 0) {
                let mut less = self.clone();
                less.0[at] -= 1;
                all.push(less);
            }
            all
        }

        fn in_words(&self) -> String {
            format!("{} numbers", self.0.len())
        }

        fn written(&self, _: &str, _: &str) -> Vec<CaseFile> {
            Vec::new()
        }
    }

    /// Numbers whose sum is 10 or more break a law; without any there is another.
    #[test]
    fn what_is_left_breaks_the_same_law_and_nothing_smaller_does() {
        let judge = |numbers: &Numbers| match numbers.0.iter().sum::<u64>() {
            sum if sum >= 10 => Some(ALONE.broken(sum)),
            0 => Some(CONSERVED.broken("nothing")),
            _ => None,
        };
        let numbers = Numbers(vec![3, 1, 9, 4, 30, 2]);
        let smallest = minimise(numbers, ALONE.broken(49), judge);
        assert_eq!((smallest.case, smallest.broken), (Numbers(vec![10]), ALONE.broken(10)));
        assert!(smallest.steps > 5);
    }
}
