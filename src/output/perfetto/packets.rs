//! Packets of a trace as Perfetto reads them: descriptions of processes and tracks, begins and ends of slices.
//!
//! All packets are of one sequence. Names of slices are written once each, in the packet in which they first occur, and called by
//! number from then on; so is the name of the annotation that says how many ticks a slice lasts.
//!
//! Source: `trace_packet.proto`, `track_descriptor.proto`, `track_event.proto`, `interned_data.proto` of Perfetto.

use super::protobuf::Fields;
use std::io::{self, Write};

// The numbers of the fields that are written, each with the message that it is a field of.
const TRACE_PACKET: u32 = 1;
const PACKET_TIMESTAMP: u32 = 8;
const PACKET_SEQUENCE: u32 = 10;
const PACKET_TRACK_EVENT: u32 = 11;
const PACKET_INTERNED_DATA: u32 = 12;
const PACKET_SEQUENCE_FLAGS: u32 = 13;
const PACKET_TRACK_DESCRIPTOR: u32 = 60;
const DESCRIPTOR_UUID: u32 = 1;
const DESCRIPTOR_NAME: u32 = 2;
const DESCRIPTOR_PROCESS: u32 = 3;
const DESCRIPTOR_PARENT: u32 = 5;
const PROCESS_PID: u32 = 1;
const PROCESS_NAME: u32 = 6;
const EVENT_ANNOTATION: u32 = 4;
const EVENT_TYPE: u32 = 9;
const EVENT_NAME: u32 = 10;
const EVENT_TRACK: u32 = 11;
const EVENT_FLOW: u32 = 47;
const EVENT_LAST_FLOW: u32 = 48;
const ANNOTATION_NAME: u32 = 1;
const ANNOTATION_NUMBER: u32 = 3;
const INTERNED_EVENT_NAME: u32 = 2;
const INTERNED_ANNOTATION_NAME: u32 = 3;
const NAME_IID: u32 = 1;
const NAME_TEXT: u32 = 2;

/// The only sequence of packets.
const SEQUENCE: u64 = 1;

/// Flag of a packet before which nothing was interned.
const NOTHING_INTERNED: u64 = 1;

/// Flag of a packet that may call what packets before it interned.
const CALLS_INTERNED: u64 = 2;

/// Type of the event that begins a slice.
const BEGIN: u64 = 1;

/// Type of the event that ends a slice.
const END: u64 = 2;

/// The number by which the annotation `ticks` is called.
const TICKS: u64 = 1;

/// A process.
pub(super) struct Process<'a> {
    /// Of the track that its own tracks hang on.
    pub(super) uuid: u64,
    pub(super) pid: u64,
    pub(super) name: &'a str,
}

/// A track of a process.
pub(super) struct Track<'a> {
    pub(super) uuid: u64,
    /// The uuid of its process.
    pub(super) parent: u64,
    pub(super) name: &'a str,
}

/// A slice that begins.
pub(super) struct Begin<'a> {
    /// When, in nanoseconds.
    pub(super) at: u64,
    /// The uuid of its track.
    pub(super) track: u64,
    pub(super) name: SliceName<'a>,
    /// How long it lasts.
    pub(super) ticks: u64,
    /// The flow that it is part of.
    pub(super) flow: Option<Flow>,
    /// Other flows that it is part of.
    pub(super) arrows: [Option<u64>; 2],
}

/// What a slice is called.
pub(super) struct SliceName<'a> {
    /// By number, above 0.
    pub(super) iid: u64,
    /// By text, with which the number is called from here on.
    pub(super) text: Option<&'a str>,
}

/// The flow that a slice is part of.
pub(super) struct Flow {
    pub(super) number: u64,
    /// Whether it is the last of it.
    pub(super) ends: bool,
}

/// Writes packets.
pub(super) struct Packets<W> {
    out: W,
    /// The packet that is being written.
    fields: Fields,
    /// Whether there has been one.
    has_packets: bool,
}

impl<W: Write> Packets<W> {
    /// Of a trace that begins here.
    pub(super) fn new(out: W) -> Self {
        Self { out, fields: Fields::default(), has_packets: false }
    }

    /// All have been written.
    pub(super) fn finish(mut self) -> io::Result<()> {
        self.out.flush()
    }

    pub(super) fn process(&mut self, process: &Process<'_>) -> io::Result<()> {
        self.packet(|packet| {
            packet.nested(PACKET_TRACK_DESCRIPTOR, |descriptor| {
                descriptor.number(DESCRIPTOR_UUID, process.uuid);
                descriptor.nested(DESCRIPTOR_PROCESS, |description| {
                    description.number(PROCESS_PID, process.pid);
                    description.text(PROCESS_NAME, process.name);
                });
            });
        })
    }

    pub(super) fn track(&mut self, track: &Track<'_>) -> io::Result<()> {
        self.packet(|packet| {
            packet.nested(PACKET_TRACK_DESCRIPTOR, |descriptor| {
                descriptor.number(DESCRIPTOR_UUID, track.uuid);
                descriptor.text(DESCRIPTOR_NAME, track.name);
                descriptor.number(DESCRIPTOR_PARENT, track.parent);
            });
        })
    }

    pub(super) fn begin(&mut self, begin: &Begin<'_>) -> io::Result<()> {
        self.packet(|packet| {
            packet.number(PACKET_TIMESTAMP, begin.at);
            if let Some(text) = begin.name.text {
                intern(packet, INTERNED_EVENT_NAME, begin.name.iid, text);
            }
            packet.nested(PACKET_TRACK_EVENT, |event| begin.write(event));
        })
    }

    /// The slice on `track` that began last ends `at` so many nanoseconds.
    pub(super) fn end(&mut self, track: u64, at: u64) -> io::Result<()> {
        self.packet(|packet| {
            packet.number(PACKET_TIMESTAMP, at);
            packet.nested(PACKET_TRACK_EVENT, |event| {
                event.number(EVENT_TYPE, END);
                event.number(EVENT_TRACK, track);
            });
        })
    }

    /// Writes a packet with what `fill` puts into it.
    fn packet(&mut self, fill: impl FnOnce(&mut Fields)) -> io::Result<()> {
        let is_first = !std::mem::replace(&mut self.has_packets, true);
        self.fields.clear();
        self.fields.nested(TRACE_PACKET, |packet| {
            packet.number(PACKET_SEQUENCE, SEQUENCE);
            let flags = if is_first { NOTHING_INTERNED } else { CALLS_INTERNED };
            packet.number(PACKET_SEQUENCE_FLAGS, flags);
            if is_first {
                intern(packet, INTERNED_ANNOTATION_NAME, TICKS, "ticks");
            }
            fill(packet);
        });
        self.out.write_all(self.fields.bytes())
    }
}

impl Begin<'_> {
    fn write(&self, event: &mut Fields) {
        event.number(EVENT_TYPE, BEGIN);
        event.number(EVENT_NAME, self.name.iid);
        event.number(EVENT_TRACK, self.track);
        event.nested(EVENT_ANNOTATION, |annotation| {
            annotation.number(ANNOTATION_NAME, TICKS);
            annotation.number(ANNOTATION_NUMBER, self.ticks);
        });
        if let Some(Flow { number, ends }) = self.flow {
            event.fixed(if ends { EVENT_LAST_FLOW } else { EVENT_FLOW }, number);
        }
        for &arrow in self.arrows.iter().flatten() {
            event.fixed(EVENT_FLOW, arrow);
        }
    }
}

/// Calls `text` by the number `iid` from here on, among the names of this `kind`.
fn intern(packet: &mut Fields, kind: u32, iid: u64, text: &str) {
    packet.nested(PACKET_INTERNED_DATA, |data| {
        data.nested(kind, |name| {
            name.number(NAME_IID, iid);
            name.text(NAME_TEXT, text);
        });
    });
}
