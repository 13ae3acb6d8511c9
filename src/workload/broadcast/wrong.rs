//! `[error]`: how the forecasts that a planner sees are wrong.

use crate::config::Diagnostic;
use crate::config::Reader;
use crate::forecast::series::{KINDS, Kind};
use crate::forecast::{By, Criterion, Fluctuation, METHODS};
use crate::grid::{ForecastError, Quantity, Truncation};
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
    #[must_use]
    pub fn title(&self) -> String {
        match self {
            Self::Drawn(error) => format!("forecasts wrong by sigma {}", error.sigma),
            Self::Forecast(fluctuation) => {
                let kind = fluctuation.kind.map_or("mix", |kind| kind.name);
                format!("{kind} links forecast by {} every {} s", fluctuation.by.name(), fluctuation.period())
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

/// Reads `[error]`, if it is given.
pub(super) fn read(root: &Reader<'_>) -> Option<Wrong> {
    let table = root.table("error")?;
    let wrong = match table.table("forecast") {
        Some(inner) => {
            for key in ["sigma", "on", "truncation", "clip"] {
                table.skip(key);
                if table.has(key) {
                    let message =
                        format!("forecasts of links that fluctuate are as wrong as they are: `{key}` excludes them");
                    table.error(Diagnostic::at(table.place_of(key), message));
                }
            }
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
    let kind = table.choice("series", &series, None);
    let period = table.integer("period", 300, 10..=1 << 30);
    if !period.is_multiple_of(10) {
        let message = "the series have a value every 10 s, so `period` is a multiple of that";
        table.error(Diagnostic::at(table.place_of("period"), message));
    }
    let measurements = table.integer("measurements", 100, 1..=1 << 20);
    let selections = Criterion::ALL.map(|criterion| (criterion.name(), By::Selection(criterion)));
    let methods = METHODS.iter().map(|method| (method.name, By::Method(method)));
    let forecasters: Vec<(&str, By)> = selections.into_iter().chain(methods).collect();
    let by = table.choice("by", &forecasters, By::Selection(Criterion::Mse));
    Some(Fluctuation { kind, every: period / 10, measurements, by })
}

fn drawn(table: &Reader<'_>) -> Option<ForecastError> {
    let sigma = table.optional_number("sigma", 0.0..=100.0);
    if !table.has("sigma") {
        table.missing("sigma", "the standard deviation of the relative error of a forecast, or [error.forecast]");
    }
    let on = table.choice("on", &[("cost", Quantity::Cost), ("bandwidth", Quantity::Bandwidth)], Quantity::default());
    let choices = [
        ("floor", Truncation::Floor),
        ("resample", Truncation::Resample),
        ("abs", Truncation::Abs),
        ("clip", Truncation::Clip),
        ("lognormal", Truncation::Lognormal),
    ];
    let truncation = table.choice("truncation", &choices, Truncation::default());
    let clip = table.optional_number("clip", 0.0..=1.0);
    if clip.is_some() && truncation != Truncation::Clip {
        let message = "only `truncation` = \"clip\" reads `clip`";
        table.error(Diagnostic::at(table.place_of("clip"), message));
    }
    Some(ForecastError { sigma: sigma?, on, truncation, clip: clip.unwrap_or(0.0) })
}
