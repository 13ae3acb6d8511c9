//! Planned schedules on the flit engine: every flit of every message crosses every channel of its path once, nothing is sent
//! before what it carries has come, and where nothing is in the way a run takes what the closed forms say.

use super::plan::{Delivery, Planned, Task};
use crate::costs::{ChannelCosts, NodeCosts};
use crate::engine::program::{CollectiveProgram, ExchangeProgram, ScheduleProgram};
use crate::engine::router::run_program;
use crate::engine::{Engine, Event, Interest, Observer, Outcome, Program, Stop};
use crate::model::{CollectiveModel, ExchangeModel, uncontended};
use crate::routing::{Network, Rings};
use crate::schedule::collective::Collective;
use crate::schedule::{Exchange, Pace, Schedule};
use crate::selftest::case::{Machine, Routers};
use crate::selftest::laws::{AUTO_IS_FLIT, Broken, CONSERVED, DATA_FIRST, FREE_IS_FREE, UNBLOCKED_IS_PRICED};
use crate::selftest::reference::delivery::needs;
use crate::selftest::reference::lists::Listed;
use crate::selftest::routers::{Grants, Setting};
use crate::selftest::strips;
use crate::selftest::subject::Effort;
use crate::topology::{Origin, Torus};
use crate::units::{ChannelId, Flits, MessageId, NodeId, Ticks, narrow};
use std::sync::Arc;

/// What a schedule runs on.
struct On<'a> {
    network: &'a dyn Network,
    channel: ChannelCosts,
    node: NodeCosts,
    pace: Pace,
    /// Pipelined routers of the network, if it can have some.
    routers: Option<Setting>,
}

/// When the messages of a run are received if nothing is in their way, by number.
type Priced = Vec<Ticks>;

/// Runs what was planned, each tree of several by itself.
///
/// # Errors
/// If a law is broken.
pub(super) fn run(case: &Delivery, planned: &Planned, listed: &[Listed]) -> Result<Effort, Broken> {
    let machine = &case.machine;
    let torus = torus_of(&case.task);
    let network: Arc<dyn Network> = match &torus {
        Some(torus) => Arc::new(Rings::first_coordinate_first(torus.clone())),
        None => match machine.network() {
            Some(network) => network,
            None => return Ok(Effort::default()),
        },
    };
    let routers = if torus.is_none() { Setting::from_machine(&pipelined(machine)) } else { None };
    let on = On { network: &*network, channel: machine.channel, node: machine.node, pace: case.pace, routers };
    let mut effort = Effort::default();
    match planned {
        Planned::Trees(trees) => {
            for ((schedule, _), listed) in trees.iter().zip(listed) {
                let ran = on.tree(schedule, listed)?;
                effort = Effort { messages: effort.messages + ran.messages, ..ran };
            }
        }
        Planned::Exchange(exchange) => {
            effort = on.exchange(exchange, torus.as_ref(), blocks(&case.task), &listed[0])?;
        }
        Planned::Collective(collective) => effort = on.collective(collective, &case.task, &listed[0])?,
    }
    Ok(effort)
}

/// Returns `machine` with pipelined routers.
fn pipelined(machine: &Machine) -> Machine {
    let virtual_channels = narrow(machine.topology.virtual_channels(), "the paths of small networks have few classes");
    Machine { routers: Some(Routers::pipelined(virtual_channels)), ..machine.clone() }
}

/// The torus on which an exchange prescribes the ways of its messages.
fn torus_of(task: &Task) -> Option<Torus> {
    match task {
        Task::Exchange(blocks) if !blocks.on_paths => Torus::new(&blocks.shape, 1, 2).ok(),
        _ => None,
    }
}

fn blocks(task: &Task) -> Flits {
    match task {
        Task::Exchange(blocks) => Flits(blocks.flits),
        _ => Flits(0),
    }
}

impl On<'_> {
    fn is_even(&self) -> bool {
        self.network.channels().is_even(self.channel.flit_time)
    }

    fn tree(&self, schedule: &Schedule, listed: &Listed) -> Result<Effort, Broken> {
        let priced = || {
            let prices = uncontended(schedule, self.network, &self.node, self.channel);
            prices.received
        };
        self.held(&ScheduleProgram::new(schedule, &self.node), listed, priced)
    }

    fn exchange(
        &self,
        exchange: &Exchange,
        torus: Option<&Torus>,
        block_flits: Flits,
        listed: &Listed,
    ) -> Result<Effort, Broken> {
        let On { node, pace, .. } = *self;
        let program = match torus {
            Some(torus) => ExchangeProgram::new(exchange, torus, &node, block_flits, pace),
            None => ExchangeProgram::on_paths(exchange, &node, block_flits, pace),
        };
        let model = ExchangeModel { node, network: self.channel.into(), chosen: None, block_flits, pace };
        self.held(&program, listed, || model.price(exchange).received)
    }

    fn collective(&self, collective: &Collective, task: &Task, listed: &Listed) -> Result<Effort, Broken> {
        let Task::Collective(vectors) = task else { return Ok(Effort::default()) };
        let On { node, pace, .. } = *self;
        let nodes = &vectors.group;
        let model = CollectiveModel { node, network: self.channel.into(), chosen: None, pace };
        let program: CollectiveProgram<'_> = model.program(collective, nodes);
        let passage = |id: MessageId| {
            let message = collective.message(id);
            model.over_links(message.flits, self.network.hops(nodes[message.src], nodes[message.dst]))
        };
        self.held(&program, listed, || model.predict(collective, nodes, Some(&passage)).received)
    }

    /// Holds a run of `program` against the laws; `priced` says when messages are received if nothing is in their way.
    fn held<P: Program + Clone>(
        &self,
        program: &P,
        listed: &Listed,
        priced: impl FnOnce() -> Priced,
    ) -> Result<Effort, Broken> {
        let mut crossed = Crossed::default();
        let outcome = match Engine::Flit.run(self.network, self.channel, program.clone(), &mut crossed) {
            Ok(outcome) => outcome,
            Err(Stop::Deadlock(deadlock)) => {
                return Err(FREE_IS_FREE.broken(format!("the schedule deadlocks: {deadlock:?}")));
            }
            Err(other) => return Err(CONSERVED.broken(format!("the flit engine reports: {other}"))),
        };
        if let Some(routers) = &self.routers {
            routers.with(|setup| {
                let mut grants = Grants::default();
                let by_one = run_program(setup, program.clone(), &mut grants);
                grants.sort();
                strips::judge_program(setup, program, &by_one, &grants)
            })?;
        }
        self.conserved(program, &crossed)?;
        self.data_first(program, listed, &outcome)?;
        // flits of worms that share a physical channel are in each other's way, and no head flit waits
        let is_shared = self.auto(program, &outcome)? != Engine::Worm;
        if outcome.blocked_messages == 0 && self.is_even() && !is_shared {
            for (id, (message, priced)) in outcome.messages.iter().zip(priced()).enumerate() {
                UNBLOCKED_IS_PRICED.equal(
                    format_args!("receipt of message {id}, measured and predicted"),
                    &message.received,
                    &priced,
                )?;
            }
        }
        Ok(Effort { messages: outcome.messages.len() as u64, blocked: outcome.blocked_messages > 0, deadlocked: false })
    }

    /// Every flit of each message crosses every channel of its path once, so that loads of channels are what paths amount to.
    fn conserved<P: Program>(&self, program: &P, crossed: &Crossed) -> Result<(), Broken> {
        let mut expected = Vec::new();
        let mut path = Vec::new();
        for id in (0..program.messages()).map(MessageId::new) {
            path.clear();
            program.path(id, self.network, &mut path);
            let flits = program.message(id).2.on_wire();
            for (hop, &channel) in path.iter().enumerate() {
                let crossing = Crossing { message: id, hop, place: self.place(channel) };
                expected.extend((0..flits).map(|_| crossing));
            }
        }
        let place = |&(message, hop, channel): &(MessageId, usize, ChannelId)| Crossing {
            message,
            hop,
            place: self.place(channel),
        };
        let mut crossings: Vec<Crossing> = crossed.0.iter().map(place).collect();
        crossings.sort_unstable_by_key(|crossing| (crossing.message, crossing.hop));
        CONSERVED.all_equal("flits that cross channels, run and paths", &crossings, &expected)
    }

    /// Where flits cross `channel`: those between a node and its router are alike.
    fn place(&self, channel: ChannelId) -> Place {
        match self.network.channels().origin(channel) {
            Origin::Injection(node) => Place::Injection(node),
            Origin::Link(_) => Place::Link(channel),
            Origin::Ejection(node) => Place::Ejection(node),
        }
    }

    /// A send starts when all that brings its sender what it carries has been received.
    fn data_first<P: Program>(&self, program: &P, listed: &Listed, outcome: &Outcome) -> Result<(), Broken> {
        let received = |id: usize| outcome.messages[id].received;
        for (id, needs) in needs(&listed.sent).iter().enumerate() {
            let (_, _, flits) = program.message(MessageId::new(id));
            let begun = outcome.messages[id].requested - self.node.send(flits);
            if let Some(&late) = needs.iter().find(|&&need| received(need) > begun) {
                return Err(DATA_FIRST.broken(format!(
                    "message {id} starts at {begun}, but carries data that message {late} brings at {}",
                    received(late)
                )));
            }
        }
        Ok(())
    }

    /// The engine that scenarios take gives the same times; which that is.
    fn auto<P: Program + Clone>(&self, program: &P, flit: &Outcome) -> Result<Engine, Broken> {
        match Engine::Auto.run(self.network, self.channel, program.clone(), &mut ()) {
            Ok(auto) => {
                AUTO_IS_FLIT.all_equal("messages, flit and auto", &flit.messages, &auto.messages)?;
                AUTO_IS_FLIT.equal("completion, flit and auto", &flit.completion, &auto.completion)?;
                Ok(auto.engine)
            }
            Err(stop) => {
                Err(AUTO_IS_FLIT.broken(format!("flit completes at {}, but auto reports: {stop}", flit.completion)))
            }
        }
    }
}

/// A flit crosses a channel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Crossing {
    message: MessageId,
    hop: usize,
    place: Place,
}

/// What it crosses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Place {
    /// One of the injection channels of a node.
    Injection(NodeId),
    Link(ChannelId),
    /// One of its ejection channels.
    Ejection(NodeId),
}

/// Every flit that started on a channel.
#[derive(Debug, Default)]
struct Crossed(Vec<(MessageId, usize, ChannelId)>);

impl Observer for Crossed {
    fn interest(&self) -> Interest {
        Interest::FLITS
    }

    fn event(&mut self, event: Event<'_>) {
        match event {
            Event::Restarted => self.0.clear(),
            Event::Started { message, hop, channel, .. } => self.0.push((message, hop, channel)),
            _ => {}
        }
    }
}
