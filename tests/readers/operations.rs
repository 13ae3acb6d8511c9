//! Operations of ranks: GOAL text, the binary form, MSCCL XML, text traces of MPI.

use super::{Target, lines};
use flitwise::schedule::goal::{Algorithm, Goal, GoalError, Msccl};
use flitwise::schedule::mpi::{ListedGroups, MpiTrace, ReadRules, SimulatedCalls};

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
    Target {
        name: "mpi",
        reads: "text traces of MPI programs, a rank after each form feed: `[workload.mpi]`",
        longest: 1024,
        seeds: &["src/workload/mpi/*.txt", MPI_CALLS],
        made: Vec::new,
        run: mpi,
    },
];

/// A trace of two ranks with all forms of calls.
const MPI_CALLS: &str = "\nMPI_Init:-:1:2:9\nMPI_Sendrecv:10:1:2:1,4,4:1:3:2:2:1,4,4:-1:-1:0,0,2:9:11\n\
     MPI_Alltoallv:12:1:7:1,2:8:0,0:1,4,4:2:7:1,3:8:0,0:1,4,4:0,0,2:13\nMPI_Waitall:14:2:8:9:15\nMPI_Finalize:16.5:-\n\u{c}\
     MPI_Sendrecv:10:1:2:1,4,4:0:3:2:2:1,4,4:0:3:0,1,2:9:11\n\
     MPI_Alltoallv:12:1:7:3,0:8:0,0:1,4,4:2:7:2,0:8:0,0:1,4,4:0,1,2:13\nMPI_Finalize:14:-";

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

/// Problems are in the files that they name, and the trace is the same when it is read again.
fn mpi(bytes: &[u8]) {
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    let texts: Vec<&str> = text.split('\u{c}').collect();
    let groups = ListedGroups::from([(4, vec![vec![0, 1], vec![2, 3]])]);
    let rules = ReadRules { calls: SimulatedCalls::All, ticks_per_us: 1000, copies: 1, groups: &groups };
    let read = MpiTrace::read(&texts, &rules);
    if let Err(errors) = &read {
        assert!(!errors.is_empty() && errors.len() <= 20, "{} errors", errors.len());
        for error in errors {
            assert!(texts[error.rank].get(error.span.clone()).is_some(), "{error} at {:?}", error.span);
        }
    }
    assert!(read == MpiTrace::read(&texts, &rules), "read twice, it is not the same");
}
