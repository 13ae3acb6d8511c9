//! Messages that a host sends during a run, compared with a run that has them from its beginning.

use super::apart::KINDS;
use super::case::Case;
use super::features::{FeatureSet, Swarm};
use super::laws::{AS_WRITTEN, Broken, ENDS, LIVE, NO_PANIC};
use super::report::Shown;
use super::routers::{OWN, Setting};
use super::subject::{About, Effort, Subject};
use super::worm_flit::PROGRAMS;
use crate::engine::program::{TraceMessage, TraceProgram};
use crate::engine::router::{LiveRouters, Setup, run_program, start_hosts, start_live};
use crate::engine::{Engine, Live, LiveError, LiveEvent, MessageOutcome, Outcome, Simulation, Stop};
use crate::random::mixed;
use crate::routing::Pace;
use crate::units::{MessageId, Ticks};

static ABOUT: About = About {
    name: "hosts",
    summary: "messages that a host sends in advance, from timers and in reaction to arrivals, compared with a trace of the same messages",
    laws: &[&LIVE, &AS_WRITTEN, &NO_PANIC, &ENDS],
    features: FeatureSet::of(KINDS).and(FeatureSet::of(PROGRAMS)).and(FeatureSet::of(OWN)),
};

/// The area.
pub(super) struct Hosts;

impl Subject for Hosts {
    type Case = Case;

    fn about(&self) -> &'static About {
        &ABOUT
    }

    fn draw(&self, swarm: &mut Swarm) -> Case {
        if swarm.toss(0.5) { Case::draw_with_routers(swarm) } else { Case::draw(swarm) }
    }

    fn judge(&self, case: &Case) -> Result<Effort, Broken> {
        let Some(network) = case.machine.network() else { return Ok(Effort::default()) };
        let messages = case.messages.trace();
        if let Some(setting) = Setting::from_machine(&case.machine).filter(|_| case.machine.routers.is_some()) {
            return setting.with(|setup| on_routers(setup, &messages));
        }
        let mut effort = Effort::default();
        for engine in [Engine::Worm, Engine::Flit, Engine::Sleep, Engine::Auto] {
            for manner in MANNERS {
                let net = match Simulation::live(&*network).costs(case.machine.channel).engine(engine).start() {
                    Ok(net) => net,
                    Err(Stop::MayShare | Stop::ShortBuffer(_) | Stop::Uneven) => continue,
                    Err(stop) => return Err(LIVE.broken(format!("{} does not start: {stop}", engine.name()))),
                };
                let run = |sent: &[TraceMessage]| {
                    engine.run(&*network, case.machine.channel, TraceProgram::new(sent), &mut ())
                };
                effort = compare(engine.name(), Host::new(net, &messages, manner), run)?;
            }
        }
        Ok(effort)
    }

    fn runs(&self, _: &Case, _: &Broken) -> Vec<Shown> {
        vec![Shown { name: "auto", arguments: "-s engine.kind=auto" }]
    }
}

/// The way in which a host sends its messages, and advances.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Manner {
    /// All before the first tick.
    AtOnce,
    /// Each at its tick, advancing tick by tick.
    AtItsTick,
    /// Each from a timer for its tick.
    FromTimers,
    /// Some before the first tick, and after each arrival the next ones, some of them ahead of time.
    InReaction,
    /// In reaction, and messages wait at their nodes until the host takes them, in the tick of their arrival. On routers only.
    HeldMessages,
}

const MANNERS: [Manner; 4] = [Manner::AtOnce, Manner::AtItsTick, Manner::FromTimers, Manner::InReaction];

/// Checks the invariant for runs on routers.
fn on_routers(setup: &Setup<'_>, messages: &[TraceMessage]) -> Result<Effort, Broken> {
    let run = |sent: &[TraceMessage]| run_program(setup, TraceProgram::new(sent), &mut ());
    if let Err(Stop::NoRoom { .. }) = run(messages) {
        return Ok(Effort::default()); // messages have to fit into buffers
    }
    let mut effort = Effort::default();
    for manner in MANNERS {
        effort = compare("router", Host::new(start_live(setup), messages, manner), run)?;
    }
    let flits = messages.iter().map(|message| message.flits.on_wire());
    let longest = flits.clone().max().unwrap_or(1);
    let [queue, slots] = [flits.sum::<u64>(), longest + LOOP].map(|flits| u32::try_from(flits).unwrap_or(u32::MAX));
    if never_waits_for_nodes(setup) && slots <= MOST_SLOTS {
        let hosts = LiveRouters { queue: Some(queue.max(1)), ejection: Some(slots), networks: &[], classes: &[] };
        compare(
            "router with held messages",
            Host::new(start_hosts(setup, &hosts), messages, Manner::HeldMessages),
            run,
        )?;
    }
    Ok(effort)
}

/// Returns true if packets never wait for slots of a node that takes in all messages, and nothing depends on their number.
fn never_waits_for_nodes(setup: &Setup<'_>) -> bool {
    let costs = &setup.costs;
    let covers = u64::from(costs.buffer_behind(Pace::EVEN)) >= costs.timing.sink_credit;
    let counts = costs.atomic || setup.routes.is_adaptive() || costs.microarchitecture.reads_credits_of_nodes();
    covers && !counts && setup.routes.wiring().is_even()
}

/// Slots that cover the loop of credits of a node.
const LOOP: u64 = 4096;

/// The most slots of a node of a case.
const MOST_SLOTS: u32 = 1 << 15;

/// Compares the messages of `host` with a `run` of a trace of them.
fn compare(
    name: &str,
    host: Host<'_>,
    run: impl Fn(&[TraceMessage]) -> Result<Outcome, Stop>,
) -> Result<Effort, Broken> {
    let manner = host.manner;
    let (sent, arrived) = host.run(name)?;
    let outcome_of_trace = run(&sent);
    let ended = match &outcome_of_trace {
        Ok(outcome) => Some(outcome.messages.clone()),
        Err(Stop::Deadlock(_)) => None,
        Err(stop) => return Err(LIVE.broken(format!("{name}: a trace of the messages ends with: {stop}"))),
    };
    LIVE.equal(format_args!("{name}: a trace, and messages sent {manner:?}"), &ended, &arrived)?;
    Ok(Effort {
        messages: sent.len() as u64,
        blocked: outcome_of_trace.as_ref().map_or(true, |outcome| outcome.blocked_messages > 0),
        deadlocked: outcome_of_trace.is_err(),
    })
}

/// A host that sends the messages of a case.
struct Host<'a> {
    net: Live<'a>,
    manner: Manner,
    /// The messages that it will send, in their order.
    planned: Vec<TraceMessage>,
    /// The messages that it has sent, with the ticks of their requests.
    sent: Vec<TraceMessage>,
    arrived: Vec<Option<MessageOutcome>>,
}

/// The messages that arrived, by number. `None` in place of all of them after a deadlock.
type Arrived = Option<Vec<MessageOutcome>>;

impl<'a> Host<'a> {
    fn new(net: Live<'a>, messages: &[TraceMessage], manner: Manner) -> Self {
        let mut planned = messages.to_vec();
        if manner != Manner::AtOnce {
            planned.sort_by_key(|message| message.start); // stable: messages of a tick keep their order
        }
        Self { net, manner, planned, sent: Vec::new(), arrived: vec![None; messages.len()] }
    }

    /// Sends the next message, which requests its injection channel at `at`.
    fn send(&mut self, at: Ticks) -> Result<(), LiveError> {
        let TraceMessage { src, dst, flits, .. } = self.planned[self.sent.len()];
        self.net.send(src, dst, flits, at)?;
        self.sent.push(TraceMessage { src, dst, flits, start: at });
        Ok(())
    }

    /// Sends the messages that follow `number` arrivals: two after some of them, and some ahead of time.
    fn react(&mut self, number: usize) -> Result<(), LiveError> {
        let reacts = matches!(self.manner, Manner::InReaction | Manner::HeldMessages);
        for step in 0..u64::from(reacts) * 2 {
            let random = mixed(number as u64, step);
            let is_first = step == 0;
            if self.sent.len() < self.planned.len() && (is_first || random.is_multiple_of(3)) {
                self.send(self.net.now() + Ticks(if random.is_multiple_of(4) { random >> 40 & 31 } else { 0 }))?;
            }
        }
        Ok(())
    }

    /// Sends what does not depend on arrivals.
    fn begin(&mut self) -> Result<(), LiveError> {
        match self.manner {
            Manner::AtOnce => (0..self.planned.len()).try_for_each(|at| self.send(self.planned[at].start)),
            Manner::FromTimers => {
                (0..self.planned.len()).try_for_each(|at| self.net.timer(self.planned[at].start).map(drop))
            }
            Manner::InReaction | Manner::HeldMessages => {
                (0..self.planned.len().div_ceil(2)).try_for_each(|at| self.send(Ticks(self.planned[at].start.0 % 64)))
            }
            Manner::AtItsTick => Ok(()),
        }
    }

    /// Sends what is due at the tick at hand, and returns the tick up to which the run advances next.
    fn horizon(&mut self) -> Result<Ticks, LiveError> {
        match self.manner {
            Manner::AtItsTick => {
                while self.planned.get(self.sent.len()).is_some_and(|next| next.start <= self.net.now()) {
                    self.send(self.net.now())?;
                }
                let waits = self.planned.get(self.sent.len()).map(|next| next.start);
                let next = self.net.next().into_iter().chain(waits).min();
                Ok(next.unwrap_or(Ticks::MAX))
            }
            Manner::HeldMessages => Ok(self.net.next().unwrap_or(Ticks::MAX)),
            Manner::AtOnce | Manner::FromTimers | Manner::InReaction => Ok(Ticks::MAX),
        }
    }

    /// Runs until all messages have arrived, or nothing moves any more. Returns the messages that were sent, and those that arrived.
    fn run(mut self, name: &str) -> Result<(Vec<TraceMessage>, Arrived), Broken> {
        let manner = self.manner;
        let refused =
            |error: LiveError| LIVE.broken(format!("{name}: a call of a host that sends {manner:?} fails: {error}"));
        self.begin().map_err(refused)?;
        let mut count = 0;
        loop {
            let limit = self.horizon().map_err(refused)?;
            match self.net.advance(limit) {
                Ok(_) => {}
                Err(LiveError::Deadlock(_)) => {
                    // what has not been sent is a part of the trace, too
                    while self.sent.len() < self.planned.len() {
                        let start = self.planned[self.sent.len()].start.max(self.net.now());
                        self.send(start).map_err(refused)?;
                    }
                    return Ok((self.sent, None));
                }
                Err(error) => return Err(refused(error)),
            }
            while let Some(event) = self.net.poll() {
                match event {
                    LiveEvent::Delivered { message, outcome } => self.arrive(name, message, outcome)?,
                    LiveEvent::Timer { .. } => {
                        self.send(self.net.now()).map_err(refused)?;
                        continue;
                    }
                }
                count += 1;
                self.react(count).map_err(refused)?;
            }
            count += self.take_all(name).map_err(refused)??;
            if self.net.next().is_none() && self.sent.len() == self.planned.len() && self.net.pending() == 0 {
                let arrived: Arrived = self.arrived.into_iter().collect();
                return arrived
                    .map(|arrived| (self.sent, Some(arrived)))
                    .ok_or_else(|| LIVE.broken(format!("{name}: messages are lost when a host sends {manner:?}")));
            }
            if self.net.next().is_none() && self.net.pending() == 0 && manner != Manner::AtItsTick {
                self.send(self.net.now()).map_err(refused)?; // nothing is left that it could react to
            }
        }
    }

    /// Takes all messages that wait at nodes, and reacts to them. Returns their number.
    fn take_all(&mut self, name: &str) -> Result<Result<usize, Broken>, LiveError> {
        let mut arrivals = 0;
        let nodes: Vec<_> = self.planned.iter().map(|message| message.dst).collect();
        for node in nodes {
            if self.net.held() == 0 {
                break;
            }
            while let Some(held) = self.net.take(node, 0)? {
                if let Err(broken) = self.arrive(name, held.message, held.outcome) {
                    return Ok(Err(broken));
                }
                arrivals += 1;
                self.react(arrivals)?;
            }
        }
        Ok(Ok(arrivals))
    }

    /// Notes that `message` has arrived, which it does once, in the tick at hand.
    fn arrive(&mut self, name: &str, message: MessageId, outcome: MessageOutcome) -> Result<(), Broken> {
        let manner = self.manner;
        if outcome.delivered != self.net.now() {
            let now = self.net.now();
            return Err(LIVE.broken(format!(
                "{name}: message {message} sent {manner:?} arrives at {} and is reported at {now}",
                outcome.delivered
            )));
        }
        match self.arrived[message.index()].replace(outcome) {
            None => Ok(()),
            Some(_) => Err(LIVE.broken(format!("{name}: message {message} sent {manner:?} arrives twice"))),
        }
    }
}
