//! `[[workload.traffic.class]]`: classes of packets, and traffic on several physical networks.
//!
//! Traffic without classes on several networks is a class without a name.

use super::class_keys::{CLASS, REPLY_QUEUE, read_classes};
use super::pattern::PatternSource;
use super::replies::refuse_deadlock;
use super::{CLASSES, KIND, Mode, class_run, packets_of};
use crate::algorithm::traffic::{Arrivals, Injection, Latencies, Lengths, Phases};
use crate::config::{Diagnostic, Files, Reader};
use crate::engine::router::{MessageClass, Priority};
use crate::kind::{
    Demand, Evidence, Job, Keep, Kind, LINKS, Planned, Row, RowFailure, RowFile, Setting, Unread, Workload, WorstCase,
};
use crate::machine::{Machine, Routers};
use crate::routing::Routing;
use crate::units::saturated;
use serde::Serialize;
use std::borrow::Cow;
use std::sync::Arc;

/// Classes of packets on virtual-channel routers.
#[derive(Clone, Debug, Serialize)]
pub struct ClassLoop {
    /// The classes. A single class without a name stands for all packets.
    pub classes: Vec<Class>,
    /// The most requests of a node that it has taken in and not answered, if they are limited.
    pub reply_queue: Option<u32>,
    /// The phases of the run.
    #[serde(serialize_with = "super::read::phases")]
    pub phases: Phases,
    /// The routers.
    pub routers: Routers,
    /// The algorithm that the rows name: the routing.
    routing: &'static str,
    /// True if links.csv is written.
    pub details: bool,
}

/// A class of packets, as a scenario describes it.
#[derive(Clone, Debug, Serialize)]
pub struct Class {
    /// Its name, empty if there are no classes.
    pub name: String,
    /// Its virtual channels, first and last.
    pub vcs: [u16; 2],
    /// Its priority.
    pub priority: u16,
    /// The number of its source queue.
    pub queue: usize,
    /// Lengths of its packets.
    pub lengths: Lengths,
    /// Its new packets. `None` if all its packets are replies.
    pub load: Option<NewPackets>,
    /// The number of the class of replies to its packets.
    pub reply: Option<usize>,
    /// The physical network. `None` if each packet draws one.
    pub network: Option<u32>,
    /// The routing of its packets, which shares out the virtual channels of the class.
    #[serde(skip)]
    pub(super) routes: Arc<dyn Routing>,
}

/// New packets of a class.
#[derive(Clone, Debug, Serialize)]
pub struct NewPackets {
    /// Destinations.
    pub pattern: PatternSource,
    /// Times of generation.
    pub injection: Injection,
    /// Flits per node and flit time.
    pub rate: f64,
}

impl Class {
    /// Its virtual channels and priority, as routers see them.
    pub(super) fn message(&self) -> MessageClass {
        let [first, last] = self.vcs;
        MessageClass { first, last, priority: self.priority }
    }

    /// Packets that a node generates per flit time, on average.
    fn packets_per_cycle(&self) -> f64 {
        self.load.as_ref().map_or(0.0, |load| load.rate / self.lengths.mean())
    }
}

/// Returns true if traffic needs classes: the scenario has some, or several physical networks.
pub(super) fn are_needed(table: &Reader<'_>, machine: &Machine) -> bool {
    let networks = machine.routers.as_ref().map_or(1, |routers| routers.networks);
    table.has(CLASS.name) || networks > 1
}

/// Reports keys that need classes, where there are none.
pub(super) fn refuse_without(table: &Reader<'_>, machine: &Machine) {
    if table.gives(&REPLY_QUEUE) {
        let message = "`reply_queue` has no effect: no class of packets has a `reply`";
        table.error(
            Diagnostic::at(table.place_of(REPLY_QUEUE.name), message)
                .note("accepted: with `[[workload.traffic.class]]`"),
        );
    }
    let priority = machine.routers.as_ref().map(|routers| routers.costs.microarchitecture.priority.priority);
    if priority == Some(Priority::Class) && !table.has(CLASS.name) {
        let message = "`router.priority = \"class\"` has no effect: there are no classes of packets";
        let error = Diagnostic::at(table.place(), message).note("accepted here: another `router.priority`");
        table.error(error.hint("add tables `[[workload.traffic.class]]`, each with a `priority`"));
    }
}

/// Reads traffic of classes in mode `mode`.
pub(super) fn read(
    table: &Reader<'_>,
    setting: &Setting<'_>,
    mode: Mode,
    details: bool,
    files: &mut Files<'_>,
) -> Option<Arc<dyn Workload>> {
    let Mode::Steady(phases) = mode else {
        let message = "classes of packets and several physical networks need a steady load";
        table.error(Diagnostic::at(table.place_of("mode"), message).note("accepted here: `steady`"));
        return None;
    };
    let Some(routers) = setting.machine.routers.as_ref().filter(|routers| routers.model == "pipelined") else {
        let message = "classes of packets need virtual-channel routers of `router.model = \"pipelined\"`";
        table.error(
            Diagnostic::at(table.place_of(CLASS.name), message).note("accepted: [router] with `model = \"pipelined\"`"),
        );
        return None;
    };
    let reply_queue = table.optional_integer(&REPLY_QUEUE).map(|limit| u32::try_from(limit).unwrap_or(u32::MAX));
    let classes = read_classes(table, setting, routers, files)?;
    refuse_deadlock(table, routers, &classes);
    let routing = routers.routing;
    Some(Arc::new(ClassLoop { classes, reply_queue, phases, routers: routers.clone(), routing, details }))
}

impl ClassLoop {
    /// Returns this traffic on other routers of the same network.
    fn on_routers(&self, routers: &Routers) -> Self {
        let class = |class: &Class| {
            let routes = routers.routes.restricted_to(class.routes.virtual_channels());
            Class { routes, ..class.clone() }
        };
        Self { classes: self.classes.iter().map(class).collect(), routers: routers.clone(), ..self.clone() }
    }

    /// Returns true if packets differ in their class.
    pub(super) fn has_classes(&self) -> bool {
        !self.classes[0].name.is_empty()
    }

    /// Packets that a node generates in the whole run, on average, replies to it included.
    fn packets_per_node(&self) -> u64 {
        let rate: f64 = self.classes.iter().map(|class| self.replies(class) * class.packets_per_cycle()).sum();
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "saturates")]
        let packets = (self.phases.end() as f64 * rate) as u64;
        packets.saturating_add(1)
    }

    /// A packet of `class` with all that answer it.
    fn replies(&self, class: &Class) -> f64 {
        std::iter::successors(Some(class), |class| class.reply.map(|reply| &self.classes[reply])).count() as f64
    }
}

impl Workload for ClassLoop {
    fn kind(&self) -> &'static Kind {
        &KIND
    }

    fn variants(&self) -> Vec<&'static str> {
        vec![self.routing]
    }

    fn one_thread(&self, _: &Machine) -> Option<&'static str> {
        Some("packets of classes depend on each other")
    }

    fn demand(&self, machine: &Machine, _: usize) -> Demand {
        let nodes = machine.network_nodes();
        let messages = nodes.saturating_mul(saturated(self.packets_per_node()));
        let classes = self.classes.len() as u64;
        let shortest = self.classes.iter().map(|class| class.lengths.shortest()).min().unwrap_or(1);
        let memory = self.routers.memory(shortest.into(), u64::MAX);
        let networks = u64::from(self.routers.networks);
        let mean = self.classes.iter().map(|class| class.lengths.longest()).max().unwrap_or(1);
        let hop = self.routers.hop_nanoseconds(mean.into(), memory) * 2;
        Demand {
            nodes,
            messages,
            waits: machine.mean_waits(),
            planning: classes
                * (Latencies::memory(messages as u64, self.phases.end())
                    + 2 * nodes as u64 * size_of::<Arrivals>() as u64),
            running: memory.saturating_mul(networks),
            running_time: (messages as u64).saturating_mul(hop).saturating_mul(8),
            ..Demand::default()
        }
    }

    fn worst_case(&self, _: &Machine) -> Option<WorstCase> {
        Some(WorstCase { ticks: u128::from(self.phases.end()), key: "measure", what: "this traffic" })
    }

    fn unread(&self, _: &Machine) -> Vec<Unread> {
        vec![Unread { path: &["model"], why: "traffic uses the costs of channels instead of a model" }]
    }

    fn warnings(&self) -> Vec<String> {
        [self.reply_warnings(), self.division_warnings()].concat()
    }

    fn title(&self, _: &dyn Fn(&str) -> bool) -> Vec<String> {
        if self.has_classes() {
            let names: Vec<&str> = self.classes.iter().map(|class| class.name.as_str()).collect();
            vec![format!("traffic of classes {}", names.join(", "))]
        } else {
            vec![packets_of(&self.classes[0].lengths)]
        }
    }

    fn writes(&self, _: bool) -> &'static [RowFile] {
        match (self.details, self.has_classes()) {
            (true, true) => &[LINKS, CLASSES],
            (true, false) => &[LINKS],
            (false, true) => &[CLASSES],
            (false, false) => &[],
        }
    }

    fn plan<'a>(&'a self, job: Job<'a>) -> Result<Box<dyn Planned + 'a>, RowFailure> {
        let workload = match (&job.machine.faults, &job.machine.executing().routers) {
            (Some(_), Some(routers)) => Cow::Owned(self.on_routers(routers)),
            _ => Cow::Borrowed(self),
        };
        Ok(Box::new(ClassPlanned { workload, job }))
    }
}

/// Traffic of classes, which is drawn as it runs.
pub(super) struct ClassPlanned<'a> {
    pub(super) workload: Cow<'a, ClassLoop>,
    pub(super) job: Job<'a>,
}

impl Planned for ClassPlanned<'_> {
    fn verify(&self) -> Result<Evidence, RowFailure> {
        class_run::check_flow(self)?;
        Ok(Evidence::new())
    }

    fn run(&self, row: &mut Row, _: Keep<'_>) -> Result<(), RowFailure> {
        class_run::measure(self, row)
    }
}
