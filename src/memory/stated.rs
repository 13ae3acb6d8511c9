//! The memory that Linux states, for builds without the feature `system`.

use super::Limit;

impl Limit {
    /// The memory that this machine has left. `None` on systems that do not state it in `/proc/meminfo`.
    pub fn stated_by_system() -> Option<Self> {
        available(&std::fs::read_to_string("/proc/meminfo").ok()?).map(Self::available)
    }
}

/// Available bytes, of which `text` states the kilobytes.
fn available(text: &str) -> Option<u64> {
    let line = text.lines().find_map(|line| line.strip_prefix("MemAvailable:"))?;
    let kilobytes: u64 = line.split_whitespace().next()?.parse().ok()?;
    Some(kilobytes.saturating_mul(1024))
}

#[cfg(test)]
mod tests {
    use super::available;

    #[test]
    fn the_line_of_available_memory_counts() {
        let text = "MemTotal:       8000000 kB\nMemFree:         100000 kB\nMemAvailable:    2000000 kB\n";
        assert_eq!(available(text), Some(2_048_000_000));
        assert_eq!(available("MemTotal: 8000000 kB\n"), None);
    }
}
