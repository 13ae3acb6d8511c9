//! A custom topology: the Petersen graph. It has ten routers of degree 3, and its diameter is 2.
//! `cargo run --example own-topology`

use flitwise::prelude::*;
use std::{error::Error, io::Write, io::stdout};

/// Five routers in a ring, five in a star inside it, and a spoke between each pair. Each router has one node.
#[derive(Debug)]
struct Petersen;

impl Links for Petersen {
    fn nodes(&self) -> usize {
        10
    }

    fn routers(&self) -> usize {
        10
    }

    fn count(&self) -> usize {
        30 // fifteen edges, with a link in each direction
    }

    fn router_of(&self, node: NodeId) -> RouterId {
        RouterId(node.0)
    }

    fn ends(&self, link: LinkId) -> (RouterId, RouterId) {
        let at = link.0 / 2 % 5;
        let (one, other) = [(at, (at + 1) % 5), (at, at + 5), (at + 5, (at + 2) % 5 + 5)][link.index() / 10];
        if link.0.is_multiple_of(2) { (RouterId(one), RouterId(other)) } else { (RouterId(other), RouterId(one)) }
    }
}

impl LinkRouting for Petersen {
    /// The second link of a path has a separate class, so that messages do not wait for each other in a cycle.
    fn classes(&self) -> u8 {
        2
    }

    fn path(&self, src: NodeId, dst: NodeId, path: &mut Vec<Step>) {
        let link = |from, to| (0..30).map(LinkId).find(|&link| self.ends(link) == (RouterId(from), RouterId(to)));
        let direct = link(src.0, dst.0).map(|first| vec![first]);
        let between = || (0..10).find_map(|via| Some(vec![link(src.0, via)?, link(via, dst.0)?]));
        let links = if src == dst { Vec::new() } else { direct.or_else(between).unwrap_or_default() };
        path.extend((0..).zip(links).map(|(class, link)| Step { link, class }));
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    let network = LinkNetwork::over(Petersen, 2, Petersen)?;
    let pairs = (0..100).map(|pair| (NodeId(pair / 10), NodeId(pair % 10))).filter(|(src, dst)| src != dst);
    let messages: Vec<_> =
        pairs.map(|(src, dst)| TraceMessage { src, dst, flits: Flits(64), start: Ticks(0) }).collect();
    let outcome = Simulation::new(&network, TraceProgram::new(&messages)).run()?;
    let links: u32 = outcome.messages.iter().map(|message| message.hops).sum();
    assert_eq!(links, 10 * (3 + 6 * 2)); // three neighbours, and six nodes at distance 2
    assert!(outcome.completion >= Ticks(9 * 64)); // a node receives one flit per tick
    Ok(writeln!(stdout(), "all-to-all: {} messages over {links} links, {} ticks", messages.len(), outcome.completion)?)
}
