//! Mapping by recursive bipartition of the whole graph at once (MRB).

use super::cut::{Bipartition, split, weight};
use super::grow::{Halving, grow};
use super::orient::orient;
use super::side::random_sides;
use super::{Mapping, MappingError, Options, TaskGraph, coarse};
use crate::cancel;
use rand_pcg::Pcg64;

/// What a run of [`mrb()`] did.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Run {
    /// Who goes where.
    pub mapping: Mapping,
    /// Of each bipartition: the passes until one gained nothing, that one included.
    pub passes: Vec<usize>,
}

/// Decides one bit of all addresses after the other, by a minimum cut that halves every class decided so far.
///
/// *Problem.* Put 2^n tasks on the nodes of a hypercube, one each, so that the sum of weight times hops is small.
///
/// *Idea.* The hops between two tasks are the bits in which their nodes differ, so the cost is the sum of n cuts, and
/// bit after bit can be chosen by a cut that is small and halves each class of tasks that agree so far. In the modified
/// graph, where two tasks of a class get R - w and others -w, with R above all weights, a maximum cut is such a one.
/// The first bipartition decides the least significant bit; off hypercubes, where the sum of cuts only stands for the
/// cost, the most significant one ([`TaskGraph::decided`]). A cut starts from a random side per task; in a pass every
/// task moves once, the best of all first and the lowest among equals; the prefix of greatest gain is kept, the
/// shortest among equals; passes end when one gains nothing.
///
/// *Here.* The modified graph is never built, and R is no number: gains are compared by balance, then by weight. The
/// paper says R = sum of weights, with which mappings need not be one-to-one; its proof needs more than that, and this
/// is more. With [`Options::starts`] above 1, each bipartition is the best of as many starts. With
/// [`Options::multilevel`], the first bipartition starts from a graph of tasks merged by matchings, until there are two;
/// in the later ones class after class is halved so, the one next that has most to say to those before, which pull at
/// its tasks. Of classes of two only the orientation is to decide: whole classes are merged, as they are or turned.
///
/// Of more than 16384 tasks the first two bipartitions start so without that option, too; later ones from classes whose
/// tasks are put where those before pull them, and the last as above.
///
/// *Not optimal,* although the paper says so if each cut is: of a star with three leaves on a 3-cube, the best first
/// cut is 0, and the star must fit a face of the cube.
///
/// *Cost.* O(passes (E + N)) a bit, nearly: each change of a gain is O(1) but for a few. 5 to 13 passes are usual up to
/// 16384 tasks. Memory is linear in edges: 8 bytes an edge, from merged tasks some 200.
///
/// Of more than 16384 tasks a pass gives up after 1024 moves that gain nothing. With 4 N edges, mappings of 65536 tasks
/// cost 0.9 % less than after full passes from random sides, and take a quarter of the instructions.
///
/// *Source.* The Korean paper on mapping to hypercubes by recursive bipartition, Fig. 5, where step 2.1 lost the
/// weights of the modified graph and step 2.3 must loop to N.
///
/// ```
/// use flitwise::algorithm::mapping::{Options, generate, mrb};
/// use flitwise::random::stream;
///
/// let random = &mut stream(1, "mapping", 0);
/// let cube = generate::hypercube(6, 1, random)?;
/// let mapping = mrb(&cube, &Options { starts: 10, ..Options::default() }, random)?;
/// assert_eq!(cube.cost(&mapping), 192);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// None that are known: the mapping is checked.
pub fn mrb(graph: &TaskGraph, options: &Options, random: &mut Pcg64) -> Result<Mapping, MappingError> {
    let bipartition = if graph.size() > MANY { Bipartition::hasty(graph) } else { Bipartition::new(graph) };
    let run = recurse(graph, bipartition, |bipartition, classes, size, _| {
        let mut best: Option<(u64, Vec<u8>, usize)> = None;
        for _ in 0..options.starts.max(1) {
            let mut sides = start(graph, options.multilevel, classes, size, random);
            let passes = bipartition.improve(classes, size, &mut sides);
            let cut = if options.starts > 1 { weight(graph, &sides) } else { 0 };
            if best.as_ref().is_none_or(|&(least, ..)| cut < least) {
                best = Some((cut, sides, passes));
            }
        }
        best.map_or_else(|| (Vec::new(), 0), |(_, sides, passes)| (sides, passes))
    })?;
    Ok(run.mapping)
}

/// Of more tasks than these no bipartition of [`mrb()`] starts from random sides, and passes are given up soon.
pub const MANY: usize = 1 << 14;

/// With fewer classes, what pulls at a task tells too little of where it should be.
const FEW: usize = 4;

/// Sides to start a bipartition of `classes` from.
fn start(graph: &TaskGraph, multilevel: bool, classes: &[u32], size: usize, random: &mut Pcg64) -> Vec<u8> {
    let count = graph.size() / size;
    let many = graph.size() > MANY;
    if !multilevel && !many {
        return random_sides(graph.size(), random);
    }
    match (count, size) {
        (1, _) => coarse::start(graph, classes, size, random),
        (_, 2) => orient(graph, classes, random),
        (FEW.., _) if !multilevel => grow(graph, classes, size, Halving::Pulled, random),
        _ => grow(graph, classes, size, Halving::Merged, random),
    }
}

/// [`mrb()`] with a single start whose sides are given: of each bipartition, whether a task starts on side 1.
///
/// # Errors
/// [`MappingError::Sides`] if it is not a side for every task and every dimension.
pub fn mrb_from(graph: &TaskGraph, initial: &[Vec<bool>]) -> Result<Run, MappingError> {
    let dimensions = graph.dimensions() as usize;
    if initial.len() != dimensions || initial.iter().any(|sides| sides.len() != graph.size()) {
        return Err(MappingError::Sides { dimensions, tasks: graph.size() });
    }
    recurse(graph, Bipartition::new(graph), |bipartition, classes, size, step| {
        let mut sides: Vec<u8> = initial[step].iter().copied().map(u8::from).collect();
        let passes = bipartition.improve(classes, size, &mut sides);
        (sides, passes)
    })
}

/// The recursion: `halve` is given the classes, their size and the step, and returns sides and passes.
fn recurse<'a, F>(graph: &'a TaskGraph, mut bipartition: Bipartition<'a>, mut halve: F) -> Result<Run, MappingError>
where
    F: FnMut(&mut Bipartition<'a>, &[u32], usize, usize) -> (Vec<u8>, usize),
{
    let mut classes: Vec<u32> = graph.ids().collect();
    let (mut processors, mut counts) = (vec![0; graph.size()], Vec::new());
    for step in cancel::steps(0..graph.dimensions()) {
        let size = graph.size() >> step;
        let (sides, passes) = halve(&mut bipartition, &classes, size, step as usize);
        for (processor, &side) in processors.iter_mut().zip(&sides) {
            *processor |= u32::from(side) << graph.decided(step);
        }
        split(&mut classes, size, &sides);
        counts.push(passes);
    }
    Ok(Run { mapping: graph.mapping(processors)?, passes: counts })
}
