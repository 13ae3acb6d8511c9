#!/usr/bin/env python3
"""Reads report pages in a real Chromium, as a person would: python3 tests/page/browser.py target/release/flitwise

Runs small scenarios with `--html --messages --hops`, opens each page without a network and holds what it shows against
the CSV files. Needs the Python package `playwright` (not its browsers) and a Chromium, on PATH or named by CHROMIUM.
Without them it fails, unless FLITWISE_BROWSER=optional.
"""

import collections
import csv
import glob
import os
import shutil
import subprocess
import sys
import tempfile
import time

NODE = """
[node]
send_setup = 300
send_per_flit = 2
receive_setup = 500
receive_per_flit = 3
"""

SCENARIOS = {
    "page-multicast": """
name = "page-multicast"
repetitions = 3

[network.mesh]
shape = [8, 8]

[channel]
flit_time = 2
""" + NODE + """
[workload.multicast]
algorithms = ["opt-tree", "u-mesh"]
flits = 300
group = 24
""",
    "page-trace": """
name = "page-trace"

[network.mesh]
shape = [5, 5]

[channel]
flit_time = 1
buffer = 1

[workload.trace]
file = "messages.csv"
""",
    "page-exchange": """
name = "page-exchange"

[network.torus]
shape = [4, 4]

[channel]
virtual_channels = 2

[node]
send_setup = 20
receive_setup = 30

[workload.exchange]
algorithms = ["direct", "suh-shin"]
block_flits = 4
synchronous = false
""",
    "page-traffic": """
name = "page-traffic"

[network.mesh]
shape = [4, 4]

[channel]
virtual_channels = 2
buffer = 4

[router]
model = "pipelined"

[workload.traffic]
pattern = "uniform"
rate = 0.1
packet_flits = 4
warmup = 200
measure = 1000

[sweep]
"router.routing" = ["dimension-order", "o1turn"]
"workload.traffic.rate" = [0.02, 0.04, 0.06, 0.08, 0.1, 0.12, 0.14, 0.16, 0.18, 0.2, 0.22, 0.24, 0.26, 0.28, 0.3, 0.32]

[figure]
title = "Latency <of> two routings"
x = "workload.traffic.rate"
y = "latency"
by = ["router.routing"]
""",
    "page-halo": """
name = "page-halo"

[network.torus]
shape = [4, 4]
""" + NODE + """
[workload.halo]
shape = [4, 4]
cells = [8, 8]
periodic = [false, false]
compute_per_cell = 20
iterations = 3
""",
    "page-training": """
name = "page-training"

[workload.training]
layers = 4
hidden = 64
sequence = 32
microbatches = 4
pipeline = 4
data = 2
overlap = true

[model.loggops]
L = 100
o = 10
g = 5
G = 1
""",
    "page-grid": """
name = "page-grid"

[network.grid]
nodes = 12
bytes = 1000
latency = [10, 100]
bandwidth = [100, 1000]

[workload.broadcast]
algorithms = ["ecef", "binomial"]
""",
}


def trace_of_contention():
    """60 messages on 5 x 5 nodes, a third of them to either corner."""
    lines = ["id,src,dst,flits,start"]
    state = 12
    for number in range(60):
        draws = []
        for _ in range(4):
            state = (state * 1664525 + 1013904223) % 2**32
            draws.append(state >> 8)
        source = draws[0] % 25
        target = [0, 24, draws[1] % 25][number % 3]
        if target == source:
            target = (source + 7) % 25
        lines.append(f"{number},{source},{target},{1 + draws[2] % 40},{draws[3] % 300}")
    return "\n".join(lines) + "\n"


# ------------------------------------------------------------------------------------------------ what is checked with


class Tally:
    """Every check is made; failures are told at the end."""

    def __init__(self):
        self.made = 0
        self.failed = []

    def check(self, holds, what):
        self.made += 1
        if not holds:
            self.failed.append(what)

    def equal(self, got, expected, what):
        self.check(got == expected, f"{what}: {str(got)[:160]}, expected {str(expected)[:160]}")


class Run:
    """A scenario that was run: its folder's tables and its page."""

    def __init__(self, exe, name, folder):
        scenario = os.path.join(folder, f"{name}.toml")
        with open(scenario, "w", encoding="utf-8") as file:
            file.write(SCENARIOS[name])
        with open(os.path.join(folder, "messages.csv"), "w", encoding="utf-8") as file:
            file.write(trace_of_contention())
        out = os.path.join(folder, "out")
        extra = [] if name in ("page-grid", "page-traffic", "page-training") else ["--messages", "--hops"]
        extra += ["--timeline"] if name in ("page-halo", "page-training") else []
        subprocess.run([exe, "run", scenario, "--html", *extra, "--out", out, "--quiet"], check=True)
        self.name = name
        self.folder = os.path.join(out, name)
        self.page = glob.glob(os.path.join(out, "**", name, "report.html"), recursive=True)[0]

    def table(self, name):
        with open(os.path.join(os.path.dirname(self.page), name), encoding="utf-8", newline="") as file:
            return list(csv.DictReader(file))

    def rows_of(self, name, replay):
        key = (str(replay["point"]), replay["algorithm"], str(replay["repetition"]))
        return [row for row in self.table(name) if (row["point"], row["algorithm"], row["repetition"]) == key]

    def hops_of(self, replay):
        """Per message its hops: (channel, requested, granted, released)."""
        hops = collections.defaultdict(list)
        for row in self.rows_of("hops.csv", replay):
            times = (int(row[key]) for key in ("requested", "granted", "released"))
            hops[int(row["message"])].append((row["channel"], *times))
        return hops


class Reader:
    """A page in a tab of its own, and what the browser complained about."""

    def __init__(self, browser, run, **context):
        self.context = browser.new_context(offline=True, viewport={"width": 1280, "height": 1000}, **context)
        self.page = self.context.new_page()
        self.complaints = []
        self.requests = []
        self.page.on("console", lambda message: self.complaints.append(message.text))
        self.page.on("pageerror", lambda error: self.complaints.append(str(error)))
        self.page.on("request", lambda request: self.requests.append(request.url))
        self.page.goto("file://" + os.path.abspath(run.page))
        self.page.wait_for_selector("#replay[data-state=ready], #replay[data-state=none]", timeout=30000)

    def attribute(self, selector, name):
        return self.page.get_attribute(selector, name)

    def data(self, selector, *names):
        """data-* of all elements."""
        script = """([selector, names]) => [...document.querySelectorAll(selector)]
          .map(e => names.map(n => e.dataset[n] ?? null))"""
        return self.page.evaluate(script, [selector, list(names)])

    def enter(self, selector, value):
        self.page.fill(selector, str(value))
        self.page.press(selector, "Enter")

    def seek(self, tick):
        script = "t => { const e = document.getElementById('time'); e.value = t; e.dispatchEvent(new Event('input')); }"
        self.page.evaluate(script, tick)

    def replays(self):
        script = """() => JSON.parse(document.getElementById('flitwise-data').textContent).replays
          .map(({id, point, algorithm, repetition, completion}) => ({id, point, algorithm, repetition, completion}))"""
        return self.page.evaluate(script)

    def close(self, tally, label):
        tally.equal(self.complaints, [], f"{label}: the console")
        tally.equal(len(self.requests), 1, f"{label}: requests {self.requests[:3]}")
        self.context.close()


# ------------------------------------------------------------------------------------------------ tables and plots


def check_table(tally, reader, run):
    columns = reader.page.locator("#rows thead th").count()
    cells = reader.data("#rows tbody td", "column", "value")
    lines = [dict(cells[i : i + columns]) for i in range(0, len(cells), columns)]
    summary = run.table("summary.csv")
    tally.equal(len(lines), len(summary), f"{run.name}: rows of the table")
    for line, row in zip(lines, summary):
        tally.check(row["algorithm"] in line.values(), f"{run.name}: the table has no algorithms")
        stored = {column: value for column, value in line.items() if column in row}
        tally.check(len(stored) > 2, f"{run.name}: columns of the table {list(line)}")
        tally.equal(stored, {column: row[column] for column in stored}, f"{run.name}: a row of the table")


def check_sorting(tally, reader, run):
    head = "#rows th[data-column=measured_mean]"
    for direction in ("ascending", "descending"):
        reader.page.click(f"{head} button")
        values = [float(v) for (v,) in reader.data("#rows td[data-column=measured_mean]", "value")]
        tally.equal(reader.attribute(head, "aria-sort"), direction, f"{run.name}: aria-sort")
        tally.equal(values, sorted(values, reverse=direction == "descending"), f"{run.name}: sorted {direction}")


def check_plots(tally, reader, run):
    script = "() => [...document.querySelectorAll('#plots svg')].map(s => s.getAttribute('aria-label'))"
    labels = reader.page.evaluate(script)
    tally.check(all(labels), f"{run.name}: plots without names: {labels}")
    points = reader.data("#plots [data-px]", "py")
    # a plot has at least two points
    expected = len(run.table("summary.csv"))
    tally.equal(len(points), expected if expected > 1 else 0, f"{run.name}: points of plots")


# ------------------------------------------------------------------------------------------------ the replay


def check_counts(tally, reader, run, replay):
    hops = run.hops_of(replay)
    every = [hop for own in hops.values() for hop in own]
    end = replay["completion"]
    for tick in (0, 1, end // 3, end // 2, end - 1, end):
        reader.seek(tick)
        flight = sum(own[0][2] <= tick < own[-1][3] for own in hops.values())
        blocked = sum(requested <= tick < granted for _, requested, granted, _ in every)
        held = sum(granted <= tick < released for _, _, granted, released in every)
        got = reader.data("#counts", "flight", "blocked", "held")[0]
        tally.equal(got, [str(flight), str(blocked), str(held)], f"{run.name}: counts at tick {tick}")
        tally.equal(reader.attribute("#replay", "data-time"), str(tick), f"{run.name}: time")


def holders(hops, channel, low, high):
    """Who had a channel, and for how many ticks of [low, high)."""
    ticks = collections.Counter()
    for message, own in hops.items():
        for name, _, granted, released in own:
            if name == channel:
                ticks[message] += max(0, min(high, released) - max(low, granted))
    return +ticks


def check_messages(tally, reader, run, replay):
    hops = run.hops_of(replay)
    blocked = {m: sum(granted - requested for _, requested, granted, _ in own) for m, own in hops.items()}
    order = sorted(blocked, key=lambda m: (-blocked[m], m))
    for message in order[:4] + order[-1:]:
        label = f"{run.name}: message {message}"
        reader.enter("#message", message)
        waits = [[c, str(r), str(g)] for c, r, g, _ in hops[message] if g > r]
        tally.equal(reader.attribute("#message-panel", "data-message"), str(message), label)
        tally.equal(reader.data("#waits tr", "channel", "from", "to"), waits, f"{label}: waits")
        direct = collections.Counter()
        for channel, requested, granted in waits:
            direct += holders(hops, channel, int(requested), int(granted))
        got = {int(who): int(ticks) for who, ticks in reader.data("#blockers li", "blocker", "ticks")}
        tally.equal(got, dict(direct), f"{label}: blockers")
        roots = reader.data("#roots li", "root", "ticks")
        tally.equal(int(reader.attribute("#roots", "data-count")) >= len(roots), True, f"{label}: number of roots")
        told = sum(int(ticks) for _, ticks in roots)
        held = sum(direct.values())
        # Routers with virtual channels take some ticks of a chain themselves, and there may be more roots than shown.
        whole = len(roots) < 100 and "virtual_channels" not in SCENARIOS[run.name]
        tally.check(told == held if whole else told <= held, f"{label}: roots have {told} of {held} ticks")
    if blocked[order[0]] > 0:
        reader.enter("#message", order[0])
        first = reader.attribute("#blockers li", "data-blocker")
        reader.page.click("#blockers li button")
        tally.equal(reader.attribute("#message-panel", "data-message"), first, f"{run.name}: following a blocker")
    reader.enter("#message", len(hops))
    tally.equal(reader.attribute("#message-panel", "data-message"), None, f"{run.name}: a message that is not there")


def check_links(tally, reader, run, replay):
    hops = run.hops_of(replay)
    low, high = replay["completion"] // 4, replay["completion"] // 2
    reader.enter("#window-from", low)
    reader.enter("#window-to", high)
    sums = collections.defaultdict(lambda: [0, 0, 0])
    for own in hops.values():
        for channel, requested, granted, released in own:
            held = max(0, min(high, released) - max(low, granted))
            sums[channel][0] += held
            sums[channel][1] += max(0, min(high, granted) - max(low, requested))
            sums[channel][2] += held > 0
    used = {channel: [str(n) for n in ticks] for channel, ticks in sums.items() if ticks[0] or ticks[1]}
    for number, colour in enumerate(("load", "blocking")):
        reader.page.select_option("#colour", colour)
        lines = reader.data("#links tbody tr", "channel", "held", "waited", "messages")
        wrong = [line for line in lines if used.get(line[0]) != line[1:]]
        tally.equal(wrong, [], f"{run.name}: links by {colour}")
        shown = [int(line[1 + number]) for line in lines]
        tally.equal(shown, sorted((sums[c][number] for c in used), reverse=True)[:50], f"{run.name}: order by {colour}")
    channel = reader.attribute("#links tbody tr", "data-channel")
    reader.page.click("#links tbody tr button")
    owners = sorted((g, e, m) for m, own in hops.items() for c, _, g, e in own if c == channel)
    tally.equal(reader.attribute("#link-panel", "data-channel"), channel, f"{run.name}: a link")
    got = reader.data("#link-panel tr[data-message]", "message", "from", "to")
    tally.equal(got, [[str(m), str(g), str(e)] for g, e, m in owners][:500], f"{run.name}: who had {channel}")


def check_lanes(tally, reader, run, replay):
    messages = run.rows_of("messages.csv", replay)
    node = messages[-1]["dst"]
    expected = []
    for row in messages:
        stretches = []
        if row["src"] == node:
            stretches += [("send", row["began"], row["requested"]), ("wait", row["requested"], row["injected"])]
        if row["dst"] == node:
            stretches.append(("receive", row["delivered"], row["received"]))
        expected += [[kind, a, b, row["id"]] for kind, a, b in stretches if int(b) > int(a)]
    reader.enter("#lane-node", node)
    got = reader.data("#lane-panel tr[data-kind]", "kind", "from", "to", "message")
    tally.equal(sorted(got), sorted(expected), f"{run.name}: lane of node {node}")


def check_ranks(tally, reader, run, by):
    """The sums of each rank are those of timeline.csv, in any order of the ranks, and the picture changes with zoom and time."""
    sums = collections.defaultdict(collections.Counter)
    for row in run.table("timeline.csv"):
        if row["by"] == by and row["lane"].startswith("cpu"):
            sums[int(row["rank"])][row["kind"]] += int(row["end"]) - int(row["begin"])
    for rank, expected in sums.items():
        reader.enter("#rank", rank)
        got = {kind: int(ticks) for kind, ticks in reader.data("#rank-rows tr", "kind", "ticks")}
        tally.equal(got, dict(expected), f"{run.name}: time of rank {rank}")
    tally.check(f"{len(sums)} ranks" in reader.page.inner_text("#timeline-sum"), f"{run.name}: sum of ranks")
    picture = lambda: reader.page.query_selector("#ranks-box").screenshot()
    pictures = [picture()]
    reader.page.select_option("#timeline-sort", "wait")
    pictures.append(picture())
    reader.page.click("#timeline-in")
    pictures.append(picture())
    reader.page.click("#timeline-whole")
    kinds = 3 if by == "measured" else 2  # in the run under the model, ranks wait in the order of their numbers
    tally.equal(len(set(pictures)), kinds, f"{run.name}: pictures of the ranks, sorted and zoomed")
    tally.equal(picture(), pictures[1], f"{run.name}: the whole run after zooming")
    reader.page.hover("#ranks", position={"x": 400, "y": 20})
    told = reader.page.inner_text("#ranks-pointed")
    tally.check("rank " in told and " to " in told, f"{run.name}: pointing at a slice shows `{told}`")


def check_path(tally, reader, run, replay):
    steps = reader.data("#critical li", "kind", "from", "to")
    joined = all(a[2] == b[1] for a, b in zip(steps, steps[1:]))
    tally.check(steps and joined and steps[0][1] == "0", f"{run.name}: the critical path is not of one piece")
    tally.equal(steps[-1][2], str(replay["completion"]), f"{run.name}: end of the critical path")
    words = reader.page.inner_text("#critical-words")
    tally.check(f"{replay['completion']:,} " in words, f"{run.name}: words of the path")


def check_playing(tally, reader, run):
    reader.seek(0)
    frames = int(reader.attribute("#replay", "data-frames"))
    reader.page.click("#play")
    tally.equal(reader.attribute("#replay", "data-state"), "playing", f"{run.name}: play")
    time.sleep(1)
    reader.page.click("#play")
    still = reader.attribute("#replay", "data-time")
    drawn = int(reader.attribute("#replay", "data-frames")) - frames
    tally.check(drawn > 10 and int(still) > 0, f"{run.name}: {drawn} frames to tick {still} in a second")
    time.sleep(0.2)
    tally.equal(reader.attribute("#replay", "data-time"), still, f"{run.name}: paused, and the time goes on")
    tally.equal(reader.attribute("#replay", "data-state"), "paused", f"{run.name}: pause")
    pictures = []
    for colour in ("load", "blocking"):
        reader.page.select_option("#colour", colour)
        pictures.append(reader.page.query_selector("#network").screenshot())
    tally.check(pictures[0] != pictures[1], f"{run.name}: load and blocking look alike")


def check_two_runs(tally, reader, run):
    replays = reader.replays()
    if len(replays) < 2:
        return
    first, second = replays[:2]
    reader.page.select_option("#which", str(first["id"]))
    reader.page.wait_for_selector(f"#replay[data-replay='{first['id']}'][data-state=ready]")
    reader.page.select_option("#second", str(second["id"]))
    reader.page.wait_for_selector(f"#replay[data-second='{second['id']}'][data-state=ready]")
    ends = [first["completion"], second["completion"]]
    tally.equal(reader.attribute("#time", "max"), str(max(ends)), f"{run.name}: one time for two runs")
    tick = min(ends) // 2
    reader.seek(tick)
    for selector, replay in (("#counts", first), ("#counts-2", second)):
        flight = sum(own[0][2] <= tick < own[-1][3] for own in run.hops_of(replay).values())
        tally.equal(reader.attribute(selector, "data-flight"), str(flight), f"{run.name}: {selector}")
    box = reader.page.query_selector("#network-2").bounding_box()
    tally.check(box["width"] > 200, f"{run.name}: the second network")
    reader.page.select_option("#second", "")
    reader.page.wait_for_selector("#replay[data-second=''][data-state=ready]")


# ------------------------------------------------------------------------------------------------ keys and looks


def tab_to(reader, selector):
    """Tabs on to an element; whether its focus can be seen."""
    for _ in range(400):
        reader.page.keyboard.press("Tab")
        if reader.page.evaluate("s => document.activeElement.matches(s)", selector):
            outline = "k => getComputedStyle(document.activeElement)['outline' + k]"
            kind, width = (reader.page.evaluate(outline, k) for k in ("Style", "Width"))
            return kind != "none" and float(width.removesuffix("px")) >= 2
    return False


def check_keys(tally, reader, run):
    press = reader.page.keyboard.press
    time_shown = lambda: reader.attribute("#replay", "data-time")
    tally.check(tab_to(reader, "#rows th button"), f"{run.name}: focus on a heading")
    tally.check(tab_to(reader, "#play"), f"{run.name}: focus on play")
    press("Space")
    tally.equal(reader.attribute("#replay", "data-state"), "playing", f"{run.name}: space on play")
    press("k")
    tally.equal(reader.attribute("#replay", "data-state"), "paused", f"{run.name}: k")
    for key in ("0", ".", ".", ","):
        press(key)
    tally.equal(time_shown(), "1", f"{run.name}: 0 . . ,")
    press("9")
    tally.equal(time_shown(), reader.attribute("#time", "max"), f"{run.name}: 9")
    press("m")
    reader.page.keyboard.type("0")
    press("Enter")
    tally.equal(reader.attribute("#message-panel", "data-message"), "0", f"{run.name}: m 0")
    tally.equal(time_shown(), reader.attribute("#time", "max"), f"{run.name}: a key while typing")
    tally.check(tab_to(reader, "#links tbody button"), f"{run.name}: focus on a link")
    press("Enter")
    tally.check(reader.attribute("#link-panel", "data-channel") is not None, f"{run.name}: Enter on a link")
    press("?")
    tally.check(reader.page.is_visible("#help"), f"{run.name}: ?")
    press("Escape")
    tally.check(not reader.page.is_visible("#help"), f"{run.name}: Escape")


TEXTS_TOO_PALE = """() => {
  const numbers = colour => (colour.match(/[0-9.]+/g) || []).map(Number);
  const linear = v => v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4;
  const luminance = c => [0.2126, 0.7152, 0.0722].reduce((sum, w, i) => sum + w * linear(c[i] / 255), 0);
  const ground = e => {
    for (; e; e = e.parentElement) {
      const c = numbers(getComputedStyle(e).backgroundColor);
      if (c.length === 3 || c[3] > 0) return c;
    }
    return [255, 255, 255];
  };
  const pale = [];
  for (const e of document.body.querySelectorAll('*')) {
    const text = [...e.childNodes].some(n => n.nodeType === 3 && n.data.trim());
    if (!text || !e.getClientRects().length) continue;
    const style = getComputedStyle(e);
    const pair = [luminance(numbers(e instanceof SVGElement ? style.fill : style.color)), luminance(ground(e))];
    const contrast = (Math.max(...pair) + 0.05) / (Math.min(...pair) + 0.05);
    if (contrast < 4.5) pale.push(e.tagName + ' ' + e.textContent.slice(0, 20));
  }
  return pale;
}"""

NAMELESS = """() => [...document.querySelectorAll('button, input, select, canvas, svg, [role=region]')].filter(e =>
  e.getClientRects().length && !e.closest('[aria-hidden=true]') && !(e.labels && e.labels.length)
  && !e.getAttribute('aria-label') && !e.getAttribute('aria-labelledby') && !e.title && !e.textContent.trim())
  .map(e => e.outerHTML.slice(0, 80))"""


def check_looks(tally, browser, run):
    papers = []
    for scheme in ("light", "dark"):
        reader = Reader(browser, run, color_scheme=scheme, reduced_motion="reduce")
        tally.equal(reader.page.evaluate(TEXTS_TOO_PALE), [], f"{run.name}, {scheme}: texts below 4.5 : 1")
        tally.equal(reader.page.evaluate(NAMELESS), [], f"{run.name}, {scheme}: without a name")
        papers.append(reader.page.evaluate("() => getComputedStyle(document.body).backgroundColor"))
        time.sleep(0.3)
        tally.equal(reader.attribute("#replay", "data-time"), "0", f"{run.name}: plays by itself")
        reader.close(tally, f"{run.name}, {scheme}")
    tally.check(papers[0] != papers[1], f"{run.name}: dark is light")
    reader = Reader(browser, run)
    tally.equal(reader.page.locator("h1").count(), 1, f"{run.name}: headings")
    for width in (380, 700, 1000, 1600):
        reader.page.set_viewport_size({"width": width, "height": 800})
        time.sleep(0.2)
        wide = reader.page.evaluate("() => document.documentElement.scrollWidth")
        tally.check(wide <= width + 1, f"{run.name}: {wide} pixels wide on {width}")
    reader.page.emulate_media(media="print")
    tally.check(not reader.page.is_visible("#play"), f"{run.name}: controls in print")
    hidden = "() => { const b = document.getElementById('rows-box'); return b.scrollHeight - b.clientHeight; }"
    tally.check(reader.page.evaluate(hidden) <= 1, f"{run.name}: the table is cut in print")
    tally.check(len(reader.page.pdf()) > 5000, f"{run.name}: an empty PDF")
    reader.close(tally, f"{run.name}, sizes and print")


# ------------------------------------------------------------------------------------------------ all of it


def check_run(tally, browser, run):
    reader = Reader(browser, run)
    check_table(tally, reader, run)
    check_sorting(tally, reader, run)
    check_plots(tally, reader, run)
    for replay in reader.replays():
        identity = replay["id"]
        reader.page.select_option("#which", str(identity))
        reader.page.wait_for_selector(f"#replay[data-replay='{identity}'][data-state=ready]")
        check_counts(tally, reader, run, replay)
        check_messages(tally, reader, run, replay)
        check_links(tally, reader, run, replay)
        check_lanes(tally, reader, run, replay)
        check_path(tally, reader, run, replay)
    check_playing(tally, reader, run)
    check_two_runs(tally, reader, run)
    reader.close(tally, run.name)
    reader = Reader(browser, run)
    check_keys(tally, reader, run)
    reader.close(tally, f"{run.name}, keys")
    check_looks(tally, browser, run)


def check_application(tally, browser, run):
    reader = Reader(browser, run)
    has_replay = reader.attribute("#replay", "data-state") == "ready"
    tally.equal(has_replay, run.name == "page-halo", f"{run.name}: a replay")
    check_ranks(tally, reader, run, "measured" if has_replay else "predicted")
    if has_replay:
        reader.page.click("#ranks", position={"x": 500, "y": 20})
        tally.check(int(reader.attribute("#replay", "data-time")) > 0, f"{run.name}: a click on a lane does not set the time")
    reader.close(tally, run.name)
    check_looks(tally, browser, run)


def check_grid(tally, browser, run):
    reader = Reader(browser, run)
    check_table(tally, reader, run)
    tally.check(not reader.page.is_visible("#timeline"), f"{run.name}: a timeline without ranks")
    tally.equal(reader.attribute("#replay", "data-state"), "none", f"{run.name}: state")
    tally.check(len(reader.page.inner_text("#replay").strip()) > 20, f"{run.name}: does not say why there is no replay")
    reader.close(tally, run.name)


def check_traffic(tally, browser, run):
    reader = Reader(browser, run)
    check_table(tally, reader, run)
    headline = reader.page.inner_text("#verdict")
    tally.check("latency" in headline and "points" not in headline, f"{run.name}: headline {headline}")
    tally.check("4x4 mesh" in reader.page.inner_text("#what"), f"{run.name}: the settings of the scenario are missing")
    picture = "() => { const i = document.querySelector('#figure img'); return [i.naturalWidth > 300, i.alt]; }"
    drawn, alt = reader.page.evaluate(picture)
    tally.check(drawn and alt.startswith("Latency <of> two routings"), f"{run.name}: the figure of the scenario: {alt}")
    tally.equal(reader.page.locator("#plots svg").count(), 0, f"{run.name}: automatic plots in addition to the figure")
    tally.check(reader.page.locator("#still-links tbody tr").count() > 20, f"{run.name}: loads of links")
    check_scrolling(tally, reader, run)
    reader.close(tally, run.name)


def check_scrolling(tally, reader, run):
    """A table that is cut says so, and how much of it is in view."""
    cut = lambda: [reader.attribute("#rows-box", name) is not None for name in ("data-below", "data-right")]
    note = lambda: reader.page.inner_text("#rows-note")
    tally.equal(cut(), [True, False], f"{run.name}: the table is cut below")
    tally.check(" of 32 rows shown" in note(), f"{run.name}: {note()}")
    reader.page.evaluate("() => { const b = document.getElementById('rows-box'); b.scrollTop = b.scrollHeight; }")
    reader.page.wait_for_selector("#rows-box:not([data-below])")
    reader.page.set_viewport_size({"width": 500, "height": 1000})
    reader.page.wait_for_selector("#rows-box[data-right]")
    tally.check(" columns shown" in note(), f"{run.name}: {note()}")


def find_browser():
    names = ("chromium", "chromium-browser", "google-chrome")
    return os.environ.get("CHROMIUM") or next(filter(None, map(shutil.which, names)), None)


def give_up(what):
    print(f"!!! THE PAGE IS NOT TESTED IN A BROWSER: {what}", flush=True)
    sys.exit(0 if os.environ.get("FLITWISE_BROWSER") == "optional" else 1)


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    try:
        from playwright.sync_api import sync_playwright
    except ImportError:
        give_up("the Python package playwright is missing")
    chromium = find_browser()
    if not chromium:
        give_up("no Chromium on PATH, and CHROMIUM names none")
    exe = os.path.abspath(sys.argv[1])
    tally = Tally()
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        for name in SCENARIOS:
            others = {"page-grid": check_grid, "page-traffic": check_traffic}
            check = others.get(name, check_application if name in ("page-halo", "page-training") else check_run)
            try:
                check(tally, browser, Run(exe, name, folder))
            except Exception as error:  # one page that breaks must not hide what is wrong with the others
                tally.check(False, f"{name}: {type(error).__name__}: {str(error)[:300]}")
        browser.close()
    for what in tally.failed:
        print(f"- {what}")
    print(f"{tally.made - len(tally.failed)} of {tally.made} checks of report pages in Chromium hold")
    sys.exit(1 if tally.failed else 0)


if __name__ == "__main__":
    main()
