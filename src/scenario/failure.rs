//! Rows that failed, as diagnostics: which row in the scenario's own words, where it is written, and what can be done.

use super::{Rejected, Scenario, keys};
use crate::config::{Diagnostic, Errors, Place, Reader, Source, read_regular};
use crate::engine::{Deadlock, Stop};
use crate::kind::words::counted;
use crate::kind::{PossibleDeadlock, RowError, RowFailure};
use crate::machine::{self, Machine};
use crate::network::Remedy;
use crate::schedule::goal::{Concerned, Goal, GoalFault, GoalViolation};
use crate::workload::application::Application;
use std::error::Error;
use std::path::Path;

impl Scenario {
    /// What is to be said of a row that failed, with the texts that it points into.
    ///
    /// # Panics
    /// If the row is not of this scenario.
    pub fn explain(&self, error: &RowError) -> Rejected {
        let mut sources = self.document.sources.clone();
        let mut diagnostics = match violation(&error.cause) {
            Some(violation) => self.of_operations(error, violation, &mut sources),
            None => vec![self.of_run(error)],
        };
        let row = self.row_in_words(error);
        if let (Some(first), false) = (diagnostics.first_mut(), row.is_empty()) {
            first.note = Some(match first.note.take() {
                Some(note) => format!("{row}\n{note}"),
                None => row,
            });
        }
        Rejected { diagnostics, sources }
    }

    /// The error of a routing that can `deadlock` at the points that `points` describes, if it is not that of all.
    pub fn explain_deadlock(&self, deadlock: &PossibleDeadlock, points: &str) -> Rejected {
        let message = format!("{} can deadlock{points}", deadlock.routing);
        let keys: [&[&str]; 4] = [&["router", "routing"], &["channel", "virtual_channels"], &["router"], &["network"]];
        let mut remedies = deadlock.remedies.clone();
        remedies.push(machine::allowed("`check` reports the deadlock as a remark"));
        let error = Diagnostic::at(self.place_of(&keys), message);
        let error = error.note(deadlock.cycle_sentence()).hint(Remedy::lines(&remedies));
        Rejected { diagnostics: vec![error], sources: self.document.sources.clone() }
    }

    /// Which row it is, as far as there are others.
    fn row_in_words(&self, error: &RowError) -> String {
        let Some(point) = self.points.get(error.id.point) else { return String::new() };
        let workload = &point.experiment.workload;
        let mut words = Vec::new();
        if workload.variants().len() > 1 || error.algorithm != workload.kind().name {
            words.push(format!("`{}`", error.algorithm));
        }
        let settings =
            self.axes.iter().zip(point.settings.iter()).map(|(axis, value)| format!("{} = {value}", axis.key));
        if self.points.len() > 1 {
            words.extend(settings);
        }
        if point.experiment.repetitions > 1 {
            words.push(format!("repetition {}", error.id.repetition));
        }
        if words.is_empty() { String::new() } else { format!("in the row of {}", words.join(", ")) }
    }

    /// A run that did not come to its end, or a plan that is wrong.
    fn of_run(&self, error: &RowError) -> Diagnostic {
        let said = error.cause.to_string();
        let (message, rest) = said.split_once('\n').unwrap_or((&said, ""));
        let note = rest.lines().map(str::trim).collect::<Vec<_>>().join("\n");
        let point = self.points.get(error.id.point);
        let deadlock = match &error.cause {
            RowFailure::Stopped(Stop::Deadlock(deadlock)) => Some(&**deadlock),
            _ => None,
        };
        let kind = self.kind().name;
        let place = match deadlock {
            Some(_) => self.place_of(&[&["channel", "virtual_channels"], &["router", "allow_deadlock"], &["network"]]),
            None if matches!(error.cause, RowFailure::Stopped(Stop::NoPath(_))) => self.place_of(&[&["faults"]]),
            None if matches!(error.cause, RowFailure::Trees(_)) => {
                self.place_of(&[&["router", "allow_deadlock"], &["channel", "buffer"], &["workload", kind]])
            }
            None => self.place_of(&[&["workload", kind]]),
        };
        let hint = match &error.cause {
            RowFailure::Stopped(Stop::NoPath(_)) => {
                Some("`-s faults.unreachable=skip` leaves messages without a path out of traces and traffic".to_owned())
            }
            RowFailure::Trees(refusal) => refusal.remedies().map(str::to_owned),
            _ => deadlock.and_then(|deadlock| remedy(&point?.experiment.machine, deadlock)),
        };
        Diagnostic { note: Some(note).filter(|note| !note.is_empty()), hint, ..Diagnostic::at(place, message) }
    }

    /// Operations that cannot be executed, each fault where it stands in their file.
    fn of_operations(&self, error: &RowError, violation: &GoalViolation, sources: &mut Vec<Source>) -> Vec<Diagnostic> {
        let workload = &self.points[error.id.point].experiment.workload;
        let file = workload.downcast_ref::<Application>().and_then(|application| application.source.text_file());
        let text = file.and_then(|file| self.text_of(file));
        let mut diagnostics = Vec::new();
        for fault in violation.faults() {
            let shown = text.as_ref().and_then(|(name, text)| in_text(fault, name, text, sources));
            diagnostics.push(shown.unwrap_or_else(|| {
                let place = self.place_of(&[&["workload", self.kind().name, "file"]]);
                let message = file.map_or_else(|| fault.to_string(), |file| format!("`{file}`: {fault}"));
                Diagnostic { hint: fault.hint.clone(), ..Diagnostic::at(place, message) }
            }));
        }
        if let (Some(last), 1..) = (diagnostics.last_mut(), violation.more()) {
            last.note = Some(format!("and {} of the same kinds", counted(violation.more() as u64, "further error")));
        }
        diagnostics
    }

    /// The name and the text of a file of operations, if it is text.
    fn text_of(&self, file: &str) -> Option<(String, String)> {
        let scenario = Path::new(&self.document.sources.first()?.name);
        let path = scenario.parent().unwrap_or(Path::new("")).join(file);
        let bytes = read_regular(&path).ok().filter(|bytes| !Goal::is_binary(bytes))?;
        Some((path.display().to_string(), String::from_utf8_lossy(&bytes).into_owned()))
    }

    /// Where the first of `paths` that is given stands, or the table around the last.
    fn place_of(&self, paths: &[&[&str]]) -> Place {
        let errors = Errors::default();
        let root = Reader::root(&self.document.root, keys::root(), &errors);
        let given = paths.iter().find(|path| root.is_given(path) || root.has_table(path));
        root.place_within(given.or(paths.last()).copied().unwrap_or_default())
    }
}

/// What is wrong with operations, if that made a row fail.
fn violation(cause: &RowFailure) -> Option<&GoalViolation> {
    match cause {
        RowFailure::Stopped(Stop::Unfinished(violation)) => Some(violation),
        RowFailure::Wrong { cause, .. } => {
            let cause: &(dyn Error + 'static) = &**cause;
            cause.downcast_ref()
        }
        _ => None,
    }
}

/// `fault` in the lines of `text` that it is about; none if it is about none.
fn in_text(fault: &GoalFault, name: &str, text: &str, sources: &mut Vec<Source>) -> Option<Diagnostic> {
    let lines = || fault.operations.iter().filter_map(|concerned| concerned.line);
    let first = lines().min()? as usize;
    let last = lines().max()? as usize;
    let excerpt: Vec<&str> = text.lines().skip(first - 1).take(last + 1 - first).collect();
    let source = sources.len();
    let place = |concerned: &Concerned| {
        let at = concerned.line? as usize - first;
        let line = excerpt.get(at)?;
        let start: usize = excerpt[..at].iter().map(|line| line.len() + 1).sum();
        let indented = start + line.len() - line.trim_start().len();
        Some(Place { source, span: indented..indented + line.trim().len() })
    };
    let message = match fault.operations.as_slice() {
        [alone] if alone.role.is_empty() => format!("{}: {}", alone.owner, fault.message),
        _ => fault.message.clone(),
    };
    let mut wrong = Diagnostic::at(place(fault.operations.first()?)?, message);
    for concerned in fault.operations.iter().filter(|concerned| !concerned.role.is_empty()) {
        if let Some(place) = place(concerned) {
            wrong = wrong.related(place, concerned.role.clone());
        }
    }
    wrong.hint.clone_from(&fault.hint);
    sources.push(Source::excerpt(name, excerpt.join("\n"), first));
    Some(wrong)
}

/// What keeps messages on `machine` from the `deadlock` that they ran into.
fn remedy(machine: &Machine, deadlock: &Deadlock) -> Option<String> {
    let remedies = if deadlock.cycle.is_empty() { Vec::new() } else { machine.remedies() };
    (!remedies.is_empty()).then(|| Remedy::lines(&remedies))
}
