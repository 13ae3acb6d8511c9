// What the report page computes, without a document: node --test tests/page/
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { test } from "node:test";
import { leb128, packRun, randomFrom, simulate, zigzag } from "./runs.mjs";

const page = new URL("../../src/page/", import.meta.url);
const report = createRequire(import.meta.url)(new URL("report.js", page).pathname);

const load = ({ replay, blobs }) => report.indexRun(report.decodeRun(replay, blobs));

const randomRun = (seed) => {
  const random = randomFrom(seed);
  const count = 5 + Math.floor(random() * 25);
  const shape = { count, channels: 2 + Math.floor(random() * 8), latest: 40, longest: 12 };
  const messages = simulate(random, shape);
  return { messages, run: load(packRun(messages, { channels: shape.channels })), channels: shape.channels };
};

const hopsOf = (messages) => messages.flatMap(({ hops }, message) => hops.map((hop) => [message, ...hop]));

/** The line of four nodes of the guide: (0)->(1), (1)->(2), (2)->(3) are channels 1, 2, 3. */
const LINE = [
  { flits: 3, hops: [[0, 0, 0, 15], [1, 1, 1, 16], [2, 2, 14, 17], [5, 15, 15, 18]] },
  { flits: 4, hops: [[6, 0, 0, 13], [2, 1, 1, 14], [3, 2, 11, 15], [4, 12, 12, 16]] },
  { flits: 10, hops: [[7, 0, 0, 10], [3, 1, 1, 11], [4, 2, 2, 12]] },
];

const line = () => load(packRun(LINE, { channels: 8 }));

// ---------------------------------------------------------------- numbers

test("LEB128 numbers up to 53 bits are read as they were written", () => {
  const values = [0, 1, 127, 128, 300, 16383, 16384, 2 ** 31, 2 ** 32 + 5, Number.MAX_SAFE_INTEGER];
  const numbers = new report.Numbers(leb128(values));
  assert.deepEqual(values.map(() => numbers.next()), values);
  numbers.end();
});

test("numbers that are missing, cut off or left over are errors", () => {
  assert.throws(() => new report.Numbers(leb128([])).next(), /missing/);
  assert.throws(() => new report.Numbers(Uint8Array.of(0x80)).next(), /cut off/);
  assert.throws(() => new report.Numbers(leb128([1])).end(), /after the last number/);
});

test("zigzag numbers have both signs", () => {
  assert.deepEqual([0, 1, 2, 3, 4].map(report.unzigzag), [0, -1, 1, -2, 2]);
  for (const value of [-7, 12, -(2 ** 40), 2 ** 51]) assert.equal(report.unzigzag(zigzag(value)), value);
});

// ---------------------------------------------------------------- runs

test("a run is decoded to the hops that it was made from", () => {
  const run = line();
  const hops = Array.from({ length: run.hops }, (_, h) =>
    [run.message[h], run.channel[h], run.requested[h], run.granted[h], run.released[h]]);
  assert.deepEqual(hops, hopsOf(LINE));
  assert.deepEqual(Array.from(run.blocked), [12, 9, 0]);
  assert.deepEqual(Array.from(run.received), [18, 16, 12]);
});

test("requests of pipelined routers are the expected ones and a difference", () => {
  const messages = [{ hops: [[0, 5, 5, 20], [1, 9, 12, 21], [2, 13, 13, 22]] }];
  const run = load(packRun(messages, { channels: 3, requests: true }));
  assert.deepEqual(Array.from(run.requested), [5, 9, 13]);
  assert.throws(() => packRun(messages, { channels: 3 }), /asks at 9/);
});

test("a start later than its grant moves the next request", () => {
  const { replay } = packRun([{ hops: [[0, 0, 0, 9], [1, 1, 1, 10]] }], { channels: 2 });
  const blobs = { messages: leb128([0, 1, 4, 2, 0, 0]), paths: leb128([0, 2]), hops: leb128([0, 3, 9, 0, 0, 6]),
    causes: leb128([0, 0]) };
  const run = report.decodeRun(replay, blobs);
  assert.deepEqual(Array.from(run.requested), [0, 4]);
});

test("a blob with a number too many is an error", () => {
  const { replay, blobs } = packRun(LINE, { channels: 8 });
  assert.throws(() => report.decodeRun(replay, { ...blobs, hops: leb128([...new Array(40).fill(0)]) }), /after the last number/);
});

test("causes name the message before and the beginning of the send", () => {
  const messages = [
    { hops: [[0, 10, 10, 20]], began: 4 },
    { hops: [[1, 30, 30, 40]], cause: 1, after: 0, began: 20 },
    { hops: [[2, 50, 50, 60]], cause: 4, began: 45 },
  ];
  const run = load(packRun(messages, { channels: 3 }));
  assert.deepEqual(Array.from(run.began), [4, 20, 45]);
  assert.deepEqual(Array.from(run.after), [-1, 0, -1]);
});

// ---------------------------------------------------------------- sorting

test("the radix sort is stable, of 32-bit times and of longer ones", () => {
  const random = randomFrom(5);
  for (const [kind, most] of [[Uint32Array, 2 ** 32], [Uint32Array, 12], [Float64Array, 2 ** 50]]) {
    const times = kind.from({ length: 3000 }, () => Math.floor(random() * most));
    const positions = report.upTo(3000);
    const expected = Array.from(positions).sort((a, b) => times[a] - times[b] || a - b);
    assert.deepEqual(Array.from(report.sortByTime(positions, times)), expected);
    assert.deepEqual(positions, report.upTo(3000), "the positions given must stay");
  }
});

test("owners of a channel come in order of time", () => {
  for (let seed = 1; seed <= 20; seed++) {
    const { messages, run, channels } = randomRun(seed);
    for (let c = 0; c < channels; c++) {
      const { starts, from, to, hop } = run.owners;
      const got = Array.from({ length: starts[c + 1] - starts[c] }, (_, i) => starts[c] + i)
        .map((k) => [run.message[hop[k]], from[k], to[k]]);
      const expected = hopsOf(messages).filter((h) => h[1] === c).map((h) => [h[0], h[3], h[4]]);
      expected.sort((a, b) => a[1] - b[1]);
      assert.deepEqual(got, expected, `seed ${seed}, channel ${c}`);
    }
  }
});

test("rows are sorted stably, empty ones last in both directions", () => {
  const values = ["10", "9", "", "9", "100"];
  assert.deepEqual(report.sortedRows([0, 1, 2, 3, 4], values, true, false), [1, 3, 0, 4, 2]);
  assert.deepEqual(report.sortedRows([0, 1, 2, 3, 4], values, true, true), [4, 0, 1, 3, 2]);
  assert.deepEqual(report.sortedRows([0, 1, 2, 3, 4], values, false, false), [0, 4, 1, 3, 2]);
  assert.deepEqual(report.sortedRows([3, 1, 0], values, true, false), [3, 1, 0], "equal rows stay as they are");
});

// ---------------------------------------------------------------- windows and counts

const emptySums = (channels) => ({ held: new Float64Array(channels), waited: new Float64Array(channels) });

const overlap = (from, to, low, high) => Math.max(0, Math.min(to, high) - Math.max(from, low));

test("sums of a window are those of its hops", () => {
  for (let seed = 1; seed <= 40; seed++) {
    const { messages, run, channels } = randomRun(seed);
    const random = randomFrom(seed + 1000);
    const end = run.replay.completion;
    for (const window of [[0, end], [end, 0], ...Array.from({ length: 8 }, () => [random() * end, random() * end])]) {
      const [low, high] = window.map(Math.floor);
      const sums = report.windowSums(run, low, high, emptySums(channels));
      for (let c = 0; c < channels; c++) {
        const hops = hopsOf(messages).filter((h) => h[1] === c);
        const held = hops.map((h) => overlap(h[3], h[4], low, high));
        const waited = hops.map((h) => overlap(h[2], h[3], low, high));
        assert.equal(sums.held[c], held.reduce((a, b) => a + b, 0));
        assert.equal(sums.waited[c], waited.reduce((a, b) => a + b, 0));
        assert.equal(report.messagesWithin(run, c, low, high), held.filter((ticks) => ticks > 0).length);
      }
    }
  }
});

test("counts at a tick are those of its hops", () => {
  for (let seed = 1; seed <= 20; seed++) {
    const { messages, run, channels } = randomRun(seed);
    const queue = new Uint32Array(channels);
    const busy = new Uint8Array(channels);
    for (let t = 0; t <= run.replay.completion; t += 3) {
      const hops = hopsOf(messages);
      const expected = {
        flight: messages.filter(({ hops: own }) => own[0][2] <= t && t < own.at(-1)[3]).length,
        blocked: hops.filter((h) => h[2] <= t && t < h[3]).length,
        held: hops.filter((h) => h[3] <= t && t < h[4]).length,
      };
      assert.deepEqual(report.countsAt(run, t, queue, busy), expected, `seed ${seed}, tick ${t}`);
      for (let c = 0; c < channels; c++) {
        assert.equal(queue[c], hops.filter((h) => h[1] === c && h[2] <= t && t < h[3]).length);
      }
    }
  }
});

test("the busiest channels come first, unused ones not at all", () => {
  const sums = { held: [0, 5, 9, 5, 0], waited: [0, 1, 0, 2, 3] };
  assert.deepEqual(report.busiest(sums, "held", 10), [2, 1, 3, 4]);
  assert.deepEqual(report.busiest(sums, "waited", 2), [4, 3]);
});

test("a profile has the ticks of its intervals", () => {
  const profile = new report.Profile(7, 30);
  const intervals = [[0, 30], [3, 4], [4, 21], [29, 30], [12, 12]];
  for (const [begin, end] of intervals) profile.add(begin, end);
  const means = profile.means();
  means.forEach((mean, bin) => {
    const low = (bin * 30) / 7;
    const ticks = intervals.reduce((sum, [begin, end]) => sum + overlap(begin, end, low, low + 30 / 7), 0);
    assert.ok(Math.abs(mean - ticks / (30 / 7)) < 1e-9, `bin ${bin}`);
  });
});

test("a run of bins has sums of whole bins", () => {
  const replay = { completion: 10, bins: 4, channels: [{}, {}] };
  const blobs = { held: leb128([1, 2, 3, 4, 0, 0, 5, 6]), waited: leb128([9, 0, 0, 1, 0, 0, 0, 0]) };
  const run = report.decodeBins(replay, blobs);
  assert.deepEqual(Array.from(run.edges), [0, 2, 5, 7, 10]);
  const sums = report.windowSums(run, 2, 8, emptySums(2));
  assert.deepEqual([Array.from(sums.held), Array.from(sums.waited)], [[5, 5], [0, 0]]);
});

test("a node's lane has its sends, waits at the port and receives", () => {
  const messages = [
    { source: 3, target: 2, hops: [[0, 10, 14, 20], [1, 15, 15, 25]], began: 4, received: 31 },
    { source: 1, target: 3, hops: [[2, 0, 0, 5], [3, 1, 1, 6]], received: 9 },
  ];
  const run = load(packRun(messages, { channels: 4 }));
  assert.deepEqual(report.laneOf(run, 3), [
    { kind: "send", from: 4, to: 10, message: 0 },
    { kind: "receive", from: 6, to: 9, message: 1 },
    { kind: "wait", from: 10, to: 14, message: 0 },
  ]);
  assert.deepEqual(report.laneOf(run, 2), [{ kind: "receive", from: 25, to: 31, message: 0 }]);
  assert.deepEqual(report.laneOf(run, 0), []);
});

// ---------------------------------------------------------------- blame

test("blame of the line of four, worked out by hand", () => {
  const run = line();
  assert.deepEqual(report.directBlame(run, 0), { blockers: [{ message: 1, ticks: 12 }], rest: 0 });
  const roots = [{ message: 2, channel: 3, ticks: 9 }, { message: 1, channel: 2, ticks: 3 }];
  assert.deepEqual(report.rootBlame(run, 0), { roots, rest: 0 });
  const table = new Map();
  for (let m = 0; m < run.count; m++) {
    for (const { message, channel, ticks } of report.rootBlame(run, m).roots) {
      table.set(`${message} ${channel}`, (table.get(`${message} ${channel}`) || 0) + ticks);
    }
  }
  assert.deepEqual(Object.fromEntries(table), { "2 3": 18, "1 2": 3 });
});

test("a wait behind two owners is shared between them", () => {
  const messages = [
    { hops: [[0, 0, 0, 4]] },
    { hops: [[0, 0, 4, 6]] },
    { hops: [[0, 1, 6, 7]] },
  ];
  const run = load(packRun(messages, { channels: 1 }));
  assert.deepEqual(report.directBlame(run, 2).blockers, [{ message: 0, ticks: 3 }, { message: 1, ticks: 2 }]);
  // message 1 waits itself until 4, but has the channel only from then on
  const roots = [{ message: 0, channel: 0, ticks: 3 }, { message: 1, channel: 0, ticks: 2 }];
  assert.deepEqual(report.rootBlame(run, 2), { roots, rest: 0 });
});

test("ticks of a wait without a holder are the router's", () => {
  const messages = [{ hops: [[0, 0, 0, 4]] }, { hops: [[0, 2, 7, 9]] }];
  const run = load(packRun(messages, { channels: 1 }));
  assert.deepEqual(report.directBlame(run, 1), { blockers: [{ message: 0, ticks: 2 }], rest: 3 });
  assert.deepEqual(report.rootBlame(run, 1), { roots: [{ message: 0, channel: 0, ticks: 2 }], rest: 3 });
});

/** Blame tick by tick: who has the channel now, and does its header wait now, and for what. */
function slowBlame(messages, m) {
  const hops = hopsOf(messages);
  const direct = new Map();
  const roots = new Map();
  const add = (map, key) => map.set(key, (map.get(key) || 0) + 1);
  for (const [, wanted, requested, granted] of hops.filter((h) => h[0] === m)) {
    for (let t = requested; t < granted; t++) {
      let channel = wanted;
      let holder = hops.find((h) => h[1] === channel && h[3] <= t && t < h[4]);
      if (holder) add(direct, holder[0]);
      while (holder) {
        const waiting = hops.find((h) => h[0] === holder[0] && h[2] <= t && t < h[3]);
        if (!waiting) break;
        channel = waiting[1];
        holder = hops.find((h) => h[1] === channel && h[3] <= t && t < h[4]);
      }
      if (holder) add(roots, `${holder[0]} ${channel}`);
    }
  }
  return { direct, roots };
}

test("blame is what following every tick gives", () => {
  let ticks = 0;
  for (let seed = 1; seed <= 60; seed++) {
    const { messages, run } = randomRun(seed);
    for (let m = 0; m < run.count; m++) {
      const slow = slowBlame(messages, m);
      const direct = new Map(report.directBlame(run, m).blockers.map((b) => [b.message, b.ticks]));
      const roots = new Map(report.rootBlame(run, m).roots.map((r) => [`${r.message} ${r.channel}`, r.ticks]));
      assert.deepEqual(Object.fromEntries(direct), Object.fromEntries(slow.direct), `seed ${seed}, message ${m}`);
      assert.deepEqual(Object.fromEntries(roots), Object.fromEntries(slow.roots), `seed ${seed}, message ${m}`);
      ticks += run.blocked[m];
    }
  }
  assert.ok(ticks > 10000, "the random runs hardly block");
});

test("a chain of 50,000 waiting messages does not run over", () => {
  const count = 50000;
  const messages = [];
  // message m holds channel m and waits for channel m + 1 until the one after has gone: an unbroken chain
  for (let m = 0; m < count; m++) {
    const granted = 2 * count - m;
    messages.push({ hops: [[m, 0, 0, granted + 1], [m + 1, 1, granted, granted + 2]] });
  }
  messages.push({ hops: [[count, 0, 0, count]] });
  const run = load(packRun(messages, { channels: count + 1 }));
  const { roots, rest } = report.rootBlame(run, 0);
  assert.equal(roots.reduce((sum, r) => sum + r.ticks, 0) + rest, run.blocked[0]);
});

test("a circle of waits ends", () => {
  const messages = [{ hops: [[0, 0, 0, 9], [1, 1, 8, 9]] }, { hops: [[1, 0, 0, 8], [0, 1, 9, 10]] }];
  const run = load(packRun(messages, { channels: 2 }));
  const { roots, rest } = report.rootBlame(run, 0);
  // message 0 waits in [1,8) for message 1, which waits for message 0 all that time: no message moves
  assert.deepEqual([roots, rest], [[], 7]);
});

// ---------------------------------------------------------------- pictures

const grid = (rows, columns, more = {}) => {
  const layout = { kind: "mesh", shape: [rows, columns], x: [], y: [], ...more };
  for (let v = 0; v < rows * columns; v++) {
    layout.x.push(v % columns);
    layout.y.push(Math.floor(v / columns));
  }
  return layout;
};
const link = (from, to) => ({ name: `${from}->${to}`, kind: "link", from, to });
const bothWays = (a, b) => [link(a, b), link(b, a)];

test("links are straight, around a torus stubs, and bowed around what lies between", () => {
  const channels = [...bothWays(0, 1), ...bothWays(0, 3)];
  const shapes = (kind) => Array.from(report.geometryOf(channels, grid(1, 4, { kind }), 4).shape);
  assert.deepEqual(shapes("torus"), [0, 0, 2, 2]);
  assert.deepEqual(shapes("hypercube"), [0, 0, 1, 1]);
  const apart = grid(1, 4, { kind: "mesh", slices: [0, 1, 1, 1] });
  assert.deepEqual(Array.from(report.geometryOf(channels, apart, 4).shape), [2, 2, 2, 2]);
});

test("virtual channels are one link, ports are in their node, unknown vertices nowhere", () => {
  const channels = [
    { name: "injection 0", kind: "injection", from: 0, to: 0 },
    { name: "ejection 1", kind: "ejection", from: 1, to: 1 },
    { name: "0->1 vc 0", kind: "link", from: 0, to: 1 },
    { name: "0->1 vc 1", kind: "link", from: 0, to: 1 },
    { name: "0->9", kind: "link", from: 0, to: 9 },
  ];
  const geometry = report.geometryOf(channels, grid(1, 2), 2);
  assert.equal(geometry.links, 1);
  assert.deepEqual(Array.from(geometry.linkOf), [-1, -1, 0, 0, -1]);
  assert.deepEqual(Array.from(geometry.members.list), [2, 3]);
  assert.deepEqual([Array.from(geometry.left.list), Array.from(geometry.right.list)], [[0], [1]]);
});

test("the two directions of a link lie beside each other, inside the picture", () => {
  const geometry = report.geometryOf([...bothWays(0, 1), ...bothWays(0, 4)], grid(4, 4), 16);
  const fit = report.fitPicture(geometry, 600, { scale: 1, x: 0, y: 0 }, 600);
  const points = report.placeLinks(geometry, fit);
  assert.ok(points[1] - points[7] > 1, "the way right is below the way left");
  assert.ok(points[18] - points[12] > 1, "the way down is left of the way up");
  for (let i = 0; i < points.length; i += 2) {
    assert.ok(points[i] >= 0 && points[i] <= fit.width && points[i + 1] >= 0 && points[i + 1] <= fit.height);
  }
  assert.ok(report.distanceTo(points, 0, points[0], points[1]) < 1e-3);
  assert.ok(report.distanceTo(points, 0, points[0], points[1] + 20) > 15);
});

test("many vertices are drawn as squares with the links between them", () => {
  assert.equal(report.cellSize(4096, 4096), 1);
  assert.equal(report.cellSize(4097, 4096), 2);
  assert.equal(report.cellSize(100000, 4096), 8);
  const channels = [...bothWays(0, 1), ...bothWays(1, 2), ...bothWays(5, 6)];
  const geometry = report.cellsOf(report.geometryOf(channels, grid(4, 4), 16), channels, 2);
  assert.equal(geometry.x.length, 4);
  assert.equal(geometry.links, 2, "right and left between the upper two squares");
  assert.deepEqual(Array.from(geometry.linkOf), [-1, -1, 0, 1, 0, 1]);
});

test("eight steps cover the scale", () => {
  assert.deepEqual([0, 0.01, 0.02, 0.25, 0.9, 1, 7].map(report.stepOf), [0, 0, 1, 4, 7, 7, 7]);
});

// ---------------------------------------------------------------- words and files

test("numbers, links and columns as they are read", () => {
  assert.equal(report.grouped(1234567), "1,234,567");
  assert.equal(report.grouped("-1234.5678"), "-1,234.5678");
  assert.equal(report.grouped(999), "999");
  assert.equal(report.percent(0.12345), "12.3 %");
  assert.equal(report.channelLabel("(0,1)->(0,2) vc 1"), "(0,1) → (0,2) vc 1");
  assert.equal(report.keyLabel("workload.exchange.block_flits"), "block flits");
  assert.equal(report.duration(126566, 1), "126.6 µs");
  assert.equal(report.duration(119346, 10), "1.193 ms");
  assert.equal(report.duration(0, 10), "0 ns");
  assert.equal(report.duration(42, 1e-3), "42 ps");
  assert.equal(report.duration(999_960, 1e-3), "1 µs");
  assert.equal(report.duration(5, undefined), "", "the length of a tick is not known");
});

test("cells are sorted by the numbers that they show", () => {
  const cells = ["> 422.4", "? 0.5117", "1.448 ms", "255.402 µs", "+54.00%", "-0.9 %", "< 0.001", "1,255", "3.630 s"];
  const numbers = [422.4, 0.5117, 1448000, 255402, 54, -0.9, 0.001, 1255, 3.63e9];
  assert.deepEqual(cells.map(report.cellNumber), numbers);
  assert.deepEqual(report.sortedRows([0, 1, 2], ["1.448 ms", "255.402 µs", ""], true, false), [1, 0, 2]);
});

test("virtual channels of a link are one link, the busiest first", () => {
  const channels = ["injection (0)", "(0)->(1) vc 0", "(0)->(1) vc 1", "(1)->(0) vc 0"].map((name) => ({ name }));
  assert.deepEqual(report.linkLoads(channels, [null, 0.2, 0.2, 0.7]), [["(1)->(0)", 0.7], ["(0)->(1)", 0.2]]);
});

test("only nodes with messages have a lane", () => {
  const messages = [{ source: 2, target: 9, hops: [[0, 0, 0, 5]] }, { source: 9, target: 2, hops: [[1, 6, 6, 9]] }];
  assert.deepEqual(report.activeNodes(load(packRun(messages, { channels: 2 }))), [2, 9]);
});

test("columns have as many decimals as their size needs, and keep what is no number", () => {
  assert.equal(report.decimalsOf(["1", "20", ""]), 0);
  assert.equal(report.decimalsOf(["1.5", "2000.123456"]), 1);
  assert.equal(report.decimalsOf(["0.123456"]), 4);
  assert.equal(report.shownNumber("139346.000", 1), "139,346.0");
  assert.equal(report.shownNumber("12", 2), "12");
  assert.equal(report.shownNumber("inf", 2), "inf");
});

const read = (name) => readFileSync(new URL(name, page), "utf8");

test("the skeleton has each placeholder once and nothing the policy forbids", () => {
  const html = read("report.html");
  for (const name of ["TITLE", "POLICY", "STYLE", "DATA", "SCRIPT"]) {
    assert.equal(html.split(`{{${name}}}`).length, 2, name);
  }
  assert.doesNotMatch(html, /<[a-z][^>]*\s(?:src|href|style|on[a-z]+)\s*=/);
  const banned = /\beval\(|innerHTML|outerHTML|insertAdjacentHTML|localStorage|sessionStorage|<\/script/;
  assert.doesNotMatch(read("report.js"), banned);
  assert.doesNotMatch(read("report.css"), /url\(|@import|<\/style/);
  assert.ok(html.length + read("report.js").length + read("report.css").length < 150000);
});

test("every element that the script asks for is in the skeleton, once", () => {
  const html = read("report.html");
  const ids = Array.from(html.matchAll(/\bid="([^"]+)"/g), (m) => m[1]);
  assert.equal(new Set(ids).size, ids.length);
  const asked = Array.from(read("report.js").matchAll(/byId\("([^"]+)"\)/g), (m) => m[1]);
  assert.ok(asked.length > 50);
  for (const id of asked) assert.ok(ids.includes(id) || id === "flitwise-data", id);
});

test("every part of a critical path has a colour and a meaning", () => {
  const source = readFileSync(new URL("../../src/recording/critical.rs", import.meta.url), "utf8");
  const names = Array.from(source.matchAll(/Self::[A-Z][a-z]+ => "([a-z]+)"/g), (m) => m[1]);
  assert.ok(names.length >= 9);
  for (const name of names) {
    assert.match(read("report.css"), new RegExp(`\\.swatch\\.${name} `), name);
    assert.match(read("report.js"), new RegExp(`^  ${name}: "`, "m"), name);
  }
});

test("colours can be told from the paper, in light and dark", () => {
  const [light, dark] = read("report.css").split("prefers-color-scheme: dark");
  const base = colours(light);
  for (const theme of [base, { ...base, ...colours(dark.slice(0, dark.indexOf("*,")))}]) {
    for (const ground of ["paper", "raised", "shade"]) {
      for (const text of ["ink", "muted", "link"]) {
        assert.ok(contrast(theme[text], theme[ground]) >= 4.5, `${text} on ${ground}`);
      }
    }
    const marks = ["line", "wait", "chosen", "critical", "send", "receive", "credit", "c0", "c1", "c2", "c3", "load-4", "load-7"];
    for (const mark of marks) {
      assert.ok(contrast(theme[mark], theme.paper) >= 3, `${mark} ${theme[mark]} on ${theme.paper}`);
    }
    const steps = Array.from({ length: 8 }, (_, s) => luminance(theme[`load-${s}`]));
    const rising = steps.every((l, s) => s === 0 || l > steps[s - 1]);
    const falling = steps.every((l, s) => s === 0 || l < steps[s - 1]);
    assert.ok(rising || falling, "steps of one lightness after the other");
  }
});

function colours(css) {
  return Object.fromEntries(Array.from(css.matchAll(/--([a-z0-9-]+): (#[0-9a-f]{6});/g), (m) => [m[1], m[2]]));
}

function luminance(colour) {
  const [r, g, b] = [1, 3, 5].map((i) => parseInt(colour.slice(i, i + 2), 16) / 255)
    .map((v) => (v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4));
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}

function contrast(a, b) {
  const [low, high] = [luminance(a), luminance(b)].sort((x, y) => x - y);
  return (high + 0.05) / (low + 0.05);
}

// ---------------------------------------------------------------- timelines of ranks

const LANES = [
  { name: "cpu0", slices: [["compute", 0, 10, "a"], ["wait", 10, 25], ["send", 25, 30], ["idle", 30, 50]] },
  { name: "cpu1", slices: [["noise", 0, 4], ["idle", 4, 50]] },
  { name: "in0", slices: [["idle", 0, 12], ["receive", 12, 41], ["idle", 41, 50]] },
];

test("the time of a rank is that of its processors, and it ends with its last activity", () => {
  const expected = { compute: 10, noise: 4, send: 5, receive: 0, wait: 15, idle: 66 };
  assert.deepEqual(report.totalsOf(LANES), expected);
  assert.equal(report.finishOf(LANES), 41);
  assert.equal(report.finishOf([{ name: "cpu0", slices: [["idle", 0, 50]] }]), 0);
});

test("ranks are in the order of what is largest, and of equals by number", () => {
  const summaries = [{ wait: 3 }, { wait: 7 }, { wait: 3 }, { wait: 9 }];
  assert.deepEqual(report.orderOf(summaries, "wait"), [3, 1, 0, 2]);
  assert.deepEqual(report.orderOf(summaries, "rank"), [0, 1, 2, 3]);
});

test("a tick is in the slice that it begins", () => {
  const { slices } = LANES[0];
  assert.deepEqual([0, 9, 10, 29, 30, 49, 50].map((t) => report.sliceAt(slices, t)), [0, 0, 1, 2, 3, 3, 4]);
});
