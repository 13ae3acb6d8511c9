//! Packets that routers copy and combine: their deliveries, their trees, and the verdicts on them.
//!
//! ```text
//!   case       multicasts, reductions and messages, or a collective; as scenarios, and smaller ones
//!   formula    what a packet takes that is alone in the network
//!   packets    the same packets as a trace for the engine, and for the reference
//! ```

mod case;
mod formula;
mod packets;

use super::as_written;
use super::features::{Feature, FeatureSet, Swarm};
use super::laws::{
    AS_WRITTEN, BROADCAST_IS_MULTICAST, Broken, ENDS, FREE_TREES, NO_PANIC, REDUCTION_MIRRORS, TREE_ALONE, TREE_LINKS,
    TREES_ARE_REFERENCE,
};
use super::reference::copying::Rules;
use super::report::Shown;
use super::subject::{About, Effort, Subject};
use crate::engine::router::Combining;
use crate::engine::{Outcome, Stop};
use crate::kind::{Keep, LINKS, Row, RowError, RowFailure, RowId};
use crate::machine::Machine;
use crate::routing::Network;
use crate::routing::certificate::Verdict;
use crate::routing::tree::{Tree, TreeNetwork, union};
use crate::topology::Origin;
use crate::units::{ChannelId, NodeId};
use case::{InNetworkCase, Traffic, TreeMessage, TreeOperation, TreeTrace};
use formula::ClosedForm;
use packets::{Packet, Packets, Runner, Times, ours, times};
use std::collections::BTreeMap;

static ABOUT: About = About {
    name: "in-network",
    summary: "packets that routers copy and combine, compared with a reference implementation, closed forms and deadlock verdicts",
    laws: &[
        &TREES_ARE_REFERENCE,
        &TREE_ALONE,
        &TREE_LINKS,
        &BROADCAST_IS_MULTICAST,
        &REDUCTION_MIRRORS,
        &FREE_TREES,
        &AS_WRITTEN,
        &NO_PANIC,
        &ENDS,
    ],
    features: FeatureSet::of(NETWORKS).and(FeatureSet::of(MACHINES)).and(FeatureSet::of(SENT)),
};

const NETWORKS: &[Feature] = &[
    Feature::Mesh,
    Feature::Torus,
    Feature::Hypercube,
    Feature::HyperX,
    Feature::FatTree,
    Feature::Dragonfly,
    Feature::Graph,
    Feature::Order,
    Feature::Concentration,
    Feature::OddLinks,
    Feature::UnevenLinks,
    Feature::LinkDelays,
];

const MACHINES: &[Feature] = &[
    Feature::Ports,
    Feature::Ejection,
    Feature::FlitTime,
    Feature::Buffers,
    Feature::RoutingDelay,
    Feature::Combining,
    Feature::Pipelined,
    Feature::Shared,
    Feature::NotSpeculative,
    Feature::LinkLatency,
    Feature::FewerVirtualChannels,
    Feature::MoreVirtualChannels,
];

const SENT: &[Feature] = &[
    Feature::Multicasts,
    Feature::Reductions,
    Feature::PathWorms,
    Feature::Collectives,
    Feature::Groups,
    Feature::Segments,
    Feature::LongMessages,
    Feature::EmptyMessages,
    Feature::ManyMessages,
    Feature::HotSpot,
    Feature::AtOnce,
];

/// The row of a case.
const ROW: RowId = RowId { point: 0, algorithm: 0, repetition: 0 };

/// The area with the engine of this crate.
pub(super) struct InNetwork;

impl Subject for InNetwork {
    type Case = InNetworkCase;

    fn about(&self) -> &'static About {
        &ABOUT
    }

    fn draw(&self, swarm: &mut Swarm) -> InNetworkCase {
        InNetworkCase::draw(swarm)
    }

    fn judge(&self, case: &InNetworkCase) -> Result<Effort, Broken> {
        judge(ours, case)
    }

    fn runs(&self, _: &InNetworkCase, _: &Broken) -> Vec<Shown> {
        vec![Shown { name: "router", arguments: "-s engine.kind=router" }]
    }
}

/// The run of a case as a scenario.
struct CaseRun {
    machine: Machine,
    packets: Packets,
    /// The row, or `None` after a deadlock.
    row: Option<Row>,
}

impl CaseRun {
    /// Runs `case` as `flitwise run` does.
    fn from_case(case: &InNetworkCase) -> Result<Option<Self>, Broken> {
        let failed = |error: Box<RowError>| AS_WRITTEN.broken(error);
        let Some(scenario) = as_written::scenario(case)? else { return Ok(None) };
        let experiment = scenario.points[0].experiment.in_repetition(ROW).map_err(failed)?;
        let planned = experiment.plan(ROW).map_err(failed)?;
        let packets = Packets::from_plan(case, &experiment.machine, &*planned);
        let keep = Keep { messages: true, links: true, ..Keep::default() };
        let row = match experiment.run(ROW, keep) {
            Ok(row) => Some(row),
            Err(error) if matches!(error.cause, RowFailure::Stopped(Stop::Deadlock(_))) => None,
            Err(error) => return Err(failed(error)),
        };
        Ok(Some(Self { machine: Machine::clone(&experiment.machine), packets, row }))
    }

    /// The times of the messages of the row.
    fn times(&self) -> Option<Vec<Times>> {
        Some(self.row.as_ref()?.details.iter().map(|detail| times(&detail.outcome)).collect())
    }
}

/// Checks all invariants of `case` on `runner`.
fn judge(runner: Runner, case: &InNetworkCase) -> Result<Effort, Broken> {
    // without multicasts and reductions there are no packets
    let run = CaseRun::from_case(case)?.filter(|run| !run.packets.all.is_empty());
    let Some(run) = run else { return Ok(Effort::default()) };
    let Some(ended) = run.packets.run(runner, &run.machine) else { return Ok(Effort::default()) };
    let checked = CheckedCase { case, runner, run: &run };
    checked.check_reference(&ended)?;
    for packet in &run.packets.all {
        checked.check_alone(packet)?;
        checked.check_mirrored(packet)?;
    }
    checked.check_verdict()?;
    if let Some(row) = &run.row {
        checked.check_links(row)?;
        if let Traffic::Collective(operation) = &case.traffic {
            checked.check_counts(row)?;
            checked.check_segments(operation, row)?;
            checked.check_broadcast(operation)?;
        }
    }
    let blocked = ended.as_ref().map_or(true, |outcome| outcome.blocked_messages > 0);
    let messages = ended.as_ref().map_or(0, |outcome| outcome.messages.len() as u64);
    Ok(Effort { messages, blocked, deadlocked: ended.is_err() })
}

/// A case whose invariants are checked.
struct CheckedCase<'a> {
    case: &'a InNetworkCase,
    runner: Runner,
    run: &'a CaseRun,
}

impl CheckedCase<'_> {
    /// Costs of joins, in flit times.
    fn combining(&self) -> [u64; 2] {
        let options = self.case.machine.routers.as_ref().map(|routers| &routers.options);
        ["combine_latency", "combine_interval"].map(|key| options.map_or(1, |options| options.integer(key, 1)))
    }

    /// Returns true if all channels take the same time.
    fn is_even(&self) -> bool {
        let network = self.run.machine.network();
        network.is_some_and(|network| network.channels().is_even(self.case.machine.channel.flit_time))
    }

    /// The rules of the reference, where the routers follow them: the virtual channels of a link share nothing.
    fn rules(&self) -> Option<Rules> {
        let machine = &self.case.machine;
        let routers = machine.routers.as_ref().filter(|routers| !routers.pipelined && routers.atomic)?;
        let has_own_channels = u64::from(routers.virtual_channels) == machine.topology.virtual_channels();
        if !has_own_channels || !self.is_even() || self.share_links(&self.run.packets.all) {
            return None;
        }
        let flit_time = machine.channel.flit_time;
        let [latency, interval] = self.combining().map(|cycles| cycles * flit_time);
        let buffer = usize::try_from(self.run.machine.smallest_buffer()).ok()?;
        Some(Rules { flit_time, routing_delay: machine.channel.routing_delay, latency, interval, buffer })
    }

    /// Returns true if `packets` take several virtual channels of a link, or if there is no network.
    fn share_links(&self, packets: &[Packet]) -> bool {
        let Some(channels) = self.run.machine.network().map(Network::channels) else { return true };
        let mut of_links = BTreeMap::new();
        let mut all = packets.iter().flat_map(|packet| packet.tree.channels());
        all.any(|&channel| *of_links.entry(channels.physical(channel)).or_insert(channel) != channel)
    }

    /// The row, the same packets as a trace, and the reference.
    fn check_reference(&self, ended: &Result<Outcome, Stop>) -> Result<(), Broken> {
        let invariant = &TREES_ARE_REFERENCE;
        let trace = ended.as_ref().ok().map(|outcome| outcome.messages.iter().map(times).collect::<Vec<_>>());
        invariant.equal("times of all messages, scenario and its packets", &self.run.times(), &trace)?;
        let Some((rules, network)) = self.rules().zip(self.run.machine.network()) else { return Ok(()) };
        let expected = self.run.packets.expected(network, self.run.machine.ports(), &rules);
        match trace {
            Some(trace) => {
                let trace: Vec<Option<Times>> = trace.into_iter().map(Some).collect();
                invariant.all_equal(
                    "messages (source, destination, injected, delivered), engine and reference",
                    &trace,
                    &expected,
                )
            }
            None => invariant.equal(
                "arrival of all messages, engine and reference",
                &false,
                &expected.iter().all(Option::is_some),
            ),
        }
    }

    /// `packet` alone in the network.
    fn check_alone(&self, packet: &Packet) -> Result<(), Broken> {
        let Some(form) = self.closed_form() else { return Ok(()) };
        let packets = &self.run.packets;
        let isolated = packets.isolate(packet, (*packet.tree).clone(), &packets.ends(packet));
        let Some(Ok(outcome)) = isolated.run(self.runner, &self.run.machine) else {
            return Err(TREE_ALONE.broken(format!("the packet of messages {:?} does not arrive", packet.messages)));
        };
        if form.buffer < form.least_buffer(&packet.tree) || self.share_links(std::slice::from_ref(packet)) {
            return Ok(());
        }
        let Some(network) = self.run.machine.network() else { return Ok(()) };
        let expected = form.deliveries(network, packet);
        for message in &outcome.messages {
            let subject =
                format_args!("delivery to {} of messages {:?} alone, run and formula", message.dst, packet.messages);
            TREE_ALONE.equal(subject, &Some(&message.delivered.0), &expected.get(&message.dst))?;
        }
        Ok(())
    }

    fn closed_form(&self) -> Option<ClosedForm> {
        let channel = &self.case.machine.channel;
        let routers = self.case.machine.routers.as_ref()?;
        let [latency, interval] = self.combining();
        // while a router behind a join routes the head flit, flits that come at longer intervals catch up
        let catch_up = interval > 1 && channel.routing_delay > 0;
        let is_plain = routers.speculative && routers.latency == 1 && self.is_even() && !catch_up;
        let buffer = self.run.machine.smallest_buffer();
        let pipelined = routers.pipelined;
        let credit_loop = match (pipelined, routers.atomic) {
            (true, _) => 5,
            (false, true) => 1,
            (false, false) => 2,
        };
        let (flit_time, routing_delay) = (channel.flit_time, channel.routing_delay);
        is_plain.then_some(ClosedForm { pipelined, credit_loop, flit_time, routing_delay, latency, interval, buffer })
    }

    /// A reduction, and the multicast by the same links in the other direction, if combining takes no time.
    fn check_mirrored(&self, packet: &Packet) -> Result<(), Broken> {
        // small buffers stop the branches of pipelined routers, but not their operands, or the other way round
        let is_tight = self.closed_form().is_none_or(|form| form.buffer < form.least_buffer(&Tree::path([])));
        if is_tight || self.share_links(std::slice::from_ref(packet)) {
            return Ok(());
        }
        let ends = self.run.packets.ends(packet);
        let root = ends[0].1;
        let others: Vec<NodeId> = ends.iter().map(|end| end.0).filter(|&node| node != root).collect();
        let is_reduction = packet.tree.destinations().count() == 1 && packet.tree.combinations() > 0;
        let Ok(view) = self.run.machine.copying_network() else { return Ok(()) };
        if !is_reduction || others.is_empty() {
            return Ok(());
        }
        let Ok(tree) = union(&view, root, &others) else { return Ok(()) };
        if links(&view, &tree, false) != links(&view, &packet.tree, true) {
            return Ok(());
        }
        let mut machine = self.run.machine.clone();
        if let Some(routers) = &mut machine.routers {
            routers.costs.combining = Combining { latency: 0, interval: 1 };
        }
        let back: Vec<(NodeId, NodeId)> = others.iter().map(|&node| (root, node)).collect();
        let last = |tree: Tree, ends: &[(NodeId, NodeId)]| {
            let ended = self.run.packets.isolate(packet, tree, ends).run(self.runner, &machine)?;
            Some(ended.ok()?.completion)
        };
        let mirrored = last((*packet.tree).clone(), &ends);
        let subject = format_args!("last delivery of a packet of {} flits, reduction and multicast", packet.flits);
        REDUCTION_MIRRORS.equal(subject, &mirrored, &last(tree, &back))
    }

    /// Packets that can deadlock, at several times.
    fn check_verdict(&self) -> Result<(), Broken> {
        let Self { runner, run: CaseRun { machine, packets, row }, .. } = self;
        // on several injection channels, messages of one tree overtake each other and wait at joins: a run reports that deadlock
        let may_overtake = machine.node.ports > 1 && packets.share_joins();
        if may_overtake || packets.verdict(machine) != Some(Verdict::Free) {
            return Ok(());
        }
        let flit_time = self.case.machine.channel.flit_time;
        let count = packets.all.len() as u64;
        let at_once = packets.started(|_| 0);
        let in_turn = packets.started(|number| number as u64 * flit_time);
        let backwards = packets.started(|number| (count - number as u64) * 2 * flit_time);
        let ends = |packets: &Packets| packets.run(*runner, machine).is_none_or(|ended| ended.is_ok());
        let all = [row.is_some(), ends(&at_once), ends(&in_turn), ends(&backwards)];
        FREE_TREES.equal("completion of the run, at once, in turn and in reverse order", &all, &[true; 4])
    }

    /// Each link carries the flits of the packets that have it in their trees. Links are compared by their loads, as routers and
    /// channels name those of some networks differently.
    fn check_links(&self, row: &Row) -> Result<(), Broken> {
        let Some(channels) = self.run.machine.network().map(Network::channels) else { return Ok(()) };
        let mut expected: BTreeMap<ChannelId, u64> = BTreeMap::new();
        for packet in &self.run.packets.all {
            let is_link = |channel: &&ChannelId| matches!(channels.origin(**channel), Origin::Link(_));
            for &channel in packet.tree.channels().iter().filter(is_link) {
                *expected.entry(channels.physical(channel)).or_default() += packet.flits;
            }
        }
        let text = row.files.iter().find(|(name, _)| *name == LINKS.name).map_or("", |(_, text)| text);
        let mut lines = csv::ReaderBuilder::new().has_headers(false).from_reader(text.as_bytes());
        let records = lines.records().filter_map(Result::ok);
        let mut carried: Vec<u64> = records.filter_map(|record| record.get(4)?.parse().ok()).collect();
        let mut expected: Vec<u64> = expected.into_values().collect();
        carried.sort_unstable();
        expected.sort_unstable();
        TREE_LINKS.equal("flits of all links in rising order, run and trees", &carried, &expected)
    }

    /// The counts of a collective are sums over its trees.
    fn check_counts(&self, row: &Row) -> Result<(), Broken> {
        let mut expected = [0; 4];
        for Packet { tree, flits, .. } in &self.run.packets.all {
            let others = |ends: usize| flits * (ends as u64 - 1);
            let [sources, destinations] = [tree.sources().count(), tree.destinations().count()];
            expected[0] += sources as u64;
            expected[1] += flits * (tree.len() - sources - destinations) as u64;
            expected[2] += tree.junctions().iter().map(|junction| others(junction.outputs.len())).sum::<u64>();
            expected[3] += tree.junctions().iter().map(|junction| others(junction.inputs.len())).sum::<u64>();
        }
        let names = ["packets", "link_flits", "forks", "joins"];
        TREE_LINKS.equal(
            format_args!("{names:?}, row and trees"),
            &names.map(|name| row.value(name)),
            &expected.map(Some),
        )
    }

    /// A vector has as many flits in segments as without.
    fn check_segments(&self, operation: &TreeOperation, row: &Row) -> Result<(), Broken> {
        if operation.segment_flits == 0 {
            return Ok(());
        }
        let segments = operation.flits.div_ceil(operation.segment_flits);
        if operation.name != "barrier" {
            TREE_LINKS.equal("segments, run and vector", &(self.run.packets.all.len() as u64), &segments)?;
        }
        let uncut = self.case.with(Traffic::Collective(TreeOperation { segment_flits: 0, ..operation.clone() }));
        let Some(CaseRun { row: Some(uncut), .. }) = CaseRun::from_case(&uncut)? else { return Ok(()) };
        let flits = |row: &Row| row.value("link_flits");
        TREE_LINKS.equal("flits over links with and without segments", &flits(row), &flits(&uncut))
    }

    /// A broadcast, and a multicast for each of its segments.
    fn check_broadcast(&self, operation: &TreeOperation) -> Result<(), Broken> {
        let root = operation.nodes[operation.root];
        let others: Vec<u32> = operation.nodes.iter().copied().filter(|&node| node != root).collect();
        // a multicast to one node is a message: area `routers` compares these
        if operation.name != "broadcast" || others.len() < 2 {
            return Ok(());
        }
        let multicast =
            |packet: &Packet| TreeMessage { src: vec![root], dst: others.clone(), flits: packet.flits, start: 0 };
        let messages = self.run.packets.all.iter().map(multicast).collect();
        let trace = self.case.with(Traffic::Trace(TreeTrace { multicast: "router-tree", messages }));
        let sorted = |run: &CaseRun| {
            let mut times = run.times();
            times.iter_mut().for_each(|times| times.sort_unstable());
            times
        };
        let Some(trace) = CaseRun::from_case(&trace)? else { return Ok(()) };
        BROADCAST_IS_MULTICAST.equal(
            "times of all messages, broadcast and multicasts",
            &sorted(self.run),
            &sorted(&trace),
        )
    }
}

/// The links of `tree`, from router to router, in rising order, or the other way round if they are `reversed`.
fn links(view: &TreeNetwork, tree: &Tree, reversed: bool) -> Vec<[u32; 2]> {
    let ends = |&channel| {
        let ends = [view.begins_at(channel)?.0, view.ends_at(channel)?.0];
        Some(if reversed { [ends[1], ends[0]] } else { ends })
    };
    let mut links: Vec<[u32; 2]> = tree.channels().iter().filter_map(ends).collect();
    links.sort_unstable();
    links
}

#[cfg(test)]
mod tests {
    use super::super::minimise::minimise;
    use super::*;
    use crate::engine::program::TraceProgram;
    use crate::random;
    use crate::selftest::subject::Specimen;

    fn drawn(number: u64) -> InNetworkCase {
        InNetwork.draw(&mut Swarm::new(random::stream(number, ABOUT.name, 0), ABOUT.features))
    }

    #[test]
    fn nothing_is_found_and_deadlocks_come_about() {
        let efforts: Result<Vec<Effort>, Broken> = (0..300).map(|number| judge(ours, &drawn(number))).collect();
        let deadlocks = efforts.map(|all| all.iter().filter(|effort| effort.deadlocked).count());
        assert!(deadlocks.as_ref().is_ok_and(|&deadlocks| (1..100).contains(&deadlocks)), "{deadlocks:?}");
    }

    /// An engine that delivers what it combines a tick later.
    fn late(machine: &Machine, program: TraceProgram<'_>) -> Option<Result<Outcome, Stop>> {
        let mut ended = ours(machine, program)?;
        if let Ok(outcome) = &mut ended {
            let dst = |at: usize| outcome.messages.get(at).map(|message| message.dst);
            let joins = dst(0) == dst(1);
            outcome.messages.iter_mut().filter(|_| joins).for_each(|message| message.delivered.0 += 1);
        }
        Some(ended)
    }

    #[test]
    fn a_planted_difference_is_found_and_little_is_left() {
        let first = (0..200).find_map(|number| Some((drawn(number), judge(late, &drawn(number)).err()?)));
        let small = first.map(|(case, broken)| minimise(case, broken, |case| judge(late, case).err()));
        let words = small.map(|small| (small.broken.law.name, small.case.in_words()));
        assert!(
            words.as_ref().is_some_and(|(law, words)| *law == "trees-are-reference" && words.contains("1 message")),
            "{words:?}"
        );
    }
}
