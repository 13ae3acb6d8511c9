"use strict";
// The report page: replays runs, and says who blocked whom. README.md beside this file has the format of the data.
// The first half computes and knows no document (tests/page/ loads it into node); the second half shows it.

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
    if (this.at !== this.bytes.length) throw new RangeError("numbers are left over");
  }
}

/** 0, 1, 2, 3, 4 -> 0, -1, 1, -2, 2 */
function unzigzag(value) {
  return value % 2 === 0 ? value / 2 : -(value + 1) / 2;
}

function bytesOfBase64(text) {
  const raw = atob(text);
  const bytes = new Uint8Array(raw.length);
  for (let i = 0; i < raw.length; i++) bytes[i] = raw.charCodeAt(i);
  return bytes;
}

async function inflate(text) {
  const packed = bytesOfBase64(text.trim());
  const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("deflate-raw"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

// ---------------------------------------------------------------- a run

const CAUSES = ["start", "received", "hold", "left", "compute"];

/** Times as 32-bit numbers where they fit: half the memory, and twice as fast to sort. */
function timesFor(completion, length) {
  return completion < 2 ** 31 ? new Uint32Array(length) : new Float64Array(length);
}

/**
 * The messages and hops of a replay. `blobs`: bytes of messages, paths, hops, causes and, if headers do not ask
 * flit_time + routing_delay after they started on the hop before, requests.
 *
 * Hops of message m are first[m] .. first[m + 1] in `channel`, `message`, `requested`, `granted`, `released`, and in
 * `shared` (started - granted), which is null where it is 0 throughout.
 */
function decodeRun(replay, blobs) {
  const count = replay.messages;
  const times = (length) => timesFor(replay.completion, length);
  const run = {
    replay,
    count,
    hops: replay.hops,
    first: new Uint32Array(count + 1),
    source: new Uint32Array(count),
    target: new Uint32Array(count),
    flits: new Float64Array(count),
    received: times(count),
    began: times(count),
    cause: new Uint8Array(count),
    after: new Int32Array(count).fill(-1),
    blocked: new Float64Array(count),
    channel: new Uint32Array(replay.hops),
    message: new Uint32Array(replay.hops),
    requested: times(replay.hops),
    granted: times(replay.hops),
    released: times(replay.hops),
    shared: null,
  };
  readMessagesAndHops(run, blobs);
  readCauses(run, new Numbers(blobs.causes));
  return run;
}

function readMessagesAndHops(run, blobs) {
  const messages = new Numbers(blobs.messages);
  const paths = new Numbers(blobs.paths);
  const hops = new Numbers(blobs.hops);
  const requests = blobs.requests ? new Numbers(blobs.requests) : null;
  const step = run.replay.flit_time + run.replay.routing_delay;
  let hop = 0;
  let asked = 0;
  for (let m = 0; m < run.count; m++) {
    run.source[m] = messages.next();
    run.target[m] = messages.next();
    run.flits[m] = messages.next();
    const length = messages.next();
    asked += messages.nextSigned();
    let requested = asked;
    let channel = 0;
    for (let h = 0; h < length; h++, hop++) {
      if (h > 0 && requests) requested += requests.nextSigned();
      channel += paths.nextSigned();
      const granted = requested + hops.next();
      const shared = hops.next();
      run.message[hop] = m;
      run.channel[hop] = channel;
      run.requested[hop] = requested;
      run.granted[hop] = granted;
      run.released[hop] = granted + hops.next();
      run.blocked[m] += granted - requested;
      if (shared > 0) keepShared(run, hop, shared);
      requested = granted + shared + step;
    }
    run.first[m + 1] = hop;
    run.received[m] = delivered(run, m) + messages.next();
  }
  for (const numbers of [messages, paths, hops]) numbers.end();
  if (requests) requests.end();
}

function keepShared(run, hop, shared) {
  if (!run.shared) run.shared = new Float64Array(run.hops);
  run.shared[hop] = shared;
}

function readCauses(run, numbers) {
  for (let m = 0; m < run.count; m++) {
    run.cause[m] = numbers.next();
    const kind = CAUSES[run.cause[m]];
    if (kind !== "start" && kind !== "compute") run.after[m] = m + numbers.nextSigned();
    run.began[m] = asked(run, m) - numbers.next();
  }
  numbers.end();
}

const asked = (run, m) => run.requested[run.first[m]];
const injected = (run, m) => run.granted[run.first[m]];
const delivered = (run, m) => run.released[run.first[m + 1] - 1];

/** Hops of a message at which its header waited, in order of time. */
function waitsOf(run, m) {
  const waits = [];
  for (let h = run.first[m]; h < run.first[m + 1]; h++) {
    if (run.granted[h] > run.requested[h]) waits.push(h);
  }
  return waits;
}

// ---------------------------------------------------------------- sorting and searching

/** Stable radix sort of positions by times[position]: passes of 11 bits, as many as the largest time needs. */
function sortByTime(positions, times) {
  let largest = 0;
  for (let i = 0; i < positions.length; i++) largest = Math.max(largest, times[positions[i]]);
  let from = positions.slice();
  let to = new Uint32Array(positions.length);
  for (let weight = 1; weight <= largest; weight *= 2048) {
    const digit = digitsOf(times, weight);
    scatter(from, to, 2048, digit);
    [from, to] = [to, from];
  }
  return from;
}

/** The digit of a time in a pass. Shifts are far faster than divisions, but know 32 bits only. */
function digitsOf(times, weight) {
  if (times instanceof Uint32Array) {
    const shift = Math.log2(weight);
    return (i) => (times[i] >>> shift) & 2047;
  }
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

function upTo(length) {
  const order = new Uint32Array(length);
  for (let i = 0; i < length; i++) order[i] = i;
  return order;
}

/** How many of the ascending values[low .. high] are < t, plus low. */
function firstNotBelow(values, low, high, t) {
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (values[middle] < t) low = middle + 1;
    else high = middle;
  }
  return low;
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

// ---------------------------------------------------------------- who had which channel, and who waited

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
  const owners = groupBy(sortByTime(upTo(run.hops), run.granted), channels, channelOf);
  run.owners = ownersOf(run, owners);
  const waiting = owners.order.filter((hop) => run.granted[hop] > run.requested[hop]);
  const byBegin = groupBy(sortByTime(waiting, run.requested), channels, channelOf);
  run.waits = {
    starts: byBegin.starts,
    begin: gather(byBegin.order, run.requested),
    end: gather(waiting, run.granted),
  };
  run.waits.beginSums = runningSums(run.waits.begin);
  run.waits.endSums = runningSums(run.waits.end);
  const messages = upTo(run.count);
  run.injectedAt = Float64Array.from(messages, (m) => injected(run, m)).sort();
  run.deliveredAt = Float64Array.from(messages, (m) => delivered(run, m)).sort();
  run.bySource = groupBy(messages, run.replay.nodes, (m) => run.source[m]);
  run.byTarget = groupBy(messages, run.replay.nodes, (m) => run.target[m]);
  return run;
}

function ownersOf(run, owners) {
  const from = gather(owners.order, run.granted);
  const to = gather(owners.order, run.released);
  const before = new Float64Array(run.hops + 1);
  for (let k = 0; k < run.hops; k++) before[k + 1] = before[k] + (to[k] - from[k]);
  return { starts: owners.starts, hop: owners.order, from, to, before };
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
  const { starts, from, to, before } = run.owners;
  const low = starts[c];
  const next = firstNotBelow(from, low, starts[c + 1], t);
  if (next === low) return 0;
  return before[next - 1] - before[low] + Math.min(t, to[next - 1]) - from[next - 1];
}

/** Ticks before t that headers waited for channel c: the sum of t - begin, less the sum of t - end. */
function waitedUntil(run, c, t) {
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

/** Held and waited ticks of every channel within [from, to). */
function windowSums(run, from, to, sums) {
  for (let c = 0; c < sums.held.length; c++) {
    sums.held[c] = to > from ? heldUntil(run, c, to) - heldUntil(run, c, from) : 0;
    sums.waited[c] = to > from ? waitedUntil(run, c, to) - waitedUntil(run, c, from) : 0;
  }
  return sums;
}

/** What is so at tick t. `queue` gets the headers that wait for each channel, `busy` 1 where a message holds it. */
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

/** Who had channel c within [from, to), in order of time: hops, each with its part of the stretch. */
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
    // A chain longer than there are messages is a circle: for a while headers can wait for each other's tails, and no
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
  const roots = Array.from(ticks, ([key, n]) => ({
    message: Math.floor(key / channels),
    channel: key % channels,
    ticks: n,
  }));
  roots.sort((a, b) => b.ticks - a.ticks || a.message - b.message || a.channel - b.channel);
  return { roots, rest };
}

/** Puts the holder's own waits within [low, high) on the stack; returns the ticks of it at which it did not wait. */
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

/** What a node did: [{kind, from, to, message}] in order of time; empty intervals left out. */
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

function membersOf(groups, key) {
  return groups.order.subarray(groups.starts[key], groups.starts[key + 1]);
}

/** The mean number of open intervals [begin, end) in each of `bins` equal parts of [0, length). */
class Profile {
  constructor(bins, length) {
    this.width = Math.max(length, 1) / bins;
    this.parts = new Float64Array(bins + 1);
    this.whole = new Float64Array(bins + 2);
  }

  add(begin, end) {
    const { width, parts, whole } = this;
    const bins = parts.length - 1;
    const first = Math.min(bins, Math.floor(begin / width));
    const last = Math.min(bins, Math.floor(end / width));
    if (first === last) {
      parts[first] += end - begin;
      return;
    }
    parts[first] += (first + 1) * width - begin;
    parts[last] += end - last * width;
    whole[first + 1]++;
    whole[last]--;
  }

  means() {
    let open = 0;
    return Float64Array.from(this.parts.subarray(0, this.parts.length - 1), (part, bin) => {
      open += this.whole[bin];
      return open + part / this.width;
    });
  }
}

/** Messages in flight and blocked headers over time. */
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

/** Held and waited ticks of every channel before each edge between bins; nothing else is known of such a run. */
function decodeBins(replay, blobs) {
  return {
    replay,
    binned: true,
    count: 0,
    edges: Float64Array.from({ length: replay.bins + 1 }, (_, b) => Math.floor((b * replay.completion) / replay.bins)),
    held: binSums(replay, new Numbers(blobs.held)),
    waited: binSums(replay, new Numbers(blobs.waited)),
  };
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
function nearestEdge(run, t) {
  const above = Math.min(run.edges.length - 1, firstNotBelow(run.edges, 0, run.edges.length, t));
  return above > 0 && t - run.edges[above - 1] < run.edges[above] - t ? above - 1 : above;
}

/** As `windowSums`, for the whole bins nearest to [from, to). */
function binnedSums(run, from, to, sums) {
  const width = run.edges.length;
  const low = nearestEdge(run, from);
  const high = nearestEdge(run, to);
  for (let c = 0; c < sums.held.length; c++) {
    sums.held[c] = Math.max(0, run.held[c * width + high] - run.held[c * width + low]);
    sums.waited[c] = Math.max(0, run.waited[c * width + high] - run.waited[c * width + low]);
  }
  return sums;
}

/** Channels held and headers blocked, means of each bin. */
function profileBins(run) {
  const bins = run.edges.length - 1;
  const means = (sums) => Float64Array.from({ length: bins }, (_, b) => {
    let ticks = 0;
    for (let at = b; at < sums.length; at += bins + 1) ticks += sums[at + 1] - sums[at];
    return ticks / Math.max(1, run.edges[b + 1] - run.edges[b]);
  });
  return { up: means(run.held), down: means(run.waited) };
}

// ---------------------------------------------------------------- tables of links

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
function stepOf(share) {
  return Math.max(0, Math.min(STEPS - 1, Math.floor(STEPS * Math.sqrt(share))));
}

/** The shares at which steps begin, and 1. */
function stepBounds() {
  return Array.from({ length: STEPS + 1 }, (_, s) => (s / STEPS) ** 2);
}

/** A mean queue of 4 headers is as dark as it gets. */
const FULL_QUEUE = 4;

// ---------------------------------------------------------------- words and numbers

/** 1234567 -> "1,234,567"; what follows a point stays. */
function grouped(value) {
  const [whole, part] = String(value).split(".");
  const spaced = whole.replace(/\B(?=(\d{3})+(?!\d))/g, ",");
  return part === undefined ? spaced : `${spaced}.${part}`;
}

const percent = (share) => `${(100 * share).toFixed(1)} %`;

/** "(0,1)->(0,2) vc 1" -> "(0,1) → (0,2) vc 1" */
function channelLabel(name) {
  return name.replace("->", " → ");
}

/** "measured_ci95" -> "measured ± 95 %"; of "workload.multicast.flits" only "flits". */
function columnLabel(name) {
  const last = name.slice(name.lastIndexOf(".") + 1);
  return last.replace(/_mean$/, " (mean)").replace(/_ci95$/, " ± 95 %").replace(/_/g, " ");
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

/** Indices of `values` in order; stable, numbers as numbers, empty ones last in both directions. */
function sortedRows(rows, values, asNumbers, descending) {
  const filled = rows.filter((row) => values[row] !== "");
  const empty = rows.filter((row) => values[row] === "");
  const sign = descending ? -1 : 1;
  const compare = (a, b) => (asNumbers ? Number(a) - Number(b) : a < b ? -1 : a > b ? 1 : 0);
  filled.sort((a, b) => sign * compare(values[a], values[b]));
  return filled.concat(empty);
}

// ---------------------------------------------------------------- where things lie

/**
 * The picture of a network: vertices at (x, y) in grid units, links from vertex to vertex with all their channels, and
 * what is in a vertex, in two halves. `linkOf[channel]` is -1 for channels that are no link here.
 */
function geometryOf(channels, layout, nodes) {
  const routers = layout.routers || { x: [], y: [], names: [] };
  const geometry = {
    nodes,
    x: Float64Array.from([...layout.x, ...routers.x]),
    y: Float64Array.from([...layout.y, ...routers.y]),
    names: [...(layout.names || layout.x.map((_, v) => String(v))), ...routers.names],
    levels: routers.x.length > 0,
    around: /torus|ring/.test(layout.kind),
    slices: layout.slices || null,
    cells: 1,
  };
  const vertices = geometry.x.length;
  const known = (v) => v >= 0 && v < vertices;
  const left = [];
  const right = [];
  const pairs = [];
  for (let c = 0; c < channels.length; c++) {
    const { kind, from, to } = channels[c];
    if (from !== to && known(from) && known(to)) pairs.push({ channel: c, from, to });
    else if (kind === "injection") left.push({ channel: c, key: from });
    else right.push({ channel: c, key: to });
  }
  geometry.left = listsOf(left, vertices);
  geometry.right = listsOf(right, vertices);
  joinLinks(geometry, pairs, channels.length);
  geometry.longest = geometry.names.slice(0, nodes).reduce((most, name) => Math.max(most, name.length), 1);
  geometry.shape = shapesOf(geometry);
  geometry.bounds = boundsOf(geometry);
  return geometry;
}

function boundsOf(geometry) {
  const bounds = { left: Infinity, right: -Infinity, top: Infinity, bottom: -Infinity };
  for (let v = 0; v < geometry.x.length; v++) {
    bounds.left = Math.min(bounds.left, geometry.x[v]);
    bounds.right = Math.max(bounds.right, geometry.x[v]);
    bounds.top = Math.min(bounds.top, geometry.y[v]);
    bounds.bottom = Math.max(bounds.bottom, geometry.y[v]);
  }
  return bounds;
}

/** Channels by key: those of key k are list[starts[k]] .. list[starts[k + 1]]. */
function listsOf(entries, keys) {
  const inside = entries.filter((e) => e.key >= 0 && e.key < keys);
  const { starts, order } = groupBy(upTo(inside.length), keys, (i) => inside[i].key);
  return { starts, list: Uint32Array.from(order, (i) => inside[i].channel) };
}

/** Channels between the same two vertices (virtual ones, parallel cables) are one link of the picture. */
function joinLinks(geometry, pairs, channels) {
  const numbers = new Map();
  const from = [];
  const to = [];
  const entries = pairs.map((pair) => {
    const key = pair.from * geometry.x.length + pair.to;
    if (!numbers.has(key)) {
      numbers.set(key, from.length);
      from.push(pair.from);
      to.push(pair.to);
    }
    return { channel: pair.channel, key: numbers.get(key) };
  });
  geometry.links = from.length;
  geometry.from = Uint32Array.from(from);
  geometry.to = Uint32Array.from(to);
  geometry.members = listsOf(entries, from.length);
  geometry.linkOf = new Int32Array(channels).fill(-1);
  for (const entry of entries) geometry.linkOf[entry.channel] = entry.key;
}

const STRAIGHT = 0;
const BOWED = 1;
const STUB = 2;

/** How each link is drawn: straight, bowed around what lies between, or as a stub that points to where it goes. */
function shapesOf(geometry) {
  const shape = new Uint8Array(geometry.links);
  const testable = geometry.links * geometry.x.length <= 2e7;
  for (let l = 0; l < geometry.links; l++) {
    const a = geometry.from[l];
    const b = geometry.to[l];
    const far = Math.hypot(geometry.x[a] - geometry.x[b], geometry.y[a] - geometry.y[b]) > 1.5;
    if (betweenSlices(geometry, a, b)) shape[l] = STUB;
    else if (far && geometry.around) shape[l] = STUB;
    else if (far && testable && passesOver(geometry, a, b)) shape[l] = BOWED;
  }
  return shape;
}

const betweenSlices = (geometry, a, b) => geometry.slices !== null && geometry.slices[a] !== geometry.slices[b];

/** Whether a third vertex lies on the straight line from a to b. */
function passesOver(geometry, a, b) {
  const { x, y } = geometry;
  const dx = x[b] - x[a];
  const dy = y[b] - y[a];
  const length = dx * dx + dy * dy;
  for (let v = 0; v < x.length; v++) {
    const along = ((x[v] - x[a]) * dx + (y[v] - y[a]) * dy) / length;
    if (along <= 0.02 || along >= 0.98 || v === a || v === b) continue;
    const beside = Math.abs((x[v] - x[a]) * dy - (y[v] - y[a]) * dx) / Math.sqrt(length);
    if (beside < 0.3) return true;
  }
  return false;
}

/** Squares of `size` x `size` grid units as vertices: links within one are in it, links between two are one. */
function cellsOf(geometry, channels, size) {
  const at = (v) => [Math.floor(geometry.x[v] / size), Math.floor(geometry.y[v] / size)];
  const numbers = new Map();
  const coarse = {
    x: [],
    y: [],
    names: [],
    levels: false,
    around: geometry.around,
    slices: null,
    cells: size,
    cellOf: new Uint32Array(geometry.x.length),
  };
  for (let v = 0; v < geometry.x.length; v++) {
    const [column, row] = at(v);
    const key = `${column} ${row}`;
    if (!numbers.has(key)) {
      numbers.set(key, coarse.x.length);
      coarse.x.push((column + 0.5) * size - 0.5);
      coarse.y.push((row + 0.5) * size - 0.5);
      coarse.names.push(`${geometry.names[v]} and around`);
    }
    coarse.cellOf[v] = numbers.get(key);
  }
  coarse.nodes = coarse.x.length;
  coarse.longest = Infinity;
  const inside = [];
  const pairs = [];
  for (let c = 0; c < channels.length; c++) {
    if (channels[c].from >= geometry.x.length || channels[c].to >= geometry.x.length) continue;
    const from = coarse.cellOf[channels[c].from];
    const to = coarse.cellOf[channels[c].to];
    if (from === to) inside.push({ channel: c, key: from });
    else pairs.push({ channel: c, from, to });
  }
  coarse.left = listsOf(inside, coarse.nodes);
  coarse.right = coarse.left;
  joinLinks(coarse, pairs, channels.length);
  coarse.shape = new Uint8Array(coarse.links);
  for (let l = 0; l < coarse.links; l++) {
    const a = coarse.from[l];
    const b = coarse.to[l];
    const gap = Math.hypot(coarse.x[a] - coarse.x[b], coarse.y[a] - coarse.y[b]);
    if (gap > 1.5 * size) coarse.shape[l] = STUB;
  }
  coarse.bounds = boundsOf(coarse);
  return coarse;
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

/**
 * How a picture fits into `width` pixels: scales, size and origin. Lattices keep their proportions; pictures by levels
 * are stretched so that they are neither a line nor a tower. `zoom`: {scale, x, y}, x and y in pixels from the middle.
 */
function fitPicture(geometry, width, zoom, tallest) {
  const { left, right, top, bottom } = geometry.bounds;
  const margin = geometry.cells * (geometry.shape.some((s) => s !== STRAIGHT) ? 0.75 : 0.55);
  const wide = right - left + 2 * margin;
  const high = bottom - top + 2 * margin;
  let unitX = Math.min(width / wide, 110 / geometry.cells);
  let unitY = Math.min(unitX, tallest / high);
  if (geometry.levels) unitY = Math.min(tallest, Math.max(unitX * high, 0.42 * width)) / high;
  else unitX = unitY;
  const height = Math.max(90, Math.round(unitY * high));
  unitX *= zoom.scale;
  unitY *= zoom.scale;
  return {
    width,
    height,
    unitX,
    unitY,
    unit: Math.min(unitX, unitY),
    left: width / 2 + zoom.x - ((left + right) / 2) * unitX,
    top: height / 2 + zoom.y - ((top + bottom) / 2) * unitY,
  };
}

/** Links in pixels, six numbers each: from, the point that bends it, to. Both directions keep to their right. */
function placeLinks(geometry, fit) {
  const out = new Float32Array(6 * geometry.links);
  const apart = linkGap(geometry, fit);
  const clear = nodeRadius(geometry, fit);
  for (let l = 0; l < geometry.links; l++) {
    const a = geometry.from[l];
    const b = geometry.to[l];
    const x0 = fit.left + geometry.x[a] * fit.unitX;
    const y0 = fit.top + geometry.y[a] * fit.unitY;
    const dx = (geometry.x[b] - geometry.x[a]) * fit.unitX;
    const dy = (geometry.y[b] - geometry.y[a]) * fit.unitY;
    const length = Math.hypot(dx, dy) || 1;
    const ux = dx / length;
    const uy = dy / length;
    let points;
    if (geometry.shape[l] === STUB) points = stubPoints(x0, y0, stubDirection(geometry, a, b), clear, fit, apart);
    else {
      const sx = x0 + ux * clear - uy * apart;
      const sy = y0 + uy * clear + ux * apart;
      const reach = Math.max(1, length - 2 * clear);
      const bend = geometry.shape[l] === BOWED ? fit.unit * Math.min(0.8, 0.25 + (0.09 * length) / fit.unit) : 0;
      const mx = sx + (ux * reach) / 2 - uy * bend;
      const my = sy + (uy * reach) / 2 + ux * bend;
      points = [sx, sy, mx, my, sx + ux * reach, sy + uy * reach];
    }
    out.set(points, 6 * l);
  }
  return out;
}

/**
 * A stub leaves a vertex as if its link went on there: around a torus it points out of the grid, away from its end;
 * to another slice it points aslant, up for the next one and down for the one before.
 */
function stubDirection(geometry, a, b) {
  const dx = geometry.x[b] - geometry.x[a];
  const dy = geometry.y[b] - geometry.y[a];
  if (betweenSlices(geometry, a, b)) {
    const across = Math.abs(dx) >= Math.abs(dy);
    const step = across ? dx : dy;
    const sign = Math.sign(step) * (geometry.around && Math.abs(step) > 1.5 * sliceStride(geometry, across) ? -1 : 1);
    return across ? [0.75 * sign, -0.66 * sign] : [0.75 * sign, 0.66 * sign];
  }
  const length = Math.hypot(dx, dy) || 1;
  return [-dx / length, -dy / length];
}

/** How far slices beside each other (or above) are apart: the shortest of the links between them. */
function sliceStride(geometry, across) {
  if (!geometry.strides) {
    geometry.strides = [Infinity, Infinity];
    for (let l = 0; l < geometry.links; l++) {
      if (!betweenSlices(geometry, geometry.from[l], geometry.to[l])) continue;
      const dx = Math.abs(geometry.x[geometry.from[l]] - geometry.x[geometry.to[l]]);
      const dy = Math.abs(geometry.y[geometry.from[l]] - geometry.y[geometry.to[l]]);
      const axis = dx >= dy ? 0 : 1;
      geometry.strides[axis] = Math.min(geometry.strides[axis], Math.max(dx, dy));
    }
  }
  return geometry.strides[across ? 0 : 1];
}

function stubPoints(x, y, [ux, uy], clear, fit, apart) {
  const reach = clear + 0.3 * fit.unit;
  const sx = x + ux * clear - uy * apart;
  const sy = y + uy * clear + ux * apart;
  const ex = x + ux * reach - uy * apart;
  const ey = y + uy * reach + ux * apart;
  return [sx, sy, (sx + ex) / 2, (sy + ey) / 2, ex, ey];
}

const linkGap = (geometry, fit) => Math.max(0.9, Math.min(4.2, 0.05 * fit.unit * geometry.cells));
const nodeRadius = (geometry, fit) => Math.max(1, Math.min(8, 0.14 * fit.unit * geometry.cells));

/** The point of a placed link at a share of its way. */
function pointAlong(points, l, bowed, share) {
  const [x0, y0, mx, my, x1, y1] = points.subarray(6 * l, 6 * l + 6);
  if (!bowed) return [x0 + share * (x1 - x0), y0 + share * (y1 - y0)];
  const rest = 1 - share;
  return [
    rest * rest * x0 + 2 * share * rest * mx + share * share * x1,
    rest * rest * y0 + 2 * share * rest * my + share * share * y1,
  ];
}

/** The distance of a point from a bent line, by eight straight pieces. */
function distanceTo(points, l, px, py) {
  let best = Infinity;
  let [ax, ay] = pointAlong(points, l, true, 0);
  for (let i = 1; i <= 8; i++) {
    const [bx, by] = pointAlong(points, l, true, i / 8);
    best = Math.min(best, distanceToPiece(ax, ay, bx, by, px, py));
    ax = bx;
    ay = by;
  }
  return best;
}

/** Whether a point is within the box around a bent line, or so near to it. */
function mayBeNear(points, l, px, py, near) {
  const at = 6 * l;
  const left = Math.min(points[at], points[at + 2], points[at + 4]) - near;
  const right = Math.max(points[at], points[at + 2], points[at + 4]) + near;
  const top = Math.min(points[at + 1], points[at + 3], points[at + 5]) - near;
  const bottom = Math.max(points[at + 1], points[at + 3], points[at + 5]) + near;
  return px >= left && px <= right && py >= top && py <= bottom;
}

function distanceToPiece(ax, ay, bx, by, px, py) {
  const dx = bx - ax;
  const dy = by - ay;
  const length = dx * dx + dy * dy;
  const along = length > 0 ? Math.max(0, Math.min(1, ((px - ax) * dx + (py - ay) * dy) / length)) : 0;
  return Math.hypot(px - ax - along * dx, py - ay - along * dy);
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

const numberCell = (text) => make("td", { className: "number" }, text);

/** What the page shows at the moment. */
const app = {
  data: null,
  sides: [],
  focus: 0,
  state: "loading",
  time: 0,
  from: 0,
  to: 0,
  follow: false,
  length: 0,
  colour: "load",
  speed: 1,
  frames: 0,
  message: null,
  channel: null,
  node: 0,
  loading: 0,
  palette: null,
  paletteNumber: 0,
  lanesVisible: true,
  still: null,
};

// ---------------------------------------------------------------- verdict, table, plots

function showTable(summary) {
  const rows = byId("rows");
  const count = summary.columns.length > 0 ? summary.columns[0].values.length : 0;
  for (const column of summary.columns) {
    const button = make("button", { type: "button", title: column.name }, columnLabel(column.name));
    const head = make("th", { scope: "col", data: { column: column.name } }, button);
    head.classList.toggle("number", column.number);
    button.addEventListener("click", () => sortTable(summary, column, head));
    rows.tHead.rows[0].append(head);
  }
  const decimals = summary.columns.map((column) => decimalsOf(column.values));
  for (let row = 0; row < count; row++) {
    const line = make("tr", { data: { row } });
    summary.columns.forEach((column, i) => line.append(valueCell(column, column.values[row], decimals[i])));
    rows.tBodies[0].append(line);
  }
  byId("rows-box").classList.toggle("long", count > 200);
  const rowsTold = `${grouped(count)} ${count === 1 ? "row" : "rows"}`;
  byId("rows-note").textContent = `${rowsTold}. Press a heading to sort by it, again to reverse.`;
}

function valueCell(column, text, decimals) {
  const shown = column.number ? shownNumber(text, decimals) : text;
  const cell = make("td", { data: { column: column.name, value: text } }, shown);
  if (column.number) cell.className = "number";
  if (shown.replace(/,/g, "") !== text) cell.title = text;
  return cell;
}

function sortTable(summary, column, head) {
  const body = byId("rows").tBodies[0];
  const lines = Array.from(body.rows);
  const descending = head.getAttribute("aria-sort") === "ascending";
  const byRow = new Map(lines.map((line) => [Number(line.dataset.row), line]));
  const order = sortedRows(Array.from(byRow.keys()), column.values, column.number, descending);
  body.append(...order.map((row) => byRow.get(row)));
  for (const other of byId("rows").querySelectorAll("th")) other.removeAttribute("aria-sort");
  head.setAttribute("aria-sort", descending ? "descending" : "ascending");
}

const SVG = "http://www.w3.org/2000/svg";
const DRAWN = new Set(
  "svg g line polyline polygon path rect circle ellipse text tspan title desc defs clipPath".split(" "),
);

/** An SVG element from its tree in the data; tags and attributes that could do more than draw are left out. */
function svgOf([tag, attributes, ...children]) {
  const element = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (!/^(on|style$|href$|xlink|xmlns)/i.test(name)) element.setAttribute(name, value);
  }
  for (const child of children) {
    if (typeof child === "string") element.append(child);
    else if (DRAWN.has(child[0])) element.append(svgOf(child));
  }
  return element;
}

function showPlots(plots) {
  const drawn = plots.filter((tree) => tree[0] === "svg");
  byId("curves").hidden = drawn.length === 0;
  for (const tree of drawn) {
    const svg = svgOf(tree);
    const size = ["width", "height"].map((name) => svg.getAttribute(name));
    // Without a viewBox a picture is cut where it cannot have its size.
    if (!svg.hasAttribute("viewBox") && size.every(Boolean)) svg.setAttribute("viewBox", `0 0 ${size.join(" ")}`);
    const box = make("div", { className: "box plot", role: "region", tabIndex: 0 }, svg);
    box.setAttribute("aria-label", `Plot: ${svg.getAttribute("aria-label") || ""}`);
    byId("plots").append(box);
  }
  byId("plots").classList.toggle("single", drawn.length === 1);
}

// ---------------------------------------------------------------- colours

/** Canvases know no classes: their colours are read from the style sheet, for light, dark and print alike. */
function readPalette() {
  const style = getComputedStyle(document.documentElement);
  const colour = (name) => style.getPropertyValue(`--${name}`).trim();
  const named = (names) => Object.fromEntries(names.map((name) => [name, colour(name)]));
  return {
    load: Array.from({ length: STEPS }, (_, s) => colour(`load-${s}`)),
    ...named(["paper", "ink", "muted", "line", "shade", "wait", "chosen", "critical", "send", "receive", "busy"]),
  };
}

/** Sets a canvas to its width on the page at so many CSS pixels of height; returns a context in CSS pixels. */
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
  return context;
}

const FONT = "11px system-ui, sans-serif";

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

// ---------------------------------------------------------------- the picture of a network

/** Above so many vertices in view k x k of them are one square. */
const MOST_VERTICES = 4096;

/** A canvas with the network of `channels` in it. `values`: per channel its share of the scale. */
class Picture {
  constructor(canvas, channels, layout, nodes) {
    this.canvas = canvas;
    this.channels = channels;
    this.whole = geometryOf(channels, layout, nodes);
    this.geometry = this.whole;
    this.zoom = { scale: 1, x: 0, y: 0 };
    this.fit = null;
  }

  /** Takes its place on the page; needed when that, the zoom or the network has changed. */
  place() {
    const width = this.canvas.clientWidth || 600;
    const size = cellSize(this.whole.x.length / this.zoom.scale ** 2, MOST_VERTICES);
    if (size !== this.geometry.cells) {
      this.geometry = size === 1 ? this.whole : cellsOf(this.whole, this.channels, size);
    }
    this.fit = fitPicture(this.geometry, width, this.zoom, Math.min(620, Math.max(320, window.innerHeight * 0.75)));
    this.points = placeLinks(this.geometry, this.fit);
    this.gap = linkGap(this.geometry, this.fit);
    this.radius = nodeRadius(this.geometry, this.fit);
  }

  xOf(v) {
    return this.fit.left + this.geometry.x[v] * this.fit.unitX;
  }

  yOf(v) {
    return this.fit.top + this.geometry.y[v] * this.fit.unitY;
  }

  draw(palette, shares, marks) {
    if (!this.fit) this.place();
    const context = canvasFor(this.canvas, this.fit.width, this.fit.height);
    context.lineCap = "butt";
    this.drawOutlines(context, palette, marks);
    this.drawLinks(context, palette, shares);
    this.drawNodes(context, palette, shares, marks);
    if (marks.busy && this.fit.unit >= 14 && this.geometry.cells === 1) this.drawBusy(context, palette, marks.busy);
    if (marks.queue) this.drawQueues(context, palette, marks.queue);
    this.drawNames(context, palette);
  }

  trace(context, l) {
    const p = this.points;
    const at = 6 * l;
    context.moveTo(p[at], p[at + 1]);
    if (this.geometry.shape[l] === BOWED) context.quadraticCurveTo(p[at + 2], p[at + 3], p[at + 4], p[at + 5]);
    else context.lineTo(p[at + 4], p[at + 5]);
  }

  /** Links of one colour and width are one path: a stroke each costs ten times as much. */
  drawLinks(context, palette, shares) {
    const { links, members } = this.geometry;
    const step = new Uint8Array(links);
    for (let l = 0; l < links; l++) {
      const share = largestOf(members, l, shares);
      step[l] = share > 0 ? stepOf(share) + 1 : 0;
    }
    for (let s = 0; s <= STEPS; s++) {
      context.beginPath();
      for (let l = 0; l < links; l++) if (step[l] === s) this.trace(context, l);
      context.strokeStyle = palette.load[Math.max(0, s - 1)];
      context.lineWidth = s === 0 ? 0.7 : 1 + ((1.7 * this.gap - 1) * s) / STEPS;
      context.stroke();
    }
  }

  /** Behind the links: the path of the chosen message, and the critical links. */
  drawOutlines(context, palette, marks) {
    const outline = (channels, colour, wider, dash) => {
      context.beginPath();
      for (const c of channels || []) if (this.geometry.linkOf[c] >= 0) this.trace(context, this.geometry.linkOf[c]);
      context.strokeStyle = colour;
      context.lineWidth = 2 * this.gap + wider;
      context.setLineDash(dash);
      context.stroke();
      context.setLineDash([]);
    };
    outline(marks.critical, palette.critical, 3, [5, 3]);
    outline(marks.path, palette.chosen, 5, []);
  }

  /** Vertices: nodes are squares, left half injection, right half ejection; switches are rings. */
  drawNodes(context, palette, shares, marks) {
    const { x, left, right, nodes, cells } = this.geometry;
    const outlines = new Path2D();
    const r = this.radius;
    for (let v = 0; v < x.length; v++) {
      const cx = this.xOf(v);
      const cy = this.yOf(v);
      if (cx < -r || cy < -r || cx > this.fit.width + r || cy > this.fit.height + r) continue;
      if (v >= nodes && cells === 1) {
        context.beginPath();
        context.arc(cx, cy, r * 0.8, 0, 2 * Math.PI);
        context.fillStyle = palette.paper;
        context.fill();
        context.strokeStyle = palette.muted;
        context.lineWidth = 1;
        context.stroke();
        continue;
      }
      context.fillStyle = palette.load[stepOf(largestOf(left, v, shares))];
      context.fillRect(cx - r, cy - r, r, 2 * r);
      context.fillStyle = palette.load[stepOf(largestOf(right, v, shares))];
      context.fillRect(cx, cy - r, r, 2 * r);
      if (r >= 3) outlines.rect(cx - r, cy - r, 2 * r, 2 * r);
    }
    context.strokeStyle = palette.line;
    context.lineWidth = 1;
    context.stroke(outlines);
    if (marks.node >= 0 && cells === 1) {
      context.strokeStyle = palette.ink;
      context.lineWidth = 2;
      context.strokeRect(this.xOf(marks.node) - r, this.yOf(marks.node) - r, 2 * r, 2 * r);
    }
  }

  /** An arrow head in every link that a message holds now. */
  drawBusy(context, palette, busy) {
    const { links, members, shape } = this.geometry;
    const p = this.points;
    const size = Math.max(2.2, Math.min(5, this.gap * 1.5));
    context.beginPath();
    for (let l = 0; l < links; l++) {
      if (largestOf(members, l, busy) === 0) continue;
      const at = 6 * l;
      // Past the middle, so that the two directions do not meet.
      const [cx, cy] = pointAlong(p, l, shape[l] === BOWED, 0.62);
      const length = Math.hypot(p[at + 4] - p[at], p[at + 5] - p[at + 1]) || 1;
      const ux = ((p[at + 4] - p[at]) / length) * size;
      const uy = ((p[at + 5] - p[at + 1]) / length) * size;
      context.moveTo(cx + ux, cy + uy);
      context.lineTo(cx - ux - uy * 0.9, cy - uy + ux * 0.9);
      context.lineTo(cx - ux + uy * 0.9, cy - uy - ux * 0.9);
      context.lineTo(cx + ux, cy + uy);
    }
    context.fillStyle = palette.paper;
    context.strokeStyle = palette.ink;
    context.lineWidth = 1;
    context.fill();
    context.stroke();
  }

  /** Squares where headers wait now: at the beginning of the link, or at a corner of the node. */
  drawQueues(context, palette, queue) {
    const { links, members, left, right, x, cells } = this.geometry;
    const p = this.points;
    context.beginPath();
    for (let l = 0; l < links; l++) {
      const waiting = sumOf(members, l, queue);
      if (waiting === 0) continue;
      const [cx, cy] = pointAlong(p, l, this.geometry.shape[l] === BOWED, 0.2);
      this.square(context, cx, cy, 0, waiting);
    }
    for (let v = 0; v < x.length; v++) {
      const sending = sumOf(left, v, queue);
      const leaving = cells > 1 ? 0 : sumOf(right, v, queue);
      if (sending > 0) this.square(context, this.xOf(v) - this.radius, this.yOf(v) - this.radius, -0.5, sending);
      if (leaving > 0) this.square(context, this.xOf(v) + this.radius, this.yOf(v) - this.radius, 0.5, leaving);
    }
    context.fillStyle = palette.wait;
    context.strokeStyle = palette.paper;
    context.lineWidth = 1;
    context.fill();
    context.stroke();
  }

  /** `aside`: 0 around the point, -0.5 and 0.5 up and to the left or right of it, out of the way of links. */
  square(context, x, y, aside, waiting) {
    const unit = this.fit.unit * this.geometry.cells;
    const side = Math.min(Math.max(3, 0.085 * unit) * (1 + 0.45 * Math.log2(waiting)), Math.max(4, 0.3 * unit));
    context.rect(x - side / 2 + aside * side, y - side / 2 - Math.abs(aside) * side, side, side);
  }

  drawNames(context, palette) {
    const { names, nodes, cells, x, levels, longest } = this.geometry;
    if (cells > 1 || longest * 6 + this.radius + 4 > this.fit.unitX || this.fit.unit < 18) return;
    context.font = FONT;
    context.fillStyle = palette.muted;
    for (let v = 0; v < Math.min(nodes, x.length); v++) {
      const beside = levels ? 0 : this.radius + 3;
      const fits = this.xOf(v) + beside + longest * 6.5 < this.fit.width;
      if (!fits && !levels && this.fit.unitX < longest * 15) continue;
      context.textAlign = levels ? "center" : fits ? "left" : "right";
      context.fillText(names[v], this.xOf(v) + (fits ? beside : -beside), this.yOf(v) + this.radius + 12);
    }
  }

  /** What is under a point: {vertex} or {link}; null if nothing is near. */
  at(px, py) {
    const { x, links } = this.geometry;
    for (let v = 0; v < x.length; v++) {
      const away = Math.max(Math.abs(this.xOf(v) - px), Math.abs(this.yOf(v) - py));
      if (away <= Math.max(this.radius, 3)) return { vertex: v };
    }
    let found = null;
    let best = Math.max(7, this.gap * 2);
    for (let l = 0; l < links; l++) {
      if (!mayBeNear(this.points, l, px, py, best)) continue;
      const away = distanceTo(this.points, l, px, py);
      if (away < best) {
        best = away;
        found = { link: l };
      }
    }
    return found;
  }

  setZoom(scale, px, py) {
    const next = Math.max(1, Math.min(64, scale));
    const ratio = next / this.zoom.scale;
    const mx = px - this.fit.width / 2;
    const my = py - this.fit.height / 2;
    this.zoom.x = next === 1 ? 0 : mx - (mx - this.zoom.x) * ratio;
    this.zoom.y = next === 1 ? 0 : my - (my - this.zoom.y) * ratio;
    this.zoom.scale = next;
    this.place();
  }

  move(dx, dy) {
    if (this.zoom.scale === 1) return;
    this.zoom.x += dx;
    this.zoom.y += dy;
    this.place();
  }
}

/** Eight swatches with the shares between them, and what the marks mean. */
function fillLegend(box, title, full, form, marks) {
  const bounds = stepBounds();
  const scale = make("span", { className: "scale" });
  for (let s = 0; s < STEPS; s++) {
    scale.append(make("span", { className: "step" }, make("i", { className: `swatch load-${s}` }),
      make("small", {}, form(bounds[s] * full))));
  }
  scale.append(make("span", { className: "step end" }, make("small", {}, form(full))));
  box.replaceChildren(make("span", { className: "legend-title" }, title), scale);
  for (const [kind, text] of marks) {
    box.append(make("span", { className: "mark" }, make("i", { className: `sign ${kind}` }), text));
  }
}

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
    this.window = "";
    this.critical = new Set(replay.critical.map((step) => step[4]).filter((c) => c !== null));
    this.profile = run.binned ? profileBins(run) : profileRun(run, 512);
    // Text nodes to be changed at every frame: new elements cost a layout.
    this.numbers = [0, 1, 2].map(() => document.createTextNode(""));
    const words = ["in flight", "blocked", "channels held"];
    const told = this.numbers.map((number, i) => make("span", {}, make("b", {}, number), ` ${words[i]}`));
    this.counts.replaceChildren(...(run.binned ? ["What is in flight is not known for this run."] : told));
  }

  /** Sums and colours of the window; while it follows the time, the run that has ended stands. */
  look(from, to, colour) {
    const late = app.follow ? Math.max(0, to - this.replay.completion) : 0;
    const place = (t) => (this.run.binned ? this.run.edges[nearestEdge(this.run, t)] : t);
    this.low = place(Math.max(0, from - late));
    this.high = place(to - late);
    const key = `${this.low} ${this.high} ${colour}`;
    if (key === this.window) return;
    this.window = key;
    const sum = this.run.binned ? binnedSums : windowSums;
    sum(this.run, this.low, this.high, this.sums);
    const by = colour === "load" ? this.sums.held : this.sums.waited;
    this.ticks = Math.max(1, this.high - this.low);
    const full = this.ticks * (colour === "load" ? 1 : FULL_QUEUE);
    for (let c = 0; c < by.length; c++) this.shares[c] = by[c] / full;
  }

  count(t) {
    if (this.run.binned) return;
    const { flight, blocked, held } = countsAt(this.run, Math.min(t, this.replay.completion), this.queue, this.busy);
    this.counts.dataset.flight = flight;
    this.counts.dataset.blocked = blocked;
    this.counts.dataset.held = held;
    [flight, blocked, held].forEach((n, i) => (this.numbers[i].data = grouped(n)));
  }

  draw() {
    const chosen = app.focus === this.number;
    const path = chosen && app.message !== null && !this.run.binned
      ? this.run.channel.subarray(this.run.first[app.message], this.run.first[app.message + 1])
      : null;
    this.picture.draw(app.palette, this.shares, {
      path,
      critical: this.critical,
      node: chosen ? app.node : -1,
      busy: this.run.binned ? null : this.busy,
      queue: this.run.binned ? null : this.queue,
    });
  }

  nodeName(node) {
    return this.picture.whole.names[node] ?? String(node);
  }

  messageName(m) {
    return this.replay.ids ? this.replay.ids[m] : String(m);
  }
}

function replayLabel(replay) {
  const settings = (replay.settings || []).map(([key, value]) => `${columnLabel(key)} ${value}`);
  const length = `${grouped(replay.completion)} ticks`;
  return [replay.algorithm, ...settings, `repetition ${replay.repetition}`, length].join(", ");
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
function breath() {
  return new Promise((done) => setTimeout(done, 0));
}

// ---------------------------------------------------------------- time, window, and what follows from them

const runsShown = () => app.sides.map((side) => side.replay.id).join(" ");

/** The last tick of the runs on show. */
const end = () => Math.max(...app.sides.map((side) => side.replay.completion));

function setState(state) {
  app.state = state;
  const playing = state === "playing";
  byId("replay").dataset.state = state;
  byId("play").textContent = playing ? "Pause" : "Play";
  byId("play").classList.toggle("playing", playing);
}

function seek(t) {
  app.time = Math.max(0, Math.min(end(), t));
  if (app.follow) followTime();
  refresh();
}

function followTime() {
  app.to = Math.floor(app.time);
  app.from = Math.max(0, app.to - app.length);
}

/** A window typed or dragged; the other end gives way if they cross. */
function setWindow(from, to, moved) {
  const length = Math.max(1, app.to - app.from);
  app.from = Math.max(0, Math.min(end(), from));
  app.to = Math.max(0, Math.min(end(), to));
  if (app.from > app.to && moved === "from") app.to = Math.min(end(), app.from + length);
  if (app.from > app.to && moved === "to") app.from = Math.max(0, app.to - length);
  setFollow(false);
  refresh();
}

function setFollow(follow) {
  if (follow && !app.follow) app.length = app.to - app.from;
  app.follow = follow;
  byId("follow").checked = follow;
  if (follow) followTime();
}

let tablesDue = 0;

/** Shows the time and the window that are set: attributes, counts, pictures and, not at every frame, tables. */
function refresh() {
  const playing = app.state === "playing";
  const tick = Math.floor(app.time);
  const shown = playing ? Math.round(app.time * 1000) / 1000 : tick;
  byId("replay").dataset.time = String(shown);
  byId("time").value = tick;
  if (!playing) byId("time").setAttribute("aria-valuetext", `tick ${grouped(tick)}`);
  byId("clock").textContent = `${grouped(tick)} of ${grouped(end())} ticks`;
  for (const side of app.sides) {
    side.look(app.from, app.to, app.colour);
    side.count(tick);
  }
  drawAll();
  if (playing && performance.now() < tablesDue) return;
  tablesDue = performance.now() + 250;
  if (document.activeElement !== byId("window-from")) byId("window-from").value = app.from;
  if (document.activeElement !== byId("window-to")) byId("window-to").value = app.to;
  showLinks();
}

function drawAll() {
  if (app.sides.length === 0) return;
  for (const side of app.sides) side.draw();
  drawBar();
  if (app.state !== "playing" || app.lanesVisible) drawLanes();
  app.frames++;
  byId("replay").dataset.frames = app.frames;
}

/** One frame of the replay; at speed 1 the whole run takes 20 seconds. */
function frame(now, before) {
  if (app.state !== "playing") return;
  const passed = Math.min(0.25, (now - before) / 1000);
  const next = app.time + (passed * app.speed * end()) / 20;
  if (next >= end()) {
    setState("paused");
    seek(end());
    return;
  }
  seek(next);
  requestAnimationFrame((later) => frame(later, now));
}

function play() {
  if (app.sides.length === 0 || app.state === "loading") return;
  if (app.state === "playing") {
    pause();
    return;
  }
  if (app.time >= end()) app.time = 0;
  setState("playing");
  requestAnimationFrame((now) => frame(now, now));
}

function pause() {
  if (app.state !== "playing") return;
  setState("paused");
  seek(Math.floor(app.time));
}

/** A tick back or on, the beginning, the end: stops the replay there. */
function jump(t) {
  if (app.sides.length === 0) return;
  pause();
  seek(t);
}

// ---------------------------------------------------------------- the bar of messages in flight

const BAR_HEIGHT = 84;
const BAR_MIDDLE = 54;

/** Half the thumb of the slider above: both show the same time at the same place. */
const BAR_INSET = 8;

function drawBar() {
  const canvas = byId("bar");
  const width = canvas.clientWidth || 600;
  const profiles = keptDrawing("bar", runsShown(), width, BAR_HEIGHT, (context) => drawProfiles(context, width));
  const context = canvasFor(canvas, width, BAR_HEIGHT);
  const from = barPlace(app.from, width);
  context.fillStyle = app.palette.shade;
  context.fillRect(from, 0, Math.max(1, barPlace(app.to, width) - from), BAR_HEIGHT);
  context.drawImage(profiles, 0, 0, width, BAR_HEIGHT);
  context.fillStyle = app.palette.ink;
  context.fillRect(barPlace(app.time, width) - 1, 0, 2, BAR_HEIGHT);
}

const barPlace = (t, width) => BAR_INSET + (t / Math.max(1, end())) * (width - 2 * BAR_INSET);

/** The first run filled, the second as a line, on the same scales. */
function drawProfiles(context, width) {
  const { palette } = app;
  const most = Math.max(1e-9, ...app.sides.map((side) => largest(side.profile.up)));
  const worst = Math.max(1e-9, ...app.sides.map((side) => largest(side.profile.down)));
  for (const side of app.sides) {
    const reach = barPlace(side.replay.completion, width);
    const filled = side.number === 0;
    context.strokeStyle = palette.ink;
    context.fillStyle = palette.load[4];
    area(context, side.profile.up, reach, -(BAR_MIDDLE - 14) / most, filled);
    context.fillStyle = palette.wait;
    area(context, side.profile.down, reach, (BAR_HEIGHT - BAR_MIDDLE - 2) / worst, filled);
  }
  context.fillStyle = palette.line;
  context.fillRect(0, BAR_MIDDLE, width, 1);
  context.font = FONT;
  context.fillStyle = palette.muted;
  const up = app.sides[0].run.binned ? "channels held" : "in flight";
  context.fillText(`${up}, at most ${grouped(Math.ceil(most))}`, 4, 11);
  context.textAlign = "right";
  context.fillText(`blocked, at most ${grouped(Math.ceil(worst))}`, width - 4, BAR_HEIGHT - 4);
}

const largest = (values) => values.reduce((most, v) => Math.max(most, v), 0);

/** A profile over [0, reach): filled, or as a line. */
function area(context, values, reach, scale, filled) {
  const width = (reach - BAR_INSET) / values.length;
  context.beginPath();
  context.moveTo(BAR_INSET, BAR_MIDDLE);
  values.forEach((v, i) => {
    context.lineTo(BAR_INSET + i * width, BAR_MIDDLE + v * scale);
    context.lineTo(BAR_INSET + (i + 1) * width, BAR_MIDDLE + v * scale);
  });
  context.lineTo(reach, BAR_MIDDLE);
  if (filled) context.fill();
  else context.stroke();
}

function wireBar() {
  const bar = byId("bar");
  const timeAt = (event) => {
    const box = bar.getBoundingClientRect();
    const share = (event.clientX - box.left - BAR_INSET) / (box.width - 2 * BAR_INSET);
    return Math.round(Math.max(0, Math.min(1, share)) * end());
  };
  let pressed = null;
  bar.addEventListener("pointerdown", (event) => {
    if (app.sides.length === 0) return;
    pressed = { x: event.clientX, t: timeAt(event), moved: false };
    bar.setPointerCapture(event.pointerId);
  });
  bar.addEventListener("pointermove", (event) => {
    if (!pressed) return;
    if (Math.abs(event.clientX - pressed.x) > 4) pressed.moved = true;
    const t = timeAt(event);
    if (pressed.moved) setWindow(Math.min(t, pressed.t), Math.max(t, pressed.t));
  });
  bar.addEventListener("pointerup", (event) => {
    if (pressed && !pressed.moved) seek(timeAt(event));
    pressed = null;
  });
}

// ---------------------------------------------------------------- links

/** The run that tables and panels speak of. */
const spokenOf = () => app.sides[app.focus];

const channelName = (of, c) => of.replay.channels[c].name;

function channelButton(of, c) {
  const button = make("button", { type: "button", className: "link" }, channelLabel(channelName(of, c)));
  button.addEventListener("click", () => {
    chooseChannel(c);
    reveal("link-title", button);
  });
  return button;
}

/** Brings a panel into view that a button has filled; the focus goes there too if its button is gone. */
function reveal(title, button) {
  byId(title).scrollIntoView({ block: "nearest" });
  if (!button.isConnected) byId(title).focus({ preventScroll: true });
}

function messageButton(of, m) {
  const button = make("button", { type: "button", className: "link" }, `message ${of.messageName(m)}`);
  button.addEventListener("click", () => {
    chooseMessage(m);
    reveal("message-title", button);
  });
  return button;
}

/** The busiest channels of the window, by what the picture is coloured by. */
function showLinks() {
  const of = spokenOf();
  const { sums, run } = of;
  const key = app.colour === "load" ? "held" : "waited";
  const body = byId("links").tBodies[0];
  const channels = busiest(sums, key, 50);
  const focused = document.activeElement && body.contains(document.activeElement)
    ? document.activeElement.closest("tr").dataset.channel
    : null;
  const lines = channels.map((c) => linkLine(of, c, run.binned ? "" : messagesWithin(run, c, of.low, of.high)));
  body.replaceChildren(...lines);
  const again = lines.find((line) => focused !== null && line.dataset.channel === focused);
  if (again) again.querySelector("button").focus({ preventScroll: true });
  const stretch = `[${grouped(of.low)}, ${grouped(of.high)})`;
  byId("links-note").textContent = channels.length === 0
    ? `No channel is held in ${stretch}.`
    : `By ${app.colour} in ${stretch}, the first ${channels.length}; times in ticks.`;
}

function linkLine(of, c, messages) {
  const held = of.sums.held[c];
  const waited = of.sums.waited[c];
  const data = { channel: channelName(of, c), held, waited, messages };
  const line = make("tr", { data }, make("td", {}, channelButton(of, c)), numberCell(grouped(held)),
    numberCell(percent(held / of.ticks)), numberCell(grouped(waited)), numberCell(grouped(messages)));
  line.classList.toggle("chosen", c === app.channel);
  return line;
}

const MOST_USERS = 500;

function chooseChannel(c) {
  const of = spokenOf();
  app.channel = c;
  const panel = byId("link-panel");
  panel.dataset.channel = channelName(of, c);
  byId("link-title").textContent = `Who had ${channelLabel(channelName(of, c))}`;
  byId("link-box").hidden = Boolean(of.run.binned);
  if (of.run.binned) {
    byId("link-note").textContent = "This run is too large for its messages to be in the page.";
    return;
  }
  const { starts, hop, from, to } = of.run.owners;
  const all = starts[c + 1] - starts[c];
  const lines = [];
  for (let k = starts[c]; k < starts[c] + Math.min(all, MOST_USERS); k++) {
    const m = of.run.message[hop[k]];
    lines.push(make("tr", { data: { message: m, from: from[k], to: to[k] } }, make("td", {}, messageButton(of, m)),
      numberCell(grouped(from[k])), numberCell(grouped(to[k])), numberCell(grouped(to[k] - from[k]))));
  }
  byId("link-users").replaceChildren(...lines);
  const few = all > MOST_USERS ? `, the first ${MOST_USERS} of them` : "";
  byId("link-note").textContent = `${grouped(all)} ${all === 1 ? "message" : "messages"} over the whole run${few}.`;
  for (const line of byId("links").tBodies[0].rows) {
    line.classList.toggle("chosen", line.dataset.channel === panel.dataset.channel);
  }
}

// ---------------------------------------------------------------- messages

function chooseMessage(m) {
  const of = spokenOf();
  const panel = byId("message-panel");
  const known = Number.isInteger(m) && m >= 0 && m < of.run.count;
  app.message = known ? m : null;
  byId("message-body").hidden = !known;
  byId("message-empty").hidden = known;
  if (!known) {
    delete panel.dataset.message;
    byId("message-title").textContent = "Message";
    byId("message-note").textContent = promptFor(of, m);
    drawAll();
    return;
  }
  panel.dataset.message = m;
  byId("message").value = m;
  byId("message-title").textContent = `Message ${of.messageName(m)}`;
  tellMessage(of, m);
  showWaits(of, m);
  showBlame(of, m);
  drawAll();
}

function promptFor({ run }, m) {
  if (run.binned) return "This run is too large for its messages to be in the page.";
  if (!Number.isNaN(m)) return `There is no message ${m}: they are 0 to ${run.count - 1}.`;
  if (byId("worst-part").hidden) return "No message of this run ever waited. Choose one to see its path and times.";
  return "Choose a message to see its path, who blocked it, and where that began.";
}

function tellMessage(of, m) {
  const { run } = of;
  const flits = grouped(run.flits[m]);
  const links = Math.max(0, run.first[m + 1] - run.first[m] - 2);
  byId("message-told").textContent = `${of.nodeName(run.source[m])} → ${of.nodeName(run.target[m])}, ${flits} `
    + `${run.flits[m] === 1 ? "flit" : "flits"} over ${links} ${links === 1 ? "link" : "links"}.`;
  const facts = [
    ["send began", grouped(run.began[m])],
    ["because", causeOf(of, m)],
    ["asked for its port", grouped(asked(run, m))],
    ["injected", grouped(injected(run, m))],
    ["delivered", grouped(delivered(run, m))],
    ["received", grouped(run.received[m])],
    ["blocked", `${grouped(run.blocked[m])} ticks`],
  ];
  const shared = sharedTicks(run, m);
  if (shared > 0) facts.push(["lost to sharing links", `${grouped(shared)} ticks`]);
  facts.push(["path", pathOf(of, m)]);
  const pairs = facts.flatMap(([name, value]) => [make("dt", {}, name), make("dd", {}, value)]);
  byId("message-facts").replaceChildren(...pairs);
}

function causeOf(of, m) {
  const after = of.run.after[m];
  const words = {
    start: () => ["of its start"],
    received: () => [messageButton(of, after), " was received"],
    hold: () => ["its node was done with ", messageButton(of, after)],
    left: () => [messageButton(of, after), " had left"],
    compute: () => ["an operation had finished"],
  }[CAUSES[of.run.cause[m]]];
  return make("span", {}, ...(words ? words() : [""]));
}

/** Header starts after grants, and flits after the header more slowly than over a link of its own. */
function sharedTicks(run, m) {
  if (!run.shared) return 0;
  let ticks = 0;
  for (let h = run.first[m]; h < run.first[m + 1]; h++) ticks += run.shared[h];
  const last = run.first[m + 1] - 1;
  const alone = run.granted[last] + run.shared[last] + run.flits[m] * run.replay.flit_time;
  return ticks + Math.max(0, delivered(run, m) - alone);
}

function pathOf(of, m) {
  const { run } = of;
  const list = make("span", { className: "path" });
  for (let h = run.first[m]; h < run.first[m + 1]; h++) list.append(channelButton(of, run.channel[h]), " ");
  return list;
}

function showWaits(of, m) {
  const { run } = of;
  const lines = waitsOf(run, m).map((h) => {
    const data = { channel: channelName(of, run.channel[h]), from: run.requested[h], to: run.granted[h] };
    const go = make("button", { type: "button", className: "link", title: "Go to this time" }, grouped(data.from));
    go.addEventListener("click", () => jump(data.from));
    return make("tr", { data }, make("td", {}, channelButton(of, run.channel[h])), numberCell(go),
      numberCell(grouped(data.to)), numberCell(grouped(data.to - data.from)));
  });
  byId("waits").replaceChildren(...lines);
  byId("waits-part").hidden = lines.length === 0;
}

const MOST_ROOTS = 100;

function showBlame(of, m) {
  const { run } = of;
  const { blockers, rest } = directBlame(run, m);
  byId("blockers").replaceChildren(...blockers.map((b) => {
    const data = { blocker: b.message, ticks: b.ticks };
    return rankingLine(data, messageButton(of, b.message), "", b.ticks, run.blocked[m]);
  }));
  tellRest("blockers-rest", rest, 0, 0);
  const { roots, rest: unheld } = rootBlame(run, m);
  byId("roots").dataset.count = roots.length;
  byId("roots").replaceChildren(...roots.slice(0, MOST_ROOTS).map((r) => {
    const data = { root: r.message, channel: channelName(of, r.channel), ticks: r.ticks };
    const place = ` on ${channelLabel(data.channel)}`;
    return rankingLine(data, messageButton(of, r.message), place, r.ticks, run.blocked[m]);
  }));
  const others = roots.slice(MOST_ROOTS).reduce((ticks, r) => ticks + r.ticks, 0);
  tellRest("roots-rest", unheld, others, Math.max(0, roots.length - MOST_ROOTS));
}

/** Who, how many ticks, and their share as a bar. */
function rankingLine(data, button, more, ticks, all) {
  const bar = make("i", { className: "share" });
  bar.style.setProperty("--share", all > 0 ? ticks / all : 0);
  return make("li", { data }, bar, make("span", {}, button, more),
    make("span", { className: "number" }, `${grouped(ticks)} ticks`));
}

/** Ticks that no message is named for: of routers with virtual channels, and of roots beyond the list. */
function tellRest(id, unheld, others, count) {
  const words = [];
  if (count > 0) words.push(`${grouped(count)} more: ${grouped(others)} ticks.`);
  if (unheld > 0) words.push(`No message: the router, ${grouped(unheld)} ticks.`);
  byId(id).textContent = words.join(" ");
  byId(id).hidden = words.length === 0;
}

function showWorst(of) {
  const { run } = of;
  const order = Array.from({ length: run.count }, (_, m) => m).filter((m) => run.blocked[m] > 0);
  order.sort((a, b) => run.blocked[b] - run.blocked[a] || a - b);
  const most = order.length > 0 ? run.blocked[order[0]] : 0;
  byId("worst-part").hidden = order.length === 0;
  byId("worst").replaceChildren(...order.slice(0, 8).map((m) => {
    const way = ` ${of.nodeName(run.source[m])} → ${of.nodeName(run.target[m])}`;
    return rankingLine({}, messageButton(of, m), way, run.blocked[m], most);
  }));
  byId("message").max = Math.max(0, run.count - 1);
}

// ---------------------------------------------------------------- lanes of nodes

const LANES_HEIGHT = 420;

function drawLanes() {
  const canvas = byId("lanes");
  const of = spokenOf();
  if (of.run.binned) return;
  const width = canvas.clientWidth || 600;
  const height = lanesHeight(of);
  const key = `${of.replay.id} ${end()}`;
  const stretches = keptDrawing("lanes", key, width, height, (context) => drawStretches(of, context, width, height));
  const context = canvasFor(canvas, width, height);
  const { left, scale } = laneScale(of, width);
  context.drawImage(stretches, 0, 0, width, height);
  const lane = height / of.replay.nodes;
  context.strokeStyle = app.palette.ink;
  context.lineWidth = 1.5;
  context.strokeRect(left - 1, app.node * lane - 0.5, width - left, Math.max(3, lane));
  context.fillStyle = app.palette.ink;
  context.fillRect(left + app.time * scale - 0.75, 0, 1.5, height);
}

function lanesHeight(of) {
  return Math.round(Math.max(60, Math.min(LANES_HEIGHT, of.replay.nodes * 16)));
}

function laneScale(of, width) {
  const left = Math.min(90, 8 + of.picture.whole.longest * 6.5);
  return { left, scale: (width - left - 2) / Math.max(1, end()) };
}

function drawStretches(of, context, width, height) {
  const { run, replay } = of;
  const { left, scale } = laneScale(of, width);
  const lane = height / replay.nodes;
  const half = Math.max(0.5, lane * 0.42);
  const piece = (colour, node, lower, from, to) => {
    if (to <= from) return;
    context.fillStyle = app.palette[colour];
    context.fillRect(left + from * scale, node * lane + (lower ? half : 0), Math.max(0.5, (to - from) * scale), half);
  };
  for (const busy of [true, false]) {
    for (let m = 0; m < run.count; m++) {
      const first = run.first[m];
      const last = run.first[m + 1] - 1;
      if (busy) {
        piece("busy", run.source[m], false, run.granted[first], run.released[first]);
        piece("busy", run.target[m], true, run.granted[last], run.released[last]);
      } else {
        piece("send", run.source[m], false, run.began[m], asked(run, m));
        piece("wait", run.source[m], false, asked(run, m), injected(run, m));
        piece("receive", run.target[m], true, delivered(run, m), run.received[m]);
      }
    }
  }
  context.font = FONT;
  context.textAlign = "right";
  context.textBaseline = "middle";
  context.fillStyle = app.palette.muted;
  const every = Math.ceil(13 / lane);
  for (let v = 0; v < replay.nodes; v += every) {
    context.fillText(of.nodeName(v), left - 5, Math.max(6, v * lane + half));
  }
}

const MOST_LANE_ROWS = 5000;

function chooseNode(node) {
  const of = spokenOf();
  if (!Number.isInteger(node) || node < 0 || node >= of.replay.nodes) return;
  app.node = node;
  byId("lane-node").value = node;
  byId("lane-title").textContent = `Node ${of.nodeName(node)}`;
  if (of.run.binned) return;
  const rows = laneOf(of.run, node);
  byId("lane-rows").replaceChildren(...rows.slice(0, MOST_LANE_ROWS).map((row) => {
    const data = { kind: row.kind, from: row.from, to: row.to, message: row.message };
    return make("tr", { data }, make("td", {}, make("i", { className: `swatch ${row.kind}` }), ` ${row.kind}`),
      numberCell(grouped(row.from)), numberCell(grouped(row.to)), make("td", {}, messageButton(of, row.message)));
  }));
  const few = rows.length > MOST_LANE_ROWS ? `; the first ${grouped(MOST_LANE_ROWS)} are here` : "";
  byId("lane-box").hidden = rows.length === 0;
  byId("lane-note").textContent = rows.length === 0
    ? "It spends no ticks on sending, waiting at its port or receiving."
    : `${grouped(rows.length)} stretches of time${few}.`;
  drawAll();
}

// ---------------------------------------------------------------- the critical path

function showCritical(of) {
  const { replay } = of;
  byId("critical-section").hidden = replay.critical.length === 0 && replay.words.length === 0;
  byId("critical-words").replaceChildren(...replay.words.map((words) => make("p", {}, words)));
  byId("critical").replaceChildren(...replay.critical.map(([kind, from, to, message, channel]) => {
    const data = { kind, from, to, message: message ?? "", channel: channel === null ? "" : channelName(of, channel) };
    const place = channel === null ? "" : channelLabel(data.channel);
    let who = make("span", {}, message === null ? "" : `message ${of.messageName(message)}`);
    if (message !== null && !of.run.binned) who = messageButton(of, message);
    return make("li", { data }, make("span", {}, make("i", { className: `swatch ${kind}` }), ` ${kind}`), who,
      make("span", {}, place), make("span", { className: "number" }, `${grouped(from)} – ${grouped(to)}`),
      make("span", { className: "number" }, grouped(to - from)));
  }));
  showStrip(replay);
}

/** The whole path as one bar, and its kinds with their sums, as they first appear. */
function showStrip(replay) {
  const ticks = new Map();
  const pieces = replay.critical.map(([kind, from, to]) => {
    ticks.set(kind, (ticks.get(kind) || 0) + to - from);
    const piece = make("i", { className: `swatch ${kind}`, title: `${kind} ${grouped(from)} – ${grouped(to)}` });
    piece.style.setProperty("flex-grow", to - from);
    piece.addEventListener("click", () => jump(from));
    return piece;
  });
  byId("strip").replaceChildren(...pieces);
  byId("strip-legend").replaceChildren(...Array.from(ticks, ([kind, n]) => {
    const share = percent(n / Math.max(1, replay.completion));
    return make("span", {}, make("i", { className: `swatch ${kind}` }), ` ${kind} ${share}`);
  }));
}

// ---------------------------------------------------------------- choosing runs

const replayOf = (id) => app.data.replays.find((replay) => String(replay.id) === id);

/** Reads the chosen runs (one or two) and shows them from the beginning, or from where the time is. */
async function loadRuns(fromStart) {
  const turn = ++app.loading;
  setState("loading");
  byId("loading").hidden = false;
  const ids = [byId("which").value, byId("second").value].filter((id) => id !== "");
  const kept = new Map(app.sides.map((s) => [String(s.replay.id), s.run]));
  await breath();
  const runs = [];
  try {
    for (const id of ids) runs.push(kept.get(id) || (await readRun(replayOf(id))));
  } catch (error) {
    showNone(`The data of this run cannot be read: ${error.message}.`);
    return;
  }
  if (turn !== app.loading) return;
  showRuns(ids, runs, fromStart);
}

function showRuns(ids, runs, fromStart) {
  const whole = fromStart || (app.from === 0 && app.to === end());
  byId("loading").hidden = true;
  byId("player").hidden = false;
  byId("picture-2").hidden = ids.length < 2;
  byId("stage").classList.toggle("two", ids.length > 1);
  app.sides = ids.map((id, i) => new Side(replayOf(id), runs[i], i));
  const root = byId("replay").dataset;
  root.replay = ids[0];
  root.second = ids[1] || "";
  root.hops = app.sides[0].replay.hops;
  byId("time").max = end();
  byId("window-from").max = end();
  byId("window-to").max = end();
  if (fromStart) {
    app.time = 0;
    app.follow = false;
    byId("follow").checked = false;
    app.frames = 0;
  }
  if (whole) {
    app.from = 0;
    app.to = end();
    app.length = end();
  }
  app.time = Math.min(app.time, end());
  setState("ready");
  tellNote(app.sides[0].replay.note);
  placeAll();
  showFocus(0);
}

function tellNote(note) {
  byId("replay-note").hidden = !note;
  byId("replay-note").textContent = note || "";
}

/** Tables and panels speak of one of the two runs. */
function showFocus(number) {
  app.focus = number;
  app.channel = null;
  const of = spokenOf();
  for (const [i, shown] of app.sides.entries()) {
    byId(`focus-${i}`).setAttribute("aria-pressed", String(i === number));
    byId(`focus-${i}`).hidden = app.sides.length < 2;
  }
  delete byId("link-panel").dataset.channel;
  byId("link-title").textContent = "Who had it";
  byId("link-note").textContent = "Choose a link, in the picture or in the table.";
  byId("link-box").hidden = true;
  byId("lane-section").hidden = Boolean(of.run.binned);
  byId("message").value = "";
  byId("lane-node").max = of.replay.nodes - 1;
  showLegend();
  byId("hint").hidden = Boolean(of.run.binned);
  showWorst(of);
  showCritical(of);
  refresh();
  chooseMessage(NaN);
  chooseNode(Math.min(app.node, of.replay.nodes - 1));
}

function showLegend() {
  const now = [["wait", "headers wait now"], ["busy", "held now"], ["chosen", "chosen message"]];
  const shown = [...(spokenOf().run.binned ? [] : now), ["critical", "critical path"]];
  for (const { canvas, replay } of app.sides) {
    canvas.setAttribute("aria-label", `The network of ${replayLabel(replay)}, its links coloured by ${app.colour}`);
  }
  if (app.colour === "load") fillLegend(byId("legend"), "Load: held, share of the window", 1, shortPercent, shown);
  else fillLegend(byId("legend"), "Blocking: mean number of headers waiting", FULL_QUEUE, shortNumber, shown);
}

const shortPercent = (share) => `${share > 0 && share < 0.1 ? (100 * share).toFixed(1) : Math.round(100 * share)} %`;
const shortNumber = (value) => String(Math.round(value * 100) / 100);

// ---------------------------------------------------------------- controls

function wire() {
  byId("play").addEventListener("click", play);
  byId("which").addEventListener("change", () => loadRuns(true));
  byId("second").addEventListener("change", () => loadRuns(false));
  byId("speed").addEventListener("change", () => (app.speed = Number(byId("speed").value)));
  byId("time").addEventListener("input", () => seek(Number(byId("time").value)));
  byId("follow").addEventListener("change", () => {
    setFollow(byId("follow").checked);
    refresh();
  });
  byId("whole").addEventListener("click", () => setWindow(0, end()));
  byId("colour").addEventListener("change", () => {
    app.colour = byId("colour").value;
    showLegend();
    refresh();
  });
  onNumber("window-from", (value) => setWindow(value, app.to, "from"));
  onNumber("window-to", (value) => setWindow(app.from, value, "to"));
  onNumber("message", chooseMessage);
  onNumber("lane-node", chooseNode);
  for (const number of [0, 1]) byId(`focus-${number}`).addEventListener("click", () => showFocus(number));
  wireBar();
  wireLanes();
  wireNetwork(byId("network"), 0);
  wireNetwork(byId("network-2"), 1);
  wireZoom();
  wireKeys();
}

/** A number field acts when its value is settled, by leaving it or by Enter. */
function onNumber(id, act) {
  const field = byId(id);
  const settle = () => {
    if (app.sides.length > 0 && field.value !== "") act(Math.round(Number(field.value)));
  };
  field.addEventListener("change", settle);
  field.addEventListener("keydown", (event) => {
    if (event.key === "Enter") settle();
  });
}

function wireLanes() {
  const observer = new IntersectionObserver(([lanes]) => (app.lanesVisible = lanes.isIntersecting));
  observer.observe(byId("lanes"));
  byId("lanes").addEventListener("click", (event) => {
    const box = byId("lanes").getBoundingClientRect();
    const { left, scale } = laneScale(spokenOf(), box.width);
    chooseNode(Math.floor(((event.clientY - box.top) / box.height) * spokenOf().replay.nodes));
    if (event.clientX - box.left >= left) jump(Math.round((event.clientX - box.left - left) / scale));
  });
}

function wireNetwork(canvas, number) {
  let pressed = null;
  const place = (event) => {
    const box = canvas.getBoundingClientRect();
    return { x: event.clientX - box.left, y: event.clientY - box.top };
  };
  canvas.addEventListener("pointerdown", (event) => (pressed = { ...place(event), moved: false }));
  canvas.addEventListener("pointerleave", () => (pressed = null));
  canvas.addEventListener("pointermove", (event) => {
    const shown = app.sides[number];
    const at = place(event);
    if (!shown) return;
    if (pressed && Math.hypot(at.x - pressed.x, at.y - pressed.y) > 4) pressed.moved = true;
    if (pressed && pressed.moved) {
      for (const each of app.sides) each.picture.move(at.x - pressed.x, at.y - pressed.y);
      Object.assign(pressed, at);
      drawAll();
    }
    byId("pointed").textContent = pointedAt(shown, shown.picture.at(at.x, at.y));
  });
  canvas.addEventListener("pointerup", (event) => {
    const shown = app.sides[number];
    const click = pressed && !pressed.moved;
    pressed = null;
    if (!shown || !click) return;
    const at = place(event);
    const found = shown.picture.at(at.x, at.y);
    if (found && app.focus !== number) showFocus(number);
    if (found) choosePicked(shown, found);
  });
  canvas.addEventListener("dblclick", (event) => zoomBy(2, place(event)));
}

/** Of the channels of a link the one with most of what the picture is coloured by. */
function busiestOf(shown, l) {
  const { members } = shown.picture.geometry;
  const channels = Array.from(members.list.subarray(members.starts[l], members.starts[l + 1]));
  return channels.reduce((best, c) => (shown.shares[c] > shown.shares[best] ? c : best));
}

function choosePicked(shown, { link, vertex }) {
  const { picture } = shown;
  if (link !== undefined) chooseChannel(busiestOf(shown, link));
  else if (picture.geometry.cells > 1) zoomBy(2, { x: picture.xOf(vertex), y: picture.yOf(vertex) });
  else if (vertex < shown.replay.nodes) chooseNode(vertex);
}

/** What the pointer is over, in words. */
function pointedAt(shown, found) {
  if (!found) return "";
  if (found.vertex !== undefined) return shown.picture.geometry.names[found.vertex];
  const c = busiestOf(shown, found.link);
  const now = shown.run.binned ? "" : `, ${shown.queue[c]} waiting now`;
  return `${channelLabel(channelName(shown, c))}: held ${percent(shown.sums.held[c] / shown.ticks)}, `
    + `mean queue ${shortNumber(shown.sums.waited[c] / shown.ticks)}${now}`;
}

function wireZoom() {
  byId("zoom-in").addEventListener("click", () => zoomBy(1.6, null));
  byId("zoom-out").addEventListener("click", () => zoomBy(1 / 1.6, null));
  byId("zoom-reset").addEventListener("click", () => zoomBy(0, null));
  const ways = { ArrowLeft: [60, 0], ArrowRight: [-60, 0], ArrowUp: [0, 60], ArrowDown: [0, -60] };
  byId("zoom").addEventListener("keydown", (event) => {
    if (!(event.key in ways)) return;
    event.preventDefault();
    for (const each of app.sides) each.picture.move(...ways[event.key]);
    drawAll();
  });
}

function zoomBy(factor, at) {
  for (const shown of app.sides) {
    const { picture } = shown;
    const centre = at || { x: picture.fit.width / 2, y: picture.fit.height / 2 };
    picture.setZoom(picture.zoom.scale * factor, centre.x, centre.y);
  }
  drawAll();
}

// ---------------------------------------------------------------- keys

function isTyping(element) {
  if (element.matches("textarea, select")) return true;
  return element.matches("input") && !["range", "checkbox"].includes(element.type);
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
    m: () => {
      byId("message").focus();
      byId("message").select();
    },
    "?": () => (help.open ? help.close() : help.showModal()),
  };
  document.addEventListener("keydown", (event) => {
    if (app.sides.length === 0 || event.ctrlKey || event.altKey || event.metaKey) return;
    if (isTyping(event.target) || (help.open && event.key !== "?")) return;
    // Space already presses what has the focus.
    if (event.key === " " && event.target.matches("button, input, summary, a")) return;
    const action = actions[event.key];
    if (!action) return;
    event.preventDefault();
    action();
  });
}

// ---------------------------------------------------------------- the beginning

function placeAll() {
  for (const shown of app.sides) shown.picture.place();
}

/** After a change of size, of light and dark, or of paper. */
function redraw() {
  app.palette = readPalette();
  app.paletteNumber++;
  placeAll();
  drawAll();
  if (app.still) drawStill();
}

function wireMedia() {
  let due = 0;
  window.addEventListener("resize", () => {
    cancelAnimationFrame(due);
    due = requestAnimationFrame(redraw);
  });
  for (const query of ["(prefers-color-scheme: dark)", "print"]) matchMedia(query).addEventListener("change", redraw);
  window.addEventListener("beforeprint", redraw);
  window.addEventListener("afterprint", redraw);
}

function showNone(why) {
  app.sides = [];
  setState("none");
  byId("loading").hidden = true;
  byId("player").hidden = true;
  tellNote(why);
}

/** A network coloured by load, without a replay: open-loop traffic. */
function showStill(still) {
  byId("still").hidden = false;
  const picture = new Picture(byId("still-network"), still.channels, still.layout, still.nodes);
  app.still = { picture, load: still.load };
  fillLegend(byId("still-legend"), "Load: share of the time", 1, shortPercent, []);
  const order = still.load.map((_, c) => c).filter((c) => still.load[c] !== null);
  order.sort((a, b) => still.load[b] - still.load[a] || a - b);
  byId("still-links").tBodies[0].append(...order.slice(0, 50).map((c) => {
    const data = { channel: still.channels[c].name, load: still.load[c] };
    return make("tr", { data }, make("td", {}, channelLabel(data.channel)), numberCell(percent(still.load[c])));
  }));
  byId("replay-title").textContent = "Network";
  byId("replay-note").textContent += ` ${still.note || ""}`;
  drawStill();
}

function drawStill() {
  const { picture, load } = app.still;
  picture.place();
  picture.draw(app.palette, Float64Array.from(load, (share) => share || 0), {});
}

function offerRuns(replays) {
  const option = (replay) => make("option", { value: String(replay.id) }, `${replayLabel(replay)}`);
  byId("which").append(...replays.map(option));
  byId("second").append(make("option", { value: "" }, "none"), ...replays.map(option));
  byId("second-label").hidden = replays.length < 2;
}

async function start() {
  const data = JSON.parse(byId("flitwise-data").textContent);
  app.data = data;
  for (const replay of data.replays) {
    replay.critical = replay.critical || [];
    replay.words = replay.words || [];
  }
  byId("scenario").textContent = data.scenario;
  byId("verdict").textContent = data.verdict;
  showTable(data.summary);
  showPlots(data.plots);
  app.palette = readPalette();
  wireMedia();
  if (data.replays.length === 0) {
    showNone(data.why || "There is no run to replay.");
    if (data.still) showStill(data.still);
    return;
  }
  if (typeof DecompressionStream === "undefined") {
    showNone("This browser is too old to read the runs: it takes Chromium 103, Firefox 113 or Safari 16.4, or newer.");
    return;
  }
  offerRuns(data.replays);
  wire();
  await loadRuns(true);
}

if (typeof module !== "undefined") {
  module.exports = {
    binnedSums, busiest, cellSize, cellsOf, channelLabel, columnLabel, countsAt, decimalsOf, decodeBins, decodeRun,
    directBlame, distanceTo, firstAbove, firstNotBelow, fitPicture, geometryOf, grouped, holders, indexRun, laneOf,
    messagesWithin, Numbers, percent, placeLinks, Profile, profileRun, rootBlame, shownNumber, sortByTime, sortedRows,
    stepOf, unzigzag, upTo, waitsOf, windowSums,
  };
}
if (typeof document !== "undefined") start();
