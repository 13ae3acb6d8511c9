//! GOAL and MSCCL files: what is accepted, what is refused and where, and what goes round comes round.

use crate::loggops::{CLASSIC, random_goal, read, run};
use crate::random::group;
use crate::support::{data_path, model, plan, request};
use flitwise::algorithm::exchange;
use flitwise::algorithm::multicast::ALGORITHMS;
use flitwise::model::execute;
use flitwise::schedule::goal::{ANY, ANY_TAG, Goal, GoalBuilder, GoalError, Operation};
use proptest::prelude::*;
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64;

pub(crate) fn text(goal: &Goal) -> String {
    let mut text = Vec::new();
    goal.write_text(&mut text).unwrap();
    String::from_utf8(text).unwrap()
}

fn binary(goal: &Goal) -> Vec<u8> {
    let mut bytes = Vec::new();
    goal.write_binary(&mut bytes).unwrap();
    bytes
}

/// The errors of a text that is wrong, as `line:column: message`.
fn errors(text: &str) -> Vec<String> {
    let show = |error: GoalError| format!("{}:{}: {}", error.line, error.column, error.message);
    Goal::read(text.as_bytes()).unwrap_err().into_iter().map(show).collect()
}

#[test]
fn text_and_binary_come_round() {
    for seed in 0..300 {
        let goal = random_goal(&mut Pcg64::seed_from_u64(seed), seed % 2 == 0);
        let written = text(&goal);
        let again = read(&written);
        assert_eq!(text(&again), written, "seed {seed}");
        assert_eq!(again.operations(), goal.operations(), "seed {seed}");
        let bytes = binary(&again);
        let back = Goal::read(&bytes).unwrap();
        assert_eq!(back, again, "seed {seed}");
        assert_eq!(binary(&back), bytes, "seed {seed}");
        assert_eq!(run(&goal, &CLASSIC).ok(), run(&back, &CLASSIC).ok(), "seed {seed}");
    }
}

#[test]
fn the_binary_form_is_as_long_as_the_converters() {
    let goal = Goal::read(&std::fs::read(data_path("loggops/binomial-P8-s1.goal")).unwrap()).unwrap();
    let bytes = binary(&goal);
    assert_eq!(bytes.len(), 808);
    // magic, ranks, largest cpu and nic, and where rank 0 begins: behind the table of ranks
    assert_eq!(bytes[..22], [0x7f, 0x10, 0, 0, 0, 0, 0, 0, 8, 0, 0, 0, 0, 0, 134, 0, 0, 0, 0, 0, 0, 0]);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    /// Any multicast, as operations, as text, is the same operations again.
    #[test]
    fn multicasts_come_round(seed in 0_u64..100_000, flit_bytes in 1_u64..100) {
        let mut random = Pcg64::seed_from_u64(seed);
        let nodes = random.random_range(2..80);
        let mut members = group(&mut random, nodes, 60);
        members.truncate(nodes);
        prop_assume!(members.len() > 1);
        let model = model(random.random_range(0..50), 50);
        let asked = request(&members, nodes, model);
        let asked = flitwise::algorithm::multicast::Request { flits: flitwise::units::Flits(random.random_range(0..1000)), ..asked };
        // those that need routers have no schedule without a network
        let algorithms: Vec<_> = ALGORITHMS.iter().filter(|algorithm| !algorithm.needs_routers()).collect();
        let algorithm = algorithms[random.random_range(0..algorithms.len())];
        let schedule = plan(algorithm.name, &asked);
        let goal = Goal::of_multicast(&schedule, flit_bytes);
        let again = read(&text(&goal));
        prop_assert_eq!(&again, &goal);
    }
}

#[test]
fn exchanges_become_operations_that_deliver_everything() {
    for (name, shape) in
        [("double-hop", vec![6, 6]), ("direct", vec![4, 4]), ("bruck", vec![5, 5]), ("naive", vec![3, 5])]
    {
        let planned = exchange::Algorithm::named(name).unwrap().plan(&shape).unwrap();
        let goal = Goal::of_exchange(&planned, 4);
        assert_eq!((goal.ranks(), goal.messages()), (planned.nodes(), planned.len()));
        let bytes: u64 =
            (0..planned.len()).map(|id| planned.message(flitwise::units::MessageId::new(id)).blocks * 4).sum();
        let sent = goal.operations().iter().filter(|o| o.action == flitwise::schedule::goal::Action::Send);
        assert_eq!(sent.map(|o| o.size).sum::<u64>(), bytes);
        run(&goal, &CLASSIC).unwrap();
        assert_eq!(run(&read(&text(&goal)), &CLASSIC), run(&goal, &CLASSIC));
    }
}

#[test]
fn accepted_is_more_than_the_converter_takes() {
    let strict = "num_ranks 2\nrank 0 {\nl1: send 8b to 1 tag 3 cpu 1 nic 2\nl2: calc 5\nl2 requires l1\n}\nrank 1 {\nrecv 8b from -1 tag -1\n}\n";
    let loose = "/* a\n comment */\r\n\tnum_ranks\t2 // two\n# another\nrank0{\r\n  l1 : send8bto1tag3cpu1nic2  # to 1\n\n\
                 \tl2:calc5 /* five */\n l2  requires   l1 // both\n}\nrank 1\n { recv 8 b from -1 tag -1 }\n// the end";
    // a block may begin on the next line only after its brace
    let loose = loose.replace("rank 1\n {", "rank 1 {");
    assert_eq!(read(&loose), read(strict));
    assert_eq!(read(strict).operations()[2], Operation::receive(8, ANY, ANY_TAG));
    // keywords may begin labels
    let text = "num_ranks 1\nrank 0 {\nsend1: calc 1\nrecv_2: calc 3\nrecv_2 irequires send1\n}\n";
    assert_eq!(read(text).after_start(0), [1]);
    // a byte order mark does not count
    assert_eq!(read(&format!("\u{feff}{text}")), read(text));
}

#[test]
fn a_label_twice_in_a_rank_is_told_with_its_first_place() {
    let text = "num_ranks 2\nrank 0 {\na: calc 1\nb: calc 2\na: calc 3\n}\nrank 1 {\na: calc 1\n}\n";
    let wrong = Goal::read(text.as_bytes()).unwrap_err();
    assert_eq!(errors(text), ["5:1: `a` labels two operations of this rank; the first is in line 3"]);
    assert_eq!(wrong[0].first.clone().map(|first| &text[first]), Some("a"));
}

/// What is left of operations that cannot all be executed, one fault a line.
fn left(text: &str, eager: u64) -> Vec<String> {
    let goal = read(text);
    let violation = execute(&goal, |bytes| CLASSIC.parts(bytes), eager).unwrap_err();
    violation.faults().iter().map(ToString::to_string).collect()
}

#[test]
fn what_is_left_is_a_cycle_or_has_no_match_and_what_follows_from_these_is_not_told() {
    // a long message waits for a receive that waits for another: no cycle with short messages
    let both = "num_ranks 2\nrank 0 {\na: send 9b to 1\nb: recv 9b from 1\nb requires a\n}\n\
                rank 1 {\na: send 9b to 0\nb: recv 9b from 0\nb requires a\n}\n";
    assert!(execute(&read(both), |bytes| CLASSIC.parts(bytes), 9).is_ok());
    assert_eq!(
        left(both, 8),
        ["ranks 0 and 1 wait for each other in a cycle of 4 operations: \
          rank 0, line 4: recv 9b from 1, waits for line 3; \
          rank 0, line 3: send 9b to 1, rank 0 waits here for rank 1 to receive (line 9); \
          rank 1, line 9: recv 9b from 0, waits for line 8; \
          rank 1, line 8: send 9b to 0, rank 1 waits here for rank 0 to receive (line 4)"]
    );
    // rank 2 waits for rank 1, which waits for what no rank sends
    let follows = "num_ranks 3\nrank 0 {\n}\nrank 1 {\na: recv 1b from 0 tag 7\nb: send 1b to 2\nb requires a\n}\n\
                   rank 2 {\nrecv 1b from 1\n}\n";
    assert_eq!(
        left(follows, u64::MAX),
        ["rank 1, line 5: recv 1b from 0 tag 7: rank 0 has no send that matches this receive"]
    );
    // two receives and one send, which comes after the first: the second has no message
    let short = "num_ranks 2\nrank 0 {\na: recv 1b from 1\nb: recv 1b from 1\nc: send 1b to 1\nc requires a\n}\n\
                 rank 1 {\na: recv 1b from 0\nb: send 1b to 0\nb requires a\n}\n";
    let faults = left(short, u64::MAX);
    assert_eq!(faults.len(), 2);
    assert!(faults[0].starts_with("ranks 0 and 1 wait for each other in a cycle of 4 operations"), "{faults:?}");
    assert_eq!(faults[1], "rank 0, line 4: recv 1b from 1: rank 1 has no send that matches this receive");
    // wildcards find what has not been sent
    let any = "num_ranks 2\nrank 0 {\na: recv 1b from -1 tag -1\nb: send 1b to 1 tag 5\nb requires a\n}\n\
               rank 1 {\na: recv 1b from 0 tag -1\nb: send 1b to 0 tag 3\nb requires a\n}\n";
    assert!(left(any, u64::MAX)[0].starts_with("ranks 0 and 1 wait for each other"));
}

#[test]
fn a_message_longer_than_its_receive_is_noted_and_a_shorter_one_is_not() {
    let run = |sent: u64, room: u64| {
        let text = format!("num_ranks 2\nrank 0 {{\nsend {sent}b to 1\n}}\nrank 1 {{\nrecv {room}b from 0\n}}\n");
        let truncated = run(&read(&text), &CLASSIC).unwrap().truncated;
        truncated.map(|violation| violation.faults()[0].to_string())
    };
    assert_eq!((run(99, 100), run(100, 100)), (None, None));
    assert_eq!(
        run(100, 99).unwrap(),
        "a message of 100 bytes matches a receive of 99 bytes: rank 1, line 6: recv 99b from 0, accepts 99 bytes; \
         rank 0, line 3: send 100b to 1, sends 100 bytes"
    );
}

#[test]
fn what_is_wrong_is_told_with_line_and_column() {
    let wrong = "num_ranks 2\n\nrank 0 {\n  a: send 8 to 1\n  b: calc x\n  c requires a\n  d: recv 8b from 0 cpu 300\n  calc 5 calc 6\n}\nrank 2 {\n}\n";
    assert_eq!(
        errors(wrong),
        [
            "4:13: expected `b` after the number of bytes, found `to`",
            "5:11: expected a number of ticks, found `x`",
            "6:3: no earlier operation of this rank has the label `c`",
            "7:25: expected a number from 0 to 255, found `300`",
            "8:10: expected the end of the line, found `calc`",
            "10:1: expected rank 1, found rank 2",
        ]
    );
    assert_eq!(errors(""), ["1:1: expected `num_ranks`, found the end of the file"]);
    assert_eq!(errors("num_ranks 0\n"), ["1:1: `num_ranks` is 0; at least one rank is required"]);
    assert_eq!(errors("num_ranks 2\nrank 0 {\n}\n"), ["4:1: the file ends after 1 of 2 ranks"]);
    assert_eq!(errors("num_ranks 1\nrank 0 {\ncalc 1\n"), ["4:1: expected `}`, found the end of the file"]);
    assert_eq!(
        errors("num_ranks 1\nrank 0 {\n}\nrank 1 {\n}\n"),
        ["4:1: expected the end of the file after the last rank, found `rank`"]
    );
    assert_eq!(errors("num_ranks 1\n/* rank 0 {\n}\n")[0], "2:1: the end of this comment, `*/`, is missing");
    assert_eq!(
        errors("num_ranks 1\nrank 0 {\ncalc 99999999999999999999\n}\n"),
        ["3:6: expected a number of ticks, found `99999999999999999999`"]
    );
    let many = format!("num_ranks 1\nrank 0 {{\n{}}}\n", "nonsense\n".repeat(100));
    assert_eq!(errors(&many).len(), 20);
    // the twentieth line has two
    let many = format!("num_ranks 1\nrank 0 {{\nl1: calc 1\n{}l1: nonsense\n}}\n", "nonsense\n".repeat(19));
    assert_eq!(errors(&many).len(), 20);
}

#[test]
fn no_damage_is_a_crash() {
    let texts =
        ["loggops/r110.goal", "loggops/a2abruck-P8-s1.goal"].map(|name| std::fs::read(data_path(name)).unwrap());
    let mut random = Pcg64::seed_from_u64(5);
    for original in texts.iter().flat_map(|text| [text.clone(), binary(&Goal::read(text).unwrap())]) {
        for _ in 0..2000 {
            let mut bytes = original.clone();
            for _ in 0..random.random_range(1..4) {
                let at = random.random_range(0..bytes.len());
                match random.random_range(0..3) {
                    0 => bytes[at] = random.random(),
                    1 => bytes.truncate(at.max(1)),
                    _ => bytes[at] = b"{}:1a \n-"[random.random_range(0..8)],
                }
            }
            if let Ok(goal) = Goal::read(&bytes)
                && goal.operations().iter().all(|o| o.size < 1 << 40)
            {
                let _ = run(&goal, &CLASSIC);
            }
        }
    }
}

/// The record of a computation of one tick for which `count` entries of lists wait, from the first on.
fn record(count: u32) -> Vec<u8> {
    let mut record = [&[0; 4][..], &[3], &[0; 4], &1_u64.to_le_bytes(), &[0; 6], &count.to_le_bytes()].concat();
    record.resize(39, 0);
    record
}

/// A binary file of ranks that begin where `starts` say, from the end of its table on, with `body` there.
fn packed(starts: &[u64], body: &[u8]) -> Vec<u8> {
    let ranks = u32::try_from(starts.len()).unwrap();
    let mut bytes = [&4223_u64.to_le_bytes()[..], &ranks.to_le_bytes(), &[0, 0]].concat();
    for start in starts {
        let at = 6 + 16 * u64::from(ranks) + start;
        bytes.extend([at.to_le_bytes(), at.to_le_bytes()].concat());
    }
    bytes.extend_from_slice(body);
    bytes
}

fn refusal(bytes: &[u8]) -> String {
    Goal::read(bytes).unwrap_err()[0].message.clone()
}

/// A megabyte that named its operations, or the lists of what waits, again and again took gigabytes.
#[test]
fn binary_ranks_or_lists_that_lie_upon_each_other_are_refused() {
    let rank = |records: u32, count: u32, entries: usize| {
        let records_and_lists = [record(count).repeat(records as usize), vec![0; 4 * entries]].concat();
        [&records.to_le_bytes()[..], &[0; 4], &records_and_lists].concat()
    };
    assert_eq!(Goal::read(&packed(&[0], &rank(3, 1, 3))).unwrap().operations().len(), 3);
    assert!(refusal(&packed(&[0], &rank(3, 2, 3))).contains("more entries than the file contains"));
    assert_eq!(Goal::read(&packed(&[0, 86], &rank(2, 0, 0).repeat(2))).unwrap().operations().len(), 4);
    assert!(refusal(&packed(&[0; 400], &rank(100, 0, 0))).contains("the data of ranks overlap"));
}

#[test]
fn circles_and_strangers_are_found_without_running() {
    let mut goal = GoalBuilder::default();
    goal.next_rank();
    let ids: Vec<u32> = (0..5).map(|ticks| goal.push(Operation::compute(ticks))).collect();
    goal.requires(ids[1], ids[0]);
    goal.requires(ids[2], ids[1]);
    goal.irequires(ids[1], ids[2]);
    goal.requires(ids[4], ids[4]);
    goal.push(Operation::send(1, 7, 0));
    goal.push(Operation::receive(1, ANY, 0));
    let violation = goal.finish().check().unwrap_err();
    assert_eq!(
        violation.faults().iter().map(ToString::to_string).collect::<Vec<_>>(),
        [
            "rank 7 does not exist; the last rank is 0: rank 0, operation 5: send 1b to 7, rank 0 sends to it",
            "2 operations of rank 0 wait for each other in a cycle of 2 operations: rank 0, operation 1: calc 1, \
             waits for operation 2; rank 0, operation 2: calc 2, waits for operation 1",
            "rank 0, operation 4: calc 4: waits for itself",
        ]
    );
}

/// Generators put counters side by side in a tag: equal in 32 bits is not equal.
#[test]
fn tags_have_64_bits_and_the_binary_form_refuses_those_that_it_has_no_room_for() {
    let of_tags = |sent: &str, received: &str| {
        read(&format!(
            "num_ranks 2\nrank 0 {{\nsend 8b to 1 tag {sent}\n}}\nrank 1 {{\nrecv 8b from 0 tag {received} cpu 1\n}}\n"
        ))
    };
    for tag in ["4294967295", "5010012302", "99999999999", "1234567890123456789", "18446744073709551614"] {
        let goal = of_tags(tag, tag);
        assert_eq!(goal.operations()[0].tag.to_string(), tag);
        run(&goal, &CLASSIC).unwrap();
        assert_eq!(read(&text(&goal)), goal);
        let refused = goal.write_binary(&mut Vec::new()).unwrap_err();
        assert_eq!(refused.kind(), std::io::ErrorKind::InvalidInput);
        assert!(
            refused
                .to_string()
                .ends_with(&format!("rank 0, line 3: send 8b to 1 tag {tag}; GOAL text has tags of 64 bits"))
        );
    }
    // the highest of 64 bits is -1
    assert_eq!(of_tags("18446744073709551615", "7"), of_tags("-1", "7"));
    let left = run(&of_tags("4294967298", "2"), &CLASSIC).unwrap_err().to_string();
    assert!(left.contains("send 8b to 1 tag 4294967298: rank 1 has no receive"), "{left}");
    let any = of_tags("4294967294", "-1");
    assert_eq!(Goal::read(&binary(&any)).unwrap(), any);
    let refused = "num_ranks 1\nrank 0 {\nsend 8b to 0 tag 18446744073709551616\n}\n";
    assert_eq!(errors(refused), ["3:18: expected a tag, or -1 for any, found `18446744073709551616`"]);
}

/// The advice of a program that waits in a cycle.
fn advice(text: &str, eager: u64) -> String {
    let violation = execute(&read(text), |bytes| CLASSIC.parts(bytes), eager).unwrap_err();
    violation.faults()[0].hint.clone().unwrap()
}

#[test]
fn the_advice_of_a_deadlock_is_what_ends_it() {
    let ranks = |first: [&str; 2], second: [&str; 2]| {
        let rank = |[a, b]: [&str; 2]| format!("a: {a}\nb: {b}\nb requires a\n}}\n");
        format!("num_ranks 2\nrank 0 {{\n{}rank 1 {{\n{}", rank(first), rank(second))
    };
    let both_receive = ranks(["recv 9b from 1", "send 9b to 1"], ["recv 9b from 0", "send 9b to 0"]);
    assert_eq!(
        advice(&both_receive, u64::MAX),
        "let one of these ranks send before it receives, such as rank 0: move line 4 before line 3"
    );
    let both_send = ranks(["send 9b to 1", "recv 9b from 1"], ["send 9b to 0", "recv 9b from 0"]);
    let hint = advice(&both_send, 8);
    let expected =
        "let one of these ranks receive before it sends, such as rank 0: move line 4 before line 3 (a message longer";
    assert!(hint.starts_with(expected), "{hint}");
    // one sends 1 and 2, the other receives 2 and 1
    let crossed = ranks(["send 9b to 1 tag 1", "send 9b to 1 tag 2"], ["recv 9b from 0 tag 2", "recv 9b from 0 tag 1"]);
    let hint = advice(&crossed, 8);
    assert!(hint.contains(" in another order, such as rank "), "{hint}");
    let one_rank = "num_ranks 1\nrank 0 {\na: recv 9b from 0\nb: send 9b to 0\nb requires a\n}\n";
    assert_eq!(advice(one_rank, u64::MAX), "let rank 0 send before it receives: move line 4 before line 3");
    let mut goal = GoalBuilder::default();
    goal.next_rank();
    let [a, b] = [1, 2].map(|ticks| goal.push(Operation::compute(ticks)));
    goal.requires(a, b);
    goal.requires(b, a);
    let violation = goal.finish().check().unwrap_err();
    assert_eq!(violation.faults()[0].hint.as_deref(), Some("remove one of these dependencies"));
}
