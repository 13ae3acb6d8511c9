"""Messages in arrays: what the command says of the same trace."""

import csv
import io
import subprocess

import flitwise as fw
import numpy as np
import pytest

MESH = {"network.mesh.shape": [8, 8]}


def random_messages(count, seed=1):
    random = np.random.default_rng(seed)
    return {
        "src": random.integers(0, 64, count),
        "dst": random.integers(0, 64, count),
        "flits": random.integers(1, 20, count),
        "start": np.sort(random.integers(0, count, count)),
    }


@pytest.mark.parametrize("engine", ["worm", "flit", "auto"])
def test_it_is_what_the_command_says_of_the_trace(engine, command, tmp_path):
    messages = random_messages(2000)
    lines = io.StringIO()
    writer = csv.writer(lines, lineterminator="\n")
    writer.writerow(["id", *messages])
    writer.writerows(zip(range(2000), *messages.values()))
    (tmp_path / "trace.csv").write_text(lines.getvalue())
    scenario = {**MESH, "name": "t", "engine.kind": engine, "workload.trace": {"file": "trace.csv", "details": True}}
    (tmp_path / "t.toml").write_text(fw.to_toml(scenario))
    subprocess.run([command, "run", "t.toml", "--messages", "--quiet"], cwd=tmp_path, check=True)
    done = fw.simulate({**MESH, "engine.kind": engine}, messages, links=True)
    with open(tmp_path / "results/t/messages.csv") as file:
        rows = list(csv.DictReader(file))
    for name in ("injected", "delivered", "blocked", "hops"):
        assert getattr(done, name).tolist() == [int(row[name]) for row in rows], name
    plain = fw.simulate({**MESH, "engine.kind": engine}, messages)
    assert (plain.delivered == done.delivered).all() and (plain.blocked == done.blocked).all()
    assert (plain.completion, plain.engine, plain.links) == (done.completion, done.engine, None)
    assert done.completion == done.delivered.max() and done.engine in ("worm", "flit")
    with open(tmp_path / "results/t/links.csv") as file:
        assert done.links["flits"].tolist() == [int(row["flits"]) for row in csv.DictReader(file)]


def test_messages_are_columns_of_any_sort():
    import pandas

    messages = random_messages(100)
    expected = fw.simulate(MESH, messages).delivered
    structured = np.zeros(100, dtype=[("src", "u2"), ("dst", "u2"), ("flits", "i4"), ("start", "i8")])
    for name, values in messages.items():
        structured[name] = values
    import polars

    without = {name: values for name, values in messages.items() if name != "start"}
    unstarted = fw.simulate(MESH, without).delivered
    assert (fw.simulate(MESH, polars.DataFrame(without)).delivered == unstarted).all()
    for other in (pandas.DataFrame(messages), polars.DataFrame(messages), structured, {name: values.tolist() for name, values in messages.items()}):
        assert (fw.simulate(MESH, other).delivered == expected).all()
    assert fw.simulate(MESH, {"src": 0, "dst": 63, "flits": 4}).delivered.tolist() == [4 + 15]
    assert fw.simulate(MESH, {"src": [], "dst": [], "flits": []}).completion == 0


def test_what_messages_cannot_be_is_told():
    with pytest.raises(fw.ScenarioError, match="message 1: `dst` cannot be 64; accepted: an integer from 0 to 63"):
        fw.simulate(MESH, {"src": [0, 1], "dst": [5, 64], "flits": 1})
    with pytest.raises(fw.ScenarioError, match="message 0: `flits` cannot be -1"):
        fw.simulate(MESH, {"src": [0], "dst": [5], "flits": -1})
    with pytest.raises(fw.ScenarioError, match="`src` is missing\naccepted: the columns src, dst, flits, start"):
        fw.simulate(MESH, {"dst": [5], "flits": 1})
    with pytest.raises(fw.ScenarioError, match="unknown column `Strat`; did you mean `start`"):
        fw.simulate(MESH, {"src": [0], "dst": [5], "flits": 1, "Strat": [5]})
    with pytest.raises(fw.ScenarioError, match="there is `requested`"):
        fw.simulate(MESH, fw.run(repetitions=1).messages)
    with pytest.raises(fw.ScenarioError, match="`flits` cannot be 1-dimensional float64"):
        fw.simulate(MESH, {"src": [0], "dst": [5], "flits": [1.5]})
    with pytest.raises(fw.ScenarioError, match="`src` cannot be 9223372036854775809"):
        fw.simulate(MESH, {"src": np.array([2**63 + 1], dtype=np.uint64), "dst": [5], "flits": 1})
    with pytest.raises(fw.ScenarioError, match="`dst` has 3 values, but other columns have 2|`src` has 2 values, but other columns have 3"):
        fw.simulate(MESH, {"src": [0, 1], "dst": [5, 6, 7], "flits": 1})
    with pytest.raises(fw.ScenarioError, match="a trace needs a|at one point"):
        fw.simulate({"model.logp": {"L": 5, "o": 2, "g": 4, "P": 8}}, {"src": [0], "dst": [5], "flits": 1})
    with pytest.raises(fw.ScenarioError, match="at one point"):
        fw.simulate({"sweep.network.mesh.shape": [[4, 4], [8, 8]]}, {"src": [0], "dst": [5], "flits": 1})
