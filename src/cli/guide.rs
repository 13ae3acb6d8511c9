//! `flitwise guide`.

use super::ui::Ui;
use anyhow::Result;
use clap::Args;
use clap::builder::{PossibleValue, PossibleValuesParser};
use flitwise::guide::{TOPICS, Topic};

#[derive(Args)]
#[command(after_help = "Examples:
  flitwise guide
  flitwise guide first-steps | less
  flitwise guide words")]
pub(super) struct Guide {
    /// What to read about [default: a list of what there is]
    #[arg(value_parser = topics(), hide_possible_values = true)]
    topic: Option<String>,
}

fn topics() -> PossibleValuesParser {
    TOPICS.iter().map(|topic| PossibleValue::new(topic.name).help(topic.summary).aliases(topic.also)).into()
}

impl Guide {
    pub(super) fn execute(&self, ui: &Ui) -> Result<()> {
        let topic = self.topic.as_deref().and_then(Topic::named);
        let width = ui.width().map_or(100, usize::from).clamp(40, 100);
        ui.print(&topic.map_or_else(list, |topic| topic.in_terminal(width)))
    }
}

fn list() -> String {
    let width = TOPICS.iter().map(|topic| topic.name.len()).max().unwrap_or(0);
    let lines: String = TOPICS.iter().map(|topic| format!("  {:width$}  {}\n", topic.name, topic.summary)).collect();
    format!("Guides, in the order in which they are best read:\n{lines}`flitwise guide TOPIC` shows one.\n")
}
