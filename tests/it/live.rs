//! Messages that are sent between the ticks of a run: their outcomes are those of a trace of the same messages.

use crate::random::{channel_costs, network};
use crate::router_programs::Machine;
use flitwise::costs::ChannelCosts;
use flitwise::engine::program::{TraceMessage, TraceProgram};
use flitwise::engine::router::{run_program, start_live};
use flitwise::engine::{Engine, Live, LiveError, LiveEvent, MessageOutcome, Outcome, Simulation, Stop};
use flitwise::routing::{DimensionOrder, Network};
use flitwise::topology::{Mesh, Torus};
use flitwise::units::{Flits, MessageId, NodeId, Ticks};
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64;

/// A host that sends messages at random: ahead of time, at timers and in answer to arrivals.
struct Host<'a> {
    net: Live<'a>,
    random: Pcg64,
    nodes: u32,
    /// The most messages that it sends.
    most: usize,
    sent: Vec<TraceMessage>,
    arrived: Vec<Option<MessageOutcome>>,
    /// The tick of the last event.
    last: Ticks,
}

/// The end of a run: the outcomes of all messages, or the messages that arrived before a deadlock.
#[derive(Debug, PartialEq)]
enum Ended {
    Done(Vec<MessageOutcome>),
    Deadlock,
}

fn ended(outcome: Result<Outcome, Stop>) -> Ended {
    match outcome {
        Ok(outcome) => Ended::Done(outcome.messages),
        Err(Stop::Deadlock(_)) => Ended::Deadlock,
        Err(stop) => panic!("{stop}"),
    }
}

impl<'a> Host<'a> {
    fn new(net: Live<'a>, seed: u64, nodes: usize, most: usize) -> Self {
        let nodes = u32::try_from(nodes).unwrap();
        let random = Pcg64::seed_from_u64(seed);
        Self { net, random, nodes, most, sent: Vec::new(), arrived: Vec::new(), last: Ticks::ZERO }
    }

    /// Sends a message from `src` or a random node, now or up to `ahead` ticks later.
    fn send(&mut self, src: Option<NodeId>, ahead: u64) {
        if self.sent.len() == self.most {
            return;
        }
        let src = src.unwrap_or(NodeId(self.random.random_range(0..self.nodes)));
        let dst = NodeId(self.random.random_range(0..self.nodes));
        let flits = Flits(self.random.random_range(1..40));
        let start = self.net.now() + Ticks(self.random.random_range(0..=ahead));
        let id = self.net.send(src, dst, flits, start).unwrap();
        assert_eq!(id.index(), self.sent.len());
        self.sent.push(TraceMessage { src, dst, flits, start });
        self.arrived.push(None);
    }

    /// Advances by a random number of ticks, by one step of the network, or until something happens.
    fn advance(&mut self) -> Result<usize, LiveError> {
        let now = self.net.now();
        let until = match self.random.random_range(0..3) {
            0 => now + Ticks(self.random.random_range(0..30)),
            1 => self.net.next().unwrap_or(now),
            _ => Ticks::MAX,
        };
        self.net.advance(until)
    }

    fn take(&mut self, event: LiveEvent) {
        let at = match event {
            LiveEvent::Delivered { message, outcome } => {
                assert!(self.arrived[message.index()].replace(outcome).is_none(), "delivered twice");
                outcome.delivered
            }
            LiveEvent::Timer { at, .. } => at,
            _ => panic!("unknown event"),
        };
        assert!(at >= self.last && at == self.net.now());
        self.last = at;
    }

    /// Reacts to events until all messages have been sent and delivered.
    fn run(mut self) -> (Vec<TraceMessage>, Ended) {
        for _ in 0..self.random.random_range(1..12) {
            self.send(None, 60);
        }
        loop {
            match self.advance() {
                Err(LiveError::Deadlock(_)) => return (self.sent, Ended::Deadlock),
                Err(error) => panic!("{error}"),
                Ok(_) => {}
            }
            while let Some(event) = self.net.poll() {
                self.take(event);
                let LiveEvent::Delivered { outcome, .. } = event else {
                    self.send(None, 0);
                    continue;
                };
                match self.random.random_range(0..6) {
                    0 => drop(self.net.timer(self.net.now() + Ticks(self.random.random_range(0..50))).unwrap()),
                    1 => self.send(None, 100),
                    _ => self.send(Some(outcome.dst), 0),
                }
            }
            if self.net.next().is_none() {
                if self.net.advance(Ticks::MAX).is_err() {
                    return (self.sent, Ended::Deadlock);
                }
                return (self.sent, Ended::Done(self.arrived.into_iter().map(Option::unwrap).collect()));
            }
        }
    }
}

/// Runs a random host on `engine`, and a trace of the messages that it sent, and returns true if all arrived. Returns `None` if the
/// engine does not accept the network.
fn agree(engine: Engine, network: &dyn Network, costs: ChannelCosts, seed: u64) -> Option<bool> {
    let net = match Simulation::live(network).costs(costs).engine(engine).start() {
        Ok(net) => net,
        Err(Stop::MayShare | Stop::ShortBuffer(_) | Stop::Uneven) => return None,
        Err(stop) => panic!("{stop}"),
    };
    let (sent, live) = Host::new(net, seed, network.channels().nodes(), 150).run();
    let trace = ended(engine.run(network, costs, TraceProgram::new(&sent), &mut ()));
    assert_eq!(live, trace, "seed {seed} on {engine:?}");
    Some(live != Ended::Deadlock)
}

#[test]
fn live_runs_are_those_of_a_trace_of_their_messages() {
    for engine in [Engine::Worm, Engine::Flit, Engine::Sleep, Engine::Auto] {
        let mut done = 0;
        let mut deadlocks = 0;
        for seed in 0..250 {
            let mut random = Pcg64::seed_from_u64(seed);
            let network = network(&mut random);
            let costs = channel_costs(&mut random);
            match agree(engine, network.as_ref(), costs, seed) {
                Some(true) => done += 1,
                Some(false) => deadlocks += 1,
                None => {}
            }
        }
        assert!(done >= 60, "{engine:?}: only {done} runs, and {deadlocks} deadlocks");
    }
}

#[test]
fn live_runs_share_channels_as_a_trace_does() {
    let torus = DimensionOrder::first_coordinate_first(Torus::new(&[4, 4], 1, 2).unwrap());
    for engine in [Engine::Flit, Engine::Sleep, Engine::Auto] {
        for seed in 0..40 {
            assert_eq!(agree(engine, &torus, ChannelCosts::default(), seed), Some(true));
        }
    }
    let refused = Simulation::live(&torus).engine(Engine::Worm).start();
    assert_eq!(refused.err(), Some(Stop::MayShare));
}

#[test]
fn live_runs_on_routers_are_those_of_a_trace_of_their_messages() {
    let mut done = 0;
    let mut deadlocks = 0;
    for seed in 0..400 {
        let mut random = Pcg64::seed_from_u64(seed);
        let machine = if seed % 4 == 0 { Machine::over_links(&mut random) } else { Machine::draw(&mut random) };
        let setup = machine.setup();
        let (sent, live) = Host::new(start_live(&setup), seed, machine.nodes(), 150).run();
        let trace = ended(run_program(&setup, TraceProgram::new(&sent), &mut ()));
        assert_eq!(live, trace, "seed {seed}: {}", machine.what);
        if live == Ended::Deadlock { deadlocks += 1 } else { done += 1 }
    }
    assert!(done > 200 && deadlocks > 0, "{done} runs, and {deadlocks} deadlocks");
}

fn line() -> DimensionOrder<Mesh> {
    DimensionOrder::first_coordinate_first(Mesh::new(&[4], 1).unwrap())
}

#[test]
fn events_of_a_tick_are_messages_by_number_and_then_timers() {
    let line = line();
    for engine in [Engine::Worm, Engine::Flit, Engine::Sleep] {
        let mut net = Simulation::live(&line).engine(engine).start().unwrap();
        for at in [3, 2, 3] {
            net.timer(Ticks(at)).unwrap();
        }
        for (src, dst) in [(2, 3), (1, 0), (0, 1)] {
            net.send(NodeId(src), NodeId(dst), Flits(1), Ticks(0)).unwrap();
        }
        assert_eq!(net.advance(Ticks(10)), Ok(1));
        assert_eq!(net.poll(), Some(LiveEvent::Timer { timer: 1, set: Ticks(0), at: Ticks(2) }));
        assert_eq!((net.advance(Ticks(10)), net.now(), net.next()), (Ok(5), Ticks(3), Some(Ticks(3))));
        let events: Vec<(bool, u32)> = std::iter::from_fn(|| net.poll())
            .map(|event| match event {
                LiveEvent::Delivered { message, .. } => (true, message.0),
                LiveEvent::Timer { timer, .. } => (false, timer),
                _ => panic!("unknown event"),
            })
            .collect();
        assert_eq!(events, [(true, 0), (true, 1), (true, 2), (false, 0), (false, 2)]);
        assert_eq!((net.next(), net.advance(Ticks::MAX), net.now()), (None, Ok(0), Ticks(3)));
    }
}

#[test]
fn refused_calls_leave_the_run_as_it_was() {
    let line = line();
    let mut net = Simulation::live(&line).start().unwrap();
    assert_eq!(net.advance(Ticks(5)), Ok(0));
    let send = |net: &mut Live<'_>, src, at| net.send(NodeId(src), NodeId(1), Flits(1), Ticks(at));
    assert_eq!(send(&mut net, 4, 5), Err(LiveError::Node { node: NodeId(4), nodes: 4 }));
    let past = Err(LiveError::Time { at: Ticks(4), now: Ticks(5) });
    assert_eq!(send(&mut net, 0, 4), past);
    assert_eq!(net.timer(Ticks(4)).err(), past.err());
    assert!(net.advance(Ticks(4)).is_err() && net.advance(Ticks(1 << 60)).is_err());
    assert_eq!(send(&mut net, 0, 5), Ok(MessageId(0)));
    assert_eq!(net.advance(Ticks::MAX), Ok(1));
    assert_eq!(net.now(), Ticks(8));
}
