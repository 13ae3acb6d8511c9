//! Parallel links: the rule that selects one of them, and those that no path uses.

use super::{BuiltNetwork, LinkPaths, NetworkKind, NetworkSpec, Parameter, with_article};
use crate::cancel;
use crate::config::{Diagnostic, KeyValues, Reader, listed};
use crate::topology::{Links, ParallelLinks};
use crate::units::{Key, LinkId, NodeId};
use rustc_hash::FxHashSet;
use std::ops::ControlFlow;

const PARALLELS: [(&str, ParallelBy); 2] =
    [(ParallelBy::First.name(), ParallelBy::First), (ParallelBy::Source.name(), ParallelBy::Source)];
pub(super) const PARALLEL: Key = Key::word("parallel", |at| PARALLELS.get(at).map(|(name, _)| *name))
    .or_else("first on a graph; on a dragonfly, the link that the router of the destination selects")
    .says("selection among k parallel links: the lowest-numbered link, or link number (source node) mod k");

/// The rule that selects one of several parallel links.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ParallelBy {
    /// The lowest-numbered.
    First,
    /// Number (source node) mod (their count).
    Source,
}

impl ParallelBy {
    /// Advice where another rule uses all links.
    pub(super) const SPREADS: &'static str = "`router.parallel = \"source\"` spreads messages over them";
    /// Advice where sources select links already.
    pub(super) const SPREAD: &'static str = "of k parallel links, a message takes link number (source node) mod k";

    /// The rule that `keys` name, if they do.
    pub(super) fn read(keys: &KeyValues) -> Option<Self> {
        keys.choice(&PARALLEL, &PARALLELS)
    }

    /// The value of `router.parallel`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::First => "first",
            Self::Source => "source",
        }
    }

    /// The parameter of a network that follows this rule.
    pub(super) fn parameter(self) -> (&'static str, Parameter) {
        ("parallel", Parameter::Word(self.name()))
    }
}

/// Reports that a network of `kind` does not accept the rule that is `asked` for, if so.
pub(super) fn refuse_unfit(root: &Reader<'_>, kind: &NetworkKind, asked: Option<ParallelBy>) {
    let Some(asked) = asked.filter(|asked| !kind.parallel.contains(asked)) else { return };
    let message = format!("`router.parallel = \"{}\"` does not apply to {}", asked.name(), with_article(kind.name));
    let accepted = match kind.parallel {
        [] => "accepted with `graph` and `dragonfly`; a hyperx always selects parallel links by the source".to_owned(),
        rules => format!("accepted here: {}", listed(rules.iter().map(|rule| rule.name()))),
    };
    root.error(Diagnostic::at(root.place_within(&["router", "parallel"]), message).note(accepted));
}

/// The most paths that are followed to find links without any.
const MOST_PATHS: usize = 1 << 22;

/// The most links that are named.
const MOST_NAMED: usize = 3;

impl BuiltNetwork {
    /// A remark about parallel links that no path uses, or `None` if all are used or there are too many paths to follow.
    pub fn idle_links(&self) -> Option<String> {
        let spec = self.spec.as_ref();
        spec.parallel_advice(Idle::Some)?;
        let paths = self.link_paths().ok().filter(|paths| paths.links().count() <= MOST_PATHS)?;
        let parallel = ParallelLinks::new(paths.links(), |_| 0);
        let mut search = Search { idle: parallel.bundles().flatten().copied().collect(), left: MOST_PATHS };
        search.follow_neighbours(&paths, &parallel);
        search.follow_all(&paths);
        if search.left == 0 {
            return None;
        }
        let bundles: Vec<Bundle<'_>> = parallel.bundles().filter_map(|bundle| search.idle_of(bundle, spec)).collect();
        let idle = bundles.iter().map(|bundle| bundle.idle.len()).sum();
        Some(bundles.first()?.remark(idle, paths.links()))
    }
}

/// The part of a bundle of parallel links that no path uses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Idle {
    /// Some of its links.
    Some,
    /// All of its links.
    All,
}

/// A bundle of parallel links of which some are idle.
struct Bundle<'a> {
    links: &'a [LinkId],
    idle: Vec<LinkId>,
    advice: &'static str,
}

impl Bundle<'_> {
    /// The remark about it, with at most three links by number, and about the others of `total` idle links.
    fn remark(&self, total: usize, links: &dyn Links) -> String {
        let Self { idle, advice, .. } = self;
        let named: Vec<String> = idle.iter().take(MOST_NAMED).map(ToString::to_string).collect();
        let (from, to) = links.ends(idle[0]);
        let used = self.links.iter().find(|link| !idle.contains(link));
        let other = used.map_or_else(|| "each other".to_owned(), |used| format!("link {used}"));
        let (subject, is, carry) = if idle.len() == 1 { ("link", "is", "carries") } else { ("links", "are", "carry") };
        let others = match total - named.len() {
            0 => String::new(),
            1 => "; 1 other link carries nothing either".to_owned(),
            count => format!("; {count} other links carry nothing either"),
        };
        let named = named.join(", ");
        format!(
            "{subject} {named} from router {from} to router {to} {is} parallel to {other} and {carry} nothing{others}; {advice}"
        )
    }
}

/// A search for links that no path uses.
struct Search {
    /// Links that no path has used so far.
    idle: FxHashSet<LinkId>,
    /// Paths that may still be followed.
    left: usize,
}

impl Search {
    fn follow(&mut self, paths: &LinkPaths, src: NodeId, dst: NodeId) {
        paths.each_path(src, dst, &mut |path| {
            self.left = self.left.saturating_sub(1);
            for step in path {
                self.idle.remove(&step.link);
            }
            if self.is_over() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        });
    }

    /// The idle links of `bundle`, if there are any and `spec` has advice for them.
    fn idle_of<'a>(&self, bundle: &'a [LinkId], spec: &dyn NetworkSpec) -> Option<Bundle<'a>> {
        let idle: Vec<LinkId> = bundle.iter().copied().filter(|link| self.idle.contains(link)).collect();
        let share = if idle.len() == bundle.len() { Idle::All } else { Idle::Some };
        let advice = spec.parallel_advice(share).filter(|_| !idle.is_empty())?;
        Some(Bundle { links: bundle, idle, advice })
    }

    fn is_over(&self) -> bool {
        self.idle.is_empty() || self.left == 0
    }

    /// Follows the paths between nodes of the two routers of parallel links, which mostly use all links that are used at all.
    fn follow_neighbours(&mut self, paths: &LinkPaths, parallel: &ParallelLinks) {
        let links = paths.links();
        let mut nodes = vec![Vec::new(); links.routers()];
        (0..links.nodes()).map(NodeId::new).for_each(|node| nodes[links.router_of(node).index()].push(node));
        for bundle in parallel.bundles() {
            let (from, to) = links.ends(bundle[0]);
            let destinations = &nodes[to.index()];
            for (&src, &dst) in
                nodes[from.index()].iter().flat_map(|src| destinations.iter().map(move |dst| (src, dst)))
            {
                if self.left > 0 && bundle.iter().any(|link| self.idle.contains(link)) {
                    self.follow(paths, src, dst);
                }
            }
        }
    }

    /// Follows the paths between all nodes.
    fn follow_all(&mut self, paths: &LinkPaths) {
        let nodes = || (0..paths.links().nodes()).map(NodeId::new);
        for src in nodes() {
            cancel::checkpoint();
            for dst in nodes() {
                if self.is_over() {
                    return;
                }
                self.follow(paths, src, dst);
            }
        }
    }
}
