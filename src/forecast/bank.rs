//! Methods side by side on one series, how far each was off, and the selection among them.

use super::{Boxed, Criterion, Derived, METHODS, Method, PRIMARIES, Selection};

/// The errors of the forecasts of a series.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Errors {
    count: u64,
    absolute: f64,
    squared: f64,
}

impl Errors {
    /// Adds the error of a forecast.
    pub fn add(&mut self, error: f64) {
        self.count += 1;
        self.absolute += error.abs();
        self.squared += error * error;
    }

    /// The number of forecasts.
    pub fn count(&self) -> u64 {
        self.count
    }

    /// The mean absolute error; none of no forecast.
    pub fn mae(&self) -> Option<f64> {
        self.mean(self.absolute)
    }

    /// The mean squared error; none of no forecast.
    pub fn mse(&self) -> Option<f64> {
        self.mean(self.squared)
    }

    /// The root of the mean squared error; none of no forecast.
    pub fn rmse(&self) -> Option<f64> {
        self.mse().map(f64::sqrt)
    }

    fn mean(&self, sum: f64) -> Option<f64> {
        (self.count > 0).then(|| sum / real(self.count))
    }
}

/// What a selection says of the next value.
#[derive(Clone, Copy)]
#[non_exhaustive]
pub struct Next {
    /// The forecast.
    pub value: f64,
    /// The primary method that it is from.
    pub method: &'static Method,
    /// The derived method that chose it.
    pub derived: Derived,
}

/// Methods on one series, with their errors, and the selection among the primary ones.
///
/// Every value but the first scores a forecast of each method and both selections. Memory does not grow.
///
/// ```
/// use flitwise::forecast::{Bank, Criterion};
/// let mut bank = Bank::all();
/// for value in [1.0, 2.0, 3.0, 4.0] {
///     bank.update(value);
/// }
/// let (last, errors) = bank.errors().next().unwrap();
/// assert_eq!((last.name, errors.mae(), errors.count()), ("LAST", Some(1.0), 3));
/// assert_eq!(bank.forecast(Criterion::Mae).unwrap().method.name, "LAST");
/// ```
pub struct Bank {
    methods: &'static [Method],
    forecasters: Vec<Boxed>,
    /// Of the next value, by method.
    forecasts: Vec<f64>,
    errors: Vec<Errors>,
    selection: Selection,
    /// By criterion: the errors of the selection, and how many of its forecasts came from each primary method.
    selected: [Errors; 2],
    followed: [[u64; PRIMARIES]; 2],
    values: u64,
    sum: f64,
}

impl Bank {
    /// Every method of the registry. Those that are not primary have their errors counted but are never followed.
    pub fn all() -> Self {
        Self::new(METHODS)
    }

    /// The primary methods alone.
    pub fn primaries() -> Self {
        Self::new(&METHODS[..PRIMARIES])
    }

    fn new(methods: &'static [Method]) -> Self {
        Self {
            methods,
            forecasters: methods.iter().map(Method::start).collect(),
            forecasts: Vec::with_capacity(methods.len()),
            errors: vec![Errors::default(); methods.len()],
            selection: Selection::new(PRIMARIES),
            selected: [Errors::default(); 2],
            followed: [[0; PRIMARIES]; 2],
            values: 0,
            sum: 0.0,
        }
    }

    /// Takes the value that was measured next: scores the forecasts of it, and makes those of the one after it.
    pub fn update(&mut self, value: f64) {
        if self.values > 0 {
            self.score(value);
        }
        self.values += 1;
        self.sum += value;
        self.forecasts.clear();
        for forecaster in &mut self.forecasters {
            forecaster.update(value);
            #[expect(clippy::expect_used, reason = "tested for every method of the registry")]
            self.forecasts.push(forecaster.forecast().expect("a method forecasts from the first value on"));
        }
    }

    fn score(&mut self, value: f64) {
        for (errors, forecast) in self.errors.iter_mut().zip(&self.forecasts) {
            errors.add(forecast - value);
        }
        for criterion in Criterion::ALL {
            let primary = self.selection.follows(criterion);
            self.selected[criterion.index()].add(self.forecasts[primary] - value);
            self.followed[criterion.index()][primary] += 1;
        }
        self.selection.update(&self.forecasts[..PRIMARIES], value);
    }

    /// The next value by the selection; none before the first.
    pub fn forecast(&self, criterion: Criterion) -> Option<Next> {
        let primary = self.selection.follows(criterion);
        let value = *self.forecasts.get(primary)?;
        Some(Next { value, method: &self.methods[primary], derived: self.selection.derived(criterion) })
    }

    /// The next value by each method, in the order of the registry; nothing before the first value.
    pub fn forecasts(&self) -> impl Iterator<Item = (&'static Method, f64)> {
        self.methods.iter().zip(self.forecasts.iter().copied())
    }

    /// The errors of each method, in the order of the registry.
    pub fn errors(&self) -> impl Iterator<Item = (&'static Method, Errors)> {
        self.methods.iter().zip(self.errors.iter().copied())
    }

    /// The errors of the selection.
    pub fn selected(&self, criterion: Criterion) -> Errors {
        self.selected[criterion.index()]
    }

    /// How many of the selection's forecasts so far were from the method at this place of the registry: none where it
    /// is not a primary one.
    pub fn followed(&self, criterion: Criterion, place: usize) -> u64 {
        self.followed[criterion.index()].get(place).copied().unwrap_or(0)
    }

    /// The number of values.
    pub fn values(&self) -> u64 {
        self.values
    }

    /// The mean of the values; none of no values.
    pub fn mean(&self) -> Option<f64> {
        (self.values > 0).then(|| self.sum / real(self.values))
    }
}

fn real(count: u64) -> f64 {
    count as f64
}
