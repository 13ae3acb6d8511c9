"""Full and read-only disks, existing files in place of directories, a full standard output, and wrong clocks."""

import os
import resource
import shutil
import signal
import subprocess

from bench import Said, Violation, check, decoded, instant, nothing_left, same_results
from damage import FLAGS, SMALL, Small
from kills import FIGURE, sweep_of


def limited(size):
    """Returns a function for the child process: writing beyond `size` bytes of a file is an error, and not a signal."""

    def prepare():
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))

    return prepare


def limits(run):
    """Limited file sizes. The run exits with 3, and can be resumed."""
    bench = run.bench
    for keeps in ("rows", "hops"):
        sweep = sweep_of(run, keeps)
        largest = max(len(data) for data in sweep.results.values())
        for number in range(run.share(60)):
            draws = bench.random("limits", keeps, number)
            for turn in range(draws.choice([1, 2])):
                size = int(largest ** draws.random()) if draws.random() < 0.9 else 0
                call = sweep.run("out", *(["--resume"] if turn else []))
                told = bench.call(call, codes=(0, 3), preexec_fn=limited(size), restore_signals=False)
                run.count("runs with limited file sizes", 1)
                if told.code == 3:
                    run.count("  that exit with 3", 1)
                    names_the_folder(told, "out/faults")
            bench.call(sweep.run("out", "--resume"))
            run.count("rows of journals counted", sweep.is_whole("out"))
            bench.forget("out")


def limits_of_others(run):
    """Limited file sizes for shards, merges, submissions, figures and pages."""
    bench = run.bench
    small = Small(bench)
    bench.write("mine/one.toml", SMALL.replace('"faults"', '"one"') + FIGURE)
    shard = small.run("out", "--shard", "1/3", "--resume")
    calls = [
        ("out/faults", shard),
        ("out/faults", small.run("out", "--resume", "--html", "--trace", "perfetto")),
        ("out/faults", ["submit", "small.toml", "--tasks", "3", "--out", "out", *FLAGS, "--dry-run"]),
        ("shards/faults", ["merge", "shards/faults"]),
        ("drawn/mine", ["figures", "--scenarios", "mine", "--out", "drawn"]),
        ("schedule", ["schedule", "small.toml", "--out", "schedule"]),
    ]
    for number in range(run.share(200)):
        draws = bench.random("limits of others", number)
        folder, call = draws.choice(calls)
        bench.forget("out")
        size = int(100_000 ** draws.random()) if draws.random() < 0.9 else 0
        told = bench.call(call, codes=(0, 1, 3), preexec_fn=limited(size), restore_signals=False)
        run.count("other calls with limited file sizes", 1)
        if told.code == 3:
            run.count("  of these that exit with 3", 1)
            names_the_folder(told, folder)
    bench.call(["merge", "shards/faults"])
    same_results(bench.root / "shards/faults", small.results)
    nothing_left(bench.root / "shards/faults")
    bench.forget("drawn")


def names_the_folder(told, name):
    """Checks that the error names the location."""
    if name not in told.err:
        raise Violation(f"the error does not name {name}: {told.err}")


def namespace(script, *words):
    """Runs a shell script in a private mount namespace. Returns `None` if this is not permitted."""
    for unshare in (["unshare", "-m"], ["unshare", "-rm"]):
        try:
            able = subprocess.run([*unshare, "mount", "-t", "tmpfs", "none", "/mnt"], capture_output=True)
        except FileNotFoundError:
            return None
        if able.returncode == 0:
            command = [*unshare, "sh", "-c", script, "sh", *map(str, words)]
            return subprocess.run(command, capture_output=True, timeout=120)
    return None


FULL = """
# a small disk, a run on it, a larger disk, the run again; $1: mount, $2: bytes, $3: where copies go, then the command
disk=$1; size=$2; copy=$3; shift 3
mount -t tmpfs -o size="$size" none "$disk" || exit 99
"$@"; first=$?
mount -o remount,size=256m "$disk" || exit 99
"$@" --resume || exit 98
cp -a "$disk/faults" "$copy"
exit $first
"""


def full(run):
    """Disks that are full after a random number of bytes."""
    bench = run.bench
    sweep = sweep_of(run, "hops")
    all_bytes = sum(len(data) for data in sweep.results.values()) * 2
    place = bench.root / "disk"
    place.mkdir(exist_ok=True)
    for number in range(run.share(60)):
        draws = bench.random("full", number)
        size = int(all_bytes ** draws.uniform(0.4, 1.0))
        bench.forget("copy")
        call = [bench.root / word if word == sweep.file else word for word in sweep.run(place)]
        ended = namespace(FULL, place, size, bench.root / "copy", bench.program, *call)
        if ended is None:
            return run.note("a full disk: private mounts are not permitted here")
        bench.calls += 2
        told = Said(ended.returncode, decoded(ended.stdout), decoded(ended.stderr))
        check(told, call, (0, 3))
        if told.code == 3:
            run.count("full disks", 1)
        folder = bench.root / "copy"
        same_results(folder, sweep.results)
        nothing_left(folder)


def standard_output(run):
    """A full standard output. The command exits with 3, and its files are complete."""
    bench = run.bench
    small = Small(bench)
    run_it = ["run", "small.toml", "--jobs", "1", "--out", "out", "--messages", "--hops"]
    bench.forget("out")
    calls = [
        run_it,
        run_it,
        ["status", "out/faults"],
        ["show", "out/faults"],
        ["plan", "small.toml", "--csv"],
        ["network", "small.toml"],
        ["list", "algorithms"],
        ["guide", "sweeps"],
    ]
    for call in calls:
        with open("/dev/full", "wb") as nowhere:
            bench.call(call, codes=(3,), stdout=nowhere)
        run.count("calls with a full standard output", 1)
    small.is_whole()
    # a closed pipe is not an error
    for call in calls:
        reading, writing = os.pipe()
        os.close(reading)
        bench.call(call, codes=(0,), stdout=writing)
        os.close(writing)
        run.count("calls with a closed pipe", 1)
    bench.forget("out")


READ_ONLY = """
# $1: a directory that becomes read-only, then the command
mount --bind "$1" "$1" && mount -o remount,ro,bind "$1" || exit 99
shift
exec "$@"
"""


def read_only(run):
    """Read-only directories. Calls that write exit with 3 and name the location. Calls that read succeed."""
    bench = run.bench
    small = Small(bench)
    empty = bench.root / "empty"
    empty.mkdir(exist_ok=True)
    calls = [
        (empty, small.run("empty"), 3),
        (empty, small.run("empty", "--shard", "1/3"), 3),
        (empty, ["submit", "small.toml", "--tasks", "3", "--out", "empty", "--dry-run"], 3),
        ("calm", small.run("calm", "--resume"), 3),
        ("calm", small.run("calm", "--force"), 3),
        ("calm", ["status", "calm/faults"], 0),
        ("calm", ["show", "calm/faults"], 0),
        ("shards", ["merge", "shards/faults"], 3),
        ("shards", ["status", "shards/faults"], 0),
    ]
    for folder, call, code in calls:
        ended = namespace("cd " + str(bench.root) + READ_ONLY, bench.root / folder, bench.program, *call)
        if ended is None:
            return run.note("a read-only directory: private mounts are not permitted here")
        bench.calls += 1
        told = Said(ended.returncode, decoded(ended.stdout), decoded(ended.stderr))
        check(told, call, (code,))
        if code == 3:
            names_the_folder(told, str(folder).rsplit("/", 1)[-1])
        run.count("calls on read-only directories", 1)
    same_results(bench.root / "calm/faults", small.results)


def in_the_way(run):
    """A file in place of a directory, or the reverse. The error names it. After its removal, the call succeeds."""
    bench = run.bench
    small = Small(bench)
    for name, makes_folder in [
        ("out", False),
        ("out/faults", False),
        ("out/faults/.lock", True),
        ("out/faults/journal-1-of-1.jsonl", True),
        ("out/faults/rows.csv", True),
        ("out/faults/hops.csv", True),
        ("out/faults/manifest.json", True),
        ("out/faults/.hops", False),
    ]:
        bench.forget("out")
        path = bench.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.mkdir() if makes_folder else path.write_text("in the way")
        told = bench.call(small.run("out"), codes=(2, 3))
        names_the_folder(told, name.split("/")[1] if "/" in name else name)
        path.rmdir() if makes_folder else path.unlink()
        bench.call(small.run("out", "--resume"))
        small.is_whole()
        run.count("files in place of directories, or the reverse", 1)
    for name in ("plan.json", "slurm"):
        folder = small.copied("shards")
        path = folder / name
        path.unlink(missing_ok=True)
        if name == "plan.json":
            path.mkdir()
            call = ["merge", "out/faults"]
        else:
            path.write_text("in the way")
            call = ["submit", "small.toml", "--tasks", "3", "--out", "out", "--messages", "--hops", "--dry-run"]
        told = bench.call(call, codes=(2, 3))
        names_the_folder(told, name)
        run.count("files in place of directories, or the reverse", 1)
    bench.forget("out")


def clocks(run):
    """Files with times in the future and the past, and clocks that jump between a kill and the next run."""
    bench = run.bench
    sweep = sweep_of(run, "messages")
    jumps = other_clocks(run)
    for number in range(run.share(60)):
        draws = bench.random("clocks", number)
        bench.killed(sweep.run("out"), instant(draws, sweep.seconds))
        for path in [bench.root / "out", *(bench.root / "out").rglob("*")] if (bench.root / "out").exists() else []:
            when = draws.choice([0, 1, 1e9, 2e9, 4e9, 2.0**33])
            os.utime(path, (when, when))
        bench.call(sweep.run("out", "--resume"), before=draws.choice(jumps))
        run.count("clock jumps", 1)
        run.count("rows of journals counted", sweep.is_whole("out"))
        bench.forget("out")


def other_clocks(run):
    """Returns commands that run another command at a different time, if possible, and at the present time."""
    ways = [[]]
    if shutil.which("faketime"):
        ways += [["faketime", "2038-01-19 03:14:08"], ["faketime", "1971-01-01"]]
    else:
        run.note("jumps of the wall clock: faketime is not installed; only the times of files jump")
    later = ["unshare", "--time", "--monotonic", "100000000", "--boottime", "100000000", "--fork"]
    try:
        able = subprocess.run([*later, "true"], capture_output=True).returncode == 0
    except FileNotFoundError:
        able = False
    if able:
        ways.append(later)
    else:
        run.note("jumps of the monotonic clock: time namespaces are not permitted here")
    return ways
