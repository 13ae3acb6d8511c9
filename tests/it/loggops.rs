//! The LogGOPS executor: finish times of the classic simulator, closed forms, and the rules word by word.

use crate::support::{data_path, first_nodes, plan, request};
use flitwise::model::{Execution, LogGops, LogP, MessageTimes, Model, Parameterised, execute};
use flitwise::schedule::Schedule;
use flitwise::schedule::goal::{ANY, ANY_TAG, Action, Goal, GoalBuilder, GoalViolation, Operation};
use flitwise::selftest::reference::loggops::finish_times;
use flitwise::units::{Flits, NodeId, Ticks};
use proptest::prelude::*;
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64;

pub(crate) const CLASSIC: LogGops =
    LogGops { latency: 2500, overhead: 1500, gap: 1000, gap_per_byte: 6, overhead_per_byte: 0, eager: 65_535 };

pub(crate) fn run(goal: &Goal, model: &LogGops) -> Result<Execution, GoalViolation> {
    goal.check()?;
    execute(goal, |bytes| model.parts(bytes), model.eager)
}

pub(crate) fn read(text: &str) -> Goal {
    Goal::read(text.as_bytes()).unwrap_or_else(|errors| panic!("{errors:?}"))
}

#[test]
fn finish_times_are_the_classic_simulators() {
    let mut expected = csv::Reader::from_path(data_path("loggops/expected.csv")).unwrap();
    let mut hosts = 0;
    for record in expected.records().map(Result::unwrap) {
        let parameters: Vec<u64> = (1..7).map(|column| record[column].parse().unwrap()).collect();
        let [latency, overhead, gap, gap_per_byte, overhead_per_byte, eager] = parameters[..] else { unreachable!() };
        let model = LogGops { latency, overhead, gap, gap_per_byte, overhead_per_byte, eager };
        let text = std::fs::read(data_path("loggops").join(&record[0])).unwrap();
        let goal = Goal::read(&text).unwrap();
        let execution = run(&goal, &model).unwrap();
        let what = format!("{} {model:?}", &record[0]);
        if !record[7].is_empty() {
            assert_eq!(execution.completion.0.to_string(), record[7], "{what}");
        }
        let finish: Vec<String> = execution.finish.iter().map(Ticks::to_string).collect();
        if !record[8].is_empty() {
            assert_eq!(finish.join(" "), record[8], "{what}");
            hosts += finish.len();
        }
    }
    assert!(hosts > 1000, "{hosts}");
}

/// Random operations whose dependencies go back in time; receives may be from anybody or of any tag.
pub(crate) fn random_goal(random: &mut Pcg64, wild: bool) -> Goal {
    let ranks = random.random_range(1..9_usize);
    let mut of_rank: Vec<Vec<Operation>> = vec![Vec::new(); ranks];
    let resources = if random.random_bool(0.3) { 4 } else { 1 };
    let tags = [1, 3, 1000][random.random_range(0..3)];
    for _ in 0..random.random_range(1..150) {
        let (src, dst) = (random.random_range(0..ranks), random.random_range(0..ranks));
        let tag = random.random_range(0..tags);
        let size = [0, 1, 7, 64, 1000, 4096][random.random_range(0..6)];
        let number = |rank: usize| u32::try_from(rank).unwrap();
        let mut is_any = || wild && random.random_bool(0.2);
        let sent = if is_any() { ANY_TAG } else { tag };
        let source = if is_any() { ANY } else { number(src) };
        let received = if is_any() { ANY_TAG } else { tag };
        let mut operations =
            vec![(src, Operation::send(size, number(dst), sent)), (dst, Operation::receive(size, source, received))];
        if random.random_bool(0.3) {
            operations.push((src, Operation::compute(random.random_range(0..5000))));
        }
        for (rank, operation) in operations {
            let (cpu, nic) = (random.random_range(0..resources), random.random_range(0..resources));
            let nic = if operation.action == Action::Compute { 0 } else { nic };
            of_rank[rank].push(Operation { cpu, nic, ..operation });
        }
    }
    let mut goal = GoalBuilder::default();
    for operations in of_rank {
        goal.next_rank();
        let first = goal.next();
        for operation in operations {
            let id = goal.push(operation);
            for _ in 0..random.random_range(0..3) {
                if id > first {
                    let on = random.random_range(first..id);
                    if random.random_bool(0.3) { goal.irequires(id, on) } else { goal.requires(id, on) }
                }
            }
        }
    }
    goal.finish()
}

fn random_model(random: &mut Pcg64) -> LogGops {
    let mut draw = |largest: u64| random.random_range(0..=largest);
    LogGops {
        latency: draw(3000),
        overhead: draw(1500),
        gap: draw(1500),
        gap_per_byte: draw(6),
        overhead_per_byte: draw(2),
        eager: [u64::MAX, 63, 999][usize::try_from(draw(2)).unwrap()],
    }
}

#[test]
fn the_rules_word_by_word_give_the_same_times() {
    let (mut finished, mut stuck) = (0, 0);
    for seed in 0..2000 {
        let mut random = Pcg64::seed_from_u64(seed);
        let wild = random.random_bool(0.5);
        let (goal, model) = (random_goal(&mut random, wild), random_model(&mut random));
        let ours = run(&goal, &model).map(|e| e.finish.iter().map(|t| t.0).collect::<Vec<_>>());
        let theirs = finish_times(&goal, model);
        assert_eq!(ours.as_ref().ok(), theirs.as_ref().ok(), "seed {seed}");
        finished += u32::from(ours.is_ok());
        stuck += u32::from(ours.is_err());
    }
    assert!(finished > 500 && stuck > 500, "{finished} finished, {stuck} stuck");
}

/// Messages of `bytes` bytes from each rank to those that `to` gives, each as soon as its receives are done.
fn sends(ranks: u32, bytes: u64, to: impl Fn(u32) -> Vec<u32>) -> Goal {
    let edges: Vec<(NodeId, NodeId)> =
        (0..ranks).flat_map(|src| to(src).into_iter().map(move |dst| (NodeId(src), NodeId(dst)))).collect();
    let schedule = Schedule::new(ranks as usize, NodeId(0), Flits(bytes), &edges);
    Goal::of_multicast(&schedule, 1)
}

proptest! {
    #[test]
    fn closed_forms(p in 2_u32..70, bytes in 0_u64..5000, seed in 0_u64..1000) {
        let model = LogGops { eager: u64::MAX, ..random_model(&mut Pcg64::seed_from_u64(seed)) };
        let MessageTimes { send, hold, arrival, receive, .. } = model.parts(bytes);
        let hop = arrival + receive;
        let ranks = u64::from(p);
        let completion = |goal: &Goal| run(goal, &model).unwrap().completion.0;
        let linear = sends(p, bytes, |src| if src == 0 { (1..p).collect() } else { Vec::new() });
        prop_assert_eq!(completion(&linear), (ranks - 2) * send.max(hold) + hop);
        let chain = sends(p, bytes, |src| (src + 1..p).take(1).collect());
        prop_assert_eq!(completion(&chain), (ranks - 1) * hop);
        if send.max(hold) <= hop {
            let binomial = plan("binomial", &request(&first_nodes(p as usize), p as usize, model.parts(bytes).times()));
            let binomial = Goal::of_multicast(&binomial, bytes);
            let longest = u64::from(p.next_power_of_two().ilog2()) * hop;
            let time = completion(&binomial);
            prop_assert_eq!(time.max(if p.is_power_of_two() { 0 } else { longest }), longest);
        }
    }

    /// Trees take what the parameterised form of the model says, message by message.
    #[test]
    fn trees_take_the_parameterised_times(k in 1_usize..60, bytes in 0_u64..3000, seed in 0_u64..1000) {
        let mut random = Pcg64::seed_from_u64(seed);
        let loggops = LogGops { eager: u64::MAX, ..random_model(&mut random) };
        let logp = LogP { latency: loggops.latency, overhead: loggops.overhead, gap: loggops.gap };
        for model in [Model::LogGops(loggops), Model::LogP(logp)] {
            let times = model.times(bytes);
            for name in ["opt-tree", "binomial", "fibonacci", "logp-optimal", "sequential"] {
                let tree = plan(name, &request(&first_nodes(k), k, times));
                let execution = execute(&Goal::of_multicast(&tree, bytes), |b| model.parts(b), model.eager()).unwrap();
                let prices = times.price(&tree, 1);
                let last_send = prices.send_start.iter().max().map_or(0, |start| start.0 + model.parts(bytes).send);
                prop_assert_eq!(execution.completion.0, prices.completion.0.max(last_send), "{} {:?}", name, model);
            }
        }
    }
}

#[test]
fn the_smallest_messages_are_the_classic_simulators_but_for_those_of_no_bytes() {
    let one = |bytes: u64| {
        let goal = sends(2, bytes, |src| if src == 0 { vec![1] } else { Vec::new() });
        run(&goal, &CLASSIC).unwrap().completion.0
    };
    assert_eq!([1, 2, 1025].map(one), [5500, 5506, 11_644]);
    assert_eq!(one(0), 5500, "no bytes are not minus one after the first, for which the classic simulator takes 5494");
}

#[test]
fn what_is_left_unmatched_is_named() {
    let text = "num_ranks 2\nrank 0 {\nsend 8b to 1 tag 1\nsend 8b to 1 tag 2\n}\nrank 1 {\nrecv 8b from 0 tag 2\nrecv 8b from 0 tag 3\n}\n";
    let violation = run(&read(text), &CLASSIC).unwrap_err();
    assert_eq!(
        violation.to_string(),
        "2 errors\n  rank 0, line 3: send 8b to 1 tag 1: rank 1 has no receive that matches this message\n  \
         rank 1, line 8: recv 8b from 0 tag 3: rank 0 has no send that matches this receive; a message with tag 1 in line 3 is not received"
    );
}

#[test]
fn long_messages_wait_for_their_receive() {
    // the receiver computes for 50,000 before it posts
    let text = "num_ranks 2\nrank 0 {\na: send 100000b to 1\nb: calc 10\nb requires a\n}\n\
                rank 1 {\na: calc 50000\nb: recv 100000b from 0\nb requires a\n}\n";
    let finish = |eager: u64| run(&read(text), &LogGops { eager, ..CLASSIC }).unwrap().finish;
    assert_eq!(finish(100_000)[0], Ticks(1500 + 10));
    let matched = 50_000; // the message has come at 4000 and waits for the processor
    assert_eq!(finish(99_999)[0], Ticks(matched + 10));
}

#[test]
fn the_models_agree_where_they_should() {
    let logp = LogP { latency: 6, overhead: 2, gap: 4 };
    let times = |logp: LogP, length| logp.loggops().parts(length).times();
    assert_eq!(times(logp, 1), Parameterised { t_hold: Ticks(4), t_end: Ticks(10) });
    assert_eq!(times(logp, 1 << 40), times(logp, 1));
    let busy = LogP { gap: 1, ..logp };
    assert_eq!(times(busy, 1).t_hold, Ticks(2), "an overhead longer than the gap holds the next send up");
}
