//! Virtual channels that share a physical channel: the worm engine notices exactly when two are owned at once, `auto`
//! hands the run over, and the flit engine moves their flits in turn.

use crate::random::{channel_costs, torus, traffic};
use crate::support::{Recording, record};
use flitwise::costs::{Buffer, ChannelCosts};
use flitwise::engine::program::{TraceMessage, TraceProgram};
use flitwise::engine::{Engine, Event, Interest, Observer, Stop};
use flitwise::routing::{Network, Rings};
use flitwise::topology::{Channels, Torus};
use flitwise::units::{ChannelId, Flits, MessageId, NodeId, Ticks};
use rand::SeedableRng;
use rand_pcg::Pcg64;
use std::collections::BTreeMap;

/// Whether two virtual channels of a physical channel were owned at the same time.
fn overlaps(channels: &dyn Channels, recording: &Recording) -> bool {
    let released: BTreeMap<_, _> = recording.released.iter().map(|&(id, hop, _, at)| ((id, hop), at)).collect();
    let mut owned: BTreeMap<ChannelId, Vec<(Ticks, Ticks)>> = BTreeMap::new();
    for &(id, hop, channel, _, start) in &recording.granted {
        let end = released.get(&(id, hop)).copied().unwrap_or(Ticks(u64::MAX));
        owned.entry(channels.physical(channel)).or_default().push((start, end));
    }
    owned.into_values().any(|mut owned| {
        owned.sort_unstable();
        owned.windows(2).any(|pair| pair[1].0 < pair[0].1)
    })
}

#[test]
fn the_worm_engine_is_exact_or_says_that_it_is_not() {
    let (mut shared, mut agreed) = (0, 0);
    for case in 0..4000 {
        let mut random = Pcg64::seed_from_u64(case);
        let network = torus(&mut random, 2);
        let costs = channel_costs(&mut random);
        let messages = traffic(&mut random, network.channels().nodes());
        let run = |engine| record(engine, &network, costs, TraceProgram::new(&messages));
        let (flit, flit_record) = run(Engine::Flit).unwrap(); // datelines: nothing deadlocks
        match run(Engine::Worm) {
            Ok((worm, worm_record)) => {
                agreed += 1;
                assert!(!overlaps(network.channels(), &flit_record), "case {case}");
                assert_eq!(flit_record, worm_record, "case {case}");
                assert_eq!(flit.messages, worm.messages, "case {case}");
            }
            Err(Stop::Shared { .. }) => {
                shared += 1;
                assert!(overlaps(network.channels(), &flit_record), "case {case}: {costs:?} {messages:?}");
            }
            Err(other) => panic!("case {case}: {other}"),
        }
        let (auto, auto_record) = run(Engine::Auto).unwrap();
        assert_eq!(auto.engine != Engine::Worm, overlaps(network.channels(), &flit_record), "case {case}");
        assert_eq!((auto.messages, auto_record), (flit.messages, flit_record), "case {case}");
    }
    assert!(shared > 400 && agreed > 400, "{shared} shared, {agreed} not");
}

#[test]
fn a_torus_without_virtual_channels_may_deadlock_and_both_engines_say_so() {
    let mut deadlocks = 0;
    for case in 0..2000 {
        let mut random = Pcg64::seed_from_u64(case);
        let network = torus(&mut random, 1);
        let costs = channel_costs(&mut random);
        let messages = traffic(&mut random, network.channels().nodes());
        let run = |engine| record(engine, &network, costs, TraceProgram::new(&messages));
        let unwatched = Engine::Worm.run(&network, costs, TraceProgram::new(&messages), &mut ());
        match (run(Engine::Flit), run(Engine::Worm)) {
            (Ok(flit), Ok(worm)) => {
                assert_eq!(flit.0.messages, unwatched.unwrap().messages, "case {case}");
                assert_eq!((flit.0.messages, flit.1), (worm.0.messages, worm.1), "case {case}");
            }
            (flit, worm) => {
                deadlocks += 1;
                let stop = flit.unwrap_err();
                assert_eq!(stop, unwatched.unwrap_err(), "case {case}");
                assert_eq!(stop, worm.unwrap_err(), "case {case}");
            }
        }
    }
    assert!(deadlocks > 20, "{deadlocks}");
}

/// Every flit's start.
#[derive(Default)]
struct Flitwise {
    starts: Vec<(MessageId, usize, ChannelId, Ticks)>,
}

impl Observer for Flitwise {
    fn interest(&self) -> Interest {
        Interest::HOPS
    }

    fn event(&mut self, event: Event<'_>) {
        if let Event::Started { message, hop, channel, at } = event {
            self.starts.push((message, hop, channel, at));
        }
    }
}

fn flits_of(starts: &Flitwise, message: u32, hop: usize) -> Vec<u64> {
    starts.starts.iter().filter(|s| (s.0.0, s.1) == (message, hop)).map(|s| s.3.0).collect()
}

fn message(src: u32, dst: u32, flits: u64, start: u64) -> TraceMessage {
    TraceMessage { src: NodeId(src), dst: NodeId(dst), flits: Flits(flits), start: Ticks(start) }
}

/// A ring of nine, on which 0 -> 3 takes 0->1->2->3 on virtual channel 0 and 7 -> 2 goes over the dateline, so that it
/// takes 0->1->2 on virtual channel 1.
fn ring() -> Rings {
    Rings::first_coordinate_first(Torus::new(&[9], 1, 2).unwrap())
}

/// By hand: message 0 starts on 0->1 at 1 and has it alone until the header of message 1 comes there. That starts on
/// 7->8 at 1, on 8->0 at 2, and asks for 0->1 at 3. It is granted the virtual channel at once, but deliveries come before
/// requests: the flit of tick 2 has crossed and flit 3 of message 0 has started. From then on they alternate.
#[test]
fn two_worms_take_turns_on_a_shared_channel() {
    let trace = [message(0, 3, 6, 0), message(7, 2, 6, 0)];
    let mut seen = Flitwise::default();
    let costs = ChannelCosts { buffer: Buffer::Flits(4), ..ChannelCosts::default() };
    let outcome = Engine::Auto.run(&ring(), costs, TraceProgram::new(&trace), &mut seen).unwrap();
    assert_eq!(outcome.engine, Engine::Flit);
    assert_eq!(flits_of(&seen, 0, 1), [1, 2, 3, 5, 7, 9]);
    assert_eq!(flits_of(&seen, 1, 3), [4, 6, 8, 10, 11, 12]);
    // the last flit of message 0 starts on 0->1 at 9, on 1->2 at 10, on 2->3 at 11, on the ejection channel at 12
    assert_eq!(outcome.messages.iter().map(|m| m.delivered.0).collect::<Vec<_>>(), [13, 15]);
    assert_eq!(outcome.blocked_headers, 0);
}

/// A worm that stands still on its virtual channel leaves the physical channel to the other.
#[test]
fn a_blocked_worm_gives_way() {
    // message 2 holds node 3's ejection channel for 100 ticks; message 0 waits behind it, on virtual channel 0 of 0->1
    let trace = [message(0, 3, 6, 5), message(7, 2, 6, 20), message(4, 3, 100, 0)];
    let mut seen = Flitwise::default();
    let outcome = Engine::Auto.run(&ring(), ChannelCosts::default(), TraceProgram::new(&trace), &mut seen).unwrap();
    assert_eq!(outcome.engine, Engine::Flit);
    assert!(outcome.messages[0].delivered.0 > 100);
    assert_eq!(flits_of(&seen, 1, 3), [23, 24, 25, 26, 27, 28], "as if it were alone");
    assert_eq!(outcome.messages[1].delivered.0, 20 + 5 + 6);
}

/// Flits of a physical channel keep their distance, flits of a worm their order, and buffers their size, whatever
/// shares a channel.
#[test]
fn physical_channels_move_one_flit_at_a_time_and_buffers_do_not_overflow() {
    for case in 0..1000 {
        let mut random = Pcg64::seed_from_u64(case);
        let network = torus(&mut random, 2);
        let costs = channel_costs(&mut random);
        let messages = traffic(&mut random, network.channels().nodes());
        let mut seen = Flitwise::default();
        Engine::Flit.run(&network, costs, TraceProgram::new(&messages), &mut seen).unwrap();
        let mut wires: BTreeMap<ChannelId, Vec<Ticks>> = BTreeMap::new();
        let mut worms: BTreeMap<(MessageId, usize), Vec<u64>> = BTreeMap::new();
        for &(id, hop, channel, at) in &seen.starts {
            wires.entry(network.channels().physical(channel)).or_default().push(at);
            worms.entry((id, hop)).or_default().push(at.0);
        }
        for starts in wires.values_mut() {
            starts.sort_unstable();
            assert!(starts.windows(2).all(|pair| pair[1].0 - pair[0].0 >= costs.flit_time), "case {case}");
        }
        for (&(id, hop), starts) in &worms {
            assert_eq!(starts.len() as u64, messages[id.index()].flits.on_wire(), "case {case}");
            let Some(ahead) = worms.get(&(id, hop + 1)) else { continue };
            let buffer = usize::try_from(costs.buffer.without_delay()).unwrap();
            for (flit, start) in starts.iter().enumerate() {
                assert!(ahead[flit] >= start + costs.flit_time, "case {case}: a flit moves before it has arrived");
                assert!(flit < buffer || *start >= ahead[flit - buffer], "case {case}: no room for a flit");
            }
        }
    }
}

/// No channel stands idle while a flit could move: a lone worm meets nobody's flits, so the physical channels it has to
/// itself never delay it.
#[test]
fn without_company_virtual_channels_cost_nothing() {
    for case in 0..500 {
        let mut random = Pcg64::seed_from_u64(case);
        let network = torus(&mut random, 2);
        let costs = channel_costs(&mut random);
        let mut messages = traffic(&mut random, network.channels().nodes());
        messages.truncate(1);
        let channels = network.hops(messages[0].src, messages[0].dst) + 2;
        for engine in [Engine::Flit, Engine::Worm] {
            let outcome = engine.run(&network, costs, TraceProgram::new(&messages), &mut ()).unwrap();
            let alone = messages[0].start + costs.unloaded(messages[0].flits, channels);
            assert!(outcome.completion >= alone, "case {case}");
            if costs.routing_delay == 0 {
                assert_eq!(outcome.completion, alone, "case {case}");
            }
        }
    }
}
