//! `flitwise list`.

use super::ui::Ui;
use super::{Usage, keys};
use anyhow::Result;
use clap::{Args, ValueEnum};
use flitwise::algorithm::traffic::PATTERNS;
use flitwise::engine::Engine;
use flitwise::forecast::METHODS;
use flitwise::kind::Algorithms;
use flitwise::machine::ROUTERS;
use flitwise::network::NETWORKS;
use flitwise::routing::relation::ROUTINGS;
use flitwise::workload::KINDS;

#[derive(Args)]
pub(super) struct List {
    /// What to list [default: everything]
    what: Option<What>,
    /// Of keys: those of one table, such as workload.mapping
    table: Option<String>,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum What {
    Algorithms,
    #[value(alias = "topologies")]
    Networks,
    Workloads,
    Models,
    Engines,
    Forecasters,
    Patterns,
    Routers,
    Keys,
}

impl List {
    pub(super) fn execute(&self, ui: &Ui) -> Result<()> {
        if let Some(table) = &self.table {
            return match self.what {
                Some(What::Keys) => ui.print(&keys::of_table(table, ui.width())?),
                _ => Err(Usage("only `flitwise list keys` takes a table".to_owned()).into()),
            };
        }
        let chosen: Vec<What> = What::value_variants()
            .iter()
            .copied()
            .filter(|what| self.what.is_none_or(|chosen| chosen == *what))
            .collect();
        let sections: Vec<String> = chosen.iter().map(|what| what.section(chosen.len() > 1, ui.width())).collect();
        ui.print(&sections.join("\n"))
    }
}

impl What {
    fn section(self, titled: bool, width: Option<u16>) -> String {
        let lines = match self {
            Self::Algorithms => {
                let all = KINDS.iter().filter_map(|kind| kind.algorithms);
                let section = |Algorithms { title, line }| format!("{title}:\n{}", columns((0..).map_while(line)));
                all.map(section).collect::<Vec<_>>().join("\n")
            }
            Self::Networks => columns(
                NETWORKS.iter().map(|kind| [kind.name.to_owned(), kind.keys_in_words(), kind.summary.to_owned()]),
            ),
            Self::Workloads => columns(choices("workload")),
            Self::Models => {
                let none = ["(none)", "what follows from the costs of nodes and channels"];
                columns(std::iter::once(none).chain(choices("model")))
            }
            Self::Engines => columns(Engine::ALL.map(|(_, name, what)| [name, what])),
            Self::Forecasters => columns(METHODS.iter().map(|method| [method.name, method.summary])),
            Self::Patterns => columns(PATTERNS.iter().map(|pattern| [pattern.name, pattern.what])),
            Self::Routers => {
                let routing = columns(ROUTINGS.iter().map(|routing| [routing.name(), routing.summary()]));
                format!(
                    "{}Their routing (router.routing):\n{routing}",
                    columns(ROUTERS.map(|(name, what)| [name, what]))
                )
            }
            Self::Keys => keys::of_all(width),
        };
        let title = match self {
            Self::Algorithms => "",
            Self::Networks => "Networks ([network.NAME]) and their keys:\n",
            Self::Workloads => "Workloads ([workload.NAME]):\n",
            Self::Models => "Models ([model.NAME]), which say what is predicted:\n",
            Self::Engines => "Engines (engine.kind):\n",
            Self::Forecasters => "Forecasters:\n",
            Self::Patterns => "Traffic patterns (workload.traffic.pattern):\n",
            Self::Routers => "Router models (router.model):\n",
            Self::Keys => "Keys of scenarios ([table], and what each key takes):\n",
        };
        if titled { format!("{title}{lines}") } else { lines }
    }
}

/// The tables of which exactly one stands in the table at `path`, and what they are.
fn choices(path: &str) -> Vec<[&'static str; 2]> {
    let tables = flitwise::scenario::tables();
    let keys = tables.iter().filter(|table| table.path == path).flat_map(|table| table.keys);
    keys.map(|key| [key.name, key.sentence]).collect()
}

/// Lines with their cells aligned in columns, indented by two.
fn columns<C: AsRef<str>, L: AsRef<[C]>>(lines: impl IntoIterator<Item = L>) -> String {
    let lines: Vec<L> = lines.into_iter().collect();
    let cells = |column: usize| lines.iter().filter_map(move |line| line.as_ref().get(column));
    let width = |column: usize| cells(column).map(|cell| cell.as_ref().chars().count()).max();
    let widths: Vec<usize> = (0..).map_while(width).collect();
    let line = |cells: &L| {
        let cells = cells.as_ref().iter().zip(&widths);
        let padded: Vec<String> = cells.map(|(cell, &width)| format!("{:width$}", cell.as_ref())).collect();
        format!("  {}\n", padded.join("  ").trim_end())
    };
    lines.iter().map(line).collect()
}
