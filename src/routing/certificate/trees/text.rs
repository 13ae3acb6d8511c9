//! Certificates of trees as text, words between blanks: see `flitwise guide in-network`.

use super::super::text::{MOST_LINES, TooLong};
use super::set::UsedTree;
use super::{SetProof, TreeCertificate, TreeState, waits};
use crate::routing::tree::TreeNetwork;
use crate::topology::Origin;
use std::io::{self, Write};

/// Lines before those of trees.
const HEAD: u64 = 5;

/// A certificate as text.
#[derive(Clone, Copy, Debug)]
pub struct TreeCertificateText<'a> {
    certificate: &'a TreeCertificate<'a>,
    /// The network, whose links it names by number.
    network: &'a TreeNetwork,
    /// A description of the network.
    title: &'a str,
    virtual_channels: u64,
}

impl<'a> TreeCertificateText<'a> {
    /// Creates the text of `certificate` on `network`, which `title` describes. Links have the number of `virtual_channels`.
    ///
    /// # Errors
    /// Returns an error if it has more than [`MOST_LINES`] lines.
    pub fn new(
        certificate: &'a TreeCertificate<'a>,
        network: &'a TreeNetwork,
        title: &'a str,
        virtual_channels: u64,
    ) -> Result<Self, TooLong> {
        let lines = certificate.lines();
        if lines > MOST_LINES as u64 {
            return Err(TooLong { lines });
        }
        Ok(Self { certificate, network, title, virtual_channels })
    }

    /// Writes it.
    ///
    /// # Errors
    /// Returns an error if `out` does.
    pub fn write(&self, out: &mut dyn Write) -> io::Result<()> {
        let Self { certificate, title, virtual_channels, .. } = self;
        writeln!(out, "flitwise certificate 2\nnetwork {title}\nvirtual_channels {virtual_channels}")?;
        writeln!(out, "buffer {}\nverdict {}", certificate.set.buffer(), certificate.verdict().name())?;
        let mut ids = Vec::new();
        for number in 0..certificate.set.len() {
            ids.push(self.write_tree(out, number)?);
        }
        if let SetProof::Cycle(cycle) = &certificate.proof {
            for TreeState { tree, place } in cycle {
                writeln!(out, "hold {tree} {}", ids[*tree as usize][*place as usize])?;
            }
        }
        Ok(())
    }

    /// Writes the lines of a tree. Returns the ids of its places, which count those for which packets wait.
    fn write_tree(&self, out: &mut dyn Write, number: usize) -> io::Result<Vec<usize>> {
        let set = &self.certificate.set;
        let used = &set.trees()[number];
        writeln!(out, "tree {number} {} {}", used.flits, used.messages)?;
        let mut ids = Vec::with_capacity(used.tree.len());
        let mut next = 0;
        for place in 0..used.tree.len() {
            ids.push(next);
            if set.shared_channel(used, place).is_some() {
                self.write_channel(out, number, place, &ids)?;
                next += 1;
            }
        }
        if let SetProof::Ranks(ranks) = &self.certificate.proof {
            let states = waits::may_hold(set, used).into_iter().zip(0..).filter(|(may_hold, _)| *may_hold);
            for (_, place) in states {
                writeln!(out, "rank {number} {} {}", ids[place], ranks.rank(number, place))?;
            }
        }
        Ok(ids)
    }

    fn write_channel(&self, out: &mut dyn Write, number: usize, place: usize, ids: &[usize]) -> io::Result<()> {
        let used = &self.certificate.set.trees()[number];
        write!(out, "channel {number} {} {}", ids[place], self.channel_name(used, place))?;
        for &feed in used.tree.feeds(place) {
            write!(out, " {}", ids[feed as usize])?;
        }
        writeln!(out)
    }

    /// The kind of a channel and its numbers.
    fn channel_name(&self, used: &UsedTree<'_>, place: usize) -> String {
        let channel = used.tree.channels()[place];
        let class = self.certificate.set.shared_channel(used, place).map_or(0, |shared| shared.class);
        match self.network.channels().origin(channel) {
            Origin::Injection(node) => format!("i {node}"),
            Origin::Ejection(node) => format!("e {node} {class}"),
            Origin::Link(_) => {
                #[expect(clippy::expect_used, reason = "channels between routers are virtual channels of links")]
                let (link, vc) = self.network.link(channel).expect("a channel between routers belongs to a link");
                format!("l {link} {vc}")
            }
        }
    }
}

impl TreeCertificate<'_> {
    /// The number of lines.
    fn lines(&self) -> u64 {
        let set = &self.set;
        let proof = match &self.proof {
            SetProof::Ranks(_) => set.states(),
            SetProof::Cycle(cycle) => cycle.len() as u64,
        };
        let channels = |used: &UsedTree<'_>| {
            (0..used.tree.len()).filter(|&place| set.shared_channel(used, place).is_some()).count() as u64
        };
        let trees: u64 = set.trees().iter().map(|used| 1 + channels(used)).sum();
        HEAD + trees + proof
    }
}
