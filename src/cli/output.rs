//! The files of a run, put in place: what `run` and `merge` have in common.

use super::source::Source;
use anyhow::{Context, Result};
use flitwise::figures::map_name;
use flitwise::output::{Folder, Manifest, RunInfo, Summary, SummaryCsv, TRACE, outputs, write_manifest};
use flitwise::report::REPORT;
use flitwise::scenario::Scenario;
use flitwise::sweep::{DetailFiles, Plan, Store, assemble};
use std::ffi::OsString;
use std::path::Path;

/// The largest number of traces that are named.
const NAMED_TRACES: usize = 8;

/// The files that a run of `plan` leaves, as people read them.
pub(super) fn names(plan: &Plan) -> Vec<&str> {
    let mut names: Vec<&str> = plan.files.iter().map(|(name, _)| name.as_str()).collect();
    // as people read them: the tables first, the manifest last
    names.insert(names.len().min(1), SummaryCsv::NAME);
    names.push(Manifest::NAME);
    names
}

/// The plan of `scenario`, whose manifest also tells in which folder the files are that the scenario names.
pub(super) fn planned(scenario: &Scenario, source: &Source, kept: DetailFiles) -> Result<Plan> {
    let mut plan = Plan::new(scenario, kept)?;
    let file = source.scenario.as_deref().filter(|_| !source.is_standard_input());
    let beside = file.and_then(Path::parent).filter(|folder| !folder.as_os_str().is_empty());
    let folder = std::path::absolute(beside.unwrap_or(Path::new(".")))?;
    plan.manifest["folder"] = folder.display().to_string().into();
    Ok(plan)
}

/// Puts the files together from the journals of `store`, and in place: all of them or none.
pub(super) fn publish(plan: &Plan, store: &mut Store, ran: RunInfo) -> Result<Vec<Summary>> {
    let target = store.folder().to_owned();
    let kept = || {
        let target = target.display();
        format!("no file was written to {target}; all rows are in its journal, and --resume writes the files")
    };
    let mut write = || -> Result<Vec<Summary>> {
        let folder = Folder::open(&target)?;
        let summaries = assemble(plan, store, &folder)?;
        let mut manifest = folder.output(Manifest::NAME)?;
        write_manifest(&mut manifest, &plan.manifest, ran)?;
        Folder::close(manifest)?;
        let names = names(plan);
        // what was made of an earlier run; it is made again when the tables are there
        let mut made = vec![format!("{}.svg", plan.labels.name), map_name(&plan.labels.name), REPORT.to_owned()];
        made.extend(traces_in(&target)?);
        let all = outputs().into_iter().chain(made.iter().map(String::as_str));
        let stale: Vec<&str> = all.filter(|name| !names.contains(name)).collect();
        folder.commit(&names, &stale)?;
        Ok(summaries)
    };
    write().with_context(kept)
}

/// The names of the traces in `folder`.
fn traces_in(folder: &Path) -> std::io::Result<Vec<String>> {
    let mut names = Vec::new();
    for entry in std::fs::read_dir(folder)? {
        let name = entry?.file_name();
        names.extend(name.to_str().filter(|name| name.ends_with(TRACE)).map(str::to_owned));
    }
    Ok(names)
}

/// Says what was written, the files that were `made` of it included.
pub(super) fn announce(folder: &Path, plan: &Plan, made: &[String]) -> String {
    let (traces, others): (Vec<&String>, Vec<&String>) = made.iter().partition(|name| name.ends_with(TRACE));
    let count = format!("{} traces (*{TRACE})", traces.len());
    let mut names: Vec<&str> = names(plan).into_iter().chain(others.into_iter().map(String::as_str)).collect();
    match traces.len() {
        0..=NAMED_TRACES => names.extend(traces.into_iter().map(String::as_str)),
        _ => names.push(&count),
    }
    format!("Written to {}: {}\n", folder.display(), names.join(", "))
}

/// A command as a shell reads it.
#[expect(clippy::expect_used, reason = "quoting has no other error than the one that is switched off")]
pub(super) fn quoted(words: impl IntoIterator<Item = OsString>) -> String {
    let words: Vec<String> = words.into_iter().map(|word| word.to_string_lossy().into_owned()).collect();
    let quoter = shlex::Quoter::new().allow_nul(true);
    quoter.join(words.iter().map(String::as_str)).expect("only NUL could be refused")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_are_quoted_for_a_shell() {
        let words = ["flitwise", "--set", "a=[1, 2]", "it's", "", "$HOME/a b"];
        let command = quoted(words.map(OsString::from));
        assert_eq!(command, r#"flitwise --set 'a=[1, 2]' "it's" '' '$HOME/a b'"#);
        assert_eq!(shlex::split(&command), Some(words.map(str::to_owned).to_vec()));
    }
}
