//! Certificates of packets that routers copy or combine, of `flitwise check`.

use super::target::Target;
use super::told;
use anyhow::{Context, Error, Result};
use flitwise::kind::{RowId, TreeRefusal, tree_certificate, trees_sentence};
use flitwise::network::NetworkSpec;
use flitwise::routing::certificate::Verdict;
use flitwise::routing::certificate::trees::{TreeCertificate, TreeCertificateText};
use flitwise::scenario::{Experiment, Scenario};
use std::io::Write as _;
use std::path::Path;

/// A verdict on trees, in a sentence.
pub(super) enum TreesVerdict {
    Free(String),
    Cycle(String),
}

/// The first row of `scenario` in which routers copy or combine packets.
pub(super) fn copying_row(scenario: &Scenario) -> Option<RowId> {
    let workload = &scenario.points.first()?.experiment.workload;
    let algorithm = (0..workload.variants().len()).find(|&variant| workload.copies(variant))?;
    Some(RowId { point: 0, algorithm, repetition: 0 })
}

/// Writes the certificate of the trees of row `id` to `file`.
pub(super) fn write_certificate(scenario: &Scenario, id: RowId, file: &Path) -> Result<TreesVerdict> {
    let row_error = |error| told(scenario, Error::new(error));
    let experiment = scenario.points[id.point].experiment.in_repetition(id).map_err(|error| row_error(*error))?;
    let planned = experiment.plan(id).map_err(|error| row_error(*error))?;
    let ids = experiment.workload.message_ids(&experiment.machine);
    let name = |message: usize| ids.as_ref().map_or(message as u64, |ids| ids[message]);
    let mut verdict = None;
    planned.copied(&mut |messages| {
        let certificate = tree_certificate(&experiment.machine, messages, &name);
        verdict = Some(match certificate {
            Ok(Some(certificate)) => write(&experiment, &certificate, file),
            Ok(None) => Ok(None),
            Err(error) => Err(row_error(*experiment.failed(id, TreeRefusal::from(error).into()))),
        });
    });
    verdict.transpose()?.flatten().context("routers copy and combine no packets of this row")
}

fn write(experiment: &Experiment, certificate: &TreeCertificate<'_>, file: &Path) -> Result<Option<TreesVerdict>> {
    let machine = &experiment.machine;
    let network = machine.copying_network()?;
    let spec = machine.spec();
    let routers = machine.routers.as_ref();
    let routing = routers.map_or_else(|| spec.map_or("", NetworkSpec::routing), |routers| routers.routing);
    let virtual_channels = routers.map_or(1, |routers| routers.virtual_channels.into());
    let title = format!("{}, {routing} routing", machine.title().unwrap_or_default());
    let sentence = trees_sentence(machine, certificate);
    let text = TreeCertificateText::new(certificate, &network, &title, virtual_channels);
    let text = text.with_context(|| sentence.clone())?;
    let mut out = Target::open(Some(file))?;
    let written = text.write(&mut out).and_then(|()| out.flush());
    out.finish(written.map_err(Error::from))?;
    Ok(Some(match certificate.verdict() {
        Verdict::Free => TreesVerdict::Free(sentence),
        Verdict::Cycle | Verdict::Undecided => TreesVerdict::Cycle(sentence),
    }))
}
