//! The keys of `[energy]`.

use crate::costs::energy::ENERGY_PRESETS;
use crate::units::Key;

/// A key with an energy.
const fn energy(name: &'static str) -> Key {
    Key::text(name).or_else("that of the preset, or 0").unit("pJ")
}

/// A key with a power.
const fn power(name: &'static str) -> Key {
    Key::text(name).or_else("that of the preset, or 0").unit("mW")
}

/// Lengths of channels in mm, at most a metre.
const LENGTHS: std::ops::RangeInclusive<f64> = 0.0..=1000.0;

pub(super) const PRESET: Key =
    Key::word("preset", |at| ENERGY_PRESETS.get(at).map(|preset| preset.name)).or_else("none").says(
        "constants of routers and links of a technology, which every key below overrides; see `flitwise list energy`",
    );
pub(super) const BUFFER_WRITE: Key = energy("buffer_write")
    .says("energy of a flit into the input buffer of a router, such as \"1.2pJ\" for a flit, or \"9fJ/bit\"");
pub(super) const BUFFER_READ: Key = energy("buffer_read").says("energy of a flit out of the input buffer of a router");
pub(super) const CROSSBAR: Key = energy("crossbar").says("energy of a flit through the crossbar of a router");
pub(super) const ARBITRATE: Key =
    energy("arbitrate").says("energy of the allocation of the switch of a router to a flit");
pub(super) const ROUTE: Key =
    energy("route").says("energy of the route computation for a head flit at a router that sends it on over a link");
pub(super) const COMBINE: Key =
    energy("combine").says("energy of two flits that a router combines, where packets of a reduction meet");
pub(super) const LINK: Key = energy("link").says(
    "energy of a flit over a link between routers, such as \"40.4fJ/bit/mm\", or the name of a link of `flitwise list energy`",
);
pub(super) const INJECTION: Key =
    energy("injection").says("energy of a flit over an injection channel, in the forms of `link`");
pub(super) const EJECTION: Key =
    energy("ejection").says("energy of a flit over an ejection channel, in the forms of `link`");
pub(super) const CLOCK: Key = energy("clock").says("energy of the clock of a router in a cycle of `channel.flit_time`");
pub(super) const LINK_CLOCK: Key =
    energy("link_clock").says("energy of the clock of a link between routers in a cycle");
pub(super) const NODE_LINK_CLOCK: Key =
    energy("node_link_clock").says("energy of the clock of an injection or ejection channel in a cycle");
pub(super) const STATIC: Key = power("static").says("static power of a router; needs the length of a `tick`");
pub(super) const LINK_STATIC: Key =
    power("link_static").says("static power of a link between routers, such as \"0.2nW/bit/mm\"");
pub(super) const NODE_LINK_STATIC: Key =
    power("node_link_static").says("static power of an injection or ejection channel");
pub(super) const LINK_MM: Key = Key::number("link_mm", LENGTHS)
    .or_else("1; 2 with the preset `booksim-32`")
    .unit("mm")
    .says("length of links between routers, with at most three decimals");
pub(super) const NODE_LINK_MM: Key = Key::number("node_link_mm", LENGTHS)
    .or_else("1; 2 with the preset `booksim-32`")
    .unit("mm")
    .says("length of injection and ejection channels, with at most three decimals");
pub(super) const ACTIVITY: Key = Key::boolean("activity")
    .or_boolean(false)
    .says("output of activity.csv, with the events of each router and channel");

/// The keys of `[energy]`.
pub(crate) const ENERGY: &[Key] = &[
    PRESET,
    BUFFER_WRITE,
    BUFFER_READ,
    CROSSBAR,
    ARBITRATE,
    ROUTE,
    COMBINE,
    LINK,
    INJECTION,
    EJECTION,
    CLOCK,
    LINK_CLOCK,
    NODE_LINK_CLOCK,
    STATIC,
    LINK_STATIC,
    NODE_LINK_STATIC,
    LINK_MM,
    NODE_LINK_MM,
    ACTIVITY,
];
