//! Columns that count the packets of nodes, and the copies and combinations of routers.

use super::column::Column;
use super::row::Row;
use crate::engine::MessageOutcome;
use crate::routing::tree::Tree;
use crate::units::Flits;

/// Packets that nodes inject. Without copies by routers, these are the messages.
const PACKETS: Column = Column::count("packets");
/// Flits over links between routers, summed over the links.
const LINK_FLITS: Column = Column::count("link_flits").called("flits over links").in_unit("flits");
/// Copies of flits that routers make.
const FORKS: Column = Column::count("forks").called("copied flits").in_unit("flits");
/// Flits that routers combine with others.
const JOINS: Column = Column::count("joins").called("combined flits").in_unit("flits");

/// The columns, in the order of files.
const COLUMNS: [Column; 4] = [PACKETS, LINK_FLITS, FORKS, JOINS];

/// `columns` followed by those that count copies.
pub(crate) const fn with_copies<const PLAIN: usize, const ALL: usize>(columns: [Column; PLAIN]) -> [Column; ALL] {
    assert!(ALL == PLAIN + COLUMNS.len());
    let mut all = [PACKETS; ALL];
    let mut index = 0;
    while index < ALL {
        all[index] = if index < PLAIN { columns[index] } else { COLUMNS[index - PLAIN] };
        index += 1;
    }
    all
}

/// The packets of a row, and the flits of all of them together.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct PacketCounts {
    /// Packets that nodes inject.
    pub(crate) packets: u64,
    /// Flits over links between routers, summed over the links.
    pub(crate) link_flits: u64,
    /// Copies of flits that routers make.
    pub(crate) forks: u64,
    /// Flits that routers combine with others.
    pub(crate) joins: u64,
}

impl PacketCounts {
    /// The counts of messages of which routers copy and combine none: `outcomes` has each with its length.
    pub(crate) fn of_messages<'a>(outcomes: impl Iterator<Item = (&'a MessageOutcome, Flits)>) -> Self {
        outcomes.fold(Self::default(), |counts, (outcome, flits)| Self {
            packets: counts.packets + 1,
            link_flits: counts.link_flits + flits.on_wire() * u64::from(outcome.hops),
            ..counts
        })
    }

    /// Adds the packets of `tree`, of `flits` flits each.
    pub(crate) fn add_tree(&mut self, tree: &Tree, flits: Flits) {
        let wire_flits = flits.on_wire();
        self.packets += tree.sources().count() as u64;
        self.link_flits += wire_flits * tree.links() as u64;
        self.forks += wire_flits * tree.copies() as u64;
        self.joins += wire_flits * tree.combinations() as u64;
    }
}

impl Row {
    /// Sets the number of packets of a row that has not been run on a network.
    pub(crate) fn set_packets(&mut self, packets: u64) {
        self.set(&PACKETS, packets);
    }

    /// Sets the columns that count packets, copies and combinations.
    pub(crate) fn set_packet_counts(&mut self, counts: PacketCounts) {
        let PacketCounts { packets, link_flits, forks, joins } = counts;
        self.set_successive(&PACKETS, [packets, link_flits, forks, joins]);
    }
}
