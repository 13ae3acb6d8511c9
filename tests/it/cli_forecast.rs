//! `flitwise forecast`: the files it takes, what it says of them, and what it says of others.

use crate::cli::Bench;
use flitwise::forecast::{Bank, Criterion, METHODS};
use std::fs;

const VALUES: [f64; 8] = [7.0, 9.0, 8.5, 8.0, 12.0, 8.0, 8.25, 8.0];

fn bench(file: &str, text: &str) -> Bench {
    let bench = Bench::new("");
    fs::write(bench.path(file), text).unwrap();
    bench
}

fn bank() -> Bank {
    let mut bank = Bank::all();
    VALUES.iter().for_each(|&value| bank.update(value));
    bank
}

#[test]
fn the_csv_is_the_account_of_the_library() {
    let text = VALUES.map(|value| format!("{value}\n")).concat();
    let bank = bank();
    let printed = bench("a.txt", &text).ok(&["forecast", "a.txt", "--csv"]);
    let mut lines = printed.lines();
    assert_eq!(lines.next(), Some("name,mae,mse,rmse,chosen_mse,chosen_mae"));
    for (at, (method, errors)) in bank.errors().enumerate() {
        let [mae, mse, rmse] = [errors.mae(), errors.mse(), errors.rmse()].map(Option::unwrap);
        let [by_mse, by_mae] = Criterion::ALL.map(|criterion| bank.followed(criterion, at));
        assert_eq!(lines.next().unwrap(), format!("{},{mae},{mse},{rmse},{by_mse},{by_mae}", method.name));
    }
    for criterion in Criterion::ALL {
        let errors = bank.selected(criterion);
        let [mae, mse, rmse] = [errors.mae(), errors.mse(), errors.rmse()].map(Option::unwrap);
        assert_eq!(lines.next().unwrap(), format!("SELECT_{},{mae},{mse},{rmse},,", criterion.name()));
    }
    assert_eq!(lines.next(), None);
}

#[test]
fn the_table_names_every_method_and_what_comes_next() {
    let text = VALUES.map(|value| format!("{value}\n")).concat();
    let printed = bench("a.txt", &text).ok(&["forecast", "a.txt"]);
    assert!(printed.starts_with("a.txt: 8 values, mean 8.594\n"), "{printed}");
    for method in METHODS {
        assert!(printed.lines().any(|line| line.starts_with(&format!("{} ", method.name))), "{}", method.name);
    }
    let next = bank().forecast(Criterion::Mae).unwrap();
    assert!(
        printed.contains(&format!("Next value by MAE: {:.3}, from {}, selected by ", next.value, next.method.name)),
        "{printed}"
    );
}

/// The same values, written as people write them.
#[test]
fn headers_columns_comments_and_line_ends_do_not_matter() {
    let plain = VALUES.map(|value| format!("{value}\n")).concat();
    let expected = bench("a", &plain).ok(&["forecast", "a", "--csv"]);
    let table = VALUES.map(|value| format!("x,{value},\"1,2\"\n")).concat();
    let headed = format!("# measured at night\n\ntime,bandwidth,\"note\"\n{table}");
    let cases: [(String, &[&str]); 8] = [
        (format!("bandwidth\n{plain}"), &[]),
        (plain.replace('\n', "\r\n"), &[]),
        (plain.replace('\n', "\n\n  # x\n"), &[]),
        (plain.trim_end().to_owned(), &["--column", "1"]),
        (headed.clone(), &["--column", "bandwidth"]),
        (headed.clone(), &["--column", "2"]),
        (headed.replace('\n', "\r\n"), &["--column", "bandwidth"]),
        (table, &["--column", "2"]),
    ];
    for (text, column) in cases {
        let found = bench("a", &text).ok(&[&["forecast", "a", "--csv"], column].concat());
        assert_eq!(found, expected, "{text}");
    }
}

#[test]
fn what_is_no_series_is_said_with_its_place() {
    let cases: [(&str, &[&str], &str, [&str; 2]); 8] = [
        ("1\n2\n\nabc\n", &[], "a.csv:4:1", ["\"abc\" is not a value", "a decimal number from -1e100 to 1e100"]),
        ("t,b\n0,1\n1,zz\n", &["--column", "b"], "a.csv:3:1", ["column 2: \"zz\" is not a value", "1,zz"]),
        (
            "t,b\n0,1\n",
            &["--column", "c"],
            "a.csv:1:1",
            ["no column is called \"c\" in the first line, \"t,b\"", "accepted: one of t, b, or"],
        ),
        (
            "0,1\n1\n",
            &["--column", "2"],
            "a.csv:2:1",
            ["\"1\" has 1 field, but column 2 is needed", "accepted: column 1"],
        ),
        (
            "0;1\n1;2\n",
            &["--column", "2"],
            "a.csv:1:1",
            ["\"0;1\" has 1 field, but column 2 is needed", "a comma separates: write a comma for `;`"],
        ),
        (
            "0,1\n",
            &[],
            "a.csv:1:1",
            ["\"0,1\" has 2 fields", "else one value per line, or a column selected with --column"],
        ),
        ("", &[], "a.csv: no values", ["accepted: one per line", "1 error"]),
        ("t,b\n", &["--column", "b"], "a.csv: no values", ["accepted: one per line", "1 error"]),
    ];
    for (text, column, place, expected) in cases {
        let error = bench("a.csv", text).fails(2, &[&["forecast", "a.csv"], column].concat());
        assert!(error.contains(place) && expected.iter().all(|part| error.contains(part)), "{error}");
    }
}

#[test]
fn decimal_commas_and_extra_fields_are_refused() {
    let commas: String = (0..24).map(|at| format!("{},{:02}\n", 84 + at % 7, 93 - 4 * at)).collect();
    for (text, column) in [
        ("bandwidth\n10,5\n11,5\n", "bandwidth"),
        ("bandwidth\n10,5\n11,5\n", "1"),
        ("a,b\n1,2\n3,4,5\n", "b"),
        (&commas, "1"),
        (&commas, "2"),
    ] {
        let error = bench("a.csv", text).fails(2, &["forecast", "a.csv", "--column", column]);
        assert!(error.contains("decimal comma"), "{text}: {error}");
    }
    let error = bench("a.csv", &commas).fails(2, &["forecast", "a.csv"]);
    assert!(error.contains("write a decimal point, not a decimal comma"), "{error}");
}

#[test]
fn samples_that_are_not_equally_spaced_get_a_remark() {
    let flat = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
    let gap = bench("a.csv", "time,bw\n0,10\n10,11\n20,12\n300,13\n");
    let remark = "the times in column time are unequally spaced, 10 to 280 apart, with the largest gap before line 5";
    assert!(flat(&gap.ok(&["forecast", "a.csv", "--column", "bw"])).contains(remark));
    let output = gap.call(&["forecast", "a.csv", "--column", "bw", "--csv"]);
    assert!(flat(&String::from_utf8_lossy(&output.stderr)).contains(remark), "CSV has no notes");
    let blank = bench("a", "1\n2\n\n4\n5\n").ok(&["forecast", "a"]);
    assert!(
        flat(&blank).contains("a blank line is between values, in line 3; forecasts assume equal spacing"),
        "{blank}"
    );
    let even = bench("a.csv", "time,bw\n0,10\n10,11\n20,12\n").ok(&["forecast", "a.csv", "--column", "bw"]);
    assert!(!even.contains("Note:"), "{even}");
}

#[test]
fn utf16_is_named() {
    let bench = bench("a.csv", "");
    fs::write(bench.path("a.csv"), b"\xff\xfe1\0\n\0").unwrap();
    for verb in ["forecast", "fit"] {
        let error = bench.fails(2, &[verb, "a.csv"]);
        assert!(error.contains("this is UTF-16 text") && error.contains("iconv -f UTF-16"), "{error}");
    }
}

#[test]
fn what_cannot_be_read_is_no_usage_error() {
    let bench = bench("a", "1\n");
    assert!(bench.fails(3, &["forecast", "nowhere.csv"]).contains("cannot read the series nowhere.csv"));
    assert!(bench.fails(3, &["forecast", "."]).contains("cannot read the series ."));
    assert!(bench.fails(2, &["forecast", "a", "--column", "0"]).contains("columns are counted from 1"));
    bench.fails(2, &["forecast"]);
}

#[test]
fn bytes_that_are_no_text_are_bad_contents() {
    let bench = Bench::new("");
    fs::write(bench.path("a"), [b'1', b'\n', 0xff, 0xfe, b'\n']).unwrap();
    assert!(bench.fails(2, &["forecast", "a"]).contains("--> a:2:1"));
}
