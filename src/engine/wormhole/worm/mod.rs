//! The worm engine: exact, with O(hops) events per message whatever its length.
//!
//! # Why it is exact
//!
//! The rules of [`super`] are max-plus linear. With `s_h` the start of the header on channel `h`, following the rules
//! back from flit `i` on channel `h` gives its start as
//!
//! ```text
//! S(i,h) = max over 0 <= d <= min(H-h, i / B) of  s_{h+d} + c_d (i - d B)
//! ```
//!
//! so that, with `q = (m-1) / B` and `w_j = s_j - c_d B j`, a channel is released at
//!
//! ```text
//! release(h) = S(m-1,h+1) = c_d (m-1 + (h+1) B) + max over j in h+1 ..= min(H, h+1+q) of w_j       (h < H)
//! release(H) = s_H + c_d m
//! ```
//!
//! The release of channel `h` is certain once the header is granted channel `min(H, h+1+q)` and not before, and it
//! never lies before that grant. So granting channel `g < H` makes channel `g-1-q` certain, and granting `H` all the
//! rest (`weights` holds the window maxima).
//!
//! Where channels take different times, other sums take the place of these (`course`).
//!
//! All this rests on a channel moving its owner's flits as soon as they can move. Two virtual channels that share a
//! physical channel and are owned at the same time slow each other down, so the engine watches for that (`siblings`) and
//! stops with [`Stop::Shared`] rather than return a wrong number.
//!
//! # What makes it fast
//!
//! A release needs no event unless a header waits: the channel only remembers the tick from which it is free. As long
//! as a header has not been blocked on its way, its `w_j` are linear in `j` and nothing is stored about them. A header
//! reserves the free channels before it all at once (`ahead`), so that one that is never blocked costs three events on the
//! whole, and each channel of its path is touched twice: when it is reserved and when it is released. Waiters of a channel
//! form a list in arrival order, which is the order of (request time, message number) because that is the order in which
//! requests are popped.

mod ahead;
mod course;
mod flight;
mod path;
mod release;
mod siblings;
mod stepping;
mod weights;

use crate::cancel::{self, Counted};
use crate::costs::ChannelCosts;
use crate::engine::stepping::Stepping;
use crate::engine::window::{FirstNumber, Window, Zero};
use crate::engine::{Event, MessageOutcome, Observer, Outcome, Program, Requests, Signal, Stop};
use crate::events::{EventQueue, Kind, QueuedEvent};
use crate::routing::Network;
use crate::topology::Channels;
use crate::units::{ChannelId, MessageId, Ticks};
use course::Courses;
pub use course::alone;
use flight::{AWAITED, Flight, HELD, LAST_IN_LINE, Lines, NO_HEADER, RESERVED, Tally};
use path::Paths;
use siblings::Siblings;
use weights::{Certainty, Weights};

/// How many events pass before it looks up.
const LOOK: u64 = 1 << 14;

/// Runs `program` on `network` to its end, with a queue of the caller's choice: for comparisons of queues.
///
/// # Errors
/// If messages are left that wait for each other's channels, or virtual channels of one physical channel had two owners
/// at the same time.
pub fn run_on<Q: EventQueue, P: Program, O: Observer>(
    network: &dyn Network,
    costs: ChannelCosts,
    program: P,
    observer: &mut O,
) -> Result<Outcome, Stop> {
    if network.channels().is_even(costs.flit_time) {
        Worm::<Q, P, &mut O, Zero, false>::new(network, costs, program, observer).started().run_to_end()
    } else {
        Worm::<Q, P, &mut O, Zero, true>::new(network, costs, program, observer).started().run_to_end()
    }
}

/// The bytes that a run of `messages` messages on `channels` needs at most, paths aside.
pub fn memory(channels: &dyn Channels, messages: usize, costs: &ChannelCosts) -> u64 {
    let flight = size_of::<Flight>() + size_of::<Tally>() + size_of::<MessageOutcome>();
    let course = if channels.is_even(costs.flit_time) { 0 } else { Courses::SIZE };
    (channels.count() as u64) * (size_of::<u64>() + Lines::SIZE) as u64 + (messages * (flight + course)) as u64
}

/// A run, on channels that take different times if `UNEVEN`. The first messages may be forgotten if `F` is
/// [`Moving`](crate::engine::window::Moving).
pub(in crate::engine) struct Worm<'a, Q, P, O, F, const UNEVEN: bool> {
    network: &'a dyn Network,
    costs: ChannelCosts,
    /// Injection and ejection channels of a node.
    ports: [u32; 2],
    pub(super) program: P,
    pub(super) observer: O,
    queue: Q,
    requests: Requests,
    flights: Window<Flight, F>,
    tallies: Window<Tally, F>,
    paths: Paths,
    weights: Weights,
    /// What takes the place of the weights where channels differ.
    courses: Courses,
    /// Per channel: the tick from which it is free, or [`HELD`] or [`AWAITED`].
    free_from: Vec<u64>,
    /// Per channel, or per first channel of a node's ports: who waits.
    lines: Lines,
    /// Where virtual channels share physical ones: who else owned them.
    siblings: Option<Siblings>,
    /// Whether headers run ahead of the clock.
    runs_ahead: bool,
    undelivered: usize,
    /// How many events there are when it looks up next, and how many are left until then.
    look: u64,
    left: u64,
}

impl<'a, Q: EventQueue, P: Program, O: Observer, F: FirstNumber, const UNEVEN: bool> Worm<'a, Q, P, O, F, UNEVEN> {
    /// A run before its first tick.
    pub(in crate::engine) fn new(network: &'a dyn Network, costs: ChannelCosts, program: P, observer: O) -> Self {
        let channels = network.channels();
        let siblings = Siblings::watch(channels);
        Self {
            network,
            costs,
            ports: [channels.ports(), channels.ejection_ports()].map(|ports| ChannelId::new(ports).0),
            queue: Q::default(),
            requests: Requests::default(),
            flights: Window::new(vec![Flight::default(); program.messages()]),
            tallies: Window::new(vec![Tally::default(); program.messages()]),
            paths: Paths::default(),
            weights: Weights::default(),
            courses: Courses::new(costs),
            free_from: vec![0; channels.count()],
            lines: Lines::new(channels.count()),
            // observers that watch, and virtual channels that share, want to know of every hop at its tick
            runs_ahead: !UNEVEN && !observer.interest().hops && siblings.is_none(),
            siblings,
            undelivered: program.messages(),
            program,
            observer,
            look: LOOK,
            left: LOOK,
        }
    }

    /// Starts the run: requests the messages that depend on no event.
    #[inline(always)]
    pub(in crate::engine) fn started(mut self) -> Self {
        self.program.signal(Signal::Start, &mut self.requests);
        self.take_requests();
        self
    }

    #[inline(always)]
    fn happen(&mut self, event: QueuedEvent) {
        self.left -= 1;
        if self.left == 0 {
            self.look_up();
        }
        self.fetch_ahead();
        match event.kind {
            Kind::Request => self.request(MessageId(event.number), event.time),
            Kind::Wake => self.wake(ChannelId(event.number), event.time),
            Kind::Deliver => self.deliver(MessageId(event.number), event.time),
            Kind::Timer => {
                self.program.signal(Signal::Timer { token: event.number, now: event.time }, &mut self.requests);
                self.take_requests();
            }
        }
    }

    /// Whether two virtual channels of a physical channel were certainly owned at the same time.
    #[inline(always)]
    fn shares(&self) -> bool {
        self.siblings.as_ref().is_some_and(Siblings::shared)
    }

    /// Tells how far the run is.
    #[cold]
    #[inline(never)]
    fn look_up(&mut self) {
        self.look += LOOK;
        self.left = LOOK;
        let all = self.flights.count() as u64;
        let done = all - self.undelivered as u64;
        cancel::ran((done, Counted::Messages), done, all);
    }

    /// Touches the messages and channels of the requests to come, so that their cache misses overlap.
    #[inline]
    fn fetch_ahead(&mut self) {
        let mut touched = 0;
        for event in self.queue.announce() {
            if event.kind == Kind::Request {
                let flight = &self.flights[MessageId(event.number)];
                touched ^= self.free_from[flight.next.channel().index()];
            }
        }
        std::hint::black_box(touched);
    }

    fn take_requests(&mut self) {
        self.requests.take_to(&mut self.queue);
    }

    fn deliver(&mut self, id: MessageId, now: Ticks) {
        self.undelivered -= 1;
        self.program.signal(Signal::Delivered { id, now }, &mut self.requests);
        self.take_requests();
    }

    /// A header requests the next channel on its path.
    fn request(&mut self, id: MessageId, now: Ticks) {
        let flight = &self.flights[id];
        if flight.channels == 0 {
            self.launch(id, now);
        } else if flight.mark != now || flight.is_in_line() {
            return; // of a header that had to give way since then
        }
        let flight = &self.flights[id];
        let (first, width) = self.wanted(flight);
        if let Some(port) = self.free_port(first, width, now) {
            self.grant(id, first, port, now, now);
        } else if self.gives_way(first, id, now) {
            self.grant(id, first, 0, now, now);
        } else {
            self.wait(id, first, width, now);
        }
    }

    /// The channel that a header requests, and how many channels it stands for.
    #[inline]
    fn wanted(&self, flight: &Flight) -> (ChannelId, u32) {
        (flight.next.channel(), flight.width(self.ports))
    }

    /// The first request of a message: its path is laid out and its program told.
    fn launch(&mut self, id: MessageId, now: Ticks) {
        let wire_flits = self.program.message(id).2.on_wire();
        let (slot, channels) = self.paths.lay(&self.program, id, self.network);
        let reach = (wire_flits - 1) / self.costs.buffer.without_delay().min(wire_flits);
        let flight = &mut self.flights[id];
        flight.next = self.paths.first(slot);
        flight.channels = channels;
        flight.wire_flits = wire_flits;
        // a message reaches no farther than its path is long, so that what does not fit is cut off all the same
        flight.window = u32::try_from(reach).unwrap_or(u32::MAX).min(channels) + 1;
        let tally = &mut self.tallies[id];
        tally.requested = now;
        tally.slot = slot;
        tally.tail = flight.next;
        if UNEVEN {
            self.courses.set_out(id, wire_flits);
        }
        self.program.signal(Signal::Requested { id, now }, &mut self.requests);
        self.take_requests();
    }

    /// Which of the `width` channels from `first` a header may start on at `now`; none if others wait already.
    #[inline]
    fn free_port(&self, first: ChannelId, width: u32, now: Ticks) -> Option<u32> {
        if width == 1 && self.free_from[first.index()] < now.0 {
            return Some(0); // no header can wait for a channel that has been free for a while
        }
        if self.lines.head(first) != NO_HEADER {
            return None;
        }
        self.idle_port(first, width, now)
    }

    /// The lowest of the `width` channels from `first` that no message owns at `now`.
    fn idle_port(&self, first: ChannelId, width: u32, now: Ticks) -> Option<u32> {
        let first = first.index();
        (0..width).find(|&port| self.free_from[first + port as usize] <= now.0)
    }

    /// Puts a header in line. The first in line sees to it that the releases it waits for wake it.
    fn wait(&mut self, id: MessageId, first: ChannelId, width: u32, now: Ticks) {
        let flight = &mut self.flights[id];
        flight.mark = now;
        flight.behind = LAST_IN_LINE;
        let last = self.lines.join(first, id);
        if let Some(last) = last.checked_sub(1) {
            self.flights[MessageId(last)].behind = id.0 + 1;
            return;
        }
        for port in 0..width {
            let free_from = &mut self.free_from[(first.0 + port) as usize];
            match *free_from {
                AWAITED => {}
                held if held >= RESERVED => *free_from = AWAITED,
                certain => self.queue.push(QueuedEvent { time: Ticks(certain), kind: Kind::Wake, number: first.0 }),
            }
        }
    }

    /// One of the channels that `first` stands for may have become free: those in line get what there is.
    fn wake(&mut self, first: ChannelId, now: Ticks) {
        while let Some(waiting) = self.lines.head(first).checked_sub(1) {
            let id = MessageId(waiting);
            let flight = &self.flights[MessageId(waiting)];
            let (_, width) = self.wanted(flight);
            let Some(port) = self.idle_port(first, width, now) else {
                return;
            };
            if !UNEVEN {
                self.leave_smooth_path(id);
            }
            let flight = &mut self.flights[MessageId(waiting)];
            let requested = flight.mark;
            let tally = &mut self.tallies[MessageId(waiting)];
            tally.blocked_time += now - requested;
            tally.blocked_headers += u32::from(now > requested); // let go within the tick, it has not waited
            self.lines.advance(first, flight.leave_line());
            self.grant(id, first, port, requested, now);
        }
    }

    /// The header of `id` starts on the next channel of its path, the one `port` behind `first`.
    #[inline]
    fn grant(&mut self, id: MessageId, first: ChannelId, port: u32, requested: Ticks, now: Ticks) {
        let channel = ChannelId(first.0 + port);
        let flight = &mut self.flights[id];
        let hop = flight.granted;
        self.observer.event(Event::Granted { message: id, hop: hop as usize, channel, requested, start: now });
        if let Some(siblings) = &mut self.siblings {
            siblings.granted(channel, now, &self.free_from);
        }
        let free_from = &mut self.free_from[channel.index()];
        // a channel taken at the very tick of its release, or one of several ports, may leave others in line
        let others_wait = (*free_from == now.0 || self.ports != [1, 1]) && self.lines.head(first) != NO_HEADER;
        *free_from = if others_wait { AWAITED } else { HELD };
        flight.granted += 1;
        if hop == 0 {
            flight.injected = now;
            flight.ports[0] = port_number(port);
        }
        let is_last = flight.granted == flight.channels;
        if is_last {
            flight.ports[1] = port_number(port);
        }
        if UNEVEN {
            return self.start_uneven(id, channel, now);
        }
        if is_last {
            return self.arrive(id, now);
        }
        self.paths.step(&mut flight.next);
        flight.mark = now + self.costs.step();
        if flight.is_long() {
            self.go_on(id, now); // nothing becomes certain before the header arrives
        } else {
            self.advance(id, now);
        }
        let next = self.flights[id].mark;
        self.queue.push(QueuedEvent { time: next, kind: Kind::Request, number: id.0 });
    }

    /// A header that has been blocked on its way: from here on its `w` have to be kept.
    fn leave_smooth_path(&mut self, id: MessageId) {
        let flight = &mut self.flights[id];
        if flight.granted == 0 || flight.weights.is_some() {
            return;
        }
        let certainty = Certainty::of(&self.costs, flight.wire_flits);
        let slot = self.weights.lay(flight.channels);
        let is_long = flight.is_long();
        for nth in 1..=flight.granted {
            let weight = certainty.smooth_weight(flight.injected, nth);
            if is_long {
                self.weights.set(slot, nth, weight);
            } else {
                self.weights.note(slot, nth, flight.window, weight);
            }
        }
        flight.weights = Some(slot);
    }
}

/// A port's place among a node's ports, of which a topology has fewer than 2^16.
#[expect(clippy::cast_possible_truncation, reason = "bounded where topologies are made")]
fn port_number(port: u32) -> u16 {
    port as u16
}
