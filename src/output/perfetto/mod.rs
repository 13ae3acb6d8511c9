//! A run as a trace that Perfetto (<https://ui.perfetto.dev>) shows: who had which channel when, and who waited for it.
//!
//! ```text
//!   process  node (0,1)                      every node, pid = node + 1; `router X` behind them: those without one node of their own
//!   track      cpu 0                         what a processor of a rank does: compute, noise, send or wait, with the operation's name
//!              send                          from the start of a send until its injection channel is requested
//!              receive                       from the delivery until the message is received
//!              injection (0,1), (0,1)->(0,2) which message has the channel, from grant to release
//!              waiting for (0,1)->(0,2)      which head flits wait for it, where they stand
//!   slice        message 17                  with its length in `ticks`
//!   flow     17 + 1                          joins all slices of message 17
//!            2^32 + 17                       leads from where message 17 is received to the sends that this lets begin
//! ```
//!
//! A track is there if something is on it. Slices of a track never overlap: there are several tracks of a name where they
//! would, which Perfetto shows as one. Events are in order of time, ends before begins. Messages are called by what files call
//! them, and flows are numbered by their number in the run.
//!
//! It takes memory for as many slices as there are, beside the recording: 32 bytes each. It refuses to know where the trace is
//! written.

mod clock;
mod packets;
mod places;
mod protobuf;
mod slices;

use crate::cancel;
use crate::engine::program::Cause;
use crate::recording::Recording;
use crate::scenario::Tick;
use crate::units::{MessageId, Ticks};
use clock::Clock;
use packets::{Begin, Flow, Packets, Process, SliceName, Track};
use places::Places;
use slices::{Activity, Slice, Slices, Subject};
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::io::{self, BufWriter, Write};

/// Flows from here on lead from a message to those that waited for it.
const ARROWS: u64 = 1 << 32;

/// Writes `recording` as a trace of Perfetto, where a tick is as long as `tick` says.
///
/// Times are in nanoseconds: those of the ticks if a tick is a whole number of them, else a nanosecond a tick, which the name of
/// the first process then says.
///
/// # Errors
/// If it cannot be written.
pub fn write_perfetto(out: impl Write, recording: &Recording<'_>, tick: Option<&Tick>) -> io::Result<()> {
    let slices = Slices::new(recording);
    let clock = Clock::new(tick, slices.end());
    let places = Places::new(&recording.machine)?;
    let mut trace = Trace { recording, clock, places, packets: Packets::new(BufWriter::new(out)) };
    trace.describe_processes()?;
    trace.describe_tracks(&slices.tracks)?;
    trace.write_slices(&slices)?;
    trace.packets.finish()
}

/// A trace that is being written.
struct Trace<'a, W> {
    recording: &'a Recording<'a>,
    clock: Clock,
    places: Places<'a>,
    packets: Packets<W>,
}

impl<W: Write> Trace<'_, W> {
    fn describe_processes(&mut self) -> io::Result<()> {
        let mut pace = cancel::Pace::default();
        let mut remark = self.clock.remark.take().map(|remark| format!(" ({remark})"));
        for place in 0..self.places.count() {
            pace.step();
            let name = self.places.name(place) + &remark.take().unwrap_or_default();
            let pid = place as u64 + 1;
            self.packets.process(&Process { uuid: self.process(place), pid, name: &name })?;
        }
        Ok(())
    }

    /// Describes the tracks that show these `activities`, process by process.
    fn describe_tracks(&mut self, activities: &[Activity]) -> io::Result<()> {
        let mut tracks: Vec<Shown> =
            activities.iter().enumerate().map(|(track, &activity)| self.shown(track, activity)).collect();
        tracks.sort_unstable();
        for alike in tracks.chunk_by(|one, other| one.activity == other.activity) {
            let name = self.name(alike[0].activity);
            for shown in alike {
                let uuid = self.track(shown.track);
                self.packets.track(&Track { uuid, parent: self.process(shown.place), name: &name })?;
            }
        }
        Ok(())
    }

    /// What `track` shows, and where.
    fn shown(&self, track: usize, activity: Activity) -> Shown {
        let place = match activity {
            Activity::Processor(node, _) | Activity::Send(node) | Activity::Receive(node) => node.index(),
            Activity::Channel(channel) => self.places.with(channel),
            Activity::Wait(channel) => self.places.before(channel),
        };
        Shown { place, activity, track }
    }

    /// What tracks are called that show `activity`.
    fn name(&self, activity: Activity) -> String {
        let channel_name = |channel| self.recording.machine.channel_name(channel);
        match activity {
            Activity::Processor(_, number) => format!("cpu {number}"),
            Activity::Send(_) => "send".to_owned(),
            Activity::Receive(_) => "receive".to_owned(),
            Activity::Channel(channel) => channel_name(channel),
            Activity::Wait(channel) => format!("waiting for {}", channel_name(channel)),
        }
    }

    /// Tells when `slices`, in the order in which they begin, begin and end.
    fn write_slices(&mut self, slices: &Slices) -> io::Result<()> {
        let awaited = awaited(self.recording);
        let mut named = vec![false; slices.names.len()];
        let mut pace = cancel::Pace::default();
        let mut open: BinaryHeap<Reverse<(Ticks, usize)>> = BinaryHeap::new();
        for slice in &slices.all {
            pace.step();
            self.end(&mut open, slice.from)?;
            match slice.subject {
                Subject::Message { message, is_first, is_last } => {
                    let arrows = Arrows {
                        cause: self.received_before(message).filter(|_| is_first),
                        is_awaited: is_last && awaited[message.index()],
                    };
                    self.begin_message(slice, (message, is_first, is_last), arrows)?;
                }
                Subject::Processor { name } => {
                    let is_new = !std::mem::replace(&mut named[name], true);
                    // numbers of messages are names too
                    let iid = self.recording.messages.len() as u64 + 1 + name as u64;
                    let text = is_new.then_some(slices.names[name].as_str());
                    self.begin(slice, SliceName { iid, text }, None, [None; 2])?;
                }
            }
            open.push(Reverse((slice.to, slice.track)));
        }
        self.end(&mut open, Ticks(u64::MAX))
    }

    /// Ends the slices that are `open` until `now` or sooner.
    fn end(&mut self, open: &mut BinaryHeap<Reverse<(Ticks, usize)>>, now: Ticks) -> io::Result<()> {
        while let Some(&Reverse((to, track))) = open.peek()
            && to <= now
        {
            open.pop();
            self.packets.end(self.track(track), self.clock.time(to))?;
        }
        Ok(())
    }

    /// Begins `slice` of a message.
    fn begin_message(
        &mut self,
        slice: &Slice,
        (message, is_first, ends): (MessageId, bool, bool),
        Arrows { cause, is_awaited }: Arrows,
    ) -> io::Result<()> {
        let number = u64::from(message.0);
        let text = is_first.then(|| format!("message {}", self.recording.id(message)));
        let name = SliceName { iid: number + 1, text: text.as_deref() };
        let arrows = [cause.map(arrow), is_awaited.then(|| arrow(message))];
        self.begin(slice, name, Some(Flow { number: number + 1, ends }), arrows)
    }

    fn begin(
        &mut self,
        slice: &Slice,
        name: SliceName<'_>,
        flow: Option<Flow>,
        arrows: [Option<u64>; 2],
    ) -> io::Result<()> {
        let ticks = (slice.to - slice.from).0;
        self.packets.begin(&Begin {
            at: self.clock.time(slice.from),
            track: self.track(slice.track),
            name,
            ticks,
            flow,
            arrows,
        })
    }

    /// The message that was received when the send of `message` began, if that is why.
    fn received_before(&self, message: MessageId) -> Option<MessageId> {
        match self.recording.messages[message.index()].began.cause {
            Cause::Received(received) => Some(received),
            _ => None,
        }
    }

    /// The uuid of a process.
    fn process(&self, place: usize) -> u64 {
        place as u64 + 1
    }

    /// The uuid of a track, behind those of processes.
    fn track(&self, track: usize) -> u64 {
        self.process(self.places.count()) + track as u64
    }
}

/// A track: where it stands, and what it shows.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Shown {
    place: usize,
    activity: Activity,
    track: usize,
}

/// The arrows of a slice of a message.
struct Arrows {
    /// The message whose reception let it begin.
    cause: Option<MessageId>,
    /// True if sends wait for it.
    is_awaited: bool,
}

/// The flow from `message` to the sends that waited for it.
fn arrow(message: MessageId) -> u64 {
    ARROWS + u64::from(message.0)
}

/// Per message whether sends began because it was received.
fn awaited(recording: &Recording<'_>) -> Vec<bool> {
    let mut awaited = vec![false; recording.messages.len()];
    for detail in &recording.messages {
        if let Cause::Received(received) = detail.began.cause {
            awaited[received.index()] = true;
        }
    }
    awaited
}
