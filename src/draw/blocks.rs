//! Tables of blocks: what a node of an exchange holds before the first step and after each.
//!
//! On a ring every node has a row; on a torus of two dimensions one node has a table, as in Figs. 8 and 9 of the
//! all-to-all exchange paper. What a step brought is darker.
//!
//! # Where a block stands
//!
//! The paper's nodes keep blocks in an array with a row and a column per node of the torus and say which slot a block
//! moves to (sections 2.2 and 2.3). In closed form: along each dimension a block that is still on its way to the pair
//! of neighbours that holds its destination stands at the coordinate of the destination, any other at `source +
//! destination - node`. Where an algorithm's blocks do not fit in so, they stand in order of source and destination.

use super::canvas::Surface;
use super::ink::Rgb;
use super::sheet::{SMALL, Sheet, nth};
use super::text::{Side, width};
use crate::kind::{Block, BlockHoldings};
use crate::units::NodeId;

/// Pixels of a block.
const CELL: i32 = 34;

/// Which node holds which blocks after some steps.
struct Holders {
    /// The holder of each block, by source and destination.
    holders: Vec<NodeId>,
    /// Whether the last step moved it.
    moved: Vec<bool>,
}

pub(super) fn sheets(holdings: &BlockHoldings, names: &[String]) -> Vec<Sheet> {
    let mut now = Holders::new(holdings.nodes);
    let mut sheets = vec![table(holdings, &now, 0, names)];
    for step in 0..holdings.steps.len() {
        now.advance(holdings, step);
        sheets.push(table(holdings, &now, step + 1, names));
    }
    sheets.push(legend());
    sheets
}

/// What the tables of the other sheets show.
fn legend() -> Sheet {
    let (mut sheet, top) = Sheet::titled("");
    for (y, fill, text) in
        [(top, Rgb::WHITE, "source above destination"), (top + CELL, Rgb::PALE, "moved in this step")]
    {
        sheet.block((0, y), (CELL, y + CELL), Surface::bordered(fill));
        sheet.text((CELL + 10, y + CELL / 2), Side::Left, SMALL, text);
    }
    sheet
}

fn table(holdings: &BlockHoldings, now: &Holders, after: usize, names: &[String]) -> Sheet {
    let ring = holdings.shape.len() == 1;
    let when = if after == 0 { "initially".to_owned() } else { format!("after step {}", after - 1) };
    let title = if ring { when } else { format!("node {}, {when}", names[0]) };
    let (mut sheet, top) = Sheet::titled(&title);
    let wide = (width(&names[holdings.nodes - 1], SMALL) + 10).max(CELL);
    let left = if ring { wide } else { 0 };
    for (row, line) in lines(holdings, now).iter().enumerate() {
        let y = nth(top, CELL, row);
        if ring {
            sheet.text((left - 8, y + CELL / 2), Side::Right, SMALL, names[row].as_str());
        }
        for (column, block) in line.iter().enumerate() {
            let x = nth(left, wide, column);
            let moved = block.is_some_and(|block| now.moved(block, holdings.nodes));
            let fill = if moved { Rgb::PALE } else { Rgb::WHITE };
            let cell = sheet.block((x, y), (x + wide, y + CELL), Surface::bordered(fill));
            if let Some((source, destination)) = *block {
                cell.tip = format!("block from {} to {}", names[source.index()], names[destination.index()]);
                sheet.text((x + wide / 2, y + 10), Side::Middle, SMALL, names[source.index()].as_str());
                sheet.text((x + wide / 2, y + 24), Side::Middle, SMALL, names[destination.index()].as_str());
            }
        }
    }
    sheet
}

/// The lines of the table: one for each node of a ring, else those of the first node.
fn lines(holdings: &BlockHoldings, now: &Holders) -> Vec<Vec<Option<Block>>> {
    let nodes = holdings.nodes;
    if let [_] = holdings.shape[..] {
        let held: Vec<Vec<Block>> = (0..nodes).map(|node| now.held(NodeId::new(node), nodes)).collect();
        let slots = held.iter().enumerate().map(|(node, held)| slots([1, nodes], held, NodeId::new(node)));
        let slots: Option<Vec<_>> = slots.map(|rows| rows.map(|mut rows| rows.remove(0))).collect();
        return slots.unwrap_or_else(|| held.into_iter().map(|held| held.into_iter().map(Some).collect()).collect());
    }
    let held = now.held(NodeId(0), nodes);
    let slots = if let [rows, columns] = holdings.shape[..] { slots([rows, columns], &held, NodeId(0)) } else { None };
    let columns = holdings.shape.last().map_or(1, |&n| n.max(1));
    slots.unwrap_or_else(|| held.chunks(columns).map(|line| line.iter().copied().map(Some).collect()).collect())
}

impl Holders {
    /// Every node holds its own blocks.
    fn new(nodes: usize) -> Self {
        let holders: Vec<NodeId> = (0..nodes * nodes).map(|block| NodeId::new(block / nodes)).collect();
        Self { moved: vec![false; holders.len()], holders }
    }

    fn advance(&mut self, holdings: &BlockHoldings, step: usize) {
        self.moved.fill(false);
        for &((source, destination), holder) in &holdings.steps[step] {
            let block = source.index() * holdings.nodes + destination.index();
            self.holders[block] = holder;
            self.moved[block] = true;
        }
    }

    fn held(&self, node: NodeId, nodes: usize) -> Vec<Block> {
        let held = self.holders.iter().enumerate().filter(|(_, holder)| **holder == node);
        held.map(|(block, _)| (NodeId::new(block / nodes), NodeId::new(block % nodes))).collect()
    }

    fn moved(&self, (source, destination): Block, nodes: usize) -> bool {
        self.moved[source.index() * nodes + destination.index()]
    }
}

/// The table of `held`, the blocks of `node` of a torus of `rows` and `columns`, by the rule of the paper, if they fit.
fn slots([rows, columns]: [usize; 2], held: &[Block], node: NodeId) -> Option<Vec<Vec<Option<Block>>>> {
    let mut table = vec![vec![None; columns]; rows];
    for &block in held {
        let [row, column] = slot([rows, columns], block, node);
        if table[row][column].replace(block).is_some() {
            return None;
        }
    }
    Some(table)
}

fn slot(shape: [usize; 2], (source, destination): Block, node: NodeId) -> [usize; 2] {
    let mut slot = [0, 0];
    let mut stride = 1;
    for (place, n) in slot.iter_mut().rev().zip(shape.into_iter().rev()) {
        let [source, destination, node] = [source, destination, node].map(|node| node.index() / stride % n);
        let home = destination == node || destination == (node + 1) % n;
        *place = if home { (source + destination + n - node) % n } else { destination };
        stride *= n;
    }
    slot
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]
mod tests {
    use super::*;
    use crate::algorithm::exchange::ALGORITHMS;
    use crate::schedule::ExchangeMessage;
    use serde_json::Value;

    fn pair(value: &Value) -> Vec<u64> {
        value.as_array().unwrap().iter().map(|n| n.as_u64().unwrap()).collect()
    }

    /// Figs. 8 and 9 of the all-to-all paper slot by slot, against an independent implementation of its rules.
    #[test]
    fn node_0_of_a_6x6_torus_keeps_blocks_where_the_paper_does() {
        let oracle: Value = serde_json::from_str(include_str!("../../tests/data/exchange/fig8_fig9.json")).unwrap();
        let states = ["phaseX", "phaseY"].map(|phase| oracle[phase].as_array().unwrap().clone());
        let double_hop = ALGORITHMS.iter().find(|algorithm| algorithm.name == "double-hop").unwrap();
        let exchange = double_hop.plan(&[6, 6]).unwrap();
        // the state before phase Y is that after phase X
        let expected: Vec<&Value> = states[0].iter().chain(&states[1][1..]).collect();
        let moved = |message: ExchangeMessage<'_>| {
            exchange.blocks(message.id).into_iter().map(move |block| (block, message.dst))
        };
        let steps = (0..exchange.steps()).map(|step| exchange.messages(step).flat_map(moved).collect()).collect();
        let holdings = BlockHoldings { shape: vec![6, 6], nodes: exchange.nodes(), steps };
        let mut now = Holders::new(holdings.nodes);
        for (after, expected) in expected.iter().enumerate() {
            if after > 0 {
                now.advance(&holdings, after - 1);
            }
            for (row, line) in lines(&holdings, &now).iter().enumerate() {
                for (column, block) in line.iter().enumerate() {
                    let (source, destination) = block.unwrap();
                    let of = |node: NodeId| vec![u64::from(node.0 / 6), u64::from(node.0 % 6)];
                    let slot = &expected[row][column];
                    assert_eq!(
                        (of(source), of(destination)),
                        (pair(&slot[0]), pair(&slot[1])),
                        "{after} {row} {column}"
                    );
                }
            }
        }
    }
}
