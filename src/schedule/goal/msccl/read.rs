//! MSCCL XML into an [`Algorithm`]: attributes, their ranges, and the names of steps.

use super::collective::Collective;
use super::lower::CHANNELS;
use super::xml::{self, Xml, children};
use super::{Algorithm, Block, Buffer, Gpu, Placement, Slice, Step, StepKind};
use crate::schedule::goal::GoalError;
use roxmltree::{Document, Node};
use rustc_hash::FxHashMap;

/// The values of the attribute `proto`.
const PROTOCOLS: &[&str] = &["Simple", "LL", "LL128"];

impl Algorithm {
    /// Reads MSCCL XML.
    ///
    /// # Errors
    /// With the first thing in it that is wrong.
    pub fn read(bytes: &[u8]) -> Result<Self, GoalError> {
        let text = xml::text(bytes)?;
        let document = xml::parse(text)?;
        let reading =
            Reading { xml: Xml::new(text), named: Named::default(), marks: Vec::new(), algorithm: Self::empty() };
        reading.algorithm(&document)
    }

    fn empty() -> Self {
        Self {
            name: String::new(),
            collective: None,
            placements: Vec::new(),
            chunks: 0,
            gpus: Vec::new(),
            blocks: Vec::new(),
            steps: Vec::new(),
        }
    }
}

/// A threadblock or a step by its number within its GPU.
type Named = FxHashMap<(u32, i64), usize>;

/// The position of a step in the file.
struct Mark {
    /// The byte at which it begins.
    start: usize,
    /// False if it does not report that it has finished: its `hasdep` is 0.
    reports: bool,
}

struct Reading<'a> {
    xml: Xml<'a>,
    /// The steps of the GPU that is read.
    named: Named,
    /// Per step of the algorithm.
    marks: Vec<Mark>,
    algorithm: Algorithm,
}

impl<'a> Reading<'a> {
    fn algorithm(mut self, document: &'a Document<'a>) -> Result<Algorithm, GoalError> {
        let root = document.root_element();
        if !root.has_tag_name("algo") {
            return Err(self.xml.error(root, format!("expected <algo>, found <{}>", root.tag_name().name())));
        }
        let mut gpus: Vec<Node<'a, 'a>> = children(root, "gpu").collect();
        for gpu in &gpus {
            self.xml.number::<u32>(*gpu, "id")?;
        }
        gpus.sort_by_key(|gpu| self.xml.number::<u32>(*gpu, "id").unwrap_or(u32::MAX));
        self.header(root, &gpus)?;
        for (expected, gpu) in (0..).zip(&gpus) {
            let id: u32 = self.xml.number(*gpu, "id")?;
            if id != expected {
                return Err(self.xml.error(*gpu, format!("`id` is {id}, expected {expected}")));
            }
            self.gpu(*gpu, gpus.len())?;
        }
        self.check_counts()?;
        Ok(self.algorithm)
    }

    /// The attributes of the root.
    fn header(&mut self, root: Node<'a, 'a>, gpus: &[Node<'a, 'a>]) -> Result<(), GoalError> {
        if gpus.is_empty() {
            return Err(self.xml.error(root, "there is no <gpu>; at least one is required".to_owned()));
        }
        if let Some(count) = self.xml.optional::<u64>(root, "ngpus")?.filter(|&count| count != gpus.len() as u64) {
            return Err(self
                .xml
                .error(root, format!("`ngpus` is {count}, but the number of <gpu> elements is {}", gpus.len())));
        }
        if let Some(protocol) = root.attribute("proto").filter(|protocol| !PROTOCOLS.contains(protocol)) {
            let accepted = PROTOCOLS.join(", ");
            return Err(self.xml.error(root, format!("`proto` cannot be \"{protocol}\"; accepted: {accepted}")));
        }
        let name = root.attribute("coll").unwrap_or_default();
        let known = Collective::NAMES.iter().find(|(known, _)| *known == name);
        self.algorithm.name = name.to_owned();
        self.algorithm.collective = known.map(|(_, collective)| *collective);
        self.algorithm.placements = self.placements(root)?;
        self.algorithm.chunks = self.chunks(root, gpus)?;
        Ok(())
    }

    /// The placements of the attributes `inplace` and `outofplace`.
    fn placements(&self, root: Node<'a, 'a>) -> Result<Vec<Placement>, GoalError> {
        let in_place = self.xml.flag(root, "inplace")?.unwrap_or(false);
        let out_of_place = self.xml.flag(root, "outofplace")?.unwrap_or(!in_place);
        Ok(match (in_place, out_of_place) {
            (true, true) => vec![Placement::InPlace, Placement::OutOfPlace],
            (true, false) => vec![Placement::InPlace],
            (false, _) => vec![Placement::OutOfPlace],
        })
    }

    /// The chunks of a buffer.
    fn chunks(&self, root: Node<'a, 'a>, gpus: &[Node<'a, 'a>]) -> Result<u64, GoalError> {
        let mut most = 0;
        for gpu in gpus {
            most = most.max(self.xml.number(*gpu, "i_chunks")?).max(self.xml.number(*gpu, "o_chunks")?);
        }
        let chunks = self.xml.optional(root, "nchunksperloop")?.unwrap_or(most);
        if chunks == 0 {
            return Err(self.xml.error(root, "all buffers are empty; at least one chunk is required".to_owned()));
        }
        let count = gpus.len() as u64;
        match self.algorithm.collective {
            Some(collective) if collective.has_shares() && chunks % count != 0 => {
                let message = format!(
                    "{} requires a number of chunks that is a multiple of the number of gpus, {count}, not {chunks}",
                    collective.with_article()
                );
                Err(self.xml.error(root, message))
            }
            _ => Ok(chunks),
        }
    }

    fn gpu(&mut self, gpu: Node<'a, 'a>, gpus: usize) -> Result<(), GoalError> {
        let scratch = self.xml.optional(gpu, Buffer::SIZES[2])?.unwrap_or(0);
        let sizes = [self.xml.number(gpu, Buffer::SIZES[0])?, self.xml.number(gpu, Buffer::SIZES[1])?, scratch];
        self.check_sizes(gpu, sizes, gpus as u64)?;
        let number = self.algorithm.gpus.len();
        let (first_block, first_step) = (self.algorithm.blocks.len(), self.algorithm.steps.len());
        self.named.clear();
        for block in children(gpu, "tb") {
            self.block(block, number, gpus, sizes)?;
        }
        let blocks = first_block..self.algorithm.blocks.len();
        let line = self.xml.line(gpu);
        self.algorithm.gpus.push(Gpu { line, sizes, blocks });
        let steps = children(gpu, "tb").flat_map(|block| block.children().filter(Node::is_element));
        for (at, node) in (first_step..).zip(steps) {
            self.algorithm.steps[at].after = self.dependency(node)?;
        }
        Ok(())
    }

    /// Buffers that a known collective uses have as many chunks as it needs.
    fn check_sizes(&self, gpu: Node<'a, 'a>, sizes: [u64; 3], gpus: u64) -> Result<(), GoalError> {
        let Some(collective) = self.algorithm.collective else { return Ok(()) };
        let chunks = self.algorithm.chunks;
        let needed = [collective.input(chunks, gpus), collective.output(chunks, gpus)];
        for ((name, size), needed) in Buffer::SIZES.into_iter().zip(sizes).zip(needed) {
            if size != 0 && size != needed {
                let name_of_call = collective.with_article();
                let message =
                    format!("`{name}` is {size}; {name_of_call} of {chunks} chunks on {gpus} gpus requires {needed}");
                return Err(self.xml.error(gpu, message));
            }
        }
        Ok(())
    }

    fn block(&mut self, node: Node<'a, 'a>, gpu: usize, gpus: usize, sizes: [u64; 3]) -> Result<(), GoalError> {
        let id: u32 = self.xml.number(node, "id")?;
        let channel: u32 = self.xml.optional(node, "chan")?.unwrap_or(0);
        if channel >= CHANNELS {
            return Err(self.xml.error(node, format!("`chan` is {channel}; the maximum is {}", CHANNELS - 1)));
        }
        let gpu = u32::try_from(gpu).unwrap_or(u32::MAX);
        let [send, receive] = [self.peer(node, "send", gpu, gpus)?, self.peer(node, "recv", gpu, gpus)?];
        let first = self.algorithm.steps.len();
        let mut block = Block { gpu, id, send, receive, channel, steps: first..first };
        self.steps(node, &block, sizes)?;
        block.steps.end = self.algorithm.steps.len();
        let contains = |does: fn(StepKind) -> bool| self.algorithm.steps[first..].iter().any(|step| does(step.kind));
        block.send = send.filter(|_| contains(StepKind::sends));
        block.receive = receive.filter(|_| contains(StepKind::receives));
        self.refuse_shared(node, &block)?;
        self.algorithm.blocks.push(block);
        Ok(())
    }

    /// The steps of a threadblock, which are in order.
    fn steps(&mut self, node: Node<'a, 'a>, block: &Block, sizes: [u64; 3]) -> Result<(), GoalError> {
        for (expected, element) in (0_u32..).zip(node.children().filter(Node::is_element)) {
            let name = if element.has_attribute("s") { "s" } else { "step" };
            if self.xml.number::<u32>(element, name)? != expected {
                let message =
                    format!("`{name}` must be {expected}: the steps of a threadblock are numbered from 0 in order");
                return Err(self.xml.error(element, message));
            }
            let step = self.step(element, expected, sizes)?;
            let ends = [
                ("sends", "send", step.kind.sends(), block.send),
                ("receives", "recv", step.kind.receives(), block.receive),
            ];
            if let Some((does, peer, ..)) = ends.iter().find(|(_, _, needs, peer)| *needs && peer.is_none()) {
                return Err(self
                    .xml
                    .error(node, format!("this threadblock {does}, but its `{peer}` is -1, not a gpu")));
            }
            if self.named.insert((block.id, i64::from(expected)), self.algorithm.steps.len()).is_some() {
                return Err(self.xml.error(node, format!("two threadblocks of this gpu have the id {}", block.id)));
            }
            let reports = self.xml.flag(element, "hasdep")? != Some(false);
            self.marks.push(Mark { start: element.range().start, reports });
            self.algorithm.steps.push(step);
        }
        Ok(())
    }

    /// Refuses two threadblocks of a GPU that send to one peer over one channel, or receive so: their messages have no
    /// order.
    fn refuse_shared(&self, node: Node<'a, 'a>, block: &Block) -> Result<(), GoalError> {
        let first = self.algorithm.gpus.last().map_or(0, |gpu| gpu.blocks.end);
        for other in &self.algorithm.blocks[first..] {
            let is_shared = |one: Option<u32>, other: Option<u32>| one.is_some() && one == other;
            let (preposition, peer) = match (is_shared(block.send, other.send), is_shared(block.receive, other.receive))
            {
                (true, _) => ("send to", block.send),
                (_, true) => ("receive from", block.receive),
                _ => continue,
            };
            if block.channel == other.channel {
                let (peer, channel) = (peer.unwrap_or_default(), block.channel);
                let message = format!(
                    "tb {} and tb {} both {preposition} gpu {peer} over channel {channel}: a channel between two gpus has \
                     one threadblock at each end",
                    other.id, block.id
                );
                return Err(self.xml.error(node, message));
            }
        }
        Ok(())
    }

    fn step(&self, node: Node<'a, 'a>, number: u32, sizes: [u64; 3]) -> Result<Step, GoalError> {
        let kind = self.xml.attribute(node, "type")?;
        let Some((_, kind)) = StepKind::NAMES.iter().find(|(name, _)| *name == kind) else {
            let accepted: Vec<&str> = StepKind::NAMES.iter().map(|(name, _)| *name).collect();
            return Err(self.xml.error(node, format!("unknown step type `{kind}`; accepted: {}", accepted.join(", "))));
        };
        let count: u64 = self.xml.optional(node, "cnt")?.unwrap_or(1);
        if count == 0 && *kind != StepKind::Nop {
            return Err(self.xml.error(node, "`cnt` is 0; a step moves at least 1 chunk".to_owned()));
        }
        let source = if kind.reads() { self.slice(node, ["srcbuf", "srcoff"], count, sizes)? } else { None };
        let target = if kind.writes() { self.slice(node, ["dstbuf", "dstoff"], count, sizes)? } else { None };
        let block = self.algorithm.blocks.len();
        Ok(Step { kind: *kind, source, target, count, after: None, block, number, line: self.xml.line(node) })
    }

    /// The chunks that a step names, which have to be in their buffer, or `None` if it names none.
    fn slice(
        &self,
        node: Node<'a, 'a>,
        [buffer, offset]: [&'static str; 2],
        count: u64,
        sizes: [u64; 3],
    ) -> Result<Option<Slice>, GoalError> {
        let (Some(name), true) = (node.attribute(buffer), node.has_attribute(offset)) else { return Ok(None) };
        let Some((_, buffer)) = Buffer::NAMES.iter().find(|(known, _)| *known == name) else {
            return Err(self.xml.error(node, format!("`{buffer}` cannot be \"{name}\"; accepted: i, o, s")));
        };
        let size = sizes[*buffer as usize];
        let written: i64 = self.xml.number(node, offset)?;
        let fits = |at: u64| at.checked_add(count).is_some_and(|end| end <= size);
        match u64::try_from(written).ok().filter(|&at| fits(at)) {
            Some(at) => Ok(Some(Slice { buffer: *buffer, offset: at })),
            None => {
                let sizes = Buffer::SIZES[*buffer as usize];
                let message = format!(
                    "`{offset}` {written} with `cnt` {count} is beyond the {buffer} buffer: `{sizes}` is {size}"
                );
                Err(self.xml.error(node, message))
            }
        }
    }

    /// The GPU that a threadblock sends to or receives from, or `None` if it is -1.
    fn peer(&self, block: Node<'a, 'a>, name: &'static str, gpu: u32, gpus: usize) -> Result<Option<u32>, GoalError> {
        let peer: i64 = self.xml.optional(block, name)?.unwrap_or(-1);
        match u32::try_from(peer).ok().filter(|&peer| (peer as usize) < gpus) {
            Some(peer) if peer == gpu => {
                Err(self.xml.error(block, format!("`{name}` is gpu {peer} itself; a copy within a gpu is a `cpy`")))
            }
            None if peer != -1 => {
                let last = gpus - 1;
                Err(self.xml.error(
                    block,
                    format!("`{name}` cannot be {peer}; accepted: a gpu from 0 to {last}, or -1 for none"),
                ))
            }
            peer => Ok(peer),
        }
    }

    /// The step that a step waits for. A threadblock reports only the steps with `hasdep`, so the wait lasts until the next of
    /// them.
    fn dependency(&self, node: Node<'a, 'a>) -> Result<Option<usize>, GoalError> {
        let block: i64 = self.xml.optional(node, "depid")?.unwrap_or(-1);
        let step: i64 = self.xml.optional(node, "deps")?.unwrap_or(-1);
        if (block, step) == (-1, -1) {
            return Ok(None);
        }
        let known = u32::try_from(block).ok().and_then(|block| self.named.get(&(block, step)));
        let Some(&named) = known else {
            return Err(self.xml.error(node, format!("this gpu has no step {step} of threadblock {block}")));
        };
        let end = self.algorithm.blocks[self.algorithm.steps[named].block].steps.end;
        match (named..end).find(|&at| self.marks[at].reports) {
            Some(at) => Ok(Some(at)),
            None => {
                let message = format!(
                    "the step waits for step {step} of tb {block}, whose `hasdep` is 0, so the wait never ends"
                );
                Err(self.xml.error(node, message))
            }
        }
    }

    /// Both ends of a message have as many chunks.
    fn check_counts(&self) -> Result<(), GoalError> {
        let algorithm = &self.algorithm;
        for (send, receive) in algorithm.messages() {
            let [sent, received] = [send, receive].map(|at| algorithm.steps[at].count);
            if sent != received {
                let message = format!(
                    "{}: `cnt` is {received}, but {}, line {}, sends {sent}",
                    algorithm.owner(receive),
                    algorithm.owner(send),
                    algorithm.steps[send].line
                );
                return Err(self.xml.error_from(self.marks[receive].start, message));
            }
        }
        Ok(())
    }
}
