"""Runs: the same bytes as the command, tables of every sort, errors with their places, Ctrl-C."""

import json
import os
import pickle
import re
import signal
import subprocess
import sys
import threading
import time

import flitwise as fw
import numpy as np
import pytest

NODE = {"send_setup": 2000, "send_per_flit": 2, "receive_setup": 3500, "receive_per_flit": 3}
MULTICAST = {
    "network.mesh.shape": [8, 8],
    "node": NODE,
    "workload.multicast": {"algorithms": ["opt-mesh", "u-mesh"], "flits": 1024, "group": 32},
}
ALLREDUCE = {
    "network.torus.shape": [4, 4],
    "workload.collective": {"operation": "allreduce", "algorithms": ["ring"], "flits": 64},
}
TRAFFIC = {
    "network.mesh.shape": [4, 4],
    "workload.traffic": {"pattern": "uniform", "rate": 0.1, "packet_flits": 4, "warmup": 100, "measure": 1000},
}


def run_command(command, *words, folder):
    return subprocess.run([command, *map(str, words)], cwd=folder, capture_output=True, text=True, check=False)


@pytest.mark.parametrize(
    "scenario",
    [
        "name = 'm'\nnetwork.mesh.shape = [8, 8]\nworkload.multicast = { algorithms = ['u-mesh'], flits = 64, group = 9 }\n",
        "name = 'e'\nnetwork.torus.shape = [4, 4]\nworkload.exchange = { algorithms = ['double-hop', 'direct'], block_flits = 4 }\nchannel.virtual_channels = 2\n",
        "name = 't'\nnetwork.mesh.shape = [4, 4]\nworkload.trace = { file = 'messages.csv', details = true }\n",
        "name = 's'\nsweep.network.mesh.shape = [[4, 4], [8, 8]]\nrepetitions = 3\nworkload.multicast = { algorithms = ['opt-mesh'], flits = 64, group = 9 }\n",
    ],
)
@pytest.mark.parametrize("messages", [False, True])
def test_files_are_the_commands(scenario, messages, command, tmp_path):
    (tmp_path / "messages.csv").write_text("id,src,dst,flits,start\n7,0,5,10,0\n9,1,5,10,2\n")
    (tmp_path / "s.toml").write_text(scenario)
    kept = ["--messages"] if messages else []
    told = run_command(command, "run", "s.toml", "-o", "by-command", "--quiet", *kept, folder=tmp_path)
    assert told.returncode == 0, told.stderr
    run = fw.run(tmp_path / "s.toml", messages=messages)
    by_command = tmp_path / "by-command" / run.name
    run.save(tmp_path / "by-python")
    names = sorted(path.name for path in by_command.iterdir() if not path.name.endswith(".jsonl"))
    mine = sorted(path.name for path in (tmp_path / "by-python").iterdir())
    assert set(mine) <= set(names) and sorted([*run.files, "manifest.json"]) == mine
    for name in run.files:
        expected = (by_command / name).read_text()
        assert run.text(name) == expected, name
        assert (tmp_path / "by-python" / name).read_text() == expected, name
    both = [json.loads((folder / "manifest.json").read_text()) for folder in (by_command, tmp_path / "by-python")]
    for manifest in both:
        del manifest["wall_time_seconds"]
    assert both[0] == both[1]
    shown = run_command(command, "show", tmp_path / "by-python", folder=tmp_path)
    assert shown.returncode == 0 and str(run) in shown.stdout
    with pytest.raises(FileExistsError):
        run.save(tmp_path / "by-python")


def test_tables_are_what_is_chosen():
    run = fw.run(MULTICAST, repetitions=2)
    assert list(run.summary["algorithm"]) == ["opt-mesh", "u-mesh"]
    assert run.rows["measured"].dtype == np.int64
    measured = list(run.rows["measured"])
    fw.use_frames("polars")
    assert run.table("rows")["measured"].to_list() == run.rows["measured"].to_list() == measured
    fw.use_frames("list")
    assert [row["measured"] for row in run.table("rows.csv")] == measured
    with pytest.raises(KeyError, match="accepted: rows.csv, summary.csv"):
        run.table("hops")
    with pytest.raises(ValueError, match="accepted: pandas, polars, list"):
        fw.use_frames("spreadsheet")


def test_messages_are_those_of_the_file():
    import io

    import pandas

    run = fw.run(MULTICAST, repetitions=2, messages=True)
    read = pandas.read_csv(io.StringIO(run.text("messages.csv")))
    assert list(run.messages.columns) == list(read.columns)
    for name in read.columns:
        mine = run.messages[name]
        assert (mine.to_numpy() == read[name].to_numpy()).all() or np.allclose(mine, read[name], equal_nan=True), name
    again = fw.run(MULTICAST, repetitions=2).messages
    assert again.equals(run.messages)


def test_names_that_spell_numbers_are_names():
    assert list(fw.run(MULTICAST, set={"name": "inf"}).rows["scenario"]) == ["inf", "inf"]


def test_links_are_there_unasked():
    run = fw.run(MULTICAST)
    links = run.links
    assert {"channel", "flits", "utilisation", "held", "waited", "messages"} <= set(links.columns)
    # what crosses links is what messages carry over them
    messages = run.messages
    assert links["flits"].sum() == (messages["flits"] * messages["hops"]).sum()
    assert run.table("links").equals(links) and run.table("messages.csv").equals(messages)
    # where the schedule alone says what links carry, the run is asked for waits
    assert fw.run(ALLREDUCE).links["held"].dtype == np.int64
    with pytest.raises(fw.ScenarioError, match="does not use links"):
        _ = fw.run({"model.logp": {"L": 5, "o": 2, "g": 4, "P": 8}, "workload.multicast": {"algorithms": ["fibonacci"], "flits": 1, "group": 8}}).links


def test_columns_are_taken_as_they_lie_in_memory():
    run = fw.run(MULTICAST, repetitions=4)
    delivered = run.messages["delivered"]
    assert not delivered.to_numpy().flags.owndata or delivered.to_numpy().base is not None


def test_errors_are_the_commands(command, tmp_path):
    wrong = "name = 'x'\nnetwork.mesh.shap = [4, 4]\nworkload.multicast = { algorithms = ['umesh'], flits = 8, group = 4 }\n"
    (tmp_path / "wrong.toml").write_text(wrong)
    told = run_command(command, "run", "wrong.toml", folder=tmp_path)
    here = os.getcwd()
    os.chdir(tmp_path)
    try:
        with pytest.raises(fw.ScenarioError) as caught:
            fw.run("wrong.toml")
    finally:
        os.chdir(here)
    assert told.returncode == 2 and str(caught.value) == told.stderr.rstrip()
    first = next(one for one in caught.value.diagnostics if "unknown key" in one.message)
    assert (first.file, first.line, first.column) == ("wrong.toml", 2, 14)
    assert first.hint == "did you mean `shape`?" and "`shape`" in first.accepted and first.text == "shap"
    with pytest.raises(ValueError):
        fw.run(wrong)
    with pytest.raises(FileNotFoundError):
        fw.run("nowhere.toml")
    with pytest.raises(TypeError, match="accepted: a path, TOML, a dict"):
        fw.run(3)
    with pytest.raises(TypeError, match="`node.ports` cannot be None"):
        fw.run({**MULTICAST, "node": {**NODE, "ports": None}})
    with pytest.raises(fw.ScenarioError, match="accepted: a number|a number of bytes"):
        fw.run(MULTICAST, memory="much")
    with pytest.raises(fw.ScenarioError, match="the rows of 8000000000 rows need about 6.4 TB of memory"):
        fw.run(MULTICAST, repetitions=4_000_000_000)
    with pytest.raises(fw.ScenarioError, match="allowed by `memory`"):
        _ = fw.run(MULTICAST, repetitions=1000, memory=4_000_000).links
    run = fw.run(MULTICAST)
    with pytest.raises(fw.ScenarioError, match="rows=point=7"):
        run.explain("point=7")
    with pytest.raises(fw.ScenarioError, match="open-loop traffic has no completion time"):
        fw.run(TRAFFIC).explain()


@pytest.mark.parametrize(
    "call, accepted",
    [
        (lambda: fw.run(MULTICAST, jobs=0), "a whole number, at least 1"),
        (lambda: fw.run(MULTICAST, jobs=-1), "a whole number, at least 1"),
        (lambda: fw.run(MULTICAST, progress=3), "a callable"),
        (lambda: fw.run(MULTICAST, set=["a"]), "a dict of keys"),
        (lambda: fw.run({**MULTICAST, "network.mesh.shape": {8, 9}}), "a list of these"),
        (lambda: fw.sweep(MULTICAST, {"workload.multicast.algorithms": "opt-mesh"}), "a list of values"),
        (lambda: fw.sweep(MULTICAST, {"workload.multicast.flits": 5}), "a list of values"),
        (lambda: fw.sweep(MULTICAST, None), "a dict with a list"),
        (lambda: fw.run(MULTICAST).explain(3), "a string such as"),
        (lambda: fw.run(MULTICAST).save(None), "expected str"),
        (lambda: fw.run(MULTICAST).plot(x="algorithm").save("plot.jpg"), "ends with .svg, .png or .pdf"),
        (lambda: fw.run(MULTICAST).plot(log="z"), "accepted: 'x', 'y', 'both', 'none'"),
        (lambda: pickle.dumps(fw.run(MULTICAST)), "cannot be pickled"),
        (lambda: fw.simulate(MULTICAST, None), "a data frame"),
        (lambda: fw.fit("8 1.0\n", tick=1e-9), "a string"),
        (lambda: fw.fit("8 1.0\n", from_bytes="1k"), "a whole number of bytes"),
        (lambda: fw.algorithms("flight"), "multicast"),
        (lambda: fw.keys("workload.flight"), "workload.multicast"),
        (lambda: fw.guide("flitze"), "flitwise.guide()"),
    ],
)
def test_what_arguments_cannot_be_is_told(call, accepted):
    with pytest.raises((TypeError, ValueError), match=re.escape(accepted)):
        call()


def test_what_there_is_to_choose_from(capsys):
    assert {"u-mesh", "bruck", "swing-latency"} <= set(fw.algorithms()["algorithm"])
    assert set(fw.keys("workload.trace")["key"]) == {"file", "details", "multicast"}
    fw.guide("python")
    assert "fw.simulate" in capsys.readouterr().out
    fw.guide()
    assert "multicast" in capsys.readouterr().out


def test_a_deadlock_is_seen():
    ring = {"network.torus.shape": [4], "channel.virtual_channels": 1}
    messages = {"src": [0, 1, 2, 3], "dst": [2, 3, 0, 1], "flits": 10}
    with pytest.raises(fw.Deadlock) as caught:
        fw.simulate(ring, messages)
    assert isinstance(caught.value, fw.RunError)
    assert sorted(message for message, _ in caught.value.cycle) == [0, 1, 2, 3]
    assert "`-s channel.virtual_channels=2`" in str(caught.value)
    assert fw.simulate(ring, messages, set={"channel.virtual_channels": 2}).completion > 0


def test_scenarios_are_dicts_text_and_paths(tmp_path):
    text = fw.to_toml(MULTICAST)
    (tmp_path / "m.toml").write_text('name = "scenario"\n' + text)
    runs = [fw.run(MULTICAST), fw.run(text), fw.run(tmp_path / "m.toml"), fw.run(str(tmp_path / "m.toml"))]
    assert len({run.text("rows.csv") for run in runs}) == 1
    numbers = {"network.mesh": {"shape": np.array([8, 8])}, "repetitions": np.int64(2), "x": float("inf")}
    assert fw.to_toml(numbers) == "network.mesh.shape = [8, 8]\nrepetitions = 2\nx = inf\n"
    assert fw.to_toml({'a "b"': {"c\td": 'e\\"\x7f'}}) == '"a \\"b\\""."c\\td" = "e\\\\\\"\\u007f"\n'


def test_sweeps():
    run = fw.sweep(MULTICAST, {"network.mesh.shape": [[8, 8], (16, 16)], "workload.multicast.flits": range(1, 4)}, jobs=2)
    assert run.axes == ["network.mesh.shape", "workload.multicast.flits"]
    assert len(run.summary) == 2 * 3 * 2
    assert list(run.points.columns) == ["point", *run.axes] and len(run.points) == 6
    assert fw.sweep(None, {"workload.multicast.flits": np.logspace(0, 2, 3)}, repetitions=1).axes
    assert run.plot(x="flits").svg.startswith("<svg") and "<svg" in run.plot(y="blocked_time", where="flits >= 2")._repr_svg_()
    with pytest.raises(fw.ScenarioError, match="accepted"):
        run.plot(y="nothing")
    svg = run.plot(by=["algorithm", "shape"], y_min=0, y_max=1e6, x_max=4, log="none", title="Lengths").svg
    assert svg.count("data-panel") == 1 and "Lengths" in svg and "shape 16×16" in svg and 'data-scale-y="linear"' in svg
    with pytest.raises(fw.ScenarioError, match="exclude all values"):
        run.plot(y_min=2, y_max=1)


def test_pictures_are_written_by_their_extension(tmp_path):
    picture = fw.run(MULTICAST).plot()
    picture.save(tmp_path / "p.svg")
    assert (tmp_path / "p.svg").read_text(encoding="utf-8") == picture.svg
    for name, magic in (("p.png", b"\x89PNG\r\n\x1a\n"), ("p.pdf", b"%PDF-")):
        try:
            picture.save(tmp_path / name)
        except ValueError as error:
            assert "raster" in str(error) or "font" in str(error)
            assert not (tmp_path / name).exists()
        else:
            assert (tmp_path / name).read_bytes().startswith(magic)


def test_what_notebooks_show():
    run = fw.run(MULTICAST, repetitions=2)
    assert "u-mesh" in repr(run) and "<iframe" in run._repr_html_()
    explained = run.explain("algorithm=u-mesh,repetition=1")
    assert "The critical path:" in str(explained)
    assert [(row["algorithm"], row["repetition"]) for row in explained.rows] == [("u-mesh", 1)] and explained.rows[0]["path"]
    assert "<script" in run.report("all").html
    schedule = fw.schedule(MULTICAST, "u-mesh", repetition=0)
    assert len(schedule.messages) == 31 and schedule.picture("tree").svg.startswith("<svg")
    assert schedule.dot().startswith("digraph") and schedule.goal().startswith("num_ranks")
    with pytest.raises(fw.ScenarioError, match="did you mean `u-mesh`"):
        fw.schedule(MULTICAST, "umesh")
    with pytest.raises(fw.ScenarioError, match="there is no point 3"):
        fw.schedule(MULTICAST, point=3)


def test_checks():
    check = fw.check(MULTICAST)
    assert check and check.findings[0]["algorithm"] == "opt-mesh"
    assert "receives the message exactly once" in " ".join(str(check).split())
    assert check.findings[0]["deadlock_free"] is True and check.deadlocks == []
    multicast = {"algorithms": ["opt-tree"], "flits": 8, "group": 3}
    ring = {"network.torus.shape": [5], "channel.virtual_channels": 1, "workload.multicast": multicast}
    risky = fw.check(ring)
    assert not risky.ok and risky.stopped == 0 and "can deadlock" in risky.deadlocks[0]
    assert "-s channel.virtual_channels=2" in str(risky)
    assert fw.check(ring, set={"router.allow_deadlock": True}).ok


def test_progress_is_told():
    told = []
    fw.run(MULTICAST, repetitions=50, progress=lambda done, total: told.append((done, total)))
    assert told[-1] == (100, 100) and told == sorted(told)
    with pytest.raises(ZeroDivisionError):
        fw.run(MULTICAST, repetitions=50, progress=lambda done, total: 1 // 0)
    fw.run(MULTICAST, progress=True)


def test_other_threads_go_on_meanwhile():
    counted = []
    busy = threading.Event()

    def count():
        while not busy.is_set():
            counted.append(None)
            time.sleep(0.001)

    thread = threading.Thread(target=count)
    thread.start()
    fw.run(MULTICAST, repetitions=2000)
    busy.set()
    thread.join()
    assert len(counted) > 1


@pytest.mark.skipif(os.name == "nt", reason="signals are sent otherwise there")
def test_control_c_ends_a_run():
    program = (
        "import flitwise as fw, signal, sys\n"
        "signal.signal(signal.SIGINT, signal.default_int_handler)  # background jobs ignore it\n"
        "print('begun', flush=True)\n"
        "try: fw.run(None, repetitions=1_000_000)\n"
        "except KeyboardInterrupt: print('interrupted'); sys.exit(7)\n"
    )
    with subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout.readline() == "begun\n"
        time.sleep(1.0)
        process.send_signal(signal.SIGINT)
        said, _ = process.communicate(timeout=60)
    assert (said, process.returncode) == ("interrupted\n", 7)


def test_the_command_is_there(command, tmp_path):
    version = run_command(command, "--version", folder=tmp_path)
    assert version.stdout.startswith(f"flitwise {fw.__version__}")
    module = subprocess.run([sys.executable, "-m", "flitwise", "--version"], capture_output=True, text=True, check=True)
    assert module.stdout == version.stdout


def test_importing_is_cheap():
    program = "import sys, flitwise; print(*(name for name in ('numpy', 'pandas', 'polars') if name in sys.modules))"
    said = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert said.stdout == "\n", "none of these is imported before it is needed"


HALO = {
    "network.torus.shape": [4, 4],
    "node": {"send_setup": 300, "receive_setup": 200},
    "workload.halo": {"shape": [4, 4], "cells": [8, 8], "compute_per_cell": 10, "iterations": 2},
}


def test_a_timeline_is_that_of_the_command(command, tmp_path):
    run = fw.run(HALO)
    (tmp_path / "s.toml").write_text(
        "name = 'scenario'\nnetwork.torus.shape = [4, 4]\nnode = { send_setup = 300, receive_setup = 200 }\n"
        "workload.halo = { shape = [4, 4], cells = [8, 8], compute_per_cell = 10, iterations = 2 }\n"
    )
    told = run_command(command, "run", "s.toml", "-o", "out", "--quiet", "--timeline", folder=tmp_path)
    assert told.returncode == 0, told.stderr
    lines = (tmp_path / "out" / "scenario" / "timeline.csv").read_text().splitlines()
    timeline = run.timeline
    assert ",".join(timeline.columns) == lines[0]
    assert len(timeline) == len(lines) - 1
    computed = timeline[(timeline["by"] == "measured") & (timeline["kind"] == "compute")]
    assert list(computed["end"] - computed["begin"]) == [640] * 32
    assert run.table("timeline").equals(timeline)


def test_a_timeline_is_drawn():
    picture = fw.run(HALO).plot("timeline").svg
    assert "measured" in picture and "predicted" in picture and "rank 3, cpu0: compute" in picture
    with pytest.raises(ValueError, match="log has no effect"):
        fw.run(HALO).plot("timeline", log="x")
    with pytest.raises(fw.ScenarioError, match="no timeline"):
        fw.run(MULTICAST).timeline
    with pytest.raises(fw.ScenarioError, match="no timeline"):
        fw.run(MULTICAST).plot("timeline")
