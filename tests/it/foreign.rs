//! Inputs of other programs and slips of the keyboard: each is named, with its replacement.

use crate::cli::Bench;
use std::fs;

const MESH: &str = "name = \"x\"\n[network.mesh]\nshape = [4, 4]\n";
const TRAFFIC: &str = "[workload.traffic]\npattern = \"uniform\"\nrate = 0.1\n";

/// Returns the errors that `check` reports for a scenario with this text.
fn refused(text: &str) -> String {
    Bench::new(text).fails(2, &["check", "s.toml"])
}

/// Returns the errors that `check` reports for a trace with this text on 16 nodes.
fn refused_trace(text: &str) -> String {
    let bench = Bench::new(&format!("{MESH}[workload.trace]\nfile = \"m.csv\"\n"));
    fs::write(bench.path("m.csv"), text).unwrap();
    bench.fails(2, &["check", "s.toml"])
}

#[test]
fn slips_of_the_keyboard_are_named() {
    for (text, says, hint) in [
        ("name\u{a0}= \"x\"\n", "a no-break space (U+00A0) is not plain text", "write a plain space"),
        ("name = “x”\n", "a typographic quote (U+201C) is not plain text", "write a straight quote: \""),
        ("name = \"x\"\nseed = \u{2212}1\n", "a typographic minus sign (U+2212)", "write a plain `-`"),
        ("name = \"x\"\nseed = 04\n", "`04` begins with a zero", "write 4"),
        ("name = \"x\"\n[network.mesh]\nshape = 8x8\n", "`8x8` is not a value", "write an array: [8, 8]"),
        ("name = \"x\"\n[network.mesh]\nshape = [4; 4]\n", "has `;`", "write an array: [4, 4]"),
        ("name = \"x\"\n[workload.traffic]\nrate = .1\n", "`.1` has no digit before the point", "write 0.1"),
        ("name = \"x\"\nseed = 1,000\n", "`1,000` has a comma", "write 1000 if the comma separates thousands"),
    ] {
        let shown = refused(text);
        assert!(shown.contains(says) && shown.contains(hint), "{text:?}: {shown}");
        assert!(!shown.contains("a string needs quotes"), "{text:?}: {shown}");
    }
}

#[test]
fn values_of_another_type_get_a_hint() {
    let scenario = |shape: &str, rate: &str| {
        format!(
            "name = \"x\"\n[network.mesh]\nshape = {shape}\n[workload.traffic]\npattern = \"uniform\"\nrate = {rate}\n"
        )
    };
    for (text, hint) in [
        (scenario("64", "0.1"), "write [64], or [8, 8] for 64 in two dimensions"),
        (scenario("7", "0.1"), "write [7]"),
        (scenario("\"8x8\"", "0.1"), "write an array: [8, 8]"),
        (scenario("[4, 4]", "\".1\""), "write 0.1"),
        (scenario("[4.0, 4]", "0.1"), "write it as 4"),
    ] {
        let shown = refused(&text);
        assert!(shown.contains(hint), "{text}: {shown}");
    }
    let bench = Bench::new(&scenario("[4, 4]", "0.1"));
    let shown = bench.fails(2, &["check", "s.toml", "-s", "network.mesh.shape=4x4"]);
    assert!(shown.contains("write an array: [4, 4]"), "{shown}");
}

#[test]
fn files_of_other_programs_are_named() {
    let booksim = "// a comment\ntopology = torus;\nk = 8;\nn = 2;\nrouting_function = dim_order;\n";
    let shown = refused(booksim);
    assert!(shown.contains("this is a BookSim 2 configuration, not TOML"), "{shown}");
    assert!(shown.contains("`flitwise booksim FILE --scenario`"), "{shown}");
    assert!(refused("num_ranks 2\nrank 0 {\n}\n").contains("this is a GOAL program"));
    let bench = Bench::new(&format!("{MESH}[workload.mapping]\nalgorithms = [\"greedy\"]\ngraph = \"g.csv\"\n"));
    fs::write(bench.path("g.csv"), "% a ring\n3 3\n2 3\n1 3\n1 2\n").unwrap();
    let shown = bench.fails(2, &["check", "s.toml"]);
    assert!(shown.contains("this is a METIS graph") && shown.contains("counts from 1"), "{shown}");
}

#[test]
fn columns_are_read_by_name() {
    let run = |text: &str| {
        let bench = Bench::new(&format!("{MESH}[workload.trace]\nfile = \"m.csv\"\n"));
        fs::write(bench.path("m.csv"), text).unwrap();
        bench.ok(&["run", "s.toml", "--messages", "-q"]);
        fs::read_to_string(bench.path("results/x/messages.csv")).unwrap()
    };
    let in_order = run("id,src,dst,flits,start\n9,0,1,3,0\n4,0,1,3,5\n");
    assert_eq!(run("start,src,dst,flits,id\n0,0,1,3,9\n5,0,1,3,4\n"), in_order);
    let shown = refused_trace("id,src,dst,flits,start,comment\n0,0,1,4,0,x\n");
    assert!(shown.contains("unknown column `comment`") && shown.contains("remove the column"), "{shown}");
    let shown = refused_trace("id,src,dst,size,start\n0,0,1,4,0\n");
    assert!(shown.contains("unknown column `size`") && shown.contains("did you mean `flits`?"), "{shown}");
    let shown = refused_trace("id,src,dst,flits\n0,0,1,4\n");
    assert!(shown.contains("the column `start` is missing"), "{shown}");
}

#[test]
fn files_that_count_from_one_are_recognised() {
    let all: String = (1..=16).map(|node| format!("{node},{node},{},4,0\n", node % 16 + 1)).collect();
    let shown = refused_trace(&format!("id,src,dst,flits,start\n{all}"));
    assert!(shown.contains("the file counts nodes from 1; subtract 1"), "{shown}");
    let bench = Bench::new(
        "name = \"p\"\n[network.torus]\nshape = [2, 3]\n[workload.mapping]\nalgorithms = [\"anneal\"]\ngraph = \"g.csv\"\n",
    );
    fs::write(bench.path("g.csv"), "a,b,weight\n1,2,1\n2,3,1\n3,4,1\n4,5,1\n5,6,1\n6,1,1\n").unwrap();
    let remark = "g.csv: no edge has task 0; if the file numbers its 6 tasks from 1, subtract 1 from each number";
    let flat = |text: String| text.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(flat(bench.ok(&["run", "s.toml"])).contains(remark));
    assert!(flat(bench.ok(&["check", "s.toml"])).contains(remark));
    let exhaustive = ["check", "s.toml", "-s", "workload.mapping.algorithms=exhaustive"];
    let shown = bench.fails(2, &exhaustive);
    assert!(shown.contains("no edge has task 0"), "{shown}");
}

#[test]
fn hints_fit_the_network_at_hand() {
    let routing = |network: &str, routing: &str| {
        refused(&format!(
            "name = \"x\"\n[network.{network}]\n[router]\nmodel = \"pipelined\"\nrouting = \"{routing}\"\n{TRAFFIC}"
        ))
    };
    for word in ["xy", "XY", "dor", "e-cube", "dim_order"] {
        let shown = routing("mesh]\nshape = [4, 4", word);
        assert!(shown.contains("did you mean `dimension-order`?"), "{word}: {shown}");
        assert!(!shown.contains("d-mod-k") && !shown.contains("up-down"), "{word}: {shown}");
    }
    let shown = routing("torus]\nshape = [4, 4", "xy");
    assert!(shown.contains("dimension-order") && !shown.contains("west-first"), "{shown}");
    let shown = routing("fat-tree]\narity = 2\nlevels = 2\n#", "ecmp");
    assert!(shown.contains("did you mean `nca-random`?") && !shown.contains("west-first"), "{shown}");
}

#[test]
fn synonyms_of_the_field_are_known() {
    for (text, hint) in [
        ("name = \"x\"\n[network.mesh2d]\nshape = [4, 4]\n".to_owned(), "did you mean `mesh`?"),
        (format!("{MESH}[workload.traffic]\npattern = \"bitcomp\"\nrate = 0.1\n"), "did you mean `bit-complement`?"),
        (format!("{MESH}[workload.traffic]\npattern = \"uniform_random\"\nrate = 0.1\n"), "did you mean `uniform`?"),
        (format!("{MESH}[workload.traffic]\npattern = \"uniform\"\ninjection_rate = 0.1\n"), "did you mean `rate`?"),
        (format!("{MESH}[channel]\nnum_vcs = 2\n{TRAFFIC}"), "did you mean `virtual_channels`?"),
        (
            format!(
                "{MESH}[workload.collective]\noperation = \"allreduce\"\nalgorithms = [\"ring\"]\nmessage_size = \"1KB\"\n"
            ),
            "did you mean `bytes`?",
        ),
        (
            format!("{MESH}[workload.multicast]\nalgorithms = [\"umesh\"]\nflits = 1\ngroup = 2\n"),
            "did you mean `u-mesh`?",
        ),
    ] {
        let shown = refused(&text);
        assert!(shown.contains(hint), "{text}: {shown}");
    }
}

#[test]
fn figures_and_claims_that_are_set_are_checked_as_in_the_file() {
    let multicast = "[workload.multicast]\nalgorithms = [\"u-mesh\", \"opt-mesh\"]\nflits = 4\ngroup = 4\n";
    let figure = "[figure]\nx = \"flits\"\ny = \"measured\"\n[sweep]\n\"workload.multicast.flits\" = [1, 4]\n";
    let bench = Bench::new(&format!("{MESH}{multicast}{figure}"));
    let shown = bench.fails(2, &["run", "s.toml", "-s", "figure.y=mesured"]);
    assert!(
        shown.contains("the table has no column `mesured`") && shown.contains("did you mean `measured`?"),
        "{shown}"
    );
    let shown = bench.fails(2, &["run", "s.toml", "-s", "claim=[{text=\"mine\",holds=\"mesured < 3\"}]"]);
    assert!(shown.contains("did you mean `measured`?"), "{shown}");
    // what is set may take away what the figure of the file shows
    let ran = bench.call(&["run", "s.toml", "-s", "workload.multicast.flits=4"]);
    assert_eq!(ran.status.code(), Some(0));
    let shown = String::from_utf8_lossy(&ran.stderr);
    assert!(
        shown.contains("[figure] cannot be drawn with the keys that are set: the table has no column `flits`"),
        "{shown}"
    );
}

#[test]
fn check_names_a_model_that_is_far_off() {
    let costs = "[node]\nsend_setup = 2000\nreceive_setup = 2000\n";
    let multicast = "[workload.multicast]\nalgorithms = [\"u-mesh\"]\nflits = 64\ngroup = 8\n";
    let odd = Bench::new(&format!("{MESH}{costs}[model.logp]\nL = 1\no = 1\ng = 1\n{multicast}"));
    let flat = |text: String| text.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(flat(odd.ok(&["check", "s.toml"])).contains("the model predicts 9 ticks, but the run takes"));
    assert!(flat(odd.ok(&["run", "s.toml"])).contains("differ by more than a factor of two"));
    let right = Bench::new(&format!("{MESH}{costs}[model.logp]\nL = 70\no = 2000\ng = 1\n{multicast}"));
    assert!(!right.ok(&["check", "s.toml"]).contains("the model predicts"));
}
