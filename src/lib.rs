//! flitwise
pub mod algorithm;
pub mod engine;
pub mod model;
pub mod routing;
pub mod schedule;
pub mod topology;
pub mod units;
