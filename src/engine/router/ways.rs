//! Which way packets go on: what the head flit in front of a buffer may request.
//!
//! Routings are asked here, or the path that was told with a packet. Refuses to know who is granted what is requested.

use super::Traffic;
use super::machine::Machine;
use super::state::{Packet, Stage};
use crate::routing::relation::{Choice, Class, share};
use crate::routing::{Head, PortAt, Routing};
use crate::topology::Hop;

impl<T: Traffic> Machine<'_, T> {
    /// A head flit stands in front of the buffer of `vc` from the cycle `since` on, which is this one or the next; it
    /// requests a vc when it has been routed.
    // a call costs routers with one virtual channel two instructions in a hundred
    #[inline(always)]
    pub(super) fn stand_in_front(&mut self, vc: u32, since: u64) {
        let number = self.front(vc);
        let routing = self.costs.timing.routing;
        let packet = &mut self.packets[number as usize];
        self.inputs[vc as usize].left = packet.flits;
        packet.requested = since + routing;
        if self.chooses_at_once {
            self.choose(vc, number);
        }
        if routing == 0 {
            self.request(vc);
        } else {
            self.routed.push(since + routing, (vc, 1));
        }
    }

    /// Notes what packet `number`, which stands in front of `vc`, requests, where that does not depend on when it does.
    #[inline(never)]
    fn choose(&mut self, vc: u32, number: u32) {
        let at = self.fabric.router(vc);
        let entered = self.fabric.port(vc) as usize;
        self.wanted[vc as usize] = match self.told {
            None if self.routes.lattice().is_some() => {
                self.offered(at, entered, number, |routing, head| routing.choice(head))
            }
            _ if !self.trees.members(number).is_empty() => self.fork_at(vc, number),
            _ => self.choice_of_path(at, number),
        };
    }

    /// What packet `number` requests at router `at`, which keeps to a path.
    #[inline(never)]
    fn choice_of_path(&mut self, at: u32, number: u32) -> Choice {
        let choice = self.next_of_path(at, number);
        self.for_its_node(choice, number)
    }

    /// The next hop of packet `number`, which is at router `at`, on a path that was told with it or that is decided on its way.
    fn next_of_path(&mut self, at: u32, number: u32) -> Choice {
        let taken = self.packets[number as usize].hops as usize;
        if self.told.is_none() && self.routes.lattice().is_none() {
            let choice = self.offered(at, 0, number, |routing, head| routing.choice(head));
            return if u32::from(choice.port) == self.fabric.local { self.leaves() } else { choice };
        }
        self.choice_of_hop(self.paths[number as usize].get(taken).copied())
    }

    /// What a packet requests whose path was told with it, and that goes on by `hop`; none where it leaves.
    pub(super) fn choice_of_hop(&self, hop: Option<Hop>) -> Choice {
        let Some(Hop { port, vc }) = hop else { return self.leaves() };
        if let Some(interfaces) = self.interfaces {
            let vcs = &interfaces.classes[usize::from(vc)].vcs;
            return Choice { port, first: *vcs.start(), last: *vcs.end(), escape: false, empty: false };
        }
        let class = Class { number: vc, of: self.told.unwrap_or(Class::ONLY.of) };
        share(self.routes.virtual_channels(), port, class)
    }

    /// Calls `ask` with the routing and the head flit of packet `number` at router `at`, which it entered by port `entered`.
    fn offered<C>(
        &mut self,
        at: u32,
        entered: usize,
        number: u32,
        ask: impl FnOnce(&dyn Routing, &mut Head<'_>) -> C,
    ) -> C {
        let Packet { mut header, src, hops, .. } = self.packets[number as usize];
        let mut path = self.paths.get_mut(number as usize).map(std::mem::take).unwrap_or_default();
        let load = |port| self.queue(at, port);
        let mut head =
            Head { src, router: at, entered, hops: hops as usize, header: &mut header, path: &mut path, load: &load };
        let choices = ask(self.routes, &mut head);
        self.packets[number as usize].header = header;
        if let Some(kept) = self.paths.get_mut(number as usize) {
            *kept = path;
        }
        choices
    }

    /// Flits that wait for output port `port` of router `at`: head flits there that request a vc of the port, or flits that were
    /// sent over it and whose slots are not known to be free again, whichever are more. A queue shows on either side of a link. As
    /// ideal routers know of a free slot at once, it shows behind their links only where it reaches back from further on.
    ///
    /// Head flits that first request in this cycle do not count, so that the order in which they decide does not matter.
    fn queue(&self, at: u32, port: u8) -> u32 {
        let input = self.fabric.vc(at, 0);
        let inputs = input..input + (self.fabric.ports << self.fabric.vc_bits);
        let waiting: u32 = inputs.map(|vc| u32::from(self.waits_for(vc) == Some(port))).sum();
        let first = self.fabric.vc(at, port.into()) as usize;
        let buffer = self.fabric.buffer(self.fabric.vc(at, port.into()));
        let outputs = &self.outputs[first..first + self.fabric.vcs as usize];
        let sent: u32 = outputs.iter().map(|output| buffer - output.credits).sum();
        waiting.max(sent)
    }

    /// The port that the head flit in front of input vc `vc` has requested since before this cycle, or `None` if it has been granted
    /// a vc or there is no such head flit.
    fn waits_for(&self, vc: u32) -> Option<u8> {
        if self.inputs[vc as usize].stage != Stage::Requests {
            return None;
        }
        let number = self.front(vc) as usize;
        let Packet { requested, hops, .. } = self.packets[number];
        let next = self.paths[number].get(hops as usize).filter(|_| requested < self.now);
        next.map(|hop| hop.port)
    }

    /// What a packet requests that has arrived at the router of its node: all that leads to it.
    fn leaves(&self) -> Choice {
        // where outputs decide by themselves, nodes take in one packet after the other
        let vcs = if self.costs.full_crossbar { 1 } else { self.routes.virtual_channels() };
        #[expect(clippy::cast_possible_truncation, reason = "a router has at most 64 ports")]
        share(vcs, self.fabric.local as u8, Class::ONLY)
    }

    /// The same as `choice`, by the port of the node of packet `number` where it leaves the network.
    #[inline]
    pub(super) fn for_its_node(&self, choice: Choice, number: u32) -> Choice {
        if self.fabric.has_a_node_each() || u32::from(choice.port) < self.fabric.local {
            return choice;
        }
        let PortAt { port, .. } = self.fabric.place(self.packets[number as usize].header.dst);
        #[expect(clippy::cast_possible_truncation, reason = "a router has at most 64 ports")]
        Choice { port: port as u8, ..choice }
    }

    /// Puts what the head flit in front of input vc `vc` may request into `choices`.
    pub(super) fn choices(&mut self, vc: u32, choices: &mut Vec<Choice>) {
        choices.clear();
        if self.adaptive {
            self.choose_among(vc, choices);
        } else if self.looks {
            let number = self.front(vc);
            choices.push(self.choice_of_path(self.fabric.router(vc), number));
        } else {
            choices.push(self.wanted[vc as usize]);
        }
        // any ejection channel will do
        let leaves = choices.iter().find(|choice| u32::from(choice.port) >= self.fabric.local).copied();
        for more in leaves.into_iter().flat_map(|choice| (1..self.fabric.ejections).map(move |at| (choice, at))) {
            let (choice, at) = more;
            #[expect(clippy::cast_possible_truncation, reason = "a router has at most 64 ports")]
            let port = choice.port + at as u8;
            choices.push(Choice { port, ..choice });
        }
    }

    /// The same where packets may take several ports.
    fn choose_among(&mut self, vc: u32, choices: &mut Vec<Choice>) {
        let number = self.front(vc);
        let router = self.fabric.router(vc);
        let entered = self.fabric.port(vc) as usize;
        self.offered(router, entered, number, |routing, head| routing.choices(head, choices));
        for choice in choices {
            *choice = self.for_its_node(*choice, number);
        }
    }
}
