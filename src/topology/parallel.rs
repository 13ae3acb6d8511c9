//! Parallel links: several that lead from one router to the same other one.

use super::Links;
use crate::units::LinkId;

/// The links of a network in bundles of parallel ones.
///
/// ```
/// use flitwise::topology::{HyperXLinks, ParallelLinks};
/// use flitwise::units::LinkId;
/// let links = HyperXLinks::new(&[2], &[3], 1)?;
/// let parallel = ParallelLinks::new(&links, |_| 0);
/// assert_eq!(parallel.bundle(LinkId(4)), [LinkId(3), LinkId(4), LinkId(5)]);
/// # Ok::<(), flitwise::topology::TopologyError>(())
/// ```
#[derive(Clone, Debug)]
pub struct ParallelLinks {
    /// All links, those of a bundle side by side in the order of their numbers.
    links: Vec<LinkId>,
    /// Per link, where its bundle begins and ends.
    bundles: Vec<(u32, u32)>,
}

impl ParallelLinks {
    /// The bundles of `links`: links with the same ends and the same `kind`. O(links log links) time, 12 bytes a link.
    pub fn new(links: &dyn Links, kind: impl Fn(LinkId) -> u64) -> Self {
        let key = |&link: &LinkId| (links.ends(link), kind(link), link);
        let mut sorted: Vec<LinkId> = (0..links.count()).map(LinkId::new).collect();
        sorted.sort_by_cached_key(key);
        let mut bundles = vec![(0, 0); sorted.len()];
        let mut start = 0;
        for bundle in sorted.chunk_by(|a, b| (links.ends(*a), kind(*a)) == (links.ends(*b), kind(*b))) {
            let end = start + LinkId::new(bundle.len()).0;
            bundle.iter().for_each(|link| bundles[link.index()] = (start, end));
            start = end;
        }
        Self { links: sorted, bundles }
    }

    /// The links parallel to `link`, itself among them, in the order of their numbers.
    pub fn bundle(&self, link: LinkId) -> &[LinkId] {
        let (start, end) = self.bundles[link.index()];
        &self.links[start as usize..end as usize]
    }

    /// The bundles of more than one link.
    pub fn bundles(&self) -> impl Iterator<Item = &[LinkId]> {
        let is_first = |link: &&LinkId| self.bundle(**link).first() == Some(*link);
        self.links.iter().filter(is_first).map(|&link| self.bundle(link)).filter(|bundle| bundle.len() > 1)
    }
}
