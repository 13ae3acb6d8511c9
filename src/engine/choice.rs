//! The engines by name, for scenarios and results.

use serde::Serialize;

/// Which engine runs a scenario.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Engine {
    /// O(hops) events per message.
    Worm,
    /// Every flit moves.
    Flit,
    /// Every flit, but of channels that repeat themselves not one by one.
    Sleep,
    /// The worm engine wherever it is exact: everywhere but where virtual channels of one physical channel have two
    /// owners at the same time, or a buffer does not cover the delay of its channel ([`ShortBuffer`](super::ShortBuffer)). In the first case the
    /// run, or where there are barriers the part between two, begins again, on the flit engine if messages are short or
    /// channels differ and on the sleep engine if not; in the second it begins on the flit engine. Where a scenario asks for routers that these two do not know, the router engine.
    #[default]
    Auto,
    /// Virtual-channel routers, cycle by cycle: see [`router`](super::router).
    Router,
}

impl Engine {
    /// Every engine, with the name that scenarios use and what it is.
    pub const ALL: [(Self, &str, &str); 5] = [
        (Self::Worm, "worm", "exact; O(hops) events per message, independent of its length"),
        (Self::Flit, "flit", "moves every flit; the reference, slow for long messages"),
        (
            Self::Sleep,
            "sleep",
            "as flit, but skips repeated steps; for long messages whose virtual channels share physical channels",
        ),
        (
            Self::Auto,
            "auto",
            "default; router if [router] requires it; otherwise worm, or, if virtual channels share a physical channel, \
             flit for short and sleep for long messages",
        ),
        (
            Self::Router,
            "router",
            "virtual-channel routers, simulated cycle by cycle; supports all settings of [router]",
        ),
    ];

    /// The name that scenarios use.
    pub fn name(self) -> &'static str {
        match self {
            Self::Worm => "worm",
            Self::Flit => "flit",
            Self::Sleep => "sleep",
            Self::Auto => "auto",
            Self::Router => "router",
        }
    }
}
