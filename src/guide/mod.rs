//! The guides: a page for each subject, in Markdown, for people who write scenarios.
//!
//! `flitwise guide TOPIC` shows them in a terminal, and each is a module here. Every scenario and every command in them is
//! run by a test.

mod terminal;

/// A page.
#[derive(Clone, Copy, Debug)]
pub struct Topic {
    /// What it is called.
    pub name: &'static str,
    /// Other words under which it is looked for.
    pub also: &'static [&'static str],
    /// What it is about, in a line.
    pub summary: &'static str,
    /// The page, in Markdown.
    pub text: &'static str,
}

impl Topic {
    /// The topic that is called `name`, or is looked for under it.
    pub fn named(name: &str) -> Option<&'static Self> {
        TOPICS.iter().find(|topic| topic.name == name || topic.also.contains(&name))
    }

    /// The page for a terminal of `width` columns: paragraphs wrapped, tables in columns, examples indented.
    pub fn in_terminal(&self, width: usize) -> String {
        terminal::page(self.text, width)
    }
}

/// Modules with a page each as their documentation, and the list of them. Links between pages are to files, as a code host
/// wants them; here they lead to modules, for of two definitions of a link the first holds.
macro_rules! topics {
    ($($module:ident, $name:literal, $also:expr, $summary:literal;)+) => {
        /// All pages, in the order in which they are best read.
        pub const TOPICS: &[Topic] = &[$(Topic {
            name: $name,
            also: $also,
            summary: $summary,
            text: include_str!(concat!($name, ".md")),
        }),+];

        $(
            pub mod $module {
                #![doc = include_str!("links.md")]
                #![doc = include_str!(concat!($name, ".md"))]
            }
        )+
    };
}

topics! {
    first_steps, "first-steps", &["start", "tutorial"], "a scenario of your own, step by step, and how to read what comes out";
    words, "words", &["glossary"], "what the words mean: flit, worm, tick, t_hold, and the table's columns";
    units, "units", &["unit", "bytes", "bandwidth", "bandwidths", "times"], "values in bytes, GB/s and ns, and the bandwidths of results";
    networks, "networks", &["network", "machine", "include"], "networks, channels, nodes, engines; a machine in a file of its own";
    multicast, "multicast", &["multicasts"], "one message from a source to a group";
    collectives, "collectives", &["collective", "allreduce", "all-reduce", "reduce"], "all-reduce and its kin: vectors combined, gathered, scattered";
    exchange, "exchange", &["all-to-all", "exchanges"], "all-to-all personalised exchange on tori";
    broadcast, "broadcast", &["grid", "grids"], "one message over a grid, planned from wrong forecasts";
    mapping, "mapping", &["mappings"], "tasks that talk to each other on the nodes of a network";
    traffic, "traffic", &["router", "routers", "saturation"], "virtual-channel routers, latency against load, saturation, bursts";
    models, "models", &["model", "logp", "loggops"], "what is predicted: parameterised, LogP, LogGOPS";
    fit, "fit", &["osu", "netgauge"], "the numbers of a machine from its benchmarks";
    forecast, "forecast", &["forecasts"], "the next value of a measured series, and how far methods are off";
    goal, "goal", &["msccl", "trace"], "operations from a file: GOAL, its syntax, MSCCL, traces";
    chips, "chips", &["chip", "device", "noc-trace", "placement", "silicon", "wormhole-b0"], "what was recorded on a chip, run again: how far off, who waits, placements";
    sweeps, "sweeps", &["sweep", "cluster", "clusters", "slurm"], "many points: ranges, conditions, interruption, shards, Slurm";
    figures, "figures", &["figure", "claim", "claims", "plots"], "plots of your runs, claims about them, pages of results";
    output, "output", &["files", "columns"], "every file and every column that is written; exit codes";
    slow, "slow", &["why", "explain", "blame", "report", "replay", "perfetto", "hops"], "why is it slow? who blocked whom, in words, on a page, in a trace";
    diagrams, "diagrams", &["diagram", "schedule"], "schedules drawn and exported";
    trust, "trust", &["selftest", "proof", "laws"], "why you can trust the numbers: what is held against what, on your machine";
    python, "python", &["pip", "notebook", "jupyter", "pandas", "numpy"], "flitwise from Python and notebooks: data frames, arrays, plots";
    library, "library", &["rust"], "flitwise as a Rust library";
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn a_topic_has_a_name_of_its_own() {
        let names: Vec<&str> =
            TOPICS.iter().flat_map(|topic| std::iter::once(topic.name).chain(topic.also.iter().copied())).collect();
        assert_eq!(names.len(), names.iter().collect::<BTreeSet<_>>().len());
        assert_eq!(Topic::named("msccl").unwrap().name, "goal");
        assert!(Topic::named("nothing").is_none());
    }

    #[test]
    fn every_page_has_its_link() {
        let links: Vec<&str> = include_str!("links.md").lines().collect();
        let expected: Vec<String> =
            TOPICS.iter().map(|topic| format!("[{}]: super::{}", topic.name, topic.name.replace('-', "_"))).collect();
        assert_eq!(links, expected);
    }
}
