"""Damage: truncated journals, and changed bytes in all files from which a run resumes.

Either the rows are computed again, or an error names the damaged file and a remedy, and the remedy works.
"""

import shutil

from bench import SWEEP, Violation, nothing_left, results, same_results, units
from kills import slurm

# The smallest sweep with several units, so that thousands of repairs are fast.
SMALL = SWEEP.replace("{{ from = 16, to = 16384, times = 4 }}", "[16, 64]").format(repetitions=2, groups="[4, 16]")
FLAGS = ["--messages", "--hops"]


class Small:
    """An undisturbed small sweep, complete and as three shards."""

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
        """Returns a copy of the directory `name` for damage."""
        self.bench.forget("out")
        shutil.copytree(self.bench.root / name, self.bench.root / "out")
        return self.bench.root / "out/faults"

    def is_whole(self):
        """Checks that the results are those of the undisturbed run."""
        folder = self.bench.root / "out/faults"
        same_results(folder, self.results)
        nothing_left(folder)


def cuts(run):
    """Truncates the journal after every byte of its last two lines, and at random positions."""
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
            raise Violation(f"journal truncated at byte {place}: {len(found)} units, expected {len(small.units)}")
        if place > 0 and whole[place - 1] != 10 and "is incomplete" not in told.err and whole[place] != 10:
            raise Violation(f"journal truncated at byte {place}: no message about an incomplete line: {told.err}")
        run.count("truncated journals", 1)


def flipped(draws, data):
    """Returns `data` with a changed bit, a changed byte, or several changed or removed bytes, and a description."""
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
    """Changes bytes of journals, of the plan of shards, and of hops."""
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
            # with and without the manifest of the finished run
            if draws.random() < 0.5:
                (folder / "manifest.json").unlink()
            run.bench.call(small.run("out", "--resume"))
        else:
            mended(run, small, folder, path, what)
        try:
            small.is_whole()
        except Violation as violation:
            raise Violation(f"{what}: {violation}") from None
        run.count(f"changed bytes in {'journals of shards' if kind == 'shard' else kind}", 1)
        if draws.random() < 0.1:
            run.bench.call(["status", folder])


def jobs(run):
    """Changes bytes of `jobs.json`: with any contents, no shard is lost, and no shard writes into another one."""
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
                raise Violation(f"jobs.json: {how}: the error does not name the file or a remedy: {told.err}")
        for shard in (1, 2, 3):
            bench.call(small.run("out", "--shard", f"{shard}/3", "--resume"))
        bench.call(["merge", "--quiet", "out/faults"])
        small.is_whole()
        run.count("changed bytes in jobs.json", 1)


def mended(run, small, folder, path, what):
    """Merges a damaged sweep. If an error names the file or the missing rows, applies its remedy and merges again."""
    merge = ["merge", "--quiet", "out/faults"]
    told = run.bench.call(merge, codes=(0, 1, 2, 3))
    if told.code == 0:
        return
    if path.name not in told.err and "rows are missing" not in told.err:
        raise Violation(f"{what}: the error does not name the file: {told.err}")
    if "--resume" not in told.err and "remove" not in told.err:
        raise Violation(f"{what}: the error does not name a remedy: {told.err}")
    run.count("  reported by an error and repaired with its advice", 1)
    for number in (1, 2, 3):
        run.bench.call(small.run("out", "--shard", f"{number}/3", "--resume"))
    run.bench.call(merge)
