//! Series that fluctuate as links do, drawn from named random streams.
//!
//! A value is a share of the nominal bandwidth: every kind has mean 1 over long times, but for the random walk, which has
//! none, and is positive. Values are [`PERIOD`] apart; every tenth of a series is one with ten times the period.
//!
//! *Source.* The kinds and their parameters are our choice, not measurements: noise of 5 to 20 %, correlation over one to
//! ten minutes, a wandering level, levels that last a quarter of an hour, days, spikes, and bursts without a typical length
//! (on/off sources with Pareto times, which add up to self-similar traffic: W. Willinger, M. S. Taqqu, R. Sherman, D. V.
//! Wilson, Self-similarity through high-variability, IEEE/ACM Transactions on Networking 5, 1997). The best
//! method is anything from the last value to the mean of all, and its root mean squared error from 3 % of the mean (walk)
//! to 66 % (spikes).
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
use std::f64::consts::TAU;

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
    start: fn(&mut Pcg64) -> Box<dyn Process>,
}

impl Kind {
    /// The kind called `name`.
    #[must_use]
    pub fn named(name: &str) -> Option<&'static Self> {
        KINDS.iter().find(|kind| kind.name == name)
    }

    /// The endless series of this kind for `entity` (a link, a repetition) under `seed`.
    #[must_use]
    pub fn series(&self, seed: u64, entity: u64) -> Series {
        let mut random = stream(seed, &format!("series/{}", self.name), entity);
        Series { process: (self.start)(&mut random), random }
    }
}

/// Every kind of series.
pub const KINDS: &[Kind] = &[
    Kind {
        name: "white",
        summary: "independent, normal with deviation 0.2",
        start: |_| Box::new(White { deviation: 0.2 }),
    },
    Kind {
        name: "ar-60",
        summary: "lognormal with deviation 0.3, correlated over 60 s",
        start: |random| Box::new(Autoregressive::new(0.3, 60.0, random)),
    },
    Kind {
        name: "ar-600",
        summary: "lognormal with deviation 0.3, correlated over 600 s",
        start: |random| Box::new(Autoregressive::new(0.3, 600.0, random)),
    },
    Kind {
        name: "walk",
        summary: "steps of 3 % up or down, between a tenth and ten times the nominal",
        start: |_| Box::new(Walk { deviation: 0.03, limit: std::f64::consts::LN_10, logarithm: 0.0 }),
    },
    Kind {
        name: "shift",
        summary: "levels from 0.25 to 1.75 that last 900 s in the mean, under noise of 5 %",
        start: |_| Box::new(Shift { levels: (0.25, 1.75), lasting: 900.0, noise: 0.05, level: 1.0, left: 0.0 }),
    },
    Kind {
        name: "diurnal",
        summary: "a sine of 24 h from 0.5 to 1.5, under noise of 10 %",
        start: |random| Box::new(Diurnal { amplitude: 0.5, noise: 0.1, turns: uniform(random) }),
    },
    Kind {
        name: "on-off",
        summary: "cross traffic that takes 70 %, on and off for Pareto times of mean 60 s and 180 s, under noise of 5 %",
        start: |_| Box::new(OnOff { taken: 0.7, times: [180.0, 60.0], shape: 1.5, noise: 0.05, on: true, left: 0.0 }),
    },
    Kind {
        name: "spikes",
        summary: "independent, lognormal with deviation 0.6",
        start: |_| Box::new(Spikes { deviation: 0.6 }),
    },
];

/// A series of a kind, without end.
pub struct Series {
    process: Box<dyn Process>,
    random: Pcg64,
}

impl Iterator for Series {
    type Item = f64;

    fn next(&mut self) -> Option<f64> {
        Some(self.process.next(&mut self.random))
    }
}

/// What a series is in the middle of.
trait Process: Send {
    fn next(&mut self, random: &mut Pcg64) -> f64;
}

/// A factor of mean 1 with this deviation, never below the floor.
fn noise(random: &mut Pcg64, deviation: f64) -> f64 {
    (1.0 + deviation * normal(random)).max(FLOOR)
}

/// The mean of the logarithms of lognormal values of mean 1, if their deviation is this.
fn mean_logarithm(deviation: f64) -> f64 {
    -deviation * deviation / 2.0
}

/// Values that know nothing of each other.
struct White {
    deviation: f64,
}

impl Process for White {
    fn next(&mut self, random: &mut Pcg64) -> f64 {
        noise(random, self.deviation)
    }
}

/// Lognormal values whose logarithms are an autoregressive process of order 1, `x' = r x + sqrt(1 - r^2) z` with
/// `r = e^(-PERIOD / time constant)`, stationary from the start.
struct Autoregressive {
    deviation: f64,
    correlation: f64,
    standard: f64,
}

impl Autoregressive {
    fn new(deviation: f64, time_constant: f64, random: &mut Pcg64) -> Self {
        Self { deviation, correlation: libm::exp(-PERIOD / time_constant), standard: normal(random) }
    }
}

impl Process for Autoregressive {
    fn next(&mut self, random: &mut Pcg64) -> f64 {
        let value = libm::exp(mean_logarithm(self.deviation) + self.deviation * self.standard);
        let fresh = (1.0 - self.correlation * self.correlation).sqrt();
        self.standard = self.correlation * self.standard + fresh * normal(random);
        value
    }
}

/// A random walk of the logarithm from 0, reflected at the limits.
struct Walk {
    deviation: f64,
    limit: f64,
    logarithm: f64,
}

impl Process for Walk {
    fn next(&mut self, random: &mut Pcg64) -> f64 {
        let value = libm::exp(self.logarithm);
        let next = self.logarithm + self.deviation * normal(random);
        let beyond = (next.abs() - self.limit).max(0.0);
        self.logarithm = next - 2.0 * beyond.copysign(next);
        value
    }
}

/// Levels drawn uniformly that last for exponential times.
struct Shift {
    levels: (f64, f64),
    lasting: f64,
    noise: f64,
    level: f64,
    /// Seconds until the next level.
    left: f64,
}

impl Process for Shift {
    fn next(&mut self, random: &mut Pcg64) -> f64 {
        while self.left <= 0.0 {
            self.level = self.levels.0 + (self.levels.1 - self.levels.0) * uniform(random);
            self.left += exponential(random, self.lasting);
        }
        self.left -= PERIOD;
        self.level * noise(random, self.noise)
    }
}

/// Day and night, from a time of the day that is drawn.
struct Diurnal {
    amplitude: f64,
    noise: f64,
    /// The time of the day as a share of it.
    turns: f64,
}

impl Process for Diurnal {
    fn next(&mut self, random: &mut Pcg64) -> f64 {
        let level = 1.0 + self.amplitude * libm::sin(TAU * self.turns);
        self.turns = (self.turns + PERIOD / 86_400.0) % 1.0;
        level * noise(random, self.noise)
    }
}

/// Cross traffic that is off and on in turn for Pareto times, which have no variance; off at first.
struct OnOff {
    /// The share of the bandwidth that it takes while it is on.
    taken: f64,
    /// Mean seconds off and on.
    times: [f64; 2],
    shape: f64,
    noise: f64,
    on: bool,
    /// Seconds until it turns.
    left: f64,
}

impl Process for OnOff {
    fn next(&mut self, random: &mut Pcg64) -> f64 {
        while self.left <= 0.0 {
            self.on = !self.on;
            let least = self.times[usize::from(self.on)] * (self.shape - 1.0) / self.shape;
            self.left += pareto(random, least, self.shape);
        }
        self.left -= PERIOD;
        let mean = 1.0 - self.taken * self.times[1] / (self.times[0] + self.times[1]);
        let level = if self.on { 1.0 - self.taken } else { 1.0 };
        level / mean * noise(random, self.noise)
    }
}

/// Values that are small mostly and now and then several times the mean.
struct Spikes {
    deviation: f64,
}

impl Process for Spikes {
    fn next(&mut self, random: &mut Pcg64) -> f64 {
        lognormal(random, mean_logarithm(self.deviation), self.deviation)
    }
}
