//! `flitwise guide`.

use super::Usage;
use super::examples;
use super::ui::Ui;
use anyhow::Result;
use clap::builder::{PossibleValue, TypedValueParser};
use clap::{Arg, Args, Command, Error};
use flitwise::config::closest;
use flitwise::guide::{Topic, list, search_in_terminal, topics};
use std::ffi::OsStr;

#[derive(Args)]
#[command(after_help = examples::GUIDE)]
pub(super) struct Guide {
    /// A page, or words to search for in all pages [default: list the pages]
    #[arg(value_name = "PAGE|WORD", value_parser = Words, hide_possible_values = true)]
    words: Vec<String>,
}

/// Any words. Names of pages are completed.
#[derive(Clone)]
struct Words;

impl TypedValueParser for Words {
    type Value = String;

    fn parse_ref(&self, _: &Command, _: Option<&Arg>, value: &OsStr) -> Result<String, Error> {
        Ok(value.to_string_lossy().into_owned())
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue> + '_>> {
        Some(Box::new(topics().map(|topic| PossibleValue::new(topic.name).help(topic.summary).aliases(topic.also))))
    }
}

impl Guide {
    pub(super) fn execute(&self, ui: &Ui) -> Result<()> {
        let width = ui.width().map_or(100, usize::from).clamp(40, 100);
        let words = self.words.join(" ");
        let text = match Topic::named(&words).or_else(|| Topic::named(&words.to_lowercase())) {
            _ if self.words.is_empty() => {
                list() + "`flitwise guide PAGE` shows a page, `flitwise guide WORD` the sections that contain a word.\n"
            }
            Some(topic) => topic.in_terminal(width),
            None => {
                let found = search_in_terminal(&words, width).ok_or_else(|| not_found(&words))?;
                found + "`flitwise guide PAGE` shows a page.\n"
            }
        };
        ui.print(&text)
    }
}

fn not_found(words: &str) -> Usage {
    let names = topics().flat_map(|topic| std::iter::once(topic.name).chain(topic.also.iter().copied()));
    let meant = closest(words, names).map(|name| format!("; did you mean `{name}`?"));
    Usage(format!(
        "no page of the guide contains `{words}`{}\n`flitwise guide` lists the pages",
        meant.unwrap_or_default()
    ))
}
