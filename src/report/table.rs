//! The table of a page: the columns of the terminal's table, with the values of `summary.csv`.

use crate::draw::auto::{Data, TextColumn};
use crate::output::ResultColumn;
use crate::scenario::Label;
use serde_json::{Value as Json, json};

/// The columns of a page: swept keys, the algorithm, and `results`, whose values are in `data`.
pub(super) fn columns(data: &Data, results: &[ResultColumn]) -> Vec<Json> {
    let labels = labels(data).into_iter().map(label);
    labels.chain(results.iter().map(|column| result(data, column))).collect()
}

/// The swept keys, and the algorithm unless one of them says the same in every row.
fn labels(data: &Data) -> Vec<&TextColumn> {
    let named = |name: &str| data.columns.iter().find(|column| column.name == name);
    let mut labels: Vec<&TextColumn> = data.swept.iter().filter_map(|key| named(key)).collect();
    let algorithm = named("algorithm");
    labels.extend(algorithm.filter(|algorithm| !labels.iter().any(|label| label.values == algorithm.values)));
    labels
}

fn label(TextColumn { name, values }: &TextColumn) -> Json {
    let title = name.rsplit('.').next().unwrap_or(name).replace('_', " ");
    let label = Label::of_key(name);
    let sizes = label.is_in_bytes().then(|| values.iter().map(|value| label.value_text(value)).collect::<Vec<_>>());
    json!({ "name": name, "title": title, "number": are_numbers(values), "values": values, "shown": sizes })
}

/// A column of results. A column that is not in the files is sorted by its cells.
fn result(data: &Data, ResultColumn { name, title, cells }: &ResultColumn) -> Json {
    let mean = format!("{name}_mean");
    let stored = data.columns.iter().find(|column| column.name == mean && !name.is_empty());
    let name = stored.map_or(*title, |column| column.name.as_str());
    let number = cells.iter().all(|cell| cell.is_empty() || cell.contains(|letter: char| letter.is_ascii_digit()));
    let is_text = stored.is_none() && cells.iter().any(|cell| cell.starts_with(|letter: char| letter.is_alphabetic()));
    json!({
        "name": name,
        "title": title,
        "number": number && !is_text,
        "values": stored.map(|column| &column.values),
        "shown": cells,
    })
}

fn are_numbers(values: &[String]) -> bool {
    values.iter().all(|value| value.is_empty() || value.parse::<f64>().is_ok())
}
