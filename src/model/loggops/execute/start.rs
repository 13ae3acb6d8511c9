//! How a run begins: what is ready at 0, which needs no queue.

use super::rules::Rules;
use super::{Ready, Run};
use crate::model::MessageTimes;
use crate::units::narrow;

impl<C: Fn(u64) -> MessageTimes, R: Rules> Run<'_, C, R> {
    /// Handles what is ready at 0. The first events are those of operations that are ready then, by rank and action, and
    /// none that these create comes before them: they need no queue.
    pub(super) fn start(&mut self) {
        let goal = self.goal;
        let mut several = Vec::new();
        for rank in 0..narrow(goal.ranks(), "ranks are numbered with 32 bits") {
            let mut roots = goal.of_rank(rank as usize).filter(|&id| goal.waits_of(id) == 0);
            let Some(first) = roots.next() else { continue };
            let first = Ready { rank, id: first };
            let roots = match roots.next() {
                None => std::slice::from_ref(&first),
                Some(second) => {
                    several.clear();
                    several.extend([first, Ready { rank, id: second }]);
                    several.extend(roots.map(|id| Ready { rank, id }));
                    self.sort(&mut several);
                    &several
                }
            };
            self.begin(roots);
        }
        for number in 0..narrow(self.events.len(), "operations are numbered with 32 bits") {
            self.handle(number, 0);
        }
    }

    /// Begins with what is ready at 0 at a rank, in order. To post a receive changes nothing but what waits at its rank, and
    /// no message has arrived yet: it is no event, unless others wait for its start.
    #[inline]
    fn begin(&mut self, roots: &[Ready]) {
        let goal = self.goal;
        let starts = |id| goal.is_awaited(id) && !goal.after_start(id).is_empty();
        let are_events = roots.iter().any(|root| root.is_receive(self.operations) && starts(root.id));
        for root in roots {
            if are_events || !root.is_receive(self.operations) {
                self.events.push(root.event());
            } else {
                self.matching.post_first(root.id, root.rank);
            }
        }
    }
}
