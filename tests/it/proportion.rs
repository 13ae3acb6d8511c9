//! Errors in proportion: three of each kind are shown, and the others are counted.

use crate::cli::Bench;
use std::fmt::Write;
use std::fs;

/// The lines of `shown` that begin an error.
fn errors(shown: &str) -> usize {
    shown.lines().filter(|line| line.starts_with("error")).count()
}

/// A scenario with traffic at thirteen rates, and `more` keys of the workload.
fn swept(more: &str) -> String {
    let rates: Vec<String> = (1..=13).map(|rate| format!("0.{rate:02}")).collect();
    format!(
        "name = \"swept\"\n[network.mesh]\nshape = [8, 8]\n[router]\nmodel = \"pipelined\"\n[workload.traffic]\n\
         pattern = \"uniform\"\npacket_flits = 4\n{more}\n[sweep]\n\"workload.traffic.rate\" = [{}]\n",
        rates.join(", ")
    )
}

#[test]
fn an_error_at_every_row_of_a_table_is_shown_three_times() {
    let mut ring = "kind,a,b,flit_time,delay\n".to_owned();
    let mut table = "at,to,link\n".to_owned();
    for at in 0..8 {
        let _ = write!(ring, "node,{at},{at},,\nlink,{at},{},1,0\n", (at + 1) % 8);
        (0..8).filter(|to| *to != at).for_each(|to| table += &format!("{at},{to},99\n"));
    }
    let bench = Bench::new(
        "name = \"r\"\n[network.graph]\nfile = \"ring.csv\"\n[router]\nrouting = \"table\"\ntable = \"t.csv\"\n\
         [workload.trace]\nfile = \"m.csv\"\n",
    );
    for (file, text) in
        [("ring.csv", ring.as_str()), ("t.csv", &table), ("m.csv", "id,src,dst,flits,start\n0,0,1,4,0\n")]
    {
        fs::write(bench.path(file), text).unwrap();
    }
    let shown = bench.fails(2, &["check", "s.toml"]);
    assert_eq!(errors(&shown), 3, "{shown}");
    assert!(shown.contains("and 53 more like this, in lines 5 to 57 of t.csv"), "{shown}");
    assert!(shown.trim_end().ends_with("56 errors"), "{shown}");
}

#[test]
fn an_error_at_every_point_of_a_sweep_is_shown_three_times() {
    let bench = Bench::new(&swept("").replace("[0.", "[5.").replace(", 0.", ", 5."));
    let shown = bench.fails(2, &["check", "s.toml"]);
    assert_eq!(errors(&shown), 3, "{shown}");
    assert!(shown.contains("and 10 more like this, in line "), "{shown}");
    // a value outside its range is an error of the key, once, and so is a key that no point reads
    let bench = Bench::new(&swept("mode = \"saturation\""));
    assert_eq!(errors(&bench.fails(2, &["check", "s.toml"])), 1);
    let bench = Bench::new(&swept("rate = 0.1\nmeasure = 1000000000000"));
    assert_eq!(errors(&bench.fails(2, &["check", "s.toml"])), 1);
}

#[test]
fn errors_of_other_kinds_are_all_shown() {
    let bench = Bench::new("name = \"Bad name\"\nseed = -1\nrepetitions = \"x\"\n[network.mesh]\nshape = [4, 4]\n");
    let shown = bench.fails(2, &["check", "s.toml"]);
    assert_eq!(errors(&shown), 4, "{shown}");
    assert!(!shown.contains("more like this"), "{shown}");
}
