//! Names of operations, for timelines.

use super::scan::IN_NAMES;
use super::{Goal, number};
use rustc_hash::FxHashMap;

/// The names of operations. Many operations can have one name.
#[derive(Clone, Debug, Default)]
pub struct Names {
    /// The distinct names, of which the first is empty, and the number of each.
    table: Vec<Box<str>>,
    known: FxHashMap<Box<str>, u32>,
    /// Per operation, up to the last that has a name: the number of its name.
    numbers: Vec<u32>,
}

impl Names {
    /// Names operation `id`.
    pub fn set(&mut self, id: u32, name: &str) {
        if self.table.is_empty() {
            self.table.push(Box::default());
        }
        let number = match self.known.get(name) {
            Some(&number) => number,
            None => {
                let number = number(self.table.len());
                self.table.push(name.into());
                self.known.insert(name.into(), number);
                number
            }
        };
        let id = id as usize;
        if self.numbers.len() <= id {
            self.numbers.resize(id + 1, 0);
        }
        self.numbers[id] = number;
    }

    /// The name of operation `id`, or an empty text if it has none.
    pub fn get(&self, id: u32) -> &str {
        self.numbers.get(id as usize).map_or("", |&number| &self.table[number as usize])
    }
}

impl Goal {
    /// The labels of operations that were read from `text`. Operations of other files have no names.
    pub fn labels(&self, text: &[u8]) -> Names {
        let mut names = Names::default();
        let mut lines = (1..).zip(text.split(|&byte| byte == b'\n'));
        for id in 0..number(self.operations.len()) {
            let Some(line) = self.line(id) else { break };
            let Some((_, text)) = lines.find(|&(number, _)| number == line) else { break };
            let label = text.split(|&byte| byte == b':').next().unwrap_or_default().trim_ascii();
            let is_label = label.len() < text.len() && label.iter().all(|&byte| IN_NAMES[usize::from(byte)]);
            if let (true, Ok(label)) = (is_label, std::str::from_utf8(label)) {
                names.set(id, label);
            }
        }
        names
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]
mod tests {
    use super::*;

    #[test]
    fn labels_of_a_text_are_names() {
        let text = b"num_ranks 2\nrank 0 {\n  a1: calc 5 // x: y\ncalc 6 # z: 1\n\nb : calc 7\nb requires a1\n}\nrank 1 {\nc: calc 8\n}\n";
        let goal = Goal::read(text).unwrap();
        let names = goal.labels(text);
        assert_eq!([0, 1, 2, 3].map(|id| names.get(id)), ["a1", "", "b", "c"]);
    }

    #[test]
    fn operations_have_the_names_that_they_are_given() {
        let mut names = Names::default();
        assert_eq!(names.get(3), "");
        names.set(2, "attention");
        names.set(4, "mlp");
        names.set(5, "attention");
        assert_eq!([0, 2, 3, 4, 5, 6].map(|id| names.get(id)), ["", "attention", "", "mlp", "attention", ""]);
    }
}
