//! `flitwise --version`: the version, and the commit if it is known.
//!
//! In a checkout the commit is the end of the log of HEAD, which the compiler reads: build.rs says where it is.

use std::sync::LazyLock;

/// What build.rs found: the commit, and its date where that is known.
const FOUND: Option<&str> = option_env!("FLITWISE_COMMIT");

/// As `--version` prints it, such as `0.1.0 (abcdef123 2026-11-22)`.
pub(super) fn text() -> &'static str {
    static TEXT: LazyLock<String> = LazyLock::new(|| {
        let version = env!("CARGO_PKG_VERSION");
        commit().map_or_else(|| version.to_owned(), |commit| format!("{version} ({commit})"))
    });
    &TEXT
}

#[cfg(not(reflog))]
fn commit() -> Option<String> {
    FOUND.map(str::to_owned)
}

#[cfg(reflog)]
fn commit() -> Option<String> {
    const HEAD: log::Head = log::Head::last(include_bytes!(env!("FLITWISE_REFLOG")));
    let hash = String::from_utf8(HEAD.hash.to_vec()).ok()?;
    match (FOUND, HEAD.committed) {
        (Some(found), _) if found.starts_with(&hash) => Some(found.to_owned()),
        (_, Some(seconds)) => Some(format!("{hash} {}", log::date(seconds))),
        // a commit that was made elsewhere: when, the log does not tell
        (_, None) => Some(hash),
    }
}

/// The log of HEAD: lines of `OLD NEW NAME <EMAIL> SECONDS ZONE<tab>WHAT`.
#[cfg(any(reflog, test))]
mod log {
    /// Digits of a commit that are shown.
    const DIGITS: usize = 9;

    /// Where HEAD is. Constant, so that no name or message of the log gets into the command.
    #[derive(Debug, PartialEq, Eq)]
    pub(super) struct Head {
        pub(super) hash: [u8; DIGITS],
        /// When it was made, in seconds of its own time zone, if it was made here.
        pub(super) committed: Option<u64>,
    }

    impl Head {
        pub(super) const fn last(log: &[u8]) -> Self {
            let end = log.len().saturating_sub(1);
            let mut start = end;
            while start > 0 && log[start - 1] != b'\n' {
                start -= 1;
            }
            let mut hash = [b'?'; DIGITS];
            let new = find(log, start, end, b' ') + 1;
            let mut at = 0;
            while at < DIGITS && new + at < end {
                hash[at] = log[new + at];
                at += 1;
            }
            let tab = find(log, start, end, b'\t');
            Self { hash, committed: if says_commit(log, tab + 1) { Some(time(log, tab)) } else { None } }
        }
    }

    const fn find(log: &[u8], mut at: usize, end: usize, byte: u8) -> usize {
        while at < end && log[at] != byte {
            at += 1;
        }
        at
    }

    const fn says_commit(log: &[u8], from: usize) -> bool {
        let word = b"commit";
        let mut at = 0;
        while at < word.len() {
            if from + at >= log.len() || log[from + at] != word[at] {
                return false;
            }
            at += 1;
        }
        true
    }

    /// The seconds of `SECONDS +HHMM` before `tab`, on the clock of that zone.
    const fn time(log: &[u8], tab: usize) -> u64 {
        let zone = tab - 5;
        let hours = digit(log, zone + 1) * 10 + digit(log, zone + 2);
        let minutes = hours * 60 + digit(log, zone + 3) * 10 + digit(log, zone + 4);
        let mut seconds = 0;
        let mut scale = 1;
        let mut at = zone - 1;
        while log[at - 1].is_ascii_digit() {
            at -= 1;
            seconds += digit(log, at) * scale;
            scale *= 10;
        }
        if log[zone] == b'-' { seconds - minutes * 60 } else { seconds + minutes * 60 }
    }

    const fn digit(log: &[u8], at: usize) -> u64 {
        (log[at] - b'0') as u64
    }

    /// The day that so many seconds after 1970 fall on.
    pub(super) fn date(seconds: u64) -> String {
        let mut days = seconds / 86_400;
        let mut year = 1970;
        let is_leap = |year: u64| year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400));
        while days >= 365 + u64::from(is_leap(year)) {
            days -= 365 + u64::from(is_leap(year));
            year += 1;
        }
        let lengths = [31, 28 + u64::from(is_leap(year)), 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
        let mut month = 1;
        for length in lengths {
            if days < length {
                break;
            }
            days -= length;
            month += 1;
        }
        format!("{year}-{month:02}-{:02}", days + 1)
    }

    #[cfg(test)]
    mod tests {
        use super::*;

        #[test]
        fn the_last_line_tells() {
            let old = "0123456789 abcdefabcdef A B <a@b> 1763769600 +0000\tclone: from x\n";
            let clone = Head::last(old.as_bytes());
            assert_eq!(clone, Head { hash: *b"abcdefabc", committed: None });
            let new = format!("{old}abcdefabcdef fedcba987654 A <a@b> 1795302000 +0130\tcommit: why\n");
            let head = Head::last(new.as_bytes());
            assert_eq!(head, Head { hash: *b"fedcba987", committed: Some(1_795_302_000 + 5400) });
            assert_eq!(head.committed.map(date).as_deref(), Some("2026-11-22"));
            assert_eq!([0, 951_782_400, 1_709_251_199].map(date), ["1970-01-01", "2000-02-29", "2024-02-29"]);
        }
    }
}
