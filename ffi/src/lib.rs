//! The C interface of flitwise: a network inside another simulator.
//!
//! `include/flitwise.h` declares the functions, and `flitwise guide embed` has the rules. Each function is a call of a method of
//! [`engine::embed::Network`]. A call that fails leaves the network as it was and keeps its error for `fw_error`. Panics do not leave
//! this library: after one the network can only be closed.
//!
//! This is the only package of flitwise with `unsafe` code, because pointers of C cannot be checked: the caller guarantees that a
//! network has been opened and not been closed, and that buffers have the size that is passed.

mod net;
mod status;
mod text;

use engine::embed::Network;
use net::{FwEvent, Net, change, read};
use status::{Status, status_of, text_of};
use std::ffi::{CStr, c_char, c_int};
use std::path::Path;
use text::{opened, write_text};

/// The version of the interface. It grows when anything that exists changes.
const ABI_VERSION: u32 = 1;

/// No tick.
const NEVER: u64 = u64::MAX;

/// Returns the version of the interface.
#[unsafe(no_mangle)]
pub extern "C" fn fw_abi_version() -> u32 {
    ABI_VERSION
}

/// Returns the version of the library.
#[unsafe(no_mangle)]
pub extern "C" fn fw_version() -> *const c_char {
    const VERSION: &str = concat!(env!("CARGO_PKG_VERSION"), "\0");
    VERSION.as_ptr().cast()
}

/// Returns a line about a status.
#[unsafe(no_mangle)]
pub extern "C" fn fw_strerror(status: i64) -> *const c_char {
    text_of(status).as_ptr()
}

/// Opens the network of the scenario `toml`.
///
/// # Safety
/// `toml` is NULL or has `len` bytes, and `error` is NULL or has room for `cap`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fw_open(toml: *const c_char, len: usize, error: *mut c_char, cap: usize) -> *mut Net {
    let open = || {
        if toml.is_null() {
            return Err("fw_open: `toml` is NULL".to_owned());
        }
        // SAFETY: it is not NULL, and the caller passes its length
        let bytes = unsafe { std::slice::from_raw_parts(toml.cast::<u8>(), len) };
        let text = std::str::from_utf8(bytes).map_err(|wrong| {
            format!("the scenario is not UTF-8 text: byte {} begins no character", wrong.valid_up_to())
        })?;
        Network::open(text).map_err(|wrong| wrong.to_string())
    };
    // SAFETY: the caller passes the room of `error`
    unsafe { opened(open, error, cap) }
}

/// Opens the network of the scenario in the file `path`.
///
/// # Safety
/// `path` is NULL or ends with a NUL, and `error` is NULL or has room for `cap` bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fw_open_file(path: *const c_char, error: *mut c_char, cap: usize) -> *mut Net {
    let open = || {
        // SAFETY: the caller passes text that ends with a NUL
        let path = unsafe { path_argument(path, "fw_open_file") }?;
        Network::open_file(path).map_err(|error| error.to_string())
    };
    // SAFETY: the caller passes the room of `error`
    unsafe { opened(open, error, cap) }
}

/// Opens the network of the configuration of BookSim 2 in the file `path`.
///
/// # Safety
/// `path` is NULL or ends with a NUL, and `error` is NULL or has room for `cap` bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fw_open_booksim(path: *const c_char, error: *mut c_char, cap: usize) -> *mut Net {
    let open = || {
        // SAFETY: the caller passes text that ends with a NUL
        let path = unsafe { path_argument(path, "fw_open_booksim") }?;
        Network::open_booksim(path).map_err(|error| error.to_string())
    };
    // SAFETY: the caller passes the room of `error`
    unsafe { opened(open, error, cap) }
}

/// The path that a caller of `function` passes.
///
/// # Safety
/// `path` is NULL or ends with a NUL.
unsafe fn path_argument<'a>(path: *const c_char, function: &str) -> Result<&'a Path, String> {
    if path.is_null() {
        return Err(format!("{function}: `path` is NULL"));
    }
    // SAFETY: it is not NULL, and it ends with a NUL
    let path = unsafe { CStr::from_ptr(path) };
    #[cfg(unix)]
    let path = <std::ffi::OsStr as std::os::unix::ffi::OsStrExt>::from_bytes(path.to_bytes());
    #[cfg(not(unix))]
    let path = path.to_str().map_err(|_| format!("{function}: `path` is not UTF-8 text"))?;
    Ok(Path::new(path))
}

/// Closes a network.
///
/// # Safety
/// `net` is NULL, or was opened and has not been closed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fw_close(net: *mut Net) {
    if !net.is_null() {
        // SAFETY: it was made by `Box::into_raw` when it was opened
        let net = unsafe { Box::from_raw(net) };
        // a defect of flitwise must not unwind into the caller
        drop(std::panic::catch_unwind(std::panic::AssertUnwindSafe(move || drop(net))));
    }
}

/// Returns the number of nodes.
///
/// # Safety
/// `net` is NULL or an open network.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fw_nodes(net: *const Net) -> u32 {
    // SAFETY: the caller guarantees it
    unsafe { read(net, [0; 2], |net| net.network.nodes()) }
}

/// Returns the number of classes.
///
/// # Safety
/// `net` is NULL or an open network.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fw_classes(net: *const Net) -> u32 {
    // SAFETY: the caller guarantees it
    unsafe { read(net, [0; 2], |net| u32::try_from(net.network.classes().len()).unwrap_or(u32::MAX)) }
}

/// Returns the number of the class called `name`.
///
/// # Safety
/// `net` is NULL or an open network, and `name` is NULL or ends with a NUL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fw_class(net: *const Net, name: *const c_char) -> i64 {
    let call = |net: &Net| {
        if name.is_null() {
            return net.fail(Status::Null, "fw_class: `name` is NULL");
        }
        // SAFETY: it is not NULL, and it ends with a NUL
        let name = unsafe { CStr::from_ptr(name) }.to_string_lossy();
        net.network.class(&name).map_or_else(|error| net.refuse(&error), i64::from)
    };
    // SAFETY: the caller guarantees it
    unsafe { read(net, Status::unusable(), call) }
}

/// Returns the bytes of a flit.
///
/// # Safety
/// `net` is NULL or an open network.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fw_flit_bytes(net: *const Net) -> u32 {
    // SAFETY: the caller guarantees it
    unsafe { read(net, [0; 2], |net| u32::try_from(net.network.flit_bytes()).unwrap_or(u32::MAX)) }
}

/// Returns the ticks for a flit to cross a channel.
///
/// # Safety
/// `net` is NULL or an open network.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fw_cycle(net: *const Net) -> u64 {
    // SAFETY: the caller guarantees it
    unsafe { read(net, [0; 2], |net| net.network.cycle()) }
}

/// Returns the femtoseconds of a tick, or 0 if they are not known.
///
/// # Safety
/// `net` is NULL or an open network.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fw_tick_fs(net: *const Net) -> u64 {
    // SAFETY: the caller guarantees it
    unsafe { read(net, [0; 2], |net| net.network.tick_fs()) }
}

/// Returns 1 if `fw_send` would accept a message of `bytes` bytes now, 0 if there is no room, or an error.
///
/// # Safety
/// `net` is NULL or an open network.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fw_can_send(net: *const Net, src: u32, cls: u32, bytes: u64) -> c_int {
    let call = |net: &Net| net.network.can_send(src, cls, bytes).map_or_else(|error| net.refuse(&error), i64::from);
    // SAFETY: the caller guarantees it
    narrow(unsafe { read(net, Status::unusable(), call) })
}

/// Sends a message. Returns its number or a status.
///
/// # Safety
/// `net` is NULL or an open network.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fw_send(net: *mut Net, src: u32, dst: u32, cls: u32, bytes: u64, at: u64, user: u64) -> i64 {
    let call = |net: &mut Net| {
        let sent = net.network.send(src, dst, cls, bytes, at, user);
        sent.map_or_else(|error| net.refuse(&error), u64::cast_signed)
    };
    // SAFETY: the caller guarantees it
    unsafe { change(net, Status::unusable(), call) }
}

/// Sets a timer. Returns its number or a status.
///
/// # Safety
/// `net` is NULL or an open network.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fw_timer(net: *mut Net, at: u64, user: u64) -> i64 {
    let call = |net: &mut Net| net.network.timer(at, user).map_or_else(|error| net.refuse(&error), u64::cast_signed);
    // SAFETY: the caller guarantees it
    unsafe { change(net, Status::unusable(), call) }
}

/// Returns the tick at hand.
///
/// # Safety
/// `net` is NULL or an open network.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fw_now(net: *const Net) -> u64 {
    // SAFETY: the caller guarantees it
    unsafe { read(net, [0; 2], |net| net.network.now()) }
}

/// Returns a tick before which no event comes.
///
/// # Safety
/// `net` is NULL or an open network.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fw_next(net: *mut Net) -> u64 {
    // SAFETY: the caller guarantees it
    unsafe { read(net, [NEVER; 2], |net| net.network.next().unwrap_or(NEVER)) }
}

/// Advances up to the first events. Returns the number of unread events or a status.
///
/// # Safety
/// `net` is NULL or an open network.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fw_advance(net: *mut Net, until: u64) -> i64 {
    let call = |net: &mut Net| {
        let advanced = net.network.advance((until != NEVER).then_some(until));
        advanced.map_or_else(|stop| net.stopped(&stop), u64::cast_signed)
    };
    // SAFETY: the caller guarantees it
    unsafe { change(net, Status::unusable(), call) }
}

/// Moves up to `max` events to `out`. Returns their number or a status.
///
/// # Safety
/// `net` is NULL or an open network, and `out` is NULL or has room for `max` events.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fw_poll(net: *mut Net, out: *mut FwEvent, max: usize) -> i64 {
    let call = |net: &mut Net| {
        if out.is_null() && max > 0 {
            return net.fail(Status::Null, "fw_poll: `out` is NULL");
        }
        let most = usize::try_from(net.network.unread()).map_or(max, |unread| unread.min(max));
        let mut polled = 0;
        while polled < most {
            let Some(event) = net.network.poll() else { break };
            // SAFETY: `out` is not NULL and has room for `max` events
            unsafe { out.add(polled).write(event.into()) };
            polled += 1;
        }
        i64::try_from(polled).unwrap_or(i64::MAX)
    };
    // SAFETY: the caller guarantees it
    unsafe { change(net, Status::unusable(), call) }
}

/// Returns the number of messages that `fw_take` can take.
///
/// # Safety
/// `net` is NULL or an open network.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fw_held(net: *const Net) -> u64 {
    // SAFETY: the caller guarantees it
    unsafe { read(net, [0; 2], |net| net.network.held()) }
}

/// Writes the first message that waits at a node to `out`. Returns 1, 0 if none waits, or a status.
///
/// # Safety
/// `net` is NULL or an open network, and `out` is NULL or has room for an event.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fw_peek(net: *mut Net, node: u32, cls: u32, out: *mut FwEvent) -> c_int {
    let call = |net: &mut Net| {
        if out.is_null() {
            return net.fail(Status::Null, "fw_peek: `out` is NULL");
        }
        match net.network.peek(node, cls) {
            // SAFETY: `out` is not NULL and has room for an event
            Ok(Some(event)) => unsafe { out.write(event.into()) },
            Ok(None) => return 0,
            Err(error) => return net.refuse(&error),
        }
        1
    };
    // SAFETY: the caller guarantees it
    narrow(unsafe { change(net, Status::unusable(), call) })
}

/// Takes the first message that waits at a node, and writes it to `out` unless that is NULL. Returns 1, 0 if none waits, or a status.
///
/// # Safety
/// `net` is NULL or an open network, and `out` is NULL or has room for an event.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fw_take(net: *mut Net, node: u32, cls: u32, out: *mut FwEvent) -> c_int {
    let call = |net: &mut Net| match net.network.take(node, cls) {
        Ok(Some(event)) => {
            if !out.is_null() {
                // SAFETY: `out` is not NULL and has room for an event
                unsafe { out.write(event.into()) };
            }
            1
        }
        Ok(None) => 0,
        Err(error) => net.refuse(&error),
    };
    // SAFETY: the caller guarantees it
    narrow(unsafe { change(net, Status::unusable(), call) })
}

/// Returns the number of messages that have been sent and neither been polled nor taken.
///
/// # Safety
/// `net` is NULL or an open network.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fw_pending(net: *const Net) -> u64 {
    // SAFETY: the caller guarantees it
    unsafe { read(net, [0; 2], |net| net.network.pending()) }
}

/// Writes the statistics as JSON to `json`. Returns the length of all of it.
///
/// # Safety
/// `net` is NULL or an open network, and `json` is NULL or has room for `cap` bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fw_stats(net: *mut Net, json: *mut c_char, cap: usize) -> usize {
    // SAFETY: the caller guarantees it
    unsafe { read(net, [0; 2], |net| write_text(&net.network.stats().to_string(), json, cap)) }
}

/// Writes the error of the last call that failed to `text`. Returns the length of all of it.
///
/// # Safety
/// `net` is NULL or an open network, and `text` is NULL or has room for `cap` bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fw_error(net: *const Net, text: *mut c_char, cap: usize) -> usize {
    // SAFETY: it is NULL or an open network
    let Some(net) = (unsafe { net.as_ref() }) else { return 0 };
    // SAFETY: the caller passes the room of `text`
    unsafe { write_text(&net.error(), text, cap) }
}

/// A number that fits, as statuses and flags do.
fn narrow(value: i64) -> c_int {
    c_int::try_from(value).unwrap_or(c_int::MIN)
}
