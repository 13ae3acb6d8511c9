"""Kills: `kill -9` at random times of runs, shards, merges, figures, pages and submissions, which are resumed until complete."""

import os
import shutil
import stat
import subprocess
import time

from bench import (
    SWEEP,
    Violation,
    instant,
    no_torn_results,
    nothing_left,
    nothing_lost_or_twice,
    results,
    same_results,
    sleep_until,
    units,
)

# The recorded files of a run, and the number of repetitions for a duration of a fraction of a second.
KEEPS = {"rows": ([], 240), "messages": (["--messages"], 20), "hops": (["--messages", "--hops"], 5)}


class Sweep:
    """An undisturbed sweep: its results, its units, its duration."""

    def __init__(self, bench, keeps):
        flags, repetitions = KEEPS[keeps]
        self.bench = bench
        self.flags = flags
        self.file = f"{keeps}.toml"
        bench.write(self.file, SWEEP.format(repetitions=repetitions, groups="[4, 16, 64, 144]"))
        bench.forget("whole")
        whole = bench.root / "whole/faults"
        again = self.run("whole") + ["--force"]
        self.seconds = bench.seconds(again)
        self.results = results(whole)
        self.units = sorted(units(whole / "journal-1-of-1.jsonl"))

    def run(self, out, *more):
        return ["run", self.file, "--quiet", "--jobs", "2", "--out", out, *self.flags, *more]

    def is_whole(self, out):
        """Checks that the results in `out` are those of the undisturbed run. Returns the number of rows."""
        folder = self.bench.root / out / "faults"
        same_results(folder, self.results)
        nothing_left(folder)
        return nothing_lost_or_twice(folder, self.units)


def looked_at(run, folder, draws):
    """Sometimes calls `status`, which must not change anything."""
    if draws.random() < 0.2 and folder.is_dir():
        run.bench.call(["status", folder], codes=(0, 1, 2))


def sweep_of(run, keeps):
    """Returns the sweep with the recorded files `keeps`, which runs once for all parts."""
    if keeps not in run.sweeps:
        run.sweeps[keeps] = Sweep(run.bench, keeps)
    return run.sweeps[keeps]


def runs(run):
    """Kills runs with two jobs, and sometimes the runs that resume them. The last run is not killed."""
    bench = run.bench
    left = run.share(500)
    episode = 0
    for keeps, part in (("rows", 0.5), ("messages", 0.25), ("hops", 0.25)):
        sweep = sweep_of(run, keeps)
        here = max(1, round(run.share(500) * part))
        while here > 0 and left > 0:
            draws = bench.random("runs", episode)
            episode += 1
            many = min(here, draws.choice([1, 1, 2, 4]))
            for number in range(many):
                more = [] if number == 0 else ["--resume"]
                hit = bench.killed(sweep.run("out", *more), instant(draws, sweep.seconds))
                run.count("kills of runs with 2 jobs", 1)
                run.count("  before the end of the run", int(hit))
                no_torn_results(bench.root / "out/faults", sweep.results)
                looked_at(run, bench.root / "out/faults", draws)
            bench.call(sweep.run("out", "--resume"))
            run.count("rows of journals counted", sweep.is_whole("out"))
            bench.forget("out")
            here -= many
            left -= many


def shards(run):
    """Kills three concurrent shards at different times until all are complete. Then merges them."""
    bench = run.bench
    left = run.share(500)
    episode = 0
    for keeps, part in (("rows", 0.6), ("hops", 0.4)):
        sweep = sweep_of(run, keeps)
        shard = lambda number, *more: sweep.run("out", "--shard", f"{number}/3", *more)
        here = max(1, round(run.share(500) * part))
        while here > 0 and left > 0:
            draws = bench.random("shards", episode)
            episode += 1
            for turn in range(draws.choice([1, 2])):
                more = [] if turn == 0 else ["--resume"]
                begun = time.perf_counter()
                children = {number: bench.start(shard(number, *more)) for number in (1, 2, 3)}
                # each has a third of the work, on half of the machine or less
                instants = sorted((instant(draws, sweep.seconds * 0.6), number) for number in children)
                for at, number in instants:
                    sleep_until(begun + at)
                    hit = bench.kill(children[number], shard(number, *more))
                    run.count("kills of one of 3 shards", 1)
                    run.count("  before the end of the shard", int(hit))
                here -= 3
                left -= 3
                looked_at(run, bench.root / "out/faults", draws)
            for number in (1, 2, 3):
                bench.call(shard(number, "--resume"))
            bench.call(["merge", "--quiet", "out/faults"])
            run.count("rows of journals counted", sweep.is_whole("out"))
            bench.forget("out")


def merges(run):
    """Kills merges. The next one must complete the work."""
    bench = run.bench
    sweep = sweep_of(run, "hops")
    bench.forget("shards")
    for number in (1, 2, 3):
        bench.call(sweep.run("shards", "--shard", f"{number}/3"))
    merge = ["merge", "--quiet", "out/faults"]

    def fresh():
        bench.forget("out")
        shutil.copytree(bench.root / "shards", bench.root / "out")

    seconds = bench.seconds(merge, fresh)
    for number in range(run.share(100)):
        draws = bench.random("merges", number)
        # sometimes on the output of an earlier merge
        if draws.random() < 0.7:
            fresh()
        hit = bench.killed(merge, instant(draws, seconds))
        run.count("kills of merge", 1)
        run.count("  before the end of the merge", int(hit))
        no_torn_results(bench.root / "out/faults", sweep.results)
        if draws.random() < 0.5:
            bench.call(merge)
            run.count("rows of journals counted", sweep.is_whole("out"))
    bench.call(merge)
    run.count("rows of journals counted", sweep.is_whole("out"))
    bench.forget("out")
    bench.forget("shards")


FIGURE = """
[figure]
source = "a table"
x = "workload.multicast.flits"
y = "measured_mean"
x_label = "flits"
y_label = "ticks"

[[claim]]
text = "opt-mesh is never slower than u-mesh"
holds = "opt_mesh.measured_mean <= u_mesh.measured_mean"
"""


def figures(run):
    """Kills figures. With and without --resume, the next one must write the same tables, pictures and page."""
    bench = run.bench
    for name, repetitions in (("one", 60), ("two", 30)):
        text = SWEEP.format(repetitions=repetitions, groups="[16, 64]").replace('"faults"', f'"{name}"')
        bench.write(f"mine/{name}.toml", text + FIGURE)
    call = ["figures", "--quiet", "--jobs", "2", "--scenarios", "mine", "--out"]
    codes = (0, 1)
    bench.call(call + ["calm"], codes)
    begin_seconds = bench.seconds(call + ["calm"])
    expected = tree(bench.root / "calm/mine")
    for number in range(run.share(100)):
        draws = bench.random("figures", number)
        for turn in range(draws.choice([1, 2])):
            more = ["--resume"] if turn or draws.random() < 0.5 else []
            hit = bench.killed(call + ["drawn", *more], instant(draws, begin_seconds))
            run.count("kills of figures", 1)
            run.count("  before the end of figures", int(hit))
        bench.call(call + ["drawn", "--resume"])
        found = tree(bench.root / "drawn/mine")
        if found != expected:
            names = sorted(name for name in found.keys() | expected.keys() if found.get(name) != expected.get(name))
            raise Violation(f"figures: files differ or still exist: {names}")
        if draws.random() < 0.7:
            bench.forget("drawn")
    bench.forget("drawn")


def tree(folder):
    """Returns the bytes of each file below `folder`, and each directory, by name."""
    paths = sorted(folder.rglob("*"))
    return {str(path.relative_to(folder)): None if path.is_dir() else path.read_bytes() for path in paths}


def looks(run):
    """Kills runs that also write a page and traces. A later run must complete them."""
    bench = run.bench
    text = SWEEP.format(repetitions=2, groups="[16, 64]")
    bench.write("looks.toml", text)
    call = ["run", "looks.toml", "--quiet", "--jobs", "2", "--html", "--trace", "perfetto", "--out"]
    bench.call(call + ["seen"])
    expected = results(bench.root / "seen/faults")
    seconds = bench.seconds(call + ["seen", "--force"])
    for number in range(run.share(60)):
        draws = bench.random("looks", number)
        hit = bench.killed(call + ["out", "--resume"], instant(draws, seconds))
        run.count("kills of runs that write a page and traces", 1)
        run.count("  before the end of these runs", int(hit))
        if draws.random() < 0.5:
            bench.call(call + ["out", "--resume"])
            same_results(bench.root / "out/faults", expected)
            nothing_left(bench.root / "out/faults")
            bench.forget("out")
    bench.forget("out")


SBATCH = """#!/bin/sh
# accepts a job as the real sbatch does: prints a number, and stores the command in a file
mkdir "$FAULTS_QUEUE/$$" || exit 1
for last; do :; done
printf '%s\\n' "$@" >"$FAULTS_QUEUE/$$/words"
cp "$last" "$FAULTS_QUEUE/$$/script"
echo $$
"""


def submits(run):
    """Kills submissions to a fake Slurm that only stores jobs. All stored jobs run, possibly twice."""
    bench = run.bench
    sweep = sweep_of(run, "messages")
    queue = bench.root / "queue"
    environment = slurm(bench, queue)
    submit = ["submit", sweep.file, "--tasks", "3", "--out", "out", *sweep.flags]
    bench.forget("out")
    queue.mkdir(exist_ok=True)
    bench.call(submit, env=environment)
    seconds = bench.seconds(submit, lambda: bench.forget("out"), env=environment)
    for number in range(run.share(60)):
        draws = bench.random("submits", number)
        shutil.rmtree(queue, ignore_errors=True)
        queue.mkdir()
        for _ in range(draws.choice([1, 2])):
            hit = bench.killed(submit, instant(draws, seconds), env=environment)
            run.count("kills of submit", 1)
            run.count("  before the end of the submission", int(hit))
        bench.call(submit, env=environment)
        run_jobs(bench, queue)
        run.count("rows of journals counted", sweep.is_whole("out"))
        bench.call(["status", "out/faults"], env=environment)
        nothing_left(bench.root / "out/faults")
        bench.forget("out")


def slurm(bench, queue):
    """Returns the environment with a fake sbatch, which stores jobs, and a fake squeue, which lists none."""
    for name, text in (("sbatch", SBATCH), ("squeue", "#!/bin/sh\n")):
        path = bench.write(f"bin/{name}", text)
        path.chmod(path.stat().st_mode | stat.S_IXUSR)
    return {**os.environ, "PATH": f"{bench.root}/bin:{os.environ['PATH']}", "FAULTS_QUEUE": str(queue)}


def run_jobs(bench, queue):
    """Runs the stored jobs: all tasks of all arrays concurrently, then the merge."""
    jobs = [job for job in sorted(queue.iterdir()) if (job / "script").exists() and (job / "words").exists()]
    arrays = [job for job in jobs if "--array=" in (job / "words").read_text()]
    tasks = []
    for job in arrays:
        for number in (1, 2, 3):
            environment = {**os.environ, "SLURM_ARRAY_TASK_ID": str(number), "SLURM_CPUS_PER_TASK": "1"}
            words = ["sh", str(job / "script")]
            tasks.append(subprocess.Popen(words, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE))
    codes = []
    for task in tasks:
        _, err = task.communicate(timeout=120)
        if b"panicked" in err or task.returncode not in (0, 3):
            raise Violation(f"a task exits with {task.returncode}: {err.decode(errors='replace')}")
        codes.append(task.returncode)
    if codes.count(0) < 3:
        raise Violation(f"a shard was not run by any of its tasks: {codes}")
    merge = next(job for job in reversed(jobs) if job not in arrays)
    ended = subprocess.run(["sh", str(merge / "script")], capture_output=True, timeout=120)
    if ended.returncode != 0:
        raise Violation(f"the merge exits with {ended.returncode}: {ended.stderr.decode(errors='replace')}")
