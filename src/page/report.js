"use strict";
// The report page: replays runs and shows which messages blocked which. README.md here has the data format.
// The first half computes without a document (tests/page/ loads it into Node); the second half fills the page.

// ---------------------------------------------------------------- numbers in blobs

/** Reads unsigned LEB128 numbers one after the other. Times need up to 53 bits, so no bit operations on values. */
class Numbers {
  constructor(bytes) {
    this.bytes = bytes;
    this.at = 0;
  }

  next() {
    const bytes = this.bytes;
    if (this.at >= bytes.length) throw new RangeError("a number is missing");
    let byte = bytes[this.at++];
    if (byte < 128) return byte;
    let value = byte & 127;
    let weight = 128;
    do {
      if (this.at >= bytes.length) throw new RangeError("a number is cut off");
      byte = bytes[this.at++];
      value += (byte & 127) * weight;
      weight *= 128;
    } while (byte >= 128);
    return value;
  }

  nextSigned() {
    return unzigzag(this.next());
  }

  end() {
    if (this.at !== this.bytes.length) throw new RangeError("there is data after the last number");
  }
}

/** 0, 1, 2, 3, 4 -> 0, -1, 1, -2, 2 */
function unzigzag(value) {
  return value % 2 === 0 ? value / 2 : -(value + 1) / 2;
}

async function inflate(text) {
  const raw = atob(text.trim());
  const packed = new Uint8Array(raw.length);
  for (let i = 0; i < raw.length; i++) packed[i] = raw.charCodeAt(i);
  const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("deflate-raw"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

// ---------------------------------------------------------------- a run

const CAUSES = ["start", "received", "hold", "left", "compute"];

/**
 * The messages and hops of a replay. `blobs`: bytes of messages, paths, hops, causes and, if head flits do not request
 * flit_time + routing_delay after they started on the hop before, requests. Hops of message m are those at
 * first[m] .. first[m + 1].
 */
function decodeRun(replay, blobs) {
  const count = replay.messages;
  const run = { replay, count, hops: replay.hops, first: new Uint32Array(count + 1) };
  // 32-bit numbers where they fit: half the memory, and twice as fast to sort.
  const Times = replay.completion < 2 ** 31 ? Uint32Array : Float64Array;
  for (const name of ["source", "target", "cause"]) run[name] = new Uint32Array(count);
  for (const name of ["flits", "blocked"]) run[name] = new Float64Array(count);
  for (const name of ["received", "began"]) run[name] = new Times(count);
  for (const name of ["channel", "message"]) run[name] = new Uint32Array(run.hops);
  for (const name of ["requested", "granted", "released"]) run[name] = new Times(run.hops);
  run.after = new Int32Array(count).fill(-1);
  const numbers = Object.fromEntries(Object.keys(blobs).map((name) => [name, new Numbers(blobs[name])]));
  for (let m = 0; m < count; m++) {
    readMessage(run, m, numbers);
    readCause(run, m, numbers.causes);
  }
  for (const each of Object.values(numbers)) each.end();
  return run;
}

function readMessage(run, m, { messages, paths, hops, requests }) {
  run.source[m] = messages.next();
  run.target[m] = messages.next();
  run.flits[m] = messages.next();
  const first = run.first[m];
  const last = first + messages.next();
  const step = run.replay.flit_time + run.replay.routing_delay;
  let requested = messages.nextSigned() + (m > 0 ? asked(run, m - 1) : 0);
  let channel = 0;
  for (let h = first; h < last; h++) {
    if (h > first && requests) requested += requests.nextSigned();
    channel += paths.nextSigned();
    const granted = requested + hops.next();
    run.message[h] = m;
    run.channel[h] = channel;
    run.requested[h] = requested;
    run.granted[h] = granted;
    run.blocked[m] += granted - requested;
    requested = granted + hops.next() + step;
    run.released[h] = granted + hops.next();
  }
  run.first[m + 1] = last;
  run.received[m] = delivered(run, m) + messages.next();
}

function readCause(run, m, causes) {
  run.cause[m] = causes.next();
  const kind = CAUSES[run.cause[m]];
  if (kind !== "start" && kind !== "compute") run.after[m] = m + causes.nextSigned();
  run.began[m] = asked(run, m) - causes.next();
}

const asked = (run, m) => run.requested[run.first[m]];
const injected = (run, m) => run.granted[run.first[m]];
const delivered = (run, m) => run.released[run.first[m + 1] - 1];

/** Hops of a message at which its head flit waited, in order of time. */
function waitsOf(run, m) {
  const waits = [];
  for (let h = run.first[m]; h < run.first[m + 1]; h++) {
    if (run.granted[h] > run.requested[h]) waits.push(h);
  }
  return waits;
}

// ---------------------------------------------------------------- sorting and searching

const clamp = (value, low, high) => Math.max(low, Math.min(high, value));

/** Stable radix sort of positions by times[position]: passes of 11 bits, as many as the largest time needs. */
function sortByTime(positions, times) {
  let largest = 0;
  for (let i = 0; i < positions.length; i++) largest = Math.max(largest, times[positions[i]]);
  let from = positions.slice();
  let to = new Uint32Array(positions.length);
  for (let weight = 1; weight <= largest; weight *= 2048) {
    scatter(from, to, 2048, digitsOf(times, weight));
    [from, to] = [to, from];
  }
  return from;
}

/** The digit of a time in a pass. Shifts are far faster than divisions, but know 32 bits only. */
function digitsOf(times, weight) {
  const shift = Math.log2(weight);
  if (times instanceof Uint32Array) return (i) => (times[i] >>> shift) & 2047;
  return (i) => Math.floor(times[i] / weight) % 2048;
}

/** One pass of a stable counting sort; returns where each key begins, and the end of the last. */
function scatter(from, to, keys, keyOf) {
  const starts = new Uint32Array(keys + 1);
  for (let i = 0; i < from.length; i++) starts[keyOf(from[i]) + 1]++;
  for (let k = 0; k < keys; k++) starts[k + 1] += starts[k];
  const next = starts.slice(0, keys);
  for (let i = 0; i < from.length; i++) to[next[keyOf(from[i])]++] = from[i];
  return starts;
}

/** Positions sorted by key, equal ones as they are: {starts, order}, those of key k at starts[k] .. starts[k + 1]. */
function groupBy(positions, keys, keyOf) {
  const order = new Uint32Array(positions.length);
  const starts = scatter(positions, order, keys, keyOf);
  return { starts, order };
}

const membersOf = (groups, key) => groups.order.subarray(groups.starts[key], groups.starts[key + 1]);

function upTo(length) {
  const order = new Uint32Array(length);
  for (let i = 0; i < length; i++) order[i] = i;
  return order;
}

/** How many of the ascending values[low .. high] are <= t, plus low. */
function firstAbove(values, low, high, t) {
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (values[middle] <= t) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** How many of values[low .. high] are < t, plus low. Times are whole. */
const firstNotBelow = (values, low, high, t) => firstAbove(values, low, high, t - 1);

// ---------------------------------------------------------------- holders of channels, and waits

/**
 * What every question about channels is answered from. One message at a time owns a channel, so its owners in order of
 * grants are in order of releases too; and a wait ends with the grant of the same hop, so that waits by end are owners.
 *
 *   owners.starts[c] .. owners.starts[c + 1]   owners of channel c: `hop`, `from`, `to`, `before` (ticks held earlier)
 *   waits.starts[c] .. waits.starts[c + 1]     its waits: `begin` ascending, `end` ascending, and running sums of both
 */
function indexRun(run) {
  const channels = run.replay.channels.length;
  const channelOf = (hop) => run.channel[hop];
  const { starts, order: hop } = groupBy(sortByTime(upTo(run.hops), run.granted), channels, channelOf);
  const from = gather(hop, run.granted);
  const to = gather(hop, run.released);
  run.owners = { starts, hop, from, to, before: runningSums(to.map((released, k) => released - from[k])) };
  const waiting = hop.filter((each) => run.granted[each] > run.requested[each]);
  const byBegin = groupBy(sortByTime(waiting, run.requested), channels, channelOf);
  const begin = gather(byBegin.order, run.requested);
  const end = gather(waiting, run.granted);
  run.waits = { starts: byBegin.starts, begin, end, beginSums: runningSums(begin), endSums: runningSums(end) };
  const messages = upTo(run.count);
  run.injectedAt = Float64Array.from(messages, (m) => injected(run, m)).sort();
  run.deliveredAt = Float64Array.from(messages, (m) => delivered(run, m)).sort();
  run.bySource = groupBy(messages, run.replay.nodes, (m) => run.source[m]);
  run.byTarget = groupBy(messages, run.replay.nodes, (m) => run.target[m]);
  return run;
}

function gather(order, values) {
  const out = new values.constructor(order.length);
  for (let i = 0; i < order.length; i++) out[i] = values[order[i]];
  return out;
}

function runningSums(values) {
  const sums = new Float64Array(values.length + 1);
  for (let i = 0; i < values.length; i++) sums[i + 1] = sums[i] + values[i];
  return sums;
}

/** Ticks before t at which channel c was held. */
function heldUntil(run, c, t) {
  if (run.binned) return run.held[c * run.edges.length + nearestEdge(run, t)];
  const { starts, from, to, before } = run.owners;
  const low = starts[c];
  const next = firstNotBelow(from, low, starts[c + 1], t);
  if (next === low) return 0;
  return before[next - 1] - before[low] + Math.min(t, to[next - 1]) - from[next - 1];
}

/** Ticks before t that head flits waited for channel c: the sum of t - begin, less the sum of t - end. */
function waitedUntil(run, c, t) {
  if (run.binned) return run.waited[c * run.edges.length + nearestEdge(run, t)];
  const { starts, begin, end, beginSums, endSums } = run.waits;
  const low = starts[c];
  const begun = firstNotBelow(begin, low, starts[c + 1], t);
  const ended = firstNotBelow(end, low, begun, t);
  return (begun - ended) * t - (beginSums[begun] - beginSums[low] - (endSums[ended] - endSums[low]));
}

/** Messages that held channel c within [from, to). */
function messagesWithin(run, c, from, to) {
  if (from >= to) return 0;
  const low = run.owners.starts[c];
  const high = run.owners.starts[c + 1];
  const begun = firstNotBelow(run.owners.from, low, high, to);
  return Math.max(0, begun - firstAbove(run.owners.to, low, high, from));
}

/** For how long every channel was held and waited for within [from, to); in a run of bins, within the bins nearest to that. */
function windowSums(run, from, to, sums) {
  for (let c = 0; c < sums.held.length; c++) {
    sums.held[c] = to > from ? heldUntil(run, c, to) - heldUntil(run, c, from) : 0;
    sums.waited[c] = to > from ? waitedUntil(run, c, to) - waitedUntil(run, c, from) : 0;
  }
  return sums;
}

/** Counts at tick t. `queue` gets the head flits that wait for each channel, `busy` 1 where a message holds it. */
function countsAt(run, t, queue, busy) {
  const { starts: waits, begin, end } = run.waits;
  const { starts: owners, from, to } = run.owners;
  let blocked = 0;
  let held = 0;
  for (let c = 0; c < queue.length; c++) {
    const begun = firstAbove(begin, waits[c], waits[c + 1], t);
    queue[c] = begun - firstAbove(end, waits[c], begun, t);
    const next = firstAbove(from, owners[c], owners[c + 1], t);
    busy[c] = next > owners[c] && to[next - 1] > t ? 1 : 0;
    blocked += queue[c];
    held += busy[c];
  }
  const flight = firstAbove(run.injectedAt, 0, run.count, t) - firstAbove(run.deliveredAt, 0, run.count, t);
  return { flight, blocked, held };
}

/** The holders of channel c within [from, to), in order of time, each with its part of the interval. */
function holders(run, c, from, to) {
  const { starts, hop, from: granted, to: released } = run.owners;
  const out = [];
  for (let k = firstAbove(released, starts[c], starts[c + 1], from); k < starts[c + 1] && granted[k] < to; k++) {
    out.push({ message: run.message[hop[k]], from: Math.max(from, granted[k]), to: Math.min(to, released[k]) });
  }
  return out;
}

// ---------------------------------------------------------------- blame

/** Direct blame of all waits of message m: [{message, ticks}], largest first, and the ticks without a holder. */
function directBlame(run, m) {
  const ticks = new Map();
  let rest = 0;
  for (const h of waitsOf(run, m)) {
    rest += run.granted[h] - run.requested[h];
    for (const holder of holders(run, run.channel[h], run.requested[h], run.granted[h])) {
      ticks.set(holder.message, (ticks.get(holder.message) || 0) + holder.to - holder.from);
      rest -= holder.to - holder.from;
    }
  }
  const blockers = Array.from(ticks, ([message, n]) => ({ message, ticks: n }));
  blockers.sort((a, b) => b.ticks - a.ticks || a.message - b.message);
  return { blockers, rest };
}

/**
 * Root blame of all waits of message m: [{message, channel, ticks}], largest first, and the ticks without a holder.
 * Each stretch of a wait goes to the wait that its holder is in at the time, or else to the holder.
 */
function rootBlame(run, m) {
  const channels = run.replay.channels.length;
  const { starts, hop, from: granted, to: released } = run.owners;
  const ticks = new Map();
  let rest = 0;
  // Channel, from, to, depth of stretches to look at. The stack is our own, for chains are as long as queues of queues,
  // and of numbers, for there are hundreds of thousands in a saturated run.
  const stack = [];
  for (const h of waitsOf(run, m)) stack.push(run.channel[h], run.requested[h], run.granted[h], 1);
  while (stack.length > 0) {
    const depth = stack.pop();
    const to = stack.pop();
    const from = stack.pop();
    const c = stack.pop();
    rest += to - from;
    // A chain longer than the number of messages is a cycle: head flits can wait for each other's tails for a while, and no
    // message moves.
    if (depth > run.count) continue;
    for (let k = firstAbove(released, starts[c], starts[c + 1], from); k < starts[c + 1] && granted[k] < to; k++) {
      const holder = run.message[hop[k]];
      const low = Math.max(from, granted[k]);
      const high = Math.min(to, released[k]);
      const moved = pushWaits(run, holder, low, high, depth, stack);
      rest -= high - low;
      if (moved > 0) ticks.set(holder * channels + c, (ticks.get(holder * channels + c) || 0) + moved);
    }
  }
  const roots = Array.from(ticks, ([key, n]) => {
    return { message: Math.floor(key / channels), channel: key % channels, ticks: n };
  });
  roots.sort((a, b) => b.ticks - a.ticks || a.message - b.message || a.channel - b.channel);
  return { roots, rest };
}

/** Puts the holder's own waits within [low, high) on the stack; returns for how many of its ticks it did not wait. */
function pushWaits(run, holder, low, high, depth, stack) {
  let moved = high - low;
  for (let h = run.first[holder]; h < run.first[holder + 1] && run.requested[h] < high; h++) {
    const from = Math.max(run.requested[h], low);
    const to = Math.min(run.granted[h], high);
    if (from >= to) continue;
    stack.push(run.channel[h], from, to, depth + 1);
    moved -= to - from;
  }
  return moved;
}

// ---------------------------------------------------------------- nodes and time

/** The nodes that send or receive messages. */
function activeNodes(run) {
  const { bySource, byTarget } = run;
  const count = ({ starts }, node) => starts[node + 1] - starts[node];
  return Array.from(upTo(run.replay.nodes)).filter((node) => count(bySource, node) + count(byTarget, node) > 0);
}

/** The activities of a node: [{kind, from, to, message}] in order of time; empty intervals left out. */
function laneOf(run, node) {
  const out = [];
  const put = (kind, from, to, message) => {
    if (to > from) out.push({ kind, from, to, message });
  };
  for (const m of membersOf(run.bySource, node)) {
    put("send", run.began[m], asked(run, m), m);
    put("wait", asked(run, m), injected(run, m), m);
  }
  for (const m of membersOf(run.byTarget, node)) put("receive", delivered(run, m), run.received[m], m);
  return out.sort((a, b) => a.from - b.from || a.to - b.to || a.message - b.message);
}

/** The mean number of open intervals [begin, end) in each of `bins` equal parts of [0, length). */
class Profile {
  constructor(bins, length) {
    this.width = Math.max(length, 1) / bins;
    this.parts = new Float64Array(bins + 1);
    this.whole = new Float64Array(bins + 2);
  }

  add(begin, end) {
    this.step(begin, 1);
    this.step(end, -1);
  }

  /** From t on there are so many more: for a part of the bin that t is in, and the whole of all later ones. */
  step(t, more) {
    const bin = Math.min(this.parts.length - 1, Math.floor(t / this.width));
    this.parts[bin] += more * ((bin + 1) * this.width - t);
    this.whole[bin + 1] += more;
  }

  means() {
    let open = 0;
    return Float64Array.from(this.parts.subarray(0, -1), (part, bin) => {
      open += this.whole[bin];
      return open + part / this.width;
    });
  }
}

/** Messages in flight and blocked head flits over time. */
function profileRun(run, bins) {
  const flight = new Profile(bins, run.replay.completion);
  const blocked = new Profile(bins, run.replay.completion);
  for (let m = 0; m < run.count; m++) flight.add(injected(run, m), delivered(run, m));
  for (let h = 0; h < run.hops; h++) {
    if (run.granted[h] > run.requested[h]) blocked.add(run.requested[h], run.granted[h]);
  }
  return { up: flight.means(), down: blocked.means() };
}

// ---------------------------------------------------------------- runs that are too large: bins only

/** For how long every channel was held and waited for before each edge between bins; nothing else is known of such a run. */
function decodeBins(replay, blobs) {
  const edges = Float64Array.from(upTo(replay.bins + 1), (b) => Math.floor((b * replay.completion) / replay.bins));
  const held = binSums(replay, new Numbers(blobs.held));
  const waited = binSums(replay, new Numbers(blobs.waited));
  return { replay, binned: true, count: 0, edges, held, waited };
}

function binSums(replay, numbers) {
  const width = replay.bins + 1;
  const sums = new Float64Array(replay.channels.length * width);
  for (let c = 0; c < replay.channels.length; c++) {
    for (let b = 0; b < replay.bins; b++) sums[c * width + b + 1] = sums[c * width + b] + numbers.next();
  }
  numbers.end();
  return sums;
}

/** The number of the edge between bins that is nearest to t. */
function nearestEdge({ replay, edges }, t) {
  return clamp(Math.round((t * replay.bins) / Math.max(1, replay.completion)), 0, edges.length - 1);
}

/** Channels held and head flits blocked, means of each bin. */
function profileBins(run) {
  const bins = run.edges.length - 1;
  const means = (sums) => Float64Array.from(upTo(bins), (b) => {
    let ticks = 0;
    for (let at = b; at < sums.length; at += bins + 1) ticks += sums[at + 1] - sums[at];
    return ticks / Math.max(1, run.edges[b + 1] - run.edges[b]);
  });
  return { up: means(run.held), down: means(run.waited) };
}

// ---------------------------------------------------------------- tables and words

/** The first `most` channels of a window by held or waited ticks, largest first; of equals the smaller number. */
function busiest(sums, key, most) {
  const used = [];
  for (let c = 0; c < sums.held.length; c++) if (sums.held[c] > 0 || sums.waited[c] > 0) used.push(c);
  const by = sums[key];
  used.sort((a, b) => by[b] - by[a] || a - b);
  return used.slice(0, most);
}

const STEPS = 8;

/** Step 0 .. 7 of a share of the scale. Square roots, so that small loads differ too: most links of a run are idle. */
const stepOf = (share) => clamp(Math.floor(STEPS * Math.sqrt(share)), 0, STEPS - 1);

/** A mean queue of 4 head flits has the darkest colour. */
const FULL_QUEUE = 4;

/** 1234567 -> "1,234,567"; what follows a point stays. */
function grouped(value) {
  const [whole, ...part] = String(value).split(".");
  return [whole.replace(/\B(?=(\d{3})+(?!\d))/g, ","), ...part].join(".");
}

const percent = (share) => `${(100 * share).toFixed(1)} %`;
const counted = (count, what) => `${grouped(count)} ${what}${count === 1 ? "" : "s"}`;

/** "(0,1)->(0,2) vc 1" -> "(0,1) → (0,2) vc 1" */
const channelLabel = (name) => name.replace("->", " → ");

/** The last part of a key in words: "workload.exchange.block_flits" -> "block flits". */
const keyLabel = (key) => key.slice(key.lastIndexOf(".") + 1).replace(/_/g, " ");

const DURATIONS = { s: 1e9, ms: 1e6, "µs": 1e3, ns: 1, ps: 1e-3 };

/** Part of a unit from which four digits are rounded up to a whole one. */
const ALMOST_ONE = 0.99995;

/** Ticks in a unit of time, with four digits; empty if the length of a tick, in nanoseconds, is not known. */
function duration(ticks, nanoseconds) {
  if (!nanoseconds) return "";
  const time = ticks * nanoseconds;
  const unit = Object.keys(DURATIONS).find((name) => time >= ALMOST_ONE * DURATIONS[name]) || "ns";
  return `${Number((time / DURATIONS[unit]).toPrecision(4))} ${unit}`;
}

const NUMERAL = /^-?\d+(\.\d+)?$/;

/** Decimals that a column of CSV numbers is shown with: none if whole, fewer the larger its numbers. */
function decimalsOf(values) {
  const numerals = values.filter((v) => NUMERAL.test(v));
  const most = Math.max(0, ...numerals.map((v) => (v.includes(".") ? v.length - v.indexOf(".") - 1 : 0)));
  const largest = Math.max(0, ...numerals.map((v) => Math.abs(Number(v))));
  return Math.min(most, largest >= 1000 ? 1 : largest >= 10 ? 2 : 4);
}

/** A CSV number for reading; what is no plain number is left as it is. */
function shownNumber(text, decimals) {
  return NUMERAL.test(text) ? grouped(text.includes(".") ? Number(text).toFixed(decimals) : text) : text;
}

/** The number that a cell of the terminal's table shows, to sort by: "? > 1,255" is 1255, "1.448 ms" 1448000. */
function cellNumber(text) {
  const [, digits, unit] = text.match(/([+-]?[\d,]+(?:\.\d+)?) ?(s|ms|µs|ns|ps)?\b/) || [];
  return digits === undefined ? NaN : Number(digits.replace(/,/g, "")) * (DURATIONS[unit] || 1);
}

/** Indices of `values` in order; stable, numbers as numbers, empty ones last in both directions. */
function sortedRows(rows, values, asNumbers, descending) {
  const filled = rows.filter((row) => values[row] !== "");
  const empty = rows.filter((row) => values[row] === "");
  const sign = descending ? -1 : 1;
  const compare = (a, b) => (asNumbers ? cellNumber(a) - cellNumber(b) : a < b ? -1 : a > b ? 1 : 0);
  filled.sort((a, b) => sign * compare(values[a], values[b]));
  return filled.concat(empty);
}

// ---------------------------------------------------------------- timelines of ranks

/** The activities of a rank, in the order in which bars stack them. */
const ACTIVITIES = ["compute", "noise", "send", "receive", "wait", "idle"];

/** The ticks of a rank in each activity, summed over its processors. Receives that overlap with these are not counted. */
function totalsOf(lanes) {
  const totals = Object.fromEntries(ACTIVITIES.map((kind) => [kind, 0]));
  for (const { name, slices } of lanes) {
    if (!name.startsWith("cpu")) continue;
    for (const [kind, from, to] of slices) totals[kind] += to - from;
  }
  return totals;
}

/** The end of the last slice of a rank in which it is not idle. */
function finishOf(lanes) {
  let last = 0;
  for (const { slices } of lanes) {
    for (let i = slices.length - 1; i >= 0; i--) {
      if (slices[i][0] === "idle") continue;
      last = Math.max(last, slices[i][2]);
      break;
    }
  }
  return last;
}

/** The ranks in the order in which they are shown: by number, or by what is largest. */
function orderOf(summaries, by) {
  const order = summaries.map((_, rank) => rank);
  return by === "rank" ? order : order.sort((a, b) => summaries[b][by] - summaries[a][by] || a - b);
}

/** The index of the slice that contains tick `t`: slices of a lane follow each other without gaps. */
function sliceAt(slices, t) {
  let [low, high] = [0, slices.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (slices[middle][2] > t) high = middle;
    else low = middle + 1;
  }
  return low;
}

// ---------------------------------------------------------------- where things lie

/**
 * The picture of a network: vertices at (x, y) in grid units, links from vertex to vertex with all their channels, and
 * what is in a vertex, in two halves. `linkOf[channel]` is -1 for channels that are no link here.
 */
function geometryOf(channels, layout, nodes) {
  const routers = layout.routers || { x: [], y: [], names: [] };
  const names = [...(layout.names || layout.x.map(String)), ...routers.names];
  const geometry = {
    nodes,
    x: [...layout.x, ...routers.x],
    y: [...layout.y, ...routers.y],
    names,
    longest: names.slice(0, nodes).reduce((most, name) => Math.max(most, name.length), 1),
    levels: routers.x.length > 0,
    around: /torus|ring/.test(layout.kind),
    slices: layout.slices || null,
    strides: stridesOf(layout.shape || []),
    cells: 1,
  };
  return joinChannels(geometry, channels, (vertex) => vertex);
}

/** How many slices neighbours are apart: all dimensions but the last two lead from slice to slice. */
function stridesOf(shape) {
  const strides = [1];
  for (const side of shape.slice(1, -2).reverse()) strides.push(side * strides[strides.length - 1]);
  return strides;
}

/** Squares of `size` x `size` grid units as vertices: links within one are in it, links between two are one. */
function cellsOf(geometry, channels, size) {
  const numbers = new Map();
  const cells = { ...geometry, x: [], y: [], names: [], levels: false, slices: null, longest: Infinity, cells: size };
  const cellOf = geometry.names.map((name, v) => {
    const column = Math.floor(geometry.x[v] / size);
    const row = Math.floor(geometry.y[v] / size);
    const key = `${column} ${row}`;
    if (!numbers.has(key)) {
      numbers.set(key, cells.x.length);
      cells.x.push((column + 0.5) * size - 0.5);
      cells.y.push((row + 0.5) * size - 0.5);
      cells.names.push(`around ${name}`);
    }
    return numbers.get(key);
  });
  cells.nodes = cells.x.length;
  return joinChannels(cells, channels, (vertex) => cellOf[vertex]);
}

/** Channels between the same two vertices (virtual ones, parallel cables) are one link of the picture. */
function joinChannels(geometry, channels, vertexOf) {
  const vertices = geometry.x.length;
  const known = (v) => v >= 0 && v < vertices;
  const lists = { left: [], right: [], members: [] };
  const numbers = new Map();
  geometry.from = [];
  geometry.to = [];
  geometry.linkOf = new Int32Array(channels.length).fill(-1);
  channels.forEach(({ kind, ...ends }, channel) => {
    const from = vertexOf(ends.from);
    const to = vertexOf(ends.to);
    if (from !== to && known(from) && known(to)) {
      const key = from * vertices + to;
      if (!numbers.has(key)) {
        numbers.set(key, numbers.size);
        geometry.from.push(from);
        geometry.to.push(to);
      }
      geometry.linkOf[channel] = numbers.get(key);
      lists.members.push({ channel, key: numbers.get(key) });
    } else if (kind === "injection") lists.left.push({ channel, key: from });
    else lists.right.push({ channel, key: to });
  });
  geometry.links = numbers.size;
  geometry.left = listsOf(lists.left, vertices);
  geometry.right = listsOf(lists.right, vertices);
  geometry.members = listsOf(lists.members, geometry.links);
  geometry.shape = shapesOf(geometry);
  return geometry;
}

/** Channels by key: those of key k are list[starts[k]] .. list[starts[k + 1]]. */
function listsOf(entries, keys) {
  const inside = entries.filter((e) => e.key >= 0 && e.key < keys);
  const { starts, order } = groupBy(upTo(inside.length), keys, (i) => inside[i].key);
  return { starts, list: Uint32Array.from(order, (i) => inside[i].channel) };
}

const STRAIGHT = 0;
const BOWED = 1;
const STUB = 2;

/** How each link is drawn: straight, bowed along a row or column, or as a stub that points to where it goes. */
function shapesOf({ x, y, from, to, cells, around, slices, levels }) {
  return Uint8Array.from(from, (a, l) => {
    const b = to[l];
    const far = Math.hypot(x[a] - x[b], y[a] - y[b]) > 1.5 * cells;
    if ((slices && slices[a] !== slices[b]) || (far && (around || cells > 1))) return STUB;
    return far && !levels && (x[a] === x[b] || y[a] === y[b]) ? BOWED : STRAIGHT;
  });
}

/** Links with their load, the busiest first; virtual channels of a link share its load. */
function linkLoads(channels, load) {
  const loads = new Map();
  channels.forEach(({ name }, c) => {
    if (load[c] !== null) loads.set(name.replace(/ vc \d+$/, ""), load[c]);
  });
  return Array.from(loads).sort((a, b) => b[1] - a[1]);
}

/** How large squares must be for at most `most` of them to stand for so many vertices: a power of two. */
function cellSize(vertices, most) {
  let size = 1;
  while (vertices / (size * size) > most) size *= 2;
  return size;
}

/** The largest of values[list[starts[k]]] .. values[list[starts[k + 1]]]. */
function largestOf(lists, k, values) {
  let most = 0;
  for (let i = lists.starts[k]; i < lists.starts[k + 1]; i++) most = Math.max(most, values[lists.list[i]]);
  return most;
}

function sumOf(lists, k, values) {
  let sum = 0;
  for (let i = lists.starts[k]; i < lists.starts[k + 1]; i++) sum += values[lists.list[i]];
  return sum;
}

const smallest = (values) => values.reduce((least, v) => Math.min(least, v), Infinity);
const largest = (values) => values.reduce((most, v) => Math.max(most, v), 0);

/**
 * How a picture fits into `width` pixels: scales, size, origin, and what vertices and the gap between the directions of
 * a link measure. Lattices keep their proportions; pictures by levels are stretched so that they are neither a line nor
 * a tower. `zoom`: {scale, x, y}, x and y in pixels from the middle.
 */
function fitPicture(geometry, width, zoom, tallest) {
  const { cells, levels } = geometry;
  const [left, right] = [smallest(geometry.x), largest(geometry.x)];
  const [top, bottom] = [smallest(geometry.y), largest(geometry.y)];
  const margin = cells * (geometry.shape.some((s) => s !== STRAIGHT) ? 0.75 : 0.55);
  const wide = right - left + 2 * margin;
  const high = bottom - top + 2 * margin;
  let unitX = Math.min(width / wide, 110 / cells);
  let unitY = Math.min(unitX, tallest / high);
  if (levels) unitY = Math.min(tallest, Math.max(unitX * high, 0.42 * width)) / high;
  else unitX = unitY;
  const height = Math.max(90, Math.round(unitY * high));
  unitX *= zoom.scale;
  unitY *= zoom.scale;
  const unit = Math.min(unitX, unitY);
  return {
    width,
    height,
    unitX,
    unitY,
    unit,
    gap: clamp(0.05 * unit * cells, 0.9, 4.2),
    radius: clamp(0.14 * unit * cells, 1, 8),
    left: width / 2 + zoom.x - ((left + right) / 2) * unitX,
    top: height / 2 + zoom.y - ((top + bottom) / 2) * unitY,
  };
}

/** Links in pixels, six numbers each: from, the point that bends it, to. Both directions keep to their right. */
function placeLinks(geometry, fit) {
  const { x, y, shape } = geometry;
  const out = new Float32Array(6 * geometry.links);
  for (let l = 0; l < geometry.links; l++) {
    const a = geometry.from[l];
    const b = geometry.to[l];
    const dx = (x[b] - x[a]) * fit.unitX;
    const dy = (y[b] - y[a]) * fit.unitY;
    const length = Math.hypot(dx, dy) || 1;
    const isStub = shape[l] === STUB;
    const [ux, uy] = isStub ? stubDirection(geometry, a, b) : [dx / length, dy / length];
    const reach = isStub ? 0.3 * fit.unit : Math.max(1, length - 2 * fit.radius);
    const bend = shape[l] === BOWED ? fit.unit * Math.min(0.8, 0.25 + (0.09 * length) / fit.unit) : 0;
    const fromX = fit.left + x[a] * fit.unitX + ux * fit.radius - uy * fit.gap;
    const fromY = fit.top + y[a] * fit.unitY + uy * fit.radius + ux * fit.gap;
    const bendX = fromX + (ux * reach) / 2 - uy * bend;
    const bendY = fromY + (uy * reach) / 2 + ux * bend;
    out.set([fromX, fromY, bendX, bendY, fromX + ux * reach, fromY + uy * reach], 6 * l);
  }
  return out;
}

/**
 * A stub leaves a vertex as if its link went on there: around a torus it points out of the grid, away from its end;
 * to another slice it points aslant, up for the next one and down for the one before.
 */
function stubDirection({ x, y, slices, strides, around }, a, b) {
  const step = slices ? slices[b] - slices[a] : 0;
  const sign = around && !strides.includes(Math.abs(step)) ? -1 : 1;
  if (step !== 0) return [0.75 * sign * Math.sign(step), -0.66 * sign * Math.sign(step)];
  const length = Math.hypot(x[b] - x[a], y[b] - y[a]) || 1;
  return [(sign * (x[b] - x[a])) / length, (sign * (y[b] - y[a])) / length];
}

/** The point of a placed link at a share of its way. What bends a straight one is its middle. */
function pointAlong(points, l, share) {
  const [x0, y0, mx, my, x1, y1] = points.subarray(6 * l, 6 * l + 6);
  const rest = 1 - share;
  const mix = (from, bend, to) => rest * rest * from + 2 * share * rest * bend + share * share * to;
  return [mix(x0, mx, x1), mix(y0, my, y1)];
}

/** The distance of a point from a placed link, by four straight pieces. */
function distanceTo(points, l, px, py) {
  let best = Infinity;
  let [ax, ay] = pointAlong(points, l, 0);
  for (let i = 1; i <= 4; i++) {
    const [bx, by] = pointAlong(points, l, i / 4);
    const dx = bx - ax;
    const dy = by - ay;
    const along = clamp(((px - ax) * dx + (py - ay) * dy) / (dx * dx + dy * dy || 1), 0, 1);
    best = Math.min(best, Math.hypot(px - ax - along * dx, py - ay - along * dy));
    [ax, ay] = [bx, by];
  }
  return best;
}

// ================================================================ the document

const byId = (id) => document.getElementById(id);

/** An element with properties, data-* attributes and children; texts only ever become text nodes. */
function make(tag, options = {}, ...children) {
  const element = document.createElement(tag);
  for (const [key, value] of Object.entries(options)) {
    if (key === "data") Object.assign(element.dataset, value);
    else if (key in element) element[key] = value;
    else element.setAttribute(key, value);
  }
  element.append(...children);
  return element;
}

/** A row of a table: what it is about, then numbers. */
function tableRow(data, head, ...numbers) {
  const cell = (value) => make("td", { className: "number" }, typeof value === "number" ? grouped(value) : value);
  return make("tr", { data }, make("td", {}, head), ...numbers.map(cell));
}

const swatch = (kind) => make("i", { className: `swatch ${kind}` });

function linkButton(text, act) {
  const button = make("button", { type: "button", className: "link" }, text);
  button.addEventListener("click", act);
  return button;
}

/** A button that fills a panel and brings it into view; the focus goes there too if the button is gone by then. */
function panelButton(text, title, fill) {
  const button = linkButton(text, () => {
    fill();
    byId(title).scrollIntoView({ block: "nearest" });
    if (!button.isConnected) byId(title).focus({ preventScroll: true });
  });
  return button;
}

/** What the page shows at the moment. `sides`: one or two runs; `focus`: of which of them tables and panels speak. */
const app = { data: null, sides: [], focus: 0, state: "loading", turn: 0, frames: 0, still: null, lanesVisible: true };
Object.assign(app, { time: 0, from: 0, to: 0, follow: false, length: 0, colour: "load" });
Object.assign(app, { message: null, node: 0, palette: null, paletteNumber: 0 });

// ---------------------------------------------------------------- table and plots

function showTable({ title, columns, notes }) {
  const rows = byId("rows");
  const count = columns[0].values.length;
  const lines = Array.from({ length: count }, (_, row) => make("tr", { data: { row } }));
  for (const column of columns) {
    const className = column.number ? "number" : "";
    const button = make("button", { type: "button", title: column.name }, column.title);
    const head = make("th", { scope: "col", className, data: { column: column.name } }, button);
    button.addEventListener("click", () => sortTable(column, head));
    rows.tHead.rows[0].append(head);
    column.values ??= column.shown;
    const decimals = decimalsOf(column.values);
    column.values.forEach((value, row) => {
      const shown = column.shown ? column.shown[row] : column.number ? shownNumber(value, decimals) : value;
      const long = shown.length > LONG_CELL ? "long" : className;
      const cell = { className: long, title: shown === value ? "" : value, data: { column: column.name, value } };
      lines[row].append(make("td", cell, shown));
    });
  }
  rows.tBodies[0].append(...lines);
  byId("what").textContent = title;
  byId("remarks").replaceChildren(...notes.map((note) => make("p", { className: "note" }, note)));
  watchScroll(byId("rows-box"), () => (byId("rows-note").textContent = tableNote(count, columns.length)));
}

/** Longer texts of a cell wrap. */
const LONG_CELL = 32;

/** The size of the table, and the part of it that is in view. */
function tableNote(count, columns) {
  const box = byId("rows-box").getBoundingClientRect();
  const rows = byId("rows");
  const top = rows.tHead.getBoundingClientRect().bottom;
  const isShown = ({ top: upper, bottom }) => upper >= top - 8 && bottom <= box.bottom + 8;
  const shown = Array.from(rows.tBodies[0].rows).filter((row) => isShown(row.getBoundingClientRect())).length;
  const inView = ({ left, right }) => left >= box.left - 8 && right <= box.right + 8;
  const wide = Array.from(rows.tHead.rows[0].cells).filter((cell) => inView(cell.getBoundingClientRect())).length;
  const part = (many, all, what) => (many < all ? `${many} of ${counted(all, what)} shown: scroll for the rest. ` : "");
  const all = shown < count ? "" : `${counted(count, "row")}. `;
  return `${all}${part(shown, count, "row")}${part(wide, columns, "column")}Select a heading to sort.`;
}

/** Keeps data-below and data-right of a box as what lies beyond its edges, for the style sheet, and calls `changed`. */
function watchScroll(box, changed = () => {}) {
  const look = () => {
    box.toggleAttribute("data-below", box.scrollTop + box.clientHeight < box.scrollHeight - 4);
    box.toggleAttribute("data-right", box.scrollLeft + box.clientWidth < box.scrollWidth - 4);
    changed();
  };
  box.addEventListener("scroll", look, { passive: true });
  const observer = new ResizeObserver(look);
  observer.observe(box);
  if (box.firstElementChild) observer.observe(box.firstElementChild);
}

function sortTable(column, head) {
  const body = byId("rows").tBodies[0];
  const descending = head.getAttribute("aria-sort") === "ascending";
  const byRow = new Map(Array.from(body.rows, (line) => [Number(line.dataset.row), line]));
  const order = sortedRows(Array.from(byRow.keys()), column.values, column.number, descending);
  body.append(...order.map((row) => byRow.get(row)));
  for (const other of byId("rows").querySelectorAll("th")) other.removeAttribute("aria-sort");
  head.setAttribute("aria-sort", descending ? "descending" : "ascending");
}

/** The picture that the scenario asks for, as an image: its markup never becomes part of the page. */
function showFigure(svg) {
  byId("figure").hidden = !svg;
  if (!svg) return;
  // without its style, which the policy of the page forbids even in a document that is not shown
  const parsed = new DOMParser().parseFromString(svg.replace(/<style>[^]*?<\/style>/g, ""), "image/svg+xml");
  const text = (name) => (parsed.querySelector(`svg > ${name}`) || { textContent: "" }).textContent.trim();
  const alt = [text("title"), text("desc")].filter(Boolean).join(": ") || "The figure of this scenario";
  byId("figure").append(make("img", { src: `data:image/svg+xml,${encodeURIComponent(svg)}`, alt }));
}

/** A sentence whose words are not broken at hyphens, which names of algorithms have. */
function unbroken(sentence) {
  const word = (text) => (/[-\u00a0]/.test(text) ? make("span", { className: "unbroken" }, text) : text);
  return sentence.replace(/ %/g, "\u00a0%").split(/(?<= )/).map(word);
}

/** An SVG element from its tree in the data. The policy of the page keeps it from doing more than being drawn. */
function svgOf([tag, attributes, ...children]) {
  const element = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  element.append(...children.map((child) => (typeof child === "string" ? child : svgOf(child))));
  return element;
}

function showPlots({ plots, plots_note: note, figure }) {
  showFigure(figure);
  byId("curves").hidden = plots.length === 0 && !figure;
  byId("curves").classList.toggle("many", plots.length > 1);
  byId("plots-note").textContent = note || "";
  for (const tree of plots) {
    const svg = svgOf(tree);
    const box = make("div", { className: "box plot", role: "region", tabIndex: 0 }, svg);
    box.setAttribute("aria-label", `Plot: ${svg.getAttribute("aria-label")}`);
    byId("plots").append(box);
  }
}

// ---------------------------------------------------------------- drawing

/** Canvases know no classes: their colours are read from the style sheet, for light, dark and print alike. */
function readPalette() {
  const style = getComputedStyle(document.documentElement);
  const colour = (name) => style.getPropertyValue(`--${name}`).trim();
  const names = ["paper", "ink", "muted", "line", "shade", "wait", "chosen", "critical", "send", "receive", "busy"];
  app.palette = Object.fromEntries(names.map((name) => [name, colour(name)]));
  app.palette.load = Array.from({ length: STEPS }, (_, s) => colour(`load-${s}`));
  app.paletteNumber++;
}

/** Sets a canvas to so many CSS pixels and clears it; returns a context in CSS pixels. */
function canvasFor(canvas, width, height) {
  const ratio = window.devicePixelRatio || 1;
  const pixelsWide = Math.round(width * ratio);
  const pixelsHigh = Math.round(height * ratio);
  if (canvas.width !== pixelsWide || canvas.height !== pixelsHigh) {
    canvas.width = pixelsWide;
    canvas.height = pixelsHigh;
  }
  const context = canvas.getContext("2d");
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
  context.clearRect(0, 0, width, height);
  context.font = "11px system-ui, sans-serif";
  return context;
}

const kept = new Map();

/** A drawing that does not change with time: made once for what `key` names, a size and a palette, to be copied. */
function keptDrawing(name, key, width, height, paint) {
  const whole = [key, width, height, app.paletteNumber, window.devicePixelRatio].join(" ");
  if (!kept.has(name) || kept.get(name).whole !== whole) {
    const canvas = make("canvas");
    paint(canvasFor(canvas, width, height));
    kept.set(name, { whole, canvas });
  }
  return kept.get(name).canvas;
}

function stroke(context, colour, width) {
  context.strokeStyle = colour;
  context.lineWidth = width;
  context.stroke();
}

/** Presses on a canvas: `drag` while the pointer moves pressed, `click` where it did not move, `hover` in any case. */
function wirePointer(canvas, { click, drag = () => {}, hover = () => {} }) {
  let pressed = null;
  const place = (event) => {
    const box = canvas.getBoundingClientRect();
    return { x: event.clientX - box.left, y: event.clientY - box.top };
  };
  canvas.addEventListener("pointerdown", (event) => {
    const at = place(event);
    pressed = { start: at, last: at, moved: false };
    canvas.setPointerCapture(event.pointerId);
  });
  canvas.addEventListener("pointermove", (event) => {
    const at = place(event);
    if (pressed && Math.hypot(at.x - pressed.start.x, at.y - pressed.start.y) > 4) pressed.moved = true;
    if (pressed && pressed.moved) {
      drag(at, pressed);
      pressed.last = at;
    }
    hover(at);
  });
  canvas.addEventListener("pointerup", (event) => {
    if (pressed && !pressed.moved) click(place(event));
    pressed = null;
  });
}

// ---------------------------------------------------------------- the picture of a network

/** Above so many vertices in view k x k of them are one square. */
const MOST_VERTICES = 4096;

/** A canvas with the network of `channels` in it. */
class Picture {
  constructor(canvas, channels, layout, nodes) {
    this.canvas = canvas;
    this.channels = channels;
    this.whole = geometryOf(channels, layout, nodes);
    this.geometry = this.whole;
    this.zoom = { scale: 1, x: 0, y: 0 };
  }

  /** Takes its place on the page; needed when that, the zoom or the network has changed. */
  place() {
    const width = this.canvas.clientWidth || 600;
    const size = cellSize(this.whole.x.length / this.zoom.scale ** 2, MOST_VERTICES);
    if (size !== this.geometry.cells) {
      this.geometry = size === 1 ? this.whole : cellsOf(this.whole, this.channels, size);
    }
    this.fit = fitPicture(this.geometry, width, this.zoom, clamp(window.innerHeight * 0.75, 320, 620));
    this.x = this.geometry.x.map((x) => this.fit.left + x * this.fit.unitX);
    this.y = this.geometry.y.map((y) => this.fit.top + y * this.fit.unitY);
    this.points = placeLinks(this.geometry, this.fit);
  }

  /** `shares`: per channel its share of the scale. `marks`: path, critical, node, busy and queue, all optional. */
  draw(shares, marks) {
    const context = canvasFor(this.canvas, this.fit.width, this.fit.height);
    this.drawOutline(context, marks.critical, app.palette.critical, 3, [5, 3]);
    this.drawOutline(context, marks.path, app.palette.chosen, 5, []);
    this.drawLinks(context, shares);
    this.drawVertices(context, shares, marks.node);
    if (marks.busy && this.fit.unit >= 14 && this.geometry.cells === 1) this.drawBusy(context, marks.busy);
    if (marks.queue) this.drawQueues(context, marks.queue);
    this.drawNames(context);
  }

  trace(context, l) {
    const [fromX, fromY, bendX, bendY, toX, toY] = this.points.subarray(6 * l, 6 * l + 6);
    context.moveTo(fromX, fromY);
    if (this.geometry.shape[l] === BOWED) context.quadraticCurveTo(bendX, bendY, toX, toY);
    else context.lineTo(toX, toY);
  }

  /** Behind the links. */
  drawOutline(context, channels, colour, wider, dash) {
    context.beginPath();
    for (const c of channels || []) if (this.geometry.linkOf[c] >= 0) this.trace(context, this.geometry.linkOf[c]);
    context.setLineDash(dash);
    stroke(context, colour, 2 * this.fit.gap + wider);
    context.setLineDash([]);
  }

  /** Links of one colour and width are one path: a stroke each costs ten times as much. */
  drawLinks(context, shares) {
    const { links, members } = this.geometry;
    const step = new Uint8Array(links);
    for (let l = 0; l < links; l++) {
      const share = largestOf(members, l, shares);
      step[l] = share > 0 ? stepOf(share) + 1 : 0;
    }
    for (let s = 0; s <= STEPS; s++) {
      context.beginPath();
      for (let l = 0; l < links; l++) if (step[l] === s) this.trace(context, l);
      const width = s === 0 ? 0.7 : 1 + ((1.7 * this.fit.gap - 1) * s) / STEPS;
      stroke(context, app.palette.load[Math.max(0, s - 1)], width);
    }
  }

  /** Nodes are squares, left half injection, right half ejection; switches are rings. */
  drawVertices(context, shares, chosen) {
    const { left, right, nodes, cells } = this.geometry;
    const { palette } = app;
    const r = this.fit.radius;
    const squares = new Path2D();
    const rings = new Path2D();
    for (let v = 0; v < this.x.length; v++) {
      const x = this.x[v];
      const y = this.y[v];
      if (x < -r || y < -r || x > this.fit.width + r || y > this.fit.height + r) continue;
      if (v >= nodes) {
        rings.moveTo(x + 0.8 * r, y);
        rings.arc(x, y, 0.8 * r, 0, 2 * Math.PI);
        continue;
      }
      context.fillStyle = palette.load[stepOf(largestOf(left, v, shares))];
      context.fillRect(x - r, y - r, r, 2 * r);
      context.fillStyle = palette.load[stepOf(largestOf(right, v, shares))];
      context.fillRect(x, y - r, r, 2 * r);
      if (r >= 3) squares.rect(x - r, y - r, 2 * r, 2 * r);
    }
    context.fillStyle = palette.paper;
    context.fill(rings);
    context.lineWidth = 1;
    context.strokeStyle = palette.muted;
    context.stroke(rings);
    context.strokeStyle = palette.line;
    context.stroke(squares);
    if (chosen >= 0 && cells === 1) {
      context.strokeStyle = palette.ink;
      context.lineWidth = 2;
      context.strokeRect(this.x[chosen] - r, this.y[chosen] - r, 2 * r, 2 * r);
    }
  }

  /** A square in every link that a message holds now, past the middle, so that the two directions do not meet. */
  drawBusy(context, busy) {
    const { links, members } = this.geometry;
    const side = clamp(2 * this.fit.gap, 3.5, 6);
    context.beginPath();
    for (let l = 0; l < links; l++) {
      if (largestOf(members, l, busy) === 0) continue;
      const [x, y] = pointAlong(this.points, l, 0.62);
      context.rect(x - side / 2, y - side / 2, side, side);
    }
    context.fillStyle = app.palette.paper;
    context.fill();
    stroke(context, app.palette.ink, 1.2);
  }

  /** Squares where head flits wait now: at the beginning of the link, or at a corner of the node, out of links' way. */
  drawQueues(context, queue) {
    const { links, members, left, right, cells } = this.geometry;
    const unit = this.fit.unit * cells;
    const square = (x, y, aside, waiting) => {
      if (waiting === 0) return;
      const side = Math.min(Math.max(3, 0.085 * unit) * (1 + 0.45 * Math.log2(waiting)), Math.max(4, 0.3 * unit));
      context.rect(x + (aside - 0.5) * side, y - (0.5 + Math.abs(aside)) * side, side, side);
    };
    context.beginPath();
    for (let l = 0; l < links; l++) {
      const waiting = sumOf(members, l, queue);
      if (waiting > 0) square(...pointAlong(this.points, l, 0.2), 0, waiting);
    }
    const r = this.fit.radius;
    for (let v = 0; v < this.x.length; v++) {
      square(this.x[v] - r, this.y[v] - r, -0.5, sumOf(left, v, queue));
      square(this.x[v] + r, this.y[v] - r, 0.5, sumOf(right, v, queue));
    }
    context.fillStyle = app.palette.wait;
    context.fill();
    stroke(context, app.palette.paper, 1);
  }

  drawNames(context) {
    const { names, nodes, cells, levels, longest } = this.geometry;
    const { unit, unitX, radius } = this.fit;
    if (cells > 1 || longest * 6 + radius + 4 > unitX || unit < 18) return;
    context.fillStyle = app.palette.muted;
    context.strokeStyle = app.palette.paper;
    context.lineWidth = 4;
    context.lineJoin = "round";
    for (let v = 0; v < nodes; v++) {
      const beside = levels ? 0 : radius + 5;
      const fits = this.x[v] + beside + longest * 6.5 < this.fit.width;
      if (!fits && !levels && unitX < longest * 15) continue;
      context.textAlign = levels ? "center" : fits ? "left" : "right";
      const at = [this.x[v] + (fits ? beside : -beside), this.y[v] + radius + 12];
      // Links and the critical path run behind names: a margin of paper keeps them legible.
      context.strokeText(names[v], ...at);
      context.fillText(names[v], ...at);
    }
  }

  /** What is under a point: {vertex} or {link}; null if nothing is near. */
  at(px, py) {
    for (let v = 0; v < this.x.length; v++) {
      const away = Math.max(Math.abs(this.x[v] - px), Math.abs(this.y[v] - py));
      if (away <= Math.max(this.fit.radius, 3)) return { vertex: v };
    }
    let found = null;
    let best = Math.max(7, this.fit.gap * 2);
    for (let l = 0; l < this.geometry.links; l++) {
      const away = distanceTo(this.points, l, px, py);
      if (away >= best) continue;
      best = away;
      found = { link: l };
    }
    return found;
  }

  /** Zooms so that what is at (px, py) stays there. */
  zoomTo(scale, px, py) {
    const next = clamp(scale, 1, 64);
    const ratio = next / this.zoom.scale;
    const shifted = (at, middle, before) => (next === 1 ? 0 : at - middle - (at - middle - before) * ratio);
    const x = shifted(px, this.fit.width / 2, this.zoom.x);
    const y = shifted(py, this.fit.height / 2, this.zoom.y);
    this.zoom = { scale: next, x, y };
    this.place();
  }

  move(dx, dy) {
    if (this.zoom.scale === 1) return;
    this.zoom.x += dx;
    this.zoom.y += dy;
    this.place();
  }
}

/** The text of a legend: what is coloured, and the shares at the bounds of its eight swatches. */
function fillLegend(legend, title, full, form) {
  legend.querySelector(".legend-title").textContent = title;
  legend.querySelectorAll("small").forEach((bound, s) => (bound.textContent = form((s / STEPS) ** 2 * full)));
}

const shortPercent = (share) => `${share > 0 && share < 0.1 ? (100 * share).toFixed(1) : Math.round(100 * share)} %`;
const shortNumber = (value) => String(Math.round(value * 100) / 100);

// ---------------------------------------------------------------- one of the two runs on show

class Side {
  constructor(replay, run, number) {
    this.replay = replay;
    this.run = run;
    this.number = number;
    const suffix = number === 0 ? "" : "-2";
    this.canvas = byId(`network${suffix}`);
    this.counts = byId(`counts${suffix}`);
    byId(`network-title${suffix}`).textContent = replayLabel(replay);
    this.picture = new Picture(this.canvas, replay.channels, replay.layout, replay.nodes);
    const channels = replay.channels.length;
    this.sums = { held: new Float64Array(channels), waited: new Float64Array(channels) };
    this.shares = new Float64Array(channels);
    this.queue = new Uint32Array(channels);
    this.busy = new Uint8Array(channels);
    this.critical = new Set(replay.critical.map((step) => step[4]).filter((c) => c !== null));
    this.profile = run.binned ? profileBins(run) : profileRun(run, 512);
    this.active = run.binned ? [] : activeNodes(run);
  }

  /** Sums and colours of the window; while it follows the time, the run that has ended stands. */
  look(from, to, colour) {
    const late = app.follow ? Math.max(0, to - this.replay.completion) : 0;
    const place = (t) => (this.run.binned ? this.run.edges[nearestEdge(this.run, t)] : t);
    this.low = place(Math.max(0, from - late));
    this.high = place(to - late);
    const shown = `${this.low} ${this.high} ${colour}`;
    if (shown === this.shown) return;
    this.shown = shown;
    windowSums(this.run, this.low, this.high, this.sums);
    const by = colour === "load" ? this.sums.held : this.sums.waited;
    this.ticks = Math.max(1, this.high - this.low);
    const full = this.ticks * (colour === "load" ? 1 : FULL_QUEUE);
    for (let c = 0; c < by.length; c++) this.shares[c] = by[c] / full;
  }

  count(t) {
    if (this.run.binned) return;
    const counts = countsAt(this.run, Math.min(t, this.replay.completion), this.queue, this.busy);
    Object.assign(this.counts.dataset, counts);
    const shown = [counts.flight, counts.blocked, counts.held];
    this.counts.querySelectorAll("b").forEach((number, i) => (number.firstChild.data = grouped(shown[i])));
  }

  draw() {
    const { run, critical, queue, busy } = this;
    const chosen = app.focus === this.number;
    const isPathShown = chosen && app.message !== null;
    const path = isPathShown ? run.channel.subarray(run.first[app.message], run.first[app.message + 1]) : [];
    this.picture.draw(this.shares, { path, critical, queue, busy, node: chosen ? app.node : -1 });
  }

  channelName(c) {
    return this.replay.channels[c].name;
  }

  channelButton(c) {
    return panelButton(channelLabel(this.channelName(c)), "link-title", () => chooseChannel(c));
  }

  nodeName(node) {
    return this.picture.whole.names[node];
  }

  messageName(m) {
    return `message ${this.replay.ids ? this.replay.ids[m] : m}`;
  }

  messageButton(m) {
    return panelButton(this.messageName(m), "message-title", () => chooseMessage(m));
  }
}

/** Swept keys with their values, but for one that says the same as the algorithm. */
function settingsOf({ settings, algorithm }) {
  return settings.filter(([, value]) => value !== algorithm).map(([key, value]) => `${keyLabel(key)} ${value}`);
}

/** A number of ticks, with their time if the length of a tick is known. */
function length(ticks) {
  const time = duration(ticks, app.data.tick && app.data.tick.nanoseconds);
  return counted(ticks, "tick") + (time === "" ? "" : ` (${time})`);
}

const replayName = (replay) => [replay.algorithm, ...settingsOf(replay), `repetition ${replay.repetition}`].join(", ");

function replayLabel(replay) {
  return `${replayName(replay)}, ${length(replay.completion)}`;
}

async function readRun(replay) {
  const blobs = {};
  const names = replay.bins ? ["held", "waited"] : ["messages", "paths", "hops", "causes", "requests"];
  for (const name of names) {
    const element = byId(`blob-r${replay.id}-${name}`);
    if (element) blobs[name] = await inflate(element.textContent);
  }
  if (replay.bins) return decodeBins(replay, blobs);
  const run = decodeRun(replay, blobs);
  await breath();
  return indexRun(run);
}

/** Lets the browser paint what there is already. */
const breath = () => new Promise((done) => setTimeout(done, 0));

// ---------------------------------------------------------------- time, window, and what follows from them

/** The last tick of the runs on show. */
const end = () => Math.max(...app.sides.map((side) => side.replay.completion));

function setState(state) {
  app.state = state;
  const playing = state === "playing";
  byId("replay").dataset.state = state;
  byId("play").textContent = playing ? "Pause" : "Play";
}

function seek(t) {
  app.time = clamp(t, 0, end());
  refresh();
}

function setWindow(from, to) {
  app.from = clamp(from, 0, end());
  app.to = clamp(to, 0, end());
  setFollow(false);
}

function setFollow(follow) {
  if (follow && !app.follow) app.length = app.to - app.from;
  app.follow = follow;
  byId("follow").checked = follow;
  refresh();
}

let tablesDue = 0;

/** Shows the time and the window that are set: attributes, counts, pictures and, not at every frame, tables. */
function refresh() {
  const playing = app.state === "playing";
  const tick = Math.floor(app.time);
  if (app.follow) {
    app.to = tick;
    app.from = Math.max(0, tick - app.length);
  }
  byId("replay").dataset.time = String(playing ? Math.round(app.time * 1000) / 1000 : tick);
  byId("time").value = tick;
  if (!playing) byId("time").setAttribute("aria-valuetext", `tick ${grouped(tick)}`);
  byId("clock").textContent = `${grouped(tick)} of ${length(end())}`;
  for (const side of app.sides) {
    side.look(app.from, app.to, app.colour);
    side.count(tick);
  }
  drawAll();
  if (playing && performance.now() < tablesDue) return;
  tablesDue = performance.now() + 250;
  for (const key of ["from", "to"]) {
    const field = byId(`window-${key}`);
    if (document.activeElement !== field) field.value = app[key];
  }
  showLinks();
}

function drawAll() {
  if (app.sides.length === 0) return;
  for (const side of app.sides) side.draw();
  drawBar();
  if (app.state !== "playing" || app.lanesVisible) drawLanes();
  drawRanks();
  app.frames++;
  byId("replay").dataset.frames = app.frames;
}

/** One frame of the replay; at speed 1 the whole run takes 20 seconds. */
function frame(now, before) {
  if (app.state !== "playing") return;
  const passed = Math.min(0.25, (now - before) / 1000);
  const next = app.time + (passed * Number(byId("speed").value) * end()) / 20;
  if (next >= end()) jump(end());
  else seek(next);
  requestAnimationFrame((later) => frame(later, now));
}

function play() {
  if (app.state === "loading") return;
  if (app.state === "playing") {
    jump(Math.floor(app.time));
    return;
  }
  if (app.time >= end()) app.time = 0;
  setState("playing");
  requestAnimationFrame((now) => frame(now, now));
}

/** Stops the replay, at a tick. */
function jump(t) {
  if (app.state === "playing") setState("paused");
  seek(t);
}

// ---------------------------------------------------------------- the bar of messages in flight

const BAR_HEIGHT = 72;
const BAR_MIDDLE = 46;

/** Half the thumb of the slider above: both show the same time at the same place. */
const BAR_INSET = 8;

const barPlace = (t, width) => BAR_INSET + (t / Math.max(1, end())) * (width - 2 * BAR_INSET);

function drawBar() {
  const canvas = byId("bar");
  const width = canvas.clientWidth || 600;
  const shown = app.sides.map((side) => side.replay.id).join(" ");
  const profiles = keptDrawing("bar", shown, width, BAR_HEIGHT, (context) => drawProfiles(context, width));
  const context = canvasFor(canvas, width, BAR_HEIGHT);
  const from = barPlace(app.from, width);
  context.fillStyle = app.palette.shade;
  context.fillRect(from, 0, Math.max(1, barPlace(app.to, width) - from), BAR_HEIGHT);
  context.drawImage(profiles, 0, 0, width, BAR_HEIGHT);
  context.fillStyle = app.palette.ink;
  context.fillRect(barPlace(app.time, width) - 1, 0, 2, BAR_HEIGHT);
}

/** The first run filled, the second as a line, on the same scales. */
function drawProfiles(context, width) {
  const { palette } = app;
  const most = Math.max(1e-9, ...app.sides.map((side) => largest(side.profile.up)));
  const worst = Math.max(1e-9, ...app.sides.map((side) => largest(side.profile.down)));
  for (const side of app.sides) {
    context.strokeStyle = palette.ink;
    context.fillStyle = palette.load[4];
    drawProfile(context, side, side.profile.up, width, -(BAR_MIDDLE - 2) / most);
    context.fillStyle = palette.wait;
    drawProfile(context, side, side.profile.down, width, (BAR_HEIGHT - BAR_MIDDLE - 2) / worst);
  }
  context.fillStyle = palette.line;
  context.fillRect(0, BAR_MIDDLE, width, 1);
  const up = app.sides[0].run.binned ? "channels held" : "messages in flight";
  const second = app.sides.length > 1 ? "; second run as a line" : "";
  byId("bar-up").textContent = `${up} (at most ${grouped(Math.ceil(most))})${second}`;
  byId("bar-down").textContent = `head flits blocked (at most ${grouped(Math.ceil(worst))})`;
}

function drawProfile(context, side, values, width, scale) {
  const place = (bin) => barPlace((bin / values.length) * side.replay.completion, width);
  context.beginPath();
  context.moveTo(BAR_INSET, BAR_MIDDLE);
  values.forEach((v, bin) => {
    context.lineTo(place(bin), BAR_MIDDLE + v * scale);
    context.lineTo(place(bin + 1), BAR_MIDDLE + v * scale);
  });
  context.lineTo(place(values.length), BAR_MIDDLE);
  if (side.number === 0) context.fill();
  else context.stroke();
}

function wireBar() {
  const bar = byId("bar");
  const timeAt = ({ x }) => {
    const share = (x - BAR_INSET) / (bar.clientWidth - 2 * BAR_INSET);
    return Math.round(clamp(share, 0, 1) * end());
  };
  wirePointer(bar, {
    click: (at) => seek(timeAt(at)),
    drag: (at, { start }) => {
      const times = [timeAt(start), timeAt(at)];
      setWindow(Math.min(...times), Math.max(...times));
    },
  });
}

// ---------------------------------------------------------------- links

/** The run that tables and panels speak of. */
const spokenOf = () => app.sides[app.focus];

/** The busiest channels of the window, by what the picture is coloured by. */
function showLinks() {
  const of = spokenOf();
  const { held, waited } = of.sums;
  const body = byId("links").tBodies[0];
  const channels = busiest(of.sums, app.colour === "load" ? "held" : "waited", 50);
  const focused = body.contains(document.activeElement) ? document.activeElement.closest("tr").dataset.channel : null;
  body.replaceChildren(...channels.map((c) => {
    const messages = of.run.binned ? "" : messagesWithin(of.run, c, of.low, of.high);
    const data = { channel: of.channelName(c), held: held[c], waited: waited[c], messages };
    return tableRow(data, of.channelButton(c), held[c], percent(held[c] / of.ticks), waited[c], messages);
  }));
  for (const line of body.rows) {
    if (line.dataset.channel === focused) line.querySelector("button").focus({ preventScroll: true });
  }
  const stretch = `[${grouped(of.low)}, ${grouped(of.high)})`;
  byId("links-note").textContent = channels.length === 0
    ? `No channel is held in ${stretch}.`
    : `The first ${channels.length} by ${app.colour} in the window ${stretch}. Times are in ticks.`;
}

/** Shows the first rows of a list that may be long; returns its length in words. */
function fillRows(id, most, items, rowOf, what) {
  byId(id).replaceChildren(...items.slice(0, most).map(rowOf));
  return counted(items.length, what) + (items.length > most ? ` (the first ${grouped(most)} are shown)` : "");
}

const TOO_LARGE = "This run is too large: the page does not contain its messages.";

/** Shows the holders of a channel over time; null for no channel. */
function chooseChannel(c) {
  const of = spokenOf();
  if (c === null) {
    delete byId("link-panel").dataset.channel;
    byId("link-title").textContent = "Link holders";
    byId("link-note").textContent = "Select a link in the picture or in a table.";
    return;
  }
  byId("link-panel").dataset.channel = of.channelName(c);
  byId("link-title").textContent = `Holders of ${channelLabel(of.channelName(c))}`;
  const told = of.run.binned ? TOO_LARGE : fillRows("link-users", 500, holders(of.run, c, -1, Infinity), (user) => {
    return tableRow(user, of.messageButton(user.message), user.from, user.to, user.to - user.from);
  }, "message");
  byId("link-note").textContent = of.run.binned ? told : `In the whole run: ${told}.`;
}

// ---------------------------------------------------------------- messages

/** Fills the panel of a message; for an invalid number it shows the valid ones. */
function chooseMessage(m) {
  const of = spokenOf();
  const known = Number.isInteger(m) && m >= 0 && m < of.run.count;
  app.message = known ? m : null;
  if (known) {
    byId("message-panel").dataset.message = m;
    byId("message").value = m;
    byId("message-title").textContent = of.messageName(m).replace("m", "M");
    tellMessage(of, m);
    showWaits(of, m);
    showBlame(of, m);
  } else {
    delete byId("message-panel").dataset.message;
    byId("message-title").textContent = "Message";
    const prompt = "Select a message to see its path, the messages that blocked it, and the root cause.";
    const unknown = `There is no message ${m}: messages are numbered 0 to ${of.run.count - 1}.`;
    byId("message-note").textContent = of.run.binned ? TOO_LARGE : Number.isNaN(m) ? prompt : unknown;
  }
  drawAll();
}

function tellMessage(of, m) {
  const { run } = of;
  const path = make("span", { className: "path" });
  for (let h = run.first[m]; h < run.first[m + 1]; h++) path.append(of.channelButton(run.channel[h]), " ");
  byId("message-told").textContent = `${of.nodeName(run.source[m])} → ${of.nodeName(run.target[m])}, `
    + `${counted(run.flits[m], "flit")} over ${counted(Math.max(0, path.children.length - 2), "link")}.`;
  const facts = [
    ["send started", grouped(run.began[m])],
    ["cause", causeOf(of, m)],
    ["injection requested", grouped(asked(run, m))],
    ["injected", grouped(injected(run, m))],
    ["delivered", grouped(delivered(run, m))],
    ["received", grouped(run.received[m])],
    ["blocked", counted(run.blocked[m], "tick")],
    ["path", path],
  ];
  const pairs = facts.flatMap(([name, value]) => [make("dt", {}, name), make("dd", {}, value)]);
  byId("message-facts").replaceChildren(...pairs);
}

function causeOf(of, m) {
  const [before, behind] = {
    start: ["its start time", ""],
    received: ["", " was received"],
    hold: ["the gap after ", " ended"],
    left: ["", " left the node"],
    compute: ["the end of an operation", ""],
  }[CAUSES[of.run.cause[m]]];
  const after = of.run.after[m];
  return make("span", {}, before, ...(after >= 0 ? [of.messageButton(after)] : []), behind);
}

function showWaits(of, m) {
  const { run } = of;
  const lines = waitsOf(run, m).map((h) => {
    const data = { channel: of.channelName(run.channel[h]), from: run.requested[h], to: run.granted[h] };
    const go = linkButton(grouped(data.from), () => jump(data.from));
    go.title = "Go to this time";
    return tableRow(data, of.channelButton(run.channel[h]), go, data.to, data.to - data.from);
  });
  byId("waits").replaceChildren(...lines);
  byId("waits-part").hidden = lines.length === 0;
}

const MOST_ROOTS = 100;

function showBlame(of, m) {
  const all = of.run.blocked[m];
  const { blockers, rest } = directBlame(of.run, m);
  byId("blockers").replaceChildren(...blockers.map(({ message, ticks }) => {
    return rankingLine({ blocker: message, ticks }, of.messageButton(message), "", ticks, all);
  }));
  const { roots, rest: unheld } = rootBlame(of.run, m);
  byId("roots").dataset.count = roots.length;
  byId("roots").replaceChildren(...roots.slice(0, MOST_ROOTS).map(({ message, channel, ticks }) => {
    const data = { root: message, channel: of.channelName(channel), ticks };
    return rankingLine(data, of.messageButton(message), ` on ${channelLabel(data.channel)}`, ticks, all);
  }));
  const others = roots.slice(MOST_ROOTS);
  const ticks = others.reduce((sum, root) => sum + root.ticks, 0);
  const more = others.length > 0 ? `${grouped(others.length)} more: ${counted(ticks, "tick")}. ` : "";
  const router = (n) => (n > 0 ? `Without a holder (router delay): ${counted(n, "tick")}.` : "");
  byId("blockers-rest").textContent = router(rest);
  byId("roots-rest").textContent = more + router(unheld);
}

/** A message, its ticks, and their share as a bar. */
function rankingLine(data, button, more, ticks, all) {
  const bar = make("i", { className: "share" });
  bar.style.setProperty("--share", ticks / all);
  const number = make("span", { className: "number" }, counted(ticks, "tick"));
  return make("li", { data }, bar, make("span", {}, button, more), number);
}

function showWorst(of) {
  const { run } = of;
  const order = Array.from(upTo(run.count)).filter((m) => run.blocked[m] > 0);
  order.sort((a, b) => run.blocked[b] - run.blocked[a] || a - b);
  byId("worst-part").hidden = order.length === 0;
  byId("worst").replaceChildren(...order.slice(0, 8).map((m) => {
    const way = ` ${of.nodeName(run.source[m])} → ${of.nodeName(run.target[m])}`;
    return rankingLine({}, of.messageButton(m), way, run.blocked[m], run.blocked[order[0]]);
  }));
}

// ---------------------------------------------------------------- lanes of nodes

const LANES_HEIGHT = 420;

/** The size of the lanes, their left edge to the right of node names, and pixels per tick. */
function laneScale(of) {
  const width = byId("lanes").clientWidth || 600;
  const count = Math.max(1, of.active.length);
  const lane = clamp(LANES_HEIGHT / count, 1, 16);
  const left = Math.min(90, 8 + of.picture.whole.longest * 6.5);
  const height = Math.round(lane * count) + 2 * LANE_MARGIN;
  return { width, height, left, lane, scale: (width - left - 2) / Math.max(1, end()) };
}

/** Half the height of a name. */
const LANE_MARGIN = 6;

function drawLanes() {
  const of = spokenOf();
  if (of.run.binned) return;
  const scales = laneScale(of);
  const { width, height, left, lane, scale } = scales;
  const key = `${of.replay.id} ${end()}`;
  const stretches = keptDrawing("lanes", key, width, height, (context) => drawStretches(of, context, scales));
  const context = canvasFor(byId("lanes"), width, height);
  context.drawImage(stretches, 0, 0, width, height);
  const chosen = of.active.indexOf(app.node);
  context.strokeStyle = app.palette.ink;
  context.lineWidth = 1.5;
  if (chosen >= 0) context.strokeRect(left - 1, LANE_MARGIN + chosen * lane - 0.5, width - left, Math.max(3, lane));
  context.fillStyle = app.palette.ink;
  context.fillRect(left + app.time * scale - 0.75, 0, 1.5, height);
}

function drawStretches(of, context, { left, lane, scale }) {
  const { run } = of;
  const half = Math.max(0.5, lane * 0.42);
  const top = new Map(of.active.map((node, at) => [node, LANE_MARGIN + at * lane]));
  const piece = (colour, node, lower, from, to) => {
    if (to <= from) return;
    context.fillStyle = app.palette[colour];
    context.fillRect(left + from * scale, top.get(node) + (lower ? half : 0), Math.max(0.5, (to - from) * scale), half);
  };
  for (let m = 0; m < run.count; m++) {
    const last = run.first[m + 1] - 1;
    piece("busy", run.source[m], false, injected(run, m), run.released[run.first[m]]);
    piece("busy", run.target[m], true, run.granted[last], run.released[last]);
  }
  for (let m = 0; m < run.count; m++) {
    piece("send", run.source[m], false, run.began[m], asked(run, m));
    piece("wait", run.source[m], false, asked(run, m), injected(run, m));
    piece("receive", run.target[m], true, delivered(run, m), run.received[m]);
  }
  context.textAlign = "right";
  context.textBaseline = "middle";
  context.fillStyle = app.palette.muted;
  const step = Math.ceil(13 / lane);
  of.active.forEach((node, at) => {
    if (at % step === 0) context.fillText(of.nodeName(node), left - 5, LANE_MARGIN + at * lane + half);
  });
}

function chooseNode(node) {
  const of = spokenOf();
  if (!(node >= 0 && node < of.replay.nodes)) return;
  app.node = node;
  byId("lane-node").value = node;
  byId("lane-title").textContent = `Node ${of.nodeName(node)}`;
  if (of.run.binned) return;
  const rows = laneOf(of.run, node);
  const told = fillRows("lane-rows", 5000, rows, (row) => {
    const kind = make("span", {}, swatch(row.kind), ` ${row.kind}`);
    return tableRow(row, kind, row.from, row.to, of.messageButton(row.message));
  }, "interval");
  byId("lane-note").textContent = `Sends, waits for injection and receives: ${told}.`;
  drawAll();
}

function wireLanes() {
  const observer = new IntersectionObserver(([lanes]) => (app.lanesVisible = lanes.isIntersecting));
  observer.observe(byId("lanes"));
  const click = ({ x, y }) => {
    const { active } = spokenOf();
    const { left, lane, scale } = laneScale(spokenOf());
    chooseNode(active[clamp(Math.floor((y - LANE_MARGIN) / lane), 0, active.length - 1)]);
    if (x >= left) jump(Math.round((x - left) / scale));
  };
  wirePointer(byId("lanes"), { click });
}

// ---------------------------------------------------------------- lanes of ranks

/** The width of a bar with the shares of time of a rank. */
const SHARE_WIDTH = 110;

/** The timeline that is on show. `run`: a replay, or a run under the model; `from`, `to`: the part of the time in view. */
const ranks = { run: null, summaries: [], order: [], rows: [], from: 0, to: 0, rank: 0, turn: 0 };

/** Shows the ranks of `run`, or no timeline if it has none. */
function showRanks(run) {
  byId("timeline").hidden = !run.ranks;
  if (!run.ranks || ranks.run === run) return;
  const summaries = run.ranks.map(({ lanes }) => ({ ...totalsOf(lanes), finish: finishOf(lanes) }));
  Object.assign(ranks, { run, summaries, from: 0, to: run.completion });
  byId("rank").max = run.ranks.length - 1;
  byId("timeline-note").textContent = run.ranks_note || "";
  byId("timeline-sum").textContent = sumOfRanks(summaries, run);
  sortRanks();
  chooseRank(orderOf(summaries, "wait")[0]);
}

/** The shares of the time of all processors. */
function sumOfRanks(summaries, run) {
  const sum = (kind) => summaries.reduce((all, each) => all + each[kind], 0);
  const all = Math.max(1, ACTIVITIES.reduce((ticks, kind) => ticks + sum(kind), 0));
  const parts = ACTIVITIES.map((kind) => [kind, sum(kind)]).filter(([, ticks]) => ticks > 0);
  const shares = parts.map(([kind, ticks]) => `${percent(ticks / all)} ${kind}`).join(", ");
  return `${counted(summaries.length, "rank")}, ${length(run.completion)}. Time of the processors: ${shares}.`;
}

function sortRanks() {
  ranks.order = orderOf(ranks.summaries, byId("timeline-sort").value);
  ranks.rows = [];
  const lanes = ranks.run.ranks.reduce((count, rank) => count + rank.lanes.length, 0);
  const height = lanes > 48 ? 6 : 13;
  let top = 0;
  for (const rank of ranks.order) {
    const count = ranks.run.ranks[rank].lanes.length;
    ranks.rows.push({ rank, top, bottom: top + count * height });
    top += count * height + 3;
  }
  Object.assign(ranks, { lane: height, height: top, turn: ranks.turn + 1 });
  byId("ranks-space").style.height = `${top}px`;
  drawRanks();
}

/** The left edge of the lanes, and pixels per tick. */
function rankScale() {
  const width = byId("ranks").clientWidth || 600;
  const names = 14 + String(ranks.summaries.length - 1).length * 7;
  const left = names + SHARE_WIDTH + 58;
  return { width, names, left, scale: (width - left - 2) / Math.max(1, ranks.to - ranks.from) };
}

/** Draws the rows that are in view, and the time of the replay. */
function drawRanks() {
  if (byId("timeline").hidden) return;
  const box = byId("ranks-box");
  const { width, left, scale } = rankScale();
  const height = Math.max(1, Math.min(ranks.height, box.clientHeight || 480));
  const key = [ranks.turn, ranks.from, ranks.to, box.scrollTop, ranks.rank].join(" ");
  const rows = keptDrawing("ranks", key, width, height, (context) => drawRows(context, box.scrollTop, height));
  const context = canvasFor(byId("ranks"), width, height);
  context.drawImage(rows, 0, 0, width, height);
  if (app.sides.length > 0 && app.time >= ranks.from && app.time <= ranks.to) {
    context.fillStyle = app.palette.ink;
    context.fillRect(left + (app.time - ranks.from) * scale - 0.75, 0, 1.5, height);
  }
  drawRankAxis();
}

function drawRankAxis() {
  const { width, names, left, scale } = rankScale();
  const context = canvasFor(byId("ranks-axis"), width, 22);
  const shown = (t) => duration(t, app.data.tick && app.data.tick.nanoseconds) || grouped(t);
  context.fillStyle = app.palette.muted;
  context.textBaseline = "middle";
  context.textAlign = "left";
  context.fillText("share of time", names, 8);
  const most = Math.max(1, Math.floor((width - left) / (context.measureText(shown(ranks.to)).width + 60)));
  for (let i = 0; i <= most; i++) {
    const t = Math.round(ranks.from + (i / most) * (ranks.to - ranks.from));
    const x = left + (t - ranks.from) * scale;
    context.textAlign = i === 0 ? "left" : i === most ? "right" : "center";
    context.fillText(shown(t), x, 8);
    context.fillRect(clamp(x - 0.5, left, width - 1), 16, 1, 6);
  }
}

const activityColour = (kind) => app.palette[{ compute: "muted", noise: "chosen", idle: "shade" }[kind] || kind];

function drawRows(context, scroll, height) {
  const { width, names, left } = rankScale();
  context.textBaseline = "middle";
  let named = -Infinity;
  for (const { rank, top, bottom } of ranks.rows) {
    if (bottom < scroll || top > scroll + height) continue;
    const y = top - scroll;
    context.fillStyle = app.palette.muted;
    context.textAlign = "right";
    if (top >= named) {
      context.fillText(String(rank), names - 5, y + Math.min(7, (bottom - top) / 2));
      named = top + 12;
    }
    drawShares(context, ranks.summaries[rank], names, y, bottom - top);
    ranks.run.ranks[rank].lanes.forEach((lane, i) => {
      const at = y + i * ranks.lane;
      context.fillStyle = app.palette.muted;
      context.textAlign = "right";
      if (ranks.lane > 10) context.fillText(lane.name, left - 5, at + ranks.lane / 2);
      drawLane(context, lane.slices, at, ranks.lane - 1);
    });
    if (rank !== ranks.rank) continue;
    context.strokeStyle = app.palette.ink;
    context.lineWidth = 1.5;
    context.strokeRect(left - 1, y - 1, width - left, bottom - top + 1);
  }
}

/** The bar of a rank: its shares of the time of its processors. */
function drawShares(context, summary, left, top, height) {
  const all = Math.max(1, ACTIVITIES.reduce((ticks, kind) => ticks + summary[kind], 0));
  let x = left;
  for (const kind of ACTIVITIES) {
    const width = (summary[kind] / all) * SHARE_WIDTH;
    context.fillStyle = activityColour(kind);
    context.fillRect(x, top, width, Math.min(height - 1, 12));
    x += width;
  }
}

/** The slices in view. Those of less than half a pixel are drawn as half a pixel, except idle time. */
function drawLane(context, slices, top, height) {
  const { left, scale } = rankScale();
  context.fillStyle = activityColour("idle");
  context.fillRect(left, top, (ranks.to - ranks.from) * scale, height);
  for (let i = sliceAt(slices, ranks.from); i < slices.length && slices[i][1] < ranks.to; i++) {
    const [kind, from, to] = slices[i];
    if (kind === "idle") continue;
    const [begin, end] = [Math.max(from, ranks.from), Math.min(to, ranks.to)];
    context.fillStyle = activityColour(kind);
    context.fillRect(left + (begin - ranks.from) * scale, top, Math.max(0.5, (end - begin) * scale), height);
  }
}

/** The row, the lane and the tick at a place of the canvas. */
function rankUnder({ x, y }) {
  const at = y + byId("ranks-box").scrollTop;
  const row = ranks.rows.find(({ top, bottom }) => at >= top - 1.5 && at < bottom + 1.5);
  if (!row) return null;
  const { left, scale } = rankScale();
  const { lanes } = ranks.run.ranks[row.rank];
  const lane = lanes[clamp(Math.floor((at - row.top) / ranks.lane), 0, lanes.length - 1)];
  const t = x < left ? null : clamp(ranks.from + (x - left) / scale, 0, ranks.run.completion);
  return { rank: row.rank, lane, t };
}

function rankPointed(found) {
  if (!found) return "";
  const { rank, lane, t } = found;
  const slice = t === null ? null : lane.slices[Math.min(sliceAt(lane.slices, t), lane.slices.length - 1)];
  if (!slice) return `rank ${rank}`;
  const [kind, from, to, name] = slice;
  const what = name ? `${kind} ${name}` : kind;
  return `rank ${rank}, ${lane.name}: ${what}, ${grouped(from)} to ${grouped(to)}, ${length(to - from)}`;
}

function chooseRank(rank) {
  if (!(rank >= 0 && rank < ranks.summaries.length)) return;
  ranks.rank = rank;
  const summary = ranks.summaries[rank];
  const all = Math.max(1, ACTIVITIES.reduce((ticks, kind) => ticks + summary[kind], 0));
  byId("rank").value = rank;
  byId("rank-title").textContent = `Rank ${rank}`;
  byId("rank-rows").replaceChildren(...ACTIVITIES.filter((kind) => summary[kind] > 0).map((kind) => {
    const name = make("span", {}, swatch(kind), ` ${kind}`);
    return tableRow({ kind, ticks: summary[kind] }, name, summary[kind], percent(summary[kind] / all));
  }));
  const processors = ranks.run.ranks[rank].lanes.filter(({ name }) => name.startsWith("cpu")).length;
  byId("rank-note").textContent = `Ends at ${grouped(summary.finish)}. The sum is the time of ${counted(processors, "processor")}.`;
  drawRanks();
}

/** Zooms in by `factor`, or out to the whole run if it is 0, with tick `middle` at the same place as before. */
function zoomRanks(factor, middle) {
  const { completion } = ranks.run;
  const wanted = factor === 0 ? completion : Math.round((ranks.to - ranks.from) / factor);
  const span = clamp(wanted, Math.min(10, completion), completion);
  const share = (middle - ranks.from) / Math.max(1, ranks.to - ranks.from);
  const from = clamp(Math.round(middle - share * span), 0, completion - span);
  Object.assign(ranks, { from, to: from + span });
  drawRanks();
}

function wireRanks() {
  byId("timeline-sort").addEventListener("change", sortRanks);
  byId("ranks-box").addEventListener("scroll", drawRanks, { passive: true });
  const middle = () => (app.time > ranks.from && app.time < ranks.to ? app.time : (ranks.from + ranks.to) / 2);
  byId("timeline-in").addEventListener("click", () => zoomRanks(2, middle()));
  byId("timeline-out").addEventListener("click", () => zoomRanks(0.5, middle()));
  byId("timeline-whole").addEventListener("click", () => zoomRanks(0, 0));
  onNumber(byId("rank"), chooseRank);
  const canvas = byId("ranks");
  wirePointer(canvas, {
    click: (at) => {
      const found = rankUnder(at);
      if (!found) return;
      chooseRank(found.rank);
      if (found.t !== null && app.sides.length > 0) jump(Math.round(found.t));
    },
    drag: (at, { last }) => {
      const span = ranks.to - ranks.from;
      const from = clamp(Math.round(ranks.from - (at.x - last.x) / rankScale().scale), 0, ranks.run.completion - span);
      Object.assign(ranks, { from, to: from + span });
      byId("ranks-box").scrollTop -= at.y - last.y;
      drawRanks();
    },
    hover: (at) => (byId("ranks-pointed").textContent = rankPointed(rankUnder(at))),
  });
  canvas.addEventListener("dblclick", (event) => {
    const found = rankUnder({ x: event.offsetX, y: event.offsetY });
    if (found && found.t !== null) zoomRanks(2, found.t);
  });
}

/** Offers the runs under the model, which have no replay, and shows the first. */
function showPredicted(runs) {
  byId("timeline-run").append(...runs.map((run, at) => make("option", { value: String(at) }, replayName(run))));
  byId("timeline-run").addEventListener("change", () => showRanks(runs[Number(byId("timeline-run").value)]));
  byId("timeline-run-label").hidden = runs.length < 2;
  wireRanks();
  showRanks(runs[0]);
}

// ---------------------------------------------------------------- the critical path

/** The meaning of the parts of a path; parts that are not here are shown by name only. */
const PARTS = {
  start: "before the first message",
  send: "send overhead",
  hold: "gap between two sends of a port",
  wait: "head flit waits for a channel",
  hop: "head flit moves to the next channel",
  transmit: "the other flits follow",
  shared: "flits of other virtual channels use the link",
  switch: "the crossbar of a router moves other flits",
  queue: "head flit is behind another message in a buffer",
  join: "head flit waits for those that the router combines it with",
  credit: "no credit: the buffer behind the link is full",
  receive: "receive overhead",
  compute: "a rank computes",
};

function showCritical(of) {
  const { critical, words, completion } = of.replay;
  const sums = new Map();
  const pieces = [];
  for (const [kind, from, to] of critical) {
    sums.set(kind, (sums.get(kind) || 0) + to - from);
    const piece = swatch(kind);
    piece.style.setProperty("flex-grow", to - from);
    pieces.push(piece);
  }
  byId("critical-section").hidden = critical.length === 0;
  byId("critical-words").replaceChildren(...words.map((sentence) => make("p", {}, sentence)));
  byId("strip").replaceChildren(...pieces);
  byId("parts").replaceChildren(...Array.from(sums, ([kind, ticks]) => {
    const meaning = PARTS[kind] ? make("small", {}, ` ${PARTS[kind]}`) : "";
    const name = make("span", {}, swatch(kind), ` ${kind}`, meaning);
    return tableRow({ kind, ticks }, name, ticks, percent(ticks / Math.max(1, completion)));
  }));
  byId("critical").replaceChildren(...critical.map((part) => criticalRow(of, part)));
}

function criticalRow(of, [kind, from, to, message, number]) {
  const channel = number === null ? "" : of.channelName(number);
  const cells = [
    make("span", {}, swatch(kind), ` ${kind}`),
    make("span", {}, of.run.binned || message === null ? "" : of.messageButton(message)),
    make("span", {}, channel && channelLabel(channel)),
  ];
  const times = [from, to, to - from].map((ticks) => make("span", {}, grouped(ticks)));
  const data = { kind, from, to, message: message ?? "", channel };
  return make("li", { className: "critical-row", data }, ...cells, ...times);
}

// ---------------------------------------------------------------- choosing runs

const replayOf = (id) => app.data.replays.find((replay) => String(replay.id) === id);

function offerRuns(replays) {
  const option = (replay) => make("option", { value: String(replay.id) }, replayName(replay));
  byId("which").append(...replays.map(option));
  byId("second").append(make("option", { value: "" }, "none"), ...replays.map(option));
  byId("second-label").hidden = replays.length < 2;
}

/** Reads the chosen runs (one or two) and shows them, from the beginning or from where the time is. */
async function loadRuns(fromStart) {
  const turn = ++app.turn;
  setState("loading");
  const replays = [byId("which").value, byId("second").value].filter((id) => id !== "").map(replayOf);
  await breath();
  const runs = [];
  try {
    for (const replay of replays) {
      const shown = app.sides.find((side) => side.replay === replay);
      runs.push(shown ? shown.run : await readRun(replay));
    }
  } catch (error) {
    showNone(`The data of this run cannot be read: ${error.message}.`);
    return;
  }
  if (turn !== app.turn) return;
  const isWhole = fromStart || (app.from === 0 && app.to === end());
  const [first, second] = replays;
  Object.assign(byId("replay").dataset, { replay: first.id, second: second ? second.id : "", hops: first.hops });
  app.sides = replays.map((replay, i) => new Side(replay, runs[i], i));
  for (const id of ["time", "window-from", "window-to"]) byId(id).max = end();
  if (isWhole) Object.assign(app, { from: 0, to: end(), length: end() });
  if (fromStart) app.follow = byId("follow").checked = false;
  app.time = fromStart ? 0 : Math.min(app.time, end());
  setState("ready");
  byId("replay-note").textContent = first.note || "";
  placeAll();
  showFocus(0);
}

/** Shows what the address asks for: any of `#which=1&second=0&colour=load&from=0&to=900&time=300&message=9`. */
async function showAddressed() {
  const wanted = new URLSearchParams(location.hash.slice(1));
  for (const id of ["which", "second", "colour"]) {
    const isOffered = Array.from(byId(id).options).some((option) => option.value === wanted.get(id));
    if (isOffered) byId(id).value = wanted.get(id);
  }
  app.colour = byId("colour").value;
  await loadRuns(true);
  if (app.sides.length === 0) return;
  const number = (name, most, otherwise) => {
    const text = wanted.get(name);
    return /^\d{1,15}$/.test(text) && Number(text) <= most ? Number(text) : otherwise;
  };
  const [from, to] = [number("from", end(), 0), number("to", end(), end())];
  if (from <= to) setWindow(from, to);
  seek(number("time", end(), 0));
  const message = number("message", spokenOf().run.count - 1, null);
  if (message !== null) chooseMessage(message);
}

/** Puts what is shown into the address, and on the clipboard if the browser lets us. */
function linkView() {
  const { time, from, to, colour, message } = app;
  const view = { which: byId("which").value, second: byId("second").value, colour, from, to, time: Math.floor(time) };
  const hash = new URLSearchParams(message === null ? view : { ...view, message });
  history.replaceState(null, "", `#${hash}`);
  if (navigator.clipboard) navigator.clipboard.writeText(location.href).catch(() => {});
}

/** Tables and panels speak of one of the two runs. */
function showFocus(number) {
  app.focus = number;
  const of = spokenOf();
  for (const { number: each } of app.sides) {
    byId(`focus-${each}`).setAttribute("aria-pressed", String(each === number));
  }
  byId("player").classList.toggle("binned", Boolean(of.run.binned));
  byId("message").value = "";
  byId("message").max = Math.max(0, of.run.count - 1);
  byId("lane-node").max = of.replay.nodes - 1;
  showLegend();
  showWorst(of);
  showCritical(of);
  showRanks(of.replay);
  chooseChannel(null);
  refresh();
  chooseMessage(NaN);
  const left = of.replay.nodes - of.active.length;
  byId("lanes-note").textContent = left > 0 ? `Not shown: ${counted(left, "node")} without messages.` : "";
  chooseNode(of.active.includes(app.node) ? app.node : lastNode(of));
}

/** The node that is busy last. */
function lastNode({ run, active }) {
  let last = 0;
  for (let m = 1; m < run.count; m++) if (run.received[m] > run.received[last]) last = m;
  return active.length > 0 ? run.target[last] : 0;
}

function showLegend() {
  for (const { canvas, replay } of app.sides) {
    canvas.setAttribute("aria-label", `The network of ${replayLabel(replay)}; links are coloured by ${app.colour}`);
  }
  if (app.colour === "load") fillLegend(byId("legend"), "Load: share of the window for which a link is held", 1, shortPercent);
  else fillLegend(byId("legend"), "Blocking: mean number of head flits that wait", FULL_QUEUE, shortNumber);
}

// ---------------------------------------------------------------- controls

function wire() {
  byId("play").addEventListener("click", play);
  byId("which").addEventListener("change", () => loadRuns(true));
  byId("second").addEventListener("change", () => loadRuns(false));
  byId("time").addEventListener("input", () => seek(Number(byId("time").value)));
  byId("follow").addEventListener("change", () => setFollow(byId("follow").checked));
  byId("link-view").addEventListener("click", linkView);
  byId("whole").addEventListener("click", () => setWindow(0, end()));
  byId("colour").addEventListener("change", () => {
    app.colour = byId("colour").value;
    showLegend();
    refresh();
  });
  onNumber(byId("window-from"), (value) => setWindow(value, Math.max(value, app.to)));
  onNumber(byId("window-to"), (value) => setWindow(Math.min(value, app.from), value));
  onNumber(byId("message"), chooseMessage);
  onNumber(byId("lane-node"), chooseNode);
  wireBar();
  wireLanes();
  wireRanks();
  byId("timeline-run-label").hidden = true;
  for (const number of [0, 1]) {
    byId(`focus-${number}`).addEventListener("click", () => showFocus(number));
    wireNetwork(byId(number === 0 ? "network" : "network-2"), number);
  }
  wireZoom();
  wireKeys();
}

/** A number field acts when its value is settled, by leaving it or by Enter. */
function onNumber(field, act) {
  field.addEventListener("change", () => {
    if (field.value !== "") act(Math.round(Number(field.value)));
  });
}

function wireNetwork(canvas, number) {
  const under = ({ x, y }) => app.sides[number].picture.at(x, y);
  wirePointer(canvas, {
    click: (at) => {
      const found = under(at);
      if (found && app.focus !== number) showFocus(number);
      if (found) choosePicked(app.sides[number], found);
    },
    drag: (at, { last }) => moveAll(at.x - last.x, at.y - last.y),
    hover: (at) => (byId("pointed").textContent = pointedAt(app.sides[number], under(at))),
  });
  canvas.addEventListener("dblclick", (event) => zoomBy(2, event.offsetX, event.offsetY));
}

/** Of the channels of a link the one with most of what the picture is coloured by. */
function busiestOf(side, l) {
  const { starts, list } = side.picture.geometry.members;
  const channels = list.subarray(starts[l], starts[l + 1]);
  return channels.reduce((best, c) => (side.shares[c] > side.shares[best] ? c : best));
}

function choosePicked(side, { link, vertex }) {
  const { picture } = side;
  if (link !== undefined) chooseChannel(busiestOf(side, link));
  else if (picture.geometry.cells > 1) zoomBy(2, picture.x[vertex], picture.y[vertex]);
  else chooseNode(vertex);
}

/** A description of the element under the pointer. */
function pointedAt(side, found) {
  if (!found) return "";
  if (found.vertex !== undefined) return side.picture.geometry.names[found.vertex];
  const c = busiestOf(side, found.link);
  const now = side.run.binned ? "" : `, ${side.queue[c]} waiting now`;
  return `${channelLabel(side.channelName(c))}: held ${percent(side.sums.held[c] / side.ticks)}, `
    + `mean queue ${shortNumber(side.sums.waited[c] / side.ticks)}${now}`;
}

function wireZoom() {
  for (const [id, factor] of [["zoom-in", 1.6], ["zoom-out", 1 / 1.6], ["zoom-reset", 0]]) {
    byId(id).addEventListener("click", () => {
      const { fit } = spokenOf().picture;
      zoomBy(factor, fit.width / 2, fit.height / 2);
    });
  }
  const ways = { ArrowLeft: [60, 0], ArrowRight: [-60, 0], ArrowUp: [0, 60], ArrowDown: [0, -60] };
  byId("zoom").addEventListener("keydown", (event) => {
    if (!(event.key in ways)) return;
    event.preventDefault();
    moveAll(...ways[event.key]);
  });
}

function zoomBy(factor, x, y) {
  for (const { picture } of app.sides) picture.zoomTo(picture.zoom.scale * factor, x, y);
  drawAll();
}

function moveAll(dx, dy) {
  for (const { picture } of app.sides) picture.move(dx, dy);
  drawAll();
}

/** A key is a field's own while somebody types there, and what has the focus has space already. */
function isTaken(key, element) {
  if (element.matches("select, input:not([type=range], [type=checkbox])")) return true;
  return key === " " && element.matches("button, input, a");
}

function wireKeys() {
  const help = byId("help");
  byId("keys").addEventListener("click", () => help.showModal());
  byId("help-close").addEventListener("click", () => help.close());
  const actions = {
    k: play,
    " ": play,
    ",": () => jump(Math.floor(app.time) - 1),
    ".": () => jump(Math.floor(app.time) + 1),
    0: () => jump(0),
    9: () => jump(end()),
    m: () => byId("message").select(),
    "?": () => (help.open ? help.close() : help.showModal()),
  };
  document.addEventListener("keydown", (event) => {
    if (["none", "loading"].includes(app.state) || event.ctrlKey || event.altKey || event.metaKey) return;
    if (isTaken(event.key, event.target) || (help.open && event.key !== "?") || !(event.key in actions)) return;
    event.preventDefault();
    actions[event.key]();
  });
}

// ---------------------------------------------------------------- the beginning

function placeAll() {
  for (const { picture } of app.sides) picture.place();
}

/** After a change of size, of light and dark, or of paper. */
function redraw() {
  readPalette();
  placeAll();
  drawAll();
  if (app.still) drawStill();
  if (ranks.run) drawRanks();
}

function wireMedia() {
  let due = 0;
  window.addEventListener("resize", () => {
    cancelAnimationFrame(due);
    due = requestAnimationFrame(redraw);
  });
  for (const query of ["(prefers-color-scheme: dark)", "print"]) matchMedia(query).addEventListener("change", redraw);
  for (const event of ["beforeprint", "afterprint"]) window.addEventListener(event, redraw);
}

/** Shows why there is no replay. */
function showNone(why) {
  app.sides = [];
  setState("none");
  byId("replay-note").textContent = why;
}

/** A network coloured by load, without a replay: open-loop traffic. */
function showStill(still) {
  const { channels, layout, load, nodes } = still;
  byId("still").hidden = false;
  byId("replay-title").textContent = "Link load";
  const settings = [still.algorithm, ...settingsOf(still), `repetition ${still.repetition}`].join(", ");
  byId("still-note").textContent = `Run with the busiest link: ${settings}.`;
  app.still = { picture: new Picture(byId("still-network"), channels, layout, nodes), load };
  fillLegend(byId("still-legend"), "Load: share of the time for which a link transmits", 1, shortPercent);
  const loads = linkLoads(channels, load);
  byId("still-links").tBodies[0].append(...loads.slice(0, 50).map(([name, share]) => {
    return tableRow({ channel: name, load: share }, channelLabel(name), percent(share));
  }));
  drawStill();
}

function drawStill() {
  const { picture, load } = app.still;
  picture.place();
  picture.draw(load.map((share) => share || 0), {});
}

async function start() {
  const data = JSON.parse(byId("flitwise-data").textContent);
  app.data = data;
  byId("scenario").textContent = data.scenario;
  const [first, ...others] = data.verdict.split(/(?<=\.) /);
  byId("verdict").replaceChildren(...unbroken(first));
  byId("verdict-more").replaceChildren(...unbroken(others.join(" ")));
  if (data.tick) byId("units").textContent = `Times are in ticks; a tick is ${data.tick.text}.`;
  showTable(data.summary);
  showPlots(data);
  for (const box of document.querySelectorAll(".box:not(#rows-box), .ranking.tall, .path")) watchScroll(box);
  readPalette();
  wireMedia();
  if (data.replays.length === 0) {
    showNone(data.why);
    if (data.still) showStill(data.still);
    if (data.predicted.length > 0) showPredicted(data.predicted);
    return;
  }
  if (typeof DecompressionStream === "undefined") {
    showNone("This browser is too old to show the replay: Chromium 103, Firefox 113 or Safari 16.4 is the oldest supported version.");
    return;
  }
  offerRuns(data.replays);
  wire();
  window.addEventListener("hashchange", showAddressed);
  await showAddressed();
}

if (typeof module !== "undefined") {
  module.exports = {
    activeNodes, busiest, cellNumber, cellSize, cellsOf, channelLabel, countsAt, decimalsOf, decodeBins, decodeRun,
    directBlame, distanceTo, duration, finishOf, firstAbove, firstNotBelow, fitPicture, geometryOf, grouped, holders, indexRun,
    keyLabel, laneOf, linkLoads, messagesWithin, Numbers, orderOf, percent, placeLinks, Profile, profileRun,
    rootBlame, shownNumber, sliceAt, sortByTime, sortedRows, stepOf, totalsOf, unzigzag, upTo, waitsOf, windowSums,
  };
}
if (typeof document !== "undefined") start();
