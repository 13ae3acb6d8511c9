//! The schedules of collectives against those of an independent implementation (`tests/data/collectives`): small ones
//! message by message, all of them by digest, steps and flits; and each of them proved.

use crate::support::data;
use flitwise::algorithm::collective::{Algorithm, Request};
use flitwise::routing::Lattice;
use flitwise::schedule::collective::{Collective, CollectiveMessage, Operation};

use serde::Deserialize;
use sha2::{Digest, Sha256};
use std::fmt::Write as _;

/// The files, each a family of algorithms.
const FAMILIES: [&str; 5] = ["trees", "rings", "logarithmic", "butterflies", "mesh-trees"];

/// A schedule of the oracle.
#[derive(Deserialize)]
struct Case {
    algorithm: String,
    operation: String,
    network: String,
    shape: Vec<usize>,
    logical: Option<Vec<usize>>,
    flits: u64,
    #[serde(default)]
    root: usize,
    parts: Option<usize>,
    #[serde(default)]
    segment_flits: u64,
    steps: usize,
    messages: usize,
    total_flits: u64,
    /// Of the first 40 steps.
    step_flits: Vec<u64>,
    critical_flits: u64,
    redundant_flits: u64,
    digest: String,
    schedule: Option<Vec<Listed>>,
}

/// A message as the oracle lists it: step, part, source, destination, action, positions.
type Listed = (usize, usize, usize, usize, String, String);

#[derive(Deserialize)]
struct Cases {
    cases: Vec<Case>,
}

impl Case {
    fn plan(&self) -> Collective {
        let algorithm = Algorithm::named(&self.algorithm).expect("an algorithm of this name");
        let operation = Operation::ALL.into_iter().find(|(name, _)| *name == self.operation).expect("an operation").1;
        let order: Vec<usize> = (0..self.shape.len()).collect();
        let lattice = Lattice::new(&self.shape, self.network == "torus", &order);
        let request = Request {
            root: self.root,
            shape: self.logical.clone().unwrap_or_else(|| self.shape.clone()),
            parts: self.parts,
            segment_flits: self.segment_flits,
            lattice: Some(&lattice),
            ..Request::new(operation, lattice.nodes(), self.flits)
        };
        algorithm.plan(&request).expect("what the oracle plans")
    }

    fn name(&self) -> String {
        let Self { algorithm, operation, network, shape, logical, flits, root, parts, segment_flits, .. } = self;
        format!(
            "{algorithm} {operation} {network} {shape:?} {logical:?} V={flits} root={root} {parts:?} segment={segment_flits}"
        )
    }
}

/// All messages with their steps.
fn messages(collective: &Collective) -> impl Iterator<Item = (usize, CollectiveMessage)> + '_ {
    (0..collective.steps()).flat_map(|step| collective.messages(step).map(move |message| (step, message)))
}

/// The positions of a message as lists write them.
fn positions(collective: &Collective, message: &CollectiveMessage) -> String {
    let written = collective.positions(message.id).map(|range| match range.end - range.start {
        1 => range.start.to_string(),
        _ => format!("{}-{}", range.start, range.end - 1),
    });
    written.collect::<Vec<_>>().join(";")
}

fn digest(collective: &Collective) -> String {
    let mut text = String::new();
    for (step, message) in messages(collective) {
        let CollectiveMessage { part, src, dst, action, .. } = message;
        let positions = positions(collective, &message);
        writeln!(text, "{step},{part},{src},{dst},{},{positions}", action.name()).unwrap();
    }
    Sha256::digest(text).iter().take(8).fold(String::new(), |text, byte| text + &format!("{byte:02x}"))
}

#[test]
fn schedules_are_those_of_the_oracle() {
    let mut wrong = Vec::new();
    let mut seen = 0;
    for family in FAMILIES {
        let cases: Cases = data(&format!("collectives/{family}.json"));
        for case in cases.cases {
            seen += 1;
            if let Err(why) = agrees(&case) {
                wrong.push(format!("{}: {why}", case.name()));
            }
        }
    }
    assert!(seen > 700, "only {seen} schedules");
    let shown: Vec<&str> = wrong.iter().map(String::as_str).take(40).collect();
    assert!(wrong.is_empty(), "{} of {seen} schedules differ:\n{}", wrong.len(), shown.join("\n"));
}

fn agrees(case: &Case) -> Result<(), String> {
    let collective = case.plan();
    let proof = collective.check().map_err(|wrong| wrong.to_string())?;
    if let Some(schedule) = &case.schedule {
        let ours: Vec<Listed> = messages(&collective)
            .map(|(step, message)| {
                let CollectiveMessage { part, src, dst, action, .. } = message;
                (step, part, src, dst, action.name().to_owned(), positions(&collective, &message))
            })
            .collect();
        if let Some((ours, theirs)) = ours.iter().zip(schedule).find(|(ours, theirs)| ours != theirs) {
            return Err(format!("{ours:?} for {theirs:?}"));
        }
    }
    let largest = |step| collective.messages(step).map(|message| message.listed_flits()).max().unwrap_or_default();
    let largest: Vec<u64> = (0..collective.steps()).map(largest).collect();
    let total: u64 = messages(&collective).map(|(_, message)| message.listed_flits()).sum();
    let first: Vec<u64> = largest.iter().copied().take(40).collect();
    let ours = (collective.steps(), collective.len(), total, largest.iter().sum::<u64>(), proof.redundant_flits);
    let theirs = (case.steps, case.messages, case.total_flits, case.critical_flits, case.redundant_flits);
    if (ours, &first) != (theirs, &case.step_flits) {
        return Err(format!("{ours:?} {first:?} for {theirs:?} {:?}", case.step_flits));
    }
    if digest(&collective) == case.digest { Ok(()) } else { Err("another digest".to_owned()) }
}
