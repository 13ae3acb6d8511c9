//! Broadcasts while links and nodes fail.

use flitwise::engine::grid::faults::{Faults, LinkFault};
use flitwise::engine::grid::{Happening, Patience, Rules, Spread, TreeBroadcast};
use flitwise::schedule::Schedule;
use flitwise::topology::CostMatrix;
use flitwise::units::{Flits, NodeId, Ticks};

const N: fn(u32) -> NodeId = NodeId;

/// Four nodes, 10 ticks from each to each.
fn costs() -> CostMatrix {
    CostMatrix::new(4, (0..16).map(|at| if at / 4 == at % 4 { 0 } else { 10 }).collect()).unwrap()
}

fn tree(sends: &[(u32, u32)]) -> Schedule {
    let sends: Vec<(NodeId, NodeId)> = sends.iter().map(|&(src, dst)| (N(src), N(dst))).collect();
    Schedule::new(4, N(0), Flits(1), &sends)
}

type Log = Vec<(Ticks, Happening, NodeId, NodeId)>;

fn run(trees: &[Schedule], faults: &Faults, factor: Option<f64>) -> (Vec<Option<u64>>, Log) {
    let (costs, mut log) = (costs(), Vec::new());
    let patience = factor.map(|factor| Patience { forecast: &costs, factor });
    let rules = Rules { alpha: Ticks(1), ..Rules::default() };
    let broadcast = TreeBroadcast::new(&costs, trees).rules(rules).faults(faults).patience(patience);
    let Spread { informed, .. } = broadcast.run(&mut log);
    (informed.into_iter().map(|at| at.map(|at| at.0)).collect(), log)
}

#[test]
fn without_faults_nothing_changes() {
    let trees = [tree(&[(0, 1), (1, 2), (0, 3)]), tree(&[(0, 2), (2, 3), (3, 1)])];
    let mut log = Vec::new();
    let rules = Rules { alpha: Ticks(1), ..Rules::default() };
    let plain = TreeBroadcast::new(&costs(), &trees).rules(rules).run(&mut log);
    let expected: Vec<Option<u64>> = plain.informed.into_iter().map(|at| at.map(|at| at.0)).collect();
    assert_eq!(run(&trees, &Faults::default(), None), (expected.clone(), log.clone()));
    assert_eq!(run(&trees, &Faults::default(), Some(2.0)), (expected, log), "nobody has to wait so long");
}

#[test]
fn what_is_left_on_a_slow_link_takes_longer() {
    let chain = [tree(&[(0, 1), (1, 2), (2, 3)])];
    let slow = |at: u64| {
        let mut faults = Faults::default();
        faults.fail(N(1), N(2), Ticks(at), LinkFault::Slow(5.0));
        run(&chain, &faults, None).0
    };
    assert_eq!(slow(0), [0, 10, 60, 70].map(Some), "all of it");
    assert_eq!(slow(14), [0, 10, 14 + 5 * 6, 54].map(Some), "the last six ticks");
    assert_eq!(slow(20), [0, 10, 20, 30].map(Some), "none of it");
}

#[test]
fn a_sender_gives_up_on_a_dead_link() {
    let both = [tree(&[(0, 1), (0, 2), (2, 3)])];
    let mut faults = Faults::default();
    faults.fail(N(0), N(1), Ticks(9), LinkFault::Dead);
    assert_eq!(run(&both, &faults, None).0, [Some(0), None, None, None], "without patience it waits for ever");
    let (informed, log) = run(&both, &faults, Some(2.0));
    assert_eq!(informed, [Some(0), None, Some(30), Some(40)]);
    assert!(log.contains(&(Ticks(20), Happening::GaveUp, N(0), N(1))));
    // a further tree reaches the node that was given up
    let trees = [both[0].clone(), tree(&[(0, 3), (3, 1)])];
    // node 0 and node 2 meet at node 3, which costs a tick
    assert_eq!(run(&trees, &faults, Some(2.0)).0, [Some(0), Some(51), Some(30), Some(41)]);
}

#[test]
fn who_is_cut_off_takes_anybody_at_once() {
    // node 1 sends to 3 over a link that dies; node 2 turns to 3 later
    let trees = [tree(&[(0, 1), (0, 2), (1, 3)]), tree(&[(2, 3)])];
    let mut faults = Faults::default();
    faults.fail(N(1), N(3), Ticks(15), LinkFault::Dead);
    let (informed, log) = run(&trees, &faults, None);
    assert_eq!(informed, [0, 10, 20, 30].map(Some), "20 + 10, and no contest's tick");
    assert!(log.contains(&(Ticks(20), Happening::Switch(N(1)), N(2), N(3))));
}

#[test]
fn dead_nodes_neither_send_nor_receive() {
    let trees = [tree(&[(0, 1), (1, 2), (0, 3)])];
    let mut faults = Faults::default();
    faults.kill(N(1), Ticks(12));
    assert_eq!(run(&trees, &faults, None).0, [Some(0), Some(10), None, Some(20)], "it dies while it sends");
    faults.kill(N(1), Ticks(10));
    assert_eq!(run(&trees, &faults, Some(3.0)).0, [Some(0), Some(10), None, Some(20)], "and does not begin to");
    faults.kill(N(1), Ticks(5));
    assert_eq!(run(&trees, &faults, Some(3.0)).0, [Some(0), None, None, Some(40)], "the root gives up at 30");
    assert!(!faults.survives(N(1)) && faults.survives(N(2)));
}

#[test]
fn a_slow_forecast_is_no_reason_to_give_up_but_a_fast_one_is() {
    let chain = [tree(&[(0, 1), (0, 2), (0, 3)])];
    let (actual, mut log) = (costs(), Vec::new());
    let forecast = |to_1: u64| {
        let cost = |at: usize| {
            if at / 4 == at % 4 {
                0
            } else if at == 1 {
                to_1
            } else {
                10
            }
        };
        CostMatrix::new(4, (0..16).map(cost).collect()).unwrap()
    };
    for (to_1, expected) in [(20, [Some(0), Some(10), Some(20), Some(30)]), (4, [Some(0), None, Some(18), Some(28)])] {
        let forecast = forecast(to_1);
        let patience = Patience { forecast: &forecast, factor: 2.0 };
        let Spread { informed, .. } = TreeBroadcast::new(&actual, &chain).patience(patience).run(&mut log);
        let informed: Vec<Option<u64>> = informed.into_iter().map(|at| at.map(|at| at.0)).collect();
        assert_eq!(informed, expected, "forecast {to_1}");
    }
}

/// A transfer that pauses while two senders are compared ends later: what fails until then fails it.
#[test]
fn a_transfer_that_pauses_ends_as_links_and_nodes_are_by_then() {
    // nodes 0 and 1 meet at node 3 at 10; what node 0 sends is kept, and ends at 21 in place of 20
    let trees = [tree(&[(0, 1), (0, 3)]), tree(&[(1, 3)])];
    let third = |faults: Faults| run(&trees, &faults, None).0[3];
    assert_eq!(third(Faults::default()), Some(21));
    let mut death = Faults::default();
    death.kill(N(3), Ticks(20));
    assert_eq!(third(death), None);
    let failing = |fault| {
        let mut faults = Faults::default();
        faults.fail(N(0), N(3), Ticks(20), fault);
        faults
    };
    assert_eq!(third(failing(LinkFault::Dead)), None);
    assert_eq!(third(failing(LinkFault::Slow(5.0))), Some(25), "the last tick of ten");
}
