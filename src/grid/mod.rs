//! Grids that are drawn at random, and forecasts of them that are wrong at random.
//!
//! What they give are cost matrices ([`crate::topology::CostMatrix`]).

mod error;
mod generator;

pub use error::{ForecastError, Quantity, Truncation};
pub use generator::{Clusters, Distribution, Generator, Links, Ranges};
