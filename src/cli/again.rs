//! A run whose output is there already: whether anything is left to do, and if not, what came out.

use super::Usage;
use super::output::names;
use anyhow::{Context, Result};
use flitwise::kind::words::counted;
use flitwise::output::Manifest;
use flitwise::sweep::{Plan, Shard, Store, StoreError, journals};
use serde_json::Value;
use std::path::Path;

/// The output in `folder`, if it is complete and of the same `plan`: the same scenario, files, version and flags. None if
/// there is nothing to go on with.
///
/// # Errors
/// If it is of something else, or not complete.
pub(super) fn unchanged(folder: &Path, plan: &Plan, shard: Shard) -> Result<Option<Store>> {
    if journals(folder).map_or(true, |journals| journals.is_empty()) {
        return Ok(None);
    }
    let store = match Store::to_read(folder, plan) {
        Ok(store) => store,
        // the run that opens it to write tells of this, unless no row of it is done
        Err(StoreError::Changed { journal, own, differences }) if !is_empty(&journal) => {
            return Err(StoreError::Changed { journal, own: own || shard.is_whole(), differences }.into());
        }
        Err(_) => return Ok(None),
    };
    let share = shard.share(&plan.units);
    let rows = |units: &mut dyn Iterator<Item = usize>| units.map(|unit| plan.units[unit].rows).sum::<u64>();
    let all = rows(&mut share.iter().copied());
    let done = rows(&mut share.iter().copied().filter(|&unit| store.has(unit)));
    if done == 0 {
        return Ok(None);
    }
    let place = folder.display();
    let advice = "--resume goes on with it, --force begins again";
    if done < all {
        let done = format!("{done} of {}", counted(all, "row"));
        return Err(Usage(format!("{place} is there and not complete: {done} are done; {advice}")).into());
    }
    if shard.is_whole() {
        if let Some(lack) = names(plan).into_iter().find(|name| !folder.join(name).is_file()) {
            return Err(Usage(format!("{place} has all rows, but no {lack}; {advice}")).into());
        }
        if let Some(difference) = told_otherwise(folder, plan)? {
            return Err(Usage(format!("{place} is there, and {difference}; no row depends on it; {advice}")).into());
        }
    }
    Ok(Some(store))
}

fn is_empty(journal: &Path) -> bool {
    flitwise::sweep::Contents::read(journal).is_ok_and(|contents| contents.rows() == 0)
}

/// How what the manifest in `folder` says differs from what is to be run, where that is nothing that rows depend on.
fn told_otherwise(folder: &Path, plan: &Plan) -> Result<Option<String>> {
    let path = folder.join(Manifest::NAME);
    let text = std::fs::read(&path).with_context(|| format!("cannot read {}", path.display()))?;
    let Ok(before) = serde_json::from_slice::<Value>(&text) else {
        return Ok(Some(format!("its {} is damaged", Manifest::NAME)));
    };
    if before["hash"] == plan.manifest["hash"] {
        return Ok(None);
    }
    let was = tick(&before);
    let is = tick(&plan.manifest);
    Ok(Some(if was == is {
        "its scenario is written otherwise".to_owned()
    } else {
        format!("`tick` was {was} and is {is}")
    }))
}

/// The tick that `manifest` gives, in words.
fn tick(manifest: &Value) -> String {
    manifest["tick"].as_str().map_or("not given".to_owned(), |tick| format!("\"{tick}\""))
}
