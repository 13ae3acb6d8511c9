//! MSCCL XML in: collective schedules of GPU libraries as operations, a rank for each GPU.
//!
//! A threadblock is one sequence of steps, each after the one before it has finished, or started if that sends: what is
//! sent lies in a buffer, and no sender waits for its receiver. A step may wait for one more step of another threadblock,
//! and `nop` steps for further ones. A send of `cnt` chunks is matched with the receive at the same place among those
//! of its channel between the two GPUs, which the tag says. Chunks are parts of a buffer of a given size. Copies within
//! a GPU take no time, reductions so much a byte. All threadblocks of a GPU share processor 0.

use super::{ANY, Goal, GoalBuilder, GoalError, Operation};
use roxmltree::{Document, Node};
use rustc_hash::FxHashMap;
use std::str::FromStr;

/// How the chunks of an MSCCL file become bytes and ticks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Msccl {
    /// The size of the buffer that all chunks together make, bytes.
    pub buffer_bytes: u64,
    /// What a reduction takes, ticks per byte.
    pub reduce_per_byte: u64,
}

/// Whether a kind of step receives, reduces and sends.
const STEPS: &[(&str, [bool; 3])] = &[
    ("s", [false, false, true]),
    ("r", [true, false, false]),
    ("rcs", [true, false, true]),
    ("rrc", [true, true, false]),
    ("rrs", [true, true, true]),
    ("rrcs", [true, true, true]),
    ("re", [false, true, false]),
    ("cpy", [false, false, false]),
    ("nop", [false, false, false]),
];

impl Msccl {
    /// Reads MSCCL XML.
    ///
    /// # Errors
    /// With the first thing in it that is wrong.
    pub fn read(&self, bytes: &[u8]) -> Result<Goal, GoalError> {
        let text = std::str::from_utf8(bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes)).map_err(|_| {
            let message = "not UTF-8 text, so no XML".to_owned();
            GoalError { line: 1, column: 1, span: 0..0, message, first: None }
        })?;
        refuse_crowded(text)?;
        let document = Document::parse(text).map_err(|error| {
            let (line, column) = (error.pos().row as usize, error.pos().col as usize);
            let start = text.split_inclusive('\n').take(line.saturating_sub(1)).map(str::len).sum::<usize>();
            GoalError { line, column, span: start..start, message: format!("no XML: {error}"), first: None }
        })?;
        let reading = Reading { document: &document, msccl: *self };
        reading.whole()
    }
}

/// More attributes than any element of a schedule has. The XML reader compares each with all others of its element.
const MOST_ATTRIBUTES: usize = 1000;

/// Refuses an element with far more attributes than schedules have.
fn refuse_crowded(text: &str) -> Result<(), GoalError> {
    let mut start = 0;
    for tag in text.split_inclusive('<') {
        if tag.matches('=').count() > MOST_ATTRIBUTES {
            let message = format!("an element with more than {MOST_ATTRIBUTES} attributes");
            let before = &text[..start];
            let line = 1 + before.matches('\n').count();
            let column = 1 + before.bytes().rev().take_while(|&byte| byte != b'\n').count();
            return Err(GoalError { line, column, span: start..start, message, first: None });
        }
        start += tag.len();
    }
    Ok(())
}

/// A step, as the operations that it became.
#[derive(Clone, Copy)]
struct Step<'a> {
    node: Node<'a, 'a>,
    first: u32,
    last: u32,
    /// Whether its last operation is a send.
    sends: bool,
}

/// How many messages have gone each way over a channel so far: by (sends, peer, channel).
type Places = FxHashMap<(bool, u32, u32), u32>;

struct Reading<'a> {
    document: &'a Document<'a>,
    msccl: Msccl,
}

impl<'a> Reading<'a> {
    fn whole(&self) -> Result<Goal, GoalError> {
        let root = self.document.root_element();
        if !root.has_tag_name("algo") {
            return Err(self.error(root, format!("<{}> where <algo> is expected", root.tag_name().name())));
        }
        let mut gpus: Vec<Node<'a, 'a>> = children(root, "gpu").collect();
        for gpu in &gpus {
            self.number::<u32>(*gpu, "id")?;
        }
        gpus.sort_by_key(|gpu| self.number::<u32>(*gpu, "id").unwrap_or(ANY));
        if gpus.is_empty() {
            return Err(self.error(root, "no <gpu>: at least one is needed".to_owned()));
        }
        let chunks = self.chunks(root, &gpus)?;
        let mut goal = GoalBuilder::default();
        for (expected, gpu) in (0..).zip(&gpus) {
            let id: u32 = self.number(*gpu, "id")?;
            if id != expected {
                return Err(self.error(*gpu, format!("gpu {id} stands where gpu {expected} is expected")));
            }
            goal.next_rank();
            self.gpu(*gpu, (gpus.len(), chunks), &mut goal)?;
        }
        Ok(goal.finish())
    }

    /// The chunks of a buffer.
    fn chunks(&self, root: Node<'a, 'a>, gpus: &[Node<'a, 'a>]) -> Result<u64, GoalError> {
        let mut most = 0;
        for gpu in gpus {
            most = most.max(self.number(*gpu, "i_chunks")?).max(self.number(*gpu, "o_chunks")?);
        }
        let chunks = match root.has_attribute("nchunksperloop") {
            true => self.number(root, "nchunksperloop")?,
            false => most,
        };
        if chunks == 0 { Err(self.error(root, "no chunks in any buffer".to_owned())) } else { Ok(chunks) }
    }

    fn gpu(&self, gpu: Node<'a, 'a>, sizes: (usize, u64), goal: &mut GoalBuilder) -> Result<(), GoalError> {
        let mut steps: FxHashMap<(i64, i64), Step<'a>> = FxHashMap::default();
        let mut in_order = Vec::new();
        let mut places = Places::default();
        for block in children(gpu, "tb") {
            let id = self.number(block, "id")?;
            let mut before: Option<Step<'a>> = None;
            for (expected, node) in (0_i64..).zip(block.children().filter(Node::is_element)) {
                let name = if node.has_attribute("s") { "s" } else { "step" };
                if self.number::<i64>(node, name)? != expected {
                    return Err(self.error(node, format!("another step stands where step {expected} is expected")));
                }
                let step = self.step(block, node, sizes, &mut places, goal)?;
                match before.replace(step) {
                    Some(Step { last, sends: true, .. }) => goal.irequires(step.first, last),
                    Some(Step { last, .. }) => goal.requires(step.first, last),
                    None => {}
                }
                in_order.push(step);
                if steps.insert((id, expected), step).is_some() {
                    return Err(self.error(block, format!("threadblock {id} stands twice in its gpu")));
                }
            }
        }
        for step in in_order {
            let on: (i64, i64) = (self.number(step.node, "depid")?, self.number(step.node, "deps")?);
            match steps.get(&on) {
                _ if on == (-1, -1) => {}
                Some(on) => goal.requires(step.first, on.last),
                None => {
                    let message = format!("step {} of threadblock {} is not in this gpu", on.1, on.0);
                    return Err(self.error(step.node, message));
                }
            }
        }
        Ok(())
    }

    fn step(
        &self,
        block: Node<'a, 'a>,
        node: Node<'a, 'a>,
        (gpus, chunks): (usize, u64),
        places: &mut Places,
        goal: &mut GoalBuilder,
    ) -> Result<Step<'a>, GoalError> {
        let kind = self.attribute(node, "type")?;
        let Some((_, [receives, reduces, sends])) = STEPS.iter().find(|(name, _)| *name == kind) else {
            let accepted: Vec<&str> = STEPS.iter().map(|(name, _)| *name).collect();
            return Err(self.error(node, format!("no step is of type `{kind}`; accepted: {}", accepted.join(", "))));
        };
        let count: u64 = self.number(node, "cnt")?;
        let bytes = u128::from(count) * u128::from(self.msccl.buffer_bytes);
        let bytes = u64::try_from(bytes.div_ceil(u128::from(chunks))).unwrap_or(u64::MAX >> 1);
        let mut operations = Vec::new();
        if *receives {
            let (from, tag) = self.peer(block, "recv", gpus, places)?;
            operations.push(Operation::receive(bytes, from, tag));
        }
        if *reduces {
            operations.push(Operation::compute(bytes.saturating_mul(self.msccl.reduce_per_byte)));
        }
        if *sends {
            let (to, tag) = self.peer(block, "send", gpus, places)?;
            operations.push(Operation::send(bytes, to, tag));
        }
        if operations.is_empty() {
            operations.push(Operation::compute(0));
        }
        let ids: Vec<u32> = operations.into_iter().map(|operation| goal.push(operation)).collect();
        ids.windows(2).for_each(|pair| goal.requires(pair[1], pair[0]));
        Ok(Step { node, first: ids[0], last: ids[ids.len() - 1], sends: *sends })
    }

    /// The peer of a threadblock, and the tag of its next message there: the place and the channel.
    fn peer(
        &self,
        block: Node<'a, 'a>,
        way: &'static str,
        gpus: usize,
        places: &mut Places,
    ) -> Result<(u32, u32), GoalError> {
        let (peer, channel): (i64, u32) = (self.number(block, way)?, self.number(block, "chan")?);
        let known = u32::try_from(peer).ok().filter(|&peer| (peer as usize) < gpus);
        let Some(known) = known else {
            let message = format!("this threadblock {way}s, but its `{way}` is {peer}, not a gpu");
            return Err(self.error(block, message));
        };
        let place = places.entry((way == "send", known, channel)).or_default();
        *place += 1;
        // channels are few: MSCCL has 32 at most
        Ok((known, (*place - 1) * 256 + channel % 256))
    }

    fn number<T: FromStr>(&self, node: Node<'a, 'a>, name: &str) -> Result<T, GoalError> {
        let written = self.attribute(node, name)?;
        written.parse().map_err(|_| self.error(node, format!("`{name}` cannot be \"{written}\": a number is needed")))
    }

    fn attribute(&self, node: Node<'a, 'a>, name: &str) -> Result<&'a str, GoalError> {
        let element = node.tag_name().name();
        node.attribute(name).ok_or_else(|| self.error(node, format!("<{element}> without `{name}`")))
    }

    fn error(&self, node: Node<'a, 'a>, message: String) -> GoalError {
        let place = self.document.text_pos_at(node.range().start);
        let tag = node.document().input_text()[node.range()].split('>').next().map_or(0, str::len);
        let span = node.range().start..node.range().start + tag + 1;
        GoalError { line: place.row as usize, column: place.col as usize, span, message, first: None }
    }
}

fn children<'a>(node: Node<'a, 'a>, name: &'static str) -> impl Iterator<Item = Node<'a, 'a>> {
    node.children().filter(move |child| child.has_tag_name(name))
}
