//! `[faults]`: failed links and routers, slow links and slow nodes of a machine.
//!
//! Faults are there from the start of a run. Those that the scenario lists are the same in all repetitions; each repetition draws
//! the others. [`FaultBase`] has what all repetitions share, [`Faults`] belongs to the machine of one.
//!
//! ```text
//!   FaultSpec   the table: which fail, how slow the others are
//!   FaultBase   the spec on a network, and the machine without faults
//!   Present     the faults of a repetition
//!   Faults      all of them, and the part of its machine: to run with faults, or to be compared with
//! ```

mod draw;
mod messages;
mod read;

pub use messages::ReroutedMessages;
pub(crate) use read::{GridFaults, KEYS, paths, read_on_grid};

use super::{Draw, Machine, Routers};
use crate::config::{Diagnostic, Files, Reader};
use crate::costs::{Factor, Stragglers};
use crate::network::{BuiltNetwork, RerouteError, Rerouting, SlowPairs, Wanted, read_rerouting};
use crate::routing::Network;
use crate::topology::{Failures, LinkCost, RouterPair};
use crate::units::{LinkId, NodeId, RouterId};
use draw::Selection;
use serde::Serialize;
use std::sync::Arc;

/// Treatment of messages between nodes without a path.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Unreachable {
    /// An error.
    #[default]
    Reject,
    /// Traces and traffic leave them out. Other workloads are not run.
    Skip,
}

/// The faults of a scenario.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct FaultSpec {
    links: Selection<RouterPair>,
    routers: Selection<RouterId>,
    slow: Selection<RouterPair>,
    stragglers: Selection<NodeId>,
    slowdown: Factor,
    straggle: Factor,
    /// Treatment of messages without a path.
    pub unreachable: Unreachable,
    /// True to run rows without faults, too, if the scenario says so.
    pub baseline: Option<bool>,
}

impl FaultSpec {
    /// Returns true if repetitions have different faults.
    fn is_drawn(&self) -> bool {
        let links = self.links.is_drawn() || self.slow.is_drawn();
        links || self.routers.is_drawn() || self.stragglers.is_drawn()
    }
}

/// The faults of a repetition.
#[derive(Clone, Debug, Default)]
pub struct Present {
    /// Failed pairs and routers.
    pub failures: Failures,
    /// Slow pairs.
    pub slow: SlowPairs,
    /// Slow nodes.
    pub stragglers: Arc<Stragglers>,
}

/// The faults of a scenario on a network, and the same machine without them.
#[derive(Debug)]
pub struct FaultBase {
    spec: FaultSpec,
    /// The network with its own routing.
    network: BuiltNetwork,
    pairs: Vec<RouterPair>,
    /// The routing round failures, if links or routers can fail.
    rerouting: Option<Rerouting>,
    flit_time: u64,
}

/// The purpose of a machine with faults.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FaultRole {
    /// To run with its faults.
    Faulty,
    /// To run what is planned for it on the machine without faults.
    Baseline,
}

/// The faults of a machine.
#[derive(Clone)]
pub struct Faults {
    base: Arc<FaultBase>,
    /// The faults of its repetition.
    pub present: Arc<Present>,
    /// The number of ordered pairs of different nodes with a path. `None` if no link or router can fail.
    pub connected_pairs: Option<u128>,
    role: FaultRole,
    /// The network with its failures.
    network: Arc<dyn Network>,
    /// The routers of this network without slow links, if it has any.
    routers: Option<Routers>,
    /// The machine without faults, with the same routing.
    intact: Arc<Machine>,
    draw: Draw,
}

impl std::fmt::Debug for Faults {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Faults").field("present", &self.present).field("role", &self.role).finish_non_exhaustive()
    }
}

impl FaultBase {
    /// Reads `[faults]` for `network`, and the routing round failures. Returns `None` after an error, which has been reported.
    pub(crate) fn read(
        root: &Reader<'_>,
        wanted: Wanted<'_>,
        network: &BuiltNetwork,
        files: &mut Files<'_>,
    ) -> Option<Arc<Self>> {
        let table = root.table("faults")?;
        let before = root.error_count();
        let links = network.spec.links().ok()?;
        let spec = read::read(&table, links.as_ref());
        let rerouting = read_rerouting(root, wanted, network, files)?;
        if root.error_count() > before {
            return None;
        }
        let (network, pairs) = (network.clone(), RouterPair::all(links.as_ref()));
        Some(Arc::new(Self { spec, network, pairs, rerouting, flit_time: wanted.flit_time }))
    }

    /// The faults of a repetition.
    pub(crate) fn draw(&self, draw: Draw) -> Present {
        let links = self.network.spec.links();
        let [routers, nodes] = links.map_or([0, 0], |links| [links.routers(), links.nodes()]);
        let routers: Vec<RouterId> = (0..routers).map(RouterId::new).collect();
        let nodes: Vec<NodeId> = (0..nodes).map(NodeId::new).collect();
        let failures = Failures {
            pairs: self.spec.links.draw(&self.pairs, "links", draw, |_| false),
            routers: self.spec.routers.draw(&routers, "routers", draw, |_| false),
        };
        let slow = self.spec.slow.draw(&self.pairs, "slow links", draw, |pair| failures.pairs.contains(pair));
        let stragglers = self.spec.stragglers.draw(&nodes, "stragglers", draw, |_| false);
        Present {
            failures,
            slow: SlowPairs { pairs: slow, factor: self.spec.slowdown },
            stragglers: Arc::new(Stragglers::new(stragglers, self.spec.straggle)),
        }
    }

    /// The network with `failures` and `slow` links, with the routing round failures if there is one.
    ///
    /// # Errors
    /// If the routing does not suit what survives.
    pub(crate) fn network(&self, failures: &Failures, slow: &SlowPairs) -> Result<BuiltNetwork, RerouteError> {
        self.network.with_faults(self.rerouting.as_ref(), failures.clone(), slow.clone(), self.flit_time)
    }

    /// Builds the network as [`Self::network`] does, and reports errors.
    pub(crate) fn read_network(
        &self,
        root: &Reader<'_>,
        failures: &Failures,
        slow: &SlowPairs,
    ) -> Option<BuiltNetwork> {
        let refuse = |error: RerouteError| match &self.rerouting {
            Some(rerouting) => rerouting.refuse(root, &self.network, &error),
            None => root.error(Diagnostic::at(root.place_within(&["faults"]), error.to_string())),
        };
        self.network(failures, slow).map_err(refuse).ok()
    }

    /// Reports slow links that do not take whole cycles of routers.
    pub(crate) fn refuse_cycles(&self, root: &Reader<'_>) {
        let Ok(links) = self.network.spec.links() else { return };
        if !self.spec.slow.is_any() {
            return;
        }
        let usual = LinkCost::without_delay(self.flit_time);
        let slow = |link: LinkId| self.spec.slowdown.times(links.cost(link).unwrap_or(usual).flit_time.0);
        let has_fraction = |link: &LinkId| !slow(*link).is_multiple_of(self.flit_time);
        let Some(link) = (0..links.count()).map(LinkId::new).find(has_fraction) else { return };
        let message = format!(
            "slow links take {} ticks per flit with `slowdown` = {}, but routers count in cycles of `channel.flit_time` = {}",
            slow(link),
            self.spec.slowdown,
            self.flit_time,
        );
        let diagnostic = Diagnostic::at(read::place_of_slowdown(root), message);
        root.error(diagnostic.note("accepted: a `slowdown` with which all slow links take whole cycles"));
    }

    /// The machine with the faults of a repetition, of which `intact` is the machine without faults. `network` has the failures but no
    /// slow links, and `routers` are its routers.
    ///
    /// # Errors
    /// If the routing does not suit what survives.
    pub(crate) fn machine(
        self: &Arc<Self>,
        intact: &Arc<Machine>,
        (network, routers): (BuiltNetwork, Option<Routers>),
        draw: Draw,
    ) -> Result<Machine, RerouteError> {
        let present = self.draw(draw);
        let slowed = match present.slow.pairs.is_empty() {
            true => network,
            false => self.network(&present.failures, &present.slow)?,
        };
        let with_slow = routers.clone().map(|routers| match slowed.spec.slow_links() {
            Some(slow) => Routers { routes: routers.routes.with_slow_links(&slow, self.flit_time), ..routers },
            None => routers,
        });
        let faults = Faults {
            base: Arc::clone(self),
            present: Arc::new(present),
            connected_pairs: slowed.spec.surviving().map(|surviving| surviving.connected_pairs),
            role: FaultRole::Faulty,
            network: Arc::clone(&slowed.network),
            routers,
            intact: Arc::clone(intact),
            draw,
        };
        let energy = match (&intact.energy, slowed.spec.links()) {
            (Some(energy), Ok(links)) => Some(Arc::new(energy.surviving(&faults.present.failures, links.as_ref()))),
            _ => None,
        };
        let faults = Some(Arc::new(faults));
        Ok(Machine { network: Some(slowed), routers: with_slow, faults, energy, ..Machine::clone(intact) })
    }
}

/// An error of routers whose packets would need more virtual channels than links have.
#[derive(Clone, Copy, Debug, thiserror::Error)]
#[error("the paths round the failures need {needed} virtual channels, and links have {virtual_channels}")]
struct TooFewChannels {
    needed: u16,
    virtual_channels: u16,
}

/// An error of the machine of a repetition.
#[derive(Debug, thiserror::Error)]
#[error("repetition {repetition}: {cause}")]
pub struct RedrawError {
    repetition: u64,
    #[source]
    cause: Box<dyn std::error::Error + Send + Sync>,
}

impl Faults {
    /// The faults of the scenario.
    pub fn spec(&self) -> &FaultSpec {
        &self.base.spec
    }

    /// The machine without faults, with the same routing.
    pub fn intact(&self) -> &Arc<Machine> {
        &self.intact
    }

    /// Returns true if this machine has its faults while it runs.
    pub(crate) fn is_faulty(&self) -> bool {
        self.role == FaultRole::Faulty
    }

    /// The network with its own routing and without faults.
    pub(crate) fn own_network(&self) -> &BuiltNetwork {
        &self.base.network
    }

    /// Returns true if a path leads from `src` to `dst` in spite of the failures.
    pub fn reaches(&self, src: NodeId, dst: NodeId) -> bool {
        self.network.reaches(src, dst)
    }

    /// Returns true if there are nodes between which no path leads.
    pub fn is_cut(&self) -> bool {
        let nodes = self.network.channels().nodes() as u128;
        self.connected_pairs.is_some_and(|pairs| pairs < nodes * nodes.saturating_sub(1))
            || !self.present.failures.routers.is_empty()
    }

    /// Slow nodes, while this machine has its faults.
    pub(crate) fn stragglers(&self) -> Option<&Stragglers> {
        Some(&*self.present.stragglers).filter(|slow| self.is_faulty() && !slow.nodes().is_empty())
    }
}

impl Machine {
    /// The machine of a repetition with its own faults. Returns `None` if all repetitions have the same.
    ///
    /// # Errors
    /// If the routing does not suit what survives.
    pub fn in_repetition(&self, draw: Draw) -> Result<Option<Self>, RedrawError> {
        let Some(faults) = self.faults.as_ref().filter(|faults| faults.spec().is_drawn() && faults.draw != draw) else {
            return Ok(None);
        };
        let error =
            |cause: Box<dyn std::error::Error + Send + Sync>| RedrawError { repetition: draw.repetition, cause };
        let base = &faults.base;
        let failures = base.draw(draw).failures;
        let network = base.network(&failures, &SlowPairs::default()).map_err(|cause| error(Box::new(cause)))?;
        let routers = match (&faults.routers, network.network.paths()) {
            (Some(routers), Some(paths)) if base.rerouting.is_some() => {
                let [needed, virtual_channels] = [u16::from(paths.classes()), routers.virtual_channels];
                if needed > virtual_channels && routers.policy == super::DeadlockPolicy::Refuse {
                    return Err(error(Box::new(TooFewChannels { needed, virtual_channels })));
                }
                let routes = routers.routes.with_paths(paths);
                Some(routes.map_or_else(|| routers.clone(), |routes| Routers { routes, ..routers.clone() }))
            }
            (routers, _) => routers.clone(),
        };
        let machine = base.machine(&faults.intact, (network, routers), draw);
        machine.map(Some).map_err(|cause| error(Box::new(cause)))
    }

    /// Returns this machine with runs that take place without faults, for comparison.
    #[must_use]
    pub fn baseline(&self) -> Self {
        let baseline = |faults: &Arc<Faults>| Arc::new(Faults { role: FaultRole::Baseline, ..Faults::clone(faults) });
        Self { faults: self.faults.as_ref().map(baseline), ..self.clone() }
    }

    /// The machine on which runs take place: this one, or that without faults for a [baseline](Self::baseline).
    pub fn executing(&self) -> &Self {
        match &self.faults {
            Some(faults) if !faults.is_faulty() => &faults.intact,
            _ => self,
        }
    }

    /// Slow nodes of the runs of this machine.
    pub(crate) fn stragglers(&self) -> Option<&Stragglers> {
        self.faults.as_ref().and_then(|faults| faults.stragglers())
    }

    /// Returns true if a message is left out, because no path leads from `src` to `dst`.
    pub fn leaves_out(&self, src: NodeId, dst: NodeId) -> bool {
        let skips = |faults: &&Arc<Faults>| faults.spec().unreachable == Unreachable::Skip;
        self.faults.as_ref().filter(skips).is_some_and(|faults| !faults.reaches(src, dst))
    }
}
