//! What tells rows of a table apart, and what that makes of their names; refuses to know what is drawn of them.

use super::data::Scope;
use crate::scenario::setting_name;

/// What curves, or candidates, are called by.
pub(super) struct Naming {
    algorithm: bool,
    settings: Vec<usize>,
}

impl Naming {
    /// Those of the algorithm and the settings that are `wanted`, and not the same in all `scopes`.
    pub(super) fn new(scopes: &[Scope], wanted: impl Fn(&str) -> bool) -> Self {
        let Some(first) = scopes.first() else { return Self { algorithm: false, settings: Vec::new() } };
        let varies = |at: usize| scopes.iter().any(|scope| scope.settings[at] != first.settings[at]);
        let algorithm = wanted("algorithm") && scopes.iter().any(|scope| scope.algorithm != first.algorithm);
        // the routing of traffic is its algorithm, too
        let repeats = |at: usize| scopes.iter().all(|scope| scope.algorithm.as_ref() == Some(&scope.settings[at].1));
        let settings = (0..first.settings.len()).filter(|&at| wanted(&first.settings[at].0) && varies(at));
        Self { algorithm, settings: settings.filter(|&at| !(algorithm && repeats(at))).collect() }
    }

    /// What tells `scopes` apart, each with how many values it has.
    pub(super) fn columns<'a>(&self, scopes: &'a [Scope]) -> Vec<(&'a str, usize)> {
        let count = |mut values: Vec<&str>| {
            values.sort_unstable();
            values.dedup();
            values.len()
        };
        let algorithms = scopes.iter().filter_map(|scope| scope.algorithm.as_deref()).collect();
        let algorithm = self.algorithm.then(|| ("algorithm", count(algorithms)));
        let setting = |&at: &usize| {
            let key = scopes[0].settings[at].0.as_str();
            (key, count(scopes.iter().map(|scope| scope.settings[at].1.as_str()).collect()))
        };
        algorithm.into_iter().chain(self.settings.iter().map(setting)).collect()
    }

    /// The algorithm and the settings of `scope`: `opt-mesh, group 8`.
    pub(super) fn name(&self, scope: &Scope) -> String {
        let setting = |&at: &usize| {
            let (key, value) = &scope.settings[at];
            setting_name(key, value)
        };
        let algorithm = scope.algorithm.clone().filter(|_| self.algorithm);
        algorithm.into_iter().chain(self.settings.iter().map(setting)).collect::<Vec<_>>().join(", ")
    }
}
