//! One of the two networks of a chip, with its routers and ends. Every flit is an object in a queue, and in every
//! cycle every router, every channel and every end is looked at. It knows nothing of processors and reads.
//!
//! ```text
//!   inputs of a router                     outputs
//!   0..6   x link, a number per VC    -->  0  x link, six VCs
//!   6..12  y link, a number per VC    -->  1  y link, six VCs
//!   12     the end's requests         -->  2  ejection, one packet at a time
//!   13     the end's replies
//!   VCs of a link: request bit 0, request bit 1, reply bit 0 (2 buddies), reply bit 1 (2 buddies);
//!   fewer or more if the device has other buddies
//! ```

use super::device::{Device, Step, Tile};
use std::collections::VecDeque;

const EJECTION: usize = 2;
const OUTPUTS: usize = 3;

/// A thousandth of a flit is what rates and tokens count.
const FLIT_TOKENS: u64 = 1000;

/// A packet and what became of it.
#[derive(Debug)]
pub(super) struct Packet {
    /// The number of its read, of all reads of the trace.
    pub(super) read: usize,
    pub(super) is_reply: bool,
    /// What the reply carries.
    pub(super) bytes: u64,
    pub(super) flits: u64,
    pub(super) steps: Vec<Step>,
    /// When its end sent its head.
    pub(super) sent: Option<u64>,
    /// When its tail came to the other end.
    pub(super) arrived: Option<u64>,
}

/// How the inputs of a router are numbered.
#[derive(Clone, Copy)]
struct Inputs {
    link_vcs: usize,
}

impl Inputs {
    fn new(device: &Device) -> Self {
        Self { link_vcs: device.link_vcs() }
    }

    fn link(self, link: usize, vc: usize) -> usize {
        link * self.link_vcs + vc
    }

    fn request(self) -> usize {
        2 * self.link_vcs
    }

    fn reply(self) -> usize {
        self.request() + 1
    }

    fn all(self) -> usize {
        self.reply() + 1
    }
}

#[derive(Clone, Copy)]
struct Flit {
    packet: usize,
    is_head: bool,
    is_tail: bool,
}

/// A flit on a channel.
struct Coming {
    at: u64,
    flit: Flit,
}

/// Takes the next flit that comes at `now`.
fn due(coming: &mut VecDeque<Coming>, now: u64) -> Option<Flit> {
    let flit = coming.front().filter(|coming| coming.at == now)?.flit;
    coming.pop_front();
    Some(flit)
}

/// The buffer of a virtual channel at the input of a router, and what is on its way there.
#[derive(Default)]
struct Input {
    places: usize,
    coming: VecDeque<Coming>,
    flits: VecDeque<Flit>,
    /// The virtual channel that the packet in front has been granted.
    granted: Option<usize>,
}

impl Input {
    fn has_place(&self) -> bool {
        self.coming.len() + self.flits.len() < self.places
    }

    /// The packet of a head flit that stands first and asks for a virtual channel.
    fn asks(&self) -> Option<usize> {
        let front = self.flits.front().filter(|flit| flit.is_head && self.granted.is_none())?;
        Some(front.packet)
    }

    fn arrive(&mut self, now: u64) {
        while let Some(flit) = due(&mut self.coming, now) {
            self.flits.push_back(flit);
        }
    }
}

#[derive(Default)]
struct Output {
    /// Which of its virtual channels packets hold.
    held: Vec<bool>,
    /// The input that is asked first for a header.
    grants_first: usize,
    /// The input that is asked first for a flit.
    moves_first: usize,
}

struct Request {
    at: u64,
    packet: usize,
}

struct Reply {
    ready: u64,
    packet: usize,
}

/// The end of a network at a tile.
#[derive(Default)]
struct End {
    requests: VecDeque<Request>,
    replies: VecDeque<Reply>,
    /// Flits of the first reply that have been sent.
    reply_sent: u64,
    tokens: u64,
    /// The next reply does not start before.
    starts_from: u64,
    /// Whether the head of the last reply of a slow memory has not left the input of its router.
    is_setting_out: bool,
    /// Requests that were granted ejection and whose reply's head has not left the input of its router.
    requests_in: usize,
    /// Tails on the ejection channel.
    coming: VecDeque<Coming>,
}

struct Router {
    tile: Tile,
    inputs: Vec<Input>,
    outputs: Vec<Output>,
    end: End,
}

/// A flit that moves from an input to an output of a router.
struct Move {
    router: usize,
    input: usize,
    output: usize,
}

/// One of the two networks, 0 or 1.
pub(super) struct Network<'a> {
    device: &'a Device,
    inputs: Inputs,
    number: usize,
    routers: Vec<Router>,
}

impl<'a> Network<'a> {
    pub(super) fn new(device: &'a Device, number: usize) -> Self {
        let routers = device.tiles().map(|tile| Router::new(device, tile)).collect();
        Self { device, inputs: Inputs::new(device), number, routers }
    }

    /// Puts a request into the queue of the end it starts from, where it may be sent from cycle `at` on.
    pub(super) fn queue(&mut self, at: u64, packet: usize, from: Tile) {
        self.routers[self.device.number(from)].end.requests.push_back(Request { at, packet });
    }

    /// What has come by `now` is there; the packets whose tails have come to their ends.
    pub(super) fn arrive(&mut self, now: u64, packets: &mut [Packet]) -> Vec<usize> {
        let mut done = Vec::new();
        for router in &mut self.routers {
            router.inputs.iter_mut().for_each(|input| input.arrive(now));
            while let Some(Flit { packet, .. }) = due(&mut router.end.coming, now) {
                packets[packet].arrived = Some(now);
                done.push(packet);
                if !packets[packet].is_reply {
                    let ready = now + self.device.memory(router.tile).latency;
                    // a reply is made with its request, and is the next packet
                    router.end.replies.push_back(Reply { ready, packet: packet + 1 });
                }
            }
        }
        done
    }

    /// Every end sends a flit of a request and one of a reply, if it can; how many were sent.
    pub(super) fn send(&mut self, now: u64, packets: &mut [Packet]) -> usize {
        let device = self.device;
        let sent =
            |router: &mut Router| router.send_request(device, now, packets) + router.send_reply(device, now, packets);
        self.routers.iter_mut().map(sent).sum()
    }

    /// Every output channel grants its free virtual channels.
    pub(super) fn grant(&mut self, packets: &[Packet]) {
        for router in &mut self.routers {
            if router.has_flits() {
                (0..OUTPUTS).for_each(|output| router.grant(output, self.device, packets));
            }
        }
    }

    /// Every output channel moves a flit; how many moved. All choose before one moves: the place that a flit leaves is not
    /// free before the next cycle.
    pub(super) fn forward(&mut self, now: u64, packets: &[Packet]) -> usize {
        let mut moves = Vec::new();
        for (number, router) in self.routers.iter().enumerate().filter(|(_, router)| router.has_flits()) {
            for output in 0..OUTPUTS {
                let input = self.chosen(router, output, packets);
                moves.extend(input.map(|input| Move { router: number, input, output }));
            }
        }
        moves.iter().for_each(|chosen| self.carry_out(chosen, now, packets));
        moves.len()
    }

    /// The input whose flit `output` of `router` moves.
    fn chosen(&self, router: &Router, output: usize, packets: &[Packet]) -> Option<usize> {
        let first = router.outputs[output].moves_first;
        let inputs = self.inputs.all();
        (0..inputs).map(|turn| (first + turn) % inputs).find(|&number| {
            let input = &router.inputs[number];
            let (Some(vc), Some(flit)) = (input.granted, input.flits.front()) else { return false };
            if router.step(&packets[flit.packet]).is_none_or(|step| step.output != output) {
                return false;
            }
            output == EJECTION
                || self.routers[self.behind(router.tile, output)].inputs[self.inputs.link(output, vc)].has_place()
        })
    }

    /// The number of the router behind a link.
    fn behind(&self, tile: Tile, output: usize) -> usize {
        let grows = self.number == 0;
        self.device.number(if output == 0 { self.device.beside(tile, grows) } else { self.device.below(tile, grows) })
    }

    fn carry_out(&mut self, chosen: &Move, now: u64, packets: &[Packet]) {
        let behind = self.behind(self.routers[chosen.router].tile, chosen.output);
        let router = &mut self.routers[chosen.router];
        let input = &mut router.inputs[chosen.input];
        let (Some(vc), Some(flit)) = (input.granted, input.flits.pop_front()) else { return };
        let output = &mut router.outputs[chosen.output];
        output.moves_first = (chosen.input + 1) % self.inputs.all();
        if flit.is_tail {
            input.granted = None;
            output.held[vc] = false;
        }
        if flit.is_head && chosen.input == self.inputs.reply() {
            // from now on the reply is under way: its end has room for another request, and its memory works on the next one
            let apart = self.device.memory(router.tile).apart(packets[flit.packet].bytes);
            router.end.requests_in -= 1;
            // replies leave the input so far apart, and take their time to it
            router.end.starts_from = now + apart.saturating_sub(self.device.injection);
            router.end.is_setting_out = false;
        }
        if chosen.output != EJECTION {
            let coming = Coming { at: now + self.device.hop, flit };
            self.routers[behind].inputs[self.inputs.link(chosen.output, vc)].coming.push_back(coming);
        } else if flit.is_tail {
            router.end.coming.push_back(Coming { at: now + self.device.ejection, flit });
        }
    }
}

impl Router {
    fn new(device: &Device, tile: Tile) -> Self {
        let input = |number| Input { places: places(device, number), ..Input::default() };
        let output = |number| {
            let vcs = if number == EJECTION { 1 } else { device.link_vcs() };
            Output { held: vec![false; vcs], ..Output::default() }
        };
        Self {
            tile,
            inputs: (0..Inputs::new(device).all()).map(input).collect(),
            outputs: (0..OUTPUTS).map(output).collect(),
            end: End { tokens: FLIT_TOKENS, ..End::default() },
        }
    }

    fn has_flits(&self) -> bool {
        self.inputs.iter().any(|input| !input.flits.is_empty())
    }

    /// The output channel that `packet` takes here: no way comes through a router twice.
    fn step(&self, packet: &Packet) -> Option<Step> {
        packet.steps.iter().find(|step| step.router == self.tile).copied()
    }

    fn send_request(&mut self, device: &Device, now: u64, packets: &mut [Packet]) -> usize {
        let input = &mut self.inputs[Inputs::new(device).request()];
        let ready = self.end.requests.front().filter(|request| request.at <= now && input.has_place());
        let Some(&Request { packet, .. }) = ready else { return 0 };
        self.end.requests.pop_front();
        packets[packet].sent = Some(now);
        let flit = Flit { packet, is_head: true, is_tail: true };
        input.coming.push_back(Coming { at: now + device.injection, flit });
        1
    }

    fn send_reply(&mut self, device: &Device, now: u64, packets: &mut [Packet]) -> usize {
        let memory = device.memory(self.tile);
        let end = &mut self.end;
        if now > 0 {
            end.tokens = (end.tokens + memory.rate).min(FLIT_TOKENS + memory.rate);
        }
        let Some(&Reply { ready, packet }) = end.replies.front() else { return 0 };
        let is_head = end.reply_sent == 0;
        let may_start = !is_head || !end.is_setting_out && now >= ready.max(end.starts_from);
        if !may_start || end.tokens < FLIT_TOKENS || !self.inputs[Inputs::new(device).reply()].has_place() {
            return 0;
        }
        end.tokens -= FLIT_TOKENS;
        end.reply_sent += 1;
        if is_head {
            packets[packet].sent = Some(now);
            end.is_setting_out = memory.is_slow();
        }
        let is_tail = end.reply_sent == packets[packet].flits;
        if is_tail {
            end.replies.pop_front();
            end.reply_sent = 0;
        }
        let flit = Flit { packet, is_head, is_tail };
        self.inputs[Inputs::new(device).reply()].coming.push_back(Coming { at: now + device.injection, flit });
        1
    }

    /// The headers that want `output` take the lowest free virtual channel each, in turn.
    fn grant(&mut self, output: usize, device: &Device, packets: &[Packet]) {
        let first = self.outputs[output].grants_first;
        let inputs = Inputs::new(device).all();
        for number in (0..inputs).map(|turn| (first + turn) % inputs) {
            let Some(packet) = self.inputs[number].asks().map(|packet| &packets[packet]) else { continue };
            let Some(step) = self.step(packet).filter(|step| step.output == output) else { continue };
            let Some(vc) = self.free(step, packet, device) else { continue };
            self.inputs[number].granted = Some(vc);
            self.outputs[output].held[vc] = true;
            self.outputs[output].grants_first = (number + 1) % inputs;
            if output == EJECTION && !packet.is_reply {
                self.end.requests_in += 1;
            }
        }
    }

    /// The lowest free virtual channel that `packet` may take.
    fn free(&self, step: Step, packet: &Packet, device: &Device) -> Option<usize> {
        let held = &self.outputs[step.output].held;
        if step.output != EJECTION {
            return device.vcs(packet.is_reply, step.bit).find(|&vc| !held[vc]);
        }
        let has_room = packet.is_reply || self.end.requests_in < device.memory(self.tile).requests;
        (has_room && !held[0]).then_some(0)
    }
}

/// Flits that the buffer of an input has room for.
fn places(device: &Device, input: usize) -> usize {
    let link_vcs = device.link_vcs();
    match input {
        end if end >= 2 * link_vcs => device.end_places,
        link if link % link_vcs < 2 * device.request_buddies => device.request_places,
        _ => device.reply_places,
    }
}
