"""Concurrent runs with one output directory, and a shard started on two hosts. One works, and the others report that."""

import subprocess
import time

from bench import Violation, nothing_left, nothing_lost_or_twice, same_results, sleep_until
from kills import sweep_of

BUSY = "is being written by another run"


def runs(run):
    """Two or three runs with one output directory, started at about the same time."""
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
            raise Violation(f"all concurrent runs failed: {[call for _, call in begun]}, exit codes {codes}")
        run.count("concurrent runs", len(begun))
        run.count("  rejected because another run writes", codes.count(3))
        mended(bench, sweep)
        run.count("rows of journals counted", sum(rows for *_, rows in sweep.units))
        bench.forget("out")


def one_of(run, child, call):
    """Returns the exit code of one of several runs: it succeeds, or reports that another one is at work or has finished."""
    told = run.bench.wait(child, call, (0, 2, 3))
    if told.code == 3 and BUSY not in told.err:
        raise Violation(f"{call}: {told.err}")
    if told.code == 2 and "--force" not in told.err:
        raise Violation(f"{call}: {told.err}")
    return told.code


def mended(bench, sweep):
    """Checks that a resumed run has all rows and computes none of them twice, for any existing shards."""
    bench.call(sweep.run("out", "--resume"))
    folder = bench.root / "out/faults"
    same_results(folder, sweep.results)
    nothing_left(folder)
    nothing_lost_or_twice(folder, sweep.units)


def hosts(run):
    """Three shards on each of two hosts, simulated by host names and process ids, concurrently in one directory."""
    bench = run.bench
    sweep = sweep_of(run, "rows")
    host = ["unshare", "--pid", "--uts", "--mount", "--mount-proc", "--fork", "--kill-child"]
    try:
        able = subprocess.run([*host, "true"], capture_output=True).returncode == 0
    except FileNotFoundError:
        able = False
    if not able:
        return run.note("a shard started on two hosts: private namespaces are not permitted here")
    for number in range(run.share(60)):
        draws = bench.random("hosts", number)
        begun = []
        for shard in (1, 2, 3):
            for name in ("one", "two"):
                call = sweep.run("out", "--shard", f"{shard}/3", "--resume")
                # each process has the id 2 on its host
                before = [*host, "sh", "-c", 'hostname "$0"; "$@"; exit $?', name]
                begun.append((shard, bench.start(call, before=before), call))
            sleep_until(time.perf_counter() + draws.choice([0, draws.uniform(0, sweep.seconds / 4)]))
        done = set()
        for shard, child, call in begun:
            code = one_of(run, child, call)
            if code == 0:
                done.add(shard)
            run.count("shards started on two hosts", 1)
            run.count("  rejected because the other host runs it", int(code == 3))
        if len(done) < 3:
            raise Violation(f"only the shards {done} completed on one of the two hosts")
        bench.call(["merge", "--quiet", "out/faults"])
        run.count("rows of journals counted", sweep.is_whole("out"))
        bench.forget("out")
