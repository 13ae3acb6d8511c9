//! The last values of a series: in order, and sorted.

use std::collections::VecDeque;

/// The last values, at most a given number of them.
#[derive(Clone, Debug)]
pub(super) struct Recent {
    values: VecDeque<f64>,
    capacity: usize,
}

impl Recent {
    pub(super) fn new(capacity: usize) -> Self {
        Self { values: VecDeque::with_capacity(capacity + 1), capacity }
    }

    /// Takes a value in, and gives back the one that leaves in its place.
    pub(super) fn push(&mut self, value: f64) -> Option<f64> {
        self.values.push_back(value);
        if self.values.len() > self.capacity { self.values.pop_front() } else { None }
    }

    pub(super) fn len(&self) -> usize {
        self.values.len()
    }

    /// The value that is `age` periods older than the newest.
    pub(super) fn aged(&self, age: usize) -> Option<f64> {
        self.values.get(self.values.len().checked_sub(age + 1)?).copied()
    }

    /// Oldest first.
    pub(super) fn iter(&self) -> impl Iterator<Item = f64> + Clone {
        self.values.iter().copied()
    }

    /// The last `count`, or all while there are fewer, oldest first.
    pub(super) fn last(&self, count: usize) -> impl Iterator<Item = f64> + Clone {
        self.values.range(self.values.len().saturating_sub(count)..).copied()
    }
}

/// Values in ascending order. Equal ones are kept as often as they came; which of them leaves cannot be told.
#[derive(Clone, Debug, Default)]
pub(super) struct Sorted(Vec<f64>);

impl Sorted {
    pub(super) fn insert(&mut self, value: f64) {
        self.0.insert(self.place(value), value);
    }

    /// Takes out one `value`, if there is one.
    pub(super) fn remove(&mut self, value: f64) {
        let place = self.place(value);
        if self.0.get(place).is_some_and(|found| found.total_cmp(&value).is_eq()) {
            self.0.remove(place);
        }
    }

    pub(super) fn values(&self) -> &[f64] {
        &self.0
    }

    fn place(&self, value: f64) -> usize {
        self.0.partition_point(|before| before.total_cmp(&value).is_lt())
    }
}

#[derive(Clone, Debug)]
pub(super) struct SortedWindow {
    recent: Recent,
    sorted: Sorted,
}

impl SortedWindow {
    pub(super) fn new(window: usize) -> Self {
        Self { recent: Recent::new(window), sorted: Sorted::default() }
    }

    pub(super) fn push(&mut self, value: f64) {
        self.sorted.insert(value);
        if let Some(leaving) = self.recent.push(value) {
            self.sorted.remove(leaving);
        }
    }

    pub(super) fn sorted(&self) -> &[f64] {
        self.sorted.values()
    }
}

/// The mean; of nothing, none.
pub(super) fn mean(values: impl Iterator<Item = f64>) -> Option<f64> {
    let (sum, count) = values.fold((0.0, 0.0), |(sum, count), value| (sum + value, count + 1.0));
    (count > 0.0).then(|| sum / count)
}

/// The middle of ascending values, the mean of the two in the middle of an even number; of nothing, none.
pub(super) fn median(sorted: &[f64]) -> Option<f64> {
    let half = sorted.len() / 2;
    let upper = *sorted.get(half)?;
    Some(if sorted.len().is_multiple_of(2) { f64::midpoint(sorted[half - 1], upper) } else { upper })
}
