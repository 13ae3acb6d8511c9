"""What all faults have in common: a folder to work in, calls of the command that must not crash, and what must hold.

Knows which files a sweep leaves and which of their bytes may differ from run to run; refuses to know any fault.
"""

import json
import os
import pathlib
import random
import shutil
import signal
import subprocess
import time

SWEEP = """
name = "faults"
repetitions = {repetitions}

[network.mesh]
shape = [12, 12]

[channel]
flit_time = 2

[node]
send_setup = 200
send_per_flit = 2
receive_setup = 350
receive_per_flit = 3

[workload.multicast]
algorithms = ["opt-mesh", "opt-tree", "u-mesh"]
flits = 64
group = 32

[sweep]
"workload.multicast.group" = {groups}
"workload.multicast.flits" = {{ from = 16, to = 16384, times = 4 }}
"""

# What is known of a run beside its results: how it was run.
HOW_IT_RAN = ("jobs", "wall_time_seconds", "resumed_rows", "shards", "folder")

# Files of a sweep that are no results.
KEPT = (".lock", "plan.json", "slurm", ".hops")

# The most seconds that a call may take.
PATIENCE = 120


class Violation(Exception):
    """Something that must hold does not."""


class Said:
    """How a call ended, and what it said."""

    def __init__(self, code, out, err):
        self.code = code
        self.out = out
        self.err = err


class Bench:
    """A folder with a scenario, and the command."""

    def __init__(self, program, root, seed):
        self.program = str(program)
        self.root = pathlib.Path(root)
        self.seed = seed
        self.calls = 0

    def random(self, *what):
        """Draws of their own for each purpose, so that one fault can be repeated without those before it."""
        return random.Random("/".join(map(str, (self.seed, *what))))

    def write(self, name, text):
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        return path

    def start(self, arguments, **how):
        """Starts the command in a group of processes of its own."""
        self.calls += 1
        how.setdefault("cwd", self.root)
        how.setdefault("stdout", subprocess.PIPE)
        how.setdefault("stderr", subprocess.PIPE)
        words = how.pop("before", []) + [self.program] + [str(word) for word in arguments]
        return subprocess.Popen(words, start_new_session=True, **how)

    def wait(self, child, arguments, codes):
        """Waits until a process has ended; it must end with one of `codes`, by no signal, in time, and never panic."""
        try:
            out, err = child.communicate(timeout=PATIENCE)
        except subprocess.TimeoutExpired:
            os.killpg(child.pid, signal.SIGKILL)
            child.wait()
            raise Violation(f"{said(arguments)} does not end") from None
        told = Said(child.returncode, decoded(out), decoded(err))
        check(told, arguments, codes)
        return told

    def call(self, arguments, codes=(0,), **how):
        return self.wait(self.start(arguments, **how), arguments, codes)

    def killed(self, arguments, after, **how):
        """Starts the command and kills it outright `after` so many seconds; true if it had not ended by itself."""
        how.setdefault("stdout", subprocess.DEVNULL)
        child = self.start(arguments, **how)
        sleep_until(time.perf_counter() + after)
        return self.kill(child, arguments)

    def kill(self, child, arguments):
        """Kills `child` outright; true if it had not ended by itself."""
        child.kill()
        _, err = child.communicate()
        if b"panicked" in (err or b""):
            raise Violation(f"{said(arguments)} panics: {decoded(err)}")
        if child.returncode not in (0, -signal.SIGKILL):
            raise Violation(f"{said(arguments)} ends with {child.returncode} by itself: {decoded(err)}")
        return child.returncode != 0

    def seconds(self, arguments, prepare=lambda: None, **how):
        """How long a call takes, the middle one of three."""
        taken = []
        for _ in range(3):
            prepare()
            begin = time.perf_counter()
            self.call(arguments, **how)
            taken.append(time.perf_counter() - begin)
        return sorted(taken)[1]

    def forget(self, name):
        shutil.rmtree(self.root / name, ignore_errors=True)


def decoded(text):
    return (text or b"").decode(errors="replace")


def said(arguments):
    return "flitwise " + " ".join(map(str, arguments))


def check(told, arguments, codes):
    """That a call has ended in order."""
    if "panicked" in told.err or "panicked" in told.out:
        raise Violation(f"{said(arguments)} panics: {told.err}")
    if told.code not in codes:
        raise Violation(f"{said(arguments)} ends with {told.code}, not {codes}: {told.err or told.out}")
    if told.code not in (0, 130) and not told.err.strip():
        raise Violation(f"{said(arguments)} ends with {told.code} and says nothing")


def sleep_until(instant):
    """Sleeps, and waits busily for the last millisecond, which sleeping would miss."""
    left = instant - time.perf_counter()
    if left > 0.002:
        time.sleep(left - 0.001)
    while time.perf_counter() < instant:
        pass


def instant(random_numbers, seconds):
    """When to kill what takes so many seconds: anywhere, and now and then within the first or about the last of them."""
    kind = random_numbers.random()
    if kind < 0.1:
        return random_numbers.uniform(0, 0.005)
    if kind < 0.3:
        return max(0.0, seconds + random_numbers.uniform(-0.015, 0.005))
    return random_numbers.uniform(0, seconds)


def results(folder):
    """The bytes of every result in `folder` by name; of the manifest without what tells how it was run."""
    found = {}
    for path in sorted(folder.iterdir()):
        if path.name in KEPT or path.name.startswith("journal-") or path.is_dir():
            continue
        data = path.read_bytes()
        if path.name == "manifest.json":
            manifest = json.loads(data)
            data = json.dumps({key: manifest[key] for key in manifest if key not in HOW_IT_RAN}).encode()
        found[path.name] = data
    return found


def same_results(folder, expected):
    """That `folder` has the results that are expected, byte for byte, and no others."""
    found = results(folder)
    if found.keys() != expected.keys():
        raise Violation(f"{folder.name} has {sorted(found)} where {sorted(expected)} should be")
    for name, data in expected.items():
        if found[name] != data:
            raise Violation(f"{folder.name}/{name} differs from that of a run that nothing happened to")


def no_torn_results(folder, expected):
    """That every result that is there at this instant is whole, if it is there."""
    for name, data in expected.items():
        path = folder / name
        if name != "manifest.json" and path.exists() and path.read_bytes() != data:
            raise Violation(f"after a kill {name} is there and not whole")


def units(path):
    """What the journal `path` says is done: a list of (point, algorithm, first repetition, rows)."""
    done = []
    for line in path.read_bytes().split(b"\n"):
        # texts that stand behind lines begin otherwise, and what was cut off has no end
        if not line.startswith(b'{"check":"') or not line.endswith(b"}"):
            continue
        entry = json.loads(line)["entry"]
        if "done" in entry:
            unit = entry["done"]
            done.append((unit["point"], unit["algorithm"], unit["from"], unit["rows"]))
    return done


def nothing_lost_or_twice(folder, expected):
    """That the journals in `folder` together have every one of the units that are expected, once; how many rows."""
    done = [unit for path in sorted(folder.glob("journal-*.jsonl")) for unit in units(path)]
    if len(done) != len(set(done)):
        raise Violation(f"a unit stands twice in the journals of {folder.name}")
    if sorted(done) != expected:
        raise Violation(f"the journals of {folder.name} have {len(done)} units, not {len(expected)}")
    return sum(rows for *_, rows in done)


def nothing_left(folder, more=()):
    """That no temporary file is in `folder` or below it."""
    for path in folder.rglob("*"):
        name = path.name
        known = name in KEPT or name in more or not name.startswith(".")
        if not known or name.endswith(".partial") or ".tmp" in name:
            raise Violation(f"{path.relative_to(folder.parent)} is left behind")
