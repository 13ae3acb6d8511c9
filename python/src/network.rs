//! A network that a Python program drives.
//!
//! The methods are those of [`flitwise::embed::Network`]. This module converts arguments, events and errors, and lets Ctrl-C
//! interrupt long advances.

use crate::errors::Failure;
use crate::event::{Event, arrays};
use crate::scenario::{Text, opened};
use flitwise::config::Diagnostic;
use flitwise::embed::{Event as CoreEvent, Network as Core, Refused, Stop};
use flitwise::scenario::Rejected;
use numpy::{PyArray1, PyReadonlyArray1};
use pyo3::exceptions::{PyOverflowError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyString};
use std::path::PathBuf;

/// Number of steps between checks for signals. A step is a tick at which anything happens in the network.
const STEPS: u32 = 1 << 11;

/// No time reaches this.
const LATEST: u64 = 1 << 60;

/// A network that a Python program drives.
#[pyclass(unsendable, module = "flitwise._native")]
pub(crate) struct Network {
    /// The network, or `None` if it is closed.
    net: Option<Box<Core>>,
}

/// Messages to send, as columns.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct Batch<'py> {
    src: PyReadonlyArray1<'py, i64>,
    dst: PyReadonlyArray1<'py, i64>,
    bytes: PyReadonlyArray1<'py, i64>,
    #[pyo3(item("at"))]
    start: PyReadonlyArray1<'py, i64>,
    cls: PyReadonlyArray1<'py, i64>,
    user: PyReadonlyArray1<'py, u64>,
}

#[pymethods]
impl Network {
    #[new]
    fn new(py: Python<'_>, text: Text) -> PyResult<Self> {
        Ok(Self { net: Some(Box::new(text.open(py)?)) })
    }

    /// Opens the network of a BookSim 2 configuration.
    #[staticmethod]
    fn booksim(py: Python<'_>, path: PathBuf) -> PyResult<Self> {
        let net = opened(py, Core::open_booksim(&path), "scenario")?;
        Ok(Self { net: Some(Box::new(net)) })
    }

    /// Closes the network.
    fn close(&mut self) {
        self.net = None;
    }

    /// True if the network is closed.
    #[getter]
    fn closed(&self) -> bool {
        self.net.is_none()
    }

    /// The number of nodes.
    #[getter]
    fn nodes(&self) -> PyResult<u32> {
        Ok(self.net()?.nodes())
    }

    /// The names of the classes.
    #[getter]
    fn classes(&self) -> PyResult<Vec<String>> {
        Ok(self.net()?.classes().to_vec())
    }

    /// Bytes of a flit.
    #[getter]
    fn flit_bytes(&self) -> PyResult<u64> {
        Ok(self.net()?.flit_bytes())
    }

    /// Ticks for a flit to cross a channel.
    #[getter]
    fn cycle(&self) -> PyResult<u64> {
        Ok(self.net()?.cycle())
    }

    /// Femtoseconds of a tick, or 0.
    #[getter]
    fn tick_fs(&self) -> PyResult<u64> {
        Ok(self.net()?.tick_fs())
    }

    /// The time.
    #[getter]
    fn now(&self) -> PyResult<u64> {
        Ok(self.net()?.now())
    }

    /// A tick before which no event comes, or `None` if none comes.
    #[getter]
    fn next(&self) -> PyResult<Option<u64>> {
        Ok(self.net()?.next())
    }

    /// The number of messages held at their nodes.
    #[getter]
    fn held(&self) -> PyResult<u64> {
        Ok(self.net()?.held())
    }

    /// The number of messages that have neither been polled nor taken.
    #[getter]
    fn pending(&self) -> PyResult<u64> {
        Ok(self.net()?.pending())
    }

    /// Returns true if the injection queue has room for the message now.
    fn can_send(&self, src: &Bound<'_, PyAny>, bytes: &Bound<'_, PyAny>, cls: &Bound<'_, PyAny>) -> PyResult<bool> {
        let (src, cls, bytes) = (self.node(src)?, self.class(cls)?, length(bytes)?);
        self.net()?.can_send(src, cls, bytes).map_err(|error| refused(&error))
    }

    /// Sends a message. Returns its number, or `None` if the injection queue has no room.
    fn send(
        &mut self,
        src: &Bound<'_, PyAny>,
        dst: &Bound<'_, PyAny>,
        bytes: &Bound<'_, PyAny>,
        at: Option<&Bound<'_, PyAny>>,
        cls: &Bound<'_, PyAny>,
        user: &Bound<'_, PyAny>,
    ) -> PyResult<Option<u64>> {
        let (src, dst, cls, bytes) = (self.node(src)?, self.node(dst)?, self.class(cls)?, length(bytes)?);
        let (at, user) = (self.tick(at)?, user_value(user)?);
        match self.change(|net| net.send(src, dst, cls, bytes, at, user))? {
            Ok(id) => Ok(Some(id)),
            Err(Refused::Full { .. }) => Ok(None),
            Err(error) => Err(refused(&error)),
        }
    }

    /// Sends messages. Returns their numbers, and -1 for those for which an injection queue has no room.
    fn send_many<'py>(&mut self, py: Python<'py>, batch: Batch<'py>) -> PyResult<Bound<'py, PyArray1<i64>>> {
        let slices = [&batch.src, &batch.dst, &batch.bytes, &batch.start, &batch.cls].map(|array| array.as_slice());
        let ([Ok(src), Ok(dst), Ok(bytes), Ok(start), Ok(cls)], Ok(user)) = (slices, batch.user.as_slice()) else {
            return Err(PyValueError::new_err("arrays of messages must be contiguous"));
        };
        let ids = self.change(|net| {
            let nodes = net.nodes();
            let mut send = |i: usize| -> Result<i64, String> {
                let [src, dst] = [src[i], dst[i]].map(|node| u32::try_from(node).map_err(|_| no_node(node, nodes)));
                let (src, dst) = (src?, dst?);
                let class = u32::try_from(cls[i]).map_err(|_| no_class(cls[i], net))?;
                let bytes = u64::try_from(bytes[i]).map_err(|_| no_length(bytes[i]))?;
                let tick = u64::try_from(start[i]).map_err(|_| no_tick(start[i], net))?;
                match net.send(src, dst, class, bytes, tick, user[i]) {
                    #[expect(clippy::cast_possible_wrap, reason = "fewer than 2^32 messages")]
                    Ok(id) => Ok(id as i64),
                    Err(Refused::Full { .. }) => Ok(-1),
                    Err(error) => Err(error.to_string()),
                }
            };
            let ids = (0..src.len()).map(|i| send(i).map_err(|error| format!("message {i}: {error}")));
            ids.collect::<Result<Vec<i64>, String>>()
        })?;
        Ok(PyArray1::from_vec(py, ids.map_err(PyValueError::new_err)?))
    }

    /// Sets a timer. Returns its number.
    fn timer(&mut self, at: &Bound<'_, PyAny>, user: &Bound<'_, PyAny>) -> PyResult<u64> {
        let (at, user) = (self.tick(Some(at))?, user_value(user)?);
        self.change(|net| net.timer(at, user))?.map_err(|error| refused(&error))
    }

    /// Advances to the next events up to `until`. Returns the number of unread events.
    fn advance(slf: &Bound<'_, Self>, until: Option<&Bound<'_, PyAny>>) -> PyResult<u64> {
        let py = slf.py();
        let limit = match until {
            None => None,
            Some(until) => Some(slf.try_borrow()?.end(until)?),
        };
        loop {
            // a signal handler may use the network, so that it is not borrowed meanwhile
            let part = slf.try_borrow_mut()?.change(|net| advance_in_part(net, limit))?;
            if let Some(events) = part.map_err(|stop| stopped(py, stop))? {
                return Ok(events);
            }
            py.check_signals()?;
            // lets other threads of the interpreter continue
            py.detach(|| ());
        }
    }

    /// Removes and returns the first unread events.
    fn poll(&mut self, max: Option<&Bound<'_, PyAny>>) -> PyResult<Vec<Event>> {
        Ok(self.unread(max)?.into_iter().map(Event::from).collect())
    }

    /// Removes and returns the first unread events as arrays.
    fn poll_arrays<'py>(&mut self, py: Python<'py>, max: Option<&Bound<'py, PyAny>>) -> PyResult<Bound<'py, PyDict>> {
        arrays(py, &self.unread(max)?)
    }

    /// Returns the first message held at a node.
    fn peek(&self, node: &Bound<'_, PyAny>, cls: &Bound<'_, PyAny>) -> PyResult<Option<Event>> {
        let (node, cls) = (self.node(node)?, self.class(cls)?);
        let held = self.net()?.peek(node, cls).map_err(|error| refused(&error))?;
        Ok(held.map(Event::from))
    }

    /// Takes the first message held at a node.
    fn take(&mut self, node: &Bound<'_, PyAny>, cls: &Bound<'_, PyAny>) -> PyResult<Option<Event>> {
        let (node, cls) = (self.node(node)?, self.class(cls)?);
        let held = self.change(|net| net.take(node, cls))?.map_err(|error| refused(&error))?;
        Ok(held.map(Event::from))
    }

    /// Returns the statistics as JSON.
    fn stats(&self) -> PyResult<String> {
        Ok(self.net()?.stats().to_string())
    }
}

impl Network {
    fn net(&self) -> PyResult<&Core> {
        self.net.as_deref().ok_or_else(closed)
    }

    /// Calls `call` with the network. A panic closes the network, because its state may be inconsistent.
    fn change<R>(&mut self, call: impl FnOnce(&mut Core) -> R) -> PyResult<R> {
        let mut net = self.net.take().ok_or_else(closed)?;
        let result = call(&mut net);
        self.net = Some(net);
        Ok(result)
    }

    fn node(&self, given: &Bound<'_, PyAny>) -> PyResult<u32> {
        let net = self.net()?;
        integer(given)?.ok_or_else(|| PyValueError::new_err(no_node(given, net.nodes())))
    }

    /// Converts a class, which is a number or a name.
    fn class(&self, given: &Bound<'_, PyAny>) -> PyResult<u32> {
        let net = self.net()?;
        if let Ok(name) = given.cast::<PyString>() {
            return net.class(&name.to_string_lossy()).map_err(|error| refused(&error));
        }
        integer(given)?.ok_or_else(|| PyValueError::new_err(no_class(given, net)))
    }

    /// Converts the time of a message or timer. The default is now.
    fn tick(&self, given: Option<&Bound<'_, PyAny>>) -> PyResult<u64> {
        let net = self.net()?;
        let Some(given) = given else { return Ok(net.now()) };
        integer(given)?.ok_or_else(|| PyValueError::new_err(no_tick(given, net)))
    }

    /// Converts the end of an advance.
    fn end(&self, given: &Bound<'_, PyAny>) -> PyResult<u64> {
        let now = self.net()?.now();
        let message = || {
            format!("the time cannot become tick {given}: it is {now}, and ticks from then on below 2^60 are accepted")
        };
        // before the first step, so that an invalid time changes nothing
        let tick = integer(given)?.filter(|tick| (now..LATEST).contains(tick));
        tick.ok_or_else(|| PyValueError::new_err(message()))
    }

    /// Removes and returns the first unread events, at most `max`.
    fn unread(&mut self, max: Option<&Bound<'_, PyAny>>) -> PyResult<Vec<CoreEvent>> {
        let most = match max {
            None => usize::MAX,
            Some(max) => integer(max)?.ok_or_else(|| {
                PyValueError::new_err(format!("`max` cannot be {max}; accepted: 0 and above, or None"))
            })?,
        };
        self.change(|net| std::iter::from_fn(|| net.poll()).take(most).collect())
    }
}

/// Advances as [`Core::advance`] does, by at most [`STEPS`] steps. Returns `None` if more steps are left.
fn advance_in_part(net: &mut Core, until: Option<u64>) -> Result<Option<u64>, Stop> {
    // Without a limit, the time at the end is that of the last message that is held, which steps would pass.
    if until.is_none() && holds_messages(net) {
        return net.advance(None).map(Some);
    }
    for _ in 0..STEPS {
        let step = net.next().filter(|&next| until.is_none_or(|until| next < until));
        match step.map(|next| net.advance(Some(next))) {
            Some(Ok(0)) => {}
            Some(Ok(events)) => return Ok(Some(events)),
            // a deadlock is reported when the time is up, because timers come first
            Some(Err(_)) | None => return net.advance(until).map(Some),
        }
    }
    Ok(None)
}

/// Returns true if messages wait at their nodes until they are taken.
fn holds_messages(net: &Core) -> bool {
    !matches!(net.peek(0, 0), Err(Refused::Mode))
}

/// Converts `given`. Returns `None` if it is an integer outside the range of `T`.
fn integer<'a, 'py, T: FromPyObject<'a, 'py, Error = PyErr>>(given: &'a Bound<'py, PyAny>) -> PyResult<Option<T>> {
    match given.extract() {
        Ok(value) => Ok(Some(value)),
        Err(error) if error.is_instance_of::<PyOverflowError>(given.py()) => Ok(None),
        Err(error) => Err(error),
    }
}

/// Converts the length of a message, which is less than 2^63 so that it fits into an array.
fn length(given: &Bound<'_, PyAny>) -> PyResult<u64> {
    let bytes: Option<i64> = integer(given)?;
    let bytes = bytes.and_then(|bytes| u64::try_from(bytes).ok());
    bytes.ok_or_else(|| PyValueError::new_err(no_length(given)))
}

fn user_value(given: &Bound<'_, PyAny>) -> PyResult<u64> {
    let message = || format!("`user` cannot be {given}; accepted: integers from 0 to 2^64 - 1");
    integer(given)?.ok_or_else(|| PyValueError::new_err(message()))
}

fn no_node(node: impl std::fmt::Display, nodes: u32) -> String {
    format!("node {node} does not exist; nodes are numbered from 0 to {}", nodes - 1)
}

fn no_class(class: impl std::fmt::Display, net: &Core) -> String {
    format!("class {class} does not exist; classes are numbered from 0 to {}", net.classes().len() - 1)
}

fn no_length(bytes: impl std::fmt::Display) -> String {
    format!("`bytes` cannot be {bytes}; accepted: integers from 0 to 2^63 - 1")
}

fn no_tick(at: impl std::fmt::Display, net: &Core) -> String {
    format!("tick {at} is not accepted: the time is {}, and ticks from then on below 2^60 are accepted", net.now())
}

/// Returns the exception of a call on a network that is closed.
fn closed() -> PyErr {
    PyValueError::new_err("the network is closed")
}

fn refused(error: &Refused) -> PyErr {
    PyValueError::new_err(error.to_string())
}

/// Returns the exception of an advance without events.
fn stopped(py: Python<'_>, stop: Stop) -> PyErr {
    let Stop::Deadlock(deadlock) = stop else { return PyValueError::new_err(stop.to_string()) };
    let text = deadlock.to_string();
    let (message, waits) = text.split_once('\n').unwrap_or((&text, ""));
    let note: Vec<&str> = waits.lines().map(str::trim).collect();
    let found = Diagnostic::unplaced(message);
    let found = if note.is_empty() { found } else { found.note(note.join("\n")) };
    // the names of channels are only in the text
    Failure::Deadlock(Rejected::new(vec![found], Vec::new()), Vec::new()).raise(py)
}
