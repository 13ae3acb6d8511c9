//! What no point may exceed: the clock, and the memory there is; and which algorithms fit it.

use super::estimate::Demand;
use super::exchange::Exchange;
use super::experiment::{Experiment, Machine, Workload};
use super::goal::Operations;
use super::mapping::Mapping;
use super::multicast::Multicast;
use super::trace::Trace;
use super::traffic::OpenLoop;
use crate::algorithm::multicast::ALGORITHMS;
use crate::config::Diagnostic;
use crate::config::Place;
use crate::config::{Reader, listed};
use crate::model::{Line, Model};
use crate::routing::Network;
use crate::schedule::goal::{Action, Operation};
use crate::units::Flits;

/// No time of a run may reach this many ticks: beyond, 64 bits are not certain to hold it.
const CLOCK: u128 = 1 << 62;

impl Experiment {
    /// What can only be said when everything is known: algorithms that do not fit, clocks and memory that overflow.
    pub(super) fn check(&self, root: &Reader<'_>, memory: Option<u64>) {
        match &self.workload {
            Workload::Multicast(multicast) => self.check_multicast(root, multicast, memory),
            Workload::Exchange(exchange) => self.check_exchange(root, exchange, memory),
            Workload::Broadcast(_) => self.check_memory(root, memory),
            Workload::Mapping(mapping) => self.check_mapping(root, mapping, memory),
            Workload::Operations(operations) => self.check_operations(root, operations, memory),
            Workload::Trace(trace) => self.check_trace(root, trace, memory),
            Workload::Traffic(traffic) => self.check_traffic(root, traffic, memory),
        }
    }

    fn check_multicast(&self, root: &Reader<'_>, multicast: &Multicast, memory: Option<u64>) {
        if !self.clock_holds(multicast) {
            let place = root.place_within(&["workload", "multicast", "flits"]);
            return root.error(out_of_clock(place, "this message to this group"));
        }
        let model = multicast.model(self.times(multicast.flits));
        let order = self.network().map(Network::order);
        for (position, algorithm) in multicast.algorithms.iter().enumerate() {
            if let Err(error) = algorithm.admits(order, model, self.node.ports) {
                let place = root.place_within_array(&["workload", "multicast", "algorithms"], position);
                let fitting = ALGORITHMS.iter().filter(|a| a.admits(order, model, self.node.ports).is_ok());
                let accepted = format!("accepted here: {}", listed(fitting.map(|a| a.name)));
                root.error(Diagnostic::at(place, format!("`{}` {error}", algorithm.name)).note(accepted));
            }
        }
        self.check_memory(root, memory);
    }

    /// Whether no time can reach the end of the clock even if all messages follow one another.
    fn clock_holds(&self, multicast: &Multicast) -> bool {
        let node = &self.node;
        let (hold, end) = (multicast.t_hold.unwrap_or_default().0, multicast.t_end.unwrap_or_default().0);
        let setups = [node.send_setup, node.receive_setup, node.hold_setup, hold, end];
        let per_flit = [node.send_per_flit, node.receive_per_flit, node.hold_per_flit, self.channel.flit_time];
        // a bound: the head flit of a message without payload is counted as if it paid overheads
        let flits = u128::from(multicast.flits.on_wire());
        let setup: u128 = setups.iter().map(|&t| u128::from(t)).sum();
        let data: u128 = per_flit.iter().map(|&t| u128::from(t) * flits).sum();
        let all = multicast.group.size() as u128 * (setup + data + self.path_time() + self.modelled(multicast.flits.0));
        all.max(self.spread(multicast.flits)) < CLOCK
    }

    fn check_trace(&self, root: &Reader<'_>, trace: &Trace, memory: Option<u64>) {
        let latest = trace.messages.iter().map(|m| u128::from(m.start.0)).max().unwrap_or(0);
        let wires: u128 =
            trace.messages.iter().map(|m| u128::from(m.flits.on_wire()) * u128::from(self.channel.flit_time)).sum();
        let all = latest + wires + trace.messages.len() as u128 * self.path_time();
        let spread = trace.messages.iter().map(|m| self.spread(m.flits)).max().unwrap_or(0);
        if all.max(spread) >= CLOCK {
            root.error(out_of_clock(root.place_within(&["workload", "trace", "file"]), "this trace"));
        }
        self.check_memory(root, memory);
    }

    fn check_traffic(&self, root: &Reader<'_>, traffic: &OpenLoop, memory: Option<u64>) {
        let nodes = self.machine.as_ref().map_or(0, Machine::nodes);
        let longest = u128::from(traffic.longest());
        let flits = u128::from(traffic.lengths.longest());
        let sent = u128::from(traffic.packets_per_node());
        let wires = nodes as u128 * sent * (flits * u128::from(self.channel.flit_time) + self.path_time());
        if longest * u128::from(self.channel.flit_time) + wires >= CLOCK {
            let place = root.place_within(&["workload", "traffic", "measure"]);
            return root.error(out_of_clock(place, "this traffic"));
        }
        self.check_memory(root, memory);
    }

    fn check_exchange(&self, root: &Reader<'_>, exchange: &Exchange, memory: Option<u64>) {
        let shape = exchange.torus.shape();
        let nodes = shape.iter().product::<usize>();
        let paths = exchange.algorithms.iter().filter_map(|algorithm| algorithm.critical_path(shape).ok());
        let worst = paths.map(|path| (path.startups, path.blocks)).reduce(|a, b| (a.0.max(b.0), a.1.max(b.1)));
        let Some((startups, blocks)) = worst else { return };
        let node = &self.node;
        let setups = [node.send_setup, node.receive_setup, node.hold_setup].map(u128::from).iter().sum::<u128>();
        let per_flit = [node.send_per_flit, node.receive_per_flit, node.hold_per_flit, self.channel.flit_time];
        let per_flit = per_flit.map(u128::from).iter().sum::<u128>();
        // a message of blocks without flits has one flit on the wire, which is no more than one for each of its blocks
        let flits = u128::from(blocks) * u128::from(exchange.block_flits.on_wire());
        let modelled = self.modelled(u64::try_from(flits).unwrap_or(u64::MAX));
        // all messages one after the other
        let all = nodes as u128 * (u128::from(startups) * (setups + self.path_time() + modelled) + flits * per_flit);
        let spread = self.spread(Flits(u64::try_from(flits).unwrap_or(u64::MAX)));
        if all.max(spread) >= CLOCK {
            let place = root.place_within(&["workload", "exchange", "block_flits"]);
            return root.error(out_of_clock(place, "this exchange"));
        }
        if exchange.simulate {
            self.check_memory(root, memory);
        }
    }

    fn check_mapping(&self, root: &Reader<'_>, mapping: &Mapping, memory: Option<u64>) {
        let Some(traffic) = &mapping.traffic else { return };
        let packets = 2 * u128::from(mapping.graph.most_weight());
        // all packets one after the other
        let wire = u128::from(traffic.flits.on_wire()) * u128::from(self.channel.flit_time);
        if (packets * (wire + self.path_time())).max(self.spread(traffic.flits)) >= CLOCK {
            let place = root.place_within(&["workload", "mapping", "packet_flits"]);
            return root.error(out_of_clock(place, "this traffic"));
        }
        self.check_memory(root, memory);
    }

    fn check_operations(&self, root: &Reader<'_>, operations: &Operations, memory: Option<u64>) {
        let (goal, node) = (&operations.goal, &self.node);
        let setups = [node.send_setup, node.receive_setup, node.hold_setup].map(u128::from).iter().sum::<u128>();
        let per_flit = [node.send_per_flit, node.receive_per_flit, node.hold_per_flit, self.channel.flit_time];
        let per_flit = per_flit.map(u128::from).iter().sum::<u128>();
        let mut longest = Flits(0);
        let time = |operation: &Operation| match operation.action {
            Action::Compute => u128::from(operation.size),
            Action::Receive => 0,
            Action::Send => {
                let flits = Flits::from_bytes(operation.size, operations.flit_bytes);
                longest = longest.max(flits);
                setups + u128::from(flits.on_wire()) * per_flit + self.path_time() + self.modelled(operation.size)
            }
        };
        // all operations one after the other
        let all: u128 = goal.operations().iter().map(time).sum();
        if all.max(self.spread(longest)) >= CLOCK {
            let place = root.place_within(&["workload", operations.format, "file"]);
            return root.error(out_of_clock(place, "these operations"));
        }
        self.check_memory(root, memory);
    }

    /// What a message of `length` takes in the chosen model, at most.
    fn modelled(&self, length: u64) -> u128 {
        let wide = |line: Line| u128::from(line.setup) + u128::from(line.per_flit) * u128::from(length);
        let time = match &self.model {
            None => 0,
            Some(Model::Parameterised(linear)) => {
                [linear.t_hold, linear.t_send, linear.t_net, linear.t_recv].map(wide).iter().sum()
            }
            Some(Model::LogP(logp)) => u128::from(logp.latency + 2 * logp.overhead + logp.gap),
            Some(Model::LogGops(loggops)) => {
                let constant = u128::from(loggops.latency + 3 * loggops.overhead + loggops.gap);
                let per_byte = u128::from(loggops.overhead_per_byte) + u128::from(loggops.gap_per_byte);
                constant + 2 * per_byte * u128::from(length)
            }
        };
        time.min(1 << 80) // far beyond the clock, and still a factor of a sum
    }

    /// The largest offset that the worm engine's arithmetic puts between the starts of a header along a path.
    fn spread(&self, flits: Flits) -> u128 {
        let buffered = u128::from(flits.on_wire().min(self.channel.buffer)) * u128::from(self.channel.flit_time);
        buffered * u128::from(self.longest_path())
    }

    pub(super) fn longest_path(&self) -> u64 {
        self.machine.as_ref().map_or(1, |machine| machine.spec.longest_path())
    }

    /// The longest that a header can be on its way without waiting.
    fn path_time(&self) -> u128 {
        u128::from(self.longest_path()) * u128::from(self.channel.flit_time + self.channel.routing_delay)
    }

    /// What the point needs, whichever of its algorithms needs most, must be available.
    fn check_memory(&self, root: &Reader<'_>, memory: Option<u64>) {
        let demand = self.most_demanding();
        let needed = demand.memory();
        let Some(available) = memory.filter(|&available| needed > available) else { return };
        let (needed, available) = (gigabytes(needed), gigabytes(available));
        let Demand { nodes, messages, .. } = demand;
        let (what, place) = match (&self.machine, &self.workload) {
            (Some(machine), _) => {
                let channels = machine.network.channels().count();
                let title = machine.spec.title();
                (format!("a {title} of {channels} channels with {messages} messages"), "network")
            }
            (None, Workload::Broadcast(_)) => (format!("a grid of {nodes} nodes"), "network"),
            (None, _) => (format!("a group among {nodes} nodes with {messages} messages"), "workload"),
        };
        let message = format!("{what} needs {needed} of memory; {available} are available");
        root.error(Diagnostic::at(root.place_within(&[place]), message));
    }
}

fn out_of_clock(place: Place, what: &str) -> Diagnostic {
    Diagnostic::at(
        place,
        format!("{what} could take more than 2^62 ticks at these costs, which the clock does not hold"),
    )
    .note("accepted: smaller costs, messages or groups, in longer ticks")
}

#[expect(clippy::cast_precision_loss, reason = "for people to read")]
pub(super) fn gigabytes(bytes: u64) -> String {
    if bytes < 1 << 30 { format!("{:.0} MB", bytes as f64 / 1e6) } else { format!("{:.1} GB", bytes as f64 / 1e9) }
}
