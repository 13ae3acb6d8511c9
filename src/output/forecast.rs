//! How far forecasts of a series were off, and what comes next: for people, and as CSV.

use super::table::grid;
use super::text::wrapped;
use crate::forecast::{Bank, Criterion, Errors, METHODS, Method, Next, PRIMARIES};
use crate::kind::words::{enumerated, grouped};
use std::io::Write;

/// The columns of [`forecast_csv`].
pub const FORECAST: [&str; 6] = ["name", "mae", "mse", "rmse", "chosen_mse", "chosen_mae"];

/// Writes the header and a line per method, in the order of the registry, and per selection (`SELECT_MSE`,
/// `SELECT_MAE`): the mean absolute error, the mean squared error and its root, in the units of the series (squared,
/// for the second), and how many forecasts of the selection by MSE and by MAE were the method's, empty for the
/// selections themselves. Errors are empty where nothing was forecast.
///
/// # Errors
/// When `output` does not take it.
pub fn forecast_csv(output: impl Write, bank: &Bank) -> csv::Result<()> {
    let mut lines = csv::Writer::from_writer(output);
    lines.write_record(FORECAST)?;
    for (at, (method, errors)) in bank.errors().enumerate() {
        let followed = Criterion::ALL.map(|criterion| bank.followed(criterion, at).to_string());
        lines.write_record([[method.name.to_owned()].as_slice(), &plain(errors), &followed].concat())?;
    }
    for criterion in Criterion::ALL {
        let name = format!("SELECT_{}", criterion.name());
        let followed = [String::new(), String::new()];
        lines.write_record([[name].as_slice(), &plain(bank.selected(criterion)), &followed].concat())?;
    }
    Ok(lines.flush()?)
}

fn plain(errors: Errors) -> [String; 3] {
    [errors.mae(), errors.mse(), errors.rmse()].map(|error| error.map_or(String::new(), |error| error.to_string()))
}

/// The same for people: a line on top with the `name` of the series, a table with the errors as shares of the mean as
/// well, and lines below with the next value, the method that was best, and `remarks` on the series, a sentence each.
pub fn forecast_table(name: &str, bank: &Bank, remarks: &[String]) -> String {
    let mean = bank.mean().unwrap_or(f64::NAN);
    let titles = ["method", "MAE", "RMSE", "MAE/mean", "RMSE/mean", "by MSE", "by MAE"];
    let mut lines = vec![titles.map(str::to_owned).to_vec()];
    for (at, (method, errors)) in bank.errors().enumerate() {
        let followed = |criterion| if at < PRIMARIES { grouped(bank.followed(criterion, at)) } else { String::new() };
        lines.push(line(method.name, errors, mean, &Criterion::ALL.map(followed)));
    }
    for criterion in Criterion::ALL {
        let name = format!("selection by {}", criterion.name());
        lines.push(line(&name, bank.selected(criterion), mean, &[String::new(), String::new()]));
    }
    let count = bank.values();
    let values = if count == 1 { "value" } else { "values" };
    let title = format!("{name}: {} {values}, mean {}", grouped(count), significant(mean));
    let remarks: String = remarks.iter().map(|remark| wrapped(&format!("Note: {remark}."), "", "  ", 100)).collect();
    format!("{title}\n{}\n{}{remarks}", grid(lines, 1), verdict(bank))
}

fn line(name: &str, errors: Errors, mean: f64, followed: &[String; 2]) -> Vec<String> {
    let share = |error: f64| {
        let share = error / mean.abs();
        if share.is_finite() { format!("{share:.4}") } else { String::new() }
    };
    let cell = |error: Option<f64>, show: &dyn Fn(f64) -> String| error.map_or(String::new(), show);
    let (mae, rmse) = (errors.mae(), errors.rmse());
    let cells = [cell(mae, &significant), cell(rmse, &significant), cell(mae, &share), cell(rmse, &share)];
    [[name.to_owned()].as_slice(), &cells, followed].concat()
}

/// What comes next, who was best, and what the last columns mean.
fn verdict(bank: &Bank) -> String {
    let best = Criterion::ALL.map(|criterion| Some(format!("{} by {}", best(bank, criterion)?.name, criterion.name())));
    let best: Vec<String> = best.into_iter().flatten().collect();
    if best.is_empty() {
        let next = bank.forecast(Criterion::Mse).map(|next| format!("Next value: {}. ", significant(next.value)));
        return next.unwrap_or_default() + "Errors of methods require at least 2 values.\n";
    }
    let next = Criterion::ALL.map(|criterion| bank.forecast(criterion).map(|next| says(&next, criterion)));
    let mut text: String = next.into_iter().flatten().collect();
    let extras: Vec<String> = METHODS[PRIMARIES..].iter().map(|method| method.name.to_owned()).collect();
    text += &format!("Best single method: {}.\n", best.join(", "));
    let columns = format!(
        "by MSE, by MAE: how many of the {} forecasts of each selection come from the method. The selections do not use {}.",
        grouped(bank.values() - 1),
        enumerated(&extras)
    );
    text + &wrapped(&columns, "", "", 100)
}

fn says(next: &Next, criterion: Criterion) -> String {
    let window = match next.derived.window {
        None => "all errors".to_owned(),
        Some(1) => "the last error".to_owned(),
        Some(window) => format!("the last {window} errors"),
    };
    let (value, name, of) = (significant(next.value), next.method.name, next.derived.criterion.name());
    format!("Next value by {}: {value}, from {name}, selected by the lowest {of} over {window}.\n", criterion.name())
}

/// The method of the whole registry with the least error; none before any forecast.
fn best(bank: &Bank, criterion: Criterion) -> Option<&'static Method> {
    let error = |errors: &Errors| match criterion {
        Criterion::Mse => errors.mse(),
        Criterion::Mae => errors.mae(),
    };
    let scored = bank.errors().filter_map(|(method, errors)| Some((method, error(&errors)?)));
    scored.min_by(|a, b| a.1.total_cmp(&b.1)).map(|(method, _)| method)
}

/// A number to four significant digits.
fn significant(value: f64) -> String {
    if value == 0.0 || !value.is_finite() {
        return "0".to_owned();
    }
    match value.abs() {
        small if !(1e-3..1e7).contains(&small) => format!("{value:.3e}"),
        1000.0.. => format!("{value:.0}"),
        100.0.. => format!("{value:.1}"),
        10.0.. => format!("{value:.2}"),
        1.0.. => format!("{value:.3}"),
        _ => format!("{value:.4}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_four_digits() {
        let cases =
            [(0.0, "0"), (0.25, "0.2500"), (-1.5, "-1.500"), (12345.6, "12346"), (2e-5, "2.000e-5"), (3e9, "3.000e9")];
        for (value, expected) in cases {
            assert_eq!(significant(value), expected);
        }
    }

    #[test]
    fn one_value_says_what_comes_next_and_no_errors() {
        let mut bank = Bank::all();
        bank.update(2.5);
        let table = forecast_table("one", &bank, &[]);
        assert!(table.starts_with("one: 1 value, mean 2.500\n"), "{table}");
        assert!(table.ends_with("Next value: 2.500. Errors of methods require at least 2 values.\n"), "{table}");
        let mut csv = Vec::new();
        assert!(forecast_csv(&mut csv, &bank).is_ok());
        assert!(String::from_utf8_lossy(&csv).starts_with("name,mae,mse,rmse,chosen_mse,chosen_mae\nLAST,,,,0,0\n"));
    }
}
