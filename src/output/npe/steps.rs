//! What happened in each step of a timeline: which transfers were on their way, and how busy each link was.
//!
//! It knows cycles and flits, and refuses to know how a step is written.

use crate::cancel::Pace;
use crate::kind::timeline::{Direction, LinkUse, Tile, Timeline, Transfer};
use std::cmp::Reverse;

/// How busy links were, in per cent.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Busy {
    /// On average; of several steps, until they are divided by their number, all added up.
    pub(super) demand: f64,
    /// The same, where no link counts for more than 100 per cent.
    pub(super) util: f64,
    /// The busiest.
    pub(super) most: f64,
    /// Of how many steps.
    steps: f64,
}

impl Busy {
    /// Of both networks, which have as many links each.
    pub(super) fn both([one, other]: [Self; 2]) -> Self {
        let demand = one.demand.midpoint(other.demand);
        Self { demand, util: one.util.midpoint(other.util), most: one.most.max(other.most), steps: one.steps }
    }

    pub(super) fn add(&mut self, step: Self) {
        self.demand += step.demand;
        self.util += step.util;
        self.most = self.most.max(step.most);
        self.steps += step.steps;
    }

    /// Of a step on average.
    pub(super) fn mean(self) -> Self {
        let steps = self.steps.max(1.0);
        Self { demand: self.demand / steps, util: self.util / steps, ..self }
    }
}

/// How busy a link was in a step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Load {
    pub(super) tile: Tile,
    pub(super) direction: Direction,
    /// 100 times the flits that crossed it, by the cycles of the step.
    pub(super) percent: f64,
}

/// What happened in some cycles.
#[derive(Debug)]
pub(super) struct Step {
    pub(super) start: u64,
    pub(super) end: u64,
    /// The transfers that were on their way, by number.
    pub(super) active: Vec<usize>,
    /// The links that flits crossed, row by row.
    pub(super) links: Vec<Load>,
}

impl Step {
    /// How busy the links of each network were.
    pub(super) fn networks(&self, timeline: &Timeline) -> [Busy; 2] {
        let [columns, rows] = timeline.shape.map(f64::from);
        [0, 1].map(|network| {
            let mut busy = Busy { steps: 1.0, ..Busy::default() };
            for load in self.links.iter().filter(|load| load.direction.network() == network) {
                busy.demand += load.percent;
                busy.util += load.percent.min(100.0);
                busy.most = busy.most.max(load.percent);
            }
            // two links of each network begin at a tile
            let links = (2.0 * columns * rows).max(1.0);
            Busy { demand: busy.demand / links, util: busy.util / links, ..busy }
        })
    }
}

/// The steps of a timeline, in order, without gaps from cycle 0 until all has ended.
pub(super) struct Steps<'a> {
    timeline: &'a Timeline,
    /// The first cycle of the next.
    next: u64,
    /// When all has ended.
    end: u64,
    /// The uses that begin later, the next one last.
    uses: Vec<&'a LinkUse>,
    /// Those that have begun and may not have ended.
    crossing: Vec<&'a LinkUse>,
    /// The same of transfers.
    transfers: Vec<(usize, &'a Transfer)>,
    moving: Vec<(usize, &'a Transfer)>,
    /// The flits of each link in the step, and which links have any.
    flits: Vec<f64>,
    busy: Vec<usize>,
    pace: Pace,
}

impl<'a> Steps<'a> {
    pub(super) fn new(timeline: &'a Timeline) -> Self {
        assert!(timeline.cycles_per_step > 0, "a step has cycles");
        let [columns, rows] = timeline.shape.map(usize::from);
        let mut transfers: Vec<_> = timeline.transfers.iter().enumerate().collect();
        let mut uses: Vec<&LinkUse> = timeline.transfers.iter().flat_map(Transfer::uses).collect();
        let end = transfers.iter().map(|(_, transfer)| after(transfer.start, transfer.end));
        let end = end.chain(uses.iter().map(|crossed| after(crossed.from, crossed.until))).max();
        transfers.sort_by_key(|(_, transfer)| Reverse(transfer.start));
        uses.sort_by_key(|crossed| Reverse(crossed.from));
        Self {
            timeline,
            next: 0,
            end: end.unwrap_or(0), // nothing moved
            uses,
            crossing: Vec::new(),
            transfers,
            moving: Vec::new(),
            flits: vec![0.0; columns * rows * Direction::ALL.len()],
            busy: Vec::new(),
            pace: Pace::default(),
        }
    }

    /// The number of a link: row by row, column by column, direction by direction.
    fn number(&self, LinkUse { x, y, direction, .. }: &LinkUse) -> usize {
        let [columns, rows] = self.timeline.shape;
        assert!(*x < columns && *y < rows, "a link at ({x}, {y}) on a chip of {columns} columns and {rows} rows");
        let tile = usize::from(*y) * usize::from(columns) + usize::from(*x);
        tile * Direction::ALL.len() + *direction as usize
    }

    /// How busy the link called so was, and sets it back to nothing.
    #[expect(clippy::cast_possible_truncation, reason = "columns and rows are below 2^16")]
    #[expect(clippy::cast_precision_loss, reason = "a step has few cycles")]
    fn take(&mut self, link: usize) -> Load {
        let columns = usize::from(self.timeline.shape[0]);
        let tile = link / Direction::ALL.len();
        let flits = std::mem::take(&mut self.flits[link]);
        Load {
            tile: Tile { x: (tile % columns) as u16, y: (tile / columns) as u16 },
            direction: Direction::ALL[link % Direction::ALL.len()],
            percent: 100.0 * flits / self.timeline.cycles_per_step as f64,
        }
    }

    /// Counts the flits that cross links before `end` and from `start` on.
    fn count(&mut self, start: u64, end: u64) {
        while let Some(crossed) = self.uses.pop_if(|crossed| crossed.from < end) {
            self.crossing.push(crossed);
        }
        let crossing = std::mem::take(&mut self.crossing);
        for crossed in &crossing {
            self.pace.step();
            let link = self.number(crossed);
            let flits = flits_within(crossed, start, end);
            if flits > 0.0 && self.flits[link] == 0.0 {
                self.busy.push(link);
            }
            self.flits[link] += flits;
        }
        self.crossing = crossing;
        self.crossing.retain(|crossed| after(crossed.from, crossed.until) > end);
    }

    /// The transfers that are on their way before `end`, ascending.
    fn active(&mut self, end: u64) -> Vec<usize> {
        while let Some(begun) = self.transfers.pop_if(|(_, transfer)| transfer.start < end) {
            self.moving.push(begun);
        }
        let mut active: Vec<usize> = self.moving.iter().map(|(id, _)| *id).collect();
        active.sort_unstable();
        self.moving.retain(|(_, transfer)| after(transfer.start, transfer.end) > end);
        active
    }
}

impl Iterator for Steps<'_> {
    type Item = Step;

    fn next(&mut self) -> Option<Step> {
        if self.next >= self.end {
            return None;
        }
        let start = self.next;
        let end = start.saturating_add(self.timeline.cycles_per_step);
        self.next = end;
        self.count(start, end);
        let mut busy = std::mem::take(&mut self.busy);
        busy.sort_unstable();
        let links = busy.iter().map(|&link| self.take(link)).collect();
        Some(Step { start, end, active: self.active(end), links })
    }
}

/// The cycle after the last of what begins at `start` and ends at `end`: it takes a cycle at least.
fn after(start: u64, end: u64) -> u64 {
    end.max(start + 1)
}

/// How many flits of `crossed`, evenly spread, lie before `end` and from `start` on.
#[expect(clippy::cast_precision_loss, reason = "flits and cycles of a run are below 2^53")]
fn flits_within(crossed: &LinkUse, start: u64, end: u64) -> f64 {
    let until = after(crossed.from, crossed.until);
    let cycles = until.min(end) - crossed.from.max(start);
    crossed.flits as f64 * cycles as f64 / (until - crossed.from) as f64
}
