//! How fast this machine is, against the one that estimates of time are from.

use super::progress::now;
use flitwise::kind::{Keep, RowId};
use flitwise::scenario::{Options, Scenario};
use std::path::Path;
use std::time::{Duration, Instant};

/// Something small of each kind of work, and how many nanoseconds it takes where estimates come from.
const SAMPLES: [(&str, f64); 3] = [
    (include_str!("calibrate/worms.toml"), 105_000.0),
    (include_str!("calibrate/routers.toml"), 1_550_000.0),
    (include_str!("calibrate/planner.toml"), 290_000.0),
];

/// How long each is repeated.
const EACH: Duration = Duration::from_millis(40);

/// How many times as long as estimated everything takes here: measured in a tenth of a second on one core, where only the
/// fastest of many runs counts, so that what else goes on does not. 1 if it cannot be told.
pub(super) fn slowness() -> f64 {
    let ratios: Vec<f64> =
        SAMPLES.iter().filter_map(|(text, nanoseconds)| Some(fastest(text)? / nanoseconds)).collect();
    if ratios.is_empty() {
        return 1.0;
    }
    let logarithms: f64 = ratios.iter().map(|ratio| libm::log(*ratio)).sum();
    libm::exp(logarithms / ratios.len() as f64)
}

/// The seconds that the main thread has worked so far, of which the system keeps count; by the clock where it does not.
pub(super) fn worked(since: Instant) -> f64 {
    let counted = std::fs::read_to_string("/proc/self/schedstat").ok();
    let nanoseconds = counted.and_then(|text| text.split_whitespace().next()?.parse::<f64>().ok());
    nanoseconds.map_or_else(|| since.elapsed().as_secs_f64(), |nanoseconds| nanoseconds / 1e9)
}

/// The nanoseconds of the fastest run of the only row of a scenario.
fn fastest(text: &str) -> Option<f64> {
    let scenario = Scenario::parse("calibration", text, Path::new(""), &Options::default()).ok()?;
    let experiment = &scenario.points.first()?.experiment;
    let began = now();
    let mut least: Option<f64> = None;
    while began.elapsed() < EACH {
        let started = now();
        let row = experiment.run(RowId { point: 0, algorithm: 0, repetition: 0 }, Keep::default());
        let took = started.elapsed().as_secs_f64() * 1e9;
        drop(row.ok()?);
        least = Some(least.map_or(took, |before| before.min(took)));
    }
    least
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_sample_runs() {
        assert!(SAMPLES.iter().all(|(text, _)| fastest(text).is_some_and(|time| time > 0.0)));
    }
}
