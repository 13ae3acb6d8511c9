//! What head flits may request: the next hop of a path, or what a routing allows.

use super::{Front, Input, Output, Packet, Router, Slow, Vc, narrow, small};
use crate::engine::router::Traffic;
use crate::routing::Head;
use crate::routing::relation::{Choice, Class, share};

#[expect(clippy::expect_used, reason = "a routing that reports paths reports their classes")]
impl<T: Traffic> Slow<'_, T> {
    /// Head flits that have come to stand in front of their buffers are routed: those who look at how full links are when they
    /// first request, which is after they have been routed.
    pub(super) fn look_at_headers(&mut self, router: usize) {
        let at = &self.routers[router];
        let is_new = |&(port, vc): &Vc| {
            let input = &at.inputs[port][vc];
            let waits = input.front.as_ref().is_none_or(|front| front.choices.is_empty() && front.requests <= self.now);
            waits && input.granted.is_none()
        };
        let new: Vec<Vc> = at.busy.iter().copied().filter(is_new).collect();
        for (port, vc) in new {
            let input = &self.routers[router].inputs[port][vc];
            let packet = input.buffer[0].packet;
            let requests = input.front.as_ref().map_or(self.now + self.costs.timing.routing, |front| front.requests);
            let decides = self.classes.is_some() || !self.routes.reads_load() || requests == self.now;
            let choices = if decides { self.choices(router, port, packet) } else { Vec::new() };
            self.routers[router].inputs[port][vc].front = Some(Front { requests, choices });
        }
    }

    /// What the head flit of `packet` may request at `router`, which it entered by `port`; any ejection channel will do.
    fn choices(&mut self, router: usize, port: usize, packet: usize) -> Vec<Choice> {
        let mut choices = Vec::new();
        if self.classes.is_some() {
            choices.push(self.told(packet));
        } else {
            let Packet { header, path, delivery, .. } = &self.packets[packet];
            let mut header = *header;
            let mut path = path.clone();
            let load = |port| self.queue(router, port);
            let mut head = Head {
                src: delivery.src,
                router: narrow(router),
                entered: port,
                hops: delivery.hops as usize,
                header: &mut header,
                path: &mut path,
                load: &load,
            };
            self.routes.choices(&mut head, &mut choices);
            self.packets[packet].header = header;
            self.packets[packet].path = path;
        }
        if usize::from(choices[0].port) == self.local {
            let place = self.routes.wiring().place(self.packets[packet].delivery.dst).port as usize;
            let first = choices[0].port + small(place * self.of_node);
            let port = |at: u32| first + small(at as usize);
            return (0..self.costs.ejection_ports).map(|at| Choice { port: port(at), ..choices[0] }).collect();
        }
        choices
    }

    /// The next hop of a path that was told.
    fn told(&self, packet: usize) -> Choice {
        let Packet { path, delivery, .. } = &self.packets[packet];
        let class = |vc| Class { number: vc, of: self.classes.expect("paths are reported if there are classes") };
        match path.get(delivery.hops as usize) {
            Some(hop) => self.of_port(hop.port, class(hop.vc)),
            None => self.of_port(small(self.local), Class::ONLY),
        }
    }

    fn of_port(&self, port: u16, class: Class) -> Choice {
        share(small(self.vcs), port, class)
    }

    /// The flits that wait for a port: head flits that requested it before this cycle and have no virtual channel, or flits that
    /// were sent over it and whose credits are out, whichever are more.
    fn queue(&self, router: usize, port: u16) -> u32 {
        let Router { inputs, outputs, .. } = &self.routers[router];
        let requests =
            |front: &Front| front.requests < self.now && front.choices.iter().any(|choice| choice.port == port);
        let waits = |input: &Input| input.granted.is_none() && input.front.as_ref().is_some_and(requests);
        let waiting: u32 = inputs.iter().flatten().map(|input| u32::from(waits(input))).sum();
        let sent: u32 = outputs[usize::from(port)].iter().map(|output: &Output| output.buffer - output.credits).sum();
        waiting.max(sent)
    }
}
