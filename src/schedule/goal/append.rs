//! Programs side by side, each with ranks of its own, and programs that are repeated.

use super::{ANY, Action, Goal, GoalBuilder, Operation, number};

impl GoalBuilder {
    /// Adds the ranks of `goal` after those that are there. Each rank executes its operations `times` times.
    ///
    /// A computation of 0 ticks on processor 0 separates two repetitions of a rank. It requires the operations of the first one that no
    /// other requires, and the operations of the second one that require nothing require it. Operations are numbered in this order, and
    /// lines of texts are forgotten.
    ///
    /// # Panics
    /// If there are 2^32 operations or more.
    pub fn append(&mut self, goal: &Goal, times: u64) {
        let first_rank = number(self.ranks());
        for rank in 0..goal.ranks() {
            self.next_rank();
            self.append_rank(goal, rank, first_rank, times);
        }
    }

    fn append_rank(&mut self, goal: &Goal, rank: usize, first_rank: u32, times: u64) {
        let ids = goal.of_rank(rank);
        if ids.is_empty() {
            return;
        }
        let last = || ids.clone().filter(|&id| goal.after_finish(id).is_empty());
        let mut requires_nothing = vec![true; ids.len()];
        for &waiting in ids.clone().flat_map(|id| goal.after_finish(id)) {
            requires_nothing[(waiting - ids.start) as usize] = false;
        }
        let mut before: Option<u32> = None;
        for _ in 0..times {
            let join = before.map(|before| {
                let join = self.push(Operation::compute(0));
                last().for_each(|id| self.requires(join, before + (id - ids.start)));
                join
            });
            let base = self.next();
            let number = |id: u32| base + (id - ids.start);
            for operation in &goal.operations()[ids.start as usize..ids.end as usize] {
                let peer = match operation.action {
                    Action::Send | Action::Receive if operation.peer != ANY => operation.peer + first_rank,
                    _ => operation.peer,
                };
                self.push(Operation { peer, ..*operation });
            }
            for id in ids.clone() {
                goal.after_finish(id).iter().for_each(|&waiting| self.requires(number(waiting), number(id)));
                goal.after_start(id).iter().for_each(|&waiting| self.irequires(number(waiting), number(id)));
            }
            if let Some(join) = join {
                let free = ids.clone().zip(&requires_nothing).filter(|&(_, &is_free)| is_free);
                free.for_each(|(id, _)| self.requires(number(id), join));
            }
            before = Some(base);
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]
mod tests {
    use super::*;

    const TEXT: &str = "num_ranks 2\nrank 0 {\na: calc 7\ns: send 5b to 1 tag 3 cpu 1\ns requires a\nb: calc 9 cpu 2\nb irequires a\n}\nrank 1 {\n\
                        r: recv 5b from -1 tag 3\n}\n";

    fn appended(texts: &[(&str, u64)]) -> String {
        let mut builder = GoalBuilder::default();
        texts.iter().for_each(|(text, times)| builder.append(&Goal::read(text.as_bytes()).unwrap(), *times));
        let mut text = Vec::new();
        builder.finish().write_text(&mut text).unwrap();
        String::from_utf8(text).unwrap()
    }

    #[test]
    fn a_single_program_is_itself() {
        let goal = Goal::read(TEXT.as_bytes()).unwrap();
        let mut builder = GoalBuilder::default();
        builder.append(&goal, 1);
        assert_eq!(builder.finish(), goal);
    }

    #[test]
    fn peers_are_those_of_the_own_program() {
        let text = appended(&[("num_ranks 1\nrank 0 {\ncalc 1\n}\n", 1), (TEXT, 1)]);
        assert!(text.contains("send 5b to 2 tag 3") && text.contains("recv 5b from -1 tag 3"), "{text}");
    }

    #[test]
    fn a_join_separates_repetitions() {
        let mut builder = GoalBuilder::default();
        builder.append(&Goal::read(TEXT.as_bytes()).unwrap(), 3);
        let goal = builder.finish();
        assert_eq!((goal.of_rank(0), goal.of_rank(1)), (0..11, 11..16));
        // a 0, s 1, b 2, join 3, a 4, s 5, b 6, ..
        assert_eq!(goal.operations()[3], Operation::compute(0));
        assert_eq!([goal.after_finish(1), goal.after_finish(2), goal.after_finish(3)], [&[3][..], &[3], &[4, 6]]);
        assert_eq!((goal.after_finish(0), goal.after_start(4)), (&[1][..], &[6][..]));
        assert_eq!([goal.after_finish(11), goal.after_finish(12)], [&[12][..], &[13]]);
    }
}
