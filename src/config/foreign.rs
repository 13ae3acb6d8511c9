//! Files of other programs and formats, recognised where a scenario or a table of flitwise belongs.
//!
//! Independent of the meaning of the keys of a scenario.

/// A format that is not the one that belongs there.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Foreign {
    /// The format, with an article.
    pub(crate) name: &'static str,
    /// The remedy for such a file.
    pub(crate) hint: &'static str,
}

/// A configuration file that is known by its keys.
struct Configuration {
    foreign: Foreign,
    /// Keys that such a file has, and scenarios do not.
    keys: &'static [&'static str],
}

const CONFIGURATIONS: &[Configuration] = &[
    Configuration {
        foreign: Foreign {
            name: "a BookSim 2 configuration",
            hint: "run it with `flitwise booksim FILE`, or print the equivalent scenario with `flitwise booksim FILE --scenario`",
        },
        keys: &[
            "topology",
            "routing_function",
            "num_vcs",
            "vc_buf_size",
            "injection_rate",
            "injection_process",
            "sim_type",
            "sample_period",
            "traffic",
            "packet_size",
            "vc_allocator",
            "sw_allocator",
        ],
    },
    Configuration {
        foreign: Foreign {
            name: "a Noxim configuration",
            hint: "write it as a scenario: `mesh_dim_x` and `mesh_dim_y` are `shape` in [network.mesh], `routing_algorithm` is \
                   `router.routing`, `packet_injection_rate` is `rate` in [workload.traffic]; `flitwise new traffic` prints an example",
        },
        keys: &["mesh_dim_x", "mesh_dim_y", "routing_algorithm", "packet_injection_rate", "traffic_distribution"],
    },
    Configuration {
        foreign: Foreign {
            name: "an ASTRA-sim configuration",
            hint: "write it as a scenario: `npus_count` is `shape` of a table such as [network.torus], and the collective is a \
                   [workload.collective]; `flitwise new collective` prints an example",
        },
        keys: &[
            "npus_count",
            "npus-count",
            "scheduling-policy",
            "all-reduce-implementation",
            "all-gather-implementation",
            "topology-name",
            "links-count",
            "topology",
        ],
    },
];

/// Texts that are known by their beginnings, comments and blanks aside.
const BEGINNINGS: &[(&str, Foreign)] = &[
    (
        "num_ranks",
        Foreign {
            name: "a GOAL program",
            hint: "name the file in a scenario: `file` in [workload.goal]; `flitwise new goal --out DIR` writes an example",
        },
    ),
    (
        "<algo",
        Foreign {
            name: "an MSCCL algorithm",
            hint: "name the file in a scenario: `file` in [workload.msccl]; `flitwise new msccl --out DIR` writes an example",
        },
    ),
    ("<", Foreign { name: "XML", hint: TOML }),
    ("{", Foreign { name: "JSON", hint: TOML }),
    (
        "id,src,dst,flits,start",
        Foreign { name: "a trace", hint: "name the file in a scenario: `file` in [workload.trace]" },
    ),
    ("kind,a,b", Foreign { name: "a network graph", hint: "name the file in a scenario: `file` in [network.graph]" }),
    (
        "a,b,weight",
        Foreign { name: "a task graph", hint: "name the file in a scenario: `graph` in [workload.mapping]" },
    ),
    ("router 0", Foreign { name: "an anynet file", hint: "name the file in a scenario: `file` in [network.graph]" }),
    ("import ", Foreign { name: "a Python program", hint: TOML }),
    ("from ", Foreign { name: "a Python program", hint: TOML }),
];

/// A scenario, for files that are something else.
pub(super) const TOML: &str =
    "a scenario is TOML: `key = value` lines below [table] headers; `flitwise new multicast` prints an example";

/// Recognises `text`, which is not TOML.
pub(super) fn configuration(text: &str) -> Option<&'static Foreign> {
    let content = content(text, &["#", "//", ";", "<?", "<!--"]);
    let known = |configuration: &&Configuration| {
        let has_key = |line: &str| configuration.keys.contains(&key(line));
        content.clone().filter(|line| has_key(line)).take(2).count() == 2
    };
    if let Some(configuration) = CONFIGURATIONS.iter().find(known) {
        return Some(&configuration.foreign);
    }
    let first = content.clone().next()?;
    BEGINNINGS.iter().find(|(beginning, _)| first.starts_with(beginning)).map(|(_, foreign)| foreign)
}

/// The key that `line` sets, as TOML, YAML or JSON has it.
fn key(line: &str) -> &str {
    let line = line.trim_start_matches(['{', ' ', '\t']);
    let key = line.split(['=', ':']).next().unwrap_or_default();
    if key.len() == line.len() { "" } else { key.trim().trim_matches('"') }
}

/// Recognises a graph in a format of other programs, where rows of CSV belong.
pub(crate) fn graph(text: &str) -> Option<&'static Foreign> {
    const METIS: Foreign = Foreign {
        name: "a METIS graph",
        hint: "write a row for each edge, and subtract 1 from each number: METIS counts from 1, but numbers start at 0 here",
    };
    const MATRIX_MARKET: Foreign = Foreign {
        name: "a Matrix Market file",
        hint: "write a row for each edge, and subtract 1 from each number: Matrix Market counts from 1, but numbers start at 0 here",
    };
    const DOT: Foreign =
        Foreign { name: "a DOT graph", hint: "write a row for each edge, with numbers instead of names" };
    const XML: Foreign = Foreign { name: "XML", hint: "write a row for each edge, with numbers instead of names" };
    const JSON: Foreign = Foreign { name: "JSON", hint: "write a row for each edge, with numbers instead of names" };
    let first = text.trim_start();
    if first.starts_with("%%MatrixMarket") {
        return Some(&MATRIX_MARKET);
    }
    match first.split(|c: char| !c.is_ascii_alphanumeric()).next() {
        Some("graph" | "digraph" | "strict") if first.contains('{') => return Some(&DOT),
        _ if first.starts_with('<') => return Some(&XML),
        _ if first.starts_with('{') => return Some(&JSON),
        _ => {}
    }
    is_metis(text).then_some(&METIS)
}

/// True if `text` has the header of a METIS graph, and a line for each of its vertices. An isolated vertex has a blank line.
fn is_metis(text: &str) -> bool {
    let mut lines = text.lines().filter(|line| !line.trim_start().starts_with('%'));
    let numbers = |line: &str| line.split_whitespace().map(|word| word.parse().ok()).collect::<Option<Vec<u64>>>();
    let Some(header) = lines.next().and_then(numbers).filter(|header| (2..=4).contains(&header.len())) else {
        return false;
    };
    let rows: Vec<&str> = lines.collect();
    let beyond = rows.iter().rev().take_while(|row| row.trim().is_empty()).count();
    let vertices = usize::try_from(header[0]).unwrap_or(usize::MAX);
    (rows.len() - beyond..=rows.len()).contains(&vertices) && rows.iter().all(|row| numbers(row).is_some())
}

/// The lines of `text` that are neither blank nor begin with one of `comments`, without indentation.
fn content<'t>(text: &'t str, comments: &'t [&'t str]) -> impl Iterator<Item = &'t str> + Clone {
    let is_comment = |line: &str| comments.iter().any(|comment| line.starts_with(comment));
    text.lines().map(str::trim_start).filter(move |line| !line.is_empty() && !is_comment(line))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_of_other_programs_are_recognised() {
        let name = |text| configuration(text).map(|foreign| foreign.name);
        let booksim = "// a comment\ntopology = torus;\nk = 8;\nnum_vcs=2;\n";
        assert_eq!(name(booksim), Some("a BookSim 2 configuration"));
        assert_eq!(name("# x\nmesh_dim_x: 4\nmesh_dim_y: 4\n"), Some("a Noxim configuration"));
        let astra = "{\n  \"scheduling-policy\": \"LIFO\",\n  \"all-reduce-implementation\": [\"ring\"]\n}";
        assert_eq!(name(astra), Some("an ASTRA-sim configuration"));
        assert_eq!(name("topology: [ Ring ]\nnpus_count: [ 8 ]\n"), Some("an ASTRA-sim configuration"));
        assert_eq!(name("topology: [ Ring ]\n"), None, "one key is not enough");
        assert_eq!(name("num_ranks 2\nrank 0 {\n"), Some("a GOAL program"));
        assert_eq!(name("<algo name=\"x\">"), Some("an MSCCL algorithm"));
        assert_eq!(name("<a/>"), Some("XML"));
        assert_eq!(name("{\"name\": \"x\"}"), Some("JSON"));
        assert_eq!(name("name = \"x\"\n[network.mesh\n"), None);
    }

    #[test]
    fn graphs_of_other_programs_are_recognised() {
        let name = |text| graph(text).map(|foreign| foreign.name);
        assert_eq!(name("% a ring\n3 3\n2 3\n1 3\n1 2\n"), Some("a METIS graph"));
        assert_eq!(name("3 1 001\n2 5\n1 5\n\n"), Some("a METIS graph"), "an isolated vertex");
        assert_eq!(name("%%MatrixMarket matrix coordinate\n3 3 1\n1 2 1\n"), Some("a Matrix Market file"));
        assert_eq!(name("graph g { a -- b }"), Some("a DOT graph"));
        assert_eq!(name("graph,b\n0,1\n"), None);
        assert_eq!(name("0 1\n1 2\n2 0\n"), None, "a list of edges");
        assert_eq!(name("a,b,weight\n0,1,1\n"), None);
    }
}
