//! The guides: a page for each subject, in Markdown, for people who write scenarios.
//!
//! `flitwise guide PAGE` shows a page in a terminal, and `flitwise guide WORD` searches all of them. Each page is a module here.
//! A test runs every scenario and every command in them.

mod search;
mod terminal;

pub use search::search_in_terminal;

/// A page.
#[derive(Clone, Copy, Debug)]
pub struct Topic {
    /// Its name.
    pub name: &'static str,
    /// Other words that show the page.
    pub also: &'static [&'static str],
    /// Its subject, in a line.
    pub summary: &'static str,
    /// The page, in Markdown.
    pub text: &'static str,
}

/// Pages under a common heading.
#[derive(Clone, Copy, Debug)]
pub struct Group {
    /// The heading.
    pub title: &'static str,
    /// The pages, in reading order.
    pub topics: &'static [Topic],
}

impl Topic {
    /// Returns the topic called `name`, or the one with `name` among its other words.
    pub fn named(name: &str) -> Option<&'static Self> {
        topics().find(|topic| topic.name == name || topic.also.contains(&name))
    }

    /// The page for a terminal of `width` columns: paragraphs wrapped, tables in columns, examples indented.
    pub fn in_terminal(&self, width: usize) -> String {
        terminal::page(self.text, width)
    }
}

/// All pages, in reading order.
pub fn topics() -> impl Iterator<Item = &'static Topic> {
    GROUPS.iter().flat_map(|group| group.topics)
}

/// The groups with the name and the summary of each page.
pub fn list() -> String {
    let width = topics().map(|topic| topic.name.len()).max().unwrap_or(0);
    let line = |topic: &Topic| format!("  {:width$}  {}\n", topic.name, topic.summary);
    let group =
        |group: &Group| group.topics.iter().map(line).fold(format!("{}:\n", group.title), |text, line| text + &line);
    GROUPS.iter().map(|one| group(one) + "\n").collect()
}

/// Modules with a page each as their documentation, and the groups of pages. Links between pages are to files, for code hosts.
/// In the documentation they lead to modules, because the first of two definitions of a link holds.
macro_rules! groups {
    ($($title:literal { $($module:ident, $name:literal, $also:expr, $summary:literal;)+ })+) => {
        /// All pages, in reading order.
        pub const GROUPS: &[Group] = &[$(Group {
            title: $title,
            topics: &[$(Topic {
                name: $name,
                also: $also,
                summary: $summary,
                text: include_str!(concat!($name, ".md")),
            }),+],
        }),+];

        $($(
            pub mod $module {
                #![doc = include_str!("links.md")]
                #![doc = include_str!(concat!($name, ".md"))]
            }
        )+)+
    };
}

groups! {
    "Start" {
        first_steps, "first-steps", &["start", "tutorial"], "a scenario of your own: write, check, run, plot";
        words, "words", &["glossary"], "terms: flit, worm, tick, t_hold, and columns of tables";
        units, "units", &["unit", "bytes", "bandwidth", "bandwidths", "times"], "values in ns, bytes and GB/s; bus bandwidth";
    }
    "Workloads" {
        multicast, "multicast", &["multicasts"], "one message from a source to a group";
        collectives, "collectives", &["collective", "allreduce", "all-reduce", "reduce"], "all-reduce, all-gather, scatter and others";
        in_network, "in-network", &["reduction", "router-tree", "forks", "joins"], "multicast and reduction in routers, and their deadlocks";
        exchange, "exchange", &["all-to-all", "exchanges"], "all-to-all personalised exchange on tori";
        broadcast, "broadcast", &["grid", "grids"], "one message over a grid, planned from inexact forecasts";
        mapping, "mapping", &["mappings"], "placement of communicating tasks on a network";
        traffic, "traffic", &["replies", "saturation"], "latency and throughput of virtual-channel routers";
        goal, "goal", &["msccl", "trace"], "operations from files: GOAL, MSCCL, message traces";
        applications, "applications", &["halo", "stencil", "training", "fft", "moe", "mpi", "chakra", "netrace", "noise", "jobs", "timeline"], "stencils, training, MPI, Chakra and chip traces, jobs, noise, timelines";
        chips, "chips", &["chip", "device", "noc-trace", "placement", "silicon", "wormhole-b0"], "traces recorded on a chip, simulated again";
    }
    "Machines" {
        networks, "networks", &["network", "machine", "include"], "networks, channels, nodes, engines, presets, deadlock";
        chiplets, "chiplets", &["chiplet", "interposer", "d2d"], "chiplets: die-to-die links, interposers, their routings";
        routers, "routers", &["router", "allocators", "arbiters"], "router options: pipeline, allocators, switching, buffers";
        energy, "energy", &["area", "power", "activity", "pareto"], "energy and area of runs: constants, presets, Pareto fronts";
        failures, "failures", &["faults", "stragglers", "slow-links"], "failed links and routers, slow links, stragglers";
        booksim, "booksim", &["booksim2", "cfg"], "BookSim 2 configurations: run them, their keys, differences";
        models, "models", &["model", "logp", "loggops"], "prediction models: parameterised, LogP, LogGOPS";
        fit, "fit", &["osu", "netgauge"], "parameters of a machine from benchmark results";
        forecast, "forecast", &["forecasts"], "forecasts of a measured series, and their errors";
    }
    "Results" {
        sweeps, "sweeps", &["sweep", "cluster", "clusters", "slurm"], "many points: ranges, interruption, shards, Slurm";
        figures, "figures", &["figure", "claim", "claims", "plots"], "plots, claims, maps of the best algorithm, result pages";
        slow, "slow", &["why", "explain", "blame", "report", "replay", "perfetto", "hops"], "reasons for a slow run: critical path, blame, replay page";
        diagrams, "diagrams", &["diagram", "schedule"], "drawings and exports of schedules";
    }
    "Reference" {
        output, "output", &["files", "columns"], "output files and columns, comparison of runs, exit codes";
        trust, "trust", &["selftest", "proof", "laws"], "validation: self-test, invariants, known limits";
        python, "python", &["pip", "notebook", "jupyter", "pandas", "numpy"], "flitwise from Python: data frames, arrays, plots";
        library, "library", &["rust"], "flitwise as a Rust library";
        embed, "embed", &["host", "systemc", "verilator", "astra-sim", "gpgpu-sim"], "flitwise inside your simulator: C, Rust, Python, adapters";
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn a_topic_has_a_name_of_its_own() {
        let names: Vec<&str> =
            topics().flat_map(|topic| std::iter::once(topic.name).chain(topic.also.iter().copied())).collect();
        assert_eq!(names.len(), names.iter().collect::<BTreeSet<_>>().len());
        assert_eq!(Topic::named("msccl").unwrap().name, "goal");
        assert!(Topic::named("nothing").is_none());
    }

    #[test]
    fn every_page_has_its_link() {
        let links: Vec<&str> = include_str!("links.md").lines().collect();
        let expected: Vec<String> =
            topics().map(|topic| format!("[{}]: super::{}", topic.name, topic.name.replace('-', "_"))).collect();
        assert_eq!(links, expected);
    }
}
