"""Kills and faults at scale: `tests/faults/run` says what for, and what it takes.

A part is a function of a `Run` that does its faults and counts them; the first violation ends all.
"""

import argparse
import os
import pathlib
import random
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).parent))

import damage
import disk
import kills
import together
from bench import Bench, Violation

# In this order; each with what it is.
PARTS = {
    "runs": kills.runs,
    "shards": kills.shards,
    "merges": kills.merges,
    "figures": kills.figures,
    "looks": kills.looks,
    "submits": kills.submits,
    "cuts": damage.cuts,
    "flips": damage.flips,
    "jobs": damage.jobs,
    "limits": disk.limits,
    "limits-of-others": disk.limits_of_others,
    "full": disk.full,
    "stdout": disk.standard_output,
    "read-only": disk.read_only,
    "in-the-way": disk.in_the_way,
    "clocks": disk.clocks,
    "together": together.runs,
    "hosts": together.hosts,
}


class Run:
    """What the parts are given: the bench, how much to do, and where to count."""

    def __init__(self, bench, kills_in_all):
        self.bench = bench
        self.kills = kills_in_all
        self.counts = []
        self.notes = []
        self.sweeps = {}

    def share(self, part):
        """So many of 1000 faults, as many as are asked for of them, at least one."""
        return max(1, round(self.kills * part / 1000))

    def count(self, what, number):
        for counted in self.counts:
            if counted[0] == what:
                counted[1] += number
                return
        self.counts.append([what, number])

    def note(self, text):
        if text not in self.notes:
            self.notes.append(text)


def arguments():
    parser = argparse.ArgumentParser(prog="tests/faults/run", description="Kills and faults at scale.")
    parser.add_argument("program", nargs="?", default="target/release/flitwise")
    parser.add_argument("--kills", type=int, default=1000, help="how many kills; other faults in proportion")
    parser.add_argument("--seed", type=int, default=None, help="the same faults again; when they hit depends on time")
    parser.add_argument("--only", choices=PARTS, action="append", help="only this part; may be given more than once")
    parser.add_argument("--place", default=place(), help="the folder to work in [default: in memory, if there is one]")
    return parser.parse_args()


def place():
    """A folder in memory, where thousands of runs need not wait for a disk; none if there is none."""
    memory = pathlib.Path("/dev/shm")
    return memory if "TMPDIR" not in os.environ and os.access(memory, os.W_OK) else None


def table(run, seconds):
    """What was done, in columns."""
    lines = [(what, f"{number:,}") for what, number in run.counts]
    lines.append(("calls of flitwise", f"{run.bench.calls:,}"))
    wide = max(len(what) for what, _ in lines)
    digits = max(len(number) for _, number in lines)
    text = "".join(f"{what:<{wide}}   {number:>{digits}}\n" for what, number in lines)
    text += "".join(f"SKIPPED: {note}\n" for note in run.notes)
    return text + f"no violation; {seconds:.0f} s\n"


def main():
    asked = arguments()
    program = pathlib.Path(asked.program).resolve()
    seed = asked.seed if asked.seed is not None else random.SystemRandom().randrange(1 << 32)
    began = time.perf_counter()
    print(f"tests/faults/run {asked.program} --kills {asked.kills} --seed {seed}", flush=True)
    with tempfile.TemporaryDirectory(prefix="flitwise-faults-", dir=asked.place) as root:
        run = Run(Bench(program, root, seed), asked.kills)
        for name in asked.only or PARTS:
            begin = time.perf_counter()
            run.bench.forget("out")
            try:
                PARTS[name](run)
            except Violation as violation:
                again = f"tests/faults/run {asked.program} --kills {asked.kills} --seed {seed} --only {name}"
                print(f"VIOLATION in {name}: {violation}\nagain: {again}", flush=True)
                return 1
            print(f"{name}: {time.perf_counter() - begin:.1f} s", flush=True)
        print(table(run, time.perf_counter() - began))
    return 0


if __name__ == "__main__":
    sys.exit(main())
