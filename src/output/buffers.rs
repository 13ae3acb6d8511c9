//! Remarks about buffers: the warning of those that are too short, and the line about default sizes.

use crate::kind::words::counted;
use crate::machine::buffers::{DefaultBuffers, ShortBuffers};
use crate::scenario::Scenario;

/// A warning of the buffer that covers least of its round trip, at any point of `scenario`, if there is one that is too short.
pub fn short_buffers(scenario: &Scenario) -> Option<String> {
    let short = scenario.points.iter().filter_map(|point| point.experiment.machine.short_buffers());
    let short: Vec<ShortBuffers> = short.collect();
    let points = short.len();
    let shortest = short.into_iter().reduce(|shortest, next| if next.is_shorter(&shortest) { next } else { shortest });
    let ShortBuffers { channel, needed, flits, more } = shortest?;
    let others = match more {
        0 => String::new(),
        more => {
            let kind = if channel.starts_with("link ") { "more link" } else { "more injection channel" };
            let buffers = if more == 1 { "buffer of" } else { "buffers of" };
            let verb = if more == 1 { "is" } else { "are" };
            format!("; the {buffers} {} {verb} also too small", counted(more as u64, kind))
        }
    };
    let often = match scenario.points.len() {
        all if points < all => format!(", at {points} of {all} points"),
        _ => String::new(),
    };
    Some(format!("{channel} requires a buffer of {needed} flits for full bandwidth, but has {flits}{others}{often}"))
}

/// The line below a table about the buffers whose size the scenario does not set.
pub(super) fn default_buffers(scenario: &Scenario) -> Option<String> {
    let buffers = scenario.points.iter().filter_map(|point| point.experiment.machine.default_buffers());
    let DefaultBuffers { least, largest, channels } = buffers.reduce(|a, b| DefaultBuffers {
        least: a.least.min(b.least),
        largest: a.largest.max(b.largest),
        channels: a.channels.max(b.channels),
    })?;
    let flits = if least == largest { counted(least, "flit") } else { format!("{least} to {largest} flits") };
    let buffers = match channels {
        1 => "The buffer behind 1 link with a delay holds".to_owned(),
        _ => format!("The buffers behind {} with a delay hold", counted(channels as u64, "link")),
    };
    Some(format!("{buffers} {flits}, enough for full bandwidth. `channel.buffer` sets another size."))
}
