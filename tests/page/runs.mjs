// Runs for tests: the blobs of a page from hops, and a small simulator that makes random ones.

/** Unsigned LEB128, from BigInt so that nothing is rounded. */
export function leb128(numbers) {
  const bytes = [];
  for (const number of numbers) {
    let rest = BigInt(number);
    while (rest >= 128n) {
      bytes.push(Number(rest & 127n) | 128);
      rest >>= 7n;
    }
    bytes.push(Number(rest));
  }
  return Uint8Array.from(bytes);
}

export const zigzag = (value) => (value >= 0 ? 2 * value : -2 * value - 1);

/**
 * A replay and its blobs. `messages`: [{hops: [[channel, requested, granted, released]], source, target, flits,
 * received, cause, after, began}], of which only the hops are needed; `step`: flit time plus routing delay.
 */
export function packRun(messages, { channels, nodes = 16, step = 1, requests = false }) {
  const blobs = { messages: [], paths: [], hops: [], causes: [] };
  if (requests) blobs.requests = [];
  let asked = 0;
  let completion = 0;
  messages.forEach((message, m) => {
    const { hops } = message;
    const delivered = hops.at(-1)[3];
    const received = message.received ?? delivered;
    completion = Math.max(completion, received);
    blobs.messages.push(message.source ?? 0, message.target ?? 1, message.flits ?? 1, hops.length);
    blobs.messages.push(zigzag(hops[0][1] - asked), received - delivered);
    asked = hops[0][1];
    let last = 0;
    hops.forEach(([channel, requested, granted, released], h) => {
      blobs.paths.push(zigzag(channel - last));
      last = channel;
      const expected = h > 0 ? hops[h - 1][2] + step : requested;
      if (requests && h > 0) blobs.requests.push(zigzag(requested - expected));
      else if (requested !== expected) throw new Error(`a hop of message ${m} asks at ${requested}, not ${expected}`);
      blobs.hops.push(granted - requested, 0, released - granted);
    });
    const cause = message.cause ?? 0;
    blobs.causes.push(cause);
    if (cause !== 0 && cause !== 4) blobs.causes.push(zigzag(message.after - m));
    blobs.causes.push(hops[0][1] - (message.began ?? hops[0][1]));
  });
  const replay = {
    id: 0,
    completion,
    messages: messages.length,
    hops: messages.reduce((sum, message) => sum + message.hops.length, 0),
    nodes,
    flit_time: step,
    routing_delay: 0,
    channels: Array.from({ length: channels }, (_, c) => ({ name: `c${c}`, kind: "link", from: c, to: c + 1 })),
  };
  return { replay, blobs: Object.fromEntries(Object.entries(blobs).map(([name, numbers]) => [name, leb128(numbers)])) };
}

/** Numbers in [0, 1) that are the same every time. */
export function randomFrom(seed) {
  let state = seed >>> 0;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
}

/**
 * Worms over rising channels (so that they cannot wait in a circle), tick by tick: a header asks a tick after its
 * grant; the earlier request wins, of equals the smaller number; a channel is free `flits` ticks after the grant two
 * hops on.
 */
export function simulate(random, { count, channels, latest, longest }) {
  const worms = Array.from({ length: count }, () => ({
    path: Array.from({ length: channels }, (_, c) => c).filter(() => random() < 0.5),
    flits: 1 + Math.floor(random() * longest),
    asks: Math.floor(random() * latest),
    hops: [],
  }));
  for (const worm of worms) if (worm.path.length === 0) worm.path.push(0);
  const free = new Array(channels).fill(0);
  for (let t = 0; worms.some((worm) => worm.hops.length < worm.path.length); t++) {
    const under = (worm) => worm.hops.length < worm.path.length;
    const asking = worms.map((_, m) => m).filter((m) => under(worms[m]) && worms[m].asks <= t);
    asking.sort((a, b) => worms[a].asks - worms[b].asks || a - b);
    for (const m of asking) {
      const worm = worms[m];
      const channel = worm.path[worm.hops.length];
      if (free[channel] > t) continue;
      free[channel] = Infinity;
      worm.hops.push([channel, worm.asks, t, Infinity]);
      worm.asks = t + 1;
      releaseBehind(worm, t, free);
    }
  }
  return worms.map(({ hops, flits }) => ({ hops, flits, source: 0, target: 1 }));
}

function releaseBehind(worm, t, free) {
  const here = worm.hops.length - 1;
  const done = worm.hops.length === worm.path.length;
  for (let h = 0; h <= here; h++) {
    if (worm.hops[h][3] !== Infinity || (!done && h > here - 2)) continue;
    worm.hops[h][3] = t + worm.flits + (done ? 1 + h - here + 2 : 0);
    if (worm.hops[h][3] <= worm.hops[h][2]) worm.hops[h][3] = worm.hops[h][2] + 1;
    free[worm.hops[h][0]] = worm.hops[h][3];
  }
}
