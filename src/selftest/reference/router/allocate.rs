//! Which head flits are granted which virtual channels, and which input ports which output ports.

use super::{Bid, Front, Input, Output, Slow, Vc, wait};
use crate::engine::router::{Delivery, Granted, RouterEvent, Traffic};
use crate::routing::relation::Choice;
use std::collections::{BTreeMap, BTreeSet};

impl Input {
    /// The head flit in front.
    #[expect(clippy::expect_used, reason = "only head flits that stand in front request anything")]
    fn front(&self) -> &Front {
        self.front.as_ref().expect("a head flit stands in front")
    }
}

#[expect(clippy::expect_used, reason = "what requests are made from is not empty")]
impl<T: Traffic> Slow<'_, T> {
    pub(super) fn allocate(&mut self, router: usize) {
        let first_come = self.costs.first_come();
        if first_come {
            self.grant_in_line(router);
        }
        let requests = if first_come { BTreeMap::new() } else { self.requests(router) };
        let inputs: BTreeSet<usize> = self.routers[router].busy.iter().map(|&(port, _)| port).collect();
        let bid = |port| Some((port, self.bid(router, port, &requests)?));
        let bids: Vec<(usize, Bid)> = inputs.into_iter().filter_map(bid).collect();
        self.grant_by_turn(router, &requests);
        let outputs: BTreeSet<usize> = bids.iter().map(|(_, bid)| bid.output).collect();
        for output in outputs {
            let turn = self.routers[router].takes[output];
            let requests = bids.iter().filter(|(_, bid)| bid.output == output);
            let best = requests.min_by_key(|(port, bid)| (bid.speculative, wait(*port, turn, self.ports)));
            let (port, bid) = best.expect("an output that is requested has a request");
            self.win(router, (*port, bid.vc), output);
        }
    }

    /// Input vcs whose head flits request a vc.
    fn requesting(&self, router: usize) -> Vec<Vc> {
        self.routers[router].busy.iter().copied().filter(|&at| self.requested(router, at).is_some()).collect()
    }

    /// What the head flit in front of an input vc may request in this cycle, if one does.
    fn requested(&self, router: usize, (port, vc): Vc) -> Option<&Front> {
        let input = &self.routers[router].inputs[port][vc];
        input.front.as_ref().filter(|front| input.granted.is_none() && self.now >= front.requests)
    }

    /// Who comes first: who requested first, of open-loop traffic then the packet that was made first; then the smaller
    /// message or node.
    pub(super) fn grant_in_line(&mut self, router: usize) {
        let mut line = self.requesting(router);
        let place = |&(port, vc): &Vc| {
            let input = &self.routers[router].inputs[port][vc];
            let Delivery { number, created, .. } = self.packets[input.buffer[0].packet].delivery;
            (input.front().requests, if T::CLOSED { 0 } else { created }, number)
        };
        line.sort_by_key(place);
        for at in line {
            let choices = &self.routers[router].inputs[at.0][at.1].front().choices;
            let free = choices.iter().flat_map(|choice| self.free(router, *choice).map(move |vc| (choice, vc)));
            let best = free.min_by_key(|(choice, vc)| {
                (choice.escape, self.fullness(router, *vc), self.link_sharing(router, *vc), *vc)
            });
            if let Some((_, vc)) = best {
                self.grant(router, at, vc);
            }
        }
    }

    /// Which head flit requests which output vc.
    fn requests(&self, router: usize) -> BTreeMap<Vc, Vc> {
        self.requesting(router).into_iter().filter_map(|at| Some((at, self.request(router, at)?))).collect()
    }

    fn request(&self, router: usize, at: Vc) -> Option<Vc> {
        let turn = self.routers[router].inputs[at.0][at.1].turn;
        let choices = &self.requested(router, at)?.choices;
        let free = choices.iter().flat_map(|choice| self.free(router, *choice).map(move |vc| (choice, vc)));
        let key = |(choice, vc): &(&Choice, Vc)| {
            let number = vc.0 * self.vcs + vc.1;
            (
                choice.escape,
                self.sharing(router, *vc),
                self.fullness(router, *vc),
                self.link_sharing(router, *vc),
                wait(number, turn, self.ports * self.vcs),
            )
        };
        free.min_by_key(key).map(|(_, vc)| vc)
    }

    /// How many packets share the ejection channel of an output vc; links are not chosen by that.
    fn sharing(&self, router: usize, (port, _): Vc) -> usize {
        let owned = |output: &&Output| output.owner.is_some();
        if port < self.local { 0 } else { self.routers[router].outputs[port].iter().filter(owned).count() }
    }

    /// The number of packets that share the link of an output vc, if packets choose among links off a lattice.
    fn link_sharing(&self, router: usize, (port, _): Vc) -> usize {
        let looks = self.routes.lattice().is_none() && self.routes.is_adaptive() && self.classes.is_none();
        let owned = |output: &&Output| output.owner.is_some();
        if looks && port < self.local { self.routers[router].outputs[port].iter().filter(owned).count() } else { 0 }
    }

    /// Where routing is adaptive, the less the more room there is behind an output vc.
    fn fullness(&self, router: usize, (port, vc): Vc) -> u32 {
        let adaptive = self.routes.is_adaptive() && self.classes.is_none();
        if adaptive { u32::MAX - self.routers[router].outputs[port][vc].credits } else { 0 }
    }

    /// The output vcs of a choice that are free. Where who comes first is served first, ejection channels have one.
    fn free(&self, router: usize, choice: Choice) -> impl Iterator<Item = Vc> {
        let port = usize::from(choice.port);
        let single = self.costs.first_come() && port >= self.local;
        let last = if single { choice.first } else { choice.last };
        let empty = self.costs.atomic || choice.empty;
        (choice.first..=last).map(move |vc| (port, usize::from(vc))).filter(move |&(port, vc)| {
            let output = &self.routers[router].outputs[port][vc];
            output.owner.is_none() && (!empty || output.credits == output.buffer)
        })
    }

    /// What an input port requests of the switch; nothing that has sent in this cycle sends again.
    fn bid(&self, router: usize, port: usize, requests: &BTreeMap<Vc, Vc>) -> Option<Bid> {
        let at = &self.routers[router];
        let (output_turn, vc_turn) = at.turns[port];
        let bid = |speculative, output, vc| Bid {
            speculative,
            output_wait: wait(output, output_turn, self.ports),
            vc_wait: wait(vc, vc_turn, self.vcs),
            output,
            vc,
        };
        if at.sent_from[port] > self.now {
            return None;
        }
        let mut bids = Vec::new();
        for &(_, vc) in at.busy.range((port, 0)..(port + 1, 0)) {
            if let Some((out, within)) = at.inputs[port][vc].granted {
                if at.outputs[out][within].credits > 0 && at.sent_to[out] <= self.now {
                    bids.push(bid(false, out, vc));
                }
            } else if self.costs.speculative && requests.contains_key(&(port, vc)) {
                let choices = &at.inputs[port][vc].front().choices;
                let can_send = |choice: &&Choice| {
                    let mut free = self.free(router, **choice);
                    free.any(|(port, vc)| at.outputs[port][vc].credits > 0 && at.sent_to[port] <= self.now)
                };
                bids.extend(choices.iter().filter(can_send).map(|choice| bid(true, usize::from(choice.port), vc)));
            }
        }
        bids.into_iter().min()
    }

    /// Every output vc is granted to one of those that request it, by turn.
    fn grant_by_turn(&mut self, router: usize, requests: &BTreeMap<Vc, Vc>) {
        let vcs = self.vcs;
        let size = self.ports * vcs;
        let number = |vc: Vc| vc.0 * vcs + vc.1;
        let mut requested: Vec<Vc> = requests.values().copied().collect();
        requested.sort_unstable();
        requested.dedup();
        for vc in requested {
            let turn = self.routers[router].outputs[vc.0][vc.1].turn;
            let from = requests.iter().filter(|(_, requested)| **requested == vc).map(|(from, _)| *from);
            let winner = from.min_by_key(|from| wait(number(*from), turn, size));
            let winner = winner.expect("a virtual channel that is requested has a request");
            let at = &mut self.routers[router];
            at.outputs[vc.0][vc.1].turn = (number(winner) + 1) % size;
            at.inputs[winner.0][winner.1].turn = (number(vc) + 1) % size;
            self.grant(router, winner, vc);
        }
    }

    /// Output vc `vc` is granted to the head flit in front of input vc `at`.
    fn grant(&mut self, router: usize, at: Vc, vc: Vc) {
        self.routers[router].outputs[vc.0][vc.1].owner = Some(at);
        let input = &mut self.routers[router].inputs[at.0][at.1];
        input.granted = Some(vc);
        let requested = input.front().requests;
        let Delivery { number, hops, .. } = self.packets[input.buffer[0].packet].delivery;
        let vc = self.numbered(router * self.ports.next_power_of_two() + vc.0, vc.1);
        let granted = Granted { number, hop: hops + 1, vc, requested, granted: self.now };
        self.traffic.event(RouterEvent::Granted(granted));
    }

    /// The switch is granted to an input vc for `output`.
    fn win(&mut self, router: usize, (port, vc): Vc, output: usize) {
        let at = &mut self.routers[router];
        at.takes[output] = (port + 1) % self.ports;
        at.turns[port] = ((output + 1) % self.ports, (vc + 1) % self.vcs);
        let Some(granted) = at.inputs[port][vc].granted else { return };
        if granted.0 == output && at.outputs[granted.0][granted.1].credits > 0 {
            self.leave(router, (port, vc), granted);
        }
    }
}
