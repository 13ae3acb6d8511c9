//! `flitwise man`: one page with all subcommands.

use super::Cli;
use super::ui::Ui;
use anyhow::Result;
use clap::{Args, Command, CommandFactory};
use clap_mangen::Man;

#[derive(Args)]
pub(super) struct Manual {}

impl Manual {
    pub(super) fn execute(&self, ui: &Ui) -> Result<()> {
        ui.print(&page()?)
    }
}

fn page() -> Result<String> {
    let mut command = Cli::command().disable_help_subcommand(true);
    command.build();
    let man = Man::new(command.clone()).manual("flitwise");
    let mut page = Vec::new();
    man.render_title(&mut page)?;
    man.render_name_section(&mut page)?;
    man.render_synopsis_section(&mut page)?;
    man.render_description_section(&mut page)?;
    man.render_options_section(&mut page)?;
    let mut text = String::from_utf8(page)?;
    for verb in command.get_subcommands() {
        text += &section(verb)?;
    }
    let mut rest = Vec::new();
    man.render_extra_section(&mut rest)?;
    man.render_version_section(&mut rest)?;
    Ok(text + &String::from_utf8(rest)?)
}

/// What a verb's own page would say, as a section.
fn section(verb: &Command) -> Result<String> {
    let man = Man::new(verb.clone());
    let mut parts = Vec::new();
    man.render_synopsis_section(&mut parts)?;
    man.render_description_section(&mut parts)?;
    man.render_options_section(&mut parts)?;
    man.render_extra_section(&mut parts)?;
    let parts = String::from_utf8(parts)?.replace(".SH ", ".SS ");
    Ok(format!(".SH \"FLITWISE {}\"\n{parts}", verb.get_name().to_uppercase()))
}
