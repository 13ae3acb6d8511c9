//! A multicast algorithm of one's own: who holds a stretch of the group gives a third of it away, until it is alone.
//! `cargo run --example own-algorithm`

use flitwise::prelude::*;
use std::error::Error;
use std::io::{Write, stdout};

/// The group's nodes from 0 to `size`, the source first.
struct Thirds {
    size: usize,
}

/// Positions of the group, the holder first.
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
        schedule.check(&group[1..])?; // each destination receives once, from a node that has the message
        Ok(Simulation::new(&network, ScheduleProgram::new(&schedule, &node)).run()?.completion)
    };
    let table = OptTable::new(64, model, 1);
    let best = table.time(64);
    let optimal = time(Schedule::split(&OptTree { table }, &group, 64, Flits(256)))?;
    let thirds = time(Schedule::split(&Thirds { size: 64 }, &group, 64, Flits(256)))?;
    let sequential = time(Schedule::split(&Sequential { size: 64 }, &group, 64, Flits(256)))?;
    assert!(best <= optimal.0 && best <= thirds.0, "no tree beats the optimum of the model");
    assert!(thirds < sequential);
    Ok(writeln!(stdout(), "optimal {optimal}, thirds {thirds}, one by one {sequential} ticks")?)
}
