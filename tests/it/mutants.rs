//! Mutants of every scenario that is shipped, and of the files it names, are run as a user would: none may panic, be
//! aborted, end with an exit code that means nothing, or go on after a signal.
//!
//! `FLITWISE_MUTANTS=10000 cargo test mutants` runs more of them; mutant N is the same on every machine, and
//! `FLITWISE_MUTANT=N` runs it alone and keeps its files.

use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// How many are run where the environment does not say.
const MUTANTS: u64 = 500;

/// How long a mutant may run before it is asked to end.
const PATIENCE: Duration = Duration::from_millis(500);

/// How long it may take to end then; far more than a second, as machines that test are busy.
const ENDING: Duration = Duration::from_secs(20);

/// Texts that a hurried or hostile user might leave anywhere.
const DEBRIS: [&str; 26] = [
    "0",
    "1",
    "2",
    "-1",
    "3",
    "64",
    "1000",
    "65536",
    "1000000",
    "4294967296",
    "9223372036854775807",
    "18446744073709551615",
    "0.5",
    "1e-9",
    "1e300",
    "nan",
    "-inf",
    "true",
    "\"\"",
    "[]",
    "{}",
    "[[1], [2]]",
    "{ from = 1, to = 1000000, step = 1 }",
    "\u{feff}",
    "\0",
    "é",
];

/// A file of the shipped scenarios: its path below their folder, and its text.
struct Original {
    path: PathBuf,
    text: String,
}

fn shipped(folder: &Path, root: &Path, found: &mut Vec<Original>) {
    let mut paths: Vec<PathBuf> = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    for path in paths {
        if path.is_dir() {
            shipped(&path, root, found);
        } else {
            let text = std::fs::read_to_string(&path).unwrap();
            found.push(Original { path: path.strip_prefix(root).unwrap().to_owned(), text });
        }
    }
}

/// A piece of a text: a word or number, or the characters between two of them.
fn pieces(text: &str) -> Vec<&str> {
    let in_word = |c: char| c.is_alphanumeric() || c == '-' || c == '_';
    let mut pieces = Vec::new();
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let end = rest.find(|c| in_word(c) != in_word(first)).unwrap_or(rest.len());
        pieces.push(&rest[..end]);
        rest = &rest[end..];
    }
    pieces
}

fn one_of<'a, T>(all: &'a [T], random: &mut Pcg64) -> &'a T {
    &all[random.random_range(0..all.len())]
}

/// `text` with lines dropped, doubled, cut, swapped or taken from `other`, and words and numbers replaced.
fn mutated(text: &str, other: &str, random: &mut Pcg64) -> String {
    let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
    let others: Vec<&str> = other.lines().chain(["x"]).collect();
    let words: Vec<&str> = pieces(other).into_iter().step_by(2).chain(["x"]).collect();
    lines.push(String::new());
    for _ in 0..random.random_range(1..5) {
        let at = random.random_range(0..lines.len());
        match random.random_range(0..12) {
            0 => lines[at].clear(),
            1 => lines.push(lines[at].clone()),
            2 => {
                let cut = random.random_range(0..=lines[at].chars().count());
                lines[at] = lines[at].chars().take(cut).collect();
            }
            3 => {
                let to = random.random_range(0..lines.len());
                lines.swap(at, to);
            }
            4 => lines[at] = (*one_of(&others, random)).to_owned(),
            5 => {
                let key = lines[at].split('=').next().unwrap_or_default().to_owned();
                lines[at] = format!("{key}= {}", one_of(&DEBRIS, random));
            }
            // most mutants should go far before anything is found wrong with them
            number => {
                let before = lines[at].clone();
                let mut parts = pieces(&before);
                if !parts.is_empty() {
                    let part = random.random_range(0..parts.len());
                    parts[part] = if number < 9 { *one_of(&DEBRIS, random) } else { *one_of(&words, random) };
                    lines[at] = parts.concat();
                }
            }
        }
    }
    lines.join("\n")
}

/// A folder of scenarios of its own, in which one file at a time is a mutant.
struct Laboratory<'a> {
    originals: &'a [Original],
    folder: tempfile::TempDir,
}

impl<'a> Laboratory<'a> {
    fn new(originals: &'a [Original]) -> Self {
        let laboratory = Self { originals, folder: tempfile::tempdir().unwrap() };
        originals.iter().for_each(|original| laboratory.write(original, &original.text));
        laboratory
    }

    fn write(&self, original: &Original, text: &str) {
        let path = self.folder.path().join(&original.path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }

    /// Runs the mutant with this number; what is wrong with how it ended.
    fn run(&self, number: u64) -> Result<(), String> {
        let mut random = Pcg64::seed_from_u64(number);
        let is_scenario = |original: &&Original| original.path.extension().is_some_and(|e| e == "toml");
        let scenarios: Vec<&Original> = self.originals.iter().filter(is_scenario).collect();
        let scenario = *one_of(&scenarios, &mut random);
        let is_named = |original: &&Original| {
            let name = original.path.file_name().unwrap_or_default().to_string_lossy().into_owned();
            scenario.text.contains(&format!("\"{name}\""))
        };
        let mut targets = vec![scenario; 4];
        targets.extend(self.originals.iter().filter(is_named));
        let target = *one_of(&targets, &mut random);
        let text = mutated(&target.text, &one_of(self.originals, &mut random).text, &mut random);
        self.write(target, &text);
        let ended = self.ended(scenario, &mut random);
        self.write(target, &target.text);
        ended.map_err(|why| format!("mutant {number}, of {}: {why}\n{text}", target.path.display()))
    }

    fn ended(&self, scenario: &Original, random: &mut Pcg64) -> Result<(), String> {
        let verb = one_of(&["run", "run", "run", "check", "plan"], random);
        let errors = self.folder.path().join("stderr");
        let mut command = Command::new(env!("CARGO_BIN_EXE_flitwise"));
        command.current_dir(self.folder.path()).arg(verb).arg(&scenario.path);
        if *verb == "run" {
            command.args(["--out", "out", "--force", "--jobs", "1", "--memory", "512M"]);
        }
        if random.random() {
            command.args(["--set", "repetitions=1"]);
        }
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(std::fs::File::create(&errors).unwrap());
        let mut child = command.spawn().unwrap();
        let code = match wait(&mut child, PATIENCE) {
            Some(code) => code,
            None => {
                let kill = Command::new("kill").args(["-TERM", &child.id().to_string()]).stderr(Stdio::null()).status();
                assert!(kill.is_ok());
                let Some(code) = wait(&mut child, ENDING) else {
                    child.kill().unwrap();
                    child.wait().unwrap();
                    return Err("a signal does not end it".to_owned());
                };
                code
            }
        };
        let said = String::from_utf8_lossy(&std::fs::read(&errors).unwrap()).into_owned();
        let forbidden = ["panicked", "memory allocation of", "stack overflow", "backtrace"];
        match code {
            Some(0 | 1 | 2 | 3 | 130) if !forbidden.iter().any(|word| said.contains(word)) => Ok(()),
            code => Err(format!("exit code {code:?}: {said}")),
        }
    }
}

/// The exit code if `child` ends in time; none inside it if a signal ended it.
#[expect(clippy::disallowed_methods, reason = "how long a process takes to end is what is tested")]
fn wait(child: &mut Child, patience: Duration) -> Option<Option<i32>> {
    let started = Instant::now();
    let mut pause = Duration::from_millis(2);
    loop {
        if let Some(status) = child.try_wait().unwrap() {
            return Some(status.code());
        }
        if started.elapsed() > patience {
            return None;
        }
        std::thread::sleep(pause);
        pause = (pause * 2).min(Duration::from_millis(50));
    }
}

fn setting(name: &str) -> Option<u64> {
    std::env::var(name).ok().map(|value| value.parse().unwrap())
}

#[test]
fn no_mutant_panics_aborts_or_outlives_a_signal() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("scenarios");
    let mut originals = Vec::new();
    shipped(&root, &root, &mut originals);
    assert!(originals.len() > 50);
    if let Some(number) = setting("FLITWISE_MUTANT") {
        let laboratory = Laboratory::new(&originals);
        let ended = laboratory.run(number);
        let kept = laboratory.folder.keep();
        return assert_eq!(ended, Ok(()), "files are in {}", kept.display());
    }
    let (next, mutants) = (AtomicU64::new(0), setting("FLITWISE_MUTANTS").unwrap_or(MUTANTS));
    let work = || {
        let laboratory = Laboratory::new(&originals);
        let numbers = std::iter::repeat_with(|| next.fetch_add(1, Ordering::Relaxed)).take_while(|&n| n < mutants);
        numbers.filter_map(|number| laboratory.run(number).err()).collect::<Vec<String>>()
    };
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    let faults: Vec<String> = std::thread::scope(|scope| {
        let workers: Vec<_> = (0..threads).map(|_| scope.spawn(work)).collect();
        workers.into_iter().flat_map(|worker| worker.join().unwrap()).collect()
    });
    assert!(faults.is_empty(), "{} of {mutants}:\n{}", faults.len(), faults.join("\n\n"));
}
