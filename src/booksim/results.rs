//! Results of a scenario in the words of BookSim 2.
//!
//! Results are collected from the columns of rows.csv, or of classes.csv if BookSim 2 reports several classes. Both files
//! have the same columns for a class, so one function reads them.

use super::Note;
use super::control::{LatencyStart, ReportSettings, SimulationType};
use super::toml::rounded;
use crate::kind::words::significant;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::fmt::Write as _;

/// The files of a run from which results are collected.
#[derive(Clone, Debug, Default)]
pub struct ResultFiles {
    /// The text of rows.csv.
    pub rows: String,
    /// The text of classes.csv, if the run has such a file.
    pub classes: Option<String>,
}

/// Means of a class over all simulations. A value is `None` if no packet has it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ClassResult {
    /// Latency of measured packets in cycles.
    pub packet_latency: Option<f64>,
    /// The smallest latency.
    pub packet_latency_min: Option<f64>,
    /// The largest latency.
    pub packet_latency_max: Option<f64>,
    /// Latency without the time in the source queue.
    pub network_latency: Option<f64>,
    /// Routers on the path of a packet.
    pub hops: Option<f64>,
    /// Generated flits per node and cycle.
    pub injected_flit_rate: Option<f64>,
    /// Arrived flits per node and cycle.
    pub accepted_flit_rate: Option<f64>,
    /// Measured packets.
    pub packets: f64,
    /// Measured packets that did not arrive.
    pub undelivered: f64,
}

/// Results of a run.
#[derive(Clone, Debug)]
pub struct Results<'a> {
    settings: &'a ReportSettings,
    /// The classes in the order of BookSim 2.
    pub classes: Vec<ClassResult>,
    /// The mean duration of a batch in cycles.
    pub batch_time: Option<f64>,
    /// Number of simulations.
    simulations: usize,
}

/// Columns of a line with their values. A cell that is not a number has none.
type Columns = BTreeMap<&'static str, f64>;

impl<'a> Results<'a> {
    /// Collects the results of a run with these `settings`.
    ///
    /// # Errors
    /// Returns an error if a file is not CSV.
    pub fn collect(files: &ResultFiles, settings: &'a ReportSettings) -> csv::Result<Self> {
        let rows = lines_by_class(&files.rows)?;
        let all = rows.values().flatten();
        let simulations = all.clone().count();
        let batch_time = match settings.simulation {
            SimulationType::Batch => mean(all.filter_map(|columns| columns.get("makespan").copied())),
            _ => None,
        };
        // requests and replies are one class of BookSim 2
        let several = files.classes.as_ref().filter(|_| settings.latency_limits.len() > 1);
        let lines = match several {
            Some(classes) => lines_by_class(classes)?,
            None => rows,
        };
        let classes = lines.values().map(|lines| ClassResult::new(lines, settings.latency_start)).collect();
        Ok(Self { settings, classes, batch_time, simulations })
    }

    /// A sentence for each class whose mean latency exceeds its limit. Batches and throughput have no limits.
    pub fn instabilities(&self) -> Vec<String> {
        if self.settings.simulation != SimulationType::Latency {
            return Vec::new();
        }
        let limited = self.classes.iter().zip(&self.settings.latency_limits).enumerate();
        let sentence = |(class, (result, limit)): (usize, (&ClassResult, &f64))| {
            let latency = result.bounded_latency(self.settings.drain)?;
            let exceeds = *limit >= 0.0 && latency > *limit;
            let least = if result.undelivered > 0.0 { "at least " } else { "" };
            let latency = significant(latency);
            exceeds.then(|| {
                format!("the mean latency of class {class}, {least}{latency}, exceeds latency_thres = {limit}")
            })
        };
        limited.filter_map(sentence).collect()
    }

    /// The simulated cycles: warm-up and measurement, or all batches.
    #[expect(clippy::cast_precision_loss, reason = "cycles below 2^53 are exact")]
    pub fn cycles(&self) -> f64 {
        match self.settings.cycles {
            Some(cycles) => cycles as f64,
            None => self.batch_time.unwrap_or_default() * self.settings.batches as f64,
        }
    }

    /// The lines that BookSim 2 prints at its end, as far as flitwise measures them.
    pub fn text(&self) -> String {
        let mut text = "====== Overall Traffic Statistics ======\n".to_owned();
        for (class, result) in self.classes.iter().enumerate() {
            let _ = writeln!(text, "====== Traffic class {class} ======"); // a string takes everything
            result.lines().into_iter().for_each(|(name, value)| self.push(&mut text, name, value));
        }
        self.push(&mut text, "Average batch duration", self.batch_time);
        text
    }

    fn push(&self, text: &mut String, name: &str, value: Option<f64>) {
        if let Some(value) = value {
            let _ = writeln!(text, "{name} = {} ({} samples)", significant(value), self.simulations); // as above
        }
    }

    /// The results as JSON, of the scenario called `name`.
    pub fn json(&self, name: &str, notes: &[Note]) -> Value {
        let classes = self.classes.iter().enumerate().map(|(class, result)| result.json(class));
        let notes: Vec<String> = notes.iter().map(ToString::to_string).collect();
        json!({
            "scenario": name,
            "stable": self.instabilities().is_empty(),
            "cycles": json_number(self.cycles()),
            "classes": classes.collect::<Vec<Value>>(),
            "batch_time": self.batch_time,
            "notes": notes,
        })
    }
}

impl ClassResult {
    /// The means of the `lines` of a class.
    fn new(lines: &[Columns], start: LatencyStart) -> Self {
        let column = |name: &str| mean(lines.iter().filter_map(|columns| columns.get(name).copied()));
        let network_latency = column("network_latency");
        let result = Self {
            packet_latency: column("latency"),
            packet_latency_min: column("min_latency"),
            packet_latency_max: column("max"),
            network_latency,
            // a scenario counts channels between routers
            hops: column("hops").map(|channels| rounded(channels + 1.0)),
            injected_flit_rate: column("offered"),
            accepted_flit_rate: column("accepted"),
            packets: column("messages").unwrap_or_default(),
            undelivered: column("undelivered").unwrap_or_default(),
        };
        match start {
            LatencyStart::Generation => result,
            // the extremes are those of the whole latency
            LatencyStart::Network => {
                Self { packet_latency: network_latency, packet_latency_min: None, packet_latency_max: None, ..result }
            }
        }
    }

    /// The mean latency, or a lower bound of it: each undelivered packet has waited for `drain` cycles at least.
    #[expect(clippy::cast_precision_loss, reason = "cycles below 2^53 are exact")]
    fn bounded_latency(&self, drain: i64) -> Option<f64> {
        let delivered = self.packets - self.undelivered;
        let latency = self.packet_latency.unwrap_or_default() * delivered;
        (self.packets > 0.0).then(|| (latency + self.undelivered * drain as f64) / self.packets)
    }

    /// The lines of BookSim 2 with their names.
    fn lines(&self) -> [(&'static str, Option<f64>); 7] {
        [
            ("Packet latency average", self.packet_latency),
            ("\tminimum", self.packet_latency_min),
            ("\tmaximum", self.packet_latency_max),
            ("Network latency average", self.network_latency),
            ("Injected flit rate average", self.injected_flit_rate),
            ("Accepted flit rate average", self.accepted_flit_rate),
            ("Hops average", self.hops),
        ]
    }

    fn json(&self, class: usize) -> Value {
        json!({
            "class": class,
            "packet_latency": self.packet_latency,
            "packet_latency_min": self.packet_latency_min,
            "packet_latency_max": self.packet_latency_max,
            "network_latency": self.network_latency,
            "hops": self.hops,
            "injected_flit_rate": self.injected_flit_rate,
            "accepted_flit_rate": self.accepted_flit_rate,
            "packets": json_number(self.packets),
        })
    }
}

/// The lines of `csv` by their class, in the order of the classes' first lines. A file without classes has one.
fn lines_by_class(text: &str) -> csv::Result<BTreeMap<usize, Vec<Columns>>> {
    let mut reader = csv::Reader::from_reader(text.as_bytes());
    let headers = reader.headers()?.clone();
    let class_column = headers.iter().position(|name| name == "class");
    let mut names: Vec<String> = Vec::new();
    let mut lines: BTreeMap<usize, Vec<Columns>> = BTreeMap::new();
    for record in reader.records() {
        let record = record?;
        let class = class_column.and_then(|column| record.get(column)).unwrap_or_default();
        let index = names.iter().position(|name| name == class).unwrap_or_else(|| {
            names.push(class.to_owned());
            names.len() - 1
        });
        let cell = |name: &&'static str| {
            let column = headers.iter().position(|header| header == *name)?;
            Some((*name, record.get(column)?.parse().ok()?))
        };
        lines.entry(index).or_default().push(COLUMNS.iter().filter_map(cell).collect());
    }
    Ok(lines)
}

/// The columns from which results are collected.
const COLUMNS: [&str; 10] = [
    "messages",
    "offered",
    "accepted",
    "latency",
    "network_latency",
    "min_latency",
    "max",
    "hops",
    "undelivered",
    "makespan",
];

/// The mean of `values`, or `None` if there are none.
#[expect(clippy::cast_precision_loss, reason = "there are fewer than 2^53 repetitions")]
fn mean(values: impl Iterator<Item = f64>) -> Option<f64> {
    let values: Vec<f64> = values.collect();
    (!values.is_empty()).then(|| rounded(values.iter().sum::<f64>() / values.len() as f64))
}

/// A whole number without a point.
#[expect(clippy::cast_possible_truncation, reason = "counts and cycles are below 2^53")]
fn json_number(value: f64) -> Value {
    if value.fract().abs() < f64::EPSILON { Value::from(value as i64) } else { Value::from(value) }
}

#[cfg(test)]
#[expect(clippy::unwrap_used, reason = "a test fails where it cannot continue")]
mod tests {
    use super::*;

    const ROWS: &str = "scenario,repetition,messages,offered,accepted,latency,network_latency,hops,max,undelivered\n\
                        f,0,100,0.2,0.19,30,28,2.5,60,0\n\
                        f,1,300,0.2,0.21,40,32,3.5,80,0\n";

    fn settings(limits: &[f64]) -> ReportSettings {
        ReportSettings {
            simulation: SimulationType::Latency,
            latency_limits: limits.to_vec(),
            latency_start: LatencyStart::Generation,
            cycles: Some(4000),
            drain: 1000,
            batches: 0,
        }
    }

    fn files(rows: &str) -> ResultFiles {
        ResultFiles { rows: rows.to_owned(), classes: None }
    }

    #[test]
    fn results_are_means_over_simulations() {
        let settings = settings(&[500.0]);
        let results = Results::collect(&files(ROWS), &settings).unwrap();
        let json = results.json("f", &[]);
        let expected = json!({
            "scenario": "f", "stable": true, "cycles": 4000, "batch_time": null, "notes": [],
            "classes": [{
                "class": 0, "packet_latency": 35.0, "packet_latency_min": null, "packet_latency_max": 70.0,
                "network_latency": 30.0, "hops": 4.0, "injected_flit_rate": 0.2, "accepted_flit_rate": 0.2, "packets": 200
            }]
        });
        assert_eq!(json, expected);
    }

    #[test]
    fn lines_have_the_names_of_booksim() {
        let settings = settings(&[500.0]);
        let text = Results::collect(&files(ROWS), &settings).unwrap().text();
        let expected = "====== Overall Traffic Statistics ======\n====== Traffic class 0 ======\n\
                        Packet latency average = 35 (2 samples)\n\tmaximum = 70 (2 samples)\n\
                        Network latency average = 30 (2 samples)\nInjected flit rate average = 0.2 (2 samples)\n\
                        Accepted flit rate average = 0.2 (2 samples)\nHops average = 4 (2 samples)\n";
        assert_eq!(text, expected);
    }

    #[test]
    fn latencies_above_their_limits_are_unstable() {
        for (limit, is_stable) in [(35.0, true), (34.9, false), (-1.0, true)] {
            let settings = settings(&[limit]);
            let results = Results::collect(&files(ROWS), &settings).unwrap();
            assert_eq!(results.instabilities().is_empty(), is_stable, "{limit}");
        }
        let settings = settings(&[500.0]);
        // 30 packets that waited for 1000 cycles or more
        let rows = "messages,latency,undelivered\n50,100,30\n";
        let found = Results::collect(&files(rows), &settings).unwrap().instabilities();
        assert_eq!(found, ["the mean latency of class 0, at least 640, exceeds latency_thres = 500"]);
    }

    #[test]
    fn several_classes_are_read_from_their_file() {
        let classes = "point,repetition,class,messages,latency,hops,undelivered\n0,0,c1,1,10,1,0\n0,0,c0,1,20,2,0\n\
                       0,1,c1,1,30,1,0\n0,1,c0,1,40,2,0\n";
        let files = ResultFiles { rows: ROWS.to_owned(), classes: Some(classes.to_owned()) };
        let [several, single] = [settings(&[500.0, 25.0]), settings(&[500.0])];
        let results = Results::collect(&files, &several).unwrap();
        let latencies: Vec<_> = results.classes.iter().map(|class| class.packet_latency).collect();
        assert_eq!(latencies, [Some(20.0), Some(30.0)]);
        assert_eq!(results.instabilities().len(), 1);
        assert_eq!(Results::collect(&files, &single).unwrap().classes.len(), 1);
    }

    #[test]
    fn batches_have_a_duration() {
        let settings =
            ReportSettings { simulation: SimulationType::Batch, cycles: None, batches: 3, ..settings(&[1.0]) };
        let results = Results::collect(&files("messages,latency,makespan\n9,30,400\n"), &settings).unwrap();
        assert_eq!((results.batch_time, results.cycles()), (Some(400.0), 1200.0));
        assert!(
            results.instabilities().is_empty()
                && results.text().ends_with("Average batch duration = 400 (1 samples)\n")
        );
    }

    #[test]
    fn latency_can_leave_out_the_source_queue() {
        let settings = ReportSettings { latency_start: LatencyStart::Network, ..settings(&[500.0]) };
        let results = Results::collect(&files(ROWS), &settings).unwrap();
        assert_eq!((results.classes[0].packet_latency, results.classes[0].packet_latency_max), (Some(30.0), None));
    }
}
