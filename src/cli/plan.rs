//! `flitwise plan`.

use super::ui::Ui;
use super::{Source, all_cores, at_least_one, available_memory, bytes};
use anyhow::Result;
use clap::Args;
use flitwise::output::grid;
use flitwise::run::{Unit, units};
use flitwise::scenario::Scenario;
use flitwise::sweep::Shard;
use indicatif::HumanBytes;
use std::num::NonZeroUsize;

#[derive(Args)]
pub(super) struct Plan {
    #[command(flatten)]
    source: Source,
    /// Memory for all rows at work, such as 8G [default: what is available]
    #[arg(long, value_name = "BYTES", value_parser = bytes)]
    memory: Option<u64>,
    /// Also show what each of N shards would have to do
    #[arg(long, value_name = "N", value_parser = at_least_one)]
    shards: Option<NonZeroUsize>,
    /// Print CSV: point,id, a column per swept key, rows,seconds,memory
    #[arg(long, conflicts_with = "shards")]
    csv: bool,
}

struct Cost {
    rows: u64,
    seconds: f64,
    memory: u64,
}

#[expect(clippy::cast_precision_loss, reason = "for people to read")]
fn seconds(nanoseconds: u64) -> f64 {
    nanoseconds as f64 / 1e9
}

impl Cost {
    fn of<'a>(units: impl Iterator<Item = &'a Unit>) -> Self {
        units.fold(Self { rows: 0, seconds: 0.0, memory: 0 }, |sum, unit| Self {
            rows: sum.rows + unit.rows,
            seconds: sum.seconds + seconds(unit.time),
            memory: sum.memory.max(unit.memory),
        })
    }

    fn cells(&self) -> [String; 3] {
        [self.rows.to_string(), duration(self.seconds), HumanBytes(self.memory).to_string()]
    }
}

impl Plan {
    pub(super) fn execute(&self, ui: &Ui) -> Result<()> {
        let scenario = self.source.load(self.memory.unwrap_or_else(available_memory))?;
        let units = units(&scenario);
        let costs: Vec<Cost> = units.chunk_by(|a, b| a.point == b.point).map(|point| Cost::of(point.iter())).collect();
        if self.csv {
            return print_csv(&scenario, &costs);
        }
        let mut text = points(&scenario, &costs);
        let all = Cost::of(units.iter());
        let cores = all_cores();
        text += &format!(
            "{} points, {} rows in {} units; about {} of one core, {} on {cores}; a row takes up to {}\n",
            scenario.points.len(),
            all.rows,
            units.len(),
            duration(all.seconds),
            duration(all.seconds / f64::from(u32::try_from(cores.get()).unwrap_or(u32::MAX))),
            HumanBytes(all.memory),
        );
        if let Some(shards) = self.shards {
            text += &shares(&units, shards)?;
        }
        ui.print(&text)
    }
}

fn points(scenario: &Scenario, costs: &[Cost]) -> String {
    let keys = scenario.axes.iter().map(|axis| axis.key.rsplit('.').next().unwrap_or(&axis.key).to_owned());
    let labels = keys.len() + 1;
    let numbers = ["rows", "about", "memory"].map(str::to_owned);
    let mut lines = vec![std::iter::once("point".to_owned()).chain(keys).chain(numbers).collect::<Vec<_>>()];
    for (at, (point, cost)) in scenario.points.iter().zip(costs).enumerate() {
        let settings = point.settings.iter().cloned();
        lines.push(std::iter::once(at.to_string()).chain(settings).chain(cost.cells()).collect());
    }
    format!("{}\n", grid(lines, labels))
}

fn shares(all: &[Unit], count: NonZeroUsize) -> Result<String> {
    let turns = flitwise::sweep::shares(all, count);
    let header = ["shard", "units", "rows", "about", "memory"].map(str::to_owned).to_vec();
    let mut lines = vec![header];
    for number in 1..=count.get() {
        let mine = || all.iter().zip(&turns).filter(|(_, turn)| **turn + 1 == number).map(|(unit, _)| unit);
        let first = [Shard::new(number, count)?.to_string(), mine().count().to_string()];
        lines.push(first.into_iter().chain(Cost::of(mine()).cells()).collect());
    }
    Ok(format!("{}\n", grid(lines, 1)))
}

fn print_csv(scenario: &Scenario, costs: &[Cost]) -> Result<()> {
    let mut csv = csv::Writer::from_writer(std::io::stdout().lock());
    let keys = scenario.axes.iter().map(|axis| axis.key.as_str());
    csv.write_record(["point", "id"].into_iter().chain(keys).chain(["rows", "seconds", "memory"]))?;
    for (at, (point, cost)) in scenario.points.iter().zip(costs).enumerate() {
        let (at, id) = (at.to_string(), point.id.to_string());
        let (rows, time, memory) = (cost.rows.to_string(), format!("{:.6}", cost.seconds), cost.memory.to_string());
        let settings = point.settings.iter().map(String::as_str);
        csv.write_record([at.as_str(), &id].into_iter().chain(settings).chain([rows.as_str(), &time, &memory]))?;
    }
    Ok(csv.flush()?)
}

/// `seconds` in words. `indicatif::HumanDuration` would say 2 hours of 100 minutes, and nothing of milliseconds.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "for people to read")]
fn duration(seconds: f64) -> String {
    match seconds {
        s if s < 1.0 => format!("{:.0} ms", s * 1e3),
        s if s < 60.0 => format!("{s:.0} s"),
        s => {
            let minutes = (s / 60.0).round() as u64;
            if minutes < 60 { format!("{minutes} min") } else { format!("{} h {:02} min", minutes / 60, minutes % 60) }
        }
    }
}
