//! Tables of blocks: what a node of an exchange holds before the first step and after each.
//!
//! On a ring every node has a row; on a torus of two dimensions one node has a table, as in Figs. 8 and 9 of the
//! all-to-all exchange paper. What a step brought is darker.
//!
//! # Where a block stands
//!
//! The paper's nodes keep blocks in an array with a row and a column per node of the torus and say which slot a block
//! moves to (sections 2.2 and 2.3). In closed form: along each dimension a block that is still on its way to the pair of
//! neighbours that holds its destination stands at the coordinate of the destination, any other at `source + destination -
//! node`. Where an algorithm's blocks do not fit in so, they stand in order of source and destination.

use super::sheet::{Colour, SMALL, Sheet, Side, nth, width};
use crate::schedule::Exchange;
use crate::units::NodeId;

/// More nodes than this have tables that nobody reads.
pub(super) const MOST: usize = 64;
/// More steps, too.
pub(super) const MOST_STEPS: usize = 32;

type Block = (NodeId, NodeId);

/// Who holds which blocks.
struct Holdings {
    /// The holder of each block, by source and destination.
    holders: Vec<NodeId>,
    /// Whether the last step moved it.
    moved: Vec<bool>,
}

/// The tables of `exchange`, whose nodes are called as `name` says.
pub(super) fn sheets(exchange: &Exchange, name: &dyn Fn(NodeId) -> String) -> Vec<Sheet> {
    let nodes = exchange.nodes();
    let holders: Vec<NodeId> = (0..nodes * nodes).map(|block| NodeId::new(block / nodes)).collect();
    let mut now = Holdings { moved: vec![false; holders.len()], holders };
    let mut sheets = Vec::new();
    for after in 0..=exchange.steps() {
        if let Some(step) = after.checked_sub(1) {
            now.moved.fill(false);
            for message in exchange.messages(step) {
                for (source, destination) in exchange.blocks(message.id) {
                    let block = source.index() * nodes + destination.index();
                    (now.holders[block], now.moved[block]) = (message.dst, true);
                }
            }
        }
        sheets.push(table(exchange, &now, after, name));
    }
    sheets
}

fn table(exchange: &Exchange, now: &Holdings, after: usize, name: &dyn Fn(NodeId) -> String) -> Sheet {
    let ring = exchange.shape().len() == 1;
    let when = if after == 0 { "at first".to_owned() } else { format!("after step {}", after - 1) };
    let title = if ring { when } else { format!("node {}, {when}", name(NodeId(0))) };
    let (mut sheet, top) = Sheet::titled(&title);
    let cell = (width(&name(NodeId::new(exchange.nodes() - 1)), SMALL) + 10, 34);
    let cell = (cell.0.max(34), cell.1);
    let left = if ring { cell.0 } else { 0 };
    let shown = if ring { exchange.nodes() } else { 1 };
    let mut row = 0;
    for node in (0..shown).map(NodeId::new) {
        let rows = slots(exchange, &now.held(node, exchange.nodes()), node);
        if ring {
            sheet.text((left - 8, nth(top + cell.1 / 2, cell.1, row)), Side::Right, SMALL, name(node));
        }
        for line in &rows {
            for (column, block) in line.iter().enumerate() {
                let at = (nth(left, cell.0, column), nth(top, cell.1, row));
                draw(&mut sheet, at, cell, block.map(|block| (block, now.moved(block, exchange.nodes()))), name);
            }
            row += 1;
        }
    }
    sheet
}

fn draw(
    sheet: &mut Sheet,
    (x, y): (i32, i32),
    (wide, high): (i32, i32),
    block: Option<(Block, bool)>,
    name: &dyn Fn(NodeId) -> String,
) {
    let fill = if block.is_some_and(|(_, moved)| moved) { Colour::Pale } else { Colour::White };
    sheet.block((x, y), (x + wide, y + high), fill);
    if let Some(((source, destination), _)) = block {
        sheet.text((x + wide / 2, y + 10), Side::Middle, SMALL, name(source));
        sheet.text((x + wide / 2, y + 24), Side::Middle, SMALL, name(destination));
    }
}

impl Holdings {
    fn held(&self, node: NodeId, nodes: usize) -> Vec<Block> {
        let held = self.holders.iter().enumerate().filter(|(_, holder)| **holder == node);
        held.map(|(block, _)| (NodeId::new(block / nodes), NodeId::new(block % nodes))).collect()
    }

    fn moved(&self, (source, destination): Block, nodes: usize) -> bool {
        self.moved[source.index() * nodes + destination.index()]
    }
}

/// The rows of the table of `held`, the blocks of `node`.
fn slots(exchange: &Exchange, held: &[Block], node: NodeId) -> Vec<Vec<Option<Block>>> {
    let in_order = || held.chunks(columns(exchange)).map(|line| padded(line, columns(exchange))).collect();
    let rows = match exchange.shape() {
        [_] => 1,
        [rows, _] => *rows,
        _ => return in_order(),
    };
    let mut table = vec![vec![None; columns(exchange)]; rows];
    for &block in held {
        let [row, column] = slot(exchange.shape(), block, node);
        match &mut table[row][column] {
            slot @ None => *slot = Some(block),
            Some(_) => return in_order(),
        }
    }
    table
}

fn columns(exchange: &Exchange) -> usize {
    exchange.shape().last().map_or(1, |&n| n.max(1))
}

fn padded(line: &[Block], columns: usize) -> Vec<Option<Block>> {
    line.iter().copied().map(Some).chain(std::iter::repeat(None)).take(columns).collect()
}

/// Row and column of `block` at `node` by the rule of the paper; on a ring the row is 0.
fn slot(shape: &[usize], (source, destination): Block, node: NodeId) -> [usize; 2] {
    let (mut slot, mut stride) = ([0, 0], 1);
    for (place, &n) in slot.iter_mut().rev().zip(shape.iter().rev()) {
        let [source, destination, node] = [source, destination, node].map(|node| node.index() / stride % n);
        let home = destination == node || destination == (node + 1) % n;
        *place = if home { (source + destination + n - node) % n } else { destination };
        stride *= n;
    }
    slot
}
