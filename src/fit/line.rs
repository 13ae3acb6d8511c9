//! Lines through measured times: least squares on the relative error, in one piece or in two.
//!
//! # The line
//!
//! `t(m) = a + b m` minimises the sum of `((a + b m - t) / t)^2`: with weights `1 / t^2` a microsecond counts for much
//! at one byte and for little at a megabyte, so that small messages are not drowned by large ones. Neither `a` nor `b`
//! may be negative: where the least squares are, the offender is set to zero and the other fitted alone, which is the
//! best line that is allowed.
//!
//! # A change of protocol
//!
//! Message layers send short messages eagerly and longer ones after a handshake, often without the copies that make
//! short ones slow per byte. Every split into two segments of at least [`SEGMENT`] sizes is tried. A change is declared
//! if the one line is off by more than [`GOOD`] (root mean square) and two lines cut the sum of squares by [`CUT`] at
//! least.
//!
//! A handshake sends one or two messages more, so the constant rises by once or twice what it was; a change is taken
//! for a handshake if it rises by [`RISE`] at least, half a message. (A jump is no criterion: layers are tuned to
//! change where the two lines cross.) Splits with a handshake are preferred to mere changes of slope, and then the
//! smallest sum of squares decides. O(n^2) time for n rows.

use super::Sample;

/// The fewest different sizes of a segment.
const SEGMENT: usize = 3;
/// A line with a smaller residual (relative, root mean square) is good enough.
const GOOD: f64 = 0.01;
/// Two lines must divide the sum of squares by this: halve the residual.
const CUT: f64 = 4.0;
/// The least rise of the constant, relative to itself, that counts as a handshake.
const RISE: f64 = 0.5;

/// A time in seconds that grows with the length of a message.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Affine {
    /// Seconds of a message of no length.
    pub constant: f64,
    /// Seconds per byte.
    pub per_byte: f64,
}

impl Affine {
    /// Seconds of a message of `bytes` bytes.
    #[expect(clippy::cast_precision_loss, reason = "lengths below 2^53 are exact")]
    pub fn at(&self, bytes: u64) -> f64 {
        self.constant + self.per_byte * bytes as f64
    }
}

/// What was set to zero because a time cannot be negative, with what the least squares said, in seconds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Clamped {
    /// The constant.
    Constant(f64),
    /// The time per byte.
    PerByte(f64),
}

/// A line through measurements, and how well it fits.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct Fitted {
    /// The line.
    pub line: Affine,
    /// How many measurements it was fitted to.
    pub rows: usize,
    /// The smallest and the largest of their sizes, bytes.
    pub bytes: (u64, u64),
    /// The root mean square of the relative residuals, `(line - measured) / measured`.
    pub residual: f64,
    /// The relative residual that is largest in size.
    pub worst: f64,
    /// The size at which it occurs, bytes.
    pub worst_bytes: u64,
    /// What was set to zero.
    pub clamped: Option<Clamped>,
}

impl Fitted {
    /// The best line through `samples`, if they have two sizes.
    fn through(samples: &[Sample]) -> Option<Self> {
        let (line, clamped) = least_squares(samples)?;
        let residual = |sample: &Sample| (line.at(sample.bytes) - sample.seconds) / sample.seconds;
        let worst = samples.iter().max_by(|a, b| residual(a).abs().total_cmp(&residual(b).abs()))?;
        let squares: f64 = samples.iter().map(|sample| residual(sample) * residual(sample)).sum();
        Some(Self {
            line,
            rows: samples.len(),
            bytes: (samples.first()?.bytes, samples.last()?.bytes),
            residual: (squares / count(samples.len())).sqrt(),
            worst: residual(worst),
            worst_bytes: worst.bytes,
            clamped,
        })
    }

    fn squares(&self) -> f64 {
        self.residual * self.residual * count(self.rows)
    }
}

/// A split of the sizes into two segments with a line each.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Change {
    /// Up to its last size.
    pub first: Fitted,
    /// From the next size on.
    pub last: Fitted,
}

impl Change {
    /// The largest size of the first segment, bytes.
    pub fn after(&self) -> u64 {
        self.first.bytes.1
    }

    /// How much larger the constant of long messages is than that of short ones, relative to that.
    pub fn rise(&self) -> f64 {
        self.last.line.constant / self.first.line.constant - 1.0
    }

    /// Whether it looks like the handshake of a rendezvous rather than a mere change of slope.
    pub fn is_handshake(&self) -> bool {
        self.rise() >= RISE
    }
}

/// What was measured of one time, as lines.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct CurveFit {
    /// One line through everything.
    pub whole: Fitted,
    /// Two, if they fit much better.
    pub change: Option<Change>,
}

impl CurveFit {
    /// The lines through `samples`, if they have two sizes; times are above zero.
    pub fn of(samples: &[Sample]) -> Option<Self> {
        let mut samples = samples.to_vec();
        samples.sort_by_key(|sample| sample.bytes);
        let whole = Fitted::through(&samples)?;
        Some(Self { whole, change: change(&samples, &whole) })
    }

    /// The line of short messages: of the first segment, or of all.
    pub fn short(&self) -> &Affine {
        self.change.as_ref().map_or(&self.whole.line, |change| &change.first.line)
    }

    /// The line of long messages: of the last segment, or of all.
    pub fn long(&self) -> &Affine {
        self.change.as_ref().map_or(&self.whole.line, |change| &change.last.line)
    }

    /// Returns the line that messages of `bytes` bytes follow: that of their segment if there are two, else the only one.
    pub fn piece(&self, bytes: u64) -> &Affine {
        match &self.change {
            Some(change) if bytes <= change.after() => &change.first.line,
            _ => self.long(),
        }
    }

    /// The largest size that is sent without a handshake, bytes; none if no handshake is seen.
    pub fn eager(&self) -> Option<u64> {
        self.change.filter(Change::is_handshake).map(|change| change.after())
    }
}

fn change(samples: &[Sample], whole: &Fitted) -> Option<Change> {
    if whole.residual < GOOD {
        return None;
    }
    let better = |change: &Change| squares(change) * CUT <= whole.squares();
    let splits = (1..samples.len()).filter_map(|at| split(samples, at)).filter(better);
    splits.min_by(|a, b| b.is_handshake().cmp(&a.is_handshake()).then(squares(a).total_cmp(&squares(b))))
}

fn squares(change: &Change) -> f64 {
    change.first.squares() + change.last.squares()
}

/// The segments before and from `at`, if that separates two sizes and leaves enough of them on both sides.
fn split(samples: &[Sample], at: usize) -> Option<Change> {
    let (first, last) = samples.split_at(at);
    let separated = first.last()?.bytes < last.first()?.bytes;
    if !separated || sizes(first) < SEGMENT || sizes(last) < SEGMENT {
        return None;
    }
    Some(Change { first: Fitted::through(first)?, last: Fitted::through(last)? })
}

fn sizes(samples: &[Sample]) -> usize {
    samples.chunk_by(|a, b| a.bytes == b.bytes).count()
}

#[expect(clippy::cast_precision_loss, reason = "rows are fewer than 2^53")]
fn count(rows: usize) -> f64 {
    rows as f64
}

/// The best line that is nowhere negative: `1 = a u + b v` with `u = 1 / t` and `v = m / t`.
fn least_squares(samples: &[Sample]) -> Option<(Affine, Option<Clamped>)> {
    let [mut uu, mut uv, mut vv, mut u1, mut v1] = [0.0; 5];
    for sample in samples {
        let u = sample.seconds.recip();
        let v = Affine { constant: 0.0, per_byte: u }.at(sample.bytes);
        uu += u * u;
        uv += u * v;
        vv += v * v;
        u1 += u;
        v1 += v;
    }
    let determinant = uu * vv - uv * uv;
    if determinant <= 1e-12 * uu * vv {
        return None; // one size
    }
    let constant = (u1 * vv - v1 * uv) / determinant;
    let per_byte = (v1 * uu - u1 * uv) / determinant;
    Some(if constant < 0.0 {
        (Affine { constant: 0.0, per_byte: v1 / vv }, Some(Clamped::Constant(constant)))
    } else if per_byte < 0.0 {
        (Affine { constant: u1 / uu, per_byte: 0.0 }, Some(Clamped::PerByte(per_byte)))
    } else {
        (Affine { constant, per_byte }, None)
    })
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]
mod tests {
    use super::*;

    fn samples(times: impl Fn(u64) -> f64) -> Vec<Sample> {
        let sizes = std::iter::once(0).chain((0..=20).map(|bit| 1 << bit));
        sizes.map(|bytes| Sample { bytes, seconds: times(bytes), line: 1 }).collect()
    }

    fn near(a: f64, b: f64) -> bool {
        (a - b).abs() <= 1e-6 * b.abs()
    }

    fn line(constant: f64, per_byte: f64) -> Affine {
        Affine { constant, per_byte }
    }

    #[test]
    fn a_line_is_found_again() {
        let truth = line(1.5e-6, 2e-10);
        let fit = CurveFit::of(&samples(|m| truth.at(m))).unwrap();
        assert!(near(fit.whole.line.constant, 1.5e-6) && near(fit.whole.line.per_byte, 2e-10), "{fit:?}");
        assert!(fit.change.is_none() && fit.whole.residual < 1e-9 && fit.whole.bytes == (0, 1 << 20));
    }

    #[test]
    fn small_messages_are_not_drowned_by_an_error_of_large_ones() {
        let fit = CurveFit::of(&samples(|m| line(1e-6, 1e-9).at(m) * if m == 1 << 20 { 1.1 } else { 1.0 })).unwrap();
        assert!((fit.whole.line.constant - 1e-6).abs() < 1e-8, "{fit:?}");
        assert_eq!(fit.whole.worst_bytes, 1 << 20);
    }

    #[test]
    fn a_handshake_is_found_where_it_is() {
        let jump = |m: u64| if m > 8192 { 3e-6 } else { 0.0 };
        let fit = CurveFit::of(&samples(|m| line(2e-6, 1e-10).at(m) + jump(m))).unwrap();
        assert_eq!(fit.eager(), Some(8192));
        assert!(near(fit.short().constant, 2e-6) && near(fit.long().constant, 5e-6), "{fit:?}");
        assert!(near(fit.short().per_byte, 1e-10) && near(fit.long().per_byte, 1e-10), "{fit:?}");
    }

    #[test]
    fn a_handshake_that_is_tuned_not_to_jump_is_found_too() {
        let (eager, rendezvous) = (line(1e-6, 1e-9), line(4e-6, 2e-10));
        let fit = CurveFit::of(&samples(|m| eager.at(m).min(rendezvous.at(m)))).unwrap();
        assert_eq!(fit.eager(), Some(2048));
    }

    #[test]
    fn a_change_of_slope_is_no_handshake() {
        let fit = CurveFit::of(&samples(|m| 1e-6 + m.saturating_sub(64) as f64 * 2e-10)).unwrap();
        assert!(fit.change.is_none(), "one line is good enough: {fit:?}");
        let fit = CurveFit::of(&samples(|m| 1e-6 + m.saturating_sub(1 << 16) as f64 * 2e-10)).unwrap();
        let change = fit.change.unwrap();
        assert!(!change.is_handshake() && fit.eager().is_none(), "{change:?}");
        assert_eq!(change.after(), 1 << 16);
    }

    #[test]
    fn nothing_becomes_negative() {
        let falling = CurveFit::of(&samples(|m| 2e-6 - m as f64 * 1e-13)).unwrap().whole;
        assert!(falling.line.per_byte == 0.0 && matches!(falling.clamped, Some(Clamped::PerByte(_))), "{falling:?}");
        let steep = [(100, 1e-7), (200, 1e-6)].map(|(bytes, seconds)| Sample { bytes, seconds, line: 1 });
        let steep = CurveFit::of(&steep).unwrap().whole;
        assert!(steep.line.constant == 0.0 && matches!(steep.clamped, Some(Clamped::Constant(_))), "{steep:?}");
    }

    #[test]
    fn one_size_makes_no_line() {
        let samples = [1e-6, 2e-6].map(|seconds| Sample { bytes: 8, seconds, line: 1 });
        assert_eq!(CurveFit::of(&samples), None);
    }
}
