//! `flitwise cite`.

use super::memory::Memory;
use super::ui::Ui;
use super::{Usage, examples};
use anyhow::Result;
use clap::Args;
use flitwise::algorithm::{broadcast, collective, exchange, mapping, multicast};
use flitwise::config::closest;
use flitwise::output::wrapped;
use flitwise::references::{ALL, Reference, SUBJECTS};
use flitwise::scenario::{Options, Scenario};
use std::path::Path;

/// The reference of flitwise itself.
const OWN: &str = "The flitwise authors. flitwise: flit-level simulation of collective communication. Version";

/// Width of the text in a file or a pipe.
const WIDTH: usize = 100;

#[derive(Args)]
#[command(after_help = examples::CITE)]
pub(super) struct Cite {
    /// Algorithm, network, routing, model, format or scenario file [default: everything, with flitwise itself]
    #[arg(value_name = "NAME")]
    name: Option<String>,
    /// Print BibTeX
    #[arg(long)]
    bibtex: bool,
}

/// Something that can be cited by a name.
struct Named {
    kind: &'static str,
    name: &'static str,
    references: &'static [Reference],
}

impl Cite {
    pub(super) fn execute(&self, ui: &Ui) -> Result<()> {
        let references = match &self.name {
            None => return ui.print(&self.everything(ui)),
            Some(file) if Path::new(file).is_file() => of_scenario(Path::new(file))?,
            Some(name) => of_name(name)?,
        };
        let text: Vec<String> = references.iter().map(|reference| self.entry(reference, ui)).collect();
        ui.print(&text.join("\n"))
    }

    fn entry(&self, reference: &Reference, ui: &Ui) -> String {
        if self.bibtex {
            return reference.bibtex();
        }
        let width = ui.width().map_or(WIDTH, usize::from);
        wrapped(&reference.to_string(), "", "  ", width)
    }

    fn everything(&self, ui: &Ui) -> String {
        let version = env!("CARGO_PKG_VERSION");
        let flitwise = match self.bibtex {
            true => format!(
                "@misc{{flitwise,\n  author = {{The flitwise authors}},\n  title = {{flitwise: flit-level simulation of \
                 collective communication}},\n  note = {{Version {version}}}\n}}\n"
            ),
            false => format!("{OWN} {version}, 2026.\n\n"),
        };
        let entries: Vec<String> = ALL.iter().map(|reference| self.entry(reference, ui)).collect();
        flitwise + &entries.join(if self.bibtex { "\n" } else { "" })
    }
}

/// All names that can be cited.
fn named() -> Vec<Named> {
    let mut named: Vec<Named> = Vec::new();
    let mut algorithm = |name, references| named.push(Named { kind: "algorithm", name, references });
    multicast::ALGORITHMS.iter().for_each(|one| algorithm(one.name, one.references));
    collective::ALGORITHMS.iter().for_each(|one| algorithm(one.name, one.references));
    exchange::ALGORITHMS.iter().for_each(|one| algorithm(one.name, one.references));
    broadcast::ALGORITHMS.iter().for_each(|one| algorithm(one.name, one.references));
    mapping::ALGORITHMS.iter().for_each(|one| algorithm(one.name, one.references));
    for subject in SUBJECTS {
        named.extend(subject.names.iter().map(|&name| Named {
            kind: subject.kind,
            name,
            references: subject.references,
        }));
    }
    named
}

/// Returns the references of everything called `name`, each once.
fn of_name(name: &str) -> Result<Vec<Reference>> {
    let named = named();
    let mut references: Vec<Reference> = Vec::new();
    for one in named.iter().filter(|one| one.name == name) {
        references.extend(
            one.references.iter().filter(|reference| !references.contains(reference)).copied().collect::<Vec<_>>(),
        );
    }
    if references.is_empty() {
        let meant = closest(name, named.iter().map(|one| one.name));
        let hint = meant.map_or_else(String::new, |meant| format!("; did you mean `{meant}`?"));
        let mut kinds: Vec<&str> = named.iter().map(|one| one.kind).collect();
        kinds.dedup();
        let accepted = format!("accepted: a scenario file, or a name of one of these kinds: {}", kinds.join(", "));
        let title = format!("there is no file `{name}`, and no entry with references is called `{name}`");
        return Err(Usage(format!("{title}{hint}\n{accepted}")).into());
    }
    Ok(references)
}

/// Returns the references that the figure of a scenario cites, then those of its algorithms.
fn of_scenario(file: &Path) -> Result<Vec<Reference>> {
    let options = Options { memory: Some(Memory::default().limit()), ..Options::default() };
    let scenario = Scenario::load(file, &options)?;
    let mut references: Vec<Reference> =
        scenario.figure.iter().flat_map(|figure| figure.cites.iter().copied()).collect();
    let named = named();
    let algorithms = scenario.points.iter().flat_map(|point| point.experiment.workload.variants());
    for name in algorithms {
        let cited = named.iter().filter(|one| one.name == name).flat_map(|one| one.references);
        references.extend(cited.filter(|reference| !references.contains(reference)).copied().collect::<Vec<_>>());
    }
    let mut seen: Vec<&str> = Vec::new();
    references.retain(|reference| {
        let is_new = !seen.contains(&reference.key);
        seen.push(reference.key);
        is_new
    });
    if references.is_empty() {
        return Err(Usage(format!("the figure and the algorithms of {} have no references", file.display())).into());
    }
    Ok(references)
}
