//! The busiest of several channels by expected load.

/// Flits that the first node sends to the second per flit that a node offers on average.
pub type Flow<'a> = dyn Fn(u32, u32) -> f64 + 'a;

/// A channel, or several in parallel that carry as much on average.
#[derive(Clone, Debug, PartialEq)]
pub struct LoadedChannel {
    /// The flit times that it is busy per flit that a node offers.
    pub load: f64,
    /// Its name.
    pub name: String,
}

impl LoadedChannel {
    /// The first of the channels with the largest of `loads`, in flit times. Returns `None` if nothing is sent.
    pub fn busiest(loads: impl IntoIterator<Item = f64>, name: impl Fn(usize) -> String) -> Option<Self> {
        let used = loads.into_iter().enumerate().filter(|&(_, load)| load > 0.0);
        let busier = |most: (usize, f64), next: (usize, f64)| if next.1 > most.1 * ROUNDING { next } else { most };
        used.reduce(busier).map(|(at, load)| Self { load, name: name(at) })
    }
}

/// The factor by which equal sums may differ, as they are added in other orders.
const ROUNDING: f64 = 1.0 + 1e-9;
