//! The guides: every scenario and every command in them is run, and their tables of what there is are those of the registries.

use crate::cli::Bench;
use crate::pages::{Page, root};
use flitwise::algorithm::collective::{self, Request};
use flitwise::algorithm::multicast::ALGORITHMS;
use flitwise::algorithm::traffic::PATTERNS;
use flitwise::algorithm::{broadcast, exchange, mapping};
use flitwise::engine::router::{ALLOCATORS, ARBITERS};
use flitwise::forecast::METHODS;
use flitwise::guide::topics;
use flitwise::kind::words::capitalised;
use flitwise::machine::ROUTERS;
use flitwise::network::NETWORKS;
use flitwise::references::{Reference, SUBJECTS};
use flitwise::routing::Lattice;
use flitwise::routing::relation::ROUTINGS;
use flitwise::schedule::collective::Operation;
use flitwise::selftest::{Area, Law};
use std::collections::BTreeSet;

/// A test for each page, so that they run beside each other.
macro_rules! pages {
    ($($module:ident $name:literal)+) => {
        const TESTED: &[&str] = &[$($name),+];

        $(
            #[test]
            fn $module() {
                Page::open(concat!("src/guide/", $name, ".md")).run();
            }
        )+
    };
}

pages! {
    what_first_steps_shows "first-steps"
    what_words_shows "words"
    what_units_shows "units"
    what_multicast_shows "multicast"
    what_collectives_shows "collectives"
    what_in_network_shows "in-network"
    what_exchange_shows "exchange"
    what_broadcast_shows "broadcast"
    what_mapping_shows "mapping"
    what_traffic_shows "traffic"
    what_goal_shows "goal"
    what_applications_shows "applications"
    what_chips_shows "chips"
    what_networks_shows "networks"
    what_chiplets_shows "chiplets"
    what_routers_shows "routers"
    what_energy_shows "energy"
    what_failures_shows "failures"
    what_booksim_shows "booksim"
    what_models_shows "models"
    what_fit_shows "fit"
    what_forecast_shows "forecast"
    what_sweeps_shows "sweeps"
    what_figures_shows "figures"
    what_slow_shows "slow"
    what_diagrams_shows "diagrams"
    what_output_shows "output"
    what_trust_shows "trust"
    what_python_shows "python"
    what_library_shows "library"
    what_embed_shows "embed"
}

fn guide(name: &str) -> Page {
    Page::open(&format!("src/guide/{name}.md"))
}

#[test]
fn every_page_is_run() {
    let names: Vec<&str> = topics().map(|topic| topic.name).collect();
    assert_eq!(TESTED, names);
}

/// A table of Markdown.
fn table(header: &[&str], rows: impl IntoIterator<Item = Vec<String>>) -> String {
    let line = |cells: &[String]| format!("| {} |\n", cells.join(" | "));
    let header: Vec<String> = header.iter().map(|&cell| cell.to_owned()).collect();
    let rule = format!("|{}\n", "---|".repeat(header.len()));
    rows.into_iter().fold(line(&header) + &rule, |table, row| table + &line(&row))
}

fn two(name: &str, what: &str) -> Vec<String> {
    vec![format!("`{name}`"), what.to_owned()]
}

fn three(name: &str, middle: &str, what: &str) -> Vec<String> {
    vec![format!("`{name}`"), middle.to_owned(), what.to_owned()]
}

#[test]
fn tables_are_those_of_the_registries() {
    let rows = ALGORITHMS.iter().map(|a| three(a.name, a.fits.networks(), a.summary));
    guide("multicast").compare("algorithms", &table(&["name", "networks", "description"], rows));
    let rows = exchange::ALGORITHMS.iter().map(|a| three(a.name, a.sizes.in_words(), a.summary));
    guide("exchange").compare("algorithms", &table(&["name", "tori", "description"], rows));
    collectives(&mut guide("collectives"));
    let rows = broadcast::ALGORITHMS.iter().map(|a| two(a.name, a.summary));
    guide("broadcast").compare("algorithms", &table(&["name", "description"], rows));
    let rows = mapping::ALGORITHMS.iter().map(|a| two(a.name, a.summary));
    guide("mapping").compare("algorithms", &table(&["name", "method"], rows));
    let rows = METHODS.iter().map(|m| two(m.name, m.summary));
    guide("forecast").compare("methods", &table(&["name", "forecast"], rows));
    let rows = NETWORKS.iter().map(|n| three(n.name, &n.keys_in_words(), n.summary));
    guide("networks").compare("networks", &table(&["name", "keys", "description"], rows));
    let mut traffic = guide("traffic");
    let rows = ROUTERS.iter().map(|(name, what)| two(name, what));
    traffic.compare("routers", &table(&["`model`", "description"], rows));
    let rows = ROUTINGS.iter().map(|routing| two(routing.name, routing.summary));
    traffic.compare("routings", &table(&["`routing`", "description"], rows));
    let rows = PATTERNS.iter().map(|pattern| two(pattern.name, pattern.description));
    traffic.compare("patterns", &table(&["`pattern`", "description"], rows));
    let mut routers = guide("routers");
    let rows = ALLOCATORS.iter().map(|kind| two(kind.name, kind.summary));
    routers.compare("allocators", &table(&["allocator", "description"], rows));
    let rows = ARBITERS.iter().map(|(name, _, summary)| two(name, summary));
    routers.compare("arbiters", &table(&["arbiter", "description"], rows));
    trust(&mut guide("trust"));
}

/// The References section of a page: each publication once, with the names that cite it.
fn compare_references<'a>(name: &str, citing: impl IntoIterator<Item = (&'a str, &'a [Reference])>) {
    let mut cited: Vec<(&Reference, Vec<String>)> = Vec::new();
    for (name, references) in citing {
        for reference in references {
            let name = format!("`{name}`");
            match cited.iter_mut().find(|(known, _)| *known == reference) {
                Some((_, names)) => names.push(name),
                None => cited.push((reference, vec![name])),
            }
        }
    }
    let item = |(reference, names): (&Reference, Vec<String>)| {
        let text = wrapped(&format!("{}: {reference}", names.join(", ")));
        format!("-{}\n", &text[1..])
    };
    guide(name).compare("references", &cited.into_iter().map(item).collect::<String>());
}

/// The names of subjects of these kinds, each with the publications that it cites.
fn subjects(kinds: &'static [&'static str]) -> impl Iterator<Item = (&'static str, &'static [Reference])> {
    let subjects = SUBJECTS.iter().filter(move |subject| kinds.contains(&subject.kind));
    subjects.flat_map(|subject| subject.names.iter().map(|name| (*name, subject.references)))
}

#[test]
fn pages_list_their_references() {
    compare_references("multicast", ALGORITHMS.iter().map(|a| (a.name, a.references)));
    compare_references("exchange", exchange::ALGORITHMS.iter().map(|a| (a.name, a.references)));
    compare_references("collectives", collective::ALGORITHMS.iter().map(|a| (a.name, a.references)));
    compare_references("broadcast", broadcast::ALGORITHMS.iter().map(|a| (a.name, a.references)));
    let mappers = mapping::ALGORITHMS.iter().map(|a| (a.name, a.references));
    compare_references("mapping", mappers.chain(subjects(&["bound"])));
    compare_references("networks", subjects(&["network"]));
    compare_references("traffic", subjects(&["traffic", "routing", "router", "deadlock analysis"]));
    compare_references("models", subjects(&["model"]));
    compare_references("goal", subjects(&["format"]));
    compare_references("forecast", subjects(&["forecaster"]));
}

/// `text` in lines of at most 120 characters, two of them blank.
fn wrapped(text: &str) -> String {
    let mut lines = vec![String::new()];
    for word in text.split(' ') {
        if lines[lines.len() - 1].chars().count() + 1 + word.chars().count() > 120 {
            lines.push(String::new());
        }
        let at = lines.len() - 1;
        let gap = if lines[at].is_empty() { "  " } else { " " };
        lines[at] += &format!("{gap}{word}");
    }
    lines.join("\n")
}

/// What `selftest` holds against what, and what must hold.
fn trust(page: &mut Page) {
    page.compare("areas", &table(&["area", "comparison"], Area::all().map(|a| two(a.name(), a.summary()))));
    let mut laws: Vec<&Law> = Vec::new();
    for law in Area::all().flat_map(Area::laws) {
        if !laws.contains(law) {
            laws.push(law);
        }
    }
    let said = |law: &&Law| wrapped(&format!("{}. Reason: {}.", capitalised(law.holds), law.because));
    let text: String = laws.iter().map(|law| format!("- **{}**\n{}\n", law.name, said(law))).collect();
    page.compare("invariants", &text);
}

/// What collective algorithms do and take, and what their all-reduces cost.
fn collectives(page: &mut Page) {
    let does = |operations: &[Operation]| operations.iter().map(|one| one.name()).collect::<Vec<_>>().join(", ");
    let rows = collective::ALGORITHMS.iter().map(|a| three(a.name, &does(a.operations), a.summary));
    page.compare("algorithms", &table(&["name", "operations", "description"], rows));
    let picky = collective::ALGORITHMS.iter().filter(|a| !["any number of ranks", "any shape"].contains(&a.takes));
    page.compare("sizes", &table(&["name", "accepted"], picky.map(|a| two(a.name, a.takes))));
    let shapes = [&[4, 4], &[5, 5]];
    let rows = collective::ALGORITHMS.iter().filter_map(|algorithm| {
        let costs = shapes.map(|shape| cost(algorithm, shape));
        costs
            .iter()
            .any(|cost| !cost[0].is_empty())
            .then(|| [vec![format!("`{}`", algorithm.name)], costs.concat()].concat())
    });
    page.compare("costs", &table(&["name", "4x4: steps", "flits", "5x5: steps", "flits"], rows));
}

/// Steps and flits on the critical path of an all-reduce of 1,600 flits on a torus.
fn cost(algorithm: &collective::Algorithm, shape: &[usize]) -> [String; 2] {
    let lattice = Lattice::new(shape, true, &[0, 1]);
    let ranks = shape.iter().product();
    let request =
        Request { shape: shape.to_vec(), lattice: Some(&lattice), ..Request::new(Operation::Allreduce, ranks, 1600) };
    let Ok(plan) = algorithm.plan(&request) else { return Default::default() };
    if algorithm.unproved {
        return Default::default();
    }
    plan.check().unwrap();
    let largest = |step| plan.messages(step).map(|message| message.listed_flits()).max().unwrap();
    let flits: u64 = (0..plan.steps()).map(largest).sum();
    [plan.steps().to_string(), flits.to_string()]
}

/// Links between pages lead to files that are there; `links.md` leads the documentation to modules.
#[test]
fn links_lead_somewhere() {
    for topic in topics() {
        let names: BTreeSet<&str> = topics().map(|topic| topic.name).collect();
        let mut defined = BTreeSet::new();
        for line in topic.text.lines().filter(|line| line.starts_with('[') && line.contains("]: ")) {
            let (name, target) = line[1..].split_once("]: ").unwrap();
            assert!(names.contains(name) && target == format!("{name}.md"), "{}: {line}", topic.name);
            defined.insert(name);
        }
        for name in names {
            let used = topic.text.contains(&format!("[{name}]"));
            assert_eq!(
                used,
                defined.contains(name),
                "{}: {name} is a link without a target, or the reverse",
                topic.name
            );
        }
    }
}

#[test]
fn pages_fit_a_screen() {
    for topic in topics() {
        let wide = topic.text.lines().find(|line| line.chars().count() > 160);
        assert_eq!(wide, None, "{}", topic.name);
        assert!(topic.text.starts_with("# ") && topic.text.len() > 500, "{}", topic.name);
    }
}

#[test]
fn the_command_lists_and_shows_them() {
    let bench = Bench::new("");
    let list = bench.ok(&["guide"]);
    for topic in topics() {
        assert!(
            list.contains(&format!("\n  {}  ", topic.name)) || list.contains(&format!("\n  {} ", topic.name)),
            "{list}"
        );
        let page = bench.ok(&["guide", topic.name]);
        let outside =
            page.lines().filter(|line| !line.starts_with("    ") && !line.contains("  ") && !line.contains('─'));
        let wide = outside.filter(|line| line.chars().count() > 100).find(|line| line.contains(' '));
        assert!(wide.is_none() && !page.contains("```") && !page.contains("<!--"), "{}: {wide:?}", topic.name);
    }
    let found = bench.ok(&["guide", "credit", "round", "trip"]);
    assert!(found.starts_with("words") && found.contains("\nnetworks: "), "{found}");
    assert_eq!(bench.ok(&["guide", "msccl"]), bench.ok(&["guide", "goal"]));
    assert!(bench.fails(2, &["guide", "multicsat"]).contains("multicast"));
    let script = format!("{} guide output | head -1", env!("CARGO_BIN_EXE_flitwise"));
    let output = std::process::Command::new("bash").args(["-c", &script]).current_dir(root()).output().unwrap();
    assert!(output.status.success() && output.stderr.is_empty());
}
