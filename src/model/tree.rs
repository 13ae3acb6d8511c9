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
    /// Returns the costs without those of joins, and with buffers without limits: no tree takes less.
    #[must_use]
    pub fn least(self) -> Self {
        Self { combining: Combining { latency: 0, interval: 1 }, buffer: None, ..self }
    }

    /// The times from the requests of all injection channels of `tree` to the deliveries of a packet of `flits` flits, in the order of
    /// [`Tree::destinations`].
    pub fn deliveries(&self, tree: &Tree, flits: Flits) -> Vec<Ticks> {
        let operands = self.last_operands(tree);
        let spread = self.spread(tree, flits);
        let delivery = |place: usize| {
            let Operand { links, joins } = operands[place];
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

    /// By place, the operand that arrives last.
    fn last_operands(&self, tree: &Tree) -> Vec<Operand> {
        let per_link = self.network.unloaded(Flits(1), 1) - self.network.unloaded(Flits(1), 0);
        let per_join = self.combining.latency * self.network.flit_time();
        let time = |operand: &Operand| operand.links as u64 * per_link.0 + operand.joins * per_join;
        let mut operands: Vec<Operand> = Vec::with_capacity(tree.len());
        for place in 0..tree.len() {
            let feeds = tree.feeds(place);
            let last = feeds.iter().map(|&feed| operands[feed as usize]).max_by_key(time);
            let is_link = last.is_some() && tree.leads_to(place).is_some();
            let Operand { links, joins } = last.unwrap_or_default();
            operands.push(Operand { links: links + usize::from(is_link), joins: joins + u64::from(feeds.len() > 1) });
        }
        operands
    }
}

/// The links and joins that an operand has passed.
#[derive(Clone, Copy, Debug, Default)]
struct Operand {
    links: usize,
    joins: u64,
}

#[cfg(all(test, feature = "config"))]
#[allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]
mod tests {
    use super::*;
    use crate::costs::ChannelCosts;
    use crate::network::{Axes, MeshSpec, NetworkSpec, tree_network};
    use crate::random;
    use crate::routing::tree::{TreeNetwork, join, turn, union};
    use crate::units::NodeId;
    use rand::seq::IteratorRandom;
    use rand::{Rng, RngExt};

    /// The deliveries by the times at which each flit starts on each channel: a flit follows the one before it, the operands of a join
    /// with its latency, and the flit that leaves its slot of every buffer.
    fn by_recurrence(tree: &Tree, flits: usize, time: &TreeTime) -> Vec<Ticks> {
        let Combining { latency, interval } = time.combining;
        let mut starts = vec![vec![0_u64; flits]; tree.len()];
        for flit in 0..flits {
            for place in 0..tree.len() {
                let feeds = tree.feeds(place);
                let (latency, interval) = if feeds.len() > 1 { (latency, interval) } else { (0, 1) };
                let arrivals = feeds.iter().map(|&feed| starts[feed as usize][flit] + 1 + latency);
                let follows = flit.checked_sub(1).map(|before| starts[place][before] + interval);
                let gone = time.buffer.and_then(|buffer| flit.checked_sub(usize::try_from(buffer).ok()?));
                let frees = gone
                    .into_iter()
                    .flat_map(|gone| tree.outputs(place).iter().map(move |&next| (next, gone)).collect::<Vec<_>>());
                let frees: Vec<u64> = frees.map(|(next, gone)| starts[next as usize][gone]).collect();
                starts[place][flit] = arrivals.chain(follows).chain(frees).max().unwrap_or(0);
            }
        }
        tree.destinations().map(|place| Ticks(starts[place][flits - 1] + 1)).collect()
    }

    fn draw_tree(random: &mut impl Rng, network: &TreeNetwork) -> Tree {
        let size = random.random_range(2..7);
        let nodes: Vec<NodeId> = (0..network.channels().nodes()).map(NodeId::new).sample(random, size);
        match random.random_range(0..3) {
            0 => union(network, nodes[0], &nodes[1..]).unwrap(),
            1 => join(network, &nodes, nodes[0]),
            _ => turn(&join(network, &nodes, nodes[0]), &union(network, nodes[0], &nodes[1..]).unwrap()).unwrap(),
        }
    }

    #[test]
    fn deliveries_are_those_of_the_recurrence() {
        let mut random = random::stream(1, "times of trees", 0);
        let spec = MeshSpec::new(Axes { shape: vec![3, 4], order: vec![0, 1] });
        let network = tree_network(&spec, spec.build(1.into()).unwrap()).unwrap();
        for _ in 0..1000 {
            let combining = Combining { latency: random.random_range(0..9), interval: random.random_range(1..4) };
            let buffer = Some(random.random_range(1..8));
            let time = TreeTime { network: ChannelCosts::default().into(), combining, buffer };
            let flits = random.random_range(1..40);
            let tree = draw_tree(&mut random, &network);
            assert_eq!(
                time.deliveries(&tree, Flits(flits as u64)),
                by_recurrence(&tree, flits, &time),
                "{time:?}, {flits} flits on {tree:?}"
            );
        }
    }
}
