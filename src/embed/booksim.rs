//! Embedded networks from configurations of BookSim 2.

use super::{Network, OpenError};
use crate::booksim::{Problem, Refused, convert_embedded};
use crate::config::{Diagnostic, decode, read_regular};
use crate::scenario::{Options, Rejected};
use std::path::Path;

impl Network {
    /// Opens the network of the configuration of BookSim 2 in the file `path`, as embedded variants of BookSim 2 read it: the
    /// library of ONNXim and PyTorchSim, and intersim2 of GPGPU-Sim. A tick is a cycle. Messages are held at their nodes. Each of
    /// the `subnets` is a class with a physical network: `subnet0`, `subnet1` and so on.
    ///
    /// # Errors
    /// If the file cannot be read; all errors of the configuration, each with its line, key and value; a network that takes more
    /// memory than there is.
    pub fn open_booksim(path: &Path) -> Result<Self, OpenError> {
        let name = path.display().to_string();
        let bytes = read_regular(path).map_err(|error| OpenError::unreadable_configuration(path, error))?;
        let text =
            decode(bytes).map_err(|wrong| Rejected::new(vec![wrong.diagnostic(0)], vec![wrong.source(&name)]))?;
        Self::open_configuration(&name, text, path.parent().unwrap_or(Path::new("")))
    }

    /// Opens the network of the configuration `text` of the file `name`, which names files in `folder`.
    fn open_configuration(name: &str, text: String, folder: &Path) -> Result<Self, OpenError> {
        let conversion = convert_embedded(name, text).map_err(|Refused(problems)| rejected(name, &problems))?;
        let equivalent = format!("{name}, the equivalent scenario");
        Self::open_named(&equivalent, &conversion.scenario, folder, Options::default())
    }
}

/// All errors of the configuration in the file `name`. Those of default values have no line.
fn rejected(name: &str, problems: &[Problem]) -> Rejected {
    let located = |problem: &Problem| match problem.location {
        Some(_) => problem.to_string(),
        None => format!("{name}: {problem}"),
    };
    let diagnostics = problems.iter().map(|problem| Diagnostic::unplaced(located(problem))).collect();
    Rejected::new(diagnostics, Vec::new())
}

#[cfg(test)]
#[expect(clippy::unwrap_used, reason = "a test fails where it cannot continue")]
mod tests {
    use super::*;

    const MESH: &str = "topology = mesh\nk = 4\nn = 2\nrouting_function = dor\nnum_vcs = 1\nrouting_delay = 0\n\
                        boundary_buffer_size = 16\nsubnets = 2\nread_request_end_vc = 0\nwrite_request_begin_vc = 0\n\
                        write_request_end_vc = 0\nread_reply_begin_vc = 0\nread_reply_end_vc = 0\nwrite_reply_begin_vc = 0\n\
                        write_reply_end_vc = 0\n";

    /// The network of a configuration with these lines.
    fn open(lines: &str) -> Result<Network, OpenError> {
        Network::open_configuration("f.icnt", lines.to_owned(), Path::new(""))
    }

    fn error(lines: &str) -> String {
        open(lines).unwrap_err().to_string()
    }

    /// The latency of a message of `flits` flits from node 0 to `node` of a mesh with these lines.
    fn latency(lines: &str, node: u32, flits: u64) -> u64 {
        let mut net = open(&format!("{MESH}{lines}")).unwrap();
        net.send(0, node, 1, 32 * flits, 1, 7).unwrap();
        net.advance(None).unwrap();
        let arrived = net.take(node, 1).unwrap().unwrap();
        arrived.delivered - arrived.requested
    }

    #[test]
    fn zero_load_latencies_are_those_of_booksim() {
        for (node, hops) in [(0, 0), (1, 1), (4, 1), (15, 6)] {
            for flits in [1, 4] {
                assert_eq!(latency("", node, flits), 6 + 4 * hops + (flits - 1));
                assert_eq!(latency("speculative = 1\n", node, flits), 5 + 3 * hops + (flits - 1));
                assert_eq!(latency("routing_delay = 1;\n", node, flits), 7 + 5 * hops + (flits - 1));
            }
        }
    }

    #[test]
    fn networks_have_the_classes_and_bytes_of_the_configuration() {
        let net = open(&format!("{MESH}flit_size = 40\n")).unwrap();
        assert_eq!((net.nodes(), net.flit_bytes(), net.cycle()), (16, 40, 1));
        assert_eq!(net.classes(), ["subnet0", "subnet1"]);
    }

    #[test]
    fn errors_name_the_file() {
        let shown = error("k = 4\ntopology = ring\n");
        assert!(shown.contains("f.icnt:2: topology = ring: "), "{shown}");
        let shown = error("topology = mesh\n");
        assert!(shown.contains("f.icnt: routing_function = none (default): "), "{shown}");
        let crossbar = "topology = fly\nk = 4096; n = 1\nrouting_function = dest_tag\nnum_vcs = 16";
        let shown = error(&format!("{MESH}{crossbar}"));
        assert!(shown.contains("f.icnt, the equivalent scenario"), "{shown}");
        let shown = Network::open_booksim(Path::new("none.icnt")).unwrap_err().to_string();
        assert!(shown.starts_with("cannot read the configuration `none.icnt`: "), "{shown}");
    }
}
