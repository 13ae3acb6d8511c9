//! Standard output and error, colour and progress: the only place that talks to people.

use super::signals::Interrupts;
use anyhow::{Error, Result};
use flitwise::config::render;
use flitwise::scenario::LoadError;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::io::{IsTerminal, Write, stderr, stdout};

pub(super) struct Ui {
    colour: bool,
    interrupts: Interrupts,
}

impl Ui {
    pub(super) fn new(interrupts: Interrupts) -> Self {
        let wanted = std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty());
        Self { colour: wanted && stderr().is_terminal(), interrupts }
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
        let text = match error.downcast_ref::<LoadError>() {
            Some(LoadError::Rejected(rejected)) => render(&rejected.diagnostics, &rejected.sources, self.colour),
            _ => {
                let causes: Vec<String> = error.chain().map(ToString::to_string).collect();
                format!("error: {}\n", without_repeats(&causes).join(": "))
            }
        };
        // nothing can be done if nobody reads what went wrong
        let _ = stderr().write_all(text.as_bytes());
    }

    pub(super) fn warn(&self, text: &str) {
        let _ = stderr().write_all(format!("warning: {text}\n").as_bytes());
    }

    pub(super) fn note(&self, text: &str) {
        let _ = stderr().write_all(format!("{text}\n").as_bytes());
    }

    /// A bar of a thousand parts that shows itself only on a terminal.
    pub(super) fn bar(&self) -> ProgressBar {
        let bar = ProgressBar::with_draw_target(Some(1000), ProgressDrawTarget::stderr_with_hz(5));
        let style = ProgressStyle::with_template("{wide_bar} {msg}");
        bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
        bar
    }

    /// What signals do.
    pub(super) fn interrupts(&self) -> &Interrupts {
        &self.interrupts
    }
}

/// Causes that the message before does not already contain.
fn without_repeats(causes: &[String]) -> Vec<&str> {
    let repeated = |at: usize| at > 0 && causes[..at].iter().any(|before| before.contains(&causes[at]));
    (0..causes.len()).filter(|&at| !repeated(at)).map(|at| causes[at].as_str()).collect()
}
