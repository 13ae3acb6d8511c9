//! Collectives of any size: every algorithm's schedules pass their proof, and the proof finds exactly what a slow follower
//! with sets of contributions finds wrong.

use flitwise::algorithm::collective::{ALGORITHMS, Request};
use flitwise::routing::Lattice;
use flitwise::schedule::collective::{Action, Collective, CollectiveViolation, Layout, Move, Operation, Planner};
use flitwise::selftest::reference::lists;
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64;

/// A message as a follower sees it.
#[derive(Clone, Debug)]
struct Sent {
    step: usize,
    src: usize,
    dst: usize,
    action: Action,
    positions: Vec<u64>,
}

fn sent(collective: &Collective) -> Vec<Sent> {
    let of_step = |step: usize| {
        collective.messages(step).map(move |message| Sent {
            step,
            src: message.src,
            dst: message.dst,
            action: message.action,
            positions: collective.positions(message.id).flatten().collect(),
        })
    };
    (0..collective.steps()).flat_map(of_step).collect()
}

/// Whether a plain check finds that each rank ends with what it must hold, each contribution once.
fn is_right(collective: &Collective) -> bool {
    lists::collective(collective).delivered().is_ok()
}

/// The schedule of these messages, each position a block of its own.
fn rebuilt(operation: Operation, ranks: usize, root: usize, flits: u64, all: &[Sent]) -> Collective {
    let layout = match operation {
        Operation::Barrier => Layout::of_signals(),
        _ => Layout::of_parts(flits, 1, usize::try_from(flits).unwrap()),
    };
    let mut planner = Planner::new(operation, ranks, root, layout);
    for sent in all {
        let set = match sent.action {
            Action::Signal => planner.signal(),
            _ => planner.set(0, sent.positions.iter().map(|&at| usize::try_from(at).unwrap()).map(|at| at..at + 1)),
        };
        planner.send(sent.step, Move { part: 0, src: sent.src, dst: sent.dst, set }, sent.action);
    }
    planner.finish(0)
}

/// A request that some algorithm takes.
fn request<'a>(random: &mut Pcg64, lattice: &'a Lattice) -> Request<'a> {
    let operation = Operation::ALL[random.random_range(0..Operation::ALL.len())].1;
    let ranks = lattice.nodes();
    let flits = if operation == Operation::Barrier { 0 } else { random.random_range(1..40) };
    Request {
        root: if operation.has_root() { random.random_range(0..ranks) } else { 0 },
        shape: lattice.shape().to_vec(),
        segment_flits: if random.random_bool(0.3) { random.random_range(1..9) } else { 0 },
        parts: random.random_bool(0.3).then(|| random.random_range(1..=2 * lattice.dimensions())),
        lattice: Some(lattice),
        ..Request::new(operation, ranks, flits)
    }
}

fn lattice(random: &mut Pcg64) -> Lattice {
    let dimensions = random.random_range(1..=3);
    let most = [14, 5, 3][dimensions - 1];
    let shape: Vec<usize> = (0..dimensions).map(|_| random.random_range(1..=most)).collect();
    Lattice::new(&shape, random.random_bool(0.5), &(0..dimensions).collect::<Vec<_>>())
}

#[test]
fn every_schedule_does_what_its_operation_asks_for() {
    let mut planned = vec![0; ALGORITHMS.len()];
    for case in 0..600 {
        let mut random = Pcg64::seed_from_u64(case);
        let lattice = lattice(&mut random);
        let request = request(&mut random, &lattice);
        for (at, algorithm) in ALGORITHMS.iter().enumerate() {
            let Ok(collective) = algorithm.plan(&request) else { continue };
            planned[at] += 1;
            let flits = request.flits;
            let right = is_right(&collective);
            assert_eq!(right, !algorithm.unproved, "{} of {request:?}", algorithm.name);
            assert_eq!(collective.check().is_ok(), right, "{} of {request:?}", algorithm.name);
            let extent = algorithm.extent(&request).unwrap();
            assert!(collective.steps() as u64 <= extent.steps.max(1), "{} of {request:?}: {extent:?}", algorithm.name);
            let most = extent.messages + if request.segment_flits > 0 { extent.vectors * flits } else { 0 };
            assert!(collective.len() as u64 <= most, "{} of {request:?}: {extent:?}", algorithm.name);
        }
    }
    for (algorithm, planned) in ALGORITHMS.iter().zip(planned).filter(|(algorithm, _)| !algorithm.in_routers) {
        assert!(planned >= 3, "{} was planned {planned} times", algorithm.name);
    }
}

#[test]
fn what_is_wrong_is_found() {
    let mut wrong = 0;
    for case in 0..2500 {
        let mut random = Pcg64::seed_from_u64(case);
        let lattice = lattice(&mut random);
        let request = request(&mut random, &lattice);
        let Request { operation, ranks, root, flits, .. } = request;
        let algorithm = &ALGORITHMS[random.random_range(0..ALGORITHMS.len())];
        let Ok(collective) = algorithm.plan(&Request { segment_flits: 0, ..request }) else { continue };
        let mut all = sent(&collective);
        if all.is_empty() {
            continue;
        }
        damage(&mut random, &mut all, ranks);
        let damaged = rebuilt(operation, ranks, root, flits, &all);
        // what the planner joins is followed as it is joined
        let checked = damaged.check();
        assert_eq!(checked.is_ok(), is_right(&damaged), "{case} {}: {checked:?}", algorithm.name);
        wrong += u32::from(checked.is_err());
    }
    assert!(wrong > 300, "only {wrong} wrong schedules");
}

/// Takes a message away, sends it elsewhere or again, or changes what becomes of it.
fn damage(random: &mut Pcg64, all: &mut Vec<Sent>, ranks: usize) {
    let at = random.random_range(0..all.len());
    match random.random_range(0..4) {
        0 => {
            all.remove(at);
        }
        1 => {
            let src = all[at].src;
            all[at].dst = (src + random.random_range(1..ranks)) % ranks;
        }
        2 => {
            let mut again = all[at].clone();
            again.step = all.last().map_or(0, |last| last.step + 1);
            all.push(again);
        }
        _ if all[at].action == Action::Signal => {
            all.remove(at);
        }
        _ => {
            all[at].action = if all[at].action == Action::Copy { Action::Reduce } else { Action::Copy };
        }
    }
}

#[test]
fn violations_name_what_is_wrong() {
    let three = |sends: &[(usize, usize, usize, Action)]| {
        let mut planner = Planner::new(Operation::Allreduce, 3, 0, Layout::of_parts(6, 1, 1));
        let set = planner.whole(0);
        for &(step, src, dst, action) in sends {
            planner.send(step, Move { part: 0, src, dst, set }, action);
        }
        planner.finish(0).check()
    };
    let said = |sends: &[(usize, usize, usize, Action)]| three(sends).unwrap_err().to_string();
    let [copy, reduce] = [Action::Copy, Action::Reduce];
    assert!(three(&[(0, 1, 0, reduce), (1, 2, 0, reduce), (2, 0, 1, copy), (2, 0, 2, copy)]).is_ok());
    assert_eq!(
        said(&[(0, 1, 0, reduce), (1, 0, 1, copy), (2, 0, 2, copy)]),
        "rank 0 ends with 2 of 3 contributions to flits 0-5; the contribution of rank 2 is missing"
    );
    assert_eq!(
        said(&[(0, 1, 0, reduce), (1, 0, 1, reduce)]),
        "step 1, message 1 (0->1): the contribution of rank 1 to flits 0-5 is combined twice at rank 1"
    );
    assert_eq!(
        said(&[(0, 1, 0, copy), (0, 2, 0, copy)]),
        "step 0, message 1: flits 0-5 of rank 0 are written twice in the step"
    );
    assert_eq!(
        said(&[(0, 1, 3, copy)]),
        "step 0, message 0 (1->3): sender and receiver must be two different ranks from 0 to 2"
    );
    let mut planner = Planner::new(Operation::Broadcast, 3, 0, Layout::of_parts(6, 1, 2));
    let set = planner.block(0, 1);
    planner.send(0, Move { part: 0, src: 1, dst: 2, set }, copy);
    let violation = planner.finish(0).check().unwrap_err();
    assert_eq!(violation.to_string(), "step 0, message 0 (1->2): rank 1 sends flits 3-5 but does not hold them");
    assert!(matches!(violation, CollectiveViolation::NotHeld { src: 1, dst: 2, .. }));
    let mut planner = Planner::new(Operation::Barrier, 2, 0, Layout::of_signals());
    let set = planner.signal();
    planner.send(0, Move { part: 0, src: 0, dst: 1, set }, Action::Signal);
    let said = planner.finish(0).check().unwrap_err().to_string();
    assert_eq!(said, "rank 0 leaves the barrier with the signals of 1 of 2 ranks; the signal of rank 1 is missing");
}

#[test]
fn a_contribution_that_counts_ever_more_often_is_found() {
    // two ranks that combine with each other again and again: each contribution counts 2^61 times, and once modulo the
    // prime of the proof
    let mut planner = Planner::new(Operation::Allreduce, 2, 0, Layout::of_parts(1, 1, 1));
    let set = planner.whole(0);
    for step in 0..62 {
        for src in 0..2 {
            planner.send(step, Move { part: 0, src, dst: 1 - src, set }, Action::Reduce);
        }
    }
    assert!(matches!(planner.finish(0).check(), Err(CollectiveViolation::CountedTwice { step: 1, .. })));
}

#[test]
fn order_is_kept_where_neighbouring_intervals_are_combined() {
    let keeps = |name: &str, ranks: usize| {
        let algorithm = ALGORITHMS.iter().find(|algorithm| algorithm.name == name).unwrap();
        algorithm.plan(&Request::new(Operation::Allreduce, ranks, 24)).unwrap().keeps_order()
    };
    assert!(keeps("recursive-doubling", 8) && keeps("binomial", 7) && keeps("chain", 5) && keeps("rabenseifner", 8));
    assert!(!keeps("ring", 4) && !keeps("swing-bandwidth", 8) && !keeps("circulant", 8));
}
