//! A live run over several physical networks between the same nodes.
//!
//! Each network has the messages of its own classes, with numbers of its own, so that it does what it would do alone.

use super::stepping::Routers;
use crate::engine::program::{LiveMessage, LiveMessages};
use crate::engine::stepping::{AnyObserver, Growing, Stepping};
use crate::engine::window::Window;
use crate::engine::{MessageOutcome, MessageSet, Outcome, Program, Requests, Signal, Stop};
use crate::units::{MessageId, NodeId, Ticks};

/// A class of messages: its network, and its number there.
#[derive(Clone, Copy, Debug)]
pub(super) struct ClassPlace {
    pub(super) network: usize,
    pub(super) class: u8,
}

/// Networks side by side.
pub(super) struct SideBySide<'a> {
    networks: Vec<OneOf<'a>>,
    /// By class.
    classes: Vec<ClassPlace>,
    program: LiveMessages,
    /// By message, its network and its number there.
    places: Window<(usize, MessageId)>,
    arrived: Vec<MessageId>,
    /// The tick through which all networks have been simulated.
    reached: Ticks,
}

/// One of the networks.
struct OneOf<'a> {
    routers: Routers<'a>,
    /// By number here, the number of the message among those of all networks.
    numbers: Window<MessageId>,
}

impl<'a> SideBySide<'a> {
    /// Creates a run over `networks`, of which each has the classes that `classes` place there.
    pub(super) fn new(networks: Vec<Routers<'a>>, classes: Vec<ClassPlace>) -> Self {
        let one_of = |routers| OneOf { routers, numbers: Window::default() };
        Self {
            networks: networks.into_iter().map(one_of).collect(),
            classes,
            program: LiveMessages::default(),
            places: Window::default(),
            arrived: Vec::new(),
            reached: Ticks::ZERO,
        }
    }

    /// Reports the messages that have been delivered at `now`, by their numbers among all.
    fn take_delivered(&mut self, now: Ticks) {
        for OneOf { routers, numbers } in &mut self.networks {
            if let Some(messages) = routers.live() {
                messages.take_delivered(&mut self.arrived);
            }
            for number in self.arrived.drain(..) {
                self.program.signal(Signal::Delivered { id: numbers[number], now }, &mut Requests::default());
            }
        }
    }

    fn class_place(&self, class: u8) -> ClassPlace {
        self.classes[usize::from(class)]
    }
}

impl<'a> Stepping<AnyObserver<'a>> for SideBySide<'a> {
    fn next(&mut self) -> Option<Ticks> {
        self.networks.iter_mut().filter_map(|network| network.routers.next()).min()
    }

    fn run_through(&mut self, until: Ticks) {
        self.networks.iter_mut().for_each(|network| network.routers.run_through(until));
    }

    fn delivered(&self) -> usize {
        self.networks.iter().map(|network| network.routers.delivered()).sum()
    }

    fn message(&self, id: MessageId, now: Ticks) -> Option<MessageOutcome> {
        let &(network, number) = self.places.get(id)?;
        self.networks[network].routers.message(number, now)
    }

    fn program(&self) -> &dyn Program {
        &self.program
    }

    fn observer(&mut self) -> &mut AnyObserver<'a> {
        self.networks[0].routers.observer()
    }

    /// Returns the end of the first network that has messages left.
    fn finish(&mut self) -> Result<Outcome, Stop> {
        let mut outcome = self.networks[0].routers.finish()?;
        for network in &mut self.networks[1..] {
            outcome.append(network.routers.finish()?);
        }
        Ok(outcome)
    }
}

impl<'a> Growing<AnyObserver<'a>> for SideBySide<'a> {
    fn live(&mut self) -> Option<&mut LiveMessages> {
        Some(&mut self.program)
    }

    fn add(&mut self, at: Ticks) {
        let id = MessageId::new(self.program.messages() - 1);
        let (src, dst, flits) = self.program.message(id);
        let ClassPlace { network, class } = self.class_place(self.program.class(id));
        let one = &mut self.networks[network];
        let Some(messages) = one.routers.live() else { return };
        let number = messages.send(LiveMessage { src, dst, flits, class, name: Some(id) });
        one.routers.add(at);
        one.numbers.push(id);
        self.places.push((network, number));
    }

    fn next_event(&mut self) -> Option<Ticks> {
        self.networks.iter_mut().filter_map(|network| network.routers.next_event()).min()
    }

    /// The networks advance side by side, tick by tick where something happens in any of them.
    fn arrive(&mut self, limit: Ticks) -> Ticks {
        while !self.program.has_delivered() {
            let next = self.next_event().map(|next| next.max(self.reached + Ticks(1)));
            let Some(next) = next.filter(|&next| next <= limit) else { break };
            for network in &mut self.networks {
                network.routers.arrive(next);
            }
            self.reached = next;
            self.take_delivered(next);
        }
        self.reached
    }

    fn forget(&mut self, before: MessageId) -> MessageId {
        for OneOf { routers, numbers } in &mut self.networks {
            let first = routers.forget(numbers.first_not(numbers.first(), |&number| number < before));
            if let Some(messages) = routers.live() {
                messages.forget(first);
            }
            numbers.forget(first);
        }
        self.places.forget(before);
        before
    }

    fn queued(&self, node: NodeId, class: u8, now: Ticks) -> u32 {
        let ClassPlace { network, class } = self.class_place(class);
        self.networks[network].routers.queued(node, class, now)
    }

    fn release(&mut self, message: MessageId, now: Ticks) {
        if let Some(&(network, number)) = self.places.get(message) {
            self.networks[network].routers.release(number, now);
        }
    }
}
