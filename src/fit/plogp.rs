//! The table that `logp_mpi` writes (Kielmann, Bal, Verstoep: Fast Measurement of LogP Parameters for Message Passing
//! Platforms, 2000).
//!
//! ```text
//! # LogP network performance data: NAME
//! # Latency = 0.0000012
//! # time      bytes os        os_min    os_cnfint or        or_min    or_cnfint g
//! ```
//!
//! and nine columns per size: when it was measured, the size in bytes, and times in seconds with seven decimals, of
//! which the means `os`, `or` and `g` are used. In this model, parameterised LogP, a sender may send again after
//! `g(m)`, and the receiver has the message `L + g(m)` after the send started: `t_hold = g(m)`, `t_end = L + g(m)`. A
//! value that was rounded to zero is skipped.

use super::{FitError, FitPlace, Format, Measurements, Numbered, Sample, bad_row, number, numbered, uncommented};

const COLUMNS: usize = 9;

pub(super) fn read(file: &str, text: &str) -> Result<Measurements, FitError> {
    let mut measurements = Measurements::new(file, Format::Plogp.to_string());
    let latency = latency(file, text)?;
    for line in numbered(text) {
        let content = line.text;
        let header = content.starts_with('#') || Format::introduced_by(content) == Some(Format::Plogp);
        if header || content.is_empty() || content.starts_with("time ") {
            continue;
        }
        row(&mut measurements, file, line, latency)?;
    }
    let assumed = &mut measurements.assumed;
    assumed.push(format!("{file}: t_end(m) = L + g(m) and t_hold(m) = g(m), as in parameterised LogP"));
    assumed.push(format!("{file}: its times have seven decimals, so each is uncertain by 0.05 us"));
    if latency <= 0.0 {
        let unknown = "its Latency is 0, which means that logp_mpi could not determine it; t_end(m) = g(m) is too short \
                       by the time that a message spends between the processors";
        assumed.push(format!("{file}: {unknown}"));
    }
    Ok(measurements)
}

/// Seconds, of the line that every file has.
fn latency(file: &str, text: &str) -> Result<f64, FitError> {
    let mut found = None;
    for row in numbered(text) {
        let Some(written) = uncommented(row.text).strip_prefix("Latency =") else { continue };
        if let Some((first, _)) = found {
            return Err(FitError::second_table(file, row, first));
        }
        let value = number(written.trim()).filter(|&seconds| seconds >= 0.0);
        let value = value.ok_or_else(|| FitError {
            place: Some(FitPlace::new(file, row)),
            problem: "this is not a time in seconds".to_owned(),
            accepted: "`# Latency = 0.0000012`",
            hint: "use the unmodified output of logp_mpi",
        })?;
        found = Some((row.line, value));
    }
    found.map(|(_, value)| value).ok_or_else(|| FitError {
        place: None,
        problem: format!("{file}: the latency is missing"),
        accepted: "a line `# Latency = SECONDS` before the rows",
        hint: "use the unmodified output of logp_mpi",
    })
}

fn row(to: &mut Measurements, file: &str, row: Numbered<'_>, latency: f64) -> Result<(), FitError> {
    let Numbered { line, text } = row;
    let wrong = |problem: String| bad_row(file, row, Format::Plogp, problem);
    let tokens: Vec<&str> = text.split_whitespace().collect();
    let &[_, size, os, _, _, or, _, _, g] = tokens.as_slice() else {
        return Err(wrong(format!("{} columns instead of {COLUMNS}", tokens.len())));
    };
    let bytes: u64 = size.parse().map_err(|_| wrong(format!("`{size}` is not a size in bytes")))?;
    let measured = |token: &str| {
        let value = number(token).filter(|&value| value >= 0.0);
        value.ok_or_else(|| wrong(format!("`{token}` is not a measured value")))
    };
    for token in &tokens {
        measured(token)?;
    }
    for (what, name, token) in [("t_send", "os", os), ("t_recv", "or", or), ("t_hold", "g", g)] {
        let sample = Sample { bytes, seconds: measured(token)?, line };
        to.add(what, name, sample, "zero");
        if what == "t_hold" && sample.seconds > 0.0 {
            to.t_end.push(Sample { seconds: latency + sample.seconds, ..sample });
        }
    }
    Ok(())
}
