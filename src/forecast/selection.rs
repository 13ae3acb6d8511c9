//! Which method to follow: the one that has erred least of late, and of which late.

use std::array::from_fn;

/// The windows of the derived methods in scores; none stands for all of them. The library's longest is 100, but its
/// ring of 100 sums spans only 99 scores.
pub const WINDOWS: [Option<usize>; 8] = [None, Some(1), Some(5), Some(10), Some(20), Some(30), Some(50), Some(LONGEST)];

/// The longest window that is not all.
const LONGEST: usize = 99;

/// The sums kept: of the last 99 scores and of the one before them.
const RING: usize = LONGEST + 1;

/// By which errors methods are compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Criterion {
    /// Mean squared error: large errors weigh more.
    Mse,
    /// Mean absolute error.
    Mae,
}

impl Criterion {
    /// Both.
    pub const ALL: [Self; 2] = [Self::Mse, Self::Mae];

    /// How tables call it.
    pub fn name(self) -> &'static str {
        ["MSE", "MAE"][self.index()]
    }

    pub(super) fn index(self) -> usize {
        match self {
            Self::Mse => 0,
            Self::Mae => 1,
        }
    }

    fn loss(self, error: f64) -> f64 {
        match self {
            Self::Mse => error * error,
            Self::Mae => error.abs(),
        }
    }
}

/// A derived method: at each step it follows the primary method with the least windowed error.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Derived {
    /// Which errors count.
    pub criterion: Criterion,
    /// How many of the last scores count; none: all of them.
    pub window: Option<usize>,
}

/// The number of derived methods; the first half is by mean squared error.
const DERIVED: usize = 2 * WINDOWS.len();

/// The dynamic selection among primary methods.
///
/// *Problem.* Which of several forecasts to believe, when no method is best for every series or all the time.
///
/// *Idea.* Two levels. 16 derived methods each follow the primary method whose mean error, squared or absolute, over
/// a window of the last scores is least. Of the derived methods, the selection by MSE takes the one whose own
/// forecasts have had the least mean squared error of all so far, the selection by MAE the one with the least mean
/// absolute error. Ties go to the lowest index: primaries in the caller's order, derived methods by MSE before those
/// by MAE, windows in the order of [`WINDOWS`]. A windowed error is the difference of two cumulative sums, divided by
/// the window, or by the number of scores while there are fewer; ties depend on that. Before any score it is primary
/// 0, and derived 0.
///
/// *Cost.* O(16 P) per score of P primaries, whatever the windows.
///
/// *Source.* NWS library (16 derived methods).
///
/// The library divides the final error by the number of scores in its ring, at most 100, rather than by all; that
/// changes no ranking. Its derived methods stand in another order (both criteria over all scores first), which matters
/// for ties only.
///
/// ```
/// use flitwise::forecast::{Criterion, Selection};
/// let mut selection = Selection::new(2);
/// assert_eq!(selection.follows(Criterion::Mse), 0);
/// selection.update(&[1.0, 2.0], 2.0); // method 1 was right
/// assert_eq!(selection.follows(Criterion::Mse), 1);
/// ```
#[derive(Clone, Debug)]
pub struct Selection {
    boards: [Board; 2],
    /// Whom each derived method follows.
    follows: [usize; DERIVED],
    /// The sums of errors, by criterion, of each derived method.
    losses: [[f64; DERIVED]; 2],
}

impl Selection {
    /// Among so many primary methods.
    pub fn new(primaries: usize) -> Self {
        let boards = [Board::new(primaries), Board::new(primaries)];
        Self { boards, follows: [0; DERIVED], losses: [[0.0; DERIVED]; 2] }
    }

    /// Scores the forecasts that the primary methods made of `value`, and the derived methods with them.
    ///
    /// # Panics
    /// If there are fewer forecasts than primary methods.
    pub fn update(&mut self, forecasts: &[f64], value: f64) {
        for criterion in Criterion::ALL {
            let losses = self.losses[criterion.index()].iter_mut().zip(self.follows);
            losses.for_each(|(loss, followed)| *loss += criterion.loss(forecasts[followed] - value));
            self.boards[criterion.index()].record(|method| criterion.loss(forecasts[method] - value));
        }
        let boards = &self.boards;
        self.follows = from_fn(|at| boards[at / WINDOWS.len()].best(WINDOWS[at % WINDOWS.len()]));
    }

    /// The primary method, by its place, whose forecast the selection takes for its own.
    pub fn follows(&self, criterion: Criterion) -> usize {
        self.follows[self.derived_index(criterion)]
    }

    /// The derived method that chose it.
    pub fn derived(&self, criterion: Criterion) -> Derived {
        let at = self.derived_index(criterion);
        Derived { criterion: Criterion::ALL[at / WINDOWS.len()], window: WINDOWS[at % WINDOWS.len()] }
    }

    fn derived_index(&self, criterion: Criterion) -> usize {
        least(self.losses[criterion.index()].iter().copied())
    }
}

/// The cumulative sums of the errors of the primary methods, after each of the last scores.
#[derive(Clone, Debug)]
struct Board {
    primaries: usize,
    /// Rows of a sum for each method; row 0 is before any score.
    sums: Vec<f64>,
    scores: usize,
}

impl Board {
    fn new(primaries: usize) -> Self {
        Self { primaries, sums: vec![0.0; RING * primaries], scores: 0 }
    }

    fn record(&mut self, error: impl Fn(usize) -> f64) {
        let before = self.place(self.scores);
        let after = self.place(self.scores + 1);
        for method in 0..self.primaries {
            self.sums[after + method] = self.sums[before + method] + error(method);
        }
        self.scores += 1;
    }

    /// Where the sums after so many scores begin.
    fn place(&self, scores: usize) -> usize {
        scores % RING * self.primaries
    }

    /// The method with the least mean error over the last `window` scores.
    fn best(&self, window: Option<usize>) -> usize {
        let window = window.map_or(self.scores, |window| window.min(self.scores));
        let divisor = window as f64;
        let sums = |scores| &self.sums[self.place(scores)..][..self.primaries];
        if window == self.scores {
            return least(sums(self.scores).iter().map(|sum| sum / divisor));
        }
        let spans = sums(self.scores).iter().zip(sums(self.scores - window));
        least(spans.map(|(now, then)| (now - then) / divisor))
    }
}

/// The place of the least value, the first of equal ones.
fn least(values: impl Iterator<Item = f64>) -> usize {
    let mut best = (0, f64::INFINITY);
    for (at, value) in values.enumerate() {
        if value < best.1 {
            best = (at, value);
        }
    }
    best.0
}
