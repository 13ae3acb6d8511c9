//! Reads a file of a Chakra trace, frame by frame.
//!
//! ```text
//!   varint length | metadata of the trace | varint length | node | varint length | node | ..
//! ```

use super::node::Fielded;
use super::wire::{Fields, Value, WireError, delimited};
use super::{COLLECTIVES, Collective, Message, Node, RankTrace, Work};
use crate::cancel::Pace;
use crate::units::narrow;
use rustc_hash::FxHashMap;

/// The most errors that are collected.
const MOST: usize = 20;

/// The largest tag. Tags of messages of collectives follow.
const LARGEST_TAG: u32 = (1 << 30) - 1;

/// The most bytes of a message, or of a rank in a collective.
const MOST_BYTES: u64 = 1 << 40;

/// A file while it is read.
#[derive(Default)]
struct Reading {
    trace: RankTrace,
    /// The numbers of the groups.
    groups: FxHashMap<String, u32>,
    control: Vec<u64>,
    data: Vec<u64>,
    errors: Vec<String>,
}

impl RankTrace {
    /// Reads the nodes of `file`. O(bytes) time, and memory only for known fields.
    ///
    /// # Errors
    /// Returns the errors of the encoding and of nodes in the order of the file, or the first twenty.
    pub(crate) fn read(file: &[u8]) -> Result<Self, Vec<String>> {
        let mut reading = Reading::default();
        let mut rest = file;
        let mut pace = Pace::default();
        if file.is_empty() {
            reading.report("the file is empty; a Chakra trace begins with its metadata".to_owned());
        }
        for number in 0_u64.. {
            if rest.is_empty() || reading.errors.len() >= MOST {
                break;
            }
            pace.step();
            let offset = file.len() - rest.len();
            let place = |problem: &str| format!("frame {number} at byte {offset}: {problem}");
            match delimited(&mut rest) {
                Ok(frame) if number == 0 => reading.skip_metadata(frame, place),
                Ok(frame) => reading.add(frame, place),
                // the next frame cannot be found
                Err(error) => {
                    let ends = "the file ends within it".to_owned();
                    let problem = if error == WireError::Ends { ends } else { error.to_string() };
                    reading.report(place(&problem));
                    break;
                }
            }
        }
        reading.finish()
    }
}

impl Reading {
    fn report(&mut self, error: String) {
        self.errors.push(error);
    }

    /// Checks that the first frame is not a node, which has numbers where metadata has texts.
    fn skip_metadata(&mut self, frame: &[u8], place: impl Fn(&str) -> String) {
        for field in Fields(frame) {
            match field {
                Ok((1 | 3, Value::Varint(_))) => {
                    return self.report(place("it is a node; a Chakra trace begins with its metadata"));
                }
                Ok(_) => {}
                Err(error) => self.report(place(&error.to_string())),
            }
        }
    }

    /// Adds the node of `frame`.
    fn add(&mut self, frame: &[u8], place: impl Fn(&str) -> String) {
        self.control.clear();
        self.data.clear();
        let node = match Fielded::read(frame, &mut self.control, &mut self.data) {
            Ok(node) => node,
            Err(error) => return self.report(place(&error.to_string())),
        };
        let trace = &mut self.trace;
        let dependencies = trace.dependencies.len() + self.control.len() + self.data.len();
        let names = trace.names.len() + 3 * node.name.len(); // a byte that is not UTF-8 becomes three
        if dependencies.max(names).max(trace.nodes.len() + MOST) > u32::MAX as usize {
            return self.report(place("the nodes, dependencies or bytes of names exceed 2^32"));
        }
        let length = |length: usize| narrow(length, "lengths have been checked");
        let start = length(trace.dependencies.len());
        trace.dependencies.extend(&self.control);
        let middle = length(trace.dependencies.len());
        trace.dependencies.extend(&self.data);
        let end = length(trace.dependencies.len());
        let name = length(trace.names.len());
        trace.names.push_str(&String::from_utf8_lossy(node.name));
        let name = [name, length(trace.names.len())];
        match self.work(&node) {
            Ok(work) => {
                let Fielded { id, duration, .. } = node;
                self.trace.nodes.push(Node { id, duration, work, dependencies: [start, middle, end], name });
            }
            Err(problem) => self.report(format!("node {}: {problem}", node.id)),
        }
    }

    /// The work of `node`.
    fn work(&mut self, node: &Fielded<'_>) -> Result<Work, String> {
        let attributes = &node.attributes;
        let is_on_cpu = || Ok::<_, String>(attributes.integer("is_cpu_op")?.is_some_and(|flag| flag != 0));
        Ok(match node.kind {
            0 => Work::Nothing,
            1 => {
                self.note_definitions(node.values);
                Work::Nothing
            }
            2..=4 if is_on_cpu()? => Work::Cpu,
            2 | 3 => Work::Gpu,
            4 => match (attributes.integer("num_ops")?, attributes.integer("tensor_size")?) {
                (Some(operations), Some(bytes)) => Work::Kernel { operations, bytes },
                _ => Work::Gpu,
            },
            5 => Work::Send(message(node, "comm_dst")?),
            6 => Work::Receive(message(node, "comm_src")?),
            7 => match attributes.integer("comm_type")? {
                Some(number) => Work::Collective(self.collective(node, number)?),
                None => Work::UnknownCollective,
            },
            8..=10 => Work::Storage,
            other => return Err(format!("its type is {other}; accepted: 0 to 10")),
        })
    }

    /// Notes the text of a metadata node that may define groups.
    fn note_definitions(&mut self, values: &[u8]) {
        const KEY: &[u8] = b"\"pg_name\"";
        if values.windows(KEY.len()).any(|window| window == KEY) {
            self.trace.definitions.push(String::from_utf8_lossy(values).into());
        }
    }

    fn collective(&mut self, node: &Fielded<'_>, number: u64) -> Result<Collective, String> {
        let kind = u8::try_from(number).ok().filter(|&kind| usize::from(kind) < COLLECTIVES.len());
        let kind = match kind {
            Some(8) => 7, // both are reduce-scatters
            Some(kind) => kind,
            None => return Err(format!("`comm_type` is {number}; accepted: 0 to {}", COLLECTIVES.len() - 1)),
        };
        let bytes = node.attributes.up_to("comm_size", MOST_BYTES)?;
        let name = node.attributes.text("pg_name")?;
        let groups = &mut self.trace.groups;
        let group = *self.groups.entry(name).or_insert_with_key(|name| {
            groups.push(name.clone());
            narrow(groups.len() - 1, "there are fewer than 2^32 nodes, as has been checked")
        });
        Ok(Collective { kind, bytes, group })
    }

    /// Sorts the nodes by id, each of which occurs once.
    fn finish(mut self) -> Result<RankTrace, Vec<String>> {
        let nodes = &mut self.trace.nodes;
        if !nodes.is_sorted_by_key(|node| node.id) {
            nodes.sort_by_key(|node| node.id);
        }
        let repeated = nodes.windows(2).filter(|pair| pair[0].id == pair[1].id);
        let twice = repeated.map(|pair| format!("node {} is listed twice", pair[0].id));
        self.errors.extend(twice);
        self.errors.truncate(MOST);
        if self.errors.is_empty() { Ok(self.trace) } else { Err(self.errors) }
    }
}

/// The message of `node`, whose other end is in the attribute `peer`.
fn message(node: &Fielded<'_>, peer: &str) -> Result<Message, String> {
    let attributes = &node.attributes;
    let small =
        |name: &str, most: u32| Ok::<_, String>(narrow(attributes.up_to(name, most.into())?, "it is at most 2^32"));
    let bytes = attributes.up_to("comm_size", MOST_BYTES)?;
    let has_peer = attributes.integer(peer)?.is_some();
    let peer = if has_peer { Some(small(peer, u32::MAX)?) } else { None };
    Ok(Message { bytes, peer, tag: small("comm_tag", LARGEST_TAG)? })
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]
mod tests {
    use super::*;
    use crate::leb128;
    use proptest::prelude::*;

    /// A file of metadata and `frames`.
    fn file(frames: &[Vec<u8>]) -> Vec<u8> {
        let mut file = b"\x02\x0a\x00".to_vec();
        for frame in frames {
            leb128::push(&mut file, frame.len() as u64);
            file.extend(frame);
        }
        file
    }

    /// A computation with `id`, which depends on `control` and `data`.
    fn node(id: u64, control: &[u64], data: &[u64]) -> Vec<u8> {
        let mut bytes = vec![0x08];
        leb128::push(&mut bytes, id);
        bytes.extend([0x18, 4]);
        for (key, ids) in [(0x20, control), (0x28, data)] {
            for &on in ids {
                bytes.push(key);
                leb128::push(&mut bytes, on);
            }
        }
        bytes
    }

    fn messages(file: &[u8]) -> Vec<String> {
        RankTrace::read(file).unwrap_err()
    }

    #[test]
    fn nodes_are_sorted_and_keep_their_own_lists() {
        let nodes = [node(7, &[3], &[5]), [node(3, &[], &[]), b"\x12\x02ab".to_vec()].concat(), node(5, &[], &[3, 7])];
        let trace = RankTrace::read(&file(&nodes)).unwrap();
        assert_eq!(trace.nodes.iter().map(|node| node.id).collect::<Vec<_>>(), [3, 5, 7]);
        let [three, five, seven] = [0, 1, 2].map(|index| &trace.nodes[index]);
        assert_eq!([three, five].map(|node| trace.name(node)), ["ab", ""]);
        assert_eq!((trace.data(seven), trace.control_and_data(seven)), (&[5][..], &[3, 5][..]));
        assert_eq!((trace.data(five), trace.control_and_data(five)), (&[3, 7][..], &[3, 7][..]));
        assert_eq!([3, 5, 7, 4].map(|id| trace.index(id, 1)), [Some(0), Some(1), Some(2), None]);
    }

    #[test]
    fn reading_continues_after_an_invalid_frame() {
        let frames = [
            node(1, &[], &[]),
            b"\x0b".to_vec(),
            b"\x08\x01\x18\x0b".to_vec(),
            node(1, &[], &[]),
            b"\x08\x80".to_vec(),
        ];
        let expected = [
            "frame 2 at byte 8: a field has wire type 3; accepted: 0, 1, 2 and 5",
            "node 1: its type is 11; accepted: 0 to 10",
            "frame 5 at byte 20: it ends within a field",
            "node 1 is listed twice",
        ];
        assert_eq!(messages(&file(&frames)), expected);
        let frames = vec![b"\x0b".to_vec(); 50];
        assert_eq!(messages(&file(&frames)).len(), MOST);
    }

    #[test]
    fn huge_unknown_fields_are_stepped_over() {
        let mut frame = node(1, &[], &[]);
        frame.extend([0x4a]); // outputs
        leb128::push(&mut frame, 1 << 20);
        frame.extend(vec![b'x'; 1 << 20]);
        let trace = RankTrace::read(&file(&[frame])).unwrap();
        assert!(trace.names.is_empty() && trace.definitions.is_empty());
    }

    proptest! {
        #[test]
        fn nodes_are_read_in_any_order(ids in proptest::collection::btree_set(0_u64..1 << 40, 1..30), seed: u64) {
            let mut nodes: Vec<u64> = ids.iter().copied().collect();
            nodes.sort_by_key(|id| id.wrapping_mul(seed | 1));
            let frames: Vec<Vec<u8>> = nodes.iter().map(|&id| node(id, &[id / 2], &[id, id + 1])).collect();
            let trace = RankTrace::read(&file(&frames)).unwrap();
            prop_assert!(trace.nodes.iter().map(|node| node.id).eq(ids.iter().copied()));
            for (index, node) in trace.nodes.iter().enumerate() {
                prop_assert_eq!(trace.control_and_data(node), &[node.id / 2, node.id, node.id + 1]);
                for near in 0..trace.nodes.len() {
                    prop_assert_eq!(trace.index(node.id, near), Some(index));
                }
            }
        }

        #[test]
        fn any_bytes_are_read_or_refused(bytes: Vec<u8>, cut: usize) {
            for bytes in [bytes.clone(), file(&[bytes])] {
                let read = RankTrace::read(&bytes[..cut % (bytes.len() + 1)]);
                prop_assert!(read.is_ok() || read.is_err_and(|errors| (1..=MOST).contains(&errors.len())));
            }
        }
    }
}
