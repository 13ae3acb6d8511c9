//! States of packets that have one path each.

use super::Certificate;
use super::states::{Request, States};
use crate::cancel;
use crate::routing::{LinkRouting, Step};
use crate::topology::Links;
use crate::units::{LinkId, NodeId, narrow};
use std::ops::ControlFlow;

/// The virtual channels of a link, shared out among classes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shares {
    /// Virtual channels.
    pub virtual_channels: u16,
    /// Classes, at least one.
    pub classes: u8,
}

impl Shares {
    /// The virtual channels of the class of `step`: all of them if there are fewer than classes.
    pub(super) fn request(self, step: Step) -> Request {
        let [vcs, classes, class] = [self.virtual_channels, self.classes.into(), step.class.into()].map(u32::from);
        let all = Request { link: step.link, first: 0, last: self.virtual_channels - 1, empty: false };
        if vcs < classes {
            return all;
        }
        let first = |class: u32| narrow(class * vcs / classes, "no more than there are virtual channels");
        let next: u16 = first(class + 1);
        Request { first: first(class), last: next - 1, ..all }
    }
}

/// The dependencies of the virtual channels of paths.
#[derive(Clone, Debug)]
pub struct Dependencies {
    shares: Shares,
    /// Per link and class the steps that follow it in a path; none where no path takes it. They are as few as a router has
    /// links.
    next: Vec<Option<Vec<Step>>>,
}

impl Dependencies {
    /// None yet of so many `links`, with their virtual channels shared out so.
    pub fn new(shares: Shares, links: usize) -> Self {
        Self { shares, next: vec![None; links * usize::from(shares.classes)] }
    }

    /// Those of all paths of `routing` over `links` between all nodes, where links have so many virtual channels. Begins with a
    /// [`checkpoint`](cancel::checkpoint) for every node.
    pub fn of(links: &dyn Links, routing: &dyn LinkRouting, virtual_channels: u16) -> Self {
        let mut dependencies = Self::new(Shares { virtual_channels, classes: routing.classes() }, links.count());
        if routing.each_turn(&mut |steps| dependencies.add(steps)) {
            return dependencies;
        }
        let nodes = || (0..links.nodes()).map(NodeId::new);
        for src in nodes() {
            cancel::checkpoint();
            for dst in nodes() {
                let _ = routing.each_path(src, dst, &mut |path| {
                    dependencies.add(path);
                    ControlFlow::Continue(())
                });
            }
        }
        dependencies
    }

    /// Adds those of a path.
    ///
    /// # Panics
    /// If there is no such link or class.
    pub fn add(&mut self, path: &[Step]) {
        let classes = usize::from(self.shares.classes);
        for (at, step) in path.iter().enumerate() {
            let known = &mut self.next[step.link.index() * classes + usize::from(step.class)];
            let known = known.get_or_insert_default();
            if let Some(next) = path.get(at + 1).filter(|next| !known.contains(next)) {
                known.push(*next);
            }
        }
    }

    /// The steps that follow `step` in paths.
    pub(super) fn next(&self, step: Step) -> &[Step] {
        let index = step.link.index() * usize::from(self.shares.classes) + usize::from(step.class);
        self.next[index].as_deref().unwrap_or_default()
    }

    /// The links and classes that paths take, with the steps that follow.
    fn taken(&self) -> impl Iterator<Item = (Step, &[Step])> {
        let classes = usize::from(self.shares.classes);
        let step = move |at: usize| Step {
            link: LinkId::new(at / classes),
            class: narrow(at % classes, "there are fewer classes than 256"),
        };
        let states = self.next.iter().enumerate();
        states.filter_map(move |(at, next)| Some((step(at), next.as_deref()?)))
    }

    /// What they prove.
    pub fn certificate(&self) -> Certificate {
        self.states().certificate()
    }

    /// A packet at the front of a virtual channel requests one step that follows, or leaves the network.
    fn states(&self) -> States {
        let mut states = States::new(self.shares.virtual_channels);
        let leaves = states.add(&[]);
        for (step, next) in self.taken() {
            let held = self.shares.request(step);
            states.hold(leaves, held);
            for &next in next {
                let goes_on = states.add(&[self.shares.request(next)]);
                states.hold(goes_on, held);
            }
        }
        states
    }
}

/// Estimates the channels of all paths between `nodes` nodes together from those of the first node's. Counting ends beyond
/// `most`.
pub fn steps_of_all(nodes: usize, most: u64, mut from_first: impl FnMut(NodeId) -> u64) -> u64 {
    let mut steps = 0_u64;
    for dst in (0..nodes).map(NodeId::new) {
        steps = steps.saturating_add(from_first(dst).saturating_mul(nodes as u64));
        if steps > most {
            break;
        }
    }
    steps
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::routing::certificate::Verdict;

    fn path(links: &[(u32, u8)]) -> Vec<Step> {
        links.iter().map(|&(link, class)| Step { link: LinkId(link), class }).collect()
    }

    #[test]
    fn classes_share_out_virtual_channels() {
        let shares = |virtual_channels, classes| Shares { virtual_channels, classes };
        let request = |shares: Shares, class| shares.request(Step { link: LinkId(0), class });
        let range = |request: Request| request.first..=request.last;
        assert_eq!([0, 1].map(|class| range(request(shares(4, 2), class))), [0..=1, 2..=3]);
        assert_eq!([0, 1, 2].map(|class| range(request(shares(4, 3), class))), [0..=0, 1..=1, 2..=3]);
        assert_eq!([0, 1].map(|class| range(request(shares(1, 2), class))), [0..=0, 0..=0]);
    }

    #[test]
    fn a_ring_is_free_with_two_classes_and_a_cycle_without() {
        let one_class = [[(0, 0), (1, 0)], [(1, 0), (2, 0)], [(2, 0), (0, 0)]];
        let two_classes = [[(0, 0), (1, 0)], [(1, 0), (2, 0)], [(2, 0), (0, 1)]];
        let certificate = |classes: u8, paths: [[(u32, u8); 2]; 3]| {
            let mut dependencies = Dependencies::new(Shares { virtual_channels: classes.into(), classes }, 3);
            paths.iter().for_each(|links| dependencies.add(&path(links)));
            dependencies.certificate()
        };
        let cycle = certificate(1, one_class);
        assert_eq!((cycle.verdict(), cycle.held().len()), (Verdict::Cycle, 3));
        let free = certificate(2, two_classes);
        assert_eq!((free.verdict(), free.used(), free.dependencies()), (Verdict::Free, 4, 3));
        // link 0 in class 0, in class 1, then links 1 and 2
        assert_eq!(free.ranks(), Some([3, 0, 2, 1].as_slice()));
    }
}
