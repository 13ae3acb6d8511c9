//! Parameters from measurements as commented TOML, to paste into a scenario.

use super::text::{ranges, wrapped};
use crate::fit::{Affine, Change, Fitted, LogGopsSeconds, Measurements, NodeSeconds, Origin, Parameters, time_text};
use crate::scenario::Tick;
use std::fmt::Write as _;

/// Skipped lines of a file that are listed.
const LISTED: usize = 10;
/// Columns of a comment.
const WIDTH: usize = 110;
/// The most ticks of a scenario's keys, and of its `channel.flit_time`.
const MOST: (u64, u64) = (1 << 40, 1 << 32);

/// A time has more ticks than a scenario takes.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "`{key}` is {time}, too many ticks of {tick}\n  accepted: at most {most} ticks\n  hint: take a longer tick, such as \
     --tick 1us"
)]
#[non_exhaustive]
pub struct TooLong {
    /// Of the scenario.
    pub key: String,
    /// With its unit.
    pub time: String,
    /// As written.
    pub tick: String,
    /// How many are accepted.
    pub most: u64,
}

/// A table `[model.*]`, of which a scenario takes one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ModelTable {
    /// `[model.parameterised]`.
    Parameterised,
    /// `[model.logp]`.
    LogP,
    /// `[model.loggops]`.
    LogGops,
}

/// `parameters` as TOML: `tick`, `[node]`, `[channel]` and `[model.*]` as far as the measurements allow, in ticks of
/// `tick` and flits of `flit_bytes` bytes. With a `model` chosen it is a machine that scenarios can include; without, it has
/// every model, to choose from. Comments say which lines of which files were used, how well they are fitted,
/// what was assumed, and which values lose more than 1 % when they are rounded to ticks.
///
/// # Errors
/// If a time has more ticks than a scenario takes.
pub fn fit_toml(
    measurements: &Measurements,
    parameters: &Parameters,
    tick: &Tick,
    flit_bytes: u64,
    model: Option<ModelTable>,
) -> Result<String, TooLong> {
    let mut page = Page { text: String::new(), tick, flit_bytes, prefix: "" };
    page.comment(match model {
        None => "Parameters from measurements by `flitwise fit`: paste the tables you need into a scenario.",
        Some(_) => {
            "A machine from measurements by `flitwise fit`: scenarios include it, as in include = \"machine.toml\"."
        }
    });
    page.line("#");
    measurements.origins.iter().for_each(|origin| page.origin(origin));
    page.curves(parameters);
    if !parameters.assumed.is_empty() {
        page.comment("Assumed, because the data cannot tell, and corrected:");
        parameters.assumed.iter().for_each(|assumed| page.comment(&format!("- {assumed}")));
        page.line("#");
    }
    let plural = if flit_bytes == 1 { "" } else { "s" };
    page.comment(&format!("Times are in ticks of {}; a flit is {flit_bytes} byte{plural}.", tick.text));
    page.line(&format!("tick = \"{}\"", tick.text));
    page.node(&parameters.node)?;
    match (&parameters.t_end, &parameters.loggops) {
        (Some(t_end), Some(loggops)) => {
            page.line("");
            if model.is_none() {
                let one =
                    "A scenario takes one [model.*]: keep the one you want, or none, to derive it from the nodes.";
                page.comment(one);
            }
            let wanted = |table| model.is_none_or(|chosen| chosen == table);
            if wanted(ModelTable::Parameterised) {
                page.parameterised(parameters, t_end)?;
            }
            if wanted(ModelTable::LogP) {
                page.logp(loggops, model.is_none())?;
            }
            if wanted(ModelTable::LogGops) {
                page.loggops(loggops, model.is_none())?;
            }
        }
        _ => {
            page.line("");
            page.comment("No [model.*]: each needs t_end. Give a latency of the same machine (osu_latency) too.");
        }
    }
    Ok(page.text)
}

struct Page<'a> {
    text: String,
    tick: &'a Tick,
    flit_bytes: u64,
    /// Before each key.
    prefix: &'static str,
}

impl Page<'_> {
    fn line(&mut self, line: &str) {
        self.text.push_str(line);
        self.text.push('\n');
    }

    /// A comment in as many lines as it needs, those after the first indented; `- ` and blanks in front are kept.
    fn comment(&mut self, text: &str) {
        let clean: String = text.chars().map(|c| if c.is_control() { '?' } else { c }).collect();
        let indent = " ".repeat(clean.len() - clean.trim_start().len());
        self.text += &wrapped(&clean, &format!("# {indent}"), &format!("# {indent}  "), WIDTH);
    }

    fn origin(&mut self, origin: &Origin) {
        let (rows, lines) = (origin.used.len(), ranges(&origin.used, ", "));
        self.comment(&format!("{}: {}; {rows} rows used (lines {lines})", origin.name, origin.recognised));
        for (line, why) in origin.skipped.iter().take(LISTED) {
            self.comment(&format!("  line {line} skipped: {why}"));
        }
        if origin.skipped.len() > LISTED {
            self.comment(&format!("  and {} more", origin.skipped.len() - LISTED));
        }
        self.line("#");
    }

    fn curves(&mut self, parameters: &Parameters) {
        self.comment(
            "Lines of least squares on the relative error, m in bytes; residuals are lines against measured times:",
        );
        for (name, fit) in &parameters.curves {
            self.fitted(&format!("{name}(m) ="), "", &fit.whole);
            if let Some(change) = &fit.change {
                self.change(change);
            }
        }
        self.line("#");
    }

    fn change(&mut self, change: &Change) {
        let (after, rise) = (change.after(), percent(change.rise()));
        let why = if change.is_handshake() { "as with a handshake" } else { "too little for a handshake" };
        self.comment(&format!("  two lines are much nearer, with a change after {after} bytes;"));
        self.comment(&format!("  the constant changes by {rise}, {why}:"));
        self.fitted("up to there", "    ", &change.first);
        self.fitted("and beyond", "    ", &change.last);
    }

    /// A line, what it was fitted to and how well.
    fn fitted(&mut self, what: &str, indent: &str, fit: &Fitted) {
        let Affine { constant, per_byte } = fit.line;
        let ((from, to), rows) = (fit.bytes, fit.rows);
        let (constant, per_byte) = (time_text(constant), time_text(per_byte));
        self.comment(&format!("{indent}{what} {constant} + {per_byte} m, from {rows} rows of {from} to {to} bytes"));
        let (residual, worst) = (percent(fit.residual), percent(fit.worst));
        let residual = residual.trim_start_matches('+');
        let at = fit.worst_bytes;
        self.comment(&format!("{indent}  residual {residual} (root mean square), largest {worst} at {at} bytes"));
    }

    fn node(&mut self, node: &NodeSeconds) -> Result<(), TooLong> {
        self.line("\n[node]");
        if let (Some(send), Some(receive)) = (&node.send, &node.receive) {
            self.comment("send_setup contains L, for which a scenario's network has no other place");
            self.pair(["send_setup", "send_per_flit"], send)?;
            self.pair(["receive_setup", "receive_per_flit"], receive)?;
        } else {
            self.comment("send_* and receive_* are not in the data; they are 0 unless you write them");
        }
        self.pair(["hold_setup", "hold_per_flit"], &node.hold)?;
        self.line("\n[channel]");
        let seconds = self.per_flit(node.channel_per_byte);
        self.key("flit_time", seconds, (1, MOST.1))
    }

    fn parameterised(&mut self, parameters: &Parameters, t_end: &Affine) -> Result<(), TooLong> {
        self.line("[model.parameterised]");
        if parameters.curves.iter().any(|(_, fit)| fit.change.is_some()) {
            self.comment("one line through everything; for lengths on one side of a change use --from and --to");
        }
        self.pair(["t_hold", "t_hold_per_flit"], &parameters.t_hold)?;
        self.pair(["t_end", "t_end_per_flit"], t_end)?;
        if let Some([send, net, receive]) = &parameters.parts {
            self.comment("or, instead of t_end, its parts:");
            self.prefix = "# ";
            self.pair(["t_send", "t_send_per_flit"], send)?;
            self.pair(["t_net", "t_net_per_flit"], net)?;
            self.pair(["t_recv", "t_recv_per_flit"], receive)?;
            self.prefix = "";
        }
        Ok(())
    }

    fn logp(&mut self, logp: &LogGopsSeconds, spaced: bool) -> Result<(), TooLong> {
        self.line(if spaced { "\n[model.logp]" } else { "[model.logp]" });
        for (key, seconds) in [("L", logp.latency), ("o", logp.overhead), ("g", logp.gap)] {
            self.key(key, seconds, (0, MOST.0))?;
        }
        Ok(())
    }

    fn loggops(&mut self, loggops: &LogGopsSeconds, spaced: bool) -> Result<(), TooLong> {
        let LogGopsSeconds { latency, overhead, gap, gap_per_byte, overhead_per_byte, eager } = *loggops;
        self.line(if spaced { "\n[model.loggops]" } else { "[model.loggops]" });
        self.comment("per byte, whatever a flit is: for lengths in bytes");
        let keys = [("L", latency), ("o", overhead), ("g", gap), ("G", gap_per_byte), ("O", overhead_per_byte)];
        for (key, seconds) in keys {
            self.key(key, seconds, (0, MOST.0))?;
        }
        match eager {
            Some(bytes) => self.line(&format!("S = {bytes}  # bytes; longer messages are sent after a handshake")),
            None => self.line(&format!("S = {}  # no handshake is seen: every message is eager", i64::MAX)),
        }
        Ok(())
    }

    /// The keys of a line: what does not depend on the length, and what a flit takes.
    fn pair(&mut self, [setup, per_flit]: [&str; 2], line: &Affine) -> Result<(), TooLong> {
        self.key(setup, line.constant, (0, MOST.0))?;
        self.key(per_flit, self.per_flit(line.per_byte), (0, MOST.0))
    }

    fn per_flit(&self, per_byte: f64) -> f64 {
        Affine { constant: 0.0, per_byte }.at(self.flit_bytes)
    }

    /// A key with its time rounded to ticks, of which it has at least and at most so many.
    fn key(&mut self, key: &str, seconds: f64, (least, most): (u64, u64)) -> Result<(), TooLong> {
        let exact = seconds * 1e9 / self.tick.nanoseconds;
        let ticks = rounded(exact).max(least);
        if ticks > most {
            let (key, time, tick) = (key.to_owned(), time_text(seconds), self.tick.text.clone());
            return Err(TooLong { key, time, tick, most });
        }
        let mut comment = if seconds > 0.0 { format!("  # {}", time_text(seconds)) } else { String::new() };
        let error = Affine { constant: -exact, per_byte: 1.0 }.at(ticks) / exact;
        if seconds <= 0.0 && ticks > 0 {
            comment = format!("  # 0, but it takes {least} at least");
        } else if seconds > 0.0 && error.abs() > 0.01 {
            let _ = write!(comment, ", {} by rounding: a shorter --tick is nearer", percent(error));
        }
        self.line(&format!("{}{key} = {ticks}{comment}", self.prefix));
        Ok(())
    }
}

#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "saturates, and is never negative")]
fn rounded(ticks: f64) -> u64 {
    ticks.round() as u64
}

fn percent(relative: f64) -> String {
    let percent = relative * 100.0;
    let digits = match percent.abs() {
        0.0..0.005 => return "0 %".to_owned(),
        0.005..10.0 => 2,
        10.0..100.0 => 1,
        _ => 0,
    };
    format!("{percent:+.digits$} %")
}
