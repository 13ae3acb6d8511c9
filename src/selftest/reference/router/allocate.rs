//! Which head flits are granted which virtual channels, and which input ports which output ports.

use super::allocators::Requests;
use super::{Bid, Front, Input, Output, Slow, Vc, wait};
use crate::engine::router::{Delivery, Granted, RouterEvent, Traffic};
use crate::routing::relation::Choice;
use std::collections::BTreeMap;

impl Input {
    /// The head flit in front.
    #[expect(clippy::expect_used, reason = "only head flits that stand in front request anything")]
    fn front(&self) -> &Front {
        self.front.as_ref().expect("a head flit stands in front")
    }
}

impl<T: Traffic> Slow<'_, T> {
    pub(super) fn allocate(&mut self, router: usize) {
        let first_come = self.costs.first_come();
        if first_come {
            self.grant_in_line(router);
        }
        let requests = if first_come { BTreeMap::new() } else { self.requests(router) };
        let bids = self.bids(router, &requests);
        self.grant_vcs(router, &requests);
        let of_switch: Requests = bids.iter().map(|(pair, bid)| (*pair, u8::from(!bid.speculative))).collect();
        for (port, output) in self.routers[router].switch.allocate(&of_switch) {
            self.win(router, (port, bids[&(port, output)].vc), output);
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
            (input.front().requests, if self.traffic.is_closed() { 0 } else { created }, number)
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

    /// Which head flit requests which output vcs: all that it likes equally well.
    fn requests(&self, router: usize) -> BTreeMap<Vc, Vec<Vc>> {
        let all = self.requesting(router).into_iter().map(|at| (at, self.request(router, at)));
        all.filter(|(_, vcs)| !vcs.is_empty()).collect()
    }

    fn request(&self, router: usize, at: Vc) -> Vec<Vc> {
        let choices = self.requested(router, at).map_or(&[][..], |front| &front.choices);
        let free = choices.iter().flat_map(|choice| self.free(router, *choice).map(move |vc| (choice, vc)));
        let key = |(choice, vc): (&Choice, Vc)| {
            (choice.escape, self.sharing(router, vc), self.fullness(router, vc), self.link_sharing(router, vc))
        };
        let keys: Vec<_> = free.map(|one| (key(one), one.1)).collect();
        let best = keys.iter().map(|(key, _)| *key).min();
        keys.into_iter().filter(|(key, _)| Some(*key) == best).map(|(_, vc)| vc).collect()
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

    /// What is requested of the switch, by input port and output; nothing that has sent in this cycle sends again.
    fn bids(&self, router: usize, requests: &BTreeMap<Vc, Vec<Vc>>) -> BTreeMap<(usize, usize), Bid> {
        let at = &self.routers[router];
        let mut bids: BTreeMap<(usize, usize), Bid> = BTreeMap::new();
        let mut add = |port, output, speculative, vc| {
            let bid = Bid { speculative, wait: wait(vc, at.turns[port], self.vcs), vc };
            let best = bids.entry((port, output)).or_insert(bid);
            *best = bid.min(*best);
        };
        for &(port, vc) in at.busy.iter().filter(|(port, _)| at.sent_from[*port] <= self.now) {
            if let Some((out, within)) = at.inputs[port][vc].granted {
                if at.outputs[out][within].credits > 0 && at.sent_to[out] <= self.now {
                    add(port, out, false, vc);
                }
            } else if self.costs.speculative && requests.contains_key(&(port, vc)) {
                let choices = &at.inputs[port][vc].front().choices;
                let can_send = |choice: &&Choice| {
                    let mut free = self.free(router, **choice);
                    free.any(|(port, vc)| at.outputs[port][vc].credits > 0 && at.sent_to[port] <= self.now)
                };
                choices.iter().filter(can_send).for_each(|choice| add(port, usize::from(choice.port), true, vc));
            }
        }
        bids
    }

    /// Output vcs are granted to head flits that request them.
    fn grant_vcs(&mut self, router: usize, requests: &BTreeMap<Vc, Vec<Vc>>) {
        let vcs = self.vcs;
        let number = |vc: Vc| vc.0 * vcs + vc.1;
        let pairs = requests.iter().flat_map(|(from, all)| all.iter().map(|vc| ((number(*from), number(*vc)), 0)));
        let of_vcs: Requests = pairs.collect();
        for (from, vc) in self.routers[router].allocator.allocate(&of_vcs) {
            self.grant(router, (from / vcs, from % vcs), (vc / vcs, vc % vcs));
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
        at.turns[port] = (vc + 1) % self.vcs;
        let Some(granted) = at.inputs[port][vc].granted else { return };
        if granted.0 == output && at.outputs[granted.0][granted.1].credits > 0 {
            self.leave(router, (port, vc), granted);
        }
    }
}
