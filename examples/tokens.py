"""Four tokens travel over a 4x4 mesh: a host program that sends messages when others have arrived.

    python examples/tokens.py

The same in C is ffi/examples/tokens.c, in Rust examples/tokens.rs. A node that holds token u waits 5 (u + 1) ticks and
then sends it, in a message of 40 + 20 u bytes, to another node.
"""

import flitwise as fw

TOKENS = 4
JOURNEYS = 8

SCENARIO = {
    "network": {"mesh": {"shape": [4, 4]}},
    "channel": {"flit_time": 2, "buffer": 2},
    "workload": {"embed": {"flit_bytes": 16}},
}


def send(net, node, token):
    net.send(node, (3 * node + 7 + token) % net.nodes, 40 + 20 * token, user=token)


net = fw.Network(SCENARIO)
at = [0] * TOKENS
journeys = [0] * TOKENS
for token in range(TOKENS):
    send(net, 5 * token, token)
while net.advance():
    for event in net.poll():
        token = event.user
        if event.kind == "timer":
            send(net, at[token], token)
            continue
        print(
            f"token {token} {event.src}>{event.dst} requested {event.requested} injected {event.injected}"
            f" delivered {event.delivered} hops {event.hops} blocked {event.blocked}"
        )
        at[token] = event.dst
        journeys[token] += 1
        if journeys[token] < JOURNEYS:
            net.timer(event.delivered + 5 * (token + 1), user=token)
print(f"idle at {net.now}")
