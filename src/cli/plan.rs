//! `flitwise plan`.

use super::memory::{LEFT_OVER, Memory, PROGRAM};
use super::ui::Ui;
use super::{Source, all_cores, at_least_one, calibrate, progress};
use anyhow::Result;
use clap::Args;
use flitwise::kind::words::counted;
use flitwise::memory::in_words;
use flitwise::output::{grid, settings_json};
use flitwise::run::{Unit, units};
use flitwise::scenario::Scenario;
use flitwise::sweep::Shard;
use serde_json::{Map, Value};
use std::num::NonZeroUsize;

/// Points that are shown unless all are asked for.
const MOST_POINTS: usize = 60;

#[derive(Args)]
pub(super) struct Plan {
    #[command(flatten)]
    source: Source,
    #[command(flatten)]
    memory: Memory,
    /// Print all points
    #[arg(long, conflicts_with = "csv")]
    all: bool,
    /// Also print the cost of each of N shards
    #[arg(long, value_name = "N", value_parser = at_least_one)]
    shards: Option<NonZeroUsize>,
    /// Print CSV: point,id, a column per swept key, rows,seconds,memory. Seconds are those of a fixed reference machine
    #[arg(long, conflicts_with = "shards")]
    csv: bool,
    /// Print JSON (fields are listed below)
    #[arg(long, conflicts_with_all = ["csv", "all"])]
    json: bool,
}

struct Cost {
    rows: u64,
    /// Of the machine that estimates come from, or of this one.
    seconds: f64,
    /// Of the largest row, in bytes.
    memory: u64,
}

#[expect(clippy::cast_precision_loss, reason = "for people to read")]
fn seconds(nanoseconds: u64) -> f64 {
    nanoseconds as f64 / 1e9
}

impl Cost {
    /// Of `units`, where everything takes `slowness` times as long as estimated.
    fn of<'a>(units: impl Iterator<Item = &'a Unit>, slowness: f64) -> Self {
        units.fold(Self { rows: 0, seconds: 0.0, memory: 0 }, |sum, unit| Self {
            rows: sum.rows + unit.rows,
            seconds: sum.seconds + seconds(unit.time) * slowness,
            memory: sum.memory.max(unit.memory),
        })
    }

    fn json(&self) -> Map<String, Value> {
        let entries = [("rows", self.rows.into()), ("seconds", self.seconds.into()), ("memory", self.memory.into())];
        entries.into_iter().map(|(name, value)| (name.to_owned(), value)).collect()
    }

    fn cells(&self) -> [String; 3] {
        [self.rows.to_string(), duration(self.seconds), in_words(self.memory)]
    }
}

impl Plan {
    pub(super) fn execute(&self, ui: &Ui) -> Result<()> {
        let started = progress::now();
        let scenario = self.source.load(self.memory.limit())?;
        let reading = calibrate::worked(started);
        let units = units(&scenario);
        let by_point = |slowness| {
            let points = units.chunk_by(|a, b| a.point == b.point);
            points.map(move |point| Cost::of(point.iter(), slowness))
        };
        if self.csv {
            return print_csv(&scenario, by_point(1.0));
        }
        let slowness = calibrate::slowness();
        if self.json {
            let plan = self.as_json(&scenario, &units, by_point(slowness), slowness);
            return ui.print(&format!("{plan:#}\n"));
        }
        let shown = if self.all { scenario.points.len() } else { MOST_POINTS };
        let costs: Vec<Cost> = by_point(slowness).take(shown).collect();
        let mut text = points(&scenario, &costs, ui.width());
        text += &in_all(&scenario, &units, reading, slowness);
        if let Some(shards) = self.shards {
            text += &shares(&units, shards, slowness)?;
        }
        ui.print(&text)
    }

    fn as_json(&self, scenario: &Scenario, units: &[Unit], costs: impl Iterator<Item = Cost>, slowness: f64) -> Value {
        let point = |(at, cost): (usize, Cost)| {
            let mut point = settings_json(scenario, at);
            point.insert("point".to_owned(), at.into());
            point.insert("id".to_owned(), scenario.points[at].id.to_string().into());
            point.extend(cost.json());
            Value::from(point)
        };
        let mut plan = Cost::of(units.iter(), slowness).json();
        plan.insert("name".to_owned(), scenario.name.as_str().into());
        plan.insert("units".to_owned(), units.len().into());
        plan.insert("points".to_owned(), costs.enumerate().map(point).collect());
        if let Some(count) = self.shards {
            let turns = flitwise::sweep::shares(units, count);
            let mine = |shard| units.iter().zip(&turns).filter(move |(_, turn)| **turn == shard).map(|(unit, _)| unit);
            let shards = (0..count.get()).map(|shard| Value::from(Cost::of(mine(shard), slowness).json()));
            plan.insert("shards".to_owned(), shards.collect());
        }
        plan.into()
    }
}

/// What all rows take, on one core and on all, after the `reading` of the scenario, in seconds.
fn in_all(scenario: &Scenario, units: &[Unit], reading: f64, slowness: f64) -> String {
    let all = Cost::of(units.iter(), slowness);
    let cores = all_cores().get().min(units.len()).max(1);
    let one = reading + all.seconds;
    let longest = units.iter().map(|unit| unit.time).max().unwrap_or(0);
    // no core waits for another, but none is faster than its longest unit
    let many = reading + (all.seconds / narrow(cores)).max(seconds(longest) * slowness);
    let base = PROGRAM.saturating_add(scenario.memory());
    let mut text = format!(
        "{}, {} in {}; about {} on one core",
        counted(scenario.points.len() as u64, "point"),
        counted(all.rows, "row"),
        counted(units.len() as u64, "unit"),
        duration(one),
    );
    // rows that follow one another leave some memory with the allocator, which is slow to give it back
    let left_over = if units.len() > cores { all.memory.min(LEFT_OVER) } else { 0 };
    let base = base.saturating_add(left_over);
    let in_memory = base.saturating_add(all.memory);
    let mut memory =
        format!("memory: at most {} per row, {} in total with --jobs 1", in_words(all.memory), in_words(in_memory));
    if cores > 1 {
        text += &format!(", {} on {cores} cores", duration(many));
        let most = base.saturating_add(largest(units, cores));
        memory += &format!(", {} on {cores} cores", in_words(most));
    }
    format!("{text}\n{memory}\nTimes are estimates for this machine. Memory is an upper bound.\n")
}

/// The memory of the `count` largest units together.
fn largest(units: &[Unit], count: usize) -> u64 {
    let mut memory: Vec<u64> = units.iter().map(|unit| unit.memory).collect();
    memory.sort_unstable_by_key(|&bytes| std::cmp::Reverse(bytes));
    memory.iter().take(count).fold(0, |sum, &bytes| sum.saturating_add(bytes))
}

#[expect(clippy::cast_precision_loss, reason = "cores are few")]
fn narrow(cores: usize) -> f64 {
    cores as f64
}

/// The first points, as many as there are `costs`, as wide as the terminal at most, if that can be: what is swept gives way.
fn points(scenario: &Scenario, costs: &[Cost], width: Option<u16>) -> String {
    let keys: Vec<&str> = scenario.axes.iter().map(|axis| axis.key.rsplit('.').next().unwrap_or(&axis.key)).collect();
    let mut kept = keys.len();
    let mut table = table(scenario, costs, &keys);
    let is_wide =
        |table: &str| width.is_some_and(|width| table.lines().any(|line| line.chars().count() > usize::from(width)));
    while kept > 0 && is_wide(&table) {
        kept -= 1;
        table = self::table(scenario, costs, &keys[..kept]);
    }
    if kept < keys.len() {
        table += &format!("not shown, because the terminal is too narrow: {}\n", keys[kept..].join(", "));
    }
    match scenario.points.len().checked_sub(costs.len()) {
        Some(more) if more > 0 => {
            table + &format!("... and {}; --all shows them\n", counted(more as u64, "more point"))
        }
        _ => table,
    }
}

/// The points with the values of the first of the swept keys, those called `keys`.
fn table(scenario: &Scenario, costs: &[Cost], keys: &[&str]) -> String {
    let labels = keys.len() + 1;
    let numbers = ["rows", "time", "memory"].map(str::to_owned);
    let names = keys.iter().map(|&key| key.to_owned());
    let mut lines = vec![std::iter::once("point".to_owned()).chain(names).chain(numbers).collect::<Vec<_>>()];
    for (at, (point, cost)) in scenario.points.iter().zip(costs).enumerate() {
        let settings = point.settings.iter().take(keys.len()).map(ToString::to_string);
        lines.push(std::iter::once(at.to_string()).chain(settings).chain(cost.cells()).collect());
    }
    format!("{}\n", grid(lines, labels))
}

fn shares(all: &[Unit], count: NonZeroUsize, slowness: f64) -> Result<String> {
    let turns = flitwise::sweep::shares(all, count);
    let header = ["shard", "units", "rows", "time", "memory"].map(str::to_owned).to_vec();
    let mut lines = vec![header];
    for number in 1..=count.get() {
        let mine = || all.iter().zip(&turns).filter(|(_, turn)| **turn + 1 == number).map(|(unit, _)| unit);
        let first = [Shard::new(number, count)?.to_string(), mine().count().to_string()];
        lines.push(first.into_iter().chain(Cost::of(mine(), slowness).cells()).collect());
    }
    Ok(format!("{}\n", grid(lines, 1)))
}

fn print_csv(scenario: &Scenario, costs: impl Iterator<Item = Cost>) -> Result<()> {
    let mut csv = csv::Writer::from_writer(std::io::stdout().lock());
    let keys = scenario.axes.iter().map(|axis| axis.key.as_str());
    csv.write_record(["point", "id"].into_iter().chain(keys).chain(["rows", "seconds", "memory"]))?;
    for (at, (point, cost)) in scenario.points.iter().zip(costs).enumerate() {
        csv.write_field(at.to_string())?;
        csv.write_field(point.id.to_string())?;
        point.settings.iter().try_for_each(|setting| csv.write_field(setting.as_bytes()))?;
        csv.write_field(cost.rows.to_string())?;
        csv.write_field(format!("{:.6}", cost.seconds))?;
        csv.write_field(cost.memory.to_string())?;
        csv.write_record(None::<&[u8]>)?;
    }
    Ok(csv.flush()?)
}

/// `seconds` in words. `indicatif::HumanDuration` would say 2 hours of 100 minutes, and nothing of milliseconds.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "for people to read")]
fn duration(seconds: f64) -> String {
    match seconds {
        s if s < 9.95e-4 => format!("{:.0} µs", s * 1e6),
        s if s < 1.0 => format!("{:.0} ms", s * 1e3),
        s if s < 9.95 => format!("{s:.1} s"),
        s if s < 60.0 => format!("{s:.0} s"),
        s => {
            let minutes = (s / 60.0).round() as u64;
            if minutes < 60 { format!("{minutes} min") } else { format!("{} h {:02} min", minutes / 60, minutes % 60) }
        }
    }
}
