"""Common part of all faults: a working directory, calls of the command, which must not crash, and checks of results.

It has the list of the files of a sweep and of bytes that may differ between runs. Independent of the kind of fault.
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

# Keys of the manifest that describe the execution of a run and not its results.
HOW_IT_RAN = ("jobs", "wall_time_seconds", "resumed_rows", "shards", "folder")

# Files of a sweep that are not results.
KEPT = (".lock", "plan.json", "slurm", ".hops")

# The maximum duration of a call, in seconds.
PATIENCE = 120


class Violation(Exception):
    """A failed check."""


class Said:
    """Exit code and output of a call."""

    def __init__(self, code, out, err):
        self.code = code
        self.out = out
        self.err = err


class Bench:
    """A directory with a scenario, and the command."""

    def __init__(self, program, root, seed):
        self.program = str(program)
        self.root = pathlib.Path(root)
        self.seed = seed
        self.calls = 0

    def random(self, *what):
        """Returns a separate random stream for each purpose, so that one fault can be repeated without those before it."""
        return random.Random("/".join(map(str, (self.seed, *what))))

    def write(self, name, text):
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        return path

    def start(self, arguments, **how):
        """Starts the command in a new process group."""
        self.calls += 1
        how.setdefault("cwd", self.root)
        how.setdefault("stdout", subprocess.PIPE)
        how.setdefault("stderr", subprocess.PIPE)
        words = how.pop("before", []) + [self.program] + [str(word) for word in arguments]
        return subprocess.Popen(words, start_new_session=True, **how)

    def wait(self, child, arguments, codes):
        """Waits for the end of a process. It must exit in time with one of `codes`, without a signal and without a panic."""
        try:
            out, err = child.communicate(timeout=PATIENCE)
        except subprocess.TimeoutExpired:
            os.killpg(child.pid, signal.SIGKILL)
            child.wait()
            raise Violation(f"{said(arguments)} does not end within {PATIENCE} seconds") from None
        told = Said(child.returncode, decoded(out), decoded(err))
        check(told, arguments, codes)
        return told

    def call(self, arguments, codes=(0,), **how):
        return self.wait(self.start(arguments, **how), arguments, codes)

    def killed(self, arguments, after, **how):
        """Starts the command and kills it after `after` seconds. Returns true if it had not ended by itself."""
        how.setdefault("stdout", subprocess.DEVNULL)
        child = self.start(arguments, **how)
        sleep_until(time.perf_counter() + after)
        return self.kill(child, arguments)

    def kill(self, child, arguments):
        """Kills `child`. Returns true if it had not ended by itself."""
        child.kill()
        _, err = child.communicate()
        if b"panicked" in (err or b""):
            raise Violation(f"{said(arguments)} panics: {decoded(err)}")
        if child.returncode not in (0, -signal.SIGKILL):
            raise Violation(f"{said(arguments)} exits with {child.returncode} before the kill: {decoded(err)}")
        return child.returncode != 0

    def seconds(self, arguments, prepare=lambda: None, **how):
        """Returns the median duration of three calls, in seconds."""
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
    """Checks the exit code and the output of a call."""
    if "panicked" in told.err or "panicked" in told.out:
        raise Violation(f"{said(arguments)} panics: {told.err}")
    if told.code not in codes:
        raise Violation(f"{said(arguments)} exits with {told.code}, expected {codes}: {told.err or told.out}")
    if told.code not in (0, 130) and not told.err.strip():
        raise Violation(f"{said(arguments)} exits with {told.code} without a message")


def sleep_until(instant):
    """Sleeps until `instant`, with a busy wait in the last millisecond for precision."""
    left = instant - time.perf_counter()
    if left > 0.002:
        time.sleep(left - 0.001)
    while time.perf_counter() < instant:
        pass


def instant(random_numbers, seconds):
    """Returns the time of a kill of a call of `seconds` seconds: any time, sometimes close to the start or the end."""
    kind = random_numbers.random()
    if kind < 0.1:
        return random_numbers.uniform(0, 0.005)
    if kind < 0.3:
        return max(0.0, seconds + random_numbers.uniform(-0.015, 0.005))
    return random_numbers.uniform(0, seconds)


def results(folder):
    """Returns the bytes of each result in `folder` by name. The manifest is without the keys of the execution."""
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
    """Checks that `folder` has exactly the expected results, byte for byte."""
    found = results(folder)
    if found.keys() != expected.keys():
        raise Violation(f"{folder.name} contains {sorted(found)}, expected {sorted(expected)}")
    for name, data in expected.items():
        if found[name] != data:
            raise Violation(f"{folder.name}/{name} differs from that of an undisturbed run")


def no_torn_results(folder, expected):
    """Checks that each existing result is complete at this moment."""
    for name, data in expected.items():
        path = folder / name
        if name != "manifest.json" and path.exists() and path.read_bytes() != data:
            raise Violation(f"after a kill, {name} exists but is incomplete")


def units(path):
    """Returns the finished units of the journal `path`: a list of (point, algorithm, first repetition, rows)."""
    done = []
    for line in path.read_bytes().split(b"\n"):
        # texts after an entry have another start, and truncated entries have no end
        if not line.startswith(b'{"check":"') or not line.endswith(b"}"):
            continue
        entry = json.loads(line)["entry"]
        if "done" in entry:
            unit = entry["done"]
            done.append((unit["point"], unit["algorithm"], unit["from"], unit["rows"]))
    return done


def nothing_lost_or_twice(folder, expected):
    """Checks that the journals in `folder` have each expected unit exactly once. Returns the number of rows."""
    done = [unit for path in sorted(folder.glob("journal-*.jsonl")) for unit in units(path)]
    if len(done) != len(set(done)):
        raise Violation(f"a unit is in the journals of {folder.name} twice")
    if sorted(done) != expected:
        raise Violation(f"the journals of {folder.name} have {len(done)} units, expected {len(expected)}")
    return sum(rows for *_, rows in done)


def nothing_left(folder, more=()):
    """Checks that no temporary file is in `folder` or below it."""
    for path in folder.rglob("*"):
        name = path.name
        known = name in KEPT or name in more or not name.startswith(".")
        if not known or name.endswith(".partial") or ".tmp" in name:
            raise Violation(f"temporary file {path.relative_to(folder.parent)} still exists")
