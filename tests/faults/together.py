"""Runs at the same time on one folder, and a shard begun on two hosts: one works, the others are told so."""

import subprocess
import time

from bench import Violation, nothing_left, nothing_lost_or_twice, same_results, sleep_until
from kills import sweep_of

BUSY = "is being written by another run"


def runs(run):
    """Two or three runs on one folder, begun within some milliseconds."""
    bench = run.bench
    sweep = sweep_of(run, "rows")
    ways = [[], ["--resume"], ["--force"], ["--shard", "1/3"], ["--shard", "1/3", "--resume"]]
    for number in range(run.share(100)):
        draws = bench.random("together", number)
        begun = []
        for _ in range(draws.choice([2, 2, 3])):
            call = sweep.run("out", *draws.choice(ways))
            begun.append((bench.start(call), call))
            sleep_until(time.perf_counter() + draws.choice([0, 0, draws.uniform(0, sweep.seconds)]))
        codes = [one_of(run, *each) for each in begun]
        if 0 not in codes:
            raise Violation(f"of runs at the same time none went well: {[call for _, call in begun]}, {codes}")
        run.count("runs at the same time", len(begun))
        run.count("  of them told that another one writes", codes.count(3))
        mended(bench, sweep)
        run.count("rows of journals counted", sum(rows for *_, rows in sweep.units))
        bench.forget("out")


def one_of(run, child, call):
    """How one of several ends: it does its work, or is told that another one does, or has done, it."""
    told = run.bench.wait(child, call, (0, 2, 3))
    if told.code == 3 and BUSY not in told.err:
        raise Violation(f"{call}: {told.err}")
    if told.code == 2 and "--force" not in told.err:
        raise Violation(f"{call}: {told.err}")
    return told.code


def mended(bench, sweep):
    """Whatever shards are there, a run that goes on has all rows, and computes none of them twice."""
    bench.call(sweep.run("out", "--resume"))
    folder = bench.root / "out/faults"
    same_results(folder, sweep.results)
    nothing_left(folder)
    nothing_lost_or_twice(folder, sweep.units)


def hosts(run):
    """Three shards on each of two hosts, so far as their names and process ids tell, on one folder at the same time."""
    bench = run.bench
    sweep = sweep_of(run, "rows")
    host = ["unshare", "--pid", "--uts", "--mount", "--mount-proc", "--fork", "--kill-child"]
    try:
        able = subprocess.run([*host, "true"], capture_output=True).returncode == 0
    except FileNotFoundError:
        able = False
    if not able:
        return run.note("a shard begun on two hosts: namespaces of one's own are not allowed here")
    for number in range(run.share(60)):
        draws = bench.random("hosts", number)
        begun = []
        for shard in (1, 2, 3):
            for name in ("one", "two"):
                call = sweep.run("out", "--shard", f"{shard}/3", "--resume")
                # each is process 2 of its own host
                before = [*host, "sh", "-c", 'hostname "$0"; "$@"; exit $?', name]
                begun.append((shard, bench.start(call, before=before), call))
            sleep_until(time.perf_counter() + draws.choice([0, draws.uniform(0, sweep.seconds / 4)]))
        done = set()
        for shard, child, call in begun:
            code = one_of(run, child, call)
            if code == 0:
                done.add(shard)
            run.count("shards begun on two hosts", 1)
            run.count("  of them told that the other host runs it", int(code == 3))
        if len(done) < 3:
            raise Violation(f"only the shards {done} were run by one of two hosts")
        bench.call(["merge", "--quiet", "out/faults"])
        run.count("rows of journals counted", sweep.is_whole("out"))
        bench.forget("out")
