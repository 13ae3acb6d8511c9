//! Operations of ranks: GOAL text, the binary form, MSCCL XML.

use super::{Target, lines};
use flitwise::schedule::goal::{Algorithm, Goal, GoalError, Msccl};

pub(crate) const TARGETS: &[Target] = &[
    Target {
        name: "goal-text",
        reads: "GOAL text: `[workload.goal]`",
        longest: 512,
        seeds: &["tests/data/keys/*.goal", "tests/data/bad/*.goal", "tests/data/loggops/*.goal", "scenarios/*.goal"],
        made: Vec::new,
        run: text,
    },
    Target {
        name: "goal-binary",
        reads: "the binary form of GOAL: `[workload.goal]`",
        longest: 1024,
        seeds: &["tests/data/keys/*.goal", "tests/data/loggops/*.goal", "scenarios/*.goal"],
        made: Vec::new,
        run: binary,
    },
    Target {
        name: "msccl",
        reads: "MSCCL XML: `[workload.msccl]`",
        longest: 2048,
        seeds: &["tests/data/keys/*.xml", "tests/data/bad/*.xml"],
        made: Vec::new,
        run: msccl,
    },
];

/// What GOAL in binary begins with.
const MAGIC: [u8; 8] = 4223_u64.to_le_bytes();

fn text(bytes: &[u8]) {
    match Goal::read(bytes) {
        Ok(goal) => written_again(&goal),
        Err(errors) => told(bytes, &errors),
    }
}

/// A corpus of text is turned into the binary form; what is neither is taken for the rest of a binary file.
fn binary(bytes: &[u8]) {
    if let Ok(goal) = Goal::read(bytes) {
        return written_again(&goal);
    }
    let whole = [&MAGIC[..], bytes].concat();
    match Goal::read(&whole) {
        Ok(goal) => written_again(&goal),
        Err(errors) => told(&whole, &errors),
    }
}

fn msccl(bytes: &[u8]) {
    let way = Msccl { buffer_bytes: 1 << 20, reduce_per_byte: 3 };
    match Algorithm::read(bytes) {
        Ok(algorithm) => {
            written_again(&algorithm.operations(way));
            let judged = algorithm.verify();
            assert!(judged == algorithm.verify(), "judged twice, it is not the same");
        }
        Err(error) => told(bytes, &[error]),
    }
}

/// What is read is the same when it was written in either form, and text is the same when it is written once more.
fn written_again(goal: &Goal) {
    let checked = goal.check();
    assert_eq!(checked.is_ok(), goal.check().is_ok());
    let mut packed = Vec::new();
    match goal.write_binary(&mut packed) {
        Ok(()) => assert!(Goal::read(&packed).unwrap() == *goal, "the binary form says something else"),
        Err(error) => assert_eq!(error.kind(), std::io::ErrorKind::InvalidInput, "{error}"),
    }
    let mut text = Vec::new();
    goal.write_text(&mut text).unwrap();
    if checked.is_err() {
        return; // an operation that waits for itself cannot be written as text
    }
    let again = Goal::read(&text).unwrap_or_else(|errors| panic!("its own text is refused: {errors:?}"));
    let mut once_more = Vec::new();
    again.write_text(&mut once_more).unwrap();
    assert!(text == once_more, "the text of what its text says is another one");
}

/// Errors are about bytes and lines that are there.
fn told(bytes: &[u8], errors: &[GoalError]) {
    assert!(!errors.is_empty() && errors.len() <= 20, "{} errors", errors.len());
    for error in errors {
        assert!(error.line <= lines(bytes), "{error} of {} lines", lines(bytes));
        assert!(error.span.start <= error.span.end && error.span.end <= bytes.len(), "{error} at {:?}", error.span);
        assert!(!error.to_string().is_empty());
    }
}
