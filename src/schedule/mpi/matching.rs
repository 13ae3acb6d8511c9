//! The comparison of the collectives that the members of a communicator call.

use super::{CallAction, CollectiveCall, CommunicatorGroup, MpiCollective, MpiError, MpiTrace, RankCall};
use crate::lines::line_span;
use crate::units::saturated;

/// A call of a collective by a member.
type Called<'a> = (&'a RankCall, &'a CollectiveCall);

impl MpiTrace {
    /// Reports, for each member of a communicator, the first collective that differs from that of the first member.
    pub(super) fn match_collectives(&self, texts: &[&str], errors: &mut Vec<MpiError>) {
        let mut called: Vec<Vec<Vec<Called<'_>>>> =
            self.groups.iter().map(|group| vec![Vec::new(); group.ranks.len()]).collect();
        for rank in &self.ranks {
            for call in &rank.calls {
                if let CallAction::Collective(collective, _) = &call.action {
                    let member = rank.members[usize::from(collective.communicator)];
                    called[member.group as usize][member.rank as usize].push((call, collective));
                }
            }
        }
        for (group, called) in self.groups.iter().zip(&called) {
            let error = |member: usize, line: u32, message: String| {
                let rank = group.ranks[member] as usize;
                let accepted = "the same collectives in all ranks of the communicator";
                MpiError { rank, span: line_span(texts[rank], saturated(u64::from(line) - 1)), message, accepted }
            };
            let before = errors.len();
            for member in 1..called.len() {
                let difference = difference(group, [0, member], [&called[0], &called[member]]);
                errors.extend(difference.map(|(member, line, message)| error(member, line, message)));
            }
            let is_sized = |(_, call): &Called<'_>| call.operation == MpiCollective::Alltoallv;
            if errors.len() == before && called[0].iter().any(is_sized) {
                for (sender, receiver) in (0..called.len()).flat_map(|one| (0..called.len()).map(move |two| (one, two)))
                {
                    let difference =
                        self.different_blocks(group, [sender, receiver], [&called[sender], &called[receiver]]);
                    errors.extend(difference.map(|(line, message)| error(sender, line, message)));
                }
            }
        }
    }

    /// The line of the first `MPI_Alltoallv` in which one member sends other bytes to another than that receives, with a message.
    fn different_blocks(
        &self,
        group: &CommunicatorGroup,
        [sender, receiver]: [usize; 2],
        [sent, received]: [&[Called<'_>]; 2],
    ) -> Option<(u32, String)> {
        let blocks = |member: usize| &self.ranks[group.ranks[member] as usize].blocks;
        sent.iter().zip(received).filter(|((_, call), _)| call.operation == MpiCollective::Alltoallv).find_map(
            |((call, sent), (other, received))| {
                let sent = blocks(sender)[sent.blocks as usize + receiver];
                let received = blocks(receiver)[received.blocks as usize + group.ranks.len() + sender];
                let message = format!(
                    "`MPI_Alltoallv` sends {sent} bytes to rank {receiver} of communicator {}, which receives {received} (line {})",
                    group.id, other.line
                );
                (sent != received).then_some((call.line, message))
            },
        )
    }
}

/// The member, the line and the message of the first difference of two members.
fn difference(
    group: &CommunicatorGroup,
    members: [usize; 2],
    [first, second]: [&[Called<'_>]; 2],
) -> Option<(usize, u32, String)> {
    let id = group.id;
    for ((call, own), (other, of_other)) in first.iter().zip(second) {
        let name = other.name.as_str();
        let text = match () {
            () if call.name != other.name => format!("`{name}`, but `{}`", call.name.as_str()),
            () if own.root != of_other.root => format!("`{name}` with root {}, but root {}", of_other.root, own.root),
            () if own.bytes != of_other.bytes => {
                format!("`{name}` with {} bytes, but {} bytes", of_other.bytes, own.bytes)
            }
            () => continue,
        };
        let message = format!("this is {text} in rank 0 of communicator {id} (line {})", call.line);
        return Some((members[1], other.line, message));
    }
    let [(longer, calls), (shorter, others)] =
        if first.len() > second.len() { [(0, first), (1, second)] } else { [(1, second), (0, first)] };
    let (call, _) = calls.get(others.len())?;
    let message =
        format!("`{}` in communicator {id} has no counterpart in rank {}", call.name.as_str(), members[shorter]);
    Some((members[longer], call.line, message))
}
