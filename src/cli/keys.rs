//! `flitwise list keys`: every table, and what its keys take, wrapped to the width of the terminal.

use super::Usage;
use flitwise::config::closest;
use flitwise::output::wrapped;
use flitwise::scenario::{KeyTable, tables};
use flitwise::units::Key;
use flitwise::units::key::{Fallback, Takes, each};
use serde_json::{Value, json};

/// Where nothing says how wide lines may be: as wide as the help of commands.
const WIDTH: usize = 100;

pub(super) fn of_all(width: Option<u16>) -> String {
    let sections: Vec<String> = tables().iter().map(|table| section(table, columns(width))).collect();
    sections.join("\n")
}

/// The table whose path is `name` and those below it.
pub(super) fn of_table(name: &str, width: Option<u16>) -> Result<String, Usage> {
    let name = name.trim_matches(['[', ']']);
    let below = format!("{name}.");
    let all = tables();
    let is_whole = |table: &&KeyTable| table.path == name || table.path.starts_with(&below);
    let last = |table: &&KeyTable| table.path.rsplit('.').next() == Some(name);
    // a table within another is meant by its last name where no other has it
    let meant = all.iter().filter(last).collect::<Vec<_>>();
    let chosen: Vec<&KeyTable> = match (all.iter().filter(is_whole).collect::<Vec<_>>(), meant.as_slice()) {
        (none, [table]) if none.is_empty() => vec![*table],
        (found, _) => found,
    };
    let sections: Vec<String> = chosen.into_iter().map(|table| section(table, columns(width))).collect();
    if sections.is_empty() {
        return Err(no_table(name, &all));
    }
    Ok(sections.join("\n"))
}

/// Every key of every table.
pub(super) fn json() -> Value {
    let key = |table: &KeyTable, key: &Key| {
        json!({
            "table": table.path,
            "name": key.name,
            "takes": key.values_text(),
            "default": key.default.in_words(),
            "unit": key.unit,
            "summary": key.sentence,
        })
    };
    tables().iter().flat_map(|table| table.keys.iter().map(move |one| key(table, one))).collect()
}

fn no_table(name: &str, all: &[KeyTable]) -> Usage {
    let paths = || all.iter().map(|table| table.path.as_str()).filter(|path| !path.is_empty());
    let last = |path: &&str| path.rsplit('.').next() == Some(name);
    let meant = paths().find(last).or_else(|| closest(name, paths()));
    let meant = meant.map(|path| format!("; did you mean `{path}`?"));
    let with_key = all.iter().filter(|table| table.keys.iter().any(|key| key.name == name));
    let with_key: Vec<String> = with_key.map(|table| format!("[{}]", table.path)).collect();
    let advice = match with_key.as_slice() {
        [] => "`flitwise list keys` lists all tables".to_owned(),
        tables => format!("`{name}` is a key of {}", tables.join(", ")),
    };
    Usage(format!("no table is called `{name}`{}\n{advice}", meant.unwrap_or_default()))
}

fn columns(width: Option<u16>) -> usize {
    width.map_or(WIDTH, usize::from).max(60)
}

fn section(table: &KeyTable, width: usize) -> String {
    let title = if table.path.is_empty() { String::new() } else { format!("[{}]: ", table.path) };
    let mut text = wrapped(&format!("{title}{}", table.sentence), "", "    ", width);
    for key in table.keys {
        let unit = if key.unit.is_empty() { String::new() } else { format!(" ({})", key.unit) };
        text += &wrapped(&format!("{}{unit}: {}", key.name, key.sentence), "  ", "      ", width);
        text += &wrapped(&values(key), "      ", "          ", width);
    }
    text
}

/// The values of the key, its default, and the conditions under which it is read.
fn values(key: &Key) -> String {
    let default = match (key.takes, key.default) {
        (
            Takes::Table(_) | Takes::OneOf(_) | Takes::Tables(_) | Takes::Named(_) | Takes::Like(..) | Takes::Free,
            Fallback::Derived(_),
        ) => String::new(),
        (_, Fallback::Required) => "; required".to_owned(),
        (_, Fallback::Word(word)) => format!("; default: `{word}`"),
        (_, default) => format!("; default: {}", default.in_words()),
    };
    let readers = key.readers.in_words();
    let readers = if readers.is_empty() { readers } else { format!("; {readers}") };
    let earlier = match key.aliases {
        [] => String::new(),
        names => format!("; earlier name: `{}`", names.join("`, `")),
    };
    format!("{}{default}{readers}{earlier}", accepted(key))
}

/// The values of the key, words in backticks.
fn accepted(key: &Key) -> String {
    let text = key.values_text();
    let (Takes::Word(words) | Takes::Words(words) | Takes::Names(_, words)) = key.takes else { return text };
    let plain: Vec<&str> = each(words).collect();
    text.replacen(&plain.join(", "), &format!("`{}`", plain.join("`, `")), 1)
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::panic, reason = "a test that cannot go on fails")]
mod tests {
    use super::*;

    #[test]
    fn no_line_is_wider_than_the_terminal() {
        for width in [60, 80, 120] {
            let text = of_all(Some(width));
            let wide = text.lines().find(|line| line.chars().count() > usize::from(width));
            assert_eq!(wide, None, "{width}");
        }
    }

    #[test]
    fn a_table_is_found_by_its_path() {
        let router = of_table("[router]", None).unwrap();
        assert!(router.starts_with("[router]: ") && router.contains("  channel_latency (cycles): time for a flit"));
        assert!(of_table("error", None).unwrap().contains("[error.forecast]"));
        assert!(of_table("mapping", None).unwrap().starts_with("[workload.mapping]: "));
        assert_eq!(of_table("logp", None).unwrap(), of_table("model.logp", None).unwrap());
        assert_eq!(
            of_table("roter", None).unwrap_err().0,
            "no table is called `roter`; did you mean `router`?\n`flitwise list keys` lists all tables"
        );
    }
}
