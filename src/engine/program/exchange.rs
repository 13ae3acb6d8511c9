//! Nodes that execute an exchange step by step.
//!
//! A node starts its send of a step when it may, and requests an injection channel `t_send` later; its next send may
//! start `t_hold` after this one did, and not before this one's tail has left. When it may go on to the next step is a
//! matter of [`Pace`]. A message that comes for a step which its receiver has not reached is taken in and kept: a
//! receiver that refused it would hold up channels that others need, and can deadlock.

use super::cause::{CauseLog, LastSend, Ready};
use super::{Causes, MessageSet, Program, Requests, Signal};
use crate::costs::{NodeCosts, Stragglers};
use crate::engine::MessageOutcome;
use crate::routing::{Network, follow};
use crate::schedule::{Exchange, Pace};
use crate::topology::{Channels, Torus};
use crate::units::{ChannelId, Flits, MessageId, NodeId, Ticks};

/// An exchange executed by nodes with overheads; a message has as many flits as its blocks.
#[derive(Clone, Debug)]
pub struct ExchangeProgram<'a> {
    exchange: &'a Exchange,
    /// The torus, whose channels messages take as they are told; on another network they take its own paths.
    torus: Option<&'a Torus>,
    costs: NodeCosts,
    /// The slow nodes, if there are any.
    stragglers: Option<&'a Stragglers>,
    block_flits: u64,
    progress: Progress,
}

#[derive(Clone, Debug)]
enum Progress {
    Together(Together),
    Apart(Apart),
}

impl<'a> ExchangeProgram<'a> {
    /// `exchange` on the channels of `torus`, blocks of `block_flits` flits.
    pub fn new(exchange: &'a Exchange, torus: &'a Torus, costs: &NodeCosts, block_flits: Flits, pace: Pace) -> Self {
        Self { torus: Some(torus), ..Self::on_paths(exchange, costs, block_flits, pace) }
    }

    /// `exchange` on the paths of any network, blocks of `block_flits` flits.
    pub fn on_paths(exchange: &'a Exchange, costs: &NodeCosts, block_flits: Flits, pace: Pace) -> Self {
        let progress = match pace {
            Pace::Synchronous => Progress::Together(Together::new(exchange.nodes())),
            Pace::Asynchronous => Progress::Apart(Apart::new(exchange)),
        };
        Self { exchange, torus: None, costs: *costs, stragglers: None, block_flits: block_flits.0, progress }
    }

    /// Lets `stragglers` take longer.
    #[must_use]
    pub fn with_stragglers(self, stragglers: Option<&'a Stragglers>) -> Self {
        Self { stragglers, ..self }
    }

    fn sender(&self) -> Sender<'a> {
        let Self { exchange, costs, stragglers, block_flits, .. } = *self;
        Sender { exchange, costs, stragglers, block_flits }
    }

    fn flits(&self, id: MessageId) -> Flits {
        Flits(self.exchange.message(id).blocks * self.block_flits)
    }
}

/// What a node needs to know to start a send.
struct Sender<'a> {
    exchange: &'a Exchange,
    costs: NodeCosts,
    stragglers: Option<&'a Stragglers>,
    block_flits: u64,
}

impl Sender<'_> {
    /// Starts message `id` when it is `ready` and its node's `last` send, whose place it takes, lets it.
    fn start(&self, id: MessageId, ready: Ready, last: &mut LastSend, causes: &mut CauseLog, requests: &mut Requests) {
        let message = self.exchange.message(id);
        let flits = Flits(message.blocks * self.block_flits);
        let costs = self.stragglers.map_or(self.costs, |slow| slow.costs(message.src, self.costs));
        let start = ready.at.max(last.free_from());
        requests.request(id, start + costs.send(flits));
        causes.note(id, start, || last.cause(start, ready));
        *last = LastSend { message: Some(id), held_until: start + costs.hold(flits), left: Ticks::ZERO };
    }
}

impl MessageSet for ExchangeProgram<'_> {
    fn messages(&self) -> usize {
        self.exchange.len()
    }

    fn message(&self, id: MessageId) -> (NodeId, NodeId, Flits) {
        let message = self.exchange.message(id);
        (message.src, message.dst, Flits(message.blocks * self.block_flits))
    }

    fn path(&self, id: MessageId, network: &dyn Network, path: &mut Vec<ChannelId>) {
        let message = self.exchange.message(id);
        let Some(torus) = self.torus else { return network.route(message.src, message.dst, path) };
        path.push(torus.injection(message.src));
        follow(torus, message.src, message.moves, path);
        path.push(torus.ejection(message.dst));
    }

    fn receive_time(&self, id: MessageId) -> Ticks {
        let costs = self.stragglers.map_or(self.costs, |slow| slow.costs(self.exchange.message(id).dst, self.costs));
        costs.receive(self.flits(id))
    }
}

impl Program for ExchangeProgram<'_> {
    fn signal(&mut self, signal: Signal, requests: &mut Requests) {
        match signal {
            Signal::Start => self.start(requests),
            Signal::Left { id, at } => self.leave(id, at, requests),
            Signal::Delivered { id, now } => self.deliver(id, now, requests),
            Signal::KeepCauses => self.keep_causes(),
            Signal::Requested { .. } | Signal::Departed { .. } | Signal::Timer { .. } => {}
        }
    }

    fn stage_end(&self, first: MessageId) -> MessageId {
        match self.progress {
            Progress::Together(_) => MessageId(self.exchange.step(self.exchange.step_of(first)).end),
            Progress::Apart(_) => MessageId::new(self.exchange.len()),
        }
    }

    fn causes(&self, _: &[MessageOutcome]) -> Causes {
        let log = match &self.progress {
            Progress::Together(nodes) => &nodes.causes,
            Progress::Apart(nodes) => &nodes.causes,
        };
        Causes { sends: log.sends(), ..Causes::default() }
    }
}

impl ExchangeProgram<'_> {
    fn start(&mut self, requests: &mut Requests) {
        let sender = self.sender();
        match &mut self.progress {
            Progress::Together(nodes) => nodes.start_step(&sender, requests),
            Progress::Apart(nodes) => {
                for node in 0..self.exchange.nodes() {
                    nodes.advance(&sender, NodeId::new(node), requests);
                }
            }
        }
    }

    /// With a barrier it has left long before its sender may go on.
    fn leave(&mut self, id: MessageId, at: Ticks, requests: &mut Requests) {
        let sender = self.sender();
        if let Progress::Apart(nodes) = &mut self.progress {
            let src = self.exchange.message(id).src;
            let node = &mut nodes.nodes[src.index()];
            node.sending = false;
            node.last.left = at;
            nodes.advance(&sender, src, requests);
        }
    }

    fn deliver(&mut self, id: MessageId, now: Ticks, requests: &mut Requests) {
        let received = now + self.receive_time(id);
        let sender = self.sender();
        match &mut self.progress {
            Progress::Together(nodes) => nodes.receive(&sender, id, received, requests),
            Progress::Apart(nodes) => {
                nodes.received[id.index()] = Some(received);
                nodes.advance(&sender, self.exchange.message(id).dst, requests);
            }
        }
    }

    fn keep_causes(&mut self) {
        let messages = self.exchange.len();
        match &mut self.progress {
            Progress::Together(nodes) => nodes.causes.keep(messages),
            Progress::Apart(nodes) => nodes.causes.keep(messages),
        }
    }
}

/// Nodes that wait for each other after every step.
#[derive(Clone, Debug)]
struct Together {
    step: usize,
    /// Messages of the step that have not been received.
    left: usize,
    /// When the last of those that have been was received.
    ready: Ready,
    /// Per node.
    last: Vec<LastSend>,
    causes: CauseLog,
}

impl Together {
    fn new(nodes: usize) -> Self {
        Self {
            step: 0,
            left: 0,
            ready: Ready::START,
            last: vec![LastSend::default(); nodes],
            causes: CauseLog::default(),
        }
    }

    fn start_step(&mut self, sender: &Sender<'_>, requests: &mut Requests) {
        if self.step == sender.exchange.steps() {
            return;
        }
        let messages = sender.exchange.step(self.step);
        self.left = messages.len();
        for id in messages.map(MessageId) {
            let last = &mut self.last[sender.exchange.message(id).src.index()];
            sender.start(id, self.ready, last, &mut self.causes, requests);
        }
    }

    fn receive(&mut self, sender: &Sender<'_>, id: MessageId, received: Ticks, requests: &mut Requests) {
        self.ready.wait_to_receive(id, received);
        self.left -= 1;
        if self.left == 0 {
            self.step += 1;
            self.start_step(sender, requests);
        }
    }
}

/// Nodes that go on by themselves.
#[derive(Clone, Debug)]
struct Apart {
    nodes: Vec<Pending>,
    /// Per message: the next that its sender sends, and the next that its receiver receives.
    next_sent: Vec<Option<MessageId>>,
    next_received: Vec<Option<MessageId>>,
    /// Per message: when it was received.
    received: Vec<Option<Ticks>>,
    causes: CauseLog,
}

/// What a node has before it.
#[derive(Clone, Copy, Debug)]
struct Pending {
    sends: Option<MessageId>,
    receives: Option<MessageId>,
    /// When it could go on to the step that it is in.
    ready: Ready,
    last: LastSend,
    /// Whether that is on its way out.
    sending: bool,
}

impl Pending {
    /// Nothing yet.
    const NOTHING: Self = Self {
        sends: None,
        receives: None,
        ready: Ready::START,
        last: LastSend { message: None, held_until: Ticks::ZERO, left: Ticks::ZERO },
        sending: false,
    };
}

impl Apart {
    fn new(exchange: &Exchange) -> Self {
        let mut nodes = vec![Pending::NOTHING; exchange.nodes()];
        let mut next_sent = vec![None; exchange.len()];
        let mut next_received = vec![None; exchange.len()];
        for id in (0..exchange.len()).rev().map(MessageId::new) {
            let message = exchange.message(id);
            next_sent[id.index()] = nodes[message.src.index()].sends.replace(id);
            next_received[id.index()] = nodes[message.dst.index()].receives.replace(id);
        }
        Self { nodes, next_sent, next_received, received: vec![None; exchange.len()], causes: CauseLog::default() }
    }

    /// Takes `node` as far as what it has received allows.
    fn advance(&mut self, sender: &Sender<'_>, node: NodeId, requests: &mut Requests) {
        let node = &mut self.nodes[node.index()];
        loop {
            // a node sends its message of a step before it waits for the one that it receives
            let waits_first = |sends, receives| sender.exchange.step_of(receives) < sender.exchange.step_of(sends);
            match (node.sends, node.receives) {
                (Some(sends), receives) if !receives.is_some_and(|receives| waits_first(sends, receives)) => {
                    if node.sending {
                        return;
                    }
                    sender.start(sends, node.ready, &mut node.last, &mut self.causes, requests);
                    node.sending = true;
                    node.sends = self.next_sent[sends.index()];
                }
                (_, Some(receives)) => {
                    let Some(received) = self.received[receives.index()] else { return };
                    node.ready.wait_to_receive(receives, received);
                    node.receives = self.next_received[receives.index()];
                }
                (_, None) => return,
            }
        }
    }
}
