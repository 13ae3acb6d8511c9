//! A run between two ticks, on any engine, which its caller drives.

use super::dispatch::CostedNetwork;
use super::stepping::{AnyMachine, AnyObserver, AnyProgram};
use super::wormhole::{shared, stages::Staged};
use super::{Event, MessageOutcome, Observer, Outcome, Stop, Stopping};
use crate::cancel::Token;
use crate::units::{MessageId, Ticks};
use std::fmt;

/// A run that may have to restart, on an engine that is exact where virtual channels share physical ones.
pub(super) struct Restart<'a> {
    costed: CostedNetwork<'a>,
    /// The program before the run.
    program: AnyProgram<'a>,
    /// True if it has been tried stage by stage.
    by_stages: bool,
}

impl<'a> Restart<'a> {
    pub(super) fn new(costed: CostedNetwork<'a>, program: AnyProgram<'a>) -> Self {
        Self { costed, program, by_stages: false }
    }

    /// Begins the run on the next engine that may be exact, and returns it with the run that follows if it is not.
    fn begin(self, mut observer: AnyObserver<'a>) -> (AnyMachine<'a>, Option<Self>) {
        let CostedNetwork { network, costs } = self.costed;
        if self.has_stages(&observer) {
            let machine = Box::new(Staged::started(network, costs, self.program.clone(), observer));
            return (machine, Some(Self { by_stages: true, ..self }));
        }
        observer.event(Event::Restarted);
        let engine = shared::engine(network, &costs, &self.program);
        (self.costed.start(engine, self.program, observer), None)
    }

    /// True if the program is to be tried stage by stage. Between stages credits may still be in flight over channels with delays.
    fn has_stages(&self, observer: &AnyObserver<'_>) -> bool {
        let is_tried = self.by_stages || observer.interest().hops || !self.costed.is_even();
        !is_tried && Staged::has_several(self.costed.network, &self.program)
    }
}

/// A run of a [`Simulation`](super::Simulation), or on [routers](super::router::start_program), that stands at a tick.
///
/// A *step* is everything that happens at the next tick at which anything happens on the engine that runs it. Engines leave
/// out ticks at which nothing changes that they would have to look at, so the ticks are those of the engine; all that is told
/// of messages is the same on each. Routers go from cycle to cycle: a step is a cycle, with what nodes have done since the
/// one before.
///
/// Where [`Engine::Auto`](super::Engine::Auto) has to begin again on another engine, that one is brought to the tick at
/// hand before the step returns: the observer is told of a [restart](Event::Restarted) and then, once more, all that has
/// happened up to that tick. The worm engine may notice only later that two worms have shared a physical channel, so that
/// what was told of messages before the restart, even that they were delivered, can be taken back by it. Where every step
/// has to be final, [`Engine::Flit`](super::Engine::Flit) or [`Engine::Sleep`](super::Engine::Sleep) is the engine to name.
#[must_use = "a run advances only when it is stepped"]
pub struct Running<'a> {
    machine: AnyMachine<'a>,
    /// The run from its beginning, if it may restart where the engine would be wrong.
    restart: Option<Restart<'a>>,
    /// True if the observer may end it.
    may_stop: bool,
    token: Token,
    now: Ticks,
    /// The next tick at which anything happens.
    next: Option<Ticks>,
    /// Why it has ended before its end.
    stopped: Option<Stop>,
}

impl fmt::Debug for Running<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut shown = f.debug_struct("Running");
        shown.field("now", &self.now).field("next_tick", &self.next_tick()).field("delivered", &self.delivered());
        shown.finish_non_exhaustive()
    }
}

impl<'a> Running<'a> {
    pub(super) fn new(mut machine: AnyMachine<'a>, restart: Option<Restart<'a>>, token: Token) -> Self {
        let may_stop = machine.observer().interest().may_stop();
        let mut run = Self { machine, restart, may_stop, token, now: Ticks::ZERO, next: None, stopped: None };
        run.look_ahead();
        run
    }

    /// Restarts a run, observed by `observer`, in which the worm engine would be wrong.
    pub(super) fn restarted(restart: Restart<'a>, observer: AnyObserver<'a>) -> Self {
        let (machine, restart) = restart.begin(observer);
        Self::new(machine, restart, Token::default())
    }

    /// The tick up to which all has happened: that of the last step, or what [`Self::run_until`] was told. Zero at the
    /// beginning, when nothing has happened yet.
    pub fn now(&self) -> Ticks {
        self.now
    }

    /// The next tick at which anything happens; none if nothing does any more, or the run has been ended.
    pub fn next_tick(&self) -> Option<Ticks> {
        self.next.filter(|_| self.stopped.is_none())
    }

    /// Whether nothing happens any more: all is done, messages wait for ever, or the run has been ended;
    /// [`Self::finish`] says which.
    pub fn is_finished(&self) -> bool {
        self.next_tick().is_none()
    }

    /// How many messages have been delivered.
    pub fn delivered(&self) -> usize {
        self.machine.delivered()
    }

    /// What happened to message `id`; none unless it has been delivered.
    pub fn message(&self, id: MessageId) -> Option<MessageOutcome> {
        self.machine.message(id, self.now)
    }

    /// Ends the run when it is cancelled, from any thread: the step that comes next does nothing, and [`Self::finish`] gives
    /// [`Stop::Cancelled`]. The run stands as it stood after the tick [`Self::now`], and can still be asked about it.
    ///
    /// Nothing unwinds, unlike within [`Token::run`]; a run that is done is not changed by it.
    pub fn token(&self) -> Token {
        self.token.clone()
    }

    /// Does everything that happens at the next tick, which it returns; none if the run [is finished](Self::is_finished).
    pub fn step(&mut self) -> Option<Ticks> {
        let at = self.next_tick()?;
        if self.token.is_cancelled() {
            self.stopped = Some(Stop::Cancelled { at: self.now });
            return None;
        }
        self.machine.run_through(at);
        self.now = at;
        self.look_ahead();
        self.ask_observer();
        Some(at)
    }

    /// Does everything that happens up to tick `until`, and in it. Afterwards that is [`Self::now`], unless the run is
    /// finished before.
    pub fn run_until(&mut self, until: Ticks) {
        while self.next_tick().is_some_and(|next| next <= until) {
            self.step();
        }
        if !self.is_finished() {
            self.now = self.now.max(until);
        }
    }

    /// Runs it to its end, and returns its outcome. It goes tick by tick only if the observer, or a holder of the token, may end it.
    ///
    /// # Errors
    /// If messages are left that wait for each other's channels, or nodes that wait for messages; if the engine would be
    /// wrong ([`Engine::Worm`](super::Engine::Worm) only); if the observer or the token has ended it.
    pub fn finish(mut self) -> Result<Outcome, Stop> {
        if self.may_stop || self.token.is_shared() || self.token.is_cancelled() {
            while self.step().is_some() {}
        } else {
            self.run_through_all();
        }
        if let Some(stop) = self.stopped {
            return Err(stop);
        }
        let outcome = self.machine.finish()?;
        if self.machine.observer().interest().causes {
            let causes = self.machine.program().causes(&outcome.messages);
            self.machine.observer().event(Event::Ended(&causes));
        }
        Ok(outcome)
    }

    /// Simulates all events, on as many engines as it takes.
    fn run_through_all(&mut self) {
        while self.next_tick().is_some() {
            self.machine.run_through(Ticks::MAX);
            self.look_ahead();
        }
    }

    /// Finds the next tick, on another engine where this one would be wrong.
    fn look_ahead(&mut self) {
        self.next = self.machine.next();
        while self.next.is_none() && self.machine.is_refused() && self.begin_again() {
            self.next = self.machine.next();
        }
    }

    /// Begins again, and comes back to the tick at hand, unless the observer or the token ends it on the way; false if it may
    /// not.
    fn begin_again(&mut self) -> bool {
        let Some(restart) = self.restart.take() else { return false };
        (self.machine, self.restart) = restart.begin(std::mem::take(self.machine.observer()));
        let reached = std::mem::take(&mut self.now);
        while let Some(at) = self.machine.next().filter(|&at| at <= reached) {
            self.machine.run_through(at);
            self.now = at;
            self.ask_observer();
            if self.stopped.is_some() || self.token.is_cancelled() {
                return true;
            }
        }
        self.now = reached;
        true
    }

    /// Ends the run here if the observer wants it.
    fn ask_observer(&mut self) {
        if self.may_stop && self.stopped.is_none() && self.machine.observer().interest().stopping == Stopping::Now {
            self.stopped = Some(Stop::Stopped { at: self.now });
        }
    }
}
