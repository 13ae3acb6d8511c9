//! Remarks about buffers: the warnings of those that are too short, and the line about default sizes.

use crate::kind::words::counted;
use crate::machine::Machine;
use crate::machine::buffers::{DefaultBuffers, NODE_CLASS, ShortBuffers};
use crate::scenario::{Point, Scenario};
use std::sync::Arc;

/// The buffers of a class that are too short, at the point where they cover the smallest part of their need.
struct ShortClass {
    worst: ShortBuffers,
    /// The number of points with such buffers.
    points: usize,
}

/// Warnings, one for each class with a buffer that is too short at any point of `scenario`. Each names the buffer that covers the
/// smallest part of its need.
pub fn short_buffers(scenario: &Scenario) -> Vec<String> {
    let mut classes: Vec<ShortClass> = Vec::new();
    for (machine, points) in machines(scenario) {
        for short in machine.short_buffers() {
            match classes.iter_mut().find(|known| known.worst.class == short.class) {
                Some(known) => {
                    known.points += points;
                    if short.is_shorter(&known.worst) {
                        known.worst = short;
                    }
                }
                None => classes.push(ShortClass { worst: short, points }),
            }
        }
    }
    classes.iter().map(|class| class.warning(scenario.points.len())).collect()
}

/// The machines of `scenario`, each with the number of successive points that share it.
fn machines(scenario: &Scenario) -> impl Iterator<Item = (&Machine, usize)> {
    let share_machine = |a: &Point, b: &Point| Arc::ptr_eq(&a.experiment.machine, &b.experiment.machine);
    scenario.points.chunk_by(share_machine).map(|points| (&*points[0].experiment.machine, points.len()))
}

impl ShortClass {
    /// The warning in a scenario of `all` points.
    fn warning(&self, all: usize) -> String {
        let ShortBuffers { class, channel, needed, flits, more } = &self.worst;
        let others = match *more {
            0 => String::new(),
            more => {
                let kind = if class == NODE_CLASS { "injection channel" } else { "link" };
                let verb = if more == 1 { "has" } else { "have" };
                format!("; {} {verb} too few", counted(more as u64, &format!("more {kind}")))
            }
        };
        let points = if self.points < all { format!(", at {} of {all} points", self.points) } else { String::new() };
        let unit = if *needed == 1 { "flit" } else { "flits" };
        format!("{channel} needs {needed} {unit} of buffer for full rate, has {flits}{others}{points}")
    }
}

/// The line below a table about the buffers whose size the scenario does not set.
pub(super) fn default_buffers(scenario: &Scenario) -> Option<String> {
    let buffers = machines(scenario).filter_map(|(machine, _)| machine.default_buffers());
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
