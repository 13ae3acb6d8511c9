//! The operations of a training step.

use super::{Order, Reduction, Training};
use crate::schedule::collective::Operation as Task;
use crate::schedule::goal::{Goal, GoalBuilder, Operation};
use crate::units::Key;
use crate::workload::application::groups::{
    ALLGATHER, ALLREDUCE, Call, Collectives, FIRST_TAG, Member, REDUCE_SCATTER, rank,
};

/// The coordinates of a rank in tensor, data and pipeline parallelism.
type Coordinates = [u64; 3];

const TENSOR: usize = 0;
const DATA: usize = 1;
const PIPELINE: usize = 2;

/// Ranks that share a collective, and the place of a rank among them.
struct Group {
    ranks: Vec<u32>,
    index: usize,
}

/// A pass of a microbatch through a stage.
#[derive(Clone, Copy)]
enum Pass {
    Forward(u64),
    Backward(u64),
}

impl Training {
    /// The ticks of the attention and of the perceptron of a layer.
    fn times(&self) -> [u128; 2] {
        let [tokens, sequence, hidden] =
            [self.microbatch * self.model.sequence, self.model.sequence, self.model.hidden].map(u128::from);
        let experts = if self.model.experts > 0 { self.model.top_k } else { 1 };
        let rate = u128::from(self.degrees[TENSOR]) * u128::from(self.flops_per_tick);
        let attention = 8 * tokens * hidden * hidden + 4 * tokens * sequence * hidden;
        [attention / rate, (16 * tokens * hidden * hidden).saturating_mul(experts.into()) / rate]
    }

    /// The bytes of an activation.
    fn activation(&self) -> u128 {
        [self.microbatch, self.model.sequence, self.model.hidden, self.model.element_bytes]
            .into_iter()
            .map(u128::from)
            .product()
    }

    /// The bytes of the gradients of `layers` layers: those of all ranks, and those of experts.
    fn gradients(&self, layers: u64) -> [u128; 2] {
        let [hidden, tensor, layers, bytes] =
            [self.model.hidden, self.degrees[TENSOR], layers, self.model.gradient_bytes].map(u128::from);
        let factor = if self.model.experts > 0 { 4 } else { 12 };
        let of_expert = 8 * hidden * hidden * u128::from(self.model.experts / self.expert) / tensor;
        [hidden * hidden * factor / tensor * layers * bytes, of_expert * layers * bytes]
    }

    /// The largest number of bytes or ticks of an operation.
    pub(super) fn largest(&self) -> u128 {
        let activation = self.activation().saturating_mul(self.model.top_k.into());
        let all = self.times().into_iter().chain(self.gradients(self.model.layers)).chain([activation]);
        2 * all.max().unwrap_or(0)
    }

    /// The distances of ranks that differ by one in tensor, data and pipeline parallelism.
    fn strides(&self) -> [u64; 3] {
        let mut strides = [1; 3];
        let mut stride = 1;
        for dimension in self.order {
            strides[dimension] = stride;
            stride *= self.degrees[dimension];
        }
        strides
    }

    /// The rank at a place.
    fn rank(&self, place: Coordinates) -> u32 {
        rank(place.iter().zip(self.strides()).map(|(at, stride)| at * stride).sum::<u64>())
    }

    /// The ranks that differ from `place` in `dimension` alone, where `member` says that they take part.
    fn group(&self, place: Coordinates, dimension: usize, member: impl Fn(u64) -> bool) -> Group {
        let members: Vec<u64> = (0..self.degrees[dimension]).filter(|&at| member(at)).collect();
        let index = members.iter().position(|&at| at == place[dimension]).unwrap_or(0);
        let ranks = members.into_iter().map(|at| {
            let mut other = place;
            other[dimension] = at;
            self.rank(other)
        });
        Group { ranks: ranks.collect(), index }
    }

    /// The operations.
    pub(super) fn goal(&self) -> Goal {
        let mut collectives = Collectives::new(&self.algorithms, &self.node, self.flit_bytes);
        let mut goal = GoalBuilder::default();
        let strides = self.strides();
        for number in 0..self.degrees.iter().product::<u64>() {
            goal.next_rank();
            let coordinates = [0, 1, 2].map(|dimension| number / strides[dimension] % self.degrees[dimension]);
            let (expert, data) = (self.expert, coordinates[DATA]);
            let mut work = Work {
                training: self,
                place: coordinates,
                tensor: self.group(coordinates, TENSOR, |_| true),
                data: self.group(coordinates, DATA, |_| true),
                experts: self.group(coordinates, DATA, |at| at / expert == data / expert),
                replicas: self.group(coordinates, DATA, |at| at % expert == data % expert),
                collectives: &mut collectives,
                goal: &mut goal,
                tag: FIRST_TAG,
                after: Vec::new(),
                reduced: Vec::new(),
            };
            work.all();
        }
        goal.finish()
    }

    /// The passes of stage `stage` in order.
    fn passes(&self, stage: u64) -> Vec<Pass> {
        let all = self.microbatches;
        match self.schedule {
            Order::ForwardFirst => (0..all).map(Pass::Forward).chain((0..all).rev().map(Pass::Backward)).collect(),
            Order::Alternating => {
                let ahead = (self.degrees[PIPELINE] - 1 - stage).min(all);
                let first = (0..ahead).map(Pass::Forward);
                let pairs = (ahead..all).flat_map(|next| [Pass::Forward(next), Pass::Backward(next - ahead)]);
                first.chain(pairs).chain((all - ahead..all).map(Pass::Backward)).collect()
            }
        }
    }
}

/// The work of a rank.
struct Work<'a, 'c> {
    training: &'a Training,
    place: Coordinates,
    tensor: Group,
    data: Group,
    /// The ranks among which experts are distributed.
    experts: Group,
    /// The ranks that have the same experts.
    replicas: Group,
    collectives: &'a mut Collectives<'c>,
    goal: &'a mut GoalBuilder,
    /// The next tag of a collective, the same for all ranks of a stage.
    tag: u64,
    /// The operations that the next step requires.
    after: Vec<u32>,
    /// The operations that the next reduction of gradients on processor 1 requires.
    reduced: Vec<u32>,
}

impl Work<'_, '_> {
    fn all(&mut self) {
        let passes = self.training.passes(self.place[PIPELINE]);
        let layers = self.training.model.layers / self.training.degrees[PIPELINE];
        for (at, &pass) in passes.iter().enumerate() {
            let is_last = at + 1 == passes.len();
            match pass {
                Pass::Forward(microbatch) => self.forward(microbatch, layers),
                Pass::Backward(microbatch) => self.backward(microbatch, layers, is_last && self.training.overlap),
            }
        }
        if !self.training.overlap {
            self.after = self.reduce_gradients(layers, 0, self.after.clone());
        }
    }

    fn forward(&mut self, microbatch: u64, layers: u64) {
        let [attention, perceptron] = self.training.times();
        let stage = self.place[PIPELINE];
        self.receive(stage.checked_sub(1), 2 * microbatch);
        for _ in 0..layers {
            self.compute(attention);
            self.reduce_activation();
            self.exchange_tokens();
            self.compute(perceptron);
            self.exchange_tokens();
            self.reduce_activation();
        }
        self.send(Some(stage + 1), 2 * microbatch);
    }

    fn backward(&mut self, microbatch: u64, layers: u64, reduces: bool) {
        let [attention, perceptron] = self.training.times();
        let stage = self.place[PIPELINE];
        self.receive(Some(stage + 1), 2 * microbatch + 1);
        for _ in 0..layers {
            self.exchange_tokens();
            self.compute(2 * perceptron);
            self.exchange_tokens();
            self.reduce_activation();
            self.compute(2 * attention);
            self.reduce_activation();
            if reduces {
                let after = self.after.iter().chain(&self.reduced).copied().collect();
                self.reduced = self.reduce_gradients(1, 1, after);
            }
        }
        self.send(stage.checked_sub(1), 2 * microbatch + 1);
    }

    /// The rank of the same place in `stage`, if there is such a stage.
    fn neighbour(&self, stage: Option<u64>) -> Option<u32> {
        let stage = stage.filter(|&stage| stage < self.training.degrees[PIPELINE])?;
        let mut neighbour = self.place;
        neighbour[PIPELINE] = stage;
        Some(self.training.rank(neighbour))
    }

    /// Posts the receive of an activation from `stage`, which the next step requires.
    fn receive(&mut self, stage: Option<u64>, tag: u64) {
        if let Some(from) = self.neighbour(stage) {
            let id = self.goal.push(Operation::receive(bytes(self.training.activation()), from, tag));
            self.after.push(id);
        }
    }

    /// Sends an activation to `stage`. No step requires that.
    fn send(&mut self, stage: Option<u64>, tag: u64) {
        if let Some(to) = self.neighbour(stage) {
            let id = self.goal.push(Operation::send(bytes(self.training.activation()), to, tag));
            self.after.iter().for_each(|&on| self.goal.requires(id, on));
        }
    }

    fn compute(&mut self, ticks: u128) {
        let id = self.goal.push(Operation::compute(bytes(ticks)));
        self.after.iter().for_each(|&on| self.goal.requires(id, on));
        self.after = vec![id];
    }

    fn reduce_activation(&mut self) {
        let bytes = bytes(self.training.activation());
        let collective = (Task::Allreduce, &ALLREDUCE);
        self.after = collective_of(
            (self.collectives, self.goal, &mut self.tag),
            collective,
            (&self.tensor, bytes),
            0,
            &self.after,
        );
    }

    /// Sends tokens to the ranks of their experts, or back.
    fn exchange_tokens(&mut self) {
        let Training { expert, model, .. } = self.training;
        let (expert, experts, top_k) = (*expert, model.experts, model.top_k);
        if experts == 0 || expert == 1 {
            return;
        }
        let block = bytes(self.training.activation() * u128::from(top_k) / u128::from(expert));
        let member = Member { group: &self.experts.ranks, index: self.experts.index, cpu: 0, after: &self.after };
        let algorithm = self.training.algorithms.all_to_all(block.saturating_mul(expert));
        let tag = self.tag;
        self.tag += 1;
        self.after = member.all_to_all(self.goal, algorithm, tag, |_, _| block);
    }

    /// Reduces the gradients of `layers` layers on processor `cpu`. Returns the operations that the next operations require.
    fn reduce_gradients(&mut self, layers: u64, cpu: u8, mut after: Vec<u32>) -> Vec<u32> {
        const REDUCED: [(Task, &Key); 1] = [(Task::Allreduce, &ALLREDUCE)];
        const SHARDED: [(Task, &Key); 2] = [(Task::ReduceScatter, &REDUCE_SCATTER), (Task::Allgather, &ALLGATHER)];
        let [dense, of_experts] = self.training.gradients(layers).map(bytes);
        let collectives = match self.training.reduction {
            Reduction::Allreduce => &REDUCED[..],
            Reduction::Sharded => &SHARDED,
        };
        for (group, bytes) in [(&self.data, dense), (&self.replicas, of_experts)] {
            if bytes > 0 {
                for &collective in collectives {
                    let target = (&mut *self.collectives, &mut *self.goal, &mut self.tag);
                    after = collective_of(target, collective, (group, bytes), cpu, &after);
                }
            }
        }
        after
    }
}

/// Adds the part of a rank in a collective of `group` on a vector of `bytes` bytes. Returns the operations that the next operations require.
fn collective_of(
    (collectives, goal, tag): (&mut Collectives<'_>, &mut GoalBuilder, &mut u64),
    (task, key): (Task, &Key),
    (group, bytes): (&Group, u64),
    cpu: u8,
    after: &[u32],
) -> Vec<u32> {
    let ranks = group.ranks.len();
    if ranks == 1 {
        return after.to_vec();
    }
    let instance = collectives.instance(Call { task, key, ranks, root: 0, bytes, size: bytes }, tag);
    Member { group: &group.ranks, index: group.index, cpu, after }.add(goal, &instance)
}

/// A number of bytes or ticks, which is below 2^62 as [`Training::largest`] is checked.
fn bytes(number: u128) -> u64 {
    u64::try_from(number).unwrap_or(u64::MAX)
}
