//! Evaluation of measurements: parameters of machines, and forecasts of series.

use crate::columns::{from_csv, into_python};
use crate::errors::Failure;
use crate::patience::patiently;
use flitwise::fit::{Format, Measurements, Parameters};
use flitwise::forecast::{Bank, Column, Criterion, Samples};
use flitwise::output::{ModelTable, fit_toml, forecast_csv, forecast_table, read_measurements, rejected_series};
use flitwise::scenario::Tick;
use pyo3::prelude::*;
use pyo3::types::PyDict;

/// Options of `fit`.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct FitOptions {
    format: Option<String>,
    model: Option<String>,
    tick: String,
    flit_bytes: u64,
    from_bytes: u64,
    to_bytes: u64,
}

/// Returns the value of `known` called `name`.
fn named<T: Copy>(what: &str, name: &str, known: &[(&str, T)]) -> Result<T, Failure> {
    let names: Vec<&str> = known.iter().map(|(name, _)| *name).collect();
    let found = known.iter().find(|(known, _)| *known == name);
    let accepted = names.join(", ");
    found
        .map(|(_, value)| *value)
        .ok_or_else(|| Failure::usage(format!("there is no {what} `{name}`\naccepted: {accepted}")))
}

impl FitOptions {
    fn format(&self) -> Result<Option<Format>, Failure> {
        let known = [("osu", Format::Osu), ("plogp", Format::Plogp), ("netgauge", Format::Netgauge)];
        self.format.as_ref().map(|name| named("format", name, &known)).transpose()
    }

    fn model(&self) -> Result<Option<ModelTable>, Failure> {
        let known = [
            ("parameterised", ModelTable::Parameterised),
            ("logp", ModelTable::LogP),
            ("loggops", ModelTable::LogGops),
        ];
        self.model.as_ref().map(|name| named("model", name, &known)).transpose()
    }

    /// Fits parameters to the measurements in `files`, pairs of a name and contents, and returns them as TOML.
    fn toml(&self, files: &[(String, Vec<u8>)]) -> Result<String, Failure> {
        let format = self.format()?;
        let model = self.model()?;
        let accepted = "accepted: a number and a unit, one of ps, ns, us, ms, s, such as 10ns";
        let wrong_tick = || Failure::usage(format!("`{}` is not a tick\n{accepted}", self.tick));
        let tick = Tick::parse(&self.tick).ok_or_else(wrong_tick)?;
        if !(1..=1 << 40).contains(&self.flit_bytes) {
            return Err(Failure::usage("`flit_bytes` must be at least 1 and at most 2^40"));
        }
        let mut all: Option<Measurements> = None;
        for (name, bytes) in files {
            let one = read_measurements(name, bytes, format, &(self.from_bytes..=self.to_bytes));
            let one = one.map_err(Failure::Measurements)?;
            all = Some(match all {
                Some(before) => before.combine(one).map_err(|error| Failure::Measurements(error.into()))?,
                None => one,
            });
        }
        let measurements = all.ok_or_else(|| Failure::usage("there are no measurements"))?;
        let parameters = Parameters::of(&measurements).map_err(|error| Failure::Measurements(error.into()))?;
        if model.is_some() && parameters.t_end.is_none() {
            let why = "a model requires t_end; add a latency measurement of the same machine, such as the output of osu_latency";
            return Err(Failure::usage(why));
        }
        let text = fit_toml(&measurements, &parameters, &tick, self.flit_bytes, model);
        text.map_err(|error| Failure::Measurements(error.into()))
    }
}

/// Fits parameters to measurements, pairs of a name and contents. Returns commented TOML, and the same tables as JSON.
#[pyfunction]
pub(crate) fn fit(py: Python<'_>, files: Vec<(String, Vec<u8>)>, options: FitOptions) -> PyResult<(String, String)> {
    let made = || -> Result<(String, String), Failure> {
        let text = options.toml(&files)?;
        let tables: toml::Table = text.parse().map_err(Failure::usage)?;
        let json = serde_json::to_string(&tables).map_err(Failure::usage)?;
        Ok((text, json))
    };
    patiently(py, None, made)?.map_err(|failure| failure.raise(py))
}

/// A forecast: the value and the name of its method.
type Next = Option<(f64, &'static str)>;

/// Errors of each method, and the forecasts.
struct Forecast {
    /// The output of `flitwise forecast`.
    table: String,
    /// The output of `flitwise forecast --csv`.
    csv: String,
    /// The forecasts with the smallest mean squared error and with the smallest mean absolute error.
    next: [Next; 2],
}

impl Forecast {
    /// Forecasts the values of a text: one per line, or a column of CSV.
    fn new(name: &str, text: &[u8], column: Option<String>) -> Result<Self, Failure> {
        let column: Option<Column> = column.map(|name| name.parse()).transpose().map_err(Failure::usage)?;
        let mut bank = Bank::all();
        let mut samples = Samples::new(text, column);
        for value in samples.by_ref() {
            bank.update(value.map_err(|error| match rejected_series(name, error) {
                Ok(rejected) => Failure::Measurements(rejected),
                Err(error) => Failure::io(error, "cannot read the series"),
            })?);
        }
        let mut csv = Vec::new();
        forecast_csv(&mut csv, &bank).map_err(Failure::usage)?;
        let next = [Criterion::Mse, Criterion::Mae];
        Ok(Self {
            table: forecast_table(name, &bank, &samples.remarks()),
            csv: String::from_utf8_lossy(&csv).into_owned(),
            next: next.map(|criterion| bank.forecast(criterion).map(|next| (next.value, next.method.name))),
        })
    }
}

/// Runs every method over a series. Returns `table` and `csv` as the command prints them, `errors` as columns, and the
/// forecasts by `mse` and by `mae`.
#[pyfunction]
pub(crate) fn forecast<'py>(
    py: Python<'py>,
    name: &str,
    text: Vec<u8>,
    column: Option<String>,
) -> PyResult<Bound<'py, PyDict>> {
    let made = || Forecast::new(name, &text, column);
    let Forecast { table, csv, next } = patiently(py, None, made)?.map_err(|failure| failure.raise(py))?;
    let errors = from_csv(&csv).map_err(|error| Failure::usage(error).raise(py))?;
    let [mse, mae] = next;
    let told = PyDict::new(py);
    told.set_item("errors", into_python(py, errors)?)?;
    told.set_item("table", table)?;
    told.set_item("csv", csv)?;
    told.set_item("mse", mse)?;
    told.set_item("mae", mae)?;
    Ok(told)
}
