//! `flitwise check`.

use super::memory::Memory;
use super::progress::{Progress, patient};
use super::run::warn_of_buffers;
use super::source::has_one_path;
use super::target::Target;
use super::tree_certificate::{TreesVerdict, copying_row, write_certificate};
use super::ui::{Ui, warn_of_machines};
use super::{Failed, Source, Told, all_cores, told};
use anyhow::{Context, Error, Result, bail};
use clap::{Args, ValueHint};
use flitwise::config::Diagnostic;
use flitwise::kind::words::counted;
use flitwise::kind::{DeadlockFreedom, RowError, RowId, TreeRefusal};
use flitwise::network::LinkPaths;
use flitwise::output::{FindingsText, findings_json};
use flitwise::routing::Relation;
use flitwise::routing::certificate::{Certificate, LatticePackets, Verdict, VirtualChannel};
use flitwise::run::{Examination, Rows, Unit, WorkerPool, deadlock_freedom, examine, in_order, units};
use flitwise::scenario::{NetworkAlone, Rejected, Scenario};
use flitwise::topology::Links;
use flitwise::workload::traffic::ClassLoop;
use serde_json::{Value, json};
use std::fmt::Write as _;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The maximum number of virtual channels of a cycle that are listed.
const MOST_HELD: usize = 8;

#[derive(Args)]
pub(super) struct Check {
    #[command(flatten)]
    source: Source,
    #[command(flatten)]
    memory: Memory,
    /// Only decide whether the routing can deadlock, and write the proof to FILE (see `flitwise guide networks`)
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath, conflicts_with = "json")]
    certificate: Option<PathBuf>,
    /// Print JSON (fields are listed below)
    #[arg(long, conflicts_with = "quiet")]
    json: bool,
    /// Print only errors
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
        self.print(ui, &format!("{}: keys and values are valid; {points}, {all}\n", scenario.name))?;
        if !self.quiet {
            warn_of_machines(ui, &scenario)?;
            scenario.workload_warnings().iter().for_each(|warning| ui.warn(warning));
        }
        warn_of_buffers(ui, &scenario);
        let token = ui.interrupts().token();
        let freedom = token.run(|| deadlock_freedom(&scenario))?;
        let mut report = Report::new(&scenario, &freedom);
        self.examine_rows(ui, &scenario, memory, &mut report)?;
        self.print(ui, &report.text.text())?;
        if self.json {
            let (points, checks) = (scenario.points.len(), &report.checks);
            let report = json!({ "name": scenario.name, "points": points, "rows": rows, "checks": checks });
            ui.print(&format!("{report:#}\n"))?;
        }
        let stopped = (report.stopped > 0).then(|| format!("{} of {all} did not complete", report.stopped));
        match (report.refused(), stopped) {
            (None, None) => Ok(()),
            (None, Some(stopped)) => Err(Failed(stopped).into()),
            (Some(mut refused), stopped) => {
                refused.diagnostics.extend(stopped.map(Diagnostic::unplaced));
                let message = refused.diagnostics.first().map_or_else(String::new, |first| first.message.clone());
                Err(Told { shown: refused, cause: Failed(message).into() }.into())
            }
        }
    }

    /// Examines all rows, in order, for the `report`.
    fn examine_rows(&self, ui: &Ui, scenario: &Scenario, memory: u64, report: &mut Report<'_>) -> Result<()> {
        let units = units(scenario);
        let tasks = units.iter().enumerate().map(|(number, unit)| (number, unit.time));
        let progress = Progress::new(ui, scenario, &units, tasks, self.quiet);
        let pool = WorkerPool { threads: all_cores(), memory };
        let examined = |unit: &Unit| unit.ids().map(|id| examine(scenario, id)).collect::<Vec<_>>();
        let mut done = 0;
        let take = |unit: Vec<Result<Examination, _>>| {
            progress.done(std::iter::once(done));
            done += 1;
            for shown in unit {
                report.take(shown.map_err(|error: Box<RowError>| told(scenario, Error::new(*error)))?);
            }
            Ok::<(), Error>(())
        };
        let work = || in_order(pool, &units, examined, take);
        progress.show(|| ui.interrupts().token().run(work))??;
        report.finish_group();
        Ok(())
    }

    /// Writes the certificate of the network to `file`.
    fn certify(&self, ui: &Ui, file: &Path) -> Result<()> {
        if let Some(scenario) = self.source.limited_requests(self.memory.limit())? {
            return self.certify_requests(ui, &scenario, file);
        }
        if let Some(scenario) = self.source.copying(self.memory.limit())?
            && let Some(id) = copying_row(&scenario)
        {
            return self.certify_trees(ui, &scenario, id, file);
        }
        let scenario = self.source.network()?;
        let paths = scenario.network.link_paths()?;
        let certificate = certificate(ui, &scenario, &paths)?;
        let spec = &scenario.network.spec;
        let subject = format!("{}, {} routing", spec.title(), scenario.chooses.unwrap_or(spec.routing()));
        let verdict = verdict_in_words(&subject, &certificate, paths.links());
        self.write_certificate(
            ui,
            Certified { subject: &subject, verdict, certificate: &certificate },
            paths.links(),
            file,
        )
    }

    /// Writes the certificate of the network of `scenario` with the requests and replies of nodes to `file`.
    fn certify_requests(&self, ui: &Ui, scenario: &Scenario, file: &Path) -> Result<()> {
        let experiment = &scenario.points[0].experiment;
        let network = experiment.machine.network.as_ref().context("traffic of classes has no network")?;
        let workload =
            experiment.workload.downcast_ref::<ClassLoop>().context("`reply_queue` needs classes of packets")?;
        let links = network.spec.links()?;
        let certificate = ui.interrupts().token().run(|| workload.certificate(links.as_ref()))?;
        let point = if scenario.points.len() > 1 { " of the first point" } else { "" };
        let [title, routing] = [&network.spec.title(), workload.routers.routing];
        let subject = format!("{title}, {routing} routing, with requests and replies{point}");
        let mut verdict = verdict_in_words(&subject, &certificate, links.as_ref());
        if let Some(reason) = workload.reply_deadlock() {
            let _ = write!(verdict, "\n{reason}");
        }
        self.write_certificate(
            ui,
            Certified { subject: &subject, verdict, certificate: &certificate },
            links.as_ref(),
            file,
        )
    }

    /// Writes the certificate of the trees of row `id` of `scenario` to `file`.
    fn certify_trees(&self, ui: &Ui, scenario: &Scenario, id: RowId, file: &Path) -> Result<()> {
        let verdict = ui.interrupts().token().run(|| write_certificate(scenario, id, file))??;
        match verdict {
            TreesVerdict::Free(sentence) => self.print(ui, &format!("{sentence}\nWritten: {}\n", file.display())),
            TreesVerdict::Cycle(sentence) => Err(Failed(format!("{sentence}\nwritten: {}", file.display())).into()),
        }
    }

    /// Writes a certificate to `file` and prints its verdict.
    fn write_certificate(&self, ui: &Ui, certified: Certified<'_>, links: &dyn Links, file: &Path) -> Result<()> {
        let Certified { subject, verdict, certificate } = certified;
        certificate.check_length().with_context(|| verdict.clone())?;
        let mut out = Target::open(Some(file))?;
        let written = certificate.write(&mut out, subject, links).and_then(|()| out.flush());
        out.finish(written.map_err(Error::from))?;
        match certificate.verdict() {
            Verdict::Free => self.print(ui, &format!("{verdict}\nWritten: {}\n", file.display())),
            Verdict::Cycle | Verdict::Undecided => {
                Err(Failed(format!("{verdict}\nwritten: {}", file.display())).into())
            }
        }
    }

    /// Prints what is for people to read.
    fn print(&self, ui: &Ui, text: &str) -> Result<()> {
        if self.json || self.quiet { Ok(()) } else { ui.print(text) }
    }
}

/// A certificate, the network that it is about, and its verdict as a sentence.
struct Certified<'a> {
    subject: &'a str,
    verdict: String,
    certificate: &'a Certificate,
}

/// The findings of all rows.
struct Report<'a> {
    scenario: &'a Scenario,
    freedom: &'a [Option<Arc<DeadlockFreedom>>],
    text: FindingsText<'a>,
    checks: Vec<Value>,
    /// Rows that did not run to their end.
    stopped: u64,
    /// The rows so far of one variant at one point.
    group: Vec<Examination>,
    /// The packets on trees that are refused, each with the first row.
    refusals: Vec<(RowId, TreeRefusal)>,
}

impl<'a> Report<'a> {
    fn new(scenario: &'a Scenario, freedom: &'a [Option<Arc<DeadlockFreedom>>]) -> Self {
        let text = FindingsText::new(scenario, freedom);
        let (checks, group, refusals) = (Vec::new(), Vec::new(), Vec::new());
        Self { scenario, freedom, text, checks, stopped: 0, group, refusals }
    }

    fn take(&mut self, shown: Examination) {
        let key = |shown: &Examination| (shown.id.point, shown.id.algorithm);
        if self.group.first().is_some_and(|first| key(first) != key(&shown)) {
            self.finish_group();
        }
        self.stopped += u64::from(shown.contention.as_ref().is_some_and(|c| c.blocked_headers.is_err()));
        if let Some(refusal) = shown.trees.as_ref().and_then(|trees| trees.refusal.as_ref())
            && !self.refusals.iter().any(|(_, known)| known == refusal)
        {
            self.refusals.push((shown.id, refusal.clone()));
        }
        self.group.push(shown);
    }

    /// The errors of routings and packets that can deadlock, unless the scenario accepts that.
    fn refused(&self) -> Option<Rejected> {
        let of_trees = self.refusals.iter().map(|(id, refusal)| {
            let algorithm = self.scenario.points[id.point].experiment.workload.variant(id.algorithm);
            self.scenario.explain(&RowError::new(*id, algorithm, refusal.clone().into()))
        });
        self.text.refused().into_iter().chain(of_trees).reduce(|mut all, one| {
            all.diagnostics.extend(one.diagnostics);
            all
        })
    }

    fn finish_group(&mut self) {
        let group = std::mem::take(&mut self.group);
        let Some(first) = group.first() else { return };
        let freedom = self.freedom[first.id.point].as_deref();
        self.checks.extend(findings_json(self.scenario, freedom, &group));
        self.text.add(&group);
    }
}

/// What can be proved of the network of `scenario`: of a lattice with virtual-channel routers, of others with `paths`.
fn certificate(ui: &Ui, scenario: &NetworkAlone, paths: &LinkPaths) -> Result<Certificate> {
    let requested = scenario.virtual_channels.map(u16::try_from).transpose();
    let requested = requested.context("the number of virtual channels exceeds the limit of a link")?;
    let token = ui.interrupts().token();
    if let Some(lattice) = scenario.network.spec.lattice() {
        let needed = (scenario.routing.virtual_channels)(&lattice);
        let relation = Relation::new(lattice, scenario.routing, requested.unwrap_or(needed));
        let mut packets = LatticePackets::new(&relation, paths.links(), scenario.atomic);
        return Ok(token.run(|| Certificate::for_packets(&mut packets))?);
    }
    has_one_path(scenario)?;
    let dependencies = token.run(|| paths.dependencies(requested.unwrap_or(paths.classes().into())))?;
    let Some(dependencies) = dependencies else {
        bail!("the paths of a {} cannot be listed", scenario.network.spec.title())
    };
    Ok(token.run(|| dependencies.certificate())?)
}

/// What a certificate says, in a sentence.
fn verdict_in_words(what: &str, certificate: &Certificate, links: &dyn Links) -> String {
    let used = counted(certificate.used() as u64, "virtual channel");
    match (certificate.verdict(), certificate.rounds()) {
        (Verdict::Free, None) => {
            let turns = counted(certificate.dependencies() as u64, "edge");
            format!("{what}: deadlock-free; acyclic dependency graph of {used} with {turns}")
        }
        (Verdict::Free, Some(rounds)) => {
            let rounds = counted(rounds.into(), "round");
            let states = counted(certificate.states() as u64, "state");
            format!("{what}: deadlock-free; {used} removed in {rounds}, {states}")
        }
        (Verdict::Cycle, _) => {
            let held = held_in_words(certificate.held(), links);
            format!("{what}: can deadlock; packets can hold these virtual channels, each waiting for the next: {held}")
        }
        (Verdict::Undecided, _) => {
            format!("{what}: may deadlock (undecided); {used}, some of which may be held by packets that hold several")
        }
    }
}

/// The first of the virtual channels of a cycle, by name, and how many more there are.
fn held_in_words(held: &[VirtualChannel], links: &dyn Links) -> String {
    let name = |held: &VirtualChannel| held.name(links, u16::MAX);
    let names: Vec<String> = held.iter().take(MOST_HELD).map(name).collect();
    let names = names.join(", ");
    match held.len().saturating_sub(MOST_HELD) {
        0 => names,
        more => format!("{names}, and {more} more"),
    }
}
