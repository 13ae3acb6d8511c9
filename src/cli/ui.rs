//! Standard output and error, colour and progress: the only place that talks to people.

use super::Told;
use super::signals::Interrupts;
use anyhow::{Context, Error, Result};
use clap::ColorChoice;
use flitwise::config::{render, visible};
use flitwise::output::wrapped;
use flitwise::scenario::{LoadError, Scenario};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::ffi::OsString;
use std::io::{IsTerminal, Write, stderr, stdout};

pub(super) struct Ui {
    colour: bool,
    /// Whether standard output is a terminal that shows letters and signs of ASCII alone.
    ascii: bool,
    interrupts: Interrupts,
}

impl Ui {
    pub(super) fn new(colour: ColorChoice, interrupts: Interrupts) -> Self {
        let colour = match colour {
            ColorChoice::Always => true,
            ColorChoice::Never => false,
            ColorChoice::Auto => wants_colour(|name| std::env::var_os(name), stderr().is_terminal()),
        };
        let ascii = stdout().is_terminal() && !shows_utf8(|name| std::env::var_os(name));
        Self { colour, ascii, interrupts }
    }

    pub(super) fn print(&self, text: &str) -> Result<()> {
        let text = visible(text);
        let mut out = stdout().lock();
        let written = match self.ascii {
            true => out.write_all(in_ascii(&text).as_bytes()),
            false => out.write_all(text.as_bytes()),
        };
        written.and_then(|()| out.flush()).context("cannot write to standard output")
    }

    /// The width of the terminal, if standard output is one.
    pub(super) fn width(&self) -> Option<u16> {
        console::Term::stdout().size_checked().map(|(_, columns)| columns)
    }

    /// The lines of `text`, folded to the width of the terminal if standard output is one.
    pub(super) fn folded(&self, text: &str) -> String {
        match self.width() {
            Some(width) => text.lines().map(|line| wrapped(line, "", "  ", width.into())).collect(),
            None => text.to_owned(),
        }
    }

    /// Whether what is printed and what is warned of are read at the same place.
    pub(super) fn shows_both(&self) -> bool {
        stdout().is_terminal() && stderr().is_terminal()
    }

    pub(super) fn error(&self, error: &Error) {
        let rejected = match error.downcast_ref::<LoadError>() {
            Some(LoadError::Rejected(rejected)) => Some(rejected),
            _ => error.downcast_ref::<Told>().map(|told| &told.shown),
        };
        let text = match rejected {
            Some(rejected) => render(&rejected.diagnostics, &rejected.sources, self.colour),
            None => {
                let causes: Vec<String> = error.chain().map(|cause| without_code(&cause.to_string())).collect();
                format!("{}: {}\n", self.label("error", "91"), visible(&without_repeats(&causes).join(": ")))
            }
        };
        // nothing can be done if what went wrong cannot be told
        let _ = stderr().write_all(text.as_bytes());
    }

    pub(super) fn warn(&self, text: &str) {
        let _ = stderr().write_all(format!("{}: {}\n", self.label("warning", "33"), visible(text)).as_bytes());
    }

    /// `word` in bold and in a colour of terminals, if errors are coloured.
    fn label(&self, word: &str, colour: &str) -> String {
        if self.colour { format!("\u{1b}[1;{colour}m{word}\u{1b}[0m") } else { word.to_owned() }
    }

    pub(super) fn note(&self, text: &str) {
        let _ = stderr().write_all(format!("{}\n", visible(text)).as_bytes());
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

/// Prints the warnings about the machines of `scenario`, and a note for each old spelling of a key in it.
pub(super) fn warn_of_machines(ui: &Ui, scenario: &Scenario) -> Result<()> {
    let warnings = ui.interrupts().token().run(|| scenario.warnings())?;
    warnings.iter().for_each(|warning| ui.warn(warning));
    scenario.document.renamed.iter().for_each(|note| ui.note(&format!("note: {note}")));
    Ok(())
}

/// Whether errors are coloured where nothing is said: on terminals that can, unless `environment` says otherwise.
fn wants_colour(environment: impl Fn(&str) -> Option<OsString>, terminal: bool) -> bool {
    let says = |name: &str, value: &str| environment(name).is_some_and(|given| given == value);
    let given = |name: &str| environment(name).is_some_and(|given| !given.is_empty());
    if given("NO_COLOR") {
        false
    } else if given("CLICOLOR_FORCE") && !says("CLICOLOR_FORCE", "0") {
        true
    } else {
        terminal && !says("CLICOLOR", "0") && !says("TERM", "dumb")
    }
}

/// Whether the locale is one of UTF-8, or none is set.
fn shows_utf8(environment: impl Fn(&str) -> Option<OsString>) -> bool {
    let set = |name: &&str| environment(name).filter(|value| !value.is_empty());
    let Some(locale) = ["LC_ALL", "LC_CTYPE", "LANG"].iter().find_map(set) else { return true };
    let locale = locale.to_string_lossy().to_lowercase();
    locale.contains("utf-8") || locale.contains("utf8")
}

/// `text` with as many letters and signs, those of tables in ASCII.
fn in_ascii(text: &str) -> String {
    let plain = |c: char| match c {
        '─' => '-',
        'µ' => 'u',
        '±' => '~',
        other => other,
    };
    text.chars().map(plain).collect()
}

/// `text` without the code of an error of the operating system at its end.
fn without_code(text: &str) -> String {
    match text.rsplit_once(" (os error ") {
        Some((message, code)) if code.ends_with(')') => message.to_owned(),
        _ => text.to_owned(),
    }
}

/// Causes that the message before does not already contain.
fn without_repeats(causes: &[String]) -> Vec<&str> {
    let repeated = |at: usize| at > 0 && causes[..at].iter().any(|before| before.contains(&causes[at]));
    (0..causes.len()).filter(|&at| !repeated(at)).map(|at| causes[at].as_str()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_locale_decides_about_lines_of_tables() {
        let shows = |variables: &[(&str, &str)]| {
            shows_utf8(|name| variables.iter().find(|(known, _)| *known == name).map(|(_, value)| value.into()))
        };
        assert!(shows(&[]) && shows(&[("LANG", "de_DE.UTF-8")]) && shows(&[("LC_ALL", ""), ("LANG", "C.utf8")]));
        assert!(!shows(&[("LANG", "C")]) && !shows(&[("LC_ALL", "POSIX"), ("LANG", "en_GB.UTF-8")]));
        assert_eq!(in_ascii("± 95 %\n──\n1 µs"), "~ 95 %\n--\n1 us");
    }

    #[test]
    fn the_environment_decides_about_colour() {
        let wants = |variables: &[(&str, &str)], terminal| {
            let find = |name: &str| variables.iter().find(|(known, _)| *known == name).map(|(_, value)| value.into());
            wants_colour(find, terminal)
        };
        assert!(wants(&[("TERM", "xterm"), ("NO_COLOR", "")], true));
        assert!(wants(&[("CLICOLOR_FORCE", "1"), ("TERM", "dumb")], false));
        for variables in [("NO_COLOR", "1"), ("TERM", "dumb"), ("CLICOLOR", "0")] {
            assert!(!wants(&[variables], true), "{variables:?}");
        }
        assert!(
            !wants(&[("CLICOLOR_FORCE", "0")], false) && !wants(&[("NO_COLOR", "1"), ("CLICOLOR_FORCE", "1")], true)
        );
    }
}
