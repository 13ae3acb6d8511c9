//! Deadlock freedom of packets that routers copy and combine.
//!
//! All packets of a row are one set, in whatever order they go: those on trees, and messages that go by one path.

use super::row::RowFailure;
use super::words::counted;
use crate::engine::MessageSet;
use crate::engine::router::MOST_BUFFER;
use crate::machine::{DeadlockPolicy, Machine, allowed};
use crate::network::Remedy;
use crate::routing::certificate::Verdict;
use crate::routing::certificate::trees::{EjectionChannels, HeldChannel, TooManyStates, TreeCertificate, TreeSet};
use crate::routing::tree::Tree;
use crate::topology::Ejection;
use crate::units::{Flits, MessageId, NodeId};
use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use thiserror::Error;

/// The most channels of a cycle that are listed.
const MOST_LISTED: usize = 8;

/// A reason why packets that routers copy or combine are not run.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[non_exhaustive]
pub enum TreeRefusal {
    /// They can deadlock.
    #[error(transparent)]
    Deadlock(Box<TreeDeadlock>),
    /// That is not decided.
    #[error(transparent)]
    TooManyStates(#[from] TooManyStates),
}

/// Packets that can deadlock.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TreeDeadlock {
    /// The packets and their buffers, in a sentence.
    pub subject: String,
    /// The channels that packets can hold, each waiting for the next, a sentence for each.
    pub cycle: Vec<String>,
    /// Changes under which that cannot happen, a line for each.
    pub remedies: String,
}

impl TreeDeadlock {
    /// The deadlock that `certificate` proves of packets on `machine`, without remedies.
    fn describe(machine: &Machine, certificate: &TreeCertificate<'_>) -> Self {
        let channel = |channel| machine.network().map_or_else(String::new, |network| network.channels().name(channel));
        let wait = |held: &HeldChannel| {
            let [holds, awaits] = [held.held, held.requested].map(channel);
            format!("message {} can hold {holds} while it waits for {awaits}", held.message)
        };
        Self {
            subject: format!("packets on {} can deadlock", trees_in_buffers(certificate)),
            cycle: certificate.held().iter().map(wait).collect(),
            remedies: String::new(),
        }
    }
}

impl std::error::Error for TreeDeadlock {}

impl fmt::Display for TreeDeadlock {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.subject)?;
        self.cycle.iter().take(MOST_LISTED).try_for_each(|wait| write!(f, "\n  {wait}"))?;
        match self.cycle.len().saturating_sub(MOST_LISTED) {
            0 => Ok(()),
            more => write!(f, "\n  ... {more} more in the cycle"),
        }
    }
}

impl TreeRefusal {
    /// Returns true if the packets can deadlock, and false if that is not decided.
    pub fn is_deadlock(&self) -> bool {
        matches!(self, Self::Deadlock(_))
    }

    /// The changes that avoid it, a line for each, if any are known.
    pub fn remedies(&self) -> Option<&str> {
        if let Self::Deadlock(deadlock) = self { Some(&deadlock.remedies) } else { None }
    }
}

/// The packets of `messages` as a set of trees on `machine`. `name` returns the id of a message.
pub fn tree_set<'m>(machine: &Machine, messages: &'m dyn MessageSet, name: &dyn Fn(usize) -> u64) -> TreeSet<'m> {
    let mut set = TreeSet::new(machine.smallest_buffer(), ejection_channels(machine));
    let mut unicasts: BTreeMap<(NodeId, NodeId), Unicasts> = BTreeMap::new();
    let mut id = MessageId(0);
    while id.index() < messages.messages() {
        let (src, dst, flits) = messages.message(id);
        let first = name(id.index());
        match messages.worm(id) {
            Some(worm) => {
                set.add_messages(Cow::Borrowed(worm.tree), flits, first, 1);
                id = MessageId(worm.messages.end);
            }
            None => {
                unicasts.entry((src, dst)).or_insert(Unicasts { id, first, flits, count: 0 }).add(flits);
                id = MessageId(id.0 + 1);
            }
        }
    }
    let Some(network) = machine.network() else { return set };
    let mut path = Vec::new();
    for Unicasts { id, first, flits, count } in unicasts.into_values() {
        path.clear();
        messages.path(id, network, &mut path);
        set.add_messages(Cow::Owned(Tree::path(path.iter().copied())), flits, first, count);
    }
    set
}

/// Messages with the same path.
struct Unicasts {
    /// The number of the first one.
    id: MessageId,
    /// The id of the first one.
    first: u64,
    /// The flits of the longest one.
    flits: Flits,
    count: u64,
}

impl Unicasts {
    fn add(&mut self, flits: Flits) {
        self.flits = self.flits.max(flits);
        self.count += 1;
    }
}

/// The ejection channels of the nodes of `machine`.
fn ejection_channels(machine: &Machine) -> EjectionChannels {
    match machine.ports().ejection {
        Ejection::Channels(1) => EjectionChannels::One,
        Ejection::Channels(_) => EjectionChannels::Several,
        Ejection::Unlimited => EjectionChannels::Unlimited,
    }
}

/// The verdict on the packets of `messages`, if routers of `machine` copy or combine some of them. Chips have routers of their own.
///
/// # Errors
/// Returns an error if the packets have too many states.
pub fn tree_certificate<'m>(
    machine: &Machine,
    messages: &'m dyn MessageSet,
    name: &dyn Fn(usize) -> u64,
) -> Result<Option<TreeCertificate<'m>>, TooManyStates> {
    if !messages.has_worms() || machine.device.is_some() {
        return Ok(None);
    }
    tree_set(machine, messages, name).certificate().map(Some)
}

/// Checks that packets of `messages` that routers of `machine` copy or combine cannot deadlock.
///
/// # Errors
/// Returns an error if they can, or if that is not decided.
pub(super) fn check_trees(
    machine: &Machine,
    messages: &dyn MessageSet,
    name: &dyn Fn(usize) -> u64,
) -> Result<(), TreeRefusal> {
    match tree_certificate(machine, messages, name)? {
        Some(certificate) if certificate.verdict() == Verdict::Cycle => Err(refusal(machine, &certificate)),
        _ => Ok(()),
    }
}

/// Findings on the packets of a row that routers copy or combine.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TreeFindings {
    /// Their proofs, in sentences.
    pub sentences: Vec<String>,
    /// The reason why they are not run, if there is one.
    pub refusal: Option<TreeRefusal>,
}

/// The findings on the packets of `messages` that routers of `machine` copy or combine.
///
/// # Errors
/// Returns an error if a destination does not receive one copy of the flits of each source.
pub fn tree_findings(
    machine: &Machine,
    messages: &dyn MessageSet,
    name: &dyn Fn(usize) -> u64,
) -> Result<TreeFindings, RowFailure> {
    let mut findings = TreeFindings::default();
    findings.sentences.push(prove_trees(machine, messages, name)?);
    let refusal = match tree_certificate(machine, messages, name) {
        Ok(Some(certificate)) if certificate.verdict() == Verdict::Cycle => refusal(machine, &certificate),
        Ok(Some(certificate)) => {
            findings.sentences.push(trees_sentence(machine, &certificate));
            return Ok(findings);
        }
        Ok(None) => return Ok(findings),
        Err(error) => error.into(),
    };
    match machine.deadlock {
        DeadlockPolicy::Refuse => findings.refusal = Some(refusal),
        DeadlockPolicy::Allow => {
            findings.sentences.push(format!("accepted by `router.allow_deadlock = true`: {refusal}"));
        }
    }
    Ok(findings)
}

/// The verdict of `certificate` in a sentence, with the cycle if the packets can deadlock.
pub fn trees_sentence(machine: &Machine, certificate: &TreeCertificate<'_>) -> String {
    match certificate.verdict() {
        Verdict::Free | Verdict::Undecided => format!(
            "packets on {} are proved deadlock-free: no cycle of waits for their channels leads from one tree to another",
            trees_in_buffers(certificate)
        ),
        Verdict::Cycle => TreeDeadlock::describe(machine, certificate).to_string(),
    }
}

/// Proves that each tree brings a copy of the flits of each source to every destination. Returns the proof in a sentence.
fn prove_trees(
    machine: &Machine,
    messages: &dyn MessageSet,
    name: &dyn Fn(usize) -> u64,
) -> Result<String, RowFailure> {
    let network = machine.copying_network().map_err(RowFailure::plan)?;
    let mut sizes: Vec<TreeSize> = Vec::new();
    let mut id = MessageId(0);
    while id.index() < messages.messages() {
        let Some(worm) = messages.worm(id) else {
            id = MessageId(id.0 + 1);
            continue;
        };
        let (sources, destinations): (BTreeSet<NodeId>, BTreeSet<NodeId>) = worm
            .messages()
            .map(|id| {
                let (src, dst, _) = messages.message(id);
                (src, dst)
            })
            .unzip();
        let [sources, destinations] = [sources, destinations].map(|nodes| nodes.into_iter().collect::<Vec<_>>());
        let invalid = RowFailure::wrong("the tree of a packet is invalid");
        let proof = worm.tree.prove(&network, &sources, &destinations).map_err(invalid)?;
        sizes.push(TreeSize {
            message: name(id.index()),
            links: proof.links,
            forks: proof.copies,
            joins: proof.combinations,
        });
        id = MessageId(worm.messages.end);
    }
    Ok(sizes_sentence(&sizes))
}

/// The size of a tree.
#[derive(Clone, Copy, Debug)]
struct TreeSize {
    /// The id of the first message.
    message: u64,
    links: usize,
    forks: usize,
    joins: usize,
}

impl fmt::Display for TreeSize {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { links, forks, joins, .. } = *self;
        let [links, forks, joins] =
            [(links, "link"), (forks, "fork"), (joins, "join")].map(|(n, of)| counted(n as u64, of));
        write!(f, "{links}, {forks}, {joins}")
    }
}

/// The sizes of trees in a sentence: each one if they are few, else together.
fn sizes_sentence(sizes: &[TreeSize]) -> String {
    let proof = "proved: each destination receives one copy of the flits of every source";
    if sizes.len() <= MOST_LISTED {
        let each: Vec<String> = sizes.iter().map(|size| format!("tree of message {}: {size}", size.message)).collect();
        return format!("{proof}; {}", each.join("; "));
    }
    let sum = |part: fn(&TreeSize) -> usize| sizes.iter().map(part).sum();
    let all = TreeSize {
        message: 0,
        links: sum(|size| size.links),
        forks: sum(|size| size.forks),
        joins: sum(|size| size.joins),
    };
    format!("{proof}; {} together: {all}", counted(sizes.len() as u64, "tree"))
}

/// The trees of a set and their buffers.
fn trees_in_buffers(certificate: &TreeCertificate<'_>) -> String {
    let set = certificate.set();
    let trees = counted(set.len() as u64, "tree");
    let [longest, buffer] = [set.longest().0, set.buffer()].map(|flits| counted(flits, "flit"));
    format!("{trees} (packets of up to {longest}, buffers of {buffer})")
}

/// The refusal of a set that can deadlock.
fn refusal(machine: &Machine, certificate: &TreeCertificate<'_>) -> TreeRefusal {
    let deadlock = TreeDeadlock::describe(machine, certificate);
    TreeRefusal::Deadlock(Box::new(TreeDeadlock { remedies: remedies(certificate.set()), ..deadlock }))
}

/// Changes under which the packets of a set cannot deadlock, a line for each.
fn remedies(set: &TreeSet<'_>) -> String {
    let is_free = |changed: TreeSet<'_>| changed.certificate().is_ok_and(|changed| changed.verdict() == Verdict::Free);
    let mut lines = Vec::new();
    let longest = set.longest().0;
    if longest <= MOST_BUFFER.into() && longest > set.buffer() && is_free(set.with_buffer(longest)) {
        let effect = "each packet fits into a buffer, so that no branch stops another";
        lines.push(Remedy::set("channel.buffer", longest, effect).to_string());
    } else if set.has_forks() && !set.has_joins() {
        lines.push(format!(
            "a `channel.buffer` of the {longest} flits of the longest packet does not suffice: waits lead round a cycle of links"
        ));
    }
    if is_free(set.with_ejection(EjectionChannels::Several)) {
        let effect = "worms in the two directions of a Hamiltonian path eject by channels of their own";
        lines.push(Remedy::set("node.ejection_ports", 2, effect).to_string());
    }
    if set.has_joins() {
        lines.push(
            "a reduction waits for operands of all sources and holds channels meanwhile, whatever buffers hold: \
             start reductions with common channels one after the other, or use one tree"
                .to_owned(),
        );
    }
    lines.push(allowed("run it anyway").to_string());
    lines.join("\n")
}
