//! Traffic of classes, with replies and several networks, on pipelined routers of any microarchitecture: every packet is followed.
//!
//! ```text
//!   case    classes on machines, smaller ones, and as scenarios
//!   tape    the packets of a run, as they are sent and delivered
//! ```

mod case;
mod tape;

use super::apart::KINDS;
use super::as_written::scenario;
use super::features::{Feature, FeatureSet, Swarm};
use super::laws::{APART, AS_WRITTEN, Broken, ENDS, FREE_IS_FREE, NO_PANIC, NO_SOONER, PACKETS_CONSERVED, REPEATED};
use super::options::{self, has_fractional_steps, is_covered};
use super::report::Shown;
use super::subject::{About, Effort, Specimen, Subject};
use crate::engine::Stop;
use crate::engine::router::Ended;
use crate::kind::{Keep, RowError, RowFailure, RowId};
use crate::machine::Routers;
use crate::routing::certificate::Verdict;
use crate::scenario::Experiment;
use crate::units::narrow;
use crate::workload::traffic::ClassLoop;
use case::ClassLoad;
use tape::{Packet, Tape};

static ABOUT: About = About {
    name: "classes",
    summary: "traffic of classes, replies and batches on pipelined routers with random keys, checked packet by packet",
    laws: &[&REPEATED, &APART, &PACKETS_CONSERVED, &NO_SOONER, &FREE_IS_FREE, &AS_WRITTEN, &NO_PANIC, &ENDS],
    features: FeatureSet::of(KINDS).and(FeatureSet::of(options::OWN)).and(FeatureSet::of(OWN)),
};

/// Features beyond those of programs on such routers.
const OWN: &[Feature] = &[
    Feature::Order,
    Feature::Concentration,
    Feature::OddLinks,
    Feature::UnevenLinks,
    Feature::LinkDelays,
    Feature::Buffers,
    Feature::RoutingDelay,
    Feature::LongMessages,
    Feature::HeavyLoad,
    Feature::OnOff,
    Feature::Classes,
    Feature::Replies,
    Feature::SharedQueues,
    Feature::OwnChannels,
    Feature::Batches,
];

/// The area.
pub(super) struct ClassLoads;

impl Subject for ClassLoads {
    type Case = ClassLoad;

    fn about(&self) -> &'static About {
        &ABOUT
    }

    fn draw(&self, swarm: &mut Swarm) -> ClassLoad {
        ClassLoad::draw(swarm)
    }

    fn judge(&self, case: &ClassLoad) -> Result<Effort, Broken> {
        judge(case)
    }

    fn runs(&self, _: &ClassLoad, _: &Broken) -> Vec<Shown> {
        vec![Shown { name: "router", arguments: "" }]
    }
}

fn judge(case: &ClassLoad) -> Result<Effort, Broken> {
    let Some(scenario) = scenario(case)? else { return Ok(Effort::default()) };
    let experiment = &scenario.points[0].experiment;
    match experiment.workload.downcast_ref::<ClassLoop>() {
        Some(workload) => classes(case, experiment, workload),
        None => one_class(case, experiment),
    }
}

/// A run that was deadlocked may be refused.
fn deadlocked(case: &impl Specimen, messages: usize) -> Result<Effort, Broken> {
    options::refused(case)?;
    Ok(Effort { messages: messages as u64, blocked: true, deadlocked: true })
}

/// Follows the packets of classes.
fn classes(case: &ClassLoad, experiment: &Experiment, workload: &ClassLoop) -> Result<Effort, Broken> {
    let nodes: u32 = narrow(experiment.machine.network_nodes(), "networks of cases are small");
    let run = |ends: &[u64]| {
        let mut tape = Tape::new(workload.packets(nodes, experiment.seed, 0).with_ends(ends.to_vec()), nodes);
        let ended = workload.carry(&mut tape);
        tape.sort();
        (tape, ended)
    };
    let ends = vec![case.end; workload.classes.len()];
    let (tape, ended) = run(&ends);
    let (repeated, _) = run(&ends);
    REPEATED.all_equal("packets, of a run and of the same again", tape.delivered(), repeated.delivered())?;
    let routers = &workload.routers;
    let mut waits = false;
    for packet in tape.delivered() {
        let Packet { created, injected, delivered, hops, flits, longer, .. } = *packet;
        let latency = routers.costs.timing.unloaded(hops.into(), flits.into()) + longer;
        if !is_bounded(routers, packet) {
            continue;
        }
        if injected < created || delivered < created + latency {
            return Err(NO_SOONER.broken(format!("a packet takes less than its {latency} cycles: {packet:?}")));
        }
        waits |= delivered > created + latency;
    }
    tape.is_right()?;
    let deadlock = ended.iter().find_map(|network| network.deadlock.as_ref());
    if deadlock.is_some() {
        let links = experiment.machine.spec().and_then(|spec| spec.links().ok());
        let verdict = links.map(|links| workload.certificate(links.as_ref()).verdict());
        // the certificate is about packets to other nodes
        if verdict == Some(Verdict::Free) && nodes > 1 && is_covered(routers) {
            return Err(FREE_IS_FREE.broken(format!(
                "the certificate declares the classes deadlock-free, but packets never arrive: {deadlock:?}"
            )));
        }
        return deadlocked(case, tape.delivered().len());
    }
    conserved(workload, &tape, &ended)?;
    for class in 0..workload.classes.len() {
        if shares_nothing(workload, class) {
            let mut lone_ends = vec![0; ends.len()];
            lone_ends[class] = ends[class];
            let of_class = |packet: &&Packet| packet.class == class;
            let expected: Vec<Packet> = tape.delivered().iter().filter(of_class).copied().collect();
            let (lone, _) = run(&lone_ends);
            APART.all_equal(
                format_args!("packets of class {class}, with the others and alone"),
                &expected,
                lone.delivered(),
            )?;
        }
    }
    Ok(Effort { messages: tape.delivered().len() as u64, blocked: waits, deadlocked: false })
}

/// Returns true if the zero-load latency is a bound of the time of `packet`. The flits behind a head flit that waits in a router for
/// its virtual channel catch up with it over a slow channel.
fn is_bounded(routers: &Routers, packet: &Packet) -> bool {
    !has_fractional_steps(routers) && (packet.flits == 1 || packet.longer == 0)
}

/// Returns true if `class` has a network and a queue of its own, and no replies.
fn shares_nothing(workload: &ClassLoop, class: usize) -> bool {
    let considered = &workload.classes[class];
    let others = || workload.classes.iter().enumerate().filter(|(at, _)| *at != class).map(|(_, other)| other);
    let is_elsewhere = |network| others().all(|other| other.network.is_some_and(|of_other| of_other != network));
    let has_replies = considered.reply.is_some() || others().any(|other| other.reply == Some(class));
    let has_queue = others().all(|other| other.queue != considered.queue);
    workload.classes.len() > 1 && considered.network.is_some_and(is_elsewhere) && has_queue && !has_replies
}

/// All packets of each class arrive, each request has its reply, and links have carried what packets amount to.
fn conserved(workload: &ClassLoop, tape: &Tape, ended: &[Ended]) -> Result<(), Broken> {
    let conserved = &PACKETS_CONSERVED;
    conserved.equal("packets that remain in queues or in flight", &tape.remaining(), &0)?;
    let count = |class: usize| tape.delivered().iter().filter(|packet| packet.class == class).count();
    for (class, packets) in tape.sent().iter().enumerate() {
        conserved.equal(format_args!("packets of class {class}, sent and delivered"), packets, &count(class))?;
        let requests = (0..workload.classes.len()).filter(|&request| workload.classes[request].reply == Some(class));
        if workload.classes[class].load.is_none() {
            let requests: usize = requests.map(count).sum();
            conserved.equal(format_args!("replies of class {class}, expected and sent"), &requests, packets)?;
        }
    }
    let sum = |of: &dyn Fn(&Packet) -> u64| -> u64 { tape.delivered().iter().map(of).sum() };
    let crossed = sum(&|packet| u64::from(packet.flits) * u64::from(packet.hops));
    let flits = sum(&|packet| packet.flits.into());
    let carried: u64 = ended.iter().flat_map(|network| &network.carried).sum();
    let moved: u64 = ended.iter().map(|network| network.moved).sum();
    conserved.equal("flits on links and to nodes, carried and expected from paths", &carried, &(crossed + flits))?;
    conserved.equal("flits through switches, and expected from paths", &moved, &(crossed + flits))
}

/// Traffic without classes, by its row.
fn one_class(case: &ClassLoad, experiment: &Experiment) -> Result<Effort, Broken> {
    let id = RowId { point: 0, algorithm: 0, repetition: 0 };
    let run = || experiment.run(id, Keep::messages(false));
    let row = match run() {
        Ok(row) => row,
        Err(error) if is_deadlock(&error) => return deadlocked(case, 0),
        Err(error) => return Err(PACKETS_CONSERVED.broken(format!("the run ends with: {error}"))),
    };
    let repeated = run().map_err(|error| REPEATED.broken(format!("the same run again ends with: {error}")))?;
    for column in ["latency", "network_latency", "hops", "makespan", "accepted"] {
        REPEATED.equal(
            format_args!("`{column}`, of a run and of the same again"),
            &row.value(column),
            &repeated.value(column),
        )?;
    }
    if case.mode.as_ref().is_some_and(|mode| !mode.is_empty()) {
        PACKETS_CONSERVED.equal("packets that have not arrived", &row.value("undelivered").unwrap_or(0), &0)?;
    }
    let machine = &experiment.machine;
    let is_even = machine.network().is_some_and(|network| network.channels().own_costs().is_none());
    let is_bounded = is_even && machine.routers.as_ref().is_some_and(|routers| !has_fractional_steps(routers));
    match (row.value("latency"), row.value("unloaded")) {
        (Some(latency), Some(unloaded)) if latency < unloaded && is_bounded => {
            Err(NO_SOONER.broken(format!("the mean latency is {latency}, but that of an empty network is {unloaded}")))
        }
        _ => Ok(Effort { messages: row.messages as u64, blocked: true, deadlocked: false }),
    }
}

fn is_deadlock(error: &RowError) -> bool {
    matches!(error.cause, RowFailure::Stopped(Stop::Deadlock(_)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random;

    fn drawn(number: u64) -> ClassLoad {
        ClassLoad::draw(&mut Swarm::new(random::stream(number, ABOUT.name, 0), ABOUT.features))
    }

    #[test]
    fn nothing_is_found_where_nothing_is_planted() {
        let broken = (0..300).find_map(|number| Some((number, judge(&drawn(number)).err()?)));
        assert_eq!(broken, None);
    }

    /// Keys that no case of this area has. Other areas draw patterns, and sizes and the older keys of lengths are other spellings.
    const ELSEWHERE: [&str; 9] = [
        "include_self",
        "excluded",
        "matrix",
        "packet_bytes",
        "long_flits",
        "long_fraction",
        "details",
        "class",
        "mapping",
    ];

    #[test]
    fn every_key_of_traffic_is_drawn() {
        let texts: String = (0..2000).map(|number| drawn(number).written("c", "").remove(0).text).collect();
        let traffic = crate::workload::traffic::KIND.keys;
        let keys = traffic.iter().flat_map(|key| key.inner().iter().chain([key]));
        let missing: Vec<&str> = keys
            .map(|key| key.name)
            .filter(|name| !ELSEWHERE.contains(name) && !texts.contains(&format!("\n{name} = ")))
            .collect();
        assert_eq!(missing, [""; 0], "keys of [workload.traffic] that no case has");
    }

    #[test]
    fn some_classes_share_nothing() {
        let has_lone_class = |load: &ClassLoad| {
            let Ok(Some(scenario)) = scenario(load) else { return false };
            let workload = scenario.points[0].experiment.workload.downcast_ref::<ClassLoop>();
            workload.is_some_and(|workload| (0..workload.classes.len()).any(|class| shares_nothing(workload, class)))
        };
        assert!((0..600).filter(|&number| has_lone_class(&drawn(number))).count() > 10);
    }
}
