//! The paper's scenarios give the numbers that were measured before with two independent implementations.

use flitwise::report::{Summaries, Summary};
use flitwise::run::run;
use flitwise::scenario::{Options, Scenario};
use std::num::NonZeroUsize;
use std::path::Path;

/// The summaries of `scenarios/paper/NAME.toml` with `set` applied.
fn summaries(name: &str, set: &[&str]) -> Vec<Summary> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("scenarios/paper/{name}.toml"));
    let options = Options { set: set.iter().map(ToString::to_string).collect(), memory: None };
    let scenario = Scenario::load(&path, &options).unwrap();
    let mut summaries = Summaries::default();
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
