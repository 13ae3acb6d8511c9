//! Groups of ranks: their names in traces, and the ranks that a file or metadata nodes list for them.

use super::read::{Listed, MOST, Traces};
use crate::kind::words::{counted, first_of};
use crate::schedule::chakra::{Collective, Work};
use crate::workload::application::groups::rank;
use rustc_hash::{FxHashMap, FxHashSet};
use serde::Deserialize;

/// The place of a rank in a group.
#[derive(Clone, Copy)]
pub(super) struct Seat {
    /// The number of the group.
    pub(super) group: usize,
    /// The place of the rank among those of the group, in the order in which the group lists them.
    pub(super) index: usize,
}

/// The groups of a trace.
#[derive(Default)]
pub(super) struct Groups {
    /// Per group its ranks. Groups that list the same ranks in the same order are one.
    pub(super) ranks: Vec<Vec<u32>>,
    /// Per rank, and per group that its trace names, its place.
    pub(super) seats: Vec<Vec<Seat>>,
}

/// Returns true if `name` is the group of all ranks.
pub(super) fn has_all_ranks(name: &str) -> bool {
    name.is_empty() || name == "0"
}

/// Finds groups by their names.
struct Search<'a> {
    traces: &'a Traces,
    listed: Option<&'a Listed>,
    /// Per rank the groups of its metadata nodes.
    defined: Vec<Listed>,
    by_ranks: FxHashMap<Vec<u32>, usize>,
    groups: Groups,
    /// The names of groups with problems.
    reported: FxHashSet<String>,
    errors: &'a mut Vec<String>,
}

impl Groups {
    /// Finds the groups of all collectives in `traces`, which `listed` or metadata nodes define. Problems are added to `errors`.
    pub(super) fn new(traces: &Traces, listed: Option<&Listed>, errors: &mut Vec<String>) -> Self {
        let defined = |texts: &[String]| texts.iter().flat_map(|text| definitions(text)).collect();
        let mut search = Search {
            traces,
            listed,
            defined: traces.ranks.iter().map(|rank| defined(&rank.definitions)).collect(),
            by_ranks: FxHashMap::default(),
            groups: Self::default(),
            reported: FxHashSet::default(),
            errors,
        };
        for (own, trace) in traces.ranks.iter().enumerate() {
            let seats = trace.groups.iter().filter_map(|name| search.seat(own, name)).collect();
            search.groups.seats.push(seats);
        }
        search.groups
    }
}

/// An entry of the groups in a metadata node.
#[derive(Deserialize)]
struct Definition {
    pg_name: String,
    #[serde(default)]
    ranks: Vec<u64>,
}

/// The groups in the text of a metadata node: an array of JSON, which may be a string in a list of Python.
fn definitions(text: &str) -> Vec<(String, Vec<u64>)> {
    let array = text.find("[{").zip(text.rfind("}]")).and_then(|(start, end)| text.get(start..end + 2));
    let definitions: Option<Vec<Definition>> = array.and_then(|array| serde_json::from_str(array).ok());
    definitions.into_iter().flatten().map(|Definition { pg_name, ranks }| (pg_name, ranks)).collect()
}

impl Search<'_> {
    /// The place of rank `own` in the group that its trace calls `name`. Problems are reported once for each name.
    fn seat(&mut self, own: usize, name: &str) -> Option<Seat> {
        let seat = self.ranks(own, name).and_then(|ranks| {
            let index = ranks.iter().position(|&rank| rank as usize == own);
            let index = index.ok_or_else(|| format!("group `{name}` does not contain rank {own}"))?;
            Ok(Seat { group: self.group(ranks), index })
        });
        match seat {
            Ok(seat) => Some(seat),
            Err(problem) => {
                if self.reported.insert(name.to_owned()) && self.errors.len() < MOST {
                    self.errors.push(format!("{}: {problem}", self.first_use(own, name)));
                }
                None
            }
        }
    }

    /// The ranks of the group `name`, which each exist and are listed once.
    fn ranks(&self, own: usize, name: &str) -> Result<Vec<u32>, String> {
        let count = self.traces.ranks.len() as u64;
        let defined = || self.defined[own].get(name).or_else(|| self.defined.iter().find_map(|rank| rank.get(name)));
        let listed = match has_all_ranks(name) {
            true => &Vec::new(),
            false => self
                .listed
                .and_then(|listed| listed.get(name))
                .or_else(defined)
                .ok_or_else(|| format!("group `{name}` is unknown; accepted: {}", self.known(own)))?,
        };
        if listed.is_empty() {
            return Ok((0..count).map(rank).collect());
        }
        if let Some(beyond) = listed.iter().find(|&&rank| rank >= count) {
            let ranks = counted(count, "rank");
            return Err(format!("group `{name}` contains rank {beyond}, but the trace has {ranks}"));
        }
        let mut sorted = listed.clone();
        sorted.sort_unstable();
        match sorted.windows(2).find(|pair| pair[0] == pair[1]) {
            Some(pair) => Err(format!("group `{name}` contains rank {} twice", pair[0])),
            None => Ok(listed.iter().copied().map(rank).collect()),
        }
    }

    /// The names that rank `own` can use.
    fn known(&self, own: usize) -> String {
        let names = self.listed.into_iter().chain([&self.defined[own]]).flat_map(|listed| listed.keys());
        let names: Vec<String> =
            ["0"].into_iter().chain(names.map(String::as_str)).map(|name| format!("`{name}`")).collect();
        format!("{} (0 is all ranks; others are those of `groups` and metadata nodes)", first_of(&names))
    }

    /// The number of the group of `ranks`.
    fn group(&mut self, ranks: Vec<u32>) -> usize {
        let list = &mut self.groups.ranks;
        *self.by_ranks.entry(ranks).or_insert_with_key(|ranks| {
            list.push(ranks.clone());
            list.len() - 1
        })
    }

    /// The first collective of rank `own` in its group `name`.
    fn first_use(&self, own: usize, name: &str) -> String {
        let trace = &self.traces.ranks[own];
        let uses =
            |work| matches!(work, Work::Collective(Collective { group, .. }) if trace.groups[group as usize] == name);
        let node = trace.nodes.iter().find(|node| uses(node.work)).map_or(0, |node| node.id);
        format!("`{}`: node {node}", self.traces.files[own])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn groups_are_read_from_json_and_from_json_in_a_list_of_python() {
        let groups = vec![("1".to_owned(), vec![0, 2]), ("all".to_owned(), vec![])];
        let text = r#"[{"pg_name": "1", "ranks": [0, 2], "group_size": 2}, {"pg_name": "all"}]"#;
        assert_eq!(definitions(text), groups);
        assert_eq!(definitions(&format!("['{text}']")), groups);
        assert_eq!(definitions("{\"pg_name\": 1}"), []);
    }
}
