//! Routing on one-way tori side by side: dimension after dimension, round each ring the only way it leads.
//!
//! A virtual channel has a *dateline bit*: 0 at the start and after a turn, 1 on the link that wraps round and after it. Within a
//! ring bits only grow, the first links after the wrap are never taken with bit 0 by who comes from there, and dimensions
//! are in order, so no cycle of channels can wait for each other.

use super::{LinkRouting, OrderError, Step, permutation};
use crate::topology::{Direction, LatticeLinks, Links, SideBySide};
use crate::units::{NodeId, RouterId};
use std::sync::Arc;

/// Values of the dateline bit.
pub const BITS: u8 = 2;

/// Dimension order on one-way tori; every second torus takes the dimensions last first.
#[derive(Clone, Debug)]
pub struct OneWay {
    links: Arc<SideBySide>,
    order: Vec<usize>,
    classes: u8,
}

impl OneWay {
    /// Over `links`, the dimensions in this `order`, with as many classes of virtual channels for each of so many `kinds` of
    /// messages as the bit has values; paths are those of the first kind.
    ///
    /// # Errors
    /// If the order does not name each dimension once.
    pub fn new(links: Arc<SideBySide>, order: &[usize], kinds: u8) -> Result<Self, OrderError> {
        permutation(order, links.torus(0).coordinates().dimensions())?;
        Ok(Self { links, order: order.to_vec(), classes: BITS * kinds })
    }

    /// The dimensions in the order of torus `number`.
    pub fn dimensions(&self, number: usize) -> Vec<usize> {
        let mut order = self.order.clone();
        if number % 2 == 1 {
            order.reverse();
        }
        order
    }

    /// The links.
    pub fn links(&self) -> &SideBySide {
        &self.links
    }

    /// The step from `at`, along `dimension`, of a message that has the dateline bit `bit`; and where it leads.
    pub fn step(&self, at: RouterId, dimension: usize, bit: u8) -> Option<(Step, RouterId)> {
        let (number, router) = self.links.place(at);
        let (link, to) = self.links.hop(at, dimension)?;
        let wraps = wraps(self.links.torus(number), router, dimension);
        Some((Step { link, class: bit | u8::from(wraps) }, to))
    }
}

/// Whether the link from `router` along `dimension` leads over the edge.
fn wraps(torus: &LatticeLinks, router: RouterId, dimension: usize) -> bool {
    let at = torus.coordinate(router, dimension);
    match torus.direction(dimension) {
        Some(Direction::Minus) => at == 0,
        _ => at + 1 == torus.coordinates().shape()[dimension],
    }
}

impl LinkRouting for OneWay {
    fn classes(&self) -> u8 {
        self.classes
    }

    /// Behind those of two other kinds.
    fn tree_class(&self) -> Option<u8> {
        (self.classes > 2 * BITS).then_some(2 * BITS)
    }

    /// None between nodes of different tori.
    fn path(&self, src: NodeId, dst: NodeId, path: &mut Vec<Step>) {
        let mut at = self.links.router_of(src);
        let goal = self.links.router_of(dst);
        let (number, to) = self.links.place(goal);
        if self.links.place(at).0 != number {
            return;
        }
        let torus = self.links.torus(number);
        for dimension in self.dimensions(number) {
            let wanted = torus.coordinate(to, dimension);
            let mut bit = 0;
            while torus.coordinate(self.links.place(at).1, dimension) != wanted {
                let Some((step, next)) = self.step(at, dimension, bit) else { break };
                bit = step.class;
                path.push(step);
                at = next;
            }
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]
mod tests {
    use super::*;
    use crate::topology::Coordinates;

    fn tori() -> OneWay {
        let torus = LatticeLinks::new(Coordinates::torus(&[10, 12])).with_directions(vec![Some(Direction::Plus); 2]);
        OneWay::new(Arc::new(SideBySide::new(torus, true)), &[0, 1], 2).unwrap()
    }

    fn path(src: u32, dst: u32) -> Vec<String> {
        let tori = tori();
        let mut path = Vec::new();
        tori.path(NodeId(src), NodeId(dst), &mut path);
        path.iter().map(|step| format!("{} {}", tori.links().link_name(step.link), step.class)).collect()
    }

    /// Node (x, y) is 12 x + y, and in the second torus 120 more.
    #[test]
    fn the_first_torus_grows_x_first_and_the_second_shrinks_y_first() {
        let east = ["noc 0 (8,11)->(9,11) 0", "noc 0 (9,11)->(0,11) 1", "noc 0 (0,11)->(1,11) 1"];
        let south = ["noc 0 (1,11)->(1,0) 1", "noc 0 (1,0)->(1,1) 1"];
        assert_eq!(path(8 * 12 + 11, 12 + 1), [&east[..], &south[..]].concat());
        let north = ["noc 1 (1,1)->(1,0) 0", "noc 1 (1,0)->(1,11) 1"];
        let west = ["noc 1 (1,11)->(0,11) 0", "noc 1 (0,11)->(9,11) 1", "noc 1 (9,11)->(8,11) 1"];
        assert_eq!(path(120 + 12 + 1, 120 + 8 * 12 + 11), [&north[..], &west[..]].concat());
        assert_eq!(path(5, 5), [""; 0]);
    }

    #[test]
    fn there_and_back_is_whole_rings() {
        let tori = tori();
        for (src, dst) in [(0, 13), (119, 7), (50, 49), (50, 62)] {
            let [x, y] = [src / 12 != dst / 12, src % 12 != dst % 12];
            let rings = 10 * usize::from(x) + 12 * usize::from(y);
            let both = tori.hops(NodeId(src), NodeId(dst)) + tori.hops(NodeId(dst), NodeId(src));
            assert_eq!(both, rings);
        }
    }
}
