//! flitwise
pub mod engine;
pub mod routing;
pub mod schedule;
pub mod topology;
pub mod units;
