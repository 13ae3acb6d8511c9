//! Universal globally adaptive load balancing: minimal, or by a detour that is drawn, depending on the queues at the source.
//!
//! The delay of a path is taken for the flits that wait for its first link times its links. A packet compares both once, when
//! it is at its source's router, and goes the minimal way unless the detour is shorter by more than a threshold.
//!
//! Source: Singh, *Load-balanced routing in interconnection networks*, PhD thesis, Stanford 2005; Kim, Dally, Scott and Abts,
//! ISCA 2008.

use super::{LinkRouting, Load, PacketState, PathVisitor};
use crate::routing::Step;
use crate::units::{Key, NodeId};
use std::fmt;
use std::ops::ControlFlow;

/// The threshold of a detour.
pub(crate) const UGAL_THRESHOLD: Key = Key::integer("ugal_threshold", 0..=1 << 32)
    .or(2)
    .unit("flits times links")
    .read_if("routing", &["ugal"])
    .says("margin by which the estimated delay of the minimal path must exceed that of the detour before a packet takes the detour");

/// Paths that may be minimal, and ones that make a detour.
pub trait Detours: fmt::Debug + Send + Sync {
    /// The number of classes of virtual channels that keep both together free of deadlock.
    fn classes(&self) -> u8;

    /// Appends the minimal path from `src` to `dst` to `path`.
    fn minimal(&self, src: NodeId, dst: NodeId, path: &mut Vec<Step>);

    /// Appends the detour that a packet draws to `path`, if it draws one.
    fn detour(&self, leg: &PacketState, path: &mut Vec<Step>);

    /// Calls `each` with every detour from `src` to `dst` that can be drawn, until it breaks.
    fn each_detour(&self, src: NodeId, dst: NodeId, each: &mut PathVisitor<'_>) -> ControlFlow<()>;
}

/// The minimal path or a detour, depending on the queues at the source.
#[derive(Clone, Debug)]
pub struct Ugal<D> {
    detours: D,
    threshold: u64,
}

impl<D: Detours> Ugal<D> {
    /// The minimal path if its flits times links exceed those of the detour by at most `threshold`.
    pub fn new(detours: D, threshold: u64) -> Self {
        Self { detours, threshold }
    }
}

impl<D: Detours> LinkRouting for Ugal<D> {
    fn classes(&self) -> u8 {
        self.detours.classes()
    }

    fn reads_load(&self) -> bool {
        true
    }

    fn extend(&self, leg: &PacketState, load: &Load<'_>, path: &mut Vec<Step>) {
        let mut detour = Vec::new();
        self.detours.minimal(leg.src, leg.dst, path);
        self.detours.detour(leg, &mut detour);
        let delay = |path: &[Step]| path.first().map(|step| u64::from(load(step.link)) * path.len() as u64);
        let worth = |delays: (u64, u64)| delays.0 > delays.1.saturating_add(self.threshold);
        if delay(path).zip(delay(&detour)).is_some_and(worth) {
            *path = detour;
        }
    }

    fn each_path(&self, src: NodeId, dst: NodeId, each: &mut PathVisitor<'_>) -> ControlFlow<()> {
        let mut minimal = Vec::new();
        self.detours.minimal(src, dst, &mut minimal);
        each(&minimal)?;
        self.detours.each_detour(src, dst, each)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::units::{LinkId, RouterId};

    /// A link on the minimal path, two on the detour.
    #[derive(Clone, Debug)]
    struct Triangle;

    fn step(link: u32) -> Step {
        Step { link: LinkId(link), class: 0 }
    }

    impl Detours for Triangle {
        fn classes(&self) -> u8 {
            1
        }

        fn minimal(&self, _: NodeId, _: NodeId, path: &mut Vec<Step>) {
            path.push(step(0));
        }

        fn detour(&self, _: &PacketState, path: &mut Vec<Step>) {
            path.extend([step(1), step(2)]);
        }

        fn each_detour(&self, _: NodeId, _: NodeId, each: &mut PathVisitor<'_>) -> ControlFlow<()> {
            each(&[step(1), step(2)])
        }
    }

    #[test]
    fn a_detour_is_made_where_the_minimal_path_has_more_flits_times_links_by_more_than_the_threshold() {
        let leg = PacketState { src: NodeId(0), dst: NodeId(1), at: RouterId(0), taken: 0, random_bits: 0 };
        for (minimal, detour, links) in [(0, 0, 1), (2, 0, 1), (3, 0, 2), (6, 2, 1), (7, 2, 2)] {
            let mut path = Vec::new();
            let load = |link: LinkId| if link.0 == 0 { minimal } else { detour };
            Ugal::new(Triangle, 2).extend(&leg, &load, &mut path);
            assert_eq!(path.len(), links, "{minimal} {detour}");
        }
    }
}
