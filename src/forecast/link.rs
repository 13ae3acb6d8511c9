//! A link that fluctuates, measured now and then, forecast when it is needed: how wrong forecasts are in earnest.

use super::series::{KINDS, Kind, PERIOD};
use super::{Bank, Criterion, Method};
use crate::random::stream;
use crate::units::narrow;
use rand::RngExt;

/// How links fluctuate, and how they are forecast.
#[derive(Clone, Copy)]
pub struct Fluctuation {
    /// How every link fluctuates; none if each draws its kind.
    pub kind: Option<&'static Kind>,
    /// Values of the series from one measurement to the next, at least 1.
    pub every: u64,
    /// Measurements before the forecast, at least 1.
    pub measurements: u64,
    /// Who forecasts.
    pub by: By,
}

/// Who forecasts.
#[derive(Clone, Copy)]
pub enum By {
    /// The selection of the Network Weather Service, by a criterion.
    Selection(Criterion),
    /// One method.
    Method(&'static Method),
}

impl By {
    /// The name that scenarios use: `MSE`, `MAE`, or the method's.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Selection(criterion) => criterion.name(),
            Self::Method(method) => method.name,
        }
    }

    /// What follows on the values that were measured; none of none.
    fn forecast(self, measured: impl Iterator<Item = f64>) -> Option<f64> {
        match self {
            Self::Selection(criterion) => {
                let mut bank = Bank::primaries();
                measured.for_each(|value| bank.update(value));
                bank.forecast(criterion).map(|next| next.value)
            }
            Self::Method(method) => {
                let mut forecaster = method.start();
                measured.for_each(|value| forecaster.update(value));
                forecaster.forecast()
            }
        }
    }
}

impl Fluctuation {
    /// The forecast of the link `entity` after its last measurement, and what the link is really worth when the
    /// forecast is used: at a random value before the next measurement. Both are shares of the nominal bandwidth, and
    /// positive.
    ///
    /// # Panics
    /// If `every` or `measurements` is 0.
    ///
    /// ```
    /// use flitwise::forecast::{By, Criterion, Fluctuation, series::Kind};
    /// let by = By::Selection(Criterion::Mse);
    /// let walk = Fluctuation { kind: Kind::named("walk"), every: 3, measurements: 50, by };
    /// let (forecast, truth) = walk.observe(1, 7);
    /// assert!((forecast / truth - 1.0).abs() < 0.3);
    /// ```
    pub fn observe(&self, seed: u64, entity: u64) -> (f64, f64) {
        let mut random = stream(seed, "fluctuation", entity);
        let drawn = &KINDS[random.random_range(0..KINDS.len())];
        let mut series = self.kind.unwrap_or(drawn).series(seed, entity);
        let every: usize = narrow(self.every, "a scenario limits the values between measurements");
        let measured = (0..self.measurements).filter_map(|_| series.nth(every - 1));
        #[expect(clippy::expect_used, reason = "measurements are one at least, and methods forecast from the first on")]
        let forecast = self.by.forecast(measured).expect("a link is measured before it is forecast");
        #[expect(clippy::expect_used, reason = "a series is endless")]
        let truth = series.nth(random.random_range(0..every)).expect("a series goes on");
        // a method that extrapolates may fall below what a link can be worth
        (forecast.max(LEAST), truth.max(LEAST))
    }

    /// Seconds from one measurement to the next.
    pub fn period(&self) -> f64 {
        PERIOD * self.every as f64
    }
}

/// No share is less.
const LEAST: f64 = 0.01;
