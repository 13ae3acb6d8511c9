//! What comes next: forecasts of a fluctuating quantity, such as the bandwidth of a link, from what was measured.
//!
//! The methods are those of the library of the Network Weather Service, 18 primary ones, and three of our own
//! definition after the list in its paper. [`Selection`] follows whichever has erred least of late; a [`Bank`] runs
//! methods and selection together and keeps the account. [`Samples`] reads a measured series, [`series`] draws one.
//!
//! This floor knows values in the order in which they were measured, at equal periods; it refuses to know what they
//! measure, when, and what a forecast is for.
//!
//! *Source.* R. Wolski, N. T. Spring, J. Hayes, The Network Weather Service: a distributed resource performance
//! forecasting service for metacomputing, Future Generation Computer Systems 15, 1999; the methods, their parameters
//! and their order are those of the library as shipped (18 primary, 16 derived), not the nine of Wolski, Dynamically
//! forecasting network performance using the Network Weather Service, Cluster Computing 1, 1998. Where the library
//! errs, the method's doc says what it does and what we do.
//!
//! Adding one: a file beside these, a line in [`METHODS`].
//!
//! ```
//! use flitwise::forecast::{Bank, Criterion};
//! let mut bank = Bank::primaries();
//! for value in [7.0, 9.0, 8.0, 8.0, 8.0, 8.0] {
//!     bank.update(value);
//! }
//! let next = bank.forecast(Criterion::Mse).unwrap();
//! assert_eq!((next.value, next.method.name), (8.0, "RUN_MEAN"));
//! ```

mod adaptive;
mod autoregressive;
mod bank;
mod exponential;
mod fields;
mod gradient;
mod last;
mod link;
mod mean;
mod median;
mod samples;
mod selection;
pub mod series;
mod spacing;
mod trimmed;
mod window;

pub use adaptive::{AdaptiveMean, AdaptiveMedian};
pub use autoregressive::Autoregressive;
pub use bank::{Bank, Errors, Next};
pub use exponential::Exponential;
pub use fields::Column;
pub use gradient::Gradient;
pub use last::Last;
pub use link::{By, Fluctuation};
pub use mean::{RunningMean, SlidingMean};
pub use median::SlidingMedian;
pub use samples::{LARGEST, SampleError, Samples};
pub use selection::{Criterion, Derived, Selection, WINDOWS};
pub use trimmed::TrimmedMean;

/// Forecasts the next value from those before it.
pub trait Forecaster {
    /// Takes the value that was measured next. Only finite values make sense.
    fn update(&mut self, value: f64);

    /// What the next value will be; nothing before the first.
    fn forecast(&self) -> Option<f64>;
}

/// A forecaster that can go to another thread.
pub type Boxed = Box<dyn Forecaster + Send>;

/// A method of forecasting in the registry.
pub struct Method {
    /// How files and tables call it.
    pub name: &'static str,
    /// What it forecasts, in a few words.
    pub summary: &'static str,
    start: fn() -> Boxed,
}

impl Method {
    /// The method called `name`.
    pub fn named(name: &str) -> Option<&'static Self> {
        METHODS.iter().find(|method| method.name == name)
    }

    /// The method before it has seen a value.
    pub fn start(&self) -> Boxed {
        (self.start)()
    }
}

/// How many of [`METHODS`] are primary: those of the library, which a selection follows. The others come after them.
pub const PRIMARIES: usize = 18;

const fn method(name: &'static str, summary: &'static str, start: fn() -> Boxed) -> Method {
    Method { name, summary, start }
}

/// Every method, the primary ones in the library's order, by which ties are broken: the one list that the command,
/// `list` and documentation read.
pub const METHODS: &[Method] = &[
    method("LAST", "last value", || Box::new(Last::default())),
    method("RUN_MEAN", "mean of all values so far", || Box::new(RunningMean::default())),
    method("EXP05", "exponential smoothing, gain 0.05", || Box::new(Exponential::new(0.05))),
    method("EXP10", "exponential smoothing, gain 0.10", || Box::new(Exponential::new(0.10))),
    method("EXP15", "exponential smoothing, gain 0.15", || Box::new(Exponential::new(0.15))),
    method("EXP20", "exponential smoothing, gain 0.20", || Box::new(Exponential::new(0.20))),
    method("EXP30", "exponential smoothing, gain 0.30", || Box::new(Exponential::new(0.30))),
    method("EXP40", "exponential smoothing, gain 0.40", || Box::new(Exponential::new(0.40))),
    method("EXP50", "exponential smoothing, gain 0.50", || Box::new(Exponential::new(0.50))),
    method("EXP75", "exponential smoothing, gain 0.75", || Box::new(Exponential::new(0.75))),
    method("MEDIAN31", "median of the last 31 values", || Box::new(SlidingMedian::new(31))),
    method("MEDIAN5", "median of the last 5 values", || Box::new(SlidingMedian::new(5))),
    method("SW_MEAN31", "mean of the last 31 values", || Box::new(SlidingMean::new(31))),
    method("SW_MEAN5", "mean of the last 5 values", || Box::new(SlidingMean::new(5))),
    method("TRIM31_30", "mean of the last 31 values without 30 % at each end", || Box::new(TrimmedMean::new(31, 30))),
    method("TRIM51_30", "mean of the last 51 values without 30 % at each end", || Box::new(TrimmedMean::new(51, 30))),
    method("ADMED5_21", "median of the last 5 to 21 values, with an adaptive window", || {
        Box::new(AdaptiveMedian::new(10, 5..=21, 1))
    }),
    method("ADMED21_51", "median of the last 21 to 51 values, with an adaptive window", || {
        Box::new(AdaptiveMedian::new(30, 21..=51, 5))
    }),
    method("ADMEAN5_51", "mean of the last 5 to 51 values, with an adaptive window", || {
        Box::new(AdaptiveMean::new(10, 5..=51, 1))
    }),
    method("SGRAD", "exponential smoothing with a gain that grows while errors keep their sign", || {
        Box::new(Gradient::default())
    }),
    method("AR8_100", "autoregression of order 8 on the last 100 values", || Box::new(Autoregressive::new(8, 100))),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_unique_and_lead_to_their_methods() {
        for method in METHODS {
            assert_eq!(METHODS.iter().filter(|other| other.name == method.name).count(), 1, "{}", method.name);
            assert!(Method::named(method.name).is_some_and(|found| found.summary == method.summary));
        }
        assert!(Method::named("last").is_none() && METHODS.len() > PRIMARIES);
    }

    #[test]
    fn every_method_starts_without_and_follows_with_the_first_value() {
        for method in METHODS {
            let mut forecaster = method.start();
            assert_eq!(forecaster.forecast(), None, "{}", method.name);
            forecaster.update(4.25);
            assert_eq!(forecaster.forecast(), Some(4.25), "{}", method.name);
        }
    }
}
