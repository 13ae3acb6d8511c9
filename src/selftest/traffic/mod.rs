//! Random traffic on routers and on the wormhole engines, networks that have lost links, and broadcasts while links and nodes fail.
//!
//! ```text
//!   case       loads on machines, some of which have lost links; grids whose links and nodes fail
//!   routers    open-loop traffic through virtual-channel routers
//!   worms      the same packets as messages on the wormhole engines
//!   lost       networks without some of their links
//!   grids      broadcasts while links and nodes fail
//!   written    cases that are smaller, and as scenarios
//! ```

mod case;
mod grids;
mod lost;
mod routers;
mod worms;
mod written;

use super::apart::KINDS;
use super::features::{Feature, FeatureSet, Swarm};
use super::laws::{
    ANY_THREADS, AS_WRITTEN, AUTO_IS_FLIT, Broken, CONSERVED, ENDS, FAULTS, MEASURED, NO_PANIC, NO_SOONER, OFFERS,
    PACKETS_CONSERVED, SAME_AGAIN, SURVIVING_ROUTES, WORM_IS_FLIT,
};
use super::report::Shown;
use super::subject::{About, Effort, Subject};
use crate::engine::router::{self, Ended, RouterCosts, Traffic};
use crate::routing::Routing;
use case::Traffics;

static ABOUT: About = About {
    name: "traffic",
    summary: "packets of random traffic, paths on networks with lost links, and broadcasts with failures, checked one by one",
    laws: &[
        &OFFERS,
        &PACKETS_CONSERVED,
        &NO_SOONER,
        &SAME_AGAIN,
        &ANY_THREADS,
        &MEASURED,
        &SURVIVING_ROUTES,
        &CONSERVED,
        &WORM_IS_FLIT,
        &AUTO_IS_FLIT,
        &FAULTS,
        &AS_WRITTEN,
        &NO_PANIC,
        &ENDS,
    ],
    features: FeatureSet::of(KINDS).and(FeatureSet::of(super::routers::OWN)).and(FeatureSet::of(OWN)),
};

/// What traffic and its machines may have beyond that.
const OWN: &[Feature] = &[
    Feature::Larger,
    Feature::Order,
    Feature::Concentration,
    Feature::OddLinks,
    Feature::UnevenLinks,
    Feature::LinkDelays,
    Feature::Ports,
    Feature::Ejection,
    Feature::FlitTime,
    Feature::Buffers,
    Feature::RoutingDelay,
    Feature::LongMessages,
    Feature::OpenLoop,
    Feature::HeavyLoad,
    Feature::OnOff,
    Feature::LostLinks,
    Feature::FailingGrids,
];

/// What runs open-loop traffic: this crate, or in tests what is wrong on purpose.
pub(super) trait OpenLoop: Sync {
    fn run<T: Traffic>(&self, routes: &dyn Routing, costs: RouterCosts, traffic: &mut T) -> Ended {
        router::run_any(routes, costs, traffic)
    }
}

/// The routers of this crate.
struct Ours;

impl OpenLoop for Ours {}

/// The area with the routers of this crate.
pub(super) struct Loads;

impl Subject for Loads {
    type Case = Traffics;

    fn about(&self) -> &'static About {
        &ABOUT
    }

    fn draw(&self, swarm: &mut Swarm) -> Traffics {
        Traffics::draw(swarm)
    }

    fn judge(&self, case: &Traffics) -> Result<Effort, Broken> {
        judge(&Ours, case)
    }

    fn runs(&self, case: &Traffics, _: &Broken) -> Vec<Shown> {
        match case {
            Traffics::Load(load) if load.machine.routers.is_some() => {
                vec![Shown { name: "router", arguments: "-s engine.kind=router" }]
            }
            Traffics::Load(_) => vec![
                Shown { name: "flit", arguments: "-s engine.kind=flit" },
                Shown { name: "worm", arguments: "-s engine.kind=worm" },
            ],
            Traffics::Grid(_) => vec![Shown { name: "grid", arguments: "" }],
        }
    }
}

/// Holds `case` against all laws on `open_loop`. What cannot be built breaks none.
fn judge(open_loop: &impl OpenLoop, case: &Traffics) -> Result<Effort, Broken> {
    match case {
        Traffics::Load(load) if load.machine.routers.is_some() => routers::judge(open_loop, load),
        Traffics::Load(load) => worms::judge(load),
        Traffics::Grid(grid) => grids::judge(grid),
    }
}

#[cfg(test)]
#[allow(clippy::panic, reason = "a test that cannot go on fails")]
mod tests {
    use super::super::minimise::minimise;
    use super::*;
    use crate::engine::router::{Offer, RouterEvent};
    use crate::random;
    use std::ops::Range;

    /// Routers that lose packets which took more than two links.
    struct Lossy;

    struct Lost<'a, T>(&'a mut T);

    impl<T: Traffic> Traffic for Lost<'_, T> {
        fn next(&mut self, node: u32, channel: u32) -> Option<Offer> {
            self.0.next(node, channel)
        }

        fn event(&mut self, event: RouterEvent) {
            let is_lost = matches!(event, RouterEvent::Delivered(delivery) if delivery.hops > 2);
            if !is_lost {
                self.0.event(event);
            }
        }

        fn goes_on(&self, now: u64) -> bool {
            self.0.goes_on(now)
        }

        fn counted(&self) -> Range<u64> {
            self.0.counted()
        }
    }

    impl OpenLoop for Lossy {
        fn run<T: Traffic>(&self, routes: &dyn Routing, costs: RouterCosts, traffic: &mut T) -> Ended {
            router::run_any(routes, costs, &mut Lost(traffic))
        }
    }

    fn drawn(number: u64) -> Traffics {
        Traffics::draw(&mut Swarm::new(random::stream(number, ABOUT.name, 0), ABOUT.features))
    }

    #[test]
    fn nothing_is_found_where_nothing_is_planted() {
        let broken = (0..300).find_map(|number| Some((number, judge(&Ours, &drawn(number)).err()?)));
        assert_eq!(broken, None);
    }

    /// A handful of nodes in a row and a packet or two show it.
    #[test]
    fn routers_that_lose_packets_are_found() {
        let first = (0..2000).find_map(|number| Some((drawn(number), judge(&Lossy, &drawn(number)).err()?)));
        let Some((case, broken)) = first else { panic!("nothing is found") };
        let small = minimise(case, broken, |case| judge(&Lossy, case).err());
        assert_eq!(small.broken.law.name, "packets-conserved");
        let Traffics::Load(load) = &small.case else { panic!("{:?}", small.case) };
        let nodes = load.machine.network().map_or(0, |network| network.channels().nodes());
        assert!(nodes <= 16 && load.until <= 20, "{load:?}");
    }
}
