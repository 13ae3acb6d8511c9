//! MSCCL files: the operations that they become, the data that they move, and the mistakes that are found in them.

use crate::cli::Bench;
use crate::goal::text;
use crate::loggops::{CLASSIC, run};
use flitwise::schedule::goal::{Algorithm, DataCheck, GoalError, Msccl};
use std::fmt::Write as _;
use std::fs;

/// Two GPUs: both send their half to each other, 0 over two threadblocks, and reduce.
const MSCCL: &str = r#"<algo name="small" proto="Simple" nchannels="2" nchunksperloop="4" ngpus="2" coll="custom" inplace="1">
  <gpu id="0" i_chunks="4" o_chunks="4" s_chunks="0">
    <tb id="0" send="1" recv="-1" chan="0">
      <step s="0" type="s" srcbuf="i" srcoff="0" dstbuf="i" dstoff="0" cnt="1" depid="-1" deps="-1" hasdep="0"/>
      <step s="1" type="s" srcbuf="i" srcoff="1" dstbuf="i" dstoff="1" cnt="2" depid="1" deps="0" hasdep="0"/>
    </tb>
    <tb id="1" send="-1" recv="1" chan="1">
      <step s="0" type="rrc" srcbuf="i" srcoff="0" dstbuf="i" dstoff="0" cnt="3" depid="-1" deps="-1" hasdep="1"/>
    </tb>
  </gpu>
  <gpu id="1" i_chunks="4" o_chunks="4" s_chunks="0">
    <tb id="0" send="0" recv="-1" chan="1">
      <step s="0" type="s" srcbuf="i" srcoff="0" dstbuf="i" dstoff="0" cnt="3" depid="-1" deps="-1" hasdep="1"/>
    </tb>
    <tb id="1" send="-1" recv="0" chan="0">
      <step s="0" type="r" srcbuf="i" srcoff="0" dstbuf="i" dstoff="0" cnt="1" depid="-1" deps="-1" hasdep="0"/>
      <step s="1" type="nop" srcbuf="i" srcoff="-1" dstbuf="o" dstoff="-1" cnt="0" depid="0" deps="0" hasdep="0"/>
      <step s="2" type="r" srcbuf="i" srcoff="1" dstbuf="i" dstoff="1" cnt="2" depid="-1" deps="-1" hasdep="0"/>
    </tb>
  </gpu>
</algo>
"#;

#[test]
fn msccl_becomes_operations() {
    let msccl = Msccl { buffer_bytes: 4000, reduce_per_byte: 2 };
    let goal = msccl.read(MSCCL.as_bytes()).unwrap();
    goal.check().unwrap();
    let expected = "num_ranks 2\n\nrank 0 {\nl1: send 1000b to 1\nl2: send 2000b to 1 tag 256\nl3: recv 3000b from 1 tag 1\n\
                    l4: calc 6000\nl4 requires l3\nl2 irequires l1\nl2 requires l4\n}\n\nrank 1 {\nl1: send 3000b to 0 tag 1\n\
                    l2: recv 1000b from 0\nl3: calc 0\nl3 requires l2\nl3 requires l1\nl4: recv 2000b from 0 tag 256\nl4 requires l3\n}\n";
    let lines = |text: &str| {
        text.lines().filter(|line| !line.is_empty()).map(str::to_owned).collect::<std::collections::BTreeSet<_>>()
    };
    assert_eq!(lines(&text(&goal)), lines(expected));
    run(&goal, &CLASSIC).unwrap();
}

/// Two megabytes of attributes took minutes.
#[test]
fn msccl_with_thousands_of_attributes_is_refused_at_once() {
    let attributes: String = (0..1001).map(|at| format!(" a{at}=\"\"")).collect();
    let error = Msccl { buffer_bytes: 1, reduce_per_byte: 0 }.read(format!("\n<algo{attributes}/>").as_bytes());
    assert_eq!(error.unwrap_err().to_string(), "line 2, column 2: an element has more than 1000 attributes");
}

#[test]
fn invalid_msccl_is_reported_with_its_position() {
    let msccl = Msccl { buffer_bytes: 4000, reduce_per_byte: 0 };
    let refuse = |from: &str, to: &str| {
        let error = msccl.read(MSCCL.replacen(from, to, 1).as_bytes()).unwrap_err();
        format!("{}:{}: {}", error.line, error.column, error.message)
    };
    assert_eq!(
        refuse("type=\"rrc\"", "type=\"rxc\""),
        "8:7: gpu 0, tb 1, step 0: unknown step type `rxc`; accepted: s, r, rcs, rrc, rrs, rrcs, re, cpy, nop"
    );
    assert_eq!(
        refuse("send=\"1\"", "send=\"-1\""),
        "3:5: gpu 0, tb 0: this threadblock sends, but its `send` is -1, not a gpu"
    );
    assert_eq!(
        refuse("cnt=\"1\"", "cnt=\"one\""),
        "4:7: gpu 0, tb 0, step 0: `cnt` cannot be \"one\"; accepted: a number"
    );
    assert_eq!(
        refuse("depid=\"1\"", "depid=\"5\""),
        "5:7: gpu 0, tb 0, step 1: this gpu has no step 0 of threadblock 5"
    );
    assert_eq!(refuse("gpu id=\"1\"", "gpu id=\"3\""), "11:3: gpu 3: `id` is 3, expected 1");
    assert_eq!(refuse("</algo>", ""), "1:1: the file is not XML: the root node was opened but never closed");
    // a message that no rank receives is found when it runs
    let unmatched = MSCCL.replace("<step s=\"2\" type=\"r\"", "<step s=\"2\" type=\"nop\"");
    let violation = run(&msccl.read(unmatched.as_bytes()).unwrap(), &CLASSIC).unwrap_err();
    assert!(
        violation.to_string().contains(
            "gpu 0, tb 0, step 1, line 5: send 2000b to 1 tag 256: gpu 1 has no receive that matches this message"
        ),
        "{violation}"
    );
}

/// A step of a threadblock: its attributes but for its number.
type Step<'a> = (&'a str, &'a str, &'a str, u64, &'a str);

/// The steps of a threadblock, as `type source target cnt depends`: `s i0 - 1 -`.
fn steps(lines: &[Step<'_>]) -> String {
    let mut text = String::new();
    for (number, (kind, source, target, count, after)) in lines.iter().enumerate() {
        let [source, target] = [source, target].map(|slice: &&str| if *slice == "-" { "i0" } else { *slice });
        let (block, step) = after.split_once('.').unwrap_or(("-1", "-1"));
        writeln!(
            text,
            "<step s=\"{number}\" type=\"{kind}\" srcbuf=\"{}\" srcoff=\"{}\" dstbuf=\"{}\" dstoff=\"{}\" cnt=\"{count}\" \
             depid=\"{block}\" deps=\"{step}\" hasdep=\"1\"/>",
            &source[..1],
            &source[1..],
            &target[..1],
            &target[1..]
        )
        .unwrap();
    }
    text
}

/// A threadblock with its send and receive peers, -1 for none, and its steps.
type Block<'a> = (i64, i64, &'a [Step<'a>]);

/// An algorithm whose GPUs have buffers of these sizes.
fn algorithm(header: &str, sizes: [u64; 3], gpus: &[&[Block<'_>]]) -> String {
    let mut text = format!("<algo name=\"a\" {header} ngpus=\"{}\">\n", gpus.len());
    let [input, output, scratch] = sizes;
    for (id, blocks) in gpus.iter().enumerate() {
        writeln!(text, "<gpu id=\"{id}\" i_chunks=\"{input}\" o_chunks=\"{output}\" s_chunks=\"{scratch}\">").unwrap();
        for (number, (send, receive, lines)) in blocks.iter().enumerate() {
            writeln!(text, "<tb id=\"{number}\" send=\"{send}\" recv=\"{receive}\" chan=\"0\">\n{}</tb>", steps(lines))
                .unwrap();
        }
        text += "</gpu>\n";
    }
    text + "</algo>\n"
}

/// The proof, the reason why there is none, or the faults of the data.
fn judged(text: &str) -> String {
    match Algorithm::read(text.as_bytes()).unwrap().verify() {
        DataCheck::Proved(proof) => format!("proved: {proof}"),
        DataCheck::Unchecked(reason) => format!("unchecked: {reason}"),
        DataCheck::Violated(violation) => violation.to_string(),
    }
}

fn refused(text: &str) -> String {
    let GoalError { line, message, .. } = Algorithm::read(text.as_bytes()).unwrap_err();
    format!("{line}: {message}")
}

/// Two GPUs that swap their chunk.
fn gather(header: &str, own: [&str; 2], other: [&str; 2]) -> String {
    let sizes = [1, 2, 0];
    let [zero, one]: [Vec<Step<'_>>; 2] =
        [0, 1].map(|gpu| vec![("s", own[gpu], "-", 1, "-"), ("r", "-", other[gpu], 1, "-")]);
    algorithm(header, sizes, &[&[(1, 1, &zero[..])], &[(0, 0, &one[..])]])
}

const ALL_GATHER: &str = "coll=\"allgather\" nchunksperloop=\"2\" proto=\"LL\" inplace=\"1\"";

#[test]
fn an_all_gather_gathers() {
    let proof = "proved: all-gather: every gpu ends with every chunk (2 gpus, 2 chunks)";
    assert_eq!(judged(&gather(ALL_GATHER, ["o0", "o1"], ["o1", "o0"])), proof);
    // in place, the input is a part of the output
    assert_eq!(judged(&gather(ALL_GATHER, ["i0", "i0"], ["o1", "o0"])), proof);
    // out of place no step copies the own chunk
    let out_of_place = gather(&ALL_GATHER.replace("inplace=\"1\"", "inplace=\"0\""), ["i0", "i0"], ["o1", "o0"]);
    let violation = judged(&out_of_place);
    assert!(
        violation.contains("not an all-gather: gpu 0 ends without chunk 0 of gpu 0: no step writes chunk 0"),
        "{violation}"
    );
    // if it may be called both ways, it has to be right both ways
    let in_both_ways = gather(&ALL_GATHER.replace("inplace", "outofplace=\"1\" inplace"), ["i0", "i0"], ["o1", "o0"]);
    assert!(judged(&in_both_ways).contains("not an all-gather: gpu 0"));
}

#[test]
fn a_violation_names_the_step_that_caused_it() {
    let nothing = judged(&gather(ALL_GATHER, ["o0", "o0"], ["o0", "o0"]));
    assert!(
        nothing.contains(
            "not an all-gather in place: gpu 0 ends without chunk 0 of gpu 0 in chunk 0 of its output buffer: line 10, gpu 1, \
             tb 0, step 0 reads chunk 0 of its output buffer, which holds no data"
        ),
        "{nothing}"
    );
    let other = judged(&gather(ALL_GATHER, ["o0", "o1"], ["o1", "o1"]));
    assert!(
        other.contains("gpu 1 ends with chunk 0 of gpu 0 in chunk 1 of its output buffer, not chunk 0 of gpu 1"),
        "{other}"
    );
    assert!(other.contains("line 11, gpu 1, tb 0, step 1 writes"), "{other}");
}

/// Two GPUs that add up two chunks by `steps` each.
fn sum(header: &str, zero: &[Step<'_>], one: &[Step<'_>]) -> String {
    algorithm(header, [2, 2, 0], &[&[(1, 1, zero)], &[(0, 0, one)]])
}

const ALL_REDUCE: &str = "coll=\"allreduce\" nchunksperloop=\"2\" inplace=\"1\"";

#[test]
fn an_all_reduce_adds_every_chunk_of_every_gpu_once() {
    let zero: &[Step<'_>] = &[("s", "i0", "-", 2, "-"), ("r", "-", "i0", 2, "-")];
    let one: &[Step<'_>] = &[("rrcs", "i0", "i0", 2, "-")];
    let proof = "proved: all-reduce: every gpu ends with every chunk summed over all gpus (2 gpus, 2 chunks)";
    assert_eq!(judged(&sum(ALL_REDUCE, zero, one)), proof);
    // received, added and passed on, but not kept
    let lost = judged(&sum(ALL_REDUCE, zero, &[("rrs", "i0", "-", 2, "-")]));
    assert!(lost.contains("gpu 1 ends without the sum of chunk 0 over all gpus: no step writes chunk 0"), "{lost}");
    let copied = judged(&sum(ALL_REDUCE, zero, &[("rcs", "-", "i0", 2, "-")]));
    assert!(copied.contains("gpu 0 ends with chunk 0 of gpu 0 in chunk 0"), "{copied}");
    let twice: &[Step<'_>] = &[("rrc", "i0", "i0", 2, "-"), ("re", "i0", "i0", 2, "-"), ("s", "i0", "-", 2, "-")];
    assert!(judged(&sum(ALL_REDUCE, zero, twice)).contains("adds chunk 0 of gpu 0 a second time"));
    let mixed: &[Step<'_>] = &[("rrc", "i0", "i0", 2, "-"), ("re", "i0", "i1", 1, "-"), ("s", "i0", "-", 2, "-")];
    assert!(judged(&sum(ALL_REDUCE, zero, mixed)).contains("tb 0, step 1 adds up chunk 0 and chunk 1"));
}

#[test]
fn every_collective_has_its_own_postcondition() {
    let header = |coll: &str, inplace: u8| format!("coll=\"{coll}\" nchunksperloop=\"2\" inplace=\"{inplace}\"");
    let scatter = algorithm(
        &header("reduce_scatter", 1),
        [2, 0, 0],
        &[
            &[(1, 1, &[("s", "i1", "-", 1, "-"), ("rrc", "i0", "i0", 1, "-")])],
            &[(0, 0, &[("s", "i0", "-", 1, "-"), ("rrc", "i1", "i1", 1, "-")])],
        ],
    );
    assert!(judged(&scatter).starts_with("proved: reduce-scatter: every gpu ends with its share of the chunks"));
    assert!(
        judged(&scatter.replacen("rrc", "r", 1)).contains("not a reduce-scatter in place: gpu 0 ends with chunk 0")
    );
    let zero: &[Step<'_>] = &[("cpy", "i0", "o0", 1, "-"), ("s", "i1", "-", 1, "-"), ("r", "-", "o1", 1, "-")];
    let one: &[Step<'_>] = &[("cpy", "i1", "o1", 1, "-"), ("s", "i0", "-", 1, "-"), ("r", "-", "o0", 1, "-")];
    assert!(judged(&sum(&header("alltoall", 0), zero, one)).starts_with("proved: all-to-all: "));
    let broadcast = sum(&header("broadcast", 1), &[("r", "-", "i0", 2, "-")], &[("s", "i0", "-", 2, "-")]);
    assert_eq!(judged(&broadcast), "proved: broadcast: every gpu ends with every chunk of gpu 1 (2 gpus, 2 chunks)");
    let reduce = sum(&header("reduce", 1), &[("s", "i0", "-", 2, "-")], &[("rrc", "i0", "i0", 2, "-")]);
    assert_eq!(judged(&reduce), "proved: reduce: gpu 1 ends with every chunk summed over all gpus (2 gpus, 2 chunks)");
    assert!(judged(&broadcast.replace("broadcast", "reduce")).contains("not a reduce in place"));
    assert_eq!(
        judged(&broadcast.replace("broadcast", "custom")),
        "unchecked: the `coll` \"custom\" has no postcondition"
    );
    let bare = broadcast.replace("srcbuf=\"i\"", "");
    assert!(judged(&bare).contains("gpu 1, tb 0, step 0 does not name the chunks"), "{}", judged(&bare));
}

#[test]
fn results_that_depend_on_timing_are_refused() {
    let race = |after: &str| {
        let zero: &[Step<'_>] = &[("s", "i0", "-", 2, "-")];
        let keeps: &[Step<'_>] = &[("r", "-", "i0", 2, after)];
        algorithm(
            ALL_REDUCE,
            [2, 2, 2],
            &[
                &[(1, -1, zero), (-1, 1, keeps)],
                &[
                    (0, -1, &[("cpy", "i0", "s0", 2, "-"), ("nop", "-", "-", 1, "1.0"), ("s", "i0", "-", 2, "-")]),
                    (-1, 0, &[("rrc", "i0", "i0", 2, if after == "-" { "-" } else { "0.0" })]),
                ],
            ],
        )
    };
    assert!(judged(&race("0.0")).starts_with("proved: all-reduce"), "{}", judged(&race("0.0")));
    let violation = judged(&race("-"));
    assert!(violation.contains("the result depends on timing: "), "{violation}");
    assert!(
        violation.contains("of gpu 1 access the same chunk")
            && violation.contains("line 17, gpu 1, tb 1, step 0 accesses"),
        "{violation}"
    );
}

#[test]
fn steps_that_name_what_is_not_there_are_refused() {
    let right = sum(ALL_REDUCE, &[("s", "i0", "-", 2, "-"), ("r", "-", "i0", 2, "-")], &[("rrcs", "i0", "i0", 2, "-")]);
    let refuse = |from: &str, to: &str| refused(&right.replacen(from, to, 1));
    assert_eq!(
        refuse("srcoff=\"0\"", "srcoff=\"1\""),
        "4: gpu 0, tb 0, step 0: `srcoff` 1 with `cnt` 2 is beyond the input buffer: `i_chunks` is 2"
    );
    assert_eq!(
        refused(&right.replace("dstoff=\"0\"", "dstoff=\"-1\"")),
        "5: gpu 0, tb 0, step 1: `dstoff` -1 with `cnt` 2 is beyond the input buffer: `i_chunks` is 2"
    );
    assert_eq!(
        refuse("srcbuf=\"i\"", "srcbuf=\"x\""),
        "4: gpu 0, tb 0, step 0: `srcbuf` cannot be \"x\"; accepted: i, o, s"
    );
    assert_eq!(refuse("cnt=\"2\"", "cnt=\"0\""), "4: gpu 0, tb 0, step 0: `cnt` is 0; a step moves at least 1 chunk");
    assert_eq!(
        refuse("cnt=\"2\"", "cnt=\"1\""),
        "10: gpu 1, tb 0, step 0: `cnt` is 2, but gpu 0, tb 0, step 0, line 4, sends 1"
    );
    assert_eq!(
        refuse("send=\"1\"", "send=\"0\""),
        "3: gpu 0, tb 0: `send` is gpu 0 itself; a copy within a gpu is a `cpy`"
    );
    assert_eq!(refuse("ngpus=\"2\"", "ngpus=\"3\""), "1: `ngpus` is 3, but the number of <gpu> elements is 2");
    assert_eq!(refuse("inplace=\"1\"", "proto=\"L\""), "1: `proto` cannot be \"L\"; accepted: Simple, LL, LL128");
    assert_eq!(refuse("inplace=\"1\"", "inplace=\"2\""), "1: `inplace` cannot be \"2\"; accepted: 0, 1");
    assert_eq!(refuse("chan=\"0\"", "chan=\"256\""), "3: gpu 0, tb 0: `chan` is 256; the maximum is 255");
    assert_eq!(
        refuse("i_chunks=\"2\"", "i_chunks=\"3\""),
        "2: gpu 0: `i_chunks` is 3; an all-reduce of 2 chunks on 2 gpus requires 2"
    );
    let odd = right.replace("allreduce", "alltoall").replace("perloop=\"2\"", "perloop=\"3\"");
    assert_eq!(
        refused(&odd),
        "1: an all-to-all requires a number of chunks that is a multiple of the number of gpus, 2, not 3"
    );
    let waits = right.replacen("depid=\"-1\" deps=\"-1\" hasdep=\"1\"", "depid=\"0\" deps=\"1\" hasdep=\"0\"", 1);
    assert!(Algorithm::read(waits.as_bytes()).is_ok());
    assert_eq!(
        refused(&waits.replacen("hasdep=\"1\"", "hasdep=\"0\"", 1)),
        "4: gpu 0, tb 0, step 0: the step waits for step 1 of tb 0, whose `hasdep` is 0, so the wait never ends"
    );
}

#[test]
fn two_threadblocks_of_one_peer_and_channel_are_refused() {
    let sends: &[Step<'_>] = &[("s", "i0", "-", 1, "-")];
    let gets: &[Step<'_>] = &[("r", "-", "i0", 1, "-"), ("r", "-", "i1", 1, "-")];
    let two = algorithm("coll=\"custom\"", [2, 2, 0], &[&[(1, -1, sends), (1, -1, sends)], &[(-1, 0, gets)]]);
    assert_eq!(
        refused(&two),
        "6: gpu 0, tb 1: tb 0 and tb 1 both send to gpu 1 over channel 0: a channel between two gpus has one threadblock at \
         each end"
    );
    let others = two.replacen("chan=\"0\"", "chan=\"1\"", 1);
    assert!(Algorithm::read(others.as_bytes()).is_ok(), "{others}");
}

#[test]
fn text_around_the_document_is_named() {
    let right = gather(ALL_GATHER, ["o0", "o1"], ["o1", "o0"]);
    assert_eq!(refused(&format!("{right}\n\nTrue\n")), "17: text after </algo>: `True`; the document ends there");
    assert_eq!(refused(&format!("{right}{right}")), "15: text after </algo>: `<algo`; the document ends there");
    assert_eq!(
        refused(&format!("\nCompiled in 3 s\n{right}")),
        "2: text before <algo>: `Compiled`; the document begins there"
    );
}

/// A scenario of `file`, under a model alone.
fn bench(text: &str) -> Bench {
    let bench = Bench::new(
        "name = \"m\"\n[model.loggops]\nL = 1000\no = 0\ng = 0\nG = 0\n[workload.msccl]\nfile = \"a.xml\"\nbuffer_bytes = 4096\n",
    );
    fs::write(bench.path("a.xml"), text).unwrap();
    bench
}

#[test]
fn the_command_proves_the_data_or_shows_the_steps() {
    let right = bench(&gather(ALL_GATHER, ["o0", "o1"], ["o1", "o0"]));
    let found = right.ok(&["check", "s.toml"]);
    assert!(found.contains("all-gather: every gpu ends with every chunk (2 gpus, 2 chunks)"), "{found}");
    let wrong_file = bench(&gather(ALL_GATHER, ["o0", "o0"], ["o0", "o0"]));
    for verb in ["check", "run", "schedule"] {
        let format: &[&str] = if verb == "schedule" { &["--format", "goal"] } else { &[] };
        let error = wrong_file.fails(1, &[&[verb, "s.toml"][..], format].concat());
        assert!(error.contains("not an all-gather") && error.contains("--> a.xml:"), "{error}");
        assert!(
            error.contains("gpu 1, tb 0, step 0 reads chunk 0 of its output buffer, which holds no data"),
            "{error}"
        );
    }
}

#[test]
fn a_cycle_of_steps_is_reported_with_gpu_threadblock_step_and_line() {
    let blocks = |peer| -> [Block<'static>; 2] {
        [(peer, -1, &[("s", "o0", "-", 1, "1.0")]), (-1, peer, &[("r", "-", "o1", 1, "-")])]
    };
    let cycle = bench(&algorithm(ALL_GATHER, [1, 2, 0], &[&blocks(1), &blocks(0)]));
    let error = cycle.fails(1, &["check", "s.toml"]);
    assert!(error.contains("gpus 0 and 1 wait for each other in a cycle of 4 operations"), "{error}");
    assert!(error.contains("a.xml:7"), "{error}");
    assert!(error.contains("gpu 0 waits here for gpu 1 to send (tb 0, step 0, line 12)"), "{error}");
    let hint = "let one of these gpus send before it receives, such as gpu 0: move tb 0, step 0, line 4 before tb 1, step 0, line 7";
    assert!(error.contains(hint), "{error}");
}

/// Schedules that tools have published, where they are at hand: all of them are right.
#[test]
#[ignore = "needs a folder of MSCCL files: FLITWISE_MSCCL"]
fn published_msccl_schedules_run_and_are_right() {
    let directory = std::env::var_os("FLITWISE_MSCCL").expect("FLITWISE_MSCCL names a folder of MSCCL files");
    let mut seen = 0;
    for entry in fs::read_dir(directory).unwrap() {
        let path = entry.unwrap().path();
        let algorithm = Algorithm::read(&fs::read(&path).unwrap()).unwrap_or_else(|error| panic!("{path:?}: {error}"));
        run(&algorithm.operations(Msccl { buffer_bytes: 1 << 20, reduce_per_byte: 1 }), &CLASSIC).unwrap();
        let data = algorithm.verify();
        assert!(matches!(data, DataCheck::Proved(_)), "{path:?}: {data:?}");
        seen += 1;
    }
    assert!(seen > 0);
}
