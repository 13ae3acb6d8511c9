//! Encodings of text, and words of the command line.

use super::{Target, lines};
use flitwise::config::{decode, utf16, without_mark};
use flitwise::forecast::Column;
use flitwise::scenario::Tick;
use flitwise::sweep::Shard;

pub(crate) const TARGETS: &[Target] = &[Target {
    name: "words",
    reads: "encodings of text, ticks with a unit, shards, columns: arguments of the command line and values of scenarios",
    longest: 128,
    seeds: &["\n10ns", "\n2/3", "\n7", "\n\u{feff}name"],
    made: Vec::new,
    run: words,
}];

fn words(bytes: &[u8]) {
    let mark = without_mark(bytes);
    match decode(bytes.to_vec()) {
        Ok(text) => assert_eq!(text.as_bytes(), mark),
        Err(wrong) => {
            assert!(utf16(bytes).is_some() || std::str::from_utf8(bytes).is_err());
            assert!((1..=lines(bytes)).contains(&wrong.line) && wrong.column >= 1, "{wrong}");
            let place = wrong.diagnostic(0).place.unwrap();
            assert!(wrong.source("file").text.get(place.span).is_some(), "{wrong}");
        }
    }
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    if let Some(tick) = Tick::parse(text) {
        assert!(tick.nanoseconds > 0.0 && tick.nanoseconds <= 1e12 && tick.text == text);
    }
    if let Ok(shard) = text.parse::<Shard>() {
        assert!(shard.number() >= 1 && shard.number() <= shard.of().get(), "{text}");
        assert_eq!(shard.to_string().parse::<Shard>().ok(), Some(shard));
    }
    let _ = text.parse::<Column>();
}
