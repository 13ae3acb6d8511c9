//! Four tokens travel over a 4x4 mesh: a host program that sends messages when others have arrived.
//!
//! `cargo run --release --example tokens`. The same in C is `ffi/examples/tokens.c`, in Python `examples/tokens.py`.
//!
//! A node that holds token u waits 5 (u + 1) ticks and then sends it, in a message of 40 + 20 u bytes, to another node.

#![expect(clippy::print_stdout, reason = "an example shows what it finds")]

use flitwise::embed::{EventKind, Network, Refused};
use std::error::Error;

const TOKENS: u32 = 4;
const JOURNEYS: u32 = 8;

const SCENARIO: &str = "
[network.mesh]
shape = [4, 4]
[channel]
flit_time = 2
buffer = 2
[workload.embed]
flit_bytes = 16
";

fn send(net: &mut Network, node: u32, token: u32) -> Result<u64, Refused> {
    let to = (3 * node + 7 + token) % net.nodes();
    net.send(node, to, 0, 40 + 20 * u64::from(token), net.now(), token.into())
}

fn main() -> Result<(), Box<dyn Error>> {
    let mut net = Network::open(SCENARIO)?;
    let mut holders = [0; TOKENS as usize];
    let mut journeys = [0; TOKENS as usize];
    for token in 0..TOKENS {
        send(&mut net, 5 * token, token)?;
    }
    while net.advance(None)? > 0 {
        while let Some(event) = net.poll() {
            let token = u32::try_from(event.user)?;
            let index = token as usize;
            if event.kind == EventKind::Timer {
                send(&mut net, holders[index], token)?;
                continue;
            }
            println!(
                "token {token} {}>{} requested {} injected {} delivered {} hops {} blocked {}",
                event.src, event.dst, event.requested, event.injected, event.delivered, event.hops, event.blocked
            );
            holders[index] = event.dst;
            journeys[index] += 1;
            if journeys[index] < JOURNEYS {
                net.timer(event.delivered + 5 * (u64::from(token) + 1), event.user)?;
            }
        }
    }
    println!("idle at {}", net.now());
    Ok(())
}
