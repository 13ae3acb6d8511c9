//! `flitwise list`.

use super::ui::Ui;
use super::{Usage, energy, keys};
use anyhow::Result;
use clap::{Args, ValueEnum};
use flitwise::algorithm::traffic::PATTERNS;
use flitwise::booksim::{BooksimKey, Fate, KEYS as BOOKSIM_KEYS};
use flitwise::engine::Engine;
use flitwise::engine::router::{ALLOCATORS, ARBITERS};
use flitwise::forecast::METHODS;
use flitwise::forecast::series::KINDS as SERIES;
use flitwise::kind::{Algorithms, Kind};
use flitwise::machine::{PRESETS, ROUTERS};
use flitwise::network::NETWORKS;
use flitwise::output::wrapped;
use flitwise::routing::relation::ROUTINGS;
use flitwise::workload::KINDS;
use serde_json::{Map, Value, json};

#[derive(Args)]
pub(super) struct List {
    /// List to print [default: all lists]
    #[arg(value_name = "LIST")]
    what: Option<What>,
    /// Table whose keys are listed by `list keys`, such as workload.mapping
    table: Option<String>,
    /// Print JSON (fields are listed below)
    #[arg(long, conflicts_with = "table")]
    json: bool,
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
    Series,
    Patterns,
    Routers,
    Presets,
    Energy,
    Keys,
    BooksimKeys,
}

impl List {
    pub(super) fn execute(&self, ui: &Ui) -> Result<()> {
        if let Some(table) = &self.table {
            return match self.what {
                Some(What::Keys) => ui.print(&keys::of_table(table, ui.width())?),
                _ => Err(Usage("only `flitwise list keys` accepts a table".to_owned()).into()),
            };
        }
        let chosen: Vec<What> = What::value_variants()
            .iter()
            .copied()
            .filter(|what| self.what.is_none_or(|chosen| chosen == *what))
            .collect();
        if self.json {
            let lists: Result<Vec<_>> = chosen.iter().map(|what| what.json()).collect();
            let lists: Map<String, Value> = lists?.into_iter().flatten().collect();
            return ui.print(&format!("{:#}\n", Value::from(lists)));
        }
        let sections: Result<Vec<String>> =
            chosen.iter().map(|what| what.section(chosen.len() > 1, ui.width())).collect();
        ui.print(&sections?.join("\n"))
    }
}

/// A list with its title; each line has a name, perhaps a note, and a summary.
struct Listed {
    /// What JSON calls it.
    name: String,
    title: String,
    lines: Vec<Vec<String>>,
}

impl Listed {
    fn new<C: Into<String>, L: IntoIterator<Item = C>>(
        name: &str,
        title: &str,
        lines: impl IntoIterator<Item = L>,
    ) -> Self {
        let lines = lines.into_iter().map(|line| line.into_iter().map(Into::into).collect());
        Self { name: name.to_owned(), title: title.to_owned(), lines: lines.collect() }
    }

    /// The lines in columns, or one below the other if columns do not fit into the `width` of the terminal.
    fn text(&self, width: Option<u16>) -> String {
        let aligned = columns(&self.lines);
        let is_wide = |width: &usize| aligned.lines().any(|line| line.chars().count() > *width);
        match width.map(usize::from).filter(is_wide) {
            Some(width) => self.lines.iter().map(|line| stacked(line, width)).collect(),
            None => aligned,
        }
    }

    fn json(&self) -> (String, Value) {
        let element = |line: &Vec<String>| match line.as_slice() {
            [name, note, summary] => json!({ "name": name, "note": note, "summary": summary }),
            [name, rest @ ..] => json!({ "name": name, "summary": rest.join(" ") }),
            [] => Value::Null,
        };
        (self.name.clone(), self.lines.iter().map(element).collect())
    }
}

impl What {
    fn section(self, titled: bool, width: Option<u16>) -> Result<String> {
        match self {
            Self::Keys => {
                let title = "Keys of scenarios ([table], then each key with its values):\n";
                Ok(format!("{}{}", if titled { title } else { "" }, keys::of_all(width)))
            }
            Self::Energy => Ok(energy::text(width)?),
            what => Ok(what.section_of_lists(titled, width)),
        }
    }

    fn section_of_lists(self, titled: bool, width: Option<u16>) -> String {
        let mut lists = self.lists();
        // one list needs no title, and that of algorithms says what they are of
        if let [list] = lists.as_mut_slice()
            && !titled
        {
            list.title.clear();
        }
        let several = lists.len() > 1;
        let text = |(at, list): (usize, &Listed)| {
            let title = if at == 0 && several && !titled && self == Self::Routers { "" } else { list.title.as_str() };
            let title = if title.is_empty() { String::new() } else { format!("{title}:\n") };
            format!("{title}{}", list.text(width))
        };
        let between = if self == Self::Algorithms { "\n" } else { "" };
        lists.iter().enumerate().map(text).collect::<Vec<_>>().join(between)
    }

    fn json(self) -> Result<Vec<(String, Value)>> {
        Ok(match self {
            Self::Keys => vec![("keys".to_owned(), keys::json())],
            Self::Energy => energy::json()?,
            Self::BooksimKeys => vec![("booksim_keys".to_owned(), booksim_keys())],
            what => what.lists().iter().map(Listed::json).collect(),
        })
    }

    fn lists(self) -> Vec<Listed> {
        let one = |list| vec![list];
        match self {
            Self::Algorithms => KINDS.iter().filter_map(|kind| algorithms(kind)).collect(),
            Self::Networks => {
                let lines =
                    NETWORKS.iter().map(|kind| [kind.name.to_owned(), kind.keys_in_words(), kind.summary.to_owned()]);
                one(Listed::new("networks", "Networks ([network.NAME]) and their keys", lines))
            }
            Self::Workloads => one(Listed::new("workloads", "Workloads ([workload.NAME])", choices("workload"))),
            Self::Models => {
                let none = ["(none)", "prediction from the costs of nodes and channels"];
                let lines = std::iter::once(none).chain(choices("model"));
                one(Listed::new("models", "Models for predictions ([model.NAME])", lines))
            }
            Self::Engines => {
                let lines = Engine::ALL.map(|(_, name, what)| [name, what]);
                one(Listed::new("engines", "Engines (engine.kind)", lines))
            }
            Self::Forecasters => {
                let lines = METHODS.iter().map(|method| [method.name, method.summary]);
                one(Listed::new("forecasters", "Forecasters", lines))
            }
            Self::Series => {
                let lines = SERIES.iter().map(|kind| [kind.name, kind.summary]);
                one(Listed::new("series", "Series of measurements (error.forecast.series)", lines))
            }
            Self::Patterns => {
                let lines = PATTERNS.iter().map(|pattern| [pattern.name, pattern.description]);
                one(Listed::new("patterns", "Traffic patterns (workload.traffic.pattern)", lines))
            }
            Self::Routers => router_lists(),
            Self::Presets => {
                let lines = PRESETS.iter().map(|preset| [preset.name, preset.summary()]);
                one(Listed::new("presets", "Presets of machines (include = \"preset:NAME\")", lines))
            }
            Self::BooksimKeys => {
                let lines = BOOKSIM_KEYS.iter().map(|key| {
                    let default = if key.default.is_empty() { "-" } else { key.default };
                    let [fate, embedded] = [key.fate, key.embedded].map(Fate::name);
                    [key.name, key.value.name(), default, fate, embedded, key.flitwise, key.remark]
                });
                let title = "Keys of BookSim 2 configurations: type, default, treatment by `flitwise booksim`, treatment in \
                             embedded networks, keys of scenarios";
                one(Listed::new("booksim_keys", title, lines))
            }
            Self::Keys | Self::Energy => Vec::new(),
        }
    }
}

/// The models of routers with their routings, allocators and arbiters.
fn router_lists() -> Vec<Listed> {
    let routings = ROUTINGS.iter().map(|routing| [routing.name, routing.summary]);
    let network_routings =
        NETWORKS.iter().flat_map(|kind| kind.routings.iter().map(|(name, summary)| [kind.name, name, summary]));
    let allocators = ALLOCATORS.map(|kind| [kind.name, kind.summary]);
    let arbiters = ARBITERS.map(|(name, _, summary)| [name, summary]);
    vec![
        Listed::new("routers", "Router models (router.model)", ROUTERS.map(|(name, what)| [name, what])),
        Listed::new("routings", "Routing of meshes, tori and hypercubes (router.routing)", routings),
        Listed::new("network_routings", "Routing of other networks (router.routing)", network_routings),
        Listed::new("allocators", "Allocators (router.vc_allocator, router.switch_allocator)", allocators),
        Listed::new("arbiters", "Arbiters (router.vc_arbiter, router.switch_arbiter)", arbiters),
    ]
}

/// The keys of BookSim 2 configurations as JSON.
fn booksim_keys() -> Value {
    let key = |key: &BooksimKey| {
        json!({
            "name": key.name,
            "takes": key.value.name(),
            "default": key.default,
            "fate": key.fate.name(),
            "embedded": key.embedded.name(),
            "flitwise": key.flitwise,
            "summary": key.remark,
        })
    };
    BOOKSIM_KEYS.iter().map(key).collect()
}

/// The algorithms of a kind, if it has any to choose from.
fn algorithms(kind: &Kind) -> Option<Listed> {
    let Algorithms { title, line } = kind.algorithms?;
    Some(Listed::new(&format!("{}_algorithms", kind.name), title, (0..).map_while(line)))
}

/// The tables of which exactly one stands in the table at `path`, and what they are.
fn choices(path: &str) -> Vec<[&'static str; 2]> {
    let tables = flitwise::scenario::tables();
    let keys = tables.iter().filter(|table| table.path == path).flat_map(|table| table.keys);
    keys.map(|key| [key.name, key.sentence]).collect()
}

/// The first of `cells` in a line, and the others below it, wrapped.
fn stacked(cells: &[String], width: usize) -> String {
    let Some((name, others)) = cells.split_first() else { return String::new() };
    let others = others.iter().filter(|cell| !cell.is_empty());
    let below: String = others.map(|cell| wrapped(cell, "      ", "      ", width)).collect();
    format!("  {name}\n{below}")
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
