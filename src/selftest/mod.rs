//! The machine proves itself: random cases, each computed in several ways that must agree.
//!
//! ```text
//!   laws       what must hold, and why: the only list
//!   features   what a case may have; each case switches a random half of it off
//!   case       machines and programs as values: drawn, made smaller, written as a scenario
//!   AREAS      what is held against what, a file or a folder each: worm_flit, routers, options, hosts, classes, deadlock, in-network, deliveries, planners, traffic,
//!              chips, loggops, symmetry, sweeps
//!   reference  plain and slow simulations, written to be read
//!   Hunt       cases on all threads, until one breaks a law; it is made as small as can be
//!   as_written cases as the files that show them
//!   report     a finding: a scenario, its files, and the commands that show it
//! ```
//!
//! A case is a number, and is the same on every machine. Case `i` of a run with seed `s` is the number `s + i`, so each can be
//! run again alone. This floor knows neither clocks nor terminals: who calls says how long to go on.
//!
//! ```
//! use flitwise::selftest::{Area, Hunt, Progress};
//! use std::num::NonZeroUsize;
//!
//! let area = Area::named("worm-flit").unwrap();
//! let hunt = Hunt { area, seed: 1, cases: 20, threads: NonZeroUsize::MIN };
//! let hunted = hunt.run(&Progress::new(hunt.threads), &|| true);
//! assert!(hunted.cases == 20 && hunted.finding.is_none());
//! ```

mod apart;
mod as_written;
mod case;
mod chips;
mod classes;
mod deadlock;
mod deliveries;
mod features;
mod hosts;
mod hunt;
mod in_network;
mod laws;
mod loggops;
mod minimise;
mod operations;
mod options;
mod planners;
#[doc(hidden)]
pub mod reference;
mod report;
mod routers;
mod rules;
mod slower;
mod steps;
mod strips;
mod subject;
mod sweeps;
mod swept;
mod symmetry;
mod traffic;
mod worm_flit;

pub use features::{Feature, FeatureSet, Pairs};
pub use hunt::{AtWork, Hunt, Hunted, Progress, is_within_case};
pub use laws::{Broken, Law};
pub use report::{CaseFile, Finding, Shown};

use hunt::Checked;
use std::time::Duration;
use subject::{Checks, SUBJECTS};

/// What is held against what.
#[derive(Clone, Copy)]
pub struct Area(&'static dyn Checks);

impl Area {
    /// Every area, in the order in which they are run.
    pub fn all() -> impl Iterator<Item = Self> {
        SUBJECTS.iter().map(|&checks| Self(checks))
    }

    /// The area that is called `name`.
    pub fn named(name: &str) -> Option<Self> {
        Self::all().find(|area| area.name() == name)
    }

    /// What it is called.
    pub fn name(self) -> &'static str {
        self.0.about().name
    }

    /// What is held against what, in a few words.
    pub fn summary(self) -> &'static str {
        self.0.about().summary
    }

    /// What must hold of its cases.
    pub fn laws(self) -> &'static [&'static Law] {
        self.0.about().laws
    }

    /// What its cases may have.
    pub fn features(self) -> FeatureSet {
        self.0.about().features
    }

    fn check(self, case: u64) -> Checked {
        self.0.check(case)
    }

    fn minimise(self, case: u64, drawn: Broken, begins: &dyn Fn()) -> Finding {
        self.0.minimise(case, drawn, begins)
    }

    /// What there is to tell of a case of which nothing came within `patience`.
    pub fn endless(self, case: u64, patience: Duration) -> Finding {
        self.0.endless(case, patience)
    }
}
