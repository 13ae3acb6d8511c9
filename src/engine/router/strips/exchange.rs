//! The mail between strips, and the states that they publish.

use super::super::delay::Run;
use super::super::layout::Place;
use super::super::packets::Packet;
use super::cut::Cut;
use crate::topology::Hop;
use std::sync::atomic::{AtomicI64, AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// A packet whose head flit was sent to another strip.
pub(crate) struct Entering {
    /// The input VC.
    pub(crate) to: Place,
    pub(crate) packet: Packet,
    /// The path of the packet as far as it is decided, if its routing keeps one.
    pub(crate) path: Vec<Hop>,
}

/// All that arrives from a strip at another one in a cycle.
#[derive(Default)]
pub(crate) struct Mail {
    pub(crate) packets: Vec<Entering>,
    pub(crate) flits: Vec<Run>,
    pub(crate) credits: Vec<Run>,
}

/// The mail from a strip to all others.
pub(crate) struct Outgoing<'a> {
    cut: &'a Cut,
    /// By strip.
    mail: Vec<Mail>,
}

impl<'a> Outgoing<'a> {
    /// Creates no mail to the strips of `cut`.
    pub(super) fn new(cut: &'a Cut) -> Self {
        Self { cut, mail: (0..cut.strips()).map(|_| Mail::default()).collect() }
    }

    /// The mail to the strip of block number `block`.
    pub(crate) fn mail_to(&mut self, block: usize) -> &mut Mail {
        &mut self.mail[self.cut.of_block(block)]
    }
}

/// The state of a strip before a cycle.
#[derive(Clone, Copy)]
pub(super) struct State {
    /// The next cycle in which anything happens.
    pub(super) next: Option<u64>,
    /// The packets that its nodes have sent and the end of the run waits for, less those that have arrived at its nodes.
    pub(super) outstanding: i64,
    /// Flits that have moved.
    pub(super) moved: u64,
}

/// The state of a strip for the others to read.
#[derive(Default)]
struct PublishedState {
    next: AtomicU64,
    outstanding: AtomicI64,
    moved: AtomicU64,
}

/// Mail and states in one of two successive cycles. A strip may write for a cycle while another one still reads those of the cycle before.
struct Turn {
    /// By sender and receiver.
    mail: Vec<Mutex<Mail>>,
    states: Vec<PublishedState>,
}

/// The mail between all strips, and their states.
pub(super) struct Exchange {
    strips: usize,
    turns: [Turn; 2],
}

impl Exchange {
    /// Creates the exchange between a number of `strips`.
    pub(super) fn new(strips: usize) -> Self {
        let turn = || Turn {
            mail: (0..strips * strips).map(|_| Mutex::default()).collect(),
            states: (0..strips).map(|_| PublishedState::default()).collect(),
        };
        Self { strips, turns: [turn(), turn()] }
    }

    /// Posts the mail of strip `strip` and publishes its `state` in turn `turn`.
    pub(super) fn post(&self, turn: usize, strip: usize, outgoing: &mut Outgoing<'_>, state: State) {
        let Turn { states, .. } = &self.turns[turn % 2];
        for (to, mail) in outgoing.mail.iter_mut().enumerate() {
            let is_empty = mail.packets.is_empty() && mail.flits.is_empty() && mail.credits.is_empty();
            if !is_empty {
                std::mem::swap(mail, &mut self.mail(turn, strip, to)); // for one that has been read
            }
        }
        states[strip].next.store(state.next.unwrap_or(u64::MAX), Ordering::Relaxed);
        states[strip].outstanding.store(state.outstanding, Ordering::Relaxed);
        states[strip].moved.store(state.moved, Ordering::Relaxed);
    }

    /// Calls `receive` with the mail to strip `strip` from each strip, in the order of their numbers, in turn `turn`.
    pub(super) fn receive(&self, turn: usize, strip: usize, mut receive: impl FnMut(&mut Mail)) {
        (0..self.strips).filter(|&from| from != strip).for_each(|from| receive(&mut self.mail(turn, from, strip)));
    }

    /// The state of all strips together in turn `turn`.
    pub(super) fn state(&self, turn: usize) -> State {
        let states = &self.turns[turn % 2].states;
        let next = states.iter().map(|state| state.next.load(Ordering::Relaxed)).min();
        State {
            next: next.filter(|&next| next < u64::MAX),
            outstanding: states.iter().map(|state| state.outstanding.load(Ordering::Relaxed)).sum(),
            moved: states.iter().map(|state| state.moved.load(Ordering::Relaxed)).sum(),
        }
    }

    fn mail(&self, turn: usize, from: usize, to: usize) -> MutexGuard<'_, Mail> {
        self.turns[turn % 2].mail[from * self.strips + to].lock().unwrap_or_else(PoisonError::into_inner)
    }
}
