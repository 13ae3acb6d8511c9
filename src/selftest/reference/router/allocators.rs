//! Allocators the plain way: a list of requests, and lists of pointers.

use super::wait;
use crate::engine::router::AllocatorChoice;
use std::collections::{BTreeMap, BTreeSet};

/// The priorities of requests, by input and output.
pub(super) type Requests = BTreeMap<(usize, usize), u8>;

/// The allocator of a router.
pub(super) struct Allocator {
    choice: AllocatorChoice,
    /// By input, the output that has priority.
    inputs: Vec<usize>,
    /// By output, the input that has priority.
    outputs: Vec<usize>,
    /// The first diagonal of wavefronts.
    diagonal: usize,
    /// By number, the side as an output and as an input, of which wavefronts have the diagonals.
    sides: Vec<[usize; 2]>,
}

impl Allocator {
    /// An allocator of inputs and outputs at these `sides`.
    pub(super) fn new(choice: AllocatorChoice, sides: Vec<[usize; 2]>) -> Self {
        Self { choice, inputs: vec![0; sides.len()], outputs: vec![0; sides.len()], diagonal: 0, sides }
    }

    /// The granted pairs of an input and an output.
    pub(super) fn allocate(&mut self, requests: &Requests) -> Vec<(usize, usize)> {
        match self.choice.name() {
            "separable-input-first" => self.input_first(requests),
            "separable-output-first" | "select" => self.output_first(requests),
            "islip" => self.islip(requests),
            "wavefront" | "rr-wavefront" => self.wavefront(requests),
            "loa" => self.lonely(requests),
            "max-size" => self.max_size(requests),
            other => unreachable!("`{other}` is an allocator of the engine alone"),
        }
    }

    /// Every input picks an output, and every output one of the inputs that have picked it.
    fn input_first(&mut self, requests: &Requests) -> Vec<(usize, usize)> {
        let picked = self.picked_by_inputs(requests);
        let granted: Vec<(usize, usize)> = self.picked_by_outputs(&picked).into_keys().collect();
        self.update(&granted);
        granted
    }

    /// Every output picks an input, and every input one of the outputs that have picked it.
    fn output_first(&mut self, requests: &Requests) -> Vec<(usize, usize)> {
        let picked = self.picked_by_outputs(requests);
        let granted: Vec<(usize, usize)> = self.picked_by_inputs(&picked).into_keys().collect();
        self.update(&granted);
        granted
    }

    /// Output first, repeated among inputs and outputs that are left. Priorities have no effect.
    fn islip(&mut self, requests: &Requests) -> Vec<(usize, usize)> {
        let mut left: Requests = requests.keys().map(|&pair| (pair, 0)).collect();
        let mut granted = Vec::new();
        for iteration in 0..self.choice.iterations() {
            let picked = self.picked_by_outputs(&left);
            let accepted: Vec<(usize, usize)> = self.picked_by_inputs(&picked).into_keys().collect();
            if iteration == 0 {
                self.update(&accepted);
            }
            left.retain(|pair, _| accepted.iter().all(|taken| taken.0 != pair.0 && taken.1 != pair.1));
            granted.extend(accepted);
        }
        granted
    }

    /// Diagonal by diagonal, what is requested and left, first all of the highest priority.
    fn wavefront(&mut self, requests: &Requests) -> Vec<(usize, usize)> {
        let size = self.inputs.len();
        let mut granted: Vec<(usize, usize)> = Vec::new();
        for priority in [1, 0] {
            for step in 0..size {
                for (&(input, output), _) in requests.iter().filter(|(_, of)| **of == priority) {
                    let is_left = granted.iter().all(|&(taken, gone)| taken != input && gone != output);
                    let diagonal = self.sides[input][1] + self.sides[output][0];
                    if is_left && diagonal % size == (self.diagonal + step) % size {
                        granted.push((input, output));
                    }
                }
            }
        }
        if let Some(&(input, output)) = granted.first() {
            let first = self.sides[input][1] + self.sides[output][0];
            let last = if self.choice.name() == "rr-wavefront" { first } else { self.diagonal };
            self.diagonal = (last + 1) % size;
        }
        granted
    }

    /// Every input requests the output that fewest request, and every output grants one of these requests.
    fn lonely(&mut self, requests: &Requests) -> Vec<(usize, usize)> {
        let size = self.inputs.len();
        let count = |output: usize| requests.keys().filter(|pair| pair.1 == output).count();
        let inputs: BTreeSet<usize> = requests.keys().map(|pair| pair.0).collect();
        let loneliest = |input: usize| {
            let own = requests.keys().filter(|pair| pair.0 == input).map(|pair| pair.1);
            own.min_by_key(|&output| (count(output), wait(self.sides[output][0], self.inputs[input], size)))
        };
        let requested: Vec<(usize, usize)> =
            inputs.into_iter().filter_map(|input| Some((input, loneliest(input)?))).collect();
        let outputs: BTreeSet<usize> = requested.iter().map(|pair| pair.1).collect();
        let winner = |output: usize| {
            let own = requested.iter().filter(|pair| pair.1 == output).map(|pair| pair.0);
            own.min_by_key(|&input| wait(self.sides[input][1], self.outputs[output], size))
        };
        let granted: Vec<(usize, usize)> =
            outputs.into_iter().filter_map(|output| Some((winner(output)?, output))).collect();
        for &(input, output) in &granted {
            self.inputs[input] = (self.inputs[input] + 1) % size;
            self.outputs[output] = (self.outputs[output] + 1) % size;
        }
        granted
    }

    /// A matching of maximum size: it grows by the shortest path on which pairs alternate with requests, as long as there is one.
    fn max_size(&mut self, requests: &Requests) -> Vec<(usize, usize)> {
        let mut granted: BTreeMap<usize, usize> = BTreeMap::new();
        while let Some(path) = self.shortest_path(requests, &granted) {
            granted.extend(path);
        }
        if !requests.is_empty() {
            self.diagonal = (self.diagonal + 1) % self.inputs.len();
        }
        granted.into_iter().collect()
    }

    /// The pairs of a shortest path from an input without an output to an output without an input, which replace those of the path
    /// that are granted. Inputs are tried from the first one on, which `diagonal` counts here.
    fn shortest_path(&self, requests: &Requests, granted: &BTreeMap<usize, usize>) -> Option<Vec<(usize, usize)>> {
        let size = self.inputs.len();
        let inputs: BTreeSet<usize> = requests.keys().map(|pair| pair.0).collect();
        let mut starts: Vec<usize> = inputs.into_iter().filter(|input| !granted.contains_key(input)).collect();
        starts.sort_by_key(|&input| wait(self.sides[input][1], self.diagonal, size));
        let mut paths: Vec<(usize, Vec<(usize, usize)>)> =
            starts.into_iter().map(|input| (input, Vec::new())).collect();
        let mut reached = BTreeSet::new();
        while !paths.is_empty() {
            let mut longer = Vec::new();
            for (input, path) in paths {
                let mut outputs: Vec<usize> =
                    requests.keys().filter(|pair| pair.0 == input).map(|pair| pair.1).collect();
                outputs.sort_by_key(|&output| self.sides[output][0]);
                for output in outputs {
                    if !reached.insert(output) {
                        continue;
                    }
                    let path = [path.as_slice(), &[(input, output)]].concat();
                    match granted.iter().find(|pair| *pair.1 == output) {
                        Some((&holder, _)) => longer.push((holder, path)),
                        None => return Some(path),
                    }
                }
            }
            paths = longer;
        }
        None
    }

    /// For every input the first request from its pointer on, among those with the highest priority.
    fn picked_by_inputs(&self, requests: &Requests) -> Requests {
        let size = self.outputs.len();
        let inputs: BTreeSet<usize> = requests.keys().map(|(input, _)| *input).collect();
        let pick = |at| {
            let own = requests.iter().filter(|((input, _), _)| *input == at);
            own.min_by_key(|((_, output), of)| (u8::MAX - **of, wait(*output, self.inputs[at], size)))
        };
        inputs.into_iter().filter_map(pick).map(|(pair, of)| (*pair, *of)).collect()
    }

    /// For every output the first request from its pointer on, among those with the highest priority.
    fn picked_by_outputs(&self, requests: &Requests) -> Requests {
        let size = self.inputs.len();
        let outputs: BTreeSet<usize> = requests.keys().map(|(_, output)| *output).collect();
        let pick = |at| {
            let own = requests.iter().filter(|((_, output), _)| *output == at);
            own.min_by_key(|((input, _), of)| (u8::MAX - **of, wait(*input, self.outputs[at], size)))
        };
        outputs.into_iter().filter_map(pick).map(|(pair, of)| (*pair, *of)).collect()
    }

    /// Moves the pointers past the partner.
    fn update(&mut self, granted: &[(usize, usize)]) {
        for &(input, output) in granted {
            self.inputs[input] = (output + 1) % self.outputs.len();
            self.outputs[output] = (input + 1) % self.inputs.len();
        }
    }
}
