//! The time of a packet that routers copy or combine, alone in the network.
//!
//! Every destination receives the packet as if it were the only one. On the way of the operand that arrives last, `h` links and `j`
//! joins, the head flit takes the time of a unicast over `h` links, and the latency of a combination at each join. The other flits
//! follow at the interval of joins, or, where buffers of `B` flits do not cover the latency of a combination, `B` flits in the time that
//! a flit and its combination take.

use crate::costs::NetworkTime;
use crate::engine::router::Combining;
use crate::routing::tree::Tree;
use crate::units::{Flits, Ticks};

/// The costs that decide what a packet on a tree takes.
#[derive(Clone, Copy, Debug)]
pub struct TreeTime {
    /// The times of a message by one path.
    pub network: NetworkTime,
    /// The costs of joins.
    pub combining: Combining,
    /// The flits of the smallest buffer. `None` if no buffer limits a packet.
    pub buffer: Option<u64>,
}

impl TreeTime {
    /// The same with joins that cost nothing and buffers without limits: no tree takes less.
    #[must_use]
    pub fn least(self) -> Self {
        Self { combining: Combining { latency: 0, interval: 1 }, buffer: None, ..self }
    }

    /// The times from the requests of all injection channels of `tree` to the deliveries of a packet of `flits` flits, in the order of
    /// [`Tree::destinations`].
    pub fn deliveries(&self, tree: &Tree, flits: Flits) -> Vec<Ticks> {
        let ways = self.ways(tree);
        let spread = self.spread(tree, flits);
        let delivery = |place: usize| {
            let Way { links, joins } = ways[place];
            let latency = joins * self.combining.latency * self.network.flit_time();
            self.network.unloaded(flits, links) + Ticks(latency) + spread
        };
        tree.destinations().map(delivery).collect()
    }

    /// The time until all destinations of `tree` have a packet of `flits` flits.
    pub fn completion(&self, tree: &Tree, flits: Flits) -> Ticks {
        self.deliveries(tree, flits).into_iter().max().unwrap_or_default()
    }

    /// The time that joins add between the first flit and the last one.
    fn spread(&self, tree: &Tree, flits: Flits) -> Ticks {
        if tree.combinations() == 0 {
            return Ticks::ZERO;
        }
        let Combining { latency, interval } = self.combining;
        let after_first = flits.on_wire() - 1;
        let stalls = self.buffer.filter(|&buffer| !self.network.is_pipelined() && buffer * interval < 1 + latency);
        let cycles = match stalls {
            Some(buffer) => after_first / buffer * (1 + latency) + after_first % buffer * interval,
            None => after_first * interval,
        };
        Ticks((cycles - after_first) * self.network.flit_time())
    }

    /// By place, the links and joins on the way of the operand that arrives last.
    fn ways(&self, tree: &Tree) -> Vec<Way> {
        let per_link = self.network.unloaded(Flits(1), 1) - self.network.unloaded(Flits(1), 0);
        let per_join = self.combining.latency * self.network.flit_time();
        let time = |way: &Way| way.links as u64 * per_link.0 + way.joins * per_join;
        let mut ways: Vec<Way> = Vec::with_capacity(tree.len());
        for place in 0..tree.len() {
            let feeds = tree.feeds(place);
            let last = feeds.iter().map(|&feed| ways[feed as usize]).max_by_key(time);
            let is_link = last.is_some() && tree.leads_to(place).is_some();
            let Way { links, joins } = last.unwrap_or_default();
            ways.push(Way { links: links + usize::from(is_link), joins: joins + u64::from(feeds.len() > 1) });
        }
        ways
    }
}

/// The way of an operand.
#[derive(Clone, Copy, Debug, Default)]
struct Way {
    links: usize,
    joins: u64,
}
