//! `[error]`: how the forecasts that a planner sees are wrong.

use crate::config::{Diagnostic, Reader};
use crate::forecast::series::{KINDS, Kind};
use crate::forecast::{By, Criterion, Fluctuation, METHODS};
use crate::grid::{ForecastError, Quantity, Truncation};
use crate::units::Key;
use serde::Serialize;
use serde::ser::SerializeStruct;

/// How forecasts are wrong.
#[derive(Clone, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Wrong {
    /// At random.
    Drawn(ForecastError),
    /// Because links fluctuate.
    #[serde(serialize_with = "fluctuation")]
    Forecast(Fluctuation),
}

impl std::fmt::Debug for Wrong {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.title())
    }
}

impl Wrong {
    /// In words.
    pub fn title(&self) -> String {
        match self {
            Self::Drawn(error) => format!("forecast error of sigma {}", error.sigma),
            Self::Forecast(fluctuation) => {
                let kind = fluctuation.kind.map_or("mix", |kind| kind.name);
                format!("{kind} links, forecast by {} every {} s", fluctuation.by.name(), fluctuation.period())
            }
        }
    }
}

fn fluctuation<S: serde::Serializer>(fluctuation: &Fluctuation, serializer: S) -> Result<S::Ok, S::Error> {
    let Fluctuation { kind, measurements, by, .. } = fluctuation;
    let mut fields = serializer.serialize_struct("Fluctuation", 4)?;
    fields.serialize_field("series", kind.map_or("mix", |kind| kind.name))?;
    fields.serialize_field("period", &fluctuation.period())?;
    fields.serialize_field("measurements", measurements)?;
    fields.serialize_field("by", by.name())?;
    fields.end()
}

/// A key of errors that are drawn.
const fn drawn_error(key: Key) -> Key {
    key.unless("forecast").because("the errors follow from the forecasts of [error.forecast]")
}

const SIGMA: Key = drawn_error(Key::number("sigma", 0.0..=100.0))
    .says("standard deviation of the relative error of a forecast; alternative to [error.forecast]");
const QUANTITIES: [(&str, Quantity); 2] = [("cost", Quantity::Cost), ("bandwidth", Quantity::Bandwidth)];
const ON: Key = drawn_error(Key::word("quantity", |at| QUANTITIES.get(at).map(|(name, _)| *name)))
    .aliases(&["on"])
    .or_word("cost")
    .says("quantity with forecast errors: costs, or the bandwidths of a random grid");
const TRUNCATIONS: [(&str, Truncation); 5] = [
    ("floor", Truncation::Floor),
    ("resample", Truncation::Resample),
    ("abs", Truncation::Abs),
    ("clip", Truncation::Clip),
    ("lognormal", Truncation::Lognormal),
];
const TRUNCATION: Key = drawn_error(Key::word("truncation", |at| TRUNCATIONS.get(at).map(|(name, _)| *name)))
    .or_word("floor")
    .says("treatment of forecasts that are not above 0; `floor`: the minimum cost of a link; `resample`: another random error; \
         `abs`: the absolute value; `clip`: a factor of at least `clip`; `lognormal`: exp of the error, always above 0");
const CLIP: Key =
    Key::number("clip", 0.0..=1.0).or_number(0.0).read_if("truncation", &["clip"]).says("minimum factor of a forecast");

pub(crate) const KEYS: &[Key] = &[
    SIGMA,
    ON,
    TRUNCATION,
    CLIP,
    Key::table("forecast", FORECAST).says("fluctuating links and their forecasts, instead of random errors"),
];

/// Every kind of series, after the mix of all.
const SERIES: Key =
    Key::word("series", |at| if at == 0 { Some("mix") } else { KINDS.get(at - 1).map(|kind| kind.name) })
        .or_word("mix")
        .says("type of the fluctuation of links; mix selects a random type for each link");
const PERIOD: Key = Key::integer("period", 10..=1 << 30)
    .or(300)
    .unit("seconds")
    .says("time between two measurements, a multiple of 10");
const MEASUREMENTS: Key =
    Key::integer("measurements", 1..=1 << 20).or(100).says("number of measurements before the forecast");

/// Selections, by what they minimise, then methods.
fn forecaster(at: usize) -> Option<(&'static str, By)> {
    let selection = |criterion: &Criterion| (criterion.name(), By::Selection(*criterion));
    let method = || METHODS.get(at - Criterion::ALL.len()).map(|method| (method.name, By::Method(method)));
    Criterion::ALL.get(at).map(selection).or_else(method)
}

const BY: Key = Key::word("method", |at| forecaster(at).map(|(name, _)| name))
    .aliases(&["by"])
    .or_word("MSE")
    .says("selection that minimises MSE or MAE, or a single method; see `flitwise list forecasters`");

/// The keys of `[error.forecast]`.
const FORECAST: &[Key] = &[SERIES, PERIOD, MEASUREMENTS, BY];

pub(super) fn read(root: &Reader<'_>) -> Option<Wrong> {
    let table = root.table("error")?;
    let wrong = match table.table("forecast") {
        Some(inner) => {
            let fluctuation = fluctuating(&inner);
            inner.finish();
            fluctuation.map(Wrong::Forecast)
        }
        None => drawn(&table).map(Wrong::Drawn),
    };
    table.finish();
    wrong
}

fn fluctuating(table: &Reader<'_>) -> Option<Fluctuation> {
    let series: Vec<(&str, Option<&Kind>)> =
        std::iter::once(("mix", None)).chain(KINDS.iter().map(|kind| (kind.name, Some(kind)))).collect();
    let kind = table.choice(&SERIES, &series);
    let period = table.integer(&PERIOD);
    if !period.is_multiple_of(10) {
        let message = "`period` must be a multiple of 10 s, the interval of the series";
        table.error(Diagnostic::at(table.place_of(PERIOD.name), message));
    }
    let measurements = table.integer(&MEASUREMENTS);
    let forecasters: Vec<(&str, By)> = (0..).map_while(forecaster).collect();
    let by = table.choice(&BY, &forecasters);
    Some(Fluctuation { kind, every: period / 10, measurements, by })
}

fn drawn(table: &Reader<'_>) -> Option<ForecastError> {
    table.demand(&SIGMA);
    let sigma = table.optional_number(&SIGMA);
    let on = table.choice(&ON, &QUANTITIES);
    let truncation = table.choice(&TRUNCATION, &TRUNCATIONS);
    let clip = table.number(&CLIP);
    Some(ForecastError { sigma: sigma?, on, truncation, clip })
}
