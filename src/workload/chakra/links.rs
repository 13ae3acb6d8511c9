//! Dependencies between nodes of a rank, by index.

use super::read::{Dependencies, MOST};
use crate::schedule::chakra::{RankTrace, Work};
use crate::units::narrow;

/// The nodes on which each node depends, by index.
pub(super) struct Links {
    /// The end of the list of each node in `nodes`.
    ends: Vec<u32>,
    nodes: Vec<u32>,
}

impl Links {
    /// Returns the dependencies of `trace`. Nodes that do not exist and cycles are added to `errors`, behind `file`.
    pub(super) fn new(trace: &RankTrace, dependencies: Dependencies, file: &str, errors: &mut Vec<String>) -> Self {
        let mut links = Self { ends: Vec::with_capacity(trace.nodes.len()), nodes: Vec::new() };
        let mut is_in_order = true;
        for (index, node) in trace.nodes.iter().enumerate() {
            let ids = match dependencies {
                Dependencies::Data => trace.data(node),
                Dependencies::Both => trace.control_and_data(node),
            };
            for &id in ids {
                match trace.index(id, index) {
                    Some(on) => {
                        is_in_order &= on < index;
                        links.nodes.push(narrow(on, "a file has fewer than 2^32 nodes"));
                    }
                    None if errors.len() < MOST => {
                        errors.push(format!("`{file}`: node {} depends on node {id}, which does not exist", node.id));
                    }
                    None => {}
                }
            }
            links.ends.push(narrow(links.nodes.len(), "a file has fewer than 2^32 dependencies"));
        }
        if let Some(cycle) = if is_in_order { None } else { links.cycle() } {
            let id = |index: u32| trace.nodes[index as usize].id;
            let (first, next) = (id(cycle[0]), id(cycle[1 % cycle.len()]));
            let length = cycle.len();
            errors.push(format!(
                "`{file}`: dependencies form a cycle of length {length}: node {first} depends on node {next}"
            ));
        }
        links
    }

    /// The nodes on which node `index` depends.
    fn of_node(&self, index: usize) -> &[u32] {
        let start = if index == 0 { 0 } else { self.ends[index - 1] };
        &self.nodes[start as usize..self.ends[index] as usize]
    }

    /// A cycle, in which each node depends on the next. A search in depth.
    fn cycle(&self) -> Option<Vec<u32>> {
        #[derive(Clone, Copy, PartialEq)]
        enum State {
            New,
            Open,
            Done,
        }
        let mut states = vec![State::New; self.ends.len()];
        for start in 0..narrow(self.ends.len(), "a file has fewer than 2^32 nodes") {
            // open nodes, and the number of dependencies of each that have been seen
            let mut path = vec![(start, 0)];
            if states[start as usize] != State::New {
                continue;
            }
            states[start as usize] = State::Open;
            while let Some((node, seen)) = path.last_mut() {
                let Some(&next) = self.of_node(*node as usize).get(*seen) else {
                    states[*node as usize] = State::Done;
                    path.pop();
                    continue;
                };
                *seen += 1;
                match states[next as usize] {
                    State::New => {
                        states[next as usize] = State::Open;
                        path.push((next, 0));
                    }
                    State::Open => {
                        return Some(path.into_iter().map(|(node, _)| node).skip_while(|&node| node != next).collect());
                    }
                    State::Done => {}
                }
            }
        }
        None
    }
}

/// Finds the operations that a node requires: metadata have none, so that their own dependencies count instead.
pub(super) struct Requirements<'a> {
    trace: &'a RankTrace,
    links: &'a Links,
    /// Per node, one more than the last node whose dependencies were sought there.
    seen: Vec<u32>,
    /// Nodes whose dependencies are still to be visited.
    open: Vec<u32>,
    found: Vec<u32>,
}

impl<'a> Requirements<'a> {
    pub(super) fn new(trace: &'a RankTrace, links: &'a Links) -> Self {
        Self { trace, links, seen: vec![0; trace.nodes.len()], open: Vec::new(), found: Vec::new() }
    }

    /// Finds the nodes with operations on which node `index` depends, each once.
    pub(super) fn find(&mut self, index: usize) -> &[u32] {
        self.found.clear();
        let mark = narrow(index + 1, "a file has fewer than 2^32 nodes");
        self.open.push(mark - 1);
        while let Some(node) = self.open.pop() {
            for &on in self.links.of_node(node as usize) {
                if std::mem::replace(&mut self.seen[on as usize], mark) == mark {
                    continue;
                }
                match self.trace.nodes[on as usize].work {
                    Work::Nothing => self.open.push(on),
                    _ => self.found.push(on),
                }
            }
        }
        &self.found
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]
mod tests {
    use super::*;

    /// The trace of nodes with an id, a type and the ids of data dependencies.
    fn trace(nodes: &[(u8, u8, &[u8])]) -> RankTrace {
        let mut file = b"\x02\x0a\x00".to_vec();
        for (id, kind, on) in nodes {
            let mut frame = vec![0x08, *id, 0x18, *kind];
            on.iter().for_each(|on| frame.extend([0x28, *on]));
            file.push(u8::try_from(frame.len()).unwrap());
            file.extend(frame);
        }
        RankTrace::read(&file).unwrap()
    }

    #[test]
    fn dependencies_of_metadata_count_instead_of_metadata() {
        // 5 depends on 4, which is metadata and depends on 3, which is metadata too
        let trace = trace(&[(1, 4, &[]), (2, 4, &[]), (3, 1, &[1, 2, 4]), (4, 0, &[3, 1]), (5, 4, &[4, 2])]);
        let mut errors = Vec::new();
        let links = Links::new(&trace, Dependencies::Data, "f", &mut errors);
        let mut requirements = Requirements::new(&trace, &links);
        let mut found = requirements.find(4).to_vec();
        found.sort_unstable();
        assert_eq!(found, [0, 1]);
        assert!(requirements.find(0).is_empty());
    }

    #[test]
    fn cycles_and_absent_nodes_are_reported() {
        let errors = |nodes: &[(u8, u8, &[u8])]| {
            let mut errors = Vec::new();
            Links::new(&trace(nodes), Dependencies::Data, "f", &mut errors);
            errors
        };
        let cycle = "`f`: dependencies form a cycle of length 3: node 2 depends on node 4";
        assert_eq!(errors(&[(1, 4, &[2]), (2, 4, &[4]), (3, 4, &[2]), (4, 4, &[3])]), [cycle]);
        assert_eq!(errors(&[(1, 4, &[1])]), ["`f`: dependencies form a cycle of length 1: node 1 depends on node 1"]);
        assert_eq!(errors(&[(1, 4, &[2]), (2, 4, &[3]), (3, 4, &[])]), [""; 0]);
        assert_eq!(errors(&[(1, 4, &[9])]), ["`f`: node 1 depends on node 9, which does not exist"]);
    }
}
