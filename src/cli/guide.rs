//! `flitwise guide`.

use super::Usage;
use super::examples;
use super::ui::Ui;
use anyhow::Result;
use clap::builder::{PossibleValue, TypedValueParser};
use clap::{Arg, Args, Command, Error};
use flitwise::config::closest;
use flitwise::guide::{GROUPS, Passage, Topic, search, topics};
use flitwise::output::wrapped;
use std::ffi::OsStr;

#[derive(Args)]
#[command(after_help = examples::GUIDE)]
pub(super) struct Guide {
    /// A page, or words to search for in all pages [default: list the pages]
    #[arg(value_name = "PAGE|WORD", value_parser = Words, hide_possible_values = true)]
    words: Vec<String>,
}

/// The most sections that a search prints.
const MOST_PASSAGES: usize = 25;

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
        let text = match Topic::named(&words) {
            _ if self.words.is_empty() => list(),
            Some(topic) => topic.in_terminal(width),
            None => found(&words, width)?,
        };
        ui.print(&text)
    }
}

fn list() -> String {
    let width = topics().map(|topic| topic.name.len()).max().unwrap_or(0);
    let line = |topic: &Topic| format!("  {:width$}  {}\n", topic.name, topic.summary);
    let group = |title: &str, topics: &[Topic]| format!("{title}:\n{}", topics.iter().map(line).collect::<String>());
    let groups: String = GROUPS.iter().map(|one| group(one.title, one.topics) + "\n").collect();
    format!("{groups}`flitwise guide PAGE` shows a page, `flitwise guide WORD` the sections that contain a word.\n")
}

/// The sections that contain `words`.
fn found(words: &str, width: usize) -> Result<String> {
    let passages = search(words);
    if passages.is_empty() {
        let names = topics().flat_map(|topic| std::iter::once(topic.name).chain(topic.also.iter().copied()));
        let meant = closest(words, names).map(|name| format!("; did you mean `{name}`?"));
        return Err(Usage(format!("no guide contains `{words}`{}", meant.unwrap_or_default())).into());
    }
    let shown = &passages[..passages.len().min(MOST_PASSAGES)];
    let mut text: String = shown.iter().map(|passage| section(passage, width)).collect();
    if passages.len() > shown.len() {
        text += &format!("and {} more sections\n\n", passages.len() - shown.len());
    }
    Ok(text + "`flitwise guide PAGE` shows a page.\n")
}

fn section(passage: &Passage, width: usize) -> String {
    let heading = if passage.heading.is_empty() { String::new() } else { format!(": {}", passage.heading) };
    format!("{}{heading}\n{}\n", passage.topic.name, wrapped(&passage.text, "    ", "    ", width))
}
