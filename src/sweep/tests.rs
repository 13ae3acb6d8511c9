//! A kind with columns of every unit, from its rows to every file and back: text, and fractions below zero.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test that cannot go on fails")]

use super::{DetailFiles, Entry, Plan, decode, encode, record};
use crate::kind::{Column, Demand, Evidence, Job, Keep, Kind, MEASURED, Planned, Row, RowFailure, Workload, WorstCase};
use crate::machine::Machine;
use crate::output::{RowFiles, Summaries, SummaryCsv, read_rows, summarise, summary_json, whole_table};
use crate::run::Rows;
use crate::scenario::{Options, Scenario};
use serde::Serialize;
use std::borrow::Cow;
use std::path::Path;
use std::sync::Arc;

const TRACE: Column = Column::text("trace").shown("trace", 1);
const ERROR: Column = Column::signed("error").shown("error", 1);
const RATE: Column = Column::millionths("rate");

static KIND: Kind =
    Kind { name: "multicast", columns: &[TRACE, MEASURED, ERROR, RATE], compares: &["measured"], ..Kind::DEFAULT };

/// What each repetition is off, in millionths.
const ERRORS: [Option<i64>; 3] = [Some(-12_345), Some(2_345), None];

#[derive(Debug, Serialize)]
struct Fake {
    file: &'static str,
}

impl Workload for Fake {
    fn kind(&self) -> &'static Kind {
        &KIND
    }

    fn text(&self, column: &str) -> Option<String> {
        (column == TRACE.name && !self.file.is_empty()).then(|| self.file.to_owned())
    }

    fn demand(&self, _: &Machine, _: usize) -> Demand {
        Demand::default()
    }

    fn worst_case(&self, _: &Machine) -> Option<WorstCase> {
        None
    }

    fn title(&self, _: &dyn Fn(&str) -> bool) -> Vec<String> {
        Vec::new()
    }

    fn plan<'a>(&'a self, job: Job<'a>) -> Result<Box<dyn Planned + 'a>, RowFailure> {
        Ok(Box::new(FakeRow { repetition: job.repetition }))
    }
}

struct FakeRow {
    repetition: u64,
}

impl Planned for FakeRow {
    fn verify(&self) -> Result<Evidence, RowFailure> {
        Ok(Evidence::new())
    }

    fn run(&self, row: &mut Row, _: Keep<'_>) -> Result<(), RowFailure> {
        row.set(&MEASURED, 100 + self.repetition);
        row.set(&RATE, 500_000);
        if let Some(error) = ERRORS[usize::try_from(self.repetition).unwrap()] {
            row.set_signed(&ERROR, error);
        }
        Ok(())
    }
}

/// Two points, each of one row of text and three repetitions; with `more` in the scenario.
fn scenario(more: &str) -> Scenario {
    let text = format!(
        "name = \"fake\"\nrepetitions = 3\n[network.mesh]\nshape = [2, 2]\n[workload.multicast]\nflits = 1\n\
         algorithms = [\"opt-tree\"]\ngroup = 2\n[sweep]\nseed = [1, 2]\n{more}"
    );
    let options = Options { any_figure: true, ..Options::default() };
    let mut scenario =
        Scenario::parse("fake", &text, Path::new(""), &options).unwrap_or_else(|wrong| panic!("{wrong}"));
    for (point, file) in scenario.points.iter_mut().zip(["a, b.json", ""]) {
        point.experiment.workload = Arc::new(Fake { file });
    }
    scenario
}

fn rows(scenario: &Scenario) -> Vec<Row> {
    let all = Rows::new(scenario);
    let run = |at| {
        let id = all.get(at);
        scenario.points[id.point].experiment.run(id, Keep::default()).unwrap()
    };
    (0..all.count()).map(run).collect()
}

fn file(scenario: &Scenario, rows: &[Row]) -> String {
    let files = RowFiles::new(scenario, DetailFiles::default());
    files.headers().unwrap()[0].text.clone() + &files.lines(&mut rows.to_vec()).unwrap()[0].text
}

const ROWS: &str = "\
scenario,seed,algorithm,repetition,seed,nodes,messages,measured,engine,trace,error,rate
fake,1,multicast,0,1,0,0,100,,\"a, b.json\",-0.012345,0.5
fake,1,multicast,1,1,0,0,101,,\"a, b.json\",0.002345,0.5
fake,1,multicast,2,1,0,0,102,,\"a, b.json\",,0.5
fake,2,multicast,0,2,0,0,100,,,-0.012345,0.5
fake,2,multicast,1,2,0,0,101,,,0.002345,0.5
fake,2,multicast,2,2,0,0,102,,,,0.5
";

const SUMMARY: &str = "\
scenario,seed,algorithm,repetitions,\
measured_mean,measured_sd,measured_ci95,measured_min,measured_median,measured_max,measured_p05,measured_p95,\
trace,error_mean,error_sd,error_ci95,error_min,error_median,error_max,error_p05,error_p95,\
rate_mean,rate_sd,rate_ci95,rate_min,rate_median,rate_max,rate_p05,rate_p95
fake,1,multicast,3,101,1,2.484,100,101,102,100,102,\
\"a, b.json\",-0.005,0.010387,0.093327,-0.012345,-0.005,0.002345,-0.012345,0.002345,0.5,0,0,0.5,0.5,0.5,0.5,0.5
fake,2,multicast,3,101,1,2.484,100,101,102,100,102,\
,-0.005,0.010387,0.093327,-0.012345,-0.005,0.002345,-0.012345,0.002345,0.5,0,0,0.5,0.5,0.5,0.5,0.5
";

#[test]
fn rows_are_read_back_as_they_were_written() {
    let scenario = scenario("");
    let rows = rows(&scenario);
    let written = file(&scenario, &rows);
    assert_eq!(written, ROWS);
    let read = read_rows(&scenario, written.as_bytes()).unwrap();
    assert_eq!(read, summarise::<()>(&scenario, rows.into_iter().map(Ok)).unwrap());
    let error = read[0].of("error").unwrap();
    assert_eq!((error.mean, error.minimum, read[0].of("trace")), (-0.005, -0.012_345, None));
    for wrong in ["--0.5", "-x", "-9223372036855"] {
        assert!(read_rows(&scenario, written.replacen("-0.012345", wrong, 1).as_bytes()).is_err(), "{wrong}");
    }
}

/// What `merge` does, which has the plan and the journals alone.
#[test]
fn a_journal_and_a_plan_are_enough_for_every_file() {
    let scenario = scenario("");
    let plan = serde_json::to_vec(&Plan::new(&scenario, DetailFiles::default()).unwrap()).unwrap();
    let plan: Plan = serde_json::from_slice(&plan).unwrap();
    let mut rows = plan.files[0].1.clone();
    let mut summaries = Summaries::of_metrics(&plan.labels.metrics, &plan.labels.compares);
    for unit in &plan.units {
        let line =
            encode(&Entry::Done(Cow::Owned(record(&scenario, unit, DetailFiles::default(), None).unwrap()))).unwrap();
        let Some((Entry::Done(record), _)) = decode(&line[..line.len() - 1]) else { panic!("a damaged line") };
        rows += &record.files[0].1;
        record.values.iter().for_each(|values| summaries.add_values(unit.point, "multicast", values));
    }
    assert_eq!(rows, ROWS);
    let summary = SummaryCsv::write(&plan.labels, &summaries.finish(), Vec::new()).unwrap();
    assert_eq!(String::from_utf8(summary).unwrap(), SUMMARY);
}

#[test]
fn people_see_text_and_per_cents_with_a_sign() {
    let scenario = scenario("");
    let summaries = summarise::<()>(&scenario, rows(&scenario).into_iter().map(Ok)).unwrap();
    let table = whole_table(&scenario, &summaries, None);
    let lines: Vec<String> =
        table.lines().skip(1).take(4).map(|line| line.split_whitespace().collect::<Vec<_>>().join(" ")).collect();
    assert_eq!(lines[0], "seed algorithm trace measured error");
    assert_eq!(lines[2..], ["1 multicast a, b.json 101 -0.5 %", "2 multicast 101 -0.5 %"]);
    let json = summary_json(&scenario, &summaries);
    assert_eq!((&json["summary"][0]["trace"], &json["summary"][1]["trace"]), (&"a, b.json".into(), &"".into()));
    assert_eq!(json["summary"][0]["error"]["min"], -0.012_345);
}

/// What is wrong with a figure that reads text, from its first line on.
fn wrong(figure: &str) -> Option<String> {
    scenario(figure).check_figure().err().map(|wrong| wrong.diagnostics[0].message.clone())
}

#[test]
fn text_chooses_rows_and_is_no_number() {
    let number = Some("`trace` is text, not a number".to_owned());
    assert_eq!(wrong("[figure]\nx = \"seed\"\ny = \"error_mean\"\nonly = \"trace == 'a, b.json'\"\n"), None);
    assert_eq!(wrong("[figure]\nx = \"trace\"\ny = \"error_mean\"\n"), None);
    assert_eq!(wrong("[figure]\nx = \"seed\"\ny = \"trace\"\n"), number);
    assert_eq!(
        wrong("[figure]\nx = \"seed\"\ny = \"trace_mean\"\n"),
        Some("the table has no column `trace_mean`".to_owned())
    );
    let claim = |test: &str| wrong(&format!("[[claim]]\nsays = \"it\"\n{test}"));
    assert_eq!(claim("holds = \"error_mean < 0 and trace == ''\"\n"), None);
    assert_eq!(claim("value = \"multicast.trace\"\nprinted = \"a.json\"\n"), None);
    assert_eq!(claim("value = \"multicast.trace\"\ncourse = \"rises\"\nalong = \"seed\"\n"), number);
    assert_eq!(claim("holds = \"error_mean < 0\"\nshow = \"trace\"\n"), number);
}

/// Ones stand for numbers, and each point says its own text.
#[test]
#[cfg(feature = "plots")]
fn a_plot_is_rehearsed_with_the_text_of_its_points() {
    let plotted = |only: &str| {
        let figure = format!("[figure]\nx = \"seed\"\ny = \"error_mean\"\nonly = \"{only}\"\n");
        let mut scenario = scenario(&figure);
        scenario.points[1].experiment.workload = Arc::new(Fake { file: "c.json" });
        let plot = scenario.figure.as_ref().and_then(|figure| figure.plot.clone()).unwrap();
        crate::figures::rehearse(&plot, &scenario).map_err(|wrong| wrong.message)
    };
    assert_eq!(plotted("trace == 'c.json' and error_mean > 0"), Ok(()));
    assert!(plotted("trace > 1").is_err());
}
