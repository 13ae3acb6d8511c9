//! Where the links of a chip are, and how busy they were.
//!
//! A link begins at a tile and leads to the next one, in its network's direction. Refuses to know what crosses it.

use crate::kind::timeline::Direction;
use crate::kind::{LinkLine, LinkLoad, RowFile};
use crate::network::NetworkSpec;
use crate::units::{LinkId, RouterId, narrow};
use rustc_hash::FxHashMap;
use serde::Serialize;

/// `links.csv` as everywhere, with where each link is.
pub(super) const LINKS: RowFile = RowFile {
    name: "links.csv",
    header: &[
        "point",
        "algorithm",
        "repetition",
        "channel",
        "network",
        "x",
        "y",
        "direction",
        "flits",
        "utilisation",
        "held",
        "waited",
        "messages",
    ],
};

/// Where a link is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub(super) struct LinkPlace {
    /// Its network, 0 or 1.
    pub(super) network: u8,
    /// The column of the tile that it leads away from.
    pub(super) x: u16,
    /// Its row.
    pub(super) y: u16,
    /// Where it leads.
    pub(super) direction: Direction,
}

/// Routers of a chip: so many columns and rows for each network.
#[derive(Clone, Copy, Debug)]
pub(super) struct Chip {
    pub(super) shape: [u16; 2],
}

impl Chip {
    /// The chip whose networks are these, if they have two dimensions.
    pub(super) fn new(spec: &dyn NetworkSpec) -> Option<Self> {
        let [_, width, height] = spec.shape()[..] else { return None };
        Some(Self { shape: [u16::try_from(width).ok()?, u16::try_from(height).ok()?] })
    }

    /// The network, the column and the row of the router, or node, with this number.
    pub(super) fn place(self, number: usize) -> (u8, [u16; 2]) {
        let [width, height] = self.shape.map(usize::from);
        let within = |number: usize| narrow(number, "columns and rows are below 2^16");
        let network = narrow(number / (width * height), "a chip has two networks");
        (network, [within(number / height % width), within(number % height)])
    }

    fn link(self, from: RouterId, to: RouterId) -> LinkPlace {
        let (network, [x, y]) = self.place(from.index());
        let (_, [to_x, to_y]) = self.place(to.index());
        let [width, height] = self.shape;
        let along_x = Ring { from: x, to: to_x, size: width, forth: Direction::East, back: Direction::West };
        let along_y = Ring { from: y, to: to_y, size: height, forth: Direction::South, back: Direction::North };
        let ring = if x == to_x { along_y } else { along_x };
        LinkPlace { network, x, y, direction: ring.direction(network) }
    }
}

/// A link of a ring of so many tiles.
struct Ring {
    from: u16,
    to: u16,
    size: u16,
    forth: Direction,
    back: Direction,
}

impl Ring {
    /// Where it leads. Of two tiles each comes behind the other, so the direction of the network decides.
    fn direction(&self, network: u8) -> Direction {
        let leads_forth = (self.from + 1) % self.size == self.to;
        let leads_back = (self.to + 1) % self.size == self.from;
        match (leads_forth, leads_back) {
            (true, true) if network == 0 => self.forth,
            (true, false) => self.forth,
            _ => self.back,
        }
    }
}

/// Where the links of a chip with these networks are, by name.
pub(super) fn places(spec: &dyn NetworkSpec) -> FxHashMap<String, LinkPlace> {
    let Some(chip) = Chip::new(spec) else { return FxHashMap::default() };
    let Ok(links) = spec.links() else { return FxHashMap::default() };
    let named = |link: LinkId| {
        let (from, to) = links.ends(link);
        (links.link_name(link), chip.link(from, to))
    };
    (0..links.count()).map(LinkId::new).map(named).collect()
}

/// A line of links.csv: the name of the link, where it is, and how busy it was.
type LinkRow = (String, LinkPlace, LinkLoad);

/// The lines of links on a machine with these networks.
pub(super) fn rows(spec: &dyn NetworkSpec, lines: Vec<LinkLine>) -> Vec<LinkRow> {
    let places = places(spec);
    let row = |LinkLine { channel, used }: LinkLine| {
        let place = *places.get(&channel)?;
        Some((channel, place, used))
    };
    lines.into_iter().filter_map(row).collect()
}
