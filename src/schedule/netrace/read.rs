//! Reads netrace files, version 1.0: little endian, without padding.
//!
//! ```text
//!   header 72 bytes | notes | regions, 24 bytes each | packets: 21 bytes, and 4 for each dependant
//! ```

use super::{Netrace, Packet, bytes};
use crate::units::narrow;
use rustc_hash::FxHashMap;
use thiserror::Error;

/// An error in a netrace file.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[error("{message}")]
pub struct NetraceError {
    /// The message.
    pub message: String,
    /// True if the error is in the number of the region, rather than in the file.
    pub of_region: bool,
}

const MAGIC: u32 = 0x484a_5455;
/// The number 1.0 as a float of 32 bits.
const VERSION: [u8; 4] = [0, 0, 0x80, 0x3f];
const HEADER: usize = 72;
const REGION: usize = 24;
const PACKET: usize = 21;

/// The most errors that are collected.
const MOST: usize = 20;

/// Bytes from a place on.
struct Bytes<'a> {
    all: &'a [u8],
    position: usize,
}

impl<'a> Bytes<'a> {
    fn take(&mut self, count: usize) -> Option<&'a [u8]> {
        let part = self.all.get(self.position..self.position.checked_add(count)?)?;
        self.position += count;
        Some(part)
    }

    fn number<const N: usize>(&mut self) -> Option<u64> {
        let mut number = [0; 8];
        number[..N].copy_from_slice(self.take(N)?);
        Some(u64::from_le_bytes(number))
    }

    fn u32(&mut self) -> Option<u32> {
        self.number::<4>().map(|number| narrow(number, "four bytes are 32 bits"))
    }

    fn u8(&mut self) -> Option<u8> {
        self.number::<1>().map(|number| narrow(number, "a byte is 8 bits"))
    }
}

fn error(message: String) -> NetraceError {
    NetraceError { message, of_region: false }
}

impl Netrace {
    /// Reads the packets of region number `first_region` and those after it.
    ///
    /// # Errors
    /// If the file is not a netrace file, ends too early, has no such region, or has packets that are wrong, all of which are returned.
    pub fn read(file: &[u8], first_region: u64) -> Result<Self, Vec<NetraceError>> {
        let mut from = Bytes { all: file, position: 0 };
        if from.u32() != Some(MAGIC) {
            return Err(vec![error("this is not a netrace file, which begins with the bytes 55 54 4a 48".to_owned())]);
        }
        let ends = |what: &str| vec![error(format!("the file ends within {what}"))];
        let nodes = read_header(&mut from, first_region)?.ok_or_else(|| ends("the header"))?;
        let mut packets = Packets { nodes, ..Packets::default() };
        while from.position < file.len() {
            if packets.read(&mut from).is_none() {
                let count = packets.list.len();
                packets.errors.push(error(format!("the file ends within the packet after {count} packets")));
                break;
            }
            if packets.errors.len() >= MOST {
                break;
            }
        }
        packets.finish()
    }
}

/// Reads the header and the regions, and skips the packets before a region. Returns the number of nodes, or `None` if the file
/// ends.
fn read_header(from: &mut Bytes<'_>, first_region: u64) -> Result<Option<u8>, Vec<NetraceError>> {
    from.position = 0;
    let Some(header) = from.take(HEADER) else { return Ok(None) };
    if header[4..8] != VERSION {
        return Err(vec![error("this is a netrace file of another version; accepted: version 1.0".to_owned())]);
    }
    let word = |at: usize| u32::from_le_bytes([header[at], header[at + 1], header[at + 2], header[at + 3]]) as usize;
    let (nodes, notes, regions) = (header[38], word(56), word(60));
    if from.take(notes).is_none() {
        return Ok(None);
    }
    if first_region >= regions as u64 {
        let message = format!("the file has {regions} regions; accepted: 0 to {}", regions.saturating_sub(1));
        return Err(vec![NetraceError { message, of_region: true }]);
    }
    let mut offset = 0;
    for region in 0..regions as u64 {
        let Some(own) = from.number::<8>() else { return Ok(None) };
        if from.take(REGION - 8).is_none() {
            return Ok(None);
        }
        if region == first_region {
            offset = own;
        }
    }
    let skipped = usize::try_from(offset).ok().and_then(|offset| from.take(offset));
    Ok(skipped.map(|_| nodes))
}

/// Packets as they are read.
#[derive(Default)]
struct Packets {
    nodes: u8,
    list: Vec<Packet>,
    /// The ids of dependants, packet by packet.
    dependants: Vec<u32>,
    by_id: FxHashMap<u32, u32>,
    errors: Vec<NetraceError>,
}

impl Packets {
    /// Reads a packet. Returns `None` if the file ends.
    fn read(&mut self, from: &mut Bytes<'_>) -> Option<()> {
        let start = from.position;
        let cycle = from.number::<8>()?;
        let id = from.u32()?;
        from.u32()?; // the address
        let [kind, src, dst, _, dependants] = [from.u8()?, from.u8()?, from.u8()?, from.u8()?, from.u8()?];
        debug_assert_eq!(from.position - start, PACKET);
        let first = narrow(self.dependants.len(), "a file has fewer than 2^32 dependencies");
        for _ in 0..dependants {
            self.dependants.push(from.u32()?);
        }
        let last = narrow(self.dependants.len(), "a file has fewer than 2^32 dependencies");
        let mut report = |message: String| self.errors.push(error(format!("packet {id}: {message}")));
        if let Some(before) = self.list.last().filter(|before| before.cycle > cycle) {
            report(format!("cycle {cycle} comes before cycle {} of the packet in front of it", before.cycle));
        }
        for node in [src, dst].into_iter().filter(|&node| node >= self.nodes) {
            report(format!("node {node} does not exist; the file has {} nodes", self.nodes));
        }
        if bytes(kind).is_none() {
            report(format!("type {kind} has no size"));
        }
        let number = narrow(self.list.len(), "a file has fewer than 2^32 packets");
        if self.by_id.insert(id, number).is_some() {
            report("is listed twice".to_owned());
        }
        self.list.push(Packet { cycle, id, kind, src, dst, dependants: first..last });
        Some(())
    }

    /// Replaces the ids of dependants by their numbers.
    fn finish(mut self) -> Result<Netrace, Vec<NetraceError>> {
        let Self { nodes, list, dependants, by_id, errors } = &mut self;
        for (number, packet) in (0_u32..).zip(list.iter()) {
            for dependant in &mut dependants[packet.dependants.start as usize..packet.dependants.end as usize] {
                if errors.len() >= MOST {
                    break;
                }
                let id = *dependant;
                match by_id.get(&id) {
                    Some(&later) if later > number => *dependant = later,
                    Some(_) => errors
                        .push(error(format!("packet {}: packet {id} depends on it, but comes before it", packet.id))),
                    None => errors
                        .push(error(format!("packet {}: packet {id}, which depends on it, does not exist", packet.id))),
                }
            }
        }
        if errors.is_empty() {
            return Ok(Netrace {
                nodes: *nodes,
                packets: std::mem::take(list),
                dependants: std::mem::take(dependants),
            });
        }
        Err(std::mem::take(errors))
    }
}
