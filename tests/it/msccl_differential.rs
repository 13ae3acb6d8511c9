//! The data of MSCCL files, followed by a plain interpreter that takes steps in a random order: an algorithm that is proved is
//! right in every order, and one that is refused is wrong in some.

use flitwise::schedule::goal::{Algorithm, DataCheck};
use rand::RngExt;
use rand::SeedableRng;
use rand_pcg::Pcg64;
use roxmltree::{Document, Node};
use std::collections::{BTreeMap, VecDeque};

/// The contributions to a chunk, each (gpu, index), or empty if it holds no data.
type Chunk = Vec<(usize, usize)>;

/// A place that is in no input.
const GARBAGE: (usize, usize) = (usize::MAX, 0);

struct Plain<'a> {
    gpus: Vec<Vec<Node<'a, 'a>>>,
    collective: String,
    chunks: usize,
    memory: BTreeMap<(usize, char, usize), Chunk>,
    taken: BTreeMap<(usize, String), usize>,
    channels: BTreeMap<(usize, usize, String), VecDeque<Vec<Chunk>>>,
}

fn number(node: Node<'_, '_>, name: &str) -> usize {
    node.attribute(name).unwrap().parse().unwrap()
}

impl<'a> Plain<'a> {
    fn new(document: &'a Document<'a>) -> Self {
        let root = document.root_element();
        let elements = |node: Node<'a, 'a>| node.children().filter(Node::is_element).collect::<Vec<_>>();
        let gpus: Vec<Vec<Node<'a, 'a>>> = elements(root).into_iter().map(elements).collect();
        let collective = root.attribute("coll").unwrap().to_owned();
        let chunks = number(root, "nchunksperloop");
        let mut plain = Self {
            gpus,
            collective,
            chunks,
            memory: BTreeMap::new(),
            taken: BTreeMap::new(),
            channels: BTreeMap::new(),
        };
        for gpu in 0..plain.gpus.len() {
            let input = if plain.collective == "allgather" { chunks / plain.gpus.len() } else { chunks };
            for index in 0..input {
                *plain.chunk(gpu, 'i', index) = vec![(gpu, index)];
            }
        }
        plain
    }

    /// A chunk of a buffer, which in place may be one of another.
    fn chunk(&mut self, gpu: usize, buffer: char, at: usize) -> &mut Chunk {
        let share = self.chunks / self.gpus.len();
        let key = match (self.collective.as_str(), buffer) {
            ("allgather", 'i') => (gpu, 'o', gpu * share + at),
            ("reduce_scatter", 'o') => (gpu, 'i', gpu * share + at),
            ("allreduce", 'o') => (gpu, 'i', at),
            _ => (gpu, buffer, at),
        };
        self.memory.entry(key).or_default()
    }

    fn slice(&mut self, gpu: usize, step: Node<'_, '_>, end: &str) -> Vec<Chunk> {
        let buffer = step.attribute(&*format!("{end}buf")).unwrap().chars().next().unwrap();
        let first = number(step, &format!("{end}off"));
        let chunk = |at| self.chunk(gpu, buffer, first + at).clone();
        (0..number(step, "cnt")).map(chunk).collect()
    }

    /// Takes the next step of a threadblock. Returns false if it has none, or has to wait.
    fn take(&mut self, gpu: usize, block: Node<'a, 'a>) -> bool {
        let id = block.attribute("id").unwrap().to_owned();
        let next = self.taken.get(&(gpu, id.clone())).copied().unwrap_or(0);
        let Some(step) = block.children().filter(Node::is_element).nth(next) else { return false };
        let after = step.attribute("depid").unwrap();
        let reached = self.taken.get(&(gpu, after.to_owned())).copied().unwrap_or(0);
        if after != "-1" && reached <= number(step, "deps") {
            return false;
        }
        let kind = step.attribute("type").unwrap();
        let channel = block.attribute("chan").unwrap().to_owned();
        let received = match kind.starts_with('r') && kind != "re" {
            false => None,
            true => {
                let from = (number(block, "recv"), gpu, channel.clone());
                match self.channels.entry(from).or_default().pop_front() {
                    Some(message) => Some(message),
                    None => return false,
                }
            }
        };
        let sum = |one: Vec<Chunk>, other: Vec<Chunk>| -> Vec<Chunk> {
            let pair = |(one, other): (Chunk, Chunk)| {
                let is_garbage = one.is_empty() || other.is_empty();
                let mut sum = [one, other].concat();
                sum.sort_unstable();
                if is_garbage { vec![GARBAGE] } else { sum }
            };
            one.into_iter().zip(other).map(pair).collect()
        };
        let values = match (kind, received) {
            ("s" | "cpy", _) => self.slice(gpu, step, "src"),
            ("re", _) => sum(self.slice(gpu, step, "src"), self.slice(gpu, step, "dst")),
            ("r" | "rcs", Some(message)) => message,
            (_, Some(message)) => sum(self.slice(gpu, step, "src"), message),
            _ => Vec::new(),
        };
        if !["s", "rrs", "nop"].contains(&kind) {
            let buffer = step.attribute("dstbuf").unwrap().chars().next().unwrap();
            for (at, value) in values.iter().enumerate() {
                *self.chunk(gpu, buffer, number(step, "dstoff") + at) = value.clone();
            }
        }
        if kind.ends_with('s') {
            self.channels.entry((gpu, number(block, "send"), channel)).or_default().push_back(values);
        }
        self.taken.insert((gpu, id), next + 1);
        true
    }

    /// Takes all steps in a random order. Returns whether the outputs are right, or `None` if steps are left.
    fn finish(mut self, random: &mut Pcg64) -> Option<bool> {
        let mut blocks: Vec<(usize, Node<'a, 'a>)> = Vec::new();
        for (gpu, of_gpu) in self.gpus.iter().enumerate() {
            blocks.extend(of_gpu.iter().map(|&block| (gpu, block)));
        }
        loop {
            let first = random.random_range(0..blocks.len());
            let mut order = (0..blocks.len()).map(|at| blocks[(first + at) % blocks.len()]);
            if !order.any(|(gpu, block)| self.take(gpu, block)) {
                break;
            }
        }
        let steps = |block: Node<'_, '_>| block.children().filter(Node::is_element).count();
        let all: usize = blocks.iter().map(|(_, block)| steps(*block)).sum();
        (self.taken.values().sum::<usize>() == all).then(|| self.is_right())
    }

    fn is_right(&mut self) -> bool {
        let (gpus, chunks) = (self.gpus.len(), self.chunks);
        let share = chunks / gpus;
        let outputs = if self.collective == "reduce_scatter" { share } else { chunks };
        let every = |index: usize| (0..gpus).map(|gpu| (gpu, index)).collect::<Chunk>();
        let mut is_right = true;
        for gpu in 0..gpus {
            for at in 0..outputs {
                let required = match self.collective.as_str() {
                    "allgather" => vec![(at / share, at % share)],
                    "reduce_scatter" => every(gpu * share + at),
                    _ => every(at),
                };
                is_right &= *self.chunk(gpu, 'o', at) == required;
            }
        }
        is_right
    }
}

/// A step as XML, with the changes that a mutation makes.
fn step(number: usize, kind: &str, [from, to]: [(char, usize); 2], after: Option<(usize, usize)>) -> String {
    let (block, step) = after.map_or(("-1".to_owned(), "-1".to_owned()), |(b, s)| (b.to_string(), s.to_string()));
    format!(
        "<step s=\"{number}\" type=\"{kind}\" srcbuf=\"{}\" srcoff=\"{}\" dstbuf=\"{}\" dstoff=\"{}\" cnt=\"1\" depid=\"{block}\" \
         deps=\"{step}\" hasdep=\"1\"/>\n",
        from.0, from.1, to.0, to.1
    )
}

/// A ring, as one threadblock a gpu, or as two, of which one sends what the other has received.
fn ring(collective: &str, gpus: usize, separate: bool, random: &mut Pcg64) -> String {
    let mut text = format!("<algo coll=\"{collective}\" nchunksperloop=\"{gpus}\" inplace=\"1\">\n");
    let gathers = collective == "allgather";
    for gpu in 0..gpus {
        let before = (gpu + gpus - 1) % gpus;
        let buffer = if gathers { 'o' } else { 'i' };
        let (input, output) = if gathers { (0, gpus) } else { (gpus, 0) };
        text += &format!("<gpu id=\"{gpu}\" i_chunks=\"{input}\" o_chunks=\"{output}\">\n");
        // the chunk that a gpu receives in a round, and whether it is added or replaces the own one
        let rounds = if collective == "allreduce" { 2 * gpus - 2 } else { gpus - 1 };
        let chunk = |round: usize| {
            if gathers { (gpu + 2 * gpus - 1 - round) % gpus } else { (gpu + 3 * gpus - 2 - round) % gpus }
        };
        let receives = |round: usize| if !gathers && round < gpus - 1 { "rrc" } else { "r" };
        let first = if gathers { gpu } else { (gpu + gpus - 1) % gpus };
        let mutated =
            |at: usize, random: &mut Pcg64| if random.random_bool(0.02) { random.random_range(0..gpus) } else { at };
        let (mut sends, mut gets) = (String::new(), String::new());
        for round in 0..rounds {
            let sent = mutated(if round == 0 { first } else { chunk(round - 1) }, random);
            let got = mutated(chunk(round), random);
            let after = (separate && round > 0 && random.random_bool(0.97)).then(|| (1, round - 1));
            let numbers = if separate { [round, round] } else { [2 * round, 2 * round + 1] };
            let send = step(numbers[0], "s", [(buffer, sent); 2], after);
            let kind = if random.random_bool(0.01) { "r" } else { receives(round) };
            let get = step(numbers[1], kind, [(buffer, got); 2], None);
            sends += &send;
            if separate { gets += &get } else { sends += &get }
        }
        let next = (gpu + 1) % gpus;
        text += &match separate {
            true => format!(
                "<tb id=\"0\" send=\"{next}\" recv=\"-1\" chan=\"0\">\n{sends}</tb>\n\
                 <tb id=\"1\" send=\"-1\" recv=\"{before}\" chan=\"0\">\n{gets}</tb>\n"
            ),
            false => format!("<tb id=\"0\" send=\"{next}\" recv=\"{before}\" chan=\"0\">\n{sends}</tb>\n"),
        };
        text += "</gpu>\n";
    }
    text + "</algo>\n"
}

#[test]
fn proofs_hold_in_every_order_and_refusals_in_none() {
    let mut counts = [0; 3];
    for seed in 0..600 {
        let mut random = Pcg64::seed_from_u64(seed);
        let collective = ["allgather", "allreduce", "reduce_scatter"][random.random_range(0..3)];
        let gpus = random.random_range(2..6);
        let separate = random.random_bool(0.5);
        let text = ring(collective, gpus, separate, &mut random);
        let judged = Algorithm::read(text.as_bytes()).unwrap().verify();
        let document = Document::parse(&text).unwrap();
        let runs: Vec<bool> = (0..8).filter_map(|_| Plain::new(&document).finish(&mut random)).collect();
        assert_eq!(runs.len(), 8, "seed {seed}: steps are left\n{text}");
        match judged {
            DataCheck::Proved(_) => {
                counts[0] += 1;
                assert!(runs.iter().all(|&is_right| is_right), "seed {seed} is proved\n{text}");
            }
            DataCheck::Violated(violation) if violation.to_string().contains("depends on timing") => counts[1] += 1,
            DataCheck::Violated(violation) => {
                counts[2] += 1;
                assert!(!runs.iter().all(|&is_right| is_right), "seed {seed}: {violation}\n{text}");
            }
            DataCheck::Unchecked(reason) => panic!("seed {seed}: {reason}"),
        }
    }
    assert!(counts.iter().all(|&count| count > 20), "{counts:?}");
}
