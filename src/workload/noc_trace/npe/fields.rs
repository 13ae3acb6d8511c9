//! The fields of one event, checked: names, places, sizes and times.
//!
//! Every field that is wrong is told. Refuses to know what the processor did before.

use super::fault::{Fault, Faults};
use super::form::{Direction, Form, accepted, form};
use super::record::{Record, Value};
use crate::config::listed;
use crate::workload::noc_trace::event::{Tile, What};

/// The processors of a core: two that move data, three that compute, and that of an Ethernet port.
const PROCESSORS: [&str; 6] = ["BRISC", "NCRISC", "TRISC_0", "TRISC_1", "TRISC_2", "ERISC"];

/// The networks, by number.
const NETWORKS: [&str; 2] = ["NOC_0", "NOC_1"];

/// The most bytes of a transfer.
const LARGEST: u64 = 1 << 30;

/// An event whose fields are asked for. What is wrong with them is added to the faults, and an event that has faults is
/// not to be used, whatever is returned.
pub(super) struct Fields<'r, 'f> {
    /// Its number, from 1.
    pub(super) event: usize,
    pub(super) record: &'r Record<'r>,
    /// The columns and the rows of the chip.
    pub(super) shape: [u16; 2],
    pub(super) faults: &'f mut Faults,
}

/// When a processor did what.
#[derive(Clone, Copy, Debug)]
pub(super) struct Deed<'r> {
    /// In the cycles that the chip counts.
    pub(super) time: u64,
    /// What it asked of a network; none if a kernel began.
    pub(super) asked: Option<Asked<'r>>,
}

/// What a processor asked of a network.
#[derive(Clone, Copy, Debug)]
pub(super) struct Asked<'r> {
    /// The type, as the trace has it.
    pub(super) kind: &'r str,
    pub(super) network: u8,
    pub(super) content: Content,
}

/// What was asked, as far as the event itself tells.
#[derive(Clone, Copy, Debug)]
pub(super) enum Content {
    /// All of it.
    Told(What),
    /// To keep a place and perhaps a size for what is to come.
    Kept(Direction, Told),
    /// A transfer, of which what is not told was kept.
    Recalled(Direction, Told),
    /// Nothing.
    Nothing,
}

/// The place and the size of a transfer, as far as they are told.
#[derive(Clone, Copy, Debug)]
pub(super) struct Told {
    pub(super) place: Option<Tile>,
    pub(super) bytes: Option<u64>,
}

/// The chip that the events so far are of.
pub(super) struct Chip {
    number: u64,
    /// The first event that tells it.
    event: usize,
}

#[derive(Clone, Copy)]
enum Axis {
    Columns,
    Rows,
}

impl<'r> Fields<'r, '_> {
    /// Whether the event is none that is read: of no processor, or a zone that is not the beginning of a kernel.
    pub(super) fn is_noise(&self) -> bool {
        let Record { proc, kind, zone, zone_phase, .. } = self.record;
        let is_of_none = *proc == Value::Absent || matches!(proc, Value::Text(name) if name.is_empty());
        let is_zone = *kind == Value::Absent && *zone != Value::Absent;
        is_of_none || (is_zone && !begins_kernel(zone, zone_phase))
    }

    /// The name of the processor.
    pub(super) fn processor(&mut self) -> Option<&'static str> {
        let index = self.choice("proc", &self.record.proc, &PROCESSORS)?;
        Some(PROCESSORS[index])
    }

    /// Where the processor is.
    pub(super) fn core(&mut self) -> Option<Tile> {
        let record = self.record;
        self.tile(["sx", "sy"], [&record.sx, &record.sy])
    }

    /// What the processor did, and when. `chip` is that of the events before it.
    pub(super) fn deed(&mut self, chip: &mut Option<Chip>) -> Option<Deed<'r>> {
        let record = self.record;
        let time = self.time();
        if record.kind == Value::Absent && record.zone != Value::Absent {
            return time.map(|time| Deed { time, asked: None });
        }
        let network = self.network();
        let (kind, form) = self.form()?;
        self.check_chip(chip);
        let content = self.content(form, network)?;
        Some(Deed { time: time?, asked: Some(Asked { kind, network: network?, content }) })
    }

    fn time(&mut self) -> Option<u64> {
        if let Value::Whole(time) = self.record.timestamp {
            return Some(time);
        }
        self.refuse("timestamp", &self.record.timestamp, "a whole number of cycles below 2^64");
        None
    }

    fn network(&mut self) -> Option<u8> {
        let index = self.choice("noc", &self.record.noc, &NETWORKS)?;
        Some(u8::from(index == 1))
    }

    /// The type, and what an event of it has to say.
    fn form(&mut self) -> Option<(&'r str, Form)> {
        let record = self.record;
        let found = match &record.kind {
            Value::Text(name) => form(name).map(|form| (&**name, form)),
            _ => None,
        };
        match found {
            Some((name, Form::Refused(why))) => {
                let fault = Fault::of_field(self.event, "type", format!("cannot be {name}, which {why}"));
                self.faults.add_with(fault, |fault| fault.note(format!("accepted: {}", listed(accepted()))));
                None
            }
            Some(known) => Some(known),
            None => {
                self.refuse_name("type", &record.kind, accepted());
                None
            }
        }
    }

    /// That the event is of the chip of those before it, and stays there.
    fn check_chip(&mut self, chip: &mut Option<Chip>) {
        let Value::Whole(number) = self.record.src_device_id else { return };
        let first = chip.get_or_insert(Chip { number, event: self.event });
        if first.number != number {
            let what = format!("is {number}, but was {} in an earlier event: only one chip is simulated", first.number);
            let fault = Fault::of_field(self.event, "src_device_id", what);
            self.faults.add(fault.note("needed: a trace of a single chip").other(first.event, "event of another chip"));
        }
        if let Value::Whole(to) = self.record.dst_device_id
            && to != number
        {
            let what = format!("is {to}, not {number}: only one chip is simulated");
            self.faults.add(Fault::of_field(self.event, "dst_device_id", what));
        }
    }

    /// What was asked; `network` is which one, if that is known.
    fn content(&mut self, form: Form, network: Option<u8>) -> Option<Content> {
        Some(match form {
            Form::Plain(what) => Content::Told(what),
            Form::Transfer(direction) => {
                let place = self.place();
                let bytes = self.bytes();
                Content::Told(direction.transfer(place?, bytes?))
            }
            Form::Multicast => Content::Told(self.multicast(network)?),
            Form::SemaphoreIncrement => Content::Told(What::SemaphoreIncrement { to: self.place()? }),
            Form::Keeps(direction) => {
                let place = self.place();
                Content::Kept(direction, Told { place, bytes: self.bytes_if_told() })
            }
            Form::Recalls(direction) => {
                let place = self.place_if_told();
                Content::Recalled(direction, Told { place, bytes: self.bytes_if_told() })
            }
            Form::RecallsPlace(direction) => {
                Content::Recalled(direction, Told { place: None, bytes: self.bytes_if_told() })
            }
            Form::Silent | Form::Refused(_) => Content::Nothing,
        })
    }

    /// The other end of a transfer.
    fn place(&mut self) -> Option<Tile> {
        let record = self.record;
        self.tile(["dx", "dy"], [&record.dx, &record.dy])
    }

    /// The other end of a transfer, if it is told.
    fn place_if_told(&mut self) -> Option<Tile> {
        let is_told = |value: &Value<'_>| !matches!(value, Value::Absent | Value::Negative(-1));
        let Record { dx, dy, .. } = self.record;
        if is_told(dx) || is_told(dy) { self.place() } else { None }
    }

    fn bytes(&mut self) -> Option<u64> {
        if let Value::Whole(bytes @ 1..=LARGEST) = self.record.num_bytes {
            return Some(bytes);
        }
        self.refuse("num_bytes", &self.record.num_bytes, &format!("a whole number from 1 to {LARGEST}"));
        None
    }

    /// The size of a transfer, if it is told.
    fn bytes_if_told(&mut self) -> Option<u64> {
        match self.record.num_bytes {
            Value::Absent | Value::Whole(0) | Value::Negative(-1) => None,
            _ => self.bytes(),
        }
    }

    /// A multicast to the rectangle between two corners. On network 1, where coordinates fall along a way, the chip's
    /// programs give the corners the other way round.
    fn multicast(&mut self, network: Option<u8>) -> Option<What> {
        let record = self.record;
        let start = self.tile(["mcast_start_x", "mcast_start_y"], [&record.mcast_start_x, &record.mcast_start_y]);
        let end = self.tile(["mcast_end_x", "mcast_end_y"], [&record.mcast_end_x, &record.mcast_end_y]);
        let bytes = self.bytes();
        let start = start?;
        let end = end?;
        let rises = start.x <= end.x && start.y <= end.y;
        let falls = start.x >= end.x && start.y >= end.y;
        let may_fall = network != Some(0);
        if !(rises || falls && may_fall) {
            let Tile { x, y } = start;
            let what = format!("the rectangle from ({x}, {y}) to ({}, {}) crosses the edge of the chip", end.x, end.y);
            let accepted = "accepted: a start to the left of and above the end, or the reverse on NOC_1";
            self.faults.add(Fault::of_event(self.event, what).note(accepted));
        }
        let (first, last) = if rises { (start, end) } else { (end, start) };
        Some(What::Multicast { first, last, bytes: bytes? })
    }

    /// The tile with these coordinates, whose fields have these names.
    fn tile(&mut self, names: [&'static str; 2], values: [&Value<'_>; 2]) -> Option<Tile> {
        let x = self.coordinate(names[0], values[0], Axis::Columns);
        let y = self.coordinate(names[1], values[1], Axis::Rows);
        Some(Tile { x: x?, y: y? })
    }

    fn coordinate(&mut self, name: &'static str, value: &Value<'_>, axis: Axis) -> Option<u16> {
        let (limit, what) = match axis {
            Axis::Columns => (self.shape[0], "columns"),
            Axis::Rows => (self.shape[1], "rows"),
        };
        if let Value::Whole(number) = value
            && let Ok(number) = u16::try_from(*number)
            && number < limit
        {
            return Some(number);
        }
        self.refuse(name, value, &format!("a whole number below {limit}, the number of {what} of the chip"));
        None
    }

    /// Which of `names` a field has.
    fn choice(&mut self, field: &'static str, value: &Value<'_>, names: &[&str]) -> Option<usize> {
        let index = match value {
            Value::Text(text) => names.iter().position(|name| name == text),
            _ => None,
        };
        if index.is_none() {
            self.refuse_name(field, value, names.iter().copied());
        }
        index
    }

    fn refuse_name<'n>(
        &mut self,
        field: &'static str,
        value: &Value<'_>,
        names: impl Iterator<Item = &'n str> + Clone,
    ) {
        self.faults.add_with(self.unfit(field, value), |fault| {
            let fault = fault.note(needed(value, &format!("one of {}", listed(names.clone()))));
            match value {
                Value::Text(text) => fault.did_you_mean(text, names),
                _ => fault,
            }
        });
    }

    fn refuse(&mut self, field: &'static str, value: &Value<'_>, accepted: &str) {
        self.faults.add_with(self.unfit(field, value), |fault| {
            let fault = fault.note(needed(value, accepted));
            let is_quoted = matches!(value, Value::Text(text) if text.trim().parse::<i64>().is_ok());
            if is_quoted { fault.hint("write the number without quotes") } else { fault }
        });
    }

    /// That `field` cannot be as it is, or is missing.
    fn unfit(&self, field: &'static str, value: &Value<'_>) -> Fault {
        match value {
            Value::Absent => Fault::of_event(self.event, format!("`{field}` is missing")),
            _ => Fault::of_field(self.event, field, format!("cannot be {value}")),
        }
    }
}

/// What a field must be, that has this value.
fn needed(value: &Value<'_>, accepted: &str) -> String {
    match value {
        Value::Absent => format!("needed: {accepted}"),
        _ => format!("accepted: {accepted}"),
    }
}

/// Whether a zone is the beginning of a kernel. The profiler of the chip has had two names for it.
fn begins_kernel(zone: &Value<'_>, phase: &Value<'_>) -> bool {
    let is_kernel = matches!(zone, Value::Text(name) if name.ends_with("-KERNEL"));
    is_kernel && matches!(phase, Value::Text(phase) if phase == "begin" || phase == "ZONE_START")
}
