//! Statistics of an embedded network.

use super::Network;
use crate::engine::Arrivals;
use crate::units::Flits;
use serde_json::{Value, json};

/// Totals of the messages that have been sent in a class.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct SentTotals {
    messages: u64,
    /// Flits on the wire.
    flits: u64,
    bytes: u64,
}

impl SentTotals {
    /// Adds a message of `bytes` bytes and `flits` flits.
    pub(super) fn add(&mut self, flits: Flits, bytes: u64) {
        self.messages += 1;
        self.flits = self.flits.saturating_add(flits.on_wire());
        self.bytes = self.bytes.saturating_add(bytes);
    }
}

/// The mean and the largest latency of messages that have arrived. The mean is null if there are none.
fn latencies(arrivals: &Arrivals) -> [Value; 2] {
    #[expect(clippy::cast_precision_loss, reason = "a mean is a decimal number")]
    let mean = (arrivals.messages > 0).then(|| arrivals.latency as f64 / arrivals.messages as f64);
    [json!(mean), json!(arrivals.largest.0)]
}

impl Network {
    /// The statistics as a JSON object: `engine`, `now`, `sent`, `delivered`, `pending` and `held` messages, `flits` on the wire and
    /// `bytes` that were sent, `latency_mean` (null if nothing has arrived) and `latency_max` in ticks from the request to the arrival,
    /// and in `classes` for each class `class`, `sent`, `delivered`, `latency_mean` and `latency_max`.
    pub fn stats(&self) -> Value {
        let arrivals: Vec<Arrivals> = self.running.read(|live| live.arrivals().to_vec());
        let mut arrived = Arrivals::default();
        arrivals.iter().for_each(|class| arrived.merge(class));
        let sent = |part: fn(&SentTotals) -> u64| self.sent.iter().map(part).fold(0, u64::saturating_add);
        let class = |((name, sent), arrivals): ((&String, &SentTotals), &Arrivals)| {
            let [mean, largest] = latencies(arrivals);
            json!({
                "class": name,
                "sent": sent.messages,
                "delivered": arrivals.messages,
                "latency_mean": mean,
                "latency_max": largest,
            })
        };
        let classes: Vec<Value> = self.facts.classes.iter().zip(&self.sent).zip(&arrivals).map(class).collect();
        let [mean, largest] = latencies(&arrived);
        json!({
            "engine": self.facts.engine,
            "now": self.now(),
            "sent": sent(|class| class.messages),
            "delivered": arrived.messages,
            "pending": self.pending(),
            "held": self.held(),
            "flits": sent(|class| class.flits),
            "bytes": sent(|class| class.bytes),
            "latency_mean": mean,
            "latency_max": largest,
            "classes": classes,
        })
    }
}
