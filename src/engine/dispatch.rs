//! Runs of a program to its end on an engine by name, and a second run on another one where the first engine would be wrong.

use super::outcome::report_causes;
use super::simulation::Simulation;
use super::wormhole::{flit, shared, sleep, stages, worm};
use super::{Engine, Event, Observer, Outcome, Program, Requests, ShortBuffer, Signal, Stop};
use crate::costs::ChannelCosts;
use crate::routing::Network;

impl Engine {
    /// Runs `program` on `network` to its end, by the rules of [`wormhole`](super::wormhole).
    ///
    /// # Errors
    /// If messages are left that wait for each other's channels, or nodes that wait for messages; if this is
    /// [`Engine::Worm`] and virtual channels of one physical channel had two owners at the same time or a buffer does not
    /// cover its channel's delay; if this is [`Engine::Sleep`] and channels differ in what they take; if this is
    /// [`Engine::Router`], which wants more than a network: [`run_program`](super::router::run_program) runs it; if the observer
    /// [ends it](super::Interest::stopping).
    pub fn run<P: Program + Clone, O: Observer>(
        self,
        network: &dyn Network,
        costs: ChannelCosts,
        mut program: P,
        observer: &mut O,
    ) -> Result<Outcome, Stop> {
        if observer.interest().may_stop() {
            return Simulation::new(network, program).costs(costs).engine(self).observer(observer).start()?.finish();
        }
        if observer.interest().causes {
            program.signal(Signal::KeepCauses, &mut Requests::default());
        }
        let short = ShortBuffer::of(network.channels(), &costs);
        // Engines are compiled once for all programs, and the slow ones for all observers, too.
        let ended = match self {
            Self::Auto if short.is_some() => return Self::Flit.run(network, costs, program, observer),
            Self::Flit => {
                let mut observer: &mut dyn Observer = observer;
                flit::run(network, costs, &mut program as &mut dyn Program, &mut observer)
            }
            Self::Sleep if !network.channels().is_even(costs.flit_time) => Err(Stop::Uneven),
            Self::Sleep => {
                let mut observer: &mut dyn Observer = observer;
                sleep::run(network, costs, &mut program as &mut dyn Program, &mut observer)
            }
            Self::Worm => match short {
                Some(short) => Err(short.into()),
                None => worm::run(network, costs, &mut program as &mut dyn Program, observer),
            },
            Self::Router => Err(Stop::NoRouters),
            Self::Auto => {
                let before = program.clone();
                match worm::run(network, costs, &mut program as &mut dyn Program, observer) {
                    Err(Stop::Shared { .. }) => return Self::run_shared(network, costs, before, observer),
                    ended => ended,
                }
            }
        };
        report_causes(&program, ended, observer)
    }

    /// Runs `program` where virtual channels share physical ones at the same time.
    fn run_shared<P: Program + Clone, O: Observer>(
        network: &dyn Network,
        costs: ChannelCosts,
        program: P,
        observer: &mut O,
    ) -> Result<Outcome, Stop> {
        // between stages news of free places may still be on its way over channels with delays
        let has_stages = !observer.interest().hops && network.channels().is_even(costs.flit_time);
        if has_stages {
            let mut attempt = program.clone();
            if let Some(outcome) = stages::run(network, costs, &mut attempt) {
                return report_causes(&attempt, Ok(outcome), observer);
            }
        }
        observer.event(Event::Restarted);
        shared::engine(network, &costs, &program).run(network, costs, program, observer)
    }
}
