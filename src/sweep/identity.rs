//! What journals must agree on to be joined.

use crate::digest::{Digest, Digester};
use crate::kind::DetailFiles;
use crate::scenario::Scenario;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// What results depend on: they can be joined if it is equal.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Identity {
    /// The version of flitwise.
    pub version: String,
    /// A hash of all points, in order, and of the headers of all files.
    hash: Digest,
    /// Every key that the scenario gives, dotted, with its value.
    keys: BTreeMap<String, String>,
    /// The digest of every file that it names.
    files: BTreeMap<String, Digest>,
    /// Whether what happened to every message is kept.
    details: bool,
    /// Whether every hop is.
    #[serde(default)]
    hops: bool,
    /// True if timelines are kept.
    #[serde(default)]
    timeline: bool,
}

impl Identity {
    /// Of `scenario`, whose files have `headers`.
    pub(super) fn new(scenario: &Scenario, headers: &[(String, String)], kept: DetailFiles) -> Self {
        let mut digester = Digester::default();
        digester.update(&scenario.name);
        for (name, header) in headers {
            digester.update(format!("\n{name}\n{header}"));
        }
        for point in &scenario.points {
            digester.update(point.id.digits());
            for setting in point.settings.iter() {
                digester.update([0]);
                digester.update(setting.as_bytes());
            }
        }
        Self {
            version: env!("CARGO_PKG_VERSION").to_owned(),
            hash: digester.finish(),
            keys: scenario.keys(),
            files: scenario.files().clone(),
            details: kept.messages,
            hops: kept.hops,
            timeline: kept.timeline,
        }
    }

    /// How `self` differs from what was `before`, in words, the most telling first; nothing if the results are the same.
    pub fn differences(&self, before: &Self) -> Vec<String> {
        let mut all = Vec::new();
        if self.version != before.version {
            all.push(format!("the version of flitwise was {} and is now {}", before.version, self.version));
        }
        if self.hash == before.hash {
            return all;
        }
        let keys: std::collections::BTreeSet<&String> = self.keys.keys().chain(before.keys.keys()).collect();
        for key in keys {
            let was = before.keys.get(key);
            let is = self.keys.get(key);
            if was != is {
                let was = was.map_or("was not set".to_owned(), |value| format!("was {}", short(value)));
                let is = is.map_or("is not set now".to_owned(), |value| format!("is now {}", short(value)));
                all.push(format!("`{key}` {was} and {is}"));
            }
        }
        for (name, digest) in &self.files {
            if before.files.get(name).is_some_and(|was| was != digest) {
                all.push(format!("the content of `{name}` has changed"));
            }
        }
        let flags = [
            ("--messages", self.details, before.details),
            ("--hops", self.hops, before.hops),
            ("--timeline", self.timeline, before.timeline),
        ];
        for (flag, _, was) in flags.into_iter().filter(|(_, is, was)| is != was) {
            let change = if was { "was given and is not given now" } else { "was not given and is given now" };
            all.push(format!("`{flag}` {change}"));
        }
        if all.is_empty() {
            all.push("its points or columns are different".to_owned());
        }
        all
    }
}

/// The beginning of a long value.
fn short(value: &str) -> String {
    const MOST: usize = 60;
    if value.chars().count() <= MOST {
        return value.to_owned();
    }
    let beginning: String = value.chars().take(MOST).collect();
    format!("{beginning}..")
}
