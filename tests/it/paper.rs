//! The paper's scenarios give the numbers that were measured before with two independent implementations.

use flitwise::output::{Summaries, Summary};
use flitwise::run::run;
use flitwise::scenario::{Options, Scenario};
use std::num::NonZeroUsize;
use std::path::Path;

/// The summaries of `scenarios/paper/NAME.toml` with `set` applied.
fn summaries(name: &str, set: &[&str]) -> Vec<Summary> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("scenarios/paper/{name}.toml"));
    let options = Options { set: set.iter().map(ToString::to_string).collect(), ..Options::default() };
    let scenario = Scenario::load(&path, &options).unwrap();
    let mut summaries = Summaries::new(&scenario);
    run(&scenario, NonZeroUsize::new(2).unwrap(), false, |row| {
        summaries.add(&row);
        Ok::<(), std::convert::Infallible>(())
    })
    .unwrap();
    summaries.finish()
}

fn means(summaries: &[Summary], metric: &str) -> Vec<f64> {
    summaries.iter().map(|summary| summary.of(metric).unwrap().mean).collect()
}

#[test]
fn tables_and_small_figures_are_exact() {
    assert_eq!(means(&summaries("opt-table-1", &[]), "predicted"), [55., 75., 95., 110., 115., 130., 130., 135.]);
    assert_eq!(means(&summaries("opt-fig-3", &[]), "predicted"), [9., 10., 15.]);
    assert_eq!(means(&summaries("opt-fig-5", &[]), "predicted"), [135.]);
    let fig_6 = means(&summaries("opt-fig-6", &[]), "predicted");
    assert_eq!((&fig_6[..3], &fig_6[9..]), (&[80., 90., 120.][..], &[60., 60., 60.][..]));
    let example = summaries("opt-fig-7-9", &[]);
    assert_eq!(means(&example, "predicted"), [130., 165.]);
    assert_eq!(means(&example, "blocked_headers"), [0., 0.]);
}

#[test]
fn figure_10_keeps_the_papers_order() {
    for point in summaries("opt-fig-10", &[]).chunks(3) {
        let times = means(point, "predicted");
        assert!(times[0] <= times[1] && times[1] <= times[2], "{times:?}");
    }
}

/// Mean measured times of (OPT-mesh, OPT-tree, U-mesh), rounded, and OPT-tree's blocked messages.
#[test]
fn figures_11_and_12_give_the_times_measured_before() {
    let cases: [(&str, &str, [f64; 3], f64); 4] = [
        ("opt-fig-11", "4096", [119_347., 123_538., 170_942.], 4.2),
        ("opt-fig-11", "65536", [1_593_907., 1_694_098., 2_321_342.], 4.9),
        ("opt-fig-12", "4096", [157_159., 192_476., 239_308.], 55.1),
        ("opt-fig-12", "65536", [2_123_239., 2_726_346., 3_249_868.], 57.4),
    ];
    for (figure, flits, times, blocked) in cases {
        let set = format!("sweep={{workload={{multicast={{flits=[{flits}]}}}}}}");
        let summaries = summaries(figure, &[&set]);
        let measured: Vec<f64> = means(&summaries, "measured").into_iter().map(f64::round).collect();
        assert_eq!(measured, times, "{figure} {flits}");
        let messages = means(&summaries, "blocked_messages");
        assert!((messages[1] - blocked).abs() < 0.11 && messages[0] + messages[2] == 0., "{messages:?}");
    }
}

#[test]
fn the_fibonacci_papers_figures() {
    assert_eq!(means(&summaries("fib-fig-1-3", &[]), "predicted"), [30., 24.]);
    assert_eq!(means(&summaries("fib-fig-2", &[]), "predicted"), [30., 24., 24.]);
    let by_size = [600., 488., 488., 800., 640., 576., 1000., 688., 664.];
    assert_eq!(means(&summaries("fib-fig-6", &[]), "predicted"), by_size);
    assert_eq!(means(&summaries("fib-fig-7", &[]), "predicted"), by_size.map(|time| 4. * time));
    // Fig. 4 and 5, the sends of p_1 and of the first that it sends to
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("scenarios/paper/fib-fig-4-5.toml");
    let output = std::process::Command::new(env!("CARGO_BIN_EXE_flitwise")).arg("schedule").arg(path).output().unwrap();
    let printed = String::from_utf8(output.stdout).unwrap();
    let children = |algorithm: &str, src: &str| -> Vec<String> {
        let lines = printed.lines().map(|line| line.split(',').collect::<Vec<_>>());
        lines.filter(|line| line[0] == algorithm && line[3] == src).map(|line| line[4].to_owned()).collect()
    };
    assert_eq!(children("bisection", "1"), ["10", "5", "3", "2"]);
    assert_eq!(children("bisection", "10"), ["14", "12", "11"]);
    assert_eq!(children("fibonacci", "1"), ["14", "9", "6", "4", "3", "2"]);
    assert_eq!(children("fibonacci", "9"), ["12", "11", "10"]);
}

#[test]
fn the_fibonacci_threshold() {
    let summaries = summaries("fib-threshold", &[]);
    let points: Vec<&[Summary]> = summaries.chunks(3).collect();
    assert_eq!(points.len(), 24 * 78);
    // slowest key first: all sizes at one g, then the next; 3884, 4814 and 4815 follow 3500, 4628 and 4814
    let behind = |at: usize| {
        let sizes = points[at * 78..(at + 1) * 78].iter();
        sizes.filter(|point| means(point, "predicted")[1] > means(point, "predicted")[0]).count()
    };
    let gaps = [3884, 4628, 4814, 4815];
    let mut all: Vec<u64> = (1..=20).map(|step| 500 * step).chain(gaps).collect();
    all.sort_unstable();
    for (at, g) in all.into_iter().enumerate() {
        assert_eq!(behind(at) == 0, g <= 4814, "g = {g}: behind at {} sizes", behind(at));
    }
    assert!(points.iter().all(|point| means(point, "predicted")[1] >= means(point, "predicted")[2]));
}

/// The cuts of every mapping add up, and none of the least of three falls: the 21, 27, 14 of Fig. 3 are not such.
#[test]
fn the_mapping_papers_cuts() {
    let summaries = summaries("map-fig-1-4", &[]);
    let [random, mrb, optimum] = &means(&summaries, "cost")[..] else { panic!("three algorithms") };
    assert!(means(&summaries, "bound")[0] <= *optimum && optimum <= mrb && mrb < random);
}

/// On a mesh Algorithm 1 as printed contends a little, and not with receivers at the boundary.
#[test]
fn fibonacci_on_a_mesh() {
    let summaries = summaries("fib-mesh", &["sweep={workload={multicast={flits=[65536]}}}"]);
    assert_eq!(means(&summaries, "blocked_messages"), [0., 0.8125, 0., 0.]);
}
