//! GOAL text out: what the classic tools accept.

use super::Goal;
use super::dependents::{Dependency, Dependents, Moment};
use std::io::{self, Write};

impl Goal {
    /// Writes the operations as GOAL text: no indentation, a label for each operation, dependencies right after it.
    ///
    /// ```
    /// use flitwise::schedule::goal::Goal;
    /// use flitwise::schedule::Schedule;
    /// use flitwise::units::{Flits, NodeId};
    /// let chain = Schedule::new(3, NodeId(0), Flits(8), &[(NodeId(0), NodeId(1)), (NodeId(1), NodeId(2))]);
    /// let mut text = Vec::new();
    /// Goal::of_multicast(&chain, 1).write_text(&mut text)?;
    /// let text = String::from_utf8(text)?;
    /// assert!(text.ends_with("rank 2 {\nl1: recv 8b from 1\n}\n"));
    /// assert!(text.contains("rank 1 {\nl1: recv 8b from 0\nl2: send 8b to 2\nl2 requires l1\n}\n"));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// If `output` cannot be written.
    pub fn write_text(&self, output: &mut impl Write) -> io::Result<()> {
        writeln!(output, "num_ranks {}", self.ranks())?;
        let required = self.required();
        for rank in 0..self.ranks() {
            let ids = self.of_rank(rank);
            let label = |id: u32| id - ids.start + 1;
            writeln!(output, "\nrank {rank} {{")?;
            // a dependency may only name what stands above it, so those on later operations wait
            let mut waiting: Vec<(u32, &str, u32)> = Vec::new();
            for id in ids.clone() {
                writeln!(output, "l{}: {}", label(id), self.operations[id as usize])?;
                for (kind, moment) in [("requires", Moment::Finish), ("irequires", Moment::Start)] {
                    for &on in required.get(id, moment) {
                        if on > id {
                            waiting.push((id, kind, on));
                        } else {
                            writeln!(output, "l{} {kind} l{}", label(id), label(on))?;
                        }
                    }
                }
            }
            for (id, kind, on) in waiting {
                writeln!(output, "l{} {kind} l{}", label(id), label(on))?;
            }
            writeln!(output, "}}")?;
        }
        Ok(())
    }

    /// Per operation: what it requires, and what it requires to have started.
    fn required(&self) -> Dependents {
        let turned = |moment: Moment| -> Vec<Dependency> {
            let ids = 0..self.first[self.ranks()];
            let of_one =
                |on: u32| self.dependents.get(on, moment).iter().map(move |&id| Dependency { on: id, waiting: on });
            ids.flat_map(of_one).collect()
        };
        Dependents::from_dependencies(self.operations.len(), &turned(Moment::Finish), &turned(Moment::Start))
    }
}
