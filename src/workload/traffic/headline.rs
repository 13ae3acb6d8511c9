//! The result of traffic in a sentence or two: saturation, the best latency and throughput, or the end of a burst.

use super::limits::RATE;
use super::{Mode, OpenLoop};
use crate::kind::ResultLine;
use crate::kind::words::{Times, enumerated, number};

/// A network whose accepted rate is below this part of the offered one is saturated.
const CARRIED: f64 = 0.95;

/// The largest number of variants that are listed. Of more variants, a sentence names the best and the worst.
const LISTED: usize = 4;

/// The main result of `lines`.
pub(super) fn headline(lines: &[ResultLine<'_>], times: Times) -> Option<String> {
    let loads: Vec<Load> = lines.iter().filter_map(|line| Load::new(line, times)).collect();
    let values = |value: fn(&Load) -> Option<f64>| -> Vec<(&Load, f64)> {
        loads.iter().filter_map(|load| Some((load, value(load)?))).collect()
    };
    let saturations = values(|load| load.saturation);
    let makespans = values(|load| load.makespan);
    if !saturations.is_empty() {
        Some(saturation(saturations))
    } else if !makespans.is_empty() {
        Some(burst(makespans))
    } else {
        steady(&loads)
    }
}

/// A line of results.
struct Load {
    /// The settings other than the rate, or empty if only the rate is swept.
    name: String,
    rate: f64,
    offered: f64,
    accepted: f64,
    latency: Option<f64>,
    /// The half-width of the 95 % confidence interval of the latency, or 0 if there is none.
    margin: f64,
    zero_load: Option<f64>,
    is_late: bool,
    saturation: Option<f64>,
    makespan: Option<f64>,
    /// The packets of the makespan, `the burst` or `a batch`.
    delivered: &'static str,
    units: Units,
}

/// The units of a line.
#[derive(Clone, Copy)]
struct Units {
    times: Times,
    /// The unit of times if the length of a tick is not known.
    time: &'static str,
    rate: &'static str,
}

impl Units {
    fn time(self, ticks: f64) -> String {
        self.times.text(ticks, self.time)
    }

    fn rate(self, rate: f64) -> String {
        format!("{rate:.3} {}", self.rate)
    }
}

impl Load {
    /// `None` if `line` is not of open-loop traffic.
    fn new(line: &ResultLine<'_>, times: Times) -> Option<Self> {
        let workload: &OpenLoop = line.workload.downcast_ref()?;
        let swept = line.settings.iter().find(|(key, _)| *key == RATE).and_then(|(_, rate)| rate.parse().ok());
        let units = match workload.routers {
            Some(_) => Units { times, time: "cycles", rate: "flits/node/cycle" },
            None => Units { times, time: "ticks", rate: "flits/node/flit time" },
        };
        Some(Self {
            name: name(line),
            rate: swept.unwrap_or(workload.rate),
            offered: line.means.mean("offered").unwrap_or(0.0),
            accepted: line.means.mean("accepted").unwrap_or(0.0),
            latency: line.means.mean("latency"),
            margin: line.means.statistics("latency").and_then(|latency| latency.confidence).unwrap_or(0.0),
            zero_load: line.means.mean("unloaded").filter(|&ticks| ticks > 0.0),
            is_late: line.means.mean("undelivered").is_some_and(|packets| packets > 0.0),
            saturation: line.means.mean("saturation"),
            makespan: line.means.mean("makespan"),
            delivered: if matches!(workload.mode, Mode::Batch(_)) { "a batch" } else { "the burst" },
            units,
        })
    }

    fn is_saturated(&self) -> bool {
        self.is_late || self.accepted < CARRIED * self.offered
    }

    /// The name, or `the network`.
    fn subject(&self) -> &str {
        if self.name.is_empty() { "the network" } else { &self.name }
    }
}

/// The swept settings but the rate: a single word as it is, numbers with their key.
fn name(line: &ResultLine<'_>) -> String {
    let others: Vec<&str> = line.settings.iter().filter(|(key, _)| *key != RATE).map(|(_, value)| *value).collect();
    match others.as_slice() {
        [value] if value.parse::<f64>().is_err() => (*value).to_owned(),
        _ => line.place(RATE).replace('_', " "),
    }
}

/// The saturation rates, the highest first.
fn saturation(mut all: Vec<(&Load, f64)>) -> String {
    all.sort_by(|a, b| b.1.total_cmp(&a.1));
    match all.as_slice() {
        [(load, rate)] => format!("{} saturates at {}.", start(load.subject()), load.units.rate(*rate)),
        [(first, rate), others @ ..] if all.len() <= LISTED => {
            let others: Vec<String> = others.iter().map(|(load, rate)| format!("{} at {rate:.3}", load.name)).collect();
            format!("{} saturates at {}; {}.", first.name, first.units.rate(*rate), enumerated(&others))
        }
        [(best, highest), .., (worst, lowest)] => format!(
            "{} saturates at the highest rate, {}; {} at the lowest, {lowest:.3}.",
            best.name,
            best.units.rate(*highest),
            worst.name
        ),
        [] => String::new(),
    }
}

/// The makespans, the shortest first.
fn burst(mut all: Vec<(&Load, f64)>) -> String {
    all.sort_by(|a, b| a.1.total_cmp(&b.1));
    match all.as_slice() {
        [(load, ticks)] => {
            format!("{} delivers {} in {}.", start(load.subject()), load.delivered, load.units.time(*ticks))
        }
        [(first, ticks), others @ ..] if all.len() <= LISTED => {
            let others = others.iter().map(|(load, ticks)| format!("{} in {}", load.name, load.units.time(*ticks)));
            let others = enumerated(&others.collect::<Vec<_>>());
            format!("{} delivers {} in {}; {others}.", first.name, first.delivered, first.units.time(*ticks))
        }
        [(best, least), .., (worst, most)] => format!(
            "{} delivers {} first, in {}; {} last, in {}.",
            best.name,
            best.delivered,
            best.units.time(*least),
            worst.name,
            worst.units.time(*most)
        ),
        [] => String::new(),
    }
}

/// `subject` at the beginning of a sentence: names stay as they are.
fn start(subject: &str) -> String {
    subject.strip_prefix("the ").map_or_else(|| subject.to_owned(), |noun| format!("The {noun}"))
}

fn steady(loads: &[Load]) -> Option<String> {
    let mut names: Vec<&str> = loads.iter().map(|load| load.name.as_str()).collect();
    names.sort_unstable();
    names.dedup();
    match (names.len(), loads) {
        (_, []) => None,
        (_, [one]) => point(one),
        (1, _) => curve(loads),
        (curves, _) => compared(loads, curves),
    }
}

/// A single load.
fn point(load: &Load) -> Option<String> {
    let Load { rate, offered, accepted, units, .. } = load;
    if load.is_saturated() {
        let unit = units.rate;
        return Some(format!(
            "At injection rate {rate}, the network is saturated: it accepts {accepted:.3} of {offered:.3} {unit}."
        ));
    }
    let latency = load.latency?;
    let times = load
        .zero_load
        .map_or_else(String::new, |least| format!(", {:.2} times the zero-load latency", latency / least));
    Some(format!("At injection rate {rate}, the mean latency is {}{times}.", units.time(latency)))
}

/// Loads of one network at several rates.
fn curve(loads: &[Load]) -> Option<String> {
    let mut loads: Vec<&Load> = loads.iter().collect();
    loads.sort_by(|a, b| a.rate.total_cmp(&b.rate));
    let carried: Vec<(&Load, f64)> =
        loads.iter().take_while(|load| !load.is_saturated()).filter_map(|load| Some((*load, load.latency?))).collect();
    let saturated = loads.iter().find(|load| load.is_saturated());
    let saturation = saturated.map(|load| {
        let accepted = load.units.rate(load.accepted);
        format!("the network is saturated at {} and accepts {accepted}", load.rate)
    });
    let latency = match carried.as_slice() {
        [] => None,
        [(one, latency)] => {
            Some(format!("At injection rate {}, the mean latency is {}", one.rate, one.units.time(*latency)))
        }
        [(first, low), .., (last, high)] => Some(format!(
            "The mean latency is {} at injection rate {} and {} at {}",
            first.units.time(*low),
            first.rate,
            last.units.time(*high),
            last.rate
        )),
    };
    match (latency, saturation) {
        (Some(latency), Some(saturation)) => Some(format!("{latency}; {saturation}.")),
        (Some(latency), None) => Some(format!("{latency}.")),
        (None, Some(_)) => most_accepted(&loads),
        (None, None) => None,
    }
}

/// The largest throughput of a network that is saturated at every rate.
fn most_accepted(loads: &[&Load]) -> Option<String> {
    let most = loads.iter().max_by(|a, b| a.accepted.total_cmp(&b.accepted))?;
    let accepted = most.units.rate(most.accepted);
    Some(format!("The network is saturated at every injection rate; it accepts at most {accepted}."))
}

/// Several networks: the latency at the highest rate that all of them carry, and the throughput beyond saturation.
fn compared(loads: &[Load], curves: usize) -> Option<String> {
    let mut rates: Vec<f64> = loads.iter().map(|load| load.rate).collect();
    rates.sort_by(|a, b| b.total_cmp(a));
    rates.dedup();
    let curves_at = |rate: f64| loads.iter().filter(move |load| load.rate.total_cmp(&rate).is_eq());
    let common: Vec<f64> = rates.into_iter().filter(|&rate| curves_at(rate).count() == curves).collect();
    let carried =
        common.iter().find(|&&rate| curves_at(rate).all(|load| !load.is_saturated() && load.latency.is_some()));
    let saturated = common.iter().find(|&&rate| curves_at(rate).any(Load::is_saturated));
    let latency = carried.and_then(|&rate| lowest_latency(rate, curves_at(rate)));
    let throughput = saturated.and_then(|&rate| highest_throughput(rate, curves_at(rate)));
    let sentences: Vec<String> = latency.into_iter().chain(throughput).collect();
    (!sentences.is_empty()).then(|| sentences.join(" "))
}

fn lowest_latency<'a>(rate: f64, loads: impl Iterator<Item = &'a Load> + Clone) -> Option<String> {
    let known = loads.filter_map(|load| Some((load, load.latency?)));
    let (best, least) = known.clone().min_by(|a, b| a.1.total_cmp(&b.1))?;
    let (worst, most) = known.max_by(|a, b| a.1.total_cmp(&b.1))?;
    let lowest = best.units.time(least);
    if most - least <= best.margin + worst.margin || worst.units.time(most) == lowest {
        return Some(format!("At injection rate {rate}, the latencies are about the same: {lowest}."));
    }
    let highest = match worst.units.times.tick {
        Some(_) => worst.units.time(most),
        None => number(most),
    };
    Some(format!(
        "At injection rate {rate}, {} has the lowest latency, {lowest}; {} has the highest, {highest}.",
        best.name, worst.name
    ))
}

fn highest_throughput<'a>(rate: f64, loads: impl Iterator<Item = &'a Load> + Clone) -> Option<String> {
    let most = loads.clone().max_by(|a, b| a.accepted.total_cmp(&b.accepted))?;
    let least = loads.min_by(|a, b| a.accepted.total_cmp(&b.accepted))?;
    let accepted = most.units.rate(most.accepted);
    if least.units.rate(least.accepted) == accepted {
        return Some(format!("At {rate}, beyond saturation, all accept about {accepted}."));
    }
    Some(format!(
        "At {rate}, beyond saturation, {} accepts the most, {accepted}; {} accepts the least, {:.3}.",
        most.name, least.name, least.accepted
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A load of routers that is saturated from 0.5 on.
    fn load(name: &str, rate: f64, latency: f64) -> Load {
        let accepted = rate.min(0.4);
        Load {
            name: name.to_owned(),
            rate,
            offered: rate,
            accepted,
            latency: Some(latency),
            margin: 0.0,
            zero_load: Some(20.0),
            is_late: accepted < rate,
            saturation: Some(rate),
            makespan: Some(latency),
            delivered: "the burst",
            units: Units { times: Times::default(), time: "cycles", rate: "flits/node/cycle" },
        }
    }

    #[test]
    fn networks_are_compared_at_the_highest_rate_that_all_carry() {
        let loads = [("a", 0.1, 21.0), ("a", 0.3, 28.4), ("a", 0.7, 400.0), ("b", 0.1, 20.0), ("b", 0.3, 30.1)];
        let mut loads: Vec<Load> = loads.map(|(name, rate, latency)| load(name, rate, latency)).into();
        let latency = "At injection rate 0.3, a has the lowest latency, 28.4 cycles; b has the highest, 30.1.";
        assert_eq!(steady(&loads).as_deref(), Some(latency), "0.7 is a load of one of them only");
        loads.push(Load { accepted: 0.35, ..load("b", 0.7, 500.0) });
        let throughput =
            "At 0.7, beyond saturation, a accepts the most, 0.400 flits/node/cycle; b accepts the least, 0.350.";
        assert_eq!(steady(&loads), Some(format!("{latency} {throughput}")));
        loads.iter_mut().for_each(|load| load.margin = 1.0);
        let tie = "At injection rate 0.3, the latencies are about the same: 28.4 cycles.";
        assert_eq!(steady(&loads), Some(format!("{tie} {throughput}")));
        loads.iter_mut().filter(|load| load.is_late).for_each(|load| load.accepted = 0.35);
        let throughput = "At 0.7, beyond saturation, all accept about 0.350 flits/node/cycle.";
        assert_eq!(steady(&loads), Some(format!("{tie} {throughput}")));
        let loads = [load("a", 0.1, 13.51), load("a", 0.2, 14.0), load("b", 0.1, 13.53), load("b", 0.2, 14.04)];
        let tie = "At injection rate 0.2, the latencies are about the same: 14 cycles.";
        assert_eq!(steady(&loads).as_deref(), Some(tie), "they differ by less than is shown");
    }

    #[test]
    fn a_curve_has_its_ends_and_its_saturation() {
        let loads = [0.1, 0.3, 0.7].map(|rate| load("", rate, 100.0 * rate));
        let latency = "The mean latency is 10 cycles at injection rate 0.1 and 30 cycles at 0.3";
        let saturation = "the network is saturated at 0.7 and accepts 0.400 flits/node/cycle";
        assert_eq!(steady(&loads), Some(format!("{latency}; {saturation}.")));
        assert_eq!(steady(&loads[..2]), Some(format!("{latency}.")));
        let first = "At injection rate 0.1, the mean latency is 10 cycles, 0.50 times the zero-load latency.";
        assert_eq!(steady(&loads[..1]).as_deref(), Some(first));
        let last = "At injection rate 0.7, the network is saturated: it accepts 0.400 of 0.700 flits/node/cycle.";
        assert_eq!(steady(&loads[2..]).as_deref(), Some(last));
    }

    #[test]
    fn saturations_and_bursts_are_in_order() {
        let loads = [load("a", 0.34, 85.0), load("b", 0.37, 84.0)];
        let with = |value: fn(&Load) -> Option<f64>| -> Vec<(&Load, f64)> {
            loads.iter().filter_map(|load| Some((load, value(load)?))).collect()
        };
        let rates = with(|load| load.saturation);
        assert_eq!(saturation(rates.clone()), "b saturates at 0.370 flits/node/cycle; a at 0.340.");
        let six_rates: Vec<_> = rates.iter().chain(&rates).chain(&rates).copied().collect();
        assert_eq!(
            saturation(six_rates),
            "b saturates at the highest rate, 0.370 flits/node/cycle; a at the lowest, 0.340."
        );
        assert_eq!(burst(with(|load| load.makespan)), "b delivers the burst in 84 cycles; a in 85 cycles.");
        let network = load("", 0.37, 84.0);
        assert_eq!(saturation(vec![(&network, 0.37)]), "The network saturates at 0.370 flits/node/cycle.");
    }
}
