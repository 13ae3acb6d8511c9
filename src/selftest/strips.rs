//! Streams and programs on routers that several threads simulate, compared with one thread.

use super::laws::{ANY_THREADS, Broken};
use super::routers::Grants;
use crate::algorithm::traffic::{Collected, Injection, Lengths, Load, Pattern, Phases, Sources, Steady};
use crate::engine::router::{Setup, needs_one_thread, run_any, run_any_in_strips, run_program_in_strips};
use crate::engine::{Outcome, Program, Stop};
use crate::machine::{Machine, Routers};

/// The phases of a short stream.
const PHASES: Phases = Phases { warmup: 10, measure: 40, drain: 200 };

/// Checks that a run of `program`, of which one thread has found `expected` and these `grants`, is the same for several numbers of
/// threads.
///
/// # Errors
/// If it is not.
pub(super) fn judge_program<P: Program + Clone>(
    setup: &Setup<'_>,
    program: &P,
    expected: &Result<Outcome, Stop>,
    grants: &Grants,
) -> Result<(), Broken> {
    if needs_one_thread(&setup.costs).is_some() || matches!(expected, Err(Stop::Deadlock(_))) {
        return Ok(());
    }
    let check_outcome = |threads: usize, found: Result<Outcome, Stop>| {
        let found = found.map_err(|stop| stop.to_string());
        let expected = expected.as_ref().map_err(ToString::to_string);
        ANY_THREADS.equal(
            format_args!("the outcome by {threads} threads, and by one"),
            &found.as_ref(),
            &expected.as_ref().copied(),
        )
    };
    let mut in_strips = Grants::default();
    check_outcome(2, run_program_in_strips(setup, program.clone(), &mut in_strips, 2))?;
    in_strips.sort();
    in_strips.equal(
        grants,
        &ANY_THREADS,
        "grants (message, hop, channel, requested, granted) by two threads, and by one",
    )?;
    check_outcome(3, run_program_in_strips(setup, program.clone(), &mut (), 3))
}

/// Checks that a short stream of packets on `machine` is the same for several numbers of threads, unless it deadlocks.
///
/// # Errors
/// If it is not.
pub(super) fn judge(machine: &Machine) -> Result<(), Broken> {
    let Some(Routers { routes, costs, .. }) = &machine.routers else { return Ok(()) };
    if needs_one_thread(costs).is_some() {
        return Ok(());
    }
    let longest = costs.longest_packet(routes.virtual_channels()).unwrap_or(4).clamp(1, 4);
    let load = Load {
        pattern: Pattern::Uniform { include_self: true },
        injection: Injection::Bernoulli,
        lengths: Lengths::Fixed(longest),
        rate: 0.4,
    };
    let nodes = u32::try_from(routes.wiring().nodes()).unwrap_or(u32::MAX);
    let steady = Steady::new(Sources::new(load, nodes, 1, 0), PHASES);
    let mut undivided = steady.clone();
    let ended = run_any(routes.as_ref(), *costs, &mut undivided);
    if ended.deadlock.is_some() {
        return Ok(());
    }
    let expected = undivided.finish();
    for threads in [2, 3] {
        let Some((parts, strips_ended)) = run_any_in_strips(routes.as_ref(), *costs, &steady, threads) else {
            return Err(ANY_THREADS.broken(format!("packets are left that never arrive with {threads} threads")));
        };
        let mut collected = Collected::default();
        parts.into_iter().for_each(|part| collected.merge(&part.finish()));
        ANY_THREADS.equal(format_args!("a stream by {threads} threads, and by one"), &collected, &expected)?;
        ANY_THREADS.equal(
            format_args!("the end of a stream by {threads} threads, and by one"),
            &strips_ended,
            &ended,
        )?;
    }
    Ok(())
}
