//! Paths on a graph by a table that is given: a link for a router and a destination router.

use super::super::{LinkRouting, Step};
use super::rows::{Destinations, Row, TableError, ends};
use crate::topology::{Graph, Links};
use crate::units::{Key, LinkId, NodeId, RouterId};
use std::sync::Arc;
use thiserror::Error;

/// The file of a table.
pub(crate) const TABLE: Key = Key::file("table")
    .or_else("none")
    .read_if("routing", &["table"])
    .says("CSV file with the link at each router for each destination router; columns at,to,link and optionally class");

/// What the table says of a router and a destination router.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Entry {
    /// The router.
    pub at: RouterId,
    /// The destination router.
    pub to: RouterId,
    /// The link, which leaves `at`.
    pub link: LinkId,
    /// The class of virtual channels.
    pub class: u8,
}

/// Where a table does not lead.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[non_exhaustive]
pub enum Unled {
    /// It says no link where one is needed.
    #[error("the table has no link at router {at} for destination router {to}")]
    Missing {
        /// The router.
        at: RouterId,
        /// The destination.
        to: RouterId,
    },
    /// A path comes to the same router again.
    #[error("the path of the table from router {from} to router {to} is a loop: it visits router {twice} again")]
    Cycle {
        /// Where the path begins.
        from: RouterId,
        /// The destination.
        to: RouterId,
        /// A router that it comes to again.
        twice: RouterId,
    },
}

/// Treatment of routers without a link for a destination.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Gaps {
    Refuse,
    Accept,
}

/// Paths by a table, a byte or two per router and destination router, and one more if there are classes.
#[derive(Debug)]
pub struct Table {
    graph: Arc<Graph>,
    destinations: Destinations,
    rows: Vec<Row>,
    /// Per destination and router, if there is more than one class.
    by_entry: Vec<Box<[u8]>>,
    classes: u8,
    longest: usize,
}

impl Table {
    /// The paths over `graph` that `entries` say; of several for the same the last holds.
    ///
    /// # Errors
    /// If the table is too large.
    ///
    /// # Panics
    /// If a link does not leave the router of its entry.
    pub fn new(graph: Arc<Graph>, entries: &[Entry]) -> Result<Self, TableError> {
        let last = entries.iter().map(|entry| entry.class).max().unwrap_or(0);
        let destinations = Destinations::new(&graph, "table", u64::from(last > 0))?;
        let mut by_row: Vec<Vec<&Entry>> = vec![Vec::new(); destinations.routers.len()];
        for entry in entries {
            if let Some(row) = destinations.row_of(entry.to) {
                by_row[row].push(entry);
            }
        }
        let mut rows = Vec::with_capacity(by_row.len());
        let mut by_entry = Vec::new();
        for entries in by_row {
            let mut ports = vec![None; graph.routers()];
            let mut classes = vec![0; graph.routers()];
            for entry in entries {
                let port = graph.links_from(entry.at).binary_search(&entry.link);
                assert!(port.is_ok(), "link {} does not leave router {}", entry.link, entry.at);
                ports[entry.at.index()] = port.ok();
                classes[entry.at.index()] = entry.class;
            }
            rows.push(destinations.row(ports.into_iter()));
            if last > 0 {
                by_entry.push(classes.into_boxed_slice());
            }
        }
        Ok(Self { graph, destinations, rows, by_entry, classes: last.saturating_add(1), longest: 0 })
    }

    /// The same, once it is known to lead from every node to every other.
    ///
    /// # Errors
    /// Where it does not.
    pub fn checked(mut self) -> Result<Self, Unled> {
        for (row, &to) in self.rows.iter().zip(&self.destinations.routers) {
            let longest = self.check(row, to, Gaps::Refuse)?;
            self.longest = self.longest.max(longest);
        }
        Ok(self)
    }

    /// Returns the table if its paths have no loops. Some paths may end before their destination, for lack of a link.
    ///
    /// # Errors
    /// Where there is a loop.
    pub fn checked_with_gaps(mut self) -> Result<Self, Unled> {
        for (row, &to) in self.rows.iter().zip(&self.destinations.routers) {
            let longest = self.check(row, to, Gaps::Accept)?;
            self.longest = self.longest.max(longest);
        }
        Ok(self)
    }

    /// The links of the longest path to `to`, whose row this is.
    fn check(&self, row: &Row, to: RouterId, gaps: Gaps) -> Result<usize, Unled> {
        let mut links: Vec<Option<usize>> = vec![None; self.graph.routers()];
        links[to.index()] = Some(0);
        let mut longest = 0;
        let mut passed = Vec::new();
        let mut is_passed = vec![false; self.graph.routers()];
        for &from in &self.destinations.routers {
            let mut at = from;
            let mut left = loop {
                if let Some(left) = links[at.index()] {
                    break left;
                }
                if std::mem::replace(&mut is_passed[at.index()], true) {
                    return Err(Unled::Cycle { from, to, twice: at });
                }
                passed.push(at);
                match (row.next(&self.graph, at), gaps) {
                    (Some((_, next)), _) => at = next,
                    (None, Gaps::Accept) => break 0,
                    (None, Gaps::Refuse) => return Err(Unled::Missing { at, to }),
                }
            };
            for router in passed.drain(..).rev() {
                left += 1;
                links[router.index()] = Some(left);
            }
            longest = longest.max(left);
        }
        Ok(longest)
    }

    /// The links of the longest path between nodes.
    pub fn longest(&self) -> usize {
        self.longest
    }
}

impl LinkRouting for Table {
    fn classes(&self) -> u8 {
        self.classes
    }

    fn path(&self, src: NodeId, dst: NodeId, path: &mut Vec<Step>) {
        let (from, to) = ends(&self.graph, src, dst);
        let Some(row) = self.destinations.row_of(to) else { return };
        let class = |at: RouterId| self.by_entry.get(row).map_or(0, |classes| classes[at.index()]);
        let links = self.rows[row].path(&self.graph, from, to);
        path.extend(links.map(|(at, link)| Step { link, class: class(at) }));
    }

    fn chain_rank(&self, node: NodeId) -> u64 {
        self.graph.walk_rank(node)
    }
}
