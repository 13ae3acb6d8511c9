//! `flitwise check`.

use super::memory::Memory;
use super::progress::{Progress, patient};
use super::source::has_one_path;
use super::target::Target;
use super::ui::Ui;
use super::{Failed, Source, all_cores, told};
use anyhow::{Context, Error, Result, bail};
use clap::{Args, ValueHint};
use flitwise::kind::words::counted;
use flitwise::kind::{RowError, deadlock_freedom};
use flitwise::network::LinkPaths;
use flitwise::output::{settings_json, wrapped};
use flitwise::routing::Relation;
use flitwise::routing::certificate::{Certificate, LatticePackets, Verdict, VirtualChannel};
use flitwise::run::{Examination, Rows, Unit, WorkerPool, examine, in_order, units};
use flitwise::scenario::{Experiment, NetworkAlone, Scenario};
use flitwise::topology::Links;
use serde_json::{Value, json};
use std::fmt::Write as _;
use std::io::Write as _;
use std::path::{Path, PathBuf};

/// Most virtual channels of a cycle that are named.
const MOST_HELD: usize = 8;

#[derive(Args)]
pub(super) struct Check {
    #[command(flatten)]
    source: Source,
    #[command(flatten)]
    memory: Memory,
    /// Decide instead whether messages on the network's paths can deadlock, and write the proof to this file: see `flitwise
    /// guide networks`. The scenario needs no workload
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath, conflicts_with = "json")]
    certificate: Option<PathBuf>,
    /// Print JSON: {"name", "points", "rows", "checks": [{"point", swept keys, "algorithm", "findings": [..],
    /// "contention": {"runs", "contended", "waits", "queued", "first", "stopped"}, or null}]}
    #[arg(long, conflicts_with = "quiet")]
    json: bool,
    /// Print nothing but errors
    #[arg(short, long)]
    quiet: bool,
}

impl Check {
    pub(super) fn execute(&self, ui: &Ui) -> Result<()> {
        if let Some(file) = &self.certificate {
            return self.certify(ui, file);
        }
        let limit = self.memory.limit();
        let scenario = patient(ui, "reading the scenario", false, || self.source.load(limit))?;
        let memory = limit.bytes.saturating_sub(scenario.memory());
        let rows = Rows::new(&scenario).count();
        let points = counted(scenario.points.len() as u64, "point");
        let all = counted(rows as u64, "row");
        self.print(ui, &format!("{}: valid; {points}, {all}\n", scenario.name))?;
        let units = units(&scenario);
        let tasks = units.iter().enumerate().map(|(number, unit)| (number, unit.time));
        let progress = Progress::new(ui, &scenario, &units, tasks, self.quiet);
        let mut group: Vec<Examination> = Vec::new();
        let mut checks = Vec::new();
        let mut stopped = 0;
        let mut done = 0;
        let pool = WorkerPool { threads: all_cores(), memory };
        let examined = |unit: &Unit| unit.ids().map(|id| examine(&scenario, id)).collect::<Vec<_>>();
        let take = |unit: Vec<Result<Examination, _>>| {
            progress.done(std::iter::once(done));
            done += 1;
            for shown in unit {
                let shown = shown.map_err(|error: Box<RowError>| told(&scenario, Error::new(*error)))?;
                let key = |shown: &Examination| (shown.id.point, shown.id.algorithm);
                if group.first().is_some_and(|first| key(first) != key(&shown)) {
                    let group = std::mem::take(&mut group);
                    checks.extend(self.json.then(|| as_json(&scenario, &group)));
                    progress.suspend(|| self.print(ui, &findings(&scenario, &group)))?;
                }
                stopped += u64::from(shown.contention.as_ref().is_some_and(|c| c.blocked_headers.is_err()));
                group.push(shown);
            }
            Ok::<(), Error>(())
        };
        let work = || in_order(pool, &units, examined, take);
        progress.show(|| ui.interrupts().token().run(work))??;
        self.print(ui, &findings(&scenario, &group))?;
        if self.json {
            checks.extend((!group.is_empty()).then(|| as_json(&scenario, &group)));
            let points = scenario.points.len();
            let report = json!({ "name": scenario.name, "points": points, "rows": rows, "checks": checks });
            ui.print(&format!("{report:#}\n"))?;
        }
        match stopped {
            0 => Ok(()),
            stopped => Err(Failed(format!("{stopped} of {all} did not run to the end")).into()),
        }
    }

    /// Writes the certificate of the network to `file`.
    fn certify(&self, ui: &Ui, file: &Path) -> Result<()> {
        let scenario = self.source.network()?;
        let paths = scenario.network.link_paths()?;
        let certificate = certificate(ui, &scenario, &paths)?;
        let spec = &scenario.network.spec;
        let what = format!("{}, {} routing", spec.title(), scenario.chooses.unwrap_or(spec.routing()));
        let verdict = verdict_in_words(&what, &certificate, paths.links());
        certificate.check_length().with_context(|| verdict.clone())?;
        let mut out = Target::open(Some(file))?;
        let written = certificate.write(&mut out, &what, paths.links()).and_then(|()| out.flush());
        out.finish(written.map_err(Error::from))?;
        match certificate.verdict() {
            Verdict::Free => self.print(ui, &format!("{verdict}\n")),
            Verdict::Cycle | Verdict::Undecided => Err(Failed(verdict).into()),
        }
    }

    /// Prints what is for people to read.
    fn print(&self, ui: &Ui, text: &str) -> Result<()> {
        if self.json || self.quiet { Ok(()) } else { ui.print(text) }
    }
}

/// What can be proved of the network of `scenario`: of a lattice with virtual-channel routers, of others with `paths`.
fn certificate(ui: &Ui, scenario: &NetworkAlone, paths: &LinkPaths) -> Result<Certificate> {
    let asked = scenario.virtual_channels.map(u8::try_from).transpose();
    let asked = asked.context("more virtual channels than a link can have")?;
    let token = ui.interrupts().token();
    if let Some(lattice) = scenario.network.spec.lattice() {
        let needed = scenario.routing.needed_virtual_channels(&lattice);
        let relation = Relation::new(lattice, scenario.routing, asked.unwrap_or(needed));
        let mut packets = LatticePackets::new(&relation, paths.links(), scenario.atomic);
        return Ok(token.run(|| Certificate::for_packets(&mut packets))?);
    }
    has_one_path(scenario)?;
    let dependencies = token.run(|| paths.dependencies(asked.unwrap_or(paths.classes())))?;
    let Some(dependencies) = dependencies else {
        bail!("the paths of a {} are not listed", scenario.network.spec.title())
    };
    Ok(token.run(|| dependencies.certificate())?)
}

/// What a certificate says, in a sentence.
fn verdict_in_words(what: &str, certificate: &Certificate, links: &dyn Links) -> String {
    let used = counted(certificate.used() as u64, "virtual channel");
    match (certificate.verdict(), certificate.rounds()) {
        (Verdict::Free, None) => {
            let turns = counted(certificate.dependencies() as u64, "turn");
            format!("{what}: free of deadlock; {used}, {turns} from one to another")
        }
        (Verdict::Free, Some(rounds)) => {
            let rounds = counted(rounds.into(), "round");
            let states = counted(certificate.states() as u64, "state");
            format!("{what}: free of deadlock; {used} leave in {rounds}, {states}")
        }
        (Verdict::Cycle, _) => {
            let held = held_in_words(certificate.held(), links);
            format!("{what}: can deadlock; packets can hold, each waiting for the next: {held}")
        }
        (Verdict::Undecided, _) => {
            format!("{what}: may deadlock; {used}, of which some may be held by packets that hold several each")
        }
    }
}

/// The first of the virtual channels of a cycle, by name, and how many more there are.
fn held_in_words(held: &[VirtualChannel], links: &dyn Links) -> String {
    let name = |held: &VirtualChannel| format!("{} vc {}", links.link_name(held.link), held.vc);
    let names: Vec<String> = held.iter().take(MOST_HELD).map(name).collect();
    let names = names.join(", ");
    match held.len().saturating_sub(MOST_HELD) {
        0 => names,
        more => format!("{names}, and {more} more"),
    }
}

fn findings(scenario: &Scenario, group: &[Examination]) -> String {
    let Some(first) = group.first() else {
        return String::new();
    };
    let mut text = String::new();
    if first.id.algorithm == 0 && !scenario.axes.is_empty() {
        let settings = scenario.axes.iter().zip(scenario.points[first.id.point].settings.iter());
        let settings: Vec<String> = settings.map(|(axis, value)| format!("{} = {value}", axis.key)).collect();
        let _ = writeln!(text, "point {}: {}", first.id.point, settings.join(", "));
    }
    let experiment = &scenario.points[first.id.point].experiment;
    let workload = &experiment.workload;
    if first.id.algorithm == 0 {
        text += &routing_proof(experiment);
    }
    let _ = writeln!(text, "  {}", workload.variant(first.id.algorithm));
    let all = group[1..].iter().fold(first.evidence.clone(), |all, shown| all.and(&shown.evidence));
    let proved: String =
        workload.findings(&all).iter().map(|sentence| wrapped(sentence, "    ", "      ", 80)).collect();
    text + &proved + &contention(group)
}

/// What is found of an algorithm at a point.
fn as_json(scenario: &Scenario, group: &[Examination]) -> Value {
    let first = &group[0];
    let experiment = &scenario.points[first.id.point].experiment;
    let all = group[1..].iter().fold(first.evidence.clone(), |all, shown| all.and(&shown.evidence));
    let mut findings = routing_findings(experiment);
    findings.extend(experiment.workload.findings(&all));
    let runs: Vec<_> = group.iter().filter_map(|shown| shown.contention.as_ref()).collect();
    let stopped = runs.iter().find_map(|run| run.blocked_headers.as_ref().err()).map(ToString::to_string);
    let contention = (!runs.is_empty()).then(|| {
        let waits: u64 = runs.iter().map(|run| run.waits_beyond_injection()).sum();
        json!({
            "runs": runs.len(),
            "contended": runs.iter().filter(|run| run.waits_beyond_injection() > 0).count(),
            "waits": waits,
            "queued": runs.iter().map(|run| run.queued_messages).sum::<u64>(),
            "first": runs.iter().find_map(|run| run.first.as_deref()),
            "stopped": stopped,
        })
    });
    let mut check = settings_json(scenario, first.id.point);
    check.insert("point".to_owned(), first.id.point.into());
    check.insert("algorithm".to_owned(), experiment.workload.variant(first.id.algorithm).into());
    check.insert("findings".to_owned(), findings.into());
    check.insert("contention".to_owned(), contention.into());
    check.into()
}

/// What is shown of the routers themselves. Paths that are fixed are proved with what takes them, and open-loop traffic
/// proves its routing itself.
fn routing_proof(experiment: &Experiment) -> String {
    routing_findings(experiment).iter().map(|sentence| wrapped(sentence, "  ", "    ", 80)).collect()
}

fn routing_findings(experiment: &Experiment) -> Vec<String> {
    let Some(routers) = &experiment.machine.routers else { return Vec::new() };
    let proves = !routers.fixes_paths && !experiment.workload.kind().open_loop;
    let routing = proves.then(|| deadlock_freedom(routers));
    let slow = routers.credit_loop().map(|flits| {
        let buffer = routers.costs.buffer;
        format!("a buffer of {buffer} slows every message down: {flits} flits cover the loop of credits")
    });
    routing.into_iter().chain(slow).collect()
}

fn contention(group: &[Examination]) -> String {
    let runs: Vec<_> =
        group.iter().filter_map(|shown| Some((shown.id.repetition, shown.contention.as_ref()?))).collect();
    if let Some((repetition, stop)) = runs.iter().find_map(|(r, run)| Some((r, run.blocked_headers.as_ref().err()?))) {
        let stop = stop.to_string().replace('\n', "\n    ");
        return format!("    repetition {repetition} did not run to the end:\n    {stop}\n");
    }
    let contended: Vec<_> = runs.iter().filter(|(_, run)| run.waits_beyond_injection() > 0).collect();
    let queued: u64 = runs.iter().map(|(_, run)| run.queued_messages).sum();
    let all = counted(runs.len() as u64, "run");
    match contended.first() {
        None if runs.is_empty() && !group.iter().any(|shown| shown.could_contend) => String::new(),
        None if runs.is_empty() => "    not run: contention was not looked for\n".to_owned(),
        None if queued == 0 => format!("    no contention: no head flit waits in {all}\n"),
        None => format!(
            "    no contention: in {all} head flits wait for their own injection channel alone, {}\n",
            counted(queued, "time")
        ),
        Some((repetition, contention)) => {
            let headers: u64 = contended.iter().map(|(_, run)| run.waits_beyond_injection()).sum();
            let at_injection = match queued {
                0 => String::new(),
                queued => format!(" and {queued} at injection channels"),
            };
            let first = contention.first.as_deref().unwrap_or_default();
            format!(
                "    contention in {} of {all}, {}{at_injection}; repetition {repetition}:\n    {first}\n",
                contended.len(),
                counted(headers, "wait"),
            )
        }
    }
}
