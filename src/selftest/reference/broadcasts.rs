//! Broadcasts over grids word by word from their definitions: every send looked at for every choice.

use crate::topology::CostMatrix;

/// Sends (source, destination) in the order in which they are planned.
pub type Sends = Vec<(u32, u32)>;

/// Who has the message, and when each of those is free to send.
#[derive(Clone, Debug)]
pub struct State<'a> {
    /// What sends cost.
    pub costs: &'a CostMatrix,
    /// Per node when it is free, if it has the message.
    pub free: Vec<Option<u64>>,
}

impl State<'_> {
    /// When a send would end.
    pub fn end(&self, src: usize, dst: usize) -> u128 {
        u128::from(self.free[src].unwrap_or(u64::MAX)) + u128::from(self.costs.row(src)[dst])
    }

    /// What `node` would pay to reach each of those, but itself, that have not the message.
    pub fn ahead(&self, node: usize) -> Vec<u128> {
        let waits = |other: &usize| *other != node && self.free[*other].is_none();
        (0..self.free.len()).filter(waits).map(|other| self.costs.row(node)[other].into()).collect()
    }
}

/// The greedy tree that always takes the send of the least `key`, ties by sender and then by receiver; only such as `may` be.
pub fn greedy(
    costs: &CostMatrix,
    root: usize,
    may: impl Fn(usize, usize) -> bool,
    key: impl Fn(&State<'_>, usize, usize) -> u128,
) -> Sends {
    let nodes = costs.nodes();
    let mut state = State { costs, free: vec![None; nodes] };
    state.free[root] = Some(0);
    let mut sends = Vec::new();
    loop {
        let mut best: Option<(u128, usize, usize)> = None;
        for src in (0..nodes).filter(|&src| state.free[src].is_some()) {
            for dst in (0..nodes).filter(|&dst| state.free[dst].is_none() && may(src, dst)) {
                let send = (key(&state, src, dst), src, dst);
                best = Some(best.map_or(send, |best| best.min(send)));
            }
        }
        let Some((_, src, dst)) = best else { return sends };
        let end = state.free[src].map(|free| free + costs.row(src)[dst]);
        state.free[src] = end;
        state.free[dst] = end;
        sends.push((number(src), number(dst)));
    }
}

fn number(node: usize) -> u32 {
    crate::units::NodeId::new(node).0
}

/// When a send would end.
fn ends(state: &State<'_>, src: usize, dst: usize) -> u128 {
    state.end(src, dst)
}

/// Every send may be.
fn any(_: usize, _: usize) -> bool {
    true
}

/// Fastest edge first: the cheapest send, however busy its sender is.
pub fn fef(costs: &CostMatrix, root: usize) -> Sends {
    greedy(costs, root, any, |state, src, dst| state.costs.row(src)[dst].into())
}

/// Earliest completing edge first: the send that ends first.
pub fn ecef(costs: &CostMatrix, root: usize) -> Sends {
    greedy(costs, root, any, ends)
}

/// The same with the least that the receiver would then pay to go on.
pub fn ecef_ahead_least(costs: &CostMatrix, root: usize) -> Sends {
    greedy(costs, root, any, |state, src, dst| {
        state.end(src, dst) + state.ahead(dst).into_iter().min().unwrap_or_default()
    })
}

/// The same with the mean of what the receiver would then pay, in fractions of the number of those that wait.
pub fn ecef_ahead_mean(costs: &CostMatrix, root: usize) -> Sends {
    greedy(costs, root, any, |state, src, dst| {
        let ahead = state.ahead(dst);
        state.end(src, dst) * (ahead.len() as u128).max(1) + ahead.iter().sum::<u128>()
    })
}

/// Trees of which each is the ECEF tree without the sends of those before, and without those back unless `directed`.
pub fn ttcc(costs: &CostMatrix, root: usize, trees: usize, directed: bool) -> Vec<Sends> {
    let mut planned: Vec<Sends> = Vec::new();
    for _ in 0..trees {
        let may = |src: usize, dst: usize| {
            let is_taken =
                |src: usize, dst: usize| planned.iter().flatten().any(|&send| send == (number(src), number(dst)));
            !is_taken(src, dst) && (directed || !is_taken(dst, src))
        };
        let tree = greedy(costs, root, may, ends);
        planned.push(tree);
    }
    planned
}

/// Fastest node first: of those that wait the one whose `speed` costs least is sent to by the sender that is free first, if all
/// sends of a node cost its speed.
pub fn fnf(root: usize, speed: &[u64]) -> Sends {
    let mut free: Vec<Option<u64>> = vec![None; speed.len()];
    free[root] = Some(0);
    let mut sends = Vec::new();
    while let Some(dst) = (0..speed.len()).filter(|&dst| free[dst].is_none()).min_by_key(|&dst| (speed[dst], dst)) {
        // what a sender is free from after the send
        let ends = (0..speed.len()).filter_map(|src| Some((free[src]? + speed[src], src)));
        let Some((end, src)) = ends.min() else { return sends };
        free[src] = Some(end);
        free[dst] = Some(end);
        sends.push((number(src), number(dst)));
    }
    sends
}

/// Recursive doubling on root, root + 1, .., round to root - 1: in each round all that have the message send.
pub fn binomial(root: usize, nodes: usize) -> Sends {
    let node = |place: usize| number((root + place) % nodes);
    let mut sends = Vec::new();
    let mut holders = 1;
    while holders < nodes {
        for place in 0..holders.min(nodes - holders) {
            sends.push((node(place), node(place + holders)));
        }
        holders *= 2;
    }
    sends
}

/// The root sends to all, by number from its own on or the cheapest first.
pub fn flat(costs: &CostMatrix, root: usize, cheapest_first: bool) -> Sends {
    let nodes = costs.nodes();
    let mut others: Vec<usize> = (1..nodes).map(|place| (root + place) % nodes).collect();
    if cheapest_first {
        others.sort_by_key(|&node| (costs.row(root)[node], node));
    }
    others.into_iter().map(|node| (number(root), number(node))).collect()
}

/// When each node has the message; none of those to which nothing is sent.
pub fn times(costs: &CostMatrix, root: usize, sends: &[(u32, u32)]) -> Vec<Option<u64>> {
    let mut free: Vec<Option<u64>> = vec![None; costs.nodes()];
    free[root] = Some(0);
    let mut received = free.clone();
    for &(src, dst) in sends {
        let end = free[src as usize].map(|free| free + costs.row(src as usize)[dst as usize]);
        free[src as usize] = end;
        free[dst as usize] = end;
        received[dst as usize] = end;
    }
    received
}

/// The least completion of all orders of sends; for a handful of nodes.
pub fn least_completion(costs: &CostMatrix, root: usize) -> u64 {
    let mut free = vec![None; costs.nodes()];
    free[root] = Some(0);
    let mut best = u64::MAX;
    search(costs, &mut free, 0, &mut best);
    best
}

/// Tries all sends that can be next; the last receipt so far is at `now`.
fn search(costs: &CostMatrix, free: &mut Vec<Option<u64>>, now: u64, best: &mut u64) {
    if now >= *best {
        return;
    }
    if free.iter().all(Option::is_some) {
        *best = now;
        return;
    }
    for src in 0..free.len() {
        let Some(from) = free[src] else { continue };
        for dst in 0..free.len() {
            if free[dst].is_none() {
                let end = from + costs.row(src)[dst];
                free[src] = Some(end);
                free[dst] = Some(end);
                search(costs, free, now.max(end), best);
                free[src] = Some(from);
                free[dst] = None;
            }
        }
    }
}

/// The longest of the shortest paths from `root`: paths are made shorter as long as any can be.
pub fn longest_shortest_path(costs: &CostMatrix, root: usize) -> u64 {
    let mut distance = costs.row(root).to_vec();
    loop {
        let mut shorter = false;
        for from in 0..costs.nodes() {
            for to in 0..costs.nodes() {
                let over = distance[from] + costs.row(from)[to];
                shorter |= over < distance[to];
                distance[to] = distance[to].min(over);
            }
        }
        if !shorter {
            return distance.into_iter().max().unwrap_or_default();
        }
    }
}
