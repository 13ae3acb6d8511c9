//! flitwise
pub mod algorithm;
pub mod engine;
pub mod model;
pub mod random;
pub mod report;
pub mod routing;
pub mod run;
pub mod scenario;
pub mod schedule;
pub mod topology;
pub mod units;
