//! Parameters from measurements as commented TOML with units, to paste into a scenario.

mod residuals;
mod values;

use super::text::{ranges, wrapped};
use crate::fit::{Affine, Change, Fitted, LogGopsSeconds, Measurements, NodeSeconds, Origin, Parameters, time_text};
use crate::kind::words::counted;
use crate::scenario::Tick;
use values::{Assignment, TomlValue, Values, size};

/// Skipped lines of a file that are listed.
const LISTED: usize = 10;
/// Columns of a comment.
const WIDTH: usize = 110;

/// A time has more ticks than a scenario takes.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "`{key}` is {time}, too many ticks of {tick}\n  accepted: at most {most} ticks\n  hint: use a longer tick, such as \
     --tick 1us"
)]
#[non_exhaustive]
pub struct TooLong {
    /// Key of the scenario.
    pub key: String,
    /// Time with its unit.
    pub time: String,
    /// Length of a tick, as it is written.
    pub tick: String,
    /// The largest number of ticks that is accepted.
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

/// `parameters` as TOML: `[node]`, `[channel]` and `[model.*]` as far as the measurements allow, with units. Times are whole
/// ticks of `tick`, which is written unless it is 1 ps, and a flit has `flit_bytes` bytes. With a `model` chosen it is a machine
/// that scenarios can include. Without a `model` it has every model, to choose from. Comments list the lines of the files that
/// were used, the residuals at each size, the assumptions, and the values that lose more than 1 % when they are rounded to
/// ticks.
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
    let mut page = Page { text: String::new(), values: Values::new(tick, flit_bytes), prefix: "" };
    page.comment(match model {
        None => "Parameters fitted to measurements by `flitwise fit`. Copy the tables that you need into a scenario.",
        Some(_) => {
            "A machine fitted to measurements by `flitwise fit`. Scenarios include it with include = \"machine.toml\"."
        }
    });
    page.line("#");
    measurements.origins.iter().for_each(|origin| page.origin(origin));
    page.curves(parameters);
    let (title, table) = residuals::residuals(measurements, parameters);
    page.comment(&title);
    table.iter().for_each(|line| page.line(&format!("# {line}")));
    page.line("#");
    if !parameters.assumed.is_empty() {
        page.comment("Assumptions about values that are not in the data, and corrections:");
        parameters.assumed.iter().for_each(|assumed| page.comment(&format!("- {assumed}")));
        page.line("#");
    }
    page.tick();
    page.node(&parameters.node)?;
    match (&parameters.t_end, &parameters.loggops) {
        (Some(t_end), Some(loggops)) => {
            page.line("");
            if model.is_none() {
                let one = "A scenario accepts only one table [model.*]. Keep one of these. Without any, the model follows from [node].";
                page.comment(one);
            }
            let is_chosen = |table| model.is_none_or(|chosen| chosen == table);
            if is_chosen(ModelTable::Parameterised) {
                page.parameterised(parameters, t_end)?;
            }
            if is_chosen(ModelTable::LogP) {
                page.logp(loggops, model.is_none())?;
            }
            if is_chosen(ModelTable::LogGops) {
                page.loggops(loggops, model.is_none())?;
            }
        }
        _ => {
            page.line("");
            page.comment(
                "No [model.*]: each requires t_end. Add a latency measurement (osu_latency) of the same machine.",
            );
        }
    }
    Ok(page.text)
}

struct Page<'a> {
    text: String,
    values: Values<'a>,
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
        self.comment(&format!(
            "{}: {}; {} used (lines {lines})",
            origin.name,
            origin.recognised,
            counted(rows as u64, "row")
        ));
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
            "Fitted lines (least squares of the relative error, m in bytes). A residual is the difference between a line and the measured time:",
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
        let cause = if change.is_handshake() { "as with a rendezvous" } else { "too little for a rendezvous" };
        self.comment(&format!("  two lines fit much better, with a change after {after} bytes;"));
        self.comment(&format!("  the constant changes by {rise}, {cause}:"));
        self.fitted("up to this size:", "    ", &change.first);
        self.fitted("above this size:", "    ", &change.last);
    }

    /// A line, what it was fitted to and how well.
    fn fitted(&mut self, what: &str, indent: &str, fit: &Fitted) {
        let Affine { constant, per_byte } = fit.line;
        let ((from, to), rows) = (fit.bytes, fit.rows);
        let (constant, per_byte) = (time_text(constant), time_text(per_byte));
        self.comment(&format!("{indent}{what} {constant} + {per_byte} m, from {rows} rows of {from} to {to} bytes"));
        let (residual, worst) = (percent(fit.residual), percent(fit.worst));
        let residual = residual.trim_start_matches('+');
        let size = counted(fit.worst_bytes, "byte");
        self.comment(&format!("{indent}  residual {residual} (root mean square), largest {worst} at {size}"));
    }

    fn tick(&mut self) {
        let tick = self.values.tick_text();
        if self.values.has_default_tick() {
            self.comment(&format!("Times are whole ticks of {tick}, the default of scenarios with units."));
        } else {
            self.comment(&format!("Times are whole ticks of {tick}."));
            self.line(&format!("tick = \"{tick}\""));
        }
    }

    fn node(&mut self, node: &NodeSeconds) -> Result<(), TooLong> {
        self.line("\n[node]");
        if let (Some(send), Some(receive)) = (&node.send, &node.receive) {
            self.comment("send_setup includes L, because [network.*] has no key for a latency per message");
            self.node_pair("send", send)?;
            self.node_pair("receive", receive)?;
        } else {
            self.comment("send_* and receive_* are not in the data; their default is 0");
        }
        self.node_pair("hold", &node.hold)?;
        self.line("\n[channel]");
        self.line(&format!("flit_bytes = {}", self.values.flit_bytes));
        let channel = self.values.channel(node.channel_per_byte)?;
        self.assign(&channel);
        Ok(())
    }

    /// The keys of `[node]` for a line: the time of each message, and that of a byte.
    fn node_pair(&mut self, name: &str, line: &Affine) -> Result<(), TooLong> {
        self.time(&format!("{name}_setup"), line.constant)?;
        let per_byte = self.values.per_byte(name, line.per_byte)?;
        self.assign(&per_byte);
        Ok(())
    }

    fn parameterised(&mut self, parameters: &Parameters, t_end: &Affine) -> Result<(), TooLong> {
        self.line("[model.parameterised]");
        if parameters.curves.iter().any(|(_, fit)| fit.change.is_some()) {
            self.comment("one line for all lengths; use --from and --to to fit the lengths on one side of a change");
        }
        self.model_pair("t_hold", &parameters.t_hold)?;
        self.model_pair("t_end", t_end)?;
        if let Some([send, net, receive]) = &parameters.parts {
            self.comment("or, instead of t_end, its parts:");
            self.prefix = "# ";
            self.model_pair("t_send", send)?;
            self.model_pair("t_net", net)?;
            self.model_pair("t_recv", receive)?;
            self.prefix = "";
        }
        Ok(())
    }

    /// The keys of `[model.parameterised]` for a line: the time of each message, and that of a flit.
    fn model_pair(&mut self, name: &str, line: &Affine) -> Result<(), TooLong> {
        self.time(name, line.constant)?;
        let key = format!("{name}_per_flit");
        let value = self.values.per_flit(&key, line.per_byte)?;
        self.assign(&Assignment { key, value });
        Ok(())
    }

    fn logp(&mut self, logp: &LogGopsSeconds, spaced: bool) -> Result<(), TooLong> {
        self.line(if spaced { "\n[model.logp]" } else { "[model.logp]" });
        for (key, seconds) in [("L", logp.latency), ("o", logp.overhead), ("g", logp.gap)] {
            self.time(key, seconds)?;
        }
        Ok(())
    }

    fn loggops(&mut self, loggops: &LogGopsSeconds, spaced: bool) -> Result<(), TooLong> {
        let LogGopsSeconds { latency, overhead, gap, gap_per_byte, overhead_per_byte, eager } = *loggops;
        self.line(if spaced { "\n[model.loggops]" } else { "[model.loggops]" });
        self.comment("G and O are times per byte; for lengths in flits they are converted to times per flit");
        for (key, seconds) in [("L", latency), ("o", overhead), ("g", gap)] {
            self.time(key, seconds)?;
        }
        // the unit of G says that both are per byte, so that it has one even if it is 0
        let mut value = self.values.time("G", gap_per_byte)?;
        if value.text == "0" {
            "\"0ps\"".clone_into(&mut value.text);
        }
        self.assign(&Assignment { key: "G".to_owned(), value });
        self.time("O", overhead_per_byte)?;
        let (text, note) = match eager {
            Some(bytes) => (size(bytes), "bytes; longer messages are sent after a rendezvous"),
            None => (i64::MAX.to_string(), "no rendezvous was found; every message is eager"),
        };
        let note = if text.starts_with('"') { note.trim_start_matches("bytes; ") } else { note }.to_owned();
        self.assign(&Assignment { key: "S".to_owned(), value: TomlValue { text, note } });
        Ok(())
    }

    fn time(&mut self, key: &str, seconds: f64) -> Result<(), TooLong> {
        let value = self.values.time(key, seconds)?;
        self.assign(&Assignment { key: key.to_owned(), value });
        Ok(())
    }

    fn assign(&mut self, Assignment { key, value: TomlValue { text, note } }: &Assignment) {
        let comment = if note.is_empty() { String::new() } else { format!("  # {note}") };
        self.line(&format!("{}{key} = {text}{comment}", self.prefix));
    }
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
