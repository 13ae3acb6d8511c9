//! The compiled part of the Python module `flitwise`: scenarios, runs, networks, messages, measurements.
//!
//! The public interface is written in Python (`python/flitwise`). This crate converts results of the library into numbers,
//! texts and arrays, and errors into exceptions. Ctrl-C stops its work. Independent of the display of results.
#![forbid(unsafe_code)]

mod columns;
mod errors;
mod event;
mod measurements;
mod network;
mod patience;
mod pictures;
mod room;
mod run;
mod scenario;
mod simulate;
mod words;

use pyo3::prelude::*;

/// Rows of short runs allocate often, and little at a time.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// The compiled part of `flitwise`.
#[pymodule]
mod _native {
    #[pymodule_export]
    use crate::event::Event;
    #[pymodule_export]
    use crate::measurements::{fit, forecast};
    #[pymodule_export]
    use crate::network::Network;
    #[pymodule_export]
    use crate::pictures::picture;
    #[pymodule_export]
    use crate::run::Run;
    #[pymodule_export]
    use crate::scenario::Scenario;
    #[pymodule_export]
    use crate::simulate::simulate;
    #[pymodule_export]
    use crate::words::{algorithms, guide, guides, keys};

    /// The version of flitwise.
    #[pymodule_export]
    const VERSION: &str = env!("CARGO_PKG_VERSION");

    /// The default scenario.
    #[pymodule_export]
    const DEFAULT: &str = flitwise::scenario::DEFAULT;
}
