//! The table that Netgauge's `loggp` pattern writes (Hoefler, Lichei, Rehm: Low-Overhead LogGP Parameter Assessment for
//! Modern Interconnection Networks, 2007).
//!
//! After lines that start with `#`, eleven columns:
//! `size n PRTT(1,0,s) PRTT(n,0,s) PRTT(n,PRTT(1,0,s),s) L o_s o_r g G lsqu(g,G)`, times in microseconds. `PRTT(n,d,s)`
//! is the time of `n` messages of `s` bytes sent `d` apart and one such message back. The raw times are used:
//! `t_end = PRTT(1,0,s) / 2`, `t_hold = (PRTT(n,0,s) - PRTT(1,0,s)) / (n - 1)`, and `o_s` and `o_r`, which Netgauge
//! derives row by row.
//!
//! Its own `L`, `g` and `G` are not used: `L` is half a round trip of the smallest message, overheads included, and `g`
//! and `G` are fits without weights of all rows so far. Where it sees a change of protocol it writes the row once more,
//! with parameters of the protocol that ends; such repetitions are skipped. So are differences that came out at zero or
//! below.

use super::{FitError, Format, Measurements, Numbered, Sample, bad_row, number, numbered};

const COLUMNS: usize = 11;

pub(super) fn read(file: &str, text: &str) -> Result<Measurements, FitError> {
    let mut measurements = Measurements::new(file, Format::Netgauge.to_string());
    let mut before: Option<[&str; 5]> = None;
    for row in numbered(text) {
        let Numbered { line, text: content } = row;
        let header = content.starts_with('#') || Format::introduced_by(content) == Some(Format::Netgauge);
        if header || content.is_empty() {
            continue;
        }
        let tokens: Vec<&str> = content.split_whitespace().collect();
        let &[size, n, one, many, spread, _, o_s, o_r, _, _, _] = tokens.as_slice() else {
            let problem = format!("{} columns instead of {COLUMNS}", tokens.len());
            return Err(bad_row(file, row, Format::Netgauge, problem));
        };
        let measured = [size, n, one, many, spread];
        if before.replace(measured) == Some(measured) {
            measurements.skip(line, format!("repeats the row of size {size}, at a change of protocol"));
            continue;
        }
        let read = Row::read([size, n, one, many, o_s, o_r])
            .map_err(|problem| bad_row(file, row, Format::Netgauge, problem))?;
        read.add(&mut measurements, line);
    }
    let halves = "t_end(s) = PRTT(1,0,s) / 2: a message takes as long as its reply";
    measurements.assumed.push(format!("{file}: {halves}"));
    Ok(measurements)
}

/// What is used of a row, times in microseconds.
struct Row {
    bytes: u64,
    n: f64,
    one: f64,
    many: f64,
    overheads: [f64; 2],
}

impl Row {
    fn read([size, n, one, many, o_s, o_r]: [&str; 6]) -> Result<Self, String> {
        let bytes = size.parse().map_err(|_| format!("`{size}` is not a size in bytes"))?;
        let messages: u32 = n.parse().map_err(|_| format!("`{n}` is not a number of messages"))?;
        if messages < 2 {
            return Err(format!("n = {messages}: one message has no gap to the next"));
        }
        let time = |token: &str| number(token).ok_or_else(|| format!("`{token}` is not a measured value"));
        let one = time(one)?;
        let many = time(many)?;
        let overheads = [time(o_s)?, time(o_r)?];
        Ok(Self { bytes, n: f64::from(messages), one, many, overheads })
    }

    fn add(&self, to: &mut Measurements, line: usize) {
        let gap = (self.many - self.one) / (self.n - 1.0);
        let [o_s, o_r] = self.overheads;
        let curves = [
            ("t_end", "PRTT(1,0,s)", self.one / 2.0),
            ("t_hold", "gap", gap),
            ("t_send", "o_s", o_s),
            ("t_recv", "o_r", o_r),
        ];
        for (what, name, microseconds) in curves {
            let sample = Sample { bytes: self.bytes, seconds: microseconds * 1e-6, line };
            to.add(what, name, sample, "not above zero");
        }
    }
}
