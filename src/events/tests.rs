//! The queues against each other, at random and in small models: every short order of pushes and pops.

use super::*;
use proptest::prelude::*;

fn popped<Q: EventQueue>(events: &[(u64, Kind, u32)]) -> Vec<(u64, Kind, u32)> {
    let mut queue = Q::default();
    for &(time, kind, number) in events {
        queue.push(QueuedEvent { time: Ticks(time), kind, number });
    }
    std::iter::from_fn(|| queue.pop()).map(|e| (e.time.0, e.kind, e.number)).collect()
}

#[test]
fn equal_times_pop_by_kind_then_number() {
    use Kind::{Deliver, Request, Wake};
    let pushed = [(5, Request, 1), (5, Wake, 9), (5, Deliver, 7), (5, Request, 0), (4, Request, 3)];
    let expected = [(4, Request, 3), (5, Deliver, 7), (5, Wake, 9), (5, Request, 0), (5, Request, 1)];
    assert_eq!(popped::<RingQueue>(&pushed), expected);
    assert_eq!(popped::<HeapQueue>(&pushed), expected);
}

/// How far ahead an event is pushed: within the tick, the inner ring, the outer ring, beyond, and at their edges.
fn delay() -> impl Strategy<Value = u64> {
    prop_oneof![
        Just(0),
        0..4_u64,
        0..INNER,
        0..INNER * OUTER,
        0..40 * INNER * OUTER,
        Just(INNER - 1),
        Just(INNER),
        Just(INNER * OUTER - 1),
        Just(INNER * OUTER),
        Just(INNER * OUTER + 1),
    ]
}

/// How far ahead events are pushed in small models: at the edges of the tick, the rings and what lies beyond.
const EDGES: [u64; 7] = [0, 1, INNER - 1, INNER, INNER * (OUTER - 1), INNER * OUTER, 3 * INNER * OUTER];

/// Pushes and pops as `digits`, base eight, say: an edge to push at, or a pop; the ring must pop what the heap pops.
fn pops_agree(before: &[QueuedEvent], mut digits: u32, steps: u32) {
    let mut ring = RingQueue::default();
    ring.in_rings = before.len() < FEW;
    let mut heap = HeapQueue::default();
    for &event in before {
        ring.push(event);
        heap.push(event);
    }
    // where several events are there before, the first pop tells the time
    let pops = u32::from(before.len() == 1);
    let mut now = before.iter().map(|event| event.time.0).min().unwrap_or(0);
    for _ in 0..pops {
        assert_eq!(ring.pop(), heap.pop());
    }
    for step in 0..steps {
        // neither rising nor falling, and neighbours of the same kind among them
        let number = [3, 1, 4, 0, 2, 5][step as usize];
        match EDGES.get((digits % 8) as usize) {
            Some(ahead) => {
                let kind = if number % 4 < 2 { Kind::Deliver } else { Kind::Wake };
                let event = QueuedEvent { time: Ticks(now.saturating_add(*ahead)), kind, number };
                ring.push(event);
                heap.push(event);
            }
            None => {
                let popped = ring.pop();
                assert_eq!(popped, heap.pop(), "{digits}");
                now = popped.map_or(now, |event| event.time.0);
            }
        }
        digits /= 8;
    }
    while let Some(event) = heap.pop() {
        assert_eq!(ring.pop(), Some(event));
    }
    assert_eq!(ring.pop(), None);
}

/// An event at `time`.
fn alone(time: u64) -> QueuedEvent {
    QueuedEvent { time: Ticks(time), kind: Kind::Timer, number: 9 }
}

#[test]
fn every_short_order_of_pushes_and_pops_in_the_rings_is_that_of_the_heap() {
    // from the start, from the last ticks of a window and of the outer ring, and up to the end of all time
    let end = u64::MAX - 4 * INNER * OUTER;
    for start in [0, INNER - 1, INNER * OUTER - 1, end, u64::MAX - INNER, u64::MAX] {
        (0..8_u32.pow(5)).for_each(|digits| pops_agree(&[alone(start)], digits, 5));
    }
    (0..8_u32.pow(6)).for_each(|digits| pops_agree(&[alone(2 * INNER - 1)], digits, 6));
}

#[test]
fn every_short_order_where_few_events_become_many_is_that_of_the_heap() {
    let spread = |apart: u64| -> Vec<QueuedEvent> { (0..FEW as u64).map(|at| alone(5 + at * apart)).collect() };
    for apart in [0, 1, INNER / 2, INNER * OUTER / 4] {
        (0..8_u32.pow(4)).for_each(|digits| pops_agree(&spread(apart), digits, 4));
    }
}

#[test]
fn the_next_bucket_is_the_first_that_is_not_empty() {
    for first in 0..128_u64 {
        for second in first..128 {
            let mut ring = Ring::new(128);
            [first, second].into_iter().for_each(|bucket| ring.push(bucket, 0, &mut Vec::new()));
            for from in 0..128 {
                let plain = [first, second].into_iter().find(|&bucket| bucket >= from);
                assert_eq!(ring.next(from), plain);
                assert_eq!(ring.next_after(from), plain.or(Some(first)));
            }
        }
    }
}

proptest! {
    #[test]
    fn the_ring_pops_what_the_heap_pops(
        steps in prop::collection::vec((delay(), 0..3_u8, 0..50_u32, 0..3_usize), 1..400)
    ) {
        let (mut ring, mut heap) = (RingQueue::default(), HeapQueue::default());
        let mut now = Ticks::ZERO;
        for (delay, kind, number, pops) in steps {
            let kind = [Kind::Deliver, Kind::Wake, Kind::Request][usize::from(kind)];
            let event = QueuedEvent { time: now + Ticks(delay), kind, number };
            ring.push(event);
            heap.push(event);
            for _ in 0..pops {
                let popped = ring.pop();
                prop_assert_eq!(popped, heap.pop());
                now = popped.map_or(now, |event| event.time);
            }
        }
        while let Some(event) = heap.pop() {
            prop_assert_eq!(ring.pop(), Some(event));
        }
        prop_assert_eq!(ring.pop(), None);
    }

    /// Events are pushed no earlier than the tick through which they have been popped, as a run in the hands of a caller pushes them.
    #[test]
    fn the_ring_pops_through_a_tick_what_the_heap_pops(
        steps in prop::collection::vec((delay(), 0..3_u8, 0..50_u32, prop_oneof![Just(None), delay().prop_map(Some)]), 1..400)
    ) {
        let (mut ring, mut heap) = (RingQueue::default(), HeapQueue::default());
        let mut now = Ticks::ZERO;
        for (delay, kind, number, ahead) in steps {
            let kind = [Kind::Deliver, Kind::Wake, Kind::Request][usize::from(kind)];
            let event = QueuedEvent { time: now + Ticks(delay), kind, number };
            ring.push(event);
            heap.push(event);
            let Some(ahead) = ahead else { continue };
            now += Ticks(ahead);
            loop {
                prop_assert_eq!(ring.next_time(), heap.next_time());
                let popped = ring.pop_through(now);
                prop_assert_eq!(popped, heap.pop_through(now));
                if popped.is_none() {
                    break;
                }
            }
        }
    }
}
