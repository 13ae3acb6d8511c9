//! A trace as the chip's makers write it: absolute times, and events that say nothing of reads.

use super::{Action, Event, Processor};
use serde_json::{Value, json};

/// Time 0 of traces that are written: more than 32 bits.
const BEGIN: u64 = 4_349_885_131_335;

/// After how many events of a processor its beginning is told again, with its old time, as in some of the chip's own traces.
const AGAIN: usize = 3;

/// The text of the trace of `processors`, those of a tile one after the other.
pub fn npe(processors: &[Processor]) -> String {
    let mut events = vec![json!({
        "proc": "", "zone": "PROFILER-NOC-QUICK-SEND", "zone_phase": "begin", "sx": 1, "sy": 1, "timestamp": BEGIN - 500,
    })];
    for processor in processors {
        let kernel = json!({
            "proc": processor.name, "zone": format!("{}-KERNEL", processor.name), "zone_phase": "begin",
            "sx": processor.tile.x, "sy": processor.tile.y, "timestamp": BEGIN,
        });
        events.push(kernel.clone());
        for (number, event) in processor.events.iter().enumerate() {
            if number == AGAIN {
                events.push(kernel.clone());
            }
            events.extend(written(processor, event));
        }
    }
    Value::Array(events).to_string()
}

fn written(processor: &Processor, event: &Event) -> Vec<Value> {
    // what goes nowhere goes to (-1, -1)
    let value = |kind: &str, at: u64, to: [Value; 2], bytes: u64| {
        let [dx, dy] = to;
        json!({
            "proc": processor.name, "noc": format!("NOC_{}", event.network), "vc": -1,
            "sx": processor.tile.x, "sy": processor.tile.y, "dx": dx, "dy": dy,
            "num_bytes": bytes, "type": kind, "timestamp": BEGIN + at, "kernel_start_delta": at,
        })
    };
    let nowhere = || [json!(-1), json!(-1)];
    match event.action {
        Action::Read { from, bytes } => vec![value("READ", event.at, [json!(from.x), json!(from.y)], bytes)],
        Action::Barrier { end } => {
            let start = value("READ_BARRIER_START", event.at, nowhere(), 0);
            vec![start, value("READ_BARRIER_END", end, nowhere(), 0)]
        }
    }
}
