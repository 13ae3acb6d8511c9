//! From lines through measurements to the parameters of models and nodes.
//!
//! # Which line gives what
//!
//! Without a change of protocol each time has one line. With one ([`Change`]):
//!
//! - LogP and LogGOPS are about short messages and have a byte's cost for long ones: `L`, `o` and `g` are taken from the
//!   first segments, `G` and `O` from the last. That is the sound choice for them: `o`, `L` and `g` are defined by one
//!   small message (here of one byte), and `G` is the reciprocal of the bandwidth of long messages (Alexandrov et al.
//!   1995). What a handshake adds to the longer messages has no parameter; it is told as an assumption.
//! - The parameterised model and nodes know no protocols: they get the one line through all sizes, which has the smallest
//!   relative error that one line can have.
//!
//! `S` is the last size before a change of `t_end` that looks like a handshake ([`Change::is_handshake`]); a mere
//! change of slope does not, and without a handshake every message is eager.
//!
//! # What data cannot tell
//!
//! - `t_end` is the sum of `o` at both ends and `L`. Where the overheads are not measured (OSU) all of it is `L`, and
//!   `o = 0`: then `L + 2o` is what was measured at any split, and no number is invented. `o` cannot exceed `g`, nor half
//!   of `t_end`.
//! - Where `t_hold` is not measured (`osu_latency` alone), no overlap is assumed: `t_hold = t_end`. A `t_hold` of zero
//!   would make it best to send to everyone from one node; with this the textbook's binomial tree is optimal, and more
//!   measuring can only make sending cheaper.
//! - Where measured overheads add up to more than `t_end` they overlap the transfer. They are scaled down to what the
//!   transfer leaves, in proportion, so that `t_end` stays what was measured.
//!
//! # Nodes and channels
//!
//! A scenario's channel has a time per flit and no latency, so `L` goes into `send_setup`, before the message enters
//! the network; `hold_setup` keeps the sender from being held by it. A flit's channel time is what `t_end` has per flit
//! beyond the overheads, but no more than `t_hold` has, for a sender keeps its channel busy; the rest is the sender's.

use super::{Affine, Change, Clamped, CurveFit, FitError, Fitted, Measurements, Sample};

/// LogGOPS in seconds and bytes; the first three are LogP.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LogGopsSeconds {
    /// `L`, seconds.
    pub latency: f64,
    /// `o`, seconds.
    pub overhead: f64,
    /// `g`, seconds.
    pub gap: f64,
    /// `G`, seconds per byte.
    pub gap_per_byte: f64,
    /// `O`, seconds per byte.
    pub overhead_per_byte: f64,
    /// `S`, bytes; none if every message is eager.
    pub eager: Option<u64>,
}

/// What sending and receiving cost a node, and a byte a channel.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct NodeSeconds {
    /// From the start of a send to the injection; none if `t_end` is not measured.
    pub send: Option<Affine>,
    /// From delivery to receipt; none if `t_end` is not measured.
    pub receive: Option<Affine>,
    /// Between the starts of two sends.
    pub hold: Affine,
    /// Seconds for a byte to cross a channel.
    pub channel_per_byte: f64,
}

/// Parameters in seconds and bytes, and where they come from.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Parameters {
    /// The lines of `t_end`, `t_hold`, `t_send` and `t_recv` by name, of those that were measured.
    pub curves: Vec<(&'static str, CurveFit)>,
    /// `t_end` of the parameterised model; none if it is not measured.
    pub t_end: Option<Affine>,
    /// `t_hold` of the parameterised model.
    pub t_hold: Affine,
    /// `t_end` as its parts `t_send`, `t_net`, `t_recv`; none if they are not measured.
    pub parts: Option<[Affine; 3]>,
    /// Nodes and channels.
    pub node: NodeSeconds,
    /// LogP and LogGOPS; none if `t_end` is not measured.
    pub loggops: Option<LogGopsSeconds>,
    /// What was assumed because the data cannot tell, and what was set to zero.
    pub assumed: Vec<String>,
}

impl Parameters {
    /// The parameters that follow from `measurements`.
    ///
    /// # Errors
    /// If `t_end` or `t_hold` is measured at one size only, or neither is measured.
    pub fn of(measurements: &Measurements) -> Result<Self, FitError> {
        let fit = |what, samples: &[Sample]| match (CurveFit::of(samples), samples.first()) {
            (None, Some(&Sample { bytes, .. })) => {
                let files = measurements.file_names();
                Err(FitError {
                    place: None,
                    problem: format!(
                        "{files}: {what} is measured only at a size of {bytes} bytes, but a line needs two sizes"
                    ),
                    accepted: "rows of at least two sizes",
                    hint: "run the benchmark over its default range of sizes",
                })
            }
            (fit, _) => Ok(fit),
        };
        let end = fit("t_end", &measurements.t_end)?;
        let hold = fit("t_hold", &measurements.t_hold)?;
        let send = CurveFit::of(&measurements.t_send);
        let receive = CurveFit::of(&measurements.t_recv);
        let named = [("t_end", end), ("t_hold", hold), ("t_send", send), ("t_recv", receive)];
        let curves: Vec<(&str, CurveFit)> = named.into_iter().filter_map(|(name, fit)| Some((name, fit?))).collect();
        let mut assumed = measurements.assumed.clone();
        assumed.extend(curves.iter().flat_map(|(name, fit)| clamps(name, fit)));
        let lines = Lines { end, hold, overheads: send.zip(receive) };
        lines.derive(curves, assumed).ok_or_else(|| FitError {
            place: None,
            problem: format!("{}: no time between two processes is above zero", measurements.file_names()),
            accepted: "measured latencies or gaps",
            hint: "check that the file is complete",
        })
    }
}

/// What was set to zero in the lines that are used.
fn clamps(name: &str, fit: &CurveFit) -> Vec<String> {
    let segments =
        fit.change.map(|change| [(change.first, " of the first segment"), (change.last, " of the last segment")]);
    let used = std::iter::once((fit.whole, "")).chain(segments.into_iter().flatten());
    let clamped = used.filter_map(|(Fitted { clamped, .. }, of)| {
        let (what, was) = match clamped? {
            Clamped::Constant(was) => ("constant", format!("-{}", time_text(-was))),
            Clamped::PerByte(was) => ("slope", format!("-{} per byte", time_text(-was))),
        };
        Some(format!(
            "the {what} of {name}{of} is set to 0, because the least-squares value is {was} and times cannot be negative"
        ))
    });
    clamped.collect()
}

/// The lines of what was measured.
#[derive(Clone, Copy)]
struct Lines {
    end: Option<CurveFit>,
    hold: Option<CurveFit>,
    overheads: Option<(CurveFit, CurveFit)>,
}

impl Lines {
    /// None if neither `t_end` nor `t_hold` is measured.
    fn derive(&self, curves: Vec<(&'static str, CurveFit)>, mut assumed: Vec<String>) -> Option<Parameters> {
        let hold = self.hold.or(self.end)?;
        let t_hold = hold.whole.line;
        let Some(end) = self.end else {
            assumed.push(
                "t_end is not in these files, so the overheads of sends and receives and L are unknown".to_owned(),
            );
            let node = NodeSeconds { send: None, receive: None, hold: t_hold, channel_per_byte: t_hold.per_byte };
            return Some(Parameters { curves, t_end: None, t_hold, parts: None, node, loggops: None, assumed });
        };
        if self.hold.is_none() {
            assumed.push(
                "t_hold is not in these files and is set to t_end, which assumes that sends do not overlap; to determine it, \
                 add a bandwidth (osu_bw) measured on the same machine"
                    .to_owned(),
            );
        }
        let shares = self.shares(&end.whole.line, &t_hold, &mut assumed);
        let node = node(&shares, t_hold);
        let loggops = self.loggops(&end, &hold, &mut assumed);
        let parts = self.overheads.map(|_| shares);
        Some(Parameters { curves, t_end: Some(end.whole.line), t_hold, parts, node, loggops: Some(loggops), assumed })
    }

    /// `t_end` as `t_send`, `t_net`, `t_recv`.
    fn shares(&self, end: &Affine, hold: &Affine, assumed: &mut Vec<String>) -> [Affine; 3] {
        let (send, receive) = self.overheads.map_or_else(Default::default, |(s, r)| (s.whole.line, r.whole.line));
        let constant = Share::of(end.constant, [send.constant, receive.constant], 0.0);
        let per_byte = Share::of(end.per_byte, [send.per_byte, receive.per_byte], hold.per_byte.min(end.per_byte));
        for (share, what) in [(constant, "constants"), (per_byte, "slopes")] {
            if share.overlaps {
                assumed.push(format!(
                    "the {what} of t_send and t_recv add up to more than that of t_end, so they overlap the transfer; \
                     they are scaled down to keep the measured t_end"
                ));
            }
        }
        let line = |part: fn(&Share) -> f64| Affine { constant: part(&constant), per_byte: part(&per_byte) };
        [line(|share| share.send), line(|share| share.net), line(|share| share.receive)]
    }

    fn loggops(&self, end: &CurveFit, hold: &CurveFit, assumed: &mut Vec<String>) -> LogGopsSeconds {
        let small = |fit: &CurveFit| fit.short().at(1);
        let whole = small(end);
        let gap = small(hold);
        let share = Share::of(whole, self.overheads.map_or([0.0; 2], |(s, r)| [small(&s), small(&r)]), 0.0);
        let overhead = f64::midpoint(share.send, share.receive);
        let long = |fit: &CurveFit| fit.long().per_byte;
        let gap_per_byte = long(hold);
        let end_per_byte = long(end);
        let overhead_per_byte = self.overheads.map_or(0.0, |(s, r)| f64::midpoint(long(&s), long(&r)));
        match self.overheads {
            None => assumed.push(format!(
                "o is set to 0 and L to t_end at one byte, because these files do not determine them separately; any o up \
                 to {} is possible if L is reduced by 2o",
                time_text(gap.min(whole / 2.0))
            )),
            Some(_) => assumed.push("o is the mean of the overheads of both ends, at one byte".to_owned()),
        }
        let model = gap_per_byte.max(overhead_per_byte);
        if (model - end_per_byte).abs() > 0.1 * end_per_byte {
            assumed.push(format!(
                "a byte of a long message adds {} to t_end, but {} under LogGOPS, because its G is the slope of t_hold",
                time_text(end_per_byte),
                time_text(model)
            ));
        }
        if let Some(change) = end.change.filter(Change::is_handshake) {
            assumed.push(format!(
                "the rendezvous of messages longer than S takes {} more; no model has a parameter for this",
                time_text(change.last.line.constant - change.first.line.constant)
            ));
        }
        let latency = whole - 2.0 * overhead;
        let latency = if latency > 1e-9 * whole { latency } else { 0.0 };
        LogGopsSeconds { latency, overhead, gap, gap_per_byte, overhead_per_byte, eager: end.eager() }
    }
}

fn node([send, net, receive]: &[Affine; 3], hold: Affine) -> NodeSeconds {
    let channel_per_byte = net.per_byte.min(hold.per_byte);
    let send =
        Affine { constant: send.constant + net.constant, per_byte: send.per_byte + net.per_byte - channel_per_byte };
    NodeSeconds { send: Some(send), receive: Some(*receive), hold, channel_per_byte }
}

/// A whole as what its two ends take and what is left between them.
#[derive(Clone, Copy)]
struct Share {
    send: f64,
    net: f64,
    receive: f64,
    /// The ends were scaled down.
    overlaps: bool,
}

impl Share {
    /// `whole` without the two `ends`, or, if these exceed it, `between` and what that leaves for the ends.
    fn of(whole: f64, [send, receive]: [f64; 2], between: f64) -> Self {
        let net = whole - send - receive;
        if net >= -1e-9 * whole {
            return Self { send, net: net.max(0.0), receive, overlaps: false };
        }
        let scale = (whole - between) / (send + receive);
        Self { send: send * scale, net: between, receive: receive * scale, overlaps: true }
    }
}

/// A time in seconds as people read it, with four digits and a unit that a keyboard has: `1.499 us`.
pub fn time_text(seconds: f64) -> String {
    crate::units::time_text(seconds * 1e9).replace('µ', "u")
}
