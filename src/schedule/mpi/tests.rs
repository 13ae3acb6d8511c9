//! Tests of the reader.

use super::forms::CALLS;
use super::line::{FieldLine, TraceTime};
use super::*;
use crate::schedule::goal::{ANY, ANY_TAG};
use proptest::prelude::*;

fn read_with(calls: SimulatedCalls, groups: &ListedGroups, texts: &[String]) -> Result<MpiTrace, Vec<MpiError>> {
    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    MpiTrace::read(&texts, &ReadRules { calls, ticks_per_us: 10, copies: 1, groups })
}

/// The lines of a rank between `MPI_Init` and `MPI_Finalize`.
fn program(lines: &str) -> String {
    format!("# clock\nMPI_Init:-:1:2:100\n{lines}MPI_Finalize:900:-\n")
}

fn read(lines: &[&str]) -> Result<MpiTrace, Vec<MpiError>> {
    let texts: Vec<String> = lines.iter().map(|lines| program(lines)).collect();
    read_with(SimulatedCalls::All, &ListedGroups::new(), &texts)
}

/// The texts that errors point at, with the first error's message.
fn refused(lines: &[&str]) -> (String, Vec<String>) {
    let errors = read(lines).unwrap_err();
    let span = |error: &MpiError| program(lines[error.rank])[error.span.clone()].to_owned();
    (errors[0].message.clone(), errors.iter().map(span).collect())
}

#[test]
fn calls_have_the_computation_before_them() {
    let trace = read(&["MPI_Send:110.25:1:10:1,4,4:0:5:3,0,1:120\nMPI_Comm_rank:130:x\nMPI_Barrier:150:3,0,1:155\n\
         MPI_Recv:160:1:10:1,4,4:-1:-1:3,0,1:9:162\nMPI_Scan:163:1,1:2.5:170.04\n"])
    .unwrap();
    let calls = &trace.ranks[0].calls;
    // the barrier of one rank, the scan and MPI_Comm_rank are skipped
    assert_eq!(calls.iter().map(|call| call.compute).collect::<Vec<_>>(), [103, 400, 7380]);
    let sent = Message { bytes: 40, peer: 0, tag: (3 << 24) + 5, communicator: 0 };
    let received = Message { peer: ANY, tag: ANY_TAG, ..sent };
    assert_eq!(calls[0].action, CallAction::Messages(Some(sent), None, Return::AtEnd));
    assert_eq!(calls[1].action, CallAction::Messages(None, Some(received), Return::AtEnd));
    assert_eq!(trace.skipped, SkippedCalls { counts: BTreeMap::from([("MPI_Scan", 1)]), ticks: 70 });
}

#[test]
fn waits_name_the_requests_that_are_known() {
    let line = |request, at| format!("MPI_Isend:{at}:1:10:1,4,4:0:5:3,0,1:{request}:{at}\n");
    let lines = [line(16, 110), line(8, 111), line(32, 112), line(20, 113)].concat();
    let waits = |last: &str| {
        let trace = read(&[&format!("{lines}{last}")]).unwrap();
        let RankTrace { calls, waits, .. } = &trace.ranks[0];
        let all = calls.iter().filter_map(|call| match &call.action {
            CallAction::Wait(range) => Some(waits[range.start as usize..range.end as usize].to_vec()),
            _ => None,
        });
        all.collect::<Vec<_>>()
    };
    assert_eq!(
        waits("MPI_Waitall:120:2:8:9:121\nMPI_Wait:122:16:9:123\nMPI_Wait:124:32:9:125\n"),
        [vec![0, 1], vec![2]]
    );
    assert_eq!(waits("MPI_Waitall:120:99999999999:8:9:121\nMPI_Waitall:122:1:8:9:123\n"), [vec![0, 1, 2], vec![]]);
}

#[test]
fn excluded_calls_are_computation() {
    let lines = "MPI_Send:110:1:10:1,4,4:0:5:0,0,2:120\nMPI_Barrier:150:0,0,2:155\n";
    let other = "MPI_Barrier:150:0,1,2:155\n";
    let names = |calls| {
        let trace = read_with(calls, &ListedGroups::new(), &[program(lines), program(other)]).unwrap();
        trace.ranks[0].calls.iter().map(|call| (call.name.as_str(), call.compute)).collect::<Vec<_>>()
    };
    assert_eq!(names(SimulatedCalls::PointToPoint), [("MPI_Send", 100), ("MPI_Finalize", 7800)]);
    assert_eq!(names(SimulatedCalls::Collectives), [("MPI_Barrier", 500), ("MPI_Finalize", 7450)]);
}

#[test]
fn all_problems_of_lines_are_reported_at_their_fields() {
    let (message, at) = refused(&[
        "MPI_Send:x:1:10:1,4,4:0:5:3,0,1:120\nMPI_Send:110:1:-1:1,4,4:7:16777216:3,0,1:120\nMPI_Barrier:119:3,0,1:122\n",
        "MPI_Barrier:101:3,0:102\nMPI_Barrier:101:255,0,1:102\nMPI_Barrier:103:4,1,1:104\nMPI_Barrier:105:0,1,2:106\n\
         MPI_Barrier:107:0,0,2:108\nMPI_Barrier:108:5,0,1:107\n",
    ]);
    assert_eq!(message, "field 1 of `MPI_Send` is `x`, not a time");
    assert_eq!(at, ["x", "-1", "7", "16777216", "119", "MPI_Barrier:101:3,0:102", "255", "1", "0", "107"]);
    let text = ["MPI_Init:-:1:2:100\n".to_owned()];
    let errors = read_with(SimulatedCalls::All, &ListedGroups::new(), &text).unwrap_err();
    assert_eq!(errors[0].message, "the file ends without `MPI_Finalize`");
}

#[test]
fn collectives_of_all_members_must_match() {
    let of_rank = |line: &str, rank: usize| line.replace('R', &rank.to_string());
    let difference = |one: &str, other: &str| refused(&[&of_rank(one, 0), &of_rank(other, 1)]).0;
    let bcast = "MPI_Bcast:110:1:10:1,4,4:0:3,R,2:120\n";
    assert_eq!(
        difference(bcast, "MPI_Barrier:110:3,R,2:120\n"),
        "this is `MPI_Barrier`, but `MPI_Bcast` in rank 0 of communicator 3 (line 3)"
    );
    assert!(difference(bcast, &bcast.replace(":0:3", ":1:3")).contains("with root 1, but root 0"));
    assert!(difference(bcast, &bcast.replace(":10:", ":11:")).contains("with 44 bytes, but 40 bytes"));
    assert!(difference(bcast, "MPI_Send:110:1:10:1,4,4:0:5:3,R,2:120\n").contains("has no counterpart in rank 1"));
    let sized = |sent: &str, received: &str| {
        format!("MPI_Alltoallv:110:1:7:{sent}:8:0,0:1,4,4:2:7:{received}:8:0,0:1,4,4:3,R,2:120\n")
    };
    assert!(read(&[&of_rank(&sized("1,5", "1,3"), 0), &of_rank(&sized("3,0", "5,0"), 1)]).is_ok());
    let message = difference(&sized("1,5", "1,3"), &sized("3,0", "4,0"));
    assert!(message.contains("sends 20 bytes to rank 1 of communicator 3, which receives 16"), "{message}");
}

#[test]
fn members_are_those_that_name_a_communicator_or_listed() {
    let line = |rank: usize| program(&format!("MPI_Barrier:110:4,{},2:120\n", rank % 2));
    let texts: Vec<String> = (0..4).map(line).collect();
    let read = |groups: &ListedGroups| read_with(SimulatedCalls::All, groups, &texts);
    let errors = read(&ListedGroups::new()).unwrap_err();
    assert!(errors[0].message.contains("communicator 4 are ambiguous"), "{}", errors[0]);
    let listed = |groups: [[u32; 2]; 2]| ListedGroups::from([(4, groups.map(Vec::from).to_vec())]);
    let trace = read(&listed([[2, 1], [0, 3]])).unwrap();
    let members: Vec<(u32, u32)> =
        trace.ranks.iter().map(|rank| (rank.members[0].group, rank.members[0].rank)).collect();
    assert_eq!(members, [(1, 0), (0, 1), (0, 0), (1, 1)]);
    for wrong in [[[0, 1], [2, 0]], [[1, 0], [2, 3]], [[0, 1], [2, 4]]] {
        assert!(read(&listed(wrong)).unwrap_err()[0].message.contains("exactly one such group"));
    }
}

#[test]
fn calls_read_no_field_after_their_end() {
    for call in CALLS {
        let fields = [call.message, call.received].concat();
        let last = fields.into_iter().chain([call.communicator + 2, call.request]).max();
        assert!(last <= Some(call.end) || call.end < 3, "{}", call.name);
    }
}

proptest! {
    #[test]
    fn lines_are_cut_at_separators(text in "([M:,\u{e9}1]{0,20}(\n|\r\n)){0,6}[M:,\u{e9}1]{0,20}") {
        let mut line = FieldLine::new(&text);
        let mut lines: Vec<Vec<&str>> = Vec::new();
        let mut start = 0;
        while let Some(next) = line.advance(start) {
            lines.push((0..line.fields()).map(|index| line.field(index)).collect());
            start = next;
        }
        let expected: Vec<Vec<&str>> = text.lines().map(|line| line.split([':', ',']).collect()).collect();
        prop_assert_eq!(lines, expected);
    }

    #[test]
    fn times_are_exact(whole in 0_u64..1 << 50, decimals in 0_u32..1_000_000, ticks in 1_u64..1 << 12) {
        let time = |text: &str| TraceTime::parse(text).unwrap();
        let millionths = u128::from(whole) * 1_000_000 + u128::from(decimals);
        let expected = (millionths * u128::from(ticks) + 500_000) / 1_000_000;
        let read = time(&format!("{whole}.{decimals:06}")).ticks_since(time("0"), ticks);
        prop_assert_eq!(u128::from(read), expected);
    }
}

#[test]
fn times_are_decimal() {
    let texts = ["", ".", ".5", "-1", "1e3", "2x0", "1.2.3", "+1", "100000000000000000"];
    assert!(texts.iter().all(|text| TraceTime::parse(text).is_none()));
    let [start, end] = ["1237666053021692", "1237666053022005.25000000099"].map(|text| TraceTime::parse(text).unwrap());
    assert_eq!(end.ticks_since(start, 10), 3133); // 3132.5
}
