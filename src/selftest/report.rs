//! A difference that was found, as a person can show it to others: a scenario, the files it names, and the commands.

use super::laws::Broken;
use std::fmt::Write as _;

/// A file, as it would lie in a folder.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CaseFile {
    /// Its name.
    pub name: &'static str,
    /// What is in it.
    pub text: String,
}

/// A law that does not hold, with the smallest case that was found for it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// The area.
    pub area: &'static str,
    /// The number of the case that was drawn.
    pub case: u64,
    /// What is wrong with the case that was drawn.
    pub drawn: Broken,
    /// What is wrong with the small one.
    pub broken: Broken,
    /// How many steps made it smaller.
    pub steps: u32,
    /// The small case in a few words.
    pub size: String,
    /// The small case: first the scenario, then the files that it names.
    pub files: Vec<CaseFile>,
    /// The runs of the scenario that show what differs.
    pub runs: Vec<Shown>,
}

/// A run of the scenario that shows what differs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Shown {
    /// A word for it.
    pub name: &'static str,
    /// What `flitwise run` is told beyond the scenario and where its files go.
    pub arguments: &'static str,
}

impl Finding {
    /// Of a case that cannot even be drawn.
    pub(super) fn undrawn(area: &'static str, case: u64, broken: Broken) -> Self {
        let size = "none, because the case cannot be generated".to_owned();
        Self { area, case, drawn: broken.clone(), broken, steps: 0, size, files: Vec::new(), runs: Vec::new() }
    }

    /// The folder that its files belong in.
    pub fn folder(&self) -> String {
        format!("{}-{}", self.area, self.case)
    }

    /// The commands that show the small case, whose files are in `folder`.
    pub fn commands(&self, folder: &str) -> Vec<String> {
        let Some(scenario) = self.files.first() else { return Vec::new() };
        let run = |Shown { name, arguments }: &Shown| {
            format!("flitwise run {folder}/{} --messages {arguments} -o {folder}/{name}", scenario.name)
        };
        let mut commands: Vec<String> = self.runs.iter().map(run).collect();
        if let [one, other] = self.runs.as_slice() {
            let of = |run: &Shown| format!("{folder}/{}/{}", run.name, self.folder());
            commands.push(format!("flitwise compare {} {}", of(one), of(other)));
        }
        commands
    }

    /// All of it in words; its files are in `folder`.
    pub fn in_words(&self, folder: &str) -> String {
        let Self { area, case, broken, drawn, .. } = self;
        let mut text = format!(
            "{area}, case {case}: violation of `{}`\n  found: {}\n  must hold: {}\n  reason: {}\n",
            broken.law.name, broken.how, broken.law.holds, broken.law.because
        );
        if drawn.law != broken.law {
            let _ = writeln!(text, "  the original case violates `{}`: {}", drawn.law.name, drawn.how); // a string takes everything
        }
        let steps = if self.steps == 1 { "step" } else { "steps" };
        let _ = writeln!(text, "  minimal case, after {} {steps}: {}\n", self.steps, self.size);
        for CaseFile { name, text: file } in &self.files {
            let _ = writeln!(text, "--- {folder}/{name}\n{}\n", file.trim_end());
        }
        text += "To reproduce it:\n";
        let again = format!("flitwise selftest --only {area} --seed {case} --cases 1");
        for command in self.commands(folder).iter().chain([&again]) {
            let _ = writeln!(text, "  {command}");
        }
        text
    }
}
