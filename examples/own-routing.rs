//! A custom routing: clockwise round a ring. If all nodes send long messages halfway round, they deadlock, unless messages that
//! pass node 0 continue on the second virtual channel. `cargo run --example own-routing`

use flitwise::prelude::*;
use std::error::Error;
use std::io::{Write, stdout};

struct Clockwise {
    ring: Torus,
    has_dateline: bool,
}

impl Network for Clockwise {
    fn channels(&self) -> &dyn Channels {
        &self.ring
    }

    fn route(&self, src: NodeId, dst: NodeId, path: &mut Vec<ChannelId>) {
        let nodes = NodeId::new(self.ring.nodes());
        path.push(self.ring.injection(src));
        let mut at = src;
        let mut vc = 0;
        while at != dst {
            path.push(self.ring.link(at, 0, Direction::Plus, vc));
            at = NodeId((at.0 + 1) % nodes.0);
            if at == NodeId(0) && self.has_dateline {
                vc = 1;
            }
        }
        path.push(self.ring.ejection(dst));
    }
}

/// Simulates a ring of four nodes. Each node sends to the opposite one.
fn run(has_dateline: bool) -> Result<Result<Outcome, Stop>, Box<dyn Error>> {
    let network = Clockwise { ring: Torus::new(&[4], 1, 2)?, has_dateline };
    let message = |node| TraceMessage { src: node, dst: NodeId((node.0 + 2) % 4), flits: Flits(100), start: Ticks(0) };
    let messages: Vec<TraceMessage> = (0..4).map(NodeId).map(message).collect();
    Ok(Simulation::new(&network, TraceProgram::new(&messages)).run())
}

fn main() -> Result<(), Box<dyn Error>> {
    match run(false)? {
        Err(Stop::Deadlock(deadlock)) => {
            assert_eq!(deadlock.cycle.len(), 4);
            writeln!(stdout(), "without a dateline: {deadlock}")?;
        }
        ended => return Err(format!("not a deadlock: {ended:?}").into()),
    }
    let outcome = run(true)??;
    assert_eq!(outcome.messages.len(), 4);
    Ok(writeln!(stdout(), "with a dateline: completed after {} ticks", outcome.completion)?)
}
