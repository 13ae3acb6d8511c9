//! The table that `run` prints.

use super::summary::Summary;
use crate::scenario::{Scenario, Tick, Workload};
use comfy_table::{CellAlignment, ContentArrangement, LineStyle, Table, TableStyle};

/// Lines of the table beyond which it is cut short; `summary.csv` has them all.
const LINES: usize = 60;

/// A line under the header and one at the end.
const STYLE: TableStyle = TableStyle::new()
    .header_separator(LineStyle::none().fill('─').junction('─'))
    .bottom_border(LineStyle::none().fill('─').junction('─'));

/// `summaries` as a table for people, at most `width` columns wide if that is given, with a line on top that says what
/// ran and lines below that say what came out.
#[must_use]
pub fn table(scenario: &Scenario, summaries: &[Summary], width: Option<u16>) -> String {
    let mut table = Table::new();
    table.load_style(STYLE);
    match width {
        Some(width) => table.set_content_arrangement(ContentArrangement::Dynamic).set_width(width),
        None => table.set_content_arrangement(ContentArrangement::Disabled),
    };
    let measured = summaries.iter().any(|summary| summary.of("measured").is_some());
    table.set_header(header(scenario, measured));
    for (line, summary) in summaries.iter().take(LINES).enumerate() {
        let fastest = fastest(summaries, summary.point);
        table.add_row(cells(
            scenario,
            summary,
            fastest,
            measured,
            line == 0 || summaries[line - 1].point != summary.point,
        ));
    }
    for (at, column) in table.column_iter_mut().enumerate() {
        column.set_padding((0, 2));
        if at > scenario.axes.len() {
            column.set_cell_alignment(CellAlignment::Right);
        }
    }
    let mut text = format!("{}\n{table}\n", title(scenario));
    if summaries.len() > LINES {
        text += &format!("... and {} more lines in summary.csv\n", summaries.len() - LINES);
    }
    text + &verdict(scenario, summaries)
}

fn header(scenario: &Scenario, measured: bool) -> Vec<String> {
    let axes = scenario.axes.iter().map(|axis| axis.key.rsplit('.').next().unwrap_or(&axis.key).to_owned());
    let fixed = ["algorithm", "predicted"].map(str::to_owned);
    let seen = ["measured", "± 95 %", "error", "blocked"].map(str::to_owned);
    let time = scenario.tick.as_ref().map(|_| "time".to_owned());
    let compared = "vs best".to_owned();
    axes.chain(fixed).chain(seen.into_iter().filter(|_| measured)).chain(time).chain([compared]).collect()
}

/// What decides which is fastest: the measured mean, or the predicted one without a network.
fn time_of(summary: &Summary) -> f64 {
    summary.of("measured").or_else(|| summary.of("predicted")).map_or(f64::NAN, |s| s.mean)
}

fn fastest(summaries: &[Summary], point: usize) -> f64 {
    summaries.iter().filter(|summary| summary.point == point).map(time_of).fold(f64::INFINITY, f64::min)
}

fn cells(scenario: &Scenario, summary: &Summary, fastest: f64, measured: bool, first: bool) -> Vec<String> {
    let settings = &scenario.points[summary.point].settings;
    let mut cells: Vec<String> = settings.iter().map(|s| if first { s.clone() } else { String::new() }).collect();
    cells.push(summary.algorithm.to_owned());
    let predicted = summary.of("predicted");
    cells.push(predicted.map_or_else(String::new, |s| number(s.mean)));
    if measured {
        let time = summary.of("measured");
        cells.push(time.map_or_else(String::new, |s| number(s.mean)));
        cells.push(time.and_then(|s| s.confidence).map_or_else(String::new, number));
        let over = predicted.zip(time).map(|(p, m)| 100.0 * (m.mean - p.mean) / p.mean);
        cells.push(over.filter(|over| over.is_finite()).map_or_else(String::new, |over| format!("{over:+.2}%")));
        cells.push(summary.of("blocked_messages").map_or_else(String::new, |s| number(s.mean)));
    }
    if let Some(tick) = &scenario.tick {
        cells.push(duration(time_of(summary), tick));
    }
    let times = time_of(summary) / fastest;
    cells.push(if times.is_finite() { format!("{times:.3}") } else { String::new() });
    cells
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
        None => parts.push("model only".to_owned()),
    }
    match &experiment.workload {
        Workload::Multicast(multicast) => {
            if !swept(".group") && !swept(".nodes") {
                parts.push(format!("group of {}", multicast.group.size()));
            }
            if !swept(".flits") {
                parts.push(format!("{} flits", grouped(multicast.flits.0)));
            }
        }
        Workload::Trace(trace) => {
            parts.push(format!("{} messages of {}", grouped(trace.messages.len() as u64), trace.file));
        }
    }
    if experiment.repetitions > 1 && !swept("repetitions") {
        parts.push(format!("{} repetitions", experiment.repetitions));
    }
    if experiment.machine.is_some() && !swept("engine.kind") {
        parts.push(format!("{} engine", experiment.engine.resolved().name()));
    }
    format!("{}: {}", scenario.name, parts.join(", "))
}

/// Which algorithm finishes first, and by how much.
fn verdict(scenario: &Scenario, summaries: &[Summary]) -> String {
    let unit = scenario.tick.as_ref().map_or_else(|| "ticks".to_owned(), |tick| format!("ticks of {}", tick.text));
    let measured = summaries.iter().any(|summary| summary.of("measured").is_some());
    let blocked = if measured { "; blocked counts the messages whose header had to wait" } else { "" };
    let note = format!("Times are means in {unit}{blocked}.\n");
    let mut wins: Vec<(&str, usize)> = Vec::new();
    let mut points = 0;
    for group in summaries.chunk_by(|a, b| a.point == b.point) {
        points += 1;
        let best = group.iter().min_by(|a, b| time_of(a).total_cmp(&time_of(b)));
        let Some(best) = best.filter(|_| group.len() > 1) else { continue };
        match wins.iter_mut().find(|(name, _)| *name == best.algorithm) {
            Some((_, count)) => *count += 1,
            None => wins.push((best.algorithm, 1)),
        }
    }
    wins.sort_by_key(|&(_, count)| std::cmp::Reverse(count));
    match wins.as_slice() {
        [] => note,
        [(name, _)] if points == 1 => {
            let last = summaries.iter().max_by(|a, b| time_of(a).total_cmp(&time_of(b)));
            let slowest = last.map_or_else(String::new, |last| {
                format!(
                    "; {} takes {:.2} times as long",
                    last.algorithm,
                    time_of(last) / fastest(summaries, last.point)
                )
            });
            format!("{name} finishes first{slowest}.\n{note}")
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
    let tenths = (value * 10.0).round();
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "means of counts and ticks")]
    let tenths = tenths as u64;
    if tenths.is_multiple_of(10) { grouped(tenths / 10) } else { format!("{}.{}", grouped(tenths / 10), tenths % 10) }
}

/// `value` with commas between thousands.
fn grouped(value: u64) -> String {
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
        assert_eq!([0.0, 7.04, 999.96, 1234567.25].map(number), ["0", "7", "1,000", "1,234,567.3"]);
        let tick = Tick { text: "10ns".to_owned(), nanoseconds: 10.0 };
        assert_eq!(duration(119_347.0, &tick), "1.193 ms");
    }
}
