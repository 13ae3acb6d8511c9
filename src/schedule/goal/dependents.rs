//! Which operations wait for which: per operation a list of those that wait for its end, of those for its start, and how
//! many it waits for itself.
//!
//! ```text
//!   links    | 0: end, start, waits | 1: end, start, waits | .. | how many items |
//!   items      those behind the end of 0, those behind its start, those behind the end of 1, ..
//! ```
//!
//! What is known of an operation lies side by side, so that what it lets go is one place in memory; a bit for each says
//! whether to look there at all. It refuses to know what operations are.

use super::number;
use std::ops::Range;

/// Lists of operations, two an operation: 12 bytes an operation and 4 a dependency.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Dependents {
    /// Per operation, and one more for where the last list ends.
    links: Vec<Links>,
    items: Vec<u32>,
    /// Bits: whether others wait for the operation.
    awaited: Vec<u64>,
}

/// What is known of an operation.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Links {
    /// Where those that wait for its end begin among the items, and then those that wait for its start.
    finish: u32,
    start: u32,
    /// How many it waits for.
    waits: u32,
}

/// That one operation waits for another.
#[derive(Clone, Copy, Debug)]
pub(super) struct Dependency {
    pub(super) on: u32,
    pub(super) waiting: u32,
}

/// For what of another an operation waits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Moment {
    /// Its end.
    Finish,
    /// Its start.
    Start,
}

impl Links {
    fn list(&mut self, moment: Moment) -> &mut u32 {
        match moment {
            Moment::Finish => &mut self.finish,
            Moment::Start => &mut self.start,
        }
    }
}

impl Dependents {
    /// Of no operations yet, with room for so many.
    pub(super) fn with_capacity(operations: usize) -> Self {
        let mut links = Vec::with_capacity(operations + 1);
        links.push(Links::default());
        Self { links, items: Vec::new(), awaited: Vec::with_capacity(operations / 64 + 1) }
    }

    /// Of so many operations, by what they wait for; the items of a list keep their order. O(operations + dependencies)
    /// time.
    ///
    /// # Panics
    /// If there is no such operation.
    pub(super) fn from_dependencies(operations: usize, finish: &[Dependency], start: &[Dependency]) -> Self {
        let mut dependents = Self::with_capacity(operations);
        dependents.add(operations);
        finish.iter().chain(start).for_each(|dependency| dependents.note(dependency.on));
        let Self { links, items, .. } = &mut dependents;
        let kinds = [(Moment::Finish, finish), (Moment::Start, start)];
        for (moment, dependencies) in kinds {
            for dependency in dependencies {
                *links[dependency.on as usize].list(moment) += 1;
                links[dependency.waiting as usize].waits += 1;
            }
        }
        let mut sum = 0;
        number(finish.len() + start.len());
        for link in &mut *links {
            for begin in [&mut link.finish, &mut link.start] {
                let count = std::mem::replace(begin, sum);
                sum += count;
            }
        }
        *items = vec![0; finish.len() + start.len()];
        for (moment, dependencies) in kinds {
            for dependency in dependencies {
                let next = links[dependency.on as usize].list(moment);
                items[*next as usize] = dependency.waiting;
                *next += 1;
            }
        }
        // now each says where its lists end, which is where the next begin
        let mut begin = 0;
        for link in links {
            let end = std::mem::replace(&mut link.start, link.finish);
            link.finish = std::mem::replace(&mut begin, end);
        }
        dependents
    }

    /// Adds so many operations for which none waits, and which wait for none.
    pub(super) fn add(&mut self, operations: usize) {
        self.links.resize(self.links.len() + operations, Links::default());
        self.awaited.resize(self.links.len() / 64 + 1, 0);
    }

    /// Notes that others wait for operation `on`.
    #[inline]
    pub(super) fn note(&mut self, on: u32) {
        self.awaited[on as usize / 64] |= 1 << (on % 64);
    }

    /// Whether others wait for operation `on`; panics if there is no such operation.
    #[inline]
    pub(super) fn is_awaited(&self, on: u32) -> bool {
        self.awaited[on as usize / 64] >> (on % 64) & 1 == 1
    }

    /// Begins the list of those that wait for this moment of operation `on`: the lists of all operations that are added are
    /// begun one after the other, that for the end before that for the start.
    #[inline]
    pub(super) fn begin_list(&mut self, on: u32, moment: Moment) {
        let begin = number(self.items.len());
        *self.links[on as usize].list(moment) = begin;
    }

    /// Adds `waiting` to the list that was begun last.
    #[inline]
    pub(super) fn push(&mut self, waiting: u32) {
        self.items.push(waiting);
        self.links[waiting as usize].waits += 1;
    }

    /// Ends the last list.
    pub(super) fn end(&mut self) {
        let end = number(self.items.len());
        if let Some(last) = self.links.last_mut() {
            *last = Links { finish: end, start: end, waits: 0 };
        }
    }

    /// How many operation `id` waits for; panics if there is no such operation.
    #[inline]
    pub(super) fn waits(&self, id: u32) -> u32 {
        self.links[id as usize].waits
    }

    /// How many each operation waits for.
    pub(super) fn all_waits(&self) -> impl Iterator<Item = u32> {
        self.links[..self.links.len() - 1].iter().map(|links| links.waits)
    }

    /// Those that wait for this moment of operation `on`; panics if there is no such operation.
    #[inline]
    pub(super) fn get(&self, on: u32, moment: Moment) -> &[u32] {
        let Links { finish, start, .. } = self.links[on as usize];
        match moment {
            Moment::Finish => &self.items[finish as usize..start as usize],
            Moment::Start => &self.items[start as usize..self.links[on as usize + 1].finish as usize],
        }
    }

    /// Those that wait for the end of operation `on`, then those that wait for its start; panics if there is no such
    /// operation.
    pub(super) fn both(&self, on: u32) -> &[u32] {
        self.of_all(on..on + 1)
    }

    /// Those that wait for any of these operations; panics if there is none of the kind.
    pub(super) fn of_all(&self, on: Range<u32>) -> &[u32] {
        &self.items[self.links[on.start as usize].finish as usize..self.links[on.end as usize].finish as usize]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// The lists of each operation, and how many it waits for.
    type Lists = Vec<(Vec<u32>, Vec<u32>, u32)>;

    fn lists(dependents: &Dependents, operations: u32) -> Lists {
        let list = |on, moment| dependents.get(on, moment).to_vec();
        (0..operations).map(|on| (list(on, Moment::Finish), list(on, Moment::Start), dependents.waits(on))).collect()
    }

    proptest! {
        /// However they are put together, the lists are those of a list a dependency.
        #[test]
        fn lists_keep_their_order(pairs in prop::collection::vec((0..40_u32, 0..40_u32, any::<bool>()), 0..120)) {
            let mut expected: Lists = vec![Default::default(); 40];
            let mut all: [Vec<Dependency>; 2] = Default::default();
            for (on, waiting, started) in pairs {
                all[usize::from(started)].push(Dependency { on, waiting });
                let (finish, start, _) = &mut expected[on as usize];
                if started { start } else { finish }.push(waiting);
                expected[waiting as usize].2 += 1;
            }
            let sorted = Dependents::from_dependencies(40, &all[0], &all[1]);
            prop_assert_eq!(lists(&sorted, 40), expected.clone());
            let mut pushed = Dependents::with_capacity(0);
            pushed.add(15);
            pushed.add(25);
            for (on, (finish, start, _)) in (0..).zip(&expected) {
                for (moment, list) in [(Moment::Finish, finish), (Moment::Start, start)] {
                    pushed.begin_list(on, moment);
                    list.iter().for_each(|&waiting| pushed.push(waiting));
                }
                prop_assert_eq!(sorted.is_awaited(on), !sorted.both(on).is_empty());
                if sorted.is_awaited(on) {
                    pushed.note(on);
                }
            }
            pushed.end();
            prop_assert_eq!(sorted, pushed);
        }
    }
}
