//! Notes below the title: the cut of an axis, and the meaning of arrows.

use super::view::TIMES_ZERO_LOAD;
use super::{Bound, Chart, Cut, Point};
use crate::draw::text::{number, significant};
use crate::kind::words::counted;

/// The meaning of an arrow.
const ARROWS: &str = "arrows: lower bounds (packets still in flight at the end)";

impl Chart {
    /// The notes of the chart, with those on what its view hides and on arrows.
    pub(super) fn all_notes(&self) -> Vec<String> {
        let mut notes = self.notes.clone();
        notes.extend(self.hidden());
        if self.shown().any(|point| point.bound == Bound::Lower) {
            notes.push(ARROWS.to_owned());
        }
        notes
    }

    /// A note on points that the view hides.
    fn hidden(&self) -> Option<String> {
        let is_hidden = |point: &&Point| point.y.is_some_and(|y| !self.view.contains(point.x, y));
        let hidden: Vec<&Point> = self.points().filter(is_hidden).collect();
        if hidden.is_empty() {
            return None;
        }
        let bounds = hidden.iter().filter(|point| point.bound == Bound::Lower).count();
        let bounds = match bounds {
            0 => String::new(),
            1 if hidden.len() == 1 => ", a lower bound".to_owned(),
            1 => ", 1 of them a lower bound".to_owned(),
            many if hidden.len() == many => ", all lower bounds".to_owned(),
            many => format!(", {many} of them lower bounds"),
        };
        let points = counted(hidden.len() as u64, "point");
        Some(match (self.view.cut, self.view.y.most) {
            (Some(Cut::ZeroLoad), Some(limit)) => {
                let [_, y] = &self.labels;
                let times = number(TIMES_ZERO_LOAD, 1);
                let limit = format!("{} {}", significant(limit), y.unit);
                format!(
                    "cut at {}, about {times} times the zero-load latency: {points} above{bounds}",
                    limit.trim_end()
                )
            }
            _ => format!("{points} outside the limits of the axes{bounds}"),
        })
    }
}
