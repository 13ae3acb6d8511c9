//! The energies of a machine: the constants of its routers and channels, and their numbers.

use super::PortNumbers;
use crate::costs::energy::{
    ChannelConstants, CrossbarEnergy, EnergyPreset, ExactDecimal, RouterConstants, SquareNanometres, StaticPower,
};
use crate::topology::{Failures, Links};
use crate::units::{LinkId, NodeId, RouterId, Ticks};

/// The energies of a machine.
#[derive(Clone, Debug)]
pub struct MachineEnergy {
    /// The preset, if the scenario names one.
    pub preset: Option<&'static EnergyPreset>,
    /// Routers, by kind.
    pub routers: Vec<Group<RouterConstants>>,
    /// By router, its kind. Empty if all are of the first kind.
    pub(super) router_kinds: Vec<u32>,
    /// Links between routers, by kind.
    pub links: Vec<Group<ChannelConstants>>,
    /// By link, its kind. Empty if all are of the first kind.
    pub(super) link_kinds: Vec<u32>,
    /// Injection channels.
    pub injection: Group<ChannelConstants>,
    /// Ejection channels.
    pub ejection: Group<ChannelConstants>,
    /// The number of physical networks, each of which has all these elements.
    pub(super) networks: u64,
    /// The numbers of the ports of routers, where the energy of a crossbar depends on them.
    pub ports: Option<PortNumbers>,
    /// The routers and links without clocks and static power, because they have failed.
    pub(super) failures: Failures,
    /// The lengths of flits and ticks.
    pub scale: EnergyScale,
    /// True if activity.csv is written.
    pub activity: bool,
}

/// Elements of a kind.
#[derive(Clone, Debug)]
pub struct Group<T> {
    /// The number of such elements.
    pub count: u64,
    /// The constants of each.
    pub constants: T,
}

/// The lengths of flits, cycles and ticks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EnergyScale {
    /// The bits of a flit.
    pub flit_bits: u64,
    /// The ticks of a cycle.
    pub flit_time: u64,
    /// The picoseconds of a tick, 0 if nothing has static power.
    pub tick: ExactDecimal,
}

impl EnergyScale {
    /// The cycles of a number of ticks, those that have begun included.
    pub fn cycles(&self, ticks: Ticks) -> u64 {
        ticks.0.div_ceil(self.flit_time)
    }

    #[expect(clippy::expect_used, reason = "a machine whose energies could exceed 128 bits is refused")]
    fn standby(&self, clock: u128, power: StaticPower, ticks: Ticks) -> Standby {
        let power = power.energy(ticks, self.tick).expect("static energies fit 128 bits");
        Standby { clock: u128::from(self.cycles(ticks)) * clock, power }
    }
}

impl MachineEnergy {
    /// The kind of `router`, an index into [`Self::routers`].
    pub fn router_kind(&self, router: RouterId) -> usize {
        self.router_kinds.get(router.index()).map_or(0, |&kind| kind as usize)
    }

    /// The kind of `link`, an index into [`Self::links`].
    pub fn link_kind(&self, link: LinkId) -> usize {
        self.link_kinds.get(link.index()).map_or(0, |&kind| kind as usize)
    }

    /// True if the energy of the events of a message follows from its length and the number of its links.
    pub fn depends_on_hops_alone(&self) -> bool {
        let is_uniform =
            |router: &Group<RouterConstants>| matches!(router.constants.crossbar, CrossbarEnergy::Uniform(_));
        self.links.len() < 2 && self.routers.len() < 2 && self.routers.iter().all(is_uniform)
    }

    /// The bytes that the lines of a row in activity.csv take, at most where the energy of a crossbar does not depend on ports.
    pub fn activity_memory(&self) -> u64 {
        const LINE: u64 = 120;
        const LINES_OF_ROUTER: u64 = 8;
        const LINES_OF_CHANNEL: u64 = 3;
        let routers: u64 = self.routers.iter().map(|group| group.count).sum();
        let channels: u64 = self.links.iter().chain([&self.injection, &self.ejection]).map(|group| group.count).sum();
        let lines = routers.saturating_mul(LINES_OF_ROUTER).saturating_add(channels.saturating_mul(LINES_OF_CHANNEL));
        if self.activity { lines.saturating_mul(LINE) } else { 0 }
    }

    /// Removes failed routers, and failed links of the network `links`, with the channels of the nodes of failed routers.
    pub(crate) fn surviving(&self, failures: &Failures, links: &dyn Links) -> Self {
        let mut left = Self { failures: failures.clone(), ..self.clone() };
        for router in &failures.routers {
            left.routers[self.router_kind(*router)].count -= self.networks;
        }
        for link in (0..links.count()).map(LinkId::new).filter(|&link| failures.is_failed(links, link)) {
            left.links[self.link_kind(link)].count -= self.networks;
        }
        let nodes = links.nodes() as u64;
        let is_lost = |node: &NodeId| failures.routers.contains(&links.router_of(*node));
        let lost = (0..links.nodes()).map(NodeId::new).filter(is_lost).count() as u64;
        for channels in [&mut left.injection, &mut left.ejection] {
            channels.count -= channels.count / nodes * lost;
        }
        left
    }

    /// The number of physical networks.
    pub fn networks(&self) -> u64 {
        self.networks
    }

    /// The failed routers and links.
    pub(crate) fn failures(&self) -> &Failures {
        &self.failures
    }

    /// True if an element has static power.
    pub fn has_static_power(&self) -> bool {
        let routers = self.routers.iter().map(|group| group.constants.static_power);
        let channels = self.links.iter().chain([&self.injection, &self.ejection]);
        routers.chain(channels.map(|group| group.constants.static_power)).any(|power| !power.is_zero())
    }

    /// The area of all routers and channels, if the preset has one.
    pub fn area(&self) -> Option<SquareNanometres> {
        let mut area = 0;
        for router in &self.routers {
            area += SquareNanometres::from(router.count) * router.constants.area?;
        }
        for channel in self.links.iter().chain([&self.injection, &self.ejection]) {
            area += SquareNanometres::from(channel.count) * channel.constants.area;
        }
        Some(area)
    }
}

/// The energies that an element takes in a run whatever it does, in attojoules.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Standby {
    /// The energy of its clock.
    pub clock: u128,
    /// The energy of its static power.
    pub power: u128,
}

impl MachineEnergy {
    /// Returns the number of elements of each kind, and the energies that each of them takes in `ticks` whatever it does.
    pub fn standby(&self, ticks: Ticks) -> impl Iterator<Item = (u64, Standby)> + '_ {
        let routers = self.routers.iter().map(move |group| (group.count, self.standby_of_router(group, ticks)));
        let channels = self.links.iter().chain([&self.injection, &self.ejection]);
        routers.chain(channels.map(move |group| (group.count, self.standby_of_channel(group, ticks))))
    }

    /// Returns what each of a group of routers takes in `ticks` whatever it does.
    pub fn standby_of_router(&self, routers: &Group<RouterConstants>, ticks: Ticks) -> Standby {
        let RouterConstants { clock, static_power, .. } = routers.constants;
        self.scale.standby(clock, static_power, ticks)
    }

    /// Returns what each of a group of channels takes in `ticks` whatever it does.
    pub fn standby_of_channel(&self, channels: &Group<ChannelConstants>, ticks: Ticks) -> Standby {
        let ChannelConstants { clock, static_power, .. } = channels.constants;
        self.scale.standby(clock, static_power, ticks)
    }
}
