//! A live run together with the machine that it runs on.

use crate::engine::router::{LiveNetwork, LiveRouters, Setup, start_hosts};
use crate::engine::{Engine, Live, Simulation, Stop};
use crate::machine::{Draw, Machine};
use crate::random;
use crate::units::MessageId;
use crate::workload::embed::Embed;
use self_cell::self_cell;
use std::fmt;
use std::sync::Arc;

/// The machine of a run, and all other values that the run borrows.
pub(super) struct Ground {
    machine: Arc<Machine>,
    queue: Option<u32>,
    held: Option<u32>,
    networks: Vec<LiveNetwork>,
    classes: Vec<u32>,
    random_bits: Box<dyn Fn(MessageId) -> u64>,
}

self_cell!(
    struct LiveOnGround {
        owner: Ground,
        #[not_covariant]
        dependent: Live,
    }
);

/// A live run that owns its machine.
pub(super) struct Running(LiveOnGround);

impl fmt::Debug for Running {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.read(|live| live.fmt(f))
    }
}

impl Ground {
    /// The ground of a run of `embed` on `machine`, whose random draws are those of `seed`.
    pub(super) fn new(machine: Arc<Machine>, embed: &Embed, seed: u64) -> Self {
        let key = Draw { seed, repetition: 0 }.key();
        let classes = embed.classes.iter().map(|class| class.network).collect();
        let network = |number: u32| {
            let of_network = embed.classes.iter().filter(|class| class.network == number);
            let (classes, routes) = of_network.filter_map(|class| class.routers.clone()).unzip();
            LiveNetwork { classes, routes }
        };
        Self {
            machine,
            queue: embed.queue,
            held: embed.held,
            networks: (0..embed.networks).map(network).collect(),
            classes,
            random_bits: Box::new(move |message| random::mixed(key, u64::from(message.0))),
        }
    }

    /// The run before its first tick, and its engine.
    fn start(&self) -> Result<(Live<'_>, Engine), Stop> {
        let Self { machine, queue, held, networks, classes, random_bits } = self;
        let network = machine.network().ok_or(Stop::NoRouters)?;
        let Some(routers) = &machine.routers else {
            let simulation = Simulation::live(network).costs(machine.channel).engine(machine.engine);
            let engine = simulation.selected()?;
            return Ok((simulation.start()?, engine));
        };
        let setup = Setup {
            routes: routers.routes.as_ref(),
            fixed: routers.fixes_paths.then_some(network),
            costs: routers.costs,
            interfaces: None,
            trees: None,
            flit_time: machine.channel.flit_time,
            random_bits: random_bits.as_ref(),
        };
        let hosts = LiveRouters { queue: *queue, ejection: *held, networks, classes };
        Ok((start_hosts(&setup, &hosts), Engine::Router))
    }
}

impl Running {
    /// Starts a run on `ground`. Returns it with the engine that runs.
    ///
    /// # Errors
    /// If no engine can run it.
    pub(super) fn start(ground: Ground) -> Result<(Self, Engine), Stop> {
        let mut runs = Engine::Auto;
        let started = LiveOnGround::try_new(ground, |ground| {
            let (live, engine) = ground.start()?;
            runs = engine;
            Ok::<_, Stop>(live)
        })?;
        Ok((Self(started), runs))
    }

    /// Calls `call` with the run.
    #[inline]
    pub(super) fn read<R>(&self, call: impl for<'a> FnOnce(&Live<'a>) -> R) -> R {
        self.0.with_dependent(|_, live| call(live))
    }

    /// Calls `call` with the run, to be changed.
    #[inline]
    pub(super) fn change<R>(&mut self, call: impl for<'a> FnOnce(&mut Live<'a>) -> R) -> R {
        self.0.with_dependent_mut(|_, live| call(live))
    }
}
