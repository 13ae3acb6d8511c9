//! Pages of Markdown whose examples are run: the README and the guides.
//!
//! - A block of `toml` is a whole scenario. It is written to a file that is called like it, proved and run.
//! - `toml fragment` goes into the scenario before it, and what comes of that is proved. What it says takes the place of what
//!   stands there, and of two networks, workloads or models the one that it brings stays.
//! - A block with a file's name behind its language, such as `text ring.goal`, is written to that file.
//! - In a block of `console` the lines that begin with `$ ` are commands, which are run, and what stands below one is what it
//!   writes to standard output, unless that is nothing; `...` stands for any lines, `[..]` for anything within a line. In
//!   `console fails` every command ends with an error, and what it says of it counts, too.
//! - A block of `sh` is not run, for it needs a cluster, a compiler or an hour; its verbs, options and files are looked up.
//! - Between `<!-- generated: NAME` and `<!-- end -->` stands what a test makes.
//!
//! `FLITWISE_BLESS=1` writes what is printed, and what is made, into the pages; `?` as the output of a command asks for it.

use crate::support::data_path;
use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// What stands between two fences.
#[derive(Debug)]
struct Block {
    language: String,
    marks: Vec<String>,
    /// The numbers of the first line and of the line after the last, counted from 0.
    lines: (usize, usize),
}

/// A page, and a folder in which what it shows happens.
pub(crate) struct Page {
    path: PathBuf,
    lines: Vec<String>,
    folder: tempfile::TempDir,
    /// The text of the last whole scenario.
    scenario: String,
}

pub(crate) fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

pub(crate) fn bless() -> bool {
    std::env::var_os("FLITWISE_BLESS").is_some()
}

impl Page {
    pub(crate) fn open(name: &str) -> Self {
        let path = root().join(name);
        let text = fs::read_to_string(&path).unwrap();
        let folder = tempfile::tempdir().unwrap();
        Self { path, lines: text.lines().map(str::to_owned).collect(), folder, scenario: String::new() }
    }

    /// Does what the page shows, from above to below.
    pub(crate) fn run(mut self) {
        copy(&root().join("scenarios"), &self.folder.path().join("scenarios"));
        for (name, file) in [("latency.txt", "fit/osu_latency_v5.txt"), ("bandwidth.txt", "fit/osu_bw_v5.txt")] {
            fs::copy(data_path(file), self.folder.path().join(name)).unwrap();
        }
        let mut changes = Vec::new();
        for block in self.blocks() {
            let text =
                self.lines[block.lines.0..block.lines.1].iter().fold(String::new(), |text, line| text + line + "\n");
            let file = block.marks.iter().find(|mark| mark.contains('.'));
            match block.language.as_str() {
                _ if file.is_some() => fs::write(self.folder.path().join(file.unwrap()), &text).unwrap(),
                "toml" if block.marks.iter().any(|mark| mark == "fragment") => self.fragment(&block, &text),
                "toml" => self.whole(&block, text),
                "console" => changes.push((block.lines, self.console(&block, &text))),
                "sh" => self.shown(&block, &text),
                "rust" | "python" | "text" => {} // compiled, or run by the tests of the Python module
                other => panic!("{}: `{other}` is not a language of blocks", self.at(&block)),
            }
        }
        self.check_pictures();
        if bless() {
            for ((from, to), text) in changes.into_iter().rev() {
                self.lines.splice(from..to, text.lines().map(str::to_owned));
            }
            fs::write(&self.path, self.lines.join("\n") + "\n").unwrap();
        }
    }

    /// Compares the pictures beside the page with those that its commands have made.
    fn check_pictures(&self) {
        for (_, behind) in self.lines.iter().filter_map(|line| line.split_once("](pictures/")) {
            let name = behind.split(')').next().unwrap();
            if !name.ends_with(".svg") {
                continue; // a browser has made it
            }
            let shown = self.path.parent().unwrap().join("pictures").join(name);
            let made = fs::read(self.folder.path().join(name)).unwrap();
            if bless() {
                fs::write(&shown, made).unwrap();
            } else {
                assert!(fs::read(&shown).is_ok_and(|shown| shown == made), "{} is another", shown.display());
            }
        }
    }

    /// Compares what is said to be generated under `name` with `made`.
    pub(crate) fn compare(&mut self, name: &str, made: &str) {
        let begin = format!("<!-- generated: {name}");
        let found = self.lines.iter().position(|line| line.starts_with(&begin));
        let from = found.unwrap_or_else(|| panic!("{}: nothing is generated as `{name}`", self.path.display())) + 1;
        let to = from + self.lines[from..].iter().position(|line| line == "<!-- end -->").unwrap();
        let made: Vec<String> =
            format!("\n{}\n", made.trim()).lines().map(str::to_owned).chain([String::new()]).collect();
        if bless() {
            self.lines.splice(from..to, made);
            fs::write(&self.path, self.lines.join("\n") + "\n").unwrap();
        } else {
            assert!(self.lines[from..to] == made, "{}: `{name}` is not\n{}", self.path.display(), made.join("\n"));
        }
    }

    pub(crate) fn text(&self) -> String {
        self.lines.join("\n")
    }

    fn at(&self, block: &Block) -> String {
        format!("{}:{}", self.path.display(), block.lines.0 + 1)
    }

    fn blocks(&self) -> Vec<Block> {
        let mut blocks = Vec::new();
        let mut fences = (0..self.lines.len()).filter(|&line| self.lines[line].starts_with("```"));
        while let Some(begin) = fences.next() {
            let end = fences.next().expect("a block ends");
            let mut words = self.lines[begin][3..].split(' ').map(str::to_owned);
            let language = words.next().unwrap_or_default();
            blocks.push(Block { language, marks: words.collect(), lines: (begin + 1, end) });
        }
        blocks
    }

    /// Runs a scenario, which proves it.
    fn whole(&mut self, block: &Block, text: String) {
        let table: toml::Table = text.parse().unwrap_or_else(|error| panic!("{}: {error}", self.at(block)));
        let name = table["name"].as_str().unwrap().to_owned();
        fs::write(self.folder.path().join(format!("{name}.toml")), &text).unwrap();
        self.succeeds(block, &format!("flitwise check {name}.toml"));
        self.succeeds(block, &format!("flitwise run {name}.toml --out blocks --force --quiet"));
        self.scenario = text;
    }

    fn fragment(&self, block: &Block, text: &str) {
        let mut base: toml::Table = self.scenario.parse().unwrap();
        let part: toml::Table = text.parse().unwrap_or_else(|error| panic!("{}: {error}", self.at(block)));
        merge(&mut base, part);
        fs::write(self.folder.path().join("fragment.toml"), toml::to_string(&base).unwrap()).unwrap();
        self.succeeds(block, "flitwise check fragment.toml");
    }

    /// Runs `command`, what it says of errors being part of its output.
    fn with_errors(&self, command: &str) -> Output {
        self.shell(&format!("({command}\n) 2>&1"))
    }

    fn shell(&self, command: &str) -> Output {
        let program = Path::new(env!("CARGO_BIN_EXE_flitwise")).parent().unwrap();
        let path = format!("{}:{}", program.display(), std::env::var("PATH").unwrap());
        let mut bash = Command::new("bash");
        bash.current_dir(self.folder.path())
            .env("PATH", path)
            .env("NO_COLOR", "1")
            .env("LC_ALL", "C.UTF-8")
            .env_remove("COLUMNS");
        bash.arg("-c").arg(command).output().unwrap()
    }

    fn succeeds(&self, block: &Block, command: &str) -> String {
        let output = self.with_errors(command);
        let printed = String::from_utf8(output.stdout).unwrap();
        assert!(output.status.success(), "{}: {command}:\n{printed}", self.at(block));
        printed
    }

    /// Runs the commands of a block; the block with what they print.
    fn console(&self, block: &Block, text: &str) -> String {
        let fails = block.marks.iter().any(|mark| mark == "fails");
        let mut made = String::new();
        let mut lines = text.lines().peekable();
        while let Some(line) = lines.next() {
            let mut shown = line.to_owned();
            while shown.ends_with('\\') {
                shown = format!("{shown}\n{}", lines.next().unwrap());
            }
            let command = shown.strip_prefix("$ ").unwrap_or_else(|| panic!("{}: no command: {line}", self.at(block)));
            let expected: Vec<&str> = std::iter::from_fn(|| lines.next_if(|line| !line.starts_with("$ "))).collect();
            let output = if fails { self.with_errors(command) } else { self.shell(command) };
            let printed = String::from_utf8(output.stdout).unwrap();
            let said = String::from_utf8(output.stderr).unwrap();
            let at = format!("{}: {command}:\n{said}{printed}", self.at(block));
            assert_eq!(output.status.success(), !fails, "{at}");
            let printed: Vec<&str> = printed.lines().map(str::trim_end).collect();
            let agrees = expected.is_empty() || matches_lines(&expected, &printed);
            let written = expected == ["?"] || !expected.iter().any(|line| *line == "..." || line.contains("[..]"));
            assert!(agrees || bless() && written, "{at}is not\n{}", expected.join("\n"));
            writeln!(made, "{shown}").unwrap();
            for line in if agrees { &expected } else { &printed } {
                writeln!(made, "{line}").unwrap();
            }
        }
        made
    }

    /// Looks up verbs, options and files of commands that are not run.
    fn shown(&self, block: &Block, text: &str) {
        for line in text.lines() {
            let line = line.split(" #").next().unwrap().split(" -- ").next().unwrap();
            let words: Vec<&str> = line.split_whitespace().collect();
            if words.first() != Some(&"flitwise") {
                continue;
            }
            let file = |word: &&str| word.ends_with(".toml") && word.starts_with("scenarios/");
            for word in words.iter().filter(|word| file(word)) {
                assert!(root().join(word).exists(), "{}: there is no {word}", self.at(block));
            }
            let verb = words.get(1).filter(|word| !word.contains('.')).copied().unwrap_or("run");
            let help = self.succeeds(block, &format!("flitwise {verb} --help"));
            for option in words.iter().filter(|word| word.starts_with("--")) {
                assert!(help.contains(option), "{}: {verb} has no {option}", self.at(block));
            }
        }
    }
}

/// Puts `part` into `base`.
fn merge(base: &mut toml::Table, part: toml::Table) {
    for (key, value) in part {
        let one_of = ["network", "workload", "model"].contains(&key.as_str());
        match (base.get_mut(&key), value) {
            (Some(toml::Value::Table(table)), toml::Value::Table(part)) => {
                if one_of {
                    table.retain(|name, _| part.contains_key(name));
                }
                merge(table, part);
            }
            (_, value) => {
                base.insert(key, value);
            }
        }
    }
}

/// Whether `printed` is what `expected` says.
fn matches_lines(expected: &[&str], printed: &[&str]) -> bool {
    match expected.split_first() {
        None => printed.is_empty(),
        Some((&"...", rest)) => (0..=printed.len()).any(|skipped| matches_lines(rest, &printed[skipped..])),
        Some((line, rest)) => {
            printed.first().is_some_and(|first| matches_line(line, first)) && matches_lines(rest, &printed[1..])
        }
    }
}

fn matches_line(expected: &str, printed: &str) -> bool {
    match expected.split_once("[..]") {
        None => expected == printed,
        Some((start, rest)) => printed.strip_prefix(start).is_some_and(|behind| {
            behind.char_indices().map(|(at, _)| at).chain([behind.len()]).any(|at| matches_line(rest, &behind[at..]))
        }),
    }
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let target = to.join(entry.file_name());
        if entry.file_type().unwrap().is_dir() {
            copy(&entry.path(), &target);
        } else {
            fs::copy(entry.path(), target).unwrap();
        }
    }
}

#[test]
fn lines_are_compared_with_what_may_differ() {
    assert!(matches_lines(&["a", "...", "c [..] e"], &["a", "b", "b", "c d e"]));
    assert!(!matches_lines(&["a", "..."], &["b"]) && !matches_lines(&["a"], &["a", "b"]));
    assert!(matches_lines(&["..."], &[]) && matches_line("[..]", "") && !matches_line("a[..]b", "ab c"));
}
