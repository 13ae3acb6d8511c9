//! What is published of all-reduces on meshes, TTO (HPCA 2024) and SuperMesh (MICRO 2025), row by row against what is
//! measured. `scenarios/paper/tto-*.toml` and `supermesh-*.toml` quote a few of these numbers.
//!
//! The tables are read in place: `FLITWISE_PUBLISHED` names a CSV file with the columns of [`Row`], one printed number a
//! row. Its column `judge` says how that is judged:
//!
//! - `within`: within `tolerance` of ours, of rings and of trees that need the fewest steps;
//! - `at-most`: ours is no slower, where ties that are left open make other trees;
//! - `within-asymptote`: within `tolerance` of three trees whose links are always busy, for long vectors;
//! - `report`: not at all.
//!
//! Rows of up to [`MOST_MESSAGES`] messages are run. Longer rings are judged by their closed form, which every ring that
//! is run has to meet.

use flitwise::output::summarise;
use flitwise::run;
use flitwise::scenario::Scenario;

use serde::Deserialize;
use std::collections::BTreeMap;

/// What is run in a moment.
const MOST_MESSAGES: u32 = 4_000_000;

/// How much longer the segments of a pipeline are here, so that barriers between steps cost little.
const LONGER_SEGMENTS: u32 = 16;

/// How far a pipeline with such segments may be from what is printed.
const WITH_BARRIERS: f64 = 0.02;

/// A printed number and the scenario that is set beside it.
#[derive(Deserialize)]
struct Row {
    source: String,
    paper_algorithm: String,
    /// `4x4`.
    shape: String,
    elements: u32,
    printed: u32,
    algorithm: String,
    flits: Option<u32>,
    messages: Option<u32>,
    flit_time: u32,
    ports: u32,
    segment_flits: Option<u32>,
    synchronous: bool,
    closed_form: Option<u32>,
    judge: Judge,
    tolerance: Option<f64>,
}

#[derive(Clone, Copy, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "kebab-case")]
enum Judge {
    Within,
    WithinAsymptote,
    AtMost,
    Report,
}

/// What a run says of a schedule.
struct Measured {
    time: f64,
    steps: f64,
}

/// Whether two whole numbers are the same.
fn is_same(one: f64, other: f64) -> bool {
    (one - other).abs() < 0.5
}

/// A row that has been judged.
struct Judged {
    /// By a run, not by a closed form.
    run: bool,
    /// What is printed over ours, less one.
    deviation: f64,
    /// The same of a pipeline that is run with barriers and longer segments.
    with_barriers: Option<f64>,
    within: bool,
}

impl Row {
    fn name(&self) -> String {
        format!("{} {} {} {}", self.source, self.paper_algorithm, self.shape, self.elements)
    }

    fn sides(&self) -> Vec<u32> {
        self.shape.split('x').map(|side| side.parse().expect("sides are numbers")).collect()
    }

    fn flits(&self) -> u32 {
        self.flits.expect("a row that is judged says how many flits")
    }

    fn segment(&self) -> u32 {
        self.segment_flits.expect("rings and pipelines are cut into segments")
    }

    fn run(&self, segment_flits: u32, synchronous: bool) -> Measured {
        let Self { algorithm, flit_time, ports, .. } = self;
        let unproved = algorithm == "tto-as-published";
        let unproved = if unproved { "unproved = true" } else { "" };
        let scenario = format!(
            "name = \"published\"\n[network.mesh]\nshape = {:?}\n[channel]\nflit_time = {flit_time}\n[node]\nports = {ports}\n\
             [workload.collective]\noperation = \"allreduce\"\nalgorithms = [{algorithm:?}]\nflits = {}\n\
             segment_flits = {segment_flits}\nsynchronous = {synchronous}\n{unproved}\n",
            self.sides(),
            self.flits(),
        );
        let scenario: Scenario = scenario.parse().unwrap_or_else(|error| panic!("{}: {error}", self.name()));
        let summary = summarise(&scenario, run::rows(&scenario)).unwrap().remove(0);
        let mean = |column| summary.of(column).unwrap().mean;
        Measured { time: mean("measured"), steps: mean("startups") }
    }

    /// Ticks of a ring whose links are busy from the first flit to the last: S steps of k messages, and a header's way.
    fn ring_time(&self) -> Option<f64> {
        let ways = match self.algorithm.as_str() {
            "mesh-ring" => 1,
            "mesh-ring-bidirectional" => 2,
            _ => return None,
        };
        let ranks: u32 = self.sides().iter().product();
        let steps = 2 * (ranks - 1);
        let block = self.flits() / (ranks * ways);
        Some(f64::from(self.flit_time) * f64::from(steps * block + 2))
    }

    /// Ticks of three trees that reduce and then broadcast a third of the vector each, their links always busy.
    fn asymptote(&self) -> f64 {
        let segments = self.flits().div_ceil(3 * self.segment());
        f64::from(self.flit_time) * f64::from(2 * segments * self.segment())
    }

    /// Nothing of a row that is only reported.
    fn judge(&self) -> Option<Judged> {
        match self.judge {
            Judge::Report => None,
            Judge::WithinAsymptote => Some(self.judge_pipeline()),
            Judge::Within | Judge::AtMost => Some(self.judge_exactly()),
        }
    }

    fn judge_exactly(&self) -> Judged {
        let run = self.messages.is_some_and(|messages| messages <= MOST_MESSAGES);
        let closed_form = self.ring_time();
        let ours = if run {
            let measured = self.run(self.segment_flits.unwrap_or_default(), self.synchronous).time;
            assert!(is_same(closed_form.unwrap_or(measured), measured), "{}: {measured}", self.name());
            measured
        } else {
            closed_form.expect("what is too long to run is a ring")
        };
        let listed = self.closed_form.map(f64::from);
        assert!(listed.is_some_and(|listed| is_same(listed, ours)), "{}: {ours} for {listed:?}", self.name());
        let deviation = f64::from(self.printed) / ours - 1.0;
        let within = match self.tolerance {
            Some(tolerance) => deviation.abs() <= tolerance,
            None => deviation >= 0.0,
        };
        Judged { run, deviation, with_barriers: None, within }
    }

    /// By the asymptote.
    fn judge_pipeline(&self) -> Judged {
        let deviation = f64::from(self.printed) / self.asymptote() - 1.0;
        let with_barriers = self.run_with_barriers();
        let near = with_barriers.is_none_or(|deviation| deviation.abs() <= WITH_BARRIERS);
        let within = near && deviation.abs() <= self.tolerance.expect("a pipeline has a tolerance");
        Judged { run: false, deviation, with_barriers, within }
    }

    /// What is printed over a run with barriers and longer segments, less one; the run takes the steps of a pipeline.
    fn run_with_barriers(&self) -> Option<f64> {
        let segment = LONGER_SEGMENTS * self.segment();
        if self.messages? / LONGER_SEGMENTS > MOST_MESSAGES {
            return None;
        }
        let measured = self.run(segment, true);
        let height = 2 * (self.sides()[0] - 1);
        let segments = self.flits().div_ceil(3 * segment);
        assert!(is_same(measured.steps, f64::from(2 * (segments + height - 1))), "{}", self.name());
        assert!(measured.time >= self.asymptote(), "{}", self.name());
        Some(f64::from(self.printed) / measured.time - 1.0)
    }
}

/// The rows of an algorithm of a paper.
#[derive(Default)]
struct Group {
    rows: usize,
    judged: Vec<Judged>,
}

impl Group {
    fn count(&self, is: impl Fn(&Judged) -> bool) -> usize {
        self.judged.iter().filter(|judged| is(judged)).count()
    }

    /// The least and the largest of what is `of` interest, in per cent.
    fn range(&self, of: impl Fn(&Judged) -> Option<f64>) -> String {
        let all = || self.judged.iter().filter_map(&of).map(|deviation| 100.0 * deviation);
        match (all().reduce(f64::min), all().reduce(f64::max)) {
            (Some(least), Some(largest)) => format!("{least:+.2} to {largest:+.2}"),
            _ => String::new(),
        }
    }
}

#[test]
#[expect(clippy::print_stdout, reason = "the table is what it is run for")]
#[ignore = "reads the published tables in place: FLITWISE_PUBLISHED names a CSV file"]
fn published_all_reduces_are_reproduced() {
    let path = std::env::var_os("FLITWISE_PUBLISHED").expect("FLITWISE_PUBLISHED names a CSV file");
    let mut groups: BTreeMap<(String, String), Group> = BTreeMap::new();
    let mut wrong = Vec::new();
    for row in csv::Reader::from_path(path).unwrap().deserialize() {
        let row: Row = row.unwrap();
        let group = groups.entry((row.source.clone(), row.paper_algorithm.clone())).or_default();
        group.rows += 1;
        let Some(judged) = row.judge() else { continue };
        if !judged.within {
            wrong.push(format!("{}: {:+.2} %", row.name(), 100.0 * judged.deviation));
        }
        group.judged.push(judged);
    }
    println!("{:20} {:18} rows judged run within   printed over ours, %   with barriers", "source", "algorithm");
    for ((source, algorithm), group) in &groups {
        let Group { rows, judged, .. } = group;
        let run = group.count(|judged| judged.run);
        let within = group.count(|judged| judged.within);
        let deviation = group.range(|judged| Some(judged.deviation));
        let with_barriers = group.range(|judged| judged.with_barriers);
        let judged = judged.len();
        println!(
            "{source:20} {algorithm:18} {rows:4} {judged:6} {run:3} {within:6}   {deviation:20}   {with_barriers}"
        );
    }
    assert!(wrong.is_empty(), "{} rows are not reproduced:\n{}", wrong.len(), wrong.join("\n"));
    assert!(groups.values().any(|group| !group.judged.is_empty()), "no row is judged");
}
