//! What an area is: how its cases are drawn, what must hold of them, and how they are written.

use super::as_written;
use super::chips::Chips;
use super::classes::ClassLoads;
use super::deadlock::Deadlock;
use super::deliveries::Deliveries;
use super::features::{FeatureSet, Swarm};
use super::hosts::Hosts;
use super::hunt::{Checked, caught};
use super::in_network::InNetwork;
use super::laws::{AS_WRITTEN, Broken, ENDS, Law};
use super::loggops::Loggops;
use super::minimise::{Smallest, minimise};
use super::options::Options;
use super::planners::Plans;
use super::report::{CaseFile, Finding, Shown};
use super::routers::Routers;
use super::steps::Steps;
use super::sweeps::Sweeps;
use super::symmetry::Symmetry;
use super::traffic::Loads;
use super::worm_flit::WormFlit;
use crate::random;
use std::time::Duration;

/// Every area: a file each, and a line here.
pub(super) static SUBJECTS: &[&dyn Checks] = &[
    &WormFlit,
    &Routers,
    &Options,
    &Steps,
    &Hosts,
    &Deadlock,
    &InNetwork,
    &Deliveries,
    &Plans,
    &Loads,
    &ClassLoads,
    &Chips,
    &Loggops,
    &Symmetry,
    &Sweeps,
];

/// What is known of an area before a case is drawn.
pub(super) struct About {
    pub(super) name: &'static str,
    pub(super) summary: &'static str,
    pub(super) laws: &'static [&'static Law],
    pub(super) features: FeatureSet,
}

/// What was done for a case.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Effort {
    /// Messages that arrived.
    pub(super) messages: u64,
    /// Whether some waited for others.
    pub(super) blocked: bool,
    /// Whether they waited for ever.
    pub(super) deadlocked: bool,
}

/// What an area draws: a value that can be made smaller, and written for others to run.
pub(super) trait Specimen: Clone {
    /// Those that are smaller or plainer by a step, the largest steps first.
    fn smaller(&self) -> Vec<Self>;

    /// How large it is, in a few words.
    fn in_words(&self) -> String;

    /// The scenario of it, called `name`, below the comment `about`, and after it the files that it names.
    fn written(&self, name: &str, about: &str) -> Vec<CaseFile>;

    /// Whether a scenario can say it.
    fn is_sayable(&self) -> bool {
        true
    }
}

/// An area.
pub(super) trait Subject: Sync {
    /// What its cases are.
    type Case: Specimen;

    /// What is known of it.
    fn about(&self) -> &'static About;

    /// Draws a case.
    fn draw(&self, swarm: &mut Swarm) -> Self::Case;

    /// Holds `case` against the laws.
    ///
    /// # Errors
    /// If one is broken.
    fn judge(&self, case: &Self::Case) -> Result<Effort, Broken>;

    /// The runs that show that `broken` does not hold of `case`.
    fn runs(&self, case: &Self::Case, broken: &Broken) -> Vec<Shown>;
}

/// The same without types: a case is a number.
pub(super) trait Checks: Sync {
    fn about(&self) -> &'static About;

    fn check(&self, case: u64) -> Checked;

    /// Makes case `number`, which is broken as it was `drawn`, small; says whenever a case `begins`.
    fn minimise(&self, number: u64, drawn: Broken, begins: &dyn Fn()) -> Finding;

    /// Case `number` as it was drawn, of which nothing came within `patience`.
    fn endless(&self, number: u64, patience: Duration) -> Finding;
}

/// Case `number` of `subject`, and what it has.
fn drawn<S: Subject>(subject: &S, number: u64) -> (S::Case, FeatureSet) {
    let About { name, features, .. } = subject.about();
    let mut swarm = Swarm::new(random::stream(number, name, 0), *features);
    let case = subject.draw(&mut swarm);
    (case, swarm.met())
}

impl<S: Subject> Checks for S {
    fn about(&self) -> &'static About {
        Subject::about(self)
    }

    fn check(&self, number: u64) -> Checked {
        let mut met = FeatureSet::default();
        let judged = caught(|| {
            let (case, features) = drawn(self, number);
            met = features;
            let effort = self.judge(&case)?;
            if as_written::is_due(number) {
                as_written::judge(&case)?;
            }
            Ok(effort)
        });
        Checked { met, judged }
    }

    fn minimise(&self, number: u64, drawn_broken: Broken, begins: &dyn Fn()) -> Finding {
        let is_of_files = drawn_broken.law == &AS_WRITTEN;
        let judge = |case: &S::Case| {
            begins();
            let judged = caught(|| match is_of_files {
                true => as_written::judge(case),
                false => self.judge(case).map(|_| ()),
            });
            judged.err()
        };
        let Ok((case, _)) = caught(|| Ok(drawn(self, number))) else {
            return Finding::undrawn(Subject::about(self).name, number, drawn_broken);
        };
        let Smallest { case, broken, steps } = minimise(case, drawn_broken.clone(), judge);
        Finding { drawn: drawn_broken, steps, ..found(self, number, &case, broken) }
    }

    fn endless(&self, number: u64, patience: Duration) -> Finding {
        let broken = ENDS.broken(format!("the case did not end within {} s", patience.as_secs()));
        match caught(|| Ok(drawn(self, number))) {
            Ok((case, _)) => found(self, number, &case, broken),
            Err(_) => Finding::undrawn(Subject::about(self).name, number, broken),
        }
    }
}

/// What is told of `case`, which has the number `number` or was made of the one that has, and is `broken`.
fn found<S: Subject>(subject: &S, number: u64, case: &S::Case, broken: Broken) -> Finding {
    let area = subject.about().name;
    let about = format!(
        "flitwise selftest --only {area} --seed {number} --cases 1\nviolates `{}`: {}",
        broken.law.name, broken.how
    );
    Finding {
        area,
        case: number,
        size: case.in_words(),
        files: case.written(&format!("{area}-{number}"), &about),
        runs: subject.runs(case, &broken),
        drawn: broken.clone(),
        broken,
        steps: 0,
    }
}
