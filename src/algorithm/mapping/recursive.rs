//! Mapping by recursive bisection, one class at a time.

use super::cut::{Bipartition, NO_SIDE, split};
use super::{Mapping, MappingError, TaskGraph};
use crate::cancel;
use rand::seq::SliceRandom;
use rand_pcg::Pcg64;

/// Halves the tasks, the halves, and so on: each class alone, where MRB halves all at once.
///
/// *Problem.* That of [`mrb`](super::mrb()).
///
/// *Idea.* Level by level, and the classes of a level in the order of their addresses, each class is bisected from a
/// balanced random start by the passes of MRB. What was bisected before on the same level stays, and an edge to it
/// pulls to its side; edges to classes that are yet to be bisected are ignored. Without those pulls, the halves would
/// lie on random sides and cost more.
///
/// *Cost.* O(passes (E log N)) a level. Memory is linear in edges.
///
/// *Source.* The rival of the Korean paper on mapping to hypercubes, which does not say how halves are oriented: of
/// four ways this is the one that reproduces its tables.
///
/// ```
/// use flitwise::algorithm::mapping::{generate, recursive};
/// use flitwise::random::stream;
///
/// let random = &mut stream(1, "mapping", 0);
/// let cube = generate::hypercube(4, 1, random)?;
/// let mapping = recursive(&cube, random)?;
/// // the first bit is a bisection of the cube: no fewer than eight edges
/// assert!(cube.cuts(&mapping)[0] >= 8);
/// assert!(cube.cost(&mapping) >= 32);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// None that are known: the mapping is checked.
pub fn recursive(graph: &TaskGraph, random: &mut Pcg64) -> Result<Mapping, MappingError> {
    let mut bipartition = Bipartition::new(graph);
    let mut classes: Vec<u32> = graph.ids().collect();
    let mut processors = vec![0; graph.size()];
    for step in cancel::steps(0..graph.dimensions()) {
        let size = graph.size() >> step;
        let mut sides = vec![NO_SIDE; graph.size()];
        for class in classes.chunks(size) {
            cancel::checkpoint();
            let mut drawn = class.to_vec();
            drawn.shuffle(random);
            for (at, &task) in drawn.iter().enumerate() {
                sides[task as usize] = u8::from(at >= size / 2);
            }
            bipartition.improve(class, size, &mut sides);
        }
        for (processor, &side) in processors.iter_mut().zip(&sides) {
            *processor |= u32::from(side) << graph.decided(step);
        }
        split(&mut classes, size, &sides);
    }
    graph.mapping(processors)
}
