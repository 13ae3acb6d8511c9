//! The router engine on links with clocks of their own, compared with the plain simulation, which tries every tick.

use crate::costs::{Buffer, Timing};
use crate::engine::router::{Delivery, Offer, RouterCosts, RouterEvent, Traffic, run};
use crate::random;
use crate::routing::relation::DIMENSION_ORDER;
use crate::routing::{Lattice, Pace, Relation};
use crate::topology::{LinkClock, LinkCost};
use rand::{Rng, RngExt};
use rand_pcg::Pcg64;
use std::collections::VecDeque;
use std::num::NonZeroU32;
use std::ops::Range;

/// Lists of packets by node, and those that have arrived.
#[derive(Clone, Default)]
struct Packets {
    offers: Vec<VecDeque<Offer>>,
    deliveries: Vec<Delivery>,
}

impl Traffic for Packets {
    fn next(&mut self, node: u32, _: u32) -> Option<Offer> {
        self.offers[node as usize].pop_front()
    }

    fn event(&mut self, event: RouterEvent) {
        if let RouterEvent::Delivered(delivery) = event {
            self.deliveries.push(delivery);
        }
    }

    fn counted(&self) -> Range<u64> {
        0..0
    }

    fn goes_on(&self, _: u64) -> bool {
        true
    }
}

impl Packets {
    fn draw(random: &mut Pcg64, nodes: u32) -> Self {
        let longest = random.random_range(1..14);
        let list = |number| {
            let mut created = 0;
            let mut offer = |sequence| {
                created += random.random_range(0..30);
                let dst = random.random_range(0..nodes);
                let flits = random.random_range(1..=longest);
                Offer { number, created, dst, flits, random_bits: random.next_u64(), class: 0, sequence }
            };
            (0..8).map(&mut offer).collect()
        };
        Self { offers: (0..nodes).map(list).collect(), deliveries: Vec::new() }
    }

    /// The deliveries in an order that does not depend on the engine.
    fn sorted(mut self) -> Vec<Delivery> {
        self.deliveries.sort_unstable_by_key(|packet| (packet.src, packet.created, packet.dst, packet.delivered));
        self.deliveries
    }
}

/// A link that may have a clock and a buffer of its own.
fn pace(random: &mut Pcg64, cycle: u32) -> Pace {
    let period = NonZeroU32::new(random.random_range(1..8));
    let clock = period.map(|period| LinkClock { period, cycle, stages: random.random_range(0..3) });
    let own_buffer = NonZeroU32::new(random.random_range(0..12));
    let cost = LinkCost::new(random.random_range(1..12), random.random_range(0..9));
    match random.random_range(0..4) {
        0 => Pace { own_buffer, ..Pace::EVEN },
        _ => Pace::of(LinkCost { clock, own_buffer, ..cost }, cycle.into()),
    }
}

#[test]
fn the_engine_and_the_plain_simulation_agree_on_links_with_clocks() {
    for seed in 0..400 {
        let random = &mut random::stream(seed, "clocks", 0);
        let shape = [vec![4], vec![2, 3], vec![3, 3]][random.random_range(0..3)].clone();
        let cycle = random.random_range(1..5);
        let order: Vec<usize> = (0..shape.len()).collect();
        let vcs = random.random_range(1..4);
        let relation = Relation::new(Lattice::new(&shape, false, &order), &DIMENSION_ORDER, vcs);
        let paces: Vec<Pace> = shape.iter().map(|_| pace(random, cycle)).collect();
        let relation = relation.with_paces(paces.clone());
        let buffer = random.random_range(1..9);
        let buffer = if random.random() { Buffer::RoundTrip } else { Buffer::Flits(buffer) };
        let timing = Timing::pipelined(random.random_range(1..4), random.random_range(0..2));
        let costs = RouterCosts { timing, buffer, speculative: random.random(), ..RouterCosts::default() };
        let nodes = shape.iter().product::<usize>();
        let packets = Packets::draw(random, crate::units::narrow(nodes, "a small network"));
        let mut fast = packets.clone();
        let ended = run(&relation, costs, &mut fast);
        let mut slow = packets;
        let done = super::run(&relation, costs, None, &mut slow);
        let description = format!("{seed}: {shape:?} {vcs} {costs:?} {paces:?}");
        let [fast, slow] = [fast, slow].map(Packets::sorted);
        assert_eq!((fast.len(), done.stuck), (8 * nodes, 0), "{description}");
        assert_eq!(fast, slow, "{description}");
        assert_eq!(ended.moved, done.moved, "{description}");
    }
}
