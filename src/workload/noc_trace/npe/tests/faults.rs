//! What is wrong, told where it stands.

use super::{AT, PLACE, advice, array, begin, event, multicast, parsed, second, told, typed};
use crate::config::{Source, render};

#[test]
fn types_that_cannot_be_run_say_why() {
    for (kind, why) in [
        ("FABRIC_UNICAST_WRITE", "goes to another chip, but only one chip is simulated"),
        ("FABRIC_OF_TOMORROW", "goes to another chip, but only one chip is simulated"),
        ("FULL_BARRIER", "waits until a time that the trace does not contain"),
        ("ATOMIC_BARRIER", "waits until a time that the trace does not contain"),
        ("READ_BARRIER_WITH_TRID", "waits for transactions that the trace does not identify"),
    ] {
        let expected = format!("event 2: `type` cannot be {kind}, which {why} | \"{kind}\"");
        assert_eq!(second(typed(200, kind, "")), [expected]);
    }
}

#[test]
fn unknown_names_are_guessed() {
    let (message, note, hint) = advice(&[typed(200, "REED", AT)]);
    assert_eq!((&*message, &*hint), ("event 1: `type` cannot be \"REED\"", "did you mean `READ`?"));
    assert!(note.starts_with("accepted: one of `READ`, `READ_BARRIER_START`, "), "{note}");
    assert!(!note.contains("FULL_BARRIER"), "{note}");
    let (message, note, hint) = advice(&[event(200, r#""noc": "NOC0", "type": "WRITE_FLUSH""#)]);
    assert_eq!((&*message, &*hint), ("event 1: `noc` cannot be \"NOC0\"", "did you mean `NOC_0`?"));
    assert_eq!(note, "accepted: one of `NOC_0`, `NOC_1`; events are counted from 1");
    let (message, _, hint) = advice(&[typed(200, "READ", AT).replace("BRISC", "BRISK")]);
    assert_eq!((&*message, &*hint), ("event 1: `proc` cannot be \"BRISK\"", "did you mean `BRISC`?"));
}

#[test]
fn fields_that_are_wrong_are_told_with_what_is_accepted() {
    let good = typed(200, "READ", AT);
    let column = "a whole number below 10, the number of columns of the chip";
    let row = "a whole number below 12, the number of rows of the chip";
    let bytes = "a whole number from 1 to 1073741824";
    let cycles = "a whole number of cycles below 2^64";
    for (from, to, message, accepted) in [
        (r#""sx": 1"#, r#""sx": 10"#, "`sx` cannot be 10", column),
        (r#""sy": 2"#, r#""sy": -2"#, "`sy` cannot be -2", row),
        (r#""dy": 4"#, r#""dy": 12"#, "`dy` cannot be 12", row),
        (r#""dx": 3"#, r#""dx": 3.0"#, "`dx` cannot be a number that is not whole, or has more than 64 bits", column),
        (r#""dx": 3"#, r#""dx": null"#, "`dx` cannot be null", column),
        (r#""dx": 3"#, r#""dx": [3]"#, "`dx` cannot be an array", column),
        (r#""dx": 3"#, r#""dx": {"x": 3}"#, "`dx` cannot be an object", column),
        (r#""dx": 3"#, r#""dx": true"#, "`dx` cannot be true or false", column),
        (r#""num_bytes": 64"#, r#""num_bytes": 0"#, "`num_bytes` cannot be 0", bytes),
        (r#""num_bytes": 64"#, r#""num_bytes": 1073741825"#, "`num_bytes` cannot be 1073741825", bytes),
        (r#""timestamp": 200"#, r#""timestamp": -200"#, "`timestamp` cannot be -200", cycles),
    ] {
        let event = good.replace(from, to);
        let (_, value) = to.split_once(": ").unwrap();
        assert_eq!(second(event.clone()), [format!("event 2: {message} | {value}")]);
        let expected = format!("accepted: {accepted}; events are counted from 1");
        assert_eq!(advice(&[event]).1, expected);
    }
    let (_, _, hint) = advice(&[good.replace(r#""sx": 1"#, r#""sx": "1""#)]);
    assert_eq!(hint, "write the number without quotes");
}

#[test]
fn fields_that_are_missing_are_told_with_what_is_needed() {
    let good = typed(200, "READ", AT);
    for (field, needed) in [
        (r#""sx": 1, "#, "`sx` is missing: a whole number below 10, the number of columns of the chip"),
        (r#""sy": 2, "#, "`sy` is missing: a whole number below 12, the number of rows of the chip"),
        (r#""timestamp": 200, "#, "`timestamp` is missing: a whole number of cycles below 2^64"),
        (r#""noc": "NOC_0", "#, "`noc` is missing: one of `NOC_0`, `NOC_1`"),
        (r#", "dx": 3"#, "`dx` is missing: a whole number below 10, the number of columns of the chip"),
        (r#", "num_bytes": 64"#, "`num_bytes` is missing: a whole number from 1 to 1073741824"),
    ] {
        let (message, note, _) = advice(&[good.replace(field, "")]);
        let message = message.strip_prefix("event 1: ").unwrap();
        let note = note.strip_prefix("needed: ").unwrap();
        assert_eq!(format!("{message}: {note}"), format!("{needed}; events are counted from 1"));
    }
    let (message, note, _) = advice(&[good.replace(r#""type": "READ", "#, "")]);
    assert_eq!(message, "event 1: `type` is missing");
    assert!(note.starts_with("needed: one of `READ`, "), "{note}");
}

#[test]
fn barriers_start_and_end() {
    let start = &typed(200, "READ_BARRIER_START", "");
    let read = &typed(250, "READ", AT);
    let kernel = &begin(250);
    let old = &begin(100);
    let end = &typed(300, "READ_BARRIER_END", "");
    let end_of_writes = &typed(300, "WRITE_BARRIER_END", "");
    let end_there = &end.replace("NOC_0", "NOC_1");
    for (events, message) in [
        (vec![start, start, end], Some("event 2: READ_BARRIER_START while its processor waits at a barrier")),
        (vec![end], Some("event 1: READ_BARRIER_END without an earlier start")),
        (vec![start], Some("event 1: this barrier does not end")),
        (vec![start, read, end], Some("event 2: READ while its processor waits at a barrier")),
        (vec![start, kernel, end], Some("event 2: a kernel begins while its processor waits at a barrier")),
        (vec![start, end_of_writes], Some("event 2: WRITE_BARRIER_END does not match the barrier that started")),
        (vec![start, end_there], Some("event 2: `noc` is NOC_1, but the barrier started on NOC_0")),
        // a beginning that is told again does not stand among the events
        (vec![old, start, old, end], None),
    ] {
        let events: Vec<String> = events.into_iter().cloned().collect();
        let told: Vec<String> = parsed(&array(&events)).1.into_iter().map(|wrong| wrong.message).collect();
        assert_eq!(told, message.into_iter().collect::<Vec<_>>());
    }
    assert_eq!(advice(std::slice::from_ref(start)).2, "the trace may be truncated");
}

#[test]
fn times_of_a_processor_do_not_go_back() {
    let events = [typed(300, "READ", AT), typed(200, "READ", AT), typed(250, "READ", AT)];
    let text = array(&events);
    assert_eq!(told(&text), ["event 2: `timestamp` decreases from 300 to 200 | 200"]);
    let wrong = parsed(&text).1.remove(0);
    let related = &wrong.related[0];
    assert_eq!((&text[related.place.span.clone()], &*related.label), (&*events[0], "previous event"));
}

#[test]
fn one_chip_is_run() {
    let here = typed(200, "READ", &format!(r#"{AT}, "src_device_id": 4, "dst_device_id": 4"#));
    let there = here.replace(r#"dst_device_id": 4"#, r#"dst_device_id": 7"#);
    let other = here.replace(r#"src_device_id": 4, "dst_device_id": 4"#, r#"src_device_id": 7"#);
    let text = array(&[here, there, other]);
    assert_eq!(
        told(&text),
        [
            "event 2: `dst_device_id` is 7, not 4: only one chip is simulated | 7",
            "event 3: `src_device_id` is 7, but was 4 in an earlier event: only one chip is simulated | 7"
        ]
    );
}

#[test]
fn everything_wrong_is_told_at_once_and_nothing_that_follows_from_it() {
    let events = [
        typed(200, "READ_BARIER_START", r#""dx": 77"#).replace(r#""sx": 1"#, r#""sx": 99"#),
        typed(300, "READ_BARRIER_END", ""),
        "7".to_owned(),
        typed(310, "READ", r#""dx": 10, "dy": 12, "num_bytes": -1"#),
    ];
    assert_eq!(
        told(&array(&events)),
        [
            "event 1: `sx` cannot be 99 | 99".to_owned(),
            "event 1: `type` cannot be \"READ_BARIER_START\" | \"READ_BARIER_START\"".to_owned(),
            "event 3: this is a number, but must be an object | 7".to_owned(),
            "event 4: `dx` cannot be 10 | 10".to_owned(),
            "event 4: `dy` cannot be 12 | 12".to_owned(),
            "event 4: `num_bytes` cannot be -1 | -1".to_owned(),
        ]
    );
}

#[test]
fn the_first_20_are_shown_and_the_others_counted() {
    let events: Vec<String> = (0..30).map(|time| typed(time, &format!("REED{time}"), AT)).collect();
    let told = told(&array(&events));
    assert_eq!(told.len(), 21);
    assert_eq!(told[19], "event 20: `type` cannot be \"REED19\" | \"REED19\"");
    assert_eq!(told[20], "10 more errors in the events after this one | \"REED19\"");
}

#[test]
fn what_is_wrong_in_many_events_is_told_once() {
    let mut events: Vec<String> = (0..30).map(|time| typed(time, "REED", AT)).collect();
    events.push(typed(30, "READ", PLACE));
    let expected =
        ["event 1 and 29 other events: `type` cannot be \"REED\" | \"REED\"", "event 31: `num_bytes` is missing | "];
    let told = told(&array(&events));
    assert_eq!(told.len(), 2);
    assert_eq!(told[0], expected[0]);
    assert!(told[1].starts_with(expected[1]), "{}", told[1]);
}

#[test]
fn what_is_no_trace_is_told_where_it_ends() {
    let good = typed(200, "READ", AT);
    let behind = format!("[{good},\n{{\"sx\" 1}}]");
    let twice = format!("[{good},\n{{\"sx\": 1, \"sx\": 2}}]");
    for (text, message) in [
        ("", "the file is empty | "),
        (" \n", "the file is empty | "),
        ("x", "this is not a JSON array of events | x"),
        ("é", "this is not a JSON array of events | é"),
        (" {\"phases\": []}", "this is a JSON object, but a trace is an array of events | {"),
        ("[]", "the trace has no events | ["),
        ("[{\"sx\": 1}]", "the trace has no events: no element is an action of a `proc` | ["),
        ("[ \n", "the array of events is not closed: the file ends before the end of the first event | ["),
        ("[{\"sx\": 1", "the array of events is not closed: the file ends before the end of the first event | 1"),
        (
            "[{\"s\u{1}é\": 1}]",
            "invalid JSON before the end of the first event: control character (\\u0000-\\u001F) found while parsing a string | \u{1}",
        ),
        (&behind, "invalid JSON after event 1: expected `:` | 1"),
        (&twice, "invalid JSON after event 1: duplicate field `sx` | \""),
        ("[{\"proc\": \"\"}] 7", "invalid JSON after event 1: trailing characters | 7"),
    ] {
        assert_eq!(told(text), [message], "{text}");
    }
}

#[test]
fn faults_before_the_end_of_json_are_told_too() {
    let text = format!("[{},\n{},", typed(200, "REED", AT), typed(300, "READ_BARRIER_START", ""));
    let told = told(&text);
    assert_eq!(told[0], "event 1: `type` cannot be \"REED\" | \"REED\"");
    assert_eq!(told.len(), 2, "{told:?}");
}

#[test]
fn long_and_strange_texts_are_shown_short() {
    let message = second(typed(200, &"é\\n".repeat(50), AT)).remove(0);
    assert!(message.starts_with(&format!("event 2: `type` cannot be \"{}\".. | ", "é\\n".repeat(20))), "{message}");
}

#[test]
fn events_over_several_lines_are_shown_by_their_first() {
    let text = "[\n  {\n    \"proc\": \"BRISC\",\n    \"sx\": 1,\n    \"sy\": 2\n  }\n]";
    assert!(told(text).contains(&"event 1: `timestamp` is missing | {".to_owned()));
}

/// A trace with some of everything.
fn mixed() -> String {
    array(&[
        begin(100),
        typed(110, "READ_SET_STATE", AT),
        typed(120, "READ_WITH_STATE", ""),
        typed(130, "READ_BARRIER_START", r#""dx": -1, "dy": -1, "num_bytes": 0"#),
        typed(240, "READ_BARRIER_END", ""),
        multicast(1, [4, 4], [1, 2]).replace("200", "250"),
        typed(260, "WRITE_", &format!(r#"{AT}, "fabric": {{"path": [1, 2.5, null, "é\n"]}}"#)),
    ])
}

#[test]
fn no_change_of_a_trace_makes_the_reader_fail() {
    let good = mixed();
    assert!(parsed(&good).0.is_some());
    let characters: Vec<char> = good.chars().collect();
    let strange = ['"', '{', '}', '[', ']', ',', ':', '-', '0', '9', '.', 'e', '\\', '\n', 'é', '\u{0}', 'n'];
    let number = |index: usize| index * 7919 + 13;
    for at in 0..characters.len() {
        let mut cut: String = characters[..at].iter().collect();
        check(&cut);
        cut.extend(&characters[at + 1..]);
        check(&cut);
        let mut changed = characters.clone();
        changed[at] = strange[number(at) % strange.len()];
        changed[number(at) % characters.len()] = strange[at % strange.len()];
        check(&changed.iter().collect::<String>());
    }
}

/// What is wrong, if anything is, can be shown.
fn check(text: &str) {
    let (_, wrong) = parsed(text);
    if !wrong.is_empty() {
        let shown = render(&wrong, &[Source::new("t.json", text)], false);
        assert!(shown.contains("t.json:"), "{shown}");
    }
}
