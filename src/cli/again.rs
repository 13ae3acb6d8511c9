//! Results that the output directory of a run has already: reused, completed, moved aside, or refused.

use super::Usage;
use super::output::names;
use super::status::{journal_shards, number_of_shards};
use super::ui::Ui;
use anyhow::{Context, Result};
use flitwise::kind::words::counted;
use flitwise::output::Manifest;
use flitwise::sweep::{Plan, Shard, Store, StoreError, backup_of, has_outputs, journals, set_aside};
use serde_json::Value;
use std::path::Path;

/// Results in an output directory, compared with the run that is about to write it.
pub(super) enum Existing {
    /// No results, or none that a new run would lose.
    Nothing,
    /// All rows of the run and its files.
    Complete(Box<Store>),
    /// All rows of the run, and files that have to be written again, for the reason given.
    Rows(String),
}

/// Results that do not belong to a plan.
const OTHERS: &str = "of another scenario";

/// Compares the results in `directory` with `plan`. Results of another scenario are moved aside and reported on `ui`.
///
/// # Errors
/// Returns an error if the results are incomplete, or belong to another scenario and cannot be moved aside.
pub(super) fn existing(ui: &Ui, directory: &Path, plan: &Plan, shard: Shard) -> Result<Existing> {
    let has_no_journal = journals(directory).map_or(true, |journals| journals.is_empty());
    if has_no_journal {
        if shard.is_whole() && has_outputs(directory) {
            move_aside(ui, directory, &["their scenario is not recorded".to_owned()])?;
        }
        return Ok(Existing::Nothing);
    }
    match Store::to_read(directory, plan) {
        Ok(store) => compare(store, directory, plan, shard),
        Err(StoreError::Changed { differences, .. }) if shard.is_whole() => {
            move_aside(ui, directory, &differences)?;
            Ok(Existing::Nothing)
        }
        // opening it to write reports the error, unless no row is done
        Err(_) => Ok(Existing::Nothing),
    }
}

fn move_aside(ui: &Ui, directory: &Path, differences: &[String]) -> Result<()> {
    let replaces = if backup_of(directory).exists() { ", replacing the results there" } else { "" };
    let Some(backup) = set_aside(directory, differences)? else { return Ok(()) };
    let (place, backup) = (directory.display(), backup.display());
    // an option is not part of the scenario
    let others = if differences.iter().all(|text| text.starts_with("`--")) { "with other options" } else { OTHERS };
    let differences = differences.join("; ");
    ui.note(&format!("{place} held results {others} ({differences}): moved to {backup}{replaces}"));
    Ok(())
}

fn compare(store: Store, directory: &Path, plan: &Plan, shard: Shard) -> Result<Existing> {
    let share = shard.share(&plan.units);
    let rows = |units: &mut dyn Iterator<Item = usize>| units.map(|unit| plan.units[unit].rows).sum::<u64>();
    let all = rows(&mut share.iter().copied());
    let done = rows(&mut share.iter().copied().filter(|&unit| store.has(unit)));
    if done == 0 {
        return Ok(Existing::Nothing);
    }
    if done < all {
        refuse_other_division(directory, shard)?;
        let rows = counted(all, "row");
        let advice = "--resume continues, --force starts again";
        return Err(Usage(format!("{} is incomplete: {done} of {rows} are done; {advice}", directory.display())).into());
    }
    if !shard.is_whole() {
        return Ok(Existing::Complete(Box::new(store)));
    }
    if let Some(missing) = names(plan).into_iter().find(|name| !directory.join(name).is_file()) {
        return Ok(Existing::Rows(format!("{missing} is missing")));
    }
    Ok(match manifest_difference(directory, plan)? {
        Some(difference) => Existing::Rows(difference),
        None => Existing::Complete(Box::new(store)),
    })
}

/// Refuses a shard of a sweep that is divided into another number of parts in `directory`.
fn refuse_other_division(directory: &Path, shard: Shard) -> Result<(), Usage> {
    let count =
        number_of_shards(journal_shards(directory).iter()).filter(|count| !shard.is_whole() && *count != shard.of());
    let Some(count) = count else { return Ok(()) };
    let (place, wanted) = (directory.display(), shard.of());
    Err(Usage(format!(
        "{place} has shards of a sweep in {count} parts, not {wanted}; --shard I/{count} continues it, --out writes elsewhere"
    )))
}

/// Returns how the manifest in `directory` differs from that of `plan`, which has the same rows.
fn manifest_difference(directory: &Path, plan: &Plan) -> Result<Option<String>> {
    let path = directory.join(Manifest::NAME);
    let text = std::fs::read(&path).with_context(|| format!("cannot read {}", path.display()))?;
    let Ok(before) = serde_json::from_slice::<Value>(&text) else {
        return Ok(Some(format!("{} is damaged", Manifest::NAME)));
    };
    if before["hash"] == plan.manifest["hash"] {
        return Ok(None);
    }
    let was = tick(&before);
    let is = tick(&plan.manifest);
    Ok(Some(if was == is {
        "a key that does not affect rows has changed".to_owned()
    } else {
        format!("`tick` was {was} and is now {is}")
    }))
}

/// The tick of `manifest`, as text.
fn tick(manifest: &Value) -> String {
    manifest["tick"].as_str().map_or("not set".to_owned(), |tick| format!("\"{tick}\""))
}
