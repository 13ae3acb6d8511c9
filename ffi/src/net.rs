//! A network as callers of C hold it.

use crate::{Status, status_of};
use engine::embed::{Event, EventKind, Network, Refused, Stop};
use std::cell::{Cell, RefCell};
use std::panic::{AssertUnwindSafe, catch_unwind};

/// A network, with the error of the last call that failed.
pub struct Net {
    pub(crate) network: Network,
    error: RefCell<String>,
    /// True after a panic: the network may be in any state.
    is_poisoned: Cell<bool>,
}

impl Net {
    /// An open network.
    pub(crate) fn new(network: Network) -> Self {
        Self { network, error: RefCell::default(), is_poisoned: Cell::new(false) }
    }

    /// The error of the last call that failed.
    pub(crate) fn error(&self) -> String {
        self.error.borrow().clone()
    }

    /// Keeps the error `text`, and returns the value of `status`.
    #[cold]
    pub(crate) fn fail(&self, status: Status, text: &str) -> i64 {
        text.clone_into(&mut self.error.borrow_mut());
        status.value()
    }

    /// Keeps an error of the network, and returns its status.
    #[cold]
    pub(crate) fn refuse(&self, error: &Refused) -> i64 {
        self.fail(status_of(error), &error.to_string())
    }

    /// Keeps the end of an advance, and returns its status.
    #[cold]
    pub(crate) fn stopped(&self, stop: &Stop) -> i64 {
        let status = if let Stop::Deadlock(_) = stop { Status::Deadlock } else { Status::Time };
        self.fail(status, &stop.to_string())
    }
}

/// Values for calls that cannot be made: with a pointer that is NULL, and on a network after a panic.
pub(crate) type Unusable<R> = [R; 2];

/// Calls `call` with the network behind `net`.
///
/// # Safety
/// `net` is NULL or an open network that no other call uses.
#[inline]
pub(crate) unsafe fn read<R: Copy>(net: *const Net, [null, poisoned]: Unusable<R>, call: impl FnOnce(&Net) -> R) -> R {
    // SAFETY: it is NULL or an open network
    let Some(net) = (unsafe { net.as_ref() }) else { return null };
    if net.is_poisoned.get() {
        return poisoned;
    }
    match catch_unwind(AssertUnwindSafe(|| call(net))) {
        Ok(result) => result,
        Err(_) => poison(net, poisoned),
    }
}

/// Calls `call` with the network behind `net`, to be changed.
///
/// # Safety
/// `net` is NULL or an open network that no other call uses.
#[inline]
pub(crate) unsafe fn change<R: Copy>(
    net: *mut Net,
    [null, poisoned]: Unusable<R>,
    call: impl FnOnce(&mut Net) -> R,
) -> R {
    // SAFETY: it is NULL or an open network that nothing else uses
    let Some(net) = (unsafe { net.as_mut() }) else { return null };
    if net.is_poisoned.get() {
        return poisoned;
    }
    match catch_unwind(AssertUnwindSafe(|| call(net))) {
        Ok(result) => result,
        Err(_) => poison(net, poisoned),
    }
}

/// Notes that a call has panicked, and returns `value`.
#[cold]
fn poison<R>(net: &Net, value: R) -> R {
    net.is_poisoned.set(true);
    if let Ok(mut error) = net.error.try_borrow_mut() {
        "a defect of flitwise: the network can only be closed; please report what led to it".clone_into(&mut error);
    }
    value
}

/// `fw_event` of the header.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct FwEvent {
    id: u64,
    user: u64,
    requested: u64,
    injected: u64,
    delivered: u64,
    blocked: u64,
    queued: u64,
    bytes: u64,
    kind: u32,
    src: u32,
    dst: u32,
    hops: u32,
    cls: u32,
    reserved: u32,
}

const _: () = assert!(size_of::<FwEvent>() == 88);

impl From<Event> for FwEvent {
    fn from(event: Event) -> Self {
        let Event { id, user, requested, injected, delivered, blocked, queued, bytes, src, dst, hops, class, kind } =
            event;
        let kind = match kind {
            EventKind::Message => 0,
            EventKind::Timer => 1,
        };
        Self {
            id,
            user,
            requested,
            injected,
            delivered,
            blocked,
            queued,
            bytes,
            kind,
            src,
            dst,
            hops,
            cls: class,
            reserved: 0,
        }
    }
}
