"""Injects many kills and other faults. `tests/faults/run` describes the purpose and the arguments.

A part is a function of a `Run` that injects its faults and counts them. The first violation ends the run.
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

# The parts, in the order in which they run.
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
    """Context of the parts: the bench, the number of faults, and the counters."""

    def __init__(self, bench, kills_in_all):
        self.bench = bench
        self.kills = kills_in_all
        self.counts = []
        self.notes = []
        self.sweeps = {}

    def share(self, part):
        """Returns `part` of 1000 faults, scaled to the requested number of faults, at least 1."""
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
    parser.add_argument("--kills", type=int, default=1000, help="number of kills; other faults in proportion")
    parser.add_argument("--seed", type=int, default=None, help="repeat the faults of this seed; the moment of a kill still depends on the machine")
    parser.add_argument("--only", choices=PARTS, action="append", help="run only this part; repeatable")
    parser.add_argument("--place", default=place(), help="working directory [default: in memory, if possible]")
    return parser.parse_args()


def place():
    """Returns a directory in memory, so that thousands of runs do not wait for a disk, or `None` if there is no such directory."""
    memory = pathlib.Path("/dev/shm")
    return memory if "TMPDIR" not in os.environ and os.access(memory, os.W_OK) else None


def table(run, seconds):
    """Returns the counters in columns."""
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
                print(f"VIOLATION in {name}: {violation}\nrepeat with: {again}", flush=True)
                return 1
            print(f"{name}: {time.perf_counter() - begin:.1f} s", flush=True)
        print(table(run, time.perf_counter() - began))
    return 0


if __name__ == "__main__":
    sys.exit(main())
