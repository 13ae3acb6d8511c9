"""Damage: journals cut off anywhere, and bytes of everything that a run goes on with flipped.

Either the rows are computed again, or an error says what is broken and what to do, and doing that mends it.
"""

import shutil

from bench import SWEEP, Violation, nothing_left, results, same_results, units
from kills import slurm

# The smallest sweep that has several units, so that thousands can be put together again.
SMALL = SWEEP.replace("{{ from = 16, to = 16384, times = 4 }}", "[16, 64]").format(repetitions=2, groups="[4, 16]")
FLAGS = ["--messages", "--hops"]


class Small:
    """A small sweep, whole and as three shards, that nothing happened to."""

    def __init__(self, bench):
        self.bench = bench
        bench.write("small.toml", SMALL)
        for folder in ("calm", "shards"):
            bench.forget(folder)
        bench.call(self.run("calm"))
        for number in (1, 2, 3):
            bench.call(self.run("shards", "--shard", f"{number}/3"))
        self.results = results(bench.root / "calm/faults")
        self.units = sorted(units(bench.root / "calm/faults/journal-1-of-1.jsonl"))

    def run(self, out, *more):
        return ["run", "small.toml", "--quiet", "--jobs", "1", "--out", out, *FLAGS, *more]

    def copied(self, name):
        """A copy of the folder `name` to be damaged."""
        self.bench.forget("out")
        shutil.copytree(self.bench.root / name, self.bench.root / "out")
        return self.bench.root / "out/faults"

    def is_whole(self):
        """That the results are those of the undisturbed run, and that every unit is there, though it may stand there again."""
        folder = self.bench.root / "out/faults"
        same_results(folder, self.results)
        nothing_left(folder)


def cuts(run):
    """Cuts the journal after every byte of its last two lines, and anywhere."""
    small = Small(run.bench)
    whole = (run.bench.root / "calm/faults/journal-1-of-1.jsonl").read_bytes()
    last = whole.rstrip(b"\n").rfind(b"\n")
    before = whole[:last].rfind(b"\n") + 1
    every = max(1, round(1000 / run.kills))
    draws = run.bench.random("cuts")
    places = list(range(before, len(whole), every)) + [draws.randrange(len(whole)) for _ in range(run.share(200))]
    for place in places:
        folder = small.copied("calm")
        journal = folder / "journal-1-of-1.jsonl"
        journal.write_bytes(whole[:place])
        told = run.bench.call(small.run("out", "--resume"))
        small.is_whole()
        found = sorted(units(journal))
        if found != small.units:
            raise Violation(f"cut at byte {place}: {len(found)} units, not {len(small.units)}")
        if place > 0 and whole[place - 1] != 10 and "is incomplete" not in told.err and whole[place] != 10:
            raise Violation(f"cut at byte {place}: no message about an incomplete line: {told.err}")
        run.count("cuts of a journal", 1)


def flipped(draws, data):
    """`data` with a bit, a byte, or some bytes changed; where, and how in words."""
    at = draws.randrange(len(data))
    changed = bytearray(data)
    kind = draws.choice(["bit", "bit", "byte", "bytes", "gone"])
    if kind == "bit":
        changed[at] ^= 1 << draws.randrange(8)
    elif kind == "byte":
        changed[at] = draws.randrange(256)
    elif kind == "bytes":
        many = draws.randrange(1, 64)
        changed[at:at + many] = bytes(draws.randrange(256) for _ in range(len(changed[at:at + many])))
    else:
        del changed[at:at + draws.randrange(1, 64)]
    return bytes(changed), f"{kind} at {at}"


def flips(run):
    """Flips bytes of journals, of the plan of shards, of hops, and of the numbers of jobs."""
    small = Small(run.bench)
    many = run.share(3000)
    for number in range(many):
        draws = run.bench.random("flips", number)
        kind = draws.choice(["journal", "journal", "shard", "shard", "plan", "hops", "hops of shards"])
        folder = small.copied("calm" if kind in ("journal", "hops") else "shards")
        patterns = {"journal": "journal-*", "shard": "journal-*", "plan": "plan.json"}
        path = draws.choice(sorted(folder.glob(patterns.get(kind, ".hops/*"))))
        data, how = flipped(draws, path.read_bytes())
        path.write_bytes(data)
        what = f"{kind}: {path.name}: {how}"
        if kind in ("journal", "hops"):
            # with what a run that went well has left, and without
            if draws.random() < 0.5:
                (folder / "manifest.json").unlink()
            run.bench.call(small.run("out", "--resume"))
        else:
            mended(run, small, folder, path, what)
        try:
            small.is_whole()
        except Violation as violation:
            raise Violation(f"{what}: {violation}") from None
        run.count(f"flips in {'journals of shards' if kind == 'shard' else kind}", 1)
        if draws.random() < 0.1:
            run.bench.call(["status", folder])


def jobs(run):
    """Flips bytes of the numbers of jobs: whatever they then say, no shard is lost, and none is computed into another one."""
    small = Small(run.bench)
    bench = run.bench
    queue = bench.root / "queue"
    environment = slurm(bench, queue)
    submit = ["submit", "small.toml", "--tasks", "3", "--out", "out", *FLAGS]
    for number in range(run.share(100)):
        draws = bench.random("jobs", number)
        bench.forget("out")
        bench.forget("queue")
        queue.mkdir()
        bench.call(submit, env=environment)
        folder = bench.root / "out/faults"
        path = folder / "slurm/jobs.json"
        data, how = flipped(draws, path.read_bytes())
        path.write_bytes(data)
        for call in (["status", folder], submit):
            told = bench.call(call, codes=(0, 1, 2, 3), env=environment)
            if told.code == 3 and ("jobs.json" not in told.err or "remove" not in told.err):
                raise Violation(f"jobs.json: {how}: the error does not say where or what to do: {told.err}")
        for shard in (1, 2, 3):
            bench.call(small.run("out", "--shard", f"{shard}/3", "--resume"))
        bench.call(["merge", "--quiet", "out/faults"])
        small.is_whole()
        run.count("flips in numbers of jobs", 1)


def mended(run, small, folder, path, what):
    """Merges what is damaged: well, or with an error that names the file or what is missing; then mends it as that says."""
    merge = ["merge", "--quiet", "out/faults"]
    told = run.bench.call(merge, codes=(0, 1, 2, 3))
    if told.code == 0:
        return
    if path.name not in told.err and "rows are missing" not in told.err:
        raise Violation(f"{what}: the error does not name it: {told.err}")
    if "--resume" not in told.err and "remove" not in told.err:
        raise Violation(f"{what}: the error does not say what to do: {told.err}")
    run.count("  of which the error told, and was heeded", 1)
    for number in (1, 2, 3):
        run.bench.call(small.run("out", "--shard", f"{number}/3", "--resume"))
    run.bench.call(merge)
