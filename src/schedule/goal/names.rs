//! Names of operations, for timelines.

use super::number;
use rustc_hash::FxHashMap;

/// The names of operations. Many operations can have one name.
#[derive(Clone, Debug, Default)]
pub struct Names {
    /// The distinct names, of which the first is empty, and the number of each.
    table: Vec<Box<str>>,
    known: FxHashMap<Box<str>, u32>,
    /// Per operation, up to the last that has a name: the number of its name.
    of: Vec<u32>,
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
        if self.of.len() <= id {
            self.of.resize(id + 1, 0);
        }
        self.of[id] = number;
    }

    /// The name of operation `id`, or an empty text if it has none.
    pub fn get(&self, id: u32) -> &str {
        self.of.get(id as usize).map_or("", |&number| &self.table[number as usize])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
