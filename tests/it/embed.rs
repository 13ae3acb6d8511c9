//! Networks inside other simulators: the calls of Rust, and the header of the C library.

use flitwise::embed::{Event, EventKind, Network, Refused, Stop};
use std::collections::BTreeSet;
use std::path::Path;

/// The functions that `text` names by `before` and a parenthesis.
fn functions(text: &str, before: &str) -> BTreeSet<String> {
    let ends = |at: usize| text[at..].split(|c: char| !(c.is_ascii_alphanumeric() || c == '_')).next();
    let named = text.match_indices(before).filter_map(|(at, _)| ends(at + before.len() - "fw_".len()));
    named.filter(|name| text.contains(&format!("{name}("))).map(str::to_owned).collect()
}

#[test]
fn the_header_declares_what_the_library_exports() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let read = |path: &str| std::fs::read_to_string(root.join(path)).unwrap();
    let declared = functions(&read("ffi/include/flitwise.h"), "fw_");
    let declared: BTreeSet<String> =
        declared.into_iter().filter(|name| !["fw_net", "fw_event"].contains(&name.as_str())).collect();
    let exported = functions(&read("ffi/src/lib.rs"), "extern \"C\" fn fw_");
    assert_eq!(declared, exported);
    assert_eq!(exported.len(), 26);
}

/// A network that takes `more` in its scenario.
fn mesh(more: &str) -> Network {
    Network::open(&format!("[network.mesh]\nshape = [4, 4]\n{more}")).unwrap()
}

/// All events until none is to come.
fn events(net: &mut Network) -> Vec<Event> {
    let mut events = Vec::new();
    while net.advance(None).unwrap() > 0 {
        events.extend(std::iter::from_fn(|| net.poll()));
    }
    events
}

#[test]
fn bytes_become_flits_and_events_have_what_the_host_gave() {
    let mut net = mesh("[workload.embed]\nflit_bytes = 16\n");
    assert_eq!((net.nodes(), net.classes(), net.flit_bytes()), (16, &["default".to_owned()][..], 16));
    assert_eq!(net.send(0, 3, 0, 33, 5, 70), Ok(0)); // three flits
    assert_eq!(net.send(0, 0, 0, 0, 90, 71), Ok(1)); // one on the wire
    assert_eq!(net.timer(50, 72), Ok(0));
    let arrived = events(&mut net);
    let seen: Vec<_> = arrived.iter().map(|event| (event.kind, event.id, event.user, event.delivered)).collect();
    let expected = [
        (EventKind::Message, 0, 70, 5 + (3 + 1) + 3),
        (EventKind::Timer, 0, 72, 50),
        (EventKind::Message, 1, 71, 90 + 2),
    ];
    assert_eq!(seen, expected);
    assert_eq!((arrived[0].bytes, arrived[0].hops, arrived[0].requested), (33, 3, 5));
    let stats = net.stats();
    assert_eq!((&stats["engine"], &stats["flits"], &stats["bytes"]), (&"worm".into(), &4.into(), &33.into()));
    assert_eq!((&stats["delivered"], &stats["latency_max"]), (&2.into(), &7.into()));
}

#[test]
fn messages_that_have_been_read_are_forgotten() {
    for engine in ["worm", "flit", "sleep", "router"] {
        let mut net = mesh(&format!("[channel]\nbuffer = 4\n[engine]\nkind = \"{engine}\"\n"));
        let mut last = 0;
        for round in 0..3000 {
            let from = round % 16;
            let id = net.send(from, (from * 7 + 3) % 16, 0, 1 + u64::from(round % 5), net.now(), round.into()).unwrap();
            assert_eq!(id, u64::from(round));
            if round % 3 == 0 {
                net.advance(None).unwrap();
            }
            while let Some(event) = net.poll() {
                assert!(event.user == event.id && event.delivered >= last, "{engine}");
                last = event.delivered;
            }
        }
        assert!(events(&mut net).iter().all(|event| event.user == event.id));
        assert_eq!((net.pending(), net.stats()["delivered"].as_u64()), (0, Some(3000)), "{engine}");
    }
}

#[test]
fn refused_calls_say_what_is_accepted() {
    let mut net = mesh("[workload.embed]\nflit_bytes = 8\n");
    let message = |error: Refused| error.to_string();
    assert_eq!(
        message(net.send(16, 0, 0, 1, 0, 0).unwrap_err()),
        "node 16 does not exist; nodes are numbered from 0 to 15"
    );
    assert_eq!(net.class("bulk").map_err(message), Err("there is no class `bulk`; accepted: default".to_owned()));
    assert_eq!(
        message(net.can_send(0, 0, 1 << 40).unwrap_err()),
        "a message of 1099511627776 bytes, 137438953472 flits of 8, is too long: at most 4294967295 flits are accepted, \
         the largest number of flits of a message"
    );
    assert_eq!(net.peek(0, 0), Err(Refused::Mode));
    assert_eq!(net.advance(Some(7)), Ok(0));
    assert_eq!(net.advance(Some(6)), Err(Stop::Time { until: 6, now: 7 }));
    assert_eq!((net.now(), net.pending(), net.next()), (7, 0, None));
}

#[test]
fn a_workload_of_its_own_is_refused() {
    let text = "[network.mesh]\nshape = [4, 4]\n[workload.exchange]\nalgorithms = [\"direct\"]\n";
    let message = Network::open(text).err().unwrap().to_string();
    assert!(message.contains("[workload.exchange]") && message.contains("[workload.embed]"), "{message}");
}

const ROUTERS: &str = "[channel]\nbuffer = 6\n[router]\nmodel = \"pipelined\"\nnetworks = 2\n";

#[test]
fn classes_on_networks_of_their_own_do_what_they_do_alone() {
    let classes = "[[workload.embed.class]]\nname = \"a\"\n[[workload.embed.class]]\nname = \"b\"\nnetwork = 1\n";
    let mut network = mesh(&format!("{ROUTERS}{classes}"));
    let mut networks = [mesh(ROUTERS), mesh(ROUTERS)];
    for number in 0..200_u32 {
        let class = number * 7 % 3 % 2;
        let [src, dst] = [number * 5 % 16, number * 11 % 16];
        let tick = u64::from(number / 3);
        network.send(src, dst, class, 1 + u64::from(number % 6), tick, number.into()).unwrap();
        networks[class as usize].send(src, dst, 0, 1 + u64::from(number % 6), tick, number.into()).unwrap();
    }
    let times = |event: &Event| (event.user, event.injected, event.delivered, event.blocked);
    let mut separate: Vec<_> = networks.iter_mut().flat_map(events).map(|event| times(&event)).collect();
    let mut times_together: Vec<_> = events(&mut network).iter().map(times).collect();
    separate.sort_unstable();
    times_together.sort_unstable();
    assert_eq!(separate, times_together);
}

#[test]
fn a_node_that_takes_nothing_holds_the_others_back() {
    let mut net = mesh(
        "[router]\nmodel = \"pipelined\"\n[channel]\nbuffer = 8\n[workload.embed]\nqueue = 16\nejection = \"held\"\nejection_buffer = 12\n",
    );
    let mut sent = 0;
    for tick in 1..400 {
        for src in 0..16 {
            if net.can_send(src, 0, 4).unwrap() {
                net.send(src, 0, 0, 4, net.now(), sent).unwrap();
                sent += 1;
            }
        }
        assert_eq!(net.advance(Some(tick)), Ok(0));
    }
    assert_eq!((net.held(), net.next()), (3, None)); // three messages of four flits in twelve slots
    assert_eq!(
        net.send(0, 0, 0, 13, net.now(), 0).map_err(|error| error.to_string().contains("ejection buffer")),
        Err(true)
    );
    let mut arrivals = 0;
    while net.pending() > 0 {
        while let Some(event) = net.take(0, 0).unwrap() {
            assert!(event.delivered <= net.now());
            arrivals += 1;
        }
        net.advance(Some(net.now() + 1)).unwrap();
    }
    assert_eq!((arrivals, net.held()), (sent, 0));
}

/// A slot that is returned has an effect some cycles later, while the routers are quiet. What a host sends before then must not wait.
#[test]
fn a_message_does_not_wait_for_the_return_of_slots_of_another_node() {
    let routers = "[router]\nmodel = \"pipelined\"\nchannel_latency = 5\n[channel]\nbuffer = 8\n[workload.embed]\nejection = \"held\"\nejection_buffer = 1\n";
    for taken in 0..40 {
        for later in 1..12 {
            let mut net = mesh(routers);
            net.send(0, 1, 0, 1, 0, 0).unwrap();
            net.send(0, 1, 0, 1, 0, 1).unwrap(); // waits for the slot of the first
            net.advance(Some(100)).unwrap();
            net.send(10, 11, 0, 1, 100, 2).unwrap();
            net.advance(Some(100 + taken)).unwrap();
            net.take(1, 0).unwrap().unwrap();
            (1..=later).for_each(|tick| assert_eq!(net.advance(Some(100 + taken + tick)), Ok(0)));
            net.send(11, 10, 0, 1, net.now(), 3).unwrap();
            net.advance(None).unwrap();
            let event = net.take(10, 0).unwrap().unwrap();
            assert_eq!(event.injected, event.requested, "taken at {}, sent {later} ticks later", 100 + taken);
        }
    }
}
