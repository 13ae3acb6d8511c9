//! What the diagrams of a broadcast show: the trees as they are planned, and which node informed which when in the end.

use super::{Event, Plan};
use crate::engine::grid::Happening;
use crate::kind::diagram::{Timing, Transfer, Tree, most};
use crate::kind::{Diagram, DiagramError, Picture};
use crate::model::MessageTimes;
use crate::units::{NodeId, Ticks};
use std::collections::BTreeMap;

impl Plan<'_> {
    pub(super) fn timing(&self) -> Result<Vec<Picture>, DiagramError> {
        Diagram::Timing.within(self.nodes(), "lanes", most::LANES)?;
        let lanes = (0..self.nodes()).map(|node| node.to_string()).collect();
        let measured = transfers(&self.execute().log);
        Ok(vec![Picture::Timing(Timing { lanes, ports: 1, predicted: Vec::new(), measured })])
    }

    /// The trees as planned, each with the times at which it would inform nodes alone under the forecasts; then which
    /// node informed which in the end.
    pub(super) fn tree_pictures(&self) -> Result<Vec<Picture>, DiagramError> {
        Diagram::Tree.within(self.nodes(), "nodes", most::TREE_NODES)?;
        let root = self.workload.root;
        let spread = self.execute().spread;
        let mut pictures: Vec<Tree> = Vec::new();
        for (number, tree) in self.trees.iter().enumerate() {
            let informed = tree.informed(&self.costs.predicted, root);
            let title = match self.trees.len() {
                1 => "tree, predicted".to_owned(),
                _ => format!("tree {number} alone, predicted"),
            };
            let end = informed.iter().flatten().max().copied().unwrap_or_default();
            pictures.push(tree_of(title, end, root, tree.edges(), informed));
        }
        let mut edges: Vec<(Ticks, NodeId, NodeId)> = Vec::new();
        for (node, (parent, at)) in spread.parent.iter().zip(&spread.informed).enumerate() {
            edges.extend(parent.zip(*at).map(|(parent, at)| (at, parent, NodeId::new(node))));
        }
        edges.sort_unstable();
        let edges: Vec<(NodeId, NodeId)> = edges.into_iter().map(|(_, src, dst)| (src, dst)).collect();
        let title = "resulting tree, measured".to_owned();
        let measured = tree_of(title, spread.completion, root, &edges, spread.informed);
        if let [only] = pictures.as_mut_slice()
            && only.is_like(&measured)
        {
            only.title = "tree, predicted and measured (identical)".to_owned();
        } else {
            pictures.push(measured);
        }
        Ok(pictures.into_iter().map(Picture::Tree).collect())
    }
}

fn tree_of(title: String, end: Ticks, root: NodeId, edges: &[(NodeId, NodeId)], informed: Vec<Option<Ticks>>) -> Tree {
    let mut receivers = vec![Vec::new(); informed.len()];
    for &(src, dst) in edges {
        receivers[src.index()].push(dst.index());
    }
    let names = (0..informed.len()).map(|node| node.to_string()).collect();
    Tree { title, end, root: root.index(), receivers, names, informed, ..Tree::default() }
}

/// What the events of a broadcast say of its transfers. One that another sender replaced, or that was given up, is
/// broken off; the time of a contest belongs to the transfer that wins it. What was broken off before anything was sent
/// is left out, and so is the second of two senders in parallel, of whose start there is no event.
fn transfers(log: &[Event]) -> Vec<Transfer> {
    let mut open = BTreeMap::<(NodeId, NodeId), Ticks>::new();
    let mut transfers = Vec::new();
    for &(now, what, src, dst) in log {
        let (ended, received) = match what {
            Happening::Start => (None, false),
            Happening::Done => (Some(src), true),
            Happening::GaveUp => (Some(src), false),
            Happening::Switch(other) => (Some(other), false),
            Happening::Refused | Happening::Keep(_) => continue,
        };
        if let Some((src, start)) = ended.and_then(|src| Some((src, open.remove(&(src, dst))?)))
            && now > start
        {
            let took = (now - start).0;
            let times = MessageTimes { send: took, hold: took, arrival: took, receive: 0, receive_hold: 0 };
            transfers.push(Transfer {
                src: src.index(),
                dst: dst.index(),
                port: 0,
                landing: None,
                start: start.0,
                times,
                combine: 0,
                received,
                blocked: false,
            });
        }
        if matches!(what, Happening::Start | Happening::Switch(_)) {
            open.insert((src, dst), now);
        }
    }
    transfers
}
