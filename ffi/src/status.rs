//! Statuses of the header.

use crate::net::Unusable;
use engine::embed::Refused;
use std::ffi::CStr;

/// An error that a function returns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(i64)]
pub(crate) enum Status {
    Full = -1,
    Null = -2,
    Node = -3,
    Class = -4,
    Bytes = -5,
    Time = -6,
    Limit = -7,
    Mode = -8,
    Deadlock = -9,
    Internal = -10,
}

impl Status {
    /// The value in the header.
    pub(crate) const fn value(self) -> i64 {
        self as i64
    }

    /// The statuses of calls that cannot be made.
    pub(crate) const fn unusable() -> Unusable<i64> {
        [Self::Null.value(), Self::Internal.value()]
    }
}

/// The status of an error of a network.
pub(crate) fn status_of(error: &Refused) -> Status {
    match error {
        Refused::Full { .. } => Status::Full,
        Refused::Node { .. } => Status::Node,
        Refused::Class { .. } | Refused::ClassName { .. } => Status::Class,
        Refused::Bytes { .. } => Status::Bytes,
        Refused::Time { .. } => Status::Time,
        Refused::Limit => Status::Limit,
        Refused::Mode => Status::Mode,
        _ => Status::Internal,
    }
}

/// A line about a status.
pub(crate) fn text_of(status: i64) -> &'static CStr {
    match status {
        0.. => c"no error",
        -1 => c"the injection queue has no room now",
        -2 => c"a pointer is NULL that must not be",
        -3 => c"there is no such node",
        -4 => c"there is no such class",
        -5 => c"the message can never be sent: it is longer than its queue, its ejection buffer, or 2^32 - 1 flits",
        -6 => c"the tick is before fw_now, or 2^60 or later",
        -7 => c"2^32 - 1 messages or timers have been made",
        -8 => c"messages are not held at their nodes: fw_poll returns them",
        -9 => c"messages wait for each other, and nothing moves any more",
        -10 => c"a defect of flitwise: the network can only be closed",
        _ => c"an unknown status",
    }
}
