//! What traces are read as; what is told of wrong ones; files.

mod faults;
mod files;

use super::parse;
use crate::config::Diagnostic;
use crate::workload::noc_trace::event::{Event, Tile, Trace, What};

const SHAPE: [u16; 2] = [10, 12];

/// The fields that each event of the tests has that says no others, of BRISC at (1, 2).
fn event(time: u64, fields: &str) -> String {
    format!(r#"{{"proc": "BRISC", "sx": 1, "sy": 2, "timestamp": {time}, {fields}}}"#)
}

/// An event of a type on network 0.
fn typed(time: u64, kind: &str, fields: &str) -> String {
    let comma = if fields.is_empty() { "" } else { ", " };
    event(time, &format!(r#""noc": "NOC_0", "type": "{kind}"{comma}{fields}"#))
}

fn begin(time: u64) -> String {
    event(time, r#""zone": "BRISC-KERNEL", "zone_phase": "begin""#)
}

fn array(events: &[String]) -> String {
    format!("[\n{}\n]\n", events.join(",\n"))
}

/// The trace of these events, and what is wrong.
fn parsed(text: &str) -> (Option<Trace>, Vec<Diagnostic>) {
    let mut found = Vec::new();
    let trace = parse(text, SHAPE, &mut |wrong| found.push(wrong));
    assert_eq!(trace.is_some(), found.is_empty(), "{found:?}");
    (trace, found)
}

fn trace(events: &[String]) -> Trace {
    let (trace, wrong) = parsed(&array(events));
    trace.unwrap_or_else(|| panic!("{wrong:?}"))
}

/// What the only processor did behind the first event, which is a beginning at 100.
fn deeds(events: &[String]) -> Vec<What> {
    let events = [&[begin(100)], events].concat();
    let trace = trace(&events);
    assert_eq!(trace.processors.len(), 1);
    trace.processors[0].events[1..].iter().map(|event| event.what).collect()
}

/// Messages, each with the text below it.
fn told(text: &str) -> Vec<String> {
    let shown = |wrong: &Diagnostic| match &wrong.place {
        Some(place) => format!("{} | {}", wrong.message, &text[place.span.clone()]),
        None => wrong.message.clone(),
    };
    parsed(text).1.iter().map(shown).collect()
}

/// The message, the note and the hint of the only thing that is wrong.
fn advice(events: &[String]) -> (String, String, String) {
    let mut wrong = parsed(&array(events)).1;
    assert_eq!(wrong.len(), 1, "{wrong:?}");
    let wrong = wrong.remove(0);
    (wrong.message, wrong.note.unwrap_or_default(), wrong.hint.unwrap_or_default())
}

/// What is told of the second of two events, the first a beginning.
fn second(event: String) -> Vec<String> {
    told(&array(&[begin(100), event]))
}

const AT: &str = r#""dx": 3, "dy": 4, "num_bytes": 64"#;
const PLACE: &str = r#""dx": 3, "dy": 4"#;
const THERE: Tile = Tile { x: 3, y: 4 };

#[test]
fn each_type_is_read_as_what_it_does() {
    let read = What::Read { from: THERE, bytes: 64 };
    let write = What::Write { to: THERE, bytes: 64 };
    for (kind, fields, what) in [
        ("READ", AT, read),
        ("WRITE_", AT, write),
        ("WRITE", AT, write),
        ("WRITE_WITH_TRID", AT, write),
        ("WRITE_INLINE", AT, write),
        ("WRITE_FLUSH", "", What::WriteFlush),
        ("SEMAPHORE_INC", PLACE, What::SemaphoreIncrement { to: THERE }),
        ("SEMAPHORE_SET", "", What::SemaphoreSet),
        ("SEMAPHORE_WAIT", r#""dx": -1, "dy": -1, "num_bytes": 0"#, What::SemaphoreWait),
    ] {
        assert_eq!(deeds(&[typed(200, kind, fields)]), [what], "{kind}");
    }
    let waits = [typed(200, "READ_BARRIER_START", ""), typed(300, "READ_BARRIER_END", "")];
    assert_eq!(deeds(&waits), [What::ReadBarrierStart, What::ReadBarrierEnd]);
    let waits = [typed(200, "WRITE_BARRIER_START", ""), typed(200, "WRITE_BARRIER_END", "")];
    assert_eq!(deeds(&waits), [What::WriteBarrierStart, What::WriteBarrierEnd]);
    assert_eq!(deeds(&[typed(200, "READ_SET_TRID", ""), typed(201, "WRITE_SET_TRID", "")]), []);
}

#[test]
fn times_count_from_the_earliest_event_and_need_64_bits() {
    let base = 4_352_296_151_217;
    let trace = trace(&[begin(base), typed(base + 190, "READ", AT)]);
    assert_eq!((trace.start, trace.length), (base, 190));
    let read = Event {
        core: Tile { x: 1, y: 2 },
        processor: 0,
        network: 0,
        time: 190,
        what: What::Read { from: THERE, bytes: 64 },
    };
    assert_eq!(trace.events().nth(1), Some(&read));
}

#[test]
fn processors_stand_by_first_appearance() {
    let other = r#"{"proc": "NCRISC", "sx": 1, "sy": 2, "timestamp": 90, "noc": "NOC_1", "type": "WRITE_FLUSH"}"#;
    let trace = trace(&[begin(100), other.to_owned(), typed(120, "READ", AT)]);
    let names: Vec<_> = trace.processors.iter().map(|processor| (processor.name, processor.events.len())).collect();
    assert_eq!(names, [("BRISC", 2), ("NCRISC", 1)]);
    let seen: Vec<_> = trace.events().map(|event| (event.processor, event.network, event.time)).collect();
    assert_eq!(seen, [(0, 0, 10), (0, 0, 30), (1, 1, 0)]);
}

#[test]
fn a_beginning_that_is_told_again_counts_for_time_0_alone() {
    let trace = trace(&[begin(100), typed(200, "READ", AT), begin(90), typed(210, "READ", AT), begin(300)]);
    let times: Vec<u64> = trace.events().map(|event| event.time).collect();
    assert_eq!((trace.start, trace.length, times), (90, 210, vec![10, 110, 120, 210]));
}

#[test]
fn noise_is_skipped_whatever_it_says() {
    let noise = [
        r#"{"proc": "", "zone": "PROFILER-NOC-QUICK-SEND", "zone_phase": "begin", "sx": -5, "timestamp": "x"}"#,
        r#"{"timestamp": 1}"#,
        r#"{}"#,
        r#"{"proc": "BRISC", "zone": "BRISC-KERNEL", "zone_phase": "end", "timestamp": 9000}"#,
        r#"{"proc": "BRISC", "zone": "mine", "zone_phase": "ZONE_START", "timestamp": 1}"#,
    ];
    let events: Vec<String> = noise.into_iter().map(str::to_owned).chain([typed(200, "READ", AT)]).collect();
    assert_eq!(deeds(&events).len(), 1);
}

#[test]
fn unknown_fields_are_skipped_and_names_may_have_escapes() {
    let fields = r#""noc": "NOC\u005f1", "type": "RE\u0041D", "vc": -1, "kernel_start_delta": [1, {"a": null}], "#;
    assert_eq!(deeds(&[event(200, &format!("{fields}{AT}"))]), [What::Read { from: THERE, bytes: 64 }]);
}

#[test]
fn what_a_transfer_lacks_was_kept() {
    let read = |x, bytes| What::Read { from: Tile { x, y: 4 }, bytes };
    let write = |x, bytes| What::Write { to: Tile { x, y: 4 }, bytes };
    let events = [
        typed(110, "READ_SET_STATE", AT),
        typed(110, "WRITE_WITH_TRID_SET_STATE", r#""dx": 5, "dy": 4, "num_bytes": 0"#),
        typed(120, "READ_WITH_STATE", r#""num_bytes": 0"#),
        typed(130, "READ_WITH_STATE", r#""dx": -1, "dy": -1, "num_bytes": 32"#),
        typed(140, "READ_WITH_STATE", r#""dx": 6, "dy": 4"#),
        typed(150, "WRITE_WITH_TRID_WITH_STATE", r#""dx": 0, "dy": 0, "num_bytes": 96"#),
        typed(160, "READ_DRAM_SHARDED_SET_STATE", r#""dx": 0, "dy": 4, "num_bytes": 128"#),
        typed(170, "READ_DRAM_SHARDED_WITH_STATE", ""),
        typed(180, "READ_WITH_STATE_AND_TRID", r#""dx": 7, "dy": 7"#),
        typed(190, "WRITE_SET_STATE", AT),
        typed(200, "WRITE_WITH_STATE", ""),
    ];
    let expected = [read(3, 64), read(3, 32), read(6, 64), write(5, 96), read(0, 128), read(0, 128), write(3, 64)];
    assert_eq!(deeds(&events), expected);
}

#[test]
fn what_was_kept_is_of_one_processor() {
    let other = r#"{"proc": "NCRISC", "sx": 1, "sy": 2, "timestamp": 90, "noc": "NOC_1", "type": "READ_WITH_STATE"}"#;
    let text = array(&[typed(110, "READ_SET_STATE", AT), other.to_owned()]);
    let message = "event 2: READ_WITH_STATE without an earlier READ_SET_STATE of the same processor";
    assert_eq!(told(&text), [format!("{message} | {other}")]);
}

fn multicast(network: u8, [x, y]: [u16; 2], [to_x, to_y]: [u16; 2]) -> String {
    let corners =
        format!(r#""mcast_start_x": {x}, "mcast_start_y": {y}, "mcast_end_x": {to_x}, "mcast_end_y": {to_y}"#);
    event(200, &format!(r#""noc": "NOC_{network}", "type": "WRITE_MULTICAST", "num_bytes": 64, {corners}"#))
}

#[test]
fn a_multicast_has_a_rectangle() {
    let what = What::Multicast { first: Tile { x: 1, y: 2 }, last: Tile { x: 4, y: 2 }, bytes: 64 };
    assert_eq!(deeds(&[multicast(0, [1, 2], [4, 2])]), [what]);
    assert_eq!(deeds(&[multicast(1, [4, 2], [1, 2])]), [what]);
    assert_eq!(deeds(&[multicast(1, [1, 2], [4, 2])]), [what]);
    let (message, note, _) = advice(&[multicast(0, [4, 2], [1, 2])]);
    assert_eq!(message, "event 1: the rectangle from (4, 2) to (1, 2) crosses the edge of the chip");
    assert_eq!(
        note,
        "accepted: a start to the left of and above the end, or the reverse on NOC_1; events are counted from 1"
    );
    assert_eq!(second(multicast(1, [4, 2], [1, 3])).len(), 1);
}
