//! Exchanges run on tori: the times of an independent implementation, and its deadlocks.

use crate::exchange_oracle::{Simulated, cases};
use flitwise::costs::{Buffer, ChannelCosts, NodeCosts};
use flitwise::engine::program::ExchangeProgram;
use flitwise::engine::{Deadlock, Engine, Outcome, Stop};
use flitwise::model::ExchangeModel;
use flitwise::routing::Rings;
use flitwise::run::run;
use flitwise::scenario::{Options, Scenario};
use flitwise::schedule::Exchange;
use flitwise::schedule::Pace;
use flitwise::topology::Torus;
use flitwise::units::Flits;
use flitwise::workload::exchange::Exchange as ExchangeWorkload;
use std::num::NonZeroUsize;
use std::path::Path;

/// How an exchange is run.
#[derive(Clone, Copy)]
struct Setting {
    startup: u64,
    block_flits: u64,
    virtual_channels: usize,
    pace: Pace,
    buffer: u64,
}

impl Setting {
    fn of(simulated: &Simulated, virtual_channels: usize, pace: Pace) -> Self {
        Self { startup: simulated.ts, block_flits: simulated.block_flits, virtual_channels, pace, buffer: 2 }
    }

    fn channel(&self) -> ChannelCosts {
        ChannelCosts { buffer: Buffer::Flits(self.buffer), ..ChannelCosts::default() }
    }

    fn model(&self) -> ExchangeModel {
        let node = NodeCosts::default().sending(self.startup, 0);
        let network = self.channel().into();
        ExchangeModel { node, network, chosen: None, block_flits: Flits(self.block_flits), pace: self.pace }
    }

    fn run(&self, exchange: &Exchange, engine: Engine) -> Result<Outcome, Box<Deadlock>> {
        let torus = Torus::new(exchange.shape(), 1, self.virtual_channels).unwrap();
        let network = Rings::first_coordinate_first(torus.clone());
        let model = self.model();
        let program = ExchangeProgram::new(exchange, &torus, &model.node, model.block_flits, self.pace);
        engine.run(&network, self.channel(), program, &mut ()).map_err(|stop| match stop {
            Stop::Deadlock(deadlock) => deadlock,
            other => panic!("{other}"),
        })
    }
}

/// A path here has an injection channel more than the oracle's, which costs a flit time in every step.
#[test]
fn contention_free_exchanges_with_a_barrier_take_the_closed_form() {
    let mut compared = 0;
    for (algorithm, case) in cases().into_iter().filter(|(_, case)| case.contention_free) {
        let exchange = algorithm.plan(&case.dims).unwrap();
        for simulated in &case.sim {
            let expected = simulated.closed_sync.unwrap() + case.startups as u64;
            for virtual_channels in [1, 2] {
                let setting = Setting::of(simulated, virtual_channels, Pace::Synchronous);
                let what = format!("{} {:?} ts {}", case.alg, case.dims, simulated.ts);
                assert_eq!(setting.model().completion(&exchange).0, expected, "{what}");
                let outcome = setting.run(&exchange, Engine::Auto).unwrap();
                assert_eq!((outcome.completion.0, outcome.blocked_headers), (expected, 0), "{what}");
                assert_eq!(outcome.engine, Engine::Worm, "{what}");
                compared += 1;
            }
        }
    }
    assert!(compared > 100, "{compared}");
}

/// Where the oracle deadlocks with one virtual channel so do we, and nothing deadlocks with a dateline.
#[test]
fn deadlocks_are_the_oracles() {
    let mut deadlocks = 0;
    for (algorithm, case) in cases() {
        let exchange = algorithm.plan(&case.dims).unwrap();
        for simulated in &case.sim {
            let paces = [(Pace::Synchronous, &simulated.sync_vc1), (Pace::Asynchronous, &simulated.async_vc1)];
            for (pace, theirs) in paces {
                let ours = Setting::of(simulated, 1, pace).run(&exchange, Engine::Auto);
                let what = format!("{} {:?} ts {} {pace:?}", case.alg, case.dims, simulated.ts);
                assert_eq!(ours.is_err(), theirs == "deadlock", "{what}");
                if let Err(deadlock) = ours {
                    deadlocks += 1;
                    assert!(deadlock.cycle.len() > 1, "{what}: {deadlock}");
                }
                Setting::of(simulated, 2, pace).run(&exchange, Engine::Auto).unwrap();
            }
        }
    }
    assert!(deadlocks > 20, "{deadlocks}");
}

/// Without barriers times depend on who goes first where two messages meet, so they agree only nearly: a path here has an
/// injection channel more, up to a flit time in every step.
#[test]
fn times_without_barriers_are_nearly_the_oracles() {
    let (mut exact, mut all) = (0, 0);
    for (algorithm, case) in cases() {
        let exchange = algorithm.plan(&case.dims).unwrap();
        for simulated in &case.sim {
            let Some(theirs) = simulated.async_vc2.as_u64() else { continue };
            let ours = Setting::of(simulated, 2, Pace::Asynchronous).run(&exchange, Engine::Auto).unwrap().completion.0;
            let startups = case.startups as u64;
            let what = format!("{} {:?} ts {}: {ours} for {theirs}", case.alg, case.dims, simulated.ts);
            assert!(ours.abs_diff(theirs) <= startups + theirs * 6 / 100, "{what}");
            exact += u32::from((theirs..=theirs + startups).contains(&ours));
            all += 1;
        }
    }
    assert!(exact * 10 > all * 8, "{exact} of {all} within a flit time a step");
}

/// Rows that differ in set-ups share a run; each is still what it would be alone, flit by flit.
#[test]
fn rows_that_share_a_run_are_what_they_are_alone() {
    let text = "name = \"s\"\n[network.torus]\nshape = [4, 4]\n[channel]\nbuffer = 2\n[node]\nsend_setup = 1\n\
                [workload.exchange]\nalgorithms = [\"naive\", \"double-hop\", \"bruck\", \"direct\", \"hypercube\"]\n\
                unfit = \"skip\"\n[sweep]\n\"network.torus.shape\" = [[4, 4], [5, 5], [6, 4]]\n\
                \"node.send_setup\" = [0, 7, 1000]\n\"node.receive_setup\" = [0, 30]\n\
                \"node.send_per_flit\" = [0, 2]\n\"node.hold_setup\" = [0, 500]\n\
                \"workload.exchange.block_flits\" = [0, 1, 3]\n\"workload.exchange.synchronous\" = [true, false]\n";
    let scenario = Scenario::parse("s.toml", text, Path::new(""), &Options::default()).unwrap();
    let (mut compared, mut shared) = (0, 0);
    run(&scenario, NonZeroUsize::new(2).unwrap(), false, |row| {
        let experiment = &scenario.points[row.id.point].experiment;
        let workload = experiment.workload.downcast_ref::<ExchangeWorkload>().unwrap();
        let machine = &experiment.machine;
        let exchange = workload.algorithms[row.id.algorithm].plan(&workload.shape).unwrap();
        let (node, flits) = (&machine.node, workload.block_flits);
        let program = ExchangeProgram::new(&exchange, workload.torus.as_ref().unwrap(), node, flits, workload.pace);
        let alone = Engine::Flit.run(machine.network().unwrap(), machine.channel, program, &mut ()).unwrap();
        let value = |name: &str| row.value(name).unwrap();
        assert_eq!(value("measured"), alone.completion.0, "{:?} {}", row.id, row.algorithm);
        assert_eq!(value("blocked_messages"), alone.blocked_messages);
        assert_eq!(value("blocked_headers"), alone.blocked_headers);
        assert_eq!(value("blocked_time"), alone.blocked_time.0);
        assert_eq!(value("queued_messages"), alone.queued_messages);
        assert_eq!(value("queued_time"), alone.queued_time.0);
        (compared, shared) = (compared + 1, shared + u32::from(row.engine == Some("flit")));
        Ok::<(), ()>(())
    })
    .unwrap();
    assert!(compared > 1000 && shared > 50, "{compared} {shared}");
}
