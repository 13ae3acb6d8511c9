//! A watch that gathers the hops of each message until it has passed, and then lets go of them.

use super::flits::{Flits, grant_time};
use super::{Hop, Track};
use crate::engine::program::Causes;
use crate::engine::{Event, Interest, Observer};
use crate::machine::Machine;
use crate::topology::Origin;
use crate::units::{ChannelId, MessageId, Ticks, narrow};

/// What takes the hops of messages.
pub trait HopSink {
    /// `message` has passed: it has given back all channels of its path, `hops`, with the causes of its delays if its
    /// flits were followed.
    fn passed(&mut self, message: MessageId, hops: &[Hop], track: Option<Track>);

    /// The run begins again: what has been told so far has not happened.
    fn restarted(&mut self);
}

/// Not known yet.
const UNKNOWN: Ticks = Ticks(u64::MAX);

/// A message that is under way.
#[derive(Debug, Default)]
struct UnderWay {
    hops: Vec<Hop>,
    /// How many of them it has given back.
    released: usize,
}

/// Watches a run, and hands the hops of every message to a sink as it passes. It keeps no more than the messages under way.
pub(crate) struct Recorder<'a, S> {
    machine: &'a Machine,
    /// The time from the grant of a channel of routers until a flit can leave by it.
    grant_time: Ticks,
    sink: S,
    causes: Causes,
    /// Per message its place among those under way, and one more.
    places: Vec<u32>,
    under_way: Vec<UnderWay>,
    /// Places of which the message has passed.
    spare: Vec<u32>,
    /// Per channel whether it leads to a node, as far as that has been asked.
    ejections: Vec<Option<bool>>,
    /// All flits in the network, if the recorder follows them.
    flits: Option<Flits<'a>>,
}

impl<'a, S: HopSink> Recorder<'a, S> {
    /// A recorder of a run on `machine`.
    pub(crate) fn new(machine: &'a Machine, sink: S) -> Self {
        Self {
            machine,
            grant_time: grant_time(machine),
            sink,
            causes: Causes::default(),
            places: Vec::new(),
            under_way: Vec::new(),
            spare: Vec::new(),
            ejections: Vec::new(),
            flits: None,
        }
    }

    /// A recorder that follows flits too, on routers and on channels with delays.
    pub(crate) fn following_flits(self) -> Self {
        Self { flits: Flits::tracked(self.machine), ..self }
    }

    /// What took the hops, and why sends began.
    pub(crate) fn finish(self) -> (S, Causes) {
        (self.sink, self.causes)
    }

    /// The place of `message` among those under way, which it takes if it has none.
    fn place(&mut self, message: MessageId) -> usize {
        if message.index() >= self.places.len() {
            self.places.resize(message.index() + 1, 0);
        }
        let place = &mut self.places[message.index()];
        if *place == 0 {
            *place = self.spare.pop().unwrap_or_else(|| {
                self.under_way.push(UnderWay::default());
                narrow(self.under_way.len(), "no more than messages, which are numbered with 32 bits")
            });
        }
        *place as usize - 1
    }

    fn is_ejection(&mut self, channel: ChannelId) -> bool {
        if channel.index() >= self.ejections.len() {
            self.ejections.resize(channel.index() + 1, None);
        }
        let known = &mut self.ejections[channel.index()];
        *known.get_or_insert_with(|| matches!(self.machine.channel_origin(channel), Some(Origin::Ejection(_))))
    }

    /// Lets go of `message` if it has given back all channels of its path.
    fn pass(&mut self, message: MessageId, place: usize) {
        let UnderWay { hops, released } = &self.under_way[place];
        let Some(last) = hops.last().filter(|_| *released == hops.len()) else { return };
        let channel = last.channel;
        if !self.is_ejection(channel) {
            return;
        }
        let UnderWay { hops, released } = &mut self.under_way[place];
        for hop in hops.iter_mut().filter(|hop| hop.started == UNKNOWN) {
            hop.started = hop.granted;
        }
        let track = self.flits.as_mut().and_then(|flits| flits.remove(message));
        self.sink.passed(message, hops, track);
        hops.clear();
        *released = 0;
        self.spare.push(std::mem::take(&mut self.places[message.index()]));
    }
}

impl<S: HopSink> Observer for Recorder<'_, S> {
    fn interest(&self) -> Interest {
        Interest { causes: true, ..Interest::HOPS }
    }

    fn event(&mut self, event: Event<'_>) {
        match event {
            Event::Restarted => self.restart(),
            Event::Granted { message, channel, requested, start, .. } => {
                let place = self.place(message);
                let hop = Hop { channel, requested, granted: start, started: UNKNOWN, released: UNKNOWN };
                self.under_way[place].hops.push(hop);
            }
            Event::Started { message, hop, at, .. } => self.start_flit(message, hop, at),
            Event::Left { message, channel, at } => self.leave(message, channel, at),
            Event::Released { message, hop, at, .. } => self.release(message, hop, at),
            Event::Ended(causes) => self.causes.clone_from(causes),
        }
    }
}

impl<S: HopSink> Recorder<'_, S> {
    fn restart(&mut self) {
        self.places.clear();
        self.under_way.clear();
        self.spare.clear();
        self.flits.iter_mut().for_each(Flits::restart);
        self.sink.restarted();
    }

    fn start_flit(&mut self, message: MessageId, hop: usize, at: Ticks) {
        let place = self.place(message);
        let times = &mut self.under_way[place].hops[hop];
        let is_head = times.started == UNKNOWN;
        if is_head {
            times.started = at;
        }
        // routers report flits by `Event::Left`
        let Hop { channel, granted, .. } = *times;
        match self.flits.as_mut().filter(|_| self.machine.routers.is_none()) {
            Some(flits) if is_head => flits.start_head(message, channel, granted, at),
            Some(flits) => flits.start_body(message, hop, at),
            None => {}
        }
    }

    fn leave(&mut self, message: MessageId, channel: ChannelId, at: Ticks) {
        if self.flits.is_none() {
            return;
        }
        let place = self.place(message);
        let Some(flits) = &mut self.flits else { return };
        if let Some(hop) = flits.hop(message, channel) {
            return flits.start_body(message, hop, at);
        }
        let granted = self.under_way[place].hops.get(flits.hops(message)).map_or(at, |hop| hop.granted);
        flits.start_head(message, channel, (granted + self.grant_time).min(at), at);
    }

    fn release(&mut self, message: MessageId, hop: usize, at: Ticks) {
        let place = self.place(message);
        let under_way = &mut self.under_way[place];
        under_way.hops[hop].released = at;
        under_way.released += 1;
        if under_way.released == under_way.hops.len() {
            self.pass(message, place);
        }
    }
}
