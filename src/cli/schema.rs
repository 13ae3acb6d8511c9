//! `flitwise schema`.

use super::ui::Ui;
use anyhow::Result;
use clap::Args;

/// Without arguments: there is one schema.
#[derive(Args)]
pub(super) struct Schema {}

impl Schema {
    pub(super) fn execute(&self, ui: &Ui) -> Result<()> {
        let schema = flitwise::scenario::schema();
        ui.print(&format!("{}\n", serde_json::to_string_pretty(&schema)?))
    }
}
