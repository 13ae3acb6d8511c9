//! The table that `run` prints.

use super::summary::Summary;
use crate::engine::Engine;
use crate::engine::exchange::Pace;
use crate::scenario::{Scenario, Tick, Workload};
use crate::units::Flits;
use comfy_table::{CellAlignment, ContentArrangement, LineStyle, Table, TableStyle};

/// Lines of the table beyond which it is cut short; `summary.csv` has them all.
const LINES: usize = 60;

/// A line under the header and one at the end.
const STYLE: TableStyle = TableStyle::new()
    .header_separator(LineStyle::none().fill('─').junction('─'))
    .bottom_border(LineStyle::none().fill('─').junction('─'));

/// A column of numbers.
struct Column {
    title: &'static str,
    /// Columns with a larger rank go first when the terminal is narrow; rank 0 stays.
    rank: u8,
    cell: fn(&Line<'_>) -> Option<String>,
}

/// What a line of the table is made from.
struct Line<'a> {
    summary: &'a Summary,
    fastest: f64,
    tick: Option<&'a Tick>,
    /// Whether links or nodes may fail.
    faulty: bool,
}

/// Every column of numbers. One that is empty throughout is not shown.
const COLUMNS: [Column; 25] = [
    Column { title: "start-ups", rank: 6, cell: |line| Some(number(line.summary.of("startups")?.mean)) },
    Column { title: "blocks", rank: 7, cell: |line| Some(number(line.summary.of("critical_blocks")?.mean)) },
    Column { title: "hops", rank: 8, cell: |line| Some(number(line.summary.of("critical_hops")?.mean)) },
    Column { title: "cost", rank: 0, cell: |line| Some(number(line.summary.of("cost")?.mean)) },
    Column { title: "vs bound", rank: 2, cell: |line| line.times_the_bound() },
    Column { title: "link load", rank: 6, cell: |line| Some(number(line.summary.of("link_load")?.mean)) },
    Column { title: "offered", rank: 1, cell: |line| line.fraction("offered") },
    Column { title: "accepted", rank: 0, cell: |line| line.fraction("accepted") },
    Column { title: "saturation", rank: 0, cell: |line| line.fraction("saturation") },
    Column { title: "makespan", rank: 0, cell: |line| Some(number(line.summary.of("makespan")?.mean)) },
    Column { title: "unloaded", rank: 3, cell: |line| Some(number(line.summary.of("unloaded")?.mean)) },
    Column { title: "latency", rank: 0, cell: |line| line.latency() },
    Column { title: "± 95 %", rank: 5, cell: |line| Some(number(line.summary.of("latency")?.confidence?)) },
    Column { title: "in network", rank: 4, cell: |line| Some(number(line.summary.of("network_latency")?.mean)) },
    Column { title: "p99", rank: 2, cell: |line| Some(number(line.summary.of("p99")?.mean)) },
    Column { title: "predicted", rank: 1, cell: |line| Some(number(line.summary.of("predicted")?.mean)) },
    Column { title: "measured", rank: 0, cell: |line| Some(number(line.summary.of("measured")?.mean)) },
    Column { title: "± 95 %", rank: 5, cell: |line| Some(number(line.summary.of("measured")?.confidence?)) },
    Column { title: "median", rank: 3, cell: |line| line.median() },
    Column { title: "delay", rank: 2, cell: |line| line.delay() },
    Column { title: "cover", rank: 1, cell: |line| line.cover() },
    Column { title: "vs model", rank: 2, cell: |line| line.off_the_model() },
    Column { title: "blocked", rank: 4, cell: |line| Some(number(line.summary.of("blocked_messages")?.mean)) },
    Column { title: "time", rank: 3, cell: |line| line.duration() },
    Column { title: "vs best", rank: 0, cell: |line| line.times_the_best() },
];

impl Line<'_> {
    fn off_the_model(&self) -> Option<String> {
        let (predicted, measured) = (self.summary.of("predicted")?.mean, self.summary.of("measured")?.mean);
        let off = 100.0 * (measured - predicted) / predicted;
        off.is_finite().then(|| format!("{off:+.2}%"))
    }

    /// Of broadcasts, whose times have long tails.
    fn median(&self) -> Option<String> {
        self.summary.of("perfect")?;
        Some(number(self.summary.of("measured")?.median))
    }

    /// How much longer than ECEF planned from what links cost.
    fn delay(&self) -> Option<String> {
        let (perfect, measured) = (self.summary.of("perfect")?.mean, self.summary.of("measured")?.mean);
        let delay = (measured - perfect) / perfect;
        delay.is_finite().then(|| format!("{delay:+.3}"))
    }

    /// The part of those who survive that the broadcast reaches, where it does not always reach all.
    fn cover(&self) -> Option<String> {
        let (surviving, informed) = (self.summary.of("surviving")?, self.summary.of("informed")?);
        (self.faulty).then(|| format!("{:.4}", informed.mean / surviving.mean))
    }

    /// How many times what no mapping can cost less than.
    fn times_the_bound(&self) -> Option<String> {
        let (bound, cost) = (self.summary.of("bound")?.mean, self.summary.of("cost")?.mean);
        let times = cost / bound;
        times.is_finite().then(|| format!("{times:.3}"))
    }

    /// Of a rate, in flits per node and flit time.
    fn fraction(&self, metric: &str) -> Option<String> {
        Some(format!("{:.4}", self.summary.of(metric)?.mean))
    }

    /// Of open-loop traffic; what was not waited for is more.
    fn latency(&self) -> Option<String> {
        let (latency, undelivered) = (self.summary.of("latency")?, self.summary.of("undelivered")?);
        let more = if undelivered.mean > 0.0 { "> " } else { "" };
        Some(format!("{more}{}", number(latency.mean)))
    }

    fn duration(&self) -> Option<String> {
        let time = self.summary.of("measured").or_else(|| self.summary.of("predicted"))?;
        Some(duration(time.mean, self.tick?))
    }

    fn times_the_best(&self) -> Option<String> {
        let times = time_of(self.summary) / self.fastest;
        times.is_finite().then(|| format!("{times:.3}"))
    }
}

/// `summaries` as a table for people, at most `width` columns wide if that is given and can be, with a line on top that
/// says what ran and lines below that say what came out.
#[must_use]
pub fn table(scenario: &Scenario, summaries: &[Summary], width: Option<u16>) -> String {
    let labels = labels(scenario, summaries);
    let mut columns = columns(scenario, summaries);
    let mut text = render(&labels, &columns);
    let fits = |text: &str| text.lines().all(|line| line.chars().count() <= width.map_or(usize::MAX, usize::from));
    while !fits(&text) {
        let Some(at) = (0..columns.len()).filter(|&at| columns[at].0.rank > 0).max_by_key(|&at| columns[at].0.rank)
        else {
            break;
        };
        columns.remove(at);
        text = render(&labels, &columns);
    }
    let blocked = columns.iter().any(|(column, _)| column.title == "blocked");
    let more = match summaries.len().checked_sub(LINES) {
        Some(more) if more > 0 => format!("... and {more} more lines in summary.csv\n"),
        _ => String::new(),
    };
    format!("{}\n{text}\n{more}{}", title(scenario), verdict(scenario, summaries, blocked))
}

/// The columns on the left with their titles: the swept keys, where they change, and the algorithm.
fn labels(scenario: &Scenario, summaries: &[Summary]) -> Vec<Vec<String>> {
    let axes = scenario.axes.iter().map(|axis| axis.key.rsplit('.').next().unwrap_or(&axis.key).to_owned());
    let mut lines = vec![axes.chain(["algorithm".to_owned()]).collect::<Vec<_>>()];
    let mut last = None;
    for summary in summaries.iter().take(LINES) {
        let settings = &scenario.points[summary.point].settings;
        let shown = |setting: &String| if last == Some(summary.point) { String::new() } else { setting.clone() };
        lines.push(settings.iter().map(shown).chain([summary.algorithm.clone()]).collect());
        last = Some(summary.point);
    }
    lines
}

/// The columns of numbers that are not empty, with their cells.
fn columns(scenario: &Scenario, summaries: &[Summary]) -> Vec<(&'static Column, Vec<Option<String>>)> {
    let faulty = scenario.has_faults();
    let lines: Vec<Line<'_>> = summaries[..summaries.len().min(LINES)]
        .chunk_by(|a, b| a.point == b.point)
        .flat_map(|point| {
            let fastest = point.iter().map(time_of).fold(f64::INFINITY, f64::min);
            point.iter().map(move |summary| Line { summary, fastest, tick: scenario.tick.as_ref(), faulty })
        })
        .collect();
    let column = |column: &'static Column| (column, lines.iter().map(column.cell).collect::<Vec<_>>());
    COLUMNS.iter().map(column).filter(|(_, cells)| cells.iter().any(Option::is_some)).collect()
}

fn render(labels: &[Vec<String>], columns: &[(&Column, Vec<Option<String>>)]) -> String {
    let titles = columns.iter().map(|(column, _)| column.title.to_owned());
    let mut lines = vec![labels[0].iter().cloned().chain(titles).collect()];
    for (at, labels) in labels[1..].iter().enumerate() {
        let cells = columns.iter().map(|(_, cells)| cells[at].clone().unwrap_or_default());
        lines.push(labels.iter().cloned().chain(cells).collect());
    }
    grid(lines, labels[0].len())
}

/// `lines`, the first of which has the titles, as a table whose first `labels` columns are text and the others numbers.
#[must_use]
pub fn grid(lines: Vec<Vec<String>>, labels: usize) -> String {
    let mut table = Table::new();
    table.load_style(STYLE).set_content_arrangement(ContentArrangement::Disabled);
    let mut lines = lines.into_iter();
    table.set_header(lines.next().unwrap_or_default()).add_rows(lines);
    let last = table.column_count().saturating_sub(1);
    for (at, column) in table.column_iter_mut().enumerate() {
        column.set_padding((0, if at == last { 0 } else { 2 }));
        if at >= labels {
            column.set_cell_alignment(CellAlignment::Right);
        }
    }
    table.to_string()
}

/// What decides which is best: the measured mean, or the predicted one without a network, or the cost of a mapping.
fn time_of(summary: &Summary) -> f64 {
    ["measured", "predicted", "cost"].into_iter().find_map(|metric| summary.of(metric)).map_or(f64::NAN, |s| s.mean)
}

fn fastest(summaries: &[Summary], point: usize) -> f64 {
    summaries.iter().filter(|summary| summary.point == point).map(time_of).fold(f64::INFINITY, f64::min)
}

/// What ran, as far as it is the same at every point.
fn title(scenario: &Scenario) -> String {
    let swept = |key: &str| scenario.axes.iter().any(|axis| axis.key.ends_with(key));
    let Some(experiment) = scenario.points.first().map(|point| &point.experiment) else {
        return scenario.name.clone();
    };
    let mut parts = Vec::new();
    let same_network = !scenario.axes.iter().any(|axis| axis.key.starts_with("network"));
    match &experiment.machine {
        Some(machine) if same_network => parts.push(machine.spec.title()),
        Some(_) => {}
        None if scenario.is_broadcast() => {}
        None => parts.push("model only".to_owned()),
    }
    parts.extend(work(scenario, &experiment.workload));
    if experiment.repetitions > 1 && !swept("repetitions") {
        parts.push(format!("{} repetitions", experiment.repetitions));
    }
    let runs = match &experiment.workload {
        Workload::Mapping(mapping) => mapping.traffic.is_some(),
        Workload::Traffic(traffic) => traffic.routers.is_none() && !swept("router.model"),
        _ => true,
    };
    if experiment.machine.is_some() && runs && !swept("engine.kind") {
        let shares = experiment.network().is_some_and(|network| network.channels().virtual_channels() > 1);
        let engine = if experiment.engine == Engine::Auto && !shares { Engine::Worm } else { experiment.engine };
        parts.push(format!("{} engine", engine.name()));
    }
    format!("{}: {}", scenario.name, parts.join(", "))
}

/// What is sent, as far as it is the same at every point.
fn work(scenario: &Scenario, workload: &Workload) -> Vec<String> {
    let swept = |key: &str| scenario.axes.iter().any(|axis| axis.key.ends_with(key));
    let mut parts = Vec::new();
    match workload {
        Workload::Multicast(multicast) => {
            if !swept(".group") && !swept(".nodes") {
                parts.push(format!("group of {}", multicast.group.size()));
            }
            if !swept(".flits") {
                parts.push(flits(multicast.flits));
            }
        }
        Workload::Exchange(exchange) => {
            if !swept(".block_flits") {
                parts.push(format!("blocks of {}", flits(exchange.block_flits)));
            }
            if !swept(".synchronous") {
                parts.push(match exchange.pace {
                    Pace::Synchronous => "a barrier between steps".to_owned(),
                    Pace::Asynchronous => "no barriers".to_owned(),
                });
            }
        }
        Workload::Broadcast(broadcast) => {
            if !scenario.axes.iter().any(|axis| axis.key.starts_with("network")) {
                parts.push(broadcast.grid.title());
            }
            match &broadcast.grid.error {
                Some(wrong) if !scenario.axes.iter().any(|axis| axis.key.starts_with("error.")) => {
                    parts.push(wrong.title());
                }
                _ => {}
            }
        }
        Workload::Mapping(mapping) => {
            let tasks = mapping.graph.tasks();
            if !swept(".tasks") && !swept(".shape") {
                parts.push(format!("{} tasks", grouped(tasks as u64)));
            }
            if let Some(traffic) = &mapping.traffic {
                parts.push(format!("packets of {}", flits(traffic.flits)));
            }
        }
        Workload::Operations(operations) => {
            let (ranks, messages) = (operations.goal.ranks() as u64, operations.goal.messages() as u64);
            let (ranks, messages) = (grouped(ranks), grouped(messages));
            parts.push(format!("{messages} messages of {ranks} ranks in {}", operations.file));
        }
        Workload::Traffic(traffic) => {
            if !swept(".pattern") {
                parts.push(format!("{} traffic", traffic.pattern.name));
            }
            if !swept("packet_flits") {
                parts.push(format!("packets of {}", flits(Flits(traffic.lengths.flits.into()))));
            }
            if let (Some(routers), false) = (&traffic.routers, swept("router.model")) {
                parts.push(format!("{} routers", routers.model));
            }
        }
        Workload::Trace(trace) => {
            parts.push(format!("{} messages of {}", grouped(trace.messages.len() as u64), trace.file));
        }
    }
    parts
}

/// Which algorithm finishes first, and by how much.
fn verdict(scenario: &Scenario, summaries: &[Summary], blocked: bool) -> String {
    let unit = scenario.tick.as_ref().map_or_else(|| "ticks".to_owned(), |tick| format!("ticks of {}", tick.text));
    let blocked = if blocked { "; blocked counts the messages whose header had to wait" } else { "" };
    let counts = if scenario.is_exchange() {
        "Blocks and hops are those on the critical path. "
    } else if scenario.is_broadcast() {
        "Delay is against ECEF planned from what links cost. "
    } else {
        ""
    };
    // mappings whose traffic is not run have a cost and no time
    let timed = summaries.iter().any(|summary| summary.of("measured").or(summary.of("predicted")).is_some());
    if scenario.is_traffic() {
        let late = summaries.iter().any(|summary| summary.of("undelivered").is_some_and(|late| late.mean > 0.0));
        let late = if late { "; > where some had not arrived when the run ended" } else { "" };
        return format!(
            "Latencies are means in {unit}, from the making of a packet to its tail's arrival{late};\n\
             unloaded is what they would be had no packet been in another's way. Rates are flits per node and flit time.\n"
        );
    }
    let note = match timed {
        true => format!("{counts}Times are means in {unit}{blocked}.\n"),
        false => "Costs are means: the sum over edges of weight times hops.\n".to_owned(),
    };
    let mut wins: Vec<(&str, usize)> = Vec::new();
    let mut points = 0;
    for group in summaries.chunk_by(|a, b| a.point == b.point) {
        points += 1;
        let best = group.iter().min_by(|a, b| time_of(a).total_cmp(&time_of(b)));
        let Some(best) = best.filter(|_| group.len() > 1) else { continue };
        match wins.iter_mut().find(|(name, _)| *name == best.algorithm) {
            Some((_, count)) => *count += 1,
            None => wins.push((&best.algorithm, 1)),
        }
    }
    wins.sort_by_key(|&(_, count)| std::cmp::Reverse(count));
    match wins.as_slice() {
        [] => note,
        [(name, _)] if points == 1 => {
            let last = summaries.iter().max_by(|a, b| time_of(a).total_cmp(&time_of(b)));
            let slowest = last.map_or_else(String::new, |last| {
                let (what, times) = (&last.algorithm, time_of(last) / fastest(summaries, last.point));
                if timed {
                    format!("; {what} takes {times:.2} times as long")
                } else {
                    format!("; {what} {times:.2} times as much")
                }
            });
            format!("{name} {}{slowest}.\n{note}", if timed { "finishes first" } else { "costs least" })
        }
        wins => {
            let wins: Vec<String> = wins.iter().map(|(name, count)| format!("{name} at {count}")).collect();
            format!("Of {points} points, first: {}.\n{note}", wins.join(", "))
        }
    }
}

/// A number for people: one decimal where it matters, thousands separated.
fn number(value: f64) -> String {
    if !value.is_finite() {
        return String::new();
    }
    let tenths = if value < 10_000.0 { (value * 10.0).round() } else { value.round() * 10.0 };
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "means of counts and ticks")]
    let tenths = tenths as u64;
    if tenths.is_multiple_of(10) { grouped(tenths / 10) } else { format!("{}.{}", grouped(tenths / 10), tenths % 10) }
}

fn flits(length: Flits) -> String {
    format!("{} {}", grouped(length.0), if length.0 == 1 { "flit" } else { "flits" })
}

/// `value` with commas between thousands.
pub(super) fn grouped(value: u64) -> String {
    let digits = value.to_string();
    let mut text = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

fn duration(ticks: f64, tick: &Tick) -> String {
    let nanoseconds = ticks * tick.nanoseconds;
    let (scale, unit) = match nanoseconds {
        n if n >= 1e9 => (1e9, "s"),
        n if n >= 1e6 => (1e6, "ms"),
        n if n >= 1e3 => (1e3, "µs"),
        _ => (1.0, "ns"),
    };
    format!("{:.3} {unit}", nanoseconds / scale)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_made_for_people() {
        assert_eq!([0.0, 7.04, 999.96, 1234567.25].map(number), ["0", "7", "1,000", "1,234,567"]);
        let tick = Tick { text: "10ns".to_owned(), nanoseconds: 10.0 };
        assert_eq!(duration(119_347.0, &tick), "1.193 ms");
    }
}
