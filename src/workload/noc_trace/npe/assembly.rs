//! Events put together to a trace: by processor, with times from time 0 on.
//!
//! Refuses to know JSON, and what an event's fields may be.

use super::fault::{Fault, Faults};
use super::fields::{Chip, Deed, Fields};
use super::record::Record;
use super::track::{Moment, Track};
use crate::workload::noc_trace::event::{Event, Processor, Tile, Trace};
use rustc_hash::FxHashMap;
use std::ops::RangeInclusive;

/// The events read so far.
pub(super) struct Assembly {
    /// The columns and the rows of the chip.
    shape: [u16; 2],
    /// How many elements of the array there were, of which some are no events of a processor.
    elements: usize,
    groups: Vec<Group>,
    /// The groups by who they are of.
    places: FxHashMap<(Tile, &'static str), usize>,
    /// The group of the latest event: most events are of the same as the one before.
    latest_group: usize,
    /// The earliest and the latest time, in the cycles that the chip counts.
    times: Option<RangeInclusive<u64>>,
    chip: Option<Chip>,
    faults: Faults,
    /// Whether events were wrong of which it is not known whose they are.
    is_lost: bool,
}

/// A processor, its events so far, at times that the chip counts, and where that leaves it.
struct Group {
    processor: Processor,
    track: Track,
}

impl Assembly {
    /// No events yet, of a chip of so many columns and rows.
    pub(super) fn new(shape: [u16; 2]) -> Self {
        Self {
            shape,
            elements: 0,
            groups: Vec::new(),
            places: FxHashMap::default(),
            latest_group: 0,
            times: None,
            chip: None,
            faults: Faults::default(),
            is_lost: false,
        }
    }

    /// How many elements of the array have been added.
    pub(super) fn elements(&self) -> usize {
        self.elements
    }

    /// Adds the next element of the array: an object's fields, or in words what it is instead.
    pub(super) fn add(&mut self, element: Result<&Record<'_>, &&'static str>) {
        self.elements += 1;
        match element {
            Ok(record) => self.add_event(self.elements, record),
            Err(other) => {
                self.is_lost = true;
                self.faults.add(Fault::of_event(self.elements, format!("this is {other}, but must be an object")));
            }
        }
    }

    fn add_event(&mut self, event: usize, record: &Record<'_>) {
        let before = self.faults.count();
        let mut fields = Fields { event, record, shape: self.shape, faults: &mut self.faults };
        if fields.is_noise() {
            return;
        }
        let name = fields.processor();
        let core = fields.core();
        let deed = fields.deed(&mut self.chip);
        let is_wrong = self.faults.count() > before;
        let Some((name, core)) = name.zip(core) else {
            self.is_lost = true;
            return;
        };
        let group = self.group(core, name);
        match deed.filter(|_| !is_wrong) {
            Some(deed) => self.follow(group, event, deed),
            None => self.groups[group].track.is_broken = true,
        }
    }

    /// The index of the group of this processor.
    fn group(&mut self, core: Tile, name: &'static str) -> usize {
        let latest = self.groups.get(self.latest_group).map(|group| &group.processor);
        if !latest.is_some_and(|latest| latest.core == core && latest.name == name) {
            let next = self.groups.len();
            self.latest_group = *self.places.entry((core, name)).or_insert(next);
            if self.latest_group == next {
                let processor = Processor { core, name, events: Vec::new() };
                self.groups.push(Group { processor, track: Track::default() });
            }
        }
        self.latest_group
    }

    /// Event number `event`, whose fields are sound.
    fn follow(&mut self, index: usize, event: usize, deed: Deed<'_>) {
        let Group { processor, track } = &mut self.groups[index];
        track.is_broken |= self.is_lost;
        let at = Moment { event, time: deed.time };
        let what = match deed.asked {
            Some(asked) => track.ask(at, asked, &mut self.faults),
            None => track.begin(at, &mut self.faults),
        };
        // a beginning that is told again belongs to no place among the events, but its time counts
        if what.is_some() || deed.asked.is_none() {
            let times = self.times.take().unwrap_or(deed.time..=deed.time);
            self.times = Some(deed.time.min(*times.start())..=deed.time.max(*times.end()));
        }
        if let Some(what) = what {
            let network = deed.asked.map_or(0, |asked| asked.network);
            let core = processor.core;
            processor.events.push(Event { core, processor: index, network, time: deed.time, what });
        }
    }

    /// The trace, and what is wrong with it. That it ends too early is told if it `is_whole`.
    pub(super) fn finish(mut self, is_whole: bool) -> (Option<Trace>, Faults) {
        if is_whole && !self.is_lost {
            self.groups.iter().for_each(|group| group.track.finish(&mut self.faults));
        }
        let Some(times) = self.times else { return (None, self.faults) };
        let start = *times.start();
        let from_start = |mut processor: Processor| {
            processor.events.iter_mut().for_each(|event| event.time -= start);
            processor
        };
        let processors = self.groups.into_iter().map(|group| from_start(group.processor)).collect();
        (Some(Trace { processors, start, length: times.end() - start }), self.faults)
    }
}
