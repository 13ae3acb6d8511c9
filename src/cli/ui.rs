//! Standard output and error, colour and progress: the only place that talks to people.

use super::Told;
use anyhow::{Error, Result};
use flitwise::config::render;
use flitwise::scenario::LoadError;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::io::{IsTerminal, Write, stderr, stdout};
use std::time::Duration;

pub(super) struct Ui {
    colour: bool,
}

impl Ui {
    pub(super) fn new() -> Self {
        let wanted = std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty());
        Self { colour: wanted && stderr().is_terminal() }
    }

    pub(super) fn print(&self, text: &str) -> Result<()> {
        let mut out = stdout().lock();
        out.write_all(text.as_bytes())?;
        Ok(out.flush()?)
    }

    /// The width of the terminal, if standard output is one.
    pub(super) fn width(&self) -> Option<u16> {
        console::Term::stdout().size_checked().map(|(_, columns)| columns)
    }

    pub(super) fn error(&self, error: &Error) {
        let rejected = match error.downcast_ref::<LoadError>() {
            Some(LoadError::Rejected(rejected)) => Some(rejected),
            _ => error.downcast_ref::<Told>().map(|told| &told.shown),
        };
        let text = match rejected {
            Some(rejected) => render(&rejected.diagnostics, &rejected.sources, self.colour),
            None => {
                let causes: Vec<String> = error.chain().map(ToString::to_string).collect();
                format!("error: {}\n", without_repeats(&causes).join(": "))
            }
        };
        // nothing can be done if what went wrong cannot be told
        let _ = stderr().write_all(text.as_bytes());
    }

    pub(super) fn warn(&self, text: &str) {
        let _ = stderr().write_all(format!("warning: {text}\n").as_bytes());
    }

    pub(super) fn note(&self, text: &str) {
        let _ = stderr().write_all(format!("{text}\n").as_bytes());
    }

    /// A bar over `rows` rows that shows itself only on a terminal and only on runs that take a while.
    pub(super) fn progress(&self, rows: usize, quiet: bool) -> ProgressBar {
        let target = if quiet { ProgressDrawTarget::hidden() } else { ProgressDrawTarget::stderr_with_hz(5) };
        let bar = ProgressBar::with_draw_target(Some(rows as u64), target);
        let style = ProgressStyle::with_template("{wide_bar} {pos}/{len} rows, {elapsed} elapsed, {eta} left");
        bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
        if rows > 1 {
            bar.enable_steady_tick(Duration::from_millis(500));
        }
        bar
    }
}

/// Causes that the message before does not already contain.
fn without_repeats(causes: &[String]) -> Vec<&str> {
    let repeated = |at: usize| at > 0 && causes[..at].iter().any(|before| before.contains(&causes[at]));
    (0..causes.len()).filter(|&at| !repeated(at)).map(|at| causes[at].as_str()).collect()
}
