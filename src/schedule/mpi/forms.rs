//! The simulated calls, and the positions of their fields.

/// A collective operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MpiCollective {
    /// A barrier.
    Barrier,
    /// A broadcast.
    Broadcast,
    /// A reduction to a root.
    Reduce,
    /// A reduction to all.
    Allreduce,
    /// An all-gather.
    Allgather,
    /// An all-to-all.
    Alltoall,
    /// An all-to-all of blocks of different sizes.
    Alltoallv,
}

/// The meaning of a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Form {
    Init,
    Finalize,
    Send,
    Receive,
    Exchange,
    Wait,
    Collective(MpiCollective),
}

/// The positions of count, bytes of an element, peer or root, and tag.
pub(super) type MessageFields = [u8; 4];

/// A call, and the positions of its fields. Field `k` is the text after the `k`-th separator. 0 stands for no field.
#[derive(Clone, Copy, Debug)]
pub(super) struct CallForm {
    pub(super) name: &'static str,
    pub(super) form: Form,
    pub(super) message: MessageFields,
    /// The message that an exchange receives.
    pub(super) received: MessageFields,
    /// The first of the three fields of the communicator: id, rank, size.
    pub(super) communicator: u8,
    /// The address of the request.
    pub(super) request: u8,
    /// The time of the end, the last field that is read.
    pub(super) end: u8,
}

const fn call(name: &'static str, form: Form, message: MessageFields, others: [u8; 3]) -> CallForm {
    let [communicator, request, end] = others;
    CallForm { name, form, message, received: NONE, communicator, request, end }
}

const NONE: MessageFields = [0; 4];
const PLAIN: MessageFields = [3, 5, 7, 8];

use Form::{Collective, Exchange, Finalize, Init, Receive, Send, Wait};
use MpiCollective::{Allgather, Allreduce, Alltoall, Alltoallv, Barrier, Broadcast, Reduce};

/// The simulated calls, frequent ones first. An `Alltoallv` has four more fields for each rank.
pub(super) const CALLS: [CallForm; 18] = [
    call("MPI_Isend", Send, PLAIN, [9, 12, 13]),
    call("MPI_Irecv", Receive, PLAIN, [9, 12, 13]),
    call("MPI_Wait", Wait, NONE, [0, 2, 4]),
    call("MPI_Waitall", Wait, [2, 0, 0, 0], [0, 3, 5]),
    call("MPI_Send", Send, PLAIN, [9, 0, 12]),
    call("MPI_Rsend", Send, PLAIN, [9, 0, 12]),
    call("MPI_Recv", Receive, PLAIN, [9, 0, 13]),
    CallForm { received: [10, 12, 14, 15], ..call("MPI_Sendrecv", Exchange, PLAIN, [16, 0, 20]) },
    call("MPI_Barrier", Collective(Barrier), NONE, [2, 0, 5]),
    call("MPI_Allreduce", Collective(Allreduce), [4, 6, 0, 0], [9, 0, 12]),
    call("MPI_Iallreduce", Collective(Allreduce), [4, 6, 0, 0], [9, 12, 13]),
    call("MPI_Bcast", Collective(Broadcast), [3, 5, 7, 0], [8, 0, 11]),
    call("MPI_Reduce", Collective(Reduce), [4, 6, 9, 0], [10, 0, 13]),
    call("MPI_Allgather", Collective(Allgather), [3, 5, 0, 0], [12, 0, 15]),
    call("MPI_Alltoall", Collective(Alltoall), [3, 5, 0, 0], [12, 0, 15]),
    call("MPI_Alltoallv", Collective(Alltoallv), NONE, [0, 0, 17]),
    call("MPI_Init", Init, NONE, [0, 0, 4]),
    call("MPI_Finalize", Finalize, NONE, [0, 0, 1]),
];

/// Calls that communicate and are not simulated.
pub(super) const NOT_SIMULATED: &str = "MPI_Scan MPI_Exscan MPI_Gather MPI_Gatherv MPI_Scatter MPI_Scatterv MPI_Allgatherv \
     MPI_Alltoallw MPI_Reduce_scatter MPI_Reduce_scatter_block MPI_Ibarrier MPI_Ibcast MPI_Ireduce MPI_Igather MPI_Igatherv \
     MPI_Iscatter MPI_Iscatterv MPI_Iallgather MPI_Iallgatherv MPI_Ialltoall MPI_Ialltoallv MPI_Iscan MPI_Ssend MPI_Bsend \
     MPI_Issend MPI_Ibsend MPI_Irsend MPI_Sendrecv_replace MPI_Start MPI_Startall";

/// The name of a simulated call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CallName(pub(super) u8);

impl CallName {
    /// The name, such as `MPI_Send`.
    pub fn as_str(self) -> &'static str {
        CALLS[usize::from(self.0)].name
    }
}
