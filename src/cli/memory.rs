//! How much memory there is, and how much of it may be taken.

use clap::Args;
use flitwise::memory::Limit;

/// What the program itself takes, its threads included, in bytes.
pub(super) const PROGRAM: u64 = 9 << 20;

/// What rows of the same thread leave behind for each other at most, in bytes.
pub(super) const LEFT_OVER: u64 = 12 << 20;

/// The option of all verbs that plan or run rows.
#[derive(Args, Clone, Copy, Default)]
pub(super) struct Memory {
    /// Memory for the scenario and all rows at work, such as 8G: no more rows are begun than fit, and a row that does not
    /// fit alone is refused [default: what is available]
    #[arg(long, value_name = "BYTES", value_parser = bytes)]
    memory: Option<u64>,
}

impl Memory {
    /// What may be taken: what the command line allows, or less if there is less.
    pub(super) fn limit(self) -> Limit {
        let available = Limit::available(available());
        match self.memory {
            Some(bytes) if bytes <= available.bytes => Limit { bytes, why: "allowed by --memory" },
            _ => available,
        }
    }
}

/// What the machine has left, but no more than a container is allowed, or the process itself has left of its own limits; a
/// container's own count of what is free takes the page cache for used, so its limit is what counts.
fn available() -> u64 {
    let mut system = sysinfo::System::new();
    system.refresh_memory();
    let group = system.cgroup_limits().map_or(u64::MAX, |limits| limits.total_memory);
    // memory is given out in large pieces, and an estimate may be a little short: some of it stays
    let own = left_of_limits().map_or(u64::MAX, |left| left - left / 8);
    system.available_memory().min(group).min(own)
}

/// What the process may still take of its address space and its data, where they are limited (`ulimit -v`, `ulimit -d`).
fn left_of_limits() -> Option<u64> {
    let limits = std::fs::read_to_string("/proc/self/limits").ok()?;
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let space = left(&limits, "Max address space", &status, "VmSize:");
    let data = left(&limits, "Max data size", &status, "VmData:");
    space.into_iter().chain(data).min()
}

/// What is left of the soft limit called `limit`, if there is one, where `status` says how much is `used`, in kB.
fn left(limits: &str, limit: &str, status: &str, used: &str) -> Option<u64> {
    let soft = limits.lines().find_map(|line| line.strip_prefix(limit))?.split_whitespace().next()?;
    let most: u64 = soft.parse().ok()?; // or `unlimited`
    let line = status.lines().find_map(|line| line.strip_prefix(used))?;
    let used: u64 = line.split_whitespace().next()?.parse().ok()?;
    Some(most.saturating_sub(used * 1024))
}

/// As many bytes as `text` says: a number, and K, M, G or T for powers of 1024.
fn bytes(text: &str) -> Result<u64, String> {
    let digits = text.trim_end_matches(|c: char| !c.is_ascii_digit());
    let shift = match text[digits.len()..].to_ascii_uppercase().as_str() {
        "" | "B" => 0,
        "K" | "KB" | "KIB" => 10,
        "M" | "MB" | "MIB" => 20,
        "G" | "GB" | "GIB" => 30,
        "T" | "TB" | "TIB" => 40,
        _ => return Err("a number of bytes, or with K, M, G or T, such as 8G".to_owned()),
    };
    let number: u64 = digits.parse().map_err(|_| "a whole number of bytes, such as 8G".to_owned())?;
    match number.checked_mul(1 << shift) {
        Some(0) => Err("nothing runs without memory: at least 1 byte, such as 8G".to_owned()),
        Some(bytes) => Ok(bytes),
        None => Err("more bytes than a machine can have: at most 16777215T".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_read_as_people_write_them() {
        assert_eq!(["1", "64k", "8G", "2TiB", "5b"].map(bytes), [1, 64 << 10, 8 << 30, 2 << 40, 5].map(Ok));
        let wrong = ["0", "0G", "much", "G", "-1", "1.5G", "99999999T"];
        assert!(wrong.iter().all(|text| bytes(text).is_err()));
    }

    #[test]
    fn the_limits_of_the_process_count_as_far_as_they_are_not_used_up() {
        let limits = "Limit                     Soft Limit           Hard Limit           Units\n\
                      Max data size             unlimited            unlimited            bytes\n\
                      Max address space         6000000000           unlimited            bytes\n";
        let status = "VmPeak:\t 2000 kB\nVmSize:\t  1000 kB\nVmData:\t  500 kB\n";
        assert_eq!(left(limits, "Max address space", status, "VmSize:"), Some(6_000_000_000 - 1_024_000));
        assert_eq!(left(limits, "Max data size", status, "VmData:"), None);
    }
}
