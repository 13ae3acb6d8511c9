//! Runs in the caller's hands: ended by their caller, by other threads and by observers. That steps change nothing is tested
//! by `flitwise selftest --only steps`, and of runs in stages by `stages`.

use flitwise::cancel::Token;
use flitwise::costs::ChannelCosts;
use flitwise::engine::program::{TraceMessage, TraceProgram};
use flitwise::engine::{Engine, Event, Interest, Observer, Simulation, Stop, Stopping};
use flitwise::routing::DimensionOrder;
use flitwise::topology::Mesh;
use flitwise::units::{Flits, MessageId, NodeId, Ticks};

const ENGINES: [Engine; 4] = [Engine::Worm, Engine::Flit, Engine::Sleep, Engine::Auto];

fn mesh() -> DimensionOrder<Mesh> {
    DimensionOrder::first_coordinate_first(Mesh::new(&[6, 6], 1).unwrap())
}

/// Messages to the same node, one after the other.
fn messages(count: usize) -> Vec<TraceMessage> {
    let message =
        |id| TraceMessage { src: NodeId::new(id % 35), dst: NodeId(35), flits: Flits(50), start: Ticks(id as u64) };
    (0..count).map(message).collect()
}

/// Ends a run as soon as so many messages have been granted their injection channel.
#[derive(Default)]
struct AfterInjections {
    most: usize,
    told: usize,
    last: Ticks,
}

impl Observer for AfterInjections {
    fn interest(&self) -> Interest {
        let stopping = if self.told < self.most { Stopping::NotYet } else { Stopping::Now };
        Interest { stopping, ..Interest::HOPS }
    }

    fn event(&mut self, event: Event<'_>) {
        if let Event::Granted { hop: 0, start, .. } = event {
            self.told += 1;
            self.last = start;
        }
    }
}

#[test]
fn an_observer_ends_a_run_at_the_same_tick_on_every_engine() {
    let network = mesh();
    let messages = messages(100);
    let mut ends = Vec::new();
    for engine in ENGINES {
        let mut observer = AfterInjections { most: 70, ..AfterInjections::default() };
        let program = TraceProgram::new(&messages);
        let stopped = engine.run(&network, ChannelCosts::default(), program, &mut observer);
        assert_eq!(stopped, Err(Stop::Stopped { at: observer.last }), "{}", engine.name());
        assert_eq!(observer.told, 70);
        ends.push(stopped);
    }
    assert!(ends.iter().all(|end| *end == ends[0]), "{ends:?}");
}

#[test]
fn a_run_that_was_cancelled_stands_where_it_stood_and_says_so() {
    let network = mesh();
    let messages = messages(100);
    for engine in ENGINES {
        let mut run = Simulation::new(&network, TraceProgram::new(&messages)).engine(engine).start().unwrap();
        run.run_until(Ticks(1000));
        let delivered = run.delivered();
        assert!(0 < delivered && delivered < 100, "{delivered}");
        run.token().cancel();
        assert_eq!((run.step(), run.is_finished()), (None, true));
        run.run_until(Ticks(2000));
        assert_eq!((run.now(), run.delivered()), (Ticks(1000), delivered));
        assert!((0..100).filter_map(|id| run.message(MessageId(id))).count() == delivered);
        assert_eq!(run.finish(), Err(Stop::Cancelled { at: Ticks(1000) }));
    }
}

#[test]
fn what_is_done_is_not_cancelled_any_more() {
    let network = mesh();
    let messages = messages(3);
    let mut run = Simulation::new(&network, TraceProgram::new(&messages)).start().unwrap();
    run.run_until(Ticks(10_000));
    assert!(run.is_finished() && run.now() < Ticks(10_000));
    run.token().cancel();
    assert_eq!(run.finish().unwrap().messages.len(), 3);
}

/// A run of minutes, which ends at once.
#[test]
fn another_thread_ends_a_run() {
    let network = mesh();
    let messages = messages(2_000_000);
    let token = Token::new();
    let simulation = Simulation::new(&network, TraceProgram::new(&messages)).engine(Engine::Flit).token(&token);
    let (begun, begins) = std::sync::mpsc::channel();
    let canceller = token.clone();
    let ended = std::thread::scope(|scope| {
        scope.spawn(move || {
            begins.recv().unwrap();
            canceller.cancel();
        });
        let mut run = simulation.start().unwrap();
        run.run_until(Ticks(5000));
        begun.send(()).unwrap();
        run.finish()
    });
    assert!(matches!(ended, Err(Stop::Cancelled { at }) if at >= Ticks(5000)), "{ended:?}");
}
