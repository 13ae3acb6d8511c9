//! A graph in the DOT language, for Graphviz.

use crate::kind::Graph;
use std::io::{self, Write};

/// Writes `graph` under `title`.
///
/// # Errors
/// If it cannot be written.
pub fn write_dot(output: &mut impl Write, title: &str, graph: &Graph) -> io::Result<()> {
    let (word, arrow) = if graph.directed { ("digraph", "->") } else { ("graph", "--") };
    writeln!(output, "{word} \"{title}\" {{")?;
    for (node, attributes) in &graph.nodes {
        writeln!(output, "  {node} [{attributes}];")?;
    }
    for (from, to, attributes) in &graph.edges {
        writeln!(output, "  {from} {arrow} {to} [{attributes}];")?;
    }
    writeln!(output, "}}")
}
