//! Programs on routers cycle by cycle.

use super::blocks;
use super::nodes::{Nodes, Setup, fits};
use crate::engine::stepping::AnyObserver;
use crate::engine::{Observer, Program, Requests, Running, Signal, Stop};

/// A run as [`super::run_program`] does it, before its first cycle, in the caller's hands.
///
/// # Errors
/// If a message has 2^32 flits or more.
///
/// # Panics
/// If a fixed path leads over channels that do not leave by a port.
pub fn start_program<'a, P: Program + 'a>(
    setup: &'a Setup<'a>,
    mut program: P,
    observer: AnyObserver<'a>,
) -> Result<Running<'a>, Stop> {
    fits(&program)?;
    if observer.interest().causes {
        program.signal(Signal::KeepCauses, &mut Requests::default());
    }
    let program: Box<dyn Program + 'a> = Box::new(program);
    let nodes = Nodes::new(setup, program, observer);
    Ok(blocks::start_program(setup, nodes))
}
