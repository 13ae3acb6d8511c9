//! What a collective operation starts from and must end with.

/// A collective operation among `P` ranks with a vector each.
///
/// A rank holds at each position of the vector a set of *contributions*: the ranks whose values are combined there. Rank
/// `r` is responsible for its *share*, piece `r` of the vector cut into `P` pieces.
///
/// | operation | rank `r` holds before | must hold after |
/// |---|---|---|
/// | broadcast | root: {root} | all: {root} |
/// | scatter | root: {root} | {root} on its share |
/// | gather | {r} on its share | root: {b} on the share of every rank b |
/// | allgather | {r} on its share | all: {b} on the share of every rank b |
/// | reduce | {r} | root: {0..P-1} |
/// | reduce-scatter | {r} | {0..P-1} on its share |
/// | allreduce | {r} | all: {0..P-1} |
/// | barrier | has heard of {r} | has heard of {0..P-1} |
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Operation {
    /// The root's vector to all.
    Broadcast,
    /// The vectors of all combined at the root.
    Reduce,
    /// A share of the root's vector to each.
    Scatter,
    /// A share of each to the root.
    Gather,
    /// A share of each to all.
    Allgather,
    /// The vectors of all combined, a share of the result to each.
    ReduceScatter,
    /// The vectors of all combined, the result to all.
    Allreduce,
    /// No rank goes on before all have come.
    Barrier,
}

/// What a rank holds, or must hold, at a position of the vector.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Holding {
    /// Nothing, or whatever it may be.
    Nothing,
    /// The contribution of one rank.
    One(usize),
    /// The contributions of all ranks.
    All,
}

impl Operation {
    /// All, by name.
    pub const ALL: [(&'static str, Self); 8] = [
        ("broadcast", Self::Broadcast),
        ("reduce", Self::Reduce),
        ("scatter", Self::Scatter),
        ("gather", Self::Gather),
        ("allgather", Self::Allgather),
        ("reduce-scatter", Self::ReduceScatter),
        ("allreduce", Self::Allreduce),
        ("barrier", Self::Barrier),
    ];

    /// Its name.
    pub fn name(self) -> &'static str {
        Self::ALL[self as usize].0
    }

    /// The holdings that it ends with, as a clause.
    pub(crate) fn postcondition(self) -> &'static str {
        match self {
            Self::Broadcast => "every rank ends with the vector of the root",
            Self::Reduce => "the root ends with the vectors of all ranks combined",
            Self::Scatter => "every rank ends with its share of the vector of the root",
            Self::Gather => "the root ends with the share of every rank",
            Self::Allgather => "every rank ends with the share of every rank",
            Self::ReduceScatter => "every rank ends with its share of the vectors of all ranks combined",
            Self::Allreduce => "every rank ends with the vectors of all ranks combined",
            Self::Barrier => "every rank leaves after it has received the signals of all ranks",
        }
    }

    /// Whether one rank is the root.
    pub fn has_root(self) -> bool {
        matches!(self, Self::Broadcast | Self::Reduce | Self::Scatter | Self::Gather)
    }

    /// Whether each rank is responsible for a share of the vector.
    pub fn has_shares(self) -> bool {
        matches!(self, Self::Scatter | Self::Gather | Self::Allgather | Self::ReduceScatter)
    }

    /// Whether contributions of several ranks are combined.
    pub fn combines(self) -> bool {
        matches!(self, Self::Reduce | Self::ReduceScatter | Self::Allreduce)
    }

    /// What `rank` holds before, at a position of the share of rank `share`.
    pub fn before(self, rank: usize, share: usize, root: usize) -> Holding {
        let holds = match self {
            Self::Broadcast | Self::Scatter => rank == root,
            Self::Gather | Self::Allgather => rank == share,
            Self::Reduce | Self::ReduceScatter | Self::Allreduce | Self::Barrier => true,
        };
        if holds { Holding::One(rank) } else { Holding::Nothing }
    }

    /// What `rank` must hold after, at a position of the share of rank `share`.
    pub fn after(self, rank: usize, share: usize, root: usize) -> Holding {
        match self {
            Self::Broadcast => Holding::One(root),
            Self::Scatter if rank == share => Holding::One(root),
            Self::Gather if rank == root => Holding::One(share),
            Self::Allgather => Holding::One(share),
            Self::Reduce if rank == root => Holding::All,
            Self::ReduceScatter if rank == share => Holding::All,
            Self::Allreduce | Self::Barrier => Holding::All,
            Self::Scatter | Self::Gather | Self::Reduce | Self::ReduceScatter => Holding::Nothing,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_stand_in_the_order_of_the_operations() {
        for (name, operation) in Operation::ALL {
            assert_eq!(operation.name(), name);
        }
    }
}
