//! Certificates as text, words between blanks: see `flitwise guide networks`.

use super::channels::NetworkChannel;
use super::states::Lists;
use super::{Certificate, Demand, Proof};
use crate::topology::Links;
use std::io::{self, Write};
use thiserror::Error;

/// Most lines of a certificate.
pub const MOST_LINES: usize = 10_000_000;

/// Lines before those of virtual channels.
const HEAD: usize = 4;

/// A certificate would be too long to be of use.
#[derive(Clone, Copy, Debug, Error, PartialEq, Eq)]
#[error("the certificate would have {lines} lines; the maximum is {MOST_LINES}")]
pub struct TooLong {
    /// The number of lines.
    pub(super) lines: u64,
}

impl Certificate {
    /// Whether it is short enough to be written.
    ///
    /// # Errors
    /// If it has more than [`MOST_LINES`] lines.
    pub fn check_length(&self) -> Result<(), TooLong> {
        let waits = if self.lists_states() { self.states() } else { self.dependencies() };
        let lines = HEAD + self.used() + waits + self.held().len();
        if lines > MOST_LINES { Err(TooLong { lines: lines as u64 }) } else { Ok(()) }
    }

    /// Writes it. `network` says in free text what it is of.
    ///
    /// # Errors
    /// If `out` takes no more.
    pub fn write(&self, out: &mut dyn Write, network: &str, links: &dyn Links) -> io::Result<()> {
        let virtual_channels = self.waits.states.virtual_channels;
        writeln!(out, "flitwise certificate 1\nnetwork {network}\nvirtual_channels {virtual_channels}")?;
        writeln!(out, "verdict {}", self.verdict().name())?;
        self.write_ranks(out, links)?;
        if self.lists_states() {
            self.write_states(out, links)?;
        } else {
            self.write_turns(out, links)?;
        }
        self.held().iter().try_for_each(|channel| writeln!(out, "hold {}", channel.id(links)))
    }

    /// Whether it lists states, not dependencies: where these alone prove nothing.
    fn lists_states(&self) -> bool {
        matches!(self.proof, Proof::Rounds(_) | Proof::None)
    }

    /// The ranks of the virtual channels that are used, if they prove anything.
    pub(super) fn ranks(&self) -> Option<&[u32]> {
        match &self.proof {
            Proof::Order(ranks) | Proof::Rounds(ranks) => Some(ranks),
            Proof::Cycle(_) | Proof::None => None,
        }
    }

    fn write_ranks(&self, out: &mut dyn Write, links: &dyn Links) -> io::Result<()> {
        for (at, channel) in self.waits.channels.used.iter().enumerate() {
            let [from, to] = NetworkChannel::numbered(channel.link, links).ends(links);
            let rank = self.ranks().map_or("-".to_owned(), |ranks| ranks[at].to_string());
            writeln!(out, "vc {} {from} {to} {rank}", channel.id(links))?;
        }
        Ok(())
    }

    fn write_turns(&self, out: &mut dyn Write, links: &dyn Links) -> io::Result<()> {
        let used = &self.waits.channels.used;
        for channel in self.waits.all_channels() {
            let from = used[channel as usize].id(links);
            for to in self.waits.turns(channel) {
                writeln!(out, "turn {from} {}", used[to as usize].id(links))?;
            }
        }
        Ok(())
    }

    /// States are numbered by virtual channel.
    fn write_states(&self, out: &mut dyn Write, links: &dyn Links) -> io::Result<()> {
        let next = self.next_demands();
        for channel in self.waits.all_channels() {
            let fronts = &self.waits.fronts;
            for (id, &demand) in fronts.places(channel).zip(fronts.at(channel)) {
                write!(out, "state {id} {} :", self.waits.channels.used[channel as usize].id(links))?;
                self.write_successors(out, demand, next.at(demand))?;
                writeln!(out)?;
            }
        }
        Ok(())
    }

    /// Per demand the numbers of its requests, each with a demand to which it leads.
    fn next_demands(&self) -> Lists<(u32, u32)> {
        let states = &self.waits.states;
        let lead = |(from, request, to): (Demand, u32, Demand)| (from.0, (request, to.0));
        Lists::from_pairs(states.numbers().len(), states.leads().map(lead).collect())
    }

    fn write_successors(&self, out: &mut dyn Write, demand: u32, next: &[(u32, u32)]) -> io::Result<()> {
        let requests = self.waits.states.requests(Demand(demand));
        for &(request, front) in next {
            let request = requests[request as usize];
            let star = if request.empty { "*" } else { "" };
            for channel in self.waits.channels.of(request) {
                if let Some(id) = self.waits.fronts.place(channel, front) {
                    write!(out, " {id}{star}")?;
                }
            }
        }
        Ok(())
    }
}
