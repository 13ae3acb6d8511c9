"""Networks that a program drives: what happens in them is what a simulation of the same messages says."""

import os
import runpy
import signal
import subprocess
import sys
import threading
import time

import flitwise as fw
import numpy as np
import pytest

MESH = {"network.mesh.shape": [4, 4]}
LINE = {"network.mesh.shape": [4]}
RING = {"network.torus.shape": [4], "channel.virtual_channels": 1}
HELD = {
    **MESH,
    "router.model": "pipelined",
    "channel.buffer": 8,
    "workload.embed": {"flit_bytes": 8, "queue": 16, "ejection": "held", "ejection_buffer": 24},
}
FIELDS = ["kind", "id", "user", "requested", "injected", "delivered", "blocked", "queued", "bytes", "src", "dst", "hops", "cls"]


def fields(event):
    return [getattr(event, name) for name in FIELDS]


def test_tokens(root, capsys):
    runpy.run_path(str(root / "examples/tokens.py"))
    assert capsys.readouterr().out == (root / "tests/data/embed/tokens.txt").read_text()


@pytest.mark.parametrize(
    "network",
    [MESH, {**MESH, "router.model": "pipelined"}, {"network.torus.shape": [4, 4]}, {**MESH, "engine.kind": "flit", "channel.flit_time": 3}],
)
def test_messages_sent_in_reaction_to_arrivals_have_the_times_of_a_simulation(network):
    random = np.random.default_rng(1)
    net = fw.Network(network)
    sent, arrived = [], {}

    def send(src, at):
        message = (int(src), int(random.integers(16)), int(random.integers(1, 12)), int(at))
        src, dst, flits, at = message
        assert net.send(src, dst, flits, at) == len(sent)
        sent.append(message)

    for _ in range(8):
        send(random.integers(16), random.integers(20))
    while len(arrived) < 200:
        until = random.choice([None, net.now + 3, net.next])
        if not net.advance(None if until is None else int(until)):
            continue
        for event in net.poll():
            if event.kind == "message":
                arrived[event.id] = event
                assert event.delivered == net.now
                send(event.dst, net.now + random.integers(10))
            if event.id % 5 == 0:
                net.timer(net.now + int(random.integers(1, 30)))
            elif event.kind == "timer" and len(sent) < 300:
                send(random.integers(16), net.now)
    while net.advance():
        arrived.update((event.id, event) for event in net.poll() if event.kind == "message")
    assert (net.pending, net.next, len(arrived)) == (0, None, len(sent))
    columns = dict(zip(("src", "dst", "flits", "start"), map(list, zip(*sent))))
    expected = fw.simulate(network, columns)
    events = [arrived[i] for i in range(len(sent))]
    for name in ("injected", "delivered", "blocked", "hops"):
        assert [getattr(event, name) for event in events] == getattr(expected, name).tolist(), name
    assert [(event.src, event.dst, event.bytes, event.requested) for event in events] == sent
    stats = net.stats()
    assert (stats["sent"], stats["delivered"], stats["pending"]) == (len(sent), len(sent), 0)
    assert stats["latency_max"] == max(event.delivered - event.requested for event in events)


def test_events_come_by_tick_then_messages_by_number_then_timers_by_number():
    net = fw.Network(LINE)
    assert [net.timer(3), net.timer(2, user=2**64 - 1), net.timer(3)] == [0, 1, 2]
    assert [net.send(*ends, 1) for ends in ((2, 3), (1, 0), (0, 1))] == [0, 1, 2]
    assert (net.advance(10), net.now, net.next) == (1, 2, 2)
    assert net.timer(2) == 3, "it follows the events that have not been read"
    assert [(event.kind, event.id, event.user) for event in net.poll()] == [("timer", 1, 2**64 - 1)]
    assert (net.advance(2), [event.id for event in net.poll()]) == (1, [3])
    assert (net.advance(10), net.now) == (5, 3)
    first = net.poll(2)
    assert (net.advance(99), net.now) == (3, 3), "unread events do not let it advance"
    events = first + net.poll(max=100)
    assert [(event.kind, event.id) for event in events] == [("message", 0), ("message", 1), ("message", 2), ("timer", 0), ("timer", 2)]
    assert (net.poll(), net.next, net.advance(), net.now, net.advance(7), net.now) == ([], None, 0, 3, 0, 7)


def test_events_compare_and_read_well():
    nets = [fw.Network({**LINE, "workload.embed.flit_bytes": 4}) for _ in range(2)]
    for net in nets:
        net.timer(8, user=5)
        net.send(1, 3, 9, at=4, user=6)
    events, others = ([event for _ in range(2) for event in (net.advance(), net.poll())[1]] for net in nets)
    assert events == others and events[0] != events[1] and len({*events, *others}) == 2
    message, timer = sorted(events, key=lambda event: event.kind)
    assert fields(message) == ["message", 0, 6, 4, 4, 10, 0, 0, 9, 1, 3, 2, 0]
    assert repr(message) == (
        "Event(kind='message', id=0, user=6, requested=4, injected=4, delivered=10, blocked=0, queued=0, bytes=9, src=1, dst=3, hops=2, cls=0)"
    )
    assert repr(timer) == "Event(kind='timer', id=0, user=5, requested=0, delivered=8)"
    assert fields(timer) == ["timer", 0, 5, 0, 0, 8, *[0] * 7] and timer != 8
    with pytest.raises(AttributeError):
        timer.user = 1


def test_properties(tmp_path):
    text = "tick = '2ns'\n[network.mesh]\nshape = [4, 4]\n[channel]\nflit_time = 3\n[workload.embed]\nflit_bytes = 16\n"
    (tmp_path / "net.toml").write_text(text)
    for net in (fw.Network(text), fw.Network(tmp_path / "net.toml"), fw.Network(str(tmp_path / "net.toml"))):
        assert (net.nodes, net.classes, net.flit_bytes, net.cycle, net.tick_fs) == (16, ["default"], 16, 3, 2_000_000)
        assert (net.now, net.next, net.held, net.pending) == (0, None, 0, 0)
        assert repr(net) == "<network of 16 nodes at tick 0, 0 messages pending>"
    assert fw.Network(text, set={"workload.embed.flit_bytes": 32}, unset="tick").flit_bytes == 32
    assert fw.Network(MESH).tick_fs == 0


def test_a_network_is_closed_after_a_with_block():
    with fw.Network(MESH) as net:
        net.send(0, 1, 1)
    for use in (net.advance, net.poll, net.stats, lambda: net.now, lambda: net.send(0, 1, 1), lambda: net.peek(0)):
        with pytest.raises(ValueError, match="the network is closed"):
            use()
    net.close()
    assert repr(net) == "<closed network>"


def test_invalid_scenarios_are_refused(tmp_path):
    (tmp_path / "bad.toml").write_text("[network.mesh]\nshape = [4, 4]\nshap = 1\n[workload.embed]\nqueue = 0\n")
    with pytest.raises(fw.ScenarioError, match=r"bad.toml:3:1.*\n(.*\n)*.*bad.toml:5:9") as caught:
        fw.Network(tmp_path / "bad.toml")
    assert [(one.line, one.file) for one in caught.value.diagnostics] == [(3, str(tmp_path / "bad.toml")), (5, str(tmp_path / "bad.toml"))]
    with pytest.raises(fw.ScenarioError, match=r"\[workload.trace\] has no effect(.*\n)*.*workload.embed"):
        fw.Network({**MESH, "workload.trace.file": "x.csv"})
    with pytest.raises(fw.ScenarioError, match="multicast"):
        fw.Network(None)
    with pytest.raises(fw.ScenarioError, match="UTF-8"):
        (tmp_path / "latin.toml").write_bytes(b"name = '\xe9\xe8'")
        fw.Network(tmp_path / "latin.toml")
    with pytest.raises(fw.ScenarioError, match="memory"):
        fw.Network({"network.mesh.shape": [200, 200]}, memory="100K")
    with pytest.raises(FileNotFoundError):
        fw.Network(tmp_path / "none.toml")
    with pytest.raises(FileNotFoundError, match="none.cfg"):
        fw.Network.booksim(tmp_path / "none.cfg")
    with pytest.raises(TypeError, match="a scenario cannot be int"):
        fw.Network(3)


@pytest.mark.parametrize(
    "call, said",
    [
        (lambda net: net.send(16, 0, 1), "node 16 does not exist; nodes are numbered from 0 to 15"),
        (lambda net: net.send(0, -1, 1), "node -1 does not exist; nodes are numbered from 0 to 15"),
        (lambda net: net.can_send(2**70, 1), f"node {2**70} does not exist; nodes are numbered from 0 to 15"),
        (lambda net: net.send(0, 1, 1, cls=1), "class 1 does not exist; classes are numbered from 0 to 0"),
        (lambda net: net.send(0, 1, 1, cls=-1), "class -1 does not exist; classes are numbered from 0 to 0"),
        (lambda net: net.send(0, 1, 1, cls="fast"), "there is no class `fast`; accepted: default"),
        (lambda net: net.send(0, 1, -1), "`bytes` cannot be -1; accepted: integers from 0 to 2^63 - 1"),
        (lambda net: net.send(0, 1, 2**63), f"`bytes` cannot be {2**63}; accepted: integers from 0 to 2^63 - 1"),
        (lambda net: net.send(0, 1, 2**40), "a message of 1099511627776 bytes, 1099511627776 flits of 1, is too long"),
        (lambda net: net.send(0, 1, 1, at=4), "tick 4 is not accepted: the time is 5, and ticks from then on below 2^60"),
        (lambda net: net.send(0, 1, 1, at=-4), "tick -4 is not accepted: the time is 5, and ticks from then on below 2^60"),
        (lambda net: net.timer(2**60), f"tick {2**60} is not accepted: the time is 5"),
        (lambda net: net.timer(2**64), f"tick {2**64} is not accepted: the time is 5"),
        (lambda net: net.timer(9, user=-1), "`user` cannot be -1; accepted: integers from 0 to 2^64 - 1"),
        (lambda net: net.advance(4), "the time cannot become tick 4: it is 5, and ticks from then on below 2^60"),
        (lambda net: net.advance(-4), "the time cannot become tick -4: it is 5, and ticks from then on below 2^60"),
        (lambda net: net.advance(2**60), f"the time cannot become tick {2**60}: it is 5"),
        (lambda net: net.advance(2**64 - 1), f"the time cannot become tick {2**64 - 1}: it is 5"),
        (lambda net: net.poll(-1), "`max` cannot be -1; accepted: 0 and above, or None"),
        (lambda net: net.peek(0), "no message is held at a node: .*held"),
        (lambda net: net.take(99), "node 99 does not exist"),
        (lambda net: net.take(0), "no message is held at a node: .*held"),
    ],
)
def test_wrong_arguments_change_nothing(call, said):
    net = fw.Network(MESH)
    net.advance(5)
    net.send(0, 1, 1, at=7)
    with pytest.raises(ValueError) as caught:
        call(net)
    assert str(caught.value).startswith(said.split(".*")[0]) and said.split(".*")[-1] in str(caught.value)
    assert (net.now, net.pending, net.timer(9), net.send(0, 1, 1)) == (5, 1, 0, 1)


def test_arguments_are_integers_of_any_type():
    net = fw.Network(MESH)
    assert net.send(np.int64(0), np.uint8(1), np.int32(3), at=np.int16(2), cls=np.int8(0), user=np.uint64(2**64 - 1)) == 0
    assert (net.advance(np.int64(50)), net.poll(np.int64(1))[0].user) == (1, 2**64 - 1)
    for call in (lambda: net.send(0.0, 1, 1), lambda: net.send(0, 1, "1"), lambda: net.timer(5.5), lambda: net.advance("9")):
        with pytest.raises(TypeError, match="integer"):
            call()


def test_a_deadlock_is_reported_after_timers():
    net = fw.Network(RING)
    net.send_many([0, 1, 2, 3], [2, 3, 0, 1], 10)
    net.timer(5000)
    assert (net.advance(), net.now, net.poll()[0].kind) == (1, 5000, "timer")
    for until, now in ((9000, 9000), (None, 9000), (9000, 9000), (9001, 9001)):
        with pytest.raises(fw.Deadlock, match="deadlock: 4 messages wait forever: 0, 1, 2, 3\n(.*\n)*.*held by message") as caught:
            net.advance(until)
        assert (net.now, net.next, net.pending, caught.value.cycle) == (now, None, 4, [])
    net.timer(9002)
    assert net.advance() == 1, "timers continue"


def test_batches_are_repeated_calls():
    nets = [fw.Network({**MESH, "workload.embed.flit_bytes": 8}) for _ in range(2)]
    random = np.random.default_rng(2)
    src, dst = random.integers(0, 16, (2, 50))
    at = random.integers(0, 30, 50)
    nets[0].advance(3)
    nets[1].advance(3)
    ids = nets[0].send_many(src, dst.tolist(), 40, at=at + 3, user=np.arange(50, dtype=np.uint64) + 2**63)
    assert ids.dtype == np.int64 and ids.tolist() == list(range(50))
    for i in range(50):
        nets[1].send(src[i], dst[i], 40, at[i] + 3, 0, 2**63 + i)
    for net in nets:
        assert net.send_many(3, 4, 5, cls="default").tolist() == [50]
        net.timer(20)
    events = []
    while nets[1].advance():
        events += nets[1].poll()
    columns = []
    while nets[0].advance():
        columns.append(nets[0].poll_arrays(3))
    together = {name: np.concatenate([column[name] for column in columns]) for name in columns[0]}
    assert list(together) == FIELDS and all(len(column["id"]) <= 3 for column in columns)
    expected = np.array([[event.kind == "timer", *fields(event)[1:]] for event in events], dtype=object).T
    for name, values in zip(FIELDS, expected):
        assert together[name].tolist() == values.tolist(), name
        assert together[name].dtype == (np.uint64 if name == "user" else np.int64)
    assert nets[0].poll_arrays()["id"].tolist() == []
    assert nets[0].send_many([], [], []).tolist() == []


def test_the_first_wrong_message_of_a_batch_is_named():
    net = fw.Network({**MESH, "workload.embed.queue": 10})
    for arguments, said in (
        (([0, 1, 2], [1, 16, -1], 1), "message 1: node 16 does not exist; nodes are numbered from 0 to 15"),
        (([3, -1], 0, 1), "message 1: node -1 does not exist"),
        ((0, 1, [1, 11]), "message 1: a message of 11 bytes, 11 flits of 1, is too long: at most 10 flits are accepted"),
        ((0, 1, [1, 11, -5], [-3, 0, 0]), "message 0: tick -3 is not accepted: the time is 0"),
        ((0, 1, [-5]), "message 0: `bytes` cannot be -5"),
        ((0, 1, 1, None, [0, 3]), "message 1: class 3 does not exist"),
        ((0, [1, 2], [1, 2, 3]), "`dst` has 2 values, but other arguments have 3"),
        ((0, 1, np.array([1, 2**63], np.uint64)), f"`bytes` cannot be {2**63}; accepted: integers from "),
        ((0, 1, 1, None, 0, [5, -1]), f"`user` cannot be -1; accepted: integers from 0 to {2**64 - 1}"),
    ):
        with pytest.raises(ValueError) as caught:
            net.send_many(*arguments)
        assert str(caught.value).startswith(said)
    assert net.pending == 4, "those before the wrong ones were sent"
    for wrong in (0.5, [[1]], ["1"], None):
        with pytest.raises(TypeError, match="`src` cannot be"):
            net.send_many(wrong, 1, 1)
    with pytest.raises(TypeError, match="`cls` cannot be 'fast'"):
        net.send_many(0, 1, 1, cls="fast")
    assert net.send_many(5, 6, [4, 4, 4, 2]).tolist() == [4, 5, -1, 6]


def test_queues_refuse_messages_that_have_no_room():
    net = fw.Network(HELD)
    assert net.send(5, 5, 12 * 8) == 0
    assert (net.can_send(5, 5 * 8), net.can_send(5, 4 * 8), net.can_send(6, 16 * 8)) == (False, True, True)
    assert (net.send(5, 6, 5 * 8), net.send(5, 6, 4 * 8), net.send(5, 6, 1)) == (None, 1, None)
    with pytest.raises(ValueError, match="17 flits of 8, is too long: at most 16 flits are accepted, the injection queue"):
        net.can_send(5, 17 * 8)
    for now in range(1, 12):
        net.advance(now)
        assert (net.can_send(5, now * 8), net.can_send(5, now * 8 + 1)) == (True, False)


def test_held_messages_wait_until_they_are_taken():
    expected = fw.simulate({**MESH, "router.model": "pipelined", "channel.buffer": 8}, {"src": [0, 0, 1], "dst": 5, "flits": [12, 12, 1], "start": [0, 0, 80]})
    net = fw.Network(HELD, set={"workload.embed.queue": "unlimited"})
    assert net.send_many([0, 0, 1], 5, [96, 96, 8], at=[0, 0, 80]).tolist() == [0, 1, 2]
    assert (net.peek(5), net.take(5), net.held) == (None, None, 0)
    assert net.advance() == 0, "arrivals are not events"
    last = int(expected.delivered[1])
    assert (net.held, net.pending, net.now, net.next) == (2, 3, last, None), "the buffer is full"
    assert net.peek(5, "default") == net.peek(5) and net.peek(4) is None
    first = net.take(5)
    assert (first.id, first.delivered, first.bytes) == (0, expected.delivered[0], 96)
    assert net.advance() == 0 and net.now > last
    assert [net.take(5).id, net.take(5).id, net.take(5)] == [1, 2, None]
    assert (net.pending, net.advance(), net.stats()["delivered"]) == (0, 0, 3)


def test_steps_of_any_length_do_not_change_the_time():
    """Advances are interrupted by checks for signals, which must not be visible."""
    scenario = {**MESH, "engine.kind": "flit", "workload.embed.flit_bytes": 1}
    net = fw.Network(scenario)
    net.send(0, 15, 20_000)
    assert (net.advance(15_001), net.now) == (0, 15_001)
    assert (net.advance(), net.now) == (1, 20_000 + 7)
    assert net.poll()[0].delivered == 20_007
    assert (net.advance(2**59), net.now, net.advance(), net.now) == (0, 2**59, 0, 2**59)
    held = fw.Network({**HELD, "workload.embed": {"ejection": "held", "ejection_buffer": 30_000}})
    held.send_many([0, 1, 3], [1, 2, 2], [20_000, 20_000, 20_000])
    assert (held.advance(), held.held, held.next) == (0, 2, None)
    events = [held.peek(node) for node in (1, 2)]
    assert held.now == max(event.delivered for event in events)


@pytest.mark.skipif(os.name == "nt", reason="signals are sent otherwise there")
@pytest.mark.parametrize("until", ["", "2**50"])
def test_control_c_interrupts_an_advance(until):
    program = (
        "import flitwise as fw, signal, sys\n"
        "signal.signal(signal.SIGINT, signal.default_int_handler)  # background jobs ignore it\n"
        "net = fw.Network({'network.mesh.shape': [8, 8], 'engine.kind': 'flit'})\n"
        "net.send_many(range(64), range(63, -1, -1), 2**31)\n"
        "print('begun', flush=True)\n"
        f"try: net.advance({until})\n"
        "except KeyboardInterrupt:\n"
        "    before = net.now\n"
        "    net.advance(before + 5)\n"
        "    print('interrupted', before > 0, net.now - before, net.pending)\n"
        "    sys.exit(7)\n"
    )
    with subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout.readline() == "begun\n"
        time.sleep(1.0)
        process.send_signal(signal.SIGINT)
        said, _ = process.communicate(timeout=60)
    assert (said, process.returncode) == ("interrupted True 5 64\n", 7)


@pytest.mark.skipif(os.name == "nt", reason="signals are sent otherwise there")
def test_a_signal_handler_can_use_the_network():
    net = fw.Network({"network.mesh.shape": [8, 8], "engine.kind": "flit"})
    net.send_many(range(64), range(63, -1, -1), 2**31)
    before = signal.signal(signal.SIGALRM, lambda *_: net.timer(net.now))
    signal.setitimer(signal.ITIMER_REAL, 0.3)
    try:
        assert net.advance() == 1 and net.poll()[0].kind == "timer"
    finally:
        signal.signal(signal.SIGALRM, before)


def test_a_network_belongs_to_its_thread():
    net = fw.Network(MESH)
    caught = []

    def use():
        try:
            net.send(0, 1, 1)
        except BaseException as error:
            caught.append(str(error))

    thread = threading.Thread(target=use)
    thread.start()
    thread.join()
    assert "thread" in caught[0] and net.pending == 0
    assert net.send(0, 1, 1) == 0


def test_a_booksim_configuration(tmp_path):
    (tmp_path / "mesh.cfg").write_text(
        "topology = mesh\nk = 4\nn = 2\nrouting_function = dim_order\nnum_vcs = 2\nvc_buf_size = 8\n"
        "subnets = 2\nboundary_buffer_size = 16\nflit_size = 32\n"
        + "".join(f"{kind}_{type}_begin_vc = 0\n{kind}_{type}_end_vc = 1\n" for kind in ("read", "write") for type in ("request", "reply"))
    )
    net = fw.Network.booksim(tmp_path / "mesh.cfg")
    assert (net.nodes, net.classes, net.flit_bytes, net.cycle) == (16, ["subnet0", "subnet1"], 32, 1)
    assert [net.send(0, 15, 64, cls=cls) for cls in ("subnet0", 1)] == [0, 1]
    assert net.send_many(1, 2, 32, cls=[1, 0]).tolist() == [2, 3]
    assert (net.advance(), net.held) == (0, 4)
    assert (net.take(15, "subnet1").id, net.take(15, 0).id, net.take(2, "subnet0").id) == (1, 0, 3)
    (tmp_path / "bad.cfg").write_text("topology = mesh\nk = 4\nn = 2\nboundary_buffer_size = 16\nnum_vcs = many\n")
    with pytest.raises(fw.ScenarioError, match=r"bad.cfg:5.*num_vcs.*many"):
        fw.Network.booksim(str(tmp_path / "bad.cfg"))
