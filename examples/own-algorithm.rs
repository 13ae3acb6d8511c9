//! A custom multicast algorithm: the holder of a range of the group repeatedly gives the last third of it to another node.
//! `cargo run --example own-algorithm`

use flitwise::prelude::*;
use std::error::Error;
use std::io::{Write, stdout};

/// Splits the positions 0 to `size - 1` of the group. The source is at position 0.
struct Thirds {
    size: usize,
}

/// A range of positions of the group. Its first node is the holder.
#[derive(Clone, Copy)]
struct Stretch {
    start: usize,
    end: usize,
}

impl Split for Thirds {
    type Block = Stretch;

    fn whole(&self) -> Stretch {
        Stretch { start: 0, end: self.size }
    }

    fn holder(&self, block: &Stretch) -> usize {
        block.start
    }

    fn give(&self, block: &mut Stretch) -> Option<Stretch> {
        let size = block.end - block.start;
        let given = Stretch { start: block.end - size.div_ceil(3), end: block.end };
        block.end = given.start;
        (size > 1).then_some(given)
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    let network = DimensionOrder::first_coordinate_first(Mesh::new(&[8, 8], 1)?);
    let group: Vec<NodeId> = (0..64).map(NodeId).collect();
    let node = NodeCosts::default().sending(200, 1).receiving(900, 1);
    let model = Parameterised::derived(&node, ChannelCosts::default(), Flits(256));

    let time = |schedule: Schedule| -> Result<Ticks, Box<dyn Error>> {
        schedule.check(&group[1..])?; // each destination receives the message once, from a node that has it
        Ok(Simulation::new(&network, ScheduleProgram::new(&schedule, &node)).run()?.completion)
    };
    let table = OptTable::new(64, model, 1);
    let best = table.time(64);
    let optimal = time(Schedule::split(&OptTree { table }, &group, 64, Flits(256)))?;
    let thirds = time(Schedule::split(&Thirds { size: 64 }, &group, 64, Flits(256)))?;
    let sequential = time(Schedule::split(&Sequential { size: 64 }, &group, 64, Flits(256)))?;
    assert!(best <= optimal.0 && best <= thirds.0, "a tree is faster than the optimum of the model");
    assert!(thirds < sequential);
    Ok(writeln!(stdout(), "optimal: {optimal} ticks, thirds: {thirds} ticks, sequential: {sequential} ticks")?)
}
