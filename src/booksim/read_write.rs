//! Read and write requests with their replies: four classes on one queue.

use super::classes::packet_rates;
use super::configuration::Configuration;
use super::injection;
use super::toml::{Entries, TomlTable};

/// The queue of all four classes.
const QUEUE: &str = "q";

/// A kind of packets, by the keys of BookSim 2.
pub(super) struct PacketKind {
    pub(super) name: &'static str,
    /// The class of the replies to requests.
    reply: Option<&'static str>,
    size: &'static str,
    subnet: &'static str,
    pub(super) first_vc: &'static str,
    pub(super) last_vc: &'static str,
}

/// All kinds of packets.
pub(super) const KINDS: [PacketKind; 4] = [
    PacketKind {
        name: "read-request",
        reply: Some("read-reply"),
        size: "read_request_size",
        subnet: "read_request_subnet",
        first_vc: "read_request_begin_vc",
        last_vc: "read_request_end_vc",
    },
    PacketKind {
        name: "read-reply",
        reply: None,
        size: "read_reply_size",
        subnet: "read_reply_subnet",
        first_vc: "read_reply_begin_vc",
        last_vc: "read_reply_end_vc",
    },
    PacketKind {
        name: "write-request",
        reply: Some("write-reply"),
        size: "write_request_size",
        subnet: "write_request_subnet",
        first_vc: "write_request_begin_vc",
        last_vc: "write_request_end_vc",
    },
    PacketKind {
        name: "write-reply",
        reply: None,
        size: "write_reply_size",
        subnet: "write_reply_subnet",
        first_vc: "write_reply_begin_vc",
        last_vc: "write_reply_end_vc",
    },
];

impl PacketKind {
    fn is_write(&self) -> bool {
        self.name.starts_with("write")
    }

    /// The flits of a packet.
    fn flits(&self, configuration: &Configuration) -> i64 {
        let flits = configuration.integers(self.size, 1)[0];
        if flits < 1 {
            configuration.refuse(self.size, "out of range", "an integer from 1");
        }
        flits.max(1)
    }

    /// The first and the last virtual channel, as the configuration states them. A negative bound is that of a half.
    pub(super) fn range(&self, configuration: &Configuration) -> [i64; 2] {
        let all = configuration.integer("num_vcs");
        let half = if self.reply.is_some() { (0, all / 2 - 1) } else { (all / 2, all - 1) };
        let bound = |key: &str, half: i64| Some(configuration.integer(key)).filter(|vc| *vc >= 0).unwrap_or(half);
        [bound(self.first_vc, half.0), bound(self.last_vc, half.1)]
    }

    /// The first and the last virtual channel. A range beyond all of them, or one that is too short, is reported.
    pub(super) fn virtual_channels(&self, configuration: &Configuration, least: i64) -> Vec<i64> {
        let all = configuration.integer("num_vcs");
        let [first, last] = self.range(configuration);
        if last >= all {
            let reason = format!("num_vcs = {all} has the virtual channels 0 to {}", all - 1);
            configuration.refuse(self.last_vc, &reason, &format!("at most {}, or -1", all - 1));
        } else if last - first + 1 < least {
            let reason = format!("the virtual channels {first} to {last} are fewer than routing_function needs");
            configuration.refuse(self.last_vc, &reason, &format!("{} or more", first + least - 1));
        }
        vec![first, last]
    }

    /// The network. One beyond `networks` is reported.
    fn network(&self, configuration: &Configuration, networks: i64) -> i64 {
        configuration.integer_in(self.subnet, 0..=networks - 1)
    }
}

/// Writes the classes of requests and replies. A packet needs `least` virtual channels.
pub(super) fn write(configuration: &Configuration, least: i64, workload: &mut Entries) -> Vec<TomlTable> {
    let flits = KINDS.map(|kind| kind.flits(configuration));
    // a division without remainder, as BookSim 2 computes it
    let pair = flits.iter().sum::<i64>() / 2;
    #[expect(clippy::cast_precision_loss, reason = "lengths have 32 bits")]
    let packets = packet_rates(configuration, &[pair as f64])[0];
    workload.append(&injection::read(configuration, configuration.words("injection_process", 1)[0], packets));
    let writes = configuration.decimals("write_fraction", 1)[0];
    if !(0.0..=1.0).contains(&writes) {
        configuration.refuse("write_fraction", "out of range", "a number from 0 to 1");
    }
    let share = |kind: &PacketKind| if kind.is_write() { writes } else { 1.0 - writes };
    let used = KINDS.iter().zip(flits).filter(|(kind, _)| share(kind) > 0.0);
    used.map(|(kind, flits)| class(configuration, kind, Load { flits, packets: packets * share(kind), least }))
        .collect()
}

/// The load of a class, and the virtual channels that it needs.
#[derive(Clone, Copy)]
struct Load {
    flits: i64,
    /// Packets per node and cycle of requests.
    packets: f64,
    least: i64,
}

#[expect(clippy::cast_precision_loss, reason = "lengths have 32 bits")]
fn class(configuration: &Configuration, kind: &PacketKind, load: Load) -> TomlTable {
    let mut table = TomlTable::new("[[workload.traffic.class]]");
    table.insert("name", kind.name);
    if let Some(reply) = kind.reply {
        table.insert("rate", load.packets * load.flits as f64);
        table.insert("reply", reply);
    }
    table.insert("packet_flits", load.flits);
    table.insert("vcs", kind.virtual_channels(configuration, load.least));
    table.insert("queue", QUEUE);
    let networks = configuration.integer("subnets").max(1);
    let network = kind.network(configuration, networks);
    if networks > 1 {
        table.insert("network", network);
    }
    table
}
