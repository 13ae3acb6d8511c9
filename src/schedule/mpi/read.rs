//! Reads the lines of a rank.

use super::communicators::{ListedGroups, Named};
use super::forms::{CALLS, CallForm, CallName, Form, MessageFields, MpiCollective, NOT_SIMULATED};
use super::line::{FieldLine, TraceTime};
use super::{CallAction, CollectiveCall, LISTED, Message, MpiError, RankCall, RankTrace, Return, SkippedCalls};
use crate::cancel::Pace;
use crate::schedule::goal::{ANY, ANY_TAG};
use crate::units::narrow;
use rustc_hash::FxHashMap;
use std::ops::Range;
use std::str::FromStr;

/// The calls that are simulated. The time of the others is computation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SimulatedCalls {
    /// All.
    All,
    /// Messages.
    PointToPoint,
    /// Collectives.
    Collectives,
}

/// The rules for reading a trace.
#[derive(Clone, Copy, Debug)]
pub struct ReadRules<'a> {
    /// The calls that are simulated.
    pub calls: SimulatedCalls,
    /// The ticks of a microsecond.
    pub ticks_per_us: u64,
    /// The number of times that the ranks are repeated.
    pub copies: u64,
    /// The groups of communicators that are listed.
    pub groups: &'a ListedGroups,
}

/// The bits of a tag below the id of its communicator.
pub(super) const TAG_BITS: u32 = 24;

/// The highest id of a communicator: tags have 32 bits, of which all set mean any tag.
const LAST_ID: u64 = 254;

/// The bytes between the requests of an array.
const REQUEST_BYTES: u64 = 8;

/// The most bytes of a call.
const MOST_BYTES: u64 = 1 << 50;

/// The fields of an `MPI_Alltoallv` without the four for each rank.
const ALLTOALLV_FIELDS: usize = 18;

/// Reads rank number `rank` of `texts`. Returns its calls, and the communicators that they name.
pub(super) fn read_rank(
    rank: usize,
    texts: &[&str],
    rules: &ReadRules<'_>,
    skipped: &mut SkippedCalls,
    errors: &mut Vec<MpiError>,
) -> (RankTrace, Vec<Named>) {
    let mut reader = RankReader {
        rank,
        ranks: texts.len(),
        rules,
        line: FieldLine::new(texts[rank]),
        number: 0,
        trace: RankTrace::default(),
        named: Vec::new(),
        last: None,
        latest: None,
        pending: FxHashMap::default(),
        requests: 0,
        skipped,
        errors,
    };
    reader.read();
    (reader.trace, reader.named)
}

/// Reads the file of a rank.
struct RankReader<'a> {
    rank: usize,
    /// The number of ranks of the trace.
    ranks: usize,
    rules: &'a ReadRules<'a>,
    line: FieldLine<'a>,
    /// The number of the line.
    number: u32,
    trace: RankTrace,
    named: Vec<Named>,
    /// The end of the last simulated call.
    last: Option<TraceTime>,
    /// The end of the last call of the table, and its line.
    latest: Option<(TraceTime, u32)>,
    /// The numbers of requests by their addresses.
    pending: FxHashMap<u64, u32>,
    requests: u32,
    skipped: &'a mut SkippedCalls,
    errors: &'a mut Vec<MpiError>,
}

impl RankReader<'_> {
    fn read(&mut self) {
        let mut start = 0;
        let mut pace = Pace::default();
        while let Some(next) = self.line.advance(start) {
            pace.step();
            start = next;
            self.number = self.number.saturating_add(1);
            let Some(name) = self.line.name() else { continue };
            if let Some(index) = CALLS.iter().position(|call| call.name == name) {
                self.call(index);
                if CALLS[index].form == Form::Finalize {
                    return;
                }
            } else if let Some(name) = NOT_SIMULATED.split(' ').find(|&other| other == name) {
                self.skip(name);
            }
            if self.errors.len() >= LISTED {
                return;
            }
        }
        let end = self.line.span.end;
        self.report(end..end, "the file ends without `MPI_Finalize`".to_owned(), "the trace of a whole program");
    }

    fn report(&mut self, span: Range<usize>, message: String, accepted: &'static str) {
        self.errors.push(MpiError { rank: self.rank, span, message, accepted });
    }

    /// Reports the value of field `index`.
    fn refuse(&mut self, index: usize, problem: &str, accepted: &'static str) {
        let message = format!("field {index} of `{}` is `{}`, {problem}", self.line.field(0), self.line.field(index));
        self.report(self.line.range(index), message, accepted);
    }

    /// The number in field `index`. Anything else is reported.
    fn number<T: FromStr>(&mut self, index: usize, accepted: &'static str) -> Option<T> {
        let number = self.line.field(index).parse().ok();
        if number.is_none() {
            self.refuse(index, "not a number", accepted);
        }
        number
    }

    fn time(&mut self, index: usize) -> Option<TraceTime> {
        let time = TraceTime::parse(self.line.field(index));
        if time.is_none() {
            self.refuse(index, "not a time", "decimal microseconds below 10^17");
        }
        time
    }

    /// Returns true if `time` in field `index` is not before `earlier` of another line or this. Else that is reported.
    fn is_after(&mut self, index: usize, time: TraceTime, (earlier, line): (TraceTime, u32)) -> bool {
        if time < earlier {
            let problem = match line == self.number {
                true => "before the start".to_owned(),
                false => format!("before the end of the call in line {line}"),
            };
            self.refuse(index, &problem, "times that do not decrease");
        }
        time >= earlier
    }

    /// Counts a call that communicates and is not simulated.
    fn skip(&mut self, name: &'static str) {
        let end = self.line.fields() - 1;
        if let (Some(start), Some(end)) = (self.time(end.min(1)), self.time(end)) {
            *self.skipped.counts.entry(name).or_insert(0) += 1;
            let ticks = end.ticks_since(start, self.rules.ticks_per_us);
            self.skipped.ticks = self.skipped.ticks.saturating_add(ticks);
        }
    }

    /// Reads the call with this index in the table. Problems are reported.
    fn call(&mut self, index: usize) -> Option<()> {
        let call = &CALLS[index];
        let fields = self.line.fields();
        let is_sized = call.form == Form::Collective(MpiCollective::Alltoallv);
        if fields <= call.end.into() || is_sized && !(fields - ALLTOALLV_FIELDS).is_multiple_of(4) {
            let message = format!("`{}` has {fields} fields", call.name);
            let accepted = match is_sized {
                true => "18 fields, and four for each rank",
                false => "the fields of the call as liballprof writes them",
            };
            self.report(self.line.span.clone(), message, accepted);
            return None;
        }
        let end_field = if is_sized { fields - 1 } else { call.end.into() };
        let start_field = if call.form == Form::Init { end_field } else { 1 };
        let (start, end) = (self.time(start_field)?, self.time(end_field)?);
        if self.latest.is_none_or(|latest| self.is_after(start_field, start, latest)) {
            self.is_after(end_field, end, (start, self.number));
        }
        self.latest = Some((end, self.number));
        if call.form == Form::Init {
            self.last = Some(end);
        } else if let Some(action) = self.action(call) {
            // without `MPI_Init`, the program begins with its first call
            let compute = start.ticks_since(self.last.unwrap_or(start), self.rules.ticks_per_us);
            let name = CallName(narrow(index, "the table has few calls"));
            self.trace.calls.push(RankCall { compute, action, name, line: self.number });
            self.last = Some(end);
        }
        Some(())
    }

    /// Returns the action of a call if it is simulated.
    fn action(&mut self, call: &CallForm) -> Option<CallAction> {
        let returns = if call.request > 0 { Return::AtOnce } else { Return::AtEnd };
        let (action, communicator) = match call.form {
            Form::Init | Form::Finalize => return Some(CallAction::Finalize),
            Form::Wait => return self.wait(call),
            Form::Collective(operation) => {
                let collective = self.collective(call, operation)?;
                (CallAction::Collective(collective, returns), collective.communicator)
            }
            form => {
                let fields = if form == Form::Exchange { call.received } else { call.message };
                let sent = if form == Form::Receive { None } else { self.message(call, call.message, false) };
                let received = if form == Form::Send { None } else { self.message(call, fields, true) };
                (CallAction::Messages(sent, received, returns), sent.or(received)?.communicator)
            }
        };
        let named = &mut self.named[usize::from(communicator)];
        let is_collective = matches!(action, CallAction::Collective(..));
        // a communicator of all ranks extends over all copies
        let is_alone = is_collective && named.size == 1 && (self.ranks > 1 || self.rules.copies == 1);
        let excluded = if is_collective { SimulatedCalls::PointToPoint } else { SimulatedCalls::Collectives };
        if is_alone || self.rules.calls == excluded {
            return None;
        }
        named.is_used = true;
        if returns == Return::AtOnce {
            let address = self.number(call.request.into(), "the address of a request")?;
            self.pending.insert(address, self.requests);
            self.requests += 1;
        }
        Some(action)
    }

    /// Returns the wait for the requests that are known, unless the call names one request and it is not.
    fn wait(&mut self, call: &CallForm) -> Option<CallAction> {
        let address: u64 = self.number(call.request.into(), "the address of a request")?;
        let count_field = call.message[0];
        let count: u64 = if count_field > 0 { self.number(count_field.into(), "a number of requests")? } else { 1 };
        if self.rules.calls == SimulatedCalls::Collectives {
            return None;
        }
        let first = self.trace.waits.len();
        // no more look-ups than there are requests, whatever the count
        if count <= self.pending.len() as u64 {
            let addresses = (0..count).map(|at| address.wrapping_add(at * REQUEST_BYTES));
            self.trace.waits.extend(addresses.filter_map(|address| self.pending.remove(&address)));
        } else {
            let is_selected = |other: u64| {
                let distance = other.checked_sub(address).filter(|distance| distance.is_multiple_of(REQUEST_BYTES));
                distance.is_some_and(|distance| distance / REQUEST_BYTES < count)
            };
            let requests = self.pending.extract_if(|&other, _| is_selected(other));
            self.trace.waits.extend(requests.map(|(_, request)| request));
        }
        self.trace.waits[first..].sort_unstable();
        if count_field == 0 && self.trace.waits.len() == first {
            return None;
        }
        let number = |at: usize| narrow(at, "a trace has fewer than 2^32 waits");
        Some(CallAction::Wait(number(first)..number(self.trace.waits.len())))
    }

    /// Reads a message. Its peer and its tag may be any if it is received.
    fn message(&mut self, call: &CallForm, fields: MessageFields, is_received: bool) -> Option<Message> {
        const TAGS: &str = "0 to 2^24 - 1, and -1 for any tag of a receive";
        let [count, size, peer, tag] = fields.map(usize::from);
        let bytes = self.bytes(count, size);
        let communicator = self.communicator(call.communicator.into())?;
        let is_any = |field: &str| is_received && field == "-1";
        let peer = if is_any(self.line.field(peer)) { Some(ANY) } else { self.peer(peer, communicator) };
        let id = u64::from(self.named[usize::from(communicator)].id);
        let tag = if is_any(self.line.field(tag)) {
            ANY_TAG
        } else {
            let number: u64 = self.number(tag, TAGS)?;
            if number >> TAG_BITS > 0 {
                self.refuse(tag, "too large for a tag", TAGS);
                return None;
            }
            (id << TAG_BITS) + number
        };
        Some(Message { bytes: bytes?, peer: peer?, tag, communicator })
    }

    /// The bytes of the elements whose number and size are in these fields.
    fn bytes(&mut self, count: usize, size: usize) -> Option<u64> {
        let elements: Option<u64> = self.number(count, "a number of elements");
        let size: u64 = self.number(size, "the bytes of an element")?;
        let bytes = elements?.checked_mul(size).filter(|&bytes| bytes <= MOST_BYTES);
        if bytes.is_none() {
            self.refuse(count, &format!("too large for elements of {size} bytes"), "up to 2^50 bytes");
        }
        bytes
    }

    /// The rank of a communicator that is in field `index`.
    fn peer(&mut self, index: usize, communicator: u8) -> Option<u32> {
        const RANKS: &str = "a rank of the communicator, and -1 for any source of a receive";
        let Named { id, size, .. } = self.named[usize::from(communicator)];
        let peer: i64 = self.number(index, RANKS)?;
        let known = u32::try_from(peer).ok().filter(|&peer| peer < size);
        if known.is_none() {
            let name = self.line.field(0);
            let message = format!("`{name}` names rank {peer} of communicator {id}, whose size is {size}");
            self.report(self.line.range(index), message, RANKS);
        }
        known
    }

    /// The index of the communicator whose id, rank and size begin at field `first`.
    fn communicator(&mut self, first: usize) -> Option<u8> {
        let id: u64 = self.number(first, "the id of a communicator")?;
        let rank: u32 = self.number(first + 1, "the rank in the communicator")?;
        let size: u32 = self.number(first + 2, "the size of the communicator")?;
        let index = |at: usize| narrow(at, "ids have 8 bits");
        if let Some(at) = self.named.iter().position(|named| u64::from(named.id) == id) {
            let Named { rank: own, size: all, line, .. } = self.named[at];
            if (rank, size) == (own, all) {
                return Some(index(at));
            }
            let message =
                format!("this is rank {rank} of {size} in communicator {id}, but rank {own} of {all} in line {line}");
            self.report(self.line.range(first), message, "one communicator for each id");
        } else if id > LAST_ID {
            self.refuse(first, "too large for the id of a communicator", "0 to 254, as tags have 32 bits");
        } else if rank >= size {
            let problem = format!("not a rank of communicator {id}, whose size is {size}");
            self.refuse(first + 1, &problem, "a rank below the size of the communicator");
        } else {
            let (id, span) = (narrow(id, "ids have 8 bits"), self.line.range(first));
            self.named.push(Named { id, rank, size, line: self.number, span, is_used: false });
            return Some(index(self.named.len() - 1));
        }
        None
    }

    fn collective(&mut self, call: &CallForm, operation: MpiCollective) -> Option<CollectiveCall> {
        if operation == MpiCollective::Alltoallv {
            let communicator = self.communicator(self.line.fields() - 4)?;
            let blocks = self.blocks(communicator)?;
            return Some(CollectiveCall { operation, bytes: 0, root: 0, communicator, blocks });
        }
        let [count, size, root, _] = call.message.map(usize::from);
        let bytes = if count == 0 { Some(1) } else { self.bytes(count, size) };
        let communicator = self.communicator(call.communicator.into())?;
        let root = if root == 0 { 0 } else { self.peer(root, communicator)? };
        Some(CollectiveCall { operation, bytes: bytes?, root, communicator, blocks: 0 })
    }

    /// Reads the blocks of an `MPI_Alltoallv`. Returns the index of the first.
    fn blocks(&mut self, communicator: u8) -> Option<u32> {
        let ranks = (self.line.fields() - ALLTOALLV_FIELDS) / 4;
        let Named { id, size, .. } = self.named[usize::from(communicator)];
        if ranks != size as usize {
            let message = format!("`MPI_Alltoallv` has {ranks} counts, but the size of communicator {id} is {size}");
            self.report(self.line.span.clone(), message, "18 fields, and four for each rank");
            return None;
        }
        let first = self.trace.blocks.len();
        for (counts, size) in [(4, 6 + 2 * ranks), (10 + 2 * ranks, 12 + 4 * ranks)] {
            for count in counts..counts + ranks {
                let bytes = self.bytes(count, size)?;
                self.trace.blocks.push(bytes);
            }
        }
        Some(narrow(first, "a trace has fewer than 2^32 blocks"))
    }
}
