//! Hostile input: what names of files, keys and texts of a scenario may not do to pages, tables, scripts, terminals and folders.

use crate::cli::{Bench, csv_rows};
use std::collections::BTreeSet;
use std::fs;
use std::process::Command;

/// What a message is about is its own: what is read of it is the same.
const TRACE: &str = "id,src,dst,flits,start\n70,0,3,9,1\n";

/// A scenario that sweeps over the traces in these files.
fn sweep_of(files: &[&str]) -> String {
    let names: Vec<String> = files.iter().map(|name| serde_json::to_string(name).unwrap()).collect();
    format!(
        "name = \"traces\"\n[network.mesh]\nshape = [5]\n[workload.trace]\nfile = \"t.csv\"\n[sweep]\n\"workload.trace.file\" = [{}]\n",
        names.join(", ")
    )
}

/// A bench with such a scenario and these files.
fn bench_of(files: &[&str]) -> Bench {
    let bench = Bench::new(&sweep_of(files));
    for name in files {
        let path = bench.path(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, TRACE).unwrap();
    }
    bench
}

fn names_in(folder: &std::path::Path) -> BTreeSet<String> {
    fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned()).collect()
}

#[test]
fn a_name_leads_to_no_other_folder() {
    let long = "a".repeat(300);
    let names = [
        "../up",
        "/absolute",
        ".",
        "..",
        "",
        "a/b",
        "a\\b",
        "CON",
        "con",
        "nul",
        "com1",
        "lpt9",
        "a b",
        "a\nb",
        "~",
        "$HOME",
        "a\u{0}b",
        "\u{1b}[2J",
        "\u{202e}x",
        "na\u{ef}ve",
        &long,
    ];
    for name in names {
        let name = serde_json::to_string(name).unwrap();
        let bench = Bench::new(&format!(
            "name = {name}\n[network.mesh]\nshape = [4, 4]\n[workload.multicast]\nalgorithms = [\"u-mesh\"]\nflits = 1\ngroup = 4\n"
        ));
        for verb in ["run", "submit"] {
            let mut call = vec![verb, "s.toml", "--out", "out/here"];
            call.extend(if verb == "submit" { &["--tasks", "2", "--dry-run"][..] } else { &[] });
            let said = bench.fails(2, &call);
            assert!(said.contains("`name`") || said.contains("null"), "{name}: {said}");
            assert!(!said.contains('\u{1b}') && !said.contains('\u{202e}'), "{name}: {said}");
        }
        assert_eq!(names_in(&bench.path("")), BTreeSet::from(["s.toml".to_owned()]), "{name}");
    }
}

/// A scenario that names a file.
#[derive(Clone, Copy, Debug)]
struct Naming {
    before: &'static str,
    behind: &'static str,
}

/// Where a scenario names one; an include stands before all tables.
const NAMINGS: [Naming; 5] = [
    Naming { before: "[network.mesh]\nshape = [5]\n[workload.trace]\nfile = ", behind: "" },
    Naming { before: "include = ", behind: "[workload.trace]\nfile = \"t.csv\"\n[network.mesh]\nshape = [5]\n" },
    Naming { before: "[workload.goal]\nfile = ", behind: "[network.mesh]\nshape = [5]\n" },
    Naming { before: "[workload.msccl]\nfile = ", behind: "[network.mesh]\nshape = [5]\n" },
    Naming { before: "[workload.trace]\nfile = \"t.csv\"\n[network.graph]\nformat = \"csv\"\nfile = ", behind: "" },
];

/// What `check` says of a scenario that names the file `named`.
fn said_of(bench: &Bench, naming: Naming, named: &str) -> String {
    let named = serde_json::to_string(named).unwrap();
    let Naming { before, behind } = naming;
    fs::write(bench.path("s.toml"), format!("name = \"hostile\"\n{before}{named}\n{behind}")).unwrap();
    bench.fails(2, &["check", "s.toml"])
}

#[cfg(unix)]
#[test]
fn what_is_no_file_is_refused_wherever_it_is_named() {
    let bench = Bench::new("");
    fs::write(bench.path("t.csv"), TRACE).unwrap();
    fs::create_dir(bench.path("folder")).unwrap();
    assert!(Command::new("mkfifo").arg(bench.path("pipe")).status().unwrap().success());
    let _socket = std::os::unix::net::UnixListener::bind(bench.path("socket")).unwrap();
    std::os::unix::fs::symlink("loop", bench.path("loop")).unwrap();
    std::os::unix::fs::symlink("pipe", bench.path("link")).unwrap();
    let long = "x".repeat(5000);
    for naming in NAMINGS {
        for (named, expected) in [
            ("folder", "it is a directory; accepted: a regular file"),
            (".", "it is a directory"),
            ("pipe", "it is a pipe, which may never end; accepted: a regular file"),
            ("link", "it is a pipe"),
            ("socket", "it is a socket, which may never end"),
            ("/dev/zero", "it is a device, which may never end"),
            ("/dev/full", "it is a device"),
            ("loop", "ymbolic link"),
            ("missing", "No such file"),
            ("a\u{0}b", "nul byte"),
            (&long, "ame too long"),
        ] {
            let said = said_of(&bench, naming, named);
            assert!(said.to_lowercase().contains(&expected.to_lowercase()), "{naming:?} {named:.20}: {said:.400}");
        }
    }
}

#[cfg(unix)]
#[test]
fn what_is_too_large_is_refused_before_it_is_read() {
    let bench = Bench::new("");
    fs::write(bench.path("t.csv"), TRACE).unwrap();
    // sparse: it has no more bytes on the disk than its length takes
    fs::File::create(bench.path("huge")).unwrap().set_len(1 << 42).unwrap();
    for naming in NAMINGS {
        let said = said_of(&bench, naming, "huge");
        assert!(said.contains("of memory") || said.contains("the limit of 64 MiB"), "{naming:?}: {said}");
    }
    for verb in ["run", "check", "plan"] {
        assert!(bench.fails(3, &[verb, "huge"]).contains("the limit of 64 MiB"));
    }
    assert!(bench.fails(3, &["run", "/dev/zero"]).contains("the limit of 64 MiB"));
}

/// What spreadsheets compute.
const FORMULAS: [&str; 6] =
    ["=HYPERLINK(\"http://x\",\"y\").csv", "@SUM(A1).csv", "+cmd.csv", "-cmd.csv", "\t=1.csv", "\r=1.csv"];

#[cfg(unix)]
#[test]
fn no_field_of_a_table_is_a_formula() {
    for name in FORMULAS {
        let bench = bench_of(&[name, "b.csv"]);
        let said = bench.fails(2, &["run", "s.toml"]);
        assert!(said.contains("swept values are written to tables") && said.contains("`./`"), "{said}");
        assert!(said.contains("read as a formula") || said.contains("control character"), "{said}");
    }
    // the same files by another name, and numbers below zero
    let named = ["./=1+1.csv", "./@a.csv", "./-b.csv"];
    let bench = bench_of(&named);
    bench.ok(&["run", "s.toml", "--quiet"]);
    let rows = csv_rows(&fs::read_to_string(bench.path("results/traces/rows.csv")).unwrap());
    let column: Vec<&str> = rows.iter().map(|row| row["workload.trace.file"].as_str()).collect();
    assert_eq!(column, named);
}

/// Names that are text and nothing else.
const NAMES: [&str; 9] = [
    "<script>alert(1)</script>.csv",
    "a\"b'c.csv",
    "a,b;c.csv",
    "$(touch marker).csv",
    "`touch marker`.csv",
    "a & b <b> |.csv",
    "[x](javascript:alert(1)).csv",
    "\u{200f}\u{5d0}.csv",
    "a\\b%s%n.csv",
];

#[cfg(unix)]
#[test]
fn names_are_text_in_tables_json_and_pages() {
    let bench = bench_of(&NAMES);
    bench.ok(&["run", "s.toml", "--quiet", "--html", "--messages"]);
    for file in ["rows.csv", "summary.csv"] {
        let rows = csv_rows(&fs::read_to_string(bench.path("results/traces").join(file)).unwrap());
        let column: Vec<&str> = rows.iter().map(|row| row["workload.trace.file"].as_str()).collect();
        assert_eq!(column, NAMES, "{file}");
    }
    let page = fs::read_to_string(bench.path("results/traces/report.html")).unwrap();
    // its own: the data, the script, and blobs of replays
    let scripts = page.matches("<script").count();
    assert_eq!(scripts, page.matches("</script>").count());
    assert!(!page.contains("<script>alert") && !page.contains("<b> |") && page.contains("default-src 'none'"));
    let plan: serde_json::Value = serde_json::from_str(&bench.ok(&["plan", "s.toml", "--json"])).unwrap();
    let text = plan.to_string();
    assert!(NAMES.iter().all(|name| text.contains(&serde_json::to_string(name).unwrap())), "{text}");
    let rows = csv_rows(&bench.ok(&["plan", "s.toml", "--csv"]));
    assert_eq!(rows.iter().map(|row| row["workload.trace.file"].as_str()).collect::<Vec<_>>(), NAMES);
    assert!(!bench.path("marker").exists());
}

/// Texts that a figure may have.
const TEXTS: [&str; 7] = [
    "<script>alert(1)</script>",
    "a | b\\n# c",
    "![x](http://x/y) [z](javascript:w)",
    "\\\"'&<>]]> <!-- -->",
    "\\u0001\\u001b[31m",
    "\\u202eabc",
    "`code` $(x)",
];

#[test]
fn texts_of_figures_are_text_in_pictures_and_on_the_page() {
    for text in TEXTS {
        let scenario = format!(
            "name = \"drawn\"\n[network.mesh]\nshape = [4, 4]\n[workload.multicast]\nalgorithms = [\"u-mesh\", \"opt-mesh\"]\n\
             flits = 4\ngroup = 4\n[node]\nsend_setup = 20\nreceive_setup = 30\n[sweep]\n\"workload.multicast.flits\" = [1, 4, 8]\n\
             [figure]\nsource = \"{text}, figure 1\"\ntitle = \"{text}\"\nx = \"workload.multicast.flits\"\ny = \"measured_mean\"\n\
             x_label = \"{text}\"\ny_label = \"{text}\"\n[[claim]]\nsays = \"{text}\"\nholds = \"u_mesh.measured_mean > 0\"\n\
             note = \"{text}\"\n"
        );
        let bench = Bench::new("");
        fs::create_dir(bench.path("mine")).unwrap();
        fs::write(bench.path("mine/drawn.toml"), scenario).unwrap();
        bench.ok(&["figures", "--scenarios", "mine"]);
        let svg = fs::read_to_string(bench.path("results/mine/drawn.svg")).unwrap();
        let parsed = roxmltree::Document::parse(&svg).unwrap_or_else(|error| panic!("{text}: {error}"));
        let shown =
            |node: roxmltree::Node<'_, '_>| ["script", "image", "a", "foreignObject"].contains(&node.tag_name().name());
        assert!(!parsed.descendants().any(shown), "{text}");
        let page = fs::read_to_string(bench.path("results/mine/README.md")).unwrap();
        assert!(!page.replace("\\<", "").contains("<script"), "{page}");
        let links = page.replace("\\](", "");
        assert!(!links.contains("](javascript") && !links.contains("](http"), "{page}");
        assert!(!page.chars().any(|c| c.is_control() && c != '\n') && !page.contains('\u{202e}'), "{page}");
        assert!(!page.contains("\n# c"), "{page}");
        let cells = |line: &str| line.replace("\\|", "").matches('|').count();
        let table: Vec<usize> = page.lines().filter(|line| line.starts_with("| `drawn`")).map(cells).collect();
        assert_eq!(table, [7], "{page}");
    }
}

/// Whether `said` could make a terminal do anything.
fn is_obeyed(said: &str) -> bool {
    said.chars().any(|c| c.is_control() && c != '\n' && c != '\t' || ('\u{202a}'..='\u{202e}').contains(&c))
}

#[test]
fn terminals_are_told_nothing_by_names_and_texts() {
    let evil = "x\u{1b}[2J\u{9b}31m\u{202e}\u{7}";
    let quoted = serde_json::to_string(evil).unwrap();
    let mesh = "[network.mesh]\nshape = [5]\n";
    let bench = Bench::new("");
    for scenario in [
        format!("name = {quoted}\n{mesh}"),
        format!("name = \"a\"\n{quoted} = 1\n{mesh}"),
        format!("name = \"a\"\n{mesh}[workload.trace]\nfile = {quoted}\n"),
        format!("name = \"a\"\ninclude = {quoted}\n{mesh}"),
        format!("name = \"a\"\n{mesh}[workload.multicast]\nalgorithms = [{quoted}]\nflits = 1\ngroup = 4\n"),
        format!("name = \"a\"\ntick = {quoted}\n{mesh}"),
        format!(
            "name = \"a\"\n{mesh}[workload.trace]\nfile = \"t.csv\"\n[sweep]\nwhere = [{quoted}]\n\"seed\" = [1, 2]\n"
        ),
        format!("name = \"a\"\n{mesh}[workload.trace]\nfile = \"t.csv\"\n[sweep]\n{quoted} = [1, 2]\n"),
        // not even TOML
        format!("name = \"a\"\n{evil} = 2\n"),
    ] {
        fs::write(bench.path("s.toml"), &scenario).unwrap();
        for verb in ["check", "run"] {
            let said = bench.fails(2, &[verb, "s.toml"]);
            assert!(said.contains("error") && !is_obeyed(&said), "{scenario:?}: {said:?}");
        }
    }
    // in files that it names
    fs::write(bench.path("s.toml"), format!("name = \"a\"\n{mesh}[workload.trace]\nfile = \"t.csv\"\n")).unwrap();
    fs::write(bench.path("t.csv"), format!("id,src,dst,flits,start\n1,0,{evil},3,4\n")).unwrap();
    assert!(!is_obeyed(&bench.fails(2, &["check", "s.toml"])));
    // and on the command line
    for call in [
        &["run", evil][..],
        &["run", "s.toml", "--out", evil],
        &["merge", evil],
        &["status", evil],
        &["show", evil],
        &["fit", evil],
        &["forecast", evil],
        &["compare", evil, evil],
        &["figures", "--scenarios", evil],
        &["check", "s.toml", "--set", evil],
    ] {
        let output = bench.call(call);
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(matches!(output.status.code(), Some(2 | 3)) && !is_obeyed(&said), "{call:?}: {said:?}");
    }
}

/// Folders whose names a shell would run.
const FOLDERS: [&str; 8] = [
    "a'b\"c",
    "$(touch marker)",
    "`touch marker`",
    "a; touch marker; b",
    "a\ntouch marker\n",
    "-rf",
    "a b\\",
    "&& %j \u{5d0} *",
];

#[cfg(unix)]
#[test]
fn scripts_of_submit_run_nothing_but_the_sweep() {
    for folder in FOLDERS {
        let bench = Bench::new("");
        fs::create_dir(bench.path(folder)).unwrap();
        let scenario = bench.path(folder).join("$(touch marker)';\".toml");
        fs::write(&scenario, sweep_of(&["t.csv"])).unwrap();
        fs::write(bench.path(folder).join("t.csv"), TRACE).unwrap();
        let scenario = scenario.to_str().unwrap();
        let out = bench.path(folder).join("out");
        let out = out.to_str().unwrap();
        let other = "$(touch marker) `touch marker`'\".csv";
        fs::write(bench.path(folder).join(other), TRACE).unwrap();
        let set = format!("workload.trace.file={other}");
        let said = bench.ok(&["submit", scenario, "--tasks", "1", "--out", out, "--set", &set, "--dry-run"]);
        let scripts = bench.path(folder).join("out/traces/slurm");
        let shell = |script: &str, before: &[&str]| {
            let path = scripts.join(script);
            let mut command = Command::new("bash");
            command.args(before).arg(&path).current_dir(bench.path("")).env("SLURM_ARRAY_TASK_ID", "1");
            let output = command.output().unwrap();
            assert!(output.status.success(), "{folder:?} {script}: {}", String::from_utf8_lossy(&output.stderr));
        };
        for script in ["array.sh", "merge.sh"] {
            shell(script, &["-n"]);
            shell(script, &[]);
        }
        assert!(bench.path(folder).join("out/traces/rows.csv").is_file(), "{folder:?}");
        // the commands that would submit them are a line each for a shell, which gives them the words that were meant
        let words = shlex::split(&said).unwrap();
        assert!(words.iter().any(|word| *word == scripts.join("array.sh").to_str().unwrap()), "{folder:?}: {said}");
        let log = words.iter().find(|word| word.starts_with("--output=") && word.ends_with("task-%a.log")).unwrap();
        assert_eq!(log.matches('%').count(), 1 + 2 * folder.matches('%').count(), "{log}");
        let markers = [bench.path("marker"), bench.path(folder).join("marker")];
        assert!(markers.iter().all(|marker| !marker.exists()), "{folder:?}");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn names_that_are_not_utf8_are_read_and_not_put_into_scripts() {
    use std::os::unix::ffi::OsStrExt;
    let bench = Bench::new("");
    let name = std::ffi::OsStr::from_bytes(b"sc\xff\xfe.toml");
    fs::write(bench.path("").join(name), sweep_of(&["t.csv"])).unwrap();
    fs::write(bench.path("t.csv"), TRACE).unwrap();
    let call = |before: &[&str], behind: &[&str]| bench.command(before).arg(name).args(behind).output().unwrap();
    let output = call(&["run"], &["--quiet"]);
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
    assert!(bench.path("results/traces/rows.csv").exists());
    let output = call(&["submit"], &["--tasks", "2", "--out", "cut", "--dry-run"]);
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(output.status.code() == Some(2) && said.contains("is not UTF-8") && said.contains("accepted: "), "{said}");
}

/// Where files are read that no scenario names: outputs of runs before, and what the command line names, which is bounded there.
const OWN: [&str; 5] = ["src/cli/", "src/memory/", "src/sweep/", "src/output/", "src/selftest/"];

/// The one place that opens what scenarios name.
const OPENS: &str = "src/config/regular.rs";

#[test]
fn what_scenarios_name_is_opened_in_one_place() {
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut folders = vec![root.join("src")];
    let mut looked_at = 0;
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).unwrap() {
            let path = entry.unwrap().path();
            let name = path.strip_prefix(root).unwrap().to_string_lossy().replace('\\', "/");
            if path.is_dir() {
                folders.push(path);
            } else if name.ends_with(".rs")
                && !name.ends_with("tests.rs")
                && !name.contains("/tests/")
                && !OWN.iter().any(|own| name.starts_with(own))
            {
                let text = fs::read_to_string(&path).unwrap();
                let code = text.split("#[cfg(test)]").next().unwrap();
                let opens = ["File::open", "fs::read(", "fs::read_to_string", "from_path("];
                let opens = code.lines().any(|line| opens.iter().any(|open| line.contains(open)));
                assert_eq!(opens, name == OPENS, "{name}");
                looked_at += 1;
            }
        }
    }
    assert!(looked_at > 200, "{looked_at} files");
}
