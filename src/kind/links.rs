//! `links.csv`: how busy each link between routers was.
//!
//! A link is a wire: its virtual channels are told together. Injection and ejection are no links, and links that nothing
//! crossed are left out.

use super::file::RowFile;
use super::row::Row;
use crate::config::{Diagnostic, Reader};
use crate::engine::{Event, Interest, Observer};
use crate::machine::Machine;
use crate::units::{ChannelId, Flits, Key, MessageId, Millionths, Ticks};
use serde::{Serialize, Serializer};
use std::ops::Range;

/// How busy each link between routers was.
pub const LINKS: RowFile = RowFile {
    name: "links.csv",
    header: &["point", "algorithm", "repetition", "channel", "flits", "utilisation", "held", "waited", "messages"],
};

/// The key of workloads that write it where it is asked for.
pub(crate) const LINKS_KEY: Key =
    Key::boolean("details").or_boolean(false).says("output of links.csv, with the load of each link between routers");

/// Whether the links of what `runs` on `machine` are to be told; it is an error to ask for what there is not.
pub(crate) fn read_links(table: &Reader<'_>, machine: &Machine, runs: bool) -> bool {
    let details = table.boolean(&LINKS_KEY);
    let why = match (machine.network.is_some(), runs) {
        (true, true) => return details,
        (false, _) => "no links are simulated without a [network.*]",
        (true, false) => "nothing is sent with `simulate = false`",
    };
    if details {
        let message = format!("`{}` has no effect: {why}", table.path_of(LINKS_KEY.name));
        table.error(Diagnostic::at(table.place_of(LINKS_KEY.name), message).note("accepted here: false"));
    }
    false
}

/// A line of `links.csv`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct LinkLine {
    /// The name of the link.
    pub channel: String,
    /// How busy it was.
    pub used: LinkLoad,
}

impl LinkLine {
    /// The line of the same link of physical network `network`, counted from 0.
    pub(crate) fn on_network(self, network: usize) -> Self {
        match network {
            0 => self,
            _ => Self { channel: format!("{} net {network}", self.channel), ..self },
        }
    }
}

/// How busy a link was; none where the run does not tell.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct LinkLoad {
    /// Flits that crossed it.
    pub flits: u64,
    /// The part of the time in which a flit crossed it.
    #[serde(serialize_with = "as_number")]
    pub utilisation: Option<Millionths>,
    /// For how many ticks messages had it, from grants to releases, those of all its virtual channels added up.
    pub held: Option<u64>,
    /// For how many ticks head flits waited for it, from requests to grants.
    pub waited: Option<u64>,
    /// Messages that crossed it.
    pub messages: Option<u64>,
}

fn as_number<S: Serializer>(utilisation: &Option<Millionths>, serializer: S) -> Result<S::Ok, S::Error> {
    match utilisation {
        Some(part) => serializer.collect_str(part),
        None => serializer.serialize_none(),
    }
}

impl LinkLine {
    /// With the part of `time` in which its flits crossed, each in `flit_time` ticks.
    #[must_use]
    pub fn within(self, time: Ticks, flit_time: u64) -> Self {
        let utilisation = Some(Millionths::ratio(self.used.flits * flit_time, time.0.max(1)));
        Self { used: LinkLoad { utilisation, ..self.used }, ..self }
    }
}

impl Row {
    /// Adds the links of a run.
    pub fn add_links(&mut self, lines: impl IntoIterator<Item = LinkLine>) {
        self.add_lines(&LINKS, lines);
    }
}

/// What a channel has seen of a run so far.
#[derive(Clone, Copy, Debug, Default)]
struct Use {
    flits: u64,
    messages: u64,
    held: u64,
    waited: u64,
    /// When it was granted last.
    since: Ticks,
}

/// Watches what the channels beyond injection carry.
pub(crate) struct LinkWatch<'a> {
    /// The length of a message on the wire.
    wire_flits: &'a dyn Fn(MessageId) -> Flits,
    /// When what happens counts.
    window: Range<Ticks>,
    /// By channel, as far as any was granted.
    channels: Vec<Use>,
    /// Whether the engine tells when channels are released.
    tells_releases: bool,
}

impl<'a> LinkWatch<'a> {
    /// A watch of messages of such lengths.
    pub(crate) fn new(wire_flits: &'a dyn Fn(MessageId) -> Flits) -> Self {
        Self { wire_flits, window: Ticks::ZERO..Ticks(u64::MAX), channels: Vec::new(), tells_releases: false }
    }

    /// With nothing counted but what happens within `window`: the messages whose head flits are granted a link in it, and the
    /// ticks of it.
    #[must_use]
    pub(crate) fn within(self, window: Range<Ticks>) -> Self {
        Self { window, ..self }
    }

    /// How many ticks of the window lie from one time to another.
    fn ticks(&self, from: Ticks, to: Ticks) -> u64 {
        let first = from.max(self.window.start);
        let last = to.min(self.window.end);
        last.0.saturating_sub(first.0)
    }

    /// What it saw of a run on `machine` that took so long, by link.
    pub(crate) fn lines(&self, machine: &Machine, time: Ticks) -> Vec<LinkLine> {
        let mut lines: Vec<LinkLine> = Vec::new();
        let used = self.channels.iter().enumerate().filter(|(_, seen)| seen.messages + seen.held > 0);
        for (channel, seen) in used {
            let Some(name) = machine.link_name(ChannelId::new(channel)) else { continue };
            let seen = self.line(name, seen);
            // the virtual channels of a link follow one another
            match lines.last_mut().filter(|last| last.channel == seen.channel) {
                Some(last) => last.used.add(&seen.used),
                None => lines.push(seen),
            }
        }
        lines.into_iter().map(|line| line.within(time, machine.channel.flit_time)).collect()
    }

    fn line(&self, channel: String, seen: &Use) -> LinkLine {
        LinkLine {
            channel,
            used: LinkLoad {
                flits: seen.flits,
                utilisation: None,
                held: self.tells_releases.then_some(seen.held),
                waited: Some(seen.waited),
                messages: Some(seen.messages),
            },
        }
    }
}

impl LinkLoad {
    /// With what another virtual channel of the link has seen.
    fn add(&mut self, other: &Self) {
        let both = |one: Option<u64>, other: Option<u64>| Some(one? + other?);
        self.flits += other.flits;
        self.held = both(self.held, other.held);
        self.waited = both(self.waited, other.waited);
        self.messages = both(self.messages, other.messages);
    }
}

impl Observer for LinkWatch<'_> {
    fn interest(&self) -> Interest {
        Interest::HOPS
    }

    fn event(&mut self, event: Event<'_>) {
        match event {
            Event::Restarted => self.channels.clear(),
            Event::Granted { message, hop, channel, requested, start } if hop > 0 => {
                self.grant(message, channel, requested, start);
            }
            Event::Released { hop, channel, at, .. } if hop > 0 => {
                self.tells_releases = true;
                let held = self.ticks(self.channels[channel.index()].since, at);
                self.channels[channel.index()].held += held;
            }
            _ => {}
        }
    }
}

impl LinkWatch<'_> {
    fn grant(&mut self, message: MessageId, channel: ChannelId, requested: Ticks, start: Ticks) {
        if channel.index() >= self.channels.len() {
            self.channels.resize(channel.index() + 1, Use::default());
        }
        let waited = self.ticks(requested, start);
        let counts = self.window.contains(&start);
        let flits = if counts { (self.wire_flits)(message).on_wire() } else { 0 };
        let seen = &mut self.channels[channel.index()];
        seen.flits += flits;
        seen.messages += u64::from(counts);
        seen.waited += waited;
        seen.since = start;
    }
}
