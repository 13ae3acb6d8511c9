//! Texts for callers of C, and the opening of networks.

use crate::net::Net;
use engine::embed::Network;
use std::ffi::c_char;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// Writes `text` to `out` as `snprintf` does: at most `cap` - 1 bytes and a NUL. With a `cap` of 0 it writes nothing. Returns the length of `text`.
///
/// # Safety
/// `out` is NULL or has room for `cap` bytes.
pub(crate) unsafe fn write_text(text: &str, out: *mut c_char, cap: usize) -> usize {
    if let Some(last) = cap.checked_sub(1).filter(|_| !out.is_null()) {
        let length = text.len().min(last);
        // SAFETY: `out` has room for `length` bytes and a NUL, and is another piece of memory than `text`
        unsafe {
            std::ptr::copy_nonoverlapping(text.as_ptr().cast(), out, length);
            out.add(length).write(0);
        }
    }
    text.len()
}

/// Returns the network that `open` opens, or NULL with the error in `error`.
///
/// # Safety
/// `error` is NULL or has room for `cap` bytes.
pub(crate) unsafe fn opened(
    open: impl FnOnce() -> Result<Network, String>,
    error: *mut c_char,
    cap: usize,
) -> *mut Net {
    let opened = catch_unwind(AssertUnwindSafe(open));
    let message = match opened {
        Ok(Ok(network)) => return Box::into_raw(Box::new(Net::new(network))),
        Ok(Err(message)) => message,
        Err(_) => "a defect of flitwise: the scenario cannot be opened; please report it".to_owned(),
    };
    // SAFETY: the caller guarantees it
    unsafe { write_text(&message, error, cap) };
    std::ptr::null_mut()
}
