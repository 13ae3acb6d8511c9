//! Events of a network that a Python program drives, one by one and as arrays.

use flitwise::embed::{Event as CoreEvent, EventKind};
use numpy::PyArray1;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use std::fmt::Write;

/// A message that has arrived, or a timer that is due.
///
/// Times are in ticks. The attributes of a timer are ``kind``, ``id``, ``user``, ``requested``, the tick at which it was
/// set, and ``delivered``, the tick at which it is due. Its other attributes are 0.
#[pyclass(frozen, eq, get_all, module = "flitwise")]
#[derive(Clone, PartialEq, Eq)]
pub(crate) struct Event {
    /// ``"message"`` or ``"timer"``.
    kind: &'static str,
    /// The number of the message or timer. Messages and timers are numbered from 0 in the order of calls.
    id: u64,
    /// The value that was passed with the message or timer.
    user: u64,
    /// The tick at which the message requested its injection channel, or at which the timer was set.
    requested: u64,
    /// The tick at which the message was granted its injection channel.
    injected: u64,
    /// The tick at which the last flit of the message had crossed its ejection channel, or at which the timer is due.
    delivered: u64,
    /// The time for which the head flit of the message waited for channels, including its injection channel.
    blocked: u64,
    /// The part of ``blocked`` at the injection channel.
    queued: u64,
    /// The length of the message.
    bytes: u64,
    /// The node that sent the message.
    src: u32,
    /// The node that received the message.
    dst: u32,
    /// The number of channels between routers on the path of the message.
    hops: u32,
    /// The number of the class of the message.
    cls: u32,
}

impl From<CoreEvent> for Event {
    fn from(event: CoreEvent) -> Self {
        let CoreEvent { kind, id, user, requested, injected, delivered, blocked, queued, bytes, src, dst, hops, class } =
            event;
        let kind = match kind {
            EventKind::Message => "message",
            EventKind::Timer => "timer",
        };
        Self { kind, id, user, requested, injected, delivered, blocked, queued, bytes, src, dst, hops, cls: class }
    }
}

#[pymethods]
impl Event {
    /// The number, which differs between the messages of a network, and between its timers.
    fn __hash__(&self) -> u64 {
        self.id
    }

    fn __repr__(&self) -> String {
        let Self { kind, id, user, requested, injected, delivered, blocked, queued, bytes, src, dst, hops, cls } = self;
        let mut text = format!("Event(kind='{kind}', id={id}, user={user}, requested={requested}");
        // writing to a string never fails
        let _ = match *kind {
            "timer" => write!(text, ", delivered={delivered})"),
            _ => write!(
                text,
                ", injected={injected}, delivered={delivered}, blocked={blocked}, queued={queued}, bytes={bytes}, \
                 src={src}, dst={dst}, hops={hops}, cls={cls})"
            ),
        };
        text
    }
}

/// Converts events into a dict of arrays by attribute. The kind of a message is 0 and that of a timer is 1.
pub(crate) fn arrays<'py>(py: Python<'py>, events: &[CoreEvent]) -> PyResult<Bound<'py, PyDict>> {
    let columns = PyDict::new(py);
    let add = |name: &str, value: fn(&CoreEvent) -> u64| {
        #[expect(clippy::cast_possible_wrap, reason = "times and lengths are below 2^63, and numbers below 2^32")]
        let values = events.iter().map(|event| value(event) as i64).collect();
        columns.set_item(name, PyArray1::from_vec(py, values))
    };
    add("kind", |event| u64::from(event.kind == EventKind::Timer))?;
    add("id", |event| event.id)?;
    // any 64 bits
    columns.set_item("user", PyArray1::from_vec(py, events.iter().map(|event| event.user).collect()))?;
    add("requested", |event| event.requested)?;
    add("injected", |event| event.injected)?;
    add("delivered", |event| event.delivered)?;
    add("blocked", |event| event.blocked)?;
    add("queued", |event| event.queued)?;
    add("bytes", |event| event.bytes)?;
    add("src", |event| event.src.into())?;
    add("dst", |event| event.dst.into())?;
    add("hops", |event| event.hops.into())?;
    add("cls", |event| event.class.into())?;
    Ok(columns)
}
