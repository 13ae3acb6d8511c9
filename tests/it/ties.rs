//! Requests at equal times: the earlier request wins, then the lower number, also when a request arrives in the very
//! tick of a release. Every start is derived by hand from the rules, on a line of nodes; and no queue of events can
//! change an outcome.

use crate::random::{channel_costs, network, traffic};
use crate::support::{Recording, record};
use flitwise::costs::ChannelCosts;
use flitwise::engine::program::{TraceMessage, TraceProgram};
use flitwise::engine::wormhole::worm;
use flitwise::engine::{Engine, MessageSet, Outcome, Program, Requests, Signal};
use flitwise::events::{EventQueue, HeapQueue, RingQueue};
use flitwise::routing::{DimensionOrder, Network};
use flitwise::topology::Mesh;
use flitwise::units::{Flits, MessageId, NodeId, Ticks};
use rand::SeedableRng;
use rand_pcg::Pcg64;
use std::cell::RefCell;
use std::rc::Rc;

struct Case {
    what: &'static str,
    ports: usize,
    flits: u64,
    /// (source, destination, time) by message number.
    messages: &'static [(u32, u32, u64)],
    /// The header's start on every channel of its path, by message number.
    starts: &'static [&'static [u64]],
    /// How many headers waited for longer than no time.
    waited: u64,
}

/// On five nodes in a line; one tick a flit, buffers of one flit, no routing delay.
const CASES: &[Case] = &[
    Case {
        what: "equal requests: the lower number first",
        ports: 1,
        flits: 4,
        messages: &[(0, 1, 0), (0, 1, 0), (0, 1, 0)],
        starts: &[&[0, 1, 2], &[4, 5, 6], &[8, 9, 10]],
        waited: 2,
    },
    Case {
        what: "an earlier request goes before a lower number",
        ports: 1,
        flits: 4,
        messages: &[(0, 1, 2), (0, 1, 1), (0, 1, 0)],
        starts: &[&[8, 9, 10], &[4, 5, 6], &[0, 1, 2]],
        waited: 2,
    },
    Case {
        what: "a request in the tick of the release is granted in that tick and not blocked",
        ports: 1,
        flits: 4,
        messages: &[(0, 1, 4), (0, 1, 0)],
        starts: &[&[4, 5, 6], &[0, 1, 2]],
        waited: 0,
    },
    Case {
        what: "who has waited goes before a lower number that comes in the tick of the release",
        ports: 1,
        flits: 4,
        messages: &[(0, 1, 4), (0, 1, 3), (0, 1, 0)],
        starts: &[&[8, 9, 10], &[4, 5, 6], &[0, 1, 2]],
        waited: 2,
    },
    Case {
        what: "two requests in the tick of the release: the lower number first",
        ports: 1,
        flits: 4,
        messages: &[(0, 1, 4), (0, 1, 4), (0, 1, 0)],
        starts: &[&[4, 5, 6], &[8, 9, 10], &[0, 1, 2]],
        waited: 1,
    },
    Case {
        what: "headers from three sides reach one ejection channel in one tick",
        ports: 1,
        flits: 3,
        messages: &[(0, 2, 0), (2, 2, 2), (4, 2, 0)],
        starts: &[&[0, 1, 2, 3], &[2, 6], &[0, 1, 2, 9]],
        waited: 2,
    },
    Case {
        what: "the same, numbered the other way round",
        ports: 1,
        flits: 3,
        messages: &[(4, 2, 0), (2, 2, 2), (0, 2, 0)],
        starts: &[&[0, 1, 2, 3], &[2, 6], &[0, 1, 2, 9]],
        waited: 2,
    },
    Case {
        what: "a worm of the node itself and one that passes through ask for a link in one tick",
        ports: 1,
        flits: 3,
        messages: &[(1, 3, 1), (0, 3, 0)],
        starts: &[&[1, 2, 3, 4], &[0, 1, 5, 6, 7]],
        waited: 1,
    },
    Case {
        what: "the same, numbered the other way round",
        ports: 1,
        flits: 3,
        messages: &[(0, 3, 0), (1, 3, 1)],
        starts: &[&[0, 1, 2, 3, 4], &[1, 5, 6, 7]],
        waited: 1,
    },
    Case {
        what: "a link with one in line is asked for in the tick of its release",
        ports: 1,
        flits: 3,
        messages: &[(1, 3, 4), (0, 3, 1), (1, 3, 1)],
        starts: &[&[4, 8, 9, 10], &[1, 2, 5, 6, 7], &[1, 2, 3, 4]],
        waited: 2,
    },
    Case {
        what: "single flits follow each other tick by tick",
        ports: 1,
        flits: 1,
        messages: &[(0, 1, 0), (0, 1, 0), (0, 1, 0)],
        starts: &[&[0, 1, 2], &[1, 2, 3], &[2, 3, 4]],
        waited: 2,
    },
    Case {
        what: "head flits without payload follow each other tick by tick",
        ports: 1,
        flits: 0,
        messages: &[(0, 1, 0), (0, 1, 0), (0, 1, 0)],
        starts: &[&[0, 1, 2], &[1, 2, 3], &[2, 3, 4]],
        waited: 2,
    },
    Case {
        what: "two ports take the two lower numbers",
        ports: 2,
        flits: 4,
        messages: &[(0, 1, 0), (0, 1, 0), (0, 1, 0)],
        starts: &[&[0, 1, 2], &[0, 5, 6], &[4, 9, 10]],
        waited: 3,
    },
];

/// How often a header was granted a channel later than it requested it.
fn waited(recording: &Recording) -> u64 {
    recording.granted.iter().filter(|granted| granted.4 > granted.3).count() as u64
}

#[test]
fn ties_are_decided_as_documented() {
    for case in CASES {
        let line = DimensionOrder::first_coordinate_first(Mesh::new(&[5], case.ports).unwrap());
        let message = |&(src, dst, start): &(u32, u32, u64)| TraceMessage {
            src: NodeId(src),
            dst: NodeId(dst),
            flits: Flits(case.flits),
            start: Ticks(start),
        };
        let trace: Vec<TraceMessage> = case.messages.iter().map(message).collect();
        for engine in [Engine::Flit, Engine::Worm, Engine::Sleep] {
            let (outcome, recording) =
                record(engine, &line, ChannelCosts::default(), TraceProgram::new(&trace)).unwrap();
            let starts: Vec<u64> = recording.granted.iter().map(|granted| granted.4.0).collect();
            assert_eq!(starts, case.starts.concat(), "{} ({engine:?})", case.what);
            assert_eq!(waited(&recording), case.waited, "{} ({engine:?})", case.what);
            let time: Ticks = recording.granted.iter().map(|granted| granted.4 - granted.3).sum();
            assert_eq!(outcome.blocked_time, time, "{} ({engine:?})", case.what);
        }
    }
}

/// A run of the worm engine on the queue `Q`, with starts and releases in the order in which they were observed.
fn on_queue<Q: EventQueue>(
    network: &dyn Network,
    costs: ChannelCosts,
    messages: &[TraceMessage],
) -> (Outcome, Recording) {
    let mut recording = Recording::default();
    let program = TraceProgram::new(messages);
    let outcome = worm::run_on::<Q, _, _>(network, costs, program, &mut recording).unwrap();
    (outcome, recording)
}

#[test]
fn no_queue_changes_an_outcome_or_the_order_of_what_is_observed() {
    let mut ties = 0;
    for seed in 0..600 {
        let mut random = Pcg64::seed_from_u64(seed);
        let network = network(&mut random);
        let costs = channel_costs(&mut random);
        let messages = traffic(&mut random, network.channels().nodes());
        let heap = on_queue::<HeapQueue>(network.as_ref(), costs, &messages);
        let ring = on_queue::<RingQueue>(network.as_ref(), costs, &messages);
        assert_eq!(heap, ring, "seed {seed}");
        ties += heap.1.granted.windows(2).filter(|two| two[0].4 == two[1].4).count();
    }
    assert!(ties > 10_000, "only {ties} simultaneous starts: the cases prove little");
}

#[test]
fn a_header_that_is_granted_in_the_tick_of_its_request_is_not_blocked() {
    for seed in 0..600 {
        let mut random = Pcg64::seed_from_u64(seed);
        let network = network(&mut random);
        let costs = channel_costs(&mut random);
        let messages = traffic(&mut random, network.channels().nodes());
        for engine in [Engine::Flit, Engine::Worm, Engine::Sleep] {
            let (outcome, recording) = record(engine, network.as_ref(), costs, TraceProgram::new(&messages)).unwrap();
            assert_eq!(outcome.blocked_headers, waited(&recording), "seed {seed} {engine:?}");
        }
    }
}

/// Messages at fixed times, with their deliveries in the order in which the engine reports them.
#[derive(Clone)]
struct Deliveries<'a> {
    trace: TraceProgram<'a>,
    log: Rc<RefCell<Vec<(Ticks, MessageId)>>>,
}

impl MessageSet for Deliveries<'_> {
    fn messages(&self) -> usize {
        self.trace.messages()
    }

    fn message(&self, id: MessageId) -> (NodeId, NodeId, Flits) {
        self.trace.message(id)
    }

    fn receive_time(&self, id: MessageId) -> Ticks {
        self.trace.receive_time(id)
    }
}

impl Program for Deliveries<'_> {
    fn signal(&mut self, signal: Signal, requests: &mut Requests) {
        if let Signal::Delivered { id, now } = signal {
            self.log.borrow_mut().push((now, id));
        }
        self.trace.signal(signal, requests);
    }
}

#[test]
fn deliveries_of_a_tick_are_reported_in_the_order_of_messages() {
    let mut ties = 0;
    for seed in 0..600 {
        let mut random = Pcg64::seed_from_u64(seed);
        let network = network(&mut random);
        let costs = channel_costs(&mut random);
        let messages = traffic(&mut random, network.channels().nodes());
        for engine in [Engine::Flit, Engine::Worm, Engine::Sleep] {
            let log = Rc::default();
            let program = Deliveries { trace: TraceProgram::new(&messages), log: Rc::clone(&log) };
            engine.run(network.as_ref(), costs, program, &mut ()).unwrap();
            let log = log.borrow();
            assert!(log.is_sorted(), "seed {seed} {engine:?}");
            ties += log.windows(2).filter(|two| two[0].0 == two[1].0).count();
        }
    }
    assert!(ties > 1000, "only {ties} simultaneous deliveries: the cases prove little");
}
