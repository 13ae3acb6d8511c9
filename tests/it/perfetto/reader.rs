//! A reader of traces of Perfetto that knows nothing of how they are written. What holds for every trace it looks at itself.

use std::collections::BTreeMap;

/// A field of a protobuf message.
enum Field<'a> {
    Number(u64),
    Bytes(&'a [u8]),
}

impl<'a> Field<'a> {
    fn number(&self) -> u64 {
        match self {
            Self::Number(number) => *number,
            Self::Bytes(bytes) => panic!("{bytes:?} is no number"),
        }
    }

    fn bytes(&self) -> &'a [u8] {
        match self {
            Self::Number(number) => panic!("{number} is no text or message"),
            Self::Bytes(bytes) => bytes,
        }
    }

    fn text(&self) -> String {
        String::from_utf8(self.bytes().to_vec()).unwrap()
    }
}

/// What is left of a message to be read.
struct Reader<'a>(&'a [u8]);

impl<'a> Reader<'a> {
    fn take(&mut self, count: usize) -> &'a [u8] {
        let (taken, rest) = self.0.split_at(count);
        self.0 = rest;
        taken
    }

    fn varint(&mut self) -> u64 {
        let length = self.0.iter().position(|byte| byte & 0x80 == 0).unwrap() + 1;
        self.take(length).iter().rev().fold(0, |value, byte| value << 7 | u64::from(byte & 0x7f))
    }
}

/// The fields of a message by number.
struct Message<'a>(BTreeMap<u64, Vec<Field<'a>>>);

impl<'a> Message<'a> {
    fn read(bytes: &'a [u8]) -> Self {
        let mut fields: BTreeMap<u64, Vec<Field<'_>>> = BTreeMap::new();
        let mut reader = Reader(bytes);
        while !reader.0.is_empty() {
            let key = reader.varint();
            let field = match key & 7 {
                0 => Field::Number(reader.varint()),
                1 => Field::Number(u64::from_le_bytes(reader.take(8).try_into().unwrap())),
                2 => {
                    let length = reader.varint();
                    Field::Bytes(reader.take(usize::try_from(length).unwrap()))
                }
                kind => panic!("kind {kind}"),
            };
            fields.entry(key >> 3).or_default().push(field);
        }
        Self(fields)
    }

    fn all(&self, field: u64) -> &[Field<'a>] {
        self.0.get(&field).map_or(&[], Vec::as_slice)
    }

    fn get(&self, field: u64) -> Option<&Field<'a>> {
        assert!(self.all(field).len() < 2, "field {field} is there twice");
        self.all(field).first()
    }

    fn number(&self, field: u64) -> u64 {
        self.get(field).unwrap().number()
    }

    fn text(&self, field: u64) -> String {
        self.get(field).unwrap().text()
    }

    fn nested(&self, field: u64) -> Option<Message<'a>> {
        self.get(field).map(|field| Message::read(field.bytes()))
    }

    fn numbers(&self, field: u64) -> Vec<u64> {
        self.all(field).iter().map(Field::number).collect()
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Slice {
    pub(crate) process: String,
    pub(crate) track: String,
    pub(crate) from: u64,
    pub(crate) to: u64,
    pub(crate) name: String,
    pub(crate) ticks: u64,
    pub(crate) flows: Vec<u64>,
    pub(crate) last_flows: Vec<u64>,
}

/// A track, and the slice on it that has not ended.
pub(crate) struct Track {
    pub(crate) process: String,
    pub(crate) name: String,
    open: Option<Slice>,
}

/// A trace as it is read; what holds for every trace is looked at on the way.
#[derive(Default)]
pub(crate) struct Trace {
    /// Names by pid.
    pub(crate) processes: BTreeMap<u64, String>,
    pub(crate) slices: Vec<Slice>,
    uuids: BTreeMap<u64, String>,
    pub(crate) tracks: BTreeMap<u64, Track>,
    names: BTreeMap<u64, String>,
    annotations: BTreeMap<u64, String>,
    now: u64,
    begins_now: bool,
}

impl Trace {
    pub(crate) fn read(bytes: &[u8]) -> Self {
        let mut trace = Self::default();
        for (number, packet) in Message::read(bytes).all(1).iter().enumerate() {
            let packet = Message::read(packet.bytes());
            assert_eq!(packet.number(10), 1, "one sequence");
            assert_eq!(packet.number(13), if number == 0 { 1 } else { 2 });
            trace.packet(&packet);
        }
        assert!(trace.tracks.values().all(|track| track.open.is_none()), "a slice has no end");
        trace
    }

    fn packet(&mut self, packet: &Message<'_>) {
        if let Some(data) = packet.nested(12) {
            for (field, names) in [(2, &mut self.names), (3, &mut self.annotations)] {
                for name in data.all(field).iter().map(|name| Message::read(name.bytes())) {
                    assert_eq!(names.insert(name.number(1), name.text(2)), None, "a name is interned twice");
                }
            }
        }
        match (packet.nested(60), packet.nested(11)) {
            (Some(descriptor), None) => self.descriptor(&descriptor),
            (None, Some(event)) => self.event(&event, packet.number(8)),
            _ => panic!("a packet is a descriptor or an event"),
        }
    }

    fn descriptor(&mut self, descriptor: &Message<'_>) {
        assert_eq!(self.now, 0, "descriptors stand before events");
        let uuid = descriptor.number(1);
        assert!(!self.uuids.contains_key(&uuid) && !self.tracks.contains_key(&uuid), "a uuid is there twice");
        if let Some(process) = descriptor.nested(3) {
            let name = process.text(6);
            assert_eq!(self.processes.insert(process.number(1), name.clone()), None, "a pid is there twice");
            self.uuids.insert(uuid, name);
            return;
        }
        let process = self.uuids[&descriptor.number(5)].clone();
        self.tracks.insert(uuid, Track { process, name: descriptor.text(2), open: None });
    }

    fn event(&mut self, event: &Message<'_>, at: u64) {
        assert!(at >= self.now, "time goes back");
        self.begins_now &= at == self.now;
        self.now = at;
        let track = self.tracks.get_mut(&event.number(11)).expect("a track is described before its events");
        if event.number(9) == 2 {
            assert!(!self.begins_now, "ends stand before begins");
            let slice = track.open.take().expect("a slice ends that has begun");
            assert!(slice.from < at, "an empty slice");
            self.slices.push(Slice { to: at, ..slice });
            return;
        }
        self.begins_now = true;
        let annotation = event.nested(4).unwrap();
        assert_eq!(self.annotations[&annotation.number(1)], "ticks");
        let open = Slice {
            process: track.process.clone(),
            track: track.name.clone(),
            from: at,
            to: at,
            name: self.names[&event.number(10)].clone(),
            ticks: annotation.number(3),
            flows: event.numbers(47),
            last_flows: event.numbers(48),
        };
        assert!(track.open.replace(open).is_none(), "slices overlap on a track");
    }

    /// How long slices are in all, by track; those of tracks that `is_of`.
    pub(crate) fn sums(&self, is_of: impl Fn(&str) -> bool) -> BTreeMap<String, u64> {
        let mut sums = BTreeMap::new();
        for slice in self.slices.iter().filter(|slice| is_of(&slice.track)) {
            *sums.entry(slice.track.clone()).or_default() += slice.to - slice.from;
        }
        sums
    }

    /// The slices of tracks called `track`.
    pub(crate) fn on<'a>(&'a self, track: &'a str) -> impl Iterator<Item = &'a Slice> {
        self.slices.iter().filter(move |slice| slice.track == track)
    }

    /// The slices called `name`, in the order in which they begin.
    pub(crate) fn called(&self, name: &str) -> Vec<&Slice> {
        let mut slices: Vec<&Slice> = self.slices.iter().filter(|slice| slice.name == name).collect();
        slices.sort_by_key(|slice| slice.from);
        slices
    }
}
