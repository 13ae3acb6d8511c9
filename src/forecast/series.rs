//! Series that fluctuate as links do, drawn from named random streams.
//!
//! A value is a share of the nominal bandwidth: every kind has mean 1 over long times, but for the random walk, which
//! has none, and is positive. Values are [`PERIOD`] apart; every tenth of a series is one with ten times the period.
//!
//! *Source.* The kinds and their parameters are our choice, not measurements: noise of 5 to 20 %, correlation over one
//! to ten minutes, a wandering level, levels that last a quarter of an hour, days, spikes, and bursts without a typical
//! length (on/off sources with Pareto times, which add up to self-similar traffic: W. Willinger, M. S. Taqqu, R.
//! Sherman, D. V. Wilson, Self-similarity through high-variability, IEEE/ACM Transactions on Networking 5, 1997). The
//! best method is anything from the last value to the mean of all, and its root mean squared error from 3 % of the mean
//! (walk) to 66 % (spikes).
//!
//! ```
//! use flitwise::forecast::series::Kind;
//! let walk = Kind::named("walk").unwrap();
//! let series: Vec<f64> = walk.series(1, 0).take(1000).collect();
//! assert!(series.iter().all(|&share| share > 0.0));
//! assert!(walk.series(1, 0).take(1000).eq(series)); // (seed, kind, entity) names the stream
//! ```

use crate::random::{exponential, lognormal, normal, pareto, stream, uniform};
use rand_pcg::Pcg64;
use std::f64::consts::{LN_10, TAU};
use std::ops::Range;

/// Seconds between two values.
pub const PERIOD: f64 = 10.0;

/// Nothing is less than this share of its mean: a link that is measured carries something.
const FLOOR: f64 = 0.05;

/// A kind of series in the registry.
pub struct Kind {
    /// How it is called.
    pub name: &'static str,
    /// How it fluctuates, in a few words.
    pub summary: &'static str,
    start: fn(&mut Pcg64) -> Process,
}

impl Kind {
    /// The kind called `name`.
    pub fn named(name: &str) -> Option<&'static Self> {
        KINDS.iter().find(|kind| kind.name == name)
    }

    /// The endless series of this kind for `entity` (a link, a repetition) under `seed`.
    pub fn series(&self, seed: u64, entity: u64) -> Series {
        let mut random = stream(seed, &format!("series/{}", self.name), entity);
        Series { process: (self.start)(&mut random), random }
    }
}

const fn kind(name: &'static str, summary: &'static str, start: fn(&mut Pcg64) -> Process) -> Kind {
    Kind { name, summary, start }
}

/// Every kind of series.
pub const KINDS: &[Kind] = &[
    kind("white", "independent, normal with standard deviation 0.2", |_| white(0.2)),
    kind("ar-60", "lognormal with standard deviation 0.3, correlated over 60 s", |random| {
        autoregressive(0.3, 60.0, random)
    }),
    kind("ar-600", "lognormal with standard deviation 0.3, correlated over 600 s", |random| {
        autoregressive(0.3, 600.0, random)
    }),
    kind("walk", "random walk in steps of 3 %, from a tenth to ten times the nominal value", |_| walk(0.03, LN_10)),
    kind("shift", "levels from 0.25 to 1.75 with a mean duration of 900 s, plus noise of 5 %", |_| {
        shift(0.25..1.75, 900.0, 0.05)
    }),
    kind("diurnal", "sine with a period of 24 h from 0.5 to 1.5, plus noise of 10 %", |random| {
        diurnal(0.5, 0.1, random)
    }),
    kind(
        "on-off",
        "cross traffic that uses 70 %, on and off for Pareto times with means of 60 s and 180 s, plus noise of 5 %",
        |_| on_off(CrossTraffic { taken: 0.7, off: 180.0, on: 60.0, shape: 1.5 }, 0.05),
    ),
    kind("spikes", "independent, lognormal with standard deviation 0.6", |_| spikes(0.6)),
];

/// A series of a kind, without end.
pub struct Series {
    process: Process,
    random: Pcg64,
}

impl Iterator for Series {
    type Item = f64;

    fn next(&mut self) -> Option<f64> {
        Some((self.process)(&mut self.random))
    }
}

/// Draws one value after the other, from what the series is in the middle of.
type Process = Box<dyn FnMut(&mut Pcg64) -> f64 + Send>;

/// A factor of mean 1 with this deviation, never below the floor.
fn noise(random: &mut Pcg64, deviation: f64) -> f64 {
    (1.0 + deviation * normal(random)).max(FLOOR)
}

/// The mean of the logarithms of lognormal values of mean 1, if their deviation is this.
fn mean_logarithm(deviation: f64) -> f64 {
    -deviation * deviation / 2.0
}

/// Values that know nothing of each other.
fn white(deviation: f64) -> Process {
    Box::new(move |random| noise(random, deviation))
}

/// Lognormal values whose logarithms are an autoregressive process of order 1, `x' = r x + sqrt(1 - r^2) z` with
/// `r = e^(-PERIOD / time constant)`, stationary from the start.
fn autoregressive(deviation: f64, time_constant: f64, random: &mut Pcg64) -> Process {
    let correlation = libm::exp(-PERIOD / time_constant);
    let mut standard = normal(random);
    Box::new(move |random| {
        let value = libm::exp(mean_logarithm(deviation) + deviation * standard);
        let fresh = (1.0 - correlation * correlation).sqrt();
        standard = correlation * standard + fresh * normal(random);
        value
    })
}

/// A random walk of the logarithm from 0, reflected at `-limit` and `limit`.
fn walk(deviation: f64, limit: f64) -> Process {
    let mut logarithm: f64 = 0.0;
    Box::new(move |random| {
        let value = libm::exp(logarithm);
        let next = logarithm + deviation * normal(random);
        let beyond = (next.abs() - limit).max(0.0);
        logarithm = next - 2.0 * beyond.copysign(next);
        value
    })
}

/// Levels drawn uniformly that last for exponential times of mean `lasting`, seconds.
fn shift(levels: Range<f64>, lasting: f64, deviation: f64) -> Process {
    let mut level = 1.0;
    let mut left = 0.0; // seconds until the next level
    Box::new(move |random| {
        while left <= 0.0 {
            level = levels.start + (levels.end - levels.start) * uniform(random);
            left += exponential(random, lasting);
        }
        left -= PERIOD;
        level * noise(random, deviation)
    })
}

/// Day and night, from a time of the day that is drawn.
fn diurnal(amplitude: f64, deviation: f64, random: &mut Pcg64) -> Process {
    let mut turns = uniform(random); // the time of the day as a share of it
    Box::new(move |random| {
        let level = 1.0 + amplitude * libm::sin(TAU * turns);
        turns = (turns + PERIOD / 86_400.0) % 1.0;
        level * noise(random, deviation)
    })
}

/// Cross traffic that is off and on in turn for Pareto times, which have no variance; off at first.
#[derive(Clone, Copy)]
struct CrossTraffic {
    /// The share of the bandwidth that it takes while it is on.
    taken: f64,
    /// Mean seconds off.
    off: f64,
    /// Mean seconds on.
    on: f64,
    /// Of the Pareto distribution.
    shape: f64,
}

/// What cross traffic leaves.
fn on_off(traffic: CrossTraffic, deviation: f64) -> Process {
    let mut on = true;
    let mut left = 0.0; // seconds until it turns
    Box::new(move |random| {
        while left <= 0.0 {
            on = !on;
            let time = if on { traffic.on } else { traffic.off };
            left += pareto(random, time * (traffic.shape - 1.0) / traffic.shape, traffic.shape);
        }
        left -= PERIOD;
        let mean = 1.0 - traffic.taken * traffic.on / (traffic.off + traffic.on);
        let level = if on { 1.0 - traffic.taken } else { 1.0 };
        level / mean * noise(random, deviation)
    })
}

/// Values that are small mostly and now and then several times the mean.
fn spikes(deviation: f64) -> Process {
    Box::new(move |random| lognormal(random, mean_logarithm(deviation), deviation))
}
